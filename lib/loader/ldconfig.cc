// One run on an overlay: list the directories, take the best file for each SONAME, make links, sort the entries, write.
// Source: glibc elf/ldconfig.c:search_dir, create_links; elf/readlib.c:process_file; elf/cache.c:compare, save_cache.
// Not here: ld.so.conf (ldconfig_conf.cc), bytes of the cache (cache_writer.cc). It stops after 200,000 files.
#include "loader/ldconfig.h"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "loader/cache_flags.h"
#include "loader/ld_cache.h"
#include "loader/loader_rules.h"
#include "soresolve/elf.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxLibraryFiles = 200000;

/// A directory in ldconfig's list.
struct Directory {
  std::string path;
  FileId id;
  std::string hwcaps_name;  ///< a subdirectory of glibc-hwcaps
};

/// The best file of one SONAME in one directory.
struct Library {
  std::string name;
  bool is_link = false;
  std::int32_t flags = 0;
  std::uint32_t isa_level = 0;
};

/// What a file is to ldconfig.
struct Identified {
  std::string soname;
  std::int32_t flags = 0;
  std::uint32_t isa_level = 0;
};

/// Subdirectories that ldconfig up to 2.36 enters, and their bits on x86-64
/// (sysdeps/x86/dl-procinfo.c, sysdeps/x86/dl-hwcap.h).
constexpr std::pair<std::string_view, int> kLegacyHwcaps[] = {
    {"x86_64", 1}, {"avx512_1", 2}, {"i586", 48}, {"i686", 49}, {"haswell", 50}, {"xeon_phi", 51}, {"tls", 63}};

std::optional<int> legacy_bit(std::string_view name) {
  for (const auto& [word, bit] : kLegacyHwcaps) {
    if (word == name) return bit;
  }
  return std::nullopt;
}

/// The bits of the last parts of a path, as long as they are words of that kind.
std::uint64_t legacy_hwcap_of(std::string_view path) {
  std::uint64_t hwcap = 0;
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::optional<int> bit = legacy_bit(path.substr(slash + 1));
    if (!bit) break;
    hwcap |= std::uint64_t{1} << *bit;
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
  return hwcap;
}

/// Temporary files of prelink, and since 2.39 those of rpm and dpkg.
bool is_temporary(std::string_view name, const LoaderRules& rules) {
  constexpr std::string_view kPrelink = ".#prelink#";
  if (name.ends_with(kPrelink)) return true;
  const std::size_t tail = kPrelink.size() + std::string_view(".XXXXXX").size();
  if (name.size() >= tail && name.substr(name.size() - tail).starts_with(std::string(kPrelink) + ".")) return true;
  if (rules.version < GlibcVersion{2, 39}) return false;
  return name.find(';') != std::string_view::npos || name.ends_with(".dpkg-new") || name.ends_with(".dpkg-tmp");
}

bool is_library_name(std::string_view name, const LoaderRules& rules) {
  if (name.find(".so") == std::string_view::npos) return false;
  if (name.starts_with("lib") || name.starts_with("ld-")) return true;
  return rules.version >= GlibcVersion{2, 34} && (name.starts_with("ld.so.") || name.starts_with("ld64.so."));
}

/// Does this ldconfig know the machine of such a file (its readelflib.c names them)?
bool is_known_machine(const ElfTarget& target, const ElfTarget& own) {
  const auto is_one_of = [&](std::uint16_t machine, std::initializer_list<std::uint16_t> family) {
    return std::find(family.begin(), family.end(), machine) != family.end();
  };
  if (target.byte_order != own.byte_order) return false;
  if (target.machine == own.machine) return true;
  for (const std::initializer_list<std::uint16_t> family : {std::initializer_list<std::uint16_t>{EM_X86_64, EM_386},
                                                            {EM_AARCH64, EM_ARM},
                                                            {EM_PPC64, EM_PPC},
                                                            {EM_SPARCV9, EM_SPARC, EM_SPARC32PLUS}}) {
    if (is_one_of(own.machine, family)) return is_one_of(target.machine, family);
  }
  return false;
}

class LdConfig {
 public:
  LdConfig(OverlayFileSystem& files, const LoaderRules& rules) : files_(files), rules_(rules) {}

  LdConfigRun run(const std::vector<std::string>& named) {
    add_directories(named);
    // Legacy subdirectories come to the end of the list while it is worked through.
    for (std::size_t i = 0; i < directories_.size() && !is_cut_; ++i) {
      const Directory directory = directories_[i];
      run_.directories.push_back(directory.path);
      search(directory);
    }
    std::stable_sort(run_.entries.begin(), run_.entries.end(), comes_first);
    run_.error = files_.add_file(rules_.cache_path, write_ld_cache(run_.entries, rules_.target.byte_order));
    return std::move(run_);
  }

