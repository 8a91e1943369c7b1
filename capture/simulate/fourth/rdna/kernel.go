package rdna

import "math"

// segment is what each wave does in a part of a kernel.
type segment struct {
	valu, trans, dp, wmma float64 // vector instructions: plain ones, and those that take longer
	dep                   float64 // cycles that a wave waits for its own results, for each of them
	salu, smem, branch    float64
	loads, stores         float64 // vector memory instructions
	atomics               float64
	lines                 float64 // of 128 bytes that each of them touches
	bytes                 float64 // asked for of each line: 32, 64 or 128
	mlp                   float64 // loads under way before a wave waits
	hit0, hit1, hit2      float64 // of GL0, GL1 and GL2
	hitMall               float64
	atomic                float64 // cycles of a channel for an atomic access
	lds, ldsCycles        float64 // instructions, and cycles for each without conflicts
	conflict              float64 // cycles lost to conflicts, as a share of the others
	ldsAtomic             float64 // instructions among lds that return a value
	barriers              float64
	image                 bool // accesses are those of images
}

// kernel is a grid with what its waves do.
type kernel struct {
	name      string
	group     int // work-items
	groups    int
	vgpr, lds int // of a lane, and bytes of a group
	segments  []segment
	spread    float64 // of the work of cohorts: the standard deviation of its logarithm
	code      float64 // KiB
	seed      uint64
}

func (k *kernel) wavesOfGroup() int { return (k.group + 31) / 32 }

func (k *kernel) waves() float64 { return float64(k.groups * k.wavesOfGroup()) }

// active is the number of compute units that get work.
func (k *kernel) active() float64 {
	n := float64(k.groups * min(2, k.wavesOfGroup()))
	return max(1, min(units, n))
}

// resident is how many waves the active units hold at a time.
func (k *kernel) resident() float64 {
	const granule = 24
	perSIMD := min(slots, vgprs/((max(k.vgpr, 1)+granule-1)/granule*granule))
	w := k.wavesOfGroup()
	groups := perSIMD * simds * 2 / w // of a processor
	if k.lds > 0 {
		groups = min(groups, ldsBytes/k.lds)
	}
	groups = max(1, groups)
	return min(k.waves(), float64(groups*w)*units/2)
}

// reads are the lines that a wave of the segment asks a level for: 0 is GL0, 3 the memory-side cache, 4 DRAM.
func (s *segment) reads(level int) float64 {
	return s.loads * s.lines * s.missed(level)
}

func (s *segment) missed(level int) float64 {
	p := 1.0
	for i, h := range [...]float64{s.hit0, s.hit1, s.hit2, s.hitMall} {
		if i < level {
			p *= 1 - h
		}
	}
	return p
}

// written are the pieces of 64 bytes that a wave writes.
func (s *segment) written() float64 { return s.stores * s.lines * math.Ceil(s.bytes/64) }

// writtenLines are lines, of which the second half hits.
func (s *segment) writtenLines() float64 { return s.stores * s.lines }

// demand is the time that a wave of the segment takes of one server of each station, in cycles, with the clock in GHz.
func (s *segment) demand(m *machine, clock float64) (d [stations]float64) {
	d[byALU] = s.valu + 4*s.trans + 16*s.dp + 16*s.wmma
	d[byTA] = (s.loads+s.stores)*s.lines*max(1, s.bytes/64) + s.atomics*s.lines*1.5
	d[byLDS] = s.lds * s.ldsCycles * (1 + s.conflict)
	d[byGL2] = s.reads(2) + s.written() + s.atomics*s.lines*s.atomic
	out := s.reads(3)*s.bytes + s.writtenLines()*s.bytes
	d[byFabric] = out / (m.fabric / channels) * clock
	far := s.reads(4)*s.bytes + s.writtenLines()*s.bytes*(1-s.hitMall)
	d[byDRAM] = far / (m.dram / channels) * clock
	for i := range d {
		d[i] /= m.efficiency[i]
	}
	return d
}

// delays are times of a wave that have no queue, in cycles: of the vector units' results, of LDS, of accesses that stay
// within GL0 and GL1, of what lies below, of scalar loads.
type delays struct{ alu, lds, near, far, scalar float64 }

func (s *segment) delay(m *machine, clock float64) (d delays) {
	d.alu = (s.valu+s.trans+s.dp)*s.dep + (s.salu+s.branch)*0.8
	if s.lds > 0 {
		d.lds = s.lds / 3 * 64
	}
	if n := s.loads + s.atomics*0.5; n > 0 {
		trips := max(min(1, n), n/max(1, s.mlp))
		tlb := 0.0
		if s.lines > 8 && s.hit2 < 0.7 {
			tlb = 120 * (1 - s.hit2) * clock
		}
		d.near = trips * (m.gl0 + s.reach(1)*m.gl1)
		d.far = trips * (s.reach(2)*m.gl2 + (s.reach(3)*m.mall+s.reach(4)*m.memory)*clock + tlb)
	}
	if s.stores > 0 {
		d.near += 60
	}
	d.scalar = s.smem * 0.5 * m.scalar * 2
	return d
}

func (d *delays) sum(r *relief) float64 {
	return d.alu*r[byALU] + d.lds*r[byLDS] + (d.near+d.far+d.scalar)*r[byLatency]
}

// together is how many lines a wave asks for before it waits.
func (s *segment) together() float64 { return max(1, min(s.mlp, s.loads)*s.lines) }

// reach is the chance that one at least of what a wave waits for has to come from beyond a level: it waits for the
// slowest. Neighbours hit and miss together, so that they count as fewer.
func (s *segment) reach(level int) float64 {
	return 1 - math.Pow(1-s.missed(level), math.Sqrt(s.together()))
}

// outstanding is how many reads a wave has under way below GL1 while it waits for any.
func (s *segment) outstanding() float64 {
	r := s.reach(2)
	if s.loads == 0 || r == 0 {
		return 0
	}
	return min(s.together(), s.together()*s.missed(2)/r)
}

// readShare is the share of reads among what a segment sends to GL2.
func (s *segment) readShare() float64 {
	reads := s.reads(2)
	return reads / max(1e-9, reads+s.written()+s.atomics*s.lines*s.atomic)
}
