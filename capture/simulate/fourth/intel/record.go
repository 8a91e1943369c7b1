package intel

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// recorder adds up what is counted in the samples of a simulation.
type recorder struct {
	m        *machine
	origin   float64
	bounds   []float64 // of the samples, since the origin
	readings []reading
	at       int
	cpu      []stint
}

// stint is work of the processor for a frame.
type stint struct{ start, app, driver float64 }

func (r *recorder) processor(start, app, driver float64) {
	r.cpu = append(r.cpu, stint{start - r.origin, app, driver})
}

// stretch adds the time up to an end, in which passes go on by some shares.
func (r *recorder) stretch(x *simulation, to float64, done *[queues]float64) {
	from := x.now - r.origin
	end := to - r.origin
	all := end - from
	for r.at < len(r.readings) && from < end {
		lo, hi := r.bounds[r.at], r.bounds[r.at+1]
		if from >= hi {
			r.at++
			continue
		}
		a, b := max(from, lo), min(end, hi)
		if b <= a {
			return
		}
		in := &r.readings[r.at]
		ticks := (b - a) * x.ghz
		in.ticks += ticks
		busy, pause := false, 1.0
		before := *in
		for q := range x.queues {
			c := &x.queues[q]
			if !c.running || done[q] <= 0 {
				continue
			}
			w0 := c.wentOn + done[q]*(a-(x.now-r.origin))/all
			w1 := c.wentOn + done[q]*(b-(x.now-r.origin))/all
			p := c.timing.near(x)
			gap := in.x[inGap]
			in.add(p.cum, w0, w1, c.scale, ticks, &before)
			if p.use[useEU] > 0 || q == 0 {
				busy = true
				pause *= min(1, (in.x[inGap]-gap)/ticks)
			}
		}
		if busy { // unless all engines that feed EUs wait for their next launch
			in.busy += ticks * (1 - x.s.machine.pause*pause)
			in.x[loaded] = min(in.x[loaded], before.x[loaded]+ticks*(1-pause))
		}
		from = b
	}
}

// add adds a stretch of a pass between two shares of it. No share of time grows by more than the stretch, whose ticks
// come after those before.
func (in *reading) add(c *cumulative, w0, w1, scale, ticks float64, before *reading) {
	if w1 <= w0 {
		return
	}
	i0, i1 := w0*bins, min(w1*bins, bins)
	a, b := min(int(i0), bins-1), min(int(i1), bins-1)
	fa, fb := i0-float64(a), i1-float64(b)
	per := ticks / max(i1-i0, 1e-12)
	for f := range c {
		row := &c[f]
		v := row[b] + (row[b+1]-row[b])*fb - row[a] - (row[a+1]-row[a])*fa
		if f <= int(lastEvent) {
			in.x[f] += v * scale
		} else {
			in.x[f] = min(in.x[f]+v*per, before.x[f]+ticks)
		}
	}
}

// round is a measurement with one metric set.
type round struct {
	set   *set
	rec   *recorder
	sim   *simulation
	shift int64 // ns at which it begins
	long  int64
}

// record makes the capture.
func (s *spec) record(o simulate.Options) (*capture.Capture, error) {
	r := simulate.NewRandom(s.seed, s.machine.family+" recorder")
	all := setsOf(s.machine)
	names := o.Sets
	drawn := s.drawSet(r, all)
	if len(names) == 0 {
		names = []string{drawn}
	}
	base, err := s.simulate(&relief{}, nil)
	if err != nil {
		return nil, err
	}
	whole, _ := s.parts()
	period := s.drawPeriod(r, base.to(whole)-base.from(whole))
	if o.Period > 0 {
		period = s.exponent(float64(o.Period))
	}
	marks, host := o.Marks.Of(r.Chance(0.5)), o.Host.Of(r.Chance(0.6))
	late, missed := 0.0, 0.0
	if r.Chance(0.25) { // a reader that is too slow loses reports
		missed = r.Between(0.001, 0.01)
	}
	if o.Late != 0 {
		late = max(0, o.Late)
	}
	if o.Missed != 0 {
		missed = max(0, o.Missed)
	}

	var list []port
	var rounds []*round
	shift := int64(0)
	for i, name := range names {
		at := slices.IndexFunc(all, func(x set) bool { return x.name == name })
		if at < 0 {
			return nil, fmt.Errorf("metric set %q of %s is not modelled", name, s.machine.gpu)
		}
		n := &round{set: &all[at], shift: shift}
		for _, p := range append(fixed(s.machine), n.set.ports...) {
			if !slices.ContainsFunc(list, func(q port) bool { return q.name == p.name }) {
				list = append(list, p)
			}
		}
		again := s
		if i > 0 {
			again = s.again(i, o.Noise)
		}
		if err := n.measure(again, period, late, missed, simulate.NewRandom(s.seed, fmt.Sprint("round ", i))); err != nil {
			return nil, err
		}
		rounds = append(rounds, n)
		shift += n.long + int64(30e6)
	}
	cfg := &capture.Config{Name: s.text, Format: "live", GPU: s.machine.gpu, Axis: &capture.Axis{Clock: "CLOCK_MONOTONIC"},
		Device:     capture.Device{Name: s.machine.device, Vendor: "Intel", Driver: "i915", ID: s.machine.pci},
		Properties: s.machine.properties(period)}
	rows := s.rows(cfg, rounds, o.Gaps, period, r)
	if len(names) == 1 {
		cfg.Properties = append([]capture.Property{{Name: "metric_set", Text: names[0], IsText: true}}, cfg.Properties...)
	} else {
		l := &capture.Label{Name: "metric_set", Dict: names}
		for _, x := range rows {
			l.Codes = append(l.Codes, int32(x.round))
		}
		cfg.Labels = append(cfg.Labels, l)
	}
	sort.SliceStable(list, func(a, b int) bool { return order(list[a].name) < order(list[b].name) })
	cfg.Counters = s.counters(cfg.Axis, list, rounds, rows, &o)
	if host {
		s.host(cfg, rounds, rows, &o)
	}
	if marks {
		mark(cfg, rounds, rows)
	}
	return capture.New(*cfg)
}

