package intel

import "astrolabe/capture/simulate"

// recorder sums what counters count by sample.
type recorder struct {
	bounds  *simulate.Bounds
	rows    []signals
	hint    int
	threads [2][]interval
	context []uint8 // of the render engine at the start of a sample: 0 idle, 1 the program, 2 another
	video   bool    // the third queue is the media engine's
}

type interval struct{ start, end int64 }

func (r *recorder) thread(n int, start, end int64) {
	if end > start {
		r.threads[n] = append(r.threads[n], interval{start, end})
	}
}

// span adds a stretch of one flow.
func (r *recorder) span(e *engine, w *flow, start, end int64) {
	var loads [classes]*load
	var on [queues]bool
	for q := range e.run {
		k := &e.run[q]
		if on[q] = k.on; k.on && w.class[q].on {
			loads[q] = &e.p.loads[k.segs[k.seg].load]
		}
	}
	s := w.signals(e.m, loads)
	who := uint8(0)
	if on[qRender] {
		who = 1
		if e.run[qRender].behind {
			who = 2
		}
	}
	for start < end {
		for start >= r.bounds.At(r.hint+1) {
			r.hint++
		}
		for len(r.rows) <= r.hint {
			r.rows = append(r.rows, signals{})
			r.context = append(r.context, who)
		}
		until := min(end, r.bounds.At(r.hint+1))
		ns := float64(until - start)
		row := &r.rows[r.hint]
		for i, x := range s {
			row[i] += x * ns
		}
		clocks := ns * w.f
		row[tTicks] += clocks
		for _, x := range []struct {
			t  int
			on bool
		}{{tBusy, on[qRender] || on[qCompute]}, {tRender, on[qRender]}, {tCompute, on[qCompute]},
			{tBlitter, on[qCopy] && !r.video}, {tVdbox, on[qCopy] && r.video}, {tTwo, on[qRender] && on[qCompute]},
			{tAny, on[qRender] || on[qCompute] || on[qCopy]}} {
			if x.on {
				row[x.t] += clocks
			}
		}
		start = until
	}
}

// row is sample i; one that nothing was recorded in is empty.
func (r *recorder) row(i int) *signals {
	for len(r.rows) <= i {
		r.rows = append(r.rows, signals{})
		r.context = append(r.context, 0)
	}
	return &r.rows[i]
}
