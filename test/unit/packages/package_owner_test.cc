// Which package brought a file: dpkg's lists, RECORD, conda's records; and lists of strangers.
#include "packages/package_owner.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "packages/package_records.h"
#include "unit/print_list.h"

using namespace soresolve;

namespace {

class Machine {
 public:
  Machine& file(std::string_view path, std::string_view text = "x") {
    files_->add_file(path, text);
    return *this;
  }
  Machine& link(std::string_view path, std::string_view target) {
    files_->add_symlink(path, target);
    return *this;
  }
  MemoryFileSystem& files() { return *files_; }
  /// "NAME VERSION, by RECORD"; "-" for none.
  std::string owner(std::string_view path) {
    const std::optional<PackageOwner> owner = owners().owner_of(path);
    return owner ? owner->name + " " + owner->version + ", by " + std::string(name_of(owner->by)) : "-";
  }
  PackageOwners& owners() {
    if (!owners_) owners_ = std::make_unique<PackageOwners>(files_);
    return *owners_;
  }

 private:
  std::shared_ptr<MemoryFileSystem> files_ = std::make_shared<MemoryFileSystem>();
  std::unique_ptr<PackageOwners> owners_;
};

/// A Debian with merged /usr; lists have names of before and after the merge.
Machine debian() {
  Machine machine;
  machine.link("/lib", "usr/lib")
      .file("/usr/lib/x/libz.so.1.2")
      .link("/usr/lib/x/libz.so.1", "libz.so.1.2")
      .file("/usr/lib/x/libnew.so.1")
      .file("/usr/lib/x/libGL.so.1")
      .file("/usr/lib/mesa-diverted/libGL.so.1")
      .file("/usr/lib/x/liblocal.so.1")
      .file("/var/lib/dpkg/info/zlib1g:amd64.list", "/.\n/lib\n/lib/x\n/lib/x/libz.so.1.2\n/lib/x/libz.so.1\n")
      .file("/var/lib/dpkg/info/libnew1.list", "/.\n/usr/lib/x/libnew.so.1\n/usr/lib/x/liblocal.so.1\n")
      .file("/var/lib/dpkg/info/libgl1.list", "/usr/lib/x/libGL.so.1\n")
      .file("/var/lib/dpkg/info/glx-nvidia.list", "/usr/lib/x/libGL.so.1\n")
      .file("/var/lib/dpkg/diversions",
            "/usr/lib/x/libGL.so.1\n/usr/lib/mesa-diverted/libGL.so.1\nglx-nvidia\n"
            "/usr/lib/x/liblocal.so.1\n/usr/lib/x/liblocal.so.1.old\n:\n")
      .file("/var/lib/dpkg/status",
            "Package: zlib1g\nStatus: install ok installed\nArchitecture: i386\nVersion: 1:1.2.13-i386\n\n"
            "Package: zlib1g\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1:1.2.13\n\n"
            "Package: xlibnew1\nVersion: 9\n\nPackage: libnew1\nArchitecture: all\nVersion: 3.0\n");
  return machine;
}

}  // namespace

TEST_CASE("dpkg's lists, with merged directories and diversions") {
  struct Case {
    const char* why;
    const char* path;
    const char* want;
  };
  const Case cases[] = {
      {"listed under /lib, asked for under /usr/lib", "/usr/lib/x/libz.so.1.2", "zlib1g 1:1.2.13, by dpkg"},
      {"and the other way round", "/lib/x/libnew.so.1", "libnew1 3.0, by dpkg"},
      {"a link is the package's of its file", "/lib/x/libz.so.1", "zlib1g 1:1.2.13, by dpkg"},
      {"with .. in it, as $ORIGIN makes it", "/usr/lib/x/../x/libnew.so.1", "libnew1 3.0, by dpkg"},
      {"the diverting package has the place", "/usr/lib/x/libGL.so.1", "glx-nvidia , by dpkg"},
      {"the diverted file is the other's", "/usr/lib/mesa-diverted/libGL.so.1", "libgl1 , by dpkg"},
      {"an administrator's file in a place that he diverted", "/usr/lib/x/liblocal.so.1", "-"},
      {"no list has it", "/usr/lib/x/libother.so.1", "-"},
      {"a part of a line is no line", "/usr/lib/x/libnew.so", "-"},
      {"no absolute path", "libnew.so.1", "-"},
  };
  Machine machine = debian();
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(machine.owner(c.path) == c.want);
    CHECK(machine.owner(c.path) == c.want);  // as it was kept
  }
}

