package mali

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// recorder is what a recording of a program was set to, and the habits of the machine that it ran on.
type recorder struct {
	p            *program
	seed         uint64
	period       float64 // ns
	late, missed float64
	usual        float64 // ns that samples are late
	marks, host  bool
	gauges       bool // the kernel shows the clock and the temperature
	load, memory bool
	irq          float64 // interrupts for a job
	busy         float64 // of other devices on the interconnect
	ambient      float64
	threads      processor
}

func drawRecorder(r simulate.Random, p *program) *recorder {
	return &recorder{p: p, seed: r.Uint64(), period: simulate.Pick(r, 1e6, 1e6, 2e6, 4e6, 5e6, 8e6, 10e6, 10e6, 16e6),
		late: r.Log(0.001, 0.05), missed: r.Log(0.001, 0.04), usual: r.Log(8e3, 2e5), marks: r.Chance(0.5),
		host: r.Chance(0.5), gauges: r.Chance(0.75), load: r.Chance(0.5), memory: r.Chance(0.4), irq: r.Between(0.3, 2),
		busy: r.Between(0, 1), ambient: r.Between(34, 60), threads: drawProcessor(r, p)}
}

// record runs the program under the recorder.
func (rec *recorder) record(o simulate.Options) (*capture.Capture, error) {
	p, m := rec.p, rec.p.m
	r := simulate.NewRandom(rec.seed, "recording")
	period := rec.period
	if o.Period > 0 {
		period = float64(o.Period.Nanoseconds())
	}
	share := func(given, drawn float64) float64 {
		if given != 0 {
			return max(0, given)
		}
		return drawn
	}
	late, missed := share(o.Late, rec.late), share(o.Missed, rec.missed)
	bounds := simulate.NewBounds(period, simulate.Jitter(r, period, min(rec.usual, period/8), late, missed))
	t := &tape{bounds: bounds}
	e := engines.Get().(*engine)
	defer engines.Put(e)
	if err := e.run(m, p.w, asItIs, false, t); err != nil {
		return nil, err
	}
	begin, end := e.frames[p.w.warm-1].flip, e.frames[len(e.frames)-1].flip
	first := bounds.Index(begin)
	if bounds.At(first) < begin {
		first++
	}
	last := min(t.i, bounds.Index(end))
	if last-first < 3 {
		if o.Period == 0 && period > 1e6 { // whoever records so short a program takes shorter samples
			o.Period = time.Duration(max(1e6, period/4))
			return rec.record(o)
		}
		return nil, fmt.Errorf("%d samples are too few: the period of %v is too long for %v", last-first,
			time.Duration(period), time.Duration(end-begin))
	}
	axis := &capture.Axis{Clock: "CLOCK_MONOTONIC"}
	origin := bounds.At(first)
	skip := map[int]int{}
	for range o.Gaps {
		at := first + 1 + r.IntN(max(1, last-first-2))
		skip[at] = min(last-1, at+1+int(r.ExpFloat64()*float64(last-first)/50))
	}
	cfg := capture.Config{Name: "simulated", GPU: m.catalogue, Axis: axis}
	var rows []int
	lost := func(from, to int, n int, why string) capture.Gap {
		return capture.Gap{Start: bounds.At(from) - origin, End: bounds.At(to) - origin, Lost: uint64(n),
			Reason: capture.Reason{Code: capture.LostReports, Text: why}}
	}
	for i := first; i < last; i++ {
		if to := skip[i]; to > i {
			cfg.Gaps = append(cfg.Gaps, lost(i, to, to-i, "samples were dropped before they could be read"))
			i = to - 1
			continue
		}
		axis.Start, axis.End = append(axis.Start, bounds.At(i)-origin), append(axis.End, bounds.At(i+1)-origin)
		rows = append(rows, i)
		if n := bounds.Missed(i); n > 0 {
			cfg.Late = append(cfg.Late, lost(i, i+1, n,
				"the driver took no sample in some periods, for lack of room or time: this sample has their time and counts"))
		}
	}
	rec.describe(&cfg)
	left := telling.Left(&o, telling.Mali)
	rec.fill(&cfg, t, rows, left, r)
	if o.Marks.Of(rec.marks) {
		mark(&cfg, e.frames, origin)
	}
	if o.Host.Of(rec.host) {
		rec.threads.add(&cfg, rec, t, origin, left, simulate.NewRandom(rec.seed, "processor"))
	}
	return capture.New(cfg)
}

