package analysis

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// LimitKind says what kind of thing set the pace of a stretch of time.
type LimitKind int

const (
	LimitDisplay   LimitKind = iota // a display or a cap: frames keep their dates
	LimitProcessor                  // a processor that feeds the device
	LimitTurns                      // processor and device wait for each other: the device's wait
	LimitQueue                      // a queue that works while the busiest one of its window waits
	LimitUnit                       // a unit of the device
	LimitMemory                     // what memory can move, or how long its replies take
	LimitWaiter                     // the device has no work, and nothing recorded says whom it waits for
	LimitMissing                    // the counters that would tell were not recorded
	LimitMixed                      // the sample is too long to tell what is in it
	LimitEven                       // nothing leads
)

var limitKinds = []string{"display", "processor", "turns", "queue", "unit", "memory", "waiter unknown", "not measured", "mixed", "nothing leads"}

func (k LimitKind) String() string { return limitKinds[k] }

// ParseLimitKind is the kind of that name.
func ParseLimitKind(s string) (LimitKind, bool) {
	i := slices.Index(limitKinds, s)
	return LimitKind(i), i >= 0
}

// Explained reports whether a part of this kind says what set the pace.
func (k LimitKind) Explained() bool { return k < LimitWaiter }

// AccountQueue is one queue of a device: the share of each sample (0 to 1, NaN where it is missing) in which it worked.
type AccountQueue struct {
	Name string
	Busy []float64
}

// AccountUnit is something that can set the pace while the device works.
type AccountUnit struct {
	Name string
	Kind LimitKind // LimitUnit or LimitMemory
	// Level is how near to its attainable peak it was in the device's active time of each sample: 1 is as fast as it can. NaN is missing.
	Level []float64
	Error float64 // of the level
	// Fallback makes it a candidate only where no other unit reaches Floor. The limit of what waits is what nothing else explains.
	Fallback bool
	// Queue is the queue below which it works, "" for any: it is no candidate in a window that another queue leads.
	Queue string
}

// AccountInput is what Account judges: series of one value per sample.
type AccountInput struct {
	Length []int64   // measured time of each sample, ns
	Active []float64 // share of each sample in which the device worked; nil takes the queues'
	Queues []AccountQueue
	Units  []AccountUnit
	Window []int32 // the frame of each sample; nil takes windows of 16 samples
	Frame  int64   // the usual length of a frame in ns, 0 where it is unknown
	// Waiter is whom the device waits for: LimitDisplay, LimitProcessor, LimitTurns or LimitWaiter.
	Waiter LimitKind
	// Floor is the least level of a limiter, 0 for 0.6.
	Floor float64
	// Clock is what the clock could still gain: 1 - f/fmax of each sample, NaN where it is unknown; nil where nothing is known of it.
	Clock []float64
}

// accountLongest is the longest base in ns: larger ones, of broken clocks, are no time.
const accountLongest = math.MaxInt64 / 4

// The limits of the account. All are ours: the design says why.
const (
	accountFloor  = 0.6  // the least level of a limiter, unless the input says so
	accountSure   = 0.8  // the level from which a long sample has one limiter
	accountLead   = 0.05 // by how much it leads the next one at least
	accountBase   = 0.3  // the level of what does not limit, in a sample that holds several passes
	accountWindow = 16   // samples in which the queue that leads is looked for, where there are no frames
	accountRelief = 2. / 3
	// accountLoosened is the part of the time of queues in turn that is gained for certain: some dependencies stay.
	accountLoosened = 0.75
	// accountApart is the share of the active time without the leading queue from which queues work in turn, whatever limits them.
	accountApart = 0.35
	// accountIdle is the share of the time without work from which a processor sets the pace: submitting and answering costs a few percent. A
	// display does from accountDates on: work that fills most of a refresh and misses some dates waits as well.
	accountIdle  = 0.07
	accountDates = 0.2
	// accountUnsure is the share of the time without work from which an unknown waiter may set the pace, so that no gain is certain.
	accountUnsure = 0.12
)

// AccountPart is the time whose pace one thing set.
type AccountPart struct {
	Kind LimitKind
	Name string // of the unit or queue, "" for the kinds that have one part only
	Time int64  // ns
	// Sure is the part of Time in samples that had one leader.
	Sure int64
	// Low and High are the bounds of what relieving it would gain, in ns.
	Low, High float64
	// RunnerUp sets the pace next, "" where nothing is known.
	RunnerUp string

	next map[string]float64 // of other parts: the time in which they came next
}

