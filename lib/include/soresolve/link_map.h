// What is in the process once the loader has walked all dependencies, and how each part got there.
//
// Source: glibc elf/dl-deps.c:_dl_map_object_deps (the walk), elf/rtld.c:dl_main (preloads, the
// place of ld.so in the list, trace output).
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "soresolve/statement.h"

namespace soresolve SORESOLVE_API {

struct LoaderRules;
struct Process;  // lib/loader/process.h: who loads; not for users
struct System;   // lib/loader/system.h: what is outside the process

/// An environment in its order; the last entry of a name wins, as in rtld.c:process_envvars.
class Environment {
 public:
  Environment() = default;
  explicit Environment(std::vector<std::string> entries) : entries_(std::move(entries)) {}
  void add(std::string entry) { entries_.push_back(std::move(entry)); }
  /// The value of `name`; nullopt when it is not set. Borrows from this object.
  [[nodiscard]] std::optional<std::string_view> value(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& entries() const { return entries_; }

 private:
  std::vector<std::string> entries_;  ///< "NAME=VALUE"
};

}  // namespace SORESOLVE_API

// The attempts that ld.so makes for one name, in its order.
//
// Source of the order and the words: glibc elf/dl-load.c:_dl_map_object, open_path, open_verify.

namespace soresolve SORESOLVE_API {

/// Position of an object in LinkMap::objects.
using ObjectIndex = std::uint32_t;
inline constexpr ObjectIndex kNoObject = 0xffffffff;

/// The stages of a search, in the loader's order.
enum class SearchStep : std::uint8_t {
  AlreadyLoaded,  ///< path, requested name or SONAME of an object in the map
  Path,           ///< the name has a slash: that file, nothing else
  Rpath,          ///< DT_RPATH of the needer, of who loaded it, …, of the program
  LibraryPath,    ///< LD_LIBRARY_PATH
  Runpath,        ///< DT_RUNPATH of the needer
  Cache,          ///< ld.so.cache
  DefaultDirs,    ///< directories compiled into the loader
};
std::string_view name_of(SearchStep step);  ///< "RPATH", "LD_LIBRARY_PATH", "cache", …

/// What came of one attempt.
enum class Outcome : std::uint8_t {
  Loaded,             ///< opened, accepted and mapped
  SameFile,           ///< opened, but device and inode are those of an object in the map
  AlreadyLoaded,      ///< no file was opened: the name matched
  NoSuchFile,         ///< ENOENT
  NoSuchDirectory,    ///< the directory does not exist (found out with this attempt)
  SkippedDirectory,   ///< known from before not to exist: the loader does not even try
  PermissionDenied,   ///< EACCES
  WrongClass,         ///< other ELF class: passed over
  WrongMachine,       ///< other machine: passed over
  OldAbiNote,         ///< NT_GNU_ABI_TAG asks for a newer kernel (up to 2.35): passed over
  NotSetuid,          ///< preload of a set-uid program that is not set-uid itself
  OpenFailed,         ///< any other errno; it ends the search of this list
  NotInCache,         ///< the cache has no acceptable entry
  NoCache,            ///< there is no usable cache
  CacheEntryBarred,   ///< DF_1_NODEFLIB: the entry lies in a default directory
  DefaultDirsBarred,  ///< DF_1_NODEFLIB: default directories are not searched
  Fatal,              ///< the loader gives up: see `text`
  WouldCrash,         ///< the loader would die of a signal: see `text`
  WouldBlock,         ///< a FIFO: open(2) waits for a writer
};
std::string_view name_of(Outcome outcome);       ///< "no such file", "wrong ELF class", …
[[nodiscard]] bool is_found(Outcome outcome);    ///< Loaded, SameFile or AlreadyLoaded
[[nodiscard]] bool ends_start(Outcome outcome);  ///< Fatal, WouldCrash or WouldBlock

/// One candidate and what was there.
struct Attempt {
  SearchStep step = SearchStep::Path;
  ObjectIndex owner = kNoObject;  ///< whose RPATH or RUNPATH; kNoObject for the environment and the system
  std::string entry;              ///< list element as written; empty for an empty element
  std::string directory;          ///< what it expanded to, with its trailing slash
  std::string subdirectory;       ///< "glibc-hwcaps/x86-64-v3/", "tls/"; empty for the base directory
  std::string candidate;          ///< the path that is opened; empty when none is
  Outcome outcome = Outcome::NoSuchFile;
  Errno error = Errno::None;
  std::string text;         ///< the loader's words, or why it would crash
  bool is_printed = false;  ///< LD_DEBUG=libs prints "trying file=" for it
};

/// All attempts for one request, in their order.
struct SearchTrace {
  std::vector<Attempt> attempts;
  /// Further ones that were made and are not kept (kMaxKeptAttempts, kMaxAttemptsOfOne); the one that ended
  /// the search is.
  std::uint64_t left_out = 0;
};

}  // namespace SORESOLVE_API

namespace soresolve SORESOLVE_API {

struct LiveObject;

enum class ObjectRole : std::uint8_t {
  Main,         ///< the program, or the file given to ld.so; in a dlopen the nameless caller
  Loader,       ///< ld.so
  Vdso,         ///< the kernel's virtual object; known by its SONAME only
  Library,      ///< anything else that was mapped
  Placeholder,  ///< what trace mode puts in the place of a library that was not found
};

/// How a request was satisfied, or not.
enum class HowFound : std::uint8_t {
  Mapped,      ///< a file was found and mapped for this request
  ByPath,      ///< the name equals the path of a loaded object
  ByName,      ///< it equals a name under which a loaded object was requested before
  BySoname,    ///< it equals the SONAME of a loaded object
  ByFile,      ///< the file that was found is loaded already (device and inode)
  NotFound,    ///< nothing acceptable was found
  Failed,      ///< a candidate was fatal
  EmptyToken,  ///< a token has no value: DT_NEEDED and DT_FILTER are silently skipped
  NotLoaded,   ///< a file was found that is not loaded, and RTLD_NOLOAD does not load it
};
std::string_view name_of(HowFound resolution);

/// One request: an edge of the dependency graph.
struct Need {
  NeedKind kind = NeedKind::Needed;
  std::string_view written;        ///< as in the file or variable; borrows from the LinkMap
  std::string_view name;           ///< after token expansion; what the loader looks for
  ObjectIndex target = kNoObject;  ///< an object or its placeholder
  HowFound resolution = HowFound::NotFound;
  std::uint32_t trace = 0;  ///< index into LinkMap::traces; meaningful if attempts were recorded
};

/// One request of the map.
struct NeedRef {
  ObjectIndex needer = kNoObject;
  std::uint32_t need = 0;  ///< index into the needer's `needs`
};

/// Where a mapped object was found.
struct FoundAt {
  SearchStep step = SearchStep::Path;
  ObjectIndex owner = kNoObject;  ///< whose RPATH or RUNPATH
  std::string_view entry;         ///< list element as written; see LinkMap
  std::string_view subdirectory;  ///< hwcaps subdirectory
};

struct LoadedObject {
  ObjectRole role = ObjectRole::Library;
  std::string_view path;                      ///< as the loader opened it; "" for the program
  std::string given_name;                     ///< the program's file as it was given; empty for all others
  std::string_view requested_name;            ///< the name that caused the load; first of `l_libname`
  std::vector<std::string_view> other_names;  ///< further names under which it was asked for
  ElfObject elf;
  FileStatus status;
  ObjectIndex loader = kNoObject;  ///< whose tag first caused the load
  FoundAt found;
  std::vector<Need> needs;  ///< in walk order; the program's begin with preloads
  /// Still open for whoever reads on; null for what has no file of its own, and once
  /// kMaxOpenFiles are open.
  std::unique_ptr<File> file;
  /// Of a live process: how it has this object. Borrows from the Process.
  const LiveObject* live = nullptr;
  std::uint32_t space = 0;  ///< the namespace: 0 the program's, n the n-th new one

