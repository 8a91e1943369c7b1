package values

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/metrics/formula"
	"astrolabe/capture/units"
)

// find is the first of some metrics that the capture has with values, nil where there is none. A name with spaces is a
// formula in the notation of the vendor.
func (a *accounting) find(names []string) *capture.Counter {
	for _, n := range names {
		if c := a.named(n); c != nil {
			return c
		}
	}
	return nil
}

func (a *accounting) named(name string) *capture.Counter {
	c, ok := a.known[name]
	if ok {
		return c
	}
	text := a.substituted(name)
	if c, ok = a.texts[text]; !ok { // several formulas may come to it
		c = a.lookUp(text)
		a.texts[text] = c
	}
	a.known[name] = c
	return c
}

func (a *accounting) lookUp(name string) *capture.Counter {
	c, err := a.addressed(name)
	if err != nil && strings.Contains(name, " ") {
		c, err = metrics.EvalWith(a.cap.Capture, a.cap.env.Defined(a.cap.Capture.GPU), name, capture.Meta{})
	}
	if err != nil || !c.Axis.Same(a.cap.Capture.Axis) || math.IsNaN(c.Total().Float()) {
		return nil
	}
	return c
}

// addressed is what the capture has under a name. A text that says its dialect is a formula and no name; looking for it
// as one takes as long as all else about it.
func (a *accounting) addressed(name string) (*capture.Counter, error) {
	if _, _, ok := formula.StatedDialect(name); ok {
		return nil, errFormula
	}
	return a.cap.resolve(name)
}

var errFormula = errors.New("a formula is no name")

// substituted is a formula with what stands in it for counters that were not recorded, or a name as it is.
func (a *accounting) substituted(text string) string {
	if !strings.Contains(text, " ") {
		return text
	}
	for _, s := range a.table.instead {
		if strings.Contains(text, s.text) && a.named(s.counter) == nil {
			text = strings.ReplaceAll(text, s.text, s.put)
		}
	}
	return text
}

// values are those of the first of some metrics in every sample, percentages as shares; where it is missing in one
// those of the next. nil where the capture has none.
func (a *accounting) values(names []string) []float64 {
	var out []float64
	for _, n := range names {
		c := a.named(n)
		if c == nil {
			continue
		}
		scale := 1.
		if isPercent(c) {
			scale = 0.01
		}
		var lacks atomic.Bool
		first := out == nil
		if first {
			out = make([]float64, a.n)
		}
		capture.EachBlock(a.n, func(lo, hi int) {
			to := out[lo:hi]
			if first {
				c.ReadFloats(to, lo)
				for i, x := range to {
					if to[i] = scale * x; x != x {
						lacks.Store(true)
					}
				}
				return
			}
			v := make([]float64, hi-lo)
			c.ReadFloats(v, lo)
			for i, x := range v {
				if to[i] != to[i] {
					if to[i] = scale * x; x != x {
						lacks.Store(true)
					}
				}
			}
		})
		if !lacks.Load() {
			break
		}
	}
	return out
}

// fresh are the values of a counter in every sample, to be changed.
func fresh(c *capture.Counter) []float64 {
	out := make([]float64, c.Len())
	capture.EachBlock(len(out), func(lo, hi int) { c.ReadFloats(out[lo:hi], lo) })
	return out
}

// read calls f with the values of a counter, block by block, on all cores where they are many.
func (a *accounting) read(c *capture.Counter, f func(lo int, v []float64)) {
	capture.EachBlock(a.n, func(lo, hi int) {
		room, _ := readRooms.Get().(*[capture.BlockRows]float64)
		if room == nil {
			room = new([capture.BlockRows]float64)
		}
		v := room[:hi-lo]
		c.ReadFloats(v, lo)
		f(lo, v)
		readRooms.Put(room)
	})
}

var readRooms sync.Pool

// inTurns reports whether sets of counters took turns, so that each level is known in the samples of its own set only.
func (a *accounting) inTurns() bool {
	l := a.cap.Capture.Label(a.table.turns)
	return l != nil && len(l.Dict) > 1
}

// isPercent reports whether a counter is in percent, however its file spells that.
func isPercent(c *capture.Counter) bool { return metrics.SameUnit(c.Unit, "percent") }

