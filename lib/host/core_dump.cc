// The dump of a process (core(5)) as what /proc told of it while it ran: mapped files by NT_FILE, the loader's list and
// the environment out of the memory that was dumped.
//
// Source: Linux fs/binfmt_elf.c (fill_files_note, create_elf_tables, elf_core_dump), core(5); gcore of gdb writes the
// same notes. The stack has, upwards: argc, the pointers of argv, a null, those of envp, a null, the auxiliary vector:
// so the environment is found by the bytes of NT_AUXV. The dump is a stranger's: counts and sizes are bounded by the
// file, and what contradicts itself is an error or is left out.
//
// Not in a dump: the current directory (PWD of the environment stands for it), the groups of the user, inode numbers.
#include <elf.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "base/load.h"
#include "host/host.h"
#include "host/live_link_map.h"
#include "host/live_objects.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxCoreSegments = 1u << 17;
constexpr std::size_t kMaxNotesBytes = 64u << 20;
constexpr std::size_t kMaxStackBytes = 16u << 20;  // that are looked through for the environment
constexpr std::size_t kMaxMappedFiles = 1u << 17;
constexpr std::size_t kMaxCoreObjects = 1u << 16;
constexpr std::size_t kMaxEntryBytes = 128u << 10;  // of one entry of the environment: MAX_ARG_STRLEN
constexpr std::size_t kMaxCoreEntries = 1u << 16;
constexpr std::size_t kHeadBytes = 4096;  // of a mapped file that are kept

struct CoreSegment {
  std::uint64_t start = 0;
  std::uint64_t size_bytes = 0;  ///< that are in the file
  std::uint64_t offset = 0;
  std::uint32_t flags = 0;
};

/// The memory of the process, by address, as far as it was dumped.
class CoreMemory final : public File {
 public:
  CoreMemory(const File& dump, const std::vector<CoreSegment>& segments)
      : File(dump.status()), dump_(dump), segments_(segments) {}

  [[nodiscard]] Result<std::size_t, Errno> read_at(std::uint64_t address, std::span<std::byte> into) const override {
    std::size_t done = 0;
    while (done < into.size()) {
      const CoreSegment* const segment = at(address + done);
      if (segment == nullptr) break;
      const std::uint64_t from = address + done - segment->start;
      const std::size_t step =
          static_cast<std::size_t>(std::min<std::uint64_t>(into.size() - done, segment->size_bytes - from));
      const Result<std::size_t, Errno> got = dump_.read_at(segment->offset + from, into.subspan(done, step));
      if (!got) return Unexpected{got.error()};
      done += *got;
      if (*got < step) break;  // cut off
    }
    if (done == 0 && !into.empty()) return Unexpected{static_cast<Errno>(EIO)};
    return done;
  }

  [[nodiscard]] const CoreSegment* at(std::uint64_t address) const {
    const auto behind =
        std::upper_bound(segments_.begin(), segments_.end(), address,
                         [](std::uint64_t wanted, const CoreSegment& segment) { return wanted < segment.start; });
    if (behind == segments_.begin()) return nullptr;
    const CoreSegment& segment = *std::prev(behind);
    return address - segment.start < segment.size_bytes ? &segment : nullptr;
  }

 private:
  const File& dump_;
  const std::vector<CoreSegment>& segments_;
};

class CoreReader {
 public:
  CoreReader(const File& dump, std::string_view path) : dump_(dump), path_(path), memory_(dump, segments_) {}

  Result<LiveProcess> run() {
    if (auto error = read_headers()) return Unexpected{std::move(*error)};
    if (auto error = read_notes()) return Unexpected{std::move(*error)};
    if (auxv_.empty()) return Unexpected{damaged("it has no NT_AUXV: not the dump of a process")};
    if (mappings_.empty()) return Unexpected{damaged("it has no NT_FILE: which files were mapped is not told")};
    sort_by_address(mappings_);
    mark_code();
    fill();
    return std::move(process_);
  }

 private:
  [[nodiscard]] Error damaged(std::string message) const {
    return {ErrorCode::Malformed, std::string(path_), {}, std::move(message)};
  }
  [[nodiscard]] std::uint64_t number(const std::byte* at, std::size_t bytes) const {
    switch (bytes) {
      case 2: return load_as<std::uint16_t>(at, std::endian::native);
      case 4: return load_as<std::uint32_t>(at, std::endian::native);
      default: return load_as<std::uint64_t>(at, std::endian::native);
    }
  }
  [[nodiscard]] bool read_all(std::uint64_t offset, std::span<std::byte> into) const {
    const Result<std::size_t, Errno> got = dump_.read_at(offset, into);
    return got && *got == into.size();
  }

