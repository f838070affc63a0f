// /etc/ld.so.conf and what it includes (glibc elf/ldconfig.c:parse_conf, parse_conf_include, add_dir_1).
#include <fnmatch.h>

#include <algorithm>
#include <functional>
#include <set>
#include <span>

#include "loader/ldconfig.h"

#include "base/path.h"
#include "base/pieces.h"
#include "loader/loader_rules.h"

namespace soresolve {
namespace {

constexpr std::string_view kConfiguration = "/etc/ld.so.conf";
constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kSpaces = " \t\n\v\f\r";
constexpr std::size_t kMaxDepth = 32;  ///< ldconfig has no bound: a file that includes itself kills it
constexpr std::size_t kMaxConfFiles = 4096;
constexpr std::size_t kMaxFileBytes = 4 << 20;
constexpr std::size_t kMaxBytes = 16 << 20;  ///< of all files
constexpr std::size_t kMaxDirectories = 65536;
constexpr std::size_t kMaxPatternBytes = 4095;  ///< PATH_MAX
constexpr std::size_t kMaxCompared = 1 << 20;   ///< names and parts of patterns

/// ldconfig takes each directory once. So a file or a pattern that comes again adds nothing, and is left out.
class Configuration {
 public:
  Configuration(const FileSystem& files, const LoaderRules& rules, std::vector<std::string>& problems)
      : files_(files), has_types_(rules.has_legacy_hwcaps), problems_(problems) {}

  std::vector<std::string> read() {
    read_file(std::string(kConfiguration), 0);
    return std::move(directories_);
  }

 private:
  void read_file(const std::string& path, std::size_t depth) {
    if (depth > kMaxDepth)
      return cut(path + " is included by more than " + std::to_string(kMaxDepth) + " files in turn");
    once(path, [&] {
      if (++file_count_ > kMaxConfFiles)
        return cut("more than " + std::to_string(kMaxConfFiles) + " files are included; the others are left out");
      const auto text = content(path);
      if (!text) return;  // ldconfig warns of it
      for (const std::string_view line : lines_in(*text)) read_line(line, path, depth);
    });
  }

  /// Goes through a file, or "include PATTERN", unless that was done before; while it is being done it is a circle.
  void once(const std::string& key, const std::function<void()>& go) {
    if (std::find(open_.begin(), open_.end(), key) != open_.end()) return cut(key + " is included in a circle");
    if (!known_.insert(key).second) return;
    open_.push_back(key);
    go();
    open_.pop_back();
  }

  /// What follows is left out; the first time is reported.
  void cut(std::string why) {
    if (!is_cut_) problems_.push_back(std::move(why));
    is_cut_ = true;
  }

  [[nodiscard]] std::optional<std::string> content(const std::string& path) {
    const Result<std::unique_ptr<File>, Errno> file = files_.open(path);
    if (!file || (*file)->status().kind != FileKind::Regular) return std::nullopt;
    const std::uint64_t size = (*file)->status().size_bytes;
    if (size > kMaxFileBytes)
      cut(path + " has more than " + std::to_string(kMaxFileBytes) + " bytes; what follows is not read");
    if (bytes_left_ < std::min<std::uint64_t>(size, kMaxFileBytes)) {
      cut("the included files have more than " + std::to_string(kMaxBytes) + " bytes; the others are left out");
      return std::nullopt;
    }
    std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(size, kMaxFileBytes)), '\0');
    bytes_left_ -= text.size();
    const auto got = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
    if (!got) return std::nullopt;
    text.resize(*got);
    return text;
  }

  void read_line(std::string_view line, const std::string& path, std::size_t depth) {
    line = line.substr(0, std::min(line.find('#'), line.find('\0')));
    const std::size_t start = line.find_first_not_of(kSpaces);
    if (start == std::string_view::npos) return;
    line.remove_prefix(start);
    const auto is_word = [&](std::string_view word) {
      return line.starts_with(word) && line.size() > word.size() &&
             kBlanks.find(line[word.size()]) != std::string_view::npos;
    };
    if (is_word("include")) {
      include(line.substr(std::string_view("include ").size()), path, depth);
    } else if (!is_hwcap_line(line)) {
      add_directory(line);
    }
  }

