// GPU code for people: a table of targets, and the choices of containers that lack some of them.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/pieces.h"
#include "cuda/contracts.h"
#include "cuda/fatbin.h"
#include "report/page.h"
#include "report/pages.h"

namespace soresolve {
namespace {

/// "1.5 KiB", with the units of IEC 80000-13.
Words sized(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> kUnits = {"B", "KiB", "MiB", "GiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", amount, kUnits[unit]);
  return Words::foreign(text.data());
}

/// "sm_80", "compute_90 (PTX 8.3)": as CUDA's own tools write it.
std::string target_text(const GpuTarget& target) {
  if (target.kind != kGpuPtx) return name_of(target);
  return name_of(target) + " (PTX " + std::to_string(target.isa_major) + "." + std::to_string(target.isa_minor) + ")";
}

Words kind_words(const GpuTarget& target) {
  switch (target.kind) {
    case kGpuCubin: return say("gpu-native");
    case kGpuPtx: return "PTX";
    case kGpuLtoIr: return "LTO-IR";
    default: return say("gpu-kind", {{"number", target.kind}});
  }
}

Statement targets_words(const std::vector<GpuTarget>& targets) {
  return targets.empty() ? say("no-target") : words_of_others(joined(targets, " ", target_text));
}

class GpuPage {
 public:
  GpuPage(const GpuReport& report, Detail detail) : report_(report), code_(report.code), detail_(detail) {}

  Page line() {
    Words words = Words::foreign(report_.file) + ": ";
    if (report_.verdict != nullptr) {
      words += verdict();
    } else if (code_.entries == 0) {
      words += dim(say("gpu-none"));
    } else {
      std::vector<GpuTarget> targets;
      for (const GpuTargetSum& sum : code_.targets) targets.push_back(sum.target);
      words += targets_words(targets);
      if (code_.damage_count != 0) words += bad(say("damaged-in-brackets"));
    }
    page_.line(std::move(words));
    return std::move(page_);
  }

  Page table() {
    page_.line(strong(Words::foreign(report_.file)) + ": " +
               (code_.entries == 0 ? say("gpu-none")
                                   : say("gpu-pieces", {{"pieces", code_.entries}, {"containers", code_.containers}})));
    if (report_.library != nullptr) add_library(*report_.library);
    if (report_.verdict != nullptr && code_.entries != 0) {
      page_.line(verdict(), 2);
      add_choices(report_.verdict->without, "containers-without", report_.verdict->without.size());
    }
    add_targets();
    if (code_.choices.size() > 1 && report_.verdict == nullptr) {
      constexpr std::size_t kShown = 8;
      page_.line(say("containers-differ"), 2);
      const std::size_t count = code_.choices.size();
      const std::size_t shown = detail_ == Detail::Full ? count : std::min(count, kShown);
      add_choices(code_.choices, "containers-with", shown);
      if (shown < count) page_.line(say("and-more-choices", {{"count", count - shown}}), 4);
    }
    if (report_.inside != nullptr) add_inside(*report_.inside);
    for (const Error& damage : code_.damages) {
      page_.line(bad(say("damaged")) + " " + Words::foreign(damage.to_string()), 2);
    }
    if (code_.damage_count > code_.damages.size()) {
      page_.line(say("and-more-damages", {{"count", code_.damage_count - code_.damages.size()}}), 2);
    }
    return std::move(page_);
  }

 private:
  /// How many containers run which way, and what for.
  [[nodiscard]] Words verdict() const {
    if (code_.entries == 0) return dim(say("gpu-none"));
    const GpuVerdict& verdict = *report_.verdict;
    const GpuDevice& device = *report_.device;
    const Statement name =
        parse_capability(device.name)
            ? words_of_others(device.name)
            : say("device-and-capability", {{"device", device.name}, {"capability", device.capability.to_string()}});
    if (!verdict.runs()) return bad(say("cannot-run-on", {{"device", name}})) + say("no-container-has-code");
    Words words = verdict.native != 0     ? good(say("runs-natively-on", {{"device", name}}))
                  : verdict.compiled != 0 ? warn(say("runs-compiled-on", {{"device", name}}))
                                          : warn(say("runs-linked-on", {{"device", name}}));
    return std::move(words) + say("colon-text", {{"text", ways(verdict)}});
  }

