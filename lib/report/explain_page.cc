// What a message comes to on this machine, first: the answers to the questions that it leads to, as `why` and others
// show them, the verdict on top, then what to type. Below them what each message means in general.
//
// Folded, an answer is cut to its first lines, and names the command that prints the rest; of the general part cause
// and next step are left, and of messages that an answer has explained no command of ours. Not here: which questions a
// message leads to (tools/soresolve/explain.cc).
#include <algorithm>

#include "diagnose/hosts.h"
#include "report/explain_packages.h"
#include "report/explain_report.h"
#include "report/page.h"
#include "report/pages.h"
#include "report/step_lines.h"
#include "world/next_step.h"

namespace soresolve {
namespace {

constexpr std::size_t kColumn = 12;
constexpr std::size_t kAnswerLines = 12;

/// Does the page have a line to type, or what leads on?
bool leads_on(const Page& page) {
  return std::any_of(page.blocks().begin(), page.blocks().end(), [](const Block& block) {
    if (const Prose* const prose = std::get_if<Prose>(&block)) return to_text(prose->head).starts_with("next: ");
    const Line* const line = std::get_if<Line>(&block);
    return line != nullptr && (to_text(line->words).starts_with("try: ") || to_text(line->words).starts_with("next: "));
  });
}

bool is_minor(const Block& block) {
  const Line* const line = std::get_if<Line>(&block);
  return line != nullptr && line->is_minor;
}

/// Of a section whose lines are cut off: its heading alone, or the line before that.
bool is_bare_heading(const Block& block) {
  const Line* const line = std::get_if<Line>(&block);
  if (line == nullptr) return false;
  const std::string text = to_text(line->words);
  return text.empty() || text == to_text(say("fixes"));
}

class ExplainPage {
 public:
  explicit ExplainPage(const ExplainReport& report) : report_(report) {}

  Page make() {
    if (report_.messages.empty() && report_.answers.empty()) {
      page_.prose(say("nothing-known"));
      return std::move(page_);
    }
    for (const LookupAnswer& answer : report_.answers) {
      if (answer.error.empty() && !says_nothing(answer)) add_answer(answer);
    }
    if (report_.is_fixed) {
      page_.blank();
      page_.prose(good(say("nothing-wrong-any-more")));
    }
    for (const Recognised& message : report_.messages) {
      add_head(message);
      const bool is_first = &message == report_.messages.data();
      if (is_first && needs_step()) add_step(message);
      add_origin(message);
      const bool is_reported = std::any_of(report_.messages.data(), &message,
                                           [&](const Recognised& before) { return before.known == message.known; });
      if (is_reported || (message.is_explained && !is_full()))
        entry(say("head-cause"), say("as-above"));
      else
        add_words(message);
    }
    for (const LookupAnswer& answer : report_.answers) {
      if (answer.error.empty() && says_nothing(answer)) add_answer(answer);
    }
    add_unanswered();
    return std::move(page_);
  }

 private:
  /// A file that is well here and now, while the row of the text knows a cause that no file tells: it answers nothing.
  [[nodiscard]] bool says_nothing(const LookupAnswer& answer) const {
    return answer.is_good && !report_.is_fixed && !answer.about.empty() &&
           std::none_of(answer.about.begin(), answer.about.end(),
                        [](const Recognised* message) { return is_of_other_build(*message); });
  }

  void entry(const Statement& head, Words content) { page_.add(Prose{std::move(content), kColumn, head, 2}); }

  void add_head(const Recognised& message) {
    if (!page_.empty()) page_.blank();
    // Python's own guess is replaced by the answer above, where that is about this message.
    page_.heading(Words::foreign(is_answered(message) ? without_guess(message.text) : message.text));
  }

  /// Where no file here answers, the row says what to do: by a command that brings the library, else in words.
  void add_step(const Recognised& message) {
    const auto to_try = [&](const CommandText& command) { page_.line(Words(say("try")) + Words::command(command)); };
    if (!message.known->fix.empty()) return to_try(filled_command(message.known->fix, message));
    const std::optional<WhatBrings> brings = what_brings_missing(message);
    if (brings && !brings->commands.empty()) return to_try(brings->commands.front());
    const HostRow* host = host_of_title(message.captured("host"));
    std::string_view file = message.captured("consumer");
    if (file.empty()) file = message.captured("object");
    // "Error: {error}" names no file beside that of the loader's text.
    if (host == nullptr) host = host_of(file);
    const std::string installer = installer_for(host, file, message.captured("library"));
    if (is_of_other_build(message) && !installer.empty()) return to_try(filled_command(installer, message));
    const std::string_view object = message.captured("object");
    const std::string again =
        message.known->id == "invalid-elf-header" ? installer_for(host_of(object), object, {}) : std::string();
    if (!again.empty()) return to_try(filled_command(again, message));
    if (is_any_library(message))
      return page_.add(
          next_line(Words(say("next-search-lists", {{"typed", shell_word(message.captured("library"))}}))));
    if (!message.known->next.en.empty()) page_.add(next_line(filled_words(message.known->next, message)));
  }

