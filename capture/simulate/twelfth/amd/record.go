package amd

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

const catalogue = "amd-gpa-rdna"

// Sets of counters that a person enables.
const (
	setAll    = "all"
	setShader = "timing and shaders"
	setHand   = "by hand"
	setCycles = "counts" // of clocks and events instead of percentages
)

var setNames = []string{setAll, setShader, setHand, setCycles}

// enabled are the counters of a set that exist on the machine, with their entries in the catalogue.
type enabled struct {
	counter
	entry *metrics.Entry
}

// offered are the counters that a machine has through its API.
func (m *machine) offered() (out []enabled, err error) {
	cat, err := metrics.Get(catalogue)
	if err != nil {
		return nil, err
	}
	generation, api := strings.ToLower(generationNames[m.generation]), strings.ToLower(m.api)
	for _, c := range counters {
		e := cat.Titled(c.name)
		if e == nil {
			return nil, fmt.Errorf("%s has no counter %s", catalogue, c.name)
		}
		for _, v := range e.Variants {
			if slices.Contains(v.Generations, generation) && slices.Contains(v.APIs, api) {
				out = append(out, enabled{c, e})
				break
			}
		}
	}
	return out, nil
}

// choose takes those of a set.
func choose(rnd simulate.Random, set string, all []enabled) (out []enabled) {
	keep := func(e *enabled) bool { return true }
	switch set {
	case setShader:
		groups := []string{"Timing", "VertexGeometry", "ComputeShader", "PixelShader", "PrimitiveAssembly", "MemoryCache", "GlobalMemory"}
		n := rnd.Whole(4, len(groups))
		keep = func(e *enabled) bool { return slices.Contains(groups[:n], e.entry.Group) }
	case setHand:
		share := rnd.Between(0.25, 0.6)
		keep = func(e *enabled) bool {
			picked := rnd.Chance(share)
			return picked || e.name == "GPUTime" || e.name == "GPUBusyCycles"
		}
	case setCycles:
		keep = func(e *enabled) bool { return e.entry.Usage != "percentage" }
	}
	for i := range all {
		if keep(&all[i]) {
			out = append(out, all[i])
		}
	}
	return out
}

// record makes the capture that GPA's utility function would have written, as its reader reads it.
func (p *program) record(seed uint64, o *simulate.Options) (*capture.Capture, error) {
	rnd := simulate.NewRandom(seed, "recorder of "+p.m.name)
	set := setNames[rnd.Weighted([]float64{4, 2, 2, 2})]
	marks := o.Marks.Of(rnd.Chance(0.3))
	for _, s := range o.Sets {
		if !slices.Contains(setNames, s) {
			return nil, fmt.Errorf("there is no set %q of counters; there are %s", s, strings.Join(setNames, ", "))
		}
		set = s
	}
	all, err := p.m.offered()
	if err != nil {
		return nil, err
	}
	list := choose(rnd, set, all)
	left := telling.Left(o, telling.GPA)
	list = slices.DeleteFunc(list, func(e enabled) bool { return slices.Contains(left, e.name) })
	noise := o.Noise
	switch {
	case noise == 0:
		noise = 1
	case noise < 0:
		noise = 0
	}
	values := make([][]float64, len(list))
	var sessions, samples, names []string
	axis := &capture.Axis{Clock: "samples"}
	cfg := capture.Config{Name: "gpa", Format: "gpa", GPU: catalogue, Axis: axis,
		Device: capture.Device{Name: p.m.name, Vendor: "AMD"},
		Properties: []capture.Property{{Name: "generation", Text: generationNames[p.m.generation], IsText: true},
			{Name: "api", Text: p.m.api, IsText: true}}}
	l := lines.Get().(*line)
	defer lines.Put(l)
	now := int64(0)
	for f := range p.frames {
		begin := now
		for i := range p.frames[f] {
			r := newReading(simulate.NewRandom(seed, "runs "+strconv.Itoa(f)+" "+strconv.Itoa(i)), p.m, &p.frames[f][i], l, noise)
			length := int64(1e9)
			for k := range list {
				r.run = list[k].run
				v := math.Round(list[k].of(r)*1e6) / 1e6
				values[k] = append(values[k], v)
				if list[k].name == "GPUTime" {
					length = max(1, int64(v))
				}
			}
			axis.Start, axis.End = append(axis.Start, now), append(axis.End, now+length)
			now += length
			sessions, samples = append(sessions, strconv.Itoa(f+1)), append(samples, strconv.Itoa(i))
			names = append(names, strconv.Itoa(f))
		}
		if marks {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: "frame " + strconv.Itoa(f), Start: begin, End: now})
		}
	}
	cfg.Labels = []*capture.Label{capture.NewLabel("session", sessions, nil), capture.NewLabel("sample", samples, nil)}
	if marks {
		cfg.Labels = append(cfg.Labels, capture.NewLabel("frame", names, nil))
	}
	for k, e := range list {
		meta := capture.Meta{Name: e.name, Title: e.name, Source: "gpa", GPU: catalogue, Unit: e.entry.Unit, Doc: e.entry.Doc,
			Kind: e.entry.Kind}
		if meta.Kind == capture.Derived {
			meta.Kind = capture.Delta
		}
		if e.entry.Usage == "percentage" || e.entry.Usage == "ratio" {
			meta.Kind = capture.Gauge
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: meta, Axis: axis,
			Col: capture.NewColumn(capture.Data{F: values[k]})})
	}
	if slices.ContainsFunc(list, func(e enabled) bool { return e.name == "GPUTime" }) {
		cfg.Warnings = []string{"the file has no times: samples follow each other, each as long as its GPUTime"}
	} else {
		cfg.Warnings = []string{"the file has no times: each sample is given 1 s, so rates mean nothing"}
	}
	return capture.New(cfg)
}
