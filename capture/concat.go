package capture

import (
	"fmt"
	"math"
)

// Concat joins captures of one GPU end to end. Each keeps its distance to the first by wall clock where both know it
// and they do not overlap; else it follows directly. A label "capture" tells the parts apart. A counter that a part
// lacks is missing there, with the reason.
func Concat(caps []*Capture) (*Capture, error) {
	if len(caps) == 0 {
		return nil, fmt.Errorf("nothing to concatenate: give at least one capture")
	}
	out := caps[0].Config
	out.Counters, out.Labels, out.Regions, out.Gaps, out.Late, out.Passes, out.Warnings = nil, nil, nil,
		nil, nil, nil, nil
	j := joiner{parts: caps, offsets: make([]int64, len(caps)), base: make([]int, len(caps)+1)}
	var doubts shared
	for k, c := range caps {
		if c.GPU != out.GPU {
			return nil, fmt.Errorf(
				"capture %q is of GPU %q, capture %q of %q: only captures of one GPU can be concatenated", caps[0].Name,
				out.GPU, c.Name, c.GPU)
		}
		if c.Axis.Clock != caps[0].Axis.Clock {
			doubts.add(fmt.Sprintf("its clock is %q, that of the first %q", c.Axis.Clock, caps[0].Axis.Clock), k)
		}
		j.base[k+1] = j.base[k] + c.Len()
	}
	out.Axis = j.axis(&out)
	var err error
	if out.Counters, err = j.counters(out.Axis); err != nil {
		return nil, err
	}
	for k, c := range caps {
		for _, p := range c.Properties {
			merged := &Capture{Config: out}
			if q, ok := merged.Property(p.Name); !ok {
				out.Properties = append(out.Properties[:len(out.Properties):len(out.Properties)], p)
			} else if q != p {
				doubts.add(fmt.Sprintf("property %q differs, the first value is used", p.Name), k)
			}
		}
		for _, w := range c.Warnings {
			doubts.add(w, k)
		}
	}
	out.Warnings = doubts.sentences(caps)
	out.Labels = append([]*Label{j.which()}, j.labels("capture")...)
	return New(out)
}

// joiner lays several captures end to end.
type joiner struct {
	parts   []*Capture
	offsets []int64 // ns added to each part's times
	base    []int   // first sample of each part
}

func (j *joiner) len() int { return j.base[len(j.parts)] }

func (j *joiner) axis(out *Config) *Axis {
	n := j.len()
	a := &Axis{Clock: j.parts[0].Axis.Clock, Start: make([]int64, 0, n), End: make([]int64, 0, n)}
	plain, single := true, true
	var end int64
	for k, c := range j.parts {
		start, last := c.Axis.Extent()
		var off int64
		if k > 0 {
			off = end - start
			if !c.StartTime.IsZero() && !j.parts[0].StartTime.IsZero() {
				if wall := c.StartTime.Sub(j.parts[0].StartTime).Nanoseconds(); start+wall >= end {
					off = wall
				}
			}
			if gap := start + off - end; gap > 0 && c.Len() > 0 {
				out.Gaps = append(out.Gaps, Gap{Start: end, End: start + off,
					Reason: Reason{InGap, "between two captures"}})
			}
		}
		j.offsets[k] = off
		for i := range c.Axis.Start {
			a.Start = append(a.Start, c.Axis.Start[i]+off)
			a.End = append(a.End, c.Axis.End[i]+off)
		}
		if c.Len() > 0 {
			end = max(end, last+off)
		}
		for _, r := range c.Regions {
			out.Regions = append(out.Regions, Region{r.Name, r.Start + off, r.End + off, r.Depth, r.Track})
		}
		out.Gaps = append(out.Gaps, moved(c.Gaps, off)...)
		out.Late = append(out.Late, moved(c.Late, off)...)
		plain = plain && c.Axis.Covered == nil
		single = single && c.Axis.Count == nil
	}
	for _, c := range j.parts {
		for i := range c.Len() {
			if !plain {
				a.Covered = append(a.Covered, c.Axis.Interval(i))
			}
			if !single {
				a.Count = append(a.Count, c.Axis.Merged(i))
			}
		}
	}
	return a
}

