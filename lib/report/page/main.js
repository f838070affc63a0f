// The page: its head (verdict, what to type, switches, search), the sections of the answer, the text.

const kText = document.getElementById('text');
const kPage = document.getElementById('page');
const kRawData = document.getElementById('data').textContent;

/// The answer, or the lines of one.
function parsed(text) {
  try {
    return {answer: JSON.parse(text)};
  } catch (error) {
    return {lines: text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line))};
  }
}

const kData = parsed(kRawData);

/// The first line of the text, in the page's language, with its tone.
function firstLine() {
  const pre = kText.querySelector(`pre[lang="${language}"]`);
  const tone = pre.querySelector('span');
  const tones = {tone31: 'bad', tone32: 'good', tone33: 'warn'};
  return {text: pre.textContent.split('\n')[0], tone: tone ? tones[tone.className] || '' : ''};
}

function headline(answer) {
  if (Array.isArray(answer)) return gpuHeadline(answer);
  if (answer.objects) learnPaths(answer.objects.map((object) => object.path));
  if (answer.command === 'why' && !(answer.import && answer.import.exception)) {
    return {text: tellShort(answer.verdict), tone: kTones[answer.answer] || ''};
  }
  if (answer.command === 'tree') {
    return answer.loader_prints ? {text: answer.loader_prints, tone: 'bad'} :
                                  {text: answer.file, tone: answer.starts ? 'good' : 'bad'};
  }
  if (answer.command === 'doctor') return {text: tell(answer.verdict), tone: answer.healthy ? 'good' : 'bad'};
  return firstLine();
}

function toTry(answer) {
  if (Array.isArray(answer)) return null;
  if (Array.isArray(answer.try)) return answer.try.length > 0 ? answer.try : null;
  return answer.try || null;
}

class Search {
  constructor(items) {
    this.items = items;
    this.found = [];
    this.current = 0;
    this.list = el('ul', {class: 'found', id: 'found', role: 'listbox', 'aria-label': say('search'), hidden: true});
    this.input = el('input', {
      type: 'search',
      placeholder: say('search'),
      'aria-label': say('search'),
      autocomplete: 'off',
      spellcheck: 'false',
      role: 'combobox',
      'aria-expanded': 'false',
      'aria-autocomplete': 'list',
      'aria-controls': 'found',
      oninput: () => this.find(),
      onfocus: () => this.find(),
      onkeydown: (event) => this.key(event),
      onblur: () => setTimeout(() => this.close(), 150)
    });
    this.element = el('div', {class: 'search'}, this.input, this.list);
  }
  find() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.current = 0;
    this.found = words.length === 0 ?
        [] :
        this.items.filter((item) => words.every((word) => item.text.toLowerCase().includes(word))).slice(0, 40);
    this.list.hidden = words.length === 0;
    this.draw();
  }
  draw() {
    this.list.replaceChildren(...(
        this.found.length === 0 ?
            [el('li', {class: 'dim', role: 'option', 'aria-disabled': 'true'}, say('noMatch'))] :
            this.found.map(
                (item, i) =>
                    el('li', {
                      role: 'option',
                      id: 'found-' + i,
                      'aria-selected': String(i === this.current),
                      onmousedown: (event) => {
                        event.preventDefault();
                        this.open(item);
                      }
                    },
                       el('span', {class: item.kind || ''}, item.label), ' ', el('span', {class: 'dim'}, item.note)))));
    const isOpen = !this.list.hidden;
    this.input.setAttribute('aria-expanded', String(isOpen));
    if (isOpen && this.found.length > 0)
      this.input.setAttribute('aria-activedescendant', 'found-' + this.current);
    else
      this.input.removeAttribute('aria-activedescendant');
    const chosen = this.list.children[this.current];
    if (chosen && !this.list.hidden) chosen.scrollIntoView({block: 'nearest'});
  }
  close() {
    this.list.hidden = true;
    this.draw();
  }
  open(item) {
    this.close();
    this.input.blur();
    item.open();
  }
  key(event) {
    if (event.key === 'Escape') {
      this.input.value = '';
      this.close();
      this.input.blur();
    } else if (event.key === 'Enter' && this.found.length > 0) {
      this.open(this.found[this.current]);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      this.current = Math.min(this.found.length - 1, Math.max(0, this.current + (event.key === 'ArrowDown' ? 1 : -1)));
      this.draw();
    }
  }
}

