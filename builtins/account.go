package builtins

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/capture"
	"astrolabe/capture/analysis"
)

var accountMethod = method[*Env]{
	Sig: "account(cap: Capture, table: dict) -> struct",
	Doc: "Where the measured time of a capture went: every sample is attributed to what set its pace, and the parts add up to the measured time. table says what a GPU has, as those of " +
		"@astrolabe//lib/account.star do: active and elapsed (cycles with work, and all), queues, units, cpus, clock, clock_max, frame (the length of one in seconds where none are marked), floor (the least level of a limiter), asleep (whether samples without a value of active are those of a device without a clock) and thread (the load from which a processor sets the pace). " +
		"The result has parts, a Table with part, kind (\"display\", \"processor\", \"turns\", \"queue\", \"unit\", \"memory\", \"waiter unknown\", \"not measured\", \"mixed\", \"nothing leads\"), time and share " +
		"(0 to 1, of the base), gain_low and gain_high (what relieving it saves, of the base), runner_up (what sets the pace next) and sure (the share of its time in samples with one leader), the longest first; " +
		"spans, a dict of the stretches that each part leads; base and idle in seconds; waiter, whom the device waits for; busiest and together, the load of the busiest processor (0 to 1) and " +
		"its correlation with the device's; cadence, the rate in Hz at which work repeats, and steady, how much of it does (0 to 1); clock_low and clock_high, what the highest clock would gain (of the base), None where it is unknown; and missing, what the table asks for and the capture lacks.",
	Example: "account(cap, {\"active\": [\"SQ_BUSY_CYCLES\"], \"elapsed\": [\"GRBM_GUI_ACTIVE\"], \"units\": [{\"name\": \"valu\", \"level\": [[\"VALU Utilization\"]]}]}).parts",
	Run:     account,
}

// accountTable is what the table of a GPU says.
type accountTable struct {
	active, elapsed, cpus, clock []string
	clockMax                     string
	frame, floor, thread         float64 // s, a level, and a load
	asleep                       bool    // a missing active share is that of a device without a clock
	queues, units                []accountEntry
}

// accountEntry is a queue or unit of it.
type accountEntry struct {
	name, kind, queue     string
	level, per            [][]string // factors and divisors, each with alternatives
	scale, offset, errorn float64
	rest, fallback        bool
}

func account(e *Env, c *call) (starlark.Value, error) {
	cap := c.args[0].(*Capture)
	t, err := readAccountTable(c.args[1].(*starlark.Dict))
	if err != nil {
		return nil, fmt.Errorf("parameter table: %w", err)
	}
	// Every rule of a script asks for the same account.
	key := accountKey{c.args[1].String(), e.generation()}
	cap.mu.Lock()
	found, ok := cap.accounts[key]
	cap.mu.Unlock()
	if ok {
		return found, nil
	}
	found, err = await(e.Context(), func() (starlark.Value, error) {
		a := accounting{cap: cap, table: t, n: cap.c.Len()}
		return a.run(e, e.Context())
	})
	if err != nil {
		return nil, err
	}
	found.Freeze()
	cap.mu.Lock()
	defer cap.mu.Unlock()
	if cap.accounts == nil {
		cap.accounts = map[accountKey]starlark.Value{}
	}
	cap.accounts[key] = found
	return found, nil
}

// accountKey is what an account of a capture depends on: its table, and the metrics that the script defined.
type accountKey struct {
	table   string
	defined int
}

func readAccountTable(d *starlark.Dict) (*accountTable, error) {
	t := &accountTable{frame: 1. / 60}
	for _, kv := range d.Items() {
		key, _ := starlark.AsString(kv[0])
		var err error
		switch key {
		case "active":
			t.active, err = nameList(kv[1])
		case "elapsed":
			t.elapsed, err = nameList(kv[1])
		case "cpus":
			t.cpus, err = nameList(kv[1])
		case "clock":
			t.clock, err = nameList(kv[1])
		case "clock_max":
			t.clockMax, _ = starlark.AsString(kv[1])
		case "frame":
			t.frame, _ = starlark.AsFloat(kv[1])
		case "asleep":
			t.asleep = bool(kv[1].Truth())
		case "floor":
			t.floor, _ = starlark.AsFloat(kv[1])
		case "thread":
			t.thread, _ = starlark.AsFloat(kv[1])
		case "queues":
			t.queues, err = accountEntries(kv[1])
		case "units":
			t.units, err = accountEntries(kv[1])
		default:
			err = fmt.Errorf("it has active, elapsed, cpus, clock, clock_max, frame, asleep, floor, thread, queues and units%s", didYouMean(key, []string{"active", "elapsed", "cpus", "clock", "clock_max", "frame", "asleep", "floor", "thread", "queues", "units"}))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kv[0], err)
		}
	}
	return t, nil
}

