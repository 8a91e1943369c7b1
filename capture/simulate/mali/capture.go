package mali

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
)

// table is a capture in the making.
type table struct {
	d     *device
	run   *simulate.Run
	cols  *simulate.Columns
	at    map[string]int // by machine name
	order []*counter
	value []float64 // of the row, by place in order; behind them what no layout counts
	term  [][]slot  // per pass

	clock, shader, frequency int // columns; -1 without
	// ns of firmware per job, share of an interrupt's time, share of a backlog in which the bus pushes back
	mcu, irq, stall float64
	pushed          [3]float64 // share of the time of waits for a unit in which what is before it stands still
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
	order := layouts()[d.layout]
	r := simulate.NewRandom(rec.Seed, "mali recording")
	axis, origin, rows, gaps, late := run.Rows("CLOCK_MONOTONIC", rec.Options.Gaps, r,
		"the driver took no sample in some periods, for lack of room or time: this sample has their time and counts",
		"samples were dropped before they could be read")
	t := &table{d: d, run: run, cols: simulate.NewColumns(axis), at: map[string]int{}, order: order,
		value: make([]float64, len(order)+1), clock: -1, shader: -1, frequency: -1}
	t.mcu, t.irq, t.stall = r.Between(3e3, 12e3), r.Between(0.1, 0.6), r.Between(0.35, 0.95)
	t.layout(r)
	for i := range t.pushed {
		t.pushed[i] = r.Between(0.4, 0.9)
	}
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
	driver := "kbase JM 11.40"
	if d.csf {
		driver = "kbase CSF 1.24"
	}
	return capture.Config{
		Name: "simulated", Format: "recording", GPU: d.gpu,
		Device: capture.Device{Name: d.title, Vendor: "Arm", Driver: driver, ID: fmt.Sprintf("%#x", d.id)},
		Properties: []capture.Property{
			number("MaliConstantsShaderCoreCount", float64(d.cores)), number("MaliConstantsL2SliceCount",
				float64(d.slices)), number("MaliConstantsBusWidthBits", float64(d.bus)),
			number("mali_warp_width", d.warp), number("mali_max_clock_hz", d.hz), {Name: "mali_core_mask",
				Text: fmt.Sprintf("%#x", d.mask), IsText: true},
			{Name: "mali_counter_layout", Text: d.layout, IsText: true},
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
		at := t.cols.Counter(capture.Meta{Name: e.name, Aliases: e.aliases(), Unit: e.unit, Block: e.block,
			Kind: capture.Delta, GPU: d.gpu, Source: "kbase"})
		t.at[e.machine] = i
		if e.scale > 1 {
			t.cols.Scaled(at, e.scale)
		}
		switch e.block {
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
	t.at[taken] = len(t.order)
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

// of is the row's value of a counter that all layouts have.
func (t *table) of(name string) float64 { return t.value[t.at[name]] }

// The cores' time with fragments and without, by what layouts call it.
var (
	fragmentCores = []string{"MaliFragActiveCy", "MaliMainActiveCy"}
	otherCores    = []string{"MaliNonFragActiveCy", "MaliCompOrBinningActiveCy"}
)

// iterators are what layouts with command streams call the machine's queues.
var iterators = [][]string{{"Vert", "Binning"}, {"Frag", "Main"}, {"Comp"}}

// queues counts the front-end's times of one sample. In a job manager's slots a job is only put when what it waits for
// is done, so that none waits for another there; the reserved slot stays empty.
func (t *table) queues(w simulate.Row, top, jobs float64) {
	d := t.d
	span := func(queue, span int) float64 { return w.Span(simulate.Span(queue, span)) * top }
	if d.csf {
		for q, names := range iterators {
			for _, name := range names {
				t.set("Mali"+name+"QueuedCy", span(q, simulate.QueueHeld))
				t.set("Mali"+name+"QueueAssignStallCy", span(q, simulate.StreamStall))
			}
		}
		return
	}
	t.set("MaliL2CacheFlush", jobs)
	for q, name := range []string{"MaliNonFragQueue", "MaliFragQueue"} {
		t.set(name+"ActiveCy", span(q, simulate.QueueHeld))
		t.set(name+"WaitFlushCy", d.flush*span(q, simulate.QueueLaunch))
		t.set(name+"WaitRdCy", (1-d.flush)*span(q, simulate.QueueLaunch))
		t.set(name+"WaitIssueCy", span(q, simulate.StreamWait))
		t.set(name+"WaitFinishCy", span(q, simulate.QueueTail))
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
	t.set("MaliGPUActiveCy", w.Span(simulate.SpanBusy)*top)
	t.set("MaliGPUAnyQueueActiveCy", w.Span(simulate.SpanBusy)*top)
	t.set("MaliCSFMCUActiveCy", jobs*t.mcu*top)
	t.set("MaliGPUIRQActiveCy", jobs*t.irq*t.run.Load.Interrupt*top)
	t.queues(w, top, jobs)
	rec := t.run.Rec
	executing := w.Span(simulate.SpanSlots) * inner
	t.set("MaliAnyActiveCy", w.Span(simulate.SpanCores)*inner)
	t.set("MaliCoreActiveCy", executing)
	// What waits for pipes that are taken is not starved: that is when all that could issue is waiting itself.
	t.set("MaliEngStarveCy", max(0, executing-t.value[t.at[taken]]))
	for _, name := range otherCores {
		t.set(name, w.Span(rec.GroupCores(0))*inner)
	}
	for _, name := range fragmentCores {
		t.set(name, w.Span(rec.GroupCores(1))*inner)
	}
	t.set("MaliFragFPKActiveCy", w.Span(simulate.Span(queueFragment, simulate.StreamBuffer))*inner)
	t.set("MaliTilerActiveCy", w.Span(rec.Tagged(tagTiler))*top)
	// What is before a unit stands still for a part of the time in which work waits for it.
	wait := func(unit, which int) float64 { return t.pushed[which] * w.Span(rec.UnitWait(unit)) }
	t.set("MaliTilerPosShadFIFOFullCy", wait(unitTiler, 0)*top)
	for _, x := range []struct {
		name string
		unit int
	}{{"Tex", unitTexture}, {"Var", unitVarying}, {"LS", unitLoadStore}, {"Blend", unitBackend}, {"RTU", unitRays}} {
		t.set("MaliEng"+x.name+"BackpressureCy", wait(x.unit, 1)*inner)
	}

	// While requests wait for the bus it pushes back for a part of the time, reads and writes as each has its share
	// of the traffic. So does L2.
	reads, writes := t.of("MaliExtBusRdBt"), t.of("MaliExtBusWrBt")
	if all := reads + writes; all > 0 {
		wait := t.stall * w.Span(simulate.SpanBacklog) * top * float64(d.slices)
		t.set("MaliExtBusRdStallCy", wait*reads/all)
		t.set("MaliExtBusWrStallCy", wait*writes/all)
	}
	if all := t.of("MaliL2CacheLookup"); all > 0 {
		wait := wait(unitCache, 2) * top * float64(d.slices)
		t.set("MaliL2CacheRdStallCy", wait*t.of("MaliL2CacheRdLookup")/all)
		t.set("MaliL2CacheWrStallCy", wait*t.of("MaliL2CacheWrLookup")/all)
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
	}{{"0", 128}, {"128", 192}, {"192", 256}, {"256", 320}, {"320", 384}} {
		p := below(b.upTo)
		t.set("MaliExtBusRdLat"+b.name, reads*(p-before))
		before = p
	}
}
