// Archives that are not whole: a good one of each kind is cut off where a block ends and at others, and one byte
// of it is another one. Whatever comes of it, nobody may be given other files than the maker's in silence: the
// archive is refused, or says that something is missing, or the file that is affected cannot be read.
#include <doctest/doctest.h>

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/path.h"
#include "place/image.h"
#include "place/package.h"

using namespace soresolve;

namespace {

using Files = std::map<std::string, std::string>;

/// Packs as libarchive does it: `open` chooses the format and the compression.
std::string packed_as(const std::function<void(archive*)>& open, const Files& files) {
  std::string packed(4 << 20, '\0');
  std::size_t used = 0;
  archive* const writer = archive_write_new();
  open(writer);
  archive_write_set_bytes_per_block(writer, 0);
  REQUIRE(archive_write_open_memory(writer, packed.data(), packed.size(), &used) == ARCHIVE_OK);
  for (const auto& [name, content] : files) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    REQUIRE(archive_write_header(writer, entry) == ARCHIVE_OK);
    archive_write_data(writer, content.data(), content.size());
    archive_entry_free(entry);
  }
  REQUIRE(archive_write_close(writer) == ARCHIVE_OK);
  archive_write_free(writer);
  packed.resize(used);
  return packed;
}

std::string tar_of(const Files& files, int (*filter)(archive*) = archive_write_add_filter_none) {
  return packed_as([&](archive* to) { archive_write_set_format_ustar(to), filter(to); }, files);
}

std::string cpio_of(const Files& files, int (*filter)(archive*)) {
  return packed_as([&](archive* to) { archive_write_set_format_cpio_newc(to), filter(to); }, files);
}

std::string zip_of(const Files& files, const char* how) {
  return packed_as(
      [&](archive* to) {
        archive_write_set_format_zip(to);
        archive_write_set_format_option(to, "zip", "compression", how);
      },
      files);
}

std::string gzip_of(const std::string& bytes) {
  return packed_as([](archive* to) { archive_write_set_format_raw(to), archive_write_add_filter_gzip(to); },
                   {{"bytes", bytes}});
}

std::string deb_of(const std::string& name, const std::string& data) {
  return packed_as([](archive* to) { archive_write_set_format_ar_svr4(to); },
                   {{name, data}, {"debian-binary", "2.0\n"}});
}

std::string sha256_of(const std::string& bytes) {
  Digest digest(DigestKind::Sha256);
  digest.add(std::as_bytes(std::span(bytes)));
  return digest.finish();
}

/// A lead, and two headers, the second one with the digest of the payload and nothing else.
constexpr std::size_t kRpmHeadBytes = 96 + 16 + 16 + 16 + 65;
std::string rpm_of(const std::string& payload) {
  const auto header = [](char entries, char bytes) {
    return std::string("\x8e\xad\xe8\x01\0\0\0\0\0\0\0", 11) + entries + std::string(3, '\0') + bytes;
  };
  const std::string entry("\0\0\x13\xe4\0\0\0\x08\0\0\0\0\0\0\0\x01", 16);  // 5092, an array of strings
  return "\xed\xab\xee\xdb" + std::string(92, '\0') + header(0, 0) + header(1, 65) + entry + sha256_of(payload) + '\0' +
         payload;
}

void collect_files(const FileSystem& files, const std::string& directory, std::optional<Files>& into) {
  const Result<std::vector<DirectoryEntry>, Errno> entries = files.list_entries(directory);
  if (!entries) return into.reset();
  for (const DirectoryEntry& entry : *entries) {
    const std::string path = path_in(directory, entry.name);
    if (entry.kind == EntryKind::Directory && into) collect_files(files, path, into);
    if (entry.kind != EntryKind::Regular || !into) continue;
    const Result<std::unique_ptr<File>, Errno> file = files.open(path);
    std::string text(1 << 16, '\0');
    const Result<std::size_t, Errno> got = file ? (*file)->read_at(0, std::as_writable_bytes(std::span(text)))
                                                : Result<std::size_t, Errno>(Unexpected{file.error()});
    if (!got) return into.reset();
    text.resize(*got);
    into->emplace(path.substr(1), text);
  }
}

/// What is found in it; nullopt: it is refused, says that something is missing, or has files that cannot be read.
std::optional<Files> files_of(const std::string& packed, Verify verify = Verify::WhatIsRead) {
  MemoryFileSystem disk;
  disk.add_file("/it", packed);
  const Result<ByteRange> range = range_of_file(disk, "/it");
  REQUIRE(range);
  const Result<PackageTree> package = read_package(*range, "it");
  if (!package || !package->gaps.empty()) return std::nullopt;
  PlaceOptions options;
  options.verify = verify;
  const Result<std::optional<Place>> image = find_image(package->files, "it", options);
  if (!image || (*image && !(*image)->gaps.empty())) return std::nullopt;
  std::optional<Files> files = Files();
  collect_files(*image ? *(*image)->files : *package->files, "/", files);
  return files;
}

int gzip(archive* to) {
  archive_write_add_filter_gzip(to);
  return archive_write_set_filter_option(to, "gzip", "timestamp", nullptr);
}

/// `layers`, and what the config says that their tars are.
std::string image_of(const std::vector<std::string>& layers, const std::vector<std::string>& tars) {
  std::string diff_ids;
  for (const std::string& tar : tars)
    diff_ids += (diff_ids.empty() ? "\"sha256:" : ",\"sha256:") + sha256_of(tar) + '"';
  const std::string config =
      R"({"architecture":"amd64","os":"linux","rootfs":{"type":"layers","diff_ids":[)" + diff_ids + "]}}";
  const std::string config_name = sha256_of(config) + ".json";
  Files files = {{config_name, config}};
  std::string names;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string name = std::to_string(i) + "/layer.tar";
    names += (names.empty() ? "\"" : ",\"") + name + '"';
    files.emplace(name, layers[i]);
  }
  files.emplace("manifest.json", R"([{"Config":")" + config_name + R"(","Layers":[)" + names + "]}]");
  return tar_of(files);
}

