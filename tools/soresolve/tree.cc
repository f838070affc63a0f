// soresolve tree: the dependency tree.
#include "soresolve/report.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

template <class Done>
Exit answer(WorldHere& world, const WorldOptions& options, const TreeOptions& tree_options, DlopenLevel level,
            const std::string& file, Done done) {
  const Result<Resolution> run =
      world.resolve(file, {.attempts = options.json || !options.html.empty() ? Attempts::Record : Attempts::Discard,
                           .look_for = LookFor::Libraries});
  if (!run) {
    Exit written = Exit::Good;
    const Exit told =
        answer_failure(world, RefusalReport::Command::Tree, file, run.error(), [&](const RefusalReport& report) {
          const Document document = document_of(report, detail_of(options));
          written = write_html_file(document, options, page_title("tree", options, file));
          write_document(document, options);
        });
    return done(worse(told, written));
  }
  const LinkMap& map = run->map();
  const Dlopens& dlopens = run->dlopens(level);
  const Document document = document_of(TreeReport{map, run->file(), dlopens}, tree_options);
  const Exit written = write_html_file(document, options, page_title("tree", options, file));
  write_document(document, options);
  return done(worse(written, map.first_fatal() != nullptr ? Exit::Problem : Exit::Good));
}

}  // namespace

namespace {

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
    if (!options_.json) world.tell_driver();
    for_each_file(files_, Headings::None, [&](const std::string& file, auto done) {
      return answer(world, options_, tree_, dlopen_, file, done);
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
