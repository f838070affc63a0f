// StartRun replays the rest of a start or of one dlopen: files, versions, processor level, relocation of each object,
// in that order, up to the first fatal message. Source: glibc 2.36 elf/rtld.c:dl_main,
// elf/dl-open.c:dl_open_worker_begin, elf/dl-reloc.c:_dl_relocate_object. Left out: constructors, IFUNC resolvers.
#include "symbols/startup.h"

#include <elf.h>

#include <algorithm>

#include "loader/cpu.h"
#include "loader/dependency_sort.h"
#include "loader/process.h"
#include "loader/system.h"
#include "loader/tunables.h"
#include "symbols/audit_modules.h"
#include "symbols/map_versions.h"
#include "symbols/musl.h"
#include "symbols/static_tls_area.h"
#include "symbols/undefined_words.h"

namespace soresolve {
namespace {

/// The bits of GNU_PROPERTY_X86_ISA_1_NEEDED that a processor has.
std::uint32_t isa_bits(const Cpu& cpu) { return (1u << std::clamp(cpu.isa_level, 1, 4)) - 1; }

/// Two digits, or eight where they are needed (elf/dl-reloc.c:_dl_reloc_bad_type).
std::string type_digits(std::uint32_t type) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = type > 0xff ? 28 : 4; shift >= 0; shift -= 4) text += kDigits[type >> shift & 0xf];
  return text;
}

/// One start, step by step; each step returns false when it is the last.
class StartRun {
 public:
  StartRun(const LinkMap& map, const StartFacts& facts, std::size_t dlopen_call, BindTime bind_time)
      : system_(*map.system), process_(*map.process), map_(map), facts_(facts), dlopen_call_(dlopen_call),
        objects_(map.loaded_by(dlopen_call)), bind_time_(bind_time),
        is_dlopen_(dlopen_call != 0 || map.process->start == Start::Dlopen) {
    // Up to 2.33 each libc catches what its own dlopen throws, but ld.so throws to the first one's: from
    // within a namespace of dlmopen an error ends the process (since then GLRO (dl_catch_error)).
    const bool is_within = dlopen_call != 0 &&
                           map.objects[map.dlopen_calls[dlopen_call - 1].request.needer].space != 0 &&
                           map.dlopen_calls[dlopen_call - 1].mode.into == OpenInto::CallersNamespace;
    startup_.ends_process = is_within && map.system->rules.version.minor_number <= 33;
    tls_.emplace(map);
    if (!is_dlopen_) return;
    if (dlopen_call != 0) note_out_of_sight();
    for (const TakenBack& failed : map.taken_back) {
      if (failed.dlopen_calls >= dlopen_call) break;
      tls_->restore(failed.tls);
      first_uncounted_ = failed.first_new;
    }
  }

  Startup run() {
    play();
    assert_all_in_list();
    startup_.ends_process &= startup_.end == StartEnd::Fails && startup_.fatal_line.has_value();
    if (startup_.end == StartEnd::Fails && dlopen_call_ != 0) {
      startup_.tls_left = tls_->left_after(dlopen_sorted(map_, dlopen_call_), objects_.first);
    }
    return std::move(startup_);
  }

 private:
  /// Does an error end the process, with a line on standard error?
  [[nodiscard]] bool is_returned() const { return is_dlopen_ && !startup_.ends_process; }

  void play() {
    if (!is_dlopen_) {
      const Tunables tunables(system_.rules, process_);
      for (const std::string& warning : tunables.warnings()) warn(warning);
      for (const std::string& warning : audit_warnings(map_)) warn(warning);
    }
    if (find_files() && check_versions()) check_cpu();
    // Goes on behind the end, too, for all that is undefined.
    relocate();
    join_global_scope();
  }

