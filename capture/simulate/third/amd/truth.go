package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// frame is the works of a capture, their parts of different content, and how they were run and measured.
type frame struct {
	p        *part
	clock    float64
	works    []work
	first    []int // of each content
	names    []string
	runs     []outcome
	flows    bool      // nothing waits between works
	measured []float64 // ns that each took when the times were taken, whole
}

// relieved is how long each work takes with a label relieved. A work whose path never went through the label takes as
// long as before.
func (f *frame) relieved(from, to, label int, s *pipe) []float64 {
	out := make([]float64, 0, to-from)
	for i := from; i < to; i++ {
		ns := f.runs[i].time
		if f.runs[i].paced[label] > 0 {
			ns = s.run(f.p, f.clock, &f.works[i], label).time
		}
		out = append(out, ns)
	}
	return out
}

// gains of a range, from the times of all works by label.
func (f *frame) gains(from, to int, times *[labels][]float64) []simulate.Gain {
	base := 0.0
	for _, o := range f.runs[from:to] {
		base += o.time
	}
	gains := make([]simulate.Gain, labels)
	for k := range gains {
		sum, waited := 0.0, false
		for i := from; i < to; i++ {
			sum += times[k][i]
			waited = waited || f.runs[i].paced[k] > 0
		}
		gains[k] = simulate.Gain{Candidate: candidates[k], Percent: 100 * (1 - sum/base), Simulated: waited}
	}
	simulate.SortGains(gains)
	return gains
}

// relief is the times of all works with each label relieved.
func (f *frame) relief() *[labels][]float64 {
	times, s := new([labels][]float64), new(pipe)
	for k := range times {
		times[k] = f.relieved(0, len(f.works), k, s)
	}
	return times
}

// part is the truth about some of the works. Times are those of the capture.
func (f *frame) part(name string, from, to int, times *[labels][]float64) simulate.Part {
	p := simulate.Part{Name: name, First: from, Frames: to - from, GPUBusy: 1, ClockMean: f.clock / f.p.clock}
	var shares [labels]float64
	for i := range to {
		ns := int64(f.measured[i])
		if i < from {
			p.Start += ns
			p.End = p.Start
			continue
		}
		p.End += ns
		for k, paced := range f.runs[i].paced {
			shares[k] += paced * f.measured[i] / f.runs[i].time
		}
	}
	p.Shares = spread(shares[:], p.End-p.Start)
	p.QueueShares = p.Shares
	p.Leaves = f.gains(from, to, times)
	return p
}

// spread makes whole shares that add up to the length.
func spread(shares []float64, length int64) []simulate.Share {
	sum, told, given := 0.0, 0.0, int64(0)
	for _, v := range shares {
		sum += v
	}
	var out []simulate.Share
	for k, v := range shares {
		told += v
		upto := int64(math.Round(told / sum * float64(length)))
		if upto > given {
			out = append(out, simulate.Share{Candidate: candidate(k), Ns: upto - given})
		}
		given = upto
	}
	return out
}

func (f *frame) truth() *simulate.Truth {
	times := f.relief()
	t := &simulate.Truth{Part: f.part("", 0, len(f.works), times)}
	if len(f.first) > 1 {
		for i, from := range f.first {
			to := len(f.works)
			if i+1 < len(f.first) {
				to = f.first[i+1]
			}
			t.Phases = append(t.Phases, f.part(f.names[i], from, to, times))
		}
	}
	now := int64(0)
	for i := range f.works {
		end := now + int64(f.measured[i])
		t.Each = append(t.Each, simulate.FrameTruth{Content: f.works[i].kind, Begin: now, GPUBegin: now, GPUEnd: end, Shown: end, Judged: true})
		now = end
	}
	return t
}
