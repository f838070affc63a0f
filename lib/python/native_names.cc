// Cython writes the modules of cimports and of types out (PyImport_ImportModule("numpy.random._common")), so do
// CPython's capsules ("datetime.datetime_CAPI"), NumPy's import_array() and pybind11's module_::import(). All are whole
// strings in .rodata, or in the table that newer releases of Cython have there (cython_strings.h). Names of one part
// look like attributes and words of any kind; they count in modules of Cython alone.
#include "python/native_names.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <set>

#include "base/load.h"
#include "base/path.h"
#include "base/pieces.h"
#include "loader/load.h"
#include "python/cython_strings.h"
#include "python/tokens.h"

namespace soresolve::python {
namespace {

constexpr std::size_t kMostSections = 512;
constexpr std::uint64_t kMostBytes = 64u << 20;
constexpr std::uint64_t kMostOfLibrary = 4u << 20;  ///< larger ones are not Python's
constexpr std::size_t kShortest = 3;
constexpr std::size_t kLongest = 120;

std::string bytes_of(const File& file, std::uint64_t offset, std::uint64_t size) {
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(size, kMostBytes)), '\0');
  const Result<std::size_t, Errno> got = file.read_to_search(offset, std::as_writable_bytes(std::span(bytes)));
  bytes.resize(got ? *got : 0);
  return bytes;
}

std::uint64_t number_at(const std::string& bytes, std::size_t offset, std::size_t size) {
  const auto* at = reinterpret_cast<const std::byte*>(bytes.data() + offset);
  if (size == 2) return load_as<std::uint16_t>(at, std::endian::little);
  return size == 4 ? load_as<std::uint32_t>(at, std::endian::little) : load_as<std::uint64_t>(at, std::endian::little);
}

/// Contents of the sections whose names begin with ".rodata", one behind the other, of `most` bytes each at most.
std::string constants_of(const File& file, std::uint64_t most) {
  const std::string head = bytes_of(file, 0, sizeof(Elf64_Ehdr));
  const bool is_read = head.size() == sizeof(Elf64_Ehdr) && head.starts_with(ELFMAG) && head[EI_CLASS] == ELFCLASS64 &&
                       head[EI_DATA] == ELFDATA2LSB;
  if (!is_read) return {};
  const std::uint64_t start = number_at(head, offsetof(Elf64_Ehdr, e_shoff), 8);
  const std::uint64_t count = number_at(head, offsetof(Elf64_Ehdr, e_shnum), 2);
  const std::uint64_t names_index = number_at(head, offsetof(Elf64_Ehdr, e_shstrndx), 2);
  const bool is_plain = number_at(head, offsetof(Elf64_Ehdr, e_shentsize), 2) == sizeof(Elf64_Shdr) &&
                        count <= kMostSections && names_index < count;
  if (start == 0 || !is_plain) return {};
  const std::string table = bytes_of(file, start, count * sizeof(Elf64_Shdr));
  if (table.size() != count * sizeof(Elf64_Shdr)) return {};
  const auto field = [&](std::uint64_t index, std::size_t offset, std::size_t size) {
    return number_at(table, static_cast<std::size_t>(index) * sizeof(Elf64_Shdr) + offset, size);
  };
  const auto content = [&](std::uint64_t index) {
    return bytes_of(file, field(index, offsetof(Elf64_Shdr, sh_offset), 8),
                    field(index, offsetof(Elf64_Shdr, sh_size), 8));
  };
  const std::string names = content(names_index);
  std::string all;
  for (std::uint64_t i = 0; i < count && all.size() < kMostBytes; ++i) {
    const std::uint64_t name = field(i, offsetof(Elf64_Shdr, sh_name), 4);
    const bool is_constant = field(i, offsetof(Elf64_Shdr, sh_type), 4) == SHT_PROGBITS && name < names.size() &&
                             std::string_view(names).substr(name).starts_with(".rodata");
    const bool is_small = field(i, offsetof(Elf64_Shdr, sh_size), 8) <= most;
    if (!is_constant || !is_small) continue;
    // Behind the NUL that ends the last one, arrays stay where they are aligned.
    const std::size_t end = all.empty() ? 0 : all.size() + 1;
    all.resize((end + 15) / 16 * 16 + field(i, offsetof(Elf64_Shdr, sh_offset), 8) % 16, '\0');
    all += content(i);
  }
  return all;
}

/// The module that a text names, if it looks so.
std::optional<std::string> module_of(std::string_view text) {
  if (text.size() < kShortest || text.size() > kLongest || text.find('.') == std::string_view::npos)
    return std::nullopt;
  bool is_start = true;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (c == '.' ? is_start : !is_of_name(c) || (is_start && is_digit)) return std::nullopt;
    is_start = c == '.';
  }
  if (is_start) return std::nullopt;
  const std::size_t dot = text.rfind('.');
  const std::string_view last = text.substr(dot + 1);
  constexpr std::string_view kFiles[] = {"py", "pyx", "pxd", "pxi", "so", "c", "h", "cc", "cpp", "rs", "txt", "json"};
  if (std::find(std::begin(kFiles), std::end(kFiles), last) != std::end(kFiles)) return std::nullopt;
  const bool is_capsule = last.ends_with("_CAPI") || last.ends_with("_C_API") || last == "_ARRAY_API";
  return std::string(is_capsule ? text.substr(0, dot) : text);
}

