// The most frequent report of C++ extensions: "undefined symbol: _ZN5torch3jit11parseSchemaERKNSt7__cxx1112basic_…".
// The library is there, but it was built with the other _GLIBCXX_USE_CXX11_ABI, or another release whose function takes
// other parameters; or the library that has it is not loaded. The loader only knows the whole name; here names are
// compared by their qualified part, which is a text in them, so no table has to be demangled or kept. Source: Itanium
// C++ ABI 5.1; GCC's manual, "Dual ABI".
#include "base/enum_names.h"
#include "symbols/cxx_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/path.h"
#include "loader/system.h"
#include "symbols/map_files.h"

namespace soresolve {
namespace {

constexpr std::size_t kShown = 3;
constexpr std::size_t kMostFilesBeside = 64;
constexpr std::uint8_t kLocal = 0;  // STB_LOCAL

/// Is something of the new string or list in it?
bool has_new_abi(std::string_view symbol) {
  return symbol.find("7__cxx11") != std::string_view::npos || symbol.find("B5cxx11") != std::string_view::npos;
}
/// Of the old one: std::string is the abbreviation Ss.
bool has_old_abi(std::string_view symbol) {
  return symbol.find("Ss") != std::string_view::npos || symbol.find("NSt4listI") != std::string_view::npos;
}

std::string without(std::string text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
  return text;
}

/// What a name has in both ABIs: without the inner namespace of the new string and list, and without the tags of
/// functions that return one (GCC's manual, "Dual ABI", "C++ Attributes": abi_tag).
std::string in_both_abis(std::string_view symbol) {
  std::string readable = demangled(symbol);
  if (readable.empty()) return without(std::string(symbol), "B5cxx11");
  return without(without(std::move(readable), "[abi:cxx11]"), "__cxx11::");
}

/// Two symbols of one qualified name.
NearSymbol::How compare(std::string_view asked, std::string_view other) {
  const bool is_other_declaration = in_both_abis(asked) != in_both_abis(other);
  const bool is_other_abi =
      has_new_abi(asked) != has_new_abi(other) && (!is_other_declaration || has_old_abi(asked) || has_old_abi(other));
  if (!is_other_abi) return NearSymbol::How::OtherParameters;
  return is_other_declaration ? NearSymbol::How::OtherAbiAndParameters : NearSymbol::How::OtherAbi;
}

struct Wanted {
  std::string_view symbol;
  std::string part;  ///< see qualified_part
};

class NearSearch {
 public:
  NearSearch(const LinkMap& map, const std::vector<std::string>& names) : map_(map), found_(names.size()) {
    for (const std::string& name : names) {
      wanted_.push_back({name, qualified_part(name)});
      const std::string& part = wanted_.back().part;
      if (!part.empty() && std::find(parts_.begin(), parts_.end(), part) == parts_.end()) parts_.push_back(part);
    }
  }

  std::vector<std::vector<NearSymbol>> run() {
    if (parts_.empty()) return std::move(found_);
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      const LoadedObject& object = map_.objects[i];
      if (object.role != ObjectRole::Main && object.role != ObjectRole::Library) continue;
      const Result<ObjectFile> file = open_object_file(map_, i);
      if (!file || file->file == nullptr) continue;
      look_through(file->file, *file->elf, file->path, i);
    }
    look_beside();
    for (std::vector<NearSymbol>& near : found_) {
      std::stable_sort(near.begin(), near.end(),
                       [](const NearSymbol& a, const NearSymbol& b) { return a.how < b.how; });
      if (near.size() > kShown) near.resize(kShown);
    }
    return std::move(found_);
  }

