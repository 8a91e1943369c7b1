package rocprofcompute

import (
	"math"
	"path/filepath"
	"slices"

	"astrolabe/capture/formats/internal/pairing"
)

// dispatch is one future sample: the same dispatch in every table that has it.
type dispatch struct {
	launch
	node      string
	durations []float64 // of each row, in the order of the files
}

// timing is when the dispatches ran in one run.
type timing struct {
	id         string
	start, end []int64 // for each dispatch, noTime where it was not measured
	ns         []float64
	have       []bool // the dispatches that the run has
	averaged   bool
}

func newTiming(id string, dispatches int) *timing {
	p := &timing{id: id, start: make([]int64, dispatches), end: make([]int64, dispatches),
		ns: make([]float64, dispatches), have: make([]bool, dispatches)}
	for i := range p.start {
		p.start[i], p.end[i], p.ns[i] = noTime, noTime, math.NaN()
	}
	return p
}

// overlaps reports whether the run has one of the dispatches already: a run of several processes or nodes has each
// once.
func (p *timing) overlaps(dispatches []int) bool {
	return slices.ContainsFunc(dispatches, func(d int) bool { return p.have[d] })
}

// duration of a dispatch in this run in ns, NaN if it is unknown. No kernel takes no time.
func (p *timing) duration(d int) float64 {
	if p.ns[d] > 0 {
		return p.ns[d]
	}
	return math.NaN()
}

// join finds the dispatches of all tables and what was measured of them.
func (w *workload) join() {
	of := w.dropCopies(w.pair())
	n := len(w.dispatches)
	timings := map[string]*timing{}
	byName := map[string]*entries{}
	var order []*entries
	for i, t := range w.tables {
		if len(t.twice) > 0 {
			w.warn("%s: %d values stand twice for a dispatch of one run, of %s first: the later ones are used", t.file,
				len(t.twice), t.twice[0])
		}
		for d, k := range of[i] {
			if rows := t.rows[d].rows; rows != nil {
				w.dispatches[k].durations = append(w.dispatches[k].durations, rows...)
			} else if ns := t.rows[d].duration(); ns == ns {
				w.dispatches[k].durations = append(w.dispatches[k].durations, ns)
			}
		}
		for _, r := range t.runs {
			p := timings[r.id]
			if p == nil || p.overlaps(of[i]) {
				p = newTiming(r.id, n)
				timings[r.id] = p
				w.timings = append(w.timings, p)
			}
			p.averaged = p.averaged || t.averaged
			at := make([]int32, n) // the launch of each dispatch
			for d := range at {
				at[d] = -1
			}
			for l, d := range of[i] {
				p.start[d], p.end[d], p.ns[d], p.have[d], at[d] = t.rows[l].start, t.rows[l].end, t.rows[l].ns,
					true, int32(l)
			}
			for _, c := range r.columns {
				name := c.name
				if c.accumulates != "" {
					name = c.accumulates
				}
				e := byName[name]
				if e == nil {
					e = &entries{name: name}
					byName[name] = e
					order = append(order, e)
				}
				e.add(entry{c, p, at, t.main, t.node}, t.lastWins)
			}
		}
	}
	for _, e := range order {
		w.series = append(w.series, e.series(n)...)
	}
	w.axisOf = w.axisTiming()
}

// pair finds the dispatch of each launch of each table. The first table has the dispatches, and others of the same node
// add what it lacks. A table whose launches cannot be told to be those of the others is left out.
func (w *workload) pair() (of [][]int) {
	type dispatches struct {
		first *table
		known []pairing.Row
		at    []int // of all dispatches
	}
	nodes := map[string]*dispatches{}
	kept := w.tables[:0]
	for _, t := range w.tables {
		have := nodes[t.node]
		if have == nil {
			have = &dispatches{first: t}
			nodes[t.node] = have
		}
		rows := pairRows(t.rows)
		p, err := pairing.Match(have.known, rows, have.first.numbered == t.numbered)
		if err != nil {
			w.warn("%s: its dispatches cannot be joined with those of %s: %v: its counters are left out", t.file,
				filepath.Base(have.first.file), err)
			continue
		}
		if p.Shift != 0 {
			w.warn("%s numbers the dispatches of %s %+d: they are joined so", filepath.Base(t.file),
				filepath.Base(have.first.file), p.Shift)
		}
		places := make([]int, len(rows))
		for l, i := range p.Of {
			if i < 0 {
				i = len(have.known)
				rows[l].Number -= p.Shift
				have.known, have.at = append(have.known, rows[l]), append(have.at, len(w.dispatches))
				w.dispatches = append(w.dispatches, dispatch{launch: t.rows[l], node: t.node})
			}
			places[l] = have.at[i]
		}
		kept, of = append(kept, t), append(of, places)
	}
	w.tables = kept
	return of
}

// dropCopies takes what a wide file of all runs has only because files of single runs were joined into it out of that
// file: those know their own times. A file that had nothing else is left out.
func (w *workload) dropCopies(of [][]int) [][]int {
	for m := 0; m < len(w.tables); m++ {
		main := w.tables[m]
		if !main.main {
			continue
		}
		at := make([]int32, len(w.dispatches)) // the launch of each dispatch
		for d := range at {
			at[d] = -1
		}
		for l, d := range of[m] {
			at[d] = int32(l)
		}
		byName := map[string][]*column{}
		for _, r := range main.runs {
			for _, c := range r.columns {
				byName[c.name] = append(byName[c.name], c)
			}
		}
		copies := map[*column]bool{}
		for i, t := range w.tables {
			if t == main || t.node != main.node {
				continue
			}
			if found, ok := t.copiedInto(byName, copies, of[i], at); ok {
				for _, c := range found {
					copies[c] = true
				}
			}
		}
		for _, r := range main.runs {
			r.columns = slices.DeleteFunc(r.columns, func(c *column) bool { return copies[c] })
		}
		if len(copies) > 0 {
			main.runs = slices.DeleteFunc(main.runs, func(r *run) bool { return len(r.columns) == 0 })
		}
		if len(main.runs) == 0 && len(copies) > 0 {
			w.tables, of = slices.Delete(w.tables, m, m+1), slices.Delete(of, m, m+1)
			m--
		}
	}
	return of
}

