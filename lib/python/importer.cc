// What stays between the evaluations of one import.
#include <mutex>
#include <utility>

#include "python/evaluator.h"
#include "python/import_trace.h"

namespace soresolve {

struct PythonImporter::State {
  std::shared_ptr<const FileSystem> files;
  Environment environment;
  PythonEnvironment python;
  python::Sources sources;
  python::NativeNames native_names;
  PythonFinder finder;
  python::PthCode pth_code;
  python::Surroundings around;
  std::mutex mutex;  ///< an import_end() may be asked by several threads

  State(std::shared_ptr<const FileSystem> given_files, Environment given_environment, PythonEnvironment given_python,
        const std::string& cwd, const PythonMachine& machine)
      : files(std::move(given_files)), environment(std::move(given_environment)), python(std::move(given_python)),
        sources(*files), native_names(*files), finder(*files, python, cwd, machine.name),
        pth_code(*files, python, finder), around{*files,  environment, python,       cwd,
                                                 machine, sources,     native_names, pth_code} {}
};

PythonImporter::PythonImporter(std::shared_ptr<const FileSystem> files, Environment environment,
                               PythonEnvironment python, std::string cwd, PythonMachine machine)
    : state_(std::make_unique<State>(std::move(files), std::move(environment), std::move(python), cwd, machine)) {}

PythonImporter::~PythonImporter() = default;

PythonTrace PythonImporter::evaluate(const PythonQuestion& question, const PythonAnswers& answers) {
  const std::lock_guard lock(state_->mutex);
  python::Evaluator evaluator(state_->around, std::move(state_->finder), question, answers);
  PythonTrace trace = evaluator.run();
  state_->finder = evaluator.take_finder();
  state_->finder.reset();
  return trace;
}

const PythonEnvironment& PythonImporter::python() const { return state_->python; }

std::optional<PythonModule> PythonImporter::find(std::string_view name) {
  const std::lock_guard lock(state_->mutex);
  return state_->finder.find(name, state_->finder.path());
}

const std::vector<std::string>& PythonImporter::suffixes() const { return state_->finder.suffixes(); }

}  // namespace soresolve
