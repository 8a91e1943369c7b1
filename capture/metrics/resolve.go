package metrics

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// For lists the catalogues of a capture: its GPU's first, then the cpu catalogue where it has CPU columns.
func For(cap *capture.Capture) []*Catalogue {
	return slices.Clip(cap.Memo(cataloguesKey{cap.GPU}, func() any { return cataloguesOf(cap) }).([]*Catalogue))
}

// cataloguesKey is the key of what For found, for every name that is resolved asks for it.
type cataloguesKey struct{ gpu string }

func cataloguesOf(cap *capture.Capture) []*Catalogue {
	var out []*Catalogue
	if cap.GPU != "" && cap.GPU != CPU {
		if c, err := Get(On(cap.GPU, hardwareOf(cap).generation)); err == nil {
			out = append(out, c)
		}
	}
	if c, err := Get(CPU); err == nil && (cap.GPU == CPU || c.hasColumns(cap)) {
		out = append(out, c)
	}
	return out
}

// hasColumns reports whether the capture holds a raw counter of the catalogue, or a share of the time by a metric's name: tables of other
// programs have "CPU user (%)" beside a GPU's counters, and no times of the CPUs' states.
func (c *Catalogue) hasColumns(cap *capture.Capture) bool {
	for _, e := range c.entries {
		if e.IsMetric() {
			continue
		}
		if have := cap.Counter(e.Name); have != nil && c.owns(have.GPU) {
			return true
		}
	}
	return slices.ContainsFunc(cap.Counters, func(have *capture.Counter) bool { return c.owns(have.GPU) && c.hasShare(have.Name, have.Unit) })
}

// hasShare reports whether a metric of percent has the name with its subject in front, "cpu_utilization" or "CPU user": others, such as
// "io_wait", other devices may have as well.
func (c *Catalogue) hasShare(name, unit string) bool {
	subject := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "$"), " ", "_"))
	if unit != "%" && unit != "percent" || !strings.HasPrefix(subject, c.id+"_") {
		return false
	}
	return slices.ContainsFunc([]string{name, name + " percent"}, func(name string) bool {
		return slices.ContainsFunc(c.keys()[fold(name)], func(h hit) bool { return h.e.IsMetric() && h.e.Unit == "percent" })
	})
}

// OfCPUs reports whether a column of a table about a GPU is a share of the CPUs' time, and none that the GPU's own catalogue has.
func OfCPUs(gpu, name, unit string) bool {
	c, err := Get(CPU)
	if err != nil || gpu == CPU || !c.hasShare(name, unit) {
		return false
	}
	own, err := Get(gpu)
	return err == nil && len(own.keys()[fold(name)])+len(own.keys()[fold(name+" percent")]) == 0
}

// Resolve returns the counter that name addresses in a capture: a measured counter, an instance "NAME[ID]", a metric by
// any of its addresses, "cpu/NAME" for one of a particular catalogue, with or without $. A known metric or counter
// whose inputs were not collected is a counter with every value missing. The error is an *UnknownError, or an
// *AmbiguousError.
func Resolve(cap *capture.Capture, name string) (*capture.Counter, error) {
	return ResolveWith(cap, nil, name)
}

// ResolveWith is Resolve where defs, metrics that the caller defined, come before the catalogues.
func ResolveWith(cap *capture.Capture, defs []*Entry, name string) (*capture.Counter, error) {
	s := newScope(cap, defs)
	if c := s.measured(name); c != nil {
		return c, nil
	}
	if out, ok := beneath(cap, func(from *capture.Capture) ([]*capture.Counter, error) {
		c, err := ResolveWith(from, defs, name)
		return []*capture.Counter{c}, err
	}); ok {
		return out[0], nil
	}
	return s.resolve(name)
}

