// What comes through a pipe, kept as a file without a name. What is small stays in memory (memfd_create(2)); the rest
// goes on disk, to TMPDIR or /var/tmp (/tmp is memory on many machines: file-hierarchy(7)), where nothing stays behind,
// whatever ends the process. Pages of zeros, of which a tar has many, are left out.
//
// What comes is bounded three times: what does not begin as an image, an archive, a snapshot or an ELF file is refused
// beyond what stays in memory, all else beyond 64 GiB, and the disk is never filled up.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "soresolve/result.h"

namespace soresolve::tool {

Error input_error(ErrorCode code, std::string message);

class Spool {
 public:
  explicit Spool(std::uint64_t most_in_memory_bytes = std::uint64_t{64} << 20);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  /// Errors: LimitReached; Unreadable.
  std::optional<Error> add(std::span<const char> bytes);
  /// Takes the place of a descriptor of the process, at its begin. Errors: Unreadable.
  std::optional<Error> become(int descriptor);

 private:
  [[nodiscard]] Error no_room() const;
  [[nodiscard]] bool is_place_or_object() const;
  std::optional<Error> move_to_disk();
  bool has_room();
  [[nodiscard]] std::optional<Error> write(std::span<const char> bytes) const;

  std::uint64_t most_in_memory_bytes_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::string directory_;        ///< where it lies on disk; empty: it lies in memory
  std::uint64_t looked_at_ = 0;  ///< size at which the room is looked at again
};

}  // namespace soresolve::tool
