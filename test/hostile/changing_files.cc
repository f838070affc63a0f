// Every question while the files change under it: each answer is one, or an error; never the end of the process.
//
// Others may exchange folders for others, or for links, while a tree is read. Two walks over it then differ:
// what was found is missing a moment later, what was asked for a library is not asked for any more. Here a tree
// in memory has several states, and any call of the file system may be the one before which the state changes.
// A real race meets such a moment by chance; this meets hundreds in a second, and copy number K of a seed is
// always the same. Limits: what is open stays as it was opened, as with a real file that is replaced.
//
// usage: changing_files [--runs N | --seconds N] [--seed N] [--only K]
// Exit status: 0 all is well, 1 not, 2 usage.
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/elf_writer.h"
#include "support/every_question.h"
#include "support/random.h"

namespace soresolve::test {
namespace {

constexpr std::size_t kStates = 8;

/// A tree that may be another one at the next call.
class ChangingFileSystem final : public FileSystem {
 public:
  using States = std::array<std::shared_ptr<MemoryFileSystem>, kStates>;
  /// Before one call in `rarity` the state changes.
  ChangingFileSystem(const States& states, std::uint64_t seed, std::size_t rarity)
      : states_(states), random_(seed), rarity_(rarity) {}

  Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override { return now().open(path); }
  Result<FileStatus, Errno> status(std::string_view path) const override { return now().status(path); }
  Result<std::string, Errno> real_path(std::string_view path) const override { return now().real_path(path); }
  Result<std::string, Errno> read_link(std::string_view path) const override { return now().read_link(path); }
  Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override {
    return now().list_directory(path);
  }

 private:
  const FileSystem& now() const {
    if (random_.below(rarity_) == 0) state_ = random_.below(kStates);
    return *states_[state_];
  }

