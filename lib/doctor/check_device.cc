// Platform, device nodes, kernel module, GPUs.
//
// Sources: the README of NVIDIA's Linux driver (device nodes, "proc" interface), the NVIDIA Container
// Toolkit's documentation, the MIG user guide.
#include <algorithm>

#include "doctor/checks.h"
#include "loader/system.h"

namespace soresolve {
namespace {

using enum DoctorResult;

bool has_node(const Machine& machine, std::string_view name) {
  return std::find(machine.nodes.begin(), machine.nodes.end(), name) != machine.nodes.end();
}
std::string word_of(PlatformKind kind) {
  switch (kind) {
    case PlatformKind::Plain: return "no container is recognised";
    case PlatformKind::Container: return "a container";
    case PlatformKind::Wsl: return "Windows Subsystem for Linux";
    case PlatformKind::Jetson: return "Jetson";
    case PlatformKind::NixOs: return "NixOS";
  }
  return "";
}

DoctorAdvice container_advice() {
  return {"start the container with access to the GPU",
          {"docker run --gpus all …", "podman run --device nvidia.com/gpu=all …"},
          false,
          "that is the host's to do"};
}

std::string permissions(std::uint32_t mode) {
  std::string text = "0";
  for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + (mode >> shift & 7));
  return text;
}

}  // namespace

DoctorCheck check_platform(const Machine& machine, Inventory&) {
  DoctorCheck check;
  check.seen = word_of(machine.platform);
  if (!machine.platform_sign.empty()) check.seen += " (" + machine.platform_sign + ")";
  if (machine.system != nullptr) {
    check.seen += ", glibc " + machine.system->rules.version.to_string();
  } else {
    add_item(check, Warn, "no glibc loader is here: what a program would find cannot be told",
             {machine.loader_problem});
    check.why = "everything below that depends on the loader's search is left out";
  }
  return check;
}

DoctorCheck check_device_nodes(const Machine& machine, Inventory&) {
  DoctorCheck check;
  if (!machine.has_dev) {
    check.result = Skip;
    check.seen = "there is no /dev to look at (a root tree, an image)";
    return check;
  }
  check.why = "the driver's library talks to the kernel through these nodes; without them no GPU is seen";
  if (machine.platform == PlatformKind::Wsl || machine.platform == PlatformKind::Jetson) {
    const bool is_there = machine.platform == PlatformKind::Wsl ? has_node(machine, "dxg") : !machine.nodes.empty();
    check.result = is_there ? Pass : Fail;
    check.seen = is_there ? "the nodes of this platform are there: /dev/" + machine.nodes.front()
                          : "the nodes of this platform are missing";
    return check;
  }
  const std::size_t gpus =
      static_cast<std::size_t>(std::count_if(machine.nodes.begin(), machine.nodes.end(), is_gpu_node));
  if (gpus == 0 && !has_node(machine, "nvidiactl")) {
    check.result = Fail;
    check.seen = "there is neither /dev/nvidiactl nor /dev/nvidia0";
    if (machine.module) {
      check.seen += ", though the kernel module is loaded (" + machine.module->path + ")";
      if (machine.platform == PlatformKind::Container)
        check.advice.push_back(container_advice());
      else
        check.advice.push_back(
            {"let the driver make its nodes", {"nvidia-modprobe -u -c=0"}, false, "it takes root and the hardware"});
    } else if (machine.platform == PlatformKind::Container) {
      check.advice.push_back(container_advice());
    }
    return check;
  }
  check.seen = std::to_string(gpus) + (gpus == 1 ? " GPU node" : " GPU nodes") + ", /dev/nvidiactl " +
               (has_node(machine, "nvidiactl") ? "is there" : "is missing");
  if (gpus == 0) add_item(check, Fail, "there is no /dev/nvidia0: the control node alone shows no GPU");
  if (!has_node(machine, "nvidiactl")) add_item(check, Fail, "/dev/nvidiactl is missing");
  if (!has_node(machine, "nvidia-uvm")) {
    add_item(check, Warn,
             "/dev/nvidia-uvm is missing: cuInit fails with error 999 until the module nvidia_uvm is loaded");
    check.advice.push_back({"load the module",
                            {"modprobe nvidia_uvm", "nvidia-modprobe -u -c=0"},
                            false,
                            "it takes root and the hardware"});
  }
  for (const std::string& name : machine.nodes) {
    const bool matters = is_gpu_node(name) || name == "nvidiactl" || name == "nvidia-uvm";
    const Result<FileStatus, Errno> status = machine.files->status("/dev/" + name);
    if (!matters || !status) continue;
    if (status->kind != FileKind::Device) {
      add_item(check, Fail, "/dev/" + name + " is no device node");
    } else if ((status->mode & 0666) != 0666) {
      add_item(check, Warn,
               "/dev/" + name + " has the permissions " + permissions(status->mode) +
                   ": other users than its owner and group get error 100 (no device) or 999");
    }
  }
  return check;
}

