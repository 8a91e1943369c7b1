package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"astrolabe/capture"
)

// repeating is noise with a plateau at the beginning of every period.
func repeating(seed uint64, n int, period, height float64) []float64 {
	v := ar1(rand.New(rand.NewPCG(seed, uint64(n))), n, 0.5)
	for i := range v {
		if math.Mod(float64(i), period) < period/3 {
			v[i] += height
		}
	}
	return v
}

func mustPeriodicity(t testing.TB, v []float64) (Cycle, bool) {
	t.Helper()
	c, ok, err := Periodicity(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return c, ok
}

func TestPeriodsAreFoundInNoise(t *testing.T) {
	for _, x := range []struct {
		n      int
		period float64
	}{{100, 4}, {300, 7.3}, {300, 30}, {1000, 16}, {1000, 100}, {5000, 600}, {100_000, 16}, {100_000, 5000}} {
		c, ok := mustPeriodicity(t, repeating(1, x.n, x.period, 3))
		if !ok || math.Abs(c.Period-x.period) > 0.02*x.period || c.Strength < 0.5 || c.PValue > 0.01 {
			t.Errorf("%d values with period %g: got %+v, %v", x.n, x.period, c, ok)
		}
	}
}

// TestNoiseHasNoPeriod holds the rate of false alarms: of 160 series of noise, whose neighbours correlate by 0 to 0.99,
// at most 3.
func TestNoiseHasNoPeriod(t *testing.T) {
	wrong := 0
	for _, n := range []int{40, 300} {
		for _, phi := range []float64{0, 0.5, 0.9, 0.99} {
			for seed := range uint64(20) {
				if _, ok := mustPeriodicity(t, ar1(rand.New(rand.NewPCG(seed, uint64(n))), n, phi)); ok {
					wrong++
				}
			}
		}
	}
	if wrong > 3 {
		t.Errorf("found a period in %d of 160 series of noise", wrong)
	}
}

func TestWhatDoesNotRepeatHasNoPeriod(t *testing.T) {
	ramp, step, spike := zeros(500), zeros(500), zeros(500)
	for i := range ramp {
		ramp[i] = float64(i)
		if i > 200 {
			step[i] = 1
		}
	}
	spike[77] = 1
	missing := zeros(100)
	for i := range missing {
		missing[i] = math.NaN()
	}
	for name, v := range map[string][]float64{"ramp": ramp, "step": step, "spike": spike, "missing": missing,
		"constant": zeros(100), "one": {1}, "none": nil} {
		if c, ok := mustPeriodicity(t, v); ok {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestMissingValuesHideNoPeriod(t *testing.T) {
	v := repeating(3, 1000, 20, 4)
	for i := range v {
		if i%7 == 3 || (i > 400 && i < 500) {
			v[i] = math.NaN()
		}
	}
	if c, ok := mustPeriodicity(t, v); !ok || math.Abs(c.Period-20) > 0.5 {
		t.Errorf("got %+v, %v, want a period of 20", c, ok)
	}
}

// TestPeriodOfUnevenSamplesIsInTime covers samples of several lengths and a hole: the load repeats every 20 ms.
func TestPeriodOfUnevenSamplesIsInTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	axis := &capture.Axis{}
	var v []float64
	for at := int64(0); at < 2e9; {
		length := 900_000 + rng.Int64N(200_000)
		if at < 0.9e9 || at > 1.1e9 {
			axis.Start, axis.End = append(axis.Start, at), append(axis.End, at+length)
			busy := 0.0
			if at%20e6 < 8e6 {
				busy = float64(length) // a delta of ns
			}
			v = append(v, busy)
		}
		at += length
	}
	c := &capture.Counter{Meta: capture.Meta{Name: "busy", Kind: capture.Delta}, Axis: axis,
		Col: capture.NewColumn(capture.Data{F: v})}
	cycle, step, ok, err := CounterPeriodicity(t.Context(), c)
	if got := cycle.Period * float64(step); err != nil || !ok || math.Abs(got-20e6) > 0.4e6 {
		t.Errorf("got %g ns, %v, %v, want 20 ms", got, ok, err)
	}
}

func TestEventsAtRegularIntervalsRecur(t *testing.T) {
	var at []float64
	for i := range 12 {
		if i != 5 { // one does not happen
			at = append(at, float64(10+30*i+i%2))
		}
	}
	if c, ok := Recurrence(t.Context(), at, 0, 400); !ok || math.Abs(c.Period-30) > 0.5 || c.Strength < 0.9 {
		t.Errorf("got %+v, %v, want a period of 30", c, ok)
	}
}

func TestEventsAtRandomRarelyRecur(t *testing.T) {
	wrong := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 9))
		var at []float64
		for i := range 2000 {
			if rng.Float64() < 0.02 {
				at = append(at, float64(i))
			}
		}
		if _, ok := Recurrence(t.Context(), at, 0, 2000); ok {
			wrong++
		}
	}
	if wrong > 4 {
		t.Errorf("%d of 200 series of random events recur", wrong)
	}
	for name, at := range map[string][]float64{"none": nil, "few": {1, 2, 3, 4}, "at once": {3, 3, 3, 3, 3, 3},
		"unsorted": {1, 2, 3, 2, 1, 7}, "missing": {1, 2, 3, 4, 5, math.NaN()}} {
		if c, ok := Recurrence(t.Context(), at, 0, 10); ok {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func FuzzPeriodicity(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, data []byte) {
		v := fuzzed(data)
		c, ok := mustPeriodicity(t, v)
		if ok && !(c.Period >= 1.5 && c.Period <= float64(len(v)) && c.Strength > 0 && c.Strength <= 1) {
			t.Errorf("%v: %+v", v, c)
		}
		if c, ok := Recurrence(t.Context(), v, 0, 1e6); ok && !(c.Period > 0 && c.Strength <= 1) {
			t.Errorf("%v recur: %+v", v, c)
		}
	})
}

func BenchmarkPeriodicity(b *testing.B) {
	v := repeating(1, 1_000_000, 16, 2)
	for b.Loop() {
		if _, _, err := Periodicity(b.Context(), v); err != nil {
			b.Fatal(err)
		}
	}
}
