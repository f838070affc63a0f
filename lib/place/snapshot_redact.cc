// Names of users, of their home directories and of the machine, replaced by others of the same length: what stands in
// an ELF file must not move. Equal names become equal ones. Not hidden: how long a name is, digests and build ids of
// files that had it, names in a binary that are no part of a path.
#include "place/snapshot_data.h"

#include <algorithm>
#include <map>
#include <set>

#include "place/snapshot.h"

namespace soresolve {
namespace {

bool is_name_byte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
}

/// Names that mean a role on every system, and hide nobody.
bool is_common(std::string_view name) {
  return name.empty() || name == "root" || name == "nobody" || name == "lib" || name == "bin" || name == "usr";
}

class Names {
 public:
  Names(const SnapshotData& data, const std::vector<std::string>& own) {
    take(data.machine.user.name);
    for (const std::string& name : own) take(name);
    for (const std::string& entry : data.machine.env) {
      for (const std::string_view key : {"HOME=", "USER=", "LOGNAME="}) {
        if (entry.starts_with(key)) take(std::string_view(entry).substr(entry.find_last_of("/=") + 1));
      }
    }
    for (const SnapshotNode& node : data.nodes) {
      if (node.name != "home") continue;
      for (std::uint32_t i = 0; i < node.child_count; ++i) take(data.nodes[node.first_child + i].name);
    }
    take_homes(data.machine.cwd);
    for (const std::string& entry : data.machine.env) take_homes(entry);
    for (const SnapshotNode& node : data.nodes) take_homes(node.target);
    for (const std::string& stream : data.streams) take_homes(stream);
    std::set<std::string, std::less<>> taken;
    for (const SnapshotNode& node : data.nodes) taken.insert(node.name);
    std::size_t number = 1;
    for (auto& [name, other] : others_) {
      do {
        other = pseudonym(name.size(), number++);
      } while (!taken.insert(other).second && number < kMostNames);
    }
  }

  /// Replaces whole names behind "home/", and with `anywhere` wherever one stands as a part of a path.
  void replace(std::string& text) const {
    for (const auto& [name, other] : others_) {
      for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + name.size())) {
        const bool begins = at == 0 || !is_name_byte(text[at - 1]);
        const std::size_t end = at + name.size();
        if (begins && (end == text.size() || !is_name_byte(text[end]))) text.replace(at, name.size(), other);
      }
    }
  }
  /// Of bytes of files: only parts of paths, since a word like any other, a symbol's, may be somebody's name.
  void replace_in_paths(std::string& bytes) const {
    for (std::size_t at = bytes.find('/'); at != std::string::npos; at = bytes.find('/', at + 1)) {
      const std::size_t end = end_of_name(bytes, at + 1);
      const auto known = others_.find(std::string_view(bytes).substr(at + 1, end - at - 1));
      if (known != others_.end()) bytes.replace(at + 1, end - at - 1, known->second);
    }
  }

 private:
  static constexpr std::size_t kMostNames = 1u << 20;
  static constexpr std::string_view kHomes = "/home/";

  void take(std::string_view name) {
    if (!is_common(name) && std::all_of(name.begin(), name.end(), is_name_byte)) others_.emplace(name, "");
  }
  void take_homes(std::string_view text) {
    for (std::size_t at = text.find(kHomes); at != std::string_view::npos; at = text.find(kHomes, at + 1)) {
      std::size_t first = at + kHomes.size();
      while (text.substr(first).starts_with('/') || text.substr(first).starts_with("./")) ++first;
      take(text.substr(first, end_of_name(text, first) - first));
    }
  }
  /// Of one that begins there; of bytes that are none, it ends after a few.
  [[nodiscard]] static std::size_t end_of_name(std::string_view text, std::size_t first) {
    constexpr std::size_t kLongest = 64;  // HOST_NAME_MAX; useradd(8) takes 32
    std::size_t end = first;
    while (end < text.size() && end - first <= kLongest && is_name_byte(text[end])) ++end;
    return end;
  }
  /// "user1xxx"; what is shorter than that has the number alone, in letters.
  [[nodiscard]] static std::string pseudonym(std::size_t length, std::size_t number) {
    std::string name = "user" + std::to_string(number);
    if (name.size() > length) {
      name.assign(length, 'a');
      for (std::size_t i = length; i-- > 0 && number != 0; number /= 26) name[i] = static_cast<char>('a' + number % 26);
    }
    name.resize(length, 'x');
    return name;
  }

  std::map<std::string, std::string, std::less<>> others_;
};

/// Children stand in the order of their names, behind those of the nodes before theirs.
void sort_again(SnapshotData& data) {
  std::vector<std::uint32_t> order = {0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    SnapshotNode& node = data.nodes[order[i]];
    const std::size_t first = order.size();
    for (std::uint32_t c = 0; c < node.child_count; ++c) order.push_back(node.first_child + c);
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return data.nodes[a].name < data.nodes[b].name; });
    node.first_child = static_cast<std::uint32_t>(first);
  }
  std::vector<SnapshotNode> nodes;
  nodes.reserve(order.size());
  for (const std::uint32_t number : order) nodes.push_back(std::move(data.nodes[number]));
  data.nodes = std::move(nodes);
}

}  // namespace

void redact(SnapshotData& data, const std::vector<std::string>& own) {
  const Names names(data, own);
  MachineFacts& machine = data.machine;
  for (std::string* text : {&machine.cwd, &machine.root, &machine.user.name}) names.replace(*text);
  for (std::string& entry : machine.env) names.replace(entry);
  for (std::string& tree : machine.trees) names.replace(tree);
  for (SnapshotNode& node : data.nodes) {
    names.replace(node.name);
    names.replace(node.target);
  }
  sort_again(data);
  for (std::string& stream : data.streams) names.replace_in_paths(stream);
}

}  // namespace soresolve
