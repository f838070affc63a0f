// Where pip would install a wheel in a tree, the site-packages of the Python that is found there, and conda a package.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/file_system.h"

namespace soresolve {

/// The directory for packages of the Python 3.`minor` that `python` names (an interpreter, or the environment that it
/// lies in; empty: none), else of the first one by PATH (behind a shim: what that starts), else of the environment in
/// VIRTUAL_ENV or CONDA_PREFIX, else where images have it. Where no Python of that release is, the
/// directory of another; "/" where none is. An empty `minor` is any. `env`: "NAME=VALUE". Source: site.py, Debian's
/// dist-packages, pyenv's `version` file.
std::string site_packages(const FileSystem& base, std::string_view minor, const std::string& python,
                          const std::vector<std::string>& env);

/// The environment that conda would put a package in: that of `python`, of CONDA_PREFIX, the first by PATH, where
/// images have it; each only where conda has made it (conda-meta). Where there is none /opt/conda, as in conda's own
/// images.
std::string conda_prefix(const FileSystem& base, const std::string& python, const std::vector<std::string>& env);

}  // namespace soresolve
