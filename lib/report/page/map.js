// The link map of one answer (why, tree): which objects and requests are drawn, and what is told of the one that is
// chosen: for a request every attempt of its search, in ld.so's order.

const kMostDrawn = 300;  // beyond it objects are collapsed by directory
const kHub = 6;          // an object that more than so many need is drawn with one line

/// Found, merely not there, or there and refused.
function outcomeTone(outcome) {
  if (outcome === 'loaded' || outcome === 'the same file is loaded already') return 'good';
  const isAbsent = ['no such file', 'no such directory', 'no entry', 'no cache'].includes(outcome) ||
      outcome.startsWith('directory does not exist');
  return isAbsent ? 'dim' : 'bad';
}

class LinkMapView {
  constructor(answer) {
    this.answer = answer;
    this.objects = answer.objects;
    this.opening = answer.openings && answer.openings.length > 0 ? answer.openings[answer.openings.length - 1] : null;
    this.root = this.opening && this.opening.object !== null ? this.opening.object : 0;
    this.needers = this.objects.map(() => []);
    this.objects.forEach((object) => object.needs.forEach((need, i) => {
      if (need.target !== null) this.needers[need.target].push({needer: object.index, need: i});
    }));
    this.troubles = this.collectTroubles();
    this.below = this.reachedFrom(this.root);
    this.view = this.troubles.size > 0 ? 'problems' : this.root !== 0 ? 'below' : 'all';
    this.hasEveryEdge = false;
    this.unfolded = new Set();
    this.panel = el('div', {class: 'panel', 'aria-live': 'polite'});
    this.picture = el('div', {class: 'picture'});
    this.controls = el('div', {class: 'controls'});
  }

  /// What an object needs, directly and through others, with itself.
  reachedFrom(index) {
    const reached = new Set([index]);
    for (const at of reached) {
      for (const need of this.objects[at].needs)
        if (need.target !== null) reached.add(need.target);
    }
    return reached;
  }

  /// "needer/need" to the severity of the problem that it is a part of.
  collectTroubles() {
    const troubles = new Map();
    for (const problem of this.answer.findings || []) {
      if (problem.severity === 'note') continue;
      for (const {needer, need} of problem.requests) {
        if (this.objects[needer] === undefined || this.objects[needer].needs[need] === undefined) continue;
        const key = needer + '/' + need;
        if (troubles.get(key) !== 'bad') troubles.set(key, problem.severity === 'fatal' ? 'bad' : 'warn');
      }
    }
    for (const problem of this.answer.findings || []) {
      if (problem.severity !== 'fatal') continue;
      for (const {needer, need} of this.brokenBindings(problem)) troubles.set(needer + '/' + need, 'bad');
    }
    this.objects.forEach((object) => object.needs.forEach((need, i) => {
      const isLost = need.resolution === 'not found' || need.resolution === 'failed';
      if (isLost && !troubles.has(object.index + '/' + i)) troubles.set(object.index + '/' + i, 'bad');
    }));
    for (const failure of this.answer.failures || []) {
      if (failure.fatal && failure.need < (this.objects[failure.needer] || {needs: []}).needs.length)
        troubles.set(failure.needer + '/' + failure.need, 'bad');
    }
    return troubles;
  }

  /// A version or symbol that an object lacks breaks the line from who needs it, which is where it is seen.
  brokenBindings(problem) {
    if (problem.object === null || problem.requests.length > 0 || this.objects[problem.object] === undefined) return [];
    const paths = new Set(problem.evidence.map((each) => each.path));
    const all = this.needers[problem.object];
    const seen = all.filter(({needer}) => paths.has(this.objects[needer].path));
    return seen.length > 0 ? seen : all.slice(0, 1);
  }

  /// The fatal problems that a request is a part of.
  problemsOf(needer, need) {
    const isIt = (request) => request.needer === needer && request.need === need;
    return (this.answer.findings || [])
        .filter(
            (problem) => problem.severity === 'fatal' &&
                (problem.requests.some(isIt) || this.brokenBindings(problem).some(isIt)));
  }

