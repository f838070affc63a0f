// Walks the dependencies of a file as ld.so does, without running anything.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/link_map.h"
#include "soresolve/log.h"
#include "soresolve/result.h"

namespace soresolve {

/// What a file's search tags are taken to be instead of what stands in it: patchelf(1) without patchelf.
struct TagEdit {
  FileId file;
  std::optional<std::string> rpath;
  std::optional<std::string> runpath;
};

/// What a DT_NEEDED of a file is taken to be: patchelf(1) --replace-needed.
struct NeedEdit {
  FileId file;
  std::string from;  ///< empty: one more, before the others, as --add-needed puts it
  std::string to;
};

/// A world in which something is changed, for what is tried there.
struct ChangedWorld {
  const std::shared_ptr<const System>& system;
  const std::shared_ptr<const Process>& process;
  const std::vector<TagEdit>& tag_edits;
  const std::vector<NeedEdit>& need_edits;
  const std::vector<OpenRequest>& dlopen_calls;  ///< made before all others
};

struct LoadOptions {
  Attempts attempts = Attempts::Discard;
  OnFatal on_fatal = OnFatal::Stop;
  /// What is opened once the program runs, in this order; the first one that fails ends the walk. What
  /// only versions or symbols make fail is not taken back.
  std::vector<OpenRequest> dlopen_calls;
  std::vector<TagEdit> tag_edits;
  std::vector<NeedEdit> need_edits;
  std::uint64_t max_attempts = kMaxAttempts;  ///< places to look in; more are LimitReached
  Log* log = nullptr;                         ///< borrowed for the duration of the call
};

/// Does what the loader of `system` does for `file` in `process`, in trace mode: a library that is
/// not found leaves a placeholder and a LoadFailure, so that all of them are seen. The walk up to
/// the first failure is that of a normal start-up.
///
/// `file`: the program or library as the user names it (Start::Kernel, Start::Argument), or a
/// library name to open from a program without tags (Start::Dlopen).
/// The map shares `system` and `process`.
/// Errors: `file` itself cannot be read, a caller of a dlopen call is not in the process (NotFound), or a
/// limit is hit. What is wrong with dependencies is part of the answer.
Result<LinkMap> load(std::shared_ptr<const System> system, std::shared_ptr<const Process> process,
                     std::string_view file, const LoadOptions& options = {});

/// Gives an object what the edits of `options` say of its file; what they name is kept in `text`.
void edit_tags(LoadedObject& object, const LoadOptions& options, TextArena& text);

/// An object of a live process as a file: what is mapped, where it is known that its path has another one; else what
/// lies there. Texts are kept in `text`. Errors: those of open_object().
struct OpenedLiveObject {
  LoadedObject object;
  std::unique_ptr<File> file;
};
Result<OpenedLiveObject> open_live_object(const FileSystem& files, const LiveObject& live, const LoadOptions& options,
                                          TextArena& text);

/// Opens `path` (absolute) and reads it; `shown` is its name in errors.
Result<OpenedObject> open_object(const FileSystem& files, std::string_view path, std::string_view shown);
/// The same for a root that the caller has opened already, to learn which loader it wants.
Result<LinkMap> load(std::shared_ptr<const System> system, std::shared_ptr<const Process> process,
                     std::string_view file, OpenedObject opened, const LoadOptions& options = {});

/// `$ORIGIN` of an object in `map`; nullopt when it has none (elf/dl-object.c:_dl_new_object,
/// elf/dl-origin.c:_dl_get_origin).
std::optional<std::string> origin_of(const LinkMap& map, ObjectIndex object);

/// The file that kOwnProgram leads to: what the kernel has started; empty where no program is known.
std::string own_program(const LinkMap& map);

/// Does a failure end a program, with a line on standard error? If not, dlopen returns it.
bool ends_program(const LinkMap& map);

/// What a search would come to if nothing that is loaded counted.
struct LoneSearch {
  Outcome outcome = Outcome::NoSuchFile;
  std::string path;  ///< of the first file found; empty otherwise
  SearchTrace trace;
};

/// With Continue the search continues after each hit as if it were not there, so that the trace shows
/// every file of that name in reach.
enum class PastFirst : std::uint8_t { Stop, Continue };

/// Searches names on their own, outside the order of a walk: no match with what is loaded, by name
/// or by inode. Tells an edge that stands on its own from one that needs the load order. Does not
/// descend into dependencies. What it is made from must outlive it.
class LoneSearcher {
 public:
  LoneSearcher(const LinkMap& map);
  ~LoneSearcher();
  LoneSearcher(const LoneSearcher&) = delete;
  LoneSearcher& operator=(const LoneSearcher&) = delete;

  /// What `needer` would get if it asked for `name` now.
  LoneSearch search(ObjectIndex needer, std::string_view name, PastFirst past_first);

  /// Would the request `need` of `needer`, which a loaded object satisfied, fail on its own?
  bool is_fragile(ObjectIndex needer, const Need& need);

  /// The other file that the request `need` of `needer`, which a loaded object satisfied, would get on
  /// its own; empty when it would get the same one or none.
  std::string other_choice(ObjectIndex needer, const Need& need);

  /// All searches together have looked in kMaxAttempts places: from there on nothing is found.
  [[nodiscard]] bool is_spent() const;

 private:
  struct State;
  /// What the request would come to alone; nullptr if that is of no interest, because nothing was loaded
  /// for another one or the search is the same. Remembered where it is the same for many needers.
  const LoneSearch* alone(ObjectIndex needer, const Need& need);
  std::unique_ptr<State> state_;
};

}  // namespace soresolve
