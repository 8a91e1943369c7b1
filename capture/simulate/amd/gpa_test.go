package amd

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

// holds are relations within a row, between counters of one run: those on the left add up to no more than the right.
var holds = []struct {
	left  []string
	right string
}{
	{[]string{"VSBusy"}, "GPUBusy"},
	{[]string{"PSBusyCycles"}, "GPUBusyCycles"},
	{[]string{"CSBusyCycles"}, "GPUBusyCycles"},
	{[]string{"CSTime"}, "GPUTime"},
	{[]string{"PSTime"}, "GPUTime"},
	{[]string{"CulledPrims", "ClippedPrims"}, "PrimitivesIn"},
	{[]string{"CSMemUnitBusy"}, "TexUnitBusy"},
	{[]string{"CSMemUnitBusyCycles"}, "TexUnitBusyCycles"},
	{[]string{"ZUnitStalled"}, "PSExportStalls"},
	{[]string{"CBSlowPixelCount"}, "PSPixelsOut"},
}

func draws(t *testing.T, kind string, seed uint64, o simulate.Options) *capture.Capture {
	t.Helper()
	c, err := NewGPA(kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	cap, err := c.Record(o)
	if err != nil {
		t.Fatalf("%s %d: %v", kind, seed, err)
	}
	return cap
}

func TestRowsOfDrawsKeepTheHardwaresRelations(t *testing.T) {
	for seed := range uint64(simulatetest.Number(t, 24, 8)) {
		kind := GPAKinds()[seed%uint64(len(GPAKinds()))]
		cap := draws(t, kind, seed, simulate.Options{Noise: -1})
		at := func(name string, i int) float64 { return cap.Counter(name).Value(i).Float() }
		for i := range cap.Len() {
			for _, h := range holds {
				sum := 0.0
				for _, name := range h.left {
					sum += at(name, i)
				}
				if right := at(h.right, i); sum > right+1e-5 && !differs(h.left, h.right) {
					t.Fatalf("%s %d, row %d: %v make %v, %s is %v", kind, seed, i, h.left, sum, h.right, right)
				}
			}
			// A row is of a draw or of a dispatch.
			if cs := at("CSWavefronts", i); cs > 0 == (at("VSVerticesIn", i) > 0) {
				t.Fatalf("%s %d, row %d: %v waves of compute, %v vertices", kind, seed, i, cs, at("VSVerticesIn", i))
			}
			for _, c := range cap.Counters {
				v := c.Value(i).Float()
				if v < 0 || math.IsNaN(v) || c.Unit == "percent" && v > 100 {
					t.Fatalf("%s %d, row %d: %s is %v %s", kind, seed, i, c.Name, v, c.Unit)
				}
				if (c.Unit == "items" || c.Unit == "bytes") && !strings.HasSuffix(c.Name, "Insts") &&
					!strings.HasSuffix(c.Name, "InstCount") && v != math.Trunc(v) {
					t.Fatalf("%s %d, row %d: %s counts %v", kind, seed, i, c.Name, v)
				}
			}
		}
	}
}

// shares are gated by work groups in GPUPerfAPI's programs, what follows them is not.
var (
	gated   = []string{"CSMemUnitBusy", "CSMemUnitStalled", "CSWriteUnitStalled", "CSL2CacheHit", "CSThreads"}
	ungated = []string{"CSMemUnitBusyCycles", "CSMemUnitStalledCycles", "CSWriteUnitStalledCycles",
		"CSL2CacheHitCount", "CSL2CacheMissCount"}
)

// eachRow calls f for the rows of some cases without noise. Counters of L2 have their names of GFX9.
func eachRow(t *testing.T, f func(where string, gfx8 bool, at func(name string) float64)) {
	t.Helper()
	for seed := range uint64(simulatetest.Number(t, 40, 16)) {
		kind := GPAKinds()[seed%uint64(len(GPAKinds()))]
		c, err := NewGPA(kind, seed)
		if err != nil {
			t.Fatal(err)
		}
		cap, err := c.Record(simulate.Options{Noise: -1})
		if err != nil {
			t.Fatalf("%s %d: %v", kind, seed, err)
		}
		gfx8 := strings.Contains(c.Text, "RX 580")
		for i := range cap.Len() {
			f(fmt.Sprintf("%s %d, row %d", kind, seed, i), gfx8, func(name string) float64 {
				if gfx8 {
					name = strings.Replace(name, "CSL2", "CS", 1)
				}
				return cap.Counter(name).Value(i).Float()
			})
		}
	}
}

func TestOnlySharesOfDispatchesAreZeroForDraws(t *testing.T) {
	rows := 0
	some := map[string]int{}
	eachRow(t, func(where string, gfx8 bool, at func(string) float64) {
		// Both are of the busiest texture addresser.
		if a, b := at("CSMemUnitBusyCycles"), at("TexUnitBusyCycles"); a != b {
			t.Fatalf("%s: the memory unit is busy for %v cycles, the texture unit for %v", where, a, b)
		}
		if at("CSWavefronts") > 0 {
			return
		}
		rows++
		if !gfx8 && (at("CSL1CacheHit") > 0) != (at("TexUnitBusy") > 0) {
			t.Fatalf("%s: %v %% hit L1, the texture unit is busy for %v %%", where, at("CSL1CacheHit"), at("TexUnitBusy"))
		}
		for _, name := range gated {
			if v := at(name); v != 0 {
				t.Fatalf("%s: %s of a draw is %v", where, name, v)
			}
		}
		for _, name := range ungated {
			if at(name) > 0 {
				some[name]++
			}
		}
		sizes := at("CSFetchSize") + at("CSWriteSize")
		if gfx8 != (sizes == 0) {
			t.Fatalf("%s: L2 moved %v KiB for a draw; GFX8: %v", where, sizes, gfx8)
		}
	})
	for _, name := range ungated {
		if some[name] < rows/2 {
			t.Errorf("%s tells something of %d of %d draws", name, some[name], rows)
		}
	}
}

func TestL2MovesAsManyLinesAsMiss(t *testing.T) {
	eachRow(t, func(where string, gfx8 bool, at func(string) float64) {
		misses, moved := at("CSL2CacheMissCount")*lineBytes, (at("CSFetchSize")+at("CSWriteSize"))*1024
		dispatch := at("CSWavefronts") > 0
		// Each of the three counts is whole.
		if (dispatch || !gfx8) && math.Abs(misses-moved) > lineBytes+2 {
			t.Fatalf("%s: lines of %v bytes miss, and %v bytes pass to or from memory", where, misses, moved)
		}
		fixed := at("CBMemRead") + at("CBMemWritten") + at("DBMemRead") + at("DBMemWritten")
		if !gfx8 && fixed > moved+4 {
			t.Fatalf("%s: colour and depth move %v bytes, L2 moves %v", where, fixed, moved)
		}
		hits := at("CSL2CacheHitCount") * lineBytes
		if rate := at("CSL2CacheHit"); dispatch && misses > 1e6 && math.Abs(rate-100*hits/(hits+misses)) > 0.1 {
			t.Fatalf("%s: %v %% hit, of %v bytes and %v that miss", where, rate, hits, misses)
		}
	})
}

func TestDispatchesHaveNothingOfTheGraphicsPipe(t *testing.T) {
	eachRow(t, func(where string, _ bool, at func(string) float64) {
		if at("CSWavefronts") == 0 {
			return
		}
		for i := range public {
			name := public[i].name
			for _, start := range []string{"VS", "HS", "GS", "PS", "Tess", "Prim", "Cull", "Clip", "PA", "Depth", "HiZ",
				"PreZ", "PostZ", "ZUnit", "DB", "CB"} {
				if strings.HasPrefix(name, start) && at(name) != 0 {
					t.Fatalf("%s: %s of a dispatch is %v", where, name, at(name))
				}
			}
		}
		// Without samples there is nothing to average.
		if busy, wide := at("TexUnitBusy"), at("TexAveAnisotropy"); busy == 0 && wide != 0 {
			t.Fatalf("%s: the texture unit rests, but has an anisotropy of %v", where, wide)
		}
	})
}

// differs reports whether counters are of different runs, which take a little more or less time.
func differs(left []string, right string) bool {
	run := func(name string) int {
		for i := range public {
			if public[i].name == name {
				return public[i].run
			}
		}
		return -1
	}
	for _, l := range left {
		if run(l) != run(right) {
			return true
		}
	}
	return false
}

func TestRunsOfAFrameDiffer(t *testing.T) {
	ratio := func(o simulate.Options) float64 {
		cap := draws(t, simulate.KindSingle, 0, o)
		busy, cycles := cap.Counter("GPUBusyCycles").Value(0).Float(), cap.Counter("GPUTime").Value(0).Float()
		return busy / cycles
	}
	if a, b := ratio(simulate.Options{Noise: -1}), ratio(simulate.Options{Noise: 5}); a == b {
		t.Errorf("the clock is %v cycles per ms with and without noise", a)
	}
}

func TestWithheldCountersOfDrawsAreAbsent(t *testing.T) {
	d := newDevice(simulate.NewRandom(1, "x"), 9)
	all := draws(t, simulate.KindArchetype, 5, simulate.Options{})
	for _, u := range d.machine.Units {
		part := draws(t, simulate.KindArchetype, 5, simulate.Options{Withheld: []simulate.Candidate{u.Candidate}})
		left := len(all.Counters)
		for _, name := range gpaCounters(u.Candidate) {
			if all.Counter(name) != nil {
				left--
			}
		}
		if len(part.Counters) != left {
			t.Errorf("without %v there are %d of %d counters", u.Candidate, len(part.Counters), len(all.Counters))
		}
	}
}

func TestGenerationsHaveTheirOwnCountersOfCaches(t *testing.T) {
	seen := [2]bool{}
	for seed := range uint64(20) {
		c, err := NewGPA(simulate.KindSingle, seed)
		if err != nil {
			t.Fatal(err)
		}
		cap, err := c.Record(simulate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		old := 0
		if strings.Contains(c.Text, "RX 580") {
			old = 1
		}
		seen[old] = true
		for i, names := range [][]string{{"CSL1CacheHit", "CSL2CacheHit", "CSL2CacheHitCount", "CSL2CacheMissCount"},
			{"CSCacheHit", "CSCacheHitCount", "CSCacheMissCount"}} {
			for _, name := range names {
				if has := cap.Counter(name) != nil; has != (i == old) {
					t.Errorf("%s: %s is there: %v", c.Text, name, has)
				}
			}
		}
	}
	if seen != [2]bool{true, true} {
		t.Errorf("the cases have but one generation: %v", seen)
	}
}
