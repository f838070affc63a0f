// What the library says of imports of small programs, for compare_programs: in one process, as starting the command for
// each would take longer than the answers.
//
// usage: predict_programs FOLDER PYTHON
// Each folder in FOLDER is a program: `import main` by the interpreter PYTHON, with that folder as the current one and
// the environment of this process. The dlopen calls are answered by the loader's rules, as `check --import` does. A
// line for each program, the fields with tabs between them, and `\n` for the end of a line within a text:
//   NAME  ok | exception | exception-without-text | not-known  TEXT  LIBRARIES
// TEXT: the exception, or what is not known. LIBRARIES: those that ctypes opens, with spaces between them; each is
// preceded by + (it is opened), - (it is not), or ~ (perhaps one of these).
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "python/import_trace.h"
#include "python/python_environment.h"
#include "soresolve/world.h"
#include "world/python_import.h"

namespace soresolve {
namespace {

struct Claim {
  std::string verdict;
  std::string text = {};
  std::string libraries = {};
};

/// What is claimed for certain. All that marks an answer as not certain is read here: a trace that is undecided
/// belongs before the last lines.
Claim claim_of(const PythonImport& facts, const PythonTrace& trace) {
  if (!facts.limits.empty()) return {"not-known", "something is left out"};
  if (!trace.doubts.empty()) return {"not-known", trace.doubts.front().place + " " + trace.doubts.front().what};
  if (facts.ends_process) return {"exception", facts.exception};
  if (trace.exception.empty()) return {"ok"};
  if (trace.has_exception_text) return {"exception", trace.exception};
  return {"exception-without-text", trace.exception.substr(0, trace.exception.find(':'))};
}

std::string libraries_of(const PythonImport& facts) {
  std::string list;
  for (const ImportStep& step : facts.steps) {
    if (!step.module.empty()) continue;
    const bool is_certain = step.evidence == StepEvidence::Likely;
    list += (list.empty() ? "" : " ") + std::string(!is_certain ? "~" : step.failure.empty() ? "+" : "-") + step.file;
  }
  return list;
}

Claim predict(const Resolution& interpreter, const std::shared_ptr<const FileSystem>& files,
              const PythonEnvironment& python, const std::string& folder) {
  const LinkMap& map = interpreter.map();
  PythonImporter importer(files, map.process->environment, python, folder,
                          {.name = "x86_64", .isa_level = map.process->cpu.isa_level});
  const PythonQuestion question{.module = "main"};
  const Result<ImportRun> run =
      run_import(importer, question, {map.system, map.process, {}, {}, {}}, interpreter.import()->interpreter);
  if (!run) return {"not-known", run.error().to_string()};
  // The run keeps what is said to users; the trace has what it was made from.
  PythonAnswers answers;
  for (std::size_t i = 0; i < run->facts.steps.size(); ++i) {
    const std::string& failure = run->facts.steps[i].failure;
    if (!failure.empty()) answers.failures[i] = {failure, run->facts.ends_process};
  }
  Claim claim = claim_of(run->facts, importer.evaluate(question, answers));
  claim.libraries = libraries_of(run->facts);
  return claim;
}

std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      line += "\\n";
    } else {
      line += c == '\t' ? ' ' : c;
    }
  }
  return line;
}

int predict_all(const std::string& folder, const std::string& python_path) {
  WorldSettings settings;
  for (char** entry = environ; *entry != nullptr; ++entry) settings.start.env.emplace_back(*entry);
  settings.start.clean_env = true;
  settings.start.cwd = folder;
  settings.process = {.asked_as = AskedAs::Import, .python = python_path};
  World world = World::host(settings);
  const Result<Resolution> interpreter = world.resolve("sys");
  const auto files = world.files();
  if (!interpreter || !files) {
    std::fprintf(stderr, "%s\n", (interpreter ? files.error() : interpreter.error()).to_string().c_str());
    return 2;
  }
  PythonEnvironment python =
      read_python_environment(**files, interpreter->process().environment, interpreter->import()->interpreter);
  // Programs import nothing of these, and listing them takes most of the time.
  python.code_lines.clear();
  std::erase_if(python.path, [&](const std::string& path) {
    return std::find(python.site_directories.begin(), python.site_directories.end(), path) !=
           python.site_directories.end();
  });
  python.site_directories.clear();
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const Claim claim = predict(*interpreter, *files, python, std::string(folder).append("/").append(name));
    std::printf("%s\t%s\t%s\t%s\n", name.c_str(), claim.verdict.c_str(), in_one_line(claim.text).c_str(),
                in_one_line(claim.libraries).c_str());
  }
  return 0;
}

}  // namespace
}  // namespace soresolve

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return soresolve::predict_all(argv[1], argv[2]);
}
