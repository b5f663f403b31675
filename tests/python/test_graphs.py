"""Building and running graphs; results against numpy."""

import pickle
import platform
import threading

import numpy
import pytest

import webnn


def test_pool(context, builder):
    x = builder.input("x", dataType="float32", shape=[1, 1, 4, 4])
    assert (x.dataType, x.shape) == ("float32", (1, 1, 4, 4))
    y = builder.averagePool2d(x, windowDimensions=[2, 2], strides=(2, 2))
    graph = builder.build({"y": y})
    image = numpy.arange(16, dtype="float32").reshape(1, 1, 4, 4)
    result = context.compute(graph, {"x": image})
    assert list(result) == ["y"]
    expected = image.reshape(2, 2, 2, 2).mean(axis=(1, 3)).reshape(1, 1, 2, 2)
    numpy.testing.assert_array_equal(result["y"], expected)
    assert graph.inputs == {"x": {"dataType": "float32", "shape": (1, 1, 4, 4)}}
    assert graph.outputs == {"y": {"dataType": "float32", "shape": (1, 1, 2, 2)}}


def test_as_in_the_specification(context, builder):
    """A dict for a descriptor, and one for the options."""
    x = builder.input("x", {"dataType": "float32", "shape": [2, 3]})
    y = builder.gemm(x, builder.constant({"dataType": "float32", "shape": [2, 3]},
                                         numpy.ones((2, 3), "float32")),
                     {"bTranspose": True, "alpha": 0.5})
    graph = builder.build({"y": y})
    a = numpy.array([[1, 2, 3], [4, 5, 6]], "float32")
    numpy.testing.assert_array_equal(context.compute(graph, {"x": a})["y"],
                                     [[3, 3], [7.5, 7.5]])


def test_random_matmul(context, builder, random):
    a, b = (random.standard_normal(s).astype("float32") for s in ((33, 50), (50, 20)))
    x = builder.input("x", dataType="float32", shape=a.shape)
    graph = builder.build({"y": builder.matmul(x, builder.constant(b))})
    got = context.compute(graph, {"x": a})["y"]
    numpy.testing.assert_allclose(got, a.astype("float64") @ b, rtol=0, atol=50 * 2**-23 * 16)


def test_list_of_results(context, builder):
    x = builder.input("x", dataType="int32", shape=[6])
    parts = builder.split(x, 3)
    assert len(parts) == 3
    assert len(builder.split(x, [6])) == 1
    graph = builder.build({"a": parts[0], "c": builder.concat(parts[1:], 0)})
    result = context.compute(graph, {"x": range(6)})
    assert result["a"].tolist() == [0, 1] and result["c"].tolist() == [2, 3, 4, 5]


def test_scalars(context, builder):
    x = builder.input("x", dataType="int64", shape=[2])
    big = builder.constant("int64", -2**62 - 1)
    graph = builder.build({"y": builder.add(x, big)})
    assert context.compute(graph, {"x": [1, 2]})["y"].tolist() == [-2**62, -2**62 + 1]


def test_numbers_of_numpy(context, builder):
    x = builder.input("x", dataType="float32", shape=[2, 2])
    y = builder.linear(x, alpha=numpy.float32(0.5), beta=numpy.int64(3))
    y = builder.softmax(y, numpy.int32(1))
    y = builder.cast(y, numpy.dtype("float16"))
    assert y.dataType == "float16"


