package cpu

import (
	"fmt"

	"astrolabe/capture/simulate"
)

// Candidates of programs on processors, beside those that every machine has.
var (
	unitCore   = simulate.Candidate{Level: simulate.LevelUnit, Name: "core"}
	unitFront  = simulate.Candidate{Level: simulate.LevelUnit, Name: "front_end"}
	unitBranch = simulate.Candidate{Level: simulate.LevelUnit, Name: "branch"}
	cpuIO      = simulate.Candidate{Level: simulate.LevelCPU, Name: "io"}
	cpuLock    = simulate.Candidate{Level: simulate.LevelCPU, Name: "lock"}
	cpuFaults  = simulate.Candidate{Level: simulate.LevelCPU, Name: "faults"}
	cpuOthers  = simulate.Candidate{Level: simulate.LevelCPU, Name: "others"}
	timer      = simulate.Candidate{Level: simulate.LevelDisplay, Name: "timer"}
)

// plants are what single content can be limited by.
var plants = []simulate.Candidate{unitCore, unitFront, unitBranch, simulate.MemoryLatency, simulate.MemoryBandwidth, cpuIO,
	cpuLock, cpuFaults, cpuOthers, simulate.QueuesInTurn, timer, simulate.ClockThermal, simulate.ClockPower,
	simulate.ClockGovernor}

// maker draws contents.
type maker struct {
	simulate.Random
	m *machine
}

// common is code of no particular kind: it loses a little of everything.
func (k maker) common() *profile {
	return &profile{name: "common", upi: k.Between(1.04, 1.2), par: k.Between(0.4, 0.75), fe: k.Between(0.01, 0.04),
		icMiss: k.Between(0.3, 3), itlb: k.Between(0.01, 0.1), branch: k.Between(0.1, 0.2), misp: k.Between(0.3, 1.5),
		loads: k.Between(0.2, 0.32), l1: k.Between(3, 9), l2: k.Between(0.4, 1.5), l3: k.Between(0.02, 0.12),
		mlp: k.Between(2, 4), bytes: k.Between(0.01, 0.06), dtlb: k.Between(0.02, 0.2), faults: k.Log(0.00005, 0.001),
		kernel: k.Between(0.01, 0.06), heat: k.Between(0.9, 1.1)}
}

// code is code that one thing limits.
func (k maker) code(c simulate.Candidate) *profile {
	p := k.common()
	p.name = c.Name
	switch c {
	case unitCore: // vectors, or long chains of arithmetic
		p.par, p.misp, p.fe, p.l1, p.l2, p.l3 = k.Between(0.28, 1), k.Between(0.02, 0.3), k.Between(0, 0.008), 2, 0.2, 0.005
		p.bytes, p.branch, p.heat = k.Between(0.002, 0.02), k.Between(0.03, 0.12), k.Between(1, 1.3)
	case unitFront:
		p.fe, p.icMiss, p.itlb, p.par = k.Between(0.4, 0.9), k.Between(18, 45), k.Between(0.6, 2.5), k.Between(0.6, 0.9)
		p.branch, p.heat = k.Between(0.18, 0.24), k.Between(0.75, 0.95)
	case unitBranch:
		p.misp, p.branch, p.par, p.heat = k.Between(18, 38), k.Between(0.18, 0.26), k.Between(0.6, 0.9), k.Between(0.8, 1)
		p.l1 = k.Between(1, 4)
		if k.m.kind == board { // a narrow core takes longer for the same work, so that a flush costs less of it
			p.misp *= 2
		}
	case simulate.MemoryLatency:
		p.l1, p.l2, p.l3, p.mlp = k.Between(30, 45), k.Between(16, 28), k.Between(9, 16), k.Between(1.1, 2.2)
		p.dtlb, p.heat, p.bytes = k.Between(4, 12), k.Between(0.55, 0.75), 0.01
	case simulate.MemoryBandwidth:
		p.bytes, p.l1, p.l2, p.l3 = k.Between(5, 9), k.Between(30, 60), k.Between(1, 3), k.Between(0.05, 0.2)
		p.mlp, p.misp, p.heat, p.loads, p.par = 8, 0.1, k.Between(0.65, 0.8), k.Between(0.3, 0.4), k.Between(0.5, 0.9)
	case cpuFaults:
		p.faults, p.kernel = k.Between(1.2, 3), k.Between(0.05, 0.1)
	}
	return p
}

// mixed is code whose time several units share, as most code does.
func (k maker) mixed() *profile {
	p := k.common()
	p.name, p.fe, p.misp, p.par = "mixed", k.Between(0.1, 0.16), k.Between(4, 7), k.Between(0.6, 0.8)
	return p
}

// run is a stretch of code that takes about so long on the fastest core alone.
func (k maker) run(p *profile, ns float64) step {
	d := k.m.cpus[0]
	r := plain()
	c := p.of(1e6, d, k.m.dramNs, &r)
	one := c.sum()/(d.maxHz/1e9) + c.ns
	return step{kind: stepRun, work: p, amount: 1e6 * ns / one, spread: k.Between(0.02, 0.2)}
}

