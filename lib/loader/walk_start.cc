// The start of a walk: the program, ld.so, the vDSO, preloads, the roots of the queue.
#include <elf.h>

#include <cerrno>
#include <iterator>

#include "loader/preload.h"
#include "loader/process.h"
#include "loader/walk.h"

namespace soresolve {
namespace {

/// SONAME of the kernel's virtual object (Linux arch/*/vdso).
std::string_view vdso_soname(std::uint16_t machine) {
  switch (machine) {
    case EM_386: return "linux-gate.so.1";
    case EM_PPC64:
    case EM_S390: return "linux-vdso64.so.1";
    case EM_PPC: return "linux-vdso32.so.1";
    default: return "linux-vdso.so.1";
  }
}

}  // namespace

std::optional<Error> Walk::start_main(std::string_view file, OpenedObject opened) {
  LoadedObject object;
  object.role = ObjectRole::Main;
  if (process_.start == Start::Dlopen) {
    object.given_name = "(a plain program)";
  } else {
    if (process_.start == Start::Argument) {
      if (auto error = accept_argument(opened, file)) return error;
      object.requested_name = keep(file);
    }
    object.given_name = process_.argv0.empty() ? std::string(file) : process_.argv0;
    // The loader's own idea of the path: $ORIGIN starts from it.
    map_.main_path = absolute_path(file, process_.cwd);
    object.status = opened.file->status();
    object.elf = std::move(opened.elf);
    edit_tags(object, options_, map_.text);
    // The kernel has seen to the program's wish; ld.so as a command asks for none itself.
    if (process_.start == Start::Kernel) has_exec_stack_ = object.elf.wants_exec_stack();
    if (process_.start == Start::Argument) static_cast<void>(can_have_exec_stack(object.elf));
    keep_file(object, std::move(opened.file));
  }
  add_object(std::move(object));
  // No other name than the empty one stays with it: asked for by the path that was given to ld.so, the
  // file is mapped once more (elf/dl-object.c:_dl_new_object, __RTLD_OPENEXEC).
  index_.add("", 0);
  const LoadedObject& main = map_.objects[0];
  if (main.elf.soname) index_.add(*main.elf.soname, 0);
  return std::nullopt;
}

/// As the argument of ld.so the file has to pass the loader's own tests, not only the kernel's.
std::optional<Error> Walk::accept_argument(const OpenedObject& opened, std::string_view file) const {
  ImageReader reader(*opened.file);
  Acceptance acceptance = verify_candidate(reader, system_.rules, OpenedAs::Program, 0);
  if (acceptance.outcome == Outcome::Loaded) {
    const ElfHeader header = reader.header(system_.rules.target.elf_class, system_.rules.target.byte_order);
    acceptance = check_mapping(reader, header, system_.rules, OpenedAs::Program);
  }
  if (acceptance.outcome == Outcome::Loaded) return std::nullopt;
  if (!acceptance.text.empty() || !acceptance.reason.empty()) {
    return Error{
        ErrorCode::Malformed, std::string(file), acceptance.file_offset,
        "the loader refuses it: " + (acceptance.text.empty() ? acceptance.reason : std::string(acceptance.text))};
  }
  return Error{ErrorCode::Unsupported,
               std::string(file),
               {},
               "is " + describe(opened.elf.target) + ", not for the loader " + system_.loader_path};
}

void Walk::add_loader() {
  LoadedObject object;
  object.role = ObjectRole::Loader;
  object.path = system_.loader_path;
  const LoadedObject& main = map_.objects[0];
  object.requested_name = main.elf.has_interp ? main.elf.interp : std::string_view(system_.loader_path);
  object.elf.target = system_.loader.target;
  object.elf.type = system_.loader.type;
  const std::optional<std::string_view> soname = system_.loader.soname;
  loader_object_ = add_object(std::move(object));
  index_.add(system_.loader_path, loader_object_);
  index_.add(map_.objects[loader_object_].requested_name, loader_object_);
  if (soname) {
    map_.objects[loader_object_].elf.soname = *soname;
    add_name(loader_object_, *soname);
  }
}

void Walk::add_vdso() {
  LoadedObject object;
  object.role = ObjectRole::Vdso;
  object.requested_name = vdso_soname(system_.rules.target.machine);
  object.path = object.requested_name;
  object.elf.target = system_.rules.target;
  const ObjectIndex index = add_object(std::move(object));
  index_.add(vdso_soname(system_.rules.target.machine), index);
}

void Walk::note_auditors() {
  const auto note = [&](std::string_view what, std::string_view value) {
    map_.notes.push_back(say("note-audit", {{"variable", what}, {"value", value}}));
  };
  if (const auto audit = process_.environment.value("LD_AUDIT"); audit && !audit->empty()) {
    note("LD_AUDIT", *audit);
  }
  const ElfObject& main = map_.objects[0].elf;
  if (main.audit && !main.audit->empty()) note("DT_AUDIT", *main.audit);
  if (main.depaudit && !main.depaudit->empty()) note("DT_DEPAUDIT", *main.depaudit);
}

/// The names of audit modules are looked for in the program's strings before anything else is done
/// (elf/rtld.c:audit_list_add_dynamic_tag), also where it names none. A dynamic section of zeros has no
/// strings: one that is cut off, with the rest of its page.
bool Walk::check_program_strings() {
  const ElfObject& main = map_.objects[0].elf;
  if (main.unmapped_names && main.unmapped_names->search_path) {
    give_up_unmapped_name(0);
    return false;
  }
  const bool is_read = system_.rules.reads_audit_tags && process_.start != Start::Dlopen && main.has_dynamic;
  if (!is_read || main.symbol_tags.string_table) return true;
  LoadFailure failure;
  failure.kind = LoadFailure::Kind::Crash;
  failure.needer = 0;
  failure.object = std::string(map_.objects[0].name());
  failure.text = "has no DT_STRTAB, which the loader still reads";
  failure.is_fatal_in_trace = true;
  map_.failures.push_back(std::move(failure));
  is_over_ = true;
  return false;
}

/// Where glibc.rtld.execstack forbids it, a program that wants such a stack does not start, before anything
/// is searched (elf/dl-execstack-tunable.c:_dl_handle_execstack_tunable, since 2.41).
bool Walk::check_program_stack() {
  if (!system_.rules.refuses_exec_stack || process_.start == Start::Dlopen) return true;
  if (!map_.objects[0].elf.wants_exec_stack()) return true;
  const std::uint64_t mode = exec_stack_mode(system_.rules, process_);
  // The program that ld.so is told to run is mapped as a library is, and before 2 forces such a stack on all.
  const bool is_mapped = process_.start == Start::Argument;
  if (mode == 1 || (mode == 2 && !is_mapped)) return true;
  LoadFailure failure;
  failure.kind = is_mapped ? LoadFailure::Kind::FatalFile : LoadFailure::Kind::Assertion;
  failure.needer = 0;
  failure.object = std::string(map_.objects[0].name());
  failure.text = is_mapped ? kExecStackRefused : kExecStackForbidden;
  if (is_mapped) failure.error = static_cast<Errno>(EINVAL);
  failure.is_fatal_in_trace = true;
  map_.failures.push_back(std::move(failure));
  is_over_ = true;
  return false;
}

/// ld.so that is told to run a program, and by glibc.rtld.enable_secure as one with AT_SECURE, takes the unsafe
/// variables out of the environment, all of each name, and counts the names: where one stood twice, what it moves
/// behind them does not end where it should (elf/rtld.c:_dl_start_args_adjust, since 2.40).
bool Walk::check_start_arguments() {
  if (process_.start != Start::Argument || !process_.secure_by_tunable) return true;
  // UNSECURE_ENVVARS of 2.41 (sysdeps/generic/unsecvars.h); 2.43 has LD_PROFILE_OUTPUT besides.
  constexpr std::string_view kUnsafe[] = {"GCONV_PATH",
                                          "GETCONF_DIR",
                                          "GLIBC_TUNABLES",
                                          "HOSTALIASES",
                                          "LD_AUDIT",
                                          "LD_BIND_NOT",
                                          "LD_BIND_NOW",
                                          "LD_DEBUG",
                                          "LD_DEBUG_OUTPUT",
                                          "LD_DYNAMIC_WEAK",
                                          "LD_LIBRARY_PATH",
                                          "LD_ORIGIN_PATH",
                                          "LD_PRELOAD",
                                          "LD_PROFILE",
                                          "LD_SHOW_AUXV",
                                          "LD_VERBOSE",
                                          "LD_WARN",
                                          "LOCALDOMAIN",
                                          "LOCPATH",
                                          "MALLOC_ARENA_MAX",
                                          "MALLOC_ARENA_TEST",
                                          "MALLOC_MMAP_MAX_",
                                          "MALLOC_MMAP_THRESHOLD_",
                                          "MALLOC_PERTURB_",
                                          "MALLOC_TOP_PAD_",
                                          "MALLOC_TRACE",
                                          "MALLOC_TRIM_THRESHOLD_",
                                          "NIS_PATH",
                                          "NLSPATH",
                                          "RESOLV_HOST_CONF",
                                          "RES_OPTIONS",
                                          "TMPDIR",
                                          "TZDIR"};
  const int release = system_.rules.version.minor_number;
  const std::vector<std::string>& entries = process_.environment.entries();
  const auto is_doubled = [&](std::string_view name) {
    return std::count_if(entries.begin(), entries.end(), [&](const std::string& entry) {
             return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
           }) > 1;
  };
  const bool is_any = std::any_of(std::begin(kUnsafe), std::end(kUnsafe), is_doubled) ||
                      (release >= 43 && is_doubled("LD_PROFILE_OUTPUT"));
  if (!is_any) return true;
  LoadFailure failure;
  failure.kind = LoadFailure::Kind::Assertion;
  failure.needer = 0;
  failure.object = std::string(map_.objects[0].name());
  failure.text = "Inconsistency detected by ld.so: rtld.c: " + std::string(release <= 41 ? "1338" : "1334") +
                 ": _dl_start_args_adjust: Assertion `auxv == sp + 1' failed!";  // lines of Debian's 2.41 and 2.43
  failure.is_fatal_in_trace = true;
  map_.failures.push_back(std::move(failure));
  is_over_ = true;
  return false;
}

std::vector<PreloadName> Walk::preload_names() const {
  std::vector<PreloadName> names;
  if (const auto value = process_.environment.value(kPreloadVariable)) {
    names = parse_preload_variable(*value, process_.secure);
  }
  if (system_.preload_file) {
    for (PreloadName& name : parse_preload_file(*system_.preload_file)) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

void Walk::load_preloads() {
  for (const PreloadName& preload : preload_names()) {
    if (is_over_) return;
    const std::size_t failures = map_.failures.size();
    request(0, NeedKind::Preload, keep(preload.name));
    for (std::size_t i = failures; i < map_.failures.size(); ++i) {
      LoadFailure& failure = map_.failures[i];
      if (failure.kind != LoadFailure::Kind::PreloadIgnored) continue;
      failure.text = "ERROR: ld.so: object '" + preload.name + "' from " + std::string(preload.source) +
                     " cannot be preloaded (" + failure.text + "): ignored.";
    }
  }
}

std::optional<Error> Walk::queue_roots(std::string_view file) {
  if (process_.start == Start::Dlopen) {
    const Resolved opened = request(0, NeedKind::Dlopen, keep(file));
    if (opened.object != kNoObject) append_to_queue(opened.object);
    return std::nullopt;
  }
  append_to_queue(0);
  for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
    if (map_.objects[i].role == ObjectRole::Library) append_to_queue(i);  // preloads
  }
  return std::nullopt;
}

}  // namespace soresolve
