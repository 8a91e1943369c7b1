package intel

import (
	"context"
	"math"
	"reflect"
	"slices"
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

// TestEveryLimitIsReached looks for a case that each plant limits clearly: with the first of its seeds, or one of some more.
func TestEveryLimitIsReached(t *testing.T) {
	const chances = 6
	for _, name := range Names {
		n := len(plants(&machine{discrete: strings.Contains(name, "dg2")}))
		tried := 0
		for plant := range n {
			reached := false
			for k := 0; k < chances && !reached; k++ {
				c := simulatetest.Make(New).Case(t, name, simulate.KindSingle, uint64(plant+k*n))
				l, clear := simulatetest.Judged(t, c).Limiter()
				reached = clear && l.String() == c.Plant
				tried++
			}
			if !reached {
				t.Errorf("%s: nothing is clearly limited by plant %d", name, plant)
			}
		}
		t.Logf("%s: %d plants in %d cases", name, n, tried)
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

// TestTheSameSeedGivesTheSameCase records and judges cases twice, and with a relief that changes nothing.
func TestTheSameSeedGivesTheSameCase(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			a, b := simulatetest.Make(New).Case(t, name, kind, 9), simulatetest.Make(New).Case(t, name, kind, 9)
			x, y := simulatetest.Judged(t, a), simulatetest.Judged(t, b)
			if a.Text != b.Text || !reflect.DeepEqual(x, y) {
				t.Errorf("%s %s: two truths of one seed", name, kind)
			}
			p, q := simulatetest.Recorded(t, a, simulate.Options{}), simulatetest.Recorded(t, b, simulate.Options{})
			if !p.Axis.Same(q.Axis) || !slices.Equal(p.Counter("A0").Floats(), q.Counter("A0").Floats()) {
				t.Errorf("%s %s: two captures of one seed", name, kind)
			}
		}
	}
}

// TestBalanceHoldsWhatQueuesMust checks the analysis against what holds of any closed network: no station works for more
// than all of its time, who goes round is somewhere (Little's law), and a single customer meets no one.
func TestBalanceHoldsWhatQueuesMust(t *testing.T) {
	r := simulate.NewRandom(1, "networks")
	for range 200 {
		var servers [stations]float64
		var l load
		for i := range servers {
			servers[i] = float64(r.Whole(1, 96))
			if r.Chance(0.6) {
				l.d[i] = r.Log(1, 1e4)
			}
		}
		l.n, l.z = r.Log(1, 4000), r.Log(1, 1e4)
		var x [1]float64
		q := balance(&servers, []load{l}, x[:])
		there, alone := x[0]*l.z, l.z
		for i, d := range l.d {
			there += q[i] * servers[i]
			alone += d
			if u := x[0] * d / servers[i]; u > 1.001 {
				t.Errorf("station %d works for %.3f of its time", i, u)
			}
		}
		if math.Abs(there-l.n) > 0.02*l.n {
			t.Errorf("%.1f of %.1f are there", there, l.n)
		}
		l.n = 1
		balance(&servers, []load{l}, x[:])
		if math.Abs(x[0]*alone-1) > 1e-3 {
			t.Errorf("one goes round in %.3f of its time alone", 1/(x[0]*alone))
		}
	}
}
