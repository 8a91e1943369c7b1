package simulate

import (
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
)

// Columns are counters in the making: one row of exact quantities after the other goes in, and whole numbers that
// never lose a count come out.
type Columns struct {
	Axis  *capture.Axis
	names []string
	index map[string]int
	cols  []*column
}

type column struct {
	meta   capture.Meta
	values []uint64
	floats []float64 // of a gauge
	carry  float64
	parts  []string  // ids of instances
	split  []float64 // cumulative shares of the instances
	scale  uint64    // what the hardware's number was multiplied by
	pass   *capture.Pass
}

// NewColumns makes columns over an axis.
func NewColumns(axis *capture.Axis) *Columns {
	return &Columns{Axis: axis, index: map[string]int{}}
}

// Counter adds a column of whole numbers and returns its place.
func (c *Columns) Counter(m capture.Meta) int {
	c.index[m.Name] = len(c.cols)
	c.names = append(c.names, m.Name)
	c.cols = append(c.cols, &column{meta: m, values: make([]uint64, 0, c.Axis.Len()), scale: 1})
	return len(c.cols) - 1
}

// Gauge adds a column of levels.
func (c *Columns) Gauge(m capture.Meta) int {
	m.Kind = capture.Gauge
	at := c.Counter(m)
	c.cols[at].floats = make([]float64, 0, c.Axis.Len())
	return at
}

// Add appends a quantity to a column: its whole part, with what earlier rows left over, becomes the value. It panics if x is no
// number: a mistake of the model's, which would make all later values zero.
func (c *Columns) Add(at int, x float64) {
	col := c.cols[at]
	if math.IsNaN(x) {
		panic("simulate: " + col.meta.Name + " is not a number")
	}
	x = x/float64(col.scale) + col.carry
	n := math.Floor(x + 1e-9)
	if !(n > 0) {
		n = 0
	}
	col.carry = x - n
	col.values = append(col.values, uint64(n)*col.scale)
}

// Whole appends a whole number as it is, where what is left over of a row has nothing to do with the next.
func (c *Columns) Whole(at int, x float64) {
	c.cols[at].values = append(c.cols[at].values, uint64(max(0, x)))
}

// Set appends a level to a gauge.
func (c *Columns) Set(at int, x float64) { c.cols[at].floats = append(c.cols[at].floats, x) }

// Last is the value that was added last.
func (c *Columns) Last(at int) uint64 {
	v := c.cols[at].values
	return v[len(v)-1]
}

// Fix replaces the value that was added last. What is taken away is added to later rows.
func (c *Columns) Fix(at int, v uint64) {
	col := c.cols[at]
	last := &col.values[len(col.values)-1]
	v -= v % col.scale
	col.carry += float64(int64(*last)-int64(v)) / float64(col.scale)
	*last = v
}

// Limit takes from the value that was added last to a column what is above the limit.
func (c *Columns) Limit(at int, most uint64) {
	if c.Last(at) > most {
		c.Fix(at, most)
	}
}

// Scaled says that the hardware counts a column in units of so many, and that readers multiply.
func (c *Columns) Scaled(at int, by uint64) { c.cols[at].scale = by }

// Split makes a column one of instances, with the weights of their shares.
func (c *Columns) Split(at int, ids []string, weights []float64) {
	col := c.cols[at]
	sum, all := 0.0, 0.0
	for _, w := range weights {
		all += w
	}
	col.parts, col.split = ids, make([]float64, len(weights)+1)
	for i, w := range weights {
		sum += w
		col.split[i+1] = sum / all
	}
	col.split[len(weights)] = 1
}

// InPass says in which pass a column was measured.
func (c *Columns) InPass(at int, p *capture.Pass) { c.cols[at].pass = p }

// Counters makes the capture's counters. Those whose names are withheld are left out.
func (c *Columns) Counters(without []string) []*capture.Counter {
	var out []*capture.Counter
	for _, col := range c.cols {
		if slices.Contains(without, col.meta.Name) {
			continue
		}
		out = append(out, col.counter(c.Axis))
	}
	return out
}

func (col *column) counter(axis *capture.Axis) *capture.Counter {
	whole := &capture.Counter{Meta: col.meta, Axis: axis, Pass: col.pass}
	if col.floats != nil {
		whole.Col = capture.NewColumn(capture.Data{F: col.floats})
		return whole
	}
	if len(col.parts) < 2 {
		whole.Col = capture.NewColumn(capture.Data{U: col.values})
		return whole
	}
	for i, id := range col.parts {
		meta := col.meta
		meta.Instance = id
		lo, hi, values, scale := col.split[i], col.split[i+1], col.values, col.scale
		whole.Instances = append(whole.Instances, &capture.Counter{Meta: meta, Axis: axis, Pass: col.pass,
			Col: capture.LazyColumn(len(values), func() (capture.Data, error) {
				out := make([]uint64, len(values))
				for k, v := range values {
					out[k] = part(v/scale, lo, hi) * scale
				}
				return capture.Data{U: out}, nil
			})})
	}
	return whole
}

// part is an instance's share of a count. The parts of a count add up to it, and a count that is no larger than
// another has parts that are at most 1 larger.
func part(v uint64, lo, hi float64) uint64 {
	return uint64(float64(v)*hi) - uint64(float64(v)*lo)
}

// Numbers are ids "0" to n-1.
func Numbers(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}

// Near draws weights around 1, as parts of a GPU share work almost evenly.
func Near(r Random, n int, off float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1 + r.Between(-off, off)
	}
	return out
}