  /// "hwcap 0 nosegneg", in any case of letters: ignored since 2.32, and of no effect on x86-64 before.
  static bool is_hwcap_line(std::string_view line) {
    constexpr std::string_view kWord = "hwcap";
    if (line.size() <= kWord.size() || kBlanks.find(line[kWord.size()]) == std::string_view::npos) return false;
    return std::equal(kWord.begin(), kWord.end(), line.begin(), [](char a, char b) { return a == (b | 0x20); });
  }

  void add_directory(std::string_view line) {
    if (has_types_) line = line.substr(0, line.find('='));  // "DIR=libc6", up to 2.36
    while (!line.empty() && kSpaces.find(line.back()) != std::string_view::npos) line.remove_suffix(1);
    while (!line.empty() && line.back() == '/') line.remove_suffix(1);
    if (line.empty()) return;
    if (directories_.size() == kMaxDirectories)
      return cut("more than " + std::to_string(kMaxDirectories) + " directories; the others are left out");
    directories_.emplace_back(line);
  }

  void include(std::string_view patterns, const std::string& path, std::size_t depth) {
    while (!patterns.empty()) {
      const std::size_t end = patterns.find_first_of(kBlanks);
      std::string pattern(patterns.substr(0, end));
      patterns = end == std::string_view::npos ? std::string_view() : patterns.substr(end + 1);
      while (!pattern.empty() && kSpaces.find(pattern.back()) != std::string_view::npos) pattern.pop_back();
      if (pattern.empty()) continue;
      if (pattern.front() != '/') pattern = std::string(directory_prefix_of(path)) + pattern;
      if (pattern.size() > kMaxPatternBytes) continue;  // as long as no path can be
      once("include " + pattern, [&] {
        for (const std::string& file : matches(pattern)) read_file(file, depth + 1);
      });
    }
  }

  /// glob(3), sorted by bytes.
  [[nodiscard]] std::vector<std::string> matches(const std::string& pattern) {
    std::vector<std::string> found = {""};
    std::size_t at = 0;
    while (at < pattern.size()) {
      at = pattern.find_first_not_of('/', at);
      if (at == std::string::npos) break;
      const std::size_t end = std::min(pattern.find('/', at), pattern.size());
      const std::string part = pattern.substr(at, end - at);
      at = end;
      std::vector<std::string> next;
      for (const std::string& directory : found) match_part(directory, part, next);
      found = std::move(next);
    }
    std::erase_if(found, [this](const std::string& path) { return !files_.status(path); });
    std::sort(found.begin(), found.end());
    return found;
  }

  void match_part(const std::string& directory, const std::string& part, std::vector<std::string>& into) {
    if (!may_compare(1)) return;
    if (part.find_first_of("*?[\\") == std::string::npos) {
      into.push_back(directory + "/" + part);
      return;
    }
    const Result<std::vector<std::string>, Errno> names = files_.list_directory(directory.empty() ? "/" : directory);
    if (!names || !may_compare(names->size())) return;
    for (const std::string& name : *names) {
      if (::fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) != 0) continue;
      if (into.size() == kMaxConfFiles)
        return cut("more than " + std::to_string(kMaxConfFiles) + " files fit " + part + "; the others are left out");
      into.push_back(directory + "/" + name);
    }
  }

  bool may_compare(std::size_t count) {
    compared_ += count;
    if (compared_ <= kMaxCompared) return true;
    cut("more than " + std::to_string(kMaxCompared) + " names are compared with patterns; the others are left out");
    return false;
  }

  const FileSystem& files_;
  bool has_types_;
  std::vector<std::string>& problems_;
  std::vector<std::string> directories_;
  std::set<std::string> known_;    ///< files and patterns
  std::vector<std::string> open_;  ///< those that are being read
  std::size_t file_count_ = 0;
  std::uint64_t bytes_left_ = kMaxBytes;
  std::size_t compared_ = 0;
  bool is_cut_ = false;
};

}  // namespace

std::vector<std::string> configured_directories(const FileSystem& files, const LoaderRules& rules,
                                                std::vector<std::string>& problems) {
  return Configuration(files, rules, problems).read();
}

}  // namespace soresolve
