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

// recording is what was drawn of how a case is recorded.
type recording struct {
	set    string
	period float64
	late   float64 // share of the reports that were lost, so that the next is long
	marks  bool
	host   bool
	busy   float64 // of what else ran, per processor
	hot    float64
}

func (m *machine) drawRecording(r *rand.Rand) recording {
	o := recording{set: "RenderBasic", marks: r.Float64() < 0.75, host: r.IntN(2) == 0, busy: 0.01 + 0.08*r.Float64(),
		hot: 58 + 20*r.Float64()}
	if r.Float64() < 0.35 {
		o.set = m.sets[r.IntN(len(m.sets))]
	}
	// The hardware's periods are powers of two of its timestamp's.
	o.period = math.Exp2(float64(15+r.IntN(4))) / m.timestamp * 1e9
	if !m.gen12 {
		o.period /= 2
	}
	if r.IntN(3) == 0 {
		o.late = 0.02 * r.Float64()
	}
	return o
}

// record makes the capture that a recorder would have made of a run.
func (k *known) record(o simulate.Options) (*capture.Capture, error) {
	results := k.base()
	d := k.drawn
	r := rand.New(rand.NewPCG(k.seed, 77))
	from, to := results[0].start, results[len(results)-1].end
	axis := &capture.Axis{Clock: "CLOCK_MONOTONIC"}
	for at := 0.0; from+at < to; {
		length := d.period
		for r.Float64() < d.late {
			length += d.period
		}
		if from+at+length > to {
			break
		}
		axis.Start, axis.End = append(axis.Start, int64(at)), append(axis.End, int64(at+length))
		at += length
	}
	n := axis.Len()
	if n < 4 {
		return nil, fmt.Errorf("%d samples are too few", n)
	}
	sums := make([]counts, n)
	ticks := make([]float64, n)
	frames := flat(results)
	// The interface to memory is that of all engines: one for video or copies moves one to three bytes per ns.
	moved := (1 + 2*r.Float64()) / 64
	for i := range frames {
		f := &frames[i]
		share(axis, f.other.from-from, f.other.to-from, func(i int, part float64) {
			lines := (f.other.to - f.other.from) * part * moved
			sums[i][evOtherRead] += 0.6 * lines
			sums[i][evOtherWrite] += 0.4 * lines
		})
		for j := range f.passes {
			p := &f.passes[j]
			for s := range p.t.spans {
				x := &p.t.spans[s]
				share(axis, p.from+x.from*p.scale-from, p.from+x.to*p.scale-from, func(i int, part float64) {
					for _, e := range x.some {
						sums[i][e] += x.n[e] * p.scale * part
					}
				})
			}
		}
		// The recorder keeps the GPU from sleeping, so clocks go on while it is idle.
		next := to
		if i+1 < len(frames) {
			next = frames[i+1].gpu.from
		}
		begin := f.gpu.from
		if i == 0 {
			begin = from
		}
		share(axis, begin-from, next-from, func(i int, part float64) { ticks[i] += (next - begin) * part * f.clock * 1e-9 })
	}
	// What is handed out evenly over overlapping chunks can be a little more than there is.
	for i := range sums {
		for e := evBankBusy; e < eventCount; e++ {
			sums[i][e] = math.Min(sums[i][e], ticks[i])
		}
		sums[i][evBusy] = math.Min(sums[i][evBusy], ticks[i])
	}
	sets := o.Sets
	if len(sets) == 0 {
		sets = []string{d.set}
	}
	for _, set := range sets {
		if set != "RenderBasic" && !slices.Contains(k.m.sets, set) {
			return nil, fmt.Errorf("the model of %s does not count for metric set %q", k.m.title, set)
		}
	}
	cfg := capture.Config{Name: k.name, GPU: k.m.gpu, Axis: axis, Format: "live", Device: capture.Device{Name: k.m.title,
		Vendor: "Intel", Driver: "i915", ID: k.m.id}}
	turn := make([]int, n)
	if len(sets) > 1 {
		length := max(3, n/(12*len(sets)))
		for i := range turn {
			turn[i] = i / length % len(sets)
		}
	}
	k.properties(&cfg, sets, turn)
	k.columns(&cfg, sums, ticks, sets, turn, o)
	k.labels(&cfg, frames, from, to, sums, o)
	if o.Host.Of(d.host) {
		k.host(&cfg, results, from, o)
	}
	return capture.New(cfg)
}

