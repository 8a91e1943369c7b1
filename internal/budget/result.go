package budget

import (
	"fmt"
	"math"

	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
	"astrolabe/capture/units"
)

// Verdict is what is said about a limit.
type Verdict string

// The verdicts.
const (
	Broken    Verdict = "broken"
	NotJudged Verdict = "cannot be judged" // something that the verdict depends on has no value
	Skipped   Verdict = "skipped"          // nothing has a value, and the limit says missing = "skip"
	Kept      Verdict = "kept"
)

// Result is what came of one limit.
type Result struct {
	Limit    *Limit
	Title    string  // of the metric, "" if it has none
	Unit     string  // of all numbers here
	Max, Min float64 // NaN where there is none
	Verdict  Verdict
	Why      string // of NotJudged and Skipped
	Notes    []string

	Parts   *Parts
	Values  []float64 // of every part; NaN is missing
	Groups  []Group   // what a limit of a statistic judges; nil where it judges the parts
	Judged  int       // parts with a value, or groups
	Over    int       // those that break the limit
	Allowed int       // how many may
	Missing int       // parts without a value

	Worst   float64 // the value that breaks the limit by most, or comes nearest to it; NaN where there is none
	WorstAt int     // its part; of a statistic the part whose own value is the worst; -1 if none

	Counter *capture.Counter // nil of durations
	Rate    bool             // the values are of Counter per second
}

// Group is a statistic over parts: all of them, or the occurrences of one region.
type Group struct {
	Name  string // "" for all
	Value float64
	Parts []int
}

// equal is how far a value may lie beyond a limit and still be at it, relative to the limit: the rounding of a change
// of unit.
const equal = 1e-12

// Excess is by how much v lies beyond the limit; at most 0 where it is kept.
func (r *Result) Excess(v float64) float64 {
	out := math.Inf(-1)
	beyond := func(by, limit float64) {
		if by > 0 && by <= equal*math.Abs(limit) {
			by = 0
		}
		out = math.Max(out, by)
	}
	if !math.IsNaN(r.Max) {
		beyond(v-r.Max, r.Max)
	}
	if !math.IsNaN(r.Min) {
		beyond(r.Min-v, r.Min)
	}
	return out
}

// bounds reads the limit's numbers in the unit of its metric, or of the metric per second where that is what they are
// in.
func (r *Result) bounds() error {
	l := r.Limit
	r.Max, r.Min = math.NaN(), math.NaN()
	read := func(unit string) error {
		for _, b := range []struct {
			key, text string
			to        *float64
		}{{"max", l.Max, &r.Max}, {"min", l.Min, &r.Min}} {
			if b.text == "" {
				continue
			}
			v, err := notation.ParseQuantity(b.text, unit)
			if err == nil && math.IsInf(v, 0) {
				err = fmt.Errorf("%q is too large", b.text)
			}
			if err != nil {
				return l.fault(b.key, err)
			}
			*b.to = v
		}
		return nil
	}
	err := read(r.Unit)
	if err != nil && r.Counter != nil && addsUp(r.Counter) {
		if rate := r.Unit + "/s"; read(rate) == nil {
			err, r.Unit, r.Rate = nil, rate, true
		}
	}
	if err != nil {
		return err
	}
	if r.Min > r.Max {
		return l.fault("min", fmt.Errorf("min is greater than max: nothing keeps that"))
	}
	return nil
}

// values are those of every part.
func (r *Result) values() ([]float64, error) {
	p, n := r.Parts, r.Parts.Len()
	switch {
	case r.Counter == nil:
		out := make([]float64, n)
		for i := range out {
			out[i] = p.duration(i)
		}
		return out, nil
	case p.caps != nil:
		out := make([]float64, n)
		for i, c := range p.caps {
			ctr, err := resolve(c, r.Limit)
			if err != nil {
				return nil, err
			}
			if ctr, err = r.judged(ctr); err != nil {
				return nil, err
			}
			out[i] = ctr.Aggregate(c.Axis.Whole())[0]
		}
		return out, nil
	}
	ctr, err := r.judged(r.Counter)
	if err != nil {
		return nil, err
	}
	if p.bins != nil {
		return ctr.Aggregate(p.bins), nil
	}
	return ctr.Floats(), nil
}

// judged is the series that the limit is about: the counter, or what it counts per second of the samples in which it
// has a value.
func (r *Result) judged(c *capture.Counter) (*capture.Counter, error) {
	if !r.Rate {
		return c, nil
	}
	return formula.Apply("/", capture.Meta{Name: c.Name, Title: c.Title, Unit: r.Unit}, formula.Operand{Counter: c},
		formula.Operand{Counter: c.Duration()})
}

// Series is the series that the limit is about, nil for a duration.
func (r *Result) Series() (*capture.Counter, error) {
	if r.Counter == nil {
		return nil, nil
	}
	return r.judged(r.Counter)
}

// addsUp reports whether a counter is an amount, such as bytes, that is one per second too: a count, or a metric whose
// total is the sum of the totals of its parts.
func addsUp(c *capture.Counter) bool {
	n := c.Len()
	if c.Der == nil || n < 2 {
		return c.Kind == capture.Delta
	}
	if level, known := units.IsLevel(c.Unit); level || !known {
		return false
	}
	total := c.Total().Float()
	parts := c.Slice(0, n/2, c.Axis.Slice(0, n/2)).Total().Float() +
		c.Slice(n/2, n, c.Axis.Slice(n/2, n)).Total().Float()
	return total != 0 && math.Abs(parts/total-1) < 1e-6
}

// doubts notes that sums lack what was not measured.
func (r *Result) doubts(c *capture.Capture) {
	r.Notes = nil
	if r.Counter == nil {
		return
	}
	r.Notes = append(r.Notes, r.Counter.Doubts()...)
	if r.Counter.Der != nil {
		r.Notes = append(r.Notes, r.Counter.Der.Warnings()...)
	}
	if r.Rate || r.Counter.Kind != capture.Delta {
		return // what is per second lacks the time of what is missing too
	}
	if r.Limit.Per == perSample {
		if len(c.Late) > 0 {
			r.Notes = append(r.Notes,
				fmt.Sprintf(
					"in %d late spans a sample has the events of several ticks, which a limit per second would judge like the others",
					len(c.Late)))
		}
		return
	}
	if n := c.Len() - r.Counter.Count() - r.Counter.Turns().Count(); n > 0 && n < c.Len() {
		r.Notes = append(r.Notes, fmt.Sprintf("%d of %d samples have no value, which sums lack", n, c.Len()))
	}
	if len(c.Gaps) > 0 {
		r.Notes = append(r.Notes, "the capture has gaps, whose events sums lack")
	}
}
