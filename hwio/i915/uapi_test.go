package i915

import (
	"testing"
	"unsafe"

	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/oaregisters"
)

func TestRequestNumbersAreTheKernels(t *testing.T) {
	for name, ours := range map[string]uint32{
		"DRM_IOCTL_I915_GETPARAM": ioctlGetParam, "DRM_IOCTL_I915_REG_READ": ioctlRegRead, "DRM_IOCTL_I915_PERF_OPEN": ioctlPerfOpen,
		"DRM_IOCTL_I915_PERF_ADD_CONFIG": ioctlAddConfig, "DRM_IOCTL_I915_PERF_REMOVE_CONFIG": ioctlRemoveConfig, "DRM_IOCTL_I915_QUERY": ioctlQuery,
		"I915_PERF_IOCTL_ENABLE": ioctlEnable, "I915_PERF_IOCTL_DISABLE": ioctlDisable, "I915_PERF_IOCTL_CONFIG": ioctlConfig,
	} {
		if got := uapi.Ioctl(name); got != ours {
			t.Errorf("%s is %#x, the kernel has %#x", name, ours, got)
		}
	}
}

func TestConstantsAreTheKernels(t *testing.T) {
	for name, ours := range map[string]int64{
		"I915_PARAM_CHIPSET_ID": paramChipsetID, "I915_PARAM_REVISION": paramRevision, "I915_PARAM_CS_TIMESTAMP_FREQUENCY": paramCSFrequency,
		"I915_PARAM_PERF_REVISION": paramPerfRev, "I915_PARAM_OA_TIMESTAMP_FREQUENCY": paramOAFrequency, "I915_PARAM_SUBSLICE_TOTAL": paramSubsliceTotal,
		"I915_PARAM_EU_TOTAL": paramEUTotal, "I915_PARAM_SLICE_MASK": paramSliceMask, "I915_PARAM_SUBSLICE_MASK": paramSubsliceMask,
		"DRM_I915_QUERY_TOPOLOGY_INFO": queryTopology, "I915_PERF_FLAG_FD_CLOEXEC": openCloexec, "I915_PERF_FLAG_FD_NONBLOCK": openNonblock,
		"I915_PERF_FLAG_DISABLED": openDisabled, "DRM_I915_PERF_PROP_SAMPLE_OA": propSampleOA, "DRM_I915_PERF_PROP_OA_METRICS_SET": propMetricsSet,
		"DRM_I915_PERF_PROP_OA_FORMAT": propFormat, "DRM_I915_PERF_PROP_OA_EXPONENT": propExponent, "DRM_I915_PERF_PROP_POLL_OA_PERIOD": propPollPeriod, "DRM_I915_PERF_PROP_GLOBAL_SSEU": propSSEU,
		"DRM_I915_PERF_PROP_OA_ENGINE_CLASS": propEngineClass, "DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE": propEngineInstance, "DRM_I915_QUERY_ENGINE_INFO": queryEngines,
		"I915_ENGINE_CLASS_RENDER": intel.ClassRender, "I915_ENGINE_CLASS_VIDEO": intel.ClassVideoDecode, "I915_ENGINE_CLASS_VIDEO_ENHANCE": intel.ClassVideoEnhance,
		"I915_ENGINE_CLASS_COPY": intel.ClassCopy, "I915_ENGINE_CLASS_COMPUTE": intel.ClassCompute,
	} {
		if got := uapi.Const(name); got != ours {
			t.Errorf("%s is %d, the kernel has %d", name, ours, got)
		}
	}
}

func TestStructuresAreTheKernels(t *testing.T) {
	var p getParam
	var r regRead
	var o perfOpen
	var c perfConfig
	var q query
	var i queryItem
	var u sseu
	for name, ours := range map[string]struct {
		size   uintptr
		fields map[string]uintptr
	}{
		"drm_i915_getparam":        {unsafe.Sizeof(p), map[string]uintptr{"param": unsafe.Offsetof(p.param), "value": unsafe.Offsetof(p.value)}},
		"drm_i915_reg_read":        {unsafe.Sizeof(r), map[string]uintptr{"offset": unsafe.Offsetof(r.offset), "val": unsafe.Offsetof(r.val)}},
		"drm_i915_perf_open_param": {unsafe.Sizeof(o), map[string]uintptr{"flags": unsafe.Offsetof(o.flags), "num_properties": unsafe.Offsetof(o.numProperties), "properties_ptr": unsafe.Offsetof(o.properties)}},
		"drm_i915_perf_oa_config": {unsafe.Sizeof(c), map[string]uintptr{
			"uuid": unsafe.Offsetof(c.uuid), "n_mux_regs": unsafe.Offsetof(c.nMux), "n_boolean_regs": unsafe.Offsetof(c.nBoolean), "n_flex_regs": unsafe.Offsetof(c.nFlex),
			"mux_regs_ptr": unsafe.Offsetof(c.muxAddr), "boolean_regs_ptr": unsafe.Offsetof(c.booleanAddr), "flex_regs_ptr": unsafe.Offsetof(c.flexAddr),
		}},
		"drm_i915_gem_context_param_sseu": {unsafe.Sizeof(u), map[string]uintptr{"engine": unsafe.Offsetof(u.class), "flags": unsafe.Offsetof(u.flags),
			"slice_mask": unsafe.Offsetof(u.slices), "subslice_mask": unsafe.Offsetof(u.subslices), "min_eus_per_subslice": unsafe.Offsetof(u.minEUs),
			"max_eus_per_subslice": unsafe.Offsetof(u.maxEUs)}},
		"drm_i915_query":             {unsafe.Sizeof(q), map[string]uintptr{"num_items": unsafe.Offsetof(q.numItems), "flags": unsafe.Offsetof(q.flags), "items_ptr": unsafe.Offsetof(q.items)}},
		"drm_i915_query_item":        {unsafe.Sizeof(i), map[string]uintptr{"query_id": unsafe.Offsetof(i.id), "length": unsafe.Offsetof(i.length), "flags": unsafe.Offsetof(i.flags), "data_ptr": unsafe.Offsetof(i.data)}},
		"drm_i915_query_engine_info": {enginesHead, map[string]uintptr{"num_engines": 0}},
		"drm_i915_engine_info":       {engineSize, map[string]uintptr{"engine": 0}},
		"drm_i915_query_topology_info": {topologyHeader, map[string]uintptr{
			"max_slices": 2, "max_subslices": 4, "max_eus_per_subslice": 6, "subslice_offset": 8, "subslice_stride": 10, "eu_offset": 12, "eu_stride": 14,
		}},
	} {
		s := uapi.Struct(name)
		if s.Size != int(ours.size) {
			t.Errorf("%s has %d bytes, the kernel's %d", name, ours.size, s.Size)
		}
		for f, off := range ours.fields {
			if k, ok := s.Fields[f]; !ok || k.Offset != int(off) {
				t.Errorf("%s.%s is at %d, the kernel's at %d", name, f, off, k.Offset)
			}
		}
	}
	if register := (oaregisters.Register{}); unsafe.Sizeof(register) != 8 {
		t.Errorf("a register write has %d bytes", unsafe.Sizeof(register))
	}
}
