// A snapshot answers as the files did that it was made of, says of the rest that it does not know, and refuses damage.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string>

#include "place/snapshot.h"
#include "place/snapshot_data.h"
#include "place/snapshot_recorder.h"
#include "place/snapshot_streams.h"
#include "soresolve/place.h"
#include "soresolve/world.h"
#include "world/enter_place.h"

using namespace soresolve;

namespace {

std::shared_ptr<MemoryFileSystem> tree() {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file("/lib/liba.so.1", "bytes of a library");
  files->add_file("/lib/copy.so.1", "bytes of a library");
  files->add_file("/lib/unread.so.1", "never opened");
  files->add_symlink("/lib/liba.so", "liba.so.1");
  files->add_symlink("/usr", "lib/..");
  files->add_file("/etc/conf", "one\ntwo\n", 0600);
  files->add_directory("/other/inner");
  files->add_file("/bin/tool", std::string(2000, 'x') + std::string("\0libx.so.3\0", 11) + std::string(2000, 'y'),
                  0755);
  files->add_special("/pipe", FileKind::Fifo);
  return files;
}

std::string text_of(const FileSystem& files, std::string_view path) {
  const Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file) return "errno " + std::to_string(static_cast<int>(file.error()));
  std::array<char, 64> bytes{};
  const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(bytes)));
  if (!got) return "read errno " + std::to_string(static_cast<int>(got.error()));
  return {bytes.data(), *got};
}

std::string not_recorded() { return "errno " + std::to_string(static_cast<int>(kNotRecorded)); }

std::string real_of(const FileSystem& files, std::string_view path) {
  const Result<std::string, Errno> real = files.real_path(path);
  return real ? *real : "errno " + std::to_string(static_cast<int>(real.error()));
}

std::string link_of(const FileSystem& files, std::string_view path) {
  const Result<std::string, Errno> target = files.read_link(path);
  return target ? *target : "errno " + std::to_string(static_cast<int>(target.error()));
}

std::string list_of(const FileSystem& files, std::string_view path) {
  const Result<std::vector<std::string>, Errno> names = files.list_directory(path);
  if (!names) return "errno " + std::to_string(static_cast<int>(names.error()));
  std::string text;
  for (const std::string& name : *names) text += name + " ";
  return text;
}

std::string status_of(const FileSystem& files, std::string_view path) {
  const Result<FileStatus, Errno> status = files.status(path);
  if (!status) return "errno " + std::to_string(static_cast<int>(status.error()));
  return std::to_string(static_cast<int>(status->kind)) + " " + std::to_string(status->mode) + " " +
         std::to_string(status->size_bytes) + " " + std::to_string(status->owner);
}

const std::string kAsked[] = {"/lib/liba.so.1", "/lib/liba.so",       "/lib/copy.so.1",
                              "/lib/none.so",   "/usr/lib/liba.so",   "/etc/conf",
                              "/etc/none",      "/etc/conf/x",        "/",
                              "/lib",           "/lib/liba.so.1/",    "/pipe",
                              "/usr",           "/bin/../etc/./conf", "/missing/x"};

/// Asks all that is asked of a path, and puts the answers together.
std::string answers(const FileSystem& files) {
  std::string all;
  for (const std::string& path : kAsked) {
    // A tree in memory says ENOENT of a link below a file, where the kernel says ENOTDIR.
    const bool is_below_file = path == "/etc/conf/x" || path.ends_with("1/");
    all += path + ": " + status_of(files, path) + ", " + real_of(files, path) + ", " +
           (is_below_file ? "" : link_of(files, path)) + ", " + (path == "/pipe" ? "" : text_of(files, path)) + "\n";
  }
  for (const char* path : {"/lib", "/usr/lib", "/etc/conf", "/gone"}) all += list_of(files, path) + "\n";
  return all;
}

