package rates

import (
	"context"
	"encoding/json"
	"io"
	"math"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/all"
)

// Values are what a capture of a clear case of one phase says, for a program that learns to tell limiters: how well that
// does bounds what rules can do with the same counters.
type Values struct {
	Family  string `json:"family"`
	Kind    string `json:"kind"`
	Seed    uint64 `json:"seed"`
	Limiter string `json:"limiter"`
	Healthy bool   `json:"healthy"`
	Shown   bool   `json:"shown"` // the capture has a metric that its vendor documents for the limiter
	Right   bool   `json:"right"` // the report names the limiter first, or asks rightly for what shows it
	First   string `json:"first"`
	// Values are totals, quantiles and maxima of counters and metrics, rates of counters too, and what the report
	// accounts to each limiter. What is missing is left out.
	Values map[string]float64 `json:"values"`
}

// WriteValues writes the values of cases as JSON objects, one in a line.
func WriteValues(ctx context.Context, s Cases, w io.Writer) error {
	out := json.NewEncoder(w)
	return each(ctx, s, (*examiner).values, func(_, _ string, found []*Values) error {
		for _, v := range found {
			if v == nil {
				continue
			}
			if err := out.Encode(v); err != nil {
				return err
			}
		}
		return nil
	})
}

// values are those of a case; nil where it has two phases or is not clear.
func (x *examiner) values(ctx context.Context, kind string, seed uint64) (*Values, error) {
	if kind == simulate.KindTwoPhase {
		return nil, nil
	}
	c, err := all.Case(x.f.name, kind, seed)
	if err != nil {
		return nil, err
	}
	truth, err := c.Judge()
	if err != nil {
		return nil, err
	}
	limiter, clear := truth.Limiter()
	if !clear {
		return nil, nil
	}
	cap, err := c.Record(simulate.Options{})
	if err != nil {
		return nil, err
	}
	p, err := x.page(ctx, cap)
	if err != nil {
		return nil, err
	}
	right, err := x.right(p.top(), limiter, c, cap)
	if err != nil {
		return nil, err
	}
	out := &Values{Family: x.f.name, Kind: kind, Seed: seed, Limiter: limiter.String(), Healthy: truth.Healthy,
		Shown: x.f.shown(limiter, cap), Right: right, First: p.first(), Values: map[string]float64{}}
	told, err := x.account(ctx, cap)
	if err != nil {
		return nil, err
	}
	for group, share := range told {
		if group == groupNotKnown {
			group = "nothing"
		}
		out.put("account "+group, share)
	}
	list, err := metrics.Metrics(cap)
	if err != nil {
		return nil, err
	}
	seconds := float64(cap.Duration()) / 1e9
	for _, counter := range cap.Counters {
		out.add("counter "+counter.Name, counter)
		out.put("counter "+counter.Name+" rate", counter.Sum().Float()/seconds)
	}
	for _, m := range list {
		out.add("metric "+m.Name, m)
	}
	return out, nil
}

// add adds what a series is and how it varies.
func (v *Values) add(name string, c *capture.Counter) {
	v.put(name+" total", c.Total().Float())
	v.put(name+" most", c.Max().Float())
	at := []string{" p10", " p50", " p90"}
	for i, q := range c.Quantiles(0.1, 0.5, 0.9) {
		v.put(name+at[i], q.Float())
	}
}

func (v *Values) put(name string, x float64) {
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		v.Values[name] = x
	}
}
