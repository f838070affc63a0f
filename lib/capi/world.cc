// soresolve.h, worlds, settings, errors and texts: the border where std::bad_alloc becomes an error value and a bad
// setting a usage error. No other exception can come from the library.
#include <charconv>
#include <cstdlib>

#include "capi/handles.h"
#include "world/open_words.h"

namespace soresolve::c {
namespace {

constexpr int code_of(ErrorCode code) {
  return code == ErrorCode::NotDynamic ? SORESOLVE_NOT_ELF : static_cast<int>(code) + 1;
}
static_assert(code_of(ErrorCode::NotFound) == SORESOLVE_NOT_FOUND);
static_assert(code_of(ErrorCode::Unreadable) == SORESOLVE_UNREADABLE);
static_assert(code_of(ErrorCode::NotElf) == SORESOLVE_NOT_ELF);
static_assert(code_of(ErrorCode::Truncated) == SORESOLVE_TRUNCATED);
static_assert(code_of(ErrorCode::Malformed) == SORESOLVE_MALFORMED);
static_assert(code_of(ErrorCode::Unsupported) == SORESOLVE_UNSUPPORTED);
static_assert(code_of(ErrorCode::NoLoader) == SORESOLVE_NO_LOADER);
static_assert(code_of(ErrorCode::LimitReached) == SORESOLVE_LIMIT_REACHED);
static_assert(code_of(ErrorCode::Usage) == SORESOLVE_USAGE);

/// What a world says of itself; false when the value makes no sense for the setting.
bool set(WorldSettings& settings, int setting, std::string_view value) {
  switch (setting) {
    case SORESOLVE_SET_ROOT: settings.where.root = value; return true;
    case SORESOLVE_SET_ENV:
      if (value.find('=') == std::string_view::npos) return false;
      settings.start.env.emplace_back(value);
      return true;
    case SORESOLVE_SET_CWD: settings.start.cwd = value; return true;
    case SORESOLVE_SET_CPU: settings.machine.cpu = value; return true;
    case SORESOLVE_SET_SECURE:
      if (value != "0" && value != "1") return false;
      settings.start.secure = value == "1" ? AtSecure::Yes : AtSecure::No;
      return true;
    case SORESOLVE_SET_GLIBC: settings.machine.glibc = value; return true;
    case SORESOLVE_SET_EXE:
      settings.process.opened_by = value == "none" ? OpenedBy::None : OpenedBy::WhoFits;
      settings.process.exe = value == "none" ? std::string_view() : value;
      return true;
    case SORESOLVE_SET_LOADED: {
      Result<OpenRequest> loaded = parse_loaded(value);
      if (!loaded) return false;
      settings.process.loaded.push_back(std::move(loaded).value());
      return true;
    }
    case SORESOLVE_SET_RTLD: {
      const Result<OpenMode> mode = parse_open_mode(value);
      if (!mode) return false;
      settings.process.mode = *mode;
      return true;
    }
    case SORESOLVE_SET_USER: settings.start.user = value; return true;
    case SORESOLVE_SET_PYTHON: settings.process.python = value; return true;
    case SORESOLVE_SET_RUNNING_PYTHON: settings.process.running_python = value; return true;
    case SORESOLVE_SET_CALLER: settings.process.caller = value; return true;
    case SORESOLVE_SET_PID: {
      int pid = 0;
      const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), pid);
      if (problem != std::errc() || end != value.data() + value.size() || pid <= 0) return false;
      settings.live.pid = pid;
      return true;
    }
  }
  return false;
}

}  // namespace

char* copy_text(std::string_view text) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

void give_error(soresolve_error** into, const Error& error) {
  if (into == nullptr) return;
  *into = or_without_memory(static_cast<soresolve_error*>(nullptr), [&] {
    return std::make_unique<soresolve_error>(soresolve_error{code_of(error.code), error.path, error.to_string()})
        .release();
  });
}

void give_no_memory(soresolve_error** into) {
  if (into == nullptr) return;
  *into = new (std::nothrow) soresolve_error{SORESOLVE_NO_MEMORY, {}, "no memory"};
}

World& world_of(soresolve_world& world) {
  if (!world.world) world.world.emplace(world.settings);
  return *world.world;
}

Result<Resolution> resolve(soresolve_world& world, const char* file, Attempts attempts) {
  if (file == nullptr) return Unexpected{Error{ErrorCode::Usage, {}, {}, "no file is named"}};
  return world_of(world).resolve(file, {.attempts = attempts});
}

}  // namespace soresolve::c

using namespace soresolve;

int soresolve_error_code_of(const soresolve_error* error) { return error == nullptr ? SORESOLVE_OK : error->code; }
const char* soresolve_error_text(const soresolve_error* error) { return error == nullptr ? "" : error->text.c_str(); }
const char* soresolve_error_path(const soresolve_error* error) { return error == nullptr ? "" : error->path.c_str(); }
void soresolve_error_free(soresolve_error* error) { delete error; }

void soresolve_text_free(char* text) { std::free(text); }

const char* soresolve_version() { return SORESOLVE_VERSION; }

soresolve_world* soresolve_world_new() {
  return c::or_without_memory(static_cast<soresolve_world*>(nullptr), [] {
    auto world = std::make_unique<soresolve_world>();
    world->settings.host = read_host_facts();
    return world.release();
  });
}

int soresolve_world_set(soresolve_world* world, int setting, const char* value) {
  if (world == nullptr || value == nullptr || world->world) return SORESOLVE_USAGE;
  return c::or_without_memory(static_cast<int>(SORESOLVE_NO_MEMORY), [&]() -> int {
    return c::set(world->settings, setting, value) ? SORESOLVE_OK : SORESOLVE_USAGE;
  });
}

void soresolve_world_free(soresolve_world* world) { delete world; }
