package rdna

import "math"

// jitter is how one run of the same work differs from another.
type jitter struct{ time, caches float64 }

// totals are what a row did in the whole GPU. Parts are whole numbers, so that they add up to the totals exactly.
type totals struct {
	clocks, busy               float64 // all, and those with waves
	waves, rounds              float64
	read0, write0, atomic0     float64 // requests of L0
	miss0                      float64 // of reads
	wide1, narrow1             float64 // reads of GL1 by L0, of 128 and of 64 bytes
	scalar, instructions       float64 // reads of GL1 by the scalar and instruction caches
	read2x128, read2x64, r2x32 float64 // reads of GL2
	write2                     float64
	blocks2                    float64 // requests of color and depth blocks
	missM                      float64 // requests that GL2 lacks
	m128, m64, m32             float64 // reads of memory
	w64, w32                   float64
	l0Busy, l0Held             float64 // mean of a unit's clocks: at work, and held up
	tagWaits                   float64
	memoryHeld                 float64 // share of the clocks
	memoryUsed, inFlight       float64 // share of the bandwidth; reads that GL2 has in work
}

func whole(x float64) float64 { return math.Round(max(0, x)) }

// total adds up a row.
func (p *run) total(i int, res *result, v jitter) totals {
	j, m, clock := &p.rows[i].job, p.m, p.rows[i].clock
	var t totals
	t.clocks = res.clocks * v.time
	t.busy = t.clocks - min(t.clocks*0.98, p.overhead*clock*0.8)
	var in, out, seen float64 // requests of 64 bytes
	var unitClocks, fabric, dram, written float64
	width := 2.0
	one := ease(-1)
	for k, s := range []*program{&j.shader, &j.vertex} {
		waves := s.waves
		if j.draw && k == 0 {
			waves = j.units * j.shaded()
		} else if !j.draw && k == 1 {
			continue
		}
		n := waves * max(1, s.rounds)
		x := s.traffic()
		miss := min(1, s.miss[0]*v.caches)
		t.waves += waves
		t.read0, t.write0, t.atomic0 = t.read0+x.read0*n, t.write0+x.write0*n, t.atomic0+x.atomics*n
		t.miss0 += x.read0 * n * miss
		in += x.read0 * n * miss * s.miss[1]
		seen += x.readM * n
		fabric, dram, written = fabric+x.readM*n, dram+x.readD*n, written+x.writeM*n
		if x.read0 > 0 {
			width = max(width, min(4, s.wide/max(1, s.lookups)))
		}
		c := s.at(m, m.wgps, clock, one)
		unitClocks += (c.in + c.out) * n / (2 * m.wgps)
		t.tagWaits += (s.loads + s.stores) * max(0, s.lookups-1) * 0.4 * n / (2 * m.wgps)
		t.instructions += n * (s.valu + s.salu + s.smem + s.loads + s.stores + s.tex + 4) / 10
		t.scalar += n * s.smem
	}
	t.read0, t.write0, t.atomic0, t.miss0 = whole(t.read0), whole(t.write0), whole(t.atomic0), whole(t.miss0)
	pairs := 0.3
	if width >= 2 {
		pairs = 0.85
	}
	t.wide1 = whole(t.miss0 * pairs / 2)
	t.narrow1 = t.miss0 - min(t.miss0, 2*t.wide1)
	t.scalar, t.instructions = whole(t.scalar*0.02+t.waves*0.01), whole(t.instructions*0.004+m.wgps)
	units := j.units * (1 - j.hidden)
	if j.draw {
		block := units * j.depthBytes() / max(1e-9, 1-j.hidden) / 64
		block += j.units * j.shaded() * j.colorBytes() / 64 * min(1, j.colors)
		block *= j.squeeze
		t.blocks2 = whole(block)
		block *= blocksMiss
		read := 0.5
		if !j.blend && !j.tested {
			read = 0
		}
		fabric += block * read
		dram += block * read * j.shader.miss[3]
		written += block * (1 - read)
	}
	out = in
	t.read2x128 = whole(out * pairs / 2)
	t.read2x64 = whole(out * (1 - pairs) * 0.95)
	t.r2x32 = whole(out*(1-pairs)*0.1) + t.scalar + t.instructions
	t.write2 = t.write0 + t.atomic0
	t.m128 = whole(fabric * v.caches * pairs / 2)
	t.m64, t.m32 = whole(fabric*v.caches*(1-pairs)*0.95), whole(fabric*v.caches*(1-pairs)*0.1)
	t.w64, t.w32 = whole(written*0.92), whole(written*0.16)
	t.missM = t.m128 + t.m64 + t.m32
	active := res.active / m.wgps
	if j.draw {
		active = 1
	}
	t.l0Held = min(0.97*t.busy, res.stalled[access]*v.time/2*active)
	t.l0Busy = min(t.busy, unitClocks+t.l0Held)
	t.l0Held = min(t.l0Busy, t.l0Held)
	t.memoryHeld = min(0.97, res.stalled[memory]/2/max(1, res.clocks)*active)
	if j.draw && res.acc[memory] > 0 {
		t.memoryHeld = max(t.memoryHeld, 0.8*res.acc[memory]/res.clocks)
	}
	moved := m.moved(fabric, dram, 0.85, 1, clock) + m.moved(written, written, 0.85, 1, clock)
	t.memoryUsed = min(0.99, moved/t.clocks)
	t.inFlight = (t.read2x128 + t.read2x64 + t.write2 + t.blocks2) * (m.latency[2]/3 + seen/max(1, out)*m.latency[3]) * clock / t.clocks
	return t
}

// busyOf is the share of time in which something has work, where so much is in work on average.
func busyOf(inWork float64) float64 { return 1 - math.Exp(-inWork) }
