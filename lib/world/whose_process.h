// Whose process is it? Of a library that lacks something when it is judged alone, and of which nobody said who loads
// it.
//
// The loader resolves names in the scope of a whole process, so a module that leaves its symbols to its program, or a
// library that is found because its program has loaded it before, is not broken. Which process that is can be found:
// by what the file lacks and by what lies around it (surroundings.h). Each rule only proposes a process; whether the
// file works there is judged by the same walk as ever, and what works nowhere stays as it was judged alone.
//
//  - reached: a program needs the file, directly or through libraries beside it, or a module of Python does;
//  - exporter: a program defines all symbols that the file leaves open, perhaps with libraries beside the file that it
//    opens before; or, where none defines them all, one of the file's own tree that defines two of three: the file was
//    built for another release of it. Where the names are those that a host defines for its modules (Perl_newSV), its
//    programs in PATH count as well, and one that lacks none but such names is the host in another release;
//  - sibling: a missing library lies in the same tree, and a program loads it: by its needs, or because it or a library
//    of the tree that it needs names it as a constant (java and libjvm.so).
// Not here: modules of Python whose process is that of their interpreter (python/python.cc), libraries of the driver
// (packages/what_brings.cc, diagnose/verdict.cc), and what a package imports before (`import torch`).
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "python/interpreter.h"
#include "soresolve/file_system.h"
#include "world/surroundings.h"

namespace soresolve {

/// What a file lacks in some process.
struct Lacks {
  std::vector<std::string> libraries;  ///< names that nothing is found for
  std::vector<std::string> symbols;    ///< that nothing defines, of those that are required without a version
  std::size_t others = 0;              ///< versions, and symbols of a version
  bool is_started = true;              ///< false: the process does not come as far as the file
  [[nodiscard]] std::size_t count() const { return libraries.size() + symbols.size() + others; }
  [[nodiscard]] bool is_nothing() const { return is_started && count() == 0; }
};

/// The file that is asked about.
struct LoneFile {
  std::string path;    ///< absolute
  std::string soname;  ///< or the file's name where it has none
  ElfTarget target;
  Lacks lacks;  ///< judged alone
  PythonChoice python = {};
};

/// What `file` lacks when that process opens it, as far as `process` says.
using JudgeIn = std::function<Lacks(const AssumedProgram& process, const std::string& file)>;

inline constexpr std::size_t kMostProgramsRead = 3000;
inline constexpr std::size_t kMostProcessTrials = 24;

/// The process in which the file lacks nothing; or, where a rule other than `exporter` names one, or a program is the
/// right one in another release, in which it lacks less than alone. nullopt: none was found.
std::optional<AssumedProgram> find_process(Neighbourhood& near, const Environment& environment,
                                           const Surroundings& around, const LoneFile& file, const JudgeIn& judge);

/// The process of `program`, if it defines all that the file lacks: what find_process() would find of the rule
/// `exporter`, without looking around. For files that lie beside one whose process that is.
std::optional<AssumedProgram> try_exporter(Neighbourhood& near, const Environment& environment,
                                           const std::string& program, const LoneFile& file, const JudgeIn& judge);

}  // namespace soresolve
