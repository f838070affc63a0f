// What keeps a source from being read, or compiled.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace soresolve::python {

/// Places are in the source; nullptr: there is none.
struct ParseFailures {
  /// What stands where it must not, though the grammar has it there: `return` outside of a function.
  struct Misplaced {
    const char* place = nullptr;
    std::string_view text = {};  ///< what Python says; empty: not known, also where there are several
  };
  static constexpr int kOldest = 7;   ///< the second number of the release that knows nothing of `newer`
  static constexpr int kNewest = 14;  ///< likewise, the last one

  const char* unread = nullptr;  ///< the first place that is not understood
  Misplaced misplaced;           ///< the first
  /// By releases, from 3.8 on: the first place that no release before reads.
  std::array<const char*, kNewest - kOldest> newer = {};

  /// The first place that 3.`minor_number` does not read.
  [[nodiscard]] const char* newer_than(int minor_number) const {
    const char* first = nullptr;
    for (int minor = kOldest + 1; minor <= kNewest; ++minor) {
      if (minor > minor_number) take_earlier(first, newer[static_cast<std::size_t>(minor - kOldest - 1)]);
    }
    return first;
  }
  void add_newer(int minor_number, const char* place) {
    take_earlier(newer[static_cast<std::size_t>(minor_number - kOldest - 1)], place);
  }
  void add_misplaced(const Misplaced& more) {
    if (more.place == nullptr) return;
    const bool is_other = misplaced.place != nullptr && misplaced.text != more.text;
    if (misplaced.place == nullptr || more.place < misplaced.place) misplaced = more;
    // Which one Python finds first depends on more than on their places.
    if (is_other) misplaced.text = {};
  }
  void add(const ParseFailures& more) {
    take_earlier(unread, more.unread);
    add_misplaced(more.misplaced);
    for (std::size_t i = 0; i < newer.size(); ++i) take_earlier(newer[i], more.newer[i]);
  }

 private:
  static void take_earlier(const char*& known, const char* place) {
    if (place != nullptr && (known == nullptr || place < known)) known = place;
  }
};

}  // namespace soresolve::python
