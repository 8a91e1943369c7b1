package budget

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
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
