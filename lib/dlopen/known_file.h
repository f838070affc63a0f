// Which known package does an object of the map belong to, and where is that installed?
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dlopen/known_loaders.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/dlopens.h"
#include "soresolve/dotted_version.h"
#include "soresolve/link_map.h"

namespace soresolve {

struct KnownFile {
  const KnownLoader* loader = nullptr;
  std::string title;             ///< with the release, if it is known: "torch 2.15.0+cu132"
  std::string release;           ///< of the package; empty: not known, or not asked for
  std::string site;              ///< site directory; empty for what is recognised by its name
  std::string folder;            ///< of the recognised file
  std::string script;            ///< path of the script that opens; empty: the file does
  bool is_release_known = true;  ///< false: no metadata; the newest entry is taken
};

std::optional<KnownFile> recognise(const LinkMap& map, ObjectIndex object);

/// The entry of the package whose __init__ is `script`, a path in the site directory ("torch/__init__.py"), as far as
/// it says what the import opens.
std::optional<KnownFile> known_import(const FileSystem& files, const std::string& site, std::string_view script);

/// What `open` comes to in the folders of an installation: the first file that is there, or a choice
/// without a path.
DlopenChoice path_for(const FileSystem& files, const KnownFile& known, const KnownOpen& open);

/// Is a GPU of NVIDIA there, by its device files?
bool has_gpu_device(const FileSystem& files);

/// The file of bitsandbytes for a release of CUDA, in the folder: exactly "libbitsandbytes_cuda124.so", or the nearest
/// one of its major number, the next lower one first. The exact name where none is there. Source:
/// bitsandbytes/cextension.py of 0.45.0 (exact) and 0.50.2 (nearest).
std::string numbered_for_cuda(const FileSystem& files, const std::string& folder, std::string_view before,
                              const DottedVersion& cuda, bool takes_nearest);

}  // namespace soresolve
