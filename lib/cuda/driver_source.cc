// Finds the driver below a directory: libcuda.so.VERSION in it, or where distributions put it; or makes one of rows.
// Source: Debian's, Ubuntu's, Fedora's and NVIDIA's own packages for the places; libnvidia-container and apptainer for
// what they read, which is the host's ld.so.cache. Without one (unpacked packages) the directories stand for it. Not
// here: WSL and Jetson, whose libraries are passed in by other lists.
#include "cuda/driver_source.h"

#include <elf.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/limits.h"
#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"
#include "cuda/assumed_library.h"
#include "cuda/driver.h"
#include "cuda/driver_mount.h"
#include "cuda/driver_rows.h"
#include "loader/ld_cache.h"
#include "loader/load.h"
#include "loader/loader_rules.h"

namespace soresolve {
namespace {

constexpr std::string_view kPlaces[] = {
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/lib64", "/lib",
    "/usr/local/nvidia/lib64"};
constexpr std::string_view kFileStart = "libcuda.so.";
constexpr std::string_view kModuleFile = "/proc/driver/nvidia/version";
constexpr std::size_t kMaxNames = 20000;  ///< in one directory; what follows is not looked at
constexpr std::uint64_t kMaxModuleBytes = 64 << 10;

Error refusal(const DriverSettings& settings, std::string message) {
  return {ErrorCode::Usage, {}, {}, "--driver " + settings.driver + ": " + std::move(message)};
}

std::string multiarch_directory(std::uint16_t machine) {
  return machine == EM_AARCH64 ? "/usr/lib/aarch64-linux-gnu" : "/usr/lib/x86_64-linux-gnu";
}

/// The release of a driver: at least two numbers, of which the first has been above 100 since 2007.
std::optional<DottedVersion> driver_release(std::string_view text) {
  std::optional<DottedVersion> version = parse_dotted(text);
  if (!version || version->parts.size() < 2 || version->major_number() < 100) return std::nullopt;
  return version;
}

std::vector<std::string> names_in(const FileSystem& files, const std::string& directory) {
  Result<std::vector<std::string>, Errno> names = files.list_directory(directory);
  if (!names) return {};
  if (names->size() > kMaxNames) names->resize(kMaxNames);
  return std::move(*names);
}

bool is_plain_file(const FileSystem& files, const std::string& path) {
  if (files.read_link(path)) return false;
  const Result<FileStatus, Errno> status = files.status(path);
  return status && status->kind == FileKind::Regular;
}

bool is_of_interest_here(std::string_view name, const DottedVersion& version) {
  if (name.ends_with(".so." + version.text) || name.starts_with("libnvidia-nvvm70.so.")) return true;
  const std::span<const PassedRow> rows = passed_rows();
  return std::any_of(rows.begin(), rows.end(), [&](const PassedRow& row) { return name.starts_with(row.begins); });
}

class Reader {
 public:
  Reader(const DriverSettings& settings, std::shared_ptr<const FileSystem> files) : settings_(settings) {
    source_.files = std::move(files);
  }

  Result<DriverSource> read() {
    find_libraries("/");
    if (found_.empty()) {
      for (const std::string_view place : kPlaces) find_below(std::string(place));
    }
    if (auto error = choose()) return Unexpected{std::move(*error)};
    const std::string path = path_in(source_.directory, std::string(kFileStart) + source_.version.text);
    const Result<OpenedObject> library = open_object(*source_.files, path, path);
    if (!library) return Unexpected{library.error()};
    source_.target = library->elf.target;
    const bool is_flat = source_.directory == "/";
    source_.host_directory = is_flat ? multiarch_directory(source_.target.machine) : source_.directory;
    if (const auto text = read_small_file(*source_.files, kModuleFile, kMaxModuleBytes)) source_.module_text = *text;
    if (!is_flat) read_cache();
    if (!source_.has_cache) read_directories();
    std::sort(source_.entries.begin(), source_.entries.end(),
              [](const HostCacheEntry& a, const HostCacheEntry& b) { return a.name < b.name; });
    return std::move(source_);
  }

 private:
  /// libcuda.so.VERSION in this directory.
  void find_libraries(const std::string& directory) {
    for (const std::string& name : names_in(*source_.files, directory)) {
      if (!name.starts_with(kFileStart)) continue;
      const std::optional<DottedVersion> version = driver_release(std::string_view(name).substr(kFileStart.size()));
      if (!version) {
        has_other_ = has_other_ || name == "libcuda.so.1.1";
        continue;
      }
      if (is_plain_file(*source_.files, path_in(directory, name))) found_.try_emplace(version->text, directory);
    }
  }

