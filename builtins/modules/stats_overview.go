package modules

import (
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/capture/analysis"
)

// overviewMethods are the functions of stats that describe a capture whose counters nobody may know.
var overviewMethods = []binding.Method[*binding.Env]{
	{
		Sig: "sampling(cap: Capture) -> struct",
		Doc: "How a capture was sampled: kind is \"clock\" where nearly all samples follow each other at one " +
			"interval, \"dispatches\" where each is a dispatch or draw as long as it took, else \"irregular\"; " +
			"interval is the median length of a sample in seconds, None where they have none; odd is the share of " +
			"samples (0 to 1) that are more than a quarter longer or shorter.",
		Example: "stats.sampling(cap).kind",
		Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
			recv := c.Arg("cap").(*values.Capture)
			return binding.Await(e.Context(), func() (starlark.Value, error) {
				s := analysis.SamplingOf(recv.Capture)
				var interval starlark.Value = starlark.None
				if s.Interval > 0 {
					interval = starlark.Float(s.Interval / 1e9)
				}
				return binding.Struct("sampling", starlark.StringDict{"kind": starlark.String(s.Kind),
					"interval": interval, "odd": binding.Float(s.Odd)}), nil
			})
		},
	},
	{
		Sig: "durations(x: Capture|Counter) -> Counter",
		Doc: "The length of every sample in seconds, as a Counter over the same samples: of a capture, or of the " +
			"run in which a counter was measured, where it has one of its own. Its total is the sum.",
		Example: "stats.durations(cap).percentile(99)",
		Run:     durations,
	},
	{
		Sig: "by_label(cap: Capture, label: str, most: int=None) -> struct",
		Doc: "What the samples took for every value of a label, such as the kernel, without making a capture of " +
			"each: values is how many values there are, unlabelled how many samples have none, and table has the " +
			"most that took longest, with value, samples, time, share (of the time of all, 0 to 1), shortest, " +
			"median, longest (in seconds) and slow: the samples that are outliers and 1.5 times as long as the median.",
		Example: "stats.by_label(cap, \"kernel\").table",
		Run:     byLabel,
	},
	{
		Sig: "by_region(cap: Capture, most: int=None) -> Table",
		Doc: "What the regions of every name took, without making a capture of each: the most that took longest, " +
			"with name, regions, time (of all of that name, from their start to their end, with the regions within " +
			"them), shortest, median, longest (in seconds) and slow: those that are outliers and 1.5 times as long " +
			"as the median.",
		Example: "stats.by_region(cap)",
		Run:     byRegion,
	},
	{
		Sig: "moves_with_duration(cap: Capture, within: str=None, confidence: number=0.95, most: int=20000) -> Table",
		Doc: "Which counters go with how long samples take: Spearman's correlation of their values with the lengths " +
			"(of the run that measured them), the closest first. within is a label, such as \"kernel\": ranks are " +
			"then those among samples of one value, so that differences between kernels count for nothing. low and " +
			"high are the ends of an interval that holds for all rows together with that confidence (Fisher's " +
			"transformation, Bonferroni; fewer independent samples where neighbours are alike). Counters that do not " +
			"vary are left out; with fewer than eight samples, or samples of one length, there are no rows. At most " +
			"that many samples, evenly spread, are looked at.",
		Example: "stats.moves_with_duration(cap)",
		Run:     movesWithDuration,
	},
	{
		Sig: "leading(cap: Capture, most: int=8) -> list",
		Doc: "Counters that show best what all of them do, the first standing for most: a list of struct with " +
			"counter and alike, the names of those that move alike (correlation of ranks of 0.9 or more, or -0.9 or " +
			"less). Deltas are taken per second. Counters that do not change, are missing for half of the time, or " +
			"only rise as a clock does are left out, and with fewer than eight samples there are none.",
		Example: "[l.counter.name for l in stats.leading(cap)]",
		Run:     leading,
	},
}

func durations(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	meta := capture.Meta{Name: "duration", Title: "Duration", Unit: "s", Kind: capture.Delta,
		Doc: "From the start of a sample to its end."}
	switch x := c.Arg("x").(type) {
	case *values.Capture:
		axis := x.Capture.Axis
		v := make([]float64, axis.Len())
		for i := range v {
			v[i] = float64(axis.Interval(i)) / 1e9
		}
		return values.NewCounter(e, &capture.Counter{Meta: meta, Axis: axis,
			Col: capture.NewColumn(capture.Data{F: v})}), nil
	case *values.Counter:
		v := make([]float64, x.Counter.Len())
		for i := range v {
			v[i] = x.Counter.Interval(i) / 1e9
		}
		return values.NewCounter(e, &capture.Counter{Meta: meta, Axis: x.Counter.Axis,
			Col: capture.NewColumn(capture.Data{F: v})}), nil
	}
	return nil, fmt.Errorf("got %s, want Capture or Counter", c.Arg("x").Type())
}

