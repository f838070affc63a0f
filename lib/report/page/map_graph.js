// Which boxes and lines of a link map are drawn. Of a small one all; of a large one the tree in which the loader came
// to the objects: what was asked about, its first needs, all that is broken with its chain. The rest of a branch is one
// box that a click unfolds.

const kMostDrawn = 40;  // beyond it branches are folded
const kFan = 14;        // objects that one click unfolds
const kHub = 6;         // an object that more than so many need is drawn with one line

/// Requests to draw, as {needer, need}: those with a problem and the chains to them, or all.
function chosenRequests(data, view, hasEveryEdge) {
  const requests = new Map();
  const take = (needer, need) => {
    if (need >= 0) requests.set(needer + '/' + need, {needer, need});
  };
  const takeChain = (index) => {
    const chain = data.chain(index);
    for (let i = 1; i < chain.length; ++i) take(chain[i - 1], data.requestOf(chain[i - 1], chain[i]).need);
  };
  if (view === 'problems') {
    for (const key of [...data.troubles.keys()].slice(0, 80)) {
      const [needer, need] = key.split('/').map(Number);
      take(needer, need);
      takeChain(needer);
    }
    for (const gap of data.gaps)
      for (const index of [gap.from, gap.to])
        if (index !== null) takeChain(index);
    return [...requests.values()];
  }
  const firstNeeder = (index) => {
    const loader = data.objects[index].loader;
    if (loader === null && data.needers[index].length > 0) return data.needers[index][0].needer;
    if (view !== 'below' || data.below.has(loader)) return loader;
    const first = data.needers[index].find((request) => data.below.has(request.needer));
    return first === undefined ? loader : first.needer;
  };
  data.objects.forEach((object) => object.needs.forEach((need, i) => {
    const isBroken = data.troubles.has(object.index + '/' + i);
    if (view === 'below' && !data.below.has(object.index)) return;
    if (need.target === null && !isBroken) return;
    const isHub = need.target !== null && data.needers[need.target].length > kHub;
    const isFirst = need.target !== null && firstNeeder(need.target) === object.index;
    if (!isHub || isFirst || hasEveryEdge || isBroken) take(object.index, i);
  }));
  return [...requests.values()];
}

/// The tree in which those objects are reached, breadth first: `parents` of each, and the objects that are shown of it
/// where `unfolded` says how many below each are.
function foldedTree(data, drawn, unfolded) {
  const parents = new Map([[data.root, null]]);
  const below = new Map();
  const grow = (top) => {
    for (const at of [top]) {
      const queue = [at];
      for (const index of queue) {
        for (const need of data.objects[index].needs) {
          if (need.target === null || parents.has(need.target) || !drawn.has(need.target)) continue;
          parents.set(need.target, index);
          queue.push(need.target);
        }
      }
    }
  };
  grow(data.root);
  for (const index of drawn) {
    if (parents.has(index)) continue;
    const loader = data.objects[index].loader;
    parents.set(index, loader !== null && parents.has(loader) ? loader : data.root);
    grow(index);
  }
  const sizes = new Map();
  for (const index of [...parents.keys()].reverse()) {
    const parent = parents.get(index);
    sizes.set(index, (sizes.get(index) || 0) + 1);
    if (parent === null) continue;
    sizes.set(parent, (sizes.get(parent) || 0) + sizes.get(index));
    if (!below.has(parent)) below.set(parent, []);
    below.get(parent).unshift(index);
  }
  const shown = new Set([data.root]);
  for (const [index, count] of unfolded) {
    const order = (below.get(index) || []).slice().sort((a, b) => sizes.get(b) - sizes.get(a) || a - b);
    for (const child of order.slice(0, count)) shown.add(child);
  }
  const show = (index) => {
    for (let at = index; at !== null && at !== undefined && !shown.has(at); at = parents.get(at)) shown.add(at);
  };
  // What is broken, with its chain, until there is enough to see; the rest makes its branch red.
  const broken = [...data.gaps.flatMap((gap) => [gap.from, gap.to]), ...data.bad];
  for (const key of data.troubles.keys()) {
    const [needer, need] = key.split('/').map(Number);
    broken.push(needer, data.objects[needer].needs[need].target);
  }
  for (const index of broken) {
    if (shown.size > kMostDrawn) break;
    if (drawn.has(index)) show(index);
  }
  // What is unfolded below something folded is not shown by itself, nor is a branch of one object folded.
  for (const index of shown) show(parents.get(index));
  const branches = new Map();
  for (const index of drawn) {
    let at = index;
    while (!shown.has(at)) at = parents.get(at);
    if (at !== index) branches.set(at, branches.has(at) ? null : index);
  }
  for (const only of branches.values())
    if (only !== null) shown.add(only);
  return {parents, shown};
}

