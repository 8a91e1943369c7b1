package rates

import (
	"maps"
	"math"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/all"
)

// family is a family of the simulator: which triage script judges its captures, and which findings of today's reports
// name each limiter.
type family struct {
	name       string
	script     string
	dispatches bool // samples are dispatches or draws, one for each of the simulation's
	// names are the ids of findings that name a limiter, by the simulator's name of it. A finding counts when it says
	// of that very thing that it is what limits, or, standing below such a finding, what of that thing's own work does
	// (`filtering` below `texture_bound`). Findings that support another one never count, and a symptom never does: a
	// queue or a stage that is busy, a unit that waits without a word of what for, a GPU without work. Where the
	// reports name something and not its kind (a clock that is held down, but not by what), that counts for each.
	names map[string][]string
	// untold are the limiters that no finding of today's reports names, whatever was recorded, with the reason.
	untold map[string]string
	// parts are what the parts of the script's account stand for, by name; without an entry it is the simulator's unit
	// or memory of that name, and groupNotKnown where they do not say what is the limit.
	parts map[string]string
	// alike are limiters that the account does not tell from another one, by the simulator's name, and that one's.
	alike map[string]string
	// shows are the metrics, or properties, that show a limiter, one of which is enough: those that the vendor documents for it. A
	// capture that has none of them cannot show it, and a report is right that asks for what has one. A limiter that is
	// not listed can always be shown.
	shows map[string][]string
	// events are those that show a limiter, by the names by which reports ask for them, where a recording chooses single
	// events and no metric sets. A report is right that asks for one of them where the capture has none.
	events map[string][]string
}

const (
	noDisplay = "the reports say that the display or a cap sets the pace, or that the GPU lacks work, and not that nobody asks for frames"
	noRule    = "no rule"
	onlyQueue = "only a queue or a stage that is busy, which is a symptom"
	stalled   = "that waves or EUs wait is a symptom: it does not say what for"
)

// single_thread is of cpu.star, which judges a GPU's capture as well where the processors were recorded. It does not
// say which thread.
var (
	heldDown = []string{"clock_capped", "clock_fell", "low_clock"} // for heat, a power limit and the governor: they name all three
	// for the application's thread and the driver's: neither says which
	waitedFor = []string{"cpu_bound", "single_thread"}
	// "the display, or a cap, sets the pace": it says that either may
	dates = []string{"vsync_idle"}
	// loads that go to memory: it does not tell latency from bandwidth
	memoryMisses = []string{"memory_bound"}
	// that loads wait for their addresses to be looked up: for tables in memory
	addresses = []string{"memory_bound", "tlb_bound"}
)

// toTheHighest is what a processor's clock is compared with: its cycles beside reference cycles, or the highest clock.
var toTheHighest = []string{"reference_ratio", "cpu_max_freq.0"}

// memoryEvents show that cores wait for memory.
var memoryEvents = slotsOr("backend", "stalled_cycles_backend", "cache_misses", "LLC_load_misses")

// threadSwitches show that threads wait for each other: nothing else tells them from threads that work.
var threadSwitches = []string{"cpu/context_switch_rate", "cpu/system_context_switch_rate", "procs_running", "cpu/cpu_utilization"}

// slotsOr are the metrics that say what becomes of a processor's slots, of a kind, and other metrics and counters.
func slotsOr(kind string, others ...string) []string {
	return append([]string{"cpu/" + kind + "_slots", "cpu/amd_" + kind + "_slots", "cpu/issue_" + kind + "_slots"}, others...)
}

// host are the counters of processors, without which a GPU's capture does not tell who keeps the GPU waiting. The metric
// takes every column of /proc/stat, of which a recording may lack some.
var host = []string{"cpu/cpu_utilization", "cpu_user"}

