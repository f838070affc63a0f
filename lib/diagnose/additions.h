// What is added to a diagnosis whose failures are found: what works but would astonish (the answers that depend on load
// order, shadowed files, tags that have no effect), the layers of the image and the packages that the files are of.
#pragma once
#include "loader/load.h"
#include "packages/package_owner.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// Appends the problems that are no failures. With diagnosis.asked set, only those about that
/// library.
void add_surprises(const LinkMap& map, Diagnosis& diagnosis);

/// Adds it to the fatal problems and warnings, where the root is an image: the layer that took a missing library away,
/// looked for where others of the process lie; those that brought the file that it is about and the first that needs
/// it.
void add_layers(const LinkMap& map, Diagnosis& diagnosis);
/// The same of what a check finds wrong: libraries, versions and symbols, each file once, at most 8 in all.
std::vector<LayerOfFile> layers_of(const LinkMap& map, const Check& check);

/// Adds them to the fatal problems and warnings, and to their candidates. Where there are none, nothing is read.
void add_owners(const LinkMap& map, Diagnosis& diagnosis, const PackageOwners& owners);

/// Files of exactly this name that the search tags of other objects of the map lead to: sentences
/// that say where, and why that does not help `needer`.
std::vector<Evidence> found_by_others(const LinkMap& map, LoneSearcher& searcher, ObjectIndex needer,
                                      std::string_view name);

}  // namespace soresolve
