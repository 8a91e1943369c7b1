package intel

import (
	"fmt"
	"math"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
)

func make1(t *testing.T, name, kind string, seed uint64) *simulate.Case {
	t.Helper()
	c, err := New(name, kind, seed)
	if err != nil {
		t.Fatalf("%s %s %d: %v", name, kind, seed, err)
	}
	return c
}

func record(t *testing.T, c *simulate.Case, o simulate.Options) *capture.Capture {
	t.Helper()
	out, err := c.Record(o)
	if err != nil {
		t.Fatalf("%s %s %d: %v", c.Family, c.Kind, c.Seed, err)
	}
	return out
}

func judge(t *testing.T, c *simulate.Case) *simulate.Truth {
	t.Helper()
	out, err := c.Judge()
	if err != nil {
		t.Fatalf("%s %s %d: %v", c.Family, c.Kind, c.Seed, err)
	}
	return out
}

func values(c *capture.Capture) map[string][]float64 {
	out := map[string][]float64{}
	for _, ctr := range c.Counters {
		out[ctr.Name] = ctr.Floats()
	}
	return out
}

// total is the sum of what a metric's formula gives, or of a counter; ok is false where it cannot be told.
func total(t *testing.T, c *capture.Capture, expr string) (v float64, ok bool) {
	t.Helper()
	ctr, err := metrics.Eval(c, expr, capture.Meta{Name: "x"})
	if err != nil {
		return 0, false
	}
	for _, x := range ctr.Floats() {
		if math.IsNaN(x) {
			return 0, false
		}
		v += x
	}
	return v, true
}

func TestCountersOfEverySampleFitTogether(t *testing.T) {
	for _, name := range Names {
		m := models[name]
		seeds := uint64(30)
		if m.xe {
			seeds = 10
		}
		for _, kind := range Kinds(name) {
			for seed := range seeds {
				c := record(t, make1(t, name, kind, seed), simulate.Options{})
				if c.Len() < 20 {
					t.Errorf("%s %s %d: %d samples", name, kind, seed, c.Len())
				}
				v := values(c)
				set, _ := c.Property("metric_set")
				at := func(counter string, i int) float64 {
					if x, ok := v[counter]; ok {
						return x[i]
					}
					return 0
				}
				// Every pixel is rejected somewhere or written; some are on their way at either end.
				sums := map[string]float64{}
				for _, counter := range []string{"A21", "A22", "A23", "A24", "A25", "A26"} {
					for i := range c.Len() {
						sums[counter] += at(counter, i)
					}
				}
				got := sums["A22"] + sums["A23"] + sums["A24"] + sums["A25"] + sums["A26"]
				if math.Abs(got-sums["A21"]) > 0.03*sums["A21"]+100 {
					t.Errorf("%s %s %d: %.0f of %.0f pixels are accounted for", name, kind, seed, got, sums["A21"])
				}
				for i := range c.Len() {
					clocks := at("GPU_TICKS", i)
					fail := func(what string, args ...any) {
						t.Errorf("%s %s %d, %s, sample %d: %s", name, kind, seed, set.Text, i, fmt.Sprintf(what, args...))
					}
					if d := c.Axis.End[i] - c.Axis.Start[i]; d <= 0 || math.Abs(at("TIMESTAMP", i)*1e9/m.tsHz-float64(d)) > 2 {
						fail("it lasts %d ns and %.0f ticks", d, at("TIMESTAMP", i))
					}
					if b := at("A0", i); b > clocks+1 {
						fail("busy for %.0f of %.0f clocks", b, clocks)
					}
					if at("A27", i) > at("A26", i)+2 || at("A33", i) > at("A32", i)+2 {
						fail("a part is more than the whole")
					}
					if m.xe {
						m.checkXe(set.Text, func(counter string) float64 { return at(counter, i) }, fail)
					} else {
						m.checkGen9(set.Text, func(counter string) float64 { return at(counter, i) }, fail)
					}
					if t.Failed() {
						return
					}
				}
			}
		}
	}
}