var rdna = family{
	script:     "gfx1151",
	dispatches: true,
	parts: map[string]string{
		"launch": "launch/overhead", "wave launch": "unit/wave_launch", "empty shaders": "unit/wave_launch", "local memory": "unit/local_memory",
		"load/store": "unit/load_store",
	},
	names: map[string][]string{
		"unit/arithmetic": {"valu_bound"},
		// GL0 is the end of the load/store path: requests that it holds up, data that waits to be taken from it.
		"unit/load_store":   {"ta_stalls"},
		"unit/local_memory": {"lds_bound", "lds_conflicts"},
		"unit/wave_launch":  {"wave_launch_bound"},
		"memory/bandwidth":  {"dram_bandwidth"},
		"memory/cache":      {"gl2_backpressure"},
		// The time in which waves wait for data and nothing that answers them is full, and not only that they wait.
		"memory/latency":  {"waves_starved"},
		"launch/overhead": {"launch_bound"},
	},
}

var mali = family{
	script: "mali",
	shows:  map[string][]string{"cpu/app": host, "cpu/driver": host, "cpu/sync": host},
	names: map[string][]string{
		"unit/arithmetic":  {"arithmetic_bound", "divergence", "special_functions"},
		"unit/texture":     {"texture_bound", "filtering"},
		"unit/varying":     {"varying_bound"},
		"unit/load_store":  {"load_store_bound", "partial_accesses", "atomics"},
		"unit/ray_tracing": {"ray_tracing_bound", "ray_incoherence"},
		// Binning is what the tiler does. Findings about reuse below it are about shading vertices, which is no work of
		// the tiler.
		"unit/tiler": {"binning_bound", "off_screen", "scissored", "tiny_triangles", "invisible_geometry"},
		// The fragment front end hands over too few quads, which is said of nothing else. Overdraw, late tests and
		// partial quads are no unit.
		"unit/rasterizer": {"fragment_starved"},
		"memory/bandwidth": {"read_stalls", "texture_reads", "buffer_reads", "geometry_reads", "write_stalls",
			"tile_writes", "buffer_writes"},
		"memory/latency": {"slow_memory"},
		"memory/cache":   {"cache_bound"},
		// Fragments that blend wait, and no unit leads.
		"unit/pixel_backend": {"tile_bound", "blend_bound"},
		// What the command front end and the answer to the processor cost.
		"launch/overhead": {"command_processing", "interrupts_pending", "job_overhead", "dispatch_bound"},
		"cpu/app":         waitedFor,
		"cpu/driver":      waitedFor,
		"cpu/sync":        {"scheduling_bound"},
		"queues/in_turn":  {"serialized"},
		"display/vsync":   dates,
		"display/cap":     dates,
		// It says that heat, a power limit and the governor look alike.
		"clock/thermal":  {"clock_limited"},
		"clock/power":    {"clock_limited"},
		"clock/governor": {"clock_limited"},
	},
	untold: map[string]string{
		"display/request": noDisplay,
	},
	parts: map[string]string{"front_end": "unit/rasterizer", "commands": "launch/overhead", "launch": "launch/overhead", "launch of compute": "launch/overhead",
		"write bandwidth": "memory/bandwidth", "blend": "unit/pixel_backend"},
}

