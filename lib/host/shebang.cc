// The program that a script stands for: what the kernel makes of "#!" (fs/binfmt_script.c), and env(1) of its
// argument, with what that does to the environment (-i, -u, NAME=VALUE). Its -C is not carried on. A script that is a
// shim stands for the program behind it (place/shims.h).
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"
#include "host/host.h"
#include "host/path_search.h"
#include "place/shims.h"

namespace soresolve {
namespace {

/// The kernel follows so many scripts (fs/exec.c: exec_binprm).
constexpr int kMaxScripts = 5;

/// The line behind "#!", as the kernel cuts it (fs/binfmt_script.c): the interpreter, and all the rest as
/// one argument. It reads 256 bytes (BINPRM_BUF_SIZE).
struct ScriptLine {
  std::string interpreter;
  std::string argument;
};

std::optional<ScriptLine> script_line(std::string_view head) {
  if (!head.starts_with("#!")) return std::nullopt;
  std::string_view line = head.substr(2, head.find('\n') - 2);
  line = trimmed(line.substr(0, line.find('\0')));
  if (line.empty()) return std::nullopt;
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  return ScriptLine{std::string(line.substr(0, end)), std::string(trimmed(line.substr(end)))};
}

bool is_env(std::string_view path) { return file_name_of(path) == "env"; }

/// The string of env's -S: words between blanks, with quotes, escapes, a comment, and variables as `${NAME}`. Source:
/// the coreutils manual, "-S/--split-string syntax".
class EnvString {
 public:
  /// `environment`: where variables have their values.
  EnvString(std::string_view text, const Environment& environment) : text_(text), environment_(environment) {}

  /// Its words; nullopt where the syntax is wrong.
  std::optional<std::vector<std::string>> split() {
    Then then = Then::GoOn;
    for (; at_ < text_.size() && then == Then::GoOn; ++at_) {
      const char c = text_[at_];
      if (c == '\'' && !in_double_) {
        in_single_ = !in_single_;
        is_word_ = true;
      } else if (c == '"' && !in_single_) {
        in_double_ = !in_double_;
        is_word_ = true;
      } else if (is_blank(c) && !in_single_ && !in_double_) {
        finish();
      } else if (c == '#' && !is_word_) {
        break;  // a comment, to the end
      } else if (c == '\\') {
        then = in_single_ ? take_quoted_backslash() : take_escape();
      } else if (c == '$' && !in_single_) {
        then = take_variable();
      } else {
        take(c);
      }
    }
    if (then == Then::Refuse || in_single_ || in_double_) return std::nullopt;
    finish();
    return std::move(words_);
  }

 private:
  enum class Then : std::uint8_t { GoOn, End, Refuse };

  void finish() {
    if (is_word_) words_.push_back(std::move(word_));
    word_.clear();
    is_word_ = false;
  }

  void take(char c) {
    word_ += c;
    is_word_ = true;
  }

  Then take_quoted_backslash() {
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (next == '\\' || next == '\'') ++at_;
    take(next == '\\' || next == '\'' ? next : '\\');
    return Then::GoOn;
  }

  Then take_escape() {
    if (++at_ == text_.size()) return Then::Refuse;
    const char escape = text_[at_];
    constexpr std::string_view kEscapes = "fnrtv", kMeanings = "\f\n\r\t\v";
    if (escape == '_') {
      in_double_ ? take(' ') : finish();
    } else if (escape == 'c') {
      return in_double_ ? Then::Refuse : Then::End;
    } else if (const std::size_t at = kEscapes.find(escape); at != std::string_view::npos) {
      take(kMeanings[at]);
    } else if (std::string_view("\"#$\\'").find(escape) != std::string_view::npos) {
      take(escape);
    } else {
      return Then::Refuse;
    }
    return Then::GoOn;
  }

  Then take_variable() {
    const std::size_t end = text_.find('}', at_);
    if (text_.substr(at_, 2) != "${" || end == std::string_view::npos) return Then::Refuse;
    const std::string_view name = text_.substr(at_ + 2, end - at_ - 2);
    if (!is_variable_name(name)) return Then::Refuse;
    if (const auto value = environment_.value(name)) {
      word_ += *value;
      is_word_ = true;
    }
    at_ = end;
    return Then::GoOn;
  }

