// Runs each group in a process of its own and turns what it reports, or how it dies, into an answer.
//
// The libraries in such a process are strangers, and may write to its report as well. So a line counts only with the
// key that this process was given, what it says has to agree with the plan, and at the end the process has to say that
// it is through and exit with 0. Not cured: code that searches its own process for the key (lib/docs/threat-model.md).
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "answer.h"
#include "plan.h"

namespace soresolve::confirm {

/// Characters of a key.
inline constexpr std::size_t kKeyLength = 32;

/// What happens while it runs.
using OnProgress = std::function<void(std::string_view group, std::string_view step)>;

struct Supervisor {
  std::string program;    ///< the probe itself, which is run again as the child
  std::string plan_text;  ///< what the child gets; the same plan
  OnProgress on_progress;
};

/// One after the other where a GPU may be shared by nobody; all at once where there is none.
Answer supervise(const Plan& plan, const Supervisor& supervisor);

}  // namespace soresolve::confirm
