// Language models beside llama.cpp, in alternation, each in a process of its own.
//   WEBNN_LLAMA_NODE=DIR node language_models.mjs WEBNN MODEL.gguf...
//     [--rounds 5] [--threads 1,2] [--prompt 128] [--generate 64] [--accuracy int8]
// WEBNN: the command of a build. DIR has node_modules with node-llama-cpp. Prints a table of the best rounds:
// tokens per second of the prompt and of the tokens after it; the time to the first token of a short
// prompt, from the start of the command and, for llama.cpp, from the call that loads the file; and
// the largest resident memory, for llama.cpp without what Node had before.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve, basename } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values: v, positionals } = parseArgs({ allowPositionals: true, options: {
  rounds: { type: 'string', default: '5' }, threads: { type: 'string', default: '1,2' },
  prompt: { type: 'string', default: '128' }, generate: { type: 'string', default: '64' },
  accuracy: { type: 'string', default: 'int8' }, peer: { type: 'boolean', default: false },
} });
const short = 'Once upon a time, there was a boy named Tom. He had a dog';

/** The most memory that a process has had so far, in MB. */
function peak(pid) {
  try {
    const found = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found ? Number(found[1]) / 1024 : 0;
  } catch { return 0; }  // it has ended
}

async function llama_cpp(file, threads) {
  const entry = join(resolve(process.env.WEBNN_LLAMA_NODE), 'node_modules/node-llama-cpp/dist/index.js');
  const { getLlama } = await import(pathToFileURL(entry).href);
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error' });
  const before = peak('self'), start = performance.now();
  const model = await llama.loadModel({ modelPath: file });
  const context_size = Math.min(model.trainContextSize, 4096);
  const context = await model.createContext({ contextSize: context_size, threads });
  const sequence = context.getSequence();
  for await (const _ of sequence.evaluate(model.tokenize(short), { temperature: 0 })) break;
  const first = (performance.now() - start) / 1000, memory = peak('self') - before;
  const tokens = Array.from({ length: Number(v.prompt) }, (_, i) => 1 + (i * 37) % 200);
  await sequence.clearHistory();
  const begin = performance.now();
  let count = 0, prompted = 0;
  for await (const _ of sequence.evaluate(tokens, { temperature: 0, yieldEogToken: true })) {
    if (count === 0) prompted = performance.now();
    if (count++ === Number(v.generate)) break;
  }
  console.log(JSON.stringify({
    prompt: 1000 * tokens.length / (prompted - begin),
    generate: 1000 * (count - 1) / (performance.now() - prompted), first, memory }));
  process.exit(0);
}

async function ours(command, file, threads) {
  const start = performance.now();
  const child = spawn(command, ['generate', file, short, '--max-tokens', '1', '--ignore-end', '--threads', threads,
                                '--accuracy', v.accuracy], { stdio: ['ignore', 'pipe', 'ignore'] });
  let first = 0, memory = 0;
  const watch = setInterval(() => { memory = Math.max(memory, peak(child.pid)); }, 2);
  child.stdout.on('data', () => { first ||= (performance.now() - start) / 1000; });
  const code = await new Promise((done) => child.on('close', done));
  clearInterval(watch);
  if (code !== 0) throw new Error(`${command} generate ${file}: exit code ${code}`);
  const r = JSON.parse(run(command, ['bench', file, '--json', '--threads', threads, '--prompt', v.prompt,
                                     '--generate', v.generate, '--accuracy', v.accuracy]));
  return { prompt: r.prompt.best, generate: r.generate.best, first, memory };
}

function run(command, args) {
  const r = spawnSync(command, args, { encoding: 'utf8' });
  if (r.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${r.stderr || r.error}`);
  return r.stdout;
}

if (v.peer) await llama_cpp(positionals[0], Number(v.threads));
const [command, ...files] = positionals;
const best = (rounds, name) => rounds.map((r) => r[name]).reduce(
  (a, b) => (name === 'prompt' || name === 'generate') ? Math.max(a, b) : Math.min(a, b));
console.log('| model | threads | | ours | llama.cpp | ours / llama.cpp |\n| --- | --- | --- | --- | --- | --- |');
for (const file of files) {
  for (const threads of v.threads.split(',')) {
    const own = [], other = [];
    for (let i = 0; i < Number(v.rounds); ++i) {
      own.push(await ours(command, file, threads));
      other.push(JSON.parse(run(process.execPath, [
        fileURLToPath(import.meta.url), '--peer', file, '--threads', threads, '--prompt', v.prompt, '--generate', v.generate])));
    }
    const rows = [['prompt', `prompt of ${v.prompt}, tokens/s`], ['generate', 'decode, tokens/s'],
                  ['first', 'first token, s'], ['memory', 'memory, MB']];
    for (const [name, title] of rows) {
      const a = best(own, name), b = best(other, name), digits = name === 'first' ? 3 : 1;
      console.log(`| ${basename(file)} | ${threads} | ${title} | ${a.toFixed(digits)} | ${b.toFixed(digits)} | ${(a / b).toFixed(2)} |`);
    }
  }
}
