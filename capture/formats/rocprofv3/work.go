package rocprofv3

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture/formats/internal/derived"
	"astrolabe/capture/formats/internal/pairing"
	"astrolabe/capture/formats/internal/rocpd"
)

// labelNames are the labels of a dispatch in the order of a capture, by the columns of the CSV files in lower case.
var labelNames = []struct{ column, label string }{
	{"kernel_name", "kernel"}, {"dispatch_id", "dispatch"}, {"agent_id", "agent"}, {"queue_id", "queue"},
	{"stream_id", "stream"}, {"kernel_id", "kernel_id"},
	{"grid_size", "grid_size"}, {"workgroup_size", "workgroup_size"}, {"lds_block_size", "lds_per_workgroup"},
	{"scratch_size", "scratch_per_workitem"},
	{"vgpr_count", "arch_vgpr"}, {"accum_vgpr_count", "accum_vgpr"}, {"sgpr_count", "sgpr"},
}

// labelOf is the place of a label in labelNames.
func labelOf(label string) int {
	return slices.IndexFunc(labelNames, func(l struct{ column, label string }) bool { return l.label == label })
}

// key identifies a dispatch within a run. Older files do not number dispatches: there the correlation stands for the
// number, which counts calls too.
type key struct{ dispatch, correlation, kernel, agent, grid, workgroup string }

// dispatch is one launch of a kernel in one run.
type dispatch struct {
	key
	labels     []string // by labelNames
	start, end int64    // ns; both 0 where the file does not say
	values     map[int][]result
}

// timed reports whether the dispatch has times, which no kernel has without taking some.
func (d *dispatch) timed() bool { return d.end > d.start }

// result is one value of a counter; instance is "" where the file does not tell instances apart.
type result struct {
	v        float64
	instance string
}

// run is what one process measured, or traced without counters.
type run struct {
	id, prefix string // the prefix is that of the names of its files
	dispatches []*dispatch
	index      map[key]*dispatch
	traced     bool  // it is a kernel trace, without counters
	origin     int64 // its first start, 0 where no dispatch has times
}

// counterInfo is what is known of a counter.
type counterInfo struct{ name, block, doc, unit string }

// work is everything that was read.
type work struct {
	runs      []*run
	byID      map[runKey]*run
	spans     []span
	counters  []counterInfo
	at        map[string]int
	databases map[string]bool // runs that a database holds
	agents    []agent
	// agentFiles are the files of agents that have been read.
	agentFiles map[string]bool
	beside     func(path string) error // formats.Options.Beside
	warnings   []string
}

type runKey struct {
	id     string
	traced bool
}

func newWork() *work {
	return &work{byID: map[runKey]*run{}, at: map[string]int{}, databases: map[string]bool{},
		agentFiles: map[string]bool{}}
}

func (w *work) warn(format string, args ...any) {
	w.warnings = append(w.warnings, fmt.Sprintf(format, args...))
}

func (w *work) counter(name string) int {
	i, ok := w.at[name]
	if !ok {
		i = len(w.counters)
		w.at[name] = i
		w.counters = append(w.counters, counterInfo{name: name})
	}
	return i
}

func (w *work) run(id, prefix string, traced bool) *run {
	r := w.byID[runKey{id, traced}]
	if r == nil {
		r = &run{id: id, prefix: prefix, index: map[key]*dispatch{}, traced: traced}
		w.byID[runKey{id, traced}] = r
		w.runs = append(w.runs, r)
	}
	return r
}

// dispatch finds or adds a dispatch of a run. A trace has one row for each, so that two rows are two dispatches even
// where nothing tells them apart.
func (r *run) dispatch(k key, labels func() []string) *dispatch {
	d := r.index[k]
	if d == nil {
		d = &dispatch{key: k, labels: labels()}
		if !r.traced {
			d.values = map[int][]result{}
			r.index[k] = d
		}
		r.dispatches = append(r.dispatches, d)
	}
	return d
}

