// Random programs that call dlopen: their libraries, callers and calls.
#include <algorithm>
#include <iterator>
#include <string>

#include "differential/open_case.h"

namespace soresolve::test {
namespace {

/// Where libraries are: LD_LIBRARY_PATH, the program's RPATH or RUNPATH, the caller's.
constexpr std::string_view kDirectories[] = {"/d", "/c", "/e"};

const std::vector<std::string> kNames = {"liba.so", "libb.so", "libc.so", "libd.so", "libe.so", "libf.so"};

Symbol random_definition(Random& random) {
  Symbol symbol = defined("s" + std::to_string(random.below(5)));
  if (random.chance(25)) symbol = weak(symbol);
  if (random.chance(8)) symbol.binding = Binding::Unique;
  if (random.chance(8)) symbol.visibility = Visibility::Protected;
  return symbol;
}

/// TLSDESC takes what is left.
enum class Descriptors : std::uint8_t { None, Some };

/// A variable of the library, or of another, at a fixed place: around what the loader keeps for it.
void add_thread_variables(Random& random, ElfSpec& spec, Descriptors descriptors) {
  const std::uint64_t sizes[] = {16, 400, 512, 528, 800, 1024, 1200, 1600, 1648, 1664, 1680, 1712, 1728, 1744, 2000};
  const bool is_direct = random.chance(50) || descriptors == Descriptors::None;
  const std::uint32_t type = is_direct ? kRelocTpOff64 : kRelocTlsDesc;
  const std::string name = "t" + std::to_string(random.below(3));
  if (random.chance(70)) {
    Symbol variable = with(defined(name), SymbolType::Tls);
    variable.size_bytes = random.chance(70) ? sizes[random.below(std::size(sizes))] : 16 * random.between(1, 120);
    if (random.chance(20)) variable.visibility = Visibility::Hidden;
    if (random.chance(80)) {
      spec.refer(variable, type);
    } else {
      spec.define(variable);
      if (random.chance(50)) spec.relocations.push_back({type, {}, Relocation::Table::ByType});
    }
  } else {
    Symbol variable = with(undefined(name), SymbolType::Tls);
    if (random.chance(70)) variable = weak(variable);
    spec.refer(variable, type);
  }
}

ElfSpec random_library(Random& random, const std::string& name, Descriptors descriptors) {
  ElfSpec spec = library();
  if (random.chance(50)) spec.soname(name);
  for (const std::string& other : kNames) {
    if (other == name || !random.chance(25)) continue;
    spec.needed(other);
    if (random.chance(25)) {
      spec.version_needs.push_back({other, {{random.chance(90) ? "V1" : "V2", random.chance(40)}}});
    }
  }
  if (random.chance(60)) spec.version_definitions = {{name}, {"V1"}};
  if (random.chance(2)) spec.needed("gone.so");
  // Versions of a file that nothing is loaded under, or that another may have brought in.
  if (random.chance(3)) {
    spec.version_needs.push_back({random.chance(40) ? "other.so" : random.pick(kNames), {{"V1", random.chance(40)}}});
  }
  if (random.chance(4)) spec.flags_1 = kDf1NoOpen;
  if (random.chance(6)) {
    spec.add(random.chance(60) ? StringTag::Auxiliary : StringTag::Filter,
             random.chance(85) ? random.pick(kNames) : "gone.so");
  }
  if (random.chance(12)) add_thread_variables(random, spec, descriptors);
  if (random.chance(4)) spec.stack = StackHeader::Executable;
  if (random.chance(3)) spec.stack = StackHeader::Absent;
  spec.symbolic = random.chance(20);
  spec.hash = random.chance(50) ? HashTables::Gnu : HashTables::Sysv;
  for (std::size_t i = random.below(3); i-- > 0;) {
    const Symbol symbol = random_definition(random);
    const bool is_new =
        std::none_of(spec.symbols.begin(), spec.symbols.end(), [&](const Symbol& s) { return s.name == symbol.name; });
    if (!is_new) continue;
    if (random.chance(50))
      spec.refer(symbol, kReloc64);
    else
      spec.define(symbol);
  }
  for (std::size_t i = random.below(3); i-- > 0;) {
    Symbol symbol = undefined("s" + std::to_string(random.below(5)));
    const bool is_new =
        std::none_of(spec.symbols.begin(), spec.symbols.end(), [&](const Symbol& s) { return s.name == symbol.name; });
    if (!is_new) continue;
    if (random.chance(85)) symbol = weak(symbol);
    spec.refer(symbol, random.chance(50) ? kRelocGlobDat : kRelocJumpSlot);
  }
  if (random.chance(10))
    spec.runpath(std::string(kDirectories[random.below(3)]));
  else if (random.chance(10))
    spec.rpath(std::string(kDirectories[random.below(3)]));
  return spec;
}

constexpr std::uint32_t kIds[] = {0, 50, 100, 1000, 1001};

void give_owner(Random& random, TreeNode& node) {
  node.owner = kIds[random.below(5)];
  node.group = kIds[random.below(5)];
}

/// struct vfs_cap_data of the second revision.
std::string random_capabilities(Random& random) {
  constexpr std::uint32_t kDacOverride = 1u << 1;
  constexpr std::uint32_t kBindService = 1u << 10;
  const std::uint32_t permitted = random.chance(60) ? (random.chance(50) ? kDacOverride : kBindService) : 0;
  const std::uint32_t inheritable = random.chance(30) ? kBindService : 0;
  const std::uint32_t words[] = {0x02000000u | (random.chance(60) ? 1u : 0u), permitted, inheritable, 0, 0};
  std::string bytes;
  for (const std::uint32_t word : words)
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift & 0xff);
  return bytes;
}

/// Who starts the program, with which rights it runs, and what it may not open or search.
void make_users(Random& random, OpenCase& made) {
  made.user = random.chance(85) ? open_users()[random.below(2)].uid : 0;
  made.is_user_named = random.chance(50);
  std::string passwd = "root:x:0:0:root:/:/bin/sh\n";
  std::string group = "root:x:0:\n";
  for (const OpenUser& user : open_users()) {
    passwd += std::string(user.name) + ":x:" + std::to_string(user.uid) + ":" + std::to_string(user.gid) + "::/:\n";
    for (const std::uint32_t id : user.groups) {
      group += "g" + std::to_string(id) + ":x:" + std::to_string(id) + ":nobody," + std::string(user.name) + "\n";
    }
  }
  made.nodes.push_back(text_file("/etc/passwd", passwd));
  made.nodes.push_back(text_file("/etc/group", group));
  const std::uint32_t program_modes[] = {0755, 0755, 04755, 04755, 02755, 06755, 02745, 04711, 0711, 0750};
  made.program_file.mode = program_modes[random.below(10)];
  if (random.chance(70)) give_owner(random, made.program_file);
  if (random.chance(25)) made.program_file.capabilities = random_capabilities(random);
  const std::uint32_t file_modes[] = {0, 0600, 0640, 0604, 0044, 04755, 0400};
  for (TreeNode& node : made.nodes) {
    if (node.kind != NodeKind::Elf || !random.chance(25)) continue;
    node.mode = file_modes[random.below(7)];
    if (random.chance(60)) give_owner(random, node);
  }
  const std::uint32_t directory_modes[] = {0700, 0711, 0750, 0705, 0, 0644};
  for (const std::string_view path : kDirectories) {
    if (!random.chance(20)) continue;
    TreeNode node = directory(std::string(path));
    node.mode = directory_modes[random.below(6)];
    if (random.chance(60)) give_owner(random, node);
    made.nodes.insert(made.nodes.begin(), std::move(node));
  }
}

/// Files that are no libraries, and names that lead to them or nowhere.
std::string odd_file(Random& random, OpenCase& made) {
  constexpr std::string_view kOdd = "/d/odd.so";
  const std::string names[] = {
      std::string(kOdd), std::string(kOdd), "odd.so",          std::string(kOpener),   "/d",
      "none.so",         "/none/x.so",      "$ORIGIN/liba.so", "$ORIGIN/../d/libb.so", "/d/text.so",
      "/d/static",       "../d/libc.so"};
  const bool is_there =
      std::any_of(made.nodes.begin(), made.nodes.end(), [&](const TreeNode& node) { return node.path == kOdd; });
  if (!is_there) {
    const Damage damages[] = {Damage::Empty,      Damage::ShortText,    Damage::LongText,  Damage::HeaderOnly,
                              Damage::OtherClass, Damage::OtherMachine, Damage::OsAbi,     Damage::Relocatable,
                              Damage::Executable, Damage::Pie,          Damage::NoHeaders, Damage::NoLoad,
                              Damage::NoDynamic,  Damage::EmptyDynamic};
    made.nodes.push_back(damaged_file(std::string(kOdd), library(), damages[random.below(14)]));
    made.nodes.push_back(text_file("/d/text.so", "INPUT ( /lib/libreal.so )\n"));
    ElfSpec plain = program();
    plain.type = kEtExec;
    plain.has_dynamic = random.chance(50);
    made.nodes.push_back(elf_file("/d/static", plain));
  }
  return names[random.below(12)];
}

}  // namespace