DoctorCheck check_kernel_module(const Machine& machine, Inventory&) {
  DoctorCheck check;
  check.why = "the driver's library works with a kernel module of its own version only";
  if (machine.module) {
    check.seen = "nvidia " + machine.module->version.text + (machine.module->is_open ? ", open flavour" : "") + " (" +
                 machine.module->path + ")";
    return check;
  }
  const bool has_proc =
      machine.files->status("/proc/self").has_value() || machine.files->status("/sys/module").has_value();
  if (!has_proc) {
    check.result = Skip;
    check.seen = "there is no /proc and no /sys to look at (a root tree, an image)";
  } else if (machine.platform == PlatformKind::Wsl || machine.platform == PlatformKind::Jetson) {
    check.result = Skip;
    check.seen = "this platform has its driver elsewhere";
  } else {
    check.result = Fail;
    check.seen =
        "no nvidia module is loaded: there is neither /proc/driver/nvidia/version nor /sys/module/nvidia/version";
    if (machine.platform == PlatformKind::Container)
      check.advice.push_back(container_advice());
    else
      check.advice.push_back(
          {"install the driver, or load its module", {"modprobe nvidia"}, false, "it takes root and the hardware"});
  }
  return check;
}

DoctorCheck check_gpus(const Machine& machine, Inventory&) {
  DoctorCheck check;
  check.why = "which code runs is decided by the compute capability of the chip";
  if (machine.gpus.empty()) {
    check.result = Skip;
    check.seen = "/proc/driver/nvidia/gpus shows none";
    return check;
  }
  check.seen = std::to_string(machine.gpus.size()) + (machine.gpus.size() == 1 ? " GPU" : " GPUs");
  for (const ShownGpu& gpu : machine.gpus) {
    if (!gpu.device) {
      add_item(check, Warn, gpu.name + ": no row of the contracts knows this board (--facts can add one)");
      continue;
    }
    const ComputeCapability capability = gpu.device->capability;
    const LastBranch* last = nullptr;
    for (const LastBranch& branch : machine.contracts().last_branches) {
      if (branch.from <= capability && capability <= branch.to) last = &branch;
    }
    const DottedVersion driver = machine.driver_version();
    const std::string text = gpu.name + ": compute capability " + capability.to_string();
    if (last != nullptr && !driver.empty() && driver.major_number() > last->branch) {
      add_item(check, Fail,
               text + "; the last branch of the driver that drives it is " + std::to_string(last->branch) +
                   ", and this is " + driver.text,
               {"the rule: " + last->source});
    } else {
      add_item(check, Pass, text, {"known from: " + gpu.device->source});
    }
  }
  const auto instances = machine.files->list_directory("/proc/driver/nvidia/capabilities/gpu0/mig");
  const bool has_instances = instances && std::any_of(instances->begin(), instances->end(),
                                                      [](const std::string& name) { return name.starts_with("gi"); });
  if (has_instances) {
    add_item(check, Warn,
             "GPU 0 is partitioned (MIG): a program sees one instance at a time, by its UUID in CUDA_VISIBLE_DEVICES",
             {"/proc/driver/nvidia/capabilities/gpu0/mig has instances"});
  }
  return check;
}

}  // namespace soresolve
