// Lines are told by their first words; a search ends with "generating link map" (found) or with the next search. The
// comparison takes the searches in the log's order, then the bindings. The same file under another path is no
// difference.
//
// The program is named by "initialize program: " where it was started. Else by what comes before that: the object that
// needs the first file ("file=NAME [0];  needed by PROGRAM [0]", LD_DEBUG=files), the file whose RUNPATH the first
// search goes through, as that search is the program's, or by the message that ends the start.
#include "compare/loader_log.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace soresolve {
namespace {

constexpr std::size_t kMaxLine = 8192;         // bytes; the rest of a longer one is passed over
constexpr std::size_t kMaxProcesses = 64;      // a log of `make` has thousands: the first ones are kept
constexpr std::size_t kMaxSearches = 4096;     // of one process
constexpr std::size_t kMaxBindings = 1 << 18;  // of one process; PyTorch's start has some 200,000

/// What stands in `text` behind `before`, up to `behind`; nullopt where one of them is not there.
std::optional<std::string_view> between(std::string_view text, std::string_view before, std::string_view behind) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin + before.size());
  const std::size_t end = behind.empty() ? text.size() : text.find(behind);
  if (end == std::string_view::npos) return std::nullopt;
  return text.substr(0, end);
}

}  // namespace

void LoaderLogReader::read(std::string_view bytes) {
  for (const char byte : bytes) {
    if (byte == '\n') {
      end_line();
    } else if (line_.size() < kMaxLine) {
      line_ += byte;
    }
  }
}

std::vector<LoggedProcess> LoaderLogReader::finish() {
  end_line();
  // A line of another program may look like one entry; a loader's log has searches, bindings or versions.
  std::erase_if(processes_, [](const LoggedProcess& process) {
    return process.searches.empty() && process.bindings.empty() && process.versions == 0;
  });
  return std::move(processes_);
}

/// "     12345:\tTEXT".
void LoaderLogReader::end_line() {
  std::string_view line = line_;
  while (line.starts_with(' ')) line.remove_prefix(1);
  std::uint64_t pid = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), pid);
  const std::string_view rest = line.substr(static_cast<std::size_t>(end - line.data()));
  const bool is_entry = error == std::errc{} && rest.starts_with(":\t");
  if (!is_entry) read_last_words(line);
  if (is_entry) {
    if (LoggedProcess* process = process_of(pid)) {
      std::string_view text = rest.substr(2);
      while (text.starts_with(' ')) text.remove_prefix(1);
      if (text.ends_with('\r')) text.remove_suffix(1);
      read_entry(*process, text);
    }
  }
  line_.clear();
}

/// "PROGRAM: error while loading shared libraries: NAME: …", and its relatives: of the last process that has searched
/// for NAME in vain, or else has not been named.
void LoaderLogReader::read_last_words(std::string_view line) {
  constexpr std::string_view kMarks[] = {
      ": error while loading shared libraries: ", ": symbol lookup error: ", ": relocation error: "};
  for (const std::string_view mark : kMarks) {
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos || at == 0) continue;
    const std::string_view what = line.substr(at + mark.size());
    const std::string_view program = line.substr(0, at);
    const auto may_be_its = [&](const LoggedProcess& process) {
      return !process.has_started && (process.program.empty() || process.program == program);
    };
    const auto has_missed = [&](const LoggedProcess& process) {
      return may_be_its(process) && !process.searches.empty() && !process.searches.back().is_found &&
             what.starts_with(process.searches.back().name + ": ");
    };
    auto process = std::find_if(processes_.rbegin(), processes_.rend(), has_missed);
    if (process != processes_.rend()) {
      process->searches.back().is_missing = true;
    } else {
      process = std::find_if(processes_.rbegin(), processes_.rend(), may_be_its);
    }
    if (process != processes_.rend()) process->program = program;
    return;
  }
}

LoggedProcess* LoaderLogReader::process_of(std::uint64_t pid) {
  for (LoggedProcess& process : processes_) {
    if (process.pid == pid) return &process;
  }
  if (processes_.size() == kMaxProcesses) return nullptr;
  LoggedProcess process;
  process.pid = pid;
  processes_.push_back(std::move(process));
  return &processes_.back();
}

void LoaderLogReader::read_entry(LoggedProcess& process, std::string_view text) {
  if (text.starts_with("search path=")) {
    const auto owner = between(text, "PATH from file ", ")");
    if (process.program.empty() && owner && process.searches.size() == 1) process.program = *owner;
  } else if (text.starts_with("find library=") || text.starts_with("trying file=") || text.starts_with("file=")) {
    read_search(process, text);
  } else if (text.starts_with("binding file ")) {
    read_binding(process, text);
  } else if (text.starts_with("checking for version ")) {
    ++process.versions;
    const auto requirer = between(text, "required by file ", " [");
    if (process.program.empty() && requirer) process.program = *requirer;
  } else if (text.starts_with("symbol=")) {
    ++process.lookups;
  } else if (const auto program = between(text, "initialize program: ", ""); program) {
    process.program = *program;
    process.has_started = true;
  } else if (text.starts_with("calling init: ")) {
    process.has_started = true;
  }
}

void LoaderLogReader::read_search(LoggedProcess& process, std::string_view text) {
  if (const auto name = between(text, "find library=", " ["); name && text.starts_with("find")) {
    if (process.searches.size() == kMaxSearches) {
      ++process.left_out;
      return;
    }
    process.searches.push_back({.name = std::string(*name)});
    return;
  }
  const auto needer = between(text, "needed by ", " [");
  if (needer && process.program.empty()) process.program = *needer;
  if (process.searches.empty()) return;
  LoggedSearch& last = process.searches.back();
  if (text.starts_with("trying file=")) {
    last.path = text.substr(std::string_view("trying file=").size());
    ++last.attempts;
  } else if (text.find("generating link map") != std::string_view::npos) {
    last.is_found = !last.path.empty();
  }
}

void LoaderLogReader::read_binding(LoggedProcess& process, std::string_view text) {
  const auto referrer = between(text, "binding file ", " [");
  const auto provider = between(text, "] to ", " [");
  const auto symbol = between(text, "symbol `", "'");
  if (!referrer || !provider || !symbol) return;
  if (process.bindings.size() == kMaxBindings) {
    ++process.left_out;
    return;
  }
  const std::size_t quote = text.rfind('\'');
  const auto version = between(text.substr(quote), "[", "]");
  process.bindings.push_back({std::string(*referrer), std::string(*provider), std::string(*symbol),
                              std::string(version.value_or(std::string_view()))});
}

}  // namespace soresolve
