// The question as it is asked: files in two worlds, or all of both, and the machines.
#include "soresolve/compare.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "compare/compare_file.h"
#include "compare/comparisons.h"
#include "world/enter_place.h"

namespace soresolve {

bool Comparison::is_same() const {
  return machine.empty() && (!tree || tree->is_same()) &&
         std::all_of(files.begin(), files.end(), [](const FileComparison& file) { return file.is_same(); });
}

namespace {

/// What has to be unpacked to be read is opened once for all Worlds of a side. A snapshot is none: it says more than
/// its files, and is entered.
std::optional<Error> open_once(WorldSettings& settings) {
  if (settings.where.root.empty() || settings.where.files || settings.where.place ||
      !is_packed_place(settings.where.root))
    return std::nullopt;
  Result<Place> place = open_place(settings.where.root, place_options_of(settings));
  if (!place) return std::move(place).error();
  if (place->kind != PlaceKind::Snapshot) settings.where.place = std::make_shared<const Place>(std::move(*place));
  return std::nullopt;
}

}  // namespace

std::size_t Comparison::unread_count() const {
  std::size_t count = tree ? tree->unread : 0;
  for (const std::shared_ptr<const Place>& place : {place_a, place_b}) count += place ? place->gaps.size() : 0;
  return count;
}

Result<Comparison> compare_roots(const WorldSettings& of_a, const WorldSettings& of_b,
                                 const std::vector<std::string>& files, const CompareOptions& options) {
  WorldSettings a = of_a;
  WorldSettings b = of_b;
  for (WorldSettings* const side : {&a, &b}) {
    if (std::optional<Error> error = open_once(*side)) return Unexpected{std::move(*error)};
  }
  Comparison comparison;
  comparison.place_a = a.where.place;
  comparison.place_b = b.where.place;
  if (options.compares_machine) {
    Result<std::vector<MachineDifference>> machine = compare_machines(a, b);
    if (!machine) return Unexpected{std::move(machine).error()};
    comparison.machine = std::move(*machine);
  }
  if (files.empty()) {
    Result<TreeComparison> tree = compare_trees(a, b, options);
    if (!tree) return Unexpected{std::move(tree).error()};
    comparison.tree = std::move(*tree);
    return comparison;
  }
  World world_a(a);
  World world_b(b);
  const Result<std::shared_ptr<const FileSystem>> files_a = world_a.files();
  if (!files_a) return Unexpected{files_a.error()};
  const Result<std::shared_ptr<const FileSystem>> files_b = world_b.files();
  if (!files_b) return Unexpected{files_b.error()};
  SameFiles same(**files_a, **files_b, ids_of(**files_a, a.where.root, **files_b, b.where.root));
  for (const std::string& file : files) {
    Result<FileComparison> one =
        compare_file({a, world_a, options.shown_a}, {b, world_b, options.shown_b}, same, file, CompareDepth::All);
    if (!one) return Unexpected{std::move(one).error()};
    comparison.files.push_back(std::move(*one));
  }
  return comparison;
}

}  // namespace soresolve
