// Small random models against llama.cpp: models.mjs PROGRAM
// WEBNN_LLAMA_NODE names a folder whose node_modules has node-llama-cpp.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = process.env.WEBNN_LLAMA_NODE;
const entry = folder && path.join(path.resolve(folder), 'node_modules/node-llama-cpp/dist/index.js');
if (!entry || !fs.existsSync(entry)) {
  console.log('skipped: WEBNN_LLAMA_NODE is not a folder with node-llama-cpp');
  process.exit(77);
}
const { getLlama } = await import(pathToFileURL(entry).href);
const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error' });

// llama.cpp quantizes activations to 8 bits for quantized weights, rounds them to the type of the
// weights for F16 and BF16, and computes gelu with a table of float16. So each type is compared twice:
// with llama.cpp on that file, and, exactly, with llama.cpp on the values of the weights as F32.
const tolerances = { F32: 1e-4, F16: 5e-3, BF16: 2e-2 };
const tolerance = (name) => /gemma3|gpt2/.test(name) ? 5e-3 : tolerances[name.split('.')[1]] ?? 0.15;
const own_file = (name) => name.replace(/-of-(\w+)\.F32/, '.$1');

const program = process.argv[2], steps = 64, vocabulary = 512;
const run = (...args) => {
  const result = spawnSync(program, args, { maxBuffer: 2 ** 30 });
  if (result.status !== 0) throw new Error(`${program}: ${result.stderr}`);
  return result.stdout;
};
const models = fs.mkdtempSync(path.join(os.tmpdir(), 'webnn-lm-'));

async function same_embeddings(name, file, model) {
  const context = await model.createEmbeddingContext({ contextSize: 128, threads: 1 });
  let worst = 0;
  for (const count of [1, 7, 33]) {
    const out = run('embedding', file, String(count));
    const bytes = out.buffer.slice(out.byteOffset, out.byteOffset + out.length);
    const { vector } = await context.getEmbeddingFor(Array.from(new Int32Array(bytes, 0, count)));
    const own = new Float32Array(bytes, 4 * count), length = Math.hypot(...vector);
    own.forEach((v, i) => { worst = Math.max(worst, Math.abs(v - vector[i] / length)); });
  }
  const good = worst < 5e-3;
  console.log(`${good ? 'ok  ' : 'FAIL'} ${name}: embeddings differ by ${worst.toExponential(1)}`);
  return good;
}

let failed = false;
try {
  for (const name of run('write', models).toString().trim().split('\n')) {
    const file = path.join(models, name);
    const model = await llama.loadModel({ modelPath: file });
    if (name.startsWith('bert')) {
      failed ||= !await same_embeddings(name, file, model);
      continue;
    }
    let worst = 0, different = 0, compared = 0;
    for (const prompt of [1, 7, 33]) {
      const out = run('logits', path.join(models, own_file(name)), String(prompt));
      const bytes = out.buffer.slice(out.byteOffset, out.byteOffset + out.length);
      const tokens = Array.from(new Int32Array(bytes, 0, prompt + steps));
      const logits = new Float32Array(bytes, 4 * (prompt + steps));
      const context = await model.createContext({
        contextSize: 128, threads: 1, flashAttention: false,
        experimentalKvCacheKeyType: 'F32', experimentalKvCacheValueType: 'F32' });
      const sequence = context.getSequence();
      const asked = tokens.slice(0, prompt + steps - 1).map((token, i) => i < prompt - 1 ? token
        : [token, { generateNext: { probabilities: true, options: { temperature: 1 } } }]);
      const results = (await sequence.controlledEvaluate(asked)).slice(prompt - 1);
      results.forEach(({ next }, i) => {
        const own = logits.subarray(i * vocabulary, (i + 1) * vocabulary);
        const best = own.indexOf(Math.max(...own));
        const [other, top] = next.probabilities.entries().next().value;
        let largest = 0, difference = 0;
        for (const [token, p] of next.probabilities) {
          largest = Math.max(largest, Math.abs(own[token]));
          difference = Math.max(difference, Math.abs(own[token] - own[other] - Math.log(p / top)));
        }
        const margin = Math.abs(own[best] - own[other]);
        if (other !== best && margin > tolerance(name) * largest) ++different;
        worst = Math.max(worst, difference / largest);
        ++compared;
      });
      await context.dispose();
    }
    await model.dispose();
    const good = worst <= tolerance(name) && different === 0 && compared === 3 * steps;
    console.log(`${good ? 'ok  ' : 'FAIL'} ${name}: ${compared} positions, logits differ by ${worst.toExponential(1)} of `
      + `the largest, ${different} other greedy tokens`);
    failed ||= !good;
  }
} finally {
  fs.rmSync(models, { recursive: true });
}
process.exit(failed ? 1 : 0);
