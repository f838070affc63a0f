// Every question that the commands ask of a file, one after the other, and what has to be so of each
// answer, whatever bytes the file and its world are made of.
//
// For fuzz targets and for the test on damaged files: none of them knows what the right answer is,
// but a JSON document is one, text drives no terminal, and a refusal says where and why.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/diagnose.h"
#include "soresolve/remedies.h"
#include "soresolve/world.h"

namespace soresolve::test {

struct EveryAnswer {
  std::size_t answered = 0;         ///< questions
  std::vector<Error> refusals;      ///< of those that could not be answered
  std::vector<std::string> broken;  ///< properties that do not hold: "why: its JSON is none"
};

/// What is a matter of the tree around the file, and not of the file.
struct QuestionLimits {
  std::size_t candidate_entries = 200;  ///< names that a search for candidates may look at
  FixFor fix_for = FixFor::All;         ///< a fix of the system plays ldconfig over all libraries that there are
  std::size_t listed_bindings = 500;    ///< written as JSON
  std::size_t form = 3;                 ///< 0 JSON, 1 English, 2 Chinese; all of them if it is none of these
};

/// By command; each is answered as text and as JSON.
enum class Question : std::uint8_t {
  Check,     ///< with ldd and tree
  Why,       ///< with remedies, in each language
  Bindings,  ///< with --unused and --floor
  Symvers,   ///< with --need, --for itself, and a comparison with itself
  Gpu,       ///< with --inside and --device
  Doctor,    ///< of the machine, whatever the file
};
inline constexpr std::size_t kQuestions = 6;

/// Asks `question` of `file`.
EveryAnswer ask(const WorldSettings& settings, const std::string& file, Question question,
                const QuestionLimits& limits = {});

/// Adds to `answer.broken` what a refusal lacks: a path (unless the question itself is wrong), a sentence, and for
/// what is wrong inside a file the place.
void judge_refusal(std::string_view question, const Error& error, EveryAnswer& answer);

/// Is it text that a terminal shows as it is: UTF-8 without control characters but line ends and tabs?
bool is_harmless_text(std::string_view text);

}  // namespace soresolve::test
