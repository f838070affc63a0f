// Where debuggers find the loader's list, and a little beyond: DT_DEBUG of the program, struct r_debug,
// struct link_map.
//
// Source: elf/link.h (the public beginning of both structs), include/link.h (what follows l_prev). The
// beginning and l_real, l_ns, l_libname have stood at the same place in every release since 2.4; behind
// l_info, whose length differs by release and machine, a place is found by what must stand there: the
// program's l_phdr and l_entry are AT_PHDR and AT_ENTRY, and from there on the order has not changed up
// to 2.43 (l_phdr, l_entry, l_phnum, l_ldnum, l_searchlist, l_symbolic_searchlist, l_loader, l_versions, five numbers
// and three pointers of the hash table, l_direct_opencount, l_type); l_origin is the pointer to the directory of
// l_name, in front of l_map_start. What is not found so is left open, and so are the types where they contradict each
// other.
//
// musl's list has the same beginning (ldso/dynlink.c:struct dso), and the rest at places of its own, which have not
// changed from 1.1.22 to 1.2.6 on 64-bit machines: syms_next, needed_by, rpath, shortname. They are believed if they
// fit in every entry.
//
// The namespaces of dlmopen(3) have lists of their own, which struct r_debug_extended links from glibc 2.35 on
// (r_version 2, r_next behind r_ldbase). Each has an entry that stands for the one ld.so (l_real); it is left out.
//
// Limits: of glibc before 2.35 the base namespace only; no cast to structs of this machine, as a 32-bit process has
// others. A process can write into its own list what it likes: then it is reported as it stands, as long as it is
// consistent.
#include "host/live_link_map.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/load.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxNameBytes = 4096;
constexpr std::size_t kMaxNames = 256;      // of one object
constexpr std::size_t kEntryBytes = 0x600;  // of a struct link_map that are looked through
constexpr std::uint32_t kConsistent = 0;    // RT_CONSISTENT
constexpr std::size_t kNamesOffset = 7;     // l_libname, in words
constexpr std::size_t kRealOffset = 5;      // l_real
constexpr std::size_t kInfoOffset = 8;      // l_info begins
constexpr std::uint32_t kNextVersion = 2;   // r_version from which on r_next is there
constexpr std::uint32_t kTypeMask = 3;      // of l_type:2
constexpr std::uint32_t kExecutable = 0;    // lt_executable
constexpr std::uint32_t kLoaded = 2;        // lt_loaded
constexpr std::size_t kMuslSymsNext = 104;  // in bytes, of 64-bit machines
constexpr std::size_t kMuslNeededBy = 184;
constexpr std::size_t kMuslRpath = 224;
constexpr std::size_t kMuslShortname = 336;

class LinkMapReader {
 public:
  LinkMapReader(const File& memory, const ProgramImage& program, std::size_t max_entries)
      : memory_(memory), program_(program), max_entries_(max_entries), w_(program.word_bytes) {}

  LinkMapReading run() {
    const auto debug = find_debug_structure();
    if (!debug || *debug == 0) return {ListState::Absent, {}};
    // struct r_debug: r_version, r_map, r_brk, r_state.
    const auto state = read_word(*debug + 3 * w_);
    if (!state) return {ListState::Damaged, {}};
    if (static_cast<std::uint32_t>(*state) != kConsistent) return {ListState::Changing, {}};
    if (!walk(*debug + w_, 0)) return {ListState::Damaged, {}};
    if (const ListState state_of_others = walk_other_spaces(*debug); state_of_others != ListState::Read) {
      return {state_of_others, {}};
    }
    const std::uint64_t first = map_.entries.front().at;
    if (read_word(first + kRealOffset * w_) == first) {
      read_private_part();
    } else if (w_ == 8) {
      read_musl_part();
    }
    return {ListState::Read, std::move(map_)};
  }

