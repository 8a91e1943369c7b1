package capture

import "math/bits"

// Mask selects samples of an axis, one bit each.
type Mask struct {
	Axis  *Axis
	words []uint64
}

// Span is a stretch of consecutive selected samples [First, Last], with its times in ns.
type Span struct {
	Start, End  int64
	First, Last int
}

// NewMask returns the mask of the samples for which f is true.
func NewMask(a *Axis, f func(i int) bool) *Mask {
	m := &Mask{Axis: a, words: make([]uint64, (a.Len()+63)/64)}
	for i := range a.Len() {
		if f(i) {
			m.words[i>>6] |= 1 << (i & 63)
		}
	}
	return m
}

// Len is the number of samples of the axis.
func (m *Mask) Len() int { return m.Axis.Len() }

// Get reports whether sample i is selected.
func (m *Mask) Get(i int) bool { return m.words[i>>6]&(1<<(i&63)) != 0 }

// Count is the number of selected samples.
func (m *Mask) Count() int {
	n := 0
	for _, w := range m.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// Fraction is the selected share of the samples, NaN-free: 0 for an empty axis is reported by ok = false.
func (m *Mask) Fraction() (f float64, ok bool) {
	if m.Len() == 0 {
		return 0, false
	}
	return float64(m.Count()) / float64(m.Len()), true
}

// And, Or, Xor combine two masks of one axis; Not inverts.
func (m *Mask) And(o *Mask) *Mask { return m.merge(o, func(a, b uint64) uint64 { return a & b }) }
func (m *Mask) Or(o *Mask) *Mask  { return m.merge(o, func(a, b uint64) uint64 { return a | b }) }
func (m *Mask) Xor(o *Mask) *Mask { return m.merge(o, func(a, b uint64) uint64 { return a ^ b }) }

// Not selects the samples that m does not.
func (m *Mask) Not() *Mask {
	out := &Mask{Axis: m.Axis, words: make([]uint64, len(m.words))}
	for i, w := range m.words {
		out.words[i] = ^w
	}
	if r := m.Len() & 63; r != 0 {
		out.words[len(out.words)-1] &= 1<<r - 1
	}
	return out
}

func (m *Mask) merge(o *Mask, f func(a, b uint64) uint64) *Mask {
	out := &Mask{Axis: m.Axis, words: make([]uint64, len(m.words))}
	for i := range m.words {
		out.words[i] = f(m.words[i], o.words[i])
	}
	return out
}

// Spans returns the stretches of consecutive selected samples that last at least minDuration ns.
// A gap in the axis ends a span.
func (m *Mask) Spans(minDuration int64) []Span { return m.SpansAcross(nil, minDuration) }

// SpansAcross is Spans where the samples of a second mask of the same axis, such as those without a value, may lie
// inside a span: they neither break it up nor begin or end one. A nil mask stands for none.
func (m *Mask) SpansAcross(across *Mask, minDuration int64) []Span {
	var out []Span
	a := m.Axis
	for i := 0; i < m.Len(); {
		if !m.Get(i) {
			i++
			continue
		}
		j, next := i, i+1
		for next < m.Len() && a.Start[next] <= a.End[next-1] {
			if m.Get(next) {
				j = next
			} else if across == nil || !across.Get(next) {
				break
			}
			next++
		}
		if s := (Span{Start: a.Start[i], End: a.End[j], First: i, Last: j}); s.End-s.Start >= minDuration {
			out = append(out, s)
		}
		i = next
	}
	return out
}
