// The page of a whole tree (scan): causes with a picture of who needs what is missing, and every file with its link
// map.

/// Who needs what one cause is about, and which processes fail with it.
function causeGraph(data, group, open) {
  const most = 14;
  const nodes = new Map();
  const edges = [];
  const lost = 'lost';
  const isPresent = data.byPath.has(group.library);
  nodes.set(lost, {
    id: lost,
    label: lastPart(group.library || group.code),
    title: group.library,
    note: group.code,
    kind: isPresent ? 'bad' : 'bad missing'
  });
  const nodeOf = (path, kind) => {
    const id = 'f' + path;
    if (!nodes.has(id)) nodes.set(id, {id, label: lastPart(path), title: path, kind: kind || '', path});
    return id;
  };
  for (const path of group.needers.slice(0, most)) {
    if (path !== group.library) edges.push({from: nodeOf(path), to: lost, kind: 'bad', path});
  }
  const needers = new Set(group.needers);
  for (const index of group.roots.slice(0, most)) {
    const root = data.files[index];
    if (root === undefined || root.path === group.library) continue;
    const through = [...(root.loads || [])]
                        .map((one) => data.files[one])
                        .filter((file) => file && needers.has(file.path) && nodes.has('f' + file.path));
    if (needers.has(root.path)) {
      nodes.get(nodeOf(root.path)).kind = 'root';
      continue;
    }
    const id = nodeOf(root.path, 'root');
    for (const file of through.slice(0, 4)) edges.push({from: id, to: 'f' + file.path, kind: '', path: root.path});
    if (through.length === 0) edges.push({from: id, to: lost, kind: 'bad', path: root.path});
  }
  const more = Math.max(0, group.needers.length - most) + Math.max(0, group.roots.length - most);
  if (more > 0) {
    nodes.set('more', {id: 'more', label: say('more', {n: more}), kind: 'faint'});
    edges.push({from: 'more', to: lost, kind: 'bad'});
  }
  return new Graph([...nodes.values()], edges, (what) => {
    const path = what.node ? what.node.path : what.edge.path;
    const file = path && data.byPath.get(path);
    if (file) open(file);
  });
}

class SurveyView {
  constructor(lines) {
    this.data = new SurveyData(lines);
    this.verdict = 'any';
    this.words = '';
    this.picture = el('div', {class: 'picture fit', tabindex: 0, role: 'region', 'aria-label': say('causeMap')});
    this.panel = el('div', {class: 'panel causes', tabindex: 0, role: 'region', 'aria-label': say('causes')});
    this.fileView = el('div', {class: 'file'});
  }

  causes() {
    const counted = this.data.groups.filter((group) => this.data.counts(group));
    const others = this.data.groups.filter((group) => !this.data.counts(group));
    if (this.data.groups.length === 0) return null;
    const shown = 25;
    const cards = (groups) => groups.map((group) => this.card(group));
    this.panel.replaceChildren(
        ...cards(counted.slice(0, shown)),
        ...(counted.length > shown ?
                [foldedLater(say('more', {n: counted.length - shown}), () => cards(counted.slice(shown)))] :
                []),
        ...(others.length > 0 ? [foldedLater(`${say('notCounted')} (${others.length})`, () => cards(others))] : []));
    this.choose(counted[0] || others[0]);
    const measured =
        counted.filter((group) => group.roots.length > 0).sort((a, b) => b.roots.length - a.roots.length).slice(0, 12);
    return section(
        'causes', `${say('causes')} (${counted.length})`,
        measured.length > 1 ?
            [
              el('h3', {class: 'dim'}, say('byProcesses')),
              bars(
                  say('byProcesses'), measured.map((group) => ({
                                                     label: tell(group.headline),
                                                     count: group.roots.length,
                                                     tone: 'bad',
                                                     open: () => this.choose(group, 'scroll')
                                                   })),
                  this.data.summary.fails)
            ] :
            null,
        el('div', {class: 'split even'}, this.panel, this.picture));
  }

