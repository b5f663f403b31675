// Language models: from a file to text.
'use strict';

const { lm: native } = require('./webnn.node');

const wrapped = Symbol('native');
/** What scripts cannot make themselves. */
const made = Symbol('made');

function require_made(token, name) {
  if (token !== made) throw new TypeError(`Illegal constructor of ${name}`);
}
function native_of(object, type, call, argument) {
  if (!(object instanceof type)) throw new TypeError(`${call}: ${argument} is not a ${type.name}.`);
  return object[wrapped];
}
/** A build without language models has none of what follows. */
function built() {
  if (native) return native;
  throw new DOMException(
    'lm: webnn was built without language models, which need PCRE2, utf8proc and nlohmann-json.',
    'NotSupportedError');
}

const json = (value) =>
  value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
const seconds = (time) => time instanceof Date ? time.getTime() / 1000 : time;

/** Members that are objects in JavaScript, as the addon has them; others as they are. */
function converted(options, change) {
  if (options === undefined || options === null) return options;
  if (typeof options !== 'object') throw new TypeError('options is not a dictionary.');
  const all = { ...options };
  for (const [name, f] of Object.entries(change))
    if (all[name] !== undefined) all[name] = f(all[name]);
  return all;
}
const pairs = (bias) =>
  bias !== null && typeof bias === 'object' && !bias[Symbol.iterator] ?
    Object.entries(bias) : bias;
const sampling = { bias: pairs };
const generating = { bias: pairs, jsonSchema: json, stop: (stop) => typeof stop === 'string' ? [stop] : stop };
const chatting = { tools: json, variables: json, time: seconds };

/** { role, content, more }: other members, and a content that is a list, become JSON. */
function message_of(message) {
  if (message === null || typeof message !== 'object')
    throw new TypeError('messages: an item is not an object.');
  const { role, content, ...more } = message;
  if (content !== undefined && content !== null && typeof content !== 'string')
    more.content = content;
  return {
    role, content: typeof content === 'string' ? content : '',
    more: Object.keys(more).length ? JSON.stringify(more) : '',
  };
}
const messages_of = (messages) => [...messages].map(message_of);

class Tokenizer {
  constructor(token, of) {
    require_made(token, 'Tokenizer');
    this[wrapped] = of;
  }
  static async open(path) { return new Tokenizer(made, await built().openTokenizer(path)); }
  static fromJson(tokenizer, config = '') {
    return new Tokenizer(made, built().tokenizerFromJson(tokenizer, config));
  }
  encode(text, options) { return this[wrapped].encode(text, options); }
  decode(tokens, options) { return this[wrapped].decode(tokens, options); }
  get size() { return this[wrapped].size; }
  textOf(token) { return this[wrapped].textOf(token); }
  find(text) { return this[wrapped].find(text); }
  isSpecial(token) { return this[wrapped].isSpecial(token); }
  get bos() { return this[wrapped].bos; }
  get eos() { return this[wrapped].eos; }
  get unk() { return this[wrapped].unk; }
  get pad() { return this[wrapped].pad; }
  get chatTemplate() { return this[wrapped].chatTemplate; }
  applyChatTemplate(messages, options) {
    return this[wrapped].applyChatTemplate(messages_of(messages), converted(options, chatting));
  }
}

class TokenStream {
  constructor(tokenizer, options) {
    this[wrapped] = built().newTokenStream(
      native_of(tokenizer, Tokenizer, 'TokenStream', 'tokenizer'), options);
  }
  put(token) { return this[wrapped].put(token); }
  finish() { return this[wrapped].finish(); }
}

class ChatTemplate {
  constructor(text) { this[wrapped] = built().newChatTemplate(text); }
  apply(messages, options) {
    return this[wrapped].apply(messages_of(messages), converted(options, chatting));
  }
}

class Sampler {
  constructor(options) { this[wrapped] = built().newSampler(converted(options, sampling)); }
  sample(logits, before = [], { allowed } = {}) {
    return this[wrapped].sample(logits, before, allowed);
  }
}

class Cache {
  constructor(token, of) {
    require_made(token, 'Cache');
    this[wrapped] = of;
  }
  get size() { return this[wrapped].size; }
  get capacity() { return this[wrapped].capacity; }
  get tokens() { return this[wrapped].tokens; }
  trim(size) { this[wrapped].trim(size); }
  async fork() { return new Cache(made, await this[wrapped].fork()); }
  async save(path) { await this[wrapped].save(path); }
}

const nothing = Object.freeze({
  promptTokens: 0, cachedTokens: 0, tokens: 0, promptSeconds: 0, seconds: 0,
  promptTokensPerSecond: 0, tokensPerSecond: 0, finishReason: 'none',
});

/** Pieces, one after the other; start() makes the generation of the addon. */
async function* pieces(generation, start, signal) {
  signal?.throwIfAborted();
  let of;
  const abort = () => of?.stop();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    of = await start();
    if (signal?.aborted) of.stop();
    for (;;) {
      const piece = await of.next();
      generation[wrapped] =
        { report: of.report(), tokens: of.tokens(), samples: of.samples() };
      if (piece === null) return;
      yield piece;
    }
  } catch (e) {
    throw signal?.aborted ? signal.reason : e;
  } finally {
    signal?.removeEventListener('abort', abort);
    of?.close();
    of = undefined;
  }
}

