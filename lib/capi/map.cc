// soresolve.h, resolve: objects, needs and attempts of a link map, copied into tables of C structs that live as long as
// the handle. Indices are those of LinkMap; what is not there is SORESOLVE_NONE.
#include "capi/handles.h"
#include "loader/load.h"
#include "loader/process.h"
#include "soresolve/report.h"

namespace soresolve::c {
namespace {

// The numbers of soresolve.h stay; these say when those of the library move.
static_assert(static_cast<int>(ObjectRole::Placeholder) == SORESOLVE_ROLE_PLACEHOLDER);
static_assert(static_cast<int>(ObjectRole::Library) == SORESOLVE_ROLE_LIBRARY);
static_assert(static_cast<int>(ObjectRole::Loader) == SORESOLVE_ROLE_LOADER);
static_assert(static_cast<int>(SearchStep::Rpath) == SORESOLVE_STEP_RPATH);
static_assert(static_cast<int>(SearchStep::LibraryPath) == SORESOLVE_STEP_LIBRARY_PATH);
static_assert(static_cast<int>(SearchStep::Runpath) == SORESOLVE_STEP_RUNPATH);
static_assert(static_cast<int>(SearchStep::Cache) == SORESOLVE_STEP_CACHE);
static_assert(static_cast<int>(SearchStep::DefaultDirs) == SORESOLVE_STEP_DEFAULT_DIRS);
static_assert(static_cast<int>(Outcome::NoSuchFile) == SORESOLVE_OUTCOME_NO_SUCH_FILE);
static_assert(static_cast<int>(Outcome::PermissionDenied) == SORESOLVE_OUTCOME_PERMISSION_DENIED);
static_assert(static_cast<int>(Outcome::WrongClass) == SORESOLVE_OUTCOME_WRONG_CLASS);
static_assert(static_cast<int>(Outcome::WrongMachine) == SORESOLVE_OUTCOME_WRONG_MACHINE);
static_assert(static_cast<int>(Outcome::OpenFailed) == SORESOLVE_OUTCOME_OPEN_FAILED);
static_assert(static_cast<int>(Outcome::NotInCache) == SORESOLVE_OUTCOME_NOT_IN_CACHE);
static_assert(static_cast<int>(Outcome::Fatal) == SORESOLVE_OUTCOME_FATAL);
static_assert(static_cast<int>(Outcome::WouldBlock) == SORESOLVE_OUTCOME_WOULD_BLOCK);
static_assert(static_cast<int>(HowFound::NotFound) == SORESOLVE_RESOLUTION_NOT_FOUND);
static_assert(static_cast<int>(HowFound::EmptyToken) == SORESOLVE_RESOLUTION_EMPTY_TOKEN);
static_assert(static_cast<int>(HowFound::NotLoaded) == SORESOLVE_RESOLUTION_NOT_LOADED);
static_assert(static_cast<int>(NeedKind::Preload) == SORESOLVE_NEED_PRELOAD);
static_assert(static_cast<int>(NeedKind::Dlopen) == SORESOLVE_NEED_DLOPEN);

std::size_t index_of(ObjectIndex object) { return object == kNoObject ? SORESOLVE_NONE : object; }

void fill_objects(soresolve_map& answer) {
  for (const LoadedObject& object : answer.run().map().objects) {
    answer.objects.push_back(
        {keep(answer.text, object.name()), keep(answer.text, object.path), keep(answer.text, object.requested_name),
         object.elf.soname ? keep(answer.text, *object.elf.soname) : nullptr, index_of(object.loader),
         object.needs.size(), static_cast<int>(object.role), static_cast<int>(object.found.step)});
  }
}

void fill_attempts(soresolve_map& answer) {
  for (const SearchTrace& trace : answer.run().map().traces) {
    std::vector<soresolve_attempt>& attempts = answer.attempts.emplace_back();
    for (const Attempt& attempt : trace.attempts) {
      attempts.push_back({attempt.candidate.c_str(), attempt.entry.c_str(), attempt.text.c_str(),
                          index_of(attempt.owner), static_cast<int>(attempt.step), static_cast<int>(attempt.outcome),
                          static_cast<int>(attempt.error)});
    }
  }
}

void fill_needs(soresolve_map& answer) {
  for (const LoadedObject& object : answer.run().map().objects) {
    std::vector<soresolve_need>& needs = answer.needs.emplace_back();
    for (const Need& need : object.needs) {
      const std::size_t attempt_count = need.trace < answer.attempts.size() ? answer.attempts[need.trace].size() : 0;
      needs.push_back({keep(answer.text, need.name), keep(answer.text, need.written), index_of(need.target),
                       attempt_count, static_cast<int>(need.kind), static_cast<int>(need.resolution)});
    }
  }
}

Result<soresolve_map*> map_file(soresolve_world& world, const char* file) {
  Result<Resolution> run = resolve(world, file, Attempts::Record);
  if (!run) return Unexpected{std::move(run).error()};
  Result<Answer> walked = Answer::of_walk(std::move(*run), {}, world_of(world).owners());
  if (!walked) return Unexpected{std::move(walked).error()};
  std::unique_ptr<soresolve_map> answer(new soresolve_map{*std::move(walked), file, {}, {}, {}, {}, {}});
  fill_objects(*answer);
  fill_attempts(*answer);
  fill_needs(*answer);
  const LinkMap& map = answer->run().map();
  if (const LoadFailure* fatal = map.first_fatal()) {
    answer->failure = ends_program(map) ? fatal->start_message(map.process->argv0) : fatal->dlerror_message();
  }
  return answer.release();
}

}  // namespace
}  // namespace soresolve::c