// nameList reads a name, or a list of alternatives.
func nameList(v starlark.Value) (out []string, err error) {
	err = each(v, func(x starlark.Value) error {
		s, ok := starlark.AsString(x)
		if !ok {
			return fmt.Errorf("got %s, want the name of a counter or metric", x.Type())
		}
		out = append(out, s)
		return nil
	})
	return out, err
}

// takenAsOne among alternatives says that a factor which was not measured counts as 1.
const takenAsOne = "1"

func accountEntries(v starlark.Value) (out []accountEntry, err error) {
	err = each(v, func(x starlark.Value) error {
		d, ok := x.(*starlark.Dict)
		if !ok {
			return fmt.Errorf("got %s, want a list of dicts", x.Type())
		}
		en := accountEntry{kind: "unit", scale: 1, errorn: 0.02}
		for _, kv := range d.Items() {
			key, _ := starlark.AsString(kv[0])
			var err error
			number := func(to *float64) {
				f, ok := starlark.AsFloat(kv[1])
				if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
					err = fmt.Errorf("got %s, want a number", kv[1])
				}
				*to = f
			}
			switch key {
			case "name":
				en.name, _ = starlark.AsString(kv[1])
			case "kind":
				en.kind, _ = starlark.AsString(kv[1])
			case "queue":
				en.queue, _ = starlark.AsString(kv[1])
			case "level", "per":
				err = each(kv[1], func(f starlark.Value) error {
					names, err := nameList(f)
					if key == "level" {
						en.level = append(en.level, names)
					} else {
						en.per = append(en.per, names)
					}
					return err
				})
			case "scale":
				number(&en.scale)
			case "offset":
				number(&en.offset)
			case "error":
				number(&en.errorn)
			case "rest":
				en.rest = bool(kv[1].Truth())
			case "fallback":
				en.fallback = bool(kv[1].Truth())
			case "source", "title", "set":
				// They are for readers and for reports.
			default:
				err = fmt.Errorf("it has name, title, kind, queue, level, per, scale, offset, error, rest, fallback, set and source")
			}
			if err != nil {
				return fmt.Errorf("%s: %w", kv[0], err)
			}
		}
		if en.name == "" || len(en.level) == 0 {
			return fmt.Errorf("%s needs a name and a level", x)
		}
		if en.kind != "unit" && en.kind != "memory" {
			return fmt.Errorf("%s is a %q: the kinds are \"unit\" and \"memory\"", en.name, en.kind)
		}
		out = append(out, en)
		return nil
	})
	return out, err
}

// accounting is one run of account.
type accounting struct {
	cap     *Capture
	table   *accountTable
	n       int
	missing []string
}

// find is the first of some metrics that the capture has with values, nil where there is none.
func (a *accounting) find(names []string) *capture.Counter {
	for _, n := range names {
		if c, err := a.cap.resolve(n); err == nil && c.Axis.Same(a.cap.c.Axis) && !math.IsNaN(c.Total().Float()) {
			return c
		}
	}
	return nil
}

// level is the product of the factors of an entry in every sample, in that of its divisors; all NaN where one of them was not measured.
func (a *accounting) level(en accountEntry) []float64 {
	out, known := a.product(en.level)
	if len(en.per) > 0 && known {
		var per []float64
		if per, known = a.product(en.per); known {
			for i, x := range per {
				if out[i] != 0 {
					out[i] /= x
				}
			}
		}
	}
	for i, x := range out {
		if en.rest {
			x = max(0, 1-x)
		}
		if math.IsInf(x, 0) || !known {
			x = math.NaN()
		}
		out[i] = en.offset + en.scale*x
	}
	return out
}

