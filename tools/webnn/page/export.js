const styles = ['fill', 'stroke', 'stroke-width', 'font-family', 'font-size', 'text-anchor'];

// The whole graph with its styles written into every element.
function exported() {
  const width = view.width + 2 * margin, height = view.height + 2 * margin;
  const root = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  for (const [key, value] of Object.entries({width, height, viewBox: `${-margin} ${-margin} ${width} ${height}`}))
    root.setAttribute(key, value);
  svg('rect', {x: -margin, y: -margin, width, height, fill: getComputedStyle(document.body).backgroundColor}, root);
  const marks = [...scene.querySelectorAll('.chosen, .faded, .hit')].map(e => [e, e.getAttribute('class')]);
  for (const [e] of marks) e.classList.remove('chosen', 'faded', 'hit');
  for (const part of [drawing.querySelector('defs'), scene]) {
    const copy = root.appendChild(part.cloneNode(true)), from = part.querySelectorAll('path, rect, text');
    copy.removeAttribute('transform');
    copy.querySelectorAll('path, rect, text').forEach((e, i) => {
      const computed = getComputedStyle(from[i]);
      for (const name of e.tagName === 'text' ? styles : styles.slice(0, 3))
        e.setAttribute(name, computed.getPropertyValue(name));
    });
    for (const e of copy.querySelectorAll('*'))
      for (const name of ['class', 'tabindex', 'role', 'aria-label', 'aria-current']) e.removeAttribute(name);
  }
  for (const [e, name] of marks) e.setAttribute('class', name);
  return {width, height, text: new XMLSerializer().serializeToString(root)};
}
function save(blob, extension) {
  const link = document.createElement('a'), name = data.model.split(/[\\/]/).pop().replace(/[^\w.-]+/g, '_');
  link.href = URL.createObjectURL(blob);
  link.download = `${name}.${extension}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
const saveSvg = () => save(new Blob([exported().text], {type: 'image/svg+xml'}), 'svg');

// At twice the size, unless the canvas of a browser cannot have that many pixels.
async function savePng() {
  const {width, height, text} = exported(), image = new Image(), canvas = document.createElement('canvas');
  const scale = Math.min(2, 16000 / width, 16000 / height, Math.sqrt(1e8 / (width * height)));
  image.src = URL.createObjectURL(new Blob([text], {type: 'image/svg+xml'}));
  await image.decode();
  canvas.width = Math.max(1, width * scale);
  canvas.height = Math.max(1, height * scale);
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  canvas.toBlob(blob => save(blob, 'png'), 'image/png');
}
$('svg').onclick = saveSvg;
$('png').onclick = savePng;
