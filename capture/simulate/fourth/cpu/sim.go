package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

type code uint8

const (
	opRun    code = iota // n instructions of mix id
	opLock               // take lock id
	opUnlock             // give it back
	opIO                 // n ns of device id
	opGive               // a token of kind id
	opTake               // wait for a token of kind id
	opMeet               // wait at barrier id till all of n have come
	opDate               // sleep until the next date
	opItem               // an item is done
)

type op struct {
	code   code
	id     int
	n      float64
	vary   float64 // standard deviation of the logarithm of n
	rare   float64 // chance that it takes ten times n: hitches
	chance float64 // that it is done at all, where it is not 0
}

// program is what runs.
type program struct {
	text    string
	mixes   []mix
	threads [][]op
	devices []float64 // how many accesses each serves at a time
	disk    []bool    // accesses of a device are waits for a disk, and not for a network
	tokens  []int     // at the beginning
	loose   []int     // tokens more where no thread waits needlessly
	locks   int
	meets   int
	period  float64 // ns between dates, 0 without
	round   float64 // ns or so in which threads in turn have all had theirs, 0 without such
	// parallel is about how many of its threads run at a time, as a share.
	parallel float64
}

type state uint8

const (
	running state = iota
	blocked       // by a lock, a token or a barrier
	inIO
	asleep
	waking // the lock is its own, and it is not awake yet
)

type thread struct {
	script []op
	at     int
	rnd    simulate.Random
	state  state
	left   float64 // instructions, or ns of what ends by time
	mix    int
	held   int // locks
	dates  int
}

// slice is a stretch of time between two events, or a part of one.
type slice struct {
	start, end float64
	ghz, wait  float64
	share      float64   // of a processor that each running thread has
	n, held    []float64 // threads that run, by mix, and those of them that hold a lock
	cpus       []int     // threads that run
	io, disk   int
}

// outcome is what a simulation gives.
type outcome struct {
	items    []float64 // when each was done
	late     []bool
	switches []float64 // times of context switches
	accesses []float64 // times at which an access to a disk ended
	heat     []float64 // celsius, every clockStep
	ghz      []float64
	busy     float64
}

const clockStep = 6e6 // ns

type simulation struct {
	m        *machine
	p        *program
	relieved int
	threads  []thread
	owner    []int // of each lock; -1 without
	waitLock [][]int
	tokens   []int
	waitTok  [][]int
	met      []int
	devices  []int // accesses under way
	waitDev  [][]int
	now      float64
	ghz      float64
	hot      float64
	load     float64 // threads that ran of late
	usual    float64 // threads that the limit of the clock is for
	out      outcome
	watch    func(*slice)
	n, held  []float64
}

// run lets a program run until so many items are done, or for so long.
func run(m *machine, p *program, seed uint64, relieved, items int, until float64, watch func(*slice)) *outcome {
	s := &simulation{m: m, p: p, relieved: relieved, watch: watch, ghz: m.ghz * m.governed}
	if m.hot || m.capped {
		s.ghz *= m.deepest
	}
	if relieved == byHeat && m.hot || relieved == byPower && m.capped {
		s.ghz = m.ghz
	}
	s.usual = min(float64(len(p.threads)), float64(m.cores)) * p.parallel
	s.load = s.usual
	s.hot = s.celsius(m.watts(s.load, s.ghz))
	for i, script := range p.threads {
		s.threads = append(s.threads, thread{script: script, at: -1, rnd: simulate.NewRandom(seed+uint64(i)*7919, "thread")})
	}
	s.owner = make([]int, p.locks)
	for i := range s.owner {
		s.owner[i] = -1
	}
	s.waitLock, s.waitTok, s.waitDev = make([][]int, p.locks), make([][]int, len(p.tokens)), make([][]int, len(p.devices))
	s.met, s.devices = make([]int, p.meets), make([]int, len(p.devices))
	s.n, s.held = make([]float64, len(p.mixes)), make([]float64, len(p.mixes))
	for i, n := range p.tokens {
		if relieved == inTurn {
			n += p.loose[i]
		}
		s.tokens = append(s.tokens, n)
	}
	for i := range s.threads {
		s.next(i)
	}
	s.loop(items, until)
	return &s.out
}

