// Where questions are asked, and the answer of one walk.
//
// Callers have a few words: a directory that is a root, an environment, a file that may be a program, a library, a
// library name or a module of Python. A World makes of them what the loader finds and who loads, the same way for the
// command, the doctor and the C interface, and walks: a Resolution.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/cuda.h"
#include "soresolve/dlopens.h"
#include "soresolve/link_map.h"
#include "soresolve/log.h"
#include "soresolve/packages.h"
#include "soresolve/place.h"
#include "soresolve/python.h"
#include "soresolve/result.h"
#include "soresolve/symbols.h"

namespace soresolve {
/// Facts of files that Worlds of one machine can share; make_object_store() makes one.
class ObjectStore;
/// What is known of a tree that stands still; make_known_tree() makes one.
class KnownTree;
/// The processor of another machine, as the loaders there see it (loader/cpu.h).
struct Processors;
}  // namespace soresolve

namespace soresolve SORESOLVE_API {

// Of diagnose.h and remedies.h, for whoever looks into them.
struct Check;
struct Diagnosis;
struct RemedyOptions;

// One file in one process of a World, as walked: what every answer about it stands on.
//
// The walk is made once, by World::resolve(). What stands on it (versions and symbols, bindings, what is opened
// later) is computed at the first question and kept; the link map has the System and the Process.

/// What is opened later, each with how it fails.
struct CheckedDlopens {
  Dlopens dlopens;
  std::optional<Error> unchecked;  ///< why versions and symbols of it could not be read
};

/// Can be asked by several threads at a time. What is returned lives as long as the Resolution.
class Resolution {
 public:
  /// Of a walk made by hand; `file` is what reports call it, `binding` is how check() binds its symbols.
  Resolution(LinkMap map, std::string file, const BindOptions& binding = {.own = OwnReferences::Counted});
  /// The same of an import; `end` is what import_end() gives.
  Resolution(LinkMap map, std::string file, PythonImport import, const BindOptions& binding, ImportEnd end = {});
  ~Resolution();
  Resolution(Resolution&&) noexcept;
  Resolution& operator=(Resolution&&) noexcept;

  [[nodiscard]] const LinkMap& map() const;
  [[nodiscard]] const System& system() const { return *map().system; }
  [[nodiscard]] const Process& process() const { return *map().process; }
  /// As it was asked about; the program of a live process where no file was named.
  [[nodiscard]] const std::string& file() const;
  /// The import that was asked about; nullptr for a file.
  [[nodiscard]] const PythonImport* import() const;
  /// How it ends in a world with changes, as its sources are now; empty for a file.
  [[nodiscard]] const ImportEnd& import_end() const;

  /// Will it start, or load? Errors: as check_start().
  [[nodiscard]] const Result<Check>& check() const;
  /// Each reference with its definition, an object's own ones included. Errors: as bind_symbols().
  [[nodiscard]] const Result<Bindings>& bindings() const;
  /// What is opened later, as far as it is found.
  [[nodiscard]] const Dlopens& dlopens(DlopenLevel level) const;
  /// The same with its versions and symbols.
  [[nodiscard]] const CheckedDlopens& checked_dlopens(DlopenLevel level) const;

  /// map() where it keeps attempts, else that of a walk which is made once more for them: indices of a diagnosis are
  /// its.
  [[nodiscard]] const LinkMap& searched() const;

