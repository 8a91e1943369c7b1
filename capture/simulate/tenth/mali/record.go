package mali

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// recorder makes captures of a program.
type recorder struct {
	*program
	seed uint64
}

func newRecorder(p *program, seed uint64) *recorder { return &recorder{p, seed} }

// plan is what a recording is like.
type plan struct {
	edges   []int64 // of the samples, those of gaps among them
	merged  []int   // by sample: ticks that were missed in it
	lost    []bool  // by sample: it lies in a gap
	period  int64
	marks   bool
	host    bool
	perf    bool
	without []string
}

// share is an option, or what was drawn.
func share(option, drawn float64) float64 {
	switch {
	case option < 0:
		return 0
	case option > 0:
		return option
	}
	return drawn
}

func (rec *recorder) plan(o simulate.Options, r *rand.Rand, from, to int64) *plan {
	p := &plan{period: int64(pick(r, 1, 1, 2, 4, 4, 5, 8, 10, 16)) * 1e6}
	p.marks, p.host, p.perf = r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0
	late, missed := 0.0, 0.0
	if r.IntN(2) == 0 {
		late, missed = between(r, 0, 0.08), between(r, 0, 0.03)
	}
	gaps := 0
	if r.IntN(8) == 0 {
		gaps = 1
	}
	p.without = telling.Left(&o, telling.Mali)
	if r.IntN(4) == 0 {
		p.without = append(p.without, rec.leftOut(r)...)
	}
	for _, c := range o.Withheld {
		p.without = append(p.without, rec.telling(c)...)
	}
	for _, c := range rec.layout.counters {
		if slices.ContainsFunc([]string{c.machine, "Mali" + c.machine}, func(n string) bool { return slices.Contains(p.without, n) }) {
			p.without = append(p.without, c.name)
		}
	}
	p.marks, p.host = o.Marks.Of(p.marks), o.Host.Of(p.host)
	late, missed = share(o.Late, late), share(o.Missed, missed)
	if o.Period > 0 {
		p.period = o.Period.Nanoseconds()
	}
	if o.Gaps != 0 {
		gaps = max(0, o.Gaps)
	}
	p.edges = []int64{from}
	skipped := 0
	for k := int64(1); ; k++ {
		at := from + k*p.period
		if at+p.period > to {
			break
		}
		jitter := r.Float64() * min(20e3, float64(p.period)*0.02)
		chance := r.Float64()
		how := r.Float64()
		if chance < missed {
			skipped++
			continue
		}
		if chance < missed+late {
			jitter = float64(p.period) * (0.1 + 0.7*how)
		}
		p.edges = append(p.edges, at+int64(jitter))
		p.merged = append(p.merged, skipped)
		skipped = 0
	}
	n := len(p.edges) - 1
	p.lost = make([]bool, n)
	for range gaps {
		at := n/8 + r.IntN(max(1, n*5/8))
		for k := at; k < min(n, at+max(1, n/40)); k++ {
			p.lost[k] = true
		}
	}
	return p
}

func (rec *recorder) record(o simulate.Options) (*capture.Capture, error) {
	base := newSim(rec.program, relief{}, nil)
	base.run()
	from, to := base.frame[rec.warm-1].shownAt, base.frame[rec.frames-1].shownAt
	r := rand.New(rand.NewPCG(rec.seed, 11))
	p := rec.plan(o, r, from, to)
	if len(p.edges) < 3 {
		return nil, fmt.Errorf("mali: %s is too long a period for %s", time.Duration(p.period), time.Duration(to-from))
	}
	sink := newSink(rec.program, p.edges)
	s := newSim(rec.program, relief{}, sink)
	s.run()

	axis := &capture.Axis{Clock: "CLOCK_MONOTONIC_RAW"}
	var gaps, lates []capture.Gap
	for i := range p.lost {
		start, end := p.edges[i]-from, p.edges[i+1]-from
		if p.lost[i] {
			if i > 0 && p.lost[i-1] && len(gaps) > 0 {
				gaps[len(gaps)-1].End = end
				gaps[len(gaps)-1].Lost++
			} else {
				gaps = append(gaps, capture.Gap{Start: start, End: end, Lost: 1,
					Reason: capture.Reason{Code: capture.LostReports, Text: "the driver flagged these samples as worthless"}})
			}
			continue
		}
		if p.merged[i] > 0 {
			lates = append(lates, capture.Gap{Start: start, End: end, Lost: uint64(p.merged[i]),
				Reason: capture.Reason{Code: capture.LostReports, Text: "the driver merged samples because its buffer was full"}})
		}
		axis.Start, axis.End = append(axis.Start, start), append(axis.End, end)
	}
	cfg := capture.Config{Name: fmt.Sprintf("%s-%d", rec.family, rec.seed%1000), Format: "kbase", GPU: rec.gpu, Device: rec.device,
		Axis: axis, Gaps: gaps, Late: lates}
	number := func(name string, v float64) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
	}
	text := func(name, v string) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Text: v, IsText: true})
	}
	number("MaliConstantsShaderCoreCount", float64(rec.cores))
	number("MaliConstantsL2SliceCount", float64(rec.slices))
	number("MaliConstantsBusWidthBits", 8*beat)
	number("mali_warp_width", warpThreads)
	number("mali_max_clock_hz", rec.maxHz)
	text("mali_core_mask", fmt.Sprintf("%#x", uint64(1)<<rec.cores-1))
	text("mali_counter_layout", rec.name)
	text("mali_architecture", rec.architecture)

	cfg.Counters = rec.counters(s, sink, p, axis, r)
	if p.host {
		cfg.Format += "+procfs"
		if p.perf {
			cfg.Format = "kbase+perfevent+procfs"
		}
		cfg.Counters = append(cfg.Counters, rec.hostCounters(sink, p, axis, r)...)
		number("cpus_online", float64(rec.cpus))
		number("cpu_max_freq", rec.cpuHz)
	}
	if p.marks {
		mark(&cfg, s, from)
	}
	return capture.New(cfg)
}

