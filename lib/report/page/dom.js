// Elements. Every text of the data becomes a text node here and nowhere is it markup; what would change its direction,
// or could not be seen, is shown as an escape.

const kUnseen = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function visible(text) {
  return String(text).replace(
      kUnseen,
      (c) => [...new TextEncoder().encode(c)].map((byte) => '\\x' + byte.toString(16).padStart(2, '0')).join(''));
}

/// el('td', {class: 'bad', onclick: f}, 'text', element, [more]); null children are left out.
function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  set(element, attributes);
  add(element, children);
  return element;
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  set(element, attributes);
  add(element, children);
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on'))
      element.addEventListener(name.slice(2), value);
    else
      element.setAttribute(name, value === true ? '' : visible(value));
  }
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === '') continue;
    element.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
}

/// Lines of a text that may have several.
function code(text, kind) {
  return el('code', {class: kind}, String(text).split('\n').map((line, i) => [i > 0 ? el('br') : null, line]));
}

/// A path with its last part in full colour.
function pathText(path) {
  const cut = String(path).lastIndexOf('/') + 1;
  if (cut === 0 || cut === path.length) return el('span', {class: 'path'}, path);
  return el('span', {class: 'path'}, el('span', {class: 'dim'}, path.slice(0, cut)), path.slice(cut));
}

function lastPart(path) { return String(path).slice(String(path).lastIndexOf('/') + 1) || String(path); }

/// Rows are lists of cells; a column without any content is left out.
function table(heads, rows, kind) {
  const used = heads.map((head, i) => rows.some((row) => row[i] !== null && row[i] !== undefined && row[i] !== ''));
  const cells = (row, tag) =>
      row.map((cell, i) => (used[i] ? el(tag, tag === 'th' ? {scope: 'col'} : {}, cell) : null));
  return el(
      'div', {class: 'scroll', tabindex: kind === 'chips' ? 0 : null},
      el('table', {class: kind}, el('thead', {}, el('tr', {}, cells(heads, 'th'))),
         el('tbody', {}, rows.map((row) => el('tr', row.attributes || {}, cells(row, 'td'))))));
}

/// Names and what they are, one below the other; those that are empty are left out.
function facts(rows) {
  const shown = rows.filter(
      ([, value]) =>
          value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0));
  return el('dl', {}, shown.map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}

function section(id, title, ...content) { return el('section', {id}, el('h2', {}, title), content); }

function folded(summary, ...content) { return el('details', {}, el('summary', {}, summary), content); }

function button(label, action, attributes) {
  return el('button', {type: 'button', onclick: action, ...attributes}, label);
}

/// A command to type, and a button that copies it. Pages of a disk may have no clipboard: then it is selected.
function command(lines) {
  const text = Array.isArray(lines) ? lines.join('\n') : lines;
  const shown = code(text, 'command');
  const copy = button(say('copy'), () => {
    const range = document.createRange();
    range.selectNodeContents(shown);
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    if (document.execCommand('copy')) copy.textContent = say('copied');
  }, {class: 'small'});
  return el('span', {class: 'typed'}, shown, copy);
}

/// A list of any length of which only what is in sight is in the document. Rows are of one height.
class LongList {
  constructor(name, rowOf, onOpen) {
    this.rowOf = rowOf;
    this.onOpen = onOpen;
    this.items = [];
    this.current = 0;
    this.height = 26;
    this.rows = el('div', {class: 'rows'});
    this.element =
        el('div', {
          class: 'list',
          tabindex: 0,
          role: 'listbox',
          'aria-label': name,
          onscroll: () => this.draw(),
          onkeydown: (event) => this.key(event)
        },
           this.rows);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }
  show(items) {
    this.items = items;
    this.current = 0;
    this.element.scrollTop = 0;
    this.rows.style.height = items.length * this.height + 'px';
    this.element.style.height = Math.min(items.length, 16) * this.height + 2 + 'px';
    this.draw();
  }
  draw() {
    const first = Math.max(0, Math.floor(this.element.scrollTop / this.height) - 8);
    const last = Math.min(this.items.length, first + Math.ceil((this.element.clientHeight || 420) / this.height) + 16);
    const rows = [];
    for (let i = first; i < last; ++i) {
      const row = this.rowOf(this.items[i]);
      row.classList.add('row');
      row.setAttribute('role', 'option');
      if (i === this.current) row.setAttribute('aria-selected', 'true');
      row.style.top = i * this.height + 'px';
      row.addEventListener('click', () => {
        this.current = i;
        this.draw();
        this.onOpen(this.items[i]);
      });
      rows.push(row);
    }
    this.rows.replaceChildren(...rows);
  }
  key(event) {
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -1e9, End: 1e9}[event.key];
    if (event.key === 'Enter' && this.items.length > 0) return this.onOpen(this.items[this.current]);
    if (step === undefined) return undefined;
    event.preventDefault();
    this.current = Math.min(this.items.length - 1, Math.max(0, this.current + step));
    const top = this.current * this.height;
    const seen = this.element;
    if (top < seen.scrollTop) seen.scrollTop = top;
    if (top + this.height > seen.scrollTop + seen.clientHeight) seen.scrollTop = top + this.height - seen.clientHeight;
    return this.draw();
  }
}
