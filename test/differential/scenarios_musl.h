// The scenarios of musl's loader, by their numbers in the reference: each runs under the real loader of a release,
// which must show what is expected here, and before the library, whose whole answer must be the same.
//
// The words are those of scenarios.h; a release is the last number of 1.2.N. The program is /t/m, which needs libw.so
// and then libc.so and calls who(), unless it says otherwise. Those of dlopen(3) are in open_scenarios_musl.cc.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "differential/scenarios.h"

namespace soresolve::test {

inline constexpr std::string_view kLdso = "/lib/ld-musl-x86_64.so.1";

/// What a scenario takes of the host: files of musl and of glibc, which are too large to be written by hand.
struct MuslFiles {
  std::string musl;          ///< bytes of the loader
  std::string glibc_libc;    ///< of glibc's libc.so.6; empty: not to be had
  std::string glibc_loader;  ///< of its ld-linux-x86-64.so.2
};

/// /t/m, and a library that defines who().
ElfSpec musl_program();
ElfSpec who();
/// A program of musl's, which needs `names`.
ElfSpec musl_program_needing(std::initializer_list<const char*> names);

/// With the loader at its place, in a root where /lib and /usr/lib are two.
Scenario musl_scenario(std::string number, std::string title);
/// libw.so is not there: both lines of it.
Scenario& misses_libw(Scenario& scenario);
/// who() of /t/m is bound to `path`, and it runs.
Scenario& takes_who(Scenario& scenario, const std::string& path);

std::vector<Scenario> musl_path_file();                      // 1 … 20
std::vector<Scenario> musl_environment();                    // 21 … 31
std::vector<Scenario> musl_rpath();                          // 32 … 50
std::vector<Scenario> musl_names(const MuslFiles& files);    // 51 … 62
std::vector<Scenario> musl_preload();                        // 63 … 71
std::vector<Scenario> musl_acceptance();                     // 72 … 80
std::vector<Scenario> musl_symbols();                        // 81 … 100
std::vector<Scenario> musl_foreign(const MuslFiles& files);  // 113 … 116
std::vector<Scenario> musl_scenarios(const MuslFiles& files);

/// Those of the list that no test here can run, with the reason.
std::vector<std::string> musl_scenarios_left_out(const MuslFiles& files);

}  // namespace soresolve::test
