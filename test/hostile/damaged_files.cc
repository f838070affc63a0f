// Damaged copies of the machine's own programs, libraries and caches, each in the place of the original:
// every question about them comes to an answer, or to a refusal with path, place and reason, within
// a bound of time and memory.
//
// usage: damaged_files [--copies N] [--seed N] [--only K] [FILE…]
//
// Copy number K of a seed is always the same. Without files: those of /usr/bin and of the library directories
// of up to 4 MiB, and /etc/ld.so.cache; with SORESOLVE_TEST_CACHE also what CUDA libraries lie there.
// Exit status: 0 all is well, 1 not, 2 usage.
#include <glob.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/overlay_file_system.h"
#include "hostile/memory_meter.h"
#include "loader/ld_cache.h"
#include "support/every_question.h"
#include "support/mutation.h"

namespace soresolve::test {
namespace {

// Of CPU time, for one question; who defines a symbol that is missing is looked for in up to 4,096 files. The
// sanitizers together make it some twenty times as long.
constexpr double kMaxSeconds = is_built_with_asan() ? 4 : 0.2;
// Where the process of a broken library is looked for: so many programs are tried, however the file is damaged.
constexpr double kMaxSearchSeconds = is_built_with_asan() ? 10 : 1;
constexpr std::size_t kSearchEvery = 20;      ///< copies
constexpr std::size_t kMaxBytes = 64u << 20;  // beyond what was there before the question
constexpr std::uint64_t kMaxFileBytes = 4u << 20;
constexpr std::uint64_t kMaxClosureBytes = 10u << 20;  // what is whole has to be quick for damage to show
constexpr const char* kCachePath = "/etc/ld.so.cache";
constexpr const char* kProgram = "/usr/bin/ls";

struct Options {
  std::size_t copies = 10000;
  std::uint64_t seed = 1;
  std::size_t only = 0;  ///< 0: all
  std::vector<std::string> files;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_elf(const char* path) {
  char magic[4] = {};
  return std::ifstream(path, std::ios::binary).read(magic, sizeof magic) && std::string_view(magic, 4) == "\177ELF";
}

void add_matches(const std::string& pattern, std::vector<std::string>& files) {
  glob_t found{};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) {
      const Result<FileStatus, Errno> status = host_file_system()->status(found.gl_pathv[i]);
      const bool fits = status && status->kind == FileKind::Regular && status->size_bytes <= kMaxFileBytes;
      if (fits && is_elf(found.gl_pathv[i])) files.emplace_back(found.gl_pathv[i]);
    }
  }
  ::globfree(&found);
}

std::vector<std::string> files_of_this_machine() {
  std::vector<std::string> files;
  for (const char* pattern :
       {"/usr/bin/*", "/usr/lib/*-linux-gnu/*.so*", "/usr/lib/*-linux-gnu/ld-linux*", "/lib64/ld-*"}) {
    add_matches(pattern, files);
  }
  if (const char* cache = std::getenv("SORESOLVE_TEST_CACHE")) {
    add_matches(std::string(cache) + "/cuda/*/usr/lib/*/libcu*.so*", files);
    add_matches(std::string(cache) + "/cuda/*/nvidia/*/lib/*.so*", files);
  }
  return files;
}

/// All that the file loads, itself included; 0: it cannot be told.
std::uint64_t closure_bytes(const WorldSettings& settings, const std::string& file) {
  World world(settings);
  const Result<Resolution> run = world.resolve(file, {.on_fatal = OnFatal::Stop});
  if (!run) return 0;
  std::uint64_t sum = 0;
  for (const LoadedObject& object : run->map().objects) sum += object.status.size_bytes;
  return sum;
}

std::uint64_t number_at(const std::string& bytes, std::size_t at, std::size_t width) {
  std::uint64_t number = 0;
  for (std::size_t i = width; i-- > 0;) {
    number = number << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0);
  }
  return number;
}

/// Where the dynamic section of a 64-bit little-endian file stands.
std::pair<std::size_t, std::size_t> dynamic_section(const std::string& bytes) {
  const std::size_t table = number_at(bytes, 32, 8);
  const std::size_t count = number_at(bytes, 56, 2);
  for (std::size_t i = 0; i < count && table < bytes.size(); ++i) {
    const std::size_t entry = table + i * 56;
    if (number_at(bytes, entry, 4) != 2) continue;
    const std::size_t begin = std::min<std::size_t>(number_at(bytes, entry + 8, 8), bytes.size());
    return {begin, std::min<std::size_t>(begin + number_at(bytes, entry + 32, 8), bytes.size())};
  }
  return {0, 0};
}

/// Most of the damage goes where parsers look: headers, the dynamic section, the tables at the beginning.
void damage(std::string& bytes, Random& random) {
  if (!bytes.starts_with("\177ELF")) return mutate(bytes, random);
  const auto [dynamic, dynamic_end] = dynamic_section(bytes);
  for (std::size_t changes = random.between(1, 3); changes > 0; --changes) {
    const std::size_t kind = random.below(20);
    if (kind < 6) {
      overwrite_number(bytes, 4, std::min<std::size_t>(bytes.size(), 64 + 12 * 56), random);
    } else if (kind < 12) {
      overwrite_number(bytes, dynamic, dynamic_end, random);
    } else if (kind < 17) {
      overwrite_number(bytes, 0, bytes.size() / 4, random);
    } else {
      mutate(bytes, random);
    }
  }
}

/// What is being done, for whoever reads of its end.
char current[8192];

