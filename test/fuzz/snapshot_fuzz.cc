// Any bytes as a snapshot, and any bytes as its sections, behind the checksums of their frames: it is refused with a
// reason, or each of its paths can be asked about.
#include <array>
#include <memory>

#include "fuzz/fuzz_target.h"
#include "place/snapshot.h"
#include "place/snapshot_data.h"
#include "place/snapshot_recorder.h"
#include "place/snapshot_streams.h"

namespace soresolve::test::snapshot_target {
namespace {

constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kEntryBytes = 16;

std::uint64_t number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return number;
}

std::string number_text(std::uint64_t number) {
  std::string text;
  for (std::size_t i = 0; i < 8; ++i) text += static_cast<char>(number >> (8 * i));
  return text;
}

std::size_t section_count(std::string_view snapshot) {
  return snapshot.size() < kHeaderBytes ? 0 : static_cast<unsigned char>(snapshot[12]);
}

/// The same with its sections unpacked: where a mutation changes what they say, and not a checksum.
std::string unpacked(const std::string& snapshot) {
  const std::size_t count = section_count(snapshot);
  std::string text = snapshot.substr(0, kHeaderBytes), bodies;
  std::size_t at = kHeaderBytes + count * kEntryBytes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t size = number_at(snapshot, kHeaderBytes + i * kEntryBytes);
    const std::uint64_t packed = number_at(snapshot, kHeaderBytes + i * kEntryBytes + 8);
    text += number_text(size) + number_text(size);
    if (packed != 0) bodies += unpack(std::string_view(snapshot).substr(at, packed), size, {}).value();
    at += packed;
  }
  return text + bodies;
}

/// And back; empty where the bytes are no sections.
std::string repacked(std::string_view text) {
  const std::size_t count = section_count(text);
  if (count == 0 || text.size() < kHeaderBytes + count * kEntryBytes) return {};
  std::string snapshot(text.substr(0, kHeaderBytes)), bodies;
  std::size_t at = kHeaderBytes + count * kEntryBytes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t size =
        std::min<std::uint64_t>(number_at(text, kHeaderBytes + i * kEntryBytes), text.size() - at);
    const std::string frame = size == 0 ? std::string() : pack(text.substr(at, size), 1).value();
    snapshot += number_text(size) + number_text(frame.size());
    bodies += frame;
    at += size;
  }
  return snapshot + bodies;
}

void ask_about_all(const SnapshotFiles& files) {
  std::array<std::byte, 256> bytes;
  for (const SnapshotEntry& entry : files.entries()) {
    static_cast<void>(files.status(entry.path));
    static_cast<void>(files.real_path(entry.path));
    static_cast<void>(files.read_link(entry.path));
    static_cast<void>(files.list_entries(entry.path));
    const Result<std::unique_ptr<File>, Errno> file = files.open(entry.path);
    if (!file) continue;
    for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{100}, ~std::uint64_t{0} - 10}) {
      const Result<std::size_t, Errno> got = (*file)->read_at(offset, bytes);
      require(!got || *got <= bytes.size(), "no more is read than there is room for");
      static_cast<void>((*file)->read_to_search(offset, bytes));
      require((*file)->readable(offset, bytes.size()) <= bytes.size(), "no more is readable than was asked for");
    }
  }
}

void parse_and_ask(std::string_view bytes) {
  Result<SnapshotData> data = parse_snapshot(bytes, "x.srs");
  if (!data) return require(!data.error().message.empty(), "an error says why");
  ask_about_all(*snapshot_files(std::move(data).value()));
}

/// A content with a table of two symbols with names, and a hash table of one bucket.
void add_tables(SnapshotData& data) {
  SnapshotContent content;
  const auto add = [&](PieceKind kind, const std::string& bytes) {
    std::string& stream = data.streams[static_cast<std::size_t>(kind)];
    content.pieces.push_back({content.end, bytes.size(), kind, true, stream.size()});
    stream += bytes;
    content.end += bytes.size();
  };
  std::string symbols(48, '\0');
  symbols[0] = 3;
  symbols[24] = 1;
  add(PieceKind::Hashes, std::string("\1\0\0\0\0\0\0\0\1\0\0\0\6\0\0\0", 16));
  add(PieceKind::Symbols, symbols);
  add(PieceKind::Strings, std::string("\0a\0b\0", 5));
  data.contents.push_back(content);
}

std::vector<std::string> seeds() {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file("/lib/liba.so.1", std::string("\x7f"
                                                "ELF no more"));
  files->add_file("/bin/tool", std::string(600, 'x') + std::string("\0libx.so.3\0", 11), 0755);
  files->add_symlink("/lib/liba.so", "liba.so.1");
  const SnapshotRecorder recorder(files);
  std::array<std::byte, 700> bytes;
  for (const char* path : {"/lib/liba.so", "/bin/tool", "/lib/none.so", "/none/x"}) {
    const Result<std::unique_ptr<File>, Errno> file = recorder.files()->open(path);
    if (file) static_cast<void>((*file)->read_at(0, std::span(bytes).first(16)));
    if (file) static_cast<void>((*file)->read_to_search(0, bytes));
  }
  MachineFacts machine;
  machine.env = {"LD_LIBRARY_PATH=/lib"};
  SnapshotData data = recorder.finish(std::move(machine), 1);
  add_tables(data);
  const Result<std::string> written = write_snapshot(data, 1, 1);
  if (!written) return {"built without zstd"};
  return {*written, unpacked(*written)};
}

void run(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  parse_and_ask(bytes);
  if (const std::string snapshot = repacked(bytes); !snapshot.empty()) parse_and_ask(snapshot);
}

}  // namespace
}  // namespace soresolve::test::snapshot_target

const soresolve::test::FuzzTarget soresolve::test::kSnapshotTarget = {"snapshot", snapshot_target::run,
                                                                      snapshot_target::seeds};
