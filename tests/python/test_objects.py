"""Objects whose __init__ was not called, and copies."""

import copy
import inspect
import pickle
import subprocess
import sys

import pytest

import webnn
from webnn import _webnn

CLASSES = ("CustomOperator", "MLContext", "MLGraph", "MLGraphBuilder", "MLOperand", "MLTensor")

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
                 lambda: webnn.quantize(bare, context),
                 lambda: context.dispatch(bare, {"x": bare}, {"y": bare})):
        assert use(what) is not None
    use(lambda: repr(bare))
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
    public = [n for n, c in vars(_webnn).items() if inspect.isclass(c) and not n.startswith("_")]
    assert sorted(CLASSES) == sorted(public)
    for name in CLASSES:
        assert getattr(webnn, name).__module__ == "webnn", name


def test_objects_are_not_copied(context, builder):
    x = builder.input("x", dataType="float32", shape=[1])
    tensor = context.createTensor(dataType="float32", shape=[1])
    for thing in (context, builder, x, tensor, builder.build({"y": builder.relu(x)})):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="cannot pickle 'webnn.ML"):
                copied(thing)


def test_explanations_are_copied(builder):
    explanation = builder.build({"y": builder.relu(builder.input("x", "float32", [1]))}).explain([2.5])
    for copied in (copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))):
        again = copied(explanation)
        assert again == explanation and again._repr_html_() == explanation._repr_html_()


def test_what_objects_print(context):
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", "float32", ["batch", 4])
    assert repr(b.build({"y": b.reduceSum(x, axes=[1])})) == \
        "<webnn.MLGraph: x float32 [batch, 4] -> y float32 [batch]>"
    b = webnn.MLGraphBuilder(context)
    many = [b.input(f"x{i}", "int8", [1]) for i in range(6)]
    graph = b.build({"y": b.concat(many, 0)})
    assert repr(graph) == ("<webnn.MLGraph: x0 int8 [1], x1 int8 [1], x2 int8 [1], x3 int8 [1], ... "
                           "-> y int8 [6]>")
    of_one = webnn.MLContext(threads=1, backends="reference")
    assert repr(of_one) == "<webnn.MLContext of 1 threads: reference>"
    of_one.destroy()
    graph.destroy()
    assert repr(of_one) and repr(graph)


def test_properties_have_docstrings():
    for name in CLASSES:
        for member, value in vars(getattr(webnn, name)).items():
            if isinstance(value, property) and not member.startswith("_"):
                assert value.__doc__, f"{name}.{member}"


def test_signatures():
    """What editors and inspect.signature() show of what is written in C++."""
    def parameters(f):
        return list(inspect.signature(f).parameters)

    assert parameters(webnn.MLGraphBuilder.conv2d)[:3] == ["self", "input", "filter"]
    assert inspect.signature(webnn.MLGraphBuilder.conv2d).parameters["groups"].default == 1
    assert parameters(webnn.MLGraphBuilder) == ["context"]
    assert parameters(webnn.MLContext)[:3] == ["powerPreference", "accelerated", "threads"]
    assert inspect.signature(webnn.MLContext).parameters["threads"].default == 0
    assert parameters(webnn.importModel)[:3] == ["builder", "path", "format"]
    builder = webnn.MLGraphBuilder(webnn.MLContext(threads=1))
    assert parameters(builder.input) == ["name", "descriptor", "shape", "dataType"]
    assert inspect.getdoc(builder.input).startswith("input(name, descriptor=None")
    for owner in [webnn, *(getattr(webnn, name) for name in CLASSES)]:
        for name, value in vars(owner).items():
            if callable(value) and not name.startswith("_") and not inspect.isclass(value):
                inspect.signature(value)


def test_everything_public_is_typed():
    for f in (webnn.load, webnn.createContext, webnn.Model.__init__,
              *(v for n, v in vars(webnn.Model).items() if inspect.isfunction(v) and n[0] != "_")):
        signature = inspect.signature(f)
        assert signature.return_annotation is not inspect.Signature.empty, f
        for name, p in signature.parameters.items():
            assert name == "self" or p.annotation is not inspect.Parameter.empty, (f, name)
