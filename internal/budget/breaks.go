package budget

import (
	"cmp"
	"slices"

	"astrolabe/capture"
)

// Break is a run of neighbouring parts that break a limit.
type Break struct {
	First, Last int // parts, both included
	Start, End  int64
	Count       int
	Worst       float64
}

// Breaks lists where the limit is broken, in order. Of a statistic that breaks its limit these are the parts whose own
// values lie beyond it; there may be none.
func (r *Result) Breaks() []Break {
	if r.Over == 0 {
		return nil
	}
	var out []Break
	last := -2
	breaking := r.groupsThatBreak()
	for i, v := range r.Values {
		if !r.Beyond(v) || breaking != nil && !breaking[i] {
			continue
		}
		if n := len(out); n > 0 && last == i-1 && r.Parts.caps == nil {
			b := &out[n-1]
			b.Last, b.End = i, max(b.End, r.Parts.End[i])
			b.Count++
			if r.Excess(v) > r.Excess(b.Worst) {
				b.Worst = v
			}
		} else {
			out = append(out, Break{First: i, Last: i, Start: r.Parts.Start[i], End: r.Parts.End[i],
				Count: 1, Worst: v})
		}
		last = i
	}
	return out
}

// groupsThatBreak marks the parts of groups whose statistic breaks the limit; nil where the parts themselves are
// judged.
func (r *Result) groupsThatBreak() []bool {
	if r.Groups == nil {
		return nil
	}
	out := make([]bool, len(r.Values))
	for _, g := range r.Groups {
		if r.Beyond(g.Value) {
			for _, i := range g.Parts {
				out[i] = true
			}
		}
	}
	return out
}

// Beyond reports whether a value breaks the limit. A missing value does not.
func (r *Result) Beyond(v float64) bool { return v == v && r.Excess(v) > 0 }

// Spans are the stretches of time in which the limit is broken, in order; those less than closer ns apart are one.
func (r *Result) Spans(c *capture.Capture, closer int64) []capture.Span {
	var all []capture.Span
	for _, b := range r.Breaks() {
		if r.Parts.codes != nil {
			all = append(all, r.Parts.spans(c, b.First)...)
		} else {
			all = append(all, capture.Span{Start: b.Start, End: b.End})
		}
	}
	slices.SortStableFunc(all, func(a, b capture.Span) int { return cmp.Compare(a.Start, b.Start) })
	var out []capture.Span
	for _, s := range all {
		if n := len(out); n > 0 && s.Start-out[n-1].End < closer {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}
