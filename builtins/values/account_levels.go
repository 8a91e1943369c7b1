package values

import (
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
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
	if !ok {
		c = a.lookUp(name)
		a.known[name] = c
	}
	return c
}

func (a *accounting) lookUp(name string) *capture.Counter {
	var c *capture.Counter
	var err error
	if c, err = a.cap.resolve(name); err != nil && strings.Contains(name, " ") {
		c, err = metrics.EvalWith(a.cap.Capture, a.cap.env.Defined(a.cap.Capture.GPU), name, capture.Meta{})
	}
	if err != nil || !c.Axis.Same(a.cap.Capture.Axis) || math.IsNaN(c.Total().Float()) {
		return nil
	}
	return c
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
		if c.Unit == "percent" {
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

// activeShare is the share of every sample in which the device worked: its cycles with work in all its cycles, in those
// that its clock made, or in those of the samples that are fullest. nil where nothing tells.
func (a *accounting) activeShare() []float64 {
	c := a.find(a.table.active)
	if c == nil {
		a.lackAll(a.table.active)
		return nil
	}
	v := fresh(c)
	if a.table.busiest {
		for _, one := range c.Instances {
			for i, x := range one.Floats() {
				if !(v[i] >= x) && !math.IsNaN(x) {
					v[i] = x
				}
			}
		}
	}
	if c.Unit == "percent" {
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
	if len(a.table.elapsed) > 0 {
		a.lackAll(a.table.elapsed)
	}
	for i := range v {
		v[i] /= float64(a.cap.Capture.Axis.Interval(i)) / 1e9
	}
	if f := a.find(a.table.clock); f != nil && f.Kind == capture.Gauge {
		for i, hz := range f.Floats() {
			v[i] /= hz
		}
		return v
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

// highest is the highest value but for a few: the 99th percentile. NaN where there is none.
func highest(v []float64) float64 {
	finite := slices.DeleteFunc(slices.Clone(v), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	if len(finite) == 0 {
		return math.NaN()
	}
	slices.Sort(finite)
	return finite[(len(finite)-1)*99/100]
}

// clockLoss is what the highest clock would take off the time of every sample; nil where the clock or its highest value
// is unknown.
func (a *accounting) clockLoss() []float64 {
	top := a.constant(a.table.clockMax)
	if !(top > 0) {
		return nil
	}
	out := make([]float64, a.n)
	if f := a.find(a.table.clock); f != nil && f.Kind == capture.Gauge {
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

// processors is the load of every processor in the samples that are looked at.
func (a *accounting) processors(looked []int) (out [][]float64) {
	c := a.find(a.table.cpus)
	if c == nil {
		return nil
	}
	list := c.Instances
	if len(list) == 0 {
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
