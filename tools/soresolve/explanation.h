// The answer of `explain`, for those that have messages from elsewhere.
#pragma once
#include <cstdint>
#include <vector>

#include "command.h"
#include "compare/loader_log.h"

namespace soresolve::tool {

enum class Analysis : std::uint8_t { None, OfFilesHere };

/// Writes on standard output what the messages mean and, with an analysis, what the files here show of it. The result
/// is the exit status of `explain`.
/// `processes`: of a log of LD_DEBUG.
Exit write_explanation(const std::vector<Recognised>& messages, const WorldOptions& options, Analysis analysis,
                       const std::vector<LoggedProcess>& processes = {});

}  // namespace soresolve::tool
