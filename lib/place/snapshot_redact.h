// A snapshot without the names of people.
#pragma once
#include "place/snapshot_data.h"

namespace soresolve {

/// Replaces the names of users and of directories in /home, everywhere alike.
void redact(SnapshotData& data);

}  // namespace soresolve
