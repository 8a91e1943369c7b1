package xe

import (
	"strings"

	"astrolabe/capture/decode/oa"
)

// part is what the PCI device number says about a GPU.
type part struct {
	id        uint32
	catalogue string // of its metrics; "" where there is none
	why       string // there is none
}

func partOf(device uint64) part {
	p := part{id: uint32(device)}
	p.catalogue, p.why = oa.CatalogueOf(p.id)
	return p
}

// platform stands for the part in the table of registers: "lnl", "tglgt2".
func (p part) platform() string {
	return strings.ReplaceAll(strings.TrimPrefix(p.catalogue, "intel-"), "-", "")
}

func (p part) title() string { return oa.DeviceName(p.id) }
