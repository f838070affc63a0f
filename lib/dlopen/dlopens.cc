// Source: glibc elf/dl-open.c:dl_open_worker_begin (the caller's search lists count), elf/dl-load.c:
// _dl_map_object; ld.so's rules of dlopen are those of a DT_NEEDED of the caller.
#include "soresolve/dlopens.h"

#include <elf.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "base/enum_names.h"
#include "base/pieces.h"
#include "dlopen/find_dlopens.h"
#include "dlopen/known_file.h"
#include "dlopen/known_loaders.h"
#include "dlopen/opened_later.h"
#include "elf/dlopen_note.h"
#include "elf/library_literals.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "symbols/map_files.h"
#include "symbols/symbol_table.h"

namespace soresolve {
namespace {

constexpr unsigned kMaxDegree = 2;
constexpr std::size_t kNoGroup = ~std::size_t{0};

/// Goes through one map, and through the maps of what is opened from it.
class DlopenFinder {
 public:
  DlopenFinder(const LinkMap& map, DlopenLevel level, AfterImport after)
      : system_(*map.system), process_(*map.process), first_map_(map), level_(level), after_(after) {
    Process later = process_;
    later.start = Start::Dlopen;
    later_ = std::make_shared<const Process>(std::move(later));
  }

  Dlopens run() {
    look_through(first_map_, 0);
    for (unsigned degree = 1; degree < kMaxDegree; ++degree) {
      const std::vector<LinkMap> maps = std::exchange(opened_maps_, {});
      for (const LinkMap& map : maps) look_through(map, degree);
    }
    return std::move(found_);
  }

 private:
  /// One object that may open others.
  struct Opener {
    const LinkMap& map;
    ObjectIndex object;
    ObjectFile file;
    LoneSearcher& searcher;
    unsigned degree;
    std::optional<std::vector<LibraryLiteral>> literals;  ///< once they have been read
  };

  void look_through(const LinkMap& map, unsigned degree) {
    LoneSearcher searcher(map);
    const std::vector<bool> belongs = map.target_closure();
    for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
      if (is_full()) return tell_full();
      const LoadedObject& object = map.objects[i];
      if (object.role != ObjectRole::Library && !(i == 0 && !map.main_path.empty())) continue;
      if (!belongs[i]) continue;
      const FileId id = object.status.id;
      if (!seen_.insert({id.device, id.inode}).second) continue;
      Result<ObjectFile> file = open_object_file(map, i);
      if (!file || file->file == nullptr) continue;
      Opener opener{map, i, std::move(file).value(), searcher, degree, {}};
      add_notes(opener);
      if (level_ >= DlopenLevel::Known) add_known(opener);
      if (level_ >= DlopenLevel::Known && degree == 0 && object.elf.soname == "libc.so.6") add_unwinder(opener);
      if (level_ >= DlopenLevel::Strings) add_literals(opener);
    }
  }

  [[nodiscard]] bool is_full() const { return found_.list.size() >= kMaxDlopens; }

  void tell_full() {
    const auto is_limit = [](const Error& error) {
      return error.code == ErrorCode::LimitReached && error.path.empty();
    };
    if (std::any_of(found_.damaged.begin(), found_.damaged.end(), is_limit)) return;
    found_.damaged.push_back(
        {ErrorCode::LimitReached,
         {},
         {},
         std::to_string(kMaxDlopens) + " libraries that are opened later are checked, and no more"});
  }

  [[nodiscard]] static Dlopen opened_by(const Opener& opener) {
    Dlopen opened;
    opened.opener = opener.map.objects[opener.object].name();
    if (opener.degree == 0) opened.object = opener.object;
    return opened;
  }

