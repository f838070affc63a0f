// search_stages() is glibc's elf/dl-load.c:_dl_map_object from RPATH on, search_list() is open_path(): errno decides
// whether a list goes on. Left out: what is loaded already (walk_request.cc), which lists count (search_lists.cc),
// LD_AUDIT.
#include "loader/name_search.h"

#include <algorithm>
#include <cerrno>

#include "loader/cpu.h"
#include "loader/hwcaps.h"
#include "loader/process.h"
#include "loader/system.h"
#include "loader/tunables.h"

namespace soresolve {
namespace {

constexpr std::uint32_t kSetuidBit = 04000;

Errno to_errno(int number) { return static_cast<Errno>(number); }

Outcome outcome_of(Errno error) {
  if (error == to_errno(ENOENT)) return Outcome::NoSuchFile;
  if (error == to_errno(EACCES)) return Outcome::PermissionDenied;
  return Outcome::OpenFailed;
}

bool is_opened(Outcome outcome) { return outcome == Outcome::Loaded; }

/// The mask of glibc.cpu.hwcap_mask, or of its other name LD_HWCAP_MASK, which only legacy subdirectories
/// and legacy cache entries obey. The tunable wins; of the other name the first counts.
std::uint64_t legacy_mask(const System& system, const Process& process) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  constexpr std::string_view kAlias = "LD_HWCAP_MASK=";
  if (process.secure) return kAll;
  const Tunables tunables(system.rules, process);
  if (const auto mask = tunables.number("glibc.cpu.hwcap_mask", {})) return *mask;
  for (const std::string_view variable : process.environment.entries()) {
    if (variable.starts_with(kAlias)) return read_loader_number(variable.substr(kAlias.size())).value;
  }
  return kAll;
}

Cpu masked_cpu(const Process& process, std::uint64_t mask) {
  Cpu cpu = process.cpu;
  if (mask == ~std::uint64_t{0}) return cpu;
  std::vector<std::string> names;
  std::uint64_t bits = 0;
  std::uint64_t bit = 1;
  std::size_t next = 0;
  for (; next < cpu.legacy_names.size() && bit != 0; bit <<= 1) {
    if ((cpu.legacy_bits & bit) == 0) continue;
    if ((mask & bit) != 0) {
      names.push_back(cpu.legacy_names[next]);
      bits |= bit;
    }
    ++next;
  }
  cpu.legacy_names = std::move(names);
  cpu.legacy_bits = bits;
  return cpu;
}

/// sysdeps/unix/sysv/linux/dl-librecon.h:_dl_osversion_init (<= 2.35): up to three numbers, each as strtoul(3) reads
/// it, below 255; what follows the third does not count. 0: it is none.
std::uint32_t read_assumed_kernel(std::string_view text) {
  std::uint32_t version = 0;
  for (unsigned part = 0; part < 3; ++part) {
    const LoaderNumber number = read_loader_number(text);
    const bool is_end = number.length == text.size();
    if (number.value >= 255 || number.length == 0) return 0;
    if (part < 2 && !is_end && text[number.length] != '.') return 0;
    version |= static_cast<std::uint32_t>(number.value) << (16 - 8 * part);
    if (is_end) break;
    text.remove_prefix(number.length + 1);
  }
  return version;
}

}  // namespace

std::uint32_t kernel_version(const System& system, const Process& process) {
  if (!system.rules.tests_abi_note) return 0;
  const std::uint32_t running = parse_os_release(process.os_release);
  if (const auto assumed = process.environment.value("LD_ASSUME_KERNEL")) {
    // It can make the kernel look older, never newer; AT_SECURE does not take it away.
    const std::uint32_t version = read_assumed_kernel(*assumed);
    if (version != 0) return running == 0 ? version : std::min(version, running);
  }
  return running;
}

