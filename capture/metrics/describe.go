package metrics

import (
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/units"
)

// Describe gives the counters of a capture what the catalogues of its GPU and of the CPU know about them and the file
// did not say. It is the one place where the counters of all formats meet the catalogues:
//
//   - Title, meaning, block, sections and other names are filled in.
//   - A counter under another program's name that the catalogue knows gets the catalogue's name and unit, see written.go.
//   - Counters of conditions that are bits of a column are made of it, see bits.go.
//   - A counter that is called as in the catalogue but for a $ before or a unit in brackets behind gets the catalogue's name.
//   - So does one that has the unit as the last word of its name: gpu_frequency_khz.
//   - Values in another unit than the catalogue's are converted: ms become ns. Where the units measure different things the counter stays as
//     it is, and metrics that would read it are missing and say so (see scope.misfit).
//   - Rates of what the catalogue counts, such as cycles/s, become counts: what was counted in a sample.
//   - A table of a metric set's columns that does not say which set it is of gets the property metric_set, see withSet.
//   - A column of a configuration constant becomes a constant, which does not add up over samples.
//   - A counter without a unit whose name ends with one of frequency has that.
//   - A counter whose kind nobody stated (Meta.Guessed) gets the catalogue's, else that of its unit: shares, rates, temperatures, power and the
//     like are levels. What is left counts events and stays marked as guessed.
//
// The capture itself is not changed; it is returned where there is nothing to add.
func Describe(cap *capture.Capture) (*capture.Capture, error) {
	told, err := withSet(cap)
	if err != nil {
		return nil, err
	}
	s := newScope(told, nil)
	counters := make([]*capture.Counter, len(cap.Counters))
	changed := told != cap
	for i, c := range cap.Counters {
		counters[i] = s.described(c)
		changed = changed || counters[i] != c
	}
	if made := s.conditions(counters); len(made) > 0 {
		counters, changed = append(counters, made...), true
	}
	if !changed {
		return cap, nil
	}
	return told.With(func(cfg *capture.Config) { cfg.Counters = counters })
}

// described is the counter with all that is known about it; c itself where that is nothing new.
func (s *scope) described(c *capture.Counter) *capture.Counter {
	if e := s.shareOf(c); e != nil {
		return settled(c, e)
	}
	if e := s.entryOf(c); e != nil {
		return settled(converted(filled(c, e), e.Unit), e)
	}
	if e := s.entryOfRun(c); e != nil {
		return settled(converted(filled(c, e), e.Unit), e)
	}
	if e, r := s.withUnitInName(c); e != nil {
		return settled(converted(filled(r, e), e.Unit), e)
	}
	for _, name := range plainNames(c.Name) {
		r := renamed(c, name)
		if e := s.entryOf(r); e != nil && s.cap.Counter(r.Name) == nil {
			return settled(converted(filled(r, e), e.Unit), e)
		}
	}
	if w := s.written(c); w != nil {
		return w
	}
	e := s.addressedBy(c)
	if e != nil && !e.PerDenom {
		c = converted(c, e.Unit)
	}
	if e == nil && c.Unit == "" && c.Guessed {
		if e = s.alikeOf(c); e == nil {
			c = withUnit(c, units.InName(c.Name))
		}
	}
	return settled(c, e)
}

// withUnit is the counter, and its instances, in a unit; itself where that is "".
func withUnit(c *capture.Counter, unit string) *capture.Counter {
	if unit == "" {
		return c
	}
	out := c.Clone()
	out.Unit = unit
	for i, in := range c.Instances {
		out.Instances[i] = withUnit(in, unit)
	}
	return out
}

// shareOf is the metric that a column of percent holds whose name is a counter's of another unit, or no one's: "CPU
// user (%)" is no time, but the share that is called "cpu_user_percent".
func (s *scope) shareOf(c *capture.Counter) *Entry {
	if unit := c.Unit; unit != "%" && unit != "percent" {
		return nil
	}
	name := strings.TrimPrefix(c.Name, "$")
	if e := s.entryAt(name); e != nil {
		if _, same := units.Convert(c.Unit, e.Unit); same {
			return nil
		}
	}
	if e := s.entryAt(name + " percent"); e != nil && e.IsMetric() && e.Unit == "percent" {
		return e
	}
	return nil
}

