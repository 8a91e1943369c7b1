package intel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/host"
)

// recorder sums counts up by sample.
type recorder struct {
	zero  float64   // of the simulation, when the capture begins
	edges []float64 // of samples, on the time of the capture
	rows  []counts
	at    int // a sample that began before anything new
}

func (*recorder) pace(_, _ float64, _ simulate.Candidate) {}

func (rec *recorder) add(from, to float64, e *counts) {
	from, to = from-rec.zero, to-rec.zero
	for rec.at < len(rec.rows) && rec.edges[rec.at+1] <= from {
		rec.at++
	}
	for i := rec.at; i < len(rec.rows) && rec.edges[i] < to; i++ {
		share := 1.0
		if from < rec.edges[i] || to > rec.edges[i+1] {
			share = (min(to, rec.edges[i+1]) - max(from, rec.edges[i])) / (to - from)
		}
		row := &rec.rows[i]
		for k, v := range e {
			row[k] += share * v
		}
	}
}

// spread adds the clocks of intervals to an event.
func (rec *recorder) spread(e event, list []side, track []clockPoint) {
	i := 0
	for _, b := range list {
		from, to := b.from-rec.zero, b.to-rec.zero
		for i > 0 && rec.edges[i] > from {
			i--
		}
		for ; i < len(rec.rows) && rec.edges[i] < to; i++ {
			a, z := max(from, rec.edges[i]), min(to, rec.edges[i+1])
			if z > a {
				rec.rows[i][e] += clocksIn(track, a+rec.zero, z+rec.zero)
			}
		}
		i = max(0, i-1)
	}
}

// moves adds what an engine beside the render engine reads and writes in intervals, in lines of 64 bytes per ns.
func (rec *recorder) moves(list []side, read, write float64) {
	rec.at = 0
	for _, b := range list {
		var e counts
		e[evRead], e[evWrite] = read*(b.to-b.from), write*(b.to-b.from)
		e[evRing] = e[evRead] + e[evWrite]
		rec.add(b.from, b.to, &e)
	}
}

