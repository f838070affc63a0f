// An answer before it is rendered: for people a page of lines, for programs data.
//
// Language, colour and width are chosen when it is rendered.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "soresolve/api.h"
#include "soresolve/catalogue.h"
#include "soresolve/statement.h"

namespace soresolve {
/// What people read (report/page.h).
class Page;
}  // namespace soresolve

namespace soresolve SORESOLVE_API {

using WritePart = std::function<void(std::string_view)>;

using TakeStatement = std::function<void(const Statement&)>;

/// Both sides of one answer, each made when it is rendered; what the document was made from has to be there still.
struct Document {
  std::function<Page()> page;
  /// Schema soresolve/1 (lib/report/schema.json), written piece by piece.
  std::function<void(const WritePart&)> data;
  /// What data says in English words, so that they can be shown in another language.
  std::function<void(const TakeStatement&)> statements = {};
};

enum class Colour : std::uint8_t { Never, Always };
enum class Detail : std::uint8_t { Folded, Full };  ///< long lists and searches: their gist, or all

struct TextOptions {
  Language language = Language::English;
  Colour colour = Colour::Never;
  std::size_t width = 100;  ///< of prose, in columns
  enum class Reader : std::uint8_t { Pipe, Terminal } reader = Reader::Pipe;
  /// Columns of lines, cells and branches, which are broken between words and go on below where their content began;
  /// 0: they stay whole, as programs want them. What is to be typed or searched for stays whole always.
  std::size_t line_width = 0;
};
std::string to_text(const Document& document, const TextOptions& options = {});
std::string to_json(const Document& document);

/// How data is laid out: one document, or an object a line.
enum class DataForm : std::uint8_t { Whole, Lines };
struct HtmlOptions {
  std::string title;                      ///< what was asked: "soresolve why _C.so"
  Language language = Language::English;  ///< that it opens in; a switch on it has the other
  DataForm form = DataForm::Whole;
};
/// A file for a browser: text and data with what draws them. It needs nothing beside it and asks for nothing.
void write_html(const Document& document, const HtmlOptions& options, const WritePart& write);

}  // namespace SORESOLVE_API
