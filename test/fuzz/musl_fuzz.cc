// A machine with musl's loader of which one file is any bytes: the walk, a trace and a start come to an end, twice the
// same, and what they say points to something that is there.
//
// The first byte says which of the files it is, the second one the release, the environment and who opens what; the
// rest is the file.
#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "fuzz/fuzz_target.h"
#include "fuzz/memory_limit.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/report.h"
#include "soresolve/symbols.h"
#include "support/elf_writer.h"
#include "support/every_question.h"
#include "symbols/startup.h"

namespace soresolve::test::musl_target {
namespace {

using namespace std::string_literals;

constexpr const char* kLoader = "/lib/ld-musl-x86_64.so.1";
constexpr const char* kMain = "/app/prog";

enum class Release : std::uint8_t { Old, Middle, New };

struct MachineFile {
  std::string path;
  std::string content;
};

ElfSpec main_program() {
  ElfSpec spec = program().needed("liba.so").needed("libc.musl-x86_64.so.1").needed("libm.so.6").needed("libgone.so");
  spec.interp = kLoader;
  spec.runpath("$ORIGIN/lib:/rp");
  spec.refer(undefined("f", "V1")).call(undefined("open64")).refer(weak(undefined("w"))).refer(undefined("gone"));
  spec.refer(data(defined("copied")), kRelocCopy);
  return spec;
}

ElfSpec library_a() {
  ElfSpec spec = library().soname("liba.so.1").needed("libb.so").rpath("${ORIGIN}/../lib:/lib");
  spec.hash = HashTables::Gnu;
  spec.version_definitions = {{"liba.so.1"}, {"V1"}};
  spec.define(defined("f", "V1")).define(data(defined("copied"))).call(undefined("g"));
  spec.relr_words = 2;
  return spec;
}

/// It could be taken for a libc.
ElfSpec library_b() {
  ElfSpec spec = library().soname("libb.so").needed("liba.so").needed("libc.so");
  spec.hash = HashTables::Sysv;
  spec.define(defined("g")).define(defined("__libc_start_main")).define(weak(defined("w")));
  return spec;
}

std::string loader_of(Release release) {
  constexpr std::array kVersions = {"1.1.24", "1.2.3", "1.2.5"};
  ElfSpec spec = library().soname("libc.musl-x86_64.so.1");
  spec.define(defined("open")).define(defined("stdin")).define(defined("__libc_start_main")).define(defined("malloc"));
  return write_elf(spec) + "\0musl libc (x86_64)\nVersion %s\n\0"s + kVersions[static_cast<std::size_t>(release)] +
         "\0"s;
}

std::vector<MachineFile> machine(Release release) {
  return {{kMain, write_elf(main_program())},
          {"/app/lib/liba.so", write_elf(library_a())},
          {"/lib/libb.so", write_elf(library_b())},
          {kLoader, loader_of(release)},
          {"/etc/ld-musl-x86_64.path", "/lib:/usr/lib\n/rp"},
          {"/rp/libown.so", write_elf(library_b().define(defined("stdin")).needed("libgone.so"))}};
}

/// What makes one walk another one.
struct Choice {
  Release release = Release::New;
  bool has_library_path = false;
  bool has_preload = false;
  bool opens_later = false;
  bool is_secure = false;
};

Choice choice_of(std::uint8_t byte) {
  return {static_cast<Release>(byte % 3), (byte & 4) != 0, (byte & 8) != 0, (byte & 16) != 0, (byte & 32) != 0};
}

/// Refuses as everything does: with a reason, and a path.
void check_refusal(const Error& error) {
  require(!error.message.empty() && !error.path.empty(), "a refusal says where and why");
}

Result<LinkMap> walk(const std::shared_ptr<const System>& system, const Choice& choice, Attempts attempts) {
  auto process = std::make_shared<Process>();
  process->argv0 = kMain;
  process->secure = choice.is_secure;
  std::vector<std::string> variables;
  if (choice.has_library_path) variables.emplace_back("LD_LIBRARY_PATH=/rp:$ORIGIN\n/app/lib");
  if (choice.has_preload) variables.emplace_back("LD_PRELOAD=libown.so:/lib/libb.so libnone.so");
  process->environment = Environment(std::move(variables));
  LoadOptions options{.attempts = attempts, .on_fatal = OnFatal::Continue};
  for (const char* name : {"/rp/libown.so", "libb.so"}) {
    if (choice.opens_later) options.dlopen_calls.emplace_back().file = name;
  }
  return load(system, process, kMain, options);
}

void check_map(const LinkMap& map) {
  std::set<std::string_view> paths;
  for (const LoadedObject& object : map.objects) {
    const bool is_file = object.role != ObjectRole::Placeholder && !object.path.empty();
    require(!is_file || paths.insert(object.path).second, "a file is loaded once");
    for (const Need& need : object.needs) {
      require(need.target == kNoObject || need.target < map.objects.size(), "a request leads to an object");
      touch(need.name);
    }
  }
  for (const ObjectIndex object : map.search_list) require(object < map.objects.size(), "the scope has objects");
}

void check_symbols(const LinkMap& map) {
  const Result<StartFacts> facts = read_start_facts(map);
  if (!facts) return check_refusal(facts.error());
  facts->bindings.for_each([&](const Bindings::Event& event) {
    if (event.binding == nullptr) return;
    require(event.binding->referrer < map.objects.size(), "the referrer is an object");
    require(!event.binding->is_bound() || event.binding->provider < map.objects.size(), "the provider is an object");
  });
  for (const BindTime time : {BindTime::Now, BindTime::AsAsked}) {
    const Startup startup = start_up(map, *facts, time);
    require(!startup.fatal_line || *startup.fatal_line < startup.lines.size(), "the fatal line is there");
    for (const std::string& line : startup.lines) touch(line);
  }
}

void check_walks(const std::shared_ptr<MemoryFileSystem>& files, const Choice& choice) {
  Result<System> read = read_system(files, kLoader);
  if (!read) return check_refusal(read.error());
  const auto system = std::make_shared<const System>(std::move(*read));
  const Result<LinkMap> map = walk(system, choice, Attempts::Record);
  const Result<LinkMap> again = walk(system, choice, Attempts::Discard);
  require(map.has_value() == again.has_value(), "records change nothing");
  if (!map) return check_refusal(map.error());
  check_map(*map);
  const Result<TraceAnswer> traced = trace(*map);
  const Result<TraceAnswer> once_more = trace(*again);
  require(traced.has_value() == once_more.has_value(), "records change nothing");
  if (traced) {
    require(traced->list == once_more->list && traced->messages == once_more->messages, "twice the same answer");
  } else {
    check_refusal(traced.error());
  }
  check_symbols(*map);
}

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  const std::vector<MachineFile> files = machine(Release::New);
  constexpr std::array kChoices = {'\x02', '\x1d', '\x09', '\x26', '\x10', '\x1a'};
  for (std::size_t i = 0; i < files.size(); ++i)
    all.push_back(std::string{static_cast<char>(i), kChoices[i]} + files[i].content);
  return all;
}

void run(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostBytes = 64 << 10;
  if (size < 2 || size > kMostBytes) return;
  const Choice choice = choice_of(data[1]);
  std::vector<MachineFile> machine_files = machine(choice.release);
  MachineFile& changed = machine_files[data[0] % machine_files.size()];
  changed.content.assign(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto files = std::make_shared<MemoryFileSystem>();
  for (const MachineFile& file : machine_files) files->add_file(file.path, file.content, 0755);
  {
    const MemoryLimit limit(8 << 20);
    check_walks(files, choice);
  }
  // The questions of the commands cost many times as much.
  const std::size_t form = form_of(data, size, 96);
  if (form % 8 != 0) return;
  constexpr std::array kAsked = {Question::Check, Question::Why, Question::Bindings, Question::Symvers};
  WorldSettings settings;
  settings.where.files = files;
  settings.start.clean_env = true;
  settings.machine.cpu = "x86-64";
  QuestionLimits limits;
  limits.form = form / 8 % 3;
  const EveryAnswer answer = ask(settings, kMain, kAsked[form / 24], limits);
  for (const std::string& broken : answer.broken) std::fprintf(stderr, "%s\n", broken.c_str());
  require(answer.broken.empty(), "each answer is a good one, and each refusal has place and reason");
}

}  // namespace
}  // namespace soresolve::test::musl_target

const soresolve::test::FuzzTarget soresolve::test::kMuslTarget = {"musl", musl_target::run, musl_target::seeds,
                                                                  InputKind::Elf};
