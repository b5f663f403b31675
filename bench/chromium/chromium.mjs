// The networks of the program `networks` beside Chromium's WebNN, in alternation.
//   node chromium.mjs PROGRAMS [--rounds 5] [--seconds 0.5] [--only a,b] [--write FIGURES.json]
// PROGRAMS: the folder of the benchmarks of a build. This folder has node_modules, after `npm install`.
// Both use as many threads as they want. Chromium is asked for the CPU; a run is a dispatch() and the
// readTensor() after it, which waits for its result. --write puts the medians into the file of figures.
import { spawnSync } from 'node:child_process';
import { createReadStream, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import chromium from '@sparticuz/chromium';
import puppeteer from 'puppeteer-core';

const { values: v, positionals: [programs] } = parseArgs({ allowPositionals: true, options: {
  rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '0.5' },
  only: { type: 'string', default: 'mobilenet_v2,resnet50' }, write: { type: 'string' },
} });
const here = dirname(fileURLToPath(import.meta.url)), ours = join(programs, 'networks');
const titles = { mobilenet_v2: 'MobileNetV2', resnet50: 'ResNet-50' };
const median = (a) => [...a].sort((x, y) => x - y)[a.length >> 1];

function run(args) {
  const r = spawnSync(ours, args, { encoding: 'utf8' });
  if (r.status !== 0) throw new Error(`${ours} ${args.join(' ')}: ${r.stderr || r.error}`);
  return JSON.parse(r.stdout.split('\n')[0]);
}

/** the page, its script and the folder data of PROGRAMS */
function serve() {
  const types = { '.html': 'text/html', '.js': 'text/javascript' };
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, 'http://localhost').pathname);
    const file = path.startsWith('/data/') ? join(programs, path) : join(here, path);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

const server = await serve();
const browser = await puppeteer.launch({
  executablePath: await chromium.executablePath(), headless: 'shell', protocolTimeout: 600000,
  args: ['--no-sandbox', '--enable-features=WebMachineLearningNeuralNetwork'],
});
try {
  const version = await browser.version();
  const rows = [];
  console.log(`${version}, ${v.rounds} rounds in alternation, medians\n`);
  console.log('| model | ours ms | Chromium ms | ratio | of minima | layout | difference |\n|---|---:|---:|---:|---:|---|---:|');
  for (const name of v.only.split(',')) {
    const folder = join(programs, 'data', name), rounds = { ours: [], theirs: [] };
    run([name, '--export', folder, '--seconds', '0']);
    for (let i = 0; i < +v.rounds; i++) {
      rounds.ours.push(run([name, '--seconds', v.seconds]));
      const page = await browser.newPage();
      await page.goto(`http://localhost:${server.address().port}/page.html`);
      await page.waitForFunction('document.title === "ready"');
      rounds.theirs.push(await page.evaluate((n, s) => measure(n, s), name, +v.seconds));
      await page.close();
    }
    rmSync(folder, { recursive: true });
    const [us, them] = [rounds.ours, rounds.theirs].map((all) => median(all.map((x) => x.median_ms)));
    const round = (ms) => +ms.toPrecision(3);
    rows.push({ what: `${titles[name]}, all threads`, ours: round(us), theirs: round(them), unit: 'ms' });
    const [least, theirLeast] = [rounds.ours, rounds.theirs].map((all) => Math.min(...all.map((x) => x.min_ms)));
    console.log(`| ${name} | ${us.toFixed(2)} | ${them.toFixed(2)} | ${(us / them).toFixed(2)} | ${(least / theirLeast).toFixed(2)} | ${rounds.theirs[0].layout} | ${Math.max(...rounds.theirs.map((x) => x.relative_difference)).toExponential(1)} |`);
  }
  if (v.write) {
    const figures = JSON.parse(readFileSync(v.write, 'utf8')), group = figures.groups.find(({ peer }) => peer.includes('Chromium'));
    group.peer = `WebNN in Chromium ${version.match(/\d+/)[0]}`;
    delete group.note;
    group.rows = rows;
    writeFileSync(v.write, JSON.stringify(figures, null, 2) + '\n');
  }
} finally {
  await browser.close();
  server.close();
}
