// Language models: the texts and vectors that the library makes of the same files in C++.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const { lm, ml, MLGraph } = await import(process.env.WEBNN_NODE);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'webnn-lm-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
const files = process.env.WEBNN_LM_FILES;
const contents = (name) => fs.readFileSync(path.join(files, name));
const file = path.join(files, 'model.gguf');
const named = (name, message = /^/) => (e) =>
  e instanceof DOMException && e.name === name && message.test(e.message);
const typeError = (message) => (e) => e instanceof TypeError && message.test(e.message);

const model = await lm.load(file, { threads: 1 });
const greedy = { maxTokens: 24, ignoreEnd: true };
const sampled = { maxTokens: 48, temperature: 2, topK: 300, topP: 0.9, minP: 0.001,
                  repetitionPenalty: 1.25, seed: 7, ignoreEnd: true };

test('the same texts as in C++', async () => {
  const pieces = [];
  for await (const piece of model.generate('w300 w301', greedy)) pieces.push(piece);
  assert(pieces.length > 5 && pieces.every((p) => p.length > 0));
  assert(contents('greedy.txt').equals(Buffer.from(pieces.join(''))));
  const text = await model.generate('w300 w301', { ...sampled, seed: 7n }).rest();
  assert(contents('sampled.txt').equals(Buffer.from(text)));
  for (const bias of [{ [3 + 0xc3]: 12, [3 + 0xa9]: 12 }, [[3 + 0xc3, 12], [3 + 0xa9, 12]],
                      new Map([[3 + 0xc3, 12], [3 + 0xa9, 12]])]) {
    const biased = await model.generate('w300 w301', {
      ...sampled, repetitionWindow: 8, bias, stop: ['never', 'w300w'], stopTokens: [511] }).rest();
    assert(contents('biased.txt').equals(Buffer.from(biased)));
  }
});

test('what a generation says', async () => {
  const tokens = model.tokenizer.encode('w300 w301');
  const text = model.generate(tokens, greedy);
  assert.equal(text.report.finishReason, 'none');
  assert.deepEqual(text.tokens, []);
  const first = await text.next();
  assert.equal(first.done, false);
  assert.equal(text.report.finishReason, 'none');
  assert(contents('greedy.txt').equals(Buffer.from(first.value + await text.rest())));
  const report = text.report;
  assert.equal(report.promptTokens, tokens.length);
  assert.equal(report.tokens, 24);
  assert.equal(text.tokens.length, 24);
  assert.equal(report.finishReason, 'length');
  assert(Math.abs(report.tokensPerSecond * report.seconds - 23) < 1e-6);
  assert(report.promptTokensPerSecond > 0);
  assert.deepEqual(await text.next(), { value: undefined, done: true });
  const stop = contents('greedy.txt').toString().slice(20, 24);
  for (let i = 0; i < 20; ++i) {  // in the cache that the last one has given back
    const again = model.generate('w300 w301', greedy);
    assert(contents('greedy.txt').equals(Buffer.from(await again.rest())));
    if (i > 0) assert.equal(again.report.cachedTokens, tokens.length - 1);
  }
  const byText = model.generate('w300 w301', { ...greedy, stop });
  await byText.rest();
  assert.equal(byText.report.finishReason, 'stop');
});

test('pieces that are asked for at once come in their order', async () => {
  const text = model.generate('w300 w301', greedy);
  const all = await Promise.all(Array.from({ length: 30 }, () => text.next()));
  assert(contents('greedy.txt').equals(Buffer.from(all.map((r) => r.value ?? '').join(''))));
});

test('the event loop goes on meanwhile', async () => {
  let ticks = 0;
  let done = false;
  const tick = () => { ++ticks; if (!done) setImmediate(tick); };
  setImmediate(tick);
  let most = 0;
  for (let i = 0; i < 200 && most < 5; ++i) {
    const cache = model.cache();
    const before = ticks;
    await model.evaluate(cache, Array(256).fill(5));
    most = Math.max(most, ticks - before);
  }
  done = true;
  assert(most >= 5);
});

