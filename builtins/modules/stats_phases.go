package modules

import (
	"errors"
	"fmt"
	"math"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/capture/analysis"
)

// phaseMethods are the functions of stats about when things happen: phases, outliers and what repeats.
var phaseMethods = []binding.Method[*binding.Env]{
	{
		Sig: "phases(counters: Counter|list, min_duration: duration=None, max_phases: int=None, *, min_samples: int=10, " +
			"recorded: list=[]) -> list",
		Doc: "Phases of a capture: it is cut where the level of one or more of the counters changes and stays. A " +
			"list of Span, called \"phase 1\" and so on, that follow each other and hold every sample; one Span " +
			"where nothing changes. Each lasts at least min_duration (2 % of the measured time unless given) and " +
			"min_samples; of more than max_phases the least clear boundaries go. Deltas are taken per second. A " +
			"spike, a pause shorter than half of min_duration, and what repeats within it, such as idle time between " +
			"frames, make no phase; a longer stretch without any value is one. A change of less than 5 % is none. " +
			"Exact segmentation by mean level with a penalty for noise that depends on its past. recorded are the " +
			"counters as they were recorded, where those have longer samples: they place the boundaries, and the " +
			"phases are of their samples.",
		Example: "[s.duration for s in stats.phases([clk, hits], min_duration=\"1s\")]",
		Run:     phases,
	},
	{
		Sig: "label_phases(cap: Capture, label: str, min_duration: duration=None, also: list=[], " +
			"loops: bool=False) -> list",
		Doc: "Phases of a capture by what a label says, as phases gives them: it is cut where no value before comes " +
			"again, such as between kernels of which first some run and then others; with loops only between " +
			"stretches most of whose values come again within them. also are phases found " +
			"otherwise, whose cuts count beside these. Phases shorter than min_duration (2 % of the measured time " +
			"unless given) join those beside them.",
		Example: "[s.first for s in stats.label_phases(cap, \"kernel\")]",
		Run:     labelPhases,
	},
	{
		Sig: "outliers(counter: Counter, k: number=5, side: str=\"high\") -> Mask",
		Doc: "Selects the samples that are further than k robust standard deviations from the median: \"high\" above " +
			"it, \"low\" below it, \"both\". The deviation is 1.4826 times the median absolute deviation (where that " +
			"is 0, 1.2533 times the mean absolute deviation), and at least 2 % of the median. Missing values are " +
			"never selected.",
		Example: "stats.outliers(clk, k=3).count()",
		Run:     outliers,
	},
	{
		Sig: "periodicity(counter: " + seriesType + ") -> dict",
		Doc: "A pattern that repeats, None where nothing does: period in seconds (None of a list), samples (the " +
			"period in samples), strength (0 to 1, the autocorrelation at the period) and p_value (how often as " +
			"strong a repetition comes about by chance, from the series' own blocks in random order; at most 0.01). " +
			"Missing values take part as the mean around them. It takes 16 values and four periods. The same series " +
			"gives the same result.",
		Example: "stats.periodicity([0, 5, 9, 5] * 20)[\"samples\"]; stats.periodicity(clk)",
		Run:     periodicity,
	},
	{
		Sig: "recurrence(events: Mask|list) -> dict",
		Doc: "Whether single events come at regular intervals, such as a stutter at every 30th frame: None, or " +
			"period in seconds (None of a list), samples (the period in samples, or in the unit of the list), " +
			"strength (the share of intervals near one, two or three periods) and p_value (of as much regularity at " +
			"random places; at most 0.01). Events are the stretches of a mask, or positions in order. It takes five.",
		Example: "stats.recurrence([3, 33, 63, 94, 123, 153, 183])[\"samples\"]",
		Run:     recurrence,
	},
	{
		Sig: "frames(cap: Capture) -> Capture",
		Doc: "The capture with one sample per frame, and the counter frame_duration beside the others; the label " +
			"frame holds the names. Frames are regions called \"frame\" or \"frame N\" (record --marks makes them), " +
			"and values of the label frame that no such region has; one that other frames interrupt is a single " +
			"frame. A sample belongs to the frame that its label names, else to the one that it starts in. None " +
			"where there are no frames.",
		Example: "stats.frames(cap)[\"frame_duration\"].median()",
		Run:     framesOf,
	},
}

