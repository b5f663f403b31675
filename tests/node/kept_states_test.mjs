// States that a graph keeps between its runs.
import assert from 'node:assert/strict';
import test from 'node:test';

const { ml, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
const pair = { dataType: 'float32', shape: [2] };
const context = await ml.createContext({ threads: 2 });

async function sum(first) {
  const b = new MLGraphBuilder(context);
  const before = b.input('sum', pair), next = b.add(before, b.input('x', pair));
  assert.equal(b.keepState(before, next, first), undefined);
  return b.build({ next, y: b.neg(next) });
}
const run = async (graph, x) => {
  const { outputs } = await context.compute(graph, { x: Float32Array.from(x) }, { y: new Float32Array(2) });
  return [...outputs.y];
};

test('runs follow one another', async () => {
  const graph = await sum();
  assert.deepEqual(await run(graph, [1, 2]), [-1, -2]);
  assert.deepEqual(await run(graph, [1, 2]), [-2, -4]);
  assert.equal(graph.resetStates(), undefined);
  assert.deepEqual(await run(graph, [1, 2]), [-1, -2]);
  const x = await context.createTensor({ ...pair, writable: true }), y = await context.createTensor({ ...pair, readable: true });
  context.writeTensor(x, Float32Array.of(10, 20));
  context.dispatch(graph, { x }, { y });
  assert.deepEqual([...new Float32Array(await context.readTensor(y))], [-11, -22]);
});

test('a state has a first value', async () => {
  const graph = await sum(Float32Array.of(5, 6));
  assert.deepEqual(await run(graph, [1, 1]), [-6, -7]);
  await assert.rejects(sum(Float32Array.of(5)), TypeError);
});