  std::optional<Error> read_headers() {
    std::array<std::byte, sizeof(Elf64_Ehdr)> head{};
    const Result<std::size_t, Errno> got = dump_.read_at(0, head);
    if (!got)
      return Error{ErrorCode::Unreadable, std::string(path_), {}, errno_text(got.error(), ErrnoText::FromDlerror)};
    if (*got < sizeof(Elf32_Ehdr) || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) {
      return Error{ErrorCode::NotElf, std::string(path_), {}, "no core dump: not an ELF file"};
    }
    const bool is_64 = head[EI_CLASS] == std::byte{ELFCLASS64};
    const bool is_native = (head[EI_DATA] == std::byte{ELFDATA2LSB}) == (std::endian::native == std::endian::little);
    if (!is_native) {
      return Error{ErrorCode::Unsupported, std::string(path_), {}, "a dump of the other byte order"};
    }
    if (is_64 && *got < sizeof(Elf64_Ehdr)) return damaged("the ELF header is cut off");
    if (number(head.data() + 16, 2) != ET_CORE) {
      return Error{ErrorCode::Unsupported, std::string(path_), {}, "no core dump: an ELF file of another type"};
    }
    word_bytes_ = is_64 ? 8 : 4;
    const std::uint64_t table = number(head.data() + (is_64 ? 32 : 28), word_bytes_);
    const std::uint64_t entry_bytes = number(head.data() + (is_64 ? 54 : 42), 2);
    std::uint64_t count = number(head.data() + (is_64 ? 56 : 44), 2);
    if (entry_bytes != (is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
      return damaged("program headers of no known size");
    if (count == PN_XNUM) {  // the number stands in sh_info of the first section header
      std::array<std::byte, 4> more{};
      const std::uint64_t sections = number(head.data() + (is_64 ? 40 : 32), word_bytes_);
      if (!read_all(sections + (is_64 ? 44 : 28), more)) return damaged("the number of program headers is cut off");
      count = number(more.data(), 4);
    }
    if (count == 0 || count > kMaxCoreSegments) return damaged("so many program headers: " + std::to_string(count));
    std::vector<std::byte> headers(count * entry_bytes);
    if (table > dump_.status().size_bytes || !read_all(table, headers))
      return damaged("the program headers are cut off");
    for (std::uint64_t i = 0; i < count; ++i) take_header(headers.data() + i * entry_bytes);
    std::stable_sort(segments_.begin(), segments_.end(),
                     [](const CoreSegment& a, const CoreSegment& b) { return a.start < b.start; });
    return std::nullopt;
  }

  void take_header(const std::byte* at) {
    const bool is_64 = word_bytes_ == 8;
    const std::uint64_t type = number(at, 4);
    CoreSegment segment;
    segment.offset = number(at + (is_64 ? 8 : 4), word_bytes_);
    segment.start = number(at + (is_64 ? 16 : 8), word_bytes_);
    segment.size_bytes = number(at + (is_64 ? 32 : 16), word_bytes_);
    segment.flags = static_cast<std::uint32_t>(number(at + (is_64 ? 4 : 24), 4));
    if (segment.start + segment.size_bytes < segment.start) return;
    if (type == PT_NOTE) notes_.push_back(segment);
    if (type != PT_LOAD) return;
    const std::uint64_t memory_bytes = number(at + (is_64 ? 40 : 20), word_bytes_);
    if ((segment.flags & PF_X) != 0) code_.emplace_back(segment.start, memory_bytes);
    if (segment.size_bytes != 0) segments_.push_back(segment);
  }

  std::optional<Error> read_notes() {
    for (const CoreSegment& place : notes_) {
      if (place.size_bytes > kMaxNotesBytes || place.offset > dump_.status().size_bytes ||
          place.size_bytes > dump_.status().size_bytes - place.offset) {
        return damaged("its notes are cut off, or there are too many");
      }
      std::vector<std::byte> bytes(place.size_bytes);
      if (!read_all(place.offset, bytes)) return damaged("its notes are cut off");
      std::size_t at = 0;
      while (bytes.size() - at >= 12) {
        const std::uint64_t name_bytes = number(bytes.data() + at, 4);
        const std::uint64_t content_bytes = number(bytes.data() + at + 4, 4);
        const std::uint32_t type = static_cast<std::uint32_t>(number(bytes.data() + at + 8, 4));
        const std::uint64_t content = at + 12 + (name_bytes + 3) / 4 * 4;
        const std::uint64_t next = content + (content_bytes + 3) / 4 * 4;
        if (content + content_bytes > bytes.size()) return damaged("a note reaches beyond the notes");
        const std::string_view name(reinterpret_cast<const char*>(bytes.data()) + at + 12,
                                    static_cast<std::size_t>(std::min<std::uint64_t>(name_bytes, 4)));
        if (name == "CORE") {
          if (auto error = take_note(type, std::span(bytes).subspan(content, content_bytes))) return error;
        }
        if (next >= bytes.size()) break;
        at = static_cast<std::size_t>(next);
      }
    }
    return std::nullopt;
  }

  std::optional<Error> take_note(std::uint32_t type, std::span<const std::byte> content) {
    if (type == NT_AUXV && auxv_.empty()) {
      auxv_.assign(reinterpret_cast<const char*>(content.data()), content.size());
    }
    return type == NT_FILE && mappings_.empty() ? take_files(content) : std::nullopt;
  }

  /// count, page size; start, end, page of the file for each; then the names, each with its NUL.
  std::optional<Error> take_files(std::span<const std::byte> content) {
    const std::size_t w = word_bytes_;
    if (content.size() < 2 * w) return damaged("NT_FILE is cut off");
    const std::uint64_t count = number(content.data(), w);
    if (count > kMaxMappedFiles || count * 3 * w > content.size() - 2 * w) return damaged("NT_FILE is cut off");
    std::string_view names(reinterpret_cast<const char*>(content.data()) + (2 + 3 * count) * w,
                           content.size() - (2 + 3 * count) * w);
    std::map<std::string, std::uint64_t, std::less<>> known;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::byte* const row = content.data() + (2 + 3 * i) * w;
      const std::size_t end = names.find('\0');
      if (end == std::string_view::npos) return damaged("NT_FILE has fewer names than mappings");
      LiveMapping mapping;
      mapping.start = number(row, w);
      mapping.end = number(row + w, w);
      mapping.path = std::string(names.substr(0, end));
      names.remove_prefix(end + 1);
      constexpr std::string_view kSuffix = " (deleted)";
      mapping.is_deleted = mapping.path.ends_with(kSuffix);
      if (mapping.is_deleted) mapping.path.resize(mapping.path.size() - kSuffix.size());
      if (mapping.start >= mapping.end || !mapping.path.starts_with('/')) continue;
      mapping.inode = known.emplace(mapping.path, known.size() + 1).first->second;
      if (number(row + 2 * w, w) == 0) starts_.emplace(mapping.inode, mapping.start);
      mappings_.push_back(std::move(mapping));
    }
    return std::nullopt;
  }

  void mark_code() {
    std::sort(code_.begin(), code_.end());
    for (LiveMapping& mapping : mappings_) {
      const auto at =
          std::lower_bound(code_.begin(), code_.end(), std::pair<std::uint64_t, std::uint64_t>(mapping.start, 0));
      mapping.is_code = at != code_.end() && at->first == mapping.start;
    }
  }

  [[nodiscard]] std::optional<std::string> string_at(std::uint64_t address, std::size_t most) const {
    std::string text;
    while (text.size() < most) {
      std::array<std::byte, 256> bytes{};
      const Result<std::size_t, Errno> got = memory_.read_at(address + text.size(), bytes);
      if (!got || *got == 0) return std::nullopt;
      const auto stop = bytes.begin() + static_cast<std::ptrdiff_t>(*got);
      const auto end = std::find(bytes.begin(), stop, std::byte{0});
      for (auto at = bytes.begin(); at != end; ++at) text += static_cast<char>(*at);
      if (end != stop) return text;
    }
    return std::nullopt;
  }

  void fill() {
    const AuxiliaryVector vector{auxv_, word_bytes_};
    process_.is_dump = true;
    process_.is_environment_known = false;
    process_.secure = vector.value(AT_SECURE).value_or(0) != 0;
    process_.user.uid = static_cast<std::uint32_t>(vector.value(AT_EUID).value_or(0));
    process_.user.gid = static_cast<std::uint32_t>(vector.value(AT_EGID).value_or(0));
    process_.user.passes_modes = process_.user.uid == 0;
    const LiveMapping* const program = mapping_at(mappings_, vector.value(AT_PHDR).value_or(0));
    if (program != nullptr) {
      process_.exe = program->path;
      process_.exe_head = head_of(*program);
    } else if (const auto name = string_at(vector.value(AT_EXECFN).value_or(0), kMaxPathBytes)) {
      process_.exe = *name;
    }
    read_environment(vector);
    process_.cwd = "/";
    if (const auto value = process_.environment.value("PWD"); value && value->starts_with('/')) {
      process_.cwd = std::string(*value);
    }
    const std::size_t most = std::min(mappings_.size() + 2 + kMostLiveSpaces, kMaxCoreObjects);
    const LinkMapReading list = read_live_link_map(memory_, vector.program(), most);
    add_live_objects(process_, vector, mappings_, list, say("list-not-dumped"),
                     [this](LiveObject& object, const LiveMapping& mapping) { object.head = head_of(mapping); });
    if (list.state == ListState::Changing) process_.list_problem = say("list-changing");
  }

  /// What was mapped of the beginning of the file, if it was dumped.
  [[nodiscard]] std::vector<std::byte> head_of(const LiveMapping& mapping) const {
    const auto start = starts_.find(mapping.inode);
    if (start == starts_.end()) return {};
    std::vector<std::byte> head(kHeadBytes);
    const Result<std::size_t, Errno> got = memory_.read_at(start->second, head);
    head.resize(got ? *got : 0);
    return head;
  }

  void read_environment(const AuxiliaryVector& vector) {
    for (const std::uint64_t type : {AT_EXECFN, AT_RANDOM, AT_PLATFORM}) {
      const CoreSegment* const stack = memory_.at(vector.value(type).value_or(0));
      if (stack == nullptr) continue;
      process_.has_exec_stack = (stack->flags & PF_X) != 0;
      const std::uint64_t skipped = stack->size_bytes > kMaxStackBytes ? stack->size_bytes - kMaxStackBytes : 0;
      std::string bytes(static_cast<std::size_t>(stack->size_bytes - skipped), '\0');
      const Result<std::size_t, Errno> got =
          dump_.read_at(stack->offset + skipped, std::as_writable_bytes(std::span(bytes)));
      if (!got) return;
      bytes.resize(*got);
      // Without the zeros behind AT_NULL, of which the note can have more than the stack.
      const std::size_t at = bytes.rfind(std::string_view(auxv_).substr(0, length_of(vector)));
      if (at == std::string::npos || at < 2 * word_bytes_) continue;
      take_environment(bytes, at);
      return;
    }
  }

  [[nodiscard]] std::size_t length_of(const AuxiliaryVector& vector) const {
    const std::byte* const first = reinterpret_cast<const std::byte*>(vector.bytes.data());
    std::size_t at = 0;
    while (at + 2 * word_bytes_ <= vector.bytes.size() && number(first + at, word_bytes_) != AT_NULL) {
      at += 2 * word_bytes_;
    }
    return at;
  }

  /// Backwards from the vector: a null, then the pointers of envp, up to the null behind argv.
  void take_environment(const std::string& stack, std::size_t vector_at) {
    const std::byte* const bytes = reinterpret_cast<const std::byte*>(stack.data());
    std::vector<std::uint64_t> pointers;
    std::size_t at = vector_at - word_bytes_;
    if (number(bytes + at, word_bytes_) != 0) return;
    while (at >= word_bytes_ && pointers.size() < kMaxCoreEntries) {
      at -= word_bytes_;
      const std::uint64_t pointer = number(bytes + at, word_bytes_);
      if (pointer == 0) break;
      pointers.push_back(pointer);
    }
    Environment environment;
    for (auto pointer = pointers.rbegin(); pointer != pointers.rend(); ++pointer) {
      std::optional<std::string> entry = string_at(*pointer, kMaxEntryBytes);
      if (!entry) return;  // the dump is cut off in it: what lacks a variable is not the environment
      if (entry->find('=') != std::string::npos) environment.add(std::move(*entry));
    }
    process_.environment = std::move(environment);
    process_.is_environment_known = true;
  }

  static constexpr std::size_t kMaxPathBytes = 4096;

  const File& dump_;
  std::string_view path_;
  std::vector<CoreSegment> segments_;
  std::vector<CoreSegment> notes_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> code_;
  CoreMemory memory_;
  std::size_t word_bytes_ = 8;
  std::string auxv_;
  std::vector<LiveMapping> mappings_;
  std::map<std::uint64_t, std::uint64_t> starts_;  ///< by inode: where the beginning of the file is mapped
  LiveProcess process_;
};

}  // namespace

Result<LiveProcess> read_core_dump(const File& dump, std::string_view path) { return CoreReader(dump, path).run(); }

}  // namespace soresolve
