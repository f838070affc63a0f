// Searches one name through the stages of ld.so, from the RPATH chain to the default directories.
//
// Source: glibc elf/dl-load.c:_dl_map_object (stages), open_path (one list), open_verify (one
// candidate). What is already loaded is not looked at here; see loader/walk_request.cc.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "elf/image_reader.h"
#include "loader/file_acceptance.h"
#include "loader/process.h"
#include "loader/search_path.h"
#include "loader/system.h"
#include "soresolve/link_map.h"

namespace soresolve {

/// The running kernel as loaders up to glibc 2.35 compare it with ABI notes (parse_os_release()); 0: they do not.
std::uint32_t kernel_version(const System& system, const Process& process);

/// A list with the object whose tag it is; `list` is null for none.
struct TaggedList {
  ObjectIndex owner = kNoObject;
  const SearchList* list = nullptr;
};

/// One name to search, with the lists that apply to it.
struct SearchRequest {
  std::string_view name;                    ///< tokens expanded
  std::span<const TaggedList> rpath_chain;  ///< empty when the needer has DT_RUNPATH
  TaggedList runpath;                       ///< of the needer
  bool names_a_path = false;                ///< had a slash, even if expansion has left nothing
  bool bars_default_dirs = false;           ///< DF_1_NODEFLIB of the needer
  bool is_secure_preload = false;           ///< a preload under AT_SECURE
  OpenedAs opened_as = OpenedAs::Library;
  bool goes_on_after_hit = false;  ///< record hits and search on, as if they were absent
};

/// What came of a search. On Loaded the file stands open in the NameSearch.
struct SearchResult {
  Outcome outcome = Outcome::NoSuchFile;  ///< Loaded, NoSuchFile, WrongClass, Fatal, WouldCrash, …
  std::string_view path;                  ///< of the file found, or of the candidate that is fatal;
                                          ///< borrows from the NameSearch until its next search
  SearchStep step = SearchStep::Path;
  ObjectIndex owner = kNoObject;
  std::string_view entry;         ///< list element as written
  std::string_view subdirectory;  ///< borrows from the NameSearch
  std::string_view text;          ///< the loader's words on a fatal candidate
  std::string reason;             ///< why it would crash
  Errno error = Errno::None;      ///< errno that a message would carry
};

class NameSearch {
 public:
  /// Both must outlive the search.
  NameSearch(const System& system, const Process& process, std::uint64_t max_attempts = kMaxAttempts);
  NameSearch(const NameSearch&) = delete;
  NameSearch& operator=(const NameSearch&) = delete;

  [[nodiscard]] DirectoryTable& directories() { return directories_; }
  /// Splits LD_LIBRARY_PATH with the program's token values. Called once, before the first search.
  void set_library_path(std::string_view value, const TokenValues& program);

  /// What /proc/self/exe leads to: the file that the kernel has started. Not this process's own, so that where none is
  /// set, or /proc is not mounted, there is no such file.
  void set_program(std::string path) { program_ = std::move(path); }

  /// `trace` collects the attempts; may be null.
  SearchResult search(const SearchRequest& request, SearchTrace* trace);

  /// Clears errno, as elf/dl-deps.c:_dl_map_object_deps does before the first dependency.
  void clear_errno() { errno_ = Errno::None; }

  /// Whether the last search met a file that this process, or the machine, has no descriptor left
  /// for. Its result then says nothing about the files.
  [[nodiscard]] bool lacks_descriptors() const { return lacks_descriptors_; }

  /// Places that all searches together have looked in.
  [[nodiscard]] std::uint64_t attempts() const { return attempts_; }
  /// They were as many as are allowed: the last search has ended early, and found nothing.
  [[nodiscard]] bool is_spent() const { return attempts_ >= max_attempts_; }
  /// The traces so far are not kept: their attempts do not count for those to come.
  void forget_traces() { kept_ = 0; }

  /// The file that the last search opened, and its headers.
  [[nodiscard]] ImageReader& reader() { return *reader_; }
  [[nodiscard]] const File& file() const { return *file_; }
  [[nodiscard]] std::unique_ptr<File> take_file() {
    reader_.reset();
    return std::move(file_);
  }

 private:
  struct Candidate {
    Outcome outcome = Outcome::NoSuchFile;
    std::string_view text;
    std::string reason;
  };
  static void settle(SearchResult& result, SearchStep step, std::string_view path, Candidate&& candidate);
  Candidate open_candidate(std::string_view path, const SearchRequest& request);
  [[nodiscard]] bool keeps(SearchTrace* trace, SearchStep step, Outcome outcome, const SearchRequest& request);
  [[nodiscard]] bool probe_directory(std::string_view directory, std::string_view subdirectory);
  bool search_list(const TaggedList& tagged, SearchStep step, const SearchRequest& request, SearchTrace* trace,
                   SearchResult& result);
  bool search_element(const ListElement& element, const TaggedList& tagged, SearchStep step,
                      const SearchRequest& request, SearchTrace* trace, SearchResult& result, bool& is_here);
  bool search_cache(const SearchRequest& request, SearchTrace* trace, SearchResult& result);
  bool search_path(const SearchRequest& request, SearchTrace* trace, SearchResult& result);
  bool search_stages(const SearchRequest& request, SearchTrace* trace, SearchResult& result);

  const System& system_;
  const Process& process_;
  std::string program_;
  std::vector<std::string> hwcaps_;
  std::vector<std::string> subdirectories_;
  CacheQuery cache_query_;
  DirectoryTable directories_;
  SearchList library_path_;
  SearchList system_list_;
  std::uint32_t os_version_ = 0;

  // errno is a variable of the process, not of a request: a request that makes no system call
  // reports the one before.
  Errno errno_ = Errno::None;
  bool found_other_class_ = false;
  bool lacks_descriptors_ = false;
  bool is_cache_known_ = false;
  std::uint64_t max_attempts_;
  std::uint64_t attempts_ = 0;
  std::uint64_t kept_ = 0;  ///< attempts in traces
  std::string buffer_;
  std::string first_hit_;  ///< path of the first hit of a search that goes on
  std::unique_ptr<File> file_;
  std::optional<ImageReader> reader_;
};

}  // namespace soresolve
