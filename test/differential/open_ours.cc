// What the library predicts of a sequence of dlopen calls, in the terms of opener.cc.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "differential/open_case.h"
#include "loader/process.h"
#include "soresolve/symbols.h"
#include "soresolve/world.h"
#include "support/borrowed.h"
#include "support/same_bindings.h"
#include "symbols/settle_dlopen_calls.h"
#include "symbols/startup.h"

namespace soresolve::test {
namespace {

constexpr std::string_view kNoStaticTls = ": cannot allocate memory in static TLS block";
constexpr std::string_view kNoTls = ": thread-local storage without PT_TLS: the loader divides by zero";

/// The calls one after the other, each in a process in which those before it have succeeded or have been
/// taken back.
class Play {
 public:
  Play(const Sandbox& box, const OpenCase& asked) : box_(box), asked_(asked) { answer_.start_end = "exit 0"; }

  LoaderAnswer run() {
    std::optional<Error> error = prepare();
    for (std::size_t i = 0; i < calls_.size() && !error && answer_.start_end == "exit 0"; ++i) {
      // There is no code that could call.
      if (calls_[i].caller == kCaller && calls_[0].is_taken_back) break;
      error = call(i);
      ++made_;
    }
    if (!error && answer_.start_end == "exit 0") error = list_objects();
    if (!error && first_) error = compare_settled();
    if (error) answer_.start_messages.push_back("error: " + error->to_string());
    return std::move(answer_);
  }

 private:
  std::optional<Error> prepare() {
    WorldSettings& settings = settings_;
    settings.where.root = box_.root();
    settings.host = read_host_facts();
    settings.start.clean_env = true;
    settings.start.env = environment_of(asked_);
    settings.process.exe = std::string(kOpener);
    if (asked_.user != 0) settings.start.user = std::to_string(asked_.user);
    for (const OpenUser& user : open_users()) {
      if (user.uid == asked_.user && asked_.is_user_named) settings.start.user = user.name;
    }
    settings.process.mode = asked_.dlopen_calls.front().mode;
    Result<Resolution> run = World(settings).resolve(asked_.dlopen_calls.front().file);
    if (!run && run.error().code == ErrorCode::Unreadable) {
      answer_.start_end = "not executed";
      return std::nullopt;
    }
    if (!run) return run.error();
    first_.emplace(std::move(run).value());
    calls_ = asked_.dlopen_calls;
    return std::nullopt;
  }

  /// The walk with so many of the calls.
  [[nodiscard]] Result<Resolution> resolve_calls(std::size_t count) const {
    ResolveOptions options;
    options.on_fatal = OnFatal::Stop;
    options.dlopen_calls.assign(calls_.begin(), calls_.begin() + static_cast<std::ptrdiff_t>(count));
    return World(settings_).resolve(asked_.dlopen_calls.front().file, options);
  }