  /// Has it this path, or was it asked for by this name? A SONAME counts only once a request has
  /// matched it (glibc elf/dl-misc.c:_dl_name_match_p).
  [[nodiscard]] bool matches_name(std::string_view name) const;
  /// Every name that it goes by; some twice.
  template <class Visit>
  void for_each_name(Visit visit) const {
    for (const std::string_view name : other_names) visit(name);
    if (role == ObjectRole::Main) return visit(std::string_view());
    visit(path);
    visit(requested_name);
  }

  /// What people call it: the path, for the program the name that was given.
  [[nodiscard]] std::string_view name() const { return given_name.empty() ? path : std::string_view(given_name); }
};

/// Something that goes wrong, in the order in which the loader meets it.
struct LoadFailure {
  enum class Kind : std::uint8_t {
    Missing,           ///< cannot open shared object file
    WrongClass,        ///< only files of the other class were there
    FatalFile,         ///< a candidate that the loader refuses with a fatal error
    Crash,             ///< a candidate on which the loader would die of a signal
    Block,             ///< a FIFO
    Token,             ///< DST not allowed, or an empty one
    PreloadIgnored,    ///< a preload that is passed over with a warning
    AuxiliaryIgnored,  ///< a DT_AUXILIARY that is passed over silently
    Assertion,         ///< filters or the vDSO in an order that the loader does not expect
    VersionFile,       ///< DT_VERNEED names a file that is not in the map: assertion
    VersionRecord,     ///< DT_VERNEED of an unknown record version
  };
  Kind kind = Kind::Missing;
  ObjectIndex needer = kNoObject;
  std::uint32_t need = 0;  ///< index into the needer's `needs`
  std::string object;      ///< what the loader names: the requested name, or a candidate's path
  std::string text;        ///< its words, without the errno
  Errno error = Errno::None;
  std::string line = {};           ///< all of the loader's line, where it has no such parts: musl's
  std::uint32_t dlopen_call = 0;   ///< 0: at the start; n: in the n-th dlopen call, which ends here
  bool is_fatal_at_start = true;   ///< a normal start-up ends here
  bool is_fatal_in_trace = false;  ///< LD_TRACE_LOADED_OBJECTS ends here, too
  bool is_on_noexec = false;       ///< FatalFile: its file system is mounted with noexec

