// Which kind of place a path names, by what lies there and never by its name.
#include "soresolve/place.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/path.h"
#include "place/image.h"
#include "place/package.h"
#include "place/snapshot.h"
#include "place/squashfs.h"

namespace soresolve {
namespace {

/// What is known of formats that nothing here reads.
struct OtherFormat {
  std::size_t offset;
  std::string_view magic;
  const char* what;
};

using namespace std::string_view_literals;

constexpr OtherFormat kOtherFormats[] = {
    {0, "7z\xbc\xaf\x27\x1c"sv, "is a 7z archive: unpack it, then --root DIR"},
    {0, "Rar!"sv, "is a RAR archive: unpack it, then --root DIR"},
    {0, "QFI\xfb"sv, "is a disk image of QEMU: mount it (guestmount), then --root DIR"},
    {1080, "\x53\xef"sv, "is an ext2, ext3 or ext4 file system: mount it, then --root DIR"},
    {32769, "CD001"sv, "is an ISO 9660 image: mount it, then --root DIR"},
};

Unexpected<Error> refuse_place(ErrorCode code, const std::string& path, std::string message) {
  return Unexpected{Error{code, path, {}, std::move(message)}};
}

/// As a directory of layers is laid out; an unpacked root has no such files in front.
bool may_be_image(const FileSystem& files) {
  return files.status("/oci-layout") || (files.status("/manifest.json") && files.status("/version"));
}

void list_files(const FileSystem& files, const std::string& directory, const std::string& in_tree, std::size_t depth,
                std::vector<std::string>& into) {
  constexpr std::size_t kMostDepth = 200;
  constexpr std::size_t kMostFiles = 4'000'000;
  const Result<std::vector<DirectoryEntry>, Errno> entries = files.list_entries(directory);
  if (!entries || depth == kMostDepth) return;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.kind == EntryKind::Directory) {
      list_files(files, path_in(directory, entry.name), path_in(in_tree, entry.name), depth + 1, into);
    } else if (entry.kind == EntryKind::Regular && into.size() < kMostFiles) {
      into.push_back(path_in(in_tree, entry.name));
    }
  }
}

Result<Place> open_directory(const std::string& path, const PlaceOptions& options) {
  Result<std::unique_ptr<FileSystem>> rooted = rooted_file_system(path);
  if (!rooted) return Unexpected{std::move(rooted).error()};
  Place place;
  place.files = std::move(rooted).value();
  if (!may_be_image(*place.files)) return place;
  Result<std::optional<Place>> image = find_image(place.files, path, options);
  if (!image) return Unexpected{std::move(image).error()};
  if (*image) return std::move(**image);
  return place;
}

std::optional<Error> refused_format(const ByteRange& range, const std::string& path) {
  const std::vector<std::byte> first = first_bytes(range, 32774);
  for (const OtherFormat& format : kOtherFormats) {
    if (first.size() >= format.offset + format.magic.size() &&
        std::memcmp(first.data() + format.offset, format.magic.data(), format.magic.size()) == 0) {
      return Error{ErrorCode::Unsupported, path, {}, format.what};
    }
  }
  if (first.size() >= 4 && std::memcmp(first.data(),
                                       "\x7f"
                                       "ELF",
                                       4) == 0) {
    return Error{
        ErrorCode::Usage, path, {}, "is an ELF file, not a place: a root is a directory, an image or an archive"};
  }
  const ArchiveKind kind = sniff_archive(first);
  const bool is_archive = kind.format != ArchiveFormat::None || kind.compression != Compression::None;
  if (range.size_bytes == 0) return Error{ErrorCode::Unsupported, path, {}, "is empty"};
  if (is_archive && !can_read_archives()) {
    return Error{
        ErrorCode::Unsupported, path, {}, "is an archive, and this build was made without libarchive: unpack it"};
  }
  return std::nullopt;
}

Result<PackageTree> read_file(const ByteRange& range, const std::string& path) {
  const Result<std::optional<SquashfsImage>> squashed = find_squashfs(range, path);
  if (!squashed) return Unexpected{squashed.error()};
  if (*squashed) return read_squashfs(**squashed, path);
  if (auto refused = refused_format(range, path)) return Unexpected{std::move(*refused)};
  return read_package(range, path);
}

