"""Compiled graphs in .webnnc files."""

import concurrent.futures
import multiprocessing
import pickle

import numpy
import pytest

import webnn


def product(context):
    """y = relu(x w), whose weights have more than 64 KiB."""
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", dataType="float32", shape=[4, 160])
    w = numpy.random.default_rng(3).standard_normal((160, 192)).astype("float32")
    return b.build({"y": b.relu(b.matmul(x, b.constant(w), label="product"))})


def has_compiled(folder):
    try:
        product(webnn.MLContext(threads=1)).save(str(folder / "probe.webnnc"))
    except webnn.NotSupportedError as e:
        assert "this library was built without compiled graphs (WEBNN_COMPILED)" in str(e)
        with pytest.raises(webnn.NotSupportedError):
            webnn.MLContext().loadGraph(str(folder / "probe.webnnc"))
        return False
    return True


@pytest.fixture(autouse=True)
def need_compiled(tmp_path):
    if not has_compiled(tmp_path):
        pytest.skip("built without compiled graphs")


@pytest.fixture
def x(random):
    return random.standard_normal((4, 160)).astype("float32")


def flip(path, at):
    with open(path, "r+b") as file:
        file.seek(at, 2 if at < 0 else 0)
        value = file.read(1)[0]
        file.seek(-1, 1)
        file.write(bytes([value ^ 1]))


def test_graph(tmp_path, context, x):
    path = str(tmp_path / "net.webnnc")
    graph = product(context)
    expected = context.compute(graph, {"x": x})["y"]
    assert graph.save(path) is None
    for verify in ("small", "full"):
        again = context.loadGraph(path, verify=verify)
        assert isinstance(again, webnn.MLGraph)
        assert again.inputs == graph.inputs and again.outputs == graph.outputs
        assert context.compute(again, {"x": x})["y"].tobytes() == expected.tobytes()
        assert [s["kernel"] for s in again.report()["steps"]] == \
            [s["kernel"] for s in graph.report()["steps"]]
        assert "product" in again.explain()
    graph.destroy()
    with pytest.raises(webnn.InvalidStateError):
        graph.save(path)
    assert context.compute(context.loadGraph(path), {"x": x})["y"].tobytes() == expected.tobytes()


def test_model(tmp_path, context, x):
    path = tmp_path / "net.webnnc"
    graph = product(context)
    graph.save(str(path))
    model = webnn.load(path, threads=1)
    assert isinstance(model, webnn.Model)
    assert model.inputs == graph.inputs and model.outputs == graph.outputs
    assert model.quantization("x") is None and model.description == ""
    expected = context.compute(graph, {"x": x})["y"].tobytes()
    assert model(x)["y"].tobytes() == expected
    assert model.bench(seconds=0.01, warmup=0)["runs"] >= 5
    model.save(tmp_path / "again.webnnc")
    assert webnn.load(tmp_path / "again.webnnc", verify="full")(x)["y"].tobytes() == expected
    (tmp_path / "other.name").write_bytes(path.read_bytes())
    assert webnn.load(tmp_path / "other.name", format="compiled")(x)["y"].tobytes() == expected


def test_what_a_model_has_beside_its_graph(tmp_path, context):
    if not any(f["name"] == "tflite" and f["writes"] for f in webnn.formats()):
        pytest.skip("built without tflite")
    b = webnn.MLGraphBuilder(context)
    q = b.input("q", dataType="int8", shape=[1, 8])
    scale, zero = (b.constant(numpy.array([[v]], t)) for v, t in ((0.25, "float32"), (3, "int8")))
    real = b.dequantizeLinear(q, scale, zero)
    y = b.quantizeLinear(b.add(real, real), b.constant(numpy.array([[0.5]], "float32")), zero)
    path = str(tmp_path / "net.tflite")
    webnn.exportModel(b.build({"y": y}), path)
    model = webnn.load(path, threads=1, keepConstants=True)
    assert model.quantization("q") == (0.25, 3) and model.quantization("y") == (0.5, 3)
    model.save(tmp_path / "net.webnnc")
    again = webnn.load(tmp_path / "net.webnnc", threads=1)
    assert again.quantization("q") == (0.25, 3) and again.quantization("y") == (0.5, 3)
    assert again.description == model.description
    values = numpy.arange(-4, 4, dtype="int8").reshape(1, 8)
    assert again(values)["y"].tobytes() == model(values)["y"].tobytes()


