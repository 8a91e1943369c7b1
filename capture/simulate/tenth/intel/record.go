package intel

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

const (
	catalogue = "intel-bmg"
	oaHz      = 19.2e6 // of the clock of the unit that samples
)

// Texts of the reader.
const (
	droppedText = "the hardware dropped reports: its counters ran on, so this sample has the counts of all that time, of whichever context"
	lostText    = "the driver lost reports"
	betweenText = "between two rounds nothing is measured"
)

// setsOf draws the metric set that somebody would choose for a program.
func (p *program) setsOf(r simulate.Random) string {
	names := []string{"RenderBasic", "RenderPipeProfile", "DepthProfile", "ComputeBasic", "MemoryProfile",
		"DeviceCacheProfile", "VectorEngineProfile", "VectorEngineStalls", "XvePipelineRasterizationProfile", "RTProfile",
		"XvePipelineRaytracingProfile"}
	w := []float64{46, 16, 7, 7, 7, 4, 4, 4, 3, 0.5, 0.5}
	if p.unknown {
		w = []float64{14, 0, 0, 45, 12, 6, 12, 9, 0, 1, 1}
	}
	for _, c := range p.contents {
		for _, j := range c.jobs {
			if j.chunks[0].demand[sRT] > 0 {
				w[9], w[10] = 14, 4
			}
		}
	}
	return names[r.Weighted(w)]
}

// told are beginnings of the names of events that tell of a candidate directly.
var told = map[simulate.Candidate][]string{
	stations[sALU]: {"XVE_ACTIVE", "XVE_INST_EXECUTED_ALU", "XVE_PIPE", "XVE_MULTIPLE", "XVE_STALL_PIPESTALL", "XVE_STALL_ALUWR",
		"XVE_INST_ISSUED"},
	stations[sTex]:   {"SAMPLER_"},
	stations[sLSC]:   {"LOAD_STORE_CACHE", "XVE_LOAD_STORE"},
	stations[sSLM]:   {"SLM_", "XVE_SLM"},
	stations[sRT]:    {"RT_"},
	stations[sL3]:    {"L3_"},
	stations[sMem]:   {"GPU_MEMORY_"},
	stations[sLat]:   {"XVE_STALL", "XVE_THREADS_OCCUPANCY", "SAMPLER_MEMORY_LATENCY"},
	stations[sVF]:    {"IA_", "VERTEX_FETCH", "VS_OUTPUT"},
	stations[sClip]:  {"CLIPPER_"},
	stations[sSetup]: {"STRIPSFAN_"},
	stations[sRast]:  {"RASTERIZER_"},
	stations[sHZ]:    {"HIZ_"},
	stations[sIZ]:    {"IZ_", "EARLY_DEPTH", "PIXEL_2X2_LIT"},
	stations[sPB]:    {"PIXEL_BLEND", "PIXEL_WRITE", "PIXEL_POST", "COLOR_PIPE", "RENDER_CACHE", "PS_OUTPUT"},

	simulate.LaunchOverhead: {"COMMAND_PARSER_"},
	simulate.QueuesInTurn:   {"COMMAND_PARSER_"},
}

// groups of events that recorders leave out now and then.
var groups = [][]string{{"RT_"}, {"HOST_", "SYSMEM_"}, {"STREAMOUT_"}, {"XVE_INST_EXECUTED_ALU1"}, {"COMPRESSOR_", "TLB_"},
	{"ICACHE_", "URB_"}, {"SLM_"}}

func prefixed(symbol string, with []string) bool {
	return slices.ContainsFunc(with, func(s string) bool { return strings.HasPrefix(symbol, s) })
}

// sampled are the samples of a recording.
type sampled struct {
	axis   *capture.Axis
	bounds []int64 // of the rows that are kept and of what lies between, in the simulation's time
	keep   []bool
	round  []int
	gaps   []capture.Gap
	late   []capture.Gap
	origin int64
	period float64
}

