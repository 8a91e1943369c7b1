package mali

import "math"

// A leaf's time within a pass: the resources, and then these.
const (
	bLaunch = resources + iota
	bGovernor
	bCap
	bindings
)

// reason is why something did not start earlier.
type reason struct {
	kind  int
	frame int
	pass  int
	alone float64 // when it could have started had it not waited for that
}

const (
	whyNothing = iota
	whyApp     // the application's thread
	whyDriver  // the driver's
	whyPass    // the GPU
	whyTurn    // the GPU, needlessly
	whySync    // the application waited for the GPU
	whyShown   // a buffer
	whyDate    // a cap or a request
)

type passRun struct {
	started, done bool
	start, end    float64
	why           reason
	left          float64
	bound         [bindings]float64
}

type frameRun struct {
	app, appEnd, driver, driverEnd float64 // math.Inf where not known yet
	appWhy, driverWhy              reason
	passes                         []passRun
	pending                        int
	begin, end                     float64 // of the GPU's work
	shown                          float64
	byDisplay                      bool // the frame before it, and not its own work, says when it is shown
	missed                         int
}

// active is a pass that runs during a segment.
type active struct {
	frame, pass, chunk int
	launching          bool
	amount             float64            // of the chunk
	use                [resources]float64 // shares of what there is
	longest            float64            // share of the time for which its worst resource alone would do
}

// segment is a stretch of time in which nothing changes.
type segment struct {
	start, end float64
	share      float64 // of the highest clock
	active     []active
	waiting    [queues]bool // work is submitted and waits for other work
	memory     float64      // use of memory's bandwidth
	latency    float64      // ns of a read
	limited    bool         // by the cap
}

type engine struct {
	p      *program
	t      times
	now    float64
	frames []frameRun
	lists  [][queues][]int // of content: passes by queue
	head   [queues][2]int  // frame, position in the list
	free   [queues]reason  // what ran there last
	freeAt [queues]float64
	run    []active
	dirty  bool
	rate   []float64
	memory float64

	share, target   float64
	busy            float64 // in the governor's window
	nextGov         float64
	nextApp, nextDr int // frames
	shown           int // frames whose date is known
	keep            bool
	segments        []segment
	timer           float64
}

func (p *program) run(keep bool) *engine {
	e := &engine{p: p, t: p.times(), keep: keep, target: 1, dirty: true}
	e.frames = make([]frameRun, len(p.of))
	e.lists = make([][queues][]int, len(p.contents))
	for c := range p.contents {
		for k := range p.contents[c].passes {
			q := p.contents[c].passes[k].queue
			e.lists[c][q] = append(e.lists[c][q], k)
		}
	}
	inf := math.Inf(1)
	for n := range e.frames {
		f := &e.frames[n]
		*f = frameRun{app: inf, appEnd: inf, driver: inf, driverEnd: inf, begin: inf, end: inf, shown: inf}
		f.passes = make([]passRun, len(p.contents[p.of[n]].passes))
		f.pending = len(f.passes)
		for k := range f.passes {
			f.passes[k].end = inf
		}
	}
	e.nextGov = p.clock.window
	e.setClock()
	for e.shown < len(e.frames) {
		e.step()
	}
	return e
}

func (e *engine) content(n int) *content { return &e.p.contents[e.p.of[n]] }

// setClock takes the step that governor, settings and limit leave.
func (e *engine) setClock() {
	want := min(e.target, e.p.clock.policy)
	if caps := e.p.clock.caps; caps != nil {
		want = min(want, caps[int(e.now/capWindow+1e-9)%len(caps)])
	}
	steps := e.p.m.steps
	share := steps[0]
	for _, s := range steps {
		if s <= want+1e-9 {
			share = s
		}
	}
	if share != e.share {
		e.share, e.dirty = share, true
	}
}

// govern does what the kernel's governor for devices does at the end of each window: above a threshold the highest
// clock, else the lowest at which utilisation would be just below it.
func (e *engine) govern() {
	c := &e.p.clock
	if e.now+1 >= e.nextGov && c.window > 0 {
		u := e.busy / c.window
		e.busy, e.nextGov = 0, e.nextGov+c.window
		if c.governed {
			if u > c.up {
				e.target = 1
			} else if u < c.up-0.05 {
				want := e.share * u / (c.up - 0.025)
				e.target = e.p.m.steps[0]
				for i := len(e.p.m.steps) - 1; i >= 0 && e.p.m.steps[i] >= want; i-- {
					e.target = e.p.m.steps[i]
				}
			}
		}
	}
	e.setClock()
}

