package rocprofv3

import (
	"errors"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
)

// sample is one dispatch of one group of runs, with its counterpart in each run.
type sample struct {
	group      int
	start, end int64
	timed      bool
	first      *dispatch
	in         []*dispatch // by run of the group; nil where it lacks the dispatch
}

// build makes axis, labels, regions, passes and counters.
func (w *work) build(cfg *capture.Config) error {
	groups := w.groups()
	traces := slices.DeleteFunc(slices.Clone(w.runs), func(r *run) bool { return !r.traced })
	onlyTrace := len(groups) == 0
	if onlyTrace {
		for _, r := range traces {
			groups = append(groups, []*run{r})
		}
	}
	origin := w.origin(groups, traces)
	var samples []*sample
	results := 0
	for g, runs := range groups {
		index := map[key]*sample{}
		base := runs[0].origin()
		for k, r := range runs {
			shift := base - r.origin() // every run has a clock time of its own
			for _, d := range r.dispatches {
				s := index[d.key]
				if s == nil {
					s = &sample{group: g, first: d, in: make([]*dispatch, len(runs))}
					index[d.key] = s
					samples = append(samples, s)
				}
				if s.in[k] = d; !s.timed && d.end != 0 {
					s.start, s.end, s.timed = max(0, d.start+shift-origin), max(0, d.end+shift-origin), true
				}
				for _, v := range d.values {
					results += len(v)
				}
			}
		}
	}
	if len(samples)*len(w.counters) > 1<<20+64*results {
		return errors.New("dispatches and counters fit so badly together that nearly every value would be missing: is this one file of rocprofv3?")
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
		w.warnings = append(w.warnings, strconv.Itoa(untimed)+" dispatches have no times: their samples are empty and rates of them missing")
	}
	cfg.Axis = axis
	w.labels(cfg, samples, groups)
	w.regions(cfg, samples, traces, groups, origin)
	b := &builder{w: w, cfg: cfg, samples: samples, groups: groups, passes: map[string]*capture.Pass{}}
	for i := range w.counters {
		b.counter(i)
	}
	if onlyTrace {
		b.durations()
	}
	for _, g := range groups {
		if len(g) > 1 {
			w.warnings = append(w.warnings, strconv.Itoa(len(g))+" runs measured different counters of the same dispatches: they are passes, and times are those of "+g[0].id)
		}
	}
	return nil
}

// origin is the first start of all groups and of their traces.
func (w *work) origin(groups [][]*run, traces []*run) int64 {
	var first int64
	take := func(r *run) {
		if o := r.origin(); o != 0 && (first == 0 || o < first) {
			first = o
		}
	}
	for _, g := range groups {
		take(g[0])
	}
	for _, r := range traces {
		if len(groups) > 0 && traceOf(r, groups) {
			take(r)
		}
	}
	return first
}

// traceOf reports whether a trace was made in the first run of a group: the file names differ in their ends only.
func traceOf(trace *run, groups [][]*run) bool {
	prefix, _, _ := strings.Cut(trace.id, traceEnd)
	for _, g := range groups {
		if g[0] == trace || strings.HasPrefix(g[0].id, prefix) {
			return true
		}
	}
	return false
}

func (w *work) labels(cfg *capture.Config, samples []*sample, groups [][]*run) {
	for i, l := range labelNames {
		texts := make([]string, len(samples))
		any := false
		for k, s := range samples {
			texts[k] = s.first.labels[i]
			any = any || texts[k] != ""
		}
		if any {
			cfg.Labels = append(cfg.Labels, capture.NewLabel(l.label, texts, func(k int) bool { return texts[k] != "" }))
		}
	}
	if len(groups) > 1 {
		texts := make([]string, len(samples))
		for k, s := range samples {
			texts[k] = groups[s.group][0].id
		}
		cfg.Labels = append(cfg.Labels, capture.NewLabel("process", texts, nil))
	}
}

