// A small machine of which one file is any bytes: every question of the command comes to an answer or
// to a refusal that says where and why, and no answer can drive a terminal or break a JSON reader.
//
// The first byte says which of the files it is, the second one what is asked; the rest is the file.
#include "fuzz/fuzz_target.h"
#include "support/every_question.h"
#include "support/small_machine.h"

namespace soresolve::test::pipeline_target {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (const MachineFile& file : small_machine()) {
    for (std::size_t question = 0; question < kQuestions; ++question) {
      all.push_back(std::string{static_cast<char>(all.size() / kQuestions), static_cast<char>(question)} +
                    file.content);
    }
  }
  return all;
}

void run(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return;
  static const std::vector<MachineFile> machine = small_machine();
  std::vector<MachineFile> files = machine;
  MachineFile& changed = files[data[0] % files.size()];
  changed.content.assign(reinterpret_cast<const char*>(data) + 2, size - 2);
  // Of the program that needs it, or, for an odd length, of the file itself.
  const std::string asked = size % 2 == 0 ? kMachineProgram : changed.path;
  QuestionLimits limits;
  limits.form = form_of(data, size, 3);
  const EveryAnswer answer = ask(world_of(files), asked, static_cast<Question>(data[1] % kQuestions), limits);
  for (const std::string& broken : answer.broken) std::fprintf(stderr, "%s\n", broken.c_str());
  require(answer.broken.empty(), "each answer is a good one, and each refusal has place and reason");
}

}  // namespace
}  // namespace soresolve::test::pipeline_target

const soresolve::test::FuzzTarget soresolve::test::kPipelineTarget = {"pipeline", pipeline_target::run,
                                                                      pipeline_target::seeds, InputKind::Elf};
