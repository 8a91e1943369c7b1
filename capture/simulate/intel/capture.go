package intel

import (
	"fmt"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
)

// fixedA are the aggregating counters that always count the same.
var fixedA = map[int]int{
	1: perThreads + vertex, 2: perThreads + hull, 3: perThreads + domain, 4: perThreads + compute,
	5: perThreads + geometryShader, 6: perThreads + pixel,
	21: rasterized, 22: failedFast, 23: failedDepth, 24: killed, 25: failedPost, 26: written, 27: blended, 28: texels,
	29: samplerMisses,
	30: localReads, 31: localWrites, 32: accesses, 33: firstMisses, 34: atomics, 35: barriers,
}

// table is a capture in the making.
type table struct {
	d       *device
	m       moment
	axis    *capture.Axis
	context []string // labels
	reason  []string
	set     []string
	regions []capture.Region
	gaps    []capture.Gap
	rows    []row
	plans   map[string]*plan // of a platform, by metric set
}

// row is what the columns need of a sample.
type row struct {
	ticks, clocks float64
	a             [36]float64
	custom        map[string]float64
	counts        map[string]float64 // of a platform: all counters behind the header
	share         float64            // of the clock
}

// piece is where a round's samples lie in the simulation.
type piece struct {
	run    *simulate.Run
	origin int64
	rows   []int
}

// Capture makes the rows that lie between the reports of the Observation Architecture. Several metric sets are
// measured in rounds; labels of frames and counters of the processor are there where one is.
func (d *device) Capture(record func(int) (*simulate.Run, error), rec *cases.Recording) (*capture.Capture, error) {
	r := simulate.NewRandom(rec.Seed, "intel recording")
	sets := rec.Options.Sets
	if len(sets) == 0 {
		sets = []string{d.usual(r)}
	}
	t := &table{d: d, axis: &capture.Axis{Clock: "CLOCK_MONOTONIC"}, plans: map[string]*plan{}}
	t.m.draw(d, r)
	var only piece
	for round, set := range sets {
		if err := t.use(set); err != nil {
			return nil, err
		}
		run, err := record(round)
		if err != nil {
			return nil, err
		}
		only = t.round(run, set, len(sets) > 1, rec.Options.Gaps, r)
	}
	cfg := d.config(rec.Period, sets)
	cfg.Axis, cfg.Gaps, cfg.Regions = t.axis, t.gaps, t.regions
	cfg.Labels = []*capture.Label{capture.NewLabel("context", t.context, nil),
		capture.NewLabel("reason", t.reason, nil)}
	if len(sets) > 1 {
		cfg.Labels = append(cfg.Labels, capture.NewLabel("metric_set", t.set, nil))
	}
	without := slices.Clone(rec.Options.Without)
	for _, c := range rec.Options.Withheld {
		without = append(without, d.Counters(c)...)
	}
	columns := t.columns
	if d.plat != nil {
		columns = t.platformColumns
	}
	cfg.Counters = columns().Counters(without)
	if len(sets) == 1 && rec.Marks {
		only.run.Mark(&cfg, only.origin)
	}
	if len(sets) == 1 && rec.Host {
		cfg.Counters = append(cfg.Counters, cases.HostCounters(only.run, t.axis, only.rows, rec)...)
		cfg.Properties = append(cfg.Properties, cases.HostProperties(rec)...)
	}
	return capture.New(cfg)
}

// use makes sure that a metric set can be recorded.
func (t *table) use(set string) error {
	d := t.d
	sets := Sets()
	if d.plat != nil {
		sets = d.sets()
	}
	if !slices.Contains(sets, set) {
		return fmt.Errorf("there is no metric set %q; there are %v", set, sets)
	}
	if d.plat == nil || t.plans[set] != nil {
		return nil
	}
	cat, err := metrics.Get(d.gpu)
	if err != nil {
		return err
	}
	if t.plans[set], err = newPlan(d, cat, set); err != nil {
		return err
	}
	return nil
}

// usual is the set that somebody would measure the content with.
func (d *device) usual(r simulate.Random) string {
	if d.plat != nil {
		return d.platformUsual(r)
	}
	render := false
	for _, p := range d.programs {
		for _, w := range p {
			for _, x := range w {
				render = render || x.quantity == rasterized
			}
		}
	}
	if !render {
		return simulate.Pick(r, "ComputeBasic", "ComputeBasic", "ComputeExtended", "ComputeL3Cache")
	}
	return simulate.Pick(r, "RenderBasic", "RenderBasic", "RenderBasic", "RenderPipeProfile", "ComputeBasic",
		"MemoryReads", "MemoryWrites", "Sampler",
		"RasterizerAndPixelBackend", "ComputeL3Cache", "L3_1", "TDL_1", "HDCAndSF")
}

// draw draws what differs between programs and is the same throughout one.
func (m *moment) draw(d *device, r simulate.Random) {
	m.d, m.top = d, d.hz/1e9
	m.merge, m.seen = r.Between(1, 4), r.Between(0.5, 0.97)
	a, b, c := r.Between(0.2, 0.6), r.Between(0.2, 0.5), r.Between(0.05, 0.3)
	sum := a + b + c + 0.05
	m.kinds = [4]float64{0.02, a / sum, b / sum, c / sum}
	for i := range m.even {
		m.even[i] = r.Between(0.97, 1.02)
	}
	if d.plat != nil {
		m.platformMoment.draw(d, r)
	}
}

