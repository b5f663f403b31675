"""The inputs of a file: their order, and those that nothing reads."""

import numpy
import pytest

import webnn

TEXT = """webnn_graph "net" v1 {
  inputs { a: f32[2]; b: f32[2]; c: i32[3]; }
  nodes { y = sub(b, a); }
  outputs { y; }
}
"""
A = numpy.array([1, 2], "float32")
B = numpy.array([5, 7], "float32")
C = numpy.zeros(3, "int32")


def formats():
    return [f for f in webnn.formats() if f["reads"] and f["writes"]]


@pytest.fixture(params=[f["extensions"][0] for f in formats()])
def path(request, tmp_path, context):
    """The same graph in a file of each format."""
    source = tmp_path / "source.webnn"
    source.write_text(TEXT)
    if request.param == "webnn":
        return source
    target = tmp_path / f"net.{request.param}"
    webnn.exportModel(webnn.load(source, keepConstants=True).graph, str(target))
    return target


def test_a_file_keeps_its_list(path):
    model = webnn.load(path)
    assert list(model.inputs) == ["a", "b", "c"]
    assert model.inputs["c"] == {"dataType": "int32", "shape": (3,)}


def test_what_is_not_read_may_be_given_or_left_out(path):
    model = webnn.load(path)
    expected = [4, 5]
    for result in (model(a=A, b=B, c=C), model(a=A, b=B), model({"c": C, "b": B, "a": A}),
                   model(A, B, C), model(A, B)):
        assert result["y"].tolist() == expected
    with pytest.raises(webnn.TypeError, match="input \"b\" is missing"):
        model(a=A, c=C)
    with pytest.raises(webnn.TypeError, match="c"):
        model(a=A, b=B, c=C[:2])
    with pytest.raises(webnn.TypeError, match="d"):
        model(a=A, b=B, d=C)
    with pytest.raises(webnn.TypeError, match="4 arrays are given, but it has 3 inputs"):
        model(A, B, C, C)


def test_compiled(path, tmp_path):
    webnn.load(path).save(tmp_path / "net.webnnc")
    model = webnn.load(tmp_path / "net.webnnc")
    assert list(model.inputs) == ["a", "b", "c"]
    assert model(A, B)["y"].tolist() == model(a=A, b=B, c=C)["y"].tolist() == [4, 5]


def test_build_takes_the_list(context, builder):
    a, b, c = (builder.input(n, dataType="float32", shape=[2]) for n in "abc")
    y = builder.sub(b, a)
    with pytest.raises(webnn.TypeError, match="not in the list of inputs"):
        builder.build({"y": y}, inputs={"a": a})
    with pytest.raises(webnn.TypeError, match="inputs"):
        builder.build({"y": y}, inputs={"a": 1})
    graph = builder.build({"y": y}, inputs={"c": c, "a": a, "b": b})
    assert list(graph.inputs) == ["c", "a", "b"]
