package analysis

import (
	"math"
	"sync"

	"astrolabe/capture"
)

// pool holds what the samples of a part add up to in each cell, and makes captures of any mixture of cells. A mixture
// is one sample of such a capture, so that the catalogue's own formulas give every metric of every bootstrap replicate,
// on totals, in one pass.
type pool struct {
	part    part
	covered []float64 // measured ns of each cell
	merged  []float64 // original samples in each cell

	every   func() *columnSums // of a column that has a value in every sample, but for num
	perUnit func() []float64   // den of such a column, in units
}

// columnSums is one column in cells: a sum and what it is divided by.
type columnSums struct {
	num, den []float64
	common   bool      // den is that of other columns too
	waited   []float64 // seconds in which the counter waited for its turn on the hardware; nil where it never did
	present  []float64 // original samples with a value; nil of durations
	has      []bool
	whole    bool // every cell has a finite value, so that a weight of 0 takes nothing out of the sums
}

func newPool(p part) *pool {
	out := &pool{part: p}
	axis := p.cap.Axis
	bins := p.cells.bins
	out.covered = make([]float64, p.cells.count)
	out.merged = make([]float64, p.cells.count)
	for j := range bins.Lo {
		for i := bins.Lo[j]; i < bins.Hi[j]; i++ {
			out.covered[j/p.cells.fold] += float64(axis.Interval(i))
			out.merged[j/p.cells.fold] += axis.Merged(i)
		}
	}
	out.every = sync.OnceValue(out.full)
	out.perUnit = sync.OnceValue(func() []float64 {
		den := make([]float64, p.cells.count)
		unitsOf(den, p.cells.units, out.every().present, out.merged)
		return den
	})
	return out
}

// unitsOf makes the units in which a column was measured of those of the cells.
func unitsOf(den, units, present, merged []float64) {
	for k, n := range units {
		den[k] = n * present[k] / merged[k]
	}
}

// full is timed for a column without gaps, which nearly all are: what does not depend on its values is added up once.
func (p *pool) full() *columnSums {
	bins, n, axis := p.part.cells.bins, p.part.cells.count, p.part.cap.Axis
	out := &columnSums{den: make([]float64, n), present: make([]float64, n), has: make([]bool, n)}
	for j := range bins.Lo {
		k := j / p.part.cells.fold
		for i := bins.Lo[j]; i < bins.Hi[j]; i++ {
			out.den[k] += float64(axis.Interval(i)) / 1e9
			out.present[k] += axis.Merged(i)
			out.has[k] = true
		}
	}
	return out
}

// complete is timed for a counter whose values are amounts and all there, nil for others. Values are read a block at a
// time: as one slice they would take fresh memory for each counter, which is dearer than the sums.
func (p *pool) complete(c *capture.Counter) *columnSums {
	if c.Axis != p.part.cap.Axis || c.Pass != nil && c.Pass.Duration != nil || c.Kind == capture.Gauge || c.Der != nil ||
		c.Turns() != nil {
		return nil
	}
	block := blocksKept.Get().(*[capture.BlockRows]float64)
	defer blocksKept.Put(block)
	var v []float64 // the values from sample at on
	at := 0
	bins, num := p.part.cells.bins, make([]float64, p.part.cells.count)
	for j := range bins.Lo {
		k := j / p.part.cells.fold
		sum := num[k]
		for i, hi := bins.Lo[j], bins.Hi[j]; i < hi; {
			if i < at || i >= at+len(v) {
				at, v = i, block[:min(capture.BlockRows, c.Len()-i)]
				c.ReadFloats(v, at)
			}
			to := min(hi, at+len(v))
			for _, x := range v[i-at : to-at] {
				sum += x
			}
			i = to
		}
		if sum != sum {
			return nil // a value is missing
		}
		num[k] = sum
	}
	every := p.every()
	return &columnSums{num: num, den: every.den, common: true, present: every.present, has: every.has}
}

var blocksKept = sync.Pool{New: func() any { return new([capture.BlockRows]float64) }}

// timed is the sum of a counter in each cell, and the time (in s) in which it was measured; a gauge is weighted by time
// first. Samples without a value count in neither.
func (p *pool) timed(c *capture.Counter) *columnSums {
	if out := p.complete(c); out != nil {
		return out
	}
	v := c.Floats()
	bins := p.part.cells.bins
	n := p.part.cells.count
	out := &columnSums{num: make([]float64, n), den: make([]float64, n), present: make([]float64, n),
		has: make([]bool, n)}
	turns := c.Turns()
	if turns != nil {
		out.waited = make([]float64, n)
	}
	axis, own, gauge := p.part.cap.Axis, c.Pass != nil && c.Pass.Duration != nil, c.Kind == capture.Gauge
	for j := range bins.Lo {
		k := j / p.part.cells.fold
		num, den, present, has := out.num[k], out.den[k], out.present[k], out.has[k]
		for i := bins.Lo[j]; i < bins.Hi[j]; i++ {
			x, t := v[i], 0.0
			if own {
				t = c.Interval(i) / 1e9
			} else {
				t = float64(c.Axis.Interval(i)) / 1e9
			}
			if x != x {
				if turns.Get(i) {
					out.waited[k] += t
				}
				continue
			}
			if gauge {
				if t == 0 {
					t = 1e-9 // an instant: instants count alike
				}
				x *= t
			}
			num += x
			den += t
			present += axis.Merged(i)
			has = true
		}
		out.num[k], out.den[k], out.present[k], out.has[k] = num, den, present, has
	}
	return out
}

