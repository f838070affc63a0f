// Source: see the header. An archive within an archive is read the same way as one that lies by itself.
#include "place/package.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "base/overlay_file_system.h"
#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"
#include "place/site_packages.h"
#include "place/zstd_frames.h"

namespace soresolve {
namespace {

constexpr int kMostArchivesInARow = 64;

Unexpected<Error> refuse_package(ErrorCode code, const std::string& name, std::string message) {
  return Unexpected{Error{code, name, {}, std::move(message)}};
}

ArchiveTreeOptions named(const std::string& name) {
  ArchiveTreeOptions options;
  options.name = name;
  return options;
}

/// The first file of the root whose name fits; empty: there is none.
std::string find_name(const FileSystem& files, const std::string& directory, std::string_view start,
                      std::string_view end) {
  const Result<std::vector<std::string>, Errno> names = files.list_directory(directory);
  if (!names) return {};
  const auto found = std::find_if(names->begin(), names->end(), [&](const std::string& name) {
    return name.starts_with(start) && name.ends_with(end) && name.size() >= start.size() + end.size();
  });
  return found == names->end() ? std::string() : path_in(directory, *found);
}

/// An archive within an archive.
Result<TreeBuilder::Built> read_inner(const FileSystem& files, const std::string& path, const std::string& name) {
  const Result<ByteRange> range = range_of_file(files, path);
  const std::string where = name + ": " + path.substr(1);
  if (!range) return refuse_package(range.error().code, where, range.error().message);
  Result<ArchiveTree> tree = read_archive_tree(*range, named(where));
  if (!tree) return Unexpected{std::move(tree).error()};
  tie_pending_hard_links(tree->built, nullptr);
  return std::move(tree->built);
}

/// What was odd about an archive beside it.
void add_notes(TreeBuilder::Built& to, TreeBuilder::Built from) {
  std::move(from.oddities.begin(), from.oddities.end(), std::back_inserter(to.oddities));
  std::move(from.gaps.begin(), from.gaps.end(), std::back_inserter(to.gaps));
}

PackageTree package_of(TreeBuilder::Built built, PlaceKind kind, std::string format) {
  return {std::make_shared<TreeFileSystem>(std::move(built.root)), kind, std::move(format), std::move(built.oddities),
          std::move(built.gaps)};
}

Result<PackageTree> read_deb(const FileSystem& outer, const std::string& name) {
  const std::string data = find_name(outer, "/", "data.tar", "");
  if (!outer.status("/debian-binary") || data.empty()) {
    return refuse_package(ErrorCode::Unsupported, name,
                          "is an ar archive, but no Debian package: a static library has nothing to be loaded");
  }
  Result<TreeBuilder::Built> built = read_inner(outer, data, name);
  if (!built) return Unexpected{std::move(built).error()};
  return package_of(std::move(*built), PlaceKind::Package, "Debian package");
}

/// What installers put beside the package itself: NAME.data/{purelib,platlib} is of it, the rest is for elsewhere.
std::shared_ptr<const FileSystem> installed_wheel(std::shared_ptr<const FileSystem> files) {
  const std::string data = find_name(*files, "/", "", ".data");
  if (data.empty()) return files;
  for (const char* scheme : {"/purelib", "/platlib"}) {
    if (!files->status(data + scheme)) continue;
    auto moved = std::make_shared<OverlayFileSystem>(files);
    const Result<std::vector<std::string>, Errno> names = files->list_directory(data + scheme);
    for (const std::string& child : names ? *names : std::vector<std::string>()) {
      moved->rename(data + scheme + '/' + child, '/' + child);
    }
    files = std::move(moved);
  }
  return files;
}

Result<PackageTree> read_zip(ArchiveTree tree, const std::string& name) {
  PackageTree zip = package_of(std::move(tree.built), PlaceKind::Archive, "zip");
  const std::string info = find_name(*zip.files, "/", "", ".dist-info");
  if (!info.empty() && zip.files->status(info + "/WHEEL")) {
    zip.kind = PlaceKind::Package;
    zip.format = "wheel";
    zip.files = installed_wheel(std::move(zip.files));
    return zip;
  }
  const std::string content = find_name(*zip.files, "/", "pkg-", ".tar.zst");
  if (content.empty() || !zip.files->status("/metadata.json")) return zip;
  Result<TreeBuilder::Built> files = read_inner(*zip.files, content, name);
  if (!files) return Unexpected{std::move(files).error()};
  const std::string records = find_name(*zip.files, "/", "info-", ".tar.zst");
  if (!records.empty()) {
    Result<TreeBuilder::Built> info_files = read_inner(*zip.files, records, name);
    if (!info_files) return Unexpected{std::move(info_files).error()};
    files->root = laid_over(files->root, info_files->root);
    add_notes(*files, std::move(*info_files));
  }
  return package_of(std::move(*files), PlaceKind::Package, "conda package");
}

/// Where the first byte that is not zero lies in a piece.
std::optional<std::size_t> first_nonzero(std::span<const std::byte> piece) {
  const auto found = std::find_if(piece.begin(), piece.end(), [](std::byte b) { return b != std::byte{0}; });
  if (found == piece.end()) return std::nullopt;
  return static_cast<std::size_t>(found - piece.begin());
}

/// One archive of an initrd.
struct InRow {
  ByteRange rest;    ///< from where it is stored to the end of the initrd
  ByteRange stored;  ///< as much of `rest` as its decompressor may see
  ArchiveKind kind;
};

InRow in_row(const ByteRange& rest) {
  InRow archive{rest, rest, sniff_archive(first_bytes(rest))};
  // Other decompressors stop by themselves where their own stream ends.
  if (archive.kind.compression == Compression::Zstd) archive.stored.size_bytes = zstd_frames_bytes(rest);
  return archive;
}

/// What follows behind zeros in the file itself; nullopt: nothing does.
Result<std::optional<InRow>> next_stored(const ByteRange& rest, std::uint64_t end, const std::string& name) {
  std::vector<std::byte> piece(4096);
  while (end < rest.size_bytes) {
    const Result<std::size_t, Errno> got = read_range(rest, end, piece);
    if (!got) return refuse_package(ErrorCode::Unreadable, name, errno_text(got.error(), ErrnoText::FromDlerror));
    if (*got == 0) break;
    if (const auto found = first_nonzero(std::span(piece).first(*got))) {
      end += *found;
      return std::optional(in_row(ByteRange{rest.file, rest.offset + end, rest.size_bytes - end}));
    }
    end += *got;
  }
  return std::optional<InRow>();
}

/// What follows an archive that went up to `end` of what is unpacked: in the same stream, or behind it.
Result<std::optional<InRow>> next_in_row(const InRow& last, std::uint64_t end, const std::string& name) {
  if (last.kind.compression == Compression::None) return next_stored(last.rest, end, name);
  RangeSource source(last.stored, RangeSource::Pieces::Large);
  UnpackedSource unpacked(source, last.kind.compression, name, end);
  while (true) {
    const Result<std::span<const std::byte>, Errno> piece = unpacked.read();
    if (!piece) return Unexpected{*unpacked.failure()};
    if (piece->empty()) return next_stored(last.rest, unpacked.stored_bytes(), name);
    if (const auto found = first_nonzero(*piece)) {
      return std::optional(InRow{last.rest, last.stored, {ArchiveFormat::Cpio, last.kind.compression, end + *found}});
    }
    end += piece->size();
    if (is_bomb(last.stored.size_bytes, end)) return refuse_package(ErrorCode::LimitReached, name, bomb_words());
  }
}

/// An initrd: archives in a row, each compressed or not, with zeros between them. Source: Linux init/initramfs.c,
/// unpack_to_rootfs().
Result<PackageTree> read_cpios(ArchiveTree first, InRow at, const std::string& name) {
  TreeBuilder::Built all = std::move(first.built);
  at.kind.format = ArchiveFormat::Cpio;
  std::uint64_t end = first.end;
  for (int count = 1;; ++count) {
    Result<std::optional<InRow>> next = next_in_row(at, end, name);
    if (!next) return Unexpected{std::move(next).error()};
    if (!*next) break;
    if (count == kMostArchivesInARow) {
      return refuse_package(ErrorCode::LimitReached, name,
                            "has more than " + std::to_string(kMostArchivesInARow) + " archives in a row");
    }
    at = std::move(**next);
    ArchiveTreeOptions options = named(name);
    options.kind = at.kind;
    Result<ArchiveTree> tree = read_archive_tree(at.stored, options);
    if (!tree) return Unexpected{std::move(tree).error()};
    if (tree->kind.format != ArchiveFormat::Cpio)
      return refuse_package(ErrorCode::Malformed, name, "has something else than a cpio archive behind one");
    tie_pending_hard_links(tree->built, all.root);
    all.root = laid_over(all.root, tree->built.root);
    add_notes(all, std::move(tree->built));
    end = tree->end;
  }
  return package_of(std::move(all), PlaceKind::Archive, "cpio");
}

}  // namespace

Result<PackageTree> read_package(const ByteRange& range, const std::string& name) {
  InRow first = in_row(range);
  Result<ArchiveTree> tree = read_archive_tree(first.stored, named(name));
  // What follows the frames of something else is a fault of theirs.
  const bool is_cut = first.stored.size_bytes != range.size_bytes;
  if (tree && is_cut && tree->kind.format != ArchiveFormat::Cpio) tree = read_archive_tree(range, named(name));
  if (!tree) return Unexpected{std::move(tree).error()};
  tie_pending_hard_links(tree->built, nullptr);
  switch (tree->kind.format) {
    case ArchiveFormat::Ar: return read_deb(*package_of(std::move(tree->built), PlaceKind::Archive, "ar").files, name);
    case ArchiveFormat::Zip: return read_zip(std::move(*tree), name);
    case ArchiveFormat::Rpm: return package_of(std::move(tree->built), PlaceKind::Package, "RPM package");
    case ArchiveFormat::Cpio: return read_cpios(std::move(*tree), std::move(first), name);
    case ArchiveFormat::Tar:
    case ArchiveFormat::None: break;
  }
  const std::string compression(name_of(tree->kind.compression));
  PackageTree archive = package_of(std::move(tree->built), PlaceKind::Archive,
                                   compression.empty() ? "tar" : "archive, compressed with " + compression);
  if (archive.files->status("/info/index.json") && archive.files->status("/info/files")) {
    archive.kind = PlaceKind::Package;
    archive.format = "conda package";
  }
  return archive;
}

namespace {

/// "11" of "cp311-cp311-manylinux…", as the wheel's own WHEEL says; empty: of any Python 3.
std::string python_minor_of(const FileSystem& wheel) {
  const std::string info = find_name(wheel, "/", "", ".dist-info");
  const Result<ByteRange> range = range_of_file(wheel, info + "/WHEEL");
  if (!range) return {};
  const std::vector<std::byte> bytes = first_bytes(*range, 4096);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr std::string_view kTag = "Tag: cp3";
  const std::size_t tag = text.find(kTag);
  if (tag == std::string_view::npos) return {};
  const std::string_view rest = text.substr(tag + kTag.size());
  return std::string(rest.substr(0, rest.find_first_not_of("0123456789")));
}

void unpack(OverlayFileSystem& into, const std::shared_ptr<const FileSystem>& from, const std::string& source,
            const std::string& target) {
  const Result<std::vector<DirectoryEntry>, Errno> entries = from->list_entries(source);
  if (!entries) return;
  for (const DirectoryEntry& entry : *entries) {
    const std::string there = path_in(source, entry.name);
    const std::string here = path_in(target, entry.name);
    const Result<std::string, Errno> link = from->read_link(there);
    const Result<FileStatus, Errno> status = link ? Result<FileStatus, Errno>(FileStatus{}) : from->status(there);
    if (!status) continue;
    if (!link && status->kind == FileKind::Directory) {
      into.add_directory(here);
      unpack(into, from, there, here);
      continue;
    }
    into.remove(here);
    if (link)
      into.add_symlink(here, *link);
    else
      into.bind_file(here, from, there);
  }
}

/// `name:` of meta/snap.yaml.
std::string name_of_snap(const FileSystem& files) {
  constexpr std::size_t kMostBytes = 1 << 16;
  const std::string text = start_of_file(files, "/meta/snap.yaml", kMostBytes);
  for (std::string_view line : lines_in(text)) {
    if (!line.starts_with("name:")) continue;
    line.remove_prefix(std::string_view("name:").size());
    const std::size_t first = line.find_first_not_of(" \"'");
    const std::size_t end = line.find_first_of(" \"'#", first);
    const std::string name(first == std::string_view::npos ? std::string_view() : line.substr(first, end - first));
    const bool is_plain =
        !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
    if (is_plain) return name;
  }
  return "unnamed";
}

}  // namespace

std::string directory_for(const PackageTree& package, const FileSystem& base, const std::string& python,
                          const std::vector<std::string>& env) {
  if (package.format == "wheel") return site_packages(base, python_minor_of(*package.files), python, env);
  if (package.format == "conda package") return conda_prefix(base, python, env);
  if (package.format == "snap") return "/snap/" + name_of_snap(*package.files) + "/current";
  // Where its runtime mounts it; behind that are six characters that nobody knows before.
  if (package.format == "AppImage") return "/tmp/.mount_AppDir";
  return "/";
}

std::shared_ptr<const FileSystem> unpacked_over(std::shared_ptr<const FileSystem> base,
                                                const std::shared_ptr<const FileSystem>& upper,
                                                const std::string& directory) {
  auto both = std::make_shared<OverlayFileSystem>(std::move(base));
  both->add_directory(directory);
  unpack(*both, upper, "/", directory);
  return both;
}

}  // namespace soresolve
