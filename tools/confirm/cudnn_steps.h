// cuDNN: which one it is, which parts of it it really opens, and one convolution by its legacy calls.
#pragma once
#include "session.h"

namespace soresolve::confirm {

/// cudnnGetVersion and the version checks of its parts, which make it open them.
Outcome run_cudnn_version(Session& session);
/// One convolution, each element checked, and its time beside that of our plain kernel.
Outcome run_cudnn_convolution(Session& session);

/// 91900 is "9.19.0", 8906 is "8.9.6".
std::string cudnn_version_text(std::size_t number);

}  // namespace soresolve::confirm
