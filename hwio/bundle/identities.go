package bundle

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// JudgeCapture says which identities of the hardware and the kernel hold in a recording.
func JudgeCapture(ctx context.Context, c *capture.Capture) []Check {
	j := &judging{}
	j.counts(c)
	j.identities(ctx, c)
	return j.out
}

// identities judges every row of the table that is about counters of the capture.
func (j *judging) identities(ctx context.Context, c *capture.Capture) {
	rows, err := identities()
	if err != nil {
		j.add("", "identities", false, "the table cannot be read: %v", err)
		return
	}
	if n := c.Len(); n > ends && c.Axis.Start[1] < c.Axis.Start[n-1] {
		// Sources begin and end one after the other.
		if inner, err := c.Slice(c.Axis.Start[1], c.Axis.Start[n-1]); err == nil {
			c = inner
		}
	}
	var catalogues []string
	for _, cat := range metrics.For(c) {
		catalogues = append(catalogues, cat.ID())
	}
	from := len(j.out)
	for i := range rows {
		row := &rows[i]
		if !row.of(catalogues) {
			continue
		}
		switch {
		case ctx.Err() != nil:
			return
		case row.gauges != "":
			j.gauges(row, c)
		case row.shares:
			j.shares(row, c)
		case row.wraps != nil:
			j.wraps(row, c)
		case row.units != nil:
			j.countsIn(row, c)
		case row.parts != "":
			j.partsOf(row, c)
		default:
			j.compared(row, c)
		}
	}
	// Products differ in what they have: of rows of one name those that can be judged are enough.
	judged := slices.Clone(j.out[from:])
	j.out = append(j.out[:from], slices.DeleteFunc(slices.Clone(judged), func(x Check) bool {
		return x.Verdict == Undecided && slices.ContainsFunc(judged, func(y Check) bool {
			return y.Name == x.Name && y.Verdict != Undecided
		})
	})...)
}

// lateness is how long the program was held up at most, in ns: then the sample is longer than others are.
func lateness(a *capture.Axis) float64 {
	lengths := make([]int64, a.Len())
	for i := range lengths {
		lengths[i] = a.End[i] - a.Start[i]
	}
	if len(lengths) == 0 {
		return 0
	}
	slices.Sort(lengths)
	return float64(lengths[len(lengths)-1] - lengths[len(lengths)/2])
}

// ends is how many samples a recording must have for its first and last to be left out.
const ends = 10

// verdict is what came of one row.
type verdict struct {
	row     *identity
	judged  int     // comparisons
	broken  int     // of them
	nearest float64 // how near the left side comes to the right, as a share; of equality the largest difference
	worst   string  // the comparison that is broken most
	excess  float64 // of that
	missing string  // why there is nothing to compare
	late    float64 // what is added to the tolerance
}

// hold compares two values; what names them.
func (v *verdict) hold(l, r float64, what func() string) {
	if math.IsNaN(l) || math.IsNaN(r) {
		return
	}
	v.judged++
	size := max(math.Abs(l), math.Abs(r))
	over := l - r
	if v.row.equal {
		over = math.Abs(over)
		if size > 0 {
			v.nearest = max(v.nearest, over/size)
		}
	} else if r > 0 {
		v.nearest = max(v.nearest, l/r)
	}
	if over > v.row.relative*size+v.row.absolute+v.late {
		v.broken++
		if share := over / size; share > v.excess || v.worst == "" {
			v.excess, v.worst = share, what()
		}
	}
}

// judged adds the verdict; of names the measured counters.
func (j *judging) judged(v *verdict, name, of string) {
	switch {
	case v.judged == 0:
		j.open("", name, "%s: %s", v.row.text, v.missing)
	case v.broken > 0:
		j.add("", name, false, "%s is broken %d of %d times, the most %s%s", v.row.text, v.broken, v.judged, v.worst, of)
	case v.row.equal:
		j.add("", name, true, "%s: the most that they differ by is %.3g %%", v.row.text, 100*v.nearest)
	default:
		j.add("", name, true, "%s: the most is %.3g %% of it", v.row.text, 100*v.nearest)
	}
}

