package values

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/plots/charts"
)

// Account is where the measured time of a capture went: what account returns.
type Account struct {
	env   *binding.Env
	run   *accounting
	found *analysis.Accounted
	pace  analysis.Pace
	clock bool // what the highest clock would gain is known
	parts *Table
	spans *starlark.Dict
}

var _ starlark.HasAttrs = (*Account)(nil)

func (a *Account) String() string {
	text := fmt.Sprintf("Account of %s", notation.FormatNS(float64(a.found.Base)))
	for i, p := range a.found.Parts[:min(3, len(a.found.Parts))] {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		name := partName(p)
		if p.Kind == analysis.LimitMissing && p.Name != "" { // which is what to record
			name = waitTitles[p.Kind] + " (" + toTell(p.Name) + ")"
		}
		text += fmt.Sprintf("%s%s %.3g %%", sep, name, 100*float64(p.Time)/float64(max(1, a.found.Base)))
	}
	return notation.VisibleLine(text)
}
func (a *Account) Type() string          { return "Account" }
func (a *Account) Freeze()               {}
func (a *Account) Truth() starlark.Bool  { return true }
func (a *Account) Hash() (uint32, error) { return 0, errors.New("unhashable: Account") }
func (a *Account) AttrNames() []string   { return accountValueTable.AttrNames() }

func (a *Account) Attr(name string) (starlark.Value, error) {
	return accountValueTable.Attr(a.env, a, name)
}

// toTell is what to do so that a part can be measured: of a flag, which says what no recording can, to give it.
func toTell(name string) string {
	if strings.HasPrefix(name, "--") {
		return "give " + name
	}
	return "record " + name
}

// partName is what scripts call a part: the name of its unit or queue, or that of its kind.
func partName(p *analysis.AccountPart) string {
	if p.Name != "" {
		return p.Name
	}
	return p.Kind.String()
}

// waits are the titles of parts that are no unit of a device.
var waitTitles = map[analysis.LimitKind]string{
	analysis.LimitDisplay:   "the display, or a cap",
	analysis.LimitProcessor: "a CPU",
	analysis.LimitTurns:     "the GPU waits for the CPU, in turn",
	analysis.LimitWaiter:    "no work, waiting for something unknown",
	analysis.LimitMissing:   "not measured",
	analysis.LimitMixed:     "mixed: samples too long to tell",
	analysis.LimitEven:      "nothing leads",
}

// title is what reports call a part.
func (t *accountTable) title(p *analysis.AccountPart) string {
	if p.Kind == analysis.LimitMissing && p.Name != "" {
		return "not measured: " + toTell(p.Name)
	}
	if text := waitTitles[p.Kind]; text != "" {
		return text
	}
	if p.Kind == analysis.LimitQueue {
		return t.named(p.Name) + " alone, in turn"
	}
	return t.named(p.Name)
}

// named is the title of a queue or unit, or of what the device does when it waits for nobody.
func (t *accountTable) named(name string) string {
	if name == analysis.OwnWork {
		return t.device + "'s own work"
	}
	for _, list := range [][]accountEntry{t.units, t.queues, t.rests} {
		for _, en := range list {
			if en.name == name && en.title != "" {
				return en.title
			}
		}
	}
	return name
}

// newAccount makes the value of what was found.
func newAccount(e *binding.Env, run *accounting, found *analysis.Accounted, pace analysis.Pace, clock bool) *Account {
	a := &Account{env: e, run: run, found: found, pace: pace, clock: clock, spans: starlark.NewDict(len(found.Parts))}
	a.parts = NewTable(e, []string{"part", "kind", "time", "share", "gain_low", "gain_high", "runner_up", "sure",
		"title", "next", "gain_certain", "gain_possible", "level", "against"}, []string{"", "", "s"})
	for k, p := range found.Parts {
		if p.Kind == analysis.LimitMissing {
			run.lack(p.Name)
		}
		sure := 0.0
		if p.Time > 0 {
			sure = float64(p.Sure) / float64(p.Time)
		}
		name := partName(p)
		a.parts.Append(starlark.String(name), starlark.String(p.Kind.String()), binding.Float(float64(p.Time)/1e9),
			a.of(float64(p.Time)), a.of(p.Low), a.of(p.High), binding.Text(p.RunnerUp), binding.Float(sure),
			starlark.String(run.table.title(p)), binding.Text(run.table.named(p.RunnerUp)), a.of(p.Certain()),
			a.of(p.Possible(a.found.Base)), binding.Float(p.Level), binding.Float(p.Against))
		var list []starlark.Value
		for _, s := range a.led(k) {
			list = append(list, &Span{env: e, Span: s, OfSamples: true, name: name})
		}
		_ = a.spans.SetKey(starlark.String(name), binding.FrozenList(list)) // a new dict takes any string
	}
	a.spans.Freeze()
	return a
}

