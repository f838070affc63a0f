// The file of a snapshot, and its reader. A snapshot is a recording of a file system: for each path that was read,
// the answer of the kernel, and of each file the bytes that were read; and the facts of the machine and the process. It
// is not an archive of the files, because few of their bytes decide what the loader does.
//
//    0  7f 53 4f 52 53 4e 41 50     magic
//    8  02 00 00 00  1a 00 00 00    version 2, 26 sections
//   16  26 times 16 bytes           sizes of a section, decompressed and compressed
//  432  the sections, in zstd frames: 0 the machine (snapshot_machine.cc), 1 to 9 the nodes, 10 the contents,
//       11 to 15 the symbols (snapshot_symbols.cc), 16 to 25 the other bytes of files
//
// The nodes are stored by columns (all names, then all flags, and so on), and the bytes of files by kind, because like
// things beside each other compress better. Nothing holds a position: nodes stand by depth, so that the number of
// children is enough, and one comparison refuses a circle (link_children); the bytes of pieces follow each other in the
// stream of their kind. Of a root that holds only /lib/libx.so, three nodes, some columns are
//
//   names    00 | 03 "lib" | 07 "libx.so"    a length, then the text; the root has no name
//   counts   01 | 01                         children of the two directories; a file has no count
//   numbers  01 | 02 | 01 03                 inodes; of a file first its content, where 1 is the first of section 10
//
// It is written by snapshot_writer.cc. Reading: all sizes are added up and compared with the
// file and the limits before anything is decompressed; then machine, contents, symbols, hash tables and nodes are
// parsed in this order, because each of them needs those before it. Every number is checked here, since a snapshot may
// come from anybody; snapshot_files.cc does not check again.
//
// Format for users: lib/docs/snapshot.md. What is recorded: snapshot_recorder.cc. Redaction: snapshot_redact.cc.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "base/load.h"
#include "place/snapshot.h"
#include "place/snapshot_data.h"
#include "place/snapshot_sections.h"
#include "place/snapshot_streams.h"
#include "place/snapshot_symbols.h"
#include "soresolve/place.h"

namespace soresolve {
namespace {

using Kind = SnapshotEntry::Kind;

constexpr std::size_t kMostNodes = std::size_t{1} << 21;
constexpr std::size_t kMostPieces = std::size_t{1} << 22;
constexpr std::uint64_t kMostMachineBytes = std::uint64_t{8} << 20;  ///< an environment has 2 MiB at most

class Parser {
 public:
  Parser(const std::string& path, std::uint32_t version, Sections sections)
      : path_(path), version_(version), sections_(std::move(sections)) {}

  Result<SnapshotData> run() {
    std::optional<MachineFacts> machine = parse_machine(sections_[kMachineSection]);
    if (!machine) return damaged("its facts of the machine");
    data_.machine = std::move(*machine);
    for (std::size_t i = 0; i < kPieceKinds; ++i) data_.streams[i] = std::move(sections_[kFirstStream + i]);
    std::string& hashes = data_.streams[static_cast<std::size_t>(PieceKind::Hashes)];
    const std::string folded = std::exchange(hashes, {});
    if (!read_contents()) return damaged("its contents");
    if (!has_symbol_stream() && !unfold_symbol_columns()) return damaged("its symbols");
    std::optional<std::string> unfolded = unfold_hashes(data_, folded);
    if (!unfolded) return damaged("its hash tables");
    hashes = std::move(*unfolded);
    if (!read_nodes()) return damaged("its paths");
    return std::move(data_);
  }

 private:
  [[nodiscard]] Unexpected<Error> damaged(const std::string& what) const {
    return Unexpected{
        Error{ErrorCode::Malformed, path_, {}, "is a damaged snapshot: " + what + " contradict each other"}};
  }

  /// Earlier versions had the symbols as a stream of columns like relocations.
  [[nodiscard]] bool has_symbol_stream() const { return version_ == kOldSnapshotVersion; }

