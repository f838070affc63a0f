// soresolve snapshot: what decides on this machine, in one file that is a root.
//
// The usual questions are asked with a recorder between them and the files: whatever answers them is in. What asks is
// what the other subcommands are made of, so that nothing has to be listed here that they read.
#include <sys/utsname.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "base/enum_names.h"
#include "base/parallel.h"
#include "cuda/contracts.h"
#include "cuda/cuda_library.h"
#include "input.h"
#include "loader/process.h"
#include "loader/system.h"
#include "packages/package_owner.h"
#include "place/snapshot.h"
#include "place/snapshot_data.h"
#include "place/snapshot_pieces.h"
#include "place/snapshot_recorder.h"
#include "progress.h"
#include "report/page.h"
#include "result_file.h"
#include "soresolve/doctor.h"
#include "soresolve/place.h"
#include "soresolve/report.h"
#include "soresolve/survey.h"
#include "subcommand.h"
#include "world/enter_place.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

/// Asks what the subcommands ask; the answers do not matter.
class Questions {
 public:
  /// `unrecorded`: the same files, for a look that need not be in the snapshot.
  Questions(const WorldOptions& options, const FileSystem& unrecorded, unsigned jobs)
      : options_(options), unrecorded_(unrecorded), jobs_(jobs) {}

  /// Errors: none of the trees can be looked at.
  std::optional<Error> about_trees(const std::vector<std::string>& trees) const {
    SurveyOptions survey_options;
    survey_options.jobs = jobs_;
    SurveyBar bar;
    survey_options.progress = [&bar](const SurveyProgress& now) { bar.show(now); };
    const Result<Survey> found = survey(options_, trees, survey_options);
    bar.clear();
    if (!found) return found.error();
    for_each_index(found->files.size(), jobs_, [&](unsigned, std::size_t i) {
      const std::string& path = found->files[i].path;
      const Result<std::unique_ptr<File>, Errno> unrecorded = unrecorded_.open(path);
      if (!unrecorded || !has_gpu_section(**unrecorded)) return;
      const Result<std::unique_ptr<File>, Errno> opened = options_.where.files->open(path);
      if (opened) look_for_gpu_code(**opened, path);
    });
    return std::nullopt;
  }

  void about_file(const std::string& file) const {
    WorldHere world(options_);
    if (const Result<std::string> path = world.absolute(file)) {
      const Result<std::unique_ptr<File>, Errno> opened = options_.where.files->open(*path);
      if (opened && (*opened)->status().kind == FileKind::Regular) look_for_gpu_code(**opened, *path);
    }
    if (const Result<Answer> answer = world.ask({.file = file, .attempts = Attempts::Record})) {
      if (!answer->unreadable()) static_cast<void>(view(*answer, {.as = View::As::Check}).page());
      static_cast<void>(view(*answer, {.as = View::As::Why}).page());
    }
    static_cast<void>(world.open_library(file));
    about_process(world, file, options_.process);
  }

  /// The process of a dump: how its program starts, and what it had loaded. Returns the program.
  /// Errors: as World::resolve_running(), but for a static one, in which nothing was loaded.
  Result<std::string> about_dump() const {
    about_file({});
    SurveyOptions survey_options;
    survey_options.jobs = jobs_;
    static_cast<void>(survey_process(options_, survey_options));
    WorldHere world(options_);
    const Result<Resolution> run = world.resolve_running();
    if (!run && run.error().code == ErrorCode::NotDynamic) return run.error().path;
    if (!run) return Unexpected{run.error()};
    static_cast<void>(document_of(LddReport{run->map(), run->file()}).page());
    return run->file();
  }

  /// What a program can see of the driver and of GPUs.
  void about_driver() const {
    DoctorOptions doctor;
    for (const std::string& entry : options_.start.inherited) doctor.environment.add(entry);
    doctor.contracts = built_in_contracts();
    doctor.only = {"platform", "device-nodes", "kernel-module", "gpus", "driver", "environment", "library-path"};
    static_cast<void>(examine_machine(options_, doctor));
  }