class Generation {
  #pieces;
  constructor(token, start, signal) {
    require_made(token, 'Generation');
    this[wrapped] = { report: nothing, tokens: [], samples: [] };
    this.#pieces = pieces(this, start, signal);
  }
  next() { return this.#pieces.next(); }
  return(value) { return this.#pieces.return(value); }
  throw(error) { return this.#pieces.throw(error); }
  [Symbol.asyncIterator]() { return this; }
  async rest() {
    let text = '';
    for await (const piece of this) text += piece;
    return text;
  }
  get tokens() { return [...this[wrapped].tokens]; }
  get samples() { return [...this[wrapped].samples]; }
  get report() { return { ...this[wrapped].report }; }
}

/** The options of a call without those of this file; wrong ones are refused now, not at next(). */
function generation(options, call) {
  const { signal, ...rest } = options ?? {};
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw new TypeError(`${call}: signal is not an AbortSignal.`);
  return [converted(rest, generating), signal];
}

/** Several texts at once. */
class Batch {
  constructor(token, of) {
    require_made(token, 'Batch');
    this[wrapped] = of;
  }
  add(prompt, options) {
    const { cache, ...rest } = options ?? {};
    const used = cache === undefined ? undefined : native_of(cache, Cache, 'add', 'cache');
    return this[wrapped].add(prompt, used, converted(rest, generating));
  }
  cancel(sequence) { this[wrapped].cancel(sequence); }
  async next({ signal } = {}) {
    if (signal !== undefined && !(signal instanceof AbortSignal))
      throw new TypeError('next: signal is not an AbortSignal.');
    signal?.throwIfAborted();
    const abort = () => this[wrapped].stop();
    const piece = this[wrapped].next();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await piece;
    } catch (e) {
      throw signal?.aborted ? signal.reason : e;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }
  async *[Symbol.asyncIterator]() {
    for (let piece; (piece = await this.next()) !== null;) yield piece;
  }
  get size() { return this[wrapped].size; }
  get running() { return this[wrapped].running; }
  get waiting() { return this[wrapped].waiting; }
  text(sequence) { return this[wrapped].text(sequence); }
  tokens(sequence) { return this[wrapped].tokens(sequence); }
  samples(sequence) { return this[wrapped].samples(sequence); }
  report(sequence) { return this[wrapped].report(sequence); }
  forget(sequence) { this[wrapped].forget(sequence); }
}

class Chat {
  constructor(token, of) {
    require_made(token, 'Chat');
    this[wrapped] = of;
  }
  send(content, options) {
    const [rest, signal] = generation(options, 'send');
    return new Generation(made, () => this[wrapped].send(content, rest), signal);
  }
  get messages() {
    return this[wrapped].messages().map(({ role, content, more }) =>
      ({ role, content, ...(more ? JSON.parse(more) : {}) }));
  }
  get forgotten() { return this[wrapped].forgotten(); }
}

class Model {
  constructor(token, of) {
    require_made(token, 'Model');
    this[wrapped] = of;
  }
  get info() { return this[wrapped].info; }
  get hasTokenizer() { return this[wrapped].hasTokenizer; }
  get tokenizer() { return new Tokenizer(made, this[wrapped].tokenizer()); }
  get endTokens() { return this[wrapped].endTokens; }
  get graph() { return this[wrapped].graph(); }
  cache() { return new Cache(made, this[wrapped].cache()); }
  async loadCache(path) { return new Cache(made, await this[wrapped].loadCache(path)); }
  async evaluate(cache, tokens, rows) {
    return this[wrapped].evaluate(native_of(cache, Cache, 'evaluate', 'cache'), tokens, rows);
  }
  generate(prompt, options) {
    const { cache, ...more } = options ?? {};
    const [rest, signal] = generation(more, 'generate');
    const used = cache === undefined ? undefined : native_of(cache, Cache, 'generate', 'cache');
    return new Generation(made, () => this[wrapped].generate(prompt, used, rest), signal);
  }
  batch({ sequences } = {}) { return new Batch(made, built().newBatch(this[wrapped], sequences)); }
  async generateAll(prompts, options) {
    const { sequences, signal, ...rest } = options ?? {};
    if (typeof prompts === 'string')
      throw new TypeError('generateAll: prompts is one string, not several.');
    const batch = this.batch({ sequences });
    const numbers = [...prompts].map((prompt) => batch.add(prompt, rest));
    while (await batch.next({ signal }) !== null);
    return numbers.map((n) => ({
      text: batch.text(n), tokens: batch.tokens(n), samples: batch.samples(n), report: batch.report(n),
    }));
  }
  chat(messages = [], options = undefined) {
    return new Chat(made, this[wrapped].chat(messages_of(messages), converted(options, chatting)));
  }
  async embed(texts) {
    if (typeof texts !== 'string') return this[wrapped].embed(texts);
    return (await this[wrapped].embed([texts]))[0];
  }
  async embedTokens(tokens) { return this[wrapped].embedTokens(tokens); }
}

async function load(path, options) {
  const { context, ...rest } = options ?? {};
  return new Model(made, await built().load(path, context, rest));
}

module.exports = Object.freeze({
  load, Model, Generation, Batch, Chat, Cache, Tokenizer, TokenStream, ChatTemplate, Sampler,
});
