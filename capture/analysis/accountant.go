package analysis

import (
	"math"
	"runtime"
	"sync/atomic"

	"astrolabe/capture/memory"
)

type partKey struct {
	kind LimitKind
	name string
}

// accountant is one run of Account.
type accountant struct {
	AccountInput
	out    *Accounted
	index  map[partKey]int
	known  knownParts
	waits  bool    // the waiter sets the pace of the device's work as well
	idles  bool    // the device has time to spare
	unsure bool    // something that nobody knows may set the pace
	apart  float64 // see overlap, of the current window
	// idleStays is AccountUnit.Stays of the unit that has the time without work.
	idleStays float64
	// latency are the names of the units that only explain what no other does.
	latency map[string]bool
	below   []belowQueue // see prepare
	tells   []float64    // see prepare
	errs    []float64    // of the levels of units
	weigh   []weighing   // see overlap
	actives []activeTime // of the samples of the current window
	sample  []slice
	ranked  []candidate  // see rank
	open    []unmeasured // see rank
	work    []float64    // see overlap
}

// slice is the time of one sample that goes to a part.
type slice struct {
	part int
	time int64
}

// activeTime is what active says of a sample.
type activeTime struct {
	time  int64
	known bool
}

// belowQueue are the units that may set the pace while a queue leads, by their places.
type belowQueue struct {
	ranked    []int // candidates, see rank
	holds     []int
	fallbacks []int
}

// weighing is how a unit counts in overlap.
type weighing uint8

const (
	weighLevel  weighing = iota // by its level
	weighMemory                 // by all of the time from the floor on
	weighNone                   // by no time, but it explains the sample
	weighNever
)

// candidate is a unit with its level in a sample.
type candidate struct {
	level float64
	most  float64 // how high the level may be
	unit  int
}

// knownParts are places of parts plus one, 0 where they were not asked for yet: most samples give time to the waiter, to
// a queue or to a unit, and looking for these by name would cost as much as all else.
type knownParts struct {
	waiter        int
	queues, units []int
}

func (a *accountant) waiterPart() int { return a.once(&a.known.waiter, a.Waiter, "") }

func (a *accountant) queuePart(k int) int {
	if a.known.queues == nil {
		a.known.queues = make([]int, len(a.Queues))
	}
	return a.once(&a.known.queues[k], LimitQueue, a.Queues[k].Name)
}

func (a *accountant) unitPart(k int) int {
	if a.known.units == nil {
		a.known.units = make([]int, len(a.Units))
	}
	return a.once(&a.known.units[k], a.Units[k].Kind, a.Units[k].Name)
}

// once is a part whose place is remembered.
func (a *accountant) once(known *int, kind LimitKind, name string) int {
	if *known == 0 {
		*known = a.part(kind, name) + 1
	}
	return *known - 1
}

func (a *accountant) part(kind LimitKind, name string) int {
	key := partKey{kind, name}
	i, ok := a.index[key]
	if !ok {
		i = len(a.out.Parts)
		a.index[key] = i
		a.out.Parts = append(a.out.Parts, &AccountPart{Kind: kind, Name: name})
	}
	return i
}

// give adds time of the current sample to a part.
func (a *accountant) give(part int, time int64, sure bool) {
	if time <= 0 {
		return
	}
	p := a.out.Parts[part]
	p.Time += time
	if sure {
		p.Sure += time
	}
	a.sample = append(a.sample, slice{part, time})
}

// gain adds what relieving a part would save, and what comes next.
func (a *accountant) gain(part int, low, high float64, next string) {
	p := a.out.Parts[part]
	if a.unsure {
		low = 0
	}
	p.Low, p.High = p.Low+max(0, low), p.High+max(0, high)
	if next != "" {
		p.follows(next, max(high, 1e-9))
	}
}

// follows adds time in which another part came next. They are few.
func (p *AccountPart) follows(name string, time float64) {
	for i := range p.next {
		if p.next[i].name == name {
			p.next[i].time += time
			return
		}
	}
	p.next = append(p.next, follower{name, time})
}

