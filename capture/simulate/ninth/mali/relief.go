package mali

import (
	"slices"

	"astrolabe/capture/simulate"
)

const simulate15 = simulate.Faster

// relief is what one simulation makes easier.
type relief struct {
	cause          int // of a station, latency or launch; -1 for none
	queue          int // -1 for none
	gpu, app, wait bool
	driver         bool
	loose, highest bool
}

var noRelief = relief{cause: -1, queue: -1}

// reliefOf is the relief of a candidate.
func (m *machine) reliefOf(c simulate.Candidate) relief {
	r := noRelief
	switch c {
	case simulate.WholeCPU:
		r.app, r.driver, r.wait = true, true, true
	case simulate.WholeGPU:
		r.gpu = true
	case simulate.CPUApp:
		r.app = true
	case simulate.CPUDriver:
		r.driver = true
	case simulate.CPUSync:
		r.wait = true
	case simulate.QueuesInTurn:
		r.loose = true
	case simulate.ClockGovernor, simulate.ClockThermal:
		r.highest = true
	default:
		r.cause = slices.Index(candidates[:], c)
		r.queue = slices.Index(m.queues, c.Name)
	}
	return r
}
