package rates

import (
	"context"
	"math"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/internal/diagnosis"
)

// Groups of limiters that an account does not tell apart.
const (
	groupDisplay   = "display"
	groupProcessor = "processor"
	groupNotKnown  = ""    // of parts that explain nothing
	leastShare     = 0.01  // of the time, that is compared
	gainStep       = 20    // a page rounds gains to 5 points, a twentieth of the time
	leastLimiter   = 0.001 // of the time, that a limiter had
)

// groupOf is the group of a limiter, its own name where it is alone.
func (f *family) groupOf(c simulate.Candidate) string {
	if g, ok := f.alike[c.String()]; ok {
		return g
	}
	switch {
	case c.Level == simulate.LevelDisplay:
		return groupDisplay
	case c == simulate.CPUApp || c == simulate.CPUDriver:
		return groupProcessor
	}
	return c.String()
}

// standsFor is the group that a part of an account stands for.
func (f *family) standsFor(p diagnosis.AccountPart) string {
	if c, ok := f.parts[p.Name]; ok {
		return c
	}
	switch p.Kind {
	case "display":
		return groupDisplay
	case "processor":
		return groupProcessor
	case "turns":
		return simulate.CPUSync.String()
	case "queue":
		return simulate.QueuesInTurn.String()
	case "unit":
		return simulate.LevelUnit + "/" + p.Name
	case "memory":
		return simulate.LevelMemory + "/" + p.Name
	}
	return groupNotKnown
}

// account is what the report of a capture accounts to each group; nil where its script does not account for time.
func (x *examiner) account(ctx context.Context, cap *capture.Capture) (map[string]float64, error) {
	j, err := x.judgeOf(ctx, x.f.script)
	if err != nil {
		return nil, err
	}
	parts, err := j.Account(ctx, cap)
	if parts == nil || err != nil {
		return nil, err
	}
	out := map[string]float64{}
	for _, p := range parts {
		out[x.f.standsFor(p)] += p.Share
	}
	return out, nil
}

// simulated is how long each group set the pace, as shares of the time.
func (f *family) simulated(truth *simulate.Part) map[string]float64 {
	sum := int64(0)
	for _, s := range truth.Shares {
		sum += s.Ns
	}
	out := map[string]float64{}
	for _, s := range truth.Shares {
		out[f.groupOf(s.Candidate)] += float64(s.Ns) / float64(sum)
	}
	return out
}

// shares compares what a report accounts to each limiter with the simulation.
func (x *examiner) shares(ctx context.Context, out *tallied, cap *capture.Capture, truth *simulate.Part,
	limiter simulate.Candidate, clear bool) error {
	told, err := x.account(ctx, cap)
	if told == nil || err != nil {
		return err
	}
	was := x.f.simulated(truth)
	if clear {
		out.value(rowShareOfLimiter, math.Abs(told[x.f.groupOf(limiter)]-was[x.f.groupOf(limiter)]))
	}
	delete(told, groupNotKnown) // what is missing there is missing elsewhere
	for group := range was {
		if _, ok := told[group]; !ok {
			told[group] = 0
		}
	}
	for group, share := range told {
		if max(share, was[group]) >= leastShare {
			out.value(rowShares, math.Abs(share-was[group]))
		}
	}
	return nil
}

// gain compares the gain that a page prints for what it names first with the simulated one.
func (x *examiner) gain(out *tallied, p *page, truth *simulate.Part) {
	if !x.f.limiter(p.first()) {
		return
	}
	f := p.findings[0]
	out.count(rowGainTold, !math.IsNaN(f.GainLow))
	if math.IsNaN(f.GainLow) {
		return
	}
	gain := 0.0
	for _, g := range truth.Leaves {
		if x.f.right(f.ID, g.Candidate) {
			gain = max(gain, g.Percent/100)
		}
	}
	rounded := math.Round(gainStep * gain)
	out.count(rowGain, rounded >= math.Round(gainStep*f.GainLow) && rounded <= math.Round(gainStep*f.GainHigh))
}

// notExplained says how much of a limiter's time a report that lacks its counters leaves unexplained.
func (x *examiner) notExplained(ctx context.Context, out *tallied, cap *capture.Capture, truth *simulate.Part,
	limiter simulate.Candidate) error {
	told, err := x.account(ctx, cap)
	if told == nil || err != nil {
		return err
	}
	if was := x.f.simulated(truth)[x.f.groupOf(limiter)]; was >= leastLimiter {
		out.value(rowNotExplained, min(1, told[groupNotKnown]/was))
	}
	return nil
}
