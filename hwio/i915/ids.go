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

// firstUnread is the version of the first GPUs whose OA units this reader does not drive: DG2's reports have another
// layout, and Meteor Lake has a second unit.
const firstUnread = 1255

// measurable says whether Intel published metric sets for the part, of reports that are read here.
func (p part) measurable() bool {
	d, ok := oa.DeviceByID(p.id)
	return ok && p.catalogue != "" && d.Version < firstUnread
}

// kabyLake says whether the part is one whose flexible EU counters and test set are known in full.
func (p part) kabyLake() bool { return strings.HasPrefix(p.catalogue, "intel-kbl-") }

// platform stands for the part in the table of registers: "kblgt2", "tglgt2".
func (p part) platform() string {
	return strings.ReplaceAll(strings.TrimPrefix(p.catalogue, "intel-"), "-", "")
}

func (p part) title() string { return oa.DeviceName(p.id) }
