// Text and JSON views of what a message means, and of the codes of problems.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/explain.h"
#include "soresolve/problem_words.h"
#include "soresolve/report.h"

namespace soresolve SORESOLVE_API {

/// The question that a message leads to, asked of the files here.
struct LookupAnswer {
  std::string command;             ///< what answers the same: "soresolve why FILE LIBRARY"
  std::string report;              ///< its output: text, for explain_json a document; empty for an error
  std::string error;               ///< why it could not be asked
  bool is_good = false;            ///< nothing is wrong
  bool is_needer_unknown = false;  ///< the message does not tell who needs the library
  std::string library;             ///< which library that is
};

struct ExplainReport {
  const std::vector<Recognised>& messages;
  const std::vector<LookupAnswer>& answers;
  bool is_mended = false;  ///< the files here tell of every cause, and nothing is wrong any more
  Language language = Language::English;
};
/// Each message with cause, proof and remedy; then the answers. Here and below `width` is that of prose,
/// in columns.
std::string explain_text(const ExplainReport& report, Colour colour, std::size_t width = 100);
/// The same as JSON, schema `soresolve/1`, "explain".
std::string explain_json(const ExplainReport& report);

/// What is said when nothing in a text is known.
std::string nothing_known_text(Language language, std::size_t width = 100);

/// `help CODE`: what the code means.
std::string problem_help_text(const ProblemWords& words, Language language, Colour colour, std::size_t width = 100);
/// `help codes`: all codes, a line each.
std::string problem_list_text(Language language, Colour colour);

}  // namespace SORESOLVE_API