  /// Before anything is searched: legacy subdirectories are not among them.
  std::vector<std::string> directories() {
    add_directories({});
    std::vector<std::string> paths;
    for (const Directory& directory : directories_) paths.push_back(directory.path);
    return paths;
  }

 private:
  void add_directories(const std::vector<std::string>& named) {
    for (const std::string& path : named) add_directory(path);
    for (const std::string& path : configured_directories(files_, rules_, run_.problems)) add_directory(path);
    for (const std::string& path : system_directories()) add_directory(path);
  }

  /// The loader's own ones. An ldconfig for directories named after the word size adds their
  /// siblings; one for multiarch directories (Debian's) does not.
  [[nodiscard]] std::vector<std::string> system_directories() const {
    const auto stem_of = [](std::string_view path) -> std::string {
      while (path.ends_with('/')) path.remove_suffix(1);
      if (path.ends_with("/lib64")) path.remove_suffix(2);
      if (path.ends_with("/libx32")) path.remove_suffix(3);
      return std::string(path);
    };
    const bool has_siblings = rules_.target.elf_class == ElfClass::Elf64 &&
                              std::all_of(rules_.system_dirs.begin(), rules_.system_dirs.end(),
                                          [&](const std::string& path) { return stem_of(path).ends_with("/lib"); });
    std::vector<std::string> paths;
    for (const std::string& path : rules_.system_dirs) {
      if (!has_siblings) {
        paths.push_back(path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path);
        continue;
      }
      paths.push_back(stem_of(path));
      paths.push_back(stem_of(path) + "64");
      if (rules_.target.machine == EM_X86_64) paths.push_back(stem_of(path) + "x32");
    }
    return paths;
  }

  void add_directory(const std::string& path) {
    if (!add_single(path, {}) || !rules_.has_glibc_hwcaps) return;
    const std::string hwcaps = path + "/glibc-hwcaps";
    const Result<std::vector<std::string>, Errno> names = files_.list_directory(hwcaps);
    if (!names) return;
    for (const std::string& name : *names) {
      if (name.starts_with('.') || name.find(':') != std::string::npos) continue;
      add_single(hwcaps + "/" + name, name);
    }
  }

  /// False if it is not there, or there already under this or another name.
  bool add_single(const std::string& path, const std::string& hwcaps_name) {
    const Result<FileStatus, Errno> status = files_.status(path);
    if (!status || !known_.try_emplace({status->id.device, status->id.inode}, true).second) return false;
    directories_.push_back({path, status->id, hwcaps_name});
    return true;
  }

  void search(const Directory& directory) {
    const Result<std::vector<std::string>, Errno> names = files_.list_directory(directory.path);
    if (!names) return;
    std::map<std::string, Library> libraries;  // by SONAME
    for (const std::string& name : *names) {
      if (++file_count_ > kMaxLibraryFiles) {
        run_.problems.push_back("more than " + std::to_string(kMaxLibraryFiles) + " files; " + directory.path +
                                " and what follows is not searched");
        is_cut_ = true;
        return;
      }
      look_at(directory, name, libraries);
    }
    const std::uint64_t legacy =
        rules_.has_legacy_hwcaps && directory.hwcaps_name.empty() ? legacy_hwcap_of(directory.path) : 0;
    for (const auto& [soname, library] : libraries) {
      const bool is_plain = directory.hwcaps_name.empty();
      if (is_plain && !library.is_link) link(directory.path, library.name, soname);
      LdConfigEntry entry;
      entry.key = soname;
      entry.value = directory.path + "/" + (is_plain ? soname : library.name);
      entry.flags = library.flags;
      entry.legacy_hwcap = legacy;
      entry.hwcaps_name = directory.hwcaps_name;
      entry.isa_level = is_plain ? 0 : library.isa_level;
      run_.entries.push_back(std::move(entry));
    }
  }

