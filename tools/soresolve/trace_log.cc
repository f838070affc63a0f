// The library's trace lines through spdlog. The only place that knows it; nothing of it is touched
// unless -v is given.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/text.h"
#include "command.h"

namespace soresolve::tool {
namespace {

class SpdlogTraceLog final : public TraceLog {
 public:
  SpdlogTraceLog() : logger_("soresolve", std::make_shared<spdlog::sinks::stderr_sink_st>()) {
    logger_.set_level(spdlog::level::debug);
    logger_.set_pattern("%n: %v");
  }
  void line(std::string_view text) override { logger_.debug("{}", printable(text)); }

 private:
  spdlog::logger logger_;
};

}  // namespace

std::unique_ptr<TraceLog> make_trace_log() { return std::make_unique<SpdlogTraceLog>(); }

}  // namespace soresolve::tool
