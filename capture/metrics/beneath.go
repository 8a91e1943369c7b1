package metrics

import "astrolabe/capture"

// Where the samples of a capture were put together of others, such as by resampling or per frame, its metrics are those
// of the samples below in bins: a formula on operands that were added up before would take a stretch in which one of
// them is partly missing for whole.

// beneath asks of for counters of the samples below, and returns them in the samples of the capture; ok is false where
// there are none below, or a name is known to the capture alone.
func beneath(cap *capture.Capture, of func(from *capture.Capture) ([]*capture.Counter, error)) (out []*capture.Counter, ok bool) {
	from, bins := cap.Beneath()
	if from == nil {
		return nil, false
	}
	below, err := of(from)
	if err != nil {
		return nil, false
	}
	passes := map[string]*capture.Pass{}
	for _, p := range cap.Passes {
		passes[p.ID] = p
	}
	for _, c := range below {
		one := c.Rebin(bins)
		if p := passes[one.PassID()]; p != nil && one.Pass != nil {
			one.Pass = p
		}
		out = append(out, one)
	}
	return out, true
}

// resolveBeneath is ResolveAllWith for samples that were put together of others.
func (s *scope) resolveBeneath(out []*capture.Counter, names []string) error {
	var below []string
	for i, name := range names {
		if out[i] = s.measured(name); out[i] == nil {
			below = append(below, name)
		}
	}
	derived, ok := beneath(s.cap, func(from *capture.Capture) ([]*capture.Counter, error) {
		return ResolveAllWith(from, s.defs, below)
	})
	for i, name := range names {
		switch {
		case out[i] != nil:
		case ok:
			out[i], derived = derived[0], derived[1:]
		default: // one of the names is known to this capture alone
			var err error
			if out[i], err = ResolveWith(s.cap, s.defs, name); err != nil {
				return err
			}
		}
	}
	return nil
}
