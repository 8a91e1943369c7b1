package rocprofcompute

import (
	"fmt"
	"math"
	"strings"

	"astrolabe/capture"
)

// gates are blocks whose counters read 0 while their clock is off, each with counters that see the requests it passes
// on.
var gates = []struct{ prefix, next string }{
	{"TCP_REQ", "TCP_GL1_REQ"},
	{"TCP_REQ", "GL1C_REQ"},
	{"GL1C_REQ", "GL2C_REQ"},
	{"TCP_TOTAL", "TCP_TCC_"},
	{"TCP_TOTAL", "TCC_REQ"},
}

// warnGated flags the counters of a block that counted nothing in any dispatch although the next level saw requests.
// The measured zeros stay.
func warnGated(cfg *capture.Config) {
	done := map[string]bool{}
	for _, g := range gates {
		if done[g.prefix] {
			continue
		}
		block := withPrefix(cfg, g.prefix)
		if len(block) == 0 || busiest(block) != nil {
			continue
		}
		witness := busiest(withPrefix(cfg, g.next))
		if witness == nil {
			continue
		}
		done[g.prefix] = true
		names := make([]string, len(block))
		for i, c := range block {
			names[i] = c.Name
			c.Warnings = append(c.Warnings, fmt.Sprintf(
				"%s is 0 in every dispatch although %s counted %.0f: the counter's clock was most likely gated; the 0 is what was measured", c.Name, witness.Name, witness.Sum().Float()))
		}
		cfg.Warnings = append(cfg.Warnings, fmt.Sprintf(
			"%s: 0 in every dispatch although %s counted %.0f requests: clock gating, most likely. Ratios of them are missing; measure again at power level profile_standard",
			strings.Join(names, ", "), witness.Name, witness.Sum().Float()))
	}
}

// withPrefix lists the measured counters whose name is prefix or goes on with _ (or anything, where prefix ends in _).
func withPrefix(cfg *capture.Config, prefix string) []*capture.Counter {
	var out []*capture.Counter
	for _, c := range cfg.Counters {
		rest, ok := strings.CutPrefix(c.Name, prefix)
		if ok && (rest == "" || rest[0] == '_' || strings.HasSuffix(prefix, "_")) && c.Count() > 0 {
			out = append(out, c)
		}
	}
	return out
}

// busiest is the counter with the largest sum, nil if all are 0.
func busiest(counters []*capture.Counter) *capture.Counter {
	var best *capture.Counter
	most := 0.0
	for _, c := range counters {
		if s := c.Sum().Float(); s > most {
			best, most = c, s
		}
	}
	return best
}

// warnStale flags GRBM counters that repeat one value in every dispatch, where another GRBM counter shows that the
// dispatches differ.
func warnStale(cfg *capture.Config) {
	var stale []*capture.Counter
	differ := false
	for _, c := range withPrefix(cfg, "GRBM_") {
		first, last := c.Min(), c.Max()
		switch {
		case c.Count() < 2:
		case first.Float() != last.Float():
			differ = true
		case first.Float() != 0:
			stale = append(stale, c)
		}
	}
	if !differ || len(stale) == 0 {
		return
	}
	names := make([]string, len(stale))
	for i, c := range stale {
		names[i] = c.Name
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s repeats %.0f in every dispatch: a stale value, most likely",
			c.Name, c.Min().Float()))
	}
	cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("%s: the same value in every dispatch, although other GRBM counters differ: stale, most likely", strings.Join(names, ", ")))
}

// warnRounded says where all large values have six significant digits at most. Some releases print results with the
// default precision of C++, which loses the last digits of every count from a million up; a single such value may be
// chance, twenty are not.
func warnRounded(cfg *capture.Config) {
	const enough, digits = 20, 1e6
	large := 0
	check := func(c *capture.Counter) bool {
		for i := range c.Len() {
			v := c.Value(i)
			if v.Missing() || v.Float() < digits {
				continue
			}
			large++
			unit := 1.0
			for f := v.Float(); f/unit >= digits; unit *= 10 {
			}
			if math.Mod(v.Float(), unit) != 0 {
				return false
			}
		}
		return true
	}
	for _, c := range cfg.Counters {
		if c.Col != nil && !check(c) {
			return
		}
		for _, in := range c.Instances {
			if !check(in) {
				return
			}
		}
	}
	if large >= enough {
		cfg.Warnings = append(cfg.Warnings, fmt.Sprintf(
			"all %d values from a million up have six significant digits at most: the profiler rounded them when it wrote them, by up to 5 in a million", large))
	}
}
