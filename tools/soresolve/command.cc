// Output with escapes on a terminal, colour, width, language, exit statuses. Options are in world_options.cc; no
// subcommand's own logic is here.
#include "command.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/text.h"
#include "output/output.h"
#include "report/page.h"
#include "result_file.h"

namespace soresolve::tool {
namespace {

/// An answer that cannot be written ends the program (see output.h); a message on standard error is lost.
void write_to(int descriptor, std::string_view text) {
  const int error = output::write_all(descriptor, text);
  if (error != 0 && descriptor == STDOUT_FILENO) output::end_unwritten("soresolve", error);
}

constexpr std::size_t kNarrowest = 40;

/// COLUMNS, or the terminal's; 0: neither says.
std::size_t columns_here() {
  std::size_t width = 0;
  if (const char* columns = std::getenv("COLUMNS")) {
    std::from_chars(columns, columns + std::strlen(columns), width);
  }
  winsize window = {};
  if (width == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) width = window.ws_col;
  return width;
}

/// Of a terminal; 0: it does not say how wide it is, and breaks lines by itself.
std::size_t line_columns() {
  const std::size_t width = columns_here();
  return width == 0 ? 0 : std::max(width, kNarrowest);
}

void write_harmless_to_terminal(int descriptor, std::string_view text) {
  if (::isatty(descriptor) == 1) return write_to(descriptor, printable_lines(text));
  write_to(descriptor, text);
}

}  // namespace

Exit worse(Exit a, Exit b) { return std::max(a, b); }

void finish(Exit status) {
  if (report_unrecorded()) status = worse(status, Exit::Usage);
  if (const int error = output::close_standard_output()) output::end_unwritten("soresolve", error);
  _exit(static_cast<int>(status));
}

void write_out(const Text& text) { write_to(STDOUT_FILENO, text.str()); }
void write_error(const Text& text) { write_to(STDERR_FILENO, text.str()); }
void write_json(std::string_view json) { write_to(STDOUT_FILENO, json); }
void write_as_loader(std::string_view text) { write_harmless_to_terminal(STDOUT_FILENO, text); }
void write_error_as_loader(std::string_view text) { write_harmless_to_terminal(STDERR_FILENO, text); }
void write_heading(std::string_view file) { write_out(Text::escaped(file) + ":\n"); }

bool wants_colour(const WorldOptions& options) {
  if (options.colour != "auto") return options.colour == "always";
  const auto value_of = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  if (!value_of("NO_COLOR").empty()) return false;
  if (const std::string_view forced = value_of("FORCE_COLOR"); !forced.empty()) return forced != "0";
  return ::isatty(STDOUT_FILENO) == 1 && !value_of("TERM").empty() && value_of("TERM") != "dumb";
}

TextOptions text_options(const WorldOptions& options) {
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  return {.language = language_of(options.language),
          .colour = wants_colour(options) ? Colour::Always : Colour::Never,
          .width = text_width(),
          .reader = is_terminal ? TextOptions::Reader::Terminal : TextOptions::Reader::Pipe,
          .line_width = is_terminal ? line_columns() : 0};
}

Detail detail_of(const WorldOptions& options) { return options.verbose ? Detail::Full : Detail::Folded; }

void write_document(const Document& document, const WorldOptions& options) {
  if (options.json) {
    document.data([](std::string_view part) { write_to(STDOUT_FILENO, part); });
  } else {
    write_to(STDOUT_FILENO, to_text(document, text_options(options)));
  }
}

Exit write_html_file(const Document& document, const WorldOptions& options, const std::string& title, DataForm form) {
  if (options.html.empty()) return Exit::Good;
  const HtmlOptions html = {title, language_of(options.language), form};
  const std::optional<Error> error = write_result_file(
      options.html, [&](const std::function<void(std::string_view)>& write) { write_html(document, html, write); });
  if (!error) return Exit::Good;
  report_error(*error);
  return Exit::Failure;
}

Output print(Result<Output> answer, const WorldOptions& options, const std::string& title) {
  if (!answer) return {.exit = report_error(answer.error())};
  const Exit written = answer->browsed.page ? write_html_file(answer->browsed, options, title) : Exit::Good;
  if (answer->document.page) write_document(answer->document, options);
  answer->exit = worse(answer->exit, written);
  return std::move(answer).value();
}

void write_page(const Page& page, const WorldOptions& options) {
  write_to(STDOUT_FILENO, to_text(page, text_options(options)));
}

std::size_t text_width() {
  constexpr std::size_t kWidest = 100;  // longer lines are hard to read
  const std::size_t width = columns_here();
  return width == 0 ? kWidest : std::clamp(width, kNarrowest, kWidest);
}

Language language_of(const std::string& option) {
  if (const std::optional<Language> language = find_language(option)) return *language;
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* locale = std::getenv(variable);
    if (locale != nullptr && *locale != '\0') return language_of_locale(locale);
  }
  return Language::English;
}

}  // namespace soresolve::tool
