// A core dump, byte by byte: notes and memory of a process with one library, as the kernel writes them.
#pragma once
#include <string>

namespace soresolve::test {

/// Of a 64-bit process of /app/prog with /usr/lib/libx.so and the loader: NT_AUXV, NT_FILE; a stack with an environment
/// of "LD_LIBRARY_PATH=/opt" and "HOME=/"; the loader's list.
std::string write_core();

}  // namespace soresolve::test
