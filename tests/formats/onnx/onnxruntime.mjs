// Runs models with onnxruntime-node:  node onnxruntime.mjs DIR FOLDER FIRST END [PLAIN]
// DIR has node_modules. FOLDER has N.onnx and the bytes of its inputs, N.in0, N.in1, ..., in the
// order of the model, with their sizes in N.in0.shape where these are open; N.out0, ... are written,
// or N.error. The runtime's extended optimizations are
// off: they quantize the activations of products with weights of 4 bits. What fails is run again
// without any, PLAIN at once: then there is N.plain.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [modules, folder, first, end, plain] = process.argv.slice(2);
const ort = createRequire(path.join(path.resolve(modules), 'x.js'))('onnxruntime-node');
const arrays = {
  float32: Float32Array, float16: Uint16Array, int32: Int32Array, uint32: Uint32Array,
  int64: BigInt64Array, uint64: BigUint64Array, int8: Int8Array, uint8: Uint8Array,
  int4: Int8Array, uint4: Uint8Array,
};

async function run(base, graphOptimizationLevel) {
  const session = await ort.InferenceSession.create(`${base}.onnx`, {
    intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 4, graphOptimizationLevel,
  });
  const feeds = {};
  session.inputMetadata.forEach(({ name, type, shape }, i) => {
    const bytes = new Uint8Array(fs.readFileSync(`${base}.in${i}`));
    const sizes = `${base}.in${i}.shape`;
    if (fs.existsSync(sizes)) shape = JSON.parse(fs.readFileSync(sizes));
    const Halves = type === 'float16' && globalThis.Float16Array || arrays[type];
    feeds[name] = new ort.Tensor(type, new Halves(bytes.buffer), shape);
  });
  const results = await session.run(feeds);
  session.outputNames.forEach((name, i) => {
    const { data } = results[name];
    fs.writeFileSync(`${base}.out${i}`,
                     new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  });
}

for (let n = Number(first); n < Number(end); ++n) {
  const base = path.join(folder, String(n));
  fs.writeFileSync(path.join(folder, 'at'), String(n));
  try {
    if (String(n) === plain) throw new Error('the process ended');
    await run(base, 'basic');
  } catch (e) {
    fs.writeFileSync(`${base}.plain`, String(e.message ?? e));
    try {
      await run(base, 'disabled');
    } catch (e) {
      fs.writeFileSync(`${base}.error`, String(e.message ?? e));
    }
  }
}
