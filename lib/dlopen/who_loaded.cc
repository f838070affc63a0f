// How the objects of a running process came into it, by what its loader keeps of that.
//
// Source: glibc include/link.h: l_type (lt_library: at the start; lt_loaded: by dlopen, handed on to what that needs,
// elf/dl-deps.c:openaux) and l_loader (whose tag it was, elf/dl-load.c:_dl_new_object):
//
//   python3.11        main           DT_NEEDED libz.so.1, libc.so.6
//   libz.so.1         lt_library     l_loader python3.11, which needs it
//   _ssl.cpython.so   lt_loaded      no l_loader: a dlopen call
//   libssl.so.3       lt_loaded      l_loader _ssl.cpython.so, which needs it
//
// Of a dlopen call the loader does not keep whose code has made it (__RTLD_CALLMAP). The caller is likely
//   - libc.so.6 itself for what it opens under its own names: libgcc_s.so.1, libnss_*.so.*, gconv/*.so;
//   - for a module of Python, which defines PyInit_NAME, the object that defines Py_Initialize;
//   - else the only object, of those that were loaded before, that refers to dlopen, or in another namespace to
//   dlmopen.
// Where several do, it is unknown.
//
// musl keeps no type, and of a dlopen the program as who needs it: there the start is what the program and LD_PRELOAD
// lead to. So is it without the loader's list, where the first object that needs another one counts as the one that
// brought it.
//
// Not here: /etc/ld.so.preload and --preload of ld.so where l_type could not be read.
#include "dlopen/who_loaded.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "base/path.h"
#include "base/pieces.h"
#include "elf/table_reader.h"
#include "loader/live_process.h"
#include "loader/process.h"
#include "loader/system.h"
#include "symbols/map_files.h"
#include "symbols/references.h"
#include "symbols/symbol_table.h"

namespace soresolve {
namespace {

/// Who is likely to have opened an object.
class CallerFinder {
 public:
  explicit CallerFinder(const LinkMap& map) : map_(map), calls_(map.objects.size()) {}

  /// kNoObject: several may have.
  ObjectIndex find(ObjectIndex opened) {
    if (is_libcs_own(map_.objects[opened].path)) return find_libc(map_.objects[opened].space);
    const std::string_view file = file_name_of(map_.objects[opened].path);
    const bool is_module = defines(opened, "PyInit_" + std::string(file.substr(0, file.find('.'))));
    ObjectIndex found = kNoObject;
    for (const ObjectIndex caller : map_.list_order) {
      if (caller == opened) break;
      const bool is_same_space = map_.objects[caller].space == map_.objects[opened].space;
      if (is_same_space ? !calls_of(caller).is_any() : !calls_of(caller).dlmopen) continue;
      if (is_module && defines(caller, "Py_Initialize")) return caller;
      if (!is_module && found != kNoObject) return kNoObject;
      found = caller;
    }
    return is_module ? kNoObject : found;
  }

 private:
  static bool is_libcs_own(std::string_view path) {
    const std::string_view name = file_name_of(path);
    return name == "libgcc_s.so.1" || name.starts_with("libnss_") || path.find("/gconv/") != std::string_view::npos;
  }

  [[nodiscard]] ObjectIndex find_libc(std::uint32_t space) const {
    const auto is_libc = [&](ObjectIndex index) {
      const LoadedObject& object = map_.objects[index];
      return object.space == space && object.elf.soname == "libc.so.6";
    };
    const auto at = std::find_if(map_.list_order.begin(), map_.list_order.end(), is_libc);
    return at == map_.list_order.end() ? kNoObject : *at;
  }

  [[nodiscard]] bool defines(ObjectIndex index, std::string_view name) const {
    const Result<ObjectFile> opened = open_object_file(map_, index);
    if (!opened || opened->file == nullptr) return false;
    const Result<SymbolTable> table = read_symbol_table(
        *opened->file, *opened->elf, opened->path, [](const DynamicSymbol& symbol) { return symbol.is_defined(); });
    return table && std::any_of(table->symbols.begin(), table->symbols.end(),
                                [&](const DynamicSymbol& symbol) { return symbol.name == name; });
  }

  /// To which of them it refers, as others define them.
  struct Calls {
    bool dlopen = false;
    bool dlmopen = false;
    [[nodiscard]] bool is_any() const { return dlopen || dlmopen; }
  };
  const Calls& calls_of(ObjectIndex index) {
    if (!calls_[index]) calls_[index] = read_calls(index);
    return *calls_[index];
  }

  Calls read_calls(ObjectIndex index) {
    Calls calls;
    const Result<ObjectFile> opened = open_object_file(map_, index);
    if (!opened || opened->file == nullptr) return calls;
    TableReader reader(*opened->file, *opened->elf, tables_);
    ObjectReferences from;
    static_cast<void>(read_references(reader, *opened->elf, {.refuses_types = false}, {}, {}, scratch_, from));
    for (const ReferredSymbol& symbol : from.symbols) {
      if (symbol.is_defined) continue;
      const std::string_view name = from.name_of(symbol);
      calls.dlopen |= name == "dlopen" || name == "__libc_dlopen_mode";
      calls.dlmopen |= name == "dlmopen";
    }
    return calls;
  }

