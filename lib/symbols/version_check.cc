// For each object in load order: each required version against the object that has the file's name. Source: glibc 2.36
// elf/dl-version.c:_dl_check_map_versions, match_symbol; the order of dlopen: elf/dl-open.c. A table that cannot be
// read is listed in `unreadable`; the loader would crash there.
#include "symbols/map_versions.h"

#include <elf.h>

#include <algorithm>

#include "loader/list_names.h"
#include "loader/loader_rules.h"
#include "loader/process.h"
#include "loader/system.h"
#include "symbols/version_tables.h"

namespace soresolve {
namespace {

/// The object that a verneed record means: the first of the list that goes by the file's name. The
/// program and what is opened are looked at with their own search lists as well, where filtees stand that the
/// list hides.
std::optional<ObjectIndex> find_needed(const LinkMap& map, ListNames& names, ObjectIndex requirer,
                                       std::string_view file) {
  const ObjectIndex first = names.first(file, map.objects[requirer].space);
  if (first != kNoObject) return first;
  const auto find_in = [&](const std::vector<ObjectIndex>& list) -> std::optional<ObjectIndex> {
    const auto at =
        std::find_if(list.begin(), list.end(), [&](ObjectIndex i) { return map.objects[i].matches_name(file); });
    return at == list.end() ? std::nullopt : std::optional(*at);
  };
  if (requirer == 0) return find_in(map.search_list);
  const auto dlopen_call = std::find_if(map.dlopen_calls.begin(), map.dlopen_calls.end(),
                                        [&](const DlopenCall& o) { return o.asked == requirer; });
  return dlopen_call == map.dlopen_calls.end() ? std::nullopt : find_in(dlopen_call->search_list);
}

/// Nobody goes by this name: does the loader's assertion fail? The walk knows.
const LoadFailure* missing_file(const LinkMap& map, ObjectIndex requirer, std::string_view file) {
  for (const LoadFailure& failure : map.failures) {
    if (failure.kind == LoadFailure::Kind::VersionFile && failure.needer == requirer && failure.object == file &&
        failure.is_fatal_at_start) {
      return &failure;
    }
  }
  return nullptr;
}

/// The loader fills a table by DT_VERSYM's indices, and reads the one without asking for the other.
bool lacks_version_indices(const ElfObject& elf, const VersionTables& tables) {
  if (elf.symbol_tags.version_index) return false;
  const auto has_index = [](const auto& record) { return record.index != 0; };
  return std::any_of(tables.needs.begin(), tables.needs.end(), has_index) ||
         std::any_of(tables.defs.begin(), tables.defs.end(), has_index);
}

constexpr std::string_view kRelrVersion = "GLIBC_ABI_DT_RELR";

/// Relative relocations in the packed form need a libc that says that it understands them.
bool needs_relr_version(const LoaderRules& rules, const LoadedObject& object) {
  if (!rules.checks_relr || !object.elf.symbol_tags.has_relr) return false;
  return std::any_of(object.elf.needs.begin(), object.elf.needs.end(), [](const NeedEntry& need) {
    return need.kind == NeedKind::Needed && need.name.starts_with("libc.so.");
  });
}

std::string shown_name(const LinkMap& map, ObjectIndex index) {
  return index == 0 ? map.process->argv0 : std::string(map.objects[index].path);
}

}  // namespace

std::string VersionMessage::line(const LinkMap& map, std::string_view argv0) const {
  if (is_assertion) return text;
  const std::string object = provider == 0 ? std::string(argv0) : std::string(map.objects[provider].path);
  const std::string occasion = is_fatal_at_once ? "error while loading shared libraries: " : "";
  return std::string(argv0) + ": " + occasion + object + ": " + text;
}

bool VersionMessage::is_known_to_walk(const LinkMap& map) const {
  using Kind = LoadFailure::Kind;
  const bool is_record = is_fatal_at_once && !is_assertion && version.empty();
  if (!is_assertion && !is_record) return false;
  return std::any_of(map.failures.begin(), map.failures.end(), [&](const LoadFailure& failure) {
    return failure.needer == requirer && failure.kind == (is_assertion ? Kind::VersionFile : Kind::VersionRecord);
  });
}

bool VersionCheck::has_error() const {
  return std::any_of(messages.begin(), messages.end(), [](const VersionMessage& message) { return message.is_error; });
}

Result<VersionCheck> check_versions(const LinkMap& map) {
  MapVersions versions(map);
  return check_versions(map, versions);
}

namespace {

/// One object's requirements. Returns false when the check ends here.
class ObjectCheck {
 public:
  ObjectCheck(const LinkMap& map, ListNames& names, MapVersions& cache, VersionsFor what, VersionCheck& check,
              ObjectIndex index)
      : system_(*map.system), process_(*map.process), map_(map), names_(names), cache_(cache), what_(what),
        check_(check), index_(index), object_(map.objects[index]) {}

  bool run() {
    const SymbolTags& tags = object_.elf.symbol_tags;
    // Without strings nothing is asked of it ("we must be ok").
    if (!tags.string_table) return true;
    if (!tags.version_needs && (!tags.version_defs || tags.version_index)) return true;
    const Result<VersionTables>& tables = cache_.of(index_);
    if (!tables) {
      check_.unreadable.push_back(tables.error());
      return true;
    }
    if (object_.elf.odd_verneed_version) {
      VersionMessage message = new_message();
      message.text = "unsupported version " + std::to_string(*object_.elf.odd_verneed_version) + " of Verneed record";
      message.is_fatal_at_once = true;
      return add(std::move(message));
    }
    for (const VersionNeed& need : tables->needs) {
      if (!check_need(need)) return false;
    }
    if (tags.version_needs && !has_relr_version_ && needs_relr_version(system_.rules, object_)) {
      VersionMessage message = new_message();
      message.version = std::string(kRelrVersion);
      message.text = "DT_RELR without GLIBC_ABI_DT_RELR dependency";
      message.is_fatal_at_once = true;
      return add(std::move(message));
    }
    if (lacks_version_indices(object_.elf, *tables)) {
      VersionMessage message = new_message();
      message.text = "has versions but no DT_VERSYM: the loader reads from address zero";
      message.is_crash = true;
      return add(std::move(message));
    }
    return true;
  }