 private:
  struct State;
  friend Diagnosis diagnose(const Resolution& run, std::string_view asked, Dlopens dlopens);
  friend void find_remedies(const Resolution& run, Diagnosis& diagnosis, const RemedyOptions& options);
  [[nodiscard]] const Bindings* bound_before(const Dlopens& later) const;
  std::unique_ptr<State> state_;
};

/// The same for one library that the walk has asked for, `asked` (empty: all that is wrong), and with what is opened
/// later as in `dlopens`. Where the walk kept no attempts, it is made once more.
Diagnosis diagnose(const Resolution& run, std::string_view asked = {}, Dlopens dlopens = {});
/// Adds candidates to each fatal problem about a library, remedies to the diagnosis, and the packages of files to
/// fatal problems and warnings. Candidates that serve come first, those with the name that is asked for before others,
/// a file's own environment before another; remedies in order of choice, those that lead into another environment or
/// release behind what would be installed.
void find_remedies(const Resolution& run, Diagnosis& diagnosis, const RemedyOptions& options);

/// What counts about the machine and the process that ask, where nothing else is said.
struct HostFacts {
  std::string cwd = "/";       ///< getcwd(3)
  std::string platform;        ///< AT_PLATFORM
  std::string kernel_release;  ///< uname -r
  User user = {};              ///< who asks
  /// Of another machine than this one; null: this machine's.
  std::shared_ptr<const Processors> processors = {};
};
HostFacts read_host_facts();

/// AT_SECURE: as the kernel sets it for the program and the user who starts it, or as is said.
enum class AtSecure : std::uint8_t { AsStarted, No, Yes };

/// Who opens a file of which nothing is said.
enum class OpenedBy : std::uint8_t {
  WhoFits,  ///< who is found for it: LinkMap::assumed tells; else nobody
  None,     ///< it is looked at on its own
  Ldd,      ///< likewise; a program is only listed, as ldd(1) of its libc does
};

/// Where no NVIDIA driver is, its libraries are missing: are they brought in by the host that FILE will run on?
enum class HostDriver : std::uint8_t {
  Assumed,  ///< where nobody says whose process it is
  AsFound,  ///< what is not here is missing
};

/// What FILE means if it has no slash and there is a file of that name in the current directory. To dlopen it is a
/// library name, which is not looked for there.
enum class BareName : std::uint8_t {
  File,     ///< that file
  Library,  ///< the library name
};

/// What is asked about.
enum class AskedAs : std::uint8_t {
  File,    ///< a file, or a library name
  Import,  ///< a module of Python, by the name that follows `import`
};

/// How the file that is asked about comes into a process: who opens it, after what, and how.
struct ProcessSettings {
  OpenedBy opened_by = OpenedBy::WhoFits;  ///< where `exe` names nobody
  std::string exe;                         ///< the program that opens FILE
  std::vector<OpenRequest> loaded;         ///< what it has opened before; a file as a person names it
  OpenMode mode;                           ///< how FILE is opened
  std::string caller;                      ///< whose code calls dlopen
  BareName bare_name = BareName::File;
  AskedAs asked_as = AskedAs::File;
  /// Of an import and a module of Python: the interpreter, or the environment or prefix that it lies in; empty: the one
  /// that runs, else what exec of python3 would start. `exe` goes before it.
  std::string python = {};
  /// The interpreter that runs, where a program of Python asks: of modules that are of its release.
  std::string running_python = {};
  HostDriver host_driver = HostDriver::Assumed;
};

/// Of use to whoever asks about many files that have libraries in common.
std::shared_ptr<ObjectStore> make_object_store();
std::shared_ptr<KnownTree> make_known_tree();

/// Whose files are looked at; the host's where nothing is set.
struct TreeSettings {
  /// A place that open_place() takes: a directory, an image, a package, an archive, a snapshot; empty: the host. What
  /// an image says of its process counts in place of what is inherited, where nothing else is said.
  std::string root;
  PlaceOptions place_options;                    ///< how it is opened
  std::shared_ptr<const Place> place = {};       ///< `root`, where it has been opened already
  std::shared_ptr<const FileSystem> files = {};  ///< a tree of the caller's own instead of `root`
  /// `files` are those of a machine as it runs: how they are mounted counts, and their modes do. Not in a tree that is
  /// only laid out.
  bool has_mounts = false;
  /// `files` are of a snapshot, and so are the host facts and what is inherited: enter_place() has set them.
  bool is_recorded = false;
  /// No file changes as long as the World is asked: what was read of one stands for all questions. Shared with other
  /// Worlds of the same tree, also in other threads; null: each question reads for itself, as those about a process
  /// that runs do always.
  std::shared_ptr<KnownTree> known = {};
};

/// How a process starts there: what execve(2) gives it, and who calls that.
struct StartSettings {
  std::vector<std::string> env;             ///< "NAME=VALUE"; replaces what is inherited
  bool clean_env = false;                   ///< nothing is inherited
  std::vector<std::string> inherited = {};  ///< the environment of whoever asks; only the loader's variables,
                                            ///< and those that tell where interpreters are, count
  std::string cwd = {};                     ///< empty: the host's, or / in a root
  std::string user = {};                    ///< who starts the program, a name or uid of the analysed world;
                                            ///< empty: who asks
  AtSecure secure = AtSecure::AsStarted;

