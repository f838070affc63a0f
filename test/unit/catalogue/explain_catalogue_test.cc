// Each row of the error catalogues in the references (section 9 of glibc-loader, section 8 of
// cuda-facts) is recognised from a text as it is really printed.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "catalogue/pattern.h"
#include "soresolve/catalogue.h"
#include "unit/catalogue/has_chinese.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

struct Row {
  std::string text;
  std::string id;
};

/// The first message that is recognised in `text`; "-" when none is.
std::string first_id(std::string_view text) {
  const std::vector<Recognised> found = recognise(text);
  return found.empty() ? "-" : std::string(found.front().known->id);
}

void check_rows(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(first_id(row.text) == row.id);
  }
}

}  // namespace

TEST_CASE("what the loader says of files is recognised") {
  check_rows({
      {"python3: error while loading shared libraries: libfoo.so.1: cannot open shared object file: No such file or "
       "directory",
       "missing-library"},
      {"prog: error while loading shared libraries: cannot open shared object file", "missing-library"},
      {"OSError: /opt/libcudart.so.11.0: cannot open shared object file: No such file or directory", "missing-path"},
      {"OSError: libfoo.so.1: cannot open shared object file: Permission denied", "library-permission"},
      {"prog: error while loading shared libraries: libfoo.so.1: cannot open shared object file: Error 24",
       "too-many-open-files"},
      {"OSError: libfoo.so.1: cannot open shared object file: Too many open files", "too-many-open-files"},
      {"prog: error while loading shared libraries: libfoo.so: cannot open shared object file: Error 40",
       "looping-link"},
      {"OSError: libfoo.so: cannot open shared object file: Too many levels of symbolic links", "looping-link"},
      {"prog: error while loading shared libraries: libfoo.so.1: wrong ELF class: ELFCLASS32", "wrong-class"},
      {"OSError: /opt/lib32/libfoo.so.1: wrong ELF class: ELFCLASS64", "wrong-class"},
      {"OSError: /opt/libfoo.so: file too short", "file-too-short"},
      {"prog: error while loading shared libraries: /opt/libfoo.so: cannot read file data: Error 21",
       "cannot-read-file"},
      {"OSError: /opt/libfoo.so: cannot read file data: Is a directory", "cannot-read-file"},
      {"OSError: /usr/lib/x86_64-linux-gnu/libm.so: invalid ELF header", "invalid-elf-header"},
      {"OSError: /opt/libfoo.so: ELF file data encoding not little-endian", "foreign-elf-header"},
      {"OSError: /opt/libfoo.so: ELF file data encoding not big-endian", "foreign-elf-header"},
      {"OSError: /opt/libfoo.so: ELF file version ident does not match current one", "foreign-elf-header"},
      {"OSError: /opt/libfoo.so: ELF file OS ABI invalid", "foreign-elf-header"},
      {"OSError: /opt/libfoo.so: ELF file ABI version invalid", "foreign-elf-header"},
      {"OSError: /opt/libfoo.so: nonzero padding in e_ident", "foreign-elf-header"},
      {"OSError: /opt/libfoo.so: ELF file version does not match current one", "foreign-elf-header"},
      {"OSError: /opt/libfoo.so: ELF file's phentsize not the expected size", "foreign-elf-header"},
      {"OSError: /opt/foo.o: only ET_DYN and ET_EXEC can be loaded", "not-a-shared-object"},
      {"OSError: /bin/ls: cannot dynamically load executable", "executable-as-library"},
      {"OSError: /bin/ls: cannot dynamically load position-independent executable", "executable-as-library"},
      {"OSError: libfoo.so: shared object cannot be dlopen()ed", "not-for-dlopen"},
      {"OSError: libfoo.so: object file has no loadable segments", "damaged-segments"},
      {"OSError: libfoo.so: ELF load command alignment not page-aligned", "smaller-pages"},
      {"OSError: libfoo.so: ELF load command address/offset not properly aligned", "damaged-segments"},
      {"OSError: libfoo.so: ELF load command address/offset not page-aligned", "smaller-pages"},
      {"OSError: /usr/lib/debug/libfoo.so.debug: object file has no dynamic section", "no-dynamic-section"},
      {"OSError: /tmp/_MEI1/libfoo.so: failed to map segment from shared object", "cannot-map"},
      {"OSError: libfoo.so: cannot map zero-fill pages: Cannot allocate memory", "cannot-map"},
      {"OSError: libfoo.so: cannot change memory protections", "cannot-map"},
      {"ImportError: libtorch_cpu.so: cannot enable executable stack as shared object requires: Invalid argument",
       "executable-stack"},
      {"OSError: libfoo.so: cannot stat shared object: Input/output error", "system-call-failed"},
      {"OSError: libfoo.so: cannot close file descriptor: Input/output error", "system-call-failed"},
      {"OSError: libfoo.so: cannot create shared object descriptor: Cannot allocate memory", "system-call-failed"},
      {"OSError: libfoo.so: cannot allocate memory for program header: Cannot allocate memory", "system-call-failed"},
      {"OSError: libfoo.so: cannot process note segment", "note-segment"},
      {"prog: error while loading shared libraries: $ORIGIN/libfoo.so: DST not allowed in SUID/SGID programs",
       "token-refused"},
      {"prog: error while loading shared libraries: $PLATFORM: empty dynamic string token substitution", "token-empty"},
      {"prog: error while loading shared libraries: libfoo.so: unexpected reloc type 0x2a", "unknown-relocation"},
      {"prog: error while loading shared libraries: libfoo.so: unexpected PLT reloc type 0x2a", "unknown-relocation"},
      {"OSError: libfoo.so: cannot make segment writable for relocation: Permission denied",
       "text-relocations-refused"},
      {"OSError: libfoo.so: cannot restore segment prot after reloc: Permission denied", "text-relocations-refused"},
      {"OSError: libfoo.so: cannot apply additional memory protection after relocation: Cannot allocate memory",
       "relocation-protection"},
      {"OSError: libfoo.so: invalid mode for dlopen(): Invalid argument", "dlopen-arguments"},
      {"libfoo.so: no more namespaces available for dlmopen(): Invalid argument", "dlopen-arguments"},
      {"libfoo.so: invalid target namespace in dlmopen(): Invalid argument", "dlopen-arguments"},
      {"prog: error while loading shared libraries: libfoo.so: not GCS compatible", "control-flow-protection"},
      {"OSError: libfoo.so: rebuild shared object with SHSTK support enabled", "control-flow-protection"},
      {"ImportError: /lib/aarch64-linux-gnu/libgomp.so.1: cannot allocate memory in static TLS block", "static-tls"},
      {"/opt/intel/libfast.so: CPU ISA level is lower than required", "cpu-level"},
      {"Fatal glibc error: CPU does not support x86-64-v2", "cpu-level"},
      {"prog: Symbol `table' has different size in shared object, consider re-linking", "copy-size"},
      {"prog: warning: copy relocation against non-copyable protected symbol `table' in `/lib/libfoo.so'",
       "protected-symbol"},
      {"prog: warning: direct reference to protected function `f' in `/lib/libfoo.so' may break pointer equality",
       "protected-symbol"},
      {"prog: error while loading shared libraries: f: error due to GNU_PROPERTY_1_NEEDED_INDIRECT_EXTERN_ACCESS",
       "indirect-extern-access"},
      {"ERROR: ld.so: object 'libjemalloc.so.2' from LD_PRELOAD cannot be preloaded (cannot open shared object file): "
       "ignored.",
       "preload-ignored"},
      {"ERROR: ld.so: object 'libaudit.so' cannot be loaded as audit interface: cannot open shared object file; "
       "ignored.",
       "audit-ignored"},
      {"Inconsistency detected by ld.so: dl-version.c: 205: _dl_check_map_versions: Assertion `needed != NULL' failed!",
       "version-file-assertion"},
      {"Inconsistency detected by ld.so: rtld.c: 2060: dl_main: Assertion `GL(dl_rtld_map).l_prev->l_next == "
       "GL(dl_rtld_map).l_next' failed!",
       "loader-assertion"},
      {"Fatal glibc error: executable stack is not allowed", "executable-stack-forbidden"},
      {"prog: error while loading shared libraries: invalid mode: Invalid argument", "dlopen-arguments"},
      {"bash: ./prog: cannot execute: required file not found", "interpreter-missing"},
      {"ImportError: dynamic module does not define module export function (PyInit__C)", "module-init-missing"},
      {"ImportError: libx.so: 无法打开共享对象文件: 没有那个文件或目录", "missing-library"},
      {"OSError: /opt/libfoo.so: 无效的 ELF 头", "invalid-elf-header"},
  });
}

