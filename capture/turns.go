package capture

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// Counters that are more than the hardware has room for take turns on it. A sample's value is then what was counted in
// a part of it, scaled up to all of it, and in the samples of another's turn there is none: the reason is NotScheduled,
// nothing was lost, only not counted. So what such a counter adds up to is an estimate: everything that was counted,
// times the time in which it was to count, by the time in which it did. That is the scaling of Linux and of `perf
// stat`. Samples that are missing for other reasons are in neither time.

// Turn says how long a counter that shares the hardware counted in each sample.
type Turn struct {
	Share   *Column // percent of Enabled in which it counted
	Enabled *Column // ns in which it was to count
}

// The counters of a recording that hold the columns of a Turn: Meta.TurnOf of a counter names the instance of both that
// it belongs to, or is TurnWhole where they have none.
const (
	TurnShare   = "counter_coverage"
	TurnEnabled = "counter_enabled"
	TurnWhole   = "whole"
)

// linkTurns gives counters the columns that their Meta.TurnOf names. Where these are not in the capture, samples
// without a value tell the turns, see times.
func (c *Capture) linkTurns() {
	share, enabled := c.Counter(TurnShare), c.Counter(TurnEnabled)
	if share == nil || enabled == nil {
		return
	}
	link := func(ctr *Counter) {
		if ctr.Turn != nil || ctr.Meta.TurnOf == "" || ctr.Col == nil {
			return
		}
		s, e := share, enabled
		if ctr.Meta.TurnOf != TurnWhole {
			s, e = share.Instance(ctr.Meta.TurnOf), enabled.Instance(ctr.Meta.TurnOf)
		}
		if s != nil && e != nil && s.Col != nil && e.Col != nil {
			ctr.Turn = &Turn{s.Col, e.Col}
		}
	}
	for _, ctr := range c.Counters {
		link(ctr)
		for _, in := range ctr.Instances {
			link(in)
		}
	}
}

func (t *Turn) slice(i, j int) *Turn {
	if t == nil {
		return nil
	}
	return &Turn{t.Share.Slice(i, j), t.Enabled.Slice(i, j)}
}

func (t *Turn) gather(rows []int) *Turn {
	if t == nil {
		return nil
	}
	return &Turn{t.Share.gather(rows), t.Enabled.gather(rows)}
}

// rebinTurn is the Turn of the counter in bins, nil where it never waits.
func (c *Counter) rebinTurn(b *Bins) *Turn {
	if c.Col == nil || c.Turns() == nil {
		return nil
	}
	sums := sync.OnceValue(func() shares { return c.shares(b, nil) })
	return &Turn{
		Share: LazyColumn(b.Len(), func() (Data, error) {
			s := sums()
			f := make([]float64, b.Len())
			for j := range f {
				f[j] = 100 * s.counted[j] / s.enabled[j]
			}
			return Data{F: f}, nil
		}),
		Enabled: LazyColumn(b.Len(), func() (Data, error) { return Data{F: sums().enabled}, nil }),
	}
}

// times are how long the counter was to count and counted in sample i, in ns.
func (c *Counter) times(i int, value float64, waits bool) (enabled, counted float64) {
	if c.Turn != nil {
		enabled, counted = c.Turn.Enabled.Data().Float(i), c.Turn.Share.Data().Float(i)/100
		switch {
		case value != value && !waits, !(enabled > 0), counted != counted:
			return 0, 0
		case value != value:
			return enabled, 0
		}
		return enabled, enabled * min(counted, 1)
	}
	switch {
	case value == value:
		return c.Interval(i), c.Interval(i)
	case waits:
		return c.Interval(i), 0
	}
	return 0, 0
}

// Bits has one bit per sample. nil has none set.
type Bits []uint64

// NewBits returns n bits, none set.
func NewBits(n int) Bits { return make(Bits, (n+63)/64) }

// Get reports bit i.
func (b Bits) Get(i int) bool { return b != nil && b[i>>6]&(1<<(i&63)) != 0 }

// Set sets bit i.
func (b Bits) Set(i int) { b[i>>6] |= 1 << (i & 63) }

