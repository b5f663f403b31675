"""Arrays in and out: no copies where the layout allows it, by addresses, and messages."""

import array
import gc
import mmap
import weakref

import numpy
import pytest

import webnn
from webnn import _webnn


class DlpackOnly:
    """A tensor of another library, which has DLPack and no buffer protocol."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, stream=None):
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def address(values):
    return values.__array_interface__["data"][0]


TYPES = ["float32", "float16", "int32", "uint32", "int64", "uint64", "int8", "uint8"]


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("wrap", [lambda a: a, DlpackOnly, memoryview])
def test_nothing_is_copied(type, wrap):
    a = numpy.zeros((3, 4), type)
    view = _webnn._view(wrap(a), type)
    assert view == {"address": address(a), "bytes": a.nbytes, "dataType": type, "shape": (3, 4)}


def test_other_layouts_are_copied(context, builder):
    x = builder.input("x", dataType="float32", shape=[4, 3])
    graph = builder.build({"y": builder.identity(x)})
    a = numpy.arange(12, dtype="float32").reshape(3, 4)
    for given in (a.T, DlpackOnly(a.T), numpy.asfortranarray(a.T.copy()), a.T.tolist()):
        numpy.testing.assert_array_equal(context.compute(graph, {"x": given})["y"], a.T)
    assert _webnn._view(a.T, "float32")["address"] != address(a)


def test_outputs_are_those_given(context, builder):
    x = builder.input("x", dataType="float32", shape=[1 << 16])
    graph = builder.build({"y": builder.neg(x)})
    a, out = numpy.ones(1 << 16, "float32"), numpy.zeros(1 << 16, "float32")
    result = context.compute(graph, {"x": a}, {"y": out})
    assert result["y"] is out and (out == -1).all()
    out[:] = 0
    wrapped = DlpackOnly(out)
    assert context.compute(graph, {"x": DlpackOnly(a)}, {"y": wrapped})["y"] is wrapped
    assert (out == -1).all()
    raw = bytearray(4 << 16)
    context.compute(graph, {"x": a}, {"y": raw})
    assert (numpy.frombuffer(raw, "float32") == -1).all()
    assert numpy.from_dlpack(result["y"]).ctypes.data == address(out)


@pytest.mark.parametrize("given, words", [
    (numpy.zeros(4, "float64"), "x has elements of another type (float64) than float32"),
    (numpy.zeros(4, "complex64"), "x has elements of another type (complex64) than float32"),
    (memoryview(numpy.zeros(4, "complex64")), "x has elements of another type (format Zf) than float32"),
    (DlpackOnly(numpy.zeros(4)), "x has elements of another type (float64) than float32"),
    (DlpackOnly(numpy.zeros(4, "complex64")), "x has elements of another type (64 bits) than float32"),
    (numpy.zeros(4, "int32"), "x has elements of another type (int32) than float32"),
    (numpy.zeros(4, ">f4"), 'x has elements of another type (>f4) than float32; astype("float32")'),
    (None, "x (NoneType) is not an array"),
    ("1234", "x (str) is not an array"),
    ([1, 2, None, 4], "x (list) cannot be read: elements of the type object are not numbers."),
    (["1", "2", "3", "4"], "x (list) cannot be read: elements of the type <U1 are not numbers."),
    (numpy.zeros((2, 2), "float32"), "x has the shape [2, 2], which is not [4]"),
    (numpy.zeros(5, "float32"), "x has the shape [5], which is not [4]"),
])
def test_wrong_inputs(context, builder, given, words):
    x = builder.input("x", dataType="float32", shape=[4])
    graph = builder.build({"y": builder.relu(x)})
    with pytest.raises(webnn.TypeError) as caught:
        context.compute(graph, {"x": given})
    assert words in str(caught.value)


@pytest.mark.parametrize("data_type, given, words", [
    ("int32", [1.5], "the number 1.5 is not one of int32"), ("uint8", [256], "256 is not one of uint8"),
    ("int8", -129, "-129 is not one of int8"), ("int32", [float("nan")], "nan is not one of int32"),
])
def test_lists_keep_their_numbers(context, data_type, given, words):
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", data_type, numpy.shape(given))
    graph = b.build({"y": b.cast(x, "float32")})
    with pytest.raises(webnn.TypeError) as caught:
        context.compute(graph, {"x": given})
    assert words in str(caught.value)
    assert context.compute(graph, {"x": numpy.ones_like(given).tolist()})["y"].sum() == 1


def test_wrong_names_and_outputs(context, builder):
    x = builder.input("x", dataType="float32", shape=[4])
    graph = builder.build({"y": builder.relu(x)})
    a = numpy.zeros(4, "float32")
    for call, words in (
            (lambda: context.compute(graph, {}), "x"),
            (lambda: context.compute(graph, {"z": a}), "inputs has \"z\""),
            (lambda: context.compute(graph, {"x": a}, {"z": a}), "outputs has \"z\""),
            (lambda: context.compute(graph, {1: a}), "a key that is not a str"),
            (lambda: context.compute(graph, {"x": a}, {"y": bytes(16)}), "not a writable"),
            (lambda: context.compute(graph, {"x": a}, {"y": a[::2]}), "not a contiguous"),
            (lambda: context.compute(graph, {"x": a}, {"y": a}), "overlap"),
            (lambda: context.compute(graph, {"x": a}, {"y": numpy.zeros(4)}), "(float64) than float32."),
            (lambda: context.compute(graph, [a]), "compute: inputs (list) is not a dict of arrays."),
            (lambda: context.compute(graph, {"x": a}, [a]), "outputs (list) is not a dict of arrays."),
            (lambda: context.compute(a, {"x": a}), "graph (numpy.ndarray) is not an MLGraph."),
            (lambda: context.dispatch(None, {}, {}), "graph (NoneType) is not an MLGraph."),
            (lambda: context.dispatch(graph, [], {}), "inputs (list) is not a dict of MLTensor.")):
        with pytest.raises(webnn.TypeError) as caught:
            call()
        assert words in str(caught.value)


def test_scalar_and_raw_bytes(context, builder):
    x = builder.input("x", dataType="float32")
    graph = builder.build({"y": builder.neg(x)})
    assert context.compute(graph, {"x": 2.0})["y"].shape == ()
    assert context.compute(graph, {"x": numpy.float32(2).tobytes()})["y"] == -2
    assert context.compute(graph, {"x": numpy.array(2, "float32")})["y"] == -2


def test_int4(context, builder):
    x = builder.input("x", dataType="int4", shape=[3])
    scale = builder.constant(numpy.ones(1, "float32"))
    zero = builder.constant({"dataType": "int4", "shape": [1]}, bytes([0]))
    graph = builder.build({"y": builder.dequantizeLinear(x, scale, zero)})
    packed = numpy.array([0x21, 0x0F], "uint8")
    assert context.compute(graph, {"x": packed})["y"].tolist() == [1, 2, -1]


def test_constants_of_all_buffers(context, builder):
    x = builder.input("x", dataType="float32", shape=[2])
    given = [numpy.array([1, 2], "float32"), array.array("f", [1, 2]),
             memoryview(numpy.array([1, 2], "float32")), DlpackOnly(numpy.array([1, 2], "float32"))]
    described = {"dataType": "float32", "shape": [2]}
    values = numpy.array([1, 2], "float32").tobytes()
    constants = [builder.constant(c) for c in given]
    constants += [builder.constant(described, c) for c in given + [values, bytearray(values), [1, 2]]]
    y = x
    for c in constants:
        assert (c.dataType, c.shape) == ("float32", (2,))
        y = builder.add(y, c)
    graph = builder.build({"y": y})
    assert context.compute(graph, {"x": [0, 0]})["y"].tolist() == [11, 22]


def test_constants_that_can_change_are_copied(context, builder):
    x = builder.input("x", dataType="float32", shape=[2])
    c = numpy.array([1, 2], "float32")
    graph = builder.build({"y": builder.add(x, builder.constant(c))})
    c[:] = 100
    assert context.compute(graph, {"x": [0, 0]})["y"].tolist() == [1, 2]


class Weights(numpy.ndarray):
    """An array that a weak reference can follow."""


@pytest.mark.parametrize("how", ["read-only", "copy=False"])
def test_constants_are_shared_and_given_back(how):
    context = webnn.MLContext(threads=1)
    builder = webnn.MLGraphBuilder(context)
    c = numpy.ones(1 << 12, "float32").view(Weights)
    if how == "read-only":
        c.flags.writeable = False
        operand = builder.constant(c)
    else:
        operand = builder.constant(c, copy=False)
    alive = weakref.ref(c)
    del c
    gc.collect()
    assert alive() is not None
    x = builder.input("x", dataType="float32", shape=[1 << 12])
    graph = builder.build({"y": builder.add(x, operand)})
    assert context.compute(graph, {"x": numpy.ones(1 << 12, "float32")})["y"][5] == 2
    del graph, operand, builder, x, context
    gc.collect()
    assert alive() is None


def test_mapped_file(tmp_path, context, builder):
    path = tmp_path / "weights"
    path.write_bytes(numpy.arange(8, dtype="float32").tobytes())
    with open(path, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    x = builder.input("x", dataType="float32", shape=[8])
    c = builder.constant({"dataType": "float32", "shape": [8]}, mapped)
    graph = builder.build({"y": builder.add(x, c)})
    assert context.compute(graph, {"x": numpy.zeros(8, "float32")})["y"].tolist() == list(range(8))


def test_torch(context, builder):
    torch = pytest.importorskip("torch")
    x = builder.input("x", dataType="float32", shape=[4])
    graph = builder.build({"y": builder.sigmoid(x)})
    t = torch.arange(4, dtype=torch.float32)
    got = torch.from_dlpack(context.compute(graph, {"x": t})["y"])
    assert torch.allclose(got, torch.sigmoid(t), atol=1e-6)
