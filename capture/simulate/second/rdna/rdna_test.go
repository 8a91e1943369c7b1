package rdna

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

func recorded(t *testing.T, kind string, seed uint64) (*simulate.Case, *capture.Capture) {
	t.Helper()
	c, err := New(Gfx1151, kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Record(simulate.Options{})
	if err != nil {
		t.Fatalf("%s %d: %v", kind, seed, err)
	}
	return c, got
}

// sums are counters that add up to another in the same run of the program, within what six digits can tell.
var sums = []struct {
	whole string
	parts []string
}{
	{"GL2C_READ_sum", []string{"GL1C_GL2_REQ_READ_sum"}},
	{"GL1C_GL2_REQ_READ_sum", []string{"GL1C_GL2_REQ_READ_32B_sum", "GL1C_GL2_REQ_READ_64B_sum",
		"GL1C_GL2_REQ_READ_128B_sum"}},
	{"GL1C_GL2_REQ_WRITE_sum", []string{"GL1C_GL2_REQ_WRITE_32B_sum", "GL1C_GL2_REQ_WRITE_64B_sum"}},
	{"GL1C_REQ_sum", []string{"GL1C_REQ_READ_sum", "GL1C_REQ_WRITE_sum"}},
	{"GL2C_REQ_sum", []string{"GL2C_READ_sum", "GL2C_WRITE_sum", "GL2C_ATOMIC_sum"}},
	{"GL2C_REQ_sum", []string{"GL2C_HIT_sum", "GL2C_MISS_sum"}},
	{"GL2C_READ_sum", []string{"GL2C_READ_32_REQ_sum", "GL2C_READ_64_REQ_sum", "GL2C_READ_128_REQ_sum"}},
	{"GL2C_EA_RDREQ_DRAM_sum", []string{"GL2C_EA_RDREQ_32B_sum", "GL2C_EA_RDREQ_64B_sum", "GL2C_EA_RDREQ_96B_sum",
		"GL2C_EA_RDREQ_128B_sum"}},
	{"GL2C_MC_WRREQ_sum", []string{"GL2C_EA_WRREQ_DRAM_sum"}},
	{"GRBM_GUI_ACTIVE", []string{"CPC_STAT_BUSY"}},
}

// bounds are counters of which the first is at most so many times the second, in the same run.
var bounds = []struct {
	less, more string
	times      float64
}{
	{"SQ_BUSY_CYCLES_avr", "GRBM_GUI_ACTIVE", 1}, {"GL1C_BUSY_sum", "GL1C_CYCLE_sum", 1},
	{"GL2C_BUSY_sum", "GL2C_CYCLE_sum", 1}, {"SQ_WAIT_ANY", "SQ_WAVE_CYCLES", 1},
	{"SQC_LDS_BANK_CONFLICT_sum", "SQC_LDS_IDX_ACTIVE_sum", 1}, {"SQ_INSTS_INTERNAL_sum", "SQ_INSTS_ALL_sum", 1},
	{"SQ_INSTS_VALU_sum", "SQ_INSTS_ALL_sum", 1}, {"TCP_REQ_MISS_sum", "TCP_REQ_sum", 1.02},
	{"SQ_WAVE_CYCLES_sum", "SQ_BUSY_CYCLES_sum", 64}, {"SQ_WAIT_INST_ANY", "SQ_WAVE_CYCLES_sum", 1.05},
	{"TCP_TCP_TA_REQ_STALL_sum", "TCP_GATE_EN2_sum", 1}, {"TCP_GL1_TCP_BACK_PRESSURE_sum", "TCP_GATE_EN2_sum", 1},
	{"SQ_WAIT_IFETCH", "SQ_WAVE_CYCLES_sum", 1.1}, // of another run, which may be a little longer
}

func TestCountersAgree(t *testing.T) {
	for _, kind := range Kinds(Gfx1151) {
		for seed := range uint64(8) {
			_, c := recorded(t, kind, seed)
			for _, s := range sums {
				for i := range c.Len() {
					whole, parts := c.Counter(s.whole).Floats()[i], 0.0
					for _, p := range s.parts {
						parts += c.Counter(p).Floats()[i]
					}
					if math.Abs(whole-parts) > 2+2e-5*whole {
						t.Errorf("%s %d: %s is %v in dispatch %d, %v add up to %v", kind, seed, s.whole, whole, i,
							s.parts, parts)
					}
				}
			}
			for _, b := range bounds {
				for i := range c.Len() {
					less, more := c.Counter(b.less).Floats()[i], c.Counter(b.more).Floats()[i]
					if less > more*b.times*1.00002 {
						t.Errorf("%s %d: %s is %v and %s %v in dispatch %d", kind, seed, b.less, less, b.more, more, i)
					}
				}
			}
			for i := range c.Len() { // of different runs, whose counters start at other times
				sum := 0.0
				for _, name := range []string{"GCEA_SARB_BUSY", "GCEA_SARB_STALLED", "GCEA_SARB_STARVING"} {
					sum += c.Counter(name).Floats()[i]
				}
				if all := c.Counter("GCEA_ALWAYS_COUNT").Floats()[i]; sum > 1.1*all+gl2Channels*9000 {
					t.Errorf("%s %d: the arbiter is busy, stalled or starving for %v of %v cycles in dispatch %d", kind, seed,
						sum, all, i)
				}
			}
			for _, ctr := range c.Counters {
				for i, x := range ctr.Floats() {
					if !(x >= 0) || math.IsInf(x, 0) {
						t.Errorf("%s %d: %s is %v in dispatch %d", kind, seed, ctr.Name, x, i)
					}
				}
			}
		}
	}
}

func TestPlantsAreFound(t *testing.T) {
	const cases = 64
	wrong := 0
	for seed := range uint64(cases) {
		c, err := New(Gfx1151, simulate.KindSingle, seed)
		if err != nil {
			t.Fatal(err)
		}
		truth, err := c.Judge()
		if err != nil {
			t.Fatal(err)
		}
		if best, clear := truth.Limiter(); best.String() != c.Plant || !clear {
			wrong++
			t.Logf("seed %d, %s: %s", seed, c.Plant, gains(truth))
		}
	}
	if wrong > cases/20 {
		t.Errorf("%d of %d plants are not what gains most", wrong, cases)
	}
}

func TestSharesAddUp(t *testing.T) {
	for _, kind := range Kinds(Gfx1151) {
		for seed := range uint64(6) {
			c, got := recorded(t, kind, seed)
			truth, err := c.Judge()
			if err != nil {
				t.Fatal(err)
			}
			start, end := got.Axis.Extent()
			if truth.Start != start || truth.End != end || len(truth.Each) != got.Len() || truth.Frames != got.Len() {
				t.Errorf("%s %d: the truth is not of the capture's time", kind, seed)
			}
			if kind == simulate.KindTwoPhase && len(truth.Phases) != 2 {
				t.Errorf("%s %d: %d phases", kind, seed, len(truth.Phases))
			}
			for _, p := range append(truth.Phases, truth.Part) {
				sum, busy := int64(0), int64(0)
				for _, s := range p.Shares {
					sum += s.Ns
				}
				for i := range got.Len() { // gaps between dispatches are the profiler's
					if got.Axis.Start[i] >= p.Start && got.Axis.End[i] <= p.End {
						busy += got.Axis.Interval(i)
					}
				}
				if sum != busy || busy == 0 {
					t.Errorf("%s %d: shares add up to %d, dispatches take %d", kind, seed, sum, busy)
				}
			}
		}
	}
}

func TestCountersCanBeLeftOut(t *testing.T) {
	c, got := recorded(t, simulate.KindRandom, 1)
	less, err := c.Record(simulate.Options{Without: []string{"SQ_WAVES", "GRBM_GUI_ACTIVE"}})
	if err != nil {
		t.Fatal(err)
	}
	if less.Counter("SQ_WAVES") != nil || less.Counter("GRBM_GUI_ACTIVE") != nil {
		t.Error("counters are there that were not to be measured")
	}
	if len(less.Counters) != len(got.Counters)-2 {
		t.Errorf("%d counters of %d are left", len(less.Counters), len(got.Counters))
	}
}

// The columns are those of a real capture, in testdata.
func TestColumnsAreThoseOfARealCapture(t *testing.T) {
	text, err := os.ReadFile("../../../../testdata/captures/gfx1151-vcopy/pmc_perf.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], "Counter_Name")
	real := map[string]bool{}
	for _, row := range rows[1:] {
		real[row[at]] = true
	}
	for _, c := range counters {
		if !real[c.name] {
			t.Errorf("no real capture has %s", c.name)
		}
		delete(real, c.name)
	}
	for name := range real {
		t.Errorf("%s is missing", name)
	}
}

// The real capture has 17.3 us and these sums in its warm dispatches.
func TestVcopyIsLikeTheRealCapture(t *testing.T) {
	var ns, resident, reads, writes []float64
	for seed := range uint64(15) {
		m := drawMachine(source("vcopy", seed, "machine"), false)
		m.cus, m.model = 32, "8050S"
		a := stream(8, 1)
		k := kernel{before: []op{smem(4), valu(6), load(1, a), wait(0), valu(2), store(1, a), salu(2)}}
		p := &program{machine: m, kernels: []kernel{k.shaped(4096, 8, 8, 0)}}
		p.run()
		o := &p.outcomes[0]
		if o.gl2Reads != 65536 || o.gl2Writes != 131072 || o.gl2WriteMisses != 65536 {
			t.Errorf("GL2 has %v reads and %v writes, %v of which miss", o.gl2Reads, o.gl2Writes, o.gl2WriteMisses)
		}
		d := p.reading(0, 1, false, &setup{})
		ns = append(ns, o.total/m.clock)
		resident = append(resident, o.waveCycles)
		reads = append(reads, o.readLatency*d.below()/o.gl2Reads)
		writes = append(writes, o.writeLatency*d.below()/o.gl2Writes)
	}
	for _, x := range []struct {
		what   string
		got    []float64
		lo, hi float64
	}{
		{"time", ns, 13e3, 21e3}, {"wave cycles", resident, 20e6, 60e6}, {"latency of reads", reads, 150, 600},
		{"latency of writes", writes, 80, 250},
	} {
		slices.Sort(x.got)
		if mid := x.got[len(x.got)/2]; mid < x.lo || mid > x.hi {
			t.Errorf("%s is %.0f, not between %.0f and %.0f", x.what, mid, x.lo, x.hi)
		}
		t.Logf("%s: %.0f", x.what, x.got)
	}
}

func gains(t *simulate.Truth) (s string) {
	for _, g := range t.Leaves {
		s += fmt.Sprintf("%s %.1f ", g.Candidate, g.Percent)
	}
	return s
}
