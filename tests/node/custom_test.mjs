// Custom operators: functions of JavaScript in graphs. The three of tests/support/custom_operators.h.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const { ml, MLCustomOperator, MLGraphBuilder } = await import(process.env.WEBNN_NODE);

const topK = new MLCustomOperator('test.TopK', {
  attributes: { k: 1 },
  infer([x], { k }) {
    const n = x.shape.at(-1);
    if (k < 1 || k > n) throw new RangeError(`k (${k}) is not from 1 to ${n}`);
    const shape = [...x.shape.slice(0, -1), k];
    return [{ dataType: 'float32', shape }, { dataType: 'int32', shape }];
  },
  compute([x], [values, places], { k }) {
    const n = x.shape.at(-1);
    for (let row = 0; row < x.data.length / n; ++row) {
      const from = x.data.subarray(row * n, (row + 1) * n);
      const order = [...from.keys()].sort((a, b) => from[b] - from[a] || a - b);
      for (let i = 0; i < k; ++i) {
        values.data[row * k + i] = from[order[i]];
        places.data[row * k + i] = order[i];
      }
    }
  },
});
const scaledSum = new MLCustomOperator('test.ScaledSum', {
  version: 3,
  attributes: { scale: { float: 1 }, offsets: { float: [] } },
  infer: ([x]) => [x],
  compute([x], [y], { scale, offsets }) {
    const sum = offsets.reduce((a, b) => a + b, 0);
    x.data.forEach((v, i) => { y.data[i] = v * scale + sum; });
  },
});
const counted = new MLCustomOperator('test.Counted', {
  infer([n]) {
    if (!n.data) throw new TypeError('the number of elements is not a constant');
    return [{ dataType: 'int32', shape: [n.data[0]] }];
  },
  compute: (inputs, [y]) => y.data.forEach((_, i) => { y.data[i] = i; }),
});

/** The outputs of a run by their names, as views of these types. */
async function run(context, graph, inputs, types) {
  const tensors = { in: {}, out: {} };
  for (const [name, { data, shape }] of Object.entries(inputs)) {
    const t = await context.createTensor({ dataType: 'float32', shape, writable: true });
    context.writeTensor(t, data);
    tensors.in[name] = t;
  }
  const shapes = graph.computeShapes(
    Object.fromEntries(Object.entries(inputs).map(([name, { shape }]) => [name, shape])));
  for (const [name, { dataType }] of graph.outputs)
    tensors.out[name] =
      await context.createTensor({ dataType, shape: shapes[name], readable: true });
  context.dispatch(graph, tensors.in, tensors.out);
  const results = {};
  for (const name in types)
    results[name] = Array.from(new types[name](await context.readTensor(tensors.out[name])));
  return results;
}

test('custom operators compute, between others and alone', async () => {
  assert.equal(topK.name, 'test.TopK');
  assert.equal(scaledSum.version, 3);
  const context = await ml.createContext({ threads: 2, operators: [topK, scaledSum, counted] });
  for (const rows of [2, 'rows']) {
    const b = new MLGraphBuilder(context);
    const x = b.input('x', { dataType: 'float32', shape: [rows, 4] });
    const n = b.constant({ dataType: 'uint32', shape: [] }, new Uint32Array([5]));
    const [z] = b.custom(scaledSum, [b.neg(x)], { scale: 2, offsets: [0.5, 1] });
    const [values, places] = b.custom('test.TopK', [b.relu(z)], { k: 2, label: 'best' });
    const [numbers] = b.custom(counted, [n]);
    assert.deepEqual(values.shape, [rows, 2]);
    assert.equal(places.dataType, 'int32');
    const graph = await b.build({ values, places, z, numbers });
    const data = new Float32Array([1, -2, 3, -4, 0, 0, -1, 5]);
    assert.deepEqual(
      await run(context, graph, { x: { data, shape: [2, 4] } },
                { values: Float32Array, places: Int32Array, z: Float32Array, numbers: Int32Array }),
      { values: [9.5, 5.5, 3.5, 1.5], places: [3, 1, 2, 0],
        z: [-0.5, 5.5, -4.5, 9.5, 1.5, 1.5, 3.5, -8.5], numbers: [0, 1, 2, 3, 4] });
    assert.match(graph.explain(), /test\.TopK/);
    assert.ok((await context.profile(graph, 2)).length > 0);
  }
});

