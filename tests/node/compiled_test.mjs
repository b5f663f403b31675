// Compiled graphs in files: context.loadGraph() and graph.save(), which are extensions.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const { ml, MLContext, MLGraph, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'webnn-compiled-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
const file = (name) => path.join(folder, name);
const named = (name, message = /^/) => (e) =>
  e instanceof DOMException && e.name === name && message.test(e.message);

const rows = 4, inner = 160, columns = 192;  // weights of more than 64 KiB
const xDesc = { dataType: 'float32', shape: [rows, inner] };
const yDesc = { dataType: 'float32', shape: [rows, columns] };

async function product(context) {
  const b = new MLGraphBuilder(context);
  const w = Float32Array.from({ length: inner * columns }, (_, i) => (i * 37 % 101 - 50) / 50);
  const x = b.input('x', xDesc);
  const wDesc = { dataType: 'float32', shape: [inner, columns] };
  return b.build({ y: b.relu(b.matmul(x, b.constant(wDesc, w), { label: 'product' })) });
}
async function run(context, graph) {
  const x = await context.createTensor({ ...xDesc, writable: true });
  const y = await context.createTensor({ ...yDesc, readable: true });
  context.writeTensor(x, Float32Array.from({ length: rows * inner }, (_, i) => (i % 7 - 3) / 3));
  context.dispatch(graph, { x }, { y });
  return Buffer.from(await context.readTensor(y));
}
function flip(name, at) {
  const bytes = fs.readFileSync(file(name));
  bytes[at < 0 ? bytes.length + at : at] ^= 1;
  fs.writeFileSync(file(name), bytes);
}

const context = await ml.createContext();
const graph = await product(context);
const built = await graph.save(file('probe.webnnc')).then(() => true, (e) => {
  assert.ok(named('NotSupportedError', /the addon was built without compiled graphs/)(e), e);
  return false;
});
const options = { skip: !built && 'built without compiled graphs' };

test('without compiled graphs both reject', { skip: built && 'built with them' }, () =>
  assert.rejects(context.loadGraph(file('net.webnnc')),
                 named('NotSupportedError', /^load \[.*\]: the addon was built without compiled/)));

test('a graph that is loaded has the results of the one that was saved', options, async () => {
  const expected = await run(context, graph);
  assert.equal(await graph.save(file('net.webnnc')), undefined);
  for (const how of [undefined, {}, { verify: 'small' }, { verify: 'full' }]) {
    const loaded = await context.loadGraph(file('net.webnnc'), how);
    assert.ok(loaded instanceof MLGraph);
    assert.deepEqual(await run(context, loaded), expected);
    assert.ok(loaded.explain().includes('product'));
    assert.deepEqual(loaded.report().steps.map(({ kernel }) => kernel),
                     graph.report().steps.map(({ kernel }) => kernel));
  }
  // Another context, and a file that is replaced while graphs of it run.
  const other = await ml.createContext();
  const loaded = await other.loadGraph(file('net.webnnc'));
  await loaded.save(file('net.webnnc'));
  assert.deepEqual(await run(other, loaded), expected);
  const many = Array.from({ length: 20 }, async () => {
    const one = await context.loadGraph(file('net.webnnc'));
    await one.save(file('net.webnnc'));
    return run(context, one);
  });
  for (const y of await Promise.all(many)) assert.deepEqual(y, expected);
});

test('a graph is saved when nothing else refers to its context', options, async () => {
  const alone = await product(await ml.createContext());
  for (let i = 0; i < 5; ++i) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await alone.save(file('alone.webnnc'));
  assert.deepEqual(await run(context, await context.loadGraph(file('alone.webnnc'))),
                   await run(context, graph));
});