// Accounted is where the measured time went.
type Accounted struct {
	Base  int64          // ns; the times of Parts sum to it exactly
	Parts []*AccountPart // the longest first
	// Lead is the part, by its place in Parts, that had most of each sample; -1 for samples without a length.
	Lead []int32
	// ClockLow and ClockHigh are the bounds of what the highest clock would gain, in ns.
	ClockLow, ClockHigh float64
	Idle                int64 // the time without work, ns
}

// Part is the part of that kind and name, nil where nothing was accounted to it.
func (a *Accounted) Part(kind LimitKind, name string) *AccountPart {
	for _, p := range a.Parts {
		if p.Kind == kind && p.Name == name {
			return p
		}
	}
	return nil
}

// Account says of every sample what set its pace. The parts add up to the measured time exactly. It takes time in proportion to the samples
// times the queues and units.
func Account(in AccountInput) (*Accounted, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	a := &accountant{AccountInput: in, out: &Accounted{Lead: make([]int32, len(in.Length))}, index: map[partKey]int{}, latency: map[string]bool{}}
	for _, u := range in.Units {
		a.latency[u.Name] = a.latency[u.Name] || u.Fallback
	}
	if !(a.Floor > 0) {
		a.Floor = accountFloor
	}
	a.pace()
	for lo := 0; lo < len(in.Length); {
		hi := a.windowEnd(lo)
		a.window(lo, hi)
		lo = hi
	}
	a.finish()
	return a.out, nil
}

func (in *AccountInput) check() error {
	n := len(in.Length)
	base := int64(0)
	for i, l := range in.Length {
		if l < 0 || l > accountLongest-base {
			return fmt.Errorf("sample %d is %d ns long, after %d ns of others", i, l, base)
		}
		base += l
	}
	fits := func(what string, v []float64) error {
		if len(v) != n {
			return fmt.Errorf("%s has %d values for %d samples", what, len(v), n)
		}
		return nil
	}
	if in.Window != nil && len(in.Window) != n {
		return fmt.Errorf("the windows have %d values for %d samples", len(in.Window), n)
	}
	if in.Waiter > LimitTurns && in.Waiter != LimitWaiter {
		return fmt.Errorf("nothing waits for %q", in.Waiter)
	}
	var err error
	if in.Active != nil {
		err = fits("the active time", in.Active)
	}
	if in.Clock != nil {
		err = errors.Join(err, fits("the clock", in.Clock))
	}
	for _, q := range in.Queues {
		err = errors.Join(err, fits("the queue "+q.Name, q.Busy))
	}
	for _, u := range in.Units {
		if u.Kind != LimitUnit && u.Kind != LimitMemory {
			err = errors.Join(err, fmt.Errorf("%s is a %s and no unit", u.Name, u.Kind))
		}
		err = errors.Join(err, fits(u.Name, u.Level))
	}
	return err
}

type partKey struct {
	kind LimitKind
	name string
}

// accountant is one run of Account.
type accountant struct {
	AccountInput
	out    *Accounted
	index  map[partKey]int
	waits  bool    // the waiter sets the pace of the device's work as well
	idles  bool    // the device has time to spare
	unsure bool    // something that nobody knows may set the pace
	apart  float64 // see overlap, of the current window
	// latency are the names of the units that only explain what no other does.
	latency map[string]bool
	sample  []slice
	ranked  []candidate
}

// slice is the time of one sample that goes to a part.
type slice struct {
	part int
	time int64
}

// candidate is a unit with its level in a sample.
type candidate struct {
	unit  int
	level float64
	err   float64
}

