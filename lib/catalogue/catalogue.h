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
std::span<const KnownMessage> musl_messages();       ///< catalogue_musl.cc
std::span<const KnownMessage> program_messages();    ///< catalogue_programs.cc
std::span<const KnownMessage> build_messages();      ///< catalogue_builds.cc

/// Who prints most of them.
inline constexpr Phrase kLoader = {"ld.so (glibc's dynamic linker)", "ld.so（glibc 的动态链接器）"};

/// A text of glibc's loader as dlerror(3) gives it in another locale.
struct Translation {
  std::string_view english;
  std::string_view text;
};
/// Those of one language.
using TranslationTable = std::span<const Translation>;
std::span<const TranslationTable> loader_translations();  ///< catalogue_translations.cc

}  // namespace soresolve
