// Follows a b-tree from its root page to the cells that are wanted. Every offset of a page is checked before it is
// used, depth is bounded, and so is what is read in all: pages of a hostile file form circles.
#include "packages/sqlite_file.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "base/load.h"

namespace soresolve {

struct SqliteFile::Cell {
  std::uint32_t left = 0;    ///< of an interior page: the page of what is smaller
  std::int64_t number = 0;   ///< of a row; in an interior page of a table the greatest in `left`
  std::uint64_t bytes = 0;   ///< of the whole payload
  std::string_view here;     ///< the payload, as far as it lies in this page
  std::uint32_t beyond = 0;  ///< the page on which it goes on; 0: it ends here
  bool is_last = false;      ///< no cell: the page right of all others
};

namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kHeaderBytes = 100;
constexpr int kMaxTreeDepth = 32;
enum : std::uint8_t { kIndexInterior = 2, kTableInterior = 5, kIndexLeaf = 10, kTableLeaf = 13 };

std::uint32_t big32(const char* at) { return load_as<std::uint32_t>(at, std::endian::big); }
std::uint16_t big16(const char* at) { return load_as<std::uint16_t>(at, std::endian::big); }

/// Takes bytes off the front of a text; what is missing reads as the end.
class Cut {
 public:
  explicit Cut(std::string_view rest) : rest_(rest) {}

  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 9 && i < rest_.size(); ++i) {
      const auto byte = static_cast<std::uint8_t>(rest_[i]);
      const bool is_ninth = i == 8;
      value = is_ninth ? value << 8 | byte : value << 7 | (byte & 0x7f);
      if (is_ninth || byte < 0x80) {
        rest_.remove_prefix(i + 1);
        return value;
      }
    }
    return std::nullopt;
  }
  std::optional<std::uint32_t> number() {
    if (rest_.size() < 4) return std::nullopt;
    const std::uint32_t value = big32(rest_.data());
    rest_.remove_prefix(4);
    return value;
  }
  std::optional<std::string_view> bytes(std::uint64_t count) {
    if (count > rest_.size()) return std::nullopt;
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// A signed number of up to eight bytes.
std::int64_t signed_of(std::string_view bytes) {
  std::uint64_t value = !bytes.empty() && static_cast<signed char>(bytes.front()) < 0 ? ~std::uint64_t{0} : 0;
  for (const char byte : bytes) value = value << 8 | static_cast<std::uint8_t>(byte);
  return static_cast<std::int64_t>(value);
}

/// How many bytes a column of this serial type has.
std::uint64_t bytes_of_type(std::uint64_t type) {
  constexpr std::uint8_t kFixed[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  return type < std::size(kFixed) ? kFixed[type] : (type - 12) / 2;
}

SqliteValue value_of(std::uint64_t type, std::string_view bytes) {
  if (type >= 12) return {std::nullopt, bytes};
  if (type >= 1 && type <= 6) return {signed_of(bytes), {}};
  if (type == 8 || type == 9) return {static_cast<std::int64_t>(type - 8), {}};
  return {};  // NULL, or a number with a fraction
}

bool read_all(const File& file, std::uint64_t offset, std::string& into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const auto part = std::as_writable_bytes(std::span(into)).subspan(done);
    const Result<std::size_t, Errno> read = file.read_at(offset + done, part);
    if (!read || *read == 0) return false;
    done += *read;
  }
  return true;
}

/// The running checksum of a write-ahead log; `bytes` come in eights.
struct LogSum {
  std::endian order;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void add(std::string_view bytes) {
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      first += load_as<std::uint32_t>(bytes.data() + i, order) + second;
      second += load_as<std::uint32_t>(bytes.data() + i + 4, order) + first;
    }
  }
  [[nodiscard]] bool is(const char* at) const { return big32(at) == first && big32(at + 4) == second; }
};

}  // namespace