let search = null;

function saveData() {
  const link = el('a', {
    href: URL.createObjectURL(new Blob([kRawData], {type: 'application/json'})),
    download: kData.answer ? 'soresolve.json' : 'soresolve.jsonl'
  });
  document.body.append(link);
  link.click();
  link.remove();
}

function switchTheme() {
  const isDark = document.documentElement.dataset.theme === 'dark' ||
      (!document.documentElement.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'light' : 'dark';
}

function head(title, {text, tone}, commands, more) {
  return el(
      'header', {},
      el('div', {class: 'bar'}, el('span', {class: 'dim asked'}, title), search.element,
         button(
             language === 'zh' ? 'en' : 'zh',
             () => {
               language = language === 'zh' ? 'en' : 'zh';
               render();
             },
             {
               class: 'small',
               id: 'language',
               'aria-label': language === 'zh' ? 'English' : 'zh: 中文',
               title: language === 'zh' ? 'English' : '中文'
             }),
         button(say('theme'), switchTheme, {class: 'small', id: 'theme'}),
         button('JSON', saveData, {class: 'small', id: 'save', title: say('save'), 'aria-label': say('save')})),
      el('h1', {class: tone}, text),
      commands ? el('div', {class: 'try'}, el('span', {class: 'label'}, say('try')), command(commands)) : null, more);
}

function render() {
  document.documentElement.lang = language;
  const answer = kData.answer;
  const {parts, items, title, top, commands, more} = answer ? {
    ...(Array.isArray(answer) ? {parts: gpuSections(answer), items: []} : answerSections(answer)),
    title: document.title,
    top: headline(answer),
    commands: toTry(answer),
    more: answer.loader_prints && answer.command === 'why' ?
        el('div', {class: 'prints'}, el('span', {class: 'label'}, say('loaderPrints')),
           code(answer.loader_prints, 'loader')) :
        null
  } :
                                                              surveySections(kData.lines);
  search = new Search(items);
  kPage.replaceChildren(head(title, top, commands, more), ...parts.flat(Infinity).filter(Boolean), text());
}

function text() {
  const details = folded(say('text'), kText);
  details.id = 'as-text';
  return details;
}

document.addEventListener('keydown', (event) => {
  const isTyping = ['INPUT', 'TEXTAREA'].includes(document.activeElement && document.activeElement.tagName);
  if (event.key === '/' && !isTyping && search) {
    event.preventDefault();
    search.input.focus();
    search.input.select();
  }
});

/// On paper everything is open: what is folded, attempts that were folded into their directory, the whole of a list.
let closedAfterPrint = [];

window.addEventListener('beforeprint', () => {
  closedAfterPrint = [];
  for (let closed = []; (closed = [...kPage.querySelectorAll('details:not([open])')]).length > 0;) {
    for (const details of closed) {
      details.open = true;
      if (details.make) details.make();
      closedAfterPrint.push(details);
    }
  }
  for (const list of kPage.querySelectorAll('.list')) list.view.draw('whole');
});

window.addEventListener('afterprint', () => {
  for (const details of closedAfterPrint) details.open = false;
  for (const list of kPage.querySelectorAll('.list')) list.view.draw();
});

try {
  chinese = JSON.parse(document.getElementById('zh').textContent);
  language = document.documentElement.lang === 'zh' ? 'zh' : 'en';
  render();
} catch (error) {
  // The text of the answer is there without any of this.
  console.error(error);
}