@pytest.mark.parametrize("call, words", [
    (lambda b, x: b.softmax(x, 7, label="p"), "softmax [p]: axis (7) is not less than the rank"),
    (lambda b, x: b.softmax(x), "axis is missing"),
    (lambda b, x: b.softmax(x, 1, 2), "arguments are too many (3)"),
    (lambda b, x: b.softmax(x, axis=1, axes=2), "axes is not one of its arguments"),
    (lambda b, x: b.softmax(3, 1), "input (int) is not an MLOperand"),
    (lambda b, x: b.softmax(x, "left"), "\"left\" is not an integer"),
    (lambda b, x: b.softmax(x, -1), "-1 is not an integer"),
    (lambda b, x: b.pad(x, [0], [0], mode="wrap"), "\"wrap\" is not one of"),
    (lambda b, x: b.relu(x, label=3), "label is not a str"),
    (lambda b, x: b.softmax(x, 1, axis=1), "axis is given twice"),
    (lambda b, x: b.elu(x, alpha=object()), "alpha (object) is neither a number"),
    (lambda b, x: b.build([x]), "build: outputs (list) is not a dict of MLOperand."),
    (lambda b, x: b.constant("float32", "1"), "constant: value ('1') is not a number."),
    (lambda b, x: b.constant("float32", 1j), "constant: value (1j) is not a number."),
    (lambda b, x: b.constant("float32", [1, 2]), 'several numbers need a shape: constant({"dataType": '
                                                 '"float32", "shape": [...]}, ...)'),
    (lambda b, x: b.constant([1.0, 2.0]), 'float64, which WebNN does not have; constant({"dataType":'),
    (lambda b, x: b.constant(numpy.ones(2, ">f4")), '>f4, which WebNN does not have; astype("f4")'),
    (lambda b, x: webnn.MLGraphBuilder(None), "MLGraphBuilder: context (NoneType) is not an MLContext."),
    (lambda b, x: webnn.MLContext(2), "MLContext: options have names, as in MLContext(threads=2)."),
])
def test_mistakes(builder, call, words):
    x = builder.input("x", dataType="float32", shape=[2, 2])
    with pytest.raises(webnn.TypeError) as caught:
        call(builder, x)
    assert words in str(caught.value)
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, webnn.Error)


def test_exceptions_have_parts(builder):
    x = builder.input("x", dataType="float32", shape=[2, 2])
    with pytest.raises(webnn.TypeError) as caught:
        builder.softmax(x, 7, label="p")
    e = pickle.loads(pickle.dumps(caught.value))
    assert (type(e), e.op, e.label) == (webnn.TypeError, "softmax", "p")
    assert e.reason == "axis (7) is not less than the rank (2) of input"
    builder.build({"y": builder.relu(x)})
    with pytest.raises(webnn.InvalidStateError):
        builder.relu(x)
    with pytest.raises(webnn.NotSupportedError):
        webnn.MLContext(backends=["gpu"])
    with pytest.raises(webnn.TypeError):
        webnn.MLContext(threads=-1)


def test_tuning(tmp_path):
    file = str(tmp_path / "tuning.txt")
    with pytest.raises(FileNotFoundError):
        webnn.MLContext(threads=1, tuningFile=file)
    context = webnn.MLContext(threads=1, tuning="once", tuningFile=file)
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", dataType="float32", shape=[4, 64])
    b.build({"y": b.matmul(x, b.constant(numpy.ones((64, 64), "float32")))})
    table = context.tuningTable()
    assert table.startswith("webnn tuning 1\n") and table.endswith("end\n")
    with open(file, "w") as f:
        f.write(table)
    assert webnn.MLContext(threads=1, tuningFile=file).tuningTable() == table
    with open(file, "w") as f:
        f.write("webnn tuning 1\nhello\n")
    with pytest.raises(webnn.DataError, match="line 2: "):
        webnn.MLContext(threads=1, tuningFile=file)
    with pytest.raises(webnn.TypeError, match="always"):
        webnn.MLContext(threads=1, tuning="always")


