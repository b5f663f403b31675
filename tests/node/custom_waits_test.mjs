// Custom operators: calls of the library that wait for a thread which waits for JavaScript. Each case runs in a
// separate process, which is ended when it hangs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

const file = fileURLToPath(import.meta.url);
const { lm, ml, MLCustomOperator, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
const float32 = (shape) => ({ dataType: 'float32', shape });

/** Lets other threads go on until they need this one. */
const waitSilently = (ms = 150) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const twice = () => new MLCustomOperator('test.Twice', {
  infer: (inputs) => inputs,
  compute([x], [y]) { x.data.forEach((v, i) => { y.data[i] = 2 * v; }); },
});
/** SkipSimplifiedLayerNormalization of com.microsoft. */
const sumAndNorm = () => new MLCustomOperator('com.microsoft.OwnxSimplifiedLayerNormalization', {
  attributes: { epsilon: { float: 1e-5 } },
  infer: ([x]) => [x, x, x, x],
  compute([x, z, w], [y, , , sums], { epsilon }) {
    const n = w.data.length;
    for (let row = 0; row < x.data.length; row += n) {
      let squares = 0;
      for (let i = row; i < row + n; ++i) {
        sums.data[i] = x.data[i] + z.data[i];
        squares += sums.data[i] ** 2;
      }
      const factor = 1 / Math.sqrt(squares / n + epsilon);
      for (let i = 0; i < n; ++i) y.data[row + i] = sums.data[row + i] * factor * w.data[i];
    }
  },
});
/** 2 (x + 2 c), of which the operator computes the part of the constant when a size is known. */
async function openGraph(context, operator = twice(), dimension = 'n') {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', float32([dimension, 2]));
  const c = b.constant(float32([2]), Float32Array.of(1, 2));
  return b.build({ y: b.custom(operator, [b.add(x, b.custom(operator, [c])[0])])[0] });
}
async function tensors(context, rows) {
  const x = await context.createTensor({ ...float32([rows, 2]), writable: true });
  const y = await context.createTensor({ ...float32([rows, 2]), readable: true });
  context.writeTensor(x, new Float32Array(2 * rows).fill(1));
  return { x, y };
}
const valuesOf = async (context, tensor) => [...new Float32Array(await context.readTensor(tensor))];
const expected = (rows) => Array.from({ length: 2 * rows }, (_, i) => (i % 2 ? 10 : 6));

/** Dispatches with so many rows while `graph` is prepared for others. */
async function dispatchDuring(context, prepared, rows, graph = prepared, otherRows = rows) {
  const { x, y } = await tensors(context, otherRows);
  const ready = prepared.prepare({ x: [rows, 2] });
  waitSilently();
  context.dispatch(graph, { x }, { y });
  await ready;
  assert.deepEqual(await valuesOf(context, y), expected(otherRows));
}

async function growing(context, operator = twice()) {
  const b = new MLGraphBuilder(context);
  const past = b.input('past', float32([{ name: 'past', minSize: 0, maxSize: 8 }, 2]));
  const fresh = b.input('fresh', float32(['rows', 2]));
  const all = b.concat([past, b.custom(operator, [fresh])[0]], 0);
  b.update(past, all);
  const graph = await b.build({ all, sums: b.custom(operator, [b.reduceSum(all, { axes: [0] })])[0] });
  return { graph, state: await graph.createState('past') };
}
async function grow(context, { graph, state }, rows, before = () => {}) {
  const fresh = await context.createTensor({ ...float32([rows, 2]), writable: true });
  const sums = await context.createTensor({ ...float32([2]), readable: true });
  context.writeTensor(fresh, new Float32Array(2 * rows).fill(1));
  const pending = before();
  context.dispatch(graph, { past: state, fresh }, { all: state, sums });
  await pending;
  return valuesOf(context, sums);
}

const cases = {
  async 'dispatch of the sizes that prepare() makes'() {
    for (const threads of [1, 2]) {
      const context = await ml.createContext({ threads });
      const graph = await openGraph(context);
      for (const rows of [1, 2, 5]) await dispatchDuring(context, graph, rows);
    }
  },
  async 'dispatch of other sizes than prepare() makes'() {
    const context = await ml.createContext({ threads: 1 });
    const graph = await openGraph(context);
    for (const rows of [1, 2, 3, 5]) await dispatchDuring(context, graph, rows, graph, rows + 7);
  },
  async 'dispatch of another graph, with and without an operator'() {
    const context = await ml.createContext({ threads: 1 });
    const graph = await openGraph(context), other = await openGraph(context, twice(), 'm');
    await dispatchDuring(context, graph, 3, other, 4);
    const b = new MLGraphBuilder(context);
    const x = b.input('x', float32(['n', 2]));
    const plain = await b.build({
      y: b.mul(b.add(x, b.constant(float32([2]), Float32Array.of(2, 4))), b.constant('float32', 2)) });
    await dispatchDuring(context, graph, 6, plain, 4);
  },
  async 'dispatch while another graph is built'() {
    const context = await ml.createContext({ threads: 1 });
    const graph = await openGraph(context);
    const { x, y } = await tensors(context, 3);
    const built = openGraph(context, twice(), 'm');
    waitSilently();
    context.dispatch(graph, { x }, { y });
    const other = await built;
    assert.deepEqual(await valuesOf(context, y), expected(3));
    await dispatchDuring(context, other, 2);
  },
  async 'two contexts'() {
    const [a, b] = [await ml.createContext({ threads: 1 }), await ml.createContext({ threads: 2 })];
    const operator = twice();
    const graphs = [await openGraph(a, operator), await openGraph(b, operator)];
    const ready = [graphs[0].prepare({ x: [3, 2] }), graphs[1].prepare({ x: [3, 2] })];
    waitSilently();
    await dispatchDuring(a, graphs[0], 3);
    await dispatchDuring(b, graphs[1], 3);
    await Promise.all(ready);
  },
  async 'compute() and computeSync() of the sizes that prepare() makes'() {
    const context = ml.createContextSync({ threads: 1 });
    const graph = await openGraph(context);
    for (const rows of [1, 2]) {
      const y = new Float32Array(2 * rows), x = new Float32Array(2 * rows).fill(1);
      const ready = graph.prepare({ x: [rows, 2] });
      waitSilently();
      context.computeSync(graph, { x }, { y });
      assert.deepEqual([...y], expected(rows));
      await ready;
    }
    const ready = graph.prepare({ x: [4, 2] });
    waitSilently();
    const { outputs } = await context.compute(
      graph, { x: new Float32Array(8).fill(1) }, { y: new Float32Array(8) });
    assert.deepEqual([...outputs.y], expected(4));
    await ready;
  },
  async 'states that grow, while the queue waits for JavaScript'() {
    for (const threads of [1, 2]) {
      const context = await ml.createContext({ threads });
      const cache = await growing(context), busy = await openGraph(context);
      const { x, y } = await tensors(context, 2);
      let sum = 0;
      for (const rows of [1, 2, 1, 3]) {
        const sums = await grow(context, cache, rows, () => {
          context.dispatch(busy, { x }, { y });
          const ready = cache.graph.prepare({ past: [sum, 2], fresh: [rows, 2] });
          waitSilently();
          return ready;
        });
        sum += rows;
        assert.deepEqual(sums, [4 * sum, 4 * sum]);
      }
      cache.state.resize(2);
      assert.deepEqual(await valuesOf(context, cache.state), [2, 2, 2, 2]);
    }
  },
  async 'a builder into which a model is imported'() {
    const context = await ml.createContext({ threads: 1, operators: [twice()] });
    const bytes = await (await openGraph(context)).exportedBytes('webnn');
    const b = new MLGraphBuilder(context);
    const importing = [b.importModel(bytes), b.importModel(bytes)];
    waitSilently();
    const two = b.constant('float32', 2);
    const models = await Promise.allSettled(importing);  // the other one repeats a name
    const [{ value }] = models.filter(({ status }) => status === 'fulfilled');
    assert.match(models.find(({ status }) => status === 'rejected').reason.message, /already used/);
    const graph = await b.build({ y: b.div(value.outputs.get('y'), two) });
    const { x, y } = await tensors(context, 3);
    context.dispatch(graph, { x }, { y });
    assert.deepEqual(await valuesOf(context, y), expected(3).map((v) => v / 2));
  },
  async 'a context that is collected with runs in its queue'() {
    const leave = async () => {
      const context = await ml.createContext({ threads: 1 });
      const graph = await openGraph(context);
      const { x, y } = await tensors(context, 2);
      for (let i = 0; i < 3; ++i) context.dispatch(graph, { x }, { y });
    };
    for (let i = 0; i < 3; ++i) {
      await leave();
      for (let k = 0; k < 10; ++k) {
        globalThis.gc();
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
  },
  async 'a language model while it computes'() {
    const decoder = join(process.env.WEBNN_LM_FILES, 'decoder');
    if (!lm || !existsSync(decoder)) return;  // a build without it
    // The sums and norms of the network become an operator of JavaScript.
    const folder = mkdtempSync(join(tmpdir(), 'webnn-'));
    try {
      cpSync(decoder, folder, { recursive: true });
      const path = join(folder, 'model.onnx');
      const bytes = readFileSync(path, 'latin1').replaceAll('SkipSimplified', 'OwnxSimplified');
      writeFileSync(path, bytes, 'latin1');
      const context = await ml.createContext({ threads: 1, operators: [sumAndNorm()] });
      const model = await lm.load(folder, { context });
      const expected = await lm.load(decoder, { context });
      const cache = model.cache(), tokens = [1, 5, 9, 300];
      const logits = model.evaluate(cache, tokens);
      waitSilently();
      assert.equal(cache.size, 4);
      const exact = await expected.evaluate(expected.cache(), tokens);
      (await logits).forEach((v, i) => assert.ok(Math.abs(v - exact[i]) < 1e-4));
      const generation = model.generate(tokens, { cache, maxTokens: 3, ignoreEnd: true });
      const piece = generation.next();
      waitSilently();
      assert.ok(cache.size >= 4);
      assert.equal(typeof (await piece).value, 'string');
      const batch = model.batch({ sequences: 2 });
      batch.add(tokens, { maxTokens: 3, ignoreEnd: true });
      const first = batch.next();
      waitSilently();
      assert.equal(batch.size, 1);
      assert.equal((await first).sequence, 0);
    } finally { rmSync(folder, { recursive: true }); }
  },
  async 'the end of the process while prepare() waits'() {
    const context = await ml.createContext({ threads: 1 });
    const graph = await openGraph(context);
    const { x, y } = await tensors(context, 2);
    graph.prepare({ x: [3, 2] }).catch(() => {});
    context.dispatch(graph, { x }, { y });
    waitSilently();
    console.log('done');
    process.exit();
  },
  async 'the end of a worker while prepare() waits'() {
    const worker = new Worker(new URL(import.meta.url), { workerData: 'prepares' });
    await new Promise((resolve, reject) => {
      worker.once('error', reject);
      worker.once('message', resolve);
    });
    await worker.terminate();
  },
  async 'functions that call what waits for them'() {
    const context = await ml.createContext({ threads: 1 });
    let act = () => {};
    const calls = new MLCustomOperator('test.Calls', {
      infer: (inputs) => inputs,
      compute: ([x], [y]) => { y.data.set(x.data); act(); },
    });
    const cache = await growing(context, calls);
    const said = [];
    for (const f of [() => cache.state.resize(0), () => context.dispatch(cache.graph, {}, {}),
                     () => context.readTensor(cache.state), () => cache.graph.prepare({}),
                     () => cache.graph.createState('past'), () => cache.state.shape]) {
      act = () => {
        try {
          Promise.resolve(f()).then(() => said.push('resolved'), (e) => said.push(e.name));
        } catch (e) { said.push(`${e.name}: ${e.message}`); }
      };
      await grow(context, cache, 1);
    }
    assert.match(said.join('\n'), /InvalidStateError: resize: .*function of a custom operator/);
    assert.match(said.join('\n'), /InvalidStateError: MLContext: .*function of a custom operator/);
  },
};

/** Leaves prepare() waiting for this thread, which does not come back. */
async function prepares() {
  const graph = await openGraph(await ml.createContext({ threads: 1 }));
  graph.prepare({ x: [3, 2] });
  waitSilently();
  parentPort.postMessage('waits');
  waitSilently(Infinity);
}
async function inWorkers(name) {
  await Promise.all([0, 1].map(() => new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: name });
    worker.once('error', reject);
    worker.once('message', resolve);
  })));
}

const [, , asked, how] = process.argv;
if (!isMainThread) {
  await (workerData === 'prepares' ? prepares() : cases[workerData]());
  parentPort.postMessage('done');
} else if (asked in cases) {
  await (how === 'workers' ? inWorkers(asked) : cases[asked]());
  console.log('done');
} else {
  for (const name in cases)
    for (const place of name.startsWith('the end') ? ['main'] : ['main', 'workers'])
      for (const UV_THREADPOOL_SIZE of ['1', '4'])
        test(`${name}, in ${place}, with ${UV_THREADPOOL_SIZE} threads of Node`, () => {
          const env = { ...process.env, UV_THREADPOOL_SIZE };
          delete env.NODE_TEST_CONTEXT;
          const run = spawnSync(process.execPath, ['--expose-gc', file, name, place],
                                { env, timeout: 60_000, killSignal: 'SIGKILL', encoding: 'utf8' });
          assert.equal(run.signal, null, 'it hangs');
          assert.equal(`${run.stderr}${run.stdout}`, 'done\n');
        });
}
