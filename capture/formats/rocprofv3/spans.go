package rocprofv3

import (
	"cmp"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/kernels"
	"astrolabe/capture/formats/internal/lanes"
)

// span is a stretch of time that is no dispatch: a call of an API, a marker, a copy, an allocation.
type span struct {
	run, prefix     string
	kind, name      string
	process, thread string
	start, end      int64
}

// spansOf takes the rows of a file of calls, copies or allocations.
func (w *work) spansOf(t *table, name string) error {
	what := map[fileKind]string{callsFile: "function", copiesFile: "direction", memoryFile: "operation"}[t.kind]
	unnamed := map[fileKind]string{callsFile: "calls", copiesFile: "copies", memoryFile: "allocations"}[t.kind]
	kind := "kind"
	if t.kind == callsFile {
		kind = "domain"
	}
	for row := range t.Rows {
		start, end, err := t.times(row)
		if err != nil {
			return err
		}
		if start == 0 || end == 0 { // it was never begun or never ended: it has no place in time
			continue
		}
		s := span{prefix: prefixOf(t.file.Name), run: runID(t.text("guid", row), name, t.text("process_id", row)),
			kind: t.text(kind, row), name: t.text(what, row),
			process: t.text("process_id", row), thread: t.text("thread_id", row), start: start, end: end}
		s.kind = cmp.Or(s.kind, unnamed)
		s.name = cmp.Or(s.name, s.kind)
		if !w.databases[s.run] {
			w.spans = append(w.spans, s)
		}
	}
	return nil
}

// domains are what the beginnings of the profiler's kinds are called here. Calls of one domain on one thread nest.
var domains = []struct{ begin, name string }{
	{"HIP_", "HIP"}, {"HSA_", "HSA"}, {"MARKER_", "markers"}, {"RCCL_", "RCCL"}, {"ROCDECODE_", "rocDecode"},
	{"ROCJPEG_", "rocJPEG"},
	{"MEMORY_COPY", "copies"}, {"MEMORY_ALLOCATION", "allocations"}, {"SCRATCH_MEMORY", "scratch memory"},
}

// track is where a span is shown.
func (s *span) track() string {
	name := s.kind
	for _, d := range domains {
		if strings.HasPrefix(s.kind, d.begin) {
			name = d.name
		}
	}
	if s.thread != "" && name != "copies" { // a copy is no work of the thread that asked for it
		name += ", thread " + s.thread
	}
	return name
}

// kernelTrack is where a dispatch is shown.
func kernelTrack(d *dispatch) string {
	track := "kernels"
	if d.agent != "" {
		track += ", " + d.agent
	}
	for i, l := range labelNames {
		if l.label == "queue" && d.labels[i] != "" {
			track += ", queue " + d.labels[i]
		}
	}
	return track
}

// placed is a region whose depth and track are still to be found.
type placed struct {
	capture.Region
	process string
}

// stack gives regions of one track their depth. What overlaps without nesting gets a track of its own, called after the
// first.
func stack(all []placed) []capture.Region {
	byTrack := map[string][]int{}
	processes := map[string]bool{}
	for _, p := range all {
		processes[p.process] = true
	}
	for i := range all {
		p := &all[i]
		if len(processes) > 1 {
			p.Track = p.process + ": " + p.Track
		}
		byTrack[p.Track] = append(byTrack[p.Track], i)
	}
	out := make([]capture.Region, len(all))
	for i := range all {
		out[i] = all[i].Region
	}
	for _, list := range byTrack {
		depth, lane := lanes.Stack(len(list), func(k int) (start, end int64) {
			return all[list[k]].Start,
				all[list[k]].End
		})
		for k, i := range list {
			out[i].Depth = depth[k]
			out[i].Track = lanes.Name(out[i].Track, lane[k])
		}
	}
	slices.SortStableFunc(out, func(a, b capture.Region) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start),
			cmp.Compare(b.End, a.End))
	})
	return out
}