TEST_CASE("what the loader says of versions and symbols is recognised") {
  check_rows({
      {"./prog: /lib/libfoo.so.1: version `FOO_1.2' not found (required by ./prog)", "version-missing"},
      {"./prog: /lib/libfoo.so.1: weak version `FOO_1.2' not found (required by ./prog)", "weak-version-missing"},
      {"./prog: /opt/conda/lib/libtinfo.so.6: no version information available (required by ./prog)",
       "no-version-information"},
      {"./prog: error while loading shared libraries: libfoo.so: unsupported version 0 of Verneed record",
       "version-table"},
      {"./prog: error while loading shared libraries: libfoo.so: unsupported version 9 of Verdef record",
       "version-table"},
      {"./prog: libfoo.so: DT_RELR without GLIBC_ABI_DT_RELR dependency", "relr-without-dependency"},
      {"./prog: symbol lookup error: /lib/libfoo.so.1: undefined symbol: foo_open", "symbol-missing"},
      {"./prog: symbol lookup error: /lib/libfoo.so.1: undefined symbol: foo_open, version FOO_1",
       "symbol-missing-in-version"},
      {"./prog: relocation error: /lib/libfoo.so.1: symbol foo_open, version FOO_1 not defined in file libbar.so.1 "
       "with link time reference",
       "symbol-not-in-linked-file"},
      {"./prog: relocation error: /lib/libfoo.so.1: symbol foo_open version FOO_1 not defined in file libbar.so.1 with "
       "link time reference",
       "symbol-not-in-linked-file"},
      {"prog: Relink `/D/b' with `/D/a' for IFUNC symbol `s'", "ifunc-order"},
      {"prog: IFUNC symbol 's' referenced in '/D/a' is defined in the executable and creates an unsatisfiable circular "
       "dependency.",
       "ifunc-order"},
      {"ImportError: /w/_C.so: undefined symbol: PyUnicode_AsUTF8AndSize", "python-abi-mismatch"},
      {"nginx: [emerg] dlopen() \"/m/ngx_http_lua_module.so\" failed (/m/ngx_http_lua_module.so: undefined symbol: "
       "ndk_set_var_value) in /etc/nginx/nginx.conf:1",
       "nginx-module-first"},
      {"PHP Warning:  PHP Startup: Unable to load dynamic library 'redis.so' (tried: /p/redis.so (/p/redis.so: "
       "undefined symbol: igbinary_serialize), /p/redis.so.so (/p/redis.so.so: cannot open shared object file: No such "
       "file or directory)) in Unknown on line 0",
       "php-other-module-first"},
      {"PHP Warning:  PHP Startup: Unable to load dynamic library 'mysqli' (tried: /p/mysqli (/p/mysqli: cannot open "
       "shared object file: No such file or directory), /p/mysqli.so (/p/mysqli.so: undefined symbol: "
       "mysqlnd_global_stats)) in Unknown on line 0",
       "php-mysqlnd"},
      {"ImportError: /usr/local/cuda/lib64/libcudart.so.12: version `libcudart.so.11.0' not found (required by "
       "/w/_C.so)",
       "cuda-version-node-missing"},
  });
}

TEST_CASE("each row of the CUDA catalogue is recognised") {
  check_rows({
      /* E01 */ {"ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory",
                 "cudart-11-missing"},
      /* E02 */
      {"ImportError: libcudart.so.12: cannot open shared object file: No such file or directory", "cudart-missing"},
      /* E03 */
      {"ImportError: libcudart.so.10.2: cannot open shared object file: No such file or directory",
       "cudart-10-missing"},
      /* E04 */
      {"2024-05-20 15:26:31.5 [E:onnxruntime:Default, provider_bridge_ort.cc:1744 TryGetProviderInfo_CUDA] "
       "/onnxruntime_src/onnxruntime/core/session/provider_bridge_ort.cc:1426 onnxruntime::Provider& "
       "onnxruntime::ProviderLibrary::Get() [ONNXRuntimeError] : 1 : FAIL : Failed to load library "
       "libonnxruntime_providers_cuda.so with error: libcublasLt.so.11: cannot open shared object file: No such file "
       "or directory",
       "onnxruntime-provider"},
      /* E05 */
      {"ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory", "cudnn-8-missing"},
      /* E06 */
      {"ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory", "cudnn-9-missing"},
      /* E07 */
      {"Could not load library libcudnn_cnn_infer.so.8. Error: libnvrtc.so: cannot open shared object file: No such "
       "file or directory",
       "cudnn-needs-nvrtc"},
      /* E08 */
      {"Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file: No such "
       "file or directory",
       "cudnn-needs-driver"},
      /* E09 */
      {"Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object "
       "file: No such file or directory",
       "cudnn-part-missing"},
      /* E10 */
      {"Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9, libcudnn_ops.so}",
       "cudnn-part-missing"},
      /* E11 */ {"Invalid handle. Cannot load symbol cudnnCreateTensorDescriptor", "cudnn-part-missing"},
      /* E12 */ {"RuntimeError: cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH", "cudnn-9-mixed"},
      /* E13 */
      {"RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (8, 3, 2) but found runtime version "
       "(8, 1, 0). PyTorch already comes bundled with cuDNN.",
       "cudnn-runtime-older"},
      /* E13 */
      {"RuntimeError: cuDNN version incompatibility: PyTorch was compiled against (8, 3, 2) but found runtime version "
       "(8, 1, 0)",
       "cudnn-runtime-older"},
      /* E14 */
      {"E tensorflow/compiler/xla/stream_executor/cuda/cuda_dnn.cc:425] Loaded runtime CuDNN library: 8.5.0 but source "
       "was compiled with: 8.6.0.  CuDNN library needs to have matching major version",
       "cudnn-loaded-older"},
      /* E15 */
      {"Could not load library libcudnn_cnn_train.so.8. Error: /usr/lib/libcudnn_cnn_train.so.8: undefined symbol: "
       "_ZN5cudnn3cnn34layerNormFwd_execute_internal_implERKNS_7backend11VariantPackEP11CUstream_stRNS0_18LayerNorm"
       "FwdParamsERKNS1_20NormForwardOperationEmb, version libcudnn_cnn_infer.so.8",
       "cudnn-8-mixed"},
      /* E16 */
      {"ImportError: /sp/torch/lib/../../nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: "
       "__nvJitLinkAddData_12_1, version libnvJitLink.so.12",
       "nvjitlink-too-old"},
      /* E17 */
      {"OSError: /sp/nvidia/cublas/lib/libcublas.so.11: undefined symbol: cublasLtGetStatusString, version "
       "libcublasLt.so.11",
       "cublaslt-mismatch"},
      /* E18 */
      {"OSError: /sp/torch/lib/libtorch_cuda.so: symbol cublasLtHSHMatmulAlgoInit version libcublasLt.so.11 not "
       "defined in file libcublasLt.so.11 with link time reference",
       "cublaslt-mismatch"},
      /* E19 */
      {"ImportError: /w/_cute.so: undefined symbol: cudaGetDriverEntryPointByVersion, version libcudart.so.12",
       "cudart-too-old"},
      /* E20 */ {"ImportError: /sp/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister", "nccl-too-old"},
      /* E21 */ {"ImportError: /sp/torch/lib/libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent", "mkl-too-new"},
      /* E22 */
      {"ImportError: /sp/flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN3c104cuda9SetDeviceEi",
       "torch-abi-mismatch"},
      /* E22 */ {"ImportError: /sp/ext.so: undefined symbol: _ZNK5torch8autograd4Node4nameEv", "torch-abi-mismatch"},
      /* E23 */
      {"ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.32' not found (required by "
       "/sp/flash_attn_2_cuda.so)",
       "glibc-too-old"},
      /* E24 */
      {"ImportError: /opt/conda/bin/../lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by /sp/x.so)",
       "libstdcxx-too-old"},
      /* E25 */
      {"ImportError: /usr/lib/aarch64-linux-gnu/libgomp.so.1: cannot allocate memory in static TLS block",
       "static-tls"},
      /* E26 */ {"ImportError: dlopen: cannot load any more object with static TLS", "static-tls"},
      /* E27 */
      {"ImportError: libtorch_cpu.so: cannot enable executable stack as shared object requires: Invalid argument",
       "executable-stack"},
      /* E28 */
      {"RuntimeError: CUDA error: no kernel image is available for execution on the device", "no-kernel-image"},
      /* E29 */
      {"NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
       "torch-arch"},
      /* E30 */ {"CUDA error 222: the provided PTX was compiled with an unsupported toolchain.", "ptx-too-new"},
      /* E31 */ {"RuntimeError: CUDA error: device kernel image is invalid", "invalid-image"},
      /* E32 */
      {"cudaGetDeviceCount() failed: CUDA driver version is insufficient for CUDA runtime version", "driver-too-old"},
      /* E33 */ {"RuntimeError: Error 34: CUDA driver is a stub library", "stub-driver"},
      /* E34 */ {"Error 804: forward compatibility was attempted on non supported HW", "forward-compat"},
      /* E35 */ {"Error 803: system has unsupported display driver / cuda driver combination", "driver-mismatch"},
      /* E36 */ {"Error 802: system not yet initialized", "system-not-ready"},
      /* E37 */ {"Failed to initialize NVML: Driver/library version mismatch", "nvml-mismatch"},
      /* E38 */
      {"ImportError: libcuda.so.1: cannot open shared object file: No such file or directory",
       "driver-library-missing"},
      /* E39 */
      {"E tensorflow/stream_executor/cuda/cuda_driver.cc:271] failed call to cuInit: UNKNOWN ERROR (303)",
       "tensorflow-no-driver"},
      /* E39 */
      {"I tensorflow/stream_executor/dso_loader.cc:102] Couldn't open CUDA library libcuda.so.1. LD_LIBRARY_PATH:",
       "tensorflow-no-driver"},
      /* E40 */
      {"nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object "
       "file: no such file or directory: unknown.",
       "container-driver-missing"},
      /* E41 */ {"nvrtc: error: failed to open libnvrtc-builtins.so.11.1.", "nvrtc-builtins-missing"},
      /* E42 */
      {"RuntimeError: CuPy failed to load libnvrtc.so.12: OSError: libnvrtc.so.12: cannot open shared object file: No "
       "such file or directory",
       "cupy-library"},
      /* E43 */
      {"OSError: libcusparse.so.11: cannot open shared object file: No such file or directory", "cuda-library-missing"},
      /* E43 */
      {"RuntimeError: CUDA Setup failed despite GPU being available. Please run the following command to get more "
       "information:",
       "bitsandbytes-setup"},
      /* E44 */
      {"RuntimeError: Configured CUDA binary not found at /sp/bitsandbytes/libbitsandbytes_cuda130.so",
       "bitsandbytes-build"},
      /* E45 */
      {"RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA versions. PyTorch has "
       "CUDA Version=10.2",
       "torch-companion-variant"},
      /* E45 */
      {"RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA major versions.",
       "torch-companion-variant"},
      /* E46 */
      {"The detected CUDA version (11.8) mismatches the version that was used to compile\nPyTorch (12.1). Please make "
       "sure to use the same CUDA versions.",
       "torch-build-cuda"},
      /* E47 */ {"RuntimeError: Unable to load cuSPARSE. Is it installed?", "jax-library"},
      /* E48 */
      {"OSError: libcusparse.so.10: cannot open shared object file: No such file or directory", "cuda-library-missing"},
      /* E49 */
      {"ImportError: libtorch_cuda_cu.so: cannot open shared object file: No such file or directory",
       "torch-split-library-missing"},
      /* E50 */
      {"W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library "
       "'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory; "
       "LD_LIBRARY_PATH: /usr/lib",
       "tensorflow-library"},
      /* E51 */ {"cub: invalid argument from cudaGetDriverEntryPoint", "entry-point-too-new"},
      /* E52 */
      {"numba.cuda.cudadrv.error.CudaSupportError: Error at driver init: Call to cuInit results in CUDA_ERROR_UNKNOWN "
       "(999)",
       "cuda-unknown-error"},
      /* E53 */
      {"ImportError: libc10.so: cannot open shared object file: No such file or directory", "torch-library-missing"},
      /* E53 */
      {"ImportError: libtorch_cpu.so: cannot open shared object file: No such file or directory",
       "torch-library-missing"},
      /* E54 */ {"RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", "cudnn-not-initialized"},
      /* E55 */
      {"/usr/bin/ld: /usr/local/cuda/lib64/libcublas.so: undefined reference to "
       "`cublasLtGetStatusString@libcublasLt.so.11'",
       "link-time-mismatch"},
      /* E56 */
      {"ImportError: /sp/libcuvs.so: undefined symbol: __nvJitLinkGetErrorLogSize_12_9, version libnvJitLink.so.12",
       "nvjitlink-too-old"},
      /* E57 */ {"Check failed: status == CUDNN_STATUS_SUCCESS (6 vs. 0)  CUDNN_STATUS_ARCH_MISMATCH", "cudnn-arch"},
      /* E58 */ {"cuDNN failure 2: CUDNN_STATUS_ALLOC_FAILED ; GPU=0", "cudnn-memory"},
  });
}

