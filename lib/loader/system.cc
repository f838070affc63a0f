// Reads the loader's file, its rules, ld.so.cache and ld.so.preload from one file system; finds the loader of a file
// without PT_INTERP by machine. Source: the psABIs for paths; glibc elf/dl-cache.c, elf/rtld.c:dl_main for the files;
// musl ldso/dynlink.c:load_library for its path file. Nothing is run.
#include "loader/system.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include "base/limits.h"
#include "base/path.h"
#include "base/pieces.h"
#include "elf/library_name.h"
#include "loader/gcompat.h"
#include "loader/loader_rules.h"
#include "loader/preload.h"

namespace soresolve {
namespace {

/// Where the loaders of the machines lie, by their ABIs' documents.
struct KnownLoader {
  std::uint16_t machine;
  ElfClass elf_class;
  const char* path;
};
constexpr std::uint16_t kEmLoongArch = 258;
constexpr KnownLoader kKnownLoaders[] = {
    {EM_X86_64, ElfClass::Elf64, "/lib64/ld-linux-x86-64.so.2"},
    {EM_X86_64, ElfClass::Elf32, "/libx32/ld-linux-x32.so.2"},
    {EM_386, ElfClass::Elf32, "/lib/ld-linux.so.2"},
    {EM_AARCH64, ElfClass::Elf64, "/lib/ld-linux-aarch64.so.1"},
    {EM_ARM, ElfClass::Elf32, "/lib/ld-linux-armhf.so.3"},
    {EM_ARM, ElfClass::Elf32, "/lib/ld-linux.so.3"},
    {EM_PPC64, ElfClass::Elf64, "/lib64/ld64.so.2"},
    {EM_PPC64, ElfClass::Elf64, "/lib64/ld64.so.1"},
    {EM_PPC, ElfClass::Elf32, "/lib/ld.so.1"},
    {EM_S390, ElfClass::Elf64, "/lib/ld64.so.1"},
    {EM_S390, ElfClass::Elf32, "/lib/ld.so.1"},
    {EM_RISCV, ElfClass::Elf64, "/lib/ld-linux-riscv64-lp64d.so.1"},
    {EM_RISCV, ElfClass::Elf64, "/lib/ld-linux-riscv64-lp64.so.1"},
    {EM_MIPS, ElfClass::Elf64, "/lib64/ld.so.1"},
    {EM_MIPS, ElfClass::Elf32, "/lib/ld.so.1"},
    {EM_SPARCV9, ElfClass::Elf64, "/lib64/ld-linux.so.2"},
    {EM_IA_64, ElfClass::Elf64, "/lib/ld-linux-ia64.so.2"},
    {kEmLoongArch, ElfClass::Elf64, "/lib64/ld-linux-loongarch-lp64d.so.1"},
};

constexpr KnownLoader kMuslLoaders[] = {
    {EM_X86_64, ElfClass::Elf64, "/lib/ld-musl-x86_64.so.1"},
    {EM_386, ElfClass::Elf32, "/lib/ld-musl-i386.so.1"},
    {EM_AARCH64, ElfClass::Elf64, "/lib/ld-musl-aarch64.so.1"},
    {EM_ARM, ElfClass::Elf32, "/lib/ld-musl-armhf.so.1"},
    {EM_PPC64, ElfClass::Elf64, "/lib/ld-musl-powerpc64le.so.1"},
    {EM_S390, ElfClass::Elf64, "/lib/ld-musl-s390x.so.1"},
    {EM_RISCV, ElfClass::Elf64, "/lib/ld-musl-riscv64.so.1"},
    {kEmLoongArch, ElfClass::Elf64, "/lib/ld-musl-loongarch64.so.1"},
};

/// Machines whose programs one kernel runs are one: the wider of them.
constexpr std::uint16_t family_of(std::uint16_t machine) {
  switch (machine) {
    case EM_386: return EM_X86_64;
    case EM_ARM: return EM_AARCH64;
    case EM_PPC: return EM_PPC64;
    default: return machine;
  }
}

constexpr const char* kWaitsForWriter =
    "is a FIFO: every program that is started here waits for somebody to write to it (here it counts as absent)";

Error cannot_open(std::string_view path, Errno error, std::string_view what) {
  const bool is_absent = error == static_cast<Errno>(ENOENT);
  return {is_absent ? ErrorCode::NotFound : ErrorCode::Unreadable,
          std::string(path),
          {},
          std::string(what) + errno_text(error, ErrnoText::FromDlerror)};
}

/// Bytes of a file, with room for a terminator; not initialised before they are read.
struct Content {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
};

Result<Content> read_range(const File& file, std::uint64_t offset, std::uint64_t size, std::uint64_t limit,
                           std::string_view path) {
  if (size > limit) {
    return Unexpected{
        Error{ErrorCode::LimitReached, std::string(path), {}, "is larger than " + std::to_string(limit) + " bytes"}};
  }
  Content content;
  content.bytes = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(size) + 1);
  const std::span<char> whole(content.bytes.get(), static_cast<std::size_t>(size));
  const Result<std::size_t, Errno> got = file.read_at(offset, std::as_writable_bytes(whole));
  if (!got) return Unexpected{cannot_open(path, got.error(), "cannot be read: ")};
  content.size = *got;
  return content;
}

/// A whole file, unless it is longer than `limit`.
Result<Content> read_whole(const File& file, std::string_view path, std::uint64_t limit) {
  return read_range(file, 0, file.status().size_bytes, limit, path);
}

/// The part of a loader that holds its strings: the read-only segment behind the code, up to the
/// unwind tables. The whole file where it is laid out in another way.
Result<Content> read_constants(const File& file, const ElfObject& object, std::string_view path) {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  for (const Segment& segment : object.segments) {
    if (segment.type == PT_LOAD && (segment.flags & (PF_W | PF_X)) == 0 && segment.file_offset != 0) {
      start = segment.file_offset;
      end = start + std::min(segment.file_bytes, file.status().size_bytes);
    }
  }
  for (const Segment& segment : object.segments) {
    const std::uint64_t unwind = segment.file_offset;
    if (segment.type == PT_GNU_EH_FRAME && unwind > start && unwind < end) end = unwind;
  }
  if (end <= start) return read_whole(file, path, kMaxLoaderBytes);
  return read_range(file, start, end - start, kMaxLoaderBytes, path);
}

std::string_view as_text(const Content& content) { return {content.bytes.get(), content.size}; }

/// Up to 2.32 only the libc says which release it is.
GlibcVersion release_of_libc(const FileSystem& files, const LoaderRules& rules) {
  for (const std::string& directory : rules.system_dirs) {
    const std::string path = directory + "libc.so.6";
    const Result<std::unique_ptr<File>, Errno> file = files.open(path);
    if (!file || (*file)->status().kind != FileKind::Regular) continue;
    const Result<ElfObject> libc = ElfObject::read(**file, path);
    if (!libc || libc->target.machine != rules.target.machine) continue;
    const Result<Content> bytes = read_whole(**file, path, kMaxLoaderBytes);
    if (bytes) return find_release_text(as_text(*bytes));
  }
  return {};
}

/// musl ldso/dynlink.c:load_library: the loader's own name without its last two components, where it is absolute.
void read_musl_path(const FileSystem& files, std::string_view loader_path, std::string_view arch, MuslPath& into) {
  std::string_view prefix = loader_path.starts_with('/') ? loader_path : std::string_view();
  for (int i = 0; i < 2 && !prefix.empty(); ++i)
    prefix = prefix.substr(0, prefix.rfind('/') + 1 == 0 ? 0 : prefix.rfind('/'));
  into.file = std::string(prefix) + "/etc/ld-musl-" + std::string(arch) + ".path";
  const Result<std::unique_ptr<File>, Errno> file = files.open(into.file);
  if (!file) {
    into.error = file.error();
    return;
  }
  if ((*file)->status().kind == FileKind::Directory) {
    into.error = static_cast<Errno>(EISDIR);
    return;
  }
  Content content;
  content.size = static_cast<std::size_t>(std::min<std::uint64_t>((*file)->status().size_bytes, kMaxPreloadBytes));
  content.bytes = std::make_unique_for_overwrite<char[]>(content.size + 1);
  const Result<std::size_t, Errno> got =
      (*file)->read_at(0, std::as_writable_bytes(std::span<char>(content.bytes.get(), content.size)));
  if (!got) {
    into.error = got.error();
    return;
  }
  const std::string_view text(content.bytes.get(), *got);
  into.lists = std::string(text.substr(0, text.find('\0')));
}

/// What is searched last, each with a slash at its end.
std::vector<std::string> directories_of(const MuslPath& path) {
  std::vector<std::string> directories;
  for (const std::string_view directory : words_in(musl_system_lists(path), ":\n")) {
    directories.push_back(std::string(directory) + "/");
  }
  return directories;
}

Result<LoaderRules> rules_of(const FileSystem& files, const File& file, const ElfObject& loader, std::string_view path,
                             GlibcVersion release, MuslPath& musl_path) {
  Result<Content> constants = read_constants(file, loader, path);
  if (!constants) return Unexpected{std::move(constants).error()};
  if (const std::optional<MuslRelease> musl = find_musl_release(as_text(*constants))) {
    read_musl_path(files, path, musl->arch, musl_path);
    LoaderRules rules = musl_rules(musl->version, loader.target);
    rules.system_dirs = directories_of(musl_path);
    return rules;
  }
  std::string real_name;
  // Only needed where the release is part of the file name.
  LoaderRules rules = read_loader_rules(as_text(*constants), loader.target, {}, path);
  if (rules.version == GlibcVersion{}) {
    if (const Result<std::string, Errno> real = files.real_path(path)) {
      real_name = file_name_of(*real);
      rules = read_loader_rules(as_text(*constants), loader.target, real_name, path);
    }
  }
  if (rules.version == GlibcVersion{}) {
    const GlibcVersion version = release_of_libc(files, rules);
    if (version != GlibcVersion{}) {
      rules = read_loader_rules(as_text(*constants), loader.target, "ld-" + version.to_string() + ".so", path);
      rules.version_source = RuleSource::LibcFile;
    }
  }
  if (release != GlibcVersion{}) {
    LoaderRules forced = rules_for_release(release, loader.target);
    forced.system_dirs = rules.system_dirs;
    forced.system_dirs_derived = rules.system_dirs_derived;
    forced.lib_token = rules.lib_token;
    forced.cache_path = rules.cache_path;
    forced.version_source = RuleSource::Override;
    return forced;
  }
  if (rules.version == GlibcVersion{}) {
    return Unexpected{Error{ErrorCode::Unsupported,
                            std::string(path),
                            {},
                            "does not say which glibc release it is (name one with --glibc)"}};
  }
  return rules;
}

void read_cache(System& system) {
  const std::string& path = system.rules.cache_path;
  const Result<std::unique_ptr<File>, Errno> file = system.files->open(path);
  if (!file) {
    if (file.error() != static_cast<Errno>(ENOENT)) {
      system.cache_problem = cannot_open(path, file.error(), "cannot be opened: ");
    }
    return;
  }
  system.cache_status = (*file)->status();
  if ((*file)->status().kind != FileKind::Regular) {
    // The loader opens it as it does any other file.
    const bool is_fifo = (*file)->status().kind == FileKind::Fifo;
    system.cache_problem = Error{ErrorCode::Unreadable, path, {}, is_fifo ? kWaitsForWriter : "is not a regular file"};
    return;
  }
  Result<Content> bytes = read_whole(**file, path, kMaxCacheBytes);
  if (!bytes) {
    system.cache_problem = std::move(bytes).error();
    return;
  }
  Result<LdCache> cache = LdCache::adopt(std::move(bytes->bytes), bytes->size, system.rules, system.rules.target, path);
  if (!cache) {
    system.cache_problem = std::move(cache).error();
    return;
  }
  system.cache = std::move(cache).value();
  system.has_cache = true;
}

/// A file that cannot be read is none to the loader, either; only a limit of ours is an error.
std::optional<Error> read_preload(System& system) {
  const Result<std::unique_ptr<File>, Errno> file = system.files->open(kPreloadFile);
  if (!file) return std::nullopt;
  if ((*file)->status().kind == FileKind::Fifo) {
    system.preload_problem = Error{ErrorCode::Malformed, std::string(kPreloadFile), {}, kWaitsForWriter};
  }
  if ((*file)->status().kind != FileKind::Regular) return std::nullopt;
  const Result<Content> bytes = read_whole(**file, kPreloadFile, kMaxPreloadBytes);
  if (bytes) {
    system.preload_file = std::string(as_text(*bytes));
  } else if (bytes.error().code == ErrorCode::LimitReached) {
    return bytes.error();
  }
  return std::nullopt;
}

}  // namespace

