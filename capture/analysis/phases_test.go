package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/longtests"
)

// ar1 is noise of deviation 1 whose neighbours correlate by phi.
func ar1(rng *rand.Rand, n int, phi float64) []float64 {
	out := make([]float64, n)
	x := rng.NormFloat64()
	for i := range out {
		out[i] = x
		x = phi*x + math.Sqrt(1-phi*phi)*rng.NormFloat64()
	}
	return out
}

// plus adds a level to noise of some deviation; levels[k] holds for part k of equal parts.
func plus(noise []float64, deviation float64, levels ...float64) []float64 {
	out := make([]float64, len(noise))
	for i, x := range noise {
		out[i] = levels[i*len(levels)/len(noise)] + deviation*x
	}
	return out
}

// gauges are counters of one axis of 1 ms samples.
func gauges(series ...[]float64) []*capture.Counter {
	axis := capture.NewUniformAxis(len(series[0]), 1e6)
	var out []*capture.Counter
	for _, v := range series {
		out = append(out, &capture.Counter{Meta: capture.Meta{Name: "level", Kind: capture.Gauge}, Axis: axis,
			Col: capture.NewColumn(capture.Data{F: v})})
	}
	return out
}

// starts is the first sample of every phase but the first. It checks that the phases hold every sample once.
func starts(t testing.TB, opt PhaseOptions, series ...[]float64) []int {
	t.Helper()
	spans, err := Phases(t.Context(), gauges(series...), opt)
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	next := 0
	for i, s := range spans {
		if s.First != next || s.Last < s.First {
			t.Fatalf("phase %d holds samples %d to %d, want them from %d", i, s.First, s.Last, next)
		}
		if i > 0 {
			out = append(out, s.First)
			if s.Start != spans[i-1].End {
				t.Fatalf("phase %d starts at %d ns, the one before ends at %d", i, s.Start, spans[i-1].End)
			}
		}
		next = s.Last + 1
	}
	if next != len(series[0]) {
		t.Fatalf("the phases hold %d of %d samples", next, len(series[0]))
	}
	return out
}

func zeros(n int) []float64 { return make([]float64, n) }

// planted reports whether the boundaries are those planted, each at most so many samples off.
func planted(got []int, off int, want ...int) bool {
	return slices.EqualFunc(got, want, func(a, b int) bool { return a-b <= off && b-a <= off })
}

func TestCleanStepsAreFoundWhereTheyAre(t *testing.T) {
	got := starts(t, PhaseOptions{}, plus(zeros(1000), 0, 10, 50, 10, 80))
	if !planted(got, 0, 250, 500, 750) {
		t.Errorf("boundaries at %d, planted at 250, 500, 750", got)
	}
}

func TestStepsInNoiseAreFound(t *testing.T) {
	cases := uint64(longtests.Of(10, 4))
	for _, n := range []int{60, 500, 2000, 30000} {
		for _, phi := range []float64{0, 0.5, 0.9} {
			if n < 500 && phi > 0 {
				continue // too few values to tell a phase from noise that wanders
			}
			missed := 0
			for seed := range cases {
				got := starts(t, PhaseOptions{},
					plus(ar1(rand.New(rand.NewPCG(seed, uint64(n))), n, phi), 8, 100, 160, 100))
				if !planted(got, max(2, n/100), n/3, n-n/3) {
					missed++
				}
			}
			if missed > int(cases/10) {
				t.Errorf("%d values with correlation %.1f: wrong in %d of %d", n, phi, missed, cases)
			}
		}
	}
}

// TestNoiseHasNoPhases holds the rate of false alarms. Over lengths of 40 to 2000, 1 and 4 series and 50 seeds each,
// none of 700 captures was cut with independent noise, 2 with a correlation of neighbours of 0.5, and 3 % with 0.9;
// levels that wander (0.97) are cut in 11 %.
func TestNoiseHasNoPhases(t *testing.T) {
	for phi, most := range map[float64]int{0: 0, 0.5: 1, 0.9: 6} {
		wrong := 0
		for _, n := range []int{60, 200, 1000} {
			for _, d := range []int{1, 4} {
				for seed := range uint64(15) {
					rng := rand.New(rand.NewPCG(seed, uint64(n)))
					var s [][]float64
					for range d {
						s = append(s, plus(ar1(rng, n, phi), 15, 100))
					}
					if len(starts(t, PhaseOptions{}, s...)) > 0 {
						wrong++
					}
				}
			}
		}
		if wrong > most {
			t.Errorf("correlation %.1f: %d of 90 captures without phases have some", phi, wrong)
		}
	}
}

