package amd

import (
	"math"
	"strconv"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// record makes the capture that a recorder would have made.
func (l *load) record(seed uint64, o simulate.Options) (*capture.Capture, error) {
	e := &engine{}
	rec := &recorder{}
	if err := e.run(l, noRelief(), false, rec); err != nil {
		return nil, err
	}
	r := simulate.NewRandom(seed, "amd seventh recorder")
	x := l.rows(e, r, &o)
	t := &table{axis: x.axis, left: telling.Left(&o, telling.AMD)}
	for _, c := range o.Withheld {
		t.left = append(t.left, ownTelling[c]...)
	}
	l.sampled(t, x, rec, simulate.NewRandom(seed, "amd seventh sampler"))
	l.slow(t, x, e, rec, simulate.NewRandom(seed, "amd seventh slow"))
	host := r.Chance(0.6)
	if o.Host.Of(host) {
		l.processor(t, x, rec, simulate.NewRandom(seed, "amd seventh processor"))
	}
	cfg := l.config(o, r)
	cfg.Name, cfg.Axis, cfg.Counters, cfg.Gaps, cfg.Late = "amd-live-seventh-"+strconv.FormatUint(seed, 10), x.axis, t.out, x.gaps, x.late
	if o.Marks.Of(r.Chance(0.5)) {
		e.mark(cfg, x)
	}
	return capture.New(*cfg)
}

// ownTelling are counters that tell most directly of what only this model has.
var ownTelling = map[simulate.Candidate][]string{
	pcie:          {"bytes_moved", "evictions", "vram_used", "gtt_used", "pcie_received", "pcie_sent"},
	unit("copy"):  {"engine_dma", "busy_sdma_ones", "busy_sdma_error"},
	unit("video"): {"engine_dec", "engine_enc", "busy_uvd_ones", "busy_uvd_error", "busy_vce_ones", "busy_vce_error", "gpu_metrics_average_mm_activity", "gpu_metrics_average_vcn_activity"},
}

// config describes the GPU, as the driver does.
func (l *load) config(o simulate.Options, r simulate.Random) *capture.Config {
	c := l.card
	name := map[generation]string{gfx8: "GFX8", gfx10: "GFX10.3", gfx11: "GFX11", gfx12: "GFX12"}[c.gen]
	cfg := &capture.Config{Format: "simulated", GPU: "amd-live",
		Device: capture.Device{Name: c.name, Vendor: "AMD", Driver: "amdgpu, Linux 6.12.30", ID: "0000:03:00.0",
			Extra: map[string]string{"card": "card1", "generation": name, "power_dpm_force_performance_level": "auto"}},
		StartTime: time.Unix(1790000000, 0).UTC()}
	if c.chip == "gfx1150" {
		cfg.Device.Extra["chip"] = c.chip
	}
	if l.firmware.ceiling < 1 {
		cfg.Device.Extra["power_dpm_force_performance_level"] = "manual"
	}
	number := func(name string, v float64) {
		if v != 0 || name == "is_apu" {
			cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
		}
	}
	number("amd_family", c.family)
	number("amd_external_rev", c.rev)
	number("shader_engines", c.engines)
	number("shader_arrays_per_engine", 2)
	number("cu_per_gpu", c.cus)
	number("render_backends", c.rops/8)
	number("wave_size", map[bool]float64{true: 64, false: 32}[c.gen == gfx8])
	number("l2_channels", c.channels)
	number("vram_bus_bits", c.bits)
	number("max_sclk_hz", c.mhz*1e6)
	number("max_mclk_hz", c.mclk*1e6)
	number("gpu_counter_hz", 1e8)
	number("mall_bytes", c.mall*(1<<20))
	apu := 0.0
	if c.apu() {
		apu = 1
	}
	number("is_apu", apu)
	number("vram_bytes", c.vram*(1<<30))
	number("gtt_bytes", 16*(1<<30))
	return cfg
}

// rows are the samples between the first judged frame and the last.
func (l *load) rows(e *engine, r simulate.Random, o *simulate.Options) *rows {
	start, end := e.frames[l.warm-1].flip, e.frames[len(e.frames)-1].flip
	period := float64(simulate.Pick(r, 10*time.Millisecond, 10*time.Millisecond, 10*time.Millisecond, 5*time.Millisecond,
		2*time.Millisecond, 20*time.Millisecond))
	if period > float64(end-start)/12 {
		period = float64(time.Millisecond)
	}
	if o.Period > 0 {
		period = float64(o.Period)
	}
	share := func(asked, drawn float64) float64 {
		switch {
		case asked < 0:
			return 0
		case asked > 0:
			return asked
		}
		return drawn
	}
	b := simulate.NewBounds(period, simulate.Jitter(r, period, 25e3, share(o.Late, 0.01), share(o.Missed, 0.002)))
	x := &rows{axis: &capture.Axis{Clock: "CLOCK_MONOTONIC"}}
	first := b.Index(start)
	if b.At(first) < start {
		first++
	}
	last := max(first+1, b.Index(end))
	x.origin = b.At(first)
	skip := map[int]int{}
	for range o.Gaps {
		at := first + 1 + r.IntN(max(1, last-first-2))
		skip[at] = min(last-1, at+1+r.IntN(1+(last-first)/30))
	}
	for i := first; i < last; i++ {
		if until, ok := skip[i]; ok && until > i {
			x.gaps = append(x.gaps, capture.Gap{Start: b.At(i) - x.origin, End: b.At(until) - x.origin, Lost: uint64(until - i),
				Reason: capture.Reason{Code: capture.LostReports, Text: "the recorder was not run"}})
			i = until - 1
			continue
		}
		from, to := b.At(i), b.At(i+1)
		x.start, x.end = append(x.start, from), append(x.end, to)
		x.axis.Start, x.axis.End = append(x.axis.Start, from-x.origin), append(x.axis.End, to-x.origin)
		if n := b.Missed(i); n > 0 {
			x.late = append(x.late, capture.Gap{Start: from - x.origin, End: to - x.origin, Lost: uint64(n),
				Reason: capture.Reason{Code: capture.LostReports, Text: "the sample covers ticks that were missed"}})
		}
	}
	return x
}

// sampled adds what the reader of status registers counted: at random moments, one in each slice of time.
func (l *load) sampled(t *table, x *rows, rec *recorder, r simulate.Random) {
	slice := 1e9 / simulate.Pick(r, 10000.0, 10000.0, 10000.0, 5000, 2000)
	n := len(x.start)
	var counts [len(registers)][]uint64
	var ones [bits][]uint64
	for i := range counts {
		counts[i] = make([]uint64, n)
	}
	for i := range ones {
		ones[i] = make([]uint64, n)
	}
	at := 0
	has := func(b int) bool { return l.card.gen >= statusBits[b].from && l.card.gen <= statusBits[b].to }
	for i := range x.start {
		for k := math.Ceil(float64(x.start[i]) / slice); ; k++ {
			when := int64((k + r.Float64()) * slice)
			if when >= x.end[i] {
				break
			}
			if when < x.start[i] || r.Chance(0.004) { // a slice passed while the thread did not run
				continue
			}
			for at+1 < len(rec.moments) && rec.moments[at].to <= when {
				at++
			}
			for at > 0 && rec.moments[at].from > when {
				at--
			}
			m := &rec.moments[at]
			for reg := range counts {
				counts[reg][i]++
			}
			if when < m.from || when >= m.to {
				continue
			}
			for b, p := range m.chance {
				if p > 0 && has(b) && (p >= 1 || r.Float32() < p) {
					ones[b][i]++
				}
			}
		}
	}
	last := 2
	if l.card.gen == gfx8 {
		last = len(registers)
	}
	for reg := range last {
		t.whole(capture.Meta{Name: registers[reg], Unit: "samples", Block: "status"}, counts[reg])
		for b := range bits {
			if statusBits[b].register == reg && has(b) {
				t.whole(capture.Meta{Name: "busy_" + statusBits[b].name + "_ones", Unit: "samples", Block: "status"}, ones[b])
			}
		}
		for b := range bits {
			if statusBits[b].register != reg || !has(b) {
				continue
			}
			off := make([]float64, n)
			for i := range off {
				p := float64(ones[b][i]) / float64(counts[reg][i])
				off[i] = 100 * math.Sqrt(p*(1-p)/float64(counts[reg][i])) // NaN without a sample: missing
			}
			t.level(capture.Meta{Name: "busy_" + statusBits[b].name + "_error", Unit: "percent", Block: "status",
				Combine: capture.CombineMax}, off)
		}
	}
}

// mark adds what a program that marks its frames leaves: a region for each, and a label with the number of the frame
// that a sample's middle lies in.
func (e *engine) mark(cfg *capture.Config, x *rows) {
	n := len(x.start)
	codes := make([]int32, n)
	var dict []string
	k, code := -1, int32(-1)
	for i := range n {
		middle := x.start[i] + (x.end[i]-x.start[i])/2
		for k+1 < len(e.frames) && e.frames[k+1].begin <= middle {
			k++
			code = -1
		}
		if k >= 0 && code < 0 {
			dict = append(dict, strconv.Itoa(k))
			code = int32(len(dict) - 1)
		}
		codes[i] = code
	}
	cfg.Labels = append(cfg.Labels, &capture.Label{Name: "frame", Codes: codes, Dict: dict})
	end := x.axis.End[n-1]
	for i := range e.frames {
		from, until := e.frames[i].begin-x.origin, end
		if i+1 < len(e.frames) {
			until = e.frames[i+1].begin - x.origin
		}
		if until > 0 && from < end && min(end, until) > max(0, from) {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(i), Start: max(0, from), End: min(end, until)})
		}
	}
}
