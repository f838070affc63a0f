// Sequences of dlopen calls whose first difference a random one has shown, one for each cause.
//
// Source: glibc elf/dl-deps.c:_dl_map_object_deps (filters move objects in the namespace's list while they are
// walked), elf/dl-close.c:_dl_close_worker (what a call that fails leaves: that order, and names), elf/dl-open.c:
// dl_open_worker of 2.31 (sorts by that list). What is expected is not computed here: the real loader says it.
#include <string>
#include <utility>

#include "differential/open_case.h"

namespace soresolve::test {
namespace {

ElfSpec needs(ElfSpec spec, const std::vector<std::string>& names) {
  for (const std::string& name : names) spec.needed(name);
  return spec;
}

ElfSpec filter_of(ElfSpec spec, const std::string& name) { return spec.add(StringTag::Filter, name); }

ElfSpec refers_to_nothing(const std::string& symbol) { return library().refer(undefined(symbol), kRelocGlobDat); }

OpenRequest open(const std::string& file) {
  OpenRequest request;
  request.file = file;
  return request;
}

OpenCase scenario(std::string why, std::vector<TreeNode> nodes, std::vector<OpenRequest> dlopen_calls) {
  OpenCase made;
  made.why = std::move(why);
  made.program = "opener-plain";
  made.program_file.mode = 0755;
  made.nodes = std::move(nodes);
  made.dlopen_calls = std::move(dlopen_calls);
  return made;
}

/// After a call that fails: the order of what was there, and the names that it has.
void add_failed_calls(std::vector<OpenCase>& cases) {
  const std::vector<TreeNode> chain = {elf_file("/d/liba.so", needs(library(), {"libb.so"})),
                                       elf_file("/d/libb.so", needs(library(), {"libc.so"})),
                                       elf_file("/d/libc.so", library())};
  const auto with = [](std::vector<TreeNode> nodes, std::vector<TreeNode> more) {
    for (TreeNode& node : more) nodes.push_back(std::move(node));
    return nodes;
  };
  const std::vector<OpenRequest> a_then_x = {open("/d/liba.so"), open("/d/libx.so")};
  cases.push_back(scenario("a filter behind a library that is missing moves nothing",
                           with(chain, {elf_file("/d/libx.so", filter_of(needs(library(), {"gone.so"}), "libb.so"))}),
                           a_then_x));
  cases.push_back(scenario("a filter before it has moved its object for good",
                           with(chain, {elf_file("/d/libx.so", needs(filter_of(library(), "libb.so"), {"gone.so"}))}),
                           a_then_x));
  cases.push_back(scenario("a filter of another object that the walk does not come to moves nothing",
                           with(chain, {elf_file("/d/libx.so", needs(library(), {"gone.so", "liby.so"})),
                                        elf_file("/d/liby.so", filter_of(library(), "libb.so"))}),
                           a_then_x));
  cases.push_back(scenario("a filter that is missing ends the walk as a library does",
                           with(chain, {elf_file("/d/libx.so", filter_of(filter_of(library(), "gone.so"), "libb.so"))}),
                           a_then_x));

  // Who needs libb.so by name looks in /c first: unless the one in /d goes by that name already. The strings of all
  // who name it are equally long, and have it in different places: one text may come to lie where another was.
  const auto named = [&](const std::vector<std::string>& needs_of_x) {
    std::vector<TreeNode> nodes = {elf_file("/d/libb.so", library()), elf_file("/c/libb.so", library()),
                                   elf_file("/d/libp.so", library()),
                                   elf_file("/d/libx.so", needs(library(), needs_of_x))};
    for (const char* file : {"/d/liby.so", "/d/libz.so"})
      nodes.push_back(elf_file(file, needs(library(), {"libb.so"}).rpath("/c:/none/not/here")));
    return nodes;
  };
  const std::vector<OpenRequest> b_x_y = {open("/d/libb.so"), open("/d/libx.so"), open("/d/liby.so"),
                                          open("/d/libz.so")};
  cases.push_back(scenario("the name by which a failed call found an object stays with it",
                           named({"libp.so", "libb.so", "gone.so"}), b_x_y));
  cases.push_back(scenario("a name behind the library that is missing was not asked for",
                           named({"libp.so", "gone.so", "libb.so"}), b_x_y));
}

/// Up to 2.31 relocation follows the list; a later call, which may fail, moves objects in it.
void add_later_filters(std::vector<OpenCase>& cases) {
  const std::vector<TreeNode> nodes = {elf_file("/d/liba.so", needs(library(), {"libb.so", "libc.so"})),
                                       elf_file("/d/libb.so", refers_to_nothing("nowhere")),
                                       elf_file("/d/libc.so", refers_to_nothing("nothing")),
                                       elf_file("/d/libx.so", filter_of(library(), "libb.so")),
                                       elf_file("/d/liby.so", needs(filter_of(library(), "libb.so"), {"gone.so"}))};
  for (const char* later : {"/d/libx.so", "/d/liby.so"}) {
    cases.push_back(scenario("a later filter does not change the order of an earlier relocation", nodes,
                             {open("/d/liba.so"), open(later)}));
  }
}

/// What is open has its list: it is not walked again when it is opened once more.
void add_reopened(std::vector<OpenCase>& cases) {
  const OpenRequest a = open("/d/liba.so");
  const auto nodes = [](ElfSpec liba) {
    return std::vector<TreeNode>{elf_file("/d/liba.so", std::move(liba)),
                                 elf_file("/e/libb.so", needs(library().soname("libb.so"), {"liba.so"})),
                                 elf_file("/d/libc.so", needs(library(), {"liba.so"}))};
  };
  const ElfSpec lone = library().soname("liba.so");
  const ElfSpec auxiliary = library().soname("liba.so").add(StringTag::Auxiliary, "libb.so");
  cases.push_back(scenario("an auxiliary object that came later is not looked for again", nodes(auxiliary),
                           {a, open("/e/libb.so"), a, open("liba.so")}));
  cases.push_back(scenario("nor for what is opened for the first time only now, if another walk has been there",
                           nodes(auxiliary), {open("/d/libc.so"), open("/e/libb.so"), a, a}));
  cases.push_back(scenario("the program is open from the start", nodes(lone), {a, open(""), open("/e/libb.so")}));
}

/// In a namespace that dlmopen has made a filter of what was loaded first puts its object before the head of the
/// list, where no walk over it comes: not for a name, not for a file, and not when objects are counted.
void add_filters_in_namespaces(std::vector<OpenCase>& cases) {
  OpenRequest a = open("/d/liba.so");
  a.mode.into = OpenInto::NewNamespace;
  const OpenRequest z = open("/d/libz.so");
  const ElfSpec filter = filter_of(library(), "libb.so");
  const auto defines = [](ElfSpec spec, const std::string& name) { return spec.define(defined(name)); };
  const auto refers = [](ElfSpec spec, const std::string& name) { return spec.refer(undefined(name), kRelocGlobDat); };
  const TreeNode libz = elf_file("/d/libz.so", library());

  cases.push_back(scenario(
      "the call succeeds",
      {elf_file("/d/liba.so", refers(filter, "b")), elf_file("/d/libb.so", defines(library(), "b")), libz}, {a, z}));
  cases.push_back(scenario("taking the call back counts one object too few",
                           {elf_file("/d/liba.so", refers(filter, "nowhere")), elf_file("/d/libb.so", library()), libz},
                           {a, z}));
  cases.push_back(
      scenario("also where a library behind the filter is missing",
               {elf_file("/d/liba.so", needs(filter, {"gone.so"})), elf_file("/d/libb.so", library()), libz}, {a, z}));
  cases.push_back(scenario("not where it is missing before the filter",
                           {elf_file("/d/liba.so", filter_of(needs(library(), {"gone.so"}), "libb.so")),
                            elf_file("/d/libb.so", library()), libz},
                           {a, z}));
  cases.push_back(
      scenario("who needs it loads it once more, and binds to its own",
               {elf_file("/d/liba.so", needs(filter, {"libc.so"})), elf_file("/d/libb.so", library().soname("libb.so")),
                elf_file("/d/libc.so", needs(library(), {"libb.so"})), libz},
               {a, z}));
  const std::vector<TreeNode> in_vain = {elf_file("/d/liba.so", needs(filter, {"libc.so"})),
                                         elf_file("/d/libb.so", defines(library(), "b")),
                                         elf_file("/d/libc.so", refers(library(), "b")), libz};
  cases.push_back(scenario("who binds to it without needing it looks it up for ever", in_vain, {a, z}));
  OpenRequest late = a;
  late.mode.bind_time = BindTime::AsAsked;
  cases.push_back(scenario("data is bound at once with RTLD_LAZY as well", in_vain, {late, z}));
  Symbol own = defined("b");
  cases.push_back(
      scenario("its own symbol is looked up, too",
               {elf_file("/d/liba.so", needs(filter, {"libc.so"})), elf_file("/d/libb.so", defines(library(), "b")),
                elf_file("/d/libc.so", library().refer(own, kReloc64)), libz},
               {a, z}));
  // Its filtee stands before it in its own list, which is the first scope without DT_SYMBOLIC's.
  ElfSpec symbolic = defines(filter, "b").refer(undefined("b"), kReloc64);
  symbolic.symbolic = true;
  cases.push_back(scenario("DT_SYMBOLIC says nothing of what a dlmopen loads first",
                           {elf_file("/d/liba.so", symbolic), elf_file("/d/libb.so", defines(library(), "b")), libz},
                           {a, z}));
  cases.push_back(scenario("and as ever of what it loads then",
                           {elf_file("/d/liba.so", needs(library(), {"libc.so"})),
                            elf_file("/d/libb.so", defines(library(), "b")), elf_file("/d/libc.so", symbolic), libz},
                           {a, z}));
  ElfSpec kept = defines(library(), "b");
  kept.flags_1 = kDf1NoDelete;
  cases.push_back(scenario("what is never unloaded is not looked for",
                           {elf_file("/d/liba.so", needs(filter, {"libc.so"})), elf_file("/d/libb.so", kept),
                            elf_file("/d/libc.so", refers(library(), "b")), libz},
                           {a, z}));
  own.binding = Binding::Unique;
  cases.push_back(
      scenario("nor what has a unique symbol",
               {elf_file("/d/liba.so", needs(filter, {"libc.so"})), elf_file("/d/libb.so", library().define(own)),
                elf_file("/d/libc.so", refers(library(), "b")), libz},
               {a, z}));
}

/// A thread-local variable bound to what is none, and the reverse: the loader itself dies only of a fixed place in a
/// library without PT_TLS.
void add_kinds_of_symbols(std::vector<OpenCase>& cases) {
  const Symbol variable = with(undefined("s"), SymbolType::Tls);
  const ElfSpec plain = library().define(data(defined("s")));
  const ElfSpec local = library().define(with(defined("s"), SymbolType::Tls));
  const ElfSpec mixed = ElfSpec(plain).define(with(defined("t"), SymbolType::Tls));
  struct Kind {
    const char* why;
    Symbol symbol;
    std::uint32_t type;
    const ElfSpec& provider;
  };
  const Kind kinds[] = {
      {"a fixed place of a variable that is none", variable, kRelocTpOff64, plain},
      {"a descriptor of one", variable, kRelocTlsDesc, plain},
      {"the module of one", variable, kRelocDtpMod64, plain},
      {"a fixed place where there is other thread-local storage", variable, kRelocTpOff64, mixed},
      {"a thread-local variable for an address", undefined("s"), kRelocGlobDat, local},
      {"and for a word", undefined("s"), kReloc64, local},
  };
  for (const Kind& kind : kinds) {
    const ElfSpec user = needs(library().refer(kind.symbol, kind.type), {"libv.so"});
    cases.push_back(scenario(kind.why, {elf_file("/d/libv.so", kind.provider), elf_file("/d/libx.so", user)},
                             {open("/d/libx.so")}));
  }
}

}  // namespace

std::vector<OpenCase> open_scenarios() {
  std::vector<OpenCase> cases;
  add_failed_calls(cases);
  add_later_filters(cases);
  add_reopened(cases);
  add_filters_in_namespaces(cases);
  add_kinds_of_symbols(cases);
  return cases;
}

}  // namespace soresolve::test