test('stopping', async () => {
  const text = model.generate('w300 w301', greedy);
  for await (const piece of text) {
    assert(piece);
    break;
  }
  assert.deepEqual(await text.next(), { value: undefined, done: true });
  assert(text.tokens.length >= 1 && text.tokens.length < 24);

  const controller = new AbortController();
  const aborted = model.generate('w300 w301', { ...greedy, signal: controller.signal });
  await aborted.next();
  controller.abort();
  await assert.rejects(aborted.next(), named('AbortError'));
  assert.deepEqual(await aborted.next(), { value: undefined, done: true });
  const reason = new Error('enough');
  const before = model.generate('w300', { signal: AbortSignal.abort(reason) });
  await assert.rejects(before.next(), (e) => e === reason);
  const during = new AbortController();
  const running = model.generate('w300 '.repeat(50), { ...greedy, signal: during.signal }).rest();
  during.abort(reason);
  await assert.rejects(running, (e) => e === reason);
  assert.throws(() => model.generate('w300', { signal: 3 }),
                typeError(/signal is not an AbortSignal/));
});

test('caches', async () => {
  const cache = model.cache();
  assert.equal(cache.size, 0);
  assert.equal(cache.capacity, 256);
  const logits = await model.evaluate(cache, [10, 20, 30], 2);
  assert(logits instanceof Float32Array && logits.length === 1024);
  assert.deepEqual(cache.tokens, [10, 20, 30]);
  const fork = await cache.fork();
  const saved = path.join(folder, 'saved');
  await cache.save(saved);
  const loaded = await model.loadCache(saved);
  cache.trim(0);
  assert.deepEqual([cache.size, fork.size, loaded.size], [0, 3, 3]);
  fork.trim(2);
  loaded.trim(2);
  const step = await model.evaluate(fork, [30]);
  assert.deepEqual(step, await model.evaluate(loaded, [30]));
  const most = Math.max(...logits.map(Math.abs));
  step.forEach((v, i) => assert(Math.abs(v - logits[512 + i]) <= 1e-3 * most));
  assert.throws(() => fork.trim(4), typeError(/size \(4\)/));
  for (const [tokens, rows] of [[[], 0], [[512], 1], [[-1], 1], [[1], 2], [Array(300).fill(5), 1]])
    await assert.rejects(model.evaluate(fork, tokens, rows), TypeError);
  assert.equal(fork.size, 3);
  const used = model.cache();
  assert(contents('greedy.txt').equals(
    Buffer.from(await model.generate('w300 w301', { ...greedy, cache: used }).rest())));
  const again = model.generate('w300 w301', { ...greedy, cache: used });
  await again.rest();
  assert.equal(again.report.cachedTokens, again.report.promptTokens - 1);
  const text = model.generate('w300 w301', { ...greedy, cache: used });
  await text.next();
  used.trim(1);
  await assert.rejects(text.next(), named('InvalidStateError', /the cache was changed/));
  await assert.rejects(model.loadCache(file), named('DataError'));
  const other = await lm.load(file, { threads: 1 });
  await assert.rejects(other.generate('w300', { cache: used }).next(), typeError(/another model/));
  assert.throws(() => model.generate('w300', { cache: 3 }), typeError(/cache is not a Cache/));
});

