// The import is made by `python -c`, with the environment and directory that the prediction has. The child tells when
// it has ended and waits, so that the loader's own list (struct r_debug) is read while it lives; nothing is loaded or
// traced for that in the child.
#include "confirm_import.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <set>

#include "base/path.h"
#include "child_process/child_process.h"
#include "host/host.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

/// What the child runs behind the name of the module. Of the standard library only what is in the interpreter itself is
/// used, so that nothing else is loaded. Reported is one line: the exception as traceback.format_exception_only() has
/// it, in hexadecimal digits.
constexpr std::string_view kBegin = "import posix\ntext = ''\ntry:\n import ";
constexpr std::string_view kEnd = R"(
except BaseException as error:
 kind = type(error)
 text = kind.__qualname__ if kind.__module__ in ('builtins', '__main__') else kind.__module__ + '.' + kind.__qualname__
 try:
  words = str(error)
 except BaseException:
  words = '<exception str() failed>'
 text += ': ' + words if words else ''
posix.write(3, b'x' + text.encode('utf-8', 'backslashreplace').hex().encode() + b'\n')
posix.read(3, 1)
)";

std::optional<std::string> text_of_digits(std::string_view digits) {
  std::string text;
  for (; digits.size() >= 2; digits.remove_prefix(2)) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + 2, value, 16);
    if (error != std::errc() || end != digits.data() + 2) return std::nullopt;
    text.push_back(static_cast<char>(value));
  }
  return text;
}

/// Of the running process.
void read_files(RealImport& real, int pid) {
  const Result<LiveProcess> live = read_live_process(pid);
  if (!live) {
    real.why_no_list = live.error().to_string();
    return;
  }
  if (!live->list_problem.empty()) real.why_no_list = sentence(live->list_problem, Language::English);
  real.is_in_load_order = live->is_in_load_order;
  for (const LiveObject& object : live->objects) {
    if (!object.is_dynamic_loader) real.files.push_back(object.path);
  }
}

RealImport run_import(const PythonImport& predicted, const WorldOptions& options, double timeout_s) {
  child::ChildSpec spec;
  spec.program = predicted.interpreter;
  spec.arguments = {predicted.interpreter, "-c", std::string(kBegin) + predicted.module + std::string(kEnd)};
  spec.environment = environment_of(options).entries();
  spec.timeout_s = timeout_s;
  std::atomic<pid_t> number = 0;
  spec.start.receiver = &number;
  RealImport real;
  const child::Orphans orphans;
  const child::ChildEnd end = child::run_child(spec, [&](std::string_view line) {
    const std::optional<std::string> reported = line.starts_with('x') ? text_of_digits(line.substr(1)) : std::nullopt;
    if (!reported || real.has_ended) return;
    real.has_ended = true;
    real.exception = *reported;
    read_files(real, number);
    ::kill(number, SIGKILL);
  });
  if (!real.has_ended) {
    real.end = child::describe(end, spec);
    real.said = end.said;
    real.last_words = child::last_words(end);
  }
  return real;
}

std::string real_path_of(const FileSystem& files, std::string_view path) {
  const Result<std::string, Errno> real = files.real_path(path);
  return real ? *real : std::string(path);
}

/// Fills `predicted_files`; the result are those of them that come by a step that is a guess.
std::set<std::string> add_predicted(ImportConfirmation& import, const LinkMap& map, const FileSystem& files) {
  std::set<ObjectIndex> guessed;
  for (std::size_t call = 1; call <= map.dlopen_calls.size(); ++call) {
    const std::size_t step = map.dlopen_calls[call - 1].number;
    if (step >= import.predicted.steps.size() || import.predicted.steps[step].evidence == StepEvidence::Likely)
      continue;
    const auto [first, end] = map.loaded_by(call);
    for (ObjectIndex i = first; i < end; ++i) guessed.insert(i);
  }
  std::set<std::string> undecided;
  for (const ObjectIndex i : map.list_order) {
    const LoadedObject& object = map.objects[i];
    if (object.role != ObjectRole::Library) continue;
    import.predicted_files.push_back(real_path_of(files, object.path));
    if (guessed.count(i) != 0) undecided.insert(import.predicted_files.back());
  }
  return undecided;
}

