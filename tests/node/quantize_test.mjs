// MLContext.quantize()
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { ml, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
const float32 = (shape) => ({ dataType: 'float32', shape });
const context = await ml.createContext({ threads: 1, keepConstants: true });
let state = 5;
const random = (n) => Float32Array.from({ length: n }, () =>
  (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 31 - 1);

/** Two layers of x, which has so many rows. */
function network(rows = 4) {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', float32([rows, 32]));
  const w = b.constant(float32([32, 48]), random(32 * 48));
  const v = b.constant(float32([48, 40]), random(48 * 40));
  const h = b.relu(b.gemm(x, w, { label: 'first' }));
  return b.build({ y: b.gemm(h, v, { label: 'second' }) });
}
const samples = (count = 3) => Array.from({ length: count }, () => ({ x: random(128) }));

async function run(graph, values, rows = 4) {
  const x = await context.createTensor({ ...float32([rows, 32]), writable: true });
  const y = await context.createTensor({ ...float32([rows, 40]), readable: true });
  context.writeTensor(x, values);
  context.dispatch(graph, { x }, { y });
  return new Float32Array(await context.readTensor(y));
}
/** In dB, and the largest difference. */
function difference(a, b) {
  let signal = 0, noise = 0, largest = 0;
  a.forEach((v, i) => {
    signal += v * v;
    noise += (v - b[i]) ** 2;
    largest = Math.max(largest, Math.abs(v - b[i]));
  });
  return { snr: 10 * Math.log10(signal / noise), largest };
}

test('a quantized graph is near the float one, as its report says', async () => {
  const graph = await network(), runs = samples(), stages = [];
  const made = await context.quantize(graph, new Set(runs), {
    perChannel: true, progress: (...all) => stages.push(all) });
  assert.equal(made.samples, 3);
  assert.deepEqual(made.operators.map((r) => [r.name, r.kind, r.quantized]),
    [['first', 'gemm', true], ['second', 'gemm', true]]);
  for (const r of made.operators) assert.ok(r.ownSnr > 30 && r.ownSnr < 60, r.ownSnr);
  await new Promise((done) => setTimeout(done, 20));
  assert.deepEqual(new Set(stages.map((s) => s[0])), new Set(['calibration', 'measurement']));
  assert.ok(stages.every((s) => s.length === 3));
  const d = difference(await run(graph, runs[0].x), await run(made.graph, runs[0].x));
  assert.ok(d.snr > 30, d.snr);
  assert.ok(d.largest > 0 && d.largest <= made.outputs[0].maxError * 1.05);
  assert.equal(made.outputs[0].name, 'y');
  if ((await context.profile(made.graph, 1)).length && /simd/.test(made.graph.explain()))
    assert.match(made.graph.explain(), /int8 gemm/);
});

test('dynamic quantization needs no samples', async () => {
  const graph = await network();
  const made = await context.quantize(graph, undefined, { dynamic: true });
  assert.equal(made.samples, 0);
  assert.ok(Number.isNaN(made.operators[0].ownSnr));
  const x = random(128), d = difference(await run(graph, x), await run(made.graph, x));
  assert.ok(d.snr > 30 && d.largest > 0, d.snr);
  const names = made.graph.report().steps.flatMap((s) => s.operators.map((o) => o.name));
  assert.ok(names.includes('quantizeLinear') || names.includes('dynamicQuantizeLinear'), names);
});

test('operators stay in float', async () => {
  const graph = await network();
  for (const options of [{ keepFloat: ['first'] }, { worstInFloat: 1 }])
    assert.equal((await context.quantize(graph, samples(), options)).operators
      .filter((r) => r.quantized).length, 1);
  for (const calibration of ['percentile', 'entropy'])
    await context.quantize(graph, samples(), { calibration, activations: 'int8' });
});

test('samples of open dimensions have a shape', async () => {
  const graph = await network('rows');
  const sample = (rows) => ({ x: { data: random(rows * 32), shape: [rows, 32] } });
  const all = [sample(4), sample(7)], made = await context.quantize(graph, all);
  assert.equal(made.samples, 2);
  for (const { x: { data, shape: [rows] } } of all) {
    const d = difference(await run(graph, data, rows), await run(made.graph, data, rows));
    assert.ok(d.snr > 30 && d.largest > 0, d.snr);
  }
});

test('what is wrong is refused', async () => {
  const graph = await network();
  for (const [all, options, message] of [
    [[], {}, /there are no samples/],
    [[{ z: random(128) }], {}, /"z"/],
    [[{ x: random(127) }], {}, /x/],
    [[{ x: new Int32Array(128) }], {}, /x does not have elements of float32/],
    [samples(), { activations: 'float32' }, /float32/],
    [samples(), { calibration: 'mean' }, /mean/],
    [samples(), { keepFloat: ['third'] }, /third/],
    [samples(), { progress: 1 }, /progress is not a function/],
    [7, {}, /samples/],
  ])
    await assert.rejects(context.quantize(graph, all, options), (e) => {
      assert.ok(e instanceof TypeError, e);
      assert.match(e.message, message);
      return true;
    });
  await assert.rejects(context.quantize({}), /graph is not an MLGraph/);
  const other = await ml.createContext({ threads: 1 });
  const b = new MLGraphBuilder(other), x = b.input('x', float32([4, 320]));
  const dropped = await b.build({ y: b.matmul(x, b.constant(float32([320, 800]), random(256000))) });
  if (/simd/.test(dropped.explain()))
    await assert.rejects(context.quantize(dropped, [{ x: random(1280) }]),
      { name: 'InvalidStateError' });
});

test('what progress throws ends the work', async () => {
  const graph = await network(), stop = new Error('stop');
  let calls = 0;
  const work = context.quantize(graph, samples(4000), {
    progress: () => {
      ++calls;
      throw stop;
    } });
  await assert.rejects(work, (e) => e === stop);
  assert.equal(calls, 1);
});
