// page_test.mjs COLOURS_MODEL_WRITER WEBNN CHROMIUM: draws a graph and looks at the page in a
// browser without a window, over the DevTools protocol on pipes. Exit code 77: there is no browser.
import { spawn, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import assert from 'node:assert/strict';

const [writer, webnn, chromium] = process.argv.slice(2);
if (!chromium || chromium.endsWith('NOTFOUND')) {
  console.log('there is no Chromium');
  process.exit(77);
}

/// Chromium with pipes for the protocol as descriptors 3 and 4.
class Browser {
  #next = 1;
  #waiting = new Map();
  #rest = '';
  listeners = [];

  constructor(profile) {
    this.process = spawn(chromium, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
      '--window-size=1200,800', `--user-data-dir=${profile}`, '--remote-debugging-pipe', 'about:blank'],
      {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    this.process.on('error', error => { throw error; });
    this.process.stdio[4].on('data', data => {
      const parts = (this.#rest + data).split('\0');
      this.#rest = parts.pop();
      for (const part of parts) this.#receive(JSON.parse(part));
    });
  }
  #receive(message) {
    if (!message.id) return this.listeners.forEach(f => f(message));
    const {resolve, reject} = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) reject(new Error(message.error.message));
    else resolve(message.result);
  }
  send(method, params = {}, sessionId) {
    const id = this.#next++;
    this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + '\0');
    return new Promise((resolve, reject) => this.#waiting.set(id, {resolve, reject}));
  }
  close() {
    return new Promise(done => {
      this.process.on('exit', done);
      this.send('Browser.close').catch(() => this.process.kill());
    });
  }
}

/// One page, its errors, and what it asks of the network.
class Page {
  errors = [];
  requests = [];
  static async open(browser, url) {
    const page = new Page();
    const {targetId} = await browser.send('Target.createTarget', {url: 'about:blank'});
    const {sessionId} = await browser.send('Target.attachToTarget', {targetId, flatten: true});
    page.call = (method, params) => browser.send(method, params, sessionId);
    const loaded = new Promise(resolve => browser.listeners.push(({method, params}) => {
      if (method === 'Runtime.exceptionThrown') page.errors.push(params.exceptionDetails.exception?.description);
      if (method === 'Runtime.consoleAPICalled' && params.type === 'error') page.errors.push(params.args);
      if (method === 'Log.entryAdded' && params.entry.level === 'error') page.errors.push(params.entry.text);
      if (method === 'Network.requestWillBeSent') page.requests.push(params.request.url);
      if (method === 'Page.loadEventFired') resolve();
    }));
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.call(`${domain}.enable`);
    await page.call('Page.navigate', {url});
    await loaded;
    return page;
  }
  async value(expression) {
    const {result, exceptionDetails} = await this.call('Runtime.evaluate', {expression, returnByValue: true});
    assert.ok(!exceptionDetails, exceptionDetails?.exception?.description);
    return result.value;
  }
  mouse(type, x, y, more = {}) {
    return this.call('Input.dispatchMouseEvent', {type, x, y, button: 'left', clickCount: 1, ...more});
  }
}

const place = {
  transform: `document.querySelector('#scene').getAttribute('transform')`,
  scale: `Number(/scale\\((.*)\\)/.exec(document.querySelector('#scene').getAttribute('transform'))[1])`,
};

async function look(page) {
  const shown = await page.value(`JSON.parse(document.querySelector('#data').textContent).views[0].nodes.length`);
  assert.ok(shown >= 4);
  assert.equal(await page.value(`document.querySelectorAll('.node').length`), shown);
  // Drawn: every box has an area and lies within the window.
  const boxes = await page.value(`[...document.querySelectorAll('.node rect')].map(r => {
    const b = r.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })`);
  for (const [left, top, width, height] of boxes) {
    assert.ok(width > 20 && height > 8);
    assert.ok(left >= 0 && top >= 0 && left < 1200 && top < 800);
  }
  assert.equal(await page.value(`document.querySelectorAll('.edge').length`),
               await page.value(`JSON.parse(document.querySelector('#data').textContent).views[0].edges.length`));
}

async function zoomAndPan(page) {
  const before = await page.value(place.scale);
  await page.mouse('mouseWheel', 400, 400, {deltaX: 0, deltaY: -300, button: 'none'});
  const larger = await page.value(place.scale);
  assert.ok(larger > before * 1.2, `${larger} is not larger than ${before}`);
  await page.value(`document.querySelector('#out').click()`);
  assert.ok(await page.value(place.scale) < larger);
  const still = await page.value(place.transform);
  await page.mouse('mousePressed', 20, 700);
  await page.mouse('mouseMoved', 60, 720);
  await page.mouse('mouseReleased', 60, 720);
  assert.notEqual(await page.value(place.transform), still);
  await page.value(`document.querySelector('#fit').click()`);
  assert.equal(await page.value(place.scale), before);
}

async function choose(page) {
  const [x, y] = await page.value(`(() => { const b = [...document.querySelectorAll('.node')]
    .find(n => /conv2d/.test(n.textContent)).getBoundingClientRect();
    return [b.left + b.width / 2, b.top + b.height / 2]; })()`);
  await page.mouse('mousePressed', x, y);
  await page.mouse('mouseReleased', x, y);
  const panel = await page.value(`document.querySelector('#panel').innerText`);
  for (const part of ['conv2d', 'filter', 'min', 'max', 'mean', 'float32', 'us,', 'kernel'])
    assert.ok(panel.includes(part), `the panel does not say ${part}: ${panel}`);
  assert.ok(await page.value(`document.querySelectorAll('#panel .histogram .bar').length`) >= 32);
  assert.equal(await page.value(`document.querySelectorAll('.node.chosen').length`), 1);
}

async function views(page) {
  const count = await page.value(`(() => { const v = document.querySelector('#view'); v.value = 1;
    v.onchange(); return document.querySelectorAll('.node').length; })()`);
  assert.ok(count >= 4);
  const colors = `[...document.querySelectorAll('.node rect')].map(r => r.getAttribute('fill')).join()`;
  await page.value(`document.querySelector('#view').value = 0; document.querySelector('#view').onchange()`);
  const plain = await page.value(colors);
  await page.value(`document.querySelector('#heat').click()`);
  assert.notEqual(await page.value(colors), plain);
  await page.value(`(() => { const f = document.querySelector('#find'); f.value = 'conv2d'; f.oninput(); })()`);
  assert.ok(await page.value(`document.querySelectorAll('.node.faded').length`) > 0);
}

const folder = mkdtempSync(join(tmpdir(), 'webnn_page_'));
const browser = new Browser(join(folder, 'profile'));
try {
  const model = execFileSync(writer, [folder], {encoding: 'utf8'}).trim(), file = join(folder, 'page.html');
  execFileSync(webnn, ['graph', model, '-o', file, '--runs', '3']);
  const page = await Page.open(browser, pathToFileURL(file).href);
  await look(page);
  await zoomAndPan(page);
  await choose(page);
  await views(page);
  assert.deepEqual(page.errors, []);
  assert.deepEqual(page.requests.filter(url => !url.startsWith('file:') && !url.startsWith('data:')), []);
  console.log('the page is as it should be');
} finally {
  await browser.close();
  rmSync(folder, {recursive: true, force: true, maxRetries: 5});
}