// next lets a thread go on with its script until something takes time.
func (s *simulation) next(i int) {
	t := &s.threads[i]
	for {
		t.at = (t.at + 1) % len(t.script)
		o := &t.script[t.at]
		n := o.n
		if o.vary > 0 {
			n *= t.rnd.Spread(o.vary)
		}
		if o.rare > 0 && t.rnd.Chance(o.rare) {
			n *= 10
		}
		if o.chance > 0 && !t.rnd.Chance(o.chance) {
			continue
		}
		switch o.code {
		case opRun:
			t.state, t.left, t.mix = running, max(n, 1), o.id
			return
		case opLock:
			if s.owner[o.id] >= 0 {
				s.waitLock[o.id] = append(s.waitLock[o.id], i)
				s.block(t)
				return
			}
			s.owner[o.id] = i
			t.held++
		case opUnlock:
			t.held--
			s.unlock(o.id)
		case opIO:
			if s.relieved == byIO {
				n *= part
			}
			t.left = n
			if s.devices[o.id] >= int(s.p.devices[o.id]) {
				s.waitDev[o.id] = append(s.waitDev[o.id], i)
				t.state = blocked
			} else {
				s.devices[o.id]++
				t.state = inIO
			}
			s.switched()
			return
		case opGive:
			if w := s.waitTok[o.id]; len(w) > 0 {
				s.waitTok[o.id] = w[1:]
				s.wake(w[0], s.m.wake)
			} else {
				s.tokens[o.id]++
			}
		case opTake:
			if s.tokens[o.id] == 0 {
				s.waitTok[o.id] = append(s.waitTok[o.id], i)
				s.block(t)
				return
			}
			s.tokens[o.id]--
		case opMeet:
			if s.met[o.id]++; s.met[o.id] < int(o.n) {
				s.block(t)
				return
			}
			s.met[o.id] = 0
			for k := range s.threads {
				x := &s.threads[k]
				if y := &x.script[max(x.at, 0)]; k != i && x.state == blocked && y.code == opMeet && y.id == o.id {
					s.wake(k, s.m.wake)
				}
			}
		case opDate:
			t.dates++
			if due := float64(t.dates) * s.p.period; due > s.now {
				t.state, t.left = asleep, due-s.now
				s.switched()
				return
			}
		case opItem:
			s.out.items = append(s.out.items, s.now)
			late := false
			if s.p.period > 0 {
				late = s.now > float64(t.dates+1)*s.p.period
			}
			s.out.late = append(s.out.late, late)
		}
	}
}

func (s *simulation) block(t *thread) {
	t.state = blocked
	s.switched()
}

func (s *simulation) switched() { s.out.switches = append(s.out.switches, s.now) }

// wake lets a blocked thread go on after some ns.
func (s *simulation) wake(i int, ns float64) {
	t := &s.threads[i]
	t.state, t.left = waking, ns
}

func (s *simulation) unlock(id int) {
	w := s.waitLock[id]
	if len(w) == 0 {
		s.owner[id] = -1
		return
	}
	s.waitLock[id] = w[1:]
	s.owner[id] = w[0]
	s.threads[w[0]].held++
	ns := s.m.wake
	if s.relieved == byLock {
		ns *= part
	}
	s.wake(w[0], ns)
}

