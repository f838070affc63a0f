// The formats in which dpkg, pip and conda say which files a package has: one function a question, any bytes allowed.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packages/record_set.h"

namespace soresolve {

/// One path a line, as in dpkg's PACKAGE.list and conda's info/files.
void lines_of(std::string_view text, const RecordSet::Visit& visit);
/// "HASH  PATH" a line, as in the status.d/PACKAGE.md5sums of an image without dpkg; PATH without its first slash.
void summed_paths_of(std::string_view text, const RecordSet::Visit& visit);
/// The first field of each line of RECORD (RFC 4180: it may stand in quotes).
void recorded_paths_of(std::string_view text, const RecordSet::Visit& visit);
/// Each string of a JSON text as it is written, escapes and all: some of them are paths.
void json_strings_of(std::string_view text, const RecordSet::Visit& visit);

/// What a record says of the content of one file.
struct RecordedContent {
  std::string sha256;  ///< hexadecimal, lower case; empty: it does not say
  std::string md5;
  std::optional<std::uint64_t> size_bytes;
  bool operator==(const RecordedContent&) const = default;
};
/// "PATH,sha256=BASE64URL,SIZE" of a line of RECORD; what it leaves empty is empty.
using VisitContent = std::function<void(std::string_view path, const RecordedContent& content)>;
void recorded_contents_of(std::string_view text, const VisitContent& visit);
/// "MD5  PATH" of PACKAGE.md5sums.
void summed_contents_of(std::string_view text, const VisitContent& visit);
/// "paths_data" of a record of conda: the sum after conda has written its prefix into the file, where it has.
void conda_contents_of(std::string_view json, const VisitContent& visit);

/// conda-meta/*.json: which package, and its files below the prefix.
struct CondaRecord {
  std::string name;
  std::string version;
  std::vector<std::string> files;
};
/// nullopt: no such object. Without "files" there are none (info/index.json of a package has them elsewhere).
std::optional<CondaRecord> parse_conda_record(std::string_view json);

/// "Version" of the package in /var/lib/dpkg/status; `package`: "zlib1g" or "zlib1g:amd64", as its list is called.
/// Empty: it is not there.
std::string dpkg_version(std::string_view status, std::string_view package);

/// dpkg-divert: `package`'s file takes the place of `from`, and those of all others go to `to`.
struct Diversion {
  std::string from;
  std::string to;
  std::string package;  ///< ":" for one that the administrator has made
};
std::vector<Diversion> parse_diversions(std::string_view text);

/// "nvidia-cuda-runtime-cu12" and "12.4.127" of "nvidia_cuda_runtime_cu12-12.4.127.dist-info"; PEP 503's name as far
/// as `-` goes, which pip takes. nullopt: no such name.
struct WheelName {
  std::string name;
  std::string version;
};
std::optional<WheelName> wheel_name_of(std::string_view metadata_directory);

}  // namespace soresolve
