package mali

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/host"
	"astrolabe/capture/simulate/telling"
)

// recorder makes a capture of a run.
type recorder struct {
	p      *program
	e      *engine
	r      *rand.Rand
	cfg    *capture.Config
	cat    *metrics.Catalogue
	left   []string // out
	origin float64
	tab    *table
}

func (p *program) record(gen5 bool, o simulate.Options, r *rand.Rand) (*capture.Capture, error) {
	id, title := "mali-g710", "Mali-G710"
	if gen5 {
		id, title = "mali-g720", "Mali-G720"
	}
	cat, err := metrics.Get(id)
	if err != nil {
		return nil, err
	}
	e := p.run(true)
	whole, _ := p.stretches()
	w := &recorder{p: p, e: e, r: r, cat: cat, origin: e.start(whole), left: telling.Left(&o, telling.Mali)}
	w.cfg = &capture.Config{Name: title, GPU: id, Format: "recording", Device: capture.Device{Name: title, Vendor: "Arm", Driver: "kbase"},
		Axis: &capture.Axis{Clock: "CLOCK_MONOTONIC"}}
	for _, c := range []struct {
		name string
		v    float64
	}{{"MaliConstantsShaderCoreCount", float64(p.m.cores)}, {"MaliConstantsL2SliceCount", float64(p.m.slices)},
		{"MaliConstantsBusWidthBits", float64(p.m.busBits)}, {"mali_warp_width", 16}, {"mali_max_clock_hz", p.m.hz}} {
		w.cfg.Properties = append(w.cfg.Properties, capture.Property{Name: c.name, Number: c.v})
	}
	w.axis(e.end(whole)-w.origin, o.Period.Nanoseconds())
	if err := w.counters(); err != nil {
		return nil, err
	}
	w.gauges()
	if o.Host.Of(r.IntN(2) == 0) {
		w.host()
	}
	host.Recorder(w.cfg, rand.New(rand.NewPCG(r.Uint64(), 1)), w.left)
	if o.Marks.Of(r.IntN(3) > 0) {
		w.marks()
	}
	return capture.New(*w.cfg)
}

// axis draws the samples: mostly a period apart, some a little late, and some ticks are missed.
func (w *recorder) axis(length float64, period int64) {
	drawn := pick(w.r, 1e6, 1e6, 2e6, 2e6, 4e6, 5e6, 8e6, 10e6, 16e6)
	if period == 0 {
		period = int64(drawn)
	}
	a, end := w.cfg.Axis, int64(math.Round(length))
	missed := uniform(w.r, 0, 0.01)
	jitter := uniform(w.r, 0.001, 0.03)
	for t, tick := int64(0), int64(0); t < end; {
		from := tick
		tick += period
		lost := uint64(0)
		for w.r.Float64() < missed {
			tick += period
			lost++
		}
		next := tick + int64(float64(period)*min(0.4, jitter*w.r.ExpFloat64()))
		if next >= end || end-next < period/2 {
			next = end
		}
		a.Start, a.End = append(a.Start, t), append(a.End, next)
		if lost > 0 && tick > from {
			w.cfg.Late = append(w.cfg.Late, capture.Gap{Start: t, End: next, Lost: lost})
		}
		t = next
	}
}

// each calls f for the part of [from, to) that is in every sample, with its share.
func (w *recorder) each(from, to float64, f func(sample int, share float64)) {
	a := w.cfg.Axis
	from, to = from-w.origin, to-w.origin
	i, _ := slices.BinarySearchFunc(a.End, from, func(end int64, t float64) int {
		if float64(end) <= t {
			return -1
		}
		return 1
	})
	for ; i < a.Len() && float64(a.Start[i]) < to; i++ {
		lo, hi := max(from, float64(a.Start[i])), min(to, float64(a.End[i]))
		if hi > lo {
			f(i, (hi-lo)/(to-from))
		}
	}
}

