package i915

import (
	"fmt"
	"slices"

	"astrolabe/capture/decode/oa"
)

const vendorIntel = 0x8086

// part is what the PCI device number says about a GPU.
type part struct {
	id uint32
	gt int // 1 to 4: the size of the GPU within Kaby Lake; 0 for other GPUs
}

func partOf(device uint64) part {
	for gt, ids := range oa.KabyLake {
		if slices.Contains(ids, uint32(device)) {
			return part{uint32(device), gt}
		}
	}
	return part{id: uint32(device)}
}

// measurable says whether Intel published metric sets for the part.
func (p part) measurable() bool { return p.gt == 2 || p.gt == 3 }

// catalogue is the id of the part's catalogue of metrics.
func (p part) catalogue() string { return fmt.Sprintf("intel-kbl-gt%d", p.gt) }

// platform stands for the part in the table of registers.
func (p part) platform() string { return fmt.Sprintf("kblgt%d", p.gt) }

func (p part) title() string { return oa.DeviceName(p.id) }
