package cpu

import (
	"testing"

	"astrolabe/capture/simulate"
)

func TestSingle(t *testing.T) {
	right, n := 0, 100
	for seed := range uint64(n) {
		c, err := New(Names[0], simulate.KindSingle, seed)
		if err != nil {
			t.Fatal(err)
		}
		truth, err := c.Judge()
		if err != nil {
			t.Fatal(err)
		}
		best, clear := simulate.Best(truth.Leaves)
		if best.Candidate.String() == c.Plant {
			right++
		} else {
			t.Logf("seed %d, %s: %v is best, clear %v; planted was %s: %v", seed, c.Text, best, clear, c.Plant, truth.Leaves[:3])
		}
		if !clear {
			t.Logf("seed %d not clear: %s %v", seed, c.Text, truth.Leaves[:3])
		}
	}
	if right < n*95/100 {
		t.Errorf("the planted candidate gains most in %d of %d cases", right, n)
	}
}

func TestArch(t *testing.T) {
	clears := map[string]int{}
	n := 100
	for seed := range uint64(n) {
		c, err := New(Names[0], simulate.KindArchetype, seed)
		if err != nil {
			t.Fatal(err)
		}
		truth, _ := c.Judge()
		best, clear := simulate.Best(truth.Leaves)
		if clear {
			clears[best.Candidate.String()]++
		}
		if seed < 20 {
			t.Logf("%d %s frames %d in %.2f s: %v", seed, c.Text, truth.Frames, float64(truth.End)/1e9, truth.Leaves[:3])
		}
	}
	t.Log(clears)
}