// wait collects conditions of a start: the last one that is met is the reason.
type wait struct {
	at, second float64
	why        reason
}

func (w *wait) on(at float64, why reason) {
	if at >= w.at {
		w.second, w.at, w.why = w.at, at, why
	} else {
		w.second = max(w.second, at)
	}
}

// ready reports whether all conditions are met, and else sets the timer where the time is known.
func (e *engine) ready(w *wait) bool {
	if w.at <= e.now+1e-6 {
		w.why.alone = w.second
		return true
	}
	e.timer = min(e.timer, w.at)
	return false
}

func (e *engine) startApp() bool {
	n := e.nextApp
	if n == len(e.frames) {
		return false
	}
	c, pc := e.content(n), &e.p.pacing
	var w wait
	if n > 0 {
		prev := &e.frames[n-1]
		if c.oneThread {
			w.on(prev.driverEnd, reason{kind: whyDriver, frame: n - 1})
		} else {
			w.on(prev.appEnd, reason{kind: whyApp, frame: n - 1})
			w.on(prev.driver, reason{kind: whyDriver, frame: n - 2}) // the hand-over holds one frame
		}
		if pc.capped {
			w.on(prev.app+pc.period, reason{kind: whyDate, frame: n - 1})
		}
		if c.sync {
			w.on(prev.end+e.p.m.irq, reason{kind: whySync, frame: n - 1})
		}
	}
	if pc.asked {
		w.on(pc.dates[n], reason{kind: whyDate, frame: n - 1})
	}
	if k := n - pc.ahead; k >= 0 {
		w.on(e.frames[k].end, reason{kind: whyPass, frame: k, pass: -1})
	}
	if k := n - pc.buffers; k >= 0 && pc.refresh > 0 {
		w.on(e.frames[k].shown, reason{kind: whyShown, frame: k})
	}
	if !e.ready(&w) {
		return false
	}
	f := &e.frames[n]
	f.app, f.appWhy = e.now, w.why
	f.appEnd = e.now + c.app*e.p.cpu[n]
	e.nextApp++
	return true
}

func (e *engine) startDriver() bool {
	n := e.nextDr
	if n == len(e.frames) {
		return false
	}
	f := &e.frames[n]
	var w wait
	w.on(f.appEnd, reason{kind: whyApp, frame: n})
	if n > 0 {
		w.on(e.frames[n-1].driverEnd, reason{kind: whyDriver, frame: n - 1})
	}
	if !e.ready(&w) {
		return false
	}
	f.driver, f.driverWhy = e.now, w.why
	f.driverEnd = e.now + e.content(n).driver*e.p.cpu[n]
	e.nextDr++
	return true
}

// next is the pass that a queue does next.
func (e *engine) next(q int) (n, k int, ok bool) {
	h := &e.head[q]
	for h[0] < len(e.frames) {
		if list := e.lists[e.p.of[h[0]]][q]; h[1] < len(list) {
			return h[0], list[h[1]], true
		}
		h[0], h[1] = h[0]+1, 0
	}
	return 0, 0, false
}

func (e *engine) startPass(q int) bool {
	n, k, ok := e.next(q)
	if !ok || e.freeAt[q] > e.now {
		return false
	}
	ps := &e.content(n).passes[k]
	var w wait
	w.on(e.frames[n].driverEnd, reason{kind: whyDriver, frame: n})
	if e.free[q].kind != whyNothing {
		w.on(e.freeAt[q], e.free[q])
	}
	for _, d := range ps.edges {
		m := n - d.back
		if m < 0 || d.pass >= len(e.frames[m].passes) {
			continue
		}
		kind := whyPass
		if d.needless {
			kind = whyTurn
		}
		w.on(e.frames[m].passes[d.pass].end, reason{kind: kind, frame: m, pass: d.pass})
	}
	if b := n - e.p.pacing.buffers + 1; ps.last && e.p.pacing.refresh > 0 && b >= 0 && b < n {
		w.on(e.frames[b].shown, reason{kind: whyShown, frame: b})
	}
	if !e.ready(&w) {
		return false
	}
	r := &e.frames[n].passes[k]
	r.started, r.start, r.why, r.left = true, e.now, w.why, 1
	e.frames[n].begin = min(e.frames[n].begin, e.now)
	e.freeAt[q] = math.Inf(1)
	e.run = append(e.run, active{frame: n, pass: k, launching: true})
	e.dirty = true
	return true
}

