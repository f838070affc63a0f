// What is typed to have a package again, by the manager whose record names it.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packages/package_owner.h"
#include "soresolve/command_text.h"
#include "soresolve/link_map.h"
#include "soresolve/statement.h"

namespace soresolve {

/// One command, in three parts: packages with the same start and end can share it.
struct ReinstallCommand {
  CommandText start, package, end;
  bool is_of_one = false;  ///< it takes one package only
};

/// Commands for the packages of one question. The map must outlive it.
class ReinstallCommands {
 public:
  explicit ReinstallCommands(const LinkMap& map) : map_(map) {}

  /// `requirement`: of a wheel, another release than the one that is installed, with what that requires in turn; empty:
  /// the same again. nullopt: none is known that can work here.
  std::optional<ReinstallCommand> of(const PackageOwner& owner, std::string_view requirement = {});

  /// Why the usual command was not taken, in the order in which that was found: programs of the distribution that do
  /// not start, archives that are not there.
  [[nodiscard]] const std::vector<Statement>& notes() const { return notes_; }

 private:
  std::optional<ReinstallCommand> of_dpkg(const PackageOwner& owner);
  bool start(const std::vector<std::string_view>& programs);
  bool starts(std::string_view program);
  CommandText sudo();

  const LinkMap& map_;
  std::map<std::string, bool, std::less<>> starts_;
  std::vector<Statement> notes_;
};

}  // namespace soresolve
