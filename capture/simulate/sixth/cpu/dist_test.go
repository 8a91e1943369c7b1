package cpu

import (
	"astrolabe/capture/metrics"
	"fmt"
	"os"
	"slices"
	"sort"
	"strconv"
	"testing"
	"time"

	"astrolabe/capture/simulate"
)

func TestDist(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("DIST"))
	if n == 0 {
		t.Skip()
	}
	for _, kind := range simulate.Kinds() {
		if k := os.Getenv("KIND"); k != "" && k != kind {
			continue
		}
		limit, clear, healthy, held := map[string]int{}, 0, 0, 0
		start := time.Now()
		all := 0
		for seed := range uint64(n) {
			at := time.Now()
			c, err := New(Name, kind, seed)
			if err != nil {
				t.Error(err)
				continue
			}
			mk := time.Since(at)
			tr, err := c.Judge()
			if err != nil {
				t.Error(err)
				continue
			}
			if os.Getenv("M") != "" {
				cap, err := c.Record(simulate.Options{})
				if err != nil {
					t.Fatal(err)
				}
				list, _ := metrics.Metrics(cap)
				x := ""
				for _, m := range list {
					if v := m.Total().Float(); v == v && slices.Contains([]string{"cpu_utilization", "ipc", "io_wait", "branch_mpki", "cache_mpki", "retiring_slots", "bad_speculation_slots", "frontend_slots", "backend_slots", "memory_slots", "amd_retiring_slots", "amd_frontend_slots", "amd_backend_slots", "amd_bad_speculation_slots", "amd_memory_slots", "backend_stalls", "frontend_stalls", "cpu_pressure", "io_pressure", "context_switch_rate", "average_frequency", "page_fault_rate", "run_queue_per_cpu", "cpu_activity_system", "frequency_share"}, m.Name) {
						x += fmt.Sprintf(" %s %.3g", m.Name, v)
					}
				}
				t.Logf("   %d samples of %d ms, %d counters:%s", cap.Len(), cap.Axis.Interval(0)/1e6, len(cap.Counters), x)
			}
			parts := tr.Phases
			if len(parts) == 0 {
				parts = []simulate.Part{tr.Part}
			}
			for _, p := range parts {
				all++
				lim, ok := p.Limiter()
				name := lim.String()
				if ok {
					clear++
				} else {
					name = "(" + name + ")"
				}
				limit[name]++
				if p.Healthy {
					healthy++
				}
				if p.Held {
					held++
				}
				if os.Getenv("V") != "" {
					s := ""
					for _, g := range p.Leaves[:4] {
						s += fmt.Sprintf(" %s %.1f", g.Candidate.Name, g.Percent)
					}
					for _, g := range p.Leaves {
						if g.Percent < -2 {
							s += fmt.Sprintf(" !!%s %.1f", g.Candidate.Name, g.Percent)
						}
					}
					t.Logf("%s %d %v/%v %s | %s | %s clear %v healthy %v missed %d/%d clk %.2f:%s", kind, seed, mk.Round(time.Millisecond), time.Since(at).Round(time.Millisecond), c.Text, p.Name, name, ok, p.Healthy, p.Missed, p.Frames, p.ClockMean, s)
				}
			}
		}
		var names []string
		for k := range limit {
			names = append(names, k)
		}
		sort.Slice(names, func(i, j int) bool { return limit[names[i]] > limit[names[j]] })
		s := ""
		for _, k := range names {
			s += fmt.Sprintf(" %s:%d", k, limit[k])
		}
		t.Logf("%s: %d parts, clear %d, healthy %d, held %d, %v each:%s", kind, all, clear, healthy, held, time.Since(start)/time.Duration(n), s)
	}
}
