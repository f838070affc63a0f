// Puts the tables in order, the more specific first. The rows are in catalogue_*.cc.
#include "catalogue/catalogue.h"

namespace soresolve {

std::vector<const KnownMessage*> known_messages() {
  std::vector<const KnownMessage*> all;
  // The first that fits counts: "libcudart.so.11.0 is missing" before "a library is missing".
  for (const auto part :
       {framework_messages(), build_messages(), cuda_messages(), driver_messages(), toolkit_messages(),
        symbol_messages(), musl_messages(), loader_messages(), program_messages()}) {
    for (const KnownMessage& message : part) all.push_back(&message);
  }
  return all;
}

}  // namespace soresolve