TEST_CASE("what cuDNN and cuBLAS report is recognised") {
  check_rows({
      {"RuntimeError: cuDNN error: CUDNN_STATUS_NOT_SUPPORTED. This error may appear if you passed in a non-contiguous "
       "input.",
       "cudnn-not-supported"},
      {"RuntimeError: CuDNN error: CUDNN_STATUS_NOT_SUPPORTED", "cudnn-not-supported"},
      {"cudnn_frontend error: CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN", "cudnn-not-supported"},
      {"RuntimeError: cuDNN error: CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH", "cudnn-arch"},
      {"RuntimeError: cuDNN error: CUDNN_STATUS_VERSION_MISMATCH", "cudnn-version-mismatch"},
      {"F0101 cudnn.hpp:86] Check failed: status == CUDNN_STATUS_SUCCESS (14 vs. 0)  CUDNN_STATUS_VERSION_MISMATCH",
       "cudnn-version-mismatch"},
      {"RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", "cudnn-execution-failed"},
      {"[07/14/2021-14:32:05] [E] [TRT] cudaConvolutionRunner.cpp (483) - Cudnn Error in "
       "nvinfer1::rt::cuda::CudnnConvolutionRunner::executeConv: 8 (CUDNN_STATUS_EXECUTION_FAILED)",
       "cudnn-execution-failed"},
      {"Error: CUDNN_STATUS_EXECUTION_FAILED at (/paddle/paddle/fluid/operators/conv_cudnn_op.cu:288)",
       "cudnn-execution-failed"},
      {"RuntimeError: cuDNN error: CUDNN_STATUS_INTERNAL_ERROR", "cudnn-execution-failed"},
      {"RuntimeError: CuDNN error: CUDNN_STATUS_MAPPING_ERROR", "cudnn-mapping-error"},
      {"F0814 cudnn_conv_layer.cu:28] Check failed: status == CUDNN_STATUS_SUCCESS (7 vs. 0)  "
       "CUDNN_STATUS_MAPPING_ERROR",
       "cudnn-mapping-error"},
      {"RuntimeError: GET was unable to find an engine to execute this computation", "torch-no-engine"},
      {"Caught exception: FIND was unable to find an engine to execute this computation", "torch-no-engine"},
      {"RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
       "cublas-not-initialized"},
      {"2017-12-30 21:18:15.134786: E tensorflow/stream_executor/cuda/cuda_blas.cc:366] failed to create cublas "
       "handle: CUBLAS_STATUS_NOT_INITIALIZED",
       "cublas-not-initialized"},
      {"CUBLAS failure 1: CUBLAS_STATUS_NOT_INITIALIZED ; GPU=1 ; hostname=h ; expr=cublasCreate(&cuHandle)",
       "cublas-not-initialized"},
      {"RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
       "cublas-not-initialized"},
      {"RuntimeError: CUDA error: CUBLAS_STATUS_INVALID_VALUE when calling `cublasSgemm( handle, opa, opb, m, n, k, "
       "&alpha, a, lda, b, ldb, &beta, c, ldc)`",
       "cublas-invalid-value"},
      {"cupy_backends.cuda.libs.cublas.CUBLASError: CUBLAS_STATUS_INVALID_VALUE", "cublas-invalid-value"},
      {"RuntimeError: cuBLAS failed with status CUBLAS_STATUS_EXECUTION_FAILED", "cublas-execution-failed"},
      {"RuntimeError: CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasGemmEx( handle, opa, opb, m, n, k, "
       "&falpha, a, CUDA_R_16BF, lda)`",
       "cublas-execution-failed"},
      {"numba.cuda.cudadrv.driver.LinkerError: [222] Call to cuLinkAddData results in UNKNOWN_CUDA_ERROR\nptxas "
       "application ptx input, line 9; fatal   : Unsupported .version 7.3; current version is '7.1'",
       "ptx-too-new"},
      {"RuntimeError: Unable to find a valid cuDNN algorithm to run convolution", "torch-no-engine"},
      {"CUDNN_STATUS_EXECUTION_FAILURE", "-"},
      {"CUBLAS_STATUS_SUCCESS", "-"},
      {"my_CUBLAS_STATUS_INVALID_VALUE", "-"},
      {"we were unable to find an engine to execute this computation", "-"},
  });
}