  [[nodiscard]] std::string shown(ObjectIndex object) const {
    return object == 0 ? process_.argv0 : std::string(map_.objects[object].path);
  }
  [[nodiscard]] bool is_loaded_here(ObjectIndex object) const {
    return object >= objects_.first && object < objects_.second;
  }
  void warn(std::string line) {
    if (!is_over_) startup_.lines.push_back(std::move(line));
  }
  void end(StartEnd end, std::string line) {
    if (is_over_) return;
    if (!startup_.fatal_line) startup_.fatal_line = startup_.lines.size();
    startup_.lines.push_back(std::move(line));
    startup_.end = end;
    is_over_ = true;
  }
  /// Not only what is opened: in a dlopen that does not return.
  void end_process(std::string line) {
    if (!is_over_ && is_dlopen_) startup_.ends_process = true;
    end(StartEnd::Fails, std::move(line));
  }
  void die(StartEnd end, std::string why) {
    if (is_over_) return;
    startup_.end = end;
    startup_.death = std::move(why);
    is_over_ = true;
  }
  /// dl-catch.c:fatal_error, or dlerror's form.
  void fail(std::string_view occasion, const std::string& object, const std::string& text) {
    // What a dlopen throws on has lost its occasion.
    if (is_dlopen_) occasion = "error while loading shared libraries";
    std::string line = is_returned() ? "" : process_.argv0 + ": " + std::string(occasion) + ": ";
    if (!object.empty()) line += object + ": ";
    end(StartEnd::Fails, line + text);
  }

  bool find_files() {
    if (dlopen_call_ != 0 && map_.dlopen_calls[dlopen_call_ - 1].is_absent) {
      const DlopenCall& dlopen_call = map_.dlopen_calls[dlopen_call_ - 1];
      const Need& need = map_.objects[dlopen_call.request.needer].needs[dlopen_call.request.need];
      die(StartEnd::Fails, std::string(need.name) +
                               ": it is not loaded, and RTLD_NOLOAD loads nothing: dlopen returns "
                               "NULL, and dlerror no text");
      return false;
    }
    for (const LoadFailure& failure : map_.failures) {
      if (failure.dlopen_call != dlopen_call_) continue;
      if (failure.kind == LoadFailure::Kind::PreloadIgnored) {
        warn(failure.start_message(process_.argv0));
      }
      if (!failure.is_fatal_at_start) continue;
      if (failure.kind == LoadFailure::Kind::Crash || failure.kind == LoadFailure::Kind::Block) {
        die(failure.kind == LoadFailure::Kind::Crash ? StartEnd::Crashes : StartEnd::Blocks,
            failure.object + ": " + failure.text);
      } else if (failure.kind == LoadFailure::Kind::VersionFile || failure.kind == LoadFailure::Kind::VersionRecord) {
        continue;  // comes in its place among the versions
      } else if (failure.kind == LoadFailure::Kind::Assertion) {
        end_process(failure.text);
      } else {
        // What a running process prints has the errno in libc's words.
        const bool is_framed = startup_.ends_process && failure.kind != LoadFailure::Kind::Assertion;
        end(StartEnd::Fails,
            is_framed    ? process_.argv0 + ": error while loading shared libraries: " + failure.dlerror_message()
            : is_dlopen_ ? failure.dlerror_message()
                         : failure.start_message(process_.argv0));
      }
      return false;
    }
    return true;
  }

