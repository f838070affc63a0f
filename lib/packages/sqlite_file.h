// Tables of an SQLite 3 database, read by pages: rows by their number, and an index by its first column.
//
// Source: "Database File Format" of sqlite.org (fileformat2.html), sections 1.3, 1.6, 2.1, 2.3 and 4.1 to 4.3. A
// write-ahead log beside the file counts as far as its checksums hold. Nothing is run, nothing is written, no lock is
// taken. Not here: SQL, WITHOUT ROWID, collations other than BINARY, texts in UTF-16. libsqlite3 would do the same, but
// adds 1.6 MB to the static command, opens files by itself, and a blob of a hostile file is as large as the file says.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/file_system.h"

namespace soresolve {

inline constexpr std::uint64_t kMaxSqliteLogBytes = 64u << 20;  ///< of the write-ahead log
inline constexpr std::uint64_t kMaxSqliteRowBytes = 64u << 20;  ///< of one row

/// One column of a row. A number has no text, and the other way round.
struct SqliteValue {
  std::optional<std::int64_t> number;
  std::string_view bytes;  ///< TEXT or BLOB; borrows from the row
};

/// Not synchronised; reads nothing before allow(). Damage is answered as "not there": what is read is a stranger's.
class SqliteFile {
 public:
  /// nullopt: it cannot be read or is no such database.
  static std::optional<SqliteFile> open(const FileSystem& files, const std::string& path);

  /// How many bytes of pages may be read from now on: pages of a hostile file lead to one another.
  void allow(std::uint64_t bytes) { bytes_left_ = bytes; }
  /// Was there more to read than was allowed?
  [[nodiscard]] bool is_spent() const { return bytes_left_ < page_bytes_; }

  /// The first page of the table or index `name`; nullopt: there is none.
  [[nodiscard]] std::optional<std::uint32_t> root_of(std::string_view name);
  /// The payload of a row: columns_of() cuts it.
  [[nodiscard]] std::optional<std::string> row(std::uint32_t table, std::int64_t number);
  /// Calls `visit` with the number of each row whose indexed column is exactly `key`.
  void rows_with(std::uint32_t index, std::string_view key, const std::function<void(std::int64_t)>& visit);

  /// The first columns of a payload, at most 16; what lies beyond its bytes is left out.
  static std::vector<SqliteValue> columns_of(std::string_view payload);

 private:
  struct Cell;
  using Page = std::shared_ptr<const std::string>;
  using Visit = std::function<bool(const Cell&)>;
  SqliteFile() = default;
  bool read_header();
  void read_log(const File& log);
  Page page(std::uint32_t number);
  std::optional<Cell> cell_at(const std::string& page, std::size_t start, std::uint8_t kind, std::size_t offset) const;
  bool each_cell(std::uint32_t number, const std::function<bool(std::uint8_t kind, const Cell&)>& visit);
  std::optional<std::string> payload_of(const Cell& cell);
  bool visit_index(std::uint32_t number, int depth, std::string_view key,
                   const std::function<void(std::int64_t)>& visit);
  bool visit_rows(std::uint32_t number, int depth, const std::function<bool(std::string_view)>& visit);

  std::shared_ptr<const File> file_;
  std::size_t page_bytes_ = 0;
  std::size_t usable_bytes_ = 0;                 ///< of a page
  std::map<std::uint32_t, std::string> logged_;  ///< pages that the write-ahead log has anew
  std::map<std::uint32_t, Page> kept_;
  std::uint64_t bytes_left_ = 0;
};

}  // namespace soresolve
