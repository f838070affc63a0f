// Scenarios 98 … 108, and corners that the list does not number: which definition a symbol binds to.
//
// LD_DEBUG tells the provider of a binding but not which of its definitions was taken. Where that
// matters, the program copies the symbol: of a definition of another size the loader warns.
#include "differential/scenarios.h"

namespace soresolve::test {
namespace {

constexpr const char* kOtherSize = "Symbol `s' has different size in shared object";

ElfSpec program_of_a_b() { return program_needing({"a", "b"}).rpath("/D"); }

/// A program with a copy of `s` of 8 bytes.
ElfSpec copying_s(std::string version = {}) {
  ElfSpec spec = program_of_a();
  if (!version.empty()) spec.version_needs = {{"a", {{version}}}};
  Symbol copy = data(defined("s"));
  copy.version = std::move(version);
  return spec.refer(copy, kRelocCopy);
}

Symbol small(Symbol symbol) { return data(std::move(symbol), 8); }
Symbol large(Symbol symbol) { return data(std::move(symbol), 16); }

Symbol with(Symbol symbol, SymbolPlace place, std::uint64_t value) {
  symbol.place = place;
  symbol.value = value;
  return symbol;
}

ElfSpec with(ElfSpec spec, HashTables tables) {
  spec.hash = tables;
  return spec;
}

}  // namespace

ElfSpec versioned(std::initializer_list<const char*> names) {
  ElfSpec spec = library();
  for (const char* const name : names) spec.version_definitions.push_back({name});
  return spec;
}

ElfSpec program_of_a() { return program_needing({"a"}).rpath("/D"); }

std::vector<Scenario> symbol_binding() {
  std::vector<Scenario> list;
  const auto add = [&list](const char* number, const char* title) -> Scenario& {
    return list.emplace_back(number, title);
  };
  const std::string no_s = "symbol lookup error: /app/bin/prog: undefined symbol: s";
  for (const HashTables tables : {HashTables::Sysv, HashTables::Gnu}) {
    const auto lib = [&](ElfSpec spec) { return with(std::move(spec), tables); };
    const ElfSpec base = lib(versioned({"a", "V1", "V2", "V3"}));
    const auto add_copy = [&](const char* number, const char* title, ElfSpec a) -> Scenario& {
      return add(number, title).exe(copying_s()).lib("/D/a", std::move(a));
    };
    ElfSpec a = base;
    add_copy("98a", "an unversioned reference takes the first version, hidden or not",
             a.define(large(defined_hidden("s", "V1"))).define(small(defined("s", "V3"))))
        .says(kOtherSize)
        .starts()
        .binds("/app/bin/prog s - /D/a");
    a = base;
    add_copy("98b", "and no other if that one comes last",
             a.define(small(defined("s", "V3"))).define(large(defined_hidden("s", "V1"))))
        .says(kOtherSize);
    a = base;
    add_copy("99", "of later versions the one that is not hidden",
             a.define(small(defined_hidden("s", "V2"))).define(large(defined("s", "V3"))))
        .says(kOtherSize);
    a = base;
    add_copy("100", "only hidden later versions", a.define(small(defined_hidden("s", "V2"))))
        .says(no_s)
        .ends("exit 127");
    a = base;
    add_copy("101", "two later versions that are not hidden",
             a.define(small(defined("s", "V2"))).define(small(defined("s", "V3"))))
        .says(no_s)
        .ends("exit 127");

    for (const std::uint16_t index : {0, 1}) {
      Symbol unversioned = defined("s");
      unversioned.version_index = index;
      ElfSpec exe = program_of_a();
      exe.version_needs = {{"a", {{"V1"}}}};
      exe.refer(undefined("s", "V1"));
      a = base;
      a.define(unversioned);
      add("102a", "a versioned reference takes a definition without a version")
          .exe(exe)
          .lib("/D/a", a)
          .starts()
          .binds("/app/bin/prog s V1 /D/a");
      exe.version_needs[0].versions[0].hidden = true;
      add("102b", "but not if the requirement is hidden")
          .exe(exe)
          .lib("/D/a", a)
          .says(no_s + ", version V1")
          .ends("exit 127");
    }
    Scenario& both = add("103", "a definition without a version in front of the right one");
    a = base;
    a.define(large(defined("s"))).define(small(defined("s", "V2")));
    both.exe(copying_s("V2")).lib("/D/a", a).says(kOtherSize, until(36)).starts();
    a = base;
    add("103b", "two definitions without a version")
        .exe(copying_s("V2"))
        .lib("/D/a", a.define(large(defined("s"))).define(small(defined("s"))))
        .says(kOtherSize, until(36))
        .says(no_s + ", version V2", since(41));
  }

  const ElfSpec calls_s = library().call(undefined("s"));
  const std::string no_s_of_a = "symbol lookup error: /D/a: undefined symbol: s";
  add("104a", "an undefined function that is never called")
      .exe(program_of_a())
      .lib("/D/a", calls_s)
      .starts()
      .now_says(no_s_of_a)
      .now_ends("exit 127");
  add("104b", "LD_BIND_NOW=1")
      .exe(program_of_a())
      .lib("/D/a", calls_s)
      .env("LD_BIND_NOW=1")
      .says(no_s_of_a)
      .ends("exit 127");
  add("104c", "LD_BIND_NOW=").exe(program_of_a()).lib("/D/a", calls_s).env("LD_BIND_NOW=").starts();
  const auto eager = [](ElfSpec spec, int way) {
    if (way == 0) spec.bind_now = true;
    if (way == 1) spec.flags = 8;  // DF_BIND_NOW
    if (way == 2) spec.flags_1 = spec.flags_1.value_or(0) | kDf1Now;
    return spec;
  };
  for (const int way : {0, 1, 2}) {
    add("104d", "-z now of the program is not that of its libraries")
        .exe(eager(program_of_a(), way))
        .lib("/D/a", calls_s)
        .starts();
    add("104e", "-z now of the library")
        .exe(program_of_a())
        .lib("/D/a", eager(calls_s, way))
        .says(no_s_of_a)
        .ends("exit 127");
  }
  for (const std::uint32_t type : {kRelocGlobDat, kReloc64})
    add("105a", "an undefined variable")
        .exe(program_of_a())
        .lib("/D/a", library().refer(undefined("s"), type))
        .says(no_s_of_a)
        .ends("exit 127");
  add("105b", "an undefined weak one")
      .exe(program_of_a())
      .lib("/D/a", library().refer(weak(undefined("s"))).call(weak(undefined("t"))))
      .starts()
      .now_ends("exit 0")
      .binds_not("/D/a");
  const auto add_weak = [&](const char* number, const char* title) -> Scenario& {
    return add(number, title)
        .exe(program_of_a_b().refer(undefined("s")))
        .lib("/D/a", library().define(weak(defined("s"))))
        .lib("/D/b", library().define(defined("s")));
  };
  add_weak("106a", "a weak definition before a strong one").binds("/app/bin/prog s - /D/a");
  add_weak("106b", "with LD_DYNAMIC_WEAK").env("LD_DYNAMIC_WEAK=1").binds("/app/bin/prog s - /D/b");
  add_weak("106c", "which may be empty").env("LD_DYNAMIC_WEAK=").binds("/app/bin/prog s - /D/b");
  for (const bool by_flag : {false, true}) {
    ElfSpec b = library().refer(defined("s")).refer(undefined("t"));
    b.symbolic = !by_flag;
    if (by_flag) b.flags = 2;  // DF_SYMBOLIC
    add("107", "-Bsymbolic")
        .exe(program_of_a_b())
        .lib("/D/a", library().define(defined("s")).define(defined("t")))
        .lib("/D/b", b)
        .binds("/D/b s - /D/b")
        .binds("/D/b t - /D/a");
  }
  add("108", "a copy of another size")
      .exe(copying_s())
      .lib("/D/a", library().define(large(defined("s"))))
      .says(kOtherSize)
      .starts()
      .now_ends("exit 0");
  add("108b", "a copy that is larger")
      .exe(copying_s())
      .lib("/D/a", library().define(data(defined("s"), 4)))
      .starts()
      .now_ends("exit 0");
  return list;
}

std::vector<Scenario> symbol_corners() {
  std::vector<Scenario> list;
  const auto add = [&list](const char* number, const char* title) -> Scenario& {
    return list.emplace_back(number, title);
  };
  const ElfSpec refers_s = program_of_a_b().refer(undefined("s"));
  const auto add_pair = [&](const char* number, const char* title, Symbol first) -> Scenario& {
    return add(number, title)
        .exe(refers_s)
        .lib("/D/a", library().define(std::move(first)))
        .lib("/D/b", library().define(defined("s")));
  };
  const std::string to_a = "/app/bin/prog s - /D/a";
  const std::string to_b = "/app/bin/prog s - /D/b";
  add_pair("10.2a", "value 0 is no definition", with(defined("s"), SymbolPlace::Inside, 0)).binds(to_b);
  add_pair("10.2b", "but an absolute 0 is", with(defined("s"), SymbolPlace::Absolute, 0)).binds(to_a);
  add_pair("10.2c", "an undefined symbol with a value is one for data",
           with(undefined("s"), SymbolPlace::Undefined, 0x40))
      .binds(to_a);
  for (const Visibility visibility : {Visibility::Hidden, Visibility::Internal})
    add_pair("10.2d", "hidden visibility", with(defined("s"), visibility)).binds(to_b);
  add_pair("10.2e", "local binding", with(defined("s"), Binding::Local)).binds(to_b);
  add_pair("10.2f", "a section symbol", with(defined("s"), SymbolType::Section)).binds(to_b);
  add_pair("10.2g", "a common symbol", with(defined("s"), SymbolType::Common)).binds(to_a);
  add_pair("10.2h", "protected visibility", with(defined("s"), Visibility::Protected)).binds(to_a);
  add("10.2j", "an object without a hash table")
      .exe(refers_s)
      .lib("/D/a", with(library().define(defined("s")), HashTables::None))
      .lib("/D/b", library().define(defined("s")))
      .binds(to_b);
  const ElfSpec canonical = program_of_a_b().define(with(undefined("s"), SymbolPlace::Undefined, 0x40));
  add("10.2k", "a canonical PLT entry is a definition for addresses")
      .exe(canonical)
      .lib("/D/a", library().refer(undefined("s")))
      .lib("/D/b", library().define(defined("s")))
      .binds("/D/a s - /app/bin/prog");
  add("10.2l", "but not for calls")
      .exe(canonical)
      .lib("/D/a", library().call(undefined("s")))
      .lib("/D/b", library().define(defined("s")))
      .binds("/D/a s - /D/b");
  ElfSpec symbolic = library().refer(with(defined("s"), Binding::Unique));
  symbolic.symbolic = true;
  add("10.2m", "a unique symbol stays where it was first found, even against -Bsymbolic")
      .exe(program_of_a_b())
      .lib("/D/a", symbolic)
      .lib("/D/b", symbolic)
      .binds("/D/b s - /D/b")
      .binds("/D/a s - /D/b");

  add("10.4a", "a local reference needs no search")
      .exe(program_of_a())
      .lib("/D/a",
           library().refer(with(undefined("s"), Binding::Local)).refer(with(undefined("t"), Visibility::Hidden)))
      .starts()
      .now_ends("exit 0")
      .binds_not("/D/a");
  add("10.4b", "relocations without a search")
      .exe(program_of_a())
      .lib("/D/a",
           [] {
             ElfSpec spec = library();
             spec.relocations = {{kRelocRelative, ""}, {kRelocNone, ""}, {kRelocGlobDat, ""}};
             return spec;
           }())
      .starts()
      .now_ends("exit 0");
  add("10.4c", "an unknown relocation")
      .exe(program_of_a())
      .lib("/D/a", library().refer(defined("s"), 0x77))
      .ends("exit 127")
      .says("/D/a: unexpected reloc type 0x77");
  add("10.4f", "what comes up again before an unknown relocation is told before it")
      .exe(program_of_a())
      .lib("/D/a", library_needing({"b"}).define(with(defined("s"), SymbolType::Ifunc)))
      .lib("/D/b",
           [] {
             ElfSpec spec = library().refer(undefined("s"), kReloc64);
             spec.relocations.push_back({kReloc64, "s"});
             spec.relocations.push_back({0x77, ""});
             return spec;
           }())
      .says("/app/bin/prog: Relink `/D/b' with `/D/a' for IFUNC symbol `s'")
      .says("/D/b: unexpected reloc type 0x77")
      .ends("exit 127");
  add("10.4d", "an unknown relocation of the PLT")
      .exe(program_of_a())
      .lib("/D/a",
           [] {
             ElfSpec spec = library().define(defined("s"));
             spec.relocations = {{0x77, "s", Relocation::Table::Plt}};
             return spec;
           }())
      .ends("exit 127")
      .says("/D/a: unexpected PLT reloc type 0x77");
  add("10.4e", "thread-local symbols")
      .exe(program_of_a().refer(with(undefined("s"), SymbolType::Tls), kRelocTpOff64))
      .lib("/D/a", library()
                       .define(with(defined("s"), SymbolType::Tls))
                       .refer(with(defined("t"), SymbolType::Tls), kRelocDtpMod64))
      .starts()
      .binds(to_a)
      .binds("/D/a t - /D/a");
  const Symbol variable = with(undefined("s"), SymbolType::Tls);
  const ElfSpec with_plain = library().define(data(defined("s")));
  const ElfSpec with_variable = library().define(with(defined("s"), SymbolType::Tls));
  add("10.4f", "a fixed place of a thread-local variable that is none, where there is no thread-local storage")
      .exe(program_of_a().refer(variable, kRelocTpOff64))
      .lib("/D/a", with_plain)
      .ends("signal");
  add("10.4g", "the same by a descriptor")
      .exe(program_of_a().refer(variable, kRelocTlsDesc))
      .lib("/D/a", with_plain)
      .ends("signal");
  add("10.4h", "the same where there is some")
      .exe(program_of_a().refer(variable, kRelocTpOff64))
      .lib("/D/a", ElfSpec(with_plain).define(with(defined("t"), SymbolType::Tls)))
      .starts()
      .binds(to_a);
  add("10.4i", "the module of a variable that is none")
      .exe(program_of_a().refer(variable, kRelocDtpMod64))
      .lib("/D/a", with_plain)
      .starts()
      .binds(to_a);
  for (const std::uint32_t type : {kReloc64, kRelocGlobDat, kRelocJumpSlot}) {
    add("10.4j", "a thread-local variable for an address")
        .exe(program_of_a().refer(undefined("s"), type))
        .lib("/D/a", with_variable)
        .starts()
        .binds(to_a);
  }
  add("10.4k", "a copy of a thread-local variable").exe(copying_s()).lib("/D/a", with_variable).starts();

  add("10.5a", "which of two undefined symbols is told: the deeper object's")
      .exe(program_of_a().refer(undefined("s")))
      .lib("/D/a", library_needing({"b"}).refer(undefined("t")))
      .lib("/D/b", library().refer(undefined("u")))
      .says("/D/b: undefined symbol: u");
  add("10.5b", "of one object, DT_RELA before DT_JMPREL")
      .exe(program_of_a())
      .lib("/D/a", library().call(undefined("t")).refer(undefined("s")))
      .now_says("undefined symbol: s");

  add("10.6a", "a protected symbol binds to its own object")
      .exe(program_of_a_b())
      .lib("/D/a", library().define(defined("s")))
      .lib("/D/b", library().refer(with(defined("s"), Visibility::Protected)))
      .binds("/D/b s - /D/b");
  add("10.6b", "IFUNC of a library")
      .exe(program_of_a().refer(undefined("s")))
      .lib("/D/a", library().define(with(defined("s"), SymbolType::Ifunc)))
      .starts()
      .binds(to_a);
  add("10.6c", "IFUNC of the program, used by a library")
      .exe(program_of_a().define(with(defined("s"), SymbolType::Ifunc)))
      .lib("/D/a", library().refer(undefined("s")))
      .now_ends("exit 127");
  for (const std::uint32_t type : {kRelocGlobDat, kRelocJumpSlot})
    add("10.6g", "IFUNC of an object that is relocated later")
        .exe(program_of_a())
        .lib("/D/a", library_needing({"b"}).define(with(defined("s"), SymbolType::Ifunc)))
        .lib("/D/b", library().refer(undefined("s"), type))
        .now_ends("exit 0")
        .now_says("/app/bin/prog: Relink `/D/b' with `/D/a' for IFUNC symbol `s'");
  add("10.6h", "a copy of a protected symbol")
      .exe(copying_s())
      .lib("/D/a", library()
                       .define(with(small(defined("s")), Visibility::Protected))
                       .refer(with(small(defined("s")), Visibility::Protected)))
      .now_says("warning: copy relocation against non-copyable protected symbol `s' in `/D/a'", since(35))
      .now_ends("exit 0");
  add("10.6j", "even of a local one, which is not taken")
      .exe(copying_s())
      .lib("/D/a", library().define(with(with(small(defined("s")), Visibility::Protected), Binding::Local)))
      .says("warning: copy relocation against non-copyable protected symbol `s' in `/D/a'", since(35))
      .says("undefined symbol: s")
      .ends("exit 127");
  add("10.6m", "a weak one that LD_DYNAMIC_WEAK leaves in doubt is warned of once")
      .exe(copying_s())
      .lib("/D/a", library().define(with(with(small(defined("s")), Visibility::Protected), Binding::Weak)))
      .env("LD_DYNAMIC_WEAK=1")
      .says("warning: copy relocation against non-copyable protected symbol `s' in `/D/a'", since(35))
      .starts()
      .binds("/app/bin/prog s - /D/a");
  add("10.6k", "a unique protected symbol is its own object's, wherever the name was first found")
      .exe(program_of_a_b())
      .lib("/D/a", library_needing({"b"}).refer(with(with(defined("s"), Binding::Unique), Visibility::Protected)))
      .lib("/D/b",
           [] {
             ElfSpec spec = library().refer(with(defined("s"), Binding::Unique));
             spec.symbolic = true;
             return spec;
           }())
      .binds("/D/b s - /D/b")
      .binds("/D/a s - /D/a");
  add("10.6n", "the second lookup for a protected symbol settles a unique one")
      .exe([] {
        ElfSpec spec = program_of_a();
        spec.version_needs = {{"b", {{"V1"}, {"V2"}}}};
        Symbol copy = small(defined("s", "V2"));
        return spec.refer(copy, kRelocCopy).refer(undefined("s", "V1"), kRelocGlobDat);
      }())
      .lib("/D/a", library_needing({"b"}).define(with(small(defined("s")), Binding::Unique)))
      .lib("/D/b",
           versioned({"b", "V1", "V2"}).refer(with(small(defined("s", "V2")), Visibility::Protected), kRelocGlobDat))
      .binds("/app/bin/prog s V1 /D/a", until(34));
  add("10.6o", "what stands in for a unique symbol is not asked for its versions")
      .exe(program_of_a_b())
      .lib("/D/a", library().refer(with(small(defined("s")), Binding::Unique), kRelocGlobDat))
      .lib("/D/b",
           [] {
             ElfSpec spec = library_needing({"a"});
             spec.symbolic = true;
             spec.version_needs = {{"a", {{"V1", true}}}};
             Symbol own = with(small(defined("s")), Binding::Unique);
             own.version = "V1";
             return spec.refer(own, kRelocGlobDat);
           }())
      .starts();
  add("10.6l", "the message about a late IFUNC comes with each relocation")
      .exe(program_of_a())
      .lib("/D/a", library_needing({"b"}).define(with(defined("s"), SymbolType::Ifunc)))
      .lib("/D/b",
           [] {
             ElfSpec spec = library().refer(undefined("s"));
             spec.relocations.push_back({kReloc64, "s"});
             return spec;
           }())
      .says("/app/bin/prog: Relink `/D/b' with `/D/a' for IFUNC symbol `s'")
      .starts();
  add("10.1", "an object with -Bsymbolic is in the scope of the others")
      .exe(program_of_a_b())
      .lib("/D/a",
           [] {
             ElfSpec spec = library().define(defined("s")).refer(undefined("t"));
             spec.symbolic = true;
             return spec;
           }())
      .lib("/D/b", library().refer(defined("s")).define(defined("t")))
      .binds("/D/b s - /D/a");
  add("10.6i", "thread-local storage of a filtee of the program")
      .exe(program().add(StringTag::Filter, "f").rpath("/D"))
      .lib("/D/f", library().define(with(defined("s"), SymbolType::Tls)))
      .ends("exit 127", until(36))
      .starts(since(41));
  add("10.6d", "a preload interposes")
      .exe(refers_s)
      .env("LD_PRELOAD=/P/p")
      .lib("/D/a", library().refer(defined("s")))
      .lib("/D/b")
      .lib("/P/p", library().define(defined("s")))
      .binds("/app/bin/prog s - /P/p")
      .binds("/D/a s - /P/p");
  add("10.6e", "a filtee comes before its filter")
      .exe(program_of_a().refer(undefined("s")))
      .lib("/D/a", library().add(StringTag::Filter, "f").define(defined("s")))
      .lib("/D/f", library().define(defined("s")))
      .binds("/app/bin/prog s - /D/f");
  add("10.6f", "the program itself comes first")
      .exe(program_of_a().define(defined("s")))
      .lib("/D/a", library().refer(defined("s")))
      .binds("/D/a s - /app/bin/prog");
  return list;
}

}  // namespace soresolve::test
