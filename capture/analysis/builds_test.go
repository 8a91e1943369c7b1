package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"astrolabe/internal/longtests"
)

// simulatedRuns are those of many metrics of one machine: each run's value is off by a noise of its own, of which the
// half is known from within the run. The first planted metrics change by size.
func simulatedRuns(rng *rand.Rand, metrics, planted, runs int, noise, size float64) []Runs {
	out := make([]Runs, metrics)
	for k := range out {
		level := 1000 * math.Exp(2*rng.NormFloat64())
		own := noise * math.Exp(0.3*rng.NormFloat64()) // metrics differ in how noisy they are
		draw := func(level float64) []RunValue {
			v := make([]RunValue, runs)
			for i := range v {
				v[i] = RunValue{Value: level * math.Exp(own*rng.NormFloat64()), Error: level * own / 2, Blocks: 40}
			}
			return v
		}
		out[k] = Runs{Part: "device", Group: "device", Name: fmt.Sprintf("m%03d", k), Basis: "mean", Direction: "less",
			Before: draw(level)}
		if k < planted {
			level *= 1 + size
		}
		out[k].After = draw(level)
	}
	return out
}

// rates says how often simulated comparisons report any change that was not planted, which part of what they report was
// not, and which part of the planted changes they find.
func rates(t testing.TB, seed uint64, comparisons, runs int, noise, size float64) (any, false_, power float64) {
	const metrics, planted = 40, 4
	rng := rand.New(rand.NewPCG(seed, uint64(runs)))
	for i := range comparisons {
		n := planted
		if size == 0 {
			n = 0
		}
		res, err := CompareRuns(simulatedRuns(rng, metrics, n, runs, noise, size),
			Options{MinEffect: DefaultMinEffect, Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		hits, misses := 0, 0
		for _, r := range res.Rows {
			switch isPlanted := r.Name < fmt.Sprintf("m%03d", n); {
			case r.Verdict == Same:
			case isPlanted && r.Verdict == Worse:
				hits++
			default:
				misses++
			}
		}
		if misses > 0 {
			any++
		}
		if hits+misses > 0 {
			false_ += float64(misses) / float64(hits+misses)
		}
		power += float64(hits) / planted
	}
	n := float64(comparisons)
	return any / n, false_ / n, power / n
}

func TestRunsOfBuildsAreComparedAtTheStatedRate(t *testing.T) {
	comparisons := longtests.Of(400, 60)
	for _, c := range []struct {
		noise, size float64
		runs        int
		power       float64 // of 400 comparisons of another seed
	}{
		{0.01, 0, 5, 0}, {0.03, 0, 10, 0}, {0.05, 0, 5, 0}, {0.05, 0, 20, 0},
		{0.01, 0.02, 5, 0.44}, {0.01, 0.05, 5, 0.98}, {0.03, 0.05, 20, 0.90}, {0.05, 0.10, 10, 0.78},
	} {
		any, false_, power := rates(t, 7, comparisons, c.runs, c.noise, c.size)
		t.Logf("noise %.0f %%, change %.0f %%, %d runs: any false change in %.3f, false of those reported %.3f, found %.3f",
			100*c.noise, 100*c.size, c.runs, any, false_, power)
		if limit := 0.05 + 3*math.Sqrt(0.05*0.95/float64(comparisons)); false_ > limit {
			t.Errorf("false of those reported: %.3f, more than %.3f", false_, limit)
		}
		if least := c.power - 3*math.Sqrt(c.power*(1-c.power)/float64(4*comparisons)); power < least {
			t.Errorf("found %.3f of what was planted, less than %.3f", power, least)
		}
	}
	if !longtests.Asked() {
		return
	}
	for _, noise := range []float64{0.01, 0.02, 0.05} { // the table of the documentation
		for _, runs := range []int{5, 10, 20} {
			line := fmt.Sprintf("| %.0f %% | %d |", 100*noise, runs)
			for _, size := range []float64{0, 0.01, 0.02, 0.05, 0.10} {
				any, false_, power := rates(t, 11, 200, runs, noise, size)
				if size == 0 {
					line += fmt.Sprintf(" %.1f %% |", 100*any)
				} else {
					line += fmt.Sprintf(" %.0f %% (%.1f %%) |", 100*power, 100*false_)
				}
			}
			t.Log(line)
		}
	}
}

// simulatedBuilds are series over builds, of which the first planted change by size at build at, and for long builds.
func simulatedBuilds(rng *rand.Rand, series, planted, builds, runs, at, long int, noise, size float64) []Series {
	out := make([]Series, series)
	for k := range out {
		s := &out[k]
		s.Name, s.Direction, s.Basis = fmt.Sprintf("m%03d", k), "less", "mean"
		level := 1000 * math.Exp(2*rng.NormFloat64())
		for b := range builds {
			now := level
			if k < planted && b >= at && b < at+long {
				now *= 1 + size
			}
			v := make([]float64, runs)
			for i := range v {
				v[i] = now * math.Exp(noise*rng.NormFloat64())
			}
			s.Builds, s.Values = append(s.Builds, fmt.Sprint(b)), append(s.Values, v)
		}
	}
	return out
}

// trendRates says which part of the series with a step have none, and which part of the planted ones have exactly
// theirs: at the right builds, and at most one build off.
func trendRates(t testing.TB, seed uint64, times, builds, runs, at, long int, noise, size float64) (false_, exact,
	near float64) {
	const series, planted = 20, 2
	rng := rand.New(rand.NewPCG(seed, uint64(runs)))
	var want []int
	for _, b := range []int{at, at + long} {
		if b > 0 && b < builds {
			want = append(want, b)
		}
	}
	for i := range times {
		n := planted
		if size == 0 {
			n = 0
		}
		list, err := Trends(simulatedBuilds(rng, series, n, builds, runs, at, long, noise, size),
			Options{MinEffect: DefaultMinEffect, Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		hits, misses := 0.0, 0.0
		for _, tr := range list {
			var got []int
			for _, s := range tr.Steps {
				got = append(got, s.Build)
			}
			if tr.Name >= fmt.Sprintf("m%03d", n) {
				misses += float64(min(len(got), 1))
				continue
			}
			hits += float64(min(len(got), 1))
			close := len(got) == len(want)
			for k := range min(len(got), len(want)) {
				close = close && got[k] >= want[k]-1 && got[k] <= want[k]+1
			}
			if slices.Equal(got, want) {
				exact++
			}
			if close {
				near++
			}
		}
		if misses > 0 {
			false_ += misses / (hits + misses)
		}
	}
	n := float64(times)
	return false_ / n, exact / n / planted, near / n / planted
}

func TestStepsOverBuildsAreFoundWhereTheyAre(t *testing.T) {
	times := longtests.Of(100, 12)
	for _, c := range []struct {
		name                   string
		builds, runs, at, long int
		noise, size, near      float64
	}{
		{"no step", 12, 5, 0, 0, 0.03, 0, 0},
		{"one step", 12, 5, 6, 12, 0.02, 0.05, 0.9},
		{"the newest build", 12, 10, 11, 1, 0.02, 0.10, 0.9},
		{"one odd build", 12, 10, 5, 1, 0.02, 0.10, 0.9},
		{"up and back", 20, 5, 7, 6, 0.02, 0.05, 0.9},
	} {
		false_, exact, near := trendRates(t, 3, times, c.builds, c.runs, c.at, c.long, c.noise, c.size)
		t.Logf("%s: false of those with a step %.3f, exact %.3f, within a build %.3f", c.name, false_, exact, near)
		if limit := 0.05 + 3*math.Sqrt(0.05*0.95/float64(times)); false_ > limit {
			t.Errorf("%s: false of those with a step: %.3f, more than %.3f", c.name, false_, limit)
		}
		if near < c.near {
			t.Errorf("%s: %.3f are where they are, less than %.2f", c.name, near, c.near)
		}
	}
}