def test_accuracy_level():
    def product(level):
        context = webnn.MLContext(threads=1, accuracyLevel=level)
        b = webnn.MLGraphBuilder(context)
        x = b.input("x", dataType="float32", shape=[2, 64])
        integers = (numpy.arange(64 * 128) % 251 - 125).astype("int8").reshape(64, 128)
        w = b.dequantizeLinear(b.constant(integers), b.constant(numpy.full((1, 128), 0.01, "float32")),
                               b.constant(numpy.zeros((1, 128), "int8")))
        graph = b.build({"y": b.matmul(x, w)})
        values = numpy.sin(numpy.arange(128, dtype="float32")).reshape(2, 64)
        y = context.compute(graph, {"x": values})["y"]
        exact = values.astype("float64") @ (integers * numpy.float64(numpy.float32(0.01)))
        step = numpy.abs(values).max() / 127
        bound = step / 2 * numpy.abs(integers * 0.01).sum(axis=0) + 1e-4
        assert (numpy.abs(y - exact) <= bound).all()
        return y, graph.explain()
    _, floats = product("float32")
    _, integers = product("int8")
    assert "int8 x int8" not in floats
    if "simd" in webnn.MLContext(threads=1).backends and platform.machine() == "x86_64":
        assert "int8 x int8" in integers
    with pytest.raises(webnn.TypeError, match="accuracyLevel"):
        webnn.MLContext(threads=1, accuracyLevel="int4")


def test_progress(builder):
    x = builder.input("x", dataType="float32", shape=[2, 2])
    seen = []
    builder.build({"y": builder.relu(x)}, progress=lambda *step: seen.append(step))
    assert {s[0] for s in seen} == {"passes", "kernels"}
    assert all(done <= total for _, done, total in seen)


def test_progress_that_raises(builder):
    x = builder.input("x", dataType="float32", shape=[2, 2])

    def stop(stage, done, total):
        raise KeyError(stage)

    with pytest.raises(KeyError):
        builder.build({"y": builder.relu(x)}, progress=stop)


def test_explain(builder):
    x = builder.input("x", dataType="float32", shape=[2, 2])
    graph = builder.build({"y": builder.relu(x, label="<first>")})
    text = graph.explain()
    assert isinstance(text, str) and "relu" in text
    html = text._repr_html_()
    assert html.startswith("<div style=") and "<table><caption>graph   1 operator" in html and "relu [&lt;first&gt;]" in html
    assert graph._repr_html_() == html
    assert graph.report()["steps"][0]["operators"] == [{"name": "relu", "label": "<first>"}]
    assert graph.memory()["total"] >= 0


def test_explain_with_times(context, builder):
    x = builder.input("x", dataType="float32", shape=[2, 2])
    graph = builder.build({"y": builder.relu(x)})
    times = context.profile(graph, 3)
    assert len(times) == len(graph.report()["steps"])
    assert "<th>µs</th>" in graph.explain(times)._repr_html_()


def test_tensors(context, builder):
    x = builder.input("x", dataType="float32", shape=[2, 2])
    weights = context.createConstantTensor({"dataType": "float32", "shape": [2, 2]},
                                           numpy.full((2, 2), 3, "float32"))
    graph = builder.build({"y": builder.mul(x, builder.constant(weights))})
    a = context.createTensor(dataType="float32", shape=[2, 2], writable=True)
    b = context.createTensor({"dataType": "float32", "shape": [2, 2], "readable": True})
    assert a.writable and not a.readable and b.readable and weights.constant
    context.writeTensor(a, [[1, 2], [3, 4]])
    context.dispatch(graph, {"x": a}, {"y": b})
    assert context.readTensor(b).tolist() == [[3, 6], [9, 12]]
    out = numpy.zeros((2, 2), "float32")
    assert context.readTensor(b, out) is out and out[1, 1] == 12
    with pytest.raises(webnn.TypeError):
        context.readTensor(a)
    b.destroy()
    with pytest.raises(webnn.TypeError):
        context.readTensor(b)