// levels notes what speaks for and against a part for some time of the current sample.
func (a *accountant) levels(part int, time int64, level, other float64) {
	p := a.out.Parts[part]
	t := float64(time)
	p.levels, p.others, p.leveled = p.levels+t*min(1, level), p.others+t*min(1, max(0, other)), p.leveled+t
}

// prepare finds what is asked of every sample and the same in each: which units may set the pace below each queue, the
// first being for none, and by how much the levels of two have to differ to be told apart.
func (a *accountant) prepare() {
	a.below = make([]belowQueue, len(a.Queues)+1)
	for q := range a.below {
		queue, b := "", &a.below[q]
		if q > 0 {
			queue = a.Queues[q-1].Name
		}
		for k := range a.Units {
			u := &a.Units[k]
			switch {
			case u.Fallback:
				if u.Queue == "" || u.Queue == queue {
					b.fallbacks = append(b.fallbacks, k)
				}
			case u.Queue == "" || queue == "" || u.Queue == queue:
				b.ranked = append(b.ranked, k)
				if u.Holds {
					b.holds = append(b.holds, k)
				}
			}
		}
	}
	n := len(a.Units)
	a.tells, a.weigh, a.errs = make([]float64, n*n), make([]weighing, n), make([]float64, n)
	for k := range a.Units {
		u := &a.Units[k]
		a.errs[k] = max(0, u.Error)
		for other := range a.Units {
			// Two levels are told apart by two deviations of their difference; where errors are small, by accountLead
			// at least.
			a.tells[k*n+other] = max(accountLead, 2*math.Hypot(a.errs[k], max(0, a.Units[other].Error)))
		}
		switch {
		case u.Fallback:
			a.weigh[k] = weighNever
		case u.Queue != "":
			a.weigh[k] = weighNone
		case u.Kind == LimitMemory:
			a.weigh[k] = weighMemory
		}
	}
}

// base is the measured time.
func (a *accountant) base() (sum int64) {
	for _, l := range a.Length {
		sum += l
	}
	return sum
}

// windowEnd is the end of the window that begins with sample lo.
func (a *accountant) windowEnd(lo int) int {
	if a.Window == nil {
		return min(lo+accountWindow, len(a.Length))
	}
	hi := lo + 1
	for hi < len(a.Length) && a.Window[hi] == a.Window[lo] {
		hi++
	}
	return hi
}

// active is the time in which the device worked in sample i, in ns; known is false where nothing tells.
func (a *accountant) active(i int) (time int64, known bool) {
	share := math.NaN()
	if a.Active != nil {
		share = a.Active[i]
	}
	if math.IsNaN(share) {
		sum, most := 0.0, 0.0
		for _, q := range a.Queues {
			if b := unitShare(q.Busy[i]); !math.IsNaN(b) {
				sum, most, share = sum+b, max(most, b), 0
			}
		}
		if math.IsNaN(share) {
			return 0, false
		}
		// The union of queues lies between the busiest and the sum of all: the middle.
		share = (most + min(1, sum)) / 2
	}
	return portion(a.Length[i], share), true
}

// unitShare is a share as one from 0 to 1.
func unitShare(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return min(1, max(0, x))
}

// portion is a share of some time in whole ns, between nothing and all of it.
func portion(time int64, share float64) int64 {
	if !(share > 0) {
		return 0
	}
	if share >= 1 {
		return time
	}
	return min(time, int64(math.Round(float64(time)*share)))
}

// leadingQueue is the queue with most work in a window, -1 where none worked.
func (a *accountant) leadingQueue(lo, hi int) int {
	best, most := -1, 0.0
	for k, q := range a.Queues {
		sum := 0.0
		for i := lo; i < hi; i++ {
			if b := unitShare(q.Busy[i]); !math.IsNaN(b) {
				sum += b * float64(a.Length[i])
			}
		}
		if sum > most {
			best, most = k, sum
		}
	}
	return best
}

