// Tensors, graphs and promises.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { ml, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
const d = { dataType: 'float32', shape: [4] };

async function doubler(context) {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', d);
  return b.build({ y: b.add(x, x) });
}
const named = (name) => (e) => e instanceof DOMException && e.name === name;

test('work runs in order', async () => {
  const context = await ml.createContext();
  const graph = await doubler(context);
  const x = await context.createTensor({ ...d, readable: true, writable: true });
  const y = await context.createTensor({ ...d, readable: true });
  const reads = [];
  for (let i = 1; i <= 5; ++i) {
    context.writeTensor(x, new Float32Array(4).fill(i));
    context.dispatch(graph, { x }, { y });
    reads.push(context.readTensor(y));
  }
  const order = [];
  reads.forEach((r, i) => r.then(() => order.push(i)));
  const values = (await Promise.all(reads)).map((b) => new Float32Array(b)[3]);
  assert.deepEqual(values, [2, 4, 6, 8, 10]);
  assert.deepEqual(order, [0, 1, 2, 3, 4]);
});

test('levels of accuracy are those of the interface', async () => {
  for (const accuracyLevel of ['float32', 'int8', 'bfloat16'])
    assert.equal((await ml.createContext({ accuracyLevel })).accelerated, true);
  await assert.rejects(ml.createContext({ accuracyLevel: 'int4' }), TypeError);
});

test('reading into memory of the caller', async () => {
  const context = await ml.createContext();
  const t = await context.createTensor({ ...d, readable: true, writable: true });
  context.writeTensor(t, new Float32Array([1, 2, 3, 4]));
  const whole = new Float32Array(6);
  assert.equal(await context.readTensor(t, whole.subarray(1, 5)), undefined);
  assert.deepEqual([...whole], [0, 1, 2, 3, 4, 0]);
  for (const view of [new Int8Array(16), new DataView(new ArrayBuffer(20), 4), new Uint32Array(6),
                      new ArrayBuffer(20)]) {
    await context.readTensor(t, view);
    assert.equal(new DataView(view.buffer ?? view, view.byteOffset).getFloat32(8, true), 3);
  }
  const shared = new SharedArrayBuffer(16);
  await context.readTensor(t, shared);
  assert.equal(new Float32Array(shared)[3], 4);
  await assert.rejects(context.readTensor(t, new Float32Array(3)), TypeError);
  const detached = new Float32Array(4);
  const read = context.readTensor(t, detached);
  structuredClone(detached, { transfer: [detached.buffer] });
  await assert.rejects(read, TypeError);
  await assert.rejects(context.readTensor(t, detached), TypeError);
});

test('writing from memory of any kind', async () => {
  const context = await ml.createContext();
  const t = await context.createTensor({ ...d, readable: true, writable: true });
  const floats = new Float32Array([1, 2, 3, 4]);
  const shared = new SharedArrayBuffer(16);
  new Float32Array(shared).set(floats);
  for (const source of [floats, floats.buffer, shared, new Int32Array(floats.buffer),
                        new Float32Array(shared), new DataView(floats.buffer)]) {
    context.writeTensor(t, new Float32Array(4));
    context.writeTensor(t, source);
    assert.deepEqual([...new Float32Array(await context.readTensor(t))], [...floats]);
  }
  const detached = new DataView(new ArrayBuffer(16));
  structuredClone(detached, { transfer: [detached.buffer] });
  for (const bad of [new Float32Array(3), new Float32Array(5), detached, {}, undefined])
    assert.throws(() => context.writeTensor(t, bad), TypeError);
});

test('destroyed objects reject and throw', async () => {
  const context = await ml.createContext();
  const graph = await doubler(context);
  const x = await context.createTensor({ ...d, readable: true });
  const y = await context.createTensor({ ...d, readable: true });
  const pending = context.readTensor(y);
  y.destroy();
  await assert.rejects(pending, named('InvalidStateError'));
  await assert.rejects(context.readTensor(y), named('InvalidStateError'));
  assert.throws(() => context.writeTensor(y, new Float32Array(4)), named('InvalidStateError'));
  assert.throws(() => context.dispatch(graph, { x }, { y }), TypeError);
  graph.destroy();
  assert.throws(() => context.dispatch(graph, { x }, { y: x }), named('InvalidStateError'));
  assert.equal(context.lost, context.lost);
  context.destroy();
  context.destroy();
  assert.equal(typeof (await context.lost).message, 'string');
  await assert.rejects(context.createTensor(d), named('InvalidStateError'));
  assert.throws(() => new MLGraphBuilder(context), named('InvalidStateError'));
});