// rows are the dispatches of a run as the package pairing sees them, numbered by dispatch or by correlation.
func (r *run) rows(byCorrelation bool) []pairing.Row {
	out := make([]pairing.Row, len(r.dispatches))
	for i, d := range r.dispatches {
		number := d.key.dispatch
		if byCorrelation {
			number = d.correlation
		}
		n, err := strconv.ParseInt(number, 10, 64)
		out[i] = pairing.Row{Number: n, Numbered: err == nil, Start: d.start, End: d.end, Timed: d.timed(),
			Attributes: []string{d.kernel, d.agent, d.grid, d.workgroup}}
	}
	return out
}

// readDatabase reads a rocpd database, which may hold several processes.
func (w *work) readDatabase(ctx context.Context, path string) error {
	trace, err := rocpd.Read(ctx, path)
	if err != nil {
		return err
	}
	for _, g := range trace.GPUs {
		w.agents = append(w.agents, agent{number: g.Number, name: g.Name, product: g.Product, numbers: g.Numbers})
	}
	at := make([]int, len(trace.Counters))
	for i, c := range trace.Counters {
		at[i] = w.counter(c.Name)
		w.counters[at[i]] = counterInfo{c.Name, c.Block, c.Doc, c.Unit}
	}
	counted := map[string]bool{}
	again := map[string]bool{}
	for i := range trace.Dispatches {
		d := &trace.Dispatches[i]
		again[d.GUID] = w.databases[runID(d.GUID, "", "")]
		counted[d.GUID] = counted[d.GUID] || len(d.Values) > 0
	}
	backward := 0
	for i := range trace.Dispatches {
		d := &trace.Dispatches[i]
		if again[d.GUID] {
			continue
		}
		if w.dispatchOfDatabase(d, at, path, !counted[d.GUID]) {
			backward++
		}
	}
	for guid, twice := range again {
		if w.databases[runID(guid, "", "")] = true; twice {
			w.warn("%s: the process %s is in another database too, and is left out here", path, guid)
		}
	}
	for _, s := range trace.Spans {
		if !again[s.GUID] {
			w.spans = append(w.spans, span{run: runID(s.GUID, "", ""), prefix: prefixOf(path), kind: s.Kind,
				name: s.Name, process: s.Process, thread: s.Thread, start: s.Start, end: s.End})
		}
	}
	if backward > 0 {
		w.warn("%s: %d dispatches end before they start: their times are left out", path, backward)
	}
	if trace.Strays > 0 {
		w.warn("%s: %d results of counters belong to no kernel dispatch and are left out", path, trace.Strays)
	}
	return nil
}

// dispatchOfDatabase adds a dispatch. It reports times that cannot be, which are left out.
func (w *work) dispatchOfDatabase(from *rocpd.Dispatch, counters []int, path string, traced bool) (backward bool) {
	k := key{dispatch: from.Number, kernel: from.Kernel, agent: from.Agent, grid: from.Grid, workgroup: from.Workgroup}
	d := w.run(runID(from.GUID, "", ""), prefixOf(path), traced).dispatch(k, func() []string {
		// In the order of labelNames.
		return []string{from.Kernel, from.Number, from.Agent, from.Queue, from.Stream, from.KernelID, from.Grid,
			from.Workgroup, from.LDS, from.Scratch,
			from.VGPR, from.Accum, from.SGPR}
	})
	if d.start, d.end = from.Start, from.End; d.end < d.start || d.start < 0 {
		d.start, d.end, backward = 0, 0, true
	}
	for _, v := range from.Values {
		d.values[counters[v.Counter]] = append(d.values[counters[v.Counter]], result{v.V, v.Instance})
	}
	return backward
}

// isLevel reports whether a counter is a share or level, which does not add up over dispatches.
func isLevel(c counterInfo) bool {
	return strings.Contains(c.unit, "%") || strings.EqualFold(c.unit, "percent") || derived.IsShare(c.name)
}
