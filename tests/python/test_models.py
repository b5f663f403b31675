"""Models in files, and the command python3 -m webnn."""

import io
import os
import pickle
import struct
import subprocess
import sys
import time

import numpy
import pytest

import webnn
from networks import write_network


@pytest.fixture
def path(tmp_path, context, builder):
    """y = relu(w * x + 1), in a .webnn file with its weights."""
    x = builder.input("x", dataType="float32", shape=[1, 4, 4, 3])
    w = numpy.linspace(-1, 1, 48, dtype="float32").reshape(1, 4, 4, 3)
    y = builder.relu(builder.add(builder.mul(x, builder.constant(w)), builder.constant("float32", 1)))
    webnn.exportModel(builder.build({"y": y}), str(tmp_path / "net.webnn"))
    return str(tmp_path / "net.webnn")


def expected(x):
    w = numpy.linspace(-1, 1, 48, dtype="float32").reshape(1, 4, 4, 3)
    return numpy.maximum(w * x + numpy.float32(1), 0)


def test_call(path, random):
    model = webnn.load(path, threads=1)
    assert model.inputs == {"x": {"dataType": "float32", "shape": (1, 4, 4, 3)}}
    assert list(model.outputs) == ["y"]
    x = random.standard_normal((1, 4, 4, 3)).astype("float32")
    for result in (model(x=x), model(x), model({"x": x})):
        numpy.testing.assert_allclose(result["y"], expected(x), rtol=1e-6, atol=1e-6)
    with pytest.raises(webnn.TypeError):
        model(x, x)
    with pytest.raises(webnn.TypeError):
        model(z=x)
    assert "relu" in model.explain() and "<table>" in model._repr_html_()


def test_backends(path):
    for names in ("reference", ["reference"], ("reference",)):
        model = webnn.load(path, backends=names)
        assert model.context.backends == ["reference"]
    assert webnn.load(path, backends="simd,reference").options["backends"] == ("simd", "reference")


def test_bench(path):
    result = webnn.load(path, threads=1).bench(seconds=0.02, warmup=0)
    assert result["runs"] >= 5 and 0 < result["min"] <= result["median"] <= result["p95"]


def test_progress(path):
    seen = []
    webnn.load(path, progress=lambda stage, done, total: seen.append(stage))
    assert set(seen) - {"weights"} == {"passes", "kernels"}  # weights: if a kernel packs some


def test_files_that_are_wrong(tmp_path):
    with pytest.raises(FileNotFoundError):
        webnn.load(tmp_path / "net.xyz")
    (tmp_path / "net.xyz").write_text("a net")
    with pytest.raises(webnn.NotSupportedError) as caught:
        webnn.load(tmp_path / "net.xyz")
    assert "there is no format for the extension \"xyz\"" in str(caught.value)
    (tmp_path / "bad.webnn").write_text("webnn_graph \"x\" v1 { nodes { y = relu(x) } }")
    with pytest.raises(webnn.DataError):
        webnn.load(tmp_path / "bad.webnn")
    with pytest.raises(FileNotFoundError):
        webnn.load(tmp_path / "missing.webnn")


def test_pickle(path, random):
    """A path, a hash and options; the same model for all copies in a process."""
    model = webnn.load(path, threads=1)
    data = pickle.dumps(model)
    assert len(data) < 2000
    one, two = pickle.loads(data), pickle.loads(data)
    assert one is two and one.sha256 == model.sha256 and one.options == model.options
    x = random.standard_normal((1, 4, 4, 3)).astype("float32")
    assert one(x)["y"].tobytes() == model(x)["y"].tobytes()


def test_pickle_of_a_file_that_changed(path):
    data = pickle.dumps(webnn.load(path, threads=2))
    with open(path, "a", encoding="utf-8") as file:
        file.write("# another\n")
    with pytest.raises(webnn.DataError) as caught:
        pickle.loads(data).open()
    assert "SHA-256" in str(caught.value) and path in str(caught.value)


def write_bmp(path, width, height, color):
    row = bytes(color) * width
    row += bytes(-len(row) % 4)
    pixels = row * height
    with open(path, "wb") as file:
        file.write(b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54))
        file.write(struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(pixels), 0, 0, 0, 0))
        file.write(pixels)


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "webnn", *arguments], capture_output=True,
                          text=True, check=False)


