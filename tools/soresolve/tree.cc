// soresolve tree: the dependency tree.
#include "soresolve/report.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

Result<Output> tree_answer(WorldHere& world, const WorldOptions& options, const TreeOptions& tree_options,
                           DlopenLevel level, const std::string& file) {
  const bool has_attempts = options.json || !options.html.empty();
  const Result<Answer> answer = world.ask(
      {.file = file, .attempts = has_attempts ? Attempts::Record : Attempts::Discard, .look_for = LookFor::Libraries});
  if (!answer) return Unexpected{answer.error()};
  const Resolution* const run = answer->run();
  if (run == nullptr) return shown(*answer, {.as = View::As::Tree, .detail = detail_of(options)});
  const auto facts = std::make_shared<const Answer>(*answer);
  const Document document = document_of(TreeReport{run->map(), run->file(), run->dlopens(level)}, tree_options);
  return Output{run->map().first_fatal() != nullptr ? Exit::Problem : Exit::Good, document, document, facts};
}

/// What a process has loaded: nothing more is opened in the answer.
Result<Output> process_answer(WorldHere& world, const WorldOptions& options, const TreeOptions& tree_options) {
  Result<Resolution> run = world.resolve_running();
  if (!run) return Unexpected{std::move(run).error()};
  const auto facts = std::make_shared<const Resolution>(*std::move(run));
  report_notes(facts->map(), options);
  const Document document =
      document_of(TreeReport{facts->map(), facts->file(), facts->dlopens(DlopenLevel::None)}, tree_options);
  return Output{Exit::Good, document, document, facts};
}

class TreeInvocation final : public Invocation {
 public:
  OptionList options() override {
    OptionList list = {
        files_option(files_),
        {.names = {"-d", "--depth"}, .value = "N", .into = &tree_.max_depth},
        {.names = {"-p", "--path"}, .into = WhenGiven{[this] { tree_.show = TreeOptions::Show::Paths; }}},
        {.names = {"-a", "--all"}, .into = WhenGiven{[this] { tree_.seen = TreeOptions::Seen::Again; }}},
        dlopen_option(dlopen_),
    };
    list.push_back(language_option(options_.language));
    list.push_back(html_option(options_));
    append(list, driver_options(options_));
    append(list, world_options(options_));
    return list;
  }
  std::vector<std::string>* plain_words() override { return &files_; }

  Exit run() override {
    if (const auto exit = complete_files(kTree, options_, files_, typed())) return *exit;
    if (const auto exit = refuse_many_pages("tree", options_, files_.size())) return *exit;
    WorldHere world(options_);
    if (!options_.json) world.report_driver();
    if (is_about_process(options_, files_)) {
      finish(print(process_answer(world, options_, tree_), options_, page_title("tree", options_, {})).exit);
    }
    answer_each(files_, Headings::None, [&](const std::string& file) {
      return print(tree_answer(world, options_, tree_, dlopen_, file), options_, page_title("tree", options_, file));
    });
  }

 private:
  WorldOptions options_;
  TreeOptions tree_;
  DlopenLevel dlopen_ = DlopenLevel::Known;
  std::vector<std::string> files_;
};

}  // namespace

const Subcommand kTree = {"tree", invoke<TreeInvocation>};

}  // namespace soresolve::tool