TEST_CASE("without merged directories /lib and /usr/lib are two places") {
  Machine machine;
  machine.file("/lib/liba.so.1").file("/usr/lib/liba.so.1").file("/var/lib/dpkg/info/a.list", "/lib/liba.so.1\n");
  CHECK(machine.owner("/lib/liba.so.1") == "a , by dpkg");
  CHECK(machine.owner("/usr/lib/liba.so.1") == "-");
}

TEST_CASE("an image that was made of packages without dpkg has a stanza a file") {
  Machine machine;
  machine.file("/usr/lib/libssl.so.3")
      .file("/var/lib/dpkg/status.d/libssl3", "Package: libssl3\nVersion: 3.0.1\n")
      .file("/var/lib/dpkg/status.d/libssl3.md5sums", "0123456789abcdef0123456789abcdef  usr/lib/libssl.so.3\n");
  CHECK(machine.owner("/usr/lib/libssl.so.3") == "libssl3 3.0.1, by dpkg");
}

TEST_CASE("pip's RECORD, in the site directory above a file and in that of its prefix") {
  struct Case {
    const char* why;
    const char* path;
    const char* want;
  };
  const Case cases[] = {
      {"a wheel of NVIDIA", "/v/lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12",
       "nvidia-cuda-runtime-cu12 12.4.127, by RECORD"},
      {"at the top of the site directory", "/v/lib/python3.11/site-packages/_ext.so", "ext 1.0, by RECORD"},
      {"through lib64, which venv links to lib", "/v/lib64/python3.11/site-packages/_ext.so", "ext 1.0, by RECORD"},
      {"a comma in the name", "/v/lib/python3.11/site-packages/a,b \"c\".so", "ext 1.0, by RECORD"},
      {"a file of the prefix", "/v/lib/libtbb.so.12", "tbb 2021.1, by RECORD"},
      {"recorded by nobody", "/v/lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.11.0", "-"},
  };
  Machine machine;
  const std::string site = "/v/lib/python3.11/site-packages/";
  machine.link("/v/lib64", "lib")
      .file(site + "nvidia_cuda_runtime_cu12-12.4.127.dist-info/RECORD",
            "nvidia/__init__.py,,\r\nnvidia/cuda_runtime/lib/libcudart.so.12,sha256=x,70\r\n")
      .file(site + "ext-1.0.dist-info/RECORD", "_ext.so,sha256=x,1\n\"a,b \"\"c\"\".so\",,\n")
      .file(site + "tbb-2021.1.dist-info/RECORD", "../../libtbb.so.12,sha256=x,1\n");
  for (const Case& c : cases) {
    CAPTURE(c.why);
    if (machine.files().status(c.path).has_value() == false) machine.file(c.path);
    CHECK(machine.owner(c.path) == c.want);
  }
}

TEST_CASE("below /usr dpkg's word comes before RECORD's, elsewhere after it") {
  for (const std::string top : {"/usr/lib/python3/dist-packages/", "/usr/local/lib/python3/dist-packages/"}) {
    CAPTURE(top);
    Machine machine;
    machine.file(top + "numpy/_core.so")
        .file(top + "numpy-1.24.dist-info/RECORD", "numpy/_core.so,,\n")
        .file("/var/lib/dpkg/info/python3-numpy.list", top + "numpy/_core.so\n");
    CHECK(machine.owner(top + "numpy/_core.so") ==
          (top.starts_with("/usr/local") ? "numpy 1.24, by RECORD" : "python3-numpy , by dpkg"));
  }
}

