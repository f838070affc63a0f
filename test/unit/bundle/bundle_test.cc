// What has to come along: links as links, nothing that the target has and can use, what its search needs to be told,
// and a verdict that is the target's own.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "soresolve/bundle.h"
#include "soresolve/report.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;
using Files = std::shared_ptr<MemoryFileSystem>;

void add_elf(MemoryFileSystem& files, std::string_view path, const ElfSpec& spec) {
  files.add_file(path, write_elf(spec), 0755);
}

/// A library that defines these versions of one symbol.
ElfSpec versioned(const std::string& soname, const Names& versions) {
  ElfSpec spec = library().soname(soname);
  spec.version_definitions = {{soname}};
  std::uint16_t index = 2;
  for (const std::string& version : versions) {
    spec.version_definitions.push_back({version});
    Symbol symbol = defined("answer_" + version, version);
    symbol.version_index = index++;
    spec.define(std::move(symbol));
  }
  return spec;
}

ElfSpec program_for(const std::string& soname, const std::string& version) {
  ElfSpec spec = program_needing({soname});
  spec.version_needs = {{soname, {{version}}}};
  spec.call(undefined("answer_" + version, version));
  return spec;
}

/// A machine whose loader lies behind two links, with a program at /app/bin/p that needs liba.so.1.
Files machine() {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_directory("/usr/lib64");
  files->add_symlink("/lib64", "usr/lib64");
  files->add_file("/usr/lib64/ld-2.36.so", write_loader(), 0755);
  files->add_symlink("/usr/lib64/ld-linux-x86-64.so.2", "ld-2.36.so");
  add_elf(*files, "/app/bin/p", program_for("liba.so.1", "A_2"));
  add_elf(*files, "/usr/lib64/liba.so.1.2", versioned("liba.so.1", {"A_1", "A_2"}));
  files->add_symlink("/usr/lib64/liba.so.1", "liba.so.1.2");
  return files;
}

World world_of(const Files& files, Names environment = {}) {
  WorldSettings settings;
  settings.where.files = files;
  settings.machine.cpu = "x86-64";
  settings.start.env = std::move(environment);
  settings.start.clean_env = true;
  return World(std::move(settings));
}

Bundle bundle_of(const Files& files, BundleOptions options = {}, const Names& asked = {"/app/bin/p"},
                 Names environment = {}) {
  World world = world_of(files, std::move(environment));
  Result<Bundle> made = bundle(world, asked, options);
  REQUIRE_MESSAGE(made.has_value(), (made ? "" : made.error().to_string()));
  return std::move(made).value();
}

/// "PATH", "PATH -> LINK", "PATH <- SOURCE" where these differ; no directories.
Names listed(const Bundle& bundle) {
  Names lines;
  for (const BundledEntry& entry : bundle.entries) {
    if (entry.kind == BundledKind::Directory) continue;
    std::string line = entry.path;
    if (entry.kind == BundledKind::Link) line += " -> " + entry.link;
    if (entry.kind == BundledKind::File && entry.source != entry.path) line += " <- " + entry.source;
    if (entry.replaces) line += " replaces";
    lines.push_back(std::move(line));
  }
  return lines;
}

const Names kAll = {"/app/bin/p",
                    "/lib64 -> usr/lib64",
                    "/usr/lib64/ld-2.36.so",
                    "/usr/lib64/ld-linux-x86-64.so.2 -> ld-2.36.so",
                    "/usr/lib64/liba.so.1 -> liba.so.1.2",
                    "/usr/lib64/liba.so.1.2"};

Names without(Names names, const Names& gone) {
  std::erase_if(names,
                [&](const std::string& name) { return std::find(gone.begin(), gone.end(), name) != gone.end(); });
  return names;
}

}  // namespace

