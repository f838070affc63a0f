// What a status means, in the words of the library that returned it, and what it means for a confirmation.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "library.h"
#include "session.h"

namespace soresolve::confirm {

/// How statuses of the library with this role are told; null: by their number alone.
Library::Describe describer_of(std::string_view role);

/// A status of the driver or the runtime (the same numbers since CUDA 10.1) that ends a step: is it that
/// there is nothing here to run on (no GPU, a stub, a GPU in exclusive use, no memory left), or a fault?
/// `what` is "cuInit: error 100 (…)".
Outcome refusal(const Session& session, int code, const Statement& what, Outcome so_far = {});

/// Is a switch of the CUDA driver set in the environment? "0" and nothing are off.
bool is_switched_on(const char* variable);

/// Where the address space of processes is limited (ulimit -v), which CUDA cannot do with: that, and what came of it.
std::optional<Statement> limited_space(const Statement& what);
/// The end of a step in which a library did not do what it was asked for: there it could not, else it has failed.
Outcome refused_by_library(const Statement& what, Outcome so_far = {});

}  // namespace soresolve::confirm
