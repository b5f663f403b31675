// Compares the native import of ONNX models, `webnn run`, with onnxruntime-node:
//   node native.mjs [--webnn PROGRAM] [--tolerance 1e-4] [--dim NAME=SIZE]... MODEL.onnx...
// Exits with 1 when an output differs by more than the tolerance, as a share of its largest value.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import ort from 'onnxruntime-node';

const { values: args, positionals: models } = parseArgs({
  allowPositionals: true,
  options: {
    webnn: { type: 'string', default: 'webnn' },
    tolerance: { type: 'string', default: '1e-4' },
    dim: { type: 'string', multiple: true, default: [] },
  },
});
const sizes = new Map(args.dim.map((d) => d.split('=')));
const types = {
  float32: ['<f4', Float32Array], int32: ['<i4', Int32Array], uint32: ['<u4', Uint32Array],
  int64: ['<i8', BigInt64Array], int8: ['|i1', Int8Array], uint8: ['|u1', Uint8Array],
  bool: ['|u1', Uint8Array],
};

function npy(descr, data, dims) {
  let header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${dims.join(', ')}${
      dims.length === 1 ? ',' : ''}), }`;
  header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + '\n';
  const start = Buffer.from('\x93NUMPY\x01\x00\x00\x00', 'latin1');
  start.writeUInt16LE(header.length, 8);
  return Buffer.concat([start, Buffer.from(header), Buffer.from(data.buffer)]);
}
function elements(file, type) {
  const bytes = fs.readFileSync(file);
  return new types[type][1](new Uint8Array(bytes.subarray(10 + bytes.readUInt16LE(8))).buffer);
}

/** Numbers of a fixed seed: in [-1, 1), or integers 0 and 1, which index any table. */
let seed = 1;
function random() {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}
function values(type, count) {
  const one = { float32: () => 2 * random() - 1, int64: () => BigInt(random() < 0.5) }[type] ??
              (() => Number(random() < 0.5));
  return types[type][1].from({ length: count }, one);
}

function difference(actual, expected) {
  let worst = 0, largest = 0;
  expected.forEach((e, i) => {
    const [a, b] = [Number(actual[i]), Number(e)];
    if (a !== b && !(Number.isNaN(a) && Number.isNaN(b))) worst = Math.max(worst, Math.abs(a - b));
    if (Number.isNaN(a) !== Number.isNaN(b)) worst = Infinity;
    largest = Math.max(largest, Math.abs(b) || 0);
  });
  return actual.length !== expected.length ? Infinity : largest > 0 ? worst / largest : worst;
}

async function compare(model) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'webnn_onnx_'));
  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 3 });
  const feeds = {}, options = args.dim.map((d) => ['--dim', d]);
  session.inputMetadata.forEach(({ name, type, shape }, i) => {
    const dims = shape.map((d) => (typeof d === 'number' ? d : Number(sizes.get(d) ?? 1)));
    const data = values(type, dims.reduce((a, b) => a * b, 1));
    feeds[name] = new ort.Tensor(type, data, dims);
    fs.writeFileSync(path.join(folder, `in${i}.npy`), npy(types[type][0], data, dims));
    options.push(['--input', `${name}=${path.join(folder, `in${i}.npy`)}`]);
  });
  session.outputNames.forEach((name, i) =>
    options.push(['--output', `${name}=${path.join(folder, `out${i}.npy`)}`]));
  const expected = await session.run(feeds);
  execFileSync(args.webnn, ['run', model, ...options.flat()], { stdio: ['ignore', 'ignore', 'inherit'] });
  const worst = Math.max(...session.outputNames.map((name, i) =>
    difference(elements(path.join(folder, `out${i}.npy`), expected[name].type), expected[name].data)));
  fs.rmSync(folder, { recursive: true });
  console.log(`${model}: largest difference ${worst.toExponential(2)}`);
  return worst <= Number(args.tolerance);
}

let passed = true;
for (const model of models) passed = await compare(model) && passed;
process.exitCode = passed ? 0 : 1;
