package intel

import (
	"astrolabe/capture/simulate"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

func TestProbe(t *testing.T) {
	if os.Getenv("PROBE") == "" {
		t.Skip()
	}
	n, _ := strconv.Atoi(os.Getenv("PROBE"))
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			by := map[string]int{}
			clear := 0
			t0 := time.Now()
			bad := 0
			healthy := 0
			right := 0
			miss := map[string]int{}
			for seed := range uint64(n) {
				c, err := New(name, kind, seed)
				if err != nil {
					bad++
					continue
				}
				tr, err := c.Judge()
				if err != nil {
					t.Log(kind, seed, c.Text, err)
					bad++
					continue
				}
				if tr.Healthy {
					healthy++
				}
				l, ok := tr.Limiter()
				if ok {
					clear++
					by[l.String()]++
				}
				if c.Plant != "" {
					if ok && l.String() == c.Plant {
						right++
					} else {
						miss[c.Plant]++
						if os.Getenv("V") != "" {
							fmt.Println(c.Plant, c.Text, tr.Leaves[:3], tr.Healthy, tr.Missed)
						}
					}
				}
			}
			fmt.Println(name, kind, "clear", clear, "of", n, "healthy", healthy, "bad", bad, "right", right, miss, by, time.Since(t0))
		}
	}
}

var _ = simulate.Kinds
