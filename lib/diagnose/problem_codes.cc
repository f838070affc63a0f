// The names of codes, how bad each is and when it is met: what rules decide by. Words are the catalogue's
// (lib/catalogue/problems_*.toml); test/form/check_catalogue holds both, and the enum of lib/report/schema.json, to
// each other.
#include "soresolve/problem_codes.h"

#include <cstddef>
#include <iterator>

#include "base/enum_names.h"

namespace soresolve {
namespace {

constexpr std::optional<Phase> kWhenLoaded = std::nullopt;

struct CodeRow {
  ProblemCode code;
  std::string_view name;
  Severity severity;
  std::optional<Phase> phase;
};

constexpr CodeRow kCodes[] = {
    {ProblemCode::NoInterpreter, "no-interpreter", Severity::Fatal, Phase::Start},
    {ProblemCode::NotPermitted, "not-permitted", Severity::Fatal, kWhenLoaded},
    {ProblemCode::ForeignLibc, "foreign-libc", Severity::Fatal, kWhenLoaded},
    {ProblemCode::ForeignMachine, "foreign-machine", Severity::Fatal, kWhenLoaded},
    {ProblemCode::MissingLibrary, "missing-library", Severity::Fatal, kWhenLoaded},
    {ProblemCode::WrongClass, "wrong-class", Severity::Fatal, kWhenLoaded},
    {ProblemCode::FatalCandidate, "fatal-candidate", Severity::Fatal, kWhenLoaded},
    {ProblemCode::WouldCrash, "would-crash", Severity::Fatal, kWhenLoaded},
    {ProblemCode::WouldBlock, "would-block", Severity::Fatal, kWhenLoaded},
    {ProblemCode::BadToken, "bad-token", Severity::Fatal, kWhenLoaded},
    {ProblemCode::VersionFile, "version-file", Severity::Fatal, kWhenLoaded},
    {ProblemCode::VersionTable, "version-table", Severity::Fatal, kWhenLoaded},
    {ProblemCode::VersionMissing, "version-missing", Severity::Fatal, kWhenLoaded},
    {ProblemCode::VersionUnproven, "version-unproven", Severity::Warning, Phase::Call},
    {ProblemCode::SymbolMissing, "symbol-missing", Severity::Fatal, kWhenLoaded},
    {ProblemCode::SymbolKind, "symbol-kind", Severity::Warning, Phase::Call},
    {ProblemCode::CopySize, "copy-size", Severity::Warning, Phase::Call},
    {ProblemCode::CpuLevel, "cpu-level", Severity::Fatal, kWhenLoaded},
    {ProblemCode::ExecStack, "exec-stack", Severity::Fatal, kWhenLoaded},
    {ProblemCode::StaticTlsFull, "static-tls-full", Severity::Fatal, Phase::Dlopen},
    {ProblemCode::DlopenMissing, "dlopen-missing", Severity::Warning, Phase::Dlopen},
    {ProblemCode::LoadOrder, "load-order", Severity::Warning, kWhenLoaded},
    {ProblemCode::LoadedBefore, "loaded-before", Severity::Warning, kWhenLoaded},
    {ProblemCode::Shadowed, "shadowed", Severity::Note, kWhenLoaded},
    {ProblemCode::TwoCopies, "two-copies", Severity::Warning, Phase::Call},
    {ProblemCode::StubLibrary, "stub-library", Severity::Warning, Phase::Call},
    {ProblemCode::FileCut, "file-cut", Severity::Warning, Phase::Call},
    {ProblemCode::ForeignFile, "foreign-file", Severity::Note, kWhenLoaded},
    {ProblemCode::BrokenLink, "broken-link", Severity::Note, kWhenLoaded},
    {ProblemCode::NotReadable, "not-readable", Severity::Warning, kWhenLoaded},
    {ProblemCode::StaticTls, "static-tls", Severity::Warning, Phase::Dlopen},
    {ProblemCode::MixedBuild, "mixed-build", Severity::Warning, Phase::Call},
    {ProblemCode::DriverTooOld, "driver-too-old", Severity::Warning, Phase::Gpu},
    {ProblemCode::DriverMismatch, "driver-mismatch", Severity::Warning, Phase::Gpu},
    {ProblemCode::ForwardCompat, "forward-compat", Severity::Warning, Phase::Gpu},
    {ProblemCode::FrameworkBuild, "framework-build", Severity::Warning, Phase::Call},
    {ProblemCode::DriverMissing, "driver-missing", Severity::Note, Phase::Gpu},
    {ProblemCode::DriverNeedsGlibc, "driver-glibc", Severity::Warning, Phase::Dlopen},
    {ProblemCode::DriverWithheld, "driver-withheld", Severity::Warning, Phase::Dlopen},
    {ProblemCode::DriverInImage, "driver-in-image", Severity::Warning, Phase::Call},
    {ProblemCode::PreloadInEffect, "preload-in-effect", Severity::Note, Phase::Start},
    {ProblemCode::RpathVoid, "rpath-void", Severity::Note, kWhenLoaded},
    {ProblemCode::RpathMissing, "rpath-missing", Severity::Note, kWhenLoaded},
    {ProblemCode::RpathDuplicate, "rpath-duplicate", Severity::Note, kWhenLoaded},
    {ProblemCode::RpathDefault, "rpath-default", Severity::Note, kWhenLoaded},
    {ProblemCode::RpathBuild, "rpath-build", Severity::Warning, kWhenLoaded},
    {ProblemCode::RpathStubs, "rpath-stubs", Severity::Warning, kWhenLoaded},
    {ProblemCode::UnsafeElement, "unsafe-element", Severity::Warning, kWhenLoaded},
    {ProblemCode::StaleCache, "stale-cache", Severity::Note, kWhenLoaded},
    {ProblemCode::PreloadIgnored, "preload-ignored", Severity::Warning, Phase::Start},
    {ProblemCode::WheelFileGone, "wheel-file-gone", Severity::Warning, Phase::Call},
    {ProblemCode::WheelRequirement, "wheel-requirement", Severity::Warning, Phase::Call},
    {ProblemCode::WheelTags, "wheel-tags", Severity::Warning, Phase::Call},
    {ProblemCode::RequirementUnmet, "requirement-unmet", Severity::Fatal, kWhenLoaded},
    {ProblemCode::Note, "note", Severity::Note, kWhenLoaded},
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < std::size(kCodes); ++i) {
    if (static_cast<std::size_t>(kCodes[i].code) != i) return false;
  }
  return std::size(kCodes) == static_cast<std::size_t>(ProblemCode::Note) + 1;
}
static_assert(is_in_order(), "a row for each code, in the order of the enum");

constexpr const CodeRow& code_row(ProblemCode code) { return kCodes[static_cast<std::size_t>(code)]; }

}  // namespace

std::string_view code_of(ProblemCode code) { return code_row(code).name; }
Severity severity_of(ProblemCode code) { return code_row(code).severity; }
std::optional<Phase> phase_of(ProblemCode code) { return code_row(code).phase; }

std::string_view name_of(Severity severity) {
  using enum Severity;
  static constexpr auto kNames = enum_names<Severity>({{Fatal, "fatal"}, {Warning, "warning"}, {Note, "note"}});
  return kNames[severity];
}

std::string_view name_of(Phase phase) {
  using enum Phase;
  static constexpr auto kNames =
      enum_names<Phase>({{Start, "start"}, {Dlopen, "dlopen"}, {Call, "call"}, {Gpu, "gpu"}});
  return kNames[phase];
}

}  // namespace soresolve
