// Files for a processor that is not this one: which of them this machine, or a root, takes all the same, and the
// emulator that runs such a program.
//
// Sources: Linux fs/binfmt_misc.c and Documentation/admin-guide/binfmt-misc.rst (entries), QEMU's linux-user
// documentation (-L). Not here: what the loader makes of such a file on its way, which it passes over
// (loader/file_acceptance.cc).
#pragma once
#include <optional>
#include <vector>

#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "soresolve/remedies.h"
#include "world/refusal.h"

namespace soresolve {

/// The machine that this program is compiled for; nullopt: one that nothing here is compared with.
std::optional<ElfTarget> target_of_machine();

/// Does an entry of binfmt_misc take the program? In a container the entries of its host are not seen, and one with
/// flag F counts all the same. `files`: those of this machine.
enum class Binfmt : std::uint8_t { None, Taken, NotSeen };
Binfmt binfmt_entry(const FileSystem& files, const File& program);

/// The program under qemu-user, where that is installed and knows its libraries. Not tried.
std::vector<Remedy> fixes_of_machine(const FileSystem& files, const Refused& refused);

}  // namespace soresolve