TEST_CASE("what Docker, NVIDIA's container toolkit and the driver's tools say is recognised") {
  check_rows({
      {"docker: Error response from daemon: could not select device driver \"\" with capabilities: "
       "[[gpu]].\nERRO[0000] error waiting for container:  ",
       "docker-no-gpu-driver"},
      {"Error response from daemon: could not select device driver \"nvidia\" with capabilities: [[gpu]]",
       "docker-no-gpu-driver"},
      {"docker: Error response from daemon: could not select device driver with capabilities: [[gpu]].",
       "docker-no-gpu-driver"},
      {"docker: Error response from daemon: unknown or invalid runtime name: nvidia", "docker-no-gpu-driver"},
      {"Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all", "docker-no-gpu-driver"},
      {"could not inject CDI devices: unresolvable CDI devices management.nvidia.com/gpu=GPU-e78e68c0",
       "docker-no-gpu-driver"},
      {"Auto-detected mode as 'legacy'\nnvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, "
       "please update your driver to a newer version, or use an earlier cuda container: unknown",
       "container-driver-too-old"},
      {"docker: Error response from daemon: OCI runtime create failed: container_linux.go:345: starting container "
       "process caused \"process_linux.go:430: container init caused \\\"process_linux.go:413: running prestart hook 0 "
       "caused \\\\\\\"error running hook: exit status 1, stdout: , stderr: nvidia-container-cli: requirement error: "
       "unsatisfied condition: cuda>=10.0\\\\\\\\n\\\\\\\"\\\"\": unknown.",
       "container-driver-too-old"},
      {"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA "
       "driver is installed and running.",
       "nvidia-smi-no-driver"},
      {"NVIDIA-SMI has failed because it couldn\u2018t communicate with the NVIDIA driver.\nMake sure that the latest "
       "NVIDIA driver is installed and running.",
       "nvidia-smi-no-driver"},
      {"nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown", "nvidia-smi-no-driver"},
      {"Failed to initialize NVML: Unknown Error", "nvml-unknown-error"},
      {"bash: nvidia-smi: command not found", "nvidia-smi-missing"},
      {"/workspace/entrypoint.sh: line 4: nvidia-smi: command not found", "nvidia-smi-missing"},
      {"sh: 1: nvidia-smi: not found", "nvidia-smi-missing"},
      {"zsh: command not found: nvidia-smi", "nvidia-smi-missing"},
      {"docker: Error response from daemon: OCI runtime create failed: container_linux.go:370: starting container "
       "process caused: exec: \"nvidia-smi\": executable file not found in $PATH: unknown.",
       "nvidia-smi-missing"},
      {"FileNotFoundError: [Errno 2] No such file or directory: 'nvidia-smi'", "nvidia-smi-missing"},
      {"docker: Error response from daemon: failed to create shim task: OCI runtime create failed: unable to "
       "retrieve OCI runtime error: exec: \"nvidia-container-runtime\": executable file not found in $PATH: unknown.",
       "docker-no-gpu-driver"},
      {"could not select a device", "-"},
      {"unsatisfied condition: x > 3", "-"},
      {"my-nvidia-smi.sh: command not found", "-"},
      {"bash: nvidia-settings: command not found", "-"},
      {"unresolvable CDI devices intel.com/gpu=all", "-"},
      {"Failed to initialize NVML: Success", "-"},
  });
}

TEST_CASE("what programs say that find no device is recognised") {
  check_rows({
      {"  File \"/home/u/.local/lib/python3.8/site-packages/torch/cuda/__init__.py\", line 293, in _lazy_init\n    "
       "torch._C._cuda_init()\nRuntimeError: No CUDA GPUs are available",
       "torch-no-gpus"},
      {"RuntimeError: CUDA initialization: No CUDA GPUs are available`", "torch-no-gpus"},
      {"RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you "
       "are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu')",
       "torch-cuda-unavailable"},
      {">>> import torch\n>>> torch.cuda.is_available()\nFalse\n>>> ", "torch-cuda-unavailable"},
      {"$ python -c \"import torch; print(torch.cuda.is_available())\"\nFalse", "torch-cuda-unavailable"},
      {"$ python3 -c 'import torch;print(torch.cuda.is_available())'\r\nFalse\r\n", "torch-cuda-unavailable"},
      {">>> print(torch.cuda.is_available())\nFalse", "torch-cuda-unavailable"},
      {"PyTorch version: 2.1.2+cpu\nIs debug build: False\nCUDA used to build PyTorch: None\nIs CUDA available: False",
       "torch-cuda-unavailable"},
      {"torch.cuda.is_available(): False", "torch-cuda-unavailable"},
      {"No CUDA runtime is found, using CUDA_HOME='/usr/local/cuda'", "torch-cuda-unavailable"},
      {"RuntimeError: Failed to infer device type", "vllm-no-device"},
      {"RuntimeError: Failed to infer device type, please set the environment variable `VLLM_LOGGING_LEVEL=DEBUG` to "
       "turn on verbose logging to help debug the issue.",
       "vllm-no-device"},
      {"INFO 03-04 10:11:12 [__init__.py:243] No platform detected, vLLM is running on UnspecifiedPlatform",
       "vllm-no-device"},
      {"WARNING:2025-06-15 17:04:55,449:jax._src.xla_bridge:791: An NVIDIA GPU may be present on this machine, but a "
       "CUDA-enabled jaxlib is not installed. Falling back to cpu.",
       "jax-cpu-only"},
      {"2022-11-30 12:50:08,211 - jax._src.lib.xla_bridge - WARNING - No GPU/TPU found, falling back to CPU. (Set "
       "TF_CPP_MIN_LOG_LEVEL=0 and rerun for more info.)",
       "jax-cpu-only"},
      {"RuntimeError: Unknown backend: 'gpu' requested, but no platforms that are instances of gpu are present. "
       "Platforms present are: cpu",
       "jax-cpu-only"},
      {"numba.cuda.cudadrv.error.CudaSupportError: Error at driver init: \nCUDA driver library cannot be found.\nIf "
       "you are sure that a CUDA driver is installed,",
       "numba-no-driver"},
      {"Possible CUDA driver libraries are found but error occurred during load:", "numba-no-driver"},
      {"training.py:199: UserWarning: [13:55:49] WARNING: /workspace/src/context.cc:207: Device is changed from GPU to "
       "CPU as we couldn't find any available GPU on the system.",
       "xgboost-no-gpu"},
      {"XGBoostError: [10:00:00] ../src/gbm/../common/common.h:95: Check failed: gpu_id < n: No visible GPU is found "
       "for XGBoost.",
       "xgboost-no-gpu"},
      {"No GPUs are available", "-"},
      {"Failed to infer the device", "-"},
      {"Unknown backend: 'tpu' requested, but no platforms that are instances of tpu are present.", "-"},
      {"Device is changed from CPU to GPU", "-"},
  });
}

