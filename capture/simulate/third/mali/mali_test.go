package mali

import (
	"fmt"
	"testing"
	"time"
)

func TestRates(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			clear, healthy, right := 0, 0, 0
			n := uint64(66)
			start := time.Now()
			for seed := range n {
				c, err := New(name, kind, seed)
				if err != nil {
					t.Fatal(err)
				}
				tr, _ := c.Judge()
				l, ok := tr.Limiter()
				if ok {
					clear++
				}
				if tr.Healthy {
					healthy++
				}
				if c.Plant != "" {
					if l.String() == c.Plant && ok {
						right++
					} else {
						fmt.Println(seed, "plant", c.Plant, "got", tr.Leaves[:3], tr.Healthy, tr.Missed, tr.Shares)
					}
				}
			}
			fmt.Println(name, kind, "clear", clear, "healthy", healthy, "right", right, "of", n, time.Since(start)/time.Duration(n))
		}
	}
}
