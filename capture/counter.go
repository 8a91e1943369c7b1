package capture

import (
	"math"
	"slices"
	"sync/atomic"
)

// Kind says how a counter's values combine over time.
type Kind uint8

const (
	Delta    Kind = iota // events in the sample: summed
	Gauge                // a level during the sample: averaged, weighted by time
	Constant             // one value for the whole capture
	Derived              // a formula over other counters: evaluated on their aggregates
)

var kindNames = [...]string{"delta", "gauge", "constant", "derived"}

func (k Kind) String() string { return kindNames[k] }

// ParseKind is the inverse of Kind.String.
func ParseKind(s string) (Kind, bool) {
	for i, n := range kindNames {
		if n == s {
			return Kind(i), true
		}
	}
	return 0, false
}

// Combine says how a counter's instances make its value.
type Combine uint8

const (
	CombineSum Combine = iota
	CombineMean
	CombineMax
)

var combineNames = [...]string{"sum", "mean", "max"}

func (c Combine) String() string { return combineNames[c] }

// ParseCombine is the inverse of Combine.String.
func ParseCombine(s string) (Combine, bool) {
	for i, n := range combineNames {
		if n == s {
			return Combine(i), true
		}
	}
	return 0, false
}

// Meta describes a counter.
type Meta struct {
	Name     string // the vendor's variable or symbol, or the metric's slug; unique in its capture
	Title    string // the vendor's title
	Unit     string // such as "cycles", "bytes", "percent"; "" if unknown
	Doc      string // what it means, in our words
	Kind     Kind
	GPU      string // catalogue id, "" if none
	Block    string // hardware block, such as "TCP" or "shader_core"
	Instance string // physical id of an instance; "" for the whole counter
	Device   string // where a capture holds several
	Source   string // the reader that measured it, such as "perfevent"
	Expr     string // of a derived counter, in its vendor's dialect
	Inputs   []string
	Refs     []string // sections of the vendor's guide
	Aliases  []string
	// the instance of TurnShare and TurnEnabled that tells how long it counted; "" where it shares the hardware with
	// none
	TurnOf   string
	Integral bool    // a column of doubles that holds whole numbers only
	Combine  Combine // of the instances
	Guessed  bool    // nobody stated the Kind: neither file nor catalogue nor unit
}

// Pass is one measuring run of a multi-pass capture. Its durations are those of the samples in that very run.
type Pass struct {
	ID       string
	Start    *Column // ns on the source's clock, per sample; nil if unknown
	Duration *Column // ns, per sample
}

// Derivation is the formula behind a derived counter. Implementations are immutable and safe for concurrent use.
type Derivation interface {
	// Expr is the formula as the vendor or user wrote it.
	Expr() string
	// Operands are the counters that the formula reads.
	Operands() []*Counter
	// Eval evaluates samples [from, from+len(dst)) into dst, NaN where missing.
	Eval(dst []float64, from int)
	// Aggregate evaluates the formula once per bin on the aggregates of its operands.
	Aggregate(b *Bins) []float64
	// Why says why sample i (or the total, for i < 0) is missing. It is asked only where the value is missing.
	Why(i int) Reason
	// Warnings lists doubts about the result, such as operands from different passes.
	Warnings() []string
}

// Counter is one series: a raw hardware counter, one instance of it, or a metric derived from several.
// Its fields are set by whoever makes it and read-only afterwards.
type Counter struct {
	Meta
	Axis      *Axis
	Col       *Column    // measured values; nil if derived or made of instances
	Held      *Column    // these as values of a level, where Kind is guessed and Col has parts of counts; nil otherwise
	Instances []*Counter // one per physical instance; nil if there are none
	Der       Derivation // nil unless derived
	Pass      *Pass      // nil where the axis itself is the measuring interval
	Turn      *Turn      // nil where it shares the hardware with none, or that is not known
	Reasons   []ReasonRun
	Warnings  []string

	beneath *Counter // what was measured, where this is it in bins of its samples
	bins    *Bins
	kept    atomic.Pointer[kept]
}

// kept is what is computed of a counter once and kept. Most counters of a wide table are asked for none of it.
type kept struct {
	walked  atomic.Bool // its values were gone through once without being kept
	floats  onceFloats
	turns   onceBits
	summary atomic.Pointer[summary]
	bounds  atomic.Pointer[[2]Value] // of a formula that was looked through for them alone
	total   atomic.Pointer[Value]    // of a gauge, or a formula: rules of a page ask for the same ones
	brief   atomic.Bool              // see Brief; values that are at hand stay so
}

func (c *Counter) keeps() *kept {
	if k := c.kept.Load(); k != nil {
		return k
	}
	c.kept.CompareAndSwap(nil, new(kept))
	return c.kept.Load()
}

// AddInstance adds an instance. A whole whose instances are of several devices is of none of them.
func (c *Counter) AddInstance(in *Counter) {
	if in.Device != "" && in.Device != c.Device {
		c.Device = ""
	}
	c.Instances = append(c.Instances, in)
}