// regions are the kernels: of the traces that belong to the first runs, else the dispatches themselves.
func (w *work) regions(cfg *capture.Config, samples []*sample, traces []*run, groups [][]*run, origin int64) {
	for _, r := range traces {
		if !traceOf(r, groups) {
			continue
		}
		for _, d := range r.dispatches {
			if d.end != 0 {
				cfg.Regions = append(cfg.Regions, capture.Region{Name: d.key.kernel, Start: d.start - origin, End: d.end - origin})
			}
		}
	}
	if len(cfg.Regions) == 0 {
		for _, s := range samples {
			if s.timed {
				cfg.Regions = append(cfg.Regions, capture.Region{Name: s.first.key.kernel, Start: s.start, End: s.end})
			}
		}
	}
	sort.SliceStable(cfg.Regions, func(a, b int) bool { return cfg.Regions[a].Start < cfg.Regions[b].Start })
}

// builder makes counters.
type builder struct {
	w       *work
	cfg     *capture.Config
	samples []*sample
	groups  [][]*run
	passes  map[string]*capture.Pass
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

func (b *builder) counter(i int) {
	info := b.w.counters[i]
	block, _, under := strings.Cut(info.name, "_")
	if !under {
		block = ""
	}
	if info.block != "" {
		block = info.block
	}
	meta := capture.Meta{Name: info.name, Kind: capture.Delta, Unit: info.unit, Doc: info.doc, Block: block, GPU: b.cfg.GPU, Source: Format{}.Name()}
	if isLevel(info) {
		meta.Kind, meta.Combine = capture.Gauge, capture.CombineMean
		if meta.Unit == "" {
			meta.Unit = "percent"
		}
	}
	c := &capture.Counter{Meta: meta, Axis: b.cfg.Axis}
	n := len(b.samples)
	from := make([]*dispatch, n)
	runs := make([]int, n)
	whole := make([]float64, n)
	ids, known := []string{}, map[string]bool{}
	absent, most := 0, 1
	for k, s := range b.samples {
		whole[k] = math.NaN()
		if from[k], runs[k] = s.measuredBy(i); from[k] == nil {
			absent++
			c.Reasons = append(c.Reasons, capture.ReasonRun{From: k, To: k + 1, Reason: capture.Reason{Code: capture.NotCollected, Text: "no run measured " + info.name + " in this dispatch"}})
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
		b.w.warnings = append(b.w.warnings, info.name+" has up to "+strconv.Itoa(most)+" values per dispatch: they are its instances, numbered in the order of the file where it does not name them")
	}
	if absent > 0 {
		c.Warnings = append(c.Warnings, info.name+": not measured in "+strconv.Itoa(absent)+" of "+strconv.Itoa(n)+" dispatches")
	}
	b.cfg.Counters = append(b.cfg.Counters, c)
}

// instancesOf names the values of one counter in one dispatch: as the file does, or by their position where it does not tell them apart.
func instancesOf(list []value) []string {
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
		in.Reasons = []capture.ReasonRun{{From: 0, To: len(from), Reason: capture.Reason{Code: capture.NotCollected, Text: "the file has no value of this instance here"}}}
		c.Instances = append(c.Instances, in)
	}
}

// pass is the provenance of a counter that the runs measured; nil where there is one run only.
func (b *builder) pass(from []*dispatch, runs []int) *capture.Pass {
	if !slices.ContainsFunc(b.groups, func(g []*run) bool { return len(g) > 1 }) {
		return nil
	}
	var ids []string
	for k, s := range b.samples {
		if runs[k] >= 0 {
			if id := b.groups[s.group][runs[k]].id; !slices.Contains(ids, id) {
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
		if d != nil && d.end != 0 {
			start[k], length[k] = float64(d.start-b.groups[b.samples[k].group][runs[k]].origin()), float64(d.end-d.start)
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
	c := &capture.Counter{Meta: capture.Meta{Name: "kernel_duration", Title: "Kernel duration", Unit: "ns", Kind: capture.Delta, Source: Format{}.Name(),
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