SnapshotData recorded(const std::shared_ptr<const FileSystem>& files) {
  const SnapshotRecorder recorder(files);
  static_cast<void>(answers(*recorder.files()));
  MachineFacts machine;
  machine.env = {"HOME=/home/alice", "LD_LIBRARY_PATH=/home/alice/lib"};
  machine.cwd = "/home/alice";
  machine.user = {1000, 1000, {4, 24}, "alice", false};
  return recorder.finish(std::move(machine), 1);
}

std::string packed(const SnapshotData& data) {
  const Result<std::string> bytes = write_snapshot(data, 1, 1);
  REQUIRE(bytes.has_value());
  return *bytes;
}

Result<SnapshotData> parsed(const std::string& bytes) { return parse_snapshot(bytes, "x.srs"); }

}  // namespace

TEST_CASE("a snapshot answers what was asked as the files did") {
  const auto files = tree();
  Result<SnapshotData> data = parsed(packed(recorded(files)));
  REQUIRE(data.has_value());
  const auto snapshot = snapshot_files(std::move(data).value());
  CHECK(answers(*snapshot) == answers(*files));
  CHECK(snapshot->unrecorded().empty());
}

TEST_CASE("hard links stay one file, other files stay others") {
  const auto files = tree();
  files->add_hard_link("/lib/hard.so", "/lib/liba.so.1");
  const SnapshotRecorder recorder(files);
  for (const char* path : {"/lib/hard.so", "/lib/liba.so.1", "/lib/copy.so.1"})
    static_cast<void>(recorder.files()->status(path));
  const auto snapshot = snapshot_files(recorder.finish({}, 1));
  CHECK(snapshot->status("/lib/hard.so")->id == snapshot->status("/lib/liba.so.1")->id);
  CHECK_FALSE(snapshot->status("/lib/copy.so.1")->id == snapshot->status("/lib/liba.so.1")->id);
}

TEST_CASE("what is not recorded is not taken for missing, and is told") {
  const auto snapshot = snapshot_files(recorded(tree()));
  CHECK(text_of(*snapshot, "/lib/unread.so.1") == not_recorded());
  CHECK(status_of(*snapshot, "/other") == not_recorded());
  CHECK(list_of(*snapshot, "/etc") == not_recorded());
  // Its directory was listed, so that it is certain.
  CHECK(text_of(*snapshot, "/lib/nobody.so") == "errno " + std::to_string(ENOENT));
  CHECK(snapshot->unrecorded() == std::vector<std::string>{"/etc", "/lib/unread.so.1", "/other"});
  snapshot->forget_unrecorded();
  CHECK(snapshot->unrecorded().empty());
}

TEST_CASE("a directory that libraries are searched in is recorded whole") {
  const auto files = tree();
  const SnapshotRecorder recorder(files);
  static_cast<void>(recorder.files()->open("/lib/libmissing.so.7"));
  const auto snapshot = snapshot_files(recorder.finish({}, 1));
  CHECK(text_of(*snapshot, "/lib/libother.so.7") == "errno " + std::to_string(ENOENT));
  CHECK(list_of(*snapshot, "/lib") == list_of(*files, "/lib"));
  CHECK(snapshot->unrecorded().empty());
}

TEST_CASE("equal content is held once, and equal files give equal bytes") {
  const SnapshotData data = recorded(tree());
  CHECK(data.contents.size() == 2);  // the two libraries, and the configuration
  CHECK(packed(data) == packed(recorded(tree())));
}

TEST_CASE("a file's content has one name, whenever it was written") {
  const auto content_of = [](SnapshotData data, std::string_view path) {
    for (const SnapshotEntry& entry : snapshot_files(std::move(data))->entries()) {
      if (entry.path == path) return entry.content;
    }
    return std::string("not held");
  };
  SnapshotData later = recorded(tree());
  for (SnapshotNode& node : later.nodes) node.status.modified_ns += 1'000'000'000;
  const std::string name = content_of(recorded(tree()), "/lib/liba.so.1");
  CHECK(name.size() == 32);
  CHECK(content_of(later, "/lib/liba.so.1") == name);
  CHECK(content_of(recorded(tree()), "/lib/copy.so.1") == name);
  CHECK(content_of(recorded(tree()), "/etc/conf") != name);
  const auto changed = tree();
  changed->add_file("/lib/liba.so.1", "bytes of a Library");
  CHECK(content_of(recorded(changed), "/lib/liba.so.1") != name);
}

