// page_test.mjs MODEL_WRITER WEBNN CHROMIUM: draws graphs, and uses their pages in a browser without
// a window: mouse, keys, search, files that are saved. Exit code 77: there is no browser.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import assert from 'node:assert/strict';
import { Browser, Page } from './browser.mjs';

const [writer, webnn, chromium] = process.argv.slice(2);
if (!chromium || chromium.endsWith('NOTFOUND')) {
  console.log('there is no Chromium');
  process.exit(77);
}

const scale = `Number(/scale\\((.*)\\)/.exec(document.querySelector('#scene').getAttribute('transform'))[1])`;
const transform = `document.querySelector('#scene').getAttribute('transform')`;
const panel = `document.querySelector('#panel').innerText`;
const focused = `document.activeElement.getAttribute('aria-label')`;
const boxOf = name => `(() => { const b = [...document.querySelectorAll('.node')]
  .find(n => n.textContent.includes('${name}')).getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()`;
const press = async (page, ...keys) => { for (const key of keys) await page.press(key); };
const dataOf = page => page.value(`JSON.parse(document.querySelector('#data').textContent)`);
/// The boxes within the drawing, of so many.
const seen = page => page.value(`(() => { const d = document.querySelector('#drawing').getBoundingClientRect();
  return [...document.querySelectorAll('.node rect')].map(r => r.getBoundingClientRect()).filter(b => b.width > 0 &&
    b.left >= d.left && b.right <= d.right && b.top >= d.top && b.bottom <= d.bottom).length; })()`);

async function drawn(page) {
  const [steps] = (await dataOf(page)).views;
  assert.ok(steps.nodes.length >= 4);
  assert.equal(await page.value(`document.querySelectorAll('.node').length`), steps.nodes.length);
  assert.equal(await page.value(`document.querySelectorAll('.edge').length`), steps.edges.length);
  assert.equal(await seen(page), steps.nodes.length);
  // Each text lies within its box: what it is, and a type with a shape.
  assert.ok(await page.value(`[...document.querySelectorAll('.node')].every(n => /32 \\[/.test(n.textContent))`));
  assert.deepEqual(await page.value(`[...document.querySelectorAll('.node')].filter(n => {
    const b = n.querySelector('rect').getBoundingClientRect();
    return [...n.querySelectorAll('text')].some(t => { const a = t.getBoundingClientRect();
      return a.left < b.left || a.right > b.right || a.top < b.top - 2 || a.bottom > b.bottom + 2; });
  }).map(n => n.textContent)`), []);
}

async function overview(page) {
  const text = await page.value(panel), {overview} = await dataOf(page);
  for (const part of ['Inputs', 'pixels', 'float32 [1, 4, 4, 3]', 'Outputs', 'probabilities', 'parameters', 'MACs',
                      'packed weights', 'intermediate results', String(overview.steps), 'all steps'])
    assert.ok(text.includes(part), `the overview does not say ${part}: ${text}`);
}

async function zoomAndPan(page) {
  const before = await page.value(scale);
  await page.mouse('mouseWheel', 400, 400, {deltaX: 0, deltaY: -300, button: 'none'});
  const larger = await page.value(scale);
  assert.ok(larger > before * 1.2, `${larger} is not larger than ${before}`);
  await page.value(`document.querySelector('#out').click()`);
  assert.ok(await page.value(scale) < larger);
  const still = await page.value(transform);
  await page.mouse('mousePressed', 20, 700);
  await page.mouse('mouseMoved', 60, 720, {buttons: 1});
  await page.mouse('mouseReleased', 60, 720);
  assert.notEqual(await page.value(transform), still);
  await page.value(`document.querySelector('#readable').click()`);
  assert.equal(await page.value(scale), 1);
  await page.value(`document.querySelector('#fit').click()`);
  assert.equal(await page.value(scale), before);
}