  void add_notes(Opener& opener) {
    DlopenNotes notes = read_dlopen_notes(*opener.file.file, *opener.file.elf, opener.file.path);
    std::move(notes.damaged.begin(), notes.damaged.end(), std::back_inserter(found_.damaged));
    for (DlopenNote& note : notes.list) {
      Dlopen opened = opened_by(opener);
      opened.source = DlopenSource::Note;
      opened.evidence = Confidence::Proven;
      opened.importance = note.importance;
      opened.feature = std::move(note.feature);
      opened.description = std::move(note.description);
      opened.reported_by = say("by-note-at", {{"offset", note.file_offset}});
      opened.reported_at = note.file_offset;
      open_by_name(opener, note.sonames, std::move(opened));
    }
  }

  void add_known(Opener& opener) {
    const std::optional<KnownFile> known = recognise(opener.map, opener.object);
    if (!known || (known->loader->import != nullptr && after_ == AfterImport::Yes)) return;
    // A package is found by several of its files, and opens its libraries once.
    if (!known->site.empty() && !seen_packages_.insert(known->site + ":" + std::string(known->loader->title)).second) {
      return;
    }
    const std::size_t first = found_.list.size();
    first_map_of_group_ = opened_maps_.size();
    for (const KnownOpen& open : known->loader->opens) {
      if (!holds_for(known->release, open.from_release, open.to_release)) continue;
      const bool is_missing = found_.list.size() > first && !found_.list[first].is_good();
      if (open.when == KnownWhen::IfFirstLoads && is_missing) continue;
      if (open.when == KnownWhen::IfFirstFails &&
          !(is_missing && is_in_message(known->loader->opens, found_.list[first].failure))) {
        continue;
      }
      if (open.when == KnownWhen::IfThere && path_for(*system_.files, *known, open).path.empty()) continue;
      if (!open.only_if_named.empty() && !has_literal(opener, open.only_if_named)) continue;
      add_known_open(opener, *known, open);
    }
    if (found_.list.size() > first && !found_.list[first].failure.empty()) try_again(found_.list[first]);
    first_map_of_group_ = kNoGroup;
  }

  /// libgcc_s.so.1, where it is missing and something of the process calls what needs it. That is seldom so, and only
  /// then are symbols read.
  void add_unwinder(Opener& libc) {
    const std::string name = "libgcc_s.so.1";
    if (system_.rules.libc != Libc::Glibc || loaded_as(name) != nullptr) return;
    if (is_found(libc.searcher.search(libc.object, name, PastFirst::Stop).outcome)) return;
    const std::vector<bool> belongs = libc.map.target_closure();
    for (ObjectIndex i = 0; i < libc.map.objects.size(); ++i) {
      const LoadedObject& object = libc.map.objects[i];
      const bool is_main = i == 0 && !libc.map.main_path.empty();
      if (!belongs[i] || i == libc.object || (object.role != ObjectRole::Library && !is_main)) continue;
      const std::string function = unwinding_function_of(libc.map, i);
      if (function.empty()) continue;
      Dlopen opened = opened_by(libc);
      opened.source = DlopenSource::Known;
      opened.evidence = Confidence::Likely;
      // A library may be of use without its threads; what is asked about is known to end them.
      opened.importance = i == libc.map.subject() ? Importance::Required : Importance::Recommended;
      opened.reported_by = say("by-glibc-function", {{"function", function}, {"caller", std::string(object.name())}});
      open_by_name(libc, {name}, std::move(opened));
      return;
    }
  }

  /// The first of kUnwindingFunctions that the object requires; empty: none.
  static std::string unwinding_function_of(const LinkMap& map, ObjectIndex object) {
    const Result<ObjectFile> file = open_object_file(map, object);
    if (!file || file->file == nullptr) return {};
    const Result<SymbolTable> table =
        read_symbol_table(*file->file, *file->elf, file->path,
                          [](const DynamicSymbol& one) { return !one.is_defined() && one.binding == STB_GLOBAL; });
    if (!table) return {};
    for (const DynamicSymbol& symbol : table->symbols) {
      const bool is_one =
          std::find(kUnwindingFunctions.begin(), kUnwindingFunctions.end(), symbol.name) != kUnwindingFunctions.end();
      if (is_one && !symbol.is_defined() && symbol.binding == STB_GLOBAL) return std::string(symbol.name);
    }
    return {};
  }