TEST_CASE("of what was searched the finds are held, and zeros between them") {
  const auto files = tree();
  const SnapshotRecorder recorder(files);
  std::vector<std::byte> bytes(5000);
  {
    const Result<std::unique_ptr<File>, Errno> file = recorder.files()->open("/bin/tool");
    REQUIRE(file.has_value());
    CHECK((*file)->read_to_search(0, bytes).value() == 4011);
  }
  const auto snapshot = snapshot_files(recorder.finish({}, 1));
  CHECK(snapshot->held_bytes() < 100);
  const Result<std::unique_ptr<File>, Errno> file = snapshot->open("/bin/tool");
  REQUIRE(file.has_value());
  REQUIRE((*file)->read_to_search(0, bytes).value() == 4011);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), 4011);
  CHECK(text.find(std::string_view("\0libx.so.3\0", 11)) == 2000);
  CHECK(text.substr(0, 1900) == std::string(1900, '\0'));
  // A reader of the bytes themselves is not served with zeros.
  CHECK_FALSE((*file)->read_at(0, std::span(bytes).first(16)).has_value());
  CHECK(snapshot->unrecorded() == std::vector<std::string>{"/bin/tool"});
}

TEST_CASE("the facts of the machine come back") {
  SnapshotData data = recorded(tree());
  const Result<SnapshotData> again = parsed(packed(data));
  REQUIRE(again.has_value());
  CHECK(again->machine.env == data.machine.env);
  CHECK(again->machine.cwd == "/home/alice");
  CHECK(again->machine.user == data.machine.user);
}

TEST_CASE("of the environment what the loader, Python and CUDA read is recorded, and nothing that may be secret") {
  struct Case {
    std::string why;
    std::string entry;
    bool want;
  };
  const Case cases[] = {
      {"the loader's", "LD_LIBRARY_PATH=/lib", true},
      {"glibc's", "GLIBC_TUNABLES=x", true},
      {"Python's", "PYTHONPATH=/x", true},
      {"CUDA's", "CUDA_VISIBLE_DEVICES=0", true},
      {"of the container's runtime", "NVIDIA_VISIBLE_DEVICES=all", true},
      {"nobody's business", "EDITOR=vi", false},
      {"a key of a service", "LD_SDK_KEY=1234", false},
      {"a key of NVIDIA's services", "NVIDIA_API_KEY=1234", false},
      {"Terraform's variables", "TF_VAR_db_password=1234", false},
      {"small letters", "CUDA_token=1234", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(is_recorded_variable(c.entry) == c.want);
  }
}

TEST_CASE("a later version and other files are refused by name") {
  std::string bytes = packed(recorded(tree()));
  bytes[8] = 9;
  const Result<SnapshotData> later = parsed(bytes);
  REQUIRE_FALSE(later.has_value());
  CHECK(later.error().code == ErrorCode::Unsupported);
  CHECK(later.error().message.find("version 9") != std::string::npos);
  CHECK(parsed("text").error().code == ErrorCode::Malformed);
  CHECK(parsed("").error().code == ErrorCode::Malformed);
}

TEST_CASE("a snapshot that ends anywhere, or has other bytes anywhere, is refused or answers") {
  const std::string bytes = packed(recorded(tree()));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(parsed(bytes.substr(0, size)).has_value());
  }
  CHECK_FALSE(parsed(bytes + "x").has_value());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    Result<SnapshotData> data = parsed(damaged);
    if (data) static_cast<void>(answers(*snapshot_files(std::move(data).value())));
  }
}