// Count is how many bits are set.
func (b Bits) Count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// onceBits computes bits once and keeps them.
type onceBits struct {
	once sync.Once
	v    Bits
}

func (o *onceBits) get(f func() Bits) Bits {
	o.once.Do(func() { o.v = f() })
	return o.v
}

// Turns tells in which samples a delta is missing for no other reason than that others had their turn on the hardware.
// It is nil where a counter counted all the time, and has no bit set where it had a part of every sample. One that is
// made of instances is missing where one of them is.
func (c *Counter) Turns() Bits {
	if c.Kind != Delta || c.Der != nil {
		return nil
	}
	return c.keeps().turns.get(func() Bits {
		if c.Col != nil || c.Combine != CombineSum {
			out := c.missingFor(NotScheduled)
			if out == nil && c.countsPartly() {
				out = NewBits(c.Len())
			}
			return out
		}
		waits := false
		for _, in := range c.Instances {
			waits = waits || in.Turns() != nil
		}
		if !waits {
			return nil
		}
		out, other := NewBits(c.Len()), NewBits(c.Len())
		for _, in := range c.Instances {
			turns, off := in.Turns(), in.missingFor(PowerGated)
			for i, v := range in.Floats() {
				switch {
				case v == v || off.Get(i):
				case turns.Get(i):
					out.Set(i)
				default:
					other.Set(i)
				}
			}
		}
		for k := range out {
			out[k] &^= other[k]
		}
		return out
	})
}

// nearlyAll is the share of a sample, in percent, from which on a counter is taken to have counted all of it: switching
// events on takes time.
const nearlyAll = 99.5

// countsPartly reports whether the counter had less than all of a sample.
func (c *Counter) countsPartly() bool {
	if c.Turn == nil {
		return false
	}
	for _, s := range c.Turn.Share.Data().Floats() {
		if s < nearlyAll {
			return true
		}
	}
	return false
}

// missingFor tells in which samples the counter's own column is missing with a reason of that code; nil where it has no
// such reason.
func (c *Counter) missingFor(code ReasonCode) Bits {
	var out, seen Bits // seen: in an earlier run, whose reason counts
	for k, r := range c.Reasons {
		if out == nil {
			if r.Reason.Code != code {
				continue
			}
			out, seen = NewBits(c.Len()), NewBits(c.Len())
			for _, earlier := range c.Reasons[:k] {
				for i := earlier.From; i < earlier.To; i++ {
					seen.Set(i)
				}
			}
		}
		for i := r.From; i < r.To; i++ {
			if r.Reason.Code == code && !seen.Get(i) {
				out.Set(i)
			}
			seen.Set(i)
		}
	}
	if out == nil {
		return nil
	}
	for i, v := range c.Floats() {
		if v == v {
			out[i>>6] &^= 1 << (i & 63)
		}
	}
	return out
}

// shares are what a counter adds up to per bin, of what it really counted, NaN where there is nothing; and how long it
// was to count, and counted, in ns.
type shares struct{ sum, enabled, counted []float64 }

// shares leaves out the samples in except.
func (c *Counter) shares(b *Bins, except Bits) shares {
	turns, values := c.Turns(), c.Floats()
	n := len(values)
	sum, enabled, counted := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, x := range values {
		sum[i] = math.NaN()
		if except.Get(i) {
			continue
		}
		enabled[i], counted[i] = c.times(i, x, turns.Get(i))
		if sum[i] = x; counted[i] < enabled[i] {
			sum[i] *= counted[i] / enabled[i]
		}
	}
	return shares{b.sum(sum), b.sum(enabled), b.sum(counted)}
}

// estimate is the sum of bin j, scaled up to all the time in which the counter was to count.
func (s *shares) estimate(j int) float64 {
	if !(s.enabled[j] > s.counted[j]) {
		return s.sum[j]
	}
	if s.counted[j] == 0 {
		return math.NaN()
	}
	return s.sum[j] * (s.enabled[j] / s.counted[j])
}

