#include "version/version_check.h"

#include <algorithm>

namespace soresolve {
namespace {

/// The object that a verneed record means: the first of the list that goes by the file's name.
std::optional<ObjectIndex> find_needed(const LinkMap& map, std::string_view file) {
  for (const ObjectIndex index : map.list_order) {
    if (map.objects[index].goes_by(file)) return index;
  }
  return std::nullopt;
}

constexpr std::string_view kRelrVersion = "GLIBC_ABI_DT_RELR";

/// Relative relocations in the packed form need a libc that says that it understands them.
bool lacks_relr_version(const LoaderRules& rules, const LoadedObject& object,
                        const VersionTables& tables) {
  if (!rules.checks_relr || !object.elf.symbol_tags.has_relr) return false;
  const bool needs_libc = std::any_of(
      object.elf.needs.begin(), object.elf.needs.end(), [](const NeedEntry& need) {
        return need.kind == NeedKind::Needed && need.name.starts_with("libc.so.");
      });
  return needs_libc && std::none_of(tables.needs.begin(), tables.needs.end(),
                                    [](const VersionNeed& need) { return need.name == kRelrVersion; });
}

std::string shown_name(const Process& process, const LinkMap& map, ObjectIndex index) {
  return index == 0 ? process.argv0 : std::string(map.objects[index].path);
}

}  // namespace

std::string VersionMessage::line(const LinkMap& map, std::string_view argv0) const {
  const std::string object =
      provider == 0 ? std::string(argv0) : std::string(map.objects[provider].path);
  const std::string occasion = is_fatal_at_once ? "error while loading shared libraries: " : "";
  return std::string(argv0) + ": " + occasion + object + ": " + text;
}

bool VersionCheck::has_error() const {
  return std::any_of(messages.begin(), messages.end(),
                     [](const VersionMessage& message) { return message.is_error; });
}

Result<VersionCheck> check_versions(const System& system, const Process& process,
                                    const LinkMap& map) {
  MapVersions versions(system, process, map);
  return check_versions(system, process, map, versions);
}

Result<VersionCheck> check_versions(const System& system, const Process& process,
                                    const LinkMap& map, MapVersions& cache) {
  VersionCheck check;
  for (const ObjectIndex index : map.list_order) {
    const LoadedObject& object = map.objects[index];
    if (object.role != ObjectRole::Main && object.role != ObjectRole::Library) continue;
    if (!object.elf.symbol_tags.version_needs) continue;
    const Result<VersionTables>& tables = cache.of(index);
    if (!tables) {
      check.unreadable.push_back(tables.error());
      continue;
    }
    for (const VersionNeed& need : tables->needs) {
      const std::optional<ObjectIndex> provider = find_needed(map, need.file);
      // Nobody: an assertion, which the walk has told. A placeholder: silently passed.
      if (!provider || map.objects[*provider].role == ObjectRole::Placeholder) continue;
      if (map.objects[*provider].role == ObjectRole::Vdso) continue;  // the kernel's, not a file
      const Result<VersionTables>& defs = cache.of(*provider);
      if (!defs) {
        check.unreadable.push_back(defs.error());
        continue;
      }
      ++check.checked;
      const VersionMatch match = match_version(need, *defs);
      if (match.verdict == VersionVerdict::Defined) continue;
      VersionMessage message;
      message.requirer = index;
      message.provider = *provider;
      message.verdict = match.verdict;
      message.version = std::string(need.name);
      message.need_offset = need.file_offset;
      message.text = version_text(match.verdict, need, match.def, shown_name(process, map, index));
      message.is_error = match.verdict == VersionVerdict::Missing ||
                         match.verdict == VersionVerdict::UnknownRecord;
      check.messages.push_back(std::move(message));
    }
    if (lacks_relr_version(system.rules, object, *tables)) {
      VersionMessage message;
      message.requirer = index;
      message.provider = index;
      message.version = std::string(kRelrVersion);
      message.text = "DT_RELR without GLIBC_ABI_DT_RELR dependency";
      message.is_error = true;
      message.is_fatal_at_once = true;
      check.messages.push_back(std::move(message));
    }
  }
  return check;
}

}  // namespace soresolve
