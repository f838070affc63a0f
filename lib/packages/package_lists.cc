// Each list is read once from front to back, and only names that are wanted are looked for: what a list costs does not
// depend on what stands in it.
#include "packages/package_lists.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "base/path.h"
#include "place/archive_reader.h"

namespace soresolve {
namespace {

constexpr std::string_view kLists = "/var/lib/apt/lists/";
constexpr std::uint64_t kMostBytes = 128 << 20;  ///< of all lists, as they are unpacked
constexpr std::size_t kMostLists = 256;

/// Finds names of packages in lists that come in pieces.
class NameFinder {
 public:
  explicit NameFinder(const std::set<std::string, std::less<>>& wanted) : wanted_(wanted) {}

  void begin() { rest_.clear(); }

  TakesMore take(std::string_view piece) {
    bytes_ += piece.size();
    rest_ += piece;
    constexpr std::string_view kField = "Package: ";
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
      const std::string_view line = std::string_view(rest_).substr(begin, end - begin);
      begin = end + 1;
      if (!line.starts_with(kField)) continue;
      if (const auto known = wanted_.find(line.substr(kField.size())); known != wanted_.end()) found_.insert(*known);
    }
    rest_.erase(0, begin);
    constexpr std::size_t kLongestLine = 1 << 16;
    return !is_spent() && rest_.size() < kLongestLine && found_.size() < wanted_.size() ? TakesMore::Yes
                                                                                        : TakesMore::No;
  }

  [[nodiscard]] bool is_spent() const { return bytes_ >= kMostBytes; }
  [[nodiscard]] const std::set<std::string, std::less<>>& found() const { return found_; }

 private:
  const std::set<std::string, std::less<>>& wanted_;
  std::set<std::string, std::less<>> found_;
  std::string rest_;
  std::uint64_t bytes_ = 0;
};

void read_list(const std::shared_ptr<const File>& file, const std::string& name, NameFinder& finder) {
  std::array<std::byte, kSniffedBytes> first{};
  const Result<std::size_t, Errno> got = file->read_at(0, first);
  if (!got) return;
  finder.begin();
  const Compression how = sniff_archive(std::span(first).first(*got)).compression;
  const auto take = [&](std::span<const std::byte> piece) {
    return finder.take({reinterpret_cast<const char*>(piece.data()), piece.size()});
  };
  RangeSource source(ByteRange{file, 0, file->status().size_bytes}, RangeSource::Pieces::Large);
  if (how != Compression::None) {
    // What came before a fault counts.
    static_cast<void>(unpack(source, how, name, take));
    return;
  }
  for (Result<std::span<const std::byte>, Errno> piece = source.read(); piece && !piece->empty();
       piece = source.read()) {
    if (take(*piece) == TakesMore::No) break;
  }
}

}  // namespace

std::vector<std::string> policy_names(std::string_view soname) {
  soname = file_name_of(soname);
  const std::size_t so = soname.find(".so.");
  if (!soname.starts_with("lib") || so == std::string_view::npos) return {};
  std::string name(soname.substr(0, so));
  for (char& c : name) c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string number(soname.substr(so + 4));
  constexpr std::string_view kOfName = "abcdefghijklmnopqrstuvwxyz0123456789+.-";
  const bool is_name = !number.empty() && std::isdigit(static_cast<unsigned char>(number.front())) != 0 &&
                       (name + number).find_first_not_of(kOfName) == std::string::npos;
  if (!is_name) return {};
  const bool needs_hyphen = std::isdigit(static_cast<unsigned char>(name.back())) != 0;
  const std::string base = name + (needs_hyphen ? "-" : "") + number;
  return {base, base + "t64", base + "v5", base + "a", base + "b"};
}

std::map<std::string, std::string, std::less<>> packages_in_lists(const FileSystem& files,
                                                                  const std::vector<std::string>& libraries) {
  std::map<std::string, std::string, std::less<>> packages;
  std::set<std::string, std::less<>> wanted;
  for (const std::string& library : libraries) {
    for (std::string& name : policy_names(library)) wanted.insert(std::move(name));
  }
  const Result<std::vector<std::string>, Errno> names = files.list_directory(kLists);
  if (wanted.empty() || !names) return packages;
  NameFinder finder(wanted);
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  for (const std::string& name : *names) {
    if (name.find("_Packages") == std::string::npos) continue;
    if (seen.size() == kMostLists || finder.is_spent()) break;
    Result<std::unique_ptr<File>, Errno> opened = files.open(std::string(kLists) + name);
    if (!opened || (*opened)->status().kind != FileKind::Regular) continue;
    const std::shared_ptr<const File> file = std::move(*opened);
    const FileId id = file->status().id;
    if (seen.emplace(id.device, id.inode).second) read_list(file, name, finder);
  }
  for (const std::string& library : libraries) {
    for (const std::string& name : policy_names(library)) {
      if (finder.found().contains(name) && packages.emplace(library, name).second) break;
    }
  }
  return packages;
}

}  // namespace soresolve