// compared judges two formulas.
func (j *judging) compared(row *identity, c *capture.Capture) {
	lefts := []string{row.left}
	if strings.Contains(row.left, "*") && !strings.Contains(row.left, " ") {
		lefts = nil
		for _, x := range c.Counters {
			if ok, _ := path.Match(row.left, x.Name); ok {
				lefts = append(lefts, x.Name)
			}
		}
	}
	v := &verdict{row: row}
	if row.late {
		v.late = lateness(c.Axis)
	}
	var measured []string
	for _, expr := range lefts {
		// Each side is evaluated where both are there, and of an instance with what is a constant of that instance.
		left, err := metrics.Eval(c, fmt.Sprintf("streamline: (%s) + 0 * (%s)", expr, row.right), capture.Meta{})
		if err != nil {
			return // the product has no such counter
		}
		right, err := metrics.Eval(c, fmt.Sprintf("streamline: (%s) + 0 * (%s)", row.right, expr), capture.Meta{})
		if err != nil {
			return
		}
		alone, err := metrics.Eval(c, "streamline: "+expr, capture.Meta{})
		if err != nil || len(inputs([]*capture.Counter{alone}, nil)) == 0 {
			continue // it is of a source that was not recorded
		}
		before := v.broken
		v.sides(left, right)
		if v.broken > before || len(lefts) == 1 {
			measured = inputs([]*capture.Counter{left, right}, measured)
		}
	}
	of := ""
	if len(measured) > 0 {
		of = "; measured were " + strings.Join(measured, ", ")
	}
	if v.judged > 0 || v.missing != "" {
		j.judged(v, row.name, of)
	}
}

// sides compares two counters, or each of their instances.
func (v *verdict) sides(left, right *capture.Counter) {
	judged := v.judged
	switch {
	case v.row.each && len(left.Instances) == 0:
		v.missing = "it holds of the parts, and there are none"
	case !v.row.all && len(left.Instances) == 0 && hasParts(left):
		v.missing = "its counters have other parts"
	case v.row.all || len(left.Instances) == 0:
		v.pair(left, right)
	default:
		for _, in := range left.Instances {
			other := right
			if len(right.Instances) > 0 {
				if other = right.Instance(in.Meta.Instance); other == nil {
					continue
				}
			}
			v.pair(in, other)
		}
	}
	if v.judged == judged && v.missing == "" {
		for _, x := range []*capture.Counter{left, right} {
			if why, ok := x.Why(-1); ok {
				v.missing = why.Text
			}
		}
	}
}

// inputs are the names of the measured counters below counters that a formula makes.
func inputs(counters []*capture.Counter, have []string) []string {
	for _, c := range counters {
		if c.Der != nil {
			have = inputs(c.Der.Operands(), have)
		} else if !slices.Contains(have, c.Name) {
			have = append(have, c.Name)
		}
	}
	return have
}

// hasParts reports whether something that a formula reads has instances.
func hasParts(c *capture.Counter) bool {
	return c.Der != nil && slices.ContainsFunc(c.Der.Operands(), func(o *capture.Counter) bool {
		return len(o.Instances) > 0
	})
}

// pair compares two counters sample by sample, their totals, or how far they went.
func (v *verdict) pair(l, r *capture.Counter) {
	of := ""
	if id := l.Meta.Instance; id != "" {
		of = " of instance " + id
	}
	say := func(where string, x, y float64) func() string {
		return func() string { return fmt.Sprintf("%s%s, %.6g against %.6g", where, of, x, y) }
	}
	if takesTurns(l) || takesTurns(r) {
		v.missing = "counters took turns on the hardware, and their counts are estimates"
		return
	}
	if v.row.over == "total" {
		x, y := l.Total().Float(), r.Total().Float()
		v.hold(x, y, say("in all", x, y))
		return
	}
	switch x, y := l.Floats(), r.Floats(); v.row.over {
	case "span":
		a, b := span(x, y)
		v.hold(a, b, say("from the first value to the last", a, b))
	case "updates":
		a, least, most := updates(x, y, r.Axis)
		b := min(max(a, least), most)
		v.hold(a, b, say("from the first update to the last", a, b))
	default:
		for i := range x {
			v.hold(x[i], y[i], say(fmt.Sprintf("in sample %d", i), x[i], y[i]))
		}
	}
}

