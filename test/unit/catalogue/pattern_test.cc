// Patterns of messages: literals, captures and their bounds, the field before, globs.
#include "catalogue/pattern.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalogue/anchor_index.h"

using namespace soresolve;

namespace {

/// "name=text …" of the first place where `pattern` holds, "-" if nowhere.
std::string matched(std::string_view pattern, std::string_view line) {
  const Pattern compiled(pattern);
  LineMemory memory;
  for (std::size_t place = 0; place < line.size(); ++place) {
    const std::optional<std::size_t> anchor = compiled.anchor_length(line.substr(place));
    if (const auto match = anchor ? compiled.match(line, place, *anchor, memory) : std::nullopt) {
      std::string text;
      for (const PatternCapture& capture : match->captures) {
        text += (text.empty() ? "" : " ") + std::string(capture.name) + "=" + std::string(capture.text);
      }
      return text;
    }
  }
  return "-";
}

}  // namespace

TEST_CASE("patterns with one anchor may differ in whether its quotation marks have to be there") {
  const auto places = [](const std::vector<Pattern>& patterns, std::string_view line) {
    std::string all;
    AnchorIndex(patterns).for_each(
        line, 0, line.size(), [&](std::size_t place, std::uint32_t pattern, std::size_t size) {
          all += std::to_string(pattern) + " at " + std::to_string(place) + ", " + std::to_string(size) + " bytes; ";
        });
    return all;
  };
  const Pattern needed("lost 'it' {text} now");
  const Pattern optional("lost 'it' {number}");
  CHECK(places({needed, optional}, "x lost it 1") == "1 at 2, 8 bytes; ");
  CHECK(places({optional, needed}, "x lost it 1") == "0 at 2, 8 bytes; ");
  CHECK(places({needed, optional, needed}, "lost 'it' 1") == "0 at 0, 10 bytes; 1 at 0, 10 bytes; 2 at 0, 10 bytes; ");
}

