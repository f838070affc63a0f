// Sources: glibc elf/dl-load.c (the text of a path is what stands in a search list, with $ORIGIN for the directory of
// the file that has it), elf/rtld.c (LD_LIBRARY_PATH).
#include "failed_process.h"

#include <algorithm>

#include "base/path.h"
#include "base/small_file.h"
#include "diagnose/static_tls.h"
#include "loader/process.h"
#include "loader/system.h"
#include "python/environment_needers.h"
#include "python/environments.h"
#include "world/surroundings.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kMostTried = 12;
constexpr std::size_t kMostListed = 512;
constexpr std::size_t kMostPrograms = 64;
constexpr std::uint64_t kLongestScript = 64 << 10;

bool needs(const NearFile& file, std::string_view library) {
  return std::find(file.needs.begin(), file.needs.end(), library) != file.needs.end();
}

bool has_object(const LinkMap& map, const FileId& id) {
  return std::any_of(map.objects.begin(), map.objects.end(), [&](const LoadedObject& object) {
    return object.role != ObjectRole::Placeholder && object.status.id == id;
  });
}

/// Of a path that an $ORIGIN has made: the directory of the file that has it.
std::string origin_of(std::string_view path) {
  const std::size_t up = path.find("/../");
  return path.starts_with('/') && up != std::string_view::npos ? std::string(path.substr(0, up)) : std::string();
}

class ProcessFinder {
 public:
  ProcessFinder(WorldHere& world, const WorldOptions& options, const LoadersMessage& message, const FileSystem& files,
                std::string cwd)
      : world_(world), options_(options), message_(message), files_(files), cwd_(std::move(cwd)), near_(files) {}

  std::optional<ProcessQuestion> find() {
    for (const std::string_view path : {std::string_view(message_.provider), std::string_view(message_.file)}) {
      if (auto found = of_origin(origin_of(path))) return found;
    }
    if (auto found = of_environment()) return found;
    return of_programs();
  }

 private:
  [[nodiscard]] std::string name() const { return std::string(file_name_of(message_.file)); }

  bool may_try() { return tried_++ < kMostTried; }

  std::optional<ProcessQuestion> of_origin(const std::string& directory) {
    if (directory.empty()) return std::nullopt;
    const Result<std::vector<std::string>, Errno> names = files_.list_directory(directory);
    if (!names) return std::nullopt;
    const std::string provider(file_name_of(message_.provider));
    for (std::size_t i = 0; i < std::min(names->size(), kMostListed); ++i) {
      const std::string path = path_in(directory, (*names)[i]);
      const std::shared_ptr<const NearFile> file = near_.file(path);
      if (!file || (!needs(*file, provider) && !needs(*file, name()))) continue;
      if (auto found = file->has_interp ? of_program(path) : of_module(path)) return found;
    }
    return std::nullopt;
  }

  /// Modules of the active environment of Python.
  std::optional<ProcessQuestion> of_environment() {
    const std::vector<std::string>& sites = active_sites();
    for (const std::string& file : environment_needers(files_, sites, name(), kMostTried)) {
      if (auto found = of_module(file)) return found;
    }
    return std::nullopt;
  }

  std::optional<ProcessQuestion> of_programs() {
    if (!message_.file.starts_with('/')) return std::nullopt;
    const Surroundings around = read_surroundings(near_, message_.file);
    const std::size_t count = std::min({around.programs.size(), around.related_programs, kMostPrograms});
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& path = around.programs[i]->entry->path;
      const std::shared_ptr<const NearFile> file = near_.file(path);
      if (!file || !file->has_interp) continue;
      const bool is_meant = needs(*file, file_name_of(message_.provider)) || needs(*file, name());
      if (!is_meant) continue;
      if (auto found = of_program(path)) return found;
    }
    return std::nullopt;
  }

  /// The program itself where it has the file from its start, else what it opens.
  std::optional<ProcessQuestion> of_program(const std::string& path) {
    if (!may_try()) return std::nullopt;
    ProcessQuestion question{path, options_.process, shell_path(path)};
    const Result<Resolution> run = world_.resolve(path);
    if (!run) return std::nullopt;
    const Result<FileStatus, Errno> wanted = files_.status(absolute_path(message_.file, cwd_));
    if (!wanted) return std::nullopt;
    if (!has_object(run->map(), wanted->id)) {
      question.file = message_.file;
      question.process.exe = path;
      question.words = "--exe " + shell_path(path) + " " + shell_path(message_.file);
    }
    return kept(std::move(question));
  }

  std::optional<ProcessQuestion> of_module(const std::string& path) {
    if (!may_try()) return std::nullopt;
    const std::string module = module_name(active_sites(), path);
    ProcessQuestion question{path, options_.process, shell_path(path)};
    if (!module.empty()) {
      question.file = module;
      question.process.asked_as = AskedAs::Import;
      question.words = "--import " + shell_word(module);
    }
    return kept(std::move(question));
  }

  std::optional<ProcessQuestion> kept(ProcessQuestion question) {
    Question asked{.file = question.file};
    asked.process = question.process;
    const Result<Answer> answer = world_.ask(std::move(asked));
    if (!answer || !fails_alike(*answer, message_)) return std::nullopt;
    return question;
  }

  const std::vector<std::string>& active_sites() {
    if (!sites_) sites_ = active_site_directories(files_, environment_of_options(), cwd_, options_.process.python);
    return *sites_;
  }

  Environment environment_of_options() {
    ProcessSettings process = options_.process;
    process.bare_name = BareName::Library;
    const Result<Resolution> alone = world_.resolve(name(), {.process = process});
    return alone ? alone->map().process->environment : Environment();
  }

  WorldHere& world_;
  const WorldOptions& options_;
  const LoadersMessage& message_;
  const FileSystem& files_;
  std::string cwd_;
  Neighbourhood near_;
  std::optional<std::vector<std::string>> sites_;
  std::size_t tried_ = 0;
};

