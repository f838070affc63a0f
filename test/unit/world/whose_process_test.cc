// Whose process a library is judged in when nobody says so: by what it lacks and by what lies around it.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "soresolve/diagnose.h"
#include "soresolve/world.h"
#include "support/counting_file_system.h"
#include "unit/memory_system.h"
#include "world/surroundings.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using TreeFiles = std::vector<std::pair<std::string, ElfSpec>>;

std::shared_ptr<MemoryFileSystem> files_of(const TreeFiles& tree, const std::string& constant_of = {}) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(kInterp, write_loader());
  for (const auto& [path, spec] : tree) {
    std::string bytes = write_elf(spec);
    if (path == constant_of) bytes += std::string("\0%s/lib/%s/libvm.so\0", 20);
    files->add_file(path, bytes, 0755);
  }
  return files;
}

/// "RULE PROGRAM [after LOADED…]: VERDICT", or "alone: VERDICT".
std::string answer(std::shared_ptr<const FileSystem> files, const std::string& file, OpenedBy opened_by) {
  WorldSettings settings;
  settings.where.files = std::move(files);
  settings.machine.cpu = "x86-64";
  settings.process.opened_by = opened_by;
  World world(settings);
  const Result<Resolution> run = world.resolve(file);
  if (!run) return run.error().to_string();
  if (!run->check()) return run->check().error().to_string();
  std::string text = "alone";
  if (const auto& assumed = run->map().assumed) {
    text = std::string(name_of(assumed->rule)) + " " + assumed->program;
    for (std::size_t i = 0; i < assumed->loaded.size(); ++i) text += (i == 0 ? " after " : ", ") + assumed->loaded[i];
  }
  return text + ": " + std::string(name_of(verdict_of(run->map(), *run->check(), {})));
}

ElfSpec referring(ElfSpec spec, std::vector<std::string> symbols) {
  for (std::string& symbol : symbols) spec.refer(undefined(std::move(symbol)));
  return spec;
}

ElfSpec defining(ElfSpec spec, std::vector<std::string> symbols) {
  for (std::string& symbol : symbols) spec.define(defined(std::move(symbol)));
  return spec;
}

}  // namespace

