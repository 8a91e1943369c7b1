package mali

import (
	"fmt"
	"testing"
	"time"

	"astrolabe/capture/metrics"
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

func TestScratch2(t *testing.T) {
	for _, kind := range []string{simulate.KindTwoPhase, simulate.KindHealthy, simulate.KindSerial, simulate.KindArchetype, simulate.KindRandom} {
		for _, name := range Names {
			for seed := range uint64(11) {
				c, _ := New(name, kind, seed)
				at := time.Now()
				truth, err := c.Judge()
				if err != nil {
					t.Fatal(err)
				}
				fmt.Printf("%s %s %d %s | ", name[5:9], kind, seed, c.Text)
				for _, p := range append([]simulate.Part{truth.Part}, truth.Phases...) {
					l, clear := p.Limiter()
					fmt.Printf("[%v %v h=%v held=%v m=%d/%d g=%.0f busy %.2f clk %.2f", l, clear, p.Healthy, p.Held, p.Missed, p.Frames, float64(p.End-p.Start)/1e6, p.GPUBusy, p.ClockMean)
					for _, g := range p.Leaves[:3] {
						fmt.Printf(" %s %.1f", g.Candidate, g.Percent)
					}
					fmt.Printf("]")
				}
				fmt.Println(time.Since(at).Round(time.Millisecond))
			}
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	for _, seed := range []uint64{11, 33, 19, 42} {
		b.Run(fmt.Sprint(seed), func(b *testing.B) {
			for b.Loop() {
				c, _ := New(Names[0], simulate.KindSingle, seed)
				c.Judge()
			}
		})
		b.Run(fmt.Sprint("rec", seed), func(b *testing.B) {
			for b.Loop() {
				c, _ := New(Names[0], simulate.KindSingle, seed)
				c.Record(simulate.Options{})
			}
		})
	}
}

func TestScratch3(t *testing.T) {
	for _, name := range Names {
		n := uint64(len(plants(name == Names[0])))
		for seed := range n {
			c, _ := New(name, simulate.KindSingle, seed)
			cap, err := c.Record(simulate.Options{})
			if err != nil {
				t.Fatal(err)
			}
			list, _ := metrics.Metrics(cap)
			s := fmt.Sprintf("%-18s n=%d p=%.1fms ", c.Plant, cap.Len(), float64(cap.Axis.End[0]-cap.Axis.Start[0])/1e6)
			for _, m := range list {
				if m.Unit == "percent" && !m.Total().Missing() && m.Total().Float() > 0.05 && m.GPU != "cpu" {
					s += fmt.Sprintf(" %s=%.0f", m.Name, m.Total().Float())
				}
			}
			fmt.Println(name[5:9], s)
		}
	}
}
