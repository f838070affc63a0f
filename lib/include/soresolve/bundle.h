// What has to come along so that files work in another root: the smallest list of files and links, judged there.
//
// The target is asked, not assumed: FILE alone is laid over the target in memory, the target's loader is played, and
// what it misses is taken from the source, until it misses nothing. So what the target has already stays out, and what
// is on the list is what its loader opens. Nothing is written.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/answer.h"
#include "soresolve/api.h"
#include "soresolve/command_text.h"
#include "soresolve/diagnose.h"
#include "soresolve/dlopens.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"
#include "soresolve/world.h"

namespace soresolve SORESOLVE_API {

enum class BundledKind : std::uint8_t { Directory, Link, File };
std::string_view name_of(BundledKind kind);  ///< "directory", "link", "file"

/// Why it comes along.
enum class BundledFor : std::uint8_t {
  Asked,        ///< it is what was asked about
  Interpreter,  ///< a script that was asked about names it, or it is the program whose process a library has
  Loader,       ///< PT_INTERP
  Needed,       ///< an object of the process needs it
  OpenedLater,  ///< dlopen
};
std::string_view name_of(BundledFor reason);  ///< "asked", "interpreter", "loader", "needed", "opened-later"

/// One thing to be brought.
struct BundledEntry {
  BundledKind kind = BundledKind::File;
  std::string path;    ///< in the target, without links
  std::string source;  ///< in the source, without links; empty: the source has no such link or directory
  std::string link;    ///< of a link: where it leads, as written
  std::uint32_t mode = 0;
  std::uint64_t size_bytes = 0;
  BundledFor reason = BundledFor::Needed;
  std::string name;       ///< by which it was asked for; empty: by its path
  std::string needed_by;  ///< who asked first; empty: nobody did
  bool replaces = false;  ///< the target has another file there
};

/// What the processes have in the source, and what is not brought.
struct BundleLeftOut {
  enum class Why : std::uint8_t {
    Same,      ///< the target has the very content at this path
    Serves,    ///< the target's search finds another file, which has the versions and symbols
    OfDriver,  ///< the NVIDIA driver of the host that it will run on brings it
  } why = Why::Same;
  std::string name;    ///< by which it is asked for
  std::string source;  ///< path
  std::string target;  ///< path of what serves there; empty for the driver's
};
std::string_view name_of(BundleLeftOut::Why why);  ///< "same", "serves", "driver"

/// The target has another file that does not do, or something in the way, and keeps it.
struct BundleConflict {
  std::string name;
  std::string source;
  std::string target;
};

/// The target's search does not lead to a directory of the list: a change that makes it do so, tried.
struct BundleSearch {
  enum class Kind : std::uint8_t { LibraryPath, Configuration, SearchTag } kind = Kind::LibraryPath;
  std::vector<CommandText> lines;  ///< "LD_LIBRARY_PATH=DIR", or commands; run in the target
  bool works = false;
};
std::string_view name_of(BundleSearch::Kind kind);  ///< "library-path", "configuration", "search-tag"

/// One FILE, judged in the target with all that is listed (and the first search line that works).
struct BundledProgram {
  std::string file;  ///< as it was asked about
  Verdict verdict = Verdict::Works;
  bool is_static = false;            ///< no loader is involved: nothing to judge
  bool fails_in_source = false;      ///< then it is not tried in the target, and this is about the source
  std::optional<Answer> answer;      ///< in the target; none where it could not be walked, or is static
  std::optional<Error> error;        ///< why it could not be walked there
  std::vector<std::string> missing;  ///< opened later in the source, and not loaded in the target
};

struct Bundle {
  std::vector<BundledEntry> entries;  ///< by path: what comes before is what is needed for what follows
  std::vector<BundleLeftOut> left_out;
  std::vector<BundleConflict> conflicts;  ///< of FILEs that do not work in the target
  std::vector<BundleSearch> search;       ///< those that work first; empty: the target's search finds all
  std::vector<BundledProgram> programs;
  std::uint64_t size_bytes = 0;  ///< of all files
  std::size_t file_count = 0;
  std::size_t link_count = 0;
  bool has_hwcaps = false;     ///< something was chosen for the processor (glibc-hwcaps)
  bool converts_text = false;  ///< iconv_open(3) is called: gconv modules are not on the list

  /// Do all FILEs work in the target, with a search line if one is there?
  [[nodiscard]] bool works() const;
};

struct BundleOptions {
  std::shared_ptr<const FileSystem> target = {};  ///< null: an empty root
  DlopenLevel dlopens = DlopenLevel::Known;
  bool judges_cuda = true;
  std::string prefix = {};                    ///< libraries go there, under the names they are asked for by
  std::vector<std::string> environment = {};  ///< "NAME=VALUE" of the processes in the target
  unsigned jobs = 1;
};

inline constexpr std::size_t kMaxBundleEntries = 20000;

/// What `files` (as World::resolve() takes them; scripts, too) need in the target. Errors: a file cannot be read or
/// asked about in `world`; LimitReached.
Result<Bundle> bundle(World& world, const std::vector<std::string>& files, const BundleOptions& options = {});

}  // namespace SORESOLVE_API
