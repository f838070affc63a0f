// What World is made of: the settings as they were read, what questions share, and the steps from a word of the command
// line to what load() wants. world_settings.cc reads settings, world_process.cc decides whose process it is,
// world_live.cc takes a running one over, world.cc answers, world_log.cc says what an answer stands on.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/driver_mount.h"
#include "loader/live_process.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "python/interpreter.h"
#include "soresolve/world.h"
#include "world/neighbourhood.h"
#include "world/refusal.h"
#include "world/whose_process.h"

namespace soresolve {

/// What was asked for cannot be.
Error usage_error(std::string message);
bool does_start(const LinkMap& alone);
/// Of an environment: what the loader reads, and what tells where the interpreters are.
bool is_of_interest(std::string_view entry);

/// PATH of a container whose image sets none.
inline constexpr std::string_view kContainerPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The settings as they were read, and what questions share.
struct World::State {
  explicit State(WorldSettings settings) : settings_(std::move(settings)) {}

  Result<Resolution> resolve(const std::string& file, const ResolveOptions& options);
  Result<Resolution> resolve_running(const ResolveOptions& options);
  Result<std::shared_ptr<const System>> system();
  Result<OpenedLibrary> open_library(const std::string& name, std::optional<BareName> bare_name);
  bool has_file(const std::string& name);
  Result<std::shared_ptr<const FileSystem>> files();
  /// Of files_, which has been set.
  const std::shared_ptr<const PackageOwners>& owners();

  std::optional<Error> read_settings();
  std::optional<Error> prepare_files();
  std::optional<Error> prepare_user();
  std::optional<Error> prepare_live();
  Result<std::vector<std::string>> entry_points();
  [[nodiscard]] std::optional<std::string> program_in_path(const std::string& name) const;
  std::optional<Error> prepare_dump();
  std::optional<Error> prepare_environment();
  std::optional<Error> prepare_driver();
  Result<std::shared_ptr<const System>> system_for(const std::string& loader_path, const User& user);
  /// What load() wants for one file.
  struct Prepared;
  Result<Prepared> prepare(const std::string& file);
  Result<Prepared> prepare_library_name(const std::string& name);
  /// What a word of the command line means: a file of the analysed world, or a library name.
  struct Target {
    std::string name;                                       ///< inside the root
    std::optional<OpenedObject> opened;                     ///< none: it is no file here
    std::optional<Environment> environment = std::nullopt;  ///< if a script has changed it
    std::string argv0 = {};                                 ///< of the interpreter of a script; empty: the word
  };
  Result<Target> find_target(const std::string& file);
  Result<Prepared> prepare_alone(const std::string& file, Target target);
  Result<Prepared> prepare_in_process(Target target, const AssumedProgram& program);
  Result<AssumedProgram> choose_program(const Target& target);
  Result<Resolution> walk(Prepared prepared, const std::string& file, const ResolveOptions& options);
  Lacks lacks_in(const AssumedProgram& process, const std::string& file, const Lacks& alone);
  std::optional<Result<Resolution>> resolve_without_rpath(const Resolution& run, const std::string& file,
                                                          const ResolveOptions& options);
  std::optional<Result<Resolution>> resolve_where_it_belongs(const Resolution& alone, const std::string& file,
                                                             const ResolveOptions& options);
  Result<Prepared> prepare_import(const std::string& module, ImportExtent extent);
  [[nodiscard]] Result<std::string> named_interpreter() const;
  Result<AssumedProgram> choose_interpreter();
  [[nodiscard]] PythonChoice python_choice() const;
  void add_imported_before(AssumedProgram& program, const std::string& file, const ElfObject& object);
  [[nodiscard]] std::optional<Refused> refusal_of_file(const OpenedObject& file, const std::string& name,
                                                       const std::string& interpreter) const;
  Result<std::shared_ptr<const System>> musl_that_lists(const ElfObject& object, const std::string& interpreter);
  [[nodiscard]] std::optional<Refused> refusal_of_reading(const std::string& name) const;
  [[nodiscard]] std::optional<Refused> refusal_of_script(const std::string& path, const std::string& name) const;
  [[nodiscard]] bool may_use(const std::string& path, const FileStatus& opened, Access access) const;
  [[nodiscard]] bool may_execute(const FileStatus& program) const;
  Result<std::optional<Target>> program_of_script(const std::string& path, const std::string& name);
  [[nodiscard]] Remedy tried_interpreter(const Refused& refused, const std::string& loader);
  [[nodiscard]] Remedy tried_start(const Refused& refused, Remedy remedy);
  std::optional<Diagnosis> refusal(RefusalFixes fixes);
  void add_interpreters_place(const OpenedObject& program, const Refused& refused, Diagnosis& diagnosis) const;
  [[nodiscard]] std::optional<Refused> refusal_of_machine(const OpenedObject& file, const std::string& name) const;
  [[nodiscard]] std::optional<Refused> refusal_of_other_file(const std::string& path, const std::string& name) const;
  [[nodiscard]] bool is_process_named() const;
  [[nodiscard]] std::string name_to_open(const std::string& word) const;
  /// Of the question that is being answered: is the word a library name, whatever files there are?
  [[nodiscard]] bool is_library_name(const std::string& word) const;
  [[nodiscard]] std::optional<Statement> note_on_bare_name(const std::string& word) const;
  /// Which of the objects of a live process a question is about.
  enum class LiveExtent : std::uint8_t {
    Usable,  ///< those that a dlopen call comes upon: of the program's namespace, and readable
    Whole,   ///< all that its loader has
  };
  /// What the dump lacks, or what is no longer as it was dumped.
  void note_dump(Prepared& prepared) const;
  std::optional<Error> add_live_objects(Prepared& prepared, LiveExtent extent = LiveExtent::Usable);
  std::optional<Error> fill_process(Prepared& prepared, const Environment& environment);
  Result<OpenedObject> open_live_program() const;
  [[nodiscard]] std::shared_ptr<const FileSystem> files_of(const User& user) const;
  void log_system(const System& system) const;
  void log_process(const Prepared& prepared) const;
  Result<ExecIdentity> identity_of(const ElfObject& object, const File& file, const std::string& name,
                                   Prepared& prepared) const;

