// The link map of one answer as the page shows it: the picture, its buttons, and the panel beside it that says what is
// known of the box or line that is chosen. It opens whole; what is broken and what was asked about stand out.

class LinkMapView {
  constructor(answer) {
    this.data = new LinkMapData(answer);
    this.answer = answer;
    this.objects = answer.objects;
    this.needers = this.data.needers;
    this.root = this.data.root;
    const {troubles, gaps} = this.data;
    this.look = {
      view: troubles.size + gaps.length > 0 ? 'problems' :
          this.root !== 0                   ? 'below' :
                                              'all',
      hasEveryEdge: false,
      unfolded: new Map()
    };
    this.isFitted = true;
    this.panel =
        el('div', {class: 'panel', tabindex: 0, role: 'region', 'aria-live': 'polite', 'aria-label': say('chosen')});
    this.picture = el('div', {class: 'picture', tabindex: 0, role: 'region', 'aria-label': say('map')});
    this.controls = el('div', {class: 'controls'});
    this.about = new MapPanel(this);
  }

  name(index) {
    return this.data.name(index);
  }
  kindOf(index) {
    return this.data.kindOf(index);
  }
  reachedFrom(index) {
    return this.data.reachedFrom(index);
  }
  requestLinks(requests, nameOf) {
    return this.about.requestLinks(requests, nameOf);
  }

  draw() {
    const parts = new MapParts(this.data, this.look);
    const nodes = [...parts.nodes.values()];
    const edges = [...parts.edges.values()];
    this.graph = new Graph(nodes, edges, (what) => this.open(what));
    this.picture.replaceChildren(this.graph.element);
    this.picture.classList.toggle('fit', this.isFitted);
    const {look, data} = this;
    const real = this.objects.filter((object) => object.role !== 'vdso').length;
    const views = [
      data.troubles.size + data.gaps.length > 0 ? ['problems', say('viewProblems')] : null,
      this.root !== 0 ? ['below', say('viewBelow', {name: this.name(this.root)})] : null,
      ['all', say('viewAll', {n: real})]
    ].filter(Boolean);
    const choose = (view) => () => {
      look.view = view;
      look.unfolded.clear();
      this.draw();
      this.controls.querySelector(`[data-view="${view}"]`).focus();
    };
    const flip = (name, object, flag, title) => button(say(name), () => {
      object[flag] = !object[flag];
      this.draw();
      this.controls.querySelector(`[data-flag="${flag}"]`).focus();
    }, {'aria-pressed': String(object[flag]), 'data-flag': flag, title});
    const hasHubs = parts.isFolded || (look.view !== 'problems' && this.needers.some((list) => list.length > kHub));
    const help = parts.isFolded ? say('branches', {n: parts.drawn.size}) : hasLayout() ? say('graphHelp') : '';
    const controls = views.length < 2 ?
        [] :
        views.map(
            ([view, label]) =>
                button(label, choose(view), {'aria-pressed': String(look.view === view), 'data-view': view}));
    if (hasHubs) controls.push(flip('allEdges', look, 'hasEveryEdge', say('hubs')));
    if (hasLayout()) controls.push(flip('fit', this, 'isFitted'));
    this.controls.replaceChildren(...controls, el('span', {class: 'dim help'}, help));
    if (!this.isFitted) this.scrollToRoot();
    if (this.shown)
      this.markShown();
    else
      this.openFirst(nodes, edges);
  }

  /// To where the file that was asked about is drawn.
  scrollToRoot() {
    const box = this.graph.boxes.get('o' + this.root);
    if (!box || !box.getBBox) return;
    const {x, y} = box.getBBox();
    this.picture.scrollTo(Math.max(0, x - 20), Math.max(0, y - this.picture.clientHeight / 2));
  }

  openFirst(nodes, edges) {
    const edge = edges.find((one) => one.kind.includes('bad')) || edges.find((one) => one.kind.includes('warn'));
    const node = nodes.find((one) => one.index === this.root);
    if (edge)
      this.open({edge});
    else if (node)
      this.open({node});
  }

  open(what) {
    const {node, edge} = what;
    const branch = node ? node.branch : edge.branch;
    if (branch !== undefined) {
      const {unfolded} = this.look;
      unfolded.set(branch, (unfolded.get(branch) || 0) + kFan);
      this.draw();
      return this.graph.focus('o' + branch);
    }
    if (edge && edge.gap)
      this.shown = {gap: edge.gap};
    else if (edge && edge.request)
      this.shown = {request: edge.request};
    else if (edge)
      this.shown = {later: edge.later};
    else if (node.later)
      this.shown = {later: node.later};
    else if (node.gap)
      this.shown = {gap: node.gap};
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
    const {request, index, later, gap} = this.shown;
    const edge = this.graph.edges.find(
        (one) =>
            (request && one.request && one.request.needer === request.needer && one.request.need === request.need) ||
            (later && one.later === later) || (gap && one.gap === gap));
    const node = this.graph.nodes.find((one) => index !== undefined && one.index === index);
    if (edge)
      this.graph.mark({edge});
    else if (node)
      this.graph.mark({node});
  }

  tellShown() {
    const {request, index, later, gap} = this.shown;
    const {about} = this;
    this.panel.replaceChildren(
        ...(request   ? about.aboutRequest(request) :
                later ? about.aboutLater(later) :
                gap   ? about.aboutGap(gap) :
                        about.aboutObject(index)));
    this.panel.scrollTop = 0;
    this.markShown();
  }

  link(index) {
    return button(this.name(index), () => this.openObject(index), {class: 'link', title: this.objects[index].path});
  }

  render() {
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
