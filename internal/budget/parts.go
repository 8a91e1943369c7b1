package budget

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/capture/metrics"
)

// Parts are what a limit is judged on: the capture, its frames, regions, samples, or the groups of a label.
type Parts struct {
	What       string // "frame", "region", "sample", the label; "" is the whole capture
	Start, End []int64

	names  []string           // nil numbers the parts
	groups []string           // of each part: what statistics are kept apart by; nil is one group
	bins   *capture.Bins      // the samples of each part; nil where caps or samples hold them
	caps   []*capture.Capture // of each part, where its samples are not neighbours
	// of caps that are groups of a label: its value; nil where a part is all of the time from Start to End
	codes []int32
	took  []int64 // ns of measured time, where it is not End-Start

	unmatched []string // patterns of Limit.Of that match nothing
}

// Len is the number of parts.
func (p *Parts) Len() int { return len(p.Start) }

// Name is what a part is called.
func (p *Parts) Name(i int) string {
	switch {
	case p.names != nil:
		return p.names[i]
	case p.What == "":
		return ""
	}
	return fmt.Sprintf("%s %d", p.What, i)
}

// InOrder reports whether the parts follow each other in time, so that they can be drawn along it.
func (p *Parts) InOrder() bool { return p.caps == nil && p.What != "" }

// Alike lists the parts that part i can be drawn beside: the occurrences of its region, else all.
func (p *Parts) Alike(i int) []int {
	var out []int
	for k := range p.Len() {
		if p.groups == nil || p.groups[k] == p.groups[i] {
			out = append(out, k)
		}
	}
	return out
}

// duration is how long a part took in seconds.
func (p *Parts) duration(i int) float64 {
	if p.took != nil {
		return float64(p.took[i]) / 1e9
	}
	return float64(p.End[i]-p.Start[i]) / 1e9
}

// partsOf cuts a capture into the parts that a limit is about. why says why there are none.
func partsOf(c *capture.Capture, l *Limit) (p *Parts, why string, err error) {
	switch l.Per {
	case perTotal:
		if c.Len() == 0 {
			return nil, "the capture has no samples", nil
		}
		start, end := c.Axis.Extent()
		return &Parts{Start: []int64{start}, End: []int64{end}, bins: c.Axis.Whole()}, "", nil
	case perSample:
		n := c.Len()
		p := &Parts{What: perSample, Start: c.Axis.Start, End: c.Axis.End, took: make([]int64, n)}
		for i := range n {
			p.took[i] = c.Axis.Interval(i)
		}
		return p, "the capture has no samples", nil
	case perFrame:
		p, err := frameParts(c)
		return p,
			`the capture has no frames: neither regions called "frame N" nor a label frame (record --marks writes them)`, err
	case perRegion:
		list := slices.Clone(c.Regions)
		why := "the capture has no regions (record --marks writes them)"
		if len(list) > 0 {
			why = fmt.Sprintf("no region is called %s", strings.Join(l.Of, " or "))
		}
		var names []string
		seen := map[string]bool{}
		for _, r := range list {
			if !seen[r.Name] {
				seen[r.Name] = true
				names = append(names, r.Name)
			}
		}
		chosen, unmatched := choose(names, l.Of)
		list = slices.DeleteFunc(list, func(r capture.Region) bool { return !chosen[r.Name] })
		p := regionParts(c, perRegion, list)
		p.unmatched = unmatched
		return p, why, nil
	}
	return labelParts(c, l)
}

// choose returns which names match a pattern of the list, all for an empty one, and the patterns that match none.
func choose(names, patterns []string) (chosen map[string]bool, unmatched []string) {
	chosen = map[string]bool{}
	for _, n := range names {
		chosen[n] = len(patterns) == 0
	}
	for _, p := range patterns {
		found := false
		for _, n := range names {
			if n == p || metrics.Glob(p, n) {
				chosen[n], found = true, true
			}
		}
		if !found {
			unmatched = append(unmatched, p)
		}
	}
	return chosen, unmatched
}

// regionParts makes every region a part. A sample belongs to the region that it starts in.
func regionParts(c *capture.Capture, what string, list []capture.Region) *Parts {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b capture.Region) int {
		switch {
		case a.Start < b.Start:
			return -1
		case a.Start > b.Start:
			return 1
		}
		return 0
	})
	n := len(list)
	p := &Parts{What: what, Start: make([]int64, n), End: make([]int64, n), names: make([]string, n),
		groups: make([]string, n)}
	p.bins = &capture.Bins{From: c.Axis, Lo: make([]int, n), Hi: make([]int, n)}
	count := map[string]int{}
	for _, r := range list {
		count[r.Name]++
	}
	seen := map[string]int{}
	row := func(t int64) int { return sort.Search(c.Len(), func(i int) bool { return c.Axis.Start[i] >= t }) }
	for j, r := range list {
		p.Start[j], p.End[j], p.groups[j] = r.Start, r.End, r.Name
		p.bins.Lo[j] = row(r.Start)
		p.bins.Hi[j] = max(p.bins.Lo[j], row(r.End))
		name := r.Name
		if what == perFrame && !strings.HasPrefix(name, perFrame) {
			name = perFrame + " " + name // of a label
		}
		if count[r.Name] > 1 {
			seen[r.Name]++
			name += fmt.Sprintf(" #%d", seen[r.Name])
		}
		p.names[j] = name
	}
	p.bins.Axis = &capture.Axis{Clock: c.Axis.Clock, Start: p.Start, End: p.End}
	return p
}

