package amd

import (
	"math"

	"astrolabe/capture"
)

// Blocks that have a status bit, in the order of the reader's columns. Those from bCPF on are of the second register.
const (
	bGFX, bCP, bSPI, bTA, bCB, bDB, bPA, bSC, bBCI, bSX, bGE      = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	bCPF, bCPC, bCPG, bRLC, bTC, bUTCL2, bEA, bRMI, bSDMA, blocks = 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
)

var bits = [blocks]string{"gfx", "cp", "spi", "ta", "cb", "db", "pa", "sc", "bci", "sx", "ge", "cpf", "cpc", "cpg", "rlc", "tc",
	"utcl2", "ea", "rmi", "sdma"}

// scene is a stretch of time in which blocks are as busy throughout.
type scene struct {
	to   int64
	busy [blocks]float64
}

// recording is what a simulation keeps for counters.
type recording struct {
	scenes []scene
	engine [queues][]stint
}

// none is the chance that a block of n parts, each busy for a share, is found without work.
func none(busy, n float64) float64 { return math.Pow(1-min(0.999, max(0, busy)), n) }

// moment keeps how busy blocks are until the next change.
func (r *recording) moment(s *sim, until int64) {
	sc := scene{to: until}
	for q := range s.queue {
		if x := &s.queue[q]; x.on {
			r.engine[q] = append(r.engine[q], stint{from: s.now, to: until})
			for k, p := range s.blocksOf(x, q) {
				sc.busy[k] = 1 - (1-sc.busy[k])*(1-p)
			}
		}
	}
	r.scenes = append(r.scenes, sc)
}

// blocksOf is how busy one job keeps the blocks: with their own work, and with work that those behind hold up.
func (s *sim) blocksOf(x *running, q int) (p [blocks]float64) {
	if q == qCopy {
		p[bSDMA], p[bUTCL2] = 0.97, 0.2
		return p
	}
	j := s.jobOf(x.frame, x.job)
	p[bGFX], p[bCP], p[bCPF], p[bRLC], p[bCPC] = 1, 0.985, 0.93, 0.01, 0.985
	if q == qGraphics {
		p[bCPC], p[bCPG] = 0.02, 0.985
	}
	if x.launch > 0 { // the last waves have left, caches are written back
		p[bSPI], p[bTC], p[bEA], p[bUTCL2] = 0.12, 0.35, 0.25, 0.05
		return p
	}
	u, w := &x.use, &x.weight
	mix := func(k int, own, held float64) { p[k] = 1 - none(own, s.m.shared[k])*(1-min(0.97, held)) }
	stored := w[uMemory] + w[uLatency] + w[uCache]
	shaded := stored*(1-j.target) + w[uALU] + w[uLDS] + w[uTexture] + w[uLoad]
	output := w[uDepth] + w[uPixel] + stored*j.target
	fetch, paint := max(u[uTexture], u[uLoad]), max(u[uDepth], u[uPixel])
	work := max(u[uALU], u[uLDS], fetch, u[uLatency]*0.95)
	p[bSPI] = 1 - none(work, 6)*(1-0.9*output)
	mix(bTA, fetch, 0.9*stored*(1-j.target)*min(1, 8*fetch))
	mix(bTC, 1-none(max(u[uCache], u[uMemory], 0.8*u[uLatency]), 2), 0.95*stored)
	mix(bEA, 1-none(u[uMemory], 2), 0.75*u[uLatency])
	mix(bUTCL2, 0.35*u[uMemory]+0.5*power(u[uLatency], 2), 0)
	if q == qCompute {
		return p
	}
	mix(bGE, u[uVertex], j.hold*(w[uPrim]+w[uRaster]+0.8*(shaded+output)))
	mix(bPA, u[uPrim], j.hold*0.9*(w[uRaster]+0.9*(shaded+output)))
	mix(bSC, u[uRaster], 0.92*(shaded+output)+0.5*w[uRaster])
	mix(bBCI, 0.6*max(u[uRaster], work), 0.6*(shaded+output))
	mix(bSX, 0.7*paint, 0.85*output)
	mix(bDB, u[uDepth], 0.6*w[uPixel]+0.8*stored*j.target+j.behind*shaded)
	mix(bCB, u[uPixel], 0.85*stored*j.target)
	mix(bRMI, 0.8*paint, 0.9*stored*j.target)
	return p
}

// status reads the registers at random times, one in each slice of time. Other programs draw a little, too.
func (t *table) status() {
	samples, slice, now := make([]uint64, len(t.at)), 1e9/t.h.rate, 0
	var ones [blocks][]uint64
	for k := range ones {
		ones[k] = make([]uint64, len(t.at))
	}
	for i, x := range t.at {
		for f := math.Ceil(float64(x[0]) / slice); f*slice < float64(x[1]); f++ {
			when := int64((f + t.r.Float64()) * slice)
			for now < len(t.rec.scenes)-1 && t.rec.scenes[now].to <= when {
				now++
			}
			if stray := t.r.Chance(t.h.stray); t.r.Chance(t.h.reached) {
				samples[i]++
				busy := &t.rec.scenes[now].busy
				pipe := t.r.Chance(busy[bGFX]) || stray
				for k, p := range busy {
					if stray && k != bCPC && k != bSDMA {
						p = max(p, 0.5)
					}
					if k == bGFX && pipe || k != bGFX && (pipe || k == bSDMA || k == bRLC) && t.r.Chance(p) {
						ones[k][i]++
					}
				}
			}
		}
	}
	for second, from := range []int{bGFX, bCPF} {
		to := []int{bCPF, blocks}[second]
		t.count("status", []string{"grbm_samples", "grbm2_samples"}[second], "samples", samples)
		for _, name := range []string{"ones", "error"} {
			for k := from; k < to; k++ {
				if t.m.gen == "GFX12" && (k == bUTCL2 || k == bEA || k == bRMI) {
					continue // which it has not
				}
				if name == "ones" {
					t.count("status", "busy_"+bits[k]+"_ones", "samples", ones[k])
					continue
				}
				off := make([]float64, len(t.at))
				for i, n := range samples { // missing where no sample was taken
					share := float64(ones[k][i]) / float64(n)
					off[i] = 100 * math.Sqrt(share*(1-share)/float64(n))
				}
				t.add(capture.Meta{Name: "busy_" + bits[k] + "_error", Block: "status", Unit: "percent", Kind: capture.Gauge,
					Combine: capture.CombineMax}, capture.Data{F: off})
			}
		}
	}
}
