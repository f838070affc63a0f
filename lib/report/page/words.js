// The page's own words in both languages, and the words of the data: those come in English, with the Chinese of each
// sentence beside them (the island "zh").
'use strict';

const kWords = {
  try: ['try', '可尝试'],
  copy: ['copy', '复制'],
  copied: ['copied', '已复制'],
  works: ['works', '可用'],
  fails: ['fails', '失败'],
  depends: ['depends', '取决于进程'],
  partly: ['fixes a part', '部分有效'],
  untried: ['cannot be tried here', '无法在此尝试'],
  loaderPrints: ['the loader prints', '加载器输出'],
  map: ['Link map', '依赖关系图'],
  viewProblems: ['what is broken', '出问题的部分'],
  viewAll: ['all {n} objects', '全部 {n} 个对象'],
  viewBelow: ['what {name} loads', '{name} 加载的部分'],
  allEdges: ['every edge', '全部连线'],
  graphHelp: [
    'Click a box or a line. Arrow keys move along lines, Enter opens.',
    '点击方框或连线查看详情。方向键沿连线移动，回车打开。'
  ],
  graphOff: ['built without a graph library: the map as a list', '构建时没有图形布局库：以列表显示依赖关系'],
  branches: [
    '{n} objects: click “more” to unfold a branch, any other box to read about it',
    '{n} 个对象：点击“还有”方框展开分支，点击其他方框查看详情'
  ],
  hubs: ['draws also the lines that are left out: to libraries that many need', '同时画出省略的连线：指向公共库的连线'],
  moreObjects: ['{n} more', '还有 {n} 个'],
  chosen: ['About the chosen box or line', '所选方框或连线的详情'],
  notDefined: ['not defined', '未定义'],
  lacks: ['{n} not defined', '缺 {n} 个定义'],
  notFound: ['not found', '找不到'],
  neededByN: ['needed by {n}', '被 {n} 个对象需要'],
  opensLater: ['opened later', '之后打开'],
  kind: ['request', '请求方式'],
  written: ['written as', '写法'],
  resolution: ['result', '结果'],
  foundBy: ['found by', '查找方式'],
  of: ['of', '来自'],
  path: ['path', '路径'],
  attempts: ['Every attempt, in ld.so’s order', '每次尝试，按 ld.so 的顺序'],
  noAttempts: ['no search: the name was served by what was loaded already', '没有搜索：该名字由已加载的对象满足'],
  noAttemptsLost: ['no place was searched', '没有搜索任何位置'],
  leftOut: ['{n} further attempts are left out', '另有 {n} 次尝试未列出'],
  subdirectories: ['{n} subdirectories of it, tried first', '其下先尝试的 {n} 个子目录'],
  step: ['step', '步骤'],
  place: ['place', '位置'],
  outcome: ['outcome', '结果'],
  neededBy: ['needed by', '被需要'],
  needs: ['needs', '需要'],
  chain: ['chain', '依赖链'],
  problems: ['Problems', '问题'],
  proof: ['proof', '依据'],
  packages: ['packages', '软件包'],
  elsewhere: ['elsewhere', '其他位置'],
  name: ['name', '名称'],
  problemCode: ['code', '代码'],
  machine: ['Machine', '机器'],
  checkName: ['check', '检查项'],
  notThere: ['not there', '不存在'],
  follows: ['{n} requests that follow from it', '由此而来的 {n} 个请求'],
  sameObjects: ['and {n} that are the same', '以及 {n} 个相同的'],
  bindings: ['Bindings that moved', '改变了绑定的符号'],
  symbolCount: ['{n} symbols', '{n} 个符号'],
  processes: ['processes', '进程'],
  processCount: ['{n} programs and modules', '{n} 个程序和模块'],
  changedPackages: ['Packages', '软件包'],
  causesOfPackages: ['{n} more follow from packages that change', '另有 {n} 个原因由软件包的变化而来'],
  failsInB: ['fail in B only', '仅在 B 中失败'],
  worksInB: ['work in B only', '仅在 B 中正常'],
  onlyInA: ['in A only', '仅在 A 中'],
  onlyInB: ['in B only', '仅在 B 中'],
  otherContent: ['in both, with other content', '两边都有，但内容不同'],
  package: ['package', '软件包'],
  layer: ['layer', '镜像层'],
  layers: ['Layers', '镜像层'],
  layerNumber: ['layer {n}', '第 {n} 层'],
  broughtByLayer: ['from {layer}', '来自{layer}'],
  removedByLayer: ['removed by {layer}', '删除它的是{layer}'],
  sinceLayer: ['since', '最先出现于'],
  appears: ['appears', '出现'],
  ended: ['fixed', '已解决'],
  removed: ['removed by', '被删除：'],
  replaced: ['replaced by', '被替换：'],
  hiddenBy: ['hidden by layer', '被该层隐藏'],
  hiddenSum: [
    '{files} files that a later layer removes or replaces still weigh {size}',
    '{files} 个被后面的层删除或替换的文件仍占 {size}'
  ],
  noPackage: ['no package', '不属于任何软件包'],
  sizes: ['Sizes', '大小'],
  size: ['size', '大小'],
  notLoaded: ['not loaded', '未被加载'],
  allPackages: ['all packages', '全部软件包'],
  sizesAll: ['{files} files, {size}', '{files} 个文件，{size}'],
  sizesSum: [
    '{files} files, {size}; no program that was found loads {unused} of them: {unusedSize}',
    '{files} 个文件，{size}；其中 {unused} 个（{unusedSize}）未发现有程序加载'
  ],
  'unused-nothing': ['nothing names it', '没有任何文件提到它'],
  'unused-other-copy': ['its name is needed, another copy is loaded', '有文件需要这个名字，但加载的是另一份'],
  'unused-unused-needer': ['only files need it that nothing loads', '只有未被加载的文件需要它'],
  'unused-string': ['a string names it', '有字符串提到它'],
  reason: ['reason', '原因'],
  fits: ['fits', '适用'],
  yes: ['yes', '是'],
  no: ['no', '否'],
  atOffset: ['at byte {n}', '字节 {n} 处'],
  atLine: ['line {n}', '第 {n} 行'],
  fixes: ['Fixes, each tried in memory', '解决办法（均在内存中试过）'],
  verdict: ['verdict', '结论'],
  fix: ['fix', '办法'],
  result: ['result', '结果'],
  checked: ['checked', '检查范围'],
  alsoChanges: ['also changes', '另外会改变'],
  later: ['Opened later, with dlopen', '之后用 dlopen 打开'],
  opener: ['opened by', '由谁打开'],
  library: ['library', '库'],
  importance: ['importance', '重要程度'],
  evidence: ['evidence', '依据'],
  goodLater: ['{n} that are found', '能找到的 {n} 个'],
  objects: ['Objects in load order', '对象（按加载顺序）'],
  object: ['object', '对象'],
  world: ['Where this was answered', '分析环境'],
  loader: ['loader', '加载器'],
  cache: ['cache', '缓存'],
  cpu: ['processor', '处理器'],
  cwd: ['directory', '当前目录'],
  environment: ['environment', '环境变量'],
  none: ['none', '无'],
  assumed: ['assumed', '假定'],
  notes: ['notes', '说明'],
  driver: ['driver', '驱动'],
  text: ['The same as text', '文字结果'],
  save: ['save data (JSON)', '保存数据（JSON）'],
  theme: ['light / dark', '浅色 / 深色'],
  search: ['search  /', '搜索  /'],
  noMatch: ['nothing matches', '没有匹配项'],
  missing: ['Missing libraries', '缺少的库'],
  versions: ['Versions that are not defined', '未定义的版本'],
  undefined: ['Undefined symbols', '未定义的符号'],
  symbol: ['symbol', '符号'],
  version: ['version', '版本'],
  provider: ['provider', '提供者'],
  referrer: ['referrer', '引用者'],
  near: ['similar', '相近的'],
  requirements: ['Requirements', '要求'],
  requirement: ['requirement', '要求'],
  met: ['met', '满足'],
  notMet: ['not met', '不满足'],
  seen: ['found', '实际'],
  checks: ['Checks', '检查'],
  why: ['why it matters', '为什么重要'],
  todo: ['do', '处理办法'],
  steps: ['What the import opens', 'import 依次打开的库'],
  module: ['module', '模块'],
  rpath: ['RPATH', 'RPATH'],
  runpath: ['RUNPATH', 'RUNPATH'],
  soname: ['SONAME', 'SONAME'],
};