// regions are the kernels, of the traces that belong to the first runs or else of the dispatches themselves, and the
// spans of those runs.
func (w *work) regions(cfg *capture.Config, groups []*group, origin int64) {
	firsts := w.firsts(groups)
	var all []placed
	names := kernels.Names{}
	drawn := map[string]bool{} // runs that a trace shows
	for _, r := range w.runs {
		if !r.traced || !firsts.has(r.id, r.prefix) {
			continue
		}
		for _, d := range r.dispatches {
			if d.timed() {
				drawn[r.prefix] = true
				all = append(all, placed{capture.Region{Name: names.Of(d.kernel), Start: d.start - origin,
					End: d.end - origin, Track: kernelTrack(d)}, r.shortName()})
			}
		}
	}
	for _, g := range groups {
		if drawn[g.runs[0].prefix] {
			continue
		}
		for _, s := range g.samples {
			if s.timed {
				all = append(all, placed{capture.Region{Name: names.Of(s.first.kernel), Start: s.start, End: s.end,
					Track: kernelTrack(s.first)}, g.runs[0].shortName()})
			}
		}
	}
	left := 0
	for i := range w.spans {
		s := &w.spans[i]
		if !firsts.has(s.run, s.prefix) {
			left++
			continue
		}
		all = append(all, placed{capture.Region{Name: s.name, Start: s.start - origin, End: s.end - origin,
			Track: s.track()}, shortName(s.run, s.prefix)})
	}
	if left > 0 {
		w.warn("%d calls, markers and copies are of other passes than the first, and are left out", left)
	}
	cfg.Regions = stack(all)
}

// firsts are the runs whose times are those of the capture.
type firsts struct{ ids, prefixes map[string]bool }

func (w *work) firsts(groups []*group) firsts {
	f := firsts{map[string]bool{}, map[string]bool{}}
	for _, g := range groups {
		f.ids[g.runs[0].id] = true
		f.prefixes[g.runs[0].prefix] = true
	}
	if len(groups) == 0 { // no kernels at all
		for _, s := range w.spans {
			f.prefixes[s.prefix] = true
		}
	}
	return f
}

// has goes by the GUID of a process where there is one, and by the names of the files where there is none.
func (f firsts) has(id, prefix string) bool {
	if strings.HasPrefix(id, "guid ") && len(f.ids) > 0 {
		return f.ids[id]
	}
	return f.prefixes[prefix]
}

func (r *run) shortName() string { return shortName(r.id, r.prefix) }

// shortName tells processes apart in the names of tracks.
func shortName(id, prefix string) string {
	if guid, ok := strings.CutPrefix(id, "guid "); ok {
		return guid[:min(8, len(guid))]
	}
	return prefix[strings.LastIndexAny(prefix, `/\`)+1:]
}

// buildSpans makes a capture of spans where there are neither counters nor kernels: a sample is a call, marker, copy or
// allocation.
func (w *work) buildSpans(cfg *capture.Config, origin int64) error {
	slices.SortStableFunc(w.spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start),
			cmp.Compare(b.end, a.end))
	})
	n := len(w.spans)
	cfg.Axis = &capture.Axis{Clock: "gpu", Start: make([]int64, n), End: make([]int64, n)}
	took := make([]uint64, n)
	texts := map[string][]string{}
	names := []string{"call", "kind", "thread", "process"}
	for _, name := range names {
		texts[name] = make([]string, n)
	}
	for i := range w.spans {
		s := &w.spans[i]
		cfg.Axis.Start[i], cfg.Axis.End[i], took[i] = s.start-origin, s.end-origin, uint64(s.end-s.start)
		texts["call"][i], texts["kind"][i], texts["thread"][i], texts["process"][i] = s.name, s.kind,
			s.thread, s.process
	}
	for _, name := range names {
		column := texts[name]
		if slices.ContainsFunc(column, func(text string) bool { return text != "" }) {
			cfg.Labels = append(cfg.Labels, capture.NewLabel(name, column, func(i int) bool { return column[i] != "" }))
		}
	}
	cfg.Counters = []*capture.Counter{{Axis: cfg.Axis, Col: capture.NewColumn(capture.Data{U: took}),
		Meta: capture.Meta{Name: "call_duration", Title: "Call duration", Unit: "ns",
			Kind: capture.Delta, Source: Format{}.Name(),
			Doc: "Time from the start of the call, marker, copy or allocation to its end. Calls within others count in these too."}}}
	w.regions(cfg, nil, origin)
	return nil
}
