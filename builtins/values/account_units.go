package values

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/capture/analysis"
	"astrolabe/capture/metrics"
)

// units are those of the table. Of entries with one name each takes the place of those before it in the samples that
// these have no level of: another way to see the same unit. One of them that is a fallback stays one. lacking says of
// each whether its level is missing in some sample.
func (a *accounting) units() (out []analysis.AccountUnit, lacking []bool) {
	place, lacks := map[string]int{}, map[string][]string{}
	var open []*plan // those of the last units, to be computed together
	flush := func() {
		a.evaluate(open...)
		for k, p := range open {
			lacking[len(out)-len(open)+k] = p.lacks.Load()
		}
		open = open[:0]
	}
	for _, u := range a.table.units {
		if a.absent(u) {
			continue
		}
		first, again := place[u.name]
		if again {
			if flush(); !lacking[first] {
				continue
			}
		}
		before := len(a.missing)
		kind, _ := analysis.ParseLimitKind(u.kind)
		p := a.plan(u)
		unit := analysis.AccountUnit{Name: u.name, Kind: kind, Level: p.out, Error: u.errorn, Sure: u.sure,
			Floor: u.floor, Fallback: u.fallback, Beside: u.beside, Queue: u.queue, Set: u.set,
			Holds: u.holds, Stays: u.stays}
		if len(u.guess) > 0 {
			unit.Guess = a.values(u.guess)
		}
		if len(u.upTo) > 0 {
			unit.Most, unit.Tells = a.bound(u), u.tells
		}
		if !again {
			place[u.name], lacks[u.name] = len(out), slices.Clone(a.missing[before:])
			out, lacking, open = append(out, unit), append(lacking, false), append(open, p)
			continue
		}
		a.evaluate(p)
		lacks[u.name] = append(lacks[u.name], a.missing[before:]...)
		if !slices.ContainsFunc(out[first].Level, func(x float64) bool { return !math.IsNaN(x) }) {
			out[first].Sure = u.sure
		}
		seen := false
		for k, x := range unit.Level {
			if math.IsNaN(x) || !math.IsNaN(out[first].Level[k]) {
				unit.Level[k] = math.NaN()
				continue
			}
			seen = true
			if out[first].Level[k] = x; u.fallback {
				out[first].Level[k] = 0
			}
			if unit.Most != nil {
				if out[first].Most == nil {
					out[first].Most, out[first].Tells = missingEverywhere(a.n), unit.Tells
				}
				out[first].Most[k] = unit.Most[k]
			}
		}
		if !seen {
			a.spare = append(a.spare, unit.Level)
			continue
		}
		lacking[first] = anyMissing(out[first].Level)
		// Nothing is lacking of what is seen otherwise; entries of other units, which may stand between, keep what they
		// lack.
		a.missing = slices.DeleteFunc(a.missing, func(name string) bool { return slices.Contains(lacks[u.name], name) })
		if u.fallback {
			out, lacking = append(out, unit), append(lacking, anyMissing(unit.Level))
		} else {
			out[first].Error = max(out[first].Error, u.errorn)
			a.spare = append(a.spare, unit.Level)
		}
	}
	flush()
	return out, lacking
}

// bound is how high the level of an entry may be in every sample.
func (a *accounting) bound(u accountEntry) []float64 {
	lacked := len(a.missing)
	u.level = u.upTo
	p := a.plan(u)
	a.evaluate(p)
	a.missing = a.missing[:lacked] // its level lacks the same
	return p.out
}

func missingEverywhere(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}

// holes is the share of the time with work from which on a metric without values is named among what is missing.
const holes = 0.05

// lackSamples names the metrics of units that were recorded and have no value for a part of the time with work, before those that were not
// recorded at all: nothing else says why that part is not explained.
func (a *accounting) lackSamples(in *analysis.AccountInput, lacking []bool) {
	if a.inTurns() {
		return // each set has its own samples
	}
	var partly []string
	lost := map[string]float64{} // the largest share of the time with work, by name
	for k, u := range in.Units {
		if u.Fallback || u.Set != "" || !lacking[k] {
			continue
		}
		var unknown []int
		worked, dark := 0.0, 0.0
		for i, level := range u.Level {
			time := float64(in.Length[i])
			if in.Active != nil && in.Active[i] >= 0 {
				time *= min(1, in.Active[i])
			}
			worked += time
			if math.IsNaN(level) {
				unknown, dark = append(unknown, i), dark+time
			}
		}
		if dark < holes*worked || len(unknown) == len(u.Level) {
			continue
		}
		for _, name := range a.without(u.Name, unknown) {
			if name = a.called(name); !slices.Contains(partly, name) {
				partly = append(partly, name)
			}
			lost[name] = max(lost[name], dark/worked)
		}
	}
	for i, name := range partly {
		partly[i] = fmt.Sprintf("%s (no value for %.0f %% of the time)", name, 100*lost[name])
	}
	a.missing = append(partly, a.missing...)
}

