// The lines of a log: which a World writes at which level, and that none is put together where none is wanted.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/log_line.h"
#include "soresolve/world.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

/// Keeps the lines of one level and of those above it.
class RecordingLog final : public Log {
 public:
  explicit RecordingLog(LogLevel lowest) : lowest_(lowest) {}
  bool wants(LogLevel level) const override { return level >= lowest_; }
  void line(LogLevel level, std::string_view text) override { lines.emplace_back(level, text); }

  [[nodiscard]] std::vector<std::string> of(LogLevel level) const {
    std::vector<std::string> texts;
    for (const auto& [each, text] : lines) {
      if (each == level) texts.push_back(text);
    }
    return texts;
  }
  std::vector<std::pair<LogLevel, std::string>> lines;

 private:
  LogLevel lowest_;
};

/// A program that needs libx.so and libgone.so, for a loader of glibc or of musl.
std::shared_ptr<MemoryFileSystem> machine_with(std::string_view loader, std::string loader_text) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(loader, std::move(loader_text));
  ElfSpec program = program_needing({"libx.so", "libgone.so"});
  program.interp = std::string(loader);
  files->add_file("/bin/prog", write_elf(program), 0755);
  files->add_file("/lib64/libx.so", write_elf(library().soname("libx.so").needed("libx.so")));
  files->add_file("/lib/libx.so", write_elf(library().soname("libx.so").needed("libx.so")));
  return files;
}

std::shared_ptr<MemoryFileSystem> glibc_machine() {
  return machine_with("/lib64/ld-linux-x86-64.so.2", write_loader());
}

std::shared_ptr<MemoryFileSystem> musl_machine() {
  using namespace std::string_literals;
  return machine_with("/lib/ld-musl-x86_64.so.1",
                      write_elf(library()) + "\0musl libc (x86_64)\nVersion %s\n\0001.2.5\0"s);
}

std::shared_ptr<RecordingLog> ask(const std::shared_ptr<MemoryFileSystem>& files, LogLevel lowest,
                                  const ResolveOptions& options = {}) {
  auto log = std::make_shared<RecordingLog>(lowest);
  WorldSettings settings;
  settings.where.files = files;
  settings.machine.cpu = "x86-64";
  settings.start.env = {"LD_LIBRARY_PATH=/app", "HOME=/home", "EDITOR=vi"};
  settings.log = log;
  World world(settings);
  const Result<Resolution> run = world.resolve("/bin/prog", options);
  REQUIRE_MESSAGE(run.has_value(), run.error().to_string());
  return log;
}

bool has(const std::vector<std::string>& lines, std::string_view line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

TEST_CASE("a line is put together only where it is wanted") {
  int composed = 0;
  const auto compose = [&] {
    ++composed;
    return std::string("text");
  };
  log_line(nullptr, LogLevel::Warning, compose);
  CHECK(composed == 0);
  RecordingLog log(LogLevel::Info);
  log_line(&log, LogLevel::Debug, compose);
  CHECK(composed == 0);
  log_line(&log, LogLevel::Info, compose);
  CHECK(composed == 1);
  CHECK(log.of(LogLevel::Info) == std::vector<std::string>{"text"});
}

TEST_CASE("a healthy question has no warning, and each level has the lines of those above it") {
  CHECK(ask(glibc_machine(), LogLevel::Warning)->lines.empty());
  const auto info = ask(glibc_machine(), LogLevel::Info);
  const auto debug = ask(glibc_machine(), LogLevel::Debug);
  const auto trace = ask(glibc_machine(), LogLevel::Trace);
  CHECK(info->of(LogLevel::Debug).empty());
  CHECK(debug->of(LogLevel::Trace).empty());
  CHECK(debug->of(LogLevel::Info) == info->of(LogLevel::Info));
  CHECK(trace->of(LogLevel::Debug) == debug->of(LogLevel::Debug));
}

TEST_CASE("info is what a question stands on") {
  const std::vector<std::string> want = {
      "root: files of the caller",
      "environment: LD_LIBRARY_PATH=/app",
      "loader: /lib64/ld-linux-x86-64.so.2, glibc 2.36, 64-bit x86-64",
      "ld.so.cache: /etc/ld.so.cache: not there",
      "process: /bin/prog is started",
  };
  CHECK(ask(glibc_machine(), LogLevel::Info)->of(LogLevel::Info) == want);
}

TEST_CASE("debug is each request that is searched for, trace each attempt, whether or not attempts are kept") {
  for (const Attempts attempts : {Attempts::Discard, Attempts::Record}) {
    CAPTURE(static_cast<int>(attempts));
    const auto log = ask(glibc_machine(), LogLevel::Trace, {.attempts = attempts});
    const std::vector<std::string> want = {"find libx.so for /bin/prog: /lib64/libx.so",
                                           "find libgone.so for /bin/prog: no such file"};
    CHECK(log->of(LogLevel::Debug) == want);
    const std::vector<std::string> trace = log->of(LogLevel::Trace);
    CHECK(has(trace, "libx.so: LD_LIBRARY_PATH: /app/libx.so: no such directory"));
    CHECK(has(trace, "libx.so: ld.so.cache: /etc/ld.so.cache: no cache"));
    CHECK(has(trace, "libx.so: default directories: /lib64/libx.so: loaded"));
    CHECK(has(trace, "libx.so for /bin/prog: mapped"));
    CHECK(has(trace, "libx.so for /lib64/libx.so: already loaded, same name"));
    CHECK(has(trace, "libgone.so for /bin/prog: not found"));
  }
}

TEST_CASE("a walk in musl's way has the same lines") {
  const auto log = ask(musl_machine(), LogLevel::Trace);
  CHECK(has(log->of(LogLevel::Info), "loader: /lib/ld-musl-x86_64.so.1, musl 1.2.5, 64-bit x86-64"));
  CHECK(has(log->of(LogLevel::Debug), "find libx.so for /bin/prog: /lib/libx.so"));
  const std::vector<std::string> trace = log->of(LogLevel::Trace);
  CHECK(has(trace, "libx.so: LD_LIBRARY_PATH: /app/libx.so: no such file"));
  CHECK(has(trace, "libx.so: default directories: /lib/libx.so: loaded"));
  CHECK(has(trace, "libx.so for /bin/prog: mapped"));
  CHECK(has(trace, "libgone.so for /bin/prog: not found"));
}
