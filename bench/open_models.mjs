// An .onnx model with open dimensions at random sizes, beside ONNX Runtime, in alternation.
//   node open_models.mjs PROGRAMS MODEL --dim height=160..640:32 --dim width=160..640:32
//        [--count 40] [--rounds 3] [--threads 2] [--seed 1]
// PROGRAMS: the folder of the benchmarks of a build, in which onnxruntime/ has its packages, or has
// none: then only this library is measured. Each round is a process of its own, which loads the
// model, runs once, then runs all sizes, which are new to it, and runs all of them again. Integers
// of the inputs are 1, floats are a wave. Prints the mean times, the largest memory of the
// processes, and how far the outputs differ.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values: v, positionals: [programs, model] } = parseArgs({ allowPositionals: true, options: {
  dim: { type: 'string', multiple: true, default: [] }, count: { type: 'string', default: '40' },
  rounds: { type: 'string', default: '3' }, threads: { type: 'string', default: '2' },
  seed: { type: 'string', default: '1' }, peer: { type: 'string' },
} });
const packages = resolve(programs, 'onnxruntime', 'node_modules');
const arrays = { float32: Float32Array, int32: Int32Array, int64: BigInt64Array, uint8: Uint8Array, int8: Int8Array };

/** Numbers in [0, 1) that follow from the seed. */
function random(seed) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

function draw() {
  const next = random(+v.seed);
  const ranges = v.dim.map((text) => {
    const [, name, low, high, step] = text.match(/^(.+)=(\d+)(?:\.\.(\d+)(?::(\d+))?)?$/) ?? [];
    if (!name) throw new Error(`--dim ${text} is not name=size or name=low..high or name=low..high:step`);
    return { name, low: +low, high: +(high ?? low), step: +(step ?? 1) };
  });
  return Array.from({ length: +v.count }, () => Object.fromEntries(ranges.map(({ name, low, high, step }) =>
    [name, low + step * Math.floor(next() * (Math.floor((high - low) / step) + 1))])));
}

function shapeAt(name, shape, sizes) {
  return shape.map((d) => {
    if (typeof d === 'number') return d;
    if (!(d in sizes)) throw new Error(`input ${name} has the open dimension ${d}: give --dim ${d}=...`);
    return sizes[d];
  });
}

function values(type, count) {
  if (!(type in arrays)) throw new Error(`inputs of ${type} are not filled`);
  const array = new arrays[type](count);
  for (let i = 0; i < count; i++) array[i] = type === 'float32' ? Math.sin(i / 10) : type === 'int64' ? 1n : 1;
  return array;
}

/** Functions that run at some sizes and return the elements of the first output. */
async function ours() {
  process.env.WEBNN_NUM_THREADS = v.threads;
  const { ml } = await import(pathToFileURL(resolve(programs, '..', 'bindings', 'node', 'index.mjs')));
  const context = await ml.createContext();
  const graph = await context.loadGraph(model);
  const tensor = (dataType, shape) => context.createTensor({ dataType, shape, readable: true, writable: true });
  return async (sizes) => {
    const inputs = {}, outputs = {}, shapes = {};
    for (const [name, d] of graph.inputs) {
      shapes[name] = shapeAt(name, d.shape, sizes);
      inputs[name] = await tensor(d.dataType, shapes[name]);
      context.writeTensor(inputs[name], values(d.dataType, shapes[name].reduce((a, b) => a * b, 1)));
    }
    return async () => {
      const found = graph.computeShapes(shapes);
      for (const [name, d] of graph.outputs) outputs[name] ??= await tensor(d.dataType, found[name]);
      context.dispatch(graph, inputs, outputs);
      const [[name, { dataType }]] = graph.outputs;
      return new arrays[dataType](await context.readTensor(outputs[name]));
    };
  };
}

async function theirs() {
  const ort = createRequire(join(packages, 'x.js'))('onnxruntime-node');
  const session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: +v.threads, interOpNumThreads: 1, executionMode: 'sequential', logSeverityLevel: 3 });
  return async (sizes) => {
    const feeds = {};
    for (const { name, type, shape } of session.inputMetadata) {
      const own = shapeAt(name, shape, sizes);
      feeds[name] = new ort.Tensor(type, values(type, own.reduce((a, b) => a * b, 1)), own);
    }
    return async () => (await session.run(feeds))[session.outputNames[0]].data;
  };
}

async function measure(peer) {
  const runs = [], prepared = await (peer === 'ours' ? ours() : theirs());
  for (const sizes of draw()) runs.push(await prepared(sizes));
  await runs[0]();
  const pass = async (each) => {
    let total = 0;
    for (const run of runs) {
      const start = performance.now(), y = await run();
      total += performance.now() - start;
      each?.(y);
    }
    return total / runs.length;
  };
  const some = [];
  const fresh = await pass((y) => some.push(Number(y[0]), Number(y[y.length >> 1]), Number(y[y.length - 1])));
  const known = await pass();
  const peak = +readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\s+(\d+)/)[1] / 1024;
  console.log(JSON.stringify({ fresh, known, peak, some }));
}

function run(peer) {
  const r = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...process.argv.slice(2), '--peer', peer], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (r.status !== 0) {
    console.error(`open_models: ${peer}: ${r.stderr || r.error}`);
    process.exit(1);
  }
  return JSON.parse(r.stdout.trim().split('\n').at(-1));
}

if (v.peer) await measure(v.peer);
else {
  const peers = existsSync(join(packages, 'onnxruntime-node')) ? ['ours', 'theirs'] : ['ours'];
  const rounds = Object.fromEntries(peers.map((p) => [p, []]));
  for (let i = 0; i < +v.rounds; i++) for (const p of peers) rounds[p].push(run(p));
  const median = (p, key) => rounds[p].map((r) => r[key]).sort((a, b) => a - b)[+v.rounds >> 1];
  const f = (x) => x.toFixed(2);
  console.log(`| | sizes that are new, ms | that are known, ms | memory, MB |\n|---|---:|---:|---:|`);
  for (const p of peers) console.log(`| ${p === 'ours' ? 'libwebnn' : 'ONNX Runtime'} | ${f(median(p, 'fresh'))} | ${f(median(p, 'known'))} | ${median(p, 'peak').toFixed(0)} |`);
  if (peers.length > 1) {
    const [a, b] = peers.map((p) => rounds[p][0].some);
    const largest = Math.max(...b.map(Math.abs));
    console.log(`| ratio | ${f(median('ours', 'fresh') / median('theirs', 'fresh'))} | ${f(median('ours', 'known') / median('theirs', 'known'))} | ${f(median('ours', 'peak') / median('theirs', 'peak'))} |`);
    console.log(`\nlargest difference of the outputs, of their largest value: ${Math.max(...a.map((x, i) => Math.abs(x - b[i]) / largest)).toExponential(1)}`);
  }
}
