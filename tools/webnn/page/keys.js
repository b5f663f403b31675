const middle = node => node.x + node.w / 2;
const nearest = (candidates, x) => candidates.sort((a, b) =>
    Math.abs(middle(view.nodes[a]) - x) - Math.abs(middle(view.nodes[b]) - x))[0];
// The box that an arrow key leads to; undefined where there is none.
function neighbor(key, index) {
  const node = view.nodes[index], x = middle(node), y = node.y + node.h / 2;
  if (key === 'ArrowDown') return nearest(view.edges.filter(e => e.from === index).map(e => e.to), x);
  if (key === 'ArrowUp') return nearest(view.edges.filter(e => e.to === index).map(e => e.from), x);
  const side = key === 'ArrowRight' ? 1 : -1;
  return nearest(view.nodes.map((_, i) => i).filter(i => {
    const other = view.nodes[i];  // the boxes of a row have their middles at one height
    return Math.abs(other.y + other.h / 2 - y) < 1 && side * (middle(other) - x) > 0;
  }), x);
}
function arrow(e) {
  const node = e.target.closest?.('.node');
  if (!node && e.target !== document.body) return;
  const next = node ? neighbor(e.key, shapes.indexOf(node)) : current;
  if (view.nodes[next]) moveTo(next);
  e.preventDefault();
}
const keys = {
  '+': () => zoomCenter(1.25), '=': () => zoomCenter(1.25), '-': () => zoomCenter(0.8),
  '0': fit, '1': readable, '?': () => $('keys').showModal(), 'Escape': () => choose(-1),
  '/': () => { $('find').focus(); $('find').select(); },
};
addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey || $('keys').open || /INPUT|SELECT/.test(e.target.tagName)) return;
  if (e.key.startsWith('Arrow')) return arrow(e);
  const node = e.target.closest?.('.node');
  if (node && (e.key === 'Enter' || e.key === ' ')) choose(shapes.indexOf(node));
  else if (keys[e.key]) keys[e.key]();
  else return;
  e.preventDefault();
});

drawing.addEventListener('wheel', e => {
  e.preventDefault();
  const box = drawing.getBoundingClientRect();
  zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015)), e.clientX - box.left, e.clientY - box.top);
}, {passive: false});
drawing.addEventListener('pointerdown', e => {
  drag = {x: e.clientX - transform.x, y: e.clientY - transform.y, moved: false, from: [e.clientX, e.clientY]};
});
addEventListener('pointermove', e => {
  if (!drag || !e.buttons) return;
  if (Math.hypot(e.clientX - drag.from[0], e.clientY - drag.from[1]) > 3) drag.moved = true;
  if (!drag.moved) return;
  drawing.classList.add('dragged');
  transform.x = e.clientX - drag.x;
  transform.y = e.clientY - drag.y;
  show();
});
addEventListener('pointerup', e => {
  if (!drag?.moved && e.target === drawing) choose(-1);
  drawing.classList.remove('dragged');
});

$('in').onclick = () => zoomCenter(1.25);
$('out').onclick = () => zoomCenter(0.8);
$('fit').onclick = fit;
$('readable').onclick = readable;
$('help').onclick = keys['?'];
$('heat').onchange = recolor;
$('view').onchange = () => select(Number($('view').value));
$('title').textContent = document.title = data.model;
data.views.forEach((v, i) => { html('option', v.title, $('view')).value = i; });
select(0);
