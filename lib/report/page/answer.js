// The sections of one answer: of why, tree, check, doctor and gpu. Each shows what its data has; what it has not is
// left out.

const kTones = {
  works: 'good',
  ok: 'good',
  pass: 'good',
  fails: 'bad',
  fail: 'bad',
  depends: 'warn',
  warn: 'warn',
  partly: 'warn',
  untried: 'dim',
  skip: 'dim'
};

function verdictWord(verdict) {
  return el('span', {class: kTones[verdict] || ''}, verdict in kWords ? say(verdict) : tell(verdict));
}

function problemCard(problem, map) {
  const requests = map === null ?
      [] :
      problem.requests.filter(
          ({needer, need}) => map.objects[needer] !== undefined && map.objects[needer].needs[need] !== undefined);
  const evidence = problem.evidence.map(
      (each) =>
          el('li', {}, tellShort(each.text),
             each.path && !each.text.includes(lastPart(each.path)) ? [' ', pathText(each.path)] : null,
             each.offset !== null && !each.text.includes(String(each.offset)) ?
                 el('span', {class: 'dim'}, ' ' + say('atOffset', {n: '0x' + each.offset.toString(16)})) :
                 null,
             each.line !== null ? el('span', {class: 'dim'}, ' ' + say('atLine', {n: each.line})) : null));
  const packages = problem.packages.map(
      (owned) =>
          el('div', {}, `${owned.package.name} ${owned.package.version || ''} `,
             el('span', {class: 'dim'}, lastPart(owned.path))));
  const candidates = problem.candidates.map(
      (candidate) =>
          [el('span', {class: candidate.serves ? 'good' : 'bad'}, say(candidate.serves ? 'yes' : 'no')),
           pathText(candidate.path),
           candidate.package ? `${candidate.package.name} ${candidate.package.version || ''}` : tell(candidate.place),
           [tellShort(candidate.reason), candidate.foreign ? '; ' + tell(candidate.foreign) : null]]);
  const tone = problem.severity === 'fatal' ? 'bad' : problem.severity === 'warning' ? 'warn' : 'dim';
  return el(
      'article', {class: 'problem ' + tone},
      el('h3', {}, el('span', {class: 'code ' + tone}, problem.code), ' ', tellShort(problem.text)), facts([
        [say('neededBy'), map === null ? null : map.requestLinks(requests, (request) => map.name(request.needer))],
        [say('proof'), evidence.length > 0 ? el('ul', {}, evidence) : null],
        [say('packages'), packages],
        [say('layers'), layerList(problem.layers)],
        [
          say('elsewhere'),
          candidates.length > 0 ? table([say('fits'), say('path'), say('package'), say('reason')], candidates) : null
        ],
        ['', problem.candidates_note ? el('span', {class: 'dim'}, tell(problem.candidates_note)) : null],
        [
          say('loaderPrints'),
          problem.loader_prints || problem.dlerror ? code(problem.loader_prints || problem.dlerror) : null
        ],
      ]));
}

function problemsSection(problems, map) {
  const grave = problems.filter((problem) => problem.severity !== 'note');
  const notes = problems.filter((problem) => problem.severity === 'note');
  if (problems.length === 0) return null;
  const shown = 12;
  return section(
      'problems', say('problems') + (grave.length > 0 ? ` (${grave.length})` : ''),
      grave.slice(0, shown).map((problem) => problemCard(problem, map)),
      grave.length > shown ?
          folded(`… ${grave.length - shown}`, grave.slice(shown).map((problem) => problemCard(problem, map))) :
          null,
      notes.length > 0 ?
          folded(`${say('notes')} (${notes.length})`, notes.map((problem) => problemCard(problem, map))) :
          null);
}

function fixesSection(remedies) {
  if (!remedies || remedies.length === 0) return null;
  const rows = remedies.map(
      (remedy, i) =>
          [String(i + 1), verdictWord(remedy.verdict),
           [
             remedy.commands.length > 0 ? command(remedy.commands) : null, el('div', {class: 'dim'}, tell(remedy.text)),
             remedy.loader_prints ? el('div', {}, code(remedy.loader_prints)) : null,
             remedy.reason ? el('div', {}, tell(remedy.reason)) : null,
             remedy.foreign ? el('div', {}, tell(remedy.foreign)) : null,
             remedy.also.length > 0 ? el('div', {}, say('alsoChanges'), ': ', remedy.also.map(tell).join('; ')) : null
           ],
           tell(remedy.checked)]);
  return section('fixes', say('fixes'), table(['#', say('verdict'), say('fix'), say('checked')], rows));
}