// Clone is a copy whose fields and list of instances may be set, sharing columns and instances.
func (c *Counter) Clone() *Counter {
	return &Counter{Meta: c.Meta, Axis: c.Axis, Col: c.Col, Held: c.Held, Instances: slices.Clone(c.Instances), Der: c.Der,
		Pass: c.Pass, Turn: c.Turn,
		Reasons: c.Reasons, Warnings: c.Warnings}
}

// OfKind is the measured counter, and each of its instances, read as another kind. guessed says that nobody stated it.
// The instances of a level have a mean, those of a count a sum.
func (c *Counter) OfKind(k Kind, guessed bool) *Counter {
	out := c.Clone()
	out.Kind, out.Guessed = k, guessed
	if k == Gauge && c.Held != nil {
		out.Col, out.Held = c.Held, nil
	}
	switch {
	case k == Gauge && len(c.Instances) > 0 && c.Combine == CombineSum:
		out.Combine = CombineMean
	case k == Delta && c.Combine == CombineMean:
		out.Combine = CombineSum
	}
	for i, in := range c.Instances {
		out.Instances[i] = in.OfKind(k, guessed)
	}
	return out
}

// Len is the number of samples.
func (c *Counter) Len() int { return c.Axis.Len() }

// ReadFloats puts samples [from, from+len(dst)) into dst as doubles, NaN where missing.
// It allocates nothing for a raw column of doubles or integers.
func (c *Counter) ReadFloats(dst []float64, from int) {
	switch {
	case c.Col != nil:
		c.Col.ReadFloats(dst, from)
	case c.Der != nil:
		c.Der.Eval(dst, from)
	default:
		c.readInstances(dst, from)
	}
}

// Floats returns every sample as a double, NaN where missing. The slice may be shared: do not write to it. A measured
// column is the slice itself or converted afresh; only what costs more than a conversion to compute is kept.
func (c *Counter) Floats() []float64 {
	if c.Col != nil {
		return c.Col.Floats()
	}
	return c.keeps().floats.get(func() []float64 {
		out := make([]float64, c.Len())
		EachBlock(len(out), func(lo, hi int) { c.ReadFloats(out[lo:hi], lo) })
		return out
	})
}

// Forget lets go of the values that Floats keeps of a formula, which a metric's own owner may hold for as long as the
// capture is open.
func (c *Counter) Forget() {
	if k := c.kept.Load(); k != nil {
		k.floats.drop()
	}
}

// Value returns sample i, an exact integer where the column holds integers.
func (c *Counter) Value(i int) Value {
	if c.Col != nil {
		var one [1]uint64
		d := c.Col.Stretch(i, i+1, one[:])
		if d.Missing(0) {
			return Value{}
		}
		if d.U != nil {
			return IntValue(d.U[0])
		}
		return c.floatValue(d.F[0])
	}
	if c.Der == nil && len(c.Instances) > 0 && c.Combine == CombineSum {
		if v, ok := c.sumInstances(i); ok {
			return v
		}
	}
	var one [1]float64
	c.ReadFloats(one[:], i)
	return c.floatValue(one[0])
}

func (c *Counter) floatValue(f float64) Value {
	if math.IsNaN(f) {
		return Value{}
	}
	if c.Integral && f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		return Value{kind: valInt, F: f, Lo: uint64(int64(math.Abs(f))), neg: f < 0}
	}
	return FloatValue(f)
}

// Interval is the measuring time of each sample in ns: the pass's own where there is one.
func (c *Counter) Interval(i int) float64 {
	if c.Pass != nil && c.Pass.Duration != nil {
		return c.Pass.Duration.Data().Float(i)
	}
	return float64(c.Axis.Interval(i))
}

// briefValues is how many values are gone through in a millisecond or two, whatever is made of them; briefColumn is what
// a column takes beside its values.
const (
	briefValues = 1 << 16
	briefColumn = 16
)

// Brief reports whether anything that goes through the counter's values once takes some milliseconds at most: they are
// few, and they are at hand.
func (c *Counter) Brief() bool {
	k := c.keeps()
	if !k.brief.Load() {
		left := briefValues
		k.brief.Store(c.brief(&left))
	}
	return k.brief.Load()
}

func (c *Counter) brief(left *int) bool {
	if *left -= c.Len() + briefColumn; *left < 0 {
		return false
	}
	if c.Col != nil && !c.Col.atHand() {
		return false
	}
	if c.Pass != nil && c.Pass.Duration != nil && !c.Pass.Duration.atHand() {
		return false
	}
	for _, in := range c.Instances {
		if !in.brief(left) {
			return false
		}
	}
	if c.Der != nil {
		for _, o := range c.Der.Operands() {
			if !o.brief(left) {
				return false
			}
		}
	}
	return true
}
