// Runs one test file of web-platform-tests as a page or its worker would, and writes the results as
// JSON.
//   node page.mjs ADDON WPT FILE OUTPUT VARIANT [worker]
import fs from 'node:fs';
import path from 'node:path';
import url from 'node:url';
import vm from 'node:vm';
import { isMainThread, Worker } from 'node:worker_threads';

const [addon, wpt, file, output, variant, worker] = process.argv.slice(2);
const statuses = ['PASS', 'FAIL', 'TIMEOUT', 'NOTRUN', 'PRECONDITION_FAILED'];
const limit = 1000 * Number(process.env.WEBNN_CONFORMANCE_TIMEOUT ?? 600);

if (worker && isMainThread) {
  const thread = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) });
  process.exit(await new Promise((ended) => thread.once('exit', ended)));
}
const webnn = await import(url.pathToFileURL(path.resolve(addon)));
installPage(webnn);
const outcome = await runFile();
fs.writeFileSync(output, JSON.stringify(outcome));
process.exit(0);

/** Defines the globals of a page in Node's main realm, whose TypeError is that of the addon. */
function installPage(exports) {
  for (const [name, value] of Object.entries(exports))
    if (/^ML/.test(name))
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  const Navigator = navigatorClass(exports.ml, worker ? 'WorkerNavigator' : 'Navigator');
  const set = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  set(Navigator.name, Navigator);
  set('navigator', new Navigator());
  set('self', globalThis);
  if (!worker) {
    set('window', globalThis);
    set('Window', class Window {});
  }
  set('GLOBAL', { isWindow: () => !worker, isWorker: () => !!worker, isShadowRealm: () => false });
  set('isSecureContext', true);
  set('crossOriginIsolated', true);
  set('location', {
    search: variant,
    pathname: '/' + path.relative(wpt, file),
    href: 'https://web-platform.test/' + path.relative(wpt, file) + variant,
  });
  set('fetch', async (resource) => {
    const bytes = fs.readFileSync(resolve(String(resource)));
    return { ok: true, status: 200, text: async () => bytes.toString() };
  });
  // Methods of ECMAScript 2024 and 2025 that the tests use and Node 20 lacks.
  ArrayBuffer.prototype.transfer ??= function () {
    return structuredClone(this, { transfer: [this] });
  };
  Set.prototype.difference ??= function (other) {
    return new Set([...this].filter((x) => !other.has(x)));
  };
}

function navigatorClass(ml, name) {
  const type = { [name]: class {
    get ml() {
      if (!(this instanceof type)) throw new TypeError('Illegal invocation');
      return ml;
    }
  } }[name];
  Object.defineProperty(type.prototype, 'ml', { enumerable: true });
  return type;
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
  if (worker)  // after the harness, which would otherwise post its results to a page
    globalThis.DedicatedWorkerGlobalScope =
      class { static [Symbol.hasInstance](x) { return x === globalThis; } };
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

/** The unit in the last place of x: a float32 value, or a float16 value that the suite decoded. */
function unit(x, isFloat32) {
  const [minExponent, digits] = isFloat32 ? [-126, 23] : [-14, 10];
  return 2 ** (Math.max(Math.floor(Math.log2(Math.abs(x))), minExponent) - digits);
}

/**
 * Wraps the functions of the harness that compare numbers, to record the errors they are given:
 * assert_less_than_equal(distance, tolerance), in units in the last place, and
 * assert_array_approx_equals(actual, expected, tolerance).
 */
function watchErrors() {
  let ulp, share;
  const note = (error, tolerance) => {
    const part = error === 0 ? 0 : error / tolerance;
    if (!(part <= share)) share = part;
  };
  const equal = globalThis.assert_equals;  // for lengths; equal elements are not compared
  globalThis.assert_equals = (actual, expected, ...rest) => {
    if (/^assert_array_approx_equals_ulp/.test(rest[0] ?? '')) {
      ulp ??= 0;
      share ??= 0;
    }
    return equal(actual, expected, ...rest);
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
    for (let i = 0; i < expected.length; ++i) {
      const [a, e] = [Number(actual[i]), Number(expected[i])];
      const error = Object.is(a, e) ? 0 : Math.abs(a - e);
      note(error, tolerance);
      const units = error === 0 ? 0 : error / unit(e, actual instanceof Float32Array);
      if (!(units <= ulp)) ulp = Math.round(10 * units) / 10;
    }
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