test('a destroyed context rejects pending promises', async () => {
  const context = await ml.createContext();
  const graph = await doubler(context);
  const other = new MLGraphBuilder(context);
  const y = other.relu(other.input('x', d));
  const t = await context.createTensor({ ...d, readable: true, writable: true });
  const build = other.build({ y });
  const read = context.readTensor(t);
  context.destroy();
  const lost = named('InvalidStateError');
  await Promise.all([
    assert.rejects(read, lost), assert.rejects(build, lost), assert.rejects(context.readTensor(t), lost),
    assert.rejects(context.createConstantTensor(d, new Float32Array(4)), lost),
  ]);
  assert.throws(() => context.writeTensor(t, new Float32Array(4)), lost);
  assert.throws(() => context.dispatch(graph, { x: t }, { y: t }), lost);
  assert.throws(() => other.relu(y), lost);
});

test('options of contexts', async () => {
  for (const deviceType of ['cpu', 'gpu', 'npu'])
    for (const powerPreference of ['default', 'high-performance', 'low-power'])
      await ml.createContext({ deviceType, powerPreference });
  await assert.rejects(ml.createContext({ deviceType: 'xpu' }), TypeError);
  await assert.rejects(ml.createContext({ powerPreference: 'auto' }), TypeError);
  await assert.rejects(ml.createContext(1), TypeError);
});

// In C++ these are webnn/rules.h and tests/builder/rules_test.cpp.
test('contexts follow the rules tests2025', async () => {
  const b = new MLGraphBuilder(await ml.createContext());
  const x = b.input('x', d);
  b.input('x', d);
  assert.throws(() => b.constant('float32', 1n), TypeError);
  assert.throws(() => b.constant('int4', 1), TypeError);
  assert.throws(() => b.pad(b.constant('float32', 1), [], []), TypeError);
  const [one, zero] = [b.constant('float32', 1), b.constant('uint8', 0)];
  assert.equal(b.quantizeLinear(x, one, zero).dataType, 'uint8');
});

test('support limits', async () => {
  const limits = (await ml.createContext()).opSupportLimits();
  assert.equal(limits.preferredInputLayout, 'nhwc');
  assert.equal(limits.maxTensorByteLength, 2 ** 31 - 1);
  assert.deepEqual(limits.input.rankRange, { min: 0, max: 8 });
  assert.deepEqual(limits.conv2d.bias,
                   { dataTypes: ['float32', 'float16', 'bfloat16'], rankRange: { min: 1, max: 1 } });
  assert.deepEqual(limits.lstm.outputs.dataTypes, limits.lstm.output2.dataTypes);
});

test('errors of promises reject', async () => {
  const context = await ml.createContext();
  await assert.rejects(context.createTensor(), TypeError);
  await assert.rejects(context.createTensor({ dataType: 'float32', shape: [0] }), TypeError);
  await assert.rejects(context.readTensor.call({}, 1), TypeError);
  const b = new MLGraphBuilder(context);
  const x = b.input('x', d);
  await assert.rejects(b.build({ x }), TypeError);
  const y = b.relu(x);
  const first = b.build({ y });
  await assert.rejects(b.build({ y }), named('InvalidStateError'));
  await first;
  assert.throws(() => b.relu(x), named('InvalidStateError'));
});

async function network(context) {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', { dataType: 'float32', shape: [2, 3] });
  const w = b.constant({ dataType: 'float32', shape: [3, 4] }, new Float32Array(12).fill(0.5));
  const y = b.softmax(b.tanh(b.identity(b.matmul(x, w, { label: 'dense' }))), 1, { label: 'probs' });
  return b.build({ y });
}

