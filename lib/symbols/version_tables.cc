// Follows the chains of verdef, verdaux, verneed and vernaux records by their `next` offsets. Source: LSB Core "Symbol
// Versioning". DT_VERDEFNUM and DT_VERNEEDNUM are not read, as the loader does not read them; records, bytes of names
// and loops are bounded (limits.h).
#include "symbols/version_tables.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/limits.h"
#include "base/load.h"

namespace soresolve {
namespace {

constexpr std::uint16_t kFlagBase = 1;
constexpr std::uint16_t kFlagWeak = 2;
constexpr std::size_t kVerneedBytes = 16;
constexpr std::size_t kVernauxBytes = 16;
constexpr std::size_t kVerdefBytes = 20;
constexpr std::size_t kVerdauxBytes = 8;
constexpr std::size_t kAheadBytes = 4096;
constexpr std::size_t kNamesBytes = 1000;  ///< fits into the first block of a TextArena
constexpr std::size_t kNamesBefore = 300;
constexpr std::size_t kUsual = 8;  ///< records; few libraries have more than twice as many

/// Follows the chains of one file. Records of either class are the same.
class ChainReader {
 public:
  ChainReader(TableReader& reader, const ElfObject& object, std::string_view path, Parents parents)
      : reader_(reader), object_(object), path_(path), parents_(parents),
        max_records_(static_cast<std::size_t>(
            std::min<std::uint64_t>(kMaxVersionRecords, reader.file().status().size_bytes / kVerdauxBytes))) {}

  Result<VersionTables> read() {
    const SymbolTags& tags = object_.symbol_tags;
    if (tags.string_table) {
      strings_ = static_cast<std::uint64_t>(*tags.string_table);
      if (tags.version_defs) read_defs(static_cast<std::uint64_t>(*tags.version_defs));
      if (!failed_ && tags.version_needs) {
        read_needs(static_cast<std::uint64_t>(*tags.version_needs));
      }
    }
    if (failed_) return Unexpected{std::move(*failed_)};
    return std::move(tables_);
  }

 private:
  /// One record at `address`, decoded field by field with u16/u32 below.
  struct Record {
    const std::byte* bytes = nullptr;
    std::endian order = std::endian::little;
    std::uint64_t file_offset = 0;
    [[nodiscard]] std::uint16_t u16(std::size_t at) const { return load_as<std::uint16_t>(bytes + at, order); }
    [[nodiscard]] std::uint32_t u32(std::size_t at) const { return load_as<std::uint32_t>(bytes + at, order); }
  };

  bool fail(ErrorCode code, std::optional<std::uint64_t> offset, std::string message) {
    failed_ = Error{code, std::string(path_), offset, std::move(message)};
    return false;
  }

  bool read_record(std::uint64_t address, std::size_t size, std::string_view what, Record& record) {
    const std::uint64_t at = address - known_start_;  // wraps below it
    if (at <= known_.size() && size <= known_.size() - at && records_ < max_records_) {
      ++records_;
      record = {known_.data() + at, order_, known_offset_ + at};
      record_offset_ = record.file_offset;
      return true;
    }
    return read_far_record(address, size, what, record);
  }

  bool read_far_record(std::uint64_t address, std::size_t size, std::string_view what, Record& record) {
    // Of what lies nowhere the place of the record before it is told.
    const auto offset = [&] {
      const bool is_mapped = reader_.image().locate(address).has_value();
      return is_mapped || !record_offset_ ? reader_.image().place_to_show(address) : record_offset_;
    };
    if (++records_ > max_records_) {
      return fail(ErrorCode::LimitReached, offset(),
                  "has more than " + std::to_string(max_records_) + " version records, or they form a loop");
    }
    const auto bytes = reader_.view(TableReader::Table::Versions, address, size, kAheadBytes);
    if (bytes.size() < size) {
      const bool is_mapped = reader_.image().locate(address).has_value();
      return fail(is_mapped ? ErrorCode::Truncated : ErrorCode::Malformed, offset(),
                  "has a " + std::string(what) + " outside the mapped segments");
    }
    record = {bytes.data(), order_, reader_.file_offset_of(TableReader::Table::Versions, address)};
    record_offset_ = record.file_offset;
    if (record.file_offset != 0) {
      known_start_ = address;
      known_ = reader_.in_window(TableReader::Table::Versions, address, kAheadBytes);
      known_offset_ = record.file_offset;
    }
    return true;
  }

  bool read_name(std::uint32_t offset, std::string_view& name) {
    if (near_names_.empty()) keep_near_names(strings_ + offset);
    if (find_near_name(strings_ + offset, name)) {
      text_bytes_ += name.size();
      return text_bytes_ <= kMaxVersionTextBytes || fail_for_text();
    }
    const std::optional<std::string_view> text = reader_.string_at(strings_ + offset);
    if (!text) {
      return fail(
          ErrorCode::Malformed, record_offset_,
          "has a version name outside the mapped segments, at offset " + std::to_string(offset) + " of DT_STRTAB");
    }
    text_bytes_ += text->size();
    if (text_bytes_ > kMaxVersionTextBytes) return fail_for_text();
    name = tables_.text.keep(*text);
    return true;
  }