const std::vector<OpenUser>& open_users() {
  static const std::vector<OpenUser> users = {{"alice", 1000, 100, {50}}, {"bob", 1001, 1001, {}}};
  return users;
}

OpenCase random_case(Random& random, bool has_users) {
  OpenCase made;
  const std::string tags[] = {"plain", "runpath", "rpath"};
  made.program = "opener-" + tags[random.below(3)];
  made.has_library_path = random.chance(80);
  const Descriptors descriptors = random.chance(20) ? Descriptors::Some : Descriptors::None;
  for (const std::string& name : kNames) {
    for (const std::string_view directory : kDirectories) {
      if (!random.chance(directory == "/d" ? 97 : 40)) continue;
      made.nodes.push_back(elf_file(std::string(directory) + "/" + name, random_library(random, name, descriptors)));
    }
  }
  if (random.chance(40)) {
    made.caller = "caller-" + tags[random.below(3)];
    made.dlopen_calls.push_back({std::string(kCaller)});
    if (random.chance(15)) made.dlopen_calls.back().mode.into = OpenInto::NewNamespace;
  }
  if (random.chance(15)) {
    const std::string tunables[] = {"glibc.rtld.optional_static_tls=0",
                                    "glibc.rtld.optional_static_tls=1024",
                                    "glibc.rtld.optional_static_tls=" + std::to_string(random.below(3000)),
                                    "glibc.rtld.nns=1",
                                    "glibc.rtld.nns=6:glibc.rtld.optional_static_tls=0x200",
                                    "glibc.rtld.nns=40"};
    made.environment.push_back("GLIBC_TUNABLES=" + tunables[random.below(std::size(tunables))]);
  }
  for (std::size_t i = random.between(1, 5); i-- > 0;) {
    const OpenScope scopes[] = {OpenScope::Local,  OpenScope::Local,    OpenScope::Local,
                                OpenScope::Global, OpenScope::DeepBind, OpenScope::GlobalDeepBind};
    const std::string name = random.pick(kNames);
    const std::string directory(kDirectories[random.below(3)]);
    OpenRequest request;
    request.file = random.chance(30) ? directory + "/" + name : name;
    if (random.chance(8)) request.file = odd_file(random, made);
    request.mode.scope = scopes[random.below(6)];
    if (random.chance(25)) request.mode.bind_time = BindTime::AsAsked;
    request.mode.only_if_loaded = random.chance(10);
    request.mode.stays = random.chance(15);
    if (random.chance(10)) {
      request.mode.into = OpenInto::NewNamespace;
      if (random.chance(80)) request.mode.scope = is_deep(request.mode.scope) ? OpenScope::DeepBind : OpenScope::Local;
    } else if (!made.caller.empty() && random.chance(60)) {
      request.caller = kCaller;
    }
    made.dlopen_calls.push_back(std::move(request));
  }
  made.program_file.mode = 0755;
  if (has_users && random.chance(35)) make_users(random, made);
  return made;
}

