// bfloat16 and float8e4m3: bits in Uint16Array and Uint8Array.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { ml, MLCustomOperator, MLGraphBuilder } = await import(process.env.WEBNN_NODE);
const context = await ml.createContext({ threads: 1 });

/** The bits of the outputs of a graph without inputs that a run gives. */
async function computed(outputs, types) {
  const graph = await outputs.builder.build(outputs.operands);
  const tensors = {};
  for (const [name, { dataType, shape }] of graph.outputs)
    tensors[name] = await context.createTensor({ dataType, shape, readable: true });
  context.dispatch(graph, {}, tensors);
  const results = {};
  for (const name of Object.keys(tensors))
    results[name] = Array.from(new types[name](await context.readTensor(tensors[name])));
  return results;
}

test('constants from numbers are rounded to nearest', async () => {
  const builder = new MLGraphBuilder(context);
  const operands = {};
  const types = {};
  const expected = {};
  const add = (dataType, type, value, bits) => {
    const name = `${dataType} ${value}`;
    operands[name] = builder.identity(builder.constant(dataType, value));
    [types[name], expected[name]] = [type, [bits]];
  };
  for (const [value, bits] of [[1, 0x3f80], [-2.5, 0xc020], [0.1, 0x3dcd], [1e39, 0x7f80], [3, 0x4040]])
    add('bfloat16', Uint16Array, value, bits);
  for (const [value, bits] of [[1, 0x38], [-2.5, 0xc2], [0.1, 0x1d], [448, 0x7e], [1e9, 0x7e], [3, 0x44]])
    add('float8e4m3', Uint8Array, value, bits);
  assert.deepEqual(await computed({ builder, operands }, types), expected);
});

test('buffers are those of the bits', async () => {
  const builder = new MLGraphBuilder(context);
  const bfloat = { dataType: 'bfloat16', shape: [2] };
  const float8 = { dataType: 'float8e4m3', shape: [2] };
  const buffer = new Uint16Array([0x3f80, 0x4000]).buffer;
  for (const good of [new Uint16Array(buffer), new Uint8Array(buffer), buffer])
    assert.equal(builder.constant(bfloat, good).dataType, 'bfloat16');
  for (const good of [new Uint8Array(2), new ArrayBuffer(2)])
    assert.equal(builder.constant(float8, good).dataType, 'float8e4m3');
  const wrong = [new Int16Array(2), new Float32Array(1), new Uint32Array(1)];
  if (globalThis.Float16Array) wrong.push(new Float16Array(2));
  for (const bad of wrong) assert.throws(() => builder.constant(bfloat, bad), TypeError);
  assert.throws(() => builder.constant(float8, new Int8Array(2)), TypeError);

  const x = builder.input('x', bfloat);
  const y = builder.add(x, builder.constant(bfloat, new Uint16Array(buffer)));
  const q = builder.cast(y, 'float8e4m3');
  const graph = await builder.build({ y, q });
  const [tx, ty, tq] = await Promise.all([
    context.createTensor({ ...bfloat, writable: true }), context.createTensor({ ...bfloat, readable: true }),
    context.createTensor({ ...float8, readable: true })]);
  context.writeTensor(tx, new Uint16Array([0x3f80, 0xc020]));  // 1, -2.5
  context.dispatch(graph, { x: tx }, { y: ty, q: tq });
  assert.deepEqual([...new Uint16Array(await context.readTensor(ty))], [0x4000, 0xbf00]);  // 2, -0.5
  const bytes = new Uint8Array(2);
  await context.readTensor(tq, bytes);
  assert.deepEqual([...bytes], [0x40, 0xb0]);
});

test('functions of custom operators get the bits', async () => {
  const seen = [];
  const swap = new MLCustomOperator('test.Swap', {
    infer: ([x]) => [x],
    compute([x], [y]) {
      seen.push(x.data.constructor, y.data.constructor);
      y.data.set([...x.data].reverse());
    },
  });
  const builder = new MLGraphBuilder(context);
  const operands = {};
  const types = { a: Uint16Array, b: Uint8Array };
  const constant = (dataType, ...values) =>
    builder.concat(values.map((v) => builder.reshape(builder.constant(dataType, v), [1])), 0);
  [operands.a] = builder.custom(swap, [constant('bfloat16', 1, 2)]);
  [operands.b] = builder.custom(swap, [constant('float8e4m3', 1, 2)]);
  assert.deepEqual(await computed({ builder, operands }, types), { a: [0x4000, 0x3f80], b: [0x40, 0x38] });
  assert.deepEqual(new Set(seen), new Set([Uint16Array, Uint8Array]));
});

test('support limits have the types where operators take them', () => {
  const limits = context.opSupportLimits();
  assert.ok(limits.constant.dataTypes.includes('bfloat16'));
  assert.ok(limits.matmul.a.dataTypes.includes('bfloat16'));
  assert.ok(!limits.matmul.a.dataTypes.includes('float8e4m3'));
  assert.ok(limits.dequantizeLinear.input.dataTypes.includes('float8e4m3'));
  assert.ok(limits.quantizeLinear.zeroPoint.dataTypes.includes('float8e4m3'));
});
