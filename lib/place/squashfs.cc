// libsquashfs (squashfs-tools-ng) reads the format; what is ours is where the image lies in its file, and the walk: the
// library's own goes down as deep as the image says. Ours has a bound for the depth and for the number of names, and
// refuses a directory that lies in itself, which a hostile image can say and mksquashfs never does.
//
// Sources: the kernel's Documentation/filesystems/squashfs.rst and doc/format.adoc of squashfs-tools-ng; AppImage's
// specification, type 2 (magic 41 49 02 at offset 8, the payload directly behind the ELF file); SIF: sylabs/sif,
// pkg/sif (a header of 128 bytes, descriptors of 585).
//
// A reader of libsquashfs keeps the block that it has unpacked last, so that it serves one thread at a time.
#include "place/squashfs.h"

#include <elf.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/load.h"
#include "base/path.h"

#ifdef SORESOLVE_HAS_SQUASHFS
#include <sqfs/compressor.h>
#include <sqfs/data_reader.h>
#include <sqfs/dir.h>
#include <sqfs/dir_reader.h>
#include <sqfs/error.h>
#include <sqfs/id_table.h>
#include <sqfs/inode.h>
#include <sqfs/io.h>
#include <sqfs/super.h>
#include <sqfs/xattr.h>
#include <sqfs/xattr_reader.h>
#endif

namespace soresolve {
namespace {

constexpr std::string_view kSquashMagic = "hsqs";

std::optional<ByteRange> part_of(const ByteRange& range, std::uint64_t offset, std::uint64_t size_bytes) {
  if (!is_within(offset, size_bytes, range.size_bytes)) return std::nullopt;
  return ByteRange{range.file, range.offset + offset, size_bytes};
}

bool begins_with(std::span<const std::byte> bytes, std::size_t offset, std::string_view text) {
  return bytes.size() >= offset + text.size() && std::memcmp(bytes.data() + offset, text.data(), text.size()) == 0;
}

template <class T>
T little(std::span<const std::byte> bytes, std::size_t offset) {
  return load_as<T>(bytes.data() + offset, std::endian::little);
}

/// Behind the section headers, which end an ELF file as its linker writes it.
Result<std::optional<SquashfsImage>> payload_of_appimage(const ByteRange& range, std::span<const std::byte> first,
                                                         const std::string& name) {
  const bool is_64 = first[EI_CLASS] == std::byte{ELFCLASS64};
  const std::uint64_t table = is_64 ? little<std::uint64_t>(first, offsetof(Elf64_Ehdr, e_shoff))
                                    : little<std::uint32_t>(first, offsetof(Elf32_Ehdr, e_shoff));
  const std::size_t at = is_64 ? offsetof(Elf64_Ehdr, e_shentsize) : offsetof(Elf32_Ehdr, e_shentsize);
  const std::uint64_t bytes = std::uint64_t{little<std::uint16_t>(first, at)} * little<std::uint16_t>(first, at + 2);
  const std::optional<std::uint64_t> end = checked_add(table, bytes);
  const std::optional<ByteRange> payload =
      end && *end < range.size_bytes ? part_of(range, *end, range.size_bytes - *end) : std::nullopt;
  if (!payload || !begins_with(first_bytes(*payload, kSquashMagic.size()), 0, kSquashMagic)) {
    return Unexpected{Error{ErrorCode::Unsupported,
                            name,
                            {},
                            "is an AppImage without a squashfs image behind its runtime: `FILE --appimage-extract`, "
                            "then --root squashfs-root"}};
  }
  return std::optional<SquashfsImage>({*payload, "AppImage"});
}

/// The system partition of a SIF image.
Result<std::optional<SquashfsImage>> system_of_sif(const ByteRange& range, std::span<const std::byte> first,
                                                   const std::string& name) {
  constexpr std::uint64_t kDescriptorBytes = 585;
  constexpr std::uint64_t kMostDescriptors = 4096;
  constexpr std::uint32_t kPartition = 0x4004;
  constexpr std::uint32_t kSquashfs = 1;
  constexpr std::uint32_t kPrimarySystem = 2;
  const std::uint64_t table = little<std::uint64_t>(first, 96);
  const std::uint64_t count = std::min(little<std::uint64_t>(first, 88), kMostDescriptors);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::optional<ByteRange> at = part_of(range, table + i * kDescriptorBytes, kDescriptorBytes);
    if (!at) break;
    const std::vector<std::byte> descriptor = first_bytes(*at, kDescriptorBytes);
    if (descriptor.size() < kDescriptorBytes || descriptor[4] == std::byte{0}) continue;
    constexpr std::size_t kExtra = 4 + 1 + 3 * 4 + 3 * 8 + 4 * 8 + 128;
    const bool is_system = little<std::uint32_t>(descriptor, 0) == kPartition &&
                           little<std::uint32_t>(descriptor, kExtra + 4) == kPrimarySystem;
    if (!is_system) continue;
    const std::optional<ByteRange> system =
        part_of(range, little<std::uint64_t>(descriptor, 17), little<std::uint64_t>(descriptor, 25));
    const bool is_squashfs = system && little<std::uint32_t>(descriptor, kExtra) == kSquashfs;
    if (is_squashfs && begins_with(first_bytes(*system, kSquashMagic.size()), 0, kSquashMagic)) {
      return std::optional<SquashfsImage>({*system, "SIF"});
    }
    break;
  }
  return Unexpected{
      Error{ErrorCode::Unsupported,
            name,
            {},
            "is a SIF image of Apptainer whose system is not squashfs, or is encrypted: `apptainer build --sandbox DIR "
            "FILE`, then --root DIR"}};
}

}  // namespace