// SumExcept adds up a delta per bin without the samples in except. One that takes turns with others on the hardware is
// scaled up. NaN is missing.
func (c *Counter) SumExcept(b *Bins, except Bits) []float64 {
	turns := c.Turns()
	switch {
	case turns == nil && except == nil && c.Col != nil:
		return b.sumColumn(c.Col)
	case turns == nil && except == nil && !c.keeps().floats.kept():
		return b.SumFloats(c.ReadFloats)
	case turns == nil && except == nil:
		return b.sum(c.Floats())
	case turns == nil || c.Col != nil || c.Combine != CombineSum:
		s := c.shares(b, except)
		for j := range s.sum {
			s.sum[j] = s.estimate(j)
		}
		return s.sum
	}
	// Each instance waits at times of its own, so that each is scaled by itself. Samples in which one is missing for
	// another reason count for none.
	unknown := NewBits(c.Len())
	copy(unknown, except)
	for i, v := range c.Floats() {
		if v != v && !turns.Get(i) {
			unknown.Set(i)
		}
	}
	out := make([]float64, b.Len())
	some := make([]bool, b.Len())
	for _, in := range c.Instances {
		s := in.shares(b, unknown)
		for j := range out {
			switch v := s.estimate(j); {
			case v == v:
				out[j] += v
				some[j] = true
			case s.enabled[j] > 0:
				out[j] = math.NaN() // it never had its turn
			}
		}
	}
	for j := range out {
		if !some[j] {
			out[j] = math.NaN()
		}
	}
	return out
}

// TurnSums are the sums per bin from which SumExcept scales a delta that takes turns: of the counter, or of each of its
// instances, what was counted, how long it was to count and how long it did, in ns; and in how many samples of a bin
// anyone waited. ok is false for a counter that takes no turns: in these samples, or with ever at any time.
func (c *Counter) TurnSums(b *Bins, except Bits, ever bool) (parts [][3][]float64, waits []float64, ok bool) {
	turns := c.Turns()
	switch {
	case turns == nil && !(ever && c.mayTakeTurns()):
		return nil, nil, false
	case turns == nil:
		turns = NewBits(c.Len())
	}
	list, unknown := []*Counter{c}, except
	if c.Col == nil && c.Combine == CombineSum {
		list, unknown = c.Instances, NewBits(c.Len())
		copy(unknown, except)
		for i, v := range c.Floats() {
			if v != v && !turns.Get(i) {
				unknown.Set(i)
			}
		}
	}
	partly := make([]float64, c.Len())
	for _, in := range list {
		s := in.shares(b, unknown)
		parts = append(parts, [3][]float64{s.sum, s.enabled, s.counted})
		for i := range partly {
			if turns.Get(i) || in.Turn != nil && in.Turn.Share.Data().Float(i) < nearlyAll {
				partly[i] = 1
			}
		}
	}
	return parts, b.sum(partly), true
}

// mayTakeTurns reports whether it is known of a delta how much of each sample it counted.
func (c *Counter) mayTakeTurns() bool {
	switch {
	case c.Kind != Delta || c.Der != nil:
		return false
	case c.Col == nil && c.Combine == CombineSum:
		return slices.ContainsFunc(c.Instances, (*Counter).mayTakeTurns)
	}
	return c.Turn != nil
}

// Counted is the share of the time in which the counter was to count that it counted, from 0 to 1; 1 where it shares
// the hardware with none.
func (c *Counter) Counted() float64 {
	if c.Turns() == nil {
		return 1
	}
	list := c.Instances
	if c.Col != nil {
		list = []*Counter{c}
	}
	var enabled, counted float64
	whole := c.Axis.Whole()
	for _, in := range list {
		s := in.shares(whole, nil)
		enabled, counted = enabled+s.enabled[0], counted+s.counted[0]
	}
	if !(enabled > 0) {
		return 1
	}
	return counted / enabled
}

// Doubts are the counter's warnings, and how far its sums are estimates.
func (c *Counter) Doubts() []string {
	if c.Turns() == nil {
		return c.Warnings
	}
	out := append([]string(nil), c.Warnings...)
	return append(out,
		fmt.Sprintf(
			"%s took turns with others on the hardware and was counted %.3g %% of the time: its sums are scaled up to all of it and are estimates",
			c.Name, 100*c.Counted()))
}
