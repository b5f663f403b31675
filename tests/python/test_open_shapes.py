"""Graphs whose sizes each call chooses."""

import threading

import numpy
import pytest

import webnn

SIZES = [(1, 1), (2, 7), (4, 16), (2, 7)]


def product(context, shape):
    """softmax(x * w) with x of that shape, whose last dimension is 8."""
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", "float32", shape)
    w = b.constant((numpy.arange(40) % 17 * 0.25 - 2).astype("float32").reshape(8, 5))
    return b.build({"y": b.softmax(b.matmul(x, w, label="product"), 2)})


def message(f, *args, **options):
    with pytest.raises(webnn.TypeError) as caught:
        f(*args, **options)
    return str(caught.value)


def test_each_call_equals_the_static_graph(context, random):
    graph = product(context, ["batch", "sequence", 8])
    for batch, sequence in SIZES:
        x = random.standard_normal((batch, sequence, 8)).astype("float32")
        expected = context.compute(product(context, x.shape), {"x": x})["y"]
        y = context.compute(graph, {"x": x})["y"]
        assert y.shape == (batch, sequence, 5) and (y == expected).all()
        given = numpy.empty_like(y)
        context.compute(graph, {"x": x}, {"y": given})
        assert (given == expected).all()
        assert (context.compute(graph, {"x": x.transpose(2, 0, 1).copy().transpose(1, 2, 0)})["y"]
                == expected).all()  # not contiguous
        assert graph.computeShapes({"x": x.shape}) == {"y": y.shape}
        prepared = graph.prepare({"x": x.shape})
        assert prepared.inputs["x"]["shape"] == x.shape
        assert (context.compute(prepared, {"x": x})["y"] == expected).all()


def test_tensors_have_their_shapes(context, random):
    graph = product(context, ["batch", "sequence", 8])
    x = random.standard_normal((2, 3, 8)).astype("float32")
    a = context.createTensor(dataType="float32", shape=x.shape, writable=True)
    b = context.createTensor(dataType="float32", shape=(2, 3, 5), readable=True)
    context.writeTensor(a, x)
    context.dispatch(graph, {"x": a}, {"y": b})
    assert (context.readTensor(b) == context.compute(graph, {"x": x})["y"]).all()


def test_shapes_have_names(context):
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", {"dataType": "float32", "shape": ["batch", 3, webnn.Dimension("n", 2, 9)]})
    assert x.shape == ("batch", 3, "n") and repr(x) == "MLOperand(float32 [batch, 3, n])"
    any_rank = b.squeeze(x)
    assert any_rank.shape is None and repr(any_rank) == "MLOperand(float32 of any shape)"
    y = b.relu(x)
    assert y.shape == ("batch", 3, "n")
    static = b.input("static", dataType="float32", shape=[2, 3])
    assert static.shape == (2, 3)
    graph = b.build({"y": y})
    assert graph.inputs == {"x": {"dataType": "float32", "shape": ("batch", 3, "n")}}
    assert graph.outputs == {"y": {"dataType": "float32", "shape": ("batch", 3, "n")}}
    graph.destroy()
    assert graph.inputs["x"]["shape"] == (0, 3, 0)


def test_names_are_constraints(context):
    b = webnn.MLGraphBuilder(context)
    x, y = b.input("x", "float32", ["n", 4]), b.input("y", "float32", [4, "n"])
    graph = b.build({"z": b.matmul(x, y)})
    ones = lambda *shape: numpy.ones(shape, "float32")
    assert (context.compute(graph, {"x": ones(3, 4), "y": ones(4, 3)})["z"] == 4).all()
    assert message(context.compute, graph, {"x": ones(3, 4), "y": ones(4, 5)}) == (
        'compute: the size (5) of dimension "n" of input "y" is not that of input "x" (3).')
    assert message(context.compute, graph, {"x": ones(3, 4)}) == 'compute: input "y" is missing.'
    assert message(graph.computeShapes, {"q": [3, 4]}) == (
        'computeShapes: no input named "q"; the graph has "x" float32 [n, 4], "y" float32 [4, n].')


