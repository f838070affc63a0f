// From what a person says (a root, an environment, a program, a file) to what load() wants.
//
// A System and a Process can be filled by hand. Most callers have a few words instead: a directory that is a root,
// an environment, a file that may be a program, a library, a library name or a module of Python. A World makes the
// one from the other, the same way for the command, the doctor and the C interface, and walks: a Resolution.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/host.h"
#include "soresolve/live_process.h"
#include "soresolve/loader.h"
#include "soresolve/process.h"
#include "soresolve/resolution.h"
#include "soresolve/system.h"
#include "soresolve/user.h"

namespace soresolve SORESOLVE_API {

/// What counts about the machine and the process that ask, where nothing else is said.
struct HostFacts {
  std::string cwd = "/";       ///< getcwd(3)
  std::string platform;        ///< AT_PLATFORM
  std::string kernel_release;  ///< uname -r
  User user = {};              ///< who asks
};
HostFacts read_host_facts();

/// AT_SECURE: as the kernel sets it for the program and the user who starts it, or as is said.
enum class AtSecure : std::uint8_t { AsStarted, No, Yes };

/// Who opens a file of which nothing is said.
enum class OpenedBy : std::uint8_t {
  WhoFits,  ///< the interpreter, for an extension module of Python; nobody else
  Nobody,   ///< it is looked at on its own
};

/// Words for how dlopen is called, separated by commas: local, global, deepbind, now, lazy, noload,
/// nodelete, dlmopen. Errors: Usage, for other words and for what contradicts itself.
Result<OpenMode> parse_open_mode(std::string_view words);
/// An opening before the one that is asked about: "FILE" or "WORDS:FILE", where the words are those of
/// parse_open_mode and "caller=FILE". Errors: Usage.
Result<OpenRequest> parse_loaded(std::string_view text);

/// What FILE means if it has no slash and there is a file of that name in the current directory. To dlopen it is a
/// library name, which is not looked for there.
enum class BareName : std::uint8_t {
  File,     ///< that file
  Library,  ///< the library name
};

/// How the file that is asked about comes into a process: who opens it, after what, and how.
struct ProcessSettings {
  OpenedBy opened_by = OpenedBy::WhoFits;  ///< where `exe` names nobody
  std::string exe;                         ///< the program that opens FILE
  std::vector<OpenRequest> loaded;         ///< what it has opened before; a file as a person names it
  OpenMode mode;                           ///< how FILE is opened
  std::string caller;                      ///< whose code calls dlopen
  BareName bare_name = BareName::File;
};

/// The analysed world in words. All paths but `root` are inside it.
struct WorldSettings {
  std::string root;                         ///< empty: the host
  std::shared_ptr<const FileSystem> files;  ///< a tree of the caller's own instead of `root`
  std::vector<std::string> env;             ///< "NAME=VALUE"; replaces what is inherited
  bool clean_env = false;                   ///< nothing is inherited
  std::vector<std::string> inherited;       ///< the environment of whoever asks; only the loader's variables,
                                            ///< and those that tell where interpreters are, count
  std::string cwd;                          ///< empty: the host's, or / in a root
  std::string cpu;                          ///< as for cpu_by_name(); empty: this machine's
  AtSecure secure = AtSecure::AsStarted;
  std::string user;         ///< who starts the program, a name or uid of the analysed world;
                            ///< empty: who asks
  std::string glibc;        ///< "2.31"; empty: what the loader says of itself
  int pid = 0;              ///< a live process that tells root, exe, environment and cwd
  ProcessSettings process;  ///< for questions that say nothing else
  HostFacts host;
};

/// How one file is resolved.
struct ResolveOptions {
  std::optional<ProcessSettings> process = {};  ///< instead of the world's
  std::vector<OpenRequest> openings = {};       ///< what the process opens in place of FILE alone, as load() takes it
  Attempts attempts = Attempts::Forget;
  OnFatal on_fatal = OnFatal::GoOn;
  unsigned jobs = 1;        ///< threads that symbols are bound with
  TraceLog* log = nullptr;  ///< borrowed for the duration of the call
};

/// One library on its own: no loader is needed to look into it.
struct OpenedLibrary {
  OpenedObject object;
  std::string path;  ///< as given, or where the name was found
};

/// Where questions are asked. Reads what they share once and answers for one file after the other. Not for two
/// threads at a time; its Resolutions are on their own.
class World {
 public:
  explicit World(WorldSettings settings) : settings_(std::move(settings)) {}

  /// Walks `file` as its process loads it. Fails when `file` or its loader cannot be read, with Usage when the
  /// settings contradict each other, with NotDynamic for a file that the kernel runs without a loader, and as
  /// load(). A name without a slash that is no file here is taken as a library name for dlopen (see BareName for one
  /// that is both; a note of the map says which it was). An empty one means the program of a live process.
  Result<Resolution> resolve(const std::string& file, const ResolveOptions& options = {});
  /// What questions about a library name stand on: the first loader that is found here. Errors: NoLoader, and those
  /// of the settings.
  Result<std::shared_ptr<const System>> system();
  /// Opens a file, or resolves a library name as dlopen would in this world. `bare_name`: instead of the world's.
  Result<OpenedLibrary> open_library(const std::string& name, std::optional<BareName> bare_name = std::nullopt);
  /// Is there a file of this name?
  [[nodiscard]] bool has_file(const std::string& name);
  /// The files of this world. Fails when the settings do.
  Result<std::shared_ptr<const FileSystem>> files();
  /// The current directory of the process; set once files() or resolve() has been called.
  [[nodiscard]] const std::string& cwd() const { return cwd_; }
  /// A path as that directory completes it.
  [[nodiscard]] std::string absolute(const std::string& file) const { return absolute_path(file, cwd_); }
  /// What the loader passes over without a word since the last call (a cache that it cannot use).
  std::vector<Error> take_warnings() { return std::exchange(warnings_, {}); }

 private:
  std::optional<Error> read_settings();
  std::optional<Error> prepare_live();
  std::optional<Error> prepare_environment();
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
  };
  Result<Target> find_target(const std::string& file);
  Result<Prepared> prepare_alone(const std::string& file, Target target);
  Result<Prepared> prepare_in_process(Target target, const AssumedProgram& program);
  Result<AssumedProgram> choose_program(const Target& target);
  [[nodiscard]] bool is_process_named() const;
  [[nodiscard]] std::string name_to_open(const std::string& word) const;
  /// Of the question that is being answered: is the word a library name, whatever files there are?
  [[nodiscard]] bool is_library_name(const std::string& word) const;
  [[nodiscard]] std::optional<std::string> note_on_bare_name(const std::string& word) const;
  std::optional<Error> add_live_objects(Prepared& prepared);
  std::optional<Error> fill_process(Prepared& prepared, const Environment& environment);
  Result<OpenedObject> open_live_program() const;
  [[nodiscard]] std::shared_ptr<const FileSystem> files_of(const User& user) const;
  Result<ExecIdentity> identity_of(const ElfObject& object, const File& file, const std::string& name,
                                   Prepared& prepared) const;

  WorldSettings settings_;
  ProcessSettings process_;  ///< of the question that is being answered
  bool is_prepared_ = false;
  std::shared_ptr<const FileSystem> files_;
  std::string root_;
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
  std::vector<Error> warnings_;
};

}  // namespace SORESOLVE_API
