// What the verdict is made of, for those who also say why.
#pragma once
#include <span>

#include "soresolve/diagnose.h"

namespace soresolve {

/// Does the process that loads this library count, of which nothing is known?
bool has_unknown_process(const LinkMap& map);

/// Is it the first undefined symbol that ends the start?
bool ends_in_symbol(const Check& check);

/// The first problem of CUDA because of which calls will fail or may crash, although everything loads; nullptr: none.
/// No driver is not one of them: machines that build and test have none.
const Problem* first_failing_call(std::span<const Problem> problems);

/// What there is instead of a missing C++ symbol.
Statement near_miss_words(const NearSymbol& near);

/// "cudaMalloc", "cudaMalloc and 3 further symbols": the first of `count`.
Statement symbols_in_short(const std::string& first, std::size_t count);

/// Is this failure about a library that the host's driver brings in, because no driver is here and nobody said whose
/// process it is?
bool is_left_to_driver(const LinkMap& map, const LoadFailure& failure);

/// Those libraries, where nothing else is wrong; else none.
std::vector<std::string> left_to_driver(const LinkMap& map, const Check& check);

/// May a library of an assumed driver, known only from the built-in table, define the symbol that nothing else does?
bool is_left_to_assumed_driver(const LinkMap& map, const UnresolvedSymbol& symbol);

/// Of a file whose verdict is Depends: "depends on its process: what loads it has to define PyDict_New and 65 further
/// symbols", or on the driver.
Statement what_it_depends_on(const LinkMap& map, const Check& check);

/// As check_start(), but nobody is looked for who has a missing symbol in another version, out of sight or by a name
/// like it: `other_versions`, `out_of_scope` and `near_misses` of its symbols stay empty.
Result<Check> check_what_lacks(const LinkMap& map, const BindOptions& options = {});

/// The highest level of the x86-64 psABI among the bits of GNU_PROPERTY_X86_ISA_1_NEEDED:
/// "x86-64-v3"; bits that no level has by their number.
std::string isa_level_name(std::uint32_t isa_needed);

}  // namespace soresolve
