// The page of `why --rpath`: each tag, its entries as written and expanded, what is there and which libraries came
// through it; decides nothing.
#include "base/enum_names.h"
#include "diagnose/rpath_entries.h"
#include "report/page.h"
#include "report/pages.h"
#include "report/rpath_report.h"

namespace soresolve {
namespace {

std::string_view sentence_of(RpathState state) {
  using enum RpathState;
  static constexpr auto kNames = enum_names<RpathState>({{Exists, "rpath-state-exists"},
                                                         {Missing, "rpath-state-missing"},
                                                         {NoDirectory, "rpath-state-no-directory"},
                                                         {Unknown, "rpath-state-unknown"},
                                                         {Dropped, "rpath-state-dropped"}});
  return kNames[state];
}

const std::string& name_of_entry(const RpathEntry& entry) {
  return entry.written.empty() ? entry.directory : entry.written;
}

void add_entry(Page& page, const LinkMap& map, const RpathTag& tag, const RpathEntry& entry) {
  Words line = entry.written.empty() ? Words(say("rpath-entry-empty")) : Words::foreign(entry.written);
  if (!entry.directory.empty() && entry.directory != entry.written && entry.directory != entry.written + "/")
    line += "  =>  " + Words::foreign(entry.directory);
  line += "  ";
  const Words state = Words(say(sentence_of(entry.state)));
  line += entry.state == RpathState::Exists ? state : warn(state);
  if (entry.is_writable_by_all) line += warn(say("rpath-is-writable"));
  if (entry.is_default) line += dim(say("rpath-is-default"));
  if (entry.same_as) line += warn(say("rpath-is-same-as", {{"entry", name_of_entry(tag.entries[*entry.same_as])}}));
  page.line(std::move(line), 2);
  if (entry.serves.empty()) return page.line(dim(say("rpath-serves-nothing")), 6);
  for (const RpathServed& served : entry.serves) {
    Words words = Words::foreign(served.name) + " => " + Words::foreign(map.objects[served.target].name());
    if (served.needer != tag.owner)
      words += dim(say("rpath-served-for", {{"object", map.objects[served.needer].name()}}));
    page.line(std::move(words), 6);
  }
}

}  // namespace

Page rpath_page(const RpathReport& report) {
  Page page;
  if (report.tags.empty()) page.line(say("no-rpath-at-all", {{"file", report.file}}));
  for (const RpathTag& tag : report.tags) {
    const std::string_view name = report.map.objects[tag.owner].name();
    Words heading = Words(say("tag-of", {{"tag", name_of(tag.step)}, {"object", name}}));
    if (tag.is_void) heading += say("rpath-is-void");
    page.heading(std::move(heading));
    for (const RpathEntry& entry : tag.entries) add_entry(page, report.map, tag, entry);
    if (tag.left_out != 0) page.line(dim(say("and-more-plain", {{"count", tag.left_out}})), 2);
  }
  return page;
}

}  // namespace soresolve
