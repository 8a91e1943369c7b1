package amd

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
	"astrolabe/capture/simulate/telling"
)

var cases simulatetest.Make = New

func made(t *testing.T, name, kind string, seed uint64) (*simulate.Case, *capture.Capture) {
	t.Helper()
	c := cases.Case(t, name, kind, seed)
	return c, simulatetest.Recorded(t, c, simulate.Options{})
}

func each(f func(name, kind string)) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			f(name, kind)
		}
	}
}

func TestRecordsOfManySeedsHoldTogether(t *testing.T) {
	each(func(name, kind string) {
		for seed := range uint64(8) {
			_, rec := made(t, name, kind, seed)
			if rec.Len() == 0 || len(rec.Counters) < 20 {
				t.Fatalf("%s %s %d: %d samples of %d counters", name, kind, seed, rec.Len(), len(rec.Counters))
			}
			for _, c := range rec.Counters {
				for i, v := range c.Floats() {
					if v < 0 || math.IsInf(v, 0) || c.Unit == "percent" && v > 100.0001 {
						t.Errorf("%s %s %d: %s is %v in sample %d", name, kind, seed, c.Name, v, i)
					}
				}
			}
		}
	})
}

func TestPlantsLimit(t *testing.T) {
	for _, name := range Names {
		cases.PlantsLimit(t, name, 40)
	}
}

func TestSharesAddUp(t *testing.T) {
	each(func(name, kind string) {
		clear, n := 0, uint64(3)
		var who []string
		for seed := range n {
			c, rec := made(t, name, kind, seed)
			truth := simulatetest.Judged(t, c)
			if start, end := rec.Axis.Extent(); truth.Start != start || truth.End > end {
				t.Errorf("%s %s %d: the truth is of %d to %d, the capture of %d to %d", name, kind, seed, truth.Start, truth.End, start, end)
			}
			l, ok := truth.Limiter()
			if ok {
				clear++
			}
			who = append(who, l.Name)
		}
		t.Logf("%s %s: %d of %d clear: %s", name, kind, clear, n, strings.Join(who, " "))
	})
}

// TestIdentitiesOfDraws checks that hits and misses are the requests, shares are those of the cycles, parts add up to
// their whole, and bytes are whole requests.
func TestIdentitiesOfDraws(t *testing.T) {
	for _, kind := range Kinds(gpaName) {
		for seed := range uint64(6) {
			_, rec := made(t, gpaName, kind, seed)
			for _, c := range rec.Counters {
				if c.Doc == "" {
					t.Errorf("%s %d: the catalogue does not know %s", kind, seed, c.Name)
				}
			}
			has := func(name string) bool { return rec.Counter(name) != nil }
			for i := range rec.Len() {
				v := func(name string) float64 { return rec.Counter(name).Floats()[i] }
				near := func(what string, a, b, part float64) {
					if math.Abs(a-b) > part*max(1, math.Abs(b)) {
						t.Errorf("%s %d, sample %d: %s: %v is not %v", kind, seed, i, what, a, b)
					}
				}
				for _, c := range []string{"L0", "L1", "L2", "Inst", "Scalar"} {
					near(c+" hits and misses", v(c+"CacheHitCount")+v(c+"CacheMissCount"), v(c+"CacheRequestCount"), 1e-9)
				}
				near("L2 hit and miss", v("L2CacheHit")+v("L2CacheMiss"), 100*min(1, v("L2CacheRequestCount")), 1e-6)
				for _, b := range []string{"VsGsBusy", "PSBusy", "CSBusy", "PrimitiveAssemblyBusy", "DepthStencilTestBusy",
					"TexUnitBusy", "MemUnitStalled", "PSExportStalls", "WriteUnitStalled"} {
					near(b+" of the cycles", v(b+"Cycles"), v(b)/100*v("GPUBusyCycles"), 0.05)
				}
				near("time of compute", v("CSTime"), v("GPUTime")*v("CSBusy")/100, 1e-6)
				if v("MemUnitStalled") > v("MemUnitBusy")*1.05+1 || v("ZUnitStalled") > v("DepthStencilTestBusy")*1.05+1 {
					t.Errorf("%s %d, sample %d: a block is stalled for longer than it is busy", kind, seed, i)
				}
				if v("PrimitiveAssemblyBusy")+v("PAStalledOnRasterizer") > 106 { // the one is without the other
					t.Errorf("%s %d, sample %d: primitives are assembled and stalled for more than the time", kind, seed, i)
				}
				if v("PSExportStalls") > 20 && v("ZUnitStalled") < 0.5*v("PSExportStalls") {
					t.Errorf("%s %d, sample %d: exports wait for colour, and the block between does not", kind, seed, i)
				}
				if v("WriteUnitStalled") > 40 && v("WriteUnitStalled") > 110*moved(rec, i) {
					t.Errorf("%s %d, sample %d: writes are stalled for %.0f %% with memory %.2f full", kind, seed, i,
						v("WriteUnitStalled"), moved(rec, i))
				}
				if quads := quadsPerClock(rec); v("HiZQuadsAcceptedCount") > quads*v("GPUBusyCycles")*1.02 {
					t.Errorf("%s %d, sample %d: %.0f quads in %.0f cycles of %.0f", kind, seed, i, v("HiZQuadsAcceptedCount"),
						v("GPUBusyCycles"), quads)
				}
				if v("CulledPrims")+v("ClippedPrims") > v("PrimitivesIn")+1 {
					t.Errorf("%s %d, sample %d: more primitives leave than come in", kind, seed, i)
				}
				near("threads of waves", v("CSThreadsLaunched"), 32*v("CSWavefrontsLaunched"), 1e-9)
				near("threads of groups", v("CSThreadGroupSize")*v("CSThreadGroupsLaunched"), v("CSThreadsLaunched"), 1e-6)
				near("tests of rays", v("RayBoxTests")+v("RayTriTests"), v("TotalRayTests"), 1e-9)
				near("quads", v("HiZQuadsCulledCount")+v("PreZQuadsCulledCount")+v("PreZQuadsSurvivingCount"),
					v("HiZQuadsCulledCount")+v("HiZQuadsAcceptedCount"), 1e-9)
				if math.Mod(v("FetchSize"), 32) != 0 || math.Mod(v("WriteSize"), 32) != 0 {
					t.Errorf("%s %d, sample %d: bytes are no whole requests", kind, seed, i)
				}
				near("requests for memory", v("LocalVidMemBytes"), v("FetchSize")+v("WriteSize"), 0.05)
				near("execution", v("ExecutionEnd")-v("ExecutionStart"), v("ExecutionDuration"), 1e-6)
				if has("CBMemRead") && v("CBColorAndMaskRead") < v("CBMemRead") {
					t.Errorf("%s %d, sample %d: masks are read less than nothing", kind, seed, i)
				}
				near("the sample", float64(rec.Axis.Interval(i)), v("GPUTime"), 1e-9)
			}
		}
	}
}