async function choose(page) {
  await page.click(...await page.value(boxOf('conv2d')));
  const text = await page.value(panel);
  for (const part of ['conv2d', 'filter', 'min', 'max', 'mean', 'float32', 'us,', 'kernel', 'Values'])
    assert.ok(text.includes(part), `the panel does not say ${part}: ${text}`);
  assert.ok(await page.value(`document.querySelectorAll('#panel .histogram .bar').length`) >= 64);
  assert.equal(await page.value(`document.querySelectorAll('.node.chosen').length`), 1);
  await page.click(...await page.value(boxOf('pixels')));
  assert.ok((await page.value(panel)).includes('random, seed 1'));
  // The image of 4 x 4 pixels, in color.
  const colors = await page.value(`(() => { const c = document.querySelector('#panel canvas');
    return [c.width, c.height, ...new Set(c.getContext('2d').getImageData(0, 0, 4, 4).data)]; })()`);
  assert.deepEqual(colors.slice(0, 2), [4, 4]);
  assert.ok(colors.length > 10);
  await page.click(...await page.value(boxOf('probabilities')));
  assert.equal((await page.value(`document.querySelector('#panel .elements').textContent`)).split(', ').length, 3);
}

async function views(page) {
  const {views} = await dataOf(page);
  const view = i => page.value(`(() => { const v = document.querySelector('#view'); v.value = ${i}; v.onchange();
    return document.querySelectorAll('.node').length; })()`);
  for (const i of [1, 2, 0]) assert.equal(await view(i), views[i].nodes.length);
  const colors = `[...document.querySelectorAll('.node rect')].map(r => r.getAttribute('fill')).join()`;
  const plain = await page.value(colors);
  await page.value(`document.querySelector('#heat').click()`);
  assert.notEqual(await page.value(colors), plain);
  await page.value(`document.querySelector('#heat').click()`);
}

async function search(page) {
  await press(page, '/', ...'float32');
  const items = `[...document.querySelectorAll('#matches li')].map(e => e.getAttribute('aria-selected'))`;
  const all = await page.value(items);
  assert.ok(all.length >= 4, `${all.length} matches`);
  assert.equal(all[0], 'true');
  // The drawing shows the box of the match, one of all.
  const hits = `[...document.querySelectorAll('.node')].map((n, i) => n.matches('.hit') ? i : -1).filter(i => i >= 0)`;
  assert.deepEqual(await page.value(hits), [0]);
  await press(page, 'ArrowDown');
  assert.equal((await page.value(items))[1], 'true');
  assert.deepEqual(await page.value(hits), [1]);
  await press(page, 'Enter');
  assert.equal(await page.value(`[...document.querySelectorAll('.node')].findIndex(n => n.matches('.chosen'))`), 1);
  assert.ok(await page.value(`document.activeElement.matches('.node.chosen')`));
  await press(page, '/', ...'softmax');
  assert.ok(await page.value(`document.querySelectorAll('.node.faded').length`) > 0);
  const [x, y] = await page.value(`(() => { const b = document.querySelector('#matches li').getBoundingClientRect();
    return [b.left + 20, b.top + 8]; })()`);
  await page.click(x, y);
  assert.ok((await page.value(panel)).startsWith('softmax'));
  await press(page, '/', ...'no such thing');
  assert.ok((await page.value(panel)).startsWith('0 of'));
  await press(page, 'Escape');
  assert.equal(await page.value(`document.querySelectorAll('.node.faded').length`), 0);
}

async function keys(page) {
  await press(page, 'Escape', '0');
  await page.value(`document.querySelectorAll('.node')[0].focus()`);
  assert.ok((await page.value(focused)).startsWith('pixels'));
  await press(page, 'ArrowDown');
  assert.ok((await page.value(focused)).startsWith('conv2d'));
  assert.ok((await page.value(panel)).includes('Inputs'), 'arrows choose nothing');
  await press(page, 'Enter');
  assert.ok((await page.value(panel)).startsWith('conv2d'));
  await press(page, 'ArrowUp');
  assert.ok((await page.value(focused)).startsWith('pixels'));
  const before = await page.value(scale);
  await press(page, '+');
  assert.ok(await page.value(scale) > before);
  await press(page, '-', '-');
  assert.ok(await page.value(scale) < before);
  await press(page, '0');
  assert.equal(await page.value(scale), before);
  await press(page, '?');
  assert.ok(await page.value(`document.querySelector('#keys').open`));
  await press(page, 'Escape');
  assert.ok(!await page.value(`document.querySelector('#keys').open`));
  await press(page, 'Escape');
  assert.ok((await page.value(panel)).includes('Inputs'));
}

