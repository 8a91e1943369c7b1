package i915

import (
	"slices"
	"testing"

	"astrolabe/capture/metrics"
)

// kabyLakeOf is a GT2 or GT3.
func kabyLakeOf(gt int) *hardware {
	return &hardware{part: partOf(map[int]uint64{2: 0x5916, 3: 0x5926}[gt]), topology: &topology{}}
}

// everySet are the registers of every metric set of both parts.
func everySet(t *testing.T) []*setData {
	t.Helper()
	var out []*setData
	for _, gt := range []int{2, 3} {
		h := kabyLakeOf(gt)
		p := h.part
		cat, err := metrics.Get(p.catalogue)
		if err != nil {
			t.Fatal(err)
		}
		if len(cat.Sets()) != 21 {
			t.Errorf("%s has %d sets", p.catalogue, len(cat.Sets()))
		}
		for _, set := range cat.Sets() {
			d, err := registersOf(h, set.Name)
			if err != nil || d.guid != set.GUID {
				t.Fatalf("%s %s: %v, %v; the catalogue has GUID %s", p.catalogue, set.Name, d, err, set.GUID)
			}
			out = append(out, d)
		}
	}
	return out
}

// Ranges that the driver accepts on Gen9; another address makes it refuse the whole set.
func TestEveryRegisterIsOneThatTheDriverAccepts(t *testing.T) {
	in := func(a uint32, ranges ...[2]uint32) bool {
		return slices.ContainsFunc(ranges, func(r [2]uint32) bool { return a >= r[0] && a <= r[1] })
	}
	for _, d := range everySet(t) {
		for _, r := range d.Mux {
			if !in(r.Address, [2]uint32{0xD00, 0xD2C}, [2]uint32{0x20CC, 0x20CC}, [2]uint32{0x91B8, 0x91CC}, [2]uint32{0x9800, 0x9888}, [2]uint32{0xE180, 0xE180}) {
				t.Errorf("%v: mux register %#x", d.guid, r.Address)
			}
		}
		for _, r := range d.Boolean {
			if !in(r.Address, [2]uint32{0x2710, 0x272C}, [2]uint32{0x2740, 0x275C}, [2]uint32{0x2770, 0x27AC}) {
				t.Errorf("%v: boolean register %#x", d.guid, r.Address)
			}
		}
		for _, r := range d.Flex {
			if !slices.Contains([]uint32{0xE458, 0xE558, 0xE658, 0xE758, 0xE45C, 0xE55C, 0xE65C}, r.Address) {
				t.Errorf("%v: flexible register %#x", d.guid, r.Address)
			}
		}
	}
	if _, err := registersOf(kabyLakeOf(2), "NoSuchSet"); err == nil {
		t.Error("an unknown set has registers")
	}
}
