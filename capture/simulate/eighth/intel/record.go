package intel

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
)

// selected is a counter that a metric set chooses the event of.
type selected struct {
	counter string
	symbol  string
	part    int // of several counters that the metric takes, -1 of one
}

// selection is which counters of a metric set count what.
func (m *machine) selection(set string) ([]selected, error) {
	cat, err := metrics.Get(m.gpu)
	if err != nil {
		return nil, err
	}
	known, err := cat.Set(set)
	if err != nil {
		return nil, err
	}
	var out []selected
	q := sample{m: m}
	counts := q.counts()
	for _, e := range cat.Entries() {
		if e.Set != known {
			continue
		}
		words := strings.Fields(e.Expr)
		var reads []string
		for i := 2; i < len(words); i++ {
			if words[i] == "READ" && !strings.HasPrefix(words[i-2], "GPU_") {
				reads = append(reads, words[i-2]+words[i-1])
			}
		}
		_, ok := counts[e.Symbol]
		several := q.parts(e.Symbol)
		for i, name := range reads {
			if slices.ContainsFunc(out, func(s selected) bool { return s.counter == name }) {
				continue
			}
			switch {
			case ok && len(reads) == 1:
				out = append(out, selected{name, e.Symbol, -1})
			case len(several) == len(reads):
				out = append(out, selected{name, e.Symbol, i})
			}
		}
	}
	if len(out) < 3 {
		return nil, fmt.Errorf("the model has nothing of the metric set %s", set)
	}
	return out, nil
}

// counters are the names of the counters in a report.
func (m *machine) counters() (out []string) {
	add := func(prefix string, n int) {
		for i := range n {
			out = append(out, fmt.Sprint(prefix, i))
		}
	}
	if m.xe2 {
		add("PEC", 64)
		return out
	}
	add("A", 36)
	add("B", 8)
	add("C", 8)
	return out
}

// period is the time between reports: the longest that the OA unit has and that is no longer than asked for.
func (m *machine) period(d time.Duration) float64 {
	e := bits.Len64(uint64(d.Seconds()*m.oa)) - 2
	return float64(uint64(2)<<max(5, e)) * 1e9 / m.oa
}

// samples divides what happened by reports. first is the start of the first of them.
func (c *course) samples(m *machine, axis *capture.Axis, origin int64) []sample {
	out, carry := make([]sample, axis.Len()), 0.0
	for i := range out {
		out[i].m = m
		ticks := c.clock(origin+axis.Start[i], origin+axis.End[i])*m.hz/1e9 + carry
		out[i].ticks = math.Floor(ticks) // whole, so that no share of them is rounded above them
		carry = ticks - out[i].ticks
	}
	i := 0
	for k := range c.busy {
		b := &c.busy[k]
		for i < len(out) && origin+axis.End[i] <= b.from {
			i++
		}
		for j := i; j < len(out) && origin+axis.Start[j] < b.to; j++ {
			from, to := origin+axis.Start[j], origin+axis.End[j]
			part := float64(max(0, min(to, b.to)-max(from, b.launched))) / float64(max(1, b.to-b.launched))
			whole := float64(max(0, min(to, b.to)-max(from, b.from))) / float64(b.to-b.from)
			for n := range out[j].t {
				out[j].t[n] += part * b.r.tally[n]
			}
			for _, n := range []int{tTime, tAsync, tBeside} { // with the launch
				out[j].t[n] += (whole - part) * b.r.tally[n]
			}
		}
	}
	for i := range out {
		q := &out[i]
		q.t[tLoaded] = q.share(q.t[tLoaded], m.clusters)
		q.t[tOccupied] = min(q.t[tOccupied], q.t[tLoaded]*float64(m.rows))
	}
	return out
}

