// The text of `bindings --symbol`, `--provider`, `--unused` and `--floor`. Names with versions as readelf prints them:
// f@V, f@@V for the default. The plain list, in the loader's words, is in bindings_text.cc.
#include "soresolve/report.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/path.h"
#include "report/binding_names.h"
#include "report/words.h"

namespace soresolve {
namespace {

/// f@V of what is not the default version, f@@V of what is.
Text full_name(std::string_view name, const Namesake& namesake) {
  if (namesake.version.empty()) return Text::escaped(name);
  return Text::escaped(name) + (namesake.is_hidden ? Text("@") : "@@") + Text::escaped(namesake.version);
}

Text place_of(const Namesake& namesake) {
  return "symbol " + Text::number(namesake.symbol_index) + " of DT_SYMTAB, at file offset " +
         Text::hex(namesake.file_offset) + ", version index " + Text::number(namesake.version_index);
}

Text all_names(std::string_view name, const AskedObject& asked) {
  Text text;
  for (const Namesake& namesake : asked.namesakes) {
    text.add_item(full_name(name, namesake), ", ");
  }
  return text;
}

class SymbolPrinter {
 public:
  SymbolPrinter(const BindingsSubject& subject, const SymbolAnswer& answer, Colour colour)
      : subject_(subject), answer_(answer), paint_(colour) {}

  Text print() {
    for (const SearchedReferences& references : answer_.references) print(references);
    if (answer_.dlsym) print_dlsym(*answer_.dlsym);
    return std::move(text_);
  }

 private:
  void line(const Text& content) { text_ += content + "\n"; }
  [[nodiscard]] Text object_name(ObjectIndex object) const { return Text::escaped(binding_name(subject_.map, object)); }

  void print(const SearchedReferences& references) {
    line(paint_.strong(Text::escaped(versioned_name(answer_.name, references.bindings.front().version))));
    // A symbol may be referred to in several ways, which are one reference to people.
    std::set<std::string> told;
    for (const SymbolBinding& binding : references.bindings) {
      const Text who = object_name(binding.referrer) + remarks_on(binding);
      if (told.insert(who.str()).second) line("  needed by   " + who);
    }
    print_ends(references);
    if (const Namesake* found = references.search.definition()) {
      line("  where       " + full_name(answer_.name, *found) + ": " + place_of(*found));
    }
    print_search(references.search, references.bindings.front().version);
  }

  static Text remarks_on(const SymbolBinding& binding) {
    Text text;
    const auto add = [&](const Text& remark) { text += (text.empty() ? Text("  (") : ", ") + remark; };
    if (binding.is_loaders_own) add("ld.so itself looks it up in the program's name");
    if (binding.is_weak) add("weak");
    if (binding.lookup_class == LookupClass::Copy) add("copy relocation");
    if (binding.is_lazy) add("at the first call");
    return text.empty() ? text : text + ")";
  }

  /// Nearly always one; a unique or protected symbol can lead elsewhere than the search does.
  void print_ends(const SearchedReferences& references) {
    std::set<ObjectIndex> told;
    for (const SymbolBinding& binding : references.bindings) {
      if (!told.insert(binding.provider).second) continue;
      if (binding.is_bound()) {
        const bool is_by_search = binding.provider == references.search.provider();
        line("  binds to    " + paint_.good(object_name(binding.provider)) +
             (is_by_search ? Text() : why_elsewhere(binding)));
      } else if (binding.is_weak) {
        line("  binds to    " + paint_.warn(Text("nothing")) + ": the reference is weak, its value becomes 0");
      } else {
        line("  binds to    " + paint_.bad(Text("nothing")) + ": undefined symbol: " + Text::escaped(binding.symbol) +
             (binding.has_version ? ", version " + Text::escaped(binding.version) : ""));
      }
    }
  }

