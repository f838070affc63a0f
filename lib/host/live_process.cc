// One process of /proc, read as a whole: a second look must find the same, or all is read anew.
//
// What can change between two reads: the process ends (its files are empty or ESRCH), another one gets its
// number (start time), it executes another program (auxv, with the addresses of a new stack), it loads or
// unloads (mappings, list). Not seen is what comes and goes between both looks.
#include "host/host.h"

#include <elf.h>
#include <sys/sysmacros.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <optional>
#include <set>

#include "base/host_file.h"
#include "base/load.h"
#include "base/pieces.h"
#include "host/live_link_map.h"
#include "host/live_objects.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxTextBytes = 64u << 20;  // of one file of /proc
constexpr std::size_t kMaxObjectsListed = 1u << 16;
constexpr std::string_view kDeleted = " (deleted)";

constexpr int kMostReadings = 8;
constexpr int kDamagedReadings = 3;
constexpr long kPauseNanoseconds = 5'000'000;

/// What must be the same at a second look.
struct Stamp {
  std::string started;  ///< field 22 of /proc/PID/stat
  std::string exe;
  std::string auxv;
  std::vector<LiveMapping> mappings;
  LinkMapReading list;
  /// A busy process maps and unmaps files of data all the time: of the mappings only code counts.
  bool operator==(const Stamp& other) const {
    return started == other.started && exe == other.exe && auxv == other.auxv && list.state == other.list.state &&
           list.map == other.list.map && code() == other.code();
  }

 private:
  [[nodiscard]] std::vector<LiveMapping> code() const {
    std::vector<LiveMapping> code;
    std::copy_if(mappings.begin(), mappings.end(), std::back_inserter(code),
                 [](const LiveMapping& mapping) { return mapping.is_code; });
    return code;
  }
};

class LiveReader {
 public:
  LiveReader(int pid, const std::string& proc)
      : files_(host_file_system()), directory_(proc + "/" + std::to_string(pid)), pid_(pid), self_(proc + "/self") {}

  Result<LiveProcess> run() {
    if (!files_->status(directory_)) {
      return fail(ErrorCode::NotFound, "there is no such process, or /proc is not mounted here");
    }
    int damaged = 0;
    for (int reading = 0; reading < kMostReadings; ++reading) {
      if (reading != 0) {
        const timespec pause{0, kPauseNanoseconds * reading};
        ::nanosleep(&pause, nullptr);
      }
      process_ = {};
      prefix_.clear();
      if (auto error = read_program()) return Unexpected{std::move(*error)};
      if (auto error = read_surroundings()) return Unexpected{std::move(*error)};
      Result<Stamp> first = read_stamp();
      if (!first) return Unexpected{std::move(first).error()};
      const Result<Stamp> second = read_stamp();
      if (!second) return Unexpected{second.error()};
      if (first->list.state == ListState::Changing || !(*first == *second) || first->exe != exe_ ||
          first->auxv != auxv_) {
        continue;
      }
      // A list that is read while it changes can look like one that lies, but not for long.
      if (first->list.state == ListState::Damaged && ++damaged < kDamagedReadings) continue;
      fill(*first);
      return std::move(process_);
    }
    return fail(ErrorCode::Unreadable, "it changed while it was read, again and again: cannot tell");
  }

 private:
  [[nodiscard]] Unexpected<Error> fail(ErrorCode code, std::string message) const {
    return Unexpected{Error{code, "process " + std::to_string(pid_), {}, std::move(message)}};
  }
  [[nodiscard]] Error refusal(Errno error, std::string_view what) const {
    if (error == static_cast<Errno>(EACCES) || error == static_cast<Errno>(EPERM)) {
      return fail(ErrorCode::Unreadable, "its " + std::string(what) +
                                             " cannot be read: that takes the same user, or root "
                                             "(CAP_SYS_PTRACE)")
          .error;
    }
    if (error == static_cast<Errno>(ENOENT) || error == static_cast<Errno>(ESRCH)) {
      return fail(ErrorCode::NotFound, "it has ended, or it is a thread of the kernel").error;
    }
    return fail(ErrorCode::Unreadable,
                "its " + std::string(what) + " cannot be read: " + errno_text(error, ErrnoText::FromDlerror))
        .error;
  }

  /// Files of /proc have no size: read to the end.
  Result<std::string, Errno> read_text(const std::string& name) const {
    Result<std::unique_ptr<File>, Errno> file = files_->open(directory_ + "/" + name);
    if (!file) return Unexpected{file.error()};
    std::string text;
    while (text.size() < kMaxTextBytes) {
      constexpr std::size_t kStep = 64u << 10;
      const std::size_t before = text.size();
      text.resize(before + kStep);
      const Result<std::size_t, Errno> got =
          (*file)->read_at(before, std::as_writable_bytes(std::span(text.data() + before, kStep)));
      text.resize(before + (got ? *got : 0));
      if (!got) return Unexpected{got.error()};
      if (*got == 0) return text;
    }
    return Unexpected{static_cast<Errno>(EFBIG)};
  }

