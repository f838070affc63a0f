// What would help: other files that could serve, and changes that have been tried.
//
// Every remedy is applied to an overlay of the world (see overlay_file_system.h) and the question is
// asked again there: search, versions and symbols. Nothing is changed on the machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/diagnose.h"
#include "soresolve/loader.h"

namespace soresolve SORESOLVE_API {

/// Which fixes are wanted. What a remedy changes: the environment of a process, the machine's
/// configuration, or single files and links.
enum class FixFor : std::uint8_t { All, Environment, System, File };

struct RemedyOptions {
  FixFor fix_for = FixFor::All;
  std::vector<std::string> search;  ///< directories to look through, with all below them
  std::size_t max_entries = 50000;  ///< names that are looked at in directories
  /// Called now and then with the number of names seen so far; false: the time is up.
  std::function<bool(std::size_t)> goes_on = {};
};
/// Adds candidates to each fatal problem about a library, and remedies to the diagnosis. Candidates that
/// serve come first, those with the name that is asked for before others; remedies smallest first.
void find_remedies(const LinkMap& map, Diagnosis& diagnosis, const RemedyOptions& options = {});

}  // namespace SORESOLVE_API