var intel = family{
	script: "intel_oa",
	parts: map[string]string{
		"data": "unit/load_store", "data_link": "unit/load_store", "slm": "unit/local_memory",
		"launches": "launch/overhead", "computing": "unit/arithmetic",
		"l3": "memory/cache", "bank": "memory/cache", "texture_link": "memory/cache", "gti": "memory/bandwidth",
		"VfBottleneck": "unit/vertex_fetch", "ClBottleneck": "unit/clipper", "SfBottleneck": "unit/setup",
		"HiDepthBottleneck": "unit/hierarchical_depth", "EarlyDepthBottleneck": "unit/early_depth",
	},
	shows: map[string][]string{
		"cpu/app": host, "cpu/driver": host, "cpu/sync": host,
		// Any engine, the render engine beside all of the GPU, or the compute engine. DG2 has no public set with one of them.
		"queues/in_turn": {"AnyRingBusy", "AnyEngineBusy", "RenderBusy", "COMMAND_PARSER_COMPUTE_ENGINE_BUSY",
			"COMMAND_PARSER_COMPUTE_ENGINE_BUSY_CCS0"},
		"unit/arithmetic": {"busy:eu"},
		"unit/texture":    {"busy:samplers", "input:samplers"},
		// What the data ports move says nothing of how long a message takes; that they wait for L3 does, and so do the
		// banks for what is behind them.
		"unit/load_store":         {"stall:data_ports", "input:load_store"},
		"unit/vertex_fetch":       {"stall:vertex_fetch", "input:vertex_fetch"},
		"unit/clipper":            {"stall:clipper", "input:clipper"},
		"unit/setup":              {"stall:setup", "output:clipper"}, // what the clipper has ready waits for it
		"unit/local_memory":       {"client:slm_reads", "count:slm_reads", "A30"},
		"unit/hierarchical_depth": {"stall:hierarchical_depth"},
		"unit/early_depth":        {"stall:early_depth"},
		"unit/rasterizer":         {"input:rasterizer"},
		"unit/pixel_backend":      {"input:pixel_backend"},
		"memory/bandwidth":        {"client:reads", "count:memory_lines"},
		// Latency is what waits with memory far from full are for.
		"memory/latency": {"client:reads", "count:memory_lines"},
		"memory/cache": {"stall:l3_bank_0", "stall:l3_bank_2", "stall:l3_bank_3", "stall:l3_bank_4",
			"stall:l3_bank_5", "input:l3", "stall:data_ports"},
	},
	names: map[string][]string{
		"unit/arithmetic": {"eu_compute_bound", "fpu_bound", "ps_math", "vs_math", "cs_math"},
		"unit/texture":    {"sampler_bound"},
		// the latter does not tell the ports from L3 behind them
		"unit/load_store":         {"l3_data_bound", "hdc_waits_on_l3"},
		"unit/local_memory":       {"slm_bound"},
		"unit/vertex_fetch":       {"stage_vf"},
		"unit/clipper":            {"stage_cl"},
		"unit/setup":              {"stage_sf"},
		"unit/rasterizer":         {"rasterizer_hotspot"},
		"unit/hierarchical_depth": {"stage_hiz"},
		"unit/early_depth":        {"stage_iz"},
		"unit/pixel_backend":      {"backend_hotspot"},
		"memory/bandwidth": {"gti_bound", "memory_bound", "memory_l3", "memory_color", "memory_depth",
			"memory_vertices",
			"memory_commands"},
		// L3 itself, its links to samplers and data ports, or that these wait for it.
		"memory/cache":    {"l3_bank_bound", "l3_bank_stalled", "hdc_waits_on_l3", "l3_sampler_bound"},
		"memory/latency":  {"memory_latency", "low_occupancy", "barrier_bound", "atomic_bound"},
		"launch/overhead": {"launch_bound", "dispatch_bound"},
		"cpu/app":         waitedFor,
		"cpu/driver":      waitedFor,
		"cpu/sync":        {"scheduling_bound"},
		"queues/in_turn":  {"other_engine"}, // copies or video, which the render engine waits for
		"display/vsync":   dates,
		"display/cap":     dates,
		"clock/thermal":   heldDown,
		"clock/power":     heldDown,
		"clock/governor":  heldDown,
	},
	untold: map[string]string{
		"display/request": noDisplay,
	},
}

// tracing are the Intel GPUs that trace rays.
var tracing = intel.with("unit/ray_tracing", "rays", "stall:rays", "ray_tracing_bound")

