// Sources of Python that were read, and their trees.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "python/compile_errors.h"
#include "python/parser.h"
#include "python/syntax.h"
#include "soresolve/file_system.h"

namespace soresolve::python {

struct Source {
  std::string text;
  Block body;
  std::set<std::string, std::less<>> changed_by_functions;  ///< names that a function declares global
  ParseFailures failures = {};                              ///< in all of it, functions too
  // By its words, which are looked for when they are asked for; by one thread.
  bool may_open_libraries() const;  ///< itself, or by a function that its name announces
  bool may_make_names() const;      ///< that it does not assign to
  bool may_make_globals() const;    ///< likewise, for itself
  bool may_make_modules() const;    ///< that are no files

 private:
  mutable std::optional<bool> opens_libraries_;
  mutable std::optional<bool> makes_names_;
  mutable std::optional<bool> makes_globals_;
  mutable std::optional<bool> makes_modules_;
};

class Sources {
 public:
  explicit Sources(const FileSystem& files) : files_(files) {}

  /// nullptr: it cannot be read, or is too large.
  std::shared_ptr<const Source> read(const std::string& file);
  /// Of code that stands in no file of its own.
  std::shared_ptr<const Source> of_text(const std::string& text);
  /// Why Python does not compile a source that was read; nullptr: nothing is certain. Looked for once.
  const CompileError* error_of(const Source& source, int minor_number, const HasCodec& has_codec);
  /// Parsed at the first call.
  const FunctionBody& body_of(const std::shared_ptr<const Function>& function);
  /// Does the word stand in the source before that line, outside functions and comments?
  bool has_word(const Source& source, std::uint32_t line, std::string_view word);

 private:
  const FileSystem& files_;
  std::map<std::string, std::shared_ptr<const Source>, std::less<>> known_;
  std::map<std::shared_ptr<const Function>, FunctionBody> bodies_;
  std::map<const Source*, std::optional<CompileError>> errors_;
  std::map<const Source*, std::string> outlines_;  ///< without functions and comments, with all ends of lines
};

}  // namespace soresolve::python