// describe says what the driver tells of the GPU, as this project's reader passes it on.
func (rec *recorder) describe(cfg *capture.Config) {
	m := rec.p.m
	cfg.Device = capture.Device{Name: m.product.name, Vendor: "Arm", Driver: "kbase", ID: fmt.Sprintf("%#x", m.product.id),
		Extra: map[string]string{}}
	for _, x := range []struct {
		name  string
		value float64
	}{{"MaliConstantsShaderCoreCount", float64(m.cores)}, {"MaliConstantsL2SliceCount", float64(m.slices)},
		{"MaliConstantsBusWidthBits", 8 * m.bus}, {"mali_warp_width", 16}, {"mali_max_clock_hz", math.Round(m.top() * 1e9)}} {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: x.name, Number: x.value})
	}
	for _, x := range [][2]string{{"mali_core_mask", fmt.Sprintf("%#x", m.mask)}, {"mali_counter_layout", m.layout}} {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: x[0], Text: x[1], IsText: true})
	}
}

// fill makes the GPU's counters and gauges.
func (rec *recorder) fill(cfg *capture.Config, t *tape, rows []int, left []string, r simulate.Random) {
	p, m := rec.p, rec.p.m
	cols := simulate.NewColumns(cfg.Axis)
	tab := p.newTable(cols, left, r)
	var clocks []int
	for i, name := range []string{"gpu_clock_cycles", "shader_clock_cycles"} {
		if i < m.domains && !slices.Contains(left, name) {
			title := []string{"GPU clock cycles", "Shader core clock cycles"}[i]
			clocks = append(clocks, cols.Counter(capture.Meta{Name: name, Title: title, Unit: "cycles", Block: "clock", Source: "kbase"}))
			tab.at[name] = clocks[len(clocks)-1]
		}
	}
	gauge := func(have bool, name, title, unit string) int {
		if !have || slices.Contains(left, name) {
			return -1
		}
		return cols.Gauge(capture.Meta{Name: name, Title: title, Unit: unit, Block: "gpu", Source: "kbase"})
	}
	// A policy that heat sets is of a system that shows it; withheld gauges are left out in any case.
	freq := gauge(rec.gauges || m.clock.hot != nil || m.clock.power != nil, "gpu_frequency", "GPU frequency", "Hz")
	temp := gauge(rec.gauges || m.clock.hot != nil, "gpu_temperature", "GPU temperature", "celsius")
	load := gauge(rec.load, "gpu_utilisation", "GPU utilisation", "percent")
	memory := gauge(rec.memory, "memory_frequency", "Memory frequency", "Hz")
	util, shown, warm := 0.0, -1.0, rec.ambient
	dram := math.Round(simulate.Pick(r, 2133e6, 2750e6, 3200e6, 4266e6))
	window, worked := 0.0, 0.0
	for k, i := range rows {
		row := &t.rows[i]
		for _, at := range clocks {
			cols.Add(at, row.state[sCycles])
		}
		tab.add(p.countable(row, rec.irq, rec.busy))
		d := float64(cfg.Axis.Interval(k))
		// Drivers renew their estimate of the load every few tens of ms.
		if window, worked = window+d, worked+row.state[sBusyNs]; window > 4e7 || k == 0 {
			util, window, worked = min(100, math.Round(100*worked/max(1, window))), 0, 0
		}
		warm += (rec.ambient + 25*util/100*row.freq/m.top() - warm) * min(1, d/4e9)
		if i < len(t.temps) && m.clock.hot != nil {
			warm = t.temps[i]
		}
		if now := math.Round(warm*10) / 10; shown < 0 || r.Chance(min(1, d/1e8)) {
			shown = now // a sensor is read some times a second
		}
		for _, g := range []struct {
			at int
			v  float64
		}{{freq, math.Round(row.freq*1e3) * 1e6}, {temp, shown}, {load, util}, {memory, dram}} {
			if g.at >= 0 {
				cols.Set(g.at, g.v)
			}
		}
	}
	cfg.Counters = append(cfg.Counters, cols.Counters(left)...)
}

// mark adds what a program's marks at the starts of its frames give: a region for each frame, and for samples the frame
// that their middle lies in.
func mark(cfg *capture.Config, frames []frameState, origin int64) {
	n := cfg.Axis.Len()
	label := &capture.Label{Name: "frame", Codes: make([]int32, n)}
	at, code := -1, int32(-1)
	for i := range n {
		middle := origin + (cfg.Axis.Start[i]+cfg.Axis.End[i])/2
		for at+1 < len(frames) && frames[at+1].begin <= middle {
			at++
			code = -1
		}
		if at >= 0 && code < 0 {
			label.Dict = append(label.Dict, strconv.Itoa(at))
			code = int32(len(label.Dict) - 1)
		}
		label.Codes[i] = code
	}
	cfg.Labels = append(cfg.Labels, label)
	_, end := cfg.Axis.Extent()
	for i := range frames {
		from, to := frames[i].begin-origin, end
		if i+1 < len(frames) {
			to = frames[i+1].begin - origin
		}
		if to > 0 && from < end {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(i), Start: max(0, from), End: min(end, to)})
		}
	}
}