TEST_CASE("what compilers and linkers of GPU code say is recognised") {
  check_rows({
      {"bash: nvcc: command not found", "nvcc-missing"},
      {"/bin/sh: 1: nvcc: not found", "nvcc-missing"},
      {"build.sh: 11: build.sh: nvcc: not found", "nvcc-missing"},
      {"1: :/usr/local/cuda-11.0:/usr/local/cuda-11.0/bin/nvcc: not found", "nvcc-missing"},
      {"FileNotFoundError: [Errno 2] No such file or directory: '/usr/local/cuda/bin/nvcc'", "nvcc-missing"},
      {"unable to execute '/usr/local/cuda/bin/nvcc': No such file or directory", "nvcc-missing"},
      {"CMake Error: No CMAKE_CUDA_COMPILER could be found.", "nvcc-missing"},
      {"      OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.",
       "cuda-home-unset"},
      {"deepspeed.ops.op_builder.builder.MissingCUDAException: CUDA_HOME does not exist, unable to compile CUDA op(s)",
       "cuda-home-unset"},
      {"/usr/bin/ld: skipping incompatible /usr/lib32/libcuda.so when searching for -lcuda\n/usr/bin/ld: cannot find "
       "-lcuda: No such file or directory\ncollect2: error: ld returned 1 exit status",
       "link-driver-missing"},
      {"/usr/bin/ld: cannot find -lcuda\ncollect2: error: ld returned 1 exit status\nmake: *** [lib/libmxnet.so] Error "
       "1",
       "link-driver-missing"},
      {"/usr/bin/ld: cannot find -lcudart\ncollect2: error: ld returned 1 exit status", "link-cuda-missing"},
      {"../../x86_64-conda-linux-gnu/bin/ld: cannot find -lcudart: No such file or directory", "link-cuda-missing"},
      {"ld.lld: error: unable to find library -lcublasLt", "link-cuda-missing"},
      {"nvcc fatal   : Unsupported gpu architecture 'compute_89'\nmake[2]: *** Waiting for unfinished jobs....",
       "nvcc-arch"},
      {"nvcc fatal : Value 'sm_80' is not defined for option 'gpu-architecture'", "nvcc-arch"},
      {"ValueError: Unknown CUDA arch (8.9) or GPU not supported", "nvcc-arch"},
      {"ptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'", "ptxas-arch"},
      {"W asm_compiler.cc:235] Your CUDA software stack is old. We fallback to the NVIDIA driver for some compilation. "
       "The ptxas error was: ptxas fatal   : Value 'sm_86' is not defined for option 'gpu-name'",
       "ptxas-arch"},
      {"`ptxas` stderr:\nptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'\n\nRepro command: "
       "/m/triton/backends/nvidia/bin/ptxas -lineinfo -v --gpu-name=sm_121a /tmp/t.ptx -o /tmp/t.ptx.o",
       "ptxas-arch"},
      {"/usr/local/cuda/include/crt/host_config.h:138:2: error: #error -- unsupported GNU version! gcc versions later "
       "than 8 are not supported!",
       "nvcc-host-compiler"},
      {"#error -- unsupported GNU version! gcc versions later than 13 are not supported! The nvcc flag "
       "'-allow-unsupported-compiler' can be used to override this version check;",
       "nvcc-host-compiler"},
      {"RuntimeError: The current installed version of g++ (12.2.0) is greater than the maximum required version by "
       "CUDA 11.8. Please make sure to use an adequate version of g++ (>=6.0.0, <12.0).",
       "nvcc-host-compiler"},
      {"RuntimeError: nvrtc: error: invalid value for --gpu-architecture (-arch)\n\nnvrtc compilation failed: ",
       "nvrtc-arch"},
      {"Exception: >- DeepSpeed Op Builder: Installed CUDA version 12.0 does not match the version torch was compiled "
       "with 11.8, unable to compile cuda/cpp extensions without a matching cuda version.",
       "deepspeed-build-cuda"},
      {"deepspeed.ops.op_builder.builder.CUDAMismatchException: >- DeepSpeed Op Builder: Installed CUDA version 12.2 "
       "does not match the version torch was compiled with 11.7, unable to compile cuda/cpp extensions",
       "deepspeed-build-cuda"},
      {"RuntimeError: Cuda extensions are being compiled with a version of Cuda that does not match the version used "
       "to compile Pytorch binaries.  Pytorch binaries were compiled with Cuda 12.1.\nIn some cases, a minor-version "
       "mismatch will not cause later errors",
       "apex-build-cuda"},
      {"AssertionError: libcuda.so cannot found!\nPossible files are located at ['/lib64/libcuda.so.1'].Please create "
       "a symlink of libcuda.so to any of the file.",
       "triton-libcuda-link"},
      {"AssertionError: libcuda.so cannot found!", "triton-libcuda"},
      {"2023-03-08 18:50:37.138811: W tensorflow/stream_executor/gpu/asm_compiler.cc:80] Couldn't get ptxas version "
       "string: INTERNAL: Couldn't invoke ptxas --version",
       "xla-ptxas"},
      {"NotFoundError: 2 root error(s) found.\n  (0) Not found: ./bin/ptxas not found", "xla-ptxas"},
      {"jaxlib.xla_extension.XlaRuntimeError: UNIMPLEMENTED: ptxas too old. Falling back to the driver to compile.",
       "xla-ptxas"},
      {"No PTX compilation provider is available. Neither ptxas/nvlink nor nvjtlink is available.", "xla-ptxas"},
      {"W nvptx_compiler.cc:70] Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice. This may result in "
       "compilation or runtime failures",
       "xla-libdevice"},
      {"RuntimeError: Internal: libdevice not found at ./libdevice.10.bc", "xla-libdevice"},
      {"InternalError: libdevice not found at ./libdevice.10.bc [Op:__some_op]", "xla-libdevice"},
      {"numba.cuda.cudadrv.error.NvvmSupportError: libNVVM cannot be found. Do `conda install cudatoolkit`:",
       "numba-nvvm"},
      {"NvvmSupportError: libNVVM cannot be found. Do `conda install cudatoolkit`: library nvvm not found",
       "numba-nvvm"},
      {"/sbin/ldconfig.real: /usr/local/cuda/lib64/libcudnn.so.8 is not a symbolic link", "ldconfig-not-a-link"},
      {"ldconfig: /usr/lib/wsl/lib/libcuda.so.1 is not a symbolic link", "ldconfig-not-a-link"},
      {"/sbin/ldconfig: /lib64/libcudnn.so.5 is not a symbolic link", "ldconfig-not-a-link"},
      {"/usr/bin/ld: cannot find -lpng", "-"},
      {"/usr/bin/ld: cannot find -lcudafoo", "-"},
      {"CMake Error at FindPackageHandleStandardArgs.cmake:230 (message):\n  Could NOT find CUDA (missing: "
       "CUDA_TOOLKIT_ROOT_DIR CUDA_NVCC_EXECUTABLE CUDA_INCLUDE_DIRS CUDA_CUDART_LIBRARY)",
       "nvcc-missing"},
      {"clang: error: cannot find CUDA installation; provide its path via '--cuda-path', or pass '-nocudainc' to build "
       "without CUDA includes",
       "nvcc-missing"},
      {"Could NOT find CUDNN (missing: CUDNN_INCLUDE_DIR)", "-"},
      {"gcc: command not found", "-"},
      {"nvcc: fatal error", "-"},
      {"cp: /etc/x is not a symbolic link", "-"},
      {"Value 'sm_90' is defined for option 'gpu-name'", "-"},
      {"unsupported GNU versions", "-"},
      {"JAVA_HOME environment variable is not set", "-"},
      {"libdevice found at ./libdevice.10.bc", "-"},
      {"No such file or directory: '/usr/bin/nvcc.txt'", "-"},
  });
}

TEST_CASE("what frameworks say of their own builds is recognised") {
  check_rows({
      {"cextension.py:34: UserWarning: The installed version of bitsandbytes was compiled without GPU support. 8-bit "
       "optimizers, 8-bit multiplication, and GPU quantization are unavailable.",
       "bitsandbytes-cpu"},
      {"'NoneType' object has no attribute 'cadam32bit_grad_fp32'", "bitsandbytes-cpu"},
      {"Could not find the bitsandbytes CUDA binary at PosixPath('/w/bitsandbytes/libbitsandbytes_cuda121.so')\nCould "
       "not load bitsandbytes native library: /w/bitsandbytes/libbitsandbytes_cpu.so: cannot open shared object file: "
       "No such file or directory",
       "bitsandbytes-build"},
      {"OSError: /w/bitsandbytes/libbitsandbytes_cpu.so: cannot open shared object file: No such file or directory",
       "bitsandbytes-no-build"},
      {"torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1197, unhandled cuda error (run with "
       "NCCL_DEBUG=INFO for details), NCCL version 2.18.3\nLast error:\nCuda failure 'initialization error'",
       "cuda-initialization"},
      {"include/alloc.h:125 NCCL WARN Cuda failure 710 'device-side assert triggered'", "cuda-kernel-fault"},
      {"PHP Startup: Unable to load dynamic library 'gd' (tried: /p/gd (/p/gd: cannot open shared object file: No such "
       "file or directory), /p/gd.so (libgd.so.3: cannot open shared object file: No such file or directory))",
       "missing-library"},
      {"PHP Startup: Unable to load dynamic library 'gd' (tried: /p/gd (/p/gd: cannot open shared object file: No such "
       "file or directory), /p/gd.so (/p/gd.so: undefined symbol: gdGetC))",
       "symbol-missing"},
      {"Could not load bitsandbytes native library: libcusparse.so.11: cannot open shared object file: No such file or "
       "directory",
       "cuda-library-missing"},
      {"RuntimeError: Library libcublas.so.12 is not found or cannot be loaded", "ctranslate2-library"},
      {"    return self.model.encode(features, to_cpu=to_cpu)\nRuntimeError: Library libcublas.so.11 is not found or "
       "cannot be loaded",
       "ctranslate2-library"},
      {"onnxruntime_inference_collection.py:118: UserWarning: Specified provider 'CUDAExecutionProvider' is not in "
       "available provider names.Available providers: 'AzureExecutionProvider, CPUExecutionProvider'",
       "onnxruntime-no-gpu-build"},
      {"onnxruntime_inference_collection.py:69: UserWarning: Specified provider 'CUDAExecutionProvider' is not in "
       "available provider\nnames.Available providers: 'AzureExecutionProvider, CPUExecutionProvider'",
       "onnxruntime-no-gpu-build"},
      {"2024-03-05 11:40:14.847815005 [W:onnxruntime:Default, onnxruntime_pybind_state.cc:861 "
       "CreateExecutionProviderInstance] Failed to create CUDAExecutionProvider. Please reference "
       "https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html",
       "onnxruntime-fallback"},
      {"2023-10-09 13:36:23.355516: E tensorflow/compiler/xla/stream_executor/cuda/cuda_dnn.cc:9342] Unable to "
       "register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered",
       "tensorflow-factory"},
      {"E0000 00:00:1736841518.542173   68237 cuda_blas.cc:1418] Unable to register cuBLAS factory: Attempting to "
       "register factory for plugin cuBLAS when one has already been registered",
       "tensorflow-factory"},
      {"W tensorflow/core/common_runtime/gpu/gpu_device.cc:2348] Cannot dlopen some GPU libraries. Please make sure "
       "the missing libraries mentioned above are installed properly if you would like to use GPU.",
       "tensorflow-no-gpu"},
      {"RuntimeError: Couldn't load custom C++ ops. This can happen if your PyTorch and torchvision versions are "
       "incompatible, or if you had errors while compiling torchvision from source.",
       "torchvision-operators"},
      {"RuntimeError: operator torchvision::nms does not exist", "torchvision-operators"},
      {"RuntimeError: No such operator torchvision::nms", "torchvision-operators"},
      {"WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:\n    PyTorch 2.1.2+cu121 "
       "with CUDA 1201 (you have 2.1.2+cpu)\n    Python  3.10.11 (you have 3.10.8)",
       "xformers-build"},
      {"Error: xFormers wasn't build with CUDA support", "xformers-build"},
      {"RuntimeError: FlashAttention only supports Ampere GPUs or newer.", "flash-attention-gpu"},
      {"INFO 09-05 selector.py:217] Cannot use FlashAttention-2 backend for Volta and Turing GPUs.",
       "flash-attention-gpu"},
      {"    requires device with capability > (8, 0) but your GPU has capability (7, 5) (too old)",
       "flash-attention-gpu"},
      {"xgboost.core.XGBoostError: [07:02:59] /workspace/src/c_api/../common/common.h:174: XGBoost version not "
       "compiled with GPU support.",
       "xgboost-cpu-build"},
      {"ValueError: libcublas.so.*[0-9] not found in the system path ['main.py', '', '/opt/lib/python310.zip']",
       "torch-wheels-missing"},
      {"libcudart.so.*[0-9] not found in the system path", "torch-wheels-missing"},
      {"ValueError: libnvshmem_host.so.*[0-9] not found in the system path ['']", "torch-wheels-missing"},
      {"The installed version of bitsandbytes is 0.42", "-"},
      {"Library mylib is not found or cannot be loaded", "-"},
      {"Specified provider is not in available provider names", "-"},
      {"Failed to create OpenVINOExecutionProvider.", "-"},
      {"XGBoost version 2.0 compiled with GPU support", "-"},
      {"operator torch::nms does not exist", "-"},
      {"FlashAttention supports Ampere GPUs", "-"},
      {"libcudart.so.12 not found in the system path", "missing-library-short"},
      {"xFormers can load C++/CUDA extensions", "-"},
  });
}

