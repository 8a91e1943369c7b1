package intel

import (
	"fmt"
	"math/bits"
	"slices"
)

// Part is the silicon: identity and what is not fused off. Masks are told by slice as the driver i915 has them: Kaby
// Lake's has 3 slices of 4 subslices at most, whatever the part, and DG2 and Meteor Lake have their Xe-cores in one.
type Part struct {
	Sets        string     `json:"sets"` // column part of sets.csv; empty where none are published
	Version     int        `json:"version"`
	DeviceID    uint32     `json:"device_id"`
	Revision    uint32     `json:"revision"`
	TimestampHz uint64     `json:"timestamp_hz"` // of the OA units
	Shift       int        `json:"shift"`        // an engine's clock has that many bits less
	MaxSlices   int        `json:"max_slices"`
	MaxCores    int        `json:"max_subslices"` // in a slice
	MaxEUs      int        `json:"max_eus"`
	Slices      uint64     `json:"slice_mask"`
	Cores       []uint64   `json:"subslice_masks"` // by slice
	EUs         [][]uint64 `json:"eu_masks"`       // by slice and subslice
	L3Banks     uint64     `json:"l3_bank_mask"`
	MinMHz      int        `json:"min_mhz"`
	MaxMHz      int        `json:"max_mhz"`
	Ratio       uint64     `json:"clock_ratio"` // of the clock at which the workload runs, in units of 50/3 MHz
	Discrete    bool       `json:"discrete,omitempty"`

	TotalSlices int `json:"slices"`
	TotalCores  int `json:"subslices"` // or Xe-cores
	TotalEUs    int `json:"eus"`
	group       int // Xe-cores that make a slice, where drivers tell of one slice; 0: they tell of slices
}

// parts are the GPUs in full. Every slice of one has the same subslices.
var parts = map[string]struct {
	Part
	cores uint64
}{
	"kblgt2": {Part{Version: 900, DeviceID: 0x5916, Revision: 2, TimestampHz: 12_000_000, MaxSlices: 3, MaxCores: 4,
		MaxEUs: 8, Slices: 1, MinMHz: 300, MaxMHz: 1150, Ratio: 63}, 7},
	"kblgt3": {Part{Version: 900, DeviceID: 0x5926, Revision: 6, TimestampHz: 12_000_000, MaxSlices: 3, MaxCores: 4,
		MaxEUs: 8, Slices: 3, MinMHz: 300, MaxMHz: 1050, Ratio: 63}, 7},
	"tglgt2": {Part{Version: 1200, DeviceID: 0x9a49, Revision: 1, TimestampHz: 19_200_000, MaxSlices: 1, MaxCores: 6,
		MaxEUs: 16, Slices: 1, L3Banks: 0xff, MinMHz: 300, MaxMHz: 1300, Ratio: 63}, 0x3f},
	"acmgt3": {Part{Version: 1255, DeviceID: 0x56a0, Revision: 8, TimestampHz: 38_400_000, Shift: 1, MaxSlices: 1,
		MaxCores: 32, MaxEUs: 16, Slices: 1, L3Banks: 0xffff, MinMHz: 300, MaxMHz: 2400, Ratio: 126, Discrete: true,
		group: 4}, 0xffffffff},
	"mtlgt3": {Part{Version: 1270, DeviceID: 0x7d55, Revision: 8, TimestampHz: 38_400_000, Shift: 1, MaxSlices: 1,
		MaxCores: 8, MaxEUs: 16, Slices: 1, L3Banks: 0xff, MinMHz: 100, MaxMHz: 2250, Ratio: 117, group: 4}, 0xff},
	"lnl": {Part{Version: 2004, DeviceID: 0x64a0, Revision: 4, TimestampHz: 19_200_000, MaxSlices: 2, MaxCores: 4,
		MaxEUs: 8, Slices: 3, L3Banks: 0xff, MinMHz: 400, MaxMHz: 2050, Ratio: 111}, 0xf},
	"bmg": {Part{Version: 2001, DeviceID: 0xe20b, TimestampHz: 19_200_000, MaxSlices: 5, MaxCores: 4, MaxEUs: 8,
		Slices: 0x1f, L3Banks: 0xffffff, MinMHz: 400, MaxMHz: 2850, Ratio: 160, Discrete: true}, 0xf},
	"ptl": {Part{Version: 3000, DeviceID: 0xb080, TimestampHz: 19_200_000, MaxSlices: 2, MaxCores: 6, MaxEUs: 8,
		Slices: 3, L3Banks: 0xff, MinMHz: 400, MaxMHz: 2400, Ratio: 120}, 0x3f},
}

