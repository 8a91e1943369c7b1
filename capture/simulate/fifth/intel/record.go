package intel

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// recording is how a recorder was drawn.
type recording struct {
	exponent    int // of the period: 2^(e+1) ticks
	sets        []string
	marks, host bool
	missed      float64
	mask        uint64 // of cores, eight bits for each slice
	context     [3]string
	cpu         hostDraw
}

func newRecording(m *machine, p *program, r simulate.Random) recording {
	x := recording{marks: r.Chance(0.5), host: r.Chance(0.5), exponent: int(math.Round(math.Log2(m.stampHz*0.0009))) - 1 + r.IntN(5)}
	x.sets = []string{"RenderBasic"}
	if m.set == "tgl" && r.Chance(0.5) {
		list := []string{"RenderPipeProfile", "RenderPipeProfile", "RasterizerAndPixelBackend", "HDCAndSF", "ComputeBasic", "Sampler_1",
			"Sampler_2", "L3_1", "L3_3", "TDL_1", "TDL_2", "GpuBusyness", "EuActivity1", "EuActivity2", "EuActivity7"}
		x.sets = []string{simulate.Pick(r, list...)}
		if r.Chance(0.25) {
			for _, more := range []string{"RenderBasic", simulate.Pick(r, list...)} {
				if !slices.Contains(x.sets, more) {
					x.sets = append(x.sets, more)
				}
			}
		}
	}
	if r.Chance(0.15) {
		x.missed = r.Between(0.002, 0.02)
	}
	ids := r.Perm(4000)
	x.context = [3]string{"idle", fmt.Sprintf("%#x", 16+ids[0]), fmt.Sprintf("%#x", 16+ids[1])}
	switch {
	case m.set == "tgl":
		x.mask = 0x3f
		for bits := 6; bits > m.cores; {
			if at := 1 + r.IntN(5); x.mask>>at&1 == 1 {
				x.mask &^= 1 << at
				bits--
			}
		}
	case m.set == "acm1": // the sets ask for cores of slice 2
		x.mask = 0x0f<<16 | 0x0f<<24
	default:
		slices := []int{0}
		for len(slices) < m.slices {
			if at := 1 + r.IntN(7); !contains(slices, at) {
				slices = append(slices, at)
			}
		}
		for _, s := range slices {
			x.mask |= 0x0f << (8 * s)
		}
	}
	x.cpu = newHostDraw(m, p, r)
	return x
}

func contains(list []int, x int) bool { return slices.Contains(list, x) }

// telling are the fixed counters that tell of a candidate, and beginnings of the symbols that do.
var telling = map[simulate.Candidate]struct{ counters, symbols []string }{
	candidates[cArithmetic]: {nil, []string{"EuActive", "XveActive", "EuFpu", "XveFpu", "FpuActive", "EmActive", "VsFpu", "VsEm", "PsFpu", "PsEm",
		"CsFpu", "CsEm", "HsFpu", "HsEm", "DsFpu", "DsEm", "GsFpu", "GsEm"}},
	candidates[cTexture]:     {[]string{"A28", "A29"}, []string{"Sampler"}},
	candidates[cLoadStore]:   {[]string{"A32", "A33", "A34"}, []string{"NonSamplerShader"}},
	candidates[cLocal]:       {[]string{"A30", "A31", "A35"}, nil},
	candidates[cVF]:          {nil, []string{"VfBottleneck"}},
	candidates[cCL]:          {nil, []string{"ClBottleneck", "ClStall"}},
	candidates[cSF]:          {nil, []string{"SfBottleneck", "SfStall", "PolyData"}},
	candidates[cRAS]:         {[]string{"A21"}, []string{"Rasterizer"}},
	candidates[cHZ]:          {[]string{"A22"}, []string{"HiDepth"}},
	candidates[cEZ]:          {[]string{"A23"}, []string{"PixelData"}},
	candidates[cPB]:          {[]string{"A26", "A27"}, []string{"PSOutput", "PixelValues"}},
	candidates[cCache]:       {nil, []string{"L30Bank"}},
	simulate.MemoryBandwidth: {nil, []string{"Gti", "GTRequestQueue"}},
	simulate.MemoryLatency:   {nil, []string{"EuStall", "XveStall"}},
	simulate.QueuesInTurn:    {nil, []string{"ComputeBusy", "RenderAndComputeBusy", "BlitterBusy"}},
	simulate.CPUApp:          {[]string{"cpu_user", "cpu_idle"}, nil},
	simulate.CPUDriver:       {[]string{"cpu_system", "cpu_idle"}, nil},
	simulate.CPUSync:         {[]string{"cpu_idle", "ctxt"}, nil},
	simulate.ClockThermal:    {[]string{"temperature"}, nil},
}