  bool unfold_symbol_columns() {
    std::string& symbols = data_.streams[static_cast<std::size_t>(PieceKind::Symbols)];
    if (!symbols.empty()) return false;
    SymbolColumns columns;
    for (std::size_t i = 0; i < kSymbolColumns; ++i) columns[i] = std::move(sections_[kFirstColumn + i]);
    std::optional<std::string> unfolded = unfold_symbols(data_, columns);
    if (unfolded) symbols = std::move(*unfolded);
    return unfolded.has_value();
  }

  /// Is the size of its pieces known only when they are computed?
  [[nodiscard]] bool is_computed(PieceKind kind) const {
    return kind == PieceKind::Hashes || (kind == PieceKind::Symbols && !has_symbol_stream());
  }

  bool read_contents() {
    NumberReader from(sections_[kContents]);
    std::array<std::uint64_t, kPieceKinds> used{};
    std::size_t pieces = 0;
    for (std::uint64_t count = from.number(); count != 0; --count) {
      if (data_.contents.size() == kMostNodes) return false;
      SnapshotContent content;
      content.end = from.number();
      std::uint64_t end = 0;
      for (std::uint64_t left = from.number(); left != 0; --left) {
        SnapshotPiece piece;
        const std::uint64_t gap = from.number();
        piece.size_bytes = from.number();
        const std::uint64_t coded = from.number();
        const std::size_t kind = static_cast<std::size_t>(coded >> 1);
        if (from.failed() || kind >= kPieceKinds || ++pieces > kMostPieces) return false;
        piece.offset = end + gap;
        if (piece.offset < end || piece.size_bytes == 0 || piece.size_bytes > kMostSnapshotBytes ||
            piece.offset > ~std::uint64_t{0} - piece.size_bytes ||
            (!is_computed(static_cast<PieceKind>(kind)) &&
             piece.size_bytes > data_.streams[kind].size() - used[kind])) {
          return false;
        }
        piece.kind = static_cast<PieceKind>(kind);
        piece.is_exact = (coded & 1) != 0;
        piece.at = used[kind];
        used[kind] += piece.size_bytes;
        end = piece.offset + piece.size_bytes;
        content.pieces.push_back(piece);
      }
      end = 0;
      for (std::uint64_t left = from.number(); left != 0; --left) {
        const std::uint64_t gap = from.number();
        const std::uint64_t size = from.number();
        if (from.failed() || ++pieces > kMostPieces || gap > ~std::uint64_t{0} - end ||
            size > ~std::uint64_t{0} - end - gap || size == 0) {
          return false;
        }
        content.searched.push_back({end + gap, end + gap + size});
        end += gap + size;
      }
      if (from.failed()) return false;
      data_.contents.push_back(std::move(content));
    }
    return !from.failed() && from.at_end();
  }

  static bool take_flags(std::uint64_t flag, SnapshotNode& node) {
    if ((flag & 7) > static_cast<std::uint64_t>(Kind::Special) ||
        (flag >> 3 & 7) > static_cast<std::uint64_t>(EntryKind::Other)) {
      return false;
    }
    node.kind = static_cast<Kind>(flag & 7);
    node.entry_kind = static_cast<EntryKind>(flag >> 3 & 7);
    node.is_listed = (flag & kListed) != 0;
    node.is_complete = (flag & kComplete) != 0;
    node.has_status = (flag & kHasStatus) != 0;
    node.was_opened = (flag & kOpened) != 0;
    node.is_on_nosuid = (flag & kNosuid) != 0;
    node.is_on_noexec = (flag & kNoexec) != 0;
    return true;
  }

