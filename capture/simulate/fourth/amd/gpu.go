package amd

import "math"

// job is a pass of every frame, as a queue runs it.
type job struct {
	*work
	queue    int   // 0 is graphics, 1 compute
	after    []int // jobs of the same frame that must have ended
	needless bool  // it also waits for the last job of the other queue in the frame before, although it need not

	full  float64 // ns at the highest clock
	slope float64 // ns of it that follow the clock
	share [ofDraws]float64
	use   [servers]float64 // shares of the time in which servers work
	moved float64          // share of the time in which memory itself moves something
	heat  float64          // share of the dynamic power that it draws
	bits  [statusBits]float64
}

// prepare finds out how long a job takes, and by what.
func (j *job) prepare(p *pipe, d *device, r *relief) {
	ghz := d.mhz / 1000
	slow := j.work.run(p, d, 0.6*ghz, r).total
	res := j.work.run(p, d, ghz, r)
	j.full = res.total
	j.slope = max(0, min(res.total, (slow-res.total)/(1/0.6-1)))
	j.share = res.share
	for s := range servers {
		j.use[s] = min(1, res.busy[s]/res.total)
	}
	j.moved = min(0.97, 1.08*j.use[sDRAM]*j.beyond(d))
	j.heat = 0.3 + 0.4*j.use[sALU] + 0.12*j.use[sTA] + 0.1*j.use[sDRAM] + 0.08*j.use[sL2] + 0.08*j.use[sCB] + 0.06*j.use[sLDS]
	j.bits = j.status(res)
}

// run is one job of one frame.
type run struct {
	start, end int64
	slow       float64 // ns that it took longer for a clock below the highest
	cause      cause
	by         int // job that it waited for, where cause is a job
	frame      int // and its frame
}

type cause uint8

const (
	bySubmit cause = iota
	byQueue        // the job before it in the queue
	byJob          // one that it depends on
	byNeedless
)

// stretch is a time in which nothing changed in the GPU.
type stretch struct {
	start, end int64
	jobs       [2]*job // nil where the queue is idle
	clock      float64 // share of the highest
}

// gpu runs the jobs of frames as they are submitted, and keeps its clock.
type gpu struct {
	p        *program
	rel      relief
	t        int64
	now      [2]place
	left     [2]float64 // of the running job, 1 at its start
	running  [2]bool
	last     [2]place // that ended last in each queue
	ended    [2]int64
	runs     [][]run // of frames
	undone   []int   // jobs of each frame
	done     []int64 // of each frame, when its last job ended
	submit   []int64
	tick     int64
	clock    float64
	busy     float64 // ns since the last tick
	drawn    float64 // dynamic power by ns since the last tick
	load     float64 // averages over some ticks
	watts    float64
	record   bool
	timeline []stretch
}

type place struct{ frame, job int }

// tickNs is how often firmware sets the clock.
const tickNs = 4e6

func newGPU(p *program, rel relief, record bool) *gpu {
	n := len(p.frames)
	g := &gpu{p: p, rel: rel, record: record, runs: make([][]run, n), undone: make([]int, n), done: make([]int64, n),
		tick: tickNs, clock: p.clockAt(0, 1, p.heatMean, &rel), load: 1, watts: p.heatMean}
	for q := range 2 {
		g.now[q] = g.next(q, place{0, -1})
		g.last[q] = place{-1, -1}
	}
	for i, f := range p.frames {
		jobs := p.contents[f.content].jobs
		g.runs[i], g.undone[i] = make([]run, len(jobs)), len(jobs)
	}
	return g
}

// next is the job after a place in a queue.
func (g *gpu) next(q int, at place) place {
	for {
		if at.job++; at.frame >= len(g.p.frames) {
			return at
		}
		jobs := g.p.contents[g.p.frames[at.frame].content].jobs
		if at.job >= len(jobs) {
			at = place{at.frame + 1, -1}
			continue
		}
		if jobs[at.job].queue == q {
			return at
		}
	}
}

func (g *gpu) job(at place) *job { return &g.p.contents[g.p.frames[at.frame].content].jobs[at.job] }

