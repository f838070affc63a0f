// MuslRun replays the messages: libraries that are missing, then each relocation that cannot be made, object by object,
// DT_JMPREL before the others. Source: musl 1.2 ldso/dynlink.c:do_relocs, arch/*/reloc.h for the types. Left out:
// constructors, DT_RELR, what memcpy(3) of a copy relocation trips over.
#include "symbols/musl.h"

#include <elf.h>

#include <algorithm>
#include <unordered_map>

#include "elf/relocation_reader.h"
#include "elf/relocation_types.h"
#include "loader/process.h"
#include "loader/system.h"
#include "symbols/map_files.h"
#include "symbols/object_digest.h"
#include "symbols/writable_places.h"

namespace soresolve {
namespace {

/// What musl does with a type; each machine knows about ten.
enum class MuslUse : std::uint8_t { None, Value, Slot, Copy, TlsModule, TlsOffset, TlsStatic, Unknown };

MuslUse x86_64_musl_use(std::uint32_t type) {
  switch (type) {
    case R_X86_64_NONE: return MuslUse::None;
    case R_X86_64_64:
    case R_X86_64_PC32:
    case R_X86_64_RELATIVE: return MuslUse::Value;
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT: return MuslUse::Slot;
    case R_X86_64_COPY: return MuslUse::Copy;
    case R_X86_64_DTPMOD64:
    case R_X86_64_TLSDESC: return MuslUse::TlsModule;
    case R_X86_64_DTPOFF64: return MuslUse::TlsOffset;
    case R_X86_64_TPOFF64: return MuslUse::TlsStatic;
    default: return MuslUse::Unknown;
  }
}

MuslUse aarch64_musl_use(std::uint32_t type) {
  switch (type) {
    case R_AARCH64_NONE: return MuslUse::None;
    case R_AARCH64_ABS64:
    case R_AARCH64_RELATIVE: return MuslUse::Value;
    case R_AARCH64_GLOB_DAT:
    case R_AARCH64_JUMP_SLOT: return MuslUse::Slot;
    case R_AARCH64_COPY: return MuslUse::Copy;
    case R_AARCH64_TLS_DTPMOD:
    case R_AARCH64_TLSDESC: return MuslUse::TlsModule;
    case R_AARCH64_TLS_DTPREL: return MuslUse::TlsOffset;
    case R_AARCH64_TLS_TPREL: return MuslUse::TlsStatic;
    default: return MuslUse::Unknown;
  }
}

/// Of other machines no type counts as unknown.
MuslUse musl_use(std::uint16_t machine, std::uint32_t type) {
  if (machine == EM_X86_64) return x86_64_musl_use(type);
  if (machine == EM_AARCH64) return aarch64_musl_use(type);
  switch (relocation_use(machine, type)) {
    case RelocationUse::None: return MuslUse::None;
    case RelocationUse::Indirect: return MuslUse::Unknown;
    case RelocationUse::JumpSlot:
    case RelocationUse::Data: return MuslUse::Slot;
    case RelocationUse::Copy: return MuslUse::Copy;
    case RelocationUse::TlsDesc: return MuslUse::TlsModule;
    case RelocationUse::StaticTls: return MuslUse::TlsStatic;
    default: return MuslUse::Value;
  }
}

/// The class that the reference was entered by: relocation_use() has decided it.
LookupClass class_of_type(std::uint16_t machine, std::uint32_t type) {
  switch (relocation_use(machine, type)) {
    case RelocationUse::JumpSlot:
    case RelocationUse::TlsDesc:
    case RelocationUse::StaticTls:
    case RelocationUse::Plt: return LookupClass::Plt;
    case RelocationUse::Copy: return LookupClass::Copy;
    default: return LookupClass::Plain;
  }
}

class MuslRun {
 public:
  MuslRun(const LinkMap& map, const StartFacts& facts, std::size_t dlopen_call, BindTime bind_time)
      : map_(map), facts_(facts), dlopen_call_(dlopen_call), bind_time_(bind_time),
        objects_(map.loaded_by(dlopen_call)), is_dlopen_(dlopen_call != 0 || map.process->start == Start::Dlopen) {}

  Startup run() {
    find_files();
    if (!is_over_) relocate();
    return std::move(startup_);
  }

 private:
  [[nodiscard]] std::string_view shown(ObjectIndex object) const { return musl_name_of(map_, object); }

  /// A start goes on, to end at last; a dlopen ends here.
  void say_error(std::string line) {
    if (is_over_) return;
    if (!startup_.fatal_line) startup_.fatal_line = startup_.lines.size();
    startup_.lines.push_back(std::move(line));
    startup_.end = StartEnd::Fails;
    is_over_ = is_dlopen_;
  }
  void die(StartEnd end, std::string why) {
    if (is_over_) return;
    startup_.end = end;
    startup_.death = std::move(why);
    is_over_ = true;
  }

