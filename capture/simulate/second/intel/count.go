package intel

import (
	"math"

	"astrolabe/capture/simulate"
)

// count works out what a step adds to the counters, and what set the pace in it.
func (g *gpu) count(p *pass, st *step, scale, at, length, ghz float64) {
	e := &g.counts
	*e = counts{}
	clocks := length * ghz
	for s := range st.move {
		a := st.move[s] * scale
		if a <= 0 {
			continue
		}
		for _, i := range p.kinds[s] {
			e[i] += a * p.count[s][i]
		}
	}
	// The stage that sets the pace: those before it are held up, those behind it lack input.
	var used [numStages]float64
	limit := stCS
	for s := range used {
		used[s] = min(1, st.move[s]*st.own[s]/length)
		if used[s] > used[limit]+0.001 {
			limit = stage(s)
		}
	}
	memory := min(1, st.memory)
	leaf := leafOf[ownUnit[limit]]
	if st.capped == simulate.MemoryBandwidth {
		limit, leaf = g.heaviest(p, st), st.capped
	} else if st.capped == arithmetic {
		limit, leaf = stPS, arithmetic
	} else if limit == stPS {
		leaf = g.shaderLeaf(p, st.part[stPS])
	}
	g.out.pace(at, at+length, leaf)
	for s := range used {
		used[s] *= 1 - p.bubbles
	}
	held := func(s stage) float64 { // share of time in which a stage has output that nobody takes
		if s < limit && st.move[s] > 0 {
			return 1 - used[s]
		}
		return 0
	}
	g.countEUs(p, st, e, limit, clocks, length, ghz)
	sh := &g.shader[st.part[stPS]]
	moved := st.move[stPS]
	bound := func(s stage) float64 { // share of time in which a stage slows others down
		u := used[s]
		if s == limit && st.capped.Name == "" {
			return u * 0.94
		}
		return 0.3 * u * u * u * u
	}

	// Samplers hold requests while lines are under way.
	tex := min(1, moved*sh[unTex]/length) * (1 - p.bubbles)
	wait := 0.0
	if e[evTexLines] > 0 {
		lines := e[evTexLines] / (e[evTexLines] + e[evAccess] + 1)
		latency := (g.m.l3Latency + 0.4*p.miss*g.m.memLatency) * g.r.latency
		flight := e[evTexLines] * latency / length / float64(32*g.m.subslices)
		wait = (1 - tex) * min(0.95, flight+0.8*memory*memory*lines)
	}
	busy := tex + wait
	e[evSamplerBusy] = clocks * busy
	slow := 0.35 * math.Pow(busy, 4)
	if limit == stPS && leaf == texture {
		slow = 0.85 * busy
	} else if st.capped == simulate.MemoryBandwidth && limit == stPS {
		slow = 0.5 * busy * busy
	}
	e[evSamplerBottleneck] = clocks * slow
	e[evSamplerInput] = clocks * min(1, busy+0.1*busy*(1-busy))
	e[evSamplerOutput] = clocks * (tex*p.output(unTex) + 0.05*wait)

	e[evVfBottleneck] = clocks * bound(stVF)
	e[evVsBottleneck] = clocks * bound(stVS)
	e[evClBottleneck] = clocks * bound(stCL)
	e[evSfBottleneck] = clocks * bound(stSF)
	e[evHizBottleneck] = clocks * bound(stHZ)
	e[evEarlyBottleneck] = clocks * bound(stEZ)
	e[evBcBottleneck] = clocks * 0.15 * used[stEZ] * used[stEZ]
	e[evClStall] = clocks * held(stCL) * 0.96
	e[evSfStall] = clocks * held(stSF) * 0.96
	e[evPolyReady] = clocks * (used[stSF]*p.output(unSF) + held(stSF))
	e[evRasterInput] = clocks * min(1, used[stRA]+held(stRA))
	e[evRasterOutput] = clocks * (used[stRA]*p.output(unRA) + held(stRA))
	e[evPixelData] = clocks * (used[stEZ]*p.output(unEZ) + held(stEZ))
	// What waits before the pixel backend is output of pixel shaders.
	waiting := 0.0
	if limit == stPB {
		waiting = 0.99 - used[stPB]
	}
	e[evPsOutput] = clocks * min(1, used[stPB]+max(0, waiting))
	e[evPixelValues] = clocks * used[stPB] * p.output(unPB)

	port := min(1, moved*sh[unPort]/length) * (1 - p.bubbles)
	l3 := min(1, moved*sh[unL3]/length) * (1 - p.bubbles)
	stalled := port*0.1 + 0.5*port*l3
	if leaf == cache || leaf == simulate.MemoryBandwidth && limit == stPS {
		stalled = max(stalled, min(1, e[evAccess]/(e[evAccess]+e[evTexLines]+1))*0.8)
	}
	stalled = min(0.98, stalled)
	asked := max(port, stalled) + 0.3*min(port, stalled)*(1-max(port, stalled))
	e[evPortAsked], e[evPortTaken] = clocks*asked, clocks*max(0, asked-stalled)
	e[evPortStalled] = clocks * stalled
	e[evQueueFull] = clocks * 0.85 * memory * memory * memory * memory
	e[evBankActive] = clocks * min(1, l3/p.bankSkew)
	e[evBankStalled] = clocks * min(0.95, 0.6*l3*l3*l3+0.5*memory*memory*memory*min(1, l3*4))
	e[evBankInput] = min(clocks, e[evBankActive]+e[evBankStalled]*(1-e[evBankActive]/clocks))

	// Threads that are ready wait where all slots are taken.
	full := 0.04 + 0.1*used[stPS]
	if limit >= stPS {
		full = 0.9
	}
	if p.compute {
		e[evNonPsReady] = clocks * full * min(1, used[stPS]+0.1)
	} else {
		e[evPsReady] = clocks * min(1, full*min(1, used[stPS]+held(stEZ)+0.02))
		vs := 0.03 + 0.2*used[stVS]
		if limit == stVS || limit >= stPS && st.move[stVS] > 0 {
			vs = 0.5
		}
		if st.move[stVS] > 0 {
			e[evNonPsReady] = clocks * vs
		}
	}
	e[evHeader] = min(6*clocks, 4*(e[evPsThreads]+e[evVsThreads]+e[evCsThreads]))
	g.out.add(at, at+length, e)
}