TEST_CASE("a line without effect stands behind the cause") {
  const std::vector<Recognised> found = recognise(
      "E cuda_dnn.cc:9342] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one "
      "has already been registered\n"
      "W dso_loader.cc:64] Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared "
      "object file: No such file or directory; LD_LIBRARY_PATH: /usr/lib\n"
      "W gpu_device.cc:2348] Cannot dlopen some GPU libraries.\n>>> torch.cuda.is_available()\nFalse\n");
  REQUIRE(found.size() == 4);
  CHECK(found[0].known->id == "tensorflow-library");
  CHECK(found[1].known->id == "torch-cuda-unavailable");
  CHECK(found[1].line == 5);
}

TEST_CASE("what NVIDIA's tools say is recognised") {
  check_rows({
      {"Failed to initialize NVML: GPU access blocked by the operating system\nFailed to properly shut down NVML: GPU "
       "access blocked by the operating system",
       "gpu-access-blocked"},
      {"Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.  Reboot the system to recover this "
       "GPU",
       "gpu-lost"},
      {"Unable to determine the device handle for GPU0000:17:00.0: Unknown Error", "gpu-lost"},
      {"NVMLError_GpuIsLost: GPU is lost", "gpu-lost"},
      {"NVRM: GPU at PCI:0000:3b:00: GPU has fallen off the bus.", "gpu-lost"},
      {"pynvml.NVMLError_LibraryNotFound: NVML Shared Library Not Found", "nvml-library-missing"},
      {"Failed to initialize NVML: could not load NVML library.", "nvml-library-missing"},
      {"pynvml.nvml.NVMLError_NotSupported: Not Supported", "nvml-not-supported"},
      {"pynvml.nvml.NVMLError_DriverNotLoaded: Driver Not Loaded", "nvidia-smi-no-driver"},
      {"I0828 18:43:18.664969 4993 nvc.c:391] dxcore initialization failed, continuing assuming a non-WSL environment",
       "dxcore-not-wsl"},
      {"ERRO[0000] failed to initialize dxcore context", "dxcore-not-loaded"},
      {"nvidia-container-cli: ldcache error: open failed: /sbin/ldconfig.real: no such file or directory: unknown.",
       "container-ldcache"},
      {"stderr: nvidia-container-cli: ldcache error: process /sbin/ldconfig.real failed with error code: 1: unknown.",
       "container-ldcache"},
      {"Error: setting up CDI devices: failed to inject devices: failed to stat CDI host device "
       "\"/dev/dri/renderD129\": no such file or directory",
       "cdi-device-gone"},
      {"error modifying OCI spec: failed to inject CDI devices: unresolvable CDI devices nvidia.com/gpu=all: unknown",
       "docker-no-gpu-driver"},
      {"the device handle is 0", "-"},
      {"nvml: Success", "-"},
      {"failed to stat host device", "-"},
      {"/sbin/ldconfig.real: Can't create temporary cache file", "-"},
  });
}

TEST_CASE("errors of CUDA are recognised by their number") {
  check_rows({
      {"CUDA error 700 at src/solver.cu:211", "cuda-kernel-fault"},
      {"Warp CUDA error 700: an illegal memory access was encountered (/w/warp/native/warp.cu:223)",
       "cuda-kernel-fault"},
      {"(External) CUDA error(719), unspecified launch failure.", "cuda-kernel-fault"},
      {"CUDA error at ./inc/cuda/kernel2.cu:596 code=700(cudaErrorIllegalAddress) \"cudaDeviceSynchronize()\"",
       "cuda-kernel-fault"},
      {"CUDA error 35: unknown text", "driver-too-old"},
      {"Cuda error(100), a text of another release.", "no-device"},
      {"CUDA error 209 at kernel.cu:12", "no-kernel-image"},
      {"CUDA error 802 at init.cc:3", "system-not-ready"},
      {"CUDA error 804 at init.cc:3", "forward-compat"},
      {"CUDA error 999 at init.cc:3", "cuda-unknown-error"},
      {"CUDA error 2 at alloc.cu:10", "-"},
      {"CUDA error 7000 at x.cu:1", "-"},
      {"700 CUDA errors", "-"},
  });
}

TEST_CASE("NCCL's network, and its lines that only inform") {
  check_rows({
      {"n0:721:721 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal net plugin.",
       "nccl-plugin-absent"},
      {"n0:13571:13571 [0] NCCL INFO NET/Plugin : Plugin load (libnccl-net.so) returned 2 : libnccl-net.so: cannot "
       "open shared object file: No such file or directory",
       "nccl-plugin-absent"},
      {"NCCL INFO NET/Plugin : dlerror=libnccl-net.so: cannot open shared object file: No such file or directory No "
       "plugin found (libnccl-net.so), using internal implementation",
       "nccl-plugin-absent"},
      {"NCCL INFO Unable to load libnccl-net.so : libnccl-net.so: cannot open shared object file: No such file or "
       "directory",
       "nccl-plugin-absent"},
      {"[0] NCCL INFO TUNER/Plugin: Failed to find ncclTunerPlugin_v3 symbol.", "nccl-plugin-absent"},
      {"[0] NCCL INFO PROFILER/Plugin: Could not find: libnccl-profiler.so.", "nccl-plugin-absent"},
      {"n0:1:1 [0] bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface found", "nccl-network"},
      {"ncclSocketInit: connecting to address  with family 59936 is neither AF_INET(2) nor AF_INET6(10)",
       "nccl-network"},
      {"misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 10.0.0.2<45763> failed : Software caused "
       "connection abort",
       "nccl-network"},
      {"include/socket.h:185 WARN Call to connect failed : Connection refused", "nccl-network"},
      {"NCCL WARN NET/IB : Got completion from peer 10.1.1.1<55921> with status=12 opcode=1 len=0 vendor err 129",
       "nccl-infiniband"},
      {"misc/ibvwrap.cc:262 NCCL WARN Call to ibv_reg_mr failed", "nccl-infiniband"},
      {"misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer node1<57557>", "nccl-peer-gone"},
      {"misc/shmutils.cc:72 NCCL WARN Error: failed to extend /dev/shm/nccl-Ge4xK2 to 9637892 bytes",
       "nccl-shared-memory"},
      {"NCCL INFO Bootstrap : Using eno1:10.0.0.1<0>", "-"},
      {"NCCL INFO NET/Plugin: Loaded net plugin AWS Libfabric", "-"},
  });
}

TEST_CASE("what informs stands behind a cause, and is none") {
  const std::vector<Recognised> found = recognise(
      "n0:1:1 [0] NCCL INFO NET/Plugin : Plugin load (libnccl-net.so) returned 2 : libnccl-net.so: cannot open shared "
      "object file: No such file or directory\n"
      "n0:1:9 [0] NCCL WARN Call to ibv_reg_mr failed\n"
      "n0:1:9 [0] NCCL WARN socketProgress: Connection closed by remote peer n1<57557>\n");
  REQUIRE(found.size() == 3);
  CHECK(found[0].known->id == "nccl-infiniband");
  CHECK(found[1].known->weight == Weight::Summary);
  CHECK(found[2].known->weight == Weight::Summary);
}

TEST_CASE("Triton's backends and the headers of kernels compiled at run time are recognised") {
  check_rows({
      {"RuntimeError: 0 active drivers ([]). There should only be one.", "triton-no-driver"},
      {"INFO Triton is installed but 0 active driver(s) found (expected 1). Disabling Triton", "triton-no-driver"},
      {"RuntimeError: 2 active drivers ([<class 'triton.backends.nvidia.driver.CudaDriver'>, <class "
       "'triton.backends.intel.driver.XPUDriver'>]). There should only be one.",
       "triton-several-drivers"},
      {"Triton is installed but 2 active driver(s) found (expected 1)", "triton-several-drivers"},
      {"/tmp/tmpiatufk20/d1a4.cubin.cu(56): catastrophic error: cannot open source file \"cuda_runtime.h\"",
       "nvrtc-header-missing"},
      {"catastrophic error: cannot open source file \"vector_types.h\"", "nvrtc-header-missing"},
      {"nvrtc: error: failed to open libnvrtc-builtins.so.12.1.", "nvrtc-builtins-missing"},
      {"catastrophic error: cannot open source file \"mine.h\"", "-"},
      {"2 active drivers are installed", "-"},
  });
}