  std::optional<Error> read_program() {
    Result<std::string, Errno> exe = read_host_link(directory_ + "/exe");
    if (!exe) return refusal(exe.error(), "program");
    const Result<std::string, Errno> root = read_host_link(directory_ + "/root");
    if (!root) return refusal(root.error(), "root directory");
    const Result<std::string, Errno> mounts = read_host_link(directory_ + "/ns/mnt");
    const Result<std::string, Errno> own_mounts = read_host_link(self_ + "/ns/mnt");
    const Result<std::string, Errno> own_root = read_host_link(self_ + "/root");
    const bool shares_files = mounts && own_mounts && *mounts == *own_mounts;
    if (!shares_files || !own_root || *root != *own_root) process_.root = directory_ + "/root";
    if (*root != "/") prefix_ = *root;
    exe_ = *exe;
    process_.exe_is_deleted = take_deleted(*exe);
    process_.exe = inside_root(*exe);
    process_.exe_file = directory_ + "/exe";
    return std::nullopt;
  }

  std::optional<Error> read_surroundings() {
    const Result<std::string, Errno> environment = read_text("environ");
    if (!environment) return refusal(environment.error(), "environment");
    for (const std::string_view entry : pieces_in(*environment, '\0')) {
      if (entry.find('=') != std::string_view::npos) process_.environment.add(std::string(entry));
    }
    Result<std::string, Errno> cwd = read_host_link(directory_ + "/cwd");
    if (!cwd) return refusal(cwd.error(), "current directory");
    static_cast<void>(take_deleted(*cwd));
    process_.cwd = inside_root(*cwd);
    const Result<std::string, Errno> vector = read_text("auxv");
    if (!vector) return refusal(vector.error(), "auxiliary vector");
    auxv_ = *vector;
    find_word_size();
    process_.secure = auxiliary(AT_SECURE).value_or(0) != 0;
    const Result<std::string, Errno> status = read_text("status");
    if (!status) return refusal(status.error(), "user");
    process_.user = user_in(*status);
    // Capabilities count for the files of their own user namespace only.
    const Result<std::string, Errno> users = read_host_link(directory_ + "/ns/user");
    const Result<std::string, Errno> own_users = read_host_link(self_ + "/ns/user");
    if (users && own_users && *users != *own_users) process_.user.passes_modes = false;
    return std::nullopt;
  }

  /// "Uid: real effective saved fs", likewise Gid; "Groups: ..."; "CapEff: hexadecimal".
  static User user_in(std::string_view status) {
    User user;
    user.passes_modes = false;
    for (const std::string_view line : lines_in(status)) {
      const auto [key, value] = cut_at(line, ':');
      if (key == "CapEff") {
        constexpr std::uint64_t kDacOverride = 1u << 1;
        constexpr std::uint64_t kDacReadSearch = 1u << 2;
        const std::vector<std::uint64_t> numbers = numbers_in(value, 16);
        user.passes_modes = !numbers.empty() && (numbers[0] & (kDacOverride | kDacReadSearch)) != 0;
      }
      const std::vector<std::uint64_t> numbers = numbers_in(value, 10);
      if (key == "Uid" && numbers.size() == 4) user.uid = static_cast<std::uint32_t>(numbers[3]);
      if (key == "Gid" && numbers.size() == 4) user.gid = static_cast<std::uint32_t>(numbers[3]);
      if (key == "Groups") user.groups.assign(numbers.begin(), numbers.end());
    }
    return user;
  }

