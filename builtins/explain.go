package builtins

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// explain says why a value is what it is.
func explain(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	sample, err := c.Integer("sample", -1)
	if err != nil {
		return nil, err
	}
	switch x := c.Value("x").(type) {
	case *values.Counter:
		if c.Has("sample") && sample < 0 {
			sample += x.Len()
		}
		if c.Has("sample") && (sample < 0 || sample >= x.Len()) {
			return nil, fmt.Errorf("sample %s is out of range: the counter has %d", c.Arg("sample"), x.Len())
		}
		return binding.Await(e.Context(), func() (starlark.Value, error) {
			text := strings.TrimRight(metrics.Explain(x.Counter, sample).String(), "\n")
			for _, line := range absences(x, sample) {
				text += "\n  " + line
			}
			return starlark.String(text), nil
		})
	case *values.Capture:
		s := x.String()
		for _, w := range x.Capture.Warnings {
			s += "\n  warning: " + w
		}
		return starlark.String(s), nil
	case starlark.NoneType:
		return nil, fmt.Errorf(
			"a None does not say why it is missing: explain the counter that it comes from, such as explain(cap[\"Name\"])")
	}
	return helpFor(e, c.Value("x"))
}

// absences says what gaps and late spans of its capture mean for a sample of a counter, or for its total where sample
// is -1.
func absences(x *values.Counter, sample int) []string {
	if x.From == nil || x.Len() == 0 {
		return nil
	}
	axis := x.Counter.Axis
	start, end := axis.Extent()
	if sample >= 0 {
		start, end = axis.Start[sample], axis.End[sample]
	}
	within := func(gaps []capture.Gap) (out []capture.Gap) {
		for _, g := range gaps {
			if g.Start < end && g.End > start {
				g.Start, g.End = max(g.Start, start), min(g.End, end)
				out = append(out, g)
			}
		}
		return out
	}
	gaps, late := within(x.From.Gaps), within(x.From.Late)
	var out []string
	say := func(what string, list []capture.Gap, meaning string) {
		if len(list) == 0 {
			return
		}
		line := fmt.Sprintf("%s: %s %s", what, notation.FormatNS(float64(capture.Length(list))), meaning)
		if sample >= 0 {
			line += "; " + list[0].Reason.String()
		}
		out = append(out, line)
	}
	say("gaps", gaps, "without data, in no sum")
	say("late", late, "in samples that cover several ticks: counts are complete, only resolution is lost")
	return out
}
