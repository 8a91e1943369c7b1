package cpu

import (
	"math"
	"slices"
)

// What a thread does.
type doing uint8

const (
	does     doing = iota // runs
	queuesUp              // waits for a lock
	stores                // waits for storage
	follows               // waits for another thread
	inTurn                // waits for another thread and need not
	sleeps                // waits for a date
	isFinished
)

// stretch is a time in which a thread does one thing.
type stretch struct {
	from, to float64
	what     doing
	code     int
	by       int  // the thread that ended the wait, or -1
	busy     bool // it waited on a CPU
}

type thread struct {
	next  int
	what  doing
	code  int
	left  float64 // instructions
	until float64 // of a wait whose end is known, else +Inf
	from  float64
	by    int
	busy  bool // waits on a CPU
	want  int  // the count that it waits for
	id    int
	times int
}

// span is a time in which the machine's state stays.
type span struct {
	from, to float64
	state    *state
	running  []int // by code
	stored   int   // threads that wait for storage
}

// run is one simulation of a program.
type run struct {
	m      *machine
	p      *program
	rel    relief
	th     []thread
	held   []int   // by lock: the thread that has it, or -1
	lines  [][]int // by lock: those that wait
	count  []int   // by event
	disk   []float64
	opened float64 // when the second phase began
	now    float64
	ends   []float64 // of frames, in the order in which they ended
	dues   []float64 // when they were to end
	enders []int     // the threads that ended them

	keep  bool // the rest is kept only where it is asked for
	past  [][]stretch
	spans []span
	waits []waited
	mean  float64 // clock by time
}

// waited is a wait that took a CPU away from a thread.
type waited struct {
	from, to float64
	times    int
}

func play(m *machine, p *program, rel relief, keep bool) *run {
	s := &run{m: m, p: p, rel: rel, keep: keep, th: make([]thread, len(p.ops)), held: make([]int, p.locks),
		lines: make([][]int, p.locks), count: make([]int, p.events), disk: make([]float64, m.queue),
		past: make([][]stretch, len(p.ops))}
	for i := range s.held {
		s.held[i] = -1
	}
	for i := range s.th {
		s.step(i)
	}
	running := make([]int, len(p.codes))
	solved, key := map[string]*state{}, []byte(nil) // by what runs
	var st *state
	for {
		clear(running)
		done, stored := true, 0
		for i := range s.th {
			t := &s.th[i]
			switch {
			case t.what == does:
				running[t.code]++
			case t.busy:
				running[spinning]++
			}
			stored += btoi(t.what == stores)
			done = done && t.what == isFinished
		}
		if done {
			break
		}
		key = key[:0]
		for _, n := range running {
			key = append(key, byte(n))
		}
		if st = solved[string(key)]; st == nil {
			st = &state{}
			m.solve(p.codes, running, &rel, st)
			solved[string(key)] = st
		}
		next := math.Inf(1)
		for i := range s.th {
			t := &s.th[i]
			if t.what == does {
				next = min(next, s.now+t.left*st.of[t.code].total/st.share)
			} else {
				next = min(next, t.until)
			}
		}
		if math.IsInf(next, 1) {
			panic("threads of a simulated program wait for each other for ever")
		}
		if keep && next > s.now {
			if n := len(s.spans); n > 0 && s.spans[n-1].state == st && s.spans[n-1].stored == stored {
				s.spans[n-1].to = next
			} else {
				s.spans = append(s.spans, span{s.now, next, st, slices.Clone(running), stored})
			}
		}
		s.mean += st.clock * (next - s.now)
		for i := range s.th {
			if t := &s.th[i]; t.what == does {
				t.left -= (next - s.now) * st.share / st.of[t.code].total
			}
		}
		s.now = next
		for i := range s.th {
			t := &s.th[i]
			if t.what == does && t.left*st.of[t.code].total < 1 || t.what != does && t.what != isFinished && t.until <= next {
				s.end(i)
				s.step(i)
			}
		}
	}
	return s
}

// end writes down what a thread did until now.
func (s *run) end(i int) {
	t := &s.th[i]
	if !s.keep || s.now <= t.from {
		return
	}
	s.past[i] = append(s.past[i], stretch{t.from, s.now, t.what, t.code, t.by, t.busy})
	if t.what != does && !t.busy {
		s.waits = append(s.waits, waited{t.from, s.now, max(1, t.times)})
	}
}

// pause lets a thread wait, until a time where that is known.
func (s *run) pause(i int, what doing, until float64, o *op) {
	t := &s.th[i]
	t.what, t.until, t.from, t.by, t.busy, t.times = what, until, s.now, -1, o.spin, o.times
}

// wakes ends the wait of a thread that another one gave the word.
func (s *run) wakes(i, by int) {
	t := &s.th[i]
	t.by, t.until = by, s.now+s.m.wake
	if t.busy {
		t.until = s.now + 100 // a line of cache moves
	}
}

// step goes on with a thread until it works or waits.
func (s *run) step(i int) {
	t := &s.th[i]
	for ; t.next < len(s.p.ops[i]); t.next++ {
		o := &s.p.ops[i][t.next]
		switch o.kind {
		case opWork:
			t.what, t.code, t.left, t.from, t.busy, t.by = does, o.code, o.n, s.now, false, -1
			t.next++
			return
		case opLock:
			if s.held[o.id] < 0 {
				s.held[o.id] = i
				continue
			}
			s.lines[o.id] = append(s.lines[o.id], i)
			s.pause(i, queuesUp, math.Inf(1), o)
			t.next++
			return
		case opUnlock:
			early := o.loose == 1
			if early != (s.rel.lock < 1) {
				continue
			}
			s.held[o.id] = -1
			if line := s.lines[o.id]; len(line) > 0 {
				s.held[o.id] = line[0]
				s.wakes(line[0], i)
				s.lines[o.id] = line[1:]
			}
		case opStorage:
			k := 0
			for d := range s.disk {
				if s.disk[d] < s.disk[k] {
					k = d
				}
			}
			s.disk[k] = max(s.now, s.disk[k]) + o.n*s.rel.storage
			s.pause(i, stores, s.disk[k]+s.m.wake, o)
			t.next++
			return
		case opWait:
			what, need := follows, o.count
			if o.loose < o.count {
				what = inTurn
				if s.rel.loose {
					need = o.loose
				}
			}
			if s.count[o.id] >= need {
				continue
			}
			s.pause(i, what, math.Inf(1), o)
			t.id, t.want = o.id, need
			t.next++
			return
		case opSignal:
			s.count[o.id]++
			if o.id == s.p.gate && s.count[o.id] == s.p.before {
				s.opened = s.now
			}
			for k := range s.th {
				w := &s.th[k]
				if (w.what == follows || w.what == inTurn) && math.IsInf(w.until, 1) && w.id == o.id && s.count[o.id] >= w.want {
					s.wakes(k, i)
				}
			}
		case opDate:
			if date := s.dated(o); date > s.now {
				s.pause(i, sleeps, date+s.m.wake, o)
				t.next++
				return
			}
		case opMark:
			s.ends = append(s.ends, s.now)
			s.dues = append(s.dues, s.dated(o))
			s.enders = append(s.enders, i)
		}
	}
	t.what, t.until, t.busy = isFinished, math.Inf(1), false
}

// dated is the date of a step, 0 where it has none.
func (s *run) dated(o *op) float64 {
	if o.id > 0 && o.n > 0 {
		return o.n + s.opened
	}
	return o.n
}
