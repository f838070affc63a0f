// What a status means, in the words of the library that returned it, and what it means for a confirmation.
#pragma once
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

}  // namespace soresolve::confirm
