// The picture of README.md and the table of docs/guide/speed.md, from the recorded figures.
//   node picture.mjs [--check]
// figures.json has what was measured, on which machine and when. --check writes nothing, and fails if
// the picture or the table is not the one of these figures.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url)), root = join(here, '..');
const figures = JSON.parse(readFileSync(join(here, 'figures.json'), 'utf8'));
const groups = figures.groups.filter(({ rows }) => rows.length);

/** our time as a part of the other's; with rates it is the other way round */
function share(row) {
  if (row.share !== undefined) return row.share;
  return row.unit === 'tokens/s' ? row.theirs / row.ours : row.ours / row.theirs;
}
const escaped = (s) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;');

function picture() {
  // The shares come before the bars, so that a narrow window that shows the left part has them.
  const width = 800, line = 24, names = 252, left = 308, wide = 330, right = left + wide;
  const most = Math.max(1.1, ...groups.flatMap(({ rows }) => rows.map(share)));
  const at = (x) => left + wide * x / most;
  const body = [];
  let y = 64;
  const top = y - 14;
  for (const { peer, rows } of groups) {
    body.push(`<text class="peer" x="16" y="${y}">${escaped(`beside ${peer}`)}</text>`);
    y += line;
    for (const row of rows) {
      const s = share(row), numbers = row.unit ? `${row.ours} and ${row.theirs} ${row.unit}` : row.mean;
      body.push(
        `<text class="name" x="${names}" y="${y}">${escaped(row.what)}</text>`,
        `<text class="share" x="${left - 10}" y="${y}">${s.toFixed(2)}</text>`,
        `<rect class="peer-bar" x="${left}" y="${y - 12}" width="${(at(1) - left).toFixed(1)}" height="15" rx="2"/>`,
        `<rect class="${s <= 1 ? 'bar' : 'slower'}" x="${left}" y="${y - 12}" width="${(at(s) - left).toFixed(1)}" height="15" rx="2"/>`,
        `<text class="numbers" x="${right - 18}" y="${y}">${escaped(numbers)}</text>`);
      y += line;
    }
    y += 8;
  }
  const height = y + 14;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Time of libwebnn as a share of the time of other runtimes">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title, .peer, .share { font-weight: 600; }
.name, .share { text-anchor: end; }
.numbers, .foot { fill: #59636e; font-size: 12px; }
.panel { fill: #fff; stroke: #d1d9e0; }
.peer-bar { fill: #d8dee4; }
.bar { fill: #2a7ab0; }
.slower { fill: #b0562a; }
.one { stroke: #59636e; stroke-dasharray: 4 3; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .numbers, .foot { fill: #9ba6b2; }
  .panel { fill: #161b22; stroke: #3d444d; }
  .peer-bar { fill: #343c46; }
  .bar { fill: #58a6e0; }
  .slower { fill: #e0874f; }
  .one { stroke: #9ba6b2; }
}
</style>
<rect class="panel" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
<text class="title" x="16" y="28">Time of libwebnn as a share of the other's: shorter is faster</text>
${body.join('\n')}
<line class="one" x1="${at(1)}" y1="${top}" x2="${at(1)}" y2="${y - 12}"/>
<text class="foot" x="16" y="${height - 12}">${escaped(`${figures.date}, ${figures.machine}. The dashed line is the time of the other.`)}</text>
</svg>
`;
}

function table() {
  const rows = ['| | libwebnn | the other | share of its time |', '| --- | ---: | ---: | ---: |'];
  for (const group of groups) {
    rows.push(`| **${group.peer}** | | | |`);
    for (const row of group.rows) {
      const page = row.page ?? group.page, what = page ? `[${row.what}](${page})` : row.what;
      const number = (x) => row.unit ? `${x} ${row.unit}` : '';
      rows.push(`| ${what}${row.mean ? `, ${row.mean}` : ''} | ${number(row.ours)} | ${number(row.theirs)} | ${share(row).toFixed(2)} |`);
    }
  }
  const notes = groups.flatMap(({ note }) => note ?? []);
  return [`The times were measured in ${figures.date}, on an ${figures.machine}.${notes.map((n) => ` ${n}`).join('')}`, '', ...rows].join('\n');
}

/** a page with the lines between the two comments replaced */
function withTable(page) {
  const begin = '<!-- figures, written by bench/picture.mjs -->', end = '<!-- end of figures -->';
  const [before, rest] = page.split(begin);
  if (rest === undefined || !rest.includes(end)) throw new Error('docs/guide/speed.md has no place for the figures');
  return `${before}${begin}\n\n${table()}\n\n${end}${rest.split(end)[1]}`;
}

const speed = join(root, 'docs/guide/speed.md'), svg = join(root, 'docs/images/speed.svg');
const wanted = [[svg, picture()], [speed, withTable(readFileSync(speed, 'utf8'))]];
if (process.argv.includes('--check')) {
  for (const [path, text] of wanted)
    if (readFileSync(path, 'utf8') !== text) {
      console.error(`${path} is out of date: run ./dev bench picture`);
      process.exitCode = 1;
    }
} else {
  for (const [path, text] of wanted) writeFileSync(path, text);
  console.log(wanted.map(([path]) => path).join('\n'));
}
