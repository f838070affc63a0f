// Files made to blow up: memory and time of each question grow no faster than the files, whose size is doubled.
//
// Each case makes a tree of a size, asks, and measures the most memory at one time (memory_meter.h). With --count it
// counts the instructions at a quarter of the size, at half of it and at the whole (work_meter.h): of what grows with
// the size, the second step takes twice the instructions of the first, whatever is taken once. Where the loader itself
// has as much to do as the square of the size (all libraries need each other), the bound is that square. Times are
// shown and decide nothing: they are of this machine and of what else runs on it.
//
// usage: growth [--scale N] [--only TEXT] [--count FILE | --write DIR]
//   --scale N     N hundredths of each size
//   --count FILE  under valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file=FILE
//   --write DIR   writes the files of the case and asks nothing
// Exit status: 0 all is well, 1 not, 2 usage.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hostile/memory_meter.h"
#include "hostile/work_meter.h"
#include "soresolve/diagnose.h"
#include "soresolve/remedies.h"
#include "soresolve/report.h"
#include "soresolve/survey.h"
#include "soresolve/symbols.h"
#include "soresolve/world.h"
#include "support/elf_writer.h"
#include "symbols/symbol_answer.h"

namespace soresolve::test {
namespace {

constexpr std::size_t kMiB = 64;
constexpr double kLinear = 2;  ///< times the instructions of half the step in size
constexpr double kQuadratic = 4;
constexpr double kTolerance = 1.1;

using Tree = std::map<std::string, std::string>;  ///< path and bytes

enum class Asks { Check, Why, Search, Symvers, Tree, Scan, Later };

struct Case {
  const char* name;
  Asks asks;
  std::size_t size;
  double growth;
  std::size_t max_mib;
  std::function<void(Tree&, std::size_t)> make;
};

/// One of 2^32 names of equal GNU hash: 33 * 'b' + 'A' = 33 * 'a' + 'b'.
std::string twin(std::size_t number) {
  std::string name;
  for (int bit = 0; bit < 20; ++bit) name += (number >> bit & 1) != 0 ? "bA" : "ab";
  return name;
}

std::string text(std::string_view before, std::size_t number, std::string_view after = {}) {
  return std::string(before) + std::to_string(number) + std::string(after);
}

void put(Tree& tree, const std::string& path, const ElfSpec& spec) { tree[path] = write_elf(spec); }

ElfSpec gnu(ElfSpec spec) {
  spec.hash = HashTables::Gnu;
  return spec;
}

/// A program that refers to `count` symbols of a library that defines as many, name by name.
void put_pair(Tree& tree, std::size_t count, HashTables hash, const std::function<std::string(std::size_t)>& name) {
  ElfSpec user = program().needed("libx.so");
  ElfSpec library_x = library().soname("libx.so");
  library_x.hash = hash;
  for (std::size_t i = 0; i < count; ++i) {
    user.refer(undefined(name(i)));
    library_x.define(defined(name(i)));
  }
  put(tree, "/app/prog", user);
  put(tree, "/lib64/libx.so", library_x);
}

void put_equal_definitions(Tree& tree, std::size_t count, HashTables hash) {
  put(tree, "/app/prog", program().needed("libx.so").refer(undefined("f")));
  ElfSpec library_x = library().soname("libx.so");
  library_x.hash = hash;
  for (std::size_t i = 0; i < count; ++i) library_x.define(defined("f"));
  put(tree, "/lib64/libx.so", library_x);
}

/// One name in as many versions as there are, asked for in each of them.
void put_versions(Tree& tree, std::size_t count) {
  ElfSpec user = program().needed("libx.so");
  ElfSpec library_x = gnu(library().soname("libx.so"));
  library_x.version_definitions = {{"libx.so"}};
  user.version_needs = {{"libx.so", {}}};
  for (std::size_t i = 0; i < count; ++i) {
    library_x.version_definitions.push_back({text("V", i)});
    user.version_needs[0].versions.push_back({text("V", i)});
    Symbol symbol = defined("f");
    symbol.version_index = static_cast<std::uint16_t>(i + 2);
    library_x.define(symbol);
    symbol.place = SymbolPlace::Undefined;
    user.define(symbol);
  }
  put(tree, "/lib64/libx.so", library_x);
  // All its symbols have one key; the relocations are written by number.
  user.relocations.clear();
  for (std::size_t i = 0; i < count; ++i) {
    user.symbols[i].version = text("V", i);
    Relocation relocation;
    relocation.symbol = text("f@V", i);
    user.relocations.push_back(relocation);
  }
  put(tree, "/app/prog", user);
}

/// `libraries` libraries that all define and require `versions` versions of one name.
void put_many_versions(Tree& tree, std::size_t libraries, std::size_t versions) {
  ElfSpec user = program();
  for (std::size_t k = 0; k < libraries; ++k) {
    const std::string soname = text("lib", k, ".so");
    const std::string next = text("lib", (k + 1) % libraries, ".so");
    user.needed(soname);
    ElfSpec spec = gnu(library().soname(soname).needed(next));
    spec.version_definitions = {{soname}};
    spec.version_needs = {{next, {}}};
    for (std::size_t i = 0; i < versions; ++i) {
      spec.version_definitions.push_back({text("V", i)});
      spec.version_needs[0].versions.push_back({text("V", i)});
      Symbol symbol = defined(text("f", i));
      symbol.version_index = static_cast<std::uint16_t>(i + 2);
      spec.define(symbol);
    }
    put(tree, "/lib64/" + soname, spec);
  }
  put(tree, "/app/prog", user);
}

/// `count` versions that a library has, and as many that it is required to have; one symbol in each of these.
void put_lacking_versions(Tree& tree, std::size_t count) {
  ElfSpec user = program().needed("libx.so");
  ElfSpec library_x = gnu(library().soname("libx.so"));
  library_x.version_definitions = {{"libx.so"}};
  user.version_needs = {{"libx.so", {}}};
  for (std::size_t i = 0; i < count; ++i) {
    library_x.version_definitions.push_back({text("V_1.", i)});
    user.version_needs[0].versions.push_back({text("V_2.", i)});
  }
  put(tree, "/lib64/libx.so", library_x);
  put(tree, "/app/prog", user);
}

/// A symbol that nobody defines, asked for in each version of each of the libraries.
void put_lacking_symbols(Tree& tree, std::size_t libraries, std::size_t versions) {
  ElfSpec user = program();
  for (std::size_t k = 0; k < libraries; ++k) {
    const std::string soname = text("lib", k, ".so");
    user.needed(soname);
    ElfSpec spec = gnu(library().soname(soname));
    spec.version_definitions = {{soname}};
    VersionNeeds needs{soname, {}};
    for (std::size_t i = 0; i < versions; ++i) {
      const std::string version = text("V", k * versions + i);
      spec.version_definitions.push_back({version});
      needs.versions.push_back({version});
      user.refer(undefined("f", version));
    }
    user.version_needs.push_back(needs);
    put(tree, "/lib64/" + soname, spec);
  }
  put(tree, "/app/prog", user);
}

/// One missing library, and many that need it.
void put_needers(Tree& tree, std::size_t count) {
  ElfSpec user = program();
  for (std::size_t i = 0; i < count; ++i) {
    user.needed(text("lib", i, ".so"));
    put(tree, "/lib64/" + text("lib", i, ".so"), library().needed("liblost.so"));
  }
  put(tree, "/app/prog", user);
}

/// All have one SONAME, and all need what goes by it.
void put_other_versions(Tree& tree, std::size_t count) {
  ElfSpec user = program();
  for (std::size_t i = 0; i < count; ++i) {
    user.needed(text("lib", i, ".so"));
    put(tree, "/lib64/" + text("lib", i, ".so"), library().soname("libsame.so").needed("libsame.so"));
  }
  put(tree, "/app/prog", user);
}

std::string run_path(std::size_t directories, std::string_view before = "/d") {
  std::string path;
  for (std::size_t i = 0; i < directories; ++i) path += (i == 0 ? "" : ":") + text(before, i);
  return path;
}

void put_missing(Tree& tree, std::size_t missing, std::size_t directories) {
  ElfSpec spec = program();
  spec.runpath(run_path(directories));
  for (std::size_t i = 0; i < missing; ++i) spec.needed(text("liblost", i, ".so"));
  put(tree, "/app/prog", spec);
}

void put_dense(Tree& tree, std::size_t count) {
  ElfSpec all = library();
  for (std::size_t i = 0; i < count; ++i) all.needed(text("lib", i, ".so"));
  for (std::size_t i = 0; i < count; ++i)
    put(tree, "/lib64/" + text("lib", i, ".so"), ElfSpec(all).soname(text("lib", i, ".so")));
  put(tree, "/app/prog", program().needed("lib0.so"));
}

/// Each library needs the next one.
void put_chain(Tree& tree, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    put(tree, "/lib64/" + text("lib", i, ".so"), library().needed(text("lib", i + 1, ".so")));
  put(tree, "/lib64/" + text("lib", count, ".so"), library());
  put(tree, "/app/prog", program().needed("lib0.so"));
}

/// A library among whose constants are the names of libraries, of which every other one is there.
void put_named(Tree& tree, std::size_t count) {
  ElfSpec user = library();
  for (std::size_t i = 0; i < count; ++i) {
    user.notes.push_back({"X", 1, text("lib", i, ".so")});
    if (i % 2 == 0) put(tree, "/lib64/" + text("lib", i, ".so"), library().needed("liblost.so"));
  }
  std::string bytes = write_elf(user);
  // The writer's only segment is made read-only.
  constexpr std::size_t kHeaderBytes = 56;
  std::size_t at = 64;
  while (bytes.compare(at, 4, std::string("\1\0\0\0", 4)) != 0) at += kHeaderBytes;
  bytes[at + 4] = 4;
  tree["/lib64/libuser.so"] = bytes;
  put(tree, "/app/prog", program().needed("libuser.so"));
}

/// As many lines that include all files of a directory as there are files.
void put_includes(Tree& tree, std::size_t count) {
  put(tree, "/app/prog", program().needed("liblost.so"));
  for (std::size_t i = 0; i < count; ++i) {
    tree["/etc/ld.so.conf"] += "include /etc/ld.so.conf.d/*.conf\n";
    tree["/etc/ld.so.conf.d/" + text("d", i, ".conf")] = text("/d", i, "\n");
  }
}

/// Files of one directory: half of them lack a library that is nowhere, the others one of them, which is not found.
void put_siblings(Tree& tree, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    put(tree, "/app/lib/" + text("lib", i, ".so"), library().needed(i % 2 == 0 ? "liblost.so" : "lib0.so"));
  }
}

/// A program that lacks symbols of C++, and a library that defines others, name by name.
void put_near_symbols(Tree& tree, std::size_t count, const std::function<std::string(std::size_t)>& name) {
  ElfSpec user = program().needed("libx.so");
  for (std::size_t i = 0; i < 8; ++i) user.refer(undefined(text("_ZN5torch3jit7missed", i, "Ev")));
  ElfSpec library_x = gnu(library().soname("libx.so"));
  for (std::size_t i = 0; i < count; ++i) library_x.define(defined(name(i)));
  put(tree, "/app/prog", user);
  put(tree, "/lib64/libx.so", library_x);
}

/// "_ZN5torch3jit4g123EPKci": torch::jit::g123(char const*, int).
std::string other_function(std::size_t number) {
  const std::string name = text("g", number);
  return text("_ZN5torch3jit", name.size()) + name + "EPKci";
}
/// "_ZN5torch3jit7missed0E4a123": torch::jit::missed0(a123).
std::string overload(std::size_t number) {
  const std::string name = text("a", number);
  return text("_ZN5torch3jit7missed0E", name.size()) + name;
}

const Case kCases[] = {
    {"names of equal GNU hash, as many references as definitions", Asks::Check, 50000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_pair(tree, size, HashTables::Gnu, twin); }},
    {"names of equal GNU hash behind a SysV table", Asks::Check, 50000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_pair(tree, size, HashTables::Sysv, twin); }},
    {"one reference and many equal definitions", Asks::Check, 50000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_equal_definitions(tree, size, HashTables::Gnu); }},
    {"one reference and many equal definitions in a SysV table", Asks::Check, 50000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_equal_definitions(tree, size, HashTables::Sysv); }},
    {"the search for a symbol with many equal definitions", Asks::Search, 50000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_equal_definitions(tree, size, HashTables::Gnu); }},
    {"near misses of C++ symbols among a million", Asks::Check, 1000000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_near_symbols(tree, size, other_function); }},
    {"near misses of C++ symbols among overloads of one name", Asks::Check, 200000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_near_symbols(tree, size, overload); }},
    {"one name in many versions", Asks::Check, 16000, kLinear, kMiB, put_versions},
    {"many versions of many libraries", Asks::Check, 400, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_many_versions(tree, size, 100); }},
    {"many versions of a few libraries", Asks::Check, 4000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_many_versions(tree, 10, size); }},
    {"a RUNPATH of many folders", Asks::Why, 50000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_missing(tree, 1, size); }},
    {"many lost libraries", Asks::Why, 4000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_missing(tree, size, 1); }},
    {"a few lost libraries and a long RUNPATH", Asks::Why, 8000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_missing(tree, 4, size); }},
    {"many lost libraries and a long RUNPATH", Asks::Why, 40000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_missing(tree, size, 40000); }},
    {"libraries of one SONAME that all need it", Asks::Why, 4000, kQuadratic, kMiB, put_other_versions},
    {"many lost libraries", Asks::Check, 16000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_missing(tree, size, 1); }},
    {"many that need one lost library", Asks::Check, 8000, kLinear, kMiB, put_needers},
    {"many that need one lost library", Asks::Why, 8000, kLinear, kMiB, put_needers},
    {"many versions that are not defined", Asks::Check, 8000, kLinear, kMiB, put_lacking_versions},
    {"many versions that are not defined", Asks::Why, 8000, kLinear, kMiB, put_lacking_versions},
    {"a symbol that is not defined in many versions", Asks::Check, 16000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_lacking_symbols(tree, 1, size); }},
    {"a symbol that is not defined in many libraries", Asks::Check, 4000, kLinear, kMiB,
     [](Tree& tree, std::size_t size) { put_lacking_symbols(tree, size, 1); }},
    {"many versions of very many libraries", Asks::Check, 2000, kLinear, 192,
     [](Tree& tree, std::size_t size) { put_many_versions(tree, size, 500); }},
    {"many versions of very many libraries", Asks::Why, 2000, kLinear, 192,
     [](Tree& tree, std::size_t size) { put_many_versions(tree, size, 500); }},
    {"libraries that all need each other", Asks::Why, 500, kQuadratic, 2 * kMiB, put_dense},
    {"libraries that all need each other", Asks::Check, 500, kQuadratic, kMiB, put_dense},
    {"a chain of libraries", Asks::Why, 5000, kLinear, kMiB, put_chain},
    {"a chain of libraries", Asks::Check, 5000, kLinear, kMiB, put_chain},
    {"names of libraries among constants", Asks::Later, 50000, kLinear, kMiB, put_named},
    {"files of one directory that lack a library", Asks::Scan, 4000, kLinear, kMiB, put_siblings},
    {"libraries that all need each other, repeated", Asks::Tree, 500, kQuadratic, 2 * kMiB, put_dense},
    {"a configuration that includes all files again and again", Asks::Why, 4000, kLinear, kMiB, put_includes},
};