// order sorts counters as they lie in a report.
func order(name string) int {
	n, _ := strconv.Atoi(name[1:])
	return int(name[0])*100 + n
}

// measure simulates the case with the counters of a set.
func (n *round) measure(s *spec, period, late, missed float64, r simulate.Random) error {
	base, err := s.simulate(&relief{}, nil)
	if err != nil {
		return err
	}
	whole, _ := s.parts()
	origin, end := base.from(whole), base.to(whole)
	n.rec = &recorder{m: s.machine, origin: origin, bounds: []float64{0}}
	for k := 1; ; k++ {
		at := float64(k) * period
		if missed > 0 && r.Chance(missed) {
			continue
		}
		if late > 0 && r.Chance(late) {
			at += r.Between(0.1, 0.6) * period
		}
		if at > end-origin {
			break
		}
		n.rec.bounds = append(n.rec.bounds, math.Round(at))
	}
	n.rec.readings = make([]reading, len(n.rec.bounds)-1)
	for i := range n.rec.readings {
		n.rec.readings[i].m = s.machine
	}
	n.long = int64(n.rec.bounds[len(n.rec.bounds)-1])
	n.sim, err = s.simulate(&relief{}, n.rec)
	return err
}

// row is a sample of the capture.
type row struct{ round, at int }

// rows lays out the samples of all rounds on one axis, with stretches left out.
func (s *spec) rows(cfg *capture.Config, rounds []*round, gaps int, period float64, r simulate.Random) (out []row) {
	for i, n := range rounds {
		skip := map[int]int{}
		for range gaps {
			at := 1 + r.IntN(max(1, len(n.rec.readings)-3))
			skip[at] = at + 1 + r.IntN(1+len(n.rec.readings)/30)
		}
		if i > 0 {
			before := rounds[i-1]
			cfg.Gaps = append(cfg.Gaps, capture.Gap{Start: before.shift + before.long, End: n.shift,
				Reason: capture.Reason{Code: capture.NotCollected, Text: "between two rounds nothing is measured"}})
		}
		if len(rounds) > 1 {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: n.set.name, Start: n.shift, End: n.shift + n.long})
		}
		for k := 0; k < len(n.rec.readings); k++ {
			start := n.shift + int64(n.rec.bounds[k])
			if until, ok := skip[k]; ok {
				until = min(until, len(n.rec.readings)-1)
				if until > k {
					cfg.Gaps = append(cfg.Gaps, capture.Gap{Start: start, End: n.shift + int64(n.rec.bounds[until]), Lost: uint64(until - k),
						Reason: capture.Reason{Code: capture.LostReports, Text: "the buffer of reports overflowed"}})
					k = until - 1
					continue
				}
			}
			end := n.shift + int64(n.rec.bounds[k+1])
			cfg.Axis.Start, cfg.Axis.End = append(cfg.Axis.Start, start), append(cfg.Axis.End, end)
			if lost := math.Round(float64(end-start)/period) - 1; lost > 0 {
				cfg.Late = append(cfg.Late, capture.Gap{Start: start, End: end, Lost: uint64(lost),
					Reason: capture.Reason{Code: capture.LostReports, Text: "reports were lost; the sample covers their time"}})
			}
			out = append(out, row{i, k})
		}
	}
	return out
}

