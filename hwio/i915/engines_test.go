package i915

import (
	"encoding/binary"
	"strings"
	"testing"

	"astrolabe/capture/decode/oa"
	"astrolabe/hwio/intel"
)

// enginesOf is the driver's list of engines: pairs of class and number.
func enginesOf(pairs ...uint16) []byte {
	b := make([]byte, enginesHead+len(pairs)/2*engineSize)
	binary.LittleEndian.PutUint32(b, uint32(len(pairs)/2))
	for i, v := range pairs {
		binary.LittleEndian.PutUint16(b[enginesHead+i/2*engineSize+i%2*2:], v)
	}
	return b
}

func TestEnginesAreThoseOfTheUnitThatCountsTheSet(t *testing.T) {
	list, err := parseEngines(enginesOf(0, 0, 1, 0, 2, 0, 2, 2, 3, 0, 4, 0))
	if err != nil || len(list) != 6 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, c := range []struct {
		device   uint64
		revision int
		set      string
		engine   string
		want     string // the engine, or a part of the error
	}{
		{0x7d55, 7, "RenderBasic", "", "render 0"}, {0x7d55, 7, "RenderBasic", "render0", "render 0"}, {0x7d55, 7, "RenderBasic", "0", "render 0"},
		{0x7d55, 7, "RenderBasic", "compute0", `engine "compute0" is none of the OA unit for render and compute, which has render 0`},
		{0x7d55, 7, "MediaSet1", "", "video decode 0"}, {0x7d55, 7, "MediaSet1", "video-decode2", "video decode 2"}, {0x7d55, 7, "TestOam", "2", "video enhance 0"},
		{0x7d55, 7, "TestOam", "3", "has 3 engines, and engine 3 was asked for"}, {0x7d55, 6, "TestOam", "", "is of revision 6, and OA of media engines came with 7"},
		{0x56a0, 6, "TestOa", "Render 0", "render 0"}, {0x5916, 1, "TestOa", "", "render 0"},
	} {
		p := partOf(c.device)
		set, err := readSettings(p, map[string]string{"set": c.set, "engine": c.engine})
		if err != nil {
			t.Fatal(err)
		}
		h := &hardware{part: p, perfRev: c.revision, engines: list}
		unit, e, err := h.chooseEngine(set)
		if got := e.String(); err == nil && (got != c.want || unit.media != (set.format == oa.MPEC8u32B8C8)) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%#x %s, engine %q: %s, %v; want %s", c.device, c.set, c.engine, got, err, c.want)
		}
	}
	// A kernel that does not list engines.
	set, err := readSettings(partOf(0x7d55), map[string]string{"set": "MediaSet1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := (&hardware{part: partOf(0x7d55), perfRev: 7}).chooseEngine(set); err == nil || !strings.Contains(err.Error(), "none of its engines") {
		t.Errorf("no engines: %v", err)
	}
}

func FuzzEngines(f *testing.F) {
	f.Add(enginesOf(0, 0, 2, 1))
	f.Add(enginesOf()[:8])
	f.Fuzz(func(t *testing.T, b []byte) {
		if list, err := parseEngines(b); err == nil && len(list) > maxEngines {
			t.Errorf("%d engines of %d bytes", len(list), len(b))
		}
	})
}

func TestShiftOfTheReportsTimestampsIsThatOfTheirFrequency(t *testing.T) {
	for cs, want := range map[int32]int{38_400_000: 0, 19_200_000: 1, 9_600_000: 2, 12_000_000: -1} {
		k := &fakeKernel{params: map[int32]int32{paramCSFrequency: cs}}
		got, err := readShift(&fakeDevice{k: k}, 38_400_000)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("engines' clock of %d Hz: shift %d, %v", cs, got, err)
		}
	}
	if name := (intel.Engine{Class: 9, Instance: 1}).String(); name != "class 9 1" {
		t.Errorf("an engine of an unknown class is called %q", name)
	}
}