  /// What a container on this machine gets of its driver, so that --driver takes the snapshot for the host.
  void about_host() const {
    WorldSettings container;
    container.where.files = std::make_shared<MemoryFileSystem>();
    container.driver.files = options_.where.files;
    static_cast<void>(World(container).files());
  }

  void about_machine() const {
    // Some of it is read only when it is rendered.
    if (const Result<Output> doctor = doctor_answer(options_)) static_cast<void>(doctor->document.page());
    WorldHere world(options_);
    for (const std::string_view module : {"torch", "tensorflow", "jax", "cupy"}) {
      ProcessSettings process = options_.process;
      process.asked_as = AskedAs::Import;
      about_process(world, std::string(module), process);
    }
  }

 private:
  void about_process(WorldHere& world, const std::string& file, const ProcessSettings& process) const {
    ResolveOptions resolve;
    resolve.process = process;
    resolve.attempts = Attempts::Record;
    resolve.jobs = jobs_;
    const Result<Resolution> run = world.resolve(file, resolve);
    if (!run) return;
    static_cast<void>(run->check());
    static_cast<void>(run->bindings());
    static_cast<void>(run->checked_dlopens(DlopenLevel::Known));
    static_cast<void>(run->checked_dlopens(DlopenLevel::Strings));
    const std::shared_ptr<const PackageOwners> owners = world.owners();
    const LinkMap& map = run->map();
    for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
      const std::string path = i == 0 ? map.main_path : std::string(map.objects[i].path);
      if (path.empty()) continue;
      const std::string absolute = absolute_path(path, run->process().cwd);
      if (owners) static_cast<void>(owners->owner_of(absolute));
      const FileSystem& files = *run->system().files;
      const Result<std::unique_ptr<File>, Errno> opened = files.open(absolute);
      if (!opened) continue;
      look_for_gpu_code(**opened, absolute);
    }
  }

  void look_for_gpu_code(const File& file, const std::string& path) const {
    static_cast<void>(read_gpu_code(file, path));
    static_cast<void>(identify_cuda_library(*options_.where.files, path, file, contracts_.cuda));
  }

  const WorldOptions& options_;
  const FileSystem& unrecorded_;
  unsigned jobs_;
  GpuContracts contracts_ = built_in_contracts();
};

class SnapshotInvocation final : public Invocation {
 public:
  OptionList options() override;
  Exit run() override;

 private:
  [[nodiscard]] Exit show() const;
  Exit record();
  Result<SnapshotData> make();
  void show_text(const Place& place) const;
  static void show_json(const Place& place);
  [[nodiscard]] std::vector<std::string> default_trees(const FileSystem& files) const;

  WorldOptions options_;
  std::vector<std::string> places_;
  std::string output_;
  std::string shown_;
  bool has_all_environment_ = false;
  bool is_redacted_ = false;
  int level_ = 0;  ///< 0: by the size
  unsigned jobs_ = std::max(1u, std::thread::hardware_concurrency());
};

OptionList SnapshotInvocation::options() {
  OptionList list = {
      {.names = {"PLACE"}, .into = &places_},
      {.names = {"-o", "--output"}, .value = "FILE", .into = &output_},
      {.names = {"--show"}, .value = "FILE", .into = own_file(shown_)},
      {.names = {"--redact"}, .into = &is_redacted_},
      {.names = {"--all-env"}, .into = &has_all_environment_},
      {.names = {"--level"}, .value = "N", .into = &level_, .range = ValueRange{1, 22}},
      jobs_option(jobs_),
  };
  list.push_back(language_option(options_.language));
  append(list, world_options(options_));
  return list;
}

Exit SnapshotInvocation::run() {
  if (!shown_.empty()) return show();
  if (output_.empty()) {
    return refuse_usage("snapshot", "-o FILE is required (- for standard output)");
  }
  if (options_.live.pid != 0) {
    write_error("soresolve snapshot: --pid: a running process cannot be recorded; name its program\n");
    return Exit::Usage;
  }
  return record();
}

