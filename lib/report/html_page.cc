// The page of --html: one file for a browser, which works from a disk and asks for nothing.
//
// What draws it is the same for every answer (lib/report/page); of the answer it has the text, which is also there
// where scripts do not run, the data as --json prints it, and the words of the data in Chinese. Data stands in script
// elements that no browser runs (HTML, 4.12.1.1 "data blocks"): what could end such an element is written as an escape
// of JSON.
#include <map>
#include <string>
#include <string_view>

#include "base/printable.h"
#include "catalogue/sentences.h"
#include "report/html_parts.h"
#include "report/json_parts.h"
#include "report/page.h"
#include "soresolve/document.h"

namespace soresolve {
namespace {

std::string html_of(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      default: html += c;
    }
  }
  return html;
}

/// A coloured text of to_text(), its tones as elements. Escapes of others are none any more: the renderer has made
/// them harmless.
std::string toned_html(std::string_view text) {
  constexpr std::string_view kBegin = "\x1b[";
  std::string html;
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin)) {
    html += html_of(text.substr(0, at));
    const std::size_t end = text.find('m', at);
    if (end == std::string_view::npos) return html;
    const std::string_view code = text.substr(at + kBegin.size(), end - at - kBegin.size());
    if (code == "0")
      html += "</span>";
    else
      html.append("<span class=\"tone").append(code).append("\">");
    text.remove_prefix(end + 1);
  }
  return html + html_of(text);
}

/// What --json prints, on its way into a script element: without indents, which are a third of it.
class Island {
 public:
  Island(const WritePart& write, bool is_lines) : write_(write), is_lines_(is_lines) {}

  void take(std::string_view json) {
    std::string part;
    for (const char c : json) {
      if (c == '\n') {
        is_indent_ = true;
        if (is_lines_) part += c;
        continue;
      }
      if (is_indent_ && c == ' ') continue;
      is_indent_ = false;
      switch (c) {
        case '<': part += "\\u003c"; break;
        case '>': part += "\\u003e"; break;
        case '&': part += "\\u0026"; break;
        default: part += c;
      }
    }
    write_(part);
  }

 private:
  const WritePart& write_;
  bool is_lines_;
  bool is_indent_ = false;
};

/// The Chinese of what data says in English.
Json words_in_chinese(const Document& document) {
  std::map<std::string, std::string> words;
  const TakeStatement take = [&](const Statement& statement) {
    if (statement.empty()) return;
    std::string english = sentence(statement, Language::English);
    std::string chinese = sentence(statement, Language::Chinese);
    if (english != chinese) words.insert_or_assign(std::move(english), std::move(chinese));
  };
  if (document.statements) document.statements(take);
  for (const Sentence& row : sentence_table().rows) {
    if (row.name == row.text.en) take(term(row.name));
  }
  Json json = Json::object();
  for (auto& [english, chinese] : words) json[english] = std::move(chinese);
  return json;
}

void write_text(const Page& page, Language language, const WritePart& write) {
  const TextOptions options = {
      .language = language, .colour = Colour::Always, .width = 100, .reader = TextOptions::Reader::Terminal};
  write("<pre lang=\"" + std::string(name_of(language)) + "\">" + toned_html(to_text(page, options)) + "</pre>\n");
}

}  // namespace

void write_html(const Document& document, const HtmlOptions& options, const WritePart& write) {
  const HtmlParts parts = html_parts();
  const auto element = [&](std::string_view tag, std::string_view name, std::string_view content) {
    std::string text = "<";
    text.append(tag).append(">").append(content).append("</").append(name).append(">\n");
    write(text);
  };
  write("<!DOCTYPE html>\n<html lang=\"" + std::string(name_of(options.language)) + "\">\n<head>\n");
  write("<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"" + html_of(parts.policy) +
        "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  write("<meta name=\"generator\" content=\"soresolve " SORESOLVE_VERSION "\">\n");
  element("title", "title", html_of(printable(options.title)));
  element("style", "style", parts.style);
  write("</head>\n<body>\n<main id=\"page\"></main>\n<section id=\"text\">\n");
  const Page page = document.page();
  for (const Language language : {Language::English, Language::Chinese}) write_text(page, language, write);
  write("</section>\n<script type=\"application/json\" id=\"data\">");
  Island data(write, options.form == DataForm::Lines);
  document.data([&](std::string_view part) { data.take(part); });
  write("</script>\n<script type=\"application/json\" id=\"zh\">");
  Island(write, false).take(dump_line(words_in_chinese(document)));
  write("</script>\n");
  if (!parts.library.empty()) element("script", "script", parts.library);
  element("script", "script", parts.script);
  write("</body>\n</html>\n");
}

}  // namespace soresolve