// NewPart is the GPU of a name in scenarios.
func NewPart(sets string, has func(string) bool) *Part {
	full := parts[sets]
	p := &full.Part
	if p.Sets = sets; p.Version == 0 {
		panic(fmt.Sprintf("no part %q", sets))
	}
	p.Cores, p.EUs = make([]uint64, p.MaxSlices), make([][]uint64, p.MaxSlices)
	for s := range p.MaxSlices {
		p.EUs[s] = make([]uint64, p.MaxCores)
		if p.Slices>>s&1 == 0 {
			continue
		}
		p.Cores[s] = full.cores
		for c := range p.MaxCores {
			if full.cores>>c&1 != 0 {
				p.EUs[s][c] = 1<<p.MaxEUs - 1
			}
		}
	}
	switch {
	case has("gt1"): // for which no metric sets are published
		p.DeviceID, p.Sets = 0x5902, ""
		p.Cores[0], p.EUs[0] = 3, []uint64{0x3f, 0x3f, 0, 0}
	case !has("fused"):
	case p.Version < 1255:
		p.EUs[0][0] &^= 4
		p.EUs[0][1] &^= 0x80
		if p.Slices&2 != 0 {
			// Gen9's fuses switch a subslice off in every slice or in none: that is why old kernels tell of one mask
			// for all slices.
			for s := range 2 {
				p.Cores[s], p.EUs[s][2] = 3, 0
			}
		}
	default:
		// One mask of vector engines holds for all Xe-cores, of which the sixth is gone, and so are four banks of L3.
		p.L3Banks &^= 0xf0
		s, c := 5/p.MaxCores, 5%p.MaxCores
		p.Cores[s] &^= 1 << c
		for s := range p.EUs {
			for i := range p.EUs[s] {
				p.EUs[s][i] &^= 1 << (p.MaxEUs - 1)
			}
		}
		p.EUs[s][c] = 0
	}
	for s := range p.EUs {
		p.TotalCores += bits.OnesCount64(p.Cores[s])
		p.TotalSlices += int(p.Slices >> s & 1)
		for _, mask := range p.EUs[s] {
			p.TotalEUs += bits.OnesCount64(mask)
		}
	}
	if p.group > 0 {
		p.TotalSlices = 0
		for m := p.CoreMask(); m != 0; m >>= p.group {
			if m&(1<<p.group-1) != 0 {
				p.TotalSlices++
			}
		}
	}
	return p
}

// CoreMask has the Xe-cores of all slices in one mask, as the driver xe tells them.
func (p *Part) CoreMask() (m uint64) {
	for s, cores := range p.Cores {
		m |= cores << (s * p.MaxCores)
	}
	return m
}

// EUMask is the mask of the first Xe-core that is there, which holds for all of them as xe tells it.
func (p *Part) EUMask() uint64 {
	for _, slice := range p.EUs {
		for _, mask := range slice {
			if mask != 0 {
				return mask
			}
		}
	}
	return 0
}

// Xe2 says whether the units have the programmable event counters of Lunar Lake and later.
func (p *Part) Xe2() bool { return p.Version >= 2000 }

// MHz is the clock at which the workload runs.
func (p *Part) MHz() int { return int(p.Ratio) * 50 / 3 }

// clocks is how many GPU clocks pass in a tick of the timestamp at a clock ratio of 1, which is 50/3 MHz.
func (p *Part) clocks() ratio {
	up, down := uint64(50_000_000), 3*p.TimestampHz
	a, b := up, down
	for b != 0 {
		a, b = b, a%b
	}
	return ratio{up / a, down / a}
}

// ratio is a fraction.
type ratio struct{ up, down uint64 }

// Engine is an engine of the GPU: its class and number, which both drivers number alike, and its GT.
type Engine struct {
	Class, Instance, GT uint16
}

// Classes of engines, and GTs.
const (
	Render, Copy, VideoDecode, VideoEnhance, Compute = 0, 1, 2, 3, 4

	MainGT, MediaGT = 0, 1
)

// Unit is an OA unit: the one for render and compute, or one of the media GT.
type Unit struct {
	ID      int
	GT      uint16
	Media   bool
	Select  uint32 // the first register that selects events of its MPEC, of a media unit
	SAG     bool   // the unit of a media GT that has no engines of its own
	Engines []Engine
}

// Has says whether the unit counts for an engine.
func (u *Unit) Has(class, instance uint64) bool {
	return slices.ContainsFunc(u.Engines, func(e Engine) bool {
		return uint64(e.Class) == class && uint64(e.Instance) == instance
	})
}

// Registers that select events of media units: of the GT's own (SAG), and of its slices.
const (
	SelectSAG   = 0x393200
	SelectSCMI0 = 0x394200
	SelectSCMI1 = 0x394a00
)