func (w *recorder) counters() error {
	p, n := w.p, w.cfg.Axis.Len()
	t := &table{index: map[string]int{}, n: n}
	w.tab = t
	h := &habits{partial: uniform(w.r, 0.1, 0.4), opaque: uniform(w.r, 0.3, 0.9), full: uniform(w.r, 0.6, 0.95), registers: uniform(w.r, 0, 0.5),
		diverged: uniform(w.r, 0, 0.08), narrow: uniform(w.r, 0.05, 0.6), single: uniform(w.r, 0.01, 0.2), writeBack: uniform(w.r, 0.3, 0.8),
		updated: uniform(w.r, 0.3, 0.8), late: logarithmic(w.r, 0.002, 0.1), lateKilled: uniform(w.r, 0.02, 0.5), unchanged: logarithmic(w.r, 0.004, 0.06),
		position: uniform(w.r, 0.45, 0.75), varying: uniform(w.r, 0.1, 0.4), assembly: uniform(w.r, 0.25, 0.55), written: logarithmic(w.r, 0.01, 0.2)}
	h.cull(w.r)
	threads := uniform(w.r, 0.85, 0.97)
	for i := range w.e.segments {
		s := &w.e.segments[i]
		if s.end <= w.origin && i > 0 {
			continue
		}
		t.reset()
		p.count(t, s, h)
		t.add("gpu_clock_cycles", (s.end-s.start)*s.share*p.m.hz*1e-9)
		if p.m.gen5 {
			t.add("MaliFragThread", 16*threads*t.row[t.index["MaliFragWarp"]])
		}
		w.each(s.start, s.end, func(sample int, share float64) {
			for k, v := range t.row {
				t.cols[k][sample] += v * share
			}
		})
	}
	for q := range queues {
		t.add("Mali"+p.queue(q)+"QueueJob", 0)
	}
	t.add("MaliGPUIRQ", 0)
	t.add("MaliGPUIRQActiveCy", 0)
	t.add("MaliL2CacheFlush", 0)
	for i := range w.e.frames {
		f := &w.e.frames[i]
		for k := range f.passes {
			ps := &p.contents[p.of[i]].passes[k]
			w.event("Mali"+p.queue(ps.queue)+"QueueJob", f.passes[k].end, 1)
			w.event("MaliL2CacheFlush", f.passes[k].start, 1)
		}
		w.event("MaliGPUIRQ", f.end, 1)
		w.event("MaliGPUIRQActiveCy", f.end, min(6e3, 0.3*p.m.irq)*1e-9*p.m.hz)
	}
	return w.whole()
}

func (w *recorder) event(name string, at, v float64) {
	w.each(at, at+1, func(sample int, share float64) { w.tab.cols[w.tab.index[name]][sample] += v * share })
}

// whole makes whole numbers of what was counted, and counters of them.
func (w *recorder) whole() error {
	t := w.tab
	cols := map[string][]uint64{}
	for k, name := range t.names {
		out := make([]uint64, t.n)
		sum, told := 0.0, 0.0
		for i, v := range t.cols[k] {
			sum += v
			now := math.Floor(sum + 1e-6)
			out[i] = uint64(max(0, now-told))
			told = max(now, told)
		}
		cols[name] = out
	}
	w.sums(cols)
	names := slices.Clone(t.names)
	for name := range cols {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names[len(t.names):])
	for _, name := range names {
		m := capture.Meta{Name: name, Unit: "cycles", Block: "clock", Source: "kbase", Title: "GPU clock cycles"}
		if name != "gpu_clock_cycles" {
			e, err := w.cat.Find(name)
			if err != nil {
				return fmt.Errorf("counter %s: %w", name, err)
			}
			m = capture.Meta{Name: e.Name, Title: e.Title, Unit: e.Unit, Doc: e.Doc, GPU: w.cfg.GPU, Block: e.Block, Source: "kbase",
				Aliases: append(slices.Clone(e.Aliases), name)}
		}
		if slices.Contains(w.left, name) || slices.Contains(w.left, m.Name) {
			continue
		}
		w.cfg.Counters = append(w.cfg.Counters, &capture.Counter{Meta: m, Axis: w.cfg.Axis, Col: capture.NewColumn(capture.Data{U: cols[name]})})
	}
	return nil
}