void suit_musl(OpenCase& made) {
  made.is_musl = true;
  for (OpenRequest& request : made.dlopen_calls) request.mode.into = OpenInto::CallersNamespace;
  for (TreeNode& node : made.nodes) {
    const bool is_of_the_kernel = node.damage == Damage::NoLoad || node.damage == Damage::EmptyDynamic ||
                                  node.damage == Damage::NoHeaders || node.damage == Damage::Executable;
    if (node.kind == NodeKind::Damaged && is_of_the_kernel) node.damage = Damage::Relocatable;
  }
}

std::vector<std::string> environment_of(const OpenCase& asked) {
  std::vector<std::string> entries = asked.environment;
  if (asked.has_library_path) entries.push_back("LD_LIBRARY_PATH=/d");
  return entries;
}

std::string mode_of(const OpenRequest& request) {
  const bool is_lazy = request.mode.bind_time == BindTime::AsAsked;
  std::string letters(1, is_lazy ? 'z' : 'w');
  if (is_global(request.mode.scope)) letters += 'g';
  if (is_deep(request.mode.scope)) letters += 'd';
  if (request.mode.only_if_loaded) letters += 'o';
  if (request.mode.stays) letters += 'k';
  if (request.mode.into == OpenInto::NewNamespace) letters += 'n';
  if (!request.caller.empty()) letters += 'x';
  return letters;
}

/// Files of the case; the names of others differ between releases.
bool is_ours(std::string_view path) {
  return path == kCaller || path.starts_with("/d/") || path.starts_with("/c/") || path.starts_with("/e/");
}

}  // namespace soresolve::test