// checkGen9 holds counters of a sample against each other.
func (m *model) checkGen9(set string, at func(string) float64, fail func(string, ...any)) {
	clocks := at("GPU_TICKS")
	eus := clocks * float64(m.eus)
	sum := func(counters ...string) (out float64) {
		for _, c := range counters {
			out += at(c)
		}
		return out
	}
	if set != "GpuBusyness" && set != "TestOa" && set != "ComputeExtra" {
		if s := sum("A7", "A8"); s > eus+2*float64(m.eus) {
			fail("EUs active and stalled for %.0f of %.0f clocks", s, eus)
		}
	}
	switch set {
	case "RenderBasic":
		if both := at("A9"); both > sum("A10", "A15")+4+eus*0.6 {
			fail("both pipes work for longer than one of them")
		}
		for _, c := range []string{"B0", "B1", "B2", "B3"} {
			if at(c) > clocks+1 {
				fail("%s is longer than the sample", c)
			}
		}
		if at("B2") > at("B0")+2 || at("B3") > at("B1")+2 {
			fail("a sampler is a bottleneck for longer than it is busy")
		}
		// What clients of the memory interface move is part of what it moves.
		if parts, all := sum("B6", "B7", "C0", "C1", "C2", "C3", "C4"), sum("C6", "C7"); parts > all+10 { // the command streamer reads too
			fail("clients move %.0f lines of %.0f", parts, all)
		}
		if at("C6") > clocks*1.05+100 {
			fail("more than 64 bytes per clock were read")
		}
	case "ComputeBasic":
		one := sum("A10", "A11") - at("A9")
		if at("A9") > min(at("A10"), at("A11"))+4 || one > at("A7")+4 {
			fail("pipes work for longer than EUs do")
		}
		if at("A13")*8 > eus*float64(m.threads)+8 || at("A13")*8+8 < at("A7") {
			fail("%.0f clocks of loaded threads do not fit %.0f active ones", at("A13")*8, at("A7"))
		}
		parts := sum("B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "C0", "C1", "C2", "C3") + at("A34")
		if math.Abs(parts-at("A32")) > 20 {
			fail("%.0f of %.0f messages are of a kind", parts, at("A32"))
		}
	case "MemoryReads":
		parts := sum("B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "C4", "C5", "C6", "C7")
		if all := at("C0"); math.Abs(parts-all) > 0.02*all+20 {
			fail("clients read %.0f lines of %.0f", parts, all)
		}
	case "MemoryWrites":
		parts := sum("B2", "B3", "B4", "B5", "B6", "B7", "C4", "C5", "C6", "C7")
		if all := at("C0"); math.Abs(parts-all) > 0.02*all+20 {
			fail("clients write %.0f lines of %.0f", parts, all)
		}
	case "HDCAndSF":
		if at("C6") > at("C7")+1 || at("C4") > at("C5")+1 || at("C2") > at("C3")+1 {
			fail("more requests are taken than made")
		}
	case "RenderPipeProfile":
		if s := sum("C0", "B5", "B6", "C6", "B7"); s > 2.2*clocks {
			fail("bottlenecks add up to %.1f of the clocks", s/clocks)
		}
	case "GpuBusyness":
		if at("B0") > clocks+1 || at("C7") > at("B0")+2 || at("C6") > at("B0")+2 || at("C4") > at("B0")+2 {
			fail("an engine works for longer than any does")
		}
	}
}

// checkXe is checkGen9 for Tiger Lake.
func (m *model) checkXe(set string, at func(string) float64, fail func(string, ...any)) {
	clocks := at("GPU_TICKS")
	eus := clocks * float64(m.eus)
	var group [3]float64
	for k := range 12 {
		group[k/4] += at(fmt.Sprintf("A%d", 7+k))
	}
	slack := 2 * float64(m.eus)
	switch set {
	case "EuActivity1", "EuActivity2", "EuActivity3":
		if group[0]+group[1] > 2*eus+slack {
			fail("pipes work for longer than there is time")
		}
	case "EuActivity7":
		if group[0] > min(group[1], group[2])+slack || group[1] > eus+slack {
			fail("both pipes work for %.0f clocks, one for %.0f and the other for %.0f", group[0], group[1], group[2])
		}
	default:
		if group[0]+group[1] > eus+slack {
			fail("EUs active and stalled for %.0f of %.0f clocks", group[0]+group[1], eus)
		}
		if group[2]*8 > eus*float64(m.threads)+8*slack || group[2]*8+8*slack < group[0] {
			fail("%.0f clocks of loaded threads do not fit %.0f active ones", group[2]*8, group[0])
		}
	}
	if set == "RenderBasic" && (at("B1") > at("B0")+2 || at("C2")+at("C3")+at("C4")+at("C5") > clocks*1.05+100) {
		fail("a sampler is a bottleneck for longer than it is busy, or more than 64 bytes per clock were read")
	}
}

func TestOptionsAreKept(t *testing.T) {
	for _, name := range Names {
		c := make1(t, name, simulate.KindArchetype, 3)
		x := record(t, c, simulate.Options{Without: []string{"A7"}, Host: simulate.Yes, Marks: simulate.Yes})
		if x.Counter("A7") != nil || x.Counter("A8") == nil || x.Counter("cpu_user") == nil || x.Label("frame") == nil {
			t.Errorf("%s: a counter, column or label is there that should not be, or is not", name)
		}
		x = record(t, c, simulate.Options{Host: simulate.No, Marks: simulate.No, Sets: []string{"RenderBasic", "RenderPipeProfile"}})
		if x.Counter("cpu_user") != nil || x.Label("frame") != nil || x.Label("metric_set") == nil {
			t.Errorf("%s: sets in turn: a column or label is there that should not be, or is not", name)
		}
		if v, ok := total(t, record(t, c, simulate.Options{Sets: []string{"RenderBasic"}}), "$GpuBusy"); !ok || v <= 0 {
			t.Errorf("%s: the busy share is %v", name, v)
		}
	}
}

func TestOtherEnginesMoveBytesToo(t *testing.T) {
	for _, name := range Names {
		found := false
		for seed := uint64(0); seed < 12 && !found; seed++ {
			x := record(t, make1(t, name, simulate.KindSerial, seed), simulate.Options{Sets: []string{"RenderBasic"}})
			read, busy := x.Counter(map[bool]string{true: "C6", false: "C5"}[name == Names[0]]).Floats(), x.Counter("A0").Floats()
			for i := range busy {
				found = found || busy[i] == 0 && read[i] > 0
			}
		}
		if !found {
			t.Errorf("%s: nothing is read while the render engine has no work", name)
		}
	}
}

func TestReliefOfWhatIsPlantedGainsMost(t *testing.T) {
	for _, name := range Names {
		right, n := 0, 0
		for seed := range uint64(len(plants)) {
			c := make1(t, name, simulate.KindSingle, seed)
			truth := judge(t, c)
			checkShares(t, c, truth)
			l, clear := truth.Limiter()
			if n++; clear && l.String() == c.Plant {
				right++
				continue
			}
			t.Logf("%s %d: %s was planted, %s gains most (clear: %v)", name, seed, c.Plant, l, clear)
		}
		if right*100 < n*95 {
			t.Errorf("%s: %d of %d", name, right, n)
		}
	}
}

func checkShares(t *testing.T, c *simulate.Case, truth *simulate.Truth) {
	t.Helper()
	for _, p := range append([]simulate.Part{truth.Part}, truth.Phases...) {
		var sum int64
		for _, s := range p.Shares {
			if sum += s.Ns; s.Ns < 0 {
				t.Errorf("%s %d: %s has %d ns", c.Kind, c.Seed, s.Candidate, s.Ns)
			}
		}
		if sum != p.End-p.Start {
			t.Errorf("%s %d: shares add up to %d of %d ns", c.Kind, c.Seed, sum, p.End-p.Start)
		}
	}
}

func TestTruthsOfOtherKindsHold(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			for seed := range uint64(2) {
				c := make1(t, name, kind, seed)
				truth := judge(t, c)
				checkShares(t, c, truth)
				if kind == simulate.KindHealthy && (!truth.Healthy || truth.GPUBusy > 0.85) {
					t.Errorf("%s %s %d: healthy %v, missed %d, busy %.2f", name, kind, seed, truth.Healthy, truth.Missed,
						truth.GPUBusy)
				}
				if kind == simulate.KindTwoPhase && (len(truth.Phases) != 2 || truth.Phases[0].End != truth.Phases[1].Start ||
					len(truth.Phases[1].Leaves) == 0) {
					t.Errorf("%s %s %d: phases %v", name, kind, seed, truth.Phases)
				}
				if len(truth.Each) != truth.Frames || truth.Start != 0 {
					t.Errorf("%s %s %d: %d frames of %d, from %d", name, kind, seed, len(truth.Each), truth.Frames, truth.Start)
				}
			}
		}
	}
}
