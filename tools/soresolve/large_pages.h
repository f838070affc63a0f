// Memory for answers that take megabytes of it.
//
// The kernel hands out fresh memory in pages of 4 KiB, at the price of a fault each: a tenth of the time
// that torch's closure takes. In pages of 2 MiB the same memory costs a tenth of that
// (linux Documentation/admin-guide/mm/transhuge.rst). Where the kernel has none, nothing changes.
#pragma once

#include "soresolve/link_map.h"

namespace soresolve::tool {

/// Has the heap grow in large pages if the files of the map are large.
void prepare_heap(const LinkMap& map);

}  // namespace soresolve::tool
