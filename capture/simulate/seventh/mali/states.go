package mali

import "math"

// States are what counters of cycles count, in clocks of the GPU, and what histograms of the bus do. Those of the
// cores are summed over cores, those of L2 over slices. Those up to sTasks2 follow from the network, the others from what
// queues hold; a number at the end is a queue's, or the beginning of a band.
const (
	sFrag, sOther, sAny, sCore, sFPK, sStarve = 6 * iota, 6*iota + 1, 6*iota + 2, 6*iota + 3, 6*iota + 4, 6*iota + 5
	sTexClock, sTexFilter, sTexFetch, sTexDescriptor, _, sTiler
	sPosStall, sPosFull, sPrimStall, sVarStall, sL2Read, sL2Write
	sL1Read, sExtRead, sExtWrite, sOut1, sOut2, sOut3
	sOutW1, sOutW2, sOutW3, sLat0, sLat128, sLat192
	sLat256, sLat320, sTasks0, sTasks1, sTasks2, sClock
	sGPU, sAnyQueue, sIRQ, sFlush, sMCU, sCEU
	sLSU, sQueued0, sQueued1, sQueued2, sAssign0, sAssign1
	sAssign2, sDrain0, sDrain1, sDrain2, sStream0, sStream1
	sStream2, sBlocked0, sBlocked1, sBlocked2, sWaitDep0, sWaitDep1
	sWaitDep2, sWaitIssue0, sWaitIssue1, sWaitIssue2, sWaitRead0, sWaitRead1
	sWaitRead2, sWaitFlush0, sWaitFlush1, sWaitFlush2, sFinish0, sFinish1
	sFinish2, _, _, _, _, _

	stateCount = 73
)

// states are rates per ns.
type states [stateCount]float64

// statesOf reads from the network how often parts of the GPU are active, held up, or without work. The groups of a
// class that are at no core are free slots: a core has a warp unless all its groups are such. With independent arrivals
// the number of groups in a core is Poisson distributed.
func (m *machine) statesOf(f *settled) *states {
	out := &states{}
	c, cy := m.c, m.c.hz*m.dial.share/1e9
	cores := float64(c.cores)
	idleAny, idleCore := 1.0, 1.0
	arithmetic, reads, writes := 0.0, 0.0, 0.0
	classes := 0
	for q := range m.queues {
		i := f.index[q]
		if i < 0 {
			continue
		}
		classes++
		p := &m.jobOf(q).parts[m.queues[q].part]
		k := float64(p.cores) / cores
		queue, demand, rate := &f.flow.queue[i], &f.list[i].demand, f.flow.rate[i]
		in := 0.0
		for s := range stations {
			if s != stTiler && s != stRasterizer {
				in += queue[s]
			}
		}
		held := 1 - math.Exp(-in)
		memory := queue[stLatency] + queue[stCache] + queue[stBandwidth]
		of := p.n[nTexBeat] / max(1, p.n[nTexBeat]+p.n[nLSBeat]+p.n[nFrontBeat])
		inTexture := queue[stTexture] + of*memory
		pending := 1 - math.Exp(-inTexture)
		served := rate * demand[stTexture]
		if p.n[nTexQuad] > 0 {
			clocks := cy * k * cores
			out[sTexClock] += clocks * max(served, pending)
			out[sTexFilter] += clocks * max(0, pending-served) * of * memory / max(1e-9, inTexture)
			out[sTexFetch] += clocks * pending * min(0.95, 0.5*math.Pow(served, 4)+0.35*math.Pow(f.flow.used[stBandwidth], 3))
			out[sTexDescriptor] += clocks * pending * 0.01
		}
		arithmetic += k * rate * demand[stArithmetic]
		active := k * 0.985
		switch {
		case q == c.fragmentQueue():
			drawn := rate * demand[stRasterizer]
			out[sFrag] += cy * cores * active
			out[sFPK] += cy * cores * active * min(1, 1-0.65*drawn)
		case p.n[nPosTask] > 0:
			active *= 1 - math.Exp(-2*in)
			out[sOther] += cy * cores * active
			works := rate * demand[stTiler]
			waits := max(0, 1-works)
			out[sTiler] += cy * 0.99
			out[sPosFull] += cy * 0.9 * waits * held
			out[sPrimStall] += cy * 0.8 * waits
			out[sVarStall] += cy * 0.2 * waits * (1 - 0.8*p.n[nDeferred]/max(1, p.n[nVisible]))
			busy := f.flow.used[stArithmetic]
			out[sPosStall] += cy * waits * min(0.9, 0.05+0.7*busy)
		default:
			out[sOther] += cy * cores * active
		}
		idleAny *= 1 - active
		idleCore *= 1 - active*held
		each := rate / p.items() // of the part in a ns
		reads += each * p.n[nExtRead]
		writes += each * p.n[nExtWrite]
		out[sTasks0+q] += cy * (1 + 1.5*k*cores)
	}
	if classes == 0 {
		return out
	}
	out[sAny] = cy * cores * (1 - idleAny)
	out[sCore] = cy * cores * (1 - idleCore)
	out[sStarve] = 4 * cy * cores * max(0, 1-idleCore-arithmetic) * 0.95 // by four units that fetch
	bus, cache := f.flow.used[stBandwidth], f.flow.used[stCache]
	slices := cy * float64(c.slices)
	back := 0.65 * math.Pow(bus, 6) // what waits for memory holds the buffers of misses
	share := reads / max(1e-12, reads+writes)
	out[sL2Read] = slices * min(0.98, 0.85*math.Pow(cache, 3)+back)
	out[sL2Write] = slices * min(0.98, 0.5*math.Pow(cache, 3)+0.5*back)
	out[sL1Read] = slices * min(0.5, 0.2*cache*cache)
	out[sExtRead] = slices * min(0.97, 0.85*share*math.Pow(bus, c.busCare))
	out[sExtWrite] = slices * min(0.97, 0.85*(1-share)*math.Pow(bus, c.busCare))
	wait := c.missNs * (1 + 0.25*bus + 0.12*bus*bus/(1.06-bus)) // ns
	under := reads * wait / (float64(c.slices) * 48)
	cut := func(x float64) float64 { return reads * normal(x, under, 0.5) }
	out[sOut1], out[sOut2], out[sOut3] = cut(0.25), cut(0.5)-cut(0.25), cut(0.75)-cut(0.5)
	underW := writes * wait * 0.6 / (float64(c.slices) * 32)
	cutW := func(x float64) float64 { return writes * normal(x, underW, 0.5) }
	out[sOutW1], out[sOutW2], out[sOutW3] = cutW(0.25), cutW(0.5)-cutW(0.25), cutW(0.75)-cutW(0.5)
	late := func(x float64) float64 { return 4 * reads * normal(x, wait*cy, 0.35) }
	for i, x := range []float64{128, 192, 256, 320, 384} {
		out[sLat0+i] = late(x)
		if i > 0 {
			out[sLat0+i] -= late(x - 64)
		}
	}
	return out
}
