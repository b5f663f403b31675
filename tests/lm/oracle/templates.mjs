// The templates of the models on several conversations, against npm's @huggingface/jinja.
import { json, load, models, run, templates_of_llama } from './common.mjs';

const { Template } = load('@huggingface/jinja');
const { tools, usual } = json(import.meta.dirname, 'conversations.json');
// That package has no output for these: it tests None and undefined values with filters that Jinja gives them.
const refused_there = /Cannot apply filter|Unknown \w+ filter/;

const all = models().map(([name, folder]) => [name, json(folder, 'tokenizer_config.json').chat_template])
  .filter(([, text]) => typeof text === 'string').concat(templates_of_llama());
// There Jinja for Python, which templates.py runs, gives what this library gives.
const other_there = new Set(['Cohere2MoE', 'CohereForAI-c4ai-command-r7b-12-2024-tool_use',
                             'meetkai-functionary-medium-v3.2']);
let count = 0, failed = false;
for (const [name, text] of all) {
  const cases = usual.flatMap((messages) => [null, tools].flatMap((list) => [true, false].map((prompt) => ({
    messages, tools: list, variables: { add_generation_prompt: prompt, enable_thinking: prompt } }))));
  const results = run(['template'], cases.flatMap((c) => [text, ...c.messages.map((m) => JSON.stringify(m)), '',
    c.tools ? JSON.stringify(c.tools) : '', JSON.stringify(c.variables)]));
  let different = 0, unknown = 0;
  for (const c of cases) {
    const result = results.text();
    let expected = '-';
    try {
      expected = '+' + new Template(text).render({ messages: c.messages, tools: c.tools, bos_token: '<s>', eos_token: '</s>',
        ...c.variables });
    } catch (e) {
      if (refused_there.test(e.message) && result[0] === '+') {
        ++unknown;
        continue;
      }
    }
    if ((expected === '-' ? result[0] : result) !== expected && ++different <= 3 && !other_there.has(name))
      console.log(JSON.stringify(result), JSON.stringify(expected));
  }
  console.log(`${name}: ${different} of ${cases.length} conversations differ`
    + (unknown > 0 ? `, ${unknown} are refused by the other one alone` : ''));
  ++count;
  failed ||= different > 0 && !other_there.has(name);
}
console.log(`${count} templates`);
process.exit(failed || count === 0 ? 1 : 0);
