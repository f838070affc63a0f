// What CUDA asks of a machine, as a chain in which each link takes the one before it: driver, runtime, cuDNN,
// framework; and which file has code for which chip.

/// Boxes with arrows between them; the first that does not hold is where the chain breaks.
function chain(links) {
  const shown = links.filter(Boolean);
  const broken = shown.findIndex((link) => link.tone === 'bad');
  return el(
      'div', {class: 'chain', role: 'list'},
      shown.map(
          (link, i) =>
              [i === 0 ? null :
                         el('span', {class: 'arrow-right ' + (i === broken ? 'bad' : ''), 'aria-hidden': 'true'},
                            i === broken ? '✕' : '→'),
               el('div', {class: 'link-box ' + (link.tone || '') + (i === broken ? ' broken' : ''), role: 'listitem'},
                  el('div', {class: 'strong'}, link.title), el('div', {class: 'note'}, link.note),
                  i === broken ? el('div', {class: 'note bad'}, say('brokenHere')) : null),
  ]));
}

/// The checks of `doctor` that depend on each other, in that order.
function machineChain(answer) {
  const byName = new Map(answer.checks.map((check) => [check.name, check]));
  return chain(['device-nodes', 'kernel-module', 'driver', 'runtimes', 'cudnn', 'frameworks'].map((name) => {
    const check = byName.get(name);
    return check && {title: name, note: tell(check.seen), tone: kTones[check.result]};
  }));
}

function frameworkChain(framework, driver) {
  const {built_for: built, gets} = framework;
  const isLost = framework.result === 'fail';
  const lacksRuntime = isLost && framework.uses_cuda && gets.cuda.length === 0;
  const isDriver = isLost && driver !== undefined && driver.result === 'fail';
  const tone = (isBad) => (isBad ? 'bad' : framework.result === 'pass' ? 'good' : '');
  return chain([
    {
      title: say('driver'),
      note: framework.needs_driver ? say('orNewer', {version: framework.needs_driver}) : say('unknown'),
      tone: tone(isDriver)
    },
    {
      title: 'CUDA ' + gets.cuda.join(', '),
      note: built.cuda ? say('builtFor', {version: built.cuda}) : '',
      tone: tone(lacksRuntime)
    },
    gets.cudnn || built.cudnn ? {
      title: 'cuDNN ' + gets.cudnn,
      note: built.cudnn ? say('builtFor', {version: built.cudnn}) : '',
      tone: tone(isLost && !gets.cudnn && built.cudnn !== '')
    } :
                                null,
    {title: framework.title, note: tell(framework.problem), tone: tone(isLost && !lacksRuntime && !isDriver)},
  ]);
}

/// "sm_90a" to {kind: 'sm', number: 90, chip: '90a'}.
function targetOf(name) {
  const parts = /^(sm|compute|lto)_(\d+)([a-z]?)$/.exec(name);
  return parts ? {kind: parts[1], number: Number(parts[2]), chip: parts[2] + parts[3]} :
                 {kind: 'other', number: 0, chip: name};
}

/// Rows of files, columns of chips. `rows`: {name, path, targets: [name], device?}.
function chipTable(rows) {
  const chips = new Map();
  for (const row of rows)
    for (const name of row.targets) chips.set(targetOf(name).chip, targetOf(name).number);
  const order = [...chips.keys()].sort((a, b) => chips.get(a) - chips.get(b) || (a < b ? -1 : 1));
  if (order.length === 0) return el('p', {class: 'dim'}, say('noGpuCode'));
  const cell = (row, chip) => {
    const kinds =
        new Set(row.targets.map(targetOf).filter((target) => target.chip === chip).map((target) => target.kind));
    if (kinds.size === 0) return el('span', {class: 'dim'}, '–');
    const words = [];
    if (kinds.has('sm')) words.push(say('native'));
    if (kinds.has('compute')) words.push('PTX');
    if (kinds.has('lto') || kinds.has('other')) words.push('LTO');
    return el('span', {class: kinds.has('sm') ? 'good' : 'warn'}, words.join(' + '));
  };
  const hasDevice = rows.some((row) => row.device);
  return table(
      [say('file'), ...order.map((chip) => 'sm_' + chip), hasDevice ? say('onDevice') : ''],
      rows.map(
          (row) =>
              [el('span', {title: row.path}, row.name), ...order.map((chip) => cell(row, chip)),
               row.device ?
                   [
                     el('span', {class: row.device.runs ? 'good' : 'bad'}, row.device.name, ': ',
                        say(row.device.runs ? 'runs' : 'runsNot')),
                     row.device.needs_driver_of_cuda ?
                         el('div', {class: 'dim'}, say('needsCuda', {version: row.device.needs_driver_of_cuda})) :
                         null
                   ] :
                   '']),
      'chips');
}