func TestFramesAreNoPhases(t *testing.T) {
	for _, frame := range []int{4, 8, 16, 33, 60} {
		for _, jitter := range []int{0, 1} {
			for _, later := range []float64{1, 0.6, 0.2} {
				rng := rand.New(rand.NewPCG(1, uint64(frame)))
				n := 150 * frame
				v := zeros(n)
				at, length := 0, frame
				for i := range v {
					if i-at >= length {
						at, length = i, frame+rng.IntN(jitter+1)
					}
					if 4*(i-at) < 3*length { // busy, then idle until the display wants the next frame
						v[i] = 900 + 50*rng.Float64()
						if i >= n/2 {
							v[i] *= later
						}
					}
				}
				got := starts(t, PhaseOptions{}, v)
				if later == 1 && got != nil || later < 1 && !planted(got, 2*frame, n/2) {
					t.Errorf("frames of %d+%d samples, load times %g from %d on: boundaries at %d", frame, jitter,
						later, n/2, got)
				}
			}
		}
	}
}

func TestSpikesAreNoPhases(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	v := plus(ar1(rng, 1000, 0.3), 1, 20, 40)
	for i := range v {
		if i%97 < 4 {
			v[i] += 5000
		}
	}
	if got := starts(t, PhaseOptions{}, v); !planted(got, 3, 500) {
		t.Errorf("boundaries at %d, planted at 500", got)
	}
}

// TestNoisyPhasesStayWhole has a phase whose noise is a thousand times that of the other, which is most of the capture.
func TestNoisyPhasesStayWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	v := zeros(1000)
	for i := range v {
		v[i] = 1 + 0.1*rng.NormFloat64()
		if i >= 700 {
			v[i] = 1000 + 100*rng.NormFloat64()
		}
	}
	if got := starts(t, PhaseOptions{}, v); !planted(got, 1, 700) {
		t.Errorf("boundaries at %d, planted at 700", got)
	}
}

func TestAnyCounterCanMakeAPhase(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	a, b := plus(ar1(rng, 900, 0.3), 5, 100, 100, 200), plus(ar1(rng, 900, 0.3), 1e9, 9e9, 30e9, 30e9)
	if got := starts(t, PhaseOptions{}, a, b); !planted(got, 4, 300, 600) {
		t.Errorf("boundaries at %d, planted at 300 and 600", got)
	}
}

func TestARampIsAStaircase(t *testing.T) {
	v := ar1(rand.New(rand.NewPCG(5, 5)), 1000, 0.2)
	for i := range v {
		v[i] += float64(i) / 4
	}
	if got := starts(t, PhaseOptions{}, v); len(got) < 2 || len(got) > 20 {
		t.Errorf("boundaries at %d", got)
	}
	if got := starts(t, PhaseOptions{MaxPhases: 3}, v); len(got) != 2 {
		t.Errorf("boundaries at %d, want two for three phases", got)
	}
}

func TestAnIdleStretchIsAPhase(t *testing.T) {
	for name, idle := range map[string]float64{"zero": 0, "missing": math.NaN()} {
		v := plus(ar1(rand.New(rand.NewPCG(6, 6)), 1000, 0.3), 3, 50)
		for i := range v {
			if (i >= 400 && i < 600) || i%50 == 0 {
				v[i] = idle
			}
		}
		if got := starts(t, PhaseOptions{}, v); !planted(got, 1, 400, 600) {
			t.Errorf("%s: boundaries at %d, planted at 400 and 600", name, got)
		}
	}
}

func TestShortPhasesNeedToBeAskedFor(t *testing.T) {
	v := zeros(2000)
	for i := 1000; i < 1020; i++ {
		v[i] = 10
	}
	if got := starts(t, PhaseOptions{}, v); got != nil {
		t.Errorf("1 %% of the capture makes phases at %d", got)
	}
	if got := starts(t, PhaseOptions{MinDuration: 15e6}, v); !planted(got, 0, 1000, 1020) {
		t.Errorf("boundaries at %d, planted at 1000 and 1020", got)
	}
}