// round adds the samples of one round. Between rounds lies the time in which the next one is set up.
func (t *table) round(run *simulate.Run, set string, several bool, holes int, r simulate.Random) piece {
	axis, origin, rows, gaps, _ := run.Rows("", holes, r, "",
		"the hardware wrote reports faster than they were read, and some were lost")
	const between = 300e6
	shift, first := int64(0), t.axis.Len()
	if first > 0 {
		shift = t.axis.End[first-1] + between
		t.gaps = append(t.gaps, capture.Gap{Start: t.axis.End[first-1], End: shift,
			Reason: capture.Reason{Code: capture.NotCollected, Text: "nothing is measured between two rounds"}})
	}
	for k, i := range rows {
		t.axis.Start, t.axis.End = append(t.axis.Start, axis.Start[k]+shift), append(t.axis.End, axis.End[k]+shift)
		t.rows = append(t.rows, t.sample(run, i, set))
		context := "idle"
		if w := run.Rec.Row(i); 2*w.Busy() > float64(axis.End[k]-axis.Start[k]) {
			context = "0x20"
		}
		t.context, t.reason, t.set = append(t.context, context), append(t.reason, "timer"), append(t.set, set)
	}
	for _, g := range gaps {
		g.Start, g.End = g.Start+shift, g.End+shift
		t.gaps = append(t.gaps, g)
	}
	if n := len(rows); several && n > 0 {
		t.regions = append(t.regions, capture.Region{Name: set, Start: axis.Start[0] + shift,
			End: axis.End[n-1] + shift})
	}
	return piece{run, origin, rows}
}

// sample makes one row.
func (t *table) sample(run *simulate.Run, i int, set string) row {
	m, d := &t.m, t.d
	m.rec, m.row = run.Rec, run.Rec.Row(i)
	clear(m.v[:])
	starts := d.passes()
	m.row.Passes(func(p int, of []float32) {
		for _, x := range starts[p] {
			m.v[x.quantity] += x.amount * float64(of[x.tally])
		}
	})
	b := run.Rec.Bounds
	ns := float64(b.At(i+1) - b.At(i))
	m.clocks = run.ClockTime(i) * m.top
	m.busy = m.span(simulate.SpanBusy)
	m.units(run.Machine.Slots)
	if d.plat != nil {
		return t.platformSample(run, i, set, ns)
	}
	out := row{ticks: ns * frequency / 1e9, clocks: m.clocks, share: run.ClockAt(b.At(i)), custom: custom[set](m)}
	out.a[0] = m.busy
	for at, q := range fixedA {
		out.a[at] = m.v[q]
	}
	for k, field := range flexible[set] {
		out.a[7+2*k] = m.flex(field & 0xfff)
		out.a[8+2*k] = m.flex(field >> 12)
	}
	if set == "GpuBusyness" || set == "PMA_Stall" || set == "TestOa" {
		for k := 7; k <= 20; k++ {
			out.a[k] = 0 // nothing programs them
		}
	}
	return out
}

// passes are the streams of all contents, in the recorder's order.
func (d *device) passes() []work {
	if d.flat == nil {
		for _, p := range d.programs {
			d.flat = append(d.flat, p...)
		}
	}
	return d.flat
}

// columns makes the columns of the rows.
func (t *table) columns() *simulate.Columns {
	c := simulate.NewColumns(t.axis)
	meta := func(name, unit, block string) capture.Meta {
		return capture.Meta{Name: name, Unit: unit, Block: block, Kind: capture.Delta, GPU: t.d.gpu, Source: "i915"}
	}
	timestamp, ticks := c.Counter(meta("TIMESTAMP", "ticks", "OA")), c.Counter(meta("GPU_TICKS", "cycles", "OA"))
	var a [36]int
	for i := range a {
		a[i] = c.Counter(meta("A"+strconv.Itoa(i), "", "OA"))
	}
	var other []string
	for _, letter := range []string{"B", "C"} {
		for i := range 8 {
			other = append(other, letter+strconv.Itoa(i))
		}
	}
	first := 0
	for i, name := range other {
		at := c.Counter(meta(name, "", "OA"))
		if i == 0 {
			first = at
		}
	}
	slice, unslice := c.Gauge(meta("SLICE_CLOCK", "MHz", "clock")), c.Gauge(meta("UNSLICE_CLOCK", "MHz", "clock"))
	for i := range t.rows {
		x := &t.rows[i]
		c.Add(timestamp, x.ticks)
		c.Add(ticks, x.clocks)
		for k := range a {
			c.Add(a[k], x.a[k])
		}
		for k, name := range other {
			c.Add(first+k, x.custom[name])
		}
		// The ratio is in steps of 50/3 MHz.
		const step = 50.0 / 3
		mhz := float64(int(x.share*t.d.hz/1e6/step+0.5)) * step
		c.Set(slice, mhz)
		c.Set(unslice, mhz)
		t.identities(c, ticks, a, first, t.set[i])
	}
	return c
}
