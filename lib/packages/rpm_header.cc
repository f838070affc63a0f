// Finds the entries by their tags, and puts the paths of files together: the name of each, and the number of its
// directory. Counts are those of the file, so each is checked against the bytes that are there.
#include "packages/rpm_header.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "base/load.h"

namespace soresolve {
namespace {

enum class RpmTag : std::uint32_t {
  Name = 1000,
  Version = 1001,
  Release = 1002,
  Arch = 1022,
  FileSizes = 1028,
  FileStates = 1029,
  FileModes = 1030,
  FileDigests = 1035,
  DirIndexes = 1116,
  BaseNames = 1117,
  DirNames = 1118,
  FileDigestAlgorithm = 5011,
};
enum class RpmType : std::uint32_t { Char = 1, Int8 = 2, Int16 = 3, Int32 = 4, String = 6, StringArray = 8 };

constexpr std::uint32_t kMaxEntries = 65536;

class RpmHeader {
 public:
  static std::optional<RpmHeader> read(std::string_view blob) {
    constexpr std::size_t kPreamble = 8;
    constexpr std::size_t kEntry = 16;
    if (blob.size() < kPreamble) return std::nullopt;
    const std::uint64_t count = number_at(blob, 0);
    const std::uint64_t data_bytes = number_at(blob, 4);
    if (count > kMaxEntries || !is_within(kPreamble + count * kEntry, data_bytes, blob.size())) return std::nullopt;
    RpmHeader header;
    header.data_ = blob.substr(kPreamble + count * kEntry, data_bytes);
    for (std::size_t at = kPreamble; at < kPreamble + count * kEntry; at += kEntry) {
      // The first of a tag counts: what rpm adds on installing stands behind what the package had.
      header.entries_.try_emplace(number_at(blob, at), Entry{static_cast<RpmType>(number_at(blob, at + 4)),
                                                             number_at(blob, at + 8), number_at(blob, at + 12)});
    }
    return header;
  }

  [[nodiscard]] std::string text(RpmTag tag) const {
    const Entry* const entry = find(tag, RpmType::String);
    if (entry == nullptr || entry->offset >= data_.size()) return {};
    const std::string_view rest = data_.substr(entry->offset);
    return std::string(rest.substr(0, std::min(rest.find('\0'), rest.size())));
  }

  /// Fewer than the header says where its bytes end.
  [[nodiscard]] std::vector<std::string_view> texts(RpmTag tag) const {
    std::vector<std::string_view> list;
    const Entry* const entry = find(tag, RpmType::StringArray);
    if (entry == nullptr || entry->offset >= data_.size()) return list;
    std::string_view rest = data_.substr(entry->offset);
    for (std::uint32_t i = 0; i < entry->count && list.size() < kMaxRpmFiles; ++i) {
      const std::size_t end = rest.find('\0');
      if (end == std::string_view::npos) break;
      list.push_back(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    return list;
  }

  /// The number at `index` of an array; nullopt: it has none.
  [[nodiscard]] std::optional<std::uint32_t> number(RpmTag tag, std::size_t index) const {
    const auto at = entries_.find(static_cast<std::uint32_t>(tag));
    if (at == entries_.end() || index >= at->second.count) return std::nullopt;
    const RpmType type = at->second.type;
    const std::size_t bytes = type == RpmType::Int32                           ? 4
                              : type == RpmType::Int16                         ? 2
                              : type == RpmType::Int8 || type == RpmType::Char ? 1
                                                                               : 0;
    const std::uint64_t offset = at->second.offset + std::uint64_t{bytes} * index;
    if (bytes == 0 || !is_within(offset, bytes, data_.size())) return std::nullopt;
    const char* const from = data_.data() + offset;
    if (bytes == 4) return load_as<std::uint32_t>(from, std::endian::big);
    if (bytes == 2) return load_as<std::uint16_t>(from, std::endian::big);
    return static_cast<std::uint8_t>(*from);
  }

 private:
  struct Entry {
    RpmType type;
    std::uint32_t offset;
    std::uint32_t count;
  };
  static std::uint32_t number_at(std::string_view blob, std::size_t at) {
    return load_as<std::uint32_t>(blob.data() + at, std::endian::big);
  }
  [[nodiscard]] const Entry* find(RpmTag tag, RpmType type) const {
    const auto at = entries_.find(static_cast<std::uint32_t>(tag));
    return at == entries_.end() || at->second.type != type ? nullptr : &at->second;
  }

  std::string_view data_;
  std::unordered_map<std::uint32_t, Entry> entries_;
};

/// Digest and size of a regular file. Without the tag of the algorithm it is MD5 (rpm before 4.6).
RecordedContent content_of(const RpmHeader& header, std::size_t index, std::string_view digest) {
  constexpr std::uint32_t kMd5 = 1;
  constexpr std::uint32_t kSha256 = 8;
  constexpr std::uint32_t kTypeBits = 0170000;
  constexpr std::uint32_t kRegular = 0100000;
  const std::optional<std::uint32_t> mode = header.number(RpmTag::FileModes, index);
  if (!mode || (*mode & kTypeBits) != kRegular) return {};
  RecordedContent content;
  const std::uint32_t algorithm = header.number(RpmTag::FileDigestAlgorithm, 0).value_or(kMd5);
  if (algorithm == kSha256 && digest.size() == 64) content.sha256 = digest;
  if (algorithm == kMd5 && digest.size() == 32) content.md5 = digest;
  content.size_bytes = header.number(RpmTag::FileSizes, index);
  return content;
}

}  // namespace

std::optional<RpmPackage> parse_rpm_header(std::string_view blob) {
  constexpr std::uint32_t kNormal = 0;  // else replaced, left out, or of the other word size
  constexpr std::size_t kMaxPathBytes = 4096;
  const std::optional<RpmHeader> header = RpmHeader::read(blob);
  if (!header) return std::nullopt;
  RpmPackage package;
  package.name = header->text(RpmTag::Name);
  if (package.name.empty()) return std::nullopt;
  package.release = header->text(RpmTag::Version) + "-" + header->text(RpmTag::Release);
  if (const std::string machine = header->text(RpmTag::Arch); !machine.empty()) package.release += "." + machine;
  const std::vector<std::string_view> names = header->texts(RpmTag::BaseNames);
  const std::vector<std::string_view> directories = header->texts(RpmTag::DirNames);
  const std::vector<std::string_view> digests = header->texts(RpmTag::FileDigests);
  // A short header can name one long directory for each file: all paths together stay below what it could really have.
  std::uint64_t bytes_left = std::uint64_t{64} << 20;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::optional<std::uint32_t> directory = header->number(RpmTag::DirIndexes, i);
    if (header->number(RpmTag::FileStates, i).value_or(kNormal) != kNormal) continue;
    if (!directory || *directory >= directories.size() || !directories[*directory].starts_with('/')) continue;
    const std::uint64_t bytes = directories[*directory].size() + names[i].size();
    if (bytes > kMaxPathBytes) continue;
    if (bytes > bytes_left) break;
    bytes_left -= bytes;
    package.files.push_back({std::string(directories[*directory]).append(names[i]),
                             content_of(*header, i, i < digests.size() ? digests[i] : std::string_view())});
  }
  return package;
}

}  // namespace soresolve
