package analysis

import (
	"cmp"
	"math"
	"slices"
)

// What sets the pace inside a queue: its units, by how far they lead.

// long reports whether sample i may hold several passes of a frame.
func (a *accountant) long(i int) bool { return a.Frame > 0 && a.Length[i] > a.Frame/4 }

// mostLevel is the highest level that counts.
const mostLevel = 2.

// unmeasured is what would measure units without a level in a sample.
type unmeasured struct {
	set   string
	guess float64 // how high the highest level may be
}

// rank collects the units that may set the pace below queue lead, the highest level first, and in open what was not
// measured, the likeliest first: nothing where every unit that is likely to lead was.
func (a *accountant) rank(i, lead int) {
	units := a.below[lead+1].ranked
	if cap(a.ranked) < len(units) {
		a.ranked = make([]candidate, len(units))
	}
	ranked, n, open := a.ranked[:len(units)], 0, a.open[:0]
	long := a.long(i)
	for _, k := range units {
		u := &a.Units[k] // large enough to be slow to copy
		if level := u.Level[i]; level == level {
			if u.Holds {
				continue
			}
			level, most := min(mostLevel, max(0, level)), min(mostLevel, max(0, u.highest(i)))
			if u.Floor > a.Floor && !long {
				level, most = a.above(u.Floor, level), a.above(u.Floor, most)
			}
			// There are some ten, and this is done for every sample: sorting them costs more than keeping their order.
			at := n
			for ; at > 0 && ranked[at-1].level < level; at-- {
				ranked[at] = ranked[at-1]
			}
			ranked[at] = candidate{level, most, k}
			n++
			continue
		}
		guess := 1.
		if u.Guess != nil {
			guess = u.Guess[i] // a guess that is missing is not above the limit
		}
		if !(guess >= accountDoubt) {
			continue
		}
		if at := slices.IndexFunc(open, func(o unmeasured) bool { return o.set == u.Set }); at >= 0 {
			open[at].guess = max(open[at].guess, guess)
		} else {
			open = append(open, unmeasured{u.Set, guess})
		}
	}
	if len(open) > 1 {
		slices.SortStableFunc(open, func(x, y unmeasured) int { return cmp.Compare(y.guess, x.guess) })
	}
	if len(open) > 0 && open[0].set != "" && n > 0 && open[0].guess <= ranked[0].level+2*accountLead {
		open = open[:0]
	}
	if !long {
		open = a.may(ranked[:n], open)
	}
	a.ranked, a.open = ranked[:n], open
}

// dark gives time to what was not measured: to each of the sets that would measure a unit that may lead, by how high
// its level may be, and to what explains waits as well as these.
func (a *accountant) dark(i int, time int64, lead int) {
	if a.open[0].set == "" {
		a.give(a.part(LimitMissing, ""), time, false)
		return
	}
	least := accountDoubt
	if len(a.ranked) > 0 {
		least = max(least, a.ranked[0].level+2*accountLead)
	}
	sum := 0.0
	for _, o := range a.open {
		if o.set != "" && o.guess >= least {
			sum += o.guess
		}
	}
	left := time
	led := len(a.ranked) > 0 && a.ranked[0].level >= a.Floor // by a unit, so that nothing else has to explain what waits
	if f := a.fallback(i, lead); f >= 0 && a.Units[f].Beside && !led {
		level := min(1, a.Units[f].Level[i])
		sum += level
		t := portion(time, level/sum)
		part := a.unitPart(f)
		a.give(part, t, false)
		a.gain(part, 0, float64(t)/3, "")
		left -= t
	}
	for _, o := range a.open {
		if o.set != "" && o.guess >= least {
			t := min(left, portion(time, o.guess/sum))
			a.give(a.part(LimitMissing, o.set), t, false)
			left -= t
		}
	}
	a.give(a.part(LimitMissing, a.open[0].set), left, false)
}

// above is a level of a unit with a floor of its own as one that can be compared with those of others: that floor is
// theirs, and 1 stays 1.
func (a *accountant) above(floor, level float64) float64 {
	switch {
	case !(floor > a.Floor) || floor >= 1 || level >= 1:
		return level
	case level < floor:
		return level * a.Floor / floor
	}
	return a.Floor + (level-floor)*(1-a.Floor)/(1-floor)
}

