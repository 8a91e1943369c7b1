package xe

import (
	"testing"
	"unsafe"

	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/oaregisters"
)

// Structures and numbers are typed from the reference; the tables are those of the headers.
func TestStructuresAreTheKernels(t *testing.T) {
	var (
		q  deviceQuery
		o  observation
		p  setProperty
		c  oaConfig
		s  streamStatus
		e  engine
		cy engineCycles
	)
	for name, ours := range map[string]struct {
		size   uintptr
		fields map[string]uintptr
	}{
		"drm_xe_device_query": {unsafe.Sizeof(q), map[string]uintptr{"extensions": unsafe.Offsetof(q.extensions), "query": unsafe.Offsetof(q.query),
			"size": unsafe.Offsetof(q.size), "data": unsafe.Offsetof(q.data), "reserved": unsafe.Offsetof(q.reserved)}},
		"drm_xe_observation_param": {unsafe.Sizeof(o), map[string]uintptr{"extensions": unsafe.Offsetof(o.extensions),
			"observation_type": unsafe.Offsetof(o.kind), "observation_op": unsafe.Offsetof(o.op), "param": unsafe.Offsetof(o.param)}},
		"drm_xe_ext_set_property": {unsafe.Sizeof(p), map[string]uintptr{"base": unsafe.Offsetof(p.next), "property": unsafe.Offsetof(p.property),
			"pad": unsafe.Offsetof(p.pad2), "value": unsafe.Offsetof(p.value), "reserved": unsafe.Offsetof(p.reserved)}},
		"drm_xe_oa_config": {unsafe.Sizeof(c), map[string]uintptr{"extensions": unsafe.Offsetof(c.extensions), "uuid": unsafe.Offsetof(c.uuid),
			"n_regs": unsafe.Offsetof(c.nRegs), "regs_ptr": unsafe.Offsetof(c.regs)}},
		"drm_xe_oa_stream_status": {unsafe.Sizeof(s), map[string]uintptr{"extensions": unsafe.Offsetof(s.extensions), "oa_status": unsafe.Offsetof(s.status)}},
		"drm_xe_engine_class_instance": {unsafe.Sizeof(e), map[string]uintptr{"engine_class": unsafe.Offsetof(e.class),
			"engine_instance": unsafe.Offsetof(e.instance), "gt_id": unsafe.Offsetof(e.gt)}},
		"drm_xe_query_engine_cycles": {unsafe.Sizeof(cy), map[string]uintptr{"eci": unsafe.Offsetof(cy.eci), "clockid": unsafe.Offsetof(cy.clockid),
			"width": unsafe.Offsetof(cy.width), "engine_cycles": unsafe.Offsetof(cy.cycles), "cpu_timestamp": unsafe.Offsetof(cy.cpuTimestamp),
			"cpu_delta": unsafe.Offsetof(cy.cpuDelta)}},
	} {
		k := uapi.Struct(name)
		if k.Size != int(ours.size) {
			t.Errorf("%s has %d bytes, the kernel's %d", name, ours.size, k.Size)
		}
		for f, off := range ours.fields {
			if x, ok := k.Fields[f]; !ok || x.Offset != int(off) {
				t.Errorf("%s.%s is at %d, the kernel's at %d", name, f, off, x.Offset)
			}
		}
	}
	if r := (oaregisters.Register{}); unsafe.Sizeof(r) != 8 {
		t.Errorf("a register write has %d bytes", unsafe.Sizeof(r))
	}
	for name, want := range map[string]int{"drm_xe_query_oa_units": unitsHead, "drm_xe_oa_unit": unitHead, "drm_xe_query_gt_list": gtsHead,
		"drm_xe_gt": gtSize, "drm_xe_query_config": configHead, "drm_xe_query_topology_mask": maskHead, "drm_xe_query_engines": enginesHead,
		"drm_xe_engine": engineEntry, "drm_xe_engine_class_instance": engineSize} {
		if got := uapi.Struct(name).Size; got != want {
			t.Errorf("%s has %d bytes, ours %d", name, got, want)
		}
	}
}

func TestNumbersAreTheKernels(t *testing.T) {
	for name, n := range map[string]uint32{"DRM_IOCTL_XE_DEVICE_QUERY": ioctlDeviceQuery, "DRM_IOCTL_XE_OBSERVATION": ioctlObservation,
		"DRM_XE_OBSERVATION_IOCTL_ENABLE": ioctlEnable, "DRM_XE_OBSERVATION_IOCTL_DISABLE": ioctlDisable,
		"DRM_XE_OBSERVATION_IOCTL_CONFIG": ioctlConfig, "DRM_XE_OBSERVATION_IOCTL_STATUS": ioctlStatus} {
		if k := uapi.Ioctl(name); k != n {
			t.Errorf("%s is %#x, the kernel's %#x", name, n, k)
		}
	}
	for name, n := range map[string]int64{"DRM_XE_DEVICE_QUERY_ENGINES": queryEngines, "DRM_XE_DEVICE_QUERY_CONFIG": queryConfig,
		"DRM_XE_DEVICE_QUERY_GT_LIST": queryGTs, "DRM_XE_DEVICE_QUERY_GT_TOPOLOGY": queryTopology, "DRM_XE_DEVICE_QUERY_ENGINE_CYCLES": queryCycles,
		"DRM_XE_DEVICE_QUERY_OA_UNITS": queryOAUnits, "DRM_XE_OBSERVATION_TYPE_OA": observeOA, "DRM_XE_OBSERVATION_OP_STREAM_OPEN": opStreamOpen,
		"DRM_XE_OBSERVATION_OP_ADD_CONFIG": opAddConfig, "DRM_XE_OBSERVATION_OP_REMOVE_CONFIG": opRemoveConfig,
		"DRM_XE_OA_PROPERTY_OA_UNIT_ID": propUnit, "DRM_XE_OA_PROPERTY_SAMPLE_OA": propSample, "DRM_XE_OA_PROPERTY_OA_METRIC_SET": propSet,
		"DRM_XE_OA_PROPERTY_OA_FORMAT": propFormat, "DRM_XE_OA_PROPERTY_OA_PERIOD_EXPONENT": propExponent, "DRM_XE_OA_PROPERTY_OA_DISABLED": propDisabled,
		"DRM_XE_OA_PROPERTY_OA_ENGINE_INSTANCE": propEngine, "DRM_XE_OASTATUS_REPORT_LOST": statusLost, "DRM_XE_OASTATUS_BUFFER_OVERFLOW": statusOverflow,
		"DRM_XE_OASTATUS_COUNTER_OVERFLOW": statusCounter, "DRM_XE_OASTATUS_MMIO_TRG_Q_FULL": statusTrigger, "DRM_XE_OA_UNIT_TYPE_OAG": unitOAG,
		"DRM_XE_OA_UNIT_TYPE_OAM": unitOAM, "DRM_XE_ENGINE_CLASS_RENDER": intel.ClassRender, "DRM_XE_ENGINE_CLASS_COPY": intel.ClassCopy,
		"DRM_XE_ENGINE_CLASS_COMPUTE": intel.ClassCompute, "DRM_XE_TOPO_DSS_GEOMETRY": topoGeometry, "DRM_XE_TOPO_DSS_COMPUTE": topoCompute,
		"DRM_XE_TOPO_L3_BANK": topoL3, "DRM_XE_TOPO_EU_PER_DSS": topoEU, "DRM_XE_TOPO_SIMD16_EU_PER_DSS": topoEU16} {
		if k := uapi.Const(name); k != n {
			t.Errorf("%s is %d, the kernel's %d", name, n, k)
		}
	}
}
