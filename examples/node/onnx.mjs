// Runs ONNX models with onnxruntime-web's WebNN execution provider, whose navigator.ml is libwebnn,
// and with onnxruntime-node:  node onnx.mjs [--runs N] [--tolerance 1e-3] [--as-is] MODEL.onnx...
// Exits with 1 when a node is not placed on WebNN or a result differs by more than the tolerance.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import url from 'node:url';
import { parseArgs } from 'node:util';
import { fixGru } from './client_bugs.mjs';

const { values: args, positionals: models } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '10' },
    tolerance: { type: 'string', default: '1e-3' },
    'as-is': { type: 'boolean', default: false },
    child: { type: 'boolean', default: false },
  },
});
process.exitCode = args.child ? await compare(models[0]) : models.map(report).every(Boolean) ? 0 : 1;

/** Runs a model in a separate process: only onnxruntime-web's log says which nodes are on WebNN. */
function report(model) {
  const options = ['--child', '--runs', args.runs, ...(args['as-is'] ? ['--as-is'] : [])];
  const child = spawnSync(process.execPath, [url.fileURLToPath(import.meta.url), ...options, model],
                          { encoding: 'utf8', maxBuffer: 2 ** 30 });
  const log = child.stdout + child.stderr;
  const line = log.match(/^RESULT (.*)$/m);
  if (!line) {
    console.log(`${model}: failed\n${log.slice(-3000)}`);
    return false;
  }
  const { worst, ms, native } = JSON.parse(line[1]);
  const number = (what) => Number(log.match(new RegExp(`number of nodes ${what}: (\\d+)`))?.[1]);
  const total = number('in the graph'), placed = number('supported by WebNN');
  console.log(`${model}: ${placed} of ${total} nodes on WebNN, largest difference ` +
              `${worst.toExponential(2)}, ${ms.toFixed(2)} ms; onnxruntime-node ${native.toFixed(2)} ms`);
  return placed === total && worst <= Number(args.tolerance);
}

/** Uniform numbers from a fixed seed: in [-1, 1), or integers 0 and 1, which index any table. */
function values(type, count, random) {
  const arrays = {
    float32: Float32Array, int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array,
    uint8: Uint8Array, int8: Int8Array, bool: Uint8Array,
  };
  const list = new arrays[type](count);
  for (let i = 0; i < count; ++i) {
    const x = random();
    list[i] = type === 'float32' ? 2 * x - 1 : type === 'int64' ? BigInt(x < 0.5) : Number(x < 0.5);
  }
  return list;
}
function generator(seed) {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

async function compare(file) {
  await import('./page.mjs');
  globalThis.GPUDevice ??= class GPUDevice {};  // onnxruntime-web asks whether a context is one
  const web = await import('onnxruntime-web/all');
  const { default: native } = await import('onnxruntime-node');
  web.env.wasm.numThreads = 1;
  const reference = await native.InferenceSession.create(file, { logSeverityLevel: 3 });
  const model = new Uint8Array(fs.readFileSync(file));
  if (!args['as-is']) fixGru(MLGraphBuilder, model);
  const session = await web.InferenceSession.create(model, {
    executionProviders: [{ name: 'webnn', deviceType: 'cpu' }], logSeverityLevel: 0,
  });
  const random = generator(1);
  const inputs = reference.inputMetadata.map(({ name, type, shape }) => {
    const dims = shape.map((d) => (typeof d === 'number' ? d : 1));
    return [name, type, values(type, dims.reduce((a, b) => a * b, 1), random), dims];
  });
  const feeds = (ort) =>
    Object.fromEntries(inputs.map(([name, type, data, dims]) => [name, new ort.Tensor(type, data, dims)]));
  const [expected, nativeMs] = await timed(() => reference.run(feeds(native)));
  const [actual, ms] = await timed(() => session.run(feeds(web)));
  const worst = Math.max(...reference.outputNames.map((n) => difference(actual[n].data, expected[n].data)));
  console.log(`\nRESULT ${JSON.stringify({ worst, ms, native: nativeMs })}`);
  return 0;
}

async function timed(run) {
  const times = [];
  let result = await run();
  for (let i = 0; i < Number(args.runs); ++i) {
    const start = performance.now();
    result = await run();
    times.push(performance.now() - start);
  }
  return [result, times.sort((a, b) => a - b)[times.length >> 1] ?? NaN];
}

/** The largest difference as a share of the largest value. */
function difference(actual, expected) {
  if (actual.length !== expected.length) return Infinity;
  let largest = 0, maxValue = 0;
  for (let i = 0; i < expected.length; ++i) {
    const a = Number(actual[i]), e = Number(expected[i]);
    maxValue = Math.max(maxValue, Math.abs(e));
    largest = Math.max(largest, a === e ? 0 : Math.abs(a - e));
    if (Number.isNaN(a) !== Number.isNaN(e)) return Infinity;
  }
  return maxValue === 0 ? largest : largest / maxValue;
}
