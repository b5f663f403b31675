// The templates of the models on several conversations.
import { json, load, models, run } from './common.mjs';

const { Template } = load('@huggingface/jinja');
const user = (content) => ({ role: 'user', content });
const assistant = (content) => ({ role: 'assistant', content });
const system = (content) => ({ role: 'system', content });
const call = (args) => ({ role: 'assistant', content: '',
  tool_calls: [{ id: 'abcdefghi', type: 'function', function: { name: 'weather', arguments: args } }] });
const tools = [{ type: 'function', function: { name: 'weather', description: 'of a <place>, "now"',
  parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] } } }];
const conversations = [
  [user('Hi')],
  [system('Be brief.'), user('Hello'), assistant('Hi there'), user('  How are you?  \n')],
  [user('é😀 "quoted" <b>&'), assistant('<think>\nhm\n</think>\n\nyes'), user('ok')],
  [user('a'), user('b')],
  [assistant('first'), user('x')],
  [user('weather?'), call({ place: 'Paris' }), { role: 'tool', name: 'weather', content: '{"t": 20}' }, assistant('20')],
  [user('weather?'), call('{"place":"Rome"}'), { role: 'tool', content: 'sunny' }],
  [system('s'), user('u'), { role: 'assistant', content: 'c', reasoning_content: 'r' }, user('v')],
];
let count = 0, failed = false;
for (const [name, folder] of models()) {
  const text = json(folder, 'tokenizer_config.json').chat_template;
  if (typeof text !== 'string') continue;
  const cases = conversations.flatMap((messages) => [null, tools].flatMap((list) => [true, false].map((prompt) => ({
    messages, tools: list, variables: { add_generation_prompt: prompt } }))));
  const results = run(['template'], cases.flatMap((c) => [text, ...c.messages.map((m) => JSON.stringify(m)), '',
    c.tools ? JSON.stringify(c.tools) : '', JSON.stringify(c.variables)]));
  let different = 0;
  for (const c of cases) {
    let expected = '-';
    try {
      expected = '+' + new Template(text).render({ messages: c.messages, tools: c.tools, bos_token: '<s>', eos_token: '</s>',
        ...c.variables });
    } catch { /* refused */ }
    const result = results.text();
    if ((expected === '-' ? result[0] : result) !== expected && ++different <= 3)
      console.log(JSON.stringify(result), JSON.stringify(expected));
  }
  console.log(`${name}: ${different} of ${cases.length} conversations differ`);
  ++count;
  failed ||= different > 0;
}
process.exit(failed || count === 0 ? 1 : 0);
