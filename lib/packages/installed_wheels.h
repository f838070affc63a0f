// What `pip install REQUIREMENT` would do in an environment, by the metadata of what is installed there: pip answers
// "already satisfied" where the wheel is there, and then the command changes nothing. A wheel of which a part or a file
// is missing is named by that part, or installed again in its own version; else nothing is left to type.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/file_system.h"
#include "soresolve/packages.h"

namespace soresolve {

/// One wheel that is installed.
struct InstalledWheel {
  std::string name;     ///< as pip takes it
  std::string version;  ///< of its METADATA's directory
  std::string record;   ///< its RECORD, whether or not that is there
};

/// By their normalised names; the first of the sites that has one counts. Of an egg the version may be empty: not
/// known.
using WheelsByName = std::map<std::string, InstalledWheel, std::less<>>;
WheelsByName installed_wheels(const FileSystem& files, const std::vector<std::string>& sites);

/// The wheel of this name (PEP 503) in the first of these directories that has it; nullopt: none has.
std::optional<InstalledWheel> installed_wheel(const FileSystem& files, const std::vector<std::string>& sites,
                                              std::string_view name);

/// Is `version` what "nvidia-cudnn-cu12<9" or "tensorrt-cu12==10.*" asks for (PEP 440)? False where it is not known.
bool satisfies(std::string_view version, std::string_view requirement);

/// What brings a library instead of a requirement.
struct WheelStep {
  enum class Kind : std::uint8_t {
    Install,  ///< the requirement is not satisfied: as it is
    Part,     ///< `requirement`: what `of` requires, and what is not installed
    Again,    ///< `requirement`: the version that is installed, whose file is gone
    Nothing,  ///< the wheel is there, and whole as far as the library goes
  } kind = Kind::Install;
  std::string requirement;
  std::optional<InstalledWheel> of = {};
};
/// For the library that is missing; `needer` is the wheel of the file that needs it, where it has one.
WheelStep wheel_step(const FileSystem& files, const std::vector<std::string>& sites, const std::string& requirement,
                     std::string_view library, const std::optional<PackageOwner>& needer);

/// What the wheel with this RECORD requires ("tensorflow<2.16,>=2.15.0"), and what is installed in its place; those
/// that are not installed at all are not told.
struct UnmetRequirement {
  std::string requirement;
  InstalledWheel installed;
};
std::vector<UnmetRequirement> unmet_requirements(const FileSystem& files, std::string_view record);

/// Is it known that the version is none of those that ">=1.2,<2" asks for?
bool contradicts(std::string_view version, std::string_view clauses);

/// "nvidia-cudnn-cu11" of "nvidia-cudnn-cu11<9".
std::string_view wheel_name(std::string_view requirement);

}  // namespace soresolve
