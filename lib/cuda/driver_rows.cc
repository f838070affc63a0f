// The rows of driver_rows.h.
//
// Sources, as read on the dates of their commits:
//   LNC  NVIDIA/libnvidia-container: src/nvc_info.c@00b4b47e (utility_libs, compute_libs, video_libs, graphics_libs,
//        ngx_libs), src/nvc_mount.c@077f498c, src/nvc_container.c@12a66bbb, src/cli/compat_mode.c@0d289cb5,
//        src/nvc_ldcache.c@0f8e13d6
//   NCT  NVIDIA/nvidia-container-toolkit: pkg/nvcdi/driver-nvml.go@082cc39a, internal/ldconfig/ldconfig.go@933ddb79,
//        cmd/nvidia-cdi-hook/cudacompat/cudacompat.go@90988f7a, CHANGELOG.md (1.17.3 to 1.19.0)
//   APT  apptainer/apptainer: etc/nvliblist.conf@1a0df58e, internal/pkg/util/paths/resolve.go@132c8e60, CHANGELOG.md
//   DEB  Debian's driver packages 470.256.02, 535.261.03 and 550.163.01: readelf -dV of each library
// That ldconfig gets the compat directory before the host's libraries is read from what compat_mode.c wants with it.
#include "cuda/driver_rows.h"