  const LinkMap& map_;
  std::vector<std::optional<Calls>> calls_;  ///< by object, once it was asked
  TableScratch tables_;
  ReferenceScratch scratch_;
};

class LoadingReader {
 public:
  explicit LoadingReader(const LinkMap& map) : map_(map), through_(map.objects.size()) {}

  std::vector<LoadedThrough> read() {
    mark_start();
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      if (map_.objects[i].live != nullptr && map_.objects[i].live->is_opened) {
        through_[i].when = *map_.objects[i].live->is_opened ? LoadedWhen::Later : LoadedWhen::Start;
      } else if (through_[i].when == LoadedWhen::NotKnown && map_.process->live->is_in_load_order) {
        through_[i].when = LoadedWhen::Later;
      }
    }
    for (ObjectIndex i = 1; i < map_.objects.size(); ++i) find_needer(i);
    cut_circles();
    CallerFinder callers(map_);
    for (ObjectIndex i = 1; i < map_.objects.size(); ++i) {
      LoadedThrough& through = through_[i];
      const bool is_opened = through.when == LoadedWhen::Later && through.by == kNoObject;
      if (!is_opened || map_.objects[i].role != ObjectRole::Library) continue;
      through.by = callers.find(i);
      if (through.by != kNoObject) through.confidence = Confidence::Likely;
    }
    return std::move(through_);
  }

 private:
  /// What the program and its preloads lead to.
  void mark_start() {
    std::vector<ObjectIndex> queue;
    const auto add = [&](ObjectIndex object) {
      if (object >= through_.size() || through_[object].when == LoadedWhen::Start) return;
      through_[object].when = LoadedWhen::Start;
      queue.push_back(object);
    };
    add(0);
    for (ObjectIndex i = 1; i < map_.objects.size(); ++i) {
      const ObjectRole role = map_.objects[i].role;
      if (role == ObjectRole::Loader || role == ObjectRole::Vdso || is_preload(map_.objects[i])) add(i);
    }
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const Need& need : map_.objects[queue[i]].needs) add(need.target);
    }
  }

  [[nodiscard]] bool is_preload(const LoadedObject& object) const {
    const std::optional<std::string_view> list = map_.process->environment.value("LD_PRELOAD");
    if (!list || map_.process->secure || object.space != 0) return false;
    const std::vector<std::string_view> names = words_in(*list, " :");
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return object.matches_name(name); });
  }

  [[nodiscard]] std::optional<std::uint32_t> need_of(ObjectIndex needer, ObjectIndex object) const {
    const std::vector<Need>& needs = map_.objects[needer].needs;
    const auto at = std::find_if(needs.begin(), needs.end(), [&](const Need& need) { return need.target == object; });
    if (at == needs.end()) return std::nullopt;
    return static_cast<std::uint32_t>(at - needs.begin());
  }

  void find_needer(ObjectIndex object) {
    LoadedThrough& through = through_[object];
    const LoadedObject& loaded = map_.objects[object];
    if (loaded.loader < map_.objects.size() && loaded.loader != object) {
      through.need = need_of(loaded.loader, object);
      const bool is_of_musl = map_.system->rules.libc == Libc::Musl;
      if (through.need || !is_of_musl || through.when == LoadedWhen::Start) through.by = loaded.loader;
      return;
    }
    // ld.so has no l_loader, nor has anything where the list could not be read.
    for (const ObjectIndex needer : map_.list_order) {
      if (needer == object || through_[needer].when != through.when) continue;
      through.need = need_of(needer, object);
      if (!through.need) continue;
      through.by = needer;
      return;
    }
  }

  /// The list is a stranger's, and needs can go round.
  void cut_circles() {
    constexpr ObjectIndex kUnseen = kNoObject;
    std::vector<ObjectIndex> seen_from(through_.size(), kUnseen);
    for (ObjectIndex i = 0; i < through_.size(); ++i) {
      for (ObjectIndex at = i; at != kNoObject && seen_from[at] == kUnseen;) {
        seen_from[at] = i;
        const ObjectIndex next = through_[at].by;
        if (next != kNoObject && seen_from[next] == i) {
          through_[at].by = kNoObject;
          through_[at].need.reset();
        }
        at = through_[at].by;
      }
    }
  }

  const LinkMap& map_;
  std::vector<LoadedThrough> through_;
};

}  // namespace

bool is_of_running_process(const LinkMap& map) {
  return map.process->live != nullptr && map.dlopen_calls.empty() && map.requested.empty();
}

std::vector<LoadedThrough> who_loaded(const LinkMap& map) { return LoadingReader(map).read(); }

}  // namespace soresolve
