package cdna

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// passCount is in how many runs of the program a profiler measures all counters.
const passCount = 14

// passes is how many cycles the dispatches took in each pass, compared with a run that nothing disturbs. The times of
// all are those of that run, as in real folders. Without any, all is one run.
type passes struct {
	slower [][]float64 // by pass and dispatch
}

func newPasses(m *Model, c capturetest.Case, n int) *passes {
	p := &passes{}
	if m.Drift == 0 {
		return p
	}
	r := rand.New(rand.NewPCG(c.Seed, 0xcd4a))
	for range passCount {
		speed := 1 + m.Drift*math.Abs(r.NormFloat64())
		one := make([]float64, n)
		for i := range one {
			cold := 0.4 * math.Exp(-float64(i)) * r.Float64() // the caches of the first dispatches are cold
			one[i] = speed * (1 + cold) * (1 + m.Drift/2*math.Abs(r.NormFloat64()))
		}
		p.slower = append(p.slower, one)
	}
	return p
}

// of is the pass that measures a counter: some of a block go together, and each level in one of its own.
func (p *passes) of(name string) int {
	if strings.HasSuffix(name, "_ACCUM") {
		name = strings.TrimSuffix(name, "_ACCUM")
	} else if base, _, is := strings.Cut(name, "["); is {
		name = base
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32() % passCount)
}

// attach gives every counter the pass that measured it.
func (p *passes) attach(cap *capture.Capture) (*capture.Capture, error) {
	if p.slower == nil {
		return cap, nil
	}
	cfg := cap.Config
	ids := make([]*capture.Pass, passCount)
	for k := range ids {
		lengths := make([]float64, cap.Axis.Len())
		for i := range lengths {
			lengths[i] = float64(cap.Axis.Interval(i))
		}
		ids[k] = &capture.Pass{ID: fmt.Sprintf("pmc_perf_%d", k), Duration: capture.NewColumn(capture.Data{F: lengths})}
	}
	cfg.Passes, cfg.Counters = ids, nil
	for _, c := range cap.Counters {
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: c.Meta, Axis: c.Axis, Col: c.Col,
			Instances: c.Instances, Pass: ids[p.of(c.Name)]})
	}
	return capture.New(cfg)
}

// counting writes the counters of dispatch i.
type counting struct {
	t *capturetest.Table
	p *passes
	i int
}

// cycles counts cycles of something that takes as long as the dispatch does in the pass that measures it.
func (c *counting) cycles(name string, v float64) {
	if c.p.slower != nil {
		v *= c.p.slower[c.p.of(name)][c.i]
	}
	c.t.Count(name, c.i, v)
}

// events counts what happens as often in every replay.
func (c *counting) events(name string, v float64) { c.t.Count(name, c.i, v) }

// level is what the level file of that name accumulates.
func (c *counting) level(file string, v float64) { c.cycles(file+"_ACCUM", v) }