TEST_CASE("a library that lacks something is judged in the process that it is made for") {
  struct Case {
    const char* why;
    TreeFiles tree;
    std::string file;
    std::string want;
    std::string constant_of = {};  ///< the file that names libvm.so
  };
  const ElfSpec module = referring(library(), {"app_a", "app_b"});
  const ElfSpec exporter = defining(program(), {"app_a", "app_b"});
  const Case cases[] = {
      {"exporter: the program of the prefix defines all of it",
       {{"/usr/lib/app/mods/m.so", module}, {"/usr/bin/other", program()}, {"/usr/sbin/app", exporter}},
       "/usr/lib/app/mods/m.so",
       "exporter /usr/sbin/app: works"},
      {"exporter: a name that is like none on the path counts as well",
       {{"/usr/lib/app/m.so", module}, {"/usr/bin/zz", exporter}},
       "/usr/lib/app/m.so",
       "exporter /usr/bin/zz: works"},
      {"exporter: a private folder for programs",
       {{"/usr/lib/cc/12/plugin/m.so", module}, {"/usr/lib/cc/12/cc1", exporter}},
       "/usr/lib/cc/12/plugin/m.so",
       "exporter /usr/lib/cc/12/cc1: works"},
      {"exporter: without a directory lib the program lies beside the file or above it",
       {{"/app/plugins/m.so", module}, {"/app/serve", exporter}},
       "/app/plugins/m.so",
       "exporter /app/serve: works"},
      {"exporter: what lies in everybody's directory is of others",
       {{"/tmp/x/m.so", module}, {"/tmp/serve", exporter}},
       "/tmp/x/m.so",
       "alone: depends"},
      {"exporter: one symbol is defined nowhere",
       {{"/usr/lib/app/m.so", module}, {"/usr/bin/app", defining(program(), {"app_a"})}},
       "/usr/lib/app/m.so",
       "alone: depends"},
      {"exporter: most of it is of the program of the tree, which is another release",
       {{"/usr/lib/app/m.so", referring(library(), {"app_a", "app_b", "app_c"})}, {"/usr/bin/app", exporter}},
       "/usr/lib/app/m.so",
       "exporter /usr/bin/app: fails"},
      {"exporter: half of it may be of anybody",
       {{"/usr/lib/app/m.so", referring(library(), {"app_a", "app_b", "app_c", "app_d"})}, {"/usr/bin/app", exporter}},
       "/usr/lib/app/m.so",
       "alone: depends"},
      {"exporter: most of it is of a program of another tree",
       {{"/opt/one/lib/m.so", referring(library(), {"app_a", "app_b", "app_c"})}, {"/opt/two/bin/app", exporter}},
       "/opt/one/lib/m.so",
       "alone: depends"},
      {"exporter: without a directory lib it may lie in any folder beside the file's own",
       {{"/srv/app/plugins/m.so", module}, {"/srv/app/server/serve", exporter}},
       "/srv/app/plugins/m.so",
       "exporter /srv/app/server/serve: works"},
      {"exporter: the program is of another tree",
       {{"/opt/one/lib/m.so", module}, {"/opt/two/bin/app", exporter}},
       "/opt/one/lib/m.so",
       "alone: depends"},
      {"exporter: the program itself would not start",
       {{"/usr/lib/app/m.so", module}, {"/usr/bin/app", ElfSpec(exporter).needed("libgone.so.1")}},
       "/usr/lib/app/m.so",
       "alone: depends"},
      {"exporter: a library of the program defines it",
       {{"/opt/app/lib/app/m.so", module},
        {"/opt/app/lib/libcore.so.1", defining(library().soname("libcore.so.1"), {"app_a", "app_b"})},
        {"/opt/app/bin/app", program().needed("libcore.so.1").rpath("/opt/app/lib")}},
       "/opt/app/lib/app/m.so",
       "exporter /opt/app/bin/app: works"},
      {"exporter: the rest is defined by a module beside it, which needs a third",
       {{"/usr/lib/sh/m.so", referring(library(), {"sh_main", "line_edit"})},
        {"/usr/lib/sh/edit.so", referring(defining(library(), {"line_edit"}), {"sh_main", "term_put"})},
        {"/usr/lib/sh/term.so", defining(library(), {"term_put"})},
        {"/usr/bin/sh", defining(program(), {"sh_main"})}},
       "/usr/lib/sh/m.so",
       "exporter /usr/bin/sh after /usr/lib/sh/term.so, /usr/lib/sh/edit.so: works"},
      {"exporter: the names are those of a host that is in PATH, of whatever tree the file is",
       {{"/home/u/m.so", referring(library(), {"Perl_newSV"})}, {"/usr/bin/perl", defining(program(), {"Perl_newSV"})}},
       "/home/u/m.so",
       "exporter /usr/bin/perl: works"},
      {"exporter: of that host in another release",
       {{"/home/u/m.so", referring(library(), {"Perl_newSV", "Perl_old"})},
        {"/usr/bin/perl", defining(program(), {"Perl_newSV"})}},
       "/home/u/m.so",
       "exporter /usr/bin/perl: fails"},
      {"exporter: a name that is not the host's may be defined by anybody",
       {{"/home/u/m.so", referring(library(), {"Perl_newSV", "app_a"})},
        {"/usr/bin/perl", defining(program(), {"Perl_newSV"})}},
       "/home/u/m.so",
       "alone: depends"},
      {"exporter: a host that defines none of them is not known to be the one",
       {{"/home/u/m.so", referring(library(), {"lua_old"})}, {"/usr/bin/lua", program()}},
       "/home/u/m.so",
       "alone: depends"},
      {"exporter: a program needs nothing of the kind", {{"/usr/bin/app", exporter}}, "/usr/bin/app", "alone: works"},
      {"reached: a program finds by its own tag what the library does not",
       {{"/opt/app/lib/liba.so.1", library().soname("liba.so.1").needed("libb.so.1")},
        {"/opt/app/lib/libb.so.1", library().soname("libb.so.1")},
        {"/opt/app/bin/app", program().needed("liba.so.1").rpath("/opt/app/lib")}},
       "/opt/app/lib/liba.so.1",
       "reached /opt/app/bin/app: works"},
      {"reached: through another library",
       {{"/opt/app/lib/liba.so.1", library().soname("liba.so.1").needed("libb.so.1")},
        {"/opt/app/lib/libb.so.1", library().soname("libb.so.1")},
        {"/opt/app/lib/libc1.so.1", library().soname("libc1.so.1").needed("liba.so.1")},
        {"/opt/app/bin/app", program().needed("libc1.so.1").rpath("/opt/app/lib")}},
       "/opt/app/lib/liba.so.1",
       "reached /opt/app/bin/app: works"},
      {"reached: the program has another file of that name",
       {{"/opt/app/lib/liba.so.1", library().soname("liba.so.1").needed("libb.so.1")},
        {"/opt/app/lib/libb.so.1", library().soname("libb.so.1")},
        {"/usr/lib64/liba.so.1", library().soname("liba.so.1")},
        {"/opt/app/bin/app", program().needed("liba.so.1")}},
       "/opt/app/lib/liba.so.1",
       "alone: fails"},
      {"sibling: the launcher has the name of the missing library as a constant",
       {{"/opt/vm/lib/libnet.so", library().needed("libvm.so")},
        {"/opt/vm/lib/server/libvm.so", library().soname("libvm.so")},
        {"/opt/vm/bin/vm", program()}},
       "/opt/vm/lib/libnet.so",
       "sibling /opt/vm/bin/vm after /opt/vm/lib/server/libvm.so: works",
       "/opt/vm/bin/vm"},
      {"sibling: or a library of the tree has, which the launcher needs",
       {{"/opt/vm/lib/libnet.so", library().needed("libvm.so")},
        {"/opt/vm/lib/server/libvm.so", library().soname("libvm.so")},
        {"/opt/vm/lib/libjli.so", library().soname("libjli.so")},
        {"/opt/vm/bin/vm", program().needed("libjli.so").rpath("/opt/vm/lib")}},
       "/opt/vm/lib/libnet.so",
       "sibling /opt/vm/bin/vm after /opt/vm/lib/server/libvm.so: works",
       "/opt/vm/lib/libjli.so"},
      {"sibling: a program needs the missing library itself",
       {{"/opt/app/lib/mods/m.so", library().needed("libp.so.1")},
        {"/opt/app/lib/mods/libp.so.1", library().soname("libp.so.1")},
        {"/opt/app/bin/app", program().needed("libp.so.1").rpath("/opt/app/lib/mods")}},
       "/opt/app/lib/mods/m.so",
       "sibling /opt/app/bin/app: works"},
      {"sibling: the program has it from another tree, which says nothing about who opens the file",
       {{"/opt/app/lib/mods/m.so", library().needed("libp.so.1")},
        {"/srv/far/libp.so.1", library().soname("libp.so.1")},
        {"/opt/app/bin/app", program().needed("libp.so.1").rpath("/srv/far")}},
       "/opt/app/lib/mods/m.so",
       "alone: fails"},
      {"sibling: the program needs it as well, and does not find it either",
       {{"/opt/app/lib/mods/m.so", library().needed("libp.so.1")}, {"/opt/app/bin/app", program().needed("libp.so.1")}},
       "/opt/app/lib/mods/m.so",
       "alone: fails"},
      {"sibling: it lies there, and no program loads it",
       {{"/opt/vm/lib/libnet.so", library().needed("libvm.so")},
        {"/opt/vm/lib/server/libvm.so", library().soname("libvm.so")},
        {"/opt/vm/bin/vm", program()}},
       "/opt/vm/lib/libnet.so",
       "alone: fails"},
      {"sibling: it is gone",
       {{"/opt/vm/lib/libnet.so", library().needed("libvm.so")}, {"/opt/vm/bin/vm", program()}},
       "/opt/vm/lib/libnet.so",
       "alone: fails",
       "/opt/vm/bin/vm"},
      {"sibling: another library is missing as well, and stays so",
       {{"/opt/vm/lib/libnet.so", library().needed("libvm.so").needed("libgone.so")},
        {"/opt/vm/lib/server/libvm.so", library().soname("libvm.so")},
        {"/opt/vm/bin/vm", program()}},
       "/opt/vm/lib/libnet.so",
       "sibling /opt/vm/bin/vm after /opt/vm/lib/server/libvm.so: fails",
       "/opt/vm/bin/vm"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto files = files_of(c.tree, c.constant_of);
    CHECK(answer(files, c.file, OpenedBy::WhoFits) == c.want);
    // Nothing is assumed where that is switched off.
    CHECK(answer(files, c.file, OpenedBy::None).starts_with("alone: "));
  }
}

TEST_CASE("what lies around a file is bounded, and links lead nowhere") {
  MemoryFileSystem files;
  files.add_file("/opt/app/lib/x.so", "");
  files.add_symlink("/opt/app/lib/loop", "/opt/app/lib");
  files.add_symlink("/opt/app/lib/out", "/usr");
  files.add_file("/usr/secret", "", 0755);
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 300; ++k) {
      files.add_file("/opt/app/lib/" + std::to_string(i) + "/" + std::to_string(k), "", 0755);
    }
  }
  Neighbourhood near(files);
  const Surroundings around = read_surroundings(near, "/opt/app/lib/x.so");
  CHECK(around.files->is_cut_short);
  CHECK(around.programs.size() < kMostNamesAround);
  for (const FilesAround::Program* program : around.programs) CHECK(program->entry->path.starts_with("/opt/app/lib/"));
}