  name(index) {
    const object = this.objects[index];
    return lastPart(object.path) || object.requested_name || String(this.answer.file);
  }

  /// From the object that was asked about, by whom each was loaded first.
  chain(index) {
    const chain = [];
    for (let at = index; at !== null && at !== undefined && !chain.includes(at); at = this.objects[at].loader)
      chain.unshift(at);
    return chain;
  }

  requestOf(needer, target) {
    return {needer, need: this.objects[needer].needs.findIndex((need) => need.target === target)};
  }

  /// Requests to draw: those with a problem and the chains to them, or all.
  chosenRequests() {
    const requests = new Map();
    const take = (needer, need) => {
      if (need >= 0) requests.set(needer + '/' + need, {needer, need});
    };
    if (this.view === 'problems') {
      let count = 0;
      for (const key of this.troubles.keys()) {
        if (++count > 80) break;
        const [needer, need] = key.split('/').map(Number);
        take(needer, need);
        const chain = this.chain(needer);
        for (let i = 1; i < chain.length; ++i) {
          const step = this.requestOf(chain[i - 1], chain[i]);
          take(step.needer, step.need);
        }
      }
      return [...requests.values()];
    }
    this.objects.forEach((object) => object.needs.forEach((need, i) => {
      if (this.view === 'below' && !this.below.has(object.index)) return;
      if (need.target === null && !this.troubles.has(object.index + '/' + i)) return;
      const isHub = need.target !== null && this.needers[need.target].length > kHub;
      const isFirst = need.target !== null && this.firstNeeder(need.target) === object.index;
      if (!isHub || isFirst || this.hasEveryEdge || this.troubles.has(object.index + '/' + i)) take(object.index, i);
    }));
    return [...requests.values()];
  }

  /// Among those that are drawn: who loaded it, or the first that needs it.
  firstNeeder(index) {
    const loader = this.objects[index].loader;
    if (this.view !== 'below' || this.below.has(loader)) return loader;
    const first = this.needers[index].find((request) => this.below.has(request.needer));
    return first === undefined ? loader : first.needer;
  }

  kindOf(index) {
    const object = this.objects[index];
    if (object.role === 'missing') return 'bad missing';
    return (index === this.root ? 'root ' : '') +
        (this.badObjects().has(index) ? 'bad' :
             object.role === 'loader' ? 'faint' :
                                        '');
  }

  badObjects() {
    if (this.bad === undefined) {
      this.bad = new Set((this.answer.findings || [])
                             .filter((problem) => problem.severity === 'fatal' && problem.object !== null)
                             .map((problem) => problem.object));
    }
    return this.bad;
  }

  /// The box of an object: itself, or its directory while that is collapsed.
  boxOf(index, isCollapsed) {
    const object = this.objects[index];
    const isPlain = object.role === 'library' && index !== this.root && !this.badObjects().has(index);
    const directory = object.path.slice(0, object.path.lastIndexOf('/')) || '/';
    if (!isCollapsed || !isPlain || this.unfolded.has(directory)) return {id: 'o' + index};
    return {id: 'd' + directory, directory};
  }