// frameParts makes every frame a part.
func frameParts(c *capture.Capture) (*Parts, error) {
	list, err := analysis.FramesOf(c)
	if err != nil {
		return nil, err
	}
	if list == nil {
		return regionParts(c, perFrame, nil), nil
	}
	p := regionParts(c, perFrame, list.Regions)
	p.groups = nil
	if list.Cap == c {
		p.bins.Lo, p.bins.Hi = list.Lo, list.Hi
		return p, nil
	}
	p.bins = nil
	for j := range list.Regions {
		rows := make([]int, 0, list.Hi[j]-list.Lo[j])
		for i := list.Lo[j]; i < list.Hi[j]; i++ {
			rows = append(rows, i)
		}
		part, err := list.Cap.Take(rows)
		if err != nil {
			return nil, err
		}
		p.caps = append(p.caps, part)
	}
	return p, nil
}

// labelParts makes a part of the samples of each value of a label.
func labelParts(c *capture.Capture, l *Limit) (p *Parts, why string, err error) {
	label := c.Label(l.Per)
	if label == nil {
		var names []string
		for _, x := range c.Labels {
			names = append(names, x.Name)
		}
		if len(names) == 0 {
			return nil, fmt.Sprintf("the capture has no label %q, nor any other", l.Per), nil
		}
		return nil, fmt.Sprintf("the capture has no label %q; it has %s", l.Per, strings.Join(names, ", ")), nil
	}
	p = &Parts{What: l.Per}
	chosen, unmatched := choose(label.Dict, l.Of)
	p.unmatched = unmatched
	why = fmt.Sprintf("no sample has a label %s", l.Per)
	if len(l.Of) > 0 {
		why += " of " + strings.Join(l.Of, " or ")
	}
	if runs := labelRuns(label, chosen); runs != nil {
		p.bins = &capture.Bins{From: c.Axis}
		for _, r := range runs {
			p.names = append(p.names, label.Dict[label.Codes[r[0]]])
			p.bins.Lo, p.bins.Hi = append(p.bins.Lo, r[0]), append(p.bins.Hi, r[1])
			took, end := int64(0), c.Axis.End[r[0]]
			for i := r[0]; i < r[1]; i++ {
				took += c.Axis.Interval(i)
				end = max(end, c.Axis.End[i])
			}
			p.Start, p.End, p.took = append(p.Start, c.Axis.Start[r[0]]), append(p.End, end), append(p.took, took)
		}
		p.bins.Axis = &capture.Axis{Clock: c.Axis.Clock, Start: p.Start, End: p.End}
		return p, why, nil
	}
	groups, err := c.GroupBy(l.Per)
	if err != nil {
		return nil, "", err
	}
	for _, g := range groups {
		if g.Missing || !chosen[g.Key] {
			continue
		}
		start, end := g.Capture.Axis.Extent()
		p.names, p.caps, p.codes = append(p.names, g.Key), append(p.caps, g.Capture), append(p.codes,
			int32(slices.Index(label.Dict, g.Key)))
		p.Start, p.End, p.took = append(p.Start, start), append(p.End, end), append(p.took, g.Capture.Axis.Measured())
	}
	return p, why, nil
}

// labelRuns are the stretches [from, to) of samples of each chosen value, in order, where every value has one stretch;
// else nil.
func labelRuns(l *capture.Label, chosen map[string]bool) [][2]int {
	runs := [][2]int{}
	seen := make([]bool, len(l.Dict))
	for i := 0; i < len(l.Codes); {
		j := i + 1
		for j < len(l.Codes) && l.Codes[j] == l.Codes[i] {
			j++
		}
		if code := l.Codes[i]; code >= 0 && chosen[l.Dict[code]] {
			if seen[code] {
				return nil
			}
			seen[code] = true
			runs = append(runs, [2]int{i, j})
		}
		i = j
	}
	return runs
}

// spans are the stretches of samples of a part whose samples are not neighbours.
func (p *Parts) spans(c *capture.Capture, i int) []capture.Span {
	codes := c.Label(p.What).Codes
	return capture.NewMask(c.Axis, func(k int) bool { return codes[k] == p.codes[i] }).Spans(0)
}
