// Asks the library about a tree under musl's loader: a start, `LDSO --list FILE`, what the start binds. Each of the two
// goes by a name of the loader of its own: PT_INTERP, or the command.
#include <algorithm>
#include <memory>
#include <utility>

#include "differential/our_loader.h"
#include "loader/cpu.h"
#include "loader/load.h"
#include "soresolve/file_system.h"
#include "soresolve/world.h"
#include "support/borrowed.h"
#include "support/same_bindings.h"
#include "symbols/startup.h"

namespace soresolve::test {
namespace {

/// Without versions, and without what leaves no number behind; sorted.
std::vector<std::string> bindings(const LinkMap& map, const Bindings& all, const Tree& tree) {
  std::vector<std::string> lines;
  const auto name = [&](ObjectIndex object) { return object == 0 ? tree.file : std::string(map.objects[object].path); };
  all.for_each([&](const Bindings::Event& event) {
    if (event.binding == nullptr || event.binding->is_repeated || !event.binding->is_bound()) return;
    const SymbolBinding& binding = *event.binding;
    const ObjectRole role = map.objects[binding.referrer].role;
    if (role == ObjectRole::Vdso || binding.lookup_class == LookupClass::Copy) return;
    lines.push_back(name(binding.referrer) + "\t" + std::string(binding.symbol) + "\t-\t" + name(binding.provider));
  });
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

/// What the loader's command says of a file that it refuses.
bool is_refused(const Error& error, const Tree& tree, std::string& end, std::vector<std::string>& messages) {
  constexpr std::string_view kOwn = "the loader refuses it: ";
  if (!error.message.starts_with(kOwn)) return false;
  end = "exit 1";
  messages = {tree.loader + ": " + tree.file + ": " + error.message.substr(kOwn.size())};
  return true;
}

/// PT_INTERP, as the kernel reads it; empty: it has none.
std::string interpreter_of(const FileSystem& files, const Tree& tree) {
  const Result<std::unique_ptr<File>, Errno> file = files.open(absolute_path(tree.file, tree.cwd));
  if (!file) return {};
  const Result<ElfObject> elf = ElfObject::read(**file, tree.file);
  return elf && elf->has_interp ? std::string(elf->interp) : std::string();
}

/// --library-path and --preload stand for their variables.
Environment environment_of(const Tree& tree) {
  std::vector<std::string> entries = tree.environment;
  const auto replace = [&](const std::string& variable, const std::string& value) {
    std::erase_if(entries, [&](const std::string& entry) { return entry.starts_with(variable); });
    entries.push_back(variable + value);
  };
  for (std::size_t i = 0; i + 1 < tree.loader_options.size(); ++i) {
    if (tree.loader_options[i] == "--library-path") replace("LD_LIBRARY_PATH=", tree.loader_options[i + 1]);
    if (tree.loader_options[i] == "--preload") replace("LD_PRELOAD=", tree.loader_options[i + 1]);
  }
  return Environment(std::move(entries));
}

/// One tree, asked about twice.
class Asker {
 public:
  Asker(std::shared_ptr<const FileSystem> files, const Tree& tree)
      : files_(std::move(files)), tree_(tree), interpreter_(interpreter_of(*files_, tree)) {}

  LoaderAnswer ask(Runs runs) {
    if (auto error = start()) return failed(*error);
    if (runs == Runs::StartOnly) return std::move(answer_);
    if (auto error = list()) return failed(*error);
    return std::move(answer_);
  }

 private:
  [[nodiscard]] bool is_by_kernel() const { return tree_.launch == Launch::Kernel; }

  std::optional<Error> start() {
    const std::string loader = is_by_kernel() && !interpreter_.empty() ? interpreter_ : tree_.loader;
    const Result<System> system = read_system(files_, loader);
    if (!system) return system.error();
    Process process = process_of(tree_, *system, detect_host_cpu(system->rules.target, "x86_64"));
    if (!is_by_kernel()) process.environment = environment_of(tree_);
    const Result<LinkMap> map = load(*system, process, tree_.file, {.attempts = Attempts::Record});
    if (map) {
      if (auto error = start_up_whole(*system, process, *map)) return error;
    } else if (!is_refused(map.error(), tree_, answer_.start_end, answer_.start_messages)) {
      return map.error();
    }
    answer_.now_end = answer_.start_end;
    answer_.now_messages = answer_.start_messages;
    return std::nullopt;
  }

  std::optional<Error> start_up_whole(const System& system, const Process& process, const LinkMap& map) {
    const Result<StartFacts> facts = read_start_facts(map, {.own = OwnReferences::Counted});
    if (!facts) return facts.error();
    const Startup start = start_up(map, *facts, BindTime::AsAsked);
    answer_.start_end = end_of(start);
    answer_.start_messages = start.lines;
    const Result<Bindings> all = bind_symbols(map);
    if (!all) return all.error();
    if (const auto differs = difference(*all, facts->bindings)) {
      return Error{ErrorCode::Malformed, tree_.file, {}, "all references, or without own: " + *differs};
    }
    const bool is_looked_into = map.main().elf.has_interp && !process.secure;
    if (start.end == StartEnd::Runs && is_looked_into) answer_.bindings = bindings(map, *all, tree_);
    if (!is_by_kernel()) return std::nullopt;
    const std::string differs = why_differs(system, process, tree_.file, start);
    if (!differs.empty()) answer_.start_messages.push_back(differs);
    return std::nullopt;
  }

  /// As `soresolve ldd` asks. A library that names no loader is asked about by one that goes by the command's name.
  std::optional<Error> list() {
    if (interpreter_.empty()) return list_without_interpreter();
    WorldSettings settings;
    settings.where.files = files_;
    settings.start.env = environment_of(tree_).entries();
    settings.start.clean_env = settings.start.env.empty();
    settings.start.cwd = tree_.cwd;
    settings.process.opened_by = OpenedBy::Ldd;
    settings.host = read_host_facts();
    World world(std::move(settings));
    const Result<Resolution> run = world.resolve(tree_.file, {.on_fatal = OnFatal::Stop});
    return run ? take_list(run->map()) : take_refusal(run.error());
  }

  std::optional<Error> list_without_interpreter() {
    const Result<System> system = read_system(files_, tree_.loader);
    if (!system) return system.error();
    Process process = process_of(tree_, *system, detect_host_cpu(system->rules.target, "x86_64"));
    process.start = Start::Argument;
    process.environment = environment_of(tree_);
    const Result<LinkMap> map = load(*system, process, tree_.file);
    return map ? take_list(*map) : take_refusal(map.error());
  }

  std::optional<Error> take_refusal(const Error& error) {
    if (is_refused(error, tree_, answer_.trace_end, answer_.trace_messages)) return std::nullopt;
    return error;
  }

  std::optional<Error> take_list(const LinkMap& map) {
    const Result<TraceAnswer> traced = trace(map);
    if (!traced) return traced.error();
    answer_.trace_messages = traced->messages;
    answer_.trace = lines_in(traced->list);
    const bool is_done = traced->end == TraceAnswer::End::Good;
    answer_.trace_end = is_done && traced->lacks_version ? "exit 127" : end_of(*traced);
    return std::nullopt;
  }

  std::shared_ptr<const FileSystem> files_;
  const Tree& tree_;
  std::string interpreter_;
  LoaderAnswer answer_;
};

}  // namespace

LoaderAnswer ask_our_musl(const Sandbox& box, const Tree& tree, Runs runs) {
  const AsUser as_user(tree.is_secure ? 0 : tree.user);
  Result<std::unique_ptr<FileSystem>> files = rooted_file_system(box.root());
  if (!files) return failed(files.error());
  return Asker(std::move(*files), tree).ask(runs);
}

}  // namespace soresolve::test
