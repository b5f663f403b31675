"""Operators on operands."""

import fractions

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


@pytest.mark.parametrize("data_type, other, words", [
    ("int32", 1.5, "the number (1.5) is not one of int32, the data type of the other operand"),
    ("uint8", 300, "the number (300) is not one of uint8"),
    ("uint8", -1, "the number (-1) is not one of uint8"),
    ("int64", 2**63, "the number (9223372036854775808) is not one of int64"),
    ("int64", 2**99, "is not one of int64"),
    ("int32", float("nan"), "the number (nan) is not one of int32"),
    ("int8", float("inf"), "the number (inf) is not one of int8"),
    ("float16", 1e6, "the number (1000000.0) is not one of float16"),
    ("float32", 1e300, "is not one of float32"),
    ("bfloat16", 1e39, "is not one of bfloat16"),
    ("uint8", numpy.int64(300), "the number (300) is not one of uint8"),
    ("uint8", numpy.array([1, 300]), "the number 300 of the array is not one of uint8"),
    ("uint8", numpy.array([-1, 3]), "the number -1 of the array is not one of uint8"),
    ("int32", numpy.array([1, 1.5]), "the number 1.5 of the array is not one of int32"),
    ("int32", numpy.array([1, numpy.nan]), "the number nan of the array is not one of int32"),
    ("int32", numpy.array([1, numpy.inf]), "the number inf of the array is not one of int32"),
    ("float16", numpy.array([1, -1e6]), "the number -1000000.0 of the array is not one of float16"),
    ("float32", numpy.array([numpy.inf, 1e300]), "the number 1e+300 of the array is not one of float32"),
    ("float32", numpy.array([1j, 1]), "elements of the type complex128, which are not numbers"),
    ("float32", numpy.array([None, 1]), "elements of the type object, which are not numbers"),
    ("float32", numpy.array(["1", "2"]), "elements of the type <U1, which are not numbers"),
    ("int4", numpy.array([1, 2]), "there is no array of int4"),
])
def test_no_number_is_changed(context, data_type, other, words):
    x = webnn.MLGraphBuilder(context).input("x", data_type, [2])
    for f, method in ((lambda: x + other, "add"), (lambda: other > x, "lesser")):
        with pytest.raises(webnn.TypeError) as caught:
            f()
        assert str(caught.value).startswith(method + ": ") and words in str(caught.value)


@pytest.mark.parametrize("data_type, other", [
    ("int32", 2.0), ("int32", numpy.array([2.0, -0.0])), ("uint8", numpy.array([0, 255])),
    ("float32", numpy.inf), ("float32", numpy.array([numpy.nan, numpy.inf])), ("float16", 0.1),
    ("float16", 65504), ("int64", -2**63), ("uint64", 2**64 - 1), ("float32", 2**99),
    ("float32", fractions.Fraction(1, 3)), ("uint8", True), ("int8", numpy.bool_(True)),
    ("int32", numpy.array([True, False])), ("bfloat16", numpy.ones(2)),
    ("float8e4m3", numpy.array([448.0, -448.0])),
])
def test_numbers_of_the_data_type(context, data_type, other):
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", data_type, [numpy.size(other)])
    assert (x + other).dataType == data_type


def test_operands_are_neither_true_nor_false(context):
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", "float32", [2])
    for f in (lambda: bool(x), lambda: 0 < x < 1, lambda: x > 0 and x < 1, lambda: not x,
              lambda: max(x, x)):
        with pytest.raises(webnn.TypeError, match="neither true nor false: logicalAnd"):
            f()
    assert x in [x] and x is not None


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
    with pytest.raises(TypeError):
        pow(x, 2, 3)
    assert len({x, x}) == 1  # == and hash() are those of objects