void compare_files(ImportConfirmation& import, const std::set<std::string>& undecided) {
  const std::set<std::string> predicted(import.predicted_files.begin(), import.predicted_files.end());
  const std::set<std::string> real(import.real.files.begin(), import.real.files.end());
  std::map<std::string_view, std::string> strange;  // of real ones, by their names
  for (const std::string& file : import.real.files) {
    if (predicted.count(file) == 0) strange.emplace(file_name_of(file), file);
  }
  for (const std::string& file : import.predicted_files) {
    if (real.count(file) != 0) continue;
    if (const auto twin = strange.find(file_name_of(file)); twin != strange.end()) {
      import.other_paths.push_back({file, twin->second});
      strange.erase(twin);
    } else {
      (undecided.count(file) != 0 ? import.undecided : import.not_loaded).push_back(file);
    }
  }
  for (const std::string& file : import.real.files) {
    const auto left = strange.find(file_name_of(file));
    if (left != strange.end() && left->second == file) import.unpredicted.push_back(file);
  }
}

/// What one of the files is known to open later may be opened while it is loaded as well: by its constructor, or as the
/// module is made. Each is asked as a file of its own.
void leave_out_later(ImportConfirmation& import, WorldOptions options, const FileSystem& files) {
  if (import.unpredicted.empty()) return;
  options.process.asked_as = AskedAs::File;
  WorldHere world(std::move(options));
  const auto resolve = [&](const std::string& path) { return world.resolve(path, {.look_for = LookFor::Nothing}); };
  std::set<std::string> later;
  for (const std::string& file : import.predicted_files) {
    const Result<Resolution> opener = resolve(file);
    if (!opener) continue;
    for (const Dlopen& opened : opener->dlopens(DlopenLevel::Known).list) {
      if (!opened.is_found || !later.insert(real_path_of(files, opened.shown().path)).second) continue;
      const Result<Resolution> alone = resolve(opened.shown().path);
      if (!alone) continue;
      for (const LoadedObject& object : alone->map().objects) later.insert(real_path_of(files, object.path));
    }
  }
  std::erase_if(import.unpredicted, [&](const std::string& file) { return later.count(file) != 0; });
}

/// The order of those that both have; when what is a possibility comes is not predicted.
void compare_order(ImportConfirmation& import, const std::set<std::string>& undecided) {
  if (!import.real.is_in_load_order) return;
  const auto common = [&](const std::vector<std::string>& list, const std::vector<std::string>& others) {
    const std::set<std::string> known(others.begin(), others.end());
    std::vector<std::string> both;
    std::copy_if(list.begin(), list.end(), std::back_inserter(both),
                 [&](const std::string& file) { return known.count(file) != 0 && undecided.count(file) == 0; });
    return both;
  };
  const std::vector<std::string> ours = common(import.predicted_files, import.real.files);
  const std::vector<std::string> theirs = common(import.real.files, import.predicted_files);
  const auto [at, other] = std::mismatch(theirs.begin(), theirs.end(), ours.begin(), ours.end());
  if (at != theirs.end()) import.out_of_order = *at;
}

bool agree_on_end(const ImportConfirmation& import) {
  const PythonImport& predicted = import.predicted;
  const RealImport& real = import.real;
  if (!import.start_failure.empty())
    return !real.has_ended && real.said.find(import.start_failure) != std::string::npos;
  if (predicted.ends_process || !real.has_ended) return predicted.ends_process && !real.has_ended;
  if (predicted.exception.empty() || real.exception.empty()) return predicted.exception == real.exception;
  const auto first_line = [](std::string_view text) { return text.substr(0, text.find('\n')); };
  return predicted.is_text_unknown || first_line(predicted.exception) == first_line(real.exception);
}

}  // namespace

Result<ImportConfirmation> confirm_import(const WorldOptions& options, const std::string& module, double timeout_s) {
  WorldHere world(options);
  const Result<Resolution> run =
      world.resolve(module, {.look_for = LookFor::Nothing, .import_extent = ImportExtent::Whole});
  if (!run) return Unexpected{run.error()};
  const Result<std::shared_ptr<const FileSystem>> files = world.files();
  if (!files) return Unexpected{files.error()};
  ImportConfirmation import;
  import.predicted = *run->import();
  if (const LoadFailure* failure = run->map().first_fatal(); failure != nullptr && run->map().dlopen_calls_left != 0)
    import.start_failure = failure->dlerror_message();
  const std::set<std::string> undecided = add_predicted(import, run->map(), **files);
  import.real = run_import(import.predicted, options, timeout_s);
  import.agrees_on_end = agree_on_end(import);
  if (!import.real.files.empty()) {
    compare_files(import, undecided);
    leave_out_later(import, options, **files);
    compare_order(import, undecided);
  }
  return import;
}

}  // namespace soresolve::tool
