"""What the library says and measures: the options log and trace."""

import logging
import subprocess
import sys

import numpy
import pytest

import webnn


def other_machine(tmp_path):
    """A tuning file of which the library says something."""
    path = tmp_path / "tuning.txt"
    path.write_text("webnn tuning 1\nmachine 0.0.1, another one, 64 threads\n"
                    "chain relu(input=%0 float32 [1]) -> %1 float32 [1]\n"
                    "\t10\tsimd\t1\tkernel\nend\n")
    return path


def test_the_module_logging_gets_messages(tmp_path, caplog):
    with caplog.at_level(logging.INFO, "webnn"):
        webnn.MLContext(threads=1)
        assert not caplog.records
        webnn.MLContext(threads=1, tuningFile=other_machine(tmp_path))
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("webnn", logging.WARNING)
    assert "has no measurements of this machine" in record.getMessage()


def test_a_function_gets_messages_in_place_of_it(tmp_path, caplog):
    said = []
    webnn.MLContext(threads=1, tuningFile=other_machine(tmp_path),
                    log=lambda level, message: said.append((level, message)))
    assert not caplog.records
    ((level, message),) = said
    assert level == "warning" and "has no measurements of this machine" in message
    with pytest.raises(webnn.TypeError, match="log is neither None nor a function"):
        webnn.MLContext(log="yes")
    with pytest.raises(webnn.TypeError, match="trace is neither None nor a function"):
        webnn.MLContext(trace=1)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_function_gets_each_step(threads):
    events = []
    context = webnn.MLContext(threads=threads, trace=events.append)
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", dataType="float32", shape=[64, 1000])
    graph = b.build({"y": b.softmax(b.transpose(x), 1, label="last")})
    assert not events
    context.compute(graph, {"x": numpy.ones((64, 1000), "float32")})
    steps = graph.report()["steps"]
    tiles = [0] * len(steps)
    for e in events:
        step = steps[e["step"]]
        assert e["kernel"] == step["backend"] + " " + step["kernel"]
        assert e["duration"] >= 0 and e["bytes"] > 0 and 0 <= e["worker"] < threads
        tiles[e["step"]] += e["tiles"]
    assert tiles == [step["tiles"] for step in steps]
    assert any(e["label"] == "last" and "softmax" in e["operators"] for e in events)


def test_what_a_listener_raises_is_not_lost():
    code = """
import numpy, webnn
def trace(event):
    raise ValueError("of the listener")
context = webnn.MLContext(threads=1, trace=trace)
b = webnn.MLGraphBuilder(context)
graph = b.build({"y": b.relu(b.input("x", dataType="float32", shape=[2]))})
print(context.compute(graph, {"x": numpy.array([1, -1], "float32")})["y"].tolist())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[1.0, 0.0]\n" and "of the listener" in done.stderr
