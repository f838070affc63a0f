// The C interface: check.
#include "capi/handles.h"
#include "soresolve/report_check.h"

struct soresolve_check {
  soresolve::c::WalkedFile walked;
  soresolve::Check check;
  std::string line;
  soresolve::TextArena text;
  std::vector<soresolve_problem> problems;

  [[nodiscard]] soresolve::CheckReport report() const { return {walked.map, check}; }
};

namespace soresolve::c {
namespace {

void fill_problems(soresolve_check& answer) {
  const auto name_of = [&](ObjectIndex object) {
    return object == kNoObject ? "" : keep(answer.text, answer.walked.map.objects[object].name());
  };
  const auto copy = [&](std::string_view text) { return keep(answer.text, text); };
  for (const LostLibrary& lost : answer.check.libraries) {
    answer.problems.push_back({name_of(lost.failure.needer), copy(lost.failure.object), "", "",
                               copy(lost.failure.dlerror_message()), SORESOLVE_PROBLEM_LIBRARY, 1});
  }
  for (const VersionGap& gap : answer.check.versions) {
    const VersionMessage& message = gap.message;
    const bool is_fatal = message.is_error || message.is_fatal_at_once || message.is_assertion || message.is_crash;
    answer.problems.push_back({name_of(message.requirer), "", copy(message.version), name_of(message.provider),
                               copy(message.text), SORESOLVE_PROBLEM_VERSION, is_fatal ? 1 : 0});
  }
  for (const LostSymbol& lost : answer.check.symbols) {
    const UndefinedSymbol& symbol = lost.reference;
    answer.problems.push_back({name_of(symbol.referrer), copy(symbol.name), copy(symbol.version), name_of(lost.from),
                               "", SORESOLVE_PROBLEM_SYMBOL, symbol.is_lazy ? 0 : 1});
  }
}

Result<soresolve_check*> check_file(soresolve_world& world, const char* file) {
  Result<WalkedFile> walked = walk(world, file, Attempts::Forget);
  if (!walked) return Unexpected{std::move(walked).error()};
  auto answer = std::make_unique<soresolve_check>();
  answer->walked = std::move(walked).value();
  Result<Check> check = check_start(answer->walked.map, {.own = OwnReferences::Counted});
  if (!check) return Unexpected{std::move(check).error()};
  answer->check = std::move(check).value();
  answer->line = check_line(answer->report());
  fill_problems(*answer);
  return answer.release();
}

}  // namespace
}  // namespace soresolve::c

using namespace soresolve;

soresolve_check* soresolve_check_file(soresolve_world* world, const char* file, soresolve_error** error) {
  return c::answer<soresolve_check>(error, [&] { return c::check_file(*world, file); });
}

void soresolve_check_free(soresolve_check* check) { delete check; }
int soresolve_check_is_ok(const soresolve_check* check) { return check->check.is_ok() ? 1 : 0; }
const char* soresolve_check_line(const soresolve_check* check) { return check->line.c_str(); }

int soresolve_check_exit_status(const soresolve_check* check) {
  return exit_status_of(check->walked.map, check->check.answer()).value_or(-1);
}

size_t soresolve_check_problem_count(const soresolve_check* check) { return check->problems.size(); }

int soresolve_check_problem(const soresolve_check* check, size_t problem, soresolve_problem* into, size_t size) {
  return c::fill(check->problems, problem, into, size);
}

char* soresolve_check_text(const soresolve_check* check, int form) {
  return c::or_without_memory(static_cast<char*>(nullptr), [&]() -> char* {
    switch (form) {
      case SORESOLVE_FORM_TEXT: return c::copy_text(check_text(check->report(), Colour::Never, Detail::Folded));
      case SORESOLVE_FORM_JSON: return c::copy_text(check_json(check->report(), check->walked.file));
    }
    return nullptr;
  });
}
