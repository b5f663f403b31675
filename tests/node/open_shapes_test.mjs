// Graphs whose inputs have dimensions with names: each run chooses their sizes.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { ml, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
const float32 = (shape) => ({ dataType: 'float32', shape });
const context = await ml.createContext({ threads: 2 });
const fails = (f, message) => assert.throws(f, (e) => {
  assert.ok(e instanceof TypeError, e);
  if (message instanceof RegExp) assert.match(e.message, message);
  else assert.equal(e.message, message);
  return true;
});
const numbers = (n) => Float32Array.from({ length: n }, (_, i) => (i % 17) * 0.25 - 2);
const count = (shape) => shape.reduce((a, b) => a * b, 1);

/** softmax(x * w) with x of that shape, whose last dimension is 8. */
function product(shape) {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', float32(shape));
  const w = b.constant(float32([8, 5]), numbers(40));
  return b.build({ y: b.softmax(b.matmul(x, w, { label: 'product' }), 2) });
}

/** The values of an output y for an input x. */
async function run(graph, shape, result, values = numbers(count(shape)), dataType = 'float32') {
  const x = await context.createTensor({ ...float32(shape), writable: true });
  const y = await context.createTensor({ dataType, shape: result, readable: true });
  context.writeTensor(x, values);
  context.dispatch(graph, { x }, { y });
  const read = await context.readTensor(y);
  return dataType === 'float32' ? new Float32Array(read) : new Uint32Array(read);
}

test('each run has the bits of the static graph', async () => {
  const graph = await product(['batch', 'sequence', 8]);
  for (const [batch, sequence] of [[1, 1], [2, 37], [3, 5], [2, 37]]) {
    const shape = [batch, sequence, 8], result = [batch, sequence, 5];
    const expected = await run(await product(shape), shape, result);
    assert.deepEqual(await run(graph, shape, result), expected);
    assert.deepEqual(graph.computeShapes({ x: shape }), { y: result });
    const prepared = await graph.prepare({ x: new Set(shape).size === 3 ? new Set(shape) : shape });
    assert.deepEqual(prepared.inputs.get('x'), float32(shape));
    assert.deepEqual(await run(prepared, shape, result), expected);
  }
});

test('shapes have names', async () => {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', float32(['batch', 1, { name: 'n', minSize: 2, maxSize: 5 }]));
  assert.deepEqual(x.shape, ['batch', 1, 'n']);
  assert.equal(x.shape, x.shape);
  assert.ok(Object.isFrozen(x.shape));
  assert.equal(b.squeeze(x).shape, null);
  assert.deepEqual(b.squeeze(x, { axes: [1] }).shape, ['batch', 'n']);
  assert.equal(typeof b.concat([x, x], 2).shape[2], 'string');
  const graph = await b.build({ y: b.relu(x) });
  assert.deepEqual([...graph.inputs], [['x', float32(['batch', 1, 'n'])]]);
  assert.deepEqual([...graph.outputs], [['y', float32(['batch', 1, 'n'])]]);
  assert.deepEqual(graph.computeShapes({ x: [1, 1, 5] }), { y: [1, 1, 5] });
  for (const n of [1, 6])
    fails(() => graph.computeShapes({ x: [1, 1, n] }),
          `computeShapes: the size (${n}) of dimension "n" is not between 2 and 5.`);
  graph.destroy();
  assert.deepEqual(graph.inputs.get('x').shape, [0, 1, 0]);
});

test('dimensions are sizes, names and objects', () => {
  const b = new MLGraphBuilder(context);
  const refused = (item, message) => fails(() => b.input('x', float32([2, item])), message);
  refused(null, 'input: shape[1] (null) is neither a size nor a name.');
  refused(undefined, 'input: shape[1] (undefined) is neither a size nor a name.');
  refused(true, 'input: shape[1] (true) is neither a size nor a name.');
  refused({}, 'input: shape[1] is an object that has no name.');
  refused([3], 'input: shape[1] is an object that has no name.');
  refused('', /the name of dimension 1 is empty/);
  refused(-1, /shape\[1\] \(-1\) is not between 0 and 4294967295/);
  refused({ name: 'n', maxSize: -1 }, /maxSize \(-1\) is not between/);
  refused({ name: 'n', minSize: 5, maxSize: 4 }, /the bounds of dimension 1 \("n"\), 5 and 4/);
  const error = new RangeError('mine');
  assert.throws(() => b.input('x', float32([{ get name() { throw error; } }])), (e) => e === error);
  fails(() => b.constant(float32(['n']), new Float32Array(1)), /shape\[0\] \("n"\) is not between/);
  assert.deepEqual(b.input('x', float32(['2', 2])).shape, ['2', 2]);
});

test('names are constraints', async () => {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', float32(['n', 4])), y = b.input('y', float32([4, 'n']));
  const graph = await b.build({ z: b.matmul(x, y) });
  assert.deepEqual(graph.computeShapes({ x: [3, 4], y: [4, 3] }), { z: [3, 3] });
  fails(() => graph.computeShapes({ x: [3, 4], y: [4, 5] }),
        'computeShapes: the size (5) of dimension "n" of input "y" is not that of input "x" (3).');
  fails(() => graph.computeShapes({}), 'computeShapes: input "x", float32 [n, 4], is missing.');
  fails(() => graph.computeShapes({ q: [3, 4] }), /^computeShapes: no input named "q"; the graph has "x"/);
  fails(() => graph.computeShapes(), /1 arguments required/);
  await assert.rejects(graph.prepare({ x: [3] }), (e) => e instanceof TypeError && e.message ===
    'prepare: the shape ([3]) of input "x" is not float32 [n, 4].');
});

