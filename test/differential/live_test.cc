// Questions about running processes (--pid), judged by what these processes do then.
//
//   live_test DIR --glibc NAME | --musl NAME [--seed N] [--count N]
//
// A program opens a random sequence of libraries, through links, in scopes, by callers, in namespaces of
// dlmopen(3); then files are replaced, removed, renamed and exchanged under it, its own among them; then we
// are asked what one more dlopen(3) would say; then it is made. Messages and lists of objects must agree.
// With a thread that loads and unloads meanwhile, an answer may be "it changed while it was read", too.
// Case k is made from seed N+k. DIR holds the programs (see meson.build). Exit status as of tree_test.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "differential/answer.h"
#include "loader/live_process.h"
#include "loader/process.h"
#include "soresolve/symbols.h"
#include "soresolve/world.h"
#include "support/random.h"
#include "support/sandbox.h"
#include "symbols/startup.h"

using namespace soresolve;
using namespace soresolve::test;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kOpener = "/app/opener";
constexpr std::string_view kCaller = "/app/caller.so";
constexpr std::string_view kDirectories[] = {"/d", "/c", "/e"};
const std::vector<std::string> kNames = {"liba.so", "libb.so", "libc.so", "libd.so", "libe.so", "libf.so"};

enum class ChangeKind : std::uint8_t { Replace, Remove, RenameAndReplace, Rename };

/// What happens to a file under the process.
struct Change {
  ChangeKind kind = ChangeKind::Replace;
  std::string path;
  std::string to;  ///< for renames
  ElfSpec by;      ///< what comes into its place
};

struct Step {
  OpenRequest request;
  bool is_lazy = false;
  bool is_namespace = false;  ///< dlmopen
};

struct LiveCase {
  std::vector<TreeNode> nodes;
  std::string program;
  std::string caller;
  bool has_library_path = true;
  Proc proc = Proc::Mounted;
  bool has_mounts = false;  ///< a mount namespace of its own, in which /c is /e
  std::vector<Step> before;
  std::string thread_file;  ///< empty: no thread
  std::vector<Change> changes;
  Step asked;
};

ElfSpec random_library(Random& random, const std::string& name) {
  ElfSpec spec = library();
  if (random.chance(50)) spec.soname(name);
  for (const std::string& other : kNames) {
    if (other == name || !random.chance(22)) continue;
    const bool has_token = random.chance(8);
    spec.needed(has_token ? "$ORIGIN/" + other : other);
    if (!has_token && random.chance(20))
      spec.version_needs.push_back({other, {{random.chance(90) ? "V1" : "V2", random.chance(40)}}});
  }
  if (random.chance(60)) spec.version_definitions = {{name}, {"V1"}};
  if (random.chance(2)) spec.needed("gone.so");
  spec.symbolic = random.chance(20);
  spec.hash = random.chance(50) ? HashTables::Gnu : HashTables::Sysv;
  std::vector<std::string> used;
  for (std::size_t i = random.below(5); i-- > 0;) {
    const std::string symbol = "s" + std::to_string(random.below(5));
    if (std::find(used.begin(), used.end(), symbol) != used.end()) continue;
    used.push_back(symbol);
    if (random.chance(50)) {
      spec.define(defined(symbol));
    } else {
      spec.refer(random.chance(55) ? weak(undefined(symbol)) : undefined(symbol),
                 random.chance(50) ? kRelocGlobDat : kRelocJumpSlot);
    }
  }
  const std::vector<std::string> lists = {"/d", "/c", "/e", "$ORIGIN", "$ORIGIN/../e"};
  if (random.chance(15))
    spec.runpath(random.pick(lists));
  else if (random.chance(15))
    spec.rpath(random.pick(lists));
  return spec;
}

std::string random_file(Random& random) {
  return std::string(kDirectories[random.below(3)]) + "/" + random.pick(kNames);
}

Step random_step(Random& random, bool has_caller) {
  const OpenScope scopes[] = {OpenScope::Local, OpenScope::Local, OpenScope::Global, OpenScope::DeepBind};
  Step step;
  step.request.file = random.chance(40) ? random_file(random) : random.pick(kNames);
  if (random.chance(5)) step.request.file = "$ORIGIN/../c/" + random.pick(kNames);
  step.request.mode.scope = scopes[random.below(4)];
  if (has_caller && random.chance(40)) step.request.caller = kCaller;
  step.is_lazy = random.chance(25);
  return step;
}

