package mali

import "astrolabe/capture/simulate"

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
	switch {
	case c == simulate.WholeCPU:
		r.app, r.driver, r.wait = true, true, true
	case c == simulate.WholeGPU:
		r.gpu = true
	case c == simulate.CPUApp:
		r.app = true
	case c == simulate.CPUDriver:
		r.driver = true
	case c == simulate.CPUSync:
		r.wait = true
	case c == simulate.QueuesInTurn:
		r.loose = true
	case c.Level == simulate.LevelClock:
		r.highest = true
	case c.Level == simulate.LevelQueue:
		for i, name := range m.queues {
			if name == c.Name {
				r.queue = i
			}
		}
	default:
		for i, x := range candidates {
			if x == c {
				r.cause = i
			}
		}
	}
	return r
}
