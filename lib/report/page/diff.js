// Two roots side by side (diff): causes, link maps, packages, files and the machine, A on the left and B on the right.

/// Rows are {a, b, kind, what}: `kind` "same", or what differs.
function sides(rows, what) {
  const cell = (content, tone) => content ? el('span', {class: tone}, content) : el('span', {class: 'dim'}, '–');
  const made = rows.map((row) => {
    const isSame = row.kind === 'same';
    const cells = [cell(row.a, isSame ? 'dim' : 'bad'), cell(row.b, isSame ? 'dim' : 'good')];
    if (what) cells.unshift(row.what);
    return cells;
  });
  return table([...(what ? [what] : []), 'A', 'B'], made, 'sides');
}

function sideFile(path, layer) {
  if (!path) return null;
  return layer ? [pathText(path), el('div', {class: 'dim'}, layerTitle(layer.number, layer))] : pathText(path);
}

function stepRows(step) {
  return step.value_a || step.value_b ? [{a: step.value_a, b: step.value_b, kind: step.by}] : [];
}

function requestRows(requests) {
  return requests.map((one) => ({
                        what: [one.name, one.needer ? el('div', {class: 'dim'}, lastPart(one.needer)) : null],
                        a: one.path_a && pathText(one.path_a),
                        b: one.path_b && pathText(one.path_b),
                        kind: one.change
                      }));
}

/// `requests`: answered differently for this cause.
function causeCard(step, requests, more) {
  return el(
      'article', {class: 'problem warn'},
      el('h3', {}, el('span', {class: 'code warn'}, step.by), ' ', tell(step.what)),
      stepRows(step).length > 0 ? sides(stepRows(step)) : null, requests.length > 0 ? sides(requestRows(requests), say('name')) : null,
      step.layer ? el('p', {class: 'dim'}, step.layer.side, ': ', layerWords(step.layer)) : null,
      step.also ? el('p', {class: 'dim'}, tell(step.also)) : null, more);
}

function fixOf(fix) {
  if (!fix) return null;
  return el('div', {}, fix.commands.length > 0 ? command(fix.commands) : null, el('p', {class: 'dim'}, tell(fix.text)));
}

function comparedFile(file, isAlone) {
  const differing = file.objects.filter((object) => object.change !== 'same');
  const rows = (objects) => sides(objects.map((object) => ({
                                                 what: lastPart(object.name),
                                                 a: sideFile(object.path_a, object.layer_a),
                                                 b: sideFile(object.path_b, object.layer_b),
                                                 kind: object.change
                                               })),
                                  say('name'));
  const verdicts = sides(
      [{
        a: [file.verdict_a ? verdictWord(file.verdict_a) : say('notThere'), file.prints_a ? code(file.prints_a) : null],
        b: [file.verdict_b ? verdictWord(file.verdict_b) : say('notThere'), file.prints_b ? code(file.prints_b) : null],
        kind: file.verdict_a === file.verdict_b && file.prints_a === file.prints_b ? 'same' : 'verdict'
      }]);
  const same = file.objects.length - differing.length;
  return [
    section('file', file.file, verdicts, isAlone ? null : fixOf(file.fix)),
    file.causes.length > 0 ?
        section(
            'causes', `${say('causes')} (${file.causes.length})`,
            file.causes.map(
                (cause) => causeCard(
                    cause.step, cause.decided,
                    cause.derived.length > 0 ?
                        foldedLater(
                            say('follows', {n: cause.derived.length}),
                            () => [sides(requestRows(cause.derived), say('name'))]) :
                        null))) :
        null,
    section(
        'objects', say('map'), differing.length > 0 ? rows(differing) : null,
        same > 0 ? foldedLater(say('sameObjects', {n: same}), () => [rows(file.objects)]) : null),
    file.bindings.length > 0 ?
        section('bindings', say('bindings'), sides(file.bindings.map((moved) => ({
                                                                what: [
                                                                  lastPart(moved.referrer),
                                                                  el('div', {class: 'dim'},
                                                                     say('symbolCount', {n: moved.count}) + ': ' +
                                                                         moved.symbols.join(', '))
                                                                ],
                                                                a: moved.provider_a && pathText(moved.provider_a),
                                                                b: moved.provider_b && pathText(moved.provider_b),
                                                                kind: 'moved'
                                                              })),
                                                   say('referrer'))) :
        null,
    file.problems.length > 0 ?
        section('problems', say('problems'), sides(file.problems.map((problem) => ({
                                                                a: problem.side === 'A' && tell(problem.what),
                                                                b: problem.side === 'B' && tell(problem.what),
                                                                what: problem.code,
                                                                kind: 'problem'
                                                              })),
                                                   say('problemCode'))) :
        null,
  ];
}