constexpr std::uint64_t kSparseBytes = std::uint64_t{1} << 40;

/// The libraries are files of a tebibyte with a hole behind what is in them.
class SparseFileSystem final : public FileSystem {
 public:
  explicit SparseFileSystem(std::shared_ptr<const FileSystem> files) : files_(std::move(files)) {}
  Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override {
    Result<std::unique_ptr<File>, Errno> file = files_->open(path);
    if (!file || path.find("libx.so") == std::string_view::npos) return file;
    return std::unique_ptr<File>(std::make_unique<SparseFile>(std::move(file).value()));
  }
  Result<FileStatus, Errno> status(std::string_view path) const override { return files_->status(path); }
  Result<std::string, Errno> real_path(std::string_view path) const override { return files_->real_path(path); }
  Result<std::string, Errno> read_link(std::string_view path) const override { return files_->read_link(path); }
  Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override {
    return files_->list_directory(path);
  }

 private:
  class SparseFile final : public File {
   public:
    explicit SparseFile(std::unique_ptr<File> file) : File(sparse(file->status())), file_(std::move(file)) {}
    Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
      const std::uint64_t left = offset < kSparseBytes ? kSparseBytes - offset : 0;
      into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left)));
      std::fill(into.begin(), into.end(), std::byte{0});
      const Result<std::size_t, Errno> got = file_->read_at(offset, into);
      return got ? Result<std::size_t, Errno>(into.size()) : got;
    }
    std::uint64_t next_data(std::uint64_t offset) const override {
      return offset < file_->status().size_bytes ? offset : std::max(offset, kSparseBytes);
    }

   private:
    static FileStatus sparse(FileStatus status) {
      status.size_bytes = kSparseBytes;
      return status;
    }
    std::unique_ptr<File> file_;
  };
  std::shared_ptr<const FileSystem> files_;
};

