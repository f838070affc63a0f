// Containers as docker and podman write them down. The records have the form of moby 24 and of podman 4.3; what is not
// asked for is left out.
#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "host/container.h"

using namespace soresolve;
namespace fs = std::filesystem;

namespace {

const std::string kWeb = "aa11" + std::string(60, '0');
const std::string kDb = "aa22" + std::string(60, '0');
const std::string kPod = "bb33" + std::string(60, '0');
const std::string kNew = "cc44" + std::string(60, '0');

/// A data-root of docker's and a store of podman's, which go with it.
class EngineFolders {
 public:
  EngineFolders() {
    std::string pattern = (fs::temp_directory_path() / "engines-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    stores.docker = {(folder_ / "docker").string()};
    stores.podman = {{(folder_ / "graph").string(), (folder_ / "run").string()}};
  }
  ~EngineFolders() {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  EngineFolders(const EngineFolders&) = delete;
  EngineFolders& operator=(const EngineFolders&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  void link(const std::string& path, const std::string& target) const {
    fs::create_directories((folder_ / path).parent_path());
    fs::create_symlink(target, folder_ / path);
  }

  /// Of docker's overlay2: an upper layer, the one that docker itself makes, and an image of one layer.
  void add_docker(const std::string& id, const std::string& name, const std::string& driver, int pid) const {
    write("docker/containers/" + id + "/config.v2.json",
          R"({"ID":")" + id + R"(","Name":"/)" + name + R"(","Driver":")" + driver + R"(","State":{"Running":)" +
              (pid == 0 ? "false" : "true") + R"(,"Pid":)" + std::to_string(pid) +
              R"(},"Path":"/app/serve","Args":["--port","80"],"Config":{"User":"5","WorkingDir":"/app","Env":)" +
              R"(["PATH=/bin","LD_LIBRARY_PATH=/app/lib"],"Entrypoint":null,"Cmd":["unused"]}})");
    if (driver != "overlay2") return;
    write("docker/image/overlay2/layerdb/mounts/" + id + "/mount-id", "mount-" + name);
    write("docker/overlay2/mount-" + name + "/lower", "l/INIT:l/BASE");
    write("docker/overlay2/mount-" + name + "/diff/upper", name);
    write("docker/overlay2/init/diff/etc/hostname", "");
    write("docker/overlay2/base/diff/base", "of the image");
    if (!fs::exists(folder_ / "docker/overlay2/l/INIT")) {
      link("docker/overlay2/l/INIT", "../init/diff");
      link("docker/overlay2/l/BASE", "../base/diff");
    }
  }

  void add_podman() const {
    write("graph/overlay-containers/containers.json", R"([{"id":")" + kPod +
                                                          R"(","names":["pod"],"image":"i1","layer":"l1"},{"id":")" +
                                                          kNew + R"(","names":["new"],"image":"i1","layer":"l1"}])");
    write("graph/overlay-containers/" + kPod + "/userdata/config.json",
          R"({"process":{"args":["/bin/sh","-c","x"],"env":["A=B"],"cwd":"/srv","user":{"uid":7,"gid":8}}})");
    write("graph/overlay/l1/diff/upper", "pod");
    write("graph/overlay/l1/lower", "l/LOW");
    write("graph/overlay/l0/diff/base", "of the image");
    link("graph/overlay/l/LOW", "../l0/diff");
    // base64 of "sha256:i1"
    write("graph/overlay-images/i1/=c2hhMjU2Omkx",
          R"({"config":{"Env":["OF=IMAGE"],"Entrypoint":["/run"],"Cmd":["it"]}})");
  }

  ContainerStores stores;

 private:
  fs::path folder_;
};

std::string error_of(const EngineFolders& folders, std::string_view word) {
  const Result<Container> found = find_container(folders.stores, word);
  return found ? "found " + found->name : found.error().to_string();
}

}  // namespace

