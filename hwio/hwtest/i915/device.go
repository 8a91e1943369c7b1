package i915

import (
	"fmt"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/intel"
)

// Limits of the driver that its sysctls show.
const defaultMaxSampleRate = 100_000 // Hz

type device struct {
	*intel.GPU
	sets     string // column part of sets.csv
	units    []*intel.Unit
	revision int
	paranoid bool
	pmu      *pmu   // nil until a program opens one of its events
	contexts uint32 // last GEM context handle given out
}

func newDevice(sets string) *device {
	// The driver counts configurations from 2: 1 is for a set of its own.
	return &device{GPU: intel.NewGPU("i915", 2), sets: sets}
}

// Start implements hwtest.Device.
func (d *device) Start(m hwtest.Machine) error {
	// The register of the timestamp that programs see has 36 bits.
	shift := intel.NewPart(d.sets, func(string) bool { return false }).Shift
	d.Appear(m, d.sets, 36+shift, 0, intel.Node{GPU: d.GPU, File: func() hwtest.File {
		return &drmFile{d: d, contexts: map[uint32]bool{0: true}}
	}})
	d.units = units(d.Part)
	d.revision = 7
	for r := 1; r <= 7; r++ {
		if d.Has(fmt.Sprintf("revision-%d", r)) {
			d.revision = r
		}
	}
	d.paranoid = !d.Has("paranoid-0")
	d.tree()
	if !d.Part.Discrete { // a card's unit has another name, and is not modelled
		d.pmuTree()
	}
	switch {
	case d.Has("no-perf"), d.Has("no-metrics"):
	default:
		m.Dir(d.CardPath() + "/metrics")
		if d.Has("kernel-testoa") {
			d.Preload("TestOa", 1)
		}
		if d.Has("loaded") {
			d.Preload("RenderBasic", 0)
		}
	}
	return nil
}

// units are those that the driver serves: the one for render and compute, and on Meteor Lake the media GT's.
func units(p *intel.Part) []*intel.Unit {
	out := []*intel.Unit{{Engines: []intel.Engine{{Class: intel.Render}}}}
	if p.Version == 1270 {
		out = append(out, &intel.Unit{ID: 1, GT: intel.MediaGT, Media: true, Select: intel.SelectSAG, Engines: []intel.Engine{
			{Class: intel.VideoDecode, GT: intel.MediaGT}, {Class: intel.VideoDecode, Instance: 2, GT: intel.MediaGT},
			{Class: intel.VideoEnhance, GT: intel.MediaGT}}})
	}
	return out
}

// tree puts the driver's files where Linux has them.
func (d *device) tree() {
	m, p := d.Machine, d.Part
	m.Own("/proc/sys/dev/i915")
	text := func(path, format string, args ...any) { m.File(path, fmt.Sprintf(format, args...)+"\n") }
	gts := map[uint16]bool{}
	for _, u := range d.units {
		gts[u.GT] = true
	}
	for name, mhz := range map[string]int{"min": p.MinMHz, "max": p.MaxMHz, "boost": p.MaxMHz, "RP0": p.MaxMHz,
		"RP1": 300, "RPn": 300, "cur": p.MHz(), "act": p.MHz()} {
		text(d.CardPath()+"/gt_"+name+"_freq_mhz", "%d", mhz)
		for gt := range gts {
			if d.revision >= 6 {
				text(d.CardPath()+fmt.Sprintf("/gt/gt%d/rps_%s_freq_mhz", gt, name), "%d", mhz)
			}
		}
	}
	paranoid := 0
	if d.paranoid {
		paranoid = 1
	}
	text("/proc/sys/dev/i915/perf_stream_paranoid", "%d", paranoid)
	text("/proc/sys/dev/i915/oa_max_sample_rate", "%d", defaultMaxSampleRate)
}
