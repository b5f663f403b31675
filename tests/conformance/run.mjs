// Runs the W3C tests of WebNN, unmodified, with the addon. See README.md.
//   node run.mjs --addon index.mjs [--wpt DIR] [--backends ORDER]... [--filter RE] [--jobs N]
//                [--json FILE] [--junit FILE] [--failures N]
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import url from 'node:url';
import { parseArgs } from 'node:util';
import { junit } from './junit.mjs';

const skipped = 77;
const { values: args } = parseArgs({
  options: {
    addon: { type: 'string' },
    wpt: { type: 'string', default: process.env.WEBNN_WPT_DIR ?? '' },
    backends: { type: 'string', multiple: true, default: ['default'] },
    filter: { type: 'string', default: '' },
    jobs: { type: 'string', default: '2' },
    json: { type: 'string' },
    junit: { type: 'string' },
    failures: { type: 'string', default: '5' },
  },
});
if (!args.wpt) {
  console.log('WEBNN_WPT_DIR is not set: it names a checkout of web-platform-tests');
  process.exit(skipped);
}
if (!args.addon) {
  console.error('--addon is missing: the index.mjs of the built package');
  process.exit(2);
}
const wpt = path.resolve(args.wpt);
const page = path.join(path.dirname(url.fileURLToPath(import.meta.url)), 'page.mjs');
const results = [];
for (const order of args.backends) results.push(...(await runAll(order)));
print(results);
if (args.json) fs.writeFileSync(args.json, JSON.stringify(results, null, 1));
if (args.junit) fs.writeFileSync(args.junit, junit(results));
process.exit(results.length > 0 && results.every(passed) ? 0 : 1);

/** The files, each for pages and workers, in the variants of its META lines for the CPU. */
function testPages() {
  const filter = new RegExp(args.filter);
  return fs.readdirSync(path.join(wpt, 'webnn'), { recursive: true })
    .filter((name) => name.endsWith('.any.js') && filter.test(name))
    .sort()
    .flatMap(pagesOf);
}

function pagesOf(name) {
  const text = fs.readFileSync(path.join(wpt, 'webnn', name), 'utf8');
  const meta = (key) =>
    [...text.matchAll(new RegExp(`^// META: ${key}=(.*)$`, 'gm'))].map((match) => match[1].trim());
  const all = meta('variant');
  const variants = all.length === 0 ? [''] : all.filter((variant) => !/\b[gn]pu\b/.test(variant));
  const scopes = (meta('global')[0] ?? 'window,dedicatedworker').split(',').map((s) => s.trim());
  const worker = scopes.some((scope) => scope === 'worker' || scope === 'dedicatedworker');
  return variants.flatMap((variant) =>
    (worker ? [[], ['worker']] : [[]]).map((scope) => ({ name, variant, scope })));
}

async function runAll(order) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'webnn-conformance-'));
  const pages = testPages();
  const done = [];
  let next = 0;
  const worker = async () => {
    for (let i; (i = next++) < pages.length;) {
      const { name, variant, scope } = pages[i];
      const shown = [name + (variant === '?cpu' ? '' : variant), ...scope].join(' ');
      const output = path.join(scratch, `${i}.json`);
      done[i] = { order, name: shown, ...(await runOne(order, name, output, variant, scope)) };
    }
  };
  await Promise.all(Array.from({ length: Number(args.jobs) }, worker));
  fs.rmSync(scratch, { recursive: true });
  return done;
}

/** Runs a file in a separate process: a crash is a failure of that file only. */
async function runOne(order, name, output, variant, scope) {
  const env = { ...process.env };
  if (order !== 'default') env.WEBNN_BACKENDS = order;
  const start = Date.now();
  const child = spawn(process.execPath,
                      ['--expose-gc', page, args.addon, wpt, path.join(wpt, 'webnn', name), output,
                       variant, ...scope],
                      { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (log += text));
  const ended = await new Promise((resolve) =>
    child.on('close', (code, signal) => resolve(signal ?? code)));
  const seconds = (Date.now() - start) / 1000;
  if (ended === 0 && fs.existsSync(output))
    return { ...JSON.parse(fs.readFileSync(output)), seconds };
  return { harness: `CRASH ${ended}`, message: log.slice(-4000), tests: [], seconds };
}

function passed(file) {
  return file.harness === 'OK' && file.tests.length > 0 &&
         file.tests.every((t) => t.status === 'PASS');
}

function largest(tests, key) {
  return tests.reduce((max, t) => (t[key] > (max ?? -1) ? t[key] : max), undefined);
}

function print(files) {
  const orders = [...new Set(files.map((f) => f.order))];
  for (const order of orders) {
    const mine = files.filter((f) => f.order === order);
    console.log(`\nbackends: ${order}`);
    console.log('  passed   of    max ULP  of tolerance  file');
    for (const f of mine) {
      const good = f.tests.filter((t) => t.status === 'PASS');
      const ulp = largest(good, 'ulp'), share = largest(good, 'share');
      console.log(
        `${passed(f) ? ' ' : '!'} ${String(good.length).padStart(6)} ` +
        `${String(f.tests.length).padStart(4)} ${String(ulp ?? '').padStart(10)}  ` +
        `${(share === undefined ? '' : (100 * share).toFixed(1) + ' %').padStart(12)}  ${f.name}` +
        (f.harness === 'OK' ? '' : `  ${f.harness}`));
    }
    for (const f of mine.filter((x) => !passed(x))) printFailures(f);
    const tests = mine.flatMap((f) => f.tests);
    const good = tests.filter((t) => t.status === 'PASS').length;
    console.log(`${order}: ${mine.filter(passed).length} of ${mine.length} files, ` +
                `${good} of ${tests.length} tests passed`);
  }
}

function printFailures(file) {
  console.log(`\n${file.name} (${file.order}): ${file.harness} ${file.message.slice(0, 1000)}`);
  const bad = file.tests.filter((t) => t.status !== 'PASS');
  for (const t of bad.slice(0, Number(args.failures)))
    console.log(`  ${t.status} ${t.name}: ${t.message.slice(0, 300)}`);
}
