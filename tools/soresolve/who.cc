// soresolve who: who needs a library or a symbol of a tree.
#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cuda/small_file.h"
#include "input.h"
#include "progress.h"
#include "soresolve/report.h"
#include "soresolve/who.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

/// Set by SIGINT: what is known by then is printed.
std::atomic<bool> is_ended = false;
extern "C" void end_search(int) { is_ended.store(true, std::memory_order_relaxed); }

constexpr int kEndedStatus = 128 + SIGINT;

constexpr Example kWhoExamples[] = {
    {"soresolve who libz.so.1 /opt/app",
     {"Which files need libz.so.1, which of them bind symbols of it, and what loads them.",
      "哪些文件需要 libz.so.1，其中哪些绑定了它的符号，又是谁把它们带进来的。"}},
    {"soresolve who libcudart.so.12 --root /srv/image",
     {"Two copies of one library: which process gets which.", "同一个库有两份：哪个进程得到哪一份。"}},
    {"soresolve who deflate /opt/app -v",
     {"Which definition of a symbol each process takes, and who refers to it.",
      "每个进程采用哪个定义，以及谁引用了这个符号。"}},
    {"soresolve who --unused --root /srv/image",
     {"Libraries that no program of an image loads, by package, with their bytes.",
      "镜像中没有程序加载的库，按软件包列出，附大小。"}},
};

/// A name with a slash is a path, unless it is one of C++ ("operator/(…)").
bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos && name.find("operator/") == std::string::npos;
}

class WhoInvocation final : public Invocation {
 public:
  OptionList options() override;
  Exit run() override;

 private:
  Result<WhoAnswer> answer(const Survey& survey, const SurveyOptions& options);
  Exit report(const WhoReport& report);
  Exit answer_from_file();
  Exit report_unknown(const WhoAnswer& answer) const;
  Exit report_what_is_unused(const Survey& survey, const SurveyOptions& options) const;

  WorldOptions world_;
  WhoOptions who_;
  DlopenLevel dlopen_ = DlopenLevel::Known;
  unsigned jobs_ = std::max(1u, std::thread::hardware_concurrency());
  bool is_quiet_ = false;
  bool by_needs_ = false;
  bool is_unused_ = false;
  std::string from_;
  std::string name_;
  std::vector<std::string> places_;
};

/// A library first: names of libraries and of symbols hardly ever meet.
Result<WhoAnswer> WhoInvocation::answer(const Survey& survey, const SurveyOptions& options) {
  WhoAnswer found = who_needs(survey, name_);
  if (found.copies.empty() && !is_path(name_) && !by_needs_) {
    Result<WhoAnswer> symbol = who_references(survey, name_, settings_here(world_), options);
    if (!symbol || symbol->is_defined) return symbol;
  }
  if (found.copies.empty() || by_needs_) return found;
  if (std::optional<Error> error = add_bindings(found, survey, settings_here(world_), options)) {
    return Unexpected{std::move(*error)};
  }
  return found;
}

Exit WhoInvocation::report(const WhoReport& report) {
  who_.detail = detail_of(world_);
  if (!is_quiet_) write_document(document_of(report, who_), world_);
  if (report.answer.is_interrupted) finish(static_cast<Exit>(kEndedStatus));
  finish(report.answer.needer_count() + report.answer.binder_count() == 0 ? Exit::Problem : Exit::Good);
}

/// The JSON Lines of a scan say who needs what, and nothing of symbols.
Exit WhoInvocation::answer_from_file() {
  if (is_unused_ || !places_.empty() || !world_.root.empty()) {
    return refuse_usage("who", "--from takes a NAME, no PLACE, no --root and no --unused");
  }
  std::error_code error;
  const std::unique_ptr<FileSystem> files = host_file_system();
  const std::string absolute = std::filesystem::absolute(from_, error).string();
  const Result<std::string> text = read_text_file(*files, absolute, from_);
  if (!text) return report_error(text.error());
  const Result<ReadSurvey> read = read_survey(*text, from_);
  if (!read) return report_error(read.error());
  const WhoAnswer answer = who_needs(read->survey, name_);
  if (answer.copies.empty()) return report_unknown(answer);
  return report({read->survey, answer, read->root});
}

Exit WhoInvocation::report_unknown(const WhoAnswer& answer) const {
  std::string near;
  for (const std::string& name : answer.near) near += (near.empty() ? "; similar names: " : ", ") + name;
  return report_error(Error{ErrorCode::NotFound, name_, {}, "no library, file or symbol of this name is here" + near});
}

Exit WhoInvocation::report_what_is_unused(const Survey& survey, const SurveyOptions& options) const {
  const Result<Unused> unused = find_unused(survey, settings_here(world_), options);
  if (!unused) return report_error(unused.error());
  const UnusedReport report{survey, *unused, world_.root.empty() ? "/" : world_.root};
  if (!is_quiet_) write_document(document_of(report, detail_of(world_)), world_);
  if (unused->is_interrupted) finish(static_cast<Exit>(kEndedStatus));
  finish(unused->files.empty() ? Exit::Good : Exit::Problem);
}

