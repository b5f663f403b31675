// Small random models in .onnx files against ONNX Runtime, step by step: onnx_models.mjs WRITER PROGRAM
// WEBNN_ONNXRUNTIME_NODE names a folder whose node_modules has onnxruntime-node.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const folder = process.env.WEBNN_ONNXRUNTIME_NODE;
if (!folder || !fs.existsSync(path.join(folder, 'node_modules/onnxruntime-node'))) {
  console.log('skipped: WEBNN_ONNXRUNTIME_NODE is not a folder with onnxruntime-node');
  process.exit(77);
}
const ort = createRequire(path.join(path.resolve(folder), 'x.js'))('onnxruntime-node');
const [writer, program] = process.argv.slice(2), steps = 64, vocabulary = 512;
const run = (command, ...args) => {
  const result = spawnSync(command, args, { maxBuffer: 2 ** 30 });
  if (result.status !== 0) throw new Error(`${command}: ${result.stderr}`);
  return result.stdout;
};
// Both compute float16 in float32 and round in other places.
const tolerance = (name) => (name.startsWith('float16') ? 1e-2 : 1e-4);

const halves = globalThis.Float16Array ?? Uint16Array;
const value_of = (bits) => {
  const exponent = bits >> 10 & 31, fraction = bits & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  return bits >> 15 ? -size : size;
};
const floats_of = (tensor) => tensor.type === 'float16' && halves === Uint16Array
  ? Float32Array.from(tensor.data, value_of) : Float32Array.from(tensor.data);

/** A sequence whose caches go from run to run. */
class Sequence {
  constructor(session) {
    this.session = session;
    this.past = {};
    this.size = 0;
    for (const { name, type, shape } of session.inputMetadata)
      if (name.startsWith('past_key_values')) {
        const sizes = [1, shape[1], typeof shape[2] === 'number' && shape[2] > 0 ? shape[2] : 0, shape[3]];
        const Elements = type === 'float16' ? halves : Float32Array;
        this.past[name] = new ort.Tensor(type, new Elements(sizes.reduce((a, b) => a * b)), sizes);
      }
  }
  /** The logits of the last token. */
  async read(tokens) {
    const list = (values) => new ort.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
    const feeds = { ...this.past, input_ids: list(tokens),
      attention_mask: list(Array(this.size + tokens.length).fill(1)) };
    if (this.session.inputNames.includes('position_ids'))
      feeds.position_ids = list(tokens.map((_, i) => this.size + i));
    const results = await this.session.run(feeds);
    for (const name of Object.keys(this.past))
      this.past[name] = results[name.replace('past_key_values', 'present')];
    this.size += tokens.length;
    return floats_of(results.logits).slice(-vocabulary);
  }
}

const models = fs.mkdtempSync(path.join(os.tmpdir(), 'webnn-onnx-models-'));
let failed = false;
try {
  for (const name of run(writer, models).toString().trim().split('\n')) {
    const model = path.join(models, name);
    // The runtime's extended optimizations fuse what is written out, which changes nothing here.
    const session = await ort.InferenceSession.create(path.join(model, 'model.onnx'),
      { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 4 });
    let worst = 0, different = 0, compared = 0;
    for (const prompt of [1, 7, 33]) {
      const out = run(program, 'logits', model, String(prompt));
      const bytes = out.buffer.slice(out.byteOffset, out.byteOffset + out.length);
      const tokens = Array.from(new Int32Array(bytes, 0, prompt + steps));
      const logits = new Float32Array(bytes, 4 * (prompt + steps));
      const sequence = new Sequence(session);
      for (let i = 0; i < steps; ++i) {
        const theirs = await sequence.read(i === 0 ? tokens.slice(0, prompt) : [tokens[prompt + i - 1]]);
        const own = logits.subarray(i * vocabulary, (i + 1) * vocabulary);
        let largest = 0, difference = 0;
        theirs.forEach((v, k) => {
          largest = Math.max(largest, Math.abs(v));
          difference = Math.max(difference, Math.abs(v - own[k]));
        });
        const best = own.indexOf(Math.max(...own)), other = theirs.indexOf(Math.max(...theirs));
        if (best !== other && Math.abs(theirs[best] - theirs[other]) > tolerance(name) * largest) ++different;
        worst = Math.max(worst, difference / largest);
        ++compared;
      }
    }
    await session.release();
    const good = worst <= tolerance(name) && different === 0 && compared === 3 * steps;
    console.log(`${good ? 'ok  ' : 'FAIL'} ${name}: ${compared} positions, logits differ by ${worst.toExponential(1)} of `
      + `the largest, ${different} other greedy tokens`);
    failed ||= !good;
  }
} finally {
  fs.rmSync(models, { recursive: true });
}
process.exit(failed ? 1 : 0);