Result<std::optional<SquashfsImage>> find_squashfs(const ByteRange& range, const std::string& name) {
  const std::vector<std::byte> first = first_bytes(range, 128);
  if (begins_with(first, 0, kSquashMagic)) return std::optional<SquashfsImage>({range, "squashfs"});
  if (first.size() < 128) return std::optional<SquashfsImage>();
  if (begins_with(first, 0, ELFMAG) && begins_with(first, 8, "AI\x02")) return payload_of_appimage(range, first, name);
  if (begins_with(first, 32, "SIF_MAGIC")) return system_of_sif(range, first, name);
  return std::optional<SquashfsImage>();
}

#ifndef SORESOLVE_HAS_SQUASHFS

Result<PackageTree> read_squashfs(const SquashfsImage&, const std::string& name) {
  return Unexpected{Error{ErrorCode::Unsupported,
                          name,
                          {},
                          "is a squashfs image, and this build was made without libsquashfs: `unsquashfs -d DIR FILE`, "
                          "then --root DIR"}};
}

#else

namespace {

constexpr std::size_t kMostSquashDepth = 200;
constexpr std::size_t kMostSquashNames = 4'000'000;

struct Destroy {
  void operator()(void* object) const { sqfs_destroy(object); }
};
template <class T>
using Owned = std::unique_ptr<T, Destroy>;
struct Free {
  void operator()(void* memory) const { sqfs_free(memory); }
};
template <class T>
using Allocated = std::unique_ptr<T, Free>;

/// The image as libsquashfs reads it.
struct ImageFile final : sqfs_file_t {
  explicit ImageFile(ByteRange image) : range(std::move(image)) {
    base.destroy = [](sqfs_object_t* object) { delete reinterpret_cast<ImageFile*>(object); };
    base.copy = [](const sqfs_object_t* object) {
      return reinterpret_cast<sqfs_object_t*>(new ImageFile(reinterpret_cast<const ImageFile*>(object)->range));
    };
    read_at = [](sqfs_file_t* file, sqfs_u64 offset, void* buffer, std::size_t size) -> int {
      const std::span<std::byte> into(static_cast<std::byte*>(buffer), size);
      const Result<std::size_t, Errno> got = read_range(static_cast<ImageFile*>(file)->range, offset, into);
      if (!got) return SQFS_ERROR_IO;
      return *got == size ? 0 : SQFS_ERROR_OUT_OF_BOUNDS;
    };
    write_at = [](sqfs_file_t*, sqfs_u64, const void*, std::size_t) -> int { return SQFS_ERROR_UNSUPPORTED; };
    get_size = [](const sqfs_file_t* file) -> sqfs_u64 {
      return static_cast<const ImageFile*>(file)->range.size_bytes;
    };
    truncate = [](sqfs_file_t*, sqfs_u64) -> int { return SQFS_ERROR_UNSUPPORTED; };
  }
  ByteRange range;
};

Unexpected<Error> refuse_squashfs(const std::string& name, int error) {
  switch (error) {
    case SQFS_ERROR_UNSUPPORTED:
      return Unexpected{Error{ErrorCode::Unsupported,
                              name,
                              {},
                              "is a squashfs image with a compression or version that is not read here: `unsquashfs -d "
                              "DIR FILE`, then --root DIR"}};
    case SQFS_ERROR_IO: return Unexpected{Error{ErrorCode::Unreadable, name, {}, "cannot be read"}};
    case SQFS_ERROR_ALLOC:
      return Unexpected{Error{ErrorCode::LimitReached, name, {}, "its squashfs tables take more memory than there is"}};
    default:
      return Unexpected{Error{ErrorCode::Malformed,
                              name,
                              {},
                              "its squashfs image is damaged (libsquashfs: error " + std::to_string(error) + ")"}};
  }
}

/// What all files of one image share; one thread at a time.
class Image {
 public:
  Result<std::monostate, int> open(const ByteRange& range) {
    file_.reset(new ImageFile(range));
    if (const int error = sqfs_super_read(&super_, file_.get())) return Unexpected{error};
    sqfs_compressor_config_t config;
    sqfs_compressor_config_init(&config, static_cast<SQFS_COMPRESSOR>(super_.compression_id), super_.block_size,
                                SQFS_COMP_FLAG_UNCOMPRESS);
    sqfs_compressor_t* compressor = nullptr;
    if (const int error = sqfs_compressor_create(&config, &compressor)) return Unexpected{error};
    compressor_.reset(compressor);
    ids_.reset(sqfs_id_table_create(0));
    if (!ids_) return Unexpected{static_cast<int>(SQFS_ERROR_ALLOC)};
    if (const int error = sqfs_id_table_read(ids_.get(), file_.get(), &super_, compressor)) return Unexpected{error};
    data_.reset(sqfs_data_reader_create(file_.get(), super_.block_size, compressor, 0));
    directories_.reset(sqfs_dir_reader_create(&super_, compressor, file_.get(), 0));
    if (!data_ || !directories_) return Unexpected{static_cast<int>(SQFS_ERROR_ALLOC)};
    if (const int error = sqfs_data_reader_load_fragment_table(data_.get(), &super_)) return Unexpected{error};
    attributes_.reset(sqfs_xattr_reader_create(0));
    const bool has_attributes =
        attributes_ && sqfs_xattr_reader_load(attributes_.get(), &super_, file_.get(), compressor) == 0;
    if (!has_attributes) attributes_.reset();
    return std::monostate{};
  }

