package intel

import (
	"testing"

	"astrolabe/capture/simulate"
)

// TestSolo looks at passes that run alone: nearly all are limited by what they are drawn for.
func TestSolo(t *testing.T) {
	for k := range nStation {
		ok, sum := 0, 0.0
		by := map[string]int{}
		for seed := range uint64(40) {
			r := simulate.NewRandom(seed, "x")
			m := newMachine(r)
			eff := efficiency(r)
			p := limited(r, k, false)
			got, much := m.soloLimiter(&p, &eff)
			by[stations[got].Name]++
			if got == k {
				ok++
				sum += much
			}
		}
		if ok < 30 {
			t.Errorf("%s limits %d of 40", stations[k], ok)
		}
		t.Logf("%-20s %d of 40, %.2f: %v", stations[k].Name, ok, sum/float64(max(1, ok)), by)
	}
}
