package amd

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"testing"
	"time"

	"astrolabe/capture/simulate"
)

// TestStats prints how often what limits; it is asked for by a number of seeds.
func TestStats(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("STATS"))
	if n == 0 {
		t.Skip()
	}
	for _, kind := range Kinds(Names[0]) {
		if k := os.Getenv("KIND"); k != "" && k != kind {
			continue
		}
		begin := time.Now()
		clear, by, plants, fail := 0, map[string]int{}, 0, 0
		all := map[string]int{}
		healthy, held := 0, 0
		for seed := range uint64(n) {
			c, err := New(Names[0], kind, seed)
			if err != nil {
				fail++
				t.Log(err)
				continue
			}
			truth, err := c.Judge()
			if err != nil {
				t.Errorf("%s %d %s: %v", kind, seed, c.Text, err)
				continue
			}
			l, ok := truth.Limiter()
			if truth.Healthy {
				healthy++
			}
			if truth.Held {
				held++
			}
			all[l.String()]++
			if ok {
				clear++
				by[l.String()]++
			}
			if kind == simulate.KindSingle {
				if ok && l.String() == c.Plant {
					plants++
				} else {
					t.Logf("%d %s planted %s: %v busy %.2f", seed, c.Text, c.Plant, truth.Leaves[:3], truth.GPUBusy)
				}
			}
			if os.Getenv("SHOW") != "" {
				fmt.Printf("%d %s frames %d %.1f ms busy %.2f clock %.2f missed %d: %.1f %v | %v\n", seed, c.Text, truth.Frames, float64(truth.End-truth.Start)/float64(truth.Frames)/1e6, truth.GPUBusy, truth.ClockMean, truth.Missed, truth.Leaves[0].Percent, truth.Leaves[:3], truth.Shares[:min(3, len(truth.Shares))])
			}
		}
		var names []string
		for k := range all {
			names = append(names, k)
		}
		sort.Slice(names, func(i, j int) bool { return all[names[i]] > all[names[j]] })
		s := ""
		for _, k := range names {
			s += fmt.Sprintf("%s %d/%d, ", k, by[k], all[k])
		}
		fmt.Printf("%s: %d of %d clear, healthy %d, held %d, plants %d, failed %d, %.0f ms each: %s\n", kind, clear, n, healthy, held, plants, fail,
			float64(time.Since(begin).Milliseconds())/float64(n), s)
	}
}
