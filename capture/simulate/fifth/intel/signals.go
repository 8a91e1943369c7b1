package intel

import "math"

// Tallies are what is summed over time for counters: clocks, events, and bytes.
const (
	tNone = iota
	tTicks
	tBusy
	tRender
	tCompute
	tBlitter
	tVdbox
	tVebox
	tTwo
	tAny
	tActive // from here to tBoth: EU clocks, of slots by the threads that an EU holds
	tStall
	tSlots
	tBoth
	tAllFpu
	tAllEm
	tAllSend
	tFpu      = tAllSend + 1
	tEm       = tFpu + stages
	tSend     = tEm + stages
	tThreads  = tSend + stages
	tQuads    = tThreads + stages
	tHZ       = tQuads + 1
	tEZ       = tQuads + 2
	tKilled   = tQuads + 3
	tLate     = tQuads + 4
	tWritten  = tQuads + 5
	tBlended  = tQuads + 6
	tTexels   = tQuads + 7
	tMissed   = tQuads + 8
	tAccesses = tQuads + 9
)

const (
	tAccessMisses = tAccesses + 1 + iota
	tAtomics
	tBarriers
	tSlmRead
	tSlmWrite
	tRead
	tWrite
	tSmpBusy // from here on: clocks
	tSmpFull
	tSmpIn
	tSmpOut
	tVF
	tVS
	tHS
	tDS
	tGS
	tCL
	tSF
	tBC
	tHiZ
	tHSStall
	tDSStall
	tSFStall
	tCLStall
	tRasIn
	tRasOut
	tPoly
	tPixelData
	tPSOut
	tPixelValues
	tGTQueue
	tHdcStall
	tL3In
	tL3Out
	tNonPSReady
	tPSReady
	tHeader
	tPort
	tallies
)

// signals are what is counted in a ns of a flow.
type signals [tallies]float64

func (w *flow) signals(m *machine, loads [classes]*load) *signals {
	if w.made != nil {
		return w.made
	}
	s := &signals{}
	w.made = s
	eus := float64(m.eus)
	held, waitsTex, waiting := 0.0, 0.0, 0.0
	var fpu, em, send float64
	for c, l := range loads {
		k := &w.class[c]
		if !k.on || l == nil {
			continue
		}
		x := k.rate
		inside := x * k.n * (k.wait[0]*w.late + k.wait[1] + k.wait[2])
		for _, i := range []int{sFPU, sEM, sSMP, sHDC, sSLM, sRT, sL3, sBW} {
			inside += k.queue[i]
		}
		if l.threads[ps] > 0 { // a thread whose pixels the back end has no room for stays
			inside += k.queue[sPB] * pow(w.used[sPB], m.queueFF)
		}
		full := min(1, inside/k.n)
		if c != qCopy {
			part := full * l.room
			if k.n < m.tokens(l) { // slots are shared
				part *= 0.65
			}
			held += part
		}
		tex := l.missed / (l.missed + l.accesses + 1)
		waitsTex += x * (k.wait[0]*w.late + k.wait[1]) * m.slots() * l.room * tex / float64(m.cores)
		if l.threads[cs] > 0 {
			waiting = max(waiting, pow(full, 5))
		}
		for i := range stages {
			s[tFpu+i] += x * l.fpu[i]
			s[tEm+i] += x * l.em[i]
			s[tSend+i] += x * l.send[i]
			s[tThreads+i] += x * l.threads[i]
			fpu, em, send = fpu+x*l.fpu[i], em+x*l.em[i], send+x*l.send[i]
		}
		for _, v := range []struct {
			t int
			n float64
		}{{tQuads, l.quads}, {tHZ, l.hz}, {tEZ, l.ez}, {tKilled, l.killed}, {tLate, l.late}, {tWritten, l.written},
			{tBlended, l.blended}, {tTexels, l.texels}, {tMissed, l.missed}, {tAccesses, l.accesses},
			{tAccessMisses, l.accessMisses}, {tAtomics, l.atomics}, {tBarriers, l.barriers}, {tSlmRead, l.slmRead},
			{tSlmWrite, l.slmWrite}, {tRead, l.read}, {tWrite, l.write}} {
			s[v.t] += x * v.n
		}
	}
	f := w.f
	if fpu+em+send+held > 0 {
		m.pipes(s, f, min(held, 0.998), fpu/(eus*f), em/(eus*f), send/(eus*f))
	}
	for t := tFpu; t < tThreads; t++ { // no pipe is active for longer than all clocks
		s[t] = min(s[t], eus*f)
	}
	s[tAllFpu], s[tAllEm], s[tAllSend] = fpu, em, min(send, 0.95*eus*f)

	u := w.used
	bus := pow(u[sBW], m.sq)
	missing := min(0.97, pow(waitsTex/m.missSmp, 3))
	clocks := func(t int, share float64) { s[t] = f * min(1, max(0, share)) }
	if u[sSMP] > 0 {
		at := 1 - (1-u[sSMP])*(1-missing)
		clocks(tSmpBusy, 1-(1-u[sSMP])*steady(math.Exp(-m.busySmp*waitsTex)))
		clocks(tSmpFull, pow(at, m.queueSmp))
		clocks(tSmpIn, 1-(1-u[sSMP])*(1-0.6*missing))
		clocks(tSmpOut, u[sSMP]*m.eff[sSMP]*(1-0.3*missing)*m.lean[6])
	}
	clocks(tGTQueue, bus)
	clocks(tHdcStall, min(1, 2*u[sHDC])*(1-(1-pow(u[sL3], 4))*(1-bus)))
	clocks(tL3In, 1-(1-u[sL3])*(1-0.5*bus))
	clocks(tL3Out, u[sL3]*m.eff[sL3]*(1-0.2*bus))
	clocks(tNonPSReady, waiting)
	if l := loads[qRender]; l != nil && w.class[qRender].on && l.clocks[sVF]+l.quads > 0 {
		w.front(m, l, s, held)
	}
	ready := 1 - (1-s[tNonPSReady]/f)*(1-s[tPSReady]/f)
	clocks(tHeader, ready*0.85+0.15*min(1, held*1.5)*ready)
	clocks(tPort, ready*min(1, 0.25+0.45*(m.gather-1))) // of the rows of EUs; the more evenly threads lie, the more have room
	return s
}

