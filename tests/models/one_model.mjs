// One model beside the runtime of its format; real_models.mjs runs it in a process of its own.
//   node one_model.mjs '{"build": ..., "packages": ..., "path": ..., "model": {...}, "threads": 1, "seconds": 1}'
// Prints JSON: {operators, difference, ours, theirs} or {error}. Times are medians in ms of one call, in
// windows that alternate: computeSync() here, ONNX Runtime's run(), TensorFlow Lite's Invoke. The
// difference is the largest of all outputs, as a part of the largest value of its output, or of 0.001
// where all its values are smaller: those are probabilities of nothing.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const job = JSON.parse(process.argv[2]);
const arrays = { float32: Float32Array, int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array,
  uint64: BigUint64Array, int8: Int8Array, uint8: Uint8Array, float16: Uint16Array, bool: Uint8Array };
const count = (shape) => shape.reduce((a, b) => a * b, 1);

/** Normal numbers of a fixed seed for floats, small ones for integers. */
function values(type, shape, seed) {
  let state = seed * 2654435761 >>> 0;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const array = new arrays[type](count(shape));
  for (let i = 0; i < array.length; i++) {
    if (type === 'float32') array[i] = 0.5 * Math.sqrt(-2 * Math.log(next() + 1e-9)) * Math.cos(6.283185307 * next());
    else if (type === 'int8' || type === 'uint8') array[i] = Math.floor(next() * 256);
    else if (type.endsWith('64')) array[i] = BigInt(Math.floor(next() * 10));
    else array[i] = Math.floor(next() * 10);
  }
  return array;
}

const known = job.model.values ?? {};
const sizes = job.model.dimensions ?? {};
const shapeOf = (name, shape) => job.model.shapes?.[name] ?? shape.map((d) => (typeof d === 'number' && d > 0 ? d : sizes[d] ?? 1));

/** What runs the model: inputs by name {type, shape}, run(feeds) -> outputs in order of the file. */
async function ours() {
  process.env.WEBNN_NUM_THREADS = job.threads;
  const { ml } = await import(pathToFileURL(resolve(job.build, 'bindings', 'node', 'index.mjs')));
  const context = ml.createContextSync();
  const options = { values: Object.fromEntries(Object.entries(known).map(([name, value]) =>
    [name, { shape: [], data: new BigInt64Array([BigInt(value)]) }])) };
  const graph = await context.loadGraph(job.path, options);
  const inputs = Object.fromEntries([...graph.inputs].map(([name, d]) => [name, { type: d.dataType, shape: shapeOf(name, d.shape) }]));
  const open = [...graph.inputs.values(), ...graph.outputs.values()].some((d) => d.shape === null || d.shape.some((s) => typeof s !== 'number'));
  const at = open ? await graph.prepare(Object.fromEntries(Object.entries(inputs).map(([name, i]) => [name, i.shape]))) : graph;
  const outputs = [...at.outputs];
  return { inputs, operators: at.report().steps.length, run(feeds) {
    const results = Object.fromEntries(outputs.map(([name, d]) => [name, new arrays[d.dataType](count(d.shape))]));
    context.computeSync(at, feeds, results);
    return outputs.map(([name]) => ({ name, data: results[name] }));
  } };
}

async function onnxRuntime(inputs) {
  const ort = createRequire(join(job.packages, 'node_modules', 'x.js'))('onnxruntime-node');
  const session = await ort.InferenceSession.create(job.path, {
    intraOpNumThreads: job.threads, interOpNumThreads: 1, executionMode: 'sequential', logSeverityLevel: 3 });
  return { async run(feeds) {
    const own = {};
    for (const { name, type } of session.inputMetadata) {
      if (name in known) own[name] = new ort.Tensor(type, new BigInt64Array([BigInt(known[name])]), []);
      else own[name] = new ort.Tensor(type, feeds[name], inputs[name].shape);
    }
    const out = await session.run(own);
    return session.outputNames.map((name) => ({ name, data: out[name].data }));
  } };
}

