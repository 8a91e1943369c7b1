package analysis

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/metrics/formula"
	"astrolabe/capture/progress"
)

// value is what one run says about a subject.
type value struct {
	v         float64   // NaN is missing
	variance  float64   // within the run; NaN where there are too few cells to know it
	blocks    int       // stretches behind the variance
	cells     []float64 // the value in each cell
	total     float64   // over the whole part
	measure   float64   // seconds or units that v was divided by, of what adds up
	extensive bool      // adds up
	missing   float64   // fraction of the samples without a value
	adds      bool      // the formula on the totals of the cells gives the total
	why       string    // of a missing value
}

// run evaluates the subjects in one part of one capture.
type run struct {
	pool     *pool
	index    int // of the capture
	subjects []*subject
	opt      Options
	seed     uint64
	values   []value
	sums     []*columnSums // of measured subjects; nil of derived ones
}

func newRun(p part, index int, subjects []*subject, opt Options, seed uint64) *run {
	return &run{pool: newPool(p), index: index, subjects: subjects, opt: opt, seed: seed,
		values: make([]value, len(subjects)), sums: make([]*columnSums, len(subjects))}
}

// counter is the series of a subject on the run's own part; nil of a duration.
func (r *run) counter(k int) *capture.Counter { return r.subjects[k].counters[r.index] }

// prepare finds the value of each subject, and its value in each cell.
func (r *run) prepare(ctx context.Context) error {
	defer progress.From(ctx).Add(prepareSteps)
	n := r.pool.part.cells.count
	d := eachCell(n)
	var derived []int
	for k := range r.subjects {
		c := r.counter(k)
		switch {
		case c == nil:
			r.sums[k] = r.durations()
		// Formulas are evaluated together below, over one pass of the columns that they share.
		case c.Der != nil:
			derived = append(derived, k)
			continue
		default:
			r.sums[k] = r.measured(c)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		v := &r.values[k]
		rows := r.ratios(k, d)
		num, den, any := r.sums[k].mix(d, n)
		v.cells, v.v, v.measure, v.adds = rows[:n], rows[n], den, true
		v.total = num
		if !any {
			v.total = math.NaN()
		}
		if c != nil {
			v.missing = missingShare(c)
			v.extensive = c.Kind == capture.Delta
			if c.Kind != capture.Delta {
				v.total = v.v
			}
			v.why = whyMissing(c, v.v)
		}
	}
	rows, measure, err := r.formulas(ctx, derived, d)
	if err != nil {
		return err
	}
	for i, k := range derived {
		v, c := &r.values[k], r.counter(k)
		// The rows behind the cells are the whole once and the whole twice. A formula that doubles with its
		// operands is an amount; a ratio stays. Nothing in its text tells, since a constant may be a count or a
		// scale.
		one, two := rows[i][n], rows[i][n+1]
		v.extensive = one != 0 && math.Abs(two/one-2) < 1e-6
		v.cells, v.v, v.measure, v.total = rows[i][:n:n], one, measure[n], one
		v.why = whyMissing(c, one)
		v.missing = missingShare(c)
		v.adds = true
		if by := r.opt.By; by == ByTime || by == ByLabel {
			whole := c.Total().Float()
			v.adds = near(whole, one)
		}
	}
	return nil
}

// near reports whether two values are the same but for rounding; missing ones are.
func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-6*max(math.Abs(a), math.Abs(b)) || (a != a && b != b)
}

// measured are the sums of a counter in the cells. Units whose samples lack the value do not count, or a counter that
// is missing in some would seem to be smaller.
func (r *run) measured(c *capture.Counter) *columnSums {
	s := r.pool.timed(c)
	if p := r.pool.part.cells; c.Kind == capture.Delta && p.per != "" {
		if s.common {
			s.den = r.pool.perUnit()
		} else {
			unitsOf(s.den, p.units, s.present, r.pool.merged)
		}
	}
	return s.settle()
}

// durations are the lengths of the units in each cell.
func (r *run) durations() *columnSums {
	p := r.pool.part.cells
	s := &columnSums{num: p.seconds, den: p.units, has: make([]bool, p.count)}
	if s.den == nil { // a whole run
		s.den = make([]float64, p.count)
		s.den[0] = 1
	}
	for i := range s.has {
		s.has[i] = true
	}
	return s.settle()
}