  void add_known_open(Opener& opener, const KnownFile& known, const KnownOpen& open) {
    Dlopen opened = opened_by(opener);
    if (!known.script.empty()) {
      opened.opener = known.script;
      opened.object = kNoObject;
      opened.is_by_script = true;
    }
    opened.source = DlopenSource::Known;
    opened.evidence = known.is_release_known ? known.loader->evidence : Confidence::Guess;
    opened.importance = open.importance;
    if (!known.loader->brought_by.empty()) {
      const std::string release = known.release.empty() ? std::string() : "==" + known.release;
      opened.wheel = std::string(known.loader->brought_by) + release;
    }
    opened.reported_by = say("by-known", {{"title", known.title}, {"source", known.loader->source}});
    DlopenChoice choice;
    if (!open.folder.empty()) choice = path_for(*system_.files, known, open);
    if (open.folder.empty() || (choice.path.empty() && open.is_by_name_else)) {
      open_by_name(opener, names_for(opener, open.names), std::move(opened));
    } else {
      open_by_path(std::move(choice), std::move(opened));
    }
  }

  /// What was opened for lack of them may serve its needs now.
  void try_again(Dlopen& opened) {
    OpenedLater later = open_later(later_, first_map_, opened_in_group(), opened.choices.back().path);
    if (!later.failure.empty()) return;
    opened.failure.clear();
    opened.is_second_try = true;
    opened.description = "at the second try, once those behind it are loaded";
  }

  /// What the package whose entry is gone through has opened so far.
  [[nodiscard]] std::span<const LinkMap> opened_in_group() const {
    const std::span<const LinkMap> all(opened_maps_);
    return first_map_of_group_ == kNoGroup ? std::span<const LinkMap>() : all.subspan(first_map_of_group_);
  }

  /// Is one of the libraries that would be opened then named in the message of the failure?
  static bool is_in_message(std::span<const KnownOpen> opens, std::string_view failure) {
    return std::any_of(opens.begin(), opens.end(), [&](const KnownOpen& open) {
      return open.when == KnownWhen::IfFirstFails &&
             failure.find(open.names.substr(0, open.names.find('.'))) != std::string_view::npos;
    });
  }

  const std::vector<LibraryLiteral>& literals_of(Opener& opener) {
    if (!opener.literals) opener.literals = find_library_literals(*opener.file.file, *opener.file.elf);
    return *opener.literals;
  }

  static bool has_literal(const Opener& opener, std::string_view name) {
    return find_library_literal(*opener.file.file, *opener.file.elf, name).has_value();
  }

  /// The names to try; a pattern becomes what the opener has among its constants.
  static std::vector<std::string> names_for(const Opener& opener, std::string_view names) {
    std::vector<std::string> list;
    for (const std::string_view name : words_in(names)) {
      if (name.find('*') == std::string_view::npos) {
        list.emplace_back(name);
        continue;
      }
      if (auto literal = find_library_literal(*opener.file.file, *opener.file.elf, name)) {
        list.push_back(std::move(literal->name));
      }
    }
    return list;
  }

  void add_literals(Opener& opener) {
    const ElfObject& elf = *opener.file.elf;
    std::set<std::string_view> known(elf.version_files.begin(), elf.version_files.end());
    if (elf.soname) known.insert(*elf.soname);
    for (const NeedEntry& need : elf.needs) known.insert(need.name);
    std::set<std::string, std::less<>> reported;
    for (const Dlopen& opened : found_.list) {
      if (opened.opener != opener.map.objects[opener.object].name()) continue;
      for (const DlopenChoice& choice : opened.choices) reported.insert(choice.name);
    }
    for (const LibraryLiteral& literal : literals_of(opener)) {
      if (known.contains(literal.name) || reported.contains(literal.name)) continue;
      Dlopen opened = opened_by(opener);
      opened.source = DlopenSource::Literal;
      opened.evidence = Confidence::Guess;
      opened.importance = Importance::Suggested;
      opened.reported_by = say("by-constant-at", {{"offset", literal.file_offset}});
      opened.reported_at = literal.file_offset;
      open_by_name(opener, {literal.name}, std::move(opened));
    }
  }

