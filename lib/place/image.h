// Container images as they lie on disk: what is in them, and in which order their layers lie over each other.
//
// Sources: image-spec v1.1 image-layout.md, image-index.md, manifest.md, config.md, descriptor.md; Docker's
// manifest.json of `docker save`; skopeo's `dir:`.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "soresolve/place.h"

namespace soresolve {

/// The image in a tree of files; nullopt: there is none. `name`: of the place, for errors. Errors: as open_place().
Result<std::optional<Place>> find_image(const std::shared_ptr<const FileSystem>& files, const std::string& name,
                                        const PlaceOptions& options);

}  // namespace soresolve