  /// Is `env` not given?
  [[nodiscard]] bool inherits() const { return env.empty() && !clean_env; }
};

/// What is as said here, not as it is found.
struct MachineSettings {
  std::string cpu;         ///< as for cpu_by_name(); empty: this machine's
  std::string glibc = {};  ///< "2.31"; empty: what the loader says of itself
};

/// A process that is there already, and tells exe, environment and what was loaded.
struct LiveSettings {
  int pid = 0;            ///< one that runs: root and cwd are its own, too
  std::string core = {};  ///< the dump of one (core(5)), a file of this machine; its files are those of the root
};

/// The analysed world in words. All paths but `where.root` and `live.core` are inside it.
struct WorldSettings {
  TreeSettings where;
  StartSettings start;
  MachineSettings machine;
  LiveSettings live;
  ProcessSettings process;  ///< for questions that say nothing else
  DriverSettings driver;    ///< of the host that it is to run on
  HostFacts host;
  /// Shared with other Worlds of the same files, also in other threads; null: each map reads for itself.
  std::shared_ptr<ObjectStore> store = {};
  /// Gets lines on how answers come about; null: nobody wants any. May be shared as `store`.
  std::shared_ptr<Log> log = {};
};

/// What a library that is judged alone has to lack before the process that it was made for is looked for.
enum class LookFor : std::uint8_t {
  Symbols,    ///< or libraries: all references are bound first
  Libraries,  ///< what the walk does not find
  Nothing,    ///< it is judged alone, whatever it lacks
};

/// How far the link map of an import goes.
enum class ImportExtent : std::uint8_t {
  Subject,  ///< up to what the answer is about, and what it leaves to later use is judged: PythonImport::on_demand
  Whole,    ///< up to the end of the import
};

/// How one file is resolved.
struct ResolveOptions {
  std::optional<ProcessSettings> process = {};  ///< instead of the world's
  std::vector<OpenRequest> dlopen_calls = {};   ///< what the process opens in place of FILE alone, as load() takes it
  Attempts attempts = Attempts::Discard;
  OnFatal on_fatal = OnFatal::Continue;
  unsigned jobs = 1;  ///< threads that symbols are bound with
  LookFor look_for = LookFor::Symbols;
  OwnReferences references = OwnReferences::Counted;  ///< of Resolution::check(), for its counts; not Told
  ImportExtent import_extent = ImportExtent::Subject;
};

/// One library on its own: no loader is needed to look into it.
struct OpenedLibrary {
  OpenedObject object;
  std::string path;  ///< as given, or where the name was found
};

/// Are fixes wanted for a file that comes into no process?
enum class RefusalFixes : std::uint8_t { None, Tried };

/// Where questions are asked. Reads what they share once and answers for one file after the other. Not for two
/// threads at a time; its Resolutions are on their own.
class World {
 public:
  explicit World(WorldSettings settings);
  /// This machine, a place that open_place() takes, or the process of this number, with `settings` besides. Their
  /// `host`, where nothing is set in it, becomes read_host_facts(). What cannot be read is an error of the first
  /// question.
  static World host(WorldSettings settings = {});
  static World root(std::string place, WorldSettings settings = {});
  static World of_process(int pid, WorldSettings settings = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  /// Walks `file` as its process loads it. Fails when `file` or its loader cannot be read, with Usage when the
  /// settings contradict each other, with NotDynamic for a file that the kernel runs without a loader, and as
  /// load(). A name without a slash that is no file here is taken as a library name for dlopen (see BareName for one
  /// that is both; a note of the map says which it was). An empty one means the program of a live process, and
  /// the entry point of an image.
  Result<Resolution> resolve(const std::string& file, const ResolveOptions& options = {});
  /// The process of `live` as it is: a link map of what it has loaded, in its order, in which nothing is searched for.
  /// What cannot be read any more is named in it, too (LiveProcess::left_out). Errors: as resolve(); NotDynamic where
  /// no loader is in the process; Usage without a process.
  Result<Resolution> resolve_running(const ResolveOptions& options = {});
  /// Why the last resolve() has failed, where that is an answer: the kernel does not start the program, or its rights
  /// keep it from being read. There is no link map; the diagnosis has one problem, what the shell or the loader prints,
  /// and fixes, of which another interpreter was tried. A program that is linked statically has no problem: its answer
  /// is Verdict::Works. nullopt: it has not failed, or the question could not be asked.
  std::optional<Diagnosis> refusal(RefusalFixes fixes = RefusalFixes::Tried);
  /// The programs that an image starts, as execvp(3) finds them: its entry point and, where that is a shell script that
  /// starts its arguments ("$@"), the command that it gets. Empty: the root is no image. Errors: Usage for an
  /// image without a command, NotFound.
  Result<std::vector<std::string>> entry_points();
  /// What questions about a library name stand on: the first loader that is found here. Errors: NoLoader, and those
  /// of the settings.
  Result<std::shared_ptr<const System>> system();
  /// Opens a file, or resolves a library name as dlopen would in this world. `bare_name`: instead of the world's.
  Result<OpenedLibrary> open_library(const std::string& name, std::optional<BareName> bare_name = std::nullopt);
  /// Is there a file of this name?
  [[nodiscard]] bool has_file(const std::string& name);
  /// The files of this world. Fails when the settings do.
  Result<std::shared_ptr<const FileSystem>> files();
  /// WorldSettings::where.root, as it was named; empty: the host, a process, or a tree of the caller's own.
  [[nodiscard]] const std::string& root_name() const;
  /// The root that was opened; nullptr for the host, a live process and a tree of the caller's own, and when the
  /// settings fail.
  std::shared_ptr<const Place> place();
  /// What the host brings in by WorldSettings::driver; nullptr: none is named, or the settings fail.
  std::shared_ptr<const DriverMount> driver();
  /// The packages that brought them, for RemedyOptions: their records are read once for all questions. nullptr when the
  /// settings fail.
  std::shared_ptr<const PackageOwners> owners();
  /// The current directory of the process; set once files() or resolve() has been called.
  [[nodiscard]] const std::string& cwd() const;
  /// A path as that directory completes it.
  [[nodiscard]] std::string absolute(const std::string& file) const;
  /// What the loader passes over without a word since the last call (a cache that it cannot use).
  std::vector<Error> take_warnings();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace SORESOLVE_API
