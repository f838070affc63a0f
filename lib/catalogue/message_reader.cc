// A stream of bytes is cleaned, cut into lines, and each line is looked through for the anchors of
// all patterns at once. Where several patterns hold, the one that takes in more of the line counts:
// "Could not load library libcudnn_ops_infer.so.8. Error: libnvrtc.so: cannot open shared object
// file" is cuDNN's message, not ld.so's.
#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "base/pieces.h"
#include "catalogue/anchor_index.h"
#include "catalogue/line_cleaner.h"
#include "catalogue/pattern.h"
#include "catalogue/tables.h"
#include "catalogue/traceback.h"
#include "diagnose/hosts.h"
#include "soresolve/catalogue.h"

namespace soresolve {
namespace {

/// Longer lines are looked through in windows, which overlap by what a pattern can reach.
constexpr std::size_t kWindowBytes = 64 << 10;
constexpr std::size_t kShownBytes = 400;  ///< of the line around a match
/// Of two lines that may be one, what is looked at on either side of the break.
constexpr std::size_t kJoinedBytes = 1024;
/// A terminal or a mail breaks lines at its width, within a word as well; shorter ones ended by themselves.
constexpr std::size_t kBrokenBytes = 60;
constexpr std::size_t kAlikeBytes = 4;

struct Reading {
  PatternMatch match;
  std::size_t pattern = 0;
  std::optional<HostWords> host = {};           ///< who says it, where that stands around it
  std::vector<std::string_view> left_out = {};  ///< of the line: attempts of that host that say nothing
};

std::string_view captured(const PatternMatch& match, std::string_view name) {
  const auto capture = std::find_if(match.captures.begin(), match.captures.end(),
                                    [&](const PatternCapture& one) { return one.name == name; });
  return capture == match.captures.end() ? std::string_view() : capture->text;
}

/// Where messages are looked for: anchors that begin in [from, end) of `line`, and messages that go over `across`.
struct Stretch {
  std::string_view line;
  std::size_t from = 0;
  std::size_t end = 0;
  std::size_t across = std::string_view::npos;  ///< npos: any
  [[nodiscard]] bool takes(const PatternMatch& match) const {
    return across == std::string_view::npos || (match.begin < across && match.end > across + 1);
  }
};

bool lies_inside(const PatternMatch& inner, const PatternMatch& outer) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

/// Drops what another one takes in; of equals the first in the catalogue stays.
std::vector<Reading> outermost(const std::vector<Reading>& all) {
  std::vector<Reading> kept;
  for (const Reading& candidate : all) {
    const auto outer = [&](const Reading& other) { return lies_inside(candidate.match, other.match); };
    if (std::any_of(kept.begin(), kept.end(), outer)) continue;
    std::erase_if(kept, [&](const Reading& other) { return lies_inside(other.match, candidate.match); });
    kept.push_back(candidate);
  }
  return kept;
}

bool is_occasion(std::string_view field) {
  constexpr std::string_view kOccasions[] = {"error while loading shared libraries", "symbol lookup error",
                                             "relocation error", "载入共享库时出错", "符号查询错误"};
  return std::find(std::begin(kOccasions), std::end(kOccasions), field) != std::end(kOccasions);
}

/// What a log or another function puts before a message, where a program's name could stand: "… dlerror: TEXT".
bool is_log_word(std::string_view field) {
  constexpr std::string_view kWords[] = {"dlerror", "dlopen", "error", "err",      "warning",   "warn",   "fatal",
                                         "info",    "debug",  "trace", "critical", "exception", "failed", "message"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
    return std::equal(field.begin(), field.end(), word.begin(), word.end(), [](char a, char b) {
      return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
    });
  });
}

/// Is the line about AMD's runtime? PyTorch for ROCm prints the texts of CUDA's errors, and calls some of them so.
bool is_of_hip(std::string_view line) {
  constexpr std::string_view kWords[] = {"HIP error", "hipError", "HIP_ERROR",  "HIP out of",
                                         "HIPBLAS",   "hipblas",  "rocBLAS",    "rocblas",
                                         "MIOpen",    "miopen",   "HSA_STATUS", "TORCH_USE_HIP_DSA"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

/// A row of CUDA's own errors, and not one about a library that the message names.
bool is_of_cuda(const KnownMessage& known, const PatternMatch& match) {
  const bool names_library = std::any_of(match.captures.begin(), match.captures.end(),
                                         [](const PatternCapture& one) { return one.name == "library"; });
  return !names_library && known.is_of_cuda;
}

/// Is the line of macOS's loader? It has other messages, and "shared library" stands in those of .NET and Python there.
bool is_of_macos(std::string_view line) {
  constexpr std::size_t kMaxLine = 4096;  // bytes; a longer line is a whole log
  constexpr std::string_view kWords[] = {"DYLD_", "dyld", "image not found", "mach-o", ".dylib'"};
  return line.size() <= kMaxLine && std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
           return line.find(word) != std::string_view::npos;
         });
}

/// Drops "Could not load A" where "dlerror: B: TEXT" follows: what dlopen said is why, and about another file.
void drop_what_dlerror_explains(std::vector<Reading>& readings, std::string_view line) {
  constexpr std::string_view kName = "dlerror";
  const auto is_explained = [&](const Reading& one) {
    return std::any_of(readings.begin(), readings.end(), [&](const Reading& other) {
      std::string_view before = line.substr(0, other.match.begin);
      before = before.substr(0, before.find_last_not_of(" \t:='`\"(") + 1);
      return before.ends_with(kName) && one.match.begin < before.size() && one.match.end <= other.match.begin;
    });
  };
  std::vector<Reading> kept;
  std::copy_if(readings.begin(), readings.end(), std::back_inserter(kept),
               [&](const Reading& one) { return !is_explained(one); });
  readings = std::move(kept);
}

/// "/x/gd.so.so (/x/gd.so.so: cannot open shared object file: No such file or directory)", of a line with more of them.
std::string_view whole_attempt(const Reading& one, std::string_view line) {
  const std::size_t begin = static_cast<std::size_t>(one.host->file.data() - line.data());
  const std::size_t end = line.find(')', one.match.end);
  return line.substr(begin, end == std::string_view::npos ? end : end + 1 - begin);
}

/// Finds the hosts of the messages, and drops what they add of their own: a path that PHP tries and that is no file,
/// beside another of its attempts, and what .NET made of the name of a library of Windows.
void read_hosts(std::vector<Reading>& readings, std::string_view line, std::string_view above) {
  for (Reading& one : readings) {
    one.host = read_host(line.substr(0, one.match.begin), line.substr(one.match.end), above);
  }
  const auto is_attempt = [&](const Reading& one) {
    return one.host && !one.host->file.empty() && captured(one.match, "library") == one.host->file;
  };
  const auto is_of_windows = [&](const Reading& one) {
    return one.host && one.host->host->is_name_derived && one.host->name.ends_with(".dll");
  };
  std::vector<Reading> kept;
  std::vector<std::string_view> left_out;
  for (Reading& one : readings) {
    const bool is_beside_other = std::any_of(readings.begin(), readings.end(), [&](const Reading& other) {
      // Where all of them are such attempts the last one stays: NAME.so, behind NAME.
      return other.host && one.host && other.host->host == one.host->host && &other != &one &&
             (!is_attempt(other) || other.match.begin > one.match.begin);
    });
    const bool is_superfluous = (is_attempt(one) && is_beside_other) || (is_of_windows(one) && readings.size() > 1);
    if (is_superfluous && is_attempt(one)) left_out.push_back(whole_attempt(one, line));
    if (!is_superfluous) kept.push_back(one);
  }
  for (Reading& one : kept) one.left_out = left_out;
  readings = std::move(kept);
}

/// torio, torchaudio and torchcodec try the releases of FFmpeg one after the other, and log each attempt with its
/// traceback. That one release is not here is no error; what is wrong if none is here is said in another line.
bool is_attempt(const Recognised& message) {
  constexpr std::string_view kFunctions[] = {"_find_ffmpeg_extension", "load_torchcodec_shared_libraries"};
  constexpr std::string_view kOfFfmpeg = "ffmpeg-library-missing";
  return message.known->id == kOfFfmpeg &&
         std::any_of(message.frames.begin(), message.frames.end(), [&](const TracebackFrame& frame) {
           return std::find(std::begin(kFunctions), std::end(kFunctions), frame.function) != std::end(kFunctions);
         });
}

/// A quotation's marks at the start of a line, as mail and Markdown put them.
std::string_view quotation_prefix(std::string_view line) {
  const std::size_t size = line.find_first_not_of("> \t");
  const std::string_view prefix = line.substr(0, std::min(size, line.size()));
  return prefix.find('>') == std::string_view::npos ? std::string_view() : prefix;
}

/// Without the spaces that cannot be seen: they stand where a page broke or joined words.
void take_out_unseen(std::string& line) {
  struct Unseen {
    std::string_view bytes;
    std::string_view instead;
  };
  constexpr Unseen kAll[] = {{"\xc2\xa0", " "}, {"\xe2\x80\xaf", " "}, {"\xe2\x80\x8b", ""}, {"\xef\xbb\xbf", ""}};
  for (const Unseen& unseen : kAll) {
    std::size_t place = line.find(unseen.bytes);
    if (place == std::string::npos) continue;
    std::string kept;
    std::size_t from = 0;
    for (; place != std::string::npos; place = line.find(unseen.bytes, from)) {
      kept.append(line, from, place - from).append(unseen.instead);
      from = place + unseen.bytes.size();
    }
    line = kept.append(line, from);
  }
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// A text as the address of a search has it: "libx.so:%20undefined%20symbol:%20f". Empty for others.
std::string without_percent(std::string_view line) {
  std::string text;
  if (line.find("%20") == std::string_view::npos) return text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const int high = line[i] == '%' && i + 2 < line.size() ? hex_digit(line[i + 1]) : -1;
    const int low = high < 0 ? -1 : hex_digit(line[i + 2]);
    const int code = low < 0 ? 0 : high * 16 + low;
    text += code >= 0x20 ? static_cast<char>(code) : line[i];
    if (code >= 0x20) i += 2;
  }
  return text;
}

/// The row of what was only tried.
const KnownMessage& attempt_row() {
  const std::span<const KnownMessage> all = known_messages();
  return *std::find_if(all.begin(), all.end(), [](const KnownMessage& known) { return known.id == "ffmpeg-attempt"; });
}

/// "PROGRAM: OCCASION: OBJECT: TEXT", "PROGRAM: OBJECT: TEXT" or "OBJECT: TEXT": who is before
/// `end`, where the object begins.
std::string_view program_before(std::string_view line, std::size_t end) {
  if (end < 2 || line.substr(end - 2, 2) != ": ") return {};
  const std::string_view before = line.substr(0, end - 2);
  const std::size_t colon = before.rfind(": ");
  const std::string_view last = before.substr(colon == std::string_view::npos ? 0 : colon + 2);
  if (is_occasion(last) && colon != std::string_view::npos) return field_before(line, colon);
  const std::string_view field = field_before(line, before.size());
  const bool is_exception = field.ends_with("Error") || field.ends_with("Exception");
  return is_exception || is_occasion(last) || is_log_word(field) ? std::string_view() : field;
}

std::string shown_part(std::string_view line, const PatternMatch& match) {
  const std::size_t first = line.find_first_not_of(" \t");
  std::size_t begin = std::min(first == std::string_view::npos ? 0 : first, match.begin);
  if (line.size() - begin > kShownBytes && match.begin > begin + kShownBytes / 2) {
    begin = match.begin - kShownBytes / 4;
    // Not from within a word or a character of UTF-8.
    while (begin < match.begin && line[begin - 1] != ' ') ++begin;
  }
  std::size_t end = std::min(line.size(), std::max(begin + kShownBytes, match.end));
  while (end > match.end && end < line.size() && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
  while (end > match.end && (line[end - 1] == ' ' || line[end - 1] == '\t')) --end;
  return std::string(line.substr(begin, end - begin));
}

/// The patterns of the catalogue, translations too, and where each may begin in a text. The same for all readers: built
/// once, since that costs more than most messages.
class Patterns {
 public:
  static const Patterns& all() {
    static const Patterns patterns;
    return patterns;
  }
  Patterns(const Patterns&) = delete;
  Patterns& operator=(const Patterns&) = delete;

  [[nodiscard]] const Pattern& operator[](std::size_t i) const { return patterns_[i]; }
  [[nodiscard]] const KnownMessage& owner(std::size_t i) const { return *owners_[i]; }
  [[nodiscard]] const AnchorIndex& index() const { return index_; }

 private:
  Patterns() : patterns_(read()), index_(patterns_) {}

  std::vector<Pattern> read() {
    std::vector<Pattern> patterns;
    for (const KnownMessage& known : known_messages()) {
      for (const std::string_view pattern : known.patterns) {
        if (pattern.empty()) break;
        patterns.emplace_back(pattern);
        owners_.push_back(&known);
        for (const std::span<const Translation> table : translation_tables()) {
          std::optional<std::string> text = translated(pattern, table);
          if (!text) continue;
          translated_.push_back(std::move(*text));
          patterns.emplace_back(translated_.back());
          owners_.push_back(&known);
        }
      }
    }
    return patterns;
  }

  static std::optional<std::string> translated(std::string_view pattern, std::span<const Translation> table) {
    std::string text(pattern);
    for (const Translation& translation : table) {
      const std::size_t place = text.find(translation.english);
      if (place != std::string::npos) text.replace(place, translation.english.size(), translation.text);
    }
    if (text == pattern) return std::nullopt;
    take_out_unseen(text);  // as out of the lines: French has them before its colons
    return text;
  }

  std::deque<std::string> translated_;       ///< patterns borrow from it
  std::vector<const KnownMessage*> owners_;  ///< of each pattern
  std::vector<Pattern> patterns_;
  AnchorIndex index_;
};

/// Of two patterns of one row that take in parts of each other's text the one that takes in more stays.
void drop_overlaps_of_one_row(std::vector<Reading>& readings, const Patterns& patterns) {
  const auto size_of = [](const Reading& one) { return one.match.end - one.match.begin; };
  const auto yields = [&](const Reading& one) {
    return std::any_of(readings.begin(), readings.end(), [&](const Reading& other) {
      const bool overlap = one.match.begin < other.match.end && other.match.begin < one.match.end;
      return &one != &other && overlap && &patterns.owner(one.pattern) == &patterns.owner(other.pattern) &&
             (size_of(one) < size_of(other) || (size_of(one) == size_of(other) && &other < &one));
    });
  };
  std::vector<Reading> kept;
  std::copy_if(readings.begin(), readings.end(), std::back_inserter(kept),
               [&](const Reading& one) { return !yields(one); });
  readings = std::move(kept);
}

bool share_capture(const PatternMatch& a, const PatternMatch& b) {
  return std::any_of(a.captures.begin(), a.captures.end(), [&](const PatternCapture& one) {
    return std::any_of(b.captures.begin(), b.captures.end(),
                       [&](const PatternCapture& other) { return one.text == other.text; });
  });
}

/// "MESA-LOADER: failed to open swrast: libstdc++.so.6: version … not found": a message that ends where one of the
/// loader begins says what was tried, the loader's why. The loader's come first, unless both are about one file.
void put_reasons_first(std::vector<Reading>& readings, const Patterns& patterns, std::string_view line) {
  constexpr std::size_t kMaxBetween = 16;  // bytes: ": ", ". Error: ", " (", " - "
  const auto explains = [&](const Reading& reason, const Reading& one) {
    if (!patterns.owner(reason.pattern).problem || reason.match.begin < one.match.end) return false;
    if (share_capture(reason.match, one.match)) return false;
    const std::string_view between = line.substr(one.match.end, reason.match.begin - one.match.end);
    return between.size() <= kMaxBetween && (between.empty() || between.find_first_of(":(-") != std::string_view::npos);
  };
  std::stable_partition(readings.begin(), readings.end(), [&](const Reading& one) {
    return std::none_of(readings.begin(), readings.end(), [&](const Reading& other) { return explains(other, one); });
  });
}

}  // namespace

class MessageReader::State {
 public:
  void read(std::string_view bytes) {
    for (const char byte : bytes) {
      if (!cleaner_.takes(byte)) continue;
      if (byte == '\n' || byte == '\r') {
        // "\r\n" is one line end.
        if (byte == '\r' || !was_return_) end_line();
        was_return_ = byte == '\r';
        continue;
      }
      was_return_ = false;
      line_ += byte;
      if (line_.size() == kWindowBytes) end_window();
    }
  }