// fillMean takes the mean of the values that are known for those that are not.
func fillMean(v []float64) {
	sum, n := 0.0, 0.0
	for _, x := range v {
		if !math.IsNaN(x) {
			sum, n = sum+x, n+1
		}
	}
	if n == 0 {
		return
	}
	for i, x := range v {
		if math.IsNaN(x) {
			v[i] = sum / n
		}
	}
}

func (a *accounting) lack(what string) {
	if what != "" && !slices.Contains(a.missing, what) {
		a.missing = append(a.missing, what)
	}
}

// activeOf is the first of what tells that the device worked, and where that has no value what the next one of its unit has: a formula may lack a counter in some
// samples alone.
func (a *accounting) activeOf() (*capture.Counter, []float64) {
	c := a.find(a.table.active)
	if c == nil {
		return nil, nil
	}
	v := fresh(c)
	if a.table.asleep { // what is missing is told by that
		return c, v
	}
	for _, name := range a.table.active {
		if !slices.ContainsFunc(v, math.IsNaN) {
			break
		}
		if next := a.named(name); next != nil && next != c && next.Unit == c.Unit {
			a.read(next, func(lo int, values []float64) {
				for i, x := range values {
					if math.IsNaN(v[lo+i]) {
						v[lo+i] = x
					}
				}
			})
		}
	}
	return c, v
}

// activeShare is the share of every sample in which the device worked: its cycles with work in all its cycles, in those
// that its clock made, or in those of the samples that are fullest. nil where nothing tells.
func (a *accounting) activeShare() []float64 {
	c, v := a.activeOf()
	if c == nil {
		a.lackAll(a.table.active)
		return nil
	}
	if a.table.busiest {
		for _, one := range c.Instances {
			for i, x := range one.Floats() {
				if !(v[i] >= x) && !math.IsNaN(x) {
					v[i] = x
				}
			}
		}
	}
	if isPercent(c) {
		for i := range v {
			if v[i] /= 100; a.table.asleep && math.IsNaN(v[i]) {
				v[i] = 0
			}
		}
		return v
	}
	if e := a.find(a.table.elapsed); e != nil {
		a.read(e, func(lo int, cycles []float64) {
			for i, x := range cycles {
				if v[lo+i] /= x; a.table.asleep && math.IsNaN(v[lo+i]) {
					v[lo+i] = 0
				}
			}
		})
		return v
	}
	for i := range v {
		v[i] /= float64(a.cap.Capture.Axis.Interval(i)) / 1e9
	}
	if f := a.clock(); f != nil && a.ofClock(v, f) {
		for i, hz := range f.Floats() {
			v[i] /= hz
		}
		return v
	}
	if names := a.table.clock; len(names) > 0 { // which more programs record than all cycles of a clock
		a.lack(strings.Join(names, " or "))
	} else {
		a.lackAll(a.table.elapsed)
	}
	top := highest(v)
	if !(top > 0) {
		return nil
	}
	for i := range v {
		v[i] /= top
	}
	return v
}

// clock is the device's frequency in every sample, nil where it was not recorded.
func (a *accounting) clock() *capture.Counter {
	if f := a.find(a.table.clock); f != nil && f.Kind == capture.Gauge {
		return f
	}
	return nil
}

// clockExceeded is how many times as many cycles as its clock gives a device counts at most, where the clock is read a
// little late: with more it is that of another part of the device, or in another unit. Ours.
const clockExceeded = 1.1

// ofClock reports whether a clock in Hz can have made so many cycles in a second, on the whole.
func (a *accounting) ofClock(rates []float64, clock *capture.Counter) bool {
	worked, had := 0.0, 0.0
	for i, hz := range clock.Floats() {
		if time := float64(a.cap.Capture.Axis.Interval(i)); rates[i] >= 0 && hz >= 0 {
			worked, had = worked+rates[i]*time, had+hz*time
		}
	}
	return worked <= clockExceeded*had
}

