// What a log of LD_DEBUG shows of one process, and the first difference from what is predicted here.
#pragma once
#include <string>

#include "report/compare_log.h"
#include "soresolve/document.h"

namespace soresolve {

/// `comparison`: nullptr where the program is not here.
Page loader_log_page(const LoggedProcess& process, const LogComparison* comparison);
std::string loader_log_json(const LoggedProcess& process, const LogComparison* comparison);

}  // namespace soresolve
