// The page of --html: what is of others stands in it as text, and what data says in English has its Chinese beside it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/page.h"
#include "report/page_words.h"
#include "soresolve/document.h"

using namespace soresolve;

namespace {

constexpr const char* kHostile = "</script><script>alert(1)</script><!--&\x1b[31m";

std::string page_of(const Document& document, const HtmlOptions& options) {
  std::string html;
  write_html(document, options, [&](std::string_view part) { html += part; });
  return html;
}

/// What stands between the tags of the script element of that id.
std::string island(const std::string& html, const std::string& id) {
  const std::string begin = "id=\"" + id + "\">";
  const std::size_t at = html.find(begin);
  REQUIRE(at != std::string::npos);
  return html.substr(at + begin.size(), html.find("</script>", at) - at - begin.size());
}

Document hostile_document() {
  return {[] {
            Page page;
            page.line(Words::foreign(kHostile).in(Tone::Bad));
            return page;
          },
          [](const WritePart& write) {
            const nlohmann::ordered_json json = {{"name", kHostile}, {"list", {1, "a b"}}};
            const std::string text = json.dump(2);
            for (const char c : text) write(std::string(1, c));  // in whatever pieces
          },
          [](const TakeStatement& take) {
            take(say("one-not-found", {{"library", kHostile}}));
            take(Statement{});
          }};
}

}  // namespace

TEST_CASE("nothing of others can end the element that it stands in") {
  const std::string html = page_of(hostile_document(), {.title = kHostile});
  CHECK(html.find("<script>alert") == std::string::npos);
  CHECK(html.find("\x1b") == std::string::npos);
  CHECK(html.find("<title>&lt;/script&gt;") != std::string::npos);
  CHECK(html.find("<span class=\"tone31\">&lt;/script&gt;") != std::string::npos);
}

TEST_CASE("the data comes back from the page as it was") {
  const std::string html = page_of(hostile_document(), {});
  const nlohmann::json data = nlohmann::json::parse(island(html, "data"));
  CHECK(data["name"] == kHostile);
  CHECK(data["list"][1] == "a b");
  CHECK(island(html, "data").find('\n') == std::string::npos);
}

TEST_CASE("lines of data stay lines") {
  const Document document = {[] { return Page(); },
                             [](const WritePart& write) { write("{\"a\": \"<\"}\n{\"b\": 1}\n"); }};
  CHECK(island(page_of(document, {.form = DataForm::Lines}), "data") == "{\"a\": \"\\u003c\"}\n{\"b\": 1}\n");
}

TEST_CASE("each sentence of the data has its Chinese beside it") {
  const nlohmann::json words = nlohmann::json::parse(island(page_of(hostile_document(), {}), "zh"));
  const Statement statement = say("one-not-found", {{"library", kHostile}});
  CHECK(words[sentence(statement, Language::English)] == sentence(statement, Language::Chinese));
  CHECK(words["no such file"] == "没有这个文件");
}

TEST_CASE("a page may fetch nothing, and runs only its own scripts") {
  const std::string html = page_of(hostile_document(), {.language = Language::Chinese});
  const std::size_t at = html.find("Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-");
  REQUIRE(at != std::string::npos);
  CHECK(html.substr(at, html.find('>', at) - at).find("unsafe-inline") == std::string::npos);
  CHECK(html.find("src=") == std::string::npos);
  CHECK(html.find("<html lang=\"zh\">") != std::string::npos);
}
