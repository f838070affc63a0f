// The look-up of what brings a library: the first row of what_brings.toml that fits counts.
#include "packages/what_brings.h"

#include <algorithm>
#include <span>

#include "base/path.h"
#include "base/pieces.h"
#include "packages/host_driver.h"

namespace soresolve {
namespace {

/// `*` at the end of `pattern` stands for anything.
bool fits(std::string_view pattern, std::string_view text) {
  if (!pattern.ends_with('*')) return pattern == text;
  pattern.remove_suffix(1);
  return text.starts_with(pattern);
}

std::string with_number(std::string_view text, std::string_view number) {
  constexpr std::string_view kPlace = "{number}";
  std::string result(text);
  if (const std::size_t place = result.find(kPlace); place != std::string::npos) {
    result.replace(place, kPlace.size(), number);
  }
  return result;
}

/// Numbers go into commands, so they are what a release is made of and nothing else.
bool is_release(std::string_view number) {
  return number.size() <= 8 && number.find_first_not_of("0123456789.") == std::string_view::npos;
}

WhatBrings of_row(const PackageRow& row, std::string_view name, std::string_view number) {
  WhatBrings brings;
  std::string wheels;
  for (const std::string_view wheel : row.wheels) {
    if (wheel.empty()) break;
    const std::string requirement = with_number(wheel, number);
    if (!wheels.empty()) wheels += ", ";
    wheels += requirement.substr(0, requirement.find_first_of("<>="));
    brings.commands.push_back("pip install " + shell_word(requirement));
    brings.wheels.push_back(requirement);
  }
  const std::string conda = with_number(row.conda, number);
  if (!conda.empty()) {
    CommandText command = "conda install -c conda-forge";
    for (const std::string_view word : words_in(conda, " ")) command += " " + shell_word(word);
    brings.commands.push_back(std::move(command));
  }
  const std::string product = with_number(row.product, number);
  brings.product = product;
  if (wheels.empty() && conda.empty()) {
    brings.what = say("brought-by-release", {{"library", name}, {"product", product}});
  } else if (wheels.empty()) {
    brings.what =
        say("brought-by-conda",
            {{"library", name}, {"product", product}, {"package", conda.substr(0, conda.find_first_of(" ="))}});
  } else {
    brings.what = say("brought-by-wheel", {{"library", name}, {"product", product}, {"wheels", wheels}});
  }
  return brings;
}

/// "libcudnn_ops.so.9" is libcudnn_ops and 9; nullopt for other names.
std::optional<std::pair<std::string_view, std::string_view>> stem_and_number(std::string_view soname) {
  soname = file_name_of(soname);
  const std::size_t so = soname.find(".so");
  if (so == std::string_view::npos) return std::nullopt;
  std::string_view number = soname.substr(so + 3);
  if (!number.empty() && !number.starts_with('.')) return std::nullopt;
  if (!number.empty()) number.remove_prefix(1);
  if (!is_release(number)) return std::nullopt;
  return std::pair(soname.substr(0, so), number);
}

bool fits(const PackageRow& row, std::string_view stem, std::string_view number) {
  return fits(row.stem, stem) && (row.number.empty() || fits(row.number, number));
}

}  // namespace

// Read in the wheels themselves: cuda-runtime of CUDA 11.8, 12.9 and 13.5, CUPTI, NVTX and cuFile of 12.9, tbb 2023.
// The others are taken to follow the same scheme.
std::optional<WheelFolder> folder_of_wheel(std::string_view requirement) {
  struct Place {
    std::string_view path;
    bool is_of_prefix = false;
  };
  constexpr std::pair<std::string_view, Place> kPlaces[] = {
      {"cutensor", {"cutensor/lib"}}, {"tensorrt", {"tensorrt_libs"}}, {"torch", {"torch/lib"}},
      {"mkl", {"lib", true}},         {"intel-openmp", {"lib", true}}, {"tbb", {"lib", true}}};
  constexpr std::string_view kOfNvidia = "nvidia-";
  std::string wheel(requirement.substr(0, requirement.find_first_of(" <>=!~;[")));
  const std::size_t suffix = wheel.rfind("-cu1");
  const bool has_suffix = suffix != std::string::npos;
  if (has_suffix) wheel.resize(suffix);
  for (const auto& [name, place] : kPlaces) {
    if (wheel == name) return WheelFolder{std::string(place.path), place.is_of_prefix};
  }
  if (!wheel.starts_with(kOfNvidia)) return std::nullopt;
  // Since CUDA 13 all parts that have its own number lie in one folder.
  if (!has_suffix) return WheelFolder{"nvidia/cu13/lib"};
  wheel.erase(0, kOfNvidia.size());
  std::replace(wheel.begin(), wheel.end(), '-', '_');
  return WheelFolder{"nvidia/" + wheel + "/lib"};
}

bool is_in_wheel(std::string_view soname, std::string_view wheel) {
  const auto name = stem_and_number(soname);
  const std::span<const PackageRow> rows = package_rows();
  return name && std::any_of(rows.begin(), rows.end(), [&](const PackageRow& row) {
           const bool has_wheel = std::any_of(row.wheels.begin(), row.wheels.end(), [&](std::string_view one) {
             return !one.empty() && one.substr(0, one.find_first_of("<>=")) == wheel;
           });
           return has_wheel && fits(row, name->first, name->second);
         });
}

std::string wheel_for_cuda(std::string_view soname, std::uint32_t cuda) {
  // From 13 on without a suffix, but for parts with numbers of their own.
  constexpr std::uint32_t kFirstWithoutSuffix = 13;
  const auto name = stem_and_number(soname);
  if (!name) return {};
  std::string plain;
  for (const PackageRow& row : package_rows()) {
    if (!fits(row, name->first, name->second)) continue;
    for (const std::string_view wheel : row.wheels) {
      const std::string_view bare = wheel.substr(0, wheel.find_first_of("<>="));
      if (bare.ends_with("-cu" + std::to_string(cuda))) return std::string(wheel);
      if (!bare.empty() && bare.find("-cu1") == std::string_view::npos) plain = wheel;
    }
  }
  return cuda >= kFirstWithoutSuffix ? plain : std::string();
}

std::optional<WhatBrings> what_brings(std::string_view soname) {
  soname = file_name_of(soname);
  const std::span<const DebianRow> in_debian = debian_rows();
  const auto debian = std::find_if(in_debian.begin(), in_debian.end(), [&](const DebianRow& row) {
    // "libpango-1.0-0" is asked for by packages that take the name of a package or of a DLL for a library's.
    return row.soname == soname || (row.package == soname && soname.find('-') != std::string_view::npos);
  });
  if (debian != in_debian.end()) {
    // dnf and zypper find a package by what it provides; the mark of 64 bits is part of that name.
    return WhatBrings{say("brought-by-distribution", {{"library", soname}, {"package", debian->package}}),
                      {"sudo apt install " + shell_word(debian->package),
                       "sudo dnf install " + shell_word(std::string(soname) + "()(64bit)")}};
  }
  const auto name = stem_and_number(soname);
  if (!name) return std::nullopt;
  if (is_of_driver(soname)) {
    return WhatBrings{say("brought-by-driver", {{"library", soname}}), {}};
  }
  const std::span<const PackageRow> rows = package_rows();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const PackageRow& candidate) {
    return fits(candidate, name->first, name->second);
  });
  if (row == rows.end()) return std::nullopt;
  return of_row(*row, soname, name->second);
}

}  // namespace soresolve
