package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// Sets lists the metric sets of the GPU; only some catalogues have any.
func (c *Catalogue) Sets() []*MetricSet { return c.sets }

// Set returns a metric set by its symbol or title, in any case and spelling.
func (c *Catalogue) Set(name string) (*MetricSet, error) {
	var names []string
	for _, s := range c.sets {
		if fold(s.Name) == fold(name) || fold(s.Title) == fold(name) ||
			strings.EqualFold(s.GUID, strings.TrimSpace(name)) {
			return s, nil
		}
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("catalogue %s has no metric sets", c.id)
	}
	near := nearest(name, names, 3)
	if len(near) > 0 {
		return nil, fmt.Errorf("%s has no metric set %q; did you mean %s?", c.id, name, joinOr(near))
	}
	return nil, fmt.Errorf("%s has no metric set %q; there are %s", c.id, name, joinAnd(names))
}

// SetsFor lists the metric sets that have every metric of a formula in the catalogue's own notation, in the order of
// the catalogue: what has to be recorded for it. With all there is none to choose: the formula has no metric of a set,
// because what it reads is counted by all of them.
func (c *Catalogue) SetsFor(expr string) (sets []string, all bool) {
	x, err := formula.Parse(c.dialect, expr)
	if err != nil {
		return nil, true
	}
	var symbols []string
	for _, name := range x.Names() {
		if slices.ContainsFunc(c.sets, func(s *MetricSet) bool { return s.bySymbol[name] != nil }) {
			symbols = append(symbols, name)
		} else if IsRole(name) {
			return nil, false // no metric plays it
		}
	}
	if len(symbols) == 0 {
		return nil, true
	}
	for _, s := range c.sets {
		if !slices.ContainsFunc(symbols, func(symbol string) bool { return s.bySymbol[symbol] == nil }) {
			sets = append(sets, s.Name)
		}
	}
	return sets, false
}

// SetsShowing is SetsFor for a capture: without sets whose metrics need a number of units that the capture does not tell.
// Where it tells nothing of its GPU nothing is left out.
func SetsShowing(cap *capture.Capture, expr string) (sets []string, all bool) {
	c, err := Get(cap.GPU)
	if err != nil {
		return nil, true
	}
	sets, all = c.SetsFor(expr)
	x, err := formula.Parse(c.dialect, expr)
	if _, told := cap.Property("EuCoresTotalCount"); err != nil || !told {
		return sets, all
	}
	s := newScope(cap, nil)
	return slices.DeleteFunc(sets, func(name string) bool {
		set, err := c.Set(name)
		return err == nil && slices.ContainsFunc(x.Names(), func(symbol string) bool {
			return set.bySymbol[symbol] != nil && s.untold(set.bySymbol[symbol])
		})
	}), all
}

// untold reports whether a metric of a set reads a constant that the capture does not tell.
func (s *scope) untold(e *Entry) bool {
	return slices.ContainsFunc(e.Inputs, func(name string) bool {
		if other := e.sibling(name); other != nil {
			return other != e && s.untold(other)
		}
		found := s.entryAt(name)
		if found == nil || found.Kind != capture.Constant {
			return false
		}
		_, told := s.variable(name)
		return !told
	})
}

// Entry returns the set's counter of that symbol, nil if it has none.
func (m *MetricSet) Entry(symbol string) *Entry { return m.bySymbol[symbol] }

// SetsError says that an Intel symbol has different equations in different metric sets.
type SetsError struct {
	Symbol string
	Sets   []string // of the same equation joined by " = "
}

func (e *SetsError) Error() string {
	first, _, _ := strings.Cut(e.Sets[0], " = ")
	return fmt.Sprintf("%q is not the same in every metric set: it differs between %s; write %q or the like, or give the capture the property metric_set", e.Symbol, joinAnd(e.Sets), first+"/"+e.Symbol)
}

