// What is known of drivers and of what passes them into containers: the rows of drivers.toml and driver_symbols.toml.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "soresolve/cuda.h"

namespace soresolve {

/// A library by the beginning of its file name ("libcuda.so"), and what passes it in.
struct PassedRow {
  std::string_view begins;
  std::string_view capability;  ///< of nvidia-container-toolkit: "compute"; empty: not passed in by it
  std::string_view since;       ///< the toolkit's release; empty: as long as rows go back
  bool is_in_apptainer = false;
  std::string_view apptainer_since = {};
};
std::span<const PassedRow> passed_rows();
/// Words that NVIDIA_DRIVER_CAPABILITIES may have besides "all".
std::span<const std::string_view> driver_capabilities();

/// How the image's own cuda-compat comes before the host's driver.
enum class CompatRule : std::uint8_t {
  None,        ///< it does not
  Mounted,     ///< its files are mounted over the host's, of any other major version
  Directory,   ///< its directory is the first of ldconfig's command line; greater major version, compared as text
  DropIn,      ///< a file of /etc/ld.so.conf.d names its directory; greater major version
  NoteDropIn,  ///< the same; where its libcuda has a note on it, by what that lists
};

/// The rules of one mode from one release on.
struct PassingRow {
  DriverMode mode;
  std::string_view since;  ///< "0" for the first row of a mode
  CompatRule compat;
  bool sets_path_behind_image;  ///< apptainer: an empty LD_LIBRARY_PATH gets ldconfig's directories first
  std::string_view source;
};
/// Of a mode in ascending order.
std::span<const PassingRow> passing_rows();

/// A library of a driver whose files are not here.
struct DriverFileRow {
  std::string_view stem;                  ///< "libcuda"
  std::string_view number;                ///< of its SONAME: "1"; empty: the driver's version
  std::uint32_t from;                     ///< branches that have it
  std::uint32_t to;                       ///< 0: no end is known
  std::array<std::string_view, 3> glibc;  ///< the newest version of libc.so.6 that it needs: in 470, 535 and 550
  std::string_view needs;                 ///< libraries beside libc's, with blanks between; `V` is the driver's version
};
std::span<const DriverFileRow> driver_files();

struct DriverSymbols {
  std::string_view driver;  ///< "535.261.03"
  std::string_view source;
  std::string_view names;  ///< new in it, with blanks between
};
/// By driver, ascending.
std::span<const DriverSymbols> driver_symbols();

}  // namespace soresolve
