"""Files that the system refuses, models in memory, and options in messages."""

import errno
import os
import pickle
import tempfile

import numpy
import pytest

import webnn


def network(context):
    """y = relu(x w)."""
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", dataType="float32", shape=[2, 4])
    return b.build({"y": b.relu(b.matmul(x, b.constant(numpy.linspace(-1, 1, 12, dtype="float32")
                                                       .reshape(4, 3))))})


@pytest.fixture
def path(tmp_path, context):
    webnn.exportModel(network(context), tmp_path / "net.webnn")
    return tmp_path / "net.webnn"


def extensions():
    return [f["extensions"][0] for f in webnn.formats() if f["reads"] and f["extensions"]]


def has_compiled(folder, context):
    try:
        network(context).save(folder / "net.webnnc")
    except webnn.NotSupportedError:
        return False
    return True


# What the system refuses


def readers(context):
    """What opens a file."""
    yield webnn.load
    yield lambda p: webnn.Model(p).sha256
    yield lambda p: webnn.Model(p, sha256="0" * 64).open()
    yield lambda p: webnn.importModel(webnn.MLGraphBuilder(context), p)


@pytest.mark.parametrize("extension", ["webnn", "tflite", "onnx", "pte", "nnrt", "json", "webnnc"])
def test_files_that_are_missing(tmp_path, context, extension):
    if extension == "webnnc":
        if not has_compiled(tmp_path, context):
            pytest.skip("built without it")
    elif extension not in extensions():
        pytest.skip("built without it")
    name = "none." + extension
    (tmp_path / "a file").write_text("")
    os.mkdir(tmp_path / ("folder." + extension))
    for read in list(readers(context))[:3 if extension == "webnnc" else 4]:
        for missing in (tmp_path / name, str(tmp_path / "no folder" / name)):
            with pytest.raises(FileNotFoundError) as caught:
                read(missing)
            assert caught.value.errno == errno.ENOENT
            assert caught.value.filename == os.fspath(missing)
        for other, kind in (("a file/" + name, NotADirectoryError),
                            ("folder." + extension, IsADirectoryError)):
            with pytest.raises(kind):
                read(tmp_path / other)
        with pytest.raises(OSError) as caught:
            read(tmp_path / ("x" * 300 + name))
        assert caught.value.errno == errno.ENAMETOOLONG


