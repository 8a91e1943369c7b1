package modules

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/plots/charts"
)

func init() {
	addCharts(binding.Method[*binding.Env]{
		Sig: "small_multiples(counters: Counter|list, spans: Span|Sample|list, behind: Span|Sample|list=None, title: " +
			"str=None, back: str=\"the median frame\", notes: list=None, screenshots: Screenshots=None, capture: " +
			"Capture=None) -> Plot",
		Doc: "The same counters in several stretches of time, such as slow frames: a row for each, on the time since " +
			"its own start, a counter having one value axis in all of them. Of behind, one stretch or one for each, the " +
			"line stands behind in grey, and follows as a row of its own; back says what it is. Rows are named by the " +
			"frames that they hold, and have their pictures where screenshots are given. Frames are those of the " +
			"capture that the counters are of; counters that were computed are of none: capture says which. Counts " +
			"differ with the length of samples: draw c.rate().",
		Example: "plot.small_multiples([clk], [cap[3], cap[5]], behind=cap[4], back=\"sample 4\")",
		Run:     smallMultiples,
	}, binding.Method[*binding.Env]{
		Sig: "note(t: duration, text: str) -> Note",
		Doc: "A text of any length at a time, for marks= of a chart: a dashed line with a number, and the text under " +
			"the title. An HTML page lists it beside its findings and jumps there.",
		Example: "plot.timeline(clk, marks=[plot.note(1, \"The second level begins to load.\")])",
		Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
			ns, err := binding.AsDuration(c.Arg("t"))
			if err != nil {
				return nil, fmt.Errorf("parameter t: %w", err)
			}
			return values.NewNote(e, ns, c.Str("text", "")), nil
		},
	})
}

func smallMultiples(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	m := &values.Multiples{Title: c.Str("title", ""), Back: c.Str("back", "the median frame")}
	var err error
	if m.Counters, err = flatten([]starlark.Value{c.Arg("counters")}); err != nil {
		return nil, fmt.Errorf("parameter counters: %w", err)
	}
	if len(m.Counters) == 0 {
		return nil, fmt.Errorf("parameter counters: give at least one counter")
	}
	if m.Spans, err = values.Stretches(c.Arg("spans")); err != nil {
		return nil, fmt.Errorf("parameter spans: %w", err)
	}
	if c.Has("behind") {
		if m.Behind, err = values.Stretches(c.Arg("behind")); err != nil {
			return nil, fmt.Errorf("parameter behind: %w", err)
		}
		if len(m.Behind) == 1 {
			m.Behind = slices.Repeat(m.Behind, len(m.Spans))
		}
	}
	if c.Has("notes") {
		if m.Notes, err = binding.AsStrings(c.Arg("notes")); err != nil {
			return nil, fmt.Errorf("parameter notes: %w", err)
		}
	}
	m.Shots, _ = c.Arg("screenshots").(*values.Screenshots)
	m.Of, _ = c.Arg("capture").(*values.Capture)
	return drawn(e, func() (*charts.Plot, error) { return m.Plot() })
}