var families = withOthers([]family{
	mali.called("mali-g615"),
	mali.called("mali-g720"),
	mali.called("mali-g52"),
	mali.called("mali-g76"),
	mali.called("mali-g57"),
	mali.called("mali-g78"),
	mali.called("mali-g710"),
	mali.called("immortalis-g925"),
	mali.called("mali-g1-ultra"),
	intel.called("intel-kbl-gt2"),
	intel.called("intel-kbl-gt3"),
	intel.called("intel-bdw"),
	intel.called("intel-icl"),
	intel.called("intel-tgl"),
	tracing.called("intel-dg2"),
	tracing.called("intel-mtl"),
	tracing.called("intel-lnl"),
	tracing.called("intel-bmg"),
	{
		name:   "amd-live",
		script: "amd_live",
		names: map[string][]string{
			// That the firmware holds the clocks down, or that they are low, counts for heat and for a power limit.
			"clock/thermal": {"throttled", "low_clock", "hot"},
			"clock/power":   {"throttled", "low_clock", "power_limit"},
			"cpu/app":       waitedFor,
			"cpu/driver":    waitedFor,
			"cpu/sync":      {"scheduling_bound"},
			// graphics and compute, or copies or video
			"queues/in_turn": {"serialized", "other_engine"},
			// low where there is work all the time: a performance level may hold it
			"clock/governor": {"low_clock"},
			"display/vsync":  dates,
			"display/cap":    dates,
			// A block that works all along, and none behind it. The unit for addresses serves textures and loads alike.
			"unit/texture":            {"texture_bound"},
			"unit/load_store":         {"texture_bound"},
			"unit/vertex_fetch":       {"vertices_bound"},
			"unit/primitive_assembly": {"geometry_bound"},
			"unit/rasterizer":         {"raster_bound"},
			"unit/depth":              {"depth_bound"},
			"unit/pixel_backend":      {"color_bound"},
			"memory/bandwidth":        {"bandwidth_bound"},
			"memory/cache":            {"cache_bound"},
			"launch/overhead":         {"launch_bound"},
			// what is read over the bus because local memory is full, or moved by the copy engine
			"memory/pcie": {"evictions", "dma_engine"},
			"unit/copy":   {"dma_engine"},
			"unit/video":  {"dec_engine", "enc_engine"},
			// That shaders set the pace and no other block, without what in them: no status bit tells.
			"unit/arithmetic":   {"busy_blocks"},
			"unit/local_memory": {"busy_blocks"},
			"memory/latency":    {"busy_blocks"},
		},
		shows: map[string][]string{"cpu/app": host, "cpu/driver": host, "cpu/sync": host,
			"queues/in_turn": {"busy_cpc_sampled"}},
		untold: map[string]string{
			"display/request": noDisplay,
		},
	},
	{
		name:       "amd-gpa",
		script:     "gpa",
		dispatches: true,
		names: map[string][]string{
			"unit/arithmetic": {"vs_valu", "hs_valu", "ds_valu", "gs_valu", "ps_valu", "cs_valu",
				"cs_divergence", "kernel_valu",
				"kernel_divergence"},
			"unit/texture": {"ps_texture", "trilinear", "volume", "anisotropy", "stage_tex",
				"tex_trilinear", "tex_volume",
				"tex_anisotropy", "cs_fetch_bound", "kernel_fetch_bound"},
			// Textures and buffers are fetched through one unit, whose busy cycles the counters of both count
			// (TA_BUSY), and the findings name both.
			"unit/load_store":   {"cs_fetch_bound", "kernel_fetch_bound", "ps_texture", "stage_tex"},
			"unit/local_memory": {"cs_lds_bound", "cs_lds_conflicts", "kernel_lds_conflicts"},
			"unit/primitive_assembly": {"vs_primitives", "small_primitives", "culled_primitives", "clipped_primitives",
				"stage_pa", "pa_small_primitives", "pa_culled_primitives", "pa_clipped_primitives"},
			"unit/vertex_fetch":  {"vertices_bound"},
			"unit/rasterizer":    {"raster_bound"},
			"unit/depth":         {"ps_depth", "stage_db"},
			"unit/pixel_backend": {"color_bound", "slow_pixels", "blending"},
			// Memory that holds up the unit in front of it. Of draws nothing counts what they ask of it: ps_waits says
			// that they wait, and not whether for its bandwidth, for the L2 cache or for an answer, and is a symptom.
			"memory/bandwidth": {"cs_memory_stalled", "kernel_memory_stalled", "cs_writes_stalled",
				"kernel_writes_stalled"},
			"memory/cache":    {"cs_cache_bound"},
			"memory/latency":  {"cs_waits", "kernel_waits", "few_waves"},
			"launch/overhead": {"bubbles"},
		},
		parts: map[string]string{"fetch": "unit/load_store", "writes": "memory/bandwidth",
			"primitives": "unit/primitive_assembly", "vertices": "unit/vertex_fetch",
			"color": "unit/pixel_backend", "vs_valu": "unit/arithmetic", "hs_valu": "unit/arithmetic",
			"ds_valu": "unit/arithmetic", "gs_valu": "unit/arithmetic",
			"ps_valu": "unit/arithmetic", "cs_valu": "unit/arithmetic", "compute_waits": "memory/latency", "few_waves": "memory/latency",
			"pixel_waits": groupNotKnown, "launch": "launch/overhead"},
	},
	rdna.called("gfx1151"), rdna.called("gfx1201"),
	{
		name:   "cpu",
		script: "cpu",
		// Nothing that is counted tells latency from bandwidth; what else waits is not explained.
		parts: map[string]string{"fetch": "unit/front_end", "memory": "memory/latency", "back end": "memory/latency", "tlb": "memory/latency",
			"storage": "cpu/io", "date": groupDisplay, "waiting": groupNotKnown},
		alike: map[string]string{"memory/bandwidth": "memory/latency"},
		names: map[string][]string{
			"unit/branch":      {"branch_misses"},
			"unit/front_end":   {"fetch_bound"},
			"memory/latency":   addresses,
			"memory/bandwidth": memoryMisses,
			"cpu/io":           {"io_pressure"},
			"cpu/faults":       {"fault_storm"},
			"cpu/others":       {"cpu_crowded"},
			"unit/core":        {"core_bound"},
			"cpu/lock":         {"lock_bound"},
			"queues/in_turn":   {"threads_in_turn"},
			"clock/thermal":    {"clock_held_down"},
			"clock/power":      {"clock_held_down"},
			"clock/governor":   {"clock_held_down"},
		},
		// A clock that is held down shows against the highest or the nominal one, and where neither is told, as in many
		// virtual machines, nothing shows it.
		// What a thread does while it runs shows in the events of its core, and in nothing that the kernel tells.
		shows: map[string][]string{"clock/thermal": toTheHighest, "clock/power": toTheHighest, "clock/governor": toTheHighest,
			"unit/branch": slotsOr("bad_speculation", "branch_misses"), "unit/front_end": slotsOr("frontend", "stalled_cycles_frontend"),
			"memory/latency": memoryEvents, "memory/bandwidth": memoryEvents,
			"unit/core": slotsOr("retiring", "cpu/ipc", "stalled_cycles_backend", "stalled_cycles_frontend"),
			"cpu/io":    {"cpu/io_pressure", "procs_blocked", "cpu/io_wait"}, "cpu/lock": threadSwitches, "queues/in_turn": threadSwitches},
		events: map[string][]string{"unit/branch": {"branch-misses"}, "unit/front_end": {"stalled-cycles-frontend"},
			"memory/latency": {"stalled-cycles-backend", "cache-misses"}, "memory/bandwidth": {"stalled-cycles-backend", "cache-misses"},
			"unit/core": {"instructions", "stalled-cycles-backend", "stalled-cycles-frontend"},
			"cpu/io":    {"procfs"}, "cpu/lock": {"context-switches"}, "queues/in_turn": {"context-switches"}},
		untold: map[string]string{
			"display/timer": "that the CPUs are mostly idle is a symptom",
		},
	},
})