test('conversations', async () => {
  const chat = model.chat([{ role: 'system', content: 'w310' }]);
  const options = { maxTokens: 8, ignoreEnd: true };
  const first = await chat.send('w300', options).rest();
  const second = chat.send('w301', options);
  assert(contents('chat.txt').equals(Buffer.from(`${first}\n${await second.rest()}`)));
  assert(second.report.cachedTokens > 0);
  assert.deepEqual(chat.messages.map((m) => m.role),
                   ['system', 'user', 'assistant', 'user', 'assistant']);
  assert.equal(chat.messages[2].content, first);
  assert.equal(chat.forgotten, 0);
  for (let turns = 0; chat.forgotten === 0 && turns < 200; ++turns) await chat.send('w301', options).rest();
  assert(chat.forgotten > 0);
  const message = { role: 'bad', content: 'x', tool_calls: [{ 'é': 1 }] };
  const bad = model.chat([message]);
  assert.deepEqual(bad.messages, [message]);
  await assert.rejects(bad.send('w300').next(), typeError(/no bad roles/));
  for (const messages of [3, ['x'], [{ content: 'x' }]])
    assert.throws(() => model.chat(messages), TypeError);
});

test('templates', () => {
  const messages = [{ role: 'user', content: 'w310' }];
  const t = model.tokenizer;
  assert.equal(t.applyChatTemplate(messages), 'user w310 ');
  for (const tools of [[{ name: 'w5' }], '[{"name": "w5"}]'])
    assert.equal(t.applyChatTemplate(messages, { tools }), 'w5 user w310 ');
  const template = new lm.ChatTemplate(
    "{{ messages[0].name + greeting + bos_token }}{{ strftime_now('%Y') }}");
  const more = { variables: { greeting: 'ö' }, bosToken: '<s>', time: new Date(86400e3 * 366) };
  assert.equal(template.apply([{ role: 'user', content: null, name: 'é' }], more), 'éö<s>1971');
  assert.throws(() => new lm.ChatTemplate('{% if'), named('DataError'));
  assert.throws(() => new lm.ChatTemplate('{% for i in range(9999) %}{{ i }}{% endfor %}')
    .apply([], { maxSteps: 99 }), named('OperationError'));
});

test('vectors', async () => {
  const context = await ml.createContext();
  const model = await lm.load(path.join(files, 'embeddings.gguf'), { context });
  const vectors = await model.embed(['w300 w301', 'w7']);
  assert(vectors.every((v) => v instanceof Float32Array && v.length === 64));
  const bytes = Buffer.concat(
    vectors.map((v) => Buffer.from(v.buffer, v.byteOffset, v.byteLength)));
  assert(contents('embeddings.f32').equals(bytes));
  assert.deepEqual(await model.embed('w7'), vectors[1]);
  assert.deepEqual(await model.embedTokens(model.tokenizer.encode('w7')), vectors[1]);
  await assert.rejects(model.generate('w300').next(), named('InvalidStateError'));
  assert.throws(() => model.cache(), named('InvalidStateError'));
  await assert.rejects(model.embed('w300 '.repeat(300)), TypeError);
});

test('tokenizers', async () => {
  const t = model.tokenizer;
  assert.deepEqual([t.size, t.bos, t.eos, t.unk, t.pad], [512, 1, 2, 0, null]);
  assert(t.isSpecial(1) && !t.isSpecial(300));
  assert.equal(t.textOf(1), '<s>');
  assert.equal(t.find('</s>'), 2);
  assert.equal(t.find('none'), null);
  assert(t.chatTemplate.includes('for m in messages'));
  const tokens = t.encode('w300 é€😀');
  assert.equal(tokens[0], 1);
  assert.notEqual(t.encode('w300', { addSpecial: false })[0], 1);
  assert(t.decode(tokens).includes('é€😀'));
  assert(t.decode([1, 300], { skipSpecial: false }).startsWith('<s>'));
  const stream = new lm.TokenStream(t);
  assert.deepEqual([...Buffer.from('€')].map((byte) => stream.put(3 + byte)), ['', '', '€']);
  assert.equal(stream.put(3 + 0xe2), '');
  assert.equal(stream.finish(), '\ufffd');
  assert.deepEqual((await lm.Tokenizer.open(file)).encode('w300 é€😀'), tokens);
  const small = lm.Tokenizer.fromJson(
    '{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}');
  assert.deepEqual(small.encode('abb'), [2, 1]);
  assert.throws(() => t.decode([512]), typeError(/512/));
  assert.throws(() => t.encode(3), TypeError);
  assert.throws(() => t.encode('x', { addSpecials: true }),
                typeError(/addSpecials is not one of its options: addSpecial/));
  assert.throws(() => lm.Tokenizer.fromJson('{}'), named('DataError'));
  await assert.rejects(lm.Tokenizer.open(path.join(folder, 'none')), named('DataError'));
});

