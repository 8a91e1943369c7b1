package xe

// Numbers of the driver's interface, from drm/xe_drm.h. Request numbers are those of every 64-bit Linux.
const (
	ioctlDeviceQuery = 0xC0286440
	ioctlObservation = 0x4020644B

	// On a stream.
	ioctlEnable  = 0x6900
	ioctlDisable = 0x6901
	ioctlConfig  = 0x6902
	ioctlStatus  = 0x6903

	queryEngines  = 0
	queryConfig   = 2
	queryGTs      = 3
	queryTopology = 5
	queryCycles   = 6
	queryOAUnits  = 8

	observeOA      = 0
	opStreamOpen   = 0
	opAddConfig    = 1
	opRemoveConfig = 2

	propUnit     = 1
	propSample   = 2
	propSet      = 3
	propFormat   = 4
	propExponent = 5
	propDisabled = 6
	propEngine   = 8

	statusLost     = 1
	statusOverflow = 2
	statusCounter  = 4
	statusTrigger  = 8

	// Kinds of OA units: for render and compute, of a media slice, and the media GT's own.
	unitOAG, unitOAM, unitSAG = 0, 1, 2

	// Masks of the topology.
	topoGeometry, topoCompute, topoL3, topoEU, topoEU16 = 1, 2, 3, 4, 5

	gtMain = 0
)

// deviceQuery must match struct drm_xe_device_query.
type deviceQuery struct {
	extensions  uint64
	query, size uint32
	data        uint64
	reserved    [2]uint64
}

// observation must match struct drm_xe_observation_param.
type observation struct{ extensions, kind, op, param uint64 }

// setProperty must match struct drm_xe_ext_set_property.
type setProperty struct {
	next           uint64
	name, pad      uint32
	property, pad2 uint32
	value          uint64
	reserved       [2]uint64
}

// oaConfig must match struct drm_xe_oa_config.
type oaConfig struct {
	extensions uint64
	uuid       [36]byte
	nRegs      uint32
	regs       uint64 // address of pairs of uint32
}

// streamStatus must match struct drm_xe_oa_stream_status.
type streamStatus struct {
	extensions, status uint64
	reserved           [3]uint64
}

// engine must match struct drm_xe_engine_class_instance.
type engine struct{ class, instance, gt, pad uint16 }

// engineCycles must match struct drm_xe_query_engine_cycles.
type engineCycles struct {
	eci          engine
	clockid      int32
	width        uint32
	cycles       uint64
	cpuTimestamp uint64
	cpuDelta     uint64
}
