package mali

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// withheld are counters that tell of a candidate beside those of package telling.
var withheld = map[simulate.Candidate][]string{
	unit("arithmetic"):     {"MaliEngNarrowInstr", "MaliEngDivergedInstr", "MaliEngStarveCy"},
	unit("varying"):        {"MaliVar32IssueSlot", "MaliVar16IssueSlot"},
	unit("rasterizer"):     {"MaliFragRastPartQd", "MaliFragEZSTestQd", "MaliFragEZSKillQd", "MaliFragEZSUpdateQd", "MaliFragRastCoarseQd"},
	unit("tiler"):          {"MaliTilerPrimAsPosShadStallCy", "MaliTilerVarShadStallCy"},
	candidates[stCache]:    {"MaliL2CacheWrStallCy", "MaliL2CacheL1RdStallCy", "MaliL2CacheWr"},
	simulate.MemoryLatency: {"MaliExtBusRdLat384"},
	simulate.QueuesInTurn:  {"MaliCS3WaitStallCy"},
}

// without lists what a recorder with these options does not measure, by any name.
func without(o *simulate.Options) []string {
	out := telling.Left(o, telling.Mali)
	for _, c := range o.Withheld {
		out = append(out, withheld[c]...)
	}
	return out
}

// record makes the capture of a case.
func (x *caseOf) record(o simulate.Options) (*capture.Capture, error) {
	c, r := x.chip, simulate.NewRandom(x.seed, "seventh mali recorder "+x.kind)
	period := float64(r.Whole(1, 4)) * 1e6
	if o.Period > 0 {
		period = float64(o.Period)
	}
	late, missed := r.Between(0, 0.02), r.Between(0, 0.01)
	for to, from := range map[*float64]float64{&late: o.Late, &missed: o.Missed} {
		if from != 0 {
			*to = max(0, from)
		}
	}
	m := newMachine(c, x.load, nothing)
	m.rec = &recorder{bounds: simulate.NewBounds(period, simulate.Jitter(r, period, 20e3, late, missed))}
	if err := m.simulate(); err != nil {
		return nil, err
	}
	run := &simulate.Run{Rec: &simulate.Recorder{Bounds: m.rec.bounds}}
	for i := range m.frames {
		f := &m.frames[i]
		run.Frames = append(run.Frames, simulate.FrameTruth{Content: x.load.frames[i].content, Begin: f.begin, GPUBegin: f.gpuBegin,
			GPUEnd: f.done, Shown: f.flip, Missed: f.missed, Judged: i >= x.load.warm})
	}
	run.Start, run.End = m.frames[x.load.warm-1].flip, m.frames[len(m.frames)-1].flip
	axis, origin, rows, gaps, lates := run.Rows("CLOCK_MONOTONIC_RAW", o.Gaps, r,
		"the recorder was late: the sample covers missed ticks", "the driver's ring was full: samples were lost")
	cfg := capture.Config{Name: x.text, Format: "recording", GPU: c.gpu, Axis: axis, Gaps: gaps, Late: lates,
		StartTime: time.Unix(1795996800, 0).UTC(), Device: capture.Device{Name: c.name, Vendor: "Arm", Driver: "kbase",
			Extra: map[string]string{}}, Properties: c.properties()}
	left := without(&o)
	counters, err := c.counters(axis, rows, m.rec, r, left)
	if err != nil {
		return nil, err
	}
	cfg.Counters = append(counters, x.beside(axis, rows, m.rec, o, left)...)
	if o.Marks.Of(r.Chance(0.5)) {
		run.Mark(&cfg, origin)
	}
	return capture.New(cfg)
}

func (c *chip) properties() []capture.Property {
	return []capture.Property{
		{Name: "MaliConstantsShaderCoreCount", Number: float64(c.cores)},
		{Name: "MaliConstantsL2SliceCount", Number: float64(c.slices)},
		{Name: "MaliConstantsBusWidthBits", Number: 128},
		{Name: "mali_warp_width", Number: 16},
		{Name: "mali_max_clock_hz", Number: c.hz},
		{Name: "mali_core_mask", Text: fmt.Sprintf("%#x", c.mask), IsText: true},
		{Name: "mali_counter_layout", Text: map[bool]string{true: "Mali-G720", false: "Mali-G77"}[c.modern], IsText: true},
	}
}

// machineName is what Arm's database calls a counter, which is shorter than Streamline's variables, or what the hardware
// calls it where that has none.
func machineName(e *metrics.Entry) string {
	best := ""
	for _, a := range e.Aliases {
		if strings.HasPrefix(a, "Mali") && !strings.Contains(a, " ") && (best == "" || len(a) < len(best)) {
			best = a
		}
	}
	if best == "" {
		best = e.Aliases[0]
	}
	return best
}

// counters makes the GPU's columns.
func (c *chip) counters(axis *capture.Axis, rows []int, rec *recorder, r simulate.Random, left []string) ([]*capture.Counter, error) {
	cat, err := metrics.Get(c.gpu)
	if err != nil {
		return nil, err
	}
	cols := simulate.NewColumns(axis)
	e := &emitter{cols: cols, at: map[string]int{}, put: map[string]bool{}}
	var cores []string
	for m := c.mask; m != 0; m &= m - 1 {
		cores = append(cores, strconv.Itoa(bits.TrailingZeros64(m)))
	}
	ids := map[string][]string{"core": cores, "memory": simulate.Numbers(c.slices)}
	weights := map[string][]float64{"core": simulate.Near(r, c.cores, 0.02), "memory": simulate.Near(r, c.slices, 0.01)}
	clock := cols.Counter(capture.Meta{Name: "gpu_clock_cycles", Title: "GPU clock cycles", Unit: "cycles", Block: "clock",
		Source: "kbase"})
	for _, entry := range cat.Entries() {
		if entry.Kind != capture.Delta || !slices.Contains([]string{"fe", "tiler", "memory", "core"}, entry.Block) {
			continue
		}
		name := machineName(entry)
		if slices.Contains(left, name) || slices.Contains(left, entry.Name) {
			left = append(left, entry.Name)
		}
		at := cols.Counter(capture.Meta{Name: entry.Name, Title: entry.Title, Unit: entry.Unit, Doc: entry.Doc, GPU: c.gpu,
			Block: entry.Block, Source: "kbase", Aliases: slices.Clone(entry.Aliases)})
		if entry.Scaler > 1 {
			cols.Scaled(at, entry.Scaler)
		}
		if list := ids[entry.Block]; len(list) > 1 {
			cols.Split(at, list, weights[entry.Block])
		}
		e.at[name] = at
	}
	var empty row
	for _, i := range rows {
		e.row = &empty
		if i < len(rec.rows) {
			e.row = &rec.rows[i]
		}
		cols.Add(clock, e.row.s[sClock])
		e.most = cols.Last(clock)
		c.emit(e)
	}
	return cols.Counters(left), nil
}