  void find_files() {
    if (dlopen_call_ != 0 && map_.dlopen_calls[dlopen_call_ - 1].is_absent) {
      const DlopenCall& dlopen_call = map_.dlopen_calls[dlopen_call_ - 1];
      const Need& need = map_.objects[dlopen_call.request.needer].needs[dlopen_call.request.need];
      return say_error("Library " + std::string(need.name) + " is not already loaded");
    }
    for (const LoadFailure& failure : map_.failures) {
      if (failure.dlopen_call != dlopen_call_ || !failure.is_fatal_at_start) continue;
      if (failure.kind == LoadFailure::Kind::Crash) {
        return die(StartEnd::Crashes, failure.object + ": " + failure.text);
      }
      if (failure.kind == LoadFailure::Kind::Block) return die(StartEnd::Blocks, failure.object + ": " + failure.text);
      say_error(failure.line);
    }
  }

  void relocate() {
    for (const BindingDamage& damage : facts_.bindings.damages()) {
      if (damage.kind == BindingDamage::Kind::Relocations) damages_.emplace(damage.object, &damage);
    }
    note_bindings();
    const std::vector<ObjectIndex>& scope = facts_.bindings.scope(dlopen_call_);
    for (const ObjectIndex index : scope) {
      const LoadedObject& object = map_.objects[index];
      const bool has_table = object.elf.symbol_tags.sysv_hash || object.elf.symbol_tags.gnu_hash;
      if (has_table || (object.role != ObjectRole::Library && object.role != ObjectRole::Main)) continue;
      tableless_ = index;
      break;
    }
    for (const ObjectIndex index : facts_.bindings.relocation_order()) {
      if (index >= objects_.first && index < objects_.second) relocate(index);
    }
    // __dls3: has malloc been replaced? A library without a table has ended the start before.
    if (tableless_ == 0 && !is_dlopen_ && startup_.end == StartEnd::Runs) {
      die(StartEnd::Crashes, std::string(kDiesOfMalloc));
    }
  }

  static std::uint64_t key_of(std::uint32_t symbol, LookupClass lookup_class) {
    return std::uint64_t{symbol} << 8 | static_cast<std::uint64_t>(lookup_class);
  }

  void note_bindings() {
    providers_.resize(map_.objects.size());
    facts_.bindings.for_each([&](const Bindings::Event& event) {
      if (event.binding == nullptr || event.binding->is_repeated) return;
      const SymbolBinding& binding = *event.binding;
      providers_[binding.referrer].emplace(key_of(binding.symbol_index, binding.lookup_class), binding.provider);
      if (!binding.is_undefined() || binding.referrer < objects_.first || binding.referrer >= objects_.second) return;
      startup_.undefined.push_back(
          {binding.referrer, std::string(binding.symbol), std::string(binding.version), binding.has_version, false});
    });
  }

  void relocate(ObjectIndex index) {
    const auto damage = damages_.find(index);
    const auto die_of_damage = [&] {
      if (damage != damages_.end()) die(StartEnd::Crashes, damage->second->error.to_string());
    };
    const Result<ObjectFile> opened = open_object_file(map_, index);
    if (!opened || opened->file == nullptr) return die_of_damage();
    TableReader reader(*opened->file, *opened->elf, tables_);
    std::vector<Relocation> plt;
    std::vector<Relocation> others;
    static_cast<void>(for_each_relocation(reader, *opened->elf, [&](const Relocation& relocation) {
      (relocation.is_in_plt ? plt : others).push_back(relocation);
    }));
    const bool is_kernels = index == 0 && map_.process->start == Start::Kernel;
    WritablePlaces writable(*opened->elf, text_relocations(Libc::Musl, is_kernels));
    for (const std::vector<Relocation>* part : {&plt, &others}) {
      for (const Relocation& relocation : *part) {
        if (is_over_) return;
        // What is not found, or of an unknown type, is passed over before anything is written.
        if (make(index, *opened->elf, reader, relocation) && !writable.have(relocation.address)) die_of_damage();
      }
    }
    die_of_damage();
  }

  struct Asked {
    std::string name;
    std::uint64_t size_bytes = 0;
    bool is_local = false;
    bool is_weak = false;
    bool is_defined = false;
  };
  static Asked read_symbol(TableReader& reader, const ElfObject& elf, std::uint32_t symbol) {
    Asked asked;
    const std::size_t size = reader.is_64() ? 24 : 16;
    const SymbolTags& tags = elf.symbol_tags;
    if (!tags.symbol_table || !tags.string_table) return asked;
    const auto bytes =
        reader.view(TableReader::Table::Symbols, static_cast<std::uint64_t>(*tags.symbol_table) + symbol * size, size);
    if (bytes.size() < size) return asked;
    const std::size_t info = reader.is_64() ? 4 : 12;
    const unsigned binding = std::to_integer<unsigned>(bytes[info]) >> 4;
    asked.is_local = binding == STB_LOCAL;
    asked.is_weak = binding == STB_WEAK;
    asked.is_defined = load_as<std::uint16_t>(bytes.data() + info + 2, reader.order()) != SHN_UNDEF;
    asked.size_bytes = reader.is_64() ? load_as<std::uint64_t>(bytes.data() + 16, reader.order())
                                      : load_as<std::uint32_t>(bytes.data() + 8, reader.order());
    const std::uint64_t offset = load_as<std::uint32_t>(bytes.data(), reader.order());
    if (const auto name = reader.string_at(static_cast<std::uint64_t>(*tags.string_table) + offset)) {
      asked.name = std::string(*name);
    }
    return asked;
  }