// mixed returns the column of a measured counter for the given mixtures.
func (p *pool) mixed(c *capture.Counter, d *draws) []float64 {
	out := make([]float64, d.rows)
	if c.Kind == capture.Constant {
		v := c.First().Float()
		for r := range out {
			out[r] = v
		}
		return out
	}
	s := p.timed(c).settle()
	for r, m := range s.mixtures(d) {
		num, den, any := m.num, m.den, m.any
		switch {
		case !any:
			out[r] = math.NaN()
		case c.Kind == capture.Gauge:
			out[r] = num / den
		case s.waited != nil && den > 0:
			out[r] = num * (den + weigh(s.waited, d, r)) / den
		default:
			out[r] = num
		}
	}
	return out
}

// mix adds up cells by the weights of a row.
func (s *columnSums) mix(d *draws, row int) (num, den float64, any bool) {
	w, from := d.stretch(row)
	nums, dens := s.num[from:from+len(w)], s.den[from:from+len(w)]
	if s.whole { // asking for each weight takes longer
		for i, x := range w {
			num += x * nums[i]
			den += x * dens[i]
		}
		return num, den, len(w) > 0
	}
	for i, x := range w {
		if x != 0 && s.has[from+i] {
			num += x * nums[i]
			den += x * dens[i]
			any = true
		}
	}
	return num, den, any
}

// mixture is what cells add up to by the weights of a row.
type mixture struct {
	num, den float64
	any      bool
}

// mixtures is mix of every row. A third of the time of a comparison went by here: an addition waits for the one before
// it, so rows are added up side by side, each in the order of mix; and counters that were measured for the same time
// share the sums of it.
func (s *columnSums) mixtures(d *draws) []mixture {
	out := make([]mixture, d.rows)
	first := min(d.single, d.rows)
	if !s.whole || len(s.den) == 0 {
		first = d.rows
	}
	for r := range first {
		out[r].num, out[r].den, out[r].any = s.mix(d, r)
	}
	if first == d.rows {
		return out
	}
	nums := d.add(s.num, first)
	var dens []float64
	if s.common {
		dens = d.shared(s.den)
	} else {
		dens = d.add(s.den, first)
	}
	for r := first; r < d.rows; r++ {
		out[r] = mixture{nums[r], dens[r], true}
	}
	return out
}

// settle finds out whether the sums are whole, once they do not change any more.
func (s *columnSums) settle() *columnSums {
	s.whole = true
	for i, has := range s.has {
		s.whole = s.whole && has && !math.IsNaN(s.num[i]-s.num[i]) && !math.IsNaN(s.den[i]-s.den[i])
	}
	return s
}

// capture makes a capture with one sample per mixture. Its columns are made when a formula first reads them.
func (p *pool) capture(d *draws) (*capture.Capture, error) {
	from := p.part.cap
	axis := &capture.Axis{Clock: from.Axis.Clock, Start: make([]int64, d.rows), End: make([]int64, d.rows),
		Covered: make([]int64, d.rows), Count: make([]float64, d.rows)}
	var now int64
	for r := range d.rows {
		covered := math.Round(weigh(p.covered, d, r))
		axis.Covered[r] = int64(covered)
		axis.Count[r] = weigh(p.merged, d, r)
		axis.Start[r] = now
		now += max(1, axis.Covered[r])
		axis.End[r] = now
	}
	cfg := from.Config
	cfg.Axis, cfg.Labels, cfg.Regions, cfg.Gaps, cfg.Late, cfg.Passes = axis, nil, nil, nil, nil, nil
	passes := map[*capture.Pass]*capture.Pass{nil: nil}
	cfg.Counters = make([]*capture.Counter, len(from.Counters))
	for i, c := range from.Counters {
		cfg.Counters[i] = p.counter(c, axis, d, passes)
	}
	for _, old := range from.Passes {
		cfg.Passes = append(cfg.Passes, p.pass(old, axis, d, passes))
	}
	return capture.New(cfg)
}

func (p *pool) counter(c *capture.Counter, axis *capture.Axis, d *draws,
	passes map[*capture.Pass]*capture.Pass) *capture.Counter {
	out := &capture.Counter{Meta: c.Meta, Axis: axis, Pass: p.pass(c.Pass, axis, d, passes)}
	if c.Col != nil {
		out.Col = capture.LazyColumn(d.rows, func() (capture.Data, error) {
			return capture.Data{F: p.mixed(c, d)}, c.Col.Err()
		})
	}
	for _, in := range c.Instances {
		out.Instances = append(out.Instances, p.counter(in, axis, d, passes))
	}
	return out
}

func (p *pool) pass(old *capture.Pass, axis *capture.Axis, d *draws,
	passes map[*capture.Pass]*capture.Pass) *capture.Pass {
	if out, ok := passes[old]; ok {
		return out
	}
	out := &capture.Pass{ID: old.ID}
	passes[old] = out
	if old.Duration != nil {
		times := &capture.Counter{Meta: capture.Meta{Kind: capture.Delta}, Axis: p.part.cap.Axis, Col: old.Duration}
		out.Duration = capture.LazyColumn(d.rows, func() (capture.Data, error) {
			return capture.Data{F: p.mixed(times, d)}, old.Duration.Err()
		})
	}
	return out
}

// weigh adds up values of cells by the weights of a row.
func weigh(v []float64, d *draws, row int) float64 {
	w, from := d.stretch(row)
	sum := 0.0
	for i, x := range w {
		sum += v[from+i] * x
	}
	return sum
}
