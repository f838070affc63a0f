// The process of the source is copied with all that was decided about it; what is opened later is opened by the name
// that its opener uses, so that the target's own search answers. Source: glibc elf/dl-open.c, as in lib/dlopen.
#include "bundle/question.h"

#include <algorithm>

#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"
#include "bundle/glibc_dlopen_calls.h"
#include "diagnose/diagnosis_input.h"
#include "dlopen/find_dlopens.h"
#include "loader/ldconfig.h"
#include "packages/host_driver.h"
#include "soresolve/command_text.h"

namespace soresolve {
namespace {

constexpr std::string_view kLibraryPath = "LD_LIBRARY_PATH=";
constexpr std::size_t kScriptHeadBytes = 256;  ///< BINPRM_BUF_SIZE

/// "$ORIGIN/../lib" for a file in /app/bin and the directory /app/lib.
std::string from_origin(std::string_view origin, std::string_view directory) {
  std::size_t common = 0;
  for (std::size_t i = 0; i <= std::min(origin.size(), directory.size()); ++i) {
    const char a = i < origin.size() ? origin[i] : '/';
    const char b = i < directory.size() ? directory[i] : '/';
    if (a != b) break;
    if (a == '/') common = i;
  }
  std::string tag = "$ORIGIN";
  for (std::size_t i = common; i < origin.size(); ++i) tag += origin[i] == '/' ? "/.." : "";
  if (common < directory.size()) tag += directory.substr(common);
  return tag;
}

std::string path_of_object(const LinkMap& map, ObjectIndex index) {
  const LoadedObject& object = map.objects[index];
  return object.role == ObjectRole::Loader ? map.system->loader_path : file_of(map, index);
}

}  // namespace

void add_library_path(std::vector<std::string>& environment, std::span<const std::string> directories) {
  if (directories.empty()) return;
  const std::string before = library_path_of(environment);
  std::erase_if(environment, [](const std::string& entry) { return entry.starts_with(kLibraryPath); });
  environment.push_back(std::string(kLibraryPath) + joined(directories, ":") + (before.empty() ? "" : ":" + before));
}

std::string library_path_of(const std::vector<std::string>& environment) {
  std::string value;
  for (const std::string& entry : environment) {
    if (entry.starts_with(kLibraryPath)) value = entry.substr(kLibraryPath.size());
  }
  return value;
}

std::optional<Configured> configure(const std::shared_ptr<OverlayFileSystem>& target, const std::string& loader_path,
                                    std::span<const std::string> directories) {
  const Result<System> system = read_system(target, loader_path);
  if (!system) return std::nullopt;
  std::string lines;
  CommandText words;
  for (const std::string& directory : directories) {
    if (directory.find_first_of("#=\n\r\t ,:") != std::string::npos) return std::nullopt;
    lines += directory + "\n";
    words += " " + shell_word(directory);
  }
  constexpr const char* kMain = "/etc/ld.so.conf";
  constexpr const char* kPart = "/etc/ld.so.conf.d/bundle.conf";
  const auto with = [&](const std::string& path) -> std::shared_ptr<OverlayFileSystem> {
    auto files = std::make_shared<OverlayFileSystem>(target);
    std::string text = start_of_file(*target, path, 1 << 20);
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    if (files->add_directory(std::string(directory_of(path))) != Errno::None) return nullptr;
    return files->add_file(path, text + lines) == Errno::None ? files : nullptr;
  };
  const auto is_read = [&](const std::shared_ptr<OverlayFileSystem>& files) {
    std::vector<std::string> problems;
    const std::vector<std::string> found = configured_directories(*files, system->rules, problems);
    return std::find(found.begin(), found.end(), directories.back()) != found.end();
  };
  const char* path = kPart;
  std::shared_ptr<OverlayFileSystem> files = with(kPart);
  if (files == nullptr || !is_read(files)) {
    path = kMain;
    files = with(kMain);
  }
  if (files == nullptr) return std::nullopt;
  (void)play_ldconfig(*files, system->rules);
  return Configured{std::move(files), {"printf '%s\\n'" + words + " >> " + shell_path(path), "ldconfig"}};
}

std::optional<std::string> script_interpreter(const FileSystem& files, const std::string& path) {
  const std::string head = start_of_file(files, path, kScriptHeadBytes);
  if (!head.starts_with("#!")) return std::nullopt;
  std::string_view line = std::string_view(head).substr(2, head.find('\n') - 2);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  line = line.substr(0, line.find_first_of(std::string_view(" \t\r\0", 4)));
  if (!line.starts_with('/')) return std::nullopt;
  return std::string(line);
}

std::optional<Error> BundleQuestion::take(Resolution run, const BundleOptions& options, const FileSystem& target) {
  prefix = options.prefix;
  const JudgeCuda cuda = options.judges_cuda ? JudgeCuda::Yes : JudgeCuda::No;
  Result<Answer> answer = Answer::of_walk(std::move(run), {.later = options.dlopens, .cuda = cuda});
  if (!answer) return std::move(answer).error();
  source = in_source.emplace(*std::move(answer)).run();
  const LinkMap& map = source->map();
  const ElfObject& elf = map.main().elf;
  // A static PIE has a PT_DYNAMIC, and neither an interpreter nor needs.
  program.is_static = map.dlopen_calls.empty() && elf.is_pie() && !elf.has_interp && elf.needs.empty();
  if (!source->check()) return source->check().error();
  const CheckedDlopens& checked = source->checked_dlopens(options.dlopens);
  dlopens = checked.dlopens;
  program.verdict = in_source->verdict();
  program.fails_in_source = program.verdict == Verdict::Fails;
  if (program.fails_in_source) {
    program.answer = in_source;
    source = nullptr;
    return std::nullopt;
  }
  if (options.dlopens >= DlopenLevel::Known) {
    GlibcDlopenCalls glibc = find_glibc_dlopen_calls(*source, target);
    converts_text = glibc.converts_text;
    std::move(glibc.list.begin(), glibc.list.end(), std::back_inserter(dlopens.list));
  }
  for (std::size_t i = 0; i < dlopens.list.size(); ++i) {
    const Dlopen& opened = dlopens.list[i];
    const bool is_wanted = opened.is_good() && !opened.is_loaded && !is_of_driver(opened.choices.back().name);
    if (is_wanted) later.push_back(i);
  }
  // What each request led to, with all that is opened later in the process as well.
  LoadOptions load_options;
  load_options.on_fatal = OnFatal::Continue;
  load_options.dlopen_calls = map.requested;
  for (const std::size_t index : later) {
    const DlopenChoice& choice = dlopens.list[index].choices.back();
    by_name_.try_emplace(choice.name, choice.path);
    by_name_.try_emplace(choice.path, choice.path);
    OpenRequest request;
    request.file = absolute_path(choice.path, map.process->cwd);
    request.mode.scope = OpenScope::Global;
    load_options.dlopen_calls.push_back(std::move(request));
  }
  const Result<LinkMap> all = load(map.system, map.process, map.file, load_options);
  if (!all) return all.error();
  for (ObjectIndex i = 0; i < all->objects.size(); ++i) {
    for (const Need& need : all->objects[i].needs) {
      if (need.target == kNoObject || all->objects[need.target].role == ObjectRole::Placeholder) continue;
      std::string path = path_of_object(*all, need.target);
      if (path.empty()) continue;
      by_name_.try_emplace(std::string(need.name), path);
      answers_.try_emplace({path_of_object(*all, i), std::string(need.name)}, std::move(path));
    }
  }
  return std::nullopt;
}

std::string BundleQuestion::answer(const std::string& needer, const std::string& name) const {
  const auto own = answers_.find({needer, name});
  if (own != answers_.end()) return own->second;
  const auto any = by_name_.find(name);
  return any == by_name_.end() ? std::string() : any->second;
}

std::vector<OpenRequest> BundleQuestion::dlopen_calls(std::span<const std::size_t> which) const {
  const LinkMap& map = source->map();
  std::vector<OpenRequest> requests = map.requested;
  std::map<std::string, std::string> asked_as;  ///< what is opened here, by path: it opens others in turn
  for (const std::size_t index : which) {
    const Dlopen& opened = dlopens.list[index];
    const DlopenChoice& choice = opened.choices.back();
    OpenRequest request;
    const bool is_name = choice.name.find('/') == std::string::npos && choice.path != choice.name;
    request.file = is_name ? choice.name : absolute_path(choice.path, map.process->cwd);
    request.mode.scope = OpenScope::Global;
    if (is_name && opened.object != kNoObject && opened.object != 0) {
      request.caller = map.objects[opened.object].requested_name;
    } else if (const auto opener = asked_as.find(opened.opener); is_name && opener != asked_as.end()) {
      request.caller = opener->second;
    }
    asked_as.try_emplace(choice.path, request.file);
    requests.push_back(std::move(request));
  }
  return requests;
}

Result<LinkMap> BundleQuestion::walk_with(const BundleSetting& setting, std::span<const std::size_t> which) const {
  const LinkMap& map = source->map();
  Result<System> read = read_system(setting.files, map.system->loader_path);
  if (!read) return Unexpected{std::move(read).error()};
  const auto system = std::make_shared<const System>(std::move(read).value());
  Process process = *map.process;
  process.environment = Environment(setting.environment);
  process.secure &= setting.may_be_secure;
  const auto shared = std::make_shared<const Process>(std::move(process));
  LoadOptions options;
  options.on_fatal = OnFatal::Continue;
  options.dlopen_calls = dlopen_calls(which);
  options.tag_edits = setting.tags;
  Result<LinkMap> there = load(system, shared, map.file, options);
  if (there || there.error().code != ErrorCode::NotFound || which.empty()) return there;
  // A caller goes by another name there: then it is the program's own call.
  for (OpenRequest& request : std::span(options.dlopen_calls).subspan(map.requested.size())) request.caller.clear();
  return load(system, shared, map.file, options);
}

Result<LinkMap> BundleQuestion::walk(const BundleSetting& setting, Later opened) const {
  Result<LinkMap> map = walk_with(
      setting, opened == Later::Opened ? std::span<const std::size_t>(later) : std::span<const std::size_t>());
  if (map) map->assumed = source->map().assumed;
  return map;
}

Resolution BundleQuestion::resolution_of(LinkMap map, unsigned jobs) const {
  const BindOptions binding{.jobs = jobs, .own = OwnReferences::Counted};
  if (source->import() == nullptr) return {std::move(map), source->file(), binding};
  return {std::move(map), source->file(), *source->import(), binding, {}};
}

Dlopens BundleQuestion::later_in(const BundleSetting& setting, const LinkMap& map) const {
  Dlopens found = dlopens;
  std::vector<std::size_t> order = later;
  for (const std::size_t index : order) found.list[index].is_found = false;
  const std::size_t before = source->map().requested.size();
  while (!order.empty()) {
    const Result<LinkMap> all = walk_with(setting, order);
    if (!all) break;
    const LoadFailure* const fatal = all->first_fatal();
    if (fatal != nullptr && fatal->dlopen_call <= before) break;
    std::optional<std::size_t> missing;
    for (std::size_t i = before; i < all->dlopen_calls.size(); ++i) {
      const DlopenCall& dlopen_call = all->dlopen_calls[i];
      if (dlopen_call.number < before || dlopen_call.number - before >= order.size()) continue;
      const std::size_t index = order[dlopen_call.number - before];
      Dlopen& opened = found.list[index];
      if (fatal != nullptr && fatal->dlopen_call == i + 1) {
        opened.is_found = true;
        opened.failure = fatal->dlerror_message();
        missing = dlopen_call.number - before;
        break;
      }
      if (dlopen_call.root == kNoObject) continue;
      opened.is_found = true;
      opened.choices.back().path = path_of_object(*all, dlopen_call.root);
    }
    if (!missing) break;
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(*missing));
  }
  if (const std::optional<Error> error = check_dlopens(map, found)) found.damaged.push_back(*error);
  return found;
}

