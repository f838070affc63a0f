// An upgrade changes thousands of files, and nobody decides about files: they decide about packages. So a cause whose
// file is of a package that has another version on the other side, or is not there at all, follows from that package's
// change, and the packages stand in its place. A file that differs although both records have the same version was
// changed by hand: it follows from nothing and stays a cause of its own.
//
// A package may have another name on the other side (libssl3 and libssl3t64 of Debian's change to 64-bit times): it is
// the same change where one path is of the one there and of the other here. Records: packages/package_owner.h.
//
// That a side lacks a file does not say that it lacks the package: the record of that side is asked for the same path,
// which it has where the file was only deleted, and for the last files of the package's list, where its next version
// does not have the file any more.
#include "compare/package_changes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "packages/package_owner.h"

namespace soresolve {
namespace {

/// By record and name.
using PackageKey = std::pair<PackageRecord, std::string>;
PackageKey key_of(const PackageOwner& owner) { return {owner.by, owner.name}; }

class Folder {
 public:
  Folder(TreeComparison& tree, const std::shared_ptr<const FileSystem>& files_a,
         const std::shared_ptr<const FileSystem>& files_b)
      : tree_(tree), owners_a_(files_a), owners_b_(files_b) {}

  void fold() {
    for (const std::vector<std::string>* const paths : {&tree_.changed, &tree_.went, &tree_.came}) {
      for (const std::string& path : *paths) note(path, owners_a_.owner_of(path), owners_b_.owner_of(path));
    }
    if (by_path_.empty()) return;
    find_elsewhere(owners_a_, by_key_a_, owners_b_, versions_b_);
    find_elsewhere(owners_b_, by_key_b_, owners_a_, versions_a_);
    make_packages();
    take_causes();
    keep_changed();
  }

 private:
  struct Owners {
    std::optional<PackageOwner> a;
    std::optional<PackageOwner> b;
  };

  void note(const std::string& path, std::optional<PackageOwner> a, std::optional<PackageOwner> b) {
    if (!a && !b) return;
    if (a) {
      versions_a_.try_emplace(key_of(*a), a->version);
      by_key_a_.try_emplace(key_of(*a), *a);
    }
    if (b) {
      versions_b_.try_emplace(key_of(*b), b->version);
      by_key_b_.try_emplace(key_of(*b), *b);
    }
    if (a && b && a->name != b->name) renamed_.try_emplace(key_of(*a), b->name);
    by_path_.emplace(path, Owners{std::move(a), std::move(b)});
  }

  using Versions = std::map<PackageKey, std::string>;
  using ByKey = std::map<PackageKey, PackageOwner>;

  /// Packages of which the other side was not seen to have a file: by what else they list.
  static void find_elsewhere(const PackageOwners& here, const ByKey& packages, const PackageOwners& there,
                             Versions& versions) {
    constexpr std::size_t kMostAsked = 32;
    for (const auto& [key, package] : packages) {
      if (versions.contains(key)) continue;
      std::vector<std::string> files = here.files_of(package);
      // The last ones, since lists begin with the directories that all packages share.
      if (files.size() > kMostAsked) files.erase(files.begin(), files.end() - kMostAsked);
      for (const std::string& file : files) {
        const std::optional<PackageOwner> owner = there.owner_of(file);
        if (!owner || key_of(*owner) != key) continue;
        versions.emplace(key, owner->version);
        break;
      }
    }
  }

  [[nodiscard]] static std::string version_of(const std::map<PackageKey, std::string>& versions,
                                              const PackageKey& key) {
    const auto known = versions.find(key);
    return known == versions.end() ? std::string() : known->second;
  }