// team is n threads that share every frame, as workers of a pool do.
func (k maker) team(n int, steps func(thread int) []step) *phase {
	p := &phase{devices: 4}
	for i := range n {
		s := script(steps(i))
		if n > 1 {
			s = append(s, step{kind: stepBarrier})
		}
		if i == 0 {
			s = append(s, step{kind: stepFrame})
		}
		p.threads = append(p.threads, s)
	}
	return p
}

// fast is how many CPUs are of the fastest kind.
func (k maker) fast() int {
	n := 0
	for i := range k.m.cpus {
		if !k.m.slow(i) {
			n++
		}
	}
	return n
}

// planted is a program that one thing limits.
func (k maker) planted(c simulate.Candidate) *phase {
	n := k.fast()
	some := k.Whole(1, n)
	ns := k.Log(1.5e6, 12e6)
	var p *phase
	switch c {
	case simulate.MemoryBandwidth:
		code := k.code(c)
		// As much is asked of memory as twice what it has.
		for range 40 {
			r := plain()
			d := k.m.cpus[0]
			x := code.of(1e6, d, k.m.dramNs, &r)
			if x.bytes/(x.sum()/(d.maxHz/1e9)+x.ns)*float64(n) > 2*k.m.bandwidth {
				break
			}
			code.bytes *= 1.2
		}
		p = k.team(n, func(int) []step { return []step{k.run(code, ns/2)} })
	case cpuIO:
		code := k.mixed()
		n = k.Whole(1, n)
		p = k.team(n, func(int) []step {
			return []step{k.run(code, ns/4), {kind: stepIO, amount: ns * k.Between(0.9, 3), spread: 0.4}}
		})
		p.devices = k.Pick2(n, 2*n)
	case cpuLock:
		code, inside := k.mixed(), k.mixed()
		n = max(3, n)
		part := k.Between(0.6, 0.9)
		ns /= 8
		p = &phase{devices: 4}
		for i := range n {
			s := script{k.run(code, ns*(1-part)), {kind: stepLock}, k.run(inside, ns*part), {kind: stepUnlock}}
			if i == 0 {
				s = append(s, step{kind: stepFrame})
			}
			p.threads = append(p.threads, s)
		}
	case cpuOthers:
		code := k.mixed()
		p = k.team(some, func(int) []step { return []step{k.run(code, 2*ns)} })
		p.nice = false
		foreign := k.common()
		for range len(k.m.cpus)*2 + k.IntN(len(k.m.cpus)+1) {
			p.others = append(p.others, script{k.run(foreign, 40e6)})
		}
	case simulate.QueuesInTurn:
		n = min(k.Whole(2, 4), n)
		p = k.turns(n, ns, func(int) *profile { return k.mixed() })
	case timer:
		p = k.paced()
	case simulate.ClockThermal, simulate.ClockPower, simulate.ClockGovernor:
		code := k.mixed()
		code.heat = k.Between(1, 1.25)
		share := k.Between(0.4, 0.58)
		if c != simulate.ClockGovernor {
			some = n
		}
		p = k.team(some, func(int) []step { return []step{k.run(code, ns)} })
		k.hold(c, share, some, code.heat)
	default:
		code := k.code(c)
		if c == simulate.MemoryLatency {
			some = min(some, 1+n/2)
		}
		p = k.team(some, func(int) []step { return []step{k.run(code, ns)} })
	}
	p.name = c.String()
	return p
}

// Pick2 is one of two numbers.
func (k maker) Pick2(a, b int) int { return simulate.Pick(k.Random, a, b) }

// hold plants what holds the clock.
func (k maker) hold(c simulate.Candidate, share float64, busy int, heat float64) {
	switch c {
	case simulate.ClockThermal:
		k.m.hot(share, busy, heat)
	case simulate.ClockPower:
		k.m.starve(share, busy, heat)
	default:
		k.m.policy, k.m.ceiling = ceiling, share
	}
}

// turns is n threads of which one works at a time: each waits until the one before it has handed on.
func (k maker) turns(n int, ns float64, code func(int) *profile) *phase {
	p := &phase{turns: n, devices: 4}
	for i := range n {
		s := script{{kind: stepTake}, k.run(code(i), ns*k.Between(0.85, 1.15)), {kind: stepPass}}
		if i == 0 {
			s = append(s, step{kind: stepFrame})
		}
		p.threads = append(p.threads, s)
	}
	return p
}

// paced is a program that a timer or requests drive, and that keeps up; an idle machine where there is little of it.
func (k maker) paced() *phase {
	period := 1e9 / simulate.Pick(k.Random, 24.0, 30, 48, 60, 72, 90, 100, 120, 144, 250)
	n := k.Whole(1, min(4, k.fast()))
	use := k.Between(0.02, 0.75)
	bursts := 0.0
	if k.Chance(0.35) {
		bursts, use = k.Between(0.3, 0.55), min(use, 0.35)
	}
	codes := []*profile{k.mixed(), k.common(), k.code(plants[k.IntN(4)])}
	steps := k.Whole(1, 4)
	p := k.team(n, func(i int) []step {
		var s []step
		if i == 0 {
			s = append(s, step{kind: stepDate})
		}
		if n > 1 {
			s = append(s, step{kind: stepBarrier})
		}
		for j := range steps {
			x := k.run(codes[j%len(codes)], period*use/float64(steps))
			x.spread = min(x.spread, 0.1)
			s = append(s, x)
		}
		return s
	})
	p.period, p.bursts = period, bursts
	p.name = fmt.Sprintf("paced at %.0f Hz, %.0f %% busy", 1e9/period, use*100)
	return p
}

