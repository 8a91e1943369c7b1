package cpu

import (
	"math"
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// each makes the first cases of every kind.
func each(t *testing.T, n int, check func(t *testing.T, c *simulate.Case)) {
	for _, kind := range Kinds(Names[0]) {
		t.Run(kind, func(t *testing.T) {
			for seed := range uint64(n) {
				c, err := New(Names[0], kind, seed)
				if err != nil {
					t.Fatal(err)
				}
				check(t, c)
			}
		})
	}
}

// values are a counter's, of all its instances together; nil where there is none.
func values(c *capture.Capture, name string) []float64 {
	if ctr := c.Counter(name); ctr != nil {
		return ctr.Floats()
	}
	return nil
}

func sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

// Counters hold what they hold on hardware.
func TestIdentities(t *testing.T) {
	each(t, 30, func(t *testing.T, c *simulate.Case) {
		cap, err := c.Record(simulate.Options{})
		if err != nil {
			t.Fatalf("%s %d: %v", c.Kind, c.Seed, err)
		}
		wrong := func(format string, args ...any) {
			t.Errorf("%s %d, %s: "+format, append([]any{c.Kind, c.Seed, c.Text}, args...)...)
		}
		long := float64(cap.Axis.Measured())
		for i := range cap.Axis.Start {
			if cap.Axis.End[i] <= cap.Axis.Start[i] || i > 0 && cap.Axis.Start[i] != cap.Axis.End[i-1] {
				wrong("sample %d is from %d to %d", i, cap.Axis.Start[i], cap.Axis.End[i])
			}
		}
		for _, pair := range [][2]string{{"branch_misses", "branches"}, {"branches", "instructions"},
			{"cache_misses", "cache_references"}, {"L1_dcache_load_misses", "L1_dcache_loads"},
			{"LLC_load_misses", "LLC_loads"}, {"dTLB_load_misses", "dTLB_loads"},
			{"topdown_mem_bound", "topdown_be_bound"}, {"topdown_slots_retired", "topdown_slots_issued"},
			{"amd_ops_retired", "amd_ops_dispatched"}, {"amd_cycles_of_loads", "amd_cycles_of_the_oldest"},
			{"major_faults", "page_faults"}, {"pressure_io_full", "pressure_io_some"},
			{"stalled_cycles_frontend", "cycles"}, {"stalled_cycles_backend", "cycles"}} {
			part, whole := values(cap, pair[0]), values(cap, pair[1])
			if part == nil {
				continue
			}
			for i := range part {
				if part[i] > whole[i]+2 {
					wrong("sample %d has %v %s of %v %s", i, part[i], pair[0], whole[i], pair[1])
					break
				}
			}
		}
		faults := sum(values(cap, "page_faults")) - sum(values(cap, "minor_faults")) - sum(values(cap, "major_faults"))
		if math.Abs(faults) > 2 {
			wrong("page faults are %v more than minor and major ones", faults)
		}
		cpus, _ := cap.Property("cpus_online")
		task := values(cap, "task_clock")
		for i := range task {
			// What a thread has counted between two of its samples is spread evenly.
			if task[i] > cpus.Number*float64(cap.Axis.Interval(i))*1.3+1e5 {
				wrong("sample %d has a task clock of %v ns in %d ns on %v CPUs", i, task[i], cap.Axis.Interval(i), cpus.Number)
				break
			}
		}
		if sum(task) > cpus.Number*long*1.001 {
			wrong("the task clock is %v ns in %v ns on %v CPUs", sum(task), long, cpus.Number)
		}
		hz := sum(values(cap, "cycles")) / sum(task)
		if hz > 5.3 {
			wrong("the clock is %v GHz", hz)
		}
		if ref := sum(values(cap, "ref_cycles")); ref > 0 && (sum(values(cap, "cycles"))/ref > 3 || ref/sum(task) > 4) {
			wrong("there are %v reference cycles in %v ns", ref, sum(task))
		}
		if total := values(cap, "topdown_retiring"); total != nil {
			slots := 0.0
			for _, name := range []string{"topdown_retiring", "topdown_bad_spec", "topdown_fe_bound", "topdown_be_bound"} {
				slots += sum(values(cap, name))
			}
			if width := slots / sum(values(cap, "cycles")); math.Abs(width-math.Round(width)) > 0.02 {
				wrong("there are %v slots per cycle", width)
			}
		}
		// Processor times add up to the time, but for the kernel's grain.
		busy := 0.0
		for _, ctr := range cap.Counters {
			if slices.Contains([]string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_softirq",
				"cpu_steal"}, ctr.Name) {
				if len(ctr.Instances) != int(cpus.Number) {
					wrong("%s has %d instances", ctr.Name, len(ctr.Instances))
				}
				busy += sum(ctr.Floats())
			}
		}
		if off := math.Abs(busy - long*cpus.Number); busy > 0 && off > 7*10e6*cpus.Number {
			wrong("processor times are %v ns from the time", off)
		}
	})
}

