// The parts of the page that are the same for every answer: lib/report/page, compiled in by embed_page.py.
#pragma once
#include <string_view>

namespace soresolve {

struct HtmlParts {
  std::string_view policy;   ///< Content-Security-Policy: these parts by their hashes, and no request
  std::string_view style;    ///< page.css
  std::string_view library;  ///< lays out graphs; empty: built without it
  std::string_view script;   ///< page.js
};
HtmlParts html_parts();

}  // namespace soresolve
