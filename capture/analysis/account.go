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

var limitKinds = []string{"display", "processor", "turns", "queue", "unit", "memory", "waiter unknown", "not measured",
	"mixed", "nothing leads"}

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
	// Tied says that its work may need results of another queue in the same frame, or make them: where the two work in
	// turn, that is no mistake, and the time is that of what limits the work of each.
	Tied bool
}

// AccountUnit is something that can set the pace while the device works.
type AccountUnit struct {
	Name string
	Kind LimitKind // LimitUnit or LimitMemory
	// Level is how near to its attainable peak it was in the device's active time of each sample: 1 is as fast as it
	// can. NaN is missing.
	Level []float64
	Error float64 // of the level
	// Fallback makes it a candidate only where no other unit reaches Floor. The limit of what waits is what nothing
	// else explains.
	Fallback bool
	// Beside says of a fallback that what was not measured is as likely: it has a part of that time, instead of none.
	Beside bool
	// Holds says that Level is the share of the time in which it holds up all others: that time is its own, however
	// little it is.
	Holds bool
	// Stays is the share of its own time that is left when it is relieved by half, 0 to 1, of a unit that holds or has
	// the time without work. Relieving a wait for memory by half, say, saves a third of the wait; 0 saves all of it,
	// and a third of the sample at most.
	Stays float64
	// Sure is the level from which it leads although others were not recorded, 0 for 0.8. What pushes back on all
	// others needs less.
	Sure float64
	// Floor is the least level with which it sets the pace, 0 for that of all. What counts each clock in which any of
	// it works is well above that while others limit, and needs more. Samples that hold several passes are divided by
	// the level itself.
	Floor float64
	// Queue is the queue below which it works, "" for any: it is no candidate in a window that another queue leads.
	Queue string
	// Guess is how high its level may be in samples that lack it, by what else was recorded; nil is as high as any.
	// Where it is too low to lead, the unit is left out instead of counted as not measured.
	Guess []float64
	// Most is how high the level may be where Level is only how high it is at least, as where it depends on something
	// that the capture does not say; not above Level, or NaN, where it is known. nil where it is known everywhere.
	// Where it may lead and does not for certain, the time is not measured, and Tells names what would tell.
	Most  []float64
	Tells string
	// Set names what would measure a level that is missing, and so the part of the time that is not measured. It may be
	// "".
	Set string
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
	// Exact says that frames keep the dates of a display so exactly that it sets the pace of a device without idle time too.
	Exact bool
	// Steady says that work repeats exactly as often as a display is refreshed, so that it sets the pace of a device with
	// less idle time too.
	Steady bool
	// Idle is the part, of kind LimitUnit, that has the time in which the device does not work, such as launching what
	// it works at next; "" gives it to Waiter.
	Idle string
	// Rests say of the time that Idle has what is known of it.
	Rests []AccountRest
	// Floor is the least level of a limiter, 0 for 0.6.
	Floor float64
	// Unsure is the share of the time without work from which an unknown waiter may set the pace, so that no gain is
	// certain; 0 for 0.12.
	Unsure float64
	// Clock is what the clock could still gain: 1 - f/fmax of each sample, NaN where it is unknown; nil where nothing
	// is known of it.
	Clock []float64
	// Group is the group of each sample, such as its frame or kernel, from 0 to Groups-1, or -1 for none; nil where
	// nobody asks.
	Group  []int32
	Groups int
	// Cuts are the samples that lie in several groups, by their place: what of each is in which, one after the other. It
	// goes before Group.
	Cuts map[int][]AccountCut
}

// AccountCut is the part of a sample that lies in a group, or in none (-1): a share of its time, 0 to 1.
type AccountCut struct {
	Group int32
	Share float64
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
	accountDoubt  = 0.5 // the least guess with which a unit that was not recorded may set the pace
	// accountFull is the share of the time from which memory that holds up all others may have as much as it can move.
	accountFull = 0.5
	// accountError is by how much the share of something that has half of the time is wrong on average; less where it
	// has nearly all or nothing. Measured against simulated frames (docs/diagnosis-rates.md).
	accountError = 0.13
	// accountLoosened is the part of the time of queues in turn that is gained for certain: some dependencies stay.
	accountLoosened = 0.75
	// accountApart is the share of the active time without the leading queue from which queues work in turn, whatever
	// limits them.
	accountApart = 0.35
	// accountIdle is the share of the time without work from which a processor sets the pace: submitting and answering
	// costs a few percent. A display does from accountDates on: work that fills most of a refresh and misses some dates
	// waits as well; where work repeats exactly as often as a display is refreshed from accountSteady on.
	accountIdle   = 0.07
	accountDates  = 0.2
	accountSteady = 0.1
	// accountUnsure is AccountInput.Unsure unless the input says so.
	accountUnsure = 0.12
)