// product is that of some metrics in every sample, percentages as shares. known is false where one of them was not measured.
func (a *accounting) product(factors [][]string) (out []float64, known bool) {
	out = make([]float64, a.n)
	for i := range out {
		out[i] = 1
	}
	for _, names := range factors {
		c := a.find(names)
		if c == nil && slices.Contains(names, takenAsOne) {
			continue
		}
		if c == nil {
			a.lack(strings.Join(names, " or "))
			return out, false
		}
		scale := 0.01
		if c.Unit != "percent" {
			scale = 1
		}
		for i, x := range c.Floats() {
			if out[i] != 0 { // what a unit does in the time of another that did nothing has no value, and is nothing
				out[i] *= x * scale
			}
		}
	}
	return out, true
}

func (a *accounting) lack(what string) {
	if !slices.Contains(a.missing, what) {
		a.missing = append(a.missing, what)
	}
}

// activeShare is the share of every sample in which the device worked: its cycles with work in all its cycles, in those that its clock made, or
// in those of the samples that are fullest. nil where nothing tells.
func (a *accounting) activeShare() []float64 {
	c := a.find(a.table.active)
	if c == nil {
		a.lack(strings.Join(a.table.active, " or "))
		return nil
	}
	v := slices.Clone(c.Floats())
	if c.Unit == "percent" {
		for i := range v {
			if v[i] /= 100; a.table.asleep && math.IsNaN(v[i]) {
				v[i] = 0
			}
		}
		return v
	}
	if e := a.find(a.table.elapsed); e != nil {
		for i, x := range e.Floats() {
			v[i] /= x
		}
		return v
	}
	if len(a.table.elapsed) > 0 {
		a.lack(strings.Join(a.table.elapsed, " or "))
	}
	for i := range v {
		v[i] /= float64(a.cap.c.Axis.Interval(i)) / 1e9
	}
	if f := a.find(a.table.clock); f != nil && f.Kind == capture.Gauge {
		for i, hz := range f.Floats() {
			v[i] /= hz
		}
		return v
	}
	finite := slices.DeleteFunc(slices.Clone(v), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	if len(finite) == 0 {
		return nil
	}
	slices.Sort(finite)
	top := finite[(len(finite)-1)*99/100]
	for i := range v {
		v[i] /= top
	}
	return v
}

// clockLoss is what the highest clock would take off the time of every sample; nil where the clock or its highest value is unknown.
func (a *accounting) clockLoss() []float64 {
	top := math.NaN()
	for _, p := range a.cap.c.Properties {
		if p.Name == a.table.clockMax && !p.IsText {
			top = p.Number
		}
	}
	if !(top > 0) {
		return nil
	}
	out := make([]float64, a.n)
	if f := a.find(a.table.clock); f != nil && f.Kind == capture.Gauge {
		for i, hz := range f.Floats() {
			out[i] = max(0, 1-hz/top)
		}
		return out
	}
	e := a.find(a.table.elapsed)
	if e == nil {
		return nil
	}
	for i, cycles := range e.Floats() {
		out[i] = max(0, 1-cycles/(float64(a.cap.c.Axis.Interval(i))/1e9)/top)
	}
	return out
}

// processors is the load of every processor in every sample.
func (a *accounting) processors() (out [][]float64) {
	c := a.find(a.table.cpus)
	if c == nil {
		return nil
	}
	list := c.Instances
	if len(list) == 0 {
		list = []*capture.Counter{c}
	}
	for _, p := range list {
		v := slices.Clone(p.Floats())
		for i := range v {
			v[i] /= 100
		}
		out = append(out, v)
	}
	return out
}

func (a *accounting) run(e *Env, ctx context.Context) (starlark.Value, error) {
	in := analysis.AccountInput{Length: make([]int64, a.n), Active: a.activeShare(), Frame: int64(a.table.frame * 1e9), Floor: a.table.floor, Clock: a.clockLoss()}
	for i := range in.Length {
		in.Length[i] = a.cap.c.Axis.Interval(i)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	pace := analysis.PaceInput{Thread: a.table.thread, Active: in.Active, Processors: a.processors()}
	frames, err := analysis.FramesOf(a.cap.c)
	if err != nil {
		return nil, err
	}
	if frames != nil {
		for _, r := range frames.Regions {
			pace.Starts = append(pace.Starts, r.Start)
		}
		in.Frame = frameLength(pace.Starts, in.Frame)
		if frames.Cap == a.cap.c {
			in.Window = make([]int32, a.n)
			for f := range frames.Lo {
				for i := frames.Lo[f]; i < frames.Hi[f]; i++ {
					in.Window[i] = int32(f + 1)
				}
			}
		}
	}
	if a.n > 0 {
		step := slices.Clone(in.Length)
		slices.Sort(step)
		pace.Step = float64(step[len(step)/2]) / 1e9
	}
	waits := analysis.PaceOf(pace)
	in.Waiter = waits.Waiter
	for _, q := range a.table.queues {
		// Shares of the active time, as counters of queues are.
		busy := a.level(q)
		for i := range busy {
			if in.Active != nil {
				busy[i] *= min(1, max(0, in.Active[i]))
			}
		}
		in.Queues = append(in.Queues, analysis.AccountQueue{Name: q.name, Busy: busy})
	}
	for _, u := range a.table.units {
		kind, _ := analysis.ParseLimitKind(u.kind)
		in.Units = append(in.Units, analysis.AccountUnit{Name: u.name, Kind: kind, Level: a.level(u), Error: u.errorn, Fallback: u.fallback, Queue: u.queue})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found, err := analysis.Account(in)
	if err != nil {
		return nil, err
	}
	return a.result(e, found, waits, in.Clock != nil), nil
}

// frameLength is the median time from one start to the next, or another length where there are fewer than two.
func frameLength(starts []int64, otherwise int64) int64 {
	if len(starts) < 2 {
		return otherwise
	}
	gaps := make([]int64, len(starts)-1)
	for i := range gaps {
		gaps[i] = starts[i+1] - starts[i]
	}
	slices.Sort(gaps)
	if m := gaps[len(gaps)/2]; m > 0 {
		return m
	}
	return otherwise
}

func (a *accounting) result(e *Env, found *analysis.Accounted, waits analysis.Pace, clocked bool) starlark.Value {
	of := func(ns float64) starlark.Value {
		if found.Base == 0 {
			return starlark.None
		}
		return float(ns / float64(found.Base))
	}
	t := NewTable(e, []string{"part", "kind", "time", "share", "gain_low", "gain_high", "runner_up", "sure"}, []string{"", "", "s"})
	spans := starlark.NewDict(len(found.Parts))
	for k, p := range found.Parts {
		sure := 0.0
		if p.Time > 0 {
			sure = float64(p.Sure) / float64(p.Time)
		}
		name := p.Name
		if name == "" {
			name = p.Kind.String()
		}
		t.Append(starlark.String(name), starlark.String(p.Kind.String()), float(float64(p.Time)/1e9), of(float64(p.Time)), of(p.Low), of(p.High), text(p.RunnerUp), float(sure))
		mask := capture.NewMask(a.cap.c.Axis, func(i int) bool { return found.Lead[i] == int32(k) })
		var list []starlark.Value
		for _, s := range mask.Spans(0) {
			list = append(list, &Span{env: e, s: s, rows: true, name: name})
		}
		_ = spans.SetKey(starlark.String(name), frozenList(list)) // a new dict takes any string
	}
	spans.Freeze()
	clock := func(ns float64) starlark.Value {
		if !clocked {
			return starlark.None
		}
		return of(ns)
	}
	return result("account", starlark.StringDict{
		"parts": t, "spans": spans, "missing": stringList(a.missing),
		"base": float(float64(found.Base) / 1e9), "idle": float(float64(found.Idle) / 1e9),
		"waiter": starlark.String(waits.Waiter.String()), "busiest": float(waits.Busiest), "together": float(waits.Correlation),
		"cadence": float(waits.Cadence.Hertz), "steady": float(waits.Cadence.Strength),
		"clock_low": clock(found.ClockLow), "clock_high": clock(found.ClockHigh),
	})
}
