// "Is that loaded already?" by name, without walking the whole list for every request.
//
// The loader walks its list and takes the first object whose path, requested names or SONAME equal
// the name (glibc elf/dl-load.c:_dl_map_object, first loop). The index gives the same answer.
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "soresolve/link_map.h"

namespace soresolve {

class NameIndex {
 public:
  /// Registers one more name of an object. The text must stay in place.
  void add(std::string_view name, ObjectIndex object);
  /// The same, unless another object goes by the name already.
  void add_unless_known(std::string_view name, ObjectIndex object);

  /// Forgets all names of the objects that `is_gone` holds for.
  template <class Test>
  void remove_if(Test is_gone) {
    std::vector<Slot> old(slots_.size());
    old.swap(slots_);
    used_ = 0;
    for (const Slot& slot : old) {
      if (slot.object == kNoObject || is_gone(slot.object)) continue;
      insert(slot);
      ++used_;
    }
  }

  /// All objects that go by `name`, in the order of registration; usually none or one.
  [[nodiscard]] std::vector<ObjectIndex> find_all(std::string_view name) const;

  /// The only object that goes by `name`; kNoObject when there is none, kSeveral when the caller has
  /// to choose by list order.
  [[nodiscard]] ObjectIndex find(std::string_view name) const;
  static constexpr ObjectIndex kSeveral = kNoObject - 1;

 private:
  struct Slot {
    std::string_view name;
    std::uint32_t hash = 0;
    ObjectIndex object = kNoObject;  ///< kNoObject marks a free slot
  };
  void insert(const Slot& slot);
  void grow();

  std::vector<Slot> slots_;  // open addressing, a power of two; equal names lie in one run
  std::size_t used_ = 0;
};

}  // namespace soresolve