  std::optional<Error> call(std::size_t index) {
    const Result<Resolution> run = resolve_calls(index + 1);
    if (!run) return run.error();
    const LinkMap* const map = &run->map();
    const Result<StartFacts> facts = read_start_facts(*map, {.own = OwnReferences::Counted});
    if (!facts) return facts.error();
    const Result<Bindings> all = bind_symbols(*map);
    if (!all) return all.error();
    const std::size_t dlopen_call = map->dlopen_calls.size();
    if (const auto differs = difference(*all, facts->bindings, dlopen_call)) {
      return Error{ErrorCode::Malformed, std::string(kOpener), {}, "all references, or without own: " + *differs};
    }
    if (auto error = compare_continued(*map, *all)) return error;
    const DlopenCall& made = map->dlopen_calls.back();
    const Startup opened = open_up(*map, *facts, dlopen_call, made.mode.bind_time);
    const std::string message = opened.fatal_line ? opened.lines[*opened.fatal_line] : std::string();
    const bool fails = opened.end != StartEnd::Runs && !made.is_absent;
    if (made.is_absent) {
      // musl has words for it.
      answer_.start_messages.push_back(message.empty() ? "null" : message);
    } else if (!fails) {
      answer_.start_messages.push_back("ok");
    } else if (!message.empty()) {
      answer_.start_messages.push_back(message);
    }
    if (opened.end == StartEnd::Crashes) answer_.start_end = "signal";
    if (opened.end == StartEnd::Blocks) answer_.start_end = endless_end(opened.death);
    if (fails && opened.ends_process) answer_.start_end = "exit 127";
    calls_[index].is_taken_back = fails;
    calls_[index].tls_left = opened.tls_left;
    // RTLD_GLOBAL ends it after all else where there is no global scope.
    const std::string& error = opened.missing_error.empty() ? message : opened.missing_error;
    const bool is_last_step = opened.end == StartEnd::Crashes && made.space != 0 && is_global(made.mode.scope);
    // Nothing is bound before all files and versions are found; with AT_SECURE LD_DEBUG is not heard.
    const bool is_endless = opened.death.ends_with("looks it up again and again");
    // Round a circle the loader runs until it is out of stack, or of mappings.
    const bool is_circle = opened.death.find("lead in a circle") != std::string::npos;
    answer_.is_endless |= is_endless || is_circle || opened.end == StartEnd::Blocks;
    const bool divides = opened.death.ends_with(kNoTls);
    const bool is_bound = !fails || is_last_step || divides ||
                          error.find(": undefined symbol: ") != std::string::npos || error.ends_with(kNoStaticTls) ||
                          is_endless;
    if (asked_.is_musl) {
      // What a call that fails has bound is gone.
      if (!fails) note_bindings(*map, *all, {}, {});
      return std::nullopt;
    }
    if (is_bound && !first_->process().secure) note_bindings(*map, *all, error, opened.death);
    return std::nullopt;
  }

  /// Bound on top of the same process before the last call, all has to be as bound at once.
  static std::optional<Error> compare_continued(const LinkMap& map, const Bindings& all) {
    LoadOptions options;
    options.on_fatal = OnFatal::Stop;
    options.dlopen_calls = map.requested;
    options.dlopen_calls.pop_back();
    const Result<LinkMap> before = load(map.system, map.process, map.file, options);
    if (!before || before->dlopen_calls.size() + 1 != map.dlopen_calls.size()) return std::nullopt;
    const Result<Bindings> bound = bind_symbols(*before, {.own = OwnReferences::Counted});
    if (!bound) return std::nullopt;
    const Result<Bindings> both = bind_symbols(map, {.own = OwnReferences::Counted, .before = &*bound});
    if (!both) return both.error();
    const auto differs = difference(all, *both, map.dlopen_calls.size());
    if (!differs) return std::nullopt;
    return Error{ErrorCode::Malformed, std::string(kOpener), {}, "bound at once, or one after the other: " + *differs};
  }

  /// What the last dlopen call of the map bound, until its error, or what it never gets past, if there is one.
  void note_bindings(const LinkMap& map, const Bindings& all, const std::string& message, const std::string& death) {
    const std::pair<ObjectIndex, ObjectIndex> loaded = map.loaded_by(map.dlopen_calls.size());
    const bool is_lazy = map.dlopen_calls.back().mode.bind_time == BindTime::AsAsked;
    const auto shown = [&](ObjectIndex index) {
      const LoadedObject& object = map.objects[index];
      return std::string(object.path) + (object.space == 0 ? "" : "[" + std::to_string(object.space) + "]");
    };
    bool is_over = false;
    all.for_each([&](const Bindings::Event& event) {
      if (event.binding == nullptr || is_over) return;
      const SymbolBinding& binding = *event.binding;
      if (asked_.is_musl) return note_slot(map, binding, loaded.first);
      if (binding.referrer < loaded.first || (binding.is_lazy && is_lazy)) return;
      is_over = binding.is_undefined();
      if (!binding.is_bound()) return;
      is_over = death.starts_with(std::string(map.objects[binding.referrer].path) + ": " + std::string(binding.symbol) +
                                  " is of ");
      if (is_over) return;
      const std::string provider(map.objects[binding.provider].path);
      if (binding.tls_use == TlsUse::Required) is_over = message.ends_with(provider + std::string(kNoStaticTls));
      if (binding.tls_use != TlsUse::None) is_over |= death == provider + std::string(kNoTls);
      if (binding.symbol.empty() || !is_ours(map.objects[binding.referrer].path)) return;
      add_once(answer_.bindings,
               shown(binding.referrer) + "\t" + std::string(binding.symbol) + "\t" + shown(binding.provider));
    });
  }