// alikeOf is one of the metrics that a column's name addresses where there are several, as those of one symbol in
// several sets, and all have one unit. It says what kind of number the column holds, and not which of them it is.
func (s *scope) alikeOf(c *capture.Counter) (e *Entry) {
	for _, cat := range s.cats {
		if !cat.owns(c.GPU) {
			continue
		}
		for _, h := range cat.keys()[fold(c.Name)] {
			if e != nil && h.e.Unit != e.Unit || h.e.Kind != capture.Derived {
				return nil
			}
			e = h.e
		}
	}
	return e
}

// entryOf is the raw counter of a catalogue that a measured counter is, under any of its exact names. The hardware's
// number of a counter with a scaler is not that counter yet.
func (s *scope) entryOf(have *capture.Counter) *Entry {
	for _, cat := range s.cats {
		if e := cat.entryOf(have); e != nil {
			return e
		}
	}
	return nil
}

func (c *Catalogue) entryOf(have *capture.Counter) *Entry {
	if !c.owns(have.GPU) {
		return nil
	}
	var other *Entry
	for _, h := range c.keys()[fold(have.Name)] {
		switch e := h.e; {
		case e.IsMetric() || e.GPU != c.id:
		case e.Name == have.Name:
			return e
		case other == nil && slices.Contains(e.Aliases, have.Name) &&
			(e.Scaler <= 1 || have.Name != strings.ToUpper(have.Name)):
			other = e
		}
	}
	if other != nil {
		return other
	}
	if e := c.numbered(have.Name); e != nil && e.Name == have.Name && e.GPU == c.id {
		return e
	}
	return nil
}

// addressedBy is the entry that a column's name addresses in another way, such as by its title; nil where there is
// none, or more than one.
func (s *scope) addressedBy(c *capture.Counter) *Entry {
	e := s.entryAt(strings.TrimPrefix(c.Name, "$"))
	if e == nil && len(c.Aliases) > 0 {
		e = s.entryAt(c.Aliases[0])
	}
	if e != nil && c.GPU != e.GPU && !slices.ContainsFunc(s.cats, func(cat *Catalogue) bool {
		return cat.id == e.GPU &&
			cat.owns(c.GPU)
	}) {
		return nil
	}
	return e
}

// plainNames are the names that a column's name may stand for: without a $, and without a unit in brackets.
func plainNames(name string) []string {
	var out []string
	bare := strings.TrimPrefix(name, "$")
	if bare != name {
		out = append(out, bare)
	}
	if plain, _ := withoutUnit(bare); plain != bare {
		out = append(out, plain)
	}
	return out
}

// withoutUnit divides "Issues (issues)".
func withoutUnit(name string) (plain, unit string) {
	for _, b := range []string{"()", "[]"} {
		i := strings.LastIndexByte(name, b[0])
		if i > 0 && name[len(name)-1] == b[1] && name[i-1] == ' ' {
			return strings.TrimRight(name[:i], " "), strings.TrimSpace(name[i+1 : len(name)-1])
		}
	}
	return name, ""
}

// renamed is the counter under another name; a unit in brackets becomes its unit.
func renamed(c *capture.Counter, name string) *capture.Counter {
	out := c.Clone()
	out.Name = name
	if _, unit := withoutUnit(c.Name); out.Unit == "" && len(name) < len(strings.TrimPrefix(c.Name, "$")) {
		out.Unit = unit
	}
	for i, in := range c.Instances {
		one := in.Clone()
		if one.Unit == "" {
			one.Unit = out.Unit
		}
		if id, ok := strings.CutPrefix(in.Name, c.Name); ok {
			one.Name = name + id
		}
		out.Instances[i] = one
	}
	return out
}

