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

#include "input.h"
#include "soresolve/compare.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kWideColumns = 140;  // two paths side by side

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
  settings.where.root = is_this_machine(one.root) ? std::string() : one.root;
  settings.start.env.insert(settings.start.env.end(), one.env.begin(), one.env.end());
  settings.start.clean_env = settings.start.clean_env || one.clean_env;
  if (!one.platform.empty()) settings.where.place_options.platform = one.platform;
  return settings;
}

Exit DiffInvocation::run() {
  if (a_.root.empty() || b_.root.empty()) {
    return refuse_usage("diff", "A and B are required");
  }
  if (a_.root == "-" && b_.root == "-") return refuse_usage("diff", "standard input is one place: A or B");
  for (std::string* const root : {&a_.root, &b_.root}) {
    if (*root != "-") continue;
    Result<std::string> path = path_of_input();
    if (!path) return report_error(path.error());
    *root = std::move(path).value();
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
  const Exit same = comparison->unread_count() != 0 ? Exit::Usage : Exit::Good;
  finish(worse(written, comparison->is_same() ? same : Exit::Problem));
}

OptionList DiffInvocation::options() {
  OptionList list = {
      {.names = {"A"}, .into = &a_.root},
      {.names = {"B"}, .into = &b_.root},
      {.names = {"FILE"}, .into = &files_},
      {.names = {"--env-a"}, .value = "K=V", .into = &a_.env},
      {.names = {"--env-b"}, .value = "K=V", .into = &b_.env},
      {.names = {"--clean-env-a"}, .into = &a_.clean_env},
      {.names = {"--clean-env-b"}, .into = &b_.clean_env},
      {.names = {"--platform-a"}, .value = "OS/ARCH", .into = &a_.platform},
      {.names = {"--platform-b"}, .value = "OS/ARCH", .into = &b_.platform},
      {.names = {"--no-machine"}, .into = &without_machine_},
      {.names = {"-q", "--quiet"}, .into = &is_quiet_},
      language_option(world_.language),
      html_option(world_),
      jobs_option(jobs_),
  };
  OptionList shared = place_options(world_);
  std::erase_if(shared, [](const Option& option) {
    return option.names.front() == "--root" || option.names.front() == "--container";
  });
  append(list, std::move(shared));
  return list;
}

}  // namespace

const Subcommand kDiff = {"diff", invoke<DiffInvocation>};

}  // namespace soresolve::tool
