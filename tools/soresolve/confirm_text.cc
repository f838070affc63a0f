// The text form of a confirmation: verdict, resolved libraries, one line for each step, messages of the libraries on
// failure. JSON is printed as the probe made it (tools/confirm/answer.cc).
#include "confirm_text.h"

#include <algorithm>
#include <cstdio>

#include "report/paint.h"
#include "report/wrapped.h"

namespace soresolve::tool {
namespace {

using Json = nlohmann::ordered_json;

/// Columns before what a line tells.
constexpr std::size_t kNameWidth = 20;
constexpr std::size_t kStatusWidth = 13;
constexpr std::size_t kTimeWidth = 12;
constexpr std::size_t kIndent = 2 + kNameWidth + kStatusWidth + kTimeWidth;

/// As the probe has it: from strangers.
std::string text_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Text painted(const Paint& paint, const std::string& status) {
  const Text text = padded(status == "unavailable" ? Text("not run") : Text::escaped(status), kStatusWidth);
  if (status == "passed") return paint.good(text);
  return status == "failed" ? paint.bad(text) : paint.warn(text);
}

Text milliseconds(const Json& step) {
  const auto found = step.find("ms");
  if (found == step.end() || !found->is_number()) return {};
  char text[32];
  const double time = found->get<double>();
  std::snprintf(text, sizeof text, "%8.*f ms ", time < 10 ? 2 : 0, time);
  return Text::escaped(text);
}

Text step_line(const Json& step, const Paint& paint) {
  const std::string status = text_of(step, "status");
  const std::string told = status == "passed" ? text_of(step, "summary") : text_of(step, "cause");
  const Text time = status == "skipped" ? Text() : milliseconds(step);
  return "  " + padded(Text::escaped(text_of(step, "name")), kNameWidth) + painted(paint, status) +
         padded(time, kTimeWidth) + wrapped(Text::escaped(told), kIndent) + "\n";
}

/// Each process loads CUDA anew; what went as in the first one is not worth a second line.
bool is_repeated(const Json& step, const Json& first_steps) {
  return std::any_of(first_steps.begin(), first_steps.end(), [&](const Json& first) {
    return text_of(first, "name") == text_of(step, "name") && text_of(first, "status") == text_of(step, "status");
  });
}

Text libraries_text(const ConfirmPlan& plan, const Paint& paint) {
  Text text = "resolved, and opened by these paths:\n";
  for (const ResolvedLibrary& library : plan.libraries) {
    const bool is_release = library.role == "driver" || library.role == "runtime" || library.role == "nvrtc";
    Text version;
    if (!library.version.empty())
      version = (is_release ? Text(", CUDA ") : ", version ") + Text::escaped(library.version);
    text += "  " + padded(Text::escaped(library.role), 10) + paint.name(Text::escaped(library.path)) + " (" +
            Text::escaped(library.how) + version + ")\n";
  }
  return text;
}

/// What the libraries printed: worth reading where something went wrong.
Text said_text(const Json& group, Detail detail) {
  const std::string said = text_of(group, "said");
  const auto steps = group.find("steps");
  const bool is_good = steps == group.end() || std::none_of(steps->begin(), steps->end(), [](const Json& step) {
                         return text_of(step, "status") == "failed";
                       });
  if (said.empty() || (is_good && detail == Detail::Folded)) return {};
  Text text = "  printed by the libraries of " + Text::escaped(text_of(group, "name")) + ":\n";
  std::size_t start = 0;
  while (start < said.size()) {
    const std::size_t end = std::min(said.find('\n', start), said.size());
    text += "    " + Text::escaped(std::string_view(said).substr(start, end - start)) + "\n";
    start = end + 1;
  }
  return text;
}

}  // namespace

Text confirm_text(const std::string& file, const ConfirmPlan& plan, const Json& answer, Colour colour, Detail detail) {
  const Paint paint(colour);
  const std::string verdict = text_of(answer, "verdict");
  const Text told = Text::escaped(text_of(answer, "text"));
  Text text = Text::escaped(file) + ": " +
              (verdict == "confirmed" ? paint.good(told)
               : verdict == "failed"  ? paint.bad(told)
                                      : paint.warn(told)) +
              "\n\n" + libraries_text(plan, paint) + "\nsteps:\n";
  const Json groups = answer.value("groups", Json::array());
  Text said;
  for (const Json& group : groups) {
    const bool is_first = &group == &groups.front();
    for (const Json& step : group.value("steps", Json::array())) {
      if (!is_first && detail == Detail::Folded && is_repeated(step, groups.front().value("steps", Json::array())))
        continue;
      text += step_line(step, paint);
    }
    said += said_text(group, detail);
  }
  if (!said.empty()) text += "\n" + said;
  for (const std::string& note : plan.notes) text += "note: " + Text::escaped(note) + "\n";
  return text;
}

}  // namespace soresolve::tool
