package cpu

import "math"

// profile is what instructions of a stretch of code are like. Rates are per thousand instructions.
type profile struct {
	name   string
	upi    float64 // operations per instruction
	par    float64 // share of the core's attainable width that dependencies between instructions leave
	fe     float64 // cycles per instruction that the front end of a core with 8 slots lacks instructions
	icMiss float64
	itlb   float64
	branch float64 // branches, of one instruction
	misp   float64
	loads  float64 // of one instruction
	l1, l2 float64 // misses of these levels
	l3     float64 // loads that memory answers, and that nobody fetched ahead
	mlp    float64 // how many of these are under way together
	bytes  float64 // per instruction from and to memory, prefetched
	dtlb   float64
	faults float64
	kernel float64 // share of the instructions that the kernel runs
	heat   float64 // of power, against common work
}

// Parts of a chunk's time.
const (
	inCore = iota
	inFront
	inBranch
	inLatency
	inBandwidth
	inFaults
	parts
)

// rates are what a relieved simulation has better: factors of time, 1 or less.
type rates struct {
	of        [parts]float64
	noLocks   bool
	noTurns   bool
	noIO      bool
	noOthers  bool
	noThermal bool
	noPower   bool
	noGovern  bool
}

func plain() rates {
	var r rates
	for i := range r.of {
		r.of[i] = 1
	}
	return r
}

// cost is what a chunk takes: cycles by cause, and ns that do not depend on the clock.
type cost struct {
	cycles [parts]float64
	ns     float64 // of latency behind the core's own clock
	bytes  float64
}

// of is what n instructions cost on a core while memory answers after so many ns.
func (p *profile) of(n float64, d *design, dramNs float64, r *rates) (c cost) {
	wide := 8 / d.width // narrow cores ask less of the front end per cycle
	c.cycles[inCore] = n * p.upi / (d.attain * p.par) * r.of[inCore]
	c.cycles[inFront] = n * p.fe * math.Sqrt(1/wide) * r.of[inFront]
	c.cycles[inBranch] = n * p.misp / 1000 * d.flush * r.of[inBranch]
	// Half of a hit in the second level is hidden by other work.
	c.cycles[inLatency] = n * max(0, p.l1-p.l2) / 1000 * d.l2Cyc * 0.5 / max(1, p.mlp) * r.of[inLatency]
	c.ns = n / 1000 * (max(0, p.l2-p.l3)*d.l3Ns + p.l3*dramNs) / p.mlp * r.of[inLatency]
	c.cycles[inFaults] = n * p.faults / 1000 * d.faultCy * r.of[inFaults]
	c.bytes = n * (p.bytes + p.l3/1000*64) * r.of[inBandwidth]
	return c
}

func (c *cost) sum() (cycles float64) {
	for _, x := range c.cycles {
		cycles += x
	}
	return cycles
}

// power26 is x to the power of powerExponent, by a polynomial that is the same on every machine: between x² and x³.
func power26(x float64) float64 { return x * x * (0.4 + 0.6*x) }
