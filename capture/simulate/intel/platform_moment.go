package intel

import (
	"math"

	"astrolabe/capture/simulate"
)

// platformMoment is what samples of platforms need beside what all do.
type platformMoment struct {
	ns        float64
	bankCount float64     // of L3
	share     [11]float64 // how much of the mean each of several like parts has
	floats    float64     // share of instructions of the first pipe that calculate with floats
	code      float64     // how often shader code does not lie ready
	reuse     float64     // of colour and depth in L3
	packed    float64     // what compression leaves of colour
	queued    float64     // how full the queue of L3 to memory is while requests wait
	stalls    [stallReasons]float64
	chance    [stallReasons]float64 // how ready each reason is to be given
}

func (p *platformMoment) draw(d *device, r simulate.Random) {
	for i := range p.share {
		p.share[i] = r.Between(0.97, 1.02)
	}
	p.floats, p.code, p.reuse = r.Between(0.4, 0.9), r.Log(1e-4, 0.05), r.Between(0.2, 0.7)
	p.packed, p.queued = r.Between(0.45, 0.95), r.Log(0.01, 0.6)
	for i := range p.chance {
		p.chance[i] = r.Between(0.7, 1.3)
	}
	p.bankCount = d.banks()
}

// render and computing are the clocks in which the rings have work.
func (m *moment) render() float64 { return m.span(simulate.Span(0, simulate.QueueHeld)) }

func (m *moment) computing() float64 {
	if !m.d.async() {
		return 0
	}
	return m.span(simulate.Span(1, simulate.QueueHeld))
}

// sampling is how many clocks the mean sampler works.
func (m *moment) sampling() float64 { return min(m.clocks, m.v[samplerWork]/float64(m.d.subs)) }

func (m *moment) samplingWait() float64 { return min(m.sampling(), m.wait(unitSampler)) }

func (m *moment) samplerInput() float64 {
	return max(m.sampling(), m.wait(unitSampler)+0.5*m.sampling())
}

// vertexWait is how many clocks vertices waited for a place in the units, hullWait those of tessellation.
func (m *moment) vertexWait() float64 { return m.streamWait(0) * (1 - m.computeShare) }
func (m *moment) hullWait() float64   { return m.vertexWait() * m.hullShare }
func (m *moment) hullStall() float64  { return m.wait(unitClip) * m.hullShare }
func (m *moment) clipStall() float64  { return m.wait(unitSetup) + m.held() }
func (m *moment) pixelWait() float64  { return 0.1 * m.streamWait(1) }

// otherWait is how many clocks threads other than pixels' waited for a place.
func (m *moment) otherWait() float64 {
	w := m.streamWait(0)
	if m.d.async() {
		w += m.seen * m.span(simulate.StreamSpan(1, 0, simulate.StreamWait))
	}
	return min(m.clocks, w)
}

func (m *moment) headers() float64 { return 0.5 * (m.otherWait() + m.streamWait(1)) }

func (m *moment) polygons() float64 { return m.v[stageWork+2] + m.wait(unitRaster) + m.held() }

// lookups are those in L3, of all clients.
func (m *moment) lookups() float64 {
	buffers := m.v[accesses]
	if m.d.near {
		buffers = m.v[nearMisses]
	}
	return m.v[samplerMisses] + buffers + m.v[instructions]
}

// cacheBusy is how many clocks the mean bank of L3 works.
func (m *moment) cacheBusy() float64 { return min(m.clocks, m.v[cacheWork]) }
func (m *moment) cacheWait() float64 {
	return min(m.wait(unitCache)+m.wait(unitDataPort), 0.9*m.clocks)
}
func (m *moment) cacheInput() float64  { return m.cacheBusy() + m.wait(unitCache) }
func (m *moment) cacheOutput() float64 { return 0.9*m.cacheBusy() + 0.1*m.wait(unitCache) }