TEST_CASE("the programs of a tree are read once, however many of its files lack something") {
  constexpr int kPrograms = 200;
  auto files = std::make_shared<CountingFileSystem>();
  files->tree.add_file(kInterp, write_loader());
  for (int i = 0; i < kPrograms; ++i)
    files->tree.add_file("/usr/bin/p" + std::to_string(i), write_elf(program()), 0755);
  const std::string lacking = write_elf(library().needed("libgone.so.1"));
  for (const char* name : {"/usr/lib/app/a.so", "/usr/lib/app/b.so"}) files->tree.add_file(name, lacking);
  WorldSettings settings;
  settings.where.files = files;
  settings.machine.cpu = "x86-64";
  World world(settings);
  CHECK(world.resolve("/usr/lib/app/a.so"));
  CHECK(files->opened > kPrograms);
  files->opened = 0;
  CHECK(world.resolve("/usr/lib/app/b.so"));
  CHECK(files->opened < kPrograms / 4);
}

TEST_CASE("the likeliest program comes first") {
  MemoryFileSystem files;
  files.add_file("/usr/lib/php/2022/x.so", "");
  for (const char* name : {"/usr/bin/awk", "/usr/bin/php8.2", "/usr/sbin/zic", "/bin/cat"}) {
    files.add_file(name, "", 0755);
  }
  Neighbourhood near(files);
  const Surroundings around = read_surroundings(near, "/usr/lib/php/2022/x.so");
  std::vector<std::string> programs;
  for (const FilesAround::Program* program : around.programs) programs.push_back(program->entry->path);
  CHECK(programs == std::vector<std::string>{"/usr/bin/php8.2", "/usr/bin/awk", "/usr/sbin/zic"});
  CHECK(around.related_programs == 1);
}