// sums makes counters that are sums or parts of others agree with them to the last one.
func (w *recorder) sums(cols map[string][]uint64) {
	n := w.tab.n
	for _, name := range []string{"MaliGeomTrianglePrim", "MaliGeomLinePrim", "MaliGeomPointPrim", "MaliGeomFrontFacePrim", "MaliGeomBackFacePrim"} {
		cols[name] = make([]uint64, n)
	}
	back := w.r.IntN(2) == 0 // facing is not tested for all
	for i := range n {
		total := uint64(0)
		for _, name := range []string{"MaliGeomVisiblePrim", "MaliGeomSampleCullPrim", "MaliGeomFaceXYPlaneCullPrim", "MaliGeomZPlaneCullPrim",
			"MaliGeomFaceCullPrim", "MaliGeomPlaneCullPrim", "MaliGeomScissorCullPrim"} {
			if c := cols[name]; c != nil {
				total += c[i]
			}
		}
		cols["MaliGeomLinePrim"][i] = total / 200
		cols["MaliGeomTrianglePrim"][i] = total - total/200
		seen := cols["MaliGeomVisiblePrim"][i]
		if back {
			cols["MaliGeomBackFacePrim"][i] = seen / 12
		}
		cols["MaliGeomFrontFacePrim"][i] = seen - cols["MaliGeomBackFacePrim"][i]
		cols["MaliL2CacheLookup"][i] = cols["MaliL2CacheRdLookup"][i] + cols["MaliL2CacheWrLookup"][i]
		cols["MaliExtBusWrNoSnoopFull"][i] = cols["MaliExtBusWr"][i] - min(cols["MaliExtBusWr"][i], cols["MaliExtBusWrNoSnoopPart"][i])
	}
	below := func(upper string, parts ...string) {
		for i := range n {
			left := cols[upper][i]
			for _, p := range parts {
				cols[p][i] = min(cols[p][i], left)
				left -= cols[p][i]
			}
		}
	}
	below("MaliExtBusRdBt", "MaliExtBusRdLat0", "MaliExtBusRdLat128", "MaliExtBusRdLat192", "MaliExtBusRdLat256", "MaliExtBusRdLat320")
	below("MaliExtBusRd", "MaliExtBusRdOTQ1", "MaliExtBusRdOTQ2", "MaliExtBusRdOTQ3")
	below("MaliExtBusWr", "MaliExtBusWrOTQ1", "MaliExtBusWrOTQ2", "MaliExtBusWrOTQ3")
	below("MaliGPUActiveCy", "MaliGPUAnyQueueActiveCy")
	below("MaliAnyActiveCy", "MaliCoreActiveCy")
}

func (w *recorder) gauge(name, title, unit string, f func(i int) float64) {
	if slices.Contains(w.left, name) {
		return
	}
	d := capture.Data{F: make([]float64, w.cfg.Axis.Len())}
	for i := range d.F {
		d.F[i] = f(i)
	}
	w.cfg.Counters = append(w.cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: name, Title: title, Unit: unit, Kind: capture.Gauge,
		Block: "gpu", Source: "kbase"}, Axis: w.cfg.Axis, Col: capture.NewColumn(d)})
}

// gauges are what text files of the kernel show. A phone that does not let the recorder read them has none.
func (w *recorder) gauges() {
	hot := w.p.clock.caps != nil && w.p.clock.kind == simulate.ClockThermal
	trip, warmth := pick(w.r, 70.0, 75, 80, 85), uniform(w.r, 42, 62)
	memory := pick(w.r, 2133e6, 2750e6, 3200e6, 4266e6)
	if w.r.IntN(6) == 0 {
		return
	}
	k := 0
	w.gauge("gpu_frequency", "GPU frequency", "Hz", func(i int) float64 {
		at := float64(w.cfg.Axis.End[i]) + w.origin
		for k+1 < len(w.e.segments) && w.e.segments[k].end < at {
			k++
		}
		return math.Round(w.e.segments[k].share*w.p.m.hz/1e6) * 1e6
	})
	wander, value, until := 0.0, 0.0, int64(-1)
	w.gauge("gpu_temperature", "GPU temperature", "celsius", func(i int) float64 {
		if end := w.cfg.Axis.End[i]; end > until { // a sensor is asked a few times per second
			until = end + 200e6
			wander = 0.8*wander + 0.4*w.r.NormFloat64()
			if value = warmth + wander; hot {
				value = trip + 1 + wander
			}
			value = math.Round(value*10) / 10
		}
		return value
	})
	if w.r.IntN(2) == 0 {
		w.gauge("memory_frequency", "Memory frequency", "Hz", func(int) float64 { return memory })
	}
}

