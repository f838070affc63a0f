// Where pip would install a wheel in a tree: the site-packages of the Python that is found there.
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

}  // namespace soresolve
