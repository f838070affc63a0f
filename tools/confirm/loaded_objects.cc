// Lists the objects of this process by dlinfo(RTLD_DI_LINKMAP) (dlinfo(3)) and compares files by device and inode. The
// program and the vDSO have no path there and are left out.
#include "loaded_objects.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>

namespace soresolve::confirm {
namespace {

bool contains(const std::vector<LoadedFile>& files, const LoadedFile& file) {
  return std::any_of(files.begin(), files.end(),
                     [&](const LoadedFile& other) { return other.is_same(file) || other.path == file.path; });
}

}  // namespace

LoadedFile file_at(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {path, 0, 0};
  return {path, status.st_dev, status.st_ino};
}

std::vector<LoadedFile> loaded_files() {
  std::vector<LoadedFile> files;
  link_map* head = nullptr;
  void* self = ::dlopen(nullptr, RTLD_NOW);
  if (self == nullptr || ::dlinfo(self, RTLD_DI_LINKMAP, &head) != 0) return files;
  for (const link_map* object = head; object != nullptr; object = object->l_next) {
    const std::string_view name = object->l_name;
    // The program has an empty name, the vDSO one without a slash.
    if (name.find('/') != std::string_view::npos) files.push_back(file_at(std::string(name)));
  }
  return files;
}

std::vector<LoadedFile> added_files(const std::vector<LoadedFile>& before, const std::vector<LoadedFile>& now) {
  std::vector<LoadedFile> added;
  std::copy_if(now.begin(), now.end(), std::back_inserter(added),
               [&](const LoadedFile& file) { return !contains(before, file); });
  return added;
}

std::vector<Difference> compare_files(const std::vector<std::string>& predicted, const std::vector<LoadedFile>& before,
                                      const std::vector<LoadedFile>& added) {
  std::vector<LoadedFile> expected;
  for (const std::string& path : predicted) {
    LoadedFile file = file_at(path);
    if (!contains(before, file)) expected.push_back(std::move(file));
  }
  std::vector<Difference> differences;
  for (const LoadedFile& file : expected) {
    if (!contains(added, file)) differences.push_back({Difference::Kind::NotLoaded, file.path});
  }
  for (const LoadedFile& file : added) {
    if (!contains(expected, file)) differences.push_back({Difference::Kind::Unforeseen, file.path});
  }
  if (!differences.empty()) return differences;
  for (std::size_t i = 0; i < expected.size() && i < added.size(); ++i) {
    if (!expected[i].is_same(added[i]) && expected[i].path != added[i].path) {
      differences.push_back({Difference::Kind::OtherOrder, added[i].path});
      break;
    }
  }
  return differences;
}

std::vector<Statement> describe(const std::vector<Difference>& differences) {
  std::vector<Statement> statements;
  for (const Difference& difference : differences) {
    if (!statements.empty()) statements.push_back(say("semicolon"));
    const std::string_view sentence = difference.kind == Difference::Kind::NotLoaded    ? "is-not-loaded"
                                      : difference.kind == Difference::Kind::Unforeseen ? "is-unforeseen"
                                                                                        : "is-elsewhere";
    statements.push_back(say(sentence, {{"path", difference.path}}));
  }
  return statements;
}

}  // namespace soresolve::confirm
