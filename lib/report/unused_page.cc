// What no program loads, for people: packages with the most bytes first, each file with what names it, sums at the end.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"
#include "report/who_report.h"
#include "survey/who.h"

namespace soresolve {
namespace {

constexpr std::size_t kPackagesShown = 20;
constexpr std::size_t kUnusedShown = 5;  // of one package

struct PackageShare {
  std::string package;  ///< empty: of none that is known
  std::uint64_t size_bytes = 0;
  std::vector<const UnusedFile*> files;
};

std::vector<PackageShare> shares_of(const Unused& unused) {
  std::map<std::string, PackageShare> by_package;
  for (const UnusedFile& file : unused.files) {
    const std::string package = file.owner ? full_name_of(*file.owner) : std::string();
    PackageShare& share = by_package[package];
    share.package = package;
    share.size_bytes += file.size_bytes;
    share.files.push_back(&file);
  }
  std::vector<PackageShare> shares;
  for (auto& [package, share] : by_package) shares.push_back(std::move(share));
  std::stable_sort(shares.begin(), shares.end(),
                   [](const PackageShare& a, const PackageShare& b) { return a.size_bytes > b.size_bytes; });
  return shares;
}

Statement evidence_words(const Survey& survey, const UnusedFile& file) {
  const std::string by = file.by == kNoFile ? std::string() : survey.path_of(file.by);
  switch (file.evidence) {
    case UnusedEvidence::Nothing: return say("unused-nothing");
    case UnusedEvidence::OtherCopy:
      return say("unused-other-copy", {{"file", by}, {"other", survey.path_of(file.instead)}});
    case UnusedEvidence::OnlyUnused: return say("unused-needer", {{"file", by}});
    case UnusedEvidence::OnlyString: return say("unused-string", {{"file", by}});
  }
  return {};
}

Statement sum_words(UnusedEvidence evidence) {
  switch (evidence) {
    case UnusedEvidence::Nothing: return say("unused-sum-nothing");
    case UnusedEvidence::OtherCopy: return say("unused-sum-other-copy");
    case UnusedEvidence::OnlyUnused: return say("unused-sum-needer");
    case UnusedEvidence::OnlyString: return say("unused-sum-string");
  }
  return {};
}

}  // namespace

Page unused_page(const UnusedReport& report, Detail detail) {
  const Unused& unused = report.unused;
  const bool is_full = detail == Detail::Full;
  Page page;
  if (unused.is_interrupted) page.line(bad(say("scan-interrupted")));
  const std::size_t unread = unread_count(report.survey);
  if (unread != 0) page.line(bad(say("who-not-read", {{"count", unread}})));
  if (unused.files.empty()) {
    if (unused.is_interrupted || unread != 0) return page;
    page.line(good(say("unused-none", {{"count", report.survey.files.size()}})));
    return page;
  }
  page.line(strong(say("unused-some", {{"count", unused.files.size()},
                                       {"of", report.survey.files.size()},
                                       {"size", size_text(unused.total_bytes())}})));
  const std::vector<PackageShare> shares = shares_of(unused);
  const std::size_t packages = is_full ? shares.size() : std::min(shares.size(), kPackagesShown);
  for (std::size_t i = 0; i < packages; ++i) {
    const PackageShare& share = shares[i];
    page.blank();
    const Words head =
        share.package.empty() ? Words(say("unused-of-no-package")) : strong(Words::foreign(share.package));
    page.line(head + say("unused-size", {{"size", size_text(share.size_bytes)}}));
    const std::size_t shown = is_full ? share.files.size() : std::min(share.files.size(), kUnusedShown);
    for (std::size_t k = 0; k < shown; ++k) {
      const UnusedFile& file = *share.files[k];
      if (file.link_of != kNoFile) {
        page.line(Words::foreign(report.survey.path_of(file.file)) +
                      dim(say("unused-hard-link", {{"file", report.survey.path_of(file.link_of)}})),
                  3);
        continue;
      }
      page.line(Words::foreign(report.survey.path_of(file.file)) +
                    dim(say("unused-file",
                            {{"size", size_text(file.size_bytes)}, {"evidence", evidence_words(report.survey, file)}})),
                3);
    }
    if (shown < share.files.size()) {
      page.line(dim(say("scan-more-files", {{"count", share.files.size() - shown}})), 3);
    }
  }
  if (packages < shares.size()) {
    page.blank();
    page.line(dim(say("unused-more-packages", {{"count", shares.size() - packages}})));
  }
  page.blank();
  for (const UnusedEvidence evidence :
       {UnusedEvidence::Nothing, UnusedEvidence::OtherCopy, UnusedEvidence::OnlyUnused, UnusedEvidence::OnlyString}) {
    std::size_t count = 0;
    std::uint64_t size = 0;
    for (const UnusedFile& file : unused.files) {
      if (file.evidence != evidence) continue;
      ++count;
      size += file.size_bytes;
    }
    if (count == 0) continue;
    page.line(sum_words(evidence) + Words(say("unused-sum", {{"count", count}, {"size", size_text(size)}})));
  }
  page.prose(dim(say("unused-is-no-proof")));
  return page;
}

}  // namespace soresolve
