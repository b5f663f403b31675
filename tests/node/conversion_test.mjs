// Web IDL conversions: https://webidl.spec.whatwg.org/#js-types
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { ml, MLContext, MLGraph, MLGraphBuilder, MLTensor } = await import(process.env.WEBNN_NODE);
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

test('sequences are whatever iterates', () => {
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

test('objects are known by what they are, not by their prototype', () => {
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
