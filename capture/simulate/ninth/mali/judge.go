package mali

import "astrolabe/capture/simulate"

// judge finds out by relief what limits a load on a machine.
func judge(m *machine, w *load) (*simulate.Truth, error) {
	none := noRelief
	x, err := simulateLoad(m, w, &none, true, nil)
	if err != nil {
		return nil, err
	}
	spans := w.stretches()
	parts := make([]simulate.Part, len(spans))
	for i, s := range spans {
		parts[i] = x.part(s)
	}
	relieve := func(c simulate.Candidate, works bool, list func(p *simulate.Part) *[]simulate.Gain) error {
		r := m.reliefOf(c)
		var y *run
		if works {
			if y, err = simulateLoad(m, w, &r, false, nil); err != nil {
				return err
			}
		}
		for i, s := range spans {
			g := simulate.Gain{Candidate: c, Simulated: works}
			if base := parts[i].End - parts[i].Start; works && base > 0 {
				took := y.frames[s.Last].Shown - y.frames[s.First-1].Shown
				g.Percent = 100 * float64(base-took) / float64(base)
			}
			l := list(&parts[i])
			*l = append(*l, g)
		}
		return nil
	}
	leaves := func(p *simulate.Part) *[]simulate.Gain { return &p.Leaves }
	for cause, c := range candidates[:causeVsync] {
		if err := relieve(c, cause >= stations || m.works(w, cause), leaves); err != nil {
			return nil, err
		}
	}
	more := []simulate.Candidate{simulate.CPUSync}
	if w.loose() {
		more = append(more, simulate.QueuesInTurn)
	}
	if c, slow := x.clock.cause(); slow {
		more = append(more, c)
	}
	for _, c := range more {
		if err := relieve(c, true, leaves); err != nil {
			return nil, err
		}
	}
	for _, name := range m.queues {
		c := simulate.Candidate{Level: simulate.LevelQueue, Name: name}
		if err := relieve(c, true, func(p *simulate.Part) *[]simulate.Gain { return &p.Queues }); err != nil {
			return nil, err
		}
	}
	for _, c := range []simulate.Candidate{simulate.WholeCPU, simulate.WholeGPU} {
		if err := relieve(c, true, func(p *simulate.Part) *[]simulate.Gain { return &p.Whole }); err != nil {
			return nil, err
		}
	}
	for i := range parts {
		parts[i].Conclude()
	}
	t := &simulate.Truth{Part: parts[0], Phases: parts[1:], Each: x.frames}
	t.Hold(float64(w.pace.Refresh))
	return t, nil
}

// works reports whether any segment needs a station.
func (m *machine) works(w *load, station int) bool {
	for i := range w.segments {
		if station >= stL2 || m.cycles(&w.segments[i])[station] > 0 {
			return true
		}
	}
	return false
}

func (w *load) loose() bool {
	for _, c := range w.contents {
		for _, j := range c.jobs {
			for _, d := range j.after {
				if d.loose {
					return true
				}
			}
		}
	}
	return false
}

// part is what the simulation itself says about a stretch of frames.
func (x *run) part(s simulate.Stretch) simulate.Part {
	p := simulate.Part{Name: s.Name, First: s.First, Frames: s.Last - s.First + 1,
		Start: x.frames[s.First-1].Shown, End: x.frames[s.Last].Shown}
	var ns [causes]int64
	x.path.Walk(x.shown[s.Last], p.Start, func(start, end int64, cause, _ uint8) { ns[cause] += end - start })
	for cause, t := range ns {
		if t > 0 {
			p.Shares = append(p.Shares, simulate.Share{Candidate: candidates[cause], Ns: t})
		}
	}
	simulate.SortShares(p.Shares)
	for i := s.First; i <= s.Last; i++ {
		p.Missed += x.frames[i].Missed
	}
	if took := float64(x.frames[s.Last].GPUEnd - x.frames[s.First-1].GPUEnd); took > 0 {
		p.GPUBusy = (x.busyAt[s.Last] - x.busyAt[s.First-1]) / took
		p.ClockMean = (x.clockAt[s.Last] - x.clockAt[s.First-1]) / took
	}
	return p
}