TEST_CASE("libraries of the driver come from the host where no driver is, and are missing where one is") {
  const ElfSpec gpu = library().needed("libcuda.so.1").call(undefined("cuInit"));
  struct Case {
    const char* why;
    TreeFiles tree;
    OpenedBy opened_by;
    std::string want;
    std::string further = {};  ///< a file that is here as well
  };
  const std::string file = "/app/gpu.so";
  const Case cases[] = {
      {"no driver is here", {{file, gpu}}, OpenedBy::WhoFits, "alone: depends"},
      {"a program", {{file, ElfSpec(gpu).needed("libm.so.6")}}, OpenedBy::WhoFits, "alone: fails"},
      {"nobody is to be assumed", {{file, gpu}}, OpenedBy::None, "alone: fails"},
      {"the kernel module is loaded", {{file, gpu}}, OpenedBy::WhoFits, "alone: fails", "/proc/driver/nvidia/version"},
      {"the library is here, without its link",
       {{file, gpu}},
       OpenedBy::WhoFits,
       "alone: fails",
       "/usr/lib64/libcuda.so.550.163.01"},
      {"a version is missing, too",
       {{file,
         [&] {
           ElfSpec spec = ElfSpec(gpu).needed("libx.so.1");
           spec.version_needs = {{"libx.so.1", {{"X_2"}}}};
           return spec;
         }()},
        {"/lib64/libx.so.1",
         [] {
           ElfSpec spec = library().soname("libx.so.1");
           spec.version_definitions = {{"libx.so.1"}, {"X_1"}};
           return spec;
         }()}},
       OpenedBy::WhoFits,
       "alone: fails"},
      {"what is undefined besides is left to its process",
       {{file, ElfSpec(gpu).needed("liby.so.1")},
        {"/lib64/liby.so.1", library().soname("liby.so.1").call(undefined("gone"))}},
       OpenedBy::WhoFits,
       "alone: depends"},
      {"a library of a like name is none of the driver's",
       {{file, library().needed("libcudart.so.12")}},
       OpenedBy::WhoFits,
       "alone: fails"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto files = files_of(c.tree);
    if (!c.further.empty()) files->add_file(c.further, "");
    CHECK(answer(files, file, c.opened_by) == c.want);
  }
}
