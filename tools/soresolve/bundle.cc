// soresolve bundle: what has to come along into another root.
#include "soresolve/bundle.h"

#include <string>

#include "base/text.h"
#include "soresolve/command_text.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

enum class BundleFormat : std::uint8_t { Text, List, Dockerfile, CpioList, Json };

constexpr Example kBundleExamples[] = {
    {"soresolve bundle /usr/bin/curl",
     {"What does a minimal image need, so that curl starts?", "最小镜像需要哪些文件，curl 才能启动？"}},
    {"soresolve bundle /opt/app/bin/serve --into /srv/image",
     {"The same into a root that has some of it: only what is missing, tried there.",
      "带到已有部分内容的根目录：只列出缺少的，并在那里试过。"}},
    {"soresolve bundle /usr/bin/python3 --format dockerfile",
     {"A stage with COPY lines.", "带 COPY 行的 Dockerfile 阶段。"}},
    {"soresolve bundle /bin/busybox /sbin/cryptsetup --format cpio-list",
     {"A list for the kernel's gen_init_cpio.", "供内核的 gen_init_cpio 使用的列表。"}},
};

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
  const bool is_of_process = world_.pid != 0 || !world_.core.empty();
  if (is_of_process || (!prefix_.empty() && !prefix_.starts_with('/'))) {
    return refuse_usage(
        "bundle", is_of_process ? Text("--pid and --core are about a process that has started already: name its files")
                                : Text("--prefix takes an absolute path, in the target"));
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
  options.environment = world_.env;
  options.jobs = jobs_;
  World world(settings_here(world_));
  const Result<Bundle> found = bundle(world, files_, options);
  if (!found) return report_error(found.error());
  const BundleReport report{*found, files_, world_.root, into_, words_};
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
  constexpr Phrase group = {"The target", "目标"};
  OptionList list = {
      files_option(files_, {"programs, libraries, modules and scripts", "程序、共享库、模块和脚本"}),
      {.names = {"--into"},
       .value = "ROOT",
       .into = &into_,
       .description = {"the root that FILE is to work in (default: an empty one); what it has is left out",
                       "FILE 要在其中工作的根目录（默认为空的根目录）；那里已有的不再列出"},
       .group = group},
      {.names = {"--prefix"},
       .value = "DIR",
       .into = &prefix_,
       .description = {"put libraries in DIR of the target instead of at their own paths",
                       "把库放到目标的 DIR，而不是各自原来的路径"},
       .group = group},
      {.names = {"--format"},
       .value = "FORMAT",
       .into = one_of<BundleFormat>(format_, {{"text", BundleFormat::Text},
                                              {"list", BundleFormat::List},
                                              {"dockerfile", BundleFormat::Dockerfile},
                                              {"cpio-list", BundleFormat::CpioList},
                                              {"json", BundleFormat::Json}}),
       .description = {"text, list (paths for tar --no-recursion -T -), dockerfile (COPY lines), cpio-list (for "
                       "gen_init_cpio) or json; nothing but text and json is written where FILE does not work",
                       "text、list（供 tar --no-recursion -T - 使用的路径）、dockerfile（COPY 行）、cpio-list（供 "
                       "gen_init_cpio 使用）或 json；FILE 不能工作时只有 text 和 json 有输出"},
       .choices = {"text", "list", "dockerfile", "cpio-list", "json"},
       .group = group},
      {.names = {"--stage"},
       .value = "NAME",
       .into = &stages_.source,
       .description = {"the stage or image of a Dockerfile that has the files (default: build)",
                       "Dockerfile 中含有这些文件的阶段或镜像（默认 build）"},
       .group = group},
      {.names = {"--from"},
       .value = "NAME",
       .into = &stages_.base,
       .description = {"the image of a Dockerfile that gets them (default: scratch; with --into, base)",
                       "Dockerfile 中接收这些文件的镜像（默认 scratch；有 --into 时为 base）"},
       .group = group},
      only_option(only_),
      language_option(world_.language),
      dlopen_option(dlopen_),
      jobs_option(jobs_),
  };
  append(list, world_options(world_));
  return list;
}

}  // namespace

const Subcommand kBundle = {
    "bundle",
    {"what has to come along so that FILE works in another root", "要让 FILE 在另一个根目录中工作，需要带上哪些文件"},
    {"Lists the files and links that FILE needs in the target and that the target does not have: the interpreter, the "
     "loader, libraries, what is opened later. They are laid over the target in memory, and the verdict is that of "
     "check in there. Nothing is written.",
     "列出 FILE 在目标中需要、而目标没有的文件和链接：解释器、动态链接器、库，以及之后才打开的库。"
     "所列内容在内存中叠加到目标上，结论就是在那里运行 check 的结论。不写入任何文件。"},
    kBundleExamples,
    invoke<BundleInvocation>};

}  // namespace soresolve::tool
