#include "soresolve/finding.h"

namespace soresolve {

std::string_view code_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::MissingLibrary: return "missing-library";
    case FindingKind::WrongClass: return "wrong-class";
    case FindingKind::FatalCandidate: return "fatal-candidate";
    case FindingKind::WouldCrash: return "would-crash";
    case FindingKind::WouldBlock: return "would-block";
    case FindingKind::BadToken: return "bad-token";
    case FindingKind::VersionFile: return "version-file";
    case FindingKind::VersionMissing: return "version-missing";
    case FindingKind::VersionUnproven: return "version-unproven";
    case FindingKind::SymbolMissing: return "symbol-missing";
    case FindingKind::CpuLevel: return "cpu-level";
    case FindingKind::ExecStack: return "exec-stack";
    case FindingKind::StaticTlsFull: return "static-tls-full";
    case FindingKind::DlopenMissing: return "dlopen-missing";
    case FindingKind::LoadOrder: return "load-order";
    case FindingKind::LoadedBefore: return "loaded-before";
    case FindingKind::Shadowed: return "shadowed";
    case FindingKind::TwoCopies: return "two-copies";
    case FindingKind::StubLibrary: return "stub-library";
    case FindingKind::ForeignFile: return "foreign-file";
    case FindingKind::BrokenLink: return "broken-link";
    case FindingKind::NotReadable: return "not-readable";
    case FindingKind::StaticTls: return "static-tls";
    case FindingKind::MixedBuild: return "mixed-build";
    case FindingKind::DriverTooOld: return "driver-too-old";
    case FindingKind::DriverMismatch: return "driver-mismatch";
    case FindingKind::ForwardCompat: return "forward-compat";
    case FindingKind::FrameworkBuild: return "framework-build";
    case FindingKind::DriverMissing: return "driver-missing";
    case FindingKind::PreloadInEffect: return "preload-in-effect";
    case FindingKind::RpathVoid: return "rpath-void";
    case FindingKind::UnsafeElement: return "unsafe-element";
    case FindingKind::StaleCache: return "stale-cache";
    case FindingKind::PreloadIgnored: return "preload-ignored";
    case FindingKind::Note: return "note";
  }
  return "note";
}

Severity severity_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::MissingLibrary:
    case FindingKind::WrongClass:
    case FindingKind::FatalCandidate:
    case FindingKind::WouldCrash:
    case FindingKind::WouldBlock:
    case FindingKind::BadToken:
    case FindingKind::VersionFile:
    case FindingKind::VersionMissing:
    case FindingKind::SymbolMissing:
    case FindingKind::CpuLevel:
    case FindingKind::ExecStack:
    case FindingKind::StaticTlsFull: return Severity::Fatal;
    case FindingKind::VersionUnproven:
    case FindingKind::LoadOrder:
    case FindingKind::LoadedBefore:
    case FindingKind::TwoCopies:
    case FindingKind::StubLibrary:
    case FindingKind::NotReadable:
    case FindingKind::DlopenMissing:
    case FindingKind::StaticTls:
    case FindingKind::MixedBuild:
    case FindingKind::DriverTooOld:
    case FindingKind::DriverMismatch:
    case FindingKind::ForwardCompat:
    case FindingKind::FrameworkBuild:
    case FindingKind::UnsafeElement:
    case FindingKind::PreloadIgnored: return Severity::Warning;
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