// ResolveAllWith is ResolveWith for several names. The metrics among them share one program, so common parts are
// computed once.
func ResolveAllWith(cap *capture.Capture, defs []*Entry, names []string) ([]*capture.Counter, error) {
	s := newScope(cap, defs)
	out := make([]*capture.Counter, len(names))
	if from, _ := cap.Beneath(); from != nil {
		return out, s.resolveBeneath(out, names)
	}
	var entries []*Entry
	var at []int
	for i, name := range names {
		if c := s.measured(name); c != nil {
			out[i] = c
			continue
		}
		if e, err := s.find(name); err == nil && e.IsMetric() {
			entries = append(entries, e)
			at = append(at, i)
			continue
		}
		c, err := s.resolve(name)
		if err != nil {
			return nil, err
		}
		out[i] = c
	}
	derived, err := s.compile(entries)
	if err != nil {
		return nil, err
	}
	for k, c := range derived {
		out[at[k]] = c
	}
	return out, nil
}

// Metrics returns every metric of the capture's catalogues, in their order. Where the GPU's catalogue and the cpu
// catalogue use one name, the second is named "cpu/NAME".
func Metrics(cap *capture.Capture) ([]*capture.Counter, error) {
	if out, ok := beneath(cap, Metrics); ok {
		return out, nil
	}
	s := newScope(cap, nil)
	var entries []*Entry
	for _, cat := range s.cats {
		for _, e := range cat.entries {
			if !e.IsMetric() || !s.listed(cat, e) {
				continue
			}
			one, err := e.on(s.hardware())
			var v *variantError
			if errors.As(err, &v) {
				if !v.Ambiguous {
					continue // the capture's hardware does not have it
				}
				one, err = e.undecided(v.Unset[0])
			}
			if err != nil {
				return nil, err
			}
			s.bases[one] = e
			entries = append(entries, one)
		}
	}
	for _, own := range s.metricsOfCapture() {
		if !IsRole(own.Name) { // the metric that plays it is there
			entries = append(entries, own)
		}
	}
	out, err := s.compile(entries)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, c := range out {
		if seen[c.Name] || cap.Counter(c.Name) != nil {
			c.Name = entries[i].GPU + "/" + c.Name
		}
		seen[c.Name] = true
	}
	return out, nil
}

// Floats returns every sample of several counters, NaN where missing. Metrics that were resolved together are computed
// together, so that common parts and inputs are read once. The slices are read-only.
func Floats(ctx context.Context, counters []*capture.Counter) ([][]float64, error) {
	return formula.EvalCounters(ctx, counters)
}

// measured returns a counter of the capture by its exact name, with or without $.
func (s *scope) measured(name string) *capture.Counter {
	if c := s.raw(name); c != nil {
		return c
	}
	return s.raw(strings.TrimPrefix(strings.TrimSpace(name), "$"))
}

func (s *scope) resolve(name string) (*capture.Counter, error) {
	if c := s.measured(name); c != nil {
		return c, nil
	}
	return s.addressed(name, nil)
}

// addressed returns what a name addresses other than a measured counter's exact name. self is the metric whose formula
// asks.
func (s *scope) addressed(name string, self *Entry) (*capture.Counter, error) {
	e, err := s.find(name)
	if err == nil && e != self {
		return s.counter(e)
	}
	if err != nil {
		var ambiguous *AmbiguousError
		var sets *SetsError
		if errors.As(err, &ambiguous) || errors.As(err, &sets) {
			return nil, err
		}
	}
	if c, ok, err := s.cluster(name); ok {
		return c, err
	}
	if base, id, ok := cutInstance(name); ok {
		c, err := s.resolve(base)
		if err != nil {
			return nil, err
		}
		if in := c.Instance(id); in != nil {
			return in, nil
		}
		return nil, s.noInstance(c, id)
	}
	// The spelling of a measured counter may differ too.
	key := fold(name)
	for _, c := range s.cap.Counters {
		if folds(c.Name, key) {
			return s.selected(c), nil
		}
		for _, a := range c.Aliases {
			if folds(a, key) {
				return s.selected(c), nil
			}
		}
	}
	return nil, s.unknown(name)
}

