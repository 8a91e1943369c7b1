package amd

import (
	"math"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

func TestStatusBitsFitEachOther(t *testing.T) {
	cases(t, LiveName, simulatetest.Number(t, 3, 1), simulate.Options{}, func(c *simulate.Case, cap *capture.Capture) {
		what := c.Kind + ": " + c.Text
		gfx := cap.Counter("busy_gfx_ones").Floats()
		for b := range statusBits {
			bit := &statusBits[b]
			ones := cap.Counter("busy_" + bit.name + "_ones")
			if (ones != nil) != bit.has(0) && ones == nil && bit.from <= 8 && bit.to == 12 {
				t.Errorf("%s: %s is not there", what, bit.name)
			}
			if ones == nil {
				continue
			}
			samples := cap.Counter(registers[bit.register].counter).Floats()
			errs := cap.Counter("busy_" + bit.name + "_error").Floats()
			for i, v := range ones.Floats() {
				if v > samples[i] {
					t.Fatalf("%s: %s is set in %v of %v samples", what, bit.name, v, samples[i])
				}
				if bit.register < 2 && b != bitSDMA && v > gfx[i] {
					t.Fatalf("%s: %s is busy %v times, the whole pipe %v", what, bit.name, v, gfx[i])
				}
				if p := v / samples[i]; samples[i] > 0 && math.Abs(errs[i]-100*math.Sqrt(p*(1-p)/samples[i])) > 1e-9 {
					t.Fatalf("%s: the error of %s is %v", what, bit.name, errs[i])
				}
			}
		}
	})
}

func TestThePipeIsBusyWhileTheGPUHasWork(t *testing.T) {
	for _, kind := range []string{simulate.KindHealthy, simulate.KindSerial, simulate.KindSingle} {
		c := make5.Case(t, LiveName, kind, 1)
		truth := simulatetest.Judged(t, c)
		cap := simulatetest.Recorded(t, c, simulate.Options{Missed: -1})
		got := cap.Counter("busy_gfx_ones").Total().Float() / cap.Counter("grbm_samples").Total().Float()
		if math.Abs(got-truth.GPUBusy) > 0.04 {
			t.Errorf("%s: the status bit is set for %.3f of the time, work is there for %.3f", c.Text, got, truth.GPUBusy)
		}
	}
}

func TestProcessorTimeComesInTicksAndIsAllThere(t *testing.T) {
	cases(t, LiveName, 1, simulate.Options{Host: simulate.Yes, Period: 4e6}, func(c *simulate.Case, cap *capture.Capture) {
		columns := []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq", "cpu_steal"}
		start, end := cap.Axis.Extent()
		first := map[int]bool{} // samples in which CPUs' idle time has its first tick
		cpus := cap.Counter(columns[0]).Instances
		for k := range cpus {
			sum := 0.0
			for _, name := range columns {
				before := sum
				for i, v := range cap.Counter(name).Instances[k].Floats() {
					if v != math.Trunc(v/tickNs)*tickNs {
						t.Fatalf("%s: %s grows by %v ns", c.Text, name, v)
					}
					sum += v
					if name == "cpu_idle" && v > 0 && sum-v == before {
						first[i] = true
					}
				}
			}
			if off := math.Abs(sum - float64(end-start)); off > float64(len(columns))*tickNs+0.08*float64(end-start) {
				t.Errorf("%s: CPU %d has %.0f ms of %.0f", c.Text, k, sum/1e6, float64(end-start)/1e6)
			}
		}
		if len(cpus) > 7 && len(first) < 2 {
			t.Errorf("%s: all CPUs tick at once", c.Text)
		}
	})
}

func TestTheClockIsHeldWhereItLimits(t *testing.T) {
	for k, plant := range plants {
		if plant.Level != simulate.LevelClock {
			continue
		}
		c := make5.Case(t, LiveName, simulate.KindSingle, uint64(k))
		truth := simulatetest.Judged(t, c)
		cap := simulatetest.Recorded(t, c, simulate.Options{})
		most, _ := cap.Property("max_sclk_hz")
		got := cap.Counter("sensor_sclk").Mean().Float() / most.Number
		if truth.ClockMean > 0.9 || math.Abs(got-truth.ClockMean) > 0.06 {
			t.Errorf("%s: the clock is at %.2f, sensors say %.2f", c.Text, truth.ClockMean, got)
		}
		if x := cap.Counter("power"); plant == simulate.ClockPower && x != nil {
			if cap := cap.Counter("power_cap"); cap != nil && x.Mean().Float() < 0.93*cap.Mean().Float() {
				t.Errorf("%s: power is %.0f W of %.0f", c.Text, x.Mean().Float(), cap.Mean().Float())
			}
		}
	}
}

func TestProfiledCountersFitEachOther(t *testing.T) {
	cases(t, GPAName, simulatetest.Number(t, 8, 3), simulate.Options{}, func(c *simulate.Case, cap *capture.Capture) {
		get := func(name string) []float64 {
			if x := cap.Counter(name); x != nil {
				return x.Floats()
			}
			return nil
		}
		atMost := func(a, b string, by float64) {
			x, y := get(a), get(b)
			for i := range min(len(x), len(y)) {
				if x[i] > y[i]*by+1e-6 {
					t.Fatalf("%s: %s is %v and %s %v in row %d", c.Text, a, x[i], b, y[i], i)
				}
			}
		}
		sum := func(whole string, parts ...string) {
			total := get(whole)
			for i := range total {
				s := 0.0
				for _, p := range parts {
					if get(p) == nil {
						return
					}
					s += get(p)[i]
				}
				if s != total[i] {
					t.Fatalf("%s: %v make %v, %s is %v", c.Text, parts, s, whole, total[i])
				}
			}
		}
		for _, level := range []string{"L0", "L1", "L2", "Scalar", "Inst"} {
			sum(level+"CacheRequestCount", level+"CacheHitCount", level+"CacheMissCount")
		}
		for _, stage := range []string{"VsGsTime", "PSTime", "CSTime", "GPUTime"} {
			atMost(stage, "GPUTime", 1)
			atMost(stage, "ExecutionDuration", 1)
		}
		atMost("CulledPrims", "PrimitivesIn", 1)
		atMost("HiZQuadsAcceptedCount", "PreZQuadsSurvivingCount", 1e12)
		atMost("PreZQuadsSurvivingCount", "HiZQuadsAcceptedCount", 1)
		atMost("CBMemRead", "CBColorAndMaskRead", 1)
		atMost("CBMemWritten", "CBColorAndMaskWritten", 1)
		atMost("CBMemWritten", "WriteSize", 1.1)
		atMost("L0CacheMissCount", "L1CacheRequestCount", 1.05)
		atMost("L1CacheMissCount", "L2CacheRequestCount", 1.05)
		atMost("TexUnitBusyCycles", "GPUBusyCycles", 1.25)
		x, y := get("TexUnitBusy"), get("MemUnitBusy") // one program, in two passes
		for i := range min(len(x), len(y)) {
			if math.Abs(x[i]-y[i]) > 20 {
				t.Errorf("%s: TexUnitBusy is %v, MemUnitBusy %v", c.Text, x[i], y[i])
			}
		}
		if cap.Counter("VsGsVALUInstCount") != nil && cap.Counter("VsGsVerticesIn") != nil {
			t.Errorf("%s has counters of two generations", c.Text)
		}
	})
}

func TestRowsAreAsLongAsTheTruthSays(t *testing.T) {
	c := make5.Case(t, GPAName, simulate.KindTwoPhase, 2)
	truth := simulatetest.Judged(t, c)
	cap := simulatetest.Recorded(t, c, simulate.Options{Noise: -1})
	if len(truth.Each) != cap.Len() {
		t.Fatalf("%d rows, %d in the truth", cap.Len(), len(truth.Each))
	}
	for i, f := range truth.Each {
		if d := cap.Axis.Interval(i) - (f.Shown - f.Begin); d < -10 || d > 10 {
			t.Errorf("row %d lasts %d ns, the truth %d", i, cap.Axis.Interval(i), f.Shown-f.Begin)
		}
	}
}

// GPUPerfAPI says that exports do not stall where what is before them limits, and that assembly waits
// for the rasterizer where pixels limit.
func TestProfiledStallsAreOfTheBlocksBehind(t *testing.T) {
	mean := map[string][3]float64{} // of exports, of assembly, and cases
	for seed := range uint64(simulatetest.Number(t, 12, 6) * len(plantsGPA)) {
		c := make5.Case(t, GPAName, simulate.KindSingle, seed)
		cap := simulatetest.Recorded(t, c, simulate.Options{})
		if x, y := cap.Counter("PSExportStalls"), cap.Counter("PAStalledOnRasterizer"); x != nil && y != nil {
			m := mean[c.Plant]
			mean[c.Plant] = [3]float64{m[0] + x.Mean().Float(), m[1] + y.Mean().Float(), m[2] + 1}
		}
	}
	of := func(u, i int) float64 { m := mean[candidates[u].String()]; return m[i] / m[2] }
	for _, u := range []int{ge, pa, ls} {
		if x := of(u, 0); x > 4 {
			t.Errorf("where %s limits, exports stall for %.1f %% of the time", candidates[u], x)
		}
	}
	if x := of(cb, 0); x < 50 {
		t.Errorf("where colour blocks limit, exports stall for %.1f %% of the time", x)
	}
	for _, u := range []int{sc, cb, db} {
		if x := of(u, 1); x < 15 || x < 5*of(pa, 1) {
			t.Errorf("where %s limits, assembly waits for %.1f %% of the time", candidates[u], x)
		}
	}
}

func TestProfiledAmountsAreWhatTheirBlocksCanDo(t *testing.T) {
	depth, all := 0.0, 0.0
	cases(t, GPAName, simulatetest.Number(t, 30, 12), simulate.Options{}, func(c *simulate.Case, cap *capture.Capture) {
		cus, _ := cap.Property("num_cus")
		atMost := func(a, b string, by float64) {
			x, y := cap.Counter(a), cap.Counter(b)
			if x == nil || y == nil {
				return
			}
			limits := y.Floats()
			for i, v := range x.Floats() {
				if v > by*limits[i]+1000 {
					t.Fatalf("%s: %s is %v and %s %v in row %d", c.Text, a, v, b, limits[i], i)
				}
			}
		}
		atMost("L0CacheRequestCount", "MemUnitBusyCycles", 1.25*cus.Number)
		atMost("PSPixelsOut", "GPUBusyCycles", 192)
		atMost("ScalarCacheMissCount", "L1CacheRequestCount", 1.05)
		atMost("InstCacheMissCount", "L1CacheRequestCount", 1.05)
		atMost("DBMemWritten", "WriteSize", 1.05)
		out, x, y := cap.Counter("PSPixelsOut"), cap.Counter("DBMemWritten"), cap.Counter("WriteSize")
		quads := cap.Counter("HiZQuadsAcceptedCount")
		if out == nil || x == nil || y == nil || quads == nil {
			return
		}
		for i, v := range out.Floats() {
			if v == 0 && quads.Floats()[i] > 0 {
				depth, all = depth+x.Floats()[i], all+y.Floats()[i]
			}
		}
	})
	if depth < 0.6*all {
		t.Errorf("passes without colour write %.0f bytes, %.0f of depth", all, depth)
	}
}

func TestARasterizerThatLimitsMakesWhatItCan(t *testing.T) {
	for k := range simulatetest.Number(t, 6, 3) {
		c := make5.Case(t, GPAName, simulate.KindSingle, uint64(sc+k*len(plantsGPA)))
		cap := simulatetest.Recorded(t, c, simulate.Options{})
		engines, _ := cap.Property("num_shader_engines")
		quads := 0.0
		for _, name := range []string{"HiZQuadsAcceptedCount", "HiZQuadsCulledCount"} {
			if x := cap.Counter(name); x != nil {
				quads += x.Total().Float()
			}
		}
		// An engine of RDNA 2 and 3 makes 32 pixels in a clock.
		if x := quads / cap.Counter("GPUBusyCycles").Total().Float() / engines.Number; quads > 0 && (x < 3.6 || x > 8.1) {
			t.Errorf("%s: %.1f quads are made in a clock of a shader engine", c.Text, x)
		}
	}
}
