// Runs one test file of web-platform-tests as a page would, and writes what came of it as JSON.
//   node page.mjs ADDON WPT FILE OUTPUT VARIANT
import fs from 'node:fs';
import path from 'node:path';
import url from 'node:url';
import vm from 'node:vm';

const [addon, wpt, file, output, variant] = process.argv.slice(2);
const statuses = ['PASS', 'FAIL', 'TIMEOUT', 'NOTRUN', 'PRECONDITION_FAILED'];
const limit = 1000 * Number(process.env.WEBNN_CONFORMANCE_TIMEOUT ?? 600);

const webnn = await import(url.pathToFileURL(path.resolve(addon)));
installPage(webnn);
const outcome = await runFile();
fs.writeFileSync(output, JSON.stringify(outcome));
process.exit(0);

/** What a page has beyond the language, in Node's own realm: its TypeError is the addon's. */
function installPage(exports) {
  for (const [name, value] of Object.entries(exports))
    if (/^ML/.test(name))
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  class Navigator {
    get ml() {
      if (!(this instanceof Navigator)) throw new TypeError('Illegal invocation');
      return exports.ml;
    }
  }
  Object.defineProperty(Navigator.prototype, 'ml', { enumerable: true });
  const set = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  set('Navigator', Navigator);
  set('navigator', new Navigator());
  set('self', globalThis);
  set('window', globalThis);
  set('Window', class Window {});
  set('GLOBAL', { isWindow: () => true, isWorker: () => false, isShadowRealm: () => false });
  set('isSecureContext', true);
  set('location', {
    search: variant,
    pathname: '/' + path.relative(wpt, file),
    href: 'https://web-platform.test/' + path.relative(wpt, file) + variant,
  });
  set('fetch', async (resource) => {
    const bytes = fs.readFileSync(resolve(String(resource)));
    return { ok: true, status: 200, text: async () => bytes.toString() };
  });
  // Of ECMAScript 2024 and 2025, which the tests use and Node 20 lacks.
  ArrayBuffer.prototype.transfer ??= function () {
    return structuredClone(this, { transfer: [this] });
  };
  Set.prototype.difference ??= function (other) {
    return new Set([...this].filter((x) => !other.has(x)));
  };
}

function resolve(resource) {
  return resource.startsWith('/') ? path.join(wpt, resource)
                                  : path.resolve(path.dirname(file), resource);
}

function run(script) {
  vm.runInThisContext(fs.readFileSync(script, 'utf8'), { filename: script });
}

/** Loads the harness, the scripts that the file names and the file, and waits for its tests. */
async function runFile() {
  run(path.join(wpt, 'resources/testharness.js'));
  const errors = watchErrors();
  const tests = [];
  globalThis.add_result_callback((test) => {
    const { ulp, share } = errors.take();
    tests.push({
      name: test.name, status: statuses[test.status], message: test.message ?? '', ulp, share,
    });
  });
  const finished = new Promise((done) =>
    globalThis.add_completion_callback((_, status) =>
      done({ harness: status.status === 0 ? 'OK' : 'ERROR', message: status.message ?? '' })));
  const late = new Promise((done) =>
    setTimeout(() => done({ harness: 'TIMEOUT', message: `after ${limit / 1000} s` }), limit));
  try {
    const text = fs.readFileSync(file, 'utf8');
    for (const [, script] of text.matchAll(/^\/\/ META: script=(.*)$/gm)) run(resolve(script.trim()));
    run(file);
    return { ...(await Promise.race([finished, late])), tests };
  } catch (e) {
    return { harness: 'ERROR', message: String(e?.stack ?? e), tests };
  }
}

/**
 * The suite compares numbers with assert_less_than_equal(distance, tolerance) in units in the last
 * place, and with assert_array_approx_equals(actual, expected, tolerance). Both are the harness's
 * globals: this notes what they see, and changes nothing.
 */
function watchErrors() {
  let ulp, share;
  const note = (error, tolerance) => {
    const part = error === 0 ? 0 : error / tolerance;
    if (!(part <= share)) share = part;
  };
  const less = globalThis.assert_less_than_equal;
  globalThis.assert_less_than_equal = (distance, tolerance, ...rest) => {
    if (/by ULP distance/.test(rest[0] ?? '')) {
      const d = Number(distance);
      if (!(d <= ulp)) ulp = d;
      note(d, Number(tolerance));
    }
    return less(distance, tolerance, ...rest);
  };
  const approx = globalThis.assert_array_approx_equals;
  globalThis.assert_array_approx_equals = (actual, expected, tolerance, ...rest) => {
    for (let i = 0; i < expected.length; ++i)
      note(Object.is(actual[i], expected[i]) ? 0 : Math.abs(Number(actual[i]) - Number(expected[i])),
           tolerance);
    return approx(actual, expected, tolerance, ...rest);
  };
  return {
    take() {
      const seen = { ulp, share };
      ulp = share = undefined;
      return seen;
    },
  };
}
