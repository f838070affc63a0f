// Runs a fuzz target over its seeds, over mutations of them, and over the files that are named.
//
// usage: fuzz_replay TARGET [--seed N] [--mutations N] [--write DIR] [FILE…]
//
// The mutations are the same on each run unless --seed changes them. An input that makes the target
// abort is left beside the program, in fuzz_replay.TARGET.crash, to be given as FILE afterwards. --write leaves the
// seeds in a directory, as the corpus that libFuzzer starts from.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

#include "fuzz/elf_mutator.h"
#include "fuzz/fuzz_target.h"
#include "support/mutation.h"

namespace soresolve::test {
namespace {

constexpr const FuzzTarget* kTargets[] = {
    &kBindingsTarget,    &kConfigurationTarget, &kCoreDumpTarget,      &kElfObjectTarget,
    &kExplainTarget,     &kFatbinTarget,        &kLdCacheTarget,       &kLinkMapTarget,
    &kLiveProcessTarget, &kLoaderRulesTarget,   &kMuslTarget,          &kPackagesTarget,
    &kPipelineTarget,    &kPlaceTarget,         &kPythonSourcesTarget, &kPythonStatementsTarget,
    &kRpmHeaderTarget,   &kSearchListsTarget,   &kSnapshotTarget,      &kSurveyTarget,
    &kSymversTarget,     &kLiefFactsTarget,
};

std::string_view current_input;
std::string crash_path;

// Only async-signal-safe calls.
void keep_input(int signal) {
  const int file = ::open(crash_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file >= 0 && ::write(file, current_input.data(), current_input.size()) >= 0) ::close(file);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(const FuzzTarget& target, std::string_view input) {
  current_input = input;
  // A copy of exactly this size, so that reading past its end is seen.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  target.run(bytes.data(), bytes.size());
}

/// By the fields of its format where the target says so, else by bytes.
std::string mutated(const FuzzTarget& target, const std::string& input, Random& random) {
  std::string changed = input;
  if (target.input == InputKind::Elf &&
      mutate_elf({reinterpret_cast<std::uint8_t*>(changed.data()), changed.size()}, random.next())) {
    return changed;
  }
  mutate(changed, random);
  return changed;
}

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "%s: %s\n", path, std::strerror(errno));
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_files(const std::string& directory, const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::ofstream file(directory + "/seed-" + std::to_string(i), std::ios::binary);
    file << inputs[i];
  }
}

int replay(const FuzzTarget& target, int argc, char** argv) {
  std::uint64_t seed = 1;
  std::uint64_t mutations = 10000;
  std::vector<std::string> inputs = target.seeds();
  bool only_files = false;
  for (int i = 2; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--seed" && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (option == "--mutations" && i + 1 < argc) {
      mutations = std::strtoull(argv[++i], nullptr, 10);
    } else if (option == "--write" && i + 1 < argc) {
      write_files(argv[++i], inputs);
      return 0;
    } else {
      run(target, read_file(argv[i]));
      only_files = true;
    }
  }
  if (only_files) return 0;

  for (const std::string& input : inputs) {
    run(target, input);
    Random random(seed++);
    for (std::uint64_t i = 0; i < mutations; ++i) {
      run(target, mutated(target, input, random));
    }
  }
  std::printf("%zu seeds, %llu mutations of each\n", inputs.size(), static_cast<unsigned long long>(mutations));
  return 0;
}

}  // namespace
}  // namespace soresolve::test

int main(int argc, char** argv) {
  using namespace soresolve::test;
  for (const FuzzTarget* target : kTargets) {
    if (argc < 2 || target->name != argv[1]) continue;
    crash_path = std::string(argv[0]) + '.' + argv[1] + ".crash";
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, keep_input);
    return replay(*target, argc, argv);
  }
  std::fprintf(stderr, "usage: fuzz_replay TARGET [--seed N] [--mutations N] [--write DIR] [FILE…]\ntargets:");
  for (const FuzzTarget* target : kTargets) std::fprintf(stderr, " %s", std::string(target->name).c_str());
  std::fprintf(stderr, "\n");
  return 2;
}