 private:
  [[nodiscard]] VersionMessage new_message() const {
    VersionMessage message;
    message.requirer = index_;
    message.provider = index_;
    return message;
  }

  bool add(VersionMessage message) {
    message.is_error = message.is_error || message.is_fatal_at_once || message.is_crash;
    const bool goes_on = !message.is_fatal_at_once && !message.is_crash;
    check_.messages.push_back(std::move(message));
    return goes_on;
  }

  /// elf/dl-version.c:match_symbol reads where the strings are before it looks for DT_VERDEF.
  [[nodiscard]] bool lacks_strings(ObjectIndex provider) const {
    const LoadedObject& object = map_.objects[provider];
    const bool is_file = object.role == ObjectRole::Main || object.role == ObjectRole::Library;
    return is_file && object.elf.has_dynamic && !object.elf.symbol_tags.string_table;
  }

  bool check_need(const VersionNeed& need) {
    // One record after the other is of the same file, with the same bytes for its name.
    const bool is_same_file =
        known_file_ && known_file_->data() == need.file.data() && known_file_->size() == need.file.size();
    if (!is_same_file) {
      known_file_ = need.file;
      provider_ = find_needed(map_, names_, index_, need.file);
    }
    const std::optional<ObjectIndex> provider = provider_;
    const bool is_placeholder = provider && map_.objects[*provider].role == ObjectRole::Placeholder;
    if (!is_placeholder || what_ == VersionsFor::Start) has_relr_version_ |= need.name == kRelrVersion;
    if (!provider || is_placeholder) {
      const LoadFailure* failure = missing_file(map_, index_, need.file);
      if (failure == nullptr) return true;
      VersionMessage message = new_message();
      message.text = failure->text;
      message.is_fatal_at_once = true;
      message.is_assertion = true;
      message.is_start_only = is_placeholder;
      return add(std::move(message));
    }
    const Result<VersionTables>& defs = cache_.of(*provider);
    if (!defs) {
      check_.unreadable.push_back(defs.error());
      return true;
    }
    if (lacks_strings(*provider)) {
      VersionMessage message = new_message();
      message.text = std::string(map_.objects[*provider].name()) +
                     " has no DT_STRTAB, which the loader reads to look for a version in it";
      message.is_crash = true;
      return add(std::move(message));
    }
    check_.checked += is_subject_;
    const VersionMatch match = cache_.match(need, *provider);
    if (match.verdict == VersionVerdict::Defined) return true;
    VersionMessage message = new_message();
    message.provider = *provider;
    message.verdict = match.verdict;
    message.version = std::string(need.name);
    message.need_offset = need.file_offset;
    message.text = version_text(match.verdict, need, match.def, shown_name(map_, index_));
    message.is_error = match.verdict == VersionVerdict::Missing || match.verdict == VersionVerdict::UnknownRecord;
    return add(std::move(message));
  }

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  ListNames& names_;
  MapVersions& cache_;
  VersionsFor what_;
  VersionCheck& check_;
  ObjectIndex index_;
  const LoadedObject& object_;
  bool is_subject_ = map_.is_in_target_closure(map_.dlopen_call_of(index_));
  std::optional<std::string_view> known_file_;  ///< that provider_ is of
  std::optional<ObjectIndex> provider_;
  bool has_relr_version_ = false;  ///< some file is asked for it
};

}  // namespace

Result<VersionCheck> check_versions(const LinkMap& map, MapVersions& cache, VersionsFor what) {
  if (!map.system->rules.compares_versions) return VersionCheck{};  // musl asks nobody
  VersionCheck check;
  ListNames names(map);
  // Says whether the check goes on.
  const auto check_object = [&](ObjectIndex index) {
    const ObjectRole role = map.objects[index].role;
    if (role != ObjectRole::Main && role != ObjectRole::Library) return true;
    return ObjectCheck(map, names, cache, what, check, index).run();
  };
  const ObjectIndex end_of_start = map.loaded_by(0).second;
  for (const ObjectIndex index : map.list_order) {
    if (index < end_of_start && !check_object(index)) return check;
  }
  // What is opened is checked in the order of its own search list (elf/dl-open.c:dl_open_worker_begin).
  for (const DlopenCall& dlopen_call : map.dlopen_calls) {
    for (const ObjectIndex index : dlopen_call.search_list) {
      if (index >= dlopen_call.first_new && !check_object(index)) return check;
    }
  }
  if (map.system->rules.asserts_tls_order) {
    std::vector<bool> is_listed(map.objects.size());
    for (const ObjectIndex index : map.list_order) is_listed[index] = true;
    for (const ObjectIndex index : map.search_list) {
      const auto& segments = map.objects[index].elf.segments;
      if (is_listed[index] || std::none_of(segments.begin(), segments.end(), [](const Segment& segment) {
            return segment.type == PT_TLS && segment.memory_bytes != 0;
          })) {
        continue;
      }
      check.tls_assertion =
          "Inconsistency detected by ld.so: rtld.c: 776: init_tls: Assertion `i == "
          "GL(dl_tls_max_dtv_idx)' failed!";
    }
  }
  return check;
}

}  // namespace soresolve