def test_refusals(context):
    graph = product(context, ["batch", "sequence", 8])
    assert message(context.compute, graph, {"x": numpy.zeros((2, 3, 7), "float32")}) == (
        'compute: the shape ([2, 3, 7]) of input "x" is not float32 [batch, sequence, 8].')
    assert message(context.compute, graph, {"x": numpy.zeros((2, 3, 8))}) == (
        'compute: x has elements of another type (float64) than float32; astype("float32") converts '
        'them.')
    assert message(context.compute, graph, {"x": bytes(64)}) == (
        "compute: x is bytes, whose number does not determine the sizes of several dimensions: give an "
        "array that has a shape.")
    x = numpy.zeros((2, 3, 8), "float32")
    assert message(context.compute, graph, {"x": x}, {"y": numpy.zeros((2, 4, 5), "float32")}) == (
        "compute: y has the shape [2, 4, 5], which is not [2, 3, 5].")
    assert message(graph.prepare, {}) == (
        'prepare: input "x", float32 [batch, sequence, 8], is missing.')
    one = product(context, [2, "sequence", 8])
    assert context.compute(one, {"x": bytes(2 * 3 * 8 * 4)})["y"].shape == (2, 3, 5)
    assert message(context.compute, one, {"x": bytes(17)}) == (
        "compute: x is 17 bytes, which are not those of float32 [2, 0, 8] with any size in place of "
        "0.")
    b = webnn.MLGraphBuilder(context)
    for shape, reason in [
            ([None], "has an item (NoneType) that is neither a size nor a name nor a tuple (name, "
                     "minSize, maxSize)"),
            ([("n", 1, 2, 3)], "has an item (tuple) that is neither"),
            ([(1, 2)], "has an item (tuple) that is neither"),
            ([-1], "has an item (-1) out of range"),
            ("abc", "has a str for its shape, not a list"),
            ([""], "the name of dimension 0 is empty"),
            ([("n", 5, 4)], 'the bounds of dimension 0 ("n"), 5 and 4, are not between')]:
        assert reason in message(b.input, "x", "float32", shape)


def test_a_call_says_which_operator_does_not_take_its_sizes(context):
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", "float32", [1, 1, "height", 8])
    down = b.maxPool2d(x, windowDimensions=[2, 2], strides=[2, 2])
    graph = b.build({"y": b.concat([x, b.resample2d(down, scales=[2, 2])], 1, label="neck")})
    image = lambda height: {"x": numpy.ones((1, 1, height, 8), "float32")}
    assert context.compute(graph, image(6))["y"].shape == (1, 2, 6, 8)
    assert message(context.compute, graph, image(7)) == (
        "compute: concat [neck]: dimension 2 (6) of inputs[1] differs from that of inputs[0] (7), "
        "with height = 7.")
    assert context.compute(graph, image(8))["y"].shape == (1, 2, 8, 8)


def test_bounds(context):
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", "float32", [webnn.Dimension("n", minSize=2, maxSize=5)])
    graph = b.build({"y": b.relu(x)})
    for n in (2, 5):
        assert (context.compute(graph, {"x": numpy.ones(n, "float32")})["y"] == 1).all()
    for n in (1, 6):
        assert message(context.compute, graph, {"x": numpy.ones(n, "float32")}) == (
            f'compute: the size ({n}) of dimension "n" is not between 2 and 5.')