  void look_at(const Directory& directory, const std::string& name, std::map<std::string, Library>& libraries) {
    const bool enters_legacy = rules_.has_legacy_hwcaps && directory.hwcaps_name.empty();
    const bool is_legacy_name = enters_legacy && legacy_bit(name) && rules_.target.machine == EM_X86_64;
    // Since 2.37 a link may have any name there: what is left of the test for legacy
    // subdirectories.
    const bool takes_links = !rules_.has_legacy_hwcaps && !directory.hwcaps_name.empty();
    const bool is_named = is_library_name(name, rules_) || is_legacy_name;
    if ((!is_named && !takes_links) || is_temporary(name, rules_)) return;
    const std::string path = directory.path + "/" + name;
    bool is_link = files_.read_link(path).has_value();
    if (!is_named && !is_link) return;
    const Result<FileStatus, Errno> status = files_.status(path);
    if (!status) {
      if (is_link && name.find(".so.") != std::string::npos) files_.remove(path);
      return;
    }
    if (status->kind == FileKind::Directory) {
      if (is_legacy_name) add_single(path, {});
      return;
    }
    if (status->kind != FileKind::Regular) return;
    const std::optional<Identified> found = identify(path);
    if (!found) return;
    std::string soname = found->soname.empty() ? name : found->soname;
    // A link under another name than the SONAME counts as a file, unless it is the one for ld(1).
    if (is_link && name != soname && !(name.ends_with(".so") && soname.starts_with(name))) is_link = false;
    if (is_link) soname = name;
    const Library library{name, is_link, found->flags, found->isa_level};
    const auto [at, is_new] = libraries.try_emplace(std::move(soname), library);
    if (is_new) return;
    Library& other = at->second;
    const bool is_better = is_link == other.is_link ? compare_cache_keys(other.name, name) < 0 : other.is_link;
    if (is_better) other = {name, is_link, other.flags, found->isa_level};
  }

  [[nodiscard]] std::optional<Identified> identify(const std::string& path) const {
    const Result<std::unique_ptr<File>, Errno> file = files_.open(path);
    if (!file) return std::nullopt;
    const Result<ElfObject> elf = ElfObject::read(**file, path);
    if (!elf || elf->type != ET_DYN || !elf->has_dynamic) return std::nullopt;
    if (!elf->symbol_tags.string_table || !is_known_machine(elf->target, rules_.target)) return std::nullopt;
    Identified found;
    if (elf->soname) found.soname = std::string(*elf->soname);
    found.flags = cache_flags_for(elf->target).exact;
    // Up to 2.36 only what needs glibc's libraries counts as theirs.
    if (elf->target.machine == EM_386 && rules_.has_legacy_hwcaps && !is_for_glibc(*elf)) found.flags = 1;
    found.isa_level = elf->isa_needed == 0 ? 0 : static_cast<std::uint32_t>(std::bit_width(elf->isa_needed)) - 1;
    return found;
  }

  static bool is_for_glibc(const ElfObject& elf) {
    if (elf.has_interp) return true;
    return std::any_of(elf.needs.begin(), elf.needs.end(), [](const NeedEntry& need) {
      return need.kind == NeedKind::Needed && (need.name == "libc.so.6" || need.name == "libm.so.6");
    });
  }

  /// elf/ldconfig.c:create_links. A file in the place of the link stays.
  void link(const std::string& directory, const std::string& name, const std::string& soname) {
    const std::string path = directory + "/" + soname;
    const Result<FileStatus, Errno> there = files_.status(path);
    if (there) {
      const Result<FileStatus, Errno> library = files_.status(directory + "/" + name);
      if (!library || library->id == there->id) return;
    }
    if (files_.read_link(path)) {
      files_.remove(path);
    } else if (there) {
      return;
    }
    if (files_.add_symlink(path, name) == Errno::None) run_.links.push_back({path, name});
  }

  /// elf/cache.c:compare.
  static bool comes_first(const LdConfigEntry& left, const LdConfigEntry& right) {
    if (const int order = compare_cache_keys(right.key, left.key); order != 0) return order < 0;
    if (left.flags != right.flags) return left.flags > right.flags;
    if (left.hwcaps_name.empty() != right.hwcaps_name.empty()) return right.hwcaps_name.empty();
    if (left.hwcaps_name != right.hwcaps_name) return left.hwcaps_name < right.hwcaps_name;
    const int left_bits = std::popcount(left.legacy_hwcap);
    const int right_bits = std::popcount(right.legacy_hwcap);
    if (left_bits != right_bits) return left_bits > right_bits;
    return left.legacy_hwcap > right.legacy_hwcap;
  }

  OverlayFileSystem& files_;
  const LoaderRules& rules_;
  LdConfigRun run_;
  std::vector<Directory> directories_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, bool> known_;
  std::size_t file_count_ = 0;
  bool is_cut_ = false;
};

}  // namespace

LdConfigRun play_ldconfig(OverlayFileSystem& files, const LoaderRules& rules, const std::vector<std::string>& named) {
  return LdConfig(files, rules).run(named);
}

std::vector<std::string> searched_directories(const std::shared_ptr<const FileSystem>& files,
                                              const LoaderRules& rules) {
  OverlayFileSystem seen(files);
  return LdConfig(seen, rules).directories();
}

}  // namespace soresolve
