// soresolve diff: what decides differently in two roots.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "soresolve/compare.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kWideColumns = 140;  // two paths side by side

constexpr Example kDiffExamples[] = {
    {"soresolve diff --env-a LD_LIBRARY_PATH=/usr/local/cuda-11.0/lib64 /srv/old /srv/new /app/train",
     {"Why does the program start on the old server and not on the new one?",
      "为什么程序在旧服务器上能启动，在新服务器上不能？"}},
    {"soresolve diff /srv/image host /usr/bin/python3",
     {"What an image has differently from this machine.", "镜像与本机有何不同。"}},
    {"soresolve diff /srv/before /srv/after",
     {"What an update has changed, for every program and module, by cause.",
      "一次更新改变了什么：所有程序和模块，按原因列出。"}},
};

bool is_this_machine(const std::string& root) { return root == "/" || root == "host"; }

/// Columns for two paths: a wide terminal, or COLUMNS that says so.
bool is_wide() {
  std::size_t width = 0;
  if (const char* const columns = std::getenv("COLUMNS")) {
    std::from_chars(columns, columns + std::strlen(columns), width);
  }
  winsize window = {};
  if (width == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) width = window.ws_col;
  return width >= kWideColumns;
}

class DiffInvocation final : public Invocation {
 public:
  OptionList options() override;
  Exit run() override;

 private:
  /// What is said of one root alone.
  struct OneRoot {
    std::string root;
    std::vector<std::string> env;
    bool clean_env = false;
    std::string platform;  // empty: that of --platform
  };

  [[nodiscard]] WorldSettings settings_of(const OneRoot& one) const;

  WorldOptions world_;
  OneRoot a_;
  OneRoot b_;
  bool is_quiet_ = false;
  bool without_machine_ = false;
  unsigned jobs_ = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> files_;
};

WorldSettings DiffInvocation::settings_of(const OneRoot& one) const {
  WorldSettings settings = settings_here(world_);
  settings.root = is_this_machine(one.root) ? std::string() : one.root;
  settings.env.insert(settings.env.end(), one.env.begin(), one.env.end());
  settings.clean_env = settings.clean_env || one.clean_env;
  if (!one.platform.empty()) settings.place_options.platform = one.platform;
  return settings;
}

Exit DiffInvocation::run() {
  if (a_.root.empty() || b_.root.empty()) {
    return refuse_usage("diff", "A and B are required");
  }
  const auto shown = [](const std::string& root) { return is_this_machine(root) ? std::string("/") : root; };
  CompareOptions options;
  options.jobs = jobs_;
  options.compares_machine = !without_machine_;
  options.shown_a = shown(a_.root);
  options.shown_b = shown(b_.root);
  const Result<Comparison> comparison = compare_roots(settings_of(a_), settings_of(b_), files_, options);
  if (!comparison) return report_error(comparison.error());
  const CompareReport report{*comparison, options.shown_a, options.shown_b};
  const CompareForm form{is_wide() ? CompareLayout::Columns : CompareLayout::Unified, detail_of(world_)};
  const Document document = document_of(report, form);
  std::string title = "soresolve diff " + a_.root + " " + b_.root;
  for (const std::string& file : files_) title += " " + file;
  const Exit written = write_html_file(document, world_, title);
  if (!is_quiet_) write_document(document, world_);
  finish(worse(written, comparison->is_same() ? Exit::Good : Exit::Problem));
}

OptionList DiffInvocation::options() {
  constexpr Phrase group = {"The two roots", "两个根目录"};
  OptionList list = {
      {.names = {"A"},
       .into = &a_.root,
       .description = {"a root, as --root takes it; / or host for this machine",
                       "一个根目录，写法同 --root；/ 或 host 表示本机"}},
      {.names = {"B"}, .into = &b_.root, .description = {"the other one", "另一个根目录"}},
      {.names = {"FILE"},
       .into = &files_,
       .description = {"programs, libraries or library names, in both; without one: every program and module",
                       "两边都有的程序、共享库或库名；不指定时比较所有程序和模块"}},
      {.names = {"--env-a"},
       .value = "K=V",
       .into = &a_.env,
       .description = {"environment entry of A; replaces what is inherited there",
                       "A 的环境变量；一旦给出，A 就不再继承当前环境"},
       .group = group},
      {.names = {"--env-b"},
       .value = "K=V",
       .into = &b_.env,
       .description = {"environment entry of B; replaces what is inherited there",
                       "B 的环境变量；一旦给出，B 就不再继承当前环境"},
       .group = group},
      {.names = {"--clean-env-a"},
       .into = &a_.clean_env,
       .description = {"A starts from an empty environment", "A 从空环境开始"},
       .group = group},
      {.names = {"--clean-env-b"},
       .into = &b_.clean_env,
       .description = {"B starts from an empty environment", "B 从空环境开始"},
       .group = group},
      {.names = {"--platform-a"},
       .value = "OS/ARCH",
       .into = &a_.platform,
       .description = {"of an image with several platforms: the one of A (default: that of --platform)",
                       "镜像有多个平台时 A 取哪一个（默认为 --platform 指定的）"},
       .group = group},
      {.names = {"--platform-b"},
       .value = "OS/ARCH",
       .into = &b_.platform,
       .description = {"of an image with several platforms: the one of B (default: that of --platform)",
                       "镜像有多个平台时 B 取哪一个（默认为 --platform 指定的）"},
       .group = group},
      {.names = {"--no-machine"},
       .into = &without_machine_,
       .description = {"do not compare driver, runtimes, frameworks and glibc", "不比较驱动、运行时、框架和 glibc"}},
      {.names = {"-q", "--quiet"},
       .into = &is_quiet_,
       .description = {"print nothing; only the exit status: 0 the same, 1 they differ",
                       "不输出任何内容，只给退出状态：0 相同，1 不同"}},
      language_option(world_.language),
      html_option(world_),
      jobs_option(jobs_),
  };
  OptionList shared = place_options(world_);
  std::erase_if(shared, [](const Option& option) { return option.names.front() == "--root"; });
  append(list, std::move(shared));
  return list;
}

}  // namespace

const Subcommand kDiff = {
    "diff",
    {"what decides differently in two roots, the first step that differs first",
     "两个根目录中决定结果的差异，先列出最先出现的一步"},
    {"Walks FILE in both roots and compares every request in the loader's order: the first step that differs, what "
     "follows from it, link maps, bindings and problems, and a change of B, tried in memory, with which it answers as "
     "A. Without FILE all programs and modules of both, by cause. Exit status 0 if they are the same, 1 if they "
     "differ.",
     "在两个根目录中分别解析 FILE，按动态链接器的顺序比较每个请求：最先不同的一步、由此而来的差异、加载列表、"
     "绑定和问题，以及在内存中试过、使 B 的结果与 A 相同的改动。"
     "不指定 FILE 时比较两边的所有程序和模块，按原因分组。"
     "相同时退出状态为 0，不同时为 1。"},
    kDiffExamples,
    invoke<DiffInvocation>};

}  // namespace soresolve::tool
