package mali

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// withheld are counters that tell of a candidate directly, beside those of the list that models share.
var withheld = map[simulate.Candidate][]string{
	candidates[stArith]:     {"MaliEngInstr", "MaliEngSlot1IssueCy", "MaliEngSlotAnyIssueCy"},
	candidates[stTex]:       {"MaliTexQuads", "MaliTexQuadPass", "MaliTexCacheLookup", "MaliEngTexBackpressureCy", "MaliTexClkStarvedCy"},
	candidates[stVary]:      {"MaliEngVarBackpressureCy"},
	candidates[stLS]:        {"MaliEngLSBackpressureCy"},
	candidates[stRay]:       {"MaliRTUActiveCy", "MaliEngRTUBackpressureCy"},
	candidates[stTiler]:     {"MaliTilerPrimAsPosShadStallCy", "MaliTilerVarShadStallCy"},
	candidates[stBack]:      {"MaliBlendIssueCy", "MaliEngBlendBackpressureCy", "MaliEngZSBackpressureCy"},
	candidates[stL2]:        {"MaliL2CacheWrStallCy"},
	simulate.LaunchOverhead: {"MaliFragQueueWaitFinishCy", "MaliNonFragQueueWaitFinishCy", "MaliMainQueueDrainStallCy", "MaliCompQueueDrainStallCy"},
	simulate.ClockGovernor:  {"gpu_clock_cycles"},
}

// sparse is what those ask for who show a few lines over a game.
var sparse = []string{"MaliGPUActiveCy", "MaliFragQueueActiveCy", "MaliNonFragQueueActiveCy", "MaliMainQueuedCy", "MaliMainQueueAssignStallCy",
	"MaliBinningQueuedCy", "MaliBinningQueueAssignStallCy", "MaliCompQueuedCy", "MaliCompQueueAssignStallCy", "MaliFragActiveCy", "MaliNonFragActiveCy",
	"MaliMainActiveCy", "MaliCompOrBinningActiveCy", "MaliAnyActiveCy", "MaliCoreActiveCy", "MaliEngInstr", "MaliEngFMAInstr", "MaliEngCVTInstr",
	"MaliEngSFUInstr", "MaliEngSlot1IssueCy", "MaliTexFiltIssueCy", "MaliLSFullRd", "MaliLSPartRd", "MaliLSFullWr", "MaliLSPartWr", "MaliLSAtomic",
	"MaliVar16IssueSlot", "MaliVar32IssueSlot", "MaliExtBusRdBt", "MaliExtBusWrBt", "MaliExtBusRdStallCy", "MaliFragQueueTask", "MaliMainQueueTask",
	"MaliFragWarp", "MaliNonFragWarp", "MaliFragRastQd", "MaliFragEZSKillQd", "MaliTilerActiveCy", "MaliL2CacheRdLookup", "MaliExtBusRd",
	"MaliGeomVisiblePrim", "MaliGeomTrianglePrim"}

// groups are counters that go by what they begin with; templates often lack some of them.
var groups = []string{"MaliMMU", "MaliExtBusRdLat", "MaliExtBusRdOTQ", "MaliExtBusWr", "MaliL2Cache", "MaliTilerPos", "MaliFragPrepass", "MaliRTU",
	"MaliSCBus", "MaliCS", "MaliResQueue", "MaliEngStarve", "MaliGeom", "MaliTexL1"}

