package rdna

import (
	"math"
	"strings"
)

// jitter is how one run of the same work differs from another.
type jitter struct{ time, caches float64 }

// totals are what a row did in the whole GPU. Parts are whole numbers, so that they add up to the totals exactly.
type totals struct {
	clocks, busy           float64 // all, and those with waves
	waves                  float64
	read0, write0, atomic0 float64 // requests of L0
	miss0                  float64 // of reads
	wide1, narrow1         float64 // reads of GL1 by L0, of 128 and of 64 bytes
	scalar, code           float64 // reads of GL1 by the scalar and instruction caches
	x128, x64, x32, write2 float64 // reads and writes of GL2
	blocks2                float64 // requests of color and depth blocks
	m128, m64, m32         float64 // reads behind GL2
	w64, w32               float64 // writes
	l0Busy, l0Held         float64 // mean of a unit's clocks: at work, and held up
	tagWaits               float64
	memoryHeld, memoryUsed float64 // shares of the clocks, and of the bandwidth
	inFlight               float64 // requests that GL2 has in work
}

func whole(x float64) float64 { return math.Round(max(0, x)) }

// busyOf is the share of time in which something has work, where so much is in work on average.
func busyOf(inWork float64) float64 { return 1 - math.Exp(-inWork) }

// put notes whole numbers under names.
func put(out map[string]float64, names string, values ...float64) {
	for i, name := range strings.Fields(names) {
		out[name] = whole(values[i])
	}
}

// total adds up a row.
func (p *run) total(i int, res *result, v jitter) (t totals) {
	j, m, clock := &p.rows[i].job, p.m, p.rows[i].clock
	t.clocks = res.clocks * v.time
	t.busy = t.clocks - min(t.clocks*0.98, p.overhead*clock*0.8)
	var in, unit, fabric, dram, written float64 // requests of 64 bytes, and clocks of an L0
	pairs := 0.3                                // share of them that are two of one line
	for k, s := range []*program{&j.shader, &j.vertex} {
		waves := s.waves
		if j.draw && k == 0 {
			waves = j.units * j.shaded()
		}
		if waves == 0 || !j.draw && k == 1 {
			continue
		}
		n, x := waves*max(1, s.rounds), s.traffic()
		t.waves += waves
		t.read0, t.write0, t.atomic0 = t.read0+x.read0*n, t.write0+x.write0*n, t.atomic0+x.atomics*n
		t.miss0 += x.read1 * n * min(v.caches, 1/max(0.01, s.l0))
		in += x.read2 * n * min(v.caches, 1/max(0.01, s.l0))
		fabric, dram, written = fabric+x.readM*n, dram+x.readD*n, written+x.writeM*n
		if s.wide >= 2 && x.read0 > 0 {
			pairs = 0.85
		}
		c := s.at(m, m.wgps, clock, ease(-1))
		unit += (c.in + c.out) * n / (2 * m.wgps)
		t.tagWaits += (s.loads + s.stores) * max(0, s.lookups-1) * 0.4 * n / (2 * m.wgps)
		t.code += n * (s.valu + s.salu + s.smem + s.loads + s.stores + s.tex + 4) / 2500
		t.scalar += n * s.smem * 0.02
	}
	t.read0, t.write0, t.atomic0, t.miss0 = whole(t.read0), whole(t.write0), whole(t.atomic0), whole(t.miss0)
	t.wide1 = whole(t.miss0 * pairs / 2)
	t.narrow1 = t.miss0 - min(t.miss0, 2*t.wide1)
	t.scalar, t.code = whole(t.scalar+t.waves*0.01), whole(t.code+m.wgps)
	if t.write2 = t.write0 + t.atomic0; j.draw {
		block := j.units * j.depthBytes() / 64 * j.squeeze
		block += j.units * j.shaded() * j.colorBytes() / 64 * j.squeeze
		t.blocks2 = whole(block)
		read := 0.5 * max(j.blend, j.tested) * blocksMiss
		fabric, dram, written = fabric+block*read, dram+block*read*j.shader.ic, written+block*(blocksMiss-read)
	}
	t.x128, t.x64, t.x32 = whole(in*pairs/2), whole(in*(1-pairs)*0.95), whole(in*(1-pairs)*0.1)+t.scalar+t.code
	t.m128, t.m64, t.m32 = whole(fabric*v.caches*pairs/2), whole(fabric*v.caches*(1-pairs)*0.95), whole(fabric*v.caches*(1-pairs)*0.1)
	t.w64, t.w32 = whole(written*0.92), whole(written*0.16)
	active := res.active / m.wgps
	t.l0Held = min(0.97*t.busy, res.stalled[access]*v.time/2*active)
	t.l0Busy = min(t.busy, unit+t.l0Held)
	t.memoryHeld = min(0.97, max(res.stalled[memory]/2*active, 0.8*res.acc[memory]*max(0, min(1, t.blocks2)))/res.clocks)
	moved := m.moved(fabric, dram, 0.85, 1, clock) + m.moved(written, written, 0.85, 1, clock)
	t.memoryUsed = min(0.99, moved/t.clocks)
	t.inFlight = (t.x128 + t.x64 + t.write2 + t.blocks2) * (m.latency[2]/3 + fabric/max(1, in+t.blocks2)*m.latency[3]) * clock / t.clocks
	return t
}

// kept are the rows without those that were lost in stretches.
func (p *run) kept(gaps int, chance func(n int) int) (rows []int) {
	lost := make([]bool, len(p.rows)+4)
	for range gaps {
		for i, k := chance(len(p.rows)), 1+chance(3); k > 0; i, k = i+1, k-1 {
			lost[i] = true
		}
	}
	for i := range p.rows {
		if !lost[i] || i == 0 {
			rows = append(rows, i)
		}
	}
	return rows
}
