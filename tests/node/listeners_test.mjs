// The options log and trace: what the library says and measures.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const { ml, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
const turn = () => new Promise((resolve) => setTimeout(resolve, 50));

test('log gets what is probably not as it was meant', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'webnn-log-'));
  const tuningFile = path.join(folder, 'tuning.txt');
  fs.writeFileSync(tuningFile, 'webnn tuning 1\nmachine 0.0.1, another one, 64 threads\n' +
    'chain relu(input=%0 float32 [1]) -> %1 float32 [1]\n\t10\tsimd\t1\tkernel\nend\n');
  const said = [];
  await ml.createContext({ threads: 1, log: (...message) => said.push(message) });
  await ml.createContext({ threads: 1, tuningFile, log: (...message) => said.push(message) });
  await turn();
  fs.rmSync(folder, { recursive: true });
  assert.equal(said.length, 1);
  assert.equal(said[0][0], 'warning');
  assert.match(said[0][1], /has no measurements of this machine/);
  for (const name of ['log', 'trace'])
    await assert.rejects(ml.createContext({ [name]: 1 }),
                         (e) => e instanceof TypeError && e.message.includes(`${name} is not a function`));
});

test('trace gets each step of a run', async () => {
  const events = [];
  const context = await ml.createContext({ threads: 2, trace: (e) => events.push(e) });
  const b = new MLGraphBuilder(context);
  const d = { dataType: 'float32', shape: [64, 1000] };
  const y = b.softmax(b.transpose(b.input('x', d)), 1, { label: 'last' });
  const graph = await b.build({ y });
  await turn();
  assert.equal(events.length, 0);
  const x = await context.createTensor({ ...d, writable: true });
  const out = await context.createTensor({ dataType: 'float32', shape: [1000, 64], readable: true });
  context.dispatch(graph, { x }, { y: out });
  await context.readTensor(out);
  await turn();
  const { steps } = graph.report();
  const tiles = steps.map(() => 0);
  for (const e of events) {
    assert.deepEqual(Object.keys(e), ['kernel', 'operators', 'label', 'step', 'worker', 'tiles', 'tilesOfStep',
                                      'start', 'duration', 'bytes']);
    assert.equal(e.kernel, `${steps[e.step].backend} ${steps[e.step].kernel}`);
    assert.ok(e.duration >= 0 && e.bytes > 0 && e.worker >= 0 && e.worker < 2);
    tiles[e.step] += e.tiles;
  }
  assert.deepEqual(tiles, steps.map((step) => step.tiles));
  assert.ok(events.some((e) => e.label === 'last' && e.operators.includes('softmax')));
});

test('what a listener throws is an uncaught exception', () => {
  const program = `
    const { ml, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
    process.on('uncaughtException', (e) => { console.log('uncaught', e.message); process.exit(0); });
    const context = await ml.createContext({ threads: 1, trace: () => { throw new Error('mine'); } });
    const b = new MLGraphBuilder(context);
    const d = { dataType: 'float32', shape: [2] };
    const graph = await b.build({ y: b.relu(b.input('x', d)) });
    const x = await context.createTensor({ ...d, writable: true });
    const y = await context.createTensor({ ...d, readable: true });
    context.dispatch(graph, { x }, { y });
    await context.readTensor(y);
    setTimeout(() => console.log('nothing'), 5000);`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  assert.equal(printed, 'uncaught mine\n');
});
