// Bytes and packages of a survey's files, by status and by the records of dpkg, rpm, conda and pip.
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "packages/package_owner.h"
#include "survey/who.h"

namespace soresolve {

Result<SurveySizes> sizes_of(const Survey& survey, const WorldSettings& settings, const SurveyOptions& options) {
  World world(settings);
  const Result<std::shared_ptr<const FileSystem>> files = world.files();
  if (!files) return Unexpected{files.error()};
  const PackageOwners owners(*files);
  SurveySizes sizes;
  std::set<std::pair<std::uint64_t, std::uint64_t>> counted;  // by device and inode
  std::map<std::tuple<PackageRecord, std::string, std::string>, std::uint32_t> known;
  for (const SurveyedFile& file : survey.files) {
    if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) break;
    SurveySizes::File& size = sizes.files.emplace_back();
    const Result<FileStatus, Errno> status = (*files)->status(file.path);
    const bool is_first = status && counted.emplace(status->id.device, status->id.inode).second;
    if (is_first) size.size_bytes = status->size_bytes;
    std::optional<PackageOwner> owner = owners.owner_of(file.path);
    if (!owner) continue;
    const auto next = static_cast<std::uint32_t>(sizes.packages.size());
    const auto [place, is_new] = known.try_emplace({owner->by, owner->name, owner->version}, next);
    size.package = place->second;
    if (is_new) sizes.packages.push_back(std::move(*owner));
  }
  sizes.files.resize(survey.files.size());
  return sizes;
}

}  // namespace soresolve
