package csv

import (
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// Reports of VTune's gpu-hotspots analysis (vtune -report hotspots -group-by=computing-task -format=csv) have a row for each task of the GPU,
// with how long its runs took together and what the GPU did meanwhile: shares, rates in each second, and the clock. Of the metrics of the OA unit these
// have names of their own. VTune's user guide (gpu-hotspots command line analysis) says which every preset collects: EU Array Active, Stalled and Idle,
// Computing Threads Started, Thread Occupancy and Core Frequency; how titles are spelled, with "(%)" and ", GB/sec:Read" behind, is what
// public programs look for that read such reports (xe-forge, unitrace's viewers and others).

// vtuneTasks are the columns that rows are of.
var vtuneTasks = []string{"Computing Task", "Source Computing Task", "Computing Task Purpose"}

// vtuneColumns are what such columns hold, by role; EU is what older products call the XVE.
var vtuneColumns = []struct {
	role string
	of   []string
}{
	{"busy:eu", []string{"XVE Array:Active", "EU Array:Active", "GPU EU Array:Active"}},
	{"stall:eu", []string{"XVE Array:Stalled", "EU Array:Stalled", "GPU EU Array:Stalled"}},
	{"share:thread_slots", []string{"XVE Threads Occupancy", "EU Threads Occupancy", "Thread Occupancy"}},
	{"count:compute_threads", []string{"Computing Threads Started"}},
	{"client:reads", []string{"GPU Memory Bandwidth:Read", "Memory Bandwidth:Read"}},
	{"client:writes", []string{"GPU Memory Bandwidth:Write", "Memory Bandwidth:Write"}},
	{"client:l3_shaders", []string{"L3 Shader Bandwidth", "GPU L3 Shader Bandwidth"}},
	{"client:slm_reads", []string{"Shared Local Memory Bandwidth:Read", "Shared Local Memory Read Bandwidth", "GPU Shared Local Memory:Average Bandwidth:Read"}},
	{"client:slm_writes", []string{"Shared Local Memory Bandwidth:Write", "Shared Local Memory Write Bandwidth", "GPU Shared Local Memory:Average Bandwidth:Write"}},
	{"count:slm_conflicts", []string{"GPU Shared Local Memory:Bank Conflicts", "Shared Local Memory:Bank Conflicts"}},
	{"busy:l3", []string{"GPU L3:Busy", "L3:Busy"}},
	{"stall:l3_bank_0", []string{"GPU L3:Stalled", "L3:Stalled"}},
	{"busy:first_pipe", []string{"XVE Pipelines:ALU0 active", "XVE Instructions:ALU0 active"}},
	{"busy:second_pipe", []string{"XVE Pipelines:ALU1 active", "XVE Instructions:ALU1 active"}},
	{"busy:both_pipes", []string{"EU 2 FPU active", "XVE Pipelines:ALU0 and ALU1 active"}},
	{"busy:matrix", []string{"XVE Pipelines:XMX active", "XVE Instructions:XMX active"}},
	{"busy:send", []string{"XVE Instructions:Send active", "EU Send active"}},
	{"busy:samplers", []string{"Sampler Busy", "GPU Sampler:Busy"}},
}

// vtuneClocks are columns of the clock.
var vtuneClocks = []string{"GPU Core Frequency", "Core Frequency"}

// vtuneLevels are columns of which nothing else says that they do not add up.
var vtuneLevels = []string{"Computing Task:Average Time", "Computing Task:SIMD Width", "SIMD Width", "Computing Task:Spill Memory Size"}

// vtuneNone are counts of draws, of which there are none in a row of a task of computing, by role.
var vtuneNone = []string{"count:vertex_threads", "count:hull_threads", "count:domain_threads", "count:geometry_threads", "count:pixel_threads", "count:vertices",
	"count:pixels_rasterized", "count:pixels_early_fails", "count:samples_rasterized", "count:samples_written", "count:samples_blended"}

// ofVTune gives the columns of a report of VTune the names that the catalogue has for what they hold, and adds what follows for a row that is a task of the
// GPU: it has work, and its clock and time give the clocks.
func ofVTune(cfg *capture.Config) {
	task := slices.IndexFunc(cfg.Labels, func(l *capture.Label) bool { return slices.Contains(vtuneTasks, l.Name) })
	find := func(names []string) *capture.Counter {
		for _, name := range names {
			if i := slices.IndexFunc(cfg.Counters, func(c *capture.Counter) bool { return c.Name == name && c.Col != nil }); i >= 0 {
				return cfg.Counters[i]
			}
		}
		return nil
	}
	if task < 0 || find(vtuneColumns[0].of) == nil && find(vtuneColumns[1].of) == nil && find(vtuneClocks) == nil {
		return
	}
	cfg.Device.Vendor = "Intel" // VTune profiles no other GPUs
	for _, name := range vtuneLevels {
		if c := find([]string{name}); c != nil {
			c.Kind, c.Guessed = capture.Gauge, false
		}
	}
	cat, err := metrics.Get(cfg.GPU)
	if err != nil {
		return // nobody knows which names the product has
	}
	for _, v := range vtuneColumns {
		if c, e := find(v.of), cat.Player(v.role); c != nil && e != nil {
			c.Aliases, c.Name, c.Title = append(c.Aliases, c.Name), e.Symbol, ""
			if c.Unit == "" && e.Unit == "percent" {
				c.Unit = e.Unit // a column that the user chose has it not in its title
			}
		}
	}
	tasks := cfg.Labels[task]
	ran := func(i int) bool { return tasks.Codes[i] >= 0 && cfg.Axis.Interval(i) > 0 }
	if e := cat.Player("busy:gpu"); e != nil && find([]string{e.Symbol}) == nil {
		cfg.Counters = append(cfg.Counters, made(cfg, e.Symbol, e.Unit, capture.Gauge,
			"All of the time: the row is that in which a task of the GPU ran.", ran, func(int) float64 { return 100 }))
	}
	for _, role := range vtuneNone {
		if e := cat.Player(role); e != nil && find([]string{e.Symbol}) == nil {
			cfg.Counters = append(cfg.Counters, made(cfg, e.Symbol, e.Unit, capture.Delta, "None: the row is that of a task of computing.", ran,
				func(int) float64 { return 0 }))
		}
	}
	if cat.Symbol("GpuCoreClocks") == nil || find([]string{"GpuCoreClocks"}) != nil {
		return
	}
	if mhz, doc := vtuneClock(cfg, find(vtuneClocks)); mhz != nil {
		cfg.Counters = append(cfg.Counters, made(cfg, "GpuCoreClocks", "cycles", capture.Delta, doc, ran,
			func(i int) float64 { return mhz(i) * 1e6 * float64(cfg.Axis.Interval(i)) / 1e9 }))
	}
}

// made is a counter that follows from others, missing where a row is of no task.
func made(cfg *capture.Config, name, unit string, kind capture.Kind, doc string, ran func(i int) bool, of func(i int) float64) *capture.Counter {
	f := make([]float64, cfg.Axis.Len())
	for i := range f {
		if f[i] = 0; kind == capture.Gauge {
			f[i] = math.NaN()
		}
		if ran(i) {
			f[i] = of(i)
		}
	}
	return &capture.Counter{Meta: capture.Meta{Name: name, Unit: unit, Kind: kind, Doc: doc, GPU: cfg.GPU, Source: Format{}.Name()},
		Axis: cfg.Axis, Col: capture.NewColumn(capture.Data{F: f})}
}
