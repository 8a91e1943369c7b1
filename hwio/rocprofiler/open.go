package rocprofiler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/vendorproc"
)

// The library needs some hundred microseconds for a sample.
const (
	minPeriod = 100 * time.Microsecond
	maxPeriod = 10 * time.Second
)

// Options lists what can be chosen.
func (s *Source) Options() []hwio.Option {
	return []hwio.Option{
		{Name: "agent", Doc: "the GPU to measure: its number among the GPUs, or its name such as gfx1151; the first where none is named"},
		{Name: "sample", Doc: "time between two samples of the counters, 100us to 10s; the recording's period where none is given"},
	}
}

type settings struct {
	agent  string
	period time.Duration
}

func readSettings(r *hwio.Request) (settings, error) {
	st := settings{period: r.Period}
	for name, text := range r.Options {
		switch name {
		case "agent":
			st.agent = text
		case "sample":
			if text == "" {
				continue
			}
			d, err := time.ParseDuration(text)
			if err != nil || d < minPeriod || d > maxPeriod {
				return st, fmt.Errorf("option sample=%s: want a time from %v to %v, such as 1ms", text,
					minPeriod, maxPeriod)
			}
			st.period = d
		default:
			return st, fmt.Errorf("the source %s has no option %q; it has agent and sample", sourceName, name)
		}
	}
	if st.period <= 0 {
		st.period = hwio.DefaultPeriod
	}
	return st, nil
}

// Open has the GPU count. The first Read takes the baseline.
func (s *Source) Open(ctx context.Context, r hwio.Request) (hwio.Stream, error) {
	set, err := readSettings(&r)
	if err != nil {
		return nil, err
	}
	info, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	a, err := chooseAgent(info, set.agent)
	if err != nil {
		return nil, err
	}
	offers, err := choose(a, r.Counters)
	if err != nil {
		return nil, err
	}
	var warnings []string
	warn := func(format string, args ...any) {
		warnings = append(warnings, sourceName+": "+fmt.Sprintf(format, args...))
	}
	period := max(set.period, minPeriod)
	if period > set.period {
		warn("samples are taken every %v, the shortest time that makes sense with this library", period)
	}
	if period > maxPeriod {
		period = maxPeriod
		warn("samples are taken every %v", period)
	}
	p, started, err := s.count(ctx, a, offers, period)
	var e *vendorproc.Error
	if len(r.Counters) == 0 && errors.As(err, &e) && e.Kind == vendorproc.TooMany && len(e.Passes) > 0 {
		var left []string
		offers = slices.DeleteFunc(offers, func(o offer) bool {
			out := !slices.Contains(e.Passes[0], o.base.Name)
			if out {
				left = append(left, o.name)
			}
			return out
		})
		warn("the GPU cannot count all of the default set at once: %s are left out", strings.Join(left, ", "))
		p, started, err = s.count(ctx, a, offers, period)
	}
	if err != nil {
		return nil, s.explain(err)
	}
	st := newStream(s, p, started, offers, period)
	if !s.privileged() {
		warn("without CAP_PERFMON the GPU is not locked for this measurement: another profiler can disturb the values")
	}
	if n := countPrefix(hardware(offers), "TCP_"); st.schema.Config.GPU == "gfx1151" && n > 1 {
		warn("%d TCP counters are counted at once; AMD says that on gfx1151 only one at a time can be relied on", n)
	}
	if r.PID != 0 {
		warn("counters are those of everything that runs on the GPU, not of one process")
	}
	st.schema.Config.Warnings = append(st.schema.Config.Warnings, warnings...)
	return st, nil
}

func countPrefix(names []string, prefix string) int {
	n := 0
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			n++
		}
	}
	return n
}

// count starts the second program and has it start the GPU's counters.
func (s *Source) count(ctx context.Context, a *vendorproc.Agent, offers []offer,
	period time.Duration) (*vendorproc.Process, *vendorproc.RocprofilerStarted, error) {
	p, err := s.start(ctx)
	if err != nil {
		return nil, nil, err
	}
	started := new(vendorproc.RocprofilerStarted)
	q := vendorproc.RocprofilerStart{Agent: uint64(a.Node), Counters: hardware(offers), PeriodNS: int64(period)}
	if err := p.Call(ctx, vendorproc.OpRocprofilerStart, q, started); err != nil {
		return nil, nil, errors.Join(err, p.Close())
	}
	return p, started, nil
}

// config describes the GPU for the capture, with the names that formulas of ROCm use for its properties.
func config(a *vendorproc.Agent, info *vendorproc.RocprofilerStarted) capture.Config {
	cfg := capture.Config{GPU: catalogueOf(a), Device: capture.Device{
		Name: agentTitle(a), Vendor: "AMD", Driver: "rocprofiler-sdk " + info.Version,
		ID: fmt.Sprintf("%04x:%04x", a.Vendor, a.Device),
		Extra: map[string]string{"architecture": a.Name, "library": info.Library,
			"render_node": fmt.Sprintf("/dev/dri/renderD%d", a.RenderMinor)},
	}}
	// A stretch of a live recording is no kernel.
	cfg.Options.Denom = "per_second"
	number := func(name string, v uint32) {
		if v != 0 {
			cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: float64(v)})
		}
	}
	text := func(name, v string) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Text: v, IsText: true})
	}
	text("gpu_arch", a.Name)
	text("rocprofiler_version", info.Version)
	number("cu_per_gpu", a.ComputeUnits)
	number("simd_per_cu", a.SIMDsPerCU)
	number("se_per_gpu", a.Engines)
	number("sa_per_se", a.ArraysPerEngine)
	number("wave_size", a.WaveSize)
	number("max_waves_per_cu", a.WavesPerCU)
	number("max_sclk", a.MaxClockMHz)
	number("num_xcd", a.XCCs)
	return cfg
}
