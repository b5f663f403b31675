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

test('states that are joined or forked', async () => {
  const b = new MLGraphBuilder(context);
  const past = b.input('past', float32(['n', { name: 'past', minSize: 0, maxSize: 9 }, 2]));
  const present = b.concat([past, b.input('fresh', float32(['n', 'new', 2]))], 1);
  b.update(past, present);
  const graph = await b.build({ present });
  const states = [];
  for (const rows of [1, 2]) {
    states.push(await graph.createState('past', [1, 0, 2]));
    states.at(-1).resize(rows);
  }
  const forks = context.forkStates(states), joined = context.joinStates(states);
  assert.deepEqual(joined.shape, [2, 2, 2]);
  const rows = await context.createTensor({ ...float32([2, 1, 2]), writable: true });
  context.writeTensor(rows, Float32Array.of(5, 6, 7, 8));
  context.dispatch(graph, { past: joined, fresh: rows }, { present: joined });
  const values = async (t) => [...new Float32Array(await context.readTensor(t))];
  assert.deepEqual(await values(states[0]), [0, 0, 5, 6]);
  assert.deepEqual(await values(states[1]), [0, 0, 0, 0, 7, 8]);
  assert.deepEqual(await values(forks[0]), [0, 0]);
  assert.deepEqual(forks[1].shape, [1, 2, 2]);
  assert.throws(() => context.joinStates([]),
    (e) => e instanceof TypeError && /there are no states/.test(e.message));
  assert.throws(() => context.joinStates([3]), TypeError);
  assert.throws(() => context.forkStates([joined]),
    (e) => e instanceof TypeError && /states\[0\] is joined/.test(e.message));
  assert.deepEqual(context.forkStates([]), []);
});

test('mistakes name the state', async () => {
  const graph = await decoder();
  await assert.rejects(graph.createState('fresh'),
    (e) => e instanceof TypeError && /createState: input "fresh" .* is not a state/.test(e.message));
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

test('the caches of a model are found by their names', async () => {
  const model = (b) => {
    const past = b.input('past_key_values.0.key', float32([2, { name: 'past', minSize: 0 }, 3]));
    const fresh = b.input('fresh', float32([2, 'new', 3]));
    return {
      inputs: new Map([['past_key_values.0.key', past], ['fresh', fresh]]),
      outputs: { 'present.0.key': b.concat([past, fresh], 1) },
    };
  };
  const b = new MLGraphBuilder(context);
  const { inputs, outputs } = model(b);
  assert.throws(() => b.updateCaches({ fresh: inputs.get('fresh') }, outputs, 4),
    (e) => e instanceof TypeError && /updateCaches: no input has "past" in its name/.test(e.message));
  assert.throws(() => b.updateCaches(inputs, outputs), TypeError);
  assert.throws(() => b.updateCaches(inputs, outputs, -1), TypeError);
  assert.throws(() => b.updateCaches(new Map([['fresh', 1]]), outputs, 4), TypeError);
  assert.throws(() => b.updateCaches(['fresh'], outputs, 4),
    (e) => e instanceof TypeError && /is not a pair of a name and an operand/.test(e.message));
  const names = b.updateCaches(inputs, outputs, 4);
  assert.deepEqual(names, [{ past: 'past_key_values.0.key', present: 'present.0.key' }]);
  const graph = await b.build(outputs);
  const state = await graph.createState(names[0].past);
  assert.deepEqual([state.shape, state.capacity], [[2, 0, 3], 4]);
  const row = await context.createTensor({ ...float32([2, 1, 3]), writable: true });
  for (let i = 1; i <= 4; ++i) {
    context.writeTensor(row, new Float32Array(6).fill(i));
    context.dispatch(graph, { 'past_key_values.0.key': state, fresh: row },
      { 'present.0.key': state });
  }
  const rows = [1, 2, 3, 4].flatMap((i) => [i, i, i]);
  assert.deepEqual([...new Float32Array(await context.readTensor(state))], [...rows, ...rows]);

  // In the other forms too, and where the dimension has a smaller bound.
  const other = new MLGraphBuilder(context);
  const again = model(other);
  assert.deepEqual(
    other.updateCaches(Object.fromEntries(again.inputs), new Map(Object.entries(again.outputs)), 9),
    names);
  assert.equal((await (await other.build(again.outputs)).createState(names[0].past)).capacity, 9);
});
