package top

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/units"
)

// history is how many values of a row are kept, one for each refresh.
const history = 600

// Row is a counter or metric.
type Row struct {
	Name, Title, Unit, Device string
	Metric                    bool
	Value                     float64   // over the last refresh; NaN is missing
	Why                       string    // why it is missing
	Past                      []float64 // the last values, the newest at the end
	Lo, Hi                    float64   // of all values since the start
	Marked                    bool
	Open                      bool   // its parts are measured and shown too
	Parts                     []*Row // its instances: devices, processors, cores

	order, parts int // place among the rows, and how many instances it has
}

// Scale is the range of the row's bar: that of percentages is known, that of others is what has been seen.
func (r *Row) Scale() (lo, hi float64) {
	if whole, ok := units.Convert(r.Unit, "%"); ok && whole.Identity() && r.Unit != "" {
		return 0, max(100, r.Hi)
	}
	return min(r.Lo, 0), max(r.Hi, 0)
}

// Share is the place of the value in the scale; NaN where it is missing.
func (r *Row) Share() float64 {
	lo, hi := r.Scale()
	switch {
	case r.Value != r.Value:
		return math.NaN()
	case !(hi > lo):
		return 0
	}
	return r.Value/(hi-lo) - lo/(hi-lo)
}

// Text is the value with its unit.
func (r *Row) Text() string {
	if r.Value != r.Value {
		return "missing"
	}
	return notation.Quantity(r.Value, r.Unit)
}

// Board holds the rows.
type Board struct {
	Rows       []*Row
	From, To   int64 // ns of the recording that the values are of
	Samples    int   // since the start
	Lost       int   // samples that were never shown
	Late, Gaps int   // stretches with missed ticks, and without data
	GPU        string
	byName     map[string]*Row
}

// NewBoard returns a board without rows.
func NewBoard() *Board { return &Board{byName: map[string]*Row{}} }

// Add makes the values of samples that were taken. A count becomes a rate by the time its samples cover, a level its
// mean over that time, and a metric its formula on the totals.
func (b *Board) Add(c *capture.Capture, lost int) error {
	b.Lost += lost
	if c == nil || c.Len() == 0 {
		return nil
	}
	c, err := metrics.Describe(c)
	if err != nil {
		return err
	}
	derived, err := metrics.Metrics(c)
	if err != nil {
		return err
	}
	b.From, b.To, b.GPU = c.Axis.Start[0], slices.Max(c.Axis.End), c.GPU
	b.Samples += c.Len()
	b.Late, b.Gaps = b.Late+len(c.Late), b.Gaps+len(c.Gaps)
	seen := map[*Row]bool{}
	add := func(m *capture.Counter, metric bool) {
		if m.Kind == capture.Constant {
			return
		}
		v, unit := Value(m)
		r := b.row(m, unit, metric)
		seen[r], r.parts = true, len(m.Instances)
		r.push(v, why(m, v))
		if !r.Open { // there may be hundreds, which nobody looks at
			return
		}
		for _, in := range m.Instances {
			v, unit := Value(in)
			p := r.part(instanceName(m.Name, in), unit, metric)
			seen[p] = true
			p.push(v, why(in, v))
		}
	}
	for _, m := range derived {
		add(m, true)
	}
	for _, m := range c.Counters {
		add(m, false)
	}
	for r := range b.each {
		if !seen[r] {
			r.push(math.NaN(), "no sample of it in this time")
		}
	}
	return nil
}

// instanceName is what an instance of a counter is called.
func instanceName(name string, in *capture.Counter) string {
	if in.Name != name || in.Meta.Instance == "" {
		return in.Name
	}
	return name + "[" + in.Meta.Instance + "]"
}

// why is the reason for a value that is missing.
func why(m *capture.Counter, v float64) string {
	if v == v {
		return ""
	}
	if reason, ok := m.Why(-1); ok {
		return reason.String()
	}
	return ""
}

// each goes through all rows and their parts.
func (b *Board) each(yield func(*Row) bool) {
	for _, r := range b.Rows {
		if !yield(r) {
			return
		}
		for _, p := range r.Parts {
			if !yield(p) {
				return
			}
		}
	}
}

// find is the row of that name; nil where there is none.
func (b *Board) find(name, device string) *Row {
	for r := range b.each {
		if r.Name == name && r.Device == device {
			return r
		}
	}
	return nil
}

// part is the row of an instance.
func (r *Row) part(name, unit string, metric bool) *Row {
	for _, p := range r.Parts {
		if p.Name == name {
			return p
		}
	}
	p := &Row{Name: name, Unit: unit, Device: r.Device, Metric: metric, Lo: math.Inf(1), Hi: math.Inf(-1)}
	r.Parts = append(r.Parts, p)
	return p
}

