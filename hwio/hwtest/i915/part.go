package i915

import "math/bits"

// Part is the silicon: identity and what is not fused off. Kaby Lake's driver reports 3 slices of 4 subslices of 8 EUs
// at most, whatever the part, and Tiger Lake's 1 slice of 6 dual subslices of 16 EUs.
type Part struct {
	Gen            int                             `json:"gen"`
	DeviceID       uint32                          `json:"device_id"`
	Revision       uint32                          `json:"revision"`
	TimestampHz    uint64                          `json:"timestamp_hz"`
	MaxSlices      int                             `json:"max_slices"`
	MaxSubslices   int                             `json:"max_subslices"`
	MaxEUs         int                             `json:"max_eus"`
	Slices         uint8                           `json:"slice_mask"`
	Subslices      [maxSlices]uint8                `json:"subslice_masks"`
	EUs            [maxSlices][maxSubslices]uint16 `json:"eu_masks"`
	MinMHz         int                             `json:"min_mhz"`
	MaxMHz         int                             `json:"max_mhz"`
	Sets           string                          `json:"sets"` // column part of sets.csv; empty where none are published
	TotalEUs       int                             `json:"eus"`
	TotalSubslices int                             `json:"subslices"`
}

// The most that any part has.
const (
	maxSlices    = 3
	maxSubslices = 6
)

func newPart(sets string, has func(string) bool) *Part {
	p := &Part{Gen: 9, DeviceID: 0x5916, Revision: 2, TimestampHz: 12_000_000, MaxSlices: 3, MaxSubslices: 4, MaxEUs: 8,
		Slices: 1, MinMHz: 300, MaxMHz: 1150, Sets: sets}
	subslices := 3
	switch sets {
	case "kblgt3":
		p.DeviceID, p.Revision, p.Slices, p.MaxMHz = 0x5926, 6, 3, 1050
	case "tglgt2":
		p.Gen, p.DeviceID, p.Revision, p.TimestampHz, p.MaxMHz = 12, 0x9a49, 1, 19_200_000, 1300
		p.MaxSlices, p.MaxSubslices, p.MaxEUs, subslices = 1, 6, 16, 6
	}
	if has("gt1") {
		p.DeviceID, p.Slices, p.Sets = 0x5902, 1, ""
	}
	for s := range p.MaxSlices {
		if p.Slices>>s&1 == 0 {
			continue
		}
		p.Subslices[s] = 1<<subslices - 1
		for ss := range subslices {
			p.EUs[s][ss] = 1<<p.MaxEUs - 1
		}
	}
	switch {
	case has("gt1"):
		p.Subslices[0] = 3
		p.EUs[0] = [maxSubslices]uint16{0x3f, 0x3f}
	case has("fused"):
		p.EUs[0][0] &^= 4
		p.EUs[0][1] &^= 0x80
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
			p.TotalEUs += bits.OnesCount16(p.EUs[s][ss])
		}
	}
	return p
}

// clocks is how many GPU clocks pass in a tick of the timestamp at a clock ratio of 1, which is 50/3 MHz.
func (p *Part) clocks() ratio {
	if p.TimestampHz == 19_200_000 {
		return ratio{125, 144}
	}
	return ratio{25, 18} // at 12 MHz
}