std::string_view musl_system_lists(const MuslPath& path) {
  if (path.lists) return *path.lists;
  return path.error == static_cast<Errno>(ENOENT) ? "/lib:/usr/local/lib:/usr/lib" : "";
}

Result<System> read_system(std::shared_ptr<const FileSystem> files, std::string_view loader_path,
                           GlibcVersion release) {
  const Result<std::unique_ptr<File>, Errno> file = files->open(loader_path);
  if (!file) {
    Error error = cannot_open(loader_path, file.error(), "the loader cannot be opened: ");
    error.code = ErrorCode::NoLoader;
    return Unexpected{std::move(error)};
  }
  Result<ElfObject> loader = ElfObject::read(**file, loader_path);
  if (!loader) return Unexpected{std::move(loader).error()};
  // glibc's libc has a release in it as well, and an entry that prints it, which crashes where no loader has relocated
  // it.
  if (loader->soname && loader->soname->starts_with("libc.so.")) {
    return Unexpected{Error{ErrorCode::Unsupported, std::string(loader_path), {}, "is a C library, not its loader"}};
  }
  System system;
  Result<LoaderRules> rules = rules_of(*files, **file, *loader, loader_path, release, system.musl_path);
  if (!rules) return Unexpected{std::move(rules).error()};

  system.files = std::move(files);
  system.loader_path = std::string(loader_path);
  system.loader = std::move(loader).value();
  system.rules = std::move(rules).value();
  if (system.rules.libc == Libc::Musl) return system;
  read_cache(system);
  if (auto error = read_preload(system)) return Unexpected{std::move(*error)};
  return system;
}

