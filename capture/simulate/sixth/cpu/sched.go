package cpu

import (
	"math"
	"slices"

	"astrolabe/capture/simulate"
)

// turn is how long a thread runs where others wait, in ns.
const turn = 3e6

// wake makes a thread ready because of an event of the path, and gives it to a CPU.
func (s *sim) wake(t *thread, cause int32) {
	if t.state != blocked {
		return
	}
	t.state, t.ready = ready, s.now
	if !t.role.other && s.path.Keep {
		t.node = cause
	}
	i := s.place(t)
	c := &s.cpus[i]
	if c.cur == nil {
		s.dispatch(i, t)
		return
	}
	c.queue = append(c.queue, t)
	// One that has slept comes before one that has run for a while; one of low priority waits longer.
	if !t.role.nice || c.cur.role.nice {
		c.slice = min(c.slice, s.now+turn/4)
	}
	if c.cur.role.nice && !t.role.nice {
		c.slice = s.now
	}
}

// heavy reports whether a thread runs so much that it belongs on a fast core.
func (t *thread) heavy() bool { return t.ran > 12e6 || t.round < 2 }

// allowed reports whether a thread may run on a CPU.
func (s *sim) allowed(t *thread, i int) bool {
	if t.role.pinned {
		return i == t.cpu
	}
	return t.role.cluster < 0 || s.m.sites[i].cluster == t.role.cluster
}

// place finds a CPU: an idle core, best where it ran before; else an idle thread of a core; else the shortest queue.
func (s *sim) place(t *thread) int {
	best, score := t.cpu, math.Inf(-1)
	for i := range s.cpus {
		if !s.allowed(t, i) {
			continue
		}
		c := &s.cpus[i]
		x := 0.0
		if c.cur != nil || len(c.queue) > 0 {
			x = -10 - 4*float64(len(c.queue))
			if c.cur != nil && c.cur.role.nice && !t.role.nice {
				x += 3
			}
		} else if o := s.m.sites[i].sibling; o >= 0 && s.cpus[o].cur != nil {
			x = -4
		}
		if i == t.cpu {
			x += 1.5
		}
		if n := len(s.m.clusters); n > 1 && s.m.phone {
			k := float64(s.m.sites[i].cluster)
			if t.heavy() {
				x += 3 * k
			} else {
				x -= 1 * k
			}
		}
		if x > score {
			best, score = i, x
		}
	}
	return best
}

// dispatch lets a thread run on a CPU that is free.
func (s *sim) dispatch(i int, t *thread) {
	c := &s.cpus[i]
	if c.idle >= 0 {
		c.wakes = s.now
		if s.now-c.idle > 200e3 {
			c.wakes += int64(s.m.wakeNs)
		}
	} else {
		c.wakes = s.now
	}
	cost := s.m.switchNs * t.repeat
	c.switching = 0
	if t.net {
		c.switching = 0.4
	}
	t.net, t.repeat = false, 1
	if t.cpu != i {
		cost += 25e3
		if s.rec != nil {
			s.rec.event(t, i, eMigrations, 1)
		}
	}
	c.starts = c.wakes + int64(cost)
	c.slice = s.now + turn
	if t.role.nice {
		c.slice = s.now + turn/6
	}
	c.idle = -1
	if s.path.Keep && !t.role.other {
		if c.node > 0 && s.path.Time(c.node) > s.path.Time(t.node) {
			t.node = c.node // it waited for who ran here before
		}
		t.node = s.path.At(c.starts, causeCore, simulate.NoQueue, t.node)
	}
	c.cur, t.state, t.cpu = t, running, i
	s.dirty = true
	if t.lock >= 0 { // it was preempted while it spun
		if l := &s.locks[t.lock]; l.holder == nil {
			s.grant(t, t.lock)
		}
	}
}

// leave takes the thread off its CPU.
func (s *sim) leave(i int) {
	c := &s.cpus[i]
	t := c.cur
	if s.rec != nil {
		s.rec.event(t, i, eSwitches, max(1, t.repeat))
	}
	if !t.role.other {
		c.node = t.node
	}
	c.cur, s.dirty = nil, true
	c.idle = s.now
}

