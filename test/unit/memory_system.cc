// Puts ELF files, a cache and an environment into a MemoryFileSystem, walks, and prints map, scope, messages and
// attempts as lines that tests compare.
#include "unit/memory_system.h"
#include "loader/load.h"
#include "loader/system.h"
#include "support/borrowed.h"

#include <utility>

namespace soresolve::test {
namespace {

ElfSpec needing(ElfSpec spec, std::vector<std::string> names) {
  for (std::string& name : names) spec.needed(std::move(name));
  return spec;
}

}  // namespace

MemorySystem::MemorySystem(int glibc_minor)
    : rules(rules_for_release({2, glibc_minor}, kX86_64)), files_(std::make_shared<MemoryFileSystem>()) {
  process.argv0 = "prog";
  process.cpu = default_cpu(kX86_64);
  process.os_release = "6.1.0";
  files_->add_directory("/lib64");
  files_->add_directory("/usr/lib64");
}

MemorySystem& MemorySystem::elf(std::string_view path, const ElfSpec& spec) {
  files_->add_file(path, write_elf(spec));
  return *this;
}

MemorySystem& MemorySystem::cached(std::string key, std::string value) {
  cache.lines.push_back({std::move(key), std::move(value)});
  return *this;
}

MemorySystem& MemorySystem::env(std::string entry) {
  process.environment.add(std::move(entry));
  return *this;
}

System MemorySystem::make_system() const {
  System system;
  system.files = files_;
  system.loader_path = kInterp;
  system.loader.target = kX86_64;
  system.loader.type = kEtDyn;
  system.loader.soname = "ld-linux-x86-64.so.2";
  system.rules = rules;
  if (!cache.lines.empty()) {
    Result<LdCache> parsed = LdCache::parse(write_cache(cache), rules, kX86_64, rules.cache_path);
    if (parsed) {
      system.cache = std::move(*parsed);
      system.has_cache = true;
    }
  }
  if (!preload_file.empty()) system.preload_file = preload_file;
  return system;
}

Result<LinkMap> MemorySystem::load(std::string_view file, const LoadOptions& options) {
  systems_.push_back(std::make_unique<System>(make_system()));
  return soresolve::load(system(), process, file, options);
}

ElfSpec program_needing(std::vector<std::string> names) { return needing(test::program(), std::move(names)); }
ElfSpec library_needing(std::vector<std::string> names) { return needing(library(), std::move(names)); }

std::vector<std::string> listing(const LinkMap& map) {
  std::vector<std::string> lines;
  for (const ObjectIndex index : map.list_order) {
    const LoadedObject& object = map.objects[index];
    if (object.role == ObjectRole::Placeholder) {
      lines.push_back(std::string(object.requested_name) + " => not found");
    } else if (object.role == ObjectRole::Library) {
      lines.push_back(object.requested_name == object.path
                          ? std::string(object.path)
                          : std::string(object.requested_name) + " => " + std::string(object.path));
    }
  }
  return lines;
}

std::vector<std::string> scope(const LinkMap& map) {
  std::vector<std::string> paths;
  for (const ObjectIndex index : map.search_list) {
    const LoadedObject& object = map.objects[index];
    if (object.role == ObjectRole::Main) paths.emplace_back("(main)");
    if (object.role == ObjectRole::Library) paths.emplace_back(object.path);
  }
  return paths;
}

std::vector<std::string> messages(const LinkMap& map) {
  std::vector<std::string> lines;
  for (const LoadFailure& failure : map.failures) lines.push_back(failure.start_message("prog"));
  return lines;
}

std::vector<std::string> attempts(const LinkMap& map, std::size_t need) {
  std::vector<std::string> lines;
  for (const Attempt& attempt : map.traces[map.main().needs[need].trace].attempts) {
    lines.push_back(attempt.candidate + ": " + std::string(name_of(attempt.outcome)));
  }
  return lines;
}

}  // namespace soresolve::test
