// Scenarios 66 … 86: hwcaps directories, the cache, load order, preloads and what tracing prints.
#include "differential/scenarios.h"

namespace soresolve::test {

std::vector<Scenario> hwcaps_and_cache() {
  std::vector<Scenario> list;
  const auto add = [&list](const char* number, const char* title) -> Scenario& {
    return list.emplace_back(number, title);
  };
  const ElfSpec needs_x = program_needing({"libx.so"}).runpath("/D");
  const std::string v2 = "/D/glibc-hwcaps/x86-64-v2/libx.so";

  Scenario& levels = add("66", "the best glibc-hwcaps directory that the processor can run");
  levels.exe(needs_x).lib("/D/libx.so").lib("/D/glibc-hwcaps/custom/libx.so");
  for (const char* const level : {"v1", "v2", "v3", "v4", "v5"})
    levels.lib("/D/glibc-hwcaps/x86-64-" + std::string(level) + "/libx.so");
  levels.traces("libx.so => /D/libx.so", until(32)).omits("=> /D/libx.so", since(33)).omits("v5");
  add("66b", "a processor with features masked")
      .exe(needs_x)
      .env("GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2")
      .lib("/D/libx.so")
      .lib(v2)
      .lib("/D/glibc-hwcaps/x86-64-v3/libx.so")
      .lib("/D/glibc-hwcaps/x86-64-v4/libx.so")
      .traces("libx.so => " + v2, since(33));
  add("67", "legacy directories up to 2.36")
      .exe(needs_x)
      .lib("/D/libx.so")
      .lib("/D/tls/x86_64/libx.so")
      .lib("/D/x86_64/libx.so")
      .lib("/D/tls/libx.so")
      .traces("libx.so => /D/tls/x86_64/libx.so", until(36))
      .traces("libx.so => /D/libx.so", since(37));
  add("68a", "a 32-bit file in a hwcaps directory is passed over")
      .exe(needs_x)
      .lib("/D/libx.so")
      .bad(v2, Damage::OtherClass)
      .traces("libx.so => /D/libx.so");
  add("68b", "an empty file there is fatal")
      .exe(needs_x)
      .lib("/D/libx.so")
      .bad(v2, Damage::Empty)
      .dies_tracing(v2 + ": file too short", since(33));
  add("68c", "a link loop there does not stop the search")
      .exe(needs_x)
      .lib("/D/libx.so")
      .node(symlink_to(v2, "libx.so"))
      .traces("libx.so => /D/libx.so")
      .starts();

  const ElfSpec cached_x = program_needing({"libx.so"});
  add("69a", "of two cached files of one name the first directory's is used")
      .exe(cached_x)
      .cached("libx.so", "/A/libx.so")
      .cached("libx.so", "/B/libx.so")
      .lib("/A/libx.so")
      .lib("/B/libx.so")
      .traces("libx.so => /A/libx.so")
      .starts();
  add("69b", "if it is gone, the other one is not tried")
      .exe(cached_x)
      .cached("libx.so", "/A/libx.so")
      .cached("libx.so", "/B/libx.so")
      .lib("/B/libx.so")
      .missing("libx.so");
  add("70a", "the cached file is 32-bit")
      .exe(cached_x)
      .cached("libx.so", "/A/libx.so")
      .bad("/A/libx.so", Damage::OtherClass)
      .says("libx.so: wrong ELF class: ELFCLASS32");
  add("70b", "the cached file is empty")
      .exe(cached_x)
      .cached("libx.so", "/A/libx.so")
      .bad("/A/libx.so", Damage::Empty)
      .lib("/usr/lib/libx.so")
      .dies_tracing("/A/libx.so: file too short");

  const auto named = [](const std::string& name, const std::string& value, std::uint32_t level = 0) {
    CacheLine line;
    line.key = "libx.so";
    line.value = value;
    line.hwcaps_name = name;
    line.isa_level = level;
    return line;
  };
  const auto add_named = [&](const char* number, const char* title, CacheLine line) -> Scenario& {
    Scenario& scenario = add(number, title);
    scenario.exe(cached_x).cached("libx.so", "/D/libx.so").lib("/D/libx.so");
    scenario.tree.cache->lines.push_back(std::move(line));
    return scenario;
  };
  add_named("71a", "a cached hwcaps entry", named("x86-64-v2", v2))
      .lib(v2)
      .traces("libx.so => " + v2, since(33))
      .traces("libx.so => /D/libx.so", until(32));
  add_named("71b", "a cached hwcaps entry whose file is gone", named("x86-64-v2", v2))
      .missing("libx.so", since(33))
      .traces("libx.so => /D/libx.so", until(32));
  add_named("71c", "a hwcaps name that the loader does not know", named("x86-64-v9", v2))
      .lib(v2)
      .traces("libx.so => /D/libx.so");
  add("72", "cache keys compare numbers by value")
      .exe(program_needing({"libx.so.01"}))
      .cached("libx.so.1", "/D/libx.so.1")
      .lib("/D/libx.so.1")
      .traces("libx.so.01 => /D/libx.so.1")
      .starts();
  add_named("73a", "compat format: hwcaps entries are never used", named("x86-64-v2", v2))
      .lib(v2)
      .traces("libx.so => /D/libx.so")
      .tree.cache->layout = CacheLayout::Compat;
  add_named("73b", "old format: hwcaps entries are ordinary ones", named("x86-64-v2", v2))
      .lib(v2)
      .starts()
      .tree.cache->layout = CacheLayout::Old;
  add_named("74", "a hwcaps entry whose ISA level is too high", named("x86-64-v2", v2, 30))
      .lib(v2)
      .traces("libx.so => /D/libx.so");
  Scenario& foreign = add("75", "entries of another machine are passed over");
  foreign.exe(cached_x)
      .cached("libx.so", "/A/libx.so")
      .cached("libx.so", "/B/libx.so")
      .lib("/A/libx.so")
      .lib("/B/libx.so")
      .traces("libx.so => /B/libx.so");
  foreign.tree.cache->lines.front().flags = 0x803;
  add("76", "a cached link that does not exist")
      .exe(cached_x)
      .cached("libx.so", "/D/libx.so")
      .lib("/D/libx.so.1.2")
      .missing("libx.so");
  for (const int flag : {0, 1, 2, 3}) {
    Scenario& scenario = add("77a", "the cache's byte of endianness");
    scenario.exe(cached_x).cached("libx.so", "/D/libx.so").lib("/D/libx.so");
    scenario.tree.cache->endian_flag = static_cast<std::uint8_t>(flag);
    const bool is_good = flag == 0 || flag == 2;
    // Upstream tests it since 2.33; Debian's 2.31 does, too.
    if (is_good)
      scenario.starts();
    else
      scenario.missing("libx.so");
  }
  Scenario& many = add("77b", "a cache that announces too many entries is ignored");
  many.exe(cached_x).cached("libx.so", "/D/libx.so").lib("/D/libx.so").missing("libx.so", since(32));
  many.tree.cache->count = 1000;
  Scenario& legacy = add("5.3", "legacy hwcap bits in the cache");
  legacy.exe(cached_x)
      .cached("libx.so", "/A/libx.so")
      .cached("libx.so", "/B/libx.so")
      .lib("/A/libx.so")
      .lib("/B/libx.so")
      .traces("libx.so => /B/libx.so", since(40));
  legacy.tree.cache->lines.front().legacy_hwcap = 1;
  Scenario& kernel = add("5.3b", "a kernel version in the cache");
  kernel.exe(cached_x)
      .cached("libx.so", "/A/libx.so")
      .cached("libx.so", "/B/libx.so")
      .lib("/A/libx.so")
      .lib("/B/libx.so")
      .traces("libx.so => /B/libx.so", until(35))
      .traces("libx.so => /A/libx.so", since(36));
  kernel.tree.cache->lines.front().os_version = 0x630000;
  // The processors of test machines have AVX2.
  Scenario& masked = add("5.3c", "a tunable masks directories, but not the ISA level of a cached file");
  masked.exe(cached_x)
      .env("GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2")
      .cached("libx.so", v2)
      .lib(v2)
      .traces("libx.so => " + v2, since(33));
  masked.tree.cache->lines.front().hwcaps_name = "x86-64-v2";
  masked.tree.cache->lines.front().isa_level = 2;
  return list;
}

std::vector<Scenario> order_and_preload() {
  std::vector<Scenario> list;
  const auto add = [&list](const char* number, const char* title) -> Scenario& {
    return list.emplace_back(number, title);
  };
  add("78", "breadth first, each once")
      .exe(program_needing({"a", "b"}).rpath("/D"))
      .lib("/D/a", library_needing({"d", "c"}))
      .lib("/D/b", library_needing({"e", "d"}))
      .lib("/D/c", library_needing({"e"}))
      .lib("/D/d")
      .lib("/D/e")
      .order("a b d c e")
      .starts();
  for (const StringTag tag : {StringTag::Filter, StringTag::Auxiliary}) {
    const std::string kind(name_of(tag));
    add("79a", "a filtee comes before its filter")
        .exe(program_needing({"a", "b"}).rpath("/D"))
        .lib("/D/a", library().add(tag, "f"))
        .lib("/D/b")
        .lib("/D/f", library_needing({"g"}))
        .lib("/D/g")
        .order("f a b g")
        .starts();
    Scenario& gone = add("79b", "a filtee that is missing");
    gone.exe(program_needing({"a", "b"}).rpath("/D")).lib("/D/a", library().add(tag, "f")).lib("/D/b").missing("f");
    if (tag == StringTag::Auxiliary)
      gone.starts();
    else
      gone.says("f: cannot open shared object file");
  }
  add("80", "LD_PRELOAD: a missing one is a warning, a doubled one is one")
      .exe(program_needing({"a"}).rpath("/D"))
      .env("LD_PRELOAD=nonexist.so libe.so:libe.so")
      .lib("/D/a")
      .lib("/D/libe.so")
      .order("libe.so a")
      .starts()
      .says(
          "ERROR: ld.so: object 'nonexist.so' from LD_PRELOAD cannot be preloaded "
          "(cannot open shared object file): ignored.");
  const std::string ignored = " cannot be loaded as audit interface: ";
  const Symbol la_version = defined("la_version");
  add("80b", "audit modules that cannot be used, before anything else is told")
      .exe(program_needing({"a"}).rpath("/D"))
      .env("LD_PRELOAD=nonexist.so")
      .env("LD_AUDIT=/audit/gone:/audit/empty::/audit/class:/audit/text:/audit/needy:/audit/plain:/audit/plain")
      .bad("/audit/empty", Damage::Empty)
      .bad("/audit/class", Damage::OtherClass)
      .bad("/audit/text", Damage::LongText)
      .lib("/audit/needy", library_needing({"/audit/gone"}).define(la_version))
      .lib("/audit/plain", library().define(defined("other")))
      .lib("/D/a")
      .starts()
      .warns("ERROR: ld.so: object '/audit/gone'" + ignored + "cannot open shared object file; ignored.")
      .says("ERROR: ld.so: object '/audit/gone'" + ignored + "cannot open shared object file; ignored.")
      .says("ERROR: ld.so: object '/audit/empty'" + ignored + "file too short; ignored.")
      .says("ERROR: ld.so: object '/audit/class'" + ignored + "wrong ELF class: ELFCLASS32; ignored.")
      .says("ERROR: ld.so: object '/audit/needy'" + ignored + "cannot open shared object file; ignored.")
      .says("ERROR: ld.so: object '/audit/plain'" + ignored + "undefined symbol: la_version; ignored.");
  add("80c", "audit modules of the program itself, of which nothing else is found")
      .exe(program_needing({"gone"}).add(StringTag::Audit, "/audit/1:/audit/2").add(StringTag::DepAudit, "$ORIGIN/3"))
      .env("LD_AUDIT=/audit/0")
      .says("object '/audit/0'" + ignored)
      .says("object '/audit/2'" + ignored, since(32))
      .says("object '$ORIGIN/3'" + ignored, since(32))
      .ends("exit 127");
  add("81a", "a missing dependency of a preload is fatal")
      .exe(program_needing({"a"}).rpath("/D"))
      .env("LD_PRELOAD=libe.so")
      .lib("/D/a")
      .lib("/D/libe.so", library_needing({"gone.so"}))
      .ends("exit 127");
  add("81b", "a preload of the wrong class is a warning")
      .exe(program_needing({"a"}).rpath("/D"))
      .env("LD_PRELOAD=libe.so")
      .lib("/D/a")
      .bad("/D/libe.so", Damage::OtherClass)
      .starts()
      .says("wrong ELF class: ELFCLASS32): ignored.");
  add("81c", "a broken preload is a warning")
      .exe(program_needing({"a"}).rpath("/D"))
      .env("LD_PRELOAD=/D/libe.so")
      .lib("/D/a")
      .bad("/D/libe.so", Damage::Empty)
      .starts()
      .says("ignored.");
  add("82", "ld.so.preload: a late second comment is not one")
      .exe(program_needing({"a"}).rpath("/D"))
      .lib("/D/a")
      .lib("/D/libe.so")
      .node(text_file("/etc/ld.so.preload", "# " + std::string(80, 'c') + "\nlibe.so\n# late\n"))
      .says("object 'late' from /etc/ld.so.preload cannot be preloaded")
      .starts();
  add("82b", "ld.so.preload: a comment and separators")
      .exe(program_needing({"a"}).rpath("/D"))
      .lib("/D/a")
      .lib("/D/e")
      .lib("/D/f")
      .lib("/D/g")
      .lib("/D/h")
      .node(text_file("/etc/ld.so.preload", "e f\tg:h # libnone.so\n"))
      .order("e f g h a")
      .starts();
  add("82c", "LD_PRELOAD comes before ld.so.preload")
      .exe(program_needing({"a"}).rpath("/D"))
      .env("LD_PRELOAD=f")
      .lib("/D/a")
      .lib("/D/e")
      .lib("/D/f")
      .node(text_file("/etc/ld.so.preload", "e"))
      .order("f e a")
      .starts();
  add("83", "two missing libraries")
      .exe(program_needing({"a", "gone1"}).rpath("/D"))
      .lib("/D/a", library_needing({"gone2", "gone1"}))
      .order("a gone1 gone2 gone1")
      .says("gone1: cannot open shared object file");
  add("85", "no DT_NEEDED").exe(program()).traces("statically linked").starts();
  add("86", "tracing when everything is missing")
      .exe(program_needing({"gone"}))
      .omits("ld-linux", until(38))
      .traces("/lib64/ld-linux-x86-64.so.2", since(39))
      .missing("gone");
  // What random trees have brought to light.
  add("r1", "a filter of the program itself: assertion up to 2.34")
      .exe(program().add(StringTag::Filter, "f").rpath("/D"))
      .lib("/D/f")
      .dies_tracing("Assertion `map->l_searchlist.r_list[0] == map' failed!", until(34))
      .starts(since(35));
  add("r2", "the vDSO between two objects: assertion in a normal start only")
      .exe(program_needing({"a", "linux-vdso.so.1", "ld-linux-x86-64.so.2"}).rpath("/D"))
      .lib("/D/a")
      .traces("a => /D/a")
      .says(".l_prev->l_next == ");
  add("r3", "filters in a circle never come to an end")
      .exe(program().add(StringTag::Filter, "f").rpath("/D"))
      .lib("/D/f", library().add(StringTag::Filter, ""));
  ElfSpec nameless = library();
  nameless.version_needs = {{"", {{"V1", true}}, 1}};
  Scenario& of_program = add("r4", "DT_VERNEED of the empty name is the program's");
  of_program.exe(program_needing({"a"}).rpath("/D")).lib("/D/a", nameless).traces("a => /D/a");
  of_program.tree.launch = Launch::Argument;
  ElfSpec of_auxiliary = library().add(StringTag::Auxiliary, "gone");
  of_auxiliary.version_needs = {{"gone", {{"V1", true}}, 1}};
  add("r5", "DT_VERNEED of a missing auxiliary object: assertion in a normal start only")
      .exe(program_needing({"a"}).rpath("/D"))
      .lib("/D/a", of_auxiliary)
      .traces("a => /D/a")
      .ends("exit 127")
      .says("Assertion `needed != NULL' failed!");
  Scenario& cut = add("r6", "a compat cache that is cut off in its strings");
  cut.exe(program_needing({"libz.so"}))
      .cached("libz.so", "/D/libz.so")
      .cached("liba.so", "/D/liba.so")
      .cached("libb.so", "/D/libb.so")
      .lib("/D/libz.so");
  cut.tree.cache->layout = CacheLayout::Compat;
  cut.tree.cache->truncate_to_bytes = 200;
  Scenario& as_ldd = add("ldd", "`ld.so LIBRARY`, as ldd does");
  as_ldd.exe(library_needing({"libx.so"}).runpath("$ORIGIN"), "/D/lib.so")
      .lib("/D/libx.so")
      .traces("libx.so => /D/libx.so");
  as_ldd.tree.launch = Launch::Argument;
  // What the program needs may be preloaded: by its path, a link, its name, before and after others.
  for (const char* const names :
       {"/D/libx.so", "/E/libx.so", "libx.so", "/F/libx.so", "/D/libx.so libx.so", "liby.so libx.so"}) {
    for (const Launch launch : {Launch::Argument, Launch::Kernel}) {
      for (const bool is_in_environment : {false, true}) {
        Scenario& preloaded = add("ldd-q", "a library that is needed is in ld.so.preload as well");
        preloaded.exe(program_needing({"libx.so", "liby.so"}).rpath("/D"))
            .lib("/D/libx.so")
            .lib("/D/liby.so", library_needing({"libx.so"}))
            .node(symlink_to("/E/libx.so", "/D/libx.so"))
            .node(hard_link_to("/F/libx.so", "/D/libx.so"))
            .node(text_file("/etc/ld.so.preload", std::string(names) + "\n"));
        if (is_in_environment) preloaded.env("LD_PRELOAD=" + std::string(names));
        preloaded.tree.launch = launch;
      }
    }
  }
  // What is asked about may be preloaded itself: by its path, a link, its name; with and without needs.
  for (const char* const name : {"/D/lib.so", "/E/lib.so", "lib.so", "/F/lib.so"}) {
    for (const Launch launch : {Launch::Argument, Launch::Kernel}) {
      for (const bool has_needs : {false, true}) {
        ElfSpec itself = has_needs ? library_needing({"libx.so"}).runpath("$ORIGIN") : library();
        // Of neither needs nor an interpreter, ld.so since 2.36 leaves the start to the kernel.
        if (launch == Launch::Kernel || !has_needs) itself.interp = std::string(kInterp);
        Scenario& preloaded = add("ldd-p", "FILE is in ld.so.preload as well");
        preloaded.exe(itself, "/D/lib.so")
            .lib("/D/libx.so")
            .start("/D/lib.so")
            .node(symlink_to("/E/lib.so", "/D/lib.so"))
            .node(hard_link_to("/F/lib.so", "/D/lib.so"))
            .library_path("/F:/D")
            .node(text_file("/etc/ld.so.preload", std::string(name) + "\n"));
        preloaded.tree.launch = launch;
      }
    }
  }
  return list;
}

}  // namespace soresolve::test