  /// "ARGV0: error while loading shared libraries: OBJECT: TEXT: …" (rtld.c, dl-catch.c:fatal_error).
  [[nodiscard]] std::string start_message(std::string_view argv0) const;
  /// "OBJECT: TEXT: …", as dlerror(3) gives it.
  [[nodiscard]] std::string dlerror_message() const;
};

/// Whose symbols what dlopen(3) loads may see, and who sees its own: RTLD_LOCAL, RTLD_GLOBAL,
/// RTLD_DEEPBIND with the one or with the other.
enum class OpenScope : std::uint8_t { Local, Global, DeepBind, GlobalDeepBind };
std::string_view name_of(OpenScope scope);  ///< "local", "global", "deepbind", "global,deepbind"
/// Do later dlopen calls see its symbols?
constexpr bool is_global(OpenScope scope) { return scope == OpenScope::Global || scope == OpenScope::GlobalDeepBind; }
/// Does it look among its own first?
constexpr bool is_deep(OpenScope scope) { return scope == OpenScope::DeepBind || scope == OpenScope::GlobalDeepBind; }

enum class BindTime : std::uint8_t {
  Now,      ///< LD_BIND_NOW=1, RTLD_NOW: every reference before the code runs
  AsAsked,  ///< what the environment and each object's DT_BIND_NOW say; RTLD_LAZY
};

/// Into which link-map list: the caller's, as dlopen(3) does, or a new one (dlmopen(3), LM_ID_NEWLM).
enum class OpenInto : std::uint8_t { CallersNamespace, NewNamespace };

/// How dlopen(3) or dlmopen(3) is called.
struct OpenMode {
  OpenScope scope = OpenScope::Local;
  BindTime bind_time = BindTime::Now;
  bool only_if_loaded = false;  ///< RTLD_NOLOAD
  bool stays = false;           ///< RTLD_NODELETE; changes nothing about whether it opens
  OpenInto into = OpenInto::CallersNamespace;
  bool operator==(const OpenMode&) const = default;
};

/// One dlopen(3) that is made once the program runs.
struct DlopenCall {
  std::size_t number = 0;  ///< index into LoadOptions::dlopen_calls
  OpenMode mode;
  std::uint32_t space = 0;        ///< the namespace: 0 the program's, n the n-th new one
  NeedRef request;                ///< the caller, and its request
  ObjectIndex asked = kNoObject;  ///< what the name led to, though it may fail; a placeholder
  ObjectIndex root = kNoObject;   ///< what was opened; kNoObject: it failed, or it is not loaded
  bool is_absent = false;         ///< RTLD_NOLOAD, and not loaded: NULL without an error
  /// Objects from here on were loaded by it, up to the first one of the next dlopen call.
  ObjectIndex first_new = kNoObject;
  std::vector<ObjectIndex> search_list;  ///< the opened object's own scope, breadth first
  /// Libraries that it has loaded, from the opened object on, in the order of the loader's list as it was then:
  /// filters of a later dlopen call move them.
  std::vector<ObjectIndex> listed;
  /// Libraries that filters have put before the first one of the namespace's list, where no walk over it sees them.
  std::vector<ObjectIndex> out_of_sight;
};

/// The loader's books of the static TLS after a dlopen that failed. It is not as if that had never been:
/// older objects keep the place that they got, gaps before a block that goes stay used, and what TLSDESC
/// took of its part is not given back (glibc elf/dl-close.c:_dl_close_worker).
struct StaticTlsLeft {
  std::uint64_t used_bytes = 0;
  std::uint64_t optional_bytes = 0;  ///< left for TLSDESC
  std::vector<ObjectIndex> placed;   ///< objects with a fixed place
};

/// A dlopen that failed, between those that did not.
struct TakenBack {
  std::size_t dlopen_calls = 0;       ///< of the map, before it
  ObjectIndex first_new = kNoObject;  ///< objects before this one were there
  StaticTlsLeft tls;
};

/// One dlopen(3) of a path or name.
struct OpenRequest {
  std::string file;
  OpenMode mode = {};
  /// Whose code calls dlopen: a path, SONAME or name of an object that is there by then; empty: the
  /// program. Its search tags count for a name without a slash.
  std::string caller = {};
  /// What is loaded at this path by then is no dlopen call of its own.
  bool skips_loaded = false;
  /// It is known to fail, and the process goes on: what it loads is taken back before the next one, as
  /// by _dl_close_worker in glibc. Only what it has changed in older objects stays: the names
  /// that they were asked for by, and their order.
  bool is_taken_back = false;
  /// And the static TLS, where it came as far as that: as open_up() found it.
  std::optional<StaticTlsLeft> tls_left = {};
};

/// By which rule it was decided whose process it is, where nobody said so.
enum class ProcessRule : std::uint8_t {
  Python,    ///< an extension module: the interpreter of the environment that it lies in
  Exporter,  ///< a program of the same tree defines the symbols that the file leaves to its process
  Sibling,   ///< a program of the same tree loads the library that the file misses
  Reached,   ///< a program or module of the same tree needs the file
};
std::string_view name_of(ProcessRule rule);  ///< "python", "exporter", …

/// The process that a file was judged in although nobody named one.
struct AssumedProcess {
  ProcessRule rule = ProcessRule::Python;
  std::string program;
  std::vector<std::string> loaded;  ///< what the program opens before, by path
  Statement what;                   ///< one sentence: who opens it, and why that is assumed
  std::vector<Statement> evidence;  ///< a line each
};

/// The outcome of one walk, with what it was asked of. Views in it borrow from it, its System and its Process; it can
/// be moved, not copied.
struct LinkMap {
  LinkMap() = default;
  LinkMap(LinkMap&&) = default;
  LinkMap& operator=(LinkMap&&) = default;

