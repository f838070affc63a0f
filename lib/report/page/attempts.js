// The search for one library, attempt by attempt, in the loader's order. glibc tries the
// subdirectories of each directory first (glibc-hwcaps, tls): these are folded into the row of the directory as long as
// nothing was there.

/// Found, merely not there, or there and refused.
function outcomeTone(outcome) {
  if (outcome === 'loaded' || outcome === 'the same file is loaded already') return 'good';
  const isAbsent = ['no such file', 'no such directory', 'no entry', 'no cache'].includes(outcome) ||
      outcome.startsWith('directory does not exist');
  return isAbsent ? 'dim' : 'bad';
}

/// `attempts`: {group, step, entry, place, outcome, text}; those of one `group` that follow each other are one
/// directory.
function attemptsTable(attempts) {
  const groups = [];
  attempts.forEach((attempt, i) => {
    const last = groups[groups.length - 1];
    const isSame = last !== undefined && last[0].attempt.group === attempt.group;
    const row = {attempt, number: i + 1, tone: outcomeTone(attempt.outcome)};
    if (isSame)
      last.push(row);
    else
      groups.push([row]);
  });
  const rows = [];
  for (const group of groups) {
    const folded = group.slice(0, -1).filter((row) => row.tone === 'dim');
    const hidden = [];
    const fold = button('+' + folded.length, () => {
      const isOpen = fold.getAttribute('aria-expanded') === 'true';
      fold.setAttribute('aria-expanded', String(!isOpen));
      for (const name of hidden) fold.closest('table').querySelector(`tr[data-attempt="${name}"]`).hidden = isOpen;
    }, {
      class: 'small fold',
      'aria-expanded': 'false',
      'aria-label': say('subdirectories', {n: folded.length}),
      title: say('subdirectories', {n: folded.length})
    });
    for (const one of group) {
      const {attempt, number, tone} = one;
      const isHidden = folded.includes(one);
      const isLast = one === group[group.length - 1];
      if (isHidden) hidden.push(number);
      const row = [
        isLast && folded.length > 0 && folded.length === group.length - 1 ? `${group[0].number}–${number}` :
                                                                            String(number),
        [attempt.step, attempt.entry ? el('div', {class: 'dim'}, attempt.entry) : null],
        [attempt.place ? pathText(attempt.place) : '', isLast && folded.length > 0 ? [' ', fold] : null],
        el('span', {class: tone}, tell(attempt.outcome), attempt.text ? ': ' + attempt.text : '')
      ];
      row.attributes = {'data-attempt': number, hidden: isHidden};
      rows.push(row);
    }
  }
  return table(['#', say('step'), say('place'), say('outcome')], rows, 'attempts');
}

// The name of the file below the subdirectories that glibc tries in each directory, before 2.37 also the old ones.
const kSubdirectories = /(\/(glibc-hwcaps(\/[^/]+)?|tls|haswell|avx512_1|xeon_phi|x86_64))*\/[^/]*$/;

/// The same of a cause of `scan`, of the first who needs what is missing.
function searchTable(search) {
  return attemptsTable(search.attempts.map((attempt) => {
    const directory = String(attempt.path || '').replace(kSubdirectories, '');
    const owner =
        attempt.owner ? [' ', say('of'), ' ', el('span', {title: attempt.owner}, lastPart(attempt.owner))] : null;
    return {
      group: [attempt.step, attempt.owner, attempt.entry, directory].join('\n'),
      step: [tell(attempt.step), owner],
      entry: String(attempt.path || '').startsWith(attempt.entry || '/') ? '' : attempt.entry,
      place: attempt.path,
      outcome: attempt.outcome
    };
  }));
}