LiveCase random_case(Random& random) {
  LiveCase made;
  const std::string tags[] = {"plain", "runpath", "rpath", "origin"};
  made.program = "live_opener-" + tags[random.below(4)];
  made.has_library_path = random.chance(70);
  made.has_mounts = random.chance(15);
  made.proc = random.chance(85) ? Proc::Mounted : Proc::Absent;
  for (const std::string& name : kNames) {
    for (const std::string_view directory : kDirectories) {
      if (!random.chance(directory == "/d" ? 97 : 40)) continue;
      const std::string path = std::string(directory) + "/" + name;
      if (random.chance(20)) {
        made.nodes.push_back(
            elf_file("/r/" + std::string(directory.substr(1)) + "-" + name, random_library(random, name)));
        made.nodes.push_back(random.chance(80) ? symlink_to(path, made.nodes.back().path)
                                               : hard_link_to(path, made.nodes.back().path));
      } else {
        made.nodes.push_back(elf_file(path, random_library(random, name)));
      }
    }
  }
  if (random.chance(40)) {
    const std::string callers[] = {"plain", "runpath", "rpath"};
    made.caller = "caller-" + callers[random.below(3)];
    made.before.push_back({.request = {.file = std::string(kCaller)}});
  }
  for (std::size_t i = random.below(5); i-- > 0;) {
    made.before.push_back(random_step(random, !made.caller.empty()));
    made.before.back().is_namespace = random.chance(6);
  }
  if (random.chance(4)) made.thread_file = "/d/thread.so";
  made.nodes.push_back(elf_file("/d/thread.so", library().soname("thread.so")));
  for (const std::string_view path : kDirectories) made.nodes.push_back(directory(std::string(path)));
  for (std::size_t i = random.below(4); i-- > 0;) {
    Change change;
    change.kind = static_cast<ChangeKind>(random.below(4));
    change.path = random.chance(12) ? std::string(kOpener) : random_file(random);
    change.to = random.chance(50) ? random_file(random) : "/r/moved-" + std::to_string(i) + ".so";
    if (change.path == kOpener) change.to = "/e/moved-opener";
    change.by = random_library(random, change.path.substr(change.path.rfind('/') + 1));
    made.changes.push_back(std::move(change));
  }
  made.asked = random_step(random, !made.caller.empty());
  return made;
}

/// Without namespaces, which musl does not have.
void suit_musl(LiveCase& made) {
  for (Step& step : made.before) step.is_namespace = false;
}

std::string mode_of(const Step& step) {
  if (step.is_namespace) return "m";
  const char mode = step.request.mode.scope == OpenScope::Local    ? 'l'
                    : step.request.mode.scope == OpenScope::Global ? 'g'
                                                                   : 'd';
  return std::string(1, step.is_lazy ? static_cast<char>(mode - 0x20) : mode) +
         (step.request.caller.empty() ? "" : "x");
}

/// The program, running in the root, and what we say to each other.
class Live {
 public:
  Live(const Sandbox& box, const LiveCase& asked) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      std::string program(kOpener);
      std::string library_path = "LD_LIBRARY_PATH=/d";
      char* const arguments[] = {program.data(), nullptr};
      char* const environment[] = {asked.has_library_path ? library_path.data() : nullptr, nullptr};
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      const std::string from = box.root() + "/e";
      const std::string to = box.root() + "/c";
      if (asked.has_mounts &&
          (::unshare(CLONE_NEWNS) != 0 || ::mount(from.c_str(), to.c_str(), nullptr, MS_BIND, nullptr) != 0)) {
        ::_exit(125);
      }
      if (::chroot(box.root().c_str()) == 0 && ::chdir("/") == 0) ::execve(program.c_str(), arguments, environment);
      ::_exit(126);
    }
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = out[0];
    is_there_ = pid_ > 0 && read_line() == "ready";
  }
  ~Live() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    for (const int fd : {to_, from_}) {
      if (fd >= 0) ::close(fd);
    }
  }
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  [[nodiscard]] bool is_there() const { return is_there_; }
  [[nodiscard]] int pid() const { return pid_; }

  std::string say(const std::string& line) {
    const std::string text = line + "\n";
    if (::write(to_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) return "signal";
    return read_line();
  }
  std::vector<std::string> objects() {
    std::vector<std::string> list;
    for (std::string line = say("? -"); line != "." && line != "signal"; line = read_line()) list.push_back(line);
    return list;
  }

 private:
  /// "signal" when it has died.
  std::string read_line() {
    std::string line;
    char byte = 0;
    while (true) {
      pollfd waiting{from_, POLLIN, 0};
      if (::poll(&waiting, 1, 20000) <= 0 || ::read(from_, &byte, 1) != 1) return "signal";
      if (byte == '\n') return line;
      line += byte;
    }
  }
  int pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  bool is_there_ = false;
};