// colours is how many clocks the mean backend works: blending and wide formats take several for a block.
func (m *moment) colours() float64 { return min(m.clocks, m.v[backendWork]) }

// colourInput is how many clocks a backend has something to take, colourOutput those in which it writes.
func (m *moment) colourInput() float64  { return m.colours() + m.wait(unitBackend) }
func (m *moment) colourOutput() float64 { return 0.6*m.colours() + 0.3*m.pixelShare*m.memoryWait() }

// memoryWait is how many clocks requests waited for the memory's bus.
func (m *moment) memoryWait() float64 { return m.span(simulate.SpanBacklog) }

// memoryBusy is how many clocks the memory moved data.
func (m *moment) memoryBusy() float64 {
	if !(m.ns > 0) {
		return 0
	}
	return m.clocks * min(1, 64*(m.reads()+m.writes())/(m.d.memory*m.ns))
}

// Reasons for which a unit has threads and issues nothing. A unit gives one of them for each clock.
const (
	stallScoreboard = iota // results of messages: samplers, buffers, memory
	stallSend              // no room for another message
	stallPipe              // the pipe that the next instruction needs
	stallResult            // results of the instruction before
	stallBarrier
	stallControl
	stallFetch // instructions
	stallPixel // pixels of the same place that come before
	stallOther
	stallReasons
)

// reasons shares the stalled clocks out by what chunks waited for in the sample. Reads and matrix products are waited
// for by their scoreboard; writes give no result, so that what holds them up is room for the next message. How likely
// a unit is to give each reason is invented; published results of Battlemage have 83 to 95 percent of the stalls of
// kernels that read on the scoreboard, and 82 percent of those of one that L3 takes writes from too slowly on messages.
func (m *moment) reasons() {
	wait := func(unit int) float64 { return m.row.Span(m.rec.UnitWait(unit)) }
	memory := wait(simulate.UnitBandwidth) + wait(unitCache)
	results := wait(simulate.UnitLatency)
	if m.d.plat.rays {
		results += wait(unitRays)
	}
	units := wait(unitSampler) + wait(unitDataPort) + wait(unitLocal)
	pipes, matrix := wait(unitEU), 0.0
	if union := m.over(0, shaders-1, func(m *moment, s int) float64 { return m.v[perUnion+s] }); union > 0 {
		matrix = pipes * m.over(0, shaders-1, matrixPipe) / union
	}
	full := min(1, 1.8*m.writtenShare()) // how often there is no room for a message that waits behind writes
	base := m.row.Span(simulate.SpanSlots)
	w := [stallReasons]float64{
		stallScoreboard: results + memory*(1-full) + matrix + 0.65*units + 0.15*base,
		stallSend:       memory*full + 0.35*units,
		stallPipe:       0.55 * (pipes - matrix),
		stallResult:     0.45*(pipes-matrix) + 0.04*base,
		stallControl:    0.01 * base,
		stallFetch:      2 * m.code * base,
		stallPixel:      0.04 * m.pixelShare * base,
		stallOther:      0.02 * base,
	}
	if m.v[barriers] > 0 {
		w[stallBarrier] = 0.06 * base
	}
	sum, all := 0.0, 0.0
	for i := range w {
		w[i] *= m.chance[i]
		sum += w[i]
	}
	for s := range shaders {
		all += m.stall[s]
	}
	for i := range w {
		m.stalls[i] = 0
		if sum > 0 {
			m.stalls[i] = all * w[i] / sum
		}
	}
}

// settle works out what samples of platforms need.
func (m *moment) settle(ns float64) {
	m.ns = ns
	threads := m.v[perLoaded+vertex] + m.v[perLoaded+hull] + m.v[perLoaded+compute]
	m.computeShare = 0
	if threads > 0 {
		m.computeShare = m.v[perLoaded+compute] / threads
	}
	if m.d.plat.version >= 2000 {
		m.reasons()
	}
	if math.IsNaN(m.computeShare) {
		m.computeShare = 0
	}
}