def test_operators_on_shapes(context, random):
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", "float32", ["batch", 1, "n", 6])
    integers = lambda *v: b.constant(numpy.array(v, "uint32"))
    count, one = b.dimension(x, 2), b.constant("uint32", 1)
    squeezed = b.squeeze(x, axes=[1])
    rows = b.reshape(count, [1])
    first = b.concat([integers(1), integers(1), rows, integers(2)], 0)
    outputs = {
        "shape": b.identity(b.shape(x)),
        "rank": b.identity(b.rank(x)),
        "dimension": b.identity(count),
        "range": b.range(b.constant("uint32", 0), count, one),
        "squeeze": squeezed,
        "unsqueeze": b.unsqueeze(squeezed, [0]),
        "reshapeTo2d": b.reshapeTo2d(x, axis=2),
        "reshapeDynamic": b.reshapeDynamic(b.reshapeTo2d(x), b.shape(squeezed)),
        "expandDynamic": b.expandDynamic(b.constant("float32", 7), b.shape(squeezed)),
        "tileDynamic": b.tileDynamic(x, b.concat([integers(1, 2, 1), integers(1)], 0)),
        "sliceDynamic": b.sliceDynamic(x, integers(0, 0, 0, 1), first),
        "padDynamic": b.padDynamic(x, integers(0, 0, 1, 0), integers(0, 0, 2, 0), value=3),
        "resample2dDynamic": b.resample2dDynamic(x, sizes=b.concat([rows, integers(6)], 0)),
    }
    outputs["splits"], outputs["rest"] = b.splitDynamic(x, integers(2, 4), axis=3)
    graph = b.build(outputs)
    for batch, n in [(1, 3), (2, 5), (3, 4)]:
        v = random.standard_normal((batch, 1, n, 6)).astype("float32")
        y = context.compute(graph, {"x": v})
        expected = {
            "shape": numpy.array(v.shape, "uint32"),
            "rank": numpy.uint32(4),
            "dimension": numpy.uint32(n),
            "range": numpy.arange(n, dtype="uint32"),
            "squeeze": v[:, 0],
            "unsqueeze": v[None, :, 0],
            "reshapeTo2d": v.reshape(batch, n * 6),
            "reshapeDynamic": v[:, 0],
            "expandDynamic": numpy.full((batch, n, 6), 7, "float32"),
            "tileDynamic": numpy.tile(v, (1, 2, 1, 1)),
            "sliceDynamic": v[:1, :1, :n, 1:3],
            "padDynamic": numpy.pad(v, ((0, 0), (0, 0), (1, 2), (0, 0)), constant_values=3),
            "resample2dDynamic": v,
            "splits": v[..., :2],
            "rest": v[..., 2:],
        }
        assert y.keys() == expected.keys()
        for name, value in expected.items():
            assert y[name].dtype == value.dtype, name
            assert y[name].shape == value.shape and (y[name] == value).all(), name


def test_a_shape_from_values_is_refused(context):
    b = webnn.MLGraphBuilder(context)
    x, shape = b.input("x", "float32", ["n"]), b.input("shape", "uint32", [2])
    assert "newShape" in message(b.reshapeDynamic, x, shape, label="free")


def test_an_empty_cache(context):
    b = webnn.MLGraphBuilder(context)
    past = b.input("past", "float32", [webnn.Dimension("past", minSize=0, maxSize=64), 4])
    row = b.input("row", "float32", [1, 4])
    graph = b.build({"present": b.concat([b.relu(past), row], 0)})
    cache = numpy.empty((0, 4), "float32")
    for step in range(4):
        fresh = numpy.full((1, 4), step, "float32")
        cache = context.compute(graph, {"past": cache, "row": fresh})["present"]
    assert (cache == numpy.arange(4)[:, None]).all()


def test_many_sizes_from_many_threads(random):
    context = webnn.MLContext(threads=2)
    graph = product(context, ["batch", "sequence", 8])
    values = random.standard_normal((1, 40, 8)).astype("float32")
    expected = context.compute(product(context, values.shape), {"x": values})["y"]
    wrong = []

    def work(step):
        for i in range(25):
            n = 1 + i * step % 40
            y = context.compute(graph, {"x": values[:, :n]})["y"]
            if y.shape != (1, n, 5) or not numpy.allclose(y, expected[:, :n], rtol=1e-5, atol=0):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(step,)) for step in (5, 7) * 4]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_a_state_that_grows(context):
    b = webnn.MLGraphBuilder(context)
    past = b.input("past", "float32", [2, webnn.Dimension("past", minSize=0, maxSize=5), 3])
    fresh = b.input("fresh", "float32", [2, "new", 3])
    present = b.concat([past, fresh], 1)
    b.update(past, present)
    graph = b.build({"present": present})
    state = graph.createState("past")
    assert state.shape == (2, 0, 3) and state.capacity == 5
    assert context.readTensor(state).shape == (2, 0, 3)

    def append(rows):
        t = context.createTensor(dataType="float32", shape=rows.shape, writable=True)
        context.writeTensor(t, rows)
        context.dispatch(graph, {"past": state, "fresh": t}, {"present": state})

    parts = [numpy.full((2, n, 3), n, "float32") for n in (3, 1, 1)]
    for i, rows in enumerate(parts):
        append(rows)
        numpy.testing.assert_array_equal(
            context.readTensor(state), numpy.concatenate(parts[:i + 1], 1))
    assert message(append, parts[1]) == (
        'dispatch: the size (6) of dimension 1 of output "present" is beyond the bound of its '
        "state (5).")
    state.resize(2)
    append(parts[1])
    numpy.testing.assert_array_equal(
        context.readTensor(state), numpy.concatenate([parts[0][:, :2], parts[1]], 1))
    assert graph.createState("past", [2, 4, 3]).shape == (2, 4, 3)
    assert message(graph.createState, "past", [2, 6, 3]) == (
        'createState: the size (6) of dimension "past" of input "past" is not between 0 and 5.')
    assert message(graph.createState, "fresh") == (
        'createState: input "fresh" of the graph is not a state: update() declares one.')
    assert message(context.createTensor(dataType="float32", shape=[1]).resize, 1) == (
        "resizeState: the tensor is not a state that grows.")


