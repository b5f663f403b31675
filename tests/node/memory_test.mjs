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
/**
 * How many MB the process grows by at most in a loop that takes no turn of the event loop, in which
 * Node calls finalizers.
 */
async function largest(times, step) {
  await settled();
  const before = process.memoryUsage().rss;
  let most = before;
  for (let i = 0; i < times; ++i) {
    const promise = step();
    if (promise) await promise;
    if (i % 10 === 0) most = Math.max(most, process.memoryUsage.rss());
  }
  return (most - before) / 2 ** 20;
}
const bound = 400;  // MB, where all objects together have 3 GB and 1.5 GB

test('50,000 tensors in a loop of awaits are freed meanwhile', async () => {
  const context = await ml.createContext();
  const values = new Float32Array(16 * 1024).fill(1);
  const grown = await largest(50000, async () => {
    const t = await context.createTensor(
      { dataType: 'float32', shape: [16, 1024], writable: true });
    context.writeTensor(t, values);
  });
  assert.ok(grown < bound, `grew by ${grown} MB`);
});

test('1,500 builders with a constant of 1 MB in a loop are freed meanwhile', async () => {
  const context = await ml.createContext();
  const values = new Float32Array(1 << 18);
  const grown = await largest(1500, () => {
    const b = new MLGraphBuilder(context);
    b.relu(b.constant({ dataType: 'float32', shape: [1 << 18] }, values));
  });
  assert.ok(grown < bound, `grew by ${grown} MB`);
});

test('destroy() frees at once, and tells the garbage collector', async () => {
  const context = await ml.createContext();
  const external = () => process.memoryUsage().external;
  const large = { dataType: 'float32', shape: [1 << 24] };  // 64 MB
  const kept = [];
  const before = external();
  for (let i = 0; i < 20; ++i) {
    const t = await context.createTensor({ ...large, writable: true });
    assert.ok(external() - before >= 1 << 26);
    kept.push(t);
    t.destroy();
    t.destroy();
    assert.ok(external() - before < 1 << 20);
  }
  const t = await context.createTensor(large);
  const b = new MLGraphBuilder(context);
  const graph = await b.build({ y: b.relu(b.input('x', large)) });
  const other = await ml.createContext();
  const lives = await other.createTensor(large);
  context.destroy();
  assert.ok(external() - before < (1 << 26) + (1 << 22));  // that of the other context
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
