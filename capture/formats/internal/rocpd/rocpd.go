// Package rocpd reads the SQLite databases of ROCm's profilers, for the formats whose folders hold them: rocprofv3 and
// rocprof-compute write them.
//
// A database has a set of tables for each process that was measured, rocpd_kernel_dispatch_GUID and the like, and views
// over them. Only tables are read, so that a file cannot make its reader run queries of its own. Columns that a release
// lacks are empty. It knows the schema of rocprofiler-sdk (share/rocprofiler-sdk-rocpd/rocpd_tables.sql, schema version
// 3, and the older one with tables of tracks and time stamps), and evaluates nothing.
package rocpd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// magic begins every SQLite database.
var magic = []byte("SQLite format 3\x00")

// Is reports whether a file that begins with head is a SQLite database, and whether its first page names tables of
// rocpd.
func Is(head []byte) (database, rocpd bool) {
	return bytes.HasPrefix(head, magic), bytes.HasPrefix(head, magic) && bytes.Contains(head, []byte("rocpd_"))
}

// Trace is what a database holds.
type Trace struct {
	GPUs       []GPU
	Counters   []Counter
	Dispatches []Dispatch
	Spans      []Span
	Strays     int // results of counters that belong to no dispatch, such as those of a whole device
}

// GPU is a device that ran a dispatch.
type GPU struct {
	Number        string // "4" of "Agent 4"
	Name, Product string // such as gfx942, AMD Instinct MI300X
	// Numbers are what the profiler's library tells of it, such as cu_count.
	Numbers map[string]float64
}

// Counter is what is known of a counter.
type Counter struct{ Name, Block, Doc, Unit string }

// Dispatch is one launch of a kernel. Texts are empty where the file does not say.
type Dispatch struct {
	GUID              string // of the process
	Number            string
	Kernel            string
	Agent             string // "Agent 4", as rocprofv3's CSV files name it
	Queue, Stream     string
	KernelID          string
	Grid, Workgroup   string // all dimensions multiplied
	LDS, Scratch      string // bytes
	VGPR, Accum, SGPR string
	Start, End        int64 // ns; both 0 where the file does not say
	Values            []Value
}

// Value is one result of a counter.
type Value struct {
	Counter  int // index in Trace.Counters
	Instance string
	V        float64
}

// Span is a stretch of time that is no dispatch: a call of an API, a marker, a copy, an allocation.
type Span struct {
	GUID       string
	Kind       string // as the profiler names it: HIP_RUNTIME_API_EXT, MARKER_CORE_RANGE_API, MEMORY_COPY
	Name       string
	Process    string
	Thread     string
	Start, End int64
}