def test_states_that_are_joined_or_forked(context):
    b = webnn.MLGraphBuilder(context)
    past = b.input("past", "float32", ["n", webnn.Dimension("past", minSize=0, maxSize=9), 2])
    fresh = b.input("fresh", "float32", ["n", "new", 2])
    present = b.concat([past, fresh], 1)
    b.update(past, present)
    graph = b.build({"present": present})
    states = [graph.createState("past", [1, 0, 2]) for _ in range(2)]
    for i, state in enumerate(states):
        state.resize(i + 1)
    forks = webnn.forkStates(states)
    joined = webnn.joinStates(iter(states))
    assert joined.shape == (2, 2, 2) and [f.shape[1] for f in forks] == [1, 2]
    row = numpy.arange(5, 9, dtype="float32").reshape(2, 1, 2)
    rows = context.createTensor(dataType="float32", shape=row.shape, writable=True)
    context.writeTensor(rows, row)
    context.dispatch(graph, {"past": joined, "fresh": rows}, {"present": joined})
    for i, state in enumerate(states):
        expected = numpy.concatenate([numpy.zeros((1, i + 1, 2), "float32"), row[i:i + 1]], 1)
        numpy.testing.assert_array_equal(context.readTensor(state), expected)
        assert not context.readTensor(forks[i]).any() and forks[i].shape[1] == i + 1
    assert message(webnn.joinStates, []) == "joinStates: there are no states."
    assert message(webnn.joinStates, [3]) == (
        "joinStates: states has an item that is not an MLTensor.")
    assert message(webnn.joinStates, 3) == "joinStates: states is not a list of MLTensor."
    assert message(webnn.forkStates, [joined]) == "forkStates: states[0] is joined."
    assert webnn.forkStates([]) == []


def test_caches_of_a_model(context):
    b = webnn.MLGraphBuilder(context)
    past = b.input("past_key_values.0.key", "float32",
                   [2, webnn.Dimension("past", minSize=0), 3])
    fresh = b.input("fresh", "float32", [2, "new", 3])
    inputs = {"past_key_values.0.key": past, "fresh": fresh}
    outputs = {"present.0.key": b.concat([past, fresh], 1)}
    assert message(b.updateCaches, {"fresh": fresh}, outputs, 4) == (
        'updateCaches: no input has "past" in its name where an output has "present": the inputs '
        'are "fresh", the outputs "present.0.key".')
    assert b.updateCaches(inputs, outputs, 4) == [("past_key_values.0.key", "present.0.key")]
    graph = b.build(outputs)
    state = graph.createState("past_key_values.0.key")
    assert state.shape == (2, 0, 3) and state.capacity == 4
    row = context.createTensor(dataType="float32", shape=[2, 1, 3], writable=True)
    rows = numpy.arange(24, dtype="float32").reshape(2, 4, 3)
    for i in range(4):
        context.writeTensor(row, numpy.ascontiguousarray(rows[:, i:i + 1]))
        context.dispatch(graph, {"past_key_values.0.key": state, "fresh": row},
                         {"present.0.key": state})
    numpy.testing.assert_array_equal(context.readTensor(state), rows)