  [[nodiscard]] sqfs_dir_reader_t* directories() const { return directories_.get(); }
  [[nodiscard]] std::uint32_t id_of(std::uint16_t index) const {
    sqfs_u32 id = 0;
    return sqfs_id_table_index_to_id(ids_.get(), index, &id) == 0 ? id : 0;
  }

  Result<std::size_t, Errno> read(const sqfs_inode_generic_t* inode, std::uint64_t offset,
                                  std::span<std::byte> into) const {
    constexpr std::size_t kMostAtATime = std::size_t{1} << 30;
    const std::lock_guard lock(mutex_);
    const sqfs_s32 got = sqfs_data_reader_read(data_.get(), inode, offset, into.data(),
                                               static_cast<sqfs_u32>(std::min(into.size(), kMostAtATime)));
    if (got < 0) return Unexpected{static_cast<Errno>(EIO)};
    return static_cast<std::size_t>(got);
  }

  /// security.capability.
  [[nodiscard]] std::vector<std::byte> capabilities(const sqfs_inode_generic_t* inode) const {
    sqfs_u32 index = 0;
    sqfs_xattr_id_t found;
    const bool has_any = attributes_ && sqfs_inode_get_xattr_index(inode, &index) == 0 && index != 0xFFFFFFFF &&
                         sqfs_xattr_reader_get_desc(attributes_.get(), index, &found) == 0 &&
                         sqfs_xattr_reader_seek_kv(attributes_.get(), &found) == 0;
    constexpr std::uint32_t kMostAttributes = 64;
    for (std::uint32_t i = 0; has_any && i < std::min(found.count, kMostAttributes); ++i) {
      sqfs_xattr_entry_t* key = nullptr;
      if (sqfs_xattr_reader_read_key(attributes_.get(), &key) != 0) break;
      const Allocated<sqfs_xattr_entry_t> owned_key(key);
      sqfs_xattr_value_t* value = nullptr;
      if (sqfs_xattr_reader_read_value(attributes_.get(), key, &value) != 0) break;
      const Allocated<sqfs_xattr_value_t> owned_value(value);
      if (std::string_view(reinterpret_cast<const char*>(key->key)) != "security.capability") continue;
      const std::byte* const bytes = reinterpret_cast<const std::byte*>(value->value);
      return {bytes, bytes + std::min<std::uint32_t>(value->size, 64)};
    }
    return {};
  }

