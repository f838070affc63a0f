// What each fuzz target offers: a function that takes one input, and seeds for it.
//
// Each stands in a namespace of its own, so that all of them are one program and can be compiled as one unit. replay.cc
// makes ordinary tests of them; libfuzzer.cc (-Dfuzz=enabled, clang) is linked once for each and searches on its own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace soresolve::test {

/// What mutations know of the inputs. Elf: a file, behind some bytes of choices; its fields are changed as well.
enum class InputKind { Bytes, Elf };

struct FuzzTarget {
  std::string_view name;
  /// Takes one input and aborts if a property does not hold.
  void (*run)(const std::uint8_t* data, std::size_t size);
  /// Inputs that reach deep: well-formed ones, and each kind of damage that has a name.
  std::vector<std::string> (*seeds)();
  InputKind input = InputKind::Bytes;
};

extern const FuzzTarget kBindingsTarget;
extern const FuzzTarget kConfigurationTarget;
extern const FuzzTarget kCoreDumpTarget;
extern const FuzzTarget kElfObjectTarget;
extern const FuzzTarget kExplainTarget;
extern const FuzzTarget kFatbinTarget;
extern const FuzzTarget kLdCacheTarget;
extern const FuzzTarget kLinkMapTarget;
extern const FuzzTarget kLiveProcessTarget;
extern const FuzzTarget kLoaderRulesTarget;
extern const FuzzTarget kMuslTarget;
extern const FuzzTarget kPackagesTarget;
extern const FuzzTarget kPipelineTarget;
extern const FuzzTarget kPlaceTarget;
extern const FuzzTarget kPythonSourcesTarget;
extern const FuzzTarget kPythonStatementsTarget;
extern const FuzzTarget kRpmHeaderTarget;
extern const FuzzTarget kSearchListsTarget;
extern const FuzzTarget kSnapshotTarget;
extern const FuzzTarget kSurveyTarget;
extern const FuzzTarget kSymversTarget;
extern const FuzzTarget kLiefFactsTarget;

/// Stops the run unless the property holds, in builds without assertions as well.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

/// Which of `count` forms of an answer this input is shown in: each input in one, all inputs together in all. Forms
/// cost more than the answer itself, and few inputs break one form only.
inline std::size_t form_of(const std::uint8_t* data, std::size_t size, std::size_t count) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 16777619u;
  return (hash ^ hash >> 16) % count;
}

/// Reads every byte of a view, so that a sanitizer sees one that borrows from freed memory.
inline void touch(std::string_view text) {
  volatile char sink = 0;
  for (const char c : text) sink = c;
  static_cast<void>(sink);
}

}  // namespace soresolve::test
