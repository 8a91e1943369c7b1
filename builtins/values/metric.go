package values

import (
	"math"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/capture/metrics"
)

// Metric is an entry of a catalogue: a counter or a formula, apart from any capture.
type Metric struct {
	env   *binding.Env
	Entry *metrics.Entry
}

var _ starlark.HasAttrs = (*Metric)(nil)

// NewMetric makes an entry of a catalogue visible to scripts.
func NewMetric(env *binding.Env, e *metrics.Entry) *Metric { return &Metric{env, e} }

func (m *Metric) String() string {
	s := "Metric " + m.Entry.Name
	if m.Entry.Unit != "" {
		s += " [" + m.Entry.Unit + "]"
	}
	if a := m.Entry.Address(); a != "" && a != m.Entry.Name {
		s += " " + a
	}
	return notation.VisibleLine(s)
}
func (m *Metric) Type() string         { return "Metric" }
func (m *Metric) Freeze()              {}
func (m *Metric) Truth() starlark.Bool { return true }
func (m *Metric) Hash() (uint32, error) {
	return starlark.String(m.Entry.GPU + "/" + m.Entry.Name).Hash()
}
func (m *Metric) AttrNames() []string { return metricTable.AttrNames() }

func (m *Metric) Attr(name string) (starlark.Value, error) { return metricTable.Attr(m.env, m, name) }

func metricText(name, doc string, get func(e *metrics.Entry) string) binding.Attribute[*Metric] {
	return binding.Attribute[*Metric]{Name: name, Type: "str", Doc: doc, Get: func(m *Metric) starlark.Value {
		return starlark.String(get(m.Entry))
	}}
}

