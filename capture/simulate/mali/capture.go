package mali

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
)

// names are what the two GPUs call counters that mean the same.
var names = map[string]map[string]string{
	"mali-g615": {"active": "MaliGPUCyclesAnyQueueActive", "geometry": "Vertex", "fragment": "Fragment",
		"fragmentCores": "MaliShaderCoreCyclesFragmentActive", "otherCores": "MaliShaderCoreCyclesNonFragmentActive"},
	"mali-g720": {"active": "MaliGPUCyclesGPUActive", "geometry": "BinningPhase", "fragment": "MainPhase",
		"fragmentCores": "MaliShaderCoreCyclesMainPhaseActive",
		"otherCores":    "MaliShaderCoreCyclesComputeOrBinningPhaseActive"},
}

// blocks are in the order in which the driver's reader lays out columns.
var blocks = []string{"fe", "tiler", "memory", "core"}

// layouts are the raw counters of the catalogues, in the reader's order.
var layouts = sync.OnceValue(func() map[string][]*metrics.Entry {
	out := map[string][]*metrics.Entry{}
	for gpu := range names {
		c, err := metrics.Get(gpu)
		if err != nil {
			continue
		}
		var list []*metrics.Entry
		for _, e := range c.Entries() {
			if !e.IsMetric() && slices.Contains(blocks, e.Block) {
				list = append(list, e)
			}
		}
		slices.SortStableFunc(list, func(a, b *metrics.Entry) int {
			return cmp.Or(slices.Index(blocks, a.Block)-slices.Index(blocks, b.Block), a.Index-b.Index)
		})
		out[gpu] = list
	}
	return out
})

// table is a capture in the making.
type table struct {
	d     *device
	run   *simulate.Run
	cols  *simulate.Columns
	at    map[string]int
	order []*metrics.Entry
	value []float64 // of the row, by place in order
	term  [][]slot  // per pass

	clock, shader, frequency int // columns; -1 without
	// ns of firmware per job, share of an interrupt's time, share of a backlog in which the bus pushes back
	mcu, irq, stall float64
}

// slot is a term with the place of its counter.
type slot struct {
	place, tally int
	amount       float64
}

// Capture makes the counters that the driver would have given.
func (d *device) Capture(record func(int) (*simulate.Run, error), rec *cases.Recording) (*capture.Capture, error) {
	run, err := record(0)
	if err != nil {
		return nil, err
	}
	order := layouts()[d.gpu]
	if order == nil {
		return nil, fmt.Errorf("there is no catalogue %s", d.gpu)
	}
	r := simulate.NewRandom(rec.Seed, "mali recording")
	axis, origin, rows, gaps, late := run.Rows("CLOCK_MONOTONIC", rec.Options.Gaps, r,
		"the driver took no sample in some periods, for lack of room or time: this sample has their time and counts",
		"samples were dropped before they could be read")
	t := &table{d: d, run: run, cols: simulate.NewColumns(axis), at: map[string]int{}, order: order,
		value: make([]float64, len(order)), clock: -1, shader: -1, frequency: -1}
	t.mcu, t.irq, t.stall = r.Between(3e3, 12e3), r.Between(0.1, 0.6), r.Between(0.35, 0.95)
	t.layout(r)
	t.bind()
	for k, i := range rows {
		t.row(i, axis.End[k]-axis.Start[k])
	}
	cfg := d.config()
	cfg.Axis, cfg.Gaps, cfg.Late = axis, gaps, late
	without := slices.Clone(rec.Options.Without)
	for _, c := range rec.Options.Withheld {
		without = append(without, d.Counters(c)...)
	}
	cfg.Counters = t.cols.Counters(without)
	if rec.Host {
		cfg.Counters = append(cfg.Counters, cases.HostCounters(run, axis, rows, rec)...)
		cfg.Properties = append(cfg.Properties, cases.HostProperties(rec)...)
	}
	if rec.Marks {
		run.Mark(&cfg, origin)
	}
	return capture.New(cfg)
}

func (d *device) config() capture.Config {
	number := func(name string, v float64) capture.Property { return capture.Property{Name: name, Number: v} }
	return capture.Config{
		Name: "simulated", Format: "recording", GPU: d.gpu,
		Device: capture.Device{Name: d.product, Vendor: "Arm", Driver: "kbase CSF 1.24", ID: fmt.Sprintf("%#x", d.id)},
		Properties: []capture.Property{
			number("MaliConstantsShaderCoreCount", float64(d.cores)), number("MaliConstantsL2SliceCount",
				float64(d.slices)), number("MaliConstantsBusWidthBits", float64(d.bus)),
			number("mali_warp_width", 16), number("mali_max_clock_hz", d.hz), {Name: "mali_core_mask",
				Text: fmt.Sprintf("%#x", d.mask), IsText: true},
			{Name: "mali_counter_layout", Text: map[string]string{"mali-g615": "Mali-G715",
				"mali-g720": "Mali-G720"}[d.gpu], IsText: true},
		},
	}
}