// record simulates the program and writes down what a recorder would.
func record(m *machine, w *load, seed uint64, kind string, o simulate.Options) (*capture.Capture, error) {
	r := simulate.NewRandom(seed, m.family+" "+kind+" recorded")
	period := simulate.Pick(r, 1e6, 1e6, 2e6, 4e6, 5e6, 8e6, 10e6, 16e6)
	marked, hosted, depends := r.Chance(.5), r.Chance(.5), r.Chance(.6)
	late, missed := r.Log(.001, .03), r.Log(.0005, .02)
	habit, cores := r.Weighted([]float64{6, 3, 1}), r.Chance(.75)
	if o.Period > 0 {
		period = float64(o.Period.Nanoseconds())
	}
	for _, x := range []struct {
		is  float64
		out *float64
	}{{o.Late, &late}, {o.Missed, &missed}} {
		if x.is != 0 {
			*x.out = max(0, x.is)
		}
	}
	bounds := simulate.NewBounds(period, simulate.Jitter(simulate.NewRandom(seed, "jitter"), period, r.Log(15e3, 90e3), late, missed))
	rec, err := newRecorder(m, bounds, depends)
	if err != nil {
		return nil, err
	}
	none := noRelief
	x, err := simulateLoad(m, w, &none, false, rec)
	if err != nil {
		return nil, err
	}
	run := &simulate.Run{Rec: &simulate.Recorder{Bounds: bounds}, Frames: x.frames, Start: x.frames[w.warm-1].Shown,
		End: x.frames[len(x.frames)-1].Shown}
	axis, origin, rows, gaps, lateSpans := run.Rows("CLOCK_MONOTONIC", o.Gaps, simulate.NewRandom(seed, "holes"),
		"the driver's ring was full: one sample covers several periods", "samples were lost")
	left := telling.Left(&o, telling.Mali)
	for _, c := range o.Withheld {
		left = append(left, withheld[c]...)
	}
	hide := map[string]bool{}
	for _, g := range groups {
		hide[g] = r.Chance(.25)
	}
	skip := func(names []string) bool {
		return slices.ContainsFunc(names, func(n string) bool {
			return slices.Contains(left, n) || habit == 1 && slices.ContainsFunc(groups, func(g string) bool { return hide[g] && strings.HasPrefix(n, g) })
		}) || habit == 2 && !slices.ContainsFunc(names, func(n string) bool { return slices.Contains(sparse, n) })
	}
	cfg := m.config(axis, gaps, lateSpans)
	cols := simulate.NewColumns(axis)
	place := make([]int, len(rec.entries))
	for i, e := range rec.entries {
		if place[i] = -1; skip(namesOf(e)) {
			continue
		}
		place[i] = cols.Counter(capture.Meta{Name: e.Name, Title: e.Title, Unit: e.Unit, Doc: e.Doc, GPU: m.gpu, Block: e.Block,
			Source: "kbase", Aliases: append(slices.Clone(e.Aliases), fmt.Sprintf("%s_%d", e.Block, e.Index))})
		cols.Scaled(place[i], max(1, e.Scaler))
		if parts := map[string]int{"core": m.cores, "memory": m.slices}[e.Block]; parts > 1 && cores {
			if strings.Contains(e.Name, "MMU") { // which is counted in the first slice only
				parts = 1
			}
			cols.Split(place[i], simulate.Numbers(parts), simulate.Near(simulate.NewRandom(seed, e.Block), parts, .02))
		}
	}
	clock := -1
	if !slices.Contains(left, clockCycles) && (habit == 0 || r.Chance(.5)) {
		clock = cols.Counter(capture.Meta{Name: clockCycles, Title: "GPU clock cycles", Unit: "cycles", Block: "clock", Source: "kbase"})
	}
	gauge := func(name, title, unit string, chance float64) int {
		if drawn := r.Chance(chance); slices.Contains(left, name) || !drawn {
			return -1
		}
		return cols.Gauge(capture.Meta{Name: name, Title: title, Unit: unit, Block: "gpu", Source: "kbase"})
	}
	frequency, heat := gauge("gpu_frequency", "GPU frequency", "Hz", .75), -1
	if m.clock.Heat != nil {
		heat = gauge("gpu_temperature", "GPU temperature", "celsius", .6)
	}
	processors := newProcessors(m, cols, left, o.Host.Of(hosted), simulate.NewRandom(seed, "processors"))
	numbers := &whole{rec, make([]float64, rec.columns), make([]float64, rec.columns)}
	carry := 0.0
	for _, i := range rows {
		row := rec.row(i)
		ns := float64(bounds.At(i+1) - bounds.At(i))
		clocks := math.Floor(row.clock*m.ghz(1) + carry)
		carry += row.clock*m.ghz(1) - clocks
		numbers.next(row, clocks)
		for k, at := range place {
			if at >= 0 {
				cols.Whole(at, numbers.values[k])
			}
		}
		if clock >= 0 {
			cols.Whole(clock, clocks)
		}
		if frequency >= 0 {
			cols.Set(frequency, m.clock.Highest*row.share)
		}
		if heat >= 0 {
			cols.Set(heat, math.Floor(row.heat*10)/10)
		}
		processors.next(row, ns)
	}
	cfg.Counters = cols.Counters(left)
	processors.instances(cfg.Counters)
	if o.Marks.Of(marked) {
		run.Mark(&cfg, origin)
	}
	return capture.New(cfg)
}

// config is what astrolabe's recorder says of the device.
func (m *machine) config(axis *capture.Axis, gaps, late []capture.Gap) capture.Config {
	number := func(name string, v float64) capture.Property { return capture.Property{Name: name, Number: v} }
	text := func(name, v string) capture.Property { return capture.Property{Name: name, Text: v, IsText: true} }
	layout, driver, architecture := "Mali-G52", "kbase 11.38", "7.2"
	if m.csf {
		layout, driver, architecture = "Mali G1", "kbase 1.38", "14.8"
	}
	return capture.Config{Name: m.family, Format: "simulated", GPU: m.gpu, Axis: axis, Gaps: gaps, Late: late,
		StartTime: time.Unix(1796000000, 0),
		Device:    capture.Device{Name: m.title, Vendor: "Arm", Driver: driver, ID: m.id, Extra: map[string]string{}},
		Properties: []capture.Property{number("MaliConstantsShaderCoreCount", float64(m.cores)), number("MaliConstantsL2SliceCount", float64(m.slices)),
			number("MaliConstantsBusWidthBits", m.bus*8), number("mali_warp_width", float64(m.warp)), number("mali_max_clock_hz", m.clock.Highest),
			text("mali_core_mask", fmt.Sprintf("%#x", 1<<m.cores-1)), text("mali_counter_layout", layout),
			text("mali_architecture", architecture)}}
}
