"""Operators on operands."""

import numpy
import pytest

import webnn


@pytest.mark.parametrize("f", [
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y,
    lambda x, y: x ** y, lambda x, y: x > y, lambda x, y: x >= y, lambda x, y: x < y,
    lambda x, y: x <= y, lambda x, y: -x + y, lambda x, y: abs(x) - y,
    lambda x, y: x + 1, lambda x, y: 1 - x, lambda x, y: 2.5 * x, lambda x, y: 1 / x,
    lambda x, y: 2 ** x, lambda x, y: x > 1, lambda x, y: 1.5 > x, lambda x, y: x + numpy.float32(2),
    lambda x, y: x + numpy.arange(3), lambda x, y: numpy.arange(3.0, dtype="float32") - x,
    lambda x, y: x @ numpy.eye(3, 2, dtype="float32"), lambda x, y: x + True,
])
def test_operators_equal_those_of_numpy(f, context):
    b = webnn.MLGraphBuilder(context)
    x = numpy.array([[0.5, 1, 2], [1.5, 3, 1]], "float32")
    y = numpy.array([[2, 1, 0.5], [1, 2, 1]], "float32")
    result = f(b.input("x", "float32", x.shape), b.input("y", "float32", y.shape))
    graph = b.build({"result": b.cast(result, "float32")})
    given = {name: value for name, value in (("x", x), ("y", y)) if name in graph.inputs}
    numpy.testing.assert_allclose(context.compute(graph, given)["result"],
                                  numpy.asarray(f(x, y), "float32"), rtol=1e-6)


def test_integers_stay_integers(context):
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", "int64", [2])
    assert (x + 2**60).dataType == "int64"
    graph = b.build({"y": x + 2**60})
    y = context.compute(graph, {"x": numpy.array([1, -1])})["y"]
    assert list(y) == [2**60 + 1, 2**60 - 1]


def test_what_is_no_operand_is_refused(context):
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", "float32", [2])
    for other in ("1", None, 1j, [1, 2]):
        with pytest.raises(TypeError):
            x + other
        with pytest.raises(TypeError):
            other - x
    with pytest.raises(webnn.TypeError) as caught:
        x + webnn.MLGraphBuilder(context).input("x", "float32", [2])
    assert "another builder" in str(caught.value)
    assert len({x, x}) == 1  # == and hash() are those of objects
