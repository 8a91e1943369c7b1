package chrometrace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/lanes"
	"astrolabe/capture/formats/internal/steps"
	"astrolabe/capture/memory"
)

// line is the values of one argument of a counter's events.
type line struct {
	key seriesKey
	steps.Line
}

func (d *decoder) add(key seriesKey, at int64, bits uint64, double bool) {
	s := d.series[key]
	if s == nil {
		key = seriesKey{key.pid, d.text(key.name), d.text(key.id), d.text(key.arg)}
		d.tally.Must(256)
		s = &line{key: key}
		s.Forwards = true
		d.series[key] = s
		d.order = append(d.order, s)
	}
	s.Add(at, bits, double, &d.tally)
}

// build makes a capture of what the events held.
func (d *decoder) build() (*capture.Config, error) {
	cfg := &capture.Config{Warnings: d.warnings}
	ours := d.describe(cfg)
	var lines []*steps.Line
	for _, s := range d.order {
		s.Sort(&d.tally)
		lines = append(lines, &s.Line)
	}
	var cut *steps.Cutting
	switch {
	case len(lines) == 0:
		if lines = d.times(); len(lines) == 0 {
			if len(d.warnings) > 0 {
				return nil, fmt.Errorf("the trace has no counters (events of phase C) and no slices that take time: %s",
					strings.Join(d.warnings, "; "))
			}
			return nil, errors.New("the trace has no counters (events of phase C) and no slices that take time")
		}
		cut = steps.Cut(lines, &d.tally)
	case ours:
		d.ourLines()
		cut = d.ourSamples(lines)
	default:
		d.nameLines()
		cut = steps.Cut(lines, &d.tally)
	}
	steps.Unique(lines)
	zero := int64(0)
	if !ours && len(cut.Start) > 0 {
		zero = cut.Start[0]
	}
	d.tally.Must(16 * uint64(len(cut.Start)))
	cfg.Axis = cut.Axis(zero)
	cfg.Counters = steps.Counters(lines, cut, cfg.Axis)
	d.restore(cfg, ours, zero)
	return cfg, nil
}

// describe takes what the trace says of itself, and reports whether this package wrote it.
func (d *decoder) describe(cfg *capture.Config) bool {
	text := func(key string) string { s, _ := d.about[key].(string); return s }
	if _, ours := d.about["clock"]; ours && d.docs != nil {
		cfg.Name, cfg.GPU, cfg.Device.Name, cfg.Device.Driver = text("name"), text("gpu"), text("device"), text("driver")
		if at, err := time.Parse(time.RFC3339Nano, text("start")); err == nil {
			cfg.StartTime = at.UTC()
		}
		return true
	}
	if len(d.devices) == 1 {
		cfg.Device.Name = d.devices[0]
	}
	for key, v := range d.about {
		switch v.(type) {
		case string, float64, bool:
			if cfg.Device.Extra == nil {
				cfg.Device.Extra = map[string]string{}
			}
			cfg.Device.Extra[key] = fmt.Sprint(v)
		}
	}
	return false
}

// nameLines gives the counters of other programs their names: that of the event, with that of the argument where it
// says more. Processes are the blocks, and ids instances.
func (d *decoder) nameLines() {
	type eventName struct{ pid, name string }
	args := map[eventName]map[string]bool{}
	pids := map[string]bool{}
	for _, s := range d.order {
		key := eventName{s.key.pid, s.key.name}
		if args[key] == nil {
			args[key] = map[string]bool{}
		}
		args[key][s.key.arg] = true
		pids[s.key.pid] = true
	}
	for _, s := range d.order {
		name := s.key.name
		alone := len(args[eventName{s.key.pid, name}]) == 1
		if !alone || s.key.arg != "value" && s.key.arg != name {
			name = strings.TrimSpace(name + " " + s.key.arg)
		}
		s.Meta = capture.Meta{Name: cmp.Or(name, "counter"), Kind: capture.Gauge, Source: "chrometrace"}
		if len(pids) > 1 || d.processes[s.key.pid] != "" {
			s.Meta.Block = d.process(s.key.pid)
		}
		if s.key.id != "" {
			s.Whole, s.Meta.Instance = s.Meta.Name, s.key.id
			s.Meta.Name = fmt.Sprintf("%s[%s]", s.Whole, s.key.id)
		}
	}
}

func (d *decoder) process(pid string) string {
	return strings.TrimSpace(cmp.Or(d.processes[pid], "process") + " " + pid)
}

// ourLines makes the counters of this package's own traces what they were.
func (d *decoder) ourLines() {
	byTitle := map[string]counterDoc{}
	for _, doc := range d.docs {
		title := func(name string) string {
			if doc.Unit != "" {
				name += " (" + doc.Unit + ")"
			}
			return name
		}
		byTitle[title(doc.Name)] = doc
		byTitle[title(doc.Name+" by instance")] = doc
	}
	for _, s := range d.order {
		doc := byTitle[s.key.name]
		doc.Name = cmp.Or(doc.Name, s.key.name, "counter")
		kind, ok := capture.ParseKind(doc.Kind)
		if !ok || kind == capture.Derived {
			kind = capture.Gauge
		}
		s.Meta = capture.Meta{Name: doc.Name, Kind: kind, Unit: doc.Unit, Block: doc.Block, Doc: doc.Doc,
			Expr: doc.Expr}
		if s.key.arg != "value" {
			s.Whole, s.Meta.Instance = doc.Name, s.key.arg
			s.Meta.Name = fmt.Sprintf("%s[%s]", doc.Name, s.key.arg)
			s.Meta.Combine, s.Combined = capture.ParseCombine(doc.Combine)
		}
	}
}

