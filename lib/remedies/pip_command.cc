// Sources: PEP 405 (PREFIX/bin/python beside PREFIX/lib/pythonX.Y/site-packages), Debian's site.py (what pip installs
// as root goes into /usr/local/lib/pythonX.Y/dist-packages), site.getusersitepackages() (~/.local), pip's
// documentation: --target replaces nothing that is there without --upgrade.
#include "remedies/pip_command.h"

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

/// "/venv/lib/python3.11/site-packages" of a file somewhere below it; empty: it is below none.
std::string_view site_around(std::string_view file) {
  for (std::string_view at = directory_of(file); at.size() > 1; at = directory_of(at)) {
    if (file_name_of(at) == "site-packages" || file_name_of(at) == "dist-packages") return at;
  }
  return {};
}

/// Where pip of /usr/bin/python3.11 installs what is for /usr/lib/python3/dist-packages or the like; empty: not known.
std::string local_site(const LinkMap& map, std::string_view site) {
  std::string_view version = file_name_of(map.main().name());
  if (!version.starts_with("python3.")) version = file_name_of(directory_of(site));
  if (!version.starts_with("python3.")) return {};
  return "/usr/local/lib/" + std::string(version) + "/" + std::string(file_name_of(site));
}

PipPlace place_of(CommandText command, std::string_view site, std::string_view prefix) {
  return {std::move(command), shell_path(site), shell_path(prefix)};
}

PipPlace below(const CommandText& command, const CommandText& target) {
  return {command + "--target " + target + " ", target, target};
}

}  // namespace

CommandText pip_install(const LinkMap& map) {
  const std::string_view program = map.main().name();
  const bool is_python = file_name_of(program).starts_with("python");
  return is_python ? shell_path(program) + kInstall : "pip install ";
}

PipPlace pip_place(const LinkMap& map, std::string_view file, std::string_view reached) {
  const auto is_possible = [](std::string_view directory) {  // in LD_LIBRARY_PATH
    return directory.find_first_of(":;$") == std::string_view::npos;
  };
  const std::string_view around = site_around(file);
  const std::string_view site = is_possible(around) ? around : std::string_view();
  const std::string_view prefix = prefix_of_site(site);
  const std::string python = path_in(prefix, "bin/python");
  const bool is_of_program = !prefix.empty() && prefix == directory_of(directory_of(map.main().name()));
  if (prefix == "/usr") {
    if (const std::string local = local_site(map, site); !local.empty())
      return place_of(pip_install(map), local, "/usr/local");
  } else if (is_of_program || prefix == "/usr/local") {
    return place_of(pip_install(map), site, prefix);
  } else if (!prefix.empty() && map.system->files->status(python)) {
    return place_of(shell_path(python) + kInstall, site, prefix);
  } else if (file_name_of(prefix) == ".local") {
    return place_of(pip_install(map) + "--user ", site, prefix);
  }
  if (!site.empty()) return below(pip_install(map), shell_path(site));
  return below(pip_install(map),
               reached.empty() || !is_possible(reached) ? CommandText("\"$HOME\"/wheels") : shell_path(reached));
}

CommandText pip_install_into(const LinkMap& map, std::string_view site, const CommandText& options) {
  const std::string_view prefix = prefix_of_site(site);
  const std::string python = path_in(prefix, "bin/python");
  if (!prefix.empty() && map.system->files->status(python)) return shell_path(python) + kInstall + options;
  const bool is_of_program = prefix == "/usr/local" || prefix == "/usr";
  if (is_of_program) return pip_install(map) + options;
  if (file_name_of(prefix) == ".local") return pip_install(map) + "--user " + options;
  return pip_install(map) + options + "--upgrade --target " + shell_path(site) + " ";
}

CommandText pip_install_again(const LinkMap& map, std::string_view site) {
  return pip_install_into(map, site, "--force-reinstall --no-deps ");
}

}  // namespace soresolve