def test_command(tmp_path, path):
    image = str(tmp_path / "red.bmp")
    write_bmp(image, 8, 8, (0, 0, 255))
    pixels = webnn.readImage(image, 3, 4, 4)
    assert pixels.shape == (4, 4, 3) and (pixels == [255, 0, 0]).all()
    done = run("run", path, "--image", image, "--top", "1", "--scale", "0..1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "y: float32 [1, 4, 4, 3]"
    largest = expected(numpy.broadcast_to(numpy.array([1, 0, 0], "float32"), (1, 4, 4, 3))).max()
    assert abs(float(done.stdout.splitlines()[1].split()[0]) - largest) < 1e-5
    assert "x: float32 [1, 4, 4, 3]" in run("info", path).stdout
    assert run("--version").stdout == f"webnn {webnn.__version__}\n"
    assert run("run", path).stderr == "webnn: x: random numbers\n"
    assert run("bench", path).stdout.splitlines()[0].split(": ")[1].isdigit()
    wrong = run("run", path, "--input", "z=z.npy")
    assert wrong.returncode == 1 and wrong.stderr == "webnn: model: it has no input z; it has x.\n"
    for text in ("z", "z=", "=z.npy"):
        wrong = run("run", path, "--input", text)
        assert wrong.returncode == 2 and f"--input {text}: it is not NAME=FILE.npy" in wrong.stderr
    numpy.save(tmp_path / "x.npy", numpy.ones((1, 4, 4, 3), "float32"))
    done = run("run", path, "--input", f"x={tmp_path / 'x.npy'}", "--top", "1")
    assert done.stdout.splitlines()[1].split() == ["2", "47"] and not done.stderr
    wrong = run("run", str(tmp_path / "missing.webnn"))
    assert wrong.returncode == 1 and wrong.stderr.startswith("webnn: ")
    assert "Traceback" not in wrong.stderr


def test_tflite(tmp_path, builder):
    if not any(f["name"] == "tflite" and f["writes"] for f in webnn.formats()):
        pytest.skip("built without tflite")
    x = builder.input("x", dataType="float32", shape=[2, 3])
    webnn.exportModel(builder.build({"y": builder.tanh(x)}), os.fspath(tmp_path / "net.tflite"))
    a = numpy.ones((2, 3), "float32")
    numpy.testing.assert_allclose(webnn.load(tmp_path / "net.tflite")(a)["y"], numpy.tanh(a),
                                  atol=1e-6)


def test_run_async(path, random):
    """The event loop does other work meanwhile; failures are raised where the result is awaited."""
    import asyncio

    model = webnn.load(path, threads=1)
    arrays = [random.standard_normal((1, 4, 4, 3)).astype("float32") for _ in range(8)]

    async def all_of_them():
        return await asyncio.gather(*(model.run_async(x=x) for x in arrays))

    for x, result in zip(arrays, asyncio.run(all_of_them())):
        numpy.testing.assert_array_equal(result["y"], model(x=x)["y"])
    with pytest.raises(webnn.TypeError):
        asyncio.run(model.run_async(z=arrays[0]))


def test_file_object(path, builder):
    """A file that is open for reading bytes has the contents of a model."""
    exported = webnn.exportedBytes(webnn.load(path, keepConstants=True).graph, "onnx")
    with open(os.path.join(os.path.dirname(path), "net.onnx"), "wb") as file:
        file.write(exported)
    with open(os.path.join(os.path.dirname(path), "net.onnx"), "rb") as file:
        assert list(webnn.load(file).inputs) == ["x"]
    with open(path, "r", encoding="utf-8") as text, pytest.raises(webnn.TypeError) as caught:
        webnn.load(text)
    assert 'open for text: open it with the mode "rb"' in str(caught.value)
    context = webnn.MLContext(threads=1)
    imported = webnn.importModel(webnn.MLGraphBuilder(context), io.BytesIO(exported))
    assert imported["format"] == "onnx"
    with open(path, "r", encoding="utf-8") as text, pytest.raises(webnn.TypeError, match="for text"):
        webnn.importModel(builder, text)
    for nothing, words in ((3, "load: path (3) is neither"), ([1] * 9999, ", ...]) is neither")):
        with pytest.raises(webnn.TypeError) as caught:
            webnn.load(nothing)
        assert words in str(caught.value)
        with pytest.raises(webnn.TypeError, match="neither the name of a file nor bytes, nor a file"):
            webnn.importModel(builder, nothing)


def test_a_folder_is_no_model(tmp_path):
    with pytest.raises(IsADirectoryError):
        webnn.load(tmp_path)


def test_cancelled_run_ends(tmp_path):
    """The thread that runs does not go on: the event loop, which waits for it, ends."""
    import asyncio

    model = webnn.load(write_network(tmp_path / "net.webnn", examples=2048, units=256, layers=400),
                       threads=1)
    x = numpy.ones((2048, 256), "float32")
    start = time.perf_counter()
    model(x)
    whole = time.perf_counter() - start

    async def cancelled():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(model.run_async(x), whole / 50)

    start = time.perf_counter()
    asyncio.run(cancelled())
    assert time.perf_counter() - start < whole / 2
    assert model(x)["y"].shape == (2048, 256)


def test_signatures_are_typed():
    import inspect
    import typing

    for function in (webnn.load, webnn.Model.__call__, webnn.Model.bench, webnn.Model.prepare):
        assert inspect.signature(function).return_annotation not in (inspect.Signature.empty, typing.Any)


def test_a_model_of_one_example_takes_several(tmp_path):
    context = webnn.MLContext(threads=1, keepConstants=True)
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", dataType="float32", shape=[1, 2, 3])
    z = b.input("z", dataType="float32", shape=[1, 3])
    y = b.add(b.reduceSum(x, axes=[1]), z)
    path = tmp_path / "net.webnn"
    webnn.exportModel(b.build({"y": y, "t": b.transpose(x, permutation=[0, 2, 1])}), path)
    model = webnn.load(path)
    given = numpy.arange(30, dtype="float32").reshape(5, 2, 3)
    other = numpy.arange(15, dtype="float32").reshape(5, 3)
    for got in (model(x=given, z=other), model({"x": given, "z": other}), model(given, other)):
        numpy.testing.assert_array_equal(got["y"], given.sum(axis=1) + other)
        numpy.testing.assert_array_equal(got["t"], given.transpose(0, 2, 1))
    assert model(x=given[:1], z=other[:1])["y"].shape == (1, 3)
    for wrong in ((given, other[:4]), (given[:, :1], other), (given[0], other), (given[:0], other[:0]),
                  (given.astype("float64"), other)):
        with pytest.raises(webnn.TypeError):
            model(*wrong)
    # The first dimension of what is not examples: nothing is run in pieces.
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", dataType="float32", shape=[1, 3])
    webnn.exportModel(b.build({"y": b.reshape(x, [3])}), path)
    with pytest.raises(webnn.TypeError, match="x has the shape"):
        webnn.load(path)(other)
