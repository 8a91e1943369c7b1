package intel

import (
	"testing"
	"time"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

// TestOptions records one case with each choice.
func TestOptions(t *testing.T) {
	c := simulatetest.Make(New).Case(t, Names[0], simulate.KindArchetype, 3)
	plain := simulate.Options{Period: 2 * time.Millisecond, Host: simulate.No, Marks: simulate.No, Late: -1, Missed: -1, Sets: []string{"RenderBasic"}}
	cap := simulatetest.Recorded(t, c, plain)
	if d := cap.Axis.Interval(0); d < 1e6 || d > 2e6 || len(cap.Late) > 0 || len(cap.Regions) > 0 || cap.Counter("cycles") != nil {
		t.Errorf("plain: %d ns, %d late, %d regions", d, len(cap.Late), len(cap.Regions))
	}
	o := plain
	o.Missed, o.Gaps, o.Host, o.Marks = 0.1, 2, simulate.Yes, simulate.Yes
	cap = simulatetest.Recorded(t, c, o)
	if len(cap.Late) == 0 || len(cap.Gaps) == 0 || cap.Counter("cycles") == nil || len(cap.Regions) == 0 || len(cap.Labels) != 3 {
		t.Errorf("%d late, %d gaps, %d regions, %d labels", len(cap.Late), len(cap.Gaps), len(cap.Regions), len(cap.Labels))
	}
	o = plain
	o.Withheld, o.Without = []simulate.Candidate{stations[sTex]}, []string{"PEC24"}
	cap = simulatetest.Recorded(t, c, o)
	if cap.Counter("PEC5") != nil || cap.Counter("PEC24") != nil || cap.Counter("PEC32") == nil {
		t.Error("what was withheld is there")
	}
	o = plain
	o.Sets = []string{"RenderBasic", "ComputeBasic", "MemoryProfile"}
	cap = simulatetest.Recorded(t, c, o)
	if len(cap.Regions) != 3 || len(cap.Gaps) != 2 || cap.Labels[len(cap.Labels)-1].Name != "metric_set" {
		t.Errorf("rounds: %d regions, %d gaps", len(cap.Regions), len(cap.Gaps))
	}
}

// TestHealthy looks at how busy healthy cases are.
func TestHealthy(t *testing.T) {
	low, high := 1.0, 0.0
	for seed := range uint64(simulatetest.Number(t, 40, 10)) {
		truth := simulatetest.Judged(t, simulatetest.Make(New).Case(t, Names[0], simulate.KindHealthy, seed))
		low, high = min(low, truth.GPUBusy), max(high, truth.GPUBusy)
		if testing.Verbose() {
			t.Logf("%d: busy %.2f clock %.2f, %d frames", seed, truth.GPUBusy, truth.ClockMean, truth.Frames)
		}
	}
	if low > 0.2 || high < 0.7 {
		t.Errorf("the GPU is busy from %.2f to %.2f", low, high)
	}
}
