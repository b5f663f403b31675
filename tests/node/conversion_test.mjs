// Web IDL conversions: https://webidl.spec.whatwg.org/#js-types
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { ml, MLActivation, MLContext, MLGraph, MLGraphBuilder, MLTensor } =
  await import(process.env.WEBNN_NODE);
const context = await ml.createContext();
const shape23 = { dataType: 'float32', shape: [2, 3] };

const fails = (f, message, type = TypeError) =>
  assert.throws(f, (e) => e instanceof type && message.test(e.message));

test('integers with EnforceRange are truncated and bounded', () => {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', shape23);
  assert.deepEqual(b.concat([x, x], 1.9).shape, [2, 6]);
  assert.deepEqual(b.concat([x, x], '1').shape, [2, 6]);
  assert.deepEqual(b.concat([x, x], -0.5).shape, [4, 3]);
  for (const bad of [-1, 2 ** 32, NaN, Infinity, 'abc', 1n, {}, Symbol()])
    assert.throws(() => b.concat([x, x], bad), TypeError);
  fails(() => b.transpose(x, { permutation: [0, -1] }),
        /^transpose: permutation\[1\] \(-1\) is not between 0 and 4294967295\.$/);
  assert.deepEqual(b.triangular(x, { diagonal: -2147483648 }).shape, [2, 3]);
  assert.throws(() => b.triangular(x, { diagonal: -2147483649 }), TypeError);
});

test('integers without EnforceRange wrap', () => {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', shape23);
  assert.deepEqual(b.cumulativeSum(x, 2 ** 32 + 1).shape, [2, 3]);
  assert.deepEqual(b.tile(x, [2 ** 32 + 2, NaN + 1 || 1]).shape, [4, 3]);
  assert.throws(() => b.cumulativeSum(x, -1), TypeError);  // 4294967295
});

test('messages say what the caller wrote', async () => {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', shape23);
  const converted = (written, number) =>
    new RegExp(`\\. newShape\\[1\\] is ${written}, which is converted to ${number}\\.$`);
  fails(() => b.reshape(x, [6, null]), converted('null', 0));
  fails(() => b.reshape(x, [6, false]), converted('false', 0));
  fails(() => b.reshape(x, [6, '']), converted('""', 0));
  fails(() => b.reshape(x, [6, []]), converted('an array', 0));
  fails(() => b.reshape(x, [6, 0.9]), converted('0.9', 0));
  fails(() => b.reshape(x, [6, 0]), /^reshape: (?!.*converted)/);
  fails(() => b.reshape(x, [null, -1]), /^reshape: newShape\[1\] \(-1\) is not between 0 and 4294967295\.$/);
  fails(() => b.reshape(x, ['2', '2']), /newShape\[0\] is "2", which is converted to 2\./);
  fails(() => b.input('y', { ...shape23, shape: [2, null] }),
        /^input: shape\[1\] \(null\) is neither a size nor a name\.$/);
  fails(() => b.softmax(x, '2'), /axis \(2\).* axis is "2", which is converted to 2\.$/);
  fails(() => b.cumulativeSum(x, -1), /axis is -1, which is converted to 4294967295\.$/);
  fails(() => b.tile(x, [1, -1]), /repetitions\[1\] is -1, which is converted to 4294967295\.$/);
  fails(() => b.reshape(x, [6, undefined]), /newShape\[1\] \(undefined\) is not between/);
  fails(() => b.reshape(x, [6, 'some'.repeat(50)]), /newShape\[1\] \("(some){15}\.\.\."\) is not between/);
  fails(() => b.clamp(x, { minValue: 1, maxValue: null }), /maxValue is null, which is converted to 0\.$/);
  await assert.rejects(context.createTensor({ ...shape23, shape: [null] }),
                       (e) => e instanceof TypeError && /shape\[0\] is null, which is/.test(e.message));
  // A getter that calls another method has notes of its own.
  const options = { get label() { try { b.reshape(x, [null]); } catch {} return 'l'; } };
  fails(() => b.softmax(x, '7', options), /^softmax \[l\]: .* axis is "7", which is converted to 7\.$/);
});