TEST_CASE("paths and contents that contradict each other are refused") {
  const SnapshotData good = recorded(tree());
  const auto is_refused = [](const SnapshotData& data) { return !parsed(packed(data)).has_value(); };
  CHECK_FALSE(is_refused(good));
  SnapshotData data = good;
  data.nodes[1].name = "..";
  CHECK(is_refused(data));
  data = good;
  data.nodes[1].name = "a/b";
  CHECK(is_refused(data));
  data = good;
  data.nodes[0].child_count += 1;
  CHECK(is_refused(data));
  data = good;
  std::swap(data.nodes[1].name, data.nodes[2].name);
  CHECK(is_refused(data));
  data = good;
  data.nodes[0].kind = SnapshotEntry::Kind::File;
  CHECK(is_refused(data));
  data = good;
  for (SnapshotNode& node : data.nodes) node.content = node.content == 0 ? 0 : 100;
  CHECK(is_refused(data));
  data = good;
  data.contents[0].pieces[0].size_bytes = 1 << 20;
  CHECK(is_refused(data));
  data = good;
  data.nodes.clear();
  CHECK(is_refused(data));
}

TEST_CASE("without a level a small snapshot takes a high one") {
  SnapshotData data = recorded(tree());
  std::string& text = data.streams[static_cast<std::size_t>(PieceKind::Text)];
  text.clear();
  data.contents.clear();
  for (SnapshotNode& node : data.nodes) node.content = 0;
  for (std::uint32_t i = 0; i < 20000; ++i) text += "lib" + std::to_string(i * 2654435761u >> 20) + ".so\n";
  data.contents.push_back({text.size(), {{0, text.size(), PieceKind::Text, true, 0}}, {}});
  const Result<std::string> usual = write_snapshot(data, std::nullopt, 1);
  REQUIRE(usual.has_value());
  CHECK(*usual == *write_snapshot(data, 15, 1));
  CHECK(usual->size() < write_snapshot(data, 6, 1)->size());
  CHECK(parsed(*usual).has_value());
}

/// As version 1 had it: symbols by columns of bytes in their stream, and no columns of their own.
std::string as_version_1(const SnapshotData& data) {
  constexpr std::size_t kHeader = 16, kEntry = 16, kFirstColumn = 11, kSymbols = 18;
  const std::string bytes = packed(data);
  const auto number_at = [&](std::size_t at) {
    std::size_t number = 0;
    for (std::size_t i = 0; i < 8; ++i) number |= std::size_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    return number;
  };
  const std::size_t count = static_cast<unsigned char>(bytes[12]);
  const std::string& symbols = data.streams[static_cast<std::size_t>(PieceKind::Symbols)];
  std::string old = bytes.substr(0, kHeader), bodies;
  old[8] = 1;
  std::size_t from = kHeader + count * kEntry;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t size = number_at(kHeader + i * kEntry);
    std::string body = bytes.substr(from, number_at(kHeader + i * kEntry + 8));
    from += body.size();
    if (i >= kFirstColumn && i < kFirstColumn + 5) body.clear();
    if (body.empty()) size = 0;
    if (i == kSymbols) {
      size = symbols.size();
      body = pack(to_columns(symbols, PieceKind::Symbols), 1).value();
    }
    for (const std::size_t number : {size, body.size()}) {
      for (std::size_t b = 0; b < 8; ++b) old += static_cast<char>(number >> (8 * b));
    }
    bodies += body;
  }
  return old + bodies;
}