  static std::vector<Statement> ways(const GpuVerdict& verdict) {
    std::vector<Statement> parts;
    const auto add = [&parts](std::uint64_t count, Statement part) {
      if (count == 0) return;
      if (!parts.empty()) parts.push_back(say("semicolon"));
      parts.push_back(std::move(part));
    };
    add(verdict.native, say("containers-native", {{"count", verdict.native}}));
    add(verdict.compiled, say("containers-as-ptx", {{"count", verdict.compiled}}));
    if (verdict.compiled != 0 && !verdict.needs_driver_of_cuda.empty()) {
      const std::string ptx =
          std::to_string(verdict.newest_ptx->isa_major) + "." + std::to_string(verdict.newest_ptx->isa_minor);
      parts.push_back(say("ptx-needs-driver", {{"ptx", ptx}, {"cuda", verdict.needs_driver_of_cuda}}));
    }
    add(verdict.linked, say("containers-as-lto", {{"count", verdict.linked}}));
    add(verdict.none, say("containers-not-at-all", {{"count", verdict.none}}));
    return parts;
  }

  /// "libcudart 12.4.127 of CUDA 12.4", and how that is known.
  void add_library(const CudaLibrary& library) {
    Words words = Words::foreign(library.family);
    words += library.version.empty() ? say("release-unknown") : " " + Words::foreign(library.version.text);
    if (!library.cuda.empty()) words += say("release-of-cuda", {{"version", library.cuda.text}});
    page_.line(std::move(words), 2);
    for (const ReportedVersion& reported : library.reported) page_.line(dim(reported.proof), 4);
    if (!library.cuda_proof.empty()) {
      page_.line(dim(say("cuda-told-by", {{"version", library.cuda.text}, {"proof", library.cuda_proof}})), 4);
    }
    if (!library.contradiction.empty()) {
      page_.line(warn(say("not-the-same", {{"text", library.contradiction}})), 4);
    }
  }

  void add_choices(const std::vector<GpuChoice>& choices, std::string_view sentence, std::size_t shown) {
    Table table;
    table.columns = {{{}, Table::Side::Right, 6}, {}};
    table.indent = 4;
    for (std::size_t i = 0; i < shown; ++i) {
      table.rows.push_back(
          {Words::number(choices[i].containers), say(sentence, {{"targets", targets_words(choices[i].targets)}})});
    }
    page_.add(std::move(table));
  }

  void add_targets() {
    if (code_.targets.empty()) return;
    using Side = Table::Side;
    Table table;
    table.columns = {{say("column-kind"), Side::Left, 8},     {say("column-target"), Side::Left, 24},
                     {say("column-pieces"), Side::Right, 7},  {say("column-containers"), Side::Right, 12},
                     {say("column-stored"), Side::Right, 11}, {say("column-unpacked"), Side::Right, 11}};
    table.indent = 2;
    for (const GpuTargetSum& sum : code_.targets) {
      table.rows.push_back({kind_words(sum.target), Words::foreign(target_text(sum.target)), Words::number(sum.entries),
                            Words::number(sum.containers), sized(sum.stored_bytes), sized(sum.uncompressed_bytes)});
    }
    page_.add(std::move(table));
  }

  /// What the pieces themselves say: how many, and what is wrong.
  void add_inside(const GpuInside& inside) {
    Words words = say("inside-agreeing", {{"count", inside.agreeing}});
    const auto add = [&words](std::uint64_t count, Words part) {
      if (count != 0) words += say("list-comma") + std::move(part);
    };
    add(inside.differing, bad(say("inside-differing", {{"count", inside.differing}})));
    add(inside.damaged, bad(say("inside-damaged", {{"count", inside.damaged}})));
    add(inside.not_unpacked, say("inside-not-unpacked", {{"count", inside.not_unpacked}}));
    add(inside.not_judged, say("inside-not-judged", {{"count", inside.not_judged}}));
    page_.line(std::move(words), 2);
    for (const Error& error : inside.reported) page_.line(Words::foreign(error.to_string()), 4);
  }

  const GpuReport& report_;
  const GpuCode& code_;
  Detail detail_;
  Page page_;
};

}  // namespace

Page gpu_page(const GpuReport& report, GpuForm form, Detail detail) {
  return form == GpuForm::Line ? GpuPage(report, detail).line() : GpuPage(report, detail).table();
}

}  // namespace soresolve
