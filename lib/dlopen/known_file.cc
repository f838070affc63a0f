// Matches the objects of a link map against the table of known packages, and finds the folders that an entry means. The
// release is that of the .dist-info or .egg-info folder beside the package. No Python is run and no script parsed.
#include "dlopen/known_file.h"

#include <algorithm>

#include "base/path.h"
#include "base/pieces.h"
#include "elf/library_name.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {
namespace {

/// The part of `path` before a tail that matches `pattern`, component by component; nullopt if it does
/// not end so.
std::optional<std::string_view> before_tail(std::string_view path, std::string_view pattern) {
  std::size_t start = path.size();
  for (auto slashes = std::count(pattern.begin(), pattern.end(), '/') + 1; slashes > 0; --slashes) {
    if (start == 0) return std::nullopt;
    start = path.rfind('/', start - 1);
    if (start == std::string_view::npos) return std::nullopt;
  }
  if (!matches(path.substr(start + 1), pattern)) return std::nullopt;
  return path.substr(0, start);
}

/// The release in the name of the package's metadata folder: NAME-RELEASE.dist-info or .egg-info. The first of the
/// names that is there.
std::string release_of(const FileSystem& files, const std::string& site, std::string_view packages) {
  const Result<std::vector<std::string>, Errno> names = files.list_directory(site.empty() ? "/" : site);
  if (!names) return {};
  for (const std::string_view package : words_in(packages)) {
    const std::string prefix = std::string(package) + "-";
    for (const std::string& name : *names) {
      const std::size_t end = std::min(name.find(".dist-info"), name.find(".egg-info"));
      if (!name.starts_with(prefix) || end == std::string::npos) continue;
      std::string release = name.substr(prefix.size(), end - prefix.size());
      return release.substr(0, release.find('-'));  // egg-info adds -py3.10
    }
  }
  return {};
}

class Recogniser {
 public:
  Recogniser(const FileSystem& files, const LoadedObject& object, std::string path)
      : files_(files), object_(object), path_(std::move(path)) {}

  std::optional<KnownFile> run() {
    for (const KnownLoader& loader : known_loaders()) {
      if (loader.recognised_by.empty()) continue;  // an empty SONAME is none of these
      const bool is_path = loader.recognised_by.find('/') != std::string_view::npos;
      if (is_path ? is_installed_as(loader) : is_named(loader)) {
        if (!take(loader)) continue;
        return known_;
      }
    }
    // The name before auditwheel: the constants of the file are those of before.
    const std::string plain = plain_name();
    for (const KnownLoader& loader : known_loaders()) {
      if (plain.empty() || loader.recognised_by.empty()) continue;
      const bool is_it =
          matches(plain, loader.recognised_by) || plain.starts_with(std::string(loader.recognised_by) + ".");
      if (is_it && take(loader)) return known_;
    }
    if (known_.loader == nullptr) return std::nullopt;
    known_.is_release_known = false;
    return known_;
  }

 private:
  [[nodiscard]] std::string_view name() const { return object_.elf.soname ? *object_.elf.soname : file_name_of(path_); }

  [[nodiscard]] bool is_named(const KnownLoader& loader) const { return matches(name(), loader.recognised_by); }

  /// "libcudnn.so.9.1.0" of libcudnn-74a4c495.so.9.1.0; empty: the name has no hash.
  [[nodiscard]] std::string plain_name() const {
    const std::string_view stem = library_stem(name());
    const std::size_t end = name().find(".so");
    if (end == std::string_view::npos || stem.size() >= end) return {};
    return std::string(stem) + std::string(name().substr(end));
  }

  bool is_installed_as(const KnownLoader& loader) {
    // The path as it was opened leads through RUNPATHs: lib/../../nvidia.
    if (!matches(file_name_of(path_), file_name_of(loader.recognised_by))) return false;
    if (!real_) {
      const Result<std::string, Errno> real = files_.real_path(path_);
      real_ = real ? *real : path_;
    }
    const std::optional<std::string_view> site = before_tail(*real_, loader.recognised_by);
    if (site) known_.site = std::string(*site);
    return site.has_value();
  }

  /// Does it hold for the release that is installed? Without one the last entry of the package stays.
  bool take(const KnownLoader& loader) {
    known_.loader = &loader;
    known_.folder = directory_of(real_ ? *real_ : path_);
    known_.title = std::string(loader.title);
    if (loader.script.starts_with("./")) {
      known_.script = known_.folder + std::string(loader.script.substr(1));
    } else if (!loader.script.empty()) {
      known_.script = known_.site + "/" + std::string(loader.script);
    }
    if (loader.package.empty()) return true;
    if (!release_) release_ = release_of(files_, known_.site, loader.package);
    if (release_->empty()) return false;
    known_.title += " " + *release_;
    known_.release = *release_;
    return holds_for(*release_, loader.from_release, loader.to_release);
  }

