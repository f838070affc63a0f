// Which release of CUDA a version node or a symbol needs at least.
//
// CUDA's libraries have one node each, named like their SONAME, so a node tells the major version at
// best. Within a major version only a symbol shows that a later release is needed.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace soresolve {

struct CudaNode {
  std::string_view product;  ///< "CUDA" or "cuDNN"
  std::string_view stem;     ///< libcudart
  std::string release;       ///< the first one with this node, "11.0"; empty: not known
};

/// Functions that a release of libcudart has and the one before it has not, separated by spaces.
struct RuntimeAddition {
  std::string_view release;
  std::string_view names;
};
std::span<const RuntimeAddition> runtime_additions();

/// The first release of CUDA with a SONAME.
struct SonameRelease {
  std::string_view stem;
  std::string_view number;  ///< behind ".so."
  std::string_view release;
};
std::span<const SonameRelease> soname_releases();
/// Stems of libraries whose SONAME has the major number of CUDA.
std::span<const std::string_view> numbered_like_cuda();

/// A version node of a library of CUDA or cuDNN; nullopt for any other.
std::optional<CudaNode> parse_cuda_node(std::string_view node);

/// The release of CUDA that brought a function of libcudart; empty for those of 11.0 and before, and
/// for unknown ones.
std::string_view cuda_runtime_release(std::string_view symbol);

/// libnvJitLink's names say it themselves: __nvJitLinkCreate_12_4. Empty for others.
std::string nvjitlink_release(std::string_view symbol);

}  // namespace soresolve
