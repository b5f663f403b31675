// Unused objects are collected with their native memory. Needs --expose-gc.
import assert from 'node:assert/strict';
import { constants, PerformanceObserver } from 'node:perf_hooks';
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
  const large = { dataType: 'float32', shape: [1 << 22], writable: true };  // 16 MB
  const values = new Float32Array(1 << 22).fill(1);
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().filter(({ detail }) => detail.kind !== constants.NODE_PERFORMANCE_GC_MINOR).length;
  });
  const before = await settled();
  observer.observe({ entryTypes: ['gc'] });
  const kept = [];
  const make = async (from) => {
    const t = await from.createTensor(large);
    from.writeTensor(t, values);
    kept.push(t);
    return t;
  };
  for (let i = 0; i < 100; ++i) {
    const t = await make(context);
    t.destroy();
    t.destroy();
  }
  for (let i = 0; i < 100; ++i) {
    const other = await ml.createContext({ threads: 1 });
    await make(other);
    other.destroy();
  }
  const grown = process.memoryUsage.rss() / 2 ** 20 - before;
  await new Promise((resolve) => setTimeout(resolve, 20));
  observer.disconnect();
  assert.ok(grown < 200, `grew by ${grown} MB`);
  assert.ok(collections < 10, `${collections} collections`);  // as if 3 GB were there: one in 64 MB
  assert.equal(kept.length, 200);
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
