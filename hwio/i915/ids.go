package i915

import (
	"strings"

	"astrolabe/capture/decode/oa"
)

const vendorIntel = 0x8086

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

// Versions of graphics: of DG2, and of Meteor Lake.
const (
	versionDG2 = 1255
	versionMTL = 1270
)

// version is that of the part's graphics, times 100.
func (p part) version() int {
	d, _ := oa.DeviceByID(p.id)
	return d.Version
}

// measurable says whether Intel published metric sets for the part, and i915 drives it.
func (p part) measurable() bool {
	v := p.version()
	return v > 0 && p.catalogue != "" && (v <= versionDG2 || v == versionMTL)
}

// kabyLake says whether the part is one whose flexible EU counters and test set are known in full.
func (p part) kabyLake() bool { return strings.HasPrefix(p.catalogue, "intel-kbl-") }

// platform stands for the part in the table of registers: "kblgt2", "tglgt2".
func (p part) platform() string {
	return strings.ReplaceAll(strings.TrimPrefix(p.catalogue, "intel-"), "-", "")
}

func (p part) title() string { return oa.DeviceName(p.id) }
