package mali

import (
	"testing"

	"astrolabe/capture/simulate"
)

func TestSingleCasesAreLimitedByWhatWasPlanted(t *testing.T) {
	for _, name := range Names {
		right, all := 0, 0
		for seed := range uint64(60) {
			c, err := New(name, simulate.KindSingle, seed)
			if err != nil {
				t.Fatal(err)
			}
			truth, err := c.Judge()
			if err != nil {
				t.Fatal(err)
			}
			all++
			best, clear := truth.Limiter()
			if best.String() == c.Plant {
				right++
			}
			if best.String() != c.Plant || !clear {
				t.Logf("%s %d: planted %s, clear %v: %v", name, seed, c.Plant, clear, truth.Leaves[:3])
			}
		}
		if right*100 < all*95 {
			t.Errorf("%s: %d of %d", name, right, all)
		}
	}
}
