package mali

import (
	"fmt"
	"testing"
	"time"

	"astrolabe/capture/simulate"
)

func TestScratch(t *testing.T) {
	for _, name := range Names {
		n := uint64(len(plants(name == Names[0])))
		for seed := range 2 * n {
			c, err := New(name, simulate.KindSingle, seed)
			if err != nil {
				t.Fatal(err)
			}
			at := time.Now()
			truth, err := c.Judge()
			if err != nil {
				t.Fatal(err)
			}
			l, clear := truth.Limiter()
			mark := "OK "
			if !clear || l.String() != c.Plant {
				mark = "BAD"
			}
			s := ""
			for _, g := range truth.Leaves[:4] {
				s += fmt.Sprintf(" %s %.1f", g.Candidate, g.Percent)
			}
			sh := ""
			for i, g := range truth.Shares {
				if i < 3 {
					sh += fmt.Sprintf(" %s %.2f", g.Candidate, float64(g.Ns)/float64(truth.End-truth.Start))
				}
			}
			fmt.Println(mark, name, seed, c.Plant, "|", s, "|", sh, "| missed", truth.Missed, "held", truth.Held, "busy", fmt.Sprintf("%.2f", truth.GPUBusy), fmt.Sprintf("%.2f", truth.ClockMean), time.Since(at).Round(time.Millisecond), c.Text)
		}
	}
}