function packageTable(packages) {
  return table(
      [say('package'), 'A', 'B', say('files'), say('processes')],
      packages.map((one) => [
        el('span', {class: one.now_fails > 0 ? 'bad' : ''}, one.name), one.version_a || '–',
        [one.version_b || '–', one.name_b !== one.name ? el('span', {class: 'dim'}, ` (${one.name_b})`) : null],
        String(one.files), one.processes > 0 ? String(one.processes) : ''
      ]));
}

function comparedTree(tree) {
  const most = 2000;
  const layers = new Map((tree.file_layers || []).map((one) => [one.path, one]));
  const fileRows = (paths, inA, inB) => paths.slice(0, most).map((path) => {
    const layer = layers.get(path) || {};
    return {
      a: inA && sideFile(path, layer.layer_a), b: inB && sideFile(path, layer.layer_b),
      kind: inA && inB ? 'other-content' : 'lone'
    };
  });
  const list = (title, paths, make) =>
      paths.length > 0 ? foldedLater(`${say(title)} (${paths.length})`, () => [make(paths)]) : null;
  const names = (paths) => el('ul', {}, paths.slice(0, most).map((path) => el('li', {}, pathText(path))));
  const ofPackages = tree.causes.slice(1).filter((cause) => cause.package !== null);
  const alone = tree.causes.filter((cause, i) => i === 0 || cause.package === null);
  const cards = (causes) => causes.map(
      (cause) => causeCard(
          cause.step, [cause.first],
          [
            fixOf(cause.fix),
            foldedLater(say('processCount', {n: cause.files.length}), () => [names(cause.files)]),
          ]));
  return [
    section(
        'causes', `${say('causes')} (${tree.causes.length})`, cards(alone.slice(0, 50)),
        alone.length > 50 ? foldedLater(say('more', {n: alone.length - 50}), () => cards(alone.slice(50))) : null,
        ofPackages.length > 0 ?
            foldedLater(say('causesOfPackages', {n: ofPackages.length}), () => cards(ofPackages.slice(0, most))) :
            null),
    tree.packages.length > 0 ?
        section('packages', `${say('changedPackages')} (${tree.packages.length})`, packageTable(tree.packages)) :
        null,
    section(
        'files', say('files'), list('failsInB', tree.now_fails, names), list('worksInB', tree.now_works, names),
        list('onlyInA', tree.went, (paths) => sides(fileRows(paths, true, layers.size > 0))),
        list('onlyInB', tree.came, (paths) => sides(fileRows(paths, false, true))),
        list('otherContent', tree.changed, (paths) => sides(fileRows(paths, true, true)))),
  ];
}

function diffSections(answer) {
  const isAlone = answer.files.length === 1;
  return {
    parts: [
      answer.files.map((file) => comparedFile(file, isAlone)),
      answer.tree ? comparedTree(answer.tree) : null,
      answer.machine.length > 0 ?
          section('machine', say('machine'), sides(answer.machine.map((one) => ({
                                                                 what: one.check,
                                                                 a: one.a.map((seen) => el('div', {}, tell(seen))),
                                                                 b: one.b.map((seen) => el('div', {}, tell(seen))),
                                                                 kind: 'seen'
                                                               })),
                                                   say('checkName'))) :
          null,
    ],
    items: [],
  };
}
