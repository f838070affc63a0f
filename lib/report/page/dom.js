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
    if (child instanceof Node)
      element.append(child);
    else
      element.append(...breakable(visible(child), element));
  }
}

/// A text that may be broken behind a slash, and is still one text for the clipboard.
function breakable(text, element) {
  if (text.length < 24 || !text.includes('/') || element.namespaceURI !== document.documentElement.namespaceURI)
    return [text];
  return text.split(/(?<=[^/]\/)(?=[^/\s])/)
      .flatMap((part, i) => (i > 0 ? [document.createElement('wbr'), part] : [part]));
}

/// Lines of a text that may have several.
function code(text, kind) {
  return el('code', {class: kind}, String(text).split('\n').map((line, i) => [i > 0 ? el('br') : null, line]));
}

const kLongPath = 48;

/// A path with its last part in full colour. Of a long one the middle is an ellipsis on the screen; it is whole on
/// hover, for a screen reader, when it is copied, and on paper.
function pathText(path) {
  const parts = String(path).match(/[^/]*\/+|[^/]+/g) || [];
  const name = parts.length > 1 && !parts[parts.length - 1].endsWith('/') ? parts.pop() : '';
  if (name === '') return el('span', {class: 'path'}, path);
  let [begin, middle] = [parts.slice(0, 3), parts.slice(3)];
  const end = [];
  let length = begin.join('').length + name.length;
  while (middle.length > 0 && length + middle[middle.length - 1].length <= kLongPath) {
    length += middle[middle.length - 1].length;
    end.unshift(middle.pop());
  }
  if (path.length <= kLongPath) [begin, middle] = [begin.concat(middle), []];
  return el(
      'span', {class: 'path', title: path},
      el('span', {class: 'dim'}, begin.join(''),
         middle.length > 0 ? el('span', {class: 'cut'}, document.createTextNode(visible(middle.join('')))) : null,
         el('wbr', {}), end.join('')),
      el('wbr', {}), name);
}

function lastPart(path) {
  return String(path).slice(String(path).lastIndexOf('/') + 1) || String(path);
}

/// Rows are lists of cells. A column without any content is left out, one of short texts is as wide as they are; where
/// the screen is narrow each cell is a line that begins with the name of its column.
function table(heads, rows, kind) {
  const cells = rows.map(
      (row) => heads.map((head, i) => el('td', {role: 'cell', 'data-head': kind === 'chips' ? null : head}, row[i])));
  const isUsed = heads.map((head, i) => cells.some((row) => row[i].textContent !== ''));
  const isShort = (cell) =>
      cell.textContent.length <= 24 && cell.querySelector('details, table, ul, dl, .typed') === null;
  heads.forEach((head, i) => {
    if (cells.every((row) => isShort(row[i]))) cells.forEach((row) => row[i].classList.add('short'));
  });
  const used = (row) => row.filter((cell, i) => isUsed[i]);
  const titles = heads.map((head) => el('th', {scope: 'col', role: 'columnheader'}, head));
  return el(
      'div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': heads.filter(Boolean).join(', ')},
      el('table', {class: kind, role: 'table'}, el('thead', {role: 'rowgroup'}, el('tr', {role: 'row'}, used(titles))),
         el('tbody', {role: 'rowgroup'},
            cells.map((row, i) => el('tr', {role: 'row', ...rows[i].attributes}, used(row))))));
}

/// Names and what they are, one below the other; those that are empty are left out.
function facts(rows) {
  const shown = rows.filter(
      ([, value]) =>
          value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0));
  return el('dl', {}, shown.map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}

function section(id, title, ...content) {
  return el('section', {id}, el('h2', {}, title), content);
}

function folded(summary, ...content) {
  return el('details', {}, el('summary', {}, summary), content);
}

/// Folded, and made when it is unfolded (or printed).
function foldedLater(summary, make) {
  const details = folded(summary);
  details.make = () => {
    if (details.children.length === 1) add(details, [make()]);
  };
  details.addEventListener('toggle', () => {
    if (details.open) details.make();
  });
  return details;
}

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
    this.element.view = this;
    this.name = 'list' + ++LongList.count;
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
  /// What is in sight; `whole`: everything, for paper.
  draw(whole) {
    const first = whole ? 0 : Math.max(0, Math.floor(this.element.scrollTop / this.height) - 8);
    const last = whole ?
        this.items.length :
        Math.min(this.items.length, first + Math.ceil((this.element.clientHeight || 420) / this.height) + 16);
    const rows = [];
    for (let i = first; i < last; ++i) {
      const row = this.rowOf(this.items[i]);
      row.classList.add('row');
      set(row, {role: 'option', id: `${this.name}-${i}`, 'aria-posinset': i + 1, 'aria-setsize': this.items.length});
      row.setAttribute('aria-selected', String(i === this.current));
      row.style.top = i * this.height + 'px';
      row.addEventListener('click', () => {
        this.current = i;
        this.draw();
        this.onOpen(this.items[i]);
      });
      rows.push(row);
    }
    this.rows.replaceChildren(...rows);
    if (this.current >= first && this.current < last)
      this.element.setAttribute('aria-activedescendant', `${this.name}-${this.current}`);
    else
      this.element.removeAttribute('aria-activedescendant');
  }
  key(event) {
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -1e9, End: 1e9}[event.key];
    if ((event.key === 'Enter' || event.key === ' ') && this.items.length > 0) {
      event.preventDefault();
      return this.onOpen(this.items[this.current]);
    }
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
LongList.count = 0;
