package diagnosis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
	"astrolabe/capture/capturetest/all"
	"astrolabe/capture/metrics"
)

// odd makes captures that no hardware gives and that a script must survive all the same: random subsets of counters,
// nothing but zeros, one sample, huge values, gaps, samples without a length, constants that are missing, and labels
// and frames in any order.
type odd struct {
	*rand.Rand
	script string
}

// chance is true that often.
func (r odd) chance(p float64) bool { return r.Float64() < p }

// one is one of some values.
func one[T any](r odd, list ...T) T { return list[r.IntN(len(list))] }

// capture makes one capture: half of them are spoiled captures of a model, in which rules hold that lie deep, the
// others are columns of the catalogue filled at random.
func (r odd) capture() (*capture.Capture, error) {
	var models []capturetest.Model
	for _, m := range all.Models() {
		if m.Script() == r.script || r.script == "generic" {
			models = append(models, m)
		}
	}
	if len(models) == 0 || r.chance(0.5) {
		return r.spoiled(r.invented())
	}
	m := models[r.IntN(len(models))]
	plant := ""
	if plants := m.Plants(); r.chance(0.9) {
		plant = plants[r.IntN(len(plants))].ID
	}
	what := capturetest.Case{Plant: plant, Load: r.Float64(), Noise: one(r, 0, 0.1, 0.5, 2),
		Idle: one(r, 0, 0, 0.3, 0.9), DVFS: r.chance(0.3),
		Samples: 1 + r.IntN(one(r, 3, 20, 60)), Seed: r.Uint64()}
	c, err := m.Generate(what)
	if err != nil { // some models take no fewer
		what.Samples = 100
		if c, err = m.Generate(what); err != nil {
			return nil, err
		}
	}
	if r.script == "generic" {
		c.GPU = one(r, "", "gfx90a", c.GPU)
	}
	return r.spoiled(c.Config)
}

// families are the catalogues that a script judges. One that is not here judges what no catalogue knows.
var families = map[string][]string{
	"mali": {"mali-g615", "mali-g720"}, "intel_oa": {"intel-kbl-gt2", "intel-kbl-gt3"}, "gpa": {"amd-gpa"},
	"gfx1151": {"gfx1151", "gfx1201"}, "amd_live": {"amd-live"}, "cpu": {"cpu"},
}

// invented fills columns of the catalogue, or of names that nobody knows, at random.
func (r odd) invented() capture.Config {
	cfg := capture.Config{Name: one(r, "odd", "", "a name with spaces and ünïcode"),
		Axis: r.axis(r.IntN(one(r, 2, 5, 40)))}
	var entries []*metrics.Entry
	if ids := families[r.script]; len(ids) > 0 {
		cfg.GPU = ids[r.IntN(len(ids))]
		cat, err := metrics.Get(cfg.GPU)
		if err != nil {
			panic(err)
		}
		entries = cat.Entries()
	} else {
		cfg.GPU = one(r, "", "", "gfx90a", "mali-g52", "something else")
		cpu, err := metrics.Get(metrics.CPU)
		if err != nil {
			panic(err)
		}
		entries = cpu.Entries()[:one(r, 0, 0, 5)]
	}
	if r.script == "gpa" {
		cfg.Properties = append(cfg.Properties,
			capture.Property{Name: "generation", Text: one(r, "gfx6", "gfx7", "gfx8", "gfx9", "gfx99"), IsText: true},
			capture.Property{Name: "api", Text: one(r, "gl", "dx11", "dx12", "vk", "cl", "hsa", "none"), IsText: true})
	}
	keep := one(r, 0.02, 0.2, 0.7, 1)
	seen := map[string]bool{}
	add := func(name string, kind capture.Kind, unit string) {
		if seen[name] || len(cfg.Counters) > 400 {
			return
		}
		seen[name] = true
		cfg.Counters = append(cfg.Counters, r.counter(cfg.Axis, capture.Meta{Name: name, Kind: kind, Unit: unit}))
	}
	for _, e := range entries {
		if e.IsMetric() && !r.chance(0.02) || !r.chance(keep) {
			continue
		}
		kind := e.Kind
		if kind == capture.Derived {
			kind = one(r, capture.Gauge, capture.Delta)
		}
		add(e.Name, kind, e.Unit)
	}
	for range r.IntN(one(r, 1, 3, 30)) {
		add(one(r, "counter", "a/b", "Bytes Read (total)", "utilisation", "x")+strconv.Itoa(r.IntN(50)),
			one(r, capture.Delta, capture.Gauge, capture.Constant),
			one(r, "", "bytes", "percent", "Hz", "cycles", "ns", "s", "°C", "furlongs"))
	}
	return cfg
}

