package metrics

import (
	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// Durations, by the rules for merging the passes of a dispatch, and the choice of what counts are divided by.

// defaultDenom is the denominator of a capture that names none.
const defaultDenom = "per_kernel"

// denominators maps the denom option to the word after "per".
var denominators = map[string]string{"per_kernel": "kernel", "per_wave": "wave", "per_cycle": "cycle",
	"per_second": "second"}

// Denoms lists the values of the denom option.
func Denoms() []string { return []string{"per_kernel", "per_wave", "per_cycle", "per_second"} }

// Durations lists the values of the duration option.
func Durations() []string { return []string{"pass", "median", "first"} }

func denomOf(cap *capture.Capture) string {
	if cap.Options.Denom == "" {
		return defaultDenom
	}
	return cap.Options.Denom
}

// dispatches counts the dispatches merged into each sample. As a vector of ones it adds up to their number, which a
// plain 1 would not.
func (s *scope) dispatches() *capture.Counter {
	if s.kernels == nil {
		axis := s.cap.Axis
		s.kernels = &capture.Counter{
			Meta: capture.Meta{Name: "dispatches", Title: "Dispatches", Unit: "kernel", Kind: capture.Delta,
				Integral: true,
				Doc:      "Number of kernel dispatches in the sample."},
			Axis: axis,
			Col: capture.LazyColumn(axis.Len(), func() (capture.Data, error) {
				f := make([]float64, axis.Len())
				for i := range f {
					f[i] = axis.Merged(i)
				}
				return capture.Data{F: f}, nil
			}),
		}
	}
	return s.kernels
}

// duration is the measured time of each sample in ns: the time of the very pass that measured the formula's counters;
// where they come from several, of the first that the formula names. Readers apply the duration option: by AMD's two
// rules all passes have one time.
func (v *formulaEnv) duration() formula.Operand {
	if run := v.run(); run != nil && run.Duration != nil {
		return formula.Operand{Counter: v.s.passDuration(run)}
	}
	var pass *capture.Pass
	var first string
	mixed := false
	for _, name := range v.expr.Names() {
		c := v.s.cap.Counter(name)
		if c == nil {
			continue
		}
		p := passOf(c)
		switch {
		case p == nil || p.Duration == nil:
		case pass == nil:
			pass, first = p, name
		case p != pass:
			mixed = true
		}
	}
	switch rule := v.s.cap.Options.Duration; {
	case rule != "" && rule != "pass" && pass == nil && len(v.s.cap.Passes) > 0:
		pass = v.s.cap.Passes[0]
	case mixed && (rule == "" || rule == "pass"):
		v.note("time is that of the pass that measured %s; other operands come from other passes", first)
	}
	return formula.Operand{Counter: v.s.passDuration(pass)}
}

func passOf(c *capture.Counter) *capture.Pass {
	if c.Pass == nil && len(c.Instances) > 0 {
		return c.Instances[0].Pass
	}
	return c.Pass
}

func durationMeta() capture.Meta {
	return capture.Meta{Name: "duration_ns", Title: "Measured time", Unit: "ns", Kind: capture.Delta, Integral: true,
		Doc: "Measured time of the sample in the pass that measured the counters beside it."}
}

// passDuration is the time of each sample in a pass, or on the capture's own axis where pass is nil.
func (s *scope) passDuration(pass *capture.Pass) *capture.Counter {
	if c := s.durations[pass]; c != nil {
		return c
	}
	axis := s.cap.Axis
	why := capture.Reason{Code: capture.Unknown, Text: "the capture does not say how long the sample took"}
	c := &capture.Counter{Meta: durationMeta(), Axis: axis, Pass: pass,
		Reasons: []capture.ReasonRun{{From: 0, To: axis.Len(), Reason: why}}}
	if pass != nil {
		c.Col = pass.Duration
	} else {
		c.Col = capture.LazyColumn(axis.Len(), func() (capture.Data, error) {
			f := make([]float64, axis.Len())
			for i := range f {
				f[i] = float64(axis.Interval(i))
			}
			return capture.Data{F: f}, nil
		})
	}
	s.durations[pass] = c
	return c
}