// led are the stretches that a part leads.
func (a *Account) led(part int) []capture.Span {
	mask := capture.NewMask(a.run.cap.Capture.Axis, func(i int) bool { return a.found.Lead[i] == int32(part) })
	return mask.Spans(0)
}

// phases are the stretches of samples whose pace is set by the same.
func (a *Account) phases(c *binding.Call) (starlark.Value, error) {
	axis := a.run.cap.Capture.Axis
	if axis.Len() == 0 {
		return starlark.NewList(nil), nil
	}
	most, err := c.Integer("max_phases", 12)
	if err != nil {
		return nil, err
	}
	if most < 1 {
		return nil, fmt.Errorf("parameter max_phases: got %d, want 1 or more", most)
	}
	least := c.Float("least", 0.01)
	if !(least >= 0 && least <= 1) {
		return nil, fmt.Errorf("parameter least: got %v, want a share from 0 to 1", least)
	}
	length := make([]int64, axis.Len())
	for i := range length {
		length[i] = axis.Interval(i)
	}
	return binding.Await(c.Env.Context(), func() (starlark.Value, error) {
		return Phases(a.env, analysis.CutAt(axis, analysis.LeadPhases(a.found.Lead, length, most, least))), nil
	})
}

// of is a time as a share of the base.
func (a *Account) of(ns float64) starlark.Value {
	if a.found.Base == 0 {
		return starlark.None
	}
	return binding.Float(ns / float64(a.found.Base))
}

// page is the account for a report.
func (a *Account) page() *charts.Account {
	out := &charts.Account{Base: a.found.Base, Idle: a.found.Idle, Missing: slices.Clone(a.run.missing)}
	for k, p := range a.found.Parts {
		out.Parts = append(out.Parts, charts.AccountPart{Name: partName(p), Kind: p.Kind.String(),
			Title: a.run.table.title(p), Explained: p.Kind.Explained(),
			Time: p.Time, Low: p.Certain(), High: p.Possible(a.found.Base), RunnerUp: a.run.table.named(p.RunnerUp),
			Spans: a.led(k)})
	}
	return out
}

// by is the account of every frame, region, value of a label, or of given stretches of time.
func (a *Account) by(c *binding.Call) (starlark.Value, error) {
	groups, err := a.groups(c.Arg("what"))
	if err != nil {
		return nil, err
	}
	ctx := c.Env.Context()
	return binding.Await(ctx, func() (starlark.Value, error) {
		in, _, err := a.run.input(ctx) // of the whole: who waits for whom is no matter of one frame
		if err != nil {
			return nil, err
		}
		in.Group, in.Groups, in.Cuts = groups.of, len(groups.names), groups.cuts
		found, err := analysis.Account(in)
		if err != nil {
			return nil, err
		}
		columns, units := []string{"name", "start", "time", "pace", "share"}, []string{"", "s", "s", "", ""}
		for _, p := range found.Parts {
			columns, units = append(columns, partName(p)), append(units, "s")
		}
		for i, n := range columns[5:] {
			if slices.Contains(columns[:5+i], n) {
				columns[5+i] = "part " + n
			}
		}
		start := groups.starts(a.run.cap.Capture.Axis)
		t := NewTable(a.env, columns, units)
		rows := make([]int, len(groups.names))
		for g := range rows {
			rows[g] = g
		}
		if _, named := starlark.AsString(c.Arg("what")); named { // spans keep the order that they are given in
			slices.SortStableFunc(rows, func(x, y int) int { return cmp.Compare(start[x], start[y]) })
		}
		for _, g := range rows {
			times := found.ByGroup[g]
			if start[g] == math.MaxInt64 {
				continue // no sample belongs to it
			}
			whole, most := int64(0), 0
			for k, ns := range times {
				if whole += ns; ns > times[most] {
					most = k
				}
			}
			row := []starlark.Value{starlark.String(groups.names[g]), binding.Float(float64(start[g]) / 1e9),
				binding.Float(float64(whole) / 1e9), starlark.None, starlark.None}
			if whole > 0 {
				row[3], row[4] = starlark.String(a.run.table.title(found.Parts[most])),
					binding.Float(float64(times[most])/float64(whole))
			}
			for _, ns := range times {
				row = append(row, binding.Float(float64(ns)/1e9))
			}
			t.Append(row...)
		}
		return t, nil
	})
}