// pace decides whether the waiter sets the pace of the device's work as well. Work that is done while something else
// sets the pace sets none, so that time in which frames wait for their dates, or for the processor that prepares the
// next one, is theirs as a whole. Where the two take turns only the wait is.
func (a *accountant) pace() {
	if a.Idle != "" {
		return // nobody is waited for
	}
	var whole int64
	for i, l := range a.Length {
		if act, known := a.active(i); known {
			whole, a.out.Idle = whole+l, a.out.Idle+l-act
		}
	}
	idle := float64(a.out.Idle)
	a.unsure = a.Waiter == LimitWaiter && idle > a.Unsure*float64(whole)
	a.idles = idle > accountIdle*float64(whole)
	dates := accountDates
	if a.Steady {
		dates = accountSteady
	}
	a.waits = a.Waiter == LimitDisplay && (a.Exact || idle > dates*float64(whole)) || a.Waiter == LimitProcessor &&
		idle > accountIdle*float64(whole)
}

// accountPiece is how many samples are accounted for at a time where there are more, and a window's. It is not by
// cores, so that sums are rounded alike on all machines.
const accountPiece = 1 << 16

// all accounts for all samples, on all cores where they are many.
func (a *accountant) all() {
	n := len(a.Length)
	if n <= accountPiece || a.Group != nil { // pieces would have a table of all groups each
		a.windows(0, n)
		return
	}
	type piece struct {
		lo, hi int
		of     accountant
	}
	var pieces []*piece
	for lo := 0; lo < n; {
		p := &piece{lo: lo, hi: lo, of: *a}
		for p.hi < n && p.hi-lo < accountPiece {
			p.hi = a.windowEnd(p.hi)
		}
		p.of.out, p.of.index, p.of.known = &Accounted{Lead: a.out.Lead}, map[partKey]int{}, knownParts{}
		pieces = append(pieces, p)
		lo = p.hi
	}
	var next atomic.Int64
	var wg memory.Group
	for range min(runtime.GOMAXPROCS(0), len(pieces)) {
		wg.Go(func() {
			for k := next.Add(1); k <= int64(len(pieces)); k = next.Add(1) {
				p := pieces[k-1]
				p.of.windows(p.lo, p.hi)
			}
		})
	}
	wg.Wait()
	for _, p := range pieces {
		a.take(p.of.out, p.lo, p.hi)
	}
}

// windows accounts for samples [lo, hi), which begin and end with a window.
func (a *accountant) windows(lo, hi int) {
	for lo < hi {
		end := a.windowEnd(lo)
		a.window(lo, end)
		lo = end
	}
}

// take adds what samples [lo, hi) came to.
func (a *accountant) take(o *Accounted, lo, hi int) {
	place := make([]int32, len(o.Parts))
	for k, q := range o.Parts {
		place[k] = int32(a.part(q.Kind, q.Name))
		p := a.out.Parts[place[k]]
		p.Time, p.Sure, p.Low, p.High = p.Time+q.Time, p.Sure+q.Sure, p.Low+q.Low, p.High+q.High
		p.levels, p.others, p.leveled = p.levels+q.levels, p.others+q.others, p.leveled+q.leveled
		for _, f := range q.next {
			p.follows(f.name, f.time)
		}
	}
	for i, l := range a.out.Lead[lo:hi] {
		if l >= 0 {
			a.out.Lead[lo+i] = place[l]
		}
	}
	a.out.Idle += o.Idle
	a.out.ClockLow, a.out.ClockHigh = a.out.ClockLow+o.ClockLow, a.out.ClockHigh+o.ClockHigh
}

// window accounts for the samples of one frame.
func (a *accountant) window(lo, hi int) {
	lead := a.leadingQueue(lo, hi)
	a.actives = a.actives[:0]
	for i := lo; i < hi; i++ {
		time, known := a.active(i)
		a.actives = append(a.actives, activeTime{time, known})
	}
	a.apart = a.overlap(lo, hi, lead)
	for i := lo; i < hi; i++ {
		a.sample = a.sample[:0]
		a.one(i, lead, a.actives[i-lo])
		a.settle(i)
	}
}