func TestWhatDoesNotChangeIsOnePhase(t *testing.T) {
	missing := zeros(100)
	for i := range missing {
		missing[i] = math.NaN()
	}
	small := plus(zeros(100), 0, 1000, 1001) // a thousandth
	for name, v := range map[string][]float64{"constant": plus(zeros(100), 0, 7), "zero": zeros(100),
		"missing": missing, "one": {3}, "few": {1, 1, 1, 9, 9, 9}, "small": small} {
		if got := starts(t, PhaseOptions{}, v); got != nil {
			t.Errorf("%s: boundaries at %d", name, got)
		}
	}
	if spans, err := Phases(t.Context(), gauges(nil), PhaseOptions{}); spans != nil || err != nil {
		t.Errorf("no samples: %v, %v", spans, err)
	}
}

// TestDeltasAreTakenPerSecond has samples that become longer while the rate stays the same.
func TestDeltasAreTakenPerSecond(t *testing.T) {
	axis := &capture.Axis{}
	var v []float64
	at := int64(0)
	for i := range 400 {
		length := int64(1e6)
		if i >= 200 {
			length = 4e6
		}
		axis.Start, axis.End = append(axis.Start, at), append(axis.End, at+length)
		v = append(v, float64(length))
		at += length
	}
	c := &capture.Counter{Meta: capture.Meta{Name: "events", Kind: capture.Delta}, Axis: axis,
		Col: capture.NewColumn(capture.Data{F: v})}
	if got, err := Phases(t.Context(), []*capture.Counter{c}, PhaseOptions{}); len(got) != 1 || err != nil {
		t.Errorf("%v, %v, want one phase", got, err)
	}
}

func TestPhasesNeedOneTimeAxis(t *testing.T) {
	if _, err := Phases(t.Context(), append(gauges(zeros(10)), gauges(zeros(11))...), PhaseOptions{}); err == nil {
		t.Error("two axes are no error")
	}
	if _, err := Phases(t.Context(), nil, PhaseOptions{}); err == nil {
		t.Error("no counters are no error")
	}
	if _, err := Phases(t.Context(), gauges(zeros(10)), PhaseOptions{MinSamples: -1}); err == nil {
		t.Error("less than no samples are no error")
	}
}

func TestAMillionSamplesHaveThePhasesOfTheirBins(t *testing.T) {
	v := plus(ar1(rand.New(rand.NewPCG(7, 7)), 1_000_000, 0.9), 10, 100, 40, 160, 40)
	if got := starts(t, PhaseOptions{}, v); !planted(got, 1000, 250_000, 500_000, 750_000) {
		t.Errorf("boundaries at %d", got)
	}
}

// fuzzed makes values of bytes, among them missing, infinite and huge ones.
func fuzzed(data []byte) []float64 {
	special := map[byte]float64{250: math.NaN(), 251: math.Inf(1), 252: math.Inf(-1), 253: math.MaxFloat64,
		254: math.SmallestNonzeroFloat64, 255: 1e9}
	out := make([]float64, len(data))
	for i, b := range data {
		x, ok := special[b]
		if !ok {
			x = float64(int8(b))
		}
		out[i] = x
	}
	return out
}

func FuzzPhases(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 90, 91, 92, 93, 94, 95, 250, 250, 250, 250}, uint8(3), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, samples, most uint8) {
		if len(data) < 2 {
			return
		}
		half := len(data) / 2
		got := starts(t, PhaseOptions{MinSamples: int(samples), MinDuration: 1, MaxPhases: int(most)},
			fuzzed(data[:half]), fuzzed(data[half:2*half]))
		if most > 0 && len(got) >= int(most) {
			t.Errorf("%d boundaries for at most %d phases", len(got), most)
		}
	})
}

func BenchmarkPhases(b *testing.B) {
	rng := rand.New(rand.NewPCG(8, 8))
	var s [][]float64
	for range 4 {
		s = append(s, plus(ar1(rng, 1_000_000, 0.5), 10, 100, 40, 160))
	}
	counters := gauges(s...)
	for b.Loop() {
		if _, err := Phases(b.Context(), counters, PhaseOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
