// Each worker thread has its own instance of the addon.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const code = `
const { parentPort, workerData } = require('node:worker_threads');
(async () => {
  const { ml, MLGraphBuilder } = await import(workerData);
  const context = await ml.createContext();
  const b = new MLGraphBuilder(context);
  const d = { dataType: 'float32', shape: [1000] };
  const graph = await b.build({ y: b.add(b.input('x', d), b.constant('float32', 1)) });
  const x = await context.createTensor({ ...d, writable: true });
  const y = await context.createTensor({ ...d, readable: true });
  context.writeTensor(x, new Float32Array(1000).fill(41));
  for (;;) {
    context.dispatch(graph, { x }, { y });
    parentPort.postMessage(new Float32Array(await context.readTensor(y))[999]);
  }
})();
`;

test('workers compute at the same time, and may be terminated meanwhile', async () => {
  const start = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(code, { eval: true, workerData: process.env.WEBNN_NODE });
      worker.once('error', reject);
      worker.once('message', (value) => resolve({ worker, value }));
    });
  const workers = await Promise.all([start(), start(), start()]);
  for (const { worker, value } of workers) {
    assert.equal(value, 42);
    await worker.terminate();
  }
});

test('the code of the addon stays when the last worker ends, since threads may still run it',
     { skip: !fs.existsSync('/proc/self/maps') }, async () => {
  const isLoaded = () => fs.readFileSync('/proc/self/maps', 'utf8').includes('/webnn.node');
  const worker = new Worker('import(require("node:worker_threads").workerData)',
                            { eval: true, workerData: process.env.WEBNN_NODE });
  await new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
  assert.ok(isLoaded());
});