// ratios divides what adds up by time or units, for each mixture.
func (r *run) ratios(k int, d *draws) []float64 {
	c := r.counter(k)
	out := make([]float64, d.rows)
	if c != nil && c.Kind == capture.Constant {
		v := c.First().Float()
		for i := range out {
			out[i] = v
		}
		return out
	}
	for i, m := range r.sums[k].mixtures(d) {
		out[i] = m.num / m.den
		if !m.any || m.den == 0 {
			out[i] = math.NaN()
		}
	}
	return out
}

// formulas evaluates metrics for each mixture, and says what each mixture measures in seconds or units.
func (r *run) formulas(ctx context.Context, list []int, d *draws) (rows [][]float64, measure []float64, err error) {
	measure = make([]float64, d.rows)
	p := r.pool.part.cells
	for i := range measure {
		if p.per != "" {
			measure[i] = weigh(p.units, d, i)
		} else {
			measure[i] = weigh(r.pool.covered, d, i) / 1e9
		}
	}
	if len(list) == 0 {
		return nil, measure, nil
	}
	made, err := r.pool.capture(d)
	if err != nil {
		return nil, nil, err
	}
	all, err := everything(made, r.opt.Defined)
	if err != nil {
		return nil, nil, err
	}
	byName := make(map[string]*capture.Counter, len(all))
	for _, c := range all {
		if byName[c.Name] == nil {
			byName[c.Name] = c
		}
	}
	counters := make([]*capture.Counter, len(list))
	for i, k := range list {
		name := r.subjects[k].name
		der := r.counter(k).Der
		if mask := formula.Incomplete(der); mask != nil && !formula.Additive(der) {
			without, err := r.without(mask, d)
			if err != nil {
				return nil, nil, err
			}
			if counters[i], err = metrics.ResolveWith(without, r.opt.Defined, name); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", name, err)
			}
			continue
		}
		if counters[i] = byName[name]; counters[i] == nil {
			if counters[i], err = metrics.ResolveWith(made, r.opt.Defined, name); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	rows, err = metrics.Floats(ctx, counters)
	return rows, measure, err
}

// without is a capture with one sample for each mixture, made of the samples that are not in mask: those with all operands
// of a formula, so that each of its operands adds up over the same ones.
func (r *run) without(mask capture.Bits, d *draws) (*capture.Capture, error) {
	part := r.pool.part
	blanked := func(col *capture.Column) *capture.Column {
		return capture.LazyColumn(col.Len(), func() (capture.Data, error) {
			v := slices.Clone(col.Floats())
			for i := range v {
				if mask.Get(i) {
					v[i] = math.NaN()
				}
			}
			return capture.Data{F: v}, col.Err()
		})
	}
	passes := map[*capture.Pass]*capture.Pass{nil: nil}
	pass := func(p *capture.Pass) *capture.Pass {
		if _, ok := passes[p]; !ok {
			passes[p] = &capture.Pass{ID: p.ID}
			if p.Duration != nil {
				passes[p].Duration = blanked(p.Duration)
			}
		}
		return passes[p]
	}
	var blank func(c *capture.Counter) *capture.Counter
	blank = func(c *capture.Counter) *capture.Counter {
		out := c.Clone()
		if out.Kind == capture.Delta {
			out.Pass = pass(c.Pass)
			if c.Col != nil {
				out.Col = blanked(c.Col)
			}
		}
		for i, in := range out.Instances {
			out.Instances[i] = blank(in)
		}
		return out
	}
	var err error
	part.cap, err = part.cap.With(func(cfg *capture.Config) {
		cfg.Counters, cfg.Passes = make([]*capture.Counter, len(part.cap.Counters)), nil
		for k, c := range part.cap.Counters {
			cfg.Counters[k] = blank(c)
		}
		for _, p := range r.pool.part.cap.Passes {
			cfg.Passes = append(cfg.Passes, pass(p))
		}
	})
	if err != nil {
		return nil, err
	}
	p := newPool(part)
	for j := range part.cells.bins.Lo {
		for i := part.cells.bins.Lo[j]; i < part.cells.bins.Hi[j]; i++ {
			if mask.Get(i) {
				p.covered[j/part.cells.fold] -= float64(part.cap.Axis.Interval(i))
				p.merged[j/part.cells.fold] -= part.cap.Axis.Merged(i)
			}
		}
	}
	return p.capture(d)
}

// normalise divides what adds up by what was measured. extensive is what all runs agree on.
func (r *run) normalise(extensive []bool) {
	n := r.pool.part.cells.count
	_, measure, _ := r.formulas(context.Background(), nil, eachCell(n))
	for k := range r.values {
		v := &r.values[k]
		if v.extensive = extensive[k]; !v.extensive || r.sums[k] != nil {
			continue
		}
		cells := make([]float64, n)
		for i := range cells {
			cells[i] = v.cells[i] / measure[i]
		}
		v.cells, v.v = cells, v.v/v.measure
	}
}

// runSteps is how much work a run of a part is, for the meter of progress, of which preparing it is the smaller part.
const runSteps, prepareSteps = 1000, 100

// spread finds the variance of each value by the bootstrap.
func (r *run) spread(ctx context.Context) error {
	classes := map[int][]int{}
	for k := range r.values {
		v := &r.values[k]
		v.variance = math.NaN()
		present := countPresent(v.cells)
		if !r.spreads(k, present) {
			continue
		}
		b := blockLength(v.cells)
		v.blocks = present / b
		classes[b] = append(classes[b], k)
	}
	all, done := 0, 0
	for _, list := range classes {
		all += len(list)
	}
	meter := progress.From(ctx)
	if all == 0 {
		meter.Add(runSteps - prepareSteps)
	}
	for b := 1; len(classes) > 0; b *= 2 {
		list := classes[b]
		delete(classes, b)
		if len(list) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(r.seed, uint64(b)))
		d := circular(r.opt.Replicates, r.pool.part.cells.count, b, rng)
		rows, err := r.resample(ctx, list, d)
		if err != nil {
			return err
		}
		for i, k := range list {
			r.values[k].setVariance(rows[i])
		}
		was := done
		done += len(list)
		meter.Add(stepsOf(done, all) - stepsOf(was, all))
	}
	return nil
}

