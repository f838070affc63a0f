// Sources: dpkg(1), deb-control(5) for stanzas, dpkg-divert(1); PyPA "Recording installed projects", RFC 4180; conda's
// "conda-meta" as conda 4 to 25 write it. Nothing here opens a file.
#include "host/package_records.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/nesting.h"

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

std::string text_member(const nlohmann::json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

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
  std::string unquoted;
  lines_of(text, [&](std::string_view line) {
    if (!line.starts_with('"')) {
      if (const std::string_view path = line.substr(0, line.find(',')); !path.empty()) visit(path);
      return;
    }
    unquoted.clear();
    for (std::size_t i = 1; i < line.size(); ++i) {
      if (line[i] == '"' && !line.substr(i + 1).starts_with('"')) break;
      if (line[i] == '"') ++i;
      unquoted += line[i];
    }
    if (!unquoted.empty()) visit(unquoted);
  });
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
  constexpr std::size_t kMaxNesting = 32;
  if (is_nested_deeper(json, kMaxNesting)) return std::nullopt;
  const auto document = nlohmann::json::parse(json, nullptr, false);  // does not throw
  if (!document.is_object()) return std::nullopt;
  CondaRecord record{text_member(document, "name"), text_member(document, "version"), {}};
  if (record.name.empty()) return std::nullopt;
  if (const auto files = document.find("files"); files != document.end() && files->is_array()) {
    for (const auto& file : *files) {
      if (file.is_string()) record.files.push_back(file.get<std::string>());
    }
  }
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
