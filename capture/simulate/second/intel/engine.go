package intel

import (
	"math"

	"astrolabe/capture/simulate"
)

// relief says by what candidates are relieved: speeds are multiplied, times too.
type relief struct {
	rate                         [numUnits]float64
	bandwidth                    float64
	latency, launch, app, driver float64 // times
	noSync, noTurn, clock        bool
}

func noRelief() relief {
	r := relief{bandwidth: 1, latency: 1, launch: 1, app: 1, driver: 1}
	for u := range r.rate {
		r.rate[u] = 1
	}
	return r
}

// Candidates of the GPU's units.
var (
	arithmetic   = simulate.Candidate{Level: simulate.LevelUnit, Name: "arithmetic"}
	texture      = simulate.Candidate{Level: simulate.LevelUnit, Name: "texture"}
	loadStore    = simulate.Candidate{Level: simulate.LevelUnit, Name: "load_store"}
	localMemory  = simulate.Candidate{Level: simulate.LevelUnit, Name: "local_memory"}
	vertexFetch  = simulate.Candidate{Level: simulate.LevelUnit, Name: "vertex_fetch"}
	clipper      = simulate.Candidate{Level: simulate.LevelUnit, Name: "clipper"}
	setup        = simulate.Candidate{Level: simulate.LevelUnit, Name: "setup"}
	rasterizer   = simulate.Candidate{Level: simulate.LevelUnit, Name: "rasterizer"}
	hierarchical = simulate.Candidate{Level: simulate.LevelUnit, Name: "hierarchical_depth"}
	earlyDepth   = simulate.Candidate{Level: simulate.LevelUnit, Name: "early_depth"}
	pixelBackend = simulate.Candidate{Level: simulate.LevelUnit, Name: "pixel_backend"}
	cache        = simulate.Candidate{Level: simulate.LevelMemory, Name: "cache"}
)

// leafOf is the candidate of each unit.
var leafOf = [numUnits]simulate.Candidate{unCS: simulate.LaunchOverhead, unVF: vertexFetch, unVS: arithmetic,
	unCL: clipper, unSF: setup, unRA: rasterizer, unHZ: hierarchical, unEZ: earlyDepth, unEU: arithmetic, unTex: texture,
	unPort: loadStore, unSLM: localMemory, unL3: cache, unLat: simulate.MemoryLatency, unPB: pixelBackend}

// ownUnit is the unit of each stage that has one of its own.
var ownUnit = [numStages]unit{stCS: unCS, stVF: unVF, stVS: unVS, stCL: unCL, stSF: unSF, stRA: unRA, stHZ: unHZ,
	stEZ: unEZ, stPS: unEU, stPB: unPB}

// sink is told what happens on the GPU.
type sink interface {
	// add says what was counted between two times.
	add(from, to float64, e *counts)
	// pace says what set the pace of the render engine between two times.
	pace(from, to float64, c simulate.Candidate)
}

// gpu is the render engine while it works.
type gpu struct {
	m       *machine
	r       *relief
	load    float64 // of memory, lately
	out     sink
	table   [][numStages]float64 // ns for all of the pass at the pace of each of its parts
	shader  [][unLat + 1]float64 // of the pixel shader's units
	latency []float64            // the constant part of a thread's way
	counts  counts               // of a step
	near    [numUnits]float64    // how long each unit took, by the longest, in the part of a pass where that was most
}

// norm adds times up that overlap more or less.
func norm(sum float64, sharp int) float64 {
	sum = math.Sqrt(math.Sqrt(sum))
	if sharp == 8 {
		sum = math.Sqrt(sum)
	}
	return sum
}

func power(t float64, sharp int) float64 {
	t *= t
	t *= t
	if sharp == 8 {
		t *= t
	}
	return t
}

// prepare works out how long each stage takes for each part of a pass at a clock.
func (g *gpu) prepare(p *pass, scale, ghz float64) (longest float64) {
	n := len(p.mult)
	if cap(g.table) < n {
		g.table, g.shader, g.latency = make([][numStages]float64, n), make([][unLat + 1]float64, n), make([]float64, n)
	}
	g.table, g.shader, g.latency = g.table[:n], g.shader[:n], g.latency[:n]
	slots := float64(g.m.eus*g.m.threads) * p.fills
	eus := float64(g.m.eus) * g.m.euShare
	for c := range n {
		t := &g.table[c]
		for s := range numStages {
			u := ownUnit[s]
			t[s] = p.clk[u] * scale * p.mult[c][u] / g.r.rate[u] / ghz
		}
		t[stVS] /= eus
		sh := &g.shader[c]
		*sh = [unLat + 1]float64{}
		sh[unEU] = t[stPS] / eus
		for u := unTex; u <= unL3; u++ {
			sh[u] = p.clk[u] * scale * p.mult[c][u] / g.r.rate[u] / ghz
		}
		// A thread alone issues about every other clock.
		exec := 0.0
		if p.threads > 0 {
			exec = p.clk[unEU] / p.threads * p.mult[c][unEU] * 1.5 / ghz
		}
		g.latency[c] = p.threads * scale * exec / slots
		sum := 0.0
		for u := unEU; u <= unL3; u++ {
			sum += power(sh[u], p.sharp)
		}
		t[stPS] = sum
		sh[unLat] = p.threads * scale * p.trips * p.mult[c][unLat] / slots
		most := norm(sum, p.sharp)
		for s := range numStages {
			if s != stPS {
				most = max(most, t[s])
			}
		}
		lat := g.latency[c] + sh[unLat]*g.trip(p)
		most = max(most, lat)
		for s := range numStages {
			if s != stPS {
				g.near[ownUnit[s]] = max(g.near[ownUnit[s]], t[s]/most)
			}
		}
		for u := unEU; u <= unL3; u++ {
			g.near[u] = max(g.near[u], sh[u]/most)
		}
		g.near[unLat] = max(g.near[unLat], lat/most)
		longest += most / float64(n)
	}
	lines := 0.0
	for s := range p.read {
		lines += p.read[s] + p.write[s]
	}
	return max(longest, lines*scale*64*(1-g.m.llcHits)/g.m.bandwidth)
}