test('descriptors have the members of one draft', async () => {
  const b = new MLGraphBuilder(context);
  const mixed = { dataType: 'float32', dimensions: [2, 3] };
  const reason = /descriptor has dimensions, as in the 2023 draft, but no shape\.$/;
  fails(() => b.input('x', mixed), reason);
  fails(() => b.constant(mixed, new Float32Array(6)), reason);
  for (const made of [context.createTensor(mixed), context.createConstantTensor(mixed, new Float32Array(6))])
    await assert.rejects(made, (e) => e instanceof TypeError && reason.test(e.message));
  fails(() => b.input('x', { type: 'float32', shape: [2] }), /has shape, but type, as in the 2023 draft/);
  // There were no tensors in 2023.
  await assert.rejects(context.createTensor({ type: 'float32', dimensions: [2] }),
                       (e) => e instanceof TypeError && /descriptor has no dataType\.$/.test(e.message));
  assert.deepEqual(b.input('both', { ...shape23, type: 'int8', dimensions: [9] }).shape, [2, 3]);
  assert.deepEqual(b.input('old', { type: 'float32', dimensions: [2] }).shape, [2]);
  assert.deepEqual(b.input('scalar', { type: 'float32' }).shape, []);
});

test('sequences are iterable objects', () => {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', { dataType: 'float32', shape: new Set([2, 3]) });
  assert.deepEqual(x.shape, [2, 3]);
  function* both() { yield 3; yield 2; }
  assert.deepEqual(b.reshape(x, both()).shape, [3, 2]);
  assert.deepEqual(b.reshape(x, new Uint8Array([6])).shape, [6]);
  assert.throws(() => b.reshape(x, 6), TypeError);
  assert.throws(() => b.reshape(x, '6'), TypeError);
  assert.throws(() => b.reshape(x, { 0: 6, length: 1 }), TypeError);
  const broken = { [Symbol.iterator]: () => ({ next() { throw new RangeError('mine'); } }) };
  assert.throws(() => b.reshape(x, broken), RangeError);
});

test('enumerations, numbers, booleans and strings', () => {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', shape23);
  fails(() => b.cast(x, 'float64'), /^cast: dataType \("float64"\) is not one of its values\.$/);
  assert.equal(b.cast(x, { toString: () => 'int32' }).dataType, 'int32');
  assert.throws(() => b.elu(x, { alpha: NaN }), TypeError);
  assert.throws(() => b.elu(x, { alpha: 'x' }), TypeError);
  assert.deepEqual(b.elu(x, { alpha: '2' }).shape, [2, 3]);
  assert.deepEqual(b.reduceSum(x, { keepDimensions: 'yes' }).shape, [1, 1]);
  assert.deepEqual(b.clamp(x, { minValue: -(10n ** 30n), maxValue: Infinity }).shape, [2, 3]);
  assert.throws(() => b.cast(x, Symbol('int32')), TypeError);
});

test('dictionaries: unknown members are ignored, getters run in order and may throw', () => {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', shape23);
  assert.deepEqual(b.relu(x, { unknown: 1, label: undefined }).shape, [2, 3]);
  assert.deepEqual(b.relu(x, null).shape, [2, 3]);
  assert.throws(() => b.relu(x, 1), TypeError);
  const order = [];
  const options = new Proxy({}, { get(_, name) { order.push(name); } });
  b.conv2d(b.input('i', { dataType: 'float32', shape: [1, 1, 3, 3] }),
           b.input('f', { dataType: 'float32', shape: [1, 1, 3, 3] }), options);
  assert.deepEqual(order, ['label', 'bias', 'dilations', 'filterLayout', 'groups', 'inputLayout',
                           'padding', 'strides']);
  assert.throws(() => b.relu(x, { get label() { throw new RangeError('mine'); } }), RangeError);
  assert.throws(() => b.gemm(x, x, { c: null }), TypeError);
});

test('labels are in brackets in messages', () => {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', shape23);
  fails(() => b.softmax(x, 2, { label: 'probs' }), /^softmax \[probs\]: /);
});

test('softmax without an axis is that of the rows of a matrix', async () => {
  const runs = async (options) => {
    const b = new MLGraphBuilder(context);
    const x = b.constant(shape23, new Float32Array([1, 2, 3, 6, 5, 4]));
    const outputs = { rows: b.softmax(x, 1), columns: b.softmax(x, 0), y: b.softmax(x, ...options) };
    const graph = await b.build(outputs);
    const tensors = {};
    for (const name in outputs)
      tensors[name] = await context.createTensor({ ...shape23, readable: true });
    context.dispatch(graph, {}, tensors);
    const read = async (name) => [...new Float32Array(await context.readTensor(tensors[name]))];
    return { rows: await read('rows'), columns: await read('columns'), y: await read('y') };
  };
  for (const without of [[], [undefined], [null], [{}], [{ label: 'probs' }], [[0]]]) {
    const { rows, columns, y } = await runs(without);
    assert.deepEqual(y, rows);
    assert.notDeepEqual(y, columns);
    assert.ok(Math.abs(y[2] - Math.exp(3) / (Math.exp(1) + Math.exp(2) + Math.exp(3))) < 1e-6);
  }
  for (const withAxis of [[0], ['0'], [false], [0, undefined], [null, {}]]) {
    const { columns, y } = await runs(withAxis);
    assert.deepEqual(y, columns);
  }
});

