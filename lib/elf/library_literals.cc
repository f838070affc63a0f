// Finds strings of the form libNAME.so or libNAME.so.1.2 between two NULs in read-only segments, or at the end of the
// code where a file has none. A guess by form: no specification says which of them is passed to dlopen. Left out: names
// that are put together at run time, names in writable data.
#include "elf/library_literals.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/path.h"

namespace soresolve {
namespace {

constexpr std::size_t kChunkBytes = 1 << 20;
constexpr std::size_t kMaxNameBytes = 128;
constexpr std::size_t kMaxLiterals = 256;
constexpr std::size_t kMaxFileNames = 4096;

bool is_name_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
         c == '+' || c == '.';
}

/// libNAME.so, or that with a version of digits and dots behind it.
bool is_library_name(std::string_view name) {
  if (!name.starts_with("lib") || !std::all_of(name.begin(), name.end(), is_name_character)) return false;
  const std::size_t so = name.find(".so");
  if (so == std::string_view::npos || so < 4) return false;
  const std::string_view version = name.substr(so + 3);
  if (version.empty()) return true;
  return version.size() > 1 && version.front() == '.' && version.back() != '.' &&
         version.find_first_not_of("0123456789.") == std::string_view::npos;
}

class LiteralScan {
 public:
  LiteralScan(const File& file, const ElfObject& object) : file_(file), object_(object) {}

  std::vector<LibraryLiteral> run() {
    for (const Segment& segment : segments()) scan(segment);
    return std::move(found_);
  }

  std::vector<LibraryLiteral> run_for_names(const std::function<bool(std::string_view)>& is_wanted) {
    is_wanted_name_ = &is_wanted;
    most_ = kMaxFileNames;
    return run();
  }

  std::optional<LibraryLiteral> run_for(std::string_view pattern) {
    const bool is_open = pattern.ends_with('*');
    wanted_ = pattern.substr(0, pattern.size() - (is_open ? 1 : 0));
    is_whole_ = !is_open;
    // Longer than any three letters: memmem(3) passes over most of the text.
    needle_ = '\0' + std::string(wanted_);
    at_in_needle_ = 1;
    most_ = 1;
    const std::vector<Segment> all = segments();
    for (auto segment = all.rbegin(); segment != all.rend() && found_.empty(); ++segment) scan(*segment);
    return found_.empty() ? std::nullopt : std::optional(std::move(found_.front()));
  }

 private:
  [[nodiscard]] std::vector<Segment> segments() const {
    std::vector<Segment> segments;
    const bool has_read_only = std::any_of(
        object_.segments.begin(), object_.segments.end(),
        [](const Segment& segment) { return segment.type == PT_LOAD && (segment.flags & (PF_W | PF_X)) == 0; });
    for (const Segment& segment : object_.segments) {
      if (segment.type != PT_LOAD || (segment.flags & PF_W) != 0) continue;
      if (has_read_only && (segment.flags & PF_X) != 0) continue;
      segments.push_back(segment);
    }
    return segments;
  }

  void scan(const Segment& segment) {
    std::uint64_t left = std::min(segment.file_bytes, kMaxLiteralBytes - read_);
    std::vector<std::byte> chunk(static_cast<std::size_t>(std::min<std::uint64_t>(left, kChunkBytes)));
    // Constants follow the code where they share its segment.
    std::uint64_t offset = segment.file_offset;
    if ((segment.flags & PF_X) != 0) offset += segment.file_bytes - left;
    while (left > 0 && found_.size() < most_) {
      const std::size_t want = static_cast<std::size_t>(std::min<std::uint64_t>(left, kChunkBytes));
      const Result<std::size_t, Errno> got = file_.read_to_search(offset, std::span(chunk).first(want));
      if (!got || *got == 0) return;
      look_through({reinterpret_cast<const char*>(chunk.data()), *got}, offset);
      read_ += *got;
      if (*got < want || *got == left) return;
      // The next chunk begins with the end of this one: names may lie across.
      const std::size_t step = *got - kMaxNameBytes - 2;
      offset += step;
      left -= step;
    }
  }

  void look_through(std::string_view text, std::uint64_t offset) {
    std::size_t at = 0;
    while (found_.size() < most_) {
      const void* const hit = ::memmem(text.data() + at, text.size() - at, needle_.data(), needle_.size());
      if (hit == nullptr) return;
      at = static_cast<std::size_t>(static_cast<const char*>(hit) - text.data()) + at_in_needle_;
      // Only so far to both sides: hostile text has no NUL for miles.
      const std::size_t first = at > kMaxNameBytes ? at - kMaxNameBytes : 0;
      const std::string_view around = text.substr(first, 2 * kMaxNameBytes);
      const std::size_t before = around.substr(0, at - first).rfind('\0');
      const std::size_t end = around.find('\0', at - first);
      if (before != std::string_view::npos && end != std::string_view::npos) {
        const std::string_view whole = around.substr(before + 1, end - before - 1);
        const std::string_view name = is_wanted_name_ == nullptr ? whole : file_name_of(whole);
        const bool is_it = is_wanted_name_ == nullptr ? is_wanted(name) && is_library_name(name)
                                                      : !known_.contains(name) && (*is_wanted_name_)(name);
        if (is_it && known_.emplace(name).second) {
          found_.push_back({std::string(name), offset + first + before + 1});
        }
      }
      at += needle_.size() - at_in_needle_;
    }
  }

  [[nodiscard]] bool is_wanted(std::string_view name) const {
    return is_whole_ ? name == wanted_ : name.starts_with(wanted_);
  }

  const File& file_;
  const ElfObject& object_;
  const std::function<bool(std::string_view)>* is_wanted_name_ = nullptr;  ///< any name of a file that it takes
  std::string_view wanted_;                                                ///< the beginning of the name, or all of it
  bool is_whole_ = false;
  std::string needle_ = ".so";
  std::size_t at_in_needle_ = 0;  ///< where in it the name goes on
  std::size_t most_ = kMaxLiterals;
  std::uint64_t read_ = 0;
  std::set<std::string, std::less<>> known_;
  std::vector<LibraryLiteral> found_;
};

}  // namespace

std::vector<LibraryLiteral> find_library_literals(const File& file, const ElfObject& object) {
  return LiteralScan(file, object).run();
}

std::optional<LibraryLiteral> find_library_literal(const File& file, const ElfObject& object,
                                                   std::string_view pattern) {
  return LiteralScan(file, object).run_for(pattern);
}

std::vector<LibraryLiteral> find_file_names(const File& file, const ElfObject& object,
                                            const std::function<bool(std::string_view)>& is_wanted) {
  return LiteralScan(file, object).run_for_names(is_wanted);
}

}  // namespace soresolve
