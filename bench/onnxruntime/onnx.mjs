// Models built node by node in ONNX, and their time in ONNX Runtime.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import onnxProto from 'onnx-proto';
import ort from 'onnxruntime-node';

const { onnx } = onnxProto;
const FLOAT = 1;
const floats = (bytes) => new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));

/** the tensors of a .safetensors file, by name */
function readWeights(path) {
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
export const string = (name, s) => ({ name, type: AttributeProto.AttributeType.STRING, s: Buffer.from(s) });

/** a graph under construction; its weights are those that a program in .. exported */
export class Model {
  nodes = [];
  initializers = [];

  constructor(folder) { this.weights = readWeights(join(folder, 'weights.safetensors')); }

  weight(name) {
    const { shape, bytes } = this.weights.get(name);
    this.initializers.push({ name, dims: shape, dataType: FLOAT, rawData: bytes });
    return name;
  }
  values(dims, list) {
    const name = `v${this.initializers.length}`;
    this.initializers.push({ name, dims, dataType: FLOAT, rawData: new Uint8Array(Float32Array.from(list).buffer) });
    return name;
  }
  int64s(list) {
    const name = `v${this.initializers.length}`;
    this.initializers.push({ name, dims: [list.length], dataType: 7, rawData: new Uint8Array(BigInt64Array.from(list, BigInt).buffer) });
    return name;
  }
  node(opType, input, attribute = []) {
    const output = [`x${this.nodes.length}`];
    this.nodes.push({ opType, name: output[0], input, output, attribute });
    return output[0];
  }
  bytes(inputShape, output, outputShape) {
    const value = (name, shape) => ({ name, type: { tensorType: { elemType: FLOAT, shape: { dim: shape.map((dimValue) => ({ dimValue })) } } } });
    return onnx.ModelProto.encode({
      irVersion: 8, opsetImport: [{ version: 13 }],
      graph: { name: 'network', node: this.nodes, initializer: this.initializers, input: [value('input', inputShape)], output: [value(output, outputShape)] },
    }).finish();
  }
}

/** prints the median time of a run, and how far the result is from the one in the folder */
export async function measure(model, folder, inputShape, outputShape, { threads, seconds }) {
  const session = await ort.InferenceSession.create(model, {
    executionProviders: ['cpu'], intraOpNumThreads: +threads, interOpNumThreads: 1,
    executionMode: 'sequential', graphOptimizationLevel: 'all', logSeverityLevel: 3,
  });
  const count = outputShape.reduce((a, b) => a * b);
  const feeds = { input: new ort.Tensor('float32', floats(readFileSync(join(folder, 'input.bin'))), inputShape) };
  const name = session.outputNames[0];
  const fetches = { [name]: new ort.Tensor('float32', new Float32Array(count), outputShape) };
  for (let i = 0; i < 3; i++) await session.run(feeds, fetches);
  const times = [];
  for (const start = performance.now(); performance.now() - start < 1000 * seconds;) {
    const t = performance.now();
    await session.run(feeds, fetches);
    times.push(performance.now() - t);
  }
  times.sort((a, b) => a - b);
  const theirs = (await session.run(feeds))[name].data, ours = floats(readFileSync(join(folder, 'output.bin')));
  let difference = 0, largest = 0;
  theirs.forEach((v, i) => {
    difference = Math.max(difference, Math.abs(v - ours[i]));
    largest = Math.max(largest, Math.abs(v));
  });
  console.log(JSON.stringify({
    runner: 'onnxruntime', threads: +threads, median_ms: +times[times.length >> 1].toFixed(4),
    min_ms: +times[0].toFixed(4), runs: times.length, relative_difference: difference / largest,
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