  /// Is something written?
  bool make(ObjectIndex index, const ElfObject& elf, TableReader& reader, const Relocation& relocation) {
    const MuslUse use =
        musl_use(elf.target.machine == map_.system->rules.target.machine ? elf.target.machine
                                                                         : map_.system->rules.target.machine,
                 relocation.type);
    if (use == MuslUse::None) return false;
    Asked asked;
    ObjectIndex provider = index;
    if (relocation.symbol != 0) {
      asked = read_symbol(reader, elf, relocation.symbol);
      provider = asked.is_local ? index : provider_of(index, elf, relocation);
      const bool is_missing = tableless_ != kNoObject && !asked.is_local && comes_behind(provider);
      if (is_missing) {
        die(StartEnd::Crashes, std::string(shown(tableless_)) +
                                   ": has neither DT_HASH nor DT_GNU_HASH: the loader dies of the first lookup");
        return false;
      }
      if (provider == kNoObject && (!asked.is_weak || asked.is_defined)) {
        const bool waits = is_dlopen_ && bind_time_ == BindTime::AsAsked && use == MuslUse::Slot && !elf.is_bind_now;
        if (!waits) {
          // A weak symbol of its own that does not count, which Bindings take for one that may stay open.
          if (asked.is_weak && !is_over_) startup_.undefined.push_back({index, asked.name, {}, false, false});
          say_error("Error relocating " + std::string(shown(index)) + ": " + asked.name + ": symbol not found");
        }
        return false;
      }
    }
    const bool reads_module = use == MuslUse::TlsModule || use == MuslUse::TlsStatic;
    if (provider == kNoObject && (reads_module || (use == MuslUse::Copy && asked.size_bytes != 0))) {
      die(StartEnd::Crashes, std::string(shown(index)) + ": " + asked.name +
                                 ": undefined and weak, which the loader follows without a look");
      return false;
    }
    if (use == MuslUse::TlsStatic && is_dlopen_ && provider != kNoObject && map_.dlopen_call_of(provider) != 0 &&
        has_tls(provider)) {
      say_error("Error relocating " + std::string(shown(index)) + ": " +
                (relocation.symbol == 0 ? "(null)" : asked.name) +
                ": initial-exec TLS resolves to dynamic definition in " + std::string(shown(provider)));
      return false;
    }
    if (use == MuslUse::Unknown) {
      say_error("Error relocating " + std::string(shown(index)) + ": unsupported relocation type " +
                std::to_string(relocation.type));
      return false;
    }
    return true;
  }

  [[nodiscard]] ObjectIndex provider_of(ObjectIndex index, const ElfObject& elf, const Relocation& relocation) const {
    const auto& known = providers_[index];
    const auto at = known.find(key_of(relocation.symbol, class_of_type(elf.target.machine, relocation.type)));
    return at == known.end() ? kNoObject : at->second;
  }

  /// Is the object without a table asked before that provider?
  [[nodiscard]] bool comes_behind(ObjectIndex provider) const {
    for (const ObjectIndex index : facts_.bindings.scope(dlopen_call_)) {
      if (index == tableless_) return true;
      if (index == provider) return false;
    }
    return true;
  }

  [[nodiscard]] bool has_tls(ObjectIndex object) const {
    const auto& segments = map_.objects[object].elf.segments;
    return std::any_of(segments.begin(), segments.end(), [](const Segment& s) { return s.type == PT_TLS; });
  }

  const LinkMap& map_;
  const StartFacts& facts_;
  std::size_t dlopen_call_;
  BindTime bind_time_;
  std::pair<ObjectIndex, ObjectIndex> objects_;
  bool is_dlopen_;
  bool is_over_ = false;
  Startup startup_;
  ObjectIndex tableless_ = kNoObject;
  std::vector<std::unordered_map<std::uint64_t, ObjectIndex>> providers_;  ///< by object
  std::unordered_map<ObjectIndex, const BindingDamage*> damages_;
  TableScratch tables_;
};

}  // namespace

std::string_view musl_name_of(const LinkMap& map, ObjectIndex object) {
  if (object != 0) return map.objects[object].path;
  const bool is_hidden = map.process->start == Start::Kernel && map.file.starts_with("/proc/");
  return is_hidden ? std::string_view(map.process->argv0) : std::string_view(map.file);
}

Startup start_up_musl(const LinkMap& map, const StartFacts& facts, std::size_t dlopen_call, BindTime bind_time) {
  return MuslRun(map, facts, dlopen_call, bind_time).run();
}

}  // namespace soresolve