// axis is a time axis of n samples: regular, of any length, without any, overlapping, or far from 0.
func (r odd) axis(n int) *capture.Axis {
	a := &capture.Axis{Clock: one(r, "", "gpu", "samples"), Start: make([]int64, n), End: make([]int64, n)}
	at := one(r, int64(0), 0, 0, 5, -1e9, 1e18)
	step := one(r, int64(1), 1e3, 1e6, 16_666_667, 1e9, 1e15)
	how := r.IntN(5)
	for i := range n {
		length := step
		switch how {
		case 1:
			length = r.Int64N(2*step + 1)
		case 2:
			length = 0
		case 3:
			if r.chance(0.3) {
				length = 0
			}
		}
		a.Start[i], a.End[i] = at, at+length
		switch {
		case how == 4 && r.chance(0.5):
			at += length / 2 // the next begins before this one ends
		case r.chance(0.1):
			at += length + r.Int64N(3*step+1)
		default:
			at += length
		}
	}
	return a
}

// counter is one of those columns, sometimes of instances.
func (r odd) counter(axis *capture.Axis, m capture.Meta) *capture.Counter {
	c := &capture.Counter{Meta: m, Axis: axis}
	if n := r.IntN(4); n > 0 && r.chance(0.15) {
		c.Combine = one(r, capture.CombineSum, capture.CombineMean, capture.CombineMax)
		for i := range n {
			in := m
			if in.Instance = strconv.Itoa(i * one(r, 1, 7)); r.script == "amd_live" {
				in.Instance = one(r, "card0", "card1", "card1.0")
			}
			if slices.ContainsFunc(c.Instances, func(o *capture.Counter) bool {
				return o.Meta.Instance == in.Instance
			}) {
				continue
			}
			in.Name = fmt.Sprintf("%s[%s]", m.Name, in.Instance)
			c.Instances = append(c.Instances,
				&capture.Counter{Meta: in, Axis: axis, Col: capture.NewColumn(r.data(axis.Len()))})
		}
		return c
	}
	c.Col = capture.NewColumn(r.data(axis.Len()))
	return c
}

// data are values that a file may hold.
func (r odd) data(n int) capture.Data {
	top := one(r, 1, 100, 1e6, 1e9, 1e15)
	how := r.IntN(12)
	if how < 5 {
		d := capture.Data{U: make([]uint64, n)}
		for i := range d.U {
			switch how {
			case 0: // stays 0
			case 1:
				d.U[i] = math.MaxUint64 - uint64(r.IntN(3))
			case 2:
				d.U[i] = uint64(top)
			default:
				d.U[i] = uint64(r.Float64() * top)
			}
		}
		if r.chance(0.2) && n > 0 {
			d.Valid = capture.NewBitmap(n)
			for range r.IntN(n + 1) {
				d.Valid.Clear(r.IntN(n))
			}
		}
		return d
	}
	d := capture.Data{F: make([]float64, n)}
	for i := range d.F {
		switch how {
		case 5:
			d.F[i] = math.NaN()
		case 6:
			d.F[i] = one(r, 1e300, 1e308, math.MaxFloat64, 5e-324)
		case 7:
			d.F[i] = -r.Float64() * top
		case 8:
			d.F[i] = one(r, math.NaN(), 0, r.Float64()*top)
		case 9:
			d.F[i] = one(r, math.Inf(1), math.Inf(-1), 1)
		case 10:
			d.F[i] = one(r, 0, 0, 0, 0, top)
		default:
			d.F[i] = r.Float64() * top
		}
	}
	return d
}