Result<Place> open_file(const std::string& path, const PlaceOptions& options) {
  Result<std::unique_ptr<File>, Errno> opened = host_file_system()->open(path);
  if (opened && is_snapshot(**opened)) return read_snapshot(std::move(*opened), path);
  const Result<ByteRange> range = range_of_host_file(path);
  if (!range) return refuse_place(range.error().code, path, range.error().message);
  Result<PackageTree> package = read_file(*range, path);
  if (!package) return Unexpected{std::move(package).error()};
  if (package->kind == PlaceKind::Archive) {
    Result<std::optional<Place>> image = find_image(package->files, path, options);
    if (!image) return Unexpected{std::move(image).error()};
    if (*image) return std::move(**image);
  }
  if (!options.platform.empty()) {
    return refuse_place(ErrorCode::Usage, path, "is no image: --platform does not go with it");
  }
  Place place;
  place.files = std::move(package->files);
  place.kind = package->kind;
  place.format = std::move(package->format);
  place.notes = std::move(package->notes);
  place.gaps = std::move(package->gaps);
  return place;
}

Result<Place> open_one(const std::string& path, const PlaceOptions& options) {
  const Result<FileStatus, Errno> status = host_file_system()->status(path);
  if (!status || status->kind == FileKind::Directory) return open_directory(path, options);
  return open_file(path, options);
}

}  // namespace

std::vector<std::string> upper_files(const Place& place) {
  std::vector<std::string> paths;
  for (const UpperPlace& upper : place.upper) list_files(*upper.files, "/", upper.directory, 0, paths);
  return paths;
}

bool is_packed_place(const std::string& path) {
  const std::unique_ptr<FileSystem> host = host_file_system();
  const Result<FileStatus, Errno> status = host->status(path);
  if (!status) return false;
  if (status->kind == FileKind::Directory) {
    const Result<std::unique_ptr<FileSystem>> rooted = rooted_file_system(path);
    return rooted && may_be_image(**rooted);
  }
  if (status->kind != FileKind::Regular) return false;
  const Result<std::unique_ptr<File>, Errno> opened = host->open(path);
  if (opened && is_snapshot(**opened)) return true;
  const Result<ByteRange> range = range_of_host_file(path);
  if (!range || range->size_bytes == 0) return false;
  if (const auto squashed = find_squashfs(*range, path); !squashed || *squashed) return true;
  if (const std::optional<Error> refused = refused_format(*range, path)) return refused->code != ErrorCode::Usage;
  const ArchiveKind kind = sniff_archive(first_bytes(*range, kSniffedBytes));
  return kind.format != ArchiveFormat::None || kind.compression != Compression::None;
}

Result<Place> open_place(const std::string& path, const PlaceOptions& options) {
  if (options.bases.empty()) return open_one(path, options);
  PlaceOptions of_one = options;
  of_one.bases.clear();
  std::vector<std::string> paths = options.bases;
  paths.push_back(path);
  std::optional<Place> below;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    // The lowest one may be an image with several platforms; what lies over it is none.
    PlaceOptions mine = of_one;
    if (i > 0) mine.platform.clear();
    Result<Place> place = open_one(paths[i], mine);
    if (!place) return place;
    if (!below) {
      below = std::move(*place);
      continue;
    }
    const PackageTree package{place->files, place->kind, place->format, {}, {}};
    const std::vector<std::string>& env = !options.env.empty() ? options.env
                                          : below->process     ? below->process->env
                                                               : options.inherited;
    const std::string directory = directory_for(package, *below->files, options.python, env);
    below->files = unpacked_over(std::move(below->files), place->files, directory);
    below->upper.push_back({place->files, directory});
    below->layers = nullptr;
    below->notes.insert(below->notes.end(), place->notes.begin(), place->notes.end());
    for (PlaceGap& gap : place->gaps) below->gaps.push_back({path_in(directory, gap.path.substr(1)), gap.reason});
    if (directory != "/")
      below->notes.push_back((i + 1 == paths.size() ? "" : paths[i] + ' ') + "is assumed to be installed in " +
                             directory);
  }
  return std::move(*below);
}

}  // namespace soresolve
