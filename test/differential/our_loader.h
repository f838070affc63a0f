// The library's answer about a tree.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "differential/answer.h"
#include "differential/real_loader.h"
#include "differential/tree.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/report.h"
#include "soresolve/symbols.h"

namespace soresolve::test {

/// Asks the library about the tree that `box` was prepared with. What the library cannot look at is
/// told in the messages.
LoaderAnswer ask_our_loader(const Sandbox& box, const GlibcRoot& root, const Tree& tree, Runs runs);
/// The same of a root with musl's loader.
LoaderAnswer ask_our_musl(const Sandbox& box, const Tree& tree, Runs runs);

/// Acts as another user as far as files are concerned, while it lives.
class AsUser {
 public:
  explicit AsUser(std::uint32_t user);
  ~AsUser();
  AsUser(const AsUser&) = delete;
  AsUser& operator=(const AsUser&) = delete;

 private:
  bool is_other_;
};

/// The answer where the library could not look.
LoaderAnswer failed(const Error& error);
std::vector<std::string> lines_in(std::string_view text);
std::string end_of(const Startup& startup);
std::string end_of(const TraceAnswer& trace);
Process process_of(const Tree& tree, const System& system, Cpu cpu);
/// Does `why`, which looks past the first failure, come to the same end as the start does? Empty if so.
std::string why_differs(const System& system, const Process& process, const std::string& file, const Startup& start);

}  // namespace soresolve::test
