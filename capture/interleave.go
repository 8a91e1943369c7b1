package capture

import (
	"fmt"
	"slices"
	"sort"
	"time"
)

// Interleave puts together what was one capture: parts that hold some of its samples each, or some of its counters.
// Times stay as they are; where the parts know when they began, by wall clock or by the property time_origin, those of
// a later part move by the difference. Samples are ordered by time. What all parts have alike, such as regions and
// warnings, is there once; a counter that a part lacks is missing there, with the reason.
func Interleave(parts []*Capture) (*Capture, error) {
	parts, err := joinColumns(parts)
	if err != nil || len(parts) == 1 {
		return parts[0], err
	}
	j := joiner{parts: parts, offsets: sinceFirst(parts), base: make([]int, len(parts)+1)}
	for k, c := range parts {
		j.base[k+1] = j.base[k] + c.Len()
	}
	out := parts[0].Config
	out.Regions, out.Gaps, out.Late, out.Passes, out.Warnings = nil, nil, nil, nil, nil
	first := 0
	for k := range parts {
		if j.offsets[k] < j.offsets[first] {
			first = k
		}
	}
	out.StartTime = parts[first].StartTime
	out.Axis = j.axisInPlace()
	if out.Counters, err = j.counters(out.Axis); err != nil {
		return nil, err
	}
	out.Properties = nil
	once := seen{}
	for k, c := range parts {
		for _, p := range c.Properties {
			if !slices.ContainsFunc(out.Properties, func(have Property) bool {
				return have.Name == p.Name
			}) && (p.Name != originProperty || k == first) {
				out.Properties = append(out.Properties, p)
			}
		}
		for _, r := range c.Regions {
			if r.Start, r.End = r.Start+j.offsets[k], r.End+j.offsets[k]; once.new(r) {
				out.Regions = append(out.Regions, r)
			}
		}
		for _, g := range moved(c.Gaps, j.offsets[k]) {
			if once.new(g) {
				out.Gaps = append(out.Gaps, g)
			}
		}
		for _, g := range moved(c.Late, j.offsets[k]) {
			if once.new(lateSpan(g)) {
				out.Late = append(out.Late, g)
			}
		}
		for _, w := range c.Warnings {
			if once.new(w) {
				out.Warnings = append(out.Warnings, w)
			}
		}
	}
	out.Labels = j.labels()
	joined, err := New(out)
	if err != nil {
		return nil, err
	}
	rows := make([]int, joined.Len())
	for i := range rows {
		rows[i] = i
	}
	sort.SliceStable(rows, func(a, b int) bool { return joined.Axis.Start[rows[a]] < joined.Axis.Start[rows[b]] })
	return joined.gather(rows)
}

// seen are things that were met before.
type seen map[any]bool

func (s seen) new(x any) bool {
	was := s[x]
	s[x] = true
	return !was
}

// lateSpan keeps a late span apart from a gap that is equal.
type lateSpan Gap

// originProperty is where readers of tables keep the value that a clock had at time 0.
const originProperty = "time_origin"

// sinceFirst is how much later than the first part each began, in ns; 0 where a part does not say.
func sinceFirst(parts []*Capture) []int64 {
	out := make([]int64, len(parts))
	var starts []time.Time
	var origins []int64
	for _, c := range parts {
		if !c.StartTime.IsZero() {
			starts = append(starts, c.StartTime)
		}
		var ns int64
		if p, ok := c.Property(originProperty); ok {
			if _, err := fmt.Sscanf(p.Text, "%d ns", &ns); err == nil {
				origins = append(origins, ns)
			}
		}
	}
	for k := range parts {
		switch {
		case len(origins) == len(parts):
			out[k] = origins[k] - slices.Min(origins)
		case len(starts) == len(parts):
			out[k] = starts[k].Sub(slices.MinFunc(starts, time.Time.Compare)).Nanoseconds()
		}
	}
	return out
}

// axisInPlace is the samples of all parts one part after the other, at their own times.
func (j *joiner) axisInPlace() *Axis {
	a := &Axis{Clock: j.parts[0].Axis.Clock}
	covered, counted := false, false
	for _, c := range j.parts {
		covered, counted = covered || c.Axis.Covered != nil, counted || c.Axis.Count != nil
	}
	for k, c := range j.parts {
		for i := range c.Len() {
			a.Start = append(a.Start, c.Axis.Start[i]+j.offsets[k])
			a.End = append(a.End, c.Axis.End[i]+j.offsets[k])
			if covered {
				a.Covered = append(a.Covered, c.Axis.Interval(i))
			}
			if counted {
				a.Count = append(a.Count, c.Axis.Merged(i))
			}
		}
	}
	return a
}

// joinColumns puts parts with the same samples and different counters, or different instances of a counter, into one.
func joinColumns(parts []*Capture) ([]*Capture, error) {
	var out []*Capture
	for _, c := range parts {
		at := slices.IndexFunc(out, func(have *Capture) bool {
			return c.Len() > 0 && !overlap(have, c) && have.Axis.Same(c.Axis) && sameLabels(have, c)
		})
		if at < 0 {
			out = append(out, c)
			continue
		}
		joined, err := beside(out[at], c)
		if err != nil {
			return nil, err
		}
		out[at] = joined
	}
	return out, nil
}

// overlap reports whether two captures measured the same instance of a counter.
func overlap(a, b *Capture) bool {
	for _, x := range a.Counters {
		y := b.Counter(x.Name)
		if y == nil {
			continue
		}
		if len(x.Instances) == 0 || len(y.Instances) == 0 {
			return true
		}
		for _, in := range x.Instances {
			if y.Instance(in.Meta.Instance) != nil {
				return true
			}
		}
	}
	return false
}

func sameLabels(a, b *Capture) bool {
	if len(a.Labels) != len(b.Labels) {
		return false
	}
	for _, x := range a.Labels {
		y := b.Label(x.Name)
		if y == nil {
			return false
		}
		for i := range x.Codes {
			v, ok := x.Value(i)
			if w, also := y.Value(i); v != w || ok != also {
				return false
			}
		}
	}
	return true
}

// beside is a with the counters of b, which has the same samples.
func beside(a, b *Capture) (*Capture, error) {
	return a.With(func(cfg *Config) {
		cfg.Counters = slices.Clone(a.Counters)
		for _, y := range b.Counters {
			moved := y.placed(a.Axis)
			i := slices.IndexFunc(cfg.Counters, func(x *Counter) bool { return x.Name == y.Name })
			if i < 0 {
				cfg.Counters = append(cfg.Counters, moved)
				continue
			}
			whole := cfg.Counters[i].Clone()
			whole.Instances = append(whole.Instances, moved.Instances...)
			cfg.Counters[i] = whole
		}
		for _, p := range b.Passes {
			if !slices.ContainsFunc(cfg.Passes, func(have *Pass) bool { return have.ID == p.ID }) {
				cfg.Passes = append(cfg.Passes[:len(cfg.Passes):len(cfg.Passes)], p)
			}
		}
	})
}

// placed is the counter on another axis of the same samples.
func (c *Counter) placed(axis *Axis) *Counter {
	out := c.Clone()
	out.Axis = axis
	for i, in := range out.Instances {
		out.Instances[i] = in.placed(axis)
	}
	return out
}
