// The networks of the program `networks` beside ONNX Runtime, in alternation.
//   node models.mjs PROGRAMS [--rounds 5] [--threads 1,2] [--seconds 0.5] [--only a,b] [--out FOLDER]
// PROGRAMS: the folder of the benchmarks of a build, in which onnxruntime/ has its packages, or has
// none: then only this library is measured. Prints a table; --out gets models.json and models.svg.
// `of limit`: the least time of each step, by its arithmetic (as the operators are defined) or its
// memory, whichever is longer, against the time of a run. Winograd's method needs fewer
// multiplications than that, so that a network may be above 100 %.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values: v, positionals: [programs] } = parseArgs({ allowPositionals: true, options: {
  rounds: { type: 'string', default: '5' }, threads: { type: 'string', default: '1,2' }, seconds: { type: 'string', default: '0.5' },
  only: { type: 'string' }, out: { type: 'string' },
} });
const ours = join(programs, 'networks'), peer = join(programs, 'onnxruntime', 'networks.mjs');
const has_peer = existsSync(join(programs, 'onnxruntime', 'node_modules', 'onnxruntime-node'));

function run(command, args) {
  const r = spawnSync(command, args, { encoding: 'utf8' });
  if (r.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${r.stderr || r.error}`);
  return r.stdout;
}
const line = (command, args) => JSON.parse(run(command, args).split('\n')[0]);
const median = (a) => [...a].sort((x, y) => x - y)[a.length >> 1];
const mean = (a) => Math.exp(a.reduce((s, x) => s + Math.log(x), 0) / a.length);

function measure(network, threads) {
  const folder = join(programs, 'data', network), rounds = { ours: [], theirs: [] };
  run(ours, [network, '--export', folder, '--seconds', '0']);
  for (let i = 0; i < +v.rounds; i++) {
    rounds.ours.push(line(ours, [network, '--threads', threads, '--seconds', v.seconds, ...(i ? [] : ['--limit'])]));
    if (has_peer) rounds.theirs.push(line('node', [peer, network, folder, '--threads', threads, '--seconds', v.seconds]));
  }
  rmSync(folder, { recursive: true });
  const ms = (list, key) => list.length ? median(list.map((x) => x[key])) : null;
  const row = { network, kind: rounds.ours[0].kind, threads: +threads, ours_ms: ms(rounds.ours, 'median_ms'), onnxruntime_ms: ms(rounds.theirs, 'median_ms') };
  row.ratio = has_peer ? row.ours_ms / row.onnxruntime_ms : null;
  row.ratio_of_minima = has_peer ? Math.min(...rounds.ours.map((x) => x.min_ms)) / Math.min(...rounds.theirs.map((x) => x.min_ms)) : null;
  row.of_limit = rounds.ours[0].limit_ms / row.ours_ms;
  row.relative_difference = has_peer ? Math.max(...rounds.theirs.map((x) => x.relative_difference)) : null;
  return row;
}

const cpu = (readFileSync('/proc/cpuinfo', 'utf8').match(/model name\s*: (.*)/) ?? [, 'unknown CPU'])[1];
const names = run(ours, ['--list']).trim().split('\n').filter((n) => !v.only || v.only.split(',').includes(n));
const f = (x, digits = 2) => x === null ? '-' : x.toFixed(digits);
const rows = [];
console.log(`${cpu}, ${v.rounds} rounds in alternation, medians\n`);
console.log('| model | threads | ours ms | ONNX Runtime ms | ratio | of minima | of limit | difference |\n|---|---:|---:|---:|---:|---:|---:|---:|');
for (const threads of v.threads.split(','))
  for (const name of names) {
    const r = measure(name, threads);
    rows.push(r);
    console.log(`| ${name} (${r.kind}) | ${threads} | ${f(r.ours_ms)} | ${f(r.onnxruntime_ms)} | ${f(r.ratio)} | ${f(r.ratio_of_minima)} | ${f(100 * r.of_limit, 0)} % | ${r.relative_difference?.toExponential(1) ?? '-'} |`);
  }
for (const threads of v.threads.split(',')) {
  const some = rows.filter((r) => r.threads === +threads && r.ratio !== null);
  if (some.length) console.log(`\n${threads} threads: geometric mean of the ratios ${f(mean(some.map((r) => r.ratio)))}, the largest ${f(Math.max(...some.map((r) => r.ratio)))}`);
}

/** a bar for each row: the time of this library as a part of ONNX Runtime's */
function svg() {
  const height = 22, left = 210, wide = 360, scale = Math.max(1.2, ...rows.map((r) => r.ratio));
  const at = (ratio) => left + wide * ratio / scale, bottom = 40 + rows.length * height;
  const text = (x, y, s, more = '') => `<text x="${x}" y="${y}" ${more}>${s}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + wide + 130}" height="${bottom + 12}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="white"/>',
    text(8, 18, `Time of a run as a part of ONNX Runtime's (shorter is faster); ${cpu}`),
    ...rows.map((r, i) => {
      const y = 32 + i * height;
      return text(left - 8, y + 13, `${r.network}, ${r.threads}T`, 'text-anchor="end"') +
        `<rect x="${left}" y="${y}" width="${(at(r.ratio) - left).toFixed(1)}" height="16" fill="${r.ratio <= 1 ? '#2a7ab0' : '#b0562a'}"/>` +
        text((at(r.ratio) + 6).toFixed(1), y + 13, `${f(r.ratio)} (${f(r.ours_ms, 1)} ms)`);
    }),
    `<line x1="${at(1)}" y1="28" x2="${at(1)}" y2="${bottom}" stroke="#444" stroke-dasharray="4 3"/>`, '</svg>', '',
  ].join('\n');
}
if (v.out) {
  mkdirSync(v.out, { recursive: true });
  writeFileSync(join(v.out, 'models.json'), JSON.stringify({ cpu, rounds: +v.rounds, rows }, null, 1) + '\n');
  if (has_peer) writeFileSync(join(v.out, 'models.svg'), svg());
}
