package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"astrolabe/capture"
)

func TestLeadingCountersStandForThoseThatMoveAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const n = 400
	columns := map[string][]float64{}
	var order []string
	add := func(name string, f func(i int) float64) {
		v := make([]float64, n)
		for i := range v {
			v[i] = f(i)
		}
		columns[name], order = v, append(order, name)
	}
	lengths := make([]int64, n)
	for i := range lengths {
		lengths[i] = 1e6
	}
	load, cache := make([]float64, n), make([]float64, n)
	for i := range n {
		load[i] = math.Abs(math.Sin(float64(i)/20)) + 0.01*r.Float64()
		cache[i] = r.Float64()
	}
	add("lonely", func(int) float64 { return r.Float64() })
	for _, name := range []string{"busy", "cycles", "waves"} {
		add(name, func(i int) float64 { return 100 * load[i] * (1 + 0.01*r.Float64()) })
	}
	add("hits", func(i int) float64 { return 10 * cache[i] })
	add("misses", func(i int) float64 { return 5 - 4*cache[i] })
	add("constant", func(int) float64 { return 3 })
	add("clock", func(i int) float64 { return float64(i) })
	add("rare", func(i int) float64 {
		if i%3 == 0 {
			return r.Float64()
		}
		return math.NaN()
	})
	c := dispatches(t, lengths, columns, order...)
	for _, ctr := range c.Counters {
		if ctr.Name == "clock" {
			ctr.Kind = capture.Gauge
		}
	}
	got, err := Leading(t.Context(), c, 8)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range got {
		names = append(names, l.Counter.Name)
	}
	if len(got) != 3 || len(got[0].Alike) != 2 || names[1] != "hits" || got[1].Alike[0].Name != "misses" ||
		names[2] != "lonely" {
		t.Errorf("leading are %v", names)
	}
	if one, _ := Leading(t.Context(), c, 1); len(one) != 1 {
		t.Errorf("asked for one, got %d", len(one))
	}
	short, _ := c.Slice(0, 5e6)
	if none, err := Leading(t.Context(), short, 8); err != nil || len(none) != 0 {
		t.Errorf("five samples have %d leading counters, %v", len(none), err)
	}
}

// The power of a table of six counters was not drawn: another explained more than half of it, though it moved
// otherwise.
func TestEachOfFewCountersLeadsUnlessAnotherMovesAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 400
	load, power, noise := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		load[i] = 50 + 40*math.Sin(float64(i)/20)
		power[i] = 90 + 5*r.Float64()
		if load[i] > 50 {
			power[i] += 40
		}
		noise[i] = r.Float64()
	}
	lengths := make([]int64, n)
	for i := range lengths {
		lengths[i] = 1e6
	}
	c := dispatches(t, lengths, map[string][]float64{"load": load, "power": power, "noise": noise}, "load",
		"power", "noise")
	if got, err := Leading(t.Context(), c, 8); err != nil || len(got) != 3 {
		t.Errorf("%d of three counters lead, %v", len(got), err)
	}
	if got, err := Leading(t.Context(), c, 2); err != nil || len(got) != 2 {
		t.Errorf("%d of two, %v", len(got), err)
	}
}