  /// Is it cured by a build of the package for what is here? The general rows; others know more.
  static bool is_of_other_build(const Recognised& message) {
    return message.known->id == "missing-library" || message.known->id == "symbol-missing" ||
           message.known->id == "version-missing" || message.known->id == "node-abi" || is_of_other_release(message);
  }

  /// A library that is searched for by its name, and of which no row says more.
  static bool is_any_library(const Recognised& message) {
    const std::string_view library = message.captured("library");
    return message.known->id == "missing-library" && library.find(".so") != std::string_view::npos &&
           library.find('/') == std::string_view::npos;
  }

  void add_origin(const Recognised& message) {
    const KnownMessage& known = *message.known;
    const Statement seen =
        message.count == 1 ? Statement{} : say("seen-times", {{"count", message.count}, {"line", message.line}});
    const std::string_view host = message.captured("host");
    const bool is_through = !host.empty() && known.printer.en.find(host) == std::string_view::npos;
    const Words through = is_through ? Words(say("printed-through", {{"host", host}})) : Words();
    entry(say("head-from"),
          filled_words(known.printer, message) + through + " [" + Words::foreign(known.id) + "]" + seen);
  }

  void add_words(const Recognised& message) {
    // The answer has the cause, as far as the files here tell it.
    if (is_answered(message) && !is_full()) return;
    const KnownMessage& known = *message.known;
    entry(say("head-cause"), filled_words(known.cause, message));
    for (const std::string& variable : report_.variables) {
      const bool is_its = !known.variable.empty() && variable.starts_with(std::string(known.variable) + "=");
      if (is_its) entry(say("head-here"), Words::foreign(variable));
    }
    if (is_full()) entry(say("head-proof"), filled_words(known.proof, message));
    // Folded, what an answer has found out of the files here stands for what may be done in general.
    const bool has_step = std::any_of(report_.answers.begin(), report_.answers.end(),
                                      [](const LookupAnswer& answer) { return leads_on(answer.page); });
    if (has_step && !is_full()) return;
    const bool is_said = &message == report_.messages.data() && needs_step() && !what_brings_missing(message);
    if (!is_said) entry(say("head-next"), filled_words(known.next, message));
    std::string_view commands = known.command;
    while (!commands.empty()) {
      const std::size_t end = commands.find('\n');
      add_command(filled_command(commands.substr(0, end), message));
      commands.remove_prefix(end == std::string_view::npos ? commands.size() : end + 1);
    }
    if (const std::optional<WhatBrings> brings = what_brings_missing(message)) {
      entry(say("head-package"), brings->what);
      for (const CommandText& command : brings->commands) page_.add(Command{command, kColumn, true});
    } else if (const std::optional<WhatBrings> product = what_brings(message.captured("library"));
               known.problem == ProblemCode::MissingLibrary && product && !product->product.empty()) {
      entry(say("head-belongs"), words_of_others(product->product));
    }
  }

  /// Unless it is answered below, or asks about a file that is found out below.
  void add_command(const CommandText& command) {
    const bool is_open = command.text().find(" FILE") != std::string::npos;
    const bool is_answered =
        std::any_of(report_.answers.begin(), report_.answers.end(), [&](const LookupAnswer& answer) {
          return answer.command == command || (is_open && command.text().starts_with("soresolve "));
        });
    if (!is_answered) page_.add(Command{command, kColumn, true});
  }

  void add_answer(const LookupAnswer& answer) {
    if (!page_.empty()) page_.blank();
    const std::vector<Block>& blocks = answer.page.blocks();
    const bool is_cut = !is_full() && blocks.size() > kAnswerLines;
    std::vector<const Block*> list;
    for (const Block& block : blocks) {
      const bool is_left_out = is_cut && (list.size() == kAnswerLines - 1 || is_minor(block));
      if (!is_left_out) list.push_back(&block);
    }
    while (is_cut && is_bare_heading(*list.back())) list.pop_back();
    for (const Block* const block : list) page_.add(*block);
    const std::size_t shown = list.size();
    const Words command = Words::command(answer.command);
    page_.line(shown == blocks.size() ? dim(say("answer-of")) + command
                                      : dim(say("answer-goes-on", {{"count", blocks.size() - shown}})) + command);
    if (!answer.assumed.empty()) page_.prose(answer.assumed, 2);
    if (answer.is_needer_unknown) add_how_to_find_needer(answer);
  }

  /// What could not be asked of the files here, behind all that is known.
  void add_unanswered() {
    for (const LookupAnswer& answer : report_.answers) {
      if (answer.error.empty()) continue;
      page_.blank();
      page_.line(dim(say("answer-of")) + Words::command(answer.command));
      page_.line(bad(Words::foreign(answer.error)), 2);
    }
  }