Object.assign(kWords, {
  causes: ['Causes', '原因'],
  notCounted: ['optional or known: they do not count', '可选或已知的：不计入'],
  more: ['{n} more', '另外 {n} 个'],
  worksFor: ['works for {works} of {tried} that it was tried for', '试过 {tried} 个，其中 {works} 个有效'],
  failing: ['fail with it: {n}', '因此失败：{n} 个'],
  suppressed: ['known', '已知'],
  files: ['Files', '文件'],
  all: ['all', '全部'],
  filter: ['filter by name', '按名字筛选'],
  judgedAs: ['judged as', '判断方式'],
  process: ['process', '进程'],
  inFull: ['in full', '完整分析'],
  'as-program': ['program', '程序'],
  'as-root': ['module or plug-in', '模块或插件'],
  'as-reached': ['loaded by another file', '由其他文件加载'],
  'as-library': ['library that nothing loads here', '此处没有文件加载的库'],
  'as-outside': ['outside the tree', '在目录树之外'],
  'as-unjudged': ['not judged', '未判断'],
  counted: ['{files} dynamic files, {processes} processes', '{files} 个动态文件，{processes} 个进程'],
  countedOptional: ['optional parts only are missing: {n}', '{n} 个只缺可选部分'],
  countedSuppressed: ['fail for known causes only: {n}', '{n} 个只因已知原因失败'],
  skipped: ['Not judged', '未判断的文件'],
  show: ['show', '显示'],
  searched: ['searched', '搜索过程'],
  fit: ['whole map', '显示全图'],
  shownOf: ['{n} of {all} files', '{all} 个文件中的 {n} 个'],
  causeMap: ['Who needs what the chosen cause is about', '所选原因涉及的依赖关系'],
  byProcesses: ['processes that fail, by cause', '各原因导致失败的进程数'],
  searchedBy: ['every attempt of this search:', '这次搜索的全部尝试：'],
});

