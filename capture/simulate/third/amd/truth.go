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
	measured []float64 // ns that each took when the times were taken, whole
}

// time runs all works of a range and adds up how long they take.
func (f *frame) time(from, to, relief int, s *pipe) (sum float64) {
	for i := from; i < to; i++ {
		sum += s.run(f.p, f.clock, &f.works[i], relief).time
	}
	return sum
}

// gains relieves each label alone.
func (f *frame) gains(from, to int, s *pipe) []simulate.Gain {
	base, paced := 0.0, [labels]float64{}
	for i := from; i < to; i++ {
		base += f.runs[i].time
		for k, ns := range f.runs[i].paced {
			paced[k] += ns
		}
	}
	gains := make([]simulate.Gain, labels)
	for k := range gains {
		gains[k].Candidate = candidates[k]
		if paced[k] == 0 {
			continue // no path went through it, so a faster one changes nothing
		}
		gains[k].Percent, gains[k].Simulated = 100*(1-f.time(from, to, k, s)/base), true
	}
	simulate.SortGains(gains)
	return gains
}

// part is the truth about some of the works. Times are those of the capture.
func (f *frame) part(name string, from, to int, s *pipe) simulate.Part {
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
	p.Leaves = f.gains(from, to, s)
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
			out = append(out, simulate.Share{Candidate: candidates[k], Ns: upto - given})
		}
		given = upto
	}
	return out
}

func (f *frame) truth() *simulate.Truth {
	s := new(pipe)
	t := &simulate.Truth{Part: f.part("", 0, len(f.works), s)}
	if len(f.first) > 1 {
		for i, from := range f.first {
			to := len(f.works)
			if i+1 < len(f.first) {
				to = f.first[i+1]
			}
			t.Phases = append(t.Phases, f.part(f.names[i], from, to, s))
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
