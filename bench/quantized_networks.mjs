// Quantized .onnx networks beside ONNX Runtime, in alternation.
//   node quantized_networks.mjs PROGRAMS MODEL.onnx|FOLDER... [--threads 1,2] [--windows 9]
//        [--seconds 0.3] [--only text,text] [--dim name=size] [--seed 1]
// PROGRAMS: the folder of the benchmarks of a build, in which onnxruntime/ has its packages, or has
// none: then only this library is measured. Each network is loaded by two processes, which run it in
// turn, a window of `--seconds` each, and wait meanwhile. Prints the medians of the windows' medians,
// the median of the ratios of windows that followed each other, and how far the outputs are from
// those of ONNX Runtime without optimizations, where each operator computes what the file says, for
// both: the signal to noise of all outputs, or the share of equal elements where they are integers.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values: v, positionals: [programs, ...given] } = parseArgs({ allowPositionals: true, options: {
  threads: { type: 'string', default: '1,2' }, windows: { type: 'string', default: '9' },
  seconds: { type: 'string', default: '0.3' }, only: { type: 'string' }, seed: { type: 'string', default: '1' },
  dim: { type: 'string', multiple: true, default: [] }, peer: { type: 'string' },
} });
if (!programs || !given.length) {
  console.error('node quantized_networks.mjs PROGRAMS MODEL.onnx|FOLDER... [--threads 1,2] [--windows 9]\n' +
    '     [--seconds 0.3] [--only text,text] [--dim name=size] [--seed 1]');
  process.exit(2);
}
const packages = resolve(programs, 'onnxruntime', 'node_modules');
const arrays = { float32: Float32Array, float16: Uint16Array, int32: Int32Array, int64: BigInt64Array, uint8: Uint8Array, int8: Int8Array };
const median = (a) => [...a].sort((x, y) => x - y)[a.length >> 1];
const count = (shape) => shape.reduce((a, b) => a * b, 1);

const sizes = Object.fromEntries(v.dim.map((text) => text.split('=')));
function sized(name, shape) {
  return shape.map((d) => {
    if (typeof d !== 'number' && !(d in sizes)) throw new Error(`input ${name} has the open dimension ${d}: give --dim ${d}=size`);
    return typeof d === 'number' ? d : +sizes[d];
  });
}

/** Elements that follow from the name: masks are 1, types are 0, other integers are below 1000, floats are in [-1.7, 1.7). */
function values(name, type, n) {
  if (!(type in arrays) || type === 'float16') throw new Error(`inputs of ${type} are not filled`);
  let state = (+v.seed * 7919 + name.length) >>> 0;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const integer = /mask/.test(name) ? () => 1 : /type/.test(name) ? () => 0 : type.endsWith('int8') ? () => Math.floor(next() * 128) : () => Math.floor(next() * 1000);
  const element = type === 'float32' ? () => 3.4 * next() - 1.7 : type === 'int64' ? () => BigInt(integer()) : integer;
  return arrays[type].from({ length: n }, element);
}

/** Functions of a peer: `run` runs once, `outputs` gives {name: elements} of the last run. */
async function ours(model, threads) {
  process.env.WEBNN_NUM_THREADS = threads;
  const { ml } = await import(pathToFileURL(resolve(programs, '..', 'bindings', 'node', 'index.mjs')));
  const context = await ml.createContext(), graph = await context.loadGraph(model);
  const inputs = {}, tensors = {}, results = {}, shapes = {};
  for (const [name, { dataType, shape }] of graph.inputs) {
    shapes[name] = sized(name, shape);
    inputs[name] = await context.createTensor({ dataType, shape: shapes[name], writable: true });
    context.writeTensor(inputs[name], values(name, dataType, count(shapes[name])));
  }
  const found = graph.computeShapes(shapes);
  for (const [name, { dataType }] of graph.outputs) {
    tensors[name] = await context.createTensor({ dataType, shape: found[name], readable: true });
    results[name] = new arrays[dataType](count(found[name]));
  }
  const run = async () => {
    context.dispatch(graph, inputs, tensors);
    for (const name in tensors) await context.readTensor(tensors[name], results[name]);
  };
  return { run, outputs: () => results };
}

async function theirs(model, threads, graphOptimizationLevel = 'all') {
  const ort = createRequire(join(packages, 'x.js'))('onnxruntime-node');
  const session = await ort.InferenceSession.create(model, {
    graphOptimizationLevel, intraOpNumThreads: +threads, interOpNumThreads: 1, executionMode: 'sequential', logSeverityLevel: 3 });
  const feeds = {};
  for (const { name, type, shape } of session.inputMetadata) {
    const own = sized(name, shape);
    feeds[name] = new ort.Tensor(type, values(name, type, count(own)), own);
  }
  let results = await session.run(feeds);
  const fetches = Object.fromEntries(Object.entries(results).map(([k, t]) => [k, new ort.Tensor(t.type, new arrays[t.type](t.size), t.dims)]));
  const run = async () => { results = await session.run(feeds, fetches); };
  return { run, outputs: () => Object.fromEntries(Object.entries(results).map(([k, t]) => [k, t.data])), release: () => session.release() };
}

