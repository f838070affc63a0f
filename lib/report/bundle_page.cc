// A bundle for people: the verdict in the target, the command that copies, what the search there needs, then the list.
// Where a FILE does not work there, its check comes first, as `check` shows it.
#include <algorithm>
#include <utility>

#include "report/page.h"
#include "report/pages.h"

namespace soresolve {
namespace {

constexpr std::size_t kBundleIndent = 2;

class BundlePage {
 public:
  BundlePage(const BundleReport& report, Detail detail) : report_(report), bundle_(report.bundle), detail_(detail) {}

  Page make() {
    add_verdict();
    if (bundle_.works()) {
      add_commands();
      add_entries();
    }
    add_left_out();
    add_notes();
    return std::move(page_);
  }

 private:
  [[nodiscard]] Statement target() const {
    return report_.into.empty() ? say("bundle-empty-root") : say("bundle-root", {{"path", report_.into}});
  }

  void add_verdict() {
    if (bundle_.works()) {
      if (bundle_.file_count == 0 && bundle_.link_count == 0) {
        page_.line(good(say("bundle-nothing", {{"target", target()}})));
      } else if (bundle_.search.empty()) {
        page_.line(good(say("bundle-works", {{"target", target()},
                                             {"files", bundle_.file_count},
                                             {"links", bundle_.link_count},
                                             {"bytes", bundle_.size_bytes}})));
      } else {
        page_.line(warn(say("bundle-works-with", {{"target", target()},
                                                  {"files", bundle_.file_count},
                                                  {"links", bundle_.link_count},
                                                  {"bytes", bundle_.size_bytes}})));
      }
    }
    bool is_floor_known = false;
    for (const BundledProgram& program : bundle_.programs) {
      if (program.verdict == Verdict::Works || (program.verdict == Verdict::Depends && !program.answer)) continue;
      add_check(program);
      if (program.verdict != Verdict::Fails) continue;
      if (program.fails_in_source) {
        page_.line(bad(say("bundle-fails-in-source", {{"file", program.file}})), kBundleIndent);
        continue;
      }
      page_.line(say("bundle-fails-in", {{"file", program.file}, {"target", target()}}), kBundleIndent);
      is_floor_known = true;
    }
    for (const BundleConflict& conflict : bundle_.conflicts) {
      page_.line(
          bad(say("bundle-conflict", {{"target", target()}, {"own", conflict.target}, {"source", conflict.source}})),
          kBundleIndent);
    }
    if (is_floor_known && !bundle_.conflicts.empty()) page_.line(say("bundle-floor"), kBundleIndent);
    for (const BundledProgram& program : bundle_.programs) {
      if (program.missing.empty()) continue;
      page_.line(warn(say("bundle-lost-later",
                          {{"file", program.file}, {"target", target()}, {"names", NameList{program.missing, 0}}})),
                 kBundleIndent);
    }
  }

  void add_check(const BundledProgram& program) {
    if (program.error) page_.line(bad(Words::foreign(program.error->to_string())));
    if (!program.answer || program.error) return;
    const bool is_whole = program.verdict == Verdict::Fails && bundle_.programs.size() == 1;
    const CheckForm form = is_whole ? CheckForm::Whole : CheckForm::NamedLine;
    const View how = {.as = View::As::Check, .form = form, .detail = detail_, .steps = View::Steps::LeftOut};
    page_.append(view(*program.answer, how).page());
  }

  void add_commands() {
    if (bundle_.file_count == 0 && bundle_.link_count == 0) return;
    const bool is_listable = std::all_of(bundle_.entries.begin(), bundle_.entries.end(),
                                         [](const BundledEntry& entry) { return entry.path == entry.source; });
    CommandText command =
        (is_listable ? CommandText("soresolve bundle --format list") : "soresolve bundle --format dockerfile") +
        report_.words;
    if (is_listable) {
      command += " | tar -C " + (report_.root.empty() ? "/" : shell_path(report_.root)) +
                 " --no-recursion -cf - -T - | tar -C " + (report_.into.empty() ? "DIR" : shell_path(report_.into)) +
                 " -xf -";
    }
    page_.line(Words(say("bundle-copy")) + Words::command(command));
    bool is_first = true;
    for (const BundleSearch& search : bundle_.search) {
      for (const CommandText& line : search.lines) {
        const bool is_last = &line == &search.lines.back();
        Words words = is_first                         ? Words(say("bundle-search"))
                      : &line == &search.lines.front() ? Words(say("bundle-or"))
                                                       : Words("        ");
        words += Words::command(line);
        if (is_last) words += dim(search.works ? say("bundle-search-works") : say("bundle-search-fails"));
        page_.line(std::move(words));
        is_first = false;
      }
    }
  }

