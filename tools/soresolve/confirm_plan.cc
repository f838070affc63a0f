// Finds the CUDA libraries of a file's process, predicts what the probe's process will load and what CUDA will return,
// and writes that as the probe's plan. Source: lib/cuda (contracts, drivers 340 to 555). Nothing is loaded here.
#include "confirm_plan.h"

#include <algorithm>
#include <optional>

#include "base/path.h"
#include "confirm/plan_json.h"
#include "cuda/contracts.h"
#include "cuda/cuda_library.h"
#include "cuda/driver.h"
#include "dlopen/find_dlopens.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "probe.h"
#include "soresolve/cuda.h"
#include "soresolve/diagnose.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

using confirm::Plan;
using confirm::PlannedGroup;
using confirm::PlannedLoad;

struct Role {
  std::string_view name;
  std::string_view stem;
};
/// In the order in which they are confirmed.
constexpr Role kRoles[] = {{"driver", "libcuda"},       {"runtime", "libcudart"},    {"cudnn", "libcudnn"},
                           {"cublas", "libcublas"},     {"cufft", "libcufft"},       {"curand", "libcurand"},
                           {"cusparse", "libcusparse"}, {"cusolver", "libcusolver"}, {"nccl", "libnccl"},
                           {"nvrtc", "libnvrtc"},       {"nvml", "libnvidia-ml"}};
constexpr const char* kDriverName = "libcuda.so.1";
constexpr const char* kManagementName = "libnvidia-ml.so.1";  // comes with the driver

/// What CUDA returns (cuda.h, driver_types.h).
constexpr int kNoDevice = 100;
constexpr int kStubLibrary = 34;
constexpr int kInsufficientDriver = 35;

/// The role of a name such as "libcudart.so.12"; null for any other.
const Role* role_of(std::string_view name) {
  const std::size_t end = name.find(".so");
  if (end == std::string_view::npos) return nullptr;
  const auto found = std::find_if(std::begin(kRoles), std::end(kRoles),
                                  [&](const Role& role) { return role.stem == name.substr(0, end); });
  return found == std::end(kRoles) ? nullptr : &*found;
}

/// A release as cuDriverGetVersion counts them: 12.4 is 12040.
std::optional<int> release_number(const DottedVersion& release) {
  if (release.parts.size() < 2) return std::nullopt;
  return static_cast<int>(release.major_number() * 1000 + release.minor_number() * 10);
}

/// Gathers the libraries of one file.
class LibraryFinder {
 public:
  explicit LibraryFinder(const LinkMap& map) : map_(map), searcher_(map) {}

  std::vector<ResolvedLibrary> run(const ConfirmRequest& request) {
    add_objects();
    add_opened_later();
    if (!has("driver") && !libraries_.empty()) add_by_name(kDriverName, say("opened-by-name"));
    if (request.wants_all) {
      add_in_reach();
      if (has("driver")) add_by_name(kManagementName, say("is-in-reach"));
    }
    std::stable_sort(libraries_.begin(), libraries_.end(),
                     [](const ResolvedLibrary& a, const ResolvedLibrary& b) { return rank(a.role) < rank(b.role); });
    return std::move(libraries_);
  }

 private:
  static std::size_t rank(std::string_view role) {
    return static_cast<std::size_t>(
        std::find_if(std::begin(kRoles), std::end(kRoles), [&](const Role& known) { return known.name == role; }) -
        std::begin(kRoles));
  }

  [[nodiscard]] bool has(std::string_view role) const {
    return std::any_of(libraries_.begin(), libraries_.end(),
                       [&](const ResolvedLibrary& library) { return library.role == role; });
  }

  /// The first one of each role is what the process uses by that name.
  void add(const Role* role, const std::string& path, const Statement& how) {
    if (role == nullptr || path.empty() || has(role->name)) return;
    libraries_.push_back({std::string(role->name), absolute_path(path, map_.process->cwd), how, {}});
  }

