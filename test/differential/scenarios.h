// Named cases, one for each rule of the search, with what the real loader is known to do.
//
// The numbers are those of the reference's list of differential scenarios. Each is run by the real
// loader, which must show what is expected here (so that the case really exercises its rule), and by
// the library, whose whole answer must be the same.
#pragma once
#include <string>
#include <vector>

#include "differential/tree.h"

namespace soresolve::test {

/// Minor numbers of glibc 2.x, both included.
struct Releases {
  int first = 0;
  int last = 99;
};
inline Releases since(int minor) { return {minor, 99}; }
inline Releases until(int minor) { return {0, minor}; }

struct Expectation {
  enum class Kind : std::uint8_t {
    Traces,       ///< the trace has this line (the leading tab is left out)
    Omits,        ///< no line of the trace has this text
    Order,        ///< the lines of the trace are these, in this order, names only
    Starts,       ///< the program runs
    Says,         ///< some message of the start has this text
    Ends,         ///< the start ends like this: "exit 127", "signal", "blocks"
    DiesTracing,  ///< tracing itself ends with exit 127 and this text
    Tries,        ///< this path is tried
    TriesNot,     ///< this path is not tried
    NowSays,      ///< some message of the start with LD_BIND_NOW=1 has this text
    NowEnds,      ///< the start with LD_BIND_NOW=1 ends like this
    Binds,        ///< with LD_BIND_NOW=1, a line of LoaderAnswer::bindings, blanks for tabs
    BindsNot,     ///< no line of LoaderAnswer::bindings begins like this
    Warns,        ///< some message of the tracing has this text
  };
  Kind kind = Kind::Traces;
  std::string text;
  Releases releases;
};

struct Scenario {
  std::string number;
  std::string title;
  Tree tree;
  std::vector<Expectation> expectations;

  Scenario(std::string number, std::string title);

  Scenario& exe(ElfSpec spec, std::string path = "/app/bin/prog");
  Scenario& lib(std::string path, ElfSpec spec = library());
  Scenario& bad(std::string path, Damage damage, ElfSpec spec = library());
  Scenario& node(TreeNode node);
  Scenario& env(std::string variable);
  Scenario& library_path(const std::string& list) { return env("LD_LIBRARY_PATH=" + list); }
  Scenario& cwd(std::string path);
  Scenario& start(std::string file);
  Scenario& cached(std::string key, std::string value);

  Scenario& expect(Expectation::Kind kind, std::string text, Releases releases = {});
  Scenario& traces(std::string line, Releases r = {});
  Scenario& missing(const std::string& name, Releases r = {});
  Scenario& omits(std::string text, Releases r = {});
  Scenario& starts(Releases r = {});
  Scenario& says(std::string text, Releases r = {});
  Scenario& ends(std::string text, Releases r = {});
  Scenario& dies_tracing(std::string text, Releases r = {});
  Scenario& order(std::string names, Releases r = {});
  Scenario& now_says(std::string text, Releases r = {});
  Scenario& now_ends(std::string text, Releases r = {});
  Scenario& binds(std::string line, Releases r = {});
  Scenario& binds_not(std::string line, Releases r = {});
  Scenario& warns(std::string text, Releases r = {});
};

std::vector<Scenario> order_of_stages();    // 1 … 14
std::vector<Scenario> path_list_syntax();   // 18 … 26
std::vector<Scenario> bad_files();          // 27 … 49
std::vector<Scenario> already_loaded();     // 50 … 57
std::vector<Scenario> string_tokens();      // 58 … 65
std::vector<Scenario> hwcaps_and_cache();   // 66 … 77
std::vector<Scenario> order_and_preload();  // 78 … 86
std::vector<Scenario> symbol_versions();    // 87 … 97
std::vector<Scenario> symbol_binding();     // 98 … 108
std::vector<Scenario> symbol_corners();     // what the list does not number
std::vector<Scenario> all_scenarios();

/// A program or library that needs `names`.
ElfSpec program_needing(std::initializer_list<const char*> names);
ElfSpec library_needing(std::initializer_list<const char*> names);
/// A program that needs "a", which is in /D.
ElfSpec program_of_a();
/// A library that defines these versions, the base first.
ElfSpec versioned(std::initializer_list<const char*> names);

}  // namespace soresolve::test
