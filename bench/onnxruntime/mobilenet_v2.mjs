// The MobileNetV2 that ../mobilenet_v2.cpp exports, in ONNX Runtime: the median time of a run, and
// how far its output is from ours.
//   node mobilenet_v2.mjs FOLDER [--threads N] [--seconds S]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import onnxProto from 'onnx-proto';
import ort from 'onnxruntime-node';

const { onnx } = onnxProto;
const { values: args, positionals } = parseArgs({
  allowPositionals: true,
  options: { threads: { type: 'string', default: '2' }, seconds: { type: 'string', default: '1' } },
});
const folder = positionals[0];

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

function model(weights) {
  const nodes = [], initializers = [];
  const ints = (name, list) => ({ name, type: onnx.AttributeProto.AttributeType.INTS, ints: list });
  const int = (name, i) => ({ name, type: onnx.AttributeProto.AttributeType.INT, i });
  const constant = (name) => {
    const { shape, bytes } = weights.get(name);
    initializers.push({ name, dims: shape, dataType: FLOAT, rawData: bytes });
    return name;
  };
  const scalar = (name, value) => {
    initializers.push({ name, dims: [], dataType: FLOAT, rawData: new Uint8Array(Float32Array.of(value).buffer) });
    return name;
  };
  const node = (opType, input, attribute = []) => {
    const output = [`x${nodes.length}`];
    nodes.push({ opType, name: output[0], input, output, attribute });
    return output[0];
  };
  const zero = scalar('zero', 0), six = scalar('six', 6);
  const conv = (name, x, kernel, stride, group = 1) => node('Conv', [x, constant(`${name}.weight`), constant(`${name}.bias`)], [
    ints('kernel_shape', [kernel, kernel]), ints('strides', [stride, stride]), int('group', group),
    ints('pads', Array(4).fill(kernel >> 1)),
  ]);
  const relu6 = (x) => node('Clip', [x, zero, six]);

  let x = relu6(conv('stem', 'input', 3, 2)), channels = 32, index = 0;
  for (const [expand, out, count, first] of [[1, 16, 1, 1], [6, 24, 2, 2], [6, 32, 3, 2], [6, 64, 4, 2], [6, 96, 3, 1], [6, 160, 3, 2], [6, 320, 1, 1]])
    for (let i = 0; i < count; i++) {
      const from = x, name = `block${++index}`, middle = channels * expand, stride = i ? 1 : first;
      if (expand > 1) x = relu6(conv(`${name}.expand`, x, 1, 1));
      x = relu6(conv(`${name}.depthwise`, x, 3, stride, middle));
      x = conv(`${name}.project`, x, 1, 1);
      if (stride === 1 && channels === out) x = node('Add', [x, from]);
      channels = out;
    }
  x = node('GlobalAveragePool', [relu6(conv('last', x, 1, 1))]);
  x = node('Gemm', [node('Flatten', [x]), constant('classes.weight'), constant('classes.bias')], [int('transB', 1)]);

  const value = (name, shape) => ({ name, type: { tensorType: { elemType: FLOAT, shape: { dim: shape.map((dimValue) => ({ dimValue })) } } } });
  return onnx.ModelProto.encode({
    irVersion: 8, opsetImport: [{ version: 13 }],
    graph: { name: 'mobilenet_v2', node: nodes, initializer: initializers, input: [value('input', [1, 3, 224, 224])], output: [value(x, [1, 1000])] },
  }).finish();
}

const session = await ort.InferenceSession.create(model(readWeights(join(folder, 'weights.safetensors'))), {
  executionProviders: ['cpu'], intraOpNumThreads: +args.threads, interOpNumThreads: 1,
  executionMode: 'sequential', graphOptimizationLevel: 'all', logSeverityLevel: 3,
});
const feeds = { input: new ort.Tensor('float32', floats(readFileSync(join(folder, 'input.bin'))), [1, 3, 224, 224]) };
const name = session.outputNames[0];
const fetches = { [name]: new ort.Tensor('float32', new Float32Array(1000), [1, 1000]) };
for (let i = 0; i < 5; i++) await session.run(feeds, fetches);
const times = [];
for (const start = performance.now(); performance.now() - start < 1000 * args.seconds;) {
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
  runner: 'onnxruntime', threads: +args.threads, median_ms: +times[times.length >> 1].toFixed(4),
  min_ms: +times[0].toFixed(4), runs: times.length, relative_difference: difference / largest,
}));
