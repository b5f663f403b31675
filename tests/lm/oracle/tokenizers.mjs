// Each vocabulary on WEBNN_TOKENIZERS_COUNT texts, 2,000 by default: tokens.mjs PROGRAM
import { json, load, models, run } from './common.mjs';
import { texts } from './texts.mjs';

const { Tokenizer } = load('@huggingface/tokenizers');
const all = [...texts(Number(process.env.WEBNN_TOKENIZERS_COUNT ?? 2000), 1)];
let failed = false;
for (const [name, folder] of models()) {
  const other = new Tokenizer(json(folder, 'tokenizer.json'), json(folder, 'tokenizer_config.json'));
  const results = run(['tokenizer', folder], all);
  let different = 0;
  for (const bytes of all) {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    const tokens = results.numbers(), decoded = results.text();
    const expected = other.encode(text, { add_special_tokens: false }).ids;
    const same = JSON.stringify(tokens) === JSON.stringify(expected) && (expected.length === 0
      || decoded === other.decode(expected, { skip_special_tokens: false, clean_up_tokenization_spaces: false }));
    if (!same && ++different <= 3) console.log(JSON.stringify(text), tokens.join(), expected.join());
  }
  console.log(`${name}: ${different} of ${all.length} texts differ`);
  failed ||= different > 0;
}
process.exit(failed ? 1 : 0);
