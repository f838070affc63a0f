// Bounds that keep hostile input cheap. What hits one fails with ErrorCode::LimitReached.
#pragma once
#include <cstddef>
#include <cstdint>

namespace soresolve {

inline constexpr std::uint32_t kMaxObjects = 20000;              ///< objects in one link map
inline constexpr std::uint32_t kMaxOpenFiles = 256;              ///< files that one link map keeps open
inline constexpr std::uint32_t kMaxNeedsPerObject = 65536;       ///< DT_NEEDED entries of one object
inline constexpr std::size_t kMaxStringBytes = 1 << 20;          ///< one string of a dynamic section
inline constexpr std::size_t kMaxDynamicEntries = 1 << 20;       ///< entries of a dynamic section
inline constexpr std::size_t kMaxVerneedRecords = 1 << 16;       ///< DT_VERNEED records of one object
inline constexpr std::size_t kMaxVersionRecords = 1 << 16;       ///< verdef, verneed and their aux entries: a
                                                                 ///< version index has 15 bits
inline constexpr std::uint64_t kMaxVersionTextBytes = 16 << 20;  ///< names of versions of one object
inline constexpr std::uint64_t kMaxLookupSteps = 1 << 28;        ///< in all hash tables that are made to be slow
inline constexpr std::uint64_t kMaxAttempts = 1 << 21;           ///< places in which one walk looks for its libraries
inline constexpr std::uint64_t kMaxKeptAttempts = 1 << 15;  ///< attempts that a walk remembers; the rest is counted
inline constexpr std::size_t kMaxAttemptsOfOne = 1 << 12;   ///< of them, in the lists of one request
inline constexpr std::uint64_t kMaxCacheBytes = 256 << 20;  ///< size of ld.so.cache
inline constexpr std::uint64_t kMaxPreloadBytes = 1 << 20;  ///< size of ld.so.preload
inline constexpr std::uint64_t kMaxLoaderBytes = 64 << 20;  ///< size of a loader or libc that is scanned

}  // namespace soresolve