  const FileSystem& files_;
  const LoadedObject& object_;
  std::string path_;
  std::optional<std::string> real_;
  std::optional<std::string> release_;
  KnownFile known_;
};

/// What a folder of the table stands for in an installation: one directory, or with a star several.
std::vector<std::string> directories_of(const FileSystem& files, const KnownFile& known, std::string_view folder) {
  if (folder == ".") return {known.folder};
  constexpr std::string_view kWheel = "wheel:";
  if (folder.starts_with(kWheel)) {
    const std::string name(folder.substr(kWheel.size()));
    std::vector<std::string> all;
    for (const std::string& each : {"nvidia/" + name + "/lib", std::string("nvidia/cu*/lib"), name + "/lib"}) {
      const std::vector<std::string> some = directories_of(files, known, each);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  const std::size_t star = folder.find('*');
  if (star == std::string_view::npos) return {known.site + "/" + std::string(folder)};
  const std::size_t start = folder.rfind('/', star) + 1;
  const std::size_t end = std::min(folder.find('/', star), folder.size());
  const std::string above = known.site + "/" + std::string(folder.substr(0, start));
  const Result<std::vector<std::string>, Errno> names = files.list_directory(above);
  std::vector<std::string> directories;
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (!matches(name, folder.substr(start, end - start))) continue;
    // The star of nvidia/cu*/lib is a release: cu13, not cublas.
    if (name.find_first_not_of("0123456789", star - start) != std::string::npos) continue;
    directories.push_back(above + name + std::string(folder.substr(end)));
  }
  return directories;
}

}  // namespace

std::optional<KnownFile> recognise(const LinkMap& map, ObjectIndex object) {
  const LoadedObject& loaded = map.objects[object];
  std::string path = object == 0 ? map.main_path : absolute_path(loaded.path, map.process->cwd);
  return Recogniser(*map.system->files, loaded, std::move(path)).run();
}

std::optional<KnownFile> known_import(const FileSystem& files, const std::string& site, std::string_view script) {
  std::optional<KnownFile> newest;
  std::string_view packages;
  std::string release;
  for (const KnownLoader& loader : known_loaders()) {
    if (loader.import == nullptr || loader.script != script) continue;
    if (packages != loader.package) {
      packages = loader.package;
      release = release_of(files, site, packages);
    }
    KnownFile known{&loader,
                    std::string(loader.title),
                    release,
                    site,
                    site + "/" + std::string(directory_of(script)),
                    site + "/" + std::string(script),
                    !release.empty()};
    if (known.is_release_known) known.title += " " + release;
    if (known.is_release_known && holds_for(release, loader.from_release, loader.to_release)) return known;
    // Without a release the last entry of the package stays; not where another of its packages is there.
    if (!newest || newest->is_release_known || !known.is_release_known) newest = std::move(known);
  }
  return newest && !newest->is_release_known ? newest : std::nullopt;
}

bool has_gpu_device(const FileSystem& files) {
  return files.status("/dev/nvidiactl").has_value() || files.status("/dev/dxg").has_value();
}

std::string numbered_for_cuda(const FileSystem& files, const std::string& folder, std::string_view before,
                              const DottedVersion& cuda, bool takes_nearest) {
  const std::uint32_t wanted = cuda.major_number() * 10 + cuda.minor_number();
  const auto names = files.list_directory(folder);
  std::uint32_t best = 0;
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    const auto number = name.starts_with(before) ? leading_version(std::string_view(name).substr(before.size()))
                                                 : std::optional<DottedVersion>();
    if (!number || number->major_number() / 10 != cuda.major_number()) continue;
    const std::uint32_t other = number->major_number();
    const bool is_nearer =
        other <= wanted ? best > wanted || other > best : best == 0 || (best > wanted && other < best);
    if (is_nearer) best = other;
  }
  const bool is_taken = best != 0 && (best == wanted || takes_nearest);
  return std::string(before) + std::to_string(is_taken ? best : wanted) + ".so";
}

DlopenChoice path_for(const FileSystem& files, const KnownFile& known, const KnownOpen& open) {
  const std::vector<std::string_view> patterns = words_in(open.names);
  for (const std::string_view folder : words_in(open.folder)) {
    for (const std::string& directory : directories_of(files, known, folder)) {
      const Result<std::vector<std::string>, Errno> names = files.list_directory(directory);
      if (!names) continue;
      for (const std::string_view pattern : patterns) {
        const auto found =
            std::find_if(names->begin(), names->end(), [&](const std::string& name) { return matches(name, pattern); });
        if (found != names->end()) return {*found, directory + "/" + *found, {}};
      }
    }
  }
  return {std::string(patterns.front()), {}, {}};
}

}  // namespace soresolve
