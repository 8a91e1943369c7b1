package i915

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture/metrics"
	"astrolabe/internal/testfiles"
)

func TestRegistersEqualTheReferenceInItsOrder(t *testing.T) {
	rows := testfiles.Rows(t, "reference", "intel_kbl_oa_registers.csv")
	want := map[setKey]*setData{}
	for _, r := range rows {
		key := setKey{strings.TrimPrefix(r["gpu"], "kbl"), r["metric_set"]}
		if want[key] == nil {
			want[key] = &setData{guid: r["guid"]}
		}
		a, err1 := strconv.ParseUint(r["address"], 0, 32)
		v, err2 := strconv.ParseUint(r["value"], 0, 32)
		if err1 != nil || err2 != nil {
			t.Fatal(r)
		}
		list := map[string]*[]register{"NOA": &want[key].mux, "OA": &want[key].boolean, "FLEX": &want[key].flex}[r["reg_type"]]
		*list = append(*list, register{uint32(a), uint32(v)})
	}
	got, err := loadRegisters()
	if err != nil {
		t.Fatal(err)
	}
	if len(want) != 42 || len(got) != len(want) {
		t.Fatalf("%d sets, the reference has %d", len(got), len(want))
	}
	n := 0
	for key, w := range want {
		g := got[key]
		if g == nil || g.guid != w.guid || !slices.Equal(g.mux, w.mux) || !slices.Equal(g.boolean, w.boolean) || !slices.Equal(g.flex, w.flex) {
			t.Errorf("%v differs from the reference", key)
			continue
		}
		n += len(g.mux) + len(g.boolean) + len(g.flex)
	}
	if n != len(rows) {
		t.Errorf("%d writes, the reference has %d", n, len(rows))
	}
}

func TestEverySetOfTheCataloguesHasRegistersUnderItsGUID(t *testing.T) {
	for _, gt := range []int{2, 3} {
		p := part{gt: gt}
		cat, err := metrics.Get(p.catalogue())
		if err != nil {
			t.Fatal(err)
		}
		if len(cat.Sets()) != 21 {
			t.Errorf("%s has %d sets", p.catalogue(), len(cat.Sets()))
		}
		for _, set := range cat.Sets() {
			d, err := registersOf(p, set.Name)
			if err != nil || d.guid != set.GUID {
				t.Errorf("%s %s: %v, %v; the catalogue has GUID %s", p.catalogue(), set.Name, d, err, set.GUID)
			}
		}
	}
	if _, err := registersOf(part{gt: 2}, "NoSuchSet"); err == nil {
		t.Error("an unknown set has registers")
	}
}

// Ranges that the driver accepts on Gen9; another address makes it refuse the whole set.
func TestEveryRegisterIsOneThatTheDriverAccepts(t *testing.T) {
	all, err := loadRegisters()
	if err != nil {
		t.Fatal(err)
	}
	in := func(a uint32, ranges ...[2]uint32) bool {
		return slices.ContainsFunc(ranges, func(r [2]uint32) bool { return a >= r[0] && a <= r[1] })
	}
	for key, d := range all {
		for _, r := range d.mux {
			if !in(r.address, [2]uint32{0xD00, 0xD2C}, [2]uint32{0x20CC, 0x20CC}, [2]uint32{0x91B8, 0x91CC}, [2]uint32{0x9800, 0x9888}, [2]uint32{0xE180, 0xE180}) {
				t.Errorf("%v: mux register %#x", key, r.address)
			}
		}
		for _, r := range d.boolean {
			if !in(r.address, [2]uint32{0x2710, 0x272C}, [2]uint32{0x2740, 0x275C}, [2]uint32{0x2770, 0x27AC}) {
				t.Errorf("%v: boolean register %#x", key, r.address)
			}
		}
		for _, r := range d.flex {
			if !slices.Contains([]uint32{0xE458, 0xE558, 0xE658, 0xE758, 0xE45C, 0xE55C, 0xE65C}, r.address) {
				t.Errorf("%v: flexible register %#x", key, r.address)
			}
		}
	}
}

func TestDamagedRegisterTablesAreRefusedWithTheirLine(t *testing.T) {
	const guid = "99c1a40e-a090-4354-86e3-4d068bb1917e"
	for text, want := range map[string]string{
		"mux 1:2":                                     "line 1: \"mux\" before",
		"set gt2 A short":                             "line 1: want set",
		"set gt2 A " + guid + "\nmux 5":               "line 2: \"5\" has no address",
		"set gt2 A " + guid + "\nmux x:5":             "no address",
		"set gt2 A " + guid + "\nflex 5:y":            "no value",
		"set gt2 A " + guid + "\nother 5:1":           "unknown list",
		"set gt2 A " + guid + "\n\nset gt2 A " + guid: "line 3: set A of gt2 stands twice",
	} {
		_, err := parseRegisters(text)
		wantText(t, err, want)
	}
}

func FuzzParseRegisters(f *testing.F) {
	f.Add("set gt2 A 99c1a40e-a090-4354-86e3-4d068bb1917e\nmux 9840:80 9888:1 2\nflex E458:5")
	f.Fuzz(func(t *testing.T, text string) {
		sets, err := parseRegisters(text)
		if err != nil && sets != nil {
			t.Fatalf("%d sets and %v", len(sets), err)
		}
	})
}