test('custom operators: refusals name the operator and the label', async () => {
  const context = await ml.createContext({ threads: 1 });
  const b = new MLGraphBuilder(context);
  const x = b.input('x', { dataType: 'float32', shape: [2] });
  assert.throws(() => b.custom(topK, [x], { k: 3, label: 'best' }),
                { name: 'TypeError', message: /test\.TopK \[best\].*k \(3\) is not from 1 to 2/ });
  assert.throws(() => b.custom(topK, [x], { n: 1 }), { name: 'TypeError', message: /"n" is not one/ });
  assert.throws(() => b.custom(topK, [x], { k: 1.5 }), { name: 'TypeError', message: /not an integer/ });
  assert.throws(() => b.custom('test.TopK', [x]), { name: 'TypeError', message: /test\.TopK/ });
  assert.throws(() => b.custom({}, [x]), { name: 'TypeError', message: /MLCustomOperator/ });
  assert.throws(() => new MLCustomOperator('relu', { infer() {}, compute() {} }), TypeError);
  assert.throws(() => new MLCustomOperator('a.B', { infer() {} }), { message: /compute/ });
  assert.throws(() => MLCustomOperator('a.B', {}), TypeError);
  const wrong = (said) => () => b.custom(
    new MLCustomOperator('a.B', { infer: () => said, compute() {} }), [x]);
  for (const said of [undefined, 5, [], [{ dataType: 'float32' }], [{ dataType: 'f', shape: [1] }],
                      [{ dataType: 'float32', shape: [0] }], [{ dataType: 'float32', shape: [-1] }]])
    assert.throws(wrong(said), TypeError);
  await assert.rejects(ml.createContext({ operators: [5] }), TypeError);
  await assert.rejects(ml.createContext({ operators: [topK, topK] }), /test\.TopK/);
});

test('custom operators: what a function throws rejects the reading of its result', async () => {
  const context = await ml.createContext({ threads: 1 });
  const graphOf = async (compute) => {
    const b = new MLGraphBuilder(context);
    const x = b.input('x', { dataType: 'float32', shape: [2] });
    const o = new MLCustomOperator('test.Bad', { infer: (inputs) => inputs, compute });
    return b.build({ y: b.custom(o, [x], { label: 'here' })[0] });
  };
  const result = async (compute) =>
    run(context, await graphOf(compute), { x: { data: new Float32Array(2), shape: [2] } },
        { y: Float32Array });
  await assert.rejects(result(() => { throw new Error('no luck'); }), /no luck/);
  await assert.rejects(result(() => { throw 'no error'; }), /test\.Bad/);
  await assert.rejects(result(async () => {}), /promise/);
  await assert.rejects(result((inputs, [y]) => structuredClone(y.data, { transfer: [y.data.buffer] })),
                       /detached/);
  await assert.rejects(result(() => new MLGraphBuilder(context).constant('float32', 1)),
                       /function of a custom operator calls it/);
  assert.deepEqual(await result((inputs, [y]) => y.data.fill(7)), { y: [7, 7] });
});

test('custom operators: calls that wait make the calls of others', async () => {
  const context = ml.createContextSync({ threads: 1 });
  const b = new MLGraphBuilder(context);
  const x = b.input('x', { dataType: 'float32', shape: [2] });
  const c = b.constant({ dataType: 'float32', shape: [2] }, new Float32Array([1, 2]));
  let runs = 0;
  const o = new MLCustomOperator('test.Twice', {
    infer: (inputs) => inputs,
    compute([v], [y]) {
      ++runs;
      v.data.forEach((e, i) => { y.data[i] = 2 * e; });
    },
  });
  const graph = b.buildSync({ y: b.add(b.custom(o, [x])[0], b.custom(o, [c])[0]) });
  assert.equal(runs, 1);  // on the constant
  const y = new Float32Array(2);
  context.computeSync(graph, { x: new Float32Array([10, 20]) }, { y });
  assert.deepEqual([...y], [22, 44]);
  assert.equal(runs, 2);
});

test('custom operators: a worker may be terminated while one waits for it', async () => {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    (async () => {
      const { ml, MLCustomOperator, MLGraphBuilder } = await import(workerData);
      const context = await ml.createContext({ threads: 1 });
      const b = new MLGraphBuilder(context);
      const d = { dataType: 'float32', shape: [4] };
      const o = new MLCustomOperator('test.Busy', {
        infer: (inputs) => inputs,
        compute() {
          parentPort.postMessage('runs');
          for (;;);
        },
      });
      const graph = await b.build({ y: b.custom(o, [b.input('x', d)])[0] });
      const x = await context.createTensor({ ...d, writable: true });
      const y = await context.createTensor({ ...d, readable: true });
      for (let i = 0; i < 3; ++i) context.dispatch(graph, { x }, { y });
      await context.readTensor(y);
    })();
  `;
  const worker = new Worker(code, { eval: true, workerData: process.env.WEBNN_NODE });
  await new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', resolve);
  });
  await worker.terminate();
});

test('custom operators are collected with their functions', async () => {
  let freed = 0;
  const registry = new FinalizationRegistry(() => { ++freed; });
  const count = 100;
  for (let i = 0; i < count; ++i) {
    const infer = (inputs) => inputs;
    registry.register(infer, i);
    new MLCustomOperator('test.Short', { infer, compute() {} });
  }
  for (let i = 0; i < 50 && freed < count / 2; ++i) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.ok(freed >= count / 2, `${freed} of ${count}`);
});