Object.assign(kWords, {
  contract: ['What depends on what', '依赖关系：从驱动到框架'],
  brokenHere: ['it breaks here', '在此断开'],
  frameworks: ['Frameworks, and what their processes get', '框架，以及其进程得到的版本'],
  orNewer: ['{version} or newer', '{version} 或更新'],
  unknown: ['version unknown', '版本未知'],
  builtFor: ['built for {version}', '为 {version} 构建'],
  chips: ['Code for GPUs, by chip', '各芯片的 GPU 代码'],
  native: ['native', '原生'],
  gpuFails: [
    '{n} of {all} files with GPU code do not run on {device}',
    '{all} 个含 GPU 代码的文件中，{n} 个不能在 {device} 上运行'
  ],
  gpuRuns: ['all {all} files with GPU code run on {device}', '{all} 个含 GPU 代码的文件都能在 {device} 上运行'],
  gpuCode: ['{n} of {all} files have GPU code', '{all} 个文件中 {n} 个含 GPU 代码'],
  noGpuCode: ['no GPU code', '没有 GPU 代码'],
  file: ['file', '文件'],
  onDevice: ['on the device', '在该设备上'],
  runs: ['runs', '可运行'],
  runsNot: ['does not run', '不能运行'],
  needsCuda: ['with a driver for CUDA {version}', '需要支持 CUDA {version} 的驱动'],
  target: ['target', '目标'],
  pieces: ['pieces', '段数'],
  stored: ['stored', '存储大小'],
  unpacked: ['unpacked', '解压后'],
  lookup: ['the lookup, scope by scope: {n} objects, none defines it', '按作用域依次查找：{n} 个对象都没有定义它'],
  scope: ['scope', '作用域'],
  globalScope: ['global', '全局'],
  localScope: ['of what was opened', '所打开库的作用域'],
  definesNot: ['does not define it', '没有定义'],
  lacksIt: ['is required to define it, and does not', '应当定义它，但没有'],
});

let language = 'en';
let chinese = {};
let shortPaths = new Map();  // paths that sentences name by their last part: they are written out elsewhere

/// A word of the page; {n} and the like are filled in.
function say(name, values = {}) {
  const text = kWords[name][language === 'zh' ? 1 : 0];
  return text.replace(/\{(\w+)\}/g, (all, key) => (key in values ? String(values[key]) : all));
}

/// A sentence or name of the data, in the page's language.
function tell(text) {
  if (text === null || text === undefined) return '';
  return language === 'zh' && Object.hasOwn(chinese, text) ? chinese[text] : String(text);
}

/// The same with the paths of objects as their names.
function tellShort(text) {
  return tell(text).replace(/\/[^\s:,;'"()，：；。（）]+/g, (path) => shortPaths.get(path) || path);
}

/// Paths whose last part no other of them has.
function learnPaths(paths) {
  const counts = new Map();
  const lastOf = (path) => path.slice(path.lastIndexOf('/') + 1);
  for (const path of new Set(paths)) counts.set(lastOf(path), (counts.get(lastOf(path)) || 0) + 1);
  shortPaths =
      new Map(paths.filter((path) => path.startsWith('/') && counts.get(lastOf(path)) === 1 && lastOf(path) !== '')
                  .map((path) => [path, lastOf(path)]));
}