test('sampling', async () => {
  const cache = model.cache();
  const tokens = model.tokenizer.encode('w300 w301');
  const sampler = new lm.Sampler({ logProbabilities: 3 });
  const chosen = [];
  let logits = await model.evaluate(cache, tokens);
  while (chosen.length < 24) {
    const { token } = sampler.sample(logits, cache.tokens);
    chosen.push(token);
    logits = await model.evaluate(cache, [token]);
  }
  const text = model.generate(tokens, greedy);
  await text.rest();
  assert.deepEqual(chosen, text.tokens);
  const row = new Float32Array([1, 3, 2]);
  const sample = sampler.sample(row);
  assert.equal(sample.token, 1);
  assert.deepEqual(sample.best.map((b) => b.token), [1, 2, 0]);
  const sum = Math.log([...row].reduce((s, x) => s + Math.exp(x), 0));
  sample.best.forEach(({ token, logProbability }) =>
    assert(Math.abs(logProbability - (row[token] - sum)) < 1e-6));
  assert.equal(sampler.sample(row, [], { allowed: [true, false, true] }).token, 2);
  assert.throws(() => sampler.sample([1, 2]), typeError(/Float32Array/));
});

test('a cache of int8', async () => {
  const other = await lm.load(file, { threads: 1, cacheType: 'int8' });
  const cache = other.cache(), exact = model.cache();
  await other.evaluate(cache, [10, 20, 30]);
  await model.evaluate(exact, [10, 20, 30]);
  const fork = await cache.fork();
  const row = await other.evaluate(fork, [40]), expected = await model.evaluate(exact, [40]);
  assert.deepEqual([fork.size, cache.size], [4, 3]);
  const most = Math.max(...expected.map(Math.abs));
  const difference = Math.max(...row.map((x, i) => Math.abs(x - expected[i]))) / most;
  assert(difference > 0 && difference < 0.05);
});

test('a grammar and a schema', async () => {
  const text = await model.generate('w300', { grammar: 'root ::= "ab" ("," "ab"){3}' }).rest();
  assert.equal(text, 'ab,ab,ab,ab');
  for (const jsonSchema of [{ enum: [true] }, '{"enum": [true]}'])
    assert.equal(await model.generate('w300', { jsonSchema }).rest(), 'true');
});

test('texts with a schema are JSON', async () => {
  const jsonSchema = { type: 'object', additionalProperties: false, required: ['name', 'age'],
                       properties: { name: { type: 'string', pattern: '^[a-z]{1,8}$' },
                                     age: { type: 'integer', minimum: 0, maximum: 150 } } };
  const options = { maxTokens: 300, temperature: 2, ignoreEnd: true };
  const texts = (await model.generateAll(['w300', 'w301'], { ...options, jsonSchema })).map((t) => t.text);
  for (let seed = 0; seed < 5; ++seed)
    texts.push(await model.generate('w300', { ...options, seed, jsonSchema: JSON.stringify(jsonSchema) }).rest());
  for (const text of texts) {
    const { name, age } = JSON.parse(text);
    assert.match(name, /^[a-z]{1,8}$/);
    assert(Number.isInteger(age) && age >= 0 && age <= 150);
  }
  assert(new Set(texts).size > 3);
});

