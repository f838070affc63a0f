// The file is read, then those that lie beside it and are called as libraries are, up to a limit.
#include "missing_function.h"

#include <algorithm>

#include "base/library_file.h"
#include "base/path.h"
#include "soresolve/answer.h"
#include "soresolve/symbols.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kMostSiblings = 64;
constexpr std::uint64_t kLargestSibling = 256 << 20;
constexpr std::size_t kMostDefiners = 3;

Result<VersionedLibrary> read_for_symbols(WorldHere& world, const std::string& file) {
  Result<OpenedLibrary> opened = world.open_library(file, BareName::Library);
  if (!opened) return Unexpected{std::move(opened).error()};
  return read_versioned_library(*opened->object.file, opened->object.elf, opened->path);
}

const DynamicSymbol* find_symbol(const VersionedLibrary& library, std::string_view name) {
  const auto& symbols = library.symbols.symbols;
  const auto found =
      std::find_if(symbols.begin(), symbols.end(), [&](const DynamicSymbol& symbol) { return symbol.name == name; });
  return found == symbols.end() ? nullptr : &*found;
}

/// The same function with C++ linkage, as the Itanium ABI mangles a function of no namespace: _Z3addii.
std::string name_in_cxx(const VersionedLibrary& library, std::string_view name) {
  const std::string start = "_Z" + std::to_string(name.size()) + std::string(name);
  const auto& symbols = library.symbols.symbols;
  const auto found = std::find_if(symbols.begin(), symbols.end(), [&](const DynamicSymbol& symbol) {
    return symbol.is_defined() && symbol.name.starts_with(start);
  });
  return found == symbols.end() ? std::string() : std::string(found->name);
}

std::vector<std::string> definers_beside(WorldHere& world, const std::string& path, std::string_view symbol) {
  std::vector<std::string> definers;
  const Result<std::shared_ptr<const FileSystem>> files = world.files();
  const std::string directory(directory_of(path));
  if (!files) return definers;
  const Result<std::vector<std::string>, Errno> names = (*files)->list_directory(directory);
  std::size_t tried = 0;
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    const std::string other = path_in(directory, name);
    if (!has_library_name(name) || other == path) continue;
    const Result<FileStatus, Errno> status = (*files)->status(other);
    if (!status || status->kind != FileKind::Regular || status->size_bytes > kLargestSibling) continue;
    if (++tried > kMostSiblings || definers.size() == kMostDefiners) break;
    const Result<VersionedLibrary> library = read_for_symbols(world, other);
    if (!library) continue;
    const DynamicSymbol* const found = find_symbol(*library, symbol);
    if (found != nullptr && found->is_defined()) definers.push_back(other);
  }
  return definers;
}

}  // namespace

std::optional<MissingFunctionReport> find_missing_function(WorldHere& world, const std::string& file,
                                                           std::string_view symbol) {
  if (file.empty() || symbol.empty()) return std::nullopt;
  const Result<VersionedLibrary> library = read_for_symbols(world, file);
  if (!library || find_symbol(*library, symbol) != nullptr) return std::nullopt;
  const Result<Answer> answer = world.ask({.file = file});
  if (!answer || answer->verdict() == Verdict::Fails) return std::nullopt;
  const Result<std::string> path = world.absolute(library->path);
  MissingFunctionReport report{file, library->path, std::string(symbol), name_in_cxx(*library, symbol), {}};
  if (path) report.definers = definers_beside(world, *path, symbol);
  return report;
}

}  // namespace soresolve::tool
