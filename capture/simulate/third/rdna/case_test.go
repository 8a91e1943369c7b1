package rdna

import (
	"testing"
	"time"

	"astrolabe/capture/simulate"
)

func TestSingle(t *testing.T) {
	for _, kind := range Kinds(Names[0]) {
		ok, clear, n := 0, 0, 40
		limits := map[string]int{}
		begin := time.Now()
		for seed := range uint64(n) {
			c, err := New(Names[0], kind, seed)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Record(simulate.Options{}); err != nil {
				t.Fatal(err)
			}
			at := time.Now()
			tr, _ := c.Judge()
			took := time.Since(at)
			l, cl := tr.Limiter()
			if cl {
				clear++
				limits[l.String()]++
			}
			if c.Plant == l.String() {
				ok++
			}
			if c.Plant != "" && c.Plant != l.String() || took > time.Second {
				t.Logf("%s %d %s %s: %v %.1f/%.1f %v took %v dur %.1f us", kind, seed, c.Text, c.Plant, l, tr.Leaves[0].Percent, tr.Leaves[1].Percent, cl, took, float64(tr.End-tr.Start)/1e3/float64(tr.Frames))
			}
		}
		t.Logf("%s: %d right, %d clear of %d %v %v", kind, ok, clear, n, limits, time.Since(begin)/time.Duration(n))
	}
}
