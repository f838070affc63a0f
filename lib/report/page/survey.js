// The page of a whole tree (scan): causes with a picture of who needs what is missing, and every file with its link
// map.
//
// The data are JSON Lines, in which numbers stand for files and names. Where a need leads is in the data where a
// process has loaded the file ("targets"); else it is looked for by SONAME and file name among what its process loads.

class SurveyData {
  constructor(lines) {
    const of = (type) => lines.filter((line) => line.type === type);
    this.head = of('scan')[0];
    this.summary = of('summary')[0];
    this.files = of('file').concat(of('outside'));
    this.groups = of('problem');
    this.skipped = of('skipped');
    this.sizes = of('sizes')[0];
    this.unused = of('unused')[0];
    this.names = this.head.names;
    this.byPath = new Map(this.files.map((file) => [file.path, file]));
    this.byName = new Map();
    for (const file of this.files) {
      for (const name of new Set([lastPart(file.path), this.name(file.soname)])) {
        if (!this.byName.has(name)) this.byName.set(name, []);
        this.byName.get(name).push(file);
      }
    }
    this.groupsOf = new Map();
    for (const group of this.groups) {
      const involved = new Set([...group.roots, ...group.needers.map((path) => (this.byPath.get(path) || {}).file)]);
      for (const file of involved) {
        if (file === undefined) continue;
        if (!this.groupsOf.has(file)) this.groupsOf.set(file, []);
        this.groupsOf.get(file).push(group);
      }
    }
  }

  name(number) { return number === undefined ? undefined : this.names[number]; }

  counts(group) { return !group.optional && !group.suppression; }

  /// The file that a need leads to, in the process of `root`: {file}, {path} of one outside the tree, or nothing.
  target(file, need, root, loaded) {
    if (file.targets) {
      const other = (file.exceptions || []).find((one) => one.root === root.file && one.need === need);
      const target = other ? other.target : file.targets[need];
      return target === null ? null : {file: this.files[target]};
    }
    const name = this.name(file.needs[need]);
    const named = this.byName.get(lastPart(name)) || [];
    const here = named.find((one) => loaded.has(one.file)) || named.find((one) => one === root);
    if (here) return {file: here};
    const outside =
        (root.loads_others || []).map((number) => this.name(number)).find((path) => lastPart(path) === lastPart(name));
    return outside ? {path: outside} : null;
  }

  /// The search of that file for that name, where it is the one that a cause shows.
  searchOf(path, name) {
    const group = (this.groupsOf.get((this.byPath.get(path) || {}).file) ||
                   []).find((one) => one.search && one.search.needer === path && one.search.name === name);
    return group ? group.search : null;
  }

  /// The link map below one file, as `why` has it: see LinkMapView.
  linkMap(file) {
    const root = file.loads ? file : this.files[file.in_process_of] || file;
    const objects = [];
    const places = new Map();
    const add = (key, object, loader) => {
      if (places.has(key)) return places.get(key);
      places.set(key, objects.length);
      objects.push(
          {index: objects.length, loader, soname: null, rpath: null, runpath: null, found: null, needs: [], ...object});
      return objects.length - 1;
    };
    add(file.path, {role: 'main', path: file.path, file, soname: this.name(file.soname) || null}, null);
    const isJudged = file.judged_as !== 'unjudged';
    const loaded = new Set(root.loads || []);
    for (let at = 0; at < objects.length; ++at) {
      const source = objects[at].file;
      if (source === undefined) continue;
      const place = (target, name) => {
        if (target && target.file) {
          const {path, soname} = target.file;
          return add(path, {role: 'library', path, file: target.file, soname: this.name(soname) || null}, at);
        }
        if (target) return add(target.path, {role: 'library', path: target.path}, at);
        const isLoader = /^ld(-linux|-musl|64)?[-.]/.test(lastPart(name));
        return isJudged && !isLoader ? add('?' + name, {role: 'missing', path: name}, at) : null;
      };
      const request = (kind, name, index) => {
        if (index === null) return;
        const isLost = objects[index].role === 'missing';
        const resolution = isLost ? 'not found' : '';
        const search = isLost ? this.searchOf(source.path, name) : null;
        objects[at].needs.push({kind, name, written: name, target: index, attempts: [], resolution, search});
      };
      source.needs.forEach((number, need) => {
        const name = this.name(number);
        request('needed', name, place(this.target(source, need, root, loaded), name));
      });
      // What is opened later; whether it has to be there is a matter of the causes.
      for (const link of source.links || []) {
        const target = link.target === null ? undefined : this.files[link.target];
        if (target === undefined || target === source || link.kind === 'process') continue;
        const name = this.name(link.name);
        request(['note', 'known'].includes(link.kind) ? 'dlopen' : link.kind, name, place({file: target}, name));
      }
    }
    return {
      command: 'scan',
      file: file.path,
      root: this.head.root,
      objects,
      openings: [],
      findings: [],
      failures: [],
      dlopens: [],
      list: objects.map((object) => object.index)
    };
  }
}