// held gives the units that are known to hold up all others the time in which they do. Relieving one saves that time,
// and a third of all at most. It returns how much it gave.
func (a *accountant) held(i int, time int64, lead int) (given int64) {
	sum, most, first := 0.0, 0.0, -1
	holds := a.below[lead+1].holds
	for _, k := range holds {
		if level := a.Units[k].Level[i]; level > 0 {
			sum += min(1, level)
			if level > most {
				most, first = level, k
			}
		}
	}
	if first < 0 {
		return 0
	}
	for _, k := range holds {
		u := &a.Units[k]
		if !(u.Level[i] > 0) {
			continue
		}
		share := min(1, u.Level[i]) / max(1, sum)
		t := min(time-given, portion(time, share))
		if t <= 0 {
			continue
		}
		part, next := a.unitPart(k), ""
		if k != first {
			next = a.Units[first].Name
		}
		a.give(part, t, true)
		a.levels(part, t, 1, 0)
		saved := func(share float64) float64 { return max(0, min(share*(1-u.Stays), 1-accountRelief)) * float64(time) }
		a.gain(part, saved(share-max(0, u.Error)), full(u, share, time, saved(share)), next)
		given += t
	}
	return given
}

// units divides the time in which a queue sets the pace among the units that may.
func (a *accountant) units(i int, time int64, lead int) {
	if time <= 0 {
		return
	}
	time -= a.held(i, time, lead)
	a.rank(i, lead)
	missing := len(a.open) > 0
	named := missing && a.open[0].set != ""
	long := a.long(i)
	if len(a.ranked) > 0 {
		first := a.ranked[0]
		least, known := accountSure, !named
		if s := a.Units[first.unit].Sure; s > 0 && (!long || s > 1) { // what is sure above 1 only is so in samples of several passes as well
			least, known = s, true
		}
		sure := first.level >= max(least, a.Floor) && known && (!long || !a.doubted())
		if sure || !long && !missing && first.level >= a.Floor {
			a.leaders(time)
			return
		}
		if long && first.level > accountBase && !named {
			time -= a.unmix(time, missing)
		}
	}
	if f := a.fallback(i, lead); f >= 0 && !missing {
		part := a.unitPart(f)
		a.give(part, time, !long)
		top := 0.0
		next := ""
		if len(a.ranked) > 0 {
			top, next = a.ranked[0].level, a.Units[a.ranked[0].unit].Name
		}
		a.levels(part, time, 0, top)
		a.gain(part, float64(time)*(1-max(accountRelief, min(1, top+0.3))), float64(time)/3, next)
		return
	}
	switch {
	case missing:
		a.dark(i, time, lead)
	case len(a.Units) == 0:
		a.give(a.part(LimitMissing, ""), time, false)
	case long:
		a.give(a.part(LimitMixed, ""), time, false)
	default:
		a.give(a.part(LimitEven, ""), time, false)
	}
}

// fallback is the unit that explains what no other does, -1 where none does.
func (a *accountant) fallback(i, lead int) int {
	best, most := -1, a.Floor
	for _, k := range a.below[lead+1].fallbacks {
		if level := a.Units[k].Level[i]; level >= most {
			best, most = k, level
		}
	}
	return best
}

