package metrics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// scope resolves names for one capture. It is made for one call and keeps what that call derives, so that formulas
// compiled together share their operands.
type scope struct {
	cap   *capture.Capture
	cats  []*Catalogue
	defs  []*Entry // metrics that the user defined
	own   []*Entry // metrics that only the capture can tell of; nil before it is asked
	sel   *selection
	depth int // of metrics that read metrics

	subsets   map[*capture.Counter]*capture.Counter
	scalars   map[*capture.Counter]*capture.Counter
	durations map[*capture.Pass]*capture.Counter
	kernels   *capture.Counter
	metrics   map[*Entry]*capture.Counter
	labels    map[*capture.Label]*capture.Counter
	ranges    map[instances]*capture.Counter
	units     *formula.Operand // see activeUnits
	device    *hardware
	sets      map[*Catalogue][]*MetricSet // that the capture was measured with
	turns     map[turn]*capture.Counter
	anywhere  map[*Entry]*Entry           // metrics without their condition, see wherever
	bases     map[*Entry]*Entry           // the entries that others were made of for the capture's hardware
	standIns  map[*Entry]*capture.Counter // columns under names of another kind; nil before it is asked for
	present   map[*Entry]*Entry           // see ofPresent
}

// hardware is the generation and API of the capture, for catalogues whose formulas depend on them.
func (s *scope) hardware() hardware {
	if s.device == nil {
		h := hardwareOf(s.cap)
		s.device = &h
	}
	return *s.device
}

// selection restricts counters to some of their instances.
type selection struct {
	ids    []string
	single bool   // one instance, not a subset
	label  string // what is appended to names, such as ".Cluster[0]"
}

func newScope(cap *capture.Capture, defs []*Entry) *scope {
	return &scope{cap: cap, cats: For(cap), defs: defs,
		subsets: map[*capture.Counter]*capture.Counter{}, scalars: map[*capture.Counter]*capture.Counter{},
		durations: map[*capture.Pass]*capture.Counter{}, metrics: map[*Entry]*capture.Counter{},
		sets: map[*Catalogue][]*MetricSet{}, bases: map[*Entry]*Entry{}, labels: map[*capture.Label]*capture.Counter{},
		ranges: map[instances]*capture.Counter{}, turns: map[turn]*capture.Counter{},
		anywhere: map[*Entry]*Entry{}, present: map[*Entry]*Entry{}}
}

// metricsOfCapture are those that conventions make of what the capture says about its counters.
func (s *scope) metricsOfCapture() []*Entry {
	if s.own == nil {
		s.own = []*Entry{}
		for _, c := range conventions {
			s.own = append(s.own, c.metrics(s)...)
		}
	}
	return s.own
}

// restricted is the same scope for some instances only.
func (s *scope) restricted(sel *selection) *scope {
	out := newScope(s.cap, s.defs)
	out.cats, out.sel, out.depth = s.cats, sel, s.depth
	return out
}

// maxMetricDepth bounds metrics that read metrics that read metrics.
const maxMetricDepth = 16

// formulaEnv resolves the names of one formula.
type formulaEnv struct {
	s     *scope
	expr  *formula.Expr
	entry *Entry   // the metric that the formula belongs to; nil for a user's expression
	notes []string // doubts about what was resolved

	unavailable *capture.Reason // why the metric has no value here, whatever was measured
}

func (v *formulaEnv) note(format string, args ...any) {
	if w := fmt.Sprintf(format, args...); !slices.Contains(v.notes, w) {
		v.notes = append(v.notes, w)
	}
}

func missing(code capture.ReasonCode, format string, args ...any) formula.Operand {
	return formula.Operand{MissingReason: &capture.Reason{Code: code, Text: fmt.Sprintf(format, args...)}}
}

func constant(v float64) formula.Operand { return formula.Operand{Const: v, IsConst: true} }

// Lookup resolves a name: what a convention gives a meaning to, a counter, a property of the capture, a metric.
func (v *formulaEnv) Lookup(name string, dollar bool) (formula.Operand, error) {
	s := v.s
	if v.unavailable != nil {
		return formula.Operand{MissingReason: v.unavailable}, nil
	}
	for _, c := range conventions {
		if op, known, err := c.before(v, name, dollar); known || err != nil {
			return op, err
		}
	}
	if c := s.inTurn(s.raw(name), v.entry); c != nil {
		return v.measured(c, v.misfit(name, c), dollar), nil
	}
	if v.entry != nil && dollar {
		if other := v.entry.sibling(name); other != nil {
			c, err := s.counter(s.wherever(other))
			return formula.Operand{Counter: c}, err
		}
	}
	for _, c := range conventions {
		if op, known, err := c.after(v, name, dollar); known || err != nil {
			return op, err
		}
	}
	if x, ok := s.property(name); ok {
		return constant(x), nil
	}
	if e, err := s.find(name); err == nil && !e.IsMetric() {
		if c := s.inTurn(s.collected(e), v.entry); c != nil {
			return v.measured(c, misfit(c, e), dollar), nil
		}
		for _, alias := range e.Aliases {
			if x, ok := s.property(alias); ok {
				return constant(x), nil
			}
		}
		if e.Kind == capture.Constant {
			if e.assumed != nil {
				v.note("%s", e.assumption())
				return constant(*e.assumed), nil
			}
			return missing(capture.NotCollected, "the capture does not say $%s", e.Name), nil
		}
		return missing(capture.NotCollected, "%s was not collected", e.Name), nil
	}
	c, err := s.addressed(name, v.entry)
	if err == nil {
		return formula.Operand{Counter: c}, nil
	}
	if v.entry == nil || v.entry.defined {
		return formula.Operand{}, err
	}
	if dollar {
		return missing(capture.NotCollected, "the capture does not say $%s", name), nil
	}
	return missing(capture.NotCollected, "%s was not collected", name), nil
}