std::vector<std::string> SnapshotInvocation::default_trees(const FileSystem& files) const {
  if (!options_.where.root.empty()) return {"/"};
  std::vector<std::string> trees;
  for (const std::string tree : {"/usr", "/opt"}) {
    if (files.status(tree)) trees.push_back(tree);
  }
  return trees;
}

Result<SnapshotData> SnapshotInvocation::make() {
  WorldOptions asked = options_;
  static_cast<WorldSettings&>(asked) = settings_here(options_);
  World base(asked);
  const Result<std::shared_ptr<const FileSystem>> files = base.files();
  if (!files) return Unexpected{files.error()};
  std::vector<std::string> trees, single;
  for (const std::string& place : places_) {
    const std::string path = base.absolute(place);
    const Result<FileStatus, Errno> status = (*files)->status(path);
    const bool is_name = place.find('/') == std::string::npos;
    if (!status && !is_name && options_.process.asked_as == AskedAs::File) {
      return Unexpected{Error{ErrorCode::NotFound, place, {}, errno_text(status.error(), ErrnoText::FromDlerror)}};
    }
    const bool is_tree = status && status->kind == FileKind::Directory;
    (is_tree ? trees : single).push_back(is_tree ? path : place);
  }
  const bool is_of_dump = !options_.live.core.empty() && places_.empty() && options_.import_module.empty();
  if (places_.empty() && options_.import_module.empty() && !is_of_dump) trees = default_trees(**files);
  const SnapshotRecorder recorder(*files);
  asked.where.has_mounts = asked.where.is_recorded ? asked.where.has_mounts : asked.where.root.empty();
  asked.where.is_recorded = true;
  asked.where.files = recorder.files();
  asked.driver = {};  // the driver lies over the files already
  if (!asked.start.inherits()) {
    // What was given is what is recorded.
    asked.start.inherited = std::exchange(asked.start.env, {});
    asked.start.clean_env = false;
  } else if (!has_all_environment_) {
    std::erase_if(asked.start.inherited, [](const std::string& entry) { return !is_recorded_variable(entry); });
  }
  const Questions questions(asked, recorder.unrecorded_files(), jobs_);
  if (!trees.empty()) {
    if (const std::optional<Error> error = questions.about_trees(trees)) return Unexpected{*error};
  }
  for (const std::string& file : single) questions.about_file(file);
  if (!options_.import_module.empty()) questions.about_file(options_.import_module);
  if (is_of_dump) {
    Result<std::string> program = questions.about_dump();
    if (!program) return Unexpected{std::move(program).error()};
    single.push_back(*std::move(program));
  }
  questions.about_host();
  if (trees.empty())
    questions.about_driver();
  else
    questions.about_machine();
  MachineFacts machine = machine_facts(asked);
  machine.trees = trees;
  machine.trees.insert(machine.trees.end(), single.begin(), single.end());
  return recorder.finish(std::move(machine), jobs_);
}

Exit SnapshotInvocation::record() {
  Result<SnapshotData> data = make();
  if (!data) return report_error(data.error());
  if (is_redacted_) {
    utsname system{};
    redact(*data, ::uname(&system) == 0 ? std::vector<std::string>{system.nodename} : std::vector<std::string>());
  }
  const std::optional<int> level = level_ == 0 ? std::nullopt : std::optional(level_);
  const Result<std::string> bytes = write_snapshot(std::move(data).value(), level, jobs_);
  if (!bytes) return report_error(bytes.error());
  // Of a snapshot as root: what that does not hold, the new one does not hold either. It is made all the same.
  report_unrecorded();
  if (output_ == "-") {
    write_json(*bytes);
    return Exit::Good;
  }
  const std::optional<Error> error =
      write_result_file(output_, [&](const std::function<void(std::string_view)>& write) { write(*bytes); });
  if (!error) return Exit::Good;
  report_error(*error);
  return Exit::Failure;
}

