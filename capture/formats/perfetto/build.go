package perfetto

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats/arrow"
	"astrolabe/capture/formats/internal/lategap"
	"astrolabe/capture/memory"
)

// line is a series on its way to a counter.
type line struct {
	*series
	meta     capture.Meta
	whole    string // the counter that an instance belongs to
	ours     bool
	forwards bool // a value holds from its time on, not up to it
	sums     bool // levels of instances add up
}

// build makes a capture of what the packets held.
func (d *decoder) build() (*capture.Config, error) {
	var lines []*line
	ours := true
	for _, s := range d.order {
		s.sort(&d.tally)
		l := d.line(s)
		ours = ours && l.ours
		if len(l.times) > 0 {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 {
		return nil, errors.New("the trace holds one value of each counter, and values are what was counted between two")
	}
	if ours {
		d.emptyTracks(&lines)
	}
	d.unique(lines)
	cfg := &capture.Config{}
	var cut *cutting
	zero := int64(0)
	if ours {
		cut = d.ourSamples(lines)
		for _, s := range d.slices.done {
			if s.category == categoryZero {
				zero = s.start
			}
		}
	} else {
		cut = foreignSamples(lines, &d.tally)
		if len(cut.start) > 0 {
			zero = cut.start[0]
		}
	}
	d.tally.Must(16 * uint64(len(cut.start)))
	cfg.Axis = cut.axis(zero)
	if d.clocks.hasWall {
		cfg.StartTime = time.Unix(0, d.clocks.wall+zero).UTC()
	}
	cfg.Counters = d.counters(lines, cut, cfg.Axis)
	d.restoreSlices(cfg, cut, zero)
	cfg.Regions = append(cfg.Regions, d.stageRegions(zero)...)
	if len(d.devices) == 1 {
		cfg.Device = d.devices[0]
	}
	cfg.Warnings = d.warnings
	if about := d.slices.about(); ours && about != nil {
		if err := arrow.Recall(cfg, about.texts[aboutLayout], about.texts[aboutCapture],
			about.texts[aboutCounters]); err != nil {
			return nil, err
		}
	}
	return cfg, nil
}

// about is the mark that says what the capture is, nil where there is none.
func (r *sliceReader) about() *slice {
	for i := range r.done {
		if s := &r.done[i]; s.category == categoryAbout && s.texts[aboutLayout] != "" {
			return s
		}
	}
	return nil
}

// line finds out what a series is.
func (d *decoder) line(s *series) *line {
	l := &line{series: s}
	if s.key.gpu {
		d.gpuLine(l)
		return l
	}
	if s.key.probe != noProbe {
		d.probeLine(l)
		return l
	}
	t := d.tracks[s.key.track]
	if t == nil {
		l.meta = capture.Meta{Name: fmt.Sprintf("track %d", s.key.track), Kind: capture.Gauge}
		l.forwards = true
		d.warn("counter track %d has no descriptor: it has no name and no unit", s.key.track)
		return l
	}
	d.trackLine(l, t)
	return l
}

func (d *decoder) gpuLine(l *line) {
	key := l.key
	spec := d.seriesSpecs[key]
	l.meta = capture.Meta{Name: fmt.Sprintf("counter %d", key.counter), Source: "perfetto gpu.counters"}
	if spec == nil {
		d.warn("GPU counter %d has no spec: it has no name and no unit, and is taken for events", key.counter)
	} else {
		l.meta.Name, l.meta.Doc, l.meta.Unit, l.meta.Block = orElse(spec.name, l.meta.Name), spec.doc,
			spec.unit, spec.block
		if spec.level {
			l.meta.Kind = capture.Gauge
		}
		l.forwards = spec.forwards
	}
	if len(d.gpus) > 1 {
		l.whole = l.meta.Name
		l.meta.Instance = fmt.Sprint(key.gpuID)
		l.meta.Device = fmt.Sprint("gpu", key.gpuID)
		l.meta.Name = fmt.Sprintf("%s[%d]", l.whole, key.gpuID)
	}
}

func (d *decoder) trackLine(l *line, t *track) {
	l.ours, l.forwards = t.ours, true
	l.meta = capture.Meta{Name: orElse(t.name, fmt.Sprintf("track %d", t.uuid)), Unit: t.unit, Doc: t.doc,
		Kind: capture.Gauge}
	if k, ok := capture.ParseKind(t.kind); ok && t.ours {
		l.meta.Kind = k
	}
	var names []string
	parent := d.tracks[t.parent]
	for depth := 0; parent != nil && t.parent != 0 && depth < 16; depth++ {
		switch {
		case t.ours && parent.doc == groupDevice:
			l.meta.Device = parent.name
		case t.ours && parent.doc == groupBlock:
			l.meta.Block = parent.name
		case !t.ours && parent.name != "":
			names = append(names, parent.name)
		}
		if parent.parent == 0 {
			break
		}
		parent = d.tracks[parent.parent]
	}
	slices.Reverse(names)
	if !t.ours {
		l.meta.Block = strings.Join(names, "/")
	}
	if t.ours && t.share != "" {
		l.whole = t.share
		if id, ok := strings.CutPrefix(l.meta.Name, t.share+"["); ok {
			l.meta.Instance = strings.TrimSuffix(id, "]")
		}
	}
}

// emptyTracks adds the counters of this package's own tracks that have no value at all.
func (d *decoder) emptyTracks(lines *[]*line) {
	var empty []*track
	for _, t := range d.tracks {
		if t.ours && d.series[seriesKey{track: t.uuid}] == nil {
			empty = append(empty, t)
		}
	}
	slices.SortFunc(empty, func(a, b *track) int { return cmp.Compare(a.name, b.name) })
	for _, t := range empty {
		l := &line{series: &series{key: seriesKey{track: t.uuid}, double: true}}
		d.trackLine(l, t)
		*lines = append(*lines, l)
	}
}

// sort orders the values by time, in which packets need not be.
func (s *series) sort(tally *memory.Tally) {
	if slices.IsSorted(s.times) {
		return
	}
	tally.Must(32 * uint64(len(s.times)))
	order := make([]int, len(s.times))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.times[a], s.times[b]) })
	times, bits := make([]int64, len(order)), make([]uint64, len(order))
	var from []int64
	if s.from != nil {
		from = make([]int64, len(order))
	}
	for i, k := range order {
		times[i], bits[i] = s.times[k], s.bits[k]
		if from != nil {
			from[i] = s.from[k]
		}
	}
	s.times, s.bits, s.from = times, bits, from
}