/// Cython's table of names has the modules that are imported by one name among all others: "numpy", "copy".
bool is_word(std::string_view text) {
  // Words that no module of an extension means.
  constexpr std::string_view kOthers[] = {"antigravity", "cmd", "code", "idlelib", "site", "test", "this", "turtle"};
  return text.size() >= kShortest && text.size() <= kLongest && !(text[0] >= '0' && text[0] <= '9') &&
         std::all_of(text.begin(), text.end(), is_of_name) && !text.starts_with("__") &&
         std::find(std::begin(kOthers), std::end(kOthers), text) == std::end(kOthers);
}

/// The modules of lines "import a, b.c as d" and "from a import b": of code that is a text, and run by PyRun_String().
template <class Add>
void for_each_import(std::string_view constants, const Add& add) {
  constexpr std::string_view kImport = "import ";
  for (std::size_t at = constants.find(kImport); at != std::string_view::npos; at = constants.find(kImport, at + 1)) {
    const std::size_t start = at < kLongest ? 0 : at - kLongest;
    std::string_view line = constants.substr(start, at - start + 2 * kLongest);
    const std::size_t word = at - start;
    const auto is_end = [](char c) { return c == '\0' || c == '\n' || c == ';'; };
    line =
        line.substr(0, static_cast<std::size_t>(std::find_if(line.begin() + word, line.end(), is_end) - line.begin()));
    const auto before = std::find_if(line.rend() - word, line.rend(), is_end);
    line.remove_prefix(static_cast<std::size_t>(line.rend() - before));
    line = trimmed(line, " \t\r");
    const auto is_of_import = [](char c) {
      return is_of_name(c) || std::string_view(" \t.,*()").find(c) != std::string_view::npos;
    };
    if (!std::all_of(line.begin(), line.end(), is_of_import)) continue;
    const std::vector<std::string_view> words = words_in(line, " \t");
    if (line.starts_with("from ") && words.size() > 3) add(words[1]);
    if (!line.starts_with(kImport)) continue;
    for (const std::string_view each : pieces_in(line.substr(kImport.size()), ',')) {
      const std::vector<std::string_view> parts = words_in(each, " \t");
      if (parts.size() == 1 || (parts.size() == 3 && parts[1] == "as")) add(parts[0]);
    }
  }
}

}  // namespace

void NativeNames::add(Names& names, std::string_view constants) {
  std::set<std::string, std::less<>> known(names.all.begin(), names.all.end());
  const auto add = [&](std::string_view whole) {
    std::optional<std::string> name = module_of(whole);
    if (!name && is_word(whole)) name = std::string(whole);
    const bool is_new = name && names.all.size() < kMaxNativeNames && known.insert(*name).second;
    if (is_new) names.all.push_back(*std::move(name));
  };
  const std::vector<std::string> table = cython_strings(constants);
  for (const std::string& whole : table) add(whole);
  for_each_import(constants, add);
  while (!constants.empty() && names.all.size() < kMaxNativeNames) {
    const std::string_view whole = constants.substr(0, constants.find('\0'));
    constants.remove_prefix(std::min(whole.size() + 1, constants.size()));
    add(whole);
    std::optional<std::string> linked = table.empty() ? std::nullopt : module_of(whole);
    if (linked && *linked == whole) names.linked.push_back(*std::move(linked));
  }
}

const NativeNames::Names& NativeNames::read(const std::string& path) {
  const auto [known, is_new] = known_.try_emplace(path);
  if (!is_new) return known->second;
  const Result<std::unique_ptr<File>, Errno> file = files_.open(path);
  if (file) add(known->second, constants_of(**file, kMostBytes));
  const Result<OpenedObject> opened = open_object(files_, path, path);
  if (!opened) return known->second;
  // What a package has apart from its modules: libarrow_python.so beside pyarrow's lib.so.
  for (const NeedEntry& need : opened->elf.needs) {
    if (need.kind != NeedKind::Needed) continue;
    const std::string beside = path_in(directory_of(path), need.name);
    const Result<std::unique_ptr<File>, Errno> library = files_.open(beside);
    if (library) add(known->second, constants_of(**library, kMostOfLibrary));
  }
  return known->second;
}

bool NativeNames::is_module(std::string_view top, const std::function<bool(std::string_view)>& find) {
  const auto known = modules_.find(top);
  return known != modules_.end() ? known->second : modules_.emplace(std::string(top), find(top)).first->second;
}

}  // namespace soresolve::python
