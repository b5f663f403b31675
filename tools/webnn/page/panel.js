const bytes = n => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'], i = n < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(n) / 3));
  return i ? `${(n / 1000 ** i).toPrecision(3)} ${units[i]}` : `${n} B`;
};

function table(rows, parent) {
  const t = html('table', undefined, parent);
  for (const [key, value] of rows) {
    const row = html('tr', undefined, t);
    html('td', key, row);
    html('td', value, row);
  }
}
function histogram(s) {
  const width = 300, height = 60, most = Math.max(...s.histogram, 1), bar = width / s.histogram.length;
  const chart = svg('svg', {viewBox: `0 0 ${width} ${height}`, width: '100%', class: 'histogram', role: 'img',
                            'aria-label': 'Histogram'}, panel);
  s.histogram.forEach((n, i) => {
    const h = n ? Math.max(1, height * n / most) : 0;
    const r = svg('rect', {class: 'bar', x: i * bar, y: height - h, width: bar - 1, height: h}, chart);
    svg('title', {}, r).textContent = number(n);
  });
}
// `real` makes a number of what is stored, where that is known.
function statistics(s, real) {
  const text = v => number(v) + (real ? ` (${number(real(v))})` : '');
  histogram(s);
  const rows = [['min', text(s.min)], ['max', text(s.max)], ['mean', text(s.mean)], ['std', number(s.std)],
                ['zeros', number(s.zeros)]];
  if (s.not_finite) rows.push(['not finite', number(s.not_finite)]);
  table(rows, panel);
}

// Each image on a canvas of its own: one, or channels side by side.
function images(tensor) {
  const {width, height, channels, images, of} = tensor.image, size = width * height;
  const stored = atob(tensor.image.pixels), grid = html('div', undefined, panel);
  grid.className = 'images';
  grid.style.gridTemplateColumns = `repeat(${images === 1 ? 1 : 4}, 1fr)`;
  for (let n = 0; n < images; ++n) {
    const canvas = html('canvas', undefined, grid), pixels = new ImageData(width, height);
    canvas.width = width;
    canvas.height = height;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', of === 1 ? 'Image' : `Channel ${n}`);
    for (let p = 0; p < size; ++p) {
      for (let c = 0; c < 3; ++c)
        pixels.data[4 * p + c] = stored.charCodeAt((n * size + p) * channels + (channels === 3 ? c : 0));
      pixels.data[4 * p + 3] = 255;
    }
    canvas.getContext('2d').putImageData(pixels, 0, 0);
  }
  html('div', `${of === 1 ? '' : `${images} of ${number(of)} channels, `}${width} x ${height}; dark is ` +
       `${number(tensor.min)}, bright ${number(tensor.max)}`, panel).className = 'caption';
}
function values(tensor, title) {
  const q = tensor.quantization;
  html('h3', `${title}: ${number(tensor.count)} elements`, panel);
  if (tensor.from) html('div', tensor.from, panel);
  if (tensor.image) images(tensor);
  statistics(tensor, q && (v => (v - q.zero_point) * q.scale));
  if (q) html('div', `In parentheses: (value - ${q.zero_point}) * ${number(q.scale)}`, panel).className = 'caption';
  if (tensor.elements) html('div', tensor.elements.map(number).join(', '), panel).className = 'elements';
}