// unique makes instances of counters that share a name, one for each group that they are in.
func (d *decoder) unique(lines []*line) {
	byName := map[string][]*line{}
	for _, l := range lines {
		byName[l.whole+"\x00"+l.meta.Name] = append(byName[l.whole+"\x00"+l.meta.Name], l)
	}
	for _, l := range lines {
		same := byName[l.whole+"\x00"+l.meta.Name]
		if len(same) < 2 || l != same[0] {
			continue
		}
		seen := map[string]bool{}
		for i, other := range same {
			if other.whole == "" {
				other.whole = l.meta.Name
			}
			id := orElse(other.meta.Instance, other.meta.Block)
			if id == "" || seen[id] {
				id = fmt.Sprint(id, "#", i)
			}
			seen[id] = true
			other.meta.Instance = id
		}
		name := l.whole
		for _, other := range same {
			other.meta.Name = fmt.Sprintf("%s[%s]", name, other.meta.Instance)
		}
	}
}

// counterRoom is what a counter takes without its values, in bytes.
const counterRoom = 1024

// counters hangs the instances below their counters.
func (d *decoder) counters(lines []*line, cut *cutting, axis *capture.Axis) []*capture.Counter {
	var out []*capture.Counter
	byName := map[string]*capture.Counter{}
	var tally memory.Tally
	whole := func(m capture.Meta) *capture.Counter {
		c := byName[m.Name]
		if c == nil {
			c = &capture.Counter{Meta: m, Axis: axis}
			byName[m.Name] = c
			out = append(out, c)
		}
		return c
	}
	for _, l := range lines {
		tally.Must(counterRoom)
		c := l.counter(cut, axis, &tally)
		if l.whole == "" {
			w := whole(l.meta)
			if w.Col == nil {
				w.Meta, w.Col, w.Reasons = c.Meta, c.Col, c.Reasons
			}
			continue
		}
		m := l.meta
		m.Name, m.Instance, m.Device = l.whole, "", ""
		if m.Kind == capture.Gauge && !l.sums {
			m.Combine = capture.CombineMean
		}
		w := whole(m)
		w.Instances = append(w.Instances, c)
	}
	return out
}

// restoreSlices makes regions, gaps, late spans and labels of this package's own slices.
func (d *decoder) restoreSlices(cfg *capture.Config, cut *cutting, zero int64) {
	all := d.slices.done
	slices.SortStableFunc(all, func(a, b slice) int {
		if a.category == b.category && a.category != categoryLabel {
			return cmp.Compare(a.ints["index"], b.ints["index"])
		}
		return 0
	})
	labels := map[uint64]*labelReader{}
	var tally memory.Tally
	var order []*labelReader
	for i := range all {
		s := &all[i]
		switch s.category {
		case categoryRegion:
			cfg.Regions = append(cfg.Regions, s.region(zero))
		case categoryGap:
			lategap.Add(cfg, s.gap(zero))
		case categoryLate:
			cfg.Late = append(cfg.Late, s.gap(zero))
		case categoryLabel:
			r := labels[s.track]
			if r == nil {
				tally.Must(4 * uint64(len(cut.start)))
				r = newLabelReader(d.tracks[s.track], len(cut.start))
				labels[s.track] = r
				order = append(order, r)
			}
			r.add(s, cut.start)
		}
	}
	for _, r := range order {
		cfg.Labels = append(cfg.Labels, &r.label)
	}
}

type labelReader struct {
	label capture.Label
	codes map[string]int32
}

func newLabelReader(t *track, n int) *labelReader {
	r := &labelReader{codes: map[string]int32{}}
	r.label.Name = "label"
	if t != nil && t.name != "" {
		r.label.Name = t.name
	}
	r.label.Codes = make([]int32, n)
	for i := range r.label.Codes {
		r.label.Codes[i] = -1
	}
	return r
}

// add gives the samples that start in the slice its name.
func (r *labelReader) add(s *slice, start []int64) {
	code, ok := r.codes[s.name]
	if !ok {
		code = int32(len(r.label.Dict))
		r.label.Dict = append(r.label.Dict, s.name)
		r.codes[s.name] = code
	}
	i, _ := slices.BinarySearch(start, s.start)
	for ; i < len(start) && (start[i] < s.end || start[i] == s.start); i++ {
		r.label.Codes[i] = code
	}
}

// counter makes the counter of a line. Its values are put in their samples when first read.
func (l *line) counter(cut *cutting, axis *capture.Axis, tally *memory.Tally) *capture.Counter {
	c := &capture.Counter{Meta: l.meta, Axis: axis}
	c.Integral = !l.double
	c.Reasons = l.reasons(cut, tally)
	c.Col = capture.LazyColumn(axis.Len(), func() (capture.Data, error) { return l.data(cut), nil })
	integers := l.integers()
	if integers {
		c.Integral = false
	}
	return c
}
