package budget

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/metrics"
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

// Judgement is what came of a budget on one capture.
type Judgement struct {
	Budget  *Budget
	Capture *capture.Capture
	Results []*Result // one per limit, in the order of the file
}

// Count is the number of limits with a verdict.
func (j *Judgement) Count(v Verdict) int {
	n := 0
	for _, r := range j.Results {
		if r.Verdict == v {
			n++
		}
	}
	return n
}

// OK reports whether the budget is kept: nothing is broken, everything could be judged, and not everything was skipped.
func (j *Judgement) OK() bool {
	return j.Count(Broken) == 0 && j.Count(NotJudged) == 0 && j.Count(Kept) > 0
}

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

// Judge holds a capture against a budget. ask answers what no counter says; nil refuses limits about such. The error is
// an *Error where the file asks for what the capture's catalogues do not know, or is about another GPU.
func Judge(ctx context.Context, b *Budget, c *capture.Capture, ask Asker) (*Judgement, error) {
	if b.GPU != "" && !slices.ContainsFunc(metrics.For(c), func(cat *metrics.Catalogue) bool {
		return cat.ID() == b.GPU
	}) {
		is := c.GPU
		if is == "" {
			is = "an unknown GPU: --gpu says which"
		}
		return nil, &Error{b.File, max(b.lines["gpu"], 1),
			fmt.Errorf("the budget is for %s, the capture is of %s", b.GPU, is)}
	}
	j := &judge{cap: c, ask: ask, parts: map[string]foundParts{}}
	out := &Judgement{Budget: b, Capture: c}
	var errs []error
	for _, l := range b.Limits {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		judge := j.limit
		if asks(l) {
			judge = func(l *Limit) (*Result, error) { return j.asked(ctx, l) }
		}
		r, err := judge(l)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out.Results = append(out.Results, r)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return out, nil
}

// judge holds what the limits of a file share on one capture.
type judge struct {
	cap   *capture.Capture
	ask   Asker
	parts map[string]foundParts
}

type foundParts struct {
	parts *Parts
	why   string
	err   error
}

func (j *judge) partsOf(l *Limit) (*Parts, string, error) {
	key := l.Per + "\x00" + strings.Join(l.Of, "\x00")
	f, ok := j.parts[key]
	if !ok {
		f.parts, f.why, f.err = partsOf(j.cap, l)
		j.parts[key] = f
	}
	return f.parts, f.why, f.err
}

// resolve finds the limit's metric in a capture; nil is the duration.
func resolve(c *capture.Capture, l *Limit) (*capture.Counter, error) {
	if l.Expr != "" {
		out, err := metrics.Eval(c, l.Expr, capture.Meta{Name: l.Label(), Unit: l.Unit})
		if err != nil {
			return nil, l.fault("expr", err)
		}
		return out, nil
	}
	if l.Metric == durationMetric && c.Counter(durationMetric) == nil {
		return nil, nil
	}
	out, err := metrics.Resolve(c, l.Metric)
	if err != nil {
		return nil, l.fault("metric", err)
	}
	return out, nil
}

func (j *judge) limit(l *Limit) (*Result, error) {
	ctr, err := resolve(j.cap, l)
	if err != nil {
		return nil, err
	}
	r := &Result{Limit: l, Counter: ctr, Unit: "s", Title: "Duration", Worst: math.NaN(), WorstAt: -1}
	if ctr != nil {
		r.Unit, r.Title = ctr.Unit, ctr.Title
	}
	if err := r.bounds(); err != nil {
		return nil, err
	}
	p, why, err := j.partsOf(l)
	if err != nil {
		return nil, l.fault("per", err)
	}
	if p == nil || p.Len() == 0 {
		r.Parts = &Parts{What: l.Per}
		r.unjudged(why)
		return r, nil
	}
	r.Parts = p
	if r.Values, err = r.values(); err != nil {
		return nil, err
	}
	r.doubts(j.cap)
	r.judge(j.cap)
	return r, nil
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

// judge gives the verdict.
func (r *Result) judge(c *capture.Capture) {
	first := -1 // part without a value
	for i, v := range r.Values {
		if v != v {
			r.Missing++
			if first < 0 {
				first = i
			}
		}
	}
	why := ""
	if first >= 0 {
		why = r.whyMissing(c, first)
	}
	unjudged := 0
	if r.Limit.Statistic != "" {
		var none string
		unjudged, none = r.statistics()
		why = cmp.Or(none, why)
	} else {
		r.Judged = len(r.Values) - r.Missing
		if !r.Limit.Skip {
			unjudged = r.Missing
		}
		r.Allowed = r.Limit.Allow.parts(r.Judged + unjudged)
		for i, v := range r.Values {
			r.consider(v, i)
		}
	}
	for _, pattern := range r.Parts.unmatched {
		text := fmt.Sprintf("no %s matches %q", r.Parts.What, pattern)
		if r.Limit.Skip {
			r.Notes = append(r.Notes, text)
			continue
		}
		unjudged += r.Allowed + 1 // nobody knows how many there would be
		if why == "" {
			why = text
		}
	}
	switch {
	case r.Over > r.Allowed:
		r.Verdict = Broken
	case r.Judged == 0 || r.Over+unjudged > r.Allowed:
		r.unjudged(why)
	default:
		r.Verdict = Kept
	}
	if r.Verdict != NotJudged && r.Verdict != Skipped && why != "" {
		r.Notes = append(r.Notes, why)
	}
}

// unjudged is the verdict where a value is missing that decides. A limit is only skipped where nothing has a value.
func (r *Result) unjudged(why string) {
	r.Verdict, r.Why = NotJudged, why
	if r.Limit.Skip && r.Judged == 0 {
		r.Verdict = Skipped
	}
}

// consider counts a value, of the part i, that is judged.
func (r *Result) consider(v float64, i int) {
	if v != v {
		return
	}
	e := r.Excess(v)
	if e > 0 {
		r.Over++
	}
	if r.WorstAt < 0 || e > r.Excess(r.Worst) {
		r.Worst, r.WorstAt = v, i
	}
}

// statistics judges the statistic of each group of parts, and returns how many groups could not be judged. why is given
// where that is not for lack of values.
func (r *Result) statistics() (unjudged int, why string) {
	f, _ := statisticOf(r.Limit.Statistic)
	at := map[string]int{}
	for i := range r.Values {
		name := ""
		if r.Parts.groups != nil {
			name = r.Parts.groups[i]
		}
		k, ok := at[name]
		if !ok {
			k = len(r.Groups)
			at[name] = k
			r.Groups = append(r.Groups, Group{Name: name, Value: math.NaN()})
		}
		r.Groups[k].Parts = append(r.Groups[k].Parts, i)
	}
	for k := range r.Groups {
		g := &r.Groups[k]
		values := make([]float64, 0, len(g.Parts))
		worst := -1
		for _, i := range g.Parts {
			v := r.Values[i]
			if v != v {
				continue
			}
			values = append(values, v)
			if worst < 0 || r.Excess(v) > r.Excess(r.Values[worst]) {
				worst = i
			}
		}
		if len(values) == 0 || len(values) < len(g.Parts) && !r.Limit.Skip {
			if !r.Limit.Skip {
				unjudged++
			}
			continue
		}
		if g.Value = f(values); g.Value != g.Value {
			unjudged++
			if why == "" {
				why = "infinite values of both signs have no " + r.Limit.Statistic
			}
			continue
		}
		r.Judged++
		r.consider(g.Value, worst)
	}
	return unjudged, why
}

// whyMissing says how many parts have no value and why the first of them has none.
func (r *Result) whyMissing(c *capture.Capture, first int) string {
	reason := r.reason(c, first)
	switch {
	case r.Parts.What == "":
		return reason
	case r.Missing == len(r.Values):
		return fmt.Sprintf("no %s has a value: %s", r.Parts.What, reason)
	}
	verb := "have"
	if r.Missing == 1 {
		verb = "has"
	}
	text := fmt.Sprintf("%d of %d (first %s) %s no value: %s", r.Missing, len(r.Values), r.Parts.Name(first), verb,
		reason)
	if r.Limit.Skip {
		return "left out: " + text
	}
	return text
}

// reason is why a part has no value.
func (r *Result) reason(c *capture.Capture, i int) string {
	p, ctr := r.Parts, r.Counter
	switch {
	case c.Len() == 0:
		return "the capture has no samples"
	case p.caps != nil:
		own, err := resolve(p.caps[i], r.Limit)
		if err != nil {
			return err.Error()
		}
		return reasonAmong(own, 0, own.Len())
	case p.bins != nil && p.bins.Lo[i] >= p.bins.Hi[i]:
		return "no sample starts in it"
	case p.bins != nil:
		return reasonAmong(ctr, p.bins.Lo[i], p.bins.Hi[i])
	}
	return reasonAmong(ctr, i, i+1)
}

// reasonAmong is the reason of the first missing value among samples [from, to), else that of the total.
func reasonAmong(c *capture.Counter, from, to int) string {
	var v [1]float64
	for i := from; i < to; i++ {
		if c.ReadFloats(v[:], i); v[0] != v[0] {
			if why, ok := c.Why(i); ok {
				return why.String()
			}
		}
	}
	if why, ok := c.Why(-1); ok {
		return why.String()
	}
	return "it has no value there"
}