TEST_CASE("libraries for sound, pictures and windows") {
  check_rows({
      {"prog: error while loading shared libraries: libavutil.so.56: cannot open shared object file: No such file or "
       "directory",
       "ffmpeg-library-missing"},
      {"RuntimeError: Could not load libtorchcodec. Likely causes:\n          1. FFmpeg is not properly installed in "
       "your environment. We support",
       "torchcodec-load"},
      {"ImportError: Failed to intialize FFmpeg extension. Tried versions: ['6', '5', '4', '']. Enable DEBUG logging",
       "torio-no-ffmpeg"},
      {"DEBUG:torio._extension.utils:Failed to load FFmpeg6 extension.", "ffmpeg-attempt"},
      {"OSError: PortAudio library not found", "portaudio-missing"},
      {"OSError: sndfile library not found using ctypes.util.find_library", "sndfile-missing"},
      {"OSError: ctypes.util.find_library() did not manage to locate a library called 'cairo'", "find-library-refused"},
      {"OSError: no library called \"cairo-2\" was found", "find-library-refused"},
      {"ImportError: failed to find libmagic.  Check your installation", "find-library-refused"},
      {"qt.qpa.plugin: Could not load the Qt platform plugin \"xcb\" in \"\" even though it was found.",
       "qt-platform-plugin"},
      {"This application failed to start because it could not find or load the Qt platform plugin \"xcb\"\nin \"\".",
       "qt-platform-plugin"},
      {"qt.qpa.plugin: From 6.5.0, xcb-cursor0 or libxcb-cursor0 is needed to load the Qt xcb platform plugin.",
       "qt-platform-plugin"},
      {"qt.core.library: \"/opt/Qt/plugins/platforms/libqxcb.so\" cannot load: Cannot load library "
       "/opt/Qt/plugins/platforms/libqxcb.so: (libxcb-cursor.so.0: cannot open shared object file: No such file or "
       "directory)",
       "qt-plugin-library"},
      {"libGL error: MESA-LOADER: failed to open swrast: /usr/lib/dri/swrast_dri.so: cannot open shared object file: "
       "No such file or directory (search paths /usr/lib/dri, suffix _dri)",
       "mesa-driver-missing"},
      {"libGL error: failed to load driver: swrast", "mesa-driver-missing"},
      {"ImportError: Cannot initialize a EGL device display. This likely means that your EGL driver does not support",
       "egl-not-initialized"},
      {"Exception: eglInitialize failed (0x3001)", "egl-not-initialized"},
      {"OMP: Error #15: Initializing libiomp5.so, but found libomp.so already initialized.", "openmp-twice"},
      {"OMP: Info #276: omp_set_nested routine deprecated", "-"},
      {"Qt platform plugin xcb", "-"},
      {"library not found for -lportaudio", "-"},
  });
}

TEST_CASE("ROCm has rows of its own") {
  check_rows({
      {"ImportError: libamdhip64.so.6: cannot open shared object file: No such file or directory",
       "rocm-library-missing"},
      {"OSError: libhsa-runtime64.so.1: cannot open shared object file: No such file or directory",
       "rocm-library-missing"},
      {"ROCk module is loaded\nUnable to open /dev/kfd read-write: Cannot allocate memory\nhsa api call failure at: "
       "/src/rocminfo/rocminfo.cc:1142\nCall returned HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to",
       "rocm-kfd"},
      {"Call returned HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate", "rocm-hsa-error"},
      {"hip_code_object.cpp:92: guarantee(false && \"hipErrorNoBinaryForGpu: Coudn't find binary for current "
       "devices!\")",
       "rocm-no-binary"},
      {"\"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!\"", "rocm-no-binary"},
      {"rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: No such file or directory for GPU "
       "arch : gfx1031",
       "rocm-no-binary"},
      {"RuntimeError: No HIP GPUs are available", "rocm-no-device"},
      {"ROCk module is loaded", "-"},
      {"HIP version: 5.7", "-"},
  });
}

TEST_CASE("attempts with FFmpeg's releases are no cause") {
  const std::string attempt =
      "DEBUG:torio._extension.utils:Failed to load FFmpeg6 extension.\n"
      "Traceback (most recent call last):\n"
      "  File \"/v/torio/_extension/utils.py\", line 116, in _find_ffmpeg_extension\n"
      "    ext = _find_versionsed_ffmpeg_extension(ffmpeg_ver)\n"
      "OSError: libavutil.so.58: cannot open shared object file: No such file or directory\n";
  for (const Recognised& one : recognise(attempt)) CHECK(one.known->id == "ffmpeg-attempt");
  CHECK(first_id(attempt + "ImportError: libfoo.so.1: cannot open shared object file: No such file\n") ==
        "missing-library");
}

