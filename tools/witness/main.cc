// soresolve-witness: what LIEF says of files, a line of JSON for each.
//
// usage: soresolve-witness [--memory MIB] [--timeout S] [--as NAME] FILE...
//
// LIEF reads strangers' files here, and nowhere else. So every file is opened first, and then the process
// gives up all that it does not need for reading and answering (see confinement.h). `-` is standard input;
// --as says what the file is called in the answer.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "confinement.h"
#include "output/output.h"
#include "witness/lief_reader.h"

namespace soresolve::witness {
namespace {

enum class Status : int { Answered = 0, Refused = 1, Usage = 2, Failure = 3, OutOfMemory = kOutOfMemoryStatus };

constexpr std::string_view kHelp =
    "Usage: soresolve-witness [--memory MIB] [--timeout S] [--as NAME] FILE...\n"
    "\n"
    "Says what LIEF, a second reader of ELF, PE and Mach-O files, sees in each FILE (- is standard input): one\n"
    "line of JSON, soresolve-witness/1. It limits its own memory, time and system calls before it reads.\n"
    "`soresolve inspect FILE` and `soresolve symvers LIB --witness` run this program.\n"
    "\n"
    "Exit status: 0 all were read, 1 one was not (its line says why), 2 usage, or a file cannot be opened,\n"
    "3 the program itself failed, 4 it would have taken more memory than --memory allows.\n";
constexpr std::size_t kMaxFiles = 512;  // all are open at once

struct OpenFile {
  std::string name;
  int descriptor = -1;
};

struct Question {
  Limits limits;
  std::string as;
  std::vector<std::string> files;
};

[[noreturn]] void finish(Status status) { ::_exit(static_cast<int>(status)); }

[[noreturn]] void complain(const std::string& text, Status status) {
  std::fprintf(stderr, "soresolve-witness: %s\n", text.c_str());
  finish(status);
}

void write_answer(int descriptor, std::string_view text) {
  const int error = output::write_all(descriptor, text);
  if (error != 0) output::end_unwritten("soresolve-witness", error);
}

/// A positive number, as the value of `option`.
double number_of(const std::string& option, std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number > 0) || number > 1e6) {
    complain(option + ": a number above 0 is wanted, not '" + std::string(text) + "'", Status::Usage);
  }
  return number;
}

Question read_arguments(const std::vector<std::string>& words) {
  Question question;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool has_value = word == "--memory" || word == "--timeout" || word == "--as";
    if (word == "--help" || word == "-h") {
      write_answer(STDOUT_FILENO, kHelp);
      finish(Status::Answered);
    } else if (has_value && i + 1 == words.size()) {
      complain(word + ": a value is wanted", Status::Usage);
    } else if (word == "--memory") {
      question.limits.memory_mib = static_cast<std::uint64_t>(number_of(word, words[++i]));
    } else if (word == "--timeout") {
      question.limits.cpu_s = static_cast<unsigned>(std::ceil(number_of(word, words[++i])));
    } else if (word == "--as") {
      question.as = words[++i];
    } else if (word.starts_with("-") && word != "-") {
      complain("there is no option " + word, Status::Usage);
    } else {
      question.files.push_back(word);
    }
  }
  if (question.files.empty()) complain("FILE is required; see --help", Status::Usage);
  if (question.files.size() > kMaxFiles) complain("more than 512 files at once", Status::Usage);
  return question;
}

std::vector<OpenFile> open_all(const Question& question) {
  std::vector<OpenFile> files;
  for (const std::string& name : question.files) {
    const int descriptor =
        name == "-" ? STDIN_FILENO : ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status = {};
    if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
      const bool is_ours = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
      complain(name + ": " + std::strerror(errno), is_ours ? Status::Failure : Status::Usage);
    }
    if (S_ISDIR(status.st_mode)) complain(name + ": is a directory", Status::Usage);
    files.push_back({question.as.empty() ? name : question.as, descriptor});
  }
  return files;
}

/// To the end of the file, whatever its size was said to be; false when it cannot be read.
bool read_all(int descriptor, std::vector<std::uint8_t>& bytes) {
  struct stat status = {};
  constexpr std::size_t kPiece = 1 << 20;
  std::size_t done = 0;
  if (::fstat(descriptor, &status) == 0 && status.st_size > 0)
    bytes.reserve(static_cast<std::size_t>(status.st_size) + kPiece);
  for (;;) {
    bytes.resize(done + kPiece);
    const ssize_t count = ::read(descriptor, bytes.data() + done, kPiece);
    if (count < 0 && errno == EINTR) continue;
    if (count > 0) done += static_cast<std::size_t>(count);
    if (count <= 0) {
      bytes.resize(done);
      return count == 0;
    }
  }
}

LiefFacts lief_facts_of(const OpenFile& file) {
  std::vector<std::uint8_t> bytes;
  if (read_all(file.descriptor, bytes)) return hear(file.name, bytes);
  LiefFacts lief_facts;
  lief_facts.reader = reader_name();
  lief_facts.file = file.name;
  lief_facts.refusal = Refusal{Refusal::Kind::Damage, std::strerror(errno)};
  return lief_facts;
}

/// A descriptor for the answer alone: LIEF writes warnings to standard output.
int take_standard_output() {
  const int answers = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  // A root without /dev: to write into a directory fails, which is all the same here.
  if (nowhere < 0) nowhere = ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (answers < 0 || nowhere < 0) complain(std::strerror(errno), Status::Failure);
  ::dup2(nowhere, STDOUT_FILENO);
  return answers;
}

[[noreturn]] void answer(const Question& question) {
  const std::vector<OpenFile> files = open_all(question);
  const int answers = take_standard_output();
  std::set_new_handler([] { finish(Status::OutOfMemory); });
  if (const auto reason = confine(question.limits)) complain("cannot confine itself: " + *reason, Status::Failure);
  Status status = Status::Answered;
  for (const OpenFile& file : files) {
    const LiefFacts lief_facts = lief_facts_of(file);
    if (lief_facts.refusal) status = Status::Refused;
    write_answer(answers, to_line(lief_facts));
    ::close(file.descriptor);
  }
  // Destructors and handlers at exit do nothing for the answer.
  finish(status);
}

}  // namespace
}  // namespace soresolve::witness

int main(int argc, char** argv) {
  using namespace soresolve::witness;
  soresolve::output::hold_standard_descriptors();
  soresolve::output::outlive_file_size_limit();
  answer(read_arguments(std::vector<std::string>(argv + 1, argv + argc)));
}