  graphParts() {
    const requests = this.chosenRequests();
    const drawn = new Set([this.root]);
    for (const {needer, need} of requests) {
      drawn.add(needer);
      const target = this.objects[needer].needs[need].target;
      if (target !== null) drawn.add(target);
    }
    const isCollapsed = drawn.size > kMostDrawn;
    const nodes = new Map();
    const counts = new Map();
    for (const index of drawn) {
      const object = this.objects[index];
      const box = this.boxOf(index, isCollapsed);
      if (box.directory !== undefined) {
        counts.set(box.id, (counts.get(box.id) || 0) + 1);
        nodes.set(box.id, {
          id: box.id,
          label: lastPart(box.directory),
          title: box.directory,
          kind: 'group',
          directory: box.directory,
          note: say('objectsIn', {n: counts.get(box.id)})
        });
        continue;
      }
      const many = this.needers[index].length;
      const note = object.role === 'missing'                            ? say('notFound') :
          many > kHub && !this.hasEveryEdge && this.view !== 'problems' ? say('neededByN', {n: many}) :
                                                                          '';
      nodes.set(
          box.id, {id: box.id, index, label: this.name(index), title: object.path, kind: this.kindOf(index), note});
    }
    const edges = new Map();
    for (const {needer, need} of requests) {
      const record = this.objects[needer].needs[need];
      let to = record.target === null ? null : this.boxOf(record.target, isCollapsed).id;
      if (to === null) {
        to = 'n' + record.name;
        nodes.set(to, {
          id: to,
          label: lastPart(record.name),
          title: record.name,
          kind: 'bad missing',
          note: tell(record.resolution),
          request: {needer, need}
        });
      }
      const from = this.boxOf(needer, isCollapsed).id;
      const kind = (this.troubles.get(needer + '/' + need) || '') + (record.kind === 'dlopen' ? ' later' : '');
      const key = from + ' ' + to;
      const known = edges.get(key);
      if (from !== to && (known === undefined || (kind && !known.kind)))
        edges.set(key, {from, to, kind, request: {needer, need}});
    }
    this.addLost(nodes, edges, isCollapsed);
    return {nodes: [...nodes.values()], edges: [...edges.values()], isCollapsed, count: drawn.size};
  }

  /// What is opened later and is not there.
  addLost(nodes, edges, isCollapsed) {
    for (const later of this.answer.dlopens || []) {
      if ((later.found && !later.dlerror && !later.dlerror_now) || later.importance === 'suggested') continue;
      const shown = later.choices[0];
      const from = later.object === null ? 'o' + this.root : this.boxOf(later.object, isCollapsed).id;
      if (shown === undefined || !nodes.has(from)) continue;
      const id = 'l' + shown.name;
      const kind = later.importance === 'required' ? 'bad' : 'warn';
      nodes.set(id, {
        id,
        label: lastPart(shown.name),
        title: shown.name,
        kind: kind + ' missing',
        note: say('opensLater'),
        later
      });
      edges.set(from + ' ' + id, {from, to: id, kind: kind + ' later', later});
    }
  }

  draw() {
    const parts = this.graphParts();
    this.graph = new Graph(parts.nodes, parts.edges, (what) => this.open(what));
    this.picture.replaceChildren(this.graph.element);
    this.picture.classList.toggle('fit', this.isFitted === true);
    const hasTroubles = this.troubles.size > 0;
    const real = this.objects.filter((object) => object.role !== 'vdso').length;
    const views = [
      hasTroubles ? ['problems', say('viewProblems')] : null,
      this.root !== 0 ? ['below', say('viewBelow', {name: this.name(this.root)})] : null,
      ['all', say('viewAll', {n: real})]
    ].filter(Boolean);
    const choose = (view) => () => {
      this.view = view;
      this.draw();
    };
    const flip = (name, flag, title) => button(say(name), () => {
      this[flag] = !this[flag];
      this.draw();
    }, {'aria-pressed': String(this[flag] === true), title});
    const hasHubs = this.view !== 'problems' && this.needers.some((list) => list.length > kHub);
    const help = parts.isCollapsed ? say('collapsed', {n: parts.count}) : hasLayout() ? say('graphHelp') : '';
    const controls = views.length < 2 ?
        [] :
        views.map(
            ([view, label]) =>
                button(label, choose(view), {'aria-pressed': String(this.view === view), 'data-view': view}));
    if (hasHubs) controls.push(flip('allEdges', 'hasEveryEdge', say('hubs')));
    if (hasLayout()) controls.push(flip('fit', 'isFitted'));
    this.controls.replaceChildren(...controls, el('span', {class: 'dim help'}, help));
    if (this.shown)
      this.markShown();
    else
      this.openFirst(parts);
  }

  /// To where the file that was asked about is drawn.
  scrollToRoot() {
    const box = this.graph.boxes.get('o' + this.root);
    if (!box || !box.getBBox) return;
    const {x, y} = box.getBBox();
    this.picture.scrollTo(Math.max(0, x - 20), Math.max(0, y - this.picture.clientHeight / 2));
  }

