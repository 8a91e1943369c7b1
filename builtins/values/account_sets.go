package values

import (
	"math"
	"slices"

	"astrolabe/capture/analysis"
	"astrolabe/capture/metrics"
)

// shownBy lists the metric sets that measure the level of an entry, by the catalogue of the capture's GPU: those in
// which each factor has an alternative. There are none where the GPU has no sets, or every set measures it.
func (a *accounting) shownBy(en accountEntry) (out []string) {
	cat, err := metrics.Get(a.cap.Capture.GPU)
	if err != nil || len(cat.Sets()) == 0 {
		return nil
	}
	chosen := false
	for _, names := range slices.Concat(en.level, en.per) {
		var sets []string
		everywhere := false
		for _, n := range names {
			found, all := metrics.SetsShowing(a.cap.Capture, n)
			everywhere = everywhere || all
			sets = append(sets, found...)
		}
		switch {
		case everywhere:
		case chosen:
			out = slices.DeleteFunc(out, func(s string) bool { return !slices.Contains(sets, s) })
		default:
			out, chosen = sets, true
		}
	}
	return out
}

// chooseSets says for each unit without a level of its own which metric set to record, where the table does not: the
// one that shows most of what may set the pace unseen, then the one that shows most of what is left. What a set shows
// counts by how long a unit may set the pace, as its guess has it.
func (a *accounting) chooseSets(in *analysis.AccountInput, lacks []bool) {
	type lacking struct {
		unit   *analysis.AccountUnit
		sets   []string
		weight float64
	}
	var open []lacking
	for _, en := range a.table.units {
		if a.absent(en) {
			continue
		}
		k := slices.IndexFunc(in.Units, func(u analysis.AccountUnit) bool {
			return u.Name == en.name && u.Set == "" && !u.Fallback
		})
		if k < 0 || slices.ContainsFunc(open, func(l lacking) bool { return l.unit == &in.Units[k] }) {
			continue
		}
		u := &in.Units[k]
		if !lacks[k] {
			continue
		}
		if sets := a.shownBy(en); len(sets) > 0 {
			open = append(open, lacking{u, sets, a.doubt(in, u)})
		}
	}
	for len(open) > 0 {
		best, most := "", -1.
		for _, l := range open {
			for _, s := range l.sets {
				sum := 0.
				for _, other := range open {
					if slices.Contains(other.sets, s) {
						sum += other.weight
					}
				}
				if sum > most {
					best, most = s, sum
				}
			}
		}
		open = slices.DeleteFunc(open, func(l lacking) bool {
			if !slices.Contains(l.sets, best) {
				return false
			}
			l.unit.Set = best
			return true
		})
	}
}

// doubt is for how long a unit may set the pace in the samples that lack its level, each counted by how high that may
// be, in ns.
func (a *accounting) doubt(in *analysis.AccountInput, u *analysis.AccountUnit) (sum float64) {
	for i, x := range u.Level {
		if !math.IsNaN(x) {
			continue
		}
		guess := 1.
		if u.Guess != nil {
			guess = u.Guess[i]
		}
		active := 1.
		if in.Active != nil {
			active = in.Active[i]
		}
		if t := guess * active * float64(in.Length[i]); t > 0 { // not where it is missing
			sum += t
		}
	}
	return sum
}
