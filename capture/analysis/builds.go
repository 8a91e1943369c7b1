package analysis

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture"
)

// RunValue is what one run says about a metric, as Measure gave it.
type RunValue struct {
	Value   float64 // NaN is missing
	Error   float64 // its standard error within the run; NaN where it is not known
	Blocks  int     // independent stretches behind Error
	Missing float64 // fraction of the samples without a value
}

// Runs are the runs of one metric of one part before and after a change.
type Runs struct {
	Part, Name, Title, Unit, Basis, Direction string

	// Group has the same text for all that is measured on one machine: these tell each other how much runs differ.
	Group         string
	Before, After []RunValue
	Why           string // they cannot be judged; "" where they can
}

// CompareRuns judges runs as Compare does, from what Measure knew of each.
func CompareRuns(list []Runs, opt Options) (*Result, error) {
	opt = opt.withDefaults()
	if err := opt.check(); err != nil {
		return nil, err
	}
	res := &Result{Options: opt, Rows: make([]Row, len(list))}
	for i := range list {
		res.Rows[i] = list[i].row()
	}
	if len(res.Rows) == 0 {
		return nil, notComparable("no counter or metric is in captures before and after")
	}
	res.judge()
	return res, nil
}

// row is that of a comparison, before it is judged.
func (l *Runs) row() Row {
	before, lostBefore := l.values(l.Before)
	after, lostAfter := l.values(l.After)
	out := Row{Part: l.Part, Name: l.Name, Title: l.Title, Unit: l.Unit, Basis: l.Basis, Direction: l.Direction,
		BeforeTotal: math.NaN(), AfterTotal: math.NaN(), group: l.Group, borrows: l.Name != durationName,
		Why: l.Why}
	for _, side := range []struct {
		what string
		have []value
		lost int
	}{{"before", before, lostBefore}, {"after", after, lostAfter}} {
		switch all := len(side.have) + side.lost; {
		case out.Why != "":
		case len(side.have) == 0:
			out.Why = fmt.Sprintf("missing %s in all of %d runs", side.what, all)
		case 2*side.lost > all:
			out.Why = fmt.Sprintf("missing %s in %d of %d runs", side.what, side.lost, all)
		case side.lost > 0:
			out.Notes = append(out.Notes, fmt.Sprintf("missing %s in %d of %d runs", side.what, side.lost, all))
		}
	}
	missing := []value{{v: math.NaN(), variance: math.NaN()}}
	if len(before) == 0 {
		before = missing
	}
	if len(after) == 0 {
		after = missing
	}
	// The effect size is that of runs: what they are made of stayed in the captures.
	before[0].cells, after[0].cells = valuesOf(before), valuesOf(after)
	out.before, out.after, out.BeforeCells, out.AfterCells = before, after, before[0].cells, after[0].cells
	switch {
	case out.Why != "":
	case l.Basis == capture.Constant.String():
		out.Why = "a constant of the capture"
	case !out.spreadKnown():
		out.Why = fmt.Sprintf("%d runs before and %d after do not tell how much runs differ, and a run not how sure it is",
			len(before), len(after))
	}
	return out
}

// values are the runs that have one, and how many have none, or none in most of their samples.
func (l *Runs) values(runs []RunValue) (out []value, lost int) {
	for _, r := range runs {
		if math.IsNaN(r.Value) || math.IsInf(r.Value, 0) || r.Missing > 0.5 {
			lost++
			continue
		}
		out = append(out, value{v: r.Value, variance: r.Error * r.Error, blocks: r.Blocks})
	}
	return out, lost
}

func valuesOf(list []value) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = v.v
	}
	return out
}

// Series is a metric of one part over builds.
type Series struct {
	Part, Name, Title, Unit, Basis, Direction string

	Builds []string    // in order
	Values [][]float64 // of the runs of each build, without those that are missing
	Why    string      // they cannot be judged; "" where they can
}

// Step is a build from which on a metric has another level.
type Step struct {
	Build         int     // the first of the new level
	Before, After float64 // medians of the runs of the levels on both sides
	Verdict       Verdict
}

// Change is how much the level changes, relative to the one before.
func (s *Step) Change() float64 { return s.After/s.Before - 1 }

// Trend is what becomes of a metric over builds.
type Trend struct {
	*Series
	P, Q  float64 // of no change at all, and adjusted for all series
	Steps []Step
}