// union joins intervals that overlap.
func union(lists ...[]side) (out []side) {
	all := slices.SortedFunc(slices.Values(slices.Concat(lists...)), func(a, b side) int {
		if a.from < b.from {
			return -1
		}
		return 1
	})
	for _, s := range all {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// record makes the capture.
func (sc *scene) record(o simulate.Options, r *rand.Rand) (*capture.Capture, error) {
	m := sc.m
	base := noRelief()
	p := sc.play(&base, nil)
	zero, end := p.frames[sc.warm-1].shown, p.frames[len(p.frames)-1].shown
	exponent := 13 + r.IntN(4) // 1.4 to 10.9 ms at 12 MHz
	if m.tsHz > 15e6 {
		exponent++
	}
	period := math.Exp2(float64(exponent+1)) / m.tsHz * 1e9
	lossy, marked, processors, switches := r.IntN(3) == 0, r.IntN(10) < 6, r.IntN(2) == 0, r.IntN(5) < 2
	drawn := sc.drawSet(r)
	noise := rand.New(rand.NewPCG(r.Uint64(), 1))

	lossy = lossy && !switches // one long sample covers what was lost
	tick := 1e9 / m.tsHz
	b := &columns{sc: sc, rec: &recorder{zero: zero}, without: o.Without, withheld: o.Withheld}
	late := b.timers(noise, lossy, period, end-zero)
	if switches {
		b.switches(p.busy, tick)
	}
	rec := b.rec
	for i, t := range b.ticks {
		rec.edges = append(rec.edges, float64(t)*tick)
		if i > 0 {
			b.length = append(b.length, t-b.ticks[i-1])
		}
	}
	rec.rows = make([]counts, len(b.length))
	p = sc.play(&base, rec)
	rec.spread(evBusy, p.busy, p.track)
	video := evVideoRing
	for _, c := range sc.contents {
		if c.blit {
			video = evBlitRing
		}
	}
	side := union(p.video)
	rec.spread(video, side, p.track)
	// The interface to memory is that of all engines. A blitter moves a few bytes per ns, a decoder less than one.
	read := 0.3 + 0.9*noise.Float64()
	if video == evBlitRing {
		read *= 4
	}
	rec.moves(side, read/64, read*(0.5+0.5*noise.Float64())/64)
	rec.spread(evAnyRing, union(p.busy, p.video), p.track)

	axis := &capture.Axis{Clock: "cpu"}
	for i := range rec.rows {
		axis.Start = append(axis.Start, int64(rec.edges[i]))
		axis.End = append(axis.End, int64(rec.edges[i+1]))
	}
	cfg := capture.Config{Name: "recording", Format: "i915perf", GPU: m.gpu, Axis: axis, Late: late,
		Device: capture.Device{Name: "Intel " + m.sku.name, Vendor: "Intel", Driver: "i915",
			ID: fmt.Sprintf("8086:%04x", m.device)}}
	names := o.Sets
	if len(names) == 0 {
		names = []string{drawn}
	}
	sets, err := m.find(names)
	if err != nil {
		return nil, err
	}
	cfg.Properties = sc.properties(sets, exponent, period)
	b.cfg, b.played = &cfg, p
	b.reports(sets)
	b.contexts()
	if o.Host.Of(processors) {
		b.processors(noise)
	}
	host.Recorder(&cfg, noise, o.Without)
	if o.Marks.Of(marked) {
		b.marks()
	}
	return capture.New(cfg)
}

// drawSet draws one of the sets that people measure such content with.
func (sc *scene) drawSet(r *rand.Rand) string {
	compute := true
	for _, c := range sc.contents {
		for _, p := range c.passes {
			compute = compute && p.compute
		}
	}
	weight := func(s *metricSet) float64 {
		if compute {
			return s.compute
		}
		return s.weight
	}
	sum := 0.0
	for i := range sc.m.sets {
		sum += weight(&sc.m.sets[i])
	}
	at := r.Float64() * sum
	for i := range sc.m.sets {
		s := &sc.m.sets[i]
		if at -= weight(s); at < 0 {
			return s.name
		}
	}
	return sc.m.sets[0].name
}

func (m *model) find(names []string) (out []*metricSet, err error) {
	for _, name := range names {
		i := slices.IndexFunc(m.sets, func(s metricSet) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("%s has no metric set %q", m.gpu, name)
		}
		out = append(out, &m.sets[i])
	}
	return out, nil
}

// properties are what a recorder says of the device.
func (sc *scene) properties(sets []*metricSet, exponent int, period float64) []capture.Property {
	m := sc.m
	var out []capture.Property
	number := func(name string, v float64) { out = append(out, capture.Property{Name: name, Number: v}) }
	word := func(name, v string) { out = append(out, capture.Property{Name: name, Text: v, IsText: true}) }
	if len(sets) == 1 {
		word("metric_set", sets[0].name)
		word("metric_set_guid", sets[0].guid)
	}
	word("oa_format", "A32u40_A4u32_B8_C8")
	number("pci_device_id", float64(m.device))
	number("SkuRevisionId", map[bool]float64{false: 2, true: 1}[m.xe])
	number("GpuTimestampFrequency", m.tsHz)
	number("GpuMinFrequency", m.minMHz*1e6)
	number("GpuMaxFrequency", m.maxMHz*1e6)
	number("EuThreadsCount", float64(m.threads))
	number("QueryMode", 0)
	number("EuCoresTotalCount", float64(m.eus))
	number("EuSlicesTotalCount", 1)
	number("EuSubslicesTotalCount", float64(m.subslices))
	number("SliceMask", 1)
	mask := float64(int(1)<<m.subslices - 1)
	number("SubsliceMask", mask)
	if m.xe {
		number("DualSubsliceMask", mask)
	}
	number("oa_exponent", float64(exponent))
	number("oa_period_ns", math.Round(period))
	return out
}

// columns makes the columns of a capture.
type columns struct {
	sc       *scene
	cfg      *capture.Config
	rec      *recorder
	played   *played
	without  []string
	withheld []simulate.Candidate
	ticks    []uint64 // of the GPU's timestamp, from the beginning: when reports were written
	length   []uint64 // ticks of each row
	timer    []bool   // whether the timer wrote the report, and no switch of contexts
}

// timers says when the timer writes reports; late are those rows before which others were lost.
func (b *columns) timers(noise *rand.Rand, lossy bool, period, end float64) (late []capture.Gap) {
	step := uint64(math.Round(period * b.sc.m.tsHz / 1e9))
	b.ticks, b.timer = []uint64{0}, []bool{true}
	for {
		from := b.ticks[len(b.ticks)-1]
		n := uint64(1)
		if lossy && noise.IntN(150) == 0 {
			n += 1 + noise.Uint64N(2) // reports were lost, and the counters went on
		}
		to := from + n*step
		if float64(to)*1e9/b.sc.m.tsHz > end {
			return late
		}
		if n > 1 {
			at := func(t uint64) int64 { return int64(float64(t) * 1e9 / b.sc.m.tsHz) }
			late = append(late, capture.Gap{Start: at(from), End: at(to), Lost: n - 1,
				Reason: capture.Reason{Code: capture.LostReports, Text: "the hardware dropped reports"}})
		}
		b.ticks, b.timer = append(b.ticks, to), append(b.timer, true)
	}
}

// switches adds the reports that are written when the engine goes idle, and when it begins again.
func (b *columns) switches(busy []side, tick float64) {
	const shortest = 30e3 // ns of idleness in which the context is taken off the engine
	var at []uint64
	for i := 1; i < len(busy); i++ {
		if busy[i].from-busy[i-1].to > shortest {
			at = append(at, uint64(max(0, busy[i-1].to-b.rec.zero)/tick), uint64(max(0, busy[i].from-b.rec.zero)/tick))
		}
	}
	timers := b.ticks
	b.ticks, b.timer = timers[:1:1], []bool{true}
	for _, t := range timers[1:] {
		for len(at) > 0 && at[0] < t {
			if at[0] > b.ticks[len(b.ticks)-1] {
				b.ticks, b.timer = append(b.ticks, at[0]), append(b.timer, false)
			}
			at = at[1:]
		}
		b.ticks, b.timer = append(b.ticks, t), append(b.timer, true)
	}
}

// contexts are the labels of whose work a row is, and why the report that begins it was written.
func (b *columns) contexts() {
	context := &capture.Label{Name: "context", Dict: []string{"0x1c", "idle"}}
	reason := &capture.Label{Name: "reason", Dict: []string{"timer", "context switch"}}
	k := 0
	for i := range b.rec.rows {
		at := b.rec.edges[i] + b.rec.zero + 200 // a switch is written just before
		for k < len(b.played.busy) && b.played.busy[k].to <= at {
			k++
		}
		c, r := int32(1), int32(0)
		if k < len(b.played.busy) && b.played.busy[k].from <= at {
			c = 0
		}
		if !b.timer[i] {
			r = 1
		}
		context.Codes, reason.Codes = append(context.Codes, c), append(reason.Codes, r)
	}
	b.cfg.Labels = append(b.cfg.Labels, context, reason)
}

func (b *columns) add(m capture.Meta, d capture.Data) {
	if !slices.Contains(b.without, m.Name) {
		b.cfg.Counters = append(b.cfg.Counters, &capture.Counter{Meta: m, Axis: b.cfg.Axis, Col: capture.NewColumn(d)})
	}
}

// whole turns amounts into what a counter shows: whole numbers whose sums are right.
type whole struct{ rest float64 }

func (w *whole) next(v float64) uint64 {
	w.rest += max(0, v)
	n := math.Floor(w.rest)
	w.rest -= n
	return uint64(n)
}

// reports are the columns of the hardware's reports.
func (b *columns) reports(sets []*metricSet) {
	m, n := b.sc.m, len(b.length)
	meta := func(name string) capture.Meta {
		return capture.Meta{Name: name, Kind: capture.Delta, Block: "OA", GPU: m.gpu, Source: "i915perf"}
	}
	stamp, clock := meta("TIMESTAMP"), meta("GPU_TICKS")
	stamp.Unit, clock.Unit = "ticks", "cycles"
	b.add(stamp, capture.Data{U: b.length})
	clocks, asked := make([]uint64, n), make([]float64, n)
	var w whole
	for i := range clocks {
		from, to := b.rec.edges[i]+b.rec.zero, b.rec.edges[i+1]+b.rec.zero
		clocks[i] = w.next(clocksIn(b.played.track, from, to))
		for _, c := range b.played.track {
			if c.at <= from {
				asked[i] = math.Round(c.ghz*60) * 50 / 3
			}
		}
	}
	b.add(clock, capture.Data{U: clocks})

	// Several sets take turns.
	turn := max(1, n/(3*len(sets)))
	of := make([]int, n)
	for i := range of {
		of[i] = i / turn % len(sets)
	}
	var order []string
	for k := range 36 {
		order = append(order, "A"+strconv.Itoa(k))
	}
	for _, group := range []string{"B", "C"} {
		for k := range 8 {
			order = append(order, group+strconv.Itoa(k))
		}
	}
	for _, name := range order {
		d := capture.Data{U: make([]uint64, n)}
		missing := 0
		for k, s := range sets {
			at := slices.IndexFunc(s.terms, func(t term) bool {
				return t.counter == name && !withheld(b.withheld, t.event)
			})
			var w whole
			for i := range d.U {
				switch {
				case of[i] != k:
				case at >= 0:
					d.U[i] = w.next(b.value(&s.terms[at], i, clocks[i]))
				default:
					if d.Valid.Bits == nil {
						d.Valid = capture.NewBitmap(n)
					}
					d.Valid.Clear(i)
					missing++
				}
			}
		}
		if missing < n {
			b.add(meta(name), d)
		}
	}
	for _, c := range []struct{ name, title string }{{"SLICE_CLOCK", "Slice Clock"}, {"UNSLICE_CLOCK", "Unslice Clock"}} {
		if !m.xe {
			b.add(capture.Meta{Name: c.name, Title: c.title, Unit: "MHz", Kind: capture.Gauge, Block: "clock", GPU: m.gpu,
				Source: "i915perf"}, capture.Data{F: asked})
		}
	}
	if len(sets) > 1 {
		l := &capture.Label{Name: "metric_set"}
		for _, s := range sets {
			l.Dict = append(l.Dict, s.name)
		}
		for i, k := range of {
			l.Codes = append(l.Codes, int32(k))
			if i == 0 || of[i-1] != k {
				b.cfg.Regions = append(b.cfg.Regions, capture.Region{Name: sets[k].name, Start: b.cfg.Axis.Start[i]})
			}
			b.cfg.Regions[len(b.cfg.Regions)-1].End = b.cfg.Axis.End[i]
		}
		b.cfg.Labels = append(b.cfg.Labels, l)
	}
}

// value is what a counter has in a sample.
func (b *columns) value(t *term, i int, clocks uint64) float64 {
	if t.event == numEvents { // of the self-test
		return t.factor * float64(clocks)
	}
	v := b.rec.rows[i][t.event] * t.factor
	if t.part > 0 {
		if t.bank {
			v *= b.sc.m.bankSkew[t.part-1]
		} else {
			v *= b.sc.m.tilt[t.part-1]
		}
		if t.event >= evSamplerBusy {
			v = min(v, float64(clocks))
		}
	}
	return v
}

// marks are the frames that the program told the recorder of.
func (b *columns) marks() {
	l := &capture.Label{Name: "frame"}
	f := b.played.frames
	k := 0
	for i := range b.rec.rows {
		middle := (b.rec.edges[i] + b.rec.edges[i+1]) / 2
		for k+1 < len(f) && f[k+1].appStart-b.rec.zero <= middle {
			k++
		}
		name := strconv.Itoa(k + 1)
		if n := len(l.Dict); n == 0 || l.Dict[n-1] != name {
			l.Dict = append(l.Dict, name)
		}
		l.Codes = append(l.Codes, int32(len(l.Dict)-1))
	}
	b.cfg.Labels = append(b.cfg.Labels, l)
	_, last := b.cfg.Axis.Extent()
	for i := 0; i+1 < len(f); i++ {
		from, to := int64(f[i].appStart-b.rec.zero), int64(f[i+1].appStart-b.rec.zero)
		if from >= 0 && to <= last {
			b.cfg.Regions = append(b.cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(i+1), Start: from, End: to})
		}
	}
}
