#include "soresolve/version_check.h"

#include <algorithm>
#include <memory>

namespace soresolve {
namespace {

/// The version tables of a map's objects, each read once. Libraries ask of few others, again and
/// again.
class TableCache {
 public:
  TableCache(const System& system, const Process& process, const LinkMap& map)
      : system_(system), process_(process), map_(map), tables_(map.objects.size()) {}

  const Result<VersionTables>& of(ObjectIndex index) {
    if (!tables_[index]) {
      tables_[index] = std::make_unique<Result<VersionTables>>(read(index));
    }
    return *tables_[index];
  }

 private:
  Result<VersionTables> read(ObjectIndex index) {
    const LoadedObject& object = map_.objects[index];
    if (object.role == ObjectRole::Loader) return read_file(system_.loader_path, system_.loader);
    if (object.role == ObjectRole::Vdso) return VersionTables{};
    if (object.file) return read_version_tables(*object.file, object.elf, object.name());
    return read_file(index == 0 ? map_.main_path : absolute_path(object.path, process_.cwd),
                     object.elf);
  }

  Result<VersionTables> read_file(std::string_view path, const ElfObject& elf) {
    const Result<std::unique_ptr<File>, Errno> file = system_.files->open(path);
    if (!file) {
      return Unexpected{Error{ErrorCode::Unreadable, std::string(path), {},
                              errno_text(file.error(), ErrnoText::FromDlerror)}};
    }
    return read_version_tables(**file, elf, path);
  }

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  std::vector<std::unique_ptr<Result<VersionTables>>> tables_;
};

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
  return std::string(argv0) + ": " + object + ": " + text;
}

bool VersionCheck::has_error() const {
  return std::any_of(messages.begin(), messages.end(),
                     [](const VersionMessage& message) { return message.is_error; });
}

Result<VersionCheck> check_versions(const System& system, const Process& process,
                                    const LinkMap& map) {
  VersionCheck check;
  TableCache cache(system, process, map);
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
      check.messages.push_back(std::move(message));
    }
  }
  return check;
}

}  // namespace soresolve
