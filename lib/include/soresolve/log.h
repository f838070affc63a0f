// Lines on how an answer came about, for whoever looks into one. They are not part of any answer: an answer is the same
// with and without them, and what it says is in it.
#pragma once
#include <cstdint>
#include <string_view>

#include "soresolve/api.h"

namespace soresolve SORESOLVE_API {

/// How detailed a line is; the names and their order are those of spdlog.
enum class LogLevel : std::uint8_t {
  Trace,    ///< each attempt of a search, what became of each request, each dlopen call
  Debug,    ///< each request that is searched for, and where it was found; processes that were tried
  Info,     ///< what a question stands on: root, environment, loader, ld.so.cache, process
  Warning,  ///< what was left aside, and is in no answer
};

/// Receives the lines of a World (WorldSettings::log). Where several threads have Worlds with one Log, both functions
/// are called by several threads at once.
class Log {
 public:
  virtual ~Log() = default;
  /// Are lines of this level wanted? No line is put together unless they are.
  [[nodiscard]] virtual bool wants(LogLevel level) const = 0;
  /// One line, without its end. Texts from files are in it as they stand there.
  virtual void line(LogLevel level, std::string_view text) = 0;
};

}  // namespace SORESOLVE_API