test('keepConstants keeps what kernels are made from again', options, async () => {
  // A quantized product, whose kernel on integers reads its int8 weights when it is loaded.
  const quantized = (c) => {
    const b = new MLGraphBuilder(c);
    const scale = b.constant({ dataType: 'float32', shape: [1, 1] }, new Float32Array([0.5]));
    const zero = b.constant({ dataType: 'int8', shape: [1, 1] }, new Int8Array(1));
    const weights = Int8Array.from({ length: 256 * 512 }, (_, i) => i % 251 - 125);
    const w = b.constant({ dataType: 'int8', shape: [256, 512] }, weights);
    const x = b.input('x', { dataType: 'int8', shape: [4, 256] });
    const y = b.gemm(b.dequantizeLinear(x, scale, zero), b.dequantizeLinear(w, scale, zero));
    return b.build({ y: b.quantizeLinear(y, scale, zero) });
  };
  const keeps = await ml.createContext({ keepConstants: true });
  await (await quantized(keeps)).save(file('quantized.webnnc'));
  assert.ok(await keeps.loadGraph(file('quantized.webnnc'), { verify: 'full' }));
});

test('what cannot be saved or loaded', options, async () => {
  await graph.save(file('bad.webnnc'));
  const type = (promise, message) =>
    assert.rejects(promise, (e) => e instanceof TypeError && message.test(e.message));
  await type(graph.save(), /^save: 1 arguments required, but only 0 present\.$/);
  await type(context.loadGraph(), /^loadGraph: 1 arguments required, but only 0 present\.$/);
  for (const [bad, shown] of [[null, 'null'], [undefined, 'undefined'], [7, '7'], [{}, 'an object']]) {
    await type(graph.save(bad), new RegExp(`^save: path \\(${shown}\\) is not a string\\.$`));
    await type(context.loadGraph(bad), new RegExp(`^loadGraph: path \\(${shown}\\) is not a string\\.$`));
  }
  await type(graph.save(''), /^save: path is empty\.$/);
  await type(graph.save(file('a\0b')), /^save: path \(.*\) has a zero byte, which no file name has\.$/);
  assert.ok(!fs.existsSync('null') && !fs.existsSync(file('a')));
  await type(context.loadGraph(file('bad.webnnc'), { verify: 'most' }), /^loadGraph: verify.*most/);
  await type(context.loadGraph(file('bad.webnnc'), 7), /^loadGraph: options/);
  await type(MLContext.prototype.loadGraph.call(graph, 'x'), /Illegal invocation: not an MLContext/);
  await type(MLGraph.prototype.save.call(context, 'x'), /Illegal invocation: not an MLGraph/);
  await assert.rejects(graph.save(file('none/net.webnnc')), named('OperationError', /^save \[.*none/));
  await assert.rejects(context.loadGraph(file('none.webnnc')), named('DataError', /^load \[.*none/));

  flip('bad.webnnc', -8192);  // large weights
  await context.loadGraph(file('bad.webnnc'));
  await assert.rejects(context.loadGraph(file('bad.webnnc'), { verify: 'full' }),
                       named('DataError', /the checksum of its large weights is wrong/));
  flip('bad.webnnc', 4100);
  await assert.rejects(context.loadGraph(file('bad.webnnc')),
                       named('DataError', /the checksum of its graph is wrong/));

  const gone = await product(context);
  gone.destroy();
  await assert.rejects(gone.save(file('gone.webnnc')),
                       named('InvalidStateError', /^save: the graph is destroyed/));
  const lost = await ml.createContext();
  const started = lost.loadGraph(file('probe.webnnc'));
  lost.destroy();
  await assert.rejects(started, named('InvalidStateError', /the context is lost/));
  await assert.rejects(lost.loadGraph(file('probe.webnnc')), named('InvalidStateError'));
});

test('a worker is terminated while it loads and saves', options, async () => {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    (async () => {
      const { ml } = await import(workerData.module);
      const context = await ml.createContext();
      for (let i = 0; ; ++i) {
        const graph = await context.loadGraph(workerData.file);
        await Promise.all([graph.save(workerData.file), context.loadGraph(workerData.file)]);
        if (i === 3) parentPort.postMessage('loads');
      }
    })();`;
  await graph.save(file('worker.webnnc'));
  const workerData = { module: process.env.WEBNN_NODE, file: file('worker.webnnc') };
  const worker = new Worker(code, { eval: true, workerData });
  await new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', resolve);
  });
  await worker.terminate();
  assert.ok(await context.loadGraph(file('worker.webnnc'), { verify: 'full' }));
});