func (a *accountant) part(kind LimitKind, name string) int {
	key := partKey{kind, name}
	i, ok := a.index[key]
	if !ok {
		i = len(a.out.Parts)
		a.index[key] = i
		a.out.Parts = append(a.out.Parts, &AccountPart{Kind: kind, Name: name, next: map[string]float64{}})
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
		p.next[next] += max(high, 1e-9)
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

// pace decides whether the waiter sets the pace of the device's work as well. Work that is done while something else sets the pace sets none, so
// that time in which frames wait for their dates, or for the processor that prepares the next one, is theirs as a whole. Where the two take
// turns only the wait is.
func (a *accountant) pace() {
	var whole int64
	for i, l := range a.Length {
		if act, known := a.active(i); known {
			whole, a.out.Idle = whole+l, a.out.Idle+l-act
		}
	}
	idle := float64(a.out.Idle)
	a.unsure = a.Waiter == LimitWaiter && idle > accountUnsure*float64(whole)
	a.idles = idle > accountIdle*float64(whole)
	a.waits = a.Waiter == LimitDisplay && idle > accountDates*float64(whole) || a.Waiter == LimitProcessor && idle > accountIdle*float64(whole)
}

// window accounts for the samples of one frame.
func (a *accountant) window(lo, hi int) {
	lead := a.leadingQueue(lo, hi)
	a.apart = a.overlap(lo, hi, lead)
	for i := lo; i < hi; i++ {
		a.sample = a.sample[:0]
		a.one(i, lead)
		a.settle(i)
	}
}

// one accounts for sample i.
func (a *accountant) one(i, lead int) {
	length := a.Length[i]
	active, known := a.active(i)
	if !known {
		a.give(a.part(LimitMissing, ""), length, false)
		return
	}
	if a.waits {
		a.give(a.part(a.Waiter, ""), length, true)
		return
	}
	a.give(a.part(a.Waiter, ""), length-active, a.Waiter != LimitWaiter)
	if lead < 0 {
		a.units(i, active, "")
		return
	}
	turns := portion(a.rest(i, lead, active), a.apart)
	if turns > 0 {
		a.turns(i, lead, turns)
	}
	a.units(i, active-turns, a.Queues[lead].Name)
}

// rest is the part of the active time of sample i in which the leading queue has nothing to do.
func (a *accountant) rest(i, lead int, active int64) int64 {
	b := unitShare(a.Queues[lead].Busy[i])
	if math.IsNaN(b) {
		return 0
	}
	return active - min(active, portion(a.Length[i], b))
}

// overlap is the share of the time in which the leading queue of a window has nothing to do, while others work, that would be saved if these
// worked beside it. What the units do takes its time all the same: two queues that one unit limits gain nothing beside each other, and where
// no unit tells what limits, nobody knows.
func (a *accountant) overlap(lo, hi, lead int) float64 {
	if lead < 0 {
		return 0
	}
	var active, rest int64
	work, unexplained, long := make([]float64, len(a.Units)), 0.0, false
	for i := lo; i < hi; i++ {
		time, _ := a.active(i)
		active, rest = active+time, rest+a.rest(i, lead, time)
		most := 0.0
		for k, u := range a.Units {
			if level := u.Level[i]; level > 0 && !u.Fallback {
				switch {
				case u.Queue != "":
				case u.Kind == LimitMemory && level >= a.Floor: // stalls say that memory is full, and not by how much
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
	for k, u := range a.Units {
		if !u.Fallback {
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
		last = a.part(LimitQueue, q.Name)
		time := min(left, portion(rest, b/sum))
		a.give(last, time, true)
		a.gain(last, accountLoosened*float64(time), float64(time), a.Queues[lead].Name)
		left -= time
	}
	a.give(last, left, true)
}

// long reports whether sample i may hold several passes of a frame.
func (a *accountant) long(i int) bool { return a.Frame > 0 && a.Length[i] > a.Frame/4 }

// rank collects the units that may set the pace below a queue, the highest level first.
func (a *accountant) rank(i int, queue string) (missing bool) {
	a.ranked = a.ranked[:0]
	for k, u := range a.Units {
		if u.Fallback || u.Queue != "" && queue != "" && u.Queue != queue {
			continue
		}
		if math.IsNaN(u.Level[i]) {
			missing = true
			continue
		}
		a.ranked = append(a.ranked, candidate{k, min(2, max(0, u.Level[i])), max(0, u.Error)})
	}
	slices.SortStableFunc(a.ranked, func(x, y candidate) int {
		switch {
		case x.level > y.level:
			return -1
		case x.level < y.level:
			return 1
		}
		return 0
	})
	return missing
}

// units divides the time in which a queue sets the pace among the units that may.
func (a *accountant) units(i int, time int64, queue string) {
	if time <= 0 {
		return
	}
	missing := a.rank(i, queue)
	long := a.long(i)
	if len(a.ranked) > 0 {
		first := a.ranked[0]
		if first.level >= max(accountSure, a.Floor) || !long && !missing && first.level >= a.Floor {
			a.leaders(time)
			return
		}
		if long && first.level > accountBase {
			time -= a.unmix(time, missing)
		}
	}
	if f := a.fallback(i, queue); f >= 0 && !missing {
		u := a.Units[f]
		part := a.part(u.Kind, u.Name)
		a.give(part, time, !long)
		top := 0.0
		next := ""
		if len(a.ranked) > 0 {
			top, next = a.ranked[0].level, a.Units[a.ranked[0].unit].Name
		}
		a.gain(part, float64(time)*(1-max(accountRelief, min(1, top+0.3))), float64(time)/3, next)
		return
	}
	switch {
	case missing || len(a.Units) == 0:
		a.give(a.part(LimitMissing, ""), time, false)
	case long:
		a.give(a.part(LimitMixed, ""), time, false)
	default:
		a.give(a.part(LimitEven, ""), time, false)
	}
}

// fallback is the unit that explains what no other does, -1 where none does.
func (a *accountant) fallback(i int, queue string) int {
	best, most := -1, a.Floor
	for k, u := range a.Units {
		if u.Fallback && (u.Queue == "" || u.Queue == queue) && u.Level[i] >= most {
			best, most = k, u.Level[i]
		}
	}
	return best
}

// leaders gives time to the first of the ranked units, or in equal parts to those that lie within the error of it.
func (a *accountant) leaders(time int64) {
	n := 1
	first := a.ranked[0]
	for n < len(a.ranked) {
		lead := max(accountLead, 2*math.Hypot(first.err, a.ranked[n].err))
		if first.level-a.ranked[n].level > lead {
			break
		}
		n++
	}
	after, next := 0.0, ""
	if n < len(a.ranked) {
		after, next = a.ranked[n].level, a.Units[a.ranked[n].unit].Name
	}
	left := time
	for k, c := range a.ranked[:n] {
		share := time / int64(n)
		if k == n-1 {
			share = left
		}
		left -= share
		u := a.Units[c.unit]
		part := a.part(u.Kind, u.Name)
		a.give(part, share, n == 1)
		e := max(accountLead/2, c.err)
		low := 1 - max(accountRelief, (after+e)/max(c.level-e, 1e-9))
		high := 1 - max(accountRelief, (after-e)/(c.level+e))
		if n > 1 {
			// Relieving one of several that are as busy gains next to nothing; all of them together have a gain, which is no one's alone.
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

// unmix gives each unit of a sample that holds several passes the time that it must have led at least: the others leave it at accountBase. It
// returns how much it gave.
func (a *accountant) unmix(time int64, missing bool) (given int64) {
	sum := 0.0
	for _, c := range a.ranked {
		sum += max(0, min(1, c.level)-accountBase) / (1 - accountBase)
	}
	scale := 1 / max(1, sum)
	for k, c := range a.ranked {
		share := max(0, min(1, c.level)-accountBase) / (1 - accountBase) * scale
		t := min(time-given, portion(time, share))
		if t <= 0 {
			break
		}
		u := a.Units[c.unit]
		part := a.part(u.Kind, u.Name)
		a.give(part, t, false)
		next := ""
		if len(a.ranked) > 1 {
			other := a.ranked[0]
			if k == 0 {
				other = a.ranked[1]
			}
			next = a.Units[other.unit].Name
		}
		low := 0.5 * (1 - accountRelief) * float64(t)
		if missing { // the unit that was not recorded may be what all wait for
			low = 0
		}
		a.gain(part, low, (1-accountRelief)*float64(t), next)
		given += t
	}
	return given
}

// settle finds the part that has most of sample i, and what a higher clock would gain in it: nothing while something else sets the pace, and
// not for sure where memory does, which has a clock of its own.
func (a *accountant) settle(i int) {
	best, most := int32(-1), int64(0)
	for _, s := range a.sample {
		if s.time > most {
			best, most = int32(s.part), s.time
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
		case LimitDisplay, LimitProcessor, LimitTurns, LimitWaiter:
		default: // waits of warps are for each other as well, which the clock shortens
			a.out.ClockLow += gain / 2
			a.out.ClockHigh += gain
		}
	}
	a.out.Lead[i] = best
}

// finish sorts the parts and names what comes next after each.
func (a *accountant) finish() {
	// What a processor or taking turns costs shows in the whole only: the device waits before and works behind.
	for _, p := range a.out.Parts {
		idle := float64(a.out.Idle)
		switch p.Kind {
		case LimitProcessor:
			p.Low, p.High, p.RunnerUp = min(idle, float64(p.Time)/3), float64(p.Time)/3, "the device"
		case LimitTurns:
			p.High, p.RunnerUp = min(idle, float64(a.base()-a.out.Idle)), "the device"
			p.Low = p.High * accountRelief
		}
	}
	order := make([]int, len(a.out.Parts))
	for i, p := range a.out.Parts {
		order[i] = i
		a.out.Base += p.Time
		most := 0.0
		for name, t := range p.next {
			if t > most || t == most && name < p.RunnerUp {
				p.RunnerUp, most = name, t
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
	for i, l := range a.out.Lead {
		if l >= 0 {
			a.out.Lead[i] = place[l]
		}
	}
	for len(sorted) > 0 && sorted[len(sorted)-1].Time == 0 {
		sorted = sorted[:len(sorted)-1]
	}
	a.out.Parts = sorted
}
