// The table of what packages open by themselves, and how its patterns are read.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "dlopen/known_loaders.h"

using namespace soresolve;

TEST_CASE("patterns have stars and digits") {
  struct Case {
    const char* why;
    std::string text;
    std::string pattern;
    bool want;
  };
  const Case cases[] = {
      {"no pattern at all", "libz.so.1", "libz.so.1", true},
      {"the same with more behind", "libz.so.12", "libz.so.1", false},
      {"a star at the end", "libnvrtc.so.12", "libnvrtc.so.*", true},
      {"a star stands for nothing, too", "libnvrtc.so.", "libnvrtc.so.*", true},
      {"a digit at the end", "libcublas.so.12", "libcublas.so.*[0-9]", true},
      {"no digit there", "libcublas.so.alt", "libcublas.so.*[0-9]", false},
      {"another library of that beginning", "libcublasLt.so.12", "libcublas.so.*[0-9]", false},
      {"stars that have to go back", "xla_cuda12/a/b.so", "xla_cuda1*/b.so", true},
      {"a star in the middle, the end missing", "core.cpython-311.s", "core.*.so", false},
      {"nothing to match", "", "*", true},
      {"nothing but a digit wanted", "", "[0-9]", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(matches(c.text, c.pattern) == c.want);
  }
}

TEST_CASE("releases compare by their numbers") {
  CHECK(compare_releases("2.15.0+cu132", "2.9") > 0);
  CHECK(compare_releases("2.9", "2.9.0") == 0);
  CHECK(compare_releases("1.13.1", "2.0") < 0);
  CHECK(compare_releases("2.6.0a0+git12", "2.6") == 0);
  CHECK(compare_releases("", "1") < 0);
}

TEST_CASE("what holds from one release to before another") {
  CHECK(holds_for("2.9.1", "2.9", "2.10"));
  CHECK(!holds_for("2.10.0", "2.9", "2.10"));
  CHECK(!holds_for("2.8", "2.9", {}));
  CHECK(holds_for("1.0", {}, {}));
  CHECK_MESSAGE(holds_for({}, "2.9", {}), "an unknown release is taken for the newest");
  CHECK(!holds_for({}, {}, "2.9"));
}

TEST_CASE("every entry says where it is from, and the releases of a package have no gap and no overlap") {
  std::map<std::string_view, std::string_view> ends;
  for (const KnownLoader& loader : known_loaders()) {
    CAPTURE(std::string(loader.title));
    CHECK(!loader.source.empty());
    const bool is_by_import = loader.import != nullptr && loader.script.ends_with("/__init__.py");
    CHECK((!loader.recognised_by.empty() || is_by_import));
    CHECK((!loader.opens.empty() ||
           (is_by_import && (!loader.import->module.empty() || !loader.import->modules.empty()))));
    if (loader.package.empty()) continue;
    const bool needs_site = loader.recognised_by.find('/') != std::string_view::npos;
    CHECK_MESSAGE((needs_site || is_by_import), "metadata is looked for in the site directory");
    const auto [end, is_first] = ends.try_emplace(loader.package, loader.to_release);
    if (!is_first) {
      CHECK(end->second == loader.from_release);
      end->second = loader.to_release;
    }
  }
  for (const auto& entry : ends) {
    CAPTURE(std::string(entry.first));
    CHECK_MESSAGE(entry.second.empty(), "the newest");
  }
}
