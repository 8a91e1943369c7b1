package rdna

import (
	"maps"
	"slices"
	"testing"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

// holds are relations between counters of one run: those on the left, added up, are no more than the one on the right,
// times by. What a clock has room for is the profiler's own peak of instructions, five of which four are vector ones,
// and a request to the tags of each channel.
var holds = []struct {
	left  []string
	right string
	by    float64
}{
	{[]string{"SQ_WAIT_ANY"}, "SQ_WAVE_CYCLES", 1},
	{[]string{"SQ_WAIT_INST_ANY"}, "SQ_WAVE_CYCLES_sum", 1},
	{[]string{"SQC_DCACHE_HITS_sum"}, "SQC_DCACHE_REQ_sum", 1},
	{[]string{"GL1C_REQ_READ_sum", "GL1C_REQ_WRITE_sum"}, "GL1C_REQ_sum", 1},
	{[]string{"GL1C_REQ_MISS_sum"}, "GL1C_REQ_sum", 1},
	{[]string{"GL1C_BUSY_sum"}, "GL1C_CYCLE_sum", 1},
	{[]string{"GL2C_BUSY_sum"}, "GL2C_CYCLE_sum", 1},
	{[]string{"SQC_LDS_BANK_CONFLICT_sum"}, "SQC_LDS_IDX_ACTIVE_sum", 1},
	{[]string{"GCEA_SARB_BUSY_sum"}, "GCEA_ALWAYS_COUNT_sum", 1},
	{[]string{"GRBM_GUI_ACTIVE"}, "GRBM_COUNT", 1},
	{[]string{"TCP_REQ_MISS_sum"}, "TCP_REQ_sum", 1},
	{[]string{"SQ_INSTS_INTERNAL_sum"}, "SQ_INSTS_ALL_sum", 1},
	{[]string{"GL1C_STARVE_sum"}, "GL1C_CYCLE_sum", 1},
	{[]string{"SQ_INSTS_ALL_sum"}, "SQ_BUSY_CYCLES_sum", 5},
	{[]string{"SQ_INSTS_VALU_sum"}, "SQ_BUSY_CYCLES_sum", 4},
	{[]string{"GL2C_REQ_sum"}, "GL2C_CYCLE_sum", 1},
	{[]string{"GL1C_REQ_sum"}, "GL1C_CYCLE_sum", 1},
}

func (f *Family) group(name string) int {
	return slices.IndexFunc(f.runs, func(g []string) bool { return slices.Contains(g, name) })
}

// otherRuns are the relations between counters of different runs, which took different times.
var otherRuns = map[string][]string{
	"gfx1151": {"GL1C_REQ_READ_sum of GL1C_REQ_sum", "GL1C_STARVE_sum of GL1C_CYCLE_sum",
		"SQC_DCACHE_HITS_sum of SQC_DCACHE_REQ_sum"},
	"gfx1201": {"GL1C_REQ_READ_sum of GL1C_REQ_sum", "SQC_DCACHE_HITS_sum of SQC_DCACHE_REQ_sum"},
}

func TestCountersOfARunKeepTheHardwaresRelations(t *testing.T) {
	for _, f := range Families {
		t.Run(f.Name, func(t *testing.T) { keepsRelations(t, f) })
	}
}

func keepsRelations(t *testing.T, f *Family) {
	n := uint64(simulatetest.Number(t, 80, 40))
	checked, apart := 0, map[string]bool{}
	for seed := range n {
		kind := Kinds()[seed%uint64(len(Kinds()))]
		c, err := f.New(kind, seed)
		if err != nil {
			t.Fatal(err)
		}
		cap, err := c.Record(simulate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range holds {
			if f.group(h.left[0]) < 0 {
				continue // the GPU has no such counter
			}
			if slices.ContainsFunc(h.left, func(name string) bool { return f.group(name) != f.group(h.right) }) {
				apart[h.left[0]+" of "+h.right] = true // measured in another run, which took another time
				continue
			}
			for i := range cap.Len() {
				sum := 0.0
				for _, name := range h.left {
					sum += cap.Counter(name).Value(i).Float()
				}
				checked++
				if right := h.by * cap.Counter(h.right).Value(i).Float(); sum > right {
					t.Fatalf("%s %d, dispatch %d: %v add up to %v, %g of %s are %v", kind, seed, i, h.left, sum, h.by,
						h.right, right)
				}
			}
		}
		hits, misses := cap.Counter("GL2C_HIT_sum"), cap.Counter("GL2C_MISS_sum")
		reads, writes := cap.Counter("GL1C_GL2_REQ_READ_sum"), cap.Counter("GL1C_GL2_REQ_WRITE_sum")
		for i := range cap.Len() {
			if a, b := hits.Value(i).Float()+misses.Value(i).Float(), reads.Value(i).Float()+
				writes.Value(i).Float(); a < b || a > 1.2*b {
				t.Fatalf("%s %d, dispatch %d: GL2 answered %v requests, GL1 sent %v", kind, seed, i, a, b)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d relations are of one run", checked)
	}
	if got := slices.Sorted(maps.Keys(apart)); !slices.Equal(got, otherRuns[f.Name]) {
		t.Errorf("not of one run, and so not checked: %q, want %q", got, otherRuns[f.Name])
	}
}

func TestRunsDifferInTimeAndNotInWork(t *testing.T) {
	c, err := Families[0].New(simulate.KindSingle, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []simulate.Options{{}, {Noise: -1}} {
		cap, err := c.Record(o)
		if err != nil {
			t.Fatal(err)
		}
		low, high := 1e18, 0.0
		for _, p := range cap.Passes {
			v := p.Duration.Data().Float(1)
			low, high = min(low, v), max(high, v)
		}
		if o.Noise < 0 && high > low*1.001 {
			t.Errorf("without noise a dispatch takes %v to %v ns", low, high)
		}
		if o.Noise == 0 && high < low*1.005 {
			t.Errorf("a dispatch takes %v ns in every run", low)
		}
		if a, b := cap.Counter("GL2C_EA_RDREQ_128B_sum").Value(1),
			cap.Counter("GL2C_EA_RDREQ_DRAM_sum").Value(1); a.Float() != b.Float() {
			t.Errorf("two runs read %v and %v lines", a, b)
		}
	}
}
