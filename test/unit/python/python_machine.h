// An interpreter with packages in memory, and what an import there comes to.
#pragma once
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "python/import_trace.h"

namespace soresolve::test {

inline const std::string kSite = "/opt/py/lib/python3.11/site-packages/";
inline const std::string kTag = ".cpython-311-x86_64-linux-gnu.so";

/// Behind this any name may be there: what is not defined is not known. It opens nothing.
inline const std::string kAnyName = "from sys import *\n";

/// An interpreter with a directory of packages. Those files fail whose path ends as one of `failing`.
class Machine {
 public:
  Machine() : files_(std::make_shared<MemoryFileSystem>()) {
    files_->add_file("/opt/py/bin/python3.11", "\177ELF", 0755);
    files_->add_file("/opt/py/lib/python3.11/os.py", "import posix\n");
    files_->add_file("/opt/py/lib/python3.11/lib-dynload/math" + kTag, "");
    for (const char* name :
         {"ctypes", "importlib", "platform", "pathlib", "glob", "contextlib", "functools", "textwrap", "typing"})
      files_->add_file("/opt/py/lib/python3.11/" + std::string(name) + ".py", "");
    files_->add_directory(kSite);
  }

  Machine& add(const std::string& path, const std::string& text = "") {
    files_->add_file(path.starts_with('/') ? path : kSite + path, text);
    return *this;
  }
  Machine& extensions(std::initializer_list<const char*> names) {
    for (const char* name : names) add(name + kTag);
    return *this;
  }
  [[nodiscard]] const std::shared_ptr<MemoryFileSystem>& files() const { return files_; }
  std::vector<std::string> variables;
  std::set<std::string> failing;
  int isa_level = 1;
  std::string loaded_path;                              ///< what is taken to be loaded
  std::set<std::string> recorded = {};                  ///< files that records list
  std::optional<std::vector<std::string>> cached = {};  ///< names in ld.so.cache; nullopt: nothing is known of one

  PythonTrace import(const std::string& module) const {
    const Environment environment(variables);
    PythonMachine machine{"x86_64", isa_level};
    if (!recorded.empty()) machine.is_recorded = [this](const std::string& path) { return recorded.contains(path); };
    if (cached) {
      machine.cached_library = [this](std::string_view name) -> std::optional<std::string> {
        for (const std::string& soname : *cached) {
          if (soname.starts_with("lib" + std::string(name) + ".")) return soname;
        }
        return std::nullopt;
      };
    }
    PythonImporter importer(files_, environment,
                            read_python_environment(*files_, environment, "/opt/py/bin/python3.11"), "/cwd", machine);
    PythonAnswers answers;
    while (true) {
      PythonTrace trace = importer.evaluate({.module = module}, answers);
      const std::size_t known = answers.failures.size() + answers.loaded.size();
      for (std::size_t i = 0; i < trace.opens.size() && known == answers.failures.size() + answers.loaded.size(); ++i) {
        const std::string& file = trace.opens[i].file;
        for (const std::string& end : failing) {
          if (file.ends_with(end))
            answers.failures.try_emplace(i, PythonAnswers::Failure{end + ": cannot open", false});
        }
      }
      if (trace.asked && known == answers.failures.size() + answers.loaded.size())
        answers.loaded[trace.opens.size()] = !loaded_path.empty() && trace.asked == loaded_path;
      if (known == answers.failures.size() + answers.loaded.size()) return trace;
    }
  }

  /// "a; ?b global; c failed; !ImportError: text": what is opened, and the exception.
  std::string shown(const std::string& module) const { return shown(import(module)); }
  static std::string shown(const PythonTrace& trace) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    for (const PythonOpen& open : trace.opens) {
      std::string file = open.file;
      if (file.starts_with(kSite)) file = file.substr(kSite.size());
      if (file.ends_with(kTag)) file.resize(file.size() - kTag.size());
      if (open.mode.scope == OpenScope::Global) file += " global";
      const bool is_possible = open.evidence == StepEvidence::Possible;
      add((is_possible                            ? "~"
           : open.evidence == StepEvidence::Guess ? "?"
                                                  : "") +
          file + (open.failure.empty() ? "" : " failed"));
    }
    if (!trace.exception.empty()) add("!" + trace.exception);
    return text;
  }

 private:
  std::shared_ptr<MemoryFileSystem> files_;
};

}  // namespace soresolve::test