  WorldSettings settings_;
  bool may_open_by_rpath_ = true;
  bool is_opened_by_rpath_ = false;  ///< the question that is being answered
  ProcessSettings process_;          ///< of the question that is being answered
  bool is_prepared_ = false;
  std::shared_ptr<const FileSystem> files_;
  std::string root_;
  std::shared_ptr<const Place> place_;  ///< nullptr: nothing was opened for it
  std::string cwd_;
  Environment environment_;
  GlibcVersion release_;
  std::optional<LiveProcess> live_;
  User user_;  ///< who starts the program
  /// Has the user been named, so that others than who asks may open the files?
  bool is_user_named_ = false;
  struct KnownSystem {
    std::string loader_path;
    User user;
    std::shared_ptr<const System> system;
  };
  std::vector<KnownSystem> systems_;
  std::shared_ptr<const PackageOwners> owners_;
  /// Modules of one program lie together: the last one that was found for a file of a directory.
  struct KnownExporter {
    std::string directory;
    std::string program;
  } last_exporter_;
  std::unique_ptr<Neighbourhood> near_;  ///< of `files_`; nullptr: nobody's process was looked for
  std::shared_ptr<const DriverMount> driver_;
  std::vector<Error> warnings_;
  std::optional<Refused> refused_;   ///< what the last question came to, where that is an answer
  std::string static_program_;       ///< likewise: the program that the kernel starts without a loader
  std::string interpreter_instead_;  ///< of a trial: in the place of PT_INTERP
  bool has_execute_right_ = false;   ///< likewise
};

struct World::State::Prepared {
  std::shared_ptr<const System> system;
  Process process;
  std::string file;                       ///< as the loader is given it
  std::vector<OpenRequest> dlopen_calls;  ///< what the process opens; the last one is the file asked about
  std::vector<Statement> notes;           ///< what was assumed about the process
  std::optional<AssumedProcess> assumed = std::nullopt;  ///< who opens the file, where nobody said so
  /// It is a library that is judged alone because nobody said who loads it.
  bool has_open_process = false;
  std::optional<PythonImport> import = std::nullopt;  ///< of a question about one
  ImportEnd import_end = {};                          ///< likewise
  OpenedObject opened = {};                           ///< the file; empty for a library name
  bool is_dynamic = true;                             ///< false: no PT_DYNAMIC, the kernel runs it without a loader

  void settle();
  /// Walks the dependencies and makes the dlopen calls; uses the rest up.
  Result<LinkMap> walk(LoadOptions options);
};

}  // namespace soresolve