  card(group) {
    const files = (paths) => {
      const link = (path) => {
        const file = this.data.byPath.get(path);
        return el('div', {}, file ? button(path, () => this.openFile(file), {class: 'link'}) : pathText(path));
      };
      if (paths.length <= 5) return paths.map(link);
      return [
        paths.slice(0, 5).map(link), foldedLater(say('more', {n: paths.length - 5}), () => paths.slice(5).map(link))
      ];
    };
    const tone = this.data.counts(group) ? 'bad' : 'dim';
    const fix = group.fix;
    const roots = group.roots.map((index) => this.data.files[index])
                      .filter(Boolean)
                      .map((file) => file.path)
                      .filter((path) => !group.needers.includes(path));
    const card =
        el('article', {class: 'problem cause ' + tone, 'data-key': group.key, onclick: () => this.choose(group)},
           el('h3', {}, el('span', {class: 'code ' + tone}, group.code), ' ',
              button(tell(group.headline), () => this.choose(group), {class: 'plain'})),
           facts([
             [
               say('try'),
               fix ?
                   [
                     command(fix.command.split('\n')),
                     el('div', {class: 'dim'}, verdictWord(fix.verdict), ' ',
                        fix.tried > 1 ? say('worksFor', {works: fix.works, tried: fix.tried}) : '')
                   ] :
                   null
             ],
             [say('layers'), layerList(group.layers)],
             [say('sinceLayer'), group.since_layer ? say('layerNumber', {n: group.since_layer}) : null],
             [say('package'), group.package ? `${group.package.name} ${group.package.version || ''}` : null],
             [say('neededBy'), files(group.needers)],
             [say('failing', {n: roots.length}), roots.length > 0 ? files(roots) : null],
             [
               say('suppressed'),
               group.suppression ?
                   [group.suppression.by, group.suppression.reason ? ': ' + group.suppression.reason : ''] :
                   null
             ],
             [say('loaderPrints'), group.loader_says ? code(group.loader_says) : null],
             [
               say('searched'),
               group.search ?
                   foldedLater(
                       [lastPart(group.search.needer), ' → ', group.search.name], () => [searchTable(group.search)]) :
                   null
             ],
           ]));
    card.group = group;
    return card;
  }

  choose(group, scroll) {
    if (group === undefined) return;
    const cards = [...this.panel.querySelectorAll('.cause')];
    const chosen = cards.find((card) => card.group === group);
    if (scroll && chosen) this.panel.scrollTop = chosen.offsetTop - this.panel.offsetTop;
    if (this.chosen === group) return;
    this.chosen = group;
    for (const card of cards) card.classList.toggle('chosen', card.group === group);
    this.picture.replaceChildren(causeGraph(this.data, group, (file) => this.openFile(file)).element);
  }

  files() {
    const verdicts = ['any', 'fails', 'depends', 'works'];
    const all = this.data.files.filter((file) => file.type === 'file');
    this.list = new LongList(
        say('files'),
        (file) =>
            el('div', {class: 'file-row'},
               el('span', {class: 'dot ' + this.toneOf(file)}, this.toneOf(file) === 'dim' ? '○' : '●'),
               el('span', {}, pathText(file.path)),
               el('span', {class: 'dim'}, say('as-' + (file.judged_as || 'outside')))),
        (file) => this.openFile(file));
    const buttons = verdicts
                        .map((verdict) => {
                          const count =
                              verdict === 'any' ? all.length : all.filter((file) => file.verdict === verdict).length;
                          if (count === 0) return null;
                          return button(say(verdict === 'any' ? 'all' : verdict), () => {
                            this.verdict = verdict;
                            for (const one of buttons)
                              one.setAttribute('aria-pressed', String(one.dataset.verdict === verdict));
                            this.filter(all);
                          }, {'aria-pressed': String(verdict === this.verdict), 'data-verdict': verdict});
                        })
                        .filter(Boolean);
    const input = el('input', {
      type: 'search',
      class: 'filter',
      placeholder: say('filter'),
      'aria-label': say('filter'),
      oninput: () => {
        this.words = input.value;
        this.filter(all);
      },
      onkeydown: (event) => {
        if (event.key === 'ArrowDown') {
          event.preventDefault();
          this.list.element.focus();
        }
      }
    });
    input.value = this.words;
    this.count = el('span', {class: 'dim', role: 'status'});
    this.filter(all);
    return section(
        'files', say('files'), el('div', {class: 'controls'}, buttons, input, this.count), this.list.element,
        this.fileView);
  }

  toneOf(file) {
    if (file.verdict === 'fails') return file.optional || file.suppressed ? 'dim' : 'bad';
    return kTones[file.verdict] || 'dim';
  }