  /// All messages; then the end, if one of them is an error. Some end the check at once.
  bool check_versions() {
    for (const VersionMessage& message : facts_.versions.messages) {
      if (!is_loaded_here(message.requirer)) continue;
      if (message.is_crash) {
        die(StartEnd::Crashes, shown(message.provider) + ": " + message.text);
        return false;
      }
      if (is_dlopen_) {
        if (!message.is_error) continue;
        if (message.is_assertion) {
          end_process(message.text);
        } else {
          fail("error while loading shared libraries", shown(message.provider), message.text);
        }
        return false;
      }
      if (message.is_fatal_at_once) {
        startup_.fatal_line.reset();
        end(StartEnd::Fails, message.line(map_, process_.argv0));
        return false;
      }
      if (message.is_error && !startup_.fatal_line) startup_.fatal_line = startup_.lines.size();
      warn(message.line(map_, process_.argv0));
    }
    if (dlopen_call_ != 0) return true;
    if (startup_.fatal_line) {
      startup_.end = StartEnd::Versions;
      is_over_ = true;
      return false;
    }
    if (!facts_.versions.tls_assertion.empty()) {
      end(StartEnd::Fails, facts_.versions.tls_assertion);
      return false;
    }
    if (!facts_.versions.unreadable.empty()) {
      die(StartEnd::Crashes, facts_.versions.unreadable.front().to_string());
      return false;
    }
    return true;
  }

  void check_cpu() {
    const auto first = std::find_if(facts_.above_cpu.begin(), facts_.above_cpu.end(),
                                    [&](ObjectIndex object) { return is_loaded_here(object); });
    if (first == facts_.above_cpu.end()) return;
    // No program in front of it: _dl_fatal_printf of dl_isa_level_check.
    end(StartEnd::Fails, shown(*first) + ": CPU ISA level is lower than required");
  }

  void relocate() {
    const auto now = process_.environment.value("LD_BIND_NOW");
    is_now_ = bind_time_ == BindTime::Now || (now && !now->empty());
    // The variable is not heard then; RTLD_NOW is.
    if (process_.secure && system_.rules.secure_binds_lazily) is_now_ = is_dlopen_ && bind_time_ == BindTime::Now;
    const std::vector<ObjectIndex>& order = facts_.bindings.relocation_order();
    place_.assign(map_.objects.size(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
    find_without_tables(order);
    const std::vector<ObjectIndex>& scope = facts_.bindings.scope(dlopen_call_);
    damage_place_ = scope.size();
    for (const BindingDamage& damage : facts_.bindings.damages()) {
      if (damage.kind != BindingDamage::Kind::Definitions) continue;
      const auto at = std::find(scope.begin(), scope.end(), damage.object);
      const std::size_t place = static_cast<std::size_t>(at - scope.begin());
      if (place < damage_place_) {
        damage_place_ = place;
        damage_ = &damage;
      }
    }
    scope_place_.assign(map_.objects.size(), scope.size());
    for (std::size_t i = scope.size(); i-- > 0;) scope_place_[scope[i]] = i;
    // In damaged tables any lookup can end, so that all references count.
    const auto meet = [&](const Bindings::Event& event) {
      if (!is_loaded_here(event.binding != nullptr ? event.binding->referrer : event.damage->object)) {
        note_earlier(event);
        return;
      }
      if (event.binding != nullptr && event.binding->is_undefined() && !event.binding->is_repeated) {
        note_undefined(*event.binding);
      }
      if (is_over_) return;
      if (place_[event.binding != nullptr ? event.binding->referrer : event.damage->object] >= tableless_place_) {
        return die_without_tables();
      }
      if (event.damage != nullptr) {
        meet_damage(*event.damage);
      } else if (!event.binding->is_lazy || is_now_) {
        meet_binding(*event.binding);
      }
    };
    if (damage_ != nullptr || !is_out_of_sight_.empty()) {
      facts_.bindings.for_each(meet);
    } else {
      facts_.bindings.for_each_notable(meet);
    }
    if (tableless_ != kNoObject) die_without_tables();
  }

  /// The loader reads where an object's symbols are before it relocates anything of it, also where there is nothing
  /// to relocate (elf/do-rel.h:elf_dynamic_do_Rel), and up to 2.34 where its strings are (elf/dl-reloc.c:
  /// _dl_relocate_object): a dynamic section that is zeros from some place on has none.
  void find_without_tables(const std::vector<ObjectIndex>& order) {
    tableless_place_ = order.size() + 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const LoadedObject& object = map_.objects[order[i]];
      const bool is_file = object.role == ObjectRole::Main || object.role == ObjectRole::Library;
      if (!is_file || !is_loaded_here(order[i]) || !object.elf.has_dynamic) continue;
      const bool lacks_strings = system_.rules.relocation_reads_strings && !object.elf.symbol_tags.string_table;
      const bool lacks_symbols = !object.elf.symbol_tags.symbol_table;
      // elf/dynamic-link.h:_ELF_DYNAMIC_DO_RELOC takes DT_PLTREL for the word that there is one.
      const RelocationTags& tags = object.elf.relocation_tags;
      const bool lacks_plt = tags.plt_kind && !tags.plt;
      if (!lacks_strings && !lacks_symbols && !lacks_plt) continue;
      tableless_place_ = i;
      tableless_ = order[i];
      missing_table_ = lacks_strings ? "DT_STRTAB" : lacks_symbols ? "DT_SYMTAB" : "DT_JMPREL";
      return;
    }
  }
  void die_without_tables() {
    die(StartEnd::Crashes,
        shown(tableless_) + ": has no " + std::string(missing_table_) + ", which the loader reads before it relocates");
  }

  /// elf/dl-open.c:add_to_global_resize: a namespace that dlmopen has made has no list to be added to, and the
  /// loader follows the null pointer.
  void join_global_scope() {
    if (dlopen_call_ == 0) return;
    const DlopenCall& dlopen_call = map_.dlopen_calls[dlopen_call_ - 1];
    if (dlopen_call.space == 0 || dlopen_call.root == kNoObject || !is_global(dlopen_call.mode.scope)) return;
    die(StartEnd::Crashes, "RTLD_GLOBAL in a namespace that dlmopen has made, which has no global scope");
  }

  /// What filters have put before the head of the list of the namespace that is opened into, and which objects
  /// dlclose(3) never takes.
  void note_out_of_sight() {
    const DlopenCall& dlopen_call = map_.dlopen_calls[dlopen_call_ - 1];
    if (dlopen_call.out_of_sight.empty()) return;
    is_out_of_sight_.assign(map_.objects.size(), false);
    for (const ObjectIndex object : dlopen_call.out_of_sight) is_out_of_sight_[object] = true;
    stays_.assign(map_.objects.size(), false);
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      stays_[i] = map_.dlopen_call_of(i) == 0 || (map_.objects[i].elf.flags_1 & DF_1_NODELETE) != 0;
    }
    for (std::size_t i = 0; i < dlopen_call_; ++i) {
      const DlopenCall& made = map_.dlopen_calls[i];
      if (made.mode.stays && made.root != kNoObject) stays_[made.root] = true;
    }
  }