test('grammars and schemas that are refused', async () => {
  for (const [options, expected] of [
    [{ grammar: 'root ::= (' }, typeError(/line 1/)],
    [{ grammar: 'a ::= "b"' }, typeError(/root/)],
    [{ grammar: 'root ::= root "a" | "b"' }, typeError(/left recursion/)],
    [{ jsonSchema: '{"type": "obj' }, typeError(/not JSON/)],
    [{ jsonSchema: { type: 'odd' } }, typeError(/"odd"/)],
    [{ jsonSchema: { not: {} } }, named('NotSupportedError', /not/)],
    [{ grammar: 'root ::= "a"', jsonSchema: {} }, typeError(/exclude each other/)]])
    await assert.rejects(async () => model.generate('w300', options).rest(), expected);
});

test('the program of the guide', async () => {
  const root = new URL('../../', import.meta.url);
  const page = fs.readFileSync(new URL('docs/guide/language-models.md', root), 'utf8');
  const [, program] = page.match(/```js\n([^]*?)```/);
  const script = path.join(folder, 'guide.mjs');
  fs.writeFileSync(script, program.replace("'webnn-native'", JSON.stringify(process.env.WEBNN_NODE)));
  const out = execFileSync(process.execPath, [script], { cwd: root, encoding: 'utf8', timeout: 120_000 });
  const [, text, speed] = out.match(/^([^]*)\n(.*)\n$/);
  const stories = await lm.load(path.join(fileURLToPath(root), 'examples/trained/stories.gguf'));
  const options = { maxTokens: 64, temperature: 0.7, topP: 0.9, seed: 1 };
  assert.equal(text, await stories.generate('Once upon a time', options).rest());
  assert.match(text, /was a/);
  assert.match(speed, /^[0-9.]+ tokens\/s$/);
});

test('samples', async () => {
  const options = { maxTokens: 5, ignoreEnd: true, logProbabilities: 3 };
  const text = model.generate('w300 w301', options);
  await text.rest();
  const [together] = await model.generateAll(['w300 w301'], options);
  for (const samples of [text.samples, together.samples]) {
    assert.deepEqual(samples.map((s) => s.token), text.tokens);
    for (const { token, logProbability, best } of samples) {
      assert.equal(best.length, 3);
      assert.deepEqual(best[0], { token, logProbability });
      assert(logProbability < 0 && best[1].logProbability <= logProbability);
    }
  }
  const silent = model.generate('w300', { maxTokens: 2 });
  await silent.rest();
  assert.deepEqual(silent.samples, []);
});

test('a batch', async () => {
  const batch = model.batch({ sequences: 2 });
  const cache = model.cache();
  const tokens = model.tokenizer.encode('w300 w301');
  await model.evaluate(cache, tokens);
  assert.equal(batch.add('w300 w301', greedy), 0);
  assert.equal(batch.add('w7', greedy), 1);
  assert.equal(batch.add(tokens, { ...greedy, cache }), 2);
  assert.equal(batch.add('w300', greedy), 3);
  batch.cancel(3);
  assert.deepEqual([batch.size, batch.waiting, batch.running], [4, 4, 0]);
  const texts = {};
  for await (const { sequence, text } of batch) texts[sequence] = (texts[sequence] ?? '') + text;
  assert.deepEqual(Object.keys(texts), ['0', '1', '2']);
  assert.equal(texts[0], contents('greedy.txt').toString());
  assert.equal(texts[2], texts[0]);
  assert.equal(texts[1], (await model.generateAll(['w7'], greedy))[0].text);
  for (const n of [0, 1, 2]) assert.equal(batch.text(n), texts[n]);
  assert.deepEqual([0, 1, 2, 3].map((n) => batch.report(n).finishReason),
                   ['length', 'length', 'length', 'canceled']);
  assert.equal(batch.report(2).cachedTokens, tokens.length - 1);
  assert.equal(cache.size, tokens.length);
  assert.equal(batch.tokens(0).length, 24);
  assert.deepEqual(batch.samples(0), []);
  batch.forget(0);
  assert.equal(batch.text(0), '');
  assert.equal(batch.add('w7', greedy), 4);
  await assert.rejects(batch.next({ signal: AbortSignal.abort(new Error('enough')) }), /enough/);
  const control = new AbortController();
  const piece = batch.next({ signal: control.signal });
  control.abort(new Error('now'));
  const first = await piece.catch((e) => e);
  assert(first.message === 'now' || first.sequence === 4);
  for await (const { sequence } of batch) assert.equal(sequence, 4);  // it can be tried again
  assert.equal(batch.text(4), texts[1]);
  assert.throws(() => batch.text(9), typeError(/there is no sequence 9/));
  assert.throws(() => model.batch({ sequences: 0 }), typeError(/sequences \(0\) is not 1 to 1024/));
  assert.throws(() => batch.add('w7', { cache: 3 }), typeError(/cache/));
  assert.throws(() => batch.add('w7', { max_tokens: 3 }), typeError(/max_tokens is not one/));
});