  void add_objects() {
    const std::vector<bool> belongs = map_.target_closure();
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      if (belongs[i]) add_object(i, say(i == map_.subject_root() ? "is-file-itself" : "is-needed"));
    }
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      if (!belongs[i]) add_object(i, say("in-process-before"));
    }
  }

  void add_object(ObjectIndex index, const Statement& how) {
    const LoadedObject& object = map_.objects[index];
    const bool is_main = object.role == ObjectRole::Main && !map_.main_path.empty();
    if (object.role != ObjectRole::Library && !is_main) return;
    const std::string_view name =
        object.elf.soname ? std::string_view(*object.elf.soname) : file_name_of(object.name());
    add(role_of(name), is_main ? map_.main_path : std::string(object.path), how);
  }

  void add_opened_later() {
    const Dlopens dlopens = find_dlopens(map_, DlopenLevel::Known);
    for (const Dlopen& opened : dlopens.list) {
      if (!opened.is_good()) continue;
      const DlopenChoice& taken = opened.choices.back();
      add(role_of(file_name_of(taken.path)), taken.path, say("opened-later-by", {{"opener", opened.opener}}));
    }
  }

  bool add_by_name(const std::string& name, const Statement& how) {
    const LoneSearch found = searcher_.search(map_.subject_root(), name, PastFirst::Stop);
    if (!is_found(found.outcome)) return false;
    add(role_of(name), found.path, how);
    return true;
  }

  /// By the names that the releases of CUDA have, the runtime's own first, then the newest.
  void add_in_reach() {
    std::vector<CudaLibraryName> names = built_in_contracts().cuda.libraries;
    for (const char* own : {"libcudnn.so.8", "libcudnn.so.9", "libnccl.so.2"}) names.push_back({own, {}, {}, {}, {}});
    std::reverse(names.begin(), names.end());
    const DottedVersion release = runtime_release();
    std::stable_partition(names.begin(), names.end(), [&](const CudaLibraryName& name) {
      return !release.empty() && name.from <= release && release <= name.to;
    });
    for (const CudaLibraryName& name : names) add_by_name(name.soname, say("is-in-reach"));
  }

  [[nodiscard]] DottedVersion runtime_release() const {
    for (const ResolvedLibrary& library : libraries_) {
      if (library.role != "runtime") continue;
      const auto read = read_cuda_library(*map_.system->files, library.path);
      if (read) return read->cuda.first(2);
    }
    return {};
  }

  const LinkMap& map_;
  LoneSearcher searcher_;
  std::vector<ResolvedLibrary> libraries_;
};

/// How the library tells of itself once it is asked.
std::string version_known(const std::string& role, const CudaLibrary& library) {
  if (role == "runtime" || role == "nvrtc") return library.cuda.first(2).text;
  return library.version.first(3).text;
}

/// Plays the probe's process through.
class ProbePlanner {
 public:
  ProbePlanner(const WorldOptions& options, const ConfirmRequest& request)
      : request_(request), probe_options_(options) {
    probe_options_.process = {.exe = request.probe};
  }

  Result<Plan> run(std::vector<ResolvedLibrary>& libraries, std::vector<Statement>& notes) {
    WorldHere world(probe_options_);
    const Result<std::shared_ptr<const FileSystem>> tree = world.files();
    if (!tree) return Unexpected{tree.error()};
    const FileSystem& files = **tree;
    has_nodes_ = has_gpu_driver() || read_kernel_module(files).has_value();
    if (auto error = predict_cuda(world, files, libraries, notes)) return Unexpected{std::move(*error)};
    Plan plan;
    plan.environment = environment_of(probe_options_).entries();
    plan.expected = std::move(expected_);
    plan.has_device_nodes = has_nodes_;
    plan.device = request_.device;
    plan.timeout_s = request_.timeout_s;
    for (const std::vector<const ResolvedLibrary*>& group : groups_of(libraries)) {
      Result<PlannedGroup> planned = plan_group(world, group, plan);
      if (!planned) return Unexpected{std::move(planned).error()};
      plan.groups.push_back(*std::move(planned));
    }
    return plan;
  }

 private:
  /// What a map of the probe's process with these dlopen calls predicts of the last one.
  struct Opened {
    Resolution run;
    std::string dlerror;
  };