NameSearch::NameSearch(const System& system, const Process& process, std::uint64_t max_attempts)
    : system_(system), process_(process), directories_(0, false), os_version_(kernel_version(system, process)),
      max_attempts_(max_attempts) {
  const Cpu cpu = masked_cpu(process, legacy_mask(system, process));
  hwcaps_ = active_hwcaps(system.rules, cpu);
  subdirectories_ = capability_subdirectories(system.rules, cpu);
  directories_ = DirectoryTable(subdirectories_.size(), system.rules.empty_element_is_dot);
  system_list_ = directories_.make_system_list(system.rules.system_dirs);
  cache_query_.hwcaps = hwcaps_;
  cache_query_.isa_level_bits = (1u << std::clamp(cpu.isa_level, 1, 31)) - 1;
  cache_query_.legacy_hwcap = cpu.legacy_bits;
  cache_query_.legacy_platform = cpu.legacy_platform_bit;
  cache_query_.os_version = os_version_;
}

void NameSearch::set_library_path(std::string_view value, const TokenValues& program) {
  library_path_ = directories_.make_list(value, ListSyntax::Environment, program);
}

NameSearch::Candidate NameSearch::open_candidate(std::string_view path, const SearchRequest& request) {
  reader_.reset();
  file_.reset();
  if (path.empty()) {
    errno_ = to_errno(ENOENT);
    return {Outcome::NoSuchFile, {}, {}};
  }
  Result<std::unique_ptr<File>, Errno> opened = Unexpected{to_errno(ENOENT)};
  if (path != kOwnProgram) {
    opened = path.starts_with('/') ? system_.files->open(path) : system_.files->open(absolute_path(path, process_.cwd));
  } else if (process_.has_proc && !program_.empty()) {
    opened = system_.files->open(program_);
  }
  if (!opened) {
    errno_ = opened.error();
    lacks_descriptors_ |= errno_ == to_errno(EMFILE) || errno_ == to_errno(ENFILE);
    return {outcome_of(errno_), {}, {}};
  }
  if ((*opened)->status().kind == FileKind::Fifo) {
    return {Outcome::WouldBlock, {}, "it is a FIFO: the loader would wait for a writer"};
  }
  errno_ = Errno::None;
  file_ = std::move(opened).value();
  reader_.emplace(*file_);
  Acceptance acceptance = verify_candidate(*reader_, system_.rules, request.opened_as, os_version_);
  errno_ = acceptance.error;
  if (acceptance.outcome == Outcome::WrongClass) found_other_class_ = true;
  if (acceptance.outcome == Outcome::Loaded && request.is_secure_preload &&
      request.name.find('/') == std::string_view::npos && (file_->status().mode & kSetuidBit) == 0) {
    errno_ = to_errno(ENOENT);
    return {Outcome::NotSetuid, {}, {}};
  }
  return {acceptance.outcome, acceptance.text, std::move(acceptance.reason)};
}

/// Is there room for one more attempt in the trace? If not, it is counted. What ends a search always has room.
bool NameSearch::keeps(SearchTrace* trace, SearchStep step, Outcome outcome, const SearchRequest& request) {
  if (trace == nullptr) return false;
  const bool is_end = ends_start(outcome) || (is_opened(outcome) && !request.goes_on_after_hit);
  const bool is_of_list = step != SearchStep::Cache && step != SearchStep::DefaultDirs;
  const bool is_full = kept_ >= kMaxKeptAttempts || (is_of_list && trace->attempts.size() >= kMaxAttemptsOfOne);
  if (is_full && !is_end) {
    ++trace->left_out;
    return false;
  }
  ++kept_;
  return true;
}

/// stat(2) on a directory after the first miss in it. Sets errno_ where the call would.
bool NameSearch::probe_directory(std::string_view directory, std::string_view subdirectory) {
  std::string path(directory);
  path += subdirectory;
  // Up to 2.37 one character too many is cut off, which turns "/" into "".
  if (system_.rules.root_dir_is_missing) path.pop_back();
  if (path.empty()) {
    errno_ = to_errno(ENOENT);
    return false;
  }
  Result<FileStatus, Errno> status = system_.files->status(absolute_path(path, process_.cwd));
  if (!status) {
    errno_ = status.error();
    return false;
  }
  return status->kind == FileKind::Directory;
}

