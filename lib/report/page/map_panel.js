// Beside the link map: what is known of the box or line that is chosen; of a request every attempt of its search, in
// ld.so's order.

/// `view` is the LinkMapView; links in the panel lead to other boxes and lines of it.
class MapPanel {
  constructor(view) {
    this.view = view;
    this.data = view.data;
  }

  link(index) {
    return this.view.link(index);
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
    const record = this.data.objects[needer].needs[need];
    const target = record.target === null ? null : this.data.objects[record.target];
    const isLost = target === null || target.role === 'missing';
    const chain = this.data.chain(needer);
    const problems = isLost ? [] : this.data.problemsOf(needer, need);
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
                 lookupOf(problem, this.view))),
      isLost ? null : this.gapList(this.data.gapOf(needer, record.target)),
      this.attemptsOf(record, isLost),
    ].flat()
        .filter(Boolean);
  }

  attemptsOf(record, isLost) {
    if (record.search) return el('div', {}, el('h4', {}, say('attempts')), searchTable(record.search));
    if (this.data.answer.command === 'scan') {
      const where = this.data.answer.root === '/' ? '' : `--root ${quoted(this.data.answer.root)} `;
      const text = `soresolve why ${where}${quoted(this.data.answer.file)} ${quoted(record.name)}`;
      return el('p', {}, say('searchedBy'), ' ', command(text));
    }
    if (record.attempts.length === 0) return el('p', {class: 'dim'}, say(isLost ? 'noAttemptsLost' : 'noAttempts'));
    const attempts = record.attempts.map((attempt) => {
      const owner = attempt.owner !== undefined ? [' ', say('of'), ' ', this.link(attempt.owner)] : null;
      return {
        group: [attempt.step, attempt.owner, attempt.entry, attempt.directory].join('\n'),
        step: [tell(attempt.step), owner],
        entry: attempt.directory && !attempt.directory.startsWith(attempt.entry) ? attempt.entry : '',
        place: attempt.candidate || attempt.directory + attempt.subdirectory || attempt.entry,
        outcome: attempt.outcome,
        text: attempt.text
      };
    });
    return el(
        'div', {}, el('h4', {}, say('attempts')), attemptsTable(attempts),
        record.attempts_left_out ? el('p', {class: 'dim'}, say('leftOut', {n: record.attempts_left_out})) : null);
  }

  gapList(gap) {
    return gap ?
        el('div', {}, el('h4', {}, say('notDefined')), el('ul', {}, gap.lines.map((line) => el('li', {}, line)))) :
        null;
  }

  aboutGap(gap) {
    return [
      el('h3', {}, this.link(gap.from), ' → ',
         gap.to === null ? el('span', {class: 'bad'}, gap.name) : this.link(gap.to)),
      this.gapList(gap)
    ];
  }

  aboutObject(index) {
    const object = this.data.objects[index];
    const needers = this.data.needers[index];
    const chain = this.data.chain(index);
    return [
      el('h3', {}, this.data.name(index)),
      facts([
        [say('path'), pathText(object.path)],
        [say('soname'), object.soname !== lastPart(object.path) ? object.soname : null],
        [say('foundBy'), this.foundBy(object)],
        [say('layer'), object.layer ? layerTitle(object.layer.number, object.layer) : null],
        [say('rpath'), object.rpath],
        [say('runpath'), object.runpath],
        [say('chain'), chain.length > 2 ? chain.map((at, i) => [i > 0 ? ' → ' : null, this.link(at)]) : null],
        [say('neededBy'), this.requestLinks(needers, (request) => this.data.name(request.needer))],
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
        requests.map((request) => button(nameOf(request), () => this.view.openRequest(request.needer, request.need), {
                       class: 'link ' + (this.data.troubles.get(request.needer + '/' + request.need) || '')
                     }));
    const spaced = (list) =>
        list.map((one, i) => [el('span', {class: 'item'}, one, i + 1 < list.length ? ',' : null), ' ']);
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
}