  /// The line below says what was tried, the loader's text above why: "version … not found (required by iris_dri.so)",
  /// "failed to load driver: iris". Where the wrapper stands among the lines.
  [[nodiscard]] std::uint64_t place_of(const Recognised& one) const {
    constexpr std::uint64_t kMaxBelow = 2;  // lines
    if (one.known->problem != ProblemCode::DlopenMissing) return one.line;
    std::uint64_t place = one.line;
    for (const Recognised& other : found_) {
      const bool is_reason = other.known->problem && other.known->problem != ProblemCode::DlopenMissing &&
                             other.known->weight == Weight::Cause;
      if (is_reason && other.line < one.line && other.line + kMaxBelow >= one.line)
        place = std::min(place, other.line - 1);
    }
    return place;
  }

  std::vector<Recognised> finish() {
    if (!line_.empty()) end_line();
    if (continued_ != 0) end_line();  // the last line ends in a backslash
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (std::size_t i = 0; i < found_.size(); ++i) order.emplace_back(place_of(found_[i]), i);
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
      const Weight of_a = found_[a.second].known->weight;
      const Weight of_b = found_[b.second].known->weight;
      return of_a != of_b ? of_a < of_b : a.first > b.first;
    });
    std::vector<Recognised> sorted;
    for (const auto& [place, i] : order) {
      found_[i].is_explained = place < found_[i].line;
      sorted.push_back(std::move(found_[i]));
    }
    return sorted;
  }

 private:
  void end_line() {
    if (continued_ != 0) join_continued();
    if (begins_continued()) {
      ++line_number_;
      return;
    }
    if (searched_ == 0) take_out_unseen(line_);
    traceback_.read(line_);
    if (!read_behind_name()) has_cause_ = look_through({line_, searched_, line_.size()}) || has_cause_;
    if (!has_cause_ && searched_ == 0) read_altered();
    if (!read_answer()) read_broken();
    if (const std::string_view line = trimmed(line_); !line.empty())
      above_.assign(line.substr(line.size() - std::min(line.size(), kJoinedBytes)));
    line_.clear();
    ++line_number_;
    searched_ = 0;
    has_cause_ = false;
  }

  /// An editor breaks a line with a backslash, within a word as well. Does this one go on below?
  bool begins_continued() {
    constexpr std::size_t kMaxContinued = 4096;  // bytes
    if (!line_.ends_with('\\') || line_.ends_with("\\\\") || line_.size() > kMaxContinued) return false;
    line_.pop_back();
    continued_ = line_.size();
    return continued_ != 0;
  }

  /// Takes out of a line that goes on below what a quotation puts before its second half.
  void join_continued() {
    const std::size_t at = std::exchange(continued_, 0);
    if (at > line_.size() || quotation_prefix(line_).empty()) return;
    line_.erase(at, quotation_prefix(std::string_view(line_).substr(at)).size());
  }

  /// "ImportError: /x/liba.so:" and below it "undefined symbol: f" are one message. Was it one?
  bool read_behind_name() {
    constexpr std::string_view kReasons[] = {"undefined symbol",      "cannot open shared object", "version",
                                             "wrong ELF class",       "invalid ELF header",        "file too short",
                                             "cannot allocate memory"};
    const std::string_view line = trimmed(line_);
    const std::size_t space = broken_.find_last_of(" \t\"'");
    const std::string_view name = std::string_view(broken_).substr(space == std::string::npos ? 0 : space + 1);
    const bool is_name =
        name.ends_with(':') && (name.find(".so") != std::string_view::npos || name.ends_with(".node:"));
    if (!is_name || searched_ != 0 ||
        std::none_of(std::begin(kReasons), std::end(kReasons),
                     [&](std::string_view reason) { return line.starts_with(reason); })) {
      return false;
    }
    const std::string joined = broken_ + " " + std::string(line);
    has_cause_ = look_through({joined, broken_.size() + 1, joined.size()});
    return true;
  }

  void read_altered() {
    const std::string text = without_percent(line_);
    if (!text.empty()) has_cause_ = look_through({text, 0, text.size()});
    // A quotation that was broken anew has its marks within the line.
    constexpr std::string_view kMark = " > ";
    std::size_t mark = quotation_prefix(line_).empty() ? std::string::npos : line_.find(kMark, 1);
    if (has_cause_ || mark == std::string::npos) return;
    std::string joined;
    std::size_t from = 0;
    for (; mark != std::string::npos; mark = line_.find(kMark, from)) {
      joined.append(line_, from, mark - from) += ' ';
      from = mark + kMark.size();
    }
    joined.append(line_, from);
    has_cause_ = look_through({joined, 0, joined.size()});
  }

  /// A message that mail, a terminal or a chat broke into two lines: looked for where neither of them names a cause.
  void read_broken() {
    std::string_view line = trimmed(line_);
    line.remove_prefix(quotation_prefix(line).size());
    // Lines of a log, which begin alike, are not parts of one.
    const bool is_log =
        !line.empty() && line.substr(0, kAlikeBytes) == std::string_view(broken_).substr(0, kAlikeBytes);
    const bool is_candidate = !has_cause_ && !is_log && !line.empty() && !broken_.empty();
    for (const char* joint : {" ", ""}) {
      if (!is_candidate || has_cause_ || (*joint == 0 && broken_.size() < kBrokenBytes)) break;
      const std::string joined = broken_ + joint + std::string(line.substr(0, kJoinedBytes));
      has_cause_ = look_through({joined, 0, joined.size(), broken_.size()});
    }
    broken_ = has_cause_ ? std::string() : std::string(line.substr(line.size() - std::min(line.size(), kJoinedBytes)));
  }

  /// What Python prints for an expression stands in the line below it. "False" alone says nothing, so it is read
  /// behind the line that it answers: ">>> torch.cuda.is_available()", or a shell's `python -c "…"`. Was it one?
  bool read_answer() {
    constexpr std::size_t kMaxAsked = 400;  // bytes; a longer line is no expression that someone typed
    const std::string_view answer = trimmed(line_);
    if (answer == "False" && !asked_.empty()) {
      const std::string both = std::exchange(asked_, {}) + " False";
      look_through({both, 0, both.size()});
      return true;
    }
    asked_.assign(answer.size() <= kMaxAsked ? answer : std::string_view());
    return false;
  }

  /// The line is long: looks through what the rest cannot change, and keeps what comes after it.
  void end_window() {
    has_cause_ = look_through({line_, searched_, line_.size() - Pattern::kMaxReach}) || has_cause_;
    const std::size_t kept = 2 * Pattern::kMaxReach;
    searched_ = kept - Pattern::kMaxReach;
    line_.erase(0, line_.size() - kept);
  }

  /// Is a cause among the messages there?
  bool look_through(const Stretch& stretch) {
    std::vector<Reading> readings;
    LineMemory memory;
    const auto try_pattern = [&](std::size_t place, std::uint32_t pattern, std::size_t length) {
      // A line of nothing but messages is no message.
      if (readings.size() == 4 * kMaxRecognised) return;
      auto match = patterns_[pattern].match(stretch.line, place, length, memory);
      if (match && stretch.takes(*match)) readings.push_back({std::move(*match), pattern});
    };
    patterns_.index().for_each(stretch.line, stretch.from, stretch.end, try_pattern);
    if (is_of_hip(stretch.line)) {
      std::erase_if(readings, [&](const Reading& one) { return is_of_cuda(patterns_.owner(one.pattern), one.match); });
    }
    if (!readings.empty() && is_of_macos(stretch.line)) readings.clear();
    readings = outermost(readings);
    drop_overlaps_of_one_row(readings, patterns_);
    drop_what_dlerror_explains(readings, stretch.line);
    put_reasons_first(readings, patterns_, stretch.line);
    read_hosts(readings, stretch.line, above_);
    const bool has_cause = std::any_of(readings.begin(), readings.end(), [&](const Reading& c) {
      return patterns_.owner(c.pattern).weight == Weight::Cause;
    });
    for (const Reading& candidate : readings) {
      if (has_cause && patterns_.owner(candidate.pattern).weight == Weight::Summary) continue;
      add(candidate, stretch.line);
    }
    return has_cause;
  }

  void add(const Reading& candidate, std::string_view line) {
    Recognised one;
    one.known = &patterns_.owner(candidate.pattern);
    for (const PatternCapture& capture : candidate.match.captures) {
      one.captures.push_back({std::string(capture.name), std::string(soname_of_set(line, capture.text))});
    }
    if (const std::string_view program = program_before(line, candidate.match.begin); !program.empty()) {
      one.captures.push_back({"program", std::string(program)});
    }
    if (candidate.host) add_host(*candidate.host, one);
    one.frames = traceback_.frames();
    if (is_attempt(one)) one.known = &attempt_row();
    const auto same = std::find_if(found_.begin(), found_.end(), [&](const Recognised& other) {
      return other.known == one.known && other.captures == one.captures;
    });
    if (same != found_.end()) {
      one.count = same->count + 1;
      found_.erase(same);
    }
    one.text = shown_part(line, candidate.match);
    for (const std::string_view piece : candidate.left_out) {
      // What is shown of a long line may end within it.
      const std::size_t at = one.text.find(piece.substr(0, piece.find(" (") + 2));
      if (at != std::string::npos) one.text.replace(at, std::min(piece.size(), one.text.size() - at), "…");
    }
    if (candidate.host && is_of_line_above(*candidate.host)) one.text = joined_to(above_, one.text);
    one.line = line_number_;
    if (found_.size() == kMaxRecognised) found_.erase(found_.begin());
    found_.push_back(std::move(one));
  }

  /// "{liba.so.9.1.0, liba.so.9, liba.so}" are names of one library, tried one after the other: the one with its major
  /// release is what others are named by.
  static std::string_view soname_of_set(std::string_view line, std::string_view first) {
    const std::size_t begin = static_cast<std::size_t>(first.data() - line.data());
    if (begin == 0 || begin >= line.size() || line[begin - 1] != '{') return first;
    const std::string_view set = line.substr(begin, line.find('}', begin) - begin);
    for (const std::string_view entry : Pieces(set, ',')) {
      const std::string_view name = trimmed(entry);
      const std::size_t number = name.find(".so.");
      if (number != std::string_view::npos && name.find('.', number + 4) == std::string_view::npos) return name;
    }
    return first;
  }

  /// What the host's words say besides: the file that it was opening, and the name that the user gave it.
  static void add_host(const HostWords& words, Recognised& one) {
    const auto set = [&](std::string_view name, std::string text) {
      const auto capture = std::find_if(one.captures.begin(), one.captures.end(),
                                        [&](const Capture& other) { return other.name == name; });
      if (capture != one.captures.end())
        capture->text = std::move(text);
      else
        one.captures.push_back({std::string(name), std::move(text)});
    };
    set("host", std::string(words.host->title));
    if (words.host->is_name_derived && one.captured("library").find(words.name) != std::string_view::npos) {
      std::string name(words.name);
      if (!name.starts_with(words.host->name_prefix)) name.insert(0, words.host->name_prefix);
      if (name.find(words.host->name_suffix) == std::string::npos) name += words.host->name_suffix;
      set("library", std::move(name));
    }
    const bool is_named = one.captured("consumer").empty() && one.captured("requirer").empty();
    if (is_named && !words.file.empty() && words.file != one.captured("library"))
      set("consumer", std::string(words.file));
  }

  /// "Loading binary FILE..." and the line below it, as one.
  static std::string joined_to(std::string_view above, const std::string& text) {
    while (above.ends_with('.') || above.ends_with(':')) above.remove_suffix(1);
    return std::string(above) + ": " + text;
  }

  [[nodiscard]] bool is_of_line_above(const HostWords& words) const {
    const char* const begin = above_.data();
    return !words.file.empty() && words.file.data() >= begin && words.file.data() < begin + above_.size();
  }

  const Patterns& patterns_ = Patterns::all();
  LineCleaner cleaner_;
  Traceback traceback_;
  std::string line_;
  std::string asked_;          ///< the line before, if it is short
  std::string broken_;         ///< the end of the line before, unless it names a cause
  std::string above_;          ///< the end of the last line that is not empty
  bool has_cause_ = false;     ///< a message of the line so far names one
  std::size_t continued_ = 0;  ///< not 0: where the line goes on that a backslash broke
  std::size_t searched_ = 0;   ///< anchors below this place of line_ are dealt with
  std::uint64_t line_number_ = 1;
  bool was_return_ = false;
  std::vector<Recognised> found_;  ///< by their last appearance
};

MessageReader::MessageReader() : state_(std::make_unique<State>()) {}
MessageReader::~MessageReader() = default;
void MessageReader::read(std::string_view bytes) { state_->read(bytes); }
std::vector<Recognised> MessageReader::finish() { return state_->finish(); }

std::vector<Recognised> recognise(std::string_view message) {
  MessageReader reader;
  reader.read(message);
  return reader.finish();
}

std::string_view Recognised::captured(std::string_view name) const {
  for (const Capture& capture : captures) {
    if (capture.name == name) return capture.text;
  }
  return {};
}

}  // namespace soresolve
