package analysis

import (
	"slices"

	"astrolabe/capture"
)

// MergeLabel returns the capture with one sample for each value of a label, in order of first appearance: all samples
// that have it, whatever lies between them. Such a sample lasts from the start of the first to the end of the last, and
// what was measured of it is as long as they are together. Samples without a value are in none. Without any the result
// is nil. The counters LABEL_duration and LABEL_samples say how long and how many they are.
func MergeLabel(c *capture.Capture, label string) (*capture.Capture, error) {
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
	per, err := merge(beside, bins, capture.NewLabel(label, names, nil))
	if err != nil {
		return nil, err
	}
	return per.With(func(cfg *capture.Config) {
		cfg.Gaps, cfg.Late = c.Gaps, c.Late
		cfg.Counters = slices.Concat(cfg.Counters, labelLengths(per, label))
	})
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
func MergeAll(c *capture.Capture) (*capture.Capture, error) { return merge(c, c.Axis.Whole(), nil) }

// merge returns the capture with one sample for each bin of whole samples, which gives the axis its times. The label
// names the bins, if there is one.
func merge(c *capture.Capture, bins *capture.Bins, names *capture.Label) (*capture.Capture, error) {
	axis := bins.Axis
	axis.Covered, axis.Count = make([]int64, bins.Len()), make([]float64, bins.Len())
	for j := range bins.Lo {
		for i := bins.Lo[j]; i < bins.Hi[j]; i++ {
			axis.Covered[j] += c.Axis.Interval(i)
			axis.Count[j] += c.Axis.Merged(i)
		}
	}
	return c.Rebin(bins, names)
}
