package rocprofv3

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/formats/internal/kernels"
	"astrolabe/capture/memory"
)

// resultRoom is what the value of a counter in a dispatch takes, with what it is made of and why it is missing, and
// counterRoom what a counter does without its values, in bytes.
const resultRoom, counterRoom = 96, 1024

// build makes axis, labels, regions, passes and counters.
func (w *work) build(cfg *capture.Config) error {
	w.timeByTraces()
	w.findOrigins()
	groups, onlyTraces := w.groups()
	origin := w.origin(groups)
	var samples []*sample
	results := 0
	for _, g := range groups {
		base := g.runs[0].origin
		for _, s := range g.samples {
			for k, d := range s.in {
				if d == nil {
					continue
				}
				if !s.timed && d.timed() {
					shift := base - g.runs[k].origin - origin // every run has a clock time of its own
					s.start, s.end, s.timed = max(0, d.start+shift), max(0, d.end+shift), true
				}
				for _, v := range d.values {
					results += len(v)
				}
			}
		}
		samples = append(samples, g.samples...)
	}
	if len(samples)*len(w.counters) > 1<<20+64*results {
		return errors.New("dispatches and counters fit so badly together that nearly every value would be missing: is this one file of rocprofv3?")
	}
	if len(samples) == 0 && len(w.spans) > 0 {
		return w.buildSpans(cfg, origin)
	}
	sort.SliceStable(samples, func(a, b int) bool { return samples[a].start < samples[b].start })
	axis := &capture.Axis{Clock: "gpu", Start: make([]int64, len(samples)), End: make([]int64, len(samples))}
	untimed := 0
	for i, s := range samples {
		axis.Start[i], axis.End[i] = s.start, s.end
		if !s.timed {
			untimed++
		}
	}
	if untimed > 0 {
		w.warn("%d dispatches have no times: their samples are empty and rates of them missing", untimed)
	}
	cfg.Axis = axis
	w.labels(cfg, samples, groups)
	w.regions(cfg, groups, origin)
	if err := memory.Room(uint64(len(samples))*resultRoom + uint64(len(w.counters))*counterRoom); err != nil {
		return fmt.Errorf("%d counters of %d dispatches: %w", len(w.counters), len(samples), err)
	}
	b := &builder{w: w, cfg: cfg, samples: samples, groups: groups, passes: map[string]*capture.Pass{}}
	for i := range w.counters {
		b.tally.Must(uint64(len(samples)) * resultRoom)
		b.counter(i)
	}
	if onlyTraces && len(samples) > 0 {
		b.durations()
	}
	return nil
}

// origin is the first start of the first runs of all groups, of their traces and of their spans.
func (w *work) origin(groups []*group) int64 {
	var first int64
	take := func(at int64) {
		if at != 0 && (first == 0 || at < first) {
			first = at
		}
	}
	for _, g := range groups {
		take(g.runs[0].origin)
	}
	firsts := w.firsts(groups)
	for _, r := range w.runs {
		if r.traced && firsts.has(r.id, r.prefix) {
			take(r.origin)
		}
	}
	for i := range w.spans {
		if s := &w.spans[i]; firsts.has(s.run, s.prefix) {
			take(s.start)
		}
	}
	return first
}

func (w *work) labels(cfg *capture.Config, samples []*sample, groups []*group) {
	text := func(column int) []string {
		texts := make([]string, len(samples))
		for k, s := range samples {
			texts[k] = s.first.labels[column]
		}
		return texts
	}
	cfg.Labels = append(cfg.Labels, kernels.Labels(text(labelOf(kernels.Name)), text(labelOf("grid_size")),
		text(labelOf("workgroup_size")))...)
	for i, l := range labelNames {
		if l.label == kernels.Name {
			continue
		}
		if texts := text(i); slices.ContainsFunc(texts, func(s string) bool { return s != "" }) {
			cfg.Labels = append(cfg.Labels, capture.NewLabel(l.label, texts,
				func(k int) bool { return texts[k] != "" }))
		}
	}
	if len(groups) > 1 {
		texts := make([]string, len(samples))
		for k, s := range samples {
			texts[k] = groups[s.group].runs[0].id
		}
		cfg.Labels = append(cfg.Labels, capture.NewLabel("process", texts, nil))
	}
}

