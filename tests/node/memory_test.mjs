// What is dropped is collected, with its native memory. Needs --expose-gc.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { ml, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
const d = { dataType: 'float32', shape: [64, 1024] };  // 256 KB

async function once(context) {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', d);
  const graph = await b.build({ y: b.add(x, b.constant(d, new Float32Array(64 * 1024))) });
  const t = await context.createTensor({ ...d, writable: true });
  const y = await context.createTensor({ ...d, readable: true });
  context.lost.then(() => context);  // a cycle that must not keep the context
  context.writeTensor(t, new Float32Array(64 * 1024));
  context.dispatch(graph, { x: t }, { y });
  await context.readTensor(y);
}
async function settled() {
  for (let i = 0; i < 5; ++i) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return process.memoryUsage().rss / 2 ** 20;
}

for (const [what, make] of [['contexts', () => ml.createContext()], ['graphs and tensors']]) {
  test(`1,000 ${what} leave the process as it was`, async () => {
    const shared = await ml.createContext();
    const step = async () => once(make ? await make() : shared);
    for (let i = 0; i < 2000; ++i) await step();  // until malloc's pools have their size
    const before = await settled();
    for (let i = 0; i < 1000; ++i) await step();
    const after = await settled();
    // A leak of one tensor, or of one graph's constant, would be 250 MB.
    assert.ok(after - before < 24, `from ${before.toFixed(1)} to ${after.toFixed(1)} MB`);
  });
}