std::optional<SqliteFile> SqliteFile::open(const FileSystem& files, const std::string& path) {
  const Result<FileStatus, Errno> status = files.status(path);
  if (!status || status->kind != FileKind::Regular) return std::nullopt;
  Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file) return std::nullopt;
  SqliteFile database;
  database.file_ = std::move(*file);
  if (!database.read_header()) return std::nullopt;
  const std::string log_path = path + "-wal";
  const Result<FileStatus, Errno> log_status = files.status(log_path);
  if (log_status && log_status->kind == FileKind::Regular && log_status->size_bytes > 0) {
    if (log_status->size_bytes > kMaxSqliteLogBytes) return std::nullopt;  // without it the answer would be old
    if (const Result<std::unique_ptr<File>, Errno> log = files.open(log_path)) database.read_log(**log);
  }
  return database;
}

bool SqliteFile::read_header() {
  constexpr std::size_t kMinPage = 512;
  std::string header(kHeaderBytes, '\0');
  if (!read_all(*file_, 0, header) || !header.starts_with(kMagic)) return false;
  const std::uint16_t bytes = big16(header.data() + 16);
  page_bytes_ = bytes == 1 ? 65536 : bytes;
  const auto reserved = static_cast<std::uint8_t>(header[20]);
  usable_bytes_ = page_bytes_ - reserved;
  const std::uint32_t encoding = big32(header.data() + 56);
  return std::has_single_bit(page_bytes_) && page_bytes_ >= kMinPage && usable_bytes_ >= kMinPage - 32 && encoding <= 1;
}

/// Takes the frames of whole transactions; behind the last lie those of an earlier run of the log.
void SqliteFile::read_log(const File& log) {
  constexpr std::size_t kLogHeader = 32;
  constexpr std::size_t kFrameHeader = 24;
  std::string header(kLogHeader, '\0');
  if (!read_all(log, 0, header)) return;
  const std::uint32_t magic = big32(header.data());
  if ((magic & ~1u) != 0x377f0682 || big32(header.data() + 8) != page_bytes_) return;
  LogSum sum{(magic & 1) != 0 ? std::endian::big : std::endian::little};
  sum.add(std::string_view(header).substr(0, 24));
  if (!sum.is(header.data() + 24)) return;
  std::map<std::uint32_t, std::string> pending;
  std::string frame(kFrameHeader + page_bytes_, '\0');
  for (std::uint64_t at = kLogHeader; at < kMaxSqliteLogBytes && read_all(log, at, frame); at += frame.size()) {
    const std::string_view content = std::string_view(frame).substr(kFrameHeader);
    sum.add(std::string_view(frame).substr(0, 8));
    sum.add(content);
    const bool has_salt = frame.compare(8, 8, header, 16, 8) == 0;
    if (!has_salt || !sum.is(frame.data() + 16)) return;
    pending.insert_or_assign(big32(frame.data()), std::string(content));
    if (big32(frame.data() + 4) == 0) continue;  // the transaction goes on
    for (auto& [number, bytes] : pending) logged_.insert_or_assign(number, std::move(bytes));
    pending.clear();
  }
}

SqliteFile::Page SqliteFile::page(std::uint32_t number) {
  constexpr std::size_t kMostKept = 64;
  if (number == 0 || is_spent()) return nullptr;
  bytes_left_ -= page_bytes_;
  if (const auto at = kept_.find(number); at != kept_.end()) return at->second;
  std::string bytes;
  if (const auto at = logged_.find(number); at != logged_.end()) {
    bytes = at->second;
  } else {
    bytes.resize(page_bytes_);
    if (!read_all(*file_, (std::uint64_t{number} - 1) * page_bytes_, bytes)) return nullptr;
  }
  if (kept_.size() >= kMostKept) kept_.clear();
  return kept_.emplace(number, std::make_shared<const std::string>(std::move(bytes))).first->second;
}