// spreads reports whether a subject has a value and enough cells with one to know its spread.
func (r *run) spreads(k, present int) bool {
	c, p := r.counter(k), r.pool.part.cells
	switch {
	case r.values[k].v != r.values[k].v || present < p.least():
		return false
	case c == nil:
		return p.per != "" // a whole run has one length
	}
	return c.Kind != capture.Constant
}

// stepsOf is the work of so many of all series.
func stepsOf(done, all int) int64 { return int64((runSteps - prepareSteps) * done / all) }

// resample is the value of each listed subject for each mixture.
func (r *run) resample(ctx context.Context, list []int, d *draws) ([][]float64, error) {
	out := make([][]float64, len(list))
	var derived, at []int
	for i, k := range list {
		if r.sums[k] == nil {
			derived, at = append(derived, k), append(at, i)
			continue
		}
		out[i] = r.ratios(k, d)
	}
	rows, measure, err := r.formulas(ctx, derived, d)
	if err != nil {
		return nil, err
	}
	for i, k := range derived {
		row := rows[i]
		if r.values[k].extensive {
			row = make([]float64, len(rows[i]))
			for j := range row {
				row[j] = rows[i][j] / measure[j]
			}
		}
		out[at[i]] = row
	}
	return out, nil
}

// setVariance is that of the replicates. Blocks are drawn around the mean of the data instead of the true one, which
// takes one degree of freedom. Where a tenth of the replicates has no value it stays unknown.
func (v *value) setVariance(replicates []float64) {
	if x := varianceOf(replicates, v.blocks); x == x {
		v.variance = x
	}
}

// varianceOf is that of replicates that were drawn in so many blocks, NaN where it is not known.
func varianceOf(replicates []float64, blocks int) float64 {
	present := make([]float64, 0, len(replicates))
	for _, x := range replicates {
		if x == x && !math.IsInf(x, 0) {
			present = append(present, x)
		}
	}
	if len(present)*10 < len(replicates)*9 || blocks < 2 {
		return math.NaN()
	}
	k := float64(blocks)
	return stat.Variance(present, nil) * k / (k - 1)
}

func countPresent(v []float64) int {
	n := 0
	for _, x := range v {
		if x == x && !math.IsInf(x, 0) {
			n++
		}
	}
	return n
}

// whyMissing is the reason where v is missing.
func whyMissing(c *capture.Counter, v float64) string {
	if v == v {
		return ""
	}
	if why, ok := c.Why(-1); ok && why.String() != "" {
		return why.String()
	}
	return "no value"
}

// missingShare is the fraction of samples without a value, of a metric that of its worst operand.
func missingShare(c *capture.Counter) float64 {
	if c.Der == nil {
		if c.Len() == 0 || c.Kind == capture.Constant {
			return 0
		}
		return 1 - float64(c.Count())/float64(c.Len())
	}
	worst := 0.0
	for _, op := range c.Der.Operands() {
		worst = max(worst, missingShare(op))
	}
	return worst
}
