"""bfloat16 and float8e4m3: arrays of ml_dtypes where it is installed, and bits in other arrays."""

import os
import shutil
import subprocess
import sys
import sysconfig
import textwrap

import numpy
import pytest

import webnn

BFLOAT16 = {1.0: 0x3F80, -2.5: 0xC020, 0.1: 0x3DCD, 3.0: 0x4040, 1e39: 0x7F80}
FLOAT8 = {1.0: 0x38, -2.5: 0xC2, 0.1: 0x1D, 448.0: 0x7E, 1e9: 0x7E, 2.0**-9: 1}


def bits(array):
    return array.view(f"uint{8 * array.itemsize}")


def run(code, *folders, **modules):
    """The code in a process of its own, in which the modules are what is given."""
    code = "import sys\n" + "".join(f"sys.modules[{n!r}] = {v!r}\n" for n, v in modules.items()) + \
        textwrap.dedent(code)
    path = os.pathsep.join([*map(str, folders), *(p for p in sys.path if p)])
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("type, values, of", [("bfloat16", BFLOAT16, "uint16"),
                                              ("float8e4m3", FLOAT8, "uint8")])
def test_numbers_are_rounded(context, builder, type, values, of):
    n = len(values)
    x = builder.input("x", dataType=type, shape=[n])
    listed = builder.constant({"dataType": type, "shape": [n]}, list(values))
    alone = [builder.reshape(builder.constant(type, v), [1]) for v in values]
    graph = builder.build({"x": builder.identity(x), "listed": builder.identity(listed),
                           "alone": builder.concat(alone, 0)})
    expected = numpy.array(list(values.values()), of)
    for given in (list(values), expected, expected.tobytes(), bits(expected)):
        for name, y in context.compute(graph, {"x": given}).items():
            numpy.testing.assert_array_equal(bits(y), expected, name)


def test_casts(context, builder):
    x = builder.input("x", dataType="float32", shape=[4])
    for type in ("bfloat16", "float8e4m3"):
        y = builder.cast(x, type)
        assert y.dataType == type
        x = builder.cast(y, "float32")
    graph = builder.build({"y": x})
    y = context.compute(graph, {"x": numpy.array([1.03, -1e6, 0.013, 1e-9], "float32")})["y"]
    assert y.tolist() == [1, -448, 0.013671875, 0]


def test_shapes_of_bits(context, builder):
    x = builder.input("x", dataType="float8e4m3", shape=["n", 2])
    graph = builder.build({"y": builder.transpose(x)})
    y = context.compute(graph, {"x": numpy.array([[1, 2], [3, 4]], "uint8")})["y"]
    assert bits(y).tolist() == [[1, 3], [2, 4]]
    with pytest.raises(webnn.TypeError, match="x has elements of another type .uint8. than float8e4m3"):
        context.compute(graph, {"x": numpy.ones((2, 2), "bool")})


@pytest.mark.parametrize("given, words", [
    (numpy.zeros(4, "float32"), "(float32) than bfloat16; astype(ml_dtypes.bfloat16) converts them"),
    (numpy.zeros(4, "float16"), "(float16) than bfloat16; astype(ml_dtypes.bfloat16) converts them"),
    (numpy.zeros(4, "int16"), "(int16) than bfloat16"),
    (numpy.zeros(4, ">u2"), "(>u2) than bfloat16"),
    (numpy.zeros(4, "uint8"), "(uint8) than bfloat16"),
])
def test_wrong_types(context, builder, given, words):
    graph = builder.build({"y": builder.neg(builder.input("x", dataType="bfloat16", shape=[4]))})
    with pytest.raises(webnn.TypeError) as caught:
        context.compute(graph, {"x": given})
    assert words in str(caught.value)


def test_tensors(context):
    for type, of in (("bfloat16", "uint16"), ("float8e4m3", "uint8")):
        tensor = context.createTensor(dataType=type, shape=[3], readable=True, writable=True)
        context.writeTensor(tensor, numpy.array([1, 2, 3], of))
        assert bits(context.readTensor(tensor)).tolist() == [1, 2, 3]
        context.writeTensor(tensor, [1, 2, 3])
        out = numpy.zeros(3, of)
        assert context.readTensor(tensor, out) is out
        assert out.tolist() == {"bfloat16": [0x3F80, 0x4000, 0x4040], "float8e4m3": [0x38, 0x40, 0x44]}[type]


def test_operators_take_arrays(context, builder):
    x = builder.input("x", dataType="bfloat16", shape=[2])
    graph = builder.build({"y": (x + 1) * numpy.array([2.0, 0.5])})
    y = context.compute(graph, {"x": [1, 2]})["y"]
    assert bits(y).tolist() == [0x4080, 0x3FC0]  # 4, 1.5


def test_limits(context):
    limits = context.opSupportLimits()
    assert "bfloat16" in limits["add"]["a"]["dataTypes"]
    assert "float8e4m3" in limits["dequantizeLinear"]["input"]["dataTypes"]
    assert "float8e4m3" not in limits["matmul"]["a"]["dataTypes"]


def test_custom_operators(context, builder):
    """Bits without ml_dtypes: the types of the results are said."""
    def swap(x):
        return x[::-1].copy()

    reverse = webnn.CustomOperator("test.Reverse", swap, infer=lambda inputs: inputs)
    x = builder.input("x", dataType="bfloat16", shape=[3])
    (y,) = builder.custom(reverse, [x])
    assert y.dataType == "bfloat16"
    graph = builder.build({"y": y})
    got = context.compute(graph, {"x": numpy.array([1, 2, 3], "uint16")})["y"]
    assert bits(got).tolist() == [3, 2, 1]


