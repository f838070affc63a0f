// One walk over the dependencies of one root: the state behind load().
//
// Source: glibc elf/rtld.c:dl_main (start-up, preloads, place of ld.so), elf/dl-deps.c:
// _dl_map_object_deps (breadth first, filters), elf/dl-load.c:_dl_map_object (one request),
// _dl_map_object_from_fd (mapping).
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "elf/dynamic_reader.h"
#include "loader/load.h"
#include "loader/name_index.h"
#include "loader/name_search.h"
#include "loader/preload.h"
#include "loader/process.h"
#include "loader/search_lists.h"
#include "loader/system.h"

namespace soresolve {

/// A filtee may be walked a second time when another object asks for it, or be loaded again when the
/// first copy is out of sight; it comes to this often only in a circle.
inline constexpr std::uint8_t kMaxRounds = 32;
inline constexpr std::string_view kCircle = "DT_AUXILIARY or DT_FILTER lead in a circle: the loader runs out of stack";
/// Since 2.41, of a file that is opened (elf/dl-load.c:_dl_map_object_from_fd).
/// The line with which a start ends whose program wants such a stack where none may have it.
inline constexpr std::string_view kExecStackForbidden = "Fatal glibc error: executable stack is not allowed";
inline constexpr std::string_view kExecStackRefused = "cannot enable executable stack as shared object requires";

class Walk {
 public:
  Walk(std::shared_ptr<const System> system, std::shared_ptr<const Process> process, const LoadOptions& options);
  /// Does the whole start-up for `file`; once per Walk. `opened` is empty for a dlopen.
  Result<LinkMap> run(std::string_view file, OpenedObject opened);

 private:
  /// What a request came to. `object` is kNoObject when nothing is to be queued.
  struct Resolved {
    ObjectIndex object = kNoObject;
    HowFound resolution = HowFound::NotFound;
  };
  /// An element of the breadth-first queue: a singly linked list, because filters insert into it.
  struct QueueNode {
    ObjectIndex object = kNoObject;
    bool is_done = false;
    int next = -1;
  };

  // Start-up, in order.
  std::optional<Error> start_main(std::string_view file, OpenedObject opened);
  std::optional<Error> accept_argument(const OpenedObject& opened, std::string_view file) const;
  void add_loader();
  void add_vdso();
  [[nodiscard]] std::vector<PreloadName> preload_names() const;
  void load_preloads();
  std::optional<Error> adopt_live_objects();
  std::optional<Error> add_live_object(const LiveObject& live);
  void name_live_loader(const LiveObject& live);
  void guess_names();
  void list_global_scope();
  std::optional<Error> queue_roots(std::string_view file);
  std::vector<ObjectIndex> walk_dependencies();
  void make_dlopen_calls();
  void open_also(const OpenRequest& request, std::size_t number);
  struct Before;
  [[nodiscard]] Before note_state() const;
  void take_back(const Before& before, const OpenRequest& dlopen_call);
  void list_anew();
  void note_out_of_sight();
  [[nodiscard]] bool can_have_space(const OpenRequest& dlopen_call, ObjectIndex caller);
  void enter_space(std::uint32_t space);
  [[nodiscard]] std::optional<ObjectIndex> find_caller(const std::string& caller) const;
  [[nodiscard]] bool is_loaded(std::string_view path) const;
  void place_loader();
  void check_version_files();
  void check_opened_version_files();
  enum class CheckGoes : std::uint8_t { On, Over };
  CheckGoes check_version_files_of(ObjectIndex object);
  void note_auditors();
  [[nodiscard]] bool check_program_strings();
  [[nodiscard]] bool check_start_arguments();
  [[nodiscard]] bool check_program_stack();

  // The queue.
  int follow_filter(int node, const NeedEntry& entry);
  void append_to_queue(ObjectIndex object);
  void give_up_circle(ObjectIndex object);
  void give_up_unmapped_name(ObjectIndex object);
  enum class EndsTrace : std::uint8_t { No, Yes };
  [[nodiscard]] bool is_program_first() const;
  void assert_program_first(EndsTrace ends_trace);
  [[nodiscard]] bool check_loader_is_not_first();
  void check_loader_place();
  void move_before(ObjectIndex moved, ObjectIndex anchor);

  /// Is what is asked for now asked for by a dlopen?
  [[nodiscard]] bool is_in_dlopen() const { return process_.start == Start::Dlopen || !map_.dlopen_calls.empty(); }

