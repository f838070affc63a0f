// Where the records lie, and what of them counts.
//
// docker (moby daemon/container, daemon/graphdriver/overlay2, layer/filestore.go), below its data-root:
//
//   containers/ID/config.v2.json       Name, Driver, Path, Args, State.{Running,Pid}, Config.{Env,WorkingDir,User}
//   image/DRIVER/layerdb/mounts/ID/mount-id
//                                      the directory of its upper layer
//   overlay2/MOUNT-ID/{diff,lower,merged}
//                                      lower: "l/LINK:l/LINK…", the upper one first, below overlay2/
//   vfs/dir/MOUNT-ID                   all files
//
// podman (containers/storage store.go, drivers/overlay, libpod), below GRAPH and RUN:
//
//   DRIVER-containers/containers.json  id, names, image, layer
//   DRIVER-containers/ID/userdata/config.json
//                                      once it was started: the OCI runtime specification, process.{args,env,cwd,user}
//   DRIVER-images/IMAGE/=BASE64        the image's configuration, under base64 of "sha256:IMAGE"
//   RUN/DRIVER-containers/ID/userdata/pidfile
//                                      the first process, also where conmon has written it
//   overlay/LAYER/{diff,lower,merged}, vfs/dir/LAYER
//
// A process number can be old, and another process, in a chroot or a container of its own, may have it by now. It
// counts where that process has another root directory than we have and /proc/PID/cgroup names the container's id;
// where that names no container at all (no control groups, a rootless engine), where the process is as old as the
// record. A container whose storage is none of these two drivers can be looked into while it runs only.
#include "host/container.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/host_file.h"
#include "base/json_members.h"
#include "base/nesting.h"
#include "base/number_text.h"
#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"
#include "host/host.h"
#include "place/layer_directories.h"

