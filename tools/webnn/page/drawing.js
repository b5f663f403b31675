const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const drawing = $('drawing'), scene = $('scene'), panel = $('panel');
const families = [
  [/conv|matmul|gemm|gru|lstm/i, '#a9c7ff'], [/quantize/i, '#e3c8ff'], [/pool|reduce|argM/i, '#ffd3a8'],
  [/relu|clamp|sigmoid|tanh|softmax|gelu|elu|swish|soft/i, '#ffb8b8'],
  [/reshape|transpose|concat|split|slice|pad|expand|gather|tile|reverse|scatter/i, '#d5dae3'],
  [/normalization/i, '#fff0a8']];
const readableScale = 0.6, largestScale = 8, margin = 24;
let view, transform = {x: 0, y: 0, k: 1}, shapes = [], lines = [], chosen = -1, current = 0;
let drag = null;  // where the pointer went down last, and whether it moved

function svg(name, attributes, parent) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return parent.appendChild(e);
}
function html(name, text, parent) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  return parent.appendChild(e);
}
const isOperator = node => node.operators !== undefined;
const number = v => typeof v === 'string' ? v
    : Number.isInteger(v) ? v.toLocaleString('en') : Number(v.toPrecision(5)).toString();
const percent = share => (100 * share).toFixed(1) + ' %';

function color(node) {
  if ($('heat').checked && view.mostShare) {
    if (node.share === undefined) return '#f2f3f6';
    return `hsl(16 90% ${97 - 30 * node.share / view.mostShare}%)`;
  }
  if (!isOperator(node)) return '#c3f0cf';
  const first = node.operators.find(op => op.name !== 'dequantizeLinear') || node.operators[0];
  const family = families.find(([names]) => names.test(first.name));
  return family ? family[1] : '#cdeef0';
}
const recolor = () => shapes.forEach((g, i) => g.querySelector('rect').setAttribute('fill', color(view.nodes[i])));

// A line through the points: straight down through rows of boxes, curved between them.
function path(points) {
  let d = `M${points[0][0]} ${points[0][1]}`;
  for (let i = 1; i < points.length; ++i) {
    const [x0, y0] = points[i - 1], [x, y] = points[i], middle = (y0 + y) / 2;
    d += x0 === x ? `L${x} ${y}` : `C${x0} ${middle} ${x} ${middle} ${x} ${y}`;
  }
  return d;
}

function draw() {
  scene.replaceChildren();
  lines = view.edges.map(edge => {
    const line = svg('path', {class: 'edge', d: path(edge.points), 'marker-end': 'url(#arrow)'}, scene);
    svg('title', {}, line).textContent = edge.type;
    return line;
  });
  shapes = view.nodes.map((node, i) => {
    const time = node.us === undefined ? '' : `, ${number(node.us)} us, ${percent(node.share)}`;
    const label = node.lines.join(', ') + time + (node.refusal ? ', not supported' : '');
    const g = svg('g', {class: node.refusal ? 'node refused' : 'node', tabindex: -1, role: 'button', 'aria-label': label}, scene);
    svg('rect', {x: node.x, y: node.y, width: node.w, height: node.h, rx: 6, fill: color(node)}, g);
    node.lines.forEach((text, k) => {
      const place = {x: node.x + node.w / 2, y: node.y + 19 + 14 * k};
      svg('text', k ? {...place, class: 'sub'} : place, g).textContent = text;
    });
    svg('title', {}, g).textContent = node.name + time + (node.refusal ? `: ${node.refusal}` : '');
    g.addEventListener('click', () => { if (!drag?.moved) choose(i); });
    g.addEventListener('focus', () => setCurrent(i));
    return g;
  });
}

function show() {
  scene.setAttribute('transform', `translate(${transform.x} ${transform.y}) scale(${transform.k})`);
}
function scaleToFit() {
  const box = drawing.getBoundingClientRect();
  return Math.min((box.width - 2 * margin) / view.width, (box.height - 2 * margin) / view.height, 1.5);
}
function fit() {
  const box = drawing.getBoundingClientRect(), k = scaleToFit();
  transform = {x: (box.width - view.width * k) / 2, y: (box.height - view.height * k) / 2, k};
  show();
}
// The current box in the middle, and the first at the top.
function readable() {
  const box = drawing.getBoundingClientRect(), node = view.nodes[current];
  transform.k = 1;
  if (!node) return show();
  transform.x = box.width / 2 - (node.x + node.w / 2);
  transform.y = Math.min(margin, box.height / 2 - (node.y + node.h / 2));
  show();
}
// All of it, if it can be read then; else from its beginning.
function start() {
  if (scaleToFit() >= readableScale) fit();
  else readable();
}
function zoom(factor, x, y) {
  const k = Math.min(largestScale, Math.max(Math.min(0.02, scaleToFit()), transform.k * factor));
  const scale = k / transform.k;
  transform = {x: x - (x - transform.x) * scale, y: y - (y - transform.y) * scale, k};
  show();
}
function zoomCenter(factor) {
  const box = drawing.getBoundingClientRect();
  zoom(factor, box.width / 2, box.height / 2);
}
// Moves the drawing no further than it takes to see the box.
function reveal(node) {
  const box = drawing.getBoundingClientRect(), {x, y, k} = transform;
  const shift = (from, to, size) => from < margin ? margin - from : to > size - margin ? size - margin - to : 0;
  transform.x += shift(x + node.x * k, x + (node.x + node.w) * k, box.width);
  transform.y += shift(y + node.y * k, y + (node.y + node.h) * k, box.height);
  show();
}

// The box that Tab and the arrow keys start from.
function setCurrent(index) {
  shapes[current]?.setAttribute('tabindex', -1);
  current = index;
  shapes[current]?.setAttribute('tabindex', 0);
}
function moveTo(index) {
  setCurrent(index);
  reveal(view.nodes[index]);
  shapes[index].focus({preventScroll: true});
}
function choose(index) {
  chosen = index;
  shapes.forEach((g, i) => {
    g.classList.toggle('chosen', i === index);
    if (i === index) g.setAttribute('aria-current', 'true');
    else g.removeAttribute('aria-current');
  });
  lines.forEach((line, i) =>
    line.classList.toggle('chosen', view.edges[i].from === index || view.edges[i].to === index));
  if (index >= 0) setCurrent(index);
  showPanel();
}
function select(index) {
  view = data.views[index];
  $('view').value = index;
  view.mostShare = Math.max(0, ...view.nodes.map(node => node.share || 0));
  $('heat-label').hidden = !view.mostShare;
  draw();
  setCurrent(0);
  start();
  choose(-1);
  fade();
}
