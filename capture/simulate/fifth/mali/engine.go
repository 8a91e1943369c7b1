package mali

import "fmt"

// relief is what a simulation makes easier.
type relief struct {
	station                                      int // -1 for none
	queue                                        int
	gpu, launch, app, driver, wait, loose, clock bool
}

var asItIs = relief{station: -1, queue: -1}

const faster = 1.5

// Causes of stretches of time that are no mixture of stations.
const (
	causeStart = -1 - iota
	causeLaunch
	causeApp
	causeDriver
	causeVsync
	causeCap
	causeRequest
)

// node is an event of the path: from the one before, the cause was at work. Causes from 0 on are stretches of work by
// their place in the list of mixtures.
type node struct {
	t     int64
	prev  int32
	cause int32
	queue int8
}

// ref is a job in a queue.
type ref struct {
	frame, job int32 // frame -1 is another program's, whose job counts its turns
	at         int64 // when it was handed over
	node       int32
}

type queueState struct {
	list     []ref
	head     int
	launched bool
	until    int64 // of the launch
	running  bool
	segs     []int16
	at       int // in segs
	left     float64
	rate     float64
	scale    float64
	node     int32
	free     int64 // when the job before ended
	freeNode int32
	held     int64 // since when only a loose dependency holds the head back; -1 if not
}

type jobState struct {
	done bool
	end  int64
	node int32
}

type frameState struct {
	begin, first, done, flip int64
	beginNode, doneNode      int32
	flipNode                 int32
	left, missed             int
}

// stretch is a time in which only a needless dependency held a queue's work back.
type stretch struct {
	start, end int64
	queue      int8
}

// engine simulates a load: the work of the queues flows at the rates of the network, and all rates change when
// something begins or ends anywhere.
type engine struct {
	m      *machine
	w      *load
	relief relief
	keep   bool
	tape   *tape

	now    int64
	q      [queues]queueState
	clock  governor
	factor [stations]float64
	slow   [queues]float64
	mixes  map[uint64]int32
	list   []mix
	mix    int32 // of the moment; -1 is none
	key    uint64
	dirty  bool

	first   []int
	jobs    []jobState
	frames  []frameState
	shown   int
	host    host
	path    []node
	blocked []stretch
	pressed int // times of load.pressed that have passed: odd while others use the memory
	turn    int // of the other program
	turnAt  int64
	turned  map[int32]int64 // ends of its vertices' jobs
	busyAt  []stretch
	clockAt []stretch // times of steps: queue is the step
}

func (e *engine) at(t int64, cause int32, queue int8, prev int32) int32 {
	if !e.keep {
		return 0
	}
	e.path = append(e.path, node{t, prev, cause, queue})
	return int32(len(e.path) - 1)
}

func (e *engine) reset() {
	m, w := e.m, e.w
	e.now, e.shown, e.mix, e.dirty, e.turn, e.pressed = 0, 0, -1, true, 0, 0
	e.path, e.blocked, e.busyAt, e.clockAt = append(e.path[:0], node{0, -1, causeStart, -1}), e.blocked[:0], e.busyAt[:0], e.clockAt[:0]
	for i := range e.q {
		e.q[i] = queueState{list: e.q[i].list[:0], held: -1}
	}
	e.clock.reset(m, e.relief.clock)
	for k := range stations {
		e.factor[k] = 1
		if e.relief.station == k || e.relief.gpu {
			e.factor[k] = 1 / faster
		}
	}
	for i := range e.slow {
		e.slow[i] = 1
		if e.relief.queue == i {
			e.slow[i] = 1 / faster
		}
	}
	e.mixes, e.list = map[uint64]int32{}, e.list[:0]
	e.first, e.frames = e.first[:0], e.frames[:0]
	n := 0
	for i := range w.frames {
		e.first = append(e.first, n)
		k := len(w.contents[w.frames[i].content].jobs)
		n += k
		e.frames = append(e.frames, frameState{left: k, first: never})
	}
	if cap(e.jobs) < n {
		e.jobs = make([]jobState, n)
	}
	e.jobs = e.jobs[:n]
	clear(e.jobs)
	e.host = host{}
	e.turnAt = never
	if w.other != nil {
		e.turnAt, e.turned = int64(w.other.phase), map[int32]int64{}
	}
}

