// What the name of a library file tells: which library it is, whatever its version.
#pragma once
#include <string_view>

#include "soresolve/elf.h"

namespace soresolve {

/// "libcudart" of libcudart.so.11.0, of libcudart-e409450e.so.11.0 (a copy that auditwheel(1) has put into
/// a wheel) and of /opt/x/libcudart.so.12; the whole file name when it has no ".so". Borrows from `name`.
std::string_view library_stem(std::string_view name);

/// The same, but empty for what is no lib*.so*: what the copies of one library have in common.
std::string_view library_family(std::string_view name);

/// "libaio.so.1" of libaio.so.1t64: so Debian marks what was built again for a time_t of 64 bits, which is no change
/// where time_t had 64 bits before. Others as they are.
std::string_view without_time_mark(std::string_view name);

/// Is it a library by its DT_SONAME (ElfObject::is_library()) or, where it has none, by its file name: an ET_DYN
/// without DF_1_PIE that is called *.so*? dlopen passes over the PT_INTERP of such a file.
bool is_for_dlopen(const ElfObject& object, std::string_view path);

}  // namespace soresolve