void tell_and_die(int signal) {
  const char* const what = signal == SIGVTALRM ? "hangs: " : "dies: ";
  if (::write(2, what, std::strlen(what)) < 0 || ::write(2, current, std::strlen(current)) < 0) _exit(1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  _exit(1);
}

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The longest that one question may take: a watchdog for what would never end.
void arm_watchdog() {
  itimerval limit{};
  limit.it_value.tv_sec = 20;
  ::setitimer(ITIMER_VIRTUAL, &limit, nullptr);
}

struct Sums {
  std::size_t copies = 0;
  std::size_t answers = 0;
  std::size_t refusals = 0;
  std::size_t failures = 0;
  double longest_s = 0;
  std::size_t most_bytes = 0;
};

class Damager {
 public:
  explicit Damager(const Options& options)
      : options_(options),
        base_(std::make_shared<OverlayFileSystem>(std::shared_ptr<const FileSystem>(host_file_system()))) {}

  Sums run() {
    const std::size_t first = options_.only == 0 ? 1 : options_.only;
    const std::size_t last = options_.only == 0 ? options_.copies : options_.only;
    for (std::size_t number = first; number <= last; ++number) damage_one(number);
    return sums_;
  }

 private:
  void damage_one(std::size_t number) {
    Random random(options_.seed * 1000003 + number);
    const std::string& path = random.chance(3) ? cache_ : pick_file(random);
    std::string bytes = read_file(path);
    damage(bytes, random);
    auto files = base_->fresh();
    files->add_file(path, bytes, 0755);
    WorldSettings settings = settings_for(files);
    const bool searches = number % kSearchEvery == 0;
    settings.process.opened_by = searches ? OpenedBy::WhoFits : OpenedBy::None;
    const std::string asked = path == cache_ ? kProgram : path;
    const auto question = static_cast<Question>(random.below(kQuestions - 1));  // the doctor looks at other files
    std::snprintf(current, sizeof current, "copy %zu of seed %llu: %s, question %d\n", number,
                  static_cast<unsigned long long>(options_.seed), path.c_str(), static_cast<int>(question));
    ask_within_limits(settings, asked, question, searches ? kMaxSearchSeconds : kMaxSeconds);
  }

  static WorldSettings settings_for(std::shared_ptr<const FileSystem> files) {
    WorldSettings settings;
    settings.where.files = std::move(files);
    settings.start.clean_env = true;
    settings.machine.cpu = "x86-64-v2";
    settings.host = {"/", "x86_64", "6.1.0"};
    return settings;
  }

  const std::string& pick_file(Random& random) {
    while (true) {
      const std::string& file = random.pick(options_.files);
      const auto [known, is_new] = closures_.try_emplace(file, 0);
      if (is_new) known->second = closure_bytes(settings_for(base_), file);
      if (known->second <= kMaxClosureBytes) return file;
    }
  }

  void ask_within_limits(const WorldSettings& settings, const std::string& file, Question question,
                         double most_seconds) {
    ++sums_.copies;
    double shortest = 0;
    // A machine with much else to do makes one try slow, not three.
    for (int tries = 0; tries < 3; ++tries) {
      arm_watchdog();
      const std::size_t before = start_metering();
      const double start = cpu_seconds();
      QuestionLimits limits;
      limits.fix_for = FixFor::Environment;
      const EveryAnswer answer = ask(settings, file, question, limits);
      const double taken = cpu_seconds() - start;
      const std::size_t bytes = peak_bytes() - before;
      shortest = tries == 0 ? taken : std::min(shortest, taken);
      if (tries == 0) count(answer, bytes);
      if (shortest <= most_seconds) break;
    }
    sums_.longest_s = std::max(sums_.longest_s, shortest);
    if (shortest > most_seconds) fail("takes " + std::to_string(shortest) + " s");
  }

  void count(const EveryAnswer& answer, std::size_t bytes) {
    sums_.answers += answer.answered;
    sums_.refusals += answer.refusals.size();
    sums_.most_bytes = std::max(sums_.most_bytes, bytes);
    if (bytes > kMaxBytes) fail("takes " + std::to_string(bytes >> 20) + " MiB");
    for (const std::string& broken : answer.broken) fail(broken);
    if (options_.only == 0) return;
    for (const Error& refusal : answer.refusals) std::printf("%s\n", refusal.to_string().c_str());
  }

  void fail(const std::string& why) {
    ++sums_.failures;
    std::printf("%s  %s\n", current, why.c_str());
  }

  const Options& options_;
  std::shared_ptr<OverlayFileSystem> base_;
  std::string cache_ = kCachePath;
  std::map<std::string, std::uint64_t> closures_;  ///< of the files picked so far
  Sums sums_;
};

int run(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const bool has_value = i + 1 < argc;
    if (option == "--copies" && has_value)
      options.copies = std::strtoull(argv[++i], nullptr, 10);
    else if (option == "--seed" && has_value)
      options.seed = std::strtoull(argv[++i], nullptr, 10);
    else if (option == "--only" && has_value)
      options.only = std::strtoull(argv[++i], nullptr, 10);
    else if (option.starts_with("-"))
      return 2;
    else
      options.files.emplace_back(option);
  }
  if (options.files.empty()) options.files = files_of_this_machine();
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGVTALRM}) std::signal(signal, tell_and_die);
  const Sums sums = Damager(options).run();
  std::printf(
      "%zu damaged copies of %zu files: %zu answers, %zu refusals; the longest %.0f ms, the most %.1f MiB; %zu "
      "failures\n",
      sums.copies, options.files.size(), sums.answers, sums.refusals, sums.longest_s * 1000,
      static_cast<double>(sums.most_bytes) / (1 << 20), sums.failures);
  return sums.failures == 0 && sums.answers > 0 && (options.only != 0 || sums.refusals > 0) ? 0 : 1;
}

}  // namespace
}  // namespace soresolve::test

int main(int argc, char** argv) { return soresolve::test::run(argc, argv); }
