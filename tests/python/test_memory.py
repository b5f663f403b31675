"""Models from the bytes of a file, and the options of an import."""

import pickle

import numpy
import pytest

import webnn

A = numpy.array([[1, 2]], "float32")
B = numpy.array([[5, 7]], "float32")
FORMATS = [f["name"] for f in webnn.formats() if f["reads"] and f["writes"]]


@pytest.fixture(params=FORMATS)
def file(request, builder):
    """y = b - a with an input that nothing reads, as the bytes of a file."""
    a, b, c = (builder.input(n, dataType="float32", shape=[1, 2]) for n in "abc")
    graph = builder.build({"y": builder.sub(b, a, label="y")}, inputs={"a": a, "b": b, "c": c})
    return webnn.exportedBytes(graph, request.param)


def test_load(file):
    for source in (file, bytearray(file), memoryview(file), numpy.frombuffer(file, "uint8")):
        model = webnn.load(source)
        assert list(model.inputs) == ["a", "b", "c"]
        assert model(A, B)["y"].tolist() == [[4, 5]]
    again = pickle.loads(pickle.dumps(model))
    assert again(a=A, b=B)["y"].tolist() == [[4, 5]]
    assert again.sha256 == model.sha256 and "bytes" in repr(again)


def test_content_says_the_format(file, tmp_path):
    (tmp_path / "net.unknown").write_bytes(file)
    assert webnn.load(tmp_path / "net.unknown")(A, B)["y"].tolist() == [[4, 5]]


def test_options(file):
    assert list(webnn.load(file, outputs=["y"]).outputs) == ["y"]
    with pytest.raises(webnn.TypeError, match="nowhere"):
        webnn.load(file, outputs=["nowhere"])
    with pytest.raises(webnn.TypeError):
        webnn.load(file, dimensions={"n": 2})
    webnn.load(file, values={"nowhere": A}, maxBytes=1 << 24)


def test_import_into_a_builder(file, context):
    builder = webnn.MLGraphBuilder(context)
    model = webnn.importModel(builder, file)
    assert model["format"] in FORMATS
    assert [name for name, _ in model["inputs"]] == ["a", "b", "c"]
    graph = builder.build(dict(model["outputs"]), inputs=dict(model["inputs"]))
    assert context.compute(graph, {"a": A, "b": B})["y"].tolist() == [[4, 5]]


def test_what_is_refused(context):
    builder = webnn.MLGraphBuilder(context)
    with pytest.raises(webnn.NotSupportedError, match="does not show their format"):
        webnn.importModel(builder, b"hello")
    with pytest.raises(webnn.TypeError):
        webnn.importModel(builder, "")
    with pytest.raises(webnn.TypeError):
        webnn.importModel(builder, None)


def test_compiled_from_memory(file, tmp_path):
    try:
        webnn.load(file).save(tmp_path / "net.webnnc")
    except webnn.NotSupportedError:
        pytest.skip("built without compiled graphs")
    model = webnn.load((tmp_path / "net.webnnc").read_bytes())
    assert model(A, B)["y"].tolist() == [[4, 5]]
    with pytest.raises(webnn.TypeError, match="outputs"):
        webnn.load((tmp_path / "net.webnnc").read_bytes(), outputs=["y"])