std::string host_path(const Sandbox& box, const std::string& path) { return box.root() + path; }

/// Files are put into their places by rename(2), as package managers do it.
void make(const Sandbox& box, const Change& change) {
  std::error_code ignored;
  const std::string path = host_path(box, change.path);
  const bool is_there = fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
  if (change.kind == ChangeKind::Remove) fs::remove(path, ignored);
  const bool moves = change.kind == ChangeKind::Rename || change.kind == ChangeKind::RenameAndReplace;
  if (moves && is_there) fs::rename(path, host_path(box, change.to), ignored);
  if (change.kind != ChangeKind::Replace && change.kind != ChangeKind::RenameAndReplace) return;
  const int root = ::open(box.root().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  write_tree(root, {elf_file("/new.so", change.by)});
  ::close(root);
  fs::rename(host_path(box, "/new.so"), path, ignored);
}

/// What is not of the case: ld.so, libc, the vDSO, the program, which musl lists by its path.
bool is_ours(std::string_view path) {
  return path.find("linux-gnu/") == std::string_view::npos && path.find("vdso") == std::string_view::npos &&
         path.find("ld-linux") == std::string_view::npos && !path.ends_with("thread.so") && path != kOpener;
}

struct LiveAnswer {
  std::string message;
  std::vector<std::string> objects;
};

LiveAnswer ask_ours(int pid, const LiveCase& asked) {
  WorldSettings settings;
  settings.live.pid = pid;
  settings.host = read_host_facts();
  settings.process.caller = asked.asked.request.caller;
  settings.process.mode = asked.asked.request.mode;
  const Result<Resolution> run = World(settings).resolve(asked.asked.request.file, {.on_fatal = OnFatal::Stop});
  if (!run) return {"error: " + run.error().to_string(), {}};
  // All that is judged here can be read.
  const LiveProcess& live = *run->process().live;
  if (!live.is_in_load_order || !live.global)
    return {"the loader's list was not read: " + std::string(live.list_problem.sentence), {}};
  const LinkMap* const map = &run->map();
  const Result<StartFacts> facts = read_start_facts(*map, {.own = OwnReferences::Counted});
  if (!facts) return {"error: " + facts.error().to_string(), {}};
  const BindTime bind_time = asked.asked.is_lazy ? BindTime::AsAsked : BindTime::Now;
  const Startup opened = open_up(*map, *facts, map->subject(), bind_time);
  LiveAnswer answer;
  const bool ends_in_assertion =
      opened.fatal_line && opened.lines[*opened.fatal_line].starts_with("Inconsistency detected");
  answer.message = ends_in_assertion                 ? "signal"
                   : opened.end == StartEnd::Runs    ? "ok"
                   : opened.end == StartEnd::Crashes ? "signal"
                   : opened.fatal_line               ? opened.lines[*opened.fatal_line]
                                                     : "";
  for (const ObjectIndex index : map->list_order) {
    const LoadedObject& object = map->objects[index];
    const bool stays = opened.end == StartEnd::Runs || map->dlopen_call_of(index) < map->subject();
    if (object.role == ObjectRole::Library && stays && is_ours(object.path)) answer.objects.emplace_back(object.path);
  }
  return answer;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void print_case(const LiveCase& asked) {
  for (const TreeNode& node : asked.nodes) {
    if (node.kind != NodeKind::Text) std::printf("  %s\n", describe(node).c_str());
  }
  std::printf("  %s %s%s%s\n", asked.program.c_str(), asked.caller.c_str(),
              asked.has_library_path ? " LD_LIBRARY_PATH=/d" : "",
              asked.has_mounts             ? " /c is /e"
              : asked.proc == Proc::Absent ? " without /proc"
                                           : "");
  for (const Step& step : asked.before)
    std::printf("  before %s %s\n", mode_of(step).c_str(), step.request.file.c_str());
  if (!asked.thread_file.empty()) std::printf("  a thread that loads and unloads\n");
  for (const Change& change : asked.changes) {
    const char* const kinds[] = {"replace", "remove", "rename and replace", "rename"};
    std::printf("  %s %s%s%s\n", kinds[static_cast<std::size_t>(change.kind)], change.path.c_str(),
                change.kind >= ChangeKind::RenameAndReplace ? " to " : "",
                change.kind >= ChangeKind::RenameAndReplace ? change.to.c_str() : "");
    if (change.kind == ChangeKind::Replace || change.kind == ChangeKind::RenameAndReplace)
      std::printf("    by %s\n", describe(elf_file(change.path, change.by)).c_str());
  }
  std::printf("  asked %s %s\n", mode_of(asked.asked).c_str(), asked.asked.request.file.c_str());
}

int skip(const std::string& why) {
  std::printf("SKIP: %s\n", why.c_str());
  return 77;
}

}  // namespace

int main(int argc, char** argv) {
  std::string glibc_name;
  bool is_musl = false;
  std::uint64_t seed = 1;
  std::uint64_t count = 500;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--glibc" || option == "--musl") glibc_name = argv[i + 1];
    is_musl |= option == "--musl";
    if (option == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--count") count = std::strtoull(argv[i + 1], nullptr, 10);
  }
  if (argc < 4 || glibc_name.empty()) {
    std::fputs("usage: live_test DIR --glibc NAME | --musl NAME [--seed N] [--count N]\n", stderr);
    return 2;
  }
  const Result<GlibcRoot, std::string> glibc = is_musl ? find_musl(glibc_name) : find_glibc(glibc_name);
  const std::string libc = is_musl ? "musl" : "glibc";
  if (!glibc) return skip(glibc.error());
  const Result<std::unique_ptr<Sandbox>, std::string> box = Sandbox::create();
  if (!box) return skip(box.error());
  if (!(*box)->has_users()) return skip("what a process has mapped can be read by root only");
  const std::string built = std::string(argv[1]) + "/";
  if (content_of(built + "live_opener-plain").empty()) return skip("the program that opens was not built");
  ::signal(SIGPIPE, SIG_IGN);

  std::uint64_t differences = 0;
  std::uint64_t failures = 0;
  std::uint64_t changed = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Random random(seed + i);
    LiveCase asked = random_case(random);
    if (is_musl) suit_musl(asked);
    TreeNode program = text_file(std::string(kOpener), content_of(built + asked.program));
    program.mode = 0755;
    asked.nodes.push_back(program);
    if (!asked.caller.empty()) asked.nodes.push_back(text_file(std::string(kCaller), content_of(built + asked.caller)));
    (*box)->prepare(*glibc, RootLayout::Merged, asked.proc, asked.nodes);
    Live live(**box, asked);
    if (!live.is_there()) return skip("the program cannot be started in a root of its own");
    bool is_alive = true;
    bool has_caller = true;
    for (const Step& step : asked.before) {
      const std::string said = live.say(mode_of(step) + " " + step.request.file);
      is_alive &= said != "signal";
      has_caller &= step.request.file != kCaller || said == "ok";
      if (!has_caller) break;
    }
    // Nobody is left to be asked about, or to call (musl up to 1.2.2 refuses a segment without a byte).
    if (!is_alive || !has_caller) continue;
    if (!asked.thread_file.empty()) live.say("t " + asked.thread_file);
    for (const Change& change : asked.changes) make(**box, change);
    const LiveAnswer ours = ask_ours(live.pid(), asked);
    LiveAnswer real;
    real.message = live.say(mode_of(asked.asked) + " " + asked.asked.request.file);
    if (real.message != "signal") real.objects = live.objects();
    std::erase_if(real.objects, [](const std::string& path) { return !is_ours(path); });
    failures += real.message != "ok";
    const bool has_changed = ours.message.find("changed while it was read") != std::string::npos;
    changed += has_changed;
    if (has_changed && !asked.thread_file.empty()) continue;
    if (real.message == ours.message && (real.objects == ours.objects || real.message == "signal")) continue;
    if (++differences > 3) continue;
    std::printf("DIFFERENCE, %s %s, seed %llu:\n", libc.c_str(), glibc->release.c_str(),
                static_cast<unsigned long long>(seed + i));
    print_case(asked);
    std::fputs(describe(Difference{"message", {real.message}, {ours.message}}).c_str(), stdout);
    std::fputs(describe(Difference{"list of objects", real.objects, ours.objects}).c_str(), stdout);
  }
  std::printf("%s %s: %llu live processes, %llu openings that fail, %llu that changed, %llu differences\n",
              libc.c_str(), glibc->release.c_str(), static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(failures), static_cast<unsigned long long>(changed),
              static_cast<unsigned long long>(differences));
  return differences == 0 ? 0 : 1;
}
