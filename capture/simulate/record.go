package simulate

// Run is a simulation whose counters were recorded.
type Run struct {
	Machine *Machine
	Load    *Load
	Rec     *Recorder
	Frames  []FrameTruth
	// Start and End are the times between which the capture lies: from where the warm-up ends to where the last frame
	// is shown.
	Start, End int64

	changes []clockChange
}

// Record simulates a load and records what counters need.
func Record(m *Machine, w *Load, bounds *Bounds) (*Run, error) {
	e := engines.Get().(*engine)
	defer engines.Put(e)
	rec := newRecorder(m, w, bounds)
	if err := e.run(m, w, Relief{}, false, rec); err != nil {
		return nil, err
	}
	out := &Run{Machine: m, Load: w, Rec: rec, changes: append([]clockChange(nil), e.clock.changes...)}
	for i := range w.Frames {
		f := &e.frames[i]
		out.Frames = append(out.Frames, FrameTruth{w.Frames[i].Content, f.begin, f.gpuBegin, f.done, f.flip, f.missed,
			i >= w.Warm})
	}
	out.Start, out.End = out.Frames[max(0, w.Warm-1)].Shown, out.Frames[len(out.Frames)-1].Shown
	return out, nil
}

// ClockTime is the integral of the clock's share of its highest over sample i of the recorder, in ns. Chunks that
// were under way when the clock changed end at the speed that they began with, so while the GPU works the clock is
// that of its work, and otherwise what the governor set.
func (r *Run) ClockTime(i int) float64 {
	w, b := r.Rec.Row(i), r.Rec.Bounds
	start, end := b.At(i), b.At(i+1)
	ns := float64(end - start)
	return w.Span(SpanBusy) + max(0, ns-w.Busy())*clockTime(r.changes, start, end)/ns
}

// ClockAt is the clock's share of its highest at a time.
func (r *Run) ClockAt(t int64) float64 {
	share := 1.0
	for _, c := range r.changes {
		if c.at > t {
			break
		}
		share = c.share
	}
	return share
}

// Samples are the first sample of the capture and the one behind its last: those that lie wholly between Start and End.
func (r *Run) Samples() (first, last int) {
	b := r.Rec.Bounds
	first = b.Index(r.Start)
	if b.At(first) < r.Start {
		first++
	}
	return first, max(first, b.Index(r.End))
}

// Solo is the time of a frame of some content, in ns, when nothing but the GPU at its highest clock takes time.
func Solo(m *Machine, c *Content) (float64, error) {
	const frames, warm = 7, 2
	scale := make([]float32, len(c.Jobs))
	for i := range scale {
		scale[i] = 1
	}
	w := Load{Contents: []Content{*c}, Warm: warm, Threads: 1, Pacing: Pacing{Ahead: 3}}
	for range frames {
		w.Frames = append(w.Frames, Frame{Scale: scale})
	}
	e := engines.Get().(*engine)
	defer engines.Put(e)
	if err := e.run(m, &w, Relief{Highest: true}, false, nil); err != nil {
		return 0, err
	}
	return float64(e.frames[frames-1].flip-e.frames[warm-1].flip) / (frames - warm), nil
}
