#include "soresolve/live_process.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <optional>
#include <set>

#include "bytes/load.h"
#include "fs/host_file.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxTextBytes = 64u << 20;  // of one file of /proc
constexpr std::size_t kMaxObjectsListed = 1u << 16;
constexpr std::string_view kDeleted = " (deleted)";

/// One line of /proc/PID/maps that has a file behind it.
struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  bool is_code = false;
  LiveObject object;
};

class LiveReader {
 public:
  LiveReader(int pid, const std::string& proc)
      : files_(host_file_system()), directory_(proc + "/" + std::to_string(pid)), pid_(pid),
        self_(proc + "/self") {}

  Result<LiveProcess> run() {
    if (!files_->status(directory_)) {
      return fail(ErrorCode::NotFound, "there is no such process, or /proc is not mounted here");
    }
    if (auto error = read_program()) return Unexpected{std::move(*error)};
    if (auto error = read_surroundings()) return Unexpected{std::move(*error)};
    if (auto error = read_mappings()) return Unexpected{std::move(*error)};
    if (!read_list_of_loader()) list_by_address();
    return std::move(process_);
  }

 private:
  [[nodiscard]] Unexpected<Error> fail(ErrorCode code, std::string message) const {
    return Unexpected{Error{code, "process " + std::to_string(pid_), {}, std::move(message)}};
  }
  [[nodiscard]] Error refusal(Errno error, std::string_view what) const {
    if (error == static_cast<Errno>(EACCES) || error == static_cast<Errno>(EPERM)) {
      return fail(ErrorCode::Unreadable, "its " + std::string(what) +
                                             " cannot be read: that takes the same user, or root "
                                             "(CAP_SYS_PTRACE)").error;
    }
    if (error == static_cast<Errno>(ENOENT) || error == static_cast<Errno>(ESRCH)) {
      return fail(ErrorCode::NotFound, "it has ended, or it is a thread of the kernel").error;
    }
    return fail(ErrorCode::Unreadable, "its " + std::string(what) + " cannot be read: " +
                                           errno_text(error, ErrnoText::FromDlerror)).error;
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
      const Result<std::size_t, Errno> got = (*file)->read_at(
          before, std::as_writable_bytes(std::span(text.data() + before, kStep)));
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
    process_.exe_is_deleted = take_deleted(*exe);
    process_.exe = inside_root(*exe);
    return std::nullopt;
  }

  std::optional<Error> read_surroundings() {
    const Result<std::string, Errno> environment = read_text("environ");
    if (!environment) return refusal(environment.error(), "environment");
    std::string_view rest = *environment;
    while (!rest.empty()) {
      const std::string_view entry = rest.substr(0, rest.find('\0'));
      if (entry.find('=') != std::string_view::npos) process_.environment.add(std::string(entry));
      rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
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
    return std::nullopt;
  }

  void find_word_size() {
    const Result<std::unique_ptr<File>, Errno> exe = files_->open(directory_ + "/exe");
    std::array<std::byte, 5> ident{};
    const bool is_32 = exe && (*exe)->read_at(0, ident).has_value() &&
                       ident[4] == std::byte{ELFCLASS32};
    word_bytes_ = is_32 ? 4 : 8;
  }

  [[nodiscard]] std::uint64_t word(const std::byte* at) const {
    return word_bytes_ == 8 ? load_as<std::uint64_t>(at, kHostOrder)
                            : load_as<std::uint32_t>(at, kHostOrder);
  }

  [[nodiscard]] std::optional<std::uint64_t> auxiliary(std::uint64_t type) const {
    const std::byte* bytes = reinterpret_cast<const std::byte*>(auxv_.data());
    for (std::size_t at = 0; at + 2 * word_bytes_ <= auxv_.size(); at += 2 * word_bytes_) {
      if (word(bytes + at) == type) return word(bytes + at + word_bytes_);
    }
    return std::nullopt;
  }

  static bool take_deleted(std::string& path) {
    if (!path.ends_with(kDeleted)) return false;
    path.resize(path.size() - kDeleted.size());
    return true;
  }

  /// A chroot in our mount namespace is told with its place in it.
  [[nodiscard]] std::string inside_root(const std::string& path) const {
    if (prefix_.empty() || !path.starts_with(prefix_)) return path;
    const std::string inside = path.substr(prefix_.size());
    return inside.empty() ? "/" : inside.starts_with('/') ? inside : path;
  }

  std::optional<Error> read_mappings() {
    const Result<std::string, Errno> maps = read_text("maps");
    if (!maps) return refusal(maps.error(), "mappings");
    if (maps->empty()) return refusal(static_cast<Errno>(ESRCH), "mappings");
    std::string_view rest = *maps;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (const auto mapping = parse_mapping(line)) mappings_.push_back(*mapping);
    }
    // As the kernel tells them; a /proc that is none may not.
    std::stable_sort(mappings_.begin(), mappings_.end(), starts_lower);
    return std::nullopt;
  }

