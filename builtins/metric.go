package builtins

import (
	"fmt"
	"math"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// Metric is an entry of a catalogue: a counter or a formula, apart from any capture.
type Metric struct {
	env *Env
	e   *metrics.Entry
}

var _ starlark.HasAttrs = (*Metric)(nil)

func (m *Metric) String() string {
	s := "Metric " + m.e.Name
	if m.e.Unit != "" {
		s += " [" + m.e.Unit + "]"
	}
	if a := m.e.Address(); a != "" && a != m.e.Name {
		s += " " + a
	}
	return VisibleLine(s)
}
func (m *Metric) Type() string          { return "Metric" }
func (m *Metric) Freeze()               {}
func (m *Metric) Truth() starlark.Bool  { return true }
func (m *Metric) Hash() (uint32, error) { return starlark.String(m.e.GPU + "/" + m.e.Name).Hash() }
func (m *Metric) AttrNames() []string   { return metricTable.attrNames() }

func (m *Metric) Attr(name string) (starlark.Value, error) { return metricTable.attr(m.env, m, name) }

func metricText(name, doc string, get func(e *metrics.Entry) string) attribute[*Metric] {
	return attribute[*Metric]{Name: name, Type: "str", Doc: doc, Get: func(m *Metric) (starlark.Value, error) { return starlark.String(get(m.e)), nil }}
}

var metricTable = methodTable[*Metric]{
	Name: "Metric",
	Doc:  "An entry of a catalogue: a hardware counter or a formula. cap[m.name] is its Counter in a capture.",
	Attrs: []attribute[*Metric]{
		metricText("name", "Stable name.", func(e *metrics.Entry) string { return e.Name }),
		metricText("title", "The vendor's title.", func(e *metrics.Entry) string { return e.Title }),
		metricText("unit", "Unit of the values.", func(e *metrics.Entry) string { return e.Unit }),
		metricText("group", "The vendor's section.", func(e *metrics.Entry) string { return e.Group }),
		metricText("doc", "What it means.", func(e *metrics.Entry) string { return e.Doc }),
		metricText("high", "What a high value tells.", func(e *metrics.Entry) string { return e.High }),
		metricText("low", "What a low value tells.", func(e *metrics.Entry) string { return e.Low }),
		metricText("expr", "Formula, empty of a raw counter.", func(e *metrics.Entry) string { return e.Expr }),
		metricText("kind", "\"delta\", \"gauge\", \"constant\" or \"derived\".", func(e *metrics.Entry) string { return e.Kind.String() }),
		metricText("gpu", "Catalogue id.", func(e *metrics.Entry) string { return e.GPU }),
		metricText("block", "Hardware block that counts.", func(e *metrics.Entry) string { return e.Block }),
		metricText("source", "Where formula and meaning come from.", func(e *metrics.Entry) string { return e.Source }),
		{Name: "more_is_better", Type: "bool or None", Doc: "Whether more is better; None where it depends.", Get: func(m *Metric) (starlark.Value, error) {
			if m.e.MoreIsBetter == "" {
				return starlark.None, nil
			}
			return starlark.Bool(m.e.MoreIsBetter == "yes"), nil
		}},
		{Name: "references", Type: "list", Doc: "Published numbers to compare with: structs with text, value (None where it is a rule without a number), unit and source.",
			Get: func(m *Metric) (starlark.Value, error) {
				out := make([]starlark.Value, len(m.e.References))
				for i, r := range m.e.References {
					fields := starlark.StringDict{"text": starlark.String(r.Text), "value": starlark.None, "unit": starlark.String(r.Unit), "source": starlark.String(r.Source)}
					if !math.IsNaN(r.Value) {
						fields["value"] = starlark.Float(r.Value)
					}
					out[i] = result("reference", fields)
				}
				return frozenList(out), nil
			}},
		{Name: "index", Type: "int or None", Doc: "Position of a raw counter in its hardware block, header included; None where it has none.", Get: func(m *Metric) (starlark.Value, error) {
			if m.e.Index == 0 {
				return starlark.None, nil
			}
			return starlark.MakeInt(m.e.Index), nil
		}},
		{Name: "scaler", Type: "int", Doc: "What the hardware's number is multiplied by to give the counter.", Get: func(m *Metric) (starlark.Value, error) {
			return starlark.MakeUint64(max(m.e.Scaler, 1)), nil
		}},
		{Name: "refs", Type: "list", Doc: "Sections of the vendor's guide.", Get: func(m *Metric) (starlark.Value, error) { return stringList(m.e.Refs), nil }},
		{Name: "inputs", Type: "list", Doc: "Names of the counters that the formula reads.", Get: func(m *Metric) (starlark.Value, error) { return stringList(m.e.Inputs), nil }},
		{Name: "used_by", Type: "list", Doc: "Names of the metrics whose formulas read it.", Get: func(m *Metric) (starlark.Value, error) { return stringList(m.e.UsedBy()), nil }},
		metricText("infix", "Formula with infix operators, whatever notation it is written in; empty of a raw counter and where variants differ.", func(e *metrics.Entry) string {
			if x := e.Formula(); x != nil {
				return x.Infix()
			}
			return ""
		}),
		metricText("peak", "Formula of the highest value that it can have, empty where none is known.", func(e *metrics.Entry) string { return e.Peak }),
		metricText("available", "Condition on the GPU's topology under which it exists; empty means always.", func(e *metrics.Entry) string { return e.Available }),
		metricText("data_type", "The type in which the vendor computes it, such as \"uint64\"; empty where it does not say.", func(e *metrics.Entry) string { return e.DataType }),
		metricText("semantic", "Intel's semantic type: \"event\", \"duration\", \"throughput\" or \"ratio\"; empty of others.", func(e *metrics.Entry) string { return e.Semantic }),
		metricText("guid", "Names the Intel metric set to the kernel; empty of others.", func(e *metrics.Entry) string {
			if e.Set == nil {
				return ""
			}
			return e.Set.GUID
		}),
		metricText("usage", "The vendor's usage type, where it has one, such as \"percentage\".", func(e *metrics.Entry) string { return e.Usage }),
		{Name: "generations", Type: "list", Doc: "Hardware generations that have it, where that is a question.", Get: func(m *Metric) (starlark.Value, error) { return stringList(m.e.Generations()), nil }},
		{Name: "apis", Type: "list", Doc: "APIs through which it is measured, where that is a question.", Get: func(m *Metric) (starlark.Value, error) { return stringList(m.e.APIs()), nil }},
		{Name: "variants", Type: "list", Doc: "Its formulas where they depend on generation and API: structs with generations, apis, expr, infix and inputs.", Get: metricVariants},
		{Name: "aliases", Type: "list", Doc: "Other names that find it.", Get: func(m *Metric) (starlark.Value, error) { return stringList(m.e.Aliases), nil }},
	},
}

// metricVariants lists the formulas of a metric that depend on generation and API.
func metricVariants(m *Metric) (starlark.Value, error) {
	var out []starlark.Value
	for _, v := range m.e.Variants {
		fields := starlark.StringDict{"generations": stringList(v.Generations), "apis": stringList(v.APIs), "expr": starlark.String(v.Expr),
			"infix": starlark.String(""), "inputs": stringList(nil)}
		if v.Expr != "" {
			one, err := v.Metric(m.e)
			if err != nil {
				return nil, err
			}
			fields["infix"], fields["inputs"] = starlark.String(one.Formula().Infix()), stringList(one.Inputs)
		}
		out = append(out, result("variant", fields))
	}
	return frozenList(out), nil
}

// catalogue finds a catalogue for a method whose first parameter is its id.
func catalogue(c *call) (*metrics.Catalogue, error) { return metrics.Get(c.str(0, "")) }

var metricsModule = methodTable[*Env]{
	Name: "metrics",
	Doc:  "The catalogues: every counter and formula that astrolabe knows, per GPU.",
	Methods: append([]method[*Env]{
		{Sig: "gpus() -> list", Doc: "Ids of the catalogues.", Example: "metrics.gpus()",
			Run: func(e *Env, c *call) (starlark.Value, error) { return stringList(metrics.IDs()), nil }},
		{Sig: "list(gpu: str, match: str=None) -> list", Doc: "Counters and formulas of a catalogue, as Metric values; match keeps those whose name, title, group or text has all its words, or whose name fits a pattern with *.",
			Example: "[m.name for m in metrics.list(\"gfx1151\", \"hit rate\")]",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				cat, err := catalogue(c)
				if err != nil {
					return nil, err
				}
				entries := cat.Entries()
				if c.has(1) {
					entries = cat.Match(c.str(1, ""))
				}
				out := make([]starlark.Value, len(entries))
				for i, m := range entries {
					out[i] = &Metric{e, m}
				}
				return frozenList(out), nil
			}},
		{Sig: "matching(cap: Capture) -> dict", Doc: "How many counters of a capture have names that a catalogue knows, for every catalogue that knows some and is not of another vendor or architecture than the capture says it is of: a dict of id to number, the most first.",
			Example: "metrics.matching(cap)",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				list := metrics.Matching(c.args[0].(*Capture).c)
				d := starlark.NewDict(len(list))
				for _, m := range list {
					if err := d.SetKey(starlark.String(m.Catalogue), starlark.MakeInt(m.Counters)); err != nil {
						return nil, err
					}
				}
				d.Freeze()
				return d, nil
			}},
		{Sig: "get(gpu: str, name: str) -> Metric", Doc: "A metric or counter by name, vendor's name, guide section or \"Group/Title\".", Example: "metrics.get(\"gfx1151\", \"TCP Cache Performance/Hit Rate\").expr",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				cat, err := catalogue(c)
				if err != nil {
					return nil, err
				}
				for _, d := range e.defined(cat.ID()) {
					if d.Name == c.str(1, "") {
						return &Metric{e, d}, nil
					}
				}
				m, err := cat.Find(c.str(1, ""))
				if err != nil {
					return nil, err
				}
				return &Metric{e, m}, nil
			}},
		{Sig: "define(gpu: str, name: str, expr: str, title: str=None, unit: str=None, doc: str=None) -> Metric", Doc: "A metric of this script, in the vendor's own notation. Captures of that GPU then have it under its name.",
			Example: "metrics.define(\"gfx1151\", \"requests_halved\", \"SUM(TCP_REQ_sum) / 2\", unit=\"requests\")",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				d, err := metrics.NewDefinition(c.str(0, ""), c.str(1, ""), c.str(2, ""), c.str(3, ""), c.str(4, ""), c.str(5, ""))
				if err != nil {
					return nil, err
				}
				e.define(d)
				return &Metric{e, d}, nil
			}},
		{Sig: "cycle_budget(cores: number, hz: number|str, width: number, height: number, fps: number|str) -> struct", Doc: "Shader core cycles that a GPU has for each pixel of its frames: a struct with max_budget (perfect scheduling) and real_budget (85 % of it), as Arm's guides reckon. " +
			"hz is the clock, a number or text such as \"500MHz\".",
			Example: "metrics.cycle_budget(3, 500e6, 1920, 1080, 60).real_budget",
			Run: func(_ *Env, c *call) (starlark.Value, error) {
				var n [5]float64
				for i := range n {
					n[i] = c.float(i, 0)
					if s := c.str(i, ""); s != "" {
						x, err := ParseQuantity(s, "Hz")
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
				return result("cycle_budget", starlark.StringDict{"max_budget": starlark.Float(b.Max), "real_budget": starlark.Float(b.Real)}), nil
			}},
	}, euMethods...),
}

