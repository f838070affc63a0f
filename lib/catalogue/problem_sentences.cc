// What is wrong or surprising in a link map, and the evidence for it. Names are those that the rules in lib/diagnose
// use; the words are checked with real files by the goldens of `why`.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kProblemSentences[] = {
    // Words that are nobody's sentence.
    {"words", {"{text}", "{text}"}},
    {"in-brackets", {" ({text})", "（{text}）"}},
    {"name-reason", {"{name}: {reason}", "{name}：{reason}"}},
    {"the-program", {"the program", "程序本身"}},
    {"tag-of", {"the {tag} of {object}", "{object} 的 {tag}"}},
    {"path-by-step", {"{path} ({step})", "{path}（{step}）"}},
    {"path-outcome-step", {"{path} ({outcome}, {step})", "{path}（{outcome}，{step}）"}},

    // A library that is lost.
    {"library-not-found",
     {"{library} is not found: none of the places that ld.so searches for {needer} has it",
      "找不到 {library}：ld.so 为 {needer} 搜索的所有位置都没有它"}},
    {"library-of-other-class",
     {"{library} is found only as a file of the other word size (32/64 bit), which ld.so passes over",
      "只找到位数（32/64 位）不符的 {library}，ld.so 会跳过它"}},
    {"fatal-candidate",
     {"the file that ld.so takes for {library} cannot be used, and ld.so does not look further: {reason}",
      "ld.so 选中的 {library} 文件无法使用，而且不会再往后找：{reason}"}},
    {"bad-token", {"the name {library} cannot be used here: {reason}", "名字 {library} 在这里不能使用：{reason}"}},
    {"preload-ignored", {"the preload {library} is passed over with a warning", "预加载库 {library} 被跳过，只有警告"}},
    {"auxiliary-not-found",
     {"the auxiliary filter library {library} of {needer} is not found; ld.so starts without it",
      "找不到 {needer} 的辅助过滤库 {library}；ld.so 不用它也会继续启动"}},
    {"in-runpath-of",
     {"{path} is in the RUNPATH of {owner}, but a RUNPATH counts only for what that file itself needs",
      "{path} 在 {owner} 的 RUNPATH 中，但 RUNPATH 只用于该文件自己需要的库"}},
    {"in-rpath-of",
     {"{path} is in the RPATH of {owner}, which did not load {needer} and so does not hand it down",
      "{path} 在 {owner} 的 RPATH 中，但 {needer} 不是由它加载的，因此不会继承"}},
    {"search-spent",
     {"whether other objects would find what is lost is not known in full: that would take more than {count} places "
      "to look in",
      "其他对象能否找到缺少的库无法完全得知：需要查看的位置超过 {count} 个"}},

    // The loader's own end.
    {"would-crash",
     {"ld.so would die of a signal on {object}: {reason}", "ld.so 会在 {object} 上因信号而终止：{reason}"}},
    {"would-die", {"ld.so would die of a signal: {reason}", "ld.so 会因信号而终止：{reason}"}},
    {"would-block", {"ld.so would wait forever on {object}: {reason}", "ld.so 会在 {object} 上永远等待：{reason}"}},
    {"filter-assertion",
     {"an assertion of ld.so fails: it does not expect filters (DT_FILTER, DT_AUXILIARY) or the vDSO in this order",
      "ld.so 的一个断言失败：它没有料到过滤库（DT_FILTER、DT_AUXILIARY）或 vDSO 以这种顺序出现"}},
    {"exec-stack-refused",
     {"{object} requires an executable stack (PT_GNU_STACK), and since glibc 2.41 a running process gets none: "
      "it has to be rebuilt without an executable stack (or execstack -c)",
      "{object} 要求可执行栈（PT_GNU_STACK），而从 glibc 2.41 起运行中的进程得不到它：请重新编译该文件，或用 "
      "execstack -c 清除标记"}},
    {"exec-stack-forbidden",
     {"{object} requires an executable stack (PT_GNU_STACK), and GLIBC_TUNABLES=glibc.rtld.execstack=0 forbids it to "
      "every program",
      "{object} 要求可执行栈（PT_GNU_STACK），而 GLIBC_TUNABLES=glibc.rtld.execstack=0 对所有程序禁止它"}},
    {"start-ends", {"the start ends before the program runs: {reason}", "程序还没运行，启动就结束了：{reason}"}},
    {"first-call-ends",
     {"the first call of a symbol that is bound lazily ends the program: {reason}",
      "第一次调用延迟绑定的符号时程序终止：{reason}"}},

    // Versions.
    {"version-file",
     {"{needer} requires symbol versions from {object}, which nothing loads under that name: DT_NEEDED and DT_VERNEED "
      "of the file disagree (a tool has changed one of them)",
      "{needer} 要求来自 {object} 的符号版本，而没有任何东西以这个名字被加载：该文件的 DT_NEEDED 与 DT_VERNEED "
      "不一致（有工具只改了其中之一）"}},
    {"version-record",
     {"{needer} has a version table that ld.so does not know: {reason}", "ld.so 不认识 {needer} 的版本表：{reason}"}},
    {"refused-for-versions", {"{object} is refused for its versions: {reason}", "{object} 因版本而被拒绝：{reason}"}},
    {"versions-unchecked", {"versions could not be checked: {reason}", "无法检查符号版本：{reason}"}},
    {"provider-unversioned",
     {"{provider} has no symbol versions at all, where {needer} was linked against {version}",
      "{provider} 完全没有符号版本，而 {needer} 是针对 {version} 链接的"}},
    {"version-missing-weak",
     {"{provider} does not define {version}, which {needer} requires weakly: the start goes on, a call into it would "
      "fail",
      "{provider} 没有定义 {needer} 以弱方式要求的 {version}：启动会继续，但调用它会失败"}},
    {"version-missing",
     {"{provider} is found, but it does not define {version}, which {needer} requires",
      "找到了 {provider}，但它没有定义 {needer} 所需的 {version}"}},
    {"required-at",
     {"required by {needer}, DT_VERNEED entry at file offset {offset}",
      "由 {needer} 要求，DT_VERNEED 条目位于文件偏移 {offset}"}},
    {"version-tables-outside",
     {"ld.so would read outside the version tables of {reason}", "ld.so 会读到版本表之外：{reason}"}},

    // Symbols.
    {"symbols-unchecked", {"symbols could not be checked: {reason}", "无法检查符号：{reason}"}},
    {"symbol-and-further",
     {"{symbol} and {count} further {count|symbol|symbols}", "{symbol} 和另外 {count} {count|个|个}符号"}},
    {"symbol-not-in-provider",
     {"{provider} is found, but it does not define {symbols}, which {referrer} requires of {file}{when}",
      "找到了 {provider}，但它没有定义 {referrer} 要求 {file} 提供的 {symbols}{when}"}},
    {"symbol-out-of-scope",
     {"nothing in the scope of {referrer} defines {symbols}, which it refers to: {hidden} defines {count|it|the "
      "first}, but was opened with RTLD_LOCAL{when}",
      "{referrer} 引用了 {symbols}，但在其作用域内没有定义：{hidden} 定义了{count|它|第一个}，但它是以 RTLD_LOCAL "
      "打开的{when}"}},
    {"symbol-taken-out-of-scope",
     {"nothing in the scope of {referrer} defines {symbols}, which it refers to: {hidden} defines {count|it|the "
      "first}, but is assumed to be opened with RTLD_LOCAL{when}",
      "{referrer} 引用了 {symbols}，但在其作用域内没有定义：{hidden} 定义了{count|它|第一个}，但按以 RTLD_LOCAL "
      "打开处理{when}"}},
    {"symbol-nowhere",
     {"nothing in the process defines {symbols}, which {referrer} refers to{when}",
      "{referrer} 引用了 {symbols}，但进程中没有任何库定义它{when}"}},
    {"lazy-but-bound-now",
     {"; without LD_BIND_NOW it ends at the first call of it", "；不设 LD_BIND_NOW 时，第一次调用它才会终止"}},
    {"lazy-opened",
     {"; it is opened with RTLD_LAZY: only the first call of it ends the process",
      "；它以 RTLD_LAZY 打开：只有第一次调用才会终止进程"}},
    {"lazy-in-program",
     {"; only the first call of it ends the program, unless LD_BIND_NOW is set",
      "；只有第一次调用它才会终止程序，除非设置了 LD_BIND_NOW"}},
    {"left-to-host",
     {"{referrer} leaves {symbols} to the process that opens it (Python's own functions, for an extension module)",
      "{referrer} 把 {symbols} 留给打开它的进程提供（对扩展模块来说是 Python 自己的函数）"}},
    {"symbol-elsewhere", {"{symbol}{others}", "{symbol}{others}"}},
    {"has-it-unversioned", {"; {object} has it without a version", "；{object} 有它，但没有版本"}},
    {"has-it-in-version", {"; {object} has it in version {version}", "；{object} 有它，版本是 {version}"}},
    {"defines-it-hidden", {"; {object} defines it, but not for others", "；{object} 定义了它，但不对外提供"}},

    // The processor, thread-local storage.
    {"cpu-level",
     {"{object} is built for {level}, and the processor ({cpu}) has less",
      "{object} 为 {level} 编译，而处理器（{cpu}）达不到"}},
    {"static-tls-full",
     {"the thread-local storage of {object} has no room at a fixed place: the loader keeps {count} bytes for all that "
      "a process opens, and dlopen fails",
      "{object} 的线程局部存储在固定位置上放不下：加载器为进程打开的所有库只保留 {count} 字节，dlopen 失败"}},
    {"static-tls-fails",
     {"the opened libraries require {wanted} bytes of static TLS, and the loader keeps {kept} for the whole process: "
      "dlopen "
      "fails with \"cannot allocate memory in static TLS block\"",
      "所打开的库需要 {wanted} 字节的静态 TLS，而加载器为整个进程只保留 {kept} 字节：dlopen 会失败并报 “cannot "
      "allocate memory in static TLS block”"}},
    {"static-tls-may-fail",
     {"the opened libraries require {wanted} bytes of static TLS, and the loader keeps {kept} for the whole process: "
      "dlopen may "
      "fail with \"cannot allocate memory in static TLS block\"",
      "所打开的库需要 {wanted} 字节的静态 TLS，而加载器为整个进程只保留 {kept} 字节：dlopen 可能失败并报 “cannot "
      "allocate memory in static TLS block”"}},
    {"object-bytes", {"{object}: {count} bytes", "{object}：{count} 字节"}},

    // What is opened later.
    {"opened-not-found",
     {"{library}, which {opener} opens by itself ({importance}), is not found{use}",
      "找不到 {opener} 自己打开的 {library}（{importance}）{use}"}},
    {"opened-fails",
     {"{library}, which {opener} opens by itself ({importance}), is found, but dlopen fails: {reason}{use}",
      "找到了 {opener} 自己打开的 {library}（{importance}），但 dlopen 失败：{reason}{use}"}},
    {"opened-fails-at-call",
     {"{library}, which {opener} opens by itself ({importance}), is found, but the first call of what is missing will "
      "end the process; with RTLD_NOW dlopen fails: {reason}{use}",
      "找到了 {opener} 自己打开的 {library}（{importance}），但第一次调用缺少的符号时进程会终止；用 RTLD_NOW 时 dlopen "
      "失败：{reason}{use}"}},
    {"is-for", {"; it is for: {use}", "；用途：{use}"}},
    {"several-not-there",
     {"{count} libraries that {opener} opens by itself will not be there: {libraries}",
      "{opener} 自己打开的库中有 {count} 个不存在：{libraries}"}},
    {"several-broken",
     {"{count} libraries that {opener} opens by itself are missing or broken: {libraries}",
      "{opener} 自己打开的库中有 {count} 个缺失或损坏：{libraries}"}},
    {"by-note-at", {"its dlopen note at file offset {offset}", "其 dlopen 注记，位于文件偏移 {offset}"}},
    {"by-known", {"{title} ({source})", "{title}（{source}）"}},
    {"by-constant-at", {"a constant at file offset {offset}", "文件偏移 {offset} 处的常量"}},
    {"known-by", {"{evidence}, by {source}", "{evidence}，依据：{source}"}},
    {"opened-stub",
     {"{path}, which {opener} opens by itself, is a stub to link against, not the library",
      "{opener} 自己打开的 {path} 是仅供链接的桩库，不是真正的库"}},

    // Right, but surprising.
    {"load-order",
     {"{library} works only by load order: it is taken from {path}, which {loader} brought in before; a search of its "
      "own would not find it for",
      "{library} 只靠加载顺序才可用：它取自 {path}，由 {loader} 先行加载；若自己搜索，以下对象找不到它"}},
    {"loaded-before",
     {"{library} is {path}, which is loaded already ({how}); a search of its own would lead elsewhere",
      "{library} 就是已经加载的 {path}（{how}）；若自己搜索，会得到别的文件"}},
    {"alone-would-get", {"{object} alone would get {path}", "{object} 单独会得到 {path}"}},
    {"opened-before", {"it was opened before", "之前已被打开"}},
    {"brought-in", {"{object} brought it in", "由 {object} 引入"}},
    {"brought-in-at-start", {"{object} brought it in at the start", "启动时由 {object} 引入"}},
    {"brought-in-before", {"{object} brought it in before", "之前由 {object} 引入"}},
    {"shadowed",
     {"{library} is taken from {path} ({step}), before another file of that name",
      "{library} 取自 {path}（{step}），排在另一个同名文件之前"}},
    {"rpath-void",
     {"{object} has both RPATH and RUNPATH: ld.so ignores the RPATH",
      "{object} 同时有 RPATH 和 RUNPATH：ld.so 忽略 RPATH"}},
    {"rpath-is", {"RPATH   {list}", "RPATH   {list}"}},
    {"runpath-is", {"RUNPATH {list}", "RUNPATH {list}"}},
    {"stale-cache",
     {"{cache} is older than directories that it lists: libraries that came or went since are not in it until ldconfig "
      "runs",
      "{cache} 比它所列的目录旧：此后增减的库要等运行 ldconfig 后才会反映出来"}},
    {"directory-gone", {"{path} (is gone)", "{path}（已不存在）"}},
    {"foreign-file",
     {"a file of another kind was passed over on the way to {library}, which is taken from {path}",
      "搜索 {library} 途中跳过了不匹配的文件，最终取自 {path}"}},
    {"not-readable",
     {"ld.so may not open what lies on the way to {library}, and goes on as if it were not there; for another user the "
      "answer can be another",
      "搜索 {library} 途中有 ld.so 无权打开的文件，它当作不存在而继续；换一个用户结果可能不同"}},
    {"file-not-readable", {"{path} (a file that this user may not read)", "{path}（该用户不能读取的文件）"}},
    {"directory-not-enterable",
     {"{path} (in a directory that this user may not enter)", "{path}（位于该用户不能进入的目录中）"}},
    {"link-nowhere",
     {"{path} is a symbolic link that leads nowhere: for ld.so there is no {library} in that place{tail}",
      "{path} 是悬空的符号链接：对 ld.so 来说该处没有 {library}{tail}"}},
    {"link-in-circle",
     {"{path} is a symbolic link that leads in a circle: for ld.so there is no {library} in that place{tail}",
      "{path} 是循环的符号链接：对 ld.so 来说该处没有 {library}{tail}"}},
    {"directory-link-nowhere",
     {"the directory {path} is a symbolic link that leads nowhere: for ld.so nothing below it is there{tail}",
      "目录 {path} 是悬空的符号链接：对 ld.so 来说其下什么都没有{tail}"}},
    {"directory-link-in-circle",
     {"the directory {path} is a symbolic link that leads in a circle: for ld.so nothing below it is there{tail}",
      "目录 {path} 是循环的符号链接：对 ld.so 来说其下什么都没有{tail}"}},
    {"stops-at-loop",
     {", nor does it look into the directories of this list behind it (error ELOOP)",
      "，并且不再查看该列表中它后面的目录（错误 ELOOP）"}},
    {"link-target", {"{path} -> {target}", "{path} -> {target}"}},
    {"stub-library",
     {"{path} is a stub to link against, not the library: its functions are there, but each call of them fails (CUDA: "
      "error 34, stub library)",
      "{path} 是仅供链接的桩库，不是真正的库：函数都在，但每次调用都会失败（CUDA：错误 34，stub library）"}},
    {"two-copies",
     {"{count} copies of {family} are in one process, each with a state of its own; what one of them has set up or "
      "allocated, another does not know",
      "同一进程中有 {count} 份 {family}，各有自己的状态；其中一份初始化或分配的东西，另一份并不知道"}},
    {"copy", {"{path}{about}", "{path}{about}"}},
    {"copy-soname", {" ({soname})", "（{soname}）"}},
    {"copy-needers", {", needed by {needers}", "，被 {needers} 需要"}},
    {"copy-strangers",
     {"; symbols of {referrers} end here, too, although another copy was requested",
      "；{referrers} 的符号也绑定到这里，尽管它们要的是另一份"}},
    {"preload-in-effect",
     {"preloads are in effect: their symbols come before those of every other library, and what they bring in "
      "satisfies later requests of the same name",
      "预加载生效：其符号排在所有其他库之前，并且它们引入的库会满足之后的同名请求"}},
    {"empty-element",
     {"{list} has an empty element, which means the current directory: whoever can write where the program is started "
      "can put libraries in its way",
      "{list} 中有空元素，即当前目录：谁能在程序启动的目录写入，谁就能让它加载自己的库"}},
    {"relative-element",
     {"{list} has the relative directory '{element}', which depends on where the program is started",
      "{list} 中有相对目录 '{element}'，其含义取决于程序从哪里启动"}},
    {"writable-directory",
     {"{directory}, from {list}, may be written to by everybody: whoever puts a library there has it loaded before the "
      "system's own",
      "{directory}（来自 {list}）任何人都可写入：放在那里的库会先于系统的库被加载"}},

    // The verdict.
    {"verdict", {"{file}: {end}", "{file}：{end}"}},
    {"program-ends-before",
     {"cannot be opened, because the program {program} does not start: {reason}",
      "无法打开，因为程序 {program} 不能启动：{reason}"}},
    {"opening-ends-before",
     {"cannot be opened, because {library} before it does not load: {reason}",
      "无法打开，因为在它之前的 {library} 不能加载：{reason}"}},
    {"does-not-start", {"does not start: {problem}{more}", "不能启动：{problem}{more}"}},
    {"does-not-load", {"does not load: {problem}{more}", "不能加载：{problem}{more}"}},
    {"does-not-load-into",
     {"does not load into {program}: {problem}{more}", "不能加载到 {program} 中：{problem}{more}"}},
    {"starts-but", {"starts, but: {problem}{more}", "可以启动，但是：{problem}{more}"}},
    {"and-more", {" (and {count} more)", "（另有 {count} 个）"}},
    {"and-more-behind",
     {" (and {count} more {count|problem|problems} behind it)", "（其后另有 {count} {count|个|个}问题）"}},
    {"short-not-found", {"{library} is not found", "找不到 {library}"}},
    {"short-other-class", {"{library} is there only for the other word size", "{library} 只有位数不符的文件"}},
    {"short-crash", {"ld.so would crash on {object}", "ld.so 会在 {object} 上崩溃"}},
    {"short-block", {"ld.so would wait forever on {object}", "ld.so 会在 {object} 上永远等待"}},
    {"starts-well",
     {"would start: {found}, versions and symbols match{later}", "可以启动：{found}，版本和符号都匹配{later}"}},
    {"loads-well",
     {"would load: {found}, versions and symbols match{later}", "可以加载：{found}，版本和符号都匹配{later}"}},
    {"loads-into-well",
     {"would load into {program}: {found}, versions and symbols match{later}",
      "可以加载到 {program} 中：{found}，版本和符号都匹配{later}"}},
    {"one-library-found", {"1 library found", "1 个库，已找到"}},
    {"libraries-all-found", {"all {count} libraries found", "{count} 个库，全部找到"}},
    {"but-opened-not-found",
     {"; but {library}, which {opener} opens by itself, is not found", "；但找不到 {opener} 自己打开的 {library}"}},
    {"but-opened-fails",
     {"; but {library}, which {opener} opens by itself, cannot be loaded",
      "；但 {opener} 自己打开的 {library} 不能加载"}},

    // In the lists of others.
    {"problem-of-code", {"[{code}] {problem}", "[{code}] {problem}"}},
    {"indented", {"  {text}", "  {text}"}},
};

constexpr auto kProblemSentencesByName = places_by_name(kProblemSentences);

}  // namespace

SentenceTable problem_sentences() { return {kProblemSentences, kProblemSentencesByName}; }

}  // namespace soresolve