/// A script in one of the directories that sets LD_LIBRARY_PATH and names the program.
std::string script_for(const FileSystem& files, const std::vector<std::string>& directories,
                       const std::string& program) {
  for (const std::string& directory : directories) {
    const Result<std::vector<std::string>, Errno> names = files.list_directory(directory);
    if (!names) continue;
    for (std::size_t i = 0; i < std::min(names->size(), kMostListed); ++i) {
      const std::string path = path_in(directory, (*names)[i]);
      const std::optional<std::string> text = read_small_file(files, path, kLongestScript);
      if (!text || !text->starts_with("#!")) continue;
      const bool sets_it = text->find("LD_LIBRARY_PATH=") != std::string::npos;
      if (sets_it && text->find(file_name_of(program)) != std::string::npos) return path;
    }
  }
  return {};
}

}  // namespace

bool fails_alike(const Answer& answer, const LoadersMessage& message) {
  // A symbol that is left to the process is not one that is missing.
  const bool is_left = answer.verdict() == Verdict::Depends && !message.word.empty();
  if (answer.verdict() == Verdict::Works || is_left) return false;
  const Resolution* const run = answer.run();
  const PythonImport* const import = run == nullptr ? nullptr : run->import();
  if (import != nullptr && !message.word.empty() && import->exception.find(message.word) != std::string::npos)
    return true;
  const std::vector<Problem>& problems = answer.diagnosis().problems;
  return std::any_of(problems.begin(), problems.end(), [&](const Problem& problem) {
    if (message.problem == ProblemCode::ExecStack && is_refused_for_stack(problem)) return true;
    if (severity_of(problem.code) != Severity::Fatal) return false;
    if (message.word.empty()) return message.problem && problem.code == *message.problem;
    return problem.loader_says.find(message.word) != std::string::npos ||
           problem.dlerror_says.find(message.word) != std::string::npos;
  });
}

std::string package_in_environment(std::string_view path) {
  constexpr std::string_view kFolders[] = {"/site-packages/", "/dist-packages/"};
  constexpr std::string_view kLibs = ".libs";  // as auditwheel names the folder beside the package
  for (const std::string_view folder : kFolders) {
    const std::size_t at = path.rfind(folder);
    if (at == std::string_view::npos) continue;
    std::string_view name = path.substr(at + folder.size());
    const std::size_t end = name.find('/');
    if (end == std::string_view::npos) return {};
    name = name.substr(0, end);
    if (name.ends_with(kLibs)) name.remove_suffix(kLibs.size());
    return std::string(name);
  }
  return {};
}

std::optional<ProcessQuestion> find_failed_process(WorldHere& world, const WorldOptions& options,
                                                   const LoadersMessage& message) {
  if (message.file.empty() || (message.word.empty() && !message.problem)) return std::nullopt;
  const Result<std::shared_ptr<const FileSystem>> files = world.files();
  const Result<std::string> cwd = world.absolute(".");
  if (!files || !cwd) return std::nullopt;
  return ProcessFinder(world, options, message, **files, *cwd).find();
}

WorldOptions with_library_path(const WorldOptions& options, const std::string& directory) {
  WorldOptions changed = options;
  std::erase_if(changed.start.env, [](const std::string& entry) { return entry.starts_with("LD_LIBRARY_PATH="); });
  changed.start.env.push_back("LD_LIBRARY_PATH=" + directory);
  return changed;
}

std::optional<OtherLibraryPath> find_other_path(WorldHere& world, const WorldOptions& options,
                                                const LoadersMessage& message) {
  const std::string program = message.program.empty() ? message.file : world.program_named(message.program);
  const std::string& there = message.provider.empty() ? message.file : message.provider;
  if (program.empty() || program == there || !there.starts_with('/') || !world.has_file(there)) return std::nullopt;
  const Result<Resolution> run = world.resolve(program);
  if (!run) return std::nullopt;
  const FileSystem& files = *run->map().system->files;
  const Result<FileStatus, Errno> status = files.status(there);
  if (!status || has_object(run->map(), status->id)) return std::nullopt;
  const std::string_view name = file_name_of(there);
  const std::vector<LoadedObject>& objects = run->map().objects;
  const auto here = std::find_if(objects.begin(), objects.end(), [&](const LoadedObject& object) {
    return object.role == ObjectRole::Library && (object.requested_name == name || file_name_of(object.path) == name);
  });
  if (here == objects.end()) return std::nullopt;
  OtherLibraryPath other;
  other.program = program;
  other.there = there;
  other.here = std::string(here->path);
  other.directory = std::string(directory_of(there));
  WorldHere changed(with_library_path(options, other.directory));
  const Result<Answer> answer = changed.ask({.file = program});
  const bool is_same = answer && answer->run() != nullptr && fails_alike(*answer, message) &&
                       has_object(answer->run()->map(), status->id);
  if (!is_same) return std::nullopt;
  const std::string beside(directory_of(absolute_path(program, run->map().process->cwd)));
  other.script = script_for(files, {beside, std::string(directory_of(beside)), other.directory}, program);
  return other;
}

}  // namespace soresolve::tool
