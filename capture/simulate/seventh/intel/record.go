package intel

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
)

// round is one run of the program, measured with one metric set.
type round struct {
	set  *metrics.MetricSet
	s    *sim
	rows []int // of the recorder, in the order of the capture's samples
}

// record simulates a program once for each metric set and makes a capture of it.
func record(p *program, seed uint64, o simulate.Options) (*capture.Capture, error) {
	r := simulate.NewRandom(seed, "seventh record "+p.m.product)
	cat, err := metrics.Get(p.m.product)
	if err != nil {
		return nil, err
	}
	names := drawnSets(p.m, r)
	if len(o.Sets) > 0 {
		names = o.Sets
	}
	whole, err := simulateOnce(p, nothing, false, nil)
	if err != nil {
		return nil, err
	}
	period, exponent := samplePeriod(p.m, r, float64(o.Period), whole.frames[len(p.frames)-1].flip.t)
	withHost, marks := o.Host.Of(r.Chance(0.5)), o.Marks.Of(r.Chance(0.6))
	noise, missed := p.noise, max(0, o.Missed)
	if o.Noise != 0 {
		noise *= max(0, o.Noise)
	}
	if lose := r.Chance(0.3); lose && o.Missed == 0 {
		missed = r.Log(0.0005, 0.01)
	}
	axis := &capture.Axis{Clock: "cpu"}
	driver := "i915"
	if p.m.discrete {
		driver = "xe"
	}
	cfg := capture.Config{Name: fmt.Sprintf("seventh-%d", seed), Format: "i915perf", GPU: p.m.product, Axis: axis,
		Device: capture.Device{Name: p.m.device, Vendor: "Intel", Driver: driver, ID: p.m.id}}
	var list []*round
	sets, frames := &capture.Label{Name: "metric_set"}, &capture.Label{Name: "frame"}
	shift := int64(0)
	for k, name := range names {
		x := &round{}
		if x.set, err = cat.Set(name); err != nil {
			return nil, err
		}
		own := simulate.NewRandom(seed, fmt.Sprint("seventh round ", k))
		q := *p
		q.frames = slices.Clone(p.frames)
		for i := range q.frames {
			f := &q.frames[i]
			f.scale, f.app, f.driver = f.scale*own.Spread(noise), f.app*own.Spread(noise), f.driver*own.Spread(noise)
		}
		// The hardware's timer is never late; a reader that is asked to be is.
		bounds := simulate.NewBounds(period, simulate.Jitter(own, period, 0, max(0, o.Late), missed))
		if x.s, err = simulateOnce(&q, nothing, false, &recorder{bounds: bounds}); err != nil {
			return nil, err
		}
		run := simulate.Run{Rec: &simulate.Recorder{Bounds: bounds}, Frames: x.s.truths()}
		run.Start, run.End = run.Frames[p.warm-1].Shown, run.Frames[len(run.Frames)-1].Shown
		part, origin, rows, gaps, late := run.Rows("cpu", o.Gaps, own, "reports were lost", "the buffer of reports was full")
		one := capture.Config{Axis: part}
		if marks {
			run.Mark(&one, origin)
		}
		if k > 0 {
			end := axis.End[len(axis.End)-1]
			shift = end + int64(own.Log(2e7, 4e8))
			cfg.Gaps = append(cfg.Gaps, capture.Gap{Start: end, End: shift,
				Reason: capture.Reason{Code: capture.NotCollected, Text: "between two rounds nothing is measured"}})
		}
		for i := range part.Start {
			axis.Start, axis.End = append(axis.Start, part.Start[i]+shift), append(axis.End, part.End[i]+shift)
			sets.Codes = append(sets.Codes, int32(k))
			if marks {
				text, _ := one.Labels[0].Value(i)
				code := slices.Index(frames.Dict, text)
				if code < 0 && text != "" {
					frames.Dict, code = append(frames.Dict, text), len(frames.Dict)
				}
				frames.Codes = append(frames.Codes, int32(code))
			}
		}
		move := func(to *[]capture.Gap, from []capture.Gap) {
			for _, g := range from {
				g.Start, g.End = g.Start+shift, g.End+shift
				*to = append(*to, g)
			}
		}
		move(&cfg.Gaps, gaps)
		move(&cfg.Late, late)
		for _, g := range one.Regions {
			g.Start, g.End = g.Start+shift, g.End+shift
			cfg.Regions = append(cfg.Regions, g)
		}
		sets.Dict = append(sets.Dict, x.set.Name)
		x.rows = rows
		list = append(list, x)
	}
	if cfg.Counters, err = count(p.m, seed, axis, list, o); err != nil {
		return nil, err
	}
	if withHost {
		cfg.Counters = append(cfg.Counters, processors(p, list, axis, seed, o)...)
	}
	if marks {
		cfg.Labels = append(cfg.Labels, frames)
	}
	cfg.Properties = properties(p.m, exponent, period)
	text := func(name, v string) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Text: v, IsText: true})
	}
	text("oa_format", list[0].set.Format)
	if len(list) == 1 {
		text("metric_set", list[0].set.Name)
		text("metric_set_guid", list[0].set.GUID)
	} else {
		cfg.Labels = append(cfg.Labels, sets)
	}
	return capture.New(cfg)
}

