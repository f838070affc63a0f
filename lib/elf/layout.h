// How a file writes its tables: the width of its words and the order of their bytes.
//
// Nearly all files that are asked about have 64-bit words in the machine's own order. Loops that go
// through hundreds of thousands of entries are compiled a second time for those, where both are
// constants; all other code asks at run time.
#pragma once
#include "base/load.h"

namespace soresolve {

struct AnyLayout {
  bool is_64 = true;
  std::endian order = std::endian::native;
};
struct HostLayout {
  static constexpr bool is_64 = true;
  static constexpr std::endian order = std::endian::native;
};

/// work(layout), with the most special type that there is for it.
template <class Work>
auto with_layout(AnyLayout layout, Work work) {
  if (layout.is_64 && layout.order == std::endian::native) return work(HostLayout{});
  return work(layout);
}

}  // namespace soresolve
