package intel

import (
	"context"
	"math"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

// everySet are all metric sets of a family's GPU.
func everySet(t *testing.T, name string) (out []string) {
	t.Helper()
	id := "intel-tgl-gt2"
	if strings.Contains(name, "dg2") {
		id = "intel-acm-gt3"
	}
	cat, err := metrics.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range cat.Sets() {
		out = append(out, s.Name)
	}
	return out
}

// TestMetricsOfEverySetAreWithinTheirRange evaluates all metrics of all sets.
func TestMetricsOfEverySetAreWithinTheirRange(t *testing.T) {
	for _, name := range Names {
		sets := everySet(t, name)
		for seed := range uint64(simulatetest.Number(t, 12, 4)) {
			kind := Kinds(name)[seed%6]
			c := simulatetest.Make(New).Case(t, name, kind, seed)
			o := simulate.Options{Host: simulate.Yes}
			if seed%2 == 0 {
				o.Sets = sets
			}
			cap := simulatetest.Recorded(t, c, o)
			list, err := metrics.Metrics(cap)
			if err != nil {
				t.Fatal(err)
			}
			values, err := metrics.Floats(context.Background(), list)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range list {
				most := math.Inf(1)
				if m.Unit == "percent" {
					most = 100 + 1e-3
				}
				for k, v := range values[i] {
					if math.IsInf(v, 0) || v < -1e-9 || v > most {
						t.Errorf("%s %s %d: %s is %v in sample %d", name, kind, seed, m.Name, v, k)
						break
					}
				}
				if total := m.Total(); !total.Missing() && (math.IsNaN(total.Float()) || math.IsInf(total.Float(), 0)) {
					t.Errorf("%s %s %d: %s is %v", name, kind, seed, m.Name, total.Float())
				}
			}
		}
	}
}

// TestCountersAddUp checks what the documents say of counters that belong together.
func TestCountersAddUp(t *testing.T) {
	for _, name := range Names {
		for seed := range uint64(simulatetest.Number(t, 18, 6)) {
			kind := Kinds(name)[seed%6]
			c := simulatetest.Make(New).Case(t, name, kind, seed)
			cap := simulatetest.Recorded(t, c, simulate.Options{Sets: []string{"RenderBasic"}, Host: simulate.Yes})
			at := func(name string) []float64 { return cap.Counter(name).Floats() }
			eus, _ := cap.Property("EuCoresTotalCount")
			ticks := at("GPU_TICKS")
			var sum [8]float64
			active, stall := []string{"A7", "A8", "A9", "A10"}, []string{"A11", "A12", "A13", "A14"}
			if strings.Contains(name, "dg2") {
				active, stall = []string{"A7"}, []string{"A8"}
			}
			for i := range ticks {
				eu := 0.0
				for _, n := range append(append([]string{}, active...), stall...) {
					eu += at(n)[i]
				}
				if eu > eus.Number*ticks[i]+10 {
					t.Fatalf("%s %d: EUs work and wait for %.0f of %.0f clocks", name, seed, eu, eus.Number*ticks[i])
				}
				if at("A0")[i] > ticks[i] || at("A29")[i] > at("A28")[i] || at("B0")[i] > ticks[i] {
					t.Fatalf("%s %d: a part is more than the whole in sample %d", name, seed, i)
				}
				for k, n := range []string{"A21", "A22", "A23", "A24", "A25", "A26", "A27"} {
					sum[k] += at(n)[i]
				}
			}
			if gone := sum[1] + sum[2] + sum[3] + sum[4]; gone > sum[0]*1.05+2000 {
				t.Errorf("%s %s %d: of %.0f blocks %.0f fail", name, kind, seed, sum[0], gone)
			}
			if sum[6] > sum[5]+1000 {
				t.Errorf("%s %s %d: more is blended than written", name, kind, seed)
			}
			addUp(t, cap, name, seed)
		}
	}
}

// addUp checks that what processors do adds up to the time that they have, but for a unit of /proc/stat.
func addUp(t *testing.T, cap *capture.Capture, name string, seed uint64) {
	t.Helper()
	n := len(cap.Counter("cpu_user").Instances)
	all, sum := 0.0, 0.0
	for i := range cap.Len() {
		all += float64(cap.Axis.End[i]-cap.Axis.Start[i]) * float64(n)
		for _, f := range statNames {
			sum += cap.Counter(f).Floats()[i]
		}
	}
	if math.Abs(sum-all) > float64(8*n)*jiffy {
		t.Errorf("%s %d: processors did %.0f ms in %.0f", name, seed, sum/1e6, all/1e6)
	}
}

// TestEveryLimitIsReached looks for a case of each limit among plants.
func TestEveryLimitIsReached(t *testing.T) {
	for _, name := range Names {
		n := len(plants(&machine{discrete: strings.Contains(name, "dg2")}))
		seen := map[string]bool{}
		right := 0
		for seed := range uint64(2 * n) {
			c := simulatetest.Make(New).Case(t, name, simulate.KindSingle, seed)
			truth := simulatetest.Judged(t, c)
			if l, clear := truth.Limiter(); clear {
				seen[l.String()] = true
				if l.String() == c.Plant {
					right++
				}
			}
		}
		for seed := range uint64(n) {
			if p := simulatetest.Make(New).Case(t, name, simulate.KindSingle, seed).Plant; !seen[p] {
				t.Errorf("%s: nothing is clearly limited by %s", name, p)
			}
		}
		t.Logf("%s: %d of %d plants limit", name, right, 2*n)
	}
}

// TestKinds judges some cases of each kind.
func TestKinds(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			clear := 0
			n := simulatetest.Number(t, 6, 3)
			for seed := range uint64(n) {
				truth := simulatetest.Judged(t, simulatetest.Make(New).Case(t, name, kind, seed))
				if _, ok := truth.Limiter(); ok {
					clear++
				}
				if kind == simulate.KindTwoPhase && len(truth.Phases) != 2 {
					t.Errorf("%s %d: %d phases", name, seed, len(truth.Phases))
				}
				if kind == simulate.KindHealthy && (!truth.Healthy || truth.Missed > 0 || truth.GPUBusy < 0.2 || truth.GPUBusy > 0.75) {
					t.Errorf("%s %d: healthy %v, %d dates missed, busy %.2f", name, seed, truth.Healthy, truth.Missed, truth.GPUBusy)
				}
			}
			t.Logf("%s %s: %d of %d are clear", name, kind, clear, n)
		}
	}
}
