// Sources: dpkg(1), deb-control(5) for stanzas, dpkg-divert(1); PyPA "Recording installed projects", RFC 4180; conda's
// "conda-meta" as conda 4 to 25 write it. Nothing here opens a file.
#include "packages/package_records.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_members.h"
#include "base/nesting.h"
#include "base/wheel_record.h"

namespace soresolve {
namespace {

/// The lines of a text, one after the other, without a carriage return at their ends.
class LineWalk {
 public:
  explicit LineWalk(std::string_view text) : rest_(text) {}
  [[nodiscard]] bool is_over() const { return rest_.empty(); }
  std::string_view next() {
    std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

 private:
  std::string_view rest_;
};

/// What stands behind "NAME: " in one stanza; empty without it.
std::string_view field_of(std::string_view stanza, std::string_view name) {
  for (LineWalk lines(stanza); !lines.is_over();) {
    const std::string_view line = lines.next();
    if (line.starts_with(name) && line.substr(name.size()).starts_with(": ")) return line.substr(name.size() + 2);
  }
  return {};
}

/// Of base64 with `-` and `_`, without padding (RFC 4648, section 5); empty: it is none of 32 bytes.
std::string hexadecimal_of_base64(std::string_view text) {
  constexpr std::size_t kSumBytes = 32;
  constexpr char kHex[] = "0123456789abcdef";
  std::string hexadecimal;
  std::uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const std::uint32_t value = c >= 'A' && c <= 'Z'   ? static_cast<std::uint32_t>(c - 'A')
                                : c >= 'a' && c <= 'z' ? static_cast<std::uint32_t>(c - 'a') + 26
                                : c >= '0' && c <= '9' ? static_cast<std::uint32_t>(c - '0') + 52
                                : c == '-'             ? 62
                                : c == '_'             ? 63
                                                       : 64;
    if (value == 64 || hexadecimal.size() > 2 * kSumBytes) return {};
    bits = bits << 6 | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    const std::uint32_t byte = bits >> count & 0xff;
    hexadecimal += kHex[byte >> 4];
    hexadecimal += kHex[byte & 15];
  }
  return hexadecimal.size() == 2 * kSumBytes ? hexadecimal : std::string();
}

constexpr std::size_t kMaxCondaNesting = 32;

}  // namespace

void lines_of(std::string_view text, const RecordSet::Visit& visit) {
  for (LineWalk lines(text); !lines.is_over();) {
    if (const std::string_view line = lines.next(); !line.empty()) visit(line);
  }
}

void summed_paths_of(std::string_view text, const RecordSet::Visit& visit) {
  lines_of(text, [&](std::string_view line) {
    const std::size_t blanks = line.find("  ");
    if (blanks != std::string_view::npos && blanks + 2 < line.size()) visit(line.substr(blanks + 2));
  });
}

void recorded_paths_of(std::string_view text, const RecordSet::Visit& visit) {
  visit_wheel_record(text, [&](const WheelRecordLine& line) {
    visit(line.path);
    return true;
  });
}

void recorded_contents_of(std::string_view text, const VisitContent& visit) {
  visit_wheel_record(text, [&](const WheelRecordLine& line) {
    constexpr std::string_view kSha256 = "sha256=";
    RecordedContent content;
    if (line.digest.starts_with(kSha256)) content.sha256 = hexadecimal_of_base64(line.digest.substr(kSha256.size()));
    content.size_bytes = line.size_bytes;
    visit(line.path, content);
    return true;
  });
}

void summed_contents_of(std::string_view text, const VisitContent& visit) {
  constexpr std::size_t kSumDigits = 32;
  lines_of(text, [&](std::string_view line) {
    if (line.size() <= kSumDigits + 2 || line.substr(kSumDigits, 2) != "  ") return;
    visit(line.substr(kSumDigits + 2),
          {.sha256 = {}, .md5 = std::string(line.substr(0, kSumDigits)), .size_bytes = {}});
  });
}

void conda_contents_of(std::string_view json, const VisitContent& visit) {
  if (is_nested_deeper(json, kMaxCondaNesting)) return;
  const auto document = nlohmann::json::parse(json, nullptr, false);  // does not throw
  if (!document.is_object()) return;
  const auto data = document.find("paths_data");
  if (data == document.end() || !data->is_object()) return;
  const auto paths = data->find("paths");
  if (paths == data->end() || !paths->is_array()) return;
  for (const auto& one : *paths) {
    if (!one.is_object()) continue;
    RecordedContent content;
    content.sha256 = text_of(member(one, "sha256_in_prefix"));
    const bool is_rewritten = one.contains("prefix_placeholder");
    if (content.sha256.empty() && !is_rewritten) content.sha256 = text_of(member(one, "sha256"));
    const auto size = one.find("size_in_bytes");
    // A text with another prefix in it has another length.
    if (size != one.end() && size->is_number_unsigned() && !is_rewritten) {
      content.size_bytes = size->get<std::uint64_t>();
    }
    visit(text_of(member(one, "_path")), content);
  }
}

void json_strings_of(std::string_view text, const RecordSet::Visit& visit) {
  for (std::size_t start = text.find('"'); start != std::string_view::npos; start = text.find('"', start)) {
    std::size_t end = ++start;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size()) return;
    visit(text.substr(start, end - start));
    start = end + 1;
  }
}