// OwnWork is the runner-up of a wait: what the device does.
const OwnWork = "the device"

// AccountPart is the time whose pace one thing set.
type AccountPart struct {
	Kind LimitKind
	// of the unit or queue, of what to record where it is not measured, "" for the kinds that have one part only
	Name string
	Time int64 // ns
	// Sure is the part of Time in samples that had one leader.
	Sure int64
	// Low and High are the bounds of what relieving it would gain, in ns.
	Low, High float64
	// RunnerUp sets the pace next, "" where nothing is known.
	RunnerUp string
	// Level is its mean level while it sets the pace, and Against the highest that another unit has meanwhile: what
	// speaks for it, and what against it. Both are 0 of what is inferred, and NaN of what has no level.
	Level, Against float64

	next []follower // of other parts: the time in which they came next

	levels, others, leveled float64 // sums of the levels by time, and that time
}

// follower is a part and the time in which it came next.
type follower struct {
	name string
	time float64
}

// Certain is how much of Low a report promises, in ns. What a sample is accounted to overlaps with what comes before
// and behind it; and that memory stalls says that it is full and not by how much, so that what comes next may be as
// near. The shares are ours.
func (p *AccountPart) Certain() float64 {
	switch p.Kind {
	case LimitUnit, LimitProcessor:
		return 0.7 * p.Low
	case LimitMemory:
		return 0.5 * p.Low
	}
	return p.Low
}

// Possible is how much a report says that relieving it gains at most, in ns of a measured time of base. Which of two
// units has a sample is not certain, so that a part of the time may have been longer.
func (p *AccountPart) Possible(base int64) float64 {
	if share := float64(p.Time) / float64(base); p.High > 0 && base > 0 &&
		(p.Kind == LimitUnit || p.Kind == LimitMemory) {
		most := max(p.High, (1-accountRelief)*float64(base)) // of one that is slower by half no more can go
		return min(most, p.High+(1-accountRelief)*float64(base)*4*accountError*share*(1-share))
	}
	return p.High
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
	// ByGroup is the time of every group that went to each part, in the order of Parts, in ns; nil where nobody asked.
	ByGroup [][]int64
}

// Account says of every sample what set its pace. The parts add up to the measured time exactly. It takes time in
// proportion to the samples times the queues and units.
func Account(in AccountInput) (*Accounted, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	a := &accountant{AccountInput: in, out: &Accounted{Lead: make([]int32, len(in.Length))}, index: map[partKey]int{},
		latency: map[string]bool{}}
	for _, u := range in.Units {
		a.latency[u.Name] = a.latency[u.Name] || u.Fallback
		if u.Name == a.Idle {
			a.idleStays = unitShare(u.Stays)
		}
	}
	if !(a.Floor > 0) {
		a.Floor = accountFloor
	}
	if !(a.Unsure > 0) {
		a.Unsure = accountUnsure
	}
	if in.Group != nil {
		a.out.ByGroup = make([][]int64, in.Groups)
	}
	a.prepare()
	a.pace()
	a.all()
	a.finish()
	return a.out, nil
}

func (in *AccountInput) check() error {
	n := len(in.Length)
	base := int64(0)
	for i, l := range in.Length {
		// Compared before it is added: the sum of damaged lengths would wrap, and a negative base makes every share
		// nonsense.
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
	if in.Group != nil && len(in.Group) != n {
		return fmt.Errorf("the groups have %d values for %d samples", len(in.Group), n)
	}
	for i, g := range in.Group {
		if g < -1 || int(g) >= in.Groups {
			return fmt.Errorf("sample %d is in group %d of %d", i, g, in.Groups)
		}
	}
	for i, cuts := range in.Cuts {
		if in.Group == nil || i < 0 || i >= n {
			return fmt.Errorf("sample %d of %d is cut, and nothing is grouped there", i, n)
		}
		for _, c := range cuts {
			if c.Group < -1 || int(c.Group) >= in.Groups || !(c.Share >= 0 && c.Share <= 1) {
				return fmt.Errorf("%g of sample %d is in group %d of %d", c.Share, i, c.Group, in.Groups)
			}
		}
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
		if u.Guess != nil {
			err = errors.Join(err, fits("the guess of "+u.Name, u.Guess))
		}
		if u.Most != nil {
			err = errors.Join(err, fits("the most of "+u.Name, u.Most))
		}
	}
	for _, r := range in.Rests {
		err = errors.Join(err, fits("the rest of "+r.Name, r.Share))
	}
	return err
}
