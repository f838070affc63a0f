// A handful of objects that need, filter and preload each other in every way: the walk over them,
// the diagnosis and the reports come to an end, whatever the loader itself would make of them.
//
// The input is a recipe: each byte picks from lists of names, paths and tags, so that almost every
// input is a tree that gets past the first file.
#include <algorithm>
#include <span>

#include "diagnose/diagnose.h"
#include "fuzz/fuzz_target.h"
#include "loader/dependency_sort.h"
#include "loader/load.h"
#include "report/data.h"
#include "report/page.h"
#include "report/pages.h"
#include "soresolve/diagnose.h"
#include "soresolve/report.h"
#include "support/random.h"
#include "unit/memory_system.h"

namespace soresolve::test::link_map_target {
namespace {

// Reads past the end give zero.
class Recipe {
 public:
  explicit Recipe(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::size_t below(std::size_t count) {
    if (at_ >= bytes_.size()) return 0;
    return bytes_[at_++] % count;
  }
  bool chance_of_one_in(std::size_t count) { return below(count) == count - 1; }
  const char* pick(std::span<const char* const> list) { return list[below(list.size())]; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

constexpr const char* kNames[] = {"liba.so",
                                  "libb.so",
                                  "libc.so",
                                  "libc.so.6",
                                  "ld-linux-x86-64.so.2",
                                  "/lib64/ld-linux-x86-64.so.2",
                                  "linux-vdso.so.1",
                                  "/app/liba.so",
                                  "./libb.so",
                                  "prog",
                                  "$ORIGIN/liba.so",
                                  "$LIB",
                                  "",
                                  "/"};
constexpr const char* kLists[] = {
    "$ORIGIN", "/app:/opt", "", ":", "$ORIGIN/../opt:", "${LIB}", "$PLATFORM", "/opt/", "relative:", "$ORIGIN:$ORIGIN"};
constexpr const char* kPaths[] = {"/app/liba.so", "/app/libb.so",     "/opt/liba.so",  "/opt/libb.so",
                                  "/opt/libc.so", "/lib64/libc.so.6", "/lib64/libb.so"};
constexpr StringTag kTags[] = {StringTag::Needed, StringTag::Needed,    StringTag::Needed,
                               StringTag::Filter, StringTag::Auxiliary, StringTag::Soname,
                               StringTag::Rpath,  StringTag::Runpath,   StringTag::Audit};

ElfSpec make_object(Recipe& recipe, ElfSpec spec) {
  for (std::size_t count = recipe.below(6); count > 0; --count) {
    const StringTag tag = kTags[recipe.below(std::size(kTags))];
    const bool is_list = tag == StringTag::Rpath || tag == StringTag::Runpath;
    spec.add(tag, is_list ? recipe.pick(kLists) : recipe.pick(kNames));
  }
  if (recipe.chance_of_one_in(4)) spec.version_needs = {{recipe.pick(kNames), {{"V_1", false}}, 1}};
  if (recipe.chance_of_one_in(8)) spec.version_definitions = {{"base", 1}, {"V_1", 1}};
  if (recipe.chance_of_one_in(8)) spec.flags_1 = kDf1NoDefLib;
  return spec;
}

void add_library(Recipe& recipe, MemorySystem& system, const char* path) {
  const ElfSpec spec = make_object(recipe, library());
  if (recipe.chance_of_one_in(8)) {
    const auto damage = static_cast<Damage>(recipe.below(static_cast<std::size_t>(kLastDamage) + 1));
    system.files().add_file(path, write_damaged(spec, damage));
  } else {
    system.elf(path, spec);
  }
}

/// What commands show of it; one of four forms for each input.
void check_forms(const LinkMap& map, std::size_t form) {
  if (form == 0) return touch(ldd_text(map));
  if (form == 1) return touch(to_text(document_of(TreeReport{map, kProgram, {}})));
  const std::string file(kProgram);
  const Diagnosis diagnosis = diagnose(map, file);
  const std::string root;
  const NextStep step;
  const WhyReport report{map, diagnosis, file, nullptr, &step, root};
  if (form == 2) return touch(to_text(why_page(report, Detail::Folded)));
  write_why_data(report, [](std::string_view part) { touch(part); });
}

void check_map(const LinkMap& map) {
  const auto is_object = [&](ObjectIndex index) { return index < map.objects.size(); };
  require(std::all_of(map.list_order.begin(), map.list_order.end(), is_object), "the list names objects");
  require(std::all_of(map.search_list.begin(), map.search_list.end(), is_object), "the search list names objects");
  std::vector<ObjectIndex> order = relocation_order(map);
  require(std::all_of(order.begin(), order.end(), is_object), "relocation names objects");
  std::sort(order.begin(), order.end());
  require(std::adjacent_find(order.begin(), order.end()) == order.end(), "relocated once");
}

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  Random random(7);
  for (int i = 0; i < 20; ++i) {
    std::string recipe(random.between(40, 160), '\0');
    for (char& byte : recipe) byte = static_cast<char>(random.below(256));
    all.push_back(std::move(recipe));
  }
  return all;
}

void run(const std::uint8_t* data, std::size_t size) {
  Recipe recipe(std::span(data, size));
  constexpr int kReleases[] = {27, 31, 36, 39, 41, 43};
  MemorySystem system(kReleases[recipe.below(std::size(kReleases))]);
  system.process.start = static_cast<Start>(recipe.below(3));
  if (recipe.chance_of_one_in(4)) system.env(std::string("LD_PRELOAD=") + recipe.pick(kNames));
  if (recipe.chance_of_one_in(4)) system.env(std::string("LD_LIBRARY_PATH=") + recipe.pick(kLists));
  if (recipe.chance_of_one_in(8)) system.process.secure = true;
  if (recipe.chance_of_one_in(4)) system.cached(recipe.pick(kNames), recipe.pick(kPaths));
  system.program(make_object(recipe, program()));
  for (std::size_t count = recipe.below(7); count > 0; --count) {
    add_library(recipe, system, recipe.pick(kPaths));
  }

  const Result<LinkMap> quick = system.load();
  const Result<LinkMap> whole =
      system.load(kProgram, {.attempts = Attempts::Record, .on_fatal = OnFatal::Continue, .log = nullptr});
  require(quick.has_value() == whole.has_value(), "both walks can be made, or neither");
  if (!whole) return;
  check_map(*whole);
  check_forms(*whole, form_of(data, size, 4));
}

}  // namespace
}  // namespace soresolve::test::link_map_target

const soresolve::test::FuzzTarget soresolve::test::kLinkMapTarget = {"link_map", link_map_target::run,
                                                                     link_map_target::seeds};
