// Runs a script written for browsers:  node browser.mjs sample/digits.js
import path from 'node:path';
import url from 'node:url';
import { serve } from './page.mjs';

const [, , file] = process.argv;
if (!file) {
  console.error('usage: node browser.mjs SCRIPT');
  process.exit(2);
}
const script = path.resolve(file);
serve(path.dirname(script));
await import(url.pathToFileURL(script));
