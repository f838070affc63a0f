// A place that questions can be asked in: a directory, a container image, a package, an archive, a snapshot, or several
// of them over each other. Each becomes a FileSystem; nothing is unpacked and nothing is written.
//
// Sources: the OCI image specification 1.1 (image-layout.md, image-index.md, config.md, layer.md), Docker's `docker
// save`, overlayfs for what a layer does to those below it, deb(5), the binary distribution format of Python (PyPA),
// conda's package formats, cpio(5). libarchive reads the archives.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"

namespace soresolve {
/// What a snapshot says of the machine that it was made on (place/snapshot.h).
struct MachineFacts;
}  // namespace soresolve

namespace soresolve SORESOLVE_API {

enum class PlaceKind : std::uint8_t {
  Directory,  ///< a directory of this machine
  Image,      ///< a container image: `docker save`, an OCI layout, skopeo's `dir:`
  Package,    ///< of a package manager: .deb, .rpm, .whl, .conda
  Archive,    ///< any other archive: tar, zip, cpio
  Snapshot,   ///< what `soresolve snapshot` makes
};

/// What an image says of the process that it is made for (config.md).
struct ProcessDefaults {
  std::vector<std::string> env;      ///< "NAME=VALUE"
  std::string cwd;                   ///< WorkingDir; empty: /
  std::string user;                  ///< User, "name", "uid" or "uid:gid"; empty: root
  std::vector<std::string> command;  ///< Entrypoint, then Cmd
};

/// One layer of an image.
struct ImageLayer {
  std::string digest;      ///< "sha256:…" of the layer as it is stored; empty: nothing says so
  std::string diff_id;     ///< the same of its tar; empty likewise
  std::string created_by;  ///< the line of the recipe; empty likewise
  bool is_absent = false;  ///< its blob is not here: a foreign layer

  /// The beginning of its digest, else of its diff_id, as long as docker and podman show it: "sha256:0123456789ab".
  [[nodiscard]] std::string short_digest() const;
};

/// A file of one layer that a later one hides: the image is not smaller for it.
struct HiddenFile {
  std::string path;              ///< without links
  std::uint64_t size_bytes = 0;  ///< of the file, not of what a compressed layer needs for it
  std::size_t number = 0;        ///< of the layer that has it
  std::size_t by = 0;            ///< of the layer that hides it
  bool is_replaced = false;      ///< that has something else there; else it removed the file, or a directory above it
};

/// The layers of an image, and what each did. The lowest is number 1.
class ImageLayers {
 public:
  virtual ~ImageLayers() = default;
  ImageLayers() = default;
  ImageLayers(const ImageLayers&) = delete;
  ImageLayers& operator=(const ImageLayers&) = delete;

  [[nodiscard]] virtual const std::vector<ImageLayer>& list() const = 0;
  /// The number of the layer that brought what lies at `path`, which has no links in it.
  [[nodiscard]] virtual std::optional<std::size_t> brought(std::string_view path) const = 0;
  /// The number of the layer that took away what lay at `path`.
  [[nodiscard]] virtual std::optional<std::size_t> removed(std::string_view path) const = 0;
  /// The image as its first `count` layers make it.
  [[nodiscard]] virtual std::shared_ptr<const FileSystem> first(std::size_t count) const = 0;
  /// The files that weigh for nothing, the largest first; of hard links one, where no name is left.
  [[nodiscard]] virtual std::vector<HiddenFile> hidden() const = 0;
};

/// What a layer did to a file of the image.
struct LayerOfFile {
  std::string path;        ///< without links
  std::size_t number = 0;  ///< of the layer; the lowest is 1
  ImageLayer layer;
  bool is_removed = false;  ///< it took the file away, or a directory above it; else it brought the file
};

/// The layer that brought the file at `path`, links followed, or took it away; nullopt: none did, or `path` is
/// relative.
std::optional<LayerOfFile> layer_of_file(const ImageLayers& layers, const FileSystem& files, std::string_view path);

/// What was laid over the lowest of several places.
struct UpperPlace {
  std::shared_ptr<const FileSystem> files;
  std::string directory;  ///< where it lies in the tree
};

/// A part that a place should have and has not: where an archive may be cut off, the target of a hard link.
struct PlaceGap {
  std::string path;    ///< of what is not there, in the tree; a directory where it may be anything in it
  std::string reason;  ///< a sentence, also among Place::notes
};

struct Place {
  std::shared_ptr<const FileSystem> files;
  PlaceKind kind = PlaceKind::Directory;
  std::string format;                           ///< "docker save", "OCI layout", "wheel", "tar"; empty: a directory
  std::string platform;                         ///< of an image: "linux/amd64"; empty: it does not say
  std::optional<ProcessDefaults> process;       ///< of an image
  std::shared_ptr<const ImageLayers> layers;    ///< likewise; else nullptr
  std::shared_ptr<const MachineFacts> machine;  ///< of a snapshot; else nullptr
  std::vector<std::string> notes;               ///< what was odd about it, each a sentence
  std::vector<PlaceGap> gaps;                   ///< what is not there and should be: nobody knows what it would change
  std::vector<UpperPlace> upper;                ///< where it was opened over bases; the lowest first
};
/// The regular files that lie over the lowest place, as absolute paths in the tree, in no order: at most 4,000,000.
std::vector<std::string> upper_files(const Place& place);

/// Is the digest of what is used in place compared, too?
enum class Verify : std::uint8_t {
  WhatIsRead,  ///< manifests, configs, and layers that are decompressed
  All,         ///< also layers that are used as they lie there: reads them whole
};

struct PlaceOptions {
  std::string platform;            ///< of an image with several, "linux/arm64" or "arm64"; empty: this machine's
  std::vector<std::string> bases;  ///< places below it, the lowest first
  Verify verify = Verify::WhatIsRead;
  /// A directory that keeps compressed layers unpacked, each as DIFF-ID.tar, for the next image that has them; made if
  /// it is not there. Empty: none. What lies in it is believed unless all is verified.
  std::string cache;
  unsigned jobs = 1;  ///< threads that compressed layers are read with
  /// The Python that a wheel over bases is installed for: an interpreter, or the environment it lies in. Empty: the one
  /// that PATH, VIRTUAL_ENV and CONDA_PREFIX lead to, as `env` has them; if that is empty, as an image's own
  /// environment has them; of other bases as `inherited` has them.
  std::string python = {};
  std::vector<std::string> env = {};        ///< "NAME=VALUE"
  std::vector<std::string> inherited = {};  ///< likewise
  bool operator==(const PlaceOptions&) const = default;
};

/// Is `path` of this machine a place other than a plain directory: an image, a package, an archive, a snapshot, or a
/// format that open_place() refuses by its name? Not so of an ELF file, and of one with anything else in it.
bool is_packed_place(const std::string& path);

/// Makes a tree of what lies at `path` of this machine. Errors: NotFound, Unreadable; Unsupported for what it cannot
/// read, with what can; Truncated and Malformed for what is damaged, a digest that does not match included;
/// LimitReached for an archive that grows past all measure.
Result<Place> open_place(const std::string& path, const PlaceOptions& options = {});

}  // namespace SORESOLVE_API