/// The file that a button saves.
async function saved(page, button, file) {
  await page.value(`document.querySelector('${button}').click()`);
  for (let i = 0; i < 100 && !existsSync(file); ++i) await setTimeout(50);
  return readFileSync(file);
}
async function files(page, browser, folder) {
  await browser.send('Browser.setDownloadBehavior', {behavior: 'allow', downloadPath: folder});
  const {views: [steps]} = await dataOf(page);
  const svg = (await saved(page, '#svg', join(folder, 'colors.tflite.svg'))).toString();
  assert.ok(svg.startsWith('<svg xmlns="http://www.w3.org/2000/svg"'));
  assert.equal(svg.split('<rect').length - 1, steps.nodes.length + 1);
  assert.ok(svg.includes(`width="${steps.width + 48}"`));
  assert.ok(!/class=|var\(|<script|on[a-z]+=/.test(svg));
  assert.ok(/<text[^>]*font-family[^>]*>conv2d/.test(svg));
  const png = await saved(page, '#png', join(folder, 'colors.tflite.png'));
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.equal(png.readUInt32BE(16), Math.floor(2 * (steps.width + 48)));
}

/// A network that is longer than the window begins at a readable size, and fits where that is asked for.
async function long(page) {
  const {views: [steps]} = await dataOf(page);
  assert.equal(await page.value(scale), 1);
  assert.ok(await seen(page) < steps.nodes.length);
  await press(page, '0');
  assert.equal(await seen(page), steps.nodes.length);
  await press(page, '1');
  await page.value(`document.querySelectorAll('.node')[0].focus()`);
  await press(page, ...Array(30).fill('ArrowDown'));
  assert.ok(await page.value(`(() => { const b = document.activeElement.getBoundingClientRect();
    return b.top >= 0 && b.bottom <= 800; })()`), 'the focused box is not seen');
}

async function narrow(page) {
  await page.call('Emulation.setDeviceMetricsOverride', {width: 400, height: 800, deviceScaleFactor: 1, mobile: false});
  await press(page, '0');
  const {views: [steps]} = await dataOf(page);
  assert.equal(await seen(page), steps.nodes.length);
  const outside = await page.value(`[...document.querySelectorAll('header *, #drawing, #panel')]
    .filter(e => { const b = e.getBoundingClientRect(); return b.width && (b.left < 0 || b.right > 400); }).map(e => e.id)`);
  assert.deepEqual(outside, []);
  assert.ok(await page.value(`document.querySelector('#drawing').getBoundingClientRect().height`) > 250);
  assert.ok(await page.value(`document.querySelector('#panel').getBoundingClientRect().height`) > 150);
}

function check(page) {
  assert.deepEqual(page.errors, []);
  const other = page.requests.filter(url => !/^(file|data|blob):/.test(url));
  assert.deepEqual(other, []);
}

const folder = mkdtempSync(join(tmpdir(), 'webnn_page_'));
const browser = new Browser(chromium, join(folder, 'profile'));
try {
  const [colors, chain] = execFileSync(writer, [folder], {encoding: 'utf8'}).trim().split('\n');
  const open = (model, file, ...options) => {
    execFileSync(webnn, ['graph', model, '-o', join(folder, file), '--runs', '3', ...options]);
    return Page.open(browser, pathToFileURL(join(folder, file)).href);
  };
  const page = await open(colors, 'colors.html', '--values');
  for (const part of [drawn, overview, zoomAndPan, choose, views, search, keys]) await part(page);
  await files(page, browser, folder);
  await narrow(page);
  check(page);
  const longPage = await open(chain, 'chain.html', '--no-time');
  await long(longPage);
  check(longPage);
  console.log('the pages are as they should be');
} finally {
  await browser.close();
  rmSync(folder, {recursive: true, force: true, maxRetries: 5});
}
