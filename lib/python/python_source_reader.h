// One pass over the lines of a Python source: the state behind read_python_source(), not for others.
//
// Blocks and single lines: python_source.cc; functions and loops, which are followed: python_source_calls.cc; if, try
// and with: python_source_branches.cc; what names become: python_source_names.cc.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "python/python_condition.h"
#include "python/python_flags.h"
#include "python/python_lines.h"
#include "python/python_source.h"
#include "python/python_text.h"

namespace soresolve {

/// One source, once.
class SourceReader {
 public:
  SourceReader(std::string_view source, const PythonPlatform& platform, const PythonPlace& place);

  std::vector<PythonStatement> run();
  /// Of a call of it without arguments, once all has been read.
  std::vector<PythonStatement> run_function(const std::string& name);

 private:
  enum class BlockKind : std::uint8_t { Loop, Turn, Function };
  /// Of a function that is followed: `return` was met.
  struct Returned {
    std::optional<std::string> text;
  };
  /// What a name has been imported as: a module, or something of one.
  struct Imported {
    std::uint32_t level = 0;  ///< leading dots of the module
    std::string module = {};
    std::string name = {};  ///< empty: the module itself
  };
  struct Function {
    std::string_view parameters;
    std::size_t first = 0;  ///< line of its suite
    std::size_t end = 0;
  };

  // python_source.cc
  [[nodiscard]] bool has_line(std::size_t indent) const;
  void read_block(std::size_t indent, int depth, std::vector<PythonStatement>& body);
  std::vector<PythonStatement> read_suite(const PythonLine& head, int depth);
  void skip_suite(std::size_t indent);
  void skip_unknown_suite(std::size_t indent, std::vector<PythonStatement>& body);
  static void append(std::vector<PythonStatement>& to, std::vector<PythonStatement> from);
  void read_statement(std::size_t indent, int depth, std::vector<PythonStatement>& body);
  void read_class(const PythonLine& head, int depth, std::vector<PythonStatement>& body);
  void read_simple(const PythonLine& line, std::vector<PythonStatement>& body);
  void read_one(const PythonLine& line, std::vector<PythonStatement>& body);
  void read_kind(const PythonLine& line, std::vector<PythonStatement>& body);
  void read_path(const PythonLine& line, std::vector<PythonStatement>& body);
  void read_raise(const PythonLine& line, std::vector<PythonStatement>& body);

  // python_source_calls.cc
  void note_function(const PythonLine& head);
  void bind(std::string_view parameters, std::string_view arguments, const PythonBindings& outer_names,
            const PythonConstants& outer_constants);
  std::optional<std::string> follow(const std::string& name, std::string_view arguments, std::uint32_t line,
                                    std::vector<PythonStatement>& body);
  PythonKnowledge knowledge();
  std::optional<std::string> text_of(std::string_view expression);
  void follow_calls(const PythonLine& line, std::vector<PythonStatement>& body);
  void follow_import(std::string_view name, std::string_view arguments, std::uint32_t line,
                     std::vector<PythonStatement>& body) const;
  void read_for(const PythonLine& head, int depth, std::vector<PythonStatement>& body);
  void read_leave(const PythonLine& line, BlockKind kind, std::vector<PythonStatement>& body);
  void read_calls(const PythonLine& line, std::vector<PythonStatement>& body);

  // python_source_branches.cc
  void read_with(const PythonLine& head, int depth, std::vector<PythonStatement>& body);
  static bool raises(const std::vector<PythonStatement>& branch);
  std::optional<std::string> text_of_error(std::string_view condition);
  void read_if_says(const PythonLine& head, std::string text, int depth, std::vector<PythonStatement>& body);
  void read_if(PythonLine head, int depth, std::vector<PythonStatement>& body);
  [[nodiscard]] bool keeps_for_later(std::size_t indent) const;
  [[nodiscard]] bool consists_of_imports(std::size_t first, std::size_t end) const;
  void read_try(const PythonLine& head, int depth, std::vector<PythonStatement>& body);
  static std::vector<std::string> exceptions_in(std::string_view text);
  [[nodiscard]] std::optional<bool> decide(std::string_view condition);
  std::optional<bool> fact_of(std::string_view atom);

  // python_source_names.cc
  void read_assignment(const PythonLine& line, std::vector<PythonStatement>& body);
  [[nodiscard]] bool is_flag(std::string_view name) const;
  void set_flag(std::string_view name, PythonValue value, const PythonLine& line, std::vector<PythonStatement>& body);
  static void keep_flags(std::vector<PythonStatement>& from, std::vector<PythonStatement>& body);
  void skip_suite_with_flags(std::size_t indent, std::vector<PythonStatement>& body);
  void forget(std::string_view name);
  void read_import(const PythonLine& line, std::vector<PythonStatement>& body);
  void bind_import(std::string_view name, const PythonLine& line, std::vector<PythonStatement>& body);
  void read_from(const PythonLine& line, std::vector<PythonStatement>& body);

  std::vector<PythonLine> lines_;
  const PythonPlatform& platform_;
  const PythonPlace& place_;
  PythonFlags flags_;
  PythonFlags handled_;  ///< of them those that a handler assigns to
  PythonConstants constants_;
  PythonBindings names_;
  std::map<std::string, Function, std::less<>> functions_;
  std::map<std::string, Imported, std::less<>> imported_;
  std::set<std::size_t> running_;  ///< functions that are followed, by their first lines
  std::vector<BlockKind> blocks_;  ///< around the line
  std::optional<Returned> returned_;
  std::string caught_;            ///< the name of what the handler around the line has caught
  int undecided_ = 0;             ///< conditions around the line that were not decided
  int followed_ = 0;              ///< functions around it that are followed
  int classes_ = 0;               ///< classes around it
  int depth_ = 0;                 ///< blocks around it, with those of callers
  bool is_decorated_ = false;     ///< the line before is a decorator
  bool is_perhaps_left_ = false;  ///< a condition that was not decided may have led away
  int turns_left_ = kMaxPythonTurns;
  int repeats_left_ = kMaxPythonRepeats;
  std::size_t next_ = 0;
};

}  // namespace soresolve
