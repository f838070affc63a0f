// The parts of the page that are the same for every answer: lib/report/page, compiled in by embed_page.py.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>

namespace soresolve {

struct HtmlParts {
  std::string policy;   ///< Content-Security-Policy: these parts by their hashes, and no request
  std::string style;    ///< page.css
  std::string library;  ///< lays out graphs; empty: built without it
  std::string script;   ///< page.js
};
HtmlParts html_parts();

}  // namespace soresolve
