// The package that npm makes of the build folder, installed into an empty project; and its types.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const built = path.dirname(process.env.WEBNN_NODE);
const project = fs.mkdtempSync(path.join(os.tmpdir(), 'webnn-package-'));
process.on('exit', () => fs.rmSync(project, { recursive: true }));

function run(command, ...args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: project, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error ?? stdout + stderr}`);
  return stdout;
}
const has = (command) => spawnSync(command, ['--version']).status === 0;

test('npm pack, npm install, import', { skip: !has('npm') && 'no npm' }, () => {
  const [{ filename, files }] = JSON.parse(run('npm', 'pack', '--json', built));
  assert.deepEqual(files.map((f) => f.path).sort(),
                   ['LICENSE', 'NOTICE', 'README.md', 'index.cjs', 'index.d.cts', 'index.d.ts', 'index.mjs',
                    'lm.cjs', 'package.json', 'webnn.node', 'webnn.spdx.json']);
  fs.writeFileSync(path.join(project, 'package.json'), '{ "private": true, "type": "module" }');
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', `./${filename}`);
  const script = `
    import webnn, { ml } from 'webnn-native';
    import * as all from 'webnn-native';
    console.log(webnn === ml, Object.keys(all).sort().join());`;
  fs.writeFileSync(path.join(project, 'main.mjs'), script);
  assert.equal(run(process.execPath, 'main.mjs').trim(),
               'true ML,MLActivation,MLContext,MLCustomOperator,MLGraph,MLGraphBuilder,MLOperand,MLTensor,default,lm,ml');

  fs.writeFileSync(path.join(project, 'main.cjs'), `
    const { ml, MLTensor, default: same, __esModule } = require('webnn-native');
    const { os, libc } = require('webnn-native/package.json');
    import('webnn-native').then((all) => console.log(all.ml === ml, same === ml, all.MLTensor === MLTensor,
      __esModule, os[0] === process.platform, os[0] !== 'linux' || libc[0] === 'glibc'));`);
  assert.equal(run(process.execPath, 'main.cjs').trim(), 'true true true true true true');

  const readme = fs.readFileSync(path.join(built, 'README.md'), 'utf8');
  const [first, , extensions] = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
  fs.writeFileSync(path.join(project, 'readme.mjs'), first + extensions);
  const printed = run(process.execPath, 'readme.mjs');
  assert.match(printed, /\[ 0, 0, 1, 2 \][^]* kernel [^]* add\+relu [^]*passes:[^]*\[.*'relu'.*\]/);
});

test('programs compile with the types, wrong ones do not', { skip: !has('tsc') && 'no tsc' }, () => {
  const program = `
    import { lm, ml, MLGraphBuilder, type MLGraph, type MLOperand, type MLTensor } from './index.mjs';
    const context = await ml.createContext(
      { powerPreference: 'low-power', keepConstants: true, accuracyLevel: 'int8', threads: 1, runs: 1,
        backends: ['simd', 'reference'], memoryLimit: 2 ** 30, rules: 'specification', tuning: 'off' });
    const builder = new MLGraphBuilder(context);
    const x: MLOperand = builder.input('x', { dataType: 'float32', shape: [1, 4] });
    const [a, b]: MLOperand[] = builder.split(x, 2, { axis: 1, label: 'halves' });
    const y = builder.gemm(a, b, { bTranspose: true, c: builder.constant('float32', 1) });
    const graph = await builder.build({ y });
    const t: MLTensor = await context.createTensor({ dataType: 'float32', shape: [1, 4], writable: true });
    context.writeTensor(t, new Float32Array(4));
    context.dispatch(graph, { x: t }, { y: t });
    const bytes: ArrayBuffer = await context.readTensor(t);
    const none: undefined = await context.readTensor(t, bytes);
    const times: number[] = await context.profile(graph, 10);
    const text: string = graph.explain() + graph.explain(times);
    const kernels: string[] = graph.report().steps.map((step) => step.kernel);
    const saved: undefined = await graph.save('net.webnnc');
    const loaded: MLGraph = await context.loadGraph('net.webnnc', { verify: 'full' });
    const rows: MLOperand = builder.softmax(x, { label: 'rows' });
    builder.constant({ dataType: 'bfloat16', shape: [2] }, new Uint16Array(2));
    builder.cast(x, 'float8e4m3');
    const types: string[] = context.opSupportLimits().softmax.input.dataTypes;
    builder.conv2d(x, x, { activation: builder.relu(), inputLayout: 'nhwc', strides: new Uint32Array(2) });
    const model: lm.Model = await lm.load('model.gguf', { context, capacity: 512, cacheType: 'float16' });
    const spoken = model.generate('Once', {
      maxTokens: 4, temperature: 0.5, stop: 'x', bias: { 3: 1 }, seed: 1n, cache: model.cache(),
      signal: new AbortController().signal });
    for await (const piece of spoken) console.log(piece.length);
    const speed: number = spoken.report.tokensPerSecond;
    const chat: lm.Chat = model.chat([{ role: 'user', content: 'x', name: 'y' }], { tools: [{ name: 'f' }] });
    const answer: string = await chat.send('x', { topK: 3 }).rest() + chat.messages[0].role;
    const vectors: Float32Array[] = await model.embed(['a']);
    const chosen: number = new lm.Sampler({ logProbabilities: 2 }).sample(vectors[0]).best[0].token;
    console.log(speed, answer, chosen, (await lm.Tokenizer.open('x')).encode('a', { addSpecial: false }));
    // @ts-expect-error
    model.generate('Once', { max_tokens: 4 });
    // @ts-expect-error
    lm.load('model.gguf', { cacheType: 3 });
    // @ts-expect-error
    ml.createContext({ rules: 'draft' });
    // @ts-expect-error
    ml.createContext({ threadPool: null });
    // @ts-expect-error
    builder.relu(1);
    // @ts-expect-error
    builder.relu(x, { labl: '' });
    // @ts-expect-error
    builder.input('x', { dataType: 'float64', shape: [] });
    // @ts-expect-error
    new MLTensor();
    // @ts-expect-error
    graph.report().steps[0].kernels;
    // @ts-expect-error
    context.loadGraph('net.webnnc', { verify: 'some' });
    console.log(graph, none, types, text, kernels, rows, saved, loaded);`;
  for (const file of ['index.d.ts', 'index.mjs'])
    fs.copyFileSync(path.join(built, file), path.join(project, file.replace('.d.ts', '.d.mts')));
  fs.writeFileSync(path.join(project, 'program.mts'), program);
  run('tsc', '--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext', 'program.mts');
});

test('both modules have types', { skip: !has('tsc') && 'no tsc' }, () => {
  const package_ = path.join(project, 'node_modules/webnn-native');
  fs.mkdirSync(package_, { recursive: true });
  for (const file of ['package.json', 'index.d.ts', 'index.d.cts'])
    fs.copyFileSync(path.join(built, file), path.join(package_, file));
  const use = `
    async function use(): Promise<void> {
      const context: MLContext = await ml.createContext();
      const [[name, { dataType, shape }]] = (await context.loadGraph(new Uint8Array(8), { format: 'onnx' })).inputs;
      console.log(name, dataType, shape?.length, same === ml);
    }
    void use();`;
  const imported = `import same, { ml, type MLContext } from 'webnn-native';`;
  fs.writeFileSync(path.join(project, 'module.mts'), imported + use);
  fs.writeFileSync(path.join(project, 'imported.cts'), imported + use);
  fs.writeFileSync(path.join(project, 'required.cts'),
                   `import webnn = require('webnn-native');
                    const { ml, default: same } = webnn;
                    type MLContext = webnn.MLContext;` + use);
  // The node16 rules refuse that require() finds the types of a module.
  run('tsc', '--strict', '--noEmit', '--target', 'es2022', '--module', 'node16', '--esModuleInterop',
      'module.mts', 'imported.cts', 'required.cts');
});
