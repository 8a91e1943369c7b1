package intel

import (
	"math"
	"testing"

	"astrolabe/capture/simulate"
)

func made(t *testing.T, name, kind string, seed uint64) *simulate.Case {
	t.Helper()
	c, err := New(name, kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPlantsAreWhatLimits(t *testing.T) {
	right, all := 0, 0
	for _, name := range Names {
		for seed := range uint64(2 * len(plants)) {
			c := made(t, name, simulate.KindSingle, seed)
			truth, err := c.Judge()
			if err != nil {
				t.Fatal(err)
			}
			got, clear := truth.Limiter()
			all++
			if got.String() == c.Plant && clear {
				right++
			} else {
				t.Logf("%s %d: planted %s, found %s, clear %v, healthy %v %v", name, seed, c.Plant, got, clear, truth.Healthy, truth.Leaves[:3])
			}
			sum := int64(0)
			for _, s := range truth.Shares {
				sum += s.Ns
			}
			if sum != truth.End-truth.Start {
				t.Errorf("%s %d: shares are %d ns of %d", name, seed, sum, truth.End-truth.Start)
			}
		}
	}
	if float64(right) < 0.95*float64(all) {
		t.Errorf("%d of %d plants are what limits", right, all)
	}
}

// judged is how many seeds of a kind the tests judge.
const judged = 6

func TestCapturesFitTogether(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			clear, all := 0, 0
			for seed := range uint64(30) {
				c := made(t, name, kind, seed)
				got, err := c.Record(simulate.Options{})
				if err != nil {
					t.Fatalf("%s %s %d: %v", name, kind, seed, err)
				}
				busy, ticks := got.Counter("A0"), got.Counter("GPU_TICKS")
				for i := range got.Len() {
					if b, k := busy.Floats()[i], ticks.Floats()[i]; b > k+2 || math.IsNaN(b) {
						t.Errorf("%s %s %d: sample %d is busy for %v of %v clocks", name, kind, seed, i, b, k)
						break
					}
				}
				if seed >= judged {
					continue
				}
				truth, err := c.Judge()
				if err != nil {
					t.Fatal(err)
				}
				all++
				if _, ok := truth.Limiter(); ok {
					clear++
				}
			}
			t.Logf("%s %s: %d of %d clear", name, kind, clear, all)
		}
	}
}
