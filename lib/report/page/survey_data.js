// The data of a whole tree (scan): its files, who needs whom, and its causes.
//
// They are JSON Lines, in which numbers stand for files and names. Where a need leads is in the data where a
// process has loaded the file ("targets"); else it is looked for by SONAME and file name among what its process loads.

class SurveyData {
  constructor(lines) {
    const of = (type) => lines.filter((line) => line.type === type);
    this.head = of('scan')[0];
    this.summary = of('summary')[0];
    this.files = of('file').concat(of('outside'));
    this.groups = of('problem');
    this.skipped = of('skipped');
    this.layers = of('layers')[0];
    this.sizes = of('sizes')[0];
    this.unused = of('unused')[0];
    this.names = this.head.names;
    this.byPath = new Map(this.files.map((file) => [file.path, file]));
    this.byName = new Map();
    for (const file of this.files) {
      for (const name of new Set([lastPart(file.path), this.name(file.soname)])) {
        if (!this.byName.has(name)) this.byName.set(name, []);
        this.byName.get(name).push(file);
      }
    }
    this.groupsOf = new Map();
    for (const group of this.groups) {
      const involved = new Set([...group.roots, ...group.needers.map((path) => (this.byPath.get(path) || {}).file)]);
      for (const file of involved) {
        if (file === undefined) continue;
        if (!this.groupsOf.has(file)) this.groupsOf.set(file, []);
        this.groupsOf.get(file).push(group);
      }
    }
  }

  name(number) {
    return number === undefined ? undefined : this.names[number];
  }

  counts(group) {
    return !group.optional && !group.suppression;
  }

  /// The file that a need leads to, in the process of `root`: {file}, {path} of one outside the tree, or nothing.
  target(file, need, root, loaded) {
    if (file.targets) {
      const other = (file.exceptions || []).find((one) => one.root === root.file && one.need === need);
      const target = other ? other.target : file.targets[need];
      return target === null ? null : {file: this.files[target]};
    }
    const name = this.name(file.needs[need]);
    const named = this.byName.get(lastPart(name)) || [];
    const here = named.find((one) => loaded.has(one.file)) || named.find((one) => one === root);
    if (here) return {file: here};
    const outside =
        (root.loads_others || []).map((number) => this.name(number)).find((path) => lastPart(path) === lastPart(name));
    return outside ? {path: outside} : null;
  }

  /// The search of that file for that name, where it is the one that a cause shows.
  searchOf(path, name) {
    const group = (this.groupsOf.get((this.byPath.get(path) || {}).file) ||
                   []).find((one) => one.search && one.search.needer === path && one.search.name === name);
    return group ? group.search : null;
  }

  /// The link map below one file, as `why` has it: see LinkMapView.
  linkMap(file) {
    const root = file.loads ? file : this.files[file.in_process_of] || file;
    const objects = [];
    const places = new Map();
    const add = (key, object, loader) => {
      if (places.has(key)) return places.get(key);
      places.set(key, objects.length);
      objects.push(
          {index: objects.length, loader, soname: null, rpath: null, runpath: null, found: null, needs: [], ...object});
      return objects.length - 1;
    };
    add(file.path, {role: 'main', path: file.path, file, soname: this.name(file.soname) || null}, null);
    const isJudged = file.judged_as !== 'unjudged';
    const loaded = new Set(root.loads || []);
    for (let at = 0; at < objects.length; ++at) {
      const source = objects[at].file;
      if (source === undefined) continue;
      const place = (target, name) => {
        if (target && target.file) {
          const {path, soname} = target.file;
          return add(path, {role: 'library', path, file: target.file, soname: this.name(soname) || null}, at);
        }
        if (target) return add(target.path, {role: 'library', path: target.path}, at);
        const isLoader = /^ld(-linux|-musl|64)?[-.]/.test(lastPart(name));
        return isJudged && !isLoader ? add('?' + name, {role: 'missing', path: name}, at) : null;
      };
      const request = (kind, name, index) => {
        if (index === null) return;
        const isLost = objects[index].role === 'missing';
        const resolution = isLost ? 'not found' : '';
        const search = isLost ? this.searchOf(source.path, name) : null;
        objects[at].needs.push({kind, name, written: name, target: index, attempts: [], resolution, search});
      };
      source.needs.forEach((number, need) => {
        const name = this.name(number);
        request('needed', name, place(this.target(source, need, root, loaded), name));
      });
      // What is opened later; whether it has to be there is a matter of the causes.
      for (const link of source.links || []) {
        const target = link.target === null ? undefined : this.files[link.target];
        if (target === undefined || target === source || link.kind === 'process') continue;
        const name = this.name(link.name);
        request(['note', 'known'].includes(link.kind) ? 'dlopen' : link.kind, name, place({file: target}, name));
      }
    }
    return {
      command: 'scan',
      file: file.path,
      root: this.head.root,
      objects,
      openings: [],
      problems: [],
      failures: [],
      dlopens: [],
      list: objects.map((object) => object.index)
    };
  }
}
