package cpu

import (
	"astrolabe/capture/simulate"
	"fmt"
	"os"
	"sort"
	"strconv"
	"testing"
	"time"
)

func TestDist(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("N"))
	if n == 0 {
		t.Skip()
	}
	for _, k := range Kinds("") {
		if x := os.Getenv("K"); x != "" && x != k {
			continue
		}
		by := map[string]int{}
		unclear := map[string]int{}
		clear := 0
		ph := 0
		right := 0
		held := 0
		start := time.Now()
		ev := 0
		neg := 0
		gains := 0
		for s := 0; s < n; s++ {
			c, err := New(Name, k, uint64(s))
			if err != nil {
				t.Errorf("%s %d %v", k, s, err)
				continue
			}
			tr, err := c.Judge()
			if err != nil {
				t.Errorf("%s %d %s %v", k, s, c.Text, err)
				continue
			}
			l, ok := tr.Limiter()
			_ = ev
			for _, g := range tr.Leaves {
				if g.Simulated {
					gains++
					if g.Percent < -1 {
						neg++
					}
				}
			}
			if tr.Held {
				held++
			}
			if ok {
				clear++
				by[l.String()]++
			} else {
				unclear[l.String()]++
			}
			if k == simulate.KindSingle {
				if ok && l.String() == c.Plant {
					right++
				} else if os.Getenv("V") != "" {
					t.Logf("%d %s plant %s: %v missed %d h %v %.2f", s, c.Text, c.Plant, tr.Leaves[:3], tr.Missed, tr.Healthy, tr.ShareOf(timer)+tr.ShareOf(simulate.DisplayRequest))
				}
			}
			if os.Getenv("V") == "2" {
				t.Logf("%d %s: %v %v frames %d %.0f ms %v", s, c.Text, l, ok, tr.Frames, float64(tr.End-tr.Start)/1e6, tr.Leaves[:3])
			}
			if len(tr.Phases) == 2 {
				a, o1 := tr.Phases[0].Limiter()
				b, o2 := tr.Phases[1].Limiter()
				if o1 && o2 && a != b {
					ph++
				}
			}
		}
		f := func(m map[string]int) string {
			var ks []string
			for k := range m {
				ks = append(ks, k)
			}
			sort.Strings(ks)
			o := ""
			for _, k := range ks {
				o += fmt.Sprintf(" %s:%d", k, m[k])
			}
			return o
		}
		t.Logf("%s: clear %d/%d right %d held %d phases-differ %d neg %d/%d %.2fs/case\n  clear%s\n  not%s", k, clear, n, right, held, ph, neg, gains, time.Since(start).Seconds()/float64(n), f(by), f(unclear))
	}
}
func TestRec(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("N"))
	if n == 0 {
		t.Skip()
	}
	start := time.Now()
	for _, k := range Kinds("") {
		for s := 0; s < n; s++ {
			c, err := New(Name, k, uint64(s))
			if err != nil {
				t.Errorf("%s %d %v", k, s, err)
				continue
			}
			cap, err := c.Record(simulate.Options{})
			if err != nil {
				t.Errorf("%s %d %s %v", k, s, c.Text, err)
				continue
			}
			if s < 4 {
				t.Logf("%s %d %s: %d samples of %d ns, %s", k, s, c.Text, cap.Len(), cap.Axis.End[0]-cap.Axis.Start[0], cap.Format)
				if s < 2 {
					for _, x := range cap.Counters {
						t.Logf("    %s %v n %d", x.Name, x.Total().Float(), len(x.Instances))
					}
				}
			}
		}
	}
	t.Log(time.Since(start))
}