// Read reads a database. Errors name the file.
func Read(ctx context.Context, path string) (*Trace, error) {
	d, err := open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer d.close()
	progress.From(ctx).Begin(0, progress.Rows) // to count the rows first would take as long as reading them
	if err := d.list(ctx); errors.Is(err, memory.ErrLimit) {
		return nil, fmt.Errorf("%s: %w", path, err)
	} else if err != nil {
		return nil, fmt.Errorf("%s: the database cannot be read, it may be truncated or damaged: %w", path, err)
	}
	const dispatches = "rocpd_kernel_dispatch"
	var suffixes []string
	for name := range d.tables {
		if rest, ok := strings.CutPrefix(name, dispatches); ok {
			suffixes = append(suffixes, rest)
		}
	}
	slices.Sort(suffixes)
	if len(suffixes) == 0 {
		return nil, fmt.Errorf("%s: an SQLite database without a table %s: this is no output of rocprofv3, or it traced no kernel (use --kernel-trace or --pmc)", path, dispatches)
	}
	r := &reader{d: d, ctx: ctx, trace: &Trace{}, at: map[string]int{}}
	for _, suffix := range suffixes {
		if err := r.tables(suffix); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return r.trace, nil
}

type reader struct {
	d     *database
	ctx   context.Context
	trace *Trace
	at    map[string]int // counters by name
}

// tables reads the set of tables of one suffix.
func (r *reader) tables(suffix string) error {
	var errs []error
	get := func(table string, columns ...string) map[ref][]cell {
		m, err := r.d.lookup(r.ctx, table+suffix, columns...)
		errs = append(errs, err)
		return m
	}
	kernels := get("rocpd_info_kernel_symbol", "display_name", "kernel_name", "arch_vgpr_count", "accum_vgpr_count",
		"sgpr_count")
	agents := get("rocpd_info_agent", "type", "name", "product_name", "absolute_index", "extdata")
	counters := get("rocpd_info_pmc", "name|symbol", "block", "description", "units", "instance_id")
	tracks := get("rocpd_track", "agent_id", "queue_id", "stream_id")
	stamps := get("rocpd_timestamp", "value")
	if err := errors.Join(errs...); err != nil {
		return err
	}
	byEvent := map[ref]int{}
	err := r.d.each(r.ctx, "rocpd_kernel_dispatch"+suffix, []string{"guid", "dispatch_id", "kernel_id", "agent_id",
		"queue_id", "stream_id", "start", "end", "start_id", "end_id", "track_id",
		"event_id", "grid_size_x", "grid_size_y", "grid_size_z", "workgroup_size_x", "workgroup_size_y",
		"workgroup_size_z", "group_segment_size", "private_segment_size"},
		func(row []cell) error {
			guid := row[0].text()
			at := func(i int) ref { return ref{guid, row[i].text()} }
			dsp := Dispatch{GUID: guid, Number: row[1].text(), KernelID: row[2].text(), Grid: volume(row[12:15]),
				Workgroup: volume(row[15:18]), LDS: row[18].text(), Scratch: row[19].text()}
			agent, queue, stream := row[3], row[4], row[5]
			if t := tracks[at(10)]; t != nil && t[0].v != nil { // older layout
				agent, queue, stream = t[0], t[1], t[2]
			}
			dsp.Queue, dsp.Stream = queue.text(), stream.text()
			if k := kernels[at(2)]; k != nil {
				dsp.Kernel, dsp.VGPR, dsp.Accum, dsp.SGPR = k[0].text(), k[2].text(), k[3].text(), k[4].text()
				if dsp.Kernel == "" {
					dsp.Kernel = k[1].text()
				}
			}
			if dsp.Kernel == "" {
				return fmt.Errorf("table rocpd_kernel_dispatch%s: dispatch %s names kernel %s, which is not in the database", suffix, dsp.Number, row[2].text())
			}
			dsp.Agent = r.agent(guid, agent, agents)
			start, ok := row[6].number()
			end, ok2 := row[7].number()
			if s, e := stamps[at(8)], stamps[at(9)]; s != nil && e != nil {
				start, ok = s[0].number()
				end, ok2 = e[0].number()
			}
			if ok && ok2 {
				dsp.Start, dsp.End = start, end
			}
			byEvent[at(11)] = len(r.trace.Dispatches)
			r.trace.Dispatches = append(r.trace.Dispatches, dsp)
			return nil
		})
	if err != nil {
		return err
	}
	if err := r.events(suffix, counters, byEvent); err != nil {
		return err
	}
	return r.spans(suffix, agents)
}

// agent is the name of an agent, and notes it where it is a GPU.
func (r *reader) agent(guid string, id cell, agents map[ref][]cell) string {
	a := agents[ref{guid, id.text()}]
	if a == nil {
		return id.text()
	}
	gpu := GPU{Number: a[3].text(), Name: a[1].text(), Product: a[2].text()}
	same := func(g GPU) bool { return g.Number == gpu.Number && g.Name == gpu.Name && g.Product == gpu.Product }
	if a[0].text() == "GPU" && !slices.ContainsFunc(r.trace.GPUs, same) {
		gpu.Numbers = numbersOf(a[4].text())
		r.trace.GPUs = append(r.trace.GPUs, gpu)
	}
	if a[3].text() == "" {
		return id.text()
	}
	return "Agent " + a[3].text()
}

// numbersOf are the numbers of an object in JSON; none where it is none.
func numbersOf(text string) map[string]float64 {
	var all map[string]any
	if json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	out := map[string]float64{}
	for name, v := range all {
		if x, ok := v.(float64); ok {
			out[name] = x
		}
	}
	return out
}

// events puts the results of counters to their dispatches.
func (r *reader) events(suffix string, counters map[ref][]cell, byEvent map[ref]int) error {
	return r.d.each(r.ctx, "rocpd_pmc_event"+suffix, []string{"guid", "event_id", "pmc_id", "value"},
		func(row []cell) error {
			guid := row[0].text()
			at, ok := byEvent[ref{guid, row[1].text()}]
			if !ok {
				r.trace.Strays++
				return nil
			}
			info := counters[ref{guid, row[2].text()}]
			if info == nil || info[0].text() == "" {
				return fmt.Errorf("table rocpd_pmc_event%s: a result names counter %s, which is not in the database",
					suffix, row[2].text())
			}
			v, ok := row[3].float()
			if !ok {
				return fmt.Errorf("table rocpd_pmc_event%s: %q is no value of %s", suffix, row[3].text(),
					info[0].text())
			}
			name := info[0].text()
			i, known := r.at[name]
			if !known {
				i = len(r.trace.Counters)
				r.at[name] = i
				r.trace.Counters = append(r.trace.Counters, Counter{name, info[1].text(), info[2].text(),
					info[3].text()})
			}
			d := &r.trace.Dispatches[at]
			d.Values = append(d.Values, Value{i, info[4].text(), v})
			return nil
		})
}

// spans reads calls, markers, copies and allocations.
func (r *reader) spans(suffix string, agents map[ref][]cell) error {
	texts, err := r.d.lookup(r.ctx, "rocpd_string"+suffix, "string")
	if err != nil {
		return err
	}
	name := func(guid string, id cell) string {
		if t := texts[ref{guid, id.text()}]; t != nil {
			return t[0].text()
		}
		return ""
	}
	processes, err := r.d.lookup(r.ctx, "rocpd_info_process"+suffix, "pid")
	if err != nil {
		return err
	}
	threads, err := r.d.lookup(r.ctx, "rocpd_info_thread"+suffix, "tid")
	if err != nil {
		return err
	}
	// The system's number of a process or thread, which need not be its id in the tables.
	number := func(of map[ref][]cell, guid string, id cell) string {
		if n := of[ref{guid, id.text()}]; n != nil {
			return n[0].text()
		}
		return id.text()
	}
	type event struct{ kind, message string }
	events := map[ref]event{}
	if err := r.d.each(r.ctx, "rocpd_event"+suffix, []string{"guid", "id", "category_id", "extdata"},
		func(row []cell) error {
			guid := row[0].text()
			events[ref{guid, row[1].text()}] = event{name(guid, row[2]), message(row[3])}
			return nil
		}); err != nil {
		return err
	}
	add := func(guid string, kind, name string, process, thread, start, end cell) {
		s, ok := start.number()
		e, ok2 := end.number()
		if ok && ok2 && name != "" && s <= e {
			r.trace.Spans = append(r.trace.Spans, Span{guid, kind, name, number(processes, guid, process),
				number(threads, guid, thread), s, e})
		}
	}
	if err := r.d.each(r.ctx, "rocpd_region"+suffix, []string{"guid", "pid", "tid", "start", "end", "name_id",
		"event_id"}, func(row []cell) error {
		guid := row[0].text()
		e := events[ref{guid, row[6].text()}]
		text := name(guid, row[5])
		if e.message != "" { // of a marker, whose name is that of the function which set it
			text = e.message
		}
		add(guid, e.kind, text, row[1], row[2], row[3], row[4])
		return nil
	}); err != nil {
		return err
	}
	tracks, err := r.d.lookup(r.ctx, "rocpd_track"+suffix, "pid", "tid", "name_id")
	if err != nil {
		return err
	}
	if err := r.d.each(r.ctx, "rocpd_sample"+suffix, []string{"guid", "track_id", "timestamp", "event_id"},
		func(row []cell) error {
			guid := row[0].text()
			e, t := events[ref{guid, row[3].text()}], tracks[ref{guid, row[1].text()}]
			if t != nil && e.message != "" { // an instant
				add(guid, e.kind, e.message, t[0], t[1], row[2], row[2])
			}
			return nil
		}); err != nil {
		return err
	}
	if err := r.d.each(r.ctx, "rocpd_memory_copy"+suffix, []string{"guid", "pid", "tid", "start", "end", "name_id"},
		func(row []cell) error {
			guid := row[0].text()
			add(guid, "MEMORY_COPY", name(guid, row[5]), row[1], row[2], row[3], row[4])
			return nil
		}); err != nil {
		return err
	}
	return r.d.each(r.ctx, "rocpd_memory_allocate"+suffix, []string{"guid", "pid", "tid", "start", "end", "type",
		"level"}, func(row []cell) error {
		kind, what := "MEMORY_ALLOCATION", row[5].text()
		switch row[6].text() {
		case "SCRATCH":
			kind = "SCRATCH_MEMORY"
		case "VIRTUAL":
			what = "VMEM_" + what
		}
		add(row[0].text(), kind, kind+"_"+what, row[1], row[2], row[3], row[4])
		return nil
	})
}

// message is the text of a marker in the data that an event carries, "" if there is none.
func message(c cell) string {
	text := c.text()
	if len(text) < 3 || !strings.Contains(text, `"message"`) {
		return ""
	}
	var data struct{ Message string }
	if json.Unmarshal([]byte(text), &data) != nil {
		return ""
	}
	return data.Message
}

// volume multiplies the sizes of three dimensions; "" where one is not known.
func volume(dims []cell) string {
	n := int64(1)
	for _, c := range dims {
		v, ok := c.number()
		if !ok || v < 0 || v > 1<<31 || n > 1<<40 {
			return ""
		}
		n *= v
	}
	return strconv.FormatInt(n, 10)
}