/// Every attempt of the search for what is missing, of the first who asks for it.
function searchTable(search) {
  const rows = search.attempts.map(
      (attempt, i) =>
          [String(i + 1),
           [
             tell(attempt.step),
             attempt.owner ? [' ', say('of'), ' ', el('span', {title: attempt.owner}, lastPart(attempt.owner))] : null
           ],
           attempt.entry || '', pathText(attempt.path),
           el('span', {class: outcomeTone(attempt.outcome)}, tell(attempt.outcome))]);
  return table(['#', say('step'), say('entry'), say('place'), say('outcome')], rows, 'attempts');
}

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
    this.picture = el('div', {class: 'picture'});
    this.panel = el('div', {class: 'panel causes'});
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
                [this.later(say('more', {n: counted.length - shown}), () => cards(counted.slice(shown)))] :
                []),
        ...(others.length > 0 ? [this.later(`${say('notCounted')} (${others.length})`, () => cards(others))] : []));
    this.choose(counted[0] || others[0]);
    return section(
        'causes', `${say('causes')} (${counted.length})`, el('div', {class: 'split even'}, this.panel, this.picture));
  }

  /// Folded, and made when it is unfolded.
  later(summary, make) {
    const details = folded(summary);
    details.addEventListener('toggle', () => {
      if (details.children.length === 1) details.append(...make());
    });
    return details;
  }

  card(group) {
    const files = (paths) => {
      const link = (path) => {
        const file = this.data.byPath.get(path);
        return el('div', {}, file ? button(path, () => this.openFile(file), {class: 'link'}) : pathText(path));
      };
      if (paths.length <= 5) return paths.map(link);
      return [
        paths.slice(0, 5).map(link), this.later(say('more', {n: paths.length - 5}), () => paths.slice(5).map(link))
      ];
    };
    const tone = this.data.counts(group) ? 'bad' : 'dim';
    const fix = group.fix;
    const roots = group.roots.map((index) => this.data.files[index])
                      .filter(Boolean)
                      .map((file) => file.path)
                      .filter((path) => !group.needers.includes(path));
    const card =
        el('article', {
          class: 'problem cause ' + tone,
          tabindex: 0,
          'data-key': group.key,
          onclick: () => this.choose(group),
          onkeydown: (event) => {
            if (event.key === 'Enter') this.choose(group);
          }
        },
           el('h3', {}, el('span', {class: 'code ' + tone}, group.code), ' ', tell(group.headline)), facts([
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
                   this.later(
                       [lastPart(group.search.needer), ' → ', group.search.name], () => [searchTable(group.search)]) :
                   null
             ],
           ]));
    card.group = group;
    return card;
  }

  choose(group) {
    if (group === undefined || this.chosen === group) return;
    this.chosen = group;
    for (const card of this.panel.querySelectorAll('.cause')) card.classList.toggle('chosen', card.group === group);
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
    const buttons = verdicts.map((verdict) => {
      const count = verdict === 'any' ? all.length : all.filter((file) => file.verdict === verdict).length;
      return button(`${say(verdict === 'any' ? 'all' : verdict)} ${count}`, () => {
        this.verdict = verdict;
        buttons.forEach((one, i) => one.setAttribute('aria-pressed', String(verdicts[i] === verdict)));
        this.filter(all);
      }, {'aria-pressed': String(verdict === this.verdict), 'data-verdict': verdict});
    });
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
    this.filter(all);
    return section(
        'files', say('files'), el('div', {class: 'controls'}, buttons, input), this.list.element, this.fileView);
  }

  toneOf(file) {
    if (file.verdict === 'fails') return file.optional || file.suppressed ? 'dim' : 'bad';
    return kTones[file.verdict] || 'dim';
  }

  filter(all) {
    const words = this.words.toLowerCase().split(/\s+/).filter(Boolean);
    this.list.show(all.filter(
        (file) => (this.verdict === 'any' || file.verdict === this.verdict) &&
            words.every(
                (word) => file.path.toLowerCase().includes(word) ||
                    (this.data.name(file.soname) || '').toLowerCase().includes(word))));
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

  counts() {
    const count = this.data.summary;
    return el(
        'p', {class: 'dim'}, say('counted', {
          files: count.dynamic,
          processes: count.roots,
          works: count.works,
          fails: count.fails,
          depends: count.depends
        }),
        count.optional > 0 ? ', ' + say('countedOptional', {n: count.optional}) : '',
        count.suppressed > 0 ? ', ' + say('countedSuppressed', {n: count.suppressed}) : '');
  }

  /// Bytes by package, and what no program loads.
  sizesSection() {
    const {sizes, unused} = this.data;
    if (!sizes || !unused) return null;
    const lost = new Map(unused.files.map((entry) => [entry.file, entry]));
    const shares = new Map();
    sizes.bytes.forEach((bytes, file) => {
      const number = sizes.package_of[file];
      if (!shares.has(number)) shares.set(number, {number, files: [], bytes: 0, unusedFiles: 0, unusedBytes: 0});
      const share = shares.get(number);
      share.files.push(file);
      share.bytes += bytes;
      if (!lost.has(file)) return;
      share.unusedFiles += 1;
      share.unusedBytes += bytes;
    });
    const sum = (list, key) => list.reduce((total, one) => total + one[key], 0);
    const list = [...shares.values()].sort((a, b) => b.bytes - a.bytes || a.number - b.number);
    const byteOrder = (files) => files.slice().sort((a, b) => sizes.bytes[b] - sizes.bytes[a] || a - b);
    const reason = (entry) => {
      if (!entry) return null;
      const by = entry.named_by === null ? undefined : this.data.files[entry.named_by];
      return [say('unused-' + entry.evidence), by ? [': ', el('span', {title: by.path}, lastPart(by.path))] : ''];
    };
    const filesOf = (share) => {
      const most = 500;
      const rows = byteOrder(share.files).slice(0, most).map((index) => {
        const file = this.data.files[index];
        return [
          button(file.path, () => this.openFile(file), {class: 'link'}), sizeText(sizes.bytes[index]),
          reason(lost.get(index))
        ];
      });
      const rest = share.files.length - rows.length;
      return [table([say('path'), say('size'), say('notLoaded')], rows), ...(rest > 0 ? [say('more', {n: rest})] : [])];
    };
    const nameOf = (share) => {
      if (share.number === null) return say('noPackage');
      const {name, version} = sizes.packages[share.number];
      return [name, version ? ' ' + version : ''];
    };
    const rows = (some) => table(
        [say('package'), say('files'), say('size'), say('notLoaded')], some.map((share) => [
          this.later(nameOf(share), () => filesOf(share)), String(share.files.length), sizeText(share.bytes),
          share.unusedFiles > 0 ? `${sizeText(share.unusedBytes)} (${share.unusedFiles})` : ''
        ]), 'sizes');
    const shown = 12;
    return section(
        'sizes', say('sizes'), el('p', {}, say('sizesSum', {
          files: sizes.bytes.length,
          size: sizeText(sum(list, 'bytes')),
          unused: lost.size,
          unusedSize: sizeText(sum(list, 'unusedBytes'))
        })),
        rows(list.slice(0, shown)),
        list.length > shown ?
            this.later(say('more', {n: list.length - shown}), () => [rows(list.slice(shown))]) :
            null,
        el('p', {class: 'dim'}, tell(unused.note)));
  }

  skippedSection() {
    if (this.data.skipped.length === 0) return null;
    return section(
        'skipped', `${say('skipped')} (${this.data.skipped.length})`,
        this.later(
            say('show'),
            () => [table(
                [say('path'), say('reason')],
                this.data.skipped.slice(0, 2000).map(
                    (skip) => [pathText(skip.path), `${skip.why}${skip.reason ? ': ' + skip.reason : ''}`]))]));
  }
}

/// 1.5 MiB
function sizeText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.length; ++unit) bytes /= 1024;
  return `${unit === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit]}`;
}

/// A word of a shell.
function quoted(text) { return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, '\'\\\'\'')}'`; }

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
    parts: [view.causes(), view.files(), view.sizesSection(), view.skippedSection()],
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