 private:
  [[nodiscard]] std::uint64_t word(const std::byte* at) const {
    return w_ == 8 ? load_as<std::uint64_t>(at, std::endian::native) : load_as<std::uint32_t>(at, std::endian::native);
  }
  /// As many bytes as there are; the end of a mapping may come before.
  [[nodiscard]] std::size_t read_some(std::uint64_t address, std::span<std::byte> into) const {
    const Result<std::size_t, Errno> got = memory_.read_at(address, into);
    return got ? *got : 0;
  }
  [[nodiscard]] std::optional<std::uint64_t> read_word(std::uint64_t address) const {
    std::array<std::byte, 8> bytes{};
    const std::span<std::byte> into = std::span(bytes).first(w_);
    if (read_some(address, into) != w_) return std::nullopt;
    return word(bytes.data());
  }
  [[nodiscard]] std::optional<std::string> read_name(std::uint64_t address) const {
    std::string name;
    while (name.size() < kMaxNameBytes) {
      // To the end of a page, behind which nothing need be mapped.
      std::array<std::byte, 256> bytes{};
      const std::size_t step = std::min<std::size_t>(bytes.size(), 256 - (address + name.size()) % 256);
      if (read_some(address + name.size(), std::span(bytes).first(step)) != step) return std::nullopt;
      const auto end = std::find(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(step), std::byte{0});
      for (auto at = bytes.begin(); at != end; ++at) name += static_cast<char>(*at);
      if (end != bytes.begin() + static_cast<std::ptrdiff_t>(step)) return name;
    }
    return std::nullopt;
  }

  /// What DT_DEBUG of the program points to.
  std::optional<std::uint64_t> find_debug_structure() {
    const bool is_64 = w_ == 8;
    if (program_.count > 256 || program_.size_bytes != (is_64 ? 56 : 32)) return std::nullopt;
    std::optional<std::uint64_t> bias;
    std::optional<std::uint64_t> dynamic;
    for (std::uint64_t i = 0; i < program_.count; ++i) {
      const std::uint64_t at = program_.headers + i * program_.size_bytes;
      std::array<std::byte, 4> type{};
      if (read_some(at, type) != type.size()) return std::nullopt;
      const auto address = read_word(at + (is_64 ? 16 : 8));
      if (!address) return std::nullopt;
      const std::uint32_t kind = load_as<std::uint32_t>(type.data(), std::endian::native);
      if (kind == PT_PHDR) bias = program_.headers - *address;
      if (kind == PT_DYNAMIC) dynamic = *address;
    }
    // Without PT_PHDR the program is not position-independent.
    if (!dynamic) return std::nullopt;
    const std::uint64_t table = *dynamic + bias.value_or(0);
    for (std::uint64_t i = 0; i < 4096; ++i) {
      const auto tag = read_word(table + i * 2 * w_);
      if (!tag || *tag == DT_NULL) return std::nullopt;
      if (*tag == DT_DEBUG) return read_word(table + (2 * i + 1) * w_);
    }
    return std::nullopt;
  }

  /// What dlmopen(3) has made: a struct r_debug_extended each.
  ListState walk_other_spaces(std::uint64_t debug) {
    const auto version = read_word(debug);
    if (!version || static_cast<std::uint32_t>(*version) != kNextVersion) return ListState::Read;
    auto next = read_word(debug + 5 * w_);
    for (std::uint32_t space = 1; next && *next != 0; ++space) {
      const auto state = read_word(*next + 3 * w_);
      if (!state || space == kMostLiveSpaces) return ListState::Damaged;
      if (static_cast<std::uint32_t>(*state) != kConsistent) return ListState::Changing;
      if (!walk(*next + w_, space)) return ListState::Damaged;
      next = read_word(*next + 5 * w_);
    }
    return next ? ListState::Read : ListState::Damaged;
  }