// The same arguments give the same, and what is left out is left out.
func TestSame(t *testing.T) {
	each(t, 3, func(t *testing.T, c *simulate.Case) {
		again, err := New(c.Family, c.Kind, c.Seed)
		if err != nil {
			t.Fatal(err)
		}
		a, err := c.Record(simulate.Options{Host: simulate.No, Without: []string{"cache_misses"}})
		if err != nil {
			t.Fatal(err)
		}
		b, err := again.Record(simulate.Options{Host: simulate.Yes})
		if err != nil {
			t.Fatal(err)
		}
		if a.Counter("cache_misses") != nil || a.Counter("cpu_user") != nil || b.Counter("cpu_user") == nil {
			t.Errorf("%s %d: the options do not decide what is recorded", c.Kind, c.Seed)
		}
		for _, ctr := range a.Counters {
			if ctr.Source == "perfevent" && ctr.Col != nil &&
				!slices.Equal(ctr.Col.Data().U, b.Counter(ctr.Name).Col.Data().U) {
				t.Errorf("%s %d: %s differs", c.Kind, c.Seed, ctr.Name)
			}
		}
		x, err := c.Judge()
		if err != nil {
			t.Fatal(err)
		}
		y, err := again.Judge()
		if err != nil {
			t.Fatal(err)
		}
		if n := b.Len(); b.Axis.Start[0] != x.Start || b.Axis.End[n-1] != x.End {
			t.Errorf("%s %d: the recording is not of the time that is judged", c.Kind, c.Seed)
		}
		if !slices.Equal(x.Leaves, y.Leaves) || !slices.Equal(x.Shares, y.Shares) {
			t.Errorf("%s %d is judged in two ways", c.Kind, c.Seed)
		}
	})
}

// Shares add up, phases are all of it, and programs with dates keep them.
func TestTruth(t *testing.T) {
	each(t, 12, func(t *testing.T, c *simulate.Case) {
		truth, err := c.Judge()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range append([]simulate.Part{truth.Part}, truth.Phases...) {
			left := p.End - p.Start
			for _, s := range p.Shares {
				left -= s.Ns
			}
			if left != 0 {
				t.Errorf("%s %d: shares are %d ns too short", c.Kind, c.Seed, left)
			}
		}
		if two := c.Kind == simulate.KindTwoPhase; two != (len(truth.Phases) == 2) ||
			two && (truth.Phases[0].End != truth.Phases[1].Start || truth.Phases[1].End != truth.End ||
				truth.Phases[0].Frames+truth.Phases[1].Frames != truth.Frames) {
			t.Errorf("%s %d: phases are %+v", c.Kind, c.Seed, truth.Phases)
		}
		if truth.Healthy != (c.Kind == simulate.KindHealthy) {
			t.Errorf("%s %d, %s: healthy is %v, %d dates missed", c.Kind, c.Seed, c.Text, truth.Healthy, truth.Missed)
		}
		if len(truth.Each) != truth.Frames {
			t.Errorf("%s %d: %d frames of %d", c.Kind, c.Seed, len(truth.Each), truth.Frames)
		}
	})
}

// What a case was planted with is what gains most.
func TestSingle(t *testing.T) {
	right, n := 0, 80
	for seed := range uint64(n) {
		c, err := New(Names[0], simulate.KindSingle, seed)
		if err != nil {
			t.Fatal(err)
		}
		truth, err := c.Judge()
		if err != nil {
			t.Fatal(err)
		}
		if best, clear := simulate.Best(truth.Leaves); clear && best.Candidate.String() == c.Plant {
			right++
		} else {
			t.Logf("seed %d, %s: %s was planted, gains are %v", seed, c.Text, c.Plant, truth.Leaves[:3])
		}
	}
	if right*100 < n*95 {
		t.Errorf("the planted candidate gains most in %d of %d cases", right, n)
	}
}