// divisions are what by takes.
func (a *Account) divisions() (starlark.Value, error) {
	c := a.run.cap.Capture
	var out []string
	frames, err := analysis.FramesOf(c)
	if err != nil {
		return nil, err
	}
	if frames != nil && frames.Cap == c {
		out = append(out, "frame")
	}
	if slices.ContainsFunc(c.Regions, func(r capture.Region) bool { return !analysis.IsFrame(r.Name) }) {
		out = append(out, "region")
	}
	for _, l := range c.Labels {
		if l.Name != "frame" {
			out = append(out, l.Name)
		}
	}
	return binding.StringList(out), nil
}

var accountValueTable = binding.MethodTable[*Account]{
	Name: "Account",
	Doc: "Where the measured time of a capture went: every sample is attributed to what set its pace, and the parts " +
		"add up to the measured time.",
	Attrs: []binding.Attribute[*Account]{
		{Name: "parts", Type: "Table",
			Doc: "The parts, the longest first: part, kind (\"display\", \"processor\", \"turns\", \"queue\", " +
				"\"unit\", \"memory\", \"waiter unknown\", \"not measured\", \"mixed\", \"nothing leads\"), time, " +
				"share (0 to 1, of the base), gain_low and gain_high (what relieving it saves, of the base), " +
				"runner_up (what sets the pace next), sure (the share of its time in samples with one leader), title " +
				"and next (what reports call it and its runner_up), gain_certain (how much of gain_low reports " +
				"promise) and gain_possible (the most they say: gain_high and what a share is wrong by), level and " +
				"against (its mean level while it sets the pace, and the highest that another unit has meanwhile, " +
				"both 0 of what is inferred).",
			Get: func(a *Account) starlark.Value { return a.parts }},
		{Name: "spans", Type: "dict", Doc: "The stretches that each part leads.",
			Get: func(a *Account) starlark.Value { return a.spans }},
		{Name: "base", Type: "float", Doc: "The measured time in seconds.",
			Get: func(a *Account) starlark.Value { return binding.Float(float64(a.found.Base) / 1e9) }},
		{Name: "idle", Type: "float", Doc: "The time without work in seconds.",
			Get: func(a *Account) starlark.Value { return binding.Float(float64(a.found.Idle) / 1e9) }},
		{Name: "waiter", Type: "str", Doc: "Whom the device waits for.", Get: func(a *Account) starlark.Value {
			return starlark.String(a.pace.Waiter.String())
		}},
		{Name: "busiest", Type: "float",
			Doc: "The load of the busiest processor, 0 to 1; None where none was recorded by itself.",
			Get: func(a *Account) starlark.Value { return binding.Float(a.pace.Busiest) }},
		{Name: "summed", Type: "int",
			Doc: "Of how many processors only the sum was recorded, in which no busy thread shows; -1 where it is the mean " +
				"of an unknown number; else 0.",
			Get: func(a *Account) starlark.Value {
				if a.run.summed > 1 || a.run.summed == summedUnknown && !a.Processors() {
					return starlark.MakeInt(a.run.summed)
				}
				return starlark.MakeInt(0)
			}},
		{Name: "together", Type: "float", Doc: "The correlation of that load with the device's.",
			Get: func(a *Account) starlark.Value { return binding.Float(a.pace.Correlation) }},
		{Name: "cadence", Type: "float", Doc: "The rate in Hz at which work repeats.",
			Get: func(a *Account) starlark.Value { return binding.Float(a.pace.Cadence.Hertz) }},
		{Name: "exact", Type: "bool", Doc: "Whether frames keep the dates of a display so exactly that it sets the pace " +
			"of a device that always works as well.",
			Get: func(a *Account) starlark.Value { return starlark.Bool(a.pace.Exact) }},
		{Name: "steady", Type: "float", Doc: "How much of the work repeats so, 0 to 1.",
			Get: func(a *Account) starlark.Value { return binding.Float(a.pace.Cadence.Strength) }},
		{Name: "clock_low", Type: "float",
			Doc: "The least that the highest clock would gain, of the base; None where it is unknown.",
			Get: func(a *Account) starlark.Value { return a.clocked(a.found.ClockLow) }},
		{Name: "clock_high", Type: "float", Doc: "The most that it would gain.",
			Get: func(a *Account) starlark.Value { return a.clocked(a.found.ClockHigh) }},
		{Name: "divisions", Type: "list",
			Doc: "What by can divide the capture into: \"frame\" and \"region\" where it has such, and its labels.",
			Ask: func(a *Account) (starlark.Value, error) { return a.divisions() }},
		{Name: "known", Type: "bool",
			Doc: "Whether there is a table of the units that can set the pace of this GPU. Without one all of the " +
				"time that it works is \"not measured\".",
			Get: func(a *Account) starlark.Value {
				return starlark.Bool(a.Known())
			}},
		{Name: "missing", Type: "list", Doc: "What the table asks for and the capture lacks.",
			Get: func(a *Account) starlark.Value { return binding.StringList(a.run.missing) }},
	},
	Methods: []binding.Method[*Account]{
		{Sig: "plot(title: str=\"Where the time went\") -> Plot",
			Doc:     "The parts as one bar of the whole, and what set the pace when, as page one of a report has them.",
			Example: "account(cap).plot().save(\"time.png\")",
			Run: func(a *Account, c *binding.Call) (starlark.Value, error) {
				page, err := binding.Await(c.Env.Context(), func() (*charts.Account, error) { return a.page(), nil })
				if err != nil {
					return nil, err
				}
				return NewPlot(c.Env, charts.AccountChart(page, c.Str("title", "Where the time went"))), nil
			}},
		{Sig: "by(what: str|list) -> Table",
			Doc: "What set the pace of each frame (\"frame\"), region (\"region\": the innermost one, frames " +
				"left out where there are others), value of a label (such as \"kernel\"), or stretch of time (a list " +
				"of Span, such as phases). Samples are cut where these begin and end. A row has name, start, time (s), pace (what had most of it, as in title of parts), share (of its " +
				"time, 0 to 1), and a column of seconds for every part. Rows are in the order of the capture; the " +
				"times of a row's parts add up to its time.",
			Example: "account(cap, {\"active\": [\"SQ_BUSY_CYCLES\"], \"elapsed\": [\"GRBM_GUI_ACTIVE\"], \"units\": [{\"name\": \"valu\", \"level\": [[\"VALU Utilization\"]]}]}).by(\"kernel\")",
			Run:     func(a *Account, c *binding.Call) (starlark.Value, error) { return a.by(c) }},
		{Sig: "phases(max_phases: int=12, least: number=0.01) -> list",
			Doc: "Phases of samples in an order, such as draws, by what set their pace: a list of Span, called " +
				"\"phase 1\" and so on, that follow each other and hold every sample. It is cut where the parts that " +
				"lead the samples change and stay so, by more than chance would; each phase has at least the share " +
				"`least` of the time. One where nothing changes, and of more than 65,536 samples.",
			Example: "[s.first for s in account(cap).phases()]",
			Run:     func(a *Account, c *binding.Call) (starlark.Value, error) { return a.phases(c) }},
	},
}