def test_refusals(tmp_path, context):
    path = str(tmp_path / "net.webnnc")
    graph = product(context)
    graph.save(path)
    with pytest.raises(webnn.TypeError) as caught:
        context.loadGraph(path, verify="none")
    assert "verify is \"none\", not small or full" in str(caught.value)
    for option in ({"shapes": {"x": [1]}}, {"dimensions": {"n": 1}}, {"signature": "s"},
                   {"subgraph": 1}):
        with pytest.raises(webnn.TypeError) as caught:
            webnn.load(path, **option)
        assert f"{next(iter(option))} is not an option of a compiled graph" in str(caught.value)
    with pytest.raises(webnn.NotSupportedError) as caught:
        webnn.importModel(webnn.MLGraphBuilder(context), path)
    assert "a compiled graph is loaded, not imported" in str(caught.value)
    with pytest.raises(FileNotFoundError) as caught:
        graph.save(str(tmp_path / "no folder" / "net.webnnc"))
    assert "no folder" in str(caught.value)
    with pytest.raises(FileNotFoundError) as caught:
        webnn.load(tmp_path / "missing.webnnc")
    assert "missing.webnnc" in str(caught.value)
    if context.backends != ["reference"]:
        with pytest.raises(webnn.DataError) as caught:
            webnn.load(path, backends=["reference"])
        assert "it was compiled for backend order" in str(caught.value)


def test_files_that_are_wrong(tmp_path, context):
    path = str(tmp_path / "net.webnnc")
    product(context).save(path)
    flip(path, -8192)
    webnn.load(path)  # large weights are not read
    with pytest.raises(webnn.DataError) as caught:
        webnn.load(path, verify="full")
    assert "the checksum of its large weights is wrong" in str(caught.value)
    assert caught.value.op == "load" and caught.value.label == path
    flip(path, 4100)
    with pytest.raises(webnn.DataError) as caught:
        webnn.load(path)
    assert "the checksum of its graph is wrong" in str(caught.value)
    (tmp_path / "net.webnnc").write_bytes(b"webnnc")
    with pytest.raises(webnn.DataError):
        context.loadGraph(path)


def test_verify_is_of_compiled_graphs_alone(tmp_path):
    with pytest.raises(webnn.TypeError) as caught:
        webnn.load(tmp_path / "net.onnx", verify="full")
    assert "verify is an option of compiled graphs" in str(caught.value)


def test_pickle(tmp_path, context, x):
    path = str(tmp_path / "net.webnnc")
    product(context).save(path)
    model = webnn.load(path, threads=1, verify="full")
    data = pickle.dumps(model)
    one, two = pickle.loads(data), pickle.loads(data)
    assert one is two and one.sha256 == model.sha256
    assert one.options == model.options and one.options["verify"] == "full"
    assert one(x)["y"].tobytes() == model(x)["y"].tobytes()
    flip(path, 4100)
    with pytest.raises(webnn.DataError) as caught:
        webnn.Model(path, sha256=model.sha256).open()
    assert "SHA-256" in str(caught.value)


def call(model, x):
    return model(x)["y"].tobytes()


def test_processes(tmp_path, context, x):
    """Other processes open the file of the model that is sent to them."""
    path = str(tmp_path / "net.webnnc")
    product(context).save(path)
    model = webnn.load(path, threads=1)
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn) as pool:
        results = set(pool.map(call, [model] * 4, [x] * 4))
    assert results == {call(model, x)}


def test_threads(tmp_path, context, x):
    path = str(tmp_path / "net.webnnc")
    graph = product(context)
    graph.save(path)
    expected = context.compute(graph, {"x": x})["y"].tobytes()

    def load_and_replace(_):
        loaded = context.loadGraph(path)
        loaded.save(path)
        return context.compute(loaded, {"x": x})["y"].tobytes()

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert set(pool.map(load_and_replace, range(12))) == {expected}