std::optional<SqliteFile::Cell> SqliteFile::cell_at(const std::string& page, std::size_t start, std::uint8_t kind,
                                                    std::size_t offset) const {
  const bool is_index = kind == kIndexInterior || kind == kIndexLeaf;
  if (offset < start || offset >= usable_bytes_) return std::nullopt;
  Cut cut(std::string_view(page).substr(offset, usable_bytes_ - offset));
  Cell cell;
  if (kind == kIndexInterior || kind == kTableInterior) {
    const auto left = cut.number();
    if (!left) return std::nullopt;
    cell.left = *left;
  }
  if (kind != kTableInterior) {
    const auto bytes = cut.varint();
    if (!bytes) return std::nullopt;
    cell.bytes = *bytes;
  }
  if (!is_index) {
    const auto number = cut.varint();
    if (!number) return std::nullopt;
    cell.number = static_cast<std::int64_t>(*number);
    if (kind == kTableInterior) return cell;
  }
  const std::uint64_t most = is_index ? (usable_bytes_ - 12) * 64 / 255 - 23 : usable_bytes_ - 35;
  const std::uint64_t least = (usable_bytes_ - 12) * 32 / 255 - 23;
  std::uint64_t local = cell.bytes;
  if (local > most) {
    local = least + (cell.bytes - least) % (usable_bytes_ - 4);
    if (local > most) local = least;
  }
  const auto here = cut.bytes(local);
  if (!here) return std::nullopt;
  cell.here = *here;
  if (local < cell.bytes) {
    const auto beyond = cut.number();
    if (!beyond) return std::nullopt;
    cell.beyond = *beyond;
  }
  return cell;
}

/// Visits the cells of a page in their order, and of an interior one what lies right of them, until `visit` says false.
/// Is the page whole?
bool SqliteFile::each_cell(std::uint32_t number, const std::function<bool(std::uint8_t, const Cell&)>& visit) {
  const Page bytes = page(number);
  if (bytes == nullptr) return false;
  const std::size_t start = number == 1 ? kHeaderBytes : 0;
  const auto kind = static_cast<std::uint8_t>((*bytes)[start]);
  const bool is_interior = kind == kIndexInterior || kind == kTableInterior;
  if (!is_interior && kind != kIndexLeaf && kind != kTableLeaf) return false;
  const std::size_t pointers = start + (is_interior ? 12 : 8);
  const std::size_t count = big16(bytes->data() + start + 3);
  if (!is_within(pointers, count * 2, usable_bytes_)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<Cell> cell = cell_at(*bytes, pointers, kind, big16(bytes->data() + pointers + 2 * i));
    if (!cell) return false;
    if (!visit(kind, *cell)) return true;
  }
  if (is_interior) {
    Cell right;
    right.left = big32(bytes->data() + start + 8);
    right.is_last = true;
    visit(kind, right);
  }
  return true;
}

std::optional<std::string> SqliteFile::payload_of(const Cell& cell) {
  if (cell.bytes > kMaxSqliteRowBytes) return std::nullopt;
  std::string payload(cell.here);
  for (std::uint32_t next = cell.beyond; payload.size() < cell.bytes;) {
    const Page bytes = page(next);
    if (bytes == nullptr) return std::nullopt;
    const std::size_t part = std::min<std::uint64_t>(cell.bytes - payload.size(), usable_bytes_ - 4);
    payload.append(*bytes, 4, part);
    next = big32(bytes->data());
  }
  return payload;
}

std::vector<SqliteValue> SqliteFile::columns_of(std::string_view payload) {
  constexpr std::size_t kMostColumns = 16;
  std::vector<SqliteValue> columns;
  Cut start(payload);
  const auto header_bytes = start.varint();
  if (!header_bytes || *header_bytes > payload.size() || *header_bytes < payload.size() - start.rest().size())
    return {};
  Cut types(payload.substr(0, *header_bytes).substr(payload.size() - start.rest().size()));
  Cut body(payload.substr(*header_bytes));
  while (columns.size() < kMostColumns) {
    const auto type = types.varint();
    const auto bytes = type ? body.bytes(bytes_of_type(*type)) : std::nullopt;
    if (!bytes) break;
    columns.push_back(value_of(*type, *bytes));
  }
  return columns;
}