// highest is the highest value but for a few: the 99th percentile. NaN where there is none.
func highest(v []float64) float64 {
	finite := slices.DeleteFunc(slices.Clone(v), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	if len(finite) == 0 {
		return math.NaN()
	}
	slices.Sort(finite)
	return finite[(len(finite)-1)*99/100]
}

// clockLoss is what the highest clock would take off the time of every sample; nil where the clock is unknown. Where the
// capture does not say the device's highest, what it had in a part of the capture it can have in all.
func (a *accounting) clockLoss() []float64 {
	top := a.constant(a.table.clockMax)
	f := a.clock()
	if f != nil && !(top > 0) {
		top = highest(f.Floats())
	}
	if !(top > 0) {
		return nil
	}
	out := make([]float64, a.n)
	if f != nil {
		a.read(f, func(lo int, hz []float64) {
			for i, x := range hz {
				out[lo+i] = max(0, 1-x/top)
			}
		})
		return out
	}
	e := a.find(a.table.elapsed)
	if e == nil {
		return nil
	}
	a.read(e, func(lo int, cycles []float64) {
		for i, x := range cycles {
			out[lo+i] = max(0, 1-x/(float64(a.cap.Capture.Axis.Interval(lo+i))/1e9)/top)
		}
	})
	return out
}

// constant is a constant of the capture, which may come as a property or as a column; NaN where it does not say.
func (a *accounting) constant(name string) float64 {
	for _, p := range a.cap.Capture.Properties {
		if p.Name == name && !p.IsText {
			return p.Number
		}
	}
	if c := a.cap.Capture.Counter(name); c != nil && c.Kind != capture.Delta {
		return c.Total().Float()
	}
	return math.NaN()
}

// processors is the load of every processor in the samples that are looked at; none where only a sum of several was
// recorded, which does not tell a thread that is busy all along from several that are now and then.
func (a *accounting) processors(looked []int) (out [][]float64) {
	c := a.find(a.table.cpus)
	if c == nil {
		return nil
	}
	list := c.Instances
	if len(list) == 0 {
		if a.summed = a.processorsIn(c); a.summed > 1 {
			return nil
		}
		if a.summed == summedUnknown && !telling(c) {
			return nil
		}
		list = []*capture.Counter{c}
	}
	for _, p := range list {
		v := make([]float64, len(looked))
		capture.EachBlock(len(looked), func(lo, hi int) {
			for from := lo; from < hi; { // to the end of what follows one another in the capture
				to := from + 1
				for to < hi && looked[to] == looked[to-1]+1 {
					to++
				}
				p.ReadFloats(v[from:to], looked[from])
				from = to
			}
			for i := lo; i < hi; i++ {
				v[i] /= 100
			}
		})
		out = append(out, v)
	}
	return out
}

// summedUnknown stands for a number of processors that nothing tells: Streamline and others write the mean load of all
// of them in percent.
const summedUnknown = -1

// What the mean load of an unknown number of processors tells all the same: of so many as a usual machine has none is
// busy all along where they do less together than half of one, and nearly all are where the mean is as high. Ours
const (
	summedMost = 8
	summedCalm = 0.5 / summedMost
	summedFull = 0.9
)

// telling reports whether the mean load of an unknown number of processors tells of the busiest of them.
func telling(mean *capture.Counter) bool {
	m := mean.Total().Float() / 100
	return m < summedCalm || m >= summedFull
}

// processorsIn is how many processors a load is of that is made of the times in their states: these add up to the time
// of each. 1 where they do not add up, summedUnknown where they are told in percent.
func (a *accounting) processorsIn(load *capture.Counter) int {
	if len(load.Inputs) == 0 && isPercent(load) {
		return summedUnknown
	}
	spent := 0.0
	for _, name := range load.Inputs {
		c := a.named(name)
		if c == nil {
			continue
		}
		if len(c.Instances) > 0 {
			return 1
		}
		to, ok := units.Convert(c.Unit, "ns")
		if !ok || c.Kind != capture.Delta {
			return summedUnknown
		}
		spent += to.Apply(c.Total().Float())
	}
	if !(spent > 0) {
		return 1
	}
	measured := 0.0
	for i := range a.n {
		measured += float64(a.cap.Capture.Axis.Interval(i))
	}
	if n := math.Round(spent / measured); n > 1 && n < processorsLikely {
		return int(n)
	}
	return 1
}

// processorsLikely is more than any machine has.
const processorsLikely = 1 << 14

// processorsMost is how many samples of processors are looked at: each has some ten columns, which takes as long as all
// units of the device, and what they say of a million samples a part of these says as well.
const processorsMost = 1 << 17

// looked are the samples in which the loads of processors are read: all of them, or where they are very many blocks
// that are spread evenly.
func (a *accounting) looked() []int {
	every := (a.n + processorsMost - 1) / processorsMost
	var out []int
	for lo := 0; lo < a.n; lo += capture.BlockRows * max(1, every) {
		for i := lo; i < min(a.n, lo+capture.BlockRows); i++ {
			out = append(out, i)
		}
	}
	return out
}