// Lists of what a recorder leaves out: counters by name, and routed ones by symbol.
func without(o *simulate.Options) (names, symbols []string) {
	names = slices.Clone(o.Without)
	for _, c := range o.Withheld {
		names = append(names, telling[c].counters...)
		symbols = append(symbols, telling[c].symbols...)
	}
	return names, symbols
}

func (d *drawn) exponent(o *simulate.Options) int {
	if o.Period <= 0 {
		return d.rec.exponent
	}
	ticks := o.Period.Seconds() * d.m.stampHz
	return min(30, max(4, int(math.Round(math.Log2(ticks)))-1))
}

// record simulates the program once more and counts.
func (d *drawn) record(seed uint64, o simulate.Options) (*capture.Capture, error) {
	m, p := d.m, d.p
	sets := d.rec.sets
	if len(o.Sets) > 0 {
		sets = o.Sets
	}
	for _, s := range sets {
		if _, ok := tables[m.set+"/"+s]; !ok {
			return nil, fmt.Errorf("fifth model of Intel's GPUs: %s has no metric set %q", m.id, s)
		}
	}
	rnd := simulate.NewRandom(seed, d.m.base+" recording")
	period := math.Exp2(float64(d.exponent(&o)+1)) / m.stampHz * 1e9
	late, missed := 0.0, d.rec.missed
	if o.Late != 0 {
		late = max(0, o.Late)
	}
	if o.Missed != 0 {
		missed = max(0, o.Missed)
	}
	var lateness func(int) (int64, int)
	if late > 0 || missed > 0 { // the hardware takes reports on time; some are lost
		lateness = simulate.Jitter(rnd, period, 0, late, missed)
	}
	rec := &recorder{bounds: simulate.NewBounds(period, lateness), video: strings.Contains(d.text, "video")}
	e := engines.Get().(*engine)
	defer engines.Put(e)
	if err := e.simulate(m, p, relief{}, false, rec); err != nil {
		return nil, err
	}
	return d.capture(seed, &o, e, rec, sets, rnd)
}

func (d *drawn) capture(seed uint64, o *simulate.Options, e *engine, rec *recorder, sets []string, rnd simulate.Random) (*capture.Capture, error) {
	m, p, b := d.m, d.p, rec.bounds
	first := b.Index(e.frames[p.warm-1].flip) + 1
	last := max(first+1, b.Index(e.frames[len(e.frames)-1].flip))
	cfg := capture.Config{Name: strings.ReplaceAll(fmt.Sprintf("%s-%d", d.m.base, seed), " ", "-"), GPU: m.id,
		Device:    capture.Device{Name: m.name, Vendor: "Intel", Driver: "i915", ID: fmt.Sprintf("8086:%04x", m.device)},
		StartTime: time.Date(2026, 3, 1, 12, 0, int(seed%60), 0, time.UTC)}
	cfg.Properties = m.properties(&d.rec, d.p)
	axis := &capture.Axis{Clock: "cpu"}
	cfg.Axis = axis
	origin := b.At(first)
	skip := map[int]int{}
	for range o.Gaps {
		at := first + 1 + rnd.IntN(max(1, last-first-2))
		skip[at] = min(last-1, at+1+int(rnd.ExpFloat64()*float64(last-first)/40))
	}
	var rows, turn []int
	for i := first; i < last; i++ {
		start, end := b.At(i)-origin, b.At(i+1)-origin
		if until, ok := skip[i]; ok && until > i {
			cfg.Gaps = append(cfg.Gaps, capture.Gap{Start: start, End: b.At(until) - origin, Lost: uint64(until - i),
				Reason: capture.Reason{Code: capture.LostReports, Text: "the buffer overflowed: reports were lost"}})
			i = until - 1
			continue
		}
		k := min(len(sets)-1, (i-first)*len(sets)/(last-first))
		if n := len(turn); n > 0 && turn[n-1] != k { // between two rounds nothing is measured
			cfg.Gaps = append(cfg.Gaps, capture.Gap{Start: start, End: end,
				Reason: capture.Reason{Code: capture.NotCollected, Text: "between two rounds nothing is measured"}})
			turn[n-1] = k // the next sample is of the new round
			continue
		}
		axis.Start, axis.End = append(axis.Start, start), append(axis.End, end)
		rows, turn = append(rows, i), append(turn, k)
		if n := b.Missed(i); n > 0 {
			cfg.Late = append(cfg.Late, capture.Gap{Start: start, End: end, Lost: uint64(n),
				Reason: capture.Reason{Code: capture.LostReports, Text: "the hardware dropped reports here"}})
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("fifth model of Intel's GPUs: no sample in %d ns", b.At(last)-origin)
	}
	// A round whose first sample was given up above has its label back.
	for i := range turn {
		turn[i] = min(len(sets)-1, (rows[i]-first)*len(sets)/(last-first))
	}
	names, hidden := without(o)
	cols := simulate.NewColumns(axis)
	m.count(cols, rec, rows, turn, sets, &names, hidden, d.rec.mask)
	var times []*capture.Counter
	if o.Host.Of(d.rec.host) {
		times = d.rec.cpu.count(cols, m, p, rec, rows, simulate.NewRandom(seed, m.base+" processors"))
	}
	cfg.Counters = cols.Counters(names)
	for _, c := range times {
		if !slices.Contains(names, c.Name) {
			cfg.Counters = append(cfg.Counters, c)
		}
	}
	if len(sets) == 1 {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: "metric_set", Text: sets[0], IsText: true})
	} else {
		l := &capture.Label{Name: "metric_set", Dict: sets}
		for i, k := range turn {
			l.Codes = append(l.Codes, int32(k))
			if i == 0 || turn[i-1] != k {
				cfg.Regions = append(cfg.Regions, capture.Region{Name: sets[k], Start: axis.Start[i]})
			}
			cfg.Regions[len(cfg.Regions)-1].End = axis.End[i]
		}
		cfg.Labels = append(cfg.Labels, l)
	}
	context := &capture.Label{Name: "context", Dict: d.rec.context[:]}
	for _, i := range rows {
		rec.row(i)
		context.Codes = append(context.Codes, int32(rec.context[i]))
	}
	cfg.Labels = append(cfg.Labels, context)
	if o.Marks.Of(d.rec.marks) {
		mark(&cfg, e, origin)
	}
	return capture.New(cfg)
}

