// Finds the program of a stopped process by its DT_DEBUG, which leads to the loader's list, and compares what each
// relocation has written with what each object of the list would have given. Source: musl ldso/dynlink.c:do_relocs,
// map_library (TLS modules and offsets of x86-64); elf/link.h. No code of lib/ is used.
#include "differential/musl_memory.h"

#include <elf.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>

namespace soresolve::test {
namespace {

constexpr std::size_t kMostObjects = 1000;
constexpr std::size_t kMostSymbols = 100000;

/// The memory of another process.
class Memory {
 public:
  explicit Memory(int pid) : pid_(pid) {}

  [[nodiscard]] bool read(std::uint64_t address, void* into, std::size_t bytes) const {
    iovec local{into, bytes};
    iovec remote{reinterpret_cast<void*>(address), bytes};
    return process_vm_readv(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
  }
  template <class T>
  [[nodiscard]] T at(std::uint64_t address) const {
    T value{};
    return read(address, &value, sizeof value) ? value : T{};
  }
  template <class T>
  [[nodiscard]] std::vector<T> table(std::uint64_t address, std::size_t count) const {
    std::vector<T> entries(count);
    if (!read(address, entries.data(), count * sizeof(T))) entries.clear();
    return entries;
  }
  [[nodiscard]] std::string text(std::uint64_t address) const {
    std::string text;
    for (char c = at<char>(address); c != '\0' && text.size() < 6000; c = at<char>(address + text.size())) text += c;
    return text;
  }

 private:
  int pid_;
};

/// One object of the list, as musl's struct dso begins: base, name, dynv, next.
struct Object {
  std::uint64_t base = 0;
  std::string name;
  std::uint64_t hash = 0;
  std::uint64_t gnu_hash = 0;
  std::uint64_t symbols = 0;
  std::uint64_t strings = 0;
  std::uint64_t rela = 0;
  std::uint64_t rela_bytes = 0;
  std::uint64_t plt = 0;
  std::uint64_t plt_bytes = 0;
  std::optional<Elf64_Phdr> tls;
  std::uint64_t tls_module = 0;
  std::uint64_t tls_offset = 0;
  std::vector<Elf64_Sym> table;
};

class Reader {
 public:
  explicit Reader(int pid) : pid_(pid), memory_(pid) {}

  std::vector<HeldReference> run() {
    read_objects();
    place_tls();
    for (const Object& object : objects_) {
      if (object.name.empty() || object.symbols == 0) continue;
      note(object, memory_.table<Elf64_Rela>(object.base + object.rela, object.rela_bytes / sizeof(Elf64_Rela)));
      note(object, memory_.table<Elf64_Rela>(object.base + object.plt, object.plt_bytes / sizeof(Elf64_Rela)));
    }
    return std::move(held_);
  }

 private:
  /// Where files are mapped from their beginning.
  [[nodiscard]] std::vector<std::uint64_t> mapped_files() const {
    std::vector<std::uint64_t> starts;
    std::ifstream maps("/proc/" + std::to_string(pid_) + "/maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find(" 00000000 ") != std::string::npos) starts.push_back(std::stoull(line, nullptr, 16));
    }
    return starts;
  }

  /// The head of the list, by the DT_DEBUG that the loader has filled in: the program's.
  std::uint64_t find_list() {
    for (const std::uint64_t start : mapped_files()) {
      const bool is_fixed = memory_.at<Elf64_Ehdr>(start).e_type == ET_EXEC;
      program_ = headers_of(start);
      for (const Elf64_Phdr& header : program_) {
        if (header.p_type != PT_DYNAMIC) continue;
        std::uint64_t at = (is_fixed ? 0 : start) + header.p_vaddr;
        for (; memory_.at<Elf64_Dyn>(at).d_tag != DT_NULL; at += sizeof(Elf64_Dyn)) {
          const Elf64_Dyn tag = memory_.at<Elf64_Dyn>(at);
          if (tag.d_tag == DT_DEBUG && tag.d_un.d_ptr != 0) return memory_.at<std::uint64_t>(tag.d_un.d_ptr + 8);
        }
      }
    }
    return 0;
  }

  void read_objects() {
    std::uint64_t entry = find_list();
    while (entry != 0 && objects_.size() < kMostObjects) {
      const auto words = memory_.table<std::uint64_t>(entry, 4);
      if (words.empty()) return;
      Object object;
      object.base = words[0];
      object.name = memory_.text(words[1]);
      read_tags(object, words[2]);
      read_tls(object, objects_.empty() ? program_ : headers_of(object.base));
      read_symbols(object);
      objects_.push_back(std::move(object));
      entry = words[3];
    }
  }

  void read_tags(Object& object, std::uint64_t dynamic) {
    for (std::uint64_t at = dynamic; memory_.at<Elf64_Dyn>(at).d_tag != DT_NULL; at += sizeof(Elf64_Dyn)) {
      const Elf64_Dyn tag = memory_.at<Elf64_Dyn>(at);
      switch (tag.d_tag) {
        case DT_HASH: object.hash = tag.d_un.d_ptr; break;
        case DT_GNU_HASH: object.gnu_hash = tag.d_un.d_ptr; break;
        case DT_SYMTAB: object.symbols = tag.d_un.d_ptr; break;
        case DT_STRTAB: object.strings = tag.d_un.d_ptr; break;
        case DT_RELA: object.rela = tag.d_un.d_ptr; break;
        case DT_RELASZ: object.rela_bytes = tag.d_un.d_val; break;
        case DT_JMPREL: object.plt = tag.d_un.d_ptr; break;
        case DT_PLTRELSZ: object.plt_bytes = tag.d_un.d_val; break;
        default: break;
      }
    }
  }