// mark adds what a program tells that writes a line when it begins a frame.
func mark(cfg *capture.Config, s *sim, from int64) {
	axis := cfg.Axis
	end := axis.End[axis.Len()-1]
	label := &capture.Label{Name: "frame", Codes: make([]int32, axis.Len())}
	var begins []int64
	for f := range s.frames {
		b := s.frame[f].begin - from
		if b < 0 || b >= end || f > 0 && s.frame[f].begin == 0 {
			continue
		}
		begins = append(begins, b)
		label.Dict = append(label.Dict, fmt.Sprint(f))
	}
	for i, b := range begins {
		until := end
		if i+1 < len(begins) {
			until = begins[i+1]
		}
		if until > b {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: "frame " + label.Dict[i], Start: b, End: until})
		}
	}
	k := -1
	for i := range label.Codes {
		middle := (axis.Start[i] + axis.End[i]) / 2
		for k+1 < len(begins) && begins[k+1] <= middle {
			k++
		}
		label.Codes[i] = int32(k)
	}
	cfg.Labels = append(cfg.Labels, label)
}

// leftOut is a group of counters that somebody did not record.
func (l *layout) leftOut(r *rand.Rand) []string {
	group := pick(r, "OutstandingReads", "OutstandingWrites", "Stage2", "Reserved", "ReadLatency", "VertexCache", "gpu_temperature",
		"WaitCycles", "Snoop", "MMUTranslations", "FragmentQuads", "Warps", "StallCycles", "gpu_frequency")
	var out []string
	for _, c := range l.counters {
		if strings.Contains(c.name, group) {
			out = append(out, c.name)
		}
	}
	if len(out) == 0 {
		out = []string{group}
	}
	return out
}

// tellers are parts of the names of counters that tell of a candidate directly.
var tellers = map[int][]string{
	arithmetic: {"MaliALUInstructions", "MaliALUIssues", "ExecutionEngineStarvation"},
	texture:    {"MaliTextureUnit", "TextureUnitBackpressure"},
	varying:    {"MaliVaryingUnit", "VaryingUnitBackpressure"},
	loadStore:  {"MaliLoadStoreUnit", "LoadStoreUnitBackpressure"},
	tiler:      {"MaliGPUCyclesTilerActive", "MaliTiler", "MaliPrimitiveCulling", "MaliInputPrimitives", "MaliVisiblePrimitives"},
	rasterizer: {"MaliFragmentQuads", "MaliFragmentZSQuads", "MaliFragmentPrimitives", "FragmentPrePipeBuffer"},
	backend:    {"MaliShaderCoreL2WritesTileUnit", "BlendShader", "MaliFragmentTiles", "BlendUnitBackpressure", "ZSUnitBackpressure"},
	rayTracing: {"MaliRayTracingUnit"},
	cache:      {"MaliL2Cache"},
	bandwidth:  {"MaliExternalBusBeats", "MaliExternalBusAccesses", "MaliExternalBusStallCycles", "MaliExternalBusOutstanding"},
	latency:    {"MaliExternalBusReadLatency", "MaliTextureUnitStallCycles", "ExecutionEngineStarvation"},
	launch:     {"QueueCacheFlushStalls", "QueueDescriptorReadStalls", "QueueJobFinishStalls", "MaliGPUJobs"},
	inTurn:     {"QueueActive", "QueueJobDependencyStalls", "MaliGPUQueuedCycles"},
	governor:   {"gpu_clock_cycles", "shader_clock_cycles", "gpu_frequency"},
	thermal:    {"gpu_clock_cycles", "shader_clock_cycles", "gpu_frequency", "gpu_temperature"},
	power:      {"gpu_clock_cycles", "shader_clock_cycles", "gpu_frequency"},
	app:        {"cpu_user", "cpu_system", "cpu_idle", "cycles", "instructions", "task_clock", "procs_running"},
	driver:     {"cpu_user", "cpu_system", "cpu_idle", "cycles", "instructions", "task_clock", "procs_running"},
}

func (l *layout) telling(c simulate.Candidate) []string {
	var out []string
	for leaf, parts := range tellers {
		if candidates[leaf] != c {
			continue
		}
		for _, part := range parts {
			if !strings.HasPrefix(part, "Mali") {
				out = append(out, part)
			}
			for _, k := range l.counters {
				if strings.Contains(k.name, part) {
					out = append(out, k.name)
				}
			}
		}
	}
	return out
}
