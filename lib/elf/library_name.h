// What the name of a library file tells: which library it is, whatever its version.
#pragma once
#include <string_view>

namespace soresolve {

/// "libcudart" of libcudart.so.11.0, of libcudart-e409450e.so.11.0 (a copy that auditwheel(1) has put into
/// a wheel) and of /opt/x/libcudart.so.12; the whole file name when it has no ".so". Borrows from `name`.
std::string_view library_stem(std::string_view name);

/// The same, but empty for what is no lib*.so*: what the copies of one library have in common.
std::string_view library_family(std::string_view name);

}  // namespace soresolve
