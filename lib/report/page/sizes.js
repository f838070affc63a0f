// Bytes of a tree by package and file, and what no program loads: the areas of a treemap, and the same as a table.

/// 1.5 MiB
function sizeText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.length; ++unit) bytes /= 1024;
  return `${unit === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit]}`;
}

/// Packages, the largest first: {number, name, files, bytes, unusedFiles, unusedBytes}.
function packageShares({sizes, unused}) {
  const lost = new Set(unused.files.map((entry) => entry.file));
  const shares = new Map();
  sizes.bytes.forEach((bytes, file) => {
    const number = sizes.package_of[file];
    if (!shares.has(number)) {
      const owner = number === null ? null : sizes.packages[number];
      const name = owner === null ? say('noPackage') : owner.name + (owner.version ? ' ' + owner.version : '');
      shares.set(number, {number, name, files: [], bytes: 0, unusedFiles: 0, unusedBytes: 0});
    }
    const share = shares.get(number);
    share.files.push(file);
    share.bytes += bytes;
    if (!lost.has(file)) return;
    share.unusedFiles += 1;
    share.unusedBytes += bytes;
  });
  return [...shares.values()].sort((a, b) => b.bytes - a.bytes || a.number - b.number);
}

/// `view` opens files: the SurveyView.
function sizesSection(view) {
  const {sizes, unused, files} = view.data;
  if (!sizes || !unused) return null;
  const lost = new Map(unused.files.map((entry) => [entry.file, entry]));
  const shares = packageShares(view.data);
  const sum = (key) => shares.reduce((total, one) => total + one[key], 0);
  const reason = (entry) => {
    if (!entry) return null;
    const by = entry.named_by === null ? undefined : files[entry.named_by];
    return [say('unused-' + entry.evidence), by ? [': ', el('span', {title: by.path}, lastPart(by.path))] : ''];
  };
  const filesOf = (share) => {
    const most = 500;
    const order = share.files.slice().sort((a, b) => sizes.bytes[b] - sizes.bytes[a] || a - b).slice(0, most);
    const rows = order.map(
        (index) =>
            [button(pathText(files[index].path), () => view.openFile(files[index]), {class: 'link'}),
             sizeText(sizes.bytes[index]), reason(lost.get(index))]);
    const rest = share.files.length - rows.length;
    return [table([say('path'), say('size'), say('notLoaded')], rows), rest > 0 ? say('more', {n: rest}) : null];
  };
  const rows = (some) => table(
      [say('package'), say('files'), say('size'), say('notLoaded')],
      some.map(
          (share) =>
              [foldedLater(share.name, () => filesOf(share)), String(share.files.length), sizeText(share.bytes),
               share.unusedFiles > 0 ? `${sizeText(share.unusedBytes)} (${share.unusedFiles})` : '']),
      'sizes');
  const areas =
      new Treemap(say('sizes'), shares.map((share) => ({
                                             label: share.name,
                                             bytes: share.bytes,
                                             marked: share.unusedBytes,
                                             items: share.files.map((index) => ({
                                                                      label: lastPart(files[index].path),
                                                                      title: files[index].path,
                                                                      bytes: sizes.bytes[index],
                                                                      marked: lost.has(index) ? sizes.bytes[index] : 0,
                                                                      open: () => view.openFile(files[index])
                                                                    }))
                                           })));
  const shown = 12;
  const words = {
    files: sizes.bytes.length,
    size: sizeText(sum('bytes')),
    unused: lost.size,
    unusedSize: sizeText(sum('unusedBytes'))
  };
  return section(
      'sizes', say('sizes'),
      el('p', {}, say(lost.size > 0 ? 'sizesSum' : 'sizesAll', words),
         lost.size > 0 ? [' ', el('span', {class: 'shade'}, say('notLoaded'))] : null),
      areas.element, rows(shares.slice(0, shown)),
      shares.length > shown ? foldedLater(say('more', {n: shares.length - shown}), () => [rows(shares.slice(shown))]) :
                              null,
      el('p', {class: 'dim'}, tell(unused.note)));
}