// pipes counts what EUs do. held is the share of slots with a thread, fpu and so on the shares of clocks in which a pipe
// executes.
func (m *machine) pipes(s *signals, f, held, fpu, em, send float64) {
	eus := float64(m.eus)
	send = min(send, 0.9)
	held = min(0.998, max(held, 1.02*max(fpu, em, send)/m.threads))
	loaded := min(1-pow(1-held, m.threads*m.gather), 0.99*m.threads*held)
	loaded = min(1, max(loaded, 1.01*max(fpu, em, send)))
	a, b, c := min(1, fpu/loaded), min(1, em/loaded), min(1, send/loaded)
	both := min(a, b, a*b*(1+m.overlap*2))
	either := a + b - both
	active := min(1, 1-(1-either)*(1-c))
	s[tActive], s[tStall] = eus*f*loaded*active, eus*f*loaded*(1-active)
	s[tBoth] = eus * f * loaded * both
	s[tSlots] = eus * f * m.threads * held
}

// front counts what the fixed functions before and behind the EUs show: between two of them lies a queue that holds so
// much, filled as fast as all before it can and emptied as fast as all behind it can (Gershwin's decomposition of a
// line with finite buffers, each an M/M/1/K queue).
func (w *flow) front(m *machine, l *load, s *signals, held float64) {
	k := &w.class[qRender]
	const none = 1e30
	capacity := func(station int) float64 {
		if k.d[station] <= 0 {
			return none
		}
		return 1 / k.d[station]
	}
	all, inside := 0.0, k.rate*k.n*(k.wait[0]*w.late+k.wait[1]+k.wait[2])
	for _, i := range []int{sFPU, sEM, sSMP, sHDC, sSLM, sRT, sL3, sBW} {
		inside += k.queue[i]
	}
	for i := range stages {
		all += l.fpu[i] + l.em[i] + 2*l.send[i]
	}
	shading := func(stage int) float64 {
		part := 0.0
		if all > 0 {
			part = (l.fpu[stage] + l.em[stage] + 2*l.send[stage]) / all
		}
		if part <= 0 {
			return none
		}
		return max(k.rate, k.rate*k.n/max(inside, 1e-9)) / pow(part, 0.6)
	}
	// The order of the pipe.
	line := [...]float64{4 * k.rate, capacity(sVF), shading(vs), shading(hs), shading(ds), shading(gs), capacity(sCL),
		capacity(sSF), capacity(sRAS), capacity(sHZ), capacity(sEZ), 2 * capacity(sRAS), shading(ps), capacity(sPB)}
	const (
		lCS = iota
		lVF
		lVS
		lHS
		lDS
		lGS
		lCL
		lSF
		lRAS
		lHZ
		lEZ
		lBC
		lPS
		lPB
		steps
	)
	var full, some [steps]float64 // of the queue before each
	least := [steps + 1]float64{steps: none}
	for i := steps - 1; i >= 0; i-- {
		least[i] = min(least[i+1], max(line[i], k.rate))
	}
	up := line[0]
	for i := 1; i < steps; i++ {
		n := m.queueFF
		rho := min(50, max(0.001, up/least[i]))
		if math.Abs(rho-1) < 1e-3 {
			rho = 1.001
		}
		top := pow(rho, n)
		full[i] = top * (1 - rho) / (1 - top*rho)
		some[i] = 1 - (1-rho)/(1-top*rho)
		up = min(up, max(line[i], k.rate))
	}
	clocks := func(t int, share float64) { s[t] = w.f * min(1, max(0, share)) }
	part := func(t, at int) {
		if line[at] < none {
			after := 0.0
			if at+1 < steps {
				after = full[at+1]
			}
			clocks(t, full[at]-after)
		}
	}
	for _, x := range []struct{ t, at int }{{tVF, lVF}, {tVS, lVS}, {tHS, lHS}, {tDS, lDS}, {tGS, lGS}, {tCL, lCL}, {tSF, lSF},
		{tHiZ, lHZ}, {tBC, lBC}} {
		part(x.t, x.at)
	}
	if line[lHS] < none {
		clocks(tHSStall, full[lDS])
		clocks(tDSStall, full[lGS])
	}
	if line[lCL] < none {
		clocks(tCLStall, full[lSF])
		clocks(tSFStall, full[lRAS])
		clocks(tPoly, some[lRAS]*0.97)
		clocks(tNonPSReady, max(s[tNonPSReady]/w.f, full[lVS]*pow(min(1, held), 2)))
	}
	if l.quads > 0 {
		clocks(tRasIn, some[lRAS])
		clocks(tRasOut, some[lHZ])
		clocks(tPixelData, some[lBC])
	}
	if l.threads[ps] > 0 {
		clocks(tPSReady, full[lPS])
		clocks(tPSOut, some[lPB])
		// What is to be blended waits for that before it is ready to be written.
		clocks(tPixelValues, some[lPB]*(0.8+0.2*w.used[sPB])/(1+0.5*min(1, l.blended/max(l.written, 1))))
	}
}