  /// The whole list of a namespace, forwards; each entry's l_prev must be the one before. Only the program's must have
  /// something in it.
  bool walk(std::uint64_t head, std::uint32_t space) {
    auto entry = read_word(head);
    std::uint64_t before = 0;
    while (entry && *entry != 0) {
      if (++entries_ > max_entries_) return false;
      LiveEntry read;
      read.space = space;
      read.at = *entry;
      const auto bias = read_word(*entry);
      const auto name = read_word(*entry + w_);
      const auto dynamic = read_word(*entry + 2 * w_);
      const auto next = read_word(*entry + 3 * w_);
      const auto previous = read_word(*entry + 4 * w_);
      if (!bias || !name || !dynamic || !next || previous != before) return false;
      auto text = *name == 0 ? std::string() : read_name(*name);
      if (!text || !by_address_.emplace(*entry, map_.entries.size()).second) return false;
      read.bias = *bias;
      read.dynamic = *dynamic;
      read.name = std::move(*text);
      read_names(read);
      const bool stands_for_another = space != 0 && read_word(*entry + kRealOffset * w_) != *entry;
      if (stands_for_another) {
        by_address_.erase(*entry);
      } else {
        map_.entries.push_back(std::move(read));
      }
      before = *entry;
      entry = next;
    }
    return entry.has_value() && !map_.entries.empty();
  }

  /// struct libname_list: name, next, dont_free.
  void read_names(LiveEntry& entry) const {
    // The objects of a namespace that dlmopen made can be stand-ins for others.
    if (read_word(entry.at + kRealOffset * w_) != entry.at) return;
    auto at = read_word(entry.at + kNamesOffset * w_);
    while (at && *at != 0 && entry.names.size() < kMaxNames) {
      const auto pointer = read_word(*at);
      if (!pointer || *pointer == 0) return;
      auto name = read_name(*pointer);
      if (!name) return;
      entry.names.push_back(std::move(*name));
      at = read_word(*at + w_);
    }
  }

  void read_private_part() {
    const auto place = find_program_headers_field();
    if (!place) return;
    map_.global = read_search_list(map_.entries.front().at + *place + 3 * w_);
    for (LiveEntry& entry : map_.entries) {
      const auto loader = read_word(entry.at + *place + 7 * w_);
      const auto known = loader ? by_address_.find(*loader) : by_address_.end();
      if (known != by_address_.end() && known->first != entry.at) entry.loader = known->second;
    }
    read_types(*place);
    read_origins(*place + 8 * w_);
  }

  /// l_type: who has one that it cannot have is no reason to believe the others.
  void read_types(std::size_t place) {
    std::vector<std::uint32_t> types;
    for (const LiveEntry& entry : map_.entries) {
      std::array<std::byte, 4> bytes{};
      if (read_some(entry.at + place + 12 * w_ + 20, bytes) != bytes.size()) return;
      types.push_back(load_as<std::uint32_t>(bytes.data(), std::endian::native) & kTypeMask);
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
      const LiveEntry& entry = map_.entries[i];
      if (types[i] > kLoaded || (types[i] == kExecutable) != (i == 0)) return;
      // What the start needs is not needed by what was opened.
      if (types[i] != kLoaded && (entry.space != 0 || (entry.loader && types[*entry.loader] == kLoaded))) return;
    }
    for (std::size_t i = 0; i < types.size(); ++i) map_.entries[i].is_opened = types[i] == kLoaded;
  }

  /// The order of lookups, who needed whom, and by which name each was searched for.
  void read_musl_part() {
    std::vector<std::optional<std::size_t>> loaders;
    std::vector<std::vector<std::string>> names;
    for (const LiveEntry& entry : map_.entries) {
      const auto needed_by = read_word(entry.at + kMuslNeededBy);
      const auto shortname = read_word(entry.at + kMuslShortname);
      if (!needed_by || !shortname) return;
      const auto known = by_address_.find(*needed_by);
      if (*needed_by != 0 && known == by_address_.end()) return;
      loaders.push_back(*needed_by == 0 ? std::nullopt : std::optional(known->second));
      names.emplace_back();
      if (*shortname == 0) continue;
      auto name = read_name(*shortname);
      if (!name || name->empty() || name->find('/') != std::string::npos) return;
      names.back().push_back(std::move(*name));
    }
    std::vector<std::size_t> global;
    for (std::optional<std::uint64_t> at = map_.entries.front().at; at && *at != 0;
         at = read_word(*at + kMuslSymsNext)) {
      const auto known = by_address_.find(*at);
      if (known == by_address_.end() || global.size() == map_.entries.size()) return;
      global.push_back(known->second);
    }
    for (std::size_t i = 0; i < map_.entries.size(); ++i) {
      LiveEntry& entry = map_.entries[i];
      entry.loader = loaders[i];
      entry.names = std::move(names[i]);
      const auto rpath = read_word(entry.at + kMuslRpath);
      if (rpath && *rpath != 0) entry.rpath = read_name(*rpath);
    }
    map_.global = std::move(global);
  }