// leaders gives time to the first of the ranked units, or in equal parts to those that lie within the error of it.
func (a *accountant) leaders(time int64) {
	n := 1
	first := a.ranked[0]
	for n < len(a.ranked) {
		if first.level-a.ranked[n].level > a.tells[first.unit*len(a.Units)+a.ranked[n].unit] {
			break
		}
		n++
	}
	after, next, nearest := 0.0, "", 0.0
	if n < len(a.ranked) {
		after, next = a.ranked[n].level, a.Units[a.ranked[n].unit].Name
	}
	for _, c := range a.ranked[n:] {
		nearest = max(nearest, c.most)
	}
	left := time
	for k, c := range a.ranked[:n] {
		share := time / int64(n)
		// Whole nanoseconds: the last takes what division leaves, so that the parts add up to the measured time.
		if k == n-1 {
			share = left
		}
		left -= share
		part := a.unitPart(c.unit)
		a.give(part, share, n == 1)
		switch {
		case n == 1:
			a.levels(part, share, c.level, after)
		case k == 0:
			a.levels(part, share, c.level, a.ranked[1].level)
		default:
			a.levels(part, share, c.level, first.level)
		}
		// Time shrinks until the next unit sets the pace, so what remains is the ratio of the two levels; each may
		// be wrong by e, and no relief is believed beyond accountRelief.
		e := max(accountLead/2, a.errs[c.unit])
		low := 1 - max(accountRelief, (nearest+e)/max(c.level-e, 1e-9))
		high := 1 - max(accountRelief, (after-e)/(c.level+e))
		if n > 1 {
			// Relieving one of several that are as busy gains next to nothing; all of them together have a gain, which
			// is no one's alone.
			other := a.ranked[0]
			if k == 0 {
				other = a.ranked[1]
			}
			low, high = 0, 1-max(accountRelief, (other.level-e)/(c.level+e))
			next = a.Units[other.unit].Name
			a.gain(part, 0, high*float64(time), next)
			continue
		}
		a.gain(part, low*float64(share), high*float64(share), next)
	}
}

// led is the least share of a sample that holds several passes in which a unit of that level set the pace.
func led(level float64) float64 { return max(0, min(1, level)-accountBase) / (1 - accountBase) }

// unmix gives each unit of a sample that holds several passes the time that it must have led at least: the others leave
// it at accountBase. It returns how much it gave.
func (a *accountant) unmix(time int64, missing bool) (given int64) {
	sum := 0.0
	for _, c := range a.ranked {
		sum += led(c.most)
	}
	scale := 1 / max(1, sum)
	given = a.untold(time, scale)
	for k, c := range a.ranked {
		t := min(time-given, portion(time, led(c.level)*scale))
		if t <= 0 {
			break
		}
		part := a.unitPart(c.unit)
		a.give(part, t, false)
		next, against := "", 0.0
		if len(a.ranked) > 1 {
			other := a.ranked[0]
			if k == 0 {
				other = a.ranked[1]
			}
			next, against = a.Units[other.unit].Name, other.level
		}
		a.levels(part, t, c.level, against)
		low := 0.5 * (1 - accountRelief) * float64(t)
		if len(a.ranked) > 1 {
			// Passes of another may be the same ones, which then gain nothing: half of that is taken off.
			other := a.ranked[0]
			if k == 0 {
				other = a.ranked[1]
			}
			low *= 1 - 0.5*min(1, max(0, other.level-accountBase)/(c.level-accountBase))
		}
		if missing { // the unit that was not recorded may be what all wait for
			low = 0
		}
		a.gain(part, low, (1-accountRelief)*float64(t), next)
		given += t
	}
	return given
}

// memory is how likely memory sets the pace of sample i, 0 to 1: the highest of what its units reach, or may reach
// where they were not measured.
func (a *accountant) memory(i int) (most float64) {
	for k := range a.Units {
		u := &a.Units[k]
		if u.Kind != LimitMemory {
			continue
		}
		level := u.highest(i)
		if math.IsNaN(level) {
			if level = 1; u.Guess != nil {
				level = u.Guess[i]
			}
			if level >= accountDoubt {
				level = 1
			}
		}
		if u.Fallback {
			level /= 2 // a higher clock shortens a part of such waits, as settle has it
		}
		if level > most { // a guess may be missing as well
			most = level
		}
	}
	return min(1, most)
}

// settle finds the part that has most of sample i, and what a higher clock would gain in it: nothing while something
// else sets the pace, and not for sure where memory does, which has a clock of its own.
func (a *accountant) settle(i int) {
	best, most := int32(-1), int64(0)
	for _, s := range a.sample {
		if s.time > most {
			best, most = int32(s.part), s.time
		}
		if a.Group != nil {
			a.divide(i, s.part, s.time)
		}
		if a.Clock == nil || !(a.Clock[i] > 0) || a.idles {
			continue // a low clock where there is little to do is the governor's choice
		}
		gain := min(1, a.Clock[i]) * float64(s.time)
		switch a.out.Parts[s.part].Kind {
		case LimitQueue, LimitUnit:
			a.out.ClockLow += gain
			a.out.ClockHigh += gain
		case LimitMemory:
			a.out.ClockHigh += gain
			if a.latency[a.out.Parts[s.part].Name] {
				a.out.ClockLow += gain / 2
			}
		case LimitMissing: // as far as it cannot be memory's
			a.out.ClockHigh += gain
			a.out.ClockLow += gain * (1 - a.memory(i))
		case LimitDisplay, LimitProcessor, LimitTurns, LimitWaiter:
		default: // waits of warps are for each other as well, which the clock shortens
			a.out.ClockLow += gain / 2
			a.out.ClockHigh += gain
		}
	}
	a.out.Lead[i] = best
}

