// Scenarios 87 … 97: the version check, before any symbol is looked at.
#include "differential/scenarios.h"

namespace soresolve::test {
namespace {

/// `spec` with DT_VERNEED: `versions` of `file`.
ElfSpec requiring(ElfSpec spec, std::string file, std::vector<VersionNeeds::Version> versions) {
  spec.version_needs.push_back({std::move(file), std::move(versions)});
  return spec;
}

}  // namespace

std::vector<Scenario> symbol_versions() {
  std::vector<Scenario> list;
  const auto add = [&list](const char* number, const char* title) -> Scenario& {
    return list.emplace_back(number, title);
  };
  const std::string prog = "/app/bin/prog: ";
  add("87", "a version that is missing, for two requirers")
      .exe(requiring(program_needing({"a", "b"}).rpath("/D"), "a", {{"V2"}}))
      .lib("/D/a", versioned({"a", "V1"}))
      .lib("/D/b", requiring(library(), "a", {{"V2"}, {"V1"}}))
      .says(prog + "/D/a: version `V2' not found (required by /app/bin/prog)")
      .says(prog + "/D/a: version `V2' not found (required by /D/b)")
      .warns(prog + "/D/a: version `V2' not found (required by /D/b)")
      .traces("a => /D/a")
      .ends("exit 1")
      .now_ends("exit 1");

  const ElfSpec calls_f2 = requiring(program_of_a(), "a", {{"V2", true}}).call(undefined("f2", "V2"));
  const ElfSpec has_f1 = versioned({"a", "V1"}).define(defined("f1", "V1"));
  const std::string no_f2 = prog + "symbol lookup error: /app/bin/prog: undefined symbol: f2, version V2";
  add("88", "a weak version that is missing is a warning until its symbol is looked for")
      .exe(calls_f2)
      .lib("/D/a", has_f1)
      .says(prog + "/D/a: weak version `V2' not found (required by /app/bin/prog)")
      .starts()
      .now_says(no_f2)
      .now_ends("exit 127");
  Scenario& called = add("88b", "which a lazy program does when it calls it");
  ElfSpec caller = calls_f2;
  caller.calls_plt = true;
  called.exe(caller).lib("/D/a", has_f1).says(no_f2).ends("exit 127");
  add("88c", "and the call succeeds if the symbol is there")
      .exe([&] {
        ElfSpec spec = requiring(program_of_a(), "a", {{"V1"}}).call(undefined("f1", "V1"));
        spec.calls_plt = true;
        return spec;
      }())
      .lib("/D/a", has_f1)
      .starts()
      .now_ends("exit 0")
      .binds("/app/bin/prog f1 V1 /D/a");

  const ElfSpec calls_f = requiring(program_of_a(), "a", {{"V1"}, {"V2"}}).call(undefined("f", "V1"));
  const std::string unversioned = prog + "/D/a: no version information available (required by ";
  add("89", "a provider without any version tables: assertion when a symbol binds to it")
      .exe(calls_f)
      .lib("/D/a", library().define(defined("f")))
      .says(unversioned + "/app/bin/prog)")
      .starts()
      .now_says("_version->filename == NULL || ! _dl_name_match_p", Releases{99, 99})
      .now_says("version->filename == NULL || ! _dl_name_match_p (version->filename, map)", until(40))
      .now_ends("exit 127", until(40))
      .now_ends("exit 0", since(41))
      .binds("/app/bin/prog f V1 /D/a", since(41));
  add("89b", "of a name that is not the required file's it is accepted")
      .exe([&] {
        ElfSpec spec = calls_f;
        return spec.needed("b");
      }())
      .lib("/D/a", versioned({"a", "V1", "V2"}))
      .lib("/D/b", library().define(defined("f")))
      .now_ends("exit 0")
      .binds("/app/bin/prog f V1 /D/b");
  add("90", "a provider with DT_VERNEED but no DT_VERDEF")
      .exe(calls_f)
      .lib("/D/a", requiring(library_needing({"c"}), "c", {{"V1"}}).define(defined("f")))
      .lib("/D/c", versioned({"c", "V1"}))
      .says(unversioned)
      .now_ends("exit 0")
      .binds("/app/bin/prog f V1 /D/a");

  ElfSpec wants_two = requiring(requiring(program_of_a(), "a", {{"V1"}}), "b", {{"V1"}});
  add("91d", "and what comes before it in the same object is told")
      .exe(wants_two)
      .lib("/D/a")
      .says(unversioned)
      .says("Assertion `needed != NULL' failed!")
      .ends("exit 127");
  add("91e", "the program's requirement of its own filtee is checked")
      .exe(requiring(program().add(StringTag::Filter, "f").rpath("/D"), "f", {{"V1", true}}))
      .lib("/D/f")
      .says("/D/f: no version information available", since(35))
      .starts(since(35));
  const ElfSpec wants_b = requiring(program_of_a(), "b", {{"V1"}});
  add("91a", "the file of a DT_VERNEED is not loaded")
      .exe(wants_b)
      .lib("/D/a")
      .dies_tracing("Assertion `needed != NULL' failed!")
      .ends("exit 127")
      .now_ends("exit 127");
  add("91b", "another object needs it")
      .exe(wants_b)
      .lib("/D/a", library_needing({"b"}))
      .lib("/D/b", versioned({"b", "V1"}))
      .starts()
      .now_ends("exit 0");
  add("91c", "a preload by path does not help")
      .exe(wants_b)
      .lib("/D/a")
      .lib("/P/b", versioned({"b", "V1"}).soname("b"))
      .env("LD_PRELOAD=/P/b")
      .dies_tracing("Assertion `needed != NULL' failed!");
  add("92", "an unversioned preload with the SONAME that is needed is used")
      .exe(requiring(program_of_a(), "a", {{"V1"}}))
      .lib("/D/a", versioned({"a", "V1"}))
      .lib("/P/a", library().soname("a"))
      .env("LD_PRELOAD=/P/a")
      .says(prog + "/P/a: no version information available")
      .starts()
      .now_ends("exit 0");
  add("93", "a required version that is only the provider's base name")
      .exe(requiring(program_of_a(), "a", {{"a"}}).call(undefined("f", "a")))
      .lib("/D/a", versioned({"a", "V1"}).define(defined("f", "V1")))
      .starts()
      .now_says("undefined symbol: f, version a")
      .now_ends("exit 127");
  add("94", "a symbol that has moved to another file with the same version")
      .exe(requiring(program_needing({"a", "b"}).rpath("/D"), "a", {{"V1"}}).call(undefined("f", "V1")))
      .lib("/D/a", versioned({"a", "V1"}))
      .lib("/D/b", versioned({"b", "V1"}).define(defined("f", "V1")))
      .starts()
      .now_ends("exit 0")
      .binds("/app/bin/prog f V1 /D/b");

  add("94b", "LD_VERBOSE: tracing looks for names of versions, in what is loaded last first")
      .exe(requiring(requiring(program_needing({"a", "b", "gone"}).rpath("/D"), "a", {{"V1"}, {"V2", true}, {"V3"}}),
                     "gone", {{"V1"}}))
      .lib("/D/a", requiring(versioned({"a", "V1"}), "a", {{"V1"}}))
      .lib("/D/b", requiring(library().soname("a"), "b", {{"V1"}}))
      .env("LD_VERBOSE=1")
      .traces("Version information:")
      .traces("\ta (V1) => /D/a")
      .traces("\ta (V2) [WEAK] => not found")
      .traces("\tgone (V1) => not found");
  add("94c", "LD_VERBOSE: nothing needs a version")
      .exe(program_of_a())
      .lib("/D/a", versioned({"a", "V1"}))
      .env("LD_VERBOSE=1")
      .omits("Version information");
  add("94d", "LD_VERBOSE that is empty")
      .exe(requiring(program_of_a(), "a", {{"V1"}}))
      .lib("/D/a", versioned({"a", "V1"}))
      .env("LD_VERBOSE=")
      .omits("Version information");

  ElfSpec relr = requiring(library_needing({"libc.so.6"}), "libc.so.6", {{"GLIBC_2.2.5"}});
  relr.relr_words = 3;
  add("95a", "DT_RELR of a user of libc without the mark")
      .exe(program_of_a())
      .lib("/D/a", relr)
      .says("/D/a: DT_RELR without GLIBC_ABI_DT_RELR dependency", since(36))
      .ends("exit 127", since(36))
      .starts(until(35));
  for (const Launch launch : {Launch::Argument, Launch::Kernel}) {
    add("95d", "DT_RELR without the mark, beside a library that is missing")
        .exe(program_needing({"a", "gone"}).rpath("/D"))
        .lib("/D/a", relr)
        .tree.launch = launch;
    add("95e", "DT_RELR without the mark, twice, and a version that is missing before and after")
        .exe(requiring(program_needing({"a", "b", "c"}).rpath("/D"), "c", {{"V1"}}))
        .lib("/D/a", relr)
        .lib("/D/b", requiring(relr, "c", {{"V2"}}))
        .lib("/D/c", versioned({"c", "V0"}))
        .tree.launch = launch;
    ElfSpec marked = requiring(program_needing({"libc.so.6", "a"}).rpath("/D"), "libc.so.6", {{"GLIBC_2.2.5"}});
    marked.relr_words = 3;
    add("95f", "DT_RELR without the mark in the program").exe(marked).lib("/D/a", relr).tree.launch = launch;
  }
  relr.version_needs[0].versions.push_back({"GLIBC_ABI_DT_RELR"});
  add("95b", "DT_RELR with it")
      .exe(program_of_a())
      .lib("/D/a", relr)
      .starts(since(36))
      .says("libc.so.6: version `GLIBC_ABI_DT_RELR' not found (required by /D/a)", until(35))
      .ends("exit 1", until(35));
  for (const Launch launch : {Launch::Argument, Launch::Kernel}) {
    ElfSpec strict = relr;
    strict.flags_1 = strict.flags_1.value_or(0) | kDf1NoDefLib;
    add("95g", "DT_RELR with it, in a user of a libc that is missing: tracing has not seen it")
        .exe(program_of_a())
        .lib("/D/a", strict)
        .dies_tracing("/D/a: DT_RELR without GLIBC_ABI_DT_RELR dependency", since(36))
        .tree.launch = launch;
    ElfSpec main = requiring(program_needing({"libc.so.6", "a"}).rpath("/D"), "libc.so.6", {{"GLIBC_2.2.5"}});
    main.flags_1 = main.flags_1.value_or(0) | kDf1NoDefLib;
    add("95h", "likewise, which finds libc when the program has not")
        .exe(main)
        .lib("/D/a", relr)
        .dies_tracing("/D/a: DT_RELR without GLIBC_ABI_DT_RELR dependency", since(36))
        .tree.launch = launch;
    add("95i", "likewise, beside another file that has the mark")
        .exe(requiring(program_needing({"libc.so.6", "a", "b"}).rpath("/D"), "libc.so.6", {{"GLIBC_2.2.5"}}))
        .lib("/D/a", requiring(strict, "b", {{"GLIBC_ABI_DT_RELR"}}))
        .lib("/D/b", versioned({"b", "GLIBC_ABI_DT_RELR"}))
        .traces("b => /D/b")
        .tree.launch = launch;
  }
  ElfSpec free_relr = library();
  free_relr.relr_words = 70;
  add("95c", "DT_RELR without libc").exe(program_of_a()).lib("/D/a", free_relr).starts().now_ends("exit 0");

  ElfSpec odd_need = requiring(program_of_a(), "a", {{"V1"}});
  odd_need.version_needs[0].record_version = 7;
  add("96a", "an unknown DT_VERNEED record")
      .exe(odd_need)
      .lib("/D/a")
      .says("/app/bin/prog: unsupported version 7 of Verneed record")
      .ends("exit 127");
  odd_need.version_needs[0].record_version = 0;
  add("96c", "nor is one of zeros known")
      .exe(odd_need)
      .lib("/D/a")
      .says("/app/bin/prog: unsupported version 0 of Verneed record")
      .ends("exit 127");
  ElfSpec odd_definition = versioned({"a", "V1"});
  odd_definition.version_definitions[0].record_version = 9;
  add("96b", "an unknown DT_VERDEF record")
      .exe(requiring(program_of_a(), "a", {{"V1"}, {"V2", true}}))
      .lib("/D/a", odd_definition)
      .says("/D/a: unsupported version 9 of Verdef record")
      .ends("exit 1");

  ElfSpec lying = versioned({"a", "V1"});
  lying.version_definitions[1].hash = 0x123;
  add("8.1", "the stored hash of a version counts, not its name's")
      .exe(requiring(program_of_a(), "a", {{"V1"}}))
      .lib("/D/a", lying)
      .says("version `V1' not found")
      .ends("exit 1");
  ElfSpec no_versym = versioned({"a", "V1"}).define(defined("f", "V1"));
  no_versym.has_versym = false;
  add("8.3a", "DT_VERDEF without DT_VERSYM is a crash").exe(program_of_a()).lib("/D/a", no_versym).ends("signal");
  add("8.3b", "DT_VERSYM alone is not looked at")
      .exe(program_of_a().call(undefined("f")))
      .lib("/D/a",
           [] {
             Symbol odd = defined("f");
             odd.version_index = 5;
             odd.is_hidden_version = true;
             return library().define(odd);
           }())
      .starts()
      .binds("/app/bin/prog f - /D/a");
  for (const std::uint16_t index : {0, 1}) {
    Symbol reference = undefined("f");
    reference.version_index = index;
    const ElfSpec referrer = library_needing({"b"}).refer(reference);
    Scenario& scenario = add("8.3c", "DT_VERSYM alone in a referrer: a crash for any index but 0");
    scenario.exe(program_of_a()).lib("/D/a", referrer).lib("/D/b", library().define(defined("f")));
    if (index == 0)
      scenario.starts().binds("/D/a f - /D/b");
    else
      scenario.ends("signal");
  }
  ElfSpec filtee = requiring(library_needing({"b"}), "b", {{"V2"}});
  add("8.3d", "what lies before the program in the list is not checked")
      .exe(program().add(StringTag::Filter, "f").rpath("/D"))
      .lib("/D/f", filtee)
      .lib("/D/b", versioned({"b", "V1"}))
      .starts(since(35))
      .ends("exit 127", until(34));
  filtee.refer(weak(undefined("g", "V2")));
  add("8.3e", "and crashes when it looks for a symbol")
      .exe(program().add(StringTag::Filter, "f").rpath("/D"))
      .lib("/D/f", filtee)
      .lib("/D/b", versioned({"b", "V1"}))
      .ends("signal", since(35));
  return list;
}

}  // namespace soresolve::test
