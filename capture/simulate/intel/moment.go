package intel

import (
	"math"

	"astrolabe/capture/simulate"
)

// moment is one sample in the making: quantities of which counters are made.
type moment struct {
	d   *device
	rec *simulate.Recorder
	row simulate.Row
	v   [quantities]float64

	top        float64 // cycles per ns at the highest clock
	clocks     float64 // core clocks of the sample
	busy       float64
	active     [shaders]float64 // unit clocks in which a pipe worked, by stage
	stall      [shaders]float64
	threads    [shaders]float64 // loaded threads times clocks
	hullShare  float64
	pixelShare float64

	// Of the program, drawn once.
	kinds [4]float64 // of instructions: hybrid, ternary, binary, move
	merge float64    // messages that fall into one line
	seen  float64    // share of a wait in which the hardware calls the stage a bottleneck
	even  [3]float64 // how much of the mean each sampler works

	computeShare float64 // of the threads of the first stream those of compute shaders
	platformMoment
}

func (m *moment) span(s int) float64 { return min(m.clocks, m.row.Span(s)*m.top) }

// wait is how many clocks a fixed function or a unit let others wait.
func (m *moment) wait(unit int) float64 { return m.seen * m.span(m.rec.UnitWait(unit)) }

// streamWait is how many clocks threads of vertices (0) or pixels (1) waited for a place.
func (m *moment) streamWait(stream int) float64 {
	return m.seen * m.span(simulate.StreamSpan(0, stream, simulate.StreamWait))
}

// held is how many clocks triangles waited behind setup because pixels did not take them.
func (m *moment) held() float64 {
	return m.seen * m.span(simulate.StreamSpan(0, 0, simulate.StreamHeld))
}

// sampler is how many clocks one of the three samplers of a slice worked.
func (m *moment) sampler(i int) float64 {
	return min(m.clocks, m.v[samplerWork]/float64(m.d.subs)*m.even[i])
}

func (m *moment) samplerWait(i int) float64 { return min(m.sampler(i), m.wait(unitSampler)*m.even[i]) }

func (m *moment) reads() float64 {
	return m.v[readCommand] + m.v[readFetch] + m.v[readColour] + m.v[readHierarchy] + m.v[readStencil] +
		m.v[readDepth] + m.v[readCache]
}

func (m *moment) writes() float64 {
	return m.v[writeColour] + m.v[writeHierarchy] + m.v[writeStencil] + m.v[writeDepth] + m.v[writeCache]
}

// cacheAccesses are the look-ups in L3 of one slice.
func (m *moment) cacheAccesses() float64 {
	return (m.v[samplerMisses] + m.v[accesses] + m.v[instructions]) / float64(m.d.slices)
}

// banks are pairs of counters for stalls and work of L3 banks.
func (m *moment) banks(names ...string) map[string]float64 {
	out := map[string]float64{}
	for i := 0; i < len(names); i += 2 {
		out[names[i]] = m.wait(unitCache)
		out[names[i+1]] = min(m.clocks, m.cacheAccesses()/4)
	}
	return out
}

// backend is how many clocks the pixel backend of a slice worked: it takes two blocks in one.
func (m *moment) backend() float64 { return min(m.clocks, m.v[written]/m.d.quads/float64(m.d.slices)) }

// units works out what the execution units did: a unit is active while a pipe works, and stalls while it has threads
// and none does.
func (m *moment) units(slots int) {
	held := m.row.Span(simulate.SpanSlots) // ns times the clock's share
	all, active := 0.0, 0.0
	for s := range shaders {
		all += m.v[perLoaded+s]
		// Most sends go out beside arithmetic.
		m.active[s] = m.v[perUnion+s] + 0.3*m.v[perSend+s]
		active += m.active[s]
	}
	occupied := 0.0
	if held > 0 {
		occupied = min(1, all/held/float64(slots))
	}
	// With few threads some units have none: of a unit's seven places at least one is taken.
	most := held * m.top * float64(m.d.eus)
	loaded := min(most, max(active, (1-math.Pow(1-occupied, 5))*most))
	if by := loaded / active; active > loaded {
		// Chunks that were under way when the clock changed: what there is no time for is left out.
		for s := range shaders {
			m.active[s] *= by
			for _, q := range []int{perUnion, perBoth, perFirst, perSend} {
				m.v[q+s] *= by
			}
		}
		active = loaded
	}
	for s := range shaders {
		share := 0.0
		if all > 0 {
			share = m.v[perLoaded+s] / all
		}
		m.stall[s] = (loaded - active) * share
		m.threads[s] = occupied * share * held * m.top * float64(m.d.eus) * float64(m.d.threads)
	}
	vertices, pixels := m.v[perThreads+vertex]+m.v[perThreads+hull], m.v[perLoaded+pixel]
	m.hullShare, m.pixelShare = 0, 0
	if vertices > 0 {
		m.hullShare = m.v[perThreads+hull] / vertices
	}
	if all > 0 {
		m.pixelShare = pixels / all
	}
}
