// GPU code for people: a table of targets, and the choices of containers that lack some of them.
#include <algorithm>
#include <array>
#include <cstdio>

#include "report/paint.h"
#include "report/words.h"
#include "report/wrapped.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

Text sized(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> kUnits = {"B", "KiB", "MiB", "GiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", amount, kUnits[unit]);
  return Text::escaped(text.data());
}

Text isa_of(const GpuTarget& target) {
  return target.kind != kGpuPtx
             ? Text()
             : " (PTX " + Text::number(target.isa_major) + "." + Text::number(target.isa_minor) + ")";
}

Text kind_of(const GpuTarget& target) {
  switch (target.kind) {
    case kGpuCubin: return "native";
    case kGpuPtx: return "PTX";
    case kGpuLtoIr: return "LTO-IR";
    default: return "kind " + Text::number(target.kind);
  }
}

Text right(const Text& text, std::size_t width) { return Text::spaces(width - std::min(width, text.size())) + text; }

Text targets_of(const std::vector<GpuTarget>& targets) {
  Text text;
  for (const GpuTarget& target : targets) text.add_item(Text::escaped(name_of(target)) + isa_of(target), " ");
  return text.empty() ? Text("nothing") : text;
}

/// What the pieces themselves say: how many, and what is wrong.
Text inside_lines(const GpuInside& inside, const Paint& paint) {
  Text text = "  inside: " + Text::counted(inside.agreeing, "piece") + " sizes match their headers";
  const auto add = [&](std::uint64_t count, const Text& what) {
    if (count != 0) text += ", " + Text::number(count) + " " + what;
  };
  add(inside.differing, paint.bad(Text("not as their headers say")));
  add(inside.damaged, paint.bad(Text("damaged")));
  add(inside.not_unpacked, "that could not be unpacked here");
  add(inside.not_judged, "of kinds that say nothing");
  text += "\n";
  for (const Error& error : inside.told) text += "    " + Text::escaped(error.to_string()) + "\n";
  return text;
}

/// "  libcudart 12.4.127 of CUDA 12.4", and how that is known.
Text library_lines(const CudaLibrary& library, const Paint& paint) {
  Text text = "  " + Text::escaped(library.family);
  text += library.version.empty() ? ", version unknown" : " " + Text::escaped(library.version.text);
  if (!library.cuda.empty()) text += " of CUDA " + Text::escaped(library.cuda.text);
  text += "\n";
  for (const ToldVersion& told : library.told) text += paint.dim("    " + Text::escaped(told.proof)) + "\n";
  if (!library.contradiction.empty())
    text += "    " + paint.warn(Text("not the same: ")) + Text::escaped(library.contradiction) + "\n";
  return text;
}

/// "native code for it", "PTX that the driver compiles (a driver of CUDA 13.0 or newer)": how many
/// containers run which way.
Text verdict_of(const GpuReport& report, const Paint& paint) {
  const GpuVerdict& verdict = *report.verdict;
  const Text device =
      Text::escaped(report.device->name) + (parse_capability(report.device->name)
                                                ? Text()
                                                : " (" + Text::escaped(report.device->capability.to_string()) + ")");
  if (report.code.entries == 0) return paint.dim(Text("no GPU code"));
  if (!verdict.runs()) {
    return paint.bad("cannot run on " + device) +
           ": no container has code for it (error 209, no kernel image is available for execution on the device)";
  }
  Text text;
  const auto add = [&text](std::uint64_t count, const Text& what) {
    if (count != 0) text.add_item(Text::counted(count, "container") + " " + what, "; ");
  };
  Text compiled = "as PTX, which the driver compiles";
  if (!verdict.needs_driver_of_cuda.empty()) {
    compiled += " (PTX " + Text::number(verdict.newest_ptx->isa_major) + "." +
                Text::number(verdict.newest_ptx->isa_minor) + ": a driver of CUDA " +
                Text::escaped(verdict.needs_driver_of_cuda) + " or newer)";
  }
  add(verdict.native, "natively");
  add(verdict.compiled, compiled);
  add(verdict.linked, "as LTO-IR, which nvJitLink links first");
  if (verdict.none != 0) add(verdict.none, paint.warn(Text("not at all")));
  const Text how = verdict.native != 0     ? paint.good(Text("runs natively"))
                   : verdict.compiled != 0 ? paint.warn(Text("runs once compiled"))
                                           : paint.warn(Text("runs once linked"));
  return how + " on " + device + ": " + text;
}

}  // namespace

std::string gpu_line(const GpuReport& report, Colour colour) {
  const Paint paint(colour);
  const GpuCode& code = report.code;
  Text text = Text::escaped(report.file) + ": ";
  if (report.verdict != nullptr) return (text + verdict_of(report, paint) + "\n").str();
  if (code.entries == 0) return (text + paint.dim(Text("no GPU code")) + "\n").str();
  std::vector<GpuTarget> targets;
  for (const GpuTargetSum& sum : code.targets) targets.push_back(sum.target);
  text += targets_of(targets);
  if (code.damage_count != 0) text += paint.bad(Text(" (damaged)"));
  return (text + "\n").str();
}

std::string gpu_text(const GpuReport& report, Colour colour, Detail detail) {
  const Paint paint(colour);
  const GpuCode& code = report.code;
  Text text = paint.strong(Text::escaped(report.file)) + ": ";
  if (code.entries == 0) {
    text += "no GPU code";
  } else {
    text += Text::counted(code.entries, "piece") + " of GPU code in " + Text::counted(code.containers, "container");
  }
  text += "\n";
  if (report.library != nullptr) text += library_lines(*report.library, paint);
  if (report.verdict != nullptr && code.entries != 0) {
    text += "  " + verdict_of(report, paint) + "\n";
    for (const GpuChoice& choice : report.verdict->without) {
      text += "    " + right(Text::number(choice.containers), 6) + " without code for it, with " +
              targets_of(choice.targets) + "\n";
    }
  }
  if (!code.targets.empty()) {
    text += paint.dim(Text("  kind    target                   pieces  containers     stored   unpacked")) + "\n";
  }
  for (const GpuTargetSum& sum : code.targets) {
    text += "  " + padded(kind_of(sum.target), 8) +
            padded(Text::escaped(name_of(sum.target)) + isa_of(sum.target), 24) + right(Text::number(sum.entries), 7) +
            right(Text::number(sum.containers), 12) + right(sized(sum.stored_bytes), 11) +
            right(sized(sum.uncompressed_bytes), 11) + "\n";
  }
  if (code.choices.size() > 1 && report.verdict == nullptr) {
    constexpr std::size_t kShown = 8;
    text += "  a kernel is in one container, and containers differ:\n";
    for (std::size_t i = 0; i < code.choices.size(); ++i) {
      if (i == kShown && detail == Detail::Folded) {
        text += "    and " + Text::number(code.choices.size() - kShown) + " more choices (-v)\n";
        break;
      }
      text += "    " + right(Text::number(code.choices[i].containers), 6) + " with " +
              targets_of(code.choices[i].targets) + "\n";
    }
  }
  if (report.inside != nullptr) text += inside_lines(*report.inside, paint);
  for (const Error& damage : code.damages) {
    text += "  " + paint.bad(Text("damaged")) + " " + Text::escaped(damage.to_string()) + "\n";
  }
  if (code.damage_count > code.damages.size()) {
    text += "  and " + Text::number(code.damage_count - code.damages.size()) + " more damages\n";
  }
  return text.str();
}

}  // namespace soresolve