// device is the product that a capture is of.
func device(rec *capture.Capture) *part {
	return &parts[slices.IndexFunc(parts, func(p part) bool { return p.name == rec.Device.Name })]
}

// moved is what is asked of memory in a sample, by what it can move. The last level answers some of it.
func moved(rec *capture.Capture, i int) float64 {
	return rec.Counter("LocalVidMemBytes").Floats()[i] / float64(rec.Axis.Interval(i)) / (device(rec).dram * dramReach)
}

// quadsPerClock are those of as many pixels as leave.
func quadsPerClock(rec *capture.Capture) float64 { return device(rec).rops / 4 }

// TestIdentitiesOfStatusBits checks that no bit is set more often than it was looked at, that no block works while the
// pipe is idle for long, and that engines of clients work for no more than the time.
func TestIdentitiesOfStatusBits(t *testing.T) {
	for _, kind := range Kinds(liveName) {
		for seed := range uint64(4) {
			_, rec := made(t, liveName, kind, seed)
			total := map[string]float64{}
			n := rec.Counter("grbm_samples").Floats()
			for _, b := range bits {
				for i, v := range rec.Counter("busy_" + b.name + "_ones").Floats() {
					total[b.name] += v
					if v > n[i] {
						t.Errorf("%s %d: %s is set %v times of %v", kind, seed, b.name, v, n[i])
					}
				}
				if b.name != "cp" && b.name != "cpf" && total[b.name] > total["gfx"]*1.01+5 {
					t.Errorf("%s %d: %s is set %v times, the pipe %v", kind, seed, b.name, total[b.name], total["gfx"])
				}
			}
			_, end := rec.Axis.Extent()
			for _, name := range []string{"engine_gfx", "engine_compute"} {
				sum := 0.0
				for _, v := range rec.Counter(name).Floats() {
					sum += v
				}
				if sum > float64(end)*1.001 {
					t.Errorf("%s %d: %s is %v ns of %d", kind, seed, name, sum, end)
				}
			}
		}
	}
}

func TestOptionsLeaveCountersOut(t *testing.T) {
	each(func(name, kind string) {
		c, err := New(name, kind, 5)
		if err != nil {
			t.Fatal(err)
		}
		gone := "TexUnitBusy"
		table := telling.GPA
		if name == liveName {
			gone, table = "busy_ta_ones", telling.AMD
		}
		for k, names := range table {
			rec, err := c.Record(simulate.Options{Withheld: []simulate.Candidate{k}, Without: []string{gone}, Host: simulate.No})
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range append(names, gone) {
				if rec.Counter(n) != nil {
					t.Errorf("%s %s: %s is there without %v", name, kind, n, k)
				}
			}
			if rec.Counter("cpu_user") != nil {
				t.Errorf("%s %s: the processor is there", name, kind)
			}
		}
		rec, err := c.Record(simulate.Options{Host: simulate.Yes, Marks: simulate.Yes})
		if err != nil {
			t.Fatal(err)
		}
		if name == liveName && (rec.Counter("cpu_user") == nil || rec.Label("frame") == nil) {
			t.Errorf("%s %s: the processor or the frames are not there", name, kind)
		}
	})
}