// sample lays samples over a time. The hardware writes a report in every period; of lost ones the next sample has the
// counts, or they are a gap.
func sample(r simulate.Random, from, to int64, o *simulate.Options, rounds int) *sampled {
	asked := o.Period
	if asked <= 0 {
		asked = time.Duration(simulate.Pick(r, 1, 2, 2, 4, 4, 8, 16)) * time.Millisecond
	}
	s := &sampled{axis: &capture.Axis{Clock: "CLOCK_MONOTONIC"}}
	exponent := math.Floor(math.Log2(float64(asked)*oaHz/1e9)) - 1
	s.period = math.Exp2(max(exponent, 8)+1) / oaHz * 1e9
	missed := 0.0
	if r.Chance(0.35) {
		missed = r.Log(0.002, 0.02)
	}
	late := missed
	switch {
	case o.Missed > 0:
		missed = o.Missed
	case o.Missed < 0:
		missed = 0
	}
	switch {
	case o.Late > 0:
		late = o.Late
	case o.Late < 0:
		late = 0
	}
	missed = min(0.5, missed+0.5*late) // of this hardware no sample is late but for a lost report
	holes := o.Gaps
	if holes == 0 && r.Chance(0.08) {
		holes = 1
	}
	n := int(float64(to-from) / s.period)
	n = max(n, 3)
	at := func(i int) int64 { return from + int64(float64(i)*s.period) }
	hole := map[int]int{}
	for range holes {
		hole[1+r.IntN(max(1, n-2))] = 1 + int(r.ExpFloat64()*float64(n)/50)
	}
	for k := 1; k < rounds; k++ {
		hole[k*n/rounds] = 2 + int(4e6/s.period)
	}
	s.origin = at(0)
	s.bounds = []int64{at(0)}
	round := 0
	for i := 0; i < n; {
		size, lost := 1, hole[i]
		between := false
		for k := 1; k < rounds; k++ {
			if i == k*n/rounds {
				round, between = k, true
			}
		}
		if lost > 0 && i+lost < n {
			size = lost
		} else if lost = 0; missed > 0 && r.Chance(missed) {
			size = min(n-i, 2+int(r.ExpFloat64()*0.8))
		}
		// A round's first sample begins with it.
		for k := 1; k < rounds; k++ {
			if j := k * n / rounds; lost == 0 && i < j && i+size > j {
				size = j - i
			}
		}
		a, b := at(i), at(i+size)
		i += size
		s.bounds = append(s.bounds, b)
		s.keep = append(s.keep, lost == 0)
		s.round = append(s.round, round)
		span := capture.Gap{Start: a - s.origin, End: b - s.origin, Lost: uint64(size - 1)}
		switch {
		case lost > 0 && between:
			span.Lost, span.Reason = 0, capture.Reason{Code: capture.NotCollected, Text: betweenText}
			s.gaps = append(s.gaps, span)
			continue
		case lost > 0:
			span.Lost, span.Reason = uint64(size), capture.Reason{Code: capture.LostReports, Text: lostText}
			s.gaps = append(s.gaps, span)
			continue
		case size > 1:
			span.Reason = capture.Reason{Code: capture.LostReports, Text: droppedText}
			s.late = append(s.late, span)
		}
		s.axis.Start, s.axis.End = append(s.axis.Start, a-s.origin), append(s.axis.End, b-s.origin)
	}
	return s
}

