package cpu

import "astrolabe/capture/simulate"

// What is counted, by CPU and sample.
const (
	mUser = iota // ns
	mNice
	mSystem
	mWait
	mCycles
	mRef
	mInstr
	mBranches
	mMisp
	mCacheRef
	mCacheMiss
	mOps     // retired
	mWrong   // slots of operations that were thrown away
	mNoFetch // slots
	mNoUnit  // slots held up by units
	mNoData  // slots held up by memory
	mFaults
	mSwitches
	mMoves
	mTask // ns of the program's own threads
	mL1Ref
	mL1Miss
	mFeCycles
	mBeCycles
	mMemCycles
	mLLCMiss
	mTLB
	mIntr
	mOwn // switches of the program's own threads
	metersN
)

// meter counts what happens, into samples.
type meter struct {
	b     *simulate.Bounds
	from  int64 // when recording begins
	cpus  int
	m     *machine
	alone bool          // hardware and software events are the program's alone
	rows  [][]float64   // by sample: CPU times metersN
	busy  []bool        // by CPU
	io    []int         // by CPU: threads that ran there last and wait for the disk
	since []int64       // by CPU: of the state
	level []levels      // by change
	psi   [][3]float64  // by sample: some CPU, some I/O, full I/O
	ticks []tickReading // by tick of the clock
}

type levels struct {
	at                      int64
	running, ready, blocked int
}

type tickReading struct {
	at          int64
	share, heat float64
	joules      float64
	busyCPU     []bool
}

func newMeter(m *machine, b *simulate.Bounds, from int64, alone bool) *meter {
	n := len(m.cpus)
	return &meter{b: b, from: from, cpus: n, m: m, alone: alone, busy: make([]bool, n), io: make([]int, n),
		since: make([]int64, n), level: []levels{{}}}
}

func (w *meter) row(i int) []float64 {
	for len(w.rows) <= i {
		w.rows = append(w.rows, make([]float64, w.cpus*metersN))
		w.psi = append(w.psi, [3]float64{})
	}
	return w.rows[i]
}

// over calls add for each sample that a stretch of time has a part in, with the share of the stretch.
func (w *meter) over(start, end int64, add func(sample int, share float64)) {
	if end <= w.from || end <= start {
		return
	}
	whole := float64(end - start)
	at := max(start, w.from)
	for i := w.b.Index(at - w.from); at < end; i++ {
		until := min(end, w.from+w.b.At(i+1))
		w.row(i)
		add(i, float64(until-at)/whole)
		at = until
	}
}

