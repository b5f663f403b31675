// Text from a language model, piece by piece: node story.mjs MODEL.gguf "Once upon a time" [SEED]
import process from 'node:process';

const { lm } = await import(
  process.env.WEBNN_NODE ?? '../../build/release/bindings/node/index.mjs');

const [path, prompt, seed = '0'] = process.argv.slice(2);
if (prompt === undefined) {
  console.error('story.mjs MODEL PROMPT [SEED]');
  process.exit(2);
}
try {
  const model = await lm.load(path);
  process.stdout.write(prompt);
  const text = model.generate(
    prompt, { maxTokens: 100, temperature: 0.8, topP: 0.9, seed: BigInt(seed) });
  for await (const piece of text) process.stdout.write(piece);
  const { tokens, tokensPerSecond } = text.report;
  console.log(`\n${tokens} tokens, ${tokensPerSecond.toFixed(1)} tokens/s`);
} catch (e) {
  console.error(`story.mjs: ${e.message}`);
  process.exitCode = 1;
}