// builder makes counters.
type builder struct {
	w       *work
	cfg     *capture.Config
	samples []*sample
	groups  []*group
	passes  map[string]*capture.Pass
	tally   memory.Tally
}

// measuredBy is the dispatch of the sample's runs that measured the counter, nil if none did.
func (s *sample) measuredBy(counter int) (d *dispatch, run int) {
	for k, d := range s.in {
		if d != nil && len(d.values[counter]) > 0 {
			return d, k
		}
	}
	return nil, -1
}

// counter adds a counter with the first value of each dispatch, and one for each run that has values which are not among
// these.
func (b *builder) counter(i int) {
	n := len(b.samples)
	from, runs := make([]*dispatch, n), make([]int, n)
	for k, s := range b.samples {
		from[k], runs[k] = s.measuredBy(i)
	}
	b.values(i, b.w.counters[i].name, from, runs)
	for g, group := range b.groups {
		for run, r := range group.runs {
			own, none := make([]*dispatch, n), make([]int, n)
			again := false
			for k, s := range b.samples {
				if none[k] = -1; s.group != g || s.in[run] == nil || len(s.in[run].values[i]) == 0 {
					continue
				}
				own[k], none[k] = s.in[run], run
				again = again || runs[k] != run
			}
			if again {
				b.tally.Must(uint64(n) * resultRoom)
				b.values(i, b.w.counters[i].name+"@"+r.id, own, none)
			}
		}
	}
}

// values adds a counter whose value in each sample is that of a dispatch of a run; nil is missing.
func (b *builder) values(i int, name string, from []*dispatch, runs []int) {
	info := b.w.counters[i]
	block, _, under := strings.Cut(info.name, "_")
	if !under {
		block = ""
	}
	if info.block != "" {
		block = info.block
	}
	meta := capture.Meta{Name: name, Kind: capture.Delta, Unit: info.unit, Doc: info.doc, Block: block,
		GPU: b.cfg.GPU, Source: Format{}.Name()}
	if isLevel(info) {
		meta.Kind, meta.Combine = capture.Gauge, capture.CombineMean
		if meta.Unit == "" {
			meta.Unit = "percent"
		}
	}
	c := &capture.Counter{Meta: meta, Axis: b.cfg.Axis}
	n := len(b.samples)
	whole := make([]float64, n)
	ids, known := []string{}, map[string]bool{}
	absent, most := 0, 1
	for k := range b.samples {
		whole[k] = math.NaN()
		if from[k] == nil {
			absent++
			c.Reasons = append(c.Reasons, capture.ReasonRun{From: k, To: k + 1,
				Reason: capture.Reason{Code: capture.NotCollected, Text: "no run measured " +
					name + " in this dispatch"}})
			continue
		}
		whole[k] = 0
		list := from[k].values[i]
		most = max(most, len(list))
		for _, v := range list {
			whole[k] += v.v
		}
		if len(list) > 1 && len(list) <= 4096 {
			for _, id := range instancesOf(list) {
				if !known[id] {
					known[id] = true
					ids = append(ids, id)
				}
			}
		}
		if meta.Kind == capture.Gauge {
			whole[k] /= float64(len(list))
		}
	}
	c.Pass = b.pass(from, runs)
	data, integral := delimited.Narrow(whole)
	c.Col, c.Integral = capture.NewColumn(data), integral
	if most > 1 && len(ids)*n <= 1<<22 {
		b.instances(c, i, from, ids)
		b.w.warnings = append(b.w.warnings, name+" has up to "+
			strconv.Itoa(most)+" values per dispatch: they are its instances, numbered in the order of the file where it does not name them")
	}
	if absent > 0 {
		c.Warnings = append(c.Warnings, name+": not measured in "+strconv.Itoa(absent)+" of "+
			strconv.Itoa(n)+" dispatches")
	}
	b.cfg.Counters = append(b.cfg.Counters, c)
}

