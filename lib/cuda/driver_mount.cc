// Plays what a container runtime does before a container starts: mounts, links, files for ldconfig, ldconfig.
// Source: libnvidia-container src/nvc_mount.c:nvc_driver_mount, src/nvc_container.c:copy_config, src/nvc_ldcache.c;
// nvidia-container-toolkit pkg/nvcdi, internal/ldconfig, cmd/nvidia-cdi-hook; apptainer internal/pkg/util/paths and
// its scripts. Left out: 32-bit libraries (compat32), binaries, firmware, sockets, Jetson and WSL. The host's ldconfig
// is taken to search what the image's own would.
#include "cuda/driver_mount.h"

#include <elf.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/enum_names.h"
#include "base/overlay_file_system.h"
#include "base/path.h"
#include "base/pieces.h"
#include "cuda/cuda_library.h"
#include "cuda/driver_rows.h"
#include "cuda/driver_source.h"
#include "elf/library_name.h"
#include "loader/ldconfig.h"
#include "loader/load.h"
#include "loader/system.h"

namespace soresolve {
namespace {

constexpr std::string_view kCompatDirectory = "/usr/local/cuda/compat";
constexpr std::string_view kBoundLibraries = "/.singularity.d/libs";
constexpr std::string_view kDropIns = "/etc/ld.so.conf.d";
constexpr std::string_view kCapabilitiesName = "NVIDIA_DRIVER_CAPABILITIES";

/// Directories of an image that are meant for a host's driver.
constexpr std::string_view kForDrivers[] = {"/usr/local/nvidia/lib", "/usr/local/nvidia/lib64", kBoundLibraries};

const PassingRow* find_rules(DriverMode mode, const DottedVersion& release) {
  const PassingRow* found = nullptr;
  for (const PassingRow& row : passing_rows()) {
    if (row.mode != mode) continue;
    if (found == nullptr || release.empty() || release >= *parse_dotted(row.since)) found = &row;
  }
  return found;
}

bool is_since(const DottedVersion& release, std::string_view since) {
  return since.empty() || release.empty() || release >= *parse_dotted(since);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t end = text.find(separator);
    std::string_view word = text.substr(0, end);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (!word.empty()) words.emplace_back(word);
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

/// What follows ".so." in a file name: "545.23.08" of libcuda.so.545.23.08; empty: nothing.
std::string_view number_of(std::string_view name) {
  const std::size_t so = name.find(".so.");
  return so == std::string_view::npos ? std::string_view() : name.substr(so + 4);
}

class Mounting {
 public:
  Mounting(std::shared_ptr<const FileSystem> image, const DriverSettings& settings, const Environment& environment)
      : image_(std::move(image)), settings_(settings), environment_(environment),
        files_(std::make_shared<OverlayFileSystem>(image_)), mount_(std::make_shared<DriverMount>()),
        rules_(*find_rules(settings.mode, settings.release)) {}

  Result<MountedDriver> run(GlibcVersion release) {
    find_image_loader(release);
    Result<DriverSource> source = read_driver_source(settings_, machine_);
    if (!source) return Unexpected{std::move(source).error()};
    source_ = std::move(*source);
    mount_->mode = settings_.mode;
    mount_->rules = settings_.release.empty() ? *parse_dotted(rules_.since) : settings_.release;
    mount_->source = rules_.source;
    mount_->version = source_.version;
    if (!source_.is_assumed) mount_->place = settings_.driver.empty() ? "/" : settings_.driver;
    if (auto error = read_capabilities()) return Unexpected{std::move(*error)};
    find_compat();
    switch (settings_.mode) {
      case DriverMode::Toolkit: mount_by_toolkit(); break;
      case DriverMode::Cdi: mount_by_cdi(); break;
      case DriverMode::Apptainer: mount_by_apptainer(); break;
    }
    add_kernel_side();
    find_withheld();
    find_own();
    mount_->files_with = [image = image_, settings = settings_, environment = environment_,
                          release](const std::string& capabilities) -> Result<std::shared_ptr<const FileSystem>> {
      Environment changed = environment;
      changed.add("NVIDIA_DRIVER_CAPABILITIES=" + capabilities);
      Result<MountedDriver> mounted = mount_driver(image, settings, changed, release);
      if (!mounted) return Unexpected{std::move(mounted).error()};
      return std::move(mounted->files);
    };
    const auto by_path = [](const auto& a, const auto& b) { return a.path < b.path; };
    std::sort(mount_->libraries.begin(), mount_->libraries.end(), by_path);
    return MountedDriver{files_, mount_};
  }

 private:
  /// The first loader of the image for a machine that has drivers: whose ldconfig it is.
  void find_image_loader(GlibcVersion release) {
    for (const std::uint16_t machine : {std::uint16_t{EM_X86_64}, std::uint16_t{EM_AARCH64}}) {
      ElfObject wanted;
      wanted.target = {ElfClass::Elf64, std::endian::little, machine, 0};
      const Result<std::string> loader = find_loader(*image_, wanted, "");
      if (!loader) continue;
      Result<System> system = read_system(image_, *loader, release);
      if (!system) continue;
      machine_ = machine;
      loader_rules_ = std::move(system->rules);
      has_cache_ = system->has_cache;
      return;
    }
    mount_->notes.push_back(say("driver-no-ldconfig"));
  }

  /// nvidia-container-toolkit cmd/nvidia-container-runtime-hook: a word that it does not know ends the start.
  std::optional<Error> read_capabilities() {
    if (settings_.mode != DriverMode::Toolkit) return std::nullopt;
    const auto value = environment_.value(kCapabilitiesName);
    std::vector<std::string> words = value ? split(*value, ',') : std::vector<std::string>();
    if (words.empty()) words = {"compute", "utility"};
    const std::span<const std::string_view> known = driver_capabilities();
    for (const std::string& word : words) {
      if (word == "all") {
        mount_->capabilities.assign(known.begin(), known.end());
        return std::nullopt;
      }
      if (std::find(known.begin(), known.end(), word) == known.end()) {
        std::string all;
        for (const std::string_view each : known) all += ", " + std::string(each);
        return Error{ErrorCode::Usage,
                     {},
                     {},
                     std::string(kCapabilitiesName) + "=" + std::string(*value) + ": no container is started with '" +
                         word + "'; there are all" + all};
      }
    }
    mount_->capabilities = std::move(words);
    return std::nullopt;
  }

  [[nodiscard]] bool has_capability(std::string_view name) const {
    const auto has = [&](std::string_view word) {
      return std::find(mount_->capabilities.begin(), mount_->capabilities.end(), word) != mount_->capabilities.end();
    };
    return has(name) || (name == "compute" && has("video")) || (name == "graphics" && has("display"));
  }

  bool bind(const std::string& directory, const std::string& name, const std::string& source) {
    const std::string path = path_in(directory, name);
    if (files_->bind_file(path, source_.files, source) != Errno::None) return false;
    const bool is_flat = source_.directory == "/";
    mount_->libraries.push_back({path, is_flat ? source_.host_directory + source : source});
    passed_.insert(std::string(file_name_of(source)));
    return true;
  }

  /// A link beside a mounted library; one that is there stays.
  void link(const std::string& directory, std::string_view name, std::string_view target) {
    files_->add_symlink(path_in(directory, name), target);
  }

  /// libnvidia-container src/nvc_mount.c:symlink_libraries; the CDI hook makes the same three.
  void add_usual_links(const std::string& directory, const std::string& name) {
    if (name.starts_with("libcuda.so")) link(directory, "libcuda.so", "libcuda.so.1");
    if (name.starts_with("libGLX_nvidia.so")) link(directory, "libGLX_indirect.so.0", name);
    if (name.starts_with("libnvidia-opticalflow.so"))
      link(directory, "libnvidia-opticalflow.so", "libnvidia-opticalflow.so.1");
  }

  void run_ldconfig(const std::vector<std::string>& named) {
    if (!loader_rules_) return;
    const LdConfigRun run = play_ldconfig(*files_, *loader_rules_, named);
    mount_->is_cache_rebuilt = run.error == Errno::None;
    for (const std::string& problem : run.problems) mount_->notes.push_back(words_of_others(problem));
  }

  [[nodiscard]] bool is_debian() const { return image_->status("/etc/debian_version").has_value(); }
  [[nodiscard]] std::string multiarch() const {
    return source_.target.machine == EM_AARCH64 ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  }

  void mount_by_toolkit() {
    const std::string directory = is_debian() ? "/usr/lib/" + multiarch() : "/usr/lib64";
    files_->add_directory(directory);
    for (const PassedRow& row : passed_rows()) {
      if (row.capability.empty() || !has_capability(row.capability) || !is_since(settings_.release, row.since))
        continue;
      for (const HostCacheEntry& entry : source_.entries) {
        const std::string name(file_name_of(entry.real));
        if (!entry.name.starts_with(row.begins) || !name.ends_with(source_.version.text)) continue;
        if (passed_.contains(name) || !bind(directory, name, entry.real)) continue;
        add_usual_links(directory, name);
      }
    }
    std::vector<std::string> named = {directory, other_word_size()};
    if (rules_.compat == CompatRule::Mounted) mount_compat(directory);
    if (rules_.compat == CompatRule::Directory && is_compat_greater_as_text()) {
      named.insert(named.begin(), mount_->compat->directory);
      enable_compat();
    }
    run_ldconfig(named);
    // The runtime's own hook for compat comes after that, and runs ldconfig again.
    if (rules_.compat == CompatRule::DropIn && add_drop_in()) run_ldconfig({});
    if (rules_.compat == CompatRule::Mounted && mount_->compat) judge_mounted_compat(directory);
  }

  /// src/nvc_container.c:copy_config, libs32_dir.
  [[nodiscard]] std::string other_word_size() const {
    if (is_debian()) return "/usr/lib/i386-linux-gnu";
    return image_->status("/usr/lib32") || !image_->status("/usr/lib") ? "/usr/lib32" : "/usr/lib";
  }

  void mount_by_cdi() {
    std::vector<std::string> directories;
    mount_all_of(source_.directory, source_.host_directory, directories);
    mount_all_of(path_in(source_.directory, "vdpau"), path_in(source_.host_directory, "vdpau"), directories);
    const bool is_by_hook = rules_.compat == CompatRule::DropIn || rules_.compat == CompatRule::NoteDropIn;
    if (is_by_hook) add_drop_in();
    if (!image_->status("/etc/ld.so.conf"))
      files_->add_file("/etc/ld.so.conf", "include " + std::string(kDropIns) + "/*.conf\n");
    add_directories_to_configuration(directories);
    run_ldconfig({});
  }

  /// Files that end with the driver's release, at the place that they have on the host.
  void mount_all_of(const std::string& directory, const std::string& host_directory,
                    std::vector<std::string>& directories) {
    const Result<std::vector<std::string>, Errno> names = source_.files->list_directory(directory);
    if (!names) return;
    files_->add_directory(host_directory);
    bool is_used = false;
    for (const std::string& name : *names) {
      const bool is_of_release = name.ends_with(".so." + source_.version.text);
      if (!is_of_release && !name.starts_with("libnvidia-nvvm70.so.")) continue;
      const std::string path = path_in(directory, name);
      const Result<OpenedObject> library = open_object(*source_.files, path, path);
      if (!library || source_.files->read_link(path) || !bind(host_directory, name, path)) continue;
      is_used = true;
      add_usual_links(host_directory, name);
      add_links_of_host(directory, host_directory, name, library->elf);
    }
    if (is_used) directories.push_back(host_directory);
  }

  /// SONAME and the name for ld(1), where the host has such links.
  void add_links_of_host(const std::string& directory, const std::string& host_directory, const std::string& name,
                         const ElfObject& elf) {
    if (!elf.soname || *elf.soname == name) return;
    const std::string soname(*elf.soname);
    if (source_.files->read_link(path_in(directory, soname))) link(host_directory, soname, name);
    const std::string bare = name.substr(0, name.find(".so") + 3);
    if (source_.files->read_link(path_in(directory, bare))) link(host_directory, bare, soname);
  }

  /// internal/ldconfig/ldconfig.go:UpdateLDCache.
  void add_directories_to_configuration(const std::vector<std::string>& directories) {
    std::vector<std::string> of_system = {"/lib", "/usr/lib", "/lib64", "/usr/lib64", "/libx32", "/usr/libx32"};
    if (is_debian()) of_system = {"/lib/" + multiarch(), "/usr/lib/" + multiarch(), "/lib", "/usr/lib"};
    std::set<std::string> known(of_system.begin(), of_system.end());
    if (loader_rules_) {
      std::vector<std::string> problems;
      known.merge([&] {
        const std::vector<std::string> all = configured_directories(*files_, *loader_rules_, problems);
        return std::set<std::string>(all.begin(), all.end());
      }());
    }
    std::string fresh, usual;
    for (const std::string& directory : directories) {
      if (!known.contains(directory)) fresh += directory + "\n";
    }
    for (const std::string& directory : of_system) usual += directory + "\n";
    files_->add_directory(kDropIns);
    if (!fresh.empty()) files_->add_file(path_in(kDropIns, "00-nvcr-0.conf"), fresh);
    files_->add_file(path_in(kDropIns, "zz-nvcr-0.conf"), usual);
  }

  void mount_by_apptainer() {
    files_->add_directory(kBoundLibraries);
    for (const PassedRow& row : passed_rows()) {
      if (!row.is_in_apptainer || !is_since(settings_.release, row.apptainer_since)) continue;
      for (const HostCacheEntry& entry : source_.entries) {
        if (!entry.name.starts_with(row.begins)) continue;
        bind(std::string(kBoundLibraries), std::string(file_name_of(entry.path)), entry.real);
      }
    }
    const auto value = environment_.value("LD_LIBRARY_PATH");
    std::string path = value ? std::string(*value) : std::string();
    const bool has_ldconfig = image_->status("/sbin/ldconfig") || image_->status("/usr/sbin/ldconfig");
    if (path.empty() && rules_.sets_path_behind_image && loader_rules_ && has_ldconfig) {
      path = joined(searched_directories(image_, *loader_rules_), ":");
    }
    mount_->library_path = path + (path.empty() ? "" : ":") + std::string(kBoundLibraries);
  }

  // cuda-compat.

  void find_compat() {
    const Result<std::string, Errno> real = image_->real_path(kCompatDirectory);
    if (!real) return;
    const Result<std::vector<std::string>, Errno> names = image_->list_directory(*real);
    if (!names) return;
    for (const std::string& name : *names) {
      if (!name.starts_with("lib") || number_of(name).empty()) continue;
      const Result<std::string, Errno> file = image_->real_path(path_in(*real, name));
      if (!file) continue;
      compat_files_.insert(*file);
      if (!file_name_of(*file).starts_with("libcuda.so.")) continue;
      const std::optional<DottedVersion> version = parse_dotted(number_of(file_name_of(*file)));
      if (!mount_->compat) mount_->compat = CompatChoice{std::string(directory_of(*file)), {}, false, {}};
      if (version && version->parts.size() > 1) {
        mount_->compat->version = *version;
        compat_drivers_.insert(*file);
      }
    }
    if (!mount_->compat) return;
    const bool has_rule = settings_.mode != DriverMode::Apptainer && rules_.compat != CompatRule::None;
    mount_->compat->reason = compat_words(has_rule ? "compat-not-newer" : "compat-without-rule");
  }

  [[nodiscard]] Statement compat_words(std::string_view sentence) const {
    return say(sentence, {{"compat", mount_->compat->version.text},
                          {"driver", source_.version.text},
                          {"source", std::string(rules_.source)}});
  }

  void enable_compat() {
    mount_->compat->is_enabled = true;
    mount_->compat->reason = compat_words("compat-newer");
  }

  /// src/nvc_mount.c:filter_libraries: files of another major version than the host's driver.
  void mount_compat(const std::string& directory) {
    for (const std::string& path : compat_files_) {
      const std::string_view number = number_of(file_name_of(path));
      const std::string_view major = number.substr(0, std::min(number.find_first_not_of("0123456789"), number.size()));
      if (std::string_view(source_.version.text).substr(0, major.size()) == major) continue;
      files_->bind_file(path_in(directory, file_name_of(path)), image_, path);
    }
  }

  /// ldconfig turns the link to the file of the greater number.
  void judge_mounted_compat(const std::string& directory) {
    const Result<std::string, Errno> real = files_->real_path(path_in(directory, "libcuda.so.1"));
    if (real && !mount_->compat->version.empty() && real->ends_with(mount_->compat->version.text) &&
        !(mount_->compat->version == source_.version))
      enable_compat();
  }

  /// src/cli/compat_mode.c:filter_by_major_version compares digits as text.
  [[nodiscard]] bool is_compat_greater_as_text() const {
    if (!mount_->compat || !loader_rules_) return false;
    std::set<std::string> directories;
    for (const std::string& path : compat_files_) {
      const std::string_view number = number_of(file_name_of(path));
      const std::string_view major = number.substr(0, std::min(number.find_first_not_of("0123456789"), number.size()));
      if (std::string_view(source_.version.text).substr(0, major.size()) >= major) continue;
      directories.insert(std::string(directory_of(path)));
    }
    return directories.size() == 1;
  }

  /// cmd/nvidia-cdi-hook/cudacompat/cudacompat.go:getContainerForwardCompatDir.
  bool add_drop_in() {
    if (!mount_->compat) return false;
    if (compat_drivers_.size() != 1) {
      mount_->compat->reason = compat_words("compat-several");
      return false;
    }
    if (!has_cache_) {
      mount_->compat->reason = compat_words("compat-without-cache");
      return false;
    }
    const DottedVersion& compat = mount_->compat->version;
    bool wins = compat.major_number() > source_.version.major_number();
    if (rules_.compat == CompatRule::NoteDropIn) {
      const Result<std::unique_ptr<File>, Errno> file = image_->open(*compat_drivers_.begin());
      const std::optional<ForwardCompatibility> note = file ? read_forward_compatibility(**file) : std::nullopt;
      if (note && !note->driver_branches.empty()) {
        const std::vector<std::uint32_t>& listed = note->driver_branches;
        const bool is_listed = std::find(listed.begin(), listed.end(), source_.version.major_number()) != listed.end();
        if (!is_listed && compat > source_.version) mount_->compat->reason = compat_words("compat-not-listed");
        wins = is_listed && compat > source_.version;
      }
    }
    if (!wins) return false;
    files_->add_directory(kDropIns);
    files_->add_file(path_in(kDropIns, "00-compat-0.conf"), mount_->compat->directory + "\n");
    enable_compat();
    return true;
  }

  /// The module of the host's kernel, and the nodes of one GPU.
  void add_kernel_side() {
    files_->add_directory("/proc/driver/nvidia");
    const std::string made = "NVRM version: NVIDIA UNIX Kernel Module  " + source_.version.text + "\n";
    files_->add_file("/proc/driver/nvidia/version", source_.module_text.empty() ? made : source_.module_text);
    if (source_.module_text.empty())
      mount_->notes.push_back(say("driver-module-assumed", {{"version", source_.version.text}}));
    files_->add_directory("/dev");
    for (const std::string_view node : {"nvidiactl", "nvidia0", "nvidia-uvm"})
      files_->add_device(path_in("/dev", node));
  }

  void find_withheld() {
    std::map<std::string, WithheldLibrary> withheld;
    for (const HostCacheEntry& entry : source_.entries) {
      const std::string name(file_name_of(entry.real));
      if (passed_.contains(name) || !name.ends_with(source_.version.text)) continue;
      WithheldLibrary library{name, entry.name, {}};
      for (const PassedRow& row : passed_rows()) {
        const bool is_it = settings_.mode == DriverMode::Toolkit && entry.name.starts_with(row.begins);
        if (is_it && !has_capability(row.capability)) library.lacks = row.capability;
      }
      const auto [at, is_new] = withheld.try_emplace(name, library);
      // The link for ld(1) is another name of it.
      if (!is_new && at->second.soname.ends_with(".so")) at->second = library;
    }
    for (auto& [name, library] : withheld) mount_->withheld.push_back(std::move(library));
  }

  /// What the image has that only a host should bring in, and what it has where the host's things go.
  void find_own() {
    std::set<std::string> directories = {"/usr/lib/" + multiarch(), "/usr/lib64",
                                         "/usr/lib/" + multiarch() + "/nvidia/current"};
    directories.insert(std::begin(kForDrivers), std::end(kForDrivers));
    if (loader_rules_) {
      for (std::string& directory : searched_directories(image_, *loader_rules_)) directories.insert(directory);
    }
    std::set<std::string> seen;
    for (const std::string& directory : directories) {
      const Result<std::string, Errno> real = image_->real_path(directory);
      if (!real || !seen.insert(*real).second) continue;
      const bool is_for_driver =
          std::find(std::begin(kForDrivers), std::end(kForDrivers), directory) != std::end(kForDrivers);
      const Result<std::vector<std::string>, Errno> names = image_->list_directory(*real);
      if (!names) continue;
      for (const std::string& name : *names) look_at_own(*real, name, is_for_driver);
    }
    const auto by_path = [](const auto& a, const auto& b) { return a.path < b.path; };
    std::sort(mount_->own.begin(), mount_->own.end(), by_path);
    std::sort(mount_->foreign.begin(), mount_->foreign.end());
  }

  void look_at_own(const std::string& directory, const std::string& name, bool is_for_driver) {
    const std::string path = path_in(directory, name);
    if (is_for_driver && is_cuda_family(library_family(name)) && library_family(name) != "libcuda" &&
        !image_->read_link(path))
      mount_->foreign.push_back(path);
    if (!name.starts_with("libcuda.so.") || compat_files_.contains(path) || image_->read_link(path)) return;
    const std::optional<DottedVersion> version = parse_dotted(number_of(name));
    if (version && version->major_number() >= 100) mount_->own.push_back({path, *version});
    // A copy under the name of the link, which ldconfig leaves as it is.
    if (name == "libcuda.so.1") mount_->own.push_back({path, {}});
  }

  std::shared_ptr<const FileSystem> image_;
  const DriverSettings& settings_;
  const Environment& environment_;
  std::shared_ptr<OverlayFileSystem> files_;
  std::shared_ptr<DriverMount> mount_;
  const PassingRow& rules_;
  DriverSource source_;
  std::uint16_t machine_ = EM_X86_64;
  std::optional<LoaderRules> loader_rules_;  ///< of the image; none: it has no loader of glibc
  bool has_cache_ = false;
  std::set<std::string> passed_;          ///< file names on the host
  std::set<std::string> compat_files_;    ///< of the image, without links
  std::set<std::string> compat_drivers_;  ///< libcuda.so.X.Y among them
};

}  // namespace

std::string_view name_of(DriverMode mode) {
  using enum DriverMode;
  static constexpr auto kNames = enum_names<DriverMode>({{Toolkit, "toolkit"}, {Cdi, "cdi"}, {Apptainer, "apptainer"}});
  return kNames[mode];
}

Result<DriverSettings> with_driver_mode(DriverSettings settings, std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  bool is_known = false;
  for (const DriverMode mode : {DriverMode::Toolkit, DriverMode::Cdi, DriverMode::Apptainer}) {
    if (name_of(mode) != name) continue;
    settings.mode = mode;
    is_known = true;
  }
  std::optional<DottedVersion> release;
  if (equals != std::string_view::npos) release = parse_dotted(word.substr(equals + 1));
  if (!is_known || (equals != std::string_view::npos && !release)) {
    return Unexpected{Error{
        ErrorCode::Usage,
        {},
        {},
        "'" + std::string(word) + "' is no mode: toolkit, cdi, apptainer, or one with its release (toolkit=1.17.4)"}};
  }
  settings.release = release.value_or(DottedVersion{});
  return settings;
}

const PassedLibrary* DriverMount::find(std::string_view path) const {
  const auto at =
      std::lower_bound(libraries.begin(), libraries.end(), path,
                       [](const PassedLibrary& library, std::string_view what) { return library.path < what; });
  return at != libraries.end() && at->path == path ? &*at : nullptr;
}

Result<MountedDriver> mount_driver(std::shared_ptr<const FileSystem> image, const DriverSettings& settings,
                                   const Environment& environment, GlibcVersion release) {
  return Mounting(std::move(image), settings, environment).run(release);
}

}  // namespace soresolve
