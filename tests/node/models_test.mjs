// Models in files and in memory: context.loadGraph(), builder.importModel(), graph.exportModel().
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const { ml, MLGraph, MLGraphBuilder, MLOperand } = await import(process.env.WEBNN_NODE);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'webnn-models-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
const file = (name) => path.join(folder, name);
const named = (name, message = /^/) => (e) =>
  (e instanceof DOMException || e instanceof TypeError) && e.name === name && message.test(e.message);

const formats = ml.modelFormats().filter(({ imports, exports }) => imports && exports);
const d = { dataType: 'float32', shape: [1, 2] };
const context = await ml.createContext({ keepConstants: true });

/** y = b - a; nothing reads the input that is called 1. */
async function difference() {
  const builder = new MLGraphBuilder(context);
  const [b, a, other] = ['b', 'a', '1'].map((name) => builder.input(name, d));
  return builder.build({ y: builder.sub(b, a) }, { inputs: [a, b, other] });
}

async function run(graph) {
  const tensor = async (values) => {
    const t = await context.createTensor({ ...d, readable: true, writable: true });
    context.writeTensor(t, new Float32Array(values));
    return t;
  };
  const y = await tensor([0, 0]);
  context.dispatch(graph, { a: await tensor([1, 2]), b: await tensor([5, 7]) }, { y });
  return [...new Float32Array(await context.readTensor(y))];
}

test('formats', () => {
  for (const format of ml.modelFormats()) {
    assert.equal(typeof format.about, 'string');
    assert.ok(Array.isArray(format.extensions));
  }
});

for (const { name, extensions } of formats) {
  test(`${name}: from a path and from memory`, async () => {
    const graph = await difference();
    await graph.exportModel(file(`net.${extensions[0]}`));
    const bytes = await graph.exportedBytes(name);
    assert.ok(bytes instanceof Uint8Array);
    fs.writeFileSync(file(`${name}.unknown`), bytes);
    for (const source of [file(`net.${extensions[0]}`), file(`${name}.unknown`), bytes,
                          bytes.slice().buffer]) {
      const loaded = await context.loadGraph(source);
      assert.ok(loaded instanceof MLGraph);
      assert.deepEqual([...loaded.inputs], ['a', 'b', '1'].map((n) => [n, d]));
      assert.deepEqual([...loaded.outputs], [['y', d]]);
      assert.deepEqual(await run(loaded), [4, 5]);
    }
  });
  test(`${name}: into a builder`, async () => {
    const bytes = await (await difference()).exportedBytes(name);
    const builder = new MLGraphBuilder(context);
    const model = await builder.importModel(bytes, { format: name, maxBytes: 1 << 24 });
    assert.equal(model.format, name);
    assert.deepEqual([...model.inputs.keys()], ['a', 'b', '1']);
    assert.ok([...model.inputs.values()].every((x) => x instanceof MLOperand));
    const graph = await builder.build(Object.fromEntries(model.outputs),
                                      { inputs: [...model.inputs.values()] });
    assert.deepEqual(await run(graph), [4, 5]);
  });
  test(`${name}: options`, async () => {
    const bytes = await (await difference()).exportedBytes(name);
    const graph = await context.loadGraph(bytes, { outputs: ['y'] });
    assert.deepEqual([...graph.outputs.keys()], ['y']);
    await assert.rejects(context.loadGraph(bytes, { outputs: ['nowhere'] }), named('TypeError'));
    await assert.rejects(context.loadGraph(bytes, { dimensions: { n: 1 } }), named('TypeError'));
    await assert.rejects(context.loadGraph(bytes, { verify: 'full' }), named('TypeError', /verify/));
    await context.loadGraph(bytes, { values: { nowhere: { shape: [1], data: new Float32Array(1) } } });
  });
}

test('open dimensions get their sizes', { skip: !formats.some(({ name }) => name === 'webnn') },
     async () => {
  const text = 'webnn_graph "net" v1 { inputs { x: f32[dyn("batch", 8), 2]; }\n' +
               'nodes { y = relu(x); } outputs { y; } }';
  const bytes = new TextEncoder().encode(text);
  for (const options of [{ dimensions: { batch: 3 } }, { shapes: { x: [3, 2] } }]) {
    const graph = await context.loadGraph(bytes, options);
    assert.deepEqual(graph.inputs.get('x').shape, [3, 2]);
  }
  await assert.rejects(context.loadGraph(bytes, { dimensions: { batch: 9 } }), named('TypeError'));
});

test('a limit of memory may be 0', { skip: !formats.some(({ name }) => name === 'webnn') },
     async () => {
  const builder = new MLGraphBuilder(context);
  const two = { dataType: 'float32', shape: [64, 64] };
  const w = builder.constant(two, new Float32Array(64 * 64).fill(0.1));
  const graph = await builder.build({ y: builder.add(builder.input('x', two), w) });
  const bytes = await graph.exportedBytes('webnn');
  await context.loadGraph(bytes, { maxBytes: 1 << 24 });
  await assert.rejects(context.loadGraph(bytes, { maxBytes: 0 }), /memory for constants/);
  for (const maxBytes of [-1, 2 ** 54])
    await assert.rejects(context.loadGraph(bytes, { maxBytes }), named('TypeError', /maxBytes/));
});

test('what is refused', async () => {
  fs.writeFileSync(file('net.xyz'), 'hello');
  await assert.rejects(context.loadGraph(file('net.xyz')),
                       named('NotSupportedError', /no format for the extension "xyz"/));
  await assert.rejects(context.loadGraph(new Uint8Array(100)), named('NotSupportedError'));
  await assert.rejects(context.loadGraph(file('missing.onnx')), DOMException);
  for (const bad of [null, undefined, 5, {}, ''])
    await assert.rejects(context.loadGraph(bad), TypeError);
  const graph = await difference();
  await assert.rejects(graph.exportModel(file('net.xyz')), named('NotSupportedError'));
  await assert.rejects(graph.exportModel(null), TypeError);
  await assert.rejects(graph.exportedBytes('keras'), named('NotSupportedError', /"keras"/));
});

test('a compiled graph tells its inputs and outputs', async () => {
  const graph = await difference();
  try {
    await graph.save(file('net.webnnc'));
  } catch (e) {
    return assert.ok(named('NotSupportedError', /built without compiled graphs/)(e), e);
  }
  for (const source of [file('net.webnnc'), fs.readFileSync(file('net.webnnc'))]) {
    const loaded = await context.loadGraph(source, { verify: 'full' });
    assert.deepEqual([...loaded.inputs.keys()], ['a', 'b', '1']);
    assert.deepEqual(await run(loaded), [4, 5]);
    await assert.rejects(context.loadGraph(source, { outputs: ['y'] }),
                         named('TypeError', /outputs is not an option of a compiled graph/));
  }
});
