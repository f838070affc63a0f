// Resolves a path name by name, as Linux fs/namei.c:link_path_walk does (path_resolution(7)); 40 links are its
// MAXSYMLINKS. Left out: mount points; access rights, but for what the caller's `enter` refuses.
#include "base/path_walk.h"

#include <cerrno>
#include <utility>

namespace soresolve {
namespace {

constexpr int kMaxLinks = 40;  // MAXSYMLINKS

}  // namespace

Result<std::string, Errno> FileSystem::read_link(std::string_view) const { return fail(EINVAL); }

Result<std::vector<DirectoryEntry>, Errno> FileSystem::list_entries(std::string_view path) const {
  Result<std::vector<std::string>, Errno> names = list_directory(path);
  if (!names) return Unexpected{names.error()};
  std::vector<DirectoryEntry> entries;
  entries.reserve(names->size());
  for (std::string& name : *names) entries.push_back({std::move(name), EntryKind::Unknown});
  return entries;
}

Result<std::string, Errno> walk_path(std::string_view path,
                                     const std::function<Result<WalkedNode, Errno>(const std::string&)>& look,
                                     const std::function<Errno(const std::string&)>& enter) {
  if (path.empty() || path.find('\0') != std::string_view::npos) return fail(ENOENT);
  if (path.size() >= kPathMax) return fail(ENAMETOOLONG);

  std::string done;        // resolved so far, without a trailing slash; "" is the root
  std::string rest(path);  // still to do
  bool must_be_directory = false;
  int links = 0;
  while (true) {
    const std::size_t start = rest.find_first_not_of('/');
    if (start == std::string::npos) {
      return done.empty() ? std::string("/") : done;
    }
    const std::size_t end = rest.find('/', start);
    const std::string name = rest.substr(start, end == std::string::npos ? end : end - start);
    std::string after = end == std::string::npos ? std::string() : rest.substr(end);
    must_be_directory = !after.empty();
    if (enter) {
      const Errno refusal = enter(done.empty() ? std::string("/") : done);
      if (refusal != Errno::None) return Unexpected{refusal};
    }
    if (name.size() > kNameMax) return fail(ENAMETOOLONG);

    if (name == ".") {
      rest = std::move(after);
      continue;
    }
    if (name == "..") {
      const std::size_t slash = done.rfind('/');
      done.resize(slash == std::string::npos ? 0 : slash);
      rest = std::move(after);
      continue;
    }
    const std::string here = done + '/' + name;
    Result<WalkedNode, Errno> node = look(here);
    if (!node) return Unexpected{node.error()};
    if (node->link_target) {
      if (++links > kMaxLinks) return fail(ELOOP);
      if (node->link_target->empty()) return fail(ENOENT);
      if (node->link_target->front() == '/') done.clear();
      rest = *node->link_target + after;
      continue;
    }
    if (must_be_directory && !node->is_directory) return fail(ENOTDIR);
    done = here;
    rest = std::move(after);
  }
}

}  // namespace soresolve