function howItIsBuilt(o) {
  const m = o.memory;
  html('h3', 'Model', panel);
  table([['parameters', `${number(o.parameters)} in ${number(o.constants)} constants`],
         ['weights', bytes(o.weight_bytes)], ['MACs', number(o.macs)],
         ['operators', `${number(o.operators)}, ${number(o.optimized)} after the passes`],
         ['steps', number(o.steps)]], panel);
  html('h3', `Memory: ${bytes(m.total)}`, panel);
  table([['packed weights', bytes(m.packed)], ['constants', bytes(m.constants)],
         ['intermediate results', bytes(m.arena)], ['scratch', bytes(m.scratch)]], panel);
  html('h3', 'Time', panel);
  const times = [['build', `${number(o.build_ms)} ms`], ['threads', o.threads]];
  if (o.us !== undefined) times.push(['all steps', `${number(o.us)} us`]);
  table(times, panel);
}
function overview() {
  const o = data.overview;
  html('h2', data.model, panel);
  if (data.description) html('p', data.description, panel);
  if (view.refusals?.length) {
    html('h3', 'Not supported', panel);
    for (const refusal of view.refusals) html('p', refusal, panel).className = 'refusal';
  }
  for (const [title, ports] of [['Inputs', o.inputs], ['Outputs', o.outputs]]) {
    html('h3', title, panel);
    table(ports.map(p => [p.name, p.type + (p.quantization ?
        `, scale ${number(p.quantization.scale)}, zero point ${p.quantization.zero_point}` : '')]), panel);
  }
  if (o.memory) howItIsBuilt(o);
  if (view.properties?.length) {
    html('h3', 'The file says', panel);
    table(view.properties, panel);
  }
  const counts = new Map();
  for (const node of view.nodes)
    for (const {name} of node.operators || []) counts.set(name, (counts.get(name) || 0) + 1);
  const shown = [...counts.values()].reduce((a, b) => a + b, 0);
  html('h3', `${number(shown)} operators in ${number(view.nodes.filter(isOperator).length)} boxes`, panel);
  if (shown < view.operators)
    html('p', 'Other operators only compute weights, or need no kernel: the operands of the boxes show ' +
         'what they do.', panel);
  table([...counts].sort((a, b) => b[1] - a[1]).map(([name, n]) => [name, number(n)]), panel);
}

function howItRuns(node) {
  html('h3', `Step ${node.step}`, panel);
  const rows = [['operators', node.fused.replaceAll('+', ' + ')], ['kernel', node.kernel], ['tiles', number(node.tiles)]];
  if (node.packed) rows.push(['packed weights', bytes(node.packed)]);
  if (node.us !== undefined) rows.push(['time', `${number(node.us)} us, ${percent(node.share)}`]);
  node.others.forEach((other, i) => rows.push([i ? '' : 'why no other', other]));
  table(rows, panel);
}
function details(node) {
  const operators = node.operators || [], macs = operators.reduce((sum, op) => sum + op.macs, 0);
  html('h2', node.name, panel);
  html('p', isOperator(node) ? node.label || operators[0].label : node.kind, panel);
  if (node.refusal) html('p', `Not supported: ${node.refusal}`, panel).className = 'refusal';
  for (const graph of node.graphs || []) {
    const index = data.views.length - fileViews().length + graph, button = html('button', data.views[index].title, panel);
    button.onclick = () => select(index);
  }
  if (node.step) howItRuns(node);
  if (node.operands) {
    html('h3', 'Operands', panel);
    table(node.operands.map(o => {
      const s = data.constants[o.constant];
      return [o.name, o.type + (s?.count === 1 ? `: ${number(s.mean)}` : '')];
    }), panel);
  }
  if (isOperator(node)) html('h3', node.results.length > 1 ? 'Results' : 'Result', panel);
  const rows = node.results.map((result, i) => [node.results.length > 1 ? i : 'type', result.type]);
  if (macs) rows.push(['MACs', number(macs)]);
  table(rows, panel);
  node.results.forEach((result, i) => {
    if (result.tensor !== undefined)
      values(data.tensors[result.tensor], node.results.length > 1 ? `Values of ${i}` : 'Values');
  });
  if (data.tensors.length && node.results.every(result => result.tensor === undefined))
    html('p', 'The run did not keep these values.', panel).className = 'caption';
  for (const op of operators) {
    if (!op.attributes.length) continue;
    html('h3', `Attributes of ${op.name}`, panel);
    table(op.attributes, panel);
  }
  for (const o of node.operands || []) {
    const s = data.constants[o.constant];
    if (!s || s.count === 1) continue;
    html('h3', `${o.name}: ${number(s.count)} constants`, panel);
    statistics(s);
  }
}
// The views of the file's graphs are the last ones.
const fileViews = () => data.views.filter(v => v.title.startsWith('the file: '));
function showPanel() {
  panel.replaceChildren();
  panel.scrollTop = 0;
  $('find').setAttribute('aria-expanded', 'false');
  if (chosen < 0) overview();
  else details(view.nodes[chosen]);
}