  bool fail_for_text() {
    return fail(ErrorCode::LimitReached, record_offset_,
                "has version names of more than " + std::to_string(kMaxVersionTextBytes) + " bytes");
  }

  /// Linkers put names of versions side by side: what is around the first one is copied in one piece.
  void keep_near_names(std::uint64_t address) {
    reader_.view(TableReader::Table::Strings, address, 1, kNamesBytes);
    near_start_ = address - std::min<std::uint64_t>(kNamesBefore, address - strings_);
    const std::span<const std::byte> near = reader_.in_window(TableReader::Table::Strings, near_start_, kNamesBytes);
    near_names_ = tables_.text.keep({reinterpret_cast<const char*>(near.data()), near.size()});
  }
  bool find_near_name(std::uint64_t address, std::string_view& name) const {
    const std::uint64_t at = address - near_start_;  // wraps below them
    if (at >= near_names_.size()) return false;
    const char* const first = near_names_.data() + at;
    const std::size_t most = near_names_.size() - static_cast<std::size_t>(at);
    const std::size_t length = strnlen(first, most);
    name = {first, length};
    return length < most;
  }

  void read_defs(std::uint64_t address) {
    tables_.has_defs = true;
    tables_.defs.reserve(kUsual);
    while (true) {
      Record record;
      if (!read_record(address, kVerdefBytes, "verdef record", record)) return;
      VersionDef def;
      def.record_version = record.u16(0);
      const std::uint16_t flags = record.u16(2);
      def.base = (flags & kFlagBase) != 0;
      def.weak = (flags & kFlagWeak) != 0;
      def.index = record.u16(4) & 0x7fff;
      def.hash = record.u32(8);
      def.file_offset = record.file_offset;
      const std::uint32_t aux = record.u32(12);
      const std::uint32_t next = record.u32(16);
      if (!read_aux(address + aux, def)) return;
      tables_.defs.push_back(std::move(def));
      if (next == 0) return;
      address += next;
    }
  }

  bool read_aux(std::uint64_t address, VersionDef& def) {
    for (bool is_first = true;; is_first = false) {
      Record record;
      if (!read_record(address, kVerdauxBytes, "verdaux entry", record)) return false;
      const std::uint32_t name_offset = record.u32(0);
      const std::uint32_t next = record.u32(4);
      std::string_view name;
      if (!read_name(name_offset, name)) return false;
      if (is_first) {
        def.name = name;
      } else if (parents_ == Parents::Keep) {
        def.parents.push_back(name);
      }
      if (next == 0) return true;
      address += next;
    }
  }

  void read_needs(std::uint64_t address) {
    tables_.has_needs = true;
    tables_.needs.reserve(kUsual);
    while (true) {
      Record record;
      if (!read_record(address, kVerneedBytes, "verneed record", record)) return;
      const std::uint32_t file_offset = record.u32(4);
      const std::uint32_t aux = record.u32(8);
      const std::uint32_t next = record.u32(12);
      std::string_view file;
      if (!read_name(file_offset, file)) return;
      if (!read_need_aux(address + aux, file)) return;
      if (next == 0) return;
      address += next;
    }
  }

  bool read_need_aux(std::uint64_t address, std::string_view file) {
    while (true) {
      Record record;
      if (!read_record(address, kVernauxBytes, "vernaux entry", record)) return false;
      VersionNeed need;
      need.file = file;
      need.hash = record.u32(0);
      need.weak = (record.u16(4) & kFlagWeak) != 0;
      need.index = record.u16(6) & 0x7fff;
      need.is_hidden = (record.u16(6) & 0x8000) != 0;
      need.file_offset = record.file_offset;
      const std::uint32_t name_offset = record.u32(8);
      const std::uint32_t next = record.u32(12);
      if (!read_name(name_offset, need.name)) return false;
      tables_.needs.push_back(need);
      if (next == 0) return true;
      address += next;
    }
  }

  TableReader& reader_;
  const ElfObject& object_;
  std::string_view path_;
  Parents parents_;
  std::endian order_ = reader_.order();
  std::uint64_t strings_ = 0;
  std::span<const std::byte> known_;  ///< in the window of versions: from the record that was sought last on
  std::uint64_t known_start_ = 0;
  std::uint64_t known_offset_ = 0;
  std::size_t max_records_;  ///< what the limit allows, and what the file has room for
  std::size_t records_ = 0;
  std::optional<std::uint64_t> record_offset_;  ///< of the record that was read last
  std::uint64_t text_bytes_ = 0;
  VersionTables tables_;
  std::string_view near_names_;  ///< in tables_.text
  std::uint64_t near_start_ = 0;
  std::optional<Error> failed_;
};

}  // namespace

Result<VersionTables> read_version_tables(const File& file, const ElfObject& object, std::string_view path) {
  TableScratch scratch;
  TableReader reader(file, object, scratch);
  return read_version_tables(reader, object, path, Parents::Keep);
}

Result<VersionTables> read_version_tables(TableReader& reader, const ElfObject& object, std::string_view path,
                                          Parents parents) {
  return ChainReader(reader, object, path, parents).read();
}

}  // namespace soresolve