// record makes a capture: of one metric set, or of several, one after the other, for each of which the program runs anew.
func (d *drawn) record(name, kind string, seed uint64, o simulate.Options) (*capture.Capture, error) {
	r := simulate.NewRandom(seed, name+kind+" recorded")
	sets := o.Sets
	usual := []string{"RenderBasic", "RenderBasic", "ComputeBasic", "RenderPipeProfile"}
	if d.w.contents[0].computes() {
		usual = []string{"ComputeBasic", "ComputeBasic", "RenderBasic"}
	}
	drawnSet := simulate.Pick(r, usual...)
	if len(sets) == 0 {
		sets = []string{drawnSet}
	}
	period := d.m.period(time.Duration(r.Log(1.7e6, 16e6)))
	if o.Period > 0 {
		period = d.m.period(o.Period)
	}
	marks, host := o.Marks.Of(r.Chance(0.5)), o.Host.Of(r.Chance(0.5))
	noise := o.Noise
	if noise == 0 {
		noise = 1
	}
	cfg := capture.Config{Name: fmt.Sprintf("%s-%s-%d", name, kind, seed), Format: "simulated", GPU: d.m.gpu,
		Device: capture.Device{Name: d.m.device, Vendor: "Intel", Driver: "i915", ID: fmt.Sprintf("0x%04X", d.m.pci)}}
	if d.m.xe2 {
		cfg.Device.Driver = "xe"
	}
	axis := &capture.Axis{Clock: "cpu"}
	var chosen [][]selected
	var all []sample
	var codes []int32
	var last []*simulate.Run
	var hosts []hostRow
	solver := newSolver(&d.m)
	for k, set := range sets {
		choice, err := d.m.selection(set)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, choice)
		w := d.w
		if k > 0 && noise > 0 {
			w.frames = slices.Clone(w.frames)
			for i := range w.frames {
				f := &w.frames[i]
				by := r.Spread(0.015 * noise)
				f.app, f.driver = f.app*by, f.driver*by
				f.scale = slices.Clone(f.scale)
				for j := range f.scale {
					f.scale[j] *= r.Spread(0.015 * noise)
				}
			}
		}
		c := w.run(solver, none, false)
		run := &simulate.Run{Rec: &simulate.Recorder{Bounds: simulate.NewBounds(period, simulate.Jitter(r, period, 0, max(0, o.Late), max(0, o.Missed)))},
			Frames: c.each, Start: c.each[w.warm-1].Shown, End: c.each[len(c.each)-1].Shown}
		own, origin, _, gaps, late := run.Rows(axis.Clock, max(0, o.Gaps), r, "reports were lost", "reports were lost")
		shift := int64(0)
		if k > 0 {
			_, end := axis.Extent()
			shift = end + int64(r.Between(0.1e9, 0.4e9)) // the program starts again
			cfg.Gaps = append(cfg.Gaps, capture.Gap{Start: end, End: shift, Reason: capture.Reason{Code: capture.NotCollected,
				Text: "between two rounds nothing is measured"}})
		}
		all = append(all, c.samples(&d.m, own, origin)...)
		if host {
			hosts = append(hosts, d.hostRows(c, own, origin)...)
		}
		next := &capture.Axis{Clock: axis.Clock, Start: slices.Clone(axis.Start), End: slices.Clone(axis.End)}
		for i := range own.Start {
			next.Start, next.End = append(next.Start, own.Start[i]+shift), append(next.End, own.End[i]+shift)
			codes = append(codes, int32(k))
		}
		axis = next
		for _, g := range gaps {
			cfg.Gaps = append(cfg.Gaps, moved(g, shift))
		}
		for _, g := range late {
			cfg.Late = append(cfg.Late, moved(g, shift))
		}
		for i := range run.Frames {
			f := &run.Frames[i]
			f.Begin += shift - origin
		}
		last = append(last, run)
	}
	cfg.Axis = axis
	if marks {
		whole := &simulate.Run{}
		for k, run := range last {
			for _, f := range run.Frames {
				if k == 0 || f.Begin > whole.Frames[len(whole.Frames)-1].Begin {
					whole.Frames = append(whole.Frames, f)
				}
			}
		}
		whole.Mark(&cfg, 0)
	}
	if len(sets) > 1 {
		cfg.Labels = append(cfg.Labels, &capture.Label{Name: "metric_set", Codes: codes, Dict: slices.Clone(sets)})
	}
	d.properties(&cfg, sets)
	cols := d.columns(cfg.Axis, chosen, all, codes)
	cfg.Counters = cols.Counters(d.left(&o, chosen))
	if host {
		cfg.Counters = append(cfg.Counters, d.host(r, cfg.Axis, hosts, o)...)
	}
	return capture.New(cfg)
}

