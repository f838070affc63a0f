// RECORD, in which the installer of a wheel lists its files.
//
// Source: PyPA "Recording installed projects": a line is PATH,ALGORITHM=DIGEST,BYTES, with RFC 4180's quotes where a
// path has a comma. Paths are relative to the site directory. Nothing here opens a file.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace soresolve {

/// One line. What it borrows is there until its visit ends.
struct WheelRecordLine {
  std::string_view path;
  std::string_view digest;  ///< "sha256=BASE64URL", as it is written; empty: none
  std::optional<std::uint64_t> size_bytes;
};

/// Visits the lines that name a file, in their order, until `visit` says false.
void visit_wheel_record(std::string_view text, const std::function<bool(const WheelRecordLine&)>& visit);

}  // namespace soresolve