func phases(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	counters, err := onOneAxis(c, "counters")
	if err != nil {
		return nil, err
	}
	if len(counters) == 0 {
		return nil, errors.New("parameter counters: give at least one counter")
	}
	var opt analysis.PhaseOptions
	if c.Has("recorded") {
		if opt.Recorded, err = onOneAxis(c, "recorded"); err != nil {
			return nil, err
		}
	}
	if opt.MinDuration, err = c.Duration("min_duration", 0); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		name  string
		least int
		dst   *int
	}{{"max_phases", 1, &opt.MaxPhases}, {"min_samples", 1, &opt.MinSamples}} {
		if *p.dst, err = c.Integer(p.name, 0); err != nil {
			return nil, err
		}
		if c.Has(p.name) && *p.dst < p.least {
			return nil, fmt.Errorf("parameter %s: %d is less than %d", p.name, *p.dst, p.least)
		}
	}
	ctx := e.Context()
	spans, err := binding.Await(ctx, func() ([]capture.Span, error) { return analysis.Phases(ctx, counters, opt) })
	if err != nil {
		return nil, err
	}
	return values.Phases(e, spans), nil
}

// onOneAxis are the counters of a parameter, which share one time axis.
func onOneAxis(c *binding.Call, name string) ([]*capture.Counter, error) {
	list, err := flatten([]starlark.Value{c.Arg(name)})
	if err != nil {
		return nil, fmt.Errorf("parameter %s: %w", name, err)
	}
	counters := make([]*capture.Counter, len(list))
	for i, ctr := range list {
		counters[i] = ctr.Counter
		if !ctr.Counter.Axis.Same(counters[0].Axis) {
			return nil, values.AxisError(counters[0], ctr.Counter)
		}
	}
	return counters, nil
}

