// The library's lines through spdlog. The only place that knows it; nothing of it is touched unless lines are wanted.
#include "log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <string>

#include "base/printable.h"

namespace soresolve::tool {
namespace {

constexpr spdlog::level::level_enum spdlog_level(LogLevel level) {
  return static_cast<spdlog::level::level_enum>(level);
}
static_assert(spdlog_level(LogLevel::Trace) == spdlog::level::trace &&
              spdlog_level(LogLevel::Debug) == spdlog::level::debug &&
              spdlog_level(LogLevel::Info) == spdlog::level::info &&
              spdlog_level(LogLevel::Warning) == spdlog::level::warn);

/// The sink writes each line out at once, so that the last one before a crash is seen; it may be used by several
/// threads.
class SpdlogLog final : public Log {
 public:
  explicit SpdlogLog(LogLevel lowest) : logger_("soresolve", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    logger_.set_level(spdlog_level(lowest));
    logger_.set_pattern(lowest == LogLevel::Trace ? "%n: %T.%e [%l] %v" : "%n: [%l] %v");
  }
  bool wants(LogLevel level) const override { return logger_.should_log(spdlog_level(level)); }
  void line(LogLevel level, std::string_view text) override {
    const std::string shown = printable(text);
    logger_.log(spdlog_level(level), spdlog::string_view_t(shown.data(), shown.size()));
  }

 private:
  spdlog::logger logger_;
};

}  // namespace

std::shared_ptr<Log> make_log(LogLevel lowest) { return std::make_shared<SpdlogLog>(lowest); }

}  // namespace soresolve::tool
