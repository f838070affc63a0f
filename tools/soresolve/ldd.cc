// soresolve ldd: the loader's own list.
#include "meaning.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

Exit print_list(WorldHere& world, const Result<Resolution>& run, const WorldOptions& options, const std::string& file) {
  if (!run && run.error().code == ErrorCode::NotDynamic) {
    return report_not_dynamic("\t", run.error());
  }
  if (!run) {
    const Result<Answer> refused = world.ask({.file = file});
    if (!refused || refused->run() != nullptr) return report_error(run.error());
    // Nothing is listed. Of a program ldd(1) shows the shell's line; a script it gives to no interpreter.
    const bool is_script = run.error().code == ErrorCode::NotFound;
    if (!options.json) {
      write_error_as_loader(is_script ? "\tnot a dynamic executable\n" : refused->diagnosis().loader_prints + "\n");
    }
    if (options.json) write_document(view(*refused, {.as = View::As::Ldd}), options);
    return Exit::Problem;
  }
  const LinkMap& map = run->map();
  if (options.json) write_document(document_of(LddReport{map, run->file()}), options);
  const Result<TraceAnswer> traced = trace(map);
  if (!traced) return report_error(traced.error());
  if (!options.live.core.empty()) report_notes(map, options);  // what of the process is not in the dump
  for (const std::string& message : traced->messages) write_error_as_loader(message + "\n");
  switch (traced->end) {
    case TraceAnswer::End::Good: break;
    case TraceAnswer::End::Fails: return Exit::Problem;
    case TraceAnswer::End::Crashes:
      write_error_as_loader("soresolve: the loader would crash on " + traced->reason + "\n");
      return Exit::Problem;
    case TraceAnswer::End::Blocks:
      write_error_as_loader("soresolve: the loader would wait forever on " + traced->reason + "\n");
      return Exit::Problem;
  }
  if (!options.json) write_as_loader(traced->list);
  return map.first_fatal() != nullptr || traced->lacks_version ? Exit::Problem : Exit::Good;
}

/// What a process has loaded. It runs, or did: nothing of the answer is bad.
Output list_process(WorldHere& world, const WorldOptions& options) {
  Result<Resolution> run = world.resolve_running();
  if (!run) {
    const bool is_static = run.error().code == ErrorCode::NotDynamic;
    return {.exit = is_static ? report_not_dynamic("\t", run.error()) : report_error(run.error())};
  }
  const auto facts = std::make_shared<const Resolution>(*std::move(run));
  report_notes(facts->map(), options);
  write_document(document_of(LddReport{facts->map(), facts->file()}), options);
  return {.exit = Exit::Good, .facts = facts};
}

class LddInvocation final : public Invocation {
 public:
  OptionList options() override {
    OptionList list = {files_option(files_)};
    list.push_back({.names = {"-d", "-r", "--data-relocs", "--function-relocs"}, .into = &binds_symbols_});
    list.push_back({.names = {"-u", "--unused"}, .into = &wants_unused_});
    append(list, driver_options(options_));
    append(list, world_options(options_));
    return list;
  }
  std::vector<std::string>* plain_words() override { return &files_; }

  Exit run() override {
    if (binds_symbols_) return hand_on(kLdd, kCheck, {}, typed(), "ldd lists libraries and binds no symbols");
    if (wants_unused_)
      return hand_on(kLdd, kBindings, {"--unused"}, typed(), "ldd lists libraries and binds no symbols");
    if (const auto exit = complete_files(kLdd, options_, files_, typed())) return *exit;
    // The loader's own list of a file needs nobody who opens it.
    if (options_.live.pid == 0) options_.process.opened_by = OpenedBy::Ldd;
    WorldHere world(options_);
    if (!options_.json) world.report_driver();
    if (is_about_process(options_, files_)) finish(list_process(world, options_).exit);
    answer_each(files_, options_.json ? Headings::None : Headings::OfSeveral, [&](const std::string& file) {
      Result<Resolution> run = world.resolve(
          file, {.attempts = options_.json ? Attempts::Record : Attempts::Discard, .on_fatal = OnFatal::Stop});
      const Exit exit = print_list(world, run, options_, file);
      return Output{.exit = exit, .facts = std::make_shared<const Result<Resolution>>(std::move(run))};
    });
  }

 private:
  WorldOptions options_;
  bool binds_symbols_ = false;
  bool wants_unused_ = false;
  std::vector<std::string> files_;
};

}  // namespace

const Subcommand kLdd = {"ldd", invoke<LddInvocation>};

}  // namespace soresolve::tool