  const States& states_;
  mutable Random random_;
  mutable std::size_t state_ = 0;
  std::size_t rarity_;
};

ElfSpec versioned(const char* soname, const std::vector<const char*>& versions) {
  ElfSpec spec = library().soname(soname);
  spec.version_definitions.push_back({soname});
  for (const char* version : versions) spec.version_definitions.push_back({version});
  return spec;
}

ElfSpec the_program(bool needs_much) {
  ElfSpec spec = program();
  spec.runpath("$ORIGIN/../lib:/opt/lib:/app/$LIB");
  // What a filter puts before the program is out of sight, and looked for anew by whoever needs it.
  if (!needs_much) return spec.needed("libb.so").add(StringTag::Auxiliary, "libe.so").add(StringTag::Filter, "liba.so");
  spec.needed("liba.so").needed("libb.so").needed("libc.so").needed("libe.so").needed("$ORIGIN/../lib/in/libz.so");
  spec.version_needs = {{"liba.so", {{"A_1"}, {"A_2"}}}, {"libe.so", {{"E_1"}}}};
  return spec.refer(undefined("a", "A_1")).refer(undefined("b")).call(undefined("c"));
}

/// Each library in two forms.
void add_libraries(MemoryFileSystem& files, const std::string& directory, bool is_first) {
  const auto add = [&](const char* name, const ElfSpec& first, const ElfSpec& second) {
    files.add_file(directory + name, write_elf(is_first ? first : second));
  };
  add("liba.so", versioned("liba.so", {"A_1"}).define(defined("a", "A_1")).needed("libx.so").needed("liby.so"),
      versioned("liba.so", {"A_1", "A_2"}).define(defined("a", "A_2")));
  add("libb.so", library().soname("libb.so").needed("libx.so").add(StringTag::Filter, "libf.so").runpath("$ORIGIN/in"),
      library().soname("libb.so").define(defined("b")).needed("liba.so"));
  add("libe.so", library().soname("libe.so").needed("$ORIGIN/in/libz.so").add(StringTag::Auxiliary, "libg.so"),
      library().dlopens(R"([{"soname":["libc.so","liby.so"]},{"soname":["libq.so"],"priority":"required"}])"));
  add("in/libx.so", library().soname("libx.so").needed("liby.so"), library().rpath("/opt/lib").needed("libc.so"));
  add("in/libz.so", library().needed("liby.so").needed("liba.so"), program());
}

/// Bit 0: which program and libraries; bit 1: is there /opt; bit 2: folders of the program or links to others.
std::shared_ptr<MemoryFileSystem> make_state(std::size_t state) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file("/lib64/ld-linux-x86-64.so.2", write_loader());
  const bool is_first = (state & 1) == 0;
  files->add_file("/app/bin/prog", write_elf(the_program(is_first)), 0755);
  files->add_file("/app/bin/module.so", write_elf(library().needed("liba.so").needed("libc.so").runpath("/opt/lib")));
  add_libraries(*files, "/other/lib/", is_first);
  if ((state & 4) == 0) {
    add_libraries(*files, "/app/lib/", !is_first);
  } else {
    files->add_symlink("/app/lib", "../other/lib");
  }
  if ((state & 2) == 0) {
    files->add_file("/opt/lib/libc.so", write_elf(library().soname("libc.so").needed("liby.so").define(defined("c"))));
    files->add_file("/opt/lib/liba.so", write_elf(versioned("liba.so", {"A_1", "A_2"}).define(defined("a", "A_1"))));
    files->add_file("/app/lib64/libf.so", write_elf(library().soname("libf.so").needed("libc.so")));
  } else {
    files->add_file("/opt/lib/liby.so", write_elf(library().soname("liby.so").needed("libb.so")));
    files->add_file("/lib64/libc.so", write_elf(library().add(StringTag::Auxiliary, "libf.so")));
    files->add_file("/etc/ld.so.preload", "libc.so libq.so\n");
  }
  return files;
}

char current[256];

void tell_and_die(int signal) {
  if (::write(2, "dies: ", 6) < 0 || ::write(2, current, std::strlen(current)) < 0) _exit(1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

struct Options {
  std::size_t runs = 0;
  double seconds = 0;
  std::uint64_t seed = 1;
  std::size_t only = 0;
};

struct Sums {
  std::size_t runs = 0;
  std::size_t answers = 0;
  std::size_t refusals = 0;
  std::size_t broken = 0;
};

void run_one(const ChangingFileSystem::States& states, const Options& options, std::size_t number, Sums& sums) {
  Random random(options.seed * 1000003 + number);
  WorldSettings settings;
  const std::size_t rarity = random.pick(std::vector<std::size_t>{2, 5, 10, 30, 100, 300});
  settings.where.files = std::make_shared<ChangingFileSystem>(states, random.next(), rarity);
  settings.start.clean_env = true;
  settings.machine.cpu = random.pick({"x86-64", "x86-64-v3"});
  settings.host = {"/", "x86_64", "6.1.0"};
  if (random.chance(50)) settings.start.env = {"LD_LIBRARY_PATH=/app/lib:/opt/lib:/other/lib/in"};
  std::string file = random.pick({"/app/bin/prog", "/app/bin/module.so", "libb.so"});
  if (file == "/app/bin/module.so" || random.chance(50)) {
    settings.process.exe = "/app/bin/prog";
    settings.process.mode.scope =
        random.pick(std::vector<OpenScope>{OpenScope::Local, OpenScope::Global, OpenScope::DeepBind});
    if (random.chance(50)) {
      settings.process.loaded = {{.file = "/app/lib/libb.so", .mode = {.scope = OpenScope::Global}},
                                 {.file = "libe.so"}};
    }
    if (random.chance(30)) settings.process.caller = "libb.so";
    if (file == "/app/bin/prog") file = "/app/lib/libe.so";
  }
  // A name that nothing is found under is refused in dlerror's words, which say which.
  const bool is_path = file.find('/') != std::string::npos;
  const auto question = random.chance(60) ? Question::Why : static_cast<Question>(random.below(is_path ? 4 : 3));
  std::snprintf(current, sizeof current, "run %zu of seed %llu: %s, question %d\n", number,
                static_cast<unsigned long long>(options.seed), file.c_str(), static_cast<int>(question));
  const EveryAnswer answer = ask(settings, file, question);
  ++sums.runs;
  sums.answers += answer.answered;
  sums.refusals += answer.refusals.size();
  for (const std::string& broken : answer.broken) {
    ++sums.broken;
    std::printf("%s  %s\n", current, broken.c_str());
  }
}

int run(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--runs")
      options.runs = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--seconds")
      options.seconds = std::strtod(argv[i + 1], nullptr);
    else if (option == "--seed")
      options.seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--only")
      options.only = std::strtoull(argv[i + 1], nullptr, 10);
    else
      return 2;
  }
  if (options.runs == 0 && options.seconds == 0) options.runs = 1000;
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, tell_and_die);
  ChangingFileSystem::States states;
  for (std::size_t i = 0; i < kStates; ++i) states[i] = make_state(i);
  Sums sums;
  const auto start = std::chrono::steady_clock::now();
  const auto is_over = [&](std::size_t number) {
    if (options.only != 0) return number > options.only;
    if (options.runs != 0) return number > options.runs;
    return std::chrono::steady_clock::now() - start > std::chrono::duration<double>(options.seconds);
  };
  for (std::size_t number = std::max<std::size_t>(options.only, 1); !is_over(number); ++number) {
    run_one(states, options, number, sums);
  }
  std::printf("%zu questions about files that change: %zu answers, %zu refusals; %zu broken\n", sums.runs, sums.answers,
              sums.refusals, sums.broken);
  return sums.broken == 0 && sums.answers > 0 ? 0 : 1;
}

}  // namespace
}  // namespace soresolve::test

int main(int argc, char** argv) { return soresolve::test::run(argc, argv); }
