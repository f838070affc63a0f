// A small system in memory, and the answer of a walk over it as plain text.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loader/load.h"
#include "loader/loader_rules.h"
#include "loader/process.h"
#include "loader/system.h"
#include "support/borrowed.h"
#include "support/cache_writer.h"
#include "support/elf_writer.h"
#include "unit/targets.h"

namespace soresolve::test {

inline constexpr std::string_view kProgram = "/app/prog";

/// Files, the rules of one release and the process that loads. The system directories are those of
/// upstream, /lib64/ and /usr/lib64/; the processor is the lowest one; there is no cache and no
/// ld.so.preload unless they are set.
class MemorySystem {
 public:
  explicit MemorySystem(int glibc_minor = 36);

  /// Adds an ELF file.
  MemorySystem& elf(std::string_view path, const ElfSpec& spec);
  /// Adds the program that load() walks by default.
  MemorySystem& program(const ElfSpec& spec) { return elf(kProgram, spec); }
  /// Adds one entry to the cache.
  MemorySystem& cached(std::string key, std::string value);
  MemorySystem& env(std::string entry);

  /// The map borrows from this object.
  Result<LinkMap> load(std::string_view file = kProgram, const LoadOptions& options = {});
  /// The system that the last load() walked.
  [[nodiscard]] const System& system() const { return *systems_.back(); }

  MemoryFileSystem& files() { return *files_; }

  LoaderRules rules;
  Process process;
  CacheSpec cache;           ///< used if it has lines
  std::string preload_file;  ///< used if it is not empty

 private:
  [[nodiscard]] System make_system() const;

  std::shared_ptr<MemoryFileSystem> files_;
  std::vector<std::unique_ptr<System>> systems_;
};

/// A program or library with these DT_NEEDED.
ElfSpec program_needing(std::vector<std::string> names);
ElfSpec library_needing(std::vector<std::string> names = {});

/// What tracing lists, without ld.so and the vDSO: "NAME => PATH", "NAME" where both are equal,
/// "NAME => not found".
std::vector<std::string> listing(const LinkMap& map);
/// The global scope by path; the program is "(main)", ld.so and the vDSO are left out.
std::vector<std::string> scope(const LinkMap& map);
/// What the loader would say for each failure, in order; argv[0] is "prog".
std::vector<std::string> messages(const LinkMap& map);
/// "CANDIDATE: OUTCOME" of each attempt for the request `need` of the program.
std::vector<std::string> attempts(const LinkMap& map, std::size_t need);

}  // namespace soresolve::test
