// soresolve bundle: what has to come along into another root.
#include "soresolve/bundle.h"

#include <string>

#include "base/text.h"
#include "report/page.h"
#include "soresolve/command_text.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

enum class BundleFormat : std::uint8_t { Text, List, Dockerfile, CpioList, Json };

class BundleInvocation final : public Invocation {
 public:
  OptionList options() override;
  std::vector<std::string>* plain_words() override { return &files_; }
  std::span<char* const> take_command(std::span<char* const> words) override;
  Exit run() override;

 private:
  [[nodiscard]] std::optional<Error> write_as(const BundleReport& report) const;

  WorldOptions world_;
  BundleFormat format_ = BundleFormat::Text;
  BundleStages stages_;
  std::string into_;
  std::string prefix_;
  std::string only_;
  DlopenLevel dlopen_ = DlopenLevel::Known;
  unsigned jobs_ = 1;
  std::vector<std::string> files_;
  CommandText words_;
};

/// All words are options and FILEs; they are kept to show how the same is asked in another format.
std::span<char* const> BundleInvocation::take_command(std::span<char* const> words) {
  for (const char* const word : words) words_ += " " + shell_word(word);
  return words;
}

std::optional<Error> BundleInvocation::write_as(const BundleReport& report) const {
  const WritePart write = [](std::string_view part) { write_out(Text::escaped_lines(part)); };
  switch (format_) {
    case BundleFormat::List: return write_bundle_list(report, write);
    case BundleFormat::Dockerfile: return write_bundle_dockerfile(report, stages_, write);
    case BundleFormat::CpioList: return write_bundle_cpio_list(report, write);
    default: return std::nullopt;
  }
}

Exit BundleInvocation::run() {
  if (const auto exit = complete_files(kBundle, world_, files_, typed())) return *exit;
  const bool is_of_process = world_.live.pid != 0 || !world_.live.core.empty();
  if (is_of_process || (!prefix_.empty() && !prefix_.starts_with('/'))) {
    return refuse_usage(
        "bundle", is_of_process ? Text("--pid and --core are about a process that has started already: name its files")
                                : Text("--prefix takes an absolute path, in the target"));
  }
  if (world_.has_layers) {
    return refuse_usage("bundle",
                        "the files of the container lie in several layers, not in one directory to copy from: "
                        "mount it (podman mount) or start it");
  }
  BundleOptions options;
  if (!into_.empty()) {
    Result<std::unique_ptr<FileSystem>> target = rooted_file_system(into_);
    if (!target) return report_error(target.error());
    options.target = std::move(target).value();
  }
  while (prefix_.size() > 1 && prefix_.ends_with('/')) prefix_.pop_back();
  options.prefix = prefix_;
  options.dlopens = only_.empty() ? dlopen_ : DlopenLevel::None;
  options.judges_cuda = only_.empty();
  options.environment = world_.start.env;
  options.jobs = jobs_;
  World world(settings_here(world_));
  const Result<Bundle> found = bundle(world, files_, options);
  if (!found) return report_error(found.error());
  const BundleReport report{*found, files_, world_.where.root, into_, words_};
  const Exit exit = found->works() ? Exit::Good : Exit::Problem;
  if (world_.json || format_ == BundleFormat::Json) {
    world_.json = true;
    write_document(document_of(report), world_);
    finish(exit);
  }
  if (format_ == BundleFormat::Text) {
    write_document(document_of(report, detail_of(world_)), world_);
    finish(exit);
  }
  // A list that is copied without being read must not be one that does not work.
  if (exit != Exit::Good) {
    TextOptions shown;
    shown.language = language_of(world_.language);
    shown.reader = TextOptions::Reader::Terminal;
    write_error(Text::escaped_lines(to_text(document_of(report), shown)));
    finish(exit);
  }
  if (const std::optional<Error> error = write_as(report)) return report_error(*error);
  finish(Exit::Good);
}

OptionList BundleInvocation::options() {
  OptionList list = {
      files_option(files_),
      {.names = {"--into"}, .value = "ROOT", .into = &into_},
      {.names = {"--prefix"}, .value = "DIR", .into = &prefix_},
      {.names = {"--format"},
       .value = "FORMAT",
       .into = one_of<BundleFormat>(format_, {{"text", BundleFormat::Text},
                                              {"list", BundleFormat::List},
                                              {"dockerfile", BundleFormat::Dockerfile},
                                              {"cpio-list", BundleFormat::CpioList},
                                              {"json", BundleFormat::Json}}),
       .choices = {"text", "list", "dockerfile", "cpio-list", "json"}},
      {.names = {"--stage"}, .value = "NAME", .into = &stages_.source},
      {.names = {"--from"}, .value = "NAME", .into = &stages_.base},
      only_option(only_),
      language_option(world_.language),
      dlopen_option(dlopen_),
      jobs_option(jobs_),
  };
  append(list, world_options(world_));
  return list;
}

}  // namespace

const Subcommand kBundle = {"bundle", invoke<BundleInvocation>};

}  // namespace soresolve::tool