def test_update(context, builder):
    """A tensor that is the input and the output of a dispatch, with a declaration only."""
    def rows(declared):
        b = webnn.MLGraphBuilder(context)
        past = b.input("past", dataType="float32", shape=[3, 2])
        row = b.input("row", dataType="float32", shape=[1, 2])
        at = b.input("at", dataType="int32", shape=[1, 1])
        present = b.scatterND(past, at, row)
        if declared:
            b.update(past, present)
        return b.build({"present": present})

    def tensor(values, type="float32"):
        values = numpy.array(values, type)
        t = context.createTensor(dataType=type, shape=values.shape, readable=True, writable=True)
        context.writeTensor(t, values)
        return t

    cache, row = tensor([[0, 1], [2, 3], [4, 5]]), tensor([[8, 9]])
    with pytest.raises(webnn.TypeError, match="one tensor is used"):
        context.dispatch(rows(False), {"past": cache, "row": row, "at": tensor([[1]], "int32")},
                         {"present": cache})
    graph = rows(True)
    for at in (1, 0):
        context.dispatch(graph, {"past": cache, "row": row, "at": tensor([[at]], "int32")},
                         {"present": cache})
    assert context.readTensor(cache).tolist() == [[8, 9], [8, 9], [4, 5]]
    x = builder.input("x", dataType="float32", shape=[1])
    with pytest.raises(webnn.TypeError, match="state_out is not a result"):
        builder.update(x, x)


def test_limits(context):
    limits = context.opSupportLimits()
    assert limits["softmax"]["input"]["dataTypes"] == ["float32", "float16", "bfloat16"]
    assert limits["conv2d"]["filter"]["rankRange"] == {"min": 4, "max": 4}


def test_threads_run_beside_compute(context):
    """compute() gives up the GIL: another thread goes on while it runs."""
    size = 1024
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", dataType="float32", shape=[size, size])
    y = b.matmul(x, b.matmul(x, x))
    graph = b.build({"y": y})
    a = numpy.zeros((size, size), "float32")
    count, stop = [0], threading.Event()

    def work():
        while not stop.is_set():
            count[0] += 1

    thread = threading.Thread(target=work)
    thread.start()
    try:
        counts = []
        for _ in range(3):
            before = count[0]
            context.compute(graph, {"x": a})
            counts.append(count[0] - before)
    finally:
        stop.set()
        thread.join()
    assert max(counts) > 1000, counts


def test_many_threads_one_graph(context, builder):
    x = builder.input("x", dataType="float32", shape=[64])
    graph = builder.build({"y": builder.mul(x, x)})
    wrong = []

    def run(value):
        a = numpy.full(64, value, "float32")
        for _ in range(200):
            if context.compute(graph, {"x": a})["y"][63] != value * value:
                wrong.append(value)

    threads = [threading.Thread(target=run, args=(v,)) for v in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_destroyed_context():
    context = webnn.MLContext(threads=1)
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", dataType="float32", shape=[2])
    graph = b.build({"y": b.relu(x)})
    context.destroy()
    assert context.lost
    with pytest.raises(webnn.InvalidStateError):
        context.compute(graph, {"x": numpy.zeros(2, "float32")})


def test_quantized_weights(context, builder, random):
    w = random.standard_normal((64, 96)).astype("float32")
    x = builder.input("x", dataType="float32", shape=[2, 64])
    graph = builder.build({"y": builder.matmul(x, builder.constant(w))})
    a = random.standard_normal((2, 64)).astype("float32")
    for data_type, error in (("int4", 0.15), ("int8", 0.01), ("float16", 0.0005)):
        smaller, report = webnn.quantizeWeights(graph, context, data_type, block=32)
        assert len(report) == 1 and report[0]["shape"] == (64, 96)
        assert 0 < report[0]["relativeError"] < error
        assert report[0]["bytes"] < w.nbytes * 0.6
        y = context.compute(smaller, {"x": a})["y"]
        off = numpy.linalg.norm(y - a @ w) / numpy.linalg.norm(a @ w)
        assert 0.2 * report[0]["relativeError"] < off < 2 * report[0]["relativeError"]
    with pytest.raises(webnn.TypeError, match="uint8"):
        webnn.quantizeWeights(graph, context, "uint8")
    released = webnn.MLGraphBuilder(webnn.MLContext(threads=1))
    y = released.matmul(released.input("x", dataType="float32", shape=[2, 512]),
                        released.constant(numpy.ones((512, 512), "float32"), copy=True))
    with pytest.raises(webnn.Error, match="keepConstants"):
        webnn.quantizeWeights(released.build({"y": y}), context)
