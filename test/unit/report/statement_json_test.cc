// Statements that came from another process: only what the catalogue can say is taken.
#include "report/statement_json.h"

#include <doctest/doctest.h>

#include <string>

#include "soresolve/catalogue.h"

using namespace soresolve;
using Json = nlohmann::ordered_json;

TEST_CASE("a statement comes back as it was sent") {
  const Statement statements[] = {
      say("as-predicted"),
      say("libraries-opened", {{"count", 2U}, {"added", 1U}}),
      say("call-told", {{"function", "cuInit"},
                        {"status", say("error-number-words", {{"number", "100"}, {"words", "\x1b[31mno device"}})},
                        {"predicted", std::vector<Statement>{say("as-predicted"), say("semicolon")}}}),
      say("call-told", {{"function", "f"}, {"status", words_of_others("s")}, {"predicted", std::vector<Statement>{}}}),
  };
  for (const Statement& statement : statements) {
    CAPTURE(statement.sentence);
    const auto read = read_statement(Json::parse(statement_json(statement).dump()));
    REQUIRE(read);
    CHECK(*read == statement);
    CHECK(read_statements(statements_json({statement, Statement{}})) == std::vector<Statement>{statement});
  }
}

TEST_CASE("what is no statement of the catalogue is not taken") {
  struct Case {
    const char* why;
    const char* json;
  };
  const Case cases[] = {
      {"no object", R"("as-predicted")"},
      {"no sentence of that name", R"({"sentence": "no-such-sentence", "arguments": {}})"},
      {"a name that is no text", R"({"sentence": 7, "arguments": {}})"},
      {"without arguments", R"({"sentence": "as-predicted"})"},
      {"a place that is not filled", R"({"sentence": "in-call", "arguments": {}})"},
      {"a value of another kind", R"({"sentence": "in-call", "arguments": {"function": null}})"},
      {"a number below zero", R"({"sentence": "in-call", "arguments": {"function": -1}})"},
      {"a part that is none", R"({"sentence": "in-call", "arguments": {"function": [{"sentence": "x"}]}})"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK_FALSE(read_statement(Json::parse(c.json)));
    CHECK_FALSE(read_statements(Json::array({Json::parse(c.json)})));
  }
  CHECK_FALSE(read_statements(Json::object()));
  CHECK(read_statements(Json::array())->empty());
}

TEST_CASE("arguments that the sentence has no place for are left out") {
  const auto read = read_statement(Json::parse(R"({"sentence": "as-predicted", "arguments": {"more": "text"}})"));
  REQUIRE(read);
  CHECK(*read == say("as-predicted"));
}

TEST_CASE("a name is said as the catalogue's term, or as it is") {
  CHECK(sentence(term_or_words("cudnn load"), Language::Chinese) == "cudnn 加载");
  CHECK(sentence(term_or_words("\x1b[31m"), Language::Chinese) == "\x1b[31m");
  // A name of a sentence is no term unless it is its own English.
  CHECK(sentence(term_or_words("in-call"), Language::English) == "in-call");
}
