package modules

import (
	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture/metrics"
)

// euMethods are the functions of the metrics module for Intel's flexible EU counters.
var euMethods = []binding.Method[*binding.Env]{
	{Sig: "eu_counter(event: str, coarse: str=\"none\", fine: str=\"none\", index: int=0) -> struct",
		Doc: "A flexible EU counter of an Intel Gen9 GPU: an increment event behind a coarse and a fine filter, on " +
			"counter index (0 to 13, held by A7 to A20). The struct has counter, register, address, value (of the " +
			"register, the other counter's field being zero), mask, field, doc (what it measures), expr (the " +
			"percentage, for cap.eval) and warnings. metrics.eu_events() lists what goes together.",
		Example: "metrics.eu_counter(event=\"fpu0\", coarse=\"vs\", fine=\"ternary\", index=3).doc",
		Run: func(_ *binding.Env, c *binding.Call) (starlark.Value, error) {
			index, err := c.Integer("index", 0)
			if err != nil {
				return nil, err
			}
			eu, err := metrics.NewEUCounter(c.Str("event", ""), c.Str("coarse", ""), c.Str("fine", ""), index)
			if err != nil {
				return nil, err
			}
			return binding.Struct("eu_counter", starlark.StringDict{
				"event": starlark.String(eu.Event.Name), "coarse": starlark.String(eu.Coarse.Name),
				"fine": starlark.String(eu.Fine.Name), "index": starlark.MakeInt(eu.Index),
				"counter": starlark.String(eu.Counter), "register": starlark.String(eu.Register),
				"address": starlark.MakeInt(int(eu.Address)),
				"value":   starlark.MakeInt(int(eu.Value())), "mask": starlark.MakeInt(int(eu.Mask())),
				"field": starlark.MakeInt(int(eu.Field)),
				"doc":   starlark.String(eu.Doc), "expr": starlark.String(eu.Expr),
				"warnings": binding.StringList(eu.Warnings),
			}), nil
		}},
	{Sig: "eu_events() -> list",
		Doc: "What the flexible EU counters of an Intel Gen9 GPU can count: structs with event, code, doc and " +
			"the names of the coarse and fine filters that go with it.",
		Example: "[e.event for e in metrics.eu_events()]",
		Run: func(_ *binding.Env, _ *binding.Call) (starlark.Value, error) {
			var out []starlark.Value
			for _, ev := range metrics.EUEvents() {
				var coarse, fine []string
				none := metrics.EUFilter{Name: "none"}
				for _, f := range metrics.EUCoarseFilters() {
					if ev.Allows(f, none) {
						coarse = append(coarse, f.Name)
					}
				}
				for _, f := range metrics.EUFineFilters() {
					if ev.Allows(none, f) {
						fine = append(fine, f.Name)
					}
				}
				out = append(out, binding.Struct("eu_event",
					starlark.StringDict{"event": starlark.String(ev.Name), "code": starlark.MakeInt(int(ev.Code)),
						"doc": starlark.String(ev.Doc), "coarse": binding.StringList(coarse),
						"fine": binding.StringList(fine)}))
			}
			return binding.FrozenList(out), nil
		}},
}
