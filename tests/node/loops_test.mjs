// Loops that take no turn of the event loop, in which Node calls finalizers, do not keep what they make.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const { ml, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
const values = new Float32Array(1 << 18).fill(1);  // 1 MB

// Each has 3 GB in all.
const loops = {
  async tensors() {
    const context = await ml.createContext({ threads: 1 });
    const small = values.subarray(0, 1 << 14);
    return { times: 50000, step: async () => {
      const t = await context.createTensor({ dataType: 'float32', shape: [1 << 14], writable: true });
      context.writeTensor(t, small);
    } };
  },
  async 'constant tensors'() {
    const context = await ml.createContext({ threads: 1 });
    return { times: 3000, step: () =>
      context.createConstantTensor({ dataType: 'float32', shape: [1 << 18] }, values) };
  },
  async builders() {
    const context = await ml.createContext({ threads: 1 });
    return { times: 3000, step() {
      const b = new MLGraphBuilder(context);
      b.relu(b.constant({ dataType: 'float32', shape: [1 << 18] }, values));
    } };
  },
  async graphs() {
    const context = ml.createContextSync({ threads: 1 });
    const y = new Float32Array(1);
    return { times: 1500, step() {
      const b = new MLGraphBuilder(context);
      const c = b.constant({ dataType: 'float32', shape: [1 << 18] }, values);
      const graph = b.buildSync({ y: b.reduceMax(b.add(b.input('x', { dataType: 'float32', shape: [1] }), c)) });
      if (y[0] === 0) context.computeSync(graph, { x: new Float32Array(1) }, { y });
    } };
  },
};

const [, , asked] = process.argv;
if (asked) {
  const { times, step } = await loops[asked]();
  const before = process.memoryUsage.rss();
  let most = before;
  for (let i = 0; i < times; ++i) {
    const promise = step();
    if (promise) await promise;
    if (i % 10 === 0) most = Math.max(most, process.memoryUsage.rss());
  }
  console.log(Math.round((most - before) / 2 ** 20));
  process.exit();
}

// V8 collects garbage at once when half of its heap's limit is outside the heap; before, it does so
// beside the program, where a busy machine has time for that.
for (const name in loops)
  test(`what a loop of ${name} no longer uses is freed`, () => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath, ['--max-old-space-size=1024', fileURLToPath(import.meta.url), name],
      { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.ok(Number(stdout) < 600, `grew by ${stdout.trim()} MB`);
  });