// withOthers adds the families of models by others: those of the same hardware, judged by the same mapping.
func withOthers(first []family) []family {
	out := first
	for _, name := range all.Others() {
		i := slices.IndexFunc(first, func(f family) bool { return f.name == all.Base(name) })
		out = append(out, first[i].called(name))
	}
	return out
}

func (f family) called(name string) family {
	f.name = name
	return f
}

// with is the family with a limiter more: the part of an account that stands for it, the metric that shows it, and the
// finding that names it.
func (f family) with(limiter, part, metric, finding string) family {
	f.parts, f.shows, f.names = maps.Clone(f.parts), maps.Clone(f.shows), maps.Clone(f.names)
	f.parts[part], f.shows[limiter], f.names[limiter] = limiter, []string{metric}, []string{finding}
	return f
}

// findFamily is the family of that name, nil where there is none.
func findFamily(name string) *family {
	if i := slices.IndexFunc(families, func(f family) bool { return f.name == name }); i >= 0 {
		return &families[i]
	}
	return nil
}

// Families are the families of the simulator that are measured, and those that one script judges where only is not
// empty. Those of models by others are measured when they are named.
func Families(only string) (out []string) {
	for _, f := range families {
		if (only == "" || f.script == only) && all.Base(f.name) == f.name {
			out = append(out, f.name)
		}
	}
	return out
}

