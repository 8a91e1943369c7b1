package capture

import (
	"fmt"
	"strings"
)

// Duration is the extent of the time axis in ns, gaps included.
func (c *Capture) Duration() int64 {
	start, end := c.Axis.Extent()
	return end - start
}

// With returns a shallow copy that f has changed.
func (c *Capture) With(f func(*Config)) (*Capture, error) {
	cfg := c.Config
	f(&cfg)
	return New(cfg)
}

// OnAxis returns the capture with its samples at other times. The axis has as many samples.
func (c *Capture) OnAxis(axis *Axis) (*Capture, error) {
	if axis.Len() != c.Len() {
		return nil, fmt.Errorf("an axis of %d samples for a capture of %d", axis.Len(), c.Len())
	}
	return c.With(func(cfg *Config) {
		cfg.Axis = axis
		cfg.Counters = make([]*Counter, len(c.Counters))
		for i, ctr := range c.Counters {
			cfg.Counters[i] = ctr.placed(axis)
		}
	})
}

// Slice returns the samples that start in [start, end) ns. Times keep their zero, so adjoining slices hold every
// sample once and their totals add up. Gaps are cut at start and end; late spans stay with their samples.
func (c *Capture) Slice(start, end int64) (*Capture, error) {
	if end < start {
		return nil, fmt.Errorf("slice ends at %d ns, before its start at %d ns", end, start)
	}
	return c.rows(c.Axis.rowAt(start), c.Axis.rowAt(end), start, end)
}

// rows returns samples [i, j), and the gaps and regions between start and end.
func (c *Capture) rows(i, j int, start, end int64) (*Capture, error) {
	axis := c.Axis.Slice(i, j)
	cfg := c.Config
	cfg.Axis = axis
	passes := map[*Pass]*Pass{nil: nil}
	cfg.Passes = nil
	for _, p := range c.Passes {
		passes[p] = p.slice(i, j)
		cfg.Passes = append(cfg.Passes, passes[p])
	}
	cfg.Counters = make([]*Counter, len(c.Counters))
	for k, ctr := range c.Counters {
		cfg.Counters[k] = ctr.Slice(i, j, axis)
		if p, ok := passes[ctr.Pass]; ok {
			cfg.Counters[k].Pass = p
		}
	}
	if c.origin != nil {
		var err error
		if cfg.origin, err = c.origin.slice(i, j, axis); err != nil {
			return nil, err
		}
		cfg.origin.keep(cfg.Counters, c.Counters, c.origin)
	}
	cfg.Labels = make([]*Label, len(c.Labels))
	for k, l := range c.Labels {
		cfg.Labels[k] = l.with(l.Codes[i:j:j])
	}
	cfg.Gaps = gapsWithin(c.Gaps, start, end)
	cfg.Late = lateOf(c.Late, axis)
	cfg.Regions = regionsBetween(c.Regions, start, end)
	return New(cfg)
}

// Where returns the selected samples, the gaps and regions between the first and the last of them, and their late spans.
func (c *Capture) Where(m *Mask) (*Capture, error) {
	if !m.Axis.Same(c.Axis) {
		return nil, fmt.Errorf(
			"the mask has %d samples on another time axis than the capture with %d: make it from this capture's counters",
			m.Len(), c.Len())
	}
	rows := make([]int, 0, m.Count())
	for i := range m.Len() {
		if m.Get(i) {
			rows = append(rows, i)
		}
	}
	return c.gather(rows)
}

// Take returns the samples at some positions, in that order. Where it is not that of time, only bins of whole samples
// may be made of the result.
func (c *Capture) Take(rows []int) (*Capture, error) { return c.gather(rows) }