  // One request.
  Resolved request(ObjectIndex needer, NeedKind kind, std::string_view written);
  Resolved search_and_map(ObjectIndex needer, Need& need, std::uint32_t need_index);
  SearchResult search_for(ObjectIndex needer, const Need& need, SearchTrace* trace);
  [[nodiscard]] LoadFailure failure_of(const SearchResult& found, std::string_view name) const;
  Resolved map_found_file(ObjectIndex needer, Need& need, std::uint32_t need_index, SearchResult& found);
  std::optional<ObjectIndex> find_as_file(std::string_view name, const FileId& id, std::string_view path);
  /// Why a file that was found is not mapped.
  struct Refusal {
    LoadFailure::Kind kind = LoadFailure::Kind::FatalFile;
    std::string text;
    Errno error = Errno::None;
    bool is_on_noexec = false;
  };
  std::variant<ElfObject, Refusal> read_found_file(const Need& need, const SearchResult& found, const FileId& id);
  ObjectIndex add_found_file(ObjectIndex needer, const Need& need, const SearchResult& found, const FileStatus& status,
                             ElfObject&& elf);
  Resolved give_up(ObjectIndex needer, const Need& need, std::uint32_t need_index, LoadFailure failure);
  [[nodiscard]] bool can_have_exec_stack(const ElfObject& elf);
  ObjectIndex add_placeholder(ObjectIndex needer, const Need& need);
  std::optional<ObjectIndex> find_loaded(std::string_view name, HowFound& how);
  [[nodiscard]] std::optional<ObjectIndex> find_unmapped_name(ObjectIndex needer, const Need& need,
                                                              std::optional<ObjectIndex> loaded) const;
  [[nodiscard]] bool has_libc() const;  ///< in the namespace
  [[nodiscard]] std::optional<ObjectIndex> find_same_file(const FileId& id) const;
  [[nodiscard]] std::size_t count_hidden_copies(const FileId& id) const;
  void keep_file(LoadedObject& object, std::unique_ptr<File> file);
  std::optional<std::string_view> expand_need(ObjectIndex needer, NeedKind kind, std::string_view written,
                                              Resolved& resolved);
  void add_name(ObjectIndex object, std::string_view name);

  ObjectIndex add_object(LoadedObject object);
  std::string_view keep(std::string_view text);

  const System& system_;
  const Process& process_;
  LoadOptions options_;
  NameSearch search_;
  SearchLists lists_;
  LinkMap map_;
  NameIndex index_;
  std::unordered_multimap<std::uint64_t, ObjectIndex> by_inode_;  ///< st_ino of each library
  std::uint32_t open_files_ = 0;
  std::vector<ObjectIndex> list_;  ///< the namespace list
  /// Where every walk over that list begins (_ns_loaded): what was loaded first, the program in its namespace.
  ObjectIndex head_ = kNoObject;
  /// What belongs to one namespace, kept while another one is worked in.
  struct Space {
    NameIndex index;
    std::unordered_multimap<std::uint64_t, ObjectIndex> by_inode;
    std::vector<ObjectIndex> list;
    ObjectIndex head = kNoObject;
  };
  std::vector<Space> spaces_;  ///< by number; that of `space_` is in use, not here
  std::uint32_t space_ = 0;
  bool only_if_loaded_ = false;  ///< RTLD_NOLOAD, for the file that is opened
  bool is_absent_ = false;       ///< it was found, and is not loaded
  /// The call that is made is one that fails: its first failure ends it, so that nothing behind that is requested
  /// or moved, and the names that it leaves to older objects are not of files that stay open.
  bool is_taken_back_ = false;
  std::vector<bool> is_queued_;        ///< l_reserved
  bool has_unmapped_names_ = false;    ///< some object has
  std::vector<bool> is_out_of_sight_;  ///< moved before the head of its namespace's list by a filter
  std::vector<QueueNode> queue_;
  int queue_tail_ = -1;
  ObjectIndex walk_root_ = 0;  ///< whose dependencies are walked: the program, or what is opened
  /// The search list of each object that was opened, made by the first call that came so far (l_searchlist).
  std::unordered_map<ObjectIndex, std::vector<ObjectIndex>> own_lists_;
  std::vector<std::uint8_t> walks_;  ///< how often each object's dependencies were walked
  ObjectIndex loader_object_ = kNoObject;
  std::vector<ObjectIndex> live_places_;  ///< of the program and LiveProcess::objects
  bool has_exec_stack_ = false;           ///< the stack is executable already
  bool is_adopting_ = false;              ///< a live process: nothing is searched for
  bool is_over_ = false;                  ///< a failure ended the walk
  std::optional<Error> error_;            ///< a limit was hit
  DynamicScratch scratch_;
  SearchTrace logged_;  ///< of the search that is made, where only the log wants its attempts
};

}  // namespace soresolve
