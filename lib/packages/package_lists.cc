// Each list is read once from front to back; of it the names of packages of libraries are kept.
#include "packages/package_lists.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/path.h"
#include "place/archive_reader.h"

namespace soresolve {
namespace {

constexpr std::string_view kLists = "/var/lib/apt/lists/";
constexpr std::uint64_t kMostBytes = 64 << 20;

/// Takes the names out of a list that comes in pieces.
class NameReader {
 public:
  explicit NameReader(std::vector<std::string>& names) : names_(names) {}

  TakesMore take(std::string_view piece) {
    bytes_ += piece.size();
    rest_ += piece;
    constexpr std::string_view kField = "Package: lib";
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
      const std::string_view line = std::string_view(rest_).substr(begin, end - begin);
      if (line.starts_with(kField)) names_.emplace_back(line.substr(kField.size() - 3));
      begin = end + 1;
    }
    rest_.erase(0, begin);
    constexpr std::size_t kLongestLine = 1 << 20;
    return bytes_ < kMostBytes && rest_.size() < kLongestLine ? TakesMore::Yes : TakesMore::No;
  }

 private:
  std::vector<std::string>& names_;
  std::string rest_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::vector<std::string> policy_names(std::string_view soname) {
  soname = file_name_of(soname);
  const std::size_t so = soname.find(".so");
  if (!soname.starts_with("lib") || so == std::string_view::npos) return {};
  std::string name(soname.substr(0, so));
  for (char& c : name) c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string number(soname.substr(so + 3));
  if (!number.empty() && number.front() != '.') return {};
  if (!number.empty()) number.erase(0, 1);
  const bool needs_hyphen = !number.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0;
  const std::string base = name + (needs_hyphen ? "-" : "") + number;
  return {base, base + "t64", base + "v5", base + "a", base + "b", base + "-0"};
}

void PackageLists::read() {
  libraries_.emplace();
  const Result<std::vector<std::string>, Errno> names = files_.list_directory(kLists);
  if (!names) return;
  for (const std::string& name : *names) {
    if (name.find("_Packages") == std::string::npos) continue;
    Result<std::unique_ptr<File>, Errno> opened = files_.open(std::string(kLists) + name);
    if (!opened) continue;
    const std::shared_ptr<const File> file = std::move(*opened);
    std::array<std::byte, kSniffedBytes> first{};
    const Result<std::size_t, Errno> got = file->read_at(0, first);
    if (!got) continue;
    const Compression how = sniff_archive(std::span(first).first(*got)).compression;
    NameReader reader(*libraries_);
    const auto take = [&](std::span<const std::byte> piece) {
      return reader.take({reinterpret_cast<const char*>(piece.data()), piece.size()});
    };
    RangeSource source(ByteRange{file, 0, file->status().size_bytes}, RangeSource::Pieces::Large);
    if (how != Compression::None) {
      // What came before a fault counts.
      static_cast<void>(unpack(source, how, name, take));
      continue;
    }
    for (Result<std::span<const std::byte>, Errno> piece = source.read(); piece && !piece->empty();
         piece = source.read()) {
      if (take(*piece) == TakesMore::No) break;
    }
  }
  std::sort(libraries_->begin(), libraries_->end());
}

std::optional<std::string> PackageLists::package_of(std::string_view soname) {
  const std::vector<std::string> wanted = policy_names(soname);
  if (wanted.empty()) return std::nullopt;
  if (!libraries_) read();
  for (const std::string& name : wanted) {
    if (std::binary_search(libraries_->begin(), libraries_->end(), name)) return name;
  }
  return std::nullopt;
}

}  // namespace soresolve