// record makes a capture of a program as the source xe records it.
func record(c *simulate.Case, p *program, o simulate.Options) (*capture.Capture, error) {
	e := newEngine(p, noRelief(), false, true)
	if err := e.run(); err != nil {
		return nil, err
	}
	r := simulate.NewRandom(p.seed, "recorder")
	names := o.Sets
	if drawn := p.setsOf(r); len(names) == 0 {
		names = []string{drawn}
	}
	var events [][]string
	var units [][]float64
	for _, name := range names {
		list, ok := sets[name]
		if !ok {
			return nil, fmt.Errorf("intel: Battlemage has no metric set %q", name)
		}
		fields := strings.Fields(list)
		n := make([]float64, len(fields))
		for i, symbol := range fields {
			n[i] = p.m.unitsOf(symbol)
		}
		events, units = append(events, fields), append(units, n)
	}
	s := sample(r, e.frames[p.warm-1].flip, e.frames[p.frames-1].flip, &o, len(names))
	rows := e.integrate(s.bounds)
	hide := slices.Clone(o.Without)
	var hidden []string
	if r.Chance(0.2) {
		hidden = append(hidden, simulate.Pick(r, groups...)...)
	}
	for _, w := range o.Withheld {
		hidden = append(hidden, told[w]...)
	}
	host := o.Host.Of(r.Chance(0.5))
	marks := o.Marks.Of(r.Chance(0.5))
	cols := simulate.NewColumns(s.axis)
	meta := func(name, title, unit string) capture.Meta {
		return capture.Meta{Name: name, Title: title, Unit: unit, Kind: capture.Delta, Block: "OA", GPU: catalogue, Source: "xe"}
	}
	stamp := cols.Counter(meta("TIMESTAMP", "GPU Timestamp", "ticks"))
	ticks := cols.Counter(meta("GPU_TICKS", "GPU Core Clocks", "cycles"))
	var pec [64]int
	for i := range pec {
		name := fmt.Sprintf("PEC%d", i)
		pec[i] = cols.Counter(meta(name, fmt.Sprintf("Performance Event Counter %d", i), "events"))
		for _, list := range events {
			if i < len(list) && (prefixed(list[i], hidden) || slices.Contains(o.Without, list[i])) && list[i] != "GPU_BUSY" {
				hide = append(hide, name)
			}
		}
	}
	noise := make([]float64, len(names))
	for k := range noise {
		noise[k] = 1
		if k > 0 && o.Noise >= 0 {
			by := o.Noise
			if by == 0 {
				by = 1
			}
			noise[k] = 1 - min(0.3, by*math.Abs(r.NormFloat64())*0.006)
		}
	}
	context, reason := &capture.Label{Name: "context", Dict: []string{fmt.Sprintf("%#x", 0x20+r.IntN(400)*2), "idle"}},
		&capture.Label{Name: "reason", Dict: []string{"timer"}}
	sets := &capture.Label{Name: "metric_set", Dict: names}
	var kept []*row
	from := s.bounds[0]
	for i := range rows {
		w := &rows[i]
		a, b := s.bounds[i], s.bounds[i+1]
		if !s.keep[i] {
			continue
		}
		kept = append(kept, w)
		cols.Whole(stamp, math.Floor(float64(b-from)*oaHz/1e9+0.5)-math.Floor(float64(a-from)*oaHz/1e9+0.5))
		cols.Add(ticks, w.clocks)
		clocks := float64(cols.Last(ticks))
		list := events[s.round[i]]
		for k := range pec {
			v, n := 0.0, 0.0
			if k < len(list) && list[k] != "-" {
				n = units[s.round[i]][k]
				v = p.m.raw(list[k], n, w)
				if n == 0 {
					v *= noise[s.round[i]]
				}
			}
			cols.Add(pec[k], v)
			if n > 0 {
				cols.Limit(pec[k], uint64(n*clocks))
			}
		}
		code := int32(0)
		if w.busy < 0.5*w.clocks*r.Between(0.02, 1.2) {
			code = 1
		}
		if float64(b-a) > 1.5*s.period {
			code = -1
		}
		context.Codes, reason.Codes = append(context.Codes, code), append(reason.Codes, 0)
		sets.Codes = append(sets.Codes, int32(s.round[i]))
	}
	cfg := capture.Config{Name: "xe", Format: "recording", GPU: catalogue, Axis: s.axis, Gaps: s.gaps, Late: s.late,
		Device: capture.Device{Name: p.m.name, Vendor: "Intel", Driver: "xe", ID: fmt.Sprintf("8086:%04x", p.m.id),
			Extra: map[string]string{"revision": "0"}},
		Labels: []*capture.Label{context, reason}}
	cfg.Properties = p.properties(s, names)
	cfg.Counters = cols.Counters(hide)
	if host && !p.unknown || host && o.Host == simulate.Yes {
		cfg.Name = "xe+perfevent+procfs"
		cfg.Counters = append(cfg.Counters, p.hostCounters(kept, s.axis, r, &o)...)
	}
	if marks {
		e.mark(&cfg, s.origin)
	}
	if len(names) > 1 {
		cfg.Labels = append(cfg.Labels, sets)
		for k, name := range names {
			g := capture.Region{Name: name, Start: -1}
			for i := range s.axis.Start {
				if int(sets.Codes[i]) != k {
					continue
				}
				if g.Start < 0 {
					g.Start = s.axis.Start[i]
				}
				g.End = s.axis.End[i]
			}
			if g.Start >= 0 {
				cfg.Regions = append(cfg.Regions, g)
			}
		}
	}
	return capture.New(cfg)
}

