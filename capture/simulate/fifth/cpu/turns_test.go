package cpu

import (
	"math"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// TestEventsThatTakeTurnsAddUp records the same case with events that count all the time and with such that take turns.
func TestEventsThatTakeTurnsAddUp(t *testing.T) {
	r := simulate.NewRandom(4, "turns")
	for _, own := range []bool{false, true} {
		m := drawMachine(r)
		m.maker = amdZen
		b := &builder{r: r, m: m, p: &program{}, plain: true}
		b.finish([]*content{b.plant(FrontEnd)})
		s := &scenario{m, b.p}
		k := drawRecorder(r, m)
		k.program, k.caches, k.stalls = own, true, true
		var caps [2]*capture.Capture
		for i := range caps {
			k.turns = i == 1
			c, err := s.record("turns", &k, 1, simulate.Options{Period: time.Millisecond, Late: -1, Missed: -1})
			if err != nil {
				t.Fatal(err)
			}
			caps[i] = c
		}
		for _, name := range []string{"cycles", "instructions", "amd_ops_retired", "amd_slots_held_up", "cache_misses", "dTLB_loads"} {
			all, part := caps[0].Counter(name), caps[1].Counter(name)
			if all.Turns() != nil || part.Turns() == nil || part.Count() > all.Count()*3/4 {
				t.Errorf("program %v: %s counts in %d and %d samples", own, name, all.Count(), part.Count())
			}
			if x, y := all.Total().Float(), part.Total().Float(); math.Abs(x-y) > 0.12*x {
				t.Errorf("program %v: %s is %.4g, and %.4g in turns", own, name, x, y)
			}
		}
	}
}
