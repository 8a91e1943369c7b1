package steps

import (
	"math"
	"math/bits"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// Axis is the samples from a time 0 on.
func (c *Cutting) Axis(zero int64) *capture.Axis {
	a := &capture.Axis{Clock: "trace", Start: make([]int64, len(c.Start)), End: make([]int64, len(c.End))}
	for i := range c.Start {
		a.Start[i], a.End[i] = c.Start[i]-zero, c.End[i]-zero
	}
	return a
}

// AllTimes are the times of all values, with room for one more.
func AllTimes(lines []*Line, tally *memory.Tally) []int64 {
	n := 1
	for _, l := range lines {
		n += len(l.Times) + len(l.From)
	}
	tally.Must(8 * uint64(n))
	all := make([]int64, 0, n)
	for _, l := range lines {
		all = append(append(all, l.Times...), l.From...)
	}
	return all
}

// Cut cuts the time wherever a counter has a value, and leaves out what no value covers.
func Cut(lines []*Line, tally *memory.Tally) *Cutting {
	cuts := AllTimes(lines, tally)
	last := int64(math.MinInt64)
	for _, l := range lines {
		last = max(last, l.Times[len(l.Times)-1])
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for _, l := range lines {
		if l.Forwards && l.Times[len(l.Times)-1] == last {
			// The last value holds as long as the one before it did.
			if n := len(cuts); n > 1 {
				cuts = append(cuts, last+(last-cuts[n-2]))
			} else {
				cuts = append(cuts, last)
			}
			break
		}
	}
	c := &Cutting{}
	first := int64(math.MaxInt64)
	for _, l := range lines {
		switch {
		case l.From != nil:
			first = min(first, slices.Min(l.From))
		case l.Forwards:
			first = min(first, l.Times[0])
		case len(l.Times) > 1:
			first = min(first, l.Times[0])
		}
	}
	for i := 1; i < len(cuts); i++ {
		if cuts[i-1] >= first {
			c.Start, c.End = memory.Append(tally, c.Start, cuts[i-1]), memory.Append(tally, c.End, cuts[i])
		}
	}
	return c
}

// cover calls f with the samples [from, to) that value k covers.
func (l *Line) cover(c *Cutting, f func(k, from, to int)) {
	if c.Exact {
		for k, t := range l.Times {
			if i, ok := slices.BinarySearch(c.Start, t); ok {
				f(k, i, i+1)
			}
		}
		return
	}
	for k, t := range l.Times {
		from, to := t, int64(math.MaxInt64)
		switch {
		case l.From != nil:
			from, to = l.From[k], t
		case !l.Forwards && k == 0:
			continue
		case !l.Forwards:
			from, to = l.Times[k-1], t
		case k+1 < len(l.Times):
			to = l.Times[k+1]
		}
		i, _ := slices.BinarySearch(c.Start, from)
		j := len(c.Start)
		if to != math.MaxInt64 {
			j, _ = slices.BinarySearch(c.Start, to)
		}
		if i < j {
			f(k, i, j)
		}
	}
}

// stretch is the time in which what value k counts happened: its own, or that of the samples that it covers.
func (l *Line) stretch(c *Cutting, k, from, to int) (start, end int64) {
	if l.From != nil {
		return l.From[k], l.Times[k]
	}
	return c.Start[from], c.End[to-1]
}

// share is which part of a count of a stretch of time had come by a time, if it came evenly. The parts of a stretch are
// differences of it, so that they are whole and add up to the count.
func share(count uint64, from, to, at int64) uint64 {
	if at >= to {
		return count
	}
	hi, lo := bits.Mul64(count, uint64(max(0, at-from)))
	part, _ := bits.Div64(hi, lo, uint64(to-from))
	return part
}

// part is which part of a stretch of time a sample has, 0 to 1; all of one without length.
func part(from, to, start, end int64) float64 {
	if to <= from {
		return 1
	}
	return float64(end-start) / float64(to-from)
}

// between calls f for the samples from the first stretch to the last.
func (l *Line) between(c *Cutting, f func(i int)) {
	first, last := slices.Min(l.From), l.Times[len(l.Times)-1]
	for i, _ := slices.BinarySearch(c.Start, first); i < len(c.Start) && c.End[i] <= last; i++ {
		f(i)
	}
}

// data puts the values in their samples: those of a level whole, and of what was counted the part of each.
func (l *Line) data(c *Cutting, kind capture.Kind) capture.Data {
	n := len(c.Start)
	if !l.integers() {
		out := capture.MissingData(n)
		l.cover(c, func(k, from, to int) {
			v := math.Float64frombits(l.Bits[k])
			if !l.Double {
				v = float64(int64(l.Bits[k]))
			}
			for i := from; i < to; i++ {
				out.F[i] = v
			}
			if kind == capture.Delta {
				start, end := l.stretch(c, k, from, to)
				for i := from; i < to; i++ {
					out.F[i] = v * part(start, end, c.Start[i], c.End[i])
				}
			}
		})
		return out
	}
	u := make([]uint64, n)
	there := make([]byte, (n+7)/8)
	count := 0
	if l.Idle && l.From != nil {
		l.between(c, func(i int) { // nothing took time there
			there[i>>3] |= 1 << (i & 7)
			count++
		})
	}
	l.cover(c, func(k, from, to int) {
		events := l.From != nil || kind == capture.Delta && to-from > 1 // one sample has all of it, also where it has no length
		start, end := l.stretch(c, k, from, to)
		for i := from; i < to; i++ {
			if events {
				u[i] += share(l.Bits[k], start, end, c.End[i]) - share(l.Bits[k], start, end, c.Start[i])
			} else {
				u[i] = l.Bits[k]
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

// reasons says why values are missing.
func (l *Line) reasons(c *Cutting, tally *memory.Tally) []capture.ReasonRun {
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
	if l.Idle && l.From != nil {
		i, _ := slices.BinarySearch(c.Start, slices.Min(l.From))
		add(0, i, capture.NotCollected, none)
		done = i
		l.between(c, func(i int) { done = i + 1 })
		add(done, len(c.Start), capture.NotCollected, none)
		return out
	}
	l.cover(c, func(_, from, to int) {
		add(done, from, capture.NotCollected, none)
		done = max(done, to)
	})
	add(done, len(c.Start), capture.NotCollected, none)
	return out
}

// integers reports whether the values are whole numbers that are not negative.
func (l *Line) integers() bool {
	return l.From != nil || !l.Double && !slices.ContainsFunc(l.Bits, func(b uint64) bool { return b > math.MaxInt64 })
}
