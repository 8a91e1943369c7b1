package amd

// Status bits, in the order of the reader.
const (
	bitGFX = iota
	bitCP
	bitSPI
	bitTA
	bitCB
	bitDB
	bitPA
	bitSC
	bitBCI
	bitSX
	bitWD
	bitGE
	bitIA
	bitVGT
	bitGDS
	bitEE
	bitCPF
	bitCPC
	bitCPG
	bitRLC
	bitTC
	bitUTCL2
	bitEA
	bitRMI
	bitSDMA
	bitUVD
	bitVCE
	bitCount
)

// statusBit is a bit of a status register: hwio/amdgpu has the places, and the generations that have it.
type statusBit struct {
	name, title string
	register    int
	from, to    int // generations; 103 is between 10 and 11
}

var registers = [...]struct{ name, counter string }{{"GRBM_STATUS", "grbm_samples"}, {"GRBM_STATUS2", "grbm2_samples"},
	{"SRBM_STATUS", "srbm_samples"}, {"SRBM_STATUS2", "srbm2_samples"}}

var statusBits = [bitCount]statusBit{
	{"gfx", "Graphics pipe", 0, 6, 12}, {"cp", "Command processor", 0, 6, 12}, {"spi", "Shader input (all shader stages)", 0, 6, 12},
	{"ta", "Texture pipe", 0, 6, 12}, {"cb", "Colour block", 0, 6, 12}, {"db", "Depth block", 0, 6, 12},
	{"pa", "Primitive assembly", 0, 6, 12}, {"sc", "Scan converter", 0, 6, 12}, {"bci", "Barycentric interpolation", 0, 6, 12},
	{"sx", "Shader export", 0, 6, 12}, {"wd", "Work distributor", 0, 7, 9}, {"ge", "Geometry engine", 0, 10, 12},
	{"ia", "Input assembly", 0, 6, 9}, {"vgt", "Vertex grouper and tessellator", 0, 6, 9}, {"gds", "Global data share", 0, 6, 9},
	{"ee", "Event engine", 0, 6, 9}, {"cpf", "Command processor fetcher", 1, 7, 12}, {"cpc", "Command processor, compute", 1, 7, 12},
	{"cpg", "Command processor, graphics", 1, 7, 12}, {"rlc", "Run list controller", 1, 8, 12}, {"tc", "Texture cache", 1, 8, 12},
	{"utcl2", "Address translation, second level", 1, 9, 11}, {"ea", "Efficiency arbiter (path to memory)", 1, 9, 11},
	{"rmi", "Render memory interface", 1, 9, 11}, {"sdma", "System DMA", 1, 10, 12}, {"uvd", "Video decoder", 2, 6, 8},
	{"vce", "Video encoder", 3, 6, 8},
}

// has says whether a generation has the bit.
func (b *statusBit) has(gen int) bool {
	order := func(g int) int {
		if g == 103 {
			return 105
		}
		return g * 10
	}
	return order(gen) >= order(b.from) && order(gen) <= order(b.to)
}

// moment is a stretch in which nothing changed: how likely each block is found busy, and what is averaged by firmware.
type moment struct {
	start, end  int64
	busy        [bitCount]float32
	mem         float32 // of the time of memory
	share       float32 // of the highest clock
	watts, heat float32
	queues      [queueCount]bool
}

// recorder keeps what a recording needs of a simulation.
type recorder struct {
	moments []moment
	threads [2][]stretch
	sum     *shows // of a single dispatch: times ns
	ns      float64
}

func (r *recorder) thread(i int, start, end int64) {
	r.threads[i] = append(r.threads[i], stretch{start, end, 0})
}

// places is how likely one of several places is taken that each have work for a share of the time.
func taken(use float64, places int) float64 {
	free := 1.0
	for range places {
		free *= 1 - min(1, use)
	}
	return 1 - free
}

// shows is what blocks show of the moment.
type shows struct {
	use     [resources]float64
	bits    [bitCount]float64
	ta      float64 // texture addressers with work, what they wait for included
	taHeld  float64 // of that, the L0 cache does not take what they have
	paHeld  float64 // setup waits for the scan converter
	sxHeld  float64 // exports wait for the depth and colour blocks
	dbHeld  float64 // depth waits for the colour blocks
	wrHeld  float64 // L2 waits to write
	geoBusy float64 // vertex waves are there
	pixBusy float64
	csBusy  float64
	ldsWait float64 // share of the waves' time of compute that waits for local memory
}

