package binding

import (
	"astrolabe/capture/metrics"
)

// Define adds a metric of the script. One defined again under its name takes the place of the first.
func (e *Env) Define(d *metrics.Entry) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.defines++
	for i, have := range e.definitions {
		if have.Name == d.Name && have.GPU == d.GPU {
			e.definitions = append(append(append([]*metrics.Entry(nil), e.definitions[:i]...), d),
				e.definitions[i+1:]...)
			return
		}
	}
	e.definitions = append(e.definitions[:len(e.definitions):len(e.definitions)], d)
}

// Defined lists the metrics that the script defined for a catalogue, or for captures whose catalogue is not known.
func (e *Env) Defined(gpu string) []*metrics.Entry {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []*metrics.Entry
	for _, d := range e.definitions {
		if d.GPU == gpu || d.GPU == "" || d.GPU == "cpu" || gpu == "" {
			out = append(out, d)
		}
	}
	return out
}

// Generation changes with every definition.
func (e *Env) Generation() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.defines
}