namespace soresolve {
namespace {

using nlohmann::json;

constexpr std::size_t kMostNesting = 64;
constexpr std::uint64_t kMostCgroupBytes = 1 << 16;
constexpr std::uint64_t kMostStatBytes = 1 << 20;
constexpr std::size_t kMostShown = 12;

std::optional<std::string> first_line(const std::string& path) {
  const Result<std::string> text = read_text_file(*host_file_system(), path, path);
  if (!text) return std::nullopt;
  return text->substr(0, text->find('\n'));
}

/// As containers/storage names what it keeps beside an image.
std::string base64_of(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string encoded;
  for (std::size_t at = 0; at < text.size(); at += 3) {
    std::uint32_t bits = 0;
    const std::string_view part = text.substr(at, 3);
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < part.size() ? static_cast<unsigned char>(part[i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) encoded += i <= part.size() ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return encoded;
}

/// Errors: NotFound, Unreadable, Malformed.
Result<json> read_record(const std::string& path) {
  const Result<std::unique_ptr<File>, Errno> file = host_file_system()->open(path);
  if (!file) {
    const bool is_barred = file.error() == static_cast<Errno>(EACCES) || file.error() == static_cast<Errno>(EPERM);
    return Unexpected{
        Error{is_barred ? ErrorCode::Unreadable : ErrorCode::NotFound,
              path,
              {},
              std::string(is_barred ? "needs root: " : "") + errno_text(file.error(), ErrnoText::FromDlerror)}};
  }
  const Result<std::string> text = read_text_file(*host_file_system(), path, path);
  if (!text) return Unexpected{text.error()};
  json record = is_nested_deeper(*text, kMostNesting) ? json(json::value_t::discarded)
                                                      : json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (record.is_discarded()) return Unexpected{Error{ErrorCode::Malformed, path, {}, "is not JSON"}};
  return record;
}

/// One that the records name, before more is read of it.
struct Recorded {
  Container container;
  std::string store;  ///< docker's data-root, podman's graph
  std::string run;
  std::string layer;  ///< podman's, with the image
  std::string image;
  json record;  ///< docker's
};

class ContainerFinder {
 public:
  explicit ContainerFinder(const ContainerStores& stores) : stores_(stores) {}

  Result<Container> find(std::string_view word) {
    for (const std::string& root : stores_.docker) list_docker(root);
    for (const PodmanStore& store : stores_.podman) list_podman(store);
    Recorded* const found = choose(word);
    if (found == nullptr) return Unexpected{nothing_found(word)};
    std::optional<Error> error = found->container.engine == "docker" ? read_docker(*found) : read_podman(*found);
    if (error) return Unexpected{std::move(*error)};
    return std::move(found->container);
  }

 private:
  std::vector<std::string> names_in(const std::string& directory) {
    Result<std::vector<std::string>, Errno> names = host_file_system()->list_directory(directory);
    if (names) return std::move(names).value();
    if (names.error() == static_cast<Errno>(EACCES)) barred_.push_back(directory);
    return {};
  }

  void list_docker(const std::string& root) {
    looked_in_.push_back(root);
    for (const std::string& id : names_in(root + "/containers")) {
      const std::string path = root + "/containers/" + id + "/config.v2.json";
      Result<json> record = read_record(path);
      if (!record) {
        if (record.error().code == ErrorCode::Unreadable) barred_.push_back(path);
        continue;
      }
      Recorded one;
      one.container.engine = "docker";
      one.container.id = id;
      one.container.name = text_of(member(*record, "Name"));
      if (one.container.name.starts_with('/')) one.container.name.erase(0, 1);
      one.container.driver = text_of(member(*record, "Driver"));
      one.store = root;
      one.record = std::move(*record);
      recorded_.push_back(std::move(one));
    }
  }

  void list_podman(const PodmanStore& store) {
    constexpr std::string_view kSuffix = "-containers";
    looked_in_.push_back(store.graph);
    for (const std::string& folder : names_in(store.graph)) {
      if (!folder.ends_with(kSuffix)) continue;
      const std::string path = store.graph + "/" + folder + "/containers.json";
      const Result<json> list = read_record(path);
      if (!list && list.error().code == ErrorCode::Unreadable) barred_.push_back(path);
      if (!list || !list->is_array()) continue;
      for (const json& record : *list) {
        Recorded one;
        one.container.engine = "podman";
        one.container.id = text_of(member(record, "id"));
        const std::vector<std::string> names = texts_of(member(record, "names"));
        one.container.name = names.empty() ? one.container.id.substr(0, 12) : names.front();
        one.container.driver = folder.substr(0, folder.size() - kSuffix.size());
        one.store = store.graph;
        one.run = store.run;
        one.layer = text_of(member(record, "layer"));
        one.image = text_of(member(record, "image"));
        if (!one.container.id.empty()) recorded_.push_back(std::move(one));
      }
    }
  }

  Recorded* choose(std::string_view word) {
    const auto by = [&](auto is_it) -> Recorded* {
      const auto first = std::find_if(recorded_.begin(), recorded_.end(), is_it);
      if (first == recorded_.end()) return nullptr;
      is_ambiguous_ = std::find_if(std::next(first), recorded_.end(), is_it) != recorded_.end();
      return is_ambiguous_ ? nullptr : &*first;
    };
    Recorded* found = by([&](const Recorded& one) { return one.container.name == word || one.container.id == word; });
    if (found != nullptr || is_ambiguous_ || word.empty()) return found;
    return by([&](const Recorded& one) { return one.container.id.starts_with(word); });
  }

  [[nodiscard]] Error nothing_found(std::string_view word) const {
    std::string there;
    for (std::size_t i = 0; i < std::min(recorded_.size(), kMostShown); ++i) {
      const Container& one = recorded_[i].container;
      there += (i == 0 ? "" : ", ") + one.name + " (" + one.engine + " " + one.id.substr(0, 12) + ")";
    }
    if (recorded_.size() > kMostShown) there += " and " + std::to_string(recorded_.size() - kMostShown) + " more";
    if (is_ambiguous_) return {ErrorCode::NotFound, std::string(word), {}, "is not one container only: " + there};
    if (!barred_.empty()) {
      return {ErrorCode::Unreadable, std::string(word), {}, "needs root: " + barred_.front() + " cannot be read"};
    }
    if (recorded_.empty()) {
      return {ErrorCode::NotFound,
              std::string(word),
              {},
              "is not a container: neither docker nor podman has one in " + joined(looked_in_, ", ")};
    }
    return {ErrorCode::NotFound, std::string(word), {}, "is not a container here; there are: " + there};
  }

  /// Is the process the container's first one? `started_s`: when that was started, in seconds since the epoch.
  [[nodiscard]] bool is_contained(int pid, const std::string& id, std::optional<std::int64_t> started_s) const {
    if (pid <= 0) return false;
    const std::unique_ptr<FileSystem> files = host_file_system();
    const std::string directory = stores_.proc + "/" + std::to_string(pid);
    if (!files->status(directory)) return false;
    const Result<FileStatus, Errno> root = files->status(directory + "/root/.");
    // Who may not look into it is told so when it is opened.
    if (!root) return root.error() == static_cast<Errno>(EACCES) || root.error() == static_cast<Errno>(EPERM);
    const Result<FileStatus, Errno> own = files->status("/.");
    if (own && root->id == own->id) return false;
    const std::string cgroup = read_small_file(*files, directory + "/cgroup", kMostCgroupBytes).value_or("");
    if (cgroup.find(id) != std::string::npos) return true;
    if (names_container(cgroup)) return false;
    constexpr std::int64_t kMostApart_s = 10;
    const std::optional<std::int64_t> start = start_of_process(*files, directory);
    return start && started_s && std::abs(*start - *started_s) <= kMostApart_s;
  }

  /// The id of a container is 64 digits.
  static bool names_container(std::string_view cgroup) {
    std::size_t digits = 0;
    for (const char c : cgroup) {
      digits = std::isxdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
      if (digits == 64) return true;
    }
    return false;
  }

  /// In seconds since the epoch: proc(5), starttime of /proc/PID/stat behind btime of /proc/stat.
  [[nodiscard]] std::optional<std::int64_t> start_of_process(const FileSystem& files,
                                                             const std::string& directory) const {
    const std::string stat = read_small_file(files, directory + "/stat", kMostStatBytes).value_or("");
    const std::string system = read_small_file(files, stores_.proc + "/stat", kMostStatBytes).value_or("");
    const std::size_t boot = system.find("\nbtime ");
    const std::size_t name = stat.rfind(')');  // it may have blanks and parentheses
    if (boot == std::string::npos || name == std::string::npos) return std::nullopt;
    constexpr std::size_t kStartTime = 22 - 2;  // fields behind the name, from 1
    std::size_t field = 0;
    std::optional<std::int64_t> ticks;
    for (const std::string_view word : pieces_in(std::string_view(stat).substr(name + 1), ' ')) {
      if (!word.empty() && ++field == kStartTime) ticks = parse_number<std::int64_t>(word);
    }
    const std::string_view rest = std::string_view(system).substr(boot + 7);
    const auto base = parse_number<std::int64_t>(rest.substr(0, rest.find('\n')));
    const long per_second = ::sysconf(_SC_CLK_TCK);
    if (!ticks || !base || per_second <= 0) return std::nullopt;
    return *base + *ticks / per_second;
  }

  /// Of "2026-11-28T15:00:00.123Z".
  static std::optional<std::int64_t> seconds_of(const std::string& time) {
    int year = 0;
    unsigned month = 0, day = 0, hour = 0, minute = 0, second = 0;
    if (std::sscanf(time.c_str(), "%4d-%2u-%2uT%2u:%2u:%2u", &year, &month, &day, &hour, &minute, &second) != 6) {
      return std::nullopt;
    }
    const std::chrono::sys_days date{std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day)};
    return std::chrono::duration_cast<std::chrono::seconds>(date.time_since_epoch()).count() +
           (std::int64_t{hour} * 60 + minute) * 60 + second;
  }

  std::optional<Error> read_docker(Recorded& one) {
    Container& container = one.container;
    const json& state = member(one.record, "State");
    const json& pid = member(state, "Pid");
    const std::optional<std::int64_t> started = seconds_of(text_of(member(state, "StartedAt")));
    if (pid.is_number_integer() && is_contained(pid.get<int>(), container.id, started)) container.pid = pid.get<int>();
    const json& config = member(one.record, "Config");
    container.process.env = texts_of(member(config, "Env"));
    container.process.cwd = text_of(member(config, "WorkingDir"));
    container.process.user = text_of(member(config, "User"));
    container.process.command = texts_of(member(one.record, "Args"));
    container.process.command.insert(container.process.command.begin(), text_of(member(one.record, "Path")));
    if (container.pid != 0) return std::nullopt;
    const auto mount =
        first_line(one.store + "/image/" + container.driver + "/layerdb/mounts/" + container.id + "/mount-id");
    if (mount) find_layers(container, one.store + "/" + container.driver, *mount);
    return std::nullopt;
  }

  std::optional<Error> read_podman(Recorded& one) {
    Container& container = one.container;
    const std::string folder = "/" + container.driver + "-containers/" + container.id + "/userdata/";
    for (const std::string& place : {one.run + folder + "pidfile", one.store + folder + "pidfile"}) {
      const std::optional<std::string> line = first_line(place);
      const int pid = line ? parse_number<int>(*line).value_or(0) : 0;
      const Result<FileStatus, Errno> written = host_file_system()->status(place);
      const auto started = written ? std::optional(written->modified_ns / 1'000'000'000) : std::nullopt;
      if (container.pid == 0 && is_contained(pid, container.id, started)) container.pid = pid;
    }
    const Result<json> config = read_record(one.store + folder + "config.json");
    if (!config && config.error().code == ErrorCode::Unreadable) return config.error();
    if (config) {
      const json& process = member(*config, "process");
      container.process.env = texts_of(member(process, "env"));
      container.process.cwd = text_of(member(process, "cwd"));
      container.process.command = texts_of(member(process, "args"));
      const json& uid = member(member(process, "user"), "uid");
      if (uid.is_number_unsigned()) container.process.user = std::to_string(uid.get<std::uint32_t>());
    } else {
      read_image(one);
    }
    if (container.pid == 0) find_layers(container, one.store + "/" + container.driver, one.layer);
    return std::nullopt;
  }

  /// Of a container that was never started: its own options are in a data base of podman's.
  static void read_image(Recorded& one) {
    const std::string path =
        one.store + "/" + one.container.driver + "-images/" + one.image + "/=" + base64_of("sha256:" + one.image);
    const Result<json> image = read_record(path);
    if (!image) return;
    const json& config = member(*image, "config");
    one.container.process.env = texts_of(member(config, "Env"));
    one.container.process.cwd = text_of(member(config, "WorkingDir"));
    one.container.process.user = text_of(member(config, "User"));
    one.container.process.command = texts_of(member(config, "Entrypoint"));
    for (std::string& word : texts_of(member(config, "Cmd"))) one.container.process.command.push_back(std::move(word));
    one.container.notes.emplace_back("was never started: environment, directory and command are those of its image");
  }

  /// `driver`: the directory of the storage driver.
  void find_layers(Container& container, const std::string& driver, const std::string& upper) {
    const std::unique_ptr<FileSystem> files = host_file_system();
    if (upper.empty() || upper.find('/') != std::string::npos) return;
    if (container.driver == "vfs") {
      container.layers = {driver + "/dir/" + upper};
      return;
    }
    if (container.driver != "overlay" && container.driver != "overlay2") return;
    const std::string directory = driver + "/" + upper;
    const Result<std::vector<std::string>, Errno> merged = files->list_directory(directory + "/merged");
    if (merged && !merged->empty()) {  // it is mounted
      container.layers = {directory + "/merged"};
      return;
    }
    container.layers = {directory + "/diff"};
    const std::string lowers = first_line(directory + "/lower").value_or("");
    for (const std::string_view lower : pieces_in(lowers, ':')) {
      if (lower.empty()) continue;
      const std::string path = lower.starts_with('/') ? std::string(lower) : driver + "/" + std::string(lower);
      const Result<std::string, Errno> real = files->real_path(path);
      container.layers.push_back(real ? *real : path);
    }
  }

  const ContainerStores& stores_;
  std::vector<Recorded> recorded_;
  std::vector<std::string> looked_in_;
  std::vector<std::string> barred_;  ///< what may be read by root only
  bool is_ambiguous_ = false;
};

/// "KEY = "VALUE"" of a TOML file, or "KEY": "VALUE" of JSON on a line of its own; empty: it is not there.
std::string setting_in(const std::string& path, std::string_view key) {
  const Result<std::string> text = read_text_file(*host_file_system(), path, path);
  if (!text) return {};
  for (std::string_view line : lines_in(*text)) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t{,\""), line.size()));
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t\":="), line.size()));
    return std::string(line.substr(0, line.find('"')));
  }
  return {};
}

}  // namespace

