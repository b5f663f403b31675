// Models built node by node in ONNX, and their time in ONNX Runtime.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import onnxProto from 'onnx-proto';
import ort from 'onnxruntime-node';

const { onnx } = onnxProto;
const FLOAT = 1;
const floats = (bytes) => new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));

/** the tensors of a .safetensors file: name -> { shape, bytes } */
export function readTensors(path) {
  const file = readFileSync(path);
  const size = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.subarray(8, 8 + size).toString());
  delete header.__metadata__;
  return new Map(Object.entries(header).map(([name, { shape, data_offsets: [begin, end] }]) =>
    [name, { shape, bytes: file.subarray(8 + size + begin, 8 + size + end) }]));
}

const { AttributeProto } = onnx;
export const ints = (name, list) => ({ name, type: AttributeProto.AttributeType.INTS, ints: list });
export const int = (name, i) => ({ name, type: AttributeProto.AttributeType.INT, i });
export const float = (name, f) => ({ name, type: AttributeProto.AttributeType.FLOAT, f });
export const string = (name, s) => ({ name, type: AttributeProto.AttributeType.STRING, s: Buffer.from(s) });

/** a graph under construction; its weights are those that a program in .. exported */
export class Model {
  nodes = [];
  initializers = [];

  constructor(folder) { this.weights = readTensors(join(folder, 'weights.safetensors')); }

  weight(name) {
    const { shape, bytes } = this.weights.get(name);
    const own = `weight:${name}`;  // an input may have the same name
    this.initializers.push({ name: own, dims: shape, dataType: FLOAT, rawData: bytes });
    return own;
  }
  values(dims, list) {
    const name = `constant:${this.initializers.length}`;
    this.initializers.push({ name, dims, dataType: FLOAT, rawData: new Uint8Array(Float32Array.from(list).buffer) });
    return name;
  }
  int64s(list) {
    const name = `constant:${this.initializers.length}`;
    this.initializers.push({ name, dims: [list.length], dataType: 7, rawData: new Uint8Array(BigInt64Array.from(list, BigInt).buffer) });
    return name;
  }
  /** two weights, one behind the other along dimension 1 */
  joined(name, other) {
    const [a, b] = [name, other].map((n) => this.weights.get(n));
    const dims = [a.shape[0], a.shape[1] + b.shape[1], ...a.shape.slice(2)];
    return this.values(dims, [...floats(a.bytes), ...floats(b.bytes)]);
  }
  /** the name of the first result; `result` of how many, or a name for the only one */
  node(opType, input, attribute = [], result = 1) {
    const id = `x${this.nodes.length}`;
    const output = typeof result === 'string' ? [result] : [id, ...Array.from({ length: result - 1 }, (_, i) => `${id}.${i + 1}`)];
    this.nodes.push({ opType, name: id, input, output, attribute });
    return output[0];
  }
  /** gives a value the name of an output */
  output(name, x) { this.node('Identity', [x], [], name); }
  /** inputs and outputs: name -> { shape }, as readTensors() returns them */
  bytes(inputs, outputs, opset = 13) {
    const values = (all) => [...all].map(([name, { shape }]) => (
      { name, type: { tensorType: { elemType: FLOAT, shape: { dim: shape.map((dimValue) => ({ dimValue })) } } } }));
    return onnx.ModelProto.encode({
      irVersion: 8, opsetImport: [{ version: opset }],
      graph: { name: 'network', node: this.nodes, initializer: this.initializers, input: values(inputs), output: values(outputs) },
    }).finish();
  }
}

/** prints the median time of a run, and how far the results are from those in the folder */
export async function measure(model, inputs, outputs, { threads, seconds }) {
  const session = await ort.InferenceSession.create(model, {
    executionProviders: ['cpu'], intraOpNumThreads: +threads, interOpNumThreads: 1,
    executionMode: 'sequential', graphOptimizationLevel: 'all', logSeverityLevel: 3,
  });
  const tensors = (all, values) => Object.fromEntries([...all].map(([name, t]) => [name, new ort.Tensor('float32', values(t), t.shape)]));
  const feeds = tensors(inputs, (t) => floats(t.bytes));
  const fetches = tensors(outputs, (t) => new Float32Array(t.bytes.length / 4));
  for (let i = 0; i < 3; i++) await session.run(feeds, fetches);
  const times = [];
  for (const start = performance.now(); performance.now() - start < 1000 * seconds;) {
    const t = performance.now();
    await session.run(feeds, fetches);
    times.push(performance.now() - t);
  }
  times.sort((a, b) => a - b);
  const results = await session.run(feeds);
  let relative = 0;
  for (const [name, t] of outputs) {
    const ours = floats(t.bytes);
    let difference = 0, largest = 0;
    results[name].data.forEach((v, i) => {
      difference = Math.max(difference, Math.abs(v - ours[i]));
      largest = Math.max(largest, Math.abs(v));
    });
    relative = Math.max(relative, difference / largest);
  }
  console.log(JSON.stringify({
    runner: 'onnxruntime', threads: +threads, median_ms: +times[times.length >> 1].toFixed(4),
    min_ms: +times[0].toFixed(4), runs: times.length, relative_difference: relative,
  }));
}

/** [positional arguments, options] */
export function commandLine() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { threads: { type: 'string', default: '2' }, seconds: { type: 'string', default: '1' } },
  });
  return [positionals, values];
}
