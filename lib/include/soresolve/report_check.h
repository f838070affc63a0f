// Text and JSON views of a check.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/check.h"
#include "soresolve/dlopens.h"
#include "soresolve/problem.h"
#include "soresolve/report.h"
#include "soresolve/requirement.h"

namespace soresolve SORESOLVE_API {

/// All that the views are made from; borrowed.
struct CheckReport {
  const LinkMap& map;
  const Check& check;
  Dlopens dlopens = {};            ///< what is opened later, with versions and symbols; empty: not looked at
  std::vector<Problem> cuda = {};  ///< what CUDA asks of the process; the text shows warnings
  std::vector<RequirementVerdict> requirements = {};
};

/// The verdict in one line, without its end: "ok", or the line with which the loader ends the start,
/// byte for byte; in words of our own where it would crash or block. "ok" is the same in every language.
std::string check_line(const CheckReport& report, Language language = Language::English);

/// For lists of several files: each line begins with the file. Printable.
std::string check_line_of_many(const CheckReport& report, Language language = Language::English);

/// What else the loader prints, all that is wrong, and what is worth knowing.
std::string check_proof(const CheckReport& report, Colour colour, Detail detail, Language language = Language::English);

/// The line, and the proof. Where the line would be "ok", but a requirement is not met or a library is lost later, the
/// first line says so, and the second what the loader says.
std::string check_text(const CheckReport& report, Colour colour, Detail detail, Language language = Language::English);

/// The same as JSON, schema `soresolve/1`, "check".
std::string check_json(const CheckReport& report, std::string_view file);

}  // namespace SORESOLVE_API