// Verdict is that of the last step.
func (t *Trend) Verdict() Verdict {
	switch {
	case t.Why != "":
		return NotJudged
	case len(t.Steps) == 0:
		return Same
	}
	return t.Steps[len(t.Steps)-1].Verdict
}

// leastBuilds and leastRuns are what a trend takes. With fewer no order of the ranks is rare enough.
const leastBuilds, leastRuns = 3, 8

// Trends finds the builds at which metrics change their level: the worst last step first, what did not change and what
// was not judged last.
//
// It is circular binary segmentation (Olshen and others, 2004) on ranks: a stretch of builds is held against all other
// builds of its segment by Wilcoxon's rank sum, standardized, and the greatest over all stretches against those of
// permutations of the runs. Ranks know no outliers and no distribution, so one set of permutations serves all metrics
// with as many runs in each build; ties are broken at random. What is found cuts its segment, and each piece is looked
// at again. Whether a metric changes at all is judged for all metrics together (Benjamini and Hochberg), and cuts
// within it have to be as clear. A step of less than the least effect is none. All runs are taken to be alike: what
// differs from build to build without a reason, such as the temperature of the day, is a change.
func Trends(list []Series, opt Options) ([]Trend, error) {
	opt = opt.withDefaults()
	if err := opt.check(); err != nil {
		return nil, err
	}
	c := newCutter(len(list), opt)
	out := make([]Trend, len(list))
	var p []float64
	var judged []*Trend
	for i := range list {
		t := &out[i]
		*t = Trend{Series: &list[i], P: math.NaN(), Q: math.NaN()}
		runs, builds := 0, 0
		for _, v := range t.Values {
			if runs += len(v); len(v) > 0 {
				builds++
			}
		}
		if t.Why != "" {
			continue
		}
		if builds < leastBuilds || runs < leastRuns {
			t.Why = fmt.Sprintf("%d runs of %d builds have a value: it takes %d runs of %d builds", runs, builds,
				leastRuns, leastBuilds)
			continue
		}
		t.P = c.chance(t.Values, uint64(i))
		p, judged = append(p, t.P), append(judged, t)
	}
	level := 0.0
	for k, q := range adjust(p) {
		if judged[k].Q = q; q <= opt.Alpha {
			level = max(level, judged[k].P)
		}
	}
	for i, t := range judged {
		if t.Q > opt.Alpha {
			continue
		}
		t.Steps = steps(t.Series, c.cut(t.Values, level, uint64(i)), opt)
	}
	order := []Verdict{Worse, Changed, Better, Same, NotJudged}
	slices.SortStableFunc(out, func(a, b Trend) int {
		x, y := slices.Index(order, a.Verdict()), slices.Index(order, b.Verdict())
		if x != y || len(a.Steps) == 0 || len(b.Steps) == 0 {
			return x - y
		}
		return compareFloats(math.Abs(b.Steps[len(b.Steps)-1].Change()), math.Abs(a.Steps[len(a.Steps)-1].Change()))
	})
	return out, nil
}

func compareFloats(a, b float64) int {
	switch {
	case a < b || math.IsNaN(a) && !math.IsNaN(b):
		return -1
	case a > b || math.IsNaN(b) && !math.IsNaN(a):
		return 1
	}
	return 0
}

// steps are the cuts as changes of the median, without those that are too small to matter: the smallest goes first.
func steps(s *Series, cuts []int, opt Options) []Step {
	level := func(lo, hi int) float64 {
		var all []float64
		for _, v := range s.Values[lo:hi] {
			all = append(all, v...)
		}
		return median(all)
	}
	for {
		out := make([]Step, len(cuts))
		least := -1
		for k, at := range cuts {
			lo, hi := 0, len(s.Values)
			if k > 0 {
				lo = cuts[k-1]
			}
			if k+1 < len(cuts) {
				hi = cuts[k+1]
			}
			out[k] = Step{Build: at, Before: level(lo, at), After: level(at, hi), Verdict: Changed}
			change := math.Abs(out[k].Change())
			if (change < opt.MinEffect || out[k].Before == out[k].After) &&
				(least < 0 || change < math.Abs(out[least].Change())) {
				least = k
			}
			if s.Direction != "" {
				out[k].Verdict = Worse
				if (out[k].After > out[k].Before) == (s.Direction == "more") {
					out[k].Verdict = Better
				}
			}
		}
		if least < 0 {
			return out
		}
		cuts = slices.Delete(cuts, least, least+1)
	}
}
