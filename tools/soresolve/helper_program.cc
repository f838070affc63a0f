// Finds a helper beside the command, in ../libexec, or in the build folder, by /proc/self/exe (proc(5)), or, in a root
// without /proc, by the path that the kernel was given (AT_EXECFN, getauxval(3)). Neither PATH nor the working
// directory is searched, so that no other program of that name is run.
#include "helper_program.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "base/path.h"

namespace soresolve::tool {
namespace {

std::string own_folder() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (size > 0) return std::string(directory_prefix_of(std::string_view(path.data(), static_cast<std::size_t>(size))));
  const auto* const executed = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return std::string(directory_prefix_of(executed == nullptr ? "" : executed));
}

}  // namespace

Result<std::string> find_helper(const HelperProgram& helper) {
  const std::string folder = own_folder();
  const std::string name = helper.name;
  std::string tried;
  if (folder.empty()) {
    return Unexpected{
        Error{ErrorCode::NotFound, name, {}, "cannot be looked for: this program's own place is not known"}};
  }
  // Installed; and where a build has it.
  for (const std::string& place : {name, "../libexec/" + name, "../" + std::string(helper.build_folder) + "/" + name}) {
    const std::string path = folder + place;
    if (::access(path.c_str(), X_OK) == 0) {
      std::array<char, 4096> real{};
      return ::realpath(path.c_str(), real.data()) != nullptr ? std::string(real.data()) : path;
    }
    tried += (tried.empty() ? "" : ", ") + path;
  }
  return Unexpected{
      Error{ErrorCode::NotFound,
            name,
            {},
            "is not installed: it is built " + std::string(helper.built_where) + " (tried " + tried + ")"}};
}

}  // namespace soresolve::tool
