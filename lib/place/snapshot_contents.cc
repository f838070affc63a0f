// Equal contents are found by a hash of what they hold and compared byte by byte: a machine has many copies of a file,
// a wheel's in each environment. What a new one holds goes to the end of the streams.
#include "place/snapshot_contents.h"

#include <functional>
#include <string_view>
#include <utility>

namespace soresolve {

std::uint32_t ContentStore::add(HeldContent held) {
  std::size_t hash = std::hash<std::uint64_t>{}(held.end);
  for (const HeldPiece& piece : held.pieces)
    hash = hash * 1099511628211u ^ (std::hash<std::string>{}(piece.bytes) + piece.piece.offset);
  const auto [first, last] = known_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (is_same(data_.contents[at->second - 1], held)) return at->second;
  }
  SnapshotContent content;
  content.end = held.end;
  content.searched = std::move(held.searched);
  for (HeldPiece& piece : held.pieces) {
    std::string& stream = data_.streams[static_cast<std::size_t>(piece.piece.kind)];
    piece.piece.at = stream.size();
    stream += piece.bytes;
    content.pieces.push_back(piece.piece);
  }
  data_.contents.push_back(std::move(content));
  const std::uint32_t number = static_cast<std::uint32_t>(data_.contents.size());
  known_.emplace(hash, number);
  return number;
}

bool ContentStore::is_same(const SnapshotContent& content, const HeldContent& held) const {
  if (content.end != held.end || content.pieces.size() != held.pieces.size() ||
      content.searched.size() != held.searched.size()) {
    return false;
  }
  for (std::size_t i = 0; i < held.searched.size(); ++i) {
    if (content.searched[i].start != held.searched[i].start || content.searched[i].end != held.searched[i].end)
      return false;
  }
  for (std::size_t i = 0; i < held.pieces.size(); ++i) {
    const SnapshotPiece& a = content.pieces[i];
    const HeldPiece& b = held.pieces[i];
    const std::string_view stream = data_.streams[static_cast<std::size_t>(a.kind)];
    if (a.offset != b.piece.offset || a.kind != b.piece.kind || a.is_exact != b.piece.is_exact ||
        stream.substr(static_cast<std::size_t>(a.at), static_cast<std::size_t>(a.size_bytes)) != b.bytes) {
      return false;
    }
  }
  return true;
}

}  // namespace soresolve