func labelPhases(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	recv, name := c.Arg("cap").(*values.Capture), c.Str("label", "")
	l := recv.Capture.Label(name)
	if l == nil {
		_, err := recv.Capture.GroupBy(name) // says which there are
		return nil, err
	}
	least, err := c.Duration("min_duration", int64(analysis.DefaultMinFraction*float64(recv.Capture.Axis.Measured())))
	if err != nil {
		return nil, err
	}
	if least < 0 {
		return nil, errors.New("parameter min_duration: it can't be negative")
	}
	var also []capture.Span
	err = binding.Each(c.Value("also"), func(x starlark.Value) error {
		s, ok := x.(*values.Span)
		if !ok || !s.OfSamples {
			return fmt.Errorf("parameter also: element %d is %s, want a Span of samples, as stats.phases gives",
				len(also), x.Type())
		}
		also = append(also, s.Span)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return binding.Await(e.Context(), func() (starlark.Value, error) {
		return values.Phases(e, analysis.LabelPhases(recv.Capture.Axis, l, c.Flag("loops", false), also, least)), nil
	})
}

func outliers(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	ctr := c.Arg("counter").(*values.Counter)
	k := c.Float("k", analysis.DefaultOutlierScore)
	if !(k > 0) {
		return nil, fmt.Errorf("parameter k: %v is not above 0", c.Arg("k"))
	}
	side, ok := analysis.ParseSide(c.Str("side", "high"))
	if !ok {
		return nil, fmt.Errorf("parameter side: %q is none of \"high\", \"low\", \"both\"", c.Str("side", ""))
	}
	v, err := values.AsFloats(ctr)
	if err != nil {
		return nil, err
	}
	return binding.Await(e.Context(), func() (starlark.Value, error) {
		at := map[int]bool{}
		for _, o := range analysis.Outliers(v, k, side) {
			at[o.Index] = true
		}
		return values.NewMask(e, capture.NewMask(ctr.Counter.Axis, func(i int) bool { return at[i] })), nil
	})
}

func periodicity(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	ctx := e.Context()
	if ctr, ok := c.Arg("counter").(*values.Counter); ok {
		return binding.Await(ctx, func() (starlark.Value, error) {
			cycle, step, ok, err := analysis.CounterPeriodicity(ctx, ctr.Counter)
			if err != nil || !ok {
				return starlark.None, err
			}
			return cycleDict(cycle, cycle.Period*float64(step)/1e9), nil
		})
	}
	v, err := values.AsFloats(c.Arg("counter"))
	if err != nil {
		return nil, err
	}
	return binding.Await(ctx, func() (starlark.Value, error) {
		cycle, ok, err := analysis.Periodicity(ctx, v)
		if err != nil || !ok {
			return starlark.None, err
		}
		return cycleDict(cycle, math.NaN()), nil
	})
}

// cycleDict shows a cycle to scripts; its period in seconds is NaN where there is no time.
func cycleDict(c analysis.Cycle, seconds float64) starlark.Value {
	d := starlark.NewDict(4)
	for _, kv := range []struct {
		key string
		v   float64
	}{{"period", seconds}, {"samples", c.Period}, {"strength", c.Strength}, {"p_value", c.PValue}} {
		_ = d.SetKey(starlark.String(kv.key), binding.Float(kv.v)) // a new dict takes any string
	}
	d.Freeze()
	return d
}

func recurrence(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	ctx := e.Context()
	m, ok := c.Arg("events").(*values.Mask)
	if !ok {
		at, err := values.AsFloats(c.Arg("events"))
		if err != nil {
			return nil, fmt.Errorf("parameter events: %w", err)
		}
		for i, x := range at {
			if math.IsNaN(x) || math.IsInf(x, 0) || (i > 0 && x < at[i-1]) {
				return nil, fmt.Errorf("parameter events: element %d is out of order or missing", i)
			}
		}
		if len(at) == 0 {
			return starlark.None, nil
		}
		return binding.Await(ctx, func() (starlark.Value, error) {
			cycle, ok := analysis.Recurrence(ctx, at, at[0], at[len(at)-1])
			if !ok {
				return starlark.None, ctx.Err()
			}
			return cycleDict(cycle, math.NaN()), nil
		})
	}
	return binding.Await(ctx, func() (starlark.Value, error) {
		spans := m.Mask.Spans(0)
		if len(spans) < 2 {
			return starlark.None, nil
		}
		samples, times := make([]float64, len(spans)), make([]float64, len(spans))
		for i, s := range spans {
			samples[i], times[i] = float64(s.First), float64(s.Start)
		}
		last := len(spans) - 1
		each := (times[last] - times[0]) / (samples[last] - samples[0]) // ns from one sample to the next
		if cycle, ok := analysis.Recurrence(ctx, samples, 0, float64(m.Mask.Len())); ok {
			return cycleDict(cycle, cycle.Period*each/1e9), nil
		}
		// A timer does not count samples, which may be of any length.
		start, end := m.Mask.Axis.Extent()
		cycle, ok := analysis.Recurrence(ctx, times, float64(start), float64(end))
		if !ok || each <= 0 {
			return starlark.None, nil
		}
		seconds := cycle.Period / 1e9
		cycle.Period /= each
		return cycleDict(cycle, seconds), nil
	})
}

func framesOf(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	recv := c.Arg("cap").(*values.Capture)
	out, err := binding.Await(e.Context(), func() (*capture.Capture, error) { return analysis.PerFrame(recv.Capture) })
	if err != nil || out == nil {
		return starlark.None, err
	}
	return recv.Derive(out), nil
}