// ofSets decides between counters of several metric sets: the first where all have one meaning, else a *SetsError. Raw
// counters of a like name come after them. ok is false where none is a counter of a set.
func ofSets(name string, found []*Entry) (e *Entry, ok bool, err error) {
	found = slices.DeleteFunc(slices.Clone(found), func(e *Entry) bool { return e.Set == nil })
	if len(found) == 0 {
		return nil, false, nil
	}
	var meanings []string
	byMeaning := map[string][]string{}
	for _, e := range found {
		m := e.meaning(0)
		if byMeaning[m] == nil {
			meanings = append(meanings, m)
		}
		byMeaning[m] = append(byMeaning[m], e.Set.Name)
	}
	if len(meanings) == 1 {
		return found[0], true, nil
	}
	se := &SetsError{Symbol: name}
	for _, m := range meanings {
		se.Sets = append(se.Sets, strings.Join(byMeaning[m], " = "))
	}
	return nil, true, se
}

// meaning is the symbol and the equation with the equations of the set's other counters in their place. A set routes
// signals to its B and C counters, so equations mean the same only under one symbol.
func (e *Entry) meaning(depth int) string {
	var b strings.Builder
	b.WriteString(e.Symbol)
	for _, w := range strings.Fields(e.Expr) {
		b.WriteByte(' ')
		b.WriteString(w)
		if other := e.sibling(strings.TrimPrefix(w, "$")); w[0] == '$' && other != nil && depth < maxMetricDepth {
			b.WriteString("(" + other.meaning(depth+1) + ")")
		}
	}
	return b.String()
}

