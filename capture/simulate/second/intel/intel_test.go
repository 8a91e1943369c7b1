package intel

import (
	"fmt"
	"os"
	"testing"
	"time"

	"astrolabe/capture/simulate"
)

func TestDump(t *testing.T) {
	kind := os.Getenv("KIND")
	if kind == "" {
		t.Skip()
	}
	n := 25
	fmt.Sscan(os.Getenv("N"), &n)
	clear := 0
	for seed := range uint64(n) {
		begin := time.Now()
		c, err := New(Names[0], kind, seed)
		if err != nil {
			t.Fatal(err)
		}
		made := time.Since(begin)
		truth, err := c.Judge()
		if err != nil {
			t.Fatal(err)
		}
		judged := time.Since(begin)
		cap, err := c.Record(simulate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		l, ok := truth.Limiter()
		if ok {
			clear++
		}
		s := ""
		for _, g := range truth.Leaves[:4] {
			s += fmt.Sprintf(" %s %.1f", g.Candidate.Name, g.Percent)
		}
		sh := ""
		for _, x := range truth.Shares[:min(4, len(truth.Shares))] {
			sh += fmt.Sprintf(" %s %.0f%%", x.Candidate.Name, 100*float64(x.Ns)/float64(truth.End-truth.Start))
		}
		set, _ := cap.Property("metric_set")
		fmt.Printf("%d %s [%s] => %s %v healthy=%v |%s |%s | busy %.2f clk %.2f ms/f %.1f %s n=%d t=%v,%v\n", seed, c.Plant, c.Text, l, ok, truth.Healthy, s, sh, truth.GPUBusy, truth.ClockMean, float64(truth.End-truth.Start)/1e6/float64(truth.Frames), set.Text, cap.Len(), made.Round(time.Millisecond), judged.Round(time.Millisecond))
	}
	fmt.Println("clear", clear, "of", n)
}
