package mali

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"testing"

	"astrolabe/capture/simulate"
)

// TestSurvey prints what limits how many cases; it is run by hand.
func TestSurvey(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("SURVEY"))
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			by, clear, all := map[string]int{}, 0, 0
			for seed := range uint64(n) {
				c, err := New(name, kind, seed)
				if err != nil {
					t.Fatal(err)
				}
				truth, err := c.Judge()
				if err != nil {
					t.Fatal(name, kind, seed, c.Text, err)
				}
				if os.Getenv("VERBOSE") != "" {
					fmt.Println(name, kind, seed, c.Text, truth.Healthy, truth.Held, truth.Missed, fmt.Sprintf("busy %.2f clock %.2f ms %.2f", truth.GPUBusy, truth.ClockMean, float64(truth.End-truth.Start)/1e6/float64(truth.Frames)), truth.Leaves[:3])
				}
				parts := []simulate.Part{truth.Part}
				if len(truth.Phases) > 0 {
					parts = truth.Phases
				}
				for _, p := range parts {
					l, ok := p.Limiter()
					all++
					if ok {
						clear++
						by[l.String()]++
					}
					if kind == "single" && (!ok || l.String() != c.Plant && l.Level != "display") {
						by["MISPLANT "+c.Plant]++
					}
				}
			}
			var keys []string
			for k := range by {
				keys = append(keys, k)
			}
			sort.Slice(keys, func(i, j int) bool { return by[keys[i]] > by[keys[j]] })
			s := ""
			for _, k := range keys {
				s += fmt.Sprintf(" %s %d,", k, by[k])
			}
			fmt.Printf("%s %s: %d of %d clear:%s\n", name, kind, clear, all, s)
		}
	}
}