function laterSection(dlopens) {
  if (!dlopens || dlopens.length === 0) return null;
  const isGood = (later) => later.found && !later.dlerror && !later.dlerror_now;
  const rows = (list) => list.map(
      (later) =>
          [lastPart(later.opener), later.choices.map((choice, i) => [i > 0 ? ', ' : null, choice.name]),
           tell(later.importance),
           el('span',
              {class: isGood(later)                 ? 'good' :
                   later.importance === 'suggested' ? 'dim' :
                                                      'bad'},
              later.dlerror || later.dlerror_now || (later.found ? tell('loaded') : say('notFound'))),
           [tell(later.evidence), later.told_by ? ': ' + tell(later.told_by) : null]]);
  const heads = [say('opener'), say('library'), say('importance'), say('result'), say('evidence')];
  const bad = dlopens.filter((later) => !isGood(later));
  const good = dlopens.filter(isGood);
  return section(
      'later', `${say('later')} (${dlopens.length})`, bad.length > 0 ? table(heads, rows(bad)) : null,
      good.length > 0 ? folded(say('goodLater', {n: good.length}), table(heads, rows(good))) : null);
}

function objectsSection(answer, map) {
  const listed = new Set(answer.list);
  const order = answer.list.concat(answer.objects.map((object) => object.index).filter((index) => !listed.has(index)))
                    .filter((index) => answer.objects[index].role !== 'vdso');
  const places = new Map(order.map((index, i) => [index, i + 1]));
  const list = new LongList(say('objects'), (index) => {
    const object = answer.objects[index];
    return el(
        'div', {class: 'object-row ' + map.kindOf(index)}, el('span', {class: 'number'}, String(places.get(index))),
        el('span', {}, pathText(object.path || object.requested_name)),
        el('span', {class: 'dim'},
           object.role === 'missing' ? say('notFound') :
               object.found          ? tell(object.found.step) :
                                       ''),
        el('span', {class: 'dim'},
           map.needers[index].length > 0 ? say('neededByN', {n: map.needers[index].length}) : ''));
  }, (index) => map.openObject(index));
  list.show(order);
  return section('objects', `${say('objects')} (${list.items.length})`, list.element);
}

function importSection(imported) {
  if (!imported) return null;
  const rows = imported.steps.map(
      (step) =>
          [step.module || '', pathText(step.file),
           el('span', {class: step.failure ? 'bad' : 'good'}, step.failure || tell('loaded')), step.source]);
  const lost = rows.filter((row, i) => imported.steps[i].failure);
  const heads = [say('module'), say('path'), say('result'), say('evidence')];
  return section(
      'import', `${say('steps')} (${rows.length})`, lost.length > 0 ? table(heads, lost) : null,
      folded(
          say('goodLater', {n: rows.length - lost.length}),
          table(heads, rows.filter((row, i) => !imported.steps[i].failure))),
      imported.limits.map((limit) => el('p', {class: 'dim'}, tell(limit))));
}

function worldSection(answer) {
  const world = answer.world;
  if (!world) return null;
  const assumed = answer.assumed ?
      [tell(answer.assumed.text), el('ul', {}, answer.assumed.evidence.map((each) => el('li', {}, tell(each))))] :
      null;
  return section('world', say('world'), facts([
                   [say('assumed'), assumed],
                   [say('loader'), [pathText(world.loader), ` (glibc ${world.glibc}, ${world.target})`]],
                   [say('cache'), world.cache_problem || world.cache || say('none')],
                   [say('cpu'), world.cpu],
                   [say('cwd'), world.cwd],
                   [
                     say('environment'),
                     world.environment.length > 0 ? world.environment.map((entry) => el('div', {}, entry)) : say('none')
                   ],
                   [say('driver'), world.driver ? world.driver.notes.map((note) => el('div', {}, tell(note))) : null],
                   [say('notes'), (answer.notes || []).map((note) => el('div', {}, tell(note)))],
                 ]));
}

