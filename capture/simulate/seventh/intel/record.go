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
	set *metrics.MetricSet
	s   *sim
	// Samples of the recorder, and the time of the first's start in the simulation.
	rows   []int
	origin float64
	shift  int64 // of its times in the capture
}

// record simulates a program once for each metric set and makes a capture of it.
func record(p *program, seed uint64, o simulate.Options) (*capture.Capture, error) {
	r := simulate.NewRandom(seed, "seventh record "+p.m.product)
	cat, err := metrics.Get(p.m.product)
	if err != nil {
		return nil, err
	}
	names := o.Sets
	if drawn := drawnSets(p.m, r); len(names) == 0 {
		names = drawn
	}
	period, exponent := samplePeriod(p, r, float64(o.Period))
	withHost, marks := o.Host.Of(r.Chance(0.5)), o.Marks.Of(r.Chance(0.6))
	gaps, noise := o.Gaps, p.noise
	if o.Noise != 0 {
		noise *= max(0, o.Noise)
	}
	missed := o.Missed
	if missed == 0 && r.Chance(0.3) {
		missed = r.Log(0.0005, 0.01)
	}
	axis := &capture.Axis{Clock: "cpu"}
	cfg := capture.Config{Name: fmt.Sprintf("seventh-%d", seed), Format: "i915perf", GPU: p.m.product, Axis: axis,
		Device: capture.Device{Name: p.m.device, Vendor: "Intel", Driver: map[bool]string{true: "xe", false: "i915"}[p.m.discrete], ID: p.m.id}}
	var list []*round
	var labels []int32
	var dict []string
	frames := &capture.Label{Name: "frame"}
	at := int64(0)
	for k, name := range names {
		set, err := cat.Set(name)
		if err != nil {
			return nil, err
		}
		own := simulate.NewRandom(seed, fmt.Sprint("seventh round ", k))
		q := *p
		q.frames = slices.Clone(p.frames)
		for i := range q.frames {
			q.frames[i].scale *= own.Spread(noise)
			q.frames[i].app *= own.Spread(noise)
			q.frames[i].driver *= own.Spread(noise)
		}
		late := simulate.Jitter(own, period, 0.002*period*max(0, o.Late)*100, max(0, o.Late), max(0, missed))
		x := &round{set: set, shift: at}
		rec := &recorder{bounds: simulate.NewBounds(period, late)}
		if x.s, err = simulateOnce(&q, nothing, false, rec); err != nil {
			return nil, err
		}
		first, last := x.s.samples()
		b := rec.bounds
		x.origin = float64(b.At(first))
		hole := map[int]int{}
		for range gaps {
			i := first + 1 + own.IntN(max(1, last-first-2))
			hole[i] = min(last-1, i+1+int(own.ExpFloat64()*float64(last-first)/40))
		}
		if k > 0 {
			cfg.Gaps = append(cfg.Gaps, capture.Gap{Start: axis.End[len(axis.End)-1], End: at,
				Reason: capture.Reason{Code: capture.NotCollected, Text: "between two rounds nothing is measured"}})
		}
		for i := first; i < last; i++ {
			from := at + b.At(i) - b.At(first)
			if until, ok := hole[i]; ok && until > i {
				cfg.Gaps = append(cfg.Gaps, capture.Gap{Start: from, End: at + b.At(until) - b.At(first), Lost: uint64(until - i),
					Reason: capture.Reason{Code: capture.LostReports, Text: "the hardware's buffer was full"}})
				i = until - 1
				continue
			}
			to := at + b.At(i+1) - b.At(first)
			axis.Start, axis.End = append(axis.Start, from), append(axis.End, to)
			x.rows = append(x.rows, i)
			labels = append(labels, int32(k))
			if n := b.Missed(i); n > 0 {
				cfg.Late = append(cfg.Late, capture.Gap{Start: from, End: to, Lost: uint64(n),
					Reason: capture.Reason{Code: capture.LostReports, Text: "reports were lost"}})
			}
		}
		dict = append(dict, set.Name)
		if marks {
			x.mark(&cfg, frames, axis, at+b.At(last)-b.At(first))
		}
		list = append(list, x)
		at += b.At(last) - b.At(first) + int64(own.Log(2e7, 4e8))
	}
	c := &counting{m: p.m, seed: seed, cols: simulate.NewColumns(axis)}
	if err := c.columns(list, o); err != nil {
		return nil, err
	}
	cfg.Counters = c.cols.Counters(c.left)
	if withHost {
		cfg.Counters = append(cfg.Counters, processors(p, list, axis, seed, o)...)
	}
	if marks {
		cfg.Labels = append(cfg.Labels, frames)
	}
	cfg.Properties = properties(p.m, exponent, period, list[0].set.Format)
	if len(list) == 1 {
		text := func(name, v string) {
			cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Text: v, IsText: true})
		}
		text("metric_set", list[0].set.Name)
		text("metric_set_guid", list[0].set.GUID)
	} else {
		cfg.Labels = append(cfg.Labels, &capture.Label{Name: "metric_set", Codes: labels, Dict: dict})
	}
	return capture.New(cfg)
}