std::uint64_t number_at(const std::string& bytes, std::size_t at, std::size_t width) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + at, width);
  return number;
}
void put_number(std::string& bytes, std::size_t at, std::uint64_t number, std::size_t width) {
  std::memcpy(bytes.data() + at, &number, width);
}

/// Where a dynamic tag of the file leads; its one segment begins at address 0 and is made as long as the file.
std::size_t stretch_and_find(std::string& bytes, std::uint64_t tag) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < number_at(bytes, 56, 2); ++i) {
    const std::size_t header = number_at(bytes, 32, 8) + 56 * i;
    if (number_at(bytes, header, 4) == 1) {
      put_number(bytes, header + 32, kSparseBytes, 8);
      put_number(bytes, header + 40, kSparseBytes, 8);
    }
    if (number_at(bytes, header, 4) != 2) continue;
    for (std::size_t at = number_at(bytes, header + 8, 8); number_at(bytes, at, 8) != 0; at += 16) {
      if (number_at(bytes, at, 8) == tag) found = number_at(bytes, at + 8, 8);
    }
  }
  return found;
}

/// What a file of a tebibyte claims to have.
enum class Claim { SysvSymbols, GnuBucket, ReferredSymbol };

void put_sparse(Tree& tree, Claim claim) {
  put(tree, "/app/prog", program().needed("libx.so").refer(undefined("f")));
  ElfSpec spec = library().soname("libx.so").define(defined("f")).refer(undefined("g"));
  spec.hash = claim == Claim::SysvSymbols ? HashTables::Sysv : HashTables::Gnu;
  std::string bytes = write_elf(spec);
  constexpr std::uint64_t kHash = 4;
  constexpr std::uint64_t kRela = 7;
  constexpr std::uint64_t kGnuHash = 0x6ffffef5;
  switch (claim) {
    case Claim::SysvSymbols: put_number(bytes, stretch_and_find(bytes, kHash) + 4, 1u << 30, 4); break;
    case Claim::GnuBucket: {
      const std::size_t table = stretch_and_find(bytes, kGnuHash);
      put_number(bytes, table + 16 + 8 * number_at(bytes, table + 8, 4), 1u << 30, 4);
      break;
    }
    case Claim::ReferredSymbol: put_number(bytes, stretch_and_find(bytes, kRela) + 12, 0xfffffff0, 4); break;
  }
  tree["/lib64/libx.so"] = bytes;
}

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// What the commands do; the length of the answer, or the refusal.
std::string ask(const std::shared_ptr<const FileSystem>& files, Asks asks) {
  WorldSettings settings;
  settings.where.files = files;
  settings.start.clean_env = true;
  settings.machine.cpu = "x86-64-v3";
  settings.host = {"/", "x86_64", "6.1.0"};
  if (asks == Asks::Scan) {
    const Result<Survey> found = survey(settings, {"/app"});
    return found ? text("", found->groups.size(), " causes") : found.error().to_string();
  }
  World world(settings);
  if (asks == Asks::Symvers) {
    Result<OpenedLibrary> opened = world.open_library("/lib64/libx.so");
    if (!opened) return opened.error().to_string();
    const Result<VersionedLibrary> library =
        read_versioned_library(*opened->object.file, opened->object.elf, opened->path);
    return library ? text("", library->symbols.symbols.size(), " symbols") : library.error().to_string();
  }
  const std::string file = "/app/prog";
  if (asks == Asks::Tree) {
    const Result<Resolution> run = world.resolve(file);
    if (!run) return run.error().to_string();
    const TreeOptions all{.seen = TreeOptions::Seen::Again};
    const TreeReport report{run->map(), file, run->dlopens(DlopenLevel::None)};
    return text("", to_text(document_of(report, all)).size(), " bytes");
  }
  const Attempts attempts = asks == Asks::Why ? Attempts::Record : Attempts::Discard;
  const DlopenLevel later = asks == Asks::Later ? DlopenLevel::Strings : DlopenLevel::None;
  const Result<Answer> answer = ask(world, {.file = file, .later = later, .cuda = JudgeCuda::No, .attempts = attempts});
  if (!answer) return answer.error().to_string();
  const Resolution* const run = answer->run();
  const LinkMap& map = run->map();
  if (asks == Asks::Later) return text("", run->checked_dlopens(DlopenLevel::Strings).dlopens.list.size(), " names");
  if (asks == Asks::Check) {
    if (answer->unreadable()) return answer->unreadable()->to_string();
    return text("", to_text(view(*answer, {.as = View::As::Check})).size(), " bytes");
  }
  if (asks == Asks::Search) {
    const Result<Bindings> bindings = bind_symbols(map);
    if (!bindings) return bindings.error().to_string();
    const Result<SymbolAnswer> answer = answer_symbol(map, *bindings, "f");
    return answer ? std::string("an answer") : answer.error().to_string();
  }
  const Document document = view(*answer, {.as = View::As::Why});
  std::size_t bytes = to_text(document).size();
  document.data([&](std::string_view part) { bytes += part.size(); });
  bytes += to_text(document_of(TreeReport{map, file, {}})).size();
  return text("", bytes, " bytes");
}

