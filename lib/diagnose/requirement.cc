// Parses one requirement, NAME RELATION VERSION. Relations are PEP 440's in spirit: `=` means "within" (12.4.1 is
// within 12.4). Wildcards, epochs and local versions are not known; lists of them come from contract_file.cc.
#include "diagnose/requirement.h"
#include "base/pieces.h"

#include <algorithm>
#include <iterator>

namespace soresolve {
namespace {

struct Name {
  std::string_view word;
  RequiredThing thing;
};
constexpr Name kNames[] = {
    {"cuda", RequiredThing::Cuda},     {"cudnn", RequiredThing::Cudnn}, {"nccl", RequiredThing::Nccl},
    {"driver", RequiredThing::Driver}, {"glibc", RequiredThing::Glibc}, {"framework", RequiredThing::Framework},
    {"device", RequiredThing::Device},
};

struct Sign {
  std::string_view word;
  Relation relation;
};
// Longer signs before those that they begin with.
constexpr Sign kSigns[] = {
    {">=", Relation::GreaterEqual}, {"<=", Relation::LessEqual}, {"==", Relation::Equal}, {"!=", Relation::NotWithin},
    {">", Relation::Greater},       {"<", Relation::Less},       {"=", Relation::Within},
};

struct Halves {
  std::string_view left;
  Relation relation;
  std::string_view right;
};
std::optional<Halves> split(std::string_view text) {
  const std::size_t at = text.find_first_of("<>=!");
  if (at == std::string_view::npos) return std::nullopt;
  for (const Sign& sign : kSigns) {
    if (!text.substr(at).starts_with(sign.word)) continue;
    return Halves{trimmed(text.substr(0, at)), sign.relation, trimmed(text.substr(at + sign.word.size()))};
  }
  return std::nullopt;
}

std::string known_names() { return joined(kNames, ", ", &Name::word); }

/// How a requirement of this name is written.
std::string example_of(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kExamples[] = {
      {"cuda", "cuda=12.4 or 'cuda>=12.1'"},   {"cudnn", "'cudnn>=8.9'"},  {"nccl", "'nccl>=2.18'"},
      {"driver", "'driver>=530.30.02'"},       {"glibc", "'glibc<=2.28'"}, {"device", "device=sm_80"},
      {"framework", "framework=torch==2.5.0"},
  };
  const auto* found = std::find_if(std::begin(kExamples), std::end(kExamples),
                                   [&](const auto& example) { return example.first == trimmed(name); });
  if (found == std::end(kExamples)) return "NAME=VERSION, NAME>=VERSION and so on";
  return "written as " + std::string(found->second);
}

}  // namespace

Result<Requirement> parse_requirement(std::string_view text) {
  const auto refuse = [&](const std::string& why) {
    return Unexpected{Error{ErrorCode::Usage, {}, {}, "the requirement '" + std::string(text) + "' " + why}};
  };
  const std::optional<Halves> halves = split(text);
  if (!halves) return refuse("has no relation; it is " + example_of(text));
  const auto name =
      std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& known) { return known.word == halves->left; });
  if (name == std::end(kNames)) return refuse("has a name that is not known; names are " + known_names());
  Requirement requirement{std::string(text), name->thing, {}, halves->relation, {}};
  std::string_view version = halves->right;
  if (name->thing == RequiredThing::Device || name->thing == RequiredThing::Framework) {
    if (halves->relation != Relation::Within) return refuse("wants " + std::string(name->word) + "=NAME");
    if (halves->right.empty()) return refuse("names none");
  }
  if (name->thing == RequiredThing::Device) {
    requirement.name = halves->right;
    return requirement;
  }
  if (name->thing == RequiredThing::Framework) {
    const std::optional<Halves> release = split(halves->right);
    requirement.name = release ? release->left : halves->right;
    if (!release) return requirement;
    requirement.relation = release->relation;
    version = release->right;
  }
  std::optional<DottedVersion> parsed = parse_dotted(version);
  if (!parsed) return refuse("has no version: '" + std::string(version) + "'");
  requirement.version = *std::move(parsed);
  return requirement;
}

}  // namespace soresolve
