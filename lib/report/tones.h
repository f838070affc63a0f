// Words in a tone, shortly: bad(say("…")) + " " + name. What a tone looks like is the renderer's business.
#pragma once
#include <utility>

#include "report/page.h"
#include "soresolve/document.h"

namespace soresolve {

inline Words bad(Words words) { return std::move(words).in(Tone::Bad); }
inline Words good(Words words) { return std::move(words).in(Tone::Good); }
inline Words warn(Words words) { return std::move(words).in(Tone::Warn); }
inline Words strong(Words words) { return std::move(words).in(Tone::Strong); }
inline Words dim(Words words) { return std::move(words).in(Tone::Dim); }
inline Words as_name(Words words) { return std::move(words).in(Tone::Name); }

}  // namespace soresolve