TEST_CASE("conda: an environment, what pip put into it, and the cache of packages") {
  Machine machine;
  const std::string env = "/home/u/miniforge3/envs/a";
  machine.file(env + "/lib/libcudart.so.12.4.127")
      .link(env + "/lib/libcudart.so.12", "libcudart.so.12.4.127")
      .file(env + "/lib/python3.11/site-packages/torch/lib/libc10.so")
      .file(env + "/lib/python3.11/site-packages/ext.so")
      .file(env + "/lib/python3.11/site-packages/torch-2.6.0.dist-info/RECORD", "torch/lib/libc10.so,,\n")
      .file(env + "/lib/python3.11/site-packages/ext-2.0.dist-info/RECORD", "ext.so,,\n")
      .file(env + "/conda-meta/history", "lib/libcudart.so.12")
      .file(
          env + "/conda-meta/cuda-cudart-12.4.127-h1.json",
          R"({"name":"cuda-cudart","version":"12.4.127","files":["lib/libcudart.so.12","lib/libcudart.so.12.4.127"]})")
      .file(env + "/conda-meta/pytorch-2.6.0-py.json",
            R"({"name":"pytorch","version":"2.6.0","files":["lib/python3.11/site-packages/torch/lib/libc10.so"]})")
      .file(env + "/conda-meta/other-1.json", R"({"name":"other","depends":["lib/libmentioned.so"],"files":[]})")
      .file(env + "/lib/libmentioned.so")
      .file("/home/u/miniforge3/pkgs/zlib-1.2-0/lib/libz.so.1")
      .file("/home/u/miniforge3/pkgs/zlib-1.2-0/info/files", "lib/libz.so.1\n")
      .file("/home/u/miniforge3/pkgs/zlib-1.2-0/info/index.json", R"({"name":"zlib","version":"1.2"})");
  CHECK(machine.owner(env + "/lib/libcudart.so.12") == "cuda-cudart 12.4.127, by conda-meta");
  CHECK(machine.owner(env + "/lib/python3.11/site-packages/torch/lib/libc10.so") == "pytorch 2.6.0, by conda-meta");
  CHECK(machine.owner(env + "/lib/python3.11/site-packages/ext.so") == "ext 2.0, by RECORD");
  CHECK(machine.owner(env + "/lib/libmentioned.so") == "-");
  CHECK(machine.owner("/home/u/miniforge3/pkgs/zlib-1.2-0/lib/libz.so.1") == "zlib 1.2, by conda-meta");
}

TEST_CASE("what a package has, by its own record") {
  Machine machine = debian();
  const std::optional<PackageOwner> zlib = machine.owners().owner_of("/usr/lib/x/libz.so.1");
  REQUIRE(zlib.has_value());
  CHECK(machine.owners().files_of(*zlib) ==
        std::vector<std::string>{"/", "/lib", "/lib/x", "/lib/x/libz.so.1.2", "/lib/x/libz.so.1"});
  Machine venv;
  venv.file("/v/sp/a/a.so").file("/v/sp/a-1.dist-info/RECORD", "a/a.so,,\n../bin/a,,\n/abs,,\n../../../../etc/x,,\n");
  const std::optional<PackageOwner> wheel = venv.owners().owner_of("/v/sp/a/a.so");
  REQUIRE(wheel.has_value());
  CHECK(venv.owners().files_of(*wheel) == std::vector<std::string>{"/v/sp/a/a.so", "/v/bin/a", "/abs", "/etc/x"});
}

TEST_CASE("records that are no records, or too large") {
  const std::string path = "/v/sp/a/a.so";
  const std::string record = "/v/sp/a-1.dist-info/RECORD";
  const std::string long_start(kMaxRecordBytes, '\n');
  struct Case {
    const char* why;
    std::string text;
    const char* want;
  };
  const Case cases[] = {
      {"as it should be", "a/a.so,,\n", "a 1, by RECORD"},
      {"no end of line", "a/a.so,,", "a 1, by RECORD"},
      {"longer than anything real", long_start + "a/a.so,,\n", "-"},
      {"quotes without an end", "\"a/a.so", "a 1, by RECORD"},
      {"bytes that are no text", std::string("\0\xff,\n\"\"\"\"\n", 8), "-"},
      {"a path that goes astray is not followed", "../sp/a/a.so,,\n", "-"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    Machine machine;
    machine.file(path).file(record, c.text);
    CHECK(machine.owner(path) == c.want);
  }
  Machine fifo;
  fifo.file(path);
  fifo.files().add_special(record, FileKind::Fifo);
  CHECK(fifo.owner(path) == "-");
  Machine nested;
  nested.file("/e/lib/a.so").file("/e/conda-meta/a.json", "{\"x\":\"lib/a.so\",\"y\":" + std::string(1000000, '['));
  CHECK(nested.owner("/e/lib/a.so") == "-");
}

TEST_CASE("a status file is searched by whole lines") {
  CHECK(dpkg_version("Package: a\nVersion: 1\n", "a") == "1");
  CHECK(dpkg_version("X-Package: a\nVersion: 1\n", "a") == "");
  CHECK(dpkg_version("Package: a\nArchitecture: arm64\nVersion: 1\n", "a:amd64") == "");
  CHECK(dpkg_version("Package: a\nDescription: Version: 9\n\nPackage: b\nVersion: 2\n", "a") == "");
  CHECK(dpkg_version("Package: b\nVersion: 2\n\nPackage: a", "a") == "");
}
