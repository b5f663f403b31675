"""Arrays of all layouts and types, and what the messages say of those that cannot be used."""

import numpy
import pytest

import webnn


def strided(values, writeable=False):
    """The same values, every second of a larger array."""
    wide = numpy.repeat(values, 2, axis=-1)[..., ::2]
    wide.flags.writeable = writeable
    return wide


BASE = numpy.arange(6, dtype="float32").reshape(2, 3)
READ_ONLY = BASE.copy()
READ_ONLY.flags.writeable = False
KINDS = {
    "broadcast": numpy.broadcast_to(numpy.float32(2), (2, 3)),
    "broadcast row": numpy.broadcast_to(BASE[:1], (2, 3)),
    "strided": strided(BASE, True),
    "read-only": READ_ONLY,
    "read-only strided": strided(BASE),
    "read-only transposed": READ_ONLY.T.copy().T,
    "reversed": READ_ONLY[::-1, ::-1],
    "memoryview": memoryview(READ_ONLY),
    "strided memoryview": memoryview(strided(BASE)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_all_layouts(context, builder, kind):
    given = KINDS[kind]
    expected = numpy.array(given)
    d = {"dataType": "float32", "shape": [2, 3]}
    x = builder.input("x", d)
    y = builder.add(x, builder.constant(given))
    y = builder.add(y, builder.constant(d, given))
    graph = builder.build({"y": builder.add(y, builder.constant(given, copy=False))})
    numpy.testing.assert_array_equal(context.compute(graph, {"x": given})["y"], 4 * expected)
    t = context.createTensor({**d, "readable": True, "writable": True})
    context.writeTensor(t, given)
    numpy.testing.assert_array_equal(context.readTensor(t), expected)
    constant = context.createConstantTensor(d, given)
    b = webnn.MLGraphBuilder(context)
    graph = b.build({"y": b.neg(b.constant(constant))})
    numpy.testing.assert_array_equal(context.compute(graph, {})["y"], -expected)


def test_outputs_that_cannot_be_written(context, builder):
    x = builder.input("x", dataType="float32", shape=[2, 3])
    graph = builder.build({"y": builder.relu(x)})
    t = context.createTensor(dataType="float32", shape=[2, 3], readable=True)
    read_only = "(numpy.ndarray) is read-only, and not a writable array."
    for given, reason in ((READ_ONLY, read_only), (strided(BASE, True), "is not a contiguous array"),
                          (KINDS["broadcast"], "is not a contiguous array"),
                          (KINDS["read-only strided"], "is not a contiguous array"),
                          (bytes(24), "(bytes) is read-only"), ([1, 2], "(list) is not a writable"),
                          (ReadOnlyTensor(), "(ReadOnlyTensor) cannot be written: it is read-only")):
        for call, name in ((lambda g: context.compute(graph, {"x": BASE}, {"y": g}), "compute: y "),
                           (lambda g: context.readTensor(t, g), "readTensor: outputData ")):
            with pytest.raises(webnn.TypeError) as caught:
                call(given)
            assert str(caught.value).startswith(name) and reason in str(caught.value)


class ReadOnlyTensor:
    """A tensor of another library that it does not lend."""

    def __dlpack__(self, stream=None):
        raise BufferError("it is read-only")

    def __dlpack_device__(self):
        return (1, 0)


class Convertible(ReadOnlyTensor):
    def __array__(self, dtype=None, copy=None):
        return numpy.array(BASE, dtype)


class Inconvertible:
    dtype = "float32"

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("it requires a gradient")


def test_tensors_that_are_not_lent(context, builder):
    x = builder.input("x", dataType="float32", shape=[2, 3])
    graph = builder.build({"y": builder.identity(x)})
    numpy.testing.assert_array_equal(context.compute(graph, {"x": Convertible()})["y"], BASE)
    for given, reason in ((ReadOnlyTensor(), "it is read-only"),
                          (Inconvertible(), "it requires a gradient"),
                          ([[1], [2, 3]], "array element with a sequence"),
                          (numpy.array([["2020-01-01"]], "datetime64[D]"), "datetime64[D]")):
        with pytest.raises(webnn.TypeError, match="^compute: x ") as caught:
            context.compute(graph, {"x": given})
        assert reason in str(caught.value)


def test_an_interruption_is_not_an_error_of_the_argument(context, builder):
    class Interrupted:
        def __array__(self, dtype=None, copy=None):
            raise KeyboardInterrupt

    graph = builder.build({"y": builder.relu(builder.input("x", dataType="float32", shape=[1]))})
    with pytest.raises(KeyboardInterrupt):
        context.compute(graph, {"x": Interrupted()})


def test_types_that_webnn_does_not_have(context, builder):
    advice = "; astype(\"float32\") converts them."
    with pytest.raises(webnn.TypeError) as caught:
        builder.constant(numpy.ones(3))
    assert str(caught.value) == ("constant: buffer has elements of the type float64, which WebNN does "
                                 "not have" + advice)
    with pytest.raises(webnn.TypeError) as caught:
        builder.constant({"dataType": "float32", "shape": [3]}, numpy.ones(3))
    assert str(caught.value) == ("constant: buffer has elements of another type (float64) than "
                                 "float32" + advice)
    x = builder.input("x", dataType="int8", shape=[3])
    graph = builder.build({"y": builder.identity(x)})
    with pytest.raises(webnn.TypeError) as caught:
        context.compute(graph, {"x": numpy.ones(3, "int16")})
    assert str(caught.value) == ("compute: x has elements of another type (int16) than int8; "
                                 "astype(\"int8\") converts them.")
    for given, name in ((numpy.ones(3, "complex64"), "complex64"), (numpy.ones(3, "int16"), "int16"),
                        (numpy.ones(3, ">f4"), ">f4"), ([1.5], "float64")):
        with pytest.raises(webnn.TypeError) as caught:
            webnn.MLGraphBuilder(context).constant(given)
        assert f"of the type {name}, which" in str(caught.value)
