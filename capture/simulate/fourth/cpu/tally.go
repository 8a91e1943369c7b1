package cpu

import (
	"math"
	"sort"

	"astrolabe/capture/simulate"
)

// tally is what happened in a sample.
type tally struct {
	instr, cycles, memory []float64 // by mix; cycles that memory took
	core, branch, front   []float64 // cycles
	ran                   []float64 // ns by mix
	cpu                   []float64 // ns that the program ran, by processor
	cpuDisk               []float64 // ns in which a processor idled and a thread of its own waited for a disk
	disk, diskAll         float64   // ns with an access to a disk, and with no thread that ran
	crowded               float64   // ns in which a thread waited for a processor
	ghz                   float64   // the last
	running, blocked      float64   // at the end
	start, end            float64   // ns
	switches, accesses    float64
	heat                  float64
	migrations            float64
}

// tallies divide what a session does among samples.
type tallies struct {
	s      *session
	bounds []float64 // sample i lies between bounds i and i+1
	all    []tally
	at     int
	home   []int // of each thread
	free   []int
	rnd    simulate.Random
	taken  []bool // for place
	p      *program
	span   *judged
	offset float64 // of the program's time
}

// begin says of which program slices are, what is judged of it, and when in the capture that begins.
func (t *tallies) begin(p *program, span *judged, at float64, mixes int) {
	t.p, t.span, t.offset, t.at = p, span, at-span.start, 0
	t.home = t.home[:0]
	order := t.rnd.Perm(t.s.m.cores)
	for i := range p.threads {
		t.home = append(t.home, order[i%len(order)])
	}
	t.free = nil
	if len(p.threads) < len(order) {
		t.free = order[len(p.threads):]
	}
	for i := range t.all {
		x := &t.all[i]
		for _, v := range []*[]float64{&x.instr, &x.cycles, &x.memory, &x.core, &x.branch, &x.front, &x.ran} {
			for len(*v) < mixes {
				*v = append(*v, 0)
			}
		}
		for _, v := range []*[]float64{&x.cpu, &x.cpuDisk} {
			if *v == nil {
				*v = make([]float64, t.s.m.cores)
			}
		}
	}
}

// sample is the number of the sample that holds a time, len(all) behind the last.
func (t *tallies) sample(time float64) int {
	return sort.Search(len(t.bounds), func(i int) bool { return t.bounds[i] > time }) - 1
}

// watch takes a slice of the program's time.
func (t *tallies) watch(first int) func(*slice) {
	return func(x *slice) {
		start := max(x.start, t.span.start) + t.offset
		end := min(min(x.end, t.span.end)+t.offset, t.bounds[len(t.bounds)-1])
		if end <= start {
			return
		}
		for t.at+1 < len(t.bounds)-1 && t.bounds[t.at+1] <= start {
			t.at++
			t.move()
		}
		for i := t.at; i < len(t.all) && t.bounds[i] < end; i++ {
			dt := min(end, t.bounds[i+1]) - max(start, t.bounds[i])
			t.add(&t.all[i], x, dt, first)
		}
	}
}

// move lets the scheduler move a thread now and then.
func (t *tallies) move() {
	if len(t.free) > 0 && t.rnd.Chance(0.02) {
		i, k := t.rnd.IntN(len(t.home)), t.rnd.IntN(len(t.free))
		t.home[i], t.free[k] = t.free[k], t.home[i]
		t.all[t.at].migrations++
	}
}

func (t *tallies) add(y *tally, x *slice, dt float64, first int) {
	m := t.s.m
	for i, n := range x.n {
		if n == 0 {
			continue
		}
		c := t.p.mixes[i].cost(m, x.ghz, x.wait, nothing)
		ns := n * x.share * dt
		instr := ns / c.sum()
		k := first + i
		y.instr[k] += instr
		y.ran[k] += ns
		y.cycles[k] += ns * x.ghz
		y.core[k] += instr * c.core * x.ghz
		y.branch[k] += instr * c.branch * x.ghz
		y.front[k] += instr * c.front * x.ghz
		y.memory[k] += instr * c.memory * x.ghz
	}
	busy := len(x.cpus)
	t.place(y, x.cpus, dt)
	// Threads that wait for a disk count as waits where their processors idle; which those are hardly matters.
	for k := range min(x.disk, max(0, m.cores-busy)) {
		y.cpuDisk[t.home[(k+busy)%len(t.home)]] += dt
	}
	if x.disk > 0 {
		y.disk += dt
		if busy == 0 {
			y.diskAll += dt
		}
	}
	if busy > m.cores {
		y.crowded += dt
	}
	y.ghz, y.running, y.blocked = x.ghz, float64(busy), float64(x.disk)
}

// place gives each thread that runs a processor: its own where that is free.
func (t *tallies) place(y *tally, threads []int, dt float64) {
	taken := t.taken[:0]
	for range y.cpu {
		taken = append(taken, false)
	}
	t.taken = taken
	homeless := 0
	for _, i := range threads {
		if c := t.home[i]; taken[c] {
			homeless++
		} else {
			taken[c] = true
			y.cpu[c] += dt
		}
	}
	for c := 0; c < len(taken) && homeless > 0; c++ {
		if !taken[c] {
			homeless--
			y.cpu[c] += dt
		}
	}
}

// events puts what happened at some time into samples.
func (t *tallies) events(o *outcome) {
	each := func(times []float64, do func(*tally)) {
		for _, at := range times {
			if at < t.span.start || at >= t.span.end {
				continue
			}
			if i := t.sample(at + t.offset); i >= 0 && i < len(t.all) {
				do(&t.all[i])
			}
		}
	}
	each(o.switches, func(x *tally) { x.switches++ })
	each(o.accesses, func(x *tally) { x.accesses++ })
	for i := range t.all {
		if at := (t.bounds[i+1] - t.offset) / clockStep; at >= t.span.start/clockStep && int(at) < len(o.heat) {
			t.all[i].heat = o.heat[int(at)]
		}
	}
}

// counted turns exact quantities into whole numbers of a unit that never lose any.
type counted struct {
	carry, unit float64
	values      []uint64
}

func (c *counted) add(x float64) {
	x = max(0, x) + c.carry
	n := math.Floor(x/c.unit + 1e-9)
	c.carry = x - n*c.unit
	c.values = append(c.values, uint64(n)*uint64(c.unit))
}