// heaviest is the stage that moves most of the traffic.
func (g *gpu) heaviest(p *pass, st *step) (out stage) {
	most := -1.0
	for s := range st.move {
		if t := st.move[s] * (p.read[s] + p.write[s]); t > most {
			out, most = stage(s), t
		}
	}
	return out
}

// shaderLeaf is what takes longest for a part of the shader's work.
func (g *gpu) shaderLeaf(p *pass, part int) simulate.Candidate {
	sh := &g.shader[part]
	out, most := arithmetic, sh[unEU]
	for u := unTex; u <= unL3; u++ {
		if sh[u] > most {
			out, most = leafOf[u], sh[u]
		}
	}
	if g.latency[part]+sh[unLat]*g.trip(p) > most {
		out = simulate.MemoryLatency
	}
	return out
}

// countEUs counts what EUs do: pipes at work, threads loaded, and EUs whose threads all wait.
func (g *gpu) countEUs(p *pass, st *step, e *counts, limit stage, clocks, length, ghz float64) {
	eus := float64(g.m.eus)
	most := eus * clocks
	vs := st.move[stVS] * st.own[stVS] * eus * g.m.euShare * ghz
	ps := st.move[stPS] * g.shader[st.part[stPS]][unEU] * eus * g.m.euShare * ghz
	active := min(0.995*most, vs+ps)
	if vs+ps > 0 {
		vs, ps = vs*active/(vs+ps), ps*active/(vs+ps)
	}
	pipes := func(a float64) (f0, f1, both, send float64) {
		send = a * p.send
		fpu := a - 0.5*send // half of the sends go with an instruction of a FPU
		both = fpu * p.both
		f1 = both + (fpu-both)*p.fpu1
		return fpu + both - f1, f1, both, send
	}
	v0, v1, vb, vsend := pipes(vs)
	p0, p1, pb, psend := pipes(ps)
	e[evActive] = active
	e[evFpu0], e[evFpu1], e[evBoth], e[evSend] = v0+p0, v1+p1, vb+pb, vsend+psend
	e[evVsFpu0], e[evVsFpu1], e[evVsBoth], e[evVsSend] = v0, v1, vb, vsend
	if p.compute {
		e[evCsFpu0], e[evCsFpu1], e[evCsSend] = p0, p1, psend
	} else {
		e[evPsFpu0], e[evPsFpu1], e[evPsBoth], e[evPsSend] = p0, p1, pb, psend
	}
	for i, at := range [...]event{evHybrid0, evTernary0, evBinary0, evMove0} {
		e[at], e[at+1] = e[evFpu0]*p.ratio[i], e[evFpu1]*p.ratio[i]
	}

	// By Little's law: as many threads are loaded as arrive in the time that one stays, or as there is room for.
	slots := eus * float64(g.m.threads)
	room := slots * p.fills
	loaded := 0.0
	part := st.part[stPS]
	if p.threads > 0 && st.move[stPS] > 0 {
		alone := (g.latency[part] + g.shader[part][unLat]*g.trip(p)) * room * st.move[stPS] / length
		queue := 1 + 0.5*active/most
		loaded = alone * queue
		if limit >= stPS {
			loaded = max(loaded, room*0.97)
		}
	}
	if p.vertex > 0 && st.move[stVS] > 0 {
		stay := vs / (e[evVsThreads] + 1e-9) / ghz * 4 // ns
		vsLoaded := e[evVsThreads] * (stay + 400) / length
		if limit == stVS {
			vsLoaded = max(vsLoaded, room*0.8)
		}
		loaded += vsLoaded
	}
	loaded = min(room, loaded)
	loaded = max(loaded, active/clocks)
	e[evLoaded] = loaded * clocks
	empty := math.Pow(1-min(1, loaded/slots), float64(g.m.threads))
	e[evStall] = max(0, min(most-active, most*(1-empty)-active))
}
