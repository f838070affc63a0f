// What needers of a library lose with another one, on files that the compiler and the linker made
// (test/fixtures/replaced_library, version_nodes).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "soresolve/symbols.h"
#include "unit/print_list.h"
#include "unit/read_library.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;
using Stands = LibraryDiff::Stands;

std::string word_of(SymbolChangeKind kind) {
  switch (kind) {
    case SymbolChangeKind::Gone: return "gone";
    case SymbolChangeKind::OtherVersion: return "moved";
    case SymbolChangeKind::Kind: return "kind";
    case SymbolChangeKind::Size: return "size";
    case SymbolChangeKind::Protected: return "protected";
    case SymbolChangeKind::Unversioned: return "plain";
    case SymbolChangeKind::Default: return "default";
    case SymbolChangeKind::Unique: return "unique";
  }
  return "";
}

/// "loss kept@N_1: kind", the lost nodes before it.
Names reported(const LibraryDiff& diff) {
  Names lines;
  for (const NodeLoss& node : diff.missing_nodes) lines.push_back("loss " + node.name);
  for (const SymbolChange& change : diff.changes) {
    std::string line = (change.is_loss() ? "loss " : "note ") + change.name +
                       (change.version.empty() ? "" : "@" + change.version) + ": " + word_of(change.kind);
    for (const std::string& version : change.instead) line += " " + version;
    lines.push_back(line);
  }
  return lines;
}

LibraryDiff compare(const std::string& old, const std::string& now) {
  return compare_libraries(read_library(old), read_library(now));
}

}  // namespace

TEST_CASE("what becomes of one symbol decides which consumers are served") {
  struct Case {
    const char* why;
    std::string now;
    Stands stands;
    Names reported;
  };
  const Case cases[] = {
      {"nothing has changed", "same", Stands::ForEveryone, {}},
      {"more is no loss", "more", Stands::ForEveryone, {}},
      {"a definition is gone", "gone", Stands::ForSome, {"loss kept@N_1: gone"}},
      {"a hidden one is none", "hidden", Stands::ForSome, {"loss data@N_1: gone"}},
      {"a function became data", "kind", Stands::ForSome, {"loss kept@N_1: kind"}},
      {"a function became thread-local", "tls_kind", Stands::ForSome, {"loss kept@N_1: kind"}},
      {"an IFUNC is a function as well", "ifunc", Stands::ForEveryone, {}},
      {"data grew: a copy is too small", "bigger", Stands::ForSome, {"loss data@N_1: size"}},
      {"data shrank: the rest is not there", "smaller", Stands::ForSome, {"loss data@N_1: size"}},
      {"protected data parts from its copies", "protected", Stands::ForSome, {"loss data@N_1: protected"}},
      {"a unique definition is told", "unique", Stands::ForEveryone, {"note data@N_1: unique"}},
      {"ld.so takes a weak definition as any", "weak", Stands::ForEveryone, {}},
      {"a symbol of another node is not found", "moved", Stands::ForSome, {"loss kept@N_1: moved N_2"}},
      {"another SONAME is another file to ask for", "soname", Stands::ForSome, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const LibraryDiff diff =
        compare("replaced_library/libreplaced_same.so", "replaced_library/libreplaced_" + c.now + ".so");
    CHECK(reported(diff) == c.reported);
    CHECK(diff.stands() == c.stands);
    CHECK(diff.has_loss() == (c.stands != Stands::ForEveryone));
    CHECK(diff.has_other_soname == (c.now == "soname"));
    CHECK(diff.new_symbols == (c.now == "more" || c.now == "moved" ? 1 : 0));
  }
}

TEST_CASE("without the node that all symbols carried nobody is served") {
  const LibraryDiff diff =
      compare("replaced_library/libreplaced_same.so", "replaced_library/libreplaced_other_node.so");
  CHECK(diff.stands() == Stands::Unbound);
  REQUIRE(diff.missing_nodes.size() == 1);
  CHECK(diff.missing_nodes[0].name == "N_1");
  CHECK(diff.missing_nodes[0].symbols == 6);
  CHECK(diff.new_nodes == Names{"N_2"});
}

TEST_CASE("a library without versions is fatal for versioned consumers before glibc 2.41, not vice versa") {
  const LibraryDiff missing =
      compare("replaced_library/libreplaced_same.so", "replaced_library/libreplaced_unversioned.so");
  CHECK(missing.has_no_nodes_now);
  CHECK(missing.missing_nodes.empty());
  CHECK(missing.ends_in_assertion);
  CHECK(missing.stands() == Stands::ForSome);
  CHECK(missing.changes.size() == 6);
  const LibraryDiff gained =
      compare("replaced_library/libreplaced_unversioned.so", "replaced_library/libreplaced_same.so");
  CHECK(gained.stands() == Stands::ForEveryone);
  CHECK(gained.changes.empty());
  CHECK(gained.new_nodes == Names{"N_1"});
}

TEST_CASE("a new default version is no loss while the old one is kept") {
  const LibraryDiff forward = compare("version_nodes/libp_first.so", "version_nodes/libp_second.so");
  CHECK(reported(forward) == Names{"loss h@LIBP_1.0: moved LIBP_2.0", "note f@LIBP_1.0: default LIBP_2.0"});
  CHECK(forward.stands() == Stands::ForSome);
  const LibraryDiff back = compare("version_nodes/libp_second.so", "version_nodes/libp_first.so");
  CHECK(reported(back) == Names{"loss LIBP_2.0", "loss f@LIBP_2.0: moved LIBP_1.0", "loss g@LIBP_2.0: gone",
                                "loss h@LIBP_2.0: moved LIBP_1.0"});
}
