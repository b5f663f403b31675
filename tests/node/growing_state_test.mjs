// States that a dispatch makes longer.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { ml, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
const float32 = (shape) => ({ dataType: 'float32', shape });
const context = await ml.createContext({ threads: 2 });

/** The rows of a cache of at most 5, and their sums over all rows. */
async function decoder() {
  const b = new MLGraphBuilder(context);
  const past = b.input('past', float32([{ name: 'past', minSize: 0, maxSize: 5 }, 3]));
  const fresh = b.input('fresh', float32(['rows', 3]));
  const all = b.concat([past, fresh], 0);
  assert.equal(b.update(past, all), undefined);
  return b.build({ all, sums: b.reduceSum(all, { axes: [0] }) });
}
async function step(graph, state, values) {
  const rows = [values.length / 3, 3];
  const fresh = await context.createTensor({ ...float32(rows), writable: true });
  const sums = await context.createTensor({ ...float32([3]), readable: true });
  context.writeTensor(fresh, Float32Array.from(values));
  context.dispatch(graph, { past: state, fresh }, { all: state, sums });
  return [...new Float32Array(await context.readTensor(sums))];
}

test('each dispatch makes a state longer, up to its bound', async () => {
  const graph = await decoder();
  const state = await graph.createState('past');
  assert.equal(state.capacity, 5);
  assert.deepEqual(state.shape, [0, 3]);
  assert.deepEqual(await step(graph, state, [1, 2, 3, 4, 5, 6]), [5, 7, 9]);
  assert.deepEqual(state.shape, [2, 3]);
  assert.ok(Object.isFrozen(state.shape));
  assert.deepEqual(await step(graph, state, [10, 10, 10]), [15, 17, 19]);
  assert.deepEqual([...new Float32Array(await context.readTensor(state))],
    [1, 2, 3, 4, 5, 6, 10, 10, 10]);
  await assert.rejects(step(graph, state, new Array(9).fill(1)), TypeError);
  assert.deepEqual(state.shape, [3, 3]);
  assert.equal(state.resize(1), undefined);
  assert.deepEqual(state.shape, [1, 3]);
  assert.deepEqual(await step(graph, state, [1, 1, 1]), [2, 3, 4]);
  state.resize(0);
  assert.deepEqual(await step(graph, state, [7, 8, 9]), [7, 8, 9]);
});

test('mistakes name the state', async () => {
  const graph = await decoder();
  await assert.rejects(graph.createState('fresh'),
    (e) => e instanceof TypeError && /createState: input "fresh" .* is no state/.test(e.message));
  await assert.rejects(graph.createState('past', [6, 3]),
    (e) => e instanceof TypeError && /size \(6\) of dimension "past"/.test(e.message));
  await assert.rejects(graph.createState('past', [-1, 3]), TypeError);
  await assert.rejects(graph.createState(), TypeError);
  const state = await graph.createState('past', [4, 3]);
  assert.deepEqual(state.shape, [4, 3]);
  assert.throws(() => state.resize(6), TypeError);
  assert.throws(() => state.resize(), TypeError);
  assert.deepEqual(state.shape, [4, 3]);
  const plain = await context.createTensor(float32([2]));
  assert.equal(plain.capacity, 0);
  assert.throws(() => plain.resize(1), TypeError);
  const b = new MLGraphBuilder(context);
  const x = b.input('x', float32([2]));
  assert.throws(() => b.update(x, x), TypeError);
  assert.throws(() => b.update(x), TypeError);
});