std::vector<std::string> BundleQuestion::missing_later() const {
  std::vector<std::string> missing;
  if (!is_to_be_tried() || !program.answer) return missing;
  const std::vector<Dlopen>& in_target = program.answer->later().list;
  for (const std::size_t index : later) {
    const Dlopen& opened = dlopens.list[index];
    const bool is_good = index < in_target.size() && in_target[index].is_good();
    if (!is_good && opened.source != DlopenSource::Literal) missing.push_back(opened.choices.back().name);
  }
  return missing;
}

std::optional<TaggedFile> BundleQuestion::tagged(const TargetTree& tree,
                                                 const std::vector<std::string>& directories) const {
  const BundleSetting plain{tree.files(), {}, {}};
  const Result<LinkMap> map = walk(plain, Later::Opened);
  if (!map || map->first_fatal() == nullptr) return std::nullopt;
  const std::size_t asked = source->map().requested.size();
  ObjectIndex root = 0;
  if (asked != 0 && map->dlopen_calls.size() >= asked && map->dlopen_calls[asked - 1].asked != kNoObject) {
    root = map->dlopen_calls[asked - 1].asked;
  }
  const LoadedObject& object = map->objects[root];
  const std::string path = path_of_object(*map, root);
  if (path.empty() || object.role == ObjectRole::Placeholder) return std::nullopt;
  const Result<std::string, Errno> real = tree.files()->real_path(path);
  std::string value(object.elf.runpath ? *object.elf.runpath : object.elf.rpath.value_or(""));
  for (const std::string& directory : directories) {
    if (directory.find(':') != std::string::npos) return std::nullopt;
    value += value.empty() ? "" : ":";
    value += prefix == directory && real ? from_origin(directory_of(*real), directory) : directory;
  }
  TaggedFile tagged{{object.status.id, value, {}}, {}};
  tagged.command = "patchelf --force-rpath --set-rpath " + shell_word(value) + " " + shell_path(real ? *real : path);
  return tagged;
}

}  // namespace soresolve