// drawnSets is what people record: the basic set, or what they look into in rounds.
func drawnSets(m *machine, r simulate.Random) []string {
	list := [][]string{{"RenderBasic"}, {"RenderBasic"}, {"RenderBasic", "RenderPipeProfile", "RasterizerAndPixelBackend"},
		{"ComputeBasic"}, {"RenderBasic", "Sampler_1", "Sampler_2", "HDCAndSF"}, {"RenderBasic", "EuActivity7", "GpuBusyness"},
		{"RenderBasic", "RenderPipeProfile", "RasterizerAndPixelBackend", "HDCAndSF", "L3_1", "L3_3", "TDL_2", "EuActivity1"}}
	if pick := list[r.IntN(len(list))]; !m.discrete {
		return pick
	}
	return list[0]
}

// samplePeriod is a period of the hardware's timer, 2^(exponent+1) ticks, near what is asked for, of a program that takes a time.
func samplePeriod(m *machine, r simulate.Random, asked, length float64) (period, exponent float64) {
	tick := 1e9 / m.timestamp
	if asked <= 0 {
		asked = simulate.Pick(r, 100e3, 200e3, 400e3, 800e3, 1600e3)
		asked = max(asked, length/3000)
	}
	exponent = max(5, min(24, math.Round(math.Log2(asked/tick))-1))
	return math.Exp2(exponent+1) * tick, exponent
}

// truths are the frames of a simulation.
func (s *sim) truths() (out []simulate.FrameTruth) {
	for i := range s.frames {
		f := &s.frames[i]
		out = append(out, simulate.FrameTruth{Content: s.p.frames[i].content, Begin: int64(f.begin.t), GPUBegin: int64(f.gpu),
			GPUEnd: int64(f.done.t), Shown: int64(f.flip.t), Missed: f.missed, Judged: i >= s.p.warm})
	}
	return out
}

// properties are the variables of the sets' formulas, and how it was sampled.
func properties(m *machine, exponent, period float64) (out []capture.Property) {
	number := func(v float64, names ...string) {
		for _, name := range names {
			out = append(out, capture.Property{Name: name, Number: v})
		}
	}
	mask := uint64(0)
	for s := range m.slices { // eight bits for each slice
		mask |= (1<<(m.cores/m.slices) - 1) << (8 * s)
	}
	masks := []string{"SubsliceMask", "DualSubsliceMask"}
	number(exponent, "oa_exponent")
	number(period, "oa_period_ns")
	number(m.timestamp, "GpuTimestampFrequency")
	number(m.least, "GpuMinFrequency")
	number(m.most, "GpuMaxFrequency")
	number(float64(m.eus), "EuCoresTotalCount")
	number(float64(m.cores), "EuSubslicesTotalCount")
	number(float64(m.slices), "EuSlicesTotalCount")
	number(float64(m.threads), "EuThreadsCount")
	number(math.Exp2(float64(m.slices))-1, "SliceMask")
	if m.discrete {
		number(float64(m.eus), "VectorEngineTotalCount")
		number(float64(m.threads), "VectorEngineThreadsCount")
		number(float64(m.cores), "XeCoreTotalCount")
		number(float64(m.slices), "SliceTotalCount")
		masks = append(masks, "XeCoreMask")
		for s := range m.slices {
			number(1, fmt.Sprintf("GtSlice%d", s))
			for c := range 4 {
				number(1, fmt.Sprintf("GtSlice%dXeCore%d", s, c))
			}
		}
	}
	for _, name := range masks {
		if mask < 1<<53 {
			number(float64(mask), name)
		} else { // a double would round it
			out = append(out, capture.Property{Name: name, Text: fmt.Sprintf("%#x", mask), IsText: true})
		}
	}
	return out
}
