// Which dlopen calls of a process fail, each for itself: what a program that goes on after them has loaded.
//
// Source: glibc elf/dl-open.c:_dl_open: a call that fails is taken back as a whole. Files are found by the
// walk; versions, processor, symbols and static TLS are known only after it, so that the walk is repeated
// without each call that fails.
#include <algorithm>
#include <optional>
#include <utility>

#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/symbols.h"
#include "symbols/settle_dlopen_calls.h"
#include "symbols/startup.h"

namespace soresolve {
namespace {

class Settling {
 public:
  Settling(std::shared_ptr<const System> system, std::shared_ptr<const Process> process, std::string_view file,
           std::vector<OpenRequest>& dlopen_calls, Settle which, const std::vector<TagEdit>& tag_edits,
           const std::vector<NeedEdit>& need_edits)
      : tag_edits_(tag_edits), need_edits_(need_edits), system_(std::move(system)), process_(std::move(process)),
        file_(file), dlopen_calls_(dlopen_calls),
        end_(dlopen_calls.size() - (which == Settle::BeforeLast && !dlopen_calls.empty() ? 1 : 0)) {}

  Result<std::vector<FailedDlopenCall>> run() {
    while (needs_look() && !is_over_ && !error_) walk();
    if (error_) return Unexpected{std::move(*error_)};
    return std::move(failed_);
  }

 private:
  /// Calls of a live process have succeeded; alone they are no reason to look.
  [[nodiscard]] bool needs_look() const {
    return std::any_of(dlopen_calls_.begin() + static_cast<std::ptrdiff_t>(settled_),
                       dlopen_calls_.begin() + static_cast<std::ptrdiff_t>(end_),
                       [](const OpenRequest& request) { return !request.skips_loaded; });
  }

  /// One load of all that is not known to fail, up to the first that does.
  void walk() {
    LoadOptions options;
    options.dlopen_calls.assign(dlopen_calls_.begin(), dlopen_calls_.begin() + static_cast<std::ptrdiff_t>(end_));
    options.tag_edits = tag_edits_;
    options.need_edits = need_edits_;
    const Result<LinkMap> map = load(system_, process_, file_, options);
    if (!map) return fail(map.error());
    std::optional<StartFacts> facts;
    for (std::size_t dlopen_call = 1; dlopen_call <= map->dlopen_calls.size(); ++dlopen_call) {
      const std::size_t index = map->dlopen_calls[dlopen_call - 1].number;
      if (index < settled_) continue;
      const bool is_missing = map->dlopen_calls[dlopen_call - 1].root == kNoObject;
      if (dlopen_calls_[index].skips_loaded && !is_missing) continue;
      if (!facts) {
        Result<StartFacts> read = read_start_facts(*map, {.own = OwnReferences::Counted});
        if (!read) return fail(read.error());
        facts.emplace(std::move(read).value());
      }
      const Startup made = open_up(*map, *facts, dlopen_call, dlopen_calls_[index].mode.bind_time);
      settled_ = index + 1;
      // RTLD_NOLOAD that finds nothing leaves nothing behind either.
      if (made.end == StartEnd::Runs || map->dlopen_calls[dlopen_call - 1].is_absent) continue;
      return note(index, made);
    }
    // The walk ends where the start fails, too.
    settled_ = end_;
  }

  void note(std::size_t index, const Startup& made) {
    FailedDlopenCall failed{index, made.fatal_line ? made.lines[*made.fatal_line] : std::string(), made.ends_process};
    if (made.end == StartEnd::Crashes || made.end == StartEnd::Blocks) {
      failed.is_process_over = true;
      failed.death = made.death;
    }
    is_over_ = failed.is_process_over;
    dlopen_calls_[index].is_taken_back = !is_over_;
    dlopen_calls_[index].tls_left = made.tls_left;
    failed_.push_back(std::move(failed));
  }

  void fail(Error error) { error_ = std::move(error); }

  const std::vector<TagEdit>& tag_edits_;
  const std::vector<NeedEdit>& need_edits_;
  std::shared_ptr<const System> system_;
  std::shared_ptr<const Process> process_;
  std::string_view file_;
  std::vector<OpenRequest>& dlopen_calls_;
  std::size_t end_;
  std::size_t settled_ = 0;
  bool is_over_ = false;
  std::vector<FailedDlopenCall> failed_;
  std::optional<Error> error_;
};

}  // namespace

Result<std::vector<FailedDlopenCall>> settle_dlopen_calls(std::shared_ptr<const System> system,
                                                          std::shared_ptr<const Process> process, std::string_view file,
                                                          std::vector<OpenRequest>& dlopen_calls, Settle which,
                                                          const std::vector<TagEdit>& tag_edits,
                                                          const std::vector<NeedEdit>& need_edits) {
  return Settling(std::move(system), std::move(process), file, dlopen_calls, which, tag_edits, need_edits).run();
}

}  // namespace soresolve
