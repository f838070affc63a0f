// A tag has three parts. The interpreter: py3, py39 and older than this one, or its own cp311. The ABI: none, its own,
// or abi3 of this release or an older one. The platform: any, or Linux with this libc and processor. What is set
// together ("py2.py3-none-any") is taken apart.
#include "packages/wheel_tags.h"

#include "base/number_text.h"
#include "base/pieces.h"

namespace soresolve {
namespace {

/// 11 of "cp311", 0 of "cp3"; nullopt: it is not of Python 3.
std::optional<int> minor_of(std::string_view interpreter) {
  if (interpreter.size() < 3 || interpreter[2] != '3') return std::nullopt;
  return interpreter.size() == 3 ? std::optional(0) : parse_number<int>(interpreter.substr(3));
}

std::optional<bool> is_interpreter(std::string_view interpreter, std::string_view abi,
                                   const MarkerEnvironment& environment) {
  if (environment.minor_number == 0 || !environment.is_cpython) return std::nullopt;
  if (abi.starts_with("cp") && abi.ends_with('t')) return std::nullopt;  // the same release may be built so
  const std::optional<int> minor = minor_of(interpreter);
  if (interpreter.starts_with("py")) return minor && *minor <= environment.minor_number && abi == "none";
  if (!interpreter.starts_with("cp") || !minor) return false;
  if (abi == "abi3") return *minor <= environment.minor_number;
  // Flags stand behind it up to 3.7: "cp37m".
  return *minor == environment.minor_number && (abi == "none" || abi.starts_with(interpreter));
}

std::optional<bool> is_platform(std::string_view platform, const MarkerEnvironment& environment, Libc libc) {
  if (platform == "any") return true;
  const bool is_manylinux = platform.starts_with("manylinux");
  const bool is_musllinux = platform.starts_with("musllinux");
  if (!is_manylinux && !is_musllinux && !platform.starts_with("linux_")) return false;
  if ((is_manylinux && libc != Libc::Glibc) || (is_musllinux && libc != Libc::Musl)) return false;
  if (environment.machine.empty()) return std::nullopt;
  return platform.ends_with("_" + environment.machine);
}

/// Of a set such as "py2.py3": one that is right, else one that is not known.
template <typename Judge>
std::optional<bool> any_of(std::string_view set, const Judge& judge) {
  std::optional<bool> any = false;
  for (const std::string_view each : pieces_in(set, '.')) {
    const std::optional<bool> one = judge(each);
    if (one.value_or(false)) return true;
    if (!one) any = std::nullopt;
  }
  return any;
}

}  // namespace

std::optional<bool> is_tag_for(std::string_view tag, const MarkerEnvironment& environment, Libc libc) {
  const CutText first = cut_at(tag, '-');
  const CutText second = cut_at(first.behind, '-');
  if (second.behind.empty()) return std::nullopt;
  const std::optional<bool> interpreter = any_of(first.before, [&](std::string_view one) {
    return any_of(second.before, [&](std::string_view abi) { return is_interpreter(one, abi, environment); });
  });
  const std::optional<bool> platform =
      any_of(second.behind, [&](std::string_view one) { return is_platform(one, environment, libc); });
  if (!interpreter.value_or(true) || !platform.value_or(true)) return false;
  return interpreter && platform ? std::optional(true) : std::nullopt;
}

}  // namespace soresolve