// one accounts for sample i.
func (a *accountant) one(i, lead int, of activeTime) {
	length, active := a.Length[i], of.time
	if !of.known {
		a.give(a.part(LimitMissing, ""), length, false)
		return
	}
	if a.waits {
		a.give(a.waiterPart(), length, true)
		return
	}
	if a.Idle != "" {
		active = a.idle(i, length, active)
	} else {
		a.give(a.waiterPart(), length-active, a.Waiter != LimitWaiter)
	}
	if lead < 0 {
		a.units(i, active, lead)
		return
	}
	turns := portion(a.rest(i, lead, active), a.apart)
	if turns > 0 {
		a.turns(i, lead, turns)
	}
	a.units(i, active-turns, lead)
}

// rest is the part of the active time of sample i in which the leading queue has nothing to do.
func (a *accountant) rest(i, lead int, active int64) int64 {
	b := unitShare(a.Queues[lead].Busy[i])
	if math.IsNaN(b) {
		return 0
	}
	return active - min(active, portion(a.Length[i], b))
}

// overlap is the share of the time in which the leading queue of a window has nothing to do, while others work, that
// would be saved if these worked beside it. What the units do takes its time all the same: two queues that one unit
// limits gain nothing beside each other, and where no unit tells what limits, nobody knows.
func (a *accountant) overlap(lo, hi, lead int) float64 {
	if lead < 0 {
		return 0
	}
	var active, rest int64
	if a.work == nil {
		a.work = make([]float64, len(a.Units))
	}
	work, unexplained, long := a.work, 0.0, false
	clear(work)
	for i := lo; i < hi; i++ {
		time := a.actives[i-lo].time
		active, rest = active+time, rest+a.rest(i, lead, time)
		most := 0.0
		for k, how := range a.weigh {
			if how == weighNever {
				continue
			}
			if level := a.Units[k].highest(i); level > 0 {
				switch {
				case how == weighNone:
				case how == weighMemory && level >= a.Floor: // stalls say that memory is full, and not by how much
					work[k] += float64(time)
				default:
					work[k] += min(1, level) * float64(time)
				}
				most = max(most, level)
			}
		}
		if most < a.Floor {
			unexplained += float64(time)
			long = long || a.long(i)
		}
	}
	if long && float64(rest) > accountApart*float64(active) {
		unexplained = 0 // the queues fill different parts of the samples, and so do what limits them
	}
	if rest == 0 {
		return 0
	}
	least := max(float64(active-rest), unexplained)
	for k := range a.Units {
		if !a.Units[k].Fallback {
			least = max(least, work[k])
		}
	}
	return min(1, max(0, float64(active)-least)/float64(rest))
}

// turns gives the time in which the leading queue had no work to the others, by how much they worked.
func (a *accountant) turns(i, lead int, rest int64) {
	sum := 0.0
	for k, q := range a.Queues {
		if b := unitShare(q.Busy[i]); k != lead && !math.IsNaN(b) {
			sum += b
		}
	}
	if sum <= 0 {
		a.give(a.part(LimitEven, ""), rest, false)
		return
	}
	left, last := rest, -1
	for k, q := range a.Queues {
		b := unitShare(q.Busy[i])
		if k == lead || math.IsNaN(b) || b <= 0 {
			continue
		}
		time := min(left, portion(rest, b/sum))
		left -= time
		if q.Tied || a.Queues[lead].Tied {
			a.units(i, time, k)
			continue
		}
		last = a.queuePart(k)
		a.give(last, time, true)
		a.gain(last, accountLoosened*float64(time), float64(time), a.Queues[lead].Name)
	}
	if last < 0 {
		a.units(i, left, lead)
		return
	}
	a.give(last, left, true)
}
