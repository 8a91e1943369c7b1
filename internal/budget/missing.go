package budget

import (
	"fmt"

	"astrolabe/capture"
)

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
