// Sizes as areas: a squarified treemap (Bruls, Huizing, van Wijk, 2000). Groups open to their items by a click. Areas
// add up to the sum: what is too small to be drawn by itself is one area, "N more".

const kMostAreas = 60;

/// Rectangles {x, y, width, height} for `sizes`, which descend, each in proportion; rows are kept as square as can be.
function squarified(sizes, x, y, width, height) {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (!(total > 0)) return sizes.map(() => ({x, y, width: 0, height: 0}));
  const scale = width * height / total;
  const areas = sizes.map((size) => size * scale);
  const places = [];
  const worst = (sum, most, least, side) =>
      Math.max(side * side * most / (sum * sum), sum * sum / (side * side * least));
  for (let at = 0; at < areas.length;) {
    const side = Math.min(width, height);
    let sum = areas[at];
    let end = at + 1;
    for (; end < areas.length && areas[end] > 0; ++end) {
      if (worst(sum + areas[end], areas[at], areas[end], side) > worst(sum, areas[at], areas[end - 1], side)) break;
      sum += areas[end];
    }
    const thickness = side > 0 ? sum / side : 0;
    let offset = 0;
    for (; at < end; ++at) {
      const length = thickness > 0 ? areas[at] / thickness : 0;
      places.push(
          width >= height ? {x, y: y + offset, width: thickness, height: length} :
                            {x: x + offset, y, width: length, height: thickness});
      offset += length;
    }
    if (width >= height)
      [x, width] = [x + thickness, Math.max(0, width - thickness)];
    else
      [y, height] = [y + thickness, Math.max(0, height - thickness)];
  }
  return places;
}

/// The beginning of a label that is as wide.
function fitting(label, width) {
  const whole = visible(label);
  let end = whole.length;
  if (widthOf(whole) > width) do
      end = Math.min(end - 1, Math.floor(end * width / Math.max(width + 1, widthOf(whole.slice(0, end) + '…'))));
    while (end > 0 && widthOf(whole.slice(0, end) + '…') > width);
  return end === whole.length ? whole : whole.slice(0, end) + '…';
}

class Treemap {
  /// `groups`: {label, bytes, marked, note, items: [{label, title, bytes, marked, open}]}, of which `marked` bytes are
  /// shaded.
  constructor(name, groups) {
    this.groups = groups;
    const sum = groups.reduce((total, one) => total + one.bytes, 0);
    this.group = groups.find((one) => one.bytes > 0.9 * sum) || null;
    this.height = 340;
    this.drawing = svg('svg', {class: 'treemap', role: 'group', 'aria-label': name, height: this.height});
    this.title = el('div', {class: 'controls', 'aria-live': 'polite'});
    this.element = el('div', {class: 'areas'}, this.title, this.drawing);
    new ResizeObserver(() => {
      if (this.drawing.clientWidth > 0 && this.drawing.clientWidth !== this.width) this.draw();
    }).observe(this.element);
  }

  /// The areas to draw: the largest, and the rest as one.
  areas() {
    const all = (this.group === null ? this.groups : this.group.items).filter((one) => one.bytes > 0);
    const sorted = all.sort((a, b) => b.bytes - a.bytes);
    const shown = sorted.slice(0, sorted.length > kMostAreas + 1 ? kMostAreas : sorted.length);
    const rest = sorted.slice(shown.length);
    if (rest.length === 0) return shown;
    const sum = (key) => rest.reduce((total, one) => total + one[key], 0);
    const more = {label: say('more', {n: rest.length}), bytes: sum('bytes'), marked: sum('marked'), isRest: true};
    return shown.concat(more).sort((a, b) => b.bytes - a.bytes);
  }

  draw() {
    this.width = this.drawing.clientWidth || 900;
    const areas = this.areas();
    const places = squarified(areas.map((one) => one.bytes), 0, 0, this.width, this.height);
    this.drawing.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
    this.boxes = areas.map((one, i) => this.box(one, places[i], i));
    this.drawing.replaceChildren(...this.boxes);
    const {group} = this;
    const bytes = areas.reduce((total, one) => total + one.bytes, 0);
    this.title.replaceChildren(
        ...(group === null ?
                [] :
                [button('← ' + say('allPackages'), () => this.zoom(null), {class: 'small', 'data-zoom': 'out'})]),
        el('span', {}, group === null ? say('allPackages') : group.label, ' ',
           el('span', {class: 'dim'}, sizeText(bytes))));
  }

  box(one, {x, y, width, height}, i) {
    const canOpen = this.group === null ? one.items !== undefined : one.open !== undefined;
    const open = () => {
      if (this.group === null)
        this.zoom(one);
      else
        one.open();
    };
    const size = sizeText(one.bytes);
    const mark = one.marked > 0 ? say('notLoaded') + ' ' + sizeText(one.marked) : '';
    const shaded = width * Math.min(1, one.marked / one.bytes);
    return svg(
        'g', {
          class: 'area' + (canOpen ? ' can-open' : ''),
          role: canOpen ? 'button' : 'img',
          tabindex: canOpen ? (i === 0 ? 0 : -1) : null,
          'aria-label': [one.label, size, mark].filter(Boolean).join(', '),
          'data-bytes': one.bytes,
          onclick: canOpen ? open : null,
          onkeydown: canOpen ? (event) => this.key(event, i, open) : null
        },
        svg('title', {}, [one.title || one.label, size, mark].filter(Boolean).join('\n')),
        svg('rect', {x, y, width, height}),
        shaded > 0 ? svg('rect', {class: 'marked', x, y, width: shaded, height}) : null,
        width > 30 && height >= 18 ? svg('text', {x: x + 4, y: y + 14}, fitting(one.label, width - 8)) : null,
        width > 62 && height >= 34 ? svg('text', {class: 'note', x: x + 4, y: y + 28}, size) : null);
  }

  /// Arrow keys go from area to area by size.
  key(event, i, open) {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      return open();
    }
    if (event.key === 'Escape' && this.group !== null) return this.zoom(null);
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (step === undefined) return undefined;
    event.preventDefault();
    let next = i + step;
    while (this.boxes[next] && !this.boxes[next].hasAttribute('tabindex')) next += step;
    if (!this.boxes[next]) return undefined;
    this.boxes[i].setAttribute('tabindex', '-1');
    this.boxes[next].setAttribute('tabindex', '0');
    return this.boxes[next].focus();
  }

  zoom(group) {
    this.group = group;
    this.draw();
    const first = this.boxes.find((box) => box.hasAttribute('tabindex'));
    if (first) first.focus({preventScroll: true});
  }
}

/// Counts as lengths: rows {label, count, tone, open}, each as its share of `all`.
function bars(name, rows, all) {
  const most = Math.max(all, ...rows.map((row) => row.count));
  return el('ul', {class: 'bars', 'aria-label': name}, rows.map((row) => {
    const length = el('span', {class: 'length ' + row.tone, 'aria-hidden': 'true'});
    length.style.width = 100 * row.count / most + '%';
    return el(
        'li', {},
        el('button', {type: 'button', onclick: row.open, title: row.label}, el('span', {class: 'bar-name'}, row.label),
           el('span', {class: 'number'}, String(row.count)), el('span', {class: 'track'}, length)));
  }));
}