// archetype is a kind of program that people run.
func (k maker) archetype() *phase {
	lat, bw := simulate.MemoryLatency, simulate.MemoryBandwidth
	kinds := []struct {
		name  string
		codes []simulate.Candidate
		parts []float64
		io    float64 // of the frame
		lock  float64
		few   bool
	}{
		{"compiler", []simulate.Candidate{unitFront, unitBranch, lat, cpuFaults}, []float64{6, 2, 1, 1}, 0.05, 0, false},
		{"database", []simulate.Candidate{lat, unitFront, unitBranch}, []float64{6, 2, 1}, 0.2, 0.02, false},
		{"storage server", []simulate.Candidate{unitCore, lat, unitFront}, []float64{2, 1, 1}, 2, 0, true},
		{"video encoder", []simulate.Candidate{unitCore, unitBranch, bw, lat}, []float64{7, 1, 0.5, 0.5}, 0, 0.01, false},
		{"interpreter", []simulate.Candidate{unitBranch, unitFront, lat, unitCore}, []float64{6, 1.5, 1, 1}, 0.03, 0, true},
		{"language model", []simulate.Candidate{bw, unitCore, lat}, []float64{8, 1, 0.3}, 0, 0, false},
		{"graph search", []simulate.Candidate{lat, unitBranch, unitCore}, []float64{7, 1, 1}, 0, 0, false},
		{"compression", []simulate.Candidate{unitBranch, lat, unitCore}, []float64{6, 1, 1.5}, 0.1, 0, false},
		{"solver", []simulate.Candidate{unitCore, bw, lat, unitCore}, []float64{4, 1, 0.3, 4}, 0, 0, false},
		{"loader", []simulate.Candidate{cpuFaults, unitCore, lat}, []float64{8, 1, 1}, 0.1, 0, true},
		{"key-value store", []simulate.Candidate{unitFront, lat, unitCore}, []float64{1, 1, 1}, 0, 0.7, false},
	}
	a := kinds[k.IntN(len(kinds))]
	n := k.fast()
	if a.few {
		n = k.Whole(1, n)
	}
	total := 0.0
	for _, x := range a.parts {
		total += x
	}
	frame := k.Log(6e6, 25e6)
	var codes []*profile
	for _, c := range a.codes {
		codes = append(codes, k.code(c))
	}
	p := k.team(n, func(i int) []step {
		var s []step
		for j, x := range a.parts {
			s = append(s, k.run(codes[j], frame*x/total*k.Between(0.9, 1.1)))
		}
		if a.lock > 0 {
			s = append(s, step{kind: stepLock}, k.run(codes[0], frame*a.lock), step{kind: stepUnlock})
		}
		if a.io > 0 {
			s = append(s, step{kind: stepIO, amount: frame * a.io * k.Between(0.7, 1.3), spread: 0.5})
		}
		return s
	})
	p.name = a.name
	if k.Chance(0.4) { // what else runs on a machine now and then
		p.others = append(p.others, script{k.run(k.common(), 3e6), {kind: stepIO, amount: 40e6, spread: 0.5}})
	}
	return p
}

// random is passes of any kind in any mixture.
func (k maker) random() *phase {
	n := k.Whole(1, k.fast())
	frame := k.Log(3e6, 20e6)
	var codes []*profile
	var shares []float64
	total := 0.0
	for range k.Whole(2, 5) {
		codes = append(codes, k.code(plants[k.IntN(8)]))
		x := k.Log(0.15, 5)
		shares, total = append(shares, x), total+x
	}
	io, lock := 0.0, 0.0
	if k.Chance(0.3) {
		io = k.Log(0.05, 2)
	}
	if k.Chance(0.25) {
		lock = k.Log(0.02, 0.5)
	}
	p := k.team(n, func(int) []step {
		var s []step
		for j, c := range codes {
			s = append(s, k.run(c, frame*shares[j]/total))
		}
		if lock > 0 {
			s = append(s, step{kind: stepLock}, k.run(codes[0], frame*lock), step{kind: stepUnlock})
		}
		if io > 0 {
			s = append(s, step{kind: stepIO, amount: frame * io, spread: 0.5})
		}
		return s
	})
	if k.Chance(0.2) {
		k.hold(plants[11+k.IntN(3)], k.Between(0.45, 0.85), n, 1)
	}
	if k.Chance(0.15) {
		for range len(k.m.cpus) + k.IntN(2*len(k.m.cpus)) {
			p.others = append(p.others, script{k.run(k.common(), 40e6)})
		}
		p.nice = k.Chance(0.3)
	}
	p.name = "random"
	return p
}