// span is how far values of a pair of clocks went, but for steps at which one of them wrapped; NaN where they did not
// move.
func span(x, y []float64) (a, b float64) {
	last := -1
	for i := range x {
		if x[i] != x[i] || y[i] != y[i] {
			continue
		}
		if last >= 0 && x[i] >= x[last] && y[i] >= y[last] {
			a, b = a+x[i]-x[last], b+y[i]-y[last]
		}
		last = i
	}
	if a == 0 && b == 0 {
		return math.NaN(), math.NaN()
	}
	return a, b
}

// longUpdate is the time between two updates from which the levels at both ends say little of what was between them, in ns.
const longUpdate = 250e6

// updates is the sum of x, a count that its device brings up to date now and then, from one such time to another, and
// between what y comes to there; NaN where there are not two such times. y is a level times the length of a sample, and
// the level is read where the count is: meanwhile it was between those of both ends, or, where they are far apart, any
// that was seen.
func updates(x, y []float64, axis *capture.Axis) (a, least, most float64) {
	var at []int
	level := make([]float64, 0, len(y))
	low, high := math.Inf(1), math.Inf(-1)
	for i := range x {
		level = append(level, y[i]/float64(axis.End[i]-axis.Start[i]))
		if math.IsNaN(level[i]) {
			continue
		}
		low, high = min(low, level[i]), max(high, level[i])
		if x[i] > 0 {
			at = append(at, i)
		}
	}
	if len(at) < 2 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	for k := 1; k < len(at); k++ {
		length, from, to := 0.0, level[at[k]], level[at[k]]
		for i := at[k-1]; i <= at[k]; i++ {
			if math.IsNaN(level[i]) {
				continue
			}
			from, to = min(from, level[i]), max(to, level[i])
			if i > at[k-1] {
				length += float64(axis.End[i] - axis.Start[i])
			}
		}
		if length > longUpdate {
			from, to = low, high
		}
		a, least, most = a+x[at[k]], least+from*length, most+to*length
	}
	return a, least, most
}

// takesTurns reports whether something below a counter shared the hardware with others.
func takesTurns(c *capture.Counter) bool {
	if c.Der != nil {
		return slices.ContainsFunc(c.Der.Operands(), takesTurns)
	}
	return c.Turns() != nil
}

// gauges judges all gauges of a unit.
func (j *judging) gauges(row *identity, c *capture.Capture) {
	v := &verdict{row: row}
	columns := 0
	eachColumn(c, func(m *capture.Meta, name string, col *capture.Column) {
		if m.Kind != capture.Gauge || m.Guessed || !metrics.SameUnit(m.Unit, row.gauges) {
			return
		}
		columns++
		d := col.Data()
		for i := range d.Len() {
			x := d.Float(i)
			if x == 0 || math.IsNaN(x) {
				continue
			}
			v.hold(max(x-row.to, row.from-x), row.relative*row.to, func() string {
				return fmt.Sprintf("%s[%s] in sample %d, %.6g", name, m.Instance, i, x)
			})
		}
	})
	if columns == 0 {
		return
	}
	switch {
	case v.broken > 0:
		j.add("", row.name, false, "%s is broken by %d of %d values, the most by %s", row.text, v.broken, v.judged, v.worst)
	default:
		j.add("", row.name, true, "%s: %d values of %d gauges", row.text, v.judged, columns)
	}
}

// partsOf judges how many instances a block has.
func (j *judging) partsOf(row *identity, c *capture.Capture) {
	want, err := metrics.Eval(c, row.right, capture.Meta{})
	if err != nil {
		return
	}
	fewest, where := 0, ""
	for _, x := range c.Counters {
		if n := len(x.Instances); (x.Block == row.parts || x.Name == row.parts) && (where == "" || n < fewest) {
			fewest, where = n, x.Name
		}
	}
	n := want.Total().Float()
	switch {
	case where == "" || math.IsNaN(n):
	case fewest == 0 && n != 1:
		j.open("", row.name, "%s: %s has no parts", row.text, where)
	default:
		j.add("", row.name, max(1, fewest) == int(n), "%s: %d of %s, and %g should be", row.text, max(1, fewest), where, n)
	}
}

