package i915

import "math/bits"

// Part is the silicon: identity and what is not fused off. Kaby Lake's driver reports 3 slices of 4 subslices of 8 EUs
// at most, whatever the part.
type Part struct {
	DeviceID       uint32                         `json:"device_id"`
	Revision       uint32                         `json:"revision"`
	Slices         uint8                          `json:"slice_mask"`
	Subslices      [maxSlices]uint8               `json:"subslice_masks"`
	EUs            [maxSlices][maxSubslices]uint8 `json:"eu_masks"`
	MinMHz         int                            `json:"min_mhz"`
	MaxMHz         int                            `json:"max_mhz"`
	Sets           string                         `json:"sets"` // column part of sets.csv; empty where none are published
	TotalEUs       int                            `json:"eus"`
	TotalSubslices int                            `json:"subslices"`
}

const (
	maxSlices    = 3
	maxSubslices = 4
	maxEUs       = 8
	timestampHz  = 12_000_000
)

func newPart(sets string, has func(string) bool) *Part {
	p := &Part{DeviceID: 0x5916, Revision: 2, Slices: 1, MinMHz: 300, MaxMHz: 1150, Sets: sets}
	if sets == "kblgt3" {
		p.DeviceID, p.Revision, p.Slices, p.MaxMHz = 0x5926, 6, 3, 1050
	}
	if has("gt1") {
		p.DeviceID, p.Slices, p.Sets = 0x5902, 1, ""
	}
	for s := range maxSlices {
		if p.Slices>>s&1 == 0 {
			continue
		}
		p.Subslices[s] = 7
		for ss := range 3 {
			p.EUs[s][ss] = 0xff
		}
	}
	switch {
	case has("gt1"):
		p.Subslices[0] = 3
		p.EUs[0] = [maxSubslices]uint8{0x3f, 0x3f}
	case has("fused"):
		p.EUs[0][0] = 0xfb
		p.EUs[0][1] = 0x7f
		if p.Slices&2 != 0 {
			// Gen9's fuses switch a subslice off in every slice or in none: that is why old kernels tell of one mask
			// for all slices.
			for s := range 2 {
				p.Subslices[s], p.EUs[s][2] = 3, 0
			}
		}
	}
	for s := range maxSlices {
		p.TotalSubslices += bits.OnesCount8(p.Subslices[s])
		for ss := range maxSubslices {
			p.TotalEUs += bits.OnesCount8(p.EUs[s][ss])
		}
	}
	return p
}
