#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "soresolve/gpu_contracts.h"

namespace soresolve {

extern const char kContractsJson[];

namespace {

using Json = nlohmann::json;

/// Reads one document; the first thing that is wrong ends it.
class Reader {
 public:
  Reader(std::string_view path, const GpuContracts& base) : path_(path), contracts_(base) {}

  Result<GpuContracts> run(std::string_view text) {
    Json document;
    try {
      document = Json::parse(text);
    } catch (const Json::parse_error& error) {
      const std::string_view before = text.substr(0, error.byte == 0 ? 0 : error.byte - 1);
      return fail("is no JSON in line " +
                  std::to_string(1 + std::count(before.begin(), before.end(), '\n')));
    }
    if (!document.is_object()) return fail("is no object");
    for (const auto& [key, value] : document.items()) {
      if (key == "sources") read_sources(value);
      else if (key == "chips") each_row(key, value, [&](const Json& row) { add_chip(row); });
      else if (key == "ptx_releases") each_row(key, value, [&](const Json& row) { add_release(row); });
      else if (key == "families") each_row(key, value, [&](const Json& row) { add_family(row); });
      else complain(key, "is no table that is known; tables are sources, chips, ptx_releases, families");
    }
    if (error_) return Unexpected{std::move(*error_)};
    std::sort(contracts_.chips.begin(), contracts_.chips.end(),
              [](const GpuChip& a, const GpuChip& b) { return a.capability < b.capability; });
    std::sort(contracts_.ptx_releases.begin(), contracts_.ptx_releases.end(), [](const auto& a, const auto& b) {
      return std::pair(a.isa_major, a.isa_minor) < std::pair(b.isa_major, b.isa_minor);
    });
    return std::move(contracts_);
  }

 private:
  Unexpected<Error> fail(std::string message) const {
    return Unexpected{Error{ErrorCode::Malformed, std::string(path_), {}, std::move(message)}};
  }
  void complain(const std::string& where, const std::string& what) {
    if (!error_) error_ = fail(where + " " + what).error;
  }

  template <class Add>
  void each_row(const std::string& table, const Json& rows, Add add) {
    if (!rows.is_array()) return complain(table, "is no list");
    for (std::size_t i = 0; i < rows.size() && !error_; ++i) {
      where_ = "row " + std::to_string(i + 1) + " of " + table;
      if (!rows[i].is_object()) return complain(where_, "is no object");
      add(rows[i]);
    }
  }

  std::string text(const Json& row, const char* key) {
    const auto found = row.find(key);
    if (found == row.end() || !found->is_string() || found->get_ref<const std::string&>().empty()) {
      complain(where_, std::string("has no ") + key);
      return {};
    }
    return found->get<std::string>();
  }

  /// "8.9"; nullopt after a complaint.
  std::optional<std::pair<int, int>> pair_of(const std::string& text, const char* key) {
    int first = 0;
    int second = 0;
    const char* const end = text.data() + text.size();
    const auto [dot, error] = std::from_chars(text.data(), end, first);
    if (error == std::errc() && dot != end && *dot == '.') {
      const auto [stop, second_error] = std::from_chars(dot + 1, end, second);
      if (second_error == std::errc() && stop == end && first >= 0 && second >= 0 && first < 1000 && second < 10) {
        return std::pair(first, second);
      }
    }
    complain(where_, std::string("has no good ") + key + ": '" + text + "'");
    return std::nullopt;
  }

  void read_sources(const Json& rows) {
    if (!rows.is_object()) return complain("sources", "is no object");
    for (const auto& [name, what] : rows.items()) {
      if (!what.is_string()) return complain("source " + name, "is no text");
      contracts_.sources[name] = what.get<std::string>();
    }
  }

  void add_chip(const Json& row) {
    GpuChip chip;
    const auto capability = pair_of(text(row, "capability"), "capability");
    chip.architecture = text(row, "architecture");
    chip.first_toolkit = text(row, "first_toolkit");
    chip.last_toolkit = text(row, "last_toolkit");
    chip.source = text(row, "source");
    for (const Json& board : row.value("boards", Json::array())) {
      if (!board.is_string()) return complain(where_, "has a board that is no text");
      chip.boards.push_back(board.get<std::string>());
    }
    if (error_ || !capability) return;
    chip.capability = {capability->first, capability->second};
    std::erase_if(contracts_.chips, [&](const GpuChip& known) { return known.capability == chip.capability; });
    contracts_.chips.push_back(std::move(chip));
  }

  void add_release(const Json& row) {
    PtxRelease release;
    const auto version = pair_of(text(row, "ptx"), "ptx");
    release.cuda = text(row, "cuda");
    release.source = text(row, "source");
    if (error_ || !version) return;
    release.isa_major = static_cast<std::uint16_t>(version->first);
    release.isa_minor = static_cast<std::uint16_t>(version->second);
    std::erase_if(contracts_.ptx_releases, [&](const PtxRelease& known) {
      return known.isa_major == release.isa_major && known.isa_minor == release.isa_minor;
    });
    contracts_.ptx_releases.push_back(std::move(release));
  }

  void add_family(const Json& row) {
    static_cast<void>(text(row, "source"));
    std::vector<ComputeCapability> family;
    for (const Json& member : row.value("capabilities", Json::array())) {
      const auto capability = pair_of(member.is_string() ? member.get<std::string>() : "", "capability");
      if (!capability) return;
      family.push_back({capability->first, capability->second});
    }
    if (error_) return;
    // A chip is of one family.
    std::erase_if(contracts_.families, [&](const std::vector<ComputeCapability>& known) {
      return std::any_of(known.begin(), known.end(), [&](ComputeCapability member) {
        return std::find(family.begin(), family.end(), member) != family.end();
      });
    });
    contracts_.families.push_back(std::move(family));
  }

  std::string_view path_;
  GpuContracts contracts_;
  std::string where_;
  std::optional<Error> error_;
};

}  // namespace

Result<GpuContracts> read_contracts(std::string_view json, std::string_view path, const GpuContracts& base) {
  return Reader(path, base).run(json);
}

Result<GpuContracts> read_contracts_file(const FileSystem& files, std::string_view path,
                                         std::string_view shown, const GpuContracts& base) {
  constexpr std::uint64_t kMaxBytes = 8u << 20;
  const auto refuse = [&](ErrorCode code, std::string message) {
    return Unexpected{Error{code, std::string(shown), {}, std::move(message)}};
  };
  const Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file) return refuse(ErrorCode::Unreadable, errno_text(file.error(), ErrnoText::FromDlerror));
  const std::uint64_t size = (*file)->status().size_bytes;
  if (size > kMaxBytes) {
    return refuse(ErrorCode::LimitReached, "is longer than " + std::to_string(kMaxBytes) + " bytes");
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
  if (!got) return refuse(ErrorCode::Unreadable, errno_text(got.error(), ErrnoText::FromDlerror));
  text.resize(*got);
  return read_contracts(text, shown, base);
}

const GpuContracts& built_in_contracts() {
  static const GpuContracts contracts = [] {
    Result<GpuContracts> read = read_contracts(kContractsJson, "the built-in contracts", {});
    return read ? std::move(read).value() : GpuContracts{};  // a test reads them
  }();
  return contracts;
}

}  // namespace soresolve
