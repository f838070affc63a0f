// Runs a fuzz target over its seeds, over mutations of them, and over the files that are named.
//
// usage: NAME_fuzz [--seed N] [--mutations N] [--write DIR] [FILE…]
//
// The mutations are the same on each run unless --seed changes them. An input that makes the target
// abort is left in ./NAME_fuzz.crash, to be given as FILE afterwards. --write leaves the seeds in a
// directory, as the corpus that libFuzzer starts from.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

#include "fuzz/fuzz_target.h"
#include "support/mutation.h"

/// What some targets bring along (elf_mutator.cc), and what it falls back to.
extern "C" [[gnu::weak]] std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                                             unsigned int seed);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace soresolve::test {
namespace {

std::string_view current_input;
std::string crash_path;

// Only async-signal-safe calls.
void keep_input(int signal) {
  const int file = ::open(crash_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file >= 0 && ::write(file, current_input.data(), current_input.size()) >= 0) ::close(file);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(std::string_view input) {
  current_input = input;
  // A copy of exactly this size, so that reading past its end is seen.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

/// By the fields of its format where the target knows them, else by bytes.
std::string mutated(const std::string& input, Random& random) {
  std::string changed = input;
  if (LLVMFuzzerCustomMutator == nullptr) {
    mutate(changed, random);
    return changed;
  }
  changed.resize(input.size() + 1024);
  changed.resize(LLVMFuzzerCustomMutator(reinterpret_cast<std::uint8_t*>(changed.data()), input.size(), changed.size(),
                                         static_cast<unsigned int>(random.next())));
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

int replay(int argc, char** argv) {
  std::uint64_t seed = 1;
  std::uint64_t mutations = 10000;
  std::vector<std::string> inputs = seeds();
  bool only_files = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--seed" && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (option == "--mutations" && i + 1 < argc) {
      mutations = std::strtoull(argv[++i], nullptr, 10);
    } else if (option == "--write" && i + 1 < argc) {
      write_files(argv[++i], inputs);
      return 0;
    } else {
      run(read_file(argv[i]));
      only_files = true;
    }
  }
  if (only_files) return 0;

  for (const std::string& input : inputs) {
    run(input);
    Random random(seed++);
    for (std::uint64_t i = 0; i < mutations; ++i) {
      run(mutated(input, random));
    }
  }
  std::printf("%zu seeds, %llu mutations of each\n", inputs.size(), static_cast<unsigned long long>(mutations));
  return 0;
}

}  // namespace
}  // namespace soresolve::test

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  static soresolve::test::Random random(1);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  soresolve::test::mutate(bytes, random);
  const std::size_t changed = std::min(bytes.size(), max_size);
  std::copy_n(bytes.begin(), changed, data);
  return changed;
}

int main(int argc, char** argv) {
  soresolve::test::crash_path = std::string(argv[0]) + ".crash";
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, soresolve::test::keep_input);
  }
  return soresolve::test::replay(argc, argv);
}
