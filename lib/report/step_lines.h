// The lines below a verdict, and the words that they have in common with other pages. Not here: what leads on
// (world/next_step.cc).
#pragma once
#include <string>
#include <vector>

#include "report/page.h"
#include "soresolve/answer.h"

namespace soresolve {

/// A phrase of a message's row with what the message captured in it.
Words filled_words(const Phrase& phrase, const Recognised& message);

/// "next: " and what leads on, broken at the reader's width.
Prose next_line(Words next);

/// Python's message without its guess of the reason.
std::string without_guess(std::string text);

/// The exception of an import as pages show it: without Python's guess where the cause is known.
std::string shown_exception(const PythonImport& import);

/// The commands of a fix, as they are typed: without sudo(8) in a root.
CommandText typed_in(const std::string& root, const Remedy& fix);
/// "   # inside the root ROOT", behind what changes that root; empty for the host, and for what starts the container.
Words root_remark(const Remedy& fix, const std::string& root);

/// The lines below a verdict: "try: " with the fix, else "next: " with what leads on; then the cause that is known.
/// Empty: nothing is wrong, or nothing is known.
std::vector<Block> step_lines(const NextStep& step, const std::string& root);

}  // namespace soresolve