  bool read_nodes() {
    NumberReader names(sections_[kNames]), flags(sections_[kFlags]), targets(sections_[kTargets]),
        counts(sections_[kCounts]), modes(sections_[kModes]), sizes(sections_[kSizes]), times(sections_[kTimes]),
        owners(sections_[kOwners]), numbers(sections_[kNumbers]);
    std::int64_t time = 0;
    while (!names.at_end()) {
      if (data_.nodes.size() == kMostNodes) return false;
      SnapshotNode node;
      node.name = names.text();
      const std::uint64_t flag = flags.number();
      if (!take_flags(flag, node)) return false;
      if (node.kind == Kind::Link) node.target = targets.text();
      if ((flag & kHasCapabilities) != 0) {
        const std::string_view value = targets.text();
        const auto* const first = reinterpret_cast<const std::byte*>(value.data());
        node.capabilities.assign(first, first + value.size());
      }
      if ((flag & kHasError) != 0) node.error = static_cast<int>(counts.number() & 0xfff);
      if ((flag & kHasOpenError) != 0) node.open_error = static_cast<int>(counts.number() & 0xfff);
      if (node.kind == Kind::Directory) {
        const std::uint64_t count = counts.number();
        if (count > kMostNodes) return false;
        node.child_count = static_cast<std::uint32_t>(count);
      }
      if (node.kind == Kind::File) {
        const std::uint64_t content = numbers.number();
        if (content > data_.contents.size()) return false;
        node.content = static_cast<std::uint32_t>(content);
      }
      if (node.has_status) {
        const std::uint64_t mode = modes.number();
        if ((mode & 7) > static_cast<std::uint64_t>(FileKind::Other)) return false;
        node.status.kind = static_cast<FileKind>(mode & 7);
        node.status.mode = static_cast<std::uint32_t>(mode >> 3 & 07777);
        node.status.size_bytes = sizes.number();
        time = static_cast<std::int64_t>(static_cast<std::uint64_t>(time) +
                                         static_cast<std::uint64_t>(times.signed_number()));
        node.status.modified_ns = time;
        node.status.owner = static_cast<std::uint32_t>(owners.number());
        node.status.group = static_cast<std::uint32_t>(owners.number());
        node.status.id = {1, numbers.number()};
      }
      if (!fits(node)) return false;
      data_.nodes.push_back(std::move(node));
    }
    for (const NumberReader* column : {&names, &flags, &targets, &counts, &modes, &sizes, &times, &owners, &numbers}) {
      if (column->failed() || !column->at_end()) return false;
    }
    return link_children();
  }

  /// Is it what its kind says? A name is no path.
  [[nodiscard]] bool fits(const SnapshotNode& node) const {
    const bool is_root = data_.nodes.empty();
    if (is_root != node.name.empty() || node.name.find('/') != std::string::npos || node.name == "." ||
        node.name == ".." || node.name.find('\0') != std::string::npos) {
      return false;
    }
    if (is_root && node.kind != Kind::Directory) return false;
    if ((node.kind == Kind::Absent || node.kind == Kind::Refused) != (node.error != 0)) return false;
    if (!node.has_status) return node.kind != Kind::Directory && node.kind != Kind::File && node.kind != Kind::Special;
    switch (node.kind) {
      case Kind::Directory: return node.status.kind == FileKind::Directory;
      case Kind::File: return node.status.kind == FileKind::Regular;
      case Kind::Special: return node.status.kind != FileKind::Directory && node.status.kind != FileKind::Regular;
      default: return false;
    }
  }

  bool link_children() {
    std::uint64_t next = 1;
    std::vector<SnapshotNode>& nodes = data_.nodes;
    if (nodes.empty()) return false;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      SnapshotNode& node = nodes[i];
      // Children stand behind their directory: no circle.
      if (node.child_count != 0 && next <= i) return false;
      if (next + node.child_count > nodes.size()) return false;
      node.first_child = static_cast<std::uint32_t>(next);
      for (std::uint64_t c = next + 1; c < next + node.child_count; ++c) {
        if (!(nodes[c - 1].name < nodes[c].name)) return false;
      }
      next += node.child_count;
    }
    return next == nodes.size();
  }

  const std::string& path_;
  std::uint32_t version_;
  Sections sections_;
  SnapshotData data_;
};

}  // namespace