test('an extension: report() has the plan as plain objects', async () => {
  const context = await ml.createContext();
  const graph = await network(context);
  const report = graph.report();
  assert.deepEqual(structuredClone(report), report);
  assert.deepEqual(Object.keys(report), ['steps', 'passes', 'arena', 'arenaAtLeast', 'packed',
                                         'scratch', 'threads', 'threadsAsked', 'buildMs']);
  for (const size of ['arena', 'arenaAtLeast', 'packed', 'scratch'])
    assert.ok(Number.isSafeInteger(report[size]) && report[size] >= 0, size);
  assert.ok(report.arena >= report.arenaAtLeast);
  assert.ok(Number.isInteger(report.threads) && report.threads >= 1);
  assert.ok(report.buildMs > 0 && report.buildMs < 60000);

  for (const step of report.steps) {
    assert.deepEqual(Object.keys(step),
                     ['operators', 'backend', 'kernel', 'tiles', 'packed', 'others']);
    assert.ok(step.operators.length >= 1 && step.backend && step.kernel && step.tiles >= 1);
    assert.ok(step.others.every((reason) => typeof reason === 'string'));
  }
  assert.equal(report.packed, report.steps.reduce((sum, step) => sum + step.packed, 0));
  const operators = report.steps.flatMap((step) => step.operators);
  assert.deepEqual(operators.at(-1), {
    name: 'softmax', label: 'probs', inputs: [{ dataType: 'float32', shape: [2, 4] }],
    outputs: [{ dataType: 'float32', shape: [2, 4] }],
  });
  assert.equal(operators[0].label, 'dense');
  assert.deepEqual(operators[0].inputs.slice(0, 2).map((x) => x.shape), [[2, 3], [3, 4]]);
  assert.ok(operators.every(({ name }) => name !== 'identity'));
  const pass = report.passes.find(({ name }) => name === 'remove_identity');
  assert.deepEqual({ ...pass, before: pass.before - pass.after, after: 0 },
                   { name: 'remove_identity', before: 1, after: 0 });
});

test('an extension: profile() has a time for each step, and explain() shows them', async () => {
  const context = await ml.createContext();
  const graph = await network(context);
  const { steps } = graph.report();
  const profiles = [context.profile(graph), context.profile(graph, 1), context.profile(graph, '3')];
  for (const times of await Promise.all(profiles)) {
    assert.equal(times.length, steps.length);
    assert.ok(times.every((us) => us >= 0 && us < 1e7), times);
  }
  const plain = graph.explain();
  assert.equal(graph.explain(undefined), plain);
  for (const text of ['dense', 'probs', 'softmax', 'passes: ', ...steps.map(({ kernel }) => kernel)])
    assert.ok(plain.includes(text), `${text} in\n${plain}`);
  const numbers = steps.map((_, i) => 1234.5 + i);
  for (const given of [numbers, new Float64Array(numbers), new Set(numbers)]) {
    const timed = graph.explain(given);
    for (const us of numbers) assert.ok(timed.includes(String(us)) && !plain.includes(String(us)));
  }
  const bad = (f, message) =>
    assert.throws(f, (e) => e instanceof TypeError && message.test(e.message));
  bad(() => graph.explain([]),
      /^explain: microseconds \(0 numbers\) does not have one number for each of the \d+ steps\.$/);
  bad(() => graph.explain([...numbers, 1]),
      /^explain: microseconds \(\d+ numbers\) does not have one number for each/);
  bad(() => graph.explain(1), /^explain: microseconds is not a sequence\.$/);
  bad(() => graph.explain(null), /^explain: microseconds is not a sequence\.$/);
  bad(() => graph.explain(numbers.map((us, i) => (i ? us : NaN))),
      /^explain: microseconds\[0\] \(nan\) is not finite\.$/);
  bad(() => graph.explain.call({}), /Illegal invocation: not an MLGraph/);
  bad(() => graph.report.call(context), /Illegal invocation: not an MLGraph/);
  assert.throws(() => graph.explain(numbers.map(() => 1n)), TypeError);
});

test('an extension: profile() runs in order and rejects what it cannot do', async () => {
  const context = await ml.createContext();
  const graph = await network(context);
  const order = [];
  const t = await context.createTensor({ ...d, readable: true });
  await Promise.all([context.readTensor(t).then(() => order.push('read')),
                     context.profile(graph, 10).then(() => order.push('profile')),
                     context.readTensor(t).then(() => order.push('read again'))]);
  assert.deepEqual(order, ['read', 'profile', 'read again']);

  const rejects = (promise, message) =>
    assert.rejects(promise, (e) => e instanceof TypeError && message.test(e.message));
  await rejects(context.profile(), /^profile: 1 arguments required, but only 0 present\.$/);
  await rejects(context.profile({}), /^profile: graph is not an MLGraph\.$/);
  for (const runs of [0, -1, 1000001])
    await rejects(context.profile(graph, runs),
                  /^profile: runs \(-?\d+\) is not between 1 and 1000000\.$/);
  for (const runs of [NaN, 'some', 2 ** 40, {}])
    await rejects(context.profile(graph, runs), /^profile: runs \(.*\) is not between /);
  await assert.rejects(context.profile(graph, 1n), TypeError);
  await rejects(context.profile.call({}, graph), /Illegal invocation: not an MLContext/);
  const other = await ml.createContext();
  await rejects(other.profile(graph), /^profile: .*context/);

  const { steps } = graph.report();
  const pending = context.profile(graph);
  graph.destroy();
  assert.equal((await pending).length, steps.length);  // was queued before
  await assert.rejects(context.profile(graph), named('InvalidStateError'));
  assert.throws(() => graph.explain(), named('InvalidStateError'));
  assert.throws(() => graph.explain(steps.map(() => 1)), named('InvalidStateError'));
  assert.throws(() => graph.report(), named('InvalidStateError'));

  const last = await network(context);
  const lost = context.profile(last);
  context.destroy();
  await assert.rejects(lost, named('InvalidStateError'));
  await assert.rejects(context.profile(last), named('InvalidStateError'));
  assert.throws(() => last.explain(), named('InvalidStateError'));

  // A graph that is destroyed while its report is made.
  const torn = await network(await ml.createContext());
  Object.defineProperty(Object.prototype, 'label', { configurable: true, set() { torn.destroy(); } });
  try {
    assert.equal(torn.report().steps.flatMap((step) => step.operators).at(-1).name, 'softmax');
  } finally {
    delete Object.prototype.label;
  }
  assert.throws(() => torn.report(), named('InvalidStateError'));
});