  static Text why_elsewhere(const SymbolBinding& binding) {
    return binding.is_protected ? Text("  (its own protected symbol, whatever the search finds)")
                                : "  (STB_GNU_UNIQUE: the first definition that was bound to stands for all)";
  }

  void print_search(const SymbolSearch& search, std::string_view version) {
    line("  search      in this order, up to the first that matches:");
    const Text width = Text::number(search.asked.size());
    for (std::size_t i = 0; i < search.asked.size(); ++i) {
      const Text number = Text::number(i + 1);
      const AskedObject& asked = search.asked[i];
      const bool serves = asked.verdict == AskedVerdict::Serves;
      const Text verdict = verdict_on(asked, version);
      line("   " + Text::spaces(width.size() - number.size()) + number + ". " + object_name(asked.object) + ": " +
           (serves ? paint_.good(verdict) : verdict) +
           (asked.is_itself_first ? Text("  (asked first: DT_SYMBOLIC)") : Text()));
    }
    if (!search.serving) line("   " + Text::spaces(width.size()) + "  no object is left to search");
  }

  [[nodiscard]] Text verdict_on(const AskedObject& asked, std::string_view version) const {
    switch (asked.verdict) {
      case AskedVerdict::Serves: return "matches with " + full_name(answer_.name, asked.namesakes[*asked.served_by]);
      case AskedVerdict::NotDefined:
        return "not defined: " + (asked.has_gnu_hash ? Text("DT_GNU_HASH") : "DT_HASH") + " does not lead to the name";
      case AskedVerdict::OtherVersion:
        if (!version.empty()) return "other version: it has " + all_names(answer_.name, asked);
        return "other version: none is required, and it has " + all_names(answer_.name, asked) + " only, no default";
      case AskedVerdict::Ambiguous:
        return "ambiguous: no version is required, and it has several defaults: " + all_names(answer_.name, asked);
      case AskedVerdict::NotVisible: return "not visible: its definition is hidden or internal";
      case AskedVerdict::LocalBinding: return "not visible: its definition is local";
      case AskedVerdict::OnlyReference:
        return "no definition: it only refers to the name itself, by an address of its own";
      case AskedVerdict::SkippedProgram: return "not asked: a copy relocation copies from others";
      case AskedVerdict::WeakPassedOver:
        return "weak, and LD_DYNAMIC_WEAK prefers a strong one: " + all_names(answer_.name, asked);
      case AskedVerdict::NoHashTable: return "offers nothing: it has no hash table";
      case AskedVerdict::NoFile: return "not asked: it has no file";
      case AskedVerdict::Damaged: return "damaged: " + Text::escaped(asked.damage);
    }
    return {};
  }

  void print_dlsym(const SymbolSearch& search) {
    line(paint_.strong(Text::escaped(versioned_name(answer_.name, answer_.version))));
    line("  needed by   none: no relocation that start-up resolves names it");
    const Text call = answer_.version.empty() ? Text("dlsym") : "dlvsym";
    if (const Namesake* found = search.definition()) {
      line("  " + call + (answer_.version.empty() ? Text("       ") : "      ") + "would find it in " +
           paint_.good(object_name(search.provider())));
      line("  where       " + full_name(answer_.name, *found) + ": " + place_of(*found));
    } else {
      line("  " + call + (answer_.version.empty() ? Text("       ") : "      ") + "would find it " +
           paint_.warn(Text("nowhere")));
    }
    print_search(search, answer_.version);
  }

