const mostMatches = 200;
let matches = [], active = 0;

const textOf = node => [node.name, node.label, node.kernel, node.refusal, ...node.lines,
                        ...(node.results || []).map(result => result.type),
                        ...(node.operators || []).map(op => `${op.name} ${op.label}`)].join(' ').toLowerCase();
const end = text => text && text.length > 60 ? `..${text.slice(-58)}` : text;
// Boxes that are not found stay faint as long as there is something in the field.
function fade() {
  const text = $('find').value.trim().toLowerCase();
  matches = text ? view.nodes.map((_, i) => i).filter(i => textOf(view.nodes[i]).includes(text)) : [];
  const found = new Set(matches);
  shapes.forEach((g, i) => g.classList.toggle('faded', text !== '' && !found.has(i)));
  return text;
}
function activate(index) {
  const items = $('matches')?.children || [];
  items[active]?.setAttribute('aria-selected', 'false');
  active = Math.max(0, Math.min(items.length - 1, index));
  items[active]?.setAttribute('aria-selected', 'true');
  items[active]?.scrollIntoView({block: 'nearest'});
  $('find').setAttribute('aria-activedescendant', items[active]?.id || '');
  look(matches[active]);
}
// Moves the drawing to a box and leaves the focus in the field.
function look(index) {
  shapes.forEach((g, i) => g.classList.toggle('hit', i === index));
  if (index === undefined) return;
  setCurrent(index);
  if (transform.k < readableScale) readable();
  reveal(view.nodes[index]);
}
function goTo(index) {
  look();
  choose(index);
  if (transform.k < readableScale) readable();
  moveTo(index);
}
function search() {
  if (!fade()) {
    look();
    return showPanel();
  }
  panel.replaceChildren();
  html('h3', `${number(matches.length)} of ${number(view.nodes.length)} boxes` +
       (matches.length > mostMatches ? `, the first ${mostMatches}` : ''), panel);
  const list = html('ul', undefined, panel);
  list.id = 'matches';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Boxes that were found');
  $('find').setAttribute('aria-expanded', 'true');
  matches.slice(0, mostMatches).forEach((index, i) => {
    const node = view.nodes[index], item = html('li', undefined, list);
    item.id = `match-${i}`;
    item.setAttribute('role', 'option');
    item.setAttribute('aria-selected', 'false');
    html('span', (node.step ? `${node.step}  ` : '') + node.name, item);
    html('small', [...node.lines.slice(1), ...(node.step ? [end(node.label)] : [])].filter(Boolean).join(', '), item);
    item.onclick = () => goTo(index);
  });
  active = 0;
  activate(0);
}
$('find').oninput = search;
$('find').onfocus = () => { if ($('find').value) search(); };
$('find').onkeydown = e => {
  if (e.key === 'ArrowDown') activate(active + 1);
  else if (e.key === 'ArrowUp') activate(active - 1);
  else if (e.key === 'Enter' && matches.length) goTo(matches[active]);
  else if (e.key === 'Escape') {
    $('find').value = '';
    search();
    $('find').blur();
  } else return;
  e.preventDefault();
  e.stopPropagation();
};