// blocks works out what blocks show at the rates of the moment. A block is busy while it has work, whether or not it can
// go on: what lies in front of a full block is busy with what it cannot hand on (held), and what waits for answers of
// memory is busy as long as requests are out (pending). How surely is drawn with the machine.
func (e *engine) blocks() (s shows) {
	m := e.p.m
	k := &m.look
	if len(e.act) == 0 {
		return s
	}
	s.bits[bitGFX] = 1
	raise := func(bit int, v float64) {
		if v = min(1, v); v > s.bits[bit] {
			s.bits[bit] = v
		}
	}
	var out [resources]float64 // use by one job alone
	raise(bitCPF, k.cp)
	s.use = e.use
	waves, asked := 0.0, 0.0 // asked is of the addressers, by all streams together
	for i := range e.act {
		a := &e.act[i]
		if a.queue == graphics {
			raise(bitCPG, 0.8+0.2*k.cp)
			raise(bitCP, k.cp)
		} else {
			raise(bitCPC, 0.7+0.3*k.cp)
			raise(bitCP, k.cp*0.8)
		}
		if !a.begun {
			raise(bitCP, 1)
			raise(bitEE, min(1, 6*k.events))
			continue
		}
		for n := range a.n {
			f := &a.f[n]
			if f.rate == 0 {
				continue
			}
			clear(out[:])
			for _, u := range f.s.used {
				out[u] = f.rate * f.cost[u] * a.j.facts.seen[u]
			}
			resident := min(1, f.rate*f.lat+out[alu]+0.6*out[tex]+0.6*out[ls]+out[lds])
			geometry := a.n == 2 && n == 0
			pixels := a.n == 2 && n == 1
			kernel := a.n == 1
			waiting := int(f.limit)
			if geometry && a.held {
				waiting = sc
			}
			if pixels && a.starved { // not its own resources set its pace
				waiting = ge
			}
			// Waves are there unless so few come that they end before the next.
			there := taken(resident, 6)
			if waiting == bw || waiting == l2 || waiting == causeLatency || waiting <= lds {
				there = 1
			}
			// Vertex waves stay until setup takes what they export, pixel waves until the blocks behind do. Where there is
			// nothing to colour, depth blocks test most quads before there are waves.
			shaded := 1.0
			if pixels && f.s.work[cb] == 0 {
				shaded = min(1, 8*out[alu])
			}
			if pixels && (waiting == cb || waiting == db) {
				there = max(there, k.held*shaded)
			}
			if geometry && (a.held || waiting == pa) {
				there = max(there, k.front*k.held)
			}
			waves = max(waves, there)
			traffic := min(1, 2.5*(out[tex]+out[ls])) // how much of what memory holds up came from the addressers
			if kernel {
				traffic = min(1, 6*(out[tex]+out[ls])) // all of it, but for scalar loads
			}
			asked += out[tex] + out[ls]
			ta := taken(min(1, asked), k.places[tex])
			switch waiting {
			case bw, l2:
				ta = max(ta, (0.6+0.4*k.held)*traffic) // bound by fetches, it is active for all the time
				s.taHeld = max(s.taHeld, k.held*traffic*0.9)
			case causeLatency:
				ta = max(ta, k.pending*traffic)
				s.taHeld = max(s.taHeld, k.pending*traffic*k.answers)
			case ls:
				s.taHeld = max(s.taHeld, k.tags*k.held)
			}
			s.taHeld = max(s.taHeld, 0.6*k.tags*out[ls]*out[ls])
			s.ta = max(s.ta, ta)
			switch {
			case geometry:
				s.geoBusy = max(s.geoBusy, there)
				raise(bitGE, taken(out[ge], k.places[ge]))
				raise(bitSX, taken(0.5*(out[ge]+out[pa]), 1))
				raise(bitPA, taken(out[pa], k.places[pa]))
				if a.held {
					raise(bitPA, k.held)
					raise(bitGE, k.front*k.held)
					s.paHeld = max(s.paHeld, k.held)
				} else {
					if waiting == pa {
						raise(bitGE, k.held)
					}
					if waiting != ge && waiting != pa { // the front waits for vertex waves
						raise(bitGE, k.front*k.held)
					}
				}
			case pixels:
				s.pixBusy = max(s.pixBusy, there)
				raise(bitSC, taken(out[sc], k.places[sc]))
				raise(bitDB, taken(out[db], k.places[db]))
				raise(bitCB, taken(out[cb], k.places[cb]))
				raise(bitSX, taken(out[cb], k.places[cb]+1))
				raise(bitBCI, taken(min(1, out[sc]+out[cb]), 2))
				raise(bitRMI, taken(0.5*(out[cb]+out[db]), 2))
				if !a.starved && waiting != sc {
					raise(bitSC, k.held) // or waited for shading behind it
					raise(bitBCI, k.bary*k.held)
				}
				if g := &a.f[0]; !a.starved && !g.finished() { // setup meets a scan converter that is full at times
					pa := g.rate * g.cost[pa]
					s.paHeld = max(s.paHeld, pa*k.held*k.beside)
					raise(bitPA, pa*(1+k.held*k.beside))
				}
				switch waiting {
				case cb:
					raise(bitSX, k.held)
					raise(bitDB, (0.6+0.4*k.beside)*k.held)
					s.sxHeld, s.dbHeld = max(s.sxHeld, k.held), max(s.dbHeld, (0.6+0.4*k.beside)*k.held)
				case db:
					raise(bitSX, k.exports*k.held*shaded)
					s.sxHeld = max(s.sxHeld, k.exports*k.held*shaded)
				case bw, l2:
					own := min(1, 1.5*out[cb])
					raise(bitCB, k.held*own)
					raise(bitDB, k.held*min(1, 1.2*out[db]))
					raise(bitSX, k.held*own*k.exports)
					raise(bitRMI, k.held*max(own, out[db]))
					s.sxHeld, s.dbHeld = max(s.sxHeld, k.held*own*k.exports), max(s.dbHeld, k.held*own*k.beside)
				case alu, tex, ls, causeLatency:
					raise(bitDB, k.quads*k.held) // quads wait for shading
				}
				full := power(out[cb], 3) // what is in front of colour blocks holds several quads, and is rarely full
				s.sxHeld, s.dbHeld = max(s.sxHeld, k.beside*full), max(s.dbHeld, 0.7*k.beside*full)
			case kernel:
				s.csBusy = max(s.csBusy, there)
				s.ldsWait = max(s.ldsWait, out[lds]*out[lds]*k.beside)
				if waiting == lds {
					s.ldsWait = max(s.ldsWait, 0.6+0.3*k.held)
				}
			}
			if waiting == bw {
				s.wrHeld = max(s.wrHeld, k.held*a.j.facts.writes)
			}
		}
	}
	for u := range s.use {
		s.use[u] = min(1, s.use[u])
	}
	raise(bitSPI, waves)
	raise(bitTA, s.ta)
	raise(bitTC, taken(max(s.use[l2], s.use[bw], 0.7*s.ta), 3))
	mem := taken(s.use[bw], k.places[bw])
	for i := range e.act { // requests are out all the time where waves wait for them
		if a := &e.act[i]; a.begun && a.now() == causeLatency {
			mem = max(mem, k.pending)
		}
	}
	raise(bitEA, mem)
	raise(bitUTCL2, taken(k.walks*s.use[bw], 2))
	raise(bitWD, s.bits[bitGE])
	raise(bitIA, k.front*s.bits[bitGE])
	raise(bitVGT, s.bits[bitGE])
	raise(bitEE, k.events)
	raise(bitRLC, k.power)
	s.wrHeld = max(s.wrHeld, 0.5*k.beside*s.use[bw]*s.use[bw]*s.use[bw])
	return s
}

