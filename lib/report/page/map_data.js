// What is known of the link map of one answer (why, tree, check; a file of scan): who needs whom, which requests and
// bindings are broken, and how the loader came to each object. Draws nothing.

class LinkMapData {
  constructor(answer) {
    this.answer = answer;
    this.objects = answer.objects;
    this.problems = answer.problems || [];
    this.opening = answer.openings && answer.openings.length > 0 ? answer.openings[answer.openings.length - 1] : null;
    this.root = this.opening && this.opening.object !== null ? this.opening.object : 0;
    this.byPath = new Map(this.objects.map((object) => [object.path, object.index]));
    this.needers = this.objects.map(() => []);
    this.objects.forEach((object) => object.needs.forEach((need, i) => {
      if (need.target !== null) this.needers[need.target].push({needer: object.index, need: i});
    }));
    this.gaps = this.collectGaps();
    this.troubles = this.collectTroubles();
    this.bad = new Set(this.problems.filter((problem) => problem.severity === 'fatal' && problem.object !== null)
                           .map((problem) => problem.object));
    this.below = this.reachedFrom(this.root);
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

  /// Symbols and versions that `check` found undefined, by referrer and by who had to define them: {from, to, name,
  /// kind, lines}. `to` is null where no object of the map had to.
  collectGaps() {
    const gaps = new Map();
    const add = (referrer, provider, name, isFatal, line) => {
      const from = this.byPath.has(referrer) ? this.byPath.get(referrer) : this.root;
      const to = this.byPath.has(provider) ? this.byPath.get(provider) : null;
      const key = from + '/' + (to === null ? name : to);
      if (!gaps.has(key)) gaps.set(key, {from, to, name, kind: 'warn', lines: []});
      if (isFatal) gaps.get(key).kind = 'bad';
      gaps.get(key).lines.push(line);
    };
    for (const lost of this.answer.undefined || []) {
      const symbol = lost.symbol + (lost.version ? '@' + lost.version : '');
      add(lost.referrer, lost.provider, lost.required_from || symbol, !lost.lazy, symbol);
    }
    for (const lost of this.answer.versions || [])
      add(lost.requirer, lost.provider, lost.version, lost.error, lost.version);
    return [...gaps.values()];
  }

  /// The gap between an object and what one of its needs leads to.
  gapOf(needer, target) {
    return this.gaps.find((gap) => gap.from === needer && gap.to === target);
  }

  /// "needer/need" to the severity of the problem that it is a part of.
  collectTroubles() {
    const troubles = new Map();
    const note = (needer, need, kind) => {
      if (this.objects[needer] === undefined || this.objects[needer].needs[need] === undefined) return;
      if (troubles.get(needer + '/' + need) !== 'bad') troubles.set(needer + '/' + need, kind);
    };
    for (const problem of this.problems) {
      if (problem.severity === 'note') continue;
      for (const {needer, need} of problem.requests) note(needer, need, problem.severity === 'fatal' ? 'bad' : 'warn');
      if (problem.severity !== 'fatal') continue;
      for (const {needer, need} of this.brokenBindings(problem)) note(needer, need, 'bad');
    }
    this.objects.forEach((object) => object.needs.forEach((need, i) => {
      const isLost = need.resolution === 'not found' || need.resolution === 'failed';
      if (isLost && !troubles.has(object.index + '/' + i)) troubles.set(object.index + '/' + i, 'bad');
    }));
    for (const failure of this.answer.failures || [])
      if (failure.fatal) note(failure.needer, failure.need, 'bad');
    for (const gap of this.gaps) {
      gap.need = gap.to === null ? -1 : this.requestOf(gap.from, gap.to).need;
      note(gap.from, gap.need, gap.kind);
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
    return this.problems.filter(
        (problem) =>
            problem.severity === 'fatal' && (problem.requests.some(isIt) || this.brokenBindings(problem).some(isIt)));
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

  kindOf(index) {
    const object = this.objects[index];
    if (object.role === 'missing') return 'bad missing';
    const kind = this.bad.has(index) ? 'bad' : object.role === 'loader' ? 'faint' : '';
    return (index === this.root ? 'root ' : '') + kind;
  }
}