// countsIn judges all counts of some units, and all metrics, by what bounds them.
func (j *judging) countsIn(row *identity, c *capture.Capture) {
	most, err := metrics.Eval(c, "streamline: "+row.right, capture.Meta{})
	if err != nil {
		return
	}
	bound := most.Total().Float()
	v := &verdict{row: row}
	var made []*capture.Counter
	if len(row.blocks) == 0 {
		made, _ = metrics.Metrics(c) // those that can be made
	}
	for _, x := range slices.Concat(c.Counters, made) {
		elsewhere := len(row.blocks) > 0 && !slices.Contains(row.blocks, x.Block)
		if !slices.Contains(row.units, x.Unit) || elsewhere || x.Guessed || x.Der == nil && x.Kind != capture.Delta {
			continue
		}
		total := x.Total().Float()
		v.hold(total, bound, func() string {
			return fmt.Sprintf("%s, %.6g in all against %.6g, measured were %s", x.Name, total, bound,
				strings.Join(inputs([]*capture.Counter{x}, nil), ", "))
		})
	}
	if v.judged > 0 {
		j.judged(v, row.name, "")
	}
}

// wraps looks for single values that stand about a power of two above all others: a register of that width that wrapped
// and was read as if it had not, or had not and was read as if it had.
func (j *judging) wraps(row *identity, c *capture.Capture) {
	columns, bad, worst := 0, 0, ""
	eachColumn(c, func(m *capture.Meta, name string, col *capture.Column) {
		if m.Kind != capture.Delta || !col.Integers() {
			return
		}
		columns++
		d := col.Data()
		for _, bits := range row.wraps {
			whole := uint64(1) << bits
			most, suspects, at := uint64(0), 0, 0
			for i, v := range d.U {
				if d.Missing(i) {
					continue
				}
				if v >= whole/2 && v < 2*whole {
					suspects, at = suspects+1, i
				} else if v < whole/2 {
					most = max(most, v)
				}
			}
			// Counts that come near the width by themselves have neighbours on the way there.
			if suspects == 0 || suspects > 1+len(d.U)/20 || most > whole/256 || d.U[at] < whole-whole/256 ||
				d.U[at] > whole+whole/256 {
				continue
			}
			bad++
			worst = fmt.Sprintf("%s[%s] in sample %d, %d where others are at most %d", name, m.Instance, at, d.U[at], most)
		}
	})
	if columns == 0 {
		return
	}
	text := fmt.Sprintf("%s: %d of %d counters have some", row.text, bad, columns)
	if bad > 0 {
		text += ", such as " + worst
	}
	j.add("", row.name, bad == 0, "%s", text)
}

// clamped are what some makers put around shares, which hides that counters do not fit together.
var clamped = [2]string{"max(min(", ", 100), 0)"}

// shares judges the metrics of the capture's catalogues that are shares of a whole.
func (j *judging) shares(row *identity, c *capture.Capture) {
	v := &verdict{row: row}
	roles, _ := metrics.Roles(c, "") // of every kind
	for _, role := range roles {
		x, err := metrics.Resolve(c, role)
		if err != nil || !metrics.SameUnit(x.Unit, "percent") {
			continue
		}
		expr := strings.Join(strings.Fields(x.Expr), " ")
		if rest, ok := strings.CutPrefix(expr, clamped[0]); ok {
			if inner, ok := strings.CutSuffix(rest, clamped[1]); ok {
				if y, err := metrics.Eval(c, inner, capture.Meta{Unit: x.Unit}); err == nil {
					x = y
				}
			}
		}
		whole := x.Total().Float()
		v.hold(whole, 100, func() string {
			return fmt.Sprintf("%s, %.4g %%, of %s", role, whole, strings.Join(inputs([]*capture.Counter{x}, nil), ", "))
		})
	}
	if v.judged > 0 {
		j.judged(v, row.name, "")
	}
}
