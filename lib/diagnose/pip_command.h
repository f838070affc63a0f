// How pip is called for the environment that a file belongs to.
#pragma once
#include <string>
#include <string_view>

#include "soresolve/link_map.h"

namespace soresolve {

/// "/venv/bin/python -m pip install ", with a blank at its end: by the program of the process where it is a Python,
/// whatever `pip` would be; else "pip install ".
CommandText pip_install(const LinkMap& map);

/// The same to install anew what lies in the site directory `site`: by the interpreter of the environment around it,
/// or into the directory itself where no interpreter is known to have it in sys.path. Without its dependencies.
CommandText pip_install_again(const LinkMap& map, std::string_view site);

}  // namespace soresolve
