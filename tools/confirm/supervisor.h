// Runs each group in a process of its own and turns what it reports, or how it dies, into an answer.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "answer.h"
#include "plan.h"

namespace soresolve::confirm {

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