Result<std::string> find_loader(const FileSystem& files, const ElfObject& object, std::string_view path) {
  // The kernel has to find it for a program; dlopen never looks for it.
  const bool is_library = is_for_dlopen(object, path);
  if (object.has_interp && (!is_library || files.status(std::string(object.interp)))) {
    return std::string(object.interp);
  }
  const std::vector<std::string> musl = loaders_for(files, object.target, Libc::Musl);
  const auto names_musl = [](const NeedEntry& need) {
    return need.name == "libc.so" || need.name.starts_with("libc.musl-") || need.name.starts_with("ld-musl-");
  };
  if (!musl.empty() && std::any_of(object.needs.begin(), object.needs.end(), names_musl)) return musl.front();
  std::string tried;
  const auto is_its = [&](const KnownLoader& known) {
    return known.machine == object.target.machine && known.elf_class == object.target.elf_class;
  };
  for (const KnownLoader& known : kKnownLoaders) {
    if (!is_its(known)) continue;
    // gcompat's stand-in is for programs: what opens a library has musl's loader.
    if (files.status(known.path) && !read_gcompat(files, known.path, object.target)) return std::string(known.path);
    tried += tried.empty() ? "" : ", ";
    tried += known.path;
  }
  // Of two libcs in one place, a library that names neither is taken for one of glibc's.
  if (!musl.empty()) return musl.front();
  return Unexpected{Error{ErrorCode::NoLoader,
                          std::string(path),
                          {},
                          "no loader for " + describe(object.target) + " files is installed here" +
                              (tried.empty() ? "" : " (looked for " + tried + ")")}};
}

