// Environments of Python and conda: where those of conda are, and which one a file lies in.
//
// Sources: conda's environments.txt (conda/base/context.py, conda/core/envs_manager.py), the default prefixes of its
// installers, PEP 405 (pyvenv.cfg). A file outside of all of them is the system's, or a program's own.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "loader/process.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// Prefixes of conda environments: $CONDA_PREFIX, those that ~/.conda/environments.txt lists, installations in the
/// usual places and the environments below them; each once, with a directory conda-meta in it. At most 256.
std::vector<std::string> conda_prefixes(const FileSystem& files, const Environment& environment);

/// The prefix of the virtual or conda environment that `path` (absolute) lies in, the innermost; the directory of one
/// package in conda's cache; a site-packages directory that is of none of them, except the system's. Empty: in none.
std::string environment_of(const FileSystem& files, std::string_view path);

/// Where the environment that is active has its packages, in order: VIRTUAL_ENV's and CONDA_PREFIX's site-packages
/// (relative to `cwd`, as an activation script may have written them), PYTHONPATH, and where the interpreter that
/// `exec` of python3 starts looks for packages. Of `given`, an interpreter or its environment, where there is one, and
/// of no other. Absolute, each once, only what is there.
std::vector<std::string> active_site_directories(const FileSystem& files, const Environment& environment,
                                                 const std::string& cwd, const std::string& given = {});

}  // namespace soresolve
