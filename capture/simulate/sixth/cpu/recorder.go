package cpu

import "astrolabe/capture/simulate"

// What is added up for each sample and CPU, and for the program.
const (
	tUser = iota
	tNice
	tSystem
	tIdle
	tIOWait
	tIRQ
	tSoftIRQ
	tSteal
	tRan // ns on CPUs
	eCycles
	eReference
	eInstructions
	eSlots
	eRetiring
	eBadSpec
	eFrontEnd
	eBackEnd
	eMemory
	eRecovery
	eDispatched
	eBranches
	eBranchMisses
	eLoads
	eL1Misses
	eL2Misses
	eLastMisses
	eDataTLB
	eCodeTLB
	eMinor
	eMajor
	eSwitches
	eMigrations
	pCPU // ns in which a task waited for this CPU
	pIO
	pIOFull
	pMemory
	pMemoryFull
	pBusy // ns in which it had any task
	tallies
)

// row is one sample.
type row struct {
	cpus       [][tallies]float64
	ours       [tallies]float64
	interrupts float64
	forks      float64
	running    int
	waiting    int
	load       float64
	share      []float64 // clock by cluster
	heat       float64
	watts      float64
	free       float64 // bytes of memory
}

// recorder keeps what counters count.
type recorder struct {
	bounds   *simulate.Bounds
	rows     []row
	cur      row
	userOnly bool // the kernel may not be measured
	load     float64
	loaded   int64
	toTick   []float64
}

func newRecorder(m *machine, bounds *simulate.Bounds, userOnly bool, load float64) *recorder {
	r := &recorder{bounds: bounds, userOnly: userOnly, load: load, toTick: make([]float64, len(m.sites))}
	r.cur.cpus = make([][tallies]float64, len(m.sites))
	return r
}

func (r *recorder) bound() int64 { return r.bounds.At(len(r.rows) + 1) }

// event counts what happens at a moment.
func (r *recorder) event(t *thread, cpu, what int, n float64) {
	r.cur.cpus[cpu][what] += n
	if !t.role.other {
		r.cur.ours[what] += n
	}
}

func (r *recorder) interrupt(n float64) {
	if r != nil {
		r.cur.interrupts += n
	}
}

func (r *recorder) fork(n float64) {
	if r != nil {
		r.cur.forks += n
	}
}

// pass adds what goes on from now until t.
func (r *recorder) pass(s *sim, t int64) {
	for i := range s.cpus {
		c := &s.cpus[i]
		to := &r.cur.cpus[i]
		ns := float64(t - s.now)
		if c.waitIO > 0 {
			to[pIO] += ns
			if c.cur == nil && len(c.queue) == 0 {
				to[pIOFull] += ns
			}
		}
		if c.waitMem > 0 {
			to[pMemory] += ns
			if c.cur == nil && len(c.queue) == 0 {
				to[pMemoryFull] += ns
			}
		}
		if len(c.queue) > 0 {
			to[pCPU] += ns
		}
		if c.cur != nil || len(c.queue) > 0 || c.waitIO > 0 {
			to[pBusy] += ns
		}
		idle := ns
		if c.cur != nil {
			idle = float64(max(0, min(t, c.wakes)-s.now))
		}
		if c.waitIO > 0 && c.cur == nil {
			to[tIOWait] += idle
		} else {
			to[tIdle] += idle
		}
		if c.cur == nil {
			continue
		}
		if r.toTick[i] += ns - idle; r.toTick[i] >= s.m.tick {
			r.cur.interrupts += float64(int(r.toTick[i] / s.m.tick))
			r.toTick[i] -= s.m.tick * float64(int(r.toTick[i]/s.m.tick))
		}
		if ns := float64(min(t, c.starts) - max(s.now, c.wakes)); ns > 0 {
			r.add(s, c, i, ns, true)
		}
		if ns := float64(t - max(s.now, c.starts)); ns > 0 {
			r.add(s, c, i, ns, false)
		}
	}
}

