// Platform, device nodes, kernel module, GPUs.
//
// Sources: the README of NVIDIA's Linux driver (device nodes, "proc" interface), the NVIDIA Container
// Toolkit's documentation, the MIG user guide.
#include <algorithm>

#include "cuda/contracts.h"
#include "cuda/driver.h"
#include "doctor/checks.h"
#include "loader/system.h"

namespace soresolve {
namespace {

using enum DoctorResult;

bool has_node(const Machine& machine, std::string_view name) {
  return std::find(machine.nodes.begin(), machine.nodes.end(), name) != machine.nodes.end();
}

Statement word_of(PlatformKind kind) {
  switch (kind) {
    case PlatformKind::Plain: return say("platform-plain");
    case PlatformKind::Container: return say("platform-container");
    case PlatformKind::Wsl: return words_of_others("Windows Subsystem for Linux");
    case PlatformKind::Jetson: return words_of_others("Jetson");
    case PlatformKind::NixOs: return words_of_others("NixOS");
  }
  return {};
}

DoctorAdvice container_advice() {
  return {say("give-container-gpu"),
          {"docker run --gpus all …", "podman run --device nvidia.com/gpu=all …"},
          false,
          say("hosts-to-do")};
}

std::string permissions(std::uint32_t mode) {
  std::string text = "0";
  for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + (mode >> shift & 7));
  return text;
}

}  // namespace

DoctorCheck check_platform(const Machine& machine, Inventory&) {
  DoctorCheck check;
  const Statement sign =
      machine.platform_sign.empty() ? Statement{} : say("in-brackets", {{"text", machine.platform_sign}});
  Statement glibc;
  if (machine.system != nullptr) {
    const LoaderRules& rules = machine.system->rules;
    glibc = rules.libc == Libc::Musl ? say("comma-musl", {{"version", rules.musl_version.to_string()}})
                                     : say("comma-glibc", {{"version", rules.version.to_string()}});
  } else {
    add_item(check, Warn, say("no-glibc-loader"), {words_of_others(machine.loader_problem)});
    check.why = say("why-platform");
  }
  check.seen = say("platform-seen", {{"platform", word_of(machine.platform)}, {"sign", sign}, {"glibc", glibc}});
  return check;
}

DoctorCheck check_device_nodes(const Machine& machine, Inventory&) {
  DoctorCheck check;
  if (!machine.has_dev) {
    check.result = Skip;
    check.seen = say("no-dev");
    return check;
  }
  check.why = say("why-device-nodes");
  if (machine.platform == PlatformKind::Wsl || machine.platform == PlatformKind::Jetson) {
    const bool is_there = machine.platform == PlatformKind::Wsl ? has_node(machine, "dxg") : !machine.nodes.empty();
    check.result = is_there ? Pass : Fail;
    check.seen = is_there ? say("platform-nodes-there", {{"path", "/dev/" + machine.nodes.front()}})
                          : say("platform-nodes-missing");
    return check;
  }
  const std::size_t gpus =
      static_cast<std::size_t>(std::count_if(machine.nodes.begin(), machine.nodes.end(), is_gpu_node));
  if (gpus == 0 && !has_node(machine, "nvidiactl")) {
    check.result = Fail;
    check.seen = say(
        "no-nodes",
        {{"module", machine.module ? say("though-module-is-loaded", {{"path", machine.module->path}}) : Statement{}}});
    if (machine.module) {
      if (machine.platform == PlatformKind::Container)
        check.advice.push_back(container_advice());
      else
        check.advice.push_back({say("let-driver-make-nodes"), {"nvidia-modprobe -u -c=0"}, false, say("takes-root")});
    } else if (machine.platform == PlatformKind::Container) {
      check.advice.push_back(container_advice());
    }
    return check;
  }
  const bool has_control = has_node(machine, "nvidiactl");
  check.seen = say(has_control ? "nodes-and-control" : "nodes-without-control", {{"count", gpus}});
  if (gpus == 0) add_item(check, Fail, say("no-gpu-node"));
  if (!has_control) add_item(check, Fail, say("node-missing", {{"path", "/dev/nvidiactl"}}));
  if (!has_node(machine, "nvidia-uvm")) {
    add_item(check, Warn, say("uvm-missing"));
    check.advice.push_back(
        {say("load-the-module"), {"modprobe nvidia_uvm", "nvidia-modprobe -u -c=0"}, false, say("takes-root")});
  }
  for (const std::string& name : machine.nodes) {
    const bool matters = is_gpu_node(name) || name == "nvidiactl" || name == "nvidia-uvm";
    const Result<FileStatus, Errno> status = machine.files->status("/dev/" + name);
    if (!matters || !status) continue;
    if (status->kind != FileKind::Device) {
      add_item(check, Fail, say("no-device-node", {{"path", "/dev/" + name}}));
    } else if ((status->mode & 0666) != 0666) {
      add_item(check, Warn, say("node-permissions", {{"path", "/dev/" + name}, {"mode", permissions(status->mode)}}));
    }
  }
  return check;
}

