// Sources: PEP 405 (PREFIX/bin/python beside PREFIX/lib/pythonX.Y/site-packages), Debian's site.py (what pip installs
// as root goes into /usr/local/lib/pythonX.Y/dist-packages), site.getusersitepackages() (~/.local), pip's
// documentation: --target replaces nothing that is there without --upgrade.
#include "diagnose/pip_command.h"

#include "base/path.h"
#include "loader/system.h"
#include "soresolve/command_text.h"

namespace soresolve {
namespace {

constexpr char kInstall[] = " -m pip install ";

/// The prefix of PREFIX/lib/python3.11/site-packages; empty for another directory.
std::string_view prefix_of_site(std::string_view site) {
  const std::string_view name = file_name_of(site);
  const std::string_view python = directory_of(site);
  const std::string_view library = directory_of(python);
  const bool is_site = name == "site-packages" || name == "dist-packages";
  const bool is_library = file_name_of(library) == "lib" || file_name_of(library) == "lib64";
  return is_site && is_library && file_name_of(python).starts_with("python3") ? directory_of(library)
                                                                              : std::string_view();
}

}  // namespace

CommandText pip_install(const LinkMap& map) {
  const std::string_view program = map.main().name();
  const bool is_python = file_name_of(program).starts_with("python");
  return is_python ? shell_path(program) + kInstall : "pip install ";
}

CommandText pip_install_again(const LinkMap& map, std::string_view site) {
  constexpr char kAgain[] = "--force-reinstall --no-deps ";
  const std::string_view prefix = prefix_of_site(site);
  const std::string python = path_in(prefix, "bin/python");
  if (!prefix.empty() && map.system->files->status(python)) return shell_path(python) + kInstall + kAgain;
  const bool is_of_program = prefix == "/usr/local" || prefix == "/usr";
  if (is_of_program) return pip_install(map) + kAgain;
  if (file_name_of(prefix) == ".local") return pip_install(map) + "--user " + kAgain;
  return pip_install(map) + kAgain + "--upgrade --target " + shell_path(site) + " ";
}

}  // namespace soresolve
