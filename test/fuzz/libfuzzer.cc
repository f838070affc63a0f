// libFuzzer's way into one target, the one that the build names: FUZZ_TARGET. FUZZ_ELF: its files are changed by their
// fields as well.
#include "fuzz/elf_mutator.h"
#include "fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  soresolve::test::FUZZ_TARGET.run(data, size);
  return 0;
}

#ifdef FUZZ_ELF
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  return soresolve::test::mutate_elf({data, size}, seed) ? size : LLVMFuzzerMutate(data, size, max_size);
}
#endif
