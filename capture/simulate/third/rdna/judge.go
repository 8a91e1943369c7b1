package rdna

import (
	"math"

	"astrolabe/capture/simulate"
)

// times are the starts and ends of the dispatches in a pass, on the time of the capture.
func (p *program) times(pass int) (start, end []int64) {
	at := int64(0)
	for i := range p.dispatches {
		at += p.passes[pass][i].gap
		start = append(start, at)
		at += max(1, int64(math.Round(p.span(pass, i, causes))))
		end = append(end, at)
	}
	return start, end
}

// judge relieves one thing after the other in the pass that the time axis is of.
func (p *program) judge() *simulate.Truth {
	p.mu.Lock()
	defer p.mu.Unlock()
	start, end := p.times(0)
	t := &simulate.Truth{Part: p.part("", 0, len(p.dispatches), start, end)}
	if len(p.phases) > 1 {
		first := 0
		for i, name := range p.phases {
			n := 0
			for first+n < len(p.dispatches) && p.dispatches[first+n].phase == i {
				n++
			}
			t.Phases = append(t.Phases, p.part(name, first, n, start, end))
			first += n
		}
	}
	for i, d := range p.dispatches {
		t.Each = append(t.Each, simulate.FrameTruth{Content: d.phase, Begin: start[i], GPUBegin: start[i], GPUEnd: end[i],
			Shown: end[i], Judged: true})
	}
	return t
}

// part judges some of the dispatches.
func (p *program) part(name string, first, n int, start, end []int64) simulate.Part {
	part := simulate.Part{Name: name, First: first, Frames: n, Start: start[first], GPUBusy: 1}
	total := int64(0)
	var shares [causes]float64
	sum, clock := 0.0, 0.0
	for i := first; i < first+n; i++ {
		total += end[i] - start[i]
		r, m := p.at(p.dispatches[i], p.passes[0][i], causes)
		scale := float64(end[i]-start[i]) / r.total
		for c := range causes {
			shares[c] += r.shares[c] * scale
		}
		span := p.span(0, i, causes)
		sum += span
		clock += span * m.clock / maxClock
	}
	part.End = part.Start + total
	part.ClockMean = clock / sum
	largest, left := 0, total
	for c := range causes {
		s := simulate.Share{Candidate: candidates[c], Ns: int64(math.Floor(shares[c]))}
		left -= s.Ns
		part.Shares = append(part.Shares, s)
		if s.Ns > part.Shares[largest].Ns {
			largest = int(c)
		}
		g := simulate.Gain{Candidate: candidates[c]}
		// What never set the pace cannot speed anything up.
		if shares[c] > 0 {
			relieved := 0.0
			for i := first; i < first+n; i++ {
				relieved += p.span(0, i, c)
			}
			g.Percent, g.Simulated = 100*(1-relieved/sum), true
		}
		part.Leaves = append(part.Leaves, g)
	}
	part.Shares[largest].Ns += left // of rounding
	part.QueueShares = part.Shares
	simulate.SortGains(part.Leaves)
	return part
}
