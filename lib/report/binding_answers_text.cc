// The text of `bindings --symbol`, `--provider`, `--unused` and `--floor`. Names with versions as readelf prints them:
// f@V, f@@V for the default. The plain list, in the loader's words, is in bindings_text.cc.
#include "soresolve/report_binding_answers.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/path.h"
#include "report/binding_names.h"
#include "report/words.h"

namespace soresolve {
namespace {

/// f@V of what is not the default version, f@@V of what is.
std::string full_name(std::string_view name, const Namesake& namesake) {
  if (namesake.version.empty()) return printable(name);
  return printable(name) + (namesake.is_hidden ? "@" : "@@") + printable(namesake.version);
}

std::string place_of(const Namesake& namesake) {
  return "symbol " + std::to_string(namesake.symbol_index) + " of DT_SYMTAB, at file offset " +
         hex(namesake.file_offset) + ", version index " + std::to_string(namesake.version_index);
}

std::string all_names(std::string_view name, const AskedObject& asked) {
  std::string text;
  for (const Namesake& namesake : asked.namesakes) {
    text += (text.empty() ? "" : ", ") + full_name(name, namesake);
  }
  return text;
}

class SymbolPrinter {
 public:
  SymbolPrinter(const BindingsSubject& subject, const SymbolAnswer& answer, Colour colour)
      : subject_(subject), answer_(answer), paint_(colour) {}

  std::string print() {
    for (const SearchedReferences& references : answer_.references) print(references);
    if (answer_.dlsym) print_dlsym(*answer_.dlsym);
    return std::move(text_);
  }

 private:
  void line(const std::string& content) { text_ += content + "\n"; }
  [[nodiscard]] std::string object_name(ObjectIndex object) const {
    return printable(binding_name(subject_.map, object));
  }

  void print(const SearchedReferences& references) {
    line(paint_.strong(versioned_name(answer_.name, references.bindings.front().version)));
    // A symbol may be referred to in several ways, which are one reference to people.
    std::set<std::string> told;
    for (const SymbolBinding& binding : references.bindings) {
      const std::string who = object_name(binding.referrer) + remarks_on(binding);
      if (told.insert(who).second) line("  needed by   " + who);
    }
    print_ends(references);
    if (const Namesake* found = references.search.definition()) {
      line("  where       " + full_name(answer_.name, *found) + ": " + place_of(*found));
    }
    print_search(references.search, references.bindings.front().version);
  }

  static std::string remarks_on(const SymbolBinding& binding) {
    std::string text;
    const auto add = [&](std::string_view remark) { text += (text.empty() ? "  (" : ", ") + std::string(remark); };
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
             (is_by_search ? "" : why_elsewhere(binding)));
      } else if (binding.is_weak) {
        line("  binds to    " + paint_.warn("nothing") + ": the reference is weak, its value becomes 0");
      } else {
        line("  binds to    " + paint_.bad("nothing") + ": undefined symbol: " + printable(binding.symbol) +
             (binding.has_version ? ", version " + printable(binding.version) : ""));
      }
    }
  }

  static std::string why_elsewhere(const SymbolBinding& binding) {
    return binding.is_protected ? "  (its own protected symbol, whatever the search finds)"
                                : "  (STB_GNU_UNIQUE: the first definition that was bound to stands for all)";
  }

  void print_search(const SymbolSearch& search, std::string_view version) {
    line("  search      asked in this order, up to the first that serves:");
    const std::string width = std::to_string(search.asked.size());
    for (std::size_t i = 0; i < search.asked.size(); ++i) {
      std::string number = std::to_string(i + 1);
      number.insert(0, width.size() - number.size(), ' ');
      const AskedObject& asked = search.asked[i];
      const bool serves = asked.verdict == AskedVerdict::Serves;
      const std::string verdict = verdict_on(asked, version);
      line("   " + number + ". " + object_name(asked.object) + ": " + (serves ? paint_.good(verdict) : verdict) +
           (asked.is_itself_first ? "  (asked first: DT_SYMBOLIC)" : ""));
    }
    if (!search.serving) line("   " + std::string(width.size(), ' ') + "  nobody is left to be asked");
  }

  [[nodiscard]] std::string verdict_on(const AskedObject& asked, std::string_view version) const {
    switch (asked.verdict) {
      case AskedVerdict::Serves: return "serves with " + full_name(answer_.name, asked.namesakes[*asked.served_by]);
      case AskedVerdict::NotDefined:
        return std::string("not defined: ") + (asked.has_gnu_hash ? "DT_GNU_HASH" : "DT_HASH") +
               " does not lead to the name";
      case AskedVerdict::OtherVersion:
        if (!version.empty()) return "other version: it has " + all_names(answer_.name, asked);
        return "other version: none is asked for, and it has " + all_names(answer_.name, asked) + " only, no default";
      case AskedVerdict::Ambiguous:
        return "ambiguous: no version is asked for, and it has several defaults: " + all_names(answer_.name, asked);
      case AskedVerdict::NotVisible: return "not visible: its definition is hidden or internal";
      case AskedVerdict::LocalBinding: return "not visible: its definition is local";
      case AskedVerdict::OnlyReference:
        return "no definition: it only refers to the name itself, by an address of its own";
      case AskedVerdict::SkippedProgram: return "not asked: a copy relocation copies from others";
      case AskedVerdict::WeakPassedOver:
        return "weak, and LD_DYNAMIC_WEAK prefers a strong one: " + all_names(answer_.name, asked);
      case AskedVerdict::NoHashTable: return "offers nothing: it has no hash table";
      case AskedVerdict::NoFile: return "not asked: it has no file";
      case AskedVerdict::Damaged: return "damaged: " + printable(asked.damage);
    }
    return {};
  }

  void print_dlsym(const SymbolSearch& search) {
    line(paint_.strong(versioned_name(answer_.name, answer_.version)));
    line("  needed by   nobody: no relocation that start-up resolves names it");
    const std::string call = answer_.version.empty() ? "dlsym" : "dlvsym";
    if (const Namesake* found = search.definition()) {
      line("  " + call + (answer_.version.empty() ? "       " : "      ") + "would find it in " +
           paint_.good(object_name(search.provider())));
      line("  where       " + full_name(answer_.name, *found) + ": " + place_of(*found));
    } else {
      line("  " + call + (answer_.version.empty() ? "       " : "      ") + "would find it " + paint_.warn("nowhere"));
    }
    print_search(search, answer_.version);
  }

  const BindingsSubject& subject_;
  const SymbolAnswer& answer_;
  Paint paint_;
  std::string text_;
};

}  // namespace