// block lets a thread sleep and its CPU take another.
func (s *sim) block(t *thread) {
	i := t.cpu
	s.leave(i)
	t.state = blocked
	s.take(i)
}

// take gives a free CPU the next thread: of its own queue, or of the longest other.
func (s *sim) take(i int) {
	c := &s.cpus[i]
	if len(c.queue) == 0 {
		from := -1
		for k := range s.cpus {
			if n := len(s.cpus[k].queue); n > 0 && (from < 0 || n > len(s.cpus[from].queue)) &&
				slices.ContainsFunc(s.cpus[k].queue, func(t *thread) bool { return s.allowed(t, i) }) {
				from = k
			}
		}
		if from < 0 {
			return
		}
		q := &s.cpus[from].queue
		n := slices.IndexFunc(*q, func(t *thread) bool { return s.allowed(t, i) })
		t := (*q)[n]
		*q = slices.Delete(*q, n, n+1)
		s.dispatch(i, t)
		return
	}
	n := max(0, slices.IndexFunc(c.queue, func(t *thread) bool { return !t.role.nice }))
	t := c.queue[n]
	c.queue = slices.Delete(c.queue, n, n+1)
	s.dispatch(i, t)
}

// preempt ends a thread's turn.
func (s *sim) preempt(i int) {
	c := &s.cpus[i]
	t := c.cur
	if s.path.Keep && !t.role.other && s.now > s.path.Time(t.node) {
		t.node = s.path.At(s.now, causeCore, simulate.NoQueue, t.node)
	}
	s.leave(i)
	t.state, t.ready = ready, s.now
	if t.role.nice && slices.ContainsFunc(c.queue, func(o *thread) bool { return !o.role.nice }) {
		s.take(i)
		c.queue = append(c.queue, t)
		return
	}
	c.queue = append(c.queue, t)
	n := 0
	t = c.queue[n]
	c.queue = slices.Delete(c.queue, 0, 1)
	s.dispatch(i, t)
}

// balance moves a running thread to a better core that idles: to a faster one, or away from one that two threads
// share.
func (s *sim) balance() {
	for i := range s.cpus {
		if s.cpus[i].cur != nil {
			continue
		}
		if o := s.m.sites[i].sibling; o >= 0 && s.cpus[o].cur != nil {
			continue
		}
		for k := range s.cpus {
			t := s.cpus[k].cur
			if t == nil || t.role.pinned || !s.allowed(t, i) || t.role.other || t.lock >= 0 || s.now < s.cpus[k].starts {
				continue
			}
			o := s.m.sites[k].sibling
			shared := o >= 0 && s.cpus[o].cur != nil && s.m.sites[i].cluster == s.m.sites[k].cluster
			if shared || s.m.phone && t.heavy() && s.m.sites[i].cluster > s.m.sites[k].cluster {
				if s.path.Keep && s.now > s.path.Time(t.node) {
					t.node = s.path.At(s.now, causeCore, simulate.NoQueue, t.node)
				}
				s.leave(k)
				t.state, t.ready = ready, s.now
				s.dispatch(i, t)
				s.take(k)
				break
			}
		}
	}
}

// timers are threads that wake up, the first of them first.
type timers []timer

type timer struct {
	at int64
	t  *thread
}

func (h timers) less(a, b int) bool {
	return h[a].at < h[b].at || h[a].at == h[b].at && h[a].t.id < h[b].t.id
}

func (h *timers) push(x timer) {
	*h = append(*h, x)
	for i := len(*h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.less(i, up) {
			break
		}
		(*h)[i], (*h)[up] = (*h)[up], (*h)[i]
		i = up
	}
}

func (h *timers) pop() timer {
	list := *h
	out := list[0]
	n := len(list) - 1
	list[0] = list[n]
	*h = list[:n]
	for i := 0; ; {
		k := 2*i + 1
		if k >= n {
			return out
		}
		if k+1 < n && h.less(k+1, k) {
			k++
		}
		if !h.less(k, i) {
			return out
		}
		(*h)[i], (*h)[k] = (*h)[k], (*h)[i]
		i = k
	}
}
