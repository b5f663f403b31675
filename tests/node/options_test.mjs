// The options of contexts: each works, or is refused by its name.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const { ml, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
const d = { dataType: 'float32', shape: [4] };
const named = (name, message = /^/) => (e) =>
  e instanceof DOMException && e.name === name && message.test(e.message);
const type = (message) => (e) => e instanceof TypeError && message.test(e.message);

async function network(context, size = 4) {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', { dataType: 'float32', shape: [size, size] });
  const w = b.constant({ dataType: 'float32', shape: [size, size] }, new Float32Array(size * size));
  return b.build({ y: b.relu(b.matmul(x, w)) });
}

test('threads', async () => {
  for (const threads of [1, 2, '3'])
    assert.equal((await network(await ml.createContext({ threads }))).report().threads,
                 Number(threads));
  await assert.rejects(ml.createContext({ threads: -1 }), type(/threads \(-1\)/));
  await assert.rejects(ml.createContext({ threads: 2000 }), type(/threads \(2000\)/));
  await assert.rejects(ml.createContext({ threads: NaN }),
                       type(/^createContext: threads \(NaN\) is not between/));
});

test('backends', async () => {
  const graph = await network(await ml.createContext({ backends: new Set(['reference']) }));
  for (const step of graph.report().steps) assert.equal(step.backend, 'reference');
  await assert.rejects(ml.createContext({ threads: 1, memoryLimit: 10, backends: ['tpu'] }),
                       named('NotSupportedError', /there is no backend "tpu"; this build has /));
  await assert.rejects(ml.createContext({ backends: 'reference' }),
                       type(/^createContext: backends is not a sequence/));
});

test('memoryLimit', async () => {
  const context = await ml.createContext({ memoryLimit: 100000 });
  await network(context);
  await assert.rejects(network(context, 512), named('OperationError', /100000|memoryLimit/));
  for (const memoryLimit of [-1, 2 ** 53, NaN])
    await assert.rejects(ml.createContext({ memoryLimit }), type(/^createContext: memoryLimit \(/));
});

test('runs', async () => {
  await network(await ml.createContext({ runs: 2 }));
  await assert.rejects(ml.createContext({ runs: 1025 }), type(/runs \(1025\) is not between 0 and 1024/));
});

test('a file of measurements', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'webnn-options-'));
  const file = path.join(folder, 'table');
  fs.writeFileSync(file, 'not a table');
  await assert.rejects(ml.createContext({ tuningFile: file }), named('DataError'));
  fs.rmSync(folder, { recursive: true });
  await ml.createContext({ tuningFile: file, tuning: 'once' });
  await ml.createContext({ tuningFile: '' });
  for (const tuningFile of [null, 7, {}, 'a\0b'])
    await assert.rejects(ml.createContext({ tuningFile }), type(/^createContext: tuningFile /));
});

test('options of C++ are refused, unknown ones are ignored', async () => {
  for (const name of ['threadPool', 'uncaughtException', 'allocator'])
    await assert.rejects(ml.createContext({ [name]: null }),
                         type(new RegExp(`^createContext: ${name} is an option of the interface in C`)));
  await ml.createContext({ threadPool: undefined, somethingNew: 1 });
});

test('options are read in the order of their names, as Web IDL says', async () => {
  const order = [];
  await ml.createContext(new Proxy({}, { get(_, name) { order.push(name); } }));
  assert.deepEqual(order, ['accelerated', 'accuracyLevel', 'allocator', 'backends', 'deviceType', 'keepConstants',
                           'log', 'memoryLimit', 'operators', 'powerPreference', 'rules', 'runs', 'threadPool', 'threads',
                           'trace', 'tuning', 'tuningFile', 'uncaughtException']);
});

test('the rules of the specification hold as in a browser', async () => {
  await assert.rejects(ml.createContext({ rules: 'draft' }), type(/^createContext: rules \("draft"\)/));
  const context = await ml.createContext({ rules: 'specification' });
  const b = new MLGraphBuilder(context);
  const x = b.input('x', d);
  assert.throws(() => b.input('x', d), type(/^input \[x\]: /));
  assert.deepEqual(b.pad(b.constant('float32', 1), [], []).shape, []);
  assert.equal(b.constant('int4', 1).dataType, 'int4');
  assert.equal(b.constant('float32', 1n).dataType, 'float32');
  const one = b.constant('float32', 1), zero = b.constant('uint8', 0);
  assert.throws(() => b.quantizeLinear(x, one, zero), type(/rank \(0\) of scale/));
  const t = await context.createTensor({ ...d, readable: true, writable: true });
  await assert.rejects(context.readTensor(t, new Float32Array(5)), type(/byte length \(20\)/));
  t.destroy();
  await assert.rejects(context.readTensor(t), type(/destroyed/));

  // The forms of earlier drafts.
  const m = b.input('m', { dataType: 'float32', shape: [2, 2] });
  assert.throws(() => b.softmax(m), type(/^softmax: 2 arguments required, but only 1 present/));
  assert.throws(() => b.softmax(m, {}), type(/^softmax: axis \(an object\) is not between/));
  assert.throws(() => b.input('old', { type: 'float32', dimensions: [4] }),
                type(/^input: descriptor has no dataType/));
  assert.throws(() => b.constant(3, 'float32'), type(/^constant: dataType \("3"\)/));
  assert.throws(() => b.relu(), TypeError);
  const image = b.input('image', { dataType: 'float32', shape: [1, 1, 5, 5] });
  assert.deepEqual(b.averagePool2d(image, { windowDimensions: [2, 2], strides: [2, 2],
                                            roundingType: 'ceil' }).shape, [1, 1, 2, 2]);
  assert.throws(() => b.buildSync({ y: b.relu(x) }),
                type(/^buildSync: the 2023 draft has this method; .*"specification"/));
  const graph = await b.build({ y: b.relu(x) });
  const views = { x: new Float32Array(4) }, outputs = { y: new Float32Array(4) };
  assert.throws(() => context.computeSync(graph, views, outputs), type(/^computeSync: the 2023 draft/));
  await assert.rejects(context.compute(graph, views, outputs), type(/^compute: the 2023 draft/));
  assert.throws(() => ml.createContextSync({ rules: 'specification' }),
                type(/^createContextSync: rules \("specification"\)/));
  assert.equal(ml.createContextSync({ rules: 'tests2025' }).accelerated, true);
});

test('what opSupportLimits() says of pad is so under both rules', async () => {
  for (const rules of ['specification', 'tests2025', undefined]) {
    const context = await ml.createContext({ rules });
    const { min } = context.opSupportLimits().pad.input.rankRange;
    assert.equal(min, rules === 'specification' ? 0 : 1);
    assert.equal(context.opSupportLimits().pad.output.rankRange.min, min);
    const b = new MLGraphBuilder(context);
    const padded = () => b.pad(b.constant('float32', 1), [], []);
    if (min === 0) assert.deepEqual(padded().shape, []);
    else assert.throws(padded, type(/^pad: the rank \(0\) of input is less than 1\.$/));
    assert.deepEqual(b.pad(b.input('x', d), [1], [0]).shape, [5]);
  }
});
