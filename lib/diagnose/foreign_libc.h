// Files that were built for another libc than the one of the loader that is to load them.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "diagnose/diagnosis_input.h"
#include "loader/load.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// Puts a ForeignLibc problem before those that come of it: for each file of the other libc that misses a library or
/// symbols. One that misses nothing loads (a small glibc library under musl), and is no problem.
void add_foreign_libc(const LinkMap& map, Diagnosis& diagnosis);

/// Of a program whose interpreter is not there: the other libc is, and the program's own is nowhere. `name` is its name
/// in the sentence. nullopt: something else is missing.
std::optional<Statement> foreign_interpreter(const std::shared_ptr<const FileSystem>& files,
                                             const OpenedObject& program, const std::string& name);

}  // namespace soresolve
