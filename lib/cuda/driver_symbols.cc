// What libcuda exports, driver by driver: each row has the names that the one before it lacks.
//
// Source: the dynamic symbols of libcuda.so in Debian's packages (libcuda1 and libnvidia-*-cuda1, amd64), as nm -D
// lists them; test/machine/driver_symbols_from_files compares the rows with such files. From 390 to 555 no name has
// gone, so that a driver has what an older one exports; a branch is taken to keep its names. Not here: drivers between
// two rows may have some of the next row's.
#include "cuda/driver_rows.h"

namespace soresolve {
namespace {

constexpr DriverSymbols kDriverSymbols[] = {
    {"390.157", "Debian bullseye",
     "cuArray3DCreate cuArray3DCreate_v2 cuArray3DGetDescriptor cuArray3DGetDescriptor_v2 cuArrayCreate "
     "cuArrayCreate_v2 cuArrayDestroy cuArrayGetDescriptor cuArrayGetDescriptor_v2 cuCtxAttach cuCtxCreate "
     "cuCtxCreate_v2 cuCtxDestroy cuCtxDestroy_v2 cuCtxDetach cuCtxDisablePeerAccess cuCtxEnablePeerAccess "
     "cuCtxGetApiVersion cuCtxGetCacheConfig cuCtxGetCurrent cuCtxGetDevice cuCtxGetFlags cuCtxGetLimit "
     "cuCtxGetSharedMemConfig cuCtxGetStreamPriorityRange cuCtxPopCurrent cuCtxPopCurrent_v2 cuCtxPushCurrent "
     "cuCtxPushCurrent_v2 cuCtxSetCacheConfig cuCtxSetCurrent cuCtxSetLimit cuCtxSetSharedMemConfig cuCtxSynchronize "
     "cuDeviceCanAccessPeer cuDeviceComputeCapability cuDeviceGet cuDeviceGetAttribute cuDeviceGetByPCIBusId "
     "cuDeviceGetCount cuDeviceGetName cuDeviceGetP2PAttribute cuDeviceGetPCIBusId cuDeviceGetProperties "
     "cuDevicePrimaryCtxGetState cuDevicePrimaryCtxRelease cuDevicePrimaryCtxReset cuDevicePrimaryCtxRetain "
     "cuDevicePrimaryCtxSetFlags cuDeviceTotalMem cuDeviceTotalMem_v2 cuDriverGetVersion cuEGLApiInit "
     "cuEGLStreamConsumerAcquireFrame cuEGLStreamConsumerConnect cuEGLStreamConsumerConnectWithFlags "
     "cuEGLStreamConsumerDisconnect cuEGLStreamConsumerReleaseFrame cuEGLStreamProducerConnect "
     "cuEGLStreamProducerDisconnect cuEGLStreamProducerPresentFrame cuEGLStreamProducerReturnFrame cuEventCreate "
     "cuEventDestroy cuEventDestroy_v2 cuEventElapsedTime cuEventQuery cuEventRecord cuEventRecord_ptsz "
     "cuEventSynchronize cuFuncGetAttribute cuFuncSetAttribute cuFuncSetBlockShape cuFuncSetCacheConfig "
     "cuFuncSetSharedMemConfig cuFuncSetSharedSize cuGLCtxCreate cuGLCtxCreate_v2 cuGLGetDevices cuGLGetDevices_v2 "
     "cuGLInit cuGLMapBufferObject cuGLMapBufferObjectAsync cuGLMapBufferObjectAsync_v2 "
     "cuGLMapBufferObjectAsync_v2_ptsz cuGLMapBufferObject_v2 cuGLMapBufferObject_v2_ptds cuGLRegisterBufferObject "
     "cuGLSetBufferObjectMapFlags cuGLUnmapBufferObject cuGLUnmapBufferObjectAsync cuGLUnregisterBufferObject "
     "cuGetErrorName cuGetErrorString cuGetExportTable cuGraphicsEGLRegisterImage cuGraphicsGLRegisterBuffer "
     "cuGraphicsGLRegisterImage cuGraphicsMapResources cuGraphicsMapResources_ptsz cuGraphicsResourceGetMappedEglFrame "
     "cuGraphicsResourceGetMappedMipmappedArray cuGraphicsResourceGetMappedPointer "
     "cuGraphicsResourceGetMappedPointer_v2 cuGraphicsResourceSetMapFlags cuGraphicsResourceSetMapFlags_v2 "
     "cuGraphicsSubResourceGetMappedArray cuGraphicsUnmapResources cuGraphicsUnmapResources_ptsz "
     "cuGraphicsUnregisterResource cuGraphicsVDPAURegisterOutputSurface cuGraphicsVDPAURegisterVideoSurface cuInit "
     "cuIpcCloseMemHandle cuIpcGetEventHandle cuIpcGetMemHandle cuIpcOpenEventHandle cuIpcOpenMemHandle cuLaunch "
     "cuLaunchCooperativeKernel cuLaunchCooperativeKernelMultiDevice cuLaunchCooperativeKernel_ptsz cuLaunchGrid "
     "cuLaunchGridAsync cuLaunchKernel cuLaunchKernel_ptsz cuLinkAddData cuLinkAddData_v2 cuLinkAddFile "
     "cuLinkAddFile_v2 cuLinkComplete cuLinkCreate cuLinkCreate_v2 cuLinkDestroy cuMemAdvise cuMemAlloc cuMemAllocHost "
     "cuMemAllocHost_v2 cuMemAllocManaged cuMemAllocPitch cuMemAllocPitch_v2 cuMemAlloc_v2 cuMemFree cuMemFreeHost "
     "cuMemFree_v2 cuMemGetAddressRange cuMemGetAddressRange_v2 cuMemGetAttribute cuMemGetAttribute_v2 cuMemGetInfo "
     "cuMemGetInfo_v2 cuMemHostAlloc cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2 cuMemHostGetFlags "
     "cuMemHostRegister cuMemHostRegister_v2 cuMemHostUnregister cuMemPrefetchAsync cuMemPrefetchAsync_ptsz "
     "cuMemRangeGetAttribute cuMemRangeGetAttributes cuMemcpy cuMemcpy2D cuMemcpy2DAsync cuMemcpy2DAsync_v2 "
     "cuMemcpy2DAsync_v2_ptsz cuMemcpy2DUnaligned cuMemcpy2DUnaligned_v2 cuMemcpy2DUnaligned_v2_ptds cuMemcpy2D_v2 "
     "cuMemcpy2D_v2_ptds cuMemcpy3D cuMemcpy3DAsync cuMemcpy3DAsync_v2 cuMemcpy3DAsync_v2_ptsz cuMemcpy3DPeer "
     "cuMemcpy3DPeerAsync cuMemcpy3DPeerAsync_ptsz cuMemcpy3DPeer_ptds cuMemcpy3D_v2 cuMemcpy3D_v2_ptds cuMemcpyAsync "
     "cuMemcpyAsync_ptsz cuMemcpyAtoA cuMemcpyAtoA_v2 cuMemcpyAtoA_v2_ptds cuMemcpyAtoD cuMemcpyAtoD_v2 "
     "cuMemcpyAtoD_v2_ptds cuMemcpyAtoH cuMemcpyAtoHAsync cuMemcpyAtoHAsync_v2 cuMemcpyAtoHAsync_v2_ptsz "
     "cuMemcpyAtoH_v2 cuMemcpyAtoH_v2_ptds cuMemcpyDtoA cuMemcpyDtoA_v2 cuMemcpyDtoA_v2_ptds cuMemcpyDtoD "
     "cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2 cuMemcpyDtoDAsync_v2_ptsz cuMemcpyDtoD_v2 cuMemcpyDtoD_v2_ptds "
     "cuMemcpyDtoH cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2 cuMemcpyDtoHAsync_v2_ptsz cuMemcpyDtoH_v2 "
     "cuMemcpyDtoH_v2_ptds cuMemcpyHtoA cuMemcpyHtoAAsync cuMemcpyHtoAAsync_v2 cuMemcpyHtoAAsync_v2_ptsz "
     "cuMemcpyHtoA_v2 cuMemcpyHtoA_v2_ptds cuMemcpyHtoD cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2 "
     "cuMemcpyHtoDAsync_v2_ptsz cuMemcpyHtoD_v2 cuMemcpyHtoD_v2_ptds cuMemcpyPeer cuMemcpyPeerAsync "
     "cuMemcpyPeerAsync_ptsz cuMemcpyPeer_ptds cuMemcpy_ptds cuMemsetD16 cuMemsetD16Async cuMemsetD16Async_ptsz "
     "cuMemsetD16_v2 cuMemsetD16_v2_ptds cuMemsetD2D16 cuMemsetD2D16Async cuMemsetD2D16Async_ptsz cuMemsetD2D16_v2 "
     "cuMemsetD2D16_v2_ptds cuMemsetD2D32 cuMemsetD2D32Async cuMemsetD2D32Async_ptsz cuMemsetD2D32_v2 "
     "cuMemsetD2D32_v2_ptds cuMemsetD2D8 cuMemsetD2D8Async cuMemsetD2D8Async_ptsz cuMemsetD2D8_v2 cuMemsetD2D8_v2_ptds "
     "cuMemsetD32 cuMemsetD32Async cuMemsetD32Async_ptsz cuMemsetD32_v2 cuMemsetD32_v2_ptds cuMemsetD8 cuMemsetD8Async "
     "cuMemsetD8Async_ptsz cuMemsetD8_v2 cuMemsetD8_v2_ptds cuMipmappedArrayCreate cuMipmappedArrayDestroy "
     "cuMipmappedArrayGetLevel cuModuleGetFunction cuModuleGetGlobal cuModuleGetGlobal_v2 cuModuleGetSurfRef "
     "cuModuleGetTexRef cuModuleLoad cuModuleLoadData cuModuleLoadDataEx cuModuleLoadFatBinary cuModuleUnload "
     "cuOccupancyMaxActiveBlocksPerMultiprocessor cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags "
     "cuOccupancyMaxPotentialBlockSize cuOccupancyMaxPotentialBlockSizeWithFlags cuParamSetSize cuParamSetTexRef "
     "cuParamSetf cuParamSeti cuParamSetv cuPointerGetAttribute cuPointerGetAttributes cuPointerSetAttribute "
     "cuProfilerInitialize cuProfilerStart cuProfilerStop cuStreamAddCallback cuStreamAddCallback_ptsz "
     "cuStreamAttachMemAsync cuStreamAttachMemAsync_ptsz cuStreamBatchMemOp cuStreamBatchMemOp_ptsz cuStreamCreate "
     "cuStreamCreateWithPriority cuStreamDestroy cuStreamDestroy_v2 cuStreamGetFlags cuStreamGetFlags_ptsz "
     "cuStreamGetPriority cuStreamGetPriority_ptsz cuStreamQuery cuStreamQuery_ptsz cuStreamSynchronize "
     "cuStreamSynchronize_ptsz cuStreamWaitEvent cuStreamWaitEvent_ptsz cuStreamWaitValue32 cuStreamWaitValue32_ptsz "
     "cuStreamWaitValue64 cuStreamWaitValue64_ptsz cuStreamWriteValue32 cuStreamWriteValue32_ptsz cuStreamWriteValue64 "
     "cuStreamWriteValue64_ptsz cuSurfObjectCreate cuSurfObjectDestroy cuSurfObjectGetResourceDesc cuSurfRefGetArray "
     "cuSurfRefSetArray cuTexObjectCreate cuTexObjectDestroy cuTexObjectGetResourceDesc cuTexObjectGetResourceViewDesc "
     "cuTexObjectGetTextureDesc cuTexRefCreate cuTexRefDestroy cuTexRefGetAddress cuTexRefGetAddressMode "
     "cuTexRefGetAddress_v2 cuTexRefGetArray cuTexRefGetBorderColor cuTexRefGetFilterMode cuTexRefGetFlags "
     "cuTexRefGetFormat cuTexRefGetMaxAnisotropy cuTexRefGetMipmapFilterMode cuTexRefGetMipmapLevelBias "
     "cuTexRefGetMipmapLevelClamp cuTexRefGetMipmappedArray cuTexRefSetAddress cuTexRefSetAddress2D "
     "cuTexRefSetAddress2D_v2 cuTexRefSetAddress2D_v3 cuTexRefSetAddressMode cuTexRefSetAddress_v2 cuTexRefSetArray "
     "cuTexRefSetBorderColor cuTexRefSetFilterMode cuTexRefSetFlags cuTexRefSetFormat cuTexRefSetMaxAnisotropy "
     "cuTexRefSetMipmapFilterMode cuTexRefSetMipmapLevelBias cuTexRefSetMipmapLevelClamp cuTexRefSetMipmappedArray "
     "cuVDPAUCtxCreate cuVDPAUCtxCreate_v2 cuVDPAUGetDevice cudbgApiAttach cudbgApiClientPid cudbgApiClientRevision "
     "cudbgApiDetach cudbgApiInit cudbgAttachHandlerAvailable cudbgDebuggerInitialized cudbgDetachSuspendedDevicesMask "
     "cudbgEnableIntegratedMemcheck cudbgEnableLaunchBlocking cudbgEnablePreemptionDebugging cudbgGetAPI "
     "cudbgGetAPIVersion cudbgIpcFlag cudbgMain cudbgReportDriverApiError cudbgReportDriverApiErrorFlags "
     "cudbgReportDriverInternalError cudbgReportedDriverApiErrorCode cudbgReportedDriverApiErrorFuncNameAddr "
     "cudbgReportedDriverApiErrorFuncNameSize cudbgReportedDriverInternalErrorCode cudbgResumeForAttachDetach "
     "cudbgRpcEnabled cudbgSessionId"},
    {"418.226.00", "Debian bullseye",
     "cuDestroyExternalMemory cuDestroyExternalSemaphore cuDeviceGetUuid cuExternalMemoryGetMappedBuffer "
     "cuExternalMemoryGetMappedMipmappedArray cuGraphAddChildGraphNode cuGraphAddDependencies cuGraphAddEmptyNode "
     "cuGraphAddHostNode cuGraphAddKernelNode cuGraphAddMemcpyNode cuGraphAddMemsetNode cuGraphChildGraphNodeGetGraph "
     "cuGraphClone cuGraphCreate cuGraphDestroy cuGraphDestroyNode cuGraphExecDestroy cuGraphExecKernelNodeSetParams "
     "cuGraphGetEdges cuGraphGetNodes cuGraphGetRootNodes cuGraphHostNodeGetParams cuGraphHostNodeSetParams "
     "cuGraphInstantiate cuGraphKernelNodeGetParams cuGraphKernelNodeSetParams cuGraphLaunch cuGraphLaunch_ptsz "
     "cuGraphMemcpyNodeGetParams cuGraphMemcpyNodeSetParams cuGraphMemsetNodeGetParams cuGraphMemsetNodeSetParams "
     "cuGraphNodeFindInClone cuGraphNodeGetDependencies cuGraphNodeGetDependentNodes cuGraphNodeGetType "
     "cuGraphRemoveDependencies cuImportExternalMemory cuImportExternalSemaphore cuLaunchHostFunc "
     "cuLaunchHostFunc_ptsz cuSignalExternalSemaphoresAsync cuSignalExternalSemaphoresAsync_ptsz cuStreamBeginCapture "
     "cuStreamBeginCapture_ptsz cuStreamBeginCapture_v2 cuStreamBeginCapture_v2_ptsz cuStreamEndCapture "
     "cuStreamEndCapture_ptsz cuStreamGetCaptureInfo cuStreamGetCaptureInfo_ptsz cuStreamGetCtx cuStreamGetCtx_ptsz "
     "cuStreamIsCapturing cuStreamIsCapturing_ptsz cuThreadExchangeStreamCaptureMode cuWaitExternalSemaphoresAsync "
     "cuWaitExternalSemaphoresAsync_ptsz"},
    {"450.248.02", "Debian bullseye",
     "cuCtxResetPersistingL2Cache cuDeviceGetNvSciSyncAttributes cuDevicePrimaryCtxRelease_v2 "
     "cuDevicePrimaryCtxReset_v2 cuDevicePrimaryCtxSetFlags_v2 cuFuncGetModule cuGraphExecHostNodeSetParams "
     "cuGraphExecMemcpyNodeSetParams cuGraphExecMemsetNodeSetParams cuGraphExecUpdate cuGraphInstantiate_v2 "
     "cuGraphKernelNodeCopyAttributes cuGraphKernelNodeGetAttribute cuGraphKernelNodeSetAttribute "
     "cuIpcOpenMemHandle_v2 cuMemAddressFree cuMemAddressReserve cuMemCreate cuMemExportToShareableHandle "
     "cuMemGetAccess cuMemGetAllocationGranularity cuMemGetAllocationPropertiesFromHandle "
     "cuMemImportFromShareableHandle cuMemMap cuMemRelease cuMemRetainAllocationHandle cuMemSetAccess cuMemUnmap "
     "cuOccupancyAvailableDynamicSMemPerBlock cuStreamCopyAttributes cuStreamCopyAttributes_ptsz cuStreamGetAttribute "
     "cuStreamGetAttribute_ptsz cuStreamSetAttribute cuStreamSetAttribute_ptsz cudbgInjectionPath"},
    {"460.106.00", "Debian bullseye",
     "cuArrayGetPlane cuArrayGetSparseProperties cuDeviceGetDefaultMemPool cuDeviceGetLuid cuDeviceGetMemPool "
     "cuDeviceGetTexture1DLinearMaxWidth cuDeviceSetMemPool cuEventRecordWithFlags cuEventRecordWithFlags_ptsz "
     "cuGraphAddEventRecordNode cuGraphAddEventWaitNode cuGraphAddExternalSemaphoresSignalNode "
     "cuGraphAddExternalSemaphoresWaitNode cuGraphEventRecordNodeGetEvent cuGraphEventRecordNodeSetEvent "
     "cuGraphEventWaitNodeGetEvent cuGraphEventWaitNodeSetEvent cuGraphExecChildGraphNodeSetParams "
     "cuGraphExecEventRecordNodeSetEvent cuGraphExecEventWaitNodeSetEvent "
     "cuGraphExecExternalSemaphoresSignalNodeSetParams cuGraphExecExternalSemaphoresWaitNodeSetParams "
     "cuGraphExternalSemaphoresSignalNodeGetParams cuGraphExternalSemaphoresSignalNodeSetParams "
     "cuGraphExternalSemaphoresWaitNodeGetParams cuGraphExternalSemaphoresWaitNodeSetParams cuGraphUpload "
     "cuGraphUpload_ptsz cuMemAllocAsync cuMemAllocAsync_ptsz cuMemAllocFromPoolAsync cuMemAllocFromPoolAsync_ptsz "
     "cuMemFreeAsync cuMemFreeAsync_ptsz cuMemMapArrayAsync cuMemMapArrayAsync_ptsz cuMemPoolCreate cuMemPoolDestroy "
     "cuMemPoolExportPointer cuMemPoolExportToShareableHandle cuMemPoolGetAccess cuMemPoolGetAttribute "
     "cuMemPoolImportFromShareableHandle cuMemPoolImportPointer cuMemPoolSetAccess cuMemPoolSetAttribute "
     "cuMemPoolTrimTo cuMipmappedArrayGetSparseProperties"},
    {"470.256.02", "Debian bullseye",
     "cuCtxCreate_v3 cuCtxGetExecAffinity cuDeviceGetExecAffinitySupport cuDeviceGetGraphMemAttribute "
     "cuDeviceGetUuid_v2 cuDeviceGraphMemTrim cuDeviceSetGraphMemAttribute cuFlushGPUDirectRDMAWrites cuGetProcAddress "
     "cuGraphAddMemAllocNode cuGraphAddMemFreeNode cuGraphDebugDotPrint cuGraphInstantiateWithFlags "
     "cuGraphMemAllocNodeGetParams cuGraphMemFreeNodeGetParams cuGraphReleaseUserObject cuGraphRetainUserObject "
     "cuStreamGetCaptureInfo_v2 cuStreamGetCaptureInfo_v2_ptsz cuStreamUpdateCaptureDependencies "
     "cuStreamUpdateCaptureDependencies_ptsz cuUserObjectCreate cuUserObjectRelease cuUserObjectRetain"},
    {"525.147.05", "Debian bookworm",
     "cuArrayGetMemoryRequirements cuCtxGetId cuGetProcAddress_v2 cuGraphAddBatchMemOpNode cuGraphAddKernelNode_v2 "
     "cuGraphBatchMemOpNodeGetParams cuGraphBatchMemOpNodeSetParams cuGraphExecBatchMemOpNodeSetParams "
     "cuGraphExecGetFlags cuGraphExecKernelNodeSetParams_v2 cuGraphExecUpdate_v2 cuGraphInstantiateWithParams "
     "cuGraphInstantiateWithParams_ptsz cuGraphKernelNodeGetParams_v2 cuGraphKernelNodeSetParams_v2 "
     "cuGraphNodeGetEnabled cuGraphNodeSetEnabled cuKernelGetAttribute cuKernelGetFunction cuKernelSetAttribute "
     "cuKernelSetCacheConfig cuLaunchKernelEx cuLaunchKernelEx_ptsz cuLibraryGetGlobal cuLibraryGetKernel "
     "cuLibraryGetManaged cuLibraryGetModule cuLibraryGetUnifiedFunction cuLibraryLoadData cuLibraryLoadFromFile "
     "cuLibraryUnload cuMemGetHandleForAddressRange cuMipmappedArrayGetMemoryRequirements cuModuleGetLoadingMode "
     "cuOccupancyMaxActiveClusters cuOccupancyMaxPotentialClusterSize cuStreamBatchMemOp_v2 cuStreamBatchMemOp_v2_ptsz "
     "cuStreamGetId cuStreamGetId_ptsz cuStreamWaitValue32_v2 cuStreamWaitValue32_v2_ptsz cuStreamWaitValue64_v2 "
     "cuStreamWaitValue64_v2_ptsz cuStreamWriteValue32_v2 cuStreamWriteValue32_v2_ptsz cuStreamWriteValue64_v2 "
     "cuStreamWriteValue64_v2_ptsz cuTensorMapEncodeIm2col cuTensorMapEncodeTiled cuTensorMapReplaceAddress "
     "cudbgDebuggerCapabilities cudbgUseExternalDebugger"},
    {"535.261.03", "Debian bookworm",
     "cuCoredumpGetAttribute cuCoredumpGetAttributeGlobal cuCoredumpSetAttribute cuCoredumpSetAttributeGlobal "
     "cuCtxSetFlags cuGraphAddNode cuGraphExecNodeSetParams cuGraphNodeSetParams cuMemAdvise_v2 cuMemPrefetchAsync_v2 "
     "cuMemPrefetchAsync_v2_ptsz cuMulticastAddDevice cuMulticastBindAddr cuMulticastBindMem cuMulticastCreate "
     "cuMulticastGetGranularity cuMulticastUnbind"},
    {"550.163.01", "Debian trixie",
     "cuCtxFromGreenCtx cuCtxGetDevResource cuDevResourceGenerateDesc cuDevSmResourceSplitByCount "
     "cuDeviceGetDevResource cuDeviceRegisterAsyncNotification cuDeviceUnregisterAsyncNotification cuFuncGetName "
     "cuFuncGetParamInfo cuFuncIsLoaded cuFuncLoad cuGraphAddDependencies_v2 cuGraphAddNode_v2 "
     "cuGraphConditionalHandleCreate cuGraphGetEdges_v2 cuGraphNodeGetDependencies_v2 cuGraphNodeGetDependentNodes_v2 "
     "cuGraphRemoveDependencies_v2 cuGreenCtxCreate cuGreenCtxDestroy cuGreenCtxGetDevResource cuGreenCtxRecordEvent "
     "cuGreenCtxWaitEvent cuKernelGetName cuKernelGetParamInfo cuLibraryEnumerateKernels cuLibraryGetKernelCount "
     "cuModuleEnumerateFunctions cuModuleGetFunctionCount cuStreamBeginCaptureToGraph cuStreamBeginCaptureToGraph_ptsz "
     "cuStreamGetCaptureInfo_v3 cuStreamGetCaptureInfo_v3_ptsz cuStreamGetGreenCtx "
     "cuStreamUpdateCaptureDependencies_v2 cuStreamUpdateCaptureDependencies_v2_ptsz"},
    {"555.58.02", "Debian experimental",
     "cuCtxCreate_v4 cuCtxRecordEvent cuCtxWaitEvent cuGreenCtxStreamCreate cuKernelGetLibrary cuStreamGetCtx_v2 "
     "cuStreamGetCtx_v2_ptsz"},
};

}  // namespace

std::span<const DriverSymbols> driver_symbols() { return kDriverSymbols; }

}  // namespace soresolve
