// Writes the file of a snapshot (its layout: snapshot_file.cc). The sections are made one by one, cut into parts of 32
// MiB, and compressed by several threads; the parts stand in their order in any case, so that the same input gives the
// same bytes.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/parallel.h"
#include "place/snapshot.h"
#include "place/snapshot_data.h"
#include "place/snapshot_sections.h"
#include "place/snapshot_streams.h"
#include "place/snapshot_symbols.h"

namespace soresolve {
namespace {

using Kind = SnapshotEntry::Kind;

void add_number(std::string& to, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to += static_cast<char>(number >> (8 * i));
}

std::string& stream_of(SnapshotData& data, PieceKind kind) { return data.streams[static_cast<std::size_t>(kind)]; }

void add_nodes(const SnapshotData& data, Sections& sections) {
  NumberWriter names, flags, targets, counts, modes, sizes, times, owners, numbers;
  std::int64_t time_before = 0;
  for (const SnapshotNode& node : data.nodes) {
    names.add_text(node.name);
    std::uint64_t flag = static_cast<std::uint64_t>(node.kind) | static_cast<std::uint64_t>(node.entry_kind) << 3;
    const auto set = [&](bool is_set, Flag bit) { flag |= is_set ? std::uint64_t{bit} : 0; };
    set(node.is_listed, kListed);
    set(node.is_complete, kComplete);
    set(node.has_status, kHasStatus);
    set(node.was_opened, kOpened);
    set(node.is_on_nosuid, kNosuid);
    set(node.is_on_noexec, kNoexec);
    set(node.error != 0, kHasError);
    set(node.open_error != 0, kHasOpenError);
    set(!node.capabilities.empty(), kHasCapabilities);
    flags.add(flag);
    if (node.kind == Kind::Link) targets.add_text(node.target);
    if (!node.capabilities.empty())
      targets.add_text({reinterpret_cast<const char*>(node.capabilities.data()), node.capabilities.size()});
    if (node.error != 0) counts.add(static_cast<std::uint64_t>(node.error));
    if (node.open_error != 0) counts.add(static_cast<std::uint64_t>(node.open_error));
    if (node.kind == Kind::Directory) counts.add(node.child_count);
    if (node.kind == Kind::File) numbers.add(node.content);
    if (!node.has_status) continue;
    modes.add(static_cast<std::uint64_t>(node.status.kind) | std::uint64_t{node.status.mode} << 3);
    sizes.add(node.status.size_bytes);
    times.add_signed(node.status.modified_ns - time_before);
    time_before = node.status.modified_ns;
    owners.add(node.status.owner);
    owners.add(node.status.group);
    numbers.add(node.status.id.inode);
  }
  const NumberWriter* const columns[] = {&names, &flags, &targets, &counts, &modes, &sizes, &times, &owners, &numbers};
  for (std::size_t i = 0; i < std::size(columns); ++i) sections[kNames + i] = columns[i]->bytes();
}

std::string contents_section(const SnapshotData& data) {
  NumberWriter to;
  to.add(data.contents.size());
  for (const SnapshotContent& content : data.contents) {
    to.add(content.end);
    to.add(content.pieces.size());
    std::uint64_t end = 0;
    for (const SnapshotPiece& piece : content.pieces) {
      to.add(piece.offset - end);
      to.add(piece.size_bytes);
      to.add(static_cast<std::uint64_t>(piece.kind) << 1 | (piece.is_exact ? 1 : 0));
      end = piece.offset + piece.size_bytes;
    }
    to.add(content.searched.size());
    end = 0;
    for (const SnapshotRange& range : content.searched) {
      to.add(range.start - end);
      to.add(range.end - range.start);
      end = range.end;
    }
  }
  return to.bytes();
}

/// All sections but those that are streams as they are; what these are made of goes from `data`.
Sections sections_of(SnapshotData& data, unsigned jobs) {
  Sections sections(kSections);
  sections[kMachineSection] = machine_section(data.machine);
  add_nodes(data, sections);
  data.nodes = {};
  sections[kContents] = contents_section(data);
  constexpr PieceKind kFolded[] = {PieceKind::Symbols, PieceKind::Relocations, PieceKind::Hashes};
  for_each_index(std::size(kFolded), jobs, [&](unsigned, std::size_t i) {
    std::string& section = sections[kFirstStream + static_cast<std::size_t>(kFolded[i])];
    switch (kFolded[i]) {
      case PieceKind::Hashes: section = fold_hashes(data); break;
      case PieceKind::Relocations: section = to_columns(stream_of(data, kFolded[i]), kFolded[i]); break;
      default: {
        SymbolColumns columns = fold_symbols(data);
        std::move(columns.begin(), columns.end(), sections.begin() + kFirstColumn);
      }
    }
  });
  for (const PieceKind kind : kFolded) stream_of(data, kind) = {};
  return sections;
}

/// A part of a section, a frame of its own.
struct Part {
  std::size_t section = 0;
  std::size_t at = 0;
  std::size_t size_bytes = 0;
  std::optional<Result<std::string>> packed = {};
};

using SectionViews = std::array<std::string_view, kSections>;

/// The level where none is wanted: a program's tables are small, and take little time at any; those of a tree do not.
int usual_level(std::uint64_t bytes) {
  constexpr std::uint64_t kSmall = std::uint64_t{8} << 20;
  return bytes <= kSmall ? 15 : 6;
}

/// Packs the parts of all sections; in the order of the file.
std::vector<Part> packed_parts(const SectionViews& sections, int level, unsigned jobs) {
  constexpr int kMoreForNames = 3;
  constexpr int kMostLevel = 19;  // of zstd, without --ultra
  std::vector<Part> parts;
  for (std::size_t i = 0; i < kSections; ++i) {
    for (std::size_t at = 0; at < sections[i].size(); at += kPartBytes)
      parts.push_back({i, at, std::min(kPartBytes, sections[i].size() - at)});
  }
  // The longest first, so that no thread is left with one of them at the end.
  std::vector<Part*> order;
  for (Part& part : parts) order.push_back(&part);
  std::stable_sort(order.begin(), order.end(),
                   [](const Part* a, const Part* b) { return a->size_bytes > b->size_bytes; });
  for_each_index(order.size(), jobs, [&](unsigned, std::size_t i) {
    Part& part = *order[i];
    // Names gain most by a higher level: 8 % at a third more of the little time that they take.
    const bool has_names = part.section == kFirstStream + static_cast<std::size_t>(PieceKind::Strings);
    part.packed = pack(sections[part.section].substr(part.at, part.size_bytes),
                       has_names ? std::max(level, std::min(level + kMoreForNames, kMostLevel)) : level);
  });
  return parts;
}

}  // namespace

Result<std::string> write_snapshot(SnapshotData data, std::optional<int> level, unsigned jobs) {
  const Sections folded = sections_of(data, jobs);
  SectionViews sections;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < kSections; ++i) {
    sections[i] = folded[i];
    if (folded[i].empty() && i >= kFirstStream) sections[i] = data.streams[i - kFirstStream];
    total += sections[i].size();
  }
  if (total > kMostSnapshotBytes) {
    return Unexpected{Error{ErrorCode::LimitReached, {}, {}, "a snapshot of so much would be larger than 1 GiB"}};
  }
  std::array<std::string, kSections> packed;
  for (Part& part : packed_parts(sections, level.value_or(usual_level(total)), jobs)) {
    if (!*part.packed) return Unexpected{part.packed->error()};
    packed[part.section] += **part.packed;
    part.packed.reset();
  }
  std::string file(kSnapshotMagic);
  add_number(file, kSnapshotVersion, 4);
  add_number(file, kSections, 4);
  for (std::size_t i = 0; i < kSections; ++i) {
    add_number(file, sections[i].size(), 8);
    add_number(file, packed[i].size(), 8);
  }
  for (const std::string& section : packed) file += section;
  return file;
}

}  // namespace soresolve