  /// elf/dl-close.c:_dl_close_worker, when a call that fails is taken back: it counts the objects of the list.
  void assert_all_in_list() {
    if (dlopen_call_ == 0 || startup_.end != StartEnd::Fails || !startup_.fatal_line || startup_.ends_process) return;
    const DlopenCall& dlopen_call = map_.dlopen_calls[dlopen_call_ - 1];
    const bool is_mapped = dlopen_call.asked != kNoObject &&
                           map_.objects[dlopen_call.asked].role == ObjectRole::Library && !dlopen_call.is_absent;
    if (!is_mapped || dlopen_call.out_of_sight.empty()) return;
    startup_.missing_error = startup_.lines[*startup_.fatal_line];
    startup_.lines[*startup_.fatal_line] =
        "Inconsistency detected by ld.so: dl-close.c: " + std::to_string(system_.rules.close_assert_line) +
        ": _dl_close_worker: Assertion `idx == nloaded' failed!";
    startup_.ends_process = true;
  }

  /// elf/dl-lookup.c:add_dependency: the provider is looked for in the list, so that it is not unloaded before its
  /// referrer; where it is not found, the symbol is looked up again, for ever. What the referrer needs by itself,
  /// and what stays in any case, is not looked for.
  [[nodiscard]] bool is_looked_for_in_vain(const SymbolBinding& binding) const {
    const ObjectIndex provider = binding.provider;
    return is_out_of_sight_[provider] && provider != binding.referrer && !stays_[provider] &&
           !needs(binding.referrer, provider);
  }
  /// do_lookup_unique and add_dependency: which providers stay for good because of it.
  void keep_provider(const SymbolBinding& binding) {
    const bool is_needless = is_out_of_sight_[binding.provider] || needs(binding.referrer, binding.provider);
    if (binding.is_unique || (stays_[binding.referrer] && !is_needless)) stays_[binding.provider] = true;
  }