/// Visits all rows of a table; `visit` says false to end it.
bool SqliteFile::visit_rows(std::uint32_t number, int depth, const std::function<bool(std::string_view)>& visit) {
  bool goes_on = depth < kMaxTreeDepth;
  if (!goes_on) return false;
  const bool is_whole = each_cell(number, [&](std::uint8_t kind, const Cell& cell) {
    if (kind == kTableInterior) {
      goes_on = visit_rows(cell.left, depth + 1, visit);
    } else if (kind == kTableLeaf) {
      const std::optional<std::string> payload = payload_of(cell);
      goes_on = payload && visit(*payload);
    } else {
      goes_on = false;
    }
    return goes_on;
  });
  return is_whole && goes_on;
}

std::optional<std::uint32_t> SqliteFile::root_of(std::string_view name) {
  constexpr std::uint32_t kSchemaPage = 1;
  std::optional<std::uint32_t> root;
  visit_rows(kSchemaPage, 0, [&](std::string_view payload) {
    const std::vector<SqliteValue> columns = columns_of(payload);  // type, name, tbl_name, rootpage, sql
    if (columns.size() < 4 || columns[1].bytes != name || !columns[3].number) return true;
    if (*columns[3].number > 0 && *columns[3].number <= 0xffffffff)
      root = static_cast<std::uint32_t>(*columns[3].number);
    return false;
  });
  return root;
}

std::optional<std::string> SqliteFile::row(std::uint32_t table, std::int64_t number) {
  std::uint32_t at = table;
  for (int depth = 0; depth < kMaxTreeDepth; ++depth) {
    std::uint32_t next = 0;
    std::optional<std::string> payload;
    const bool is_whole = each_cell(at, [&](std::uint8_t kind, const Cell& cell) {
      const bool is_interior = kind == kTableInterior;
      if (!is_interior && kind != kTableLeaf) return false;
      if (!cell.is_last && cell.number < number) return true;
      if (is_interior) {
        next = cell.left;
      } else if (cell.number == number) {
        payload = payload_of(cell);
      }
      return false;
    });
    if (payload) return payload;
    if (!is_whole || next == 0) return std::nullopt;
    at = next;
  }
  return std::nullopt;
}

/// Keys stand in order, equal ones on several pages; a key of an interior page stands there only. False: all equal ones
/// are visited, or the index is damaged.
bool SqliteFile::visit_index(std::uint32_t number, int depth, std::string_view key,
                             const std::function<void(std::int64_t)>& visit) {
  bool goes_on = depth < kMaxTreeDepth;
  if (!goes_on) return false;
  const bool is_whole = each_cell(number, [&](std::uint8_t kind, const Cell& cell) {
    const bool is_interior = kind == kIndexInterior;
    if (!is_interior && kind != kIndexLeaf) return goes_on = false;
    if (cell.is_last) return goes_on = visit_index(cell.left, depth + 1, key, visit);
    // A key that goes on elsewhere is longer than any name.
    const std::vector<SqliteValue> columns = cell.beyond == 0 ? columns_of(cell.here) : std::vector<SqliteValue>();
    if (columns.empty()) return true;
    const int order = columns[0].bytes.compare(key);
    if (order < 0) return true;
    if (is_interior) goes_on = visit_index(cell.left, depth + 1, key, visit);
    if (goes_on && order == 0 && columns.size() > 1 && columns[1].number) visit(*columns[1].number);
    if (order > 0) goes_on = false;
    return goes_on;
  });
  return is_whole && goes_on;
}

void SqliteFile::rows_with(std::uint32_t index, std::string_view key, const std::function<void(std::int64_t)>& visit) {
  std::vector<std::int64_t> numbers;
  visit_index(index, 0, key, [&](std::int64_t number) { numbers.push_back(number); });
  for (const std::int64_t number : numbers) visit(number);
}

}  // namespace soresolve
