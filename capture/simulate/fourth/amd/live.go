package amd

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// periods are those between samples that people ask for, in ns.
var periods = []float64{1e6, 2e6, 4e6, 5e6, 8e6, 1e7, 1.6e7}

// tape is a film with the samples of a recorder over it.
type tape struct {
	p      *program
	film   *film
	origin int64 // ns of the simulation at which the capture begins
	end    int64
	axis   *capture.Axis
	gaps   []capture.Gap
	late   []capture.Gap
}

// recordCase makes the capture.
func (p *program) recordCase(o simulate.Options) (*capture.Capture, error) {
	var pipe pipe
	base := p.prepared(&pipe, &relief{})
	t := &tape{p: base, film: base.play(relief{}, true)}
	last := len(p.frames) - 1
	t.origin, t.end = t.film.frames[p.warm-1].flip, t.film.frames[last].flip
	r := simulate.NewRandom(p.seed, "recorder")
	t.samples(&o, r)
	cols := simulate.NewColumns(t.axis)
	t.status(cols, simulate.NewRandom(p.seed, "registers"))
	left := telling.Left(&o, telling.AMD)
	cfg := capture.Config{Name: p.c.Family + "-" + p.c.Kind + "-" + strconv.FormatUint(p.c.Seed, 10), Format: "recording", GPU: "amd-live",
		Device: capture.Device{Name: p.d.name, Vendor: "AMD", Driver: "amdgpu, Linux 6.12.0", ID: "0000:03:00.0",
			Extra: map[string]string{"card": "card0", "generation": p.d.generation, "power_dpm_force_performance_level": t.level()}},
		Axis: t.axis, Gaps: t.gaps, Late: t.late, Properties: p.d.properties()}
	drawn := []bool{r.Chance(0.6), r.Chance(0.4)}
	slow := t.slow(simulate.NewRandom(p.seed, "firmware"))
	cfg.Counters = append(cols.Counters(left), slow...)
	if o.Host.Of(drawn[0]) {
		counters, props := t.host(simulate.NewRandom(p.seed, "processor"))
		cfg.Counters = append(cfg.Counters, counters...)
		cfg.Properties = append(cfg.Properties, props...)
	}
	cfg.Counters = slices.DeleteFunc(cfg.Counters, func(c *capture.Counter) bool { return slices.Contains(left, c.Name) })
	if o.Marks.Of(drawn[1]) {
		t.mark(&cfg)
	}
	return capture.New(cfg)
}

// level is the performance level that someone set.
func (t *tape) level() string {
	if t.p.clockBy == governor && !t.p.lively && t.p.held < 1 {
		return []string{"low", "manual"}[t.p.seed%2]
	}
	return "auto"
}

const mib = 1 << 20

// properties are what the driver says of a product.
func (d *device) properties() (out []capture.Property) {
	for _, x := range []struct {
		name  string
		value float64
	}{{"shader_engines", d.se}, {"cu_per_gpu", d.cu}, {"wave_size", 32}, {"l2_channels", d.channels}, {"max_sclk_hz", d.mhz * 1e6},
		{"max_mclk_hz", d.dramMHz * 1e6}, {"mall_bytes", d.mallMiB * mib}, {"is_apu", b2f(d.apu)}, {"vram_bytes", d.vramGiB * 1024 * mib},
		{"gtt_bytes", 16384 * mib}} {
		if x.value > 0 || x.name == "is_apu" {
			out = append(out, capture.Property{Name: x.name, Number: x.value})
		}
	}
	return out
}

