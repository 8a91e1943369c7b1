package perfevent

import "math/bits"

// series is what a group has counted up to times that the kernel said: running totals, and between two of them a
// straight line.
type series struct {
	members int
	base    []uint64 // what had been counted at the first reading, with both times behind it
	t       []int64
	v       []uint64 // per time: the members' counts, and the time enabled and running
	idle    []bool   // per time: the CPU had nothing to do
	blank   []bool   // per time: what was counted since the time before is not known, and not in the totals
	now     int      // the last time that at has passed
	from    int64    // the first time
	off     []uint64 // of the kernel's counts what is not in the totals
	lift    times    // what the totals of both times are above the kernel's

	state   counting
	doubt   bool  // records were lost since the last time: the kernel may have stopped the group unseen
	stops   int   // how often the kernel has stopped the group
	stopped int64 // ns in which it stood still, or may have
}

// counting is whether a group counts. Throttled by the kernel (from 6.16 on) all its events stand still, and a clock of
// tasks then counts anew what it had counted before: what such a stretch adds to the counts is not to be used. Older
// kernels stop only the event that sampled.
type counting uint8

const (
	running counting = iota
	stopped          // the sample of the interrupt that stopped it is still to come
	silent           // another sample would prove that the group goes on
	alone            // only the event that sampled stands still
	resumed          // the next sample ends what is not known
)

// stop is told of the throttling of the timer that samples.
func (s *series) stop() { s.state, s.stops = stopped, s.stops+1 }

// resume is told of its end.
func (s *series) resume() {
	if s.state == alone {
		s.state = running
		return
	}
	s.state = resumed
}

// counts reports whether the group counts.
func (s *series) counts() bool { return s.state == running || s.state == alone }

// lose is told that records were lost, which may have told of any of both.
func (s *series) lose() {
	if s.doubt = true; !s.counts() {
		s.state = resumed
	}
}

// begin takes the first reading, whose time is known when the first sample tells how long ago it was.
func (s *series) begin(counts []uint64, at times) {
	s.members = len(counts)
	s.base = append(append(s.base[:0], counts...), at.enabled, at.running)
	s.t, s.v, s.idle, s.blank, s.now = s.t[:0], s.v[:0], s.idle[:0], s.blank[:0], 0
	s.off = make([]uint64, s.members)
}

func (s *series) width() int { return s.members + 2 }

// point is the totals at time i.
func (s *series) point(i int) []uint64 { return s.v[i*s.width() : (i+1)*s.width()] }

func (s *series) times(i int) times {
	p := s.point(i)
	return times{p[s.members], p[s.members+1]}
}

// first appends the first reading, with its time.
func (s *series) first(t int64) {
	s.from = t
	s.t, s.v = append(s.t, t), append(s.v, s.base...)
	s.idle, s.blank = append(s.idle, false), append(s.blank, false)
}

// add appends the totals of a sample. A group counts from before the first reading on: what it said before that is
// passed over, as is what does not follow in time.
func (s *series) add(t int64, counts []uint64, at times) bool {
	at = at.plus(s.lift)
	if len(s.t) == 0 {
		if at.enabled <= s.base[s.members] {
			return false
		}
		s.first(t - int64(at.enabled-s.base[s.members]))
	}
	if t <= s.t[len(s.t)-1] {
		return false
	}
	blank := false
	switch s.state {
	case stopped:
		s.state = silent
	case silent:
		s.state = alone
	case resumed:
		s.state, blank = running, true
	}
	s.append(t, counts, at, blank || s.doubt && s.stoodStill(counts, at))
	s.doubt = false
	return true
}

// stoodStill reports whether the clock that leads the group has missed some of the time since the last sample.
func (s *series) stoodStill(counts []uint64, at times) bool {
	last := s.point(len(s.t) - 1)
	ticked, ran := counts[0]-s.off[0]-last[0], at.running-last[s.members+1]
	return ticked < ran && ran-ticked > max(ran/20, clockSkew)
}

// clockSkew is what in ns the clock of a group and its running time may differ by.
const clockSkew = 20_000

// append appends totals; where they are blank they are those of the time before.
func (s *series) append(t int64, counts []uint64, at times, blank bool) {
	n := len(s.t) - 1
	if blank {
		s.stopped += t - s.t[n]
		for k, v := range s.point(n)[:s.members] {
			s.off[k] = counts[k] - v
		}
	}
	s.t, s.idle, s.blank = append(s.t, t), append(s.idle, false), append(s.blank, blank)
	for k, v := range counts {
		s.v = append(s.v, v-s.off[k])
	}
	s.v = append(s.v, at.enabled, at.running)
}