Result<SnapshotData> parse_snapshot(std::string_view bytes, const std::string& path) {
  const auto refuse = [&](ErrorCode code, std::string message) {
    return Unexpected{Error{code, path, {}, std::move(message)}};
  };
  if (!bytes.starts_with(kSnapshotMagic)) return refuse(ErrorCode::Malformed, "is no snapshot");
  const auto* const head = reinterpret_cast<const std::byte*>(bytes.data());
  if (bytes.size() < kHeaderBytes) return refuse(ErrorCode::Truncated, "is a snapshot that ends in its header");
  const auto version = load_as<std::uint32_t>(head + 8, std::endian::little);
  if (version != kSnapshotVersion && version != kOldSnapshotVersion) {
    return refuse(ErrorCode::Unsupported, "is a snapshot of version " + std::to_string(version) +
                                              "; this soresolve reads version " + std::to_string(kSnapshotVersion) +
                                              ": take a newer one");
  }
  const auto count = load_as<std::uint32_t>(head + 12, std::endian::little);
  if (count != kSections) return refuse(ErrorCode::Malformed, "is a damaged snapshot: it has too few or many sections");
  std::uint64_t at = kHeaderBytes + kSections * kTableEntryBytes;
  if (bytes.size() < at) return refuse(ErrorCode::Truncated, "is a snapshot that ends in its table of sections");
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < kSections; ++i) {
    const std::byte* const entry = head + kHeaderBytes + i * kTableEntryBytes;
    const auto size = load_as<std::uint64_t>(entry, std::endian::little);
    const auto packed = load_as<std::uint64_t>(entry + 8, std::endian::little);
    if (size > kMostSnapshotBytes - total || (i == kMachineSection && size > kMostMachineBytes)) {
      return refuse(ErrorCode::LimitReached, "is a snapshot that would unpack to more than 1 GiB");
    }
    total += size;
    if (packed > bytes.size() - at) return refuse(ErrorCode::Truncated, "is a snapshot that ends too early");
    at += packed;
  }
  if (at != bytes.size()) return refuse(ErrorCode::Malformed, "is a damaged snapshot: bytes follow its end");
  Sections sections(kSections);
  at = kHeaderBytes + kSections * kTableEntryBytes;
  for (std::size_t i = 0; i < kSections; ++i) {
    const std::byte* const entry = head + kHeaderBytes + i * kTableEntryBytes;
    const auto size = load_as<std::uint64_t>(entry, std::endian::little);
    const auto packed = load_as<std::uint64_t>(entry + 8, std::endian::little);
    if (packed != 0 || size != 0) {
      Result<std::string> section =
          unpack(bytes.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(packed)), size, path);
      if (!section) return Unexpected{std::move(section).error()};
      sections[i] = std::move(section).value();
    }
    at += packed;
  }
  for (const PieceKind kind : {PieceKind::Symbols, PieceKind::Relocations}) {
    std::string& stream = sections[kFirstStream + static_cast<std::size_t>(kind)];
    if (kind == PieceKind::Relocations || version == kOldSnapshotVersion) stream = from_columns(stream, kind);
  }
  return Parser(path, version, std::move(sections)).run();
}

bool is_snapshot(const File& file) {
  std::array<char, 8> magic{};
  const auto got = file.read_at(0, std::as_writable_bytes(std::span(magic)));
  return got && *got == magic.size() && std::string_view(magic.data(), magic.size()) == kSnapshotMagic;
}

Result<Place> read_snapshot(std::unique_ptr<File> file, const std::string& path) {
  // A pipe has no size and no places: it is read to its end.
  constexpr std::size_t kStep = std::size_t{1} << 20;
  constexpr std::size_t kMostPacked = std::size_t{1} << 30;
  std::string bytes;
  while (true) {
    const std::size_t had = bytes.size();
    if (had > kMostPacked) {
      return Unexpected{Error{ErrorCode::LimitReached, path, {}, "is longer than 1 GiB: no snapshot is"}};
    }
    bytes.resize(had + kStep);
    const auto got = file->read_at(had, std::as_writable_bytes(std::span(bytes)).subspan(had));
    if (!got) {
      return Unexpected{Error{ErrorCode::Unreadable, path, {}, errno_text(got.error(), ErrnoText::FromDlerror)}};
    }
    bytes.resize(had + *got);
    if (*got == 0) break;
    if (had == 0 && !bytes.starts_with(kSnapshotMagic)) break;
  }
  Result<SnapshotData> data = parse_snapshot(bytes, path);
  if (!data) return Unexpected{std::move(data).error()};
  Place place;
  place.kind = PlaceKind::Snapshot;
  place.format = "snapshot";
  place.machine = std::make_shared<const MachineFacts>(data->machine);
  place.files = snapshot_files(std::move(data).value());
  return place;
}

}  // namespace soresolve