// samples draws when samples are taken.
func (t *tape) samples(o *simulate.Options, r simulate.Random) {
	length := float64(t.end - t.origin)
	want := length / r.Log(60, 360)
	period := periods[0]
	for _, x := range periods {
		if x <= want || length/period > 400 {
			period = x
		}
	}
	if o.Period > 0 {
		period = float64(o.Period)
	}
	if length/period < 4 {
		period = length / 4
	}
	share := func(asked, drawn float64) float64 {
		if asked != 0 {
			return max(0, asked)
		}
		return drawn
	}
	late := share(o.Late, simulate.Pick(r, 0, 0.005, 0.02))
	missed := share(o.Missed, simulate.Pick(r, 0, 0.003, 0.01))
	b := simulate.NewBounds(period, simulate.Jitter(r, period, 2.5e4, late, missed))
	n := 0
	for b.At(n+1) <= t.end-t.origin {
		n++
	}
	t.axis = &capture.Axis{Clock: "CLOCK_MONOTONIC"}
	skip := map[int]int{}
	for range o.Gaps {
		at := 1 + r.IntN(max(1, n-2))
		skip[at] = min(n-1, at+1+r.IntN(max(1, n/30)))
	}
	for i := 0; i < n; i++ {
		if until, ok := skip[i]; ok && until > i {
			t.gaps = append(t.gaps, capture.Gap{Start: b.At(i), End: b.At(until), Lost: uint64(until - i),
				Reason: capture.Reason{Code: capture.LostReports, Text: "the recorder did not keep up"}})
			i = until - 1
			continue
		}
		t.axis.Start, t.axis.End = append(t.axis.Start, b.At(i)), append(t.axis.End, b.At(i+1))
		if k := b.Missed(i); k > 0 {
			t.late = append(t.late, capture.Gap{Start: b.At(i), End: b.At(i + 1), Lost: uint64(k),
				Reason: capture.Reason{Code: capture.LostReports, Text: "the recorder was not run in time"}})
		}
	}
}

// status samples the status registers.
func (t *tape) status(cols *simulate.Columns, r simulate.Random) {
	rate := simulate.Pick(r, 1e4, 1e4, 1e4, 5e3, 2e4)
	dma := simulate.Pick(r, 0, 0.01, 0.05)
	sums := make([]sum, t.axis.Len())
	at := 0
	for i := range sums {
		sums[i] = reads(t.film.g.timeline, &at, t.origin+t.axis.Start[i], t.origin+t.axis.End[i], rate, dma, r)
	}
	statusColumns(cols, sums)
}

// state is what firmware knows of a stretch of time, as means.
type state struct {
	busy, clock, power, memory float64
	engines                    [2]float64 // ns
}

// window is the state between two times of the simulation.
func (t *tape) window(from, until int64) (s state) {
	line := t.film.g.timeline
	i, _ := slices.BinarySearchFunc(line, from, func(x stretch, at int64) int { return int(x.end - at) })
	clocked := 0.0
	for ; i < len(line) && line[i].start < until; i++ {
		x := &line[i]
		ns := float64(min(x.end, until) - max(x.start, from))
		if ns <= 0 {
			continue
		}
		heat, memory := 0.0, 0.0
		for q, j := range x.jobs {
			if j == nil {
				continue
			}
			heat, memory = heat+j.heat, memory+j.moved
			s.engines[q] += ns
		}
		s.busy += ns * b2f(heat > 0)
		s.power += ns * min(1.1, heat) * math.Pow(x.clock, 2.4)
		s.memory += ns * min(1, memory)
		s.clock += ns * x.clock
		clocked += ns
	}
	all := float64(until - from)
	s.busy, s.power, s.memory = s.busy/all, s.power/all, s.memory/all
	if s.clock /= max(1, clocked); clocked == 0 {
		s.clock = t.p.held
	}
	return s
}