// ready is when a queue's next job can start, if all that it waits for has ended.
func (g *gpu) ready(q int) (at int64, why run, ok bool) {
	w := g.now[q]
	if w.frame >= len(g.submit) {
		return 0, why, false
	}
	j := g.job(w)
	at, why = g.submit[w.frame], run{cause: bySubmit}
	if g.last[q].frame >= 0 && g.ended[q] >= at {
		at, why = g.ended[q], run{cause: byQueue, frame: g.last[q].frame, by: g.last[q].job}
	}
	for _, k := range j.after {
		e := &g.runs[w.frame][k]
		if e.end == 0 {
			return 0, why, false
		}
		if e.end > at {
			at, why = e.end, run{cause: byJob, frame: w.frame, by: k}
		}
	}
	if j.needless && !g.rel[inTurn] && w.frame > 0 {
		before := g.runs[w.frame-1]
		jobs := g.p.contents[g.p.frames[w.frame-1].content].jobs
		for k := range before {
			if jobs[k].queue == q {
				continue
			}
			if before[k].end == 0 {
				return 0, why, false
			}
			if before[k].end > at {
				at, why = before[k].end, run{cause: byNeedless, frame: w.frame - 1, by: k}
			}
		}
	}
	return at, why, true
}

// until runs the GPU until a frame is done.
func (g *gpu) until(frame int) {
	for g.undone[frame] > 0 {
		next := g.tick
		for q := range 2 {
			if g.running[q] {
				continue
			}
			at, why, ok := g.ready(q)
			if !ok {
				continue
			}
			if at > g.t {
				next = min(next, at)
				continue
			}
			g.running[q], g.left[q] = true, 1
			why.start = g.t
			g.runs[g.now[q].frame][g.now[q].job] = why
		}
		// Two jobs at a time slow each other where they want the same.
		contention := 1.0
		if g.running[0] && g.running[1] {
			contention = 1.04
			a, b := g.job(g.now[0]), g.job(g.now[1])
			for s := range servers {
				contention = max(contention, 1.04*(a.use[s]+b.use[s]))
			}
		}
		var takes, slow [2]float64
		for q := range 2 {
			if !g.running[q] {
				continue
			}
			j, f := g.job(g.now[q]), &g.p.frames[g.now[q].frame]
			extra := j.slope * (1/g.clock - 1)
			takes[q] = (j.full + extra) * f.scale[g.now[q].job] * contention
			slow[q] = extra / (j.full + extra)
			next = min(next, g.t+max(1, int64(math.Ceil(g.left[q]*takes[q]))))
		}
		dt := float64(next - g.t)
		if g.record {
			g.note(next)
		}
		heat := 0.0
		for q := range 2 {
			if !g.running[q] {
				continue
			}
			w := g.now[q]
			x := &g.runs[w.frame][w.job]
			x.slow += dt * slow[q]
			heat += g.job(w).heat
			if g.left[q] -= dt / takes[q]; g.left[q] > 1e-9 {
				continue
			}
			x.end, g.ended[q], g.last[q], g.running[q] = next, next, w, false
			if g.undone[w.frame]--; g.undone[w.frame] == 0 {
				g.done[w.frame] = next
			}
			g.now[q] = g.next(q, w)
		}
		if heat > 0 {
			g.busy += dt
			g.drawn += dt * min(1.1, heat)
		}
		g.t = next
		if g.t == g.tick {
			g.load += 0.35 * (g.busy/tickNs - g.load)
			g.watts += 0.35 * (g.drawn/tickNs - g.watts)
			g.clock = g.p.clockAt(g.t, g.load, g.watts, &g.rel)
			g.busy, g.drawn = 0, 0
			g.tick += tickNs
		}
	}
}

// note keeps what happens until a time.
func (g *gpu) note(until int64) {
	s := stretch{start: g.t, end: until, clock: g.clock}
	for q := range 2 {
		if g.running[q] {
			s.jobs[q] = g.job(g.now[q])
		}
	}
	if n := len(g.timeline); n > 0 && g.timeline[n-1].jobs == s.jobs && g.timeline[n-1].clock == s.clock {
		g.timeline[n-1].end = until
		return
	}
	g.timeline = append(g.timeline, s)
}
