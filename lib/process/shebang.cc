#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "process/path_search.h"
#include "base/path.h"
#include "soresolve/program.h"

namespace soresolve {
namespace {

/// The kernel follows so many scripts (fs/exec.c: exec_binprm).
constexpr int kMaxScripts = 5;

/// The words of the line behind "#!"; the kernel reads 256 bytes (BINPRM_BUF_SIZE).
std::vector<std::string> script_words(std::string_view head) {
  if (!head.starts_with("#!")) return {};
  std::string_view line = head.substr(2, head.find('\n') - 2);
  std::vector<std::string> words;
  while (true) {
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) return words;
    line.remove_prefix(start);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

bool is_env(std::string_view path) { return file_name_of(path) == "env"; }

}  // namespace

Result<std::string> program_behind(const FileSystem& files, const Environment& environment,
                                   std::string_view path) {
  std::string program(path);
  for (int scripts = 0; scripts <= kMaxScripts; ++scripts) {
    const Result<std::unique_ptr<File>, Errno> file = files.open(program);
    if (!file) {
      const bool is_absent = file.error() == static_cast<Errno>(ENOENT);
      return Unexpected{Error{is_absent ? ErrorCode::NotFound : ErrorCode::Unreadable, program, {},
                              errno_text(file.error(), ErrnoText::FromDlerror)}};
    }
    std::array<char, 256> head{};
    const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(head)));
    const std::vector<std::string> words =
        script_words(std::string_view(head.data(), got ? *got : 0));
    if (words.empty()) return program;
    program = words.front();
    if (!is_env(program)) continue;
    // env -S NAME, env VARIABLE=VALUE NAME
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].starts_with('-') || words[i].find('=') != std::string::npos) continue;
      if (auto found = search_path_variable(files, environment, words[i])) program = *found;
      break;
    }
  }
  return Unexpected{Error{ErrorCode::Malformed, std::string(path), 0,
                          "is a script whose interpreter is a script, and so on"}};
}

}  // namespace soresolve
