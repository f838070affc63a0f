// Reads the JSON arrays of "FDO" notes, found by program header. Format: UAPI Group specification 12, "ELF dlopen
// metadata". A damaged entry is reported with its file offset, and the others still count. Whether a library is there
// is not decided here: lib/dlopen.
#include "soresolve/elf.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include <nlohmann/json.hpp>

#include "base/json_members.h"
#include "base/load.h"
#include "elf/dlopen_note.h"
#include "elf/image_reader.h"

namespace soresolve {
namespace {

constexpr std::uint32_t kNoteType = 0x407c0c0a;   // NT_FDO_DLOPEN_METADATA
constexpr std::size_t kMaxNoteBytes = 256 << 10;  ///< of one segment's notes that are looked at
constexpr std::size_t kMaxEntries = 1024;         ///< of one object
constexpr std::size_t kMaxAlternatives = 64;      ///< sonames of one entry
constexpr std::size_t kHeaderBytes = 12;

using Json = nlohmann::json;

class NoteReader {
 public:
  NoteReader(const File& file, const ElfObject& object, std::string_view path)
      : reader_(file, object), object_(object), path_(path) {}

  DlopenNotes read() {
    for (const Segment& segment : object_.segments) {
      if (segment.type == PT_NOTE) read_segment(segment);
    }
    return std::move(notes_);
  }

 private:
  void damage(std::uint64_t offset, std::string message) {
    notes_.damaged.push_back({ErrorCode::Malformed, std::string(path_), offset, std::move(message)});
  }

  /// Notes are chunks of their own: one that is longer than a window is read in pieces.
  [[nodiscard]] std::string bytes_at(std::uint64_t offset, std::uint64_t size) {
    std::string bytes;
    while (bytes.size() < size) {
      const std::size_t want =
          static_cast<std::size_t>(std::min<std::uint64_t>(size - bytes.size(), ImageReader::kWindowBytes));
      const auto piece = reader_.file_view(offset + bytes.size(), want);
      if (piece.empty()) break;
      bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    }
    return bytes;
  }

  void read_segment(const Segment& segment) {
    if (segment.file_bytes > kMaxNoteBytes) {
      damage(segment.file_offset,
             "has more than " + std::to_string(kMaxNoteBytes) + " bytes of notes; what follows is not read");
    }
    const std::string bytes = bytes_at(segment.file_offset, std::min<std::uint64_t>(segment.file_bytes, kMaxNoteBytes));
    const std::uint64_t alignment = segment.alignment == 8 ? 8 : 4;
    const auto padded = [&](std::uint64_t size) { return (size + alignment - 1) / alignment * alignment; };
    std::uint64_t at = 0;
    while (bytes.size() - at >= kHeaderBytes) {
      const std::byte* const header = reinterpret_cast<const std::byte*>(bytes.data()) + at;
      const std::uint64_t name_bytes = load_as<std::uint32_t>(header, reader_.order());
      const std::uint64_t text_bytes = load_as<std::uint32_t>(header + 4, reader_.order());
      const std::uint32_t type = load_as<std::uint32_t>(header + 8, reader_.order());
      const std::uint64_t start = at + padded(kHeaderBytes + name_bytes);
      const bool is_ours = type == kNoteType && name_bytes == 4 && bytes.size() - at >= kHeaderBytes + 4 &&
                           std::memcmp(header + kHeaderBytes, "FDO", 4) == 0;
      if (!is_within(start, text_bytes, bytes.size())) {
        if (is_ours) damage(segment.file_offset + at, "has a dlopen note that is cut off");
        return;
      }
      if (is_ours) read_text(std::string_view(bytes).substr(start, text_bytes), segment.file_offset + start);
      at = std::min<std::uint64_t>(padded(start + text_bytes), bytes.size());
    }
  }

  /// `offset`: of the text in the file.
  void read_text(std::string_view text, std::uint64_t offset) {
    text = text.substr(0, text.find('\0'));
    Json json;
    try {
      json = Json::parse(text.begin(), text.end());
    } catch (const Json::parse_error& error) {
      // The parser counts from 1, and its number is the last byte that it has taken.
      const std::size_t byte = error.byte == 0 ? 0 : error.byte - 1;
      return damage(offset + std::min(byte, text.size()), "has a dlopen note that is no valid JSON");
    }
    if (!json.is_array()) return damage(offset, "has a dlopen note that is no JSON array");
    for (const Json& entry : json) {
      if (notes_.list.size() == kMaxEntries) {
        return damage(offset, "has more than " + std::to_string(kMaxEntries) + " entries in its dlopen notes");
      }
      read_entry(entry, offset);
    }
  }

  void read_entry(const Json& entry, std::uint64_t offset) {
    const auto names = entry.is_object() ? entry.find("soname") : entry.end();
    if (!entry.is_object() || names == entry.end() || !names->is_array() || names->empty()) {
      return damage(offset, "has a dlopen note with an entry without an array of sonames");
    }
    DlopenNote note;
    note.file_offset = offset;
    note.feature = text_of(member(entry, "feature"));
    note.description = text_of(member(entry, "description"));
    const std::string priority = text_of(member(entry, "priority"));
    if (priority == "required") note.importance = Importance::Required;
    if (priority == "suggested") note.importance = Importance::Suggested;
    for (const Json& name : *names) {
      if (!name.is_string() || name.get_ref<const std::string&>().empty() || note.sonames.size() == kMaxAlternatives) {
        return damage(offset, "has a dlopen note with a soname that is no text, or too many of them");
      }
      note.sonames.push_back(name.get<std::string>());
    }
    notes_.list.push_back(std::move(note));
  }

  ImageReader reader_;
  const ElfObject& object_;
  std::string_view path_;
  DlopenNotes notes_;
};

}  // namespace

DlopenNotes read_dlopen_notes(const File& file, const ElfObject& object, std::string_view path) {
  return NoteReader(file, object, path).read();
}

}  // namespace soresolve
