#include "diagnose/dlopen_missing.h"

#include <algorithm>
#include <span>

#include "cuda/stub_sign.h"

namespace soresolve {
namespace {

bool matters(const Dlopen& opened) {
  return opened.source != DlopenSource::Literal && opened.importance != Importance::Suggested;
}

Finding describe_one(const Dlopen& opened) {
  const DlopenChoice& choice = opened.shown();
  std::string text = choice.name + ", which " + opened.opener + " opens by itself (" +
                     std::string(name_of(opened.importance)) + "), is ";
  if (!opened.is_found) {
    text += "not found";
  } else if (!opened.failure.empty()) {
    text += "found, but dlopen fails: " + opened.failure;
  } else {
    text += "found, but the first call of what is missing will end the process; with RTLD_NOW dlopen fails: " +
            opened.failure_now;
  }
  if (!opened.description.empty()) text += "; it is for: " + opened.description;
  return make_finding(FindingKind::DlopenMissing, choice.name, std::move(text));
}

/// Libraries of one opener that will not be there, known from one source.
Finding describe_lost(std::span<const Dlopen* const> lost) {
  const Dlopen& first = *lost.front();
  Finding finding = describe_one(first);
  if (lost.size() > 1) {
    constexpr std::size_t kShown = 4;
    finding.text =
        std::to_string(lost.size()) + " libraries that " + first.opener + " opens by itself will not be there: ";
    const auto is_found = [](const Dlopen* opened) { return opened->is_found; };
    if (std::any_of(lost.begin(), lost.end(), is_found)) {
      finding.text =
          std::to_string(lost.size()) + " libraries that " + first.opener + " opens by itself are missing or broken: ";
      for (const Dlopen* opened : lost) {
        if (opened->is_found && finding.proof.size() < kShown) finding.proof.push_back(describe_one(*opened).text);
      }
    }
    for (std::size_t i = 0; i < lost.size() && i < kShown; ++i) {
      finding.text += (i == 0 ? "" : ", ") + lost[i]->shown().name;
    }
    if (lost.size() > kShown) finding.text += " and " + std::to_string(lost.size() - kShown) + " more";
  }
  finding.object = first.object;
  finding.proof.push_back(std::string(name_of(first.evidence)) + ", by " + first.told_by);
  return finding;
}

}  // namespace

std::vector<Finding> find_lost_dlopens(const Scene& scene) {
  std::vector<Finding> findings;
  std::vector<const Dlopen*> lost;
  const auto tell = [&] {
    if (!lost.empty()) findings.push_back(describe_lost(lost));
    lost.clear();
  };
  for (const Dlopen& opened : scene.dlopens.list) {
    if (opened.is_faultless() || !matters(opened)) continue;
    const bool is_same =
        !lost.empty() && lost.front()->opener == opened.opener && lost.front()->told_by == opened.told_by;
    if (!is_same) tell();
    lost.push_back(&opened);
  }
  tell();
  for (const Dlopen& opened : scene.dlopens.list) {
    if (!opened.is_good() || opened.source == DlopenSource::Literal) continue;
    const std::string& path = opened.choices.back().path;
    const std::optional<std::string> sign =
        stub_sign(*scene.map.system->files, absolute_path(path, scene.map.process->cwd), nullptr);
    if (!sign || opened.is_loaded) continue;
    Finding finding = make_finding(
        FindingKind::StubLibrary, opened.shown().name,
        path + ", which " + opened.opener + " opens by itself, is a stub to link against, not the library");
    finding.proof = {*sign};
    findings.push_back(std::move(finding));
  }
  for (const Error& error : scene.dlopens.damaged) {
    findings.push_back(make_finding(FindingKind::Note, error.path, error.to_string()));
  }
  return findings;
}

}  // namespace soresolve