/// What `check` says beyond problems.
function checkSections(answer) {
  const missing = answer.missing.map(
      (lost) => [lost.name, lost.text, lost.needed_by.filter(Boolean).map((path) => el('div', {}, pathText(path)))]);
  const versions = answer.versions.map(
      (gap) =>
          [gap.version, gap.provider && pathText(gap.provider), gap.requirer && pathText(gap.requirer),
           el('span', {class: gap.error ? 'bad' : 'warn'}, gap.text), gap.nearest.join(', ')]);
  const symbols = answer.undefined.map(
      (lost) => [
          [lost.symbol, lost.readable ? el('div', {class: 'dim'}, lost.readable) : null], lost.version || '',
          lost.referrer && pathText(lost.referrer), lost.provider ? pathText(lost.provider) : lost.required_from || '',
          lost.near_misses.map(
              (near) => el('div', {}, near.symbol, el('span', {class: 'dim'}, ' ' + lastPart(near.path))))]);
  const requirements = answer.requirements.map(
      (one) =>
          [one.requirement, el('span', {class: one.met ? 'good' : 'bad'}, say(one.met ? 'met' : 'notMet')),
           tell(one.seen), one.proof.map((line) => el('div', {}, tell(line)))]);
  return [
    requirements.length > 0 ? section(
                                  'requirements', say('requirements'),
                                  table([say('requirement'), say('result'), say('seen'), say('proof')], requirements)) :
                              null,
    missing.length > 0 ? section(
                             'missing', `${say('missing')} (${missing.length})`,
                             table([say('library'), say('result'), say('neededBy')], missing)) :
                         null,
    versions.length > 0 ?
        section(
            'versions', `${say('versions')} (${versions.length})`,
            table([say('version'), say('provider'), say('referrer'), say('result'), say('near')], versions)) :
        null,
    symbols.length > 0 ?
        section(
            'symbols', `${say('undefined')} (${symbols.length})`,
            table([say('symbol'), say('version'), say('referrer'), say('provider'), say('near')], symbols)) :
        null,
  ];
}

function checkRow(check) {
  return el(
      'article', {class: 'problem ' + (kTones[check.result] || '')},
      el('h3', {}, el('span', {class: 'code ' + (kTones[check.result] || '')}, tell(check.result)), ' ', check.name,
         ': ', tell(check.seen)),
      check.items.length === 0 && check.advice.length === 0 ? null : facts([
        [
          '',
          check.items.length > 0 ?
              el('ul', {},
                 check.items.map(
                     (item) =>
                         el('li', {},
                            el('span', {class: kTones[item.result] === 'good' ? '' : kTones[item.result]},
                               tell(item.text)),
                            item.proof.map((line) => el('div', {class: 'dim'}, tell(line)))))) :
              null
        ],
        [say('why'), check.result === 'pass' || check.result === 'skip' ? null : tell(check.why)],
        [
          say('todo'),
          check.advice.map(
              (advice) =>
                  el('div', {}, tell(advice.text), advice.commands.map((line) => el('div', {}, command(line))),
                     advice.tried ? el('div', {class: 'dim'}, tell(advice.tried)) : null))
        ],
      ]));
}

/// Where a symbol is looked for that is found nowhere: each object of each scope, in the loader's order.
function lookupOf(problem, map) {
  if (map === null || problem.code !== 'symbol-missing' || !map.answer.search_scope) return null;
  const answer = map.answer;
  const opened = answer.openings && answer.openings.length > 0 ? answer.openings[answer.openings.length - 1] : null;
  const scopes = [[say('globalScope'), answer.search_scope]];
  if (opened !== null && opened.object !== null) scopes.push([say('localScope'), [...map.reachedFrom(opened.object)]]);
  if (opened !== null && opened.scope.includes('deepbind')) scopes.reverse();
  const rows = [];
  const seen = new Set();
  for (const [name, objects] of scopes) {
    for (const index of objects) {
      if (seen.has(index) || map.objects[index].role === 'missing' || map.objects[index].role === 'vdso') continue;
      seen.add(index);
      const isExpected = index === problem.object || lastPart(map.objects[index].path) === lastPart(problem.name);
      rows.push([
        String(rows.length + 1), name, map.link(index),
        el('span', {class: isExpected ? 'bad' : 'dim'}, say(isExpected ? 'lacksIt' : 'definesNot'))
      ]);
    }
  }
  return el(
      'div', {}, el('h4', {}, say('lookup', {n: rows.length})),
      table(['#', say('scope'), say('object'), say('result')], rows, 'attempts'));
}

/// Everything below the verdict; and what the search of the page finds.
function answerSections(answer) {
  if (answer.command === 'doctor') return {parts: doctorSections(answer), items: []};
  if (answer.command === 'diff') return diffSections(answer);
  if (answer.objects) learnPaths(answer.objects.map((object) => object.path));
  const map = answer.objects ? new LinkMapView(answer) : null;
  const parts = [
    map ? map.render() : null,
    answer.command === 'check' ? checkSections(answer) : null,
    problemsSection(answer.problems || [], map),
    fixesSection(answer.remedies),
    importSection(answer.import),
    laterSection(answer.dlopens),
    map ? objectsSection(answer, map) : null,
    worldSection(answer),
  ];
  return {parts, items: map ? map.searchable() : []};
}
