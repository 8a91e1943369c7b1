package amd

import (
	"math"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

func mustNew(t *testing.T, name, kind string, seed uint64) *simulate.Case {
	t.Helper()
	c, err := New(name, kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustRecord(t *testing.T, c *simulate.Case, o simulate.Options) *capture.Capture {
	t.Helper()
	out, err := c.Record(o)
	if err != nil {
		t.Fatalf("%s %s %d: %v", c.Family, c.Kind, c.Seed, err)
	}
	return out
}

// every calls f for some cases of every kind.
func every(t *testing.T, name string, seeds uint64, f func(*simulate.Case, *capture.Capture)) {
	for _, kind := range Kinds(name) {
		for seed := range seeds {
			c := mustNew(t, name, kind, seed)
			f(c, mustRecord(t, c, simulate.Options{}))
		}
	}
}

func TestCountersOfAFrameAgree(t *testing.T) {
	every(t, gpaName, 30, func(c *simulate.Case, out *capture.Capture) {
		at := func(name string, i int) float64 { return out.Counter(name).Floats()[i] }
		for i := range out.Len() {
			fail := func(what string) { t.Errorf("%s %d sample %d: %s", c.Kind, c.Seed, i, what) }
			for _, ctr := range out.Counters {
				v := ctr.Floats()[i]
				if math.IsNaN(v) || v < 0 {
					fail(ctr.Name + " is no count")
				}
				if ctr.Unit == "percent" && v > 110 { // runs differ, and only some programs see to it
					fail(ctr.Name + " is above 100 percent")
				}
				if cycles := out.Counter(ctr.Name + "Cycles"); ctr.Unit == "percent" && cycles != nil &&
					ctr.Name != "GPUBusy" { // of which the whole is the time, busy or not
					want := 100 * cycles.Floats()[i] / at("GPUBusyCycles", i)
					if math.Abs(v-math.Min(want, math.Max(100, v))) > 1e-6 {
						fail(ctr.Name + " is not its cycles by the busy ones")
					}
				}
			}
			for _, l := range []string{"L0", "L1", "L2"} {
				if at(l+"CacheHitCount", i)+at(l+"CacheMissCount", i) != at(l+"CacheRequestCount", i) {
					fail("hits and misses of " + l + " are not its requests")
				}
			}
			if at("L1CacheRequestCount", i) != at("L0CacheMissCount", i) {
				fail("L1 gets other requests than L0 misses")
			}
			if at("FetchSize", i)+at("WriteSize", i) != at("LocalVidMemBytes", i) {
				fail("reads and writes are not the traffic of video memory")
			}
			if at("TexUnitBusy", i) != at("MemUnitBusy", i) || at("MemUnitStalled", i) > at("MemUnitBusy", i) {
				fail("the memory unit is stalled for longer than it is busy")
			}
			if at("CulledPrims", i)+at("ClippedPrims", i) > at("PrimitivesIn", i)+1 {
				fail("more primitives are culled and clipped than there are")
			}
			if at("GPUTime", i) != float64(out.Axis.Interval(i)) {
				fail("the sample is not as long as GPUTime")
			}
		}
	})
}

func TestCountersOfALiveCaptureAgree(t *testing.T) {
	every(t, liveName, 30, func(c *simulate.Case, out *capture.Capture) {
		fail := func(what string) { t.Errorf("%s %d: %s", c.Kind, c.Seed, what) }
		sum := func(name string) (s float64) {
			for _, v := range out.Counter(name).Floats() {
				s += v
			}
			return s
		}
		for _, reg := range statusBits {
			samples := out.Counter(reg.samples).Floats()
			for _, b := range reg.bits {
				for i, v := range out.Counter("busy_" + b.name + "_ones").Floats() {
					if v < 0 || v > samples[i] {
						fail("a block is busy more often than it was looked at: " + b.name)
					}
				}
				if sum("busy_"+b.name+"_ones") > 1.02*sum("busy_gfx_ones")+0.03*sum(reg.samples) {
					fail("a block is busy for longer than the pipe: " + b.name)
				}
			}
		}
		for i, v := range out.Axis.Start {
			if out.Axis.End[i] <= v || i > 0 && out.Axis.End[i-1] != v {
				fail("samples do not follow each other")
			}
		}
		measured := float64(out.Axis.Measured())
		if sum("engine_gfx") > measured || sum("engine_compute") > measured {
			fail("engines work for longer than there is time")
		}
		for _, name := range []string{"sensor_load", "mem_busy_percent", "throttled_by_power", "throttled_by_heat"} {
			for _, v := range out.Counter(name).Floats() {
				if v < 0 || v > 100 {
					fail(name + " is no share")
				}
			}
		}
		top, _ := out.Property("max_sclk_hz")
		for _, v := range out.Counter("sensor_sclk").Floats() {
			if v <= 0 || v > top.Number {
				fail("the clock is above its highest")
			}
		}
		if user := out.Counter("cpu_user"); user != nil {
			for k := range user.Instances {
				ns := 0.0
				for _, name := range []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq",
					"cpu_softirq", "cpu_steal"} {
					for _, v := range out.Counter(name).Instances[k].Floats() {
						ns += v
					}
				}
				if math.Abs(ns-measured) > 5*10e6 { // units of 10 ms
					fail("the times of a processor do not add up")
				}
			}
		}
	})
}

func TestProcessorsAreRecordedWhereWanted(t *testing.T) {
	drawn := 0
	for seed := range uint64(20) {
		c := mustNew(t, liveName, simulate.KindSerial, seed)
		yes := mustRecord(t, c, simulate.Options{Host: simulate.Yes})
		no := mustRecord(t, c, simulate.Options{Host: simulate.No})
		if yes.Counter("cpu_user") == nil || no.Counter("cpu_user") != nil {
			t.Errorf("%d: the choice of the processor's columns does not count", seed)
		}
		if mustRecord(t, c, simulate.Options{}).Counter("cpu_user") != nil {
			drawn++
		}
	}
	if drawn < 4 || drawn > 16 {
		t.Errorf("%d of 20 captures have the processor's columns, want about half", drawn)
	}
}

func TestHealthyCasesAreHealthy(t *testing.T) {
	for seed := range uint64(20) {
		truth, err := mustNew(t, liveName, simulate.KindHealthy, seed).Judge()
		if err != nil {
			t.Fatal(err)
		}
		if !truth.Healthy || truth.Missed != 0 || truth.GPUBusy > 0.85 {
			t.Errorf("%d: healthy %t, %d dates missed, GPU busy for %g", seed, truth.Healthy, truth.Missed, truth.GPUBusy)
		}
	}
}

func TestPlantsLimit(t *testing.T) {
	for _, name := range Names {
		n, right := 0, 0
		for seed := range uint64(40) {
			c := mustNew(t, name, simulate.KindSingle, seed)
			truth, err := c.Judge()
			if err != nil {
				t.Fatal(err)
			}
			n++
			if l, clear := truth.Limiter(); clear && l.String() == c.Plant {
				right++
			} else {
				t.Logf("%s %d: %s limits, clearly %t; planted is %s", name, seed, l, clear, c.Plant)
			}
		}
		if right*100 < n*95 {
			t.Errorf("%s: %d of %d plants limit", name, right, n)
		}
	}
}

func TestSharesAddUp(t *testing.T) {
	for _, name := range Names {
		every(t, name, 3, func(c *simulate.Case, out *capture.Capture) {
			truth, err := c.Judge()
			if err != nil {
				t.Fatal(err)
			}
			start, end := out.Axis.Extent()
			if truth.Start != start || truth.End > end {
				t.Errorf("%s %s %d: the truth is of %d to %d, the capture of %d to %d", name, c.Kind, c.Seed, truth.Start,
					truth.End, start, end)
			}
			frames := 0
			for _, p := range append([]simulate.Part{truth.Part}, truth.Phases...) {
				var sum int64
				for _, s := range p.Shares {
					sum += s.Ns
				}
				if sum != p.End-p.Start {
					t.Errorf("%s %s %d: shares are %d of %d ns", name, c.Kind, c.Seed, sum, p.End-p.Start)
				}
				frames += p.Frames
			}
			if c.Kind == simulate.KindTwoPhase && (len(truth.Phases) != 2 || frames != 2*truth.Frames) {
				t.Errorf("%s %d: phases do not divide the frames", name, c.Seed)
			}
			if len(truth.Each) != truth.Frames {
				t.Errorf("%s %s %d: %d frames have %d truths", name, c.Kind, c.Seed, truth.Frames, len(truth.Each))
			}
		})
	}
}

func TestCountersCanBeLeftOut(t *testing.T) {
	for _, name := range Names {
		c := mustNew(t, name, simulate.KindArchetype, 1)
		all := mustRecord(t, c, simulate.Options{})
		left := all.Counters[len(all.Counters)/2].Name
		if some := mustRecord(t, c, simulate.Options{Without: []string{left}}); some.Counter(left) != nil {
			t.Errorf("%s: %s is there", name, left)
		}
	}
	if _, err := New("amd", simulate.KindSingle, 0); err == nil || !strings.Contains(err.Error(), "amd") {
		t.Errorf("an unknown family gives %v", err)
	}
}

// From GFX10 on the texture cache's bit is TCP_BUSY, of the caches of single pipes, which shaders alone ask.
func TestTextureCachesWorkForAddressersOnly(t *testing.T) {
	seen := 0
	for seed := range uint64(40) {
		c, err := New("amd-live-second", simulate.KindSingle, seed)
		if err != nil {
			t.Fatal(err)
		}
		if c.Plant != "unit/load_store" && c.Plant != "unit/pixel_backend" {
			continue
		}
		seen++
		got, err := c.Record(simulate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		total := func(name string) (sum float64) {
			for _, v := range got.Counter(name).Floats() {
				sum += v
			}
			return sum
		}
		ta, tc := total("busy_ta_ones")/total("grbm_samples"), total("busy_tc_ones")/total("grbm2_samples")
		if tc < ta-0.02 || c.Plant == "unit/pixel_backend" && tc > ta+0.3 {
			t.Errorf("%s, %d: addressers are busy in %.2f of the samples, texture caches in %.2f", c.Plant, seed, ta, tc)
		}
	}
	if seen < 4 {
		t.Errorf("saw %d cases", seen)
	}
}