// spoiled changes some things of a capture, often none.
func (r odd) spoiled(cfg capture.Config) (*capture.Capture, error) {
	n := cfg.Axis.Len()
	if r.chance(0.3) { // a new axis for the columns that there are
		old := cfg.Axis
		cfg.Axis = r.axis(n)
		cfg.Passes = nil
		cfg.Counters = slices.Clone(cfg.Counters)
		for i, c := range cfg.Counters {
			cfg.Counters[i] = onAxis(c, old, cfg.Axis)
		}
	}
	if r.chance(0.4) {
		keep := one(r, 0.05, 0.5, 0.9)
		cfg.Counters = slices.DeleteFunc(slices.Clone(cfg.Counters), func(*capture.Counter) bool {
			return !r.chance(keep)
		})
	}
	if spoil := one(r, 0, 0, 0.02, 0.1, 0.5); spoil > 0 {
		cfg.Counters = slices.Clone(cfg.Counters)
		for i, c := range cfg.Counters {
			if r.chance(spoil) {
				other := r.counter(cfg.Axis, c.Meta)
				other.Pass = c.Pass
				cfg.Counters[i] = other
			}
		}
	}
	if r.chance(0.1) {
		cfg.Counters = slices.Clone(cfg.Counters)
		for i, c := range cfg.Counters {
			m := c.Meta
			m.Kind = one(r, capture.Delta, capture.Gauge, capture.Constant)
			cfg.Counters[i] = &capture.Counter{Meta: m, Axis: c.Axis, Col: c.Col, Instances: c.Instances, Pass: c.Pass,
				Reasons: c.Reasons, Warnings: c.Warnings}
		}
	}
	if drop := one(r, 0, 0, 0.3, 1); drop > 0 {
		cfg.Properties = slices.DeleteFunc(slices.Clone(cfg.Properties), func(capture.Property) bool {
			return r.chance(drop)
		})
	}
	if r.chance(0.15) {
		cfg.Properties = slices.Clone(cfg.Properties)
		for i := range cfg.Properties {
			if r.chance(0.3) {
				p := &cfg.Properties[i]
				p.IsText, p.Text, p.Number = r.chance(0.2), "text", one(r, 0, -1, 1e300, math.NaN(), 0.5)
			}
		}
	}
	if r.chance(0.3) {
		cfg.Labels = nil
	}
	for _, name := range []string{"frame", "kernel", "dispatch", "context", "reason", "metric_set", "session", "sample",
		"phase", "arch_vgpr", "workgroup_size"} {
		if r.chance(0.12) && !slices.ContainsFunc(cfg.Labels, func(l *capture.Label) bool { return l.Name == name }) {
			cfg.Labels = append(slices.Clip(cfg.Labels), r.label(name, n))
		}
	}
	if r.chance(0.3) {
		cfg.Gaps = r.gaps(cfg.Axis)
	}
	if r.chance(0.2) {
		cfg.Late = r.gaps(cfg.Axis)
	}
	if r.chance(0.3) {
		cfg.Regions = r.regions(cfg.Axis)
	}
	if r.chance(0.15) && len(cfg.Passes) == 0 {
		r.passes(&cfg)
	}
	if r.chance(0.1) {
		cfg.Options = capture.Options{Denom: one(r, "", "per_wave", "per_second", "per_cycle"),
			Duration: one(r, "", "median", "first"), Zero: one(r, "", "missing", "vendor")}
	}
	if r.chance(0.1) {
		cfg.Device = capture.Device{}
	}
	c, err := capture.New(cfg)
	if err != nil {
		return nil, err
	}
	if r.chance(0.2) && n > 0 {
		i := r.IntN(n)
		j := min(n, i+1+r.IntN(3))
		if c, err = c.Where(capture.NewMask(c.Axis, func(k int) bool { return k >= i && k < j })); err != nil {
			return nil, err
		}
	}
	return metrics.Describe(c)
}