  Result<Opened> open_in_probe(WorldHere& world, const std::vector<std::string>& paths) {
    ResolveOptions options;
    for (const std::string& path : paths) options.dlopen_calls.push_back({path});
    Result<Resolution> run = world.resolve(paths.front(), std::move(options));
    if (!run) return Unexpected{std::move(run).error()};
    if (!run->check()) return Unexpected{run->check().error()};
    Opened opened{std::move(*run), {}};
    const Check& check = *opened.run.check();
    if (!check.is_ok()) {
      opened.dlerror = check.answer().lines.empty() ? check.answer().death : check.answer().lines.back();
    }
    return opened;
  }

  /// A driver that cannot be loaded is none: the runtime will not find it either.
  std::optional<Error> predict_cuda(WorldHere& world, const FileSystem& files, std::vector<ResolvedLibrary>& libraries,
                                    std::vector<Statement>& notes) {
    const CudaContracts& contracts = built_in_contracts().cuda;
    std::optional<DriverLibrary> driver;
    if (libraries.front().role != "driver") {
      expected_.no_driver = say("driver-not-found");
    } else {
      const Result<Opened> opened = open_in_probe(world, {libraries.front().path});
      if (!opened) return opened.error();
      if (opened->dlerror.empty()) {
        driver = read_driver_library(files, libraries.front().path, contracts);
        if (driver) libraries.front().version = driver->cuda.text;
      } else {
        expected_.no_driver = say("driver-not-loadable", {{"message", opened->dlerror}});
        notes.push_back(say("left-out-driver", {{"path", libraries.front().path}}));
        libraries.erase(libraries.begin());
      }
    }
    std::optional<CudaLibrary> runtime;
    for (ResolvedLibrary& library : libraries) {
      if (library.role == "driver") continue;
      const std::optional<CudaLibrary> read = read_cuda_library(files, library.path);
      if (!read) continue;
      library.version = version_known(library.role, *read);
      if (library.role == "runtime") runtime = read;
    }
    predict_answers(contracts, driver, runtime);
    return std::nullopt;
  }

  /// Checked on drivers 340 to 555 under runtimes 11.2 to 13.2, without a GPU (test/machine/compare_confirm).
  void predict_answers(const CudaContracts& contracts, const std::optional<DriverLibrary>& driver,
                       const std::optional<CudaLibrary>& runtime) {
    std::optional<int> init;
    if (driver && driver->stub) {
      init = kStubLibrary;
      expected_.source = "a stub: " + sentence(*driver->stub, Language::English);
    } else if (driver) {
      expected_.driver_version = release_number(driver->cuda);
      expected_.source = sentence(driver->cuda_proof, Language::English);
      // Branch 390 answers 999 where others say 100.
      if (!has_nodes_ && driver->version.major_number() != 390) init = kNoDevice;
    }
    expected_.init = init;
    if (!runtime) return;
    const DottedVersion release = runtime->cuda.first(2);
    if (!driver) {
      expected_.device_count = kInsufficientDriver;
      return;
    }
    if (driver->stub) {
      // 12.1 answers 35 as without a driver, 11.8 and 12.4 do not; which of those between do is not known.
      const bool is_known = release < *parse_dotted("12.0") || release >= *parse_dotted("12.4");
      if (is_known) expected_.device_count = kStubLibrary;
      return;
    }
    const RuntimeVerdict verdict = judge_runtime(contracts, release, driver->version, driver->cuda);
    // The runtimes before 11.3 call cuInit before they look at the driver's version.
    const bool asks_init_first = release < *parse_dotted("11.3");
    if (verdict.fit == RuntimeFit::Refused && (!asks_init_first || has_nodes_)) {
      expected_.device_count = kInsufficientDriver;
      expected_.source = verdict.source;
    } else if (init && (verdict.fit != RuntimeFit::Unknown || asks_init_first)) {
      expected_.device_count = *init;
    }
  }

  /// cuDNN shares the process of the kernels, so that its time can be compared with theirs; every other
  /// library has its own.
  static std::vector<std::vector<const ResolvedLibrary*>> groups_of(const std::vector<ResolvedLibrary>& libraries) {
    std::vector<const ResolvedLibrary*> base;
    for (const ResolvedLibrary& library : libraries) {
      if (library.role == "driver" || library.role == "runtime") base.push_back(&library);
    }
    std::vector<std::vector<const ResolvedLibrary*>> groups{base};
    for (const ResolvedLibrary& library : libraries) {
      if (library.role == "cudnn") groups.front().push_back(&library);
    }
    for (const ResolvedLibrary& library : libraries) {
      if (library.role == "driver" || library.role == "runtime" || library.role == "cudnn") continue;
      groups.push_back(base);
      groups.back().push_back(&library);
    }
    return groups;
  }

