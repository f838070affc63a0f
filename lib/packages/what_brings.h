// What brings a library that is missing and of which no file is on the machine: wheels, packages of conda and of
// distributions, the driver. By its SONAME alone, from a table; nothing is asked of a network or a package manager.
//
// Numbers in SONAMEs are not those of CUDA: libcufft.so.11 is of CUDA 12, libcurand.so.10 of 11, 12 and 13. The table
// is for what engineers meet with CUDA and Python, for what vendors bring, and for what distributions had in one
// release and not in the next; of any other library nothing is said.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/statement.h"

namespace soresolve {

/// Of what_brings.toml.
struct PackageRow {
  std::string_view stem;    ///< of the name before ".so"; `*` at its end: begins so
  std::string_view number;  ///< behind ".so."; "": any or none; `*` at its end: begins so
  std::string_view product;
  std::array<std::string_view, 3> wheels = {};  ///< requirements of pip; {number} is the SONAME's
  std::string_view conda = {};                  ///< what `conda install -c conda-forge` takes
};
std::span<const PackageRow> package_rows();

struct DebianRow {
  std::string_view soname;
  std::string_view package;
};
std::span<const DebianRow> debian_rows();

struct WhatBrings {
  Statement what;                        ///< what the library belongs to, and which packages have it
  std::vector<CommandText> commands;     ///< to type; each is enough by itself. None: it cannot be installed so
  std::vector<std::string> wheels = {};  ///< what pip installs, for the first commands: "nvidia-cudnn-cu12<9"
  std::string product = {};              ///< "cuDNN 9"; empty: a package of a distribution
};

/// For "libcudart.so.13", or a path that ends so; nullopt: not in the table.
std::optional<WhatBrings> what_brings(std::string_view soname);

/// The wheel that has a CUDA library of this name for that major release of CUDA, with its range of versions where one
/// name is of several: "nvidia-cusparse-cu12", "nvidia-cusparse==12.*" for 13. Empty: no row has it.
std::string wheel_for_cuda(std::string_view soname, std::uint32_t cuda);

/// Where pip puts the libraries of a wheel: below the site directory, or below the prefix of the environment.
struct WheelFolder {
  std::string path;  ///< relative: "nvidia/cudnn/lib"
  bool is_of_prefix = false;
};

/// Of "nvidia-cudnn-cu12<9"; nullopt: not known.
std::optional<WheelFolder> folder_of_wheel(std::string_view requirement);

/// Does this wheel ("nvidia-cudnn-cu12", normalised) have a library of this name?
bool is_in_wheel(std::string_view soname, std::string_view wheel);

}  // namespace soresolve
