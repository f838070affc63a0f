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
      world.resolve(file, {.attempts = options.json || !options.html.empty() ? Attempts::Record : Attempts::Forget,
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

constexpr Example kTreeExamples[] = {
    {"soresolve tree /usr/bin/python3",
     {"What is loaded, and by which rule each library is found.", "加载了哪些库，每个库是按哪条规则找到的。"}},
    {"soresolve tree --depth 1 --path _C.so",
     {"Only what the file itself needs, with paths.", "只看文件直接依赖的库，并显示路径。"}},
};

class TreeInvocation final : public Invocation {
 public:
  OptionList options() override {
    OptionList list = {
        files_option(files_, {"programs, libraries, or library names to dlopen", "程序、共享库，或交给 dlopen 的库名"}),
        {.names = {"-d", "--depth"},
         .value = "N",
         .into = &tree_.max_depth,
         .description = {"show at most N levels", "最多显示 N 层"}},
        {.names = {"-p", "--path"},
         .into = WhenGiven{[this] { tree_.show = TreeOptions::Show::Paths; }},
         .description = {"show paths instead of names", "显示路径而不是名字"}},
        {.names = {"-a", "--all"},
         .into = WhenGiven{[this] { tree_.seen = TreeOptions::Seen::Again; }},
         .description = {"repeat the subtree of a library that was shown before", "已经显示过的库，其子树也重复显示"}},
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

const Subcommand kTree = {
    "tree",
    {"the dependency tree, each edge labelled with how it was found", "依赖树，每条边标明库是怎样找到的"},
    {"The dependency tree. Each edge says how the library was found; 'fragile' marks one "
     "that works only because another object brought the library in before.",
     "依赖树。每条边说明库是怎样找到的；标有“脆弱”（fragile）的边，只是因为别的对象先加载了这个库才能用。"},
    kTreeExamples,
    invoke<TreeInvocation>};

}  // namespace soresolve::tool
