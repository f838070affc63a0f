// Both are Merkle-Damgard constructions over blocks of 64 bytes: a marker bit, zeros, the length in bits. They differ
// in byte order and in the rounds. The names in the rounds are those of the standards.
#include "base/digest.h"

#ifdef SORESOLVE_HAS_NETTLE
#include <nettle/sha2.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace soresolve {
namespace {

using Words = std::array<std::uint32_t, 64>;

constexpr Words kSha256 = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr Words kMd5 = {0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
                        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
                        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
                        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
                        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
                        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
                        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
                        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr std::array<std::array<int, 4>, 4> kMd5Shifts = {
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

constexpr bool is_big_endian(DigestKind kind) { return kind == DigestKind::Sha256; }

std::uint32_t word_at(const std::byte* bytes, DigestKind kind) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    const int shift = is_big_endian(kind) ? 24 - 8 * i : 8 * i;
    word |= std::to_integer<std::uint32_t>(bytes[i]) << shift;
  }
  return word;
}

}  // namespace

Digest::Digest(DigestKind kind) : kind_(kind) {
  if (kind == DigestKind::Sha256) {
    state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  } else {
    state_ = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  }
}

void Digest::take(const std::byte* blocks, std::size_t count) {
#ifdef SORESOLVE_HAS_NETTLE
  // It has the processor's own instructions. Whole blocks leave nothing in its buffer.
  if (kind_ == DigestKind::Sha256) {
    sha256_ctx context;
    ::sha256_init(&context);
    std::copy(state_.begin(), state_.end(), context.state);
    ::sha256_update(&context, count * kBlockBytes, reinterpret_cast<const std::uint8_t*>(blocks));
    std::copy(context.state, context.state + state_.size(), state_.begin());
    return;
  }
#endif
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const block = blocks + i * kBlockBytes;
    kind_ == DigestKind::Sha256 ? take_sha256(block) : take_md5(block);
  }
}

void Digest::take_sha256(const std::byte* block) {
  Words w;
  for (std::size_t t = 0; t < 16; ++t) w[t] = word_at(block + 4 * t, kind_);
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + kSha256[t] + w[t];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < added.size(); ++i) state_[i] += added[i];
}

void Digest::take_md5(const std::byte* block) {
  std::array<std::uint32_t, 16> x;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = word_at(block + 4 * i, kind_);
  std::uint32_t a = state_[0];
  std::uint32_t b = state_[1];
  std::uint32_t c = state_[2];
  std::uint32_t d = state_[3];
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t round = i / 16;
    constexpr std::array<std::size_t, 4> kStep = {1, 5, 3, 7};
    constexpr std::array<std::size_t, 4> kStart = {0, 1, 5, 0};
    const std::uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                                : round == 1 ? (d & b) | (~d & c)
                                : round == 2 ? b ^ c ^ d
                                             : c ^ (b | ~d);
    const std::uint32_t sum = a + mixed + kMd5[i] + x[(kStep[round] * i + kStart[round]) % 16];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kMd5Shifts[round][i % 4]);
  }
  state_[0] += a;
  state_[1] += b;
  state_[2] += c;
  state_[3] += d;
}

void Digest::add(std::span<const std::byte> bytes) {
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    if (in_block_ == 0 && bytes.size() >= kBlockBytes) {
      const std::size_t count = bytes.size() / kBlockBytes;
      take(bytes.data(), count);
      bytes = bytes.subspan(count * kBlockBytes);
      continue;
    }
    const std::size_t count = std::min(kBlockBytes - in_block_, bytes.size());
    std::memcpy(block_.data() + in_block_, bytes.data(), count);
    bytes = bytes.subspan(count);
    in_block_ += count;
    if (in_block_ != kBlockBytes) continue;
    take(block_.data(), 1);
    in_block_ = 0;
  }
}

std::string Digest::finish() {
  constexpr std::size_t kLengthBytes = 8;
  const std::uint64_t bits = bytes_ * 8;
  constexpr std::byte kMark{0x80};
  add({&kMark, 1});
  constexpr std::byte kZero{0};
  while (in_block_ != kBlockBytes - kLengthBytes) add({&kZero, 1});
  std::array<std::byte, kLengthBytes> length;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length[i] = static_cast<std::byte>(bits >> (is_big_endian(kind_) ? 56 - 8 * i : 8 * i));
  }
  add(length);
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  const std::size_t words = kind_ == DigestKind::Sha256 ? 8 : 4;
  for (std::size_t i = 0; i < words * 4; ++i) {
    const std::size_t shift = is_big_endian(kind_) ? 24 - 8 * (i % 4) : 8 * (i % 4);
    const std::uint32_t byte = state_[i / 4] >> shift & 0xff;
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

Result<std::string, Errno> read_digest(const File& file, DigestKind kind) {
  constexpr std::size_t kPieceBytes = 256 << 10;
  Digest digest(kind);
  std::vector<std::byte> piece(kPieceBytes);
  const std::uint64_t size = file.status().size_bytes;
  for (std::uint64_t offset = 0; offset < size;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, size - offset));
    const Result<std::size_t, Errno> count = file.read_at(offset, {piece.data(), wanted});
    if (!count) return Unexpected{count.error()};
    if (*count == 0) break;  // it was cut meanwhile
    digest.add({piece.data(), *count});
    offset += *count;
  }
  return digest.finish();
}

}  // namespace soresolve