TEST_CASE("a container is found by its name, its id, and how one id alone begins") {
  EngineFolders folders;
  folders.add_docker(kWeb, "web", "overlay2", 0);
  folders.add_docker(kDb, "db", "overlay2", 0);
  folders.add_podman();
  struct Case {
    const char* why;
    std::string word;
    std::string want;
  };
  const Case cases[] = {
      {"a name of docker's", "web", "found web"},
      {"a name of podman's", "pod", "found pod"},
      {"the whole id", kDb, "found db"},
      {"how one id begins", "aa2", "found db"},
      {"how two begin", "aa",
       "aa: is not one container only: web (docker aa1100000000), db (docker aa2200000000), "
       "pod (podman bb3300000000), new (podman cc4400000000)"},
      {"an unknown one", "nope",
       "nope: is not a container here; there are: web (docker aa1100000000), db (docker aa2200000000), "
       "pod (podman bb3300000000), new (podman cc4400000000)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(error_of(folders, c.word) == c.want);
  }
}

TEST_CASE("one of docker's that does not run: layers, and what its configuration says") {
  EngineFolders folders;
  folders.add_docker(kWeb, "web", "overlay2", 0);
  const Result<Container> found = find_container(folders.stores, "web");
  REQUIRE_MESSAGE(found.has_value(), found.error().to_string());
  CHECK(found->pid == 0);
  CHECK(found->layers.size() == 3);
  const Result<Place> place = open_container(*found, folders.stores);
  REQUIRE_MESSAGE(place.has_value(), place.error().to_string());
  CHECK(place->files->status("/upper").has_value());
  CHECK(place->files->status("/etc/hostname").has_value());
  CHECK(place->files->status("/base").has_value());
  REQUIRE(place->process.has_value());
  CHECK(place->process->env == std::vector<std::string>{"PATH=/bin", "LD_LIBRARY_PATH=/app/lib"});
  CHECK(place->process->command == std::vector<std::string>{"/app/serve", "--port", "80"});
  CHECK(place->process->cwd == "/app");
  CHECK(place->process->user == "5");
}

TEST_CASE("one of podman's: the runtime's configuration, or before the first start the image's") {
  EngineFolders folders;
  folders.add_podman();
  const Result<Container> pod = find_container(folders.stores, "pod");
  REQUIRE_MESSAGE(pod.has_value(), pod.error().to_string());
  CHECK(pod->process.command == std::vector<std::string>{"/bin/sh", "-c", "x"});
  CHECK(pod->process.env == std::vector<std::string>{"A=B"});
  CHECK(pod->process.user == "7");
  const Result<Place> place = open_container(*pod, folders.stores);
  REQUIRE(place.has_value());
  CHECK(place->files->status("/upper").has_value());
  CHECK(place->files->status("/base").has_value());
  const Result<Container> fresh = find_container(folders.stores, "new");
  REQUIRE(fresh.has_value());
  CHECK(fresh->process.command == std::vector<std::string>{"/run", "it"});
  CHECK(fresh->process.env == std::vector<std::string>{"OF=IMAGE"});
  CHECK(fresh->notes.size() == 1);
}

TEST_CASE("a number of a process that is not in a container is old") {
  EngineFolders folders;
  folders.add_docker(kWeb, "web", "overlay2", static_cast<int>(::getpid()));
  folders.add_docker(kDb, "db", "overlay2", 1 << 22);
  CHECK(find_container(folders.stores, "web")->pid == 0);
  CHECK(find_container(folders.stores, "db")->pid == 0);
}

TEST_CASE("a number that another process has by now is old, whatever root directory that has") {
  constexpr std::int64_t kBoot_s = 1'700'000'000;
  const auto stat_of = [](std::int64_t started_s) {
    const std::int64_t ticks = (started_s - kBoot_s) * ::sysconf(_SC_CLK_TCK);
    return "77 (a (b) c) S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 " + std::to_string(ticks) + " 1\n";
  };
  struct Case {
    const char* why;
    std::string cgroup;
    std::int64_t apart_s;  ///< from when the engine has written the number down
    bool runs;
  };
  const Case cases[] = {
      {"its control group names it", "0::/system.slice/docker-" + kPod + ".scope\n", 5000, true},
      {"another container's", "0::/system.slice/docker-" + kDb + ".scope\n", 0, false},
      {"none is named, and it is as old", "0::/\n", 1, true},
      {"none is named, and it is younger", "0::/user.slice\n", 5000, false},
      {"none is named, and it is older", "", -5000, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    EngineFolders folders;
    folders.add_podman();
    folders.stores.proc = folders.path("proc");
    folders.write("elsewhere/file", "");
    folders.link("proc/77/root", "../../elsewhere");
    folders.write("run/overlay-containers/" + kPod + "/userdata/pidfile", "77\n");
    const auto written =
        host_file_system()->status(folders.path("run/overlay-containers/" + kPod + "/userdata/pidfile"));
    REQUIRE(written.has_value());
    folders.write("proc/stat", "cpu 1\nbtime " + std::to_string(kBoot_s) + "\n");
    folders.write("proc/77/stat", stat_of(written->modified_ns / 1'000'000'000 + c.apart_s));
    folders.write("proc/77/cgroup", c.cgroup);
    const Result<Container> found = find_container(folders.stores, "pod");
    REQUIRE_MESSAGE(found.has_value(), found.error().to_string());
    CHECK(found->pid == (c.runs ? 77 : 0));
  }
}

TEST_CASE("a storage driver that keeps no directories takes a container that runs") {
  EngineFolders folders;
  folders.add_docker(kWeb, "web", "btrfs", 0);
  const Result<Container> found = find_container(folders.stores, "web");
  REQUIRE(found.has_value());
  const Result<Place> place = open_container(*found, folders.stores);
  REQUIRE(!place.has_value());
  CHECK(place.error().code == ErrorCode::Unsupported);
  CHECK(place.error().message.find("its storage driver is 'btrfs'") != std::string::npos);
}

TEST_CASE("where no engine is, that is said; records that are none are passed over") {
  EngineFolders folders;
  CHECK(error_of(folders, "web").find("web: is not a container: neither docker nor podman has one in ") == 0);
  folders.write("docker/containers/" + kWeb + "/config.v2.json", "{");
  folders.write("graph/overlay-containers/containers.json", "{\"id\": 1}");
  CHECK(error_of(folders, "web").find("web: is not a container: neither docker nor podman has one in ") == 0);
}
