package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// moment is what the units did in a sample, or during a draw.
type moment struct {
	d    *device
	row  simulate.Row
	ns   float64
	wall float64 // ns of wall time for each ns of the highest clock's, while the GPU worked

	busy, cores float64 // ns
	held        [3]float64
	served      [machineUnits]float64
	by          [3][machineUnits]float64 // the same for each kind of stream
}

// sample takes up a sample of a run.
func (m *moment) sample(run *simulate.Run, i int) {
	b := run.Rec.Bounds
	m.at(run.Rec, run.Rec.Row(i), float64(b.At(i+1)-b.At(i)), m.d.streams)
}

// at takes up a recorder's row of so many ns. streams are those of the recorder's passes.
func (m *moment) at(rec *simulate.Recorder, row simulate.Row, ns float64, streams []stream) {
	m.row, m.ns = row, ns
	m.busy = min(m.ns, m.row.Busy())
	m.wall = 1
	if s := m.row.Span(simulate.SpanBusy); s > 0 {
		m.wall = m.row.Busy() / s
	}
	m.cores = min(m.busy, m.span(simulate.SpanCores))
	m.served, m.by = [machineUnits]float64{}, [3][machineUnits]float64{}
	slots := [3]float64{}
	sum := 0.0
	units := rec.Units()
	m.row.Passes(func(p int, of []float32) {
		s := &streams[p]
		for u, t := range s.times {
			ns := t * float64(of[u])
			switch m.d.machine.Units[u].Domain {
			case simulate.CoreClock:
				ns *= m.wall
			case simulate.MemoryClock:
				ns /= m.d.machine.MemoryShare
			}
			m.served[u] += ns
			m.by[s.kind][u] += ns
		}
		x := float64(of[units+simulate.TallySlots])
		slots[s.kind] += x
		sum += x
	})
	// A kind of wave is there nearly as soon as it has some part of the slots.
	for k := range m.held {
		m.held[k] = 0
		if sum > 0 && slots[k] > 0 {
			m.held[k] = m.cores * (1 - math.Pow(1-slots[k]/sum, 3))
		}
	}
}

// span is a span's wall time.
func (m *moment) span(s int) float64 { return min(m.busy, m.row.Span(s)*m.wall) }

func (m *moment) queue(q int) float64 { return m.span(simulate.Span(q, simulate.QueueHeld)) }

// in is how long something is inside of units: of one of several instances some is busy while others rest, and what
// they work on takes time to pass through, so that it is longer than their service alone.
func (m *moment) in(units ...int) float64 {
	if m.busy <= 0 {
		return 0
	}
	rest := 1.0
	for _, u := range units {
		rest *= math.Pow(1-min(1, m.served[u]/m.busy), m.d.thick[u])
	}
	return m.busy * (1 - rest)
}