struct Measured {
  double seconds = 0;
  std::size_t bytes = 0;
  std::string answer;
};

std::shared_ptr<MemoryFileSystem> files_of(const Tree& tree) {
  auto files = std::make_shared<MemoryFileSystem>();
  for (const auto& [path, bytes] : tree) files->add_file(path, bytes, 0755);
  return files;
}

Tree tree_of(const Case& c, std::size_t size) {
  Tree tree;
  c.make(tree, size);
  tree["/lib64/ld-linux-x86-64.so.2"] = write_loader();
  return tree;
}

Measured measure(const std::shared_ptr<MemoryFileSystem>& files, Asks asks) {
  const std::size_t before = start_metering();
  const double start = cpu_seconds();
  Measured now;
  now.answer = ask(files, asks);
  now.seconds = cpu_seconds() - start;
  now.bytes = peak_bytes() - before;
  return now;
}

/// A file may claim more than anybody can read: what it takes is measured on its own.
bool is_small(Claim claim, Asks asks) {
  Tree tree = tree_of({"", asks, 0, 0, 0, [](Tree&, std::size_t) {}}, 0);
  put_sparse(tree, claim);
  const auto files = std::make_shared<SparseFileSystem>(files_of(tree));
  const std::size_t before = start_metering();
  const std::string answer = ask(files, asks);
  const std::size_t bytes = peak_bytes() - before;
  std::printf("a file of a tebibyte, claim %d: %.1f MiB%s  (%s)\n", static_cast<int>(claim),
              static_cast<double>(bytes) / (1 << 20), bytes <= kMiB << 20 ? "" : "  TOO MUCH MEMORY", answer.c_str());
  std::fflush(stdout);
  return bytes <= kMiB << 20;
}