ContainerStores container_stores(const Environment& environment, std::uint32_t uid) {
  ContainerStores stores;
  const std::string docker = setting_in("/etc/docker/daemon.json", "data-root");
  stores.docker.push_back(docker.empty() ? "/var/lib/docker" : docker);
  PodmanStore system = {"/var/lib/containers/storage", "/run/containers/storage"};
  const std::string file(environment.value("CONTAINERS_STORAGE_CONF").value_or("/etc/containers/storage.conf"));
  if (const std::string graph = setting_in(file, "graphroot"); !graph.empty()) system.graph = graph;
  if (const std::string run = setting_in(file, "runroot"); !run.empty()) system.run = run;
  stores.podman.push_back(std::move(system));
  const std::string home(environment.value("HOME").value_or(""));
  std::string data(environment.value("XDG_DATA_HOME").value_or(""));
  if (data.empty() && !home.empty()) data = home + "/.local/share";
  if (uid == 0 || data.empty()) return stores;
  const std::string number = std::to_string(uid);
  std::string run(environment.value("XDG_RUNTIME_DIR").value_or(""));
  if (run.empty()) run = "/run/user/" + number;
  stores.docker.insert(stores.docker.begin(), data + "/docker");
  stores.podman.insert(stores.podman.begin(), {data + "/containers/storage", run + "/containers"});
  return stores;
}

