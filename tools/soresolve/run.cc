// soresolve run: a command as it is, and what its last messages mean when it dies of them.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/path.h"
#include "base/text.h"
#include "child_process/child_process.h"
#include "explanation.h"
#include "host/host.h"
#include "loader/process.h"
#include "report/page.h"
#include "run_unchanged.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

constexpr unsigned kLongestExplanationSeconds = 60;

constexpr Phrase kHeading = {"soresolve: what the messages above mean", "soresolve：以上消息的含义"};

/// Was it somebody's will that it ended? Its messages are not the reason then.
bool was_ended(int status) {
  constexpr int kShellBase = 128;  // how a shell reports the signal of a command
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - kShellBase;
  constexpr int kWishes[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};
  return std::find(std::begin(kWishes), std::end(kWishes), signal) != std::end(kWishes);
}

class RunInvocation final : public Invocation {
 public:
  OptionList options() override {
    return {
        {.names = {"COMMAND"}, .into = &command_},
        {.names = {"--no-analysis"}, .into = &without_analysis_},
        language_option(options_.language),
        colour_option(options_.colour),
        verbose_option(options_),
        trace_option(options_),
    };
  }

  std::span<char* const> take_command(std::span<char* const> words) override {
    std::size_t count = 0;
    while (count < words.size()) {
      const std::string_view word = words[count];
      if (word == "--" || !word.starts_with('-')) break;
      const bool has_value = word == "--lang" || word == "--color" || word == "--colour";
      count = std::min(words.size(), count + (has_value ? 2 : 1));
    }
    const bool is_marked = count < words.size() && std::string_view(words[count]) == "--";
    for (char* word : words.subspan(count + (is_marked ? 1 : 0))) words_.push_back(word);
    return words.first(count);
  }

  Exit run() override;

 private:
  void explain(const std::string& errors);

  WorldOptions options_;
  std::vector<std::string> command_;  ///< for --help: the words are taken before options are parsed
  std::vector<char*> words_;
  bool without_analysis_ = false;
};

/// The interpreter that has run, where the command is one of Python's or a script of it; empty: it is neither.
std::string python_of(const std::string& command) {
  const HostFacts host = read_host_facts();
  const Environment environment(child::environment_here());
  const std::unique_ptr<FileSystem> files = host_file_system();
  const auto started_at = [&](const std::string& path) -> std::string {
    const Result<StartedProgram> started = started_program(*files, environment, path, host.cwd);
    return started && file_name_of(started->path).starts_with("python") ? started->path : std::string();
  };
  if (command.find('/') != std::string::npos) return started_at(absolute_path(command, host.cwd));
  std::string_view list = environment.value("PATH").value_or("/bin:/usr/bin");
  while (!list.empty()) {
    const std::string path = path_in(absolute_path(list.substr(0, list.find(':')), host.cwd), command);
    list.remove_prefix(std::min(list.find(':'), list.size() - 1) + 1);
    const Result<FileStatus, Errno> status = files->status(path);
    if (status && status->kind == FileKind::Regular && (status->mode & 0111) != 0) return started_at(path);
  }
  return {};
}

void RunInvocation::explain(const std::string& errors) {
  const std::vector<Recognised> messages = recognise(errors);
  if (messages.empty()) return;
  ::dup2(STDERR_FILENO, STDOUT_FILENO);  // the answer stands where the messages stand
  write_error(errors.ends_with('\n') ? Text("\n") : Text("\n\n"));
  options_.process.python = python_of(words_.front());
  Page heading;
  heading.line(Words::phrase(kHeading));
  write_page(heading, options_);
  write_explanation(messages, options_, without_analysis_ ? Analysis::None : Analysis::OfFilesHere);
}

Exit RunInvocation::run() {
  if (words_.empty()) {
    return refuse_missing(kRun, "COMMAND is required");
  }
  words_.push_back(nullptr);
  const CommandEnd end = run_unchanged(words_.data());
  const bool is_good = WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0;
  if (!is_good && !was_ended(end.status) && !end.errors.empty()) {
    run_apart(kLongestExplanationSeconds, [&] { explain(end.errors); });
  }
  end_like(end.status);
}

}  // namespace

const Subcommand kRun = {"run", invoke<RunInvocation>};

}  // namespace soresolve::tool
