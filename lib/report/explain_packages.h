// What brings the library that a message misses, where the message is of a library that is missing.
#pragma once
#include <optional>

#include "packages/what_brings.h"
#include "soresolve/catalogue.h"

namespace soresolve {

inline std::optional<WhatBrings> what_brings_missing(const Recognised& message) {
  // The packages of glibc's distributions are none for musl's, whose rows name apk.
  if (message.known->id.starts_with("musl-")) return std::nullopt;
  const std::optional<ProblemCode> problem = message.known->problem;
  if (problem != ProblemCode::MissingLibrary && problem != ProblemCode::DlopenMissing) return std::nullopt;
  return what_brings(message.captured("library"));
}

}  // namespace soresolve
