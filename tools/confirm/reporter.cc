// Writes one JSON line for each begin, call and end, with the key of this process. The reading side is supervisor.cc. A
// library in the same process can find the key: see lib/docs/threat-model.md.
#include "reporter.h"

#include <unistd.h>

#include <cerrno>
#include <string>

#include "report/statement_json.h"

namespace soresolve::confirm {

void Reporter::write_line(Json line) const {
  line["key"] = key_;
  std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody listens any more
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Reporter::begin(std::string_view step) const { write_line({{"begin", step}}); }

void Reporter::call(std::string_view function) const { write_line({{"call", function}}); }

void Reporter::end(std::string_view step, const Outcome& outcome, double milliseconds) const {
  write_line({{"end", step},
              {"status", name_of(outcome.status)},
              {"cause", statements_json({outcome.cause})},
              {"summary", statements_json(outcome.summary)},
              {"seen", outcome.seen},
              {"usage", outcome.is_usage},
              {"ms", milliseconds}});
}

void Reporter::finish() const { write_line({{"finished", true}}); }

}  // namespace soresolve::confirm