func flat(results []*result) (out []frame) {
	for _, r := range results {
		out = append(out, r.frames...)
	}
	return out
}

// share hands a stretch out to the samples that it lies in.
func share(axis *capture.Axis, from, to float64, give func(i int, part float64)) {
	if to <= from {
		return
	}
	i, _ := slices.BinarySearch(axis.End, int64(from)+1)
	for ; i < axis.Len() && float64(axis.Start[i]) < to; i++ {
		part := math.Min(to, float64(axis.End[i])) - math.Max(from, float64(axis.Start[i]))
		if part > 0 {
			give(i, part/(to-from))
		}
	}
}

func (k *known) properties(cfg *capture.Config, sets []string, turn []int) {
	m := k.m
	number := func(name string, v float64) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
	}
	if len(sets) == 1 {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: "metric_set", Text: sets[0], IsText: true})
	} else {
		l := &capture.Label{Name: "metric_set", Dict: sets}
		for _, t := range turn {
			l.Codes = append(l.Codes, int32(t))
		}
		cfg.Labels = append(cfg.Labels, l)
	}
	mask := float64(int(1)<<m.subslices - 1)
	number("GpuTimestampFrequency", m.timestamp)
	number("GpuMinFrequency", m.minClock)
	number("GpuMaxFrequency", m.maxClock)
	number("EuThreadsCount", float64(m.threads))
	number("QueryMode", 0)
	number("EuCoresTotalCount", float64(m.subslices*m.eus))
	number("EuSlicesTotalCount", 1)
	number("EuSubslicesTotalCount", float64(m.subslices))
	number("SliceMask", 1)
	number("SubsliceMask", mask)
	if m.gen12 {
		number("DualSubsliceMask", mask)
	}
	number("oa_period_ns", k.drawn.period)
}

// columns appends the counters of the reports. Sets that took turns have holes in each other's.
func (k *known) columns(cfg *capture.Config, sums []counts, ticks []float64, sets []string, turn []int, o simulate.Options) {
	n := len(sums)
	put := func(name, unit string, value func(i int) (float64, bool)) {
		if slices.Contains(o.Without, name) {
			return
		}
		d := capture.Data{U: make([]uint64, n)}
		sum, told := 0.0, 0.0
		for i := range n {
			v, ok := value(i)
			if !ok {
				if d.Valid.Bits == nil {
					d.Valid = capture.NewBitmap(n)
				}
				d.Valid.Clear(i)
				continue
			}
			sum += v
			d.U[i] = uint64(math.Floor(sum) - told)
			told = math.Floor(sum)
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Axis: cfg.Axis, Col: capture.NewColumn(d), Meta: capture.Meta{
			Name: name, Kind: capture.Delta, Unit: unit, Block: "OA", GPU: k.m.gpu, Source: "i915"}})
	}
	put("TIMESTAMP", "ticks", func(i int) (float64, bool) {
		return float64(cfg.Axis.Interval(i)) * k.m.timestamp * 1e-9, true
	})
	put("GPU_TICKS", "cycles", func(i int) (float64, bool) { return ticks[i], true })
	var names []string
	bySet := make([]map[string]column, len(sets))
	for s, set := range sets {
		bySet[s] = map[string]column{}
		for _, c := range k.m.columnsOf(set) {
			if c.withheld(o.Withheld) {
				continue
			}
			bySet[s][c.name] = c
			if !slices.Contains(names, c.name) {
				names = append(names, c.name)
			}
		}
	}
	for _, name := range names {
		put(name, "events", func(i int) (float64, bool) {
			c, ok := bySet[turn[i]][name]
			v := 0.0
			for _, e := range c.of {
				v += sums[i][e]
			}
			return v * c.factor, ok
		})
	}
}