  /// Without LD_DEBUG: what the relocation holds afterwards. musl binds calls at once, lazy or not.
  void note_slot(const LinkMap& map, const SymbolBinding& binding, ObjectIndex first) {
    if (binding.referrer < first || binding.symbol.empty()) return;
    const bool is_lazy = map.dlopen_calls.back().mode.bind_time == BindTime::AsAsked;
    if (is_lazy && binding.is_undefined()) {
      answer_.left_open.push_back(std::string(map.objects[binding.referrer].path) + "\t" + std::string(binding.symbol) +
                                  "\t");
    }
    if (!binding.is_bound()) return;
    constexpr std::uint8_t kThreadVariable = 6;
    if (binding.type == kThreadVariable || !is_ours(map.objects[binding.referrer].path)) return;
    add_once(answer_.bindings, std::string(map.objects[binding.referrer].path) + "\t" + std::string(binding.symbol) +
                                   "\t" + std::string(map.objects[binding.provider].path));
  }

  /// Those that fail are out of it.
  std::optional<Error> list_objects() {
    if (!first_) return std::nullopt;
    const Result<Resolution> run = resolve_calls(made_);
    if (!run) return run.error();
    const LinkMap* const map = &run->map();
    for (const ObjectIndex index : map->list_order) {
      const LoadedObject& object = map->objects[index];
      const bool is_musl_itself = asked_.is_musl && object.role == ObjectRole::Loader;
      const bool is_listed = (object.role == ObjectRole::Library || is_musl_itself) && object.space == 0;
      if (is_listed) answer_.trace.emplace_back(object.path);
    }
    for (const DlopenCall& call : map->dlopen_calls) {
      if (call.mode.into != OpenInto::NewNamespace || call.root == kNoObject) continue;
      bool is_behind = false;
      for (const ObjectIndex index : map->list_order) {
        const LoadedObject& object = map->objects[index];
        is_behind |= index == call.asked;
        const bool is_listed = object.role == ObjectRole::Library && object.space == call.space;
        if (is_behind && is_listed) answer_.trace.push_back(std::string(kInAnother) + std::string(object.path));
      }
    }
    return std::nullopt;
  }

  /// The library finds out by itself which of the calls fail.
  [[nodiscard]] std::optional<Error> compare_settled() const {
    std::vector<OpenRequest> dlopen_calls(asked_.dlopen_calls.begin(),
                                          asked_.dlopen_calls.begin() + static_cast<std::ptrdiff_t>(made_));
    const Result<std::vector<FailedDlopenCall>> failed =
        settle_dlopen_calls(first_->map().system, first_->map().process, first_->map().file, dlopen_calls, Settle::All);
    if (!failed && failed.error().code == ErrorCode::Unreadable) return std::nullopt;
    if (!failed) return failed.error();
    std::vector<std::string> messages;
    for (const std::string& message : answer_.start_messages) {
      if (message != "ok" && message != "null" && !message.ends_with(" is not already loaded"))
        messages.push_back(message);
    }
    std::vector<std::string> settled;
    for (const FailedDlopenCall& one : *failed) {
      if (!one.message.empty()) settled.push_back(one.message);
    }
    if (messages == settled) return std::nullopt;
    return Error{
        ErrorCode::Malformed,
        std::string(kOpener),
        {},
        "settle_openings: " + std::to_string(settled.size()) + " fail, not " + std::to_string(messages.size())};
  }

  const Sandbox& box_;
  const OpenCase& asked_;
  WorldSettings settings_;
  std::optional<Resolution> first_;
  std::vector<OpenRequest> calls_;
  std::size_t made_ = 0;
  LoaderAnswer answer_;
};

}  // namespace

LoaderAnswer ask_ours(const Sandbox& box, const OpenCase& asked) {
  LoaderAnswer answer = Play(box, asked).run();
  if (!asked.is_musl) return answer;
  std::sort(answer.bindings.begin(), answer.bindings.end());
  if (answer.start_end != "exit 0") answer.bindings.clear();  // nobody is left to read them
  return answer;
}

}  // namespace soresolve::test