TEST_CASE("a pattern holds where all its fragments stand, and captures what is between") {
  struct Case {
    const char* why;
    const char* pattern;
    const char* line;
    const char* want;
  };
  const Case cases[] = {
      {"a literal", "file too short", "x: file too short", ""},
      {"the word goes on before", "file too short", "profile too short", "-"},
      {"the word goes on behind", "file too short", "file too shorter", "-"},
      {"the field before", "{library}: gone", "ImportError: liba.so: gone", "library=liba.so"},
      {"nothing before", "{library}: gone", ": gone", "-"},
      {"optional before", "{object}lost: {symbol}", "lost: f", "symbol=f"},
      {"optional, and there", "{object}lost: {symbol}", "/a.so: lost: f", "object=/a.so symbol=f"},
      {"in the middle, quoted", "version '{version}' not", "version `V_1' not", "version=V_1"},
      {"curly quotation marks", "version '{version}' not", "version \xe2\x80\x98V_1\xe2\x80\x99 not", "version=V_1"},
      {"no quotation mark, which Markdown swallowed", "version '{version}' not", "version V_1 not", "version=V_1"},
      {"as a web page writes it", "version '{version}' not", "version &#39;V_1&#39; not", "version=V_1"},
      {"as JSON writes it", "version '{version}' not", "version \\u2018V_1\\u2019 not", "version=V_1"},
      {"as Python writes bytes", "version '{version}' not", R"(version \xe2\x80\x98V_1\xe2\x80\x99 not)",
       "version=V_1"},
      {"but not beside a text", "no '{text}' here", "no such thing here", "-"},
      {"a mark alone is needed", "of '{name}'", "of a", "-"},
      {"spaces around a colon, typed by hand", "lost: {symbol}: gone", "lost : f :gone", "symbol=f"},
      {"in other letters", "lost: {symbol}", "Lost: F", "symbol=F"},
      {"no space behind it", "lost: {symbol}", "lost:f", "symbol=f"},
      {"the colon left out", "{library=lib*}lost file", "ImportError: libx.so.1 lost file", "library=libx.so.1"},
      {"a word that is no library", "{library}lost file", "I have a lost file", ""},
      {"quoted, before a colon", "{library}: gone", "no 'liba.so.1': gone", "library=liba.so.1"},
      {"in Markdown's asterisks", "{library}: gone", "**liba.so.1**: gone", "library=liba.so.1"},
      {"the end of a printed string", "gone: {symbol}", R"("gone: f\n", 1)", "symbol=f"},
      {"Chinese behind it", "lost: {symbol}", "lost: f\u60a8", "symbol=f"},
      {"the first of a set", "any of {library=lib*}, ", "any of {liba.so.1, liba.so}", "library=liba.so.1"},
      {"a version has no spaces", "version '{version}' not", "version 'V 1' not", "-"},
      {"a path may have", "by {requirer})", "by /my dir/a.so)", "requirer=/my dir/a.so"},
      {"never nothing", "by {requirer})", "by )", "-"},
      {"the last word without its sentence", "lost: {symbol}", "lost: f_1.", "symbol=f_1"},
      {"glob holds", "lost: {symbol=cuda*|nccl*}", "lost: ncclFree", "symbol=ncclFree"},
      {"glob does not hold", "lost: {symbol=cuda*|nccl*}", "lost: malloc", "-"},
      {"glob at the start", "{library=libcudart.so.11*}: gone", "libcudart.so.12: gone", "-"},
      {"an arrow behind it", "{library=*.so*} => gone", "\tliba.so.1 => gone", "library=liba.so.1"},
      {"a comma behind it", "{library}, by {object}, lost", "liba.so, by b.so, lost", "library=liba.so object=b.so"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(matched(c.pattern, c.line) == c.want);
  }
}

TEST_CASE("a capture is bounded") {
  const std::string longest(Pattern::kMaxCapture, 'x');
  CHECK(matched("by {requirer})", "by " + longest + ")") == "requirer=" + longest);
  CHECK(matched("by {requirer})", "by x" + longest + ")") == "-");
}

TEST_CASE("the field before is a path with its spaces, or a word") {
  struct Case {
    const char* why;
    const char* before;
    const char* want;
  };
  const Case cases[] = {
      {"after ': '", "OSError: liba.so", "liba.so"},
      {"from the start", "liba.so", "liba.so"},
      {"path with spaces", "OSError: /my dir/liba.so", "/my dir/liba.so"},
      {"a library behind the one that needs it", "ERROR: no /opt/a.so - libb.so.1", "libb.so.1"},
      {"a level of a log", "OSError: no ERROR:libb.so.1", "libb.so.1"},
      {"a dash in a directory", "OSError: /my - dir/liba.so", "/my - dir/liba.so"},
      {"a link that a mail program made", "OSError: \"[libb.so](http://libb.so/)", "libb.so"},
      {"time before a path", "2026-01-02 10:11:12,5 /my dir/liba.so", "/my dir/liba.so"},
      {"a log's prefix before a name", "[rank0] 10:11 liba.so", "liba.so"},
      {"relative path", "error ./a b/liba.so", "./a b/liba.so"},
      {"quoted", "OSError(\"liba.so", "liba.so"},
      {"assigned", "what=/x/liba.so", "/x/liba.so"},
      {"a word and a colon before a path", "ImportError: error:/x/liba.so", "/x/liba.so"},
      {"the same behind other words", "dlopen error:/my dir/liba.so", "/my dir/liba.so"},
      {"a list of paths is left whole", "/a:/b/liba.so", "/a:/b/liba.so"},
      {"no address of the web", "see http://x/liba.so", "http://x/liba.so"},
      {"nothing", "OSError: ", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::string line = std::string(c.before) + ": gone";
    CHECK(field_before(line, line.size() - 6) == c.want);
  }
}

TEST_CASE("globs know no more than stars and alternatives") {
  CHECK(matches_glob("lib*.so*", "libx.so.1"));
  CHECK(matches_glob("a*b*c", "aXbYbZc"));
  CHECK(matches_glob("x|y|", ""));
  CHECK_FALSE(matches_glob("lib*.so", "libx.so.1"));
  CHECK_FALSE(matches_glob("?", "x"));
  CHECK_FALSE(matches_glob("a*a", "a"));
}