  /// A place of libraries, and nvidia/ in it with what that has (Debian: nvidia/current).
  void find_below(const std::string& place) {
    if (!source_.files->status(place)) return;
    const Result<std::string, Errno> real = source_.files->real_path(place);
    if (!real || *real != place) return;  // lib64 of a merged /usr
    find_libraries(place);
    const std::string vendor = place + "/nvidia";
    find_libraries(vendor);
    for (const std::string& name : names_in(*source_.files, vendor)) {
      const std::string inner = path_in(vendor, name);
      const Result<FileStatus, Errno> status = source_.files->status(inner);
      if (status && status->kind == FileKind::Directory && !source_.files->read_link(inner)) find_libraries(inner);
    }
  }

  std::optional<Error> choose() {
    if (found_.empty()) {
      return refusal(settings_, has_other_ ? "has libcuda.so.1.1: how drivers of WSL and Jetson are passed in is not "
                                             "modelled"
                                           : "has no driver: no libcuda.so.VERSION is in it, nor where a host has it");
    }
    auto chosen = found_.begin();
    if (found_.size() > 1) {
      const std::optional<KernelModule> module = read_kernel_module(*source_.files);
      chosen = module ? found_.find(module->version.text) : found_.end();
    }
    if (chosen == found_.end()) {
      const std::string all = joined(found_, ", ", [](const auto& each) { return each.first + " in " + each.second; });
      return refusal(settings_,
                     "has several drivers, and no kernel module that decides (" + all + "): name the directory of one");
    }
    source_.version = *parse_dotted(chosen->first);
    source_.directory = chosen->second;
    return std::nullopt;
  }

  void add(std::string name, std::string path, std::string real) {
    source_.entries.push_back({std::move(name), std::move(path), std::move(real)});
  }

  void read_cache() {
    const auto bytes = read_small_file(*source_.files, "/etc/ld.so.cache", kMaxCacheBytes);
    if (!bytes) return;
    const LoaderRules rules = rules_for_release(GlibcVersion{2, 36}, source_.target);
    const Result<LdCache> cache = LdCache::parse(*bytes, rules, source_.target, "/etc/ld.so.cache");
    if (!cache) return;
    source_.has_cache = true;
    std::map<std::string_view, bool> seen;
    for (std::size_t i = 0; i < cache->size(); ++i) {
      const std::optional<CacheEntry> entry = cache->entry(i);
      if (!entry || !cache->is_for_target(entry->flags) || !is_of_interest_here(entry->key, source_.version)) continue;
      const Result<std::string, Errno> real = source_.files->real_path(entry->value);
      if (!real || !is_plain_file(*source_.files, *real) || !seen.try_emplace(entry->key, true).second) continue;
      add(std::string(entry->key), std::string(entry->value), *real);
    }
  }

  /// As ldconfig would list them: each file under its SONAME, each link for ld(1) under its name.
  void read_directories() {
    std::map<std::string, HostCacheEntry> entries;
    std::vector<std::string> directories = {source_.directory};
    for (std::string_view at = source_.directory; at.find("/nvidia") != std::string_view::npos;) {
      at = directory_of(at);
      directories.emplace_back(at);
    }
    for (const std::string& directory : directories) {
      for (const std::string& name : names_in(*source_.files, directory)) {
        if (name.find(".so") == std::string::npos || !is_of_interest_here(name, source_.version)) continue;
        add_file(directory, name, entries);
      }
    }
    for (auto& [name, entry] : entries) source_.entries.push_back(std::move(entry));
  }

  void add_file(const std::string& directory, const std::string& name, std::map<std::string, HostCacheEntry>& into) {
    const std::string path = path_in(directory, name);
    const bool is_link = source_.files->read_link(path).has_value();
    const Result<std::string, Errno> real = source_.files->real_path(path);
    if (!real) return;
    const Result<OpenedObject> library = open_object(*source_.files, *real, *real);
    if (!library || !(library->elf.target == source_.target)) return;
    const std::string soname = library->elf.soname ? std::string(*library->elf.soname) : name;
    const std::string& key = is_link ? name : soname;
    HostCacheEntry entry{key, path_in(directory, key), *real};
    const auto [at, is_new] = into.try_emplace(key, entry);
    // Of two releases beside each other the one that is asked for.
    if (!is_new && real->ends_with(source_.version.text) && !at->second.real.ends_with(source_.version.text))
      at->second = std::move(entry);
  }