  /// "START-END rwxp OFFSET MAJOR:MINOR INODE      /PATH"; special characters of the path as octals.
  [[nodiscard]] std::optional<Mapping> parse_mapping(std::string_view line) const {
    Mapping mapping;
    const auto take_number = [&](std::uint64_t& number, int base, char end) {
      const auto [stop, error] =
          std::from_chars(line.data(), line.data() + line.size(), number, base);
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
    if (!take_number(offset, 16, ' ') || !take_number(major_number, 16, ':') ||
        !take_number(minor_number, 16, ' ') || !take_number(inode, 10, ' ')) {
      return std::nullopt;
    }
    const std::size_t start = line.find('/');
    if (start == std::string_view::npos || inode == 0) return std::nullopt;
    std::string path = unescaped(line.substr(start));
    mapping.object.is_deleted = take_deleted(path);
    mapping.object.path = inside_root(path);
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

  // The loader's list.

  [[nodiscard]] bool read_memory(std::uint64_t address, std::span<std::byte> into) const {
    const Result<std::size_t, Errno> got = memory_->read_at(address, into);
    return got && *got == into.size();
  }
  [[nodiscard]] std::optional<std::uint64_t> read_word(std::uint64_t address) const {
    std::array<std::byte, 8> bytes{};
    if (!read_memory(address, std::span(bytes).first(word_bytes_))) return std::nullopt;
    return word(bytes.data());
  }

  /// Where DT_DEBUG of the program points to; nullopt if its memory is not ours to read.
  std::optional<std::uint64_t> find_debug_structure() {
    const auto headers = auxiliary(AT_PHDR);
    const auto count = auxiliary(AT_PHNUM);
    const auto size = auxiliary(AT_PHENT);
    const bool is_64 = word_bytes_ == 8;
    if (!headers || !count || *count > 256 || size != (is_64 ? 56 : 32)) return std::nullopt;
    std::optional<std::uint64_t> bias;
    std::optional<std::uint64_t> dynamic;
    for (std::uint64_t i = 0; i < *count; ++i) {
      const std::uint64_t at = *headers + i * *size;
      std::array<std::byte, 4> type{};
      if (!read_memory(at, type)) return std::nullopt;
      const auto address = read_word(at + (is_64 ? 16 : 8));
      if (!address) return std::nullopt;
      const std::uint32_t kind = load_as<std::uint32_t>(type.data(), kHostOrder);
      if (kind == PT_PHDR) bias = *headers - *address;
      if (kind == PT_DYNAMIC) dynamic = *address;
    }
    // Without PT_PHDR the program is not position-independent.
    if (!dynamic) return std::nullopt;
    const std::uint64_t table = *dynamic + bias.value_or(0);
    for (std::uint64_t i = 0; i < 4096; ++i) {
      const auto tag = read_word(table + i * 2 * word_bytes_);
      if (!tag || *tag == DT_NULL) return std::nullopt;
      if (*tag == DT_DEBUG) return read_word(table + (2 * i + 1) * word_bytes_);
    }
    return std::nullopt;
  }

  bool read_list_of_loader() {
    Result<std::unique_ptr<File>, Errno> memory = files_->open(directory_ + "/mem");
    if (!memory) return false;
    memory_ = std::move(memory).value();
    const auto debug = find_debug_structure();
    if (!debug || *debug == 0) return false;
    // struct r_debug: r_version, r_map. struct link_map: l_addr, l_name, l_ld, l_next.
    auto entry = read_word(*debug + word_bytes_);
    std::vector<LiveObject> list;
    // Each object has a mapping, but for the program and the vDSO; a list that goes on is a loop.
    std::size_t left = std::min(mappings_.size() + 2, kMaxObjectsListed);
    for (bool is_program = true; entry && *entry != 0; is_program = false) {
      if (left-- == 0) return false;
      const auto dynamic = read_word(*entry + 2 * word_bytes_);
      if (!dynamic) return false;
      if (const Mapping* mapping = mapping_at(*dynamic); mapping != nullptr && !is_program) {
        list.push_back(mapping->object);
      }
      entry = read_word(*entry + 3 * word_bytes_);
    }
    if (!entry) return false;
    process_.objects = std::move(list);
    process_.is_in_load_order = true;
    return true;
  }

  static bool starts_lower(const Mapping& a, const Mapping& b) { return a.start < b.start; }

  [[nodiscard]] const Mapping* mapping_at(std::uint64_t address) const {
    Mapping wanted;
    wanted.start = address;
    const auto behind = std::upper_bound(mappings_.begin(), mappings_.end(), wanted, starts_lower);
    if (behind == mappings_.begin()) return nullptr;
    const Mapping& mapping = *std::prev(behind);
    return address < mapping.end ? &mapping : nullptr;
  }

  /// The kernel maps from the top downwards, so what was loaded first tends to lie highest.
  void list_by_address() {
    std::set<std::string_view> known;
    for (auto mapping = mappings_.rbegin(); mapping != mappings_.rend(); ++mapping) {
      if (!mapping->is_code || mapping->object.path == process_.exe) continue;
      if (known.insert(mapping->object.path).second) process_.objects.push_back(mapping->object);
    }
  }

  std::unique_ptr<FileSystem> files_;
  std::string directory_;
  int pid_;
  std::string self_;
  std::string prefix_;       ///< of the process's root in our mount namespace
  std::string auxv_;
  std::size_t word_bytes_ = 8;
  std::vector<Mapping> mappings_;
  std::unique_ptr<File> memory_;
  LiveProcess process_;
};

}  // namespace

Result<LiveProcess> read_live_process(int pid, const std::string& proc) {
  return LiveReader(pid, proc).run();
}

}  // namespace soresolve