// clocked is what the clock gains, None where that is unknown.
func (a *Account) clocked(ns float64) starlark.Value {
	if !a.clock {
		return starlark.None
	}
	return a.of(ns)
}

// Known reports whether there is a table of the units of this GPU, and Missing what it asks for and the capture lacks.
func (a *Account) Known() bool       { return len(a.run.table.units) > 0 }
func (a *Account) Missing() []string { return slices.Clone(a.run.missing) }

// Processors reports whether the loads of processors were recorded, which tell whom a GPU waits for.
func (a *Account) Processors() bool { return !math.IsNaN(a.pace.Busiest) }

// Found is the account itself.
func (a *Account) Found() *analysis.Accounted { return a.found }

// Title is what reports call a part.
func (a *Account) Title(kind analysis.LimitKind, name string) string {
	return a.run.table.title(&analysis.AccountPart{Kind: kind, Name: name})
}

// Names are those of all queues and units that can have a part.
func (a *Account) Names() []string {
	var out []string
	for _, list := range [][]accountEntry{a.run.table.units, a.run.table.queues} {
		for _, en := range list {
			if !slices.Contains(out, en.name) {
				out = append(out, en.name)
			}
		}
	}
	return out
}

// AccountOf is the account of a capture by the table of its GPU.
func AccountOf(e *binding.Env, cap *Capture) (*Account, error) {
	sig, err := binding.ParseSignature(accountSig)
	if err != nil {
		return nil, err
	}
	v, err := account(e, &binding.Call{Env: e, Sig: sig, Args: []starlark.Value{cap, nil}})
	if err != nil {
		return nil, err
	}
	return v.(*Account), nil
}
