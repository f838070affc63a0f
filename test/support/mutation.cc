// Random damage for fuzz and hostile tests: odd numbers at aligned places, flipped bits, copied, cut and appended
// parts. The same seed gives the same damage.
#include "support/mutation.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace soresolve::test {
namespace {

/// Numbers that parsers trip over, and some that mean something in this input.
std::uint64_t odd_number(Random& random, std::size_t size) {
  const std::uint64_t numbers[] = {0,
                                   1,
                                   2,
                                   0x7f,
                                   0xff,
                                   0x7fff,
                                   0xffff,
                                   0x7fffffff,
                                   0x80000000,
                                   0xfffffff0,
                                   0xffffffff,
                                   0x7fffffffffffffff,
                                   ~0ULL,
                                   ~0ULL - 15,
                                   size,
                                   size - 1,
                                   size + 1,
                                   size / 2,
                                   random.next()};
  return numbers[random.below(std::size(numbers))];
}

}  // namespace

void overwrite_number(std::string& input, std::size_t first, std::size_t last, Random& random) {
  if (first >= last) return;
  const std::size_t width = std::size_t{1} << random.below(4);
  const std::size_t at = (first + random.below(last - first)) / width * width;
  const std::uint64_t number = odd_number(random, input.size());
  for (std::size_t i = 0; i < width && at + i < input.size(); ++i) {
    input[at + i] = static_cast<char>(number >> (8 * i));
  }
}

namespace {

void copy_part(std::string& input, Random& random) {
  if (input.size() < 2) return;
  const std::size_t count = random.between(1, std::min<std::size_t>(input.size() / 2, 64));
  const std::size_t from = random.below(input.size() - count + 1);
  const std::size_t to = random.below(input.size() - count + 1);
  input.replace(to, count, std::string(input, from, count));
}

}  // namespace

void mutate(std::string& input, Random& random) {
  for (std::size_t changes = random.between(1, 4); changes > 0; --changes) {
    const std::size_t kind = random.below(16);
    if (kind < 9) {
      overwrite_number(input, 0, input.size(), random);
    } else if (kind < 12 && !input.empty()) {
      input[random.below(input.size())] ^= static_cast<char>(1U << random.below(8));
    } else if (kind < 14) {
      copy_part(input, random);
    } else if (kind == 14) {
      input.resize(random.below(input.size() + 1));
    } else {
      input.append(random.between(1, 64), static_cast<char>(random.below(256)));
    }
  }
}

}  // namespace soresolve::test
