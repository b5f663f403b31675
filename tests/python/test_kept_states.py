"""States that a graph keeps between its runs."""

import numpy
import pytest

import webnn


def total(context, first=None):
    """sum' = sum + x, y = -sum'"""
    b = webnn.MLGraphBuilder(context)
    before = b.input("sum", "float32", [2])
    after = b.add(before, b.input("x", "float32", [2]))
    b.keepState(before, after, first)
    return b.build({"y": b.neg(after), "after": after})


def test_runs_follow_one_another(context):
    graph = total(context)
    x = numpy.array([1, 2], "float32")
    for i in (1, 2, 3):
        outputs = context.compute(graph, {"x": x})
        assert list(outputs) == ["y"]
        assert outputs["y"].tolist() == [-i, -2 * i]
    graph.resetStates()
    assert context.compute(graph, {"x": x})["y"].tolist() == [-1, -2]
    assert graph.keptStates == {"sum": "after"}


def test_a_state_has_a_first_value_and_can_be_taken_over(context):
    graph = total(context, numpy.array([10, 20], "float32"))
    x = numpy.array([1, 2], "float32")
    assert context.compute(graph, {"x": x})["y"].tolist() == [-11, -22]
    outputs = context.compute(graph, {"x": x, "sum": numpy.zeros(2, "float32")})
    assert outputs["y"].tolist() == [-1, -2] and outputs["after"].tolist() == [1, 2]
    assert context.compute(graph, {"x": x})["y"].tolist() == [-12, -24]
    with pytest.raises(webnn.TypeError, match="keepState.*initial"):
        total(context, numpy.zeros(3, "float32"))
