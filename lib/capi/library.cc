// soresolve.h, symvers: what one library provides, and whether it serves a requirement, a needer, or in another one's
// place. No answer (NULL, or no memory) is -1, never "no".
#include "capi/handles.h"
#include "soresolve/report.h"
#include "soresolve/symbols.h"

namespace soresolve::c {
namespace {

Result<soresolve_library*> open_library(soresolve_world& world, const char* name) {
  if (name == nullptr) return Unexpected{Error{ErrorCode::Usage, {}, {}, "no library is named"}};
  Result<OpenedLibrary> opened = world_of(world).open_library(name);
  if (!opened) return Unexpected{std::move(opened).error()};
  Result<VersionedLibrary> library = read_versioned_library(*opened->object.file, opened->object.elf, opened->path);
  if (!library) return Unexpected{std::move(library).error()};
  auto answer = std::make_unique<soresolve_library>();
  answer->library = std::move(library).value();
  const VersionTables& versions = answer->library.versions;
  for (std::size_t i = 0; i < versions.defs.size(); ++i) {
    const VersionDef& def = versions.defs[i];
    answer->nodes.push_back(
        {keep(answer->text, def.name), answer->library.symbol_counts[i], def.file_offset, def.base ? 1 : 0});
  }
  for (const VersionNeed& need : versions.needs) {
    answer->requirements.push_back(
        {keep(answer->text, need.file), keep(answer->text, need.name), need.file_offset, need.weak ? 1 : 0});
  }
  return answer.release();
}

/// A question that is answered by yes or no.
template <class Ask>
int yes_or_no(Ask ask) {
  return or_without_memory(-1, [&] { return ask() ? 1 : 0; });
}

}  // namespace
}  // namespace soresolve::c

using namespace soresolve;

soresolve_library* soresolve_library_open(soresolve_world* world, const char* name, soresolve_error** error) {
  return c::answer<soresolve_library>(error, world, [&] { return c::open_library(*world, name); });
}

void soresolve_library_free(soresolve_library* library) { delete library; }

const char* soresolve_library_path(const soresolve_library* library) {
  return library == nullptr ? nullptr : library->library.path.c_str();
}

const char* soresolve_library_soname(const soresolve_library* library) {
  return library == nullptr || library->library.soname.empty() ? nullptr : library->library.soname.c_str();
}

size_t soresolve_library_node_count(const soresolve_library* library) {
  return library == nullptr ? 0 : library->nodes.size();
}

int soresolve_library_node(const soresolve_library* library, size_t node, soresolve_node* into, size_t size) {
  return library == nullptr ? 0 : c::fill(library->nodes, node, into, size);
}

size_t soresolve_library_requirement_count(const soresolve_library* library) {
  return library == nullptr ? 0 : library->requirements.size();
}

int soresolve_library_requirement(const soresolve_library* library, size_t requirement, soresolve_requirement* into,
                                  size_t size) {
  return library == nullptr ? 0 : c::fill(library->requirements, requirement, into, size);
}

int soresolve_library_serves(const soresolve_library* library, const char* need) {
  if (library == nullptr || need == nullptr) return -1;
  return c::yes_or_no([&] { return answer_need(library->library, need).is_served; });
}

int soresolve_library_serves_consumer(const soresolve_library* library, const soresolve_library* needer) {
  if (library == nullptr || needer == nullptr) return -1;
  return c::yes_or_no([&] { return answer_for(library->library, needer->library).is_served(); });
}

int soresolve_library_replaces(const soresolve_library* library, const soresolve_library* old) {
  if (library == nullptr || old == nullptr) return -1;
  return c::yes_or_no([&] { return !compare_libraries(old->library, library->library).has_loss(); });
}

char* soresolve_library_text(const soresolve_library* library, const char* need, const soresolve_library* needer,
                             int form) {
  if (library == nullptr) return nullptr;
  return c::or_without_memory(static_cast<char*>(nullptr), [&]() -> char* {
    std::vector<NeedAnswer> needs;
    if (need != nullptr) needs.push_back(answer_need(library->library, need));
    std::vector<ForAnswer> needers;
    if (needer != nullptr) needers.push_back(answer_for(library->library, needer->library));
    const SymversReport report{library->library, needs, needers};
    switch (form) {
      case SORESOLVE_FORM_TEXT: return c::copy_text(to_text(document_of(report)));
      case SORESOLVE_FORM_JSON: return c::copy_text(to_json(document_of(report)));
    }
    return nullptr;
  });
}
