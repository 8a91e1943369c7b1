package cpu

import (
	"testing"
	"time"

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

func TestKinds(t *testing.T) {
	for _, kind := range Kinds(Names[0]) {
		clears := map[string]int{}
		n, all, slow := 100, 0, time.Duration(0)
		for seed := range uint64(n) {
			c, err := New(Names[0], kind, seed)
			if err != nil {
				t.Fatal(err)
			}
			from := time.Now()
			truth, _ := c.Judge()
			slow = max(slow, time.Since(from))
			best, clear := simulate.Best(truth.Leaves)
			if clear || truth.Healthy {
				all++
				clears[best.Candidate.String()]++
			}
			if seed < 12 {
				t.Logf("%d %s frames %d in %.2f s: %v healthy %v missed %v", seed, c.Text, truth.Frames, float64(truth.End)/1e9, truth.Leaves[:3], truth.Healthy, truth.Missed)
			}
			for _, p := range truth.Phases {
				b, cl := simulate.Best(p.Leaves)
				if seed < 12 {
					t.Log("   ", b, cl, p.First, p.Frames)
				}
			}
		}
		t.Log(kind, all, clears, slow)
	}
}
