package amd

import (
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
		if len(part.Counters)+len(gpaCounters(u.Candidate)) != len(all.Counters) {
			t.Errorf("without %v there are %d of %d counters", u.Candidate, len(part.Counters), len(all.Counters))
		}
	}
}
