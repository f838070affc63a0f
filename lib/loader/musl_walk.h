// One walk over the dependencies of one root as musl's loader makes it: the state behind load().
//
// Source: musl 1.2 ldso/dynlink.c:__dls3 (the start), load_preload, load_deps, load_library (one request), path_open
// (one list), fixup_rpath, map_library, dlopen.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/dynamic_reader.h"
#include "elf/table_reader.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {

/// Which of the names that are libc itself a request is ("libm.so.6": 3); nullopt: none of them.
std::optional<std::size_t> reserved_musl_name(std::string_view name);
constexpr Errno errno_of(int number) { return static_cast<Errno>(number); }
/// errno in musl's own words.
std::string musl_errno_text(Errno error);

struct LiveObject;

class MuslWalk {
 public:
  MuslWalk(std::shared_ptr<const System> system, std::shared_ptr<const Process> process, const LoadOptions& options);
  /// Does the whole start-up for `file`; once per walk. `opened` is empty for a dlopen.
  Result<LinkMap> run(std::string_view file, OpenedObject opened);

 private:
  /// What a request came to.
  struct Resolved {
    ObjectIndex object = kNoObject;
    HowFound resolution = HowFound::NotFound;
  };
  /// What of an object only musl knows.
  struct Known {
    std::optional<std::string> shortname;
    std::optional<std::string> rpath;  ///< with its tokens expanded, once somebody came by
    bool has_deps = false;
  };
  enum class Opened : std::uint8_t { Yes, Continue, Stop };

  std::optional<Error> start_main(std::string_view file, OpenedObject opened);
  std::optional<Error> adopt_live_objects();
  std::optional<Error> add_live_object(const LiveObject& live);
  void list_live_scope(const std::vector<ObjectIndex>& places);
  void load_preloads();
  void load_deps(std::size_t from);
  void load_direct_deps(ObjectIndex object);
  void make_dlopen_calls();
  void open_also(const OpenRequest& dlopen_call, std::size_t number);
  void take_back(std::size_t objects);

  Resolved request(ObjectIndex needer, ObjectIndex searcher, NeedKind kind, std::string_view name);
  Resolved load_library(ObjectIndex searcher, std::string_view name, Need& need);
  Resolved itself(HowFound how);
  Opened open_path(std::string_view path);
  Opened search(std::string_view name, std::string_view list, SearchStep step, ObjectIndex owner);
  Opened search_all(ObjectIndex searcher, std::string_view name);
  bool make_rpath(ObjectIndex object);
  Resolved map_file(ObjectIndex searcher, std::string_view name, bool is_searched, Need& need);
  std::optional<ElfObject> read_library(std::string_view path);
  [[nodiscard]] bool is_in_the_way(const ElfObject& elf) const;
  [[nodiscard]] bool maps_nothing(const std::vector<Segment>& segments) const;
  void note(SearchStep step, ObjectIndex owner, std::string_view entry, std::string_view path, Outcome outcome);
  void fail(ObjectIndex needer, const Need& need);
  ObjectIndex add_object(LoadedObject object, Known known);
  [[nodiscard]] std::string_view shown(ObjectIndex object) const;
  std::string_view keep(std::string_view text) { return map_.text.keep(text); }

  const System& system_;
  const Process& process_;
  LoadOptions options_;
  LinkMap map_;
  std::vector<Known> known_;       ///< by object
  std::vector<ObjectIndex> list_;  ///< musl's own, from the program on
  std::string program_;            ///< what messages call the program
  ObjectIndex loader_ = kNoObject;
  Errno errno_ = Errno::None;  ///< of the process: what no call has set since is the one before
  bool knows_system_path_ = false;
  bool only_if_loaded_ = false;
  bool is_on_noexec_ = false;  ///< the file that was refused lies there
  bool blocks_ = false;        ///< a FIFO: the loader waits
  std::string death_;          ///< the loader dies of the file, of this; empty: it does not
  bool is_over_ = false;
  std::uint32_t open_files_ = 0;
  std::uint64_t attempts_ = 0;
  SearchTrace* trace_ = nullptr;
  FoundAt found_;
  std::string path_;  ///< of the file that is open
  std::unique_ptr<File> file_;
  std::optional<Error> error_;
  DynamicScratch scratch_;
  TableScratch tables_;
};

}  // namespace soresolve
