// Dynamic string tokens: $ORIGIN, $LIB, $PLATFORM.
//
// Source: glibc elf/dl-load.c:_dl_dst_count, _dl_dst_substitute, is_trusted_path_normalize (2.28 and
// later syntax). An unknown or malformed token is literal text.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace soresolve {

/// What the tokens stand for when one object's strings are expanded.
struct TokenValues {
  std::optional<std::string_view> origin;  ///< nullopt: unknown
  std::optional<std::string_view> platform;
  std::string_view lib;
  bool is_secure = false;                    ///< AT_SECURE
  bool is_executable = false;                ///< the owner is the program itself
  std::span<const std::string> system_dirs;  ///< trusted directories, for AT_SECURE
};

/// Number of known tokens in `text`.
std::size_t count_tokens(std::string_view text);

/// `text` with its tokens replaced; nullopt when a known token has no value or AT_SECURE forbids it
/// (glibc yields an empty string then).
std::optional<std::string> expand_tokens(std::string_view text, const TokenValues& values);

}  // namespace soresolve