/// All subdirectories of one directory; true when the search is over.
bool NameSearch::search_element(const ListElement& element, const TaggedList& tagged, SearchStep step,
                                const SearchRequest& request, SearchTrace* trace, SearchResult& result, bool& is_here) {
  for (std::size_t i = 0; i < subdirectories_.size(); ++i) {
    SearchDirectory& directory = directories_.at(element.directory);
    if (is_spent()) return true;
    ++attempts_;
    const auto record = [&](Outcome outcome, std::string_view text, bool is_printed) {
      if (!keeps(trace, step, outcome, request)) return;
      trace->attempts.push_back({step, tagged.owner, std::string(element.written), directory.name, subdirectories_[i],
                                 is_printed ? buffer_ : std::string(), outcome, errno_, std::string(text), is_printed});
    };
    const auto stop_at = [&](std::string_view path) {
      result.path = path;
      result.step = step;
      result.owner = tagged.owner;
    };
    if (directory.status[i] == DirectoryStatus::Nonexisting) {
      record(Outcome::SkippedDirectory, {}, false);
      continue;
    }
    buffer_.assign(directory.name).append(subdirectories_[i]).append(request.name);
    Candidate candidate = open_candidate(buffer_, request);
    const bool opened = is_opened(candidate.outcome);
    if (ends_start(candidate.outcome)) {
      record(candidate.outcome, candidate.text.empty() ? candidate.reason : candidate.text, true);
      result.outcome = candidate.outcome;
      result.text = candidate.text;
      result.reason = std::move(candidate.reason);
    } else if (directory.status[i] == DirectoryStatus::Unknown) {
      const bool exists =
          opened || candidate.outcome == Outcome::NotSetuid || probe_directory(directory.name, subdirectories_[i]);
      directory.status[i] = exists ? DirectoryStatus::Existing : DirectoryStatus::Nonexisting;
      if (!exists && candidate.outcome == Outcome::NoSuchFile) {
        candidate.outcome = Outcome::NoSuchDirectory;
      }
    }
    is_here |= directory.status[i] != DirectoryStatus::Nonexisting;
    if (ends_start(candidate.outcome)) {
      stop_at(buffer_);
      return true;
    }
    record(candidate.outcome, candidate.text, true);
    if (!opened) continue;
    if (request.goes_on_after_hit) {
      if (result.outcome != Outcome::Loaded) {
        result.outcome = Outcome::Loaded;
        first_hit_ = buffer_;
        stop_at(first_hit_);
      }
      errno_ = to_errno(ENOENT);
      continue;
    }
    result.outcome = Outcome::Loaded;
    stop_at(buffer_);
    result.entry = element.written;
    result.subdirectory = subdirectories_[i];
    return true;
  }
  return false;
}

bool NameSearch::search_list(const TaggedList& tagged, SearchStep step, const SearchRequest& request,
                             SearchTrace* trace, SearchResult& result) {
  if (tagged.list == nullptr) return false;
  for (const ListElement& element : *tagged.list) {
    bool is_here = false;
    if (search_element(element, tagged, step, request, trace, result, is_here)) return true;
    // Any other errno than these ends the list, but not the search.
    const bool goes_on = errno_ == to_errno(ENOENT) || errno_ == to_errno(EACCES) ||
                         (errno_ == to_errno(ENOTDIR) && !system_.rules.enotdir_ends_list);
    if (is_here && !goes_on) return false;
  }
  return false;
}

/// The one candidate of a stage that has no list, found or fatal, ends the search.
void NameSearch::settle(SearchResult& result, SearchStep step, std::string_view path, Candidate&& candidate) {
  result.outcome = candidate.outcome;
  result.path = path;
  result.step = step;
  result.text = candidate.text;
  result.reason = std::move(candidate.reason);
}