  static bool is_blank(char c) { return std::string_view(" \t\n\v\f\r").find(c) != std::string_view::npos; }

  static bool is_variable_name(std::string_view name) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !name.empty() && is_letter(name.front()) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  }

  std::string_view text_;
  const Environment& environment_;
  std::size_t at_ = 0;
  std::vector<std::string> words_;
  std::string word_;
  bool is_word_ = false;  ///< an empty pair of quotes is a word, too
  bool in_single_ = false;
  bool in_double_ = false;
};

/// env(1) of GNU coreutils 8.30 and later, as far as it decides which program it starts: options, what
/// they and NAME=VALUE leave of PATH, then execvp(3). Source: the coreutils manual, "env invocation".
/// Options of signals and of the output are read over.
class EnvCommand {
 public:
  EnvCommand(const FileSystem& files, const Environment& environment)
      : files_(files), original_(environment), entries_(environment.entries()) {}

  /// The file that is started; nullopt where env gives up, or would start the script once more.
  std::optional<std::string> run(const std::string& argument) {
    arguments_ = {argument};
    if (!read_options()) return std::nullopt;
    for (; next_ < arguments_.size() && arguments_[next_].find('=') != std::string::npos; ++next_) {
      const std::string& assignment = arguments_[next_];
      if (assignment.starts_with('=')) return std::nullopt;
      set(assignment);
    }
    if (next_ == arguments_.size()) return std::nullopt;
    return find(arguments_[next_]);
  }

  /// What it is to start, as it is given; empty: it does not come so far.
  [[nodiscard]] std::string name() const { return next_ < arguments_.size() ? arguments_[next_] : std::string(); }
  /// What it is started with.
  [[nodiscard]] Environment environment() const { return Environment(entries_); }

 private:
  static bool is_of(std::string_view entry, std::string_view name) {
    return entry.starts_with(name) && entry.substr(name.size()).starts_with('=');
  }

  /// putenv(3): in the place of the first one of that name.
  void set(const std::string& assignment) {
    const std::string_view name = std::string_view(assignment).substr(0, assignment.find('='));
    for (std::string& entry : entries_) {
      if (!is_of(entry, name)) continue;
      entry = assignment;
      return;
    }
    entries_.push_back(assignment);
  }

  /// False: env ends with an error.
  bool read_options() {
    while (next_ < arguments_.size()) {
      const std::string argument = arguments_[next_];
      if (argument == "-") {  // the same as -i, and no option any more
        entries_.clear();
        ++next_;
        return true;
      }
      if (!argument.starts_with('-')) return true;
      ++next_;
      if (argument == "--") return true;
      if (!(argument.starts_with("--") ? read_long(argument.substr(2)) : read_short(argument))) return false;
    }
    return true;
  }

  bool read_short(const std::string& argument) {
    for (std::size_t i = 1; i < argument.size(); ++i) {
      const char option = argument[i];
      switch (option) {
        case 'i': entries_.clear(); break;
        case 'v': break;
        case 'u':
        case 'C':
        case 'S': {
          std::string value = argument.substr(i + 1);
          if (value.empty()) {
            if (next_ == arguments_.size()) return false;
            value = arguments_[next_++];
          }
          return option == 'S' ? split(value) : option == 'C' || unset(value);
        }
        default: return false;  // -0 cannot be used with a command
      }
    }
    return true;
  }

  bool read_long(const std::string& option) {
    const std::size_t equals = option.find('=');
    const std::string name = option.substr(0, equals);
    // Any beginning that is no other option's does.
    const auto is = [&](std::string_view whole, std::size_t least) {
      return name.size() >= least && whole.starts_with(name);
    };
    if (is("ignore-environment", 4) && equals == std::string::npos) {
      entries_.clear();
      return true;
    }
    if (is("debug", 3)) return equals == std::string::npos;
    for (const std::string_view signal : {"block-signal", "default-signal", "ignore-signal"}) {
      if (name == signal) return true;
    }
    if (!is("unset", 1) && !is("chdir", 1) && !is("split-string", 1)) return false;
    std::string value;
    if (equals != std::string::npos) {
      value = option.substr(equals + 1);
    } else {
      if (next_ == arguments_.size()) return false;
      value = arguments_[next_++];
    }
    if (is("split-string", 1)) return split(value);
    return is("chdir", 1) || unset(value);
  }