  openFirst(parts) {
    const edge =
        parts.edges.find((one) => one.kind.includes('bad')) || parts.edges.find((one) => one.kind.includes('warn'));
    const node = parts.nodes.find((one) => one.index === this.root);
    if (edge)
      this.open({edge});
    else if (node)
      this.open({node});
  }

  open(what) {
    const {node, edge} = what;
    if (node && node.directory !== undefined) {
      this.unfolded.add(node.directory);
      this.shown = null;
      return this.draw();
    }
    if (edge && edge.request)
      this.shown = {request: edge.request};
    else if (edge)
      this.shown = {later: edge.later};
    else if (node.later)
      this.shown = {later: node.later};
    else if (node.request)
      this.shown = {request: node.request};
    else if (this.objects[node.index].role === 'missing' && this.needers[node.index].length > 0)
      this.shown = {request: this.needers[node.index][0]};
    else
      this.shown = {index: node.index};
    return this.tellShown();
  }

  openObject(index) {
    this.shown = {index};
    this.tellShown();
    this.element.scrollIntoView({block: 'nearest'});
  }
  openRequest(needer, need) {
    this.shown = {request: {needer, need}};
    this.tellShown();
    this.element.scrollIntoView({block: 'nearest'});
  }

  markShown() {
    const {request, index, later} = this.shown;
    const edge = this.graph.edges.find(
        (one) =>
            (request && one.request && one.request.needer === request.needer && one.request.need === request.need) ||
            (later && one.later === later));
    const node = this.graph.nodes.find((one) => index !== undefined && one.index === index);
    if (edge)
      this.graph.mark({edge});
    else if (node)
      this.graph.mark({node});
  }

  tellShown() {
    const {request, index, later} = this.shown;
    this.panel.replaceChildren(
        ...(request   ? this.aboutRequest(request) :
                later ? this.aboutLater(later) :
                        this.aboutObject(index)));
    this.panel.scrollTop = 0;
    this.markShown();
  }

  link(index) {
    return button(this.name(index), () => this.openObject(index), {class: 'link', title: this.objects[index].path});
  }

  foundBy(object) {
    if (!object.found) return null;
    const {step, owner, entry, subdirectory} = object.found;
    return [
      tell(step), owner !== null ? [' ', say('of'), ' ', this.link(owner)] : null,
      entry ? el('span', {class: 'dim'}, ' ', entry + (subdirectory || '')) : null
    ];
  }

  aboutRequest({needer, need}) {
    const record = this.objects[needer].needs[need];
    const target = record.target === null ? null : this.objects[record.target];
    const isLost = target === null || target.role === 'missing';
    const chain = this.chain(needer);
    const problems = isLost ? [] : this.problemsOf(needer, need);
    return [
      el('h3', {}, this.link(needer), ' → ',
         isLost ? el('span', {class: 'bad'}, record.name) : this.link(record.target)),
      facts([
        [say('kind'), record.kind === 'needed' ? 'DT_NEEDED' : record.kind],
        [say('written'), record.written !== record.name ? record.written : null],
        [say('resolution'), el('span', {class: isLost ? 'bad' : ''}, tell(record.resolution))],
        [say('path'), isLost ? null : pathText(target.path)],
        [say('foundBy'), isLost ? null : this.foundBy(target)],
        [say('chain'), chain.length > 1 ? chain.map((at, i) => [i > 0 ? ' → ' : null, this.link(at)]) : null],
      ]),
      problems.map(
          (problem) =>
              el('div', {}, el('p', {class: 'bad'}, tellShort(problem.text)),
                 el('ul', {}, problem.evidence.map((each) => el('li', {}, tellShort(each.text)))),
                 lookupOf(problem, this))),
      this.attemptsOf(record, isLost),
    ].flat();
  }

