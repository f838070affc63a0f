// How pip is called for the environment that a file belongs to, and where it puts what it installs.
#pragma once
#include <string>
#include <string_view>

#include "soresolve/link_map.h"

namespace soresolve {

/// "/venv/bin/python -m pip install ", with a blank at its end: by the program of the process where it is a Python,
/// whatever `pip` would be; else "pip install ".
CommandText pip_install(const LinkMap& map);

/// The same for what goes into the site directory `site`: by the interpreter of the environment around it, or into the
/// directory itself where no interpreter is known to have it in sys.path.
CommandText pip_install_into(const LinkMap& map, std::string_view site, const CommandText& options = {});
/// The same to install anew what is there, without what it requires.
CommandText pip_install_again(const LinkMap& map, std::string_view site);

/// How pip brings a wheel to a file, and where that lies then.
struct PipPlace {
  CommandText command;  ///< as pip_install()
  CommandText site;     ///< its site directory
  CommandText prefix;   ///< below which "lib" is that of the wheel's own data
};

/// For the library or program `file`: into the site directory around it, or by the `reached` one, the directory from
/// which its search list leads into wheels (empty: it has none); else into one below $HOME that pip makes.
PipPlace pip_place(const LinkMap& map, std::string_view file, std::string_view reached);

}  // namespace soresolve
