package gfx1151

import (
	"testing"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

// TestUnitsDoNoMoreInAClockThanTheyCan was added when kernels issued up to seven instructions in a clock of a
// work-group processor, and GL2's channels took nearly two requests in one. The profiler's own peak of instructions is
// five; a channel's tags take a request in a clock.
func TestUnitsDoNoMoreInAClockThanTheyCan(t *testing.T) {
	checked := 0
	for seed := range uint64(simulatetest.Number(t, 80, 40)) {
		kind := Kinds()[seed%uint64(len(Kinds()))]
		c, err := New(kind, seed)
		if err != nil {
			t.Fatal(err)
		}
		cap, err := c.Record(simulate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			events, clocks string
			by             float64
		}{
			{"SQ_INSTS_ALL_sum", "SQ_BUSY_CYCLES_sum", 5},
			{"SQ_INSTS_VALU_sum", "SQ_BUSY_CYCLES_sum", 4},
			{"GL2C_REQ_sum", "GL2C_CYCLE_sum", 1},
			{"GL1C_REQ_sum", "GL1C_CYCLE_sum", 1},
		} {
			if group(x.events) != group(x.clocks) {
				t.Fatalf("%s and %s are not of one run", x.events, x.clocks)
			}
			for i := range cap.Len() {
				events, clocks := cap.Counter(x.events).Value(i).Float(), cap.Counter(x.clocks).Value(i).Float()
				if checked++; events > x.by*clocks {
					t.Fatalf("%s %d, dispatch %d: %v %s in %v %s", kind, seed, i, events, x.events, clocks, x.clocks)
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d values were looked at", checked)
	}
}