  const BindingsSubject& subject_;
  const SymbolAnswer& answer_;
  Paint paint_;
  Text text_;
};

}  // namespace

std::string symbol_answer_text(const BindingsSubject& subject, const SymbolAnswer& answer, Colour colour) {
  return SymbolPrinter(subject, answer, colour).print().str();
}

std::string unused_needs_text(const BindingsSubject& subject, const std::vector<UnusedNeed>& unused) {
  Text text;
  for (const UnusedNeed& entry : unused) {
    const Need& need = subject.map.objects[entry.needer].needs[entry.need];
    text += Text::escaped(binding_name(subject.map, entry.needer)) + "\t";
    text += Text::escaped(need.name) + "\t" + Text::escaped(subject.map.objects[entry.target].path);
    text += "\n";
  }
  return text.str();
}

std::string floors_text(const BindingsSubject& subject, const std::vector<Floor>& floors, Colour colour) {
  const Paint paint(colour);
  Text text;
  if (floors.empty()) text = "no floor: nothing requires a version of glibc, libstdc++, libgcc, CUDA or cuDNN\n";
  for (const Floor& floor : floors) {
    const auto name = [&](ObjectIndex object) { return Text::escaped(binding_name(subject.map, object)); };
    const Text product = floor.family == floor.product ? Text() : Text::escaped(floor.product) + " ";
    text += paint.strong(Text::escaped(floor.family) + ": " +
                         (floor.release.empty() ? "a release with " + Text::escaped(floor.node)
                                                : product + Text::escaped(floor.release)) +
                         " or later") +
            "\n";
    text += "  set by      " +
            (floor.symbol.empty() ? "the node alone, which is required"
                                  : Text::escaped(versioned_name(floor.symbol, floor.node))) +
            " in " + name(floor.consumer) + "\n";
    text += "  node        " + Text::escaped(floor.node) + " of " + Text::escaped(floor.file);
    if (floor.is_set_by_symbol) text += ", which older releases have, too: the function is newer";
    text += "\n  here        ";
    if (floor.provider == kNoObject) {
      text += paint.bad("no " + Text::escaped(floor.file));
    } else {
      const std::string& lacks = floor.is_set_by_symbol ? floor.symbol : floor.node;
      text += name(floor.provider) + ", " +
              (floor.here.empty() ? Text("which has no such nodes") : "up to " + Text::escaped(floor.here)) +
              (floor.is_met ? Text() : ": " + paint.bad("it lacks " + Text::escaped(lacks)));
    }
    text += "\n";
  }
  return text.str();
}

std::vector<ObjectIndex> objects_named(const LinkMap& map, std::string_view library) {
  std::vector<ObjectIndex> found;
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    const LoadedObject& object = map.objects[i];
    if (object.role == ObjectRole::Placeholder || library.empty()) continue;
    const std::string_view path = object.name();
    const std::string_view last = file_name_of(path);
    const bool has_soname = object.elf.soname && *object.elf.soname == library;
    if (path == library || last == library || has_soname || object.goes_by(library)) found.push_back(i);
  }
  return found;
}

std::string provider_text(const BindingsSubject& subject, ObjectIndex provider, Colour colour) {
  using Symbols = std::set<std::string_view>;
  std::map<ObjectIndex, std::map<std::string_view, Symbols>> users;
  subject.bindings.for_each([&](const Bindings::Event& event) {
    if (event.binding == nullptr || event.binding->provider != provider || event.binding->is_repeated) return;
    users[event.binding->referrer][event.binding->version].insert(event.binding->symbol);
  });
  const Paint paint(colour);
  Text text = paint.strong(Text::escaped(binding_name(subject.map, provider))) + "\n";
  if (users.empty()) text += "  no reference binds to it\n";
  for (const auto& [user, versions] : users) {
    std::size_t count = 0;
    for (const auto& [version, symbols] : versions) count += symbols.size();
    const Text name = Text::escaped(binding_name(subject.map, user));
    text += "  " + (user == provider ? "itself" : name) + ": " + Text::counted(count, "symbol") + "\n";
    for (const auto& [version, symbols] : versions) {
      text += "    " + (version.empty() ? Text("without version") : Text::escaped(version)) + ":";
      for (const std::string_view symbol : symbols) text += " " + Text::escaped(symbol);
      text += "\n";
    }
  }
  return text.str();
}

}  // namespace soresolve
