package cpu

import "astrolabe/capture/simulate"

// trace keeps what counters count, by sample and processor, while a simulation runs.
type trace struct {
	bounds *simulate.Bounds
	cpus   int
	rows   []row
	hint   int

	ioEdge, waitEdge int64
}

// row is one sample.
type row struct {
	cpus     []core
	ioSome   float64 // ns in which some thread did I/O
	waitSome float64 // ns in which some thread waited for a processor
	waiting  int     // threads that are doing I/O at the sample's end
}

// core is what one processor did in a sample.
type core struct {
	ns         [parts]float64
	switches   float64
	migrations float64
	moved      float64 // ns that moving data would have taken with the memory to itself
}

func newTrace(b *simulate.Bounds, cpus int) *trace { return &trace{bounds: b, cpus: cpus} }

func (t *trace) row(at int64) *row {
	for at >= t.bounds.At(t.hint+1) {
		t.hint++
	}
	for t.hint > 0 && at < t.bounds.At(t.hint) {
		t.hint--
	}
	for len(t.rows) <= t.hint {
		t.rows = append(t.rows, row{cpus: make([]core, t.cpus)})
	}
	return &t.rows[t.hint]
}

// spread calls visit for each sample that a stretch lies in, with the share that lies there.
func (t *trace) spread(start, end int64, visit func(r *row, share float64)) {
	for at := start; at < end; {
		r := t.row(at)
		until := min(end, t.bounds.At(t.hint+1))
		visit(r, float64(until-at)/float64(end-start))
		at = until
	}
}

// burst notes that a thread ran on a processor.
func (t *trace) burst(s *state, cpu int, start, end int64, spent *[parts]float64, stretch float64) {
	r := t.row(start)
	r.cpus[cpu].switches++
	if s.cpu >= 0 && s.cpu != cpu {
		r.cpus[cpu].migrations++
	}
	t.spread(start, end, func(r *row, share float64) {
		for i, ns := range spent {
			r.cpus[cpu].ns[i] += ns * share
		}
		r.cpus[cpu].moved += spent[bandwidth] / stretch * share
	})
	t.union(&t.waitEdge, s.wish, start, func(r *row, ns float64) { r.waitSome += ns })
}

// union adds a stretch as far as it was not counted before.
func (t *trace) union(edge *int64, start, end int64, add func(r *row, ns float64)) {
	start = max(start, *edge)
	if end <= start {
		return
	}
	*edge = end
	t.spread(start, end, func(r *row, share float64) { add(r, share*float64(end-start)) })
}

// io notes that a thread does I/O.
func (t *trace) io(start, end int64) {
	t.union(&t.ioEdge, start, end, func(r *row, ns float64) { r.ioSome += ns })
	t.spread(start, end, func(r *row, _ float64) {
		if t.bounds.At(t.hint+1) < end { // it goes on after the sample
			r.waiting++
		}
	})
}
