// The NVIDIA driver's libraries: a machine or container gets them from the host that runs it, never from a package of
// its own project. Where no driver is, they are missing from a file that is right all the same.
#pragma once
#include <string_view>

#include "soresolve/file_system.h"

namespace soresolve {

/// Is a library of this SONAME (or path) part of the driver?
bool is_of_driver(std::string_view soname);

/// Is a driver here: its kernel module, its devices, or its library where hosts put it? Then a library of it that is
/// not found is one that is in reach of nobody, and not one that is still to come.
bool has_driver(const FileSystem& files);

}  // namespace soresolve