DoctorCheck check_kernel_module(const Machine& machine, Inventory&) {
  DoctorCheck check;
  check.why = say("why-kernel-module");
  if (machine.module) {
    check.seen = say(machine.module->is_open ? "open-module-seen" : "module-seen",
                     {{"version", machine.module->version.text}, {"path", machine.module->path}});
    return check;
  }
  const bool has_proc =
      machine.files->status("/proc/self").has_value() || machine.files->status("/sys/module").has_value();
  if (!has_proc) {
    check.result = Skip;
    check.seen = say("no-proc-nor-sys");
  } else if (machine.platform == PlatformKind::Wsl || machine.platform == PlatformKind::Jetson) {
    check.result = Skip;
    check.seen = say("driver-elsewhere");
  } else {
    check.result = Fail;
    check.seen = say("no-module");
    if (machine.platform == PlatformKind::Container)
      check.advice.push_back(container_advice());
    else
      check.advice.push_back({say("install-driver-or-load"), {"modprobe nvidia"}, false, say("takes-root")});
  }
  return check;
}

DoctorCheck check_gpus(const Machine& machine, Inventory&) {
  DoctorCheck check;
  check.why = say("why-gpus");
  if (machine.gpus.empty()) {
    check.result = Skip;
    check.seen = say("no-gpus");
    return check;
  }
  check.seen = say("gpu-count", {{"count", machine.gpus.size()}});
  for (const ShownGpu& gpu : machine.gpus) {
    if (!gpu.device) {
      add_item(check, Warn, say("gpu-unknown", {{"gpu", gpu.name}}));
      continue;
    }
    const ComputeCapability capability = gpu.device->capability;
    const LastBranch* last = nullptr;
    for (const LastBranch& branch : machine.contracts().last_branches) {
      if (branch.from <= capability && capability <= branch.to) last = &branch;
    }
    const DottedVersion driver = machine.driver_version();
    if (last != nullptr && !driver.empty() && driver.major_number() > last->branch) {
      add_item(check, Fail,
               say("gpu-needs-older-driver", {{"gpu", gpu.name},
                                              {"capability", capability.to_string()},
                                              {"branch", std::to_string(last->branch)},
                                              {"driver", driver.text}}),
               {say("the-rule", {{"source", last->source}})});
    } else {
      add_item(check, Pass, say("gpu-capability", {{"gpu", gpu.name}, {"capability", capability.to_string()}}),
               {say("known-from", {{"source", gpu.device->source}})});
    }
  }
  const auto instances = machine.files->list_directory("/proc/driver/nvidia/capabilities/gpu0/mig");
  const bool has_instances = instances && std::any_of(instances->begin(), instances->end(),
                                                      [](const std::string& name) { return name.starts_with("gi"); });
  if (has_instances) {
    add_item(check, Warn, say("gpu-partitioned"), {say("mig-has-instances")});
  }
  return check;
}

}  // namespace soresolve