def test_other_files_that_are_missing(tmp_path, context):
    with pytest.raises(FileNotFoundError):
        webnn.readImage(tmp_path / "none.bmp", 3, 4, 4)
    with pytest.raises(FileNotFoundError):
        webnn.MLContext(threads=1, tuningFile=tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        webnn.load(tmp_path / "none.webnn", tuningFile=tmp_path / "none either")
    if has_compiled(tmp_path, context):
        with pytest.raises(FileNotFoundError):
            context.loadGraph(tmp_path / "none.webnnc")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_without_permission(path):
    os.chmod(path, 0)
    with pytest.raises(PermissionError):
        webnn.load(path)


def test_files_that_cannot_be_written(tmp_path, context):
    (tmp_path / "a file").write_text("")
    os.mkdir(tmp_path / "folder.webnn")
    graph = network(context)
    writers = [lambda p: webnn.exportModel(graph, p)]
    if has_compiled(tmp_path, context):
        writers += [graph.save, webnn.load(tmp_path / "net.webnnc").save]
    for write in writers:
        for name, kind in (("no folder/net.webnn", FileNotFoundError),
                           ("a file/net.webnn", NotADirectoryError),
                           ("folder.webnn", IsADirectoryError)):
            with pytest.raises(kind):
                write(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == sorted(
        {"a file", "folder.webnn", *(["net.webnnc"] if len(writers) > 1 else [])})


def test_names_that_are_none(tmp_path, context):
    for name in (None, 7, 1.5, ["net.webnn"]):
        with pytest.raises(TypeError):
            webnn.load(name)
        with pytest.raises(TypeError):
            webnn.exportModel(network(context), name)
        with pytest.raises(TypeError):
            webnn.importModel(webnn.MLGraphBuilder(context), name)
        with pytest.raises(TypeError):
            webnn.MLContext(tuningFile=name)
    for call in (webnn.load, lambda p: webnn.exportModel(network(context), p),
                 lambda p: webnn.MLContext(tuningFile=p)):
        with pytest.raises(ValueError, match="null"):
            call(str(tmp_path / "a\0.webnn"))
    assert os.listdir(tmp_path) == []


def test_a_file_that_is_wrong_is_a_data_error(path):
    path.write_text("webnn_graph \"x\" v1 { nodes { y = relu(x) } }")
    with pytest.raises(webnn.DataError):
        webnn.load(path)


# Models in memory


def kinds(contents):
    yield contents
    yield bytearray(contents)
    yield memoryview(contents)
    yield numpy.frombuffer(contents, "uint8")


@pytest.mark.parametrize("extension", ["webnn", "tflite", "onnx", "pte", "xnnpack", "nnrt", "json"])
def test_models_in_memory(tmp_path, extension):
    if extension not in extensions():
        pytest.skip("built without it")
    context = webnn.MLContext(threads=1, keepConstants=True)
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", dataType="float32", shape=[2, 4])
    file = tmp_path / ("net." + extension)
    webnn.exportModel(b.build({"y": b.relu(b.add(x, x))}), file)
    contents = file.read_bytes()
    a = numpy.linspace(-3, 3, 8, dtype="float32").reshape(2, 4)
    expected = webnn.load(file, threads=1)
    os.remove(file)
    for given in kinds(contents):
        model = webnn.load(given, threads=1)
        assert model.inputs == expected.inputs and model.outputs == expected.outputs
        assert list(model(a).values())[0].tobytes() == list(expected(a).values())[0].tobytes()
        assert repr(model) == "webnn.load(bytes)" and model.path is None
    name = next(f["name"] for f in webnn.formats() if extension in f["extensions"])
    imported = webnn.importModel(webnn.MLGraphBuilder(context), contents, name)
    assert [n for n, _ in imported["outputs"]] == list(expected.outputs)
    for end in (0, 1, len(contents) // 2):
        with pytest.raises((webnn.DataError, webnn.NotSupportedError)):
            webnn.load(contents[:end])


def test_bytes_that_change_later_change_nothing(context):
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", dataType="float32", shape=[64])
    graph = b.build({"y": b.add(x, b.constant(numpy.ones(64, "float32")))})
    extension = next((e for e in ("tflite", "onnx") if e in extensions()), None)
    if extension is None:
        pytest.skip("built without formats that share their bytes")
    with tempfile.TemporaryDirectory() as folder:
        webnn.exportModel(graph, os.path.join(folder, "net." + extension))
        with open(os.path.join(folder, "net." + extension), "rb") as file:
            contents = bytearray(file.read())
    model = webnn.load(contents)
    contents[:] = bytes(len(contents))
    assert (list(model(numpy.ones(64, "float32")).values())[0] == 2).all()


def test_compiled_graphs_in_memory(tmp_path, context):
    if not has_compiled(tmp_path, context):
        pytest.skip("built without compiled graphs")
    contents = (tmp_path / "net.webnnc").read_bytes()
    os.remove(tmp_path / "net.webnnc")
    x = numpy.ones((2, 4), "float32")
    expected = context.compute(network(context), {"x": x})["y"].tobytes()
    for given in kinds(contents):
        assert webnn.load(given, verify="full")(x)["y"].tobytes() == expected
        assert context.compute(context.loadGraph(given), {"x": x})["y"].tobytes() == expected
    model = pickle.loads(pickle.dumps(webnn.load(contents)))
    assert model(x)["y"].tobytes() == expected
    assert pickle.loads(pickle.dumps(model)) is model


def test_what_is_wrong_with_bytes(context):
    for contents in (b"", b"hello", b"\xff" * 64):
        with pytest.raises(webnn.NotSupportedError, match="name it in the option format"):
            webnn.load(contents)
    with pytest.raises(webnn.DataError):
        webnn.load(b"hello", format="webnn")
    with pytest.raises(webnn.NotSupportedError, match="there is no format \"xyz\"; there are: "):
        webnn.load(b"hello", format="xyz")
    with pytest.raises(webnn.TypeError, match="verify is an option of compiled graphs"):
        webnn.load(b"webnn_graph \"x\" v1 {}", verify="full")


# Messages


def varint(v):
    out = b""
    while v > 127:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def onnx_with(dimension):
    """y = Relu(x), whose only dimension is given; no shape for None."""
    shape = b"" if dimension is None else field(2, field(1, dimension))
    info = lambda name: field(1, name) + field(2, field(1, field(1, 1) + shape))
    node = field(1, "x") + field(2, "y") + field(4, "Relu")
    graph = field(1, node) + field(2, "g") + field(11, info("x")) + field(12, info("y"))
    return field(1, 8) + field(7, graph) + field(8, field(2, 17))


def test_messages_name_the_options_of_python(context):
    if "onnx" not in extensions():
        pytest.skip("built without ONNX")
    assert webnn.load(onnx_with(field(2, "batch")), dimensions={"batch": 3}).inputs["x"]["shape"] == (3,)
    with pytest.raises(webnn.Error) as caught:
        webnn.load(onnx_with(None)).open()
    assert "in the option shapes" in str(caught.value)
    for text in (str(caught.value), caught.value.reason):
        assert "::" not in text and "--" not in text and "ImportOptions" not in text


def test_open_dimensions_of_an_onnx_file():
    if "onnx" not in extensions():
        pytest.skip("built without ONNX")
    for dimension in (field(2, "batch"), b""):
        model = webnn.load(onnx_with(dimension), threads=1)
        for n in (1, 5):
            x = numpy.arange(-2, n - 2).astype("float32")
            assert numpy.array_equal(model(x=x)["y"], numpy.maximum(x, 0))


def test_messages_name_the_options_that_keep_constants(context):
    with pytest.raises(webnn.InvalidStateError) as caught:
        b = webnn.MLGraphBuilder(webnn.MLContext(threads=1))
        w = numpy.ones((256, 256), "float32")
        x = b.input("x", dataType="float32", shape=[256, 256])
        graph = b.build({"y": b.matmul(x, b.constant(w))})
        webnn.exportModel(graph, "/dev/null", "webnn")
    assert "the option keepConstants keeps them" in str(caught.value)
