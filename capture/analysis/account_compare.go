package analysis

import (
	"cmp"
	"math"
	"slices"
)

// AccountRun is the account of one capture, and how many frames it has; 0 where they are not marked.
type AccountRun struct {
	*Accounted
	Frames int
}

// AccountChange is how long one thing set the pace in two captures, in ns per frame, or per second of measured time
// where frames are not marked.
type AccountChange struct {
	Kind          LimitKind
	Name          string
	Before, After float64
}

// CompareAccounts compares where the time of some runs went, the largest change first. perFrame says that it is per
// frame, which all runs must have; of several runs of one side it is the mean.
func CompareAccounts(before, after []AccountRun) (changes []AccountChange, perFrame bool) {
	perFrame = true
	for _, r := range slices.Concat(before, after) {
		perFrame = perFrame && r.Frames > 0
	}
	at := map[partKey]int{}
	add := func(runs []AccountRun, to func(*AccountChange) *float64) {
		for _, r := range runs {
			units := float64(r.Base) / 1e9
			if perFrame {
				units = float64(r.Frames)
			}
			for _, p := range r.Parts {
				key := partKey{p.Kind, p.Name}
				i, ok := at[key]
				if !ok {
					i = len(changes)
					at[key], changes = i, append(changes, AccountChange{Kind: p.Kind, Name: p.Name})
				}
				if units > 0 {
					*to(&changes[i]) += float64(p.Time) / units / float64(len(runs))
				}
			}
		}
	}
	add(before, func(c *AccountChange) *float64 { return &c.Before })
	add(after, func(c *AccountChange) *float64 { return &c.After })
	slices.SortStableFunc(changes, func(x, y AccountChange) int {
		return cmp.Compare(math.Abs(y.After-y.Before), math.Abs(x.After-x.Before))
	})
	return changes, perFrame
}