// run simulates everything.
func (e *engine) run(m *machine, w *load, r relief, keep bool, t *tape) error {
	e.m, e.w, e.relief, e.keep, e.tape = m, w, r, keep, t
	e.reset()
	for e.shown < len(w.frames) {
		next := never
		for changed := true; changed; {
			changed, next = false, never
			for _, step := range [...]func() (bool, int64){e.stepOther, e.stepApp, e.stepDriver, e.stepQueues} {
				ok, at := step()
				changed, next = changed || ok, min(next, at)
			}
			changed = e.show() || changed
		}
		if e.shown >= len(w.frames) {
			break
		}
		if e.dirty {
			e.change()
		}
		for i := range e.q {
			if q := &e.q[i]; q.running {
				next = min(next, e.now+1+int64(q.left/q.rate))
			}
		}
		if next >= never {
			return fmt.Errorf("simulation of %d frames came to a stop after %d", len(w.frames), e.shown)
		}
		if e.pressed < len(w.pressed) {
			next = min(next, w.pressed[e.pressed])
		}
		e.advance(min(next, e.clock.next))
	}
	if t != nil {
		t.finish(e)
	}
	return nil
}

// change looks up the rates of what runs now.
func (e *engine) change() {
	e.dirty = false
	x := mix{}
	key, any := uint64(e.clock.now()<<1|e.pressed&1), false
	for i := range e.q {
		x.segs[i] = -1
		if q := &e.q[i]; q.running {
			x.segs[i], any = q.segs[q.at], true
		}
		key = key<<12 | uint64(x.segs[i]+1)
	}
	if !any {
		e.mix = -1
		return
	}
	if e.mix >= 0 && e.key == key {
		return
	}
	at, ok := e.mixes[key]
	if !ok {
		ghz := e.m.steps[e.clock.now()]
		factor := e.factor
		if e.pressed&1 > 0 {
			factor[stBus] /= 1 - e.w.press
			factor[stLat] *= 1 + e.w.press/2
		}
		e.m.solve(&x, e.w.segs, ghz, &factor, &e.slow)
		if e.keep {
			e.m.share(&x, e.w.segs, ghz, &factor, &e.slow)
		}
		if e.tape != nil {
			e.m.observe(&x, e.w.segs, ghz)
		}
		at = int32(len(e.list))
		e.list = append(e.list, x)
		e.mixes[key] = at
	}
	e.stop()
	e.mix, e.key = at, key
	for i := range e.q {
		if q := &e.q[i]; q.running {
			q.rate = e.list[at].rate[i]
		}
	}
}

// stop ends the stretch of the path in which the mixture was the one of the moment.
func (e *engine) stop() {
	if !e.keep || e.mix < 0 {
		return
	}
	for i := range e.q {
		if q := &e.q[i]; q.running && e.path[q.node].t < e.now {
			q.node = e.at(e.now, e.mix, int8(i), q.node)
		}
	}
}

// advance lets time go on.
func (e *engine) advance(to int64) {
	dt := to - e.now
	busy := false
	for i := range e.q {
		q := &e.q[i]
		busy = busy || q.running || q.launched
	}
	if e.tape != nil && dt > 0 {
		e.tape.note(e, to)
	}
	for i := range e.q {
		if q := &e.q[i]; q.running {
			q.left -= q.rate * float64(dt)
		}
	}
	if busy && dt > 0 {
		e.clock.busy += float64(dt)
		if n := len(e.busyAt); e.keep {
			if n > 0 && e.busyAt[n-1].end == e.now {
				e.busyAt[n-1].end = to
			} else {
				e.busyAt = append(e.busyAt, stretch{e.now, to, 0})
			}
		}
	}
	if e.keep && dt > 0 {
		step := int8(e.clock.now())
		if n := len(e.clockAt); n > 0 && e.clockAt[n-1].queue == step {
			e.clockAt[n-1].end = to
		} else {
			e.clockAt = append(e.clockAt, stretch{e.now, to, step})
		}
	}
	e.now = to
	for i := range e.q {
		q := &e.q[i]
		if !q.running || q.left > q.rate*0.5 {
			continue
		}
		if e.keep {
			q.node = e.at(e.now, e.mix, int8(i), q.node)
		}
		e.dirty = true
		if q.at++; q.at < len(q.segs) {
			q.left = e.w.segs[q.segs[q.at]].units * q.scale
			continue
		}
		e.ended(i)
	}
	for e.pressed < len(e.w.pressed) && e.now >= e.w.pressed[e.pressed] {
		e.pressed++
		e.dirty = true
	}
	for e.now >= e.clock.next {
		if e.clock.look() {
			e.dirty = true
		}
	}
}

