// soresolve inspect: ELF metadata of a file, read by LIEF in soresolve-witness; for PE and Mach-O what the file is.
// Page in inspect_page.cc, JSON in inspect_json.cc.
#include "input.h"
#include "inspect_report.h"
#include "subcommand.h"
#include "witness_run.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

struct OpenedFile {
  std::unique_ptr<File> file;
  std::string path;  ///< as given, or where the name was found
};

/// A file of any kind, or a library name as dlopen would resolve it.
Result<OpenedFile> open_file(WorldHere& opener, const std::string& name) {
  const Result<std::shared_ptr<const FileSystem>> files = opener.files();
  if (!files) return Unexpected{files.error()};
  if (name.find('/') == std::string::npos && !opener.has_file(name)) {
    Result<OpenedLibrary> library = opener.open_library(name);
    if (!library) return Unexpected{std::move(library).error()};
    return OpenedFile{std::move(library->object.file), library->path};
  }
  const Result<std::string> path = opener.absolute(name);
  if (!path) return Unexpected{path.error()};
  Result<std::unique_ptr<File>, Errno> file = (*files)->open(*path);
  if (!file)
    return Unexpected{Error{ErrorCode::Unreadable, name, {}, errno_text(file.error(), ErrnoText::FromDlerror)}};
  if ((*file)->status().kind != FileKind::Regular)
    return Unexpected{Error{ErrorCode::Unreadable, name, {}, "is not a regular file"}};
  return OpenedFile{std::move(file).value(), name};
}

Exit inspect(WorldHere& opener, const std::string& name, const WorldOptions& options, const WitnessLimits& limits) {
  const Result<OpenedFile> opened = open_file(opener, name);
  if (!opened) return report_error(opened.error());
  const Result<witness::LiefFacts> lief_facts = ask_witness(*opened->file, opened->path, limits);
  if (!lief_facts) {
    report_error(lief_facts.error());
    return exit_without_facts(lief_facts.error());
  }
  if (lief_facts->refusal) {
    return report_error({ErrorCode::Malformed,
                         opened->path,
                         {},
                         "the witness (" + lief_facts->reader + ") does not read it: " + lief_facts->refusal->reason});
  }
  write_document(inspect_document(*lief_facts, detail_of(options)), options);
  return lief_facts->foreign ? Exit::Problem : Exit::Good;
}

}  // namespace

namespace {

class InspectInvocation final : public Invocation {
 public:
  OptionList options() override {
    OptionList list = {{.names = {"FILE"}, .into = &files_, .presence = Presence::Required}};
    append(list, witness_options(limits_));
    append(list, place_options(options_));
    list.push_back(language_option(options_.language));
    return list;
  }

  Exit run() override {
    if (const auto exit = name_input(kInspect, options_, files_)) return *exit;
    WorldHere opener(options_);
    Exit status = Exit::Good;
    for (const std::string& file : files_) status = worse(status, inspect(opener, file, options_, limits_));
    return status;
  }

 private:
  WorldOptions options_;
  WitnessLimits limits_;
  std::vector<std::string> files_;
};

}  // namespace

const Subcommand kInspect = {"inspect", invoke<InspectInvocation>};

}  // namespace soresolve::tool