  /// The package of a path under its name in A, if it has one there.
  [[nodiscard]] std::size_t package_of(const Owners& owners) {
    PackageKey key = key_of(owners.a ? *owners.a : *owners.b);
    std::string name_b = owners.b ? owners.b->name : key.second;
    if (!owners.a) {
      const auto old = std::find_if(renamed_.begin(), renamed_.end(), [&](const auto& one) {
        return one.first.first == key.first && one.second == key.second;
      });
      if (old != renamed_.end() && !versions_a_.contains(key)) key = old->first;
    } else if (const auto now = renamed_.find(key); now != renamed_.end()) {
      name_b = now->second;
    }
    const auto [known, is_new] = numbers_.try_emplace(key, tree_.packages.size());
    if (is_new) {
      ComparedPackage package;
      package.by = key.first;
      package.name = key.second;
      package.name_b = name_b;
      package.version_a = version_of(versions_a_, key);
      package.version_b = version_of(versions_b_, {key.first, name_b});
      tree_.packages.push_back(std::move(package));
    }
    return known->second;
  }

  void make_packages() {
    for (const auto& [path, owners] : by_path_) ++tree_.packages[package_of(owners)].files;
  }

  /// The file that a cause is about, as it is in A or in B.
  [[nodiscard]] std::optional<std::size_t> package_of(const TreeCause& cause) const {
    for (const std::string& path : {cause.first.path_a, cause.first.path_b, cause.step.path}) {
      if (path.empty()) continue;
      for (const PackageOwners* const owners : {&owners_a_, &owners_b_}) {
        const std::optional<PackageOwner> owner = owners->owner_of(path);
        if (!owner) continue;
        const bool is_of_a = owners == &owners_a_;
        for (std::size_t i = 0; i < tree_.packages.size(); ++i) {
          const ComparedPackage& package = tree_.packages[i];
          if (package.by == owner->by && (is_of_a ? package.name : package.name_b) == owner->name) return i;
        }
      }
    }
    return std::nullopt;
  }

  void take_causes() {
    std::vector<std::set<std::string_view>> processes(tree_.packages.size());
    for (TreeCause& cause : tree_.causes) {
      const std::optional<std::size_t> number = package_of(cause);
      if (!number || !tree_.packages[*number].has_changed()) continue;
      cause.package = number;
      processes[*number].insert(cause.files.begin(), cause.files.end());
      tree_.packages[*number].now_fails = std::max(tree_.packages[*number].now_fails, cause.now_fails);
    }
    for (std::size_t i = 0; i < processes.size(); ++i) tree_.packages[i].processes = processes[i].size();
  }

  /// What breaks most comes first; what has one version on both sides is no change of a package.
  void keep_changed() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < tree_.packages.size(); ++i) {
      if (tree_.packages[i].has_changed()) order.push_back(i);
    }
    const auto weight = [&](std::size_t i) {
      const ComparedPackage& package = tree_.packages[i];
      return std::tuple(package.now_fails, package.processes, package.files);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
    std::vector<ComparedPackage> sorted;
    std::vector<std::size_t> place(tree_.packages.size());
    for (const std::size_t i : order) {
      place[i] = sorted.size();
      sorted.push_back(std::move(tree_.packages[i]));
    }
    tree_.packages = std::move(sorted);
    for (TreeCause& cause : tree_.causes) {
      if (cause.package) cause.package = place[*cause.package];
    }
  }

  TreeComparison& tree_;
  PackageOwners owners_a_;
  PackageOwners owners_b_;
  Versions versions_a_;
  Versions versions_b_;
  ByKey by_key_a_;
  ByKey by_key_b_;
  std::map<PackageKey, std::string> renamed_;  ///< name in B by the package of A
  std::map<std::string, Owners> by_path_;
  std::map<PackageKey, std::size_t> numbers_;
};

}  // namespace

bool ComparedPackage::has_changed() const { return name != name_b || version_a != version_b; }

void fold_by_package(TreeComparison& tree, const std::shared_ptr<const FileSystem>& files_a,
                     const std::shared_ptr<const FileSystem>& files_b) {
  Folder(tree, files_a, files_b).fold();
}

}  // namespace soresolve
