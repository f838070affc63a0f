// Objects of one family (same library name, whatever its version) more than once in a process, with who needs and who
// binds to each. The loader knows no families; library_name.cc defines them. Static copies inside other files are not
// seen.
#include "diagnose/detectors.h"

#include <algorithm>
#include <map>
#include <set>

#include "elf/library_name.h"

namespace soresolve {
namespace {

/// The first of them.
NameList some_of(std::vector<std::string> names) {
  constexpr std::size_t kShown = 4;
  const std::size_t more = names.size() - std::min(names.size(), kShown);
  names.resize(names.size() - more);
  return {std::move(names), more};
}

class Copies {
 public:
  Copies(const DiagnosisInput& input, const Bindings* bindings) : map_(input.map), input_(input) {
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      const LoadedObject& object = map_.objects[i];
      if (object.role != ObjectRole::Library) continue;
      const std::string_view family = library_family(object.elf.soname ? *object.elf.soname : object.path);
      if (!family.empty()) families_[std::string(family)].push_back(i);
    }
    std::erase_if(families_, [](const auto& family) { return family.second.size() < 2; });
    if (!families_.empty() && bindings != nullptr) read_bindings(*bindings);
  }

  std::vector<Problem> find() const {
    std::vector<Problem> problems;
    for (const auto& [family, copies] : families_) {
      const bool is_asked = std::any_of(copies.begin(), copies.end(), [&](ObjectIndex copy) {
        return input_.belongs[copy] && input_.is_of_interest(map_.objects[copy].requested_name);
      });
      if (is_asked) problems.push_back(describe(family, copies));
    }
    return problems;
  }

 private:
  void read_bindings(const Bindings& bindings) {
    std::set<ObjectIndex> copies;
    for (const auto& [family, members] : families_) copies.insert(members.begin(), members.end());
    bindings.for_each([&](const Bindings::Event& event) {
      if (event.binding == nullptr || !copies.contains(event.binding->provider)) return;
      if (event.binding->referrer != event.binding->provider) {
        bound_[event.binding->provider].insert(event.binding->referrer);
      }
    });
  }

  [[nodiscard]] Problem describe(const std::string& family, const std::vector<ObjectIndex>& copies) const {
    Problem problem = make_problem(map_, ProblemCode::TwoCopies, family,
                                   say("two-copies", {{"count", copies.size()}, {"family", family}}));
    problem.object = copies.front();
    for (const ObjectIndex copy : copies) {
      problem.evidence.push_back({.what = describe(copies, copy), .path = file_of(map_, copy)});
    }
    return problem;
  }

  [[nodiscard]] Statement describe(const std::vector<ObjectIndex>& copies, ObjectIndex copy) const {
    std::vector<std::string> needers;
    std::vector<std::string> strangers;  // bind here, but asked for another copy
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      if (asks_for(i, copy)) needers.emplace_back(map_.objects[i].name());
    }
    if (const auto bound = bound_.find(copy); bound != bound_.end()) {
      for (const ObjectIndex referrer : bound->second) {
        const bool wants_another = std::any_of(copies.begin(), copies.end(), [&](ObjectIndex other) {
          return other != copy && asks_for(referrer, other);
        });
        if (wants_another && !asks_for(referrer, copy)) {
          strangers.emplace_back(map_.objects[referrer].name());
        }
      }
    }
    const LoadedObject& object = map_.objects[copy];
    std::vector<Statement> about;
    if (object.elf.soname) about.push_back(say("copy-soname", {{"soname", *object.elf.soname}}));
    if (!needers.empty()) about.push_back(say("copy-needers", {{"needers", some_of(std::move(needers))}}));
    if (!strangers.empty()) about.push_back(say("copy-strangers", {{"referrers", some_of(std::move(strangers))}}));
    return say("copy", {{"path", object.path}, {"about", std::move(about)}});
  }

  [[nodiscard]] bool asks_for(ObjectIndex needer, ObjectIndex target) const {
    const std::vector<Need>& needs = map_.objects[needer].needs;
    return std::any_of(needs.begin(), needs.end(), [&](const Need& need) { return need.target == target; });
  }

  const LinkMap& map_;
  const DiagnosisInput& input_;
  std::map<std::string, std::vector<ObjectIndex>, std::less<>> families_;
  std::map<ObjectIndex, std::set<ObjectIndex>> bound_;  // provider: who has symbols that end there
};

}  // namespace

std::vector<Problem> find_two_copies(const DiagnosisInput& input, const Bindings* bindings) {
  return Copies(input, bindings).find();
}

}  // namespace soresolve