// loop goes from event to event.
func (s *simulation) loop(items int, until float64) {
	step := clockStep
	var speeds []float64
	for s.now < until && len(s.out.items) < items {
		x := slice{start: s.now, ghz: s.ghz, share: 1, n: s.n, held: s.held}
		for i := range s.n {
			s.n[i], s.held[i] = 0, 0
		}
		x.cpus = x.cpus[:0]
		for i := range s.threads {
			t := &s.threads[i]
			switch t.state {
			case running:
				s.n[t.mix]++
				if t.held > 0 {
					s.held[t.mix]++
				}
				x.cpus = append(x.cpus, i)
			case inIO:
				x.io++
				if s.p.disk[t.script[t.at].id] {
					x.disk++
				}
			}
		}
		for i, w := range s.waitDev {
			if s.p.disk[i] {
				x.disk += len(w)
			}
		}
		x.share = min(1, float64(s.m.cores)/max(1, float64(len(x.cpus))))
		x.wait = waits(s.m, s.p.mixes, s.n, x.share, s.ghz, s.relieved)
		speeds = speeds[:0]
		for i := range s.p.mixes {
			c := s.p.mixes[i].cost(s.m, s.ghz, x.wait, s.relieved)
			speeds = append(speeds, x.share/c.sum())
		}
		dt, which := step-s.now, -1
		for i := range s.threads {
			t := &s.threads[i]
			var d float64
			switch t.state {
			case running:
				d = t.left / s.speed(speeds, t)
			case inIO, asleep, waking:
				d = t.left
			default:
				continue
			}
			if d < dt {
				dt, which = d, i
			}
		}
		dt = max(dt, 0)
		for i := range s.threads {
			switch t := &s.threads[i]; t.state {
			case running:
				t.left -= dt * s.speed(speeds, t)
			case inIO, asleep, waking:
				t.left -= dt
			}
		}
		s.now += dt
		x.end = s.now
		s.out.busy += dt * min(float64(len(x.cpus)), float64(s.m.cores))
		if s.watch != nil && dt > 0 {
			s.watch(&x)
		}
		if which < 0 {
			s.clock(float64(len(x.cpus)))
			step += clockStep
			continue
		}
		s.end(which)
	}
}

// speed is in instructions a ns.
func (s *simulation) speed(speeds []float64, t *thread) float64 {
	v := speeds[t.mix]
	if t.held > 0 && s.relieved == byLock {
		v /= part
	}
	return v
}

// end is the end of what a thread did.
func (s *simulation) end(i int) {
	t := &s.threads[i]
	if t.state == inIO {
		id := t.script[t.at].id
		if s.p.disk[id] {
			s.out.accesses = append(s.out.accesses, s.now)
		}
		if w := s.waitDev[id]; len(w) > 0 {
			s.waitDev[id] = w[1:]
			s.threads[w[0]].state = inIO
		} else {
			s.devices[id]--
		}
	}
	s.next(i)
}

// celsius is how hot the processor gets at so many watts. One that heat holds is at its limit with its usual load.
func (s *simulation) celsius(watts float64) float64 {
	const air, top = 34, 95
	if s.m.hot {
		return min(top+3, air+(top-air)*watts/s.m.watts(s.usual, s.m.ghz*s.m.deepest))
	}
	return air + s.m.warms*watts
}

// clock is what firmware does every few milliseconds.
func (s *simulation) clock(running float64) {
	m := s.m
	s.load += (min(running, float64(m.cores)) - s.load) * 0.12
	watts := m.watts(s.load, s.ghz)
	s.hot += (s.celsius(watts) - s.hot) * clockStep / 3e9
	s.out.heat, s.out.ghz = append(s.out.heat, s.hot), append(s.out.ghz, s.ghz)
	if m.hot && s.relieved != byHeat || m.capped && s.relieved != byPower {
		// Firmware holds the clock near what the limit allows, a step up or down at a time.
		want := m.ghz * min(1, m.deepest*math.Pow(s.usual/max(s.load, 0.3), 1/2.6))
		step := m.ghz * 0.02
		if s.ghz > want+step/2 {
			s.ghz -= step
		} else if s.ghz < want-step/2 {
			s.ghz += step
		} else {
			s.ghz += step * math.Sin(float64(len(s.out.ghz))*1.7) / 2
		}
	}
}
