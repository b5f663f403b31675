"""Arguments that are not what they should be, and how the messages say so."""

import copy
import importlib
import inspect
import os
import pickle
import pkgutil
import subprocess
import sys

import builtins
import numpy
import pytest

import webnn
from webnn import _webnn

PACKAGE = os.path.dirname(webnn.__file__)


# Arrays


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
    t = context.createTensor(d, readable=True, writable=True)
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


# Objects without __init__

CLASSES = ("MLContext", "MLGraph", "MLGraphBuilder", "MLOperand", "MLTensor")

UNINITIALIZED = """
import inspect, sys
import webnn

def use(what):
    try:
        what()
    except TypeError as e:
        return e
    except BaseException as e:
        sys.exit(f"{e!r}")
    return None

context = webnn.MLContext(threads=1)
builder = webnn.MLGraphBuilder(context)
operand = builder.input("x", dataType="float32", shape=[1])
given = {"path": "x", "name": "x", "inputs": {}, "outputs": {}, "context": context}
cls = getattr(webnn, sys.argv[1])
class Derived(cls):
    def __init__(self):
        pass
for made in (cls, Derived):
    bare = made.__new__(made)
    for name in dir(cls):
        if name.startswith("_") and name not in ("_explain", "_repr_html_"):
            continue
        attribute = inspect.getattr_static(cls, name)
        if isinstance(attribute, property):
            assert isinstance(use(lambda: getattr(bare, name)), webnn.TypeError), name
            continue
        errors = [use(lambda: getattr(bare, name)(*args)) for args in
                  ((), (operand,), ({},), (bare,), ("x",), (operand, operand), ("x", {}),
                   (bare, {}), (bare, {}, {}), (bare, bare))]
        assert all(errors), (name, errors)
        assert any("the __init__ of the object was not called" in str(e) for e in errors), name
    for what in (lambda: builder.constant(bare), lambda: builder.relu(bare),
                 lambda: builder.build({"y": bare}), lambda: context.compute(bare, {}),
                 lambda: context.dispatch(bare, {}, {}), lambda: context.readTensor(bare),
                 lambda: context.writeTensor(bare, [1]), lambda: webnn.MLGraphBuilder(bare),
                 lambda: context.profile(bare), lambda: webnn.exportModel(bare, "x.webnn"),
                 lambda: webnn.importModel(bare, "x.webnn"), lambda: webnn.quantizeWeights(bare, context),
                 lambda: context.dispatch(bare, {"x": bare}, {"y": bare})):
        assert use(what) is not None
    repr(bare) if cls not in (webnn.MLTensor, webnn.MLOperand) else use(lambda: repr(bare))
    del bare
if cls is webnn.MLContext:
    assert use(Derived) is not None
print("fine")
"""


@pytest.mark.parametrize("name", CLASSES)
def test_objects_whose_init_was_not_called(name):
    done = subprocess.run([sys.executable, "-c", UNINITIALIZED, name], capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr


def test_classes_are_known():
    assert sorted(CLASSES) == sorted(n for n, c in vars(_webnn).items() if inspect.isclass(c))


def test_objects_are_not_copied(context, builder):
    x = builder.input("x", dataType="float32", shape=[1])
    tensor = context.createTensor(dataType="float32", shape=[1])
    for thing in (context, builder, x, tensor, builder.build({"y": builder.relu(x)})):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError):
                copied(thing)


# Names


def test_no_module_replaces_builtin_names():
    modules = ["webnn"] + ["webnn." + m.name for m in pkgutil.iter_modules([PACKAGE])
                           if m.name != "_webnn"]
    assert {"webnn.errors", "webnn.model", "webnn._files"} <= set(modules)
    for name in modules:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:  # dask
            continue
        names = {}
        exec(f"from {name} import *", names)
        names.pop("__builtins__")
        assert not set(names) & set(vars(builtins)), name
        assert set(names) == set(importlib.import_module(name).__all__), name
    everything = {}
    exec("from webnn import *", everything)
    public = {n for n, v in vars(webnn).items() if not n.startswith("_") and not inspect.ismodule(v)}
    assert public - set(everything) == {"TypeError"}
    assert webnn.TypeError is webnn.errors.TypeError is not TypeError


# Options of a context


def test_context_options():
    defaults = webnn.MLContext._defaults()
    assert list(defaults)[:2] == ["powerPreference", "accelerated"] and defaults["threads"] == 0
    doc = inspect.getdoc(webnn.MLContext.__init__)
    with open(os.path.join(PACKAGE, "_webnn.pyi"), encoding="utf-8") as f:
        stub = next(line for line in f if "powerPreference" in line)
    for name, value in defaults.items():
        assert f"{name}={value!r}" in doc and f"\n  {name}: " in doc and f" {name}: " in stub
        webnn.MLContext(**{name: value})
    assert "One of specification, tests2025." in doc
    webnn.MLContext(threads=numpy.int64(1), backends="reference", keepConstants=numpy.True_)
    assert webnn.MLContext(backends=iter(["reference"])).backends == ["reference"]
    wrong = (
        ({"thread": 1}, "thread is not one of its options: powerPreference, accelerated, threads"),
        ({"threads": 1.5}, "threads (1.5) is not an int"),
        ({"threads": 1 << 40}, "threads (1099511627776) is not between -2147483648 and 2147483647"),
        ({"memoryLimit": -1}, "memoryLimit (-1) is not between 0 and"),
        ({"memoryLimit": 1 << 70}, "memoryLimit (1180591620717411303424) is not between 0 and"),
        ({"keepConstants": "no"}, "keepConstants ('no') is not a bool"),
        ({"rules": "draft"}, "rules ('draft') is not one of specification, tests2025"),
        ({"tuning": None}, "tuning (None) is not one of off, once"),
        ({"backends": 7}, "backends (7) is not a list of str"),
        ({"backends": [7]}, "backends has an item (7) that is not a str"),
        ({"threadPool": None}, "threadPool is not one of its options"),
    )
    for options, reason in wrong:
        with pytest.raises(webnn.TypeError) as caught:
            webnn.MLContext(**options)
        assert str(caught.value).startswith("MLContext: " + reason), caught.value


def test_options_of_a_model_are_those_of_its_context(tmp_path, context, builder):
    x = builder.input("x", dataType="float32", shape=[1])
    path = tmp_path / "net.webnn"
    webnn.exportModel(builder.build({"y": builder.relu(x)}), path)
    for name, value in webnn.MLContext._defaults().items():
        assert webnn.Model(path, **{name: value}).options[name] == value
    model = webnn.load(path, rules="tests2025", backends="reference", accelerated=False)
    assert model.context.backends == ["reference"] and not model.context.accelerated
    with pytest.raises(webnn.TypeError, match="load: thread is not one of its options: format, "):
        webnn.load(path, thread=1)
