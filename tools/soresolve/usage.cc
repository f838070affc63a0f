// soresolve --help: what there is to ask.
#include "report/page.h"
#include "subcommand.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kUsageIndent = 2;

/// Line by line: both languages have the same lines.
constexpr Phrase kHead[] = {
    {"Usage: soresolve SUBCOMMAND [OPTIONS] FILE...", "用法：soresolve SUBCOMMAND [OPTIONS] FILE..."},
    {},
    {"Explains what the dynamic linker (ld.so) will do with an ELF file on this machine, without running it.",
     "说明动态链接器（ld.so）在这里会怎样处理一个 ELF 文件，但不运行它。"},
    {"FILE is a program, a shared library, or a library name such as libcudart.so.12.",
     "FILE 是程序、共享库，或 libcudart.so.12 这样的库名。"},
    {},
};

constexpr Phrase kTail[] = {
    {},
    {"Options that shape the analysed world, the same for each subcommand (see soresolve SUBCOMMAND",
     "决定分析环境的选项，各子命令相同（详见 soresolve SUBCOMMAND --help）："},
    {"--help): --root PLACE (a directory, container image, package or snapshot), --env K=V, --clean-env,",
     "--root PLACE（目录、容器镜像、软件包或快照）、--env K=V、--clean-env、--cwd DIR、"},
    {"--cwd DIR, --cpu NAME, --secure, --glibc X.Y; output: --json, --html FILE, --color WHEN, -v, --trace.",
     "--cpu NAME、--secure、--glibc X.Y；输出：--json、--html FILE、--color WHEN、-v、--trace。"},
    {},
    {"Exit status: 0 the answer is good, 1 a problem was found, 2 the question could not be asked,",
     "退出状态：0 没有问题，1 发现问题，2 无法回答（用法错误，或文件不可读、格式有误），"},
    {"3 soresolve itself failed, or its answer could not be written; confirm adds 4: there is no driver or",
     "3 soresolve 自身出错，或结果无法写出；"},
    {"no GPU to confirm on.", "confirm 另有 4：没有驱动或 GPU，无法确认。"},
    {},
};

void add_lines(Page& page, std::span<const Phrase> lines) {
  for (const Phrase& line : lines) page.line(Words::phrase(line));
}

void add_subcommands(Page& page) {
  constexpr std::size_t kSummary = 9;
  page.line(Words::phrase({"Subcommands:", "子命令："}));
  for (const Subcommand* subcommand : all_subcommands()) {
    page.line(Words::foreign(subcommand->name) + Words::stop(kSummary) + Words::phrase(subcommand->words().summary),
              kUsageIndent);
  }
}

void add_examples_of_all(Page& page) {
  constexpr std::size_t kAbout = 42;
  page.line(Words::phrase({"Examples:", "示例："}));
  for (const Example& example : words_of("soresolve").examples) {
    const Words about = example.about.en.empty() ? Words() : Words::stop(kAbout) + Words::phrase(example.about);
    page.line(Words::foreign(example.command) + about, kUsageIndent);
  }
}

}  // namespace

Page usage_page() {
  Page page;
  add_lines(page, kHead);
  add_subcommands(page);
  add_lines(page, kTail);
  add_examples_of_all(page);
  return page;
}

Page brief_usage_page() {
  Page page;
  add_lines(page, kHead);
  add_examples_of_all(page);
  page.blank();
  add_subcommands(page);
  page.blank();
  page.line(Words::phrase({"Options of a subcommand: soresolve SUBCOMMAND -h; exit status and more: soresolve --help",
                           "子命令的选项：soresolve SUBCOMMAND -h；退出状态等：soresolve --help"}));
  return page;
}

}  // namespace soresolve::tool
