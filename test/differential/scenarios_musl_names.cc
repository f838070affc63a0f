// Scenarios 51 … 71 of musl: names that are libc itself, names with a slash, one file under several names, preloads.
#include "differential/scenarios_musl.h"

namespace soresolve::test {
namespace {

const std::string kItself = " => " + std::string(kLdso);

/// A program that needs `names`.
Scenario needing(const char* number, const char* title, std::initializer_list<const char*> names) {
  Scenario scenario = musl_scenario(number, title);
  scenario.exe(musl_program_needing(names), "/t/m");
  return scenario;
}

void add_files_under_names(std::vector<Scenario>& list) {
  const auto both = [&](const std::string& list_path) -> Scenario& {
    list.push_back(needing("59", "a path is no name", {"/t/a/libw.so", "libw.so", "libc.so"}));
    return list.back().library_path(list_path).lib("/t/a/libw.so", who()).lib("/t/b/libw.so", who());
  };
  both("/t/a").order("/t/a/libw.so libc.so").starts();
  both("/t/b").order("/t/a/libw.so libw.so libc.so").starts();
  both("/t/none").says("Error loading shared library libw.so: No such file or directory (needed by /t/m)");
  for (const bool is_hard : {false, true})
    list.push_back(
        needing("60", "one file under two names", {"libv.so", "libw.so", "libc.so"})
            .lib("/lib/libv.so")
            .node(is_hard ? hard_link_to("/lib/libw.so", "/lib/libv.so") : symlink_to("/lib/libw.so", "libv.so"))
            .order("libv.so libc.so")
            .starts());
  list.push_back(needing("61", "two copies with one SONAME", {"libv.so", "libw.so", "libc.so"})
                     .lib("/lib/libv.so", library().soname("libs.so"))
                     .lib("/lib/libw.so", library().soname("libs.so"))
                     .order("libv.so libw.so libc.so")
                     .starts());
  Scenario& soname = list.emplace_back(musl_scenario("62", "a SONAME is no name"));
  ElfSpec main = musl_program_needing({"libv.so", "libw.so", "libc.so"}).call(undefined("who"));
  soname.exe(main, "/t/m").lib("/lib/libv.so", library().soname("libw.so"));
  misses_libw(soname);
}

}  // namespace

std::vector<Scenario> musl_names(const MuslFiles& files) {
  std::vector<Scenario> list;
  Scenario& all = list.emplace_back(
      needing("51", "names that are libc itself, though there are files",
              {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1", "libxnet.so"}));
  for (const char* const name :
       {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1", "libxnet.so"}) {
    all.lib("/lib/" + std::string(name), library_needing({"gone.so"})).traces(name + kItself);
  }
  all.starts();
  list.push_back(needing("52", "the first of each word is listed", {"libm.so.6", "libm.so.7", "libc.so", "libdl.so.2"})
                     .order("libm.so.6 libc.so libdl.so.2")
                     .starts());
  Scenario& others = list.emplace_back(
      needing("53", "the dot belongs to it", {"libp.so", "libm", "libc++.so.1", "libmvec.so.1", "libc.so"}));
  for (const char* const name : {"libp.so", "libm", "libc++.so.1", "libmvec.so.1"})
    others.says("Error loading shared library " + std::string(name) + ": No such file or directory (needed by /t/m)");
  others.ends("exit 127");
  list.push_back(needing("54", "also with a slash", {"libc.d/.so"})
                     .lib("/libc.d/.so", library_needing({"gone.so"}))
                     .traces("libc.d/.so" + kItself)
                     .starts());
  for (const char* const cwd : {"/t", "/t/a"}) {
    Scenario& relative = list.emplace_back(musl_scenario("55", "a relative path"));
    relative.exe(musl_program_needing({"a/libw.so", "libc.so"}).call(undefined("who")), "/t/m").cwd(cwd);
    relative.lib("/t/a/libw.so", who());
    if (std::string_view(cwd) == "/t") {
      takes_who(relative, "a/libw.so").traces("a/libw.so => a/libw.so");
    } else {
      relative.says("Error loading shared library a/libw.so: No such file or directory (needed by /t/m)");
    }
  }
  list.push_back(
      needing("56", "no tokens in a name", {"$ORIGIN/a/libw.so", "libc.so"})
          .lib("/t/a/libw.so", who())
          .says("Error loading shared library $ORIGIN/a/libw.so: No such file or directory (needed by /t/m)"));
  const auto is_libc = [&](const char* number, const char* title, TreeNode node) {
    list.push_back(needing(number, title, {"/lib/libc.so"}).node(std::move(node)).traces("libc.so" + kItself).starts());
  };
  is_libc("57a", "a link to the loader is a libc", symlink_to("/lib/libc.so", std::string(kLdso)));
  is_libc("57b", "so is a copy", text_file("/lib/libc.so", files.musl));
  if (!files.glibc_libc.empty()) is_libc("57c", "and glibc's", text_file("/lib/libc.so", files.glibc_libc));
  Scenario& by_interpreter =
      list.emplace_back(needing("58", "the string of PT_INTERP is the loader", {std::string(kLdso).c_str()}));
  by_interpreter.order("").starts();
  add_files_under_names(list);
  return list;
}

std::vector<Scenario> musl_preload() {
  std::vector<Scenario> list;
  const auto add = [&list](const char* number, const char* title, const std::string& value) -> Scenario& {
    return list.emplace_back(musl_scenario(number, title)).exe(musl_program(), "/t/m").env("LD_PRELOAD=" + value);
  };
  add("63", "a file found by its path is not found by its name", "/t/p/libw.so")
      .lib("/t/p/libw.so", who())
      .traces("/t/p/libw.so => /t/p/libw.so", {99, 0})
      .says("Error loading shared library libw.so: No such file or directory (needed by /t/m)")
      .ends("exit 127");
  takes_who(add("64", "both are loaded, and the preload's symbol wins", "/t/p/libw.so")
                .lib("/t/p/libw.so", who())
                .library_path("/t/b")
                .lib("/t/b/libw.so", who())
                .order("/t/p/libw.so libw.so libc.so"),
            "/t/p/libw.so");
  takes_who(add("65", "a name serves the name", "libw.so")
                .library_path("/t/b")
                .lib("/t/b/libw.so", who())
                .order("libw.so libc.so"),
            "/t/b/libw.so");
  takes_who(add("66", "what is missing is passed over in silence", "/t/p/nx.so:nx2.so:/t/p/p2.so")
                .lib("/t/p/p2.so", who())
                .lib("/lib/libw.so", who())
                .order("/t/p/p2.so libw.so libc.so"),
            "/t/p/p2.so");
  takes_who(add("67", "; is an ordinary character", "p1.so;p2.so")
                .lib("/lib/p1.so", who())
                .lib("/lib/p2.so", who())
                .lib("/lib/libw.so", who())
                .order("libw.so libc.so"),
            "/lib/libw.so");
  const ElfSpec tagged = musl_program().runpath("/t/r1");
  Scenario& by_runpath = list.emplace_back(musl_scenario("68", "the program's RUNPATH is not asked for a preload"));
  by_runpath.exe(tagged, "/t/m").env("LD_PRELOAD=libp.so").lib("/t/r1/libp.so", who()).lib("/t/r1/libw.so", who());
  takes_who(by_runpath.order("libw.so libc.so"), "/t/r1/libw.so");
  Scenario& dependency = list.emplace_back(musl_scenario("69", "nor for what it needs"));
  dependency.exe(tagged, "/t/m").env("LD_PRELOAD=/t/p/libpd.so").lib("/t/p/libpd.so", library_needing({"libB.so"}));
  dependency.lib("/t/r1/libB.so").lib("/t/r1/libw.so", who());
  dependency.says("Error loading shared library libB.so: No such file or directory (needed by /t/p/libpd.so)");
  dependency.ends("exit 127");
  takes_who(
      add("70a", "a text is passed over", "/t/p/p.so").bad("/t/p/p.so", Damage::LongText).lib("/lib/libw.so", who()),
      "/lib/libw.so");
  takes_who(add("70b", "and so is a directory", "/t/p").node(directory("/t/p")).lib("/lib/libw.so", who()),
            "/lib/libw.so");
  takes_who(add("71", "thrice the same", "/t/p.so:/t/p.so:/t/./p.so")
                .lib("/t/p.so", who())
                .lib("/lib/libw.so", who())
                .order("/t/p.so libw.so libc.so"),
            "/t/p.so");
  return list;
}

}  // namespace soresolve::test
