// soresolve.h, check: the verdict, the loader's line and all problems as plain structs, made once when the file is
// checked. Texts and JSON are those of lib/report. Structs are filled up to the caller's size.
#include "capi/handles.h"
#include "soresolve/report.h"

struct soresolve_check {
  soresolve::Answer answer;  ///< with run(), and nothing unreadable
  std::string line;
  soresolve::TextArena text;
  std::vector<soresolve_problem> problems;

  [[nodiscard]] const soresolve::Resolution& run() const { return *answer.run(); }
};

namespace soresolve::c {
namespace {

void fill_problems(soresolve_check& answer) {
  const Check& check = *answer.run().check();
  const auto name_of = [&](ObjectIndex object) {
    return object == kNoObject ? "" : keep(answer.text, answer.run().map().objects[object].name());
  };
  const auto copy = [&](std::string_view text) { return keep(answer.text, text); };
  for (const UnresolvedLibrary& missing : check.libraries) {
    answer.problems.push_back({name_of(missing.failure.needer), copy(missing.failure.object), "", "",
                               copy(missing.failure.dlerror_message()), SORESOLVE_PROBLEM_LIBRARY, 1});
  }
  for (const VersionGap& gap : check.versions) {
    const VersionMessage& message = gap.message;
    const bool is_fatal = message.is_error || message.is_fatal_at_once || message.is_assertion || message.is_crash;
    answer.problems.push_back({name_of(message.requirer), "", copy(message.version), name_of(message.provider),
                               copy(message.text), SORESOLVE_PROBLEM_VERSION, is_fatal ? 1 : 0});
  }
  for (const UnresolvedSymbol& missing : check.symbols) {
    const UndefinedSymbol& symbol = missing.reference;
    answer.problems.push_back({name_of(symbol.referrer), copy(symbol.name), copy(symbol.version), name_of(missing.from),
                               "", SORESOLVE_PROBLEM_SYMBOL, symbol.is_lazy ? 0 : 1});
  }
}

Result<soresolve_check*> check_file(soresolve_world& world, const char* file) {
  Result<Resolution> run = resolve(world, file, Attempts::Discard);
  if (!run) return Unexpected{std::move(run).error()};
  if (!run->check()) return Unexpected{run->check().error()};
  const Question start_alone = {.later = DlopenLevel::None, .cuda = JudgeCuda::No};
  Result<Answer> judged = Answer::of_walk(std::move(*run), start_alone);
  if (!judged) return Unexpected{std::move(judged).error()};
  std::unique_ptr<soresolve_check> answer(new soresolve_check{*std::move(judged), {}, {}, {}});
  answer->line = check_line(answer->answer);
  fill_problems(*answer);
  return answer.release();
}

}  // namespace
}  // namespace soresolve::c

using namespace soresolve;

soresolve_check* soresolve_check_file(soresolve_world* world, const char* file, soresolve_error** error) {
  return c::answer<soresolve_check>(error, world, [&] { return c::check_file(*world, file); });
}

void soresolve_check_free(soresolve_check* check) { delete check; }
int soresolve_check_is_ok(const soresolve_check* check) {
  return check != nullptr && check->run().check()->is_ok() ? 1 : 0;
}
const char* soresolve_check_line(const soresolve_check* check) {
  return check == nullptr ? nullptr : check->line.c_str();
}

int soresolve_check_exit_status(const soresolve_check* check) {
  if (check == nullptr) return -1;
  return exit_status_of(check->run().map(), check->run().check()->answer()).value_or(-1);
}

size_t soresolve_check_problem_count(const soresolve_check* check) {
  return check == nullptr ? 0 : check->problems.size();
}

int soresolve_check_problem(const soresolve_check* check, size_t problem, soresolve_problem* into, size_t size) {
  return check == nullptr ? 0 : c::fill(check->problems, problem, into, size);
}

char* soresolve_check_text(const soresolve_check* check, int form) {
  if (check == nullptr) return nullptr;
  return c::or_without_memory(static_cast<char*>(nullptr), [&]() -> char* {
    switch (form) {
      case SORESOLVE_FORM_TEXT: return c::copy_text(to_text(view(check->answer, {.as = View::As::Check})));
      case SORESOLVE_FORM_JSON: return c::copy_text(to_json(view(check->answer, {.as = View::As::Check})));
    }
    return nullptr;
  });
}