// trip is how long a thread waits for a load, in ns: longer where memory is busy.
func (g *gpu) trip(p *pass) float64 {
	l := g.load * g.load
	return (g.m.l3Latency + p.miss*g.m.memLatency*(1+1.2*l*l*l)) * g.r.latency
}

// step is what happens in one step of a pass.
type step struct {
	done   [numStages]float64 // share of the pass, before the step
	move   [numStages]float64 // and what is added in it
	own    [numStages]float64 // ns of a stage for the whole pass, at its own pace
	part   [numStages]int
	memory float64 // share of the step that memory works
	eus    float64
	capped simulate.Candidate // of what stages share
}

// run takes a pass from time at to its end.
func (g *gpu) run(p *pass, scale, at, ghz float64) float64 {
	start := p.start * g.r.launch
	g.overhead(at, at+start)
	at += start
	span := g.prepare(p, scale, ghz)
	dt := min(60e3, max(500, span/64))
	n := len(p.mult)
	first, last := stCS, stPB
	var st step
	for st.done[last] < 1-1e-9 {
		for s := first; s <= last; s++ {
			c := min(n-1, int(st.done[s]*float64(n)))
			st.part[s] = c
			t := g.table[c][s]
			if s == stPS {
				lat := g.latency[c] + g.shader[c][unLat]*g.trip(p)
				t = norm(t+power(lat, p.sharp), p.sharp)
			}
			st.own[s] = t
			st.move[s] = 1 - st.done[s]
			if t*st.move[s] > dt {
				st.move[s] = dt / t
			}
		}
		st.flow(p)
		st.capped = simulate.Candidate{}
		for range 3 {
			if !g.share(p, &st, scale, dt, ghz) {
				break
			}
			st.flow(p)
		}
		length := dt
		if st.done[last]+st.move[last] >= 1-1e-9 {
			length = max(st.memory*dt, st.eus*dt)
			for s := first; s <= last; s++ {
				length = max(length, st.move[s]*st.own[s])
			}
			length = min(dt, max(length, 1))
		}
		if g.out != nil {
			g.count(p, &st, scale, at, length, ghz)
		}
		for s := first; s <= last; s++ {
			st.done[s] = min(1, st.done[s]+st.move[s])
		}
		g.load += 0.3 * (min(1, st.memory*dt/length) - g.load)
		at += length
	}
	drain := p.drain * g.r.launch
	g.overhead(at, at+drain)
	return at + drain
}

// flow limits what stages move to what they get, and to the room behind them.
func (st *step) flow(p *pass) {
	for s := stVF; s <= stPB; s++ {
		st.move[s] = min(st.move[s], st.done[s-1]+st.move[s-1]-st.done[s])
	}
	for s := stEZ + 1; s >= stCS; s-- {
		st.move[s] = max(0, min(st.move[s], st.done[s+1]+st.move[s+1]+p.buffer[s+1]-st.done[s]))
	}
}

// share limits stages where they want more than there is of what they share; it reports whether it did.
func (g *gpu) share(p *pass, st *step, scale, dt, ghz float64) bool {
	var read, write float64
	for s, a := range st.move {
		read += a * p.read[s]
		write += a * p.write[s]
	}
	read, write = read*scale*64, write*scale*64
	need := max((read+write)*(1-g.m.llcHits)/g.m.bandwidth, read/(64*ghz), write/(g.m.gtiWrite*ghz)) / g.r.bandwidth
	st.memory = need / dt
	vs := st.move[stVS] * st.own[stVS]
	ps := st.move[stPS] * g.shader[st.part[stPS]][unEU]
	st.eus = (vs + ps) / dt
	const slack = 1.002
	if st.memory > slack && st.memory >= st.eus {
		for s := range st.move {
			if (p.read[s]+p.write[s])*st.move[s] > 0 {
				st.move[s] /= st.memory
			}
		}
		st.capped = simulate.MemoryBandwidth
		return true
	}
	if st.eus > slack {
		st.move[stVS] /= st.eus
		st.move[stPS] /= st.eus
		st.capped = arithmetic
		return true
	}
	return false
}

// overhead is time in which the engine starts or ends something.
func (g *gpu) overhead(from, to float64) {
	if g.out == nil || to <= from {
		return
	}
	g.out.pace(from, to, simulate.LaunchOverhead)
}
