package analysis

import "slices"

// Units of which only bounds are known: their level depends on something that the capture does not say.

// may is what would tell of units that may lead, and do not for certain, in the place of open, what would tell of those
// of which nothing is known; open itself where there are none. Where samples hold several passes each
// unit has some of their time, and how much of it is not known is left open instead, see unmix.
func (a *accountant) may(ranked []candidate, open []unmeasured) []unmeasured {
	known := false
	for k, c := range ranked {
		if !(c.most > c.level) || c.most < a.Floor || k == 0 && c.level >= a.Floor {
			continue
		}
		if k > 0 && ranked[0].level >= a.Floor && c.most <= ranked[0].level+2*accountLead {
			continue
		}
		if !known {
			open, known = open[:0], true
		}
		tells := a.Units[c.unit].Tells
		if at := slices.IndexFunc(open, func(o unmeasured) bool { return o.set == tells }); at >= 0 {
			open[at].guess = max(open[at].guess, c.most)
		} else {
			open = append(open, unmeasured{tells, c.most})
		}
	}
	return open
}

// highest is how high the level of sample i may be.
func (u *AccountUnit) highest(i int) float64 {
	if u.Most != nil && u.Most[i] > u.Level[i] {
		return u.Most[i]
	}
	return u.Level[i]
}

// doubted reports whether another of the ranked units may have a higher level than the first.
func (a *accountant) doubted() bool {
	return slices.ContainsFunc(a.ranked[1:], func(c candidate) bool { return c.most > a.ranked[0].level+2*accountLead })
}

// untold leaves open the time of a sample of several passes that units may have had beyond what they had at least. It
// returns how much that is.
func (a *accountant) untold(time int64, scale float64) (given int64) {
	for _, c := range a.ranked {
		if !(c.most > c.level) {
			continue
		}
		if t := min(time-given, portion(time, (led(c.most)-led(c.level))*scale)); t > 0 {
			a.give(a.part(LimitMissing, a.Units[c.unit].Tells), t, false)
			given += t
		}
	}
	return given
}

// full is the most that relieving a unit with that share of a time gains, which is saved but for memory that has most of it:
// it may be full, and then all takes as long as what it moves, and what is done meanwhile stalls nobody.
func full(u *AccountUnit, share float64, time int64, saved float64) float64 {
	if u.Kind == LimitMemory && share >= accountFull {
		return (1 - accountRelief) * float64(time)
	}
	return saved
}
