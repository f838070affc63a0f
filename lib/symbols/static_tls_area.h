// The part of each thread's memory where thread-local storage has a fixed place, and what of it is left
// for libraries that are opened later.
//
// Source: glibc elf/dl-tls.c:_dl_determine_tlsoffset, _dl_tls_static_surplus_init; elf/dl-reloc.c:
// _dl_try_allocate_static_tls, _dl_allocate_static_tls. Up to 2.30 the reserve is 1664 bytes; since then it
// follows from two tunables, whose defaults come to the same, and what need not be there (TLSDESC) gets
// a part of it only. (As released 2.31 has neither; its branch has both, and so has Debian's.) Since 2.41 the area for
// rseq lies behind that of the libraries. Not here: what the running program itself has used.
#pragma once
#include <cstdint>
#include <vector>

#include "loader/loader_rules.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/link_map.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// Bytes that the loader of this process keeps for objects that are opened later.
std::uint64_t static_tls_surplus_bytes(const LoaderRules& rules, const Process& process);

class StaticTlsArea {
 public:
  /// As it is once the program of the map has started.
  StaticTlsArea(const LinkMap& map);

  enum class Outcome : std::uint8_t { Fits, NoRoom, Crash };
  /// A relocation wants the object's storage at a fixed place; the same object again costs nothing.
  Outcome want(ObjectIndex object, TlsUse use);

  /// As it was after a dlopen call that failed.
  void restore(const StaticTlsLeft& left);
  /// As it is once the objects from `first_gone` on are taken back, unloaded in the order of `unloaded`.
  [[nodiscard]] StaticTlsLeft left_after(const std::vector<ObjectIndex>& unloaded, ObjectIndex first_gone) const;

 private:
  /// PT_TLS of an object.
  struct Block {
    std::uint64_t bytes = 0;
    std::uint64_t alignment = 0;
    std::uint64_t first_byte = 0;  ///< l_tls_firstbyte_offset
  };
  [[nodiscard]] Block block_of(ObjectIndex object) const;
  void place_at_start();
  bool allocate(const Block& block, TlsUse use);

  const LinkMap& map_;
  std::vector<bool> is_placed_;     ///< by object
  std::vector<std::uint64_t> end_;  ///< by object: where its block ends in what is used; 0: placed at the start, or not
  bool is_below_thread_ = true;     ///< TLS_TCB_AT_TP: x86; else behind the thread pointer
  bool limits_optional_ = true;     ///< since 2.31
  bool has_rseq_behind_ = false;    ///< since 2.41
  std::uint64_t used_ = 0;
  std::uint64_t size_ = 0;        ///< without the thread's own block
  std::uint64_t alignment_ = 64;  ///< the greatest so far, TLS_TCB_ALIGN at least
  std::uint64_t optional_ = 0;    ///< bytes left for TlsUse::Optional
};

}  // namespace soresolve