bool NameSearch::search_cache(const SearchRequest& request, SearchTrace* trace, SearchResult& result) {
  const auto record = [&](std::string_view value, Outcome outcome, std::string_view text, bool is_printed) {
    if (!keeps(trace, SearchStep::Cache, outcome, request)) return;
    trace->attempts.push_back({SearchStep::Cache,
                               kNoObject,
                               system_.rules.cache_path,
                               {},
                               {},
                               std::string(value),
                               outcome,
                               errno_,
                               std::string(text),
                               is_printed});
  };
  if (!system_.has_cache) {
    // The loader looks for the file once; later requests make no call that could set errno.
    if (!is_cache_known_ && !system_.cache_status) errno_ = to_errno(ENOENT);
    is_cache_known_ = true;
    record({}, Outcome::NoCache, {}, false);
    return false;
  }
  const std::optional<std::string_view> value = system_.cache.lookup(request.name, cache_query_);
  if (!value) {
    record({}, Outcome::NotInCache, {}, false);
    return false;
  }
  if (request.bars_default_dirs) {
    for (const std::string& directory : system_.rules.system_dirs) {
      if (!value->starts_with(directory)) continue;
      record(*value, Outcome::CacheEntryBarred, {}, true);
      return false;
    }
  }
  Candidate candidate = open_candidate(*value, request);
  record(*value, candidate.outcome, candidate.text.empty() ? std::string_view(candidate.reason) : candidate.text, true);
  if (!is_opened(candidate.outcome) && !ends_start(candidate.outcome)) return false;
  if (is_opened(candidate.outcome) && request.goes_on_after_hit) {
    if (result.outcome != Outcome::Loaded) {
      result.outcome = Outcome::Loaded;
      result.path = *value;
      result.step = SearchStep::Cache;
    }
    return false;
  }
  settle(result, SearchStep::Cache, *value, std::move(candidate));
  return true;
}

/// A name with a slash: that file and no other.
bool NameSearch::search_path(const SearchRequest& request, SearchTrace* trace, SearchResult& result) {
  ++attempts_;
  Candidate candidate = open_candidate(request.name, request);
  if (keeps(trace, SearchStep::Path, candidate.outcome, request)) {
    trace->attempts.push_back({SearchStep::Path,
                               kNoObject,
                               {},
                               {},
                               {},
                               std::string(request.name),
                               candidate.outcome,
                               errno_,
                               std::string(candidate.text.empty() ? candidate.reason : candidate.text),
                               false});
  }
  if (!is_opened(candidate.outcome) && !ends_start(candidate.outcome)) return false;
  settle(result, SearchStep::Path, request.name, std::move(candidate));
  return true;
}

bool NameSearch::search_stages(const SearchRequest& request, SearchTrace* trace, SearchResult& result) {
  // RPATH of the needer, of who loaded it, and so on; the caller leaves it out under RUNPATH.
  for (const TaggedList& tagged : request.rpath_chain) {
    if (search_list(tagged, SearchStep::Rpath, request, trace, result)) return true;
  }
  if (search_list({kNoObject, &library_path_}, SearchStep::LibraryPath, request, trace, result)) {
    return true;
  }
  if (search_list(request.runpath, SearchStep::Runpath, request, trace, result)) return true;
  // A preload of a set-uid program must lie in a trusted directory; the cache is not asked.
  if (!request.is_secure_preload && search_cache(request, trace, result)) return true;
  if (request.bars_default_dirs) {
    if (keeps(trace, SearchStep::DefaultDirs, Outcome::DefaultDirsBarred, request)) {
      trace->attempts.push_back(
          {SearchStep::DefaultDirs, kNoObject, {}, {}, {}, {}, Outcome::DefaultDirsBarred, errno_, {}, false});
    }
    return false;
  }
  return search_list({kNoObject, &system_list_}, SearchStep::DefaultDirs, request, trace, result);
}

SearchResult NameSearch::search(const SearchRequest& request, SearchTrace* trace) {
  SearchResult result;
  found_other_class_ = false;
  lacks_descriptors_ = false;
  const bool is_over = request.names_a_path || request.name.find('/') != std::string_view::npos
                           ? search_path(request, trace, result)
                           : search_stages(request, trace, result);
  result.error = errno_;
  if (!is_over && result.outcome != Outcome::Loaded) {
    result.outcome = found_other_class_ ? Outcome::WrongClass : Outcome::NoSuchFile;
    if (found_other_class_) result.error = Errno::None;
  }
  return result;
}

}  // namespace soresolve
