// What is known of the interpreter and its standard library by dotted names: constants of the platform, functions over
// texts, paths and files. Their sources are not evaluated for it.
//
// Sources: the Python Library Reference: Built-in Functions, Built-in Types, os, os.path, pathlib, glob, platform, sys,
// struct, typing, ctypes.util. What is not in the table is not known.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/process.h"
#include "python/python_environment.h"
#include "python/value.h"
#include "soresolve/file_system.h"

namespace soresolve::python {

/// The arguments of a call, evaluated. By position they are asked for only through find() and at(), which know how many
/// there are, and that there may be more where one was unpacked from what is not known.
class Arguments {
 public:
  Arguments() = default;
  explicit Arguments(std::vector<Value> positions) : positions_(std::move(positions)) {}

  /// The next by position. Behind what is not known its position is not known either.
  void add(Value value) {
    if (is_complete_) positions_.push_back(std::move(value));
  }
  void add_named(std::string_view name, Value value) { names_.emplace_back(name, std::move(value)); }
  /// *ARGUMENTS or **OPTIONS of what is not known.
  void add_unknown() { is_complete_ = false; }
  /// With one more before all others: `self` of a method.
  [[nodiscard]] Arguments behind(Value first) const;

  /// The one at this position or of this name; nullptr: it is not given. Unknown: it may be given.
  [[nodiscard]] const Value* find(std::size_t position, std::string_view name = {}) const;
  /// Likewise; Unknown: it is not given, too.
  [[nodiscard]] Value at(std::size_t position, std::string_view name = {}) const;
  [[nodiscard]] std::optional<std::string> text(std::size_t position, std::string_view name = {}) const;
  /// The one that is given by name; nullptr: none is, as far as is known.
  [[nodiscard]] const Value* named(std::string_view name) const;
  /// So many by position, none by name, and all are known to be these.
  [[nodiscard]] bool has_only(std::size_t count) const {
    return is_complete_ && names_.empty() && positions_.size() == count;
  }
  [[nodiscard]] std::size_t count() const { return positions_.size() + names_.size(); }
  [[nodiscard]] bool has_names() const { return !names_.empty(); }
  [[nodiscard]] bool is_complete() const { return is_complete_; }  ///< false: there may be more

  // Those by position, in their order.
  [[nodiscard]] std::size_t size() const { return positions_.size(); }
  [[nodiscard]] auto begin() const { return positions_.begin(); }
  [[nodiscard]] auto end() const { return positions_.end(); }

 private:
  std::vector<Value> positions_;
  std::vector<std::pair<std::string_view, Value>> names_;
  bool is_complete_ = true;
};

class KnownFunctions {
 public:
  /// All are borrowed. `machine`: platform.machine().
  KnownFunctions(const FileSystem& files, const Environment& environment, const PythonEnvironment& python,
                 std::string cwd, std::string machine);

  /// A constant, or Known for a function or a module of the table; Unknown: it is in no row.
  [[nodiscard]] Value named(std::string_view dotted) const;
  /// All names of the table.
  [[nodiscard]] static std::vector<std::string_view> names();
  /// What the call of a function of the table returns.
  [[nodiscard]] Value call(std::string_view dotted, const Arguments& given) const;
  /// What a method of a text, a list or a mapping returns.
  [[nodiscard]] Value method(const Value& self, std::string_view name, const Arguments& given) const;
  /// What an attribute of a text (a path), of a list (sys.version_info) or of an exception is.
  [[nodiscard]] Value attribute(const Value& self, std::string_view name) const;
  /// WHOLE[KEY]
  [[nodiscard]] Value item(const Value& whole, const Value& key) const;
  /// WHOLE[LOW:HIGH]
  [[nodiscard]] Value slice(const Value& whole, const Value& low, const Value& high) const;
  /// A class of exceptions that the interpreter has; Unknown: there is none of this name.
  [[nodiscard]] static Value exception_class(std::string_view name);

  [[nodiscard]] Value variable(std::string_view name) const;  ///< os.environ.get(name)
  void set_variable(const Value& name, const Value& value);   ///< os.environ[name] = value
  [[nodiscard]] bool exists(const std::string& path, std::optional<FileKind> kind = {}) const;
  [[nodiscard]] Value names_in(const std::string& directory) const;
  [[nodiscard]] Value matching(const std::string& pattern) const;  ///< glob.glob()
  [[nodiscard]] std::string absolute(std::string_view path) const;
  [[nodiscard]] Value home_of(std::string_view path) const;                          ///< os.path.expanduser()
  [[nodiscard]] static Value joined(const Arguments& given, std::string path = {});  ///< os.path.join(path, …)

 private:
  [[nodiscard]] Value text_method(const Value& self, std::string_view name, const Arguments& given) const;
  [[nodiscard]] Value path_method(const std::string& path, std::string_view name, const Arguments& given) const;

  const FileSystem& files_;
  const Environment& environment_;
  std::string cwd_;
  std::string machine_;
  std::map<std::string, Value, std::less<>> constants_;
  std::map<std::string, Value, std::less<>> variables_;  ///< that a source has set
  bool are_variables_unknown_ = false;
};

}  // namespace soresolve::python
