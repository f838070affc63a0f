// What well-known packages open by themselves, as data.
//
// One table, known_loaders.toml. An entry says by which file it is recognised, for which releases of its
// package it holds, what is opened in which order and from where, and on whose word we say so.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "soresolve/dlopens.h"
#include "soresolve/elf.h"

namespace soresolve {

/// When an entry's library is opened.
enum class KnownWhen : std::uint8_t {
  Always,
  IfFirstLoads,  ///< only once the first library of the entry has been loaded
  IfThere,       ///< only if one of its folders has it
  IfFirstFails,  ///< only if that one cannot be loaded, and the message names a library of these
};

/// On which machines.
enum class KnownDevice : std::uint8_t { Any, Present, Absent };

/// One library that is opened.
struct KnownOpen {
  /// Names in the order in which they are tried, separated by spaces. With a `folder`, patterns of files
  /// in it. `*` in a name without a folder stands for what the opener's own constants have in its place;
  /// {cuda} for the CUDA release of torch ("124"), {nearest} for the nearest one of its major number that is there.
  std::string_view names;
  /// Folders in which it is opened by its path, in order, separated by spaces: relative to the site
  /// directory (site-packages), or to the opener's own folder ("."). "wheel:NAME" stands for
  /// nvidia/NAME/lib, nvidia/cuMAJOR/lib and NAME/lib. Empty: by its name, as dlopen
  /// searches it for the opener.
  std::string_view folder = {};
  Importance importance = Importance::Required;
  KnownWhen when = KnownWhen::Always;
  /// Only if the opener's constants have this name: releases differ.
  std::string_view only_if_named = {};
  std::string_view from_release = {};  ///< first release that opens it; empty: any
  std::string_view to_release = {};    ///< first one that does no longer; empty: none
  /// The wheel whose records say where it lies; `missing_wheel` is raised where that is not installed.
  std::string_view wheel = {};
  KnownDevice device = KnownDevice::Any;  ///< is there a GPU?
  bool is_by_name_else = false;           ///< where no folder has it, it is opened by its name
};

/// When an import does something.
struct KnownMoment {
  enum class Side : std::uint8_t { Usual, Before, After };
  Side side = Side::Usual;       ///< Usual: before the package's first extension module, or at its end if it has none
  std::string_view module = {};  ///< else before or after the body of this one
};

/// What a package does while Python imports it. Of an entry with a `script` in the site directory.
struct KnownImport {
  /// The extension module that is imported after the libraries: "torch._C"; empty: as the sources say.
  std::string_view module = {};
  /// The first library is global (RTLD_GLOBAL).
  bool is_first_global = false;
  /// Where the first library fails, the others are opened, and then it once more; where it loads, they are optional.
  bool tries_first_again = false;
  /// Where the first one loads, the others are opened only if the process has a file with this in its path.
  std::string_view others_only_if_loaded = {};
  /// Where it loads, the first of the others that is not there ends the list.
  bool ends_at_missing = false;
  /// What Python prints where a required file is nowhere: TYPE, a colon and the message, in which {name} and {path} are
  /// the pattern and sys.path. Empty: the OSError of dlopen.
  std::string_view missing = {};
  /// The OSError of a required file that does not load is caught: it is as if the file was nowhere.
  bool catches_failures = false;
  /// In the form of `missing`, with {torch} and {own}: what Python prints, its libraries being loaded, where the
  /// package was built for another CUDA than torch. Empty: it does not look.
  std::string_view other_cuda = {};
  /// The minor numbers of the two have to agree as well.
  bool compares_cuda_minor = false;
  /// What Python prints where `module` is nowhere, in the form of `missing`; empty: ModuleNotFoundError.
  std::string_view without_module = {};
  /// Names of libraries that the package brings into the process, with stars, separated by spaces: who needs one of
  /// them is opened after the package has been imported.
  std::string_view provides = {};
  /// With this variable in the environment, not empty, nothing of this is done, and the module is opened with
  /// RTLD_GLOBAL and RTLD_LAZY.
  std::string_view unless_variable = {};
  KnownMoment opens_at = {};    ///< when the libraries are opened
  KnownMoment imports_at = {};  ///< when `module` and `modules` are imported; Usual: right after the libraries
  /// Modules of which the first that can be imported is, separated by spaces; MODULE@3: on x86-64-v3 processors and
  /// newer ones.
  std::string_view modules = {};
  /// In the form of `missing`, with {wheel}: what Python prints where a wheel is not installed.
  std::string_view missing_wheel = {};
};

struct KnownLoader {
  std::string_view title;  ///< "torch 2.9"
  /// With a slash: the end of the path of a file in the process, and what stands before it is the site
  /// directory. Without: its SONAME, or its file name. May contain `*`. Empty: by no file, for what only an import
  /// opens.
  std::string_view recognised_by;
  /// Names that its metadata folder in the site directory may have, separated by spaces: "torch".
  std::string_view package = {};
  std::string_view from_release = {};  ///< first release for which this holds; empty: any
  std::string_view to_release = {};    ///< first one for which it does no longer; empty: none
  Confidence evidence = Confidence::Likely;
  /// What opens the libraries, where it is a script: a path in the site directory, or "./" and a name
  /// beside the file. Empty: the file itself.
  std::string_view script = {};
  std::string_view source;  ///< repository and file, or what was measured
  std::span<const KnownOpen> opens;
  /// Null: the libraries are opened later, not by the import.
  const KnownImport* import = nullptr;
  /// What pip is to install, in the release of `package`, where recommended ones are missing: "jax[cuda12]".
  std::string_view brought_by = {};
};

/// The package that brings a library of this name into a process of Python before it is needed: "torch" for
/// "libc10.so"; empty for none.
std::string_view package_that_provides(std::string_view library);

/// Packages that bring libraries that it needs, each with the first such library; in the order of their imports.
std::vector<std::pair<std::string_view, std::string_view>> packages_needed(const ElfObject& object);

/// All entries; those of one package in ascending order of release, behind those of packages that it imports.
std::span<const KnownLoader> known_loaders();

/// Does `text` match `pattern`, in which `*` stands for any characters and `[0-9]` for a digit?
bool matches(std::string_view text, std::string_view pattern);

/// Does what holds from one release to before another hold for this one? An empty `release` is the newest.
bool holds_for(std::string_view release, std::string_view from_release, std::string_view to_release);

/// Compares releases such as "2.15.0+cu132" by their leading numbers: negative, zero or positive.
int compare_releases(std::string_view left, std::string_view right);

}  // namespace soresolve
