package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// caseOf is a program on a machine, and how it is recorded.
type caseOf struct {
	kind      string
	seed      uint64
	m         *machine
	p         *program
	recording recording
}

// reliefs are what is better when a candidate is relieved.
func reliefOf(cause int) relief {
	r := noRelief()
	switch cause {
	case causeCore:
		r.core = 2.0 / 3
	case causeBranch:
		r.branch = 2.0 / 3
	case causeFetch:
		r.fetch = 2.0 / 3
	case causeLatency:
		r.latency = 2.0 / 3
	case causeBandwidth:
		r.bandwidth = 1.5
	case causeIO:
		r.io = 2.0 / 3
	case causeLock:
		r.lock = true
	case causeTurn:
		r.turns = true
	case causeThermal:
		r.thermal = true
	case causePower:
		r.power = true
	}
	return r
}

// needed reports whether relieving the cause can change anything.
func (c *caseOf) needed(cause int) bool {
	switch cause {
	case causeLock:
		return c.p.locks > 0
	case causeThermal:
		return c.m.cooled > 0
	case causePower:
		return c.m.limit > 0
	case causeTurn:
		if c.p.between {
			return true
		}
		for _, f := range c.p.frames {
			for _, s := range f {
				if s.turn {
					return true
				}
			}
		}
		return false
	}
	return true
}

func (c *caseOf) judge() (*simulate.Truth, error) {
	base := run(c.m, c.p, noRelief(), nil)
	n := len(base.ends)
	relieved := make([]*outcome, causeTimer)
	for k := range relieved {
		if c.needed(k) {
			relieved[k] = run(c.m, c.p, reliefOf(k), nil)
		}
	}
	t := &simulate.Truth{Part: c.part(base, relieved, 0, n)}
	if s := c.p.second; s > 0 {
		for k, span := range [][2]int{{0, s}, {s, n}} {
			part := c.part(base, relieved, span[0], span[1])
			part.Name = string(rune('A' + k))
			t.Phases = append(t.Phases, part)
		}
	}
	for f := range n {
		content := 0
		if c.p.second > 0 && f >= c.p.second {
			content = 1
		}
		missed := 0
		if c.p.late(base, f) {
			missed = 1
		}
		t.Each = append(t.Each, simulate.FrameTruth{Content: content, Begin: int64(base.begins[f]),
			Shown: int64(base.ends[f]), Missed: missed, Judged: true})
	}
	return t, nil
}

// late reports whether a frame ended after the next one's date.
func (p *program) late(o *outcome, f int) bool {
	return p.dates != nil && o.ends[f] > p.dates[f]+p.period
}

// since is the end of the frame before.
func (o *outcome) since(f int) float64 {
	if f == 0 {
		return 0
	}
	return o.ends[f-1]
}

// part is the truth about the frames from first to before last.
func (c *caseOf) part(base *outcome, relieved []*outcome, first, last int) simulate.Part {
	p := simulate.Part{First: first, Frames: last - first, Start: int64(base.since(first)),
		End: int64(base.ends[last-1]), ClockMean: base.clock}
	long := base.ends[last-1] - base.since(first)
	for k, r := range relieved {
		g := simulate.Gain{Candidate: candidates[k]}
		if r != nil {
			g.Simulated = true
			g.Percent = 100 * (1 - (r.ends[last-1]-r.since(first))/long)
		}
		p.Leaves = append(p.Leaves, g)
	}
	simulate.SortGains(p.Leaves)
	var spent causes
	for f := first; f < last; f++ {
		from, to := base.since(f), base.ends[f]
		if c.p.dates != nil && c.p.dates[f] > from {
			wait := min(c.p.dates[f], to) - from
			spent[causeTimer] += wait
			from += wait
		}
		sum := 0.0
		for _, v := range base.spent[f] {
			sum += v
		}
		for k, v := range base.spent[f] {
			if sum > 0 {
				spent[k] += v / sum * (to - from)
			}
		}
		if c.p.late(base, f) {
			p.Missed++
		}
	}
	p.Healthy = c.p.dates != nil && p.Missed == 0
	left := p.End - p.Start
	most := 0
	for k, v := range spent {
		ns := int64(math.Floor(v))
		left -= ns
		p.Shares = append(p.Shares, simulate.Share{Candidate: candidates[k], Ns: ns})
		if ns > p.Shares[most].Ns {
			most = k
		}
	}
	p.Shares[most].Ns += left
	p.QueueShares = p.Shares
	return p
}