  /// The offset of l_phdr.
  [[nodiscard]] std::optional<std::size_t> find_program_headers_field() const {
    std::array<std::byte, kEntryBytes> bytes{};
    const std::size_t size = read_some(map_.entries.front().at, bytes);
    for (std::size_t at = kInfoOffset * w_; at + 2 * w_ <= size; at += w_) {
      if (word(bytes.data() + at) == program_.headers && word(bytes.data() + at + w_) == program_.entry) return at;
    }
    return std::nullopt;
  }

  /// struct r_scope_elem: r_list, r_nlist. Every element must be in the list, the program among them.
  [[nodiscard]] std::optional<std::vector<std::size_t>> read_search_list(std::uint64_t at) const {
    const auto list = read_word(at);
    std::array<std::byte, 4> count_bytes{};
    if (!list || read_some(at + w_, count_bytes) != count_bytes.size()) return std::nullopt;
    const std::uint32_t count = load_as<std::uint32_t>(count_bytes.data(), std::endian::native);
    if (count == 0 || count > map_.entries.size()) return std::nullopt;
    std::vector<std::size_t> found;
    std::vector<bool> is_known(map_.entries.size(), false);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto pointer = read_word(*list + i * w_);
      const auto known = pointer ? by_address_.find(*pointer) : by_address_.end();
      if (known == by_address_.end()) return std::nullopt;
      if (!is_known[known->second]) found.push_back(known->second);
      is_known[known->second] = true;
    }
    if (!is_known.front()) return std::nullopt;
    return found;
  }

  /// l_origin of all, once its place is known from an object whose directory is known.
  void read_origins(std::size_t from) {
    std::optional<std::size_t> place;
    for (const LiveEntry& entry : map_.entries) {
      if (!place && entry.name.starts_with('/')) place = find_origin_field(entry, from);
    }
    if (!place) return;
    for (LiveEntry& entry : map_.entries) {
      const auto pointer = read_word(entry.at + *place);
      const bool is_none = pointer == (w_ == 8 ? ~std::uint64_t{0} : std::uint64_t{0xffffffff});
      if (!pointer || *pointer == 0 || is_none) {
        if (&entry == &map_.entries.front() && is_none) map_.origin_state = LiveOrigin::None;
        continue;
      }
      entry.origin = read_name(*pointer);
      if (&entry == &map_.entries.front() && entry.origin) map_.origin_state = LiveOrigin::Known;
    }
  }

  [[nodiscard]] std::optional<std::size_t> find_origin_field(const LiveEntry& entry, std::size_t from) const {
    std::array<std::byte, kEntryBytes> bytes{};
    const std::size_t size = read_some(entry.at, bytes);
    const std::string directory = entry.name.substr(0, std::max<std::size_t>(entry.name.rfind('/'), 1));
    for (std::size_t at = from; at + 2 * w_ <= size; at += w_) {
      // l_map_start: where the first segment lies, with libraries the bias itself.
      if (word(bytes.data() + at + w_) != entry.bias) continue;
      const std::uint64_t pointer = word(bytes.data() + at);
      if (pointer != 0 && read_name(pointer) == directory) return at;
    }
    return std::nullopt;
  }

  const File& memory_;
  const ProgramImage& program_;
  std::size_t max_entries_;
  std::size_t entries_ = 0;  ///< that were read
  std::size_t w_;            ///< bytes of a word
  LiveLinkMap map_;
  std::unordered_map<std::uint64_t, std::size_t> by_address_;
};

}  // namespace

LinkMapReading read_live_link_map(const File& memory, const ProgramImage& program, std::size_t max_entries) {
  return LinkMapReader(memory, program, max_entries).run();
}

}  // namespace soresolve