// instancesOf names the values of one counter in one dispatch: as the file does, or by their position where it does not
// tell them apart.
func instancesOf(list []result) []string {
	ids := make([]string, len(list))
	for at, v := range list {
		if ids[at] = v.instance; v.instance == "" || slices.Contains(ids[:at], v.instance) {
			for at := range ids {
				ids[at] = strconv.Itoa(at)
			}
			break
		}
	}
	return ids
}

// instances adds one column per instance.
func (b *builder) instances(c *capture.Counter, counter int, from []*dispatch, ids []string) {
	at := make(map[string]int, len(ids))
	columns := make([][]float64, len(ids))
	b.tally.Must(uint64(len(ids)) * (counterRoom + 8*uint64(len(from))))
	for j, id := range ids {
		at[id] = j
		columns[j] = make([]float64, len(from))
		for k := range columns[j] {
			columns[j][k] = math.NaN()
		}
	}
	for k, d := range from {
		if d == nil {
			continue
		}
		list := d.values[counter]
		for j, id := range instancesOf(list) {
			if col, ok := at[id]; ok {
				columns[col][k] = list[j].v
			}
		}
	}
	for j, id := range ids {
		in := &capture.Counter{Meta: c.Meta, Axis: c.Axis, Pass: c.Pass}
		in.Name, in.Meta.Instance = c.Name+"["+id+"]", id
		data, integral := delimited.Narrow(columns[j])
		in.Col, in.Integral = capture.NewColumn(data), integral
		in.Reasons = []capture.ReasonRun{{From: 0, To: len(from), Reason: capture.Reason{Code: capture.NotCollected,
			Text: "the file has no value of this instance here"}}}
		c.Instances = append(c.Instances, in)
	}
}

// pass is the provenance of a counter that the runs measured; nil where there is one run only.
func (b *builder) pass(from []*dispatch, runs []int) *capture.Pass {
	if !slices.ContainsFunc(b.groups, func(g *group) bool { return len(g.runs) > 1 }) {
		return nil
	}
	var ids []string
	for k, s := range b.samples {
		if runs[k] >= 0 {
			if id := b.groups[s.group].runs[runs[k]].id; !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	name := strings.Join(ids, "+")
	if p := b.passes[name]; p != nil {
		return p
	}
	n := len(from)
	start, length := make([]float64, n), make([]float64, n)
	for k, d := range from {
		start[k], length[k] = math.NaN(), math.NaN()
		if d != nil && d.timed() {
			start[k], length[k] = float64(d.start-b.groups[b.samples[k].group].runs[runs[k]].origin),
				float64(d.end-d.start)
		}
	}
	starts, _ := delimited.Narrow(start)
	lengths, _ := delimited.Narrow(length)
	p := &capture.Pass{ID: name, Start: capture.NewColumn(starts), Duration: capture.NewColumn(lengths)}
	b.passes[name] = p
	b.cfg.Passes = append(b.cfg.Passes, p)
	return p
}

// durations is the one counter of a trace: how long each kernel ran.
func (b *builder) durations() {
	f := make([]float64, len(b.samples))
	c := &capture.Counter{Meta: capture.Meta{Name: "kernel_duration", Title: "Kernel duration", Unit: "ns",
		Kind: capture.Delta, Source: Format{}.Name(),
		Doc: "Time from the start of the dispatch to its end."}, Axis: b.cfg.Axis}
	for k, s := range b.samples {
		if f[k] = math.NaN(); s.timed {
			f[k] = float64(s.end - s.start)
		}
	}
	data, _ := delimited.Narrow(f)
	c.Col = capture.NewColumn(data)
	b.cfg.Counters = append(b.cfg.Counters, c)
}