// settle starts whatever can start now.
func (e *engine) settle() {
	for {
		e.timer = math.Inf(1)
		again := e.startApp()
		again = e.startDriver() || again
		for q := range queues {
			again = e.startPass(q) || again
		}
		if !again {
			return
		}
	}
}

func (e *engine) step() {
	e.settle()
	if e.dirty {
		e.rates()
	}
	next := e.timer
	clockAt := math.Inf(1)
	if e.p.clock.caps != nil {
		clockAt = (math.Floor(e.now/capWindow+1e-9) + 1) * capWindow
	}
	if e.p.clock.governed {
		clockAt = min(clockAt, e.nextGov)
	}
	next = min(next, clockAt)
	for i := range e.run {
		a := &e.run[i]
		r := &e.frames[a.frame].passes[a.pass]
		if a.launching {
			next = min(next, r.start+e.content(a.frame).passes[a.pass].launch)
		} else {
			next = min(next, e.now+r.left/e.rate[i])
		}
	}
	d := max(0, next-e.now)
	e.record(next)
	if len(e.run) > 0 {
		e.busy += d
	}
	e.bind(d)
	e.now = next
	kept := e.run[:0]
	for i := range e.run {
		a := e.run[i]
		r := &e.frames[a.frame].passes[a.pass]
		ps := &e.content(a.frame).passes[a.pass]
		switch {
		case a.launching && r.start+ps.launch <= e.now+1e-6:
			a.launching, e.dirty = false, true
		case !a.launching:
			if r.left -= d * e.rate[i]; r.left > 1e-3*e.rate[i] { // a thousandth of a ns is nothing
				break
			}
			r.left, e.dirty = 1, true
			a.chunk++
			if a.chunk == len(ps.chunks) {
				e.finish(a.frame, a.pass)
				continue
			}
		}
		kept = append(kept, a)
	}
	e.run = kept
	if e.now+1 >= clockAt {
		e.govern()
	}
}

func (e *engine) finish(n, k int) {
	f := &e.frames[n]
	f.passes[k].done, f.passes[k].end = true, e.now
	q := e.content(n).passes[k].queue
	e.freeAt[q], e.free[q] = e.now, reason{kind: whyPass, frame: n, pass: k}
	e.head[q][1]++
	if f.pending--; f.pending == 0 {
		f.end = e.now
	}
	for e.shown < len(e.frames) && e.frames[e.shown].pending == 0 {
		e.show(e.shown)
		e.shown++
	}
}

// show says when a frame is shown.
func (e *engine) show(n int) {
	f, pc := &e.frames[n], &e.p.pacing
	before := math.Inf(-1)
	if n > 0 {
		before = e.frames[n-1].shown
	}
	if pc.refresh == 0 {
		f.shown = max(f.end, before)
		return
	}
	done := f.end + e.p.m.irq
	target := before + pc.refresh
	if !pc.capped && !pc.asked {
		target = before + float64(pc.pattern[n%len(pc.pattern)])*pc.refresh
	}
	if pc.adaptive {
		f.shown = max(done, target)
	} else {
		f.shown = max(target, math.Ceil(done/pc.refresh)*pc.refresh)
	}
	f.byDisplay = f.shown <= target+1
	switch {
	case n == 0:
	case pc.capped:
		if date := e.frames[n-1].app + pc.period; f.app > date+1 || f.end > date+pc.period*float64(max(1, pc.buffers-1)) {
			f.missed = 1
		}
	case pc.asked:
		if due := pc.dates[n] + pc.period; f.end > due {
			f.missed = 1
		}
	case !f.byDisplay:
		f.missed = max(1, int((f.shown-target)/pc.refresh+0.5))
	}
}

func (e *engine) record(end float64) {
	if !e.keep || end <= e.now {
		return
	}
	s := segment{start: e.now, end: end, share: e.share, memory: e.memory, limited: e.capped()}
	s.latency = e.p.m.latency * crowding(e.memory)
	for i, a := range e.run {
		if !a.launching {
			a.amount = (end - e.now) * e.rate[i] * e.p.gpu[a.frame]
		}
		s.active = append(s.active, a)
	}
	for q := range queues {
		if n, _, ok := e.next(q); ok && e.freeAt[q] <= e.now && e.frames[n].driverEnd <= e.now {
			s.waiting[q] = true
		}
	}
	e.segments = append(e.segments, s)
}
