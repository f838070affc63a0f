// A program and a library with symbols, versions and relocations, of which one is any bytes: binding,
// the start and each single search come to an end, and what they say points to something that is
// there.
//
// The first byte says which of the two it is, and the release; the rest is the file.
#include "fuzz/fuzz_target.h"
#include "fuzz/memory_limit.h"
#include "loader/load.h"
#include "report/bindings_report.h"
#include "soresolve/report.h"
#include "soresolve/symbols.h"
#include "symbols/floor.h"
#include "symbols/startup.h"
#include "symbols/symbol_answer.h"
#include "symbols/unused_needs.h"
#include "unit/memory_system.h"

namespace soresolve::test::bindings_target {
namespace {

constexpr std::string_view kLibrary = "/lib64/libf.so";

ElfSpec fuzz_library(HashTables hash) {
  ElfSpec spec = library_needing({"libg.so"}).soname("libf.so");
  spec.hash = hash;
  spec.version_definitions = {{"libf.so"}, {"V1"}, {"V2"}};
  spec.version_definitions[2].parents = {"V1"};
  spec.version_needs = {{"libg.so", {{"G_1"}, {"G_2", true}}}};
  spec.define(defined_hidden("f", "V1")).define(defined("f", "V2")).define(weak(defined("w")));
  Symbol shy = defined("shy");
  shy.visibility = Visibility::Protected;
  Symbol only = defined("only");
  only.binding = Binding::Unique;
  Symbol chosen = defined("chosen", "V1");
  chosen.type = SymbolType::Ifunc;
  spec.refer(shy).refer(only).refer(chosen).define(data(defined("copied", "V2")));
  spec.refer(undefined("g", "G_1")).call(undefined("late", "G_2")).refer(weak(undefined("gone")));
  spec.relocations.push_back({kRelocRelative, ""});
  spec.relr_words = 2;
  spec.isa_needed = 2;
  return spec;
}

ElfSpec fuzz_program(HashTables hash) {
  ElfSpec spec = program_needing({"libf.so", "libg.so"});
  spec.hash = hash;
  spec.version_needs = {{"libf.so", {{"V1"}, {"V2"}}}};
  spec.define(defined("late")).refer(undefined("f", "V1")).call(undefined("f", "V2"));
  spec.refer(undefined("f")).refer(undefined("shy")).refer(undefined("only"));
  spec.refer(data(defined("copied", "V2")), kRelocCopy).refer(weak(undefined("w")));
  return spec;
}

void check_binding(const LinkMap& map, const SymbolBinding& binding) {
  require(binding.referrer < map.objects.size(), "the referrer is an object");
  require(!binding.is_bound() || binding.provider < map.objects.size(), "the provider is an object");
  require(!binding.is_bound() || map.objects[binding.provider].role != ObjectRole::Placeholder,
          "nothing binds to what was not found");
  touch(binding.symbol);
  touch(binding.version);
}

/// The symbol lies in its file, and the search finds what the binding says.
void check_search(const LinkMap& map, const Bindings& bindings, const SymbolBinding& binding) {
  const Result<SymbolSearch> search =
      search_symbol(map, bindings,
                    {binding.symbol, binding.version, binding.referrer, binding.lookup_class, binding.symbol_index,
                     SearchedBy::Relocation});
  require(search.has_value(), "what can be bound can be searched");
  // The first unique definition and an object's own protected one stand before those of the search.
  const OtherVersion* const found = search->definition();
  const bool is_elsewhere = binding.is_protected || (found != nullptr && found->is_unique);
  require(is_elsewhere || search->provider() == binding.provider, "the search ends where it is bound");
  if (is_elsewhere || found == nullptr) return;
  require(found->symbol_index == binding.provider_index, "with the same symbol");
  const LoadedObject& provider = map.objects[search->provider()];
  require(found->file_offset < provider.status.size_bytes || search->provider() == 0,
          "the definition stands in the file");
}

/// What the command shows of it, in one of three forms.
void check_forms(const LinkMap& map, const Bindings& bindings, std::size_t form) {
  BindingsReport report{map, bindings, kProgram};
  report.list = BindingFilter();
  report.unused = find_unused_needs(map, bindings, Needers::All);
  Result<std::vector<Floor>> floors = find_floors(map, bindings);
  if (floors) report.floors = std::move(floors).value();
  for (const char* name : {"f", "f@V1", "late"}) {
    Result<SymbolAnswer> answer = answer_symbol(map, bindings, name);
    if (!answer) continue;
    report.symbols.push_back(std::move(answer).value());
  }
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) report.providers.push_back(i);
  const Document document = document_of(report);
  switch (form) {
    case 0: return touch(to_text(document));
    case 1: return touch(to_text(document, {.language = Language::Chinese, .reader = TextOptions::Reader::Terminal}));
    default: return document.data([](std::string_view text) { touch(text); });
  }
}

void check_process(MemorySystem& system, std::size_t form) {
  const Result<LinkMap> map = system.load(kProgram, {.on_fatal = OnFatal::Continue});
  if (!map) return;
  const Result<StartFacts> facts = read_start_facts(*map);
  if (!facts) {
    require(!facts.error().message.empty(), "an error says why");
    return;
  }
  std::size_t searched = 0;
  facts->bindings.for_each([&](const Bindings::Event& event) {
    if (event.damage != nullptr) {
      require(event.damage->object < map->objects.size(), "what is damaged is an object");
    }
    if (event.binding == nullptr) return;
    check_binding(*map, *event.binding);
    if (event.binding->is_loaders_own || event.binding->is_repeated || ++searched > 40) return;
    check_search(*map, facts->bindings, *event.binding);
  });
  for (const BindTime time : {BindTime::Now, BindTime::AsAsked}) {
    const Startup startup = start_up(*map, *facts, time);
    require(!startup.fatal_line || *startup.fatal_line < startup.lines.size(), "the fatal line is there");
    for (const std::string& line : startup.lines) touch(line);
  }
  // A second thread costs as much as the rest.
  if (form % 16 == 0) {
    const Result<Bindings> again = bind_symbols(*map, {.jobs = 2});
    require(again.has_value() && again->tally(0).references == facts->bindings.tally(0).references &&
                again->lookup_count() == facts->bindings.lookup_count(),
            "two threads find what one does");
  }
  // Where a file lies about its own names this may be another answer.
  const Result<StartFacts> lean = read_start_facts(*map, {.own = OwnReferences::Counted});
  require(lean.has_value() || !lean.error().message.empty(), "an error says why");
  if (lean) touch(start_up(*map, *lean, BindTime::Now).death);
  if (form % 2 == 0) check_forms(*map, facts->bindings, form / 2 % 3);
}

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (const HashTables hash : {HashTables::Sysv, HashTables::Gnu}) {
    for (const char release : {2, 4}) {
      all.push_back(std::string(1, release) + write_elf(fuzz_library(hash)));
      all.push_back(std::string(1, static_cast<char>(release | 1)) + write_elf(fuzz_program(hash)));
    }
  }
  ElfSpec symbolic = fuzz_library(HashTables::Both);
  symbolic.symbolic = true;
  all.push_back(std::string(1, '\x06') + write_elf(symbolic));
  return all;
}

void run(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  constexpr int kReleases[] = {31, 36, 41, 43};
  MemorySystem system(kReleases[data[0] >> 1 & 3]);
  if ((data[0] & 8) != 0) system.env("LD_DYNAMIC_WEAK=1");
  const std::string file(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool is_program = (data[0] & 1) != 0;
  system.program(fuzz_program(HashTables::Gnu));
  system.elf(kLibrary, fuzz_library(HashTables::Sysv));
  system.files().add_file(is_program ? kProgram : kLibrary, file);
  ElfSpec other = library().soname("libg.so").define(defined("g", "G_1")).define(defined("gone"));
  other.version_definitions = {{"libg.so"}, {"G_1"}};
  system.elf("/lib64/libg.so", other);
  // No number in a file of some kilobytes makes us ask for much memory at once.
  const MemoryLimit limit(8 << 20);
  check_process(system, form_of(data, size, 96));
}

}  // namespace
}  // namespace soresolve::test::bindings_target

const soresolve::test::FuzzTarget soresolve::test::kBindingsTarget = {"bindings", bindings_target::run,
                                                                      bindings_target::seeds, InputKind::Elf};
