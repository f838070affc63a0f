// What stands in PATH for a program that lies elsewhere: shims of pyenv and asdf, and scripts of sh that come to one
// `exec` without a choice. They are read, never run.
//
// Sources: pyenv's libexec/pyenv-rehash (the text of a shim), pyenv-which, pyenv-version-name, pyenv-version-file,
// pyenv-latest; asdf's documentation, "Shims" and ".tool-versions"; pip's and distlib's scripts for interpreters with
// long paths. What else a script does before its exec (variables, activation) is not followed.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/file_system.h"

namespace soresolve {

/// The program that the shim at `path` starts, an absolute path that is there; nullopt: it is no such script, or what
/// it would start is not to be found. `env`: "NAME=VALUE"; `cwd`: where files that choose a version are looked for,
/// from there upwards.
std::optional<std::string> behind_shim(const FileSystem& files, const std::vector<std::string>& env,
                                       std::string_view cwd, std::string_view path);

/// The value of a variable in "NAME=VALUE" entries; empty: it is not set.
std::string_view value_of(const std::vector<std::string>& env, std::string_view name);

}  // namespace soresolve