// onAxis is a counter with the same values at other times.
func onAxis(c *capture.Counter, from, to *capture.Axis) *capture.Counter {
	out := &capture.Counter{Meta: c.Meta, Axis: to, Col: c.Col, Reasons: c.Reasons, Warnings: c.Warnings}
	for _, in := range c.Instances {
		out.Instances = append(out.Instances, onAxis(in, from, to))
	}
	return out
}

// label has few values or many, in order or not, some or all of them missing.
func (r odd) label(name string, n int) *capture.Label {
	text := make([]string, n)
	kinds := 1 + r.IntN(one(r, 1, 4, 40))
	long := r.chance(0.1)
	for i := range text {
		switch r.IntN(4) {
		case 0:
			text[i] = strconv.Itoa(i / max(1, n/kinds))
		case 1:
			text[i] = fmt.Sprintf("value %d", r.IntN(kinds))
		case 2:
			text[i] = strconv.Itoa(i)
		}
		if long && text[i] != "" {
			text[i] = fmt.Sprintf(
				"void kernel<float, %s, std::integral_constant<int, 128>>(char const*, unsigned long)", text[i])
		}
	}
	return capture.NewLabel(name, text, func(i int) bool { return text[i] != "" })
}

// span is a stretch near an axis, or not.
func (r odd) span(a *capture.Axis) (start, end int64) {
	lo, hi := a.Extent()
	width := max(1, hi-lo)
	start = lo + r.Int64N(width)
	end = start + r.Int64N(width/one(r, int64(1), 10, 100)+1)
	if r.chance(0.1) {
		start, end = lo-width, hi+width
	}
	return start, end
}

func (r odd) gaps(a *capture.Axis) (out []capture.Gap) {
	for range r.IntN(one(r, 2, 10)) {
		start, end := r.span(a)
		out = append(out, capture.Gap{Start: start, End: end, Lost: one(r, uint64(0), 1, 1e9),
			Reason: capture.Reason{Code: capture.ReasonCode(r.IntN(int(capture.LastReasonCode) + 1)),
				Text: one(r, "", "7 reports were lost")}})
	}
	if r.chance(0.8) {
		slices.SortFunc(out, func(x, y capture.Gap) int { return int(min(max(x.Start-y.Start, -1), 1)) })
	}
	return out
}

func (r odd) regions(a *capture.Axis) (out []capture.Region) {
	for i := range r.IntN(one(r, 2, 30)) {
		start, end := r.span(a)
		out = append(out, capture.Region{Name: one(r, "frame", fmt.Sprintf("frame %d", i), "shadow pass", ""),
			Start: start, End: end, Depth: r.IntN(3)})
	}
	if r.chance(0.5) && a.Len() > 0 { // frames one after the other
		lo, hi := a.Extent()
		n := 1 + r.IntN(40)
		for i := range n {
			step := (hi - lo) / int64(n)
			out = append(out, capture.Region{Name: fmt.Sprintf("frame %d", i), Start: lo + int64(i)*step,
				End: lo + int64(i+1)*step})
		}
	}
	return out
}

// passes gives counters runs of their own, some without a duration.
func (r odd) passes(cfg *capture.Config) {
	for i := range 1 + r.IntN(4) {
		p := &capture.Pass{ID: strconv.Itoa(i)}
		if r.chance(0.8) {
			d := r.data(cfg.Axis.Len())
			for k := range d.F {
				d.F[k] = math.Abs(d.F[k])
			}
			p.Duration = capture.NewColumn(d)
		}
		cfg.Passes = append(cfg.Passes, p)
	}
	cfg.Counters = slices.Clone(cfg.Counters)
	for i, c := range cfg.Counters {
		if r.chance(0.7) {
			p := cfg.Passes[r.IntN(len(cfg.Passes))]
			d := &capture.Counter{Meta: c.Meta, Axis: c.Axis, Col: c.Col, Instances: c.Instances, Reasons: c.Reasons,
				Warnings: c.Warnings, Pass: p}
			cfg.Counters[i] = d
		}
	}
}
