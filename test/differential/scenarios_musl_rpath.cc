// Scenarios 32 … 50 of musl: DT_RPATH and DT_RUNPATH, which are one, and $ORIGIN.
#include "differential/scenarios_musl.h"

namespace soresolve::test {
namespace {

/// /t/m with a RUNPATH, and who() in each of `directories`.
Scenario with_runpath(const char* number, const char* title, const std::string& runpath,
                      std::initializer_list<const char*> directories) {
  Scenario scenario = musl_scenario(number, title);
  scenario.exe(musl_program().runpath(runpath), "/t/m");
  for (const char* const directory : directories) scenario.lib(std::string(directory) + "/libw.so", who());
  return scenario;
}

/// A program with a RUNPATH that needs libA.so.
Scenario with_liba(const char* number, const char* title, const std::string& runpath) {
  Scenario scenario = musl_scenario(number, title);
  scenario.exe(musl_program_needing({"libA.so", "libc.so"}).runpath(runpath), "/t/m");
  return scenario;
}

ElfSpec liba() { return library_needing({"libB.so"}); }

void add_inheritance(std::vector<Scenario>& list) {
  for (const bool is_runpath : {false, true}) {
    ElfSpec main = musl_program();
    main.add(is_runpath ? StringTag::Runpath : StringTag::Rpath, "/t/rp");
    Scenario& scenario = list.emplace_back(musl_scenario("32", "LD_LIBRARY_PATH comes before either"));
    scenario.exe(main, "/t/m").library_path("/t/b").lib("/t/rp/libw.so", who()).lib("/t/b/libw.so", who());
    takes_who(scenario, "/t/b/libw.so");
  }
  list.push_back(with_liba("33", "a RUNPATH is inherited", "/t/r1")
                     .lib("/t/r1/libA.so", liba())
                     .lib("/t/r1/libB.so")
                     .traces("libB.so => /t/r1/libB.so")
                     .starts());
  for (const bool is_runpath : {false, true}) {
    ElfSpec spec = liba();
    spec.add(is_runpath ? StringTag::Runpath : StringTag::Rpath, "/t/r2");
    list.push_back(with_liba("34", "one's own comes first", "/t/r1")
                       .lib("/t/r1/libA.so", spec)
                       .lib("/t/r1/libB.so")
                       .lib("/t/r2/libB.so")
                       .traces("libB.so => /t/r2/libB.so")
                       .starts());
  }
  list.push_back(with_liba("35", "then that of who loaded it", "/t/r1")
                     .lib("/t/r1/libA.so", liba().runpath("/t/none"))
                     .lib("/t/r1/libB.so")
                     .traces("libB.so => /t/r1/libB.so")
                     .starts());
  for (const bool is_runpath_first : {false, true}) {
    ElfSpec spec = liba();
    if (is_runpath_first) spec.runpath("/t/r1");
    spec.rpath("/t/r2:/t/r1");
    if (!is_runpath_first) spec.runpath("/t/r1");
    list.push_back(with_liba("36", "RUNPATH replaces RPATH, in whatever order", "/t/r1")
                       .lib("/t/r1/libA.so", spec)
                       .lib("/t/r1/libB.so")
                       .lib("/t/r2/libB.so")
                       .traces("libB.so => /t/r1/libB.so")
                       .starts());
  }
  list.push_back(with_liba("37", "even an empty one", "/t/a")
                     .lib("/t/a/libA.so", liba().rpath("/t/good").runpath(""))
                     .lib("/t/good/libB.so")
                     .says("Error loading shared library libB.so: No such file or directory (needed by /t/a/libA.so)")
                     .ends("exit 127"));
  Scenario& twice = list.emplace_back(musl_scenario("38", "of two the last"));
  twice.exe(musl_program().runpath("/t/r1").runpath("/t/r2"), "/t/m");
  takes_who(twice.lib("/t/r1/libw.so", who()).lib("/t/r2/libw.so", who()), "/t/r2/libw.so");
  for (const bool is_x_first : {true, false}) {
    Scenario& scenario = list.emplace_back(musl_scenario("39", "the chain is that of who loaded it first"));
    scenario.exe(is_x_first ? musl_program_needing({"libX.so", "libY.so", "libc.so"})
                            : musl_program_needing({"libY.so", "libX.so", "libc.so"}),
                 "/t/m");
    scenario.lib("/lib/libX.so", library_needing({"libC.so"}).rpath("/t/p1"));
    scenario.lib("/lib/libY.so", library_needing({"libC.so"}).rpath("/t/p1:/t/p2"));
    scenario.lib("/t/p1/libC.so", library_needing({"libD.so"})).lib("/t/p2/libD.so");
    if (is_x_first) {
      scenario.says("Error loading shared library libD.so: No such file or directory (needed by /t/p1/libC.so)");
      scenario.ends("exit 127");
    } else {
      scenario.traces("libD.so => /t/p2/libD.so").starts();
    }
  }
}

void add_origin(std::vector<Scenario>& list) {
  for (const char* const token : {"$ORIGIN/rp", "${ORIGIN}/rp"}) {
    list.push_back(with_runpath("40", "$ORIGIN", token, {"/t/rp"}));
    takes_who(list.back(), "/t/rp/libw.so");
  }
  list.push_back(with_runpath("41", "any other $ drops all of it", "/t/rp:$LIB/x", {"/t/rp"}));
  misses_libw(list.back());
  Scenario& prefix = list.emplace_back(musl_scenario("42", "$ORIGIN is matched as a prefix"));
  prefix.exe(musl_program().runpath("$ORIGINAL/rp"), "/t/sub/mx").lib("/t/subAL/rp/libw.so", who());
  takes_who(prefix, "/t/subAL/rp/libw.so");
  list.push_back(with_runpath("43", "of a link: the kernel follows it, the command does not", "$ORIGIN/rp", {"/t/rp"})
                     .node(symlink_to("/t/l/m", "/t/m"))
                     .start("/t/l/m"));
  takes_who(list.back(), "/t/rp/libw.so")
      .dies_tracing("Error loading shared library libw.so: No such file or directory (needed by /t/l/m)");
  Scenario& bare = list.emplace_back(with_runpath("44", "without a slash it is .", "$ORIGIN/rp", {"/t/rp"}));
  bare.cwd("/t").start("m");
  bare.tree.launch = Launch::Argument;
  takes_who(bare.traces("libw.so => ./rp/libw.so"), "./rp/libw.so");
  Scenario& closed = list.emplace_back(with_runpath("45", "without /proc", "/t/a:$ORIGIN/rp", {"/t/a", "/t/rp"}));
  closed.tree.proc = Proc::Absent;
  misses_libw(closed).traces("libw.so => /t/a/libw.so");
  list.push_back(with_liba("46", "of a library it can be relative", "/none")
                     .cwd("/t")
                     .library_path("x")
                     .lib("/t/x/libA.so", liba().runpath("$ORIGIN/r2"))
                     .lib("/t/x/r2/libB.so")
                     .traces("libB.so => x/r2/libB.so")
                     .starts());
  list.push_back(with_liba("47", "of a link it is the link's", "/t/x")
                     .lib("/t/real/libA.so", liba().runpath("$ORIGIN/r2"))
                     .lib("/t/real/r2/libB.so")
                     .node(symlink_to("/t/x/libA.so", "/t/real/libA.so"))
                     .says("Error loading shared library libB.so: No such file or directory (needed by /t/x/libA.so)")
                     .ends("exit 127"));
}

}  // namespace

std::vector<Scenario> musl_rpath() {
  std::vector<Scenario> list;
  add_inheritance(list);
  add_origin(list);
  list.push_back(with_runpath("48", "empty elements are dropped", ":/t/rp:", {"/t", "/t/rp"}).cwd("/t"));
  takes_who(list.back(), "/t/rp/libw.so");
  list.push_back(with_runpath("49", "; is an ordinary character", "/t/x;/t/rp", {"/t/rp"}));
  misses_libw(list.back());
  Scenario& no_default = list.emplace_back(musl_scenario("50", "-z nodefaultlib says nothing"));
  ElfSpec main = musl_program();
  main.flags_1 = main.flags_1.value_or(0) | kDf1NoDefLib;
  takes_who(no_default.exe(main, "/t/m").lib("/lib/libw.so", who()), "/lib/libw.so");
  return list;
}

}  // namespace soresolve::test
