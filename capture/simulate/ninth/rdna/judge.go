package rdna

import (
	"math"

	"astrolabe/capture/simulate"
)

// row is one dispatch or draw, as it runs.
type row struct {
	job   job
	clock float64 // GHz
	seed  uint32
	phase int
}

// run is a program: what it does one after the other, on which machine.
type run struct {
	m        *machine
	overhead float64 // ns of each row
	rows     []row
	phases   []string // more than one where they are judged apart
	things   []int
}

// ease is the relief of a thing.
func ease(thing int) *[things]float64 {
	var e [things]float64
	for i := range e {
		e[i] = 1
	}
	if thing >= 0 {
		e[thing] = 1 / simulate.Faster
	}
	return &e
}

// results follows every row.
func (p *run) results(thing int) []result {
	out := make([]result, len(p.rows))
	e := ease(thing)
	for i := range p.rows {
		r := &p.rows[i]
		out[i] = follow(p.m, r.clock, p.overhead, &r.job, r.seed, e)
	}
	return out
}

func (r *result) ns(clock float64) int64 { return int64(math.Round(r.clocks / clock)) }

// judge finds out what limits by relieving one thing after the other.
func (p *run) judge() (*simulate.Truth, error) {
	truth := &simulate.Truth{}
	base := p.results(-1)
	parts := make([]simulate.Part, 1+len(p.phases))
	sums := make([][things]float64, len(parts))
	took := make([]int64, len(parts))
	at := int64(0)
	for i := range base {
		ns := base[i].ns(p.rows[i].clock)
		for _, k := range []int{0, 1 + p.rows[i].phase} {
			x := &parts[k]
			if x.Frames == 0 {
				x.First, x.Start = i, at
			}
			x.Frames++
			x.End = at + ns
			took[k] += ns
			for c, v := range base[i].acc {
				sums[k][c] += v / p.rows[i].clock
			}
		}
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: p.rows[i].job.kind, Begin: at, GPUBegin: at, GPUEnd: at + ns,
			Shown: at + ns, Judged: true})
		at += ns
	}
	for _, c := range p.things {
		saved := make([]int64, len(parts))
		simulated := sums[0][c] > 0
		if simulated {
			e := ease(c)
			for i := range base {
				r := &p.rows[i]
				if base[i].acc[c] == 0 {
					continue // it was never waited for
				}
				eased := follow(p.m, r.clock, p.overhead, &r.job, r.seed, e)
				gain := base[i].ns(r.clock) - eased.ns(r.clock)
				saved[0] += gain
				saved[1+r.phase] += gain
			}
		}
		for k := range parts {
			parts[k].Leaves = append(parts[k].Leaves, simulate.Gain{Candidate: candidates[c], Simulated: simulated && sums[k][c] > 0,
				Percent: 100 * float64(saved[k]) / float64(max(1, took[k]))})
		}
	}
	for k := range parts {
		x := &parts[k]
		x.GPUBusy, x.ClockMean = 1, 1
		x.Shares = p.shares(sums[k], took[k])
		x.Rank()
	}
	truth.Part = parts[0]
	if len(p.phases) > 1 {
		for i, name := range p.phases {
			parts[1+i].Name = name
		}
		truth.Phases = parts[1:]
	}
	return truth, nil
}

// shares are whole ns that add up to all of them. What is no candidate of the family is part of the fixed time.
func (p *run) shares(sum [things]float64, all int64) (out []simulate.Share) {
	left := all
	for _, c := range p.things {
		if ns := int64(sum[c]); c != fixed && ns > 0 {
			ns = min(ns, left)
			left -= ns
			out = append(out, simulate.Share{Candidate: candidates[c], Ns: ns})
		}
	}
	if left > 0 {
		out = append(out, simulate.Share{Candidate: candidates[fixed], Ns: left})
	}
	simulate.SortShares(out)
	return out
}
