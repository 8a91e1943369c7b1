package amd

import (
	"math"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// bits are those of the status registers, by the names that recorders give them; the first are of GRBM_STATUS, those
// from second on of GRBM_STATUS2.
var bits = []struct{ name, title string }{
	{"gfx", "Graphics pipe"}, {"cp", "Command processor"}, {"spi", "Shader input (all shader stages)"}, {"ta", "Texture pipe"},
	{"cb", "Colour block"}, {"db", "Depth block"}, {"pa", "Primitive assembly"}, {"sc", "Scan converter"},
	{"bci", "Barycentric interpolation"}, {"sx", "Shader export"}, {"ge", "Geometry engine"},
	{"cpf", "Command processor fetcher"}, {"cpc", "Command processor, compute"}, {"cpg", "Command processor, graphics"},
	{"rlc", "Run list controller"}, {"tc", "Texture cache"}, {"utcl2", "Address translation, second level"},
	{"ea", "Efficiency arbiter (path to memory)"}, {"rmi", "Render memory interface"}, {"sdma", "System DMA"},
}

const (
	bGFX = iota
	bCP
	bSPI
	bTA
	bCB
	bDB
	bPA
	bSC
	bBCI
	bSX
	bGE
	second
	bCPF = iota - 1
	bCPC = iota - 1
	bCPG = iota - 1
	bRLC = iota - 1
	bTC  = iota - 1
	bUTC = iota - 1
	bEA  = iota - 1
	bRMI = iota - 1
	bDMA = iota - 1

	statusBits = iota - 1
)

// either is the share in which one or the other holds, where they know nothing of each other.
func either(shares ...float64) float64 {
	p := 1.0
	for _, s := range shares {
		p *= 1 - min(1, max(0, s))
	}
	return 1 - p
}

// status are the shares of a job's time in which bits are found set. A bit is that of all instances of a block together,
// so that it is set more often than one instance works, and it is set while the block holds work that cannot go on.
func (j *job) status(r *result) (out [statusBits]float64) {
	rnd := simulate.NewRandom(j.seed, "bits")
	any := func(s int) float64 {
		return 1 - math.Pow(1-min(0.999, r.busy[s]/r.total), rnd.Between(1.2, 2.4))
	}
	of := func(ns, by float64) float64 { return min(1, by*ns/r.total) }
	graphics := b2f(!j.compute)
	waves := either(of(r.waves[0], 1), of(r.waves[1], 1))
	out[bGFX], out[bCP], out[bCPF] = 1, rnd.Between(0.95, 1), rnd.Between(0.9, 1)
	out[bCPG], out[bCPC] = rnd.Between(0.9, 1), rnd.Between(0, 0.03)
	if j.queue == 1 {
		out[bCPG], out[bCPC] = rnd.Between(0, 0.03), rnd.Between(0.9, 1)
	}
	out[bSPI] = waves
	out[bTA] = min(waves, either(any(sTA), of(r.stalled[pMiss], 0.95)))
	out[bCB] = graphics * either(any(sCB), of(r.stalled[pCB], 0.3))
	out[bDB] = graphics * either(any(sDB), of(r.stalled[pCB], 0.9), of(r.stalled[pPS], 0.5))
	out[bPA] = graphics * either(any(sPA), of(r.stalled[pDB], 0.9), of(r.stalled[pSC], 0.5))
	out[bSC] = graphics * either(any(sSC), of(r.stalled[pDB], 0.8), of(r.stalled[pPS], 0.9))
	out[bBCI] = graphics * of(r.waves[1], rnd.Between(0.7, 0.95))
	out[bSX] = graphics * either(of(r.waves[1], rnd.Between(0.5, 0.85)), of(r.stalled[pCB], 1), any(sCB))
	out[bGE] = graphics * either(any(sGE), of(r.stalled[pVS], 0.9), of(r.stalled[pParam], 0.7))
	out[bRLC] = rnd.Between(0.005, 0.03)
	memory := of(r.memory, 1)
	out[bTC] = either(any(sL2), memory*rnd.Between(0.75, 0.95))
	out[bUTC] = memory * rnd.Between(0.05, 0.4)
	out[bEA] = either(any(sDRAM), memory*rnd.Between(0.2, 0.6)*(1-j.l2))
	out[bRMI] = graphics * either(any(sCB)*0.8, any(sDB)*0.4)
	for b := range out { // the last bits of a power depend on the processor
		out[b] = math.Round(out[b]*1e6) / 1e6
	}
	return out
}

// sum are samples of the two registers, and how many found each bit.
type sum struct {
	n    int
	ones [statusBits]int
}

// reads looks at the registers some thousand times a second during a sample.
func reads(timeline []stretch, at *int, from, until int64, rate float64, dma float64, r simulate.Random) (s sum) {
	step := 1e9 / rate
	for t := float64(from) + step*r.Float64(); t < float64(until); t += step * r.Between(0.85, 1.15) {
		s.n++
		now := int64(t)
		for *at+1 < len(timeline) && timeline[*at].end <= now {
			*at++
		}
		x := &timeline[*at]
		if r.Float64() < dma {
			s.ones[bDMA]++
		}
		if now < x.start || now >= x.end || x.jobs == [2]*job{} {
			if r.Float64() < 0.01 {
				s.ones[bCPF]++
			}
			continue
		}
		for b := range statusBits {
			p := 0.0
			for _, j := range x.jobs {
				if j != nil {
					p = either(p, j.bits[b])
				}
			}
			if p > 0 && r.Float64() < p {
				s.ones[b]++
			}
		}
	}
	return s
}

// status adds the registers' counters.
func statusColumns(c *simulate.Columns, sums []sum) {
	meta := func(name, title, unit, doc string) capture.Meta {
		return capture.Meta{Name: name, Title: title, Unit: unit, Doc: doc, GPU: "amd-live", Source: "amdgpu", Block: "status"}
	}
	for _, reg := range []struct {
		name, counter string
		from, to      int
	}{{"GRBM_STATUS", "grbm_samples", 0, second}, {"GRBM_STATUS2", "grbm2_samples", second, statusBits}} {
		at := c.Counter(meta(reg.counter, "Samples of "+reg.name, "samples", "Times that the register "+reg.name+" was read."))
		for _, s := range sums {
			c.Whole(at, float64(s.n))
		}
		for b := reg.from; b < reg.to; b++ {
			at := c.Counter(meta("busy_"+bits[b].name+"_ones", bits[b].title+" found busy", "samples",
				"Samples of the register "+reg.name+" that found the bit of this block set."))
			for _, s := range sums {
				c.Whole(at, float64(s.ones[b]))
			}
		}
		for b := reg.from; b < reg.to; b++ {
			m := meta("busy_"+bits[b].name+"_error", bits[b].title+" busy sampled, standard error", "percent",
				"Standard error of the sampled share in this sample.")
			m.Combine = capture.CombineMax
			at := c.Gauge(m)
			for _, s := range sums {
				p := float64(s.ones[b]) / float64(max(1, s.n))
				e := 100 * math.Sqrt(p*(1-p)/float64(max(1, s.n)))
				if s.n == 0 {
					e = math.NaN()
				}
				c.Set(at, e)
			}
		}
	}
}
