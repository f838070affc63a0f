// How many files this process may open.
#pragma once

namespace soresolve::tool {

/// Insists on as many descriptors as an answer may take at a time: a file that cannot be opened because of a limit of
/// ours would be told as a fault of the file. A soft limit is raised where it may be. Ends the process with a sentence
/// where it may not.
void insist_on_descriptors();

}  // namespace soresolve::tool
