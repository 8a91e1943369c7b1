package amdgpu

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
)

// layout is what one stream records: the GPUs, their samplers and readings, and the columns that these fill.
type layout struct {
	gpus     []*gpu
	samplers []*sampler
	readings []*readings
	cols     []column
	config   capture.Config
	absent   []absence
}

// build opens the GPUs and finds out what the request can have of them. Nothing runs yet.
func (s *Source) build(r hwio.Request, st settings) (*layout, error) {
	ours, others := s.find()
	if len(ours) == 0 {
		return nil, errors.New(noGPU(others))
	}
	what, err := choose(ours, s.cut(ours), st.device)
	if err != nil {
		return nil, err
	}
	l := &layout{}
	b := &builder{patterns: r.Counters, several: len(what.cards) > 1}
	for i, card := range what.cards {
		g := openGPU(s.root, card, s.open)
		l.gpus = append(l.gpus, g)
		b.card, b.partitions, b.only = card.Name, what.partitions[i], what.only
		l.describe(g, b)
		if g.node != nil && st.rate > 0 {
			l.addStatus(b, g, st.rate)
		} else if g.node == nil {
			reason, fix := g.noAccess()
			for _, r := range registers {
				b.lacks(r.counter, reason, fix)
				for _, bit := range r.bits {
					b.lacks("busy_"+bit.name+"_ones", reason, fix)
				}
			}
		}
		slow := &readings{g: g, period: max(st.refresh, min(r.Period, maxRefresh))}
		if g.node != nil {
			b.addSensors(g, slow)
			b.addMemory(g, slow)
		}
		b.addFiles(g, slow, g.node == nil)
		b.addHwmon(g, slow)
		b.addMetrics(g, slow)
		l.take(slow)
		bandwidth := &readings{g: g, period: time.Second, blocks: true}
		b.addBandwidth(g, bandwidth)
		l.take(bandwidth)
	}
	clients := &readings{period: max(st.refresh, min(r.Period, maxRefresh))}
	warnings := b.addClients(newClientWatch(s.root, l.gpus, r.PID), clients, st.processes)
	l.take(clients)
	l.config.Warnings = slices.Concat(l.config.Warnings, b.warnings, warnings)
	l.absent = b.absent
	if err := b.missed(l.cols); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

// describe adds what is known of a GPU to the capture's description. Where there are several, the first is the
// capture's device.
func (l *layout) describe(g *gpu, b *builder) {
	suffix := ""
	if b.several {
		suffix = "." + g.card.Name
	}
	cfg := g.config(suffix)
	var parts []string
	for k := range b.partitions {
		parts = append(parts, b.partitions[k].name(g.card.Name)+": "+b.partitions[k].title())
	}
	switch {
	case b.only != nil:
		b.only.restrict(&cfg, g.card.Name)
		l.config.GPU, l.config.Device, l.config.Properties = cfg.GPU, cfg.Device, cfg.Properties
		l.warn("power, heat, clocks, memory, registers and the engine times of clients are those of the whole card and left out: device=%s records them", g.card.Name)
		return
	case len(parts) > 0:
		cfg.Device.Extra["partitions"] = strings.Join(parts, "; ")
	}
	if l.config.GPU == "" {
		l.config.GPU, l.config.Device = cfg.GPU, cfg.Device
	} else {
		l.config.Device.Name += " + " + cfg.Device.Name
		l.config.Device.ID += " " + cfg.Device.ID
		for key, text := range cfg.Device.Extra {
			l.config.Device.Extra[key+suffix] = text
		}
	}
	l.config.Properties = append(l.config.Properties, cfg.Properties...)
	l.config.Properties = append(l.config.Properties, memoryTotals(g, suffix)...)
	l.config.Properties = append(l.config.Properties, stableClocks(g, suffix)...)
	if reason, fix := g.noAccess(); reason != "" {
		l.warn("%s: %s, so that status registers, sensors and the driver's counts are left out%s", g.card.Name,
			reason, tip(fix))
	}
}

func (l *layout) warn(format string, args ...any) {
	l.config.Warnings = append(l.config.Warnings, "amdgpu: "+fmt.Sprintf(format, args...))
}

func tip(fix string) string {
	if fix == "" {
		return ""
	}
	return "; " + fix
}

// addStatus offers the status registers of the GPU's generation.
func (l *layout) addStatus(b *builder, g *gpu, rate float64) {
	gen := g.generation()
	if gen == unknownGeneration {
		l.warn("%s: family %d is unknown, so that only the graphics pipe's status bit is sampled", g.card.Name,
			g.info.family)
	}
	regs, refused := readable(g, bitsOf(gen))
	for _, r := range bitsOf(gen) {
		if err, ok := refused[r.name]; ok {
			why := explainRegister(r.name, err).Text
			l.warn("%s: %s: its blocks are left out", g.card.Name, why)
			b.lacks(r.counter, why, "")
			for _, bit := range r.bits {
				b.lacks("busy_"+bit.name+"_ones", why, "")
				b.lacks("busy_"+bit.name+"_error", why, "")
			}
		}
	}
	var cols []column
	var kept []register
	at := len(l.samplers)
	for _, r := range regs {
		n := len(cols)
		offer := func(m capture.Meta, integer bool, bit int, what sampled) {
			m.Block = "status"
			if b.wants(&m, false) {
				cols = append(cols, column{meta: m, integer: integer, readings: -1, sampler: at, reg: len(kept),
					bit: bit, what: what})
			}
		}
		offer(capture.Meta{Name: r.counter, Title: "Samples of " + r.name, Unit: "samples",
			Doc: fmt.Sprintf("Times that the register %s was read. Reading it keeps the GPU from switching itself off (GFXOFF, runtime suspend).", r.name)}, true, 0, theSamples)
		for k := range r.bits {
			bit := &r.bits[k]
			offer(capture.Meta{Name: "busy_" + bit.name + "_ones", Title: bit.title + " found busy", Unit: "samples",
				Doc: bit.doc(&r)}, true, k, theOnes)
		}
		for k := range r.bits {
			bit := &r.bits[k]
			offer(capture.Meta{Name: "busy_" + bit.name + "_error", Title: bit.title + " busy sampled, standard error",
				Unit: "percent", Kind: capture.Gauge, Combine: capture.CombineMax,
				Doc: fmt.Sprintf("Standard error 100*sqrt(p*(1-p)/n) of the sampled share p in this one capture sample, with n from %s and as if the n were independent. "+
					"Over a longer stretch compute it from the sums. Where all n agree it is 0 and the true share is within about 3/n.", r.counter)}, false, k, theError)
		}
		if len(cols) > n {
			kept = append(kept, r)
		}
	}
	if len(kept) > 0 {
		l.cols = append(l.cols, cols...)
		l.samplers = append(l.samplers, newSampler(g, kept, rate))
		l.warn("%s: its status registers are read %g times a second, which keeps the GPU from switching itself off and so raises idle power; rate=0 leaves them alone", g.card.Name, rate)
	}
}

// take keeps readings that have something to read.
func (l *layout) take(r *readings) {
	if len(r.tasks) == 0 {
		return
	}
	for _, t := range r.tasks {
		for _, c := range t.cols {
			c.readings = len(l.readings)
			l.cols = append(l.cols, c)
		}
	}
	l.readings = append(l.readings, r)
}

// gone reports whether every GPU was removed.
func (l *layout) gone() bool {
	return !slices.ContainsFunc(l.gpus, func(g *gpu) bool { return !g.gone.Load() })
}

// close ends all threads and closes all files.
func (l *layout) close() error {
	var errs []error
	for _, s := range l.samplers {
		s.close()
	}
	for _, r := range l.readings {
		errs = append(errs, r.close())
	}
	for _, g := range l.gpus {
		errs = append(errs, g.close())
	}
	return errors.Join(errs...)
}