test('texts of many prompts', async () => {
  const prompts = ['w300 w301', 'w7', model.tokenizer.encode('w300 w301')];
  const texts = await model.generateAll(prompts, { ...greedy, sequences: 2 });
  assert.equal(texts[0].text, contents('greedy.txt').toString());
  assert.equal(texts[2].text, texts[0].text);
  assert.equal(texts[1].tokens.length, 24);
  assert.equal(texts[1].report.finishReason, 'length');
  assert.deepEqual(await model.generateAll([]), []);
  await assert.rejects(model.generateAll('w300'), typeError(/one string/));
});

test('wrong options', async () => {
  for (const [options, message] of [
    [{ max_tokens: 3 }, /max_tokens is not one of its options: maxTokens/],
    [{ topP: 2 }, /topP/], [{ temperature: 'x' }, /temperature/], [{ seed: -1 }, /seed/],
    [{ seed: 2n ** 64n }, /seed/], [{ maxTokens: -1 }, /maxTokens/],
    [{ stop: '' }, /a stop text is empty/],
    [{ stop: 3 }, /stop/], [{ bias: 3 }, /bias/], [{ bias: { 512: 1 } }, /512/],
    [{ stopTokens: [512] }, /512/]])
    await assert.rejects(model.generate('w300', options).next(), typeError(message), `${message}`);
});

test('errors', async () => {
  await assert.rejects(lm.load(path.join(folder, 'none.gguf')), named('DataError'));
  await assert.rejects(lm.load(folder), named('DataError', /config.json/));
  for (const options of [{ cacheType: 'int32' }, { cacheType: 'int9' }, { batch: 0 },
                         { capacities: 3 }, { capacity: -1 }, { context: 3 }])
    await assert.rejects(lm.load(file, options), TypeError);
  const context = await ml.createContext();
  await assert.rejects(lm.load(file, { context, threads: 1 }), typeError(/threads is not one/));
  for (const prompt of ['w300 '.repeat(300), [], [512], [-1], 3, null])
    await assert.rejects(model.generate(prompt).next(), TypeError);
  const small = await lm.load(file, {
    capacity: 16, cacheType: 'float32', batch: 4, threads: 1, releaseRows: true });
  assert.equal(small.info.capacity, 16);
  await assert.rejects(small.generate('w300 '.repeat(10)).next(), typeError(/room for 16/));
  for (const name of ['Model', 'Batch', 'Cache', 'Chat', 'Generation', 'Tokenizer'])
    assert.throws(() => new lm[name](), typeError(/Illegal constructor/));
});

test('information', () => {
  const { info } = model;
  assert.equal(info.architecture, 'llama');
  assert.equal(info.keyHeads, 2);
  assert.equal(info.vocabulary, 512);
  assert.equal(info.capacity, 256);
  assert(info.weights.length >= 1 && info.weights[0].tensors > 0);
  assert(model.hasTokenizer);
  assert.deepEqual(model.endTokens, [2]);
  assert(model.graph instanceof MLGraph);
});

test('require() gives the same', () => {
  const index = createRequire(import.meta.url)(
    path.join(path.dirname(process.env.WEBNN_NODE), 'index.cjs'));
  assert.equal(index.lm, lm);
});
