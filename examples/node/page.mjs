// Defines what scripts written for browsers expect: navigator.ml, the ML* classes, fetch of files
// beside them. WEBNN_NODE names the addon's index.mjs; the default is that of the release build.
import fs from 'node:fs/promises';
import path from 'node:path';
import url from 'node:url';

const here = path.dirname(url.fileURLToPath(import.meta.url));
const addon =
  process.env.WEBNN_NODE ?? path.join(here, '../../build/release/bindings/node/index.mjs');
const webnn = await import(url.pathToFileURL(path.resolve(addon)));

const define = (name, value) =>
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
for (const [name, value] of Object.entries(webnn)) if (/^ML/.test(name)) define(name, value);
define('navigator', { ...globalThis.navigator, ml: webnn.ml });

/** Makes fetch() read relative addresses from files in `folder`. */
export function serve(folder) {
  const overNetwork = globalThis.fetch;
  define('fetch', async (resource, options) =>
    /^[a-z]+:/i.test(String(resource))
      ? overNetwork(resource, options)
      : new Response(await fs.readFile(path.resolve(folder, String(resource)))));
}