// explain says why a value is what it is.
func explain(e *Env, c *call) (starlark.Value, error) {
	sample, err := c.integer(1, -1)
	if err != nil {
		return nil, err
	}
	switch x := c.value(0).(type) {
	case *Counter:
		if c.has(1) && sample < 0 {
			sample += x.Len()
		}
		if c.has(1) && (sample < 0 || sample >= x.Len()) {
			return nil, fmt.Errorf("sample %s is out of range: the counter has %d", c.args[1], x.Len())
		}
		return await(e.Context(), func() (starlark.Value, error) {
			text := strings.TrimRight(metrics.Explain(x.c, sample).String(), "\n")
			for _, line := range absences(x, sample) {
				text += "\n  " + line
			}
			return starlark.String(text), nil
		})
	case *Capture:
		s := x.String()
		for _, w := range x.c.Warnings {
			s += "\n  warning: " + w
		}
		return starlark.String(s), nil
	case starlark.NoneType:
		return nil, fmt.Errorf("a None does not say why it is missing: explain the counter that it comes from, such as explain(cap[\"Name\"])")
	}
	return helpFor(e, c.value(0))
}

// absences says what gaps and late spans of its capture mean for a sample of a counter, or for its total where sample is -1.
func absences(x *Counter, sample int) []string {
	if x.cap == nil || x.Len() == 0 {
		return nil
	}
	axis := x.c.Axis
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
	gaps, late := within(x.cap.Gaps), within(x.cap.Late)
	var out []string
	say := func(what string, list []capture.Gap, meaning string) {
		if len(list) == 0 {
			return
		}
		line := fmt.Sprintf("%s: %s %s", what, formatNS(float64(capture.Length(list))), meaning)
		if sample >= 0 {
			line += "; " + list[0].Reason.String()
		}
		out = append(out, line)
	}
	say("gaps", gaps, "without data, in no sum")
	say("late", late, "in samples that cover several ticks: counts are complete, only resolution is lost")
	return out
}
