// Random trees: half of them with every ingredient of the search, half with every ingredient of
// versions and symbols (tree_symbols.h), some with both.
//
// Each tree switches on a random few of the ingredients ("swarm testing"): a tree in which everything
// happens at once dies of its first bad file and shows nothing of the rest.
//
// Left out on purpose, because the library does not model it:
// - a cache whose count of entries lies far beyond the file: up to 2.31 the loader reads there and
//   dies of a signal;
// - DT_FILTER or DT_AUXILIARY that names ld.so in a program with others: what the loader then reads
//   lies in front of a table;
// - a filter of libc, and a second copy of ld.so beside libc: they load, and crash in relocation.
// Filters that lead in a circle are compared up to the point where the library stops.
#pragma once
#include <cstdint>
#include <string>

#include "differential/tree.h"

namespace soresolve::test {

/// The tree of one seed; the same on every machine. `has_users`: trees may ask for another user.
Tree generate_tree(std::uint64_t seed, bool has_users);

/// One about GLIBC_TUNABLES alone.
Tree generate_tunables_tree(std::uint64_t seed);

class Random;
/// Cuts off or zeroes one or two files of the tree near their tables: see spoil(). Where those lie follows
/// from all that is in the file, so this comes last.
void spoil_some(Random& random, Tree& tree);
/// Gives one to three libraries of the tree further PT_LOADs: see map_in_pieces(). The kernel maps the program.
void map_some_in_pieces(Random& random, Tree& tree);
/// A value of GLIBC_TUNABLES, well formed or not.
std::string random_tunables(Random& random);

/// What only musl's loader reads: its path file in all its forms, lists with line ends, names that are reserved.
void add_musl_ingredients(std::uint64_t seed, Tree& tree);

}  // namespace soresolve::test