// mark adds the frames that the program told of.
func (e *engine) mark(cfg *capture.Config, origin int64) {
	label := &capture.Label{Name: "frame"}
	_, end := cfg.Axis.Extent()
	k, last := -1, -1
	for i := range cfg.Axis.Start {
		middle := origin + (cfg.Axis.Start[i]+cfg.Axis.End[i])/2
		for k+1 < len(e.frames) && e.frames[k+1].begin <= middle {
			k++
		}
		if k < 0 {
			label.Codes = append(label.Codes, -1)
			continue
		}
		if k != last {
			label.Dict = append(label.Dict, fmt.Sprint(k))
			last = k
		}
		label.Codes = append(label.Codes, int32(len(label.Dict)-1))
	}
	cfg.Labels = append(cfg.Labels, label)
	for i := range e.frames {
		from, until := e.frames[i].begin-origin, end
		if i+1 < len(e.frames) {
			until = e.frames[i+1].begin - origin
		}
		if until > 0 && from < end {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: fmt.Sprintf("frame %d", i), Start: max(0, from), End: min(end, until)})
		}
	}
}

// properties are the variables of the equations and how it was sampled.
func (p *program) properties(s *sampled, names []string) []capture.Property {
	m := p.m
	var out []capture.Property
	number := func(name string, v float64) { out = append(out, capture.Property{Name: name, Number: v}) }
	text := func(name, v string) { out = append(out, capture.Property{Name: name, Text: v, IsText: true}) }
	if len(names) == 1 {
		text("metric_set", names[0])
		text("metric_set_guid", guids[names[0]])
	}
	text("oa_format", "PEC64u64")
	text("oa_driver", "xe")
	number("pci_device_id", float64(m.id))
	number("SkuRevisionId", 0)
	number("engine_class", 0)
	number("engine_instance", 0)
	number("GpuTimestampFrequency", oaHz)
	number("GpuMinFrequency", m.minMHz*1e6)
	number("GpuMaxFrequency", m.maxMHz*1e6)
	number("EuCoresTotalCount", m.xves())
	number("EuSubslicesTotalCount", float64(m.xecores))
	number("EuSlicesTotalCount", float64(m.slices))
	mask := uint64(0)
	left := m.xecores
	for s := range m.slices {
		for c := range 4 {
			if missing := m.slices*4 - m.xecores; c == 3 && s >= m.slices-missing {
				continue
			}
			if left > 0 {
				mask |= 1 << (8*s + c)
				left--
			}
		}
	}
	number("SliceMask", float64(uint64(1)<<m.slices-1))
	number("SubsliceMask", float64(mask))
	number("DualSubsliceMask", float64(mask))
	number("VectorEngineTotalCount", m.xves())
	number("XeCoreTotalCount", float64(m.xecores))
	number("SliceTotalCount", float64(m.slices))
	number("XeCoreMask", float64(mask))
	number("GeometryPipeTotalCount", float64(m.slices))
	number("DepthPipeTotalCount", float64(2*m.slices))
	number("ColorPipeTotalCount", float64(2*m.slices))
	for n := range 32 {
		on := 0.0
		if s, c := n/4, n%4; s < m.slices && mask>>(8*s+c)&1 != 0 {
			on = 1
		}
		number(fmt.Sprintf("GtXeCore%d", n), on)
	}
	number("EuThreadsCount", threads)
	number("VectorEngineThreadsCount", threads)
	number("oa_exponent", math.Round(math.Log2(s.period*oaHz/1e9))-1)
	number("oa_period_ns", s.period)
	number("oa_unit", 0)
	number("ComputeEngineTotalCount", 1)
	number("CopyEngineTotalCount", float64(m.copies))
	number("L3BankTotalCount", float64(m.banks))
	number("L3NodeTotalCount", float64(m.nodes))
	number("SqidiTotalCount", float64(m.nodes))
	return out
}