// mark adds regions of frames, from the program's mark at the start of each to the next, and a label of samples.
func mark(cfg *capture.Config, e *engine, origin int64) {
	_, end := cfg.Axis.Extent()
	label := &capture.Label{Name: "frame"}
	for i := range e.frames {
		from, until := e.frames[i].begin-origin, end
		if i+1 < len(e.frames) {
			until = e.frames[i+1].begin - origin
		}
		label.Dict = append(label.Dict, strconv.Itoa(i))
		if until > 0 && from < end && until > from {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(i), Start: max(0, from), End: min(end, until)})
		}
	}
	k := -1
	for i := range cfg.Axis.Start {
		middle := origin + (cfg.Axis.Start[i]+cfg.Axis.End[i])/2
		for k+1 < len(e.frames) && e.frames[k+1].begin <= middle {
			k++
		}
		label.Codes = append(label.Codes, int32(k))
	}
	cfg.Labels = append(cfg.Labels, label)
}

// properties are what readers tell of the device.
func (m *machine) properties(x *recording, p *program) (out []capture.Property) {
	number := func(name string, v float64) { out = append(out, capture.Property{Name: name, Number: v}) }
	mask := func(name string, v uint64) {
		if v >= 1<<53 {
			out = append(out, capture.Property{Name: name, Text: fmt.Sprintf("%#x", v), IsText: true})
			return
		}
		number(name, float64(v))
	}
	slices := uint64(0)
	for s := range 8 {
		if x.mask>>(8*s)&0xff != 0 {
			slices |= 1 << s
		}
	}
	format := "A32u40_A4u32_B8_C8"
	if m.set != "tgl" {
		format = "A24u40_A14u32_B8_C8"
		number("oa_clock_shift", 1)
	}
	out = append(out, capture.Property{Name: "oa_format", Text: format, IsText: true})
	number("pci_device_id", float64(m.device))
	number("SkuRevisionId", 1)
	number("engine_class", 0)
	number("engine_instance", 0)
	number("GpuTimestampFrequency", m.stampHz)
	number("GpuMinFrequency", m.least*1e6)
	number("GpuMaxFrequency", math.Round(p.clock.steps[len(p.clock.steps)-1]*1e3)*1e6)
	number("EuThreadsCount", m.threads)
	if m.set != "tgl" {
		number("VectorEngineThreadsCount", m.threads)
	}
	number("QueryMode", 0)
	number("EuCoresTotalCount", float64(m.eus))
	number("EuSubslicesTotalCount", float64(m.cores))
	number("EuSlicesTotalCount", float64(m.slices))
	mask("SliceMask", slices)
	mask("SubsliceMask", x.mask)
	mask("DualSubsliceMask", x.mask)
	if m.set == "tgl" {
		return out
	}
	number("VectorEngineTotalCount", float64(m.eus))
	number("XeCoreTotalCount", float64(m.cores))
	number("SliceTotalCount", float64(m.slices))
	mask("XeCoreMask", x.mask)
	for s := range 8 {
		number(fmt.Sprintf("GtSlice%d", s), float64(slices>>s&1))
		for c := range 4 {
			number(fmt.Sprintf("GtSlice%dXeCore%d", s, c), float64(x.mask>>(8*s+c)&1))
		}
	}
	return out
}