func byLabel(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	recv, label := c.Arg("cap").(*values.Capture), c.Str("label", "")
	if _, err := recv.Capture.FindLabel(label); err != nil {
		return nil, err
	}
	return binding.Await(e.Context(), func() (starlark.Value, error) {
		parts := analysis.LabelParts(recv.Capture, label)
		most, err := c.Integer("most", len(parts))
		if err != nil {
			return nil, err
		}
		t := values.NewTable(e, []string{"value", "samples", "time", "share", "shortest", "median", "longest", "slow"},
			[]string{"", "", "s", "", "s", "s", "s"})
		whole, values, unlabelled := 0.0, 0, 0
		for _, p := range parts {
			whole += p.Time
			if p.Missing {
				unlabelled = p.Count
			} else {
				values++
			}
		}
		for _, p := range parts {
			if p.Missing || t.Len() >= most {
				continue
			}
			var share starlark.Value = starlark.None
			if whole > 0 {
				share = binding.Float(p.Time / whole)
			}
			t.Append(starlark.String(p.Name), starlark.MakeInt(p.Count), binding.Float(p.Time), share,
				binding.Float(p.Shortest), binding.Float(p.Median), binding.Float(p.Longest), starlark.MakeInt(p.Slow))
		}
		return binding.Struct("by_label", starlark.StringDict{"values": starlark.MakeInt(values),
			"unlabelled": starlark.MakeInt(unlabelled), "table": t}), nil
	})
}

func byRegion(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	recv := c.Arg("cap").(*values.Capture)
	return binding.Await(e.Context(), func() (starlark.Value, error) {
		parts := analysis.RegionParts(recv.Capture)
		most, err := c.Integer("most", len(parts))
		if err != nil {
			return nil, err
		}
		t := values.NewTable(e, []string{"name", "regions", "time", "shortest", "median", "longest", "slow"},
			[]string{"", "", "s", "s", "s", "s", ""})
		for _, p := range parts[:min(max(most, 0), len(parts))] {
			t.Append(starlark.String(p.Name), starlark.MakeInt(p.Count), binding.Float(p.Time),
				binding.Float(p.Shortest), binding.Float(p.Median), binding.Float(p.Longest), starlark.MakeInt(p.Slow))
		}
		return t, nil
	})
}

func movesWithDuration(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	recv := c.Arg("cap").(*values.Capture)
	opt := analysis.MovesOptions{Within: c.Str("within", ""), Confidence: c.Float("confidence", 0)}
	if c.Has("confidence") && !(opt.Confidence > 0 && opt.Confidence < 1) {
		return nil, fmt.Errorf("parameter confidence: %v is not between 0 and 1", c.Arg("confidence"))
	}
	var err error
	if opt.Most, err = c.Integer("most", 0); err != nil {
		return nil, err
	}
	if opt.Most < 0 {
		return nil, fmt.Errorf("parameter most: %d is below 0", opt.Most)
	}
	ctx := e.Context()
	list, err := binding.Await(ctx, func() ([]analysis.Mover, error) {
		return analysis.MovesWithDuration(ctx, recv.Capture, opt)
	})
	if err != nil {
		return nil, err
	}
	t := values.NewTable(e, []string{"counter", "r", "low", "high", "samples"}, nil)
	for _, m := range list {
		t.Append(starlark.String(m.Counter.Name), binding.Float(m.R), binding.Float(m.Low), binding.Float(m.High),
			starlark.MakeInt(m.N))
	}
	return t, nil
}

func leading(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	recv := c.Arg("cap").(*values.Capture)
	most, err := c.Integer("most", 8)
	if err != nil {
		return nil, err
	}
	ctx := e.Context()
	list, err := binding.Await(ctx, func() ([]analysis.Lead, error) {
		return analysis.Leading(ctx, recv.Capture, most)
	})
	if err != nil {
		return nil, err
	}
	out := make([]starlark.Value, len(list))
	for i, l := range list {
		names := make([]string, len(l.Alike))
		for k, a := range l.Alike {
			names[k] = a.Name
		}
		out[i] = binding.Struct("leading",
			starlark.StringDict{"counter": recv.Counter(l.Counter), "alike": binding.StringList(names)})
	}
	return binding.FrozenList(out), nil
}