/** The process of a peer: each line of the input is answered by the milliseconds of a window's runs. */
async function peer(kind, model, threads) {
  const { run, outputs } = kind === 'ours' ? await ours(model, threads) : await theirs(model, threads, kind === 'exact' ? 'disabled' : 'all');
  await run();
  const some = Object.entries(outputs()).map(([name, data]) => [name, data.constructor.name, Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')]);
  console.log(JSON.stringify(some));
  if (kind === 'exact') return;
  for await (const line of createInterface({ input: process.stdin })) {
    const times = [], until = performance.now() + 1000 * Number(line);
    while (times.length < 3 || performance.now() < until) {
      const start = performance.now();
      await run();
      times.push(performance.now() - start);
    }
    console.log(JSON.stringify(median(times)));
  }
}

class Child {
  constructor(kind, model, threads) {
    this.kind = kind;
    this.process = spawn(process.execPath, [fileURLToPath(import.meta.url), programs, model, '--peer', `${kind} ${threads}`,
      '--seed', v.seed, ...v.dim.flatMap((d) => ['--dim', d])], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.errors = '';
    this.process.stderr.on('data', (text) => { this.errors += text; });
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }
  async next() {
    const { value, done } = await this.lines.next();
    if (done) {
      await new Promise((closed) => this.process.exitCode === null ? this.process.on('close', closed) : closed());
      throw new Error(`${this.kind}: ${this.errors.match(/^.*Error.*: .*$/m)?.[0] ?? 'the process has ended'}`);
    }
    return JSON.parse(value);
  }
  async window() {
    this.process.stdin.write(`${v.seconds}\n`);
    return this.next();
  }
  end() { this.process.stdin.end(); }
}

const decode = (list) => Object.fromEntries(list.map(([name, type, text]) => {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return [name, new globalThis[type](bytes.buffer)];
}));

/** How far the outputs `a` are from `b`, as text. */
function agreement(a, b) {
  let signal = 0, noise = 0, equal = 0, integers = 0, floats = 0;
  for (const [name, exact] of Object.entries(b)) {
    const found = a[name];
    if (found?.length !== exact.length) throw new Error(`output ${name} has ${found?.length} elements, not ${exact.length}`);
    const float = exact instanceof Float32Array;
    for (let i = 0; i < exact.length; i++) {
      if (float) {
        floats++;
        signal += exact[i] ** 2;
        noise += (found[i] - exact[i]) ** 2;
      } else {
        integers++;
        equal += Number(found[i]) === Number(exact[i]);
      }
    }
  }
  const parts = [];
  if (floats) parts.push(noise === 0 ? 'equal' : `${(10 * Math.log10(signal / noise)).toFixed(1)} dB`);
  if (integers) parts.push(`${(100 * equal / integers).toFixed(2)} % equal`);
  return parts.join(', ');
}

async function measure(model, threads, has_peer) {
  const children = (has_peer ? ['ours', 'theirs'] : ['ours']).map((kind) => new Child(kind, model, threads));
  const exact = has_peer ? new Child('exact', model, threads) : null;
  try {
    const first = [];
    for (const c of children) first.push(decode(await c.next()));
    const reference = exact ? decode(await exact.next()) : null;
    const agrees = first.map((outputs) => reference && agreement(outputs, reference));
    for (const c of children) await c.window();
    const times = children.map(() => []);
    for (let i = 0; i < +v.windows; i++)
      for (let k = 0; k < children.length; k++) {
        await new Promise((done) => setTimeout(done, 30));  // workers of the other process stop to spin
        times[k].push(await children[k].window());
      }
    return { times: times.map(median), ratio: exact ? median(times[0].map((t, i) => t / times[1][i])) : null, agrees };
  } finally {
    for (const c of [...children, ...(exact ? [exact] : [])]) c.end();
  }
}

if (v.peer) await peer(v.peer.split(' ')[0], given[0], v.peer.split(' ')[1]);
else {
  const files = given.flatMap((path) => statSync(path).isDirectory()
    ? readdirSync(path).filter((f) => f.endsWith('.onnx')).sort().map((f) => join(path, f)) : [path])
    .filter((f) => !v.only || v.only.split(',').some((text) => basename(f).includes(text)));
  const has_peer = existsSync(join(packages, 'onnxruntime-node'));
  const cpu = (readFileSync('/proc/cpuinfo', 'utf8').match(/model name\s*: (.*)/) ?? [, 'unknown CPU'])[1];
  const f = (x) => x === undefined || x === null ? '-' : x.toFixed(x < 10 ? 3 : 2);
  console.log(`${cpu}, ${v.windows} windows of ${v.seconds} s in alternation, medians\n`);
  console.log('| model | threads | ours ms | ONNX Runtime ms | ratio | ours agrees | theirs |\n|---|---:|---:|---:|---:|---:|---:|');
  let failed = false;
  for (const file of files)
    for (const threads of v.threads.split(',')) {
      const name = basename(file, '.onnx');
      try {
        const { times, ratio, agrees } = await measure(file, threads, has_peer);
        console.log(`| ${name} | ${threads} | ${f(times[0])} | ${f(times[1])} | ${ratio === null ? '-' : ratio.toFixed(2)} | ${agrees[0] ?? '-'} | ${agrees[1] ?? '-'} |`);
      } catch (error) {
        failed = true;
        console.log(`| ${name} | ${threads} | ${error.message} |`);
      }
    }
  process.exitCode = failed ? 1 : 0;
}
