// Any text as a search list and as a name, with tokens: what comes of it is in proportion to it, and a
// walk along such lists ends with attempts that each have a place in them.
//
// The first byte says where the text stands and under which conditions; the rest is the text.
#include <algorithm>
#include <set>

#include "diagnose/diagnose.h"
#include "fuzz/fuzz_target.h"
#include "loader/load.h"
#include "loader/search_path.h"
#include "soresolve/diagnose.h"
#include "soresolve/report.h"
#include "unit/memory_system.h"

namespace soresolve::test::search_lists_target {
namespace {

enum class Spot : std::uint8_t { Runpath, Rpath, Environment, Preload, Needed, Filter };
constexpr std::size_t kPlaces = 6;

void check_tokens(std::string_view text, const TokenValues& values) {
  const std::size_t count = count_tokens(text);
  const std::optional<std::string> expanded = expand_tokens(text, values);
  require(count <= static_cast<std::size_t>(std::count(text.begin(), text.end(), '$')), "a token begins with a dollar");
  if (count == 0) require(expanded == text, "text without tokens stays as it is");
  if (!expanded) {
    require(count > 0 && (values.is_secure || !values.origin || !values.platform), "only a token can be without value");
    return;
  }
  require(expanded->size() <= text.size() + count * 64, "an expansion is as long as its tokens make it");
}

void check_list(std::string_view text, ListSyntax syntax, const TokenValues& values) {
  DirectoryTable table(3, true);
  const SearchList list = table.make_list(text, syntax, values);
  std::set<std::uint32_t> seen;
  for (const ListElement& element : list) {
    require(seen.insert(element.directory).second, "a directory comes once");
    const std::string& name = table.at(element.directory).name;
    require(name.empty() || name.back() == '/', "a directory ends in a slash");
    require(element.written.empty() || (element.written.data() >= text.data() &&
                                        element.written.data() + element.written.size() <= text.data() + text.size()),
            "an element stands in the text");
    require(element.written.find(':') == std::string_view::npos, "a colon separates");
  }
  const auto separators = std::count_if(
      text.begin(), text.end(), [&](char c) { return c == ':' || (c == ';' && syntax == ListSyntax::Environment); });
  require(list.size() <= static_cast<std::size_t>(separators) + 1, "no more elements than are written");
}

void check_walk(Spot place, bool is_secure, std::string_view text) {
  MemorySystem system;
  system.process.secure = is_secure;
  ElfSpec spec = program();
  std::string strings(text.substr(0, text.find('\0')));
  if (place == Spot::Runpath) spec.runpath(strings);
  if (place == Spot::Rpath) spec.rpath(strings);
  if (place == Spot::Environment) system.env("LD_LIBRARY_PATH=" + strings);
  if (place == Spot::Preload) system.preload_file = std::string(text);
  if (place == Spot::Needed) spec.needed(strings);
  if (place == Spot::Filter) spec.add(StringTag::Filter, strings);
  system.program(spec.needed("liba.so"));
  system.elf("/app/liba.so", library());
  Result<LinkMap> map = system.load(kProgram, {.attempts = Attempts::Record, .on_fatal = OnFatal::Continue});
  if (!map) {
    require(!map.error().message.empty() && !map.error().path.empty(), "a refusal says where and why");
    return;
  }
  for (const LoadedObject& object : map->objects) touch(object.path);
  const Result<Answer> answer = Answer::of_walk(Resolution(std::move(*map), std::string(kProgram)));
  require(answer.has_value(), "nothing is required of it that could not be judged");
  touch(to_text(view(*answer, {})));
  touch(to_json(view(*answer, {})));
}

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (const char* text :
       {"$ORIGIN", "$ORIGIN/../lib:/app/", "${ORIGIN}:$LIB:$PLATFORM", "/a//::b:", "$ORIGIN/$ORIGIN;./;",
        "${LIB}64/$LIBX:$$LIB:${", "/app/liba.so libb.so:liba.so # x", "", "liba.so", "$ORIGIN/liba.so"}) {
    for (std::size_t place = 0; place < kPlaces; ++place)
      all.push_back(std::string(1, static_cast<char>(place)) + text);
  }
  return all;
}

void run(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 4096) return;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<std::string> system_dirs = {"/lib64/", "/usr/lib64/"};
  TokenValues values;
  if ((data[0] & 8) == 0) values.origin = "/app/bin";
  if ((data[0] & 16) == 0) values.platform = "haswell";
  values.lib = "lib64";
  values.is_secure = (data[0] & 32) != 0;
  values.is_executable = (data[0] & 64) != 0;
  values.system_dirs = system_dirs;
  check_tokens(text, values);
  check_list(text, ListSyntax::Tag, values);
  check_list(text, ListSyntax::Environment, values);
  check_walk(static_cast<Spot>((data[0] & 7) % kPlaces), values.is_secure, text);
}

}  // namespace
}  // namespace soresolve::test::search_lists_target

const soresolve::test::FuzzTarget soresolve::test::kSearchListsTarget = {"search_lists", search_lists_target::run,
                                                                         search_lists_target::seeds};