// reads lists what the formula reads, and what its peak and its condition read.
func (e *Entry) reads() []string {
	if e.Peak == "" && e.Available == "" {
		return e.Inputs
	}
	out := slices.Clone(e.Inputs)
	for _, src := range []string{e.Peak, e.Available} {
		x, err := formula.Parse(e.Dialect, src)
		if err != nil {
			continue // empty
		}
		for _, name := range x.Names() {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// sibling is the counter of the entry's own metric set with that symbol.
func (e *Entry) sibling(symbol string) *Entry {
	if e.Set == nil {
		return nil
	}
	return e.Set.bySymbol[symbol]
}

// exactAlias keeps the hits one of whose aliases is exactly that name, or all where none has it.
func exactAlias(hits []hit, name string) []hit {
	var out []hit
	for _, h := range hits {
		if h.e.Name == name || slices.Contains(h.e.Aliases, name) {
			out = append(out, h)
		}
	}
	if len(out) == 0 {
		return hits
	}
	return out
}

// measuredSets are the metric sets that an Intel capture was measured with: its property metric_set or, where sets took
// turns, the values of the label of that name.
func measuredSets(cap *capture.Capture) (names []string) {
	if p, ok := cap.Property(setLabel); ok && p.IsText {
		return []string{p.Text}
	}
	l := cap.Label(setLabel)
	if l == nil {
		return nil
	}
	seen := make([]bool, len(l.Dict))
	for _, code := range l.Codes {
		if code >= 0 {
			seen[code] = true
		}
	}
	for i, name := range l.Dict {
		if seen[i] {
			names = append(names, name)
		}
	}
	return names
}

// setLabel is the property of a capture with one metric set, and the label of one whose sets took turns.
const setLabel = "metric_set"

// ownSets are the metric sets of the capture in a catalogue, none where it does not say. A set that the catalogue does
// not know is one without metrics: those of other sets were not measured.
func (s *scope) ownSets(c *Catalogue) []*MetricSet {
	if len(c.sets) == 0 {
		return nil
	}
	if sets, ok := s.sets[c]; ok {
		return sets
	}
	var sets []*MetricSet
	for _, name := range measuredSets(s.cap) {
		set, err := c.Set(name)
		if err != nil {
			set = &MetricSet{Name: name}
		}
		sets = append(sets, set)
	}
	s.sets[c] = sets
	return sets
}

// findIn is Catalogue.Find where a symbol without a set means the capture's own. Where sets took turns it means the
// first that has it, if all that have it mean the same.
func (s *scope) findIn(c *Catalogue, name string) (*Entry, error) {
	var own []*Entry
	for _, set := range s.ownSets(c) {
		e := set.bySymbol[name]
		if e == nil {
			e = c.inSet(set, name)
		}
		if e != nil {
			own = append(own, e)
		}
	}
	switch {
	case len(own) > 0 && IsRole(name): // they need not be the same in the sets that took turns
		return own[0], nil
	case len(own) > 0:
		e, _, err := ofSets(name, own)
		return e, err
	case IsRole(name) && len(s.ownSets(c)) > 0:
		if e := c.inSets(name); e != nil {
			return e, nil // which says what set it needs
		}
	}
	e, err := c.lookup(name)
	var differ *SetsError
	if errors.As(err, &differ) {
		if e := s.alike(c, name); e != nil {
			return e, nil
		}
	}
	return e, err
}

// inSet is the metric of a set that a name addresses by a symbol in another spelling or by a title; nil where none does, or
// several, or where a counter of no set is called just so.
func (c *Catalogue) inSet(set *MetricSet, name string) (found *Entry) {
	best := rankTitle + 1
	for _, h := range c.keys()[fold(name)] {
		switch {
		case h.e.Set == nil && (h.e.Name == name || slices.Contains(h.e.Aliases, name)):
			return nil
		case h.e.Set != set || h.rank > best || h.rank > rankTitle:
		case h.rank == best:
			found = nil
		default:
			found, best = h.e, h.rank
		}
	}
	return found
}

// listed reports whether the metric belongs in a list of the capture's metrics: those of other sets were not measured,
// and what several measured sets have alike is listed once.
func (s *scope) listed(c *Catalogue, e *Entry) bool {
	if e.Set == nil {
		return true
	}
	sets := s.ownSets(c)
	if len(sets) == 0 {
		return true
	}
	for _, set := range sets {
		switch own := set.bySymbol[e.Symbol]; {
		case set == e.Set:
			return true
		case own != nil && own.meaning(0) == e.meaning(0):
			return false
		}
	}
	return false
}

// sharing are the measured sets that have a metric of that meaning.
func (s *scope) sharing(c *Catalogue, e *Entry) []*MetricSet {
	var out []*MetricSet
	for _, set := range s.ownSets(c) {
		if own := set.bySymbol[e.Symbol]; set == e.Set || own != nil && own.meaning(0) == e.meaning(0) {
			out = append(out, set)
		}
	}
	return out
}

// inTurn restricts a measured counter to the samples of the metric's own set, where several sets took turns: another
// set counts other events under the same name.
func (s *scope) inTurn(c *capture.Counter, e *Entry) *capture.Counter {
	if e == nil || e.Set == nil || c == nil {
		return c
	}
	label := s.cap.Label(setLabel)
	if _, one := s.cap.Property(setLabel); one || label == nil {
		return c
	}
	var cat *Catalogue
	for _, x := range s.cats {
		if x.id == e.GPU {
			cat = x
		}
	}
	if cat == nil {
		return c
	}
	sets := s.sharing(cat, e)
	if len(sets) == 0 || len(sets) == len(s.ownSets(cat)) {
		return c
	}
	key := turn{c, ""}
	var names []string
	for _, set := range sets {
		names = append(names, set.Name)
		key.sets += set.Name + " "
	}
	if out, ok := s.turns[key]; ok {
		return out
	}
	kept := make([]bool, len(label.Dict))
	for i, name := range label.Dict {
		kept[i] = slices.ContainsFunc(names, func(n string) bool { return fold(n) == fold(name) })
	}
	why := capture.Reason{Code: capture.NotCollected,
		Text: fmt.Sprintf("this sample was measured with another metric set than %s", joinOr(names))}
	out := masked(c, label, kept, why)
	s.turns[key] = out
	return out
}

// turn is a counter during the turns of some metric sets.
type turn struct {
	c    *capture.Counter
	sets string
}

// masked is a measured counter with only the samples whose label is kept.
func masked(c *capture.Counter, label *capture.Label, kept []bool, why capture.Reason) *capture.Counter {
	out := &capture.Counter{Meta: c.Meta, Axis: c.Axis, Pass: c.Pass, Warnings: c.Warnings}
	for _, in := range c.Instances {
		out.Instances = append(out.Instances, masked(in, label, kept, why))
	}
	has := func(i int) bool { code := label.Codes[i]; return code >= 0 && kept[code] }
	for i, n := 0, len(label.Codes); i < n; {
		j := i
		for j < n && has(j) == has(i) {
			j++
		}
		if !has(i) {
			out.Reasons = append(out.Reasons, capture.ReasonRun{From: i, To: j, Reason: why})
		} else {
			for _, r := range c.Reasons {
				if r.From, r.To = max(r.From, i), min(r.To, j); r.From < r.To {
					out.Reasons = append(out.Reasons, r)
				}
			}
		}
		i = j
	}
	if c.Col != nil {
		out.Col = capture.LazyColumn(c.Col.Len(), func() (capture.Data, error) {
			d := c.Col.Data()
			if err := c.Col.Err(); err != nil {
				return d, err
			}
			if d.U != nil {
				valid := capture.NewBitmap(len(d.U))
				for i := range d.U {
					if !has(i) || !d.Valid.Get(i) {
						valid.Clear(i)
					}
				}
				return capture.Data{U: d.U, Valid: valid}, nil
			}
			f := slices.Clone(d.F)
			for i := range f {
				if !has(i) {
					f[i] = math.NaN()
				}
			}
			return capture.Data{F: f}, nil
		})
	}
	return out
}

// unavailable says why a metric of a set cannot have a value in this capture, nil where it may have one.
func (s *scope) unavailable(e *Entry) *capture.Reason {
	if e.Set == nil {
		return nil
	}
	for _, c := range s.cats {
		if c.id != e.GPU {
			continue
		}
		sets := s.ownSets(c)
		if len(sets) == 0 || len(s.sharing(c, e)) > 0 {
			break
		}
		var names []string
		for _, set := range sets {
			names = append(names, set.Name)
		}
		return &capture.Reason{Code: capture.Unsupported,
			Text: fmt.Sprintf("the capture was measured with metric set %s, and %s needs %s", joinAnd(names), e.Name,
				e.Set.Name)}
	}
	if e.Available == "" {
		return nil
	}
	x, err := formula.Parse(e.Dialect, e.Available)
	if err != nil {
		return nil // a test reads them all
	}
	if holds, known := x.Holds(s.mask); holds || !known {
		return nil // where the topology is unknown the counters decide
	}
	names := x.Names()
	if slices.Contains(names, "QueryMode") {
		return &capture.Reason{Code: capture.Unsupported,
			Text: e.Name + " is read by per-draw queries only, and this is a recording"}
	}
	text := fmt.Sprintf("%s does not exist on this GPU: it needs %s", e.Name, x.Infix())
	for _, name := range names {
		if v, ok := s.variable(name); ok {
			text += fmt.Sprintf(", and $%s is %v", name, v)
		}
	}
	return &capture.Reason{Code: capture.Unsupported, Text: text}
}

// mask is the value of a variable as a whole number of 64 bits, unknown where a double has lost some of them. A property
// that does not fit a double is text.
func (s *scope) mask(name string) (uint64, bool) {
	if p, ok := s.cap.Property(name); ok && p.IsText {
		v, err := strconv.ParseUint(strings.TrimSpace(p.Text), 0, 64)
		return v, err == nil
	}
	v, ok := s.variable(name)
	return uint64(v), ok && v >= 0 && v < 1<<53
}

// wherever is a metric of a set without the condition on the GPU's topology, for formulas that read it: they weigh it
// by that condition themselves, or take the largest of several, and a unit that is not there counts nothing.
func (s *scope) wherever(e *Entry) *Entry {
	if e.Available == "" || s.unavailable(e) == nil {
		return e
	}
	out, ok := s.anywhere[e]
	if !ok {
		copied := *e
		copied.Available = ""
		out = &copied
		s.anywhere[e] = out
	}
	return out
}

// variable is the value of a variable of Intel's equations in the capture: a property, a column that holds one, or what
// all parts share.
func (s *scope) variable(name string) (float64, bool) {
	if v, ok := s.property(name); ok {
		return v, true
	}
	if c := s.cap.Counter(name); c != nil {
		v := c.First()
		return v.Float(), !v.Missing()
	}
	if e := s.entryAt(name); e != nil && e.assumed != nil {
		return *e.assumed, true
	}
	return 0, false
}
