// How one file fares with the layers of an image: a document.
#pragma once
#include "soresolve/document.h"
#include "world/layers.h"

namespace soresolve {

/// A file with one layer of an image more each time; borrowed. Data: "layers".
Document document_of(const LayerHistory& history);

}  // namespace soresolve
