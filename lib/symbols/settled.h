// Files whose references are known to be found, from another map.
//
// libc's references, and those of most libraries, end at the same few files in every process of a machine. A lookup
// passes over objects that do not define the name and ends at the first that does (glibc elf/dl-lookup.c:do_lookup_x):
// where the files that served a library once are in its scope again, nothing that it refers to can be missing, whatever
// else is there. Whether the loader has a word to say of a definition that comes before is another matter: of an IFUNC
// in an object that is relocated later, of a library without versions by the name of one that is asked for a version.
#pragma once
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "soresolve/link_map.h"
#include "symbols/bindings_state.h"
#include "symbols/object_digest.h"
#include "symbols/object_store.h"

namespace soresolve {

/// One map's objects, asked about one after the other. What it is made of is borrowed.
class ResolvedScopes {
 public:
  /// `is_unchecked`: by object, as Binder has it.
  ResolvedScopes(const LinkMap& map, const std::vector<ObjectIndex>& relocation_order,
                 const std::vector<HashedSymbols>& hashed, const std::vector<bool>& is_unchecked);

  /// Are all references of the object found in this scope as well, with nothing for the loader to say?
  bool covers(ObjectIndex object, const ObjectDigest& digest, const SettledReferences& known,
              const std::vector<ObjectIndex>& scope);

  /// Of an object that is bound; nullopt: something is missing, is served by what is no file of others, or the loader
  /// may have something to say.
  [[nodiscard]] std::optional<SettledReferences> settle(ObjectIndex index, const BoundObject& object,
                                                        const BindingScope& scope, const ObjectDigest& digest) const;

 private:
  struct Members {
    std::vector<std::pair<FileKey, ObjectIndex>> files;  ///< ascending
    std::vector<ObjectIndex> with_notable;
    std::vector<ObjectIndex> unversioned;
    bool is_complete = true;  ///< all their symbols are known
  };
  const Members& members_of(const std::vector<ObjectIndex>& scope);
  [[nodiscard]] std::optional<FileKey> key_of(ObjectIndex object) const;

  const LinkMap& map_;
  const std::vector<HashedSymbols>& hashed_;
  const std::vector<bool>& is_unchecked_;
  std::vector<std::size_t> place_;  ///< in the order of relocation, by object
  std::map<const std::vector<ObjectIndex>*, Members> members_;
};

}  // namespace soresolve
