package mali

import (
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// Product is a GPU design.
type Product struct {
	Name         string // marketing name, such as "Immortalis-G720"
	Codename     string // of the kernel driver; "" if unknown
	Architecture string // such as "Valhall"
	CSF          bool   // command stream front-end; else job manager
	Layout       string // counter layout, such as "Mali-G715"; products of one layout have equal counters
	Values       int    // per block
	WarpWidth    int    // threads that run in step; 0 where that does not apply
	OldBlocks    bool   // the 32-bit dump has the arrangement of the first GPUs
}

// Catalogue is the id of the catalogue whose counters the product has, "" where there is none.
func (p *Product) Catalogue() string {
	f, _ := metrics.FamilyOf("", capture.Device{Name: p.Name})
	return f.Catalogue
}

// ID is a decoded GPU id register.
type ID struct {
	Raw                     uint64
	Midgard                 bool
	ArchMajor, ArchMinor    int
	ProductMajor            int
	Revision, RevisionMinor int // the r and p of r0p1
	key                     uint32
}

// ParseID decodes the register, in its old form of 32 bits or its new one of 64 bits.
func ParseID(raw uint64) ID {
	id := ID{Raw: raw}
	if raw>>32 != 0 && raw>>28&0xf == 0xf {
		id.ArchMajor, id.ArchMinor, id.ProductMajor = int(raw>>56), int(raw>>48&0xff), int(raw>>32&0xff)
		id.key = uint32(id.ArchMajor)<<12 | uint32(id.ProductMajor)
		return id
	}
	product := uint32(raw >> 16 & 0xffff)
	id.Revision, id.RevisionMinor = int(raw>>12&0xf), int(raw>>4&0xff)
	if product == 0x6956 || product < 0x1000 {
		id.Midgard, id.key = true, product
		return id
	}
	id.ArchMajor, id.ArchMinor, id.ProductMajor = int(product>>12), int(product>>8&0xf), int(product&0xf)
	id.key = product & 0xf00f
	return id
}

// product finds the design; one id can be several, told apart by the number of cores. ok is false for an id that this
// version does not know.
func (id ID) product(cores int) (p Product, ok bool) {
	if id.Midgard {
		m, known := midgard[id.key]
		return Product{Name: m.name, Architecture: "Midgard", Layout: m.name, Values: 64, OldBlocks: m.old}, known
	}
	for _, row := range products {
		if row.key == id.key && (!ok || row.minCores <= cores) {
			p, ok = row.p, true
		}
	}
	return p, ok
}

// Older is the design of the table that comes before an id which it does not know: the nearest of its architecture, or
// else of the one before. Whether the unknown one counts as that does, nobody knows. ok is false where there is none.
func (id ID) Older(cores int) (p Product, ok bool) {
	if id.Midgard {
		return Product{}, false
	}
	near := ID{}
	for _, row := range products {
		if row.key < id.key && row.key >= near.key {
			near.key = row.key
		}
	}
	return near.product(cores)
}

// String is the id in hexadecimal, with the architecture.
func (id ID) String() string {
	switch {
	case id.Midgard:
		return fmt.Sprintf("%#08x (Midgard)", id.Raw)
	case id.Raw>>32 != 0:
		return fmt.Sprintf("%#016x (architecture %d.%d)", id.Raw, id.ArchMajor, id.ArchMinor)
	}
	return fmt.Sprintf("%#08x (architecture %d.%d)", id.Raw, id.ArchMajor, id.ArchMinor)
}