// cutInstance splits "NAME[ID]".
func cutInstance(name string) (base, id string, ok bool) {
	name = strings.TrimSpace(name)
	if !strings.HasSuffix(name, "]") {
		return "", "", false
	}
	i := strings.LastIndexByte(name, '[')
	if i <= 0 {
		return "", "", false
	}
	return name[:i], name[i+1 : len(name)-1], true
}

func (s *scope) noInstance(c *capture.Counter, id string) error {
	if len(c.Instances) == 0 {
		return &UnknownError{Name: fmt.Sprintf("%s[%s]", c.Name, id),
			Note: c.Name + " has no instances in this capture"}
	}
	var ids []string
	for _, in := range c.Instances {
		ids = append(ids, in.Meta.Instance)
	}
	return &UnknownError{Name: fmt.Sprintf("%s[%s]", c.Name, id), Note: fmt.Sprintf("%s has the instances %s", c.Name,
		joinAnd(ids))}
}

// find returns the entry that a name addresses in the definitions and the capture's catalogues.
func (s *scope) find(name string) (*Entry, error) {
	bare := strings.TrimPrefix(strings.TrimSpace(name), "$")
	key := fold(bare)
	for _, list := range [2][]*Entry{s.defs, s.metricsOfCapture()} {
		for _, e := range list {
			if e.Name == bare || folds(e.Name, key) {
				return e, nil
			}
		}
	}
	if id, rest, ok := strings.Cut(bare, "/"); ok {
		for _, c := range s.cats {
			if c.id == id {
				return s.findIn(c, rest)
			}
		}
	}
	var firstErr error
	for _, c := range s.cats {
		e, err := s.findIn(c, bare)
		if err == nil {
			return e, nil
		}
		var sets *SetsError
		if errors.As(err, &sets) {
			return nil, err
		}
		var ambiguous *AmbiguousError
		if firstErr == nil || errors.As(err, &ambiguous) {
			firstErr = err
		}
	}
	if firstErr == nil {
		firstErr = &UnknownError{Name: name}
	}
	return nil, firstErr
}