  const DriverSettings& settings_;
  DriverSource source_;
  std::map<std::string, std::string> found_;  ///< the directory of each release
  bool has_other_ = false;
};

std::string with_version(std::string_view text, const std::string& version) {
  return text.ends_with(".V") ? std::string(text.substr(0, text.size() - 1)) + version : std::string(text);
}

/// Libraries as the built-in table has them: names, needs, and of libcuda its functions.
DriverSource assumed_source(DottedVersion version, std::uint16_t machine) {
  DriverSource source;
  source.is_assumed = true;
  source.target = {ElfClass::Elf64, std::endian::little, machine, 0};
  source.directory = multiarch_directory(machine);
  source.host_directory = source.directory;
  auto files = std::make_shared<MemoryFileSystem>();
  const std::uint32_t branch = version.major_number();
  const std::size_t column = branch >= 550 ? 2 : branch >= 535 ? 1 : 0;
  for (const DriverFileRow& row : driver_files()) {
    if (branch < row.from || (row.to != 0 && branch > row.to)) continue;
    const std::string name = std::string(row.stem) + ".so.";
    AssumedLibrary library;
    library.machine = machine;
    library.soname = name + (row.number.empty() ? version.text : std::string(row.number));
    library.needs = {"libc.so.6"};
    for (const std::string_view need : words_in(row.needs)) library.needs.push_back(with_version(need, version.text));
    // The oldest that AArch64 has is 2.17.
    if (!row.glibc[column].empty())
      library.libc_version = "GLIBC_" + (machine == EM_AARCH64 ? "2.17" : std::string(row.glibc[column]));
    if (row.stem == "libcuda") {
      for (const DriverSymbols& symbols : driver_symbols()) {
        if (parse_dotted(symbols.driver)->major_number() > branch) break;
        for (const std::string_view symbol : words_in(symbols.names)) library.symbols.push_back(symbol);
      }
    }
    const std::string path = path_in(source.directory, name + version.text);
    files->add_file(path, write_assumed_library(library));
    source.entries.push_back({library.soname, path_in(source.directory, library.soname), path});
    if (row.stem == "libcuda") source.entries.push_back({"libcuda.so", path_in(source.directory, "libcuda.so"), path});
  }
  std::sort(source.entries.begin(), source.entries.end(),
            [](const HostCacheEntry& a, const HostCacheEntry& b) { return a.name < b.name; });
  source.files = std::move(files);
  source.version = std::move(version);
  return source;
}

}  // namespace

bool may_export(const DottedVersion& driver, std::string_view soname, std::string_view symbol) {
  if (soname != "libcuda.so.1") return true;
  const std::uint32_t branch = driver.major_number();
  std::uint32_t before = 0;
  for (const DriverSymbols& row : driver_symbols()) {
    const std::uint32_t here = parse_dotted(row.driver)->major_number();
    bool is_new_here = false;
    for (const std::string_view name : words_in(row.names)) is_new_here |= name == symbol;
    // A branch between the two rows may have it already.
    if (is_new_here) return branch > before;
    before = here;
  }
  return branch > before;
}

Result<DriverSource> read_driver_source(const DriverSettings& settings, std::uint16_t machine) {
  if (settings.files) return Reader(settings, settings.files).read();
  const Result<FileStatus, Errno> status = host_file_system()->status(settings.driver);
  if (status && status->kind == FileKind::Directory) {
    Result<std::unique_ptr<FileSystem>> files = rooted_file_system(settings.driver);
    if (!files) return Unexpected{std::move(files).error()};
    return Reader(settings, std::move(files).value()).read();
  }
  if (std::optional<DottedVersion> version = driver_release(settings.driver); version && !status) {
    if (version->major_number() < driver_files().front().from)
      return Unexpected{refusal(settings, "the built-in table has no drivers before 340")};
    return assumed_source(*std::move(version), machine);
  }
  return Unexpected{refusal(settings,
                            "is neither a directory, nor a file of a host (a snapshot, an image), nor the release of a "
                            "driver, such as 550.54.14")};
}

}  // namespace soresolve