/// Memory, of the whole size.
bool is_little(const Case& c, std::size_t size) {
  const Measured whole = measure(files_of(tree_of(c, size)), c.asks);
  const bool is_little = whole.bytes <= c.max_mib << 20;
  std::printf("%-62s %7zu: %7.3f s %6.1f MiB%s  (%.60s)\n", c.name, size, whole.seconds,
              static_cast<double>(whole.bytes) / (1 << 20), is_little ? "" : "  TOO MUCH MEMORY", whole.answer.c_str());
  std::fflush(stdout);
  return is_little;
}

/// Instructions, by two steps in size.
bool is_in_proportion(const Case& c, std::size_t size, const std::string& counts) {
  const std::size_t sizes[] = {size / 4, size / 2, size};
  std::vector<std::shared_ptr<MemoryFileSystem>> files;
  for (const std::size_t each : sizes) files.push_back(files_of(tree_of(c, each)));
  double millions[std::size(sizes)] = {};
  {
    WorkMeter meter(counts);
    for (std::size_t i = 0; i < std::size(sizes); ++i)
      millions[i] = static_cast<double>(meter.count([&] { ask(files[i], c.asks); })) / 1e6;
  }
  const double growth = (millions[2] - millions[1]) / (millions[1] - millions[0]);
  const bool is_good = growth <= c.growth * kTolerance;
  std::printf("%-62s %6zu: %8.2f; %6zu: %8.2f; %6zu: %8.2f million instructions; %4.2f times%s\n", c.name, sizes[0],
              millions[0], sizes[1], millions[1], sizes[2], millions[2], growth, is_good ? "" : "  GROWS TOO FAST");
  std::fflush(stdout);
  return is_good;
}

