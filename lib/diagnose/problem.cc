// Codes, severities and names of problems and fixes. A code is stable: it is in JSON (lib/report/schema.json) and in
// `soresolve help`. The words for people are in catalogue/problem_words.cc.
#include "soresolve/diagnose.h"

namespace soresolve {

std::string_view code_of(ProblemCode kind) {
  switch (kind) {
    case ProblemCode::MissingLibrary: return "missing-library";
    case ProblemCode::WrongClass: return "wrong-class";
    case ProblemCode::FatalCandidate: return "fatal-candidate";
    case ProblemCode::WouldCrash: return "would-crash";
    case ProblemCode::WouldBlock: return "would-block";
    case ProblemCode::BadToken: return "bad-token";
    case ProblemCode::VersionFile: return "version-file";
    case ProblemCode::VersionMissing: return "version-missing";
    case ProblemCode::VersionUnproven: return "version-unproven";
    case ProblemCode::SymbolMissing: return "symbol-missing";
    case ProblemCode::CpuLevel: return "cpu-level";
    case ProblemCode::ExecStack: return "exec-stack";
    case ProblemCode::StaticTlsFull: return "static-tls-full";
    case ProblemCode::DlopenMissing: return "dlopen-missing";
    case ProblemCode::LoadOrder: return "load-order";
    case ProblemCode::LoadedBefore: return "loaded-before";
    case ProblemCode::Shadowed: return "shadowed";
    case ProblemCode::TwoCopies: return "two-copies";
    case ProblemCode::StubLibrary: return "stub-library";
    case ProblemCode::ForeignFile: return "foreign-file";
    case ProblemCode::BrokenLink: return "broken-link";
    case ProblemCode::NotReadable: return "not-readable";
    case ProblemCode::StaticTls: return "static-tls";
    case ProblemCode::MixedBuild: return "mixed-build";
    case ProblemCode::DriverTooOld: return "driver-too-old";
    case ProblemCode::DriverMismatch: return "driver-mismatch";
    case ProblemCode::ForwardCompat: return "forward-compat";
    case ProblemCode::FrameworkBuild: return "framework-build";
    case ProblemCode::DriverMissing: return "driver-missing";
    case ProblemCode::PreloadInEffect: return "preload-in-effect";
    case ProblemCode::RpathVoid: return "rpath-void";
    case ProblemCode::UnsafeElement: return "unsafe-element";
    case ProblemCode::StaleCache: return "stale-cache";
    case ProblemCode::PreloadIgnored: return "preload-ignored";
    case ProblemCode::Note: return "note";
  }
  return "note";
}

Severity severity_of(ProblemCode kind) {
  switch (kind) {
    case ProblemCode::MissingLibrary:
    case ProblemCode::WrongClass:
    case ProblemCode::FatalCandidate:
    case ProblemCode::WouldCrash:
    case ProblemCode::WouldBlock:
    case ProblemCode::BadToken:
    case ProblemCode::VersionFile:
    case ProblemCode::VersionMissing:
    case ProblemCode::SymbolMissing:
    case ProblemCode::CpuLevel:
    case ProblemCode::ExecStack:
    case ProblemCode::StaticTlsFull: return Severity::Fatal;
    case ProblemCode::VersionUnproven:
    case ProblemCode::LoadOrder:
    case ProblemCode::LoadedBefore:
    case ProblemCode::TwoCopies:
    case ProblemCode::StubLibrary:
    case ProblemCode::NotReadable:
    case ProblemCode::DlopenMissing:
    case ProblemCode::StaticTls:
    case ProblemCode::MixedBuild:
    case ProblemCode::DriverTooOld:
    case ProblemCode::DriverMismatch:
    case ProblemCode::ForwardCompat:
    case ProblemCode::FrameworkBuild:
    case ProblemCode::UnsafeElement:
    case ProblemCode::PreloadIgnored: return Severity::Warning;
    default: return Severity::Note;
  }
}

std::string_view name_of(RemedyKind kind) {
  switch (kind) {
    case RemedyKind::PathEntry: return "path-entry";
    case RemedyKind::LibraryPath: return "library-path";
    case RemedyKind::Configuration: return "configuration";
    case RemedyKind::SearchTag: return "search-tag";
    case RemedyKind::Link: return "link";
    case RemedyKind::Unshadow: return "unshadow";
    case RemedyKind::Preload: return "preload";
  }
  return "";
}

std::string_view name_of(RemedyVerdict verdict) {
  switch (verdict) {
    case RemedyVerdict::Works: return "works";
    case RemedyVerdict::Partly: return "partly";
    case RemedyVerdict::Fails: return "fails";
    case RemedyVerdict::Untried: return "untried";
  }
  return "";
}

}  // namespace soresolve
