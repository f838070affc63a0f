// Scenarios 101 … 112 of musl's reference: dlopen(3). Each has the lines that the real loader must give.
//
// LD_LIBRARY_PATH is /d; the programs with search tags have /c, the callers /e (meson.build). Left out: 112, which is
// about dlsym(3).
#include "differential/open_case.h"

namespace soresolve::test {
namespace {

const std::string kOk = "ok";

OpenRequest call(const std::string& file, OpenScope scope = OpenScope::Local, BindTime bind_time = BindTime::Now) {
  OpenRequest request;
  request.file = file;
  request.mode.scope = scope;
  request.mode.bind_time = bind_time;
  return request;
}
OpenRequest if_loaded(const std::string& file) {
  OpenRequest request = call(file);
  request.mode.only_if_loaded = true;
  return request;
}

class List {
 public:
  OpenCase& add(std::string why, std::vector<TreeNode> nodes, std::vector<OpenRequest> dlopen_calls,
                std::vector<std::string> shows) {
    OpenCase& made = cases_.emplace_back();
    made.why = std::move(why);
    made.program = "opener-plain";
    made.program_file.mode = 0755;
    made.nodes = std::move(nodes);
    made.dlopen_calls = std::move(dlopen_calls);
    made.shows = std::move(shows);
    return made;
  }
  std::vector<OpenCase> take() { return std::move(cases_); }

 private:
  std::vector<OpenCase> cases_;
};

std::string not_there(const std::string& name) {
  return "Error loading shared library " + name + ": No such file or directory";
}
std::string lacks(const std::string& file, const std::string& symbol) {
  return "Error relocating " + file + ": " + symbol + ": symbol not found";
}

void add_searches(List& list) {
  const TreeNode libw_in_d = elf_file("/d/libw.so", library());
  list.add("101: a name that is nowhere", {}, {call("libnx.so")}, {not_there("libnx.so")});
  OpenRequest by_caller = call("libw.so");
  by_caller.caller = kCaller;
  OpenCase& of_caller = list.add("102: the caller's RUNPATH is not asked", {elf_file("/e/libw.so", library())},
                                 {call(std::string(kCaller)), by_caller}, {kOk, not_there("libw.so")});
  of_caller.caller = "caller-runpath";
  of_caller.shows_since = 3;  // before, a segment without a byte is refused, and the caller has one
  for (const char* const program : {"opener-runpath", "opener-rpath"})
    list.add("102: the program's is", {elf_file("/c/libw.so", library())}, {call("libw.so")}, {kOk}).program = program;
  list.add("103: a path is no name", {elf_file("/x/libw.so", library())}, {call("/x/libw.so"), if_loaded("libw.so")},
           {kOk, "Library libw.so is not already loaded"});
  list.add("103: the file that is found counts", {libw_in_d}, {call("/d/libw.so"), if_loaded("libw.so")}, {kOk, kOk});
  list.add("108: the vDSO has a name", {}, {call("linux-gate.so.1"), call("linux-vdso.so.1")},
           {kOk, not_there("linux-vdso.so.1")});
  list.add("109: the program itself is a second copy", {}, {call(std::string(kOpener))}, {kOk});
  list.add("110: an empty name", {libw_in_d}, {call("libw.so"), call("")},
           {kOk, "Error loading shared library : Invalid argument"});
  list.add("111: what fails leaves nothing",
           {elf_file("/d/libw.so", library().needed("gone.so")), elf_file("/d/libv.so", library())},
           {call("libw.so"), if_loaded("libw.so"), call("libv.so")},
           {not_there("gone.so") + " (needed by /d/libw.so)", "Library libw.so is not already loaded", kOk});
  list.add("9: reserved names are libc, loaded or not", {}, {if_loaded("libm.so.6"), call("libpthread.so.0")},
           {kOk, kOk});
  list.add("9: a directory, a text", {directory("/d/libw.so"), text_file("/d/libv.so", "INPUT ( x )\n")},
           {call("libw.so"), call("libv.so")},
           {"Error loading shared library libw.so: Is a directory",
            "Error loading shared library libv.so: Exec format error"});
}

void add_relocations(List& list) {
  const ElfSpec two_missing = library().call(undefined("f1")).call(undefined("f2"));
  const TreeNode missing = elf_file("/d/libw.so", two_missing);
  list.add("104: one message for two symbols", {missing}, {call("libw.so")}, {lacks("/d/libw.so", "f1")});
  list.add("104: RTLD_LAZY leaves them open", {missing}, {call("libw.so", OpenScope::Local, BindTime::AsAsked)}, {kOk});
  const TreeNode server = elf_file("/d/libs.so", library().define(defined("f1")).define(defined("f2")));
  for (const OpenScope scope : {OpenScope::Global, OpenScope::Local})
    list.add("104: a later library with RTLD_GLOBAL serves them", {missing, server},
             {call("libw.so", OpenScope::Local, BindTime::AsAsked), call("libs.so", scope)}, {kOk, kOk});
  for (const int way : {0, 1, 2}) {
    ElfSpec eager = two_missing;
    eager.bind_now = way == 0;
    if (way == 1) eager.flags = 8;  // DF_BIND_NOW
    if (way == 2) eager.flags_1 = kDf1Now;
    // The value of the tag counts, and linkers write 0.
    list.add("105: not those of a library linked with -z now", {elf_file("/d/libw.so", eager)},
             {call("libw.so", OpenScope::Local, BindTime::AsAsked)}, {way == 0 ? kOk : lacks("/d/libw.so", "f1")});
  }
  list.add("105: data through GLOB_DAT is left open as well",
           {elf_file("/d/libw.so", library().refer(data(undefined("d")), kRelocGlobDat))},
           {call("libw.so", OpenScope::Local, BindTime::AsAsked)}, {kOk});
  list.add("105: a pointer in data is not", {elf_file("/d/libw.so", library().refer(data(undefined("d")), kReloc64))},
           {call("libw.so", OpenScope::Local, BindTime::AsAsked)}, {lacks("/d/libw.so", "d")});
  const TreeNode first = elf_file("/d/libl.so", library().define(data(defined("sv"))));
  const TreeNode second = elf_file("/d/libloc2.so", library().refer(data(undefined("sv")), kRelocGlobDat));
  list.add("106: RTLD_LOCAL hides it from later ones", {first, second}, {call("libl.so"), call("libloc2.so")},
           {kOk, lacks("/d/libloc2.so", "sv")});
  list.add("106: RTLD_GLOBAL shows it", {first, second}, {call("libl.so", OpenScope::Global), call("libloc2.so")},
           {kOk, kOk});
  list.add("106: opened once more it is shown", {first, second},
           {call("libl.so"), call("libl.so", OpenScope::Global), call("libloc2.so")}, {kOk, kOk, kOk});
  Symbol variable = with(defined("tv"), SymbolType::Tls);
  const TreeNode module = elf_file("/d/libt.so", library().refer(variable, kRelocTpOff64));
  list.add("107: initial-exec storage of a library that is opened", {module}, {call("libt.so")},
           {"Error relocating /d/libt.so: tv: initial-exec TLS resolves to dynamic definition in /d/libt.so"});
  list.add("107: of one that is there from the start", {module}, {call("libt.so")}, {kOk})
      .environment.push_back("LD_PRELOAD=libt.so");
}

}  // namespace

std::vector<OpenCase> musl_open_scenarios() {
  List list;
  add_searches(list);
  add_relocations(list);
  return list.take();
}

}  // namespace soresolve::test
