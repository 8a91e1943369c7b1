package mali

import (
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var cases simulatetest.Make = New

// counts finds the values of counters by Arm's machine names; the sums of several.
type counts struct {
	t   *testing.T
	c   *capture.Capture
	cat *metrics.Catalogue
}

func (x counts) of(names ...string) []float64 {
	out := make([]float64, x.c.Len())
	for _, name := range names {
		if e, err := x.cat.Find(name); err == nil {
			name = e.Name
		}
		c := x.c.Counter(name)
		if c == nil {
			x.t.Fatalf("no counter %s", name)
		}
		for i, v := range c.Floats() {
			out[i] += v
		}
	}
	return out
}

// within checks that a is nowhere more than b by more than a few.
func (x counts) within(a, b []float64, what string) {
	x.t.Helper()
	for i := range a {
		if a[i] > b[i]*1.0001+8 {
			x.t.Errorf("%s: sample %d has %v and %v", what, i, a[i], b[i])
			return
		}
	}
}

func (x counts) identities(gen5 bool, cores float64) {
	vert, frag, fragActive, other := "MaliVert", "MaliFrag", "MaliFragActiveCy", "MaliNonFragActiveCy"
	if gen5 {
		vert, frag, fragActive, other = "MaliBinning", "MaliMain", "MaliMainActiveCy", "MaliCompOrBinningActiveCy"
	}
	clock, active, exec := x.of("gpu_clock_cycles"), x.of("MaliGPUActiveCy"), x.of("MaliCoreActiveCy")
	scaled := func(v []float64, by float64) []float64 {
		out := slices.Clone(v)
		for i := range out {
			out[i] *= by
		}
		return out
	}
	x.within(active, clock, "GPU active <= clock")
	x.within(x.of("MaliGPUAnyQueueActiveCy"), active, "any queue <= GPU active")
	for _, q := range []string{vert, frag, "MaliComp"} {
		x.within(x.of(q+"QueuedCy"), x.of("MaliGPUAnyQueueActiveCy"), q+" queued <= any queue")
		x.within(x.of(q+"QueueAssignStallCy"), x.of(q+"QueuedCy"), q+" stalled <= queued")
	}
	x.within(x.of("MaliTilerActiveCy"), active, "tiler <= GPU active")
	x.within(x.of("MaliAnyActiveCy"), scaled(active, cores), "any core activity <= GPU active x cores")
	x.within(exec, x.of("MaliAnyActiveCy"), "execution core <= any")
	x.within(x.of(fragActive), x.of("MaliAnyActiveCy"), "fragment <= any")
	x.within(x.of(other), x.of("MaliAnyActiveCy"), "others <= any")
	x.within(x.of("MaliFragFPKActiveCy"), x.of(fragActive), "pre-pipe buffer <= fragment")
	if !gen5 {
		x.within(x.of("MaliEngFMAInstr", "MaliEngCVTInstr", "MaliEngSFUInstr"), exec, "instructions <= execution core")
	}
	x.within(scaled(x.of("MaliEngSFUInstr"), 4), exec, "SFU cycles <= execution core")
	x.within(x.of("MaliTexFiltIssueCy"), exec, "filter <= execution core")
	x.within(x.of("MaliLSFullRd", "MaliLSPartRd", "MaliLSFullWr", "MaliLSPartWr", "MaliLSAtomic"), exec, "load/store <= execution core")
	x.within(x.of("MaliFragEZSKillQd"), x.of("MaliFragEZSTestQd"), "killed <= tested")
	x.within(x.of("MaliFragEZSTestQd"), x.of("MaliFragRastQd"), "tested <= rasterized")
	x.within(scaled(x.of("MaliFragWarp"), 4), x.of("MaliFragRastQd"), "shaded quads <= rasterized")
	for _, u := range []string{"FFE", "LS", "Tex"} {
		x.within(x.of("MaliSCBus"+u+"ExtRdBt"), x.of("MaliSCBus"+u+"L2RdBt"), u+" from memory <= from the cache")
	}
	bands := x.of("MaliExtBusRdLat0", "MaliExtBusRdLat128", "MaliExtBusRdLat192", "MaliExtBusRdLat256", "MaliExtBusRdLat320")
	x.within(bands, x.of("MaliExtBusRdBt"), "latency bands <= beats")
	x.within(x.of("MaliExtBusRdOTQ1", "MaliExtBusRdOTQ2", "MaliExtBusRdOTQ3"), x.of("MaliExtBusRd"), "quarters <= reads")
	equal := func(a, b []float64, what string) {
		x.t.Helper()
		if !slices.Equal(a, b) {
			x.t.Errorf("%s do not agree", what)
		}
	}
	equal(x.of("MaliL2CacheLookup"), x.of("MaliL2CacheRdLookup", "MaliL2CacheWrLookup"), "lookups")
	equal(x.of("MaliGeomVisiblePrim"), x.of("MaliGeomFrontFacePrim", "MaliGeomBackFacePrim"), "visible primitives")
	equal(x.of("MaliExtBusWr"), x.of("MaliExtBusWrNoSnoopFull", "MaliExtBusWrNoSnoopPart"), "external writes")
	culled := []string{"MaliGeomFaceXYPlaneCullPrim", "MaliGeomZPlaneCullPrim"}
	if gen5 {
		culled = []string{"MaliGeomFaceCullPrim", "MaliGeomPlaneCullPrim", "MaliGeomScissorCullPrim"}
	}
	equal(x.of("MaliGeomTrianglePrim", "MaliGeomLinePrim", "MaliGeomPointPrim"),
		x.of(append(culled, "MaliGeomSampleCullPrim", "MaliGeomVisiblePrim")...), "primitives")
}

func TestCapturesFitTogetherAndKeepTheIdentities(t *testing.T) {
	for k, name := range Names {
		cat, err := metrics.Get(name[:len("mali-g710")])
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range Kinds(name) {
			for seed := range uint64(8) {
				cap := simulatetest.Recorded(t, cases.Case(t, name, kind, seed), simulate.Options{})
				cores, ok := cap.Property("MaliConstantsShaderCoreCount")
				if !ok || cap.GPU != name[:len("mali-g710")] {
					t.Fatalf("%s: the capture is of %q", name, cap.GPU)
				}
				if seed < 4 {
					t.Logf("%s %s %d", name, kind, seed)
					counts{t, cap, cat}.identities(k == 1, cores.Number)
				}
				if t.Failed() {
					return
				}
			}
		}
	}
}

func TestPlantsAreWhatLimits(t *testing.T) {
	for k, name := range Names {
		cases.PlantsLimit(t, name, len(plants(k == 1)))
	}
}

func TestProgramsThatKeepTheirDatesHaveTimeToSpare(t *testing.T) {
	for name, seeds := range map[string][]uint64{Names[0]: {2, 46}, Names[1]: {3, 19, 33}} {
		for _, seed := range seeds {
			c := cases.Case(t, name, simulate.KindHealthy, seed)
			cap := simulatetest.Recorded(t, c, simulate.Options{})
			working, clock := 0.0, 0.0
			for _, v := range cap.Counter("MaliGPUCyclesAnyQueueActive").Floats() {
				working += v
			}
			for _, v := range cap.Counter("gpu_clock_cycles").Floats() {
				clock += v
			}
			if working > 0.9*clock {
				t.Errorf("%s healthy %d: queues work for %.3f of the time", name, seed, working/clock)
			}
			if truth := simulatetest.Judged(t, c); !truth.Healthy {
				t.Errorf("%s healthy %d misses %d dates", name, seed, truth.Missed)
			}
		}
	}
}

func TestSlicesOfTheCacheGiveWhatNobodyTells(t *testing.T) {
	least, most := 4.0, 0.0
	for k, name := range Names {
		n := uint64(len(plants(k == 1)))
		at := uint64(slices.Index(plants(k == 1), leafOf[rCache]))
		for i := range uint64(6) {
			cap := simulatetest.Recorded(t, cases.Case(t, name, simulate.KindSingle, at+i*n), simulate.Options{})
			many, _ := cap.Property("MaliConstantsL2SliceCount")
			lookups, clock := 0.0, 0.0
			for i, v := range cap.Counter("MaliGPUCyclesAnyQueueActive").Floats() {
				clock += v * many.Number
				lookups += cap.Counter("MaliL2CacheLookupsAnyLookups").Floats()[i]
			}
			least, most = min(least, 4*lookups/clock), max(most, 4*lookups/clock)
		}
	}
	if least > 2.2 || most < 2.8 {
		t.Errorf("slices that limit give %.2f to %.2f beats in a cycle", least, most)
	}
}

// Arm's data sheet gives a core four pixels per cycle, and formats of more than 32 bits or many samples take a few times as
// long: a backend that limits does not take tens of cycles for a quad.
func TestABackendThatLimitsTakesPixelsAtItsRate(t *testing.T) {
	for k, name := range Names {
		all := plants(k == 1)
		at := uint64(slices.Index(all, leafOf[rBackend]))
		for i := range uint64(6) {
			cap := simulatetest.Recorded(t, cases.Case(t, name, simulate.KindSingle, at+i*uint64(len(all))), simulate.Options{})
			cat, err := metrics.Get(cap.GPU)
			if err != nil {
				t.Fatal(err)
			}
			x := counts{t, cap, cat}
			active := "MaliFragActiveCy"
			if k == 1 {
				active = "MaliMainActiveCy"
			}
			pixels, cycles := 0.0, 0.0
			for _, v := range x.of("MaliFragWarp") {
				pixels += 16 * v
			}
			for _, v := range x.of(active) {
				cycles += v
			}
			if rate := pixels / cycles; rate < 0.8 || rate > 4 {
				t.Errorf("%s single %d: %.2f pixels per cycle and core", name, at+i*uint64(len(all)), rate)
			}
		}
	}
}

// By Little's law as many reads are under way as begin in the time that one takes. Where these are few, as where reads
// wait for each other, the histogram of outstanding reads is in its lowest band.
func TestOutstandingReadsFollowFromTheirLatency(t *testing.T) {
	for k, name := range Names {
		all := plants(k == 1)
		for _, resource := range []int{rLatency, rBackend, rArithmetic} {
			at := uint64(slices.Index(all, leafOf[resource]))
			for i := range uint64(4) {
				cap := simulatetest.Recorded(t, cases.Case(t, name, simulate.KindSingle, at+i*uint64(len(all))), simulate.Options{})
				cat, err := metrics.Get(cap.GPU)
				if err != nil {
					t.Fatal(err)
				}
				x := counts{t, cap, cat}
				total := func(names ...string) (sum float64) {
					for _, v := range x.of(names...) {
						sum += v
					}
					return sum
				}
				latency, banded := 0.0, 0.0
				for i, band := range []string{"0", "128", "192", "256", "320"} {
					beats := total("MaliExtBusRdLat" + band)
					latency, banded = latency+beats*[]float64{100, 160, 224, 288, 352}[i], banded+beats
				}
				beats := total("MaliExtBusRdBt")
				latency = (latency + 500*(beats-banded)) / beats
				cores, _ := cap.Property("MaliConstantsShaderCoreCount")
				reads := total("MaliExtBusRd")
				flight := reads / total("gpu_clock_cycles") * latency / cores.Number
				if lowest := total("MaliExtBusRdOTQ1") / reads; flight < 3 && lowest < 0.8 {
					t.Errorf("%s, %v, %d: %.1f reads of a core under way, and %.2f of them in the lowest band", name, leafOf[resource], i, flight, lowest)
				}
			}
		}
	}
}

func TestAFrameThatADisplayHoldsHasNoClearLimiter(t *testing.T) {
	truth := simulatetest.Judged(t, cases.Case(t, Names[0], simulate.KindArchetype, 23)) // every second refresh of 120 Hz
	if _, clear := truth.Limiter(); clear || truth.Missed == 0 {
		t.Errorf("clear: %v, with %d dates missed", clear, truth.Missed)
	}
}

func TestSharesAddUp(t *testing.T) {
	for _, kind := range simulate.Kinds() {
		for seed := range uint64(2) {
			truth := simulatetest.Judged(t, cases.Case(t, Names[seed%2], kind, seed))
			if kind == simulate.KindHealthy && !truth.Healthy {
				t.Errorf("healthy %d misses %d dates", seed, truth.Missed)
			}
			if kind == simulate.KindTwoPhase && len(truth.Phases) != 2 {
				t.Errorf("two-phase %d has %d phases", seed, len(truth.Phases))
			}
		}
	}
}

func TestTheRecorderHonoursOptions(t *testing.T) {
	c := cases.Case(t, Names[1], simulate.KindArchetype, 1)
	bandwidth := simulate.MemoryBandwidth
	cap := simulatetest.Recorded(t, c, simulate.Options{Host: simulate.Yes, Without: []string{"MaliGPUCyclesTilerActive"},
		Withheld: []simulate.Candidate{bandwidth}})
	for _, gone := range []string{"MaliGPUCyclesTilerActive", "MaliExternalBusBeatsReadBeats", "MaliExternalBusBeatsWriteBeats"} {
		if cap.Counter(gone) != nil {
			t.Errorf("%s is there", gone)
		}
	}
	if cap.Counter("cpu_user") == nil || simulatetest.Recorded(t, c, simulate.Options{Host: simulate.No}).Counter("cpu_user") != nil {
		t.Error("the processors are not as asked for")
	}
}
