// Unused objects are collected with their native memory. Needs --expose-gc.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { ml, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
const d = { dataType: 'float32', shape: [64, 1024] };  // 256 KB

// A tensor or a graph's constant that leaks would be 250 MB over 1,000 runs, an object of 4 KB 4 MB.
const most = 4;

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
test('destroy() frees at once, and tells the garbage collector', async () => {
  const context = await ml.createContext();
  const external = () => process.memoryUsage().external;
  const large = { dataType: 'float32', shape: [1 << 24] };  // 64 MB
  const kept = [];
  await settled();
  const before = external();
  for (let i = 0; i < 20; ++i) {
    const t = await context.createTensor({ ...large, writable: true });
    assert.ok(external() - before > (1 << 26) - (1 << 22));
    kept.push(t);
    t.destroy();
    t.destroy();
    assert.ok(external() - before < 1 << 22);
  }
  const t = await context.createTensor(large);
  const b = new MLGraphBuilder(context);
  const graph = await b.build({ y: b.relu(b.input('x', large)) });
  const other = await ml.createContext();
  const lives = await other.createTensor(large);
  context.destroy();
  assert.ok(external() - before < (1 << 26) + (1 << 23));  // that of the other context
  assert.equal(lives.shape.length, 1);
  kept.push(t, graph);
});

async function settled() {
  for (let i = 0; i < 5; ++i) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return process.memoryUsage().rss / 2 ** 20;
}

/**
 * The growth of the process over 1,000 runs, in MB, measured up to eight times: malloc's pools grow
 * during some of them, a leak during all.
 */
async function growth(step) {
  for (let i = 0; i < 2000; ++i) await step();  // until the pools have grown
  const grown = [];
  for (let before = await settled(); grown.length < 8 && !grown.some((x) => x < most);) {
    for (let i = 0; i < 1000; ++i) await step();
    const now = await settled();
    grown.push(now - before);
    before = now;
  }
  return grown;
}

for (const [what, make] of [['contexts', () => ml.createContext()], ['graphs and tensors']]) {
  test(`1,000 ${what} leave the process as it was`, async () => {
    const shared = await ml.createContext();
    const grown = await growth(async () => once(make ? await make() : shared));
    assert.ok(Math.min(...grown) < most, `grew by ${grown.map((x) => x.toFixed(1))} MB`);
  });
}