  void add_entries() {
    Table table;
    table.indent = kBundleIndent;
    table.columns = {{{}, Table::Side::Right, 0}, {{}, Table::Side::Left, 0}};
    if (is_full()) table.columns.push_back({{}, Table::Side::Left, 0});
    for (const BundledEntry& entry : bundle_.entries) {
      if (entry.kind == BundledKind::Directory) continue;
      const bool is_file = entry.kind == BundledKind::File;
      Words name = Words("  ") + Words::foreign(entry.path);
      if (!is_file) name += say("bundle-link", {{"link", entry.link}});
      if (entry.replaces) name += warn(say("bundle-replaces", {{"target", target()}}));
      std::vector<Words> row = {is_file ? Words::number(entry.size_bytes) : Words(), std::move(name)};
      if (is_full()) row.push_back(Words("  ") + dim(reason_of(entry)));
      table.rows.push_back(std::move(row));
    }
    if (table.rows.empty()) return;
    page_.blank();
    page_.heading(say("bundle-list"));
    page_.add(std::move(table));
    page_.line(say("bundle-total",
                   {{"files", bundle_.file_count}, {"links", bundle_.link_count}, {"bytes", bundle_.size_bytes}}));
  }

  static Statement reason_of(const BundledEntry& entry) {
    switch (entry.reason) {
      case BundledFor::Asked: return say("bundle-for-asked");
      case BundledFor::Interpreter: return say("bundle-for-interpreter");
      case BundledFor::Loader: return say("bundle-for-loader");
      case BundledFor::Needed: break;
      case BundledFor::OpenedLater: return say("bundle-for-later", {{"needer", entry.needed_by}});
    }
    return entry.needed_by.empty() ? say("bundle-for-asked") : say("bundle-for-needed", {{"needer", entry.needed_by}});
  }

  void add_left_out() {
    std::vector<const BundleLeftOut*> there;
    NameList driver;
    for (const BundleLeftOut& left : bundle_.left_out) {
      if (left.why == BundleLeftOut::Why::OfDriver)
        driver.shown.push_back(left.name);
      else
        there.push_back(&left);
    }
    if (!there.empty() || !driver.shown.empty()) page_.blank();
    if (!there.empty() && !is_full()) {
      page_.line(dim(say("bundle-left-out", {{"count", there.size()}, {"target", target()}})));
    } else if (!there.empty()) {
      page_.line(say("bundle-left-out-all", {{"target", target()}}));
      for (const BundleLeftOut* const left : there) {
        const bool is_same = left->why == BundleLeftOut::Why::Same;
        page_.line(
            Words::foreign(left->target) + ": " + dim(is_same ? say("bundle-left-same") : say("bundle-left-serves")),
            kBundleIndent);
      }
    }
    const std::size_t count = driver.shown.size();
    if (count != 0) page_.line(warn(say("bundle-left-driver", {{"names", std::move(driver)}, {"count", count}})));
  }

  void add_notes() {
    if (!bundle_.works() || bundle_.file_count == 0) return;
    if (bundle_.has_hwcaps) page_.line(warn(say("bundle-hwcaps")));
    if (bundle_.converts_text) page_.line(dim(say("bundle-iconv")));
    page_.line(dim(say("bundle-data-files")));
  }

  [[nodiscard]] bool is_full() const { return detail_ == Detail::Full; }

  const BundleReport& report_;
  const Bundle& bundle_;
  const Detail detail_;
  Page page_;
};

}  // namespace

Page bundle_page(const BundleReport& report, Detail detail) { return BundlePage(report, detail).make(); }

}  // namespace soresolve