test('softmax without an axis: errors', () => {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', shape23);
  for (const [name, shape] of [['one', [3]], ['three', [1, 2, 3]], ['four', [1, 2, 3, 4]]])
    fails(() => b.softmax(b.input(name, { dataType: 'float32', shape }), { label: 'probs' }),
          /^softmax \[probs\]: the rank \([134]\) of input is not 2, as it must be without an axis\.$/);
  fails(() => b.softmax(b.input('scalar', { dataType: 'float32', shape: [] })), /rank \(0\)/);
  fails(() => b.softmax(b.input('integers', { dataType: 'int32', shape: [2, 3] })), /int32/);
  fails(() => b.softmax(new MLGraphBuilder(context).input('x', shape23)), /^softmax: /);
  fails(() => b.softmax(), /^softmax: 2 arguments required, but only 0 present\.$/);
  fails(() => b.softmax({}), /^softmax: input is not an MLOperand\.$/);
  fails(() => b.softmax(x, undefined, {}), /^softmax: axis \(undefined\) is not between/);
  fails(() => b.softmax(x, 'rows'), /^softmax: axis \("rows"\) is not between/);
  fails(() => b.softmax(x, 2), /^softmax: axis \(2\) is not less than the rank \(2\)/);
  assert.throws(() => b.softmax(x, { get label() { throw new RangeError('mine'); } }), RangeError);
  const older = new MLGraphBuilder(ml.createContextSync());
  assert.deepEqual(older.softmax(older.input('x', shape23)).shape, [2, 3]);
  assert.ok(older.softmax() instanceof MLActivation);
});

test('objects are recognized by their type tag, not by their prototype', () => {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', shape23);
  for (const fake of [null, undefined, 1, {}, Object.create(Object.getPrototypeOf(x)), context,
                      Object.setPrototypeOf(new MLGraphBuilder(context), Object.getPrototypeOf(x))])
    assert.throws(() => b.relu(fake), TypeError);
  assert.throws(() => b.relu.call({}, x), TypeError);
  assert.throws(() => b.relu.call(context, x), TypeError);
  assert.throws(() => new MLTensor(), TypeError);
  assert.throws(() => new MLGraph(), TypeError);
  assert.throws(() => new MLContext(), TypeError);
  assert.throws(() => MLGraphBuilder(context), TypeError);
  assert.throws(() => new MLGraphBuilder({}), TypeError);
  assert.throws(() => b.add(x), TypeError);
});

test('buffers', () => {
  const b = new MLGraphBuilder(context);
  const d = { dataType: 'float16', shape: [2] };
  for (const good of [new Uint16Array(2), new Uint8Array(4), new ArrayBuffer(4),
                      new SharedArrayBuffer(4), new Uint16Array(new SharedArrayBuffer(8), 4, 2)])
    assert.equal(b.constant(d, good).dataType, 'float16');
  if (globalThis.Float16Array) b.constant(d, new Float16Array(2));
  const detached = new Uint16Array(2);
  structuredClone(detached, { transfer: [detached.buffer] });
  for (const bad of [new Int16Array(2), new Uint8ClampedArray(4), new DataView(new ArrayBuffer(4)),
                     new Float32Array(1), new Uint16Array(3), [1, 2], null, detached,
                     new ArrayBuffer(4, { maxByteLength: 8 })])
    assert.throws(() => b.constant(d, bad), TypeError);
});

test('records keep the order of their keys and read their values once', async () => {
  const b = new MLGraphBuilder(context);
  const x = b.input('x', shape23);
  const outputs = { b: b.relu(x), a: b.neg(x), 1: b.abs(x) };
  Object.defineProperty(outputs, 'hidden', { value: 1, enumerable: false });
  await b.build(outputs);
  const c = new MLGraphBuilder(context);
  await assert.rejects(c.build({ [Symbol()]: 1 }), TypeError);
  await assert.rejects(c.build({ get y() { throw new RangeError('mine'); } }), RangeError);
});
