package perfetto

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// cutting is the samples of the capture, in the trace's time.
type cutting struct {
	start, end []int64
	ours       bool
}

func (c *cutting) axis(zero int64) *capture.Axis {
	a := &capture.Axis{Clock: "trace", Start: make([]int64, len(c.start)), End: make([]int64, len(c.end))}
	for i := range c.start {
		a.Start[i], a.End[i] = c.start[i]-zero, c.end[i]-zero
	}
	return a
}

// allTimes are the times of all values, with room for one more.
func allTimes(lines []*line, tally *memory.Tally) []int64 {
	n := 1
	for _, l := range lines {
		n += len(l.times) + len(l.from)
	}
	tally.Must(8 * uint64(n))
	all := make([]int64, 0, n)
	for _, l := range lines {
		all = append(append(all, l.times...), l.from...)
	}
	return all
}

// ourSamples finds the samples that this package wrote: each begins with its values and ends where the next begins, or
// at a mark before it.
func (d *decoder) ourSamples(lines []*line) *cutting {
	start, ends := allTimes(lines, &d.tally), []int64(nil)
	for _, s := range d.slices.done {
		switch s.category {
		case categoryStart:
			start = memory.Append(&d.tally, start, s.start)
		case categoryEnd:
			ends = memory.Append(&d.tally, ends, s.start)
		}
	}
	slices.Sort(start)
	start = slices.Compact(start)
	slices.Sort(ends)
	d.tally.Must(8 * uint64(len(start)))
	c := &cutting{start: start, end: make([]int64, len(start)), ours: true}
	k := 0
	for i, s := range start {
		next := int64(math.MaxInt64)
		if i+1 < len(start) {
			next = start[i+1]
		}
		for k < len(ends) && ends[k] < s {
			k++
		}
		switch {
		case k < len(ends) && ends[k] <= next:
			c.end[i] = ends[k]
			k++
		case next < math.MaxInt64:
			c.end[i] = next
		default:
			c.end[i] = s
			d.warn("the last sample has no end: its length is taken as 0")
		}
	}
	return c
}

