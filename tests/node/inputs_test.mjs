// The list of inputs that build() takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { ml, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
const d = { dataType: 'float32', shape: [2] };

async function difference(context, list) {
  const builder = new MLGraphBuilder(context);
  const operands = Object.fromEntries(['a', 'b', 'c'].map((n) => [n, builder.input(n, d)]));
  const y = builder.sub(operands.b, operands.a);
  const options = list && { inputs: list.map((n) => operands[n]) };
  return builder.build({ y }, options);
}

async function tensor(context, values) {
  const t = await context.createTensor({ ...d, readable: true, writable: true });
  context.writeTensor(t, new Float32Array(values));
  return t;
}

test('an input that nothing reads may be given or left out', async () => {
  const context = await ml.createContext();
  const graph = await difference(context, ['c', 'a', 'b']);
  const [a, b, c, y] = await Promise.all(
    [[1, 2], [5, 7], [0, 0], [0, 0]].map((v) => tensor(context, v)));
  for (const inputs of [{ a, b, c }, { a, b }]) {
    context.writeTensor(y, new Float32Array(2));
    context.dispatch(graph, inputs, { y });
    assert.deepEqual([...new Float32Array(await context.readTensor(y))], [4, 5]);
  }
  assert.throws(() => context.dispatch(graph, { a, c }, { y }), /input "b" is missing/);
  const other = await context.createTensor({ dataType: 'int32', shape: [2] });
  assert.throws(() => context.dispatch(graph, { a, b, c: other }, { y }), TypeError);
});

test('without a list an input that nothing reads is unknown', async () => {
  const context = await ml.createContext();
  const graph = await difference(context);
  const [a, b, c, y] = await Promise.all([0, 0, 0, 0].map(() => tensor(context, [1, 2])));
  assert.throws(() => context.dispatch(graph, { a, b, c }, { y }), TypeError);
});

test('lists that are refused', async () => {
  const context = await ml.createContext();
  await assert.rejects(difference(context, ['c', 'a']), TypeError);
  await assert.rejects(difference(context, ['b', 'a', 'a']), TypeError);
  const builder = new MLGraphBuilder(context);
  const x = builder.input('x', d);
  const y = builder.relu(x);
  await assert.rejects(builder.build({ y }, { inputs: [1] }), TypeError);
  await assert.rejects(builder.build({ y }, { inputs: [y] }), TypeError);
  assert.throws(() => builder.buildSync({ y }, { inputs: [y] }), TypeError);
  assert.ok(builder.buildSync({ y }, { inputs: [x] }));
});