void write_tree(const Tree& tree, const std::string& directory) {
  for (const auto& [path, bytes] : tree) {
    std::filesystem::create_directories(std::filesystem::path(directory + path).parent_path());
    std::ofstream(directory + path, std::ios::binary) << bytes;
    std::filesystem::permissions(directory + path, std::filesystem::perms::owner_all);
  }
}

int run(int argc, char** argv) {
  std::size_t scale = 100;
  std::string_view only;
  std::string directory;
  std::string counts;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc) return 2;
    if (option == "--scale")
      scale = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--only")
      only = argv[i + 1];
    else if (option == "--count")
      counts = argv[i + 1];
    else if (option == "--write")
      directory = argv[i + 1];
    else
      return 2;
  }
  if (!counts.empty() && !can_count_work()) {
    std::puts("skipped: this is not run by valgrind, or was built without valgrind/callgrind.h");
    return 77;
  }
  int failures = 0;
  for (const Case& c : kCases) {
    if (std::string_view(c.name).find(only) == std::string_view::npos) continue;
    const std::size_t size = c.size * scale / 100;
    if (!directory.empty()) {
      write_tree(tree_of(c, size), directory);
      return 0;
    }
    failures += counts.empty() ? !is_little(c, size) : !is_in_proportion(c, size, counts);
  }
  if (!counts.empty()) return failures == 0 ? 0 : 1;
  for (const Claim claim : {Claim::SysvSymbols, Claim::GnuBucket, Claim::ReferredSymbol}) {
    if (!only.empty() && only != "tebibyte") break;
    failures += !is_small(claim, Asks::Symvers);
    failures += !is_small(claim, Asks::Check);
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace soresolve::test

int main(int argc, char** argv) { return soresolve::test::run(argc, argv); }