function doctorSections(answer) {
  const driver = answer.checks.find((check) => check.name === 'driver');
  const frameworks = answer.frameworks;
  const withCode = frameworks.filter((framework) => framework.chips.length > 0);
  return [
    section(
        'chain', say('contract'), machineChain(answer),
        frameworks.length > 0 ? el('h3', {class: 'dim'}, say('frameworks')) : null,
        frameworks.map(
            (framework) =>
                [frameworkChain(framework, driver),
                 framework.result === 'pass' ?
                     null :
                     framework.commands.map(
                         (line) =>
                             el('div', {class: 'try'}, el('span', {class: 'label'}, say('try')), command(line)))])),
    withCode.length > 0 ?
        section(
            'chips', say('chips'),
            chipTable(withCode.map(
                (framework) => ({name: framework.title, path: framework.library, targets: framework.chips})))) :
        null,
    section('checks', say('checks'), answer.checks.map(checkRow)),
  ];
}

/// The verdict on the device that was asked about; without one, how many files have code.
function gpuHeadline(answers) {
  const coded = answers.filter((answer) => answer.targets.length > 0);
  const judged = coded.filter((answer) => answer.device);
  const failing = judged.filter((answer) => !answer.device.runs);
  const device = judged.length > 0 ? judged[0].device.name : '';
  if (failing.length > 0)
    return {
      text: say('gpuFails', {n: failing.length, all: judged.length, device: failing[0].device.name}),
      tone: 'bad'
    };
  if (judged.length > 0) return {text: say('gpuRuns', {all: judged.length, device}), tone: 'good'};
  return {text: say('gpuCode', {n: coded.length, all: answers.length}), tone: ''};
}

/// Of `gpu`: one answer a file and device.
function gpuSections(answers) {
  const rows = answers.map((answer) => ({
                             name: lastPart(answer.file),
                             path: answer.file,
                             device: answer.device,
                             targets: answer.targets.map((target) => target.target)
                           }));
  const coded = rows.filter((row) => row.targets.length > 0);
  const without = rows.filter((row) => row.targets.length === 0);
  const size = (bytes) => (bytes / 1048576).toFixed(1) + ' MiB';
  const details =
      answers.filter((answer) => answer.targets.length > 0)
          .map(
              (answer) => folded(
                  [lastPart(answer.file), el('span', {class: 'dim'}, ' ', answer.file)], facts([
                    [say('version'), answer.library && [answer.library.family, ' ', answer.library.version]],
                    [
                      say('proof'),
                      answer.library ?
                          answer.library.told.map((told) => el('div', {}, told.version, ': ', tell(told.proof))) :
                          null
                    ],
                    [say('problems'), answer.damages.map((damage) => el('div', {class: 'bad'}, damage.text))],
                  ]),
                  table(
                      [say('target'), say('pieces'), say('stored'), say('unpacked')],
                      answer.targets.map(
                          (target) =>
                              [target.target + (target.ptx ? ` (PTX ${target.ptx})` : ''), String(target.pieces),
                               size(target.stored_bytes), size(target.uncompressed_bytes)]))));
  return [
    section(
        'chips', say('chips'), chipTable(coded),
        without.length > 0 ?
            folded(`${say('noGpuCode')} (${without.length})`, without.map((row) => el('div', {}, pathText(row.path)))) :
            null),
    details.length > 0 ? section('details', say('files'), details) : null,
  ];
}
