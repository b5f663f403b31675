// The texts of examples/trained/stories.txt from llama.cpp: stories.mjs FOLDER
// WEBNN_LLAMA_NODE names a folder whose node_modules has node-llama-cpp.
import fs from 'node:fs';
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
const model = await llama.loadModel({ modelPath: path.join(process.argv[2], 'stories.gguf') });
const lines = fs.readFileSync(path.join(process.argv[2], 'stories.txt'), 'utf8').trim().split('\n');
let compared = 0, different = 0;
for (let i = 0; i + 2 < lines.length; i += 3) {
  const context = await model.createContext({ contextSize: 256, threads: 1 });
  const tokens = [model.tokens.bos, ...model.tokenize(lines[i + 1])];
  const generated = [];
  for await (const token of context.getSequence().evaluate(tokens, { temperature: 0 })) {
    if (model.isEogToken(token) || generated.length === 200) break;
    generated.push(token);
  }
  const text = model.detokenize(generated);
  if (text !== lines[i + 2]) {
    console.log(`${lines[i + 1]}\n  llama.cpp: ${text}\n  recorded:  ${lines[i + 2]}`);
    ++different;
  }
  ++compared;
  await context.dispose();
}
console.log(`${compared} texts, ${different} are different`);
process.exit(compared === 16 && different === 0 ? 0 : 1);