TEST_CASE("what the target's loader opens is listed, and nothing that the target has and can use") {
  struct Case {
    const char* why;
    std::function<void(MemoryFileSystem&)> fill;  ///< the target
    Names want;
    bool works;
    Names left_out;  ///< "WHY TARGET"
  };
  const std::string same_library = write_elf(versioned("liba.so.1", {"A_1", "A_2"}));
  const Case cases[] = {
      {"an empty root: links as links", [](MemoryFileSystem&) {}, kAll, true, {}},
      {"the same content at the same place",
       [&](MemoryFileSystem& files) {
         files.add_symlink("/lib64", "usr/lib64");
         files.add_file("/usr/lib64/liba.so.1.2", same_library);
         files.add_symlink("/usr/lib64/liba.so.1", "liba.so.1.2");
       },
       without(kAll, {"/lib64 -> usr/lib64", "/usr/lib64/liba.so.1 -> liba.so.1.2", "/usr/lib64/liba.so.1.2"}),
       true,
       {"same /lib64/liba.so.1"}},
      {"a newer one under another name, which has all that is needed",
       [&](MemoryFileSystem& files) {
         files.add_directory("/lib64");
         add_elf(files, "/lib64/liba.so.1.9", versioned("liba.so.1", {"A_1", "A_2", "A_9"}));
         files.add_symlink("/lib64/liba.so.1", "liba.so.1.9");
       },
       {"/app/bin/p", "/lib64/ld-2.36.so <- /usr/lib64/ld-2.36.so", "/lib64/ld-linux-x86-64.so.2 -> ld-2.36.so"},
       true,
       {"serves /lib64/liba.so.1"}},
      {"an older one at the same place stays, and is a conflict",
       [&](MemoryFileSystem& files) {
         files.add_symlink("/lib64", "usr/lib64");
         add_elf(files, "/usr/lib64/liba.so.1", versioned("liba.so.1", {"A_1"}));
       },
       without(kAll, {"/lib64 -> usr/lib64", "/usr/lib64/liba.so.1 -> liba.so.1.2", "/usr/lib64/liba.so.1.2"}),
       false,
       {}},
      {"directories that the target has for links stay directories",
       [&](MemoryFileSystem& files) { files.add_directory("/lib64"); },
       {"/app/bin/p", "/lib64/ld-2.36.so <- /usr/lib64/ld-2.36.so", "/lib64/ld-linux-x86-64.so.2 -> ld-2.36.so",
        "/lib64/liba.so.1 -> liba.so.1.2", "/lib64/liba.so.1.2 <- /usr/lib64/liba.so.1.2"},
       true,
       {}},
      {"what was asked about replaces another file",
       [&](MemoryFileSystem& files) { files.add_file("/app/bin/p", "an older one", 0755); },
       {"/app/bin/p replaces", "/lib64 -> usr/lib64", "/usr/lib64/ld-2.36.so",
        "/usr/lib64/ld-linux-x86-64.so.2 -> ld-2.36.so", "/usr/lib64/liba.so.1 -> liba.so.1.2",
        "/usr/lib64/liba.so.1.2"},
       true,
       {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    auto target = std::make_shared<MemoryFileSystem>();
    c.fill(*target);
    const Bundle bundle = bundle_of(machine(), {.target = target});
    CHECK(listed(bundle) == c.want);
    CHECK(bundle.works() == c.works);
    CHECK(bundle.conflicts.empty() == c.works);
    Names left_out;
    for (const BundleLeftOut& left : bundle.left_out) {
      left_out.push_back(std::string(name_of(left.why)) + " " + left.target);
    }
    CHECK(left_out == c.left_out);
  }
}

TEST_CASE(
    "a file of the target's own that lacks a version gives way where the search leads to the source's place first") {
  const Files source = machine();
  add_elf(*source, "/app/bin/q", program_for("libb.so.1", "B_2").runpath("$ORIGIN/../lib"));
  add_elf(*source, "/app/lib/libb.so.1", versioned("libb.so.1", {"B_2"}));
  auto target = std::make_shared<MemoryFileSystem>();
  target->add_directory("/lib64");
  add_elf(*target, "/lib64/libb.so.1", versioned("libb.so.1", {"B_1"}));
  const Bundle bundle = bundle_of(source, {.target = target}, {"/app/bin/q"});
  CHECK(bundle.works());
  CHECK(listed(bundle) == Names{"/app/bin/q", "/app/lib/libb.so.1", "/lib64/ld-2.36.so <- /usr/lib64/ld-2.36.so",
                                "/lib64/ld-linux-x86-64.so.2 -> ld-2.36.so"});
}

TEST_CASE("a directory that the target does not search is told, with each line tried") {
  const Files source = machine();
  add_elf(*source, "/app/bin/q", program_needing({"libb.so.1"}));
  add_elf(*source, "/opt/b/libb.so.1", library_needing({"libc2.so"}).soname("libb.so.1"));
  add_elf(*source, "/opt/b/libc2.so", library().soname("libc2.so"));
  const Bundle bundle = bundle_of(source, {}, {"/app/bin/q"}, {"LD_LIBRARY_PATH=/opt/b"});
  CHECK(bundle.works());
  Names lines;
  for (const BundleSearch& search : bundle.search) {
    for (const CommandText& line : search.lines) {
      lines.push_back(std::string(name_of(search.kind)) + (search.works ? " works: " : " fails: ") + line.text());
    }
  }
  CHECK(lines == Names{"library-path works: LD_LIBRARY_PATH=/opt/b",
                       "configuration works: printf '%s\\n' /opt/b >> /etc/ld.so.conf", "configuration works: ldconfig",
                       "search-tag works: patchelf --force-rpath --set-rpath /opt/b /app/bin/q"});
  // The environment of the target may say so already.
  const Bundle reported =
      bundle_of(source, {.environment = {"LD_LIBRARY_PATH=/opt/b"}}, {"/app/bin/q"}, {"LD_LIBRARY_PATH=/opt/b"});
  CHECK(reported.works());
  CHECK(reported.search.empty());
}

TEST_CASE("only directories that are missed are told, whoever else needs what lies elsewhere") {
  const Files source = machine();
  add_elf(*source, "/app/bin/q", program_needing({"libb.so.1", "libd.so.1"}));
  for (const std::string name : {"libb.so.1", "libd.so.1"}) {
    add_elf(*source, "/opt/b/" + name, library_needing({"libshared.so.1"}).soname(name));
  }
  add_elf(*source, "/usr/lib64/libshared.so.1", library().soname("libshared.so.1"));
  const Bundle bundle = bundle_of(source, {}, {"/app/bin/q"}, {"LD_LIBRARY_PATH=/opt/b"});
  REQUIRE(bundle.search.size() == 3);
  CHECK(texts_of(bundle.search.front().lines) == Names{"LD_LIBRARY_PATH=/opt/b"});
}

TEST_CASE("a prefix takes the libraries, under the names that they are asked for by") {
  const Bundle bundle = bundle_of(machine(), {.prefix = "/opt/lib"});
  CHECK(bundle.works());
  CHECK(listed(bundle) == Names{"/app/bin/p", "/lib64 -> usr/lib64", "/opt/lib/liba.so.1 <- /usr/lib64/liba.so.1.2",
                                "/usr/lib64/ld-2.36.so", "/usr/lib64/ld-linux-x86-64.so.2 -> ld-2.36.so"});
  REQUIRE(bundle.search.size() == 3);
  CHECK(texts_of(bundle.search[0].lines) == Names{"LD_LIBRARY_PATH=/opt/lib"});
  CHECK(texts_of(bundle.search[2].lines) ==
        Names{"patchelf --force-rpath --set-rpath '$ORIGIN/../../opt/lib' /app/bin/p"});
  for (const BundleSearch& search : bundle.search) CHECK(search.works);
}

TEST_CASE("what is opened later comes along with what it needs, as far as its level is looked at") {
  const Files source = machine();
  add_elf(*source, "/app/bin/q",
          program_needing({}).dlopens(R"([{"soname":["libplug.so.1"],"priority":"recommended","feature":"plugs"}])"));
  add_elf(*source, "/usr/lib64/libplug.so.1", library_needing({"liba.so.1"}).soname("libplug.so.1"));
  const Bundle with = bundle_of(source, {}, {"/app/bin/q"});
  const Names names = listed(with);
  CHECK(with.works());
  CHECK(std::find(names.begin(), names.end(), "/usr/lib64/libplug.so.1") != names.end());
  CHECK(std::find(names.begin(), names.end(), "/usr/lib64/liba.so.1.2") != names.end());
  const Bundle none = bundle_of(source, {.dlopens = DlopenLevel::None}, {"/app/bin/q"});
  CHECK(none.works());
  CHECK(none.file_count == 2);
}

TEST_CASE("what is opened later opens others by its own search") {
  const Files source = machine();
  add_elf(*source, "/app/bin/q",
          program_needing({}).dlopens(R"([{"soname":["libplug.so.1"],"priority":"recommended","feature":"plugs"}])"));
  ElfSpec plug = library().soname("libplug.so.1").runpath("$ORIGIN/inner");
  plug.dlopens(R"([{"soname":["libinner.so.1"],"priority":"required","feature":"inner"}])");
  add_elf(*source, "/usr/lib64/libplug.so.1", plug);
  add_elf(*source, "/usr/lib64/inner/libinner.so.1", library().soname("libinner.so.1"));
  const Bundle bundle = bundle_of(source, {}, {"/app/bin/q"});
  CHECK(bundle.works());
  CHECK(bundle.search.empty());
  const Names names = listed(bundle);
  CHECK(std::find(names.begin(), names.end(), "/usr/lib64/inner/libinner.so.1") != names.end());
}

TEST_CASE("what glibc opens for functions that are called comes along") {
  struct Case {
    const char* why;
    std::string called;
    std::string nsswitch;  ///< of the target; empty: it has none
    Names want;            ///< what is opened later
  };
  const Case cases[] = {
      {"a thread that is cancelled is unwound", "pthread_cancel", "", {"/usr/lib64/libgcc_s.so.1"}},
      {"files and dns are inside of glibc since 2.34", "getaddrinfo", "", {}},
      {"a service that the target names",
       "getpwnam",
       "# passwd: none\npasswd: files [NOTFOUND=return] own\nnonsense\n",
       {"/usr/lib64/libnss_own.so.2"}},
      {"a service that is nowhere", "getpwnam", "passwd: gone\n", {}},
      {"a name that is no file name", "getpwnam", "passwd: ../../own\n", {}},
      {"nothing of it is called", "malloc", "passwd: own\n", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Files source = machine();
    ElfSpec libc = library().soname("libc.so.6");
    libc.define(defined(c.called));
    add_elf(*source, "/usr/lib64/libc.so.6", libc);
    ElfSpec caller = program_needing({"libc.so.6"});
    caller.call(undefined(c.called));
    add_elf(*source, "/app/bin/q", caller);
    add_elf(*source, "/usr/lib64/libgcc_s.so.1", library().soname("libgcc_s.so.1"));
    add_elf(*source, "/usr/lib64/libnss_own.so.2", library().soname("libnss_own.so.2"));
    auto target = std::make_shared<MemoryFileSystem>();
    if (!c.nsswitch.empty()) target->add_file("/etc/nsswitch.conf", c.nsswitch);
    const Bundle bundle = bundle_of(source, {.target = target}, {"/app/bin/q"});
    CHECK(bundle.works());
    Names later;
    for (const BundledEntry& entry : bundle.entries) {
      if (entry.reason == BundledFor::OpenedLater) later.push_back(entry.path);
    }
    CHECK(later == c.want);
  }
}

TEST_CASE("the driver's libraries are the host's, and are not brought") {
  const Files source = machine();
  add_elf(*source, "/app/bin/q", program_needing({"libcuda.so.1", "liba.so.1"}));
  add_elf(*source, "/usr/lib64/libcuda.so.1", library_needing({"libnvidia-own.so.1"}).soname("libcuda.so.1"));
  add_elf(*source, "/usr/lib64/libnvidia-own.so.1", library().soname("libnvidia-own.so.1"));
  const Bundle bundle = bundle_of(source, {.judges_cuda = false}, {"/app/bin/q"});
  CHECK(bundle.works());
  for (const BundledEntry& entry : bundle.entries) {
    CHECK(entry.path.find("libcuda") == std::string::npos);
    CHECK(entry.path.find("libnvidia") == std::string::npos);
  }
  CHECK(std::any_of(bundle.left_out.begin(), bundle.left_out.end(), [](const BundleLeftOut& left) {
    return left.why == BundleLeftOut::Why::OfDriver && left.name == "libcuda.so.1";
  }));
}

TEST_CASE("a script brings its interpreter, a static program itself, and several FILEs share what they need") {
  const Files source = machine();
  source->add_file("/app/bin/s", "#! /app/bin/p -x\n", 0755);
  ElfSpec statically = program();
  statically.interp.reset();
  statically.has_dynamic = false;
  add_elf(*source, "/app/bin/static", statically);
  ElfSpec static_pie = program();
  static_pie.interp.reset();
  static_pie.flags_1 = 0x08000000;  // DF_1_PIE
  add_elf(*source, "/app/bin/static_pie", static_pie);
  const Bundle bundle = bundle_of(source, {}, {"/app/bin/s", "/app/bin/static", "/app/bin/static_pie", "/app/bin/p"});
  CHECK(bundle.works());
  Names want = kAll;
  want.insert(want.begin() + 1, {"/app/bin/s", "/app/bin/static", "/app/bin/static_pie"});
  CHECK(listed(bundle) == want);
}

TEST_CASE("what does not work in the source is said to be the source's fault, and is not tried elsewhere") {
  const Files source = machine();
  add_elf(*source, "/app/bin/q", program_needing({"libgone.so.1"}));
  const Bundle bundle = bundle_of(source, {}, {"/app/bin/q"});
  CHECK_FALSE(bundle.works());
  REQUIRE(bundle.programs.size() == 1);
  CHECK(bundle.programs.front().fails_in_source);
  CHECK(bundle.entries.empty());
}

TEST_CASE("something in the way in the target ends well") {
  struct Case {
    const char* why;
    std::function<void(MemoryFileSystem&)> fill;
  };
  const Case cases[] = {
      {"a file for a directory", [](MemoryFileSystem& files) { files.add_file("/usr", "a file"); }},
      {"a link that leads nowhere", [](MemoryFileSystem& files) { files.add_symlink("/lib64", "nowhere"); }},
      {"a circle", [](MemoryFileSystem& files) { files.add_symlink("/lib64", "lib64"); }},
      {"a directory for the library", [](MemoryFileSystem& files) { files.add_directory("/usr/lib64/liba.so.1.2"); }},
      {"a FIFO for the library",
       [](MemoryFileSystem& files) {
         files.add_directory("/usr/lib64");
         files.add_special("/usr/lib64/liba.so.1.2", FileKind::Fifo);
       }},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    auto target = std::make_shared<MemoryFileSystem>();
    c.fill(*target);
    CHECK_FALSE(bundle_of(machine(), {.target = target}).works());
  }
}

TEST_CASE("a name that a format cannot say is refused, and nothing is written") {
  struct Case {
    const char* why;
    std::string name;
    bool list, dockerfile, cpio;  ///< can it be written?
  };
  const Case cases[] = {
      {"plain", "p2", true, true, true},
      {"a pattern of COPY", "p[1]*?", true, true, true},
      {"a space", "p 2", true, true, false},
      {"a line feed", "p\n/etc/shadow", false, false, false},
      {"a variable", "p$HOME", true, false, false},
      {"a backslash", "p\\n", false, false, true},
      {"a quotation mark", "p\"", true, false, true},
      {"an escape sequence", "p\x1b[2J", false, false, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Files source = machine();
    const std::string path = "/app/bin/" + c.name;
    add_elf(*source, path, program_for("liba.so.1", "A_2"));
    const Bundle bundle = bundle_of(source, {}, {path});
    CHECK(bundle.works());
    const BundleReport report{bundle};
    std::string text;
    const WritePart write = [&](std::string_view part) { text += part; };
    CHECK(!write_bundle_list(report, write).has_value() == c.list);
    CHECK(text.empty() != c.list);
    text.clear();
    CHECK(!write_bundle_dockerfile(report, {}, write).has_value() == c.dockerfile);
    CHECK(text.empty() != c.dockerfile);
    text.clear();
    CHECK(!write_bundle_cpio_list(report, write).has_value() == c.cpio);
    CHECK(text.empty() != c.cpio);
  }
}

TEST_CASE("a Dockerfile makes the links in a stage, since COPY would follow them") {
  const Bundle bundle = bundle_of(machine());
  std::string text;
  CHECK_FALSE(write_bundle_dockerfile({bundle}, {.source = "from", .base = "to"}, [&](std::string_view part) {
                text += part;
              }).has_value());
  CHECK(text ==
        "FROM from AS links\n"
        "RUN mkdir -p /links /links/usr/lib64 && ln -s usr/lib64 /links/lib64 && ln -s ld-2.36.so "
        "/links/usr/lib64/ld-linux-x86-64.so.2 && ln -s liba.so.1.2 /links/usr/lib64/liba.so.1\n"
        "FROM to\n"
        "COPY --from=links /links/ /\n"
        "COPY --from=from /app/bin/p /app/bin/p\n"
        "COPY --from=from /usr/lib64/ld-2.36.so /usr/lib64/ld-2.36.so\n"
        "COPY --from=from /usr/lib64/liba.so.1.2 /usr/lib64/liba.so.1.2\n");
}

TEST_CASE("the page says what the target has, what is in conflict and what the host brings, in both languages") {
  const Files source = machine();
  add_elf(*source, "/app/bin/q", program_needing({"libcuda.so.1", "liba.so.1"}));
  auto target = std::make_shared<MemoryFileSystem>();
  target->add_symlink("/lib64", "usr/lib64");
  add_elf(*target, "/usr/lib64/liba.so.1", versioned("liba.so.1", {"A_1"}));
  const auto text = [&](const Names& asked, Detail detail, Language language) {
    const Bundle bundle = bundle_of(source, {.target = target, .judges_cuda = false}, asked);
    return to_text(document_of(BundleReport{bundle, asked, {}, "/srv/image", "soresolve bundle"}, detail),
                   {.language = language});
  };
  struct Case {
    const char* why;
    std::string asked;
    Detail detail;
    Language language;
    Names lines;
  };
  const Case cases[] = {
      {"all of it",
       "/app/bin/q",
       Detail::Full,
       Language::English,
       {"  /lib64/liba.so.1: another file, its versions and symbols match",
        "not brought: libcuda.so.1: the NVIDIA driver of the host that it runs on brings it"}},
      {"counted",
       "/app/bin/q",
       Detail::Folded,
       Language::English,
       {"left out: 1 library that /srv/image has (-v shows it)"}},
      {"in Chinese",
       "/app/bin/q",
       Detail::Folded,
       Language::Chinese,
       {"不带 1 个库（libcuda.so.1）：由运行它的主机的 NVIDIA 驱动提供"}},
      {"a conflict",
       "/app/bin/p",
       Detail::Folded,
       Language::English,
       {"/app/bin/p: /lib64/liba.so.1: version `A_2' not found (required by /app/bin/p)",
        "  conflict: /lib64/liba.so.1 of /srv/image differs from /lib64/liba.so.1 of the source and lacks what "
        "is needed; it is not replaced"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::string page = "\n" + text({c.asked}, c.detail, c.language);
    for (const std::string& line : c.lines) CHECK_MESSAGE(page.find("\n" + line + "\n") != std::string::npos, page);
  }
}
