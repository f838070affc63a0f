// What `scan` says of a tree: the verdict, headlines of groups, what was left out, counts.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kScanSentences[] = {
    {"scan-works",
     {"ok: all {roots} {roots|process|processes} of {dynamic} dynamic {dynamic|file|files} work",
      "正常：{dynamic} 个动态文件的 {roots} {roots|个|个}进程全部可用"}},
    {"scan-fails",
     {"fails: {fails} of {roots} {roots|process|processes}, for {causes} {causes|cause|causes}",
      "失败：{roots} {roots|个|个}进程中有 {fails} 个失败，共 {causes} {causes|个|个}原因"}},
    {"scan-damaged", {"fails: {count} damaged {count|library|libraries}", "失败：有 {count} {count|个|个}损坏的库"}},
    {"scan-nothing", {"nothing to judge: no dynamic ELF file is here", "没有可判断的内容：这里没有动态 ELF 文件"}},
    {"scan-interrupted", {"interrupted: what follows is what is known so far", "已中断：以下只是目前已知的结果"}},
    {"scan-out-of-memory",
     {"out of memory: {judged} of {dynamic} files were judged before the bound of --memory was reached",
      "内存不足：达到 --memory 的上限之前，{dynamic} 个文件中判断了 {judged} 个"}},
    {"scan-more-causes",
     {"and {count} more {count|cause|causes} (-v shows all)", "另有 {count} {count|个|个}原因（-v 全部显示）"}},
    {"scan-more-files", {"and {count} more (-v shows all)", "另有 {count} 个（-v 全部显示）"}},
    {"group-no-interpreter",
     {"{interpreter}, which programs name as their loader (PT_INTERP), is missing or refused",
      "程序指定的动态链接器 {interpreter}（PT_INTERP）不存在或被拒绝"}},
    {"group-built-for-glibc",
     {"built for glibc, and the libc here is musl {here}: take a glibc base image, or builds for musl",
      "面向 glibc 编译，而此处的 libc 是 musl {here}：请用带 glibc 的基础镜像，或面向 musl 的版本"}},
    {"group-built-for-musl",
     {"built for musl, and the libc here is glibc {here}: take a musl base image (Alpine), or builds for glibc",
      "面向 musl 编译，而此处的 libc 是 glibc {here}：请用带 musl 的基础镜像（Alpine），或面向 glibc 的版本"}},
    {"group-missing-library", {"{library} is not found", "找不到 {library}"}},
    {"group-version-missing", {"{provider} does not define version {version}", "{provider} 没有定义版本 {version}"}},
    {"group-symbol-missing", {"{provider} does not define {symbols}", "{provider} 没有定义 {symbols}"}},
    {"group-symbol-nowhere", {"no library of the process defines {symbols}", "进程中没有库定义 {symbols}"}},
    {"scan-needers", {"{count} {count|file needs|files need} it", "{count} {count|个|个}文件需要它"}},
    {"scan-concerns", {"in {count} {count|file|files}", "涉及 {count} {count|个|个}文件"}},
    {"scan-concerns-of", {"in {count} {count|file|files} of {package}", "涉及 {package} 的 {count} {count|个|个}文件"}},
    {"scan-needers-of",
     {"{count} {count|file|files} of {package} {count|needs|need} it", "{package} 的 {count} {count|个|个}文件需要它"}},
    {"scan-and-processes", {"; {count} {count|process fails|processes fail}", "；{count} {count|个|个}进程因此失败"}},
    {"scan-processes", {"fails with it:", "随之失败："}},
    {"scan-same-fix", {"also with this fix: {cause}", "此办法也可解决：{cause}"}},
    {"scan-fix-all",
     {"(tried for {tried} of {count}: works for all of them)", "（{count} 个中试了 {tried} 个：全部有效）"}},
    {"scan-fix-some",
     {"(tried for {tried} of {count}: works for {works})", "（{count} 个中试了 {tried} 个：{works} 个有效）"}},
    {"scan-fix-partly", {"(tried: fixes a part)", "（已尝试：只能解决一部分）"}},
    {"scan-fix-untried", {"(cannot be tried here)", "（无法在此尝试）"}},
    {"scan-depends",
     {"{count} {count|library depends|libraries depend} on the process that loads {count|it|them}",
      "{count} {count|个|个}库取决于加载它的进程"}},
    {"scan-optional",
     {"{count} optional {count|plug-in lacks|plug-ins lack} a library that is nowhere here: "
      "no file needs {count|it|them} "
      "(--strict counts {count|it|them})",
      "{count} {count|个|个}可选插件缺少这里没有的库：没有文件需要这些插件（--strict 会计入）"}},
    {"scan-suppressed", {"{count} {count|cause does|causes do} not count:", "{count} {count|个|个}原因不计入："}},
    {"scan-suppressed-only", {"{count} {count|cause does|causes do} not count", "{count} {count|个|个}原因不计入"}},
    {"scan-ruled-by", {" (ruled by {files})", "（依据 {files}）"}},
    {"policy-inside",
     {"{file} lies in what is judged and does not count: nothing in a tree decides how it is judged; --config {typed} "
      "takes it",
      "{file} 位于被判断的目录之内，不起作用：被判断的内容不能决定如何判断它；要使用它请加 --config {typed}"}},
    {"scan-known", {" (known: in the baseline)", "（已知：在基线中）"}},
    {"scan-ignored", {" (ignored: {reason})", "（已忽略：{reason}）"}},
    {"ignore-matches-nothing",
     {"{file}: the ignore of line {line} matches nothing ({reason})",
      "{file}：第 {line} 行的忽略项没有匹配任何内容（{reason}）"}},
    {"ignore-has-ended",
     {"{file}: the ignore of line {line} has ended ({reason})", "{file}：第 {line} 行的忽略项已到期（{reason}）"}},
    {"known-is-gone",
     {"gone from the baseline: {key}, {count} {count|root|roots}, such as {first} (--write-baseline makes it anew)",
      "基线中的问题已消失：{key}，{count} {count|个|个}，例如 {first}（可用 --write-baseline 重写）"}},
    {"floor-exceeded", {"more than {bound} is required", "所要求的超出 {bound}"}},
    {"floor-node-of", {"{path} requires {node}", "{path} 要求 {node}"}},
    {"floor-foreign-of",
     {"{path} needs {library}, which the policy does not provide", "{path} 需要 {library}，而该策略不提供它"}},
    {"scan-skipped-unreadable",
     {"not checked: {count} {count|place|places} that cannot be read, such as {first}",
      "未查看：{count} {count|处|处}无法读取，例如 {first}"}},
    {"scan-skipped-damaged",
     {"not judged: {count} {count|file|files} that no loader takes, such as {first}",
      "未判断：{count} {count|个|个}文件任何加载器都不会接受，例如 {first}"}},
    {"scan-skipped-no-loader",
     {"not judged: {count} {count|file|files} whose loader is not here, such as {first}",
      "未判断：{count} {count|个|个}文件的加载器不在此处，例如 {first}"}},
    {"scan-skipped-pseudo",
     {"skipped: {count} {count|directory|directories} of the kernel, such as {first}",
      "跳过：{count} {count|个|个}内核的目录，例如 {first}"}},
    {"scan-skipped-visited",
     {"skipped: {count} {count|directory|directories} searched already "
      "(a mount, or inside another place), such as {first}",
      "跳过：{count} {count|个|个}已查看过的目录（挂载，或在另一位置之内），例如 {first}"}},
    {"scan-skipped-limit",
     {"not checked: {count} {count|directory|directories} beyond a limit, such as {first}",
      "未查看：{count} {count|个|个}目录超出限制，例如 {first}"}},
    {"scan-count-files",
     {"{dynamic} dynamic {dynamic|file|files} among {files}: {programs} {programs|program|programs}; {others} further "
      "ELF {others|file needs|files need} no loader",
      "{files} 个文件中有 {dynamic} {dynamic|个|个}动态文件，其中 {programs} {programs|个|个}程序；另有 {others} "
      "{others|个|个} ELF 文件不需要加载器"}},
    {"scan-count-roots",
     {"{roots} {roots|process was|processes were} judged: {works} work, {fails} fail, {depends} depend on what loads "
      "them",
      "判断了 {roots} {roots|个|个}进程：{works} 个可用，{fails} 个失败，{depends} 个取决于加载它的进程"}},
};

constexpr auto kScanSentencesByName = places_by_name(kScanSentences);

}  // namespace

SentenceTable scan_sentences() { return {kScanSentences, kScanSentencesByName}; }

}  // namespace soresolve