test('activations of the 2023 draft', async () => {
  const context = ml.createContextSync();
  const b = new MLGraphBuilder(context);
  const constant = (...dimensions) => {
    const values = Float32Array.from({ length: dimensions.reduce((p, q) => p * q) }, (_, i) => Math.sin(i));
    return b.constant({ type: 'float32', dimensions }, values);
  };
  const [x, f] = [constant(1, 2, 4, 4), constant(3, 2, 3, 3)];
  const [s, w, r] = [constant(3, 2, 4), constant(1, 9, 4), constant(1, 9, 3)];
  const [hyperbolic] = b.gru(s, w, r, 3, 3, { activations: ['sigmoid', 'tanh'] });
  const [composed] = b.gru(s, w, r, 3, 3, { activations: [b.sigmoid(), b.elu({ alpha: 1 })] });
  const outputs = {
    conv: b.conv2d(x, f, { activation: b.leakyRelu({ alpha: 0.5 }) }),
    conv_: b.leakyRelu(b.conv2d(x, f), { alpha: 0.5 }),
    norm: b.batchNormalization(x, constant(2), constant(2), { epsilon: 1, activation: b.softplus() }),
    norm_: b.softplus(b.batchNormalization(x, constant(2), constant(2), { epsilon: 1 })),
    gru: b.gru(s, w, r, 3, 3, { activations: [b.sigmoid(), b.tanh()] })[0],
    gru_: hyperbolic, composed,
  };
  assert.throws(() => b.conv2d(x, f, { activation: 'relu' }), TypeError);
  assert.throws(() => b.gru(s, w, r, 3, 3, { activations: [b.sigmoid(), 'tanh'] }), TypeError);
  assert.throws(() => b.gru(s, w, r, 3, 3, { activations: [b.sigmoid()] }), TypeError);
  assert.throws(() => b.add(), TypeError);
  const views = Object.fromEntries(Object.entries(outputs).map(
    ([name, y]) => [name, new Float32Array(y.shape.reduce((p, q) => p * q))]));
  context.computeSync(b.buildSync(outputs), {}, views);
  for (const name of ['conv', 'norm', 'gru'])
    assert.deepEqual([...views[name]], [...views[name + '_']]);
  assert.notDeepEqual([...views.composed], [...views.gru]);
  // Builders of the current specification have none.
  assert.throws(() => new MLGraphBuilder(currentContext).relu(), TypeError);
});
const currentContext = await ml.createContext();

test('the 2023 draft', async () => {
  const context = ml.createContextSync({ deviceType: 'cpu' });
  const b = new MLGraphBuilder(context);
  const x = b.input('x', { type: 'float32', dimensions: [4] });
  const graph = b.buildSync({ y: b.mul(x, b.constant(3)) });
  const y = new Float32Array(4);
  context.computeSync(graph, { x: new Float32Array([1, 2, 3, 4]) }, { y });
  assert.deepEqual([...y], [3, 6, 9, 12]);
  const mine = new Float32Array([5, 6, 7, 8]);
  const result = await context.compute(graph, { x: mine }, { y });
  assert.equal(mine.length, 0);
  assert.equal(y.length, 0);
  assert.deepEqual([...result.outputs.y], [15, 18, 21, 24]);
  assert.deepEqual([...result.inputs.x], [5, 6, 7, 8]);
});