// foreignSamples cuts the time wherever a counter has a value, and leaves out what no value covers.
func foreignSamples(lines []*line, tally *memory.Tally) *cutting {
	cuts := allTimes(lines, tally)
	last := int64(math.MinInt64)
	for _, l := range lines {
		last = max(last, l.times[len(l.times)-1])
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for _, l := range lines {
		if l.forwards && l.times[len(l.times)-1] == last {
			// The last value holds as long as the one before it did.
			if n := len(cuts); n > 1 {
				cuts = append(cuts, last+(last-cuts[n-2]))
			} else {
				cuts = append(cuts, last)
			}
			break
		}
	}
	c := &cutting{}
	first := int64(math.MaxInt64)
	for _, l := range lines {
		switch {
		case l.from != nil:
			first = min(first, slices.Min(l.from))
		case l.forwards:
			first = min(first, l.times[0])
		case len(l.times) > 1:
			first = min(first, l.times[0])
		}
	}
	for i := 1; i < len(cuts); i++ {
		if cuts[i-1] >= first {
			c.start, c.end = memory.Append(tally, c.start, cuts[i-1]), memory.Append(tally, c.end, cuts[i])
		}
	}
	return c
}

// cover calls f with the samples [from, to) that value k covers.
func (l *line) cover(c *cutting, f func(k, from, to int)) {
	if c.ours {
		for k, t := range l.times {
			if i, ok := slices.BinarySearch(c.start, t); ok {
				f(k, i, i+1)
			}
		}
		return
	}
	for k, t := range l.times {
		from, to := t, int64(math.MaxInt64)
		switch {
		case l.from != nil:
			from, to = l.from[k], t
		case !l.forwards && k == 0:
			continue
		case !l.forwards:
			from, to = l.times[k-1], t
		case k+1 < len(l.times):
			to = l.times[k+1]
		}
		i, _ := slices.BinarySearch(c.start, from)
		j := len(c.start)
		if to != math.MaxInt64 {
			j, _ = slices.BinarySearch(c.start, to)
		}
		if i < j {
			f(k, i, j)
		}
	}
}

// spreads reports whether a value counts in every sample that it covers; one that does not counts in the last.
func (l *line) spreads() bool { return l.meta.Kind != capture.Delta || l.from != nil }

// share is which part of the count of stretch k had come by a time, if it came evenly. The parts of a stretch are
// differences of it, so that they are whole and add up to the count.
func (l *line) share(k int, at int64) uint64 {
	from, to := l.from[k], l.times[k]
	if at >= to {
		return l.bits[k]
	}
	hi, lo := bits.Mul64(l.bits[k], uint64(max(0, at-from)))
	part, _ := bits.Div64(hi, lo, uint64(to-from))
	return part
}

// between calls f for the samples from the first stretch to the last.
func (l *line) between(c *cutting, f func(i int)) {
	first, last := slices.Min(l.from), l.times[len(l.times)-1]
	for i, _ := slices.BinarySearch(c.start, first); i < len(c.start) && c.end[i] <= last; i++ {
		f(i)
	}
}

// data puts the values in their samples.
func (l *line) data(c *cutting) capture.Data {
	n := len(c.start)
	integers := l.integers()
	if !integers {
		out := capture.MissingData(n)
		l.cover(c, func(k, from, to int) {
			v := floatOf(l.bits[k])
			if !l.double {
				v = float64(signed(l.bits[k]))
			}
			for i := l.first(from, to); i < to; i++ {
				out.F[i] = v
			}
		})
		return out
	}
	u := make([]uint64, n)
	there := make([]byte, (n+7)/8)
	count := 0
	if l.key.probe == gpuStages && l.from != nil {
		l.between(c, func(i int) { // a queue without a stage has none that takes time
			there[i>>3] |= 1 << (i & 7)
			count++
		})
	}
	l.cover(c, func(k, from, to int) {
		for i := l.first(from, to); i < to; i++ {
			if l.from == nil {
				u[i] = l.bits[k]
			} else {
				u[i] += l.share(k, c.end[i]) - l.share(k, c.start[i])
			}
			if there[i>>3]&(1<<(i&7)) == 0 {
				there[i>>3] |= 1 << (i & 7)
				count++
			}
		}
	})
	out := capture.Data{U: u}
	if count < n {
		out.Valid = capture.Bitmap{Bits: there}
	}
	return out
}

func (l *line) first(from, to int) int {
	if l.spreads() {
		return from
	}
	return to - 1
}

// reasons says why values are missing.
func (l *line) reasons(c *cutting, tally *memory.Tally) []capture.ReasonRun {
	var out []capture.ReasonRun
	add := func(from, to int, code capture.ReasonCode, text string) {
		if from >= to {
			return
		}
		if n := len(out); n > 0 && out[n-1].To == from && out[n-1].Reason.Text == text {
			out[n-1].To = to
			return
		}
		out = memory.Append(tally, out,
			capture.ReasonRun{From: from, To: to, Reason: capture.Reason{Code: code, Text: text}})
	}
	const none = "the trace has no value of this counter here"
	done := 0
	if l.key.probe == gpuStages && l.from != nil {
		i, _ := slices.BinarySearch(c.start, slices.Min(l.from))
		add(0, i, capture.NotCollected, none)
		done = i
		l.between(c, func(i int) { done = i + 1 })
		add(done, len(c.start), capture.NotCollected, none)
		return out
	}
	l.cover(c, func(k, from, to int) {
		add(done, from, capture.NotCollected, none)
		if !l.spreads() && to-from > 1 {
			add(from, to-1, capture.NotAggregable,
				fmt.Sprintf("the counter has one value for %d samples: it counts in the last of them", to-from))
		}
		done = max(done, to)
	})
	add(done, len(c.start), capture.NotCollected, none)
	return out
}

// integers reports whether the values are whole numbers that are not negative.
func (l *line) integers() bool {
	return l.from != nil || !l.double && !slices.ContainsFunc(l.bits, func(b uint64) bool { return b > math.MaxInt64 })
}
