package xe

import "math/bits"

// Part is the silicon: identity and what is not fused off. Vector engines are told by one mask for all Xe-cores, as the
// driver tells them.
type Part struct {
	DeviceID uint32 `json:"device_id"`
	Revision uint32 `json:"revision"`
	Cores    uint64 `json:"xe_core_mask"` // over all slices, four to each
	Engines  uint64 `json:"vector_engine_mask"`
	L3Banks  uint64 `json:"l3_bank_mask"`
	MinMHz   int    `json:"min_mhz"`
	MaxMHz   int    `json:"max_mhz"`

	TotalSlices  int `json:"slices"`
	TotalCores   int `json:"xe_cores"`
	TotalEngines int `json:"vector_engines"`
}

const coresPerSlice = 4

func newPart(fused bool) *Part {
	p := &Part{DeviceID: 0x64a0, Revision: 4, Cores: 0xff, Engines: 0xff, L3Banks: 0xff, MinMHz: 400, MaxMHz: 2050}
	if fused {
		p.Cores, p.Engines = 0xdf, 0x7f
	}
	for s := range 2 {
		if p.Cores>>(coresPerSlice*s)&(1<<coresPerSlice-1) != 0 {
			p.TotalSlices++
		}
	}
	p.TotalCores = bits.OnesCount64(p.Cores)
	p.TotalEngines = p.TotalCores * bits.OnesCount64(p.Engines)
	return p
}

// engine is an engine of the GPU as the driver names it.
type engine struct {
	class, instance, gt uint16
}

// Numbers of the GTs, and of engine classes (DRM_XE_ENGINE_CLASS_*).
const (
	gtMain, gtMedia = 0, 1

	classRender, classCopy, classDecode, classEnhance, classCompute = 0, 1, 2, 3, 4
)

var engines = []engine{
	{classRender, 0, gtMain}, {classCopy, 0, gtMain}, {classCompute, 0, gtMain}, {classDecode, 0, gtMedia},
	{classEnhance, 0, gtMedia},
}

// unit is an OA unit.
type unit struct {
	id, kind int // DRM_XE_OA_UNIT_TYPE_*
	gt       uint16
	media    bool
	engines  []engine
}

// Kinds of OA units.
const (
	unitOAG, unitOAM, unitSAG = 0, 1, 2
)

// newUnits are the units in the order in which the driver lists them.
func newUnits(kernel7 bool) []*unit {
	u := []*unit{{kind: unitOAG, gt: gtMain, engines: []engine{engines[0], engines[2]}}}
	if kernel7 {
		u = append(u, &unit{kind: unitSAG, gt: gtMedia, media: true})
	}
	u = append(u, &unit{kind: unitOAM, gt: gtMedia, media: true, engines: engines[3:]})
	for i := range u {
		u[i].id = i
	}
	return u
}