func (w *meter) chunk(cpu int, t *thread, start, end int64, n float64, c *cost, hz float64) {
	if end <= w.from {
		return
	}
	p := t.script[t.at].work
	d := w.m.cpus[cpu]
	ghz := hz / 1e9
	ns := float64(end - start)
	cycles := ns * ghz
	var v [metersN]float64
	faults := n * p.faults / 1000
	inKernel := c.cycles[inFaults] / ghz
	inKernel += (ns - inKernel) * p.kernel
	v[mSystem] = inKernel
	if t.nice {
		v[mNice] = ns - inKernel
	} else {
		v[mUser] = ns - inKernel
	}
	if !w.alone || !t.other {
		// The kernel's own instructions at a fault: 0.7 of them a cycle.
		extra := c.cycles[inFaults] * 0.7
		all := n + extra
		slots := cycles * d.width
		ops := min(n*p.upi+extra*1.1, slots*0.98)
		wrong := min(c.cycles[inBranch]*d.width, slots-ops)
		front := min((c.cycles[inFront]+0.1*c.cycles[inFaults])*d.width, slots-ops-wrong)
		waits := max(0, cycles-c.sum()) + c.cycles[inLatency]
		data := min((waits+0.3*c.cycles[inFaults])*d.width, slots-ops-wrong-front)
		v[mCycles], v[mInstr], v[mRef] = cycles, all, ns*d.refHz/1e9
		v[mBranches], v[mMisp] = all*p.branch, min(n*p.misp/1000, all*p.branch)
		v[mOps], v[mWrong], v[mNoFetch], v[mNoData] = ops, wrong, front, data
		v[mNoUnit] = slots - ops - wrong - front - data
		lines := c.bytes / 64
		l1 := n*p.l1/1000 + extra*0.01
		v[mL1Ref], v[mL1Miss] = all*p.loads*1.35, min(l1+0.3*lines, all*p.loads)
		switch {
		case w.m.kind == hybrid:
			v[mCacheRef] = n*p.l2/1000 + lines
			v[mCacheMiss] = min(v[mCacheRef], lines*0.9+n*p.l3/1000*0.1)
		case w.m.kind == desktop:
			v[mCacheRef] = l1 + lines
			v[mCacheMiss] = min(v[mCacheRef], n*p.l2/1000+lines*0.25)
		default:
			v[mCacheRef], v[mCacheMiss] = v[mL1Ref], v[mL1Miss]
		}
		v[mLLCMiss] = n * p.l3 / 1000 * 0.97
		v[mTLB] = n * p.dtlb / 1000
		v[mFeCycles] = min(cycles, (front+0.5*wrong)/d.width)
		v[mMemCycles] = min(cycles-v[mFeCycles], data/d.width)
		v[mBeCycles] = min(cycles-v[mFeCycles], (data+0.4*v[mNoUnit])/d.width)
		v[mFaults], v[mTask] = faults, ns
	}
	v[mIntr] = ns / 4e6
	w.over(start, end, func(i int, share float64) {
		row := w.rows[i][cpu*metersN : (cpu+1)*metersN]
		for k, x := range v {
			if x != 0 {
				row[k] += x * share
			}
		}
	})
}

func (w *meter) once(at int64, cpu, what int, n float64) {
	if at >= w.from {
		w.row(w.b.Index(at - w.from))[cpu*metersN+what] += n
	}
}

// settle counts a CPU's idle time with I/O under way until now.
func (w *meter) settle(at int64, cpu int) {
	if !w.busy[cpu] && w.io[cpu] > 0 {
		w.over(w.since[cpu], at, func(i int, share float64) {
			w.rows[i][cpu*metersN+mWait] += share * float64(at-w.since[cpu])
		})
	}
	w.since[cpu] = at
}

func (w *meter) busyCPU(at int64, cpu int, busy bool) {
	w.settle(at, cpu)
	w.busy[cpu] = busy
	if !busy {
		w.once(at, cpu, mSwitches, 1) // to the idle task
	}
}

func (w *meter) ioOn(at int64, cpu int, delta int) {
	w.settle(at, cpu)
	w.io[cpu] += delta
	if delta < 0 {
		w.once(at, cpu, mIntr, 1)
	}
}

func (w *meter) switched(at int64, cpu int, t *thread, moved bool) {
	w.once(at, cpu, mIntr, 0.6)
	w.once(at, cpu, mSwitches, 1)
	if !t.other {
		w.once(at, cpu, mOwn, 1)
	}
	if moved && !(w.alone && t.other) {
		w.once(at, cpu, mMoves, 1)
	}
}

func (w *meter) state(at int64, running, ready, blocked int) {
	last := w.level[len(w.level)-1]
	ns := float64(at - last.at)
	if ns > 0 {
		v := [3]float64{}
		if last.ready > 0 {
			v[0] = ns
		}
		if last.blocked > 0 {
			v[1] = ns
			if last.running == 0 {
				v[2] = ns
			}
		}
		if v[0]+v[1] > 0 {
			w.over(last.at, at, func(i int, share float64) {
				for k := range v {
					w.psi[i][k] += v[k] * share
				}
			})
		}
		w.level = append(w.level, levels{at, running, ready, blocked})
		return
	}
	w.level[len(w.level)-1] = levels{at, running, ready, blocked}
}

func (w *meter) tick(at int64, r *run) {
	w.ticks = append(w.ticks, tickReading{at: at, share: r.clock.share, heat: r.clock.heat, joules: r.clock.joules,
		busyCPU: append([]bool(nil), w.busy...)})
}