  /// Does no answer lead on, nor find that nothing is wrong?
  [[nodiscard]] bool needs_step() const {
    return std::none_of(report_.answers.begin(), report_.answers.end(), [&](const LookupAnswer& answer) {
      return answer.error.empty() && ((answer.is_good && !says_nothing(answer)) || leads_on(answer.page));
    });
  }

  /// By what is wrong with the files here, and leads on.
  [[nodiscard]] bool is_answered(const Recognised& message) const {
    return std::any_of(report_.answers.begin(), report_.answers.end(), [&](const LookupAnswer& answer) {
      const bool is_about = std::find(answer.about.begin(), answer.about.end(), &message) != answer.about.end();
      return is_about && answer.error.empty() && !answer.is_good && leads_on(answer.page);
    });
  }

  [[nodiscard]] bool is_full() const { return report_.detail == Detail::Full; }

  void add_how_to_find_needer(const LookupAnswer& answer) {
    page_.prose(say("needer-unknown", {{"library", answer.library}}), 2);
    page_.add(Command{"LD_DEBUG=files PROGRAM 2>&1 | grep -F " + shell_word("file=" + answer.library + " "), 4, true});
    page_.prose(say("then-why-file", {{"typed", shell_path(answer.library)}}), 2);
  }

  const ExplainReport& report_;
  Page page_;
};

}  // namespace

namespace {

/// The first library of a SONAME in a process serves all of it: another package's import came first.
Page page_of_first_loaded(const OtherPathReport& report) {
  Page page;
  page.line(bad(say("other-first", {{"program", report.program}, {"file", report.there}, {"word", report.word}})));
  const std::string& importer = report.importer.empty() ? report.program : report.importer;
  page.add(next_line(say("next-import-first", {{"importer", importer}, {"package", report.package}})));
  page.blank();
  page.entry(say("head-at-failure"),
             Words::foreign(report.there) + say("other-first-there", {{"package", report.package}}));
  page.entry(say("head-predicted"), Words::foreign(report.here) + say("other-path-here"));
  page.more(say("other-first-once", {{"typed", shell_path(report.here)}}));
  return page;
}

}  // namespace

Document document_of(OtherPathReport report) {
  return {
      [report = std::move(report)] {
        if (!report.package.empty() && report.package != report.importer) return page_of_first_loaded(report);
        Page page;
        page.line(bad(say("other-path", {{"program", report.program}, {"file", report.there}, {"word", report.word}})));
        const Statement sets = report.script.empty() ? say("other-path-by-whom")
                                                     : say("other-path-by-script", {{"script", report.script}});
        page.add(next_line(Words(say("next-other-path", {{"directory", report.directory}})) + sets));
        page.blank();
        page.entry(say("head-at-failure"), Words::foreign(report.there) + say("other-path-there"));
        page.entry(say("head-predicted"), Words::foreign(report.here) + say("other-path-here"));
        return page;
      },
      {}};
}

namespace {

/// Is one library the build for a GPU, and the other that for the CPU alone?
bool is_for_gpu(std::string_view name) {
  constexpr std::string_view kWords[] = {"cuda", "_cu1", "-cu1", "rocm", "hip", "gpu"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

Statement next_of_function(const MissingFunctionReport& report) {
  if (!report.in_cxx.empty()) return say("next-extern-c", {{"symbol", report.symbol}});
  if (report.definers.empty())
    return say("next-one-release", {{"symbol", report.symbol}, {"file", file_name_of(report.path)}});
  const std::string& definer = report.definers.front();
  const bool is_gpus = is_for_gpu(file_name_of(definer)) && !is_for_gpu(file_name_of(report.path));
  return say(is_gpus ? "next-build-for-gpu" : "next-other-library",
             {{"typed", shell_path(definer)}, {"file", file_name_of(report.path)}});
}

}  // namespace

Document document_of(MissingFunctionReport report) {
  return {[report = std::move(report)] {
            Page page;
            page.line(bad(say("function-not-defined", {{"file", report.file}, {"symbol", report.symbol}})));
            page.add(next_line(next_of_function(report)));
            page.entry(say("head-cause"), say("function-looked-up", {{"symbol", report.symbol}}));
            if (report.path != report.file) page.more(say("function-file-read", {{"path", report.path}}));
            if (!report.in_cxx.empty())
              page.more(say("function-in-cxx", {{"symbol", report.symbol}, {"mangled", report.in_cxx}}));
            for (const std::string& definer : report.definers)
              page.more(say("function-defined-by", {{"path", definer}, {"symbol", report.symbol}}));
            return page;
          },
          {}};
}

Page explain_page(const ExplainReport& report) { return ExplainPage(report).make(); }

}  // namespace soresolve
