// The parts of the catalogue. Each is one table: what is printed, and what it means.
#pragma once
#include <span>
#include <string_view>

#include "soresolve/catalogue.h"

namespace soresolve {

std::span<const KnownMessage> framework_messages();  ///< catalogue_frameworks.cc
std::span<const KnownMessage> cuda_messages();       ///< catalogue_cuda.cc
std::span<const KnownMessage> driver_messages();     ///< catalogue_driver.cc
std::span<const KnownMessage> toolkit_messages();    ///< catalogue_toolkit.cc
std::span<const KnownMessage> symbol_messages();     ///< catalogue_symbols.cc
std::span<const KnownMessage> loader_messages();     ///< catalogue_loader.cc

/// Who prints most of them.
inline constexpr Phrase kLoader = {"ld.so (glibc's dynamic linker)", "ld.so（glibc 的动态链接器）"};

/// A text of glibc's loader as dlerror(3) gives it in a Chinese locale.
struct Translation {
  std::string_view english;
  std::string_view chinese;
};
std::span<const Translation> loader_translations();

}  // namespace soresolve