 private:
  sqfs_super_t super_ = {};
  Owned<sqfs_file_t> file_;
  Owned<sqfs_compressor_t> compressor_;
  Owned<sqfs_id_table_t> ids_;
  Owned<sqfs_data_reader_t> data_;
  Owned<sqfs_dir_reader_t> directories_;
  Owned<sqfs_xattr_reader_t> attributes_;
  mutable std::mutex mutex_;
};

class SquashedContent final : public Content {
 public:
  SquashedContent(std::shared_ptr<const Image> image, Allocated<sqfs_inode_generic_t> inode)
      : image_(std::move(image)), inode_(std::move(inode)) {}
  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    std::size_t done = 0;
    while (done < into.size()) {
      const Result<std::size_t, Errno> got = image_->read(inode_.get(), offset + done, into.subspan(done));
      if (!got) return got;
      if (*got == 0) break;
      done += *got;
    }
    return done;
  }

 private:
  std::shared_ptr<const Image> image_;
  Allocated<sqfs_inode_generic_t> inode_;
};

/// The walk, from the root on, with a list of directories to be read instead of a stack of calls.
class SquashWalk {
 public:
  SquashWalk(std::shared_ptr<Image> image, std::uint64_t device, const std::string& name)
      : image_(std::move(image)), name_(name), builder_(0, Whiteouts::No, device) {}

  Result<TreeBuilder::Built> run() {
    sqfs_inode_generic_t* root = nullptr;
    if (const int error = sqfs_dir_reader_get_root_inode(image_->directories(), &root)) {
      return refuse_squashfs(name_, error);
    }
    open_.push_back({"/", Allocated<sqfs_inode_generic_t>(root), 0});
    while (!open_.empty()) {
      const Directory directory = std::move(open_.back());
      open_.pop_back();
      if (auto error = read(directory)) return Unexpected{std::move(*error)};
    }
    return builder_.finish();
  }

 private:
  struct Directory {
    std::string path;
    Allocated<sqfs_inode_generic_t> inode;
    std::size_t depth = 0;
  };

  std::optional<Error> read(const Directory& directory) {
    const std::uint32_t number = directory.inode->base.inode_number;
    if (directory.depth > kMostSquashDepth || !seen_.insert(number).second) {
      return Error{
          ErrorCode::Malformed, name_, {}, directory.path + " of its squashfs image lies in itself or too deep"};
    }
    if (const int error = sqfs_dir_reader_open_dir(image_->directories(), directory.inode.get(), 0)) {
      return refuse_squashfs(name_, error).error;
    }
    while (true) {
      sqfs_dir_entry_t* read_entry = nullptr;
      const int state = sqfs_dir_reader_read(image_->directories(), &read_entry);
      if (state > 0) return std::nullopt;
      if (state < 0) return refuse_squashfs(name_, state).error;
      const Allocated<sqfs_dir_entry_t> entry(read_entry);
      if (++count_ > kMostSquashNames)
        return Error{ErrorCode::LimitReached, name_, {}, "has more than 4,000,000 names"};
      const std::string name(reinterpret_cast<const char*>(entry->name), std::size_t{entry->size} + 1);
      sqfs_inode_generic_t* inode = nullptr;
      if (const int error = sqfs_dir_reader_get_inode(image_->directories(), &inode)) {
        return refuse_squashfs(name_, error).error;
      }
      if (auto error = add(path_in(directory.path, name), Allocated<sqfs_inode_generic_t>(inode), directory.depth)) {
        return error;
      }
    }
  }

