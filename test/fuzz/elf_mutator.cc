// Mutation of an ELF file by its fields: headers, segments, dynamic tags, versions, hash tables, symbols, relocations
// and notes are found as the loader finds them, and one of their numbers changes. A change of any byte nearly always
// ends in the first check; this gets behind it. The file may begin some bytes into the input, where a target has
// choices of its own. Offsets: gABI, "Object Files" and "Dynamic Section"; LSB Core, "Symbol Versioning".
#include "fuzz/elf_mutator.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/random.h"

namespace soresolve::test {
namespace {

struct Field {
  std::size_t at = 0;
  std::size_t width = 0;
};

/// The fields of one file; none where it is too damaged to be followed.
class ElfFields {
 public:
  explicit ElfFields(std::span<std::uint8_t> file)
      : file_(file), is_wide_(file.size() > 5 && file[4] == 2), is_big_(file.size() > 5 && file[5] == 2) {
    read_header();
    read_segments();
    for (const Segment& segment : segments_) {
      if (segment.type == 2) read_dynamic(segment);
      if (segment.type == 4) add_words(tables_, segment.offset, segment.file_bytes / 4, 4);
    }
    read_tables();
  }

  /// Field groups, each as likely as the others although relocations are many and headers few.
  [[nodiscard]] std::vector<const std::vector<Field>*> groups() const {
    std::vector<const std::vector<Field>*> all;
    for (const auto* group :
         {&header_, &segment_fields_, &tags_, &versions_, &hashes_, &symbols_, &relocations_, &tables_}) {
      if (!group->empty()) all.push_back(group);
    }
    return all;
  }

  [[nodiscard]] std::uint64_t get(const Field& field) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < field.width; ++i) {
      value = value << 8 | file_[field.at + (is_big_ ? i : field.width - 1 - i)];
    }
    return value;
  }
  void set(const Field& field, std::uint64_t value) {
    for (std::size_t i = 0; i < field.width; ++i) {
      file_[field.at + (is_big_ ? field.width - 1 - i : i)] = static_cast<std::uint8_t>(value >> (8 * i));
    }
  }

 private:
  static constexpr std::size_t kMaxEntries = 64;  // of each table: enough to reach all that one entry can do
  struct Segment {
    std::uint64_t type, offset, address, file_bytes;
  };

  [[nodiscard]] std::size_t word() const { return is_wide_ ? 8 : 4; }