/** TensorFlow Lite's C library, in a process of Python, since Node cannot call it. */
async function tensorflowLite(inputs) {
  const folder = mkdtempSync(join(tmpdir(), 'models-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const library = join(job.packages, 'node_modules', 'tfjs-tflite-node', 'cc_deps', 'linux_amd64', 'libtensorflowlite_c.so');
  const child = spawn('python3', [join(dirname(fileURLToPath(import.meta.url)), 'tensorflow_lite.py'), library, job.path, String(job.threads), folder],
    { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('TensorFlow Lite: the process ended');
    const found = JSON.parse(value);
    if (found.error) throw new Error(`TensorFlow Lite: ${found.error}`);
    return found;
  };
  const { inputs: theirs } = await answer();
  const order = Object.keys(inputs);
  theirs.forEach((t, i) => { if (t.bytes !== inputs[order[i]]?.shape.reduce((a, b) => a * b, 1) * arrays[inputs[order[i]].type].BYTES_PER_ELEMENT) throw new Error(`TensorFlow Lite: input ${i} has ${t.bytes} bytes`); });
  return { async run(feeds, times = 1) {
    order.forEach((name, i) => writeFileSync(join(folder, `in${i}`), Buffer.from(feeds[name].buffer)));
    child.stdin.write(`${times}\n`);
    const { outputs, ms } = await answer();
    const found = outputs.map(({ type }, i) => {
      const bytes = readFileSync(join(folder, `out${i}`));
      return { data: new arrays[type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)) };
    });
    found.ms = ms;
    return found;
  }, end: () => child.stdin.end() };
}

const median = (a) => a.sort((x, y) => x - y)[a.length >> 1];

try {
  const mine = await ours();
  const feeds = Object.fromEntries(Object.entries(mine.inputs).map(([name, { type, shape }], i) => [name, values(type, shape, i + 1)]));
  const found = await mine.run(feeds);
  const lite = /\.(tflite|lite)$/.test(job.path);
  const result = { operators: mine.operators };
  let theirs;
  try {
    theirs = await (lite ? tensorflowLite : onnxRuntime)(mine.inputs);
    const expected = await theirs.run(feeds);
    result.difference = 0;
    expected.forEach(({ data }, i) => {
      const other = found[i].data;
      if (data.length !== other.length) throw new Error(`output ${i} has ${other.length} elements, not ${data.length}`);
      let largest = 1e-3, apart = 0;
      for (let k = 0; k < data.length; k++) {
        const x = Number(data[k]), y = Number(other[k]);
        if (Number.isNaN(x) && Number.isNaN(y) || x === y) continue;
        apart = Math.max(apart, Number.isFinite(x - y) ? Math.abs(x - y) : Infinity);
      }
      for (const x of data) if (Number.isFinite(Number(x))) largest = Math.max(largest, Math.abs(Number(x)));
      result.difference = Math.max(result.difference, apart / largest);
    });
  } catch (e) {
    result.peer = String(e.message ?? e);
    theirs = null;
  }
  const times = { ours: [], theirs: [] };
  const window = async (list, run) => {
    const own = [], end = performance.now() + 1000 * job.seconds / 8;
    do {
      const start = performance.now(), r = await run();
      own.push(r.ms ?? performance.now() - start);
    } while (performance.now() < end);
    list.push(median(own));
  };
  for (let i = 0; i < 7; i++) {
    await window(times.ours, () => mine.run(feeds));
    if (theirs) await window(times.theirs, () => theirs.run(feeds, 4));
  }
  result.ours = median(times.ours);
  if (theirs) result.theirs = median(times.theirs);
  theirs?.end?.();
  console.log(JSON.stringify(result));
} catch (e) {
  console.log(JSON.stringify({ error: String(e.message ?? e) }));
}
process.exit(0);