  attemptsOf(record, isLost) {
    if (record.search) return el('div', {}, el('h4', {}, say('attempts')), searchTable(record.search));
    if (this.answer.command === 'scan') {
      const where = this.answer.root === '/' ? '' : `--root ${quoted(this.answer.root)} `;
      const text = `soresolve why ${where}${quoted(this.answer.file)} ${quoted(record.name)}`;
      return el('p', {}, say('searchedBy'), ' ', command(text));
    }
    if (record.attempts.length === 0) return el('p', {class: 'dim'}, say(isLost ? 'noAttemptsLost' : 'noAttempts'));
    const rows = record.attempts.map((attempt, i) => {
      const owner = attempt.owner !== undefined ? [' ', say('of'), ' ', this.link(attempt.owner)] : null;
      const place = attempt.candidate || attempt.directory + attempt.subdirectory || attempt.entry;
      return [
        String(i + 1), [tell(attempt.step), owner],
        attempt.directory && !attempt.directory.startsWith(attempt.entry) ? attempt.entry : '',
        place ? pathText(place) : '',
        el('span', {class: outcomeTone(attempt.outcome)}, tell(attempt.outcome),
           attempt.text ? ': ' + attempt.text : '')
      ];
    });
    return el(
        'div', {}, el('h4', {}, say('attempts')),
        table(['#', say('step'), say('entry'), say('place'), say('outcome')], rows, 'attempts'),
        record.attempts_left_out ? el('p', {class: 'dim'}, say('leftOut', {n: record.attempts_left_out})) : null);
  }

  aboutObject(index) {
    const object = this.objects[index];
    const needers = this.needers[index];
    const chain = this.chain(index);
    return [
      el('h3', {}, this.name(index)),
      facts([
        [say('path'), pathText(object.path)],
        [say('soname'), object.soname !== lastPart(object.path) ? object.soname : null],
        [say('foundBy'), this.foundBy(object)],
        [say('rpath'), object.rpath],
        [say('runpath'), object.runpath],
        [say('chain'), chain.length > 2 ? chain.map((at, i) => [i > 0 ? ' → ' : null, this.link(at)]) : null],
        [say('neededBy'), this.requestLinks(needers, (request) => this.name(request.needer))],
        [
          say('needs'),
          this.requestLinks(
              object.needs.map((need, i) => ({needer: index, need: i})), (request) => object.needs[request.need].name)
        ],
      ]),
    ];
  }

  requestLinks(requests, nameOf) {
    if (requests.length === 0) return null;
    const links =
        requests.map((request) => button(nameOf(request), () => this.openRequest(request.needer, request.need), {
                       class: 'link ' + (this.troubles.get(request.needer + '/' + request.need) || '')
                     }));
    const spaced = (list) => list.map((one, i) => [i > 0 ? ', ' : null, one]);
    if (links.length <= 12) return spaced(links);
    return [spaced(links.slice(0, 10)), folded('… ' + (links.length - 10), spaced(links.slice(10)))];
  }

  aboutLater(later) {
    return [
      el('h3', {}, lastPart(later.opener), ' → ',
         el('span', {class: 'bad'}, later.choices.map((choice) => choice.name).join(', '))),
      facts([
        [say('kind'), 'dlopen'],
        [say('importance'), tell(later.importance)],
        [say('evidence'), [tell(later.evidence), ': ', tell(later.told_by)]],
        [say('resolution'), el('span', {class: 'bad'}, later.dlerror || later.dlerror_now || say('notFound'))],
      ]),
    ];
  }

  render() {
    requestAnimationFrame(() => this.scrollToRoot());
    this.element = el('div', {class: 'map'}, this.controls, el('div', {class: 'split'}, this.picture, this.panel));
    this.draw();
    return section('map', say('map'), this.element);
  }

  /// What the search of the page finds.
  searchable() {
    return this.objects.filter((object) => object.role !== 'vdso')
        .map((object) => ({
               text: object.path + ' ' + (object.soname || ''),
               label: this.name(object.index),
               note: object.path,
               kind: this.kindOf(object.index),
               open: () => {
                 if (object.role === 'missing' && this.needers[object.index].length > 0) {
                   const {needer, need} = this.needers[object.index][0];
                   return this.openRequest(needer, need);
                 }
                 return this.openObject(object.index);
               }
             }));
  }
}