  Result<PlannedGroup> plan_group(WorldHere& world, const std::vector<const ResolvedLibrary*>& group, Plan& plan) {
    const bool is_first = plan.groups.empty();
    const std::string first = is_first ? "cuda" : "base";
    const bool has_library = !group.empty() && group.back()->role != "driver" && group.back()->role != "runtime";
    const std::size_t base_count = group.size() - (has_library ? 1 : 0);
    std::vector<PlannedLoad> loads{{.name = first}};
    if (has_library) loads.push_back({.name = group.back()->role});
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < group.size(); ++i) {
      paths.push_back(group[i]->path);
      loads[i < base_count ? 0 : 1].open.push_back({group[i]->role, group[i]->path, group[i]->version});
    }
    if (!paths.empty()) {
      const Result<Opened> opened = open_in_probe(world, paths);
      if (!opened) return Unexpected{opened.error()};
      const LinkMap& map = opened->run.map();
      add_objects(map, base_count, loads);
      if (is_first) add_paths(map, map.loaded_by(0), plan.start);
      const std::size_t failing = map.dlopen_calls.size() <= base_count ? 0 : 1;
      if (!opened->dlerror.empty()) loads[failing].dlerror = opened->dlerror;
      if (has_library && opened->dlerror.empty()) loads.back().later = opened_later(*opened);
    }
    return PlannedGroup{has_library ? group.back()->role : first, std::move(loads)};
  }

  /// In the order of the loader's list.
  static void add_paths(const LinkMap& map, std::pair<ObjectIndex, ObjectIndex> range,
                        std::vector<std::string>& paths) {
    for (const ObjectIndex i : map.list_order) {
      const LoadedObject& object = map.objects[i];
      const bool is_file = object.role == ObjectRole::Library || object.role == ObjectRole::Loader;
      if (is_file && i >= range.first && i < range.second) paths.emplace_back(object.path);
    }
  }

  static void add_objects(const LinkMap& map, std::size_t base_count, std::vector<PlannedLoad>& loads) {
    for (std::size_t dlopen_call = 1; dlopen_call <= map.dlopen_calls.size(); ++dlopen_call) {
      add_paths(map, map.loaded_by(dlopen_call), loads[dlopen_call <= base_count ? 0 : 1].adds);
    }
  }

  /// What the library will open by itself there.
  static std::vector<std::string> opened_later(const Opened& opened) {
    std::vector<std::string> paths;
    for (const Dlopen& later : opened.run.dlopens(DlopenLevel::Known).list) {
      if (later.is_good()) paths.push_back(later.choices.back().path);
    }
    return paths;
  }

  const ConfirmRequest& request_;
  WorldOptions probe_options_;
  bool has_nodes_ = false;
  confirm::Expectation expected_;
};

}  // namespace

bool is_cuda_library(std::string_view name) {
  const std::size_t end = std::min(name.find(".so"), name.find('-'));
  return role_of(std::string(name.substr(0, end)) + ".so") != nullptr;
}

Result<ConfirmPlan> plan_confirmation(const WorldOptions& options, const std::string& file,
                                      const ConfirmRequest& request) {
  WorldHere world(options);
  const Result<Resolution> run = world.resolve(file, {.look_for = LookFor::Libraries});
  if (!run) return Unexpected{run.error()};
  const LinkMap& map = run->map();
  ConfirmPlan plan;
  plan.notes.insert(plan.notes.end(), map.notes.begin(), map.notes.end());
  if (const LoadFailure* failure = map.first_fatal()) {
    plan.broken = failure->dlerror_message();
  }
  plan.libraries = LibraryFinder(map).run(request);
  if (plan.libraries.empty()) return plan;
  const Result<Plan> probe_plan = ProbePlanner(options, request).run(plan.libraries, plan.notes);
  if (!probe_plan) return Unexpected{probe_plan.error()};
  plan.plan = JsonWriter<confirm::PlanForm>::write(*probe_plan);
  return plan;
}

}  // namespace soresolve::tool
