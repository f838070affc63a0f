// One directory after the other, each level on several threads. A file costs one open and one short read, and no stat;
// only what begins as an ELF file is read on (elf/elf_object.cc). What a pseudo file system is is seen by the names in
// it: proc(5) has "self" and "mounts", sysfs(5) "kernel", "devices" and "module".
#include "survey/file_finder.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "base/parallel.h"
#include "base/path.h"
#include "python/interpreter.h"
#include "world/refusal.h"

namespace soresolve {
namespace {

/// Extensions of what is read or interpreted and never loaded; ascending.
constexpr std::string_view kDataExtensions[] = {
    "a",   "adoc", "c",     "cc",   "cfg",     "cmake", "conf", "cpp", "css",     "csv",  "cu",  "cuh", "desktop",
    "el",  "elc",  "gif",   "go",   "gz",      "h",     "hpp",  "htm", "html",    "hxx",  "inc", "inl", "ipynb",
    "jpg", "js",   "json",  "la",   "list",    "m4",    "map",  "md",  "md5sums", "mjs",  "mo",  "npy", "pc",
    "pdf", "pem",  "php",   "pl",   "pm",      "png",   "po",   "pod", "ppd",     "py",   "pyc", "pyi", "pyx",
    "rb",  "rs",   "rst",   "scss", "service", "sh",    "svg",  "tcl", "tex",     "toml", "ts",  "ttf", "txt",
    "vim", "woff", "woff2", "xml",  "xz",      "yaml",  "yml",  "zip"};

constexpr std::size_t kIdentBytes = EI_NIDENT + 2;  ///< with e_type
constexpr std::size_t kHeadBytes = 32;              ///< with the first words of a text

/// What one directory came to.
struct Listing {
  std::vector<FoundFile> dynamic;
  std::vector<SurveySkip> skipped;
  std::vector<std::string> directories;
  std::size_t entries = 0;
  std::size_t files = 0;
  std::size_t not_dynamic = 0;
  std::size_t static_programs = 0;
};

bool has_name(const std::vector<DirectoryEntry>& entries, std::string_view name) {
  return std::binary_search(entries.begin(), entries.end(), DirectoryEntry{std::string(name)},
                            [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
}

bool is_pseudo(const std::vector<DirectoryEntry>& entries) {
  const bool is_proc = has_name(entries, "self") && has_name(entries, "mounts");
  const bool is_sys = has_name(entries, "kernel") && has_name(entries, "devices") && has_name(entries, "module");
  return is_proc || is_sys;
}

class Finder {
 public:
  Finder(const FileSystem& files, const FindOptions& options) : files_(files), options_(options) {}

  FoundFiles run(const std::vector<std::string>& places) {
    std::vector<std::string> level;
    for (const std::string& place : places) {
      Result<std::string, Errno> real = files_.real_path(place);
      // What a descriptor has open (/dev/stdin) need not have a name.
      if (!real && files_.status(place)) real = place;
      const Result<FileStatus, Errno> status = real ? files_.status(*real) : Unexpected{real.error()};
      if (!status) {
        skip(result_.skipped, place, status.error());
        result_.skipped.back().is_open = true;
      } else if (status->kind == FileKind::Directory) {
        if (enter(status->id)) level.push_back(std::move(real).value());
      } else {
        if (!named_.insert(*real).second) continue;
        Listing listing;
        ++listing.files;
        look_at_file(std::move(real).value(), listing);
        add(std::move(listing));
      }
    }
    for (std::size_t depth = 0; !level.empty() && !is_stopped(); ++depth) level = look_at_level(level, depth);
    finish();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_stopped() const { return options_.is_stopped && options_.is_stopped(); }
  static void skip(std::vector<SurveySkip>& into, std::string path, SurveySkip::Why why, std::string reason) {
    const bool is_open = why == SurveySkip::Why::Limit || (why == SurveySkip::Why::Damaged && !is_named_library(path));
    into.push_back({std::move(path), why, std::move(reason), is_open});
  }
  /// What vanished while it was looked for is not there to be judged.
  static void skip(std::vector<SurveySkip>& into, std::string path, Errno error) {
    into.push_back({std::move(path), SurveySkip::Why::Unreadable, errno_text(error, ErrnoText::FromDlerror),
                    error != static_cast<Errno>(ENOENT)});
  }
  /// Whoever opens a library that no loader takes fails: that is a judgement.
  static bool is_named_library(const std::string& path) {
    return path.find(".so", path.rfind('/')) != std::string::npos;
  }
  bool enter(const FileId& id) { return visited_.emplace(id.device, id.inode).second; }

  std::vector<std::string> look_at_level(const std::vector<std::string>& level, std::size_t depth) {
    std::vector<Listing> listings(level.size());
    for_each_index(level.size(), options_.jobs, [&](unsigned, std::size_t i) {
      if (!is_stopped()) look_at_directory(level[i], listings[i]);
    });
    std::vector<std::string> next;
    for (Listing& listing : listings) {
      for (std::string& directory : listing.directories) {
        if (depth + 1 == kMostTreeDepth || result_.entries > kMostTreeEntries) {
          skip(result_.skipped, std::move(directory), SurveySkip::Why::Limit,
               depth + 1 == kMostTreeDepth ? "directories lie too deep" : "too many names");
          continue;
        }
        const Result<FileStatus, Errno> status = files_.status(directory);
        if (!status) {
          skip(result_.skipped, std::move(directory), status.error());
        } else if (enter(status->id)) {
          next.push_back(std::move(directory));
        } else {
          skip(result_.skipped, std::move(directory), SurveySkip::Why::Visited, {});
        }
      }
      add(std::move(listing));
    }
    return next;
  }

  void look_at_directory(const std::string& directory, Listing& listing) {
    const Result<std::vector<DirectoryEntry>, Errno> entries = files_.list_entries(directory);
    if (!entries) {
      return skip(listing.skipped, directory, entries.error());
    }
    if (is_pseudo(*entries)) return skip(listing.skipped, directory, SurveySkip::Why::PseudoFiles, {});
    listing.entries = entries->size();
    for (const DirectoryEntry& entry : *entries) {
      std::string path = path_in(directory, entry.name);
      EntryKind kind = entry.kind;
      if (kind == EntryKind::Unknown) kind = kind_of(path);
      if (kind == EntryKind::Directory) listing.directories.push_back(std::move(path));
      if (kind != EntryKind::Regular) continue;
      ++listing.files;
      if (may_be_loaded(entry.name) || entry.name.ends_with(".sh")) look_at_file(std::move(path), listing);
    }
  }

  [[nodiscard]] EntryKind kind_of(const std::string& path) const {
    if (files_.read_link(path)) return EntryKind::Link;
    const Result<FileStatus, Errno> status = files_.status(path);
    if (!status) return EntryKind::Other;
    switch (status->kind) {
      case FileKind::Regular: return EntryKind::Regular;
      case FileKind::Directory: return EntryKind::Directory;
      default: return EntryKind::Other;
    }
  }

  void look_at_file(std::string path, Listing& listing) {
    const Result<std::unique_ptr<File>, Errno> file = files_.open(path);
    if (!file) {
      return skip(listing.skipped, std::move(path), file.error());
    }
    if ((*file)->status().kind != FileKind::Regular) return;
    std::array<std::byte, kHeadBytes> head{};
    const Result<std::size_t, Errno> got = (*file)->read_at(0, head);
    if (!got) {
      return skip(listing.skipped, std::move(path), got.error());
    }
    if (*got < SELFMAG || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) {
      return look_at_other(std::move(path), **file, {reinterpret_cast<const char*>(head.data()), *got}, listing);
    }
    const bool is_big = std::to_integer<unsigned>(head[EI_DATA]) == ELFDATA2MSB;
    const unsigned low = std::to_integer<unsigned>(head[EI_NIDENT + (is_big ? 1 : 0)]);
    const unsigned high = std::to_integer<unsigned>(head[EI_NIDENT + (is_big ? 0 : 1)]);
    const unsigned type = high << 8 | low;
    if (*got >= kIdentBytes && (type == ET_REL || type == ET_CORE)) {
      ++listing.not_dynamic;
      return;
    }
    Result<ElfObject> object = ElfObject::read(**file, path);
    if (!object) {
      return skip(listing.skipped, std::move(path), SurveySkip::Why::Damaged, object.error().message);
    }
    if (!object->has_dynamic || !has_dynamic_bytes(*object)) {
      ++listing.not_dynamic;
      const bool has_execute_bit = ((*file)->status().mode & 0111) != 0;
      const bool is_program = has_execute_bit && is_static_program(*object);
      if (is_program && object->load_end() > object->file_bytes) {
        return skip(listing.skipped, std::move(path), SurveySkip::Why::Damaged,
                    "ends before a segment that is loaded of it does");
      }
      listing.static_programs += is_program;
      return;
    }
    FoundFile found;
    found.id = (*file)->status().id;
    found.target = object->target;
    found.is_program = object->has_interp || object->is_pie();
    if (object->soname) found.soname = std::string(*object->soname);
    for (const NeedEntry& need : object->needs) {
      if (need.kind == NeedKind::Needed) found.needs.emplace_back(need.name);
    }
    found.path = std::move(path);
    listing.dynamic.push_back(std::move(found));
    if (options_.found) options_.found(++found_);
  }

  /// A script whose interpreter the kernel does not find is a program that does not start. What bears a library's name
  /// and is no ELF file: a linker script is left to ld, but an empty file, one of zeros and the pointer of Git LFS
  /// stand where a library should be, and a module of Python has to be one.
  void look_at_other(std::string path, const File& file, std::string_view head, Listing& listing) {
    if (head.starts_with("#!")) {
      if ((file.status().mode & 0111) == 0 || !missing_interpreter(files_, path)) return;
      FoundFile found;
      found.id = file.status().id;
      found.is_program = true;
      found.path = std::move(path);
      listing.dynamic.push_back(std::move(found));
      return;
    }
    const std::string_view name = file_name_of(path);
    const std::size_t so = name.rfind(".so");
    const bool is_library =
        so != std::string_view::npos && name.find_first_not_of(".0123456789", so + 3) == std::string_view::npos;
    if (!is_library) return;
    // A linker script has no version in its name; a page of a manual (ld.so.8) is no library.
    const bool is_versioned = name.starts_with("lib") && so + 3 < name.size();
    const bool is_hollow =
        is_versioned || head.empty() || head.front() == '\0' || head.starts_with("version https://git-lfs");
    if (!is_hollow && python_tag(name).implementation.empty()) return;
    const Result<ElfObject> object = ElfObject::read(file, path);
    if (!object) skip(listing.skipped, std::move(path), SurveySkip::Why::Damaged, object.error().message);
  }

  /// Files of debug information keep the headers of what they are about, and none of its bytes (objcopy
  /// --only-keep-debug).
  static bool has_dynamic_bytes(const ElfObject& object) {
    return std::any_of(object.segments.begin(), object.segments.end(),
                       [](const Segment& segment) { return segment.type == PT_DYNAMIC && segment.file_bytes != 0; });
  }

  void add(Listing listing) {
    std::move(listing.dynamic.begin(), listing.dynamic.end(), std::back_inserter(result_.dynamic));
    std::move(listing.skipped.begin(), listing.skipped.end(), std::back_inserter(result_.skipped));
    result_.entries += listing.entries;
    result_.files += listing.files;
    result_.not_dynamic += listing.not_dynamic;
    result_.static_programs += listing.static_programs;
  }

  void finish() {
    std::sort(result_.dynamic.begin(), result_.dynamic.end(),
              [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });
    const auto same = [](const FoundFile& a, const FoundFile& b) { return a.path == b.path; };
    result_.dynamic.erase(std::unique(result_.dynamic.begin(), result_.dynamic.end(), same), result_.dynamic.end());
    std::stable_sort(result_.skipped.begin(), result_.skipped.end(),
                     [](const SurveySkip& a, const SurveySkip& b) { return a.path < b.path; });
  }

  const FileSystem& files_;
  const FindOptions& options_;
  FoundFiles result_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> visited_;
  std::set<std::string> named_;  ///< files that are places themselves
  std::atomic<std::size_t> found_ = 0;
};

}  // namespace

bool may_be_loaded(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return true;
  const std::string_view extension = name.substr(dot + 1);
  return !std::binary_search(std::begin(kDataExtensions), std::end(kDataExtensions), extension);
}

FoundFiles find_files(const FileSystem& files, const std::vector<std::string>& places, const FindOptions& options) {
  return Finder(files, options).run(places);
}

}  // namespace soresolve