 private:
  void look_through(const File* file, const ElfObject& elf, const std::string& path, ObjectIndex object) {
    const Result<std::vector<CxxDefinition>> definitions = find_cxx_definitions(*file, elf, path, parts_);
    if (!definitions) return;
    for (const CxxDefinition& definition : *definitions) {
      const std::string part = qualified_part(definition.name);
      for (std::size_t i = 0; i < wanted_.size(); ++i) {
        if (!part.empty() && wanted_[i].part == part && definition.name != wanted_[i].symbol)
          add(i, definition, object);
      }
    }
  }

  void add(std::size_t which, const CxxDefinition& symbol, ObjectIndex object) {
    std::vector<NearSymbol>& near = found_[which];
    constexpr std::size_t kKept = 64;
    if (near.size() >= kKept) return;
    // A constructor has two or three symbols.
    const std::string readable = demangled(symbol.name);
    const bool is_known = std::any_of(near.begin(), near.end(), [&](const NearSymbol& known) {
      return known.object == object && !readable.empty() && demangled(known.symbol) == readable;
    });
    if (is_known) return;
    NearSymbol one;
    one.object = object;
    one.path = std::string(map_.objects[object].name());
    one.symbol = symbol.name;
    one.how = symbol.binding == kLocal ? NearSymbol::How::Local : compare(wanted_[which].symbol, symbol.name);
    near.push_back(std::move(one));
  }

  /// Libraries that lie beside those of the process, and are not loaded, but define the very symbol.
  void look_beside() {
    std::set<std::string> loaded;
    std::set<std::string> directories;
    for (const LoadedObject& object : map_.objects) {
      const std::string path(object.path);
      if (object.role != ObjectRole::Library || path.empty()) continue;
      loaded.insert(std::string(file_name_of(path)));
      directories.insert(std::string(directory_prefix_of(path)));
    }
    // What all programs share has too many files, and nothing of a framework.
    std::erase_if(directories, [&](const std::string& directory) { return is_system_directory(directory); });
    std::size_t files = 0;
    for (const std::string& directory : directories) {
      const Result<std::vector<std::string>, Errno> names = map_.system->files->list_directory(directory);
      if (!names) continue;
      for (const std::string& name : *names) {
        if (name.find(".so") == std::string::npos || loaded.contains(name)) continue;
        if (++files > kMostFilesBeside) return;
        look_into(directory + name);
      }
    }
  }

  [[nodiscard]] bool is_system_directory(const std::string& directory) const {
    const std::vector<std::string>& system = map_.system->rules.system_dirs;
    return std::find(system.begin(), system.end(), directory) != system.end();
  }

  void look_into(const std::string& path) {
    const Result<OpenedObject> opened = open_object(*map_.system->files, path, path);
    if (!opened || opened->file == nullptr) return;
    const Result<std::vector<CxxDefinition>> definitions =
        find_cxx_definitions(*opened->file, opened->elf, path, parts_);
    if (!definitions) return;
    for (const CxxDefinition& definition : *definitions) {
      if (definition.binding == kLocal) continue;
      for (std::size_t i = 0; i < wanted_.size(); ++i) {
        if (definition.name != wanted_[i].symbol) continue;
        found_[i].push_back({NearSymbol::How::NotLoaded, kNoObject, path, definition.name});
      }
    }
  }

  const LinkMap& map_;
  std::vector<Wanted> wanted_;
  std::vector<std::string> parts_;  ///< each once
  std::vector<std::vector<NearSymbol>> found_;
};

}  // namespace

std::string_view name_of(NearSymbol::How how) {
  using enum NearSymbol::How;
  static constexpr auto kNames = enum_names<NearSymbol::How>({{NotLoaded, "not loaded"},
                                                              {OtherAbi, "other ABI"},
                                                              {OtherAbiAndParameters, "other ABI and parameters"},
                                                              {OtherParameters, "other parameters"},
                                                              {Local, "local"}});
  return kNames[how];
}

std::vector<std::vector<NearSymbol>> find_near_symbols(const LinkMap& map, const std::vector<std::string>& names) {
  return NearSearch(map, names).run();
}

}  // namespace soresolve