// ended takes a job off its queue.
func (e *engine) ended(i int) {
	q := &e.q[i]
	r := q.list[q.head]
	q.head++
	q.running, q.free, q.freeNode = false, e.now, q.node
	if e.tape != nil {
		e.tape.jobs[i]++
	}
	if r.frame < 0 {
		if i == qBinning {
			e.turned[r.job] = e.now
		}
		return
	}
	e.jobs[e.first[r.frame]+int(r.job)] = jobState{true, e.now, q.node}
	f := &e.frames[r.frame]
	if f.left--; f.left == 0 {
		f.done, f.doneNode = e.now, q.node
	}
}

// doneOf is when a job was done, or for job -1 all of its frame.
func (e *engine) doneOf(frame, j int) (t int64, n int32, known bool) {
	if frame < 0 {
		return 0, 0, true
	}
	list := e.w.contents[e.w.frames[frame].content].jobs
	if j < 0 || j >= len(list) {
		f := &e.frames[frame]
		return f.done, f.doneNode, f.left == 0
	}
	s := &e.jobs[e.first[frame]+j]
	return s.end, s.node, s.done
}

// stepQueues starts what can start now.
func (e *engine) stepQueues() (changed bool, next int64) {
	next = never
	for i := range e.q {
		q := &e.q[i]
		if q.launched {
			if e.now < q.until {
				next = min(next, q.until)
				continue
			}
			q.launched, q.running, q.at = false, true, 0
			q.left = e.w.segs[q.segs[0]].units * q.scale
			changed, e.dirty = true, true
			continue
		}
		if q.running || q.head >= len(q.list) {
			continue
		}
		r := q.list[q.head]
		at, n := r.at, r.node
		if q.free > at {
			at, n = q.free, q.freeNode
		}
		launch := 0.0
		if r.frame < 0 {
			o := e.w.other
			q.segs, q.scale, launch = o.binning, o.scale[int(r.job)%len(o.scale)], 3000
			if i == qMain {
				q.segs = o.main
				t, ok := e.turned[r.job]
				if !ok {
					continue
				}
				at = max(at, t)
			}
			if n = q.freeNode; at > q.free && e.now >= at {
				n = e.at(at, causeRequest, -1, n)
			}
		} else {
			f := &e.w.frames[r.frame]
			j := &e.w.contents[f.content].jobs[r.job]
			loose, looseNode, ok := int64(0), int32(0), true
			for _, d := range j.after {
				if d.loose && e.relief.loose {
					continue
				}
				t, tn, known := e.doneOf(int(r.frame)-d.back, d.job)
				switch {
				case !known && !d.loose:
					ok = false
				case !known:
					t, tn = never, 0
				}
				if d.loose {
					if t > loose {
						loose, looseNode = t, tn
					}
				} else if known && t > at {
					at, n = t, tn
				}
			}
			if ok && j.image && e.w.pacing.Refresh > 0 {
				if before := int(r.frame) - e.w.pacing.Buffers + 1; before >= 0 {
					if before >= e.shown {
						ok = false
					} else if b := &e.frames[before]; b.flip > at {
						at, n = b.flip, b.flipNode
					}
				}
			}
			if !ok {
				continue
			}
			if loose > at {
				if q.held < 0 && e.now >= at {
					q.held = e.now
				}
				if loose >= never {
					if e.now < at {
						next = min(next, at)
					}
					continue
				}
				at, n = loose, looseNode
			}
			q.segs, launch = j.segs, j.launch
			q.scale = f.scale[r.job]
		}
		if at > e.now {
			next = min(next, at)
			continue
		}
		if q.held >= 0 {
			if e.keep && e.now > q.held {
				e.blocked = append(e.blocked, stretch{q.held, e.now, int8(i)})
			}
			q.held = -1
		}
		if e.relief.launch || e.relief.gpu || e.relief.queue == i {
			launch /= faster
		}
		if r.frame >= 0 {
			e.frames[r.frame].first = min(e.frames[r.frame].first, e.now)
		}
		q.launched, q.until = true, e.now+int64(launch)
		if e.keep {
			n = e.at(e.now, e.path[n].cause, e.path[n].queue, n) // a ns of rounding
			q.node = e.at(q.until, causeLaunch, int8(i), n)
		}
		changed = true
	}
	return changed, next
}

// stepOther hands over work of another program.
func (e *engine) stepOther() (changed bool, next int64) {
	if e.now < e.turnAt {
		return false, e.turnAt
	}
	for _, i := range []int{qBinning, qMain} {
		e.q[i].list = append(e.q[i].list, ref{-1, int32(e.turn), e.now, 0})
	}
	o := e.w.other
	e.turn++
	e.turnAt = int64(o.phase + float64(e.turn)*o.period + o.spread*o.period*float64(e.turn*7919%101)/101)
	return true, e.turnAt
}