def test_without_ml_dtypes():
    run("""
        import numpy, webnn
        context = webnn.MLContext(threads=1)
        for type, of in (("bfloat16", "uint16"), ("float8e4m3", "uint8")):
            builder = webnn.MLGraphBuilder(context)
            x = builder.input("x", dataType=type, shape=[2])
            y = context.compute(builder.build({"y": builder.identity(x)}), {"x": [1, 2]})["y"]
            assert y.dtype == of, y.dtype
        """, ml_dtypes=None)


@pytest.fixture(scope="module")
def standin(tmp_path_factory):
    """A folder with ml_dtypes: the real one, or a module of our own that has types like its."""
    try:
        import ml_dtypes

        return os.path.dirname(os.path.dirname(ml_dtypes.__file__))
    except ImportError:
        pass
    compiler, folder = shutil.which("cc"), tmp_path_factory.mktemp("standin")
    headers = [sysconfig.get_paths()["include"], numpy.get_include()]
    for header in (headers[0] + "/Python.h", headers[1] + "/numpy/arrayobject.h"):
        if compiler is None or not os.path.exists(header):
            pytest.skip(f"no compiler or no {header}")
    source = os.path.join(os.path.dirname(__file__), "ml_dtypes_standin", "ml_dtypes.c")
    subprocess.run([compiler, "-shared", "-fPIC", *("-I" + h for h in headers), source, "-o",
                    str(folder / "ml_dtypes.so")], check=True)
    return folder


def test_arrays_of_ml_dtypes(standin):
    run("""
        import ml_dtypes, numpy, webnn
        from webnn import _webnn
        context = webnn.MLContext(threads=1)
        for name, dtype, of in (("bfloat16", ml_dtypes.bfloat16, "uint16"),
                                ("float8e4m3", ml_dtypes.float8_e4m3fn, "uint8")):
            builder = webnn.MLGraphBuilder(context)
            x = builder.input("x", dataType=dtype, shape=[2, 2])
            assert x.dataType == name
            numbers = numpy.array([[1, 2], [3, 4]], of).view(dtype)
            c = builder.constant(numbers)
            assert (c.dataType, c.shape) == (name, (2, 2))
            graph = builder.build({"y": builder.identity(x), "c": builder.transpose(c)})
            # Nothing is copied.
            address = numbers.__array_interface__["data"][0]
            assert _webnn._view(numbers, name) == {
                "address": address, "bytes": numbers.nbytes, "dataType": name, "shape": (2, 2)}
            results = context.compute(graph, {"x": numbers.T})
            assert all(y.dtype == dtype and y.view(of).tolist() == [[1, 3], [2, 4]]
                       for y in results.values())
            out = {name: numpy.zeros((2, 2), dtype) for name in results}
            assert context.compute(graph, {"x": numbers}, out)["y"] is out["y"]
            assert out["y"].view(of).tolist() == [[1, 2], [3, 4]]
            assert context.compute(graph, {"x": numbers.view(of)})["y"].view(of).tolist() == [[1, 2], [3, 4]]
            for wrong, words in ((out["y"].T, "not a contiguous"), (None, "read-only")):
                if wrong is None:
                    wrong = out["y"]
                    wrong.flags.writeable = False
                try:
                    context.compute(graph, {"x": numbers}, {"y": wrong})
                except webnn.TypeError as e:
                    assert words in str(e), e
                else:
                    raise AssertionError(words)
        # Its constants are shared as others are, and numbers are rounded once.
        read_only = numpy.array([1.5, -2], "float32").view("uint16")[1::2].copy().view(ml_dtypes.bfloat16)
        read_only.flags.writeable = False
        builder = webnn.MLGraphBuilder(context)
        x = builder.input("x", dataType="bfloat16", shape=[2])
        graph = builder.build({"y": x + read_only, "z": builder.identity(builder.constant(read_only))})
        results = context.compute(graph, {"x": [1, 1.001]})
        assert [y.astype("float64").tolist() for y in results.values()] == [[2.5, -1], [1.5, -2]]
        # A function of numpy gets and returns them.
        seen = []
        def twice(x):
            seen.append(x.dtype)
            return numpy.concatenate([x, x])
        builder = webnn.MLGraphBuilder(context)
        x = builder.input("x", dataType="bfloat16", shape=[2])
        (y,) = builder.custom(webnn.CustomOperator("test.Twice", twice), [x])
        assert (y.dataType, y.shape) == ("bfloat16", (4,))
        y = context.compute(builder.build({"y": y}), {"x": [1, 2]})["y"]
        assert y.astype("float64").tolist() == [1, 2, 1, 2] and set(seen) == {numpy.dtype(ml_dtypes.bfloat16)}
        # One of another type is named.
        builder = webnn.MLGraphBuilder(context)
        graph = builder.build({"y": builder.neg(builder.input("x", dataType="float32", shape=[2]))})
        try:
            context.compute(graph, {"x": read_only})
        except webnn.TypeError as e:
            assert 'x has elements of another type (bfloat16) than float32; astype("float32")' in str(e), e
        else:
            raise AssertionError
        """, standin)