  void open_by_name(const Opener& opener, const std::vector<std::string>& names, Dlopen opened) {
    for (const std::string& name : names) {
      opened.choices.push_back({name, {}, {}});
      DlopenChoice& choice = opened.choices.back();
      if (const LoadedObject* loaded = loaded_as(name)) {
        choice = {name, std::string(loaded->path), "already loaded"};
        opened.is_loaded = true;
      } else {
        const LoneSearch search = opener.searcher.search(opener.object, name, PastFirst::Stop);
        if (!is_found(search.outcome)) continue;
        choice.path = search.path;
        if (!search.trace.attempts.empty()) choice.found_by = name_of(search.trace.attempts.back().step);
      }
      opened.is_found = true;
      break;
    }
    finish(std::move(opened));
  }

  void open_by_path(DlopenChoice choice, Dlopen opened) {
    opened.is_found = !choice.path.empty();
    opened.choices.push_back(std::move(choice));
    finish(std::move(opened));
  }

  void finish(Dlopen opened) {
    if (opened.choices.empty()) return;
    if (is_full()) return tell_full();
    std::optional<LinkMap> map;
    if (opened.is_found && !opened.is_loaded) {
      OpenedLater later = open_later(later_, first_map_, opened_in_group(), opened.choices.back().path);
      opened.is_loaded = later.is_loaded;
      opened.failure = std::move(later.failure);
      map = std::move(later.map);
    }
    found_.list.push_back(std::move(opened));
    if (map) opened_maps_.push_back(std::move(*map));
  }

  /// An object of the process that has this name: it is taken without a search.
  [[nodiscard]] const LoadedObject* loaded_as(std::string_view name) const {
    for (const LoadedObject& object : first_map_.objects) {
      if (object.role != ObjectRole::Library) continue;
      if (object.matches_name(name) || (object.elf.soname && *object.elf.soname == name)) return &object;
    }
    return nullptr;
  }

  const System& system_;
  const Process& process_;
  std::shared_ptr<const Process> later_;  ///< the same once it runs: what opens files then
  const LinkMap& first_map_;
  DlopenLevel level_;
  AfterImport after_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;
  std::set<std::string> seen_packages_;
  std::vector<LinkMap> opened_maps_;           ///< of what was opened, not yet looked through
  std::size_t first_map_of_group_ = kNoGroup;  ///< index into them
  Dlopens found_;
};

}  // namespace

std::string_view name_of(Importance importance) {
  using enum Importance;
  static constexpr auto kNames =
      enum_names<Importance>({{Required, "required"}, {Recommended, "recommended"}, {Suggested, "suggested"}});
  return kNames[importance];
}

std::string_view name_of(DlopenSource source) {
  using enum DlopenSource;
  static constexpr auto kNames =
      enum_names<DlopenSource>({{Note, "note"}, {Known, "known"}, {Literal, "literal"}, {Package, "package"}});
  return kNames[source];
}

std::string_view name_of(Confidence evidence) {
  using enum Confidence;
  static constexpr auto kNames = enum_names<Confidence>({{Proven, "proven"}, {Likely, "likely"}, {Guess, "guess"}});
  return kNames[evidence];
}

const Dlopen* first_missing_dlopen(const Dlopens& dlopens) {
  const auto missing = std::find_if(dlopens.list.begin(), dlopens.list.end(), [](const Dlopen& opened) {
    return !opened.is_good() && opened.importance == Importance::Required && opened.source != DlopenSource::Literal;
  });
  return missing == dlopens.list.end() ? nullptr : &*missing;
}

Dlopens find_dlopens(const LinkMap& map, DlopenLevel level, AfterImport after) {
  if (level == DlopenLevel::None) return {};
  return DlopenFinder(map, level, after).run();
}

}  // namespace soresolve