  std::shared_ptr<const System> system;    ///< what it was walked on, shared with whoever asks again; never null
  std::shared_ptr<const Process> process;  ///< who loads: never null
  std::string file;                        ///< as load() was given it
  std::string import;                      ///< the module of Python whose import is asked about, by all dlopen calls
  std::vector<OpenRequest> requested;      ///< what it was to open, with those that failed before
  std::string main_path;                   ///< absolute path of the program; empty for a dlopen
  std::vector<LoadedObject> objects;       ///< in the order of their creation; 0 is the program
  std::vector<ObjectIndex> list_order;     ///< the namespace list as tracing prints it; without ld.so
                                           ///< when nothing shows it
  std::vector<ObjectIndex> search_list;    ///< global scope: breadth first, without placeholders
  std::vector<DlopenCall> dlopen_calls;    ///< in their order; one that fails is the last
  std::vector<TakenBack> taken_back;       ///< in their order; those whose books are known
  std::size_t dlopen_calls_left = 0;       ///< that were not made, because one before them failed
  std::vector<LoadFailure> failures;
  std::vector<SearchTrace> traces;        ///< one per request, if attempts were recorded
  std::vector<Statement> notes;           ///< what could change the answer: audit modules, limits
  std::optional<AssumedProcess> assumed;  ///< whose process it is, where that was found and not asked for
  std::uint64_t attempts = 0;             ///< places that were looked in, recorded or not