// layout adds the columns.
func (t *table) layout(r simulate.Random) {
	d := t.d
	var cores []string
	for m := d.mask; m != 0; m &= m - 1 {
		cores = append(cores, strconv.Itoa(bits.TrailingZeros64(m)))
	}
	// Tiles go round the cores, so that they share work almost evenly; addresses do the same to the slices.
	even, slicesShare := simulate.Near(r, d.cores, 0.015), simulate.Near(r, d.slices, 0.02)
	for i, e := range t.order {
		m := capture.Meta{Name: e.Name, Unit: e.Unit, Block: e.Block, Kind: capture.Delta, GPU: d.gpu, Source: "kbase"}
		at := t.cols.Counter(m)
		t.at[e.Name] = i
		if e.Scaler > 1 {
			t.cols.Scaled(at, e.Scaler)
		}
		switch e.Block {
		case "core":
			t.cols.Split(at, cores, even)
		case "memory":
			t.cols.Split(at, simulate.Numbers(d.slices), slicesShare)
		}
	}
	clock := func(name string) int {
		return t.cols.Counter(capture.Meta{Name: name, Unit: "cycles", Kind: capture.Delta, Block: "clock",
			Source: "kbase"})
	}
	t.clock = clock("gpu_clock_cycles")
	if d.domains > 1 {
		t.shader = clock("shader_clock_cycles")
	}
	if r.Chance(0.5) {
		t.frequency = t.cols.Gauge(capture.Meta{Name: "gpu_frequency", Unit: "Hz", Block: "gpu", Source: "kbase"})
	}
}

// bind puts the places of counters into the terms of every pass.
func (t *table) bind() {
	for _, p := range t.d.programs {
		for _, w := range p {
			var list []slot
			for _, x := range w {
				if at, ok := t.at[x.counter]; ok {
					list = append(list, slot{at, x.tally, x.amount})
				}
			}
			t.term = append(t.term, list)
		}
	}
}

func (t *table) set(name string, v float64) {
	if at, ok := t.at[name]; ok {
		t.value[at] += v
	}
}

// row makes one sample.
func (t *table) row(i int, ns int64) {
	d, w := t.d, t.run.Rec.Row(i)
	clear(t.value)
	top := d.hz / 1e9               // cycles per ns at the highest clock
	cores := float64(d.cores) * top // core cycles
	inner := cores * d.shader       // in the cores' own clock
	var weight, latency, queueing, jobs float64
	w.Passes(func(pass int, of []float32) {
		for _, x := range t.term[pass] {
			t.value[x.place] += x.amount * float64(of[x.tally])
		}
		weight += float64(of[simulate.UnitBandwidth])
		latency += float64(of[tallyAt(simulate.TallyLatency)])
		queueing += float64(of[tallyAt(simulate.TallyQueueing)])
		jobs += float64(of[issued])
	})
	n := names[d.gpu]
	t.set(n["active"], w.Span(simulate.SpanBusy)*top)
	t.set("MaliCSFCyclesMCUActive", jobs*t.mcu*top)
	t.set("MaliGPUCyclesGPUInterruptActive", jobs*t.irq*t.run.Load.Interrupt*top)
	for q, name := range []string{n["geometry"], n["fragment"], "Compute"} {
		t.set("MaliGPUQueuedCycles"+name+"Queued", w.Span(simulate.Span(q, simulate.QueueHeld))*top)
		wait := "MaliGPUWaitCycles" + name + "QueueEndpointStall"
		t.set(wait, w.Span(simulate.Span(q, simulate.StreamStall))*top)
	}
	rec := t.run.Rec
	t.set("MaliShaderCoreCyclesAnyWorkloadActive", w.Span(simulate.SpanCores)*inner)
	t.set("MaliShaderCoreCyclesExecutionCoreActive", w.Span(simulate.SpanSlots)*inner)
	t.set(n["otherCores"], w.Span(rec.GroupCores(0))*inner)
	t.set(n["fragmentCores"], w.Span(rec.GroupCores(1))*inner)
	t.set("MaliShaderCoreCyclesFragmentFPKBufferActive", w.Span(simulate.Span(queueFragment,
		simulate.StreamBuffer))*inner)

	// While requests wait for the bus it pushes back for a part of the time, reads and writes as each has its share
	// of the traffic.
	reads, writes := t.value[t.at["MaliExternalBusBeatsReadBeats"]], t.value[t.at["MaliExternalBusBeatsWriteBeats"]]
	if all := reads + writes; all > 0 {
		wait := t.stall * w.Span(simulate.SpanBacklog) * top * float64(d.slices)
		t.set("MaliExternalBusStallCyclesReadStall", wait*reads/all)
		t.set("MaliExternalBusStallCyclesWriteStall", wait*writes/all)
	}
	clock := t.run.ClockTime(i)
	if weight > 0 && reads > 0 {
		// A request waits for those before it in its own part of the bus, which is a small part of what a chunk waits
		// for.
		mean := d.latency*latency/weight + min(400, queueing/weight/60)
		t.latencies(reads, mean*top*clock/float64(ns))
	}
	for k := range t.order {
		t.cols.Add(k, t.value[k])
	}
	t.cols.Add(t.clock, clock*top)
	if t.shader >= 0 {
		t.cols.Add(t.shader, clock*top*d.shader)
	}
	if t.frequency >= 0 {
		t.cols.Set(t.frequency, math.Round(t.run.ClockAt(t.run.Rec.Bounds.At(i+1))*d.hz/1e6)*1e6)
	}
	t.identities()
}

// latencies puts read beats into the bands of their latency, which is spread around its mean.
func (t *table) latencies(reads, mean float64) {
	const sigma = 0.28
	below := func(cycles float64) float64 {
		return 0.5 * math.Erfc(-(math.Log(cycles/mean)+sigma*sigma/2)/(sigma*math.Sqrt2))
	}
	before := 0.0
	for _, b := range []struct {
		name string
		upTo float64
	}{{"0127", 128}, {"128191", 192}, {"192255", 256}, {"256319", 320}, {"320383", 384}} {
		p := below(b.upTo)
		t.set("MaliExternalBusReadLatency"+b.name+"Cycles", reads*(p-before))
		before = p
	}
}