// without are the metrics of a unit that have no value in some of these samples.
func (a *accounting) without(unit string, samples []int) (out []string) {
	for _, en := range a.table.units {
		if en.name != unit {
			continue
		}
		for _, names := range en.level {
			for _, name := range names {
				c := a.named(name)
				if c == nil || strings.Contains(name, " ") || slices.Contains(out, name) {
					continue
				}
				if slices.ContainsFunc(samples, func(i int) bool { return c.Value(i).Missing() }) {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// absent reports whether an entry is of a queue or unit that the capture's GPU does not have: it asks for a role that
// no metric of it plays, though others play some, or works for a queue that does.
func (a *accounting) absent(en accountEntry) bool {
	if a.roles == nil {
		a.roles, _ = metrics.Roles(a.cap.Capture, "") // the error is of a kind that there is not
	}
	if len(a.roles) == 0 {
		return false
	}
	unplayed := func(name string) bool { // it, or one that a formula reads
		return slices.ContainsFunc(strings.Fields(name), func(word string) bool {
			word = strings.TrimPrefix(word, "$")
			return metrics.IsRole(word) && !slices.Contains(a.roles, word)
		})
	}
	for _, names := range en.level {
		if !slices.ContainsFunc(names, func(name string) bool { return !unplayed(name) }) {
			return true
		}
	}
	return en.queue != "" && slices.ContainsFunc(a.table.queues, func(q accountEntry) bool {
		return q.name == en.queue && q.queue == "" && a.absent(q)
	})
}

// lackAll notes what is lacking where none of some names has a value: the names, or the counters of a formula
// that were not recorded.
func (a *accounting) lackAll(names []string) {
	if len(names) == 0 {
		return
	}
	if _, err := a.addressed(names[0]); err == nil || !strings.Contains(names[0], " ") {
		called := make([]string, len(names))
		for i, name := range names {
			called[i] = a.called(name)
		}
		a.lack(strings.Join(called, " or "))
		return
	}
	read, err := a.reads(names)
	if err != nil {
		a.lack(names[0])
	}
	for _, n := range read {
		if a.find([]string{n, metrics.SumTwin(n)}) == nil {
			a.lack(a.called(n))
		}
	}
}

// reads are the names that a formula reads: of several the first of which the GPU has all, else the first.
func (a *accounting) reads(formulas []string) (first []string, err error) {
	for i, f := range formulas {
		read, err := metrics.FormulaCounters(a.cap.Capture.GPU, f)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(read, func(n string) bool { _, err := a.cap.resolve(n); return err != nil }) {
			return read, nil
		}
		if i == 0 {
			first = read
		}
	}
	return first, nil
}

// called is a name of the table, or what the capture's catalogue calls a role ("queue:fragment"), or a set that has what plays it.
func (a *accounting) called(name string) string {
	c, err := a.cap.resolve(name)
	switch {
	case err != nil || !strings.Contains(name, ":"):
		return name
	case !metrics.IsRole(c.Name):
		return c.Name
	}
	if sets, _ := metrics.SetsShowing(a.cap.Capture, name); len(sets) > 0 {
		return sets[0] // what several metrics of a set play has no name that anybody could record
	}
	return name
}

// reruns are the runs of the same work that pairs of counters tell of: counts of the same cycles, each with the time of
// the run that it was measured in. Pairs that were not both measured, or that one run measured, tell nothing.
func (a *accounting) reruns(pairs [][]string) (out []analysis.Rerun) {
	for _, p := range pairs {
		var r analysis.Rerun
		var runs [2]string
		for k, name := range p {
			c := a.find([]string{name})
			if c == nil {
				break
			}
			runs[k] = c.PassID()
			r.Cycles[k], r.Time[k] = c.Floats(), make([]float64, a.n)
			for i := range r.Time[k] {
				r.Time[k][i] = c.Interval(i)
			}
		}
		if r.Cycles[1] != nil && runs[0] != runs[1] {
			out = append(out, r)
		}
	}
	return out
}

// followsClock is the share of every sample's time that goes with the device's clock, as runs of the same kernel at
// different clocks tell; NaN where they tell too little.
func (a *accounting) followsClock(pairs [][]string) []float64 {
	group := make([]int32, a.n)
	if l := a.cap.Capture.Label("kernel"); l != nil {
		copy(group, l.Codes)
	}
	return analysis.FollowsClock(a.reruns(pairs), group)
}