  [[nodiscard]] std::vector<Elf64_Phdr> headers_of(std::uint64_t base) const {
    const auto header = memory_.at<Elf64_Ehdr>(base);
    if (std::string(reinterpret_cast<const char*>(header.e_ident), SELFMAG) != ELFMAG) return {};
    return memory_.table<Elf64_Phdr>(base + header.e_phoff, header.e_phnum);
  }

  static void read_tls(Object& object, const std::vector<Elf64_Phdr>& headers) {
    for (const Elf64_Phdr& header : headers) {
      if (header.p_type == PT_TLS) object.tls = header;
    }
  }

  /// Modules are numbered, and given their place below the thread's pointer, in the order of the list.
  void place_tls() {
    std::uint64_t module = 0;
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      Object& object = objects_[i];
      if (!object.tls) continue;
      const std::uint64_t image = object.base + object.tls->p_vaddr;
      const std::uint64_t align = std::max<std::uint64_t>(object.tls->p_align, 1);
      const std::uint64_t size = object.tls->p_memsz;
      if (i == 0) {
        offset = size + ((0 - (image + size)) & (align - 1));
      } else {
        offset += size + align - 1;
        offset -= (offset + image) & (align - 1);
      }
      object.tls_module = ++module;
      object.tls_offset = offset;
    }
  }

  void read_symbols(Object& object) {
    std::size_t count = 0;
    if (object.hash != 0) {
      count = memory_.at<std::uint32_t>(object.base + object.hash + 4);
    } else if (object.gnu_hash != 0) {
      count = count_of_gnu(object.base + object.gnu_hash);
    }
    if (count <= kMostSymbols) object.table = memory_.table<Elf64_Sym>(object.base + object.symbols, count);
  }

  [[nodiscard]] std::size_t count_of_gnu(std::uint64_t table) const {
    const auto head = memory_.table<std::uint32_t>(table, 4);
    if (head.empty()) return 0;
    const std::uint64_t buckets = table + 16 + 8ull * head[2];
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < head[0]; ++i) last = std::max(last, memory_.at<std::uint32_t>(buckets + 4ull * i));
    const std::uint64_t chains = buckets + 4ull * head[0];
    if (last < head[1]) return head[1];  // nothing is hashed
    while (last - head[1] < kMostSymbols && (memory_.at<std::uint32_t>(chains + 4ull * (last - head[1])) & 1) == 0)
      ++last;
    return last + 1;
  }

  void note(const Object& object, const std::vector<Elf64_Rela>& relocations) {
    for (const Elf64_Rela& relocation : relocations) {
      const std::uint64_t number = ELF64_R_SYM(relocation.r_info);
      const std::uint64_t type = ELF64_R_TYPE(relocation.r_info);
      const bool is_read = type == R_X86_64_64 || type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT ||
                           type == R_X86_64_DTPMOD64 || type == R_X86_64_TPOFF64;
      if (number == 0 || !is_read) continue;
      const auto symbol = memory_.at<Elf64_Sym>(object.base + object.symbols + number * sizeof(Elf64_Sym));
      if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
      HeldReference held;
      held.referrer = object.name;
      held.symbol = memory_.text(object.base + object.strings + symbol.st_name);
      const auto value = memory_.at<std::uint64_t>(object.base + relocation.r_offset);
      const auto addend = static_cast<std::uint64_t>(relocation.r_addend);
      note_providers(held, held.symbol, type, value, addend);
      // Since 1.2.4 libc is asked once more without it (get_lfs64).
      if (held.providers.empty() && held.symbol.ends_with("64")) {
        note_providers(held, held.symbol.substr(0, held.symbol.size() - 2), type, value, addend);
      }
      // Nothing, or what was there before.
      const bool is_nothing = held.providers.empty() && (value == addend || type == R_X86_64_TPOFF64);
      if (!is_nothing) held_.push_back(std::move(held));
    }
  }

  void note_providers(HeldReference& held, const std::string& name, std::uint64_t type, std::uint64_t value,
                      std::uint64_t addend) const {
    for (const Object& other : objects_) {
      if (gives(other, name, type, value, addend)) held.providers.push_back(other.name);
    }
  }

  [[nodiscard]] bool gives(const Object& other, const std::string& name, std::uint64_t type, std::uint64_t value,
                           std::uint64_t addend) const {
    return std::any_of(other.table.begin(), other.table.end(), [&](const Elf64_Sym& symbol) {
      const bool is_thread_local = ELF64_ST_TYPE(symbol.st_info) == STT_TLS;
      if (symbol.st_shndx == SHN_UNDEF && (symbol.st_value == 0 || is_thread_local)) return false;
      if (symbol.st_value == 0 && !is_thread_local) return false;
      const std::uint64_t given = type == R_X86_64_DTPMOD64  ? other.tls_module
                                  : type == R_X86_64_TPOFF64 ? symbol.st_value - other.tls_offset + addend
                                                             : other.base + symbol.st_value + addend;
      return given == value && memory_.text(other.base + other.strings + symbol.st_name) == name;
    });
  }

  int pid_;
  Memory memory_;
  std::vector<Elf64_Phdr> program_;  ///< its program headers
  std::vector<Object> objects_;
  std::vector<HeldReference> held_;
};

}  // namespace

std::vector<HeldReference> read_held_references(int pid) { return Reader(pid).run(); }

}  // namespace soresolve::test