class MapParts {
  /// `look`: {view, hasEveryEdge, unfolded}, as the buttons of the map have it.
  constructor(data, look) {
    this.data = data;
    this.look = look;
    this.nodes = new Map();
    this.edges = new Map();
    const requests = chosenRequests(data, look.view, look.hasEveryEdge);
    this.drawn = new Set([data.root]);
    for (const {needer, need} of requests) {
      this.drawn.add(needer);
      const target = data.objects[needer].needs[need].target;
      if (target !== null) this.drawn.add(target);
    }
    this.isFolded = this.drawn.size > kMostDrawn;
    if (this.isFolded) {
      if (look.unfolded.size === 0) look.unfolded.set(data.root, kFan);
      this.tree = foldedTree(data, this.drawn, look.unfolded);
    }
    this.broken = new Set([...data.troubles.keys()].map((key) => Number(key.split('/')[0])));
    for (const index of this.drawn) this.addObject(index);
    for (const request of requests) this.addRequest(request);
    this.addGaps();
    this.addLost();
  }

  /// Where an object is drawn: its own box, or that of the branch it is folded into.
  boxOf(index) {
    if (!this.isFolded || this.tree.shown.has(index)) return 'o' + index;
    let at = index;
    while (!this.tree.shown.has(at)) at = this.tree.parents.get(at);
    return 'g' + at;
  }

  addObject(index) {
    const {data, nodes} = this;
    const id = this.boxOf(index);
    if (id.startsWith('g')) {
      const branch = Number(id.slice(1));
      const node = nodes.get(id) || {id, kind: 'group', branch, names: []};
      node.names.push(data.name(index));
      if (data.kindOf(index).includes('bad') || this.broken.has(index)) node.kind = 'group bad';
      node.label = say('moreObjects', {n: node.names.length});
      node.title = node.names.slice(0, 40).join('\n') + (node.names.length > 40 ? '\n…' : '');
      nodes.set(id, node);
      this.edges.set('o' + branch + ' ' + id, {from: 'o' + branch, to: id, kind: '', branch});
      return;
    }
    const object = data.objects[index];
    const many = data.needers[index].length;
    const isHub = many > kHub && !this.look.hasEveryEdge && this.look.view !== 'problems';
    const gap = data.gaps.find((one) => one.to === index);
    const note = object.role === 'missing' ? say('notFound') :
        gap                                ? say('lacks', {n: gap.lines.length}) :
        isHub                              ? say('neededByN', {n: many}) :
                                             '';
    const kind = data.kindOf(index) + (gap ? ' ' + gap.kind : '');
    nodes.set(id, {id, index, label: data.name(index), title: object.path, kind, note});
  }

  addRequest(request) {
    const {data, nodes, edges} = this;
    const record = data.objects[request.needer].needs[request.need];
    const trouble = data.troubles.get(request.needer + '/' + request.need) || '';
    const from = this.boxOf(request.needer);
    const isTree = !this.isFolded || record.target === null || this.tree.parents.get(record.target) === request.needer;
    if (!isTree && !trouble && !this.look.hasEveryEdge) return;
    let to = record.target === null ? null : this.boxOf(record.target);
    if (to === null) {
      to = 'n' + record.name;
      const note = tell(record.resolution);
      nodes.set(
          to, {id: to, label: lastPart(record.name), title: record.name, kind: 'bad missing', note, request: request});
    }
    const kind = trouble + (record.kind === 'dlopen' ? ' later' : '');
    const known = edges.get(from + ' ' + to);
    if (from !== to && (known === undefined || (kind && !known.kind)))
      edges.set(from + ' ' + to, {from, to, kind, request: request});
  }

  /// Symbols that are missing where no DT_NEEDED leads from the referrer to who had to define them.
  addGaps() {
    for (const gap of this.data.gaps) {
      if (gap.need >= 0) continue;
      const from = this.boxOf(this.drawn.has(gap.from) ? gap.from : this.data.root);
      let to = gap.to !== null && this.drawn.has(gap.to) ? this.boxOf(gap.to) : null;
      if (to === null) {
        to = 's' + gap.name;
        const note = say('notDefined');
        this.nodes.set(
            to, {id: to, label: gap.name, title: gap.lines.join('\n'), kind: gap.kind + ' missing', note, gap});
      }
      this.edges.set(from + ' ' + to, {from, to, kind: gap.kind, gap});
    }
  }

  /// What is opened later and is not there.
  addLost() {
    for (const later of this.data.answer.dlopens || []) {
      if ((later.found && !later.dlerror && !later.dlerror_now) || later.importance === 'suggested') continue;
      const shown = later.choices[0];
      const from =
          later.object === null || !this.drawn.has(later.object) ? 'o' + this.data.root : this.boxOf(later.object);
      if (shown === undefined || !this.nodes.has(from)) continue;
      const id = 'l' + shown.name;
      const kind = later.importance === 'required' ? 'bad' : 'warn';
      const note = say('opensLater');
      this.nodes.set(id, {id, label: lastPart(shown.name), title: shown.name, kind: kind + ' missing', note, later});
      this.edges.set(from + ' ' + id, {from, to: id, kind: kind + ' later', later});
    }
  }
}
