// Copies a file into a memfd, runs soresolve-witness on it with limits, and reads its one line of JSON. What the helper
// gives up before it reads is in tools/witness/confinement.cc; the line is checked in lib/witness.
#include "witness_run.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>

#include "child_process/child_process.h"
#include "helper_program.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kMaxLiefFacts = std::size_t{512} << 20;

Result<std::string> find_witness() {
  if (const char* chosen = std::getenv("SORESOLVE_WITNESS"); chosen != nullptr && *chosen != '\0')
    return std::string(chosen);
  return find_helper({"soresolve-witness", "witness",
                      "where LIEF is (Debian 12: liblief-dev); a static one, built there, works beside this command"});
}

/// A copy in memory: the witness sees the bytes of this moment, from whatever tree they come, and needs no
/// access to files.
class Copy {
 public:
  Copy() : descriptor_(::memfd_create("witness", MFD_CLOEXEC)), made_(descriptor_ < 0 ? errno : 0) {}
  ~Copy() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }

  std::optional<Error> take(const File& file, const std::string& path) {
    if (made_ != 0)
      return Error{ErrorCode::Unreadable,
                   path,
                   {},
                   std::string("cannot be copied for the witness: memfd_create: ") + std::strerror(made_)};
    const Error too_large{ErrorCode::LimitReached, path, {}, "is too large for the witness: it gets at most 2 GiB"};
    if (file.status().size_bytes > kMaxWitnessFile) return too_large;
    std::vector<std::byte> buffer(1 << 20);
    for (std::uint64_t done = 0;;) {
      const Result<std::size_t, Errno> count = file.read_at(done, buffer);
      if (!count) return Error{ErrorCode::Unreadable, path, {}, errno_text(count.error(), ErrnoText::FromDlerror)};
      if (*count == 0) return std::nullopt;
      done += *count;
      if (done > kMaxWitnessFile) return too_large;
      if (!write(std::span(buffer).first(*count))) {
        return Error{
            ErrorCode::Unreadable, path, {}, "cannot be copied for the witness: " + std::string(std::strerror(errno))};
      }
    }
  }

 private:
  [[nodiscard]] bool write(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
  }

  int descriptor_;
  int made_;  ///< 0, or the errno of what could not be made
};

/// What LIEF's own library needs to be found, and no more of our environment.
std::vector<std::string> environment_of_witness() {
  std::vector<std::string> environment;
  for (const char* name : {"LD_LIBRARY_PATH", "PATH"}) {
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

std::string text_of(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", seconds);
  return text.data();
}

}  // namespace

OptionList witness_options(WitnessLimits& limits) {
  return {{.names = {"--timeout"}, .value = "S", .into = &limits.timeout_s, .range = ValueRange{0.1, 86400}},
          {.names = {"--memory"}, .value = "MIB", .into = &limits.memory_mib, .range = ValueRange{16, 1 << 20}}};
}

Exit exit_without_facts(const Error& error) {
  return error.code == ErrorCode::LimitReached ? Exit::Usage : Exit::Failure;
}

Result<witness::LiefFacts> ask_witness(const File& file, const std::string& path, const WitnessLimits& limits) {
  Result<std::string> program = find_witness();
  if (!program) return Unexpected{std::move(program).error()};
  Copy copy;
  if (auto error = copy.take(file, path)) return Unexpected{std::move(*error)};
  child::ChildSpec spec;
  spec.program = *program;
  spec.arguments = {"soresolve-witness",
                    "--memory",
                    std::to_string(limits.memory_mib),
                    "--timeout",
                    text_of(limits.timeout_s),
                    "--as",
                    path,
                    "-"};
  spec.environment = environment_of_witness();
  spec.input_descriptor = copy.descriptor();
  spec.report = child::ReportChannel::StandardOutput;
  spec.max_line_bytes = kMaxLiefFacts;
  spec.max_report_bytes = kMaxLiefFacts;
  spec.timeout_s = limits.timeout_s;
  spec.memory_mib = limits.memory_mib;
  std::string line;
  const child::ChildEnd end = child::run_child(spec, [&](std::string_view text) { line = text; });
  const bool is_full = end.kind == child::ChildEndKind::Exited && end.code == witness::kOutOfMemoryStatus;
  if (is_full || end.kind == child::ChildEndKind::OutOfMemory) {
    return Unexpected{Error{ErrorCode::LimitReached,
                            path,
                            {},
                            "the witness (" + *program + ") wants more than " + std::to_string(limits.memory_mib) +
                                " MiB of memory (--memory)"}};
  }
  const bool has_ended_itself = end.kind == child::ChildEndKind::Exited && end.code <= 1;
  if (!has_ended_itself || line.empty()) {
    const std::string what = has_ended_itself ? "said nothing" : sentence(describe(end, spec), Language::English);
    return Unexpected{Error{ErrorCode::Unreadable,
                            path,
                            {},
                            "the witness (" + *program + ") " + what + sentence(last_words(end), Language::English)}};
  }
  Result<witness::LiefFacts> lief_facts = witness::read_line(line);
  if (!lief_facts)
    return Unexpected{
        Error{ErrorCode::Malformed, path, {}, "the witness (" + *program + ") " + lief_facts.error().message}};
  return lief_facts;
}

}  // namespace soresolve::tool