  /// Is it in l_initfini: what the object needs, or, where it was opened itself, all of its search list?
  [[nodiscard]] bool needs(ObjectIndex needer, ObjectIndex needed) const {
    for (std::size_t i = 0; i < dlopen_call_; ++i) {
      const DlopenCall& made = map_.dlopen_calls[i];
      if (made.asked != needer) continue;
      return std::find(made.search_list.begin(), made.search_list.end(), needed) != made.search_list.end();
    }
    const std::vector<Need>& own = map_.objects[needer].needs;
    return std::any_of(own.begin(), own.end(), [&](const Need& need) { return need.target == needed; });
  }

  /// What was opened before has its part of the static TLS.
  void note_earlier(const Bindings::Event& event) {
    if (event.binding != nullptr && event.binding->is_bound() && !is_out_of_sight_.empty()) {
      keep_provider(*event.binding);
    }
    if (event.binding == nullptr || !tls_ || !event.binding->is_bound()) return;
    const bool is_earlier = event.binding->referrer < objects_.first && event.binding->referrer >= first_uncounted_;
    if (is_earlier && !event.binding->is_lazy) tls_->want(event.binding->provider, event.binding->tls_use);
  }

  /// CHECK_STATIC_TLS and TRY_STATIC_TLS of sysdeps/*/dl-machine.h.
  void meet_tls(const SymbolBinding& binding) {
    if (!tls_ || !binding.is_bound()) return;
    switch (tls_->want(binding.provider, binding.tls_use)) {
      case StaticTlsArea::Outcome::Fits: return;
      case StaticTlsArea::Outcome::NoRoom:
        return fail({}, shown(binding.provider), "cannot allocate memory in static TLS block");
      case StaticTlsArea::Outcome::Crash:
        return die(StartEnd::Crashes,
                   shown(binding.provider) + ": thread-local storage without PT_TLS: the loader divides by zero");
    }
  }

  void note_undefined(const SymbolBinding& binding) {
    startup_.undefined.push_back({binding.referrer, std::string(binding.symbol), std::string(binding.version),
                                  binding.has_version, binding.is_lazy});
  }

  void meet_damage(const BindingDamage& damage) {
    using Kind = BindingDamage::Kind;
    using When = BindingDamage::When;
    if (damage.when == When::BindNow && !is_now_) return;
    if (damage.when == When::Lazy && is_now_) return;
    if (damage.kind != Kind::UnknownType && damage.kind != Kind::UnknownPltType) {
      return die(StartEnd::Crashes, damage.error.to_string());
    }
    const std::string what = damage.kind == Kind::UnknownType ? "reloc" : "PLT reloc";
    fail("error while loading shared libraries", damage.object == 0 ? std::string() : shown(damage.object),
         "unexpected " + what + " type 0x" + type_digits(damage.relocation_type));
  }