func (k *known) labels(cfg *capture.Config, frames []frame, from, to float64, sums []counts, o simulate.Options) {
	n := cfg.Axis.Len()
	context := &capture.Label{Name: "context", Dict: []string{"idle", fmt.Sprintf("0x%x", 0x20+k.seed%16*8)}}
	for i := range n {
		code := int32(0)
		if sums[i][evBusy] > 0 {
			code = 1
		}
		context.Codes = append(context.Codes, code)
	}
	cfg.Labels = append(cfg.Labels, context)
	if !o.Marks.Of(k.drawn.marks) {
		return
	}
	l := &capture.Label{Name: "frame"}
	at := 0
	for i := range frames {
		l.Dict = append(l.Dict, strconv.Itoa(i))
		end := to
		if i+1 < len(frames) {
			end = frames[i+1].app.from
		}
		start := math.Max(0, frames[i].app.from-from)
		if end-from > start {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(i), Start: int64(start), End: int64(end - from)})
		}
		for ; at < n && float64(cfg.Axis.Start[at]+cfg.Axis.End[at])/2 < end-from; at++ {
			code := int32(i)
			if float64(cfg.Axis.Start[at]+cfg.Axis.End[at])/2 < start {
				code = -1
			}
			l.Codes = append(l.Codes, code)
		}
	}
	for ; at < n; at++ {
		l.Codes = append(l.Codes, -1)
	}
	cfg.Labels = append(cfg.Labels, l)
}

// host adds the processors: a thread of the application and one of the driver, others, and the kernel's work for frames.
func (k *known) host(cfg *capture.Config, results []*result, from float64, o simulate.Options) {
	r := rand.New(rand.NewPCG(k.seed, 78))
	n, cpus := cfg.Axis.Len(), k.m.cpus
	load := &host.Load{Switches: 1500 + 4000*r.Float64(), InterruptsRate: 800 + 2000*r.Float64()}
	for range cpus {
		load.User, load.System = append(load.User, make([]float64, n)), append(load.System, make([]float64, n))
	}
	order := r.Perm(cpus)
	put := func(list [][]float64, cpu int, s stretch, portion float64) {
		share(cfg.Axis, s.from-from, s.to-from, func(i int, part float64) {
			list[cpu][i] += (s.to - s.from) * part * portion
		})
	}
	for _, res := range results {
		p := res.program
		for i := range res.frames {
			f := &res.frames[i]
			a, b := order[0], order[1]
			if i/40%2 == 1 { // the scheduler moves threads
				a, b = order[2], order[3]
			}
			if !p.apart {
				b = a
			}
			put(load.User, a, f.app, 0.97)
			put(load.System, a, f.app, 0.03)
			put(load.User, b, f.driver, 0.75)
			put(load.System, b, f.driver, 0.25)
			for h := range cpus - 2 {
				put(load.User, order[(h+1)%cpus], stretch{f.app.from, f.app.from + math.Min(p.helpers/float64(cpus-2), f.shown-f.app.from)}, 0.9)
			}
		}
	}
	for c := range cpus {
		for i := range n {
			d := float64(cfg.Axis.Interval(i))
			load.User[c][i] += d * k.drawn.busy * r.ExpFloat64() * 0.5
			load.System[c][i] += d * k.drawn.busy * r.ExpFloat64() * 0.25
		}
	}
	hot := k.drawn.hot
	for _, p := range k.programs {
		if p.holder == thermal {
			hot = 97
		}
	}
	machine := &host.Machine{Clusters: make([]int, cpus), Least: 400e6, Reach: 0.92, Memory: 16 << 30, Pressure: r.IntN(2) == 0,
		Sensors: []host.Sensor{host.Zone(r, "x86_pkg_temp", hot, 1)}}
	for range cpus {
		machine.Most = append(machine.Most, 3.4e9)
	}
	if k.m.gen12 {
		for i := range machine.Most {
			machine.Most[i] = 4.4e9
		}
	}
	host.Add(cfg, r, machine, load, o.Without)
	host.Recorder(cfg, r, o.Without)
}