  std::optional<Error> add(std::string path, Allocated<sqfs_inode_generic_t> inode, std::size_t depth) {
    const sqfs_inode_t& base = inode->base;
    ArchiveEntry entry;
    entry.path = path;
    entry.mode = base.mode & 07777u;
    entry.owner = image_->id_of(base.uid_idx);
    entry.group = image_->id_of(base.gid_idx);
    entry.modified_ns = std::int64_t{base.mod_time} * 1'000'000'000;
    switch (base.type) {
      case SQFS_INODE_DIR:
      case SQFS_INODE_EXT_DIR:
        entry.type = EntryType::Directory;
        open_.push_back({std::move(path), std::move(inode), depth + 1});
        return builder_.add(std::move(entry), nullptr);
      case SQFS_INODE_SLINK:
      case SQFS_INODE_EXT_SLINK: {
        entry.type = EntryType::SymbolicLink;
        const sqfs_u32 size =
            base.type == SQFS_INODE_SLINK ? inode->data.slink.target_size : inode->data.slink_ext.target_size;
        entry.target.assign(reinterpret_cast<const char*>(inode->extra), size);
        return builder_.add(std::move(entry), nullptr);
      }
      case SQFS_INODE_FILE:
      case SQFS_INODE_EXT_FILE: return add_file(std::move(entry), std::move(inode));
      case SQFS_INODE_FIFO:
      case SQFS_INODE_EXT_FIFO: entry.type = EntryType::Fifo; break;
      case SQFS_INODE_SOCKET:
      case SQFS_INODE_EXT_SOCKET: entry.type = EntryType::Socket; break;
      default: entry.type = EntryType::Device; break;
    }
    return builder_.add(std::move(entry), nullptr);
  }

  std::optional<Error> add_file(ArchiveEntry entry, Allocated<sqfs_inode_generic_t> inode) {
    const auto [first, is_new] = files_.try_emplace(inode->base.inode_number, entry.path);
    if (!is_new) {
      entry.type = EntryType::HardLink;
      entry.target = first->second;
      return builder_.add(std::move(entry), nullptr);
    }
    sqfs_u64 size = 0;
    if (const int error = sqfs_inode_get_file_size(inode.get(), &size)) return refuse_squashfs(name_, error).error;
    entry.size_bytes = size;
    entry.capabilities = image_->capabilities(inode.get());
    return builder_.add(std::move(entry), std::make_shared<SquashedContent>(image_, std::move(inode)));
  }

  std::shared_ptr<Image> image_;
  const std::string& name_;
  TreeBuilder builder_;
  std::vector<Directory> open_;
  std::set<std::uint32_t> seen_;                ///< directories, by inode number
  std::map<std::uint32_t, std::string> files_;  ///< the first path, by inode number
  std::size_t count_ = 0;
};

}  // namespace

Result<PackageTree> read_squashfs(const SquashfsImage& image, const std::string& name) {
  auto opened = std::make_shared<Image>();
  if (const Result<std::monostate, int> done = opened->open(image.range); !done)
    return refuse_squashfs(name, done.error());
  Result<TreeBuilder::Built> built = SquashWalk(std::move(opened), device_of(image.range, {}), name).run();
  if (!built) return Unexpected{std::move(built).error()};
  PackageTree tree;
  tree.files = std::make_shared<TreeFileSystem>(std::move(built->root));
  tree.notes = std::move(built->oddities);
  const bool is_snap = tree.files->status("/meta/snap.yaml").has_value();
  tree.format = is_snap ? "snap" : image.format;
  return tree;
}

#endif

}  // namespace soresolve
