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
	"astrolabe/capture/formats/internal/steps"
	"astrolabe/capture/memory"
)

// build makes a capture of what the packets held.
func (d *decoder) build() (*capture.Config, error) {
	var lines []*steps.Line
	ours := true
	for _, s := range d.order {
		s.Sort(&d.tally)
		d.line(s)
		ours = ours && s.ours
		if len(s.Times) > 0 {
			lines = append(lines, &s.Line)
		}
	}
	if len(lines) == 0 {
		return nil, errors.New("the trace holds one value of each counter, and values are what was counted between two")
	}
	if ours {
		d.emptyTracks(&lines)
	}
	steps.Unique(lines)
	cfg := &capture.Config{}
	var cut *steps.Cutting
	zero := int64(0)
	if ours {
		cut = d.ourSamples(lines)
		for _, s := range d.slices.done {
			if s.category == categoryZero {
				zero = s.start
			}
		}
	} else {
		cut = steps.Cut(lines, &d.tally)
		if len(cut.Start) > 0 {
			zero = cut.Start[0]
		}
	}
	d.tally.Must(16 * uint64(len(cut.Start)))
	cfg.Axis = cut.Axis(zero)
	if d.clocks.hasWall {
		cfg.StartTime = time.Unix(0, d.clocks.wall+zero).UTC()
	}
	cfg.Counters = steps.Counters(lines, cut, cfg.Axis)
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
func (d *decoder) line(l *series) {
	switch t := d.tracks[l.key.track]; {
	case l.key.gpu:
		d.gpuLine(l)
	case l.key.probe != noProbe:
		d.probeLine(l)
	case t == nil:
		l.Meta = capture.Meta{Name: fmt.Sprintf("track %d", l.key.track), Kind: capture.Gauge}
		l.Forwards = true
		d.warn("counter track %d has no descriptor: it has no name and no unit", l.key.track)
	default:
		d.trackLine(l, t)
	}
}

func (d *decoder) gpuLine(l *series) {
	key := l.key
	spec := d.seriesSpecs[key]
	l.Meta = capture.Meta{Name: fmt.Sprintf("counter %d", key.counter), Source: "perfetto gpu.counters"}
	if spec == nil {
		d.warn("GPU counter %d has no spec: it has no name and no unit, and is taken for events", key.counter)
	} else {
		l.Meta.Name, l.Meta.Doc, l.Meta.Unit, l.Meta.Block = orElse(spec.name, l.Meta.Name), spec.doc,
			spec.unit, spec.block
		if spec.level {
			l.Meta.Kind = capture.Gauge
		}
		// Mesa's pps-producer gives every counter of Intel's GPUs the unit NONE, shares too: only a catalogue knows.
		l.Meta.Guessed = spec.unit == ""
		l.Forwards = spec.forwards
	}
	if len(d.gpus) > 1 {
		l.Whole = l.Meta.Name
		l.Meta.Instance = fmt.Sprint(key.gpuID)
		l.Meta.Device = fmt.Sprint("gpu", key.gpuID)
		l.Meta.Name = fmt.Sprintf("%s[%d]", l.Whole, key.gpuID)
	}
}

func (d *decoder) trackLine(l *series, t *track) {
	l.ours, l.Forwards = t.ours, true
	l.Meta = capture.Meta{Name: orElse(t.name, fmt.Sprintf("track %d", t.uuid)), Unit: t.unit, Doc: t.doc,
		Kind: capture.Gauge}
	if k, ok := capture.ParseKind(t.kind); ok && t.ours {
		l.Meta.Kind = k
	}
	var names []string
	parent := d.tracks[t.parent]
	for depth := 0; parent != nil && t.parent != 0 && depth < 16; depth++ {
		switch {
		case t.ours && parent.doc == groupDevice:
			l.Meta.Device = parent.name
		case t.ours && parent.doc == groupBlock:
			l.Meta.Block = parent.name
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
		l.Meta.Block = strings.Join(names, "/")
	}
	if t.ours && t.share != "" {
		l.Whole = t.share
		if id, ok := strings.CutPrefix(l.Meta.Name, t.share+"["); ok {
			l.Meta.Instance = strings.TrimSuffix(id, "]")
		}
	}
}

// emptyTracks adds the counters of this package's own tracks that have no value at all.
func (d *decoder) emptyTracks(lines *[]*steps.Line) {
	var empty []*track
	for _, t := range d.tracks {
		if t.ours && d.series[seriesKey{track: t.uuid}] == nil {
			empty = append(empty, t)
		}
	}
	slices.SortFunc(empty, func(a, b *track) int { return cmp.Compare(a.name, b.name) })
	for _, t := range empty {
		l := &series{key: seriesKey{track: t.uuid}, Line: steps.Line{Double: true}}
		d.trackLine(l, t)
		*lines = append(*lines, &l.Line)
	}
}

// restoreSlices makes regions, gaps, late spans and labels of this package's own slices.
func (d *decoder) restoreSlices(cfg *capture.Config, cut *steps.Cutting, zero int64) {
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
				tally.Must(4 * uint64(len(cut.Start)))
				r = newLabelReader(d.tracks[s.track], len(cut.Start))
				labels[s.track] = r
				order = append(order, r)
			}
			r.add(s, cut.Start)
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