func TestHealthyOnesKeepEveryDate(t *testing.T) {
	for seed := range uint64(6) {
		c, _ := made(t, liveName, simulate.KindHealthy, seed)
		if truth := simulatetest.Judged(t, c); !truth.Healthy || truth.Missed > 0 || truth.Leaves[0].Percent > 5 {
			t.Errorf("%d: healthy %v, %d dates missed, gains %v", seed, truth.Healthy, truth.Missed, truth.Leaves[:2])
		}
	}
}

// A frame whose graphics queue has nothing to do once took no number of nanoseconds.
func TestFramesWithoutGraphicsTakeTime(t *testing.T) {
	c, err := New(liveName, simulate.KindRandom, 83014)
	if err != nil {
		t.Fatal(err)
	}
	truth, err := c.Judge()
	if err != nil || truth.Frames < 24 || truth.End <= truth.Start {
		t.Errorf("%d frames from %d to %d, %v", truth.Frames, truth.Start, truth.End, err)
	}
}

// What a copy reaches of the memory's bandwidth is the same for copies of all sizes that are long enough: there are misses
// for several times what is needed by Little's law. Writes wait where memory is full.
func TestACopyFillsMemoryHoweverLargeItIs(t *testing.T) {
	s := new(pipe)
	for i := range parts {
		p := &parts[i]
		for seed := range uint64(6) {
			m := &maker{r: rand.New(rand.NewPCG(seed, 1)), p: p, scale: 1}
			m.stream("copy", p.dram*1e5*float64(seed+2))
			w := &m.works[0]
			o := s.run(p, p.clock, w, -1)
			if reached := (o.traffic.read(w) + o.traffic.written(w)) / o.time / p.dram; reached < 0.75 || o.onWrites.sum < 0.7*o.time {
				t.Errorf("%s, copy %d: %.2f of the memory's bandwidth, writes wait for %.2f of the time", p.name, seed, reached, o.onWrites.sum/o.time)
			}
		}
	}
}

// A cache that limits works for most of the time.
func TestACacheThatLimitsIsBusy(t *testing.T) {
	s := new(pipe)
	for i := range parts {
		p := &parts[i]
		for seed := range uint64(4) {
			m := &maker{r: rand.New(rand.NewPCG(seed, 2)), p: p, scale: p.units / 50}
			plant(m, cache, 1)
			w := &m.works[0]
			o := s.run(p, 0.8*p.clock, w, -1)
			busy := max(o.busy[serveL1], o.busy[serveL2]) / o.time
			if tc := o.chances(w, false)[14]; busy < 0.6 || tc < 0.95 {
				t.Errorf("%s, %d: the busier of two levels works for %.2f of the time, and any for %.2f", p.name, seed, busy, tc)
			}
		}
	}
}

// The texture cache's bit is of the caches of single pipes (TCP), which the address units alone ask.
func TestTheTextureCachesBitFollowsTheAddressUnits(t *testing.T) {
	s := new(pipe)
	p := &parts[0]
	for label, least := range map[int]float64{loadStore: 0.9, texture: 0.9, depth: 0} {
		m := &maker{r: rand.New(rand.NewPCG(3, 2)), p: p, pixels: 1920 * 1080, scale: p.units / 50}
		plant(m, label, 1)
		w := &m.works[0]
		w.settle()
		chances := s.run(p, p.clock, w, -1).chances(w, false)
		ta, tc := chances[3], chances[14]
		if tc < ta || tc < least || label == depth && tc > ta+0.1 {
			t.Errorf("%v: address units are found busy in %.2f of the samples, texture caches in %.2f", candidates[label], ta, tc)
		}
	}
}

// Waves of vertices ask for room for what they export, and stay where there is none.
func TestVerticesWaitForPrimitiveAssembly(t *testing.T) {
	s := new(pipe)
	for i := range parts {
		p := &parts[i]
		m := &maker{r: rand.New(rand.NewPCG(1, uint64(i))), p: p, pixels: 1920 * 1080, scale: 1}
		plant(m, primitives, 1)
		w := &m.works[0]
		w.settle()
		if o := s.run(p, p.clock, w, -1); o.busy[servePA] < 0.7*o.time || o.vs.sum < 0.9*o.busy[servePA] {
			t.Errorf("%s: primitive assembly works for %.2f of the time, and vertices are there for %.2f", p.name, o.busy[servePA]/o.time, o.vs.sum/o.time)
		}
	}
}
