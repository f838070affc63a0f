// Whether an archive is a root of its own is seen by a loader in it; so it is opened alone first.
#include "packed_places.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "soresolve/place.h"
#include "survey/file_finder.h"
#include "world/enter_place.h"

namespace soresolve::tool {
namespace {

/// Has it programs that start with a loader of its own?
bool has_loader(const std::string& root, Place place) {
  World alone({.where = {.root = root, .place = std::make_shared<const Place>(std::move(place))}});
  return alone.system().has_value();
}

}  // namespace

Result<PackedPlaces> enter_packed_places(WorldSettings& settings, std::vector<std::string>& places) {
  PackedPlaces entered;
  if (!settings.where.root.empty() || settings.live.pid != 0) return entered;
  const auto is_packed = [](const std::string& place) { return is_packed_place(place); };
  if (std::none_of(places.begin(), places.end(), is_packed)) return entered;
  const auto plain = std::find_if_not(places.begin(), places.end(), is_packed);
  if (plain != places.end()) {
    return Unexpected{
        Error{ErrorCode::Usage, *plain, {}, "lies in another tree than the packages and images beside it"}};
  }
  settings.where.root = places.back();
  places.pop_back();
  // As it will be opened (--platform, --cache), but for what lies below.
  PlaceOptions alone = place_options_of(settings);
  alone.bases.clear();
  Result<Place> top = open_place(settings.where.root, alone);
  if (!top) return Unexpected{top.error()};
  const bool is_archive = top->kind == PlaceKind::Archive;
  const bool is_part =
      top->kind == PlaceKind::Package || (is_archive && !has_loader(settings.where.root, std::move(top).value()));
  std::vector<std::string>& bases = settings.where.place_options.bases;
  if (is_part && bases.empty()) bases.emplace_back("/");
  entered.are_judged_alone = is_part;
  if (!is_part && !places.empty()) {
    return Unexpected{
        Error{ErrorCode::Usage, settings.where.root, {}, "is a root of its own: one such PLACE at a time"}};
  }
  std::move(places.begin(), places.end(), std::back_inserter(bases));
  places.clear();
  return entered;
}

Result<std::vector<std::string>> find_places(WorldHere& world, const WorldOptions& options,
                                             const std::vector<std::string>& named, const PackedPlaces& packed) {
  std::vector<std::string> places;
  for (const std::string& place : named) {
    Result<std::string> path = world.absolute(place);
    if (!path) return Unexpected{path.error()};
    places.push_back(std::move(path).value());
  }
  if (!packed.are_judged_alone) return places;
  const WorldSettings settings = settings_here(options);
  if (settings.where.place) places = upper_files(*settings.where.place);
  // Where nothing can be loaded one file stands for all: no place at all would be the whole tree.
  const auto end = std::stable_partition(places.begin(), places.end(), may_be_loaded);
  places.erase(std::max(end, places.begin() + std::min<std::ptrdiff_t>(1, places.end() - places.begin())),
               places.end());
  if (places.empty()) return Unexpected{Error{ErrorCode::Usage, options.where.root, {}, "has no files"}};
  return places;
}

}  // namespace soresolve::tool
