// Lists directories around a file. Sources: GNU Coding Standards, "Directory Variables"; FHS 3.0, 3.2 and 4.4 to 4.7
// (/usr/lib/NAME, /usr/libexec); Debian Policy 9.1 (/usr/lib/TRIPLET).
#include "world/surroundings.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include "base/path.h"
#include "base/pieces.h"

namespace soresolve {
namespace {

constexpr unsigned kMostDepth = 5;  ///< of directories below the one that is listed

bool is_library_directory(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"lib", "lib64", "lib32", "libx32", "libexec"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_triplet(std::string_view name) { return name.find("-linux-") != std::string_view::npos; }

/// Everybody's: what lies there is of many packages, or of many users (FHS 3.0, 3.8, 3.13, 3.18, 5.15).
bool is_shared(std::string_view prefix) {
  constexpr std::array<std::string_view, 9> kShared = {"",     "/usr", "/usr/local", "/tmp", "/var/tmp",
                                                       "/opt", "/srv", "/home",      "/mnt"};
  return std::find(kShared.begin(), kShared.end(), prefix) != kShared.end();
}

/// PREFIX, and the file's place below PREFIX/lib.
struct Prefix {
  std::string directory;           ///< "" for /
  std::string library_directory;   ///< PREFIX/lib, with the triplet if the path has one
  std::vector<std::string> names;  ///< directories from there to the file
};

/// Nearest first. A path without "lib" has the file's directory and the one above it instead.
std::vector<Prefix> prefixes_of(const std::vector<std::string_view>& components) {
  std::vector<std::string> paths = {""};
  for (const std::string_view component : components) paths.push_back(paths.back() + "/" + std::string(component));
  std::vector<Prefix> prefixes;
  const std::size_t directories = components.size() - 1;
  for (std::size_t i = directories; i-- > 0;) {
    if (!is_library_directory(components[i])) continue;
    std::size_t below = i + 1;
    if (below < directories && is_triplet(components[below])) ++below;
    prefixes.push_back({paths[i], paths[below], {components.begin() + below, components.begin() + directories}});
  }
  if (!prefixes.empty()) return prefixes;
  for (std::size_t i = directories; i > 0 && i + 2 > directories; --i) {
    if (!is_shared(paths[i])) prefixes.push_back({paths[i], paths[i], {}});
  }
  return prefixes;
}

/// How like a word on the file's path a program's name is; 0: not at all.
unsigned likeness(std::string_view program, std::string_view word) {
  constexpr std::size_t kShortest = 3;
  if (program.empty() || word.empty() || program.front() != word.front()) return 0;
  if (program == word) return 4;
  if (word.size() >= kShortest && program.starts_with(word)) return 3;
  if (program.size() >= kShortest && word.starts_with(program)) return 2;
  constexpr std::size_t kAlike = 6;
  return program.size() >= kAlike && word.starts_with(program.substr(0, kAlike)) ? 1 : 0;
}

/// The word that a file's name has for its program: "x" of libx.so.1.
std::string_view word_of(std::string_view path) {
  std::string_view name = file_name_of(path);
  name = name.substr(0, name.find('.'));
  if (name.starts_with("lib")) name.remove_prefix(3);
  return name;
}

class Around {
 public:
  /// `path` is that of one of the files.
  Around(Neighbourhood& near, const std::string& path) : near_(near), path_(path), components_(words_in(path, "/")) {}

  std::shared_ptr<FilesAround> run() {
    unsigned level = 1;
    if (!components_.empty()) {
      for (const Prefix& prefix : prefixes_of(components_)) look_below(prefix, level++);
      is_own_ = false;
      list_folder(std::string(directory_of(path_)), level, 0);
    }
    std::stable_sort(result_->programs.begin(), result_->programs.end(),
                     [](const FilesAround::Program& a, const FilesAround::Program& b) {
                       return a.level != b.level ? a.level < b.level : a.entry->family > b.entry->family;
                     });
    return std::move(result_);
  }

  /// In all directories that were listed.
  [[nodiscard]] std::size_t names_seen() const { return names_seen_; }

 private:
  void look_below(const Prefix& prefix, unsigned level) {
    const bool is_own = !is_shared(prefix.directory);
    is_own_ = is_own;
    words_ = prefix.names;
    if (is_own) {
      const std::vector<std::string_view> above = words_in(prefix.directory, "/");
      for (std::size_t i = above.size(); i > 0 && i + 2 > above.size(); --i) words_.emplace_back(above[i - 1]);
    }
    may_be_like_ = true;
    for (const std::string_view name : {"bin", "sbin", "libexec", "games"}) {
      list_programs(prefix.directory + "/" + std::string(name), level);
      if (prefix.directory.empty()) list_programs("/usr/" + std::string(name), level);
    }
    if (is_own) list_folder(prefix.directory, level, has_few_names_above(prefix) ? 1 : 0);
    look_into_own_folder(prefix, level);
  }

  /// A tree without a directory "lib" may have its programs in any folder beside the file's own. Whose directory above
  /// has many names is a collection of trees.
  [[nodiscard]] bool has_few_names_above(const Prefix& prefix) const {
    constexpr std::size_t kFew = 32;
    const bool is_above = prefix.library_directory == prefix.directory && prefix.directory != directory_of(path_);
    return is_above && near_.entries_in(prefix.directory)->size() <= kFew;
  }

  /// PREFIX/lib/NAME, PREFIX/lib/TRIPLET/NAME, PREFIX/libexec/NAME; of a prefix of its own then all of PREFIX/lib.
  void look_into_own_folder(const Prefix& prefix, unsigned level) {
    if (prefix.names.empty()) {
      if (is_own_ && prefix.library_directory != prefix.directory) {
        list_folder(prefix.library_directory, level, kMostDepth);
      }
      return;
    }
    // Python's own folder is everybody's; the file's is the package in it.
    std::string folder;
    for (const std::string& name : prefix.names) {
      folder += "/" + name;
      if (!name.starts_with("python") && !name.ends_with("-packages")) break;
    }
    is_own_ = true;
    list_folder(prefix.library_directory + folder, level, kMostDepth);
    list_folder(prefix.directory + "/lib" + folder, level, kMostDepth);
    list_folder(prefix.directory + "/libexec" + folder, level, kMostDepth);
    const bool has_python = prefix.names.front().starts_with("python");
    if (!is_shared(prefix.directory) && !has_python) list_folder(prefix.library_directory, level, kMostDepth);
  }

  /// Of a directory; none if it has been listed already, or if it is one too many. So no path comes twice.
  std::span<Neighbourhood::Entry> entries_in(const std::string& directory) {
    const std::optional<std::string> place = near_.real_path(directory.empty() ? "/" : directory);
    if (!place || listed_.contains(*place)) return {};
    if (listed_.size() == kMostDirectoriesAround || names_seen_ >= kMostNamesAround) {
      result_->is_cut_short = true;
      return {};
    }
    listed_.insert(*place);
    result_->directories.push_back(near_.entries_in(*place));
    std::vector<Neighbourhood::Entry>& all = *result_->directories.back();
    std::size_t count = all.size();
    names_seen_ += count;
    if (names_seen_ > kMostNamesAround) {
      result_->is_cut_short = true;
      count -= std::min(count, names_seen_ - kMostNamesAround);
    }
    return std::span(all).first(count);
  }

  /// Whatever lies in a directory for programs may be one.
  void list_programs(const std::string& directory, unsigned level) {
    for (const Neighbourhood::Entry& entry : entries_in(directory)) {
      if (entry.is_library) {
        result_->libraries.push_back(&entry);
      } else {
        add_program(entry, level);
      }
    }
  }

  /// Elsewhere it is what can be executed; `depth` levels of directories below it count as well.
  void list_folder(const std::string& directory, unsigned level, unsigned depth) {
    std::vector<const Neighbourhood::Entry*> below;
    for (Neighbourhood::Entry& entry : entries_in(directory)) {
      if (entry.is_library) {
        result_->libraries.push_back(&entry);
        continue;
      }
      const Neighbourhood::Kind kind = near_.kind_of(entry);
      if (kind == Neighbourhood::Kind::Directory && depth != 0) {
        below.push_back(&entry);
      } else if (kind == Neighbourhood::Kind::Executable) {
        add_program(entry, level);
      }
    }
    for (const Neighbourhood::Entry* folder : below) list_folder(folder->path, level, depth - 1);
  }

  void add_program(const Neighbourhood::Entry& entry, unsigned level) {
    unsigned best = 0;
    for (const std::string& word : words_) best = std::max(best, likeness(entry.name, word));
    result_->programs.push_back({&entry, level, best, is_own_, may_be_like_});
  }

  Neighbourhood& near_;
  const std::string& path_;
  std::vector<std::string_view> components_;
  std::vector<std::string> words_;  ///< on the file's path, below the prefix that is looked below
  bool is_own_ = true;
  bool may_be_like_ = false;
  std::set<std::string> listed_;
  std::size_t names_seen_ = 0;
  std::shared_ptr<FilesAround> result_ = std::make_shared<FilesAround>();
};

}  // namespace

const std::string* FilesAround::library_of_name(std::string_view file_name) {
  if (by_name_.empty()) {
    for (const Neighbourhood::Entry* library : libraries) by_name_.try_emplace(library->name, &library->path);
  }
  const auto found = by_name_.find(file_name);
  return found == by_name_.end() ? nullptr : found->second;
}

void FilesAround::read_libraries(Neighbourhood& near) {
  constexpr std::size_t kMostNames = std::size_t{1} << 16;
  is_read_ = true;
  std::size_t names = 0;
  for (std::size_t i = 0; i < std::min(libraries.size(), kMostLibrariesRead) && names <= kMostNames; ++i) {
    std::shared_ptr<const NearFile> library = near.file(libraries[i]->path);
    if (!library) continue;
    names += library->needs.size();
    for (const std::string& need : library->needs) {
      std::vector<std::shared_ptr<const NearFile>>& all = by_need_[need];
      if (all.empty() || all.back() != library) all.push_back(library);
    }
    read_.push_back(std::move(library));
  }
}

const std::vector<std::shared_ptr<const NearFile>>& FilesAround::that_need(Neighbourhood& near,
                                                                           std::string_view soname) {
  static const std::vector<std::shared_ptr<const NearFile>> kNone;
  if (!is_read_) read_libraries(near);
  const auto found = by_need_.find(soname);
  return found == by_need_.end() ? kNone : found->second;
}

Surroundings read_surroundings(Neighbourhood& near, std::string_view path) {
  Surroundings result;
  result.path = path;
  if (const std::optional<std::string> real = near.real_path(result.path)) result.path = *real;
  const std::string directory(directory_of(result.path));
  result.files = near.around(directory);
  if (!result.files) {
    Around around(near, result.path);
    result.files = around.run();
    near.keep_around(directory, result.files, around.names_seen());
  }
  struct Related {
    const FilesAround::Program* program;
    unsigned likeness;
  };
  std::vector<Related> related;
  std::vector<const FilesAround::Program*> others;
  const std::string_view word = word_of(result.path);
  for (const FilesAround::Program& program : result.files->programs) {
    if (program.entry->path == result.path) continue;
    const unsigned by_name = program.may_be_like ? likeness(program.entry->name, word) : 0;
    const unsigned best = std::max(program.likeness, by_name);
    if (program.is_own || best != 0) {
      related.push_back({&program, best});
    } else {
      others.push_back(&program);
    }
  }
  std::stable_sort(related.begin(), related.end(), [](const Related& a, const Related& b) {
    return a.program->level != b.program->level ? a.program->level < b.program->level : a.likeness > b.likeness;
  });
  result.related_programs = related.size();
  for (const Related& each : related) result.programs.push_back(each.program);
  result.programs.insert(result.programs.end(), others.begin(), others.end());
  return result;
}

std::vector<std::string> programs_in_path(const FileSystem& files, const Environment& environment,
                                          const std::vector<std::string>& names) {
  std::string path(environment.value("PATH").value_or(std::string_view()));
  path += ":/usr/local/bin:/usr/bin:/usr/sbin";
  std::vector<std::string> found;
  for (const std::string& name : names) {
    for (const std::string_view directory : Pieces(path, ':')) {
      if (!directory.starts_with('/')) continue;
      const std::string candidate = path_in(directory, name);
      const Result<FileStatus, Errno> status = files.status(candidate);
      if (!status || status->kind != FileKind::Regular || (status->mode & 0111U) == 0) continue;
      found.push_back(candidate);
      break;
    }
  }
  return found;
}

}  // namespace soresolve