func moved(g capture.Gap, by int64) capture.Gap {
	g.Start, g.End = g.Start+by, g.End+by
	return g
}

// computes reports whether a content has no draws.
func (c *content) computes() bool {
	return !slices.ContainsFunc(c.sections, func(s section) bool { return !s.passes[0].compute })
}

// columns are the counters of the reports.
func (d *drawn) columns(axis *capture.Axis, chosen [][]selected, all []sample, codes []int32) *simulate.Columns {
	cols := simulate.NewColumns(axis)
	meta := func(name, unit string) capture.Meta {
		return capture.Meta{Name: name, Unit: unit, Kind: capture.Delta, GPU: d.m.gpu, Block: "OA", Source: "simulated"}
	}
	stamp, ticks := cols.Counter(meta("TIMESTAMP", "ticks")), cols.Counter(meta("GPU_TICKS", "cycles"))
	names := d.m.counters()
	places := map[string]int{}
	for _, n := range names {
		places[n] = cols.Counter(meta(n, ""))
	}
	clocks := []int{}
	if !d.m.xe2 {
		for _, n := range []string{"SLICE_CLOCK", "UNSLICE_CLOCK"} {
			clocks = append(clocks, cols.Gauge(capture.Meta{Name: n, Unit: "MHz", GPU: d.m.gpu, Block: "clock"}))
		}
	}
	for i := range all {
		q := &all[i]
		ns := float64(axis.End[i] - axis.Start[i])
		cols.Add(stamp, ns*d.m.oa/1e9)
		cols.Add(ticks, q.ticks)
		counts, values := q.counts(), map[string]float64{}
		for _, s := range chosen[codes[i]] {
			if s.part < 0 {
				values[s.counter] = counts[s.symbol]
			} else {
				values[s.counter] = q.parts(s.symbol)[s.part]
			}
		}
		for _, n := range names {
			cols.Add(places[n], max(0, values[n]))
		}
		for _, at := range clocks {
			cols.Set(at, float64(int(q.ticks/ns*1e3*60+500)/1000)*1000/60) // in 16.67 MHz
		}
	}
	return cols
}

// properties are what the driver tells of the machine.
func (d *drawn) properties(cfg *capture.Config, sets []string) {
	number := func(name string, v float64) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
	}
	if len(sets) == 1 {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: "metric_set", Text: sets[0], IsText: true})
	}
	m := &d.m
	number("pci_device_id", float64(m.pci))
	number("GpuTimestampFrequency", m.oa)
	number("GpuMinFrequency", m.lowest)
	number("GpuMaxFrequency", m.hz)
	number("QueryMode", 0)
	number("EuCoresTotalCount", float64(m.eus*m.clusters))
	number("EuThreadsCount", float64(m.rows))
	if !m.xe2 {
		number("EuSlicesTotalCount", 1)
		number("EuSubslicesTotalCount", 3)
		number("SliceMask", 1)
		number("SubsliceMask", 7)
		return
	}
	for name, v := range map[string]float64{"VectorEngineThreadsCount": 8, "VectorEngineTotalCount": 64, "XeCoreTotalCount": 8,
		"SliceTotalCount": 2, "EuSlicesTotalCount": 2, "EuSubslicesTotalCount": 8, "SliceMask": 3, "SubsliceMask": 0xf0f, "XeCoreMask": 0xf0f,
		"GeometryPipeTotalCount": 2, "DepthPipeTotalCount": 4, "ColorPipeTotalCount": 4, "L3BankTotalCount": 8, "L3NodeTotalCount": 2,
		"SqidiTotalCount": 2, "ComputeEngineTotalCount": 1, "CopyEngineTotalCount": 1} {
		number(name, v)
	}
	for i := range 32 {
		v := 0.0
		if i < 8 {
			v = 1
		}
		number(fmt.Sprintf("GtXeCore%d", i), v)
	}
	slices.SortFunc(cfg.Properties, func(a, b capture.Property) int { return strings.Compare(a.Name, b.Name) })
}