std::string symbol_answer_text(const BindingsSubject& subject, const SymbolAnswer& answer, Colour colour) {
  return SymbolPrinter(subject, answer, colour).print();
}

std::string unused_needs_text(const BindingsSubject& subject, const std::vector<UnusedNeed>& unused) {
  std::string text;
  for (const UnusedNeed& entry : unused) {
    const Need& need = subject.map.objects[entry.needer].needs[entry.need];
    text += printable(binding_name(subject.map, entry.needer)) + '\t';
    text += printable(need.name) + '\t' + printable(subject.map.objects[entry.target].path);
    text += '\n';
  }
  return text;
}

std::string floors_text(const BindingsSubject& subject, const std::vector<Floor>& floors, Colour colour) {
  const Paint paint(colour);
  std::string text;
  if (floors.empty()) text = "no floor: nothing requires a version of glibc, libstdc++, libgcc, CUDA or cuDNN\n";
  for (const Floor& floor : floors) {
    const auto name = [&](ObjectIndex object) { return printable(binding_name(subject.map, object)); };
    const std::string product = floor.family == floor.product ? "" : printable(floor.product) + " ";
    text += paint.strong(printable(floor.family) + ": " +
                         (floor.release.empty() ? "a release with " + printable(floor.node)
                                                : product + printable(floor.release)) +
                         " or later") +
            "\n";
    text += "  set by      " +
            (floor.symbol.empty() ? "the node alone, which is required" : versioned_name(floor.symbol, floor.node)) +
            " in " + name(floor.consumer) + "\n";
    text += "  node        " + printable(floor.node) + " of " + printable(floor.file);
    if (floor.is_set_by_symbol) text += ", which older releases have, too: the function is newer";
    text += "\n  here        ";
    if (floor.provider == kNoObject) {
      text += paint.bad("no " + printable(floor.file));
    } else {
      const std::string& lacks = floor.is_set_by_symbol ? floor.symbol : floor.node;
      text += name(floor.provider) + ", " +
              (floor.here.empty() ? "which has no such nodes" : "up to " + printable(floor.here)) +
              (floor.is_met ? "" : ": " + paint.bad("it lacks " + printable(lacks)));
    }
    text += "\n";
  }
  return text;
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
  std::string text = paint.strong(printable(binding_name(subject.map, provider))) + "\n";
  if (users.empty()) text += "  nobody uses anything of it\n";
  for (const auto& [user, versions] : users) {
    std::size_t count = 0;
    for (const auto& [version, symbols] : versions) count += symbols.size();
    const std::string name = printable(binding_name(subject.map, user));
    text += "  " + (user == provider ? "itself" : name) + ": " + counted(count, "symbol") + "\n";
    for (const auto& [version, symbols] : versions) {
      text += "    " + (version.empty() ? std::string("without version") : printable(version)) + ":";
      for (const std::string_view symbol : symbols) text += " " + printable(symbol);
      text += "\n";
    }
  }
  return text;
}

}  // namespace soresolve