// ourSamples finds the samples that this package wrote: each begins with its values, and ends where the next begins, or
// a gap. How long the last one was is not in the trace: it is taken to be as long as the one before.
func (d *decoder) ourSamples(lines []*steps.Line) *steps.Cutting {
	start := steps.AllTimes(lines, &d.tally)
	slices.Sort(start)
	start = slices.Compact(start)
	d.tally.Must(8 * uint64(len(start)))
	c := &steps.Cutting{Start: start, End: make([]int64, len(start)), Exact: true}
	for i := range start {
		switch {
		case i+1 < len(start):
			c.End[i] = start[i+1]
		case i > 0:
			c.End[i] = start[i] + (start[i] - start[i-1])
		default:
			c.End[i] = start[i]
		}
	}
	for i := range d.slices {
		if s := &d.slices[i]; s.cat == categoryGap {
			k, found := slices.BinarySearch(start, s.start)
			if k--; !found && k >= 0 {
				c.End[k] = min(c.End[k], s.start)
			}
		}
	}
	return c
}

// The categories of slices that this package writes.
const (
	categoryRegion = "region"
	categoryGap    = "gap"
	categoryLate   = "late"
	categoryLabel  = "label"
)

var ourCategories = map[string]bool{categoryRegion: true, categoryGap: true, categoryLate: true, categoryLabel: true}

// restore makes regions of the slices, and gaps and late spans of this package's own.
func (d *decoder) restore(cfg *capture.Config, ours bool, zero int64) {
	byThread := map[threadKey][]int{}
	var order []threadKey
	labels := labelled{axis: cfg.Axis, tally: &d.tally}
	for i := range d.slices {
		s := &d.slices[i]
		var args struct {
			Depth int    `json:"depth"`
			Lost  uint64 `json:"lost"`
			Code  string `json:"code"`
			Track string `json:"track"`

			Label  string `json:"label"`
			Unique bool   `json:"unique"`
		}
		if ours && s.args != nil && json.Unmarshal(s.args, &args) == nil {
			gap := capture.Gap{Start: s.start, End: s.end, Lost: args.Lost,
				Reason: capture.Reason{Code: capture.ParseReasonCode(args.Code), Text: s.name}}
			if gap.Reason.Text == gap.Reason.Code.String() {
				gap.Reason.Text = ""
			}
			switch s.cat {
			case categoryLabel:
				labels.take(d.text(args.Label), d.text(s.name), s.start, s.end, args.Unique)
				continue
			case categoryGap:
				cfg.Gaps = append(cfg.Gaps, gap)
				continue
			case categoryLate:
				cfg.Late = append(cfg.Late, gap)
				continue
			case categoryRegion:
				cfg.Regions = memory.Append(&d.tally, cfg.Regions, capture.Region{Name: s.name, Start: s.start,
					End: s.end, Depth: args.Depth, Track: d.text(args.Track)})
				continue
			}
		}
		if byThread[s.thread] == nil {
			order = append(order, s.thread)
		}
		byThread[s.thread] = append(byThread[s.thread], i)
	}
	cfg.Labels = labels.list
	for _, t := range order {
		list := byThread[t]
		depth, lane := lanes.Stack(len(list), func(i int) (start, end int64) {
			return d.slices[list[i]].start, d.slices[list[i]].end
		})
		track := d.track(t)
		for i, k := range list {
			s := &d.slices[k]
			name := track
			if track != "" {
				name = lanes.Name(track, lane[i])
			}
			cfg.Regions = memory.Append(&d.tally, cfg.Regions, capture.Region{Name: s.name, Start: s.start - zero,
				End: s.end - zero, Depth: depth[i], Track: d.text(name)})
		}
	}
}

// track is what a thread, or what else slices are on, is called.
func (d *decoder) track(t threadKey) string {
	name := d.threads[threadKey{pid: t.pid, tid: t.tid}]
	switch {
	case t.async != "":
		name = t.async
	case name == "" && t.tid != "":
		name = "thread " + t.tid
	}
	if t.pid == "" {
		return name
	}
	if name == "" {
		return d.process(t.pid)
	}
	return cmp.Or(d.processes[t.pid], "process "+t.pid) + ": " + name
}

// times are counters for traces that have none: how long each thread had slices.
func (d *decoder) times() []*steps.Line {
	byTrack := map[string]*steps.Line{}
	var out []*steps.Line
	order := make([]int, len(d.slices))
	d.tally.Must(uint64(8 * len(order)))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.slices[a].start, d.slices[b].start) })
	for _, i := range order {
		s := &d.slices[i]
		if s.end == s.start {
			continue
		}
		track := d.track(s.thread)
		l := byTrack[track]
		if l == nil {
			d.tally.Must(256)
			l = &steps.Line{Idle: true, Meta: capture.Meta{Name: "slice_time " + track, Unit: "ns", Source: "chrometrace",
				Doc: "how long there were slices on this track"}}
			byTrack[track] = l
			out = append(out, l)
		}
		n := len(l.Times)
		if n > 0 && s.start <= l.Times[n-1] { // within the one before, or going on from it
			l.Times[n-1] = max(l.Times[n-1], s.end)
			l.Bits[n-1] = uint64(l.Times[n-1] - l.From[n-1])
			continue
		}
		l.From = memory.Append(&d.tally, l.From, s.start)
		l.Add(s.end, uint64(s.end-s.start), false, &d.tally)
	}
	return out
}