// measured is the operand of a measured counter; why tells that it does not fit, nil where it does.
func (v *formulaEnv) measured(c *capture.Counter, why *capture.Reason, dollar bool) formula.Operand {
	if why == nil {
		c, why = v.inRun(c)
	}
	if why != nil {
		return formula.Operand{MissingReason: why}
	}
	return formula.Operand{Counter: v.scalar(c, dollar)}
}

// misfit is why a metric of a catalogue cannot read a measured counter of that name; nil where it can. A user's
// expression reads what it names.
func (v *formulaEnv) misfit(name string, c *capture.Counter) *capture.Reason {
	if v.entry == nil || v.entry.defined || c.Unit == "" {
		return nil
	}
	for _, cat := range v.s.cats {
		if e := cat.entryOf(c); e != nil && cat.id == v.entry.GPU {
			return misfit(c, e)
		}
	}
	return nil
}

// scalar makes a constant of a column that holds one value for the whole capture, such as cu_per_gpu: a constant does
// not add up over samples.
func (v *formulaEnv) scalar(c *capture.Counter, dollar bool) *capture.Counter {
	means := func(a convention) bool { return a.scalar(v, c, dollar) }
	if c.Kind != capture.Delta || c.Col == nil || !slices.ContainsFunc(conventions, means) {
		return c
	}
	if have, ok := v.s.scalars[c]; ok {
		return have
	}
	out := &capture.Counter{Meta: c.Meta, Axis: c.Axis, Col: c.Col, Reasons: c.Reasons, Warnings: c.Warnings}
	out.Kind = capture.Constant
	v.s.scalars[c] = out
	return out
}

// raw returns a measured counter by its exact name, restricted to the selected instances.
func (s *scope) raw(name string) *capture.Counter {
	c := s.cap.Counter(name)
	if c == nil {
		if base, id, ok := cutInstance(name); ok && s.sel == nil {
			if c := s.cap.Counter(base); c != nil {
				if from, to, ok := instanceRange(id); ok {
					return s.someInstances(c, from, to)
				}
				return c.Instance(id)
			}
		}
		return nil
	}
	return s.selected(c)
}

// instanceRange takes "0..15" apart, which in formulas stands for the sum of these instances.
func instanceRange(id string) (from, to int, ok bool) {
	first, last, ok := strings.Cut(id, "..")
	if !ok {
		return 0, 0, false
	}
	from, err := strconv.Atoi(first)
	if err != nil {
		return 0, 0, false
	}
	to, err = strconv.Atoi(last)
	return from, to, err == nil && 0 <= from && from <= to
}

// someInstances is the sum of the instances from to to, nil where one of them was not measured.
func (s *scope) someInstances(c *capture.Counter, from, to int) *capture.Counter {
	label := fmt.Sprintf("[%d..%d]", from, to)
	key := instances{c, from, to}
	if sum, ok := s.ranges[key]; ok {
		return sum
	}
	sum := &capture.Counter{Meta: c.Meta, Axis: c.Axis, Pass: c.Pass, Reasons: c.Reasons, Warnings: c.Warnings}
	sum.Name += label
	for i := from; i <= to && sum != nil; i++ {
		if in := c.Instance(strconv.Itoa(i)); in != nil {
			sum.Instances = append(sum.Instances, in)
		} else {
			sum = nil
		}
	}
	s.ranges[key] = sum
	return sum
}

// instances are some instances of a counter.
type instances struct {
	c        *capture.Counter
	from, to int
}

// selected restricts a measured counter to the selected instances.
func (s *scope) selected(c *capture.Counter) *capture.Counter {
	if s.sel == nil || len(c.Instances) == 0 {
		return c
	}
	if sub, ok := s.subsets[c]; ok {
		return sub
	}
	var sub *capture.Counter
	if s.sel.single {
		sub = c.Instance(s.sel.ids[0])
	} else {
		sub = &capture.Counter{Meta: c.Meta, Axis: c.Axis, Pass: c.Pass, Reasons: c.Reasons, Warnings: c.Warnings}
		sub.Name += s.sel.label
		for _, in := range c.Instances {
			if slices.Contains(s.sel.ids, in.Meta.Instance) {
				sub.Instances = append(sub.Instances, in)
			}
		}
	}
	s.subsets[c] = sub
	return sub
}

// property is a numeric constant of the capture. Where the capture has one per CPU ("NAME.3") it is that of the
// selected CPU or the mean of the selected ones.
func (s *scope) property(name string) (float64, bool) {
	if name == "cpus_online" && s.sel != nil {
		return float64(len(s.sel.ids)), true
	}
	if p, ok := s.cap.Property(name); ok {
		if !p.IsText {
			return p.Number, true
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(p.Text), 64)
		return x, err == nil
	}
	sum, n := 0.0, 0
	for _, p := range s.cap.Properties {
		if id, ok := strings.CutPrefix(p.Name, name+"."); ok && !p.IsText &&
			(s.sel == nil || slices.Contains(s.sel.ids, id)) {
			sum += p.Number
			n++
		}
	}
	return sum / float64(n), n > 0
}

// known reports whether the capture has or could have a counter of that name.
func (s *scope) known(name string) bool {
	if s.cap.Counter(name) != nil {
		return true
	}
	for _, c := range s.cats {
		if e, err := c.lookup(name); err == nil && e.Name == name {
			return true
		}
	}
	return false
}
