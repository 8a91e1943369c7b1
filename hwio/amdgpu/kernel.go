package amdgpu

// request is the kernel's struct drm_amdgpu_info: 32 bytes.
type request struct {
	returnPointer uint64 // address of the answer
	returnSize    uint32 // the kernel copies at most so many bytes
	query         uint32
	arg           [4]uint32 // of the query
}

// call is a request with room for its answer. It belongs to one thread, and must not live on a stack: the kernel is
// given the answer's address as a number.
type call struct {
	request
	answer [devInfoSize]byte
}

// node is an open render node. It may be asked by several threads, each with its own call.
type node interface {
	// info asks one question and puts the answer into c.answer, at most size bytes; what the kernel leaves unset is 0.
	// Errors are a syscall.Errno.
	info(c *call, query, size uint32, arg [4]uint32) error
	close() error
}

// Numbers of the kernel's interface, from drm/amdgpu_drm.h.
const (
	infoIoctl = 0x40206445 // DRM_IOCTL_AMDGPU_INFO

	queryBytesMoved   = 0x0f
	queryReadRegister = 0x15
	queryDevInfo      = 0x16
	queryEvictions    = 0x18
	queryMemory       = 0x19
	querySensor       = 0x1d
	queryVRAMLost     = 0x1f

	sensorSclk        = 1
	sensorMclk        = 2
	sensorTemperature = 3
	sensorLoad        = 4
	sensorPower       = 5
	sensorVDDNB       = 6
	sensorVDDGFX      = 7
	sensorStableSclk  = 8
	sensorStableMclk  = 9
	sensorPeakSclk    = 10
	sensorPeakMclk    = 11
	sensorInputPower  = 12
	allInstances      = 0xffffffff // a register of every shader engine at once
	memorySize        = 96         // struct drm_amdgpu_memory_info
	heapSize          = 32         // struct drm_amdgpu_heap_info
	heapTotal         = 0
	heapUsage         = 16
	flagAPU           = 1 // of ids_flags
	devInfoSize       = 448
	offDeviceID       = 0
	offChipRev        = 4
	offExternalRev    = 8
	offPCIRev         = 12
	offFamily         = 16
	offEngines        = 20
	offArrays         = 24
	offCounterFreq    = 28
	offMaxEngineClock = 32
	offMaxMemoryClock = 40
	offActiveCUs      = 48
	offRBPipes        = 124
	offIDsFlags       = 136
	offVRAMBitWidth   = 180
	offWavefront      = 240
	offCUsPerArray    = 248
	offTCCBlocks      = 252
	offGL1CacheSize   = 400
	offGL2CacheSize   = 404
	offMALLSize       = 408
	vendorAMD         = 0x1002
)
