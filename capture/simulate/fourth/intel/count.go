package intel

import "math"

// feature is something that is counted. Those up to lastEvent are events, which happen in the course of a pass however
// long it takes; the others are shares of its time.
type feature uint8

const (
	vsThreads feature = iota
	psThreads
	csThreads
	active // clocks of EUs, as all up to sends
	bothPipes
	pipe0
	pipe1
	sending
	vsPipe0
	vsPipe1
	vsSending
	psPipe0
	psPipe1
	psSending
	psBoth
	rastered
	coarseFails
	earlyFails
	killedQuads
	lateFails
	written
	blended
	texels
	texMisses
	localReads
	localWrites
	messages
	missedMessages
	atomics
	barriers
	typedReads
	typedWrites
	untypedReads
	untypedWrites
	lines // look-ups of L3
	l3Reads
	l3Writes
	vertexReads // lines of 64 bytes over the memory interface, as all of the following
	depthReads
	depthWrites
	colourReads
	colourWrites
	otherReads
	otherWrites

	samplerBusy
	samplerHolds
	samplerWaits
	loaded
	occupied
	vsReady
	psReady
	l3Busy
	l3Stalled
	portStalled
	inGap                        // nothing is under way between two launches
	serving                      // the stages
	holding   = serving + stages // the stage before waits to hand on
	waiting   = holding + stages // the next stage is full
	features  = int(waiting) + stages
	lastEvent = otherWrites
)

// bins are the stretches of a pass for which counts are kept.
const bins = 48

// cumulative are the counts of a pass up to the end of each bin, of shares of time in bins.
type cumulative [features][bins + 1]float64

// count spreads what strips do over the time in which they do it.
func (w *work) count(m *machine, variant int, t *totals, f *flow) *cumulative {
	c := &cumulative{}
	width := f.end / bins
	// spread gives each bin the part of an amount that falls into it.
	spread := func(at feature, from, to, amount float64) {
		if amount <= 0 {
			return
		}
		first := min(bins-1, int(from/width))
		if to-from < 1e-6*width {
			c[at][first+1] += amount
			return
		}
		for b := first; b < bins; b++ {
			lo, hi := max(from, float64(b)*width), min(to, float64(b+1)*width)
			if hi <= lo {
				break
			}
			c[at][b+1] += amount * (hi - lo) / (to - from)
		}
	}
	far := 64 * w.farLines()
	traffic := []struct {
		at    feature
		bytes float64
	}{{vertexReads, w.vertexBytes}, {depthReads, w.depthRead}, {depthWrites, w.depthWrite}, {colourReads, w.out * w.outRead},
		{colourWrites, w.out * w.outWritten}, {otherReads, w.copyRead}, {otherWrites, w.copyWrite},
		{l3Reads, far * (1 - w.written*w.portShare())}, {l3Writes, far * w.written * w.portShare()}}
	for k := range strips {
		g, x := w.geometry[variant][k]/strips, w.pixels[variant][k]/strips
		for i := range stages {
			b, d, l := f.begin[i][k], f.done[i][k], f.left[i][k]
			spread(serving+feature(i), b, d, (d-b)/width)
			spread(waiting+feature(i), d, l, (l-d)/width)
		}
		if w.boundary(k) {
			before := 0.0
			if k > 0 {
				before = f.left[stages-1][k-1]
			}
			spread(inGap, before, f.begin[0][k], (f.begin[0][k]-before)/width)
		}
		w.countFront(spread, f, k, g, x)
		w.countShader(spread, t, f, k, x)
		b, d := f.begin[stMemory][k], f.done[stMemory][k]
		for _, c := range traffic {
			spread(c.at, b, d, c.bytes/64*x)
		}
	}
	w.derive(c)
	c.fit(m.eus * width)
	for i := range c {
		for b := 1; b <= bins; b++ {
			c[i][b] += c[i][b-1]
		}
	}
	return c
}

type spreader func(at feature, from, to, amount float64)

// countFront counts what the fixed units do with a strip.
func (w *work) countFront(spread spreader, f *flow, k int, g, x float64) {
	b, d := f.begin[stVertex][k], f.done[stVertex][k]
	spread(vsThreads, b, d, w.vertices/8*g)
	eu := w.vertices * w.vsClocks * g
	spread(active, b, d, eu)
	spread(bothPipes, b, d, eu*w.both)
	spread(pipe0, b, d, eu*(1+w.both)*w.first)
	spread(pipe1, b, d, eu*(1+w.both)*(1-w.first))
	spread(vsPipe0, b, d, eu*(1+w.both)*w.first)
	spread(vsPipe1, b, d, eu*(1+w.both)*(1-w.first))
	spread(vsSending, b, d, eu*0.08)
	spread(sending, b, d, eu*0.08)

	b, d = f.begin[stRaster][k], f.done[stRaster][k]
	spread(rastered, b, d, w.quads*x)
	spread(coarseFails, b, d, w.quads*w.hizFails*x)
	b, d = f.begin[stEarly][k], f.done[stEarly][k]
	spread(earlyFails, b, d, w.quads*(1-w.hizFails)*w.ezFails*x)
	b, d = f.begin[stBackend][k], f.done[stBackend][k]
	spread(lateFails, b, d, w.shaded()*w.late*x)
	spread(written, b, d, w.out*x)
	spread(blended, b, d, w.out*w.blended*x)
}