Result<Container> find_container(const ContainerStores& stores, std::string_view word) {
  return ContainerFinder(stores).find(word);
}

std::string directory_of_container(const Container& container, const ContainerStores& stores) {
  if (container.pid != 0) return stores.proc + "/" + std::to_string(container.pid) + "/root";
  return container.layers.empty() ? std::string() : container.layers.front();
}

Result<Place> open_container(const Container& container, const ContainerStores& stores) {
  const std::string format = container.engine + " container";
  if (container.pid == 0) {
    const bool is_known = container.driver == "overlay2" || container.driver == "overlay" || container.driver == "vfs";
    if (container.layers.empty() && is_known) {
      return Unexpected{Error{
          ErrorCode::Malformed, container.name, {}, "does not run, and its records do not say where its layers are"}};
    }
    if (container.layers.empty()) {
      return Unexpected{Error{ErrorCode::Unsupported,
                              container.name,
                              {},
                              "does not run, and its storage driver is '" + container.driver +
                                  "', whose files are not read here (overlay2, overlay and vfs are): start it, or `" +
                                  container.engine + " export " + container.name +
                                  " > FILE.tar`, then --root FILE.tar"}};
    }
    Result<Place> place = open_layer_directories(container.layers);
    if (!place) return place;
    place->format = format;
    place->process = container.process;
    place->notes.insert(place->notes.begin(), container.notes.begin(), container.notes.end());
    return place;
  }
  const Result<LiveProcess> live = read_live_process(container.pid, stores.proc);
  if (!live) return Unexpected{live.error()};
  Result<std::unique_ptr<FileSystem>> files = rooted_file_system(directory_of_container(container, stores));
  if (!files) return Unexpected{std::move(files).error()};
  Place place;
  place.files = std::move(files).value();
  place.format = format;
  place.process = container.process;
  place.process->env = live->environment.entries();
  place.process->cwd = live->cwd;
  place.process->user = std::to_string(live->user.uid);
  return place;
}

}  // namespace soresolve