  /// One field; its value, 0 where it is not in the file.
  std::uint64_t add(std::vector<Field>& group, std::uint64_t at, std::size_t width) {
    if (at > file_.size() || width > file_.size() - at) return 0;
    group.push_back({static_cast<std::size_t>(at), width});
    return get(group.back());
  }
  void add_words(std::vector<Field>& group, std::uint64_t at, std::uint64_t count, std::size_t width) {
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, kMaxEntries); ++i) add(group, at + i * width, width);
  }

  void read_header() {
    add_words(header_, 4, 5, 1);
    for (const std::size_t at : {16, 18}) add(header_, at, 2);
    add(header_, 20, 4);
    add(header_, 24, word());
    segments_at_ = add(header_, 24 + word(), word());
    add(header_, 24 + 3 * word(), 4);
    const std::size_t sizes = 28 + 3 * word();
    add(header_, sizes, 2);
    segment_bytes_ = add(header_, sizes + 2, 2);
    segment_count_ = add(header_, sizes + 4, 2);
  }

  void read_segments() {
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(segment_count_, kMaxEntries); ++i) {
      const std::uint64_t at = segments_at_ + i * segment_bytes_;
      Segment segment{};
      segment.type = add(segment_fields_, at, 4);
      if (is_wide_) add(segment_fields_, at + 4, 4);
      const std::uint64_t numbers = at + word();
      segment.offset = add(segment_fields_, numbers, word());
      segment.address = add(segment_fields_, numbers + word(), word());
      segment.file_bytes = add(segment_fields_, numbers + 3 * word(), word());
      add(segment_fields_, numbers + 4 * word(), word());
      add(segment_fields_, numbers + (is_wide_ ? 5 * word() : 6 * word()), word());
      if (!is_wide_) add(segment_fields_, numbers + 5 * word(), 4);
      segments_.push_back(segment);
    }
  }

  void read_dynamic(const Segment& segment) {
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(segment.file_bytes / (2 * word()), kMaxEntries); ++i) {
      const std::uint64_t tag = add(tags_, segment.offset + 2 * i * word(), word());
      const std::uint64_t value = add(tags_, segment.offset + (2 * i + 1) * word(), word());
      if (tag == 0) return;
      dynamic_.push_back({tag, value});
    }
  }

  /// The value of a tag; 0 if it is not there.
  [[nodiscard]] std::uint64_t value_of(std::uint64_t tag) const {
    for (const auto& [known, value] : dynamic_) {
      if (known == tag) return value;
    }
    return 0;
  }

  /// Where the table of `tag` lies in the file; behind its end if nowhere.
  [[nodiscard]] std::uint64_t table(std::uint64_t tag) const {
    const std::uint64_t address = value_of(tag);
    for (const Segment& segment : segments_) {
      if (segment.type != 1 || address < segment.address || address == 0) continue;
      if (address - segment.address < segment.file_bytes) return address - segment.address + segment.offset;
    }
    return file_.size();
  }

  void read_tables() {
    constexpr std::uint64_t kHash = 4, kSymbols = 6, kRela = 7, kRelaBytes = 8, kRel = 17, kRelBytes = 18, kCalls = 23,
                            kCallBytes = 2, kRelrBytes = 35, kRelr = 36, kGnuHash = 0x6ffffef5, kVersions = 0x6ffffff0,
                            kDefinitions = 0x6ffffffc, kNeeds = 0x6ffffffe;
    add_words(hashes_, table(kHash), kMaxEntries, 4);
    add_words(hashes_, table(kGnuHash), kMaxEntries, 4);
    add_words(versions_, table(kVersions), kMaxEntries, 2);
    read_versions(table(kNeeds), {{2, 2, 4, 4, 4}, 8, 12}, {{4, 2, 2, 4, 4}, 0, 12});
    read_versions(table(kDefinitions), {{2, 2, 2, 2, 4, 4, 4}, 12, 16}, {{4, 4}, 0, 4});
    for (std::uint64_t i = 0; i < kMaxEntries / 2; ++i) {
      std::uint64_t at = table(kSymbols) + i * (is_wide_ ? 24 : 16);
      for (const std::size_t width :
           is_wide_ ? std::vector<std::size_t>{4, 1, 1, 2, 8, 8} : std::vector<std::size_t>{4, 4, 4, 1, 1, 2}) {
        add(symbols_, at, width);
        at += width;
      }
    }
    add_words(relocations_, table(kRela), value_of(kRelaBytes) / word(), word());
    add_words(relocations_, table(kRel), value_of(kRelBytes) / word(), word());
    add_words(relocations_, table(kCalls), value_of(kCallBytes) / word(), word());
    add_words(relocations_, table(kRelr), value_of(kRelrBytes) / word(), word());
  }

  struct Layout {
    std::vector<std::size_t> widths;
    std::size_t first_at;  ///< of the offset of its first part; 0 if it has none
    std::size_t next_at;   ///< of the offset of the next one
  };
  /// A chain of records, each with a chain of parts.
  void read_versions(std::uint64_t at, const Layout& record, const Layout& part) {
    for (std::size_t i = 0; i < kMaxEntries / 4 && at < file_.size(); ++i) {
      const auto [first, next] = add_record(at, record);
      std::uint64_t part_at = at + first;
      for (std::size_t j = 0; j < kMaxEntries / 4 && first != 0 && part_at < file_.size(); ++j) {
        const std::uint64_t next_part = add_record(part_at, part).second;
        if (next_part == 0) break;
        part_at += next_part;
      }
      if (next == 0) return;
      at += next;
    }
  }
  std::pair<std::uint64_t, std::uint64_t> add_record(std::uint64_t at, const Layout& layout) {
    std::pair<std::uint64_t, std::uint64_t> offsets;
    std::size_t inside = 0;
    for (const std::size_t width : layout.widths) {
      const std::uint64_t value = add(versions_, at + inside, width);
      if (inside == layout.first_at) offsets.first = value;
      if (inside == layout.next_at) offsets.second = value;
      inside += width;
    }
    return offsets;
  }

  std::span<std::uint8_t> file_;
  bool is_wide_;
  bool is_big_;
  std::uint64_t segments_at_ = 0, segment_bytes_ = 0, segment_count_ = 0;
  std::vector<Segment> segments_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> dynamic_;
  std::vector<Field> header_, segment_fields_, tags_, versions_, hashes_, symbols_, relocations_, tables_;
};

/// A number that means something at this place: near the one that stands there, one of another field, or an extreme.
std::uint64_t new_value(const ElfFields& fields, const std::vector<Field>& group, std::uint64_t old, std::size_t size,
                        Random& random) {
  const std::uint64_t steps[] = {1, 2, 4, 8, 16, 24, 0x1000};
  const std::uint64_t extremes[] = {0,          1,          0x7f,  0xffff, 0x7fffffff, 0x80000000,
                                    0xffffffff, ~0ULL >> 1, ~0ULL, size,   size - 1};
  switch (random.below(5)) {
    case 0: return old + steps[random.below(std::size(steps))];
    case 1: return old - steps[random.below(std::size(steps))];
    case 2: return old ^ std::uint64_t{1} << random.below(32);
    case 3: return fields.get(group[random.below(group.size())]);
    default: return extremes[random.below(std::size(extremes))];
  }
}

/// Changes one to three fields; false where there is no file with fields.
bool mutate_fields(std::span<std::uint8_t> input, Random& random) {
  constexpr std::string_view kMagic =
      "\x7f"
      "ELF";
  const auto begin =
      std::search(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(8, input.size())),
                  kMagic.begin(), kMagic.end());
  const std::span<std::uint8_t> file(begin, input.end());
  if (!std::equal(kMagic.begin(), kMagic.end(), file.begin(),
                  file.begin() + static_cast<std::ptrdiff_t>(std::min(file.size(), kMagic.size())))) {
    return false;
  }
  ElfFields fields(file);
  const std::vector<const std::vector<Field>*> groups = fields.groups();
  if (groups.empty()) return false;
  for (std::size_t changes = random.between(1, 3); changes > 0; --changes) {
    const std::vector<Field>& group = *groups[random.below(groups.size())];
    const Field& field = group[random.below(group.size())];
    fields.set(field, new_value(fields, group, fields.get(field), file.size(), random));
  }
  return true;
}

}  // namespace

bool mutate_elf(std::span<std::uint8_t> input, std::uint64_t seed) {
  Random random(seed);
  return random.below(4) != 0 && mutate_fields(input, random);
}

}  // namespace soresolve::test