// slow makes what sensors and firmware tell, which a thread of the recorder reads some ten times a second.
func (t *tape) slow(r simulate.Random) (out []*capture.Counter) {
	d, n := t.p.d, t.axis.Len()
	values := map[string][]float64{}
	var order []string
	set := func(name string, v float64) {
		if values[name] == nil {
			order = append(order, name)
		}
		values[name] = append(values[name], v)
	}
	refresh := int64(r.Between(0.99, 1.06) * 1e8)
	next := t.origin // the recorder reads everything once as it starts
	idle := d.watts * r.Between(0.1, 0.2)
	dynamic := (d.watts - idle) * r.Between(0.75, 1.05)
	switch t.p.clockBy {
	case power:
		dynamic = (d.watts - idle) / t.p.budget
	case thermal: // what the cooling carries away is less than what the supply gives
		dynamic = max(dynamic, (d.watts*r.Between(0.6, 0.92)-idle)/(t.p.heatMean*math.Pow(t.p.held, 2.4)))
	}
	limit := simulate.Pick(r, 105.0, 110)
	warm := r.Between(55, 78)
	if d.apu {
		limit = simulate.Pick(r, 95.0, 100)
	}
	used, others := r.Between(0.2, 0.85)*d.vramGiB, r.Between(0.2, 2)
	clients := float64(r.Whole(2, 9))
	var now state
	var engines, before [2]float64
	heat := warm
	for i := range n {
		until := t.origin + t.axis.End[i]
		for next <= until {
			was := next
			next += refresh
			from := max(0, was-int64(1e8))
			now = t.window(from, max(from+1, was))
			if was > t.origin {
				w := t.window(was-refresh, was)
				engines[0], engines[1] = engines[0]+w.engines[0], engines[1]+w.engines[1]
			}
			now.clock *= 1 - math.Abs(0.004*r.NormFloat64())
			heat += 0.3*r.NormFloat64() + 0.05*(warm-heat)
		}
		watts := idle + dynamic*now.power
		byPower, byHeat := 0.0, 0.0
		held := now.clock < 0.985
		edge, hot := heat, heat+r.Between(8, 12)
		switch {
		case t.p.clockBy == power && held:
			byPower, watts = 100, d.watts*min(1.02, max(0.9, watts/d.watts))
		case t.p.clockBy == thermal && held:
			byHeat, hot, edge = 100, limit-r.Between(0, 1.2), limit-14
			if d.apu {
				edge = hot
			}
		}
		watts = min(watts, 1.03*d.watts)
		sclk, mclk := math.Round(now.clock*d.mhz)*1e6, d.dramMHz*1e6
		if now.busy < 0.15 && t.p.lively {
			mclk *= 0.5
		}
		set("sensor_load", math.Round(100*now.busy))
		set("sensor_sclk", sclk)
		set("sensor_mclk", mclk)
		set("sensor_power", math.Round(watts))
		set("sensor_temperature", math.Round(edge))
		set("vram_used", used*1024*mib)
		set("gtt_used", others*1024*mib)
		set("gpu_busy_percent", math.Round(100*now.busy))
		if !d.apu {
			set("mem_busy_percent", math.Round(100*now.memory))
		}
		set("power", watts)
		set("power_cap", d.watts)
		set("temperature.edge", math.Round(edge))
		if !d.apu {
			set("temperature.junction", math.Round(hot))
			set("temperature.mem", math.Round(edge+4))
		}
		set("frequency.sclk", sclk)
		set("frequency.mclk", mclk)
		set("gpu_metrics_temperature_edge", math.Round(edge))
		set("gpu_metrics_temperature_hotspot", math.Round(hot))
		set("gpu_metrics_average_gfx_activity", math.Round(100*now.busy))
		if !d.apu {
			set("gpu_metrics_average_umc_activity", math.Round(100*now.memory))
		}
		set("gpu_metrics_average_socket_power", math.Round(watts))
		set("gpu_metrics_average_gfxclk_frequency", sclk)
		set("gpu_metrics_current_gfxclk", sclk)
		set("gpu_metrics_current_uclk", mclk)
		set("throttled_by_power", byPower)
		set("throttled_by_current", 0)
		set("throttled_by_heat", byHeat)
		set("engine_gfx", math.Floor(engines[0]-before[0]))
		set("engine_compute", math.Floor(engines[1]-before[1]))
		before = engines
		set("clients", clients)
	}
	return t.columns(order, values)
}

// columns makes counters of what the driver tells. A name with a dot is of an instance.
func (t *tape) columns(order []string, values map[string][]float64) (out []*capture.Counter) {
	for _, name := range order {
		whole, instance, _ := strings.Cut(name, ".")
		k := kindOf(whole)
		m := capture.Meta{Name: whole, Title: whole, Unit: k.unit, Kind: capture.Gauge, GPU: "amd-live", Source: "amdgpu", Block: k.block,
			Combine: k.combine}
		data := capture.Data{F: values[name]}
		if k.delta {
			m.Kind = capture.Delta
		}
		if k.delta || k.unit == "bytes" || k.unit == "clients" {
			data = capture.Data{U: make([]uint64, len(values[name]))}
			for i, v := range values[name] {
				data.U[i] = uint64(v)
			}
		}
		c := &capture.Counter{Meta: m, Axis: t.axis, Col: capture.NewColumn(data)}
		if instance == "" {
			out = append(out, c)
			continue
		}
		c.Meta.Instance = instance
		if n := len(out); n > 0 && out[n-1].Name == whole {
			out[n-1].Instances = append(out[n-1].Instances, c)
			continue
		}
		m.Instance = ""
		out = append(out, &capture.Counter{Meta: m, Axis: t.axis, Instances: []*capture.Counter{c}})
	}
	return out
}

