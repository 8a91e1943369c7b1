package i915

// Numbers of the driver's interface, from drm/i915_drm.h. Request numbers are those of every 64-bit Linux.
const (
	ioctlGetParam     = 0xC0106446
	ioctlRegRead      = 0xC0106471
	ioctlPerfOpen     = 0x40106476
	ioctlAddConfig    = 0x40486477
	ioctlRemoveConfig = 0x40086478
	ioctlQuery        = 0xC0106479

	// On a stream.
	ioctlEnable  = 0x6900
	ioctlDisable = 0x6901
	ioctlConfig  = 0x6902

	paramChipsetID   = 4
	paramRevision    = 32
	paramCSFrequency = 51
	paramPerfRev     = 54
	paramOAFrequency = 57

	queryTopology = 1
	queryEngines  = 2

	openCloexec  = 1
	openNonblock = 2
	openDisabled = 4

	propSampleOA   = 2
	propMetricsSet = 3
	propFormat     = 4
	propExponent   = 5
	propSSEU       = 7
	propPollPeriod = 8

	propEngineClass    = 9
	propEngineInstance = 10

	revConfig     = 2 // perf revision that brought ioctlConfig
	revSSEU       = 4 // and propSSEU
	revPollPeriod = 5 // and propPollPeriod
	revMedia      = 7 // and OA units of media engines

	// regTimestamp is the render engine's TIMESTAMP register; its lowest bit asks for the one read of 64 bits of which
	// hardware gives 36.
	regTimestamp = 0x2358 | 1
)

// getParam must match struct drm_i915_getparam.
type getParam struct {
	param int32
	_     uint32
	value uint64 // address of an int32
}

// regRead must match struct drm_i915_reg_read.
type regRead struct{ offset, val uint64 }

// perfOpen must match struct drm_i915_perf_open_param.
type perfOpen struct {
	flags         uint32
	numProperties uint32
	properties    uint64 // address of pairs of uint64
}

// perfConfig must match struct drm_i915_perf_oa_config.
type perfConfig struct {
	uuid                           [36]byte
	nMux, nBoolean, nFlex          uint32
	muxAddr, booleanAddr, flexAddr uint64 // addresses of pairs of uint32
}

// query must match struct drm_i915_query.
type query struct {
	numItems uint32
	flags    uint32
	items    uint64 // address of queryItem
}

// queryItem must match struct drm_i915_query_item.
type queryItem struct {
	id     uint64
	length int32 // 0 asks for it; negative is the item's error
	flags  uint32
	data   uint64
}