  void meet_binding(const SymbolBinding& binding) {
    const std::size_t place = binding.is_bound() ? scope_place_[binding.provider] : ~std::size_t{0};
    if (damage_ != nullptr && place > damage_place_ && binding.provider != binding.referrer) {
      return die(StartEnd::Crashes, damage_->error.to_string());
    }
    const bool can_be_in_vain = !is_out_of_sight_.empty() && binding.is_bound() && !binding.is_repeated;
    if (can_be_in_vain) keep_provider(binding);
    if (can_be_in_vain && is_looked_for_in_vain(binding)) {
      return die(system_.rules.repeated_lookup_recurses ? StartEnd::Crashes : StartEnd::Blocks,
                 shown(binding.referrer) + ": " + std::string(binding.symbol) + " is of " + shown(binding.provider) +
                     ", which a filter has put before the first object of the namespace: the loader "
                     "looks it up again and again");
    }
    if (binding.tls_use != TlsUse::None) return meet_tls(binding);
    if (binding.is_repeated) {
      const bool warns = binding.referrer == 0 && binding.is_looked_up && binding.is_definition_protected;
      if (warns) meet_protected(binding, binding.provider);
      if (!is_over_) meet_resolver(binding, std::string(binding.symbol));
      return;
    }
    if (binding.referrer == 0) {
      for (const ObjectIndex object : binding.protected_passed_over) meet_protected(binding, object);
      if (is_over_) return;
    }
    if (binding.is_unversioned_where_required && system_.rules.match_assert_line != 0) {
      return end_process(
          "Inconsistency detected by ld.so: dl-lookup.c: " + std::to_string(system_.rules.match_assert_line) +
          ": check_match: Assertion `version->filename == NULL || ! _dl_name_match_p "
          "(version->filename, map)' failed!");
    }
    if (!binding.is_bound()) {
      if (!binding.is_weak) {
        fail("symbol lookup error", shown(binding.referrer),
             undefined_words(binding.symbol, Versioned{binding.has_version}, binding.version));
      }
      return;
    }
    const std::string symbol(binding.symbol);
    if (binding.referrer == 0 && binding.is_definition_protected) {
      meet_protected(binding, binding.provider);
      if (is_over_) return;
    }
    if (binding.lookup_class == LookupClass::Copy && binding.size_bytes > binding.wanted_size_bytes) {
      // RISC-V's and MIPS's sysdeps/*/dl-machine.h begin the line with two spaces.
      const std::uint16_t machine = map_.system->rules.target.machine;
      const std::string indent = machine == EM_RISCV || machine == EM_MIPS ? "  " : "";
      warn(indent + process_.argv0 + ": Symbol `" + symbol +
           "' has different size in shared object, consider re-linking");
    }
    meet_resolver(binding, symbol);
  }

  /// elf/dl-protected.h:_dl_check_protected_symbol: the program reaches past a library's own view of
  /// its symbol.
  void meet_protected(const SymbolBinding& binding, ObjectIndex object) {
    if (!system_.rules.warns_of_protected || is_over_) return;
    const std::string symbol(binding.symbol);
    const std::string provider(map_.objects[object].path);
    if (binding.lookup_class == LookupClass::Copy) {
      warn("warning: copy relocation against non-copyable protected symbol `" + symbol + "' in `" + provider + "'");
    } else if (binding.lookup_class == LookupClass::Plt && binding.is_direct) {
      warn("warning: direct reference to protected function `" + symbol + "' in `" + provider +
           "' may break pointer equality");
    } else {
      return;
    }
    if (map_.objects[object].elf.needs_indirect_access) {
      fail(symbol, provider, "error due to GNU_PROPERTY_1_NEEDED_INDIRECT_EXTERN_ACCESS");
    }
  }