// kernelCode is what switches are made of.
var kernelCode = code{name: "switch", ilp: 1.8, ops: 1.1, branches: 0.19, missed: 0.012, fetch: 0.08, icache: 0.012,
	loads: 0.3, l1: 0.02, l2: 0.002, set: 1, flight: 3, overlap: 0.3, kernel: 1, dtlb: 3e-4, itlb: 1e-4, extra: 0.3}

// add counts some ns of a CPU's thread, or of the switch to it.
func (r *recorder) add(s *sim, c *cpuState, i int, ns float64, switching bool) {
	what, p := s.codes[c.cur.code], c.p
	site := s.m.sites[i]
	k := &s.m.clusters[site.cluster].core
	hz := k.hz / 1e9 * s.clk.share[site.cluster]
	if switching {
		what = &kernelCode
		one := noRelief()
		p = paceOf(what, k, s.m, &one, beside{hz: hz, fit: 1})
	}
	stolen := ns * s.m.steal
	soft := 0.0
	if switching {
		soft = c.switching * (ns - stolen)
	}
	ns -= stolen
	kernel := what.kernel
	var d [tallies]float64
	d[tSteal], d[tSoftIRQ], d[tIRQ] = stolen, soft, 0.002*ns
	left := ns - soft - d[tIRQ]
	d[tSystem] = left * kernel
	if c.cur.role.nice {
		d[tNice] = left - d[tSystem]
	} else {
		d[tUser] = left - d[tSystem]
	}
	d[tRan] = ns
	if r.userOnly {
		ns *= 1 - kernel
	}
	n := ns / p.ns
	d[eCycles], d[eInstructions], d[eSlots] = n*p.cycles, n, n*p.slots
	d[eReference] = ns * k.hz * 0.72 / 1e9
	d[eRetiring] = n * what.ops
	// Of a wrong guess most of the time is slots of operations that are thrown away; then none has arrived yet.
	part := d[eSlots] / p.ns
	d[eBadSpec] = part * p.branch * 0.72
	d[eRecovery] = d[eBadSpec] * 0.4
	d[eFrontEnd] = part * (p.front + p.branch*0.28)
	d[eBackEnd] = max(0, d[eSlots]-d[eRetiring]-d[eBadSpec]-d[eFrontEnd])
	d[eMemory] = min(d[eBackEnd], part*p.memory*0.94+0.06*d[eBackEnd])
	d[eDispatched] = d[eRetiring] + d[eBadSpec] - d[eRecovery]
	d[eBranches], d[eBranchMisses] = n*what.branches, n*what.branches*what.missed
	d[eLoads], d[eL1Misses], d[eL2Misses], d[eLastMisses] = n*what.loads, n*p.l1, n*min(p.l2, p.l1), n*min(p.miss, p.l1)
	d[eDataTLB], d[eCodeTLB], d[eMinor] = n*p.tb, n*what.itlb, n*what.faults
	to := &r.cur.cpus[i]
	for k := range d {
		to[k] += d[k]
	}
	if !c.cur.role.other {
		for k := range d {
			r.cur.ours[k] += d[k]
		}
	}
}

// close ends a sample.
func (r *recorder) close(s *sim) {
	w := &r.cur
	for i := range s.cpus {
		c := &s.cpus[i]
		w.running += len(c.queue)
		if c.cur != nil {
			w.running++
		}
		w.waiting += c.waitIO
	}
	if s.now-r.loaded > 5e9 || r.loaded == 0 { // the kernel renews it every 5 s
		r.loaded = s.now
		r.load += (float64(w.running+w.waiting) - r.load) * 0.08
	}
	w.load, w.share, w.heat, w.watts = r.load, append([]float64(nil), s.clk.share...), s.clk.heat, s.clk.watts
	w.free = s.phases[s.phase].spare
	r.rows = append(r.rows, *w)
	r.cur = row{cpus: make([][tallies]float64, len(s.cpus))}
}
