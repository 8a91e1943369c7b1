package amdgpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/drm"
	"astrolabe/hwio/internal/sysroot"
)

const sourceName = "amdgpu"

// Source measures the AMD GPUs of the machine below a root folder.
type Source struct {
	root sysroot.Root
	open func(path string) (node, error)
}

var (
	_ hwio.Source       = (*Source)(nil)
	_ hwio.Configurable = (*Source)(nil)
	_ hwio.Diagnoser    = (*Source)(nil)
)

// New returns the source of the machine whose /dev, /proc and /sys lie below root; "" is this machine.
func New(root string) *Source { return &Source{root: sysroot.At(root), open: openNode} }

// Name is "amdgpu".
func (s *Source) Name() string { return sourceName }

// Groups are the names that it shares with other sources.
func (s *Source) Groups() []hwio.Group { return []hwio.Group{{Name: "amd"}} }

// Doc describes the source.
func (s *Source) Doc() string {
	return "AMD GPUs without ROCm: sampled busy shares of their blocks, sensors, clocks, power, memory, engine times"
}

// Probe looks for GPUs of the amdgpu driver and tries to open them.
func (s *Source) Probe(context.Context) hwio.Status {
	st := hwio.Status{GPU: catalogue}
	ours, others := s.find()
	if len(ours) == 0 {
		st.Reason = noGPU(others)
		return st
	}
	st.Usable = true
	var names []string
	parts := s.cut(ours)
	for i, card := range ours {
		g := openGPU(s.root, card, s.open)
		names = append(names, g.name)
		st.Details = append(st.Details, fmt.Sprintf("%s at %s: %s", card.Name, card.Address, g.summary()))
		for k := range parts[i] {
			p := &parts[i][k]
			st.Details = append(st.Details, fmt.Sprintf("%s: %s; --source-option device=%s measures it alone",
				p.name(card.Name), p.title(), p.name(card.Name)))
		}
		if reason, fix := g.noAccess(); reason != "" && st.Reason == "" {
			st.Reason, st.Fix = reason+": only what sysfs shows can be read", fix
		}
		_ = g.close() // it was only asked
	}
	st.Device = strings.Join(names, " + ")
	return st
}

// summary is what kind of GPU it is, in a few words.
func (g *gpu) summary() string {
	if g.info == nil {
		return "not asked"
	}
	kind := "discrete"
	if g.info.apu {
		kind = "APU"
	}
	if chip := chipName(g.info.family, g.info.externalRev); chip != "" {
		kind += ", " + chip
	}
	return fmt.Sprintf("%s, %v (family %d, revision 0x%x), %d compute units", kind, g.generation(), g.info.family,
		g.info.externalRev, g.info.activeCUs)
}

// noGPU says why there is nothing to measure.
func noGPU(others []drm.Card) string {
	if runtime.GOOS != "linux" && len(others) == 0 {
		return hwio.ErrNeedsLinux.Error()
	}
	for _, c := range others {
		if c.Driver == "radeon" {
			return c.Name + " is an AMD GPU with the old radeon driver; astrolabe reads those of amdgpu (for GCN parts boot with radeon.si_support=0 radeon.cik_support=0 amdgpu.si_support=1 amdgpu.cik_support=1)"
		}
	}
	if len(others) == 0 {
		return "the kernel shows no GPU (/sys/class/drm has no card)"
	}
	var names []string
	for _, c := range others {
		driver := c.Driver
		if driver == "" {
			driver = "no driver"
		}
		names = append(names, c.Name+" ("+driver+")")
	}
	return "no GPU of the amdgpu driver is here; there is " + strings.Join(names, ", ")
}

// Counters lists what the GPUs offer.
func (s *Source) Counters(context.Context) ([]capture.Meta, error) {
	st, err := parseSettings(nil)
	if err != nil {
		return nil, err
	}
	// Every counter, also those that are only recorded when named.
	l, err := s.build(hwio.Request{Counters: []string{"*"}}, st)
	if err != nil {
		return nil, err
	}
	var out []capture.Meta
	for _, c := range l.cols {
		m := c.meta
		m.Instance = ""
		if !slices.ContainsFunc(out, func(o capture.Meta) bool { return o.Name == m.Name }) {
			out = append(out, m)
		}
	}
	return out, l.close()
}

// Open starts measuring. With a process only the engine times and memory of clients are limited to it: the rest is the
// GPU's.
func (s *Source) Open(_ context.Context, r hwio.Request) (hwio.Stream, error) {
	st, err := parseSettings(r.Options)
	if err != nil {
		return nil, err
	}
	l, err := s.build(r, st)
	if err != nil {
		return nil, err
	}
	if len(l.cols) == 0 {
		return nil, errors.Join(hwio.ErrNoMatch, l.close())
	}
	return newStream(l), nil
}

// Diagnose says for each GPU what can be read of it and what not.
func (s *Source) Diagnose(ctx context.Context) []hwio.Finding {
	st := s.Probe(ctx)
	out := []hwio.Finding{{Source: sourceName, What: "AMD GPUs", Usable: st.Usable, Reason: st.Reason, Fix: st.Fix}}
	if !st.Usable {
		return out
	}
	out[0].What = st.Device
	def, err := parseSettings(nil)
	if err != nil {
		return out
	}
	ours, _ := s.find()
	for _, card := range ours {
		def.device = card.Name
		l, err := s.build(hwio.Request{}, def)
		if err != nil {
			out = append(out, hwio.Finding{Source: sourceName, What: card.Name, Reason: err.Error()})
			continue
		}
		out = append(out, l.findings()...)
		_ = l.close() // it was only looked at
	}
	return out
}

// findings groups what the layout of one GPU has and lacks.
func (l *layout) findings() []hwio.Finding {
	g := l.gpus[0]
	has := func(block string) bool {
		return slices.ContainsFunc(l.cols, func(c column) bool { return c.meta.Block == block })
	}
	why := func(prefixes ...string) (reason, fix string) {
		for _, a := range l.absent {
			for _, p := range prefixes {
				if strings.HasPrefix(a.name, p) {
					return a.reason, a.fix
				}
			}
		}
		return "the driver shows nothing of the kind for this GPU", ""
	}
	var out []hwio.Finding
	add := func(what, block string, prefixes ...string) {
		f := hwio.Finding{Source: sourceName, What: g.card.Name + ": " + what, Usable: has(block)}
		if !f.Usable {
			f.Reason, f.Fix = why(prefixes...)
		}
		out = append(out, f)
	}
	add("busy shares of blocks, sampled from status registers", "status", "grbm", "busy_")
	add("memory use", "memory", "vram_", "gtt_")
	add("activity, as the firmware averages it", "activity", "gpu_busy", "mem_busy")
	add("temperature, power, clocks, fan (hwmon)", "hwmon", "power", "temperature")
	add("the firmware's table gpu_metrics", "gpu_metrics", metricsPrefix)
	level, err := g.root.String(g.card.Sysfs + "/device/power_dpm_force_performance_level")
	if err == nil && level == "auto" {
		out = append(out, hwio.Finding{Source: sourceName, What: g.card.Name + ": steady clocks",
			Reason: "the performance level is auto: clocks follow the load, and counters of ROCm may read 0",
			Fix:    fmt.Sprintf("for comparable numbers: echo profile_standard | sudo tee %s/device/power_dpm_force_performance_level (and auto afterwards)", g.card.Sysfs)})
	}
	return out
}