type kind struct {
	unit, block string
	combine     capture.Combine
	delta       bool
}

func kindOf(name string) kind {
	starts := func(s string) bool { return strings.HasPrefix(name, s) }
	k := kind{block: "gpu_metrics", combine: capture.CombineMean}
	switch {
	case starts("sensor_"):
		k.block = "sensors"
	case starts("vram"), starts("gtt"):
		k = kind{unit: "bytes", block: "memory"}
	case name == "gpu_busy_percent", name == "mem_busy_percent":
		k.block = "activity"
	case starts("power"), starts("temperature"), starts("frequency"):
		k.block = "hwmon"
	case starts("engine_"):
		return kind{unit: "ns", block: "engines", delta: true}
	case name == "clients":
		return kind{unit: "clients", block: "engines"}
	}
	has := func(s string) bool { return strings.Contains(name, s) }
	switch {
	case k.unit != "":
	case has("power") && !has("throttled"):
		k.unit, k.combine = "watts", capture.CombineSum
	case has("temperature"):
		k.unit, k.combine = "celsius", capture.CombineMax
	case has("clk"), has("frequency"):
		k.unit = "Hz"
	default:
		k.unit = "percent"
		if has("throttled") {
			k.combine = capture.CombineMax
		}
	}
	return k
}

// mark adds the frames that the program told of.
func (t *tape) mark(cfg *capture.Config) {
	fs := t.film.frames
	texts := make([]string, t.axis.Len())
	k := -1
	for i := range texts {
		middle := t.origin + (t.axis.Start[i]+t.axis.End[i])/2
		for k+1 < len(fs) && fs[k+1].appStart <= middle {
			k++
		}
		if k >= 0 {
			texts[i] = strconv.Itoa(k)
		}
	}
	cfg.Labels = append(cfg.Labels, capture.NewLabel("frame", texts, nil))
	_, end := t.axis.Extent()
	for i := range fs {
		until := end
		if i+1 < len(fs) {
			until = fs[i+1].appStart - t.origin
		}
		if from := fs[i].appStart - t.origin; until > 0 && from < end {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(i), Start: max(0, from), End: min(end, until)})
		}
	}
}

// overlap is how long [a, b) lies in [from, until).
func overlap(a, b, from, until int64) float64 { return float64(max(0, min(b, until)-max(a, from))) }

// tickOf is the unit in which /proc/stat counts.
const tickOf = float64(10 * time.Millisecond)