// filled is the counter with the gaps in its description filled from the entry; c itself where there are none.
func filled(c *capture.Counter, e *Entry) *capture.Counter {
	m := c.Meta
	fill := func(have *string, text string) bool {
		if *have != "" || text == "" {
			return false
		}
		*have = text
		return true
	}
	changed := fill(&m.Unit, e.Unit)
	changed = fill(&m.Doc, e.Doc) || changed
	changed = fill(&m.Block, e.Block) || changed
	changed = fill(&m.GPU, e.GPU) || changed
	if m.Title == "" || m.Title == m.Name {
		changed = changed || m.Title != e.Title
		m.Title = e.Title
	}
	if len(m.Refs) == 0 && len(e.Refs) > 0 {
		m.Refs, changed = e.Refs, true
	}
	if len(m.Aliases) == 0 && len(e.Aliases) > 0 {
		m.Aliases, changed = e.Aliases, true
	}
	out := c.Clone()
	for i, in := range c.Instances {
		out.Instances[i] = filled(in, e)
		changed = changed || out.Instances[i] != in
	}
	if !changed {
		return c
	}
	out.Meta = m
	return out
}

// settled is the counter with the kind of its entry, which may be nil, or else of its unit.
func settled(c *capture.Counter, e *Entry) *capture.Counter {
	kind, guessed := c.Kind, c.Guessed
	switch {
	case e != nil && e.Kind == capture.Constant && kind == capture.Delta:
		kind, guessed = capture.Constant, false
	case !guessed:
		return c
	case e != nil && e.Kind != capture.Derived:
		kind, guessed = e.Kind, false
	default:
		unit := c.Unit
		if unit == "" && e != nil {
			unit = e.Unit
		}
		if level, known := units.IsLevel(unit); known && (level || e != nil || units.IsCount(unit)) {
			guessed = false
			kind = capture.Delta
			if level {
				kind = capture.Gauge
			}
		} else if !known && units.LevelByName(c.Name) {
			kind = capture.Gauge
		}
	}
	if kind == c.Kind && guessed == c.Guessed {
		return c
	}
	return c.OfKind(kind, guessed)
}

// Match is how many counters of a capture have names of a catalogue's.
type Match struct {
	Catalogue string
	Counters  int
}

// Matching lists the catalogues that know counters of the capture by name, the one that knows most first, without those
// of another vendor or architecture than the capture says it is of. Of products whose counters are alike it is the
// first, but where most of the names are of metric sets, as tables of other programs have them, it is all whose sets have most of them.
func Matching(cap *capture.Capture) []Match {
	var out []Match
	for _, id := range distinct() {
		cat, err := Get(id)
		if fit, _ := FitOf(id, cap.GPU, cap.Device); err != nil || fit == Foreign {
			continue
		}
		m := Match{Catalogue: id}
		for _, c := range cap.Counters {
			if e, err := cat.lookup(strings.TrimPrefix(c.Name, "$")); err == nil && !e.IsMetric() && e.GPU == id {
				m.Counters++
			} else if w, ok := cat.writings[c.Name]; ok && w.fits(c) {
				m.Counters++
			}
		}
		if m.Counters > 0 {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b Match) int { return b.Counters - a.Counters })
	return append(named(cap, out), out...)
}

// named are the catalogues that have more of the names than any of those that match, see Naming.
func named(cap *capture.Capture, matches []Match) (out []Match) {
	names := make([]string, len(cap.Counters))
	for i, c := range cap.Counters {
		names[i] = c.Name
	}
	ids, n := Naming(names)
	if len(matches) > 0 && n <= matches[0].Counters {
		return nil
	}
	for _, id := range ids {
		known := slices.ContainsFunc(matches, func(m Match) bool { return m.Catalogue == id })
		if fit, _ := FitOf(id, cap.GPU, cap.Device); fit != Foreign && !known {
			out = append(out, Match{Catalogue: id, Counters: n})
		}
	}
	return out
}