using namespace soresolve;

soresolve_map* soresolve_resolve(soresolve_world* world, const char* file, soresolve_error** error) {
  return c::answer<soresolve_map>(error, world, [&] { return c::map_file(*world, file); });
}

void soresolve_map_free(soresolve_map* map) { delete map; }

size_t soresolve_map_object_count(const soresolve_map* map) { return map == nullptr ? 0 : map->objects.size(); }

int soresolve_map_object(const soresolve_map* map, size_t object, soresolve_object* into, size_t size) {
  return map == nullptr ? 0 : c::fill(map->objects, object, into, size);
}

int soresolve_map_need(const soresolve_map* map, size_t object, size_t need, soresolve_need* into, size_t size) {
  return map != nullptr && object < map->needs.size() ? c::fill(map->needs[object], need, into, size) : 0;
}

int soresolve_map_attempt(const soresolve_map* map, size_t object, size_t need, size_t attempt, soresolve_attempt* into,
                          size_t size) {
  if (map == nullptr || object >= map->needs.size() || need >= map->needs[object].size()) return 0;
  const std::size_t trace = map->run().map().objects[object].needs[need].trace;
  return trace < map->attempts.size() ? c::fill(map->attempts[trace], attempt, into, size) : 0;
}

const char* soresolve_map_failure(const soresolve_map* map) {
  return map != nullptr && map->failure ? map->failure->c_str() : nullptr;
}

char* soresolve_map_text(const soresolve_map* map, int form) {
  if (map == nullptr) return nullptr;
  return c::or_without_memory(static_cast<char*>(nullptr), [&]() -> char* {
    const LinkMap& walked = map->run().map();
    switch (form) {
      case SORESOLVE_FORM_TEXT: return c::copy_text(to_text(document_of(TreeReport{walked, map->run().file(), {}})));
      case SORESOLVE_FORM_JSON: return c::copy_text(to_json(document_of(LddReport{walked, map->run().file()})));
      case SORESOLVE_FORM_LDD:
        if (Result<TraceAnswer> traced = trace(walked)) return c::copy_text(traced->list);
        return nullptr;
    }
    return nullptr;
  });
}
