// A layered graph as SVG, by dagre (Debian's node-dagre-layout); without it, or where nothing is to be drawn, an
// indented list of the same nodes and edges.
//
// Nodes: {id, label, note, kind}; edges: {from, to, kind, data}. Kinds are classes of page.css: "bad" stands out.

const kFont = 12;
const measure = document.createElement('canvas').getContext('2d');

function widthOf(text, isSmall) {
  measure.font = (isSmall ? kFont - 2 : kFont) + 'px ' + getComputedStyle(document.body).fontFamily;
  return measure.measureText(visible(text)).width;
}

/// The beginning and the end of a long name.
function shortened(text, most = 34) {
  const seen = visible(text);
  return seen.length <= most ? seen : seen.slice(0, most - 15) + '…' + seen.slice(-14);
}

function hasLayout() {
  return typeof dagre !== 'undefined';
}

function layered(nodes, edges) {
  const graph = new dagre.graphlib.Graph({multigraph: true});
  graph.setGraph({
    rankdir: 'LR',
    nodesep: 10,
    ranksep: 56,
    edgesep: 6,
    marginx: 8,
    marginy: 8,
    ranker: nodes.length > 80 ? 'tight-tree' : 'network-simplex'
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) {
    const label = shortened(node.label);
    const note = node.note ? shortened(node.note) : '';
    graph.setNode(node.id, {
      node,
      label,
      note,
      width: Math.ceil(Math.max(widthOf(label), widthOf(note, true))) + 20,
      height: note ? 38 : 24
    });
  }
  edges.forEach((edge, i) => {
    if (edge.from !== edge.to && graph.hasNode(edge.from) && graph.hasNode(edge.to))
      graph.setEdge(edge.from, edge.to, {edge}, 'e' + i);
  });
  dagre.layout(graph);
  return graph;
}

function curve(points) {
  let path = `M${points[0].x},${points[0].y}`;
  for (let i = 1; i < points.length - 1; ++i) {
    const middle = {x: (points[i].x + points[i + 1].x) / 2, y: (points[i].y + points[i + 1].y) / 2};
    const end = i === points.length - 2 ? points[i + 1] : middle;
    path += `Q${points[i].x},${points[i].y} ${end.x},${end.y}`;
  }
  return points.length === 2 ? path + `L${points[1].x},${points[1].y}` : path;
}

class Graph {
  /// `open` is called with {node} or {edge}.
  constructor(nodes, edges, open) {
    this.nodes = nodes;
    this.edges = edges;
    this.open = open;
    this.boxes = new Map();
    this.lines = new Map();
    this.element = hasLayout() ? this.picture() : this.outline();
  }

  picture() {
    const graph = layered(this.nodes, this.edges);
    const size = graph.graph();
    const drawing =
        svg('svg', {
          class: 'graph',
          width: Math.ceil(size.width) || 10,
          height: Math.ceil(size.height) || 10,
          viewBox: `0 0 ${Math.ceil(size.width) || 10} ${Math.ceil(size.height) || 10}`,
          role: 'group',
          'aria-label': say('map')
        },
            svg('defs', {},
                ['plain', 'bad', 'warn'].map(
                    (kind) =>
                        svg('marker', {
                          id: 'arrow-' + kind,
                          class: 'arrow ' + kind,
                          viewBox: '0 0 8 8',
                          refX: 7,
                          refY: 4,
                          markerWidth: 7,
                          markerHeight: 7,
                          orient: 'auto-start-reverse'
                        },
                            svg('path', {d: 'M0,0L8,4L0,8z'})))));
    const plainFirst = graph.edges().sort((a, b) => this.rank(graph.edge(a).edge) - this.rank(graph.edge(b).edge));
    for (const key of plainFirst) {
      const {edge, points} = graph.edge(key);
      const path = curve(points);
      const arrow = ['bad', 'warn'].find((kind) => (edge.kind || '').split(' ').includes(kind)) || 'plain';
      const line =
          svg('g', {class: 'edge ' + (edge.kind || '')},
              svg('path', {class: 'line', d: path, 'marker-end': `url(#arrow-${arrow})`}),
              svg('path', {class: 'touch', d: path, onclick: () => this.open({edge})}));
      this.lines.set(edge, line);
      drawing.append(line);
    }
    for (const id of graph.nodes()) drawing.append(this.box(graph.node(id)));
    this.layout = graph;
    return drawing;
  }

  rank(edge) {
    return (edge.kind || '').includes('bad') ? 2 : (edge.kind || '').includes('warn') ? 1 : 0;
  }

  box(at) {
    const left = at.x - at.width / 2;
    const top = at.y - at.height / 2;
    const box =
        svg('g', {
          class: 'node ' + (at.node.kind || ''),
          tabindex: this.boxes.size === 0 ? 0 : -1,
          role: 'button',
          'aria-label': at.node.label + (at.node.note ? ', ' + at.node.note : ''),
          'data-id': at.node.id,
          onclick: () => this.open({node: at.node}),
          onkeydown: (event) => this.key(event, at.node)
        },
            svg('title', {}, at.node.title || at.node.label),
            svg('rect', {x: left, y: top, width: at.width, height: at.height, rx: 3}),
            svg('text', {x: at.x, y: at.note ? at.y - 3 : at.y + 4}, at.label),
            at.note ? svg('text', {class: 'note', x: at.x, y: at.y + 12}, at.note) : null);
    this.boxes.set(at.node.id, box);
    return box;
  }

  /// Right: what it needs; left: who needs it; up and down: its neighbours in the column.
  key(event, node) {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      return this.open({node});
    }
    const here = this.layout.node(node.id);
    const all = this.layout.nodes().map((id) => this.layout.node(id));
    const isSame = (at) => Math.abs(at.x - here.x) < (at.width + here.width) / 2;
    const near = {
      ArrowRight: this.edges.filter((edge) => edge.from === node.id).map((edge) => this.layout.node(edge.to)),
      ArrowLeft: this.edges.filter((edge) => edge.to === node.id).map((edge) => this.layout.node(edge.from)),
      ArrowDown: all.filter((at) => isSame(at) && at.y > here.y),
      ArrowUp: all.filter((at) => isSame(at) && at.y < here.y),
    }[event.key];
    if (near === undefined) return undefined;
    event.preventDefault();
    const next = near.filter(Boolean).sort((a, b) => Math.abs(a.y - here.y) - Math.abs(b.y - here.y))[0];
    return next === undefined ? undefined : this.focus(next.node.id);
  }

  focus(id) {
    for (const box of this.boxes.values()) box.setAttribute('tabindex', '-1');
    const box = this.boxes.get(id);
    if (box === undefined) return;
    box.setAttribute('tabindex', '0');
    box.focus();
  }

  /// Marks what is told of beside the graph.
  mark(what) {
    for (const box of this.boxes.values()) box.classList.remove('chosen');
    for (const line of this.lines.values()) line.classList.remove('chosen');
    const chosen = what.edge ? this.lines.get(what.edge) : what.node && this.boxes.get(what.node.id);
    if (chosen) chosen.classList.add('chosen');
    if (what.edge)
      for (const id of [what.edge.from, what.edge.to]) {
        const box = this.boxes.get(id);
        if (box) box.classList.add('chosen');
      }
  }

  outline() {
    const byId = new Map(this.nodes.map((node) => [node.id, node]));
    const needed = new Set(this.edges.filter((edge) => edge.from !== edge.to).map((edge) => edge.to));
    const seen = new Set();
    const item = (node, edge) => {
      const isNew = !seen.has(node.id);
      seen.add(node.id);
      const below = isNew ? this.edges.filter((next) => next.from === node.id && byId.has(next.to)) : [];
      const box = button(node.label, () => this.open(edge ? {edge} : {node}), {class: 'node ' + (node.kind || '')});
      if (isNew) this.boxes.set(node.id, box);
      if (edge) this.lines.set(edge, box);
      return el(
          'li', {class: edge ? edge.kind : ''}, box, node.note ? el('span', {class: 'dim'}, ' ' + node.note) : null,
          below.length > 0 ? el('ul', {}, below.map((next) => item(byId.get(next.to), next))) : null);
    };
    const tops = this.nodes.filter((node) => !needed.has(node.id));
    const list =
        el('ul', {class: 'outline'}, (tops.length > 0 ? tops : this.nodes.slice(0, 1)).map((node) => item(node)));
    return el('div', {}, el('p', {class: 'dim'}, say('graphOff')), list);
  }
}