var metricTable = binding.MethodTable[*Metric]{
	Name: "Metric",
	Doc:  "An entry of a catalogue: a hardware counter or a formula. cap[m.name] is its Counter in a capture.",
	Attrs: []binding.Attribute[*Metric]{
		metricText("name", "Stable name.", func(e *metrics.Entry) string { return e.Name }),
		metricText("title", "The vendor's title.", func(e *metrics.Entry) string { return e.Title }),
		metricText("unit", "Unit of the values.", func(e *metrics.Entry) string { return e.Unit }),
		metricText("group", "The vendor's section.", func(e *metrics.Entry) string { return e.Group }),
		metricText("doc", "What it means.", func(e *metrics.Entry) string { return e.Doc }),
		metricText("high", "What a high value tells.", func(e *metrics.Entry) string { return e.High }),
		metricText("low", "What a low value tells.", func(e *metrics.Entry) string { return e.Low }),
		metricText("expr", "Formula, empty of a raw counter.", func(e *metrics.Entry) string { return e.Expr }),
		metricText("kind", "\"delta\", \"gauge\", \"constant\" or \"derived\".", func(e *metrics.Entry) string {
			return e.Kind.String()
		}),
		metricText("gpu", "Catalogue id.", func(e *metrics.Entry) string { return e.GPU }),
		metricText("block", "Hardware block that counts.", func(e *metrics.Entry) string { return e.Block }),
		metricText("source", "Where formula and meaning come from.", func(e *metrics.Entry) string { return e.Source }),
		{Name: "more_is_better", Type: "bool or None", Doc: "Whether more is better; None where it depends.",
			Get: func(m *Metric) starlark.Value {
				if m.Entry.MoreIsBetter == "" {
					return starlark.None
				}
				return starlark.Bool(m.Entry.MoreIsBetter == "yes")
			}},
		{Name: "references", Type: "list",
			Doc: "Published numbers to compare with: structs with text, value (None where it is a rule without a " +
				"number), unit and source.",
			Get: func(m *Metric) starlark.Value {
				out := make([]starlark.Value, len(m.Entry.References))
				for i, r := range m.Entry.References {
					fields := starlark.StringDict{"text": starlark.String(r.Text), "value": starlark.None,
						"unit": starlark.String(r.Unit), "source": starlark.String(r.Source)}
					if !math.IsNaN(r.Value) {
						fields["value"] = starlark.Float(r.Value)
					}
					out[i] = binding.Struct("reference", fields)
				}
				return binding.FrozenList(out)
			}},
		{Name: "index", Type: "int or None",
			Doc: "Position of a raw counter in its hardware block, header included; None where it has none.",
			Get: func(m *Metric) starlark.Value {
				if m.Entry.Index == 0 {
					return starlark.None
				}
				return starlark.MakeInt(m.Entry.Index)
			}},
		{Name: "scaler", Type: "int", Doc: "What the hardware's number is multiplied by to give the counter.",
			Get: func(m *Metric) starlark.Value {
				return starlark.MakeUint64(max(m.Entry.Scaler, 1))
			}},
		{Name: "refs", Type: "list", Doc: "Sections of the vendor's guide.",
			Get: func(m *Metric) starlark.Value { return binding.StringList(m.Entry.Refs) }},
		{Name: "inputs", Type: "list", Doc: "Names of the counters that the formula reads.",
			Get: func(m *Metric) starlark.Value { return binding.StringList(m.Entry.Inputs) }},
		{Name: "used_by", Type: "list", Doc: "Names of the metrics whose formulas read it.",
			Get: func(m *Metric) starlark.Value { return binding.StringList(m.Entry.UsedBy()) }},
		metricText("infix",
			"Formula with infix operators, whatever notation it is written in; empty of a raw counter and where variants differ.",
			func(e *metrics.Entry) string {
				if x := e.Formula(); x != nil {
					return x.Infix()
				}
				return ""
			}),
		metricText("peak", "Formula of the highest value that it can have, empty where none is known.",
			func(e *metrics.Entry) string { return e.Peak }),
		metricText("run",
			"Measuring run whose values of the counters the formula reads, empty where it reads those that count.",
			func(e *metrics.Entry) string { return e.Run }),
		{Name: "shown", Type: "list",
			Doc: "Columns in which the vendor's own tool prints it, the keys of Capture.cells; empty where the catalogue does not say.",
			Get: func(m *Metric) starlark.Value { return binding.StringList(m.Entry.Headings()) }},
		metricText("available", "Condition on the GPU's topology under which it exists; empty means always.",
			func(e *metrics.Entry) string { return e.Available }),
		metricText("data_type",
			"The type in which the vendor computes it, such as \"uint64\"; empty where it does not say.",
			func(e *metrics.Entry) string { return e.DataType }),
		metricText("semantic",
			"Intel's semantic type: \"event\", \"duration\", \"throughput\" or \"ratio\"; empty of others.",
			func(e *metrics.Entry) string { return e.Semantic }),
		metricText("guid", "Names the Intel metric set to the kernel; empty of others.", func(e *metrics.Entry) string {
			if e.Set == nil {
				return ""
			}
			return e.Set.GUID
		}),
		metricText("usage", "The vendor's usage type, where it has one, such as \"percentage\".",
			func(e *metrics.Entry) string { return e.Usage }),
		{Name: "generations", Type: "list", Doc: "Hardware generations that have it, where that is a question.",
			Get: func(m *Metric) starlark.Value { return binding.StringList(m.Entry.Generations()) }},
		{Name: "apis", Type: "list", Doc: "APIs through which it is measured, where that is a question.",
			Get: func(m *Metric) starlark.Value { return binding.StringList(m.Entry.APIs()) }},
		{Name: "variants", Type: "list",
			Doc: "Its formulas where they depend on generation and API: structs with generations, apis, expr, infix " +
				"and inputs.",
			Ask: metricVariants},
		{Name: "roles", Type: "list",
			Doc: "What it is of, whatever its product calls it, such as \"queue:fragment\": each finds it, here and in cap[...], on every " +
				"product of which a metric plays the role.",
			Get: func(m *Metric) starlark.Value { return binding.StringList(m.Entry.Roles) }},
		{Name: "aliases", Type: "list", Doc: "Other names that find it.", Get: func(m *Metric) starlark.Value {
			return binding.StringList(m.Entry.Aliases)
		}},
	},
}

// metricVariants lists the formulas of a metric that depend on generation and API.
func metricVariants(m *Metric) (starlark.Value, error) {
	var out []starlark.Value
	for _, v := range m.Entry.Variants {
		fields := starlark.StringDict{"generations": binding.StringList(v.Generations),
			"apis": binding.StringList(v.APIs), "expr": starlark.String(v.Expr),
			"infix": starlark.String(""), "inputs": binding.StringList(nil)}
		if v.Expr != "" {
			one, err := v.Metric(m.Entry)
			if err != nil {
				return nil, err
			}
			fields["infix"], fields["inputs"] = starlark.String(one.Formula().Infix()), binding.StringList(one.Inputs)
		}
		out = append(out, binding.Struct("variant", fields))
	}
	return binding.FrozenList(out), nil
}
