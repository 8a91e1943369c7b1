package i915

import (
	"fmt"
	"strconv"
	"strings"

	"astrolabe/capture/decode/oa"
)

const vendorIntel = 0x8086

// part is what the PCI device number says about a GPU.
type part struct {
	id uint32
	gt int // 1 to 4: the size of the GPU within Kaby Lake; 0 for other GPUs
}

func partOf(device uint64) part {
	p := part{id: uint32(device)}
	d, ok := oa.DeviceByID(p.id)
	if _, tier, kaby := strings.Cut(d.Name, "Kaby Lake GT"); ok && kaby {
		p.gt, _ = strconv.Atoi(tier)
	}
	// Amber Lake has its GPU.
	if gt, kaby := strings.CutPrefix(d.Catalogue, "intel-kbl-gt"); kaby {
		p.gt, _ = strconv.Atoi(gt)
	}
	return p
}

// measurable says whether Intel published metric sets for the part.
func (p part) measurable() bool { return p.gt == 2 || p.gt == 3 }

// catalogue is the id of the part's catalogue of metrics.
func (p part) catalogue() string { return fmt.Sprintf("intel-kbl-gt%d", p.gt) }

// platform stands for the part in the table of registers.
func (p part) platform() string { return fmt.Sprintf("kblgt%d", p.gt) }

func (p part) title() string { return oa.DeviceName(p.id) }