  /// An IFUNC's resolver runs at once: its object should have been relocated before. Only x86's loader looks at that.
  void meet_resolver(const SymbolBinding& binding, const std::string& symbol) {
    const std::uint16_t machine = system_.rules.target.machine;
    if (machine != EM_X86_64 && machine != EM_386) return;
    if (binding.type != STT_GNU_IFUNC || binding.provider == binding.referrer) return;
    if (map_.objects[binding.provider].role == ObjectRole::Loader) return;
    if (place_[binding.provider] < place_[binding.referrer]) return;
    if (binding.provider == 0) {
      return end_process(process_.argv0 + ": IFUNC symbol '" + symbol + "' referenced in '" + shown(binding.referrer) +
                         "' is defined in the executable and creates an unsatisfiable "
                         "circular dependency.");
    }
    warn(process_.argv0 + ": Relink `" + std::string(map_.objects[binding.referrer].path) + "' with `" +
         std::string(map_.objects[binding.provider].path) + "' for IFUNC symbol `" + symbol + "'");
  }

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  const StartFacts& facts_;
  std::size_t dlopen_call_;
  std::pair<ObjectIndex, ObjectIndex> objects_;  ///< what it has loaded
  BindTime bind_time_;
  bool is_dlopen_;
  bool is_now_ = false;
  bool is_over_ = false;
  Startup startup_;
  std::optional<StaticTlsArea> tls_;
  ObjectIndex first_uncounted_ = 0;       ///< what objects before it took is in the books of a call that failed
  std::vector<bool> is_out_of_sight_;     ///< by object; empty: none is
  std::vector<bool> stays_;               ///< by object, where some are out of sight: dlclose does not take it
  std::vector<std::size_t> place_;        ///< of each object in the order of relocation
  std::vector<std::size_t> scope_place_;  ///< of each object in the scope
  std::size_t damage_place_ = 0;
  std::size_t tableless_place_ = 0;  ///< of the first object without them; beyond all: none
  ObjectIndex tableless_ = kNoObject;
  std::string_view missing_table_;
  const BindingDamage* damage_ = nullptr;
};

}  // namespace

std::vector<ObjectIndex> objects_above_cpu(const LinkMap& map) {
  std::vector<ObjectIndex> above;
  if (!map.system->rules.checks_isa) return above;
  const std::uint32_t has = isa_bits(map.process->cpu);
  const bool is_any = std::any_of(map.objects.begin(), map.objects.end(),
                                  [&](const LoadedObject& object) { return (object.elf.isa_needed & ~has) != 0; });
  if (!is_any) return above;  // no need to sort them
  for (std::size_t dlopen_call = 0; dlopen_call <= map.dlopen_calls.size(); ++dlopen_call) {
    const std::vector<ObjectIndex> sorted = dlopen_call == 0 ? dependency_sorted(map) : dlopen_sorted(map, dlopen_call);
    const auto [first, end] = map.loaded_by(dlopen_call);
    for (std::size_t i = sorted.size(); i-- > 0;) {
      const LoadedObject& object = map.objects[sorted[i]];
      if (object.role == ObjectRole::Loader || sorted[i] < first || sorted[i] >= end) continue;
      if ((object.elf.isa_needed & ~has) != 0) above.push_back(sorted[i]);
    }
  }
  return above;
}

Result<StartFacts> read_start_facts(const LinkMap& map, const BindOptions& options) {
  MapVersions versions(map);
  Result<Bindings> bindings = bind_symbols(map, versions, options);
  if (!bindings) return Unexpected{std::move(bindings).error()};
  Result<VersionCheck> check = check_versions(map, versions);
  if (!check) return Unexpected{std::move(check).error()};
  StartFacts facts{std::move(check).value(), std::move(bindings).value(), {}};
  facts.above_cpu = objects_above_cpu(map);
  return facts;
}

Startup start_up(const LinkMap& map, const StartFacts& facts, BindTime bind_time) {
  if (map.system->rules.libc == Libc::Musl) return start_up_musl(map, facts, 0, bind_time);
  return StartRun(map, facts, 0, bind_time).run();
}

Startup open_up(const LinkMap& map, const StartFacts& facts, std::size_t dlopen_call, BindTime bind_time) {
  if (map.system->rules.libc == Libc::Musl) return start_up_musl(map, facts, dlopen_call, bind_time);
  return StartRun(map, facts, dlopen_call, bind_time).run();
}

}  // namespace soresolve
