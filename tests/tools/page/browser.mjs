// A browser without a window, over the DevTools protocol on pipes.
import { spawn } from 'node:child_process';
import assert from 'node:assert/strict';

/// Chromium with pipes for the protocol as descriptors 3 and 4.
export class Browser {
  #next = 1;
  #waiting = new Map();
  #rest = '';
  listeners = [];

  constructor(chromium, profile) {
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
export class Page {
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
  async click(x, y) {
    await this.mouse('mousePressed', x, y);
    await this.mouse('mouseReleased', x, y);
  }
  /// A key by its name, as in KeyboardEvent.key.
  async press(key) {
    const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
    const code = {Enter: 13, Escape: 27, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40}[key] || 0;
    await this.call('Input.dispatchKeyEvent', {type: 'keyDown', key, text, windowsVirtualKeyCode: code});
    await this.call('Input.dispatchKeyEvent', {type: 'keyUp', key, windowsVirtualKeyCode: code});
  }
}