// Value is what is shown of a counter over all of its samples, and its unit. A count of any kind is divided by the time
// that its samples cover.
func Value(m *capture.Counter) (float64, string) {
	v := m.Total().Float()
	if level, known := units.IsLevel(m.Unit); m.Kind == capture.Gauge || m.Kind == capture.Derived && (level || !known) {
		return v, m.Unit
	}
	seconds := float64(m.Axis.Measured()) / 1e9
	if !(seconds > 0) {
		return math.NaN(), m.Unit + "/s"
	}
	return v / seconds, m.Unit + "/s"
}

func (b *Board) row(m *capture.Counter, unit string, metric bool) *Row {
	key := m.Device + "\x00" + m.Name
	r := b.byName[key]
	if r == nil {
		r = &Row{Name: m.Name, Title: m.Title, Unit: unit, Device: m.Device, Metric: metric, Lo: math.Inf(1),
			Hi: math.Inf(-1), order: len(b.Rows)}
		b.byName[key] = r
		b.Rows = append(b.Rows, r)
	}
	return r
}

func (r *Row) push(v float64, why string) {
	if math.IsInf(v, 0) {
		v, why = math.NaN(), "the value is infinite"
	}
	r.Value, r.Why = v, why
	if v == v {
		r.Lo, r.Hi = min(r.Lo, v), max(r.Hi, v)
	}
	if len(r.Past) == history {
		copy(r.Past, r.Past[1:])
		r.Past = r.Past[:history-1]
	}
	r.Past = append(r.Past, v)
}

// measured reports whether the row ever had a value.
func (r *Row) measured() bool { return r.Lo <= r.Hi }

// Order is how rows are sorted.
type Order uint8

const (
	AsRecorded Order = iota // metrics, then counters, as the source has them
	ByName
	ByShare  // the fullest bar first
	ByChange // what changed most since the value before, by the length of its bar
	orders
)

func (o Order) String() string { return [...]string{"as recorded", "name", "bar", "change"}[o] }

// change is by how much of the bar the value differs from the one before it.
func (r *Row) change() float64 {
	if len(r.Past) < 2 {
		return 0
	}
	lo, hi := r.Scale()
	if d := math.Abs(r.Past[len(r.Past)-1]-r.Past[len(r.Past)-2]) / (hi - lo); d == d {
		return d
	}
	return 0
}

// Listing chooses rows and their order.
type Listing struct {
	Order  Order
	Search string // part of the name, title, unit or device, in either case
	Marked bool   // only rows that were chosen
}

// List returns the rows to show. What never had a value comes last.
func (b *Board) List(l Listing) []*Row {
	want := strings.ToLower(l.Search)
	fits := func(r *Row) bool {
		text := strings.ToLower(r.Name + " " + r.Title + " " + r.Unit + " " + r.Device)
		return strings.Contains(text, want) && (r.Marked || !l.Marked)
	}
	var out []*Row
	for _, r := range b.Rows {
		if fits(r) || r.Open && slices.ContainsFunc(r.Parts, fits) {
			out = append(out, r)
		}
	}
	least := func(v float64) float64 {
		if v != v {
			return -1
		}
		return v
	}
	slices.SortStableFunc(out, func(x, y *Row) int {
		if x.measured() != y.measured() {
			if x.measured() {
				return -1
			}
			return 1
		}
		switch l.Order {
		case ByName:
			return cmp.Or(strings.Compare(x.Name, y.Name), strings.Compare(x.Device, y.Device))
		case ByShare:
			return cmp.Compare(least(y.Share()), least(x.Share()))
		case ByChange:
			return cmp.Compare(y.change(), x.change())
		}
		return cmp.Compare(x.order, y.order)
	})
	for i := len(out) - 1; i >= 0; i-- {
		if r := out[i]; r.Open {
			out = slices.Insert(out, i+1, r.Parts...)
		}
	}
	return out
}

// Frozen is a copy of the board that further samples do not change.
func (b *Board) Frozen() *Board {
	out := *b
	out.Rows = make([]*Row, len(b.Rows))
	for i, r := range b.Rows {
		out.Rows[i] = r.frozen()
	}
	return &out
}

func (r *Row) frozen() *Row {
	out := *r
	out.Past = slices.Clone(r.Past)
	out.Parts = make([]*Row, len(r.Parts))
	for i, p := range r.Parts {
		out.Parts[i] = p.frozen()
	}
	return &out
}