test('a run says which operator does not take its sizes', async () => {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', float32([1, 1, 'height', 8]));
  const down = b.maxPool2d(x, { windowDimensions: [2, 2], strides: [2, 2] });
  const up = b.resample2d(down, { scales: [2, 2] });
  const graph = await b.build({ y: b.concat([x, up], 1, { label: 'neck' }) });
  const reason = 'concat [neck]: dimension 2 (6) of inputs[1] differs from that of inputs[0] (7), ' +
    'with height = 7.';
  fails(() => graph.computeShapes({ x: [1, 1, 7, 8] }), 'computeShapes: ' + reason);
  await assert.rejects(run(graph, [1, 1, 7, 8], [1, 2, 7, 8]),
                       (e) => e instanceof TypeError && e.message === 'dispatch: ' + reason);
  assert.deepEqual(graph.computeShapes({ x: [1, 1, 8, 8] }), { y: [1, 2, 8, 8] });
});

test('operators on shapes', async () => {
  const integers = (b, ...v) => b.constant({ dataType: 'uint32', shape: [v.length] }, Uint32Array.from(v));
  // name: [the operator, the shape of its result, its values, where they are not those of x]
  const all = {
    shape: [(b, x) => b.identity(b.shape(x)), () => [4], (n) => [2, 1, n, 6]],
    rank: [(b, x) => b.identity(b.rank(x)), () => [], () => [4]],
    dimension: [(b, x) => b.identity(b.dimension(x, 2)), () => [], (n) => [n]],
    range: [(b, x) => b.range(b.constant('uint32', 0), b.dimension(x, 2), b.constant('uint32', 1)),
            (n) => [n], (n) => [...Array(n).keys()]],
    squeeze: [(b, x) => b.squeeze(x), (n) => [2, n, 6]],
    unsqueeze: [(b, x) => b.unsqueeze(x, [0]), (n) => [1, 2, 1, n, 6]],
    reshapeTo2d: [(b, x) => b.reshapeTo2d(x, { axis: 3 }), (n) => [2 * n, 6]],
    reshapeDynamic: [(b, x) => b.reshapeDynamic(b.reshapeTo2d(x), b.shape(b.squeeze(x, { axes: [1] }))),
                     (n) => [2, n, 6]],
    expandDynamic: [(b, x) => b.expandDynamic(x, b.shape(x)), (n) => [2, 1, n, 6]],
    tileDynamic: [(b, x) => b.tileDynamic(x, integers(b, 1, 1, 1, 1)), (n) => [2, 1, n, 6]],
    sliceDynamic: [(b, x) => b.sliceDynamic(x, integers(b, 0, 0, 0, 0), b.shape(x)), (n) => [2, 1, n, 6]],
    padDynamic: [(b, x) => b.padDynamic(x, integers(b, 0, 0, 0, 0), integers(b, 0, 0, 0, 0), { value: 3 }),
                 (n) => [2, 1, n, 6]],
    resample2dDynamic: [(b, x) => b.resample2dDynamic(
      x, { sizes: b.concat([b.reshape(b.dimension(x, 2), [1]), integers(b, 6)], 0) }), (n) => [2, 1, n, 6]],
    splitDynamic: [(b, x) => b.concat(b.splitDynamic(x, integers(b, 2, 4), { axis: 3 }), 3),
                   (n) => [2, 1, n, 6]],
  };
  for (const [name, [operator, shape, values]] of Object.entries(all)) {
    const b = new MLGraphBuilder(context);
    const x = b.input('x', float32(['batch', 1, 'n', 6]));
    const graph = await b.build({ y: b.identity(operator(b, x)) , z: b.relu(x) });
    for (const n of [3, 5]) {
      const from = [2, 1, n, 6];
      assert.deepEqual(graph.computeShapes({ x: from }).y, shape(n), name);
      const given = await context.createTensor({ ...float32(from), writable: true });
      const y = await context.createTensor(
        { dataType: values ? 'uint32' : 'float32', shape: shape(n), readable: true });
      const z = await context.createTensor(float32(from));
      context.writeTensor(given, numbers(count(from)));
      context.dispatch(graph, { x: given }, { y, z });
      const read = await context.readTensor(y);
      assert.deepEqual([...(values ? new Uint32Array(read) : new Float32Array(read))],
                       values ? values(n) : [...numbers(count(from))], name);
    }
  }
  const b = new MLGraphBuilder(context);
  const x = b.input('x', float32(['n'])), shape = b.input('shape', { dataType: 'uint32', shape: [2] });
  fails(() => b.reshapeDynamic(x, shape, { label: 'free' }), /^reshapeDynamic \[free\]: newShape /);
});

test('views of the 2023 draft say one open size', async () => {
  const older = await ml.createContext();
  const b = new MLGraphBuilder(older);
  const graph = await b.build({ y: b.relu(b.input('x', float32([2, 'n']))) });
  const y = new Float32Array(6);
  older.computeSync(graph, { x: new Float32Array(6).fill(2) }, { y });
  assert.deepEqual([...y], Array(6).fill(2));
  fails(() => older.computeSync(graph, { x: new Float32Array(5) }, { y }),
        /^compute: the byte length \(20\) of input "x" does not fit float32 \[2, n\] with any size of "n"\.$/);
});