// add adds a stretch of so many ns.
func (s *shows) add(o *shows, ns float64) {
	for i, v := range o.use {
		s.use[i] += v * ns
	}
	for i, v := range o.bits {
		s.bits[i] += v * ns
	}
	s.ta, s.taHeld, s.paHeld, s.sxHeld = s.ta+o.ta*ns, s.taHeld+o.taHeld*ns, s.paHeld+o.paHeld*ns, s.sxHeld+o.sxHeld*ns
	s.dbHeld, s.wrHeld, s.geoBusy = s.dbHeld+o.dbHeld*ns, s.wrHeld+o.wrHeld*ns, s.geoBusy+o.geoBusy*ns
	s.pixBusy, s.csBusy, s.ldsWait = s.pixBusy+o.pixBusy*ns, s.csBusy+o.csBusy*ns, s.ldsWait+o.ldsWait*ns
}

// step notes a stretch of a simulation.
func (r *recorder) step(e *engine, from, to int64) {
	s := e.blocks()
	if r.sum != nil {
		r.sum.add(&s, float64(to-from))
		r.ns += float64(to - from)
		return
	}
	m := moment{start: from, end: to, mem: float32(s.use[bw] * e.p.m.look.umc), share: float32(e.clock.share),
		watts: float32(e.p.m.clock.watts(e.clock.share, e.activity())), heat: float32(e.clock.temperature)}
	for b, v := range s.bits {
		m.busy[b] = float32(v)
	}
	for i := range e.act {
		m.queues[e.act[i].queue] = true
	}
	r.moments = append(r.moments, m)
}
