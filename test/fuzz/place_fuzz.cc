// Any bytes as an archive, a package or an image: they are refused with a reason, or make a tree in which every path is
// one of its own and every file can be read to the size that it says, or fails.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/digest.h"
#include "fuzz/fuzz_target.h"
#include "place/archive_tree.h"
#include "place/image.h"
#include "place/package.h"

namespace soresolve::test::place_target {
namespace {

std::string padded(std::string bytes, std::size_t to) {
  bytes.resize((bytes.size() + to - 1) / to * to);
  return bytes;
}

/// One entry of a tar (POSIX ustar); '0' a file, '1' a hard link, '2' a link, '5' a directory, '3' a device.
std::string tar_entry(const std::string& name, char type, const std::string& content = "",
                      const std::string& link = "") {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  char size[13];
  std::snprintf(size, sizeof size, "%011zo", content.size());
  put(0, name);
  put(100, "0000755");
  put(108, "0000000");
  put(116, "0000000");
  put(124, size);
  put(136, "00000000000");
  put(148, "        ");
  header[156] = type;
  put(157, link);
  put(257, std::string("ustar\0"
                       "00",
                       8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  char digits[9];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  put(148, std::string(digits, 7));
  return header + padded(content, 512);
}

std::string tar(const std::string& entries) { return entries + std::string(1024, '\0'); }

std::string sha256(const std::string& bytes) {
  Digest digest(DigestKind::Sha256);
  digest.add(std::as_bytes(std::span(bytes)));
  return digest.finish();
}

std::string docker_save() {
  const std::string lower =
      tar(tar_entry("usr/", '5') + tar_entry("usr/a", '0', "text") + tar_entry("lib", '2', "", "usr"));
  const std::string upper = tar(tar_entry("usr/.wh.a", '0') + tar_entry("b", '1', "", "usr/a") + tar_entry("n", '3'));
  const std::string config =
      R"({"architecture":"amd64","os":"linux","config":{"Cmd":["a"]},"rootfs":{"diff_ids":["sha256:)" + sha256(lower) +
      R"(","sha256:)" + sha256(upper) + R"("]},"history":[{"created_by":"x"}]})";
  return tar(tar_entry("1.tar", '0', lower) + tar_entry("2.tar", '0', upper) + tar_entry("c.json", '0', config) +
             tar_entry("manifest.json", '0', R"([{"Config":"c.json","Layers":["1.tar","2.tar"]}])"));
}

std::string cpio_entry(const std::string& name, const std::string& content) {
  char header[111];
  std::snprintf(header, sizeof header, "070701%08x%08x%08x%08x%08x%08x%08zx%08x%08x%08x%08x%08zx%08x", 1, 0100644, 0, 0,
                1, 0, content.size(), 0, 0, 0, 0, name.size() + 1, 0);
  return padded(header + name + '\0', 4) + padded(content, 4);
}

std::string deb() {
  const std::string data = tar(tar_entry("./usr/lib/x", '0', "text"));
  const auto member = [](const std::string& name, const std::string& content) {
    char header[61];
    std::snprintf(header, sizeof header, "%-16s%-12s%-6s%-6s%-8s%-10zu`\n", name.c_str(), "0", "0", "0", "100644",
                  content.size());
    return header + content + (content.size() % 2 != 0 ? "\n" : "");
  };
  return "!<arch>\n" + member("debian-binary", "2.0\n") + member("data.tar", data);
}

/// Reads what is there, each file by its ends.
void read_all(const FileSystem& files, const std::string& directory, int depth) {
  const auto entries = files.list_entries(directory);
  require(entries.has_value(), "a directory of the tree can be listed");
  for (const DirectoryEntry& entry : *entries) {
    require(!entry.name.empty() && entry.name != "." && entry.name != ".." && entry.name.find('/') == std::string::npos,
            "a name is one part of a path");
    const std::string path = (directory == "/" ? "" : directory) + '/' + entry.name;
    if (entry.kind == EntryKind::Link) {
      require(files.read_link(path).has_value(), "a link says where it leads");
      const auto real = files.real_path(path);
      require(!real || real->starts_with('/'), "a link leads to a path of the tree");
    } else if (entry.kind == EntryKind::Directory) {
      if (depth < 64) read_all(files, path, depth + 1);
    } else if (const auto file = files.open(path)) {
      std::byte bytes[64];
      const std::uint64_t size = (*file)->status().size_bytes;
      for (const std::uint64_t offset : {std::uint64_t{0}, size / 2, size}) {
        const auto got = (*file)->read_at(offset, bytes);
        require(!got || (*got <= sizeof bytes && offset + *got <= size), "no more is read than there is");
      }
    }
  }
}

std::vector<std::string> seeds() {
  return {tar(tar_entry("d/", '5') + tar_entry("d/f", '0', "text") + tar_entry("l", '2', "", "../d") +
              tar_entry("l/g", '0', "x") + tar_entry("h", '1', "", "d/f")),
          docker_save(), deb(),
          cpio_entry("a", "text") + cpio_entry("TRAILER!!!", "") + std::string(512, '\0') + cpio_entry("b", "more") +
              cpio_entry("TRAILER!!!", "")};
}

void run(const std::uint8_t* data, std::size_t size) {
  if (!can_read_archives()) return;
  MemoryFileSystem files;
  files.add_file("/a", std::string_view(reinterpret_cast<const char*>(data), size));
  const Result<ByteRange> range = range_of_file(files, "/a");
  require(range.has_value(), "the bytes can be opened");
  const Result<PackageTree> package = read_package(*range, "a");
  if (!package) {
    require(!package.error().message.empty() && !package.error().path.empty(), "a refusal says where and why");
    return;
  }
  read_all(*package->files, "/", 0);
  const Result<std::optional<Place>> image = find_image(package->files, "a", {});
  if (!image) {
    require(!image.error().message.empty() && !image.error().path.empty(), "a refusal says where and why");
    return;
  }
  if (*image) read_all(*(*image)->files, "/", 0);
}

}  // namespace
}  // namespace soresolve::test::place_target

const soresolve::test::FuzzTarget soresolve::test::kPlaceTarget = {"place", place_target::run, place_target::seeds};