// counter joins what find returns for each part; first describes it.
func (j *joiner) counter(axis *Axis, first *Counter, find func(*Capture) *Counter) (*Counter, error) {
	out := first.on(axis)
	out.Warnings = nil
	cols := make([]*Column, len(j.parts))
	var ids []string
	seen := map[string]bool{}
	instanced, passes := false, false
	durations := make([]*Column, len(j.parts))
	for k, c := range j.parts {
		p := find(c)
		if p == nil {
			out.Reasons = append(out.Reasons,
				ReasonRun{j.base[k], j.base[k+1],
					Reason{NotCollected, fmt.Sprintf("%s was not collected in capture %q", first.Name, c.Name)}})
			continue
		}
		if p.Kind != first.Kind || p.Unit != first.Unit {
			return nil, fmt.Errorf(
				"counter %q is %s in %q in one capture and %s in %q in capture %q: rename one of them", first.Name,
				first.Kind, first.Unit, p.Kind, p.Unit, c.Name)
		}
		for _, r := range p.Reasons {
			out.Reasons = append(out.Reasons, ReasonRun{r.From + j.base[k], r.To + j.base[k], r.Reason})
		}
		for _, w := range p.Warnings {
			if !seen["w"+w] {
				seen["w"+w] = true
				out.Warnings = append(out.Warnings, w)
			}
		}
		cols[k] = p.Col
		if p.Pass != nil {
			passes = true
			durations[k] = p.Pass.Duration
		}
		for _, in := range p.Instances {
			instanced = true
			if !seen["i"+in.Meta.Instance] {
				seen["i"+in.Meta.Instance] = true
				ids = append(ids, in.Meta.Instance)
			}
		}
	}
	if passes {
		out.Pass = &Pass{ID: first.PassID(), Duration: j.column(durations)}
	}
	if !instanced || first.Col != nil {
		out.Col = j.column(cols)
	}
	for _, id := range ids {
		var one *Counter
		at := func(c *Capture) *Counter {
			if p := find(c); p != nil {
				return p.Instance(id)
			}
			return nil
		}
		for _, c := range j.parts {
			if one = at(c); one != nil {
				break
			}
		}
		in, err := j.counter(axis, one, at)
		if err != nil {
			return nil, err
		}
		out.Instances = append(out.Instances, in)
	}
	return out, nil
}

// column joins columns; a nil part is missing. Integers stay integers where every part has them.
func (j *joiner) column(cols []*Column) *Column {
	return LazyColumn(j.len(), func() (Data, error) {
		integers := true
		var first error
		for _, c := range cols {
			if c != nil {
				if c.Data().U == nil && c.Len() > 0 {
					integers = false
				}
				if first == nil {
					first = c.Err()
				}
			}
		}
		var out Data
		if integers {
			out.U = make([]uint64, 0, j.len())
		} else {
			out.F = make([]float64, 0, j.len())
		}
		for k, c := range cols {
			n := j.parts[k].Len()
			for i := range n {
				missing := c == nil || c.Data().Missing(i)
				switch {
				case !integers && missing:
					out.F = append(out.F, math.NaN())
				case !integers:
					out.F = append(out.F, c.Data().Float(i))
				case missing:
					if out.Valid.Bits == nil {
						out.Valid = NewBitmap(j.len())
					}
					out.Valid.Clear(len(out.U))
					out.U = append(out.U, 0)
				default:
					out.U = append(out.U, c.Data().U[i])
				}
			}
		}
		if first != nil {
			return MissingData(j.len()), first
		}
		return out, nil
	})
}

// counters joins the counters of all parts by their names.
func (j *joiner) counters(axis *Axis) (out []*Counter, err error) {
	names := map[string]bool{}
	for _, c := range j.parts {
		for _, ctr := range c.Counters {
			if names[ctr.Name] {
				continue
			}
			names[ctr.Name] = true
			joined, err := j.counter(axis, ctr, func(c *Capture) *Counter { return c.Counter(ctr.Name) })
			if err != nil {
				return nil, err
			}
			out = append(out, joined)
		}
	}
	return out, nil
}

// which is the label that tells the parts apart.
func (j *joiner) which() *Label {
	b := newLabelBuilder("capture", j.len())
	for k, c := range j.parts {
		name := nameOf(c)
		for range c.Len() {
			b.add(fmt.Sprintf("%d %s", k, name), true)
		}
	}
	return b.l
}

// labels joins the labels of all parts but for those named.
func (j *joiner) labels(but ...string) []*Label {
	var names []string
	seen := map[string]bool{}
	for _, name := range but {
		seen[name] = true
	}
	for _, c := range j.parts {
		for _, l := range c.Labels {
			if !seen[l.Name] {
				seen[l.Name] = true
				names = append(names, l.Name)
			}
		}
	}
	var out []*Label
	for _, name := range names {
		b := newLabelBuilder(name, j.len())
		for _, c := range j.parts {
			l := c.Label(name)
			for i := range c.Len() {
				if l == nil {
					b.add("", false)
					continue
				}
				v, ok := l.Value(i)
				b.add(v, ok)
			}
		}
		out = append(out, b.l)
	}
	return out
}

type labelBuilder struct {
	l     *Label
	codes map[string]int32
	last  string // the text before, which most rows have too
	code  int32
}

func newLabelBuilder(name string, n int) *labelBuilder {
	return &labelBuilder{l: &Label{Name: name, Codes: make([]int32, 0, n)}, codes: map[string]int32{}}
}

func (b *labelBuilder) add(v string, ok bool) {
	code := int32(-1)
	switch {
	case !ok || v == "":
	case v == b.last:
		code = b.code
	default:
		var known bool
		if code, known = b.codes[v]; !known {
			code = int32(len(b.l.Dict))
			b.codes[v] = code
			b.l.Dict = append(b.l.Dict, v)
		}
		b.last, b.code = v, code
	}
	b.l.Codes = append(b.l.Codes, code)
}

// NewLabel dictionary-codes one text per sample; ok tells which samples have a value; nil means all. An empty text is
// none.
func NewLabel(name string, values []string, ok func(i int) bool) *Label {
	b := newLabelBuilder(name, len(values))
	for i, v := range values {
		b.add(v, ok == nil || ok(i))
	}
	return b.l
}