func (c *Capture) gather(rows []int) (*Capture, error) {
	axis := &Axis{Clock: c.Axis.Clock, Start: pick(c.Axis.Start, rows), End: pick(c.Axis.End, rows)}
	if c.Axis.Covered != nil {
		axis.Covered = pick(c.Axis.Covered, rows)
	}
	if c.Axis.Count != nil {
		axis.Count = pick(c.Axis.Count, rows)
	}
	cfg := c.Config
	cfg.Axis = axis
	passes := map[*Pass]*Pass{}
	cfg.Passes = nil
	for _, p := range c.Passes {
		cfg.Passes = append(cfg.Passes, gatherPass(p, rows, passes))
	}
	cfg.Counters = make([]*Counter, len(c.Counters))
	for k, ctr := range c.Counters {
		cfg.Counters[k] = ctr.gather(rows, axis, passes)
	}
	if c.origin != nil {
		var err error
		if cfg.origin, err = c.origin.pick(rows, axis); err != nil {
			return nil, err
		}
		cfg.origin.keep(cfg.Counters, c.Counters, c.origin)
	}
	cfg.Labels = make([]*Label, len(c.Labels))
	for k, l := range c.Labels {
		cfg.Labels[k] = l.with(pick(l.Codes, rows))
	}
	start, end := axis.Extent()
	cfg.Gaps = gapsWithin(c.Gaps, start, end)
	cfg.Late = lateOf(c.Late, axis)
	cfg.Regions = regionsBetween(c.Regions, start, end)
	return New(cfg)
}

func pick[T any](v []T, rows []int) []T {
	out := make([]T, len(rows))
	for k, i := range rows {
		out[k] = v[i]
	}
	return out
}

// Resample returns the capture in samples of period ns: deltas shared out by overlap so that sums stay what they
// were, gauges averaged over time. A label survives where all samples of a bin agree.
func (c *Capture) Resample(period int64) (*Capture, error) {
	b, err := c.Axis.Resample(period)
	if err != nil {
		return nil, err
	}
	return c.Rebin(b, nil)
}

// Group is the samples that share one value of a label.
type Group struct {
	Key     string
	Missing bool // the samples without a value
	Capture *Capture
}

// GroupBy splits the capture by a label, in order of first appearance.
func (c *Capture) GroupBy(label string) ([]Group, error) {
	l, err := c.FindLabel(label)
	if err != nil {
		return nil, err
	}
	rows := map[int32][]int{}
	var order []int32
	for i, code := range l.Codes {
		if _, ok := rows[code]; !ok {
			order = append(order, code)
		}
		rows[code] = append(rows[code], i)
	}
	var out []Group
	for _, code := range order {
		sub, err := c.gather(rows[code])
		if err != nil {
			return nil, err
		}
		g := Group{Capture: sub, Missing: code < 0}
		if code >= 0 {
			g.Key = l.Dict[code]
		}
		out = append(out, g)
	}
	return out, nil
}

// Region returns the samples that start inside the regions of that name.
func (c *Capture) Region(name string) (*Capture, error) {
	var found []Region
	seen := map[string]bool{}
	var names []string
	for _, r := range c.Regions {
		if r.Name == name {
			found = append(found, r)
		}
		if !seen[r.Name] {
			seen[r.Name] = true
			names = append(names, r.Name)
		}
	}
	if len(found) == 0 {
		if len(names) == 0 {
			return nil, fmt.Errorf("no region %q: this capture has no regions; marks make them while it is recorded",
				name)
		}
		if more := len(names) - 20; more > 0 {
			names = append(names[:20], fmt.Sprintf("and %d more", more))
		}
		return nil, fmt.Errorf("no region %q: this capture has %s", name, strings.Join(names, ", "))
	}
	in := make([]bool, c.Len())
	for _, r := range found {
		for i := c.Axis.rowAt(r.Start); i < c.Len() && c.Axis.Start[i] < r.End; i++ {
			in[i] = true
		}
	}
	return c.Where(NewMask(c.Axis, func(i int) bool { return in[i] }))
}

func regionsBetween(regions []Region, start, end int64) []Region {
	var out []Region
	for _, r := range regions {
		if r.Start < end && r.End > start {
			out = append(out, r)
		}
	}
	return out
}