std::optional<CondaRecord> parse_conda_record(std::string_view json) {
  if (is_nested_deeper(json, kMaxCondaNesting)) return std::nullopt;
  const auto document = nlohmann::json::parse(json, nullptr, false);  // does not throw
  if (!document.is_object()) return std::nullopt;
  CondaRecord record{text_of(member(document, "name")), text_of(member(document, "version")), {}};
  if (record.name.empty()) return std::nullopt;
  record.files = texts_of(member(document, "files"));
  return record;
}

std::string dpkg_version(std::string_view status, std::string_view package) {
  const std::size_t colon = package.find(':');
  const std::string_view architecture =
      colon == std::string_view::npos ? std::string_view() : package.substr(colon + 1);
  const std::string_view name = package.substr(0, colon);
  const std::string head = "Package: " + std::string(name) + "\n";
  for (std::size_t at = 0; (at = status.find(head, at)) != std::string_view::npos; at += head.size()) {
    if (at != 0 && status[at - 1] != '\n') continue;
    const std::string_view stanza = status.substr(at, status.find("\n\n", at) - at);
    if (!architecture.empty() && field_of(stanza, "Architecture") != architecture) continue;
    if (const std::string_view version = field_of(stanza, "Version"); !version.empty()) return std::string(version);
  }
  return {};
}

std::vector<Diversion> parse_diversions(std::string_view text) {
  constexpr std::size_t kMaxDiversions = 10000;
  std::vector<Diversion> diversions;
  for (LineWalk lines(text); !lines.is_over() && diversions.size() < kMaxDiversions;) {
    Diversion one;
    for (std::string* const part : {&one.from, &one.to, &one.package}) *part = std::string(lines.next());
    if (one.from.starts_with('/') && one.to.starts_with('/') && !one.package.empty()) {
      diversions.push_back(std::move(one));
    }
  }
  return diversions;
}

std::optional<WheelName> wheel_name_of(std::string_view metadata_directory) {
  constexpr std::string_view kMetadata = ".dist-info";
  if (!metadata_directory.ends_with(kMetadata)) return std::nullopt;
  const std::string_view stem = metadata_directory.substr(0, metadata_directory.size() - kMetadata.size());
  const std::size_t dash = stem.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  WheelName wheel{std::string(stem.substr(0, dash)), std::string(stem.substr(dash + 1))};
  std::replace(wheel.name.begin(), wheel.name.end(), '_', '-');
  return wheel;
}

}  // namespace soresolve