TEST_CASE("what dlerror said counts, not the library that could not be opened for it") {
  struct Case {
    const char* why;
    const char* text;
    const char* library;
  };
  const Case cases[] = {
      {"=", "Could not load library libcudnn_graph.so.9, dlerror=libz.so.9: cannot open shared object file",
       "libz.so.9"},
      {":",
       "Could not load dynamic library 'libcudnn.so.8'; dlerror: libz.so.9: cannot open shared object file: No such "
       "file",
       "libz.so.9"},
      {"behind words", "Failed to load liba.so: dlerror: libcupti.so.12: cannot open shared object file: No such file",
       "libcupti.so.12"},
      {"alone", "Could not load library libcudnn_graph.so.9", "libcudnn_graph.so.9"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::vector<Recognised> found = recognise(c.text);
    REQUIRE(found.size() == 1);
    CHECK(found[0].captured("library") == c.library);
  }
}

TEST_CASE("texts that come near are not taken for a known message") {
  for (const char* text : {
           "cannot open file",
           "libcudart.so.11.0 could not be opened",
           "could not open shared object file",
           "version 12.1 not found",
           "version `X' not found",
           "the file is too short",
           "no kernel image",
           "no kernel image is available for execution on the devices",
           "undefined symbols: 3",
           "undefined reference to `main'",
           "Unable to load any of the models",
           "CUDA error: out of memory",
           "CUDA out of memory. Tried to allocate 2.00 GiB",
           "CUDNN_STATUS_SUCCESS",
           "MY_CUDNN_STATUS_NOT_INITIALIZED",
           "CUDA_ERROR_UNKNOWN_THING",
           "torch.cuda.is_available() is True",
           ">>> torch.cuda.is_available()\nTrue",
           ">>> torch.cuda.is_initialized()\nFalse",
           "torch.cuda.is_available()\n\nFalse",
           "if not torch.cuda.is_available():",
           "loaded libcudart.so.11.0",
           "CuPy failed to load",
           "Unable to load weights. Is it installed?",
           "system is initialized",
           "GPU is not compatible with the current PyTorch installation",
           "Could not load library mylib.so",
           "Loaded runtime CuDNN library: 8.5.0",
           "Killed",
           "Segmentation fault (core dumped)",
           // of other programs
           "E: Unable to locate package libfoo-dev",
           "psycopg2.OperationalError: could not connect to server: Connection refused",
           "requests.exceptions.SSLError: HTTPSConnectionPool(host='pypi.org', port=443): Max retries exceeded",
           "vulkan: ERROR_INCOMPATIBLE_DRIVER",
           "qt.qpa.xcb: could not connect to display :0",
       }) {
    CAPTURE(text);
    CHECK(first_id(text) == "-");
  }
}

TEST_CASE("programs that refuse a module, and what drivers of databases say, are recognised") {
  check_rows({
      {"ERROR:  incompatible library \"/usr/lib/http.so\": version mismatch", "postgresql-module-other-release"},
      {"Module compiled with module API=20131226", "php-module-number"},
      {"PHP    compiled with build ID=API20210902,NTS", "php-module-number"},
      {"PHP Warning:  PHP Startup: imagick: Unable to initialize module\n"
       "Module compiled with module API=20190902\nPHP    compiled with module API=20210902\n",
       "php-module-other-release"},
      {"Compress::Raw::Zlib object version 2.074 does not match bootstrap parameter 2.101 at DynaLoader.pm line 210.",
       "perl-object-version"},
      {"Encode object version 3.08 does not match $Encode::XS_VERSION 3.17 at DynaLoader.pm", "perl-object-version"},
      {"Error: Module did not self-register: '/srv/app/node_modules/canvas/build/Release/canvas.node'.",
       "node-not-registered"},
      {"Error: Module did not self-register.", "node-not-registered"},
      {"java.lang.UnsatisfiedLinkError: 'java.lang.String org.example.Host.name()'", "java-native-method"},
      {"java.lang.UnsatisfiedLinkError: org.example.Host.name()Ljava/lang/String;", "java-native-method"},
      {"load:could not load the shared library:dso_dlfcn.c:118:filename(/usr/lib/engines-1.1/libpkcs11.so): "
       "/usr/lib/engines-1.1/libpkcs11.so: cannot open shared object file: No such file or directory",
       "openssl-engine-pkcs11"},
      {"dlfcn_load:could not load the shared library:filename(/usr/lib64/engines-3/afalg.so): "
       "/usr/lib64/engines-3/afalg.so: cannot open shared object file: No such file or directory",
       "openssl-engine-not-there"},
      {"dlfcn_load:could not load the shared library:filename(/opt/ssl/lib/ossl-modules/legacy.so): "
       "/opt/ssl/lib/ossl-modules/legacy.so: cannot open shared object file: No such file or directory",
       "openssl-module-not-there"},
      {"Failed to open VDPAU backend libvdpau_nvidia.so: cannot open shared object file: No such file or directory",
       "driver-graphics-library-missing"},
      {"Cannot load: libnvidia-encode.so.1: cannot open shared object file: No such file or directory",
       "driver-graphics-library-missing"},
      {"nginx: [emerg] module \"/m/ngx_x.so\" version 1026003 instead of 1024000 in /etc/nginx/nginx.conf:1",
       "nginx-module-other-release"},
      {"nginx: [emerg] module \"/m/ngx_x.so\" is not binary compatible in /etc/nginx/nginx.conf:1",
       "nginx-options-other-release"},
      {"require: incompatible library version - /g/lib/x.so (LoadError)", "ruby-library-other-release"},
      {"API module structure 'x_module' in file /m/mod_x.so is garbled - expected signature 41503234",
       "httpd-module-other-release"},
      {"/a/lib/auto/X/X.so: undefined symbol: Perl_Istack_sp_ptr", "perl-other-release"},
      {"Error: /a/build/Release/x.node: undefined symbol: napi_create_object", "node-other-release"},
      {"/m/ngx_x.so: undefined symbol: ngx_x", "symbol-missing"},
      {"ERROR:  could not load library \"/pg/lib/v.so\": /pg/lib/v.so: undefined symbol: version_compare2",
       "symbol-missing"},
      {"[unixODBC][Driver Manager]Can't open lib '/opt/msodbcsql17.so' : file not found", "odbc-driver"},
      {"Cannot locate a 64-bit Oracle Client library: \"libclntsh.so: cannot open shared object file: No such file or "
       "directory\"",
       "missing-library"},
      {"Cannot locate a 64-bit Oracle Client library: \"libclntsh.so\"", "oracle-client"},
      {"DPI-1047: Cannot locate a 64-bit Oracle Client library: \"The specified module could not be found\"", "-"},
      {"[n:1] mca_base_component_repository_open: unable to open mca_pml_x: libx.so.0: cannot open shared object file: "
       "No such file or directory (ignored)",
       "openmpi-component"},
      {"Unable to load DLL 'gdiplus': The specified module could not be found.", "dotnet-library"},
      {"Cannot mount AppImage, please check your FUSE setup.", "appimage-fuse"},
      {"/bin/sh: ./x: /lib/ld64.so.1: bad ELF interpreter: No such file or directory", "interpreter-missing"},
      {"Mismatched PJRT plugin PJRT API version (0.54) and framework PJRT API version 0.51).", "jax-plugin-version"},
      {"layers due to mismatch of libnvrtc version", "-"},
      {"the current platform does not support these layers due to mismatch of libnvrtc version.", "tensorrt-nvrtc"},
      {"[[ System not yet initialized (error 802) ]]", "system-not-ready"},
      {"Installed CUDA version 11.4 does not match the version torch was compiled with 11.5 but since the APIs are "
       "compatible, accepting this combination",
       "-"},
      {"libcrypto.so.1.1 not found on 22.04 LTS", "missing-library-short"},
      {"a library is missing or cannot be opened: \"libcrypto.so.1.1\"", "missing-library-short"},
      {"libcuda.so.1 is not a symbolic link", "ldconfig-not-a-link"},
      {"[222] Call to cuLinkAddData results in UNKNOWN_CUDA_ERROR", "ptx-too-new"},
      {"NCCL error in: /torch/ProcessGroupNCCL.cpp:260, unhandled system error", "nccl-underlying-error"},
  });
}

TEST_CASE("the root that QEMU lacks is that of the processor's packages, without the emulator's \"-static\"") {
  struct Case {
    const char* text;
    const char* root;
  };
  const Case cases[] = {
      {"qemu-aarch64-static: Could not open '/lib/ld-linux-aarch64.so.1'", "/usr/aarch64-linux-gnu"},
      {"qemu-aarch64: Could not open '/lib/ld-linux-aarch64.so.1': No such file or directory",
       "/usr/aarch64-linux-gnu"},
      {"qemu-arm-static: Could not open '/lib/ld-linux-armhf.so.3': No such file or directory",
       "/usr/arm-linux-gnueabihf"},
      {"qemu-arm: Could not open '/lib/ld-linux.so.3'", "/usr/arm-linux-gnueabi"},
      {"qemu-ppc64le-static: Could not open '/lib64/ld64.so.2'", "/usr/powerpc64le-linux-gnu"},
      {"qemu-i386: Could not open '/lib/ld-linux.so.2'", "/usr/i686-linux-gnu"},
      {"qemu-riscv64: Could not open '/lib/ld-linux-riscv64-lp64d.so.1'", "/usr/riscv64-linux-gnu"},
      {"qemu-s390x-static: Could not open '/lib/ld64.so.1'", "/usr/s390x-linux-gnu"},
      {"qemu-mips64el-static: Could not open '/lib64/ld.so.1'", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const std::vector<Recognised> found = recognise(c.text);
    REQUIRE(found.size() == 1);
    const std::string_view fix = found.front().known->fix;
    const std::string typed = fix.empty() ? std::string() : filled_command(fix, found.front()).text();
    const std::string want = std::string("export QEMU_LD_PREFIX=") + c.root + "   # or: qemu-";
    CHECK((*c.root == '\0' ? typed.empty() : typed.starts_with(want)));
    CHECK(typed.find("static") == std::string::npos);
  }
}

TEST_CASE("a function of an extension is none of PyTorch's, though it takes a Tensor") {
  check_rows({
      {"/a/_C.so: undefined symbol: _ZN3c104cuda9SetDeviceEi", "torch-abi-mismatch"},
      {"/a/_C.so: undefined symbol: _ZNR5torch7Library4_defEOSt", "torch-abi-mismatch"},
      {"/a/_C.so: undefined symbol: _ZTIN3c105ErrorE", "torch-abi-mismatch"},
      {"/a/_C.so: undefined symbol _ZN3c106ivalue14ConstantStringE", "torch-abi-mismatch"},
      {"/a/_C.so: undefined symbol: _Z20cutlass_moe_mm_sm100RN2at6TensorE", "symbol-missing"},
      {"/a/_C.so: undefined symbol: _ZN4vllm4funcERN2at6TensorE", "symbol-missing"},
  });
}

TEST_CASE("the catalogue is whole: ids once, both languages, sources, and names that are captured") {
  std::set<std::string_view> ids;
  for (const KnownMessage& known : known_messages()) {
    CAPTURE(std::string(known.id));
    CHECK(ids.insert(known.id).second);
    CHECK(known.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos);
    CHECK_FALSE(known.printer.en.empty());
    CHECK_FALSE(known.source.empty());
    std::string captures = "{object}{program}{requirer}{consumer}";
    bool is_over = false;
    for (const std::string_view pattern : known.patterns) {
      is_over = is_over || pattern.empty();
      CHECK(is_over == pattern.empty());
      if (pattern.empty()) continue;
      const Pattern compiled(pattern);
      CAPTURE(std::string(pattern));
      CHECK(compiled.anchor().size() >= 4);
      CHECK(compiled.anchor().substr(0, 4).find('\'') == std::string_view::npos);
      captures += pattern;
    }
    for (const Phrase& phrase : {known.cause, known.proof, known.next}) {
      CHECK_FALSE(phrase.en.empty());
      CHECK(has_chinese(phrase.zh));
      CHECK_FALSE(has_chinese(phrase.en));
      for (const std::string_view text : {phrase.en, phrase.zh, known.command}) {
        for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
          const std::string name(text.substr(open, text.find('}', open) - open));
          CAPTURE(name);
          if (name == "{distributions") continue;  // those with the glibc of {version}
          if (name == "{function" && captures.find("{method}") != std::string::npos) continue;
          CHECK((captures.find(name + "}") != std::string::npos || captures.find(name + "=") != std::string::npos));
        }
      }
    }
    if (known.lookup == Lookup::Search || known.lookup == Lookup::Open)
      CHECK(captures.find("{library") != std::string::npos);
  }
  CHECK(ids.size() > 80);
}

TEST_CASE("no pattern is hidden behind an earlier one") {
  // A pattern without globs takes everything that a later one with the same fragments would.
  std::set<std::string> seen;
  for (const KnownMessage& known : known_messages()) {
    for (const std::string_view pattern : known.patterns) {
      if (pattern.empty()) break;
      CAPTURE(std::string(pattern));
      CHECK(seen.insert(std::string(pattern)).second);
    }
  }
}