// countShader counts what the shader cores and what they ask do with a strip.
func (w *work) countShader(spread spreader, t *totals, f *flow, k int, x float64) {
	b, d := f.begin[stShade][k], f.done[stShade][k]
	send := w.sends() * x
	eu := (w.euClocks + 0.4*w.sends()) * x
	calc := w.euClocks * x
	spread(active, b, d, eu)
	spread(bothPipes, b, d, calc*w.both)
	spread(pipe0, b, d, calc*(1+w.both)*w.first)
	spread(pipe1, b, d, calc*(1+w.both)*(1-w.first))
	spread(sending, b, d, send)
	if w.compute {
		spread(csThreads, b, d, w.lanes*x)
	} else {
		spread(psThreads, b, d, w.shaded()*4/max(w.lanes, 8)*x)
		spread(psPipe0, b, d, calc*(1+w.both)*w.first)
		spread(psPipe1, b, d, calc*(1+w.both)*(1-w.first))
		spread(psSending, b, d, send)
		spread(psBoth, b, d, calc*w.both)
	}
	spread(killedQuads, b, d, w.shaded()*w.killed*x)
	spread(texels, b, d, w.texels*x)
	spread(texMisses, b, d, w.texels*w.texMisses*x)
	spread(localReads, b, d, w.localReads*x)
	spread(localWrites, b, d, w.localWrites*x)
	spread(messages, b, d, w.messages*x)
	spread(missedMessages, b, d, w.portLines()*x)
	spread(atomics, b, d, w.atomics*x)
	spread(barriers, b, d, w.barriers*x)
	spread(typedReads, b, d, w.messages*w.typed*(1-w.written)*x)
	spread(typedWrites, b, d, w.messages*w.typed*w.written*x)
	spread(untypedReads, b, d, w.messages*(1-w.typed)*(1-w.written)*x)
	spread(untypedWrites, b, d, w.messages*(1-w.typed)*w.written*x)
	spread(lines, b, d, w.lines()*x)

	// How busy the samplers, L3 and the data ports are while the strip is shaded.
	all := f.time[stShade][k]
	if all <= 0 {
		return
	}
	width := f.end / bins
	add := func(at feature, share float64) { spread(at, b, d, min(1, share)*all/width) }
	p := &f.parts[k]
	tex := min(1, t.component[1]*x/all)
	if tex > 0 {
		add(samplerBusy, 1-(1-tex)*math.Sqrt(1-tex)*0.97)
		add(samplerHolds, 0.86*p[1]+0.05*tex)
		add(samplerWaits, 0.9*p[1]+0.12*tex)
	}
	l3 := min(1, t.component[5]*x/all)
	add(l3Busy, 0.97*l3)
	add(l3Stalled, 0.8*p[6]+0.15*l3*l3)
	if w.messages > 0 {
		add(portStalled, 0.7*p[5]+0.45*p[6]*w.portShare()+0.04)
	}
}

// derive works out what follows from how full the stages are.
func (w *work) derive(c *cumulative) {
	for b := 1; b <= bins; b++ {
		for i := range stages {
			if s := &c[int(serving)+i][b]; *s > 1 {
				*s = 1
			}
			c[int(waiting)+i][b] = min(c[int(waiting)+i][b], 1-c[int(serving)+i][b])
		}
		if w.compute || w.other { // strips pass the pipe of pictures without being there
			for i := stFetch; i < stMemory; i++ {
				if i != stShade || w.other { // copies have no threads
					c[int(serving)+i][b], c[int(waiting)+i][b] = 0, 0
				}
			}
		}
		behind := 0.0 // how busy what follows is
		for i := stages - 1; i >= stFetch; i-- {
			s := c[int(serving)+i][b]
			held := min(c[int(waiting)+i-1][b], s)
			// A stage whose followers are busy too is full most of the time that it works. Work within a strip comes in
			// bursts that queue for a short time.
			c[int(holding)+i][b] = min(s, held*(w.leak+(0.93-w.leak)*(1-behind*behind))+0.06*s*s)
			behind = max(behind, s)
			if w.compute || w.other {
				c[int(holding)+i][b] = 0
			}
		}
		vs := c[int(serving)+stVertex][b]
		ps := min(1, c[int(serving)+stShade][b]+c[int(waiting)+stShade][b])
		have := 0.98 * max(0, min(1-(1-vs)*(1-ps), 1-c[inGap][b])) // rounding gives a gap more than all of a bin
		c[loaded][b] = have
		c[occupied][b] = min(1, have*w.occupancy)
		c[vsReady][b] = min(1, 0.1*vs+0.6*min(vs, c[int(waiting)+stVertex-1][b]))
		if w.compute {
			c[vsReady][b] = 0.85 * ps
		} else {
			c[psReady][b] = min(1, 0.08*ps+0.85*min(ps, c[int(waiting)+stEarly][b]))
		}
	}
}

// fit lets the EUs do later what more than all of them would have to do in a bin, because two kinds of shaders share
// them. most is what all have room for in a bin.
func (c *cumulative) fit(most float64) {
	for b := 1; b <= bins; b++ {
		room := most * c[loaded][b]
		if c[active][b] <= room {
			continue
		}
		keep := room / c[active][b]
		for i := active; i <= psBoth; i++ {
			if b < bins {
				c[i][b+1] += c[i][b] * (1 - keep)
			}
			c[i][b] *= keep
		}
	}
}
