"""Models that leave dimensions open."""

import concurrent.futures
import sys

import numpy
import pytest

import webnn
from webnn import __main__ as command
from webnn.batches import BatchMap


class Built(webnn.Model):
    """A model that is built here, in place of one that is read: y = relu(x) * 2."""

    def __init__(self, shape):
        super().__init__(b"built", threads=1)
        self.shape = shape

    def _read(self, progress):
        context = webnn.MLContext(threads=1)
        b = webnn.MLGraphBuilder(context)
        x = b.input("x", "float32", self.shape)
        graph = b.build({"y": b.mul(b.relu(x), b.constant("float32", 2))})
        more = {"inputs": [("x", None)], "outputs": [("y", None)], "inputQuantization": [None],
                "outputQuantization": [None], "description": ""}
        return context, graph, graph.inputs, graph.outputs, more


def expected(x):
    return numpy.maximum(x, 0) * 2


def test_calls_choose_the_batch(random):
    model = Built(["batch", 3])
    assert model.inputs["x"]["shape"] == ("batch", 3)
    for batch in (1, 5, 2):
        x = random.standard_normal((batch, 3)).astype("float32")
        assert (model(x)["y"] == expected(x)).all() and (model(x=x)["y"] == expected(x)).all()
    assert model.computeShapes(x=(7, 3)) == model.computeShapes({"x": (7, 3)}) == {"y": (7, 3)}
    assert model.prepare(x=(7, 3)).outputs["y"]["shape"] == (7, 3)


def test_examples_need_sizes():
    model = Built(["batch", 3])
    assert model.example(dimensions={"batch": 4})["x"].shape == (4, 3)
    assert model.bench(seconds=0.01, warmup=0, dimensions={"batch": 2})["runs"] >= 5
    with pytest.raises(webnn.TypeError) as caught:
        model.example()
    assert str(caught.value) == ("example: the dimension batch of the input x [batch, 3] has no "
                                 "size: give dimensions={'batch': ...}.")
    with pytest.raises(webnn.TypeError, match="the model has no open dimension n"):
        model.example(dimensions={"batch": 1, "n": 2})


def test_batches(random):
    x = random.standard_normal((103, 3)).astype("float32")
    mapper = BatchMap(Built(["batch", 3]))
    assert mapper.batch() >= 1
    assert (mapper(x)["y"] == expected(x)).all() and mapper(x[:0])["y"].shape == (0, 3)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert (mapper.map(pool, x, batch=10)["y"] == expected(x)).all()
    with pytest.raises(webnn.TypeError, match="the dimension n of the input x .* is open"):
        BatchMap(Built(["batch", "n"]))


def test_command(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(command, "load", lambda *_, **__: Built(["batch", "n"]))

    def run(*args):
        monkeypatch.setattr(sys, "argv", ["webnn", *args])
        command.main()
        return capsys.readouterr().out

    assert "x: float32 [batch, n]" in run("info", "m")
    assert "y: float32 [2, 4]" in run("run", "m", "--dim", "batch=2", "--dim", "n=4")
    numpy.save(tmp_path / "x.npy", numpy.ones((3, 5), "float32"))
    assert "y: float32 [3, 5]" in run("run", "m", "--input", f"x={tmp_path / 'x.npy'}")
    assert "mul" in run("explain", "m", "--dim", "batch=2", "--dim", "n=4")
    with pytest.raises(webnn.TypeError, match="the dimension batch of the input x"):
        run("run", "m")
    with pytest.raises(SystemExit):
        run("run", "m", "--dim", "batch=two")
