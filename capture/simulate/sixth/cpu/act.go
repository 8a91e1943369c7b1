package cpu

import (
	"math"
	"slices"

	"astrolabe/capture/simulate"
)

// chance is a number in [0, 1) that belongs to one act of one thread, whatever happens before it.
func (s *sim) chance(t *thread, salt uint64) float64 {
	h := s.seed ^ uint64(t.id+1)*0x9e3779b97f4a7c15 ^ uint64(t.round+1)*0xc2b2ae3d27d4eb4f ^ (uint64(t.pc)+salt*64+1)*0x165667b19e3779f9
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	return float64(h>>11) / (1 << 53)
}

// quantiles are those of the normal distribution, so that no act has to work them out.
var quantiles = func() (out [256]float64) {
	for i := range out {
		out[i] = math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/256-1)
	}
	return out
}()

// varied is a factor with mean 1.
func (s *sim) varied(t *thread, spread float64) float64 {
	if spread == 0 {
		return 1
	}
	x := quantiles[int(s.chance(t, 1)*256)]
	return float64(float32(math.Exp(spread*x - spread*spread/2))) // the last bits depend on the processor
}

// goOn lets the thread on a CPU do its next steps until one takes time.
func (s *sim) goOn(i int) {
	t := s.cpus[i].cur
	p := &s.phases[s.phase]
	for n := 0; n < 10000; n++ {
		if t.pc >= len(t.role.steps) {
			t.pc, t.round = 0, t.round+1
		}
		st := &t.role.steps[t.pc]
		if st.often > 0 && s.chance(t, 2) >= st.often {
			t.pc += 1 + st.skip
			continue
		}
		repeat := max(1, st.repeat)
		t.repeat = 1
		switch st.do {
		case doRun:
			t.code, t.left = st.code, st.n*s.varied(t, st.spread)
			t.pc++
			s.dirty = true
			return
		case doLock:
			if s.r.lock {
				break
			}
			l := &s.locks[st.at]
			if l.holder == nil || l.holder == t {
				l.holder, t.late = t, false
				break
			}
			if spin := p.locks[st.at].spin; spin != 0 && !t.late {
				t.lock, t.spin, t.code, t.left = st.at, math.MaxInt64, len(s.codes)-1, math.Inf(1)
				if spin > 0 {
					t.spin = s.now + int64(spin*repeat)
				}
				l.spinners = append(l.spinners, t)
				s.dirty = true
				return
			}
			t.late, t.repeat = true, repeat
			l.sleepers = append(l.sleepers, t)
			s.block(t)
			return
		case doUnlock:
			if !s.r.lock {
				s.release(t, st.at)
			}
		case doRead, doFetch, doSwap, doWrite:
			end := s.disk(st.n*s.varied(t, st.spread), repeat, s.chance(t, 3), st.do == doWrite)
			if st.do == doSwap && s.rec != nil {
				s.rec.event(t, i, eMajor, repeat)
			}
			s.rec.interrupt(repeat)
			if st.do == doWrite {
				break
			}
			t.pc++
			t.repeat, t.net = repeat, true
			switch st.do {
			case doRead:
				t.stall = stallIO
				s.cpus[i].waitIO++
			case doSwap:
				t.stall = stallMemory
				s.cpus[i].waitIO++
				s.cpus[i].waitMem++
			}
			s.sleep(t, end, causeIO)
			return
		case doAsk:
			s.rec.interrupt(2 * repeat)
			t.pc++
			t.repeat, t.net = repeat, true
			s.sleep(t, s.now+int64(st.n*s.r.io*s.varied(t, st.spread)), causeIO)
			return
		case doSleep:
			t.pc++
			t.repeat = repeat
			s.sleep(t, s.now+int64(st.n*s.varied(t, st.spread)), causeTimer)
			return
		case doDate:
			t.pc++
			t.date += int64(st.n)
			if s.now > t.date {
				if !t.role.other && t.round > 0 {
					s.missed = append(s.missed, s.now)
				}
				behind := s.now - t.date
				if p.refresh > 0 {
					t.date += (behind/int64(st.n) + 1) * int64(st.n)
				} else {
					if behind > int64(st.n)/2 {
						t.date = s.now
					}
					continue
				}
			}
			s.sleep(t, t.date, causeTimer)
			return
		case doArrive:
			t.pc++
			s.rec.interrupt(repeat)
			if t.round == 0 {
				t.date += int64(st.n * s.chance(t, 4))
			} else {
				t.date += int64(-st.n * float64(float32(math.Log(1-s.chance(t, 4)))))
			}
			if s.now >= t.date {
				if !t.role.other && s.now-t.date > int64(p.grace) {
					s.missed = append(s.missed, s.now)
				}
				continue
			}
			t.repeat, t.net = repeat, true
			s.sleep(t, t.date, causeTimer)
			return
		case doPost:
			c := &s.credits[st.at]
			if len(c.waiters) > 0 {
				o := c.waiters[0]
				c.waiters = c.waiters[1:]
				s.wake(o, t.node)
			} else {
				c.have++
			}
		case doTake:
			c := &s.credits[st.at]
			t.pc++
			if c.have > 0 {
				c.have--
				continue
			}
			t.repeat = repeat
			c.waiters = append(c.waiters, t)
			s.block(t)
			return
		case doBarrier:
			t.pc++
			if !s.meet(t, st.at) {
				return
			}
			continue
		case doUnit:
			s.unit(t)
			if s.ended {
				return
			}
		case doFork:
			s.rec.fork(repeat)
		}
		t.pc++
	}
	panic("cpu: a role of only steps that take no time: " + t.role.name)
}