  static std::vector<std::uint64_t> numbers_in(std::string_view text, int base) {
    std::vector<std::uint64_t> numbers;
    while (true) {
      text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
      if (error != std::errc() || end == text.data()) return numbers;
      numbers.push_back(number);
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
  }

  void find_word_size() {
    const Result<std::unique_ptr<File>, Errno> exe = files_->open(directory_ + "/exe");
    std::array<std::byte, 5> ident{};
    const bool is_32 = exe && (*exe)->read_at(0, ident).has_value() && ident[4] == std::byte{ELFCLASS32};
    word_bytes_ = is_32 ? 4 : 8;
  }

  [[nodiscard]] std::optional<std::uint64_t> auxiliary(std::uint64_t type) const {
    return AuxiliaryVector{auxv_, word_bytes_}.value(type);
  }

  static bool take_deleted(std::string& path) {
    if (!path.ends_with(kDeleted)) return false;
    path.resize(path.size() - kDeleted.size());
    return true;
  }

  /// A chroot in our mount namespace is reported with its place in it.
  [[nodiscard]] std::string inside_root(const std::string& path) const {
    if (prefix_.empty() || !path.starts_with(prefix_)) return path;
    const std::string inside = path.substr(prefix_.size());
    return inside.empty() ? "/" : inside.starts_with('/') ? inside : path;
  }

  Result<Stamp> read_stamp() {
    Stamp stamp;
    const Result<std::string, Errno> stat = read_text("stat");
    if (!stat) return Unexpected{refusal(stat.error(), "state")};
    stamp.started = start_time_in(*stat);
    Result<std::string, Errno> exe = read_host_link(directory_ + "/exe");
    if (!exe) return Unexpected{refusal(exe.error(), "program")};
    stamp.exe = std::move(exe).value();
    Result<std::string, Errno> vector = read_text("auxv");
    if (!vector) return Unexpected{refusal(vector.error(), "auxiliary vector")};
    stamp.auxv = std::move(vector).value();
    const Result<std::string, Errno> maps = read_text("maps");
    if (!maps) return Unexpected{refusal(maps.error(), "mappings")};
    if (maps->empty()) return Unexpected{refusal(static_cast<Errno>(ESRCH), "mappings")};
    stamp.mappings = mappings_in(*maps);
    if (const auto memory = files_->open(directory_ + "/mem")) {
      // Each object has a mapping, but for the vDSO.
      const std::size_t most = std::min(stamp.mappings.size() + 2 + kMostLiveSpaces, kMaxObjectsListed);
      stamp.list = read_live_link_map(**memory, program_image(), most);
    } else {
      is_memory_closed_ = true;
    }
    return stamp;
  }

  /// Behind the name, which is in parentheses and can be anything, the 20th word.
  static std::string start_time_in(std::string_view stat) {
    const std::vector<std::string_view> words = words_in(stat.substr(stat.rfind(')') + 1), " ");
    return std::string(words.size() < 20 ? std::string_view() : words[19]);
  }

  [[nodiscard]] std::vector<LiveMapping> mappings_in(std::string_view text) {
    std::vector<LiveMapping> mappings;
    for (const std::string_view line : lines_in(text)) {
      if (line.ends_with("[stack]")) process_.has_exec_stack = line.find(" rwx") != std::string_view::npos;
      if (auto mapping = parse_mapping(line)) mappings.push_back(std::move(*mapping));
    }
    // As the kernel tells them; a /proc that is none may not.
    sort_by_address(mappings);
    return mappings;
  }

  /// "START-END rwxp OFFSET MAJOR:MINOR INODE      /PATH"; special characters of the path as octals.
  [[nodiscard]] std::optional<LiveMapping> parse_mapping(std::string_view line) const {
    LiveMapping mapping;
    const auto take_number = [&](std::uint64_t& number, int base, char end) {
      const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), number, base);
      if (error != std::errc() || stop == line.data() + line.size() || *stop != end) return false;
      line.remove_prefix(static_cast<std::size_t>(stop - line.data()) + 1);
      return true;
    };
    std::uint64_t offset = 0;
    std::uint64_t major_number = 0;
    std::uint64_t minor_number = 0;
    std::uint64_t inode = 0;
    if (!take_number(mapping.start, 16, '-') || !take_number(mapping.end, 16, ' ')) return std::nullopt;
    if (line.size() < 5) return std::nullopt;
    mapping.is_code = line[2] == 'x';
    line.remove_prefix(5);
    if (!take_number(offset, 16, ' ') || !take_number(major_number, 16, ':') || !take_number(minor_number, 16, ' ') ||
        !take_number(inode, 10, ' ')) {
      return std::nullopt;
    }
    const std::size_t start = line.find('/');
    if (start == std::string_view::npos || inode == 0) return std::nullopt;
    std::string path = unescaped(line.substr(start));
    mapping.is_deleted = take_deleted(path);
    mapping.path = inside_root(path);
    mapping.device = makedev(static_cast<unsigned>(major_number), static_cast<unsigned>(minor_number));
    mapping.inode = inode;
    return mapping;
  }

  /// seq_path() writes a line end as "\012".
  static std::string unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text.substr(i, 4) == "\\012") {
        plain += '\n';
        i += 3;
      } else {
        plain += text[i];
      }
    }
    return plain;
  }

  [[nodiscard]] ProgramImage program_image() const { return AuxiliaryVector{auxv_, word_bytes_}.program(); }

  void fill(const Stamp& stamp) {
    const Statement why_no_list = is_memory_closed_ ? say("list-closed") : say("list-not-shown");
    add_live_objects(process_, {auxv_, word_bytes_}, stamp.mappings, stamp.list, why_no_list,
                     [this](LiveObject& object, const LiveMapping& mapping) {
                       std::array<char, 64> range{};
                       std::snprintf(range.data(), range.size(), "/map_files/%llx-%llx",
                                     static_cast<unsigned long long>(mapping.start),
                                     static_cast<unsigned long long>(mapping.end));
                       object.mapped_at = directory_ + range.data();
                     });
  }

  std::unique_ptr<FileSystem> files_;
  std::string directory_;
  int pid_;
  std::string self_;
  std::string prefix_;  ///< of the process's root in our mount namespace
  std::string exe_;     ///< as /proc has it
  std::string auxv_;
  std::size_t word_bytes_ = 8;
  bool is_memory_closed_ = false;
  LiveProcess process_;
};

}  // namespace

Result<LiveProcess> read_live_process(int pid, const std::string& proc) { return LiveReader(pid, proc).run(); }

}  // namespace soresolve