std::string_view word_for(SnapshotEntry::Kind kind) {
  using enum SnapshotEntry::Kind;
  static constexpr auto kNames = enum_names<SnapshotEntry::Kind>({{Absent, "absent"},
                                                                  {Refused, "refused"},
                                                                  {Named, "named"},
                                                                  {Link, "link"},
                                                                  {Directory, "directory"},
                                                                  {File, "file"},
                                                                  {Special, "special"}});
  return kNames[kind];
}

void SnapshotInvocation::show_text(const Place& place) const {
  const bool is_english = language_of(options_.language) == Language::English;
  const auto* const files = dynamic_cast<const SnapshotFiles*>(place.files.get());
  const MachineFacts& machine = *place.machine;
  const auto line = [&](const Phrase& label, const std::string& value) {
    write_out(Text::escaped((is_english ? label.en : label.zh)) + ": " + Text::escaped(value) + "\n");
  };
  line({"made by", "生成者"}, "soresolve " + machine.made_by);
  for (const std::string& tree : machine.trees) line({"of", "内容"}, tree);
  if (!machine.root.empty()) line({"root", "根目录"}, machine.root);
  line({"kernel", "内核"}, machine.kernel_release);
  line({"directory", "当前目录"}, machine.cwd);
  line({"user", "用户"}, machine.user.name.empty() ? std::to_string(machine.user.uid) : machine.user.name);
  for (const std::string& entry : machine.env) line({"environment", "环境变量"}, entry);
  line({"bytes of files", "文件内容字节数"}, std::to_string(files->held_bytes()));
  for (const SnapshotEntry& entry : files->entries()) {
    std::string text = std::string(word_for(entry.kind)) + " " + entry.path;
    if (entry.kind == SnapshotEntry::Kind::Link) text += " -> " + entry.target;
    if (entry.kind == SnapshotEntry::Kind::File)
      text += " " + std::to_string(entry.held_bytes) + "/" + std::to_string(entry.size_bytes);
    if (entry.is_complete) text += " *";
    write_out(Text::escaped(text) + "\n");
  }
}

void SnapshotInvocation::show_json(const Place& place) {
  using Json = nlohmann::ordered_json;
  const auto* const files = dynamic_cast<const SnapshotFiles*>(place.files.get());
  const MachineFacts& machine = *place.machine;
  Json json = {{"schema", "soresolve-snapshot/1"},
               {"made_by", machine.made_by},
               {"of", machine.trees},
               {"root", machine.root},
               {"kernel", machine.kernel_release},
               {"cwd", machine.cwd},
               {"user", machine.user.uid},
               {"env", machine.env},
               {"held_bytes", files->held_bytes()},
               {"paths", Json::array()}};
  for (const SnapshotEntry& entry : files->entries()) {
    Json one = {{"path", entry.path}, {"kind", word_for(entry.kind)}};
    if (entry.kind == SnapshotEntry::Kind::Link) one["target"] = entry.target;
    if (entry.kind == SnapshotEntry::Kind::File) {
      one["bytes"] = entry.size_bytes;
      one["held"] = entry.held_bytes;
      if (!entry.content.empty()) one["content"] = entry.content;
    }
    if (entry.is_complete) one["complete"] = true;
    json["paths"].push_back(std::move(one));
  }
  write_json(json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Exit SnapshotInvocation::show() const {
  Result<std::unique_ptr<File>, Errno> file = host_file_system()->open(shown_);
  if (!file) return report_error({ErrorCode::Unreadable, shown_, {}, errno_text(file.error(), ErrnoText::FromDlerror)});
  const Result<Place> place = read_snapshot(std::move(file).value(), shown_);
  if (!place) return report_error(place.error());
  if (options_.json)
    show_json(*place);
  else
    show_text(*place);
  return Exit::Good;
}

}  // namespace

const Subcommand kSnapshot = {"snapshot", invoke<SnapshotInvocation>};

}  // namespace soresolve::tool