// allFamilies are the families of all models.
func allFamilies() (out []string) {
	for _, f := range families {
		out = append(out, f.name)
	}
	return out
}

// right reports whether a finding names a limiter.
func (f *family) right(id string, c simulate.Candidate) bool {
	return slices.Contains(f.names[c.String()], id)
}

// shown reports whether a capture has a metric, or a property, that shows a limiter.
func (f *family) shown(c simulate.Candidate, cap *capture.Capture) bool {
	names := f.shows[c.String()]
	return len(names) == 0 || slices.ContainsFunc(names, func(name string) bool {
		if _, ok := cap.Property(name); ok {
			return true
		}
		m, err := metrics.Resolve(cap, name)
		return err == nil && !math.IsNaN(m.Total().Float())
	})
}

// countable reports whether something that can be recorded shows a limiter: a metric set of the capture's GPU, or the
// processors beside it.
func (f *family) countable(c simulate.Candidate, cap *capture.Capture) bool {
	return len(f.shows[c.String()]) == 0 || f.byHost(c) || f.countedBy(c, cap, nil)
}

// byHost reports whether the processors show a limiter.
func (f *family) byHost(c simulate.Candidate) bool { return slices.Equal(f.shows[c.String()], host) }

// countedBy reports whether one of some metric sets of the capture's GPU shows a limiter; of all of them without any.
func (f *family) countedBy(c simulate.Candidate, cap *capture.Capture, among []string) bool {
	cat, err := metrics.Get(cap.GPU)
	recorded, _ := cap.Property("metric_set")
	return err == nil && len(cat.Sets()) > 0 && slices.ContainsFunc(f.shows[c.String()], func(name string) bool {
		sets, all := metrics.SetsShowing(cap, "$"+name)
		if _, err := cat.Find(name); all && err != nil {
			return false // the GPU has no such metric, and so it is of no set: some have AnyEngineBusy, DG2 has nothing like it
		}
		return all || slices.ContainsFunc(sets, func(s string) bool { // that of the capture itself does not
			return len(among) == 0 && s != recorded.Text || slices.Contains(among, s)
		})
	})
}

// hasSets reports whether a GPU has all of some metric sets.
func hasSets(gpu string, sets []string) bool {
	cat, err := metrics.Get(gpu)
	return err == nil && len(sets) > 0 && !slices.ContainsFunc(sets, func(name string) bool {
		_, err := cat.Set(name)
		return err != nil
	})
}

// notCountable says that no metric set of the GPU shows what limits.
const notCountable = "not_countable"

// limiter reports whether a finding names any limiter at all.
func (f *family) limiter(id string) bool {
	for _, ids := range f.names {
		if slices.Contains(ids, id) {
			return true
		}
	}
	return false
}

// text is the table of the family, for its hash.
func (f *family) text() string {
	var lines []string
	for c, ids := range f.names {
		lines = append(lines, f.name+" "+c+" "+strings.Join(ids, " "))
	}
	for c := range f.untold {
		lines = append(lines, f.name+" "+c+" untold")
	}
	for part, c := range f.parts {
		lines = append(lines, f.name+" part "+part+" "+c)
	}
	for c, other := range f.alike {
		lines = append(lines, f.name+" "+c+" is accounted for as "+other)
	}
	for c, events := range f.events {
		lines = append(lines, f.name+" "+c+" asked for by "+strings.Join(events, " "))
	}
	for c, metrics := range f.shows {
		lines = append(lines, f.name+" "+c+" shown by "+strings.Join(metrics, " "))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}