// copiedInto finds a column of another table with the same name and the same values for every column of t. at is the
// launch of each dispatch there.
func (t *table) copiedInto(byName map[string][]*column, taken map[*column]bool, of []int,
	at []int32) (found []*column, ok bool) {
	for _, r := range t.runs {
		for _, c := range r.columns {
			k := slices.IndexFunc(byName[c.name], func(other *column) bool {
				return !taken[other] && !slices.Contains(found, other) && c.equals(other, of, at)
			})
			if k < 0 {
				return nil, false
			}
			found = append(found, byName[c.name][k])
		}
	}
	return found, len(found) > 0
}

func (c *column) equals(other *column, of []int, at []int32) bool {
	for l, d := range of {
		i, j := c.value(l), -1
		if at[d] >= 0 {
			j = other.value(int(at[d]))
		}
		if i < 0 || j < 0 {
			return false
		}
		x, y := c.data.Missing(i), other.data.Missing(j)
		if x != y || !x && c.data.Float(i) != other.data.Float(j) {
			return false
		}
	}
	return true
}

// entry is a counter in one run.
type entry struct {
	c  *column
	p  *timing
	at []int32 // the launch of each dispatch, -1 where the run lacks it

	main bool   // it is of the wide file of all runs
	node string // as that of its table
}

// value is the row of the entry's data for a dispatch, -1 where it has none.
func (e *entry) value(d int) int {
	if e.at[d] < 0 {
		return -1
	}
	return e.c.value(int(e.at[d]))
}

// entries are all runs that measured a counter, those that count most first.
type entries struct {
	name string
	list []entry
}

func (e *entries) add(x entry, lastWins bool) {
	if lastWins {
		e.list = append([]entry{x}, e.list...)
		return
	}
	e.list = append(e.list, x)
}

// series makes a series of the value that counts for each dispatch, and one of each run that has values which do not
// count.
//
// What the wide file of all runs has measured is its own in all dispatches: a level file may lie beside it that counts
// something else under the same name, such as the cycles of one die instead of all, so that it fills no holes.
func (e *entries) series(n int) []*series {
	whole := e.newSeries(e.name, n)
	out := []*series{whole}
	inMain := map[string]bool{} // by node
	for i := range e.list {
		inMain[e.list[i].node] = inMain[e.list[i].node] || e.list[i].main
	}
	for i := range e.list {
		x := &e.list[i]
		hidden := false
		for d := range n {
			if x.value(d) < 0 {
				continue
			}
			if whole.from[d] == nil && (x.main || !inMain[x.node]) {
				whole.set(d, x)
			} else {
				hidden = true
			}
		}
		if !hidden {
			continue
		}
		own := e.newSeries(ofRun(e.name, x.p.id), n)
		for d := range n {
			if x.value(d) >= 0 {
				own.set(d, x)
			}
		}
		whole.others = append(whole.others, x.p.id)
		out = append(out, own)
	}
	slices.Sort(whole.others)
	return out
}

// series is the values of one counter or instance.
type series struct {
	name   string
	u      []uint64  // one of u and f for each dispatch
	f      []float64 // NaN where missing
	have   []bool    // of u
	from   []*timing // the run each value is of, nil without a value
	why    string    // how missing values are written in the file, "" if none are
	others []string  // runs whose values are series of their own
}

func (e *entries) newSeries(name string, n int) *series {
	s := &series{name: name, from: make([]*timing, n)}
	if !slices.ContainsFunc(e.list, func(x entry) bool { return x.c.data.U == nil }) {
		s.u, s.have = make([]uint64, n), make([]bool, n)
		return s
	}
	s.f = make([]float64, n)
	for i := range s.f {
		s.f[i] = math.NaN()
	}
	return s
}

// set stores the value of an entry. A missing value is noted and stays missing.
func (s *series) set(d int, x *entry) {
	s.from[d] = x.p
	i := x.value(d)
	switch {
	case x.c.data.Missing(i):
		s.why = x.c.why
	case s.u != nil:
		s.u[d], s.have[d] = x.c.data.U[i], true
	default:
		s.f[d] = x.c.data.Float(i)
	}
}

// axisTiming is the run whose times make the axis: that of the first table, or of its first pass where each pass has
// times of its own. Means over several runs are the last choice.
func (w *workload) axisTiming() *timing {
	timed := func(p *timing) (first int64, ok bool) {
		for d, s := range p.start {
			if s != noTime && p.end[d] != noTime && (!ok || s < first) {
				first, ok = s, true
			}
		}
		return first, ok
	}
	var best *timing
	var since int64
	for i, p := range w.timings {
		first, ok := timed(p)
		if !ok || best != nil && (p.averaged || !best.averaged && first >= since) {
			continue
		}
		if best, since = p, first; i == 0 && w.tables[0].main && !p.averaged {
			break
		}
	}
	return best
}
