package analysis

import (
	"slices"

	"astrolabe/capture"
)

// Merged is a capture with one sample for each of some stretches of another.
type Merged struct {
	From    *capture.Capture // whose samples these are, those of a stretch beside each other
	Bins    *capture.Bins    // of its samples
	Capture *capture.Capture // on the axis of Bins
}

// MergeLabel returns the capture with one sample for each value of a label, in order of first appearance: all samples
// that have it, whatever lies between them. Such a sample lasts from the start of the first to the end of the last, and
// what was measured of it is as long as they are together. Samples without a value are in none. Without any the result
// is nil. The counters LABEL_duration and LABEL_samples say how long and how many they are.
func MergeLabel(c *capture.Capture, label string) (*Merged, error) {
	l, err := c.FindLabel(label)
	if err != nil {
		return nil, err
	}
	rows := make([][]int, len(l.Dict))
	var order []int32
	for i, code := range l.Codes {
		if code < 0 {
			continue
		}
		if rows[code] == nil {
			order = append(order, code)
		}
		rows[code] = append(rows[code], i)
	}
	if len(order) == 0 {
		return nil, nil
	}
	var all []int
	var names []string
	bins := &capture.Bins{Axis: &capture.Axis{Clock: c.Axis.Clock}}
	for _, code := range order {
		first, end := rows[code][0], c.Axis.End[rows[code][0]]
		for _, i := range rows[code] {
			end = max(end, c.Axis.End[i])
		}
		names = append(names, l.Dict[code])
		bins.Lo, bins.Hi = append(bins.Lo, len(all)), append(bins.Hi, len(all)+len(rows[code]))
		bins.Axis.Start, bins.Axis.End = append(bins.Axis.Start, c.Axis.Start[first]), append(bins.Axis.End, end)
		all = append(all, rows[code]...)
	}
	beside, err := c.Take(all)
	if err != nil {
		return nil, err
	}
	bins.From = beside.Axis
	m, err := merge(beside, bins, capture.NewLabel(label, names, nil))
	if err != nil {
		return nil, err
	}
	m.Capture, err = m.Capture.With(func(cfg *capture.Config) {
		cfg.Gaps, cfg.Late = c.Gaps, c.Late
		cfg.Counters = slices.Concat(cfg.Counters, labelLengths(m.Capture, label))
	})
	return m, err
}

// labelLengths are the counters of MergeLabel that say how long and how many the samples of each value are, where the
// capture has none of that name.
func labelLengths(per *capture.Capture, label string) (out []*capture.Counter) {
	a := per.Axis
	seconds := make([]float64, a.Len())
	for j, ns := range a.Covered {
		seconds[j] = float64(ns) / 1e9
	}
	for _, one := range []struct {
		meta   capture.Meta
		values []float64
	}{
		{capture.Meta{Name: label + "_duration", Unit: "s", Doc: "How long its samples are together."}, seconds},
		{capture.Meta{Name: label + "_samples", Unit: "samples", Doc: "How many samples it has.", Integral: true}, a.Count},
	} {
		if per.Counter(one.meta.Name) == nil {
			out = append(out, &capture.Counter{Meta: one.meta, Axis: a, Col: capture.NewColumn(capture.Data{F: one.values})})
		}
	}
	return out
}

// MergeAll returns the capture as one sample.
func MergeAll(c *capture.Capture) (*Merged, error) { return merge(c, c.Axis.Whole(), nil) }

// merge returns the capture with one sample for each bin of whole samples, which gives the axis its times. The label
// names the bins, if there is one; another one stays where all samples of a bin agree.
func merge(c *capture.Capture, bins *capture.Bins, names *capture.Label) (*Merged, error) {
	axis := bins.Axis
	axis.Covered, axis.Count = make([]int64, bins.Len()), make([]float64, bins.Len())
	for j := range bins.Lo {
		for i := bins.Lo[j]; i < bins.Hi[j]; i++ {
			axis.Covered[j] += c.Axis.Interval(i)
			axis.Count[j] += c.Axis.Merged(i)
		}
	}
	out, err := c.With(func(cfg *capture.Config) {
		cfg.Axis = axis
		cfg.Labels = nil
		if names != nil {
			names.Unique = true
			cfg.Labels = []*capture.Label{names}
		}
		for _, l := range c.Labels {
			if names == nil || l.Name != names.Name {
				cfg.Labels = append(cfg.Labels, agreed(l, bins))
			}
		}
		cfg.Passes = nil
		seen := map[string]*capture.Pass{}
		cfg.Counters = make([]*capture.Counter, len(c.Counters))
		for k, ctr := range c.Counters {
			out := ctr.Rebin(bins)
			for _, one := range append([]*capture.Counter{out}, out.Instances...) {
				if one.Pass == nil {
					continue
				}
				if seen[one.Pass.ID] == nil {
					seen[one.Pass.ID] = one.Pass
					cfg.Passes = append(cfg.Passes, one.Pass)
				}
				one.Pass = seen[one.Pass.ID]
			}
			cfg.Counters[k] = out
		}
	})
	return &Merged{c, bins, out}, err
}

// agreed is a label in bins, without a value where samples of a bin differ.
func agreed(l *capture.Label, bins *capture.Bins) *capture.Label {
	text, has := make([]string, bins.Len()), make([]bool, bins.Len())
	for j := range bins.Lo {
		codes := l.Codes[bins.Lo[j]:bins.Hi[j]]
		if len(codes) == 0 || slices.ContainsFunc(codes, func(c int32) bool { return c != codes[0] }) {
			continue
		}
		text[j], has[j] = l.Value(bins.Lo[j])
	}
	return capture.NewLabel(l.Name, text, func(i int) bool { return has[i] })
}