// sleep blocks a thread until a time.
func (s *sim) sleep(t *thread, until int64, cause uint8) {
	until = max(until, s.now+1)
	s.heap.push(timer{until, t})
	s.block(t)
	if s.path.Keep && !t.role.other {
		t.node = s.path.At(until, cause, simulate.NoQueue, t.node)
	}
}

// unstall ends what a thread's wait counted as.
func (s *sim) unstall(t *thread) {
	if t.stall != stallNone {
		s.cpus[t.cpu].waitIO--
	}
	if t.stall == stallMemory {
		s.cpus[t.cpu].waitMem--
	}
	t.stall = stallNone
}

// disk is when an access to the device ends: it has some that it serves at once, and one bus.
func (s *sim) disk(bytes, repeat, luck float64, write bool) int64 {
	d := &s.m.disk
	k := 0
	for i := range s.slots {
		if s.slots[i] < s.slots[k] {
			k = i
		}
	}
	begin := max(s.now, s.slots[k])
	s.bus = max(s.bus, begin) + int64(bytes*repeat/d.bytes*s.r.io)
	ns := d.ns * (0.7 + 0.6*luck) * repeat * s.r.io
	if write { // into the device's own buffer
		ns *= 0.3
	}
	end := max(begin+int64(ns), s.bus)
	s.slots[k] = end
	return end
}

// grant gives a lock to a thread that spins at it.
func (s *sim) grant(t *thread, lock int) {
	l := &s.locks[lock]
	l.holder = t
	l.spinners = slices.DeleteFunc(l.spinners, func(o *thread) bool { return o == t })
	t.lock, t.left = -1, 0
	t.pc++
	s.dirty = true
}

// release gives a lock to one that spins, else it wakes one that sleeps, which tries again: who comes first has it.
func (s *sim) release(t *thread, lock int) {
	l := &s.locks[lock]
	if l.holder != t {
		return
	}
	l.holder = nil
	for _, o := range l.spinners {
		if o.state == running {
			if s.path.Keep && !o.role.other && !t.role.other {
				o.node = t.node
			}
			s.grant(o, lock)
			return
		}
	}
	if len(l.sleepers) > 0 {
		o := l.sleepers[0]
		l.sleepers = l.sleepers[1:]
		s.wake(o, t.node)
	}
}

// sleepAt lets a thread that has spun long enough sleep.
func (s *sim) sleepAt(t *thread) {
	l := &s.locks[t.lock]
	l.spinners = slices.DeleteFunc(l.spinners, func(o *thread) bool { return o == t })
	t.lock, t.left, t.late = -1, 0, true
	l.sleepers = append(l.sleepers, t)
	s.block(t)
}

// meet is a thread at a barrier; it reports whether it goes on.
func (s *sim) meet(t *thread, at int) bool {
	b := &s.bars[at]
	t.gens[at]++
	ahead := 0
	if s.r.loose {
		ahead = slack
	}
	least := t.gens[at]
	for _, o := range b.members {
		least = min(least, o.gens[at])
	}
	keep := b.waiters[:0]
	var free []*thread
	for _, o := range b.waiters {
		if o.gens[at]-ahead <= least {
			free = append(free, o)
		} else {
			keep = append(keep, o)
		}
	}
	b.waiters = keep
	for _, o := range free {
		s.wake(o, t.node)
	}
	if t.gens[at]-ahead <= least {
		return true
	}
	b.waiters = append(b.waiters, t)
	s.block(t)
	return false
}

// unit notes that a unit of work is done.
func (s *sim) unit(t *thread) {
	s.done = append(s.done, doneUnit{s.now, t.node})
	s.units++
	if s.target != nil && s.units >= s.target[s.phase] {
		s.ended = true
	}
}