// host makes the counters of the processor beside the GPU: the program's threads, and what else runs.
func (t *tape) host(r simulate.Random) (out []*capture.Counter, props []capture.Property) {
	cpus := simulate.Pick(r, 8, 12, 16, 24)
	n := t.axis.Len()
	const (
		user = iota
		system
		idle
		wait
		modes
	)
	ghz := r.Between(3.6, 5.2)
	helpers := simulate.Pick(r, 0.02, 0.1, 0.2, 0.3, 0.8) // of other processors, by workers of the program and others
	spins := r.Chance(0.1)                                // the application asks again and again instead of sleeping
	cum := make([][modes]float64, cpus)
	for c := range cum {
		for m := range modes {
			cum[c][m] = r.Float64() * tickOf
		}
	}
	cols := make([][modes][]uint64, cpus)
	freq := make([][]float64, cpus)
	ctxt, intr := make([]uint64, n), make([]uint64, n)
	home, away := r.IntN(cpus), 0
	for away = r.IntN(cpus); away == home; away = r.IntN(cpus) {
	}
	if t.p.pace.threads == 1 {
		away = home
	}
	first := 0
	fs := t.film.frames
	for i := range n {
		from, until := t.origin+t.axis.Start[i], t.origin+t.axis.End[i]
		for first < len(fs) && fs[first].drvEnd < from {
			first++
		}
		var appNs, drvNs float64
		switches := 0.0
		for k := first; k < len(fs) && fs[k].appStart < until; k++ {
			appNs += overlap(fs[k].appStart, fs[k].appEnd, from, until)
			drvNs += overlap(fs[k].drvStart, fs[k].drvEnd, from, until)
			if fs[k].appStart >= from {
				switches += 12
				if fs[k].why != byThread {
					switches += 4
				}
			}
		}
		if r.Chance(0.003) {
			home = r.IntN(cpus)
			if t.p.pace.threads == 1 {
				away = home
			}
		}
		ns := float64(until - from)
		for c := range cpus {
			load := ns * min(0.9, helpers*r.Between(0, 2)*b2f(c%3 == 0)+r.Between(0, 0.02))
			u, s := 0.8*load, 0.2*load
			if c == home {
				u, s = 0.93*appNs, 0.07*appNs
			}
			if c == away {
				u, s = u+0.5*drvNs, s+0.5*drvNs
			}
			if c == home && spins {
				u = ns - s
			}
			if sum := u + s; sum > ns {
				u, s = u*ns/sum, s*ns/sum
			}
			for m, v := range [modes]float64{u, s, ns - u - s, 0} {
				before := math.Floor(cum[c][m] / tickOf)
				cum[c][m] += v
				cols[c][m] = append(cols[c][m], uint64(math.Floor(cum[c][m]/tickOf)-before)*uint64(tickOf))
			}
			freq[c] = append(freq[c], math.Round(ghz*(0.6+0.4*min(1, (u+s)/ns+0.4)*r.Between(0.94, 1))*1000)*1e6)
		}
		ctxt[i] = uint64(switches + ns/1e6*r.Between(2, 6))
		intr[i] = uint64(ns / 1e6 * r.Between(1, 4))
	}
	meta := func(name, unit, block string) capture.Meta {
		return capture.Meta{Name: name, Title: name, Unit: unit, GPU: "cpu", Source: "procfs", Block: block}
	}
	times := func(name string, of func(cpu int) []uint64) {
		whole := &capture.Counter{Meta: meta(name, "ns", "cpu"), Axis: t.axis}
		for c := range cpus {
			one := meta(name, "ns", "cpu")
			one.Instance = strconv.Itoa(c)
			whole.Instances = append(whole.Instances, &capture.Counter{Meta: one, Axis: t.axis, Col: capture.NewColumn(capture.Data{U: of(c)})})
		}
		out = append(out, whole)
	}
	for m, name := range [modes]string{"cpu_user", "cpu_system", "cpu_idle", "cpu_iowait"} {
		times(name, func(c int) []uint64 { return cols[c][m] })
	}
	// Linux tells nine times of a processor, whether or not there is any of the kind.
	none := make([]uint64, n)
	for _, name := range []string{"cpu_nice", "cpu_irq", "cpu_softirq", "cpu_steal", "cpu_guest"} {
		times(name, func(int) []uint64 { return none })
	}
	clock := meta("cpu_frequency", "Hz", "cpu")
	clock.Kind, clock.Combine = capture.Gauge, capture.CombineMean
	whole := &capture.Counter{Meta: clock, Axis: t.axis}
	for c := range cpus {
		one := clock
		one.Instance = strconv.Itoa(c)
		whole.Instances = append(whole.Instances, &capture.Counter{Meta: one, Axis: t.axis, Col: capture.NewColumn(capture.Data{F: freq[c]})})
	}
	out = append(out, whole, &capture.Counter{Meta: meta("ctxt", "switches", "scheduler"), Axis: t.axis, Col: capture.NewColumn(capture.Data{U: ctxt})},
		&capture.Counter{Meta: meta("intr", "interrupts", "scheduler"), Axis: t.axis, Col: capture.NewColumn(capture.Data{U: intr})})
	props = append(props, capture.Property{Name: "cpus_online", Number: float64(cpus)})
	for c := range cpus {
		props = append(props, capture.Property{Name: "cpu_max_freq." + strconv.Itoa(c), Number: math.Round(ghz*1000) * 1e6})
	}
	return out, props
}
