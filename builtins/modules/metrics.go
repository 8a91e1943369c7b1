package modules

import (
	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/builtins/values"
	"astrolabe/capture/metrics"
)

// catalogue finds a catalogue for a method whose first parameter is its id.
func catalogue(c *binding.Call) (*metrics.Catalogue, error) { return metrics.Get(c.Str("gpu", "")) }

var metricsModule = binding.MethodTable[*binding.Env]{
	Name: "metrics",
	Doc:  "The catalogues: every counter and formula that astrolabe knows, per GPU.",
	Methods: append([]binding.Method[*binding.Env]{
		{Sig: "gpus() -> list", Doc: "Ids of the catalogues.", Example: "metrics.gpus()",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				return binding.StringList(metrics.IDs()), nil
			}},
		{Sig: "list(gpu: str, match: str=None) -> list",
			Doc: "Counters and formulas of a catalogue, as Metric values; match keeps those whose name, title, " +
				"group or text has all its words, or whose name fits a pattern with *.",
			Example: "[m.name for m in metrics.list(\"gfx1151\", \"hit rate\")]",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				cat, err := catalogue(c)
				if err != nil {
					return nil, err
				}
				entries := cat.Entries()
				if c.Has("match") {
					entries = cat.Match(c.Str("match", ""))
				}
				out := make([]starlark.Value, len(entries))
				for i, m := range entries {
					out[i] = values.NewMetric(e, m)
				}
				return binding.FrozenList(out), nil
			}},
		{Sig: "matching(cap: Capture) -> dict",
			Doc: "How many counters of a capture have names that a catalogue knows, for every catalogue that " +
				"knows some and is not of another vendor or architecture than the capture says it is of: a dict of " +
				"id to number, the most first. Of products whose counters are alike it has the first, and of those whose " +
				"metric sets have the names all.",
			Example: "metrics.matching(cap)",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				of := c.Arg("cap").(*values.Capture).Capture
				list, err := binding.Await(e.Context(), func() ([]metrics.Match, error) { return metrics.Matching(of), nil })
				if err != nil {
					return nil, err
				}
				d := starlark.NewDict(len(list))
				for _, m := range list {
					if err := d.SetKey(starlark.String(m.Catalogue), starlark.MakeInt(m.Counters)); err != nil {
						return nil, err
					}
				}
				d.Freeze()
				return d, nil
			}},
		{Sig: "get(gpu: str, name: str) -> Metric",
			Doc:     "A metric or counter by name, vendor's name, guide section or \"Group/Title\".",
			Example: "metrics.get(\"gfx1151\", \"TCP Cache Performance/Hit Rate\").expr",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				cat, err := catalogue(c)
				if err != nil {
					return nil, err
				}
				for _, d := range e.Defined(cat.ID()) {
					if d.Name == c.Str("name", "") {
						return values.NewMetric(e, d), nil
					}
				}
				m, err := cat.Find(c.Str("name", ""))
				if err != nil {
					return nil, err
				}
				return values.NewMetric(e, m), nil
			}},
		{Sig: "define(gpu: str, name: str, expr: str, title: str=None, unit: str=None, doc: str=None) -> Metric",
			Doc: "A metric of this script, in the vendor's own notation. Captures of that GPU then have it under " +
				"its name.",
			Example: "metrics.define(\"gfx1151\", \"requests_halved\", \"SUM(TCP_REQ_sum) / 2\", unit=\"requests\")",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				d, err := metrics.NewDefinition(c.Str("gpu", ""), c.Str("name", ""), c.Str("expr", ""),
					c.Str("title", ""), c.Str("unit", ""), c.Str("doc", ""))
				if err != nil {
					return nil, err
				}
				e.Define(d)
				return values.NewMetric(e, d), nil
			}},
		{Sig: "cycle_budget(cores: number, hz: number|str, width: number, height: number, fps: number|str) -> struct",
			Doc: "Shader core cycles that a GPU has for each pixel of its frames: a struct with max_budget (perfect " +
				"scheduling) and real_budget (85 % of it), as Arm's guides reckon. hz is the clock, a number or text " +
				"such as \"500MHz\".",
			Example: "metrics.cycle_budget(3, 500e6, 1920, 1080, 60).real_budget",
			Run: func(_ *binding.Env, c *binding.Call) (starlark.Value, error) {
				var n [5]float64
				for i, name := range []string{"cores", "hz", "width", "height", "fps"} {
					n[i] = c.Float(name, 0)
					if s := c.Str(name, ""); s != "" {
						x, err := notation.ParseQuantity(s, "Hz")
						if err != nil {
							return nil, err
						}
						n[i] = x
					}
				}
				b, err := metrics.CycleBudget(n[0], n[1], n[2], n[3], n[4])
				if err != nil {
					return nil, err
				}
				return binding.Struct("cycle_budget", starlark.StringDict{"max_budget": starlark.Float(b.Max),
					"real_budget": starlark.Float(b.Real)}), nil
			}},
	}, euMethods...),
}
