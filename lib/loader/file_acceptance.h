// Would this loader take that file? First what open_verify asks of an opened candidate, then what
// _dl_map_object_from_fd asks while mapping it.
//
// Source: glibc elf/dl-load.c:open_verify, _dl_map_object_from_fd; elf/dl-map-segments.h.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "elf/image_reader.h"
#include "loader/loader_rules.h"
#include "soresolve/link_map.h"

namespace soresolve {

/// How the file gets into the process; the first program is treated more kindly.
enum class OpenedAs : std::uint8_t { Library, Program };

struct Acceptance {
  Outcome outcome = Outcome::Loaded;  ///< Loaded: accepted so far
  std::string_view text;              ///< the loader's words, of static storage
  Errno error = Errno::None;
  std::string reason;                        ///< for WouldCrash: what it would trip over
  std::optional<std::uint64_t> file_offset;  ///< of what is refused, where it has a place
  std::string assertion = {};                ///< for Fatal: the whole line, where the loader asserts
  bool is_on_noexec = false;                 ///< the kernel refuses to map code from where the file lies
};

/// The tests on an opened candidate. On acceptance the reader holds the program headers.
/// `os_version`: the running kernel as the ABI note counts it, 0 not to compare.
Acceptance verify_candidate(ImageReader& reader, const LoaderRules& rules, OpenedAs opened_as,
                            std::uint32_t os_version);

/// mmap(2) has refused a segment. The errno is not printed (glibc 2.20 and later).
inline constexpr std::string_view kMappingRefused = "failed to map segment from shared object";

/// The tests while mapping, on the program headers in `reader`.
Acceptance check_mapping(const ImageReader& reader, const ElfHeader& header, const LoaderRules& rules,
                         OpenedAs opened_as);

/// The tests that need the dynamic section.
Acceptance check_dynamic(const ElfObject& object, const LoaderRules& rules, OpenedAs opened_as);

/// "6.1.0-44-amd64" as major << 16 | minor << 8 | patch; 0 for anything else.
std::uint32_t parse_os_release(std::string_view release);

}  // namespace soresolve
