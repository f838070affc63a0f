// The remedy for an entry of LD_LIBRARY_PATH that brings a library which does not fit: take it out.
//
// The variable stands before RUNPATH and the cache, so that one old directory in it hides the library
// that a package brings (pytorch#80637, #111469, #119932).
#include <algorithm>

#include "loader/process.h"
#include "remedies/proposals.h"
#include "soresolve/command_text.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxTrials = 8;

/// As glibc elf/dl-load.c:fillin_rpath splits the variable.
std::vector<std::string_view> elements_of(std::string_view list) {
  std::vector<std::string_view> elements;
  while (true) {
    const std::size_t end = list.find_first_of(":;");
    elements.push_back(list.substr(0, end));
    if (end == std::string_view::npos) return elements;
    list.remove_prefix(end + 1);
  }
}

std::string_view without_last_slashes(std::string_view directory) {
  while (directory.size() > 1 && directory.ends_with('/')) directory.remove_suffix(1);
  return directory;
}

/// The value that is left without `entry`, however often it stands there; empty: no list at all.
std::string list_without(const std::vector<std::string_view>& elements, std::string_view entry) {
  std::vector<std::string> left;
  for (const std::string_view element : elements) {
    if (without_last_slashes(element) != without_last_slashes(entry)) left.emplace_back(element);
  }
  // An empty element that is left alone means the current directory, which nobody has meant: AppRun's "DIR:".
  if (left.size() == 1 && left.front().empty()) return {};
  std::string list;
  for (std::size_t i = 0; i < left.size(); ++i) list += (i == 0 ? "" : ":") + left[i];
  return list;
}

/// The entry of LD_LIBRARY_PATH at which the last attempt for a request was made.
std::optional<std::string_view> entry_at_end(const LinkMap& map, const NeedRef& request) {
  const Need* const need = map.find_need(request);
  if (need == nullptr || need->trace >= map.traces.size() || map.traces[need->trace].attempts.empty())
    return std::nullopt;
  const Attempt& last = map.traces[need->trace].attempts.back();
  if (last.step != SearchStep::LibraryPath) return std::nullopt;
  return last.entry;
}

/// The entries from which something came: of what is wrong, of what asks for it, of all else.
std::vector<std::string_view> entries_taken(const RemedyContext& context) {
  std::vector<std::string_view> entries;
  const auto add = [&](std::string_view entry) {
    if (std::find(entries.begin(), entries.end(), entry) == entries.end()) entries.push_back(entry);
  };
  const auto add_of = [&](ObjectIndex object) {
    if (object == kNoObject) return;
    const FoundAt& found = context.map.objects[object].found;
    if (found.step == SearchStep::LibraryPath) add(found.entry);
  };
  for (const Problem& problem : context.problems) {
    if (severity_of(problem.code) != Severity::Fatal) continue;
    add_of(problem.object);
    for (const NeedRef& request : problem.requests) {
      if (const auto entry = entry_at_end(context.map, request)) add(*entry);
      add_of(request.needer);
    }
  }
  for (ObjectIndex i = 0; i < context.map.objects.size(); ++i) add_of(i);
  return entries;
}

Remedy try_value(const RemedyContext& context, Statement text, const std::string& value) {
  Remedy remedy;
  remedy.kind = RemedyKind::PathEntry;
  remedy.text = std::move(text);
  remedy.commands = {value.empty() ? CommandText("unset LD_LIBRARY_PATH")
                                   : "export LD_LIBRARY_PATH=" + shell_word(value)};
  WorldChange world_change;
  world_change.environment = {"LD_LIBRARY_PATH=" + value};
  return context.trials.tried(std::move(remedy), world_change);
}

Statement text_for(std::string_view entry) {
  return entry.empty() ? say("fix-empty-entry") : say("fix-path-entry", {{"entry", entry}});
}

}  // namespace

std::vector<Remedy> propose_path_entry(const RemedyContext& context) {
  const auto value = context.map.process->environment.value("LD_LIBRARY_PATH");
  if (!value || value->empty()) return {};
  const std::vector<std::string_view> elements = elements_of(*value);
  std::vector<std::string_view> entries = entries_taken(context);
  if (entries.size() > kMaxTrials) entries.resize(kMaxTrials);
  std::vector<Remedy> partly;
  for (const std::string_view entry : entries) {
    Remedy remedy = try_value(context, text_for(entry), list_without(elements, entry));
    if (remedy.verdict == RemedyVerdict::Works) return {std::move(remedy)};
    if (remedy.verdict == RemedyVerdict::Partly) partly.push_back(std::move(remedy));
  }
  // Behind the file of one entry there may be that of the next.
  if (entries.empty() || elements.size() < 2) return partly;
  Remedy unset = try_value(context, say("fix-no-library-path"), {});
  if (unset.verdict == RemedyVerdict::Works) return {std::move(unset)};
  return partly;
}

}  // namespace soresolve