// counters makes the columns of the reports.
func (s *spec) counters(axis *capture.Axis, list []port, rounds []*round, rows []row, o *simulate.Options) []*capture.Counter {
	cols := simulate.NewColumns(axis)
	add := func(name, unit string) int {
		return cols.Counter(capture.Meta{Name: name, Unit: unit, Block: "OA", GPU: s.machine.gpu, Source: "i915"})
	}
	time, ticks := add("TIMESTAMP", "ticks"), add("GPU_TICKS", "cycles")
	at := make([]int, len(list))
	var told []port
	byRound := make([][]port, len(rounds))
	for i, n := range rounds {
		own := append(fixed(s.machine), n.set.ports...)
		told = append(told, own...)
		byRound[i] = make([]port, len(list))
		for k, p := range list {
			if j := slices.IndexFunc(own, func(q port) bool { return q.name == p.name }); j >= 0 {
				byRound[i][k] = own[j]
			}
		}
	}
	for k, p := range list {
		at[k] = add(p.name, "events")
	}
	for i, x := range rows {
		in := &rounds[x.round].rec.readings[x.at]
		cols.Add(time, float64(axis.End[i]-axis.Start[i])*s.machine.oaClock/1e9)
		cols.Add(ticks, in.ticks)
		clocks := float64(cols.Last(ticks))
		for k := range list {
			p := &byRound[x.round][k]
			if p.value == nil { // the set counts something else there, or nothing
				cols.Whole(at[k], 0)
				continue
			}
			cols.Add(at[k], p.value(in))
			if p.most > 0 {
				cols.Limit(at[k], uint64(p.most*clocks))
			}
		}
		s.agree(cols, list, at)
	}
	return cols.Counters(withheld(told, o))
}

// agree takes away what rounding, and work of two queues in one stretch, add to one of two counters that the other is a
// part of.
func (s *spec) agree(cols *simulate.Columns, list []port, at []int) {
	find := func(name string) int {
		if i := slices.IndexFunc(list, func(p port) bool { return p.name == name }); i >= 0 {
			return at[i]
		}
		return -1
	}
	a7, a8 := find("A7"), find("A8")
	all := uint64(s.machine.eus) * cols.Last(find("A0")) // EUs have threads only while an engine works
	cols.Limit(a7, all)
	cols.Limit(a8, all-cols.Last(a7))
	for _, pair := range [][2]string{{"A27", "A26"}, {"A22", "A21"}} {
		cols.Limit(find(pair[0]), cols.Last(find(pair[1])))
	}
	cols.Limit(find("A23"), cols.Last(find("A21"))-cols.Last(find("A22")))
}

// mark adds the frames that the program marks.
func mark(cfg *capture.Config, rounds []*round, rows []row) {
	l := &capture.Label{Name: "frame", Codes: make([]int32, len(rows))}
	first := 0
	offsets := make([]int, len(rounds))
	for i, n := range rounds {
		offsets[i] = first
		for k := range n.sim.frames {
			start := max(0, n.sim.frames[k].begin-n.rec.origin)
			end := float64(n.long)
			if k+1 < len(n.sim.frames) {
				end = min(end, n.sim.frames[k+1].begin-n.rec.origin)
			}
			l.Dict = append(l.Dict, strconv.Itoa(first+k))
			if end > start {
				cfg.Regions = append(cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(first+k), Start: n.shift + int64(start),
					End: n.shift + int64(end)})
			}
		}
		first += len(n.sim.frames)
	}
	for i, x := range rows {
		n := rounds[x.round]
		middle := (n.rec.bounds[x.at]+n.rec.bounds[x.at+1])/2 + n.rec.origin
		k := sort.Search(len(n.sim.frames), func(k int) bool { return n.sim.frames[k].begin > middle }) - 1
		l.Codes[i] = int32(offsets[x.round] + max(0, k))
	}
	cfg.Labels = append(cfg.Labels, l)
}

// exponent is the period of a report's timer that is nearest to a time in ns.
func (s *spec) exponent(ns float64) float64 {
	best := 0.0
	for e := 6; e < 24; e++ {
		p := math.Ldexp(1, e+1) / s.machine.oaClock * 1e9
		if best == 0 || math.Abs(math.Log(p/ns)) < math.Abs(math.Log(best/ns)) {
			best = p
		}
	}
	return best
}

func (m *machine) properties(period float64) []capture.Property {
	n := func(name string, v float64) capture.Property { return capture.Property{Name: name, Number: v} }
	out := []capture.Property{n("GpuTimestampFrequency", m.oaClock), n("GpuMinFrequency", m.lowest*1e9),
		n("GpuMaxFrequency", math.Round(m.highest*1e9)), n("EuThreadsCount", m.threads), n("QueryMode", 0), n("EuCoresTotalCount", m.eus),
		n("EuSlicesTotalCount", m.slices), n("EuSubslicesTotalCount", m.subslices), n("oa_period_ns", period)}
	if !m.discrete {
		return append(out, n("SliceMask", 1), n("SubsliceMask", 7))
	}
	out = append(out, n("VectorEngineThreadsCount", m.threads), n("VectorEngineTotalCount", m.eus), n("XeCoreTotalCount", m.subslices),
		n("SliceTotalCount", m.slices), n("SliceMask", 255))
	mask := capture.Property{Name: "XeCoreMask", Text: "0xf0f0f0f0f0f0f0f", IsText: true}
	out = append(out, mask, capture.Property{Name: "SubsliceMask", Text: mask.Text, IsText: true})
	for s := range int(m.slices) {
		out = append(out, n(fmt.Sprintf("GtSlice%d", s), 1))
		for c := range 4 {
			out = append(out, n(fmt.Sprintf("GtSlice%dXeCore%d", s, c), 1))
		}
	}
	return out
}