const Files kFiles = {{"a/one", std::string(700, 'x') + "words of the first file\n"},
                      {"b/empty", ""},
                      {"c/two", "words of the second file: 0123456789 abcdefghijklmnopqrstuvwxyz\n"},
                      {"d/three", std::string(512, '\0')}};  // as the end of a tar looks

struct Kind {
  std::string name;
  std::string packed;
  std::size_t begin = 0;  ///< of what sums protect, in all of it
  std::size_t end = std::string::npos;
  Verify verify = Verify::WhatIsRead;
};

/// As far as the bytes of `part` lie in it.
Kind with_sums_in(const char* name, std::string packed, const std::string& part, Verify verify = Verify::WhatIsRead) {
  const std::size_t at = packed.find(part);
  REQUIRE(at != std::string::npos);
  return {name, std::move(packed), at, at + part.size(), verify};
}

std::vector<Kind> kinds() {
  constexpr std::size_t kNone = std::string::npos;  // no byte of it has a sum
  const std::string tar = tar_of(kFiles);
  const std::string packed = tar_of(kFiles, gzip);
  const std::string stored = zip_of(kFiles, "store");
  const std::string deflated = zip_of(kFiles, "deflate");
  const std::string zstd = tar_of(kFiles, archive_write_add_filter_zstd);
  const std::string conda = zip_of({{"info-x.tar.zst", tar_of({{"info/files", "a"}}, archive_write_add_filter_zstd)},
                                    {"metadata.json", "{}"},
                                    {"pkg-x.tar.zst", zstd}},
                                   "store");
  constexpr std::size_t kCut = 100;
  return {
      {"tar", tar, kNone},
      {"tar.gz", packed, 0},
      {"tar.gz of members",
       gzip_of(tar.substr(0, kCut)) + gzip_of(tar.substr(kCut, 2048 - kCut)) + gzip_of(tar.substr(2048))},
      {"tar.xz", tar_of(kFiles, archive_write_add_filter_xz)},
      {"tar.bz2", tar_of(kFiles, archive_write_add_filter_bzip2)},
      {"tar.zst", zstd, kNone},
      {"zip", stored, 0, stored.find("PK\1\2")},
      {"zip, deflated", deflated, 0, deflated.find("PK\1\2")},
      {"cpio", cpio_of(kFiles, archive_write_add_filter_none), kNone},
      {"cpio.gz", cpio_of(kFiles, gzip)},
      with_sums_in("deb", deb_of("data.tar.gz", packed), packed),
      {"deb of a plain tar", deb_of("data.tar", tar), kNone},
      {"rpm", rpm_of(cpio_of(kFiles, gzip)), kRpmHeadBytes},
      {"rpm of xz", rpm_of(cpio_of(kFiles, archive_write_add_filter_xz)), kRpmHeadBytes},
      {"rpm of zstd", rpm_of(cpio_of(kFiles, archive_write_add_filter_zstd)), kRpmHeadBytes},
      with_sums_in("conda", conda, zstd),
      with_sums_in("image", image_of({tar}, {tar}), tar, Verify::All),
      with_sums_in("image of gzip", image_of({packed}, {tar}), packed),
  };
}

/// Names have no sum, but where all of an archive has one; in a ZIP their length stands before them, as that of what is
/// behind them does.
bool is_of_name(const std::string& packed, std::size_t at) {
  return std::any_of(kFiles.begin(), kFiles.end(), [&](const auto& file) {
    const std::size_t name = packed.find(file.first);
    constexpr std::size_t kZipHeadBytes = 30;
    if (name == std::string::npos) return false;
    const bool is_zip = name >= kZipHeadBytes && packed.compare(name - kZipHeadBytes, 4, "PK\3\4") == 0;
    const std::size_t begin = name - (is_zip ? 4 : 0);
    return begin <= at && at < name + file.first.size();
  });
}

}  // namespace

TEST_CASE("an archive that is cut off, or has another byte, is refused or says so, or has the same files") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    const std::optional<Files> whole = files_of(kind.packed, kind.verify);
    REQUIRE(whole);
    CHECK(std::includes(whole->begin(), whole->end(), kFiles.begin(), kFiles.end()));
    const auto try_it = [&](const std::string& damaged, const std::string& how, std::size_t at) {
      const std::optional<Files> left = files_of(damaged, kind.verify);
      const bool is_silent = left && *left != *whole;
      CHECK_MESSAGE(!is_silent, how << at);
    };
    constexpr std::size_t kStep = 3;  // the blocks of a tar, and every third byte
    for (std::size_t end = 0; end < kind.packed.size(); ++end) {
      if (end % 512 != 0 && end % kStep != 0) continue;
      try_it(kind.packed.substr(0, end), "cut at ", end);
    }
    for (std::size_t at = kind.begin; at < std::min(kind.end, kind.packed.size()); at += kStep) {
      if (is_of_name(kind.packed, at)) continue;
      std::string damaged = kind.packed;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
      try_it(damaged, "another byte at ", at);
    }
  }
}

TEST_CASE("an ELF file of a zip whose sum is another one cannot be read, though its end is never asked for") {
  std::string elf =
      "\x7f"
      "ELF" +
      std::string(3 << 20, 'x');
  std::string packed = zip_of({{"lib", elf}}, "store");
  CHECK(files_of(packed));
  packed[packed.find(elf) + elf.size() - 1] = 'y';
  CHECK_FALSE(files_of(packed));
}