// read appends the totals of a reading: its time follows from how long the group has been enabled since the sample
// before. A group that is enabled no longer stands still until now.
func (s *series) read(now int64, counts []uint64, at times) {
	at = at.plus(s.lift)
	if n := len(s.t); n == 0 {
		if at.enabled <= s.base[s.members] {
			s.first(now - 1)
		} else {
			s.first(now - int64(at.enabled-s.base[s.members]))
		}
	} else if since := at.enabled - s.times(n-1).enabled; since > 0 {
		now = s.t[n-1] + int64(since)
	}
	if now <= s.t[len(s.t)-1] {
		return
	}
	if s.doubt && s.stoodStill(counts, at) {
		s.state = resumed // it may stand still yet
	}
	s.append(now, counts, at, !s.counts())
}

// stay appends totals that stood still until now, of a group that cannot be read any more.
func (s *series) stay(now int64) {
	if len(s.t) == 0 {
		s.first(now - 1)
	}
	if now > s.t[len(s.t)-1] {
		s.t, s.v = append(s.t, now), append(s.v, s.point(len(s.t)-1)...)
		s.idle, s.blank = append(s.idle, false), append(s.blank, false)
	}
}

// again goes on with events that were opened anew, of which this is the first reading: the totals stood still until now.
func (s *series) again(now int64, counts []uint64, at times) {
	s.stay(now)
	n := len(s.t) - 1
	for k, v := range s.point(n)[:s.members] {
		s.off[k] = counts[k] - v
	}
	stood := s.times(n)
	s.lift = times{stood.enabled - at.enabled, stood.running - at.running}
	s.state, s.doubt = running, false
}

// stands reports whether the kernel enables the group no longer, to judge by a reading behind all samples.
func (s *series) stands(at times) bool {
	n := len(s.t) - 1
	return n >= 0 && at.plus(s.lift).enabled <= s.times(n).enabled
}

// last is the time up to which the totals are known, 0 before the first.
func (s *series) last() int64 {
	if len(s.t) == 0 {
		return 0
	}
	return s.t[len(s.t)-1]
}

// at puts the totals at a time into counts, and reports whether all is known that was counted since the last call. The
// time never goes back from one call to the next.
func (s *series) at(t int64, counts []uint64) (at times, known bool) {
	known = true
	for i := s.now + 1; i < len(s.t) && s.t[i-1] < t; i++ {
		known = known && !s.blank[i]
	}
	for s.now+1 < len(s.t) && s.t[s.now+1] <= t {
		s.now++
	}
	return s.between(t, counts), known
}

// idled reports whether the CPU had nothing to do at time i or the one before.
func (s *series) idled(i int) bool { return s.idle[i] || s.idle[i-1] }

// between puts the totals at a time into counts that follows the last one passed.
func (s *series) between(t int64, counts []uint64) times {
	i := s.now
	if len(s.t) == 0 {
		copy(counts, s.base[:s.members])
		return times{s.base[s.members], s.base[s.members+1]}
	}
	p := s.point(i)
	if i+1 == len(s.t) || t <= s.t[i] {
		copy(counts, p[:s.members])
		return s.times(i)
	}
	q, part, whole := s.point(i+1), uint64(t-s.t[i]), uint64(s.t[i+1]-s.t[i])
	for k := range counts {
		counts[k] = partOfWay(p[k], q[k], part, whole)
	}
	return times{partOfWay(p[s.members], q[s.members], part, whole),
		partOfWay(p[s.members+1], q[s.members+1], part, whole)}
}

// forget drops what lies before the last call of at.
func (s *series) forget() {
	s.t = s.t[:copy(s.t, s.t[s.now:])]
	s.v = s.v[:copy(s.v, s.v[s.now*s.width():])]
	s.idle = s.idle[:copy(s.idle, s.idle[s.now:])]
	s.blank = s.blank[:copy(s.blank, s.blank[s.now:])]
	s.now = 0
}

// partOfWay is a part of the way from p to q, rounded down; part is less than whole.
func partOfWay(p, q, part, whole uint64) uint64 {
	if p == q {
		return p
	}
	hi, lo := bits.Mul64(q-p, part)
	share, _ := bits.Div64(hi, lo, whole)
	return p + share
}