std::vector<std::string> loaders_for(const FileSystem& files, const ElfTarget& target, Libc libc) {
  std::vector<std::string> found;
  const std::span<const KnownLoader> loaders =
      libc == Libc::Musl ? std::span<const KnownLoader>(kMuslLoaders) : std::span<const KnownLoader>(kKnownLoaders);
  for (const KnownLoader& known : loaders) {
    const bool is_its = known.machine == target.machine && known.elf_class == target.elf_class;
    if (is_its && files.status(known.path)) found.emplace_back(known.path);
  }
  return found;
}

std::optional<ElfTarget> target_of_loaders(const FileSystem& files) {
  for (const std::span<const KnownLoader> loaders :
       {std::span<const KnownLoader>(kKnownLoaders), std::span<const KnownLoader>(kMuslLoaders)}) {
    for (const KnownLoader& known : loaders) {
      if (!files.status(known.path)) continue;
      // Several machines share a path: the file says whose it is.
      const Result<std::unique_ptr<File>, Errno> file = files.open(known.path);
      if (!file) continue;
      if (const Result<ElfObject> loader = ElfObject::read(**file, known.path)) return loader->target;
    }
  }
  return std::nullopt;
}

bool is_of_family(const ElfTarget& a, const ElfTarget& b) { return family_of(a.machine) == family_of(b.machine); }

bool has_only_foreign_loaders(const FileSystem& files, const ElfTarget& target) {
  bool has_other = false;
  for (const std::span<const KnownLoader> loaders :
       {std::span<const KnownLoader>(kKnownLoaders), std::span<const KnownLoader>(kMuslLoaders)}) {
    for (const KnownLoader& known : loaders) {
      if (!files.status(known.path)) continue;
      if (family_of(known.machine) == family_of(target.machine)) return false;
      has_other = true;
    }
  }
  return has_other;
}

}  // namespace soresolve