Exit WhoInvocation::run() {
  if (is_unused_ && !name_.empty()) places_.insert(places_.begin(), std::exchange(name_, {}));
  if (!is_unused_ && name_.empty()) {
    return refuse_missing(kWho, "NAME is required");
  }
  if (!from_.empty()) return answer_from_file();
  if (places_.empty() && world_.root.empty()) {
    return refuse_missing(kWho, "PLACE or --root is required");
  }
  WorldHere world(world_);
  std::vector<std::string> places;
  for (const std::string& place : places_) {
    Result<std::string> path = world.absolute(place);
    if (!path) return report_error(path.error());
    places.push_back(std::move(path).value());
  }
  if (is_path(name_)) {
    const Result<std::string> path = world.absolute(name_);
    if (!path) return report_error(path.error());
    const Result<std::shared_ptr<const FileSystem>> files = world.files();
    if (!files) return report_error(files.error());
    const Result<std::string, Errno> real = (*files)->real_path(*path);
    name_ = real ? *real : *path;
  }
  std::signal(SIGINT, end_search);
  SurveyOptions options;
  options.jobs = jobs_;
  options.dlopens = dlopen_;
  options.looks_for = SurveyLooksFor::Edges;
  options.stop = &is_ended;
  SurveyBar bar;
  options.progress = [&bar](const SurveyProgress& now) { bar.show(now); };
  const Result<Survey> found = survey(settings_here(world_), places, options);
  bar.clear();
  options.progress = {};
  if (!found) return report_error(found.error());
  if (is_unused_) return report_what_is_unused(*found, options);
  const Result<WhoAnswer> known = answer(*found, options);
  if (!known) return report_error(known.error());
  if (known->copies.empty() && !known->is_defined) return report_unknown(*known);
  return report({*found, *known, world_.root.empty() ? "/" : world_.root});
}

OptionList WhoInvocation::options() {
  OptionList list = {
      {.names = {"NAME"},
       .into = &name_,
       .description = {"a SONAME, the name of a file, a path, or a symbol: NAME, NAME@VERSION, or a C++ name as it is "
                       "written in a source",
                       "SONAME、文件名、路径，或者符号：NAME、NAME@VERSION，或源代码中写法的 C++ 名字"}},
      {.names = {"PLACE"},
       .into = &places_,
       .description = {"directories and files to look through; with --root all of it, if none is named",
                       "要查看的目录和文件；有 --root 而不指定时查看其中全部"}},
      {.names = {"-d", "--depth"},
       .value = "N",
       .into = &who_.max_depth,
       .description = {"show at most N levels of needers", "最多显示 N 层"}},
      {.names = {"--by-needs"},
       .into = &by_needs_,
       .description = {"do not look at symbols: who lists it in DT_NEEDED or opens it",
                       "不看符号：只看谁在 DT_NEEDED 中列出它或打开它"}},
      {.names = {"--from"},
       .value = "FILE",
       .into = own_file(from_),
       .description = {"answer from the JSON Lines that scan --json has written, without a look at other files: by "
                       "needs, as with --by-needs",
                       "根据 scan --json 写出的 JSON Lines 回答，不查看其他文件：只看依赖，同 --by-needs"}},
      {.names = {"--unused"},
       .into = &is_unused_,
       .description =
           {"instead of NAME: libraries that no program below PLACE loads, their bytes, and how far anything "
            "names them",
            "不指定 NAME：PLACE 下没有程序加载的库、它们的大小，以及有什么内容提到它们"}},
      {.names = {"-q", "--quiet"},
       .into = &is_quiet_,
       .description = {"print nothing; only the exit status: 0 somebody needs it, 1 nobody does",
                       "不输出任何内容，只给退出状态：0 有文件需要它，1 没有"}},
      language_option(world_.language),
      dlopen_option(dlopen_),
      jobs_option(jobs_),
  };
  append(list, place_options(world_));
  return list;
}

}  // namespace

const Subcommand kWho = {
    "who",
    {"who needs a library or a symbol of a tree, and through whom", "目录树中谁需要某个库或符号，经由谁"},
    {"Walks every program and module below PLACE as its process loads it, and shows who needs NAME: an inverted tree, "
     "each file once ('*': shown above), with what each direct needer binds of it. A library that is listed in "
     "DT_NEEDED and of which no symbol is bound is named as such. Of a symbol: the definition that each process takes, "
     "and who refers to it. Exit status 1 if nobody needs it, 2 if the name is unknown here.",
     "按各自进程的加载方式走一遍 PLACE 下的每个程序和模块，显示谁需要 NAME：一棵倒置的树，每个文件只出现一次"
     "（“*”表示上面已显示），并给出每个直接依赖者绑定了它的哪些内容。只在 DT_NEEDED 中列出而没有绑定符号的会标明。"
     "对于符号：每个进程采用的定义，以及谁引用了它。没有文件需要它时退出状态为 1，这里没有这个名字时为 2。"},
    kWhoExamples,
    invoke<WhoInvocation>};

}  // namespace soresolve::tool
