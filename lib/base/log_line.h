// Writes a line into a log that may want none: its text is only put together where it is wanted.
#pragma once
#include "soresolve/log.h"

namespace soresolve {

/// `log` may be null.
inline bool wants(const Log* log, LogLevel level) { return log != nullptr && log->wants(level); }

/// `compose` gives the text, as something that a string_view can be made of.
template <class Compose>
void log_line(Log* log, LogLevel level, const Compose& compose) {
  if (wants(log, level)) log->line(level, compose());
}

}  // namespace soresolve
