// Scenarios 1 … 31 of musl: the file with the system's path, its defaults, the environment.
#include "differential/scenarios_musl.h"

namespace soresolve::test {
namespace {

constexpr const char* kPathFile = "/etc/ld-musl-x86_64.path";
constexpr const char* kOtherLdso = "/opt/musl/lib/ld.so";

/// /t/m, with who() in each of `directories`.
Scenario with_libw(const char* number, const char* title, std::initializer_list<const char*> directories,
                   const ElfSpec& main = musl_program()) {
  Scenario scenario = musl_scenario(number, title);
  scenario.exe(main, "/t/m");
  for (const char* const directory : directories) scenario.lib(std::string(directory) + "/libw.so", who());
  return scenario;
}

Scenario with_path_file(const char* number, const char* title, std::string text,
                        std::initializer_list<const char*> directories) {
  return with_libw(number, title, directories).node(text_file(kPathFile, std::move(text)));
}

ElfSpec with_interpreter(std::string path) {
  ElfSpec spec = musl_program();
  spec.interp = std::move(path);
  return spec;
}

Scenario with_loader_at(const char* number, const char* title, const std::string& interpreter,
                        std::initializer_list<const char*> directories) {
  Scenario scenario = with_libw(number, title, directories, with_interpreter(interpreter));
  const std::string path = interpreter.starts_with('/') ? interpreter : "/" + interpreter;
  return scenario.node(hard_link_to(path, "/lib/x86_64-linux-gnu/ld-musl.so"));
}

void add_path_file_kinds(std::vector<Scenario>& list) {
  const std::string missing = "Error loading shared library libw.so: ";
  list.push_back(with_path_file("11", "an empty file: no system directories", "", {"/lib"})
                     .says(missing + "No error information (needed by /t/m)")
                     .ends("exit 127"));
  list.push_back(with_path_file("11b", "nothing but separators", ":\n:", {"/lib"})
                     .says(missing + "No error information (needed by /t/m)")
                     .ends("exit 127"));
  list.push_back(with_libw("12", "a directory", {"/lib"})
                     .node(directory(kPathFile))
                     .says(missing + "Is a directory (needed by /t/m)")
                     .ends("exit 127"));
  Scenario& closed = list.emplace_back(with_path_file("13", "mode 000, not root", "/lib", {"/lib"}));
  closed.tree.nodes.back().mode = 0;
  closed.tree.user = kOtherUser;
  closed.says(missing + "Permission denied (needed by /t/m)").ends("exit 127");
  list.push_back(with_libw("14", "a dangling link: the defaults", {"/lib"}).node(symlink_to(kPathFile, "/nowhere")));
  takes_who(list.back(), "/lib/libw.so");
  list.push_back(with_libw("15", "a link to itself", {"/lib"})
                     .node(symlink_to(kPathFile, "ld-musl-x86_64.path"))
                     .says(missing + "Symbolic link loop (needed by /t/m)")
                     .ends("exit 127"));
}

void add_other_places(std::vector<Scenario>& list) {
  list.push_back(
      with_loader_at("16", "the file is beside the loader that PT_INTERP names", kOtherLdso, {"/t/a", "/lib"})
          .node(text_file("/opt/musl/etc/ld-musl-x86_64.path", "/t/a"))
          .traces("libw.so => /t/a/libw.so"));
  takes_who(list.back(), "/t/a/libw.so");
  Scenario& by_command =
      list.emplace_back(with_loader_at("16b", "or that the command names", kOtherLdso, {"/t/a", "/lib"})
                            .node(text_file("/opt/musl/etc/ld-musl-x86_64.path", "/t/a"))
                            .traces("libw.so => /t/a/libw.so"));
  by_command.tree.launch = Launch::Argument;
  takes_who(by_command, "/lib/libw.so");
  list.push_back(with_loader_at("17", "/etc is not asked beside another loader", kOtherLdso, {"/t/a", "/lib"})
                     .node(text_file(kPathFile, "/t/a")));
  takes_who(list.back(), "/lib/libw.so");
  list.push_back(
      with_loader_at("18", "a loader in a directory of the root: /etc", "/opt/ld.so", {"/t/a", "/t/b", "/lib"})
          .node(text_file(kPathFile, "/t/a"))
          .node(text_file("/opt/etc/ld-musl-x86_64.path", "/t/b")));
  takes_who(list.back(), "/t/a/libw.so");
  list.push_back(with_loader_at("19", "a relative PT_INTERP: /etc", "opt/musl/lib/ld.so", {"/t/a", "/t/b", "/lib"})
                     .node(text_file(kPathFile, "/t/a"))
                     .node(text_file("/opt/musl/etc/ld-musl-x86_64.path", "/t/b")));
  takes_who(list.back(), "/t/a/libw.so");
  // Of a PT_INTERP that is not there ldd takes the name.
  Scenario& nowhere = list.emplace_back(
      with_libw("20c", "a PT_INTERP that is not there", {"/t/a", "/lib"}, with_interpreter(kOtherLdso))
          .node(text_file("/opt/musl/etc/ld-musl-x86_64.path", "/t/a"))
          .traces(kOtherLdso)
          .traces("libw.so => /t/a/libw.so"));
  nowhere.tree.launch = Launch::Argument;
  takes_who(nowhere, "/lib/libw.so");
  ElfSpec alone = program();
  alone.interp = kOtherLdso;
  Scenario& lone = list.emplace_back(musl_scenario("20d", "likewise, and nothing is needed"));
  lone.exe(alone, "/t/m").order(kOtherLdso).starts();
  lone.tree.launch = Launch::Argument;
  for (const bool has_directory : {true, false}) {
    Scenario& ldd = list.emplace_back(musl_scenario(has_directory ? "20a" : "20b", "a library, by ldd"));
    const std::string command = has_directory ? "/usr/bin/ldd" : "ldd";
    ldd.lib("/t/lib.so", library_needing({"libw.so"})).start("/t/lib.so");
    ldd.lib("/t/a/libw.so", who()).lib("/lib/libw.so", who()).node(text_file(kPathFile, "/t/a"));
    ldd.node(hard_link_to(has_directory ? command : "/" + command, "/lib/x86_64-linux-gnu/ld-musl.so"));
    ldd.tree.launch = Launch::Argument;
    ldd.tree.loader = command;
    ldd.traces(has_directory ? "libw.so => /lib/libw.so" : "libw.so => /t/a/libw.so").starts();
  }
}

}  // namespace

std::vector<Scenario> musl_path_file() {
  std::vector<Scenario> list;
  list.push_back(with_libw("1", "/lib is the first default", {"/lib", "/usr/local/lib", "/usr/lib"}));
  takes_who(list.back(), "/lib/libw.so").traces("libw.so => /lib/libw.so");
  list.push_back(with_libw("2", "/usr/local/lib is the second", {"/usr/local/lib", "/usr/lib"}));
  takes_who(list.back(), "/usr/local/lib/libw.so");
  list.push_back(with_libw("2b", "/usr/lib is the last", {"/usr/lib"}));
  takes_who(list.back(), "/usr/lib/libw.so");
  list.push_back(with_libw("3", "nowhere", {}));
  misses_libw(list.back()).dies_tracing("who: symbol not found");
  list.push_back(with_path_file("4", "the file takes the place of the defaults", "/t/zz\n/t/a:/lib", {"/t/a", "/lib"}));
  takes_who(list.back(), "/t/a/libw.so");
  list.push_back(with_path_file("5a", "a relative entry", "a", {"/t/a"}).cwd("/t"));
  takes_who(list.back(), "a/libw.so");
  list.push_back(with_path_file("5b", "from elsewhere", "a", {"/t/a"}));
  misses_libw(list.back());
  list.push_back(with_path_file("6", "no comments, no trimming", "# c:/t/a ", {"/t/a"}));
  misses_libw(list.back());
  list.push_back(with_path_file("7", "a comment is a directory", "# c\n/t/a", {"/t/a"}));
  takes_who(list.back(), "/t/a/libw.so");
  list.push_back(with_path_file("8", "CRLF", "/t/a\r\n", {"/t/a"}));
  misses_libw(list.back());
  list.push_back(with_path_file("9", "NUL ends it", std::string("/t/b\0/t/a", 9), {"/t/a"}));
  misses_libw(list.back());
  list.push_back(with_path_file("10", "no tokens", "$ORIGIN/a", {"/t/a"}));
  misses_libw(list.back());
  add_path_file_kinds(list);
  add_other_places(list);
  return list;
}

std::vector<Scenario> musl_environment() {
  std::vector<Scenario> list;
  const auto add = [&list](const char* number, const char* title, const std::string& value,
                           std::initializer_list<const char*> directories) -> Scenario& {
    list.push_back(with_libw(number, title, directories));
    return list.back().library_path(value);
  };
  takes_who(add("21", "LD_LIBRARY_PATH before the system's path", "/t/a", {"/t/a", "/lib"}), "/t/a/libw.so");
  takes_who(add("22", "; is an ordinary character", "/t/nx;/t/b", {"/t/b", "/lib"}), "/lib/libw.so");
  takes_who(add("23", "a line's end separates", "/t/nx\n/t/b", {"/t/b", "/lib"}), "/t/b/libw.so");
  for (const char* const nothing : {":", ""})
    takes_who(add("24", "an empty element is not the current directory", nothing, {"/t", "/lib"}).cwd("/t"),
              "/lib/libw.so");
  takes_who(add("25", "a relative one", ".", {"/t"}).cwd("/t"), "./libw.so").traces("libw.so => ./libw.so");
  takes_who(add("26", "a slash at its end stays", "/t/a/", {"/t/a"}), "/t/a//libw.so");
  takes_who(add("27", "a blank counts", " /t/a", {"/t/a", "/lib"}), "/lib/libw.so");
  Scenario& emptied = add("28", "--library-path replaces it, with nothing as well", "/t/a", {"/t/a", "/lib"});
  emptied.tree.launch = Launch::Argument;
  emptied.tree.loader_options = {"--library-path", ""};
  takes_who(emptied, "/lib/libw.so").traces("libw.so => /lib/libw.so");
  takes_who(add("29", "of two the first", "/t/a", {"/t/a", "/t/b"}).library_path("/t/b"), "/t/a/libw.so");
  for (const std::size_t last : {98u, 99u}) {
    const std::string deep = "/t/" + std::string(200, 'd') + "/" + std::string(200, 'e') + "/" + std::string(last, 'f');
    Scenario& scenario = add("30", "candidates of 512 bytes are skipped, of 511 tried", deep, {deep.c_str(), "/lib"});
    takes_who(scenario, (last == 98 ? deep : std::string("/lib")) + "/libw.so");
  }
  const auto secure = [&](const char* number, const char* title, const std::string& runpath) -> Scenario& {
    Scenario& scenario = list.emplace_back(musl_scenario(number, title));
    TreeNode main = elf_file("/t/m", musl_program().runpath(runpath));
    main.mode = 04755;
    scenario.node(main).start("/t/m");
    scenario.tree.user = kOtherUser;
    scenario.tree.is_secure = true;
    return scenario;
  };
  // What would be found elsewhere lacks who().
  secure("31a", "set-uid: neither LD_LIBRARY_PATH nor $ORIGIN", "$ORIGIN/rp")
      .library_path("/t/a")
      .lib("/t/a/libw.so")
      .lib("/t/rp/libw.so")
      .lib("/lib/libw.so", who())
      .starts();
  secure("31b", "set-uid: an absolute RUNPATH", "/t/rp").lib("/t/rp/libw.so", who()).lib("/lib/libw.so").starts();
  secure("31c", "set-uid: no LD_PRELOAD", "/t/rp")
      .env("LD_PRELOAD=/t/p/p.so")
      .lib("/t/p/p.so", library_needing({"gone.so"}))
      .lib("/t/rp/libw.so", who())
      .starts();
  return list;
}

}  // namespace soresolve::test
