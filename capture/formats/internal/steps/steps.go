// Package steps makes the samples of a capture of values at times, as traces hold them: each counter has its own times,
// and holds from each on, or up to it, or counts what happened in a stretch between two.
//
// Time is cut wherever a counter has a value. A level counts in every sample that it covers. What was counted up to a
// time, from one on or in a stretch is spread evenly over the samples that it covers, in whole numbers that add up: cuts
// that other counters make, such as marks of frames or loads of CPUs, leave rates as they were.
package steps

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// Line is the values of a counter.
type Line struct {
	Times    []int64
	From     []int64  // where stretches of time begin that end at Times; nil where values hold from Times on or up to them
	Bits     []uint64 // int64, or the bits of doubles where Double is set
	Double   bool
	Meta     capture.Meta
	Whole    string // the counter that an instance belongs to
	Forwards bool   // a value holds from its time on, not up to it
	Combined bool   // Meta.Combine says what instances make together; otherwise levels are averaged and events add up
	Idle     bool   // between stretches nothing happened, which is 0 and not missing
}

// Cutting is the samples of a capture, on the clock of its values.
type Cutting struct {
	Start, End []int64
	Exact      bool // a value belongs to the sample that starts at its time
}

// Add appends a value at a time: an int64, or the bits of a double. A line with one double has doubles only.
func (l *Line) Add(at int64, bits uint64, double bool, tally *memory.Tally) {
	switch {
	case double && !l.Double:
		l.Double = true
		for i, b := range l.Bits {
			l.Bits[i] = math.Float64bits(float64(int64(b)))
		}
	case !double && l.Double:
		bits = math.Float64bits(float64(int64(bits)))
	}
	l.Times = memory.Append(tally, l.Times, at)
	l.Bits = memory.Append(tally, l.Bits, bits)
}

// Sort orders the values by time, in which packets need not be.
func (l *Line) Sort(tally *memory.Tally) {
	if slices.IsSorted(l.Times) {
		return
	}
	tally.Must(32 * uint64(len(l.Times)))
	order := make([]int, len(l.Times))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.Times[a], l.Times[b]) })
	times, bits := make([]int64, len(order)), make([]uint64, len(order))
	var from []int64
	if l.From != nil {
		from = make([]int64, len(order))
	}
	for i, k := range order {
		times[i], bits[i] = l.Times[k], l.Bits[k]
		if from != nil {
			from[i] = l.From[k]
		}
	}
	l.Times, l.Bits, l.From = times, bits, from
}

// Unique makes instances of counters that share a name, one for each group that they are in.
func Unique(lines []*Line) {
	byName := map[string][]*Line{}
	for _, l := range lines {
		byName[l.Whole+"\x00"+l.Meta.Name] = append(byName[l.Whole+"\x00"+l.Meta.Name], l)
	}
	for _, l := range lines {
		same := byName[l.Whole+"\x00"+l.Meta.Name]
		if len(same) < 2 || l != same[0] {
			continue
		}
		seen := map[string]bool{}
		for i, other := range same {
			if other.Whole == "" {
				other.Whole = l.Meta.Name
			}
			id := cmp.Or(other.Meta.Instance, other.Meta.Block)
			if id == "" || seen[id] {
				id = fmt.Sprint(id, "#", i)
			}
			seen[id] = true
			other.Meta.Instance = id
		}
		name := l.Whole
		for _, other := range same {
			other.Meta.Name = fmt.Sprintf("%s[%s]", name, other.Meta.Instance)
		}
	}
}

// counterRoom is what a counter takes without its values, in bytes.
const counterRoom = 1024

// Counters hangs the instances below their counters.
func Counters(lines []*Line, cut *Cutting, axis *capture.Axis) []*capture.Counter {
	var out []*capture.Counter
	byName := map[string]*capture.Counter{}
	var tally memory.Tally
	whole := func(m capture.Meta) *capture.Counter {
		c := byName[m.Name]
		if c == nil {
			c = &capture.Counter{Meta: m, Axis: axis}
			byName[m.Name] = c
			out = append(out, c)
		}
		return c
	}
	for _, l := range lines {
		tally.Must(counterRoom)
		c := l.counter(cut, axis, &tally)
		if l.Whole == "" {
			w := whole(l.Meta)
			if w.Col == nil {
				w.Meta, w.Col, w.Held, w.Reasons = c.Meta, c.Col, c.Held, c.Reasons
			}
			continue
		}
		m := l.Meta
		m.Name, m.Instance, m.Device = l.Whole, "", ""
		if m.Kind == capture.Gauge && !l.Combined {
			m.Combine = capture.CombineMean
		}
		w := whole(m)
		w.Instances = append(w.Instances, c)
	}
	return out
}

// counter makes the counter of a line. Its values are put in their samples when first read.
func (l *Line) counter(cut *Cutting, axis *capture.Axis, tally *memory.Tally) *capture.Counter {
	c := &capture.Counter{Meta: l.Meta, Axis: axis}
	c.Integral = !l.Double
	c.Reasons = l.reasons(cut, tally)
	read := func(kind capture.Kind) *capture.Column {
		return capture.LazyColumn(axis.Len(), func() (capture.Data, error) { return l.data(cut, kind), nil })
	}
	c.Col = read(l.Meta.Kind)
	if l.Meta.Guessed && l.Meta.Kind == capture.Delta && l.From == nil {
		c.Held = read(capture.Gauge)
	}
	if l.integers() {
		c.Integral = false
	}
	return c
}