  filter(all) {
    const words = this.words.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = all.filter(
        (file) => (this.verdict === 'any' || file.verdict === this.verdict) &&
            words.every(
                (word) => file.path.toLowerCase().includes(word) ||
                    (this.data.name(file.soname) || '').toLowerCase().includes(word)));
    this.list.show(shown);
    this.count.textContent = shown.length < all.length ? say('shownOf', {n: shown.length, all: all.length}) : '';
  }

  openFile(file) {
    const groups = this.data.groupsOf.get(file.file) || [];
    const process = file.in_process_of === undefined ? null : this.data.files[file.in_process_of];
    const answer = this.data.linkMap(file);
    learnPaths(answer.objects.map((object) => object.path));
    const map = new LinkMapView(answer);
    const root = this.data.head.root;
    const where = root === '/' ? '' : `--root ${quoted(root)} `;
    this.fileView.replaceChildren(
        el('h3', {}, pathText(file.path)), facts([
          [
            say('verdict'),
            file.verdict ? [verdictWord(file.verdict), file.depends_on ? ': ' + tell(file.depends_on) : ''] : null
          ],
          [
            say('judgedAs'),
            [
              say('as-' + (file.judged_as || 'outside')),
              process ? [', ', button(process.path, () => this.openFile(process), {class: 'link'})] : null
            ]
          ],
          [say('process'), file.process ? tell(file.process.what) : null],
          [say('soname'), this.data.name(file.soname) === lastPart(file.path) ? null : this.data.name(file.soname)],
          [
            say('problems'),
            groups.map(
                (group) =>
                    el('div', {},
                       button(
                           tell(group.headline),
                           () => {
                             this.choose(group);
                             this.panel.scrollIntoView({block: 'nearest'});
                           },
                           {class: 'link bad'})))
          ],
          [say('inFull'), command(`soresolve why ${where}${quoted(file.path)}`)],
        ]),
        map.render());
    this.fileView.scrollIntoView({block: 'nearest'});
  }

  /// The counts that the verdict does not have.
  counts() {
    const count = this.data.summary;
    const isTold = [count.dynamic, count.roots].every((n) => firstLine().text.split(/\D+/).includes(String(n)));
    const words = [
      isTold ? '' : say('counted', {files: count.dynamic, processes: count.roots}),
      count.optional > 0 ? say('countedOptional', {n: count.optional}) : '',
      count.suppressed > 0 ? say('countedSuppressed', {n: count.suppressed}) : ''
    ].filter(Boolean);
    return words.length > 0 ? el('p', {class: 'dim'}, words.join(language === 'zh' ? '，' : ', ')) : null;
  }

  skippedSection() {
    if (this.data.skipped.length === 0) return null;
    return section(
        'skipped', `${say('skipped')} (${this.data.skipped.length})`,
        foldedLater(
            say('show'),
            () => [table(
                [say('path'), say('reason')],
                this.data.skipped.slice(0, 2000).map(
                    (skip) => [pathText(skip.path), `${skip.why}${skip.reason ? ': ' + skip.reason : ''}`]))]));
  }
}

/// A word of a shell.
function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, '\'\\\'\'')}'`;
}

function surveySections(lines) {
  const view = new SurveyView(lines);
  const data = view.data;
  const first = data.groups.find((group) => data.counts(group) && group.fix);
  const remarks = (data.summary.remarks || []).map((remark) => el('p', {}, tell(remark)));
  return {
    title: document.title,
    top: firstLine(),
    commands: first ? first.fix.command.split('\n') : null,
    more: [view.counts(), remarks],
    parts: [view.causes(), layersSection(data), view.files(), sizesSection(view), view.skippedSection()],
    items: data.files
               .map((file) => ({
                      text: file.path + ' ' + (data.name(file.soname) || ''),
                      label: lastPart(file.path),
                      note: file.path,
                      kind: view.toneOf(file),
                      open: () => view.openFile(file)
                    }))
               .concat(data.groups.map((group) => ({
                                         text: group.headline + ' ' + tell(group.headline) + ' ' + group.code,
                                         label: group.code,
                                         note: tell(group.headline),
                                         kind: 'bad',
                                         open: () => {
                                           view.choose(group);
                                           view.panel.scrollIntoView();
                                         }
                                       }))),
  };
}