TEST_CASE("a snapshot of version 1 is read") {
  SnapshotData data = recorded(tree());
  std::string& symbols = data.streams[static_cast<std::size_t>(PieceKind::Symbols)];
  for (std::size_t i = 0; i < 240; ++i) symbols += static_cast<char>(i * 7);
  data.contents.push_back({1000, {{64, symbols.size(), PieceKind::Symbols, true, 0}}, {}});
  const Result<SnapshotData> old = parsed(as_version_1(data));
  REQUIRE(old.has_value());
  CHECK(old->streams == data.streams);
  CHECK(old->nodes.size() == data.nodes.size());
  const Result<SnapshotData> now = parsed(packed(data));
  REQUIRE(now.has_value());
  CHECK(now->streams == data.streams);
}

TEST_CASE("a section that unpacks to more than it announces is refused") {
  const Result<std::string> frame = pack(std::string(1 << 20, '\0'), 1);
  REQUIRE(frame.has_value());
  CHECK(unpack(*frame, 1 << 20, "x").has_value());
  CHECK_FALSE(unpack(*frame, (1 << 20) - 1, "x").has_value());
  CHECK_FALSE(unpack(*frame, (1 << 20) + 1, "x").has_value());
  CHECK_FALSE(unpack(*frame, 10, "x").has_value());
  CHECK_FALSE(unpack({}, 10, "x").has_value());
}

TEST_CASE("tables of records come back from their columns") {
  for (const std::size_t size : {0u, 23u, 24u, 25u, 240u, 1000u}) {
    std::string records(size, '\0');
    for (std::size_t i = 0; i < size; ++i) records[i] = static_cast<char>(i * i * 7 + i / 3);
    for (const PieceKind kind : {PieceKind::Symbols, PieceKind::Relocations}) {
      CAPTURE(size);
      CHECK(from_columns(to_columns(records, kind), kind) == records);
    }
  }
}

TEST_CASE("names of people are replaced everywhere alike, and nothing moves") {
  const auto files = std::make_shared<MemoryFileSystem>();
  files->add_file("/home/alice/lib/liba.so", "RUNPATH /home/alice/lib and alice");
  files->add_file("/data/alice/liba.so", "/data/alice:/home//carol/lib:/net/gauss-7/alice.d");
  files->add_file("/home/bob/x", "");
  files->add_symlink("/opt/app", "/home/alice/app");
  files->add_file("/home/alice/app", "text");
  const SnapshotRecorder recorder(files);
  static_cast<void>(text_of(*recorder.files(), "/home/alice/lib/liba.so"));
  static_cast<void>(text_of(*recorder.files(), "/opt/app"));
  static_cast<void>(text_of(*recorder.files(), "/data/alice/liba.so"));
  static_cast<void>(recorder.files()->list_directory("/home"));
  MachineFacts machine;
  machine.user.name = "alice";
  machine.cwd = "/home/alice";
  machine.env = {"HOME=/home/alice", "PATH=/home/bob/bin:/usr/bin"};
  SnapshotData data = recorder.finish(std::move(machine), 1);
  redact(data, {"gauss-7"});
  const std::string other = data.machine.user.name;
  CHECK(other != "alice");
  CHECK(other.size() == 5);
  CHECK(data.machine.cwd == "/home/" + other);
  CHECK(data.machine.env[0] == "HOME=/home/" + other);
  CHECK(data.machine.env[1].find("bob") == std::string::npos);
  Result<SnapshotData> again = parsed(packed(data));
  REQUIRE(again.has_value());
  const auto snapshot = snapshot_files(std::move(again).value());
  CHECK(text_of(*snapshot, "/home/" + other + "/lib/liba.so") == "RUNPATH /home/" + other + "/lib and alice");
  CHECK(text_of(*snapshot, "/opt/app") == "text");
  const std::string elsewhere = text_of(*snapshot, "/data/" + other + "/liba.so");
  CHECK(elsewhere.starts_with("/data/" + other + ":/home//"));
  CHECK(elsewhere.ends_with("/alice.d"));
  for (const char* name : {"carol", "gauss"}) CHECK(elsewhere.find(name) == std::string::npos);
  CHECK(list_of(*snapshot, "/home").find("alice") == std::string::npos);
}
