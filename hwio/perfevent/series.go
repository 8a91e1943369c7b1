package perfevent

import "math/bits"

// series is what a group has counted up to times that the kernel said: running totals, and between two of them a straight line.
type series struct {
	members int
	base    []uint64 // what had been counted at the first reading, with both times behind it
	t       []int64
	v       []uint64 // per time: the members' counts, and the time enabled and running
	now     int      // the last time that at has passed
}

// begin takes the first reading, whose time is known when the first sample tells how long ago it was.
func (s *series) begin(counts []uint64, at times) {
	s.members = len(counts)
	s.base = append(append(s.base[:0], counts...), at.enabled, at.running)
	s.t, s.v, s.now = s.t[:0], s.v[:0], 0
}

func (s *series) width() int { return s.members + 2 }

// point is the totals at time i.
func (s *series) point(i int) []uint64 { return s.v[i*s.width() : (i+1)*s.width()] }

func (s *series) times(i int) times {
	p := s.point(i)
	return times{p[s.members], p[s.members+1]}
}

// add appends totals. A group counts from before the first reading on: what it said before that is passed over, as is what does not follow in time.
func (s *series) add(t int64, counts []uint64, at times) bool {
	if len(s.t) == 0 {
		if at.enabled <= s.base[s.members] {
			return false
		}
		s.t, s.v = append(s.t, t-int64(at.enabled-s.base[s.members])), append(s.v, s.base...)
	}
	if t <= s.t[len(s.t)-1] {
		return false
	}
	s.t, s.v = append(s.t, t), append(append(s.v, counts...), at.enabled, at.running)
	return true
}

// read appends the totals of a reading: its time follows from how long the group has been enabled since the sample before. A group that is enabled no
// longer stands still until now.
func (s *series) read(now int64, counts []uint64, at times) {
	if n := len(s.t); n == 0 {
		if at.enabled <= s.base[s.members] {
			s.t, s.v = append(s.t, now-1), append(s.v, s.base...)
		}
	} else if since := at.enabled - s.times(n-1).enabled; since > 0 {
		now = s.t[n-1] + int64(since)
	}
	s.add(now, counts, at)
}

// stay appends totals that stood still until now, of a group that cannot be read any more.
func (s *series) stay(now int64) {
	if len(s.t) == 0 {
		s.t, s.v = append(s.t, now-1), append(s.v, s.base...)
	}
	if now > s.t[len(s.t)-1] {
		s.t, s.v = append(s.t, now), append(s.v, s.point(len(s.t)-1)...)
	}
}

// last is the time up to which the totals are known, 0 before the first.
func (s *series) last() int64 {
	if len(s.t) == 0 {
		return 0
	}
	return s.t[len(s.t)-1]
}

// at puts the totals at a time into counts. The time never goes back from one call to the next.
func (s *series) at(t int64, counts []uint64) times {
	for s.now+1 < len(s.t) && s.t[s.now+1] <= t {
		s.now++
	}
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
		counts[k] = between(p[k], q[k], part, whole)
	}
	return times{between(p[s.members], q[s.members], part, whole), between(p[s.members+1], q[s.members+1], part, whole)}
}

// forget drops what lies before the last call of at.
func (s *series) forget() {
	s.t = s.t[:copy(s.t, s.t[s.now:])]
	s.v = s.v[:copy(s.v, s.v[s.now*s.width():])]
	s.now = 0
}

// between is a part of the way from p to q, rounded down; part is less than whole.
func between(p, q, part, whole uint64) uint64 {
	if p == q {
		return p
	}
	hi, lo := bits.Mul64(q-p, part)
	share, _ := bits.Div64(hi, lo, whole)
	return p + share
}