// drawnSets is what people record: the basic set, or what they look into in rounds.
func drawnSets(m *machine, r simulate.Random) []string {
	list := [][]string{{"RenderBasic"}, {"RenderBasic"}, {"RenderBasic", "RenderPipeProfile", "RasterizerAndPixelBackend"},
		{"ComputeBasic"}, {"RenderBasic", "Sampler_1", "Sampler_2", "HDCAndSF"}, {"RenderBasic", "EuActivity7", "GpuBusyness"},
		{"RenderBasic", "RenderPipeProfile", "RasterizerAndPixelBackend", "HDCAndSF", "L3_1", "L3_3", "TDL_2", "EuActivity1"}}
	pick := list[r.IntN(len(list))]
	if m.discrete {
		return list[0]
	}
	return pick
}

// samplePeriod is a period of the hardware's timer, 2^(exponent+1) ticks, near what is asked for.
func samplePeriod(p *program, r simulate.Random, asked float64) (period, exponent float64) {
	tick := 1e9 / p.m.timestamp
	if asked <= 0 {
		asked = simulate.Pick(r, 100e3, 200e3, 400e3, 800e3, 1600e3)
		work := 0.0 // about how long the program takes
		for _, f := range p.frames {
			work += max(f.app+f.driver, float64(p.pacing.Interval()), 2e6)
		}
		asked = max(asked, work/3000)
	}
	exponent = max(5, min(24, math.Round(math.Log2(asked/tick))-1))
	return math.Exp2(exponent+1) * tick, exponent
}

// samples are the first sample of the capture and the one behind its last: whole ones between the end of the warm-up
// and the last picture.
func (s *sim) samples() (first, last int) {
	b := s.rec.bounds
	from, to := int64(s.frames[s.p.warm-1].flip.t), int64(s.frames[len(s.frames)-1].flip.t)
	first = b.Index(from)
	if b.At(first) < from {
		first++
	}
	return first, max(first+1, b.Index(to))
}

// mark adds the frames of a round: a region for each, and for each sample the frame that its middle lies in.
func (x *round) mark(cfg *capture.Config, l *capture.Label, axis *capture.Axis, end int64) {
	in := func(i int) int64 { return x.shift + int64(x.s.frames[i].begin.t-x.origin) }
	n := len(x.s.frames)
	for i := range n {
		if i >= len(l.Dict) {
			l.Dict = append(l.Dict, fmt.Sprint(i))
		}
		until := end
		if i+1 < n {
			until = in(i + 1)
		}
		if a, b := max(x.shift, in(i)), min(end, until); b > a {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: fmt.Sprint("frame ", i), Start: a, End: b})
		}
	}
	k := -1
	for row := len(l.Codes); row < len(axis.Start); row++ {
		for middle := (axis.Start[row] + axis.End[row]) / 2; k+1 < n && in(k+1) <= middle; {
			k++
		}
		code := int32(-1)
		if k >= 0 {
			code = int32(k)
		}
		l.Codes = append(l.Codes, code)
	}
}

// properties are the variables of the sets' formulas, and how it was sampled.
func properties(m *machine, exponent, period float64, format string) []capture.Property {
	var out []capture.Property
	number := func(name string, v float64) {
		out = append(out, capture.Property{Name: name, Number: v})
	}
	mask := 0.0
	per := 8
	for s := range m.slices {
		for c := range m.cores / m.slices {
			mask += math.Exp2(float64(per*s + c))
		}
	}
	number("oa_exponent", exponent)
	number("oa_period_ns", period)
	number("GpuTimestampFrequency", m.timestamp)
	number("GpuMinFrequency", m.least)
	number("GpuMaxFrequency", m.most)
	number("EuCoresTotalCount", float64(m.eus))
	number("EuSubslicesTotalCount", float64(m.cores))
	number("EuSlicesTotalCount", float64(m.slices))
	number("EuThreadsCount", float64(m.threads))
	number("SliceMask", math.Exp2(float64(m.slices))-1)
	masked := func(name string) {
		if mask >= 1<<53 {
			out = append(out, capture.Property{Name: name, Text: fmt.Sprintf("%#x", uint64(mask)), IsText: true})
			return
		}
		number(name, mask)
	}
	masked("SubsliceMask")
	masked("DualSubsliceMask")
	if m.discrete {
		number("VectorEngineTotalCount", float64(m.eus))
		number("VectorEngineThreadsCount", float64(m.threads))
		number("XeCoreTotalCount", float64(m.cores))
		number("SliceTotalCount", float64(m.slices))
		masked("XeCoreMask")
		for s := range m.slices {
			number(fmt.Sprintf("GtSlice%d", s), 1)
			for c := range 4 {
				number(fmt.Sprintf("GtSlice%dXeCore%d", s, c), 1)
			}
		}
	}
	out = append(out, capture.Property{Name: "oa_format", Text: format, IsText: true})
	return out
}