// divide gives a part of sample i to its group, or to each of several what lies in that, in whole ns that add up to it.
func (a *accountant) divide(i, part int, time int64) {
	give := func(group int32, time int64) {
		if group < 0 {
			return
		}
		g := &a.out.ByGroup[group]
		for len(*g) <= part {
			*g = append(*g, 0)
		}
		(*g)[part] += time
	}
	cuts, cut := a.Cuts[i]
	if !cut {
		give(a.Group[i], time)
		return
	}
	given, share := int64(0), 0.0
	for _, c := range cuts {
		share += c.Share
		upTo := portion(time, share)
		give(c.Group, upTo-given)
		given = upTo
	}
}

// slowed is how much less time the work of the device would take at its highest clock, in ns; 0 where that is unknown.
func (a *accountant) slowed() (sum float64) {
	for i, c := range a.Clock {
		if time, known := a.active(i); known && c > 0 {
			sum += min(1, c) * float64(time)
		}
	}
	return sum
}

// finish sorts the parts and names what comes next after each.
func (a *accountant) finish() {
	// What a processor or taking turns costs shows in the whole only: the device waits before and works behind.
	base := float64(a.base())
	overlap := 0.0
	for _, p := range a.out.Parts {
		if p.Kind == LimitQueue {
			overlap += p.High
		}
	}
	for _, p := range a.out.Parts {
		idle := float64(a.out.Idle)
		switch p.Kind {
		case LimitProcessor:
			p.Low, p.High, p.RunnerUp = min(idle, float64(p.Time)/3), float64(p.Time)/3, OwnWork
		case LimitTurns:
			p.Low, p.RunnerUp = accountRelief*min(idle, base-idle), OwnWork
			// A device that no longer waits has a higher clock soon, and queues that have the next frame at hand overlap as well.
			p.High = min(base-idle, base-max(idle, base-idle-a.slowed())+overlap)
		}
	}
	// The runner-up is decided by time and then by name, and parts by time and then by when they first led, so that
	// the same capture gives the same account.
	order := make([]int, len(a.out.Parts))
	for i, p := range a.out.Parts {
		if p.Level, p.Against = math.NaN(), math.NaN(); p.leveled > 0 {
			p.Level, p.Against = p.levels/p.leveled, p.others/p.leveled
		}
		order[i] = i
		a.out.Base += p.Time
		most := 0.0
		for _, f := range p.next {
			if f.time > most || f.time == most && f.name < p.RunnerUp {
				p.RunnerUp, most = f.name, f.time
			}
		}
		p.next = nil
	}
	slices.SortStableFunc(order, func(x, y int) int {
		p, q := a.out.Parts[x], a.out.Parts[y]
		if p.Time != q.Time {
			if p.Time > q.Time {
				return -1
			}
			return 1
		}
		return 0
	})
	sorted, place := make([]*AccountPart, len(order)), make([]int32, len(order))
	for to, from := range order {
		sorted[to], place[from] = a.out.Parts[from], int32(to)
	}
	// Samples name parts by their place, which sorting has changed.
	for i, l := range a.out.Lead {
		if l >= 0 {
			a.out.Lead[i] = place[l]
		}
	}
	// Parts without time stand at the end after sorting, so that they go without moving the others.
	for len(sorted) > 0 && sorted[len(sorted)-1].Time == 0 {
		sorted = sorted[:len(sorted)-1]
	}
	a.out.Parts = sorted
	for g, times := range a.out.ByGroup {
		row := make([]int64, len(sorted))
		for from, t := range times {
			if t > 0 {
				row[place[from]] = t
			}
		}
		a.out.ByGroup[g] = row
	}
}