// counter makes the counter of an entry.
func (s *scope) counter(e *Entry) (*capture.Counter, error) {
	if !e.IsMetric() {
		return s.rawEntry(e), nil
	}
	out, err := s.compile([]*Entry{s.ofPresent(e)})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// unknown explains a name that addresses nothing: near names of the capture, then where else it is known.
func (s *scope) unknown(name string) error {
	return &UnknownError{Name: name, help: func() *UnknownError { return s.help(name) }}
}

func (s *scope) help(name string) *UnknownError {
	err := &UnknownError{Name: name}
	var words []string
	for _, c := range s.cap.Counters {
		words = append(words, c.Name)
	}
	for _, e := range s.defs {
		words = append(words, e.Name)
	}
	err.Near = nearest(name, words, 5)
	for _, c := range s.cats {
		for _, w := range c.near(name) {
			if !slices.Contains(err.Near, w) && len(err.Near) < 5 {
				err.Near = append(err.Near, w)
			}
		}
	}
	var known []string
	for _, id := range distinct() {
		if slices.ContainsFunc(s.cats, func(c *Catalogue) bool { return c.id == id }) {
			continue
		}
		if c, e := Get(id); e == nil {
			var sets *SetsError
			if _, e := c.lookup(name); e == nil || errors.As(e, &sets) {
				known = append(known, id)
			}
		}
	}
	switch {
	case len(known) > 0 && s.cap.GPU == "":
		err.Near = nil
		err.Note = fmt.Sprintf("the capture does not say what it was measured on, and the name is known to %s: open it with gpu=%q", someOf(known), known[0])
	case len(known) > 0:
		err.Note = fmt.Sprintf("(the name is known to %s, this capture is of %s)", someOf(known), s.cap.GPU)
	case s.cap.GPU != "" && !slices.Contains(IDs(), s.cap.GPU):
		err.Note = fmt.Sprintf("(there is no catalogue for %s, so its captures have counters and no metrics)", s.cap.GPU)
	case s.cap.GPU == "" && len(s.cats) == 0:
		err.Note = fmt.Sprintf("(the capture does not say what it was measured on, so it has no metrics: open it with gpu= one of %s)", strings.Join(IDs(), ", "))
	}
	return err
}

// compile makes derived counters of metrics, compiled together.
func (s *scope) compile(entries []*Entry) ([]*capture.Counter, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	if s.depth >= maxMetricDepth {
		return nil, fmt.Errorf("metric %s: metrics read each other more than %d deep, or in a circle", entries[0].Name,
			maxMetricDepth)
	}
	s.depth++
	defer func() { s.depth-- }()
	out := make([]*capture.Counter, len(entries))
	entries = slices.Clone(entries)
	for i, e := range entries {
		one, err := s.published(e)
		if one == nil && err == nil {
			one, err = e.on(s.hardware())
		}
		var v *variantError
		if errors.As(err, &v) && s.standIn(e) != nil {
			one, err = e.undecided("generation") // the file holds the metric itself, so its formula is not needed
		}
		if err != nil {
			return nil, err
		}
		if one != e {
			s.bases[one] = e
		}
		entries[i] = one
	}
	var fresh []*Entry
	for i, e := range entries {
		if out[i] = s.metrics[e]; out[i] == nil && !slices.Contains(fresh, e) {
			fresh = append(fresh, e)
		}
	}
	for _, rule := range [...]bool{false, true} {
		var same []*Entry
		for _, e := range fresh {
			if s.zeroIsZero(e.GPU) == rule {
				same = append(same, e)
			}
		}
		if len(same) == 0 {
			continue
		}
		counters, err := s.compileFresh(same, rule)
		if err != nil {
			return nil, err
		}
		for i, e := range same {
			s.metrics[e] = s.orStandIn(e, counters[i])
		}
	}
	for i, e := range entries {
		out[i] = s.metrics[e]
	}
	return out, nil
}

// compileFresh compiles metrics that have one rule for zero divisors.
func (s *scope) compileFresh(entries []*Entry, zeroIsZero bool) ([]*capture.Counter, error) {
	exprs := make([]*formula.Expr, len(entries))
	envs := make([]*formulaEnv, len(entries))
	opt := formula.Options{Notes: make([][]string, len(entries)), Percent: make([]bool, len(entries)),
		ZeroIsZero: zeroIsZero}
	for i, e := range entries {
		exprs[i] = e.expr
		envs[i] = &formulaEnv{s: s, expr: e.expr, entry: e, unavailable: s.unavailable(e)}
		opt.Percent[i] = e.Unit == "percent"
	}
	// The notes are filled while names are resolved, and read after.
	p, err := formula.BindEach(exprs, s.cap.Axis, func(i int) formula.Env { return envs[i] }, opt)
	if err != nil {
		return nil, err
	}
	out := make([]*capture.Counter, len(entries))
	for i, e := range entries {
		opt.Notes[i] = envs[i].notes
		c := &capture.Counter{Meta: e.meta(), Axis: s.cap.Axis, Der: p.Derivation(i)}
		if e.PerDenom {
			c.Unit = denomUnit(e.Unit, denomOf(s.cap))
		}
		if s.sel != nil {
			c.Name += s.sel.label
			if s.sel.single {
				c.Meta.Instance = s.sel.ids[0]
			}
		} else {
			s.addInstances(c, e)
		}
		out[i] = c
	}
	return out, nil
}

// zeroIsZero tells whether a division by zero gives 0 in formulas of a catalogue, rather than nothing: its own rule,
// which the capture's option zero changes.
func (s *scope) zeroIsZero(gpu string) bool {
	if s.cap.Options.Zero == "missing" {
		return false
	}
	c, err := Get(gpu)
	return err == nil && (c.zeroRule == zeroAlways || c.zeroRule == zeroVendor && s.cap.Options.Zero == "vendor")
}

// denomUnit puts the capture's denominator into a unit such as "requests per kernel".
func denomUnit(unit, denom string) string {
	if base, _, ok := strings.Cut(unit, " per "); ok {
		if word, ok := denominators[denom]; ok {
			return base + " per " + word
		}
	}
	return unit
}
