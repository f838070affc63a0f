// Scripts that begin with "#!/usr/bin/env ARGUMENT", judged by the env(1) of this machine.
//
//   env_test [--seed N] [--count N]
//
// Case k is made from seed N+k: a random argument with a random PATH. The programs that env may find are
// copies of this test, which print where they lie. Exit status as of tree_test; 77 also where env is not
// that of GNU coreutils, 8.30 or later.
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"
#include "soresolve/file_system.h"
#include "support/random.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

constexpr const char* kEnv = "/usr/bin/env";
constexpr std::string_view kProbe = "soresolve-env-probe";

std::string own_path() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

std::string random_argument(Random& random, const std::string& root) {
  const std::string probe(kProbe);
  std::string text;
  if (random.chance(85)) {
    text = random.pick({"-S", "-S ", "-iS", "-vS", "-vS ", "--split-string=", "-uPATH -S", "-i", "-S -i ", "-S - "});
  }
  for (std::size_t count = random.below(4); count-- > 0;) {
    switch (random.below(16)) {
      case 0: text += "PATH=" + root + "/a "; break;
      case 1: text += "PATH=" + root + "/b:${PATH} "; break;
      case 2: text += "PATH=/nowhere:" + root + "/c\\_"; break;
      case 3: text += "-u PATH "; break;
      case 4: text += "-uHOME "; break;
      case 5: text += "'A=b " + probe + "' "; break;
      case 6: text += "\"A=b\\_c\" "; break;
      case 7: text += "A=\\\"x "; break;
      case 8: text += "${UNSET} "; break;
      case 9: text += "-C / "; break;
      case 10: text += "--unset=PATH "; break;
      case 11: text += "# "; break;
      case 12:
        text += random.pick({"\\c", "\\q", "$X ", "'", "'it\\'s=1' ", "'a\\q=1' ", "--ignore-environment "});
        break;
      case 13: text += "\t"; break;
      default: text += "X=y "; break;
    }
  }
  if (random.chance(10)) text += root + "/c/";
  return text + probe + random.pick({"", " -u", " 'x y'", "", " # c"});
}

/// What starts within `limit_ms` of the processor. Where env is given nothing to start it starts the script again,
/// without end.
std::string run(const std::string& script, const std::vector<std::string>& environment, int limit_ms) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    std::vector<char*> variables;
    for (const std::string& variable : environment) variables.push_back(const_cast<char*>(variable.c_str()));
    variables.push_back(nullptr);
    char* arguments[] = {const_cast<char*>(script.c_str()), nullptr};
    const itimerval limit{{0, 0}, {limit_ms / 1000, limit_ms % 1000 * 1000}};
    setitimer(ITIMER_PROF, &limit, nullptr);
    execve(script.c_str(), arguments, variables.data());
    _exit(1);
  }
  close(ends[1]);
  std::string output;
  std::array<char, 4096> buffer{};
  for (ssize_t got; (got = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    output.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return output.empty() ? kEnv : output;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string own = own_path();
  if (own.ends_with(kProbe)) {
    std::fputs(own.c_str(), stdout);
    return 0;
  }
  std::uint64_t seed = 1;
  std::uint64_t count = 500;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string_view(argv[i]) == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::string_view(argv[i]) == "--count") count = std::strtoull(argv[i + 1], nullptr, 10);
  }
  if (std::system("/usr/bin/env --version 2>/dev/null | grep -q 'GNU coreutils' && "
                  "/usr/bin/env -S 'true' 2>/dev/null") != 0) {
    std::puts("SKIP: /usr/bin/env is not that of GNU coreutils with -S");
    return 77;
  }
  std::string root = (std::filesystem::temp_directory_path() / "soresolve-env-XXXXXX").string();
  if (mkdtemp(root.data()) == nullptr) {
    std::perror("SKIP: mkdtemp");
    return 77;
  }
  for (const char* const place : {"a", "b", "c"}) {
    std::filesystem::create_directory(root + "/" + place);
    std::filesystem::copy_file(own, root + "/" + place + "/" + std::string(kProbe));
  }
  const std::unique_ptr<FileSystem> files = host_file_system();
  std::uint64_t differences = 0;
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Random random(seed + i);
    const std::string script = root + "/script";
    const std::string argument = random_argument(random, root);
    std::ofstream(script) << "#!" << kEnv << " " << argument << "\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    std::vector<std::string> environment = {"HOME=/"};
    if (random.chance(90)) environment.push_back("PATH=" + root + random.pick({"/a", "/b", "/nowhere", "/c:/bin"}));
    std::string real = run(script, environment, 100);
    const Result<std::string> ours = program_behind(*files, Environment(environment), script);
    const std::string answer = ours ? *ours : ours.error().to_string();
    if (answer != real) real = run(script, environment, 2000);
    found += real != kEnv ? 1 : 0;
    if (answer == real) continue;
    if (++differences <= 5) {
      std::printf("DIFFERENCE, seed %llu: %s, %s\n  real: %s\n  ours: %s\n", static_cast<unsigned long long>(seed + i),
                  argument.c_str(), environment.back().c_str(), real.c_str(), answer.c_str());
    }
  }
  std::filesystem::remove_all(root);
  std::printf("%llu scripts, %llu start a program, %llu differences\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(found), static_cast<unsigned long long>(differences));
  return differences == 0 ? 0 : 1;
}