  bool unset(const std::string& name) {
    if (name.empty() || name.find('=') != std::string::npos) return false;
    std::erase_if(entries_, [&](const std::string& entry) { return is_of(entry, name); });
    return true;
  }

  /// Puts the words of a -S string in place of what was read; false where its syntax is wrong.
  bool split(std::string_view text) {
    std::optional<std::vector<std::string>> words = EnvString(text, original_).split();
    if (!words) return false;
    words->insert(words->end(), arguments_.begin() + static_cast<std::ptrdiff_t>(next_), arguments_.end());
    arguments_ = *std::move(words);
    next_ = 0;
    return true;
  }

  /// execvp(3): without PATH in /bin and /usr/bin; a file that may not be executed is passed over.
  /// Relative directories depend on where the script is started, and are left out.
  [[nodiscard]] std::optional<std::string> find(const std::string& command) const {
    if (command.empty()) return std::nullopt;
    if (command.find('/') != std::string::npos) {
      if (!files_.status(command)) return std::nullopt;
      return command;
    }
    const auto path_entry =
        std::find_if(entries_.begin(), entries_.end(), [](const std::string& entry) { return is_of(entry, "PATH"); });
    std::string_view list =
        path_entry == entries_.end() ? std::string_view("/bin:/usr/bin") : std::string_view(*path_entry).substr(5);
    while (true) {
      const std::string_view directory = list.substr(0, list.find(':'));
      const std::string path = std::string(directory) + "/" + command;
      const Result<FileStatus, Errno> status = files_.status(path);
      const bool is_program = status && status->kind == FileKind::Regular && (status->mode & 0111) != 0;
      if (directory.starts_with('/') && is_program) return path;
      if (directory.size() == list.size()) return std::nullopt;
      list.remove_prefix(directory.size() + 1);
    }
  }

  const FileSystem& files_;
  const Environment& original_;
  std::vector<std::string> entries_;  ///< of the environment, as far as it is changed
  std::vector<std::string> arguments_;
  std::size_t next_ = 0;
};

}  // namespace

Result<StartedProgram> started_program(const FileSystem& files, const Environment& environment, std::string_view path,
                                       std::string_view cwd) {
  StartedProgram started{std::string(path), environment, {}, {}};
  std::string& program = started.path;
  for (int scripts = 0; scripts <= kMaxScripts; ++scripts) {
    const Result<std::unique_ptr<File>, Errno> file = files.open(program);
    if (!file) {
      const bool is_absent = file.error() == static_cast<Errno>(ENOENT);
      return Unexpected{Error{is_absent ? ErrorCode::NotFound : ErrorCode::Unreadable,
                              program,
                              {},
                              errno_text(file.error(), ErrnoText::FromDlerror)}};
    }
    std::array<char, 256> head{};
    const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(head)));
    const std::optional<ScriptLine> line = script_line(std::string_view(head.data(), got ? *got : 0));
    if (!line) return started;
    if (auto behind = behind_shim(files, started.environment.entries(), cwd, program)) {
      program = std::move(*behind);
      continue;
    }
    program = started.argv0 = line->interpreter;
    if (!is_env(program) || line->argument.empty()) continue;
    EnvCommand command(files, started.environment);
    if (auto found = command.run(line->argument)) {
      program = *found;
      started.argv0 = command.name();
      started.environment = command.environment();
    } else {
      started.not_found = command.name();
    }
  }
  return Unexpected{
      Error{ErrorCode::Malformed, std::string(path), 0, "is a script whose interpreter is a script, and so on"}};
}

std::optional<std::string> interpreter_of_script(const FileSystem& files, std::string_view path) {
  std::optional<ScriptLine> line = script_line(start_of_file(files, path, 256));
  return line ? std::optional(std::move(line->interpreter)) : std::nullopt;
}

Result<std::string> program_behind(const FileSystem& files, const Environment& environment, std::string_view path,
                                   std::string_view cwd) {
  Result<StartedProgram> started = started_program(files, environment, path, cwd);
  if (!started) return Unexpected{std::move(started).error()};
  return std::move(started)->path;
}

}  // namespace soresolve