  [[nodiscard]] const LoadedObject& main() const { return objects.front(); }
  /// The request itself; nullptr for one that is about no request, as failures of an object's versions are.
  [[nodiscard]] const Need* find_need(const NeedRef& request) const {
    if (request.needer >= objects.size() || request.need >= objects[request.needer].needs.size()) return nullptr;
    return &objects[request.needer].needs[request.need];
  }
  /// The objects that the n-th dlopen call has loaded, or the start (0): first one and end.
  [[nodiscard]] std::pair<ObjectIndex, ObjectIndex> loaded_by(std::size_t dlopen_call) const;
  /// The dlopen call that has loaded the object, counted from 1; 0: the start.
  [[nodiscard]] std::size_t dlopen_call_of(ObjectIndex object) const;
  /// Does a lookup for it begin in itself (DT_SYMBOLIC)? Not for the program nor for what a dlmopen loads first: there
  /// its own list comes first in any case; nor with RTLD_DEEPBIND. glibc: elf/dl-load.c:_dl_map_object_from_fd.
  [[nodiscard]] bool looks_in_itself(ObjectIndex object) const;
  /// What was asked about: the last dlopen call, or the start (0) when nothing is opened. Of an import it is the end.
  [[nodiscard]] std::size_t subject() const { return dlopen_calls.size(); }
  /// Is the n-th dlopen call, or the start (0), what was asked about, or a part of it?
  [[nodiscard]] bool is_in_target_closure(std::size_t dlopen_call) const {
    return dlopen_call == subject() || (dlopen_call != 0 && !import.empty());
  }
  /// The file that it is about: what was opened, or the program.
  [[nodiscard]] ObjectIndex subject_root() const;
  /// Which objects belong to it: in a dlopen call those that its root needs, directly or not, loaded before or now; for
  /// an import those of each; all of them for a start.
  [[nodiscard]] std::vector<bool> target_closure() const;
  /// The first failure that ends a normal start-up or a dlopen call; nullptr when all succeeds so far.
  [[nodiscard]] const LoadFailure* first_fatal() const;
  /// The first failure that ends tracing; nullptr when tracing prints the whole list.
  [[nodiscard]] const LoadFailure* first_fatal_in_trace() const;
  /// The chain of objects from the program to `object` by who loaded whom; program first.
  [[nodiscard]] std::vector<ObjectIndex> chain_to(ObjectIndex object) const;

  /// Storage of names, paths and list entries.
  TextArena text;
};

/// Keep the attempts of every request, or only the result. Without them a walk allocates nothing
/// per attempt.
enum class Attempts : std::uint8_t { Discard, Record };

/// Once a candidate has ended the start-up: stop there as the loader does, or put a placeholder in
/// its place and go on, to find everything that is wrong.
enum class OnFatal : std::uint8_t { Stop, Continue };

/// A file that has been opened and read.
struct OpenedObject {
  std::unique_ptr<File> file;
  ElfObject elf;
};

}  // namespace SORESOLVE_API