namespace soresolve {
namespace {

constexpr PassedRow kPassedRows[] = {
    // LNC utility_libs
    {"libnvidia-ml.so", "utility", "", true},
    {"libnvidia-cfg.so", "utility", "", true},
    {"libnvidia-nscq.so", "utility", "", false},
    // LNC compute_libs
    {"libcuda.so", "compute", "", true},
    {"libcudadebugger.so", "compute", "", true, "1.5"},
    {"libnvidia-opencl.so", "compute", "", true},
    {"libnvidia-gpucomp.so", "compute", "", true},
    {"libnvidia-ptxjitcompiler.so", "compute", "", true},
    {"libnvidia-fatbinaryloader.so", "compute", "", true},
    {"libnvidia-allocator.so", "compute", "", false},
    {"libnvidia-compiler.so", "compute", "", true},
    {"libnvidia-pkcs11.so", "compute", "", false},
    {"libnvidia-pkcs11-openssl3.so", "compute", "", false},
    {"libnvidia-nvvm.so", "compute", "", true, "1.5"},
    {"libnvidia-tileiras.so", "compute", "1.19.0", false},
    // LNC video_libs
    {"libvdpau_nvidia.so", "video", "", true},
    {"libnvidia-encode.so", "video", "", true},
    {"libnvidia-opticalflow.so", "video", "", true},
    {"libnvcuvid.so", "video", "", true},
    // LNC graphics_libs, graphics_libs_glvnd
    {"libnvidia-eglcore.so", "graphics", "", true},
    {"libnvidia-glcore.so", "graphics", "", true},
    {"libnvidia-tls.so", "graphics", "", true},
    {"libnvidia-glsi.so", "graphics", "", true},
    {"libnvidia-fbc.so", "graphics", "", true},
    {"libnvidia-ifr.so", "graphics", "", true},
    {"libnvidia-rtcore.so", "graphics", "", true},
    {"libnvoptix.so", "graphics", "", true},
    {"libGLX_nvidia.so", "graphics", "", true},
    {"libEGL_nvidia.so", "graphics", "", true},
    {"libGLESv2_nvidia.so", "graphics", "", true},
    {"libGLESv1_CM_nvidia.so", "graphics", "", true},
    {"libnvidia-glvkspirv.so", "graphics", "", true},
    {"libnvidia-cbl.so", "graphics", "", true},
    // LNC ngx_libs
    {"libnvidia-ngx.so", "ngx", "", false},
    // APT: these are of the host's distribution as well, and come in with the host's glibc in mind
    {"libEGL.so", "", "", true},
    {"libGL.so", "", "", true},
    {"libGLESv1_CM.so", "", "", true},
    {"libGLESv2.so", "", "", true},
    {"libGLX.so", "", "", true},
    {"libGLdispatch.so", "", "", true},
    {"libOpenCL.so", "", "", true},
    {"libOpenGL.so", "", "", true},
    {"libglx.so", "", "", true},
    {"libnvidia-egl-wayland.so", "", "", true},
    {"libnvidia-gtk2.so", "", "", true},
    {"libnvidia-gtk3.so", "", "", true},
    {"libnvidia-wfb.so", "", "", true},
};

/// NCT cmd/nvidia-container-runtime-hook/capabilities.go.
constexpr std::string_view kCapabilities[] = {"compute", "compat32", "display", "graphics", "ngx", "utility", "video"};

constexpr PassingRow kPassingRows[] = {
    {DriverMode::Toolkit, "0", CompatRule::Mounted, false, "libnvidia-container src/nvc_mount.c: filter_libraries"},
    {DriverMode::Toolkit, "1.17.4", CompatRule::None, false,
     "nvidia-container-toolkit CHANGELOG.md 1.17.4: compat libraries of the container are off by default"},
    {DriverMode::Toolkit, "1.17.5", CompatRule::DropIn, false,
     "nvidia-container-toolkit 1.17.5 cmd/nvidia-cdi-hook/cudacompat"},
    {DriverMode::Toolkit, "1.17.7", CompatRule::Directory, false,
     "libnvidia-container src/cli/compat_mode.c, cuda-compat-mode=ldconfig"},
    {DriverMode::Cdi, "0", CompatRule::None, false, "nvidia-container-toolkit pkg/nvcdi: no hook for compat"},
    {DriverMode::Cdi, "1.17.5", CompatRule::DropIn, false,
     "nvidia-container-toolkit 1.17.5 cmd/nvidia-cdi-hook/cudacompat"},
    {DriverMode::Cdi, "1.19.0", CompatRule::NoteDropIn, false,
     "nvidia-container-toolkit 1.19.0 cmd/nvidia-cdi-hook/cudacompat"},
    {DriverMode::Apptainer, "0", CompatRule::None, false, "apptainer etc/nvliblist.conf, action_script.sh"},
    {DriverMode::Apptainer, "1.5.0", CompatRule::None, true, "apptainer CHANGELOG.md 1.5.0, action_script.sh"},
};

/// DEB. Branches between those that were read are taken for the older one.
constexpr DriverFileRow kDriverFiles[] = {
    {"libcuda", "1", 340, 374, {"2.2.5", "", ""}, "libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1"},
    {"libcuda",
     "1",
     375,
     449,
     {"2.2.5", "", ""},
     "libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libnvidia-fatbinaryloader.so.V"},
    {"libcuda", "1", 450, 0, {"2.7", "2.9", "2.9"}, "libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1"},
    {"libnvidia-ptxjitcompiler", "1", 375, 0, {"2.7", "2.7", "2.7"}, "libm.so.6 libdl.so.2 libpthread.so.0"},
    {"libnvidia-fatbinaryloader", "", 375, 449, {"2.2.5", "", ""}, ""},
    {"libnvidia-nvvm", "4", 535, 0, {"", "2.3.2", "2.4"}, ""},
    {"libcudadebugger", "1", 535, 0, {"", "2.14", "2.14"}, "libgcc_s.so.1 libutil.so.1"},
    {"libnvidia-opencl", "1", 340, 0, {"2.7", "2.9", "2.9"}, ""},
    {"libnvidia-compiler", "", 340, 470, {"2.3.2", "", ""}, ""},
    {"libnvidia-allocator", "1", 470, 0, {"2.7", "2.7", "2.7"}, ""},
    {"libnvidia-gpucomp", "", 550, 0, {"", "", "2.7"}, ""},
    {"libnvidia-pkcs11-openssl3", "", 535, 0, {"", "2.2.5", "2.2.5"}, "libcrypto.so.3"},
    {"libnvidia-ml", "1", 340, 0, {"2.7", "2.7", "2.7"}, ""},
    {"libnvidia-cfg", "1", 340, 0, {"2.7", "2.7", "2.9"}, ""},
    {"libnvcuvid", "1", 340, 0, {"2.7", "2.7", "2.7"}, ""},
    {"libnvidia-encode", "1", 340, 0, {"2.2.5", "2.3", "2.3"}, "libnvcuvid.so.1"},
    {"libnvidia-opticalflow", "1", 470, 0, {"2.2.5", "2.2.5", "2.2.5"}, "libnvcuvid.so.1"},
    {"libvdpau_nvidia", "1", 470, 0, {"2.7", "2.7", "2.7"}, "libX11.so.6 libXext.so.6"},
    {"libnvidia-ngx", "1", 470, 0, {"2.7", "2.7", "2.7"}, ""},
    {"libnvidia-fbc", "1", 470, 0, {"2.7", "2.7", "2.2.5"}, "libGL.so.1 libX11.so.6 libXext.so.6"},
    {"libnvidia-glcore", "", 470, 0, {"2.10", "2.10", "2.10"}, "libnvidia-tls.so.V"},
    {"libnvidia-eglcore", "", 470, 0, {"2.10", "2.10", "2.10"}, "libnvidia-glsi.so.V"},
    {"libnvidia-glsi", "", 470, 0, {"2.7", "2.7", "2.7"}, ""},
    {"libnvidia-tls", "", 470, 0, {"2.2.5", "2.2.5", "2.2.5"}, ""},
    {"libnvidia-glvkspirv", "", 470, 0, {"2.7", "2.7", "2.3"}, ""},
    {"libnvidia-rtcore", "", 470, 0, {"2.7", "2.7", "2.7"}, "libgcc_s.so.1"},
    {"libnvoptix", "1", 470, 0, {"2.7", "2.7", "2.7"}, ""},
    {"libGLX_nvidia",
     "0",
     470,
     0,
     {"2.2.5", "2.2.5", "2.4"},
     "libX11.so.6 libXext.so.6 libnvidia-glcore.so.V libnvidia-glsi.so.V libnvidia-tls.so.V"},
    {"libEGL_nvidia", "0", 470, 0, {"2.4", "2.9", "2.9"}, "libnvidia-glsi.so.V"},
    {"libGLESv2_nvidia", "2", 470, 0, {"2.2.5", "2.2.5", "2.2.5"}, ""},
};

}  // namespace

std::span<const PassedRow> passed_rows() { return kPassedRows; }
std::span<const std::string_view> driver_capabilities() { return kCapabilities; }
std::span<const PassingRow> passing_rows() { return kPassingRows; }
std::span<const DriverFileRow> driver_files() { return kDriverFiles; }

}  // namespace soresolve