// marks names frames as a program does that writes a mark where it begins one.
func (w *recorder) marks() {
	a := w.cfg.Axis
	l := &capture.Label{Name: "frame", Codes: make([]int32, a.Len())}
	for i := range l.Codes {
		l.Codes[i] = -1
	}
	for n := range w.e.frames {
		from := int64(w.e.frames[n].app - w.origin)
		to := a.End[a.Len()-1]
		if n+1 < len(w.e.frames) {
			to = min(to, int64(w.e.frames[n+1].app-w.origin))
		}
		if from < 0 || from >= to {
			continue
		}
		name := strconv.Itoa(n)
		w.cfg.Regions = append(w.cfg.Regions, capture.Region{Name: "frame " + name, Start: from, End: to})
		l.Dict = append(l.Dict, name)
		for i := range a.Start {
			if mid := a.Start[i] + (a.End[i]-a.Start[i])/2; mid >= from && mid < to {
				l.Codes[i] = int32(len(l.Dict) - 1)
			}
		}
	}
	w.cfg.Labels = append(w.cfg.Labels, l)
}

// host adds the processors: the application's thread runs on the big one, the driver's on another, and the system has
// some work of its own everywhere.
func (w *recorder) host() {
	n, cpus := w.cfg.Axis.Len(), w.p.m.cpus
	l := &host.Load{Switches: uniform(w.r, 2000, 9000), InterruptsRate: uniform(w.r, 1500, 5000)}
	own := rand.New(rand.NewPCG(w.r.Uint64(), 2))
	for range cpus {
		user, system := make([]float64, n), make([]float64, n)
		rest := uniform(own, 0.01, 0.08)
		for i := range n {
			d := float64(w.cfg.Axis.Interval(i))
			user[i], system[i] = d*rest*own.ExpFloat64()*0.7, d*rest*own.ExpFloat64()*0.3
		}
		l.User, l.System = append(l.User, user), append(l.System, system)
	}
	work := func(cpu int, from, to, kernel float64) {
		w.each(from, to, func(i int, share float64) {
			l.User[cpu][i] += (to - from) * share * (1 - kernel)
			l.System[cpu][i] += (to - from) * share * kernel
		})
	}
	app, driver := cpus-1, cpus-2
	if own.IntN(3) == 0 {
		app = cpus - 3
	}
	for i := range w.e.frames {
		f := &w.e.frames[i]
		work(app, f.app, f.appEnd, 0.06)
		on := driver
		if w.p.contents[w.p.of[i]].oneThread {
			on = app
		}
		work(on, f.driver, f.driverEnd, 0.35)
	}
	m := &host.Machine{Least: 300e6, Shared: true, Reach: 1, Memory: pick(own, 8.0, 12, 16) * (1 << 30), Pressure: own.IntN(2) == 0,
		Sensors: []host.Sensor{host.Zone(own, "soc", uniform(own, 40, 60), 0.1)}}
	for c := range cpus {
		cluster, most := 0, 1.8e9
		if c >= 4 {
			cluster, most = 1, 2.8e9
		}
		if c == cpus-1 {
			cluster, most = 2, 3.1e9
		}
		m.Clusters, m.Most = append(m.Clusters, cluster), append(m.Most, most)
	}
	host.Add(w.cfg, own, m, l, w.left)
}
